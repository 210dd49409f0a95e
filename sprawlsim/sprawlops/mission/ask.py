"""The question players ask: what are our odds on this Mission?

Here it is decided which engine answers: exactly where that takes a few seconds, else by Monte Carlo.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sprawlsim.errors import SprawlsimError, did_you_mean
from sprawlsim.sprawlops.mission.answer import Answer, exact_answer, sampled_answer, weights_of
from sprawlsim.sprawlops.mission.evaluate import evaluate
from sprawlsim.sprawlops.mission.exact import Solution, estimate, solve
from sprawlsim.sprawlops.mission.montecarlo import (
    Progress,
    Simulation,
    default_threads,
    play_attempts,
    play_until_precise,
)
from sprawlsim.sprawlops.mission.odds import Beside, Label, Odds
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.mission.scenario import Scenario
from sprawlsim.sprawlops.mission.simulate import simulate
from sprawlsim.sprawlops.mission.work import Work
from sprawlsim.sprawlops.team import Team

BEST = "best"
"""Best play for the objective: exact, not a rule of thumb."""

EXACT, MONTE_CARLO = "exact", "montecarlo"
ENGINES = (EXACT, MONTE_CARLO)

DEFAULT_POLICY = BEST
STAND_IN_POLICY = "balanced"
"""Who plays where best play is too much work."""
DEFAULT_SEED = 1
DEFAULT_ATTEMPTS = 1_000_000
DEFAULT_ATTEMPTS_OF_LARGE_POOLS = 200_000
DEFAULT_ATTEMPTS_OF_BEST = 200_000

QUICK_SECONDS = 4.0
QUICK_MEGABYTES = 2_000.0
"""Best play that takes no more than this is found without being asked for."""
QUICK_ROLLS = 3_000_000
"""Rolls up to which a rule of thumb is evaluated exactly without being asked for: about two seconds."""
LARGE_SECONDS = 60.0
LARGE_MEGABYTES = 4_000.0
LARGE_ROLLS = 60_000_000
"""Exact answers that take more are refused unless the asker insists."""
ROLLS_BESIDE = 120_000
"""Rolls up to which the rules of thumb beside best play are exact: a tenth of a second."""

ATTEMPTS_BESIDE = 200_000
"""Attempts of each rule of thumb beside best play that is more than that: what stands beside may not take
longer than the answer."""

SCREENING_ATTEMPTS = 50_000
FEW_WAYS = 16
BRIEF_ATTEMPTS = 4_000
"""Attempts of each way to set Commlinks: few ways at once, more than that in rounds."""


class Effort(NamedTuple):
    """How to find an answer, and how much to do for it.

    Attributes
    ----------
    attempts : int, optional
        Play exactly so many.
    precision : float, optional
        Play until the interval of completion is plus or minus this, instead.
    seed, threads : int
    progress : callable, optional
        Told how many attempts are played, of how many.
    engine : {"exact", "montecarlo"}, optional
        Chosen by the work it takes when None.
    insist : bool
        Do what takes long or much memory, too.
    beside : tuple of str, optional
        The rules of thumb that stand beside best play; all of them when left out. They are most of the work
        of a small Mission.
    """

    attempts: int | None = None
    precision: float | None = None
    seed: int = DEFAULT_SEED
    threads: int | None = None
    progress: Progress | None = None
    engine: str | None = None
    insist: bool = False
    beside: tuple[str, ...] | None = None

    @property
    def samples(self) -> bool:
        """Whether a number of attempts or a precision is wanted."""
        return self.attempts is not None or self.precision is not None


def scenario_odds(
    scenario: Scenario, policy: str = DEFAULT_POLICY, effort: Effort | None = None, label: Label | None = None
) -> Odds:
    """Find the odds of a scenario, under best play or a rule of thumb.

    Raises
    ------
    SprawlsimError
        If the policy is unknown, the effort makes no sense, or the exact answer is too large.
    """
    effort = effort or Effort()
    label = label or Label()
    check_policy(policy)
    _check_effort(effort)
    if policy == BEST:
        answer = _best_play(scenario, effort)
    else:
        answer = _rule_of_thumb(scenario, policy, effort)
    beside = _beside(scenario, effort) if answer.policy == BEST else ()
    return answer.odds(scenario, label, beside)


def check_policy(policy: str) -> None:
    """Refuse an unknown policy."""
    known = [BEST, *POLICIES]
    if policy not in known:
        raise SprawlsimError(
            f"{policy!r} is not a policy; the policies are {', '.join(known)}{did_you_mean(policy, known)}"
        )


def _check_effort(effort: Effort) -> None:
    """Refuse what makes no sense together."""
    if effort.engine is not None and effort.engine not in ENGINES:
        raise SprawlsimError(
            f"{effort.engine!r} is not an engine; the engines are {', '.join(ENGINES)}"
            f"{did_you_mean(effort.engine, ENGINES)}"
        )
    if effort.attempts is not None and effort.precision is not None:
        raise SprawlsimError("give either a number of attempts or a precision, not both")
    if effort.samples and effort.engine == EXACT:
        raise SprawlsimError("a number of attempts or a precision is for Monte Carlo; exact odds have none")
    if effort.threads is not None and not 1 <= effort.threads <= 256:
        raise SprawlsimError(f"threads must be between 1 and 256, not {effort.threads}")


def solve_within(
    scenario: Scenario, insist: bool, figures: bool = True, progress: Progress | None = None
) -> Solution:
    """Find best play, unless it is too large and the asker does not insist.

    Raises
    ------
    SprawlsimError
        With the estimated time and memory.
    """
    if not insist:
        refuse_large(scenario, "--yes (insist) does it anyway")
    return solve(scenario, figures=figures, progress=progress)


def refuse_large(scenario: Scenario, advice: str) -> None:
    """Refuse to find best play where that is large.

    Raises
    ------
    SprawlsimError
        With the estimated time and memory, and the advice.
    """
    work = estimate(scenario)
    if not _is_within(work, LARGE_SECONDS, LARGE_MEGABYTES):
        raise SprawlsimError(f"exact best play is large here: it {cost_text(work)}; {advice}")


def is_quick(scenario: Scenario) -> bool:
    """Say whether best play takes a few seconds at most."""
    return _is_within(estimate(scenario), QUICK_SECONDS, QUICK_MEGABYTES)


def _is_within(work: Work, seconds: float, megabytes: float) -> bool:
    return work.seconds <= seconds and work.megabytes <= megabytes


def cost_text(work: Work) -> str:
    """Write an estimate of work."""
    if not np.isfinite(work.seconds):
        return "would take very long, or more memory than there is"
    seconds = work.seconds
    if seconds < 120:
        time = f"{seconds:.0f} s"
    else:
        time = f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"
    memory = f"{work.megabytes / 1000:.1f} GB" if work.megabytes >= 1000 else f"{work.megabytes:.0f} MB"
    return f"would take about {time} and {memory}"


def _best_play(scenario: Scenario, effort: Effort) -> Answer:
    """Answer for best play: exactly, or simulated with the exact decisions, or else by a rule of thumb."""
    work = estimate(scenario)
    quick = _is_within(work, QUICK_SECONDS, QUICK_MEGABYTES)
    if effort.engine is None and not quick and not effort.insist:
        why = f"best play {cost_text(work)} exactly (--engine exact)"
        return _sample(scenario, STAND_IN_POLICY, effort, why)
    if effort.precision is not None:
        raise SprawlsimError("best play is simulated by a number of attempts; a precision is for others")
    solution = solve_within(scenario, effort.insist, progress=effort.progress)
    if effort.engine == MONTE_CARLO or effort.samples:
        why = _why_sampled(effort)
        attempts = DEFAULT_ATTEMPTS_OF_BEST if effort.attempts is None else effort.attempts
        counts = simulate(solution, attempts, effort.seed, effort.progress)
        return sampled_answer(BEST, counts, effort.seed, False, why)
    why = "it is little work here" if quick and effort.engine is None else "asked for"
    return exact_answer(BEST, solution.figures(), why)


def _why_sampled(effort: Effort) -> str:
    """Say why attempts are played where nothing forces it."""
    if effort.engine:
        return "asked for"
    return f"a {'precision' if effort.attempts is None else 'number of attempts'} was asked for"


def _rule_of_thumb(scenario: Scenario, policy: str, effort: Effort) -> Answer:
    """Answer for a rule of thumb."""
    if effort.engine == MONTE_CARLO or effort.samples:
        return _sample(scenario, policy, effort, _why_sampled(effort))
    most = None if effort.insist else LARGE_ROLLS if effort.engine else QUICK_ROLLS
    figures = evaluate(scenario, policy, most)
    if figures is not None:
        asked = effort.engine is not None or effort.insist
        return exact_answer(policy, figures, "asked for" if asked else "it is little work here")
    if effort.engine == EXACT:
        raise SprawlsimError(
            f"exact odds of {policy} are large here: more than {LARGE_ROLLS:,} rolls, about a minute; "
            "--yes (insist) does it anyway"
        )
    why = f"exactly, more than {QUICK_ROLLS:,} different rolls would have to be decided (--engine exact)"
    return _sample(scenario, policy, effort, why)


def _sample(scenario: Scenario, policy: str, effort: Effort, why: str) -> Answer:
    """Play a scenario many times under a rule of thumb."""
    threads = default_threads() if effort.threads is None else effort.threads
    simulation = Simulation(scenario, policy, effort.seed, threads)
    if effort.precision is not None:
        play_until_precise(simulation, effort.precision, effort.progress)
    else:
        large = simulation.plays_directly
        default = DEFAULT_ATTEMPTS_OF_LARGE_POOLS if large else DEFAULT_ATTEMPTS
        play_attempts(simulation, default if effort.attempts is None else effort.attempts, effort.progress)
    return sampled_answer(policy, simulation.counts[0], effort.seed, effort.precision is not None, why)


def _beside(scenario: Scenario, effort: Effort) -> tuple[Beside, ...]:
    """Find what the rules of thumb would reach."""
    quiet = Effort(ATTEMPTS_BESIDE, seed=effort.seed, threads=effort.threads)
    found = []
    for policy in POLICIES if effort.beside is None else effort.beside:
        figures = evaluate(scenario, policy, ROLLS_BESIDE)
        answer = (
            _sample(scenario, policy, quiet, "beside")
            if figures is None
            else exact_answer(policy, figures, "beside")
        )
        found.append(answer.beside(scenario))
    return tuple(found)


def best_commlinks(team: Team, scenario_of: Callable[[Team], Scenario], policy: str, effort: Effort) -> Team:
    """Set the Commlinks that have no colour to what is best for the scenario's objective.

    For best play, the exact values decide where all of them together are little work, or the effort
    insists. Otherwise all
    choices are played on the same dice, other dice than the answer's, so that choosing does not bias the
    answer. Many choices are played briefly first, and the better quarter four times as long, until one is
    left.
    """
    check_policy(policy)
    ways = list(team.with_commlinks_set())
    if len(ways) == 1:
        return ways[0]
    if policy == BEST:
        works = [estimate(scenario_of(way)) for way in ways]
        if effort.insist or sum(work.seconds for work in works) <= QUICK_SECONDS:
            return max(ways, key=lambda way: solve(scenario_of(way), figures=False).value)
        policy = STAND_IN_POLICY
    attempts = SCREENING_ATTEMPTS if len(ways) <= FEW_WAYS else BRIEF_ATTEMPTS
    while len(ways) > 1:

        def value(way: Team, attempts: int = attempts) -> float:
            scenario = scenario_of(way)
            threads = effort.threads or default_threads()
            simulation = Simulation(scenario, policy, effort.seed, threads, purpose="commlinks")
            simulation.play(attempts)
            return float(np.dot(weights_of(scenario), simulation.counts["sums"][0]))

        ways = sorted(ways, key=value, reverse=True)[: max(1, len(ways) // 4)]
        attempts *= 4
    return ways[0]
