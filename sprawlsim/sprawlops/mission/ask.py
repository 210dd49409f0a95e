"""The question players ask: what are our odds on this Mission?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from sprawlsim.errors import SprawlsimError, did_you_mean
from sprawlsim.sprawlops.mission.arrays import DEAD, INJURED, RESCUED
from sprawlsim.sprawlops.mission.counts import COMPLETED, LOOT, NUYEN
from sprawlsim.sprawlops.mission.montecarlo import (
    Progress,
    Simulation,
    default_threads,
    play_attempts,
    play_until_precise,
)
from sprawlsim.sprawlops.mission.odds import Odds, RunnerOdds, StageOdds
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.mission.scenario import Objective, Scenario
from sprawlsim.sprawlops.team import Team
from sprawlsim.stats.intervals import (
    Estimate,
    mean_interval,
    mean_sequence,
    proportion_sequence,
    wilson,
)

DEFAULT_POLICY = "balanced"
DEFAULT_SEED = 1
DEFAULT_ATTEMPTS = 1_000_000
DEFAULT_ATTEMPTS_OF_LARGE_POOLS = 200_000

SCREENING_ATTEMPTS = 50_000
FEW_WAYS = 16
BRIEF_ATTEMPTS = 4_000
"""Attempts of each way to set Commlinks: few ways at once, more than that in rounds."""


class Label(NamedTuple):
    """How to name an answer: what was attempted, by whom, from which cards, and what to know about it."""

    title: str = "scenario"
    team: str = ""
    card_set: str | None = None
    notes: tuple[str, ...] = ()


class Effort(NamedTuple):
    """How much to play: exactly so many attempts, or until the interval of completion is narrow enough."""

    attempts: int | None = None
    precision: float | None = None
    seed: int = DEFAULT_SEED
    threads: int | None = None
    progress: Progress | None = None


def scenario_odds(
    scenario: Scenario, policy: str = DEFAULT_POLICY, effort: Effort | None = None, label: Label | None = None
) -> Odds:
    """Play a scenario many times under a rule of thumb.

    Raises
    ------
    SprawlsimError
        If the policy is unknown, or the effort makes no sense.
    """
    effort = effort or Effort()
    label = label or Label()
    check_policy(policy)
    if effort.attempts is not None and effort.precision is not None:
        raise SprawlsimError("give either a number of attempts or a precision, not both")
    threads = default_threads() if effort.threads is None else effort.threads
    if not 1 <= threads <= 256:
        raise SprawlsimError(f"threads must be between 1 and 256, not {threads}")
    simulation = Simulation(scenario, policy, effort.seed, threads)
    if effort.precision is not None:
        play_until_precise(simulation, effort.precision, effort.progress)
    else:
        large = simulation.plays_directly
        default = DEFAULT_ATTEMPTS_OF_LARGE_POOLS if large else DEFAULT_ATTEMPTS
        play_attempts(simulation, default if effort.attempts is None else effort.attempts, effort.progress)
    return _odds(scenario, policy, effort, label, simulation)


def check_policy(policy: str) -> None:
    """Refuse an unknown policy."""
    if policy not in POLICIES:
        known = ", ".join(POLICIES)
        raise SprawlsimError(
            f"{policy!r} is not a policy; the policies are {known}{did_you_mean(policy, POLICIES)}"
        )


def _odds(scenario: Scenario, policy: str, effort: Effort, label: Label, simulation: Simulation) -> Odds:
    """Make estimates of the counters."""
    counts = simulation.counts[0]
    n = simulation.attempts
    peeked = effort.precision is not None

    def odds_of(count: Any) -> Estimate:
        return proportion_sequence(int(count), n) if peeked else wilson(int(count), n)

    def mean_of(weights: list[float] | np.ndarray[Any, Any]) -> Estimate:
        w = np.asarray(weights)
        total, squares = float(w @ counts.sums), float(w @ counts.products @ w)
        return mean_sequence(total, squares, n, tuned_for=n) if peeked else mean_interval(total, squares, n)

    def amount_of(amount: int) -> Estimate:
        mean = mean_of(np.eye(len(counts.sums))[amount])
        return replace(mean, low=max(0.0, mean.low))  # nobody wins less than nothing

    runners = len(scenario.runners)
    completed = odds_of(counts.sums[COMPLETED])
    return Odds(
        title=label.title,
        team=label.team,
        scenario=scenario,
        engine="montecarlo",
        policy=policy,
        attempts=n,
        seed=effort.seed,
        card_set=label.card_set,
        objective_value=completed if scenario.objective == Objective() else mean_of(_weights(scenario)),
        completed=completed,
        nuyen=amount_of(NUYEN),
        loot=amount_of(LOOT),
        stages=tuple(
            StageOdds(odds_of(counts.reached[i]), odds_of(counts.cleared[i]))
            for i in range(len(scenario.stages))
        ),
        runners=tuple(
            RunnerOdds(name, *(odds_of(counts.condition[r, end]) for end in (INJURED, RESCUED, DEAD)))
            for r, name in enumerate(scenario.runner_names)
        ),
        injured_count=tuple(odds_of(counts.injured_count[k]) for k in range(runners + 1)),
        dead_count=tuple(odds_of(counts.dead_count[k]) for k in range(runners + 1)),
        notes=label.notes,
    )


def best_commlinks(
    team: Team, scenario_of: Callable[[Team], Scenario], policy: str, seed: int, threads: int | None = None
) -> Team:
    """Set the Commlinks that have no colour to what is best for the scenario's objective.

    All choices are played on the same dice, other dice than the answer's, so that choosing does not bias
    the answer. Many choices are played briefly first, and the better quarter four times as long, until
    one is left.
    """
    check_policy(policy)
    ways = list(team.with_commlinks_set())
    attempts = SCREENING_ATTEMPTS if len(ways) <= FEW_WAYS else BRIEF_ATTEMPTS
    while len(ways) > 1:

        def value(way: Team, attempts: int = attempts) -> float:
            scenario = scenario_of(way)
            simulation = Simulation(scenario, policy, seed, threads or default_threads(), purpose="commlinks")
            simulation.play(attempts)
            return float(np.dot(_weights(scenario), simulation.counts["sums"][0]))

        ways = sorted(ways, key=value, reverse=True)[: max(1, len(ways) // 4)]
        attempts *= 4
    return ways[0]


def _weights(scenario: Scenario) -> list[float]:
    """Give the objective's weights in the order of the counted amounts."""
    weights = scenario.objective
    return [
        weights.completion,
        weights.nuyen,
        weights.loot,
        weights.injury,
        weights.death,
        weights.payout,
        weights.safe,
    ]
