"""Best play of many attempts at once, each different one solved once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.mission.ask import LARGE_MEGABYTES, cost_text
from sprawlsim.sprawlops.mission.exact import Expected, estimate, solve
from sprawlsim.sprawlops.mission.scenario import Scenario
from sprawlsim.sprawlops.mission.work import Work
from sprawlsim.sprawlops.roles import ROLES

if TYPE_CHECKING:
    from sprawlsim.sprawlops.mission.montecarlo import Progress

LARGE_SECONDS = 180.0
"""Attempts that take longer, all of them together, are refused unless the asker insists."""

ESTIMATED_AT_LEAST = 24
"""Attempts whose work is estimated, before their mean stands for the others."""

GOLDEN_RATIO = (1.0 + math.sqrt(5.0)) / 2.0


def key_of(scenario: Scenario) -> bytes:
    """Give all that matters of an attempt: many a card has the same dice as another.

    What runners are called does not, nor in which order they stand.
    """
    runners = sorted(
        ([runner.dice.get(role, 0) for role in ROLES], runner.dermal_plating, runner.docwagon_token)
        for runner in scenario.runners
    )
    others = [key for key in scenario.__struct_fields__ if key not in {"runners", "loot_cards"}]
    rest = [getattr(scenario, key) for key in others]
    return msgspec.json.encode((runners, sorted(scenario.loot_cards), rest), order="deterministic")


def different(scenarios: Iterable[Scenario]) -> dict[bytes, Scenario]:
    """Collect the attempts that differ by their keys; of equal ones the first."""
    found: dict[bytes, Scenario] = {}
    for scenario in scenarios:
        found.setdefault(key_of(scenario), scenario)
    return found


def solve_each(
    attempts: Mapping[bytes, Scenario], advice: str, insist: bool, progress: Progress | None
) -> dict[bytes, Expected]:
    """Find best play of every attempt.

    Parameters
    ----------
    attempts : mapping
        See `different`.
    advice : str
        What makes the work less, for who is refused.
    insist : bool
        Do what takes more than about three minutes, too, instead of refusing it.
    progress : callable, optional
        Told how many attempts are solved, of how many.

    Raises
    ------
    SprawlsimError
        If it would take long.
    """
    if not insist:
        _check_work(list(attempts.values()), advice, progress)
    found = {}
    for done, (key, scenario) in enumerate(attempts.items(), 1):
        found[key] = solve(scenario, figures=False).expected
        if progress is not None:
            progress(done, len(attempts))
    return found


def _check_work(scenarios: Sequence[Scenario], advice: str, progress: Progress | None) -> None:
    """Refuse what would take long, as soon as that is seen: to estimate very many takes long, too."""
    seconds = megabytes = 0.0
    in_mixed_order = sorted(range(len(scenarios)), key=lambda i: i * GOLDEN_RATIO % 1.0)
    for count, i in enumerate(in_mixed_order, 1):  # so that those seen stand for those that were not
        work = estimate(scenarios[i])
        seconds += work.seconds
        megabytes = max(megabytes, work.megabytes)
        enough = count >= min(ESTIMATED_AT_LEAST, len(scenarios))
        if enough and (seconds > LARGE_SECONDS or megabytes > LARGE_MEGABYTES):
            whole = Work(seconds / count * len(scenarios), megabytes)
            raise SprawlsimError(
                f"to solve the Mission for {len(scenarios)} different teams {cost_text(whole)}; "
                f"{advice}, and --yes (insist) does it anyway"
            )
        if progress is not None:
            progress(0, len(scenarios))
