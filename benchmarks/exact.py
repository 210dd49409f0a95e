"""Speed of exact best play: the whole answer through the Python API, warm, and what it takes of memory.

    python benchmarks/exact.py              # all cases
    python benchmarks/exact.py worked 16    # those whose name holds one of these

Prints, for each case, the estimate of the work before it is begun, the time from a scenario to its figures
(median of a few runs), and the peak memory of the process so far, that of the largest case until then.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from pathlib import Path

from sprawlsim.sprawlops.api import ask_about
from sprawlsim.sprawlops.mission.exact import estimate, solve
from sprawlsim.sprawlops.mission.scenario import Scenario, scenario_from_dict

GOLDEN = Path(__file__).parent.parent / "tests" / "golden" / "mission-values.json"
ROLES = ("street_samurai", "decker", "mage", "rigger", "face")

LONG = 5.0
"""Seconds from which one run is enough."""

LARGEST_TEAM = (
    "Towering Samurai + Shoulder Cannon + Long Rifle + Martial Arts + Dermal Plating, "
    "Brilliant Decker + Glass Deck + Datajack + Dermal Plating, "
    "Learned Mage + Forbidden Library + Trained Intuition + Dermal Plating, "
    "Airborne Rigger + Paired Drones + Small Drone + Steering Reflex + Jackrabbit + Evening Suit + "
    "Dermal Plating"
)
"""Ten Street Samurai, eight Decker, Mage and Rigger dice, which is all of them in the box, and a Face die."""


def _runner(dice: tuple[int, ...], plated: bool = False) -> dict[str, object]:
    return {
        "dice": {role: n for role, n in zip(ROLES, dice, strict=True) if n},
        "dermal_plating": plated,
    }


def _cases() -> dict[str, Scenario]:
    golden = {case["name"]: case["scenario"] for case in json.loads(GOLDEN.read_text())}
    sixteen = {
        "docwagon_tokens": 1,
        "payout": 8,
        "stages": [
            {"icons": {"mage": 3}},
            {"icons": {"decker": 4}, "loot": 1},
            {"icons": {"mage": 2, "street_samurai": 2}, "payout": 3},
            {"icons": {"mage": 3, "rigger": 2}},
        ],
        "runners": [
            _runner((3, 1, 0, 0, 0), plated=True),
            _runner((0, 3, 0, 0, 1)),
            _runner((0, 0, 4, 0, 0)),
            _runner((1, 0, 0, 3, 0), plated=True),
        ],
    }
    twenty_four = {
        "docwagon_tokens": 1,
        "final": True,
        "stages": [
            {"icons": {"street_samurai": 3, "decker": 3}},
            {"icons": {"mage": 3, "rigger": 3}},
            {"icons": {"decker": 3, "face": 1, "street_samurai": 2}},
            {"icons": {"mage": 4, "street_samurai": 3}},
            {"icons": {"street_samurai": 3, "rigger": 3, "decker": 2}},
        ],
        "runners": [
            _runner((5, 1, 0, 0, 0), plated=True),
            _runner((0, 5, 0, 0, 1)),
            _runner((0, 0, 6, 0, 0)),
            _runner((1, 0, 0, 5, 0), plated=True),
        ],
    }
    return {
        "worked example, 3 Stages": scenario_from_dict(golden["worked example team, three stages"]),
        "4 runners, 16 dice, 4 Stages": scenario_from_dict(sixteen),
        "4 runners, 24 dice, 5 Stages": scenario_from_dict(twenty_four),
        "Grand Vault Raid, all dice of the box": ask_about("grand vault", LARGEST_TEAM, tokens=2).scenario(),
    }


def main() -> None:
    """Time the cases."""
    wanted = sys.argv[1:]
    cases = _cases()
    solve(cases["worked example, 3 Stages"]).figures()  # compiled, or loaded
    print(f"{'case':<40}{'estimate':>10}{'seconds':>10}{'completes':>12}{'peak MiB':>10}")
    for name, scenario in cases.items():
        if wanted and not any(word in name for word in wanted):
            continue
        work = estimate(scenario)
        times: list[float] = []
        while len(times) < 7 and (not times or sum(times) < LONG):
            begun = time.perf_counter()
            figures = solve(scenario).figures()
            times.append(time.perf_counter() - begun)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        seconds = statistics.median(times)
        print(
            f"{name:<40}{work.seconds:>10.3f}{seconds:>10.4f}{figures.sums[0]:>12.5%}{peak:>10.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
