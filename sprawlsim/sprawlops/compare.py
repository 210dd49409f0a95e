"""Teams side by side: exact odds of best play for each on the same Mission, and what they differ by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any, NamedTuple

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.api import AnyMission, Cards, Question, ask_about, load_cards
from sprawlsim.sprawlops.gains import (
    EXPECTATIONS,
    Bar,
    change_text,
    draw_gains,
    html_table,
    is_chance,
    objective_weights,
    same_worth,
    worth_heading,
    worth_text,
)
from sprawlsim.sprawlops.mission.aims import PRICES
from sprawlsim.sprawlops.mission.answer import exact_answer
from sprawlsim.sprawlops.mission.ask import BEST, QUICK_MEGABYTES, QUICK_SECONDS, cost_text
from sprawlsim.sprawlops.mission.exact import Expected, estimate, solve
from sprawlsim.sprawlops.mission.odds import Label, Odds
from sprawlsim.sprawlops.mission.scenario import Objective, Scenario
from sprawlsim.sprawlops.mission.work import Work
from sprawlsim.sprawlops.team import Team
from sprawlsim.version import __version__

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from sprawlsim.sprawlops.mission.montecarlo import Progress
    from sprawlsim.sprawlops.mission.scenario import RulesOptions

SCHEMA = 1


class Way(NamedTuple):
    """A team whose Commlinks all have a colour, and its attempt."""

    team: Team
    scenario: Scenario


def ways_of(team: Team, set_up: Callable[[Team], Scenario]) -> list[Way]:
    """Set up a team's attempt, once for every way to set the Commlinks that have no colour."""
    return [Way(way, set_up(way)) for way in team.with_commlinks_set()]


def attempt_key(scenario: Scenario) -> bytes:
    """Give all that matters of an attempt: many a card has the same dice as another."""
    return bytes(scenario.arrays().tobytes())


def work_of(scenarios: Iterable[Scenario]) -> Work:
    """Estimate the work of solving these, one after the other."""
    works = [estimate(scenario) for scenario in scenarios]
    return Work(sum(work.seconds for work in works), max((work.megabytes for work in works), default=0.0))


def notes_on_prices(
    aim: str | None, prices: Mapping[str, float] | None, objective: Objective, whose: str
) -> Iterable[str]:
    """Say whose cards set the prices of harm, where it was not said what harm costs."""
    if aim == "nuyen" and set(PRICES) - set(prices or {}):
        yield (
            f"Harm is priced throughout by the cards of {whose}: an injury {abs(objective.injury):g}K, "
            f"a death {abs(objective.death):g}K, and a Loot card {objective.loot:g}K."
        )


@dataclass(frozen=True)
class Compared:
    """One team of a comparison.

    Attributes
    ----------
    label : str
        ``"A"``, ``"B"``...
    odds : Odds
        Of best play, exact; without the rules of thumb beside.
    expected : Expected
        The same in expectations.
    best : bool
        Whether no other team is worth more.
    """

    label: str
    odds: Odds
    expected: Expected
    best: bool

    @property
    def team(self) -> str:
        """The team as it goes, every Commlink with its colour."""
        return self.odds.team

    @property
    def value(self) -> float:
        """Expected value of the objective."""
        return self.expected.value

    def figures(self) -> dict[str, float]:
        """Give all that is compared by name; chances in 0..1, nuyen in K, Loot in cards, harm in runners."""
        told = {"objective_value": self.value, **{key: getattr(self.expected, key) for key in EXPECTATIONS}}
        for i, stage in enumerate(self.odds.stages, 1):
            told[f"stage_{i}_reached"] = stage.reached.estimate
            told[f"stage_{i}_cleared"] = stage.cleared.estimate
        return told


@dataclass(frozen=True)
class Comparison:
    """Teams on the same Mission, with the same things in hand, all of them playing as well as can be.

    Every figure is exact, and so is every difference.

    Attributes
    ----------
    title : str
        The Mission.
    rows : tuple of Compared
        A team each, in the order asked about; differences are to the first.
    objective : Objective
        What best play wants.
    card_set : str
        Name of the card set.
    notes : tuple of str
        What a reader must know.
    """

    title: str
    rows: tuple[Compared, ...]
    objective: Objective
    card_set: str
    notes: tuple[str, ...] = ()
    version: str = __version__

    def differences(self, row: Compared) -> dict[str, float]:
        """Give what a team has more than the first, by name as in `Compared.figures`."""
        first = self.rows[0].figures()
        return {key: value - first[key] for key, value in row.figures().items()}

    def frame(self) -> pd.DataFrame:
        """Give all figures as a frame, a row a team; differences to the first end in ``_difference``."""
        import pandas as pd

        return pd.DataFrame(list(self.records()))

    def records(self) -> Iterable[dict[str, Any]]:
        """Go through the teams as flat records of the same keys."""
        for row in self.rows:
            told = {"label": row.label, "team": row.team, "best": row.best, **row.figures()}
            yield told | {f"{key}_difference": value for key, value in self.differences(row).items()}

    def to_dict(self) -> dict[str, Any]:
        """Give the comparison as plain data, the same as ``--format json`` prints."""
        return {
            "schema": SCHEMA,
            "engine": "exact",
            "policy": BEST,
            "card_set": self.card_set,
            "version": self.version,
            "mission": self.title,
            "objective": objective_weights(self.objective),
            "teams": [
                {
                    "label": row.label,
                    "team": row.team,
                    "best": row.best,
                    **_nested(row.figures()),
                    "differences": _nested(self.differences(row)),
                }
                for row in self.rows
            ],
            "notes": list(self.notes),
        }

    def plot(self) -> Figure:
        """Draw what each team is worth more, or less, than the first."""
        chance = is_chance(self.objective)
        bars = []
        for row in self.rows[1:]:
            gain = 0.0 if same_worth(row.value, self.rows[0].value) else row.value - self.rows[0].value
            bars.append(Bar(f"{row.label}: {row.team}", gain, worth_text(row.value, chance)))
        first = self.rows[0]
        title = f"{self.title}: teams beside A, {worth_text(first.value, chance)}"
        return draw_gains(title, f"A: {first.team}; best play, exact; card set {self.card_set}", bars, chance)

    def _repr_html_(self) -> str:
        """Show the teams as a table in Jupyter."""
        chance = is_chance(self.objective)
        rows = [["", "team", worth_heading(self.objective), "change", *EXPECTATIONS]]
        for row in self.rows:
            change = change_text(self.differences(row)["objective_value"], chance)
            label = f"{row.label}, best" if row.best else row.label
            cells = [label, row.team, worth_text(row.value, chance), change]
            cells += [worth_text(getattr(row.expected, key), key == "completed") for key in EXPECTATIONS]
            rows.append(cells)
        return html_table(str(self), rows, self.notes)

    def __str__(self) -> str:
        chance = is_chance(self.objective)
        told = [
            f"{row.label} {worth_text(row.value, chance)}{' (best)' if row.best else ''}" for row in self.rows
        ]
        return f"{self.title}, {worth_heading(self.objective)}: {', '.join(told)}"


def _nested(figures: dict[str, float]) -> dict[str, Any]:
    """Put the figures of the Stages into a list of their own."""
    plain: dict[str, Any] = {key: value for key, value in figures.items() if not key.startswith("stage_")}
    stages = sum(key.startswith("stage_") for key in figures) // 2
    plain["stages"] = [
        {key: figures[f"stage_{i}_{key}"] for key in ("reached", "cleared")} for i in range(1, stages + 1)
    ]
    return plain


def compare(  # noqa: PLR0913 - keywords that a player may want to change, each alone
    mission: AnyMission | str,
    teams: Sequence[Team | str | None],
    *,
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
) -> Comparison:
    """Compare teams by their exact odds of best play on a Mission.

    Parameters
    ----------
    mission, cards, tokens, loot, rerolls, eye, aim, objective, rules
        As for `mission_odds`; the same for every team.
    teams : sequence of Team, str or None
        Two or more; None is the starting team. A Commlink without a colour gets the best one.
    prices : mapping, optional
        As for `mission_odds`; by default the cards of the first team set them, for every team.
    insist : bool
        Solve teams that take more than a few seconds, too, instead of refusing them.
    progress : callable, optional
        Told how many teams are done, of how many.

    Raises
    ------
    SprawlsimError
        If something asked for does not exist or is against the rules, or a team is large.

    Examples
    --------
    >>> teams = compare("errand", ["Tamsynn, Steady Samurai", "Tamsynn + Datajack, Steady Samurai"])
    >>> print(teams)
    Errand Job, completes: A 61.60%, B 68.36% (best)
    """
    if isinstance(teams, str | Team) or not 2 <= len(teams) <= len(ascii_uppercase):
        raise SprawlsimError(f"compare takes a list of 2 to {len(ascii_uppercase)} teams")
    ask = partial(
        ask_about,
        mission,
        cards=cards if isinstance(cards, Cards) else load_cards(cards),
        tokens=tokens,
        loot=loot,
        rerolls=rerolls,
        eye=eye,
        rules=rules,
    )
    first = ask(teams[0], aim=aim, prices=prices, objective=objective)
    wanted = first.scenario().objective
    questions = [first, *(ask(team, objective=wanted) for team in teams[1:])]
    ways = [ways_of(question.team, question.set_up) for question in questions]
    if not insist:
        _check_work(ways)
    solved = []
    for question, team_ways in zip(questions, ways, strict=True):
        solved.append(_solve(question, team_ways))
        if progress is not None:
            progress(len(solved), len(questions))
    most = max(expected.value for _, expected in solved)
    rows = tuple(
        Compared(label, odds, expected, same_worth(expected.value, most))
        for label, (odds, expected) in zip(ascii_uppercase, solved, strict=False)
    )
    notes = [*notes_on_prices(aim, prices, wanted, "team A"), *_notes(rows)]
    return Comparison(first.card.name, rows, wanted, first.cards.name, tuple(notes))


def _check_work(ways: Sequence[Sequence[Way]]) -> None:
    """Refuse a team that would take long."""
    for label, team_ways in zip(ascii_uppercase, ways, strict=False):
        work = work_of(way.scenario for way in team_ways)
        if work.seconds > QUICK_SECONDS or work.megabytes > QUICK_MEGABYTES:
            many = f", with {len(team_ways)} ways to set its Commlinks," if len(team_ways) > 1 else ""
            raise SprawlsimError(
                f"team {label}{many} is too large for a quick exact answer: it {cost_text(work)}; "
                "--yes (insist) does it anyway"
            )


def _solve(question: Question, ways: Sequence[Way]) -> tuple[Odds, Expected]:
    """Find best play of a team, with its Commlinks set best."""
    way = ways[0]
    if len(ways) > 1:
        way = max(ways, key=lambda way: solve(way.scenario, figures=False).value)
    solution = solve(way.scenario)
    label = Label(question.card.name, str(way.team), question.cards.name, tuple(question.notes(way.team)))
    return exact_answer(BEST, solution.figures(), "").odds(way.scenario, label), solution.expected


def _notes(rows: Sequence[Compared]) -> Iterable[str]:
    """Collect the teams' notes: what is true of some teams only says of which."""
    common = [note for note in rows[0].odds.notes if all(note in row.odds.notes for row in rows)]
    for row in rows:
        yield from (f"Team {row.label}: {note}" for note in row.odds.notes if note not in common)
    yield from common
