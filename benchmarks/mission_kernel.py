"""Speed of the Mission kernel: attempts per second, compile time, memory. Ratios hold within one run.

    python benchmarks/mission_kernel.py

Each policy is timed on one thread and on two, beside a plain loop that throws die by die with numba's own
random numbers and calls the same rules and the same policy after every roll.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np

from sprawlsim.sprawlops.dice import INJURY_FACES, SIDES, SUCCESS_FACES
from sprawlsim.sprawlops.mission.arrays import COLOURS, ROLLING, Record
from sprawlsim.sprawlops.mission.attempt import Tools, after_roll, new_tools, settle
from sprawlsim.sprawlops.mission.counts import COMPLETED
from sprawlsim.sprawlops.mission.montecarlo import Simulation
from sprawlsim.sprawlops.mission.plays import TABLE
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.mission.rules import let_fall, set_up
from sprawlsim.sprawlops.mission.scenario import Scenario, scenario_from_dict

SCENARIOS: dict[str, dict[str, Any]] = {
    "worked example, 9 dice": {
        "stages": [
            {"icons": {"mage": 3}},
            {"icons": {"decker": 4}, "loot": 1},
            {"icons": {"mage": 3}, "payout": 3},
        ],
        "docwagon_tokens": 1,
        "runners": [
            {"dice": {"decker": 3}, "dermal_plating": True},
            {"dice": {"street_samurai": 3, "rigger": 2, "face": 1}},
        ],
    },
    "4 runners, 16 dice": {
        "stages": [
            {"icons": {"mage": 2, "decker": 1}},
            {"icons": {"street_samurai": 2, "rigger": 1}},
            {"icons": {"decker": 2, "mage": 2}},
            {"icons": {"street_samurai": 2, "decker": 2}},
        ],
        "docwagon_tokens": 1,
        "runners": [
            {"dice": {"decker": 4}, "dermal_plating": True},
            {"dice": {"street_samurai": 3, "rigger": 1}},
            {"dice": {"mage": 4}, "dermal_plating": True},
            {"dice": {"rigger": 2, "street_samurai": 1, "face": 1}},
        ],
    },
    "4 runners, 24 dice": {
        "stages": [
            {"icons": {"mage": 3, "decker": 3}},
            {"icons": {"street_samurai": 4, "rigger": 2}},
            {"icons": {"decker": 3, "mage": 3}},
            {"icons": {"street_samurai": 4, "decker": 3}},
            {"icons": {"street_samurai": 3, "mage": 3, "face": 1}},
        ],
        "docwagon_tokens": 1,
        "runners": [
            {"dice": {"decker": 6}, "dermal_plating": True},
            {"dice": {"street_samurai": 5, "rigger": 1}},
            {"dice": {"mage": 6}, "dermal_plating": True},
            {"dice": {"rigger": 3, "street_samurai": 2, "face": 1}},
        ],
    },
}

REPEATS = 7
SECONDS = 0.4


@numba.njit(nogil=True)
def die_by_die(scn: Record, policy: int, attempts: int, tools: Tools) -> int:
    """Play attempts, throwing each die by itself; count the completed ones."""
    completed = 0
    st = tools.work.at[TABLE]
    for _ in range(attempts):
        set_up(scn, st)
        settle(scn, tools.work, policy, tools.outlook)
        while st.phase == ROLLING:
            for c in range(COLOURS):
                successes = 0
                injuries = 0
                for _ in range(st.hand[c]):
                    face = np.random.randint(0, SIDES)  # noqa: NPY002 - what numba compiles
                    if face < SUCCESS_FACES:
                        successes += 1
                    elif face < SUCCESS_FACES + INJURY_FACES:
                        injuries += 1
                let_fall(st, c, successes, injuries)
            after_roll(scn, tools.work, policy, tools.outlook)
        completed += st.completed
    return completed


def rates(ways: Sequence[Callable[[int], object]], guess: int) -> list[list[float]]:
    """Measure attempts per second of several ways, in turn, so that ratios survive a drifting machine.

    Returns a list for each repeat: the rate of each way.
    """
    sizes = []
    for play in ways:
        play(guess)
        began = time.perf_counter()
        play(guess)
        sizes.append(max(guess, int(guess * SECONDS / (time.perf_counter() - began))))
    measured = []
    for _ in range(REPEATS):
        row = []
        for play, size in zip(ways, sizes, strict=True):
            began = time.perf_counter()
            play(size)
            row.append(size / (time.perf_counter() - began))
        measured.append(row)
    return measured


def compare(name: str, scenario: Scenario, policy: str) -> None:
    """Time one policy in one scenario in all ways, and print a row of medians."""
    tools = new_tools()
    scn = scenario.arrays()
    one, two = (Simulation(scenario, policy, seed=1, threads=threads) for threads in (1, 2))
    rows = rates(
        (
            lambda n: one.play(one.attempts + n),
            lambda n: two.play(two.attempts + n),
            lambda n: die_by_die(scn, POLICIES[policy], n, tools),
        ),
        100_000,
    )
    a, b, c = (statistics.median(column) for column in zip(*rows, strict=True))
    threads = statistics.median(row[1] / row[0] for row in rows)
    plain = statistics.median(row[0] / row[2] for row in rows)
    completed = one.counts["sums"][0][COMPLETED] / one.attempts
    print(
        f"{name:24} {policy:13} {a / 1e6:9.2f} {b / 1e6:9.2f} {threads:7.2f}"
        f" {c / 1e6:10.2f} {plain:7.1f} {completed:10.4f}",
        flush=True,
    )


def timed_child(code: str, cache: str) -> str:
    """Run code in a new process with its own cache of compiled functions."""
    env = {**os.environ, "SPRAWLSIM_CACHE": cache}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    return done.stdout.strip()


CHILD = """
import time, resource
began = time.perf_counter()
from benchmarks.mission_kernel import SCENARIOS
from sprawlsim.sprawlops.mission.montecarlo import Simulation
from sprawlsim.sprawlops.mission.scenario import scenario_from_dict
scenario = scenario_from_dict(SCENARIOS[{name!r}])
Simulation(scenario, "balanced", 1, 2).play({attempts})
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(f"{{time.perf_counter() - began:.2f}} s, {{peak}} MiB")
"""


def main() -> None:
    """Print everything."""
    header = f"{'':24} {'policy':13} {'1 thread':>9} {'2 threads':>9} {'ratio':>7}"
    print(f"{header} {'die by die':>10} {'ratio':>7} {'completed':>10}")
    print(f"{'':38} {'M/s':>9} {'M/s':>9} {'':7} {'M/s':>10}")
    for name, data in SCENARIOS.items():
        for policy in POLICIES:
            compare(name, scenario_from_dict(data), policy)
    small, large = "worked example, 9 dice", "4 runners, 24 dice"
    with tempfile.TemporaryDirectory() as cache:
        print("\nwhole process, imports included:")
        for label, name, attempts in (
            ("cold, compiling", small, 1),
            ("cached", small, 1),
            ("cold, large pool added", large, 1),
            ("cached, large pool", large, 1),
            ("10^6 attempts", small, 10**6),
            ("10^8 attempts", small, 10**8),
            ("10^6 attempts, large pool", large, 10**6),
        ):
            print(f"  {label:26} {timed_child(CHILD.format(name=name, attempts=attempts), cache)}")
    print("this process:", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, "MiB")


if __name__ == "__main__":
    main()
