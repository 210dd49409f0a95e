"""What to add to a team: every legal single addition from the card set, ranked by what it gains.

An addition is worth what best play gains by it, exactly. More is not always better: all dice must be rolled
(M1), and every die can hurt.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sprawlsim.errors import ScenarioError, SprawlsimError, did_you_mean
from sprawlsim.sprawlops.additions import Addition, additions_to
from sprawlsim.sprawlops.api import AnyMission, Cards, Question, ask_about, load_cards
from sprawlsim.sprawlops.cards import StartingRunner, is_invented
from sprawlsim.sprawlops.compare import Way, attempt_key, notes_on_prices, ways_of
from sprawlsim.sprawlops.gains import same_worth
from sprawlsim.sprawlops.improvements import Improvement, Improvements
from sprawlsim.sprawlops.mission.aims import LOOT_PRICE
from sprawlsim.sprawlops.mission.ask import LARGE_MEGABYTES, cost_text
from sprawlsim.sprawlops.mission.exact import Expected, estimate, solve
from sprawlsim.sprawlops.mission.scenario import Scenario
from sprawlsim.sprawlops.mission.setup import find_loot
from sprawlsim.sprawlops.mission.work import Work
from sprawlsim.sprawlops.team import Team

if TYPE_CHECKING:
    from sprawlsim.sprawlops.mission.montecarlo import Progress
    from sprawlsim.sprawlops.mission.scenario import Objective, RulesOptions

LARGE_SECONDS = 180.0
"""Additions that take longer, all of them together, are refused unless the asker insists."""

RANKINGS = ("gain", "price")
"""By the gain itself, or by the gain for each 1K it costs."""

ESTIMATED_AT_LEAST = 24
"""Attempts whose work is estimated, before their mean stands for the others."""

GOLDEN_RATIO = (1.0 + math.sqrt(5.0)) / 2.0


def improve(  # noqa: PLR0913 - keywords that a player may want to change, each alone
    mission: AnyMission | str,
    team: Team | str | None = None,
    *,
    budget: float | None = None,
    by: str = RANKINGS[0],
    top: int | None = None,
    every_place: bool = False,
    cards: Cards | str | Path | None = None,
    tokens: int = 0,
    loot: str | Sequence[str] = (),
    rerolls: int = 0,
    eye: str | Sequence[str] = (),
    aim: str | None = None,
    prices: Mapping[str, float] | None = None,
    objective: Objective | None = None,
    rules: RulesOptions | None = None,
    insist: bool = False,
    progress: Progress | None = None,
) -> Improvements:
    """Rank every legal single addition to a team by what it gains under best play.

    Parameters
    ----------
    mission, team, cards, tokens, loot, rerolls, eye, aim, objective, rules
        As for `mission_odds`. Commlinks without a colour get the best one, anew with each addition.
    budget : float, optional
        K nuyen: leave out what costs more.
    by : {"gain", "price"}
        Rank by the gain, or by the gain for each 1K; what costs nothing and helps comes first then.
    top : int, optional
        Tell no more than so many.
    every_place : bool
        Tell each place of a card, not only the best.
    prices : mapping, optional
        As for `mission_odds`; by default the cards of the team, as it is, set them.
    insist : bool
        Do what takes more than about three minutes, too, instead of refusing it.
    progress : callable, optional
        Told how many attempts are solved, of how many.

    Raises
    ------
    SprawlsimError
        If something asked for does not exist or is against the rules, or it would take long.

    Examples
    --------
    >>> print(improve("errand", "Tamsynn, Steady Samurai", budget=5))
    Errand Job, completes: 61.60% as it is, 87.48% with Leaked Password (5K)
    """
    _check_ranking(budget, by, top)
    cards = cards if isinstance(cards, Cards) else load_cards(cards)
    held = find_loot(cards.card_set, (loot,) if isinstance(loot, str) else tuple(loot))
    question = ask_about(
        mission,
        team,
        cards=cards,
        tokens=tokens,
        loot=loot,
        rerolls=rerolls,
        eye=eye,
        aim=aim,
        prices=prices,
        objective=objective,
        rules=rules,
    )
    additions = [
        addition
        for addition in additions_to(question, tokens, held)
        if budget is None or addition.price <= budget
    ]
    base_ways = ways_of(question.team, question.set_up)
    ways = [_attempts(addition) for addition in additions]
    solved = _Solved((way.scenario for several in (base_ways, *ways) for way in several), insist, progress)
    goes, base = solved.best(base_ways)
    possible = [(addition, several) for addition, several in zip(additions, ways, strict=True) if several]
    improvements = [_improvement(addition, *solved.best(several), base) for addition, several in possible]
    rows = _rank(improvements, [addition.group for addition, _ in possible], by, every_place)
    shown = rows[:top]
    rest = rows[len(shown) :]
    notes = [
        *notes_on_prices(aim, prices, goes.scenario.objective, "the team as it is"),
        *question.notes(goes.team),
        *_notes(question, rows, additions),
        *_note_on_left_out(additions, ways),
    ]
    return Improvements(
        title=question.card.name,
        team=str(goes.team),
        scenario=goes.scenario,
        base=base,
        rows=tuple(shown),
        by=by,
        left_out=(len(rest), sum(row.hurts for row in rest)),
        budget=budget,
        card_set=cards.name,
        notes=tuple(dict.fromkeys(notes)),
    )


def _check_ranking(budget: float | None, by: str, top: int | None) -> None:
    """Refuse a ranking that makes no sense."""
    if by not in RANKINGS:
        known = " and ".join(RANKINGS)
        raise SprawlsimError(f"{by!r} is no ranking; there are {known}{did_you_mean(by, RANKINGS)}")
    if budget is not None and not 0 <= budget < math.inf:
        raise SprawlsimError(f"the budget is {budget}; it must be 0 or more, in K nuyen")
    if top is not None and top < 1:
        raise SprawlsimError(f"top is {top}; it must be 1 or more")


def _attempts(addition: Addition) -> list[Way]:
    """Set up the attempt with an addition in every way; in none where an attempt cannot hold so much."""
    try:
        return ways_of(addition.team, addition.set_up)
    except ScenarioError:
        return []


class _Solved:
    """Best play of many attempts, each different one solved once."""

    def __init__(self, scenarios: Iterable[Scenario], insist: bool, progress: Progress | None) -> None:
        different = {attempt_key(scenario): scenario for scenario in scenarios}
        if not insist:
            _check_work(list(different.values()), progress)
        self._expected: dict[bytes, Expected] = {}
        for done, (key, scenario) in enumerate(different.items(), 1):
            self._expected[key] = solve(scenario, figures=False).expected
            if progress is not None:
                progress(done, len(different))

    def best(self, ways: Sequence[Way]) -> tuple[Way, Expected]:
        """Give the best of several ways, and what it comes to."""
        way = max(ways, key=lambda way: self._expected[attempt_key(way.scenario)].value)
        return way, self._expected[attempt_key(way.scenario)]


def _check_work(scenarios: Sequence[Scenario], progress: Progress | None) -> None:
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
                "a lower --budget leaves some out, and --yes (insist) does it anyway"
            )
        if progress is not None:
            progress(0, len(scenarios))


def _improvement(addition: Addition, way: Way, expected: Expected, base: Expected) -> Improvement:
    """Say what an addition gains."""
    gain = 0.0 if same_worth(expected.value, base.value) else expected.value - base.value
    return Improvement(
        kind=addition.kind,
        name=addition.name,
        onto=addition.onto,
        price=addition.price,
        price_is_invented=addition.price_is_invented,
        team=str(way.team),
        expected=expected,
        gain=gain,
    )


def _rank(
    improvements: Sequence[Improvement], groups: Sequence[str], by: str, every_place: bool
) -> list[Improvement]:
    """Put the best first; of the places of one card the best alone unless every one is wanted."""
    places = Counter(groups)
    pairs = [(replace(row, places=places[at]), at) for row, at in zip(improvements, groups, strict=True)]
    ranked = sorted(pairs, key=lambda pair: _goodness(pair[0], by), reverse=True)
    if every_place:
        return [row for row, _ in ranked]
    best = {group: row for row, group in reversed(ranked)}
    return [row for row, group in ranked if best[group] is row]


def _goodness(row: Improvement, by: str) -> tuple[float, float]:
    """Give what is ranked by; a gain that costs nothing is beyond comparison, and so is a loss."""
    if by == "gain":
        return row.gain, -row.price
    if row.gain_per_k is None:
        return (math.copysign(math.inf, row.gain) if row.gain else 0.0), row.gain
    return row.gain_per_k, row.gain


def _notes(question: Question, rows: Sequence[Improvement], additions: Sequence[Addition]) -> Iterator[str]:
    """Say what a reader must know of the additions."""
    kinds = {row.kind for row in rows}
    if question.team.open_commlinks:
        yield "With each addition, Commlinks without a colour get the best one anew."
    own = [member.runner for member in question.team.members if not member.hired]
    if "starting runner" in kinds and not any(isinstance(runner, StartingRunner) for runner in own):
        yield "The team does not tell which starting set is its player's, so those of every set are listed."
    if "loot" in kinds:
        yield f"A Loot card costs {LOOT_PRICE:g}K at DeGear's Lair, where it is drawn, not chosen."
    if any(addition.card is not None and is_invented(addition.card) for addition in additions):
        yield f"Numbers of the card set {question.cards.name!r} are partly stand-ins, not printed ones."


def _note_on_left_out(additions: Sequence[Addition], ways: Sequence[Sequence[Way]]) -> Iterator[str]:
    """Say what an attempt has no room for, such as an eighteenth die of a colour."""
    names = dict.fromkeys(
        addition.name for addition, several in zip(additions, ways, strict=True) if not several
    )
    if names:
        yield f"Left out, because an attempt here has no room for it: {', '.join(names)}."
