"""The search for the efficient frontier: best play at just those prices that tell something.

A way to play is worth its completion less price times cost: as a function of the price, a line. Best play is
the highest of finitely many lines, so its worth is convex, in straight pieces, and each piece is a corner of
the frontier.

The corners are found by the sandwich algorithm. Where the lines of two neighbours meet, best play either is
worth no more, and nothing lies between them; or it is another corner. Convexity bounds what can lie between
two neighbours, so the largest gap is asked about first, and what is left is known when the search stops.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count, pairwise
from typing import NamedTuple

import msgspec
import numpy as np

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.mission.answer import Answer, exact_answer, sampled_answer
from sprawlsim.sprawlops.mission.ask import (
    DEFAULT_ATTEMPTS,
    DEFAULT_ATTEMPTS_OF_LARGE_POOLS,
    LARGE_MEGABYTES,
    Effort,
)
from sprawlsim.sprawlops.mission.counts import AMOUNTS, COMPLETED, DEATHS, INJURIES, LOOT, NUYEN
from sprawlsim.sprawlops.mission.evaluate import evaluate
from sprawlsim.sprawlops.mission.exact import Expected, estimate, solve
from sprawlsim.sprawlops.mission.frontier import SAME_FIGURE, Frontier, Point, RuleOfThumb
from sprawlsim.sprawlops.mission.montecarlo import Simulation, default_threads, play_attempts
from sprawlsim.sprawlops.mission.odds import Label
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.mission.scenario import Objective, Scenario
from sprawlsim.stats.intervals import Estimate

DEFAULT_DEATH_RATIO = 3.0
DEFAULT_POINTS = 25
MOST_DEATH_RATIO = 1000.0
MOST_POINTS = 10_000
MOST_PRICE = 1000.0
"""Completions for one injury, from which on nobody asks."""

SAME_VALUE = 1e-9
"""By how much more than its neighbours' lines a corner must be worth, relative to prices beyond 1."""

LARGE_SECONDS = 120.0
"""A search that takes longer is refused unless the asker insists."""
MOST_ROLLS = 1_000_000
"""Rolls up to which a rule of thumb is evaluated exactly: less than a second."""

LOOK_AT_PRICES = ("cancel-first", "balanced")
"""The rules of thumb that play otherwise where harm has a price."""


class Play(NamedTuple):
    """Best play at a price."""

    price: float
    completed: float
    cost: float
    expected: Expected

    def worth(self, price: float) -> float:
        """Value the same play at another price."""
        return self.completed - price * self.cost


class Corners(NamedTuple):
    """Plays from price 0 on; the prices from which each is the best of them; and what may be missing.

    `gap` bounds what best play at any price is worth beyond these plays, which also bounds the completion
    that the frontier has, at any cost, above the lines joining them.
    """

    plays: list[Play]
    starts: list[float]
    gap: float


def find_corners(play_at: Callable[[float], Play], most: int) -> Corners:
    """Find the corners of the frontier, or the most telling ones.

    Parameters
    ----------
    play_at : callable
        Finds best play at a price; called about once for every corner, and at most twice.
    most : int
        Stop at so many corners, 2 or more.
    """
    first, last = play_at(0.0), play_at(MOST_PRICE)
    plays = [first]
    number = count()  # settles ties, so that plays are never compared
    gaps: list[tuple[float, int, Play, Play]] = []

    def look_between(left: Play, right: Play) -> None:
        heapq.heappush(gaps, (-_gap(left, right), next(number), left, right))

    if first.cost - last.cost > SAME_FIGURE:
        plays.append(last)
        look_between(first, last)
    while gaps and len(plays) < most and -gaps[0][0] > SAME_VALUE:
        _, _, left, right = heapq.heappop(gaps)
        price = _meet(left, right)
        between = play_at(price)
        if between.worth(price) - left.worth(price) > SAME_VALUE * max(1.0, price):
            plays.append(between)
            look_between(left, between)
            look_between(between, right)
    gap = -gaps[0][0] if gaps else 0.0
    return _in_order(plays, gap if gap > SAME_VALUE else 0.0)


def _meet(left: Play, right: Play) -> float:
    """Find the price at which two plays are worth the same; the left one costs more."""
    return (left.completed - right.completed) / (left.cost - right.cost)


def _gap(left: Play, right: Play) -> float:
    """Bound how much more best play may be worth between two prices than the plays found at them.

    The value of best play is convex in the price, so it lies below the chord; nowhere is the chord further
    above both lines than where they meet.
    """
    if left.cost - right.cost <= SAME_FIGURE:
        return 0.0
    price = _meet(left, right)
    if not left.price < price < right.price:
        return 0.0
    share = (price - left.price) / (right.price - left.price)
    chord = (1 - share) * left.worth(left.price) + share * right.worth(right.price)
    return chord - left.worth(price)


def _in_order(plays: list[Play], gap: float) -> Corners:
    """Sort plays by price, and leave out those that are best at a single price only."""
    kept: list[Play] = []
    starts: list[float] = []
    for play in sorted(plays):
        start = 0.0
        while kept:
            if kept[-1].cost - play.cost > SAME_FIGURE:
                start = _meet(kept[-1], play)
                if start > starts[-1] + SAME_FIGURE:
                    break
            kept.pop()
            starts.pop()
            start = 0.0
        kept.append(play)
        starts.append(start)
    return Corners(kept, starts, gap)


def scenario_frontier(
    scenario: Scenario,
    death_ratio: float = DEFAULT_DEATH_RATIO,
    points: int = DEFAULT_POINTS,
    effort: Effort | None = None,
    label: Label | None = None,
) -> Frontier:
    """Find the efficient frontier of a scenario, whose own objective is not used.

    Parameters
    ----------
    scenario : Scenario
    death_ratio : float
        What a death costs, in injuries.
    points : int
        Find at most so many corners.
    effort : Effort, optional
        Of it, seed and threads are for rules of thumb that must be sampled; progress is told how many ways
        to play are done; insist does what takes long, too.
    label : Label, optional

    Raises
    ------
    SprawlsimError
        If a number makes no sense, or the search would take long and is not insisted on.
    """
    effort, label = effort or Effort(), label or Label()
    if not 0.0 <= death_ratio <= MOST_DEATH_RATIO:
        raise SprawlsimError(f"the death ratio must be between 0 and {MOST_DEATH_RATIO:g}, not {death_ratio}")
    if not 2 <= points <= MOST_POINTS:
        raise SprawlsimError(f"points must be between 2 and {MOST_POINTS}, not {points}")
    if not effort.insist:
        _check_work(scenario, points)
    done = count(1)

    def report() -> None:
        if effort.progress is not None:
            now = next(done)
            effort.progress(now, max(now + 1, points + len(POLICIES) + len(LOOK_AT_PRICES)))

    def play_at(price: float) -> Play:
        expected = solve(_priced(scenario, price, death_ratio), figures=False).expected
        report()
        cost = max(0.0, expected.injuries + death_ratio * expected.deaths)
        return Play(price, expected.completed, cost, expected)

    corners = find_corners(play_at, points)
    frontier = Frontier(
        title=label.title,
        team=label.team,
        scenario=msgspec.structs.replace(scenario, objective=Objective()),
        death_ratio=death_ratio,
        points=tuple(_points(corners)),
        gap=corners.gap,
        rules_of_thumb=(),
        card_set=label.card_set,
        seed=effort.seed,
        notes=label.notes,
    )
    rules = []
    for policy, price in _rules_to_ask(frontier.points):
        answer = _play_rule(_priced(scenario, price, death_ratio), policy, effort)
        rules.append(_rule_of_thumb(answer, price, frontier))
        report()
    return replace(frontier, rules_of_thumb=tuple(rules))


def _priced(scenario: Scenario, price: float, death_ratio: float) -> Scenario:
    """Let an injury cost so many completions."""
    objective = Objective(injury=-price, death=-price * death_ratio)
    return msgspec.structs.replace(scenario, objective=objective)


def _check_work(scenario: Scenario, points: int) -> None:
    """Refuse a search that would take long."""
    work = estimate(scenario)
    seconds = work.seconds * points
    if seconds <= LARGE_SECONDS and work.megabytes <= LARGE_MEGABYTES:
        return
    if not np.isfinite(seconds):
        raise SprawlsimError(
            "the frontier is out of reach here: best play at a single price would take very long, or "
            "more memory than there is"
        )
    time = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
    raise SprawlsimError(
        f"the frontier is large here: best play at about {points} prices, each about {work.seconds:.1f} s "
        f"and {work.megabytes:.0f} MB, would take about {time}; ask for fewer points, or --yes (insist) does "
        "it anyway"
    )


def _points(corners: Corners) -> Iterator[Point]:
    """Make points of the corners found."""
    last = corners.plays[-1]
    end = np.inf if last.cost <= SAME_FIGURE else MOST_PRICE
    ranges = pairwise([*corners.starts, float(end)])
    for play, (start, until) in zip(corners.plays, ranges, strict=True):
        told = play.expected
        yield Point(
            price=play.price,
            price_from=start,
            price_to=until,
            completed=told.completed,
            injuries=told.injuries,
            deaths=told.deaths,
            cost=play.cost,
            nuyen=told.nuyen,
            loot=told.loot,
        )


def _rules_to_ask(points: tuple[Point, ...]) -> Iterator[tuple[str, float]]:
    """List the rules of thumb, those that look at prices also at half the price of the last corner."""
    middle = float(f"{points[-1].price_from / 2:.2g}")
    for policy in POLICIES:
        yield policy, 0.0
        if policy in LOOK_AT_PRICES and middle > 0.0:
            yield policy, middle


def _play_rule(scenario: Scenario, policy: str, effort: Effort) -> Answer:
    """Find what a rule of thumb comes to: exactly where that is little work, else by Monte Carlo."""
    figures = evaluate(scenario, policy, MOST_ROLLS)
    if figures is not None:
        return exact_answer(policy, figures, "")
    threads = default_threads() if effort.threads is None else effort.threads
    simulation = Simulation(scenario, policy, effort.seed, threads)
    large = simulation.plays_directly
    play_attempts(simulation, DEFAULT_ATTEMPTS_OF_LARGE_POOLS if large else DEFAULT_ATTEMPTS)
    return sampled_answer(policy, simulation.counts[0], effort.seed, False, "")


def _rule_of_thumb(answer: Answer, price: float, frontier: Frontier) -> RuleOfThumb:
    """Compare a rule of thumb with the frontier.

    At the price at which best play costs as much as the rule, what the rule is worth less than best play is
    the completion it lacks: so the interval of its worth gives that of what it lacks.
    """

    def mean(weights: dict[int, float]) -> Estimate:
        vector = np.zeros(AMOUNTS)
        vector[list(weights)] = list(weights.values())
        return answer.mean_of(vector)

    def amount(weights: dict[int, float]) -> Estimate:
        found = mean(weights)
        return replace(found, low=max(0.0, found.low))  # nobody is hurt, or wins, less than not at all

    ratio = frontier.death_ratio
    cost = amount({INJURIES: 1.0, DEATHS: ratio})
    at = frontier.price_at(cost.estimate)
    worth = mean({COMPLETED: 1.0, INJURIES: -at, DEATHS: -at * ratio})
    best = frontier.value_at(at)
    return RuleOfThumb(
        policy=answer.policy,
        engine=answer.engine,
        price=price,
        attempts=answer.attempts,
        completed=answer.odds_of(answer.record.sums[COMPLETED]),
        injuries=amount({INJURIES: 1.0}),
        deaths=amount({DEATHS: 1.0}),
        cost=cost,
        nuyen=amount({NUYEN: 1.0}),
        loot=amount({LOOT: 1.0}),
        best_completed=frontier.completed_at(cost.estimate),
        short=Estimate(best - worth.estimate, best - worth.high, best - worth.low),
    )
