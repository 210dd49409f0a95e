"""What to add to a team: every legal single addition from the card set, ranked by what it gains.

An addition is worth what best play gains by it, exactly. More is not always better: all dice must be rolled
(M1), and every die can hurt.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sprawlsim.errors import ScenarioError, SprawlsimError, did_you_mean
from sprawlsim.sprawlops.additions import Addition, additions_to
from sprawlsim.sprawlops.api import AnyMission, Cards, Question, ask_about, load_cards
from sprawlsim.sprawlops.cards import StartingRunner, is_invented
from sprawlsim.sprawlops.compare import (
    EXPECTATIONS,
    Way,
    html_table,
    notes_on_prices,
    objective_weights,
    same_worth,
    ways_of,
)
from sprawlsim.sprawlops.gains import (
    Bar,
    change_text,
    draw_gains,
    is_chance,
    worth_heading,
    worth_text,
)
from sprawlsim.sprawlops.mission.aims import LOOT_PRICE
from sprawlsim.sprawlops.mission.ask import BEST, LARGE_MEGABYTES, cost_text
from sprawlsim.sprawlops.mission.exact import Expected, estimate, solve
from sprawlsim.sprawlops.mission.scenario import Scenario
from sprawlsim.sprawlops.mission.setup import find_loot
from sprawlsim.sprawlops.mission.work import Work
from sprawlsim.sprawlops.team import Team
from sprawlsim.version import __version__

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from sprawlsim.sprawlops.mission.montecarlo import Progress
    from sprawlsim.sprawlops.mission.scenario import Objective, RulesOptions

SCHEMA = 1

LARGE_SECONDS = 180.0
"""Additions that take longer, all of them together, are refused unless the asker insists."""

RANKINGS = ("gain", "price")
"""By the gain itself, or by the gain for each 1K it costs."""

MOST_BARS = 25

ESTIMATED_AT_LEAST = 24
"""Attempts whose work is estimated, before their mean stands for the others."""

GOLDEN_RATIO = (1.0 + math.sqrt(5.0)) / 2.0


@dataclass(frozen=True)
class Improvement:
    """An addition, and what it comes to under best play.

    Attributes
    ----------
    kind, name, onto, price, price_is_invented
        As those of an `Addition`.
    team : str
        The team with it, as it goes.
    expected : Expected
        What the attempt comes to with it.
    gain : float
        How much more that is worth; 0.0 where the difference is no more than rounding.
    places : int
        In how many ways it can be placed, this one included.
    """

    kind: str
    name: str
    onto: str
    price: float
    price_is_invented: bool
    team: str
    expected: Expected
    gain: float
    places: int = 1

    @property
    def hurts(self) -> bool:
        """Whether the team is better off without it."""
        return self.gain < 0.0

    @property
    def gain_per_k(self) -> float | None:
        """The gain for each 1K nuyen; None where it costs nothing."""
        return self.gain / self.price if self.price else None

    @property
    def price_text(self) -> str:
        """The price in writing."""
        return f"{self.price:g}K" if self.price else "free"

    def record(self) -> dict[str, Any]:
        """Give it as a flat record."""
        return {
            "addition": self.name,
            "kind": self.kind,
            "onto": self.onto or None,
            "price": self.price,
            "stand_in_price": self.price_is_invented,
            "objective_value": self.expected.value,
            **{key: getattr(self.expected, key) for key in EXPECTATIONS},
            "gain": self.gain,
            "gain_per_k": self.gain_per_k,
            "hurts": self.hurts,
            "places": self.places,
            "team": self.team,
        }


@dataclass(frozen=True)
class Improvements:
    """Additions to a team, ranked by what each gains under best play. Every figure is exact.

    Attributes
    ----------
    title, team : str
        The Mission, and the team as it would go without an addition.
    scenario : Scenario
        Its attempt.
    base : Expected
        What that comes to.
    rows : tuple of Improvement
        The best first.
    by : {"gain", "price"}
        How they are ranked.
    left_out : tuple of int
        How many additions were ranked below, and how many of these hurt.
    budget : float or None
        Additions that cost more were not looked at.
    card_set : str
        Name of the card set.
    notes : tuple of str
        What a reader must know.
    """

    title: str
    team: str
    scenario: Scenario
    base: Expected
    rows: tuple[Improvement, ...]
    by: str
    left_out: tuple[int, int]
    budget: float | None
    card_set: str
    notes: tuple[str, ...] = ()
    version: str = __version__

    def frame(self) -> pd.DataFrame:
        """Give the additions as a frame, a row each."""
        import pandas as pd

        return pd.DataFrame([row.record() for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain data, the same as ``--format json`` prints."""
        base = {"objective_value": self.base.value, **{key: getattr(self.base, key) for key in EXPECTATIONS}}
        return {
            "schema": SCHEMA,
            "engine": "exact",
            "policy": BEST,
            "card_set": self.card_set,
            "version": self.version,
            "mission": self.title,
            "team": self.team,
            "objective": objective_weights(self.scenario.objective),
            "base": base,
            "by": self.by,
            "budget": self.budget,
            "left_out": self.left_out[0],
            "additions": [row.record() for row in self.rows],
            "notes": list(self.notes),
        }

    def plot(self) -> Figure:
        """Draw the gains; of very many, what hurts and else what makes the most difference."""
        chance = is_chance(self.scenario.objective)
        telling = sorted(self.rows, key=lambda row: (not row.hurts, -abs(row.gain)))[:MOST_BARS]
        bars = [
            Bar(f"{row.name}, {row.onto}" if row.onto else row.name, row.gain, row.price_text)
            for row in self.rows
            if row in telling
        ]
        title = f"{self.title}: what one addition gains, from {worth_text(self.base.value, chance)}"
        told = f"the {len(bars)} most telling of {len(self.rows)}; " if len(bars) < len(self.rows) else ""
        subtitle = f"{self.team}; {told}best play, exact; card set {self.card_set}"
        return draw_gains(title, subtitle, bars, chance)

    def _repr_html_(self) -> str:
        """Show the additions as a table in Jupyter."""
        chance = is_chance(self.scenario.objective)
        told = worth_heading(self.scenario.objective)
        rows = [["addition", "onto", "price (K)", told, "gain", "per 1K", ""]]
        for row in self.rows:
            per_k = "" if row.gain_per_k is None else change_text(row.gain_per_k, chance)
            after = worth_text(row.expected.value, chance)
            cells = [row.name, row.onto, f"{row.price:g}", after, change_text(row.gain, chance), per_k]
            rows.append([*cells, "hurts" if row.hurts else ""])
        return html_table(str(self), rows, self.notes)

    def __str__(self) -> str:
        chance = is_chance(self.scenario.objective)
        told = f"{self.title}, {worth_heading(self.scenario.objective)}: "
        told += f"{worth_text(self.base.value, chance)} as it is"
        if not self.rows or self.rows[0].gain <= 0.0:
            return f"{told}; no addition helps"
        first = self.rows[0]
        onto = f" on {first.onto}" if first.onto else ""
        after = worth_text(first.expected.value, chance)
        return f"{told}, {after} with {first.name}{onto} ({first.price_text})"


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
        different = {_key(scenario): scenario for scenario in scenarios}
        if not insist:
            _check_work(list(different.values()), progress)
        self._expected: dict[bytes, Expected] = {}
        for done, (key, scenario) in enumerate(different.items(), 1):
            self._expected[key] = solve(scenario, figures=False).expected
            if progress is not None:
                progress(done, len(different))

    def best(self, ways: Sequence[Way]) -> tuple[Way, Expected]:
        """Give the best of several ways, and what it comes to."""
        way = max(ways, key=lambda way: self._expected[_key(way.scenario)].value)
        return way, self._expected[_key(way.scenario)]


def _key(scenario: Scenario) -> bytes:
    """Give all that matters of an attempt: many a card has the same dice as another."""
    return bytes(scenario.arrays().tobytes())


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
