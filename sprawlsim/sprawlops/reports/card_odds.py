"""What cards do for Missions: the same team on the same Missions, with a card and without, exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from sprawlsim.errors import ScenarioError, TeamError
from sprawlsim.sprawlops.additions import additions_to
from sprawlsim.sprawlops.api import Cards, Question, ask_about
from sprawlsim.sprawlops.cards import AnyCard, Gear, Mission, Runner
from sprawlsim.sprawlops.compare import ways_of, work_of
from sprawlsim.sprawlops.gains import same_worth
from sprawlsim.sprawlops.mission.ask import QUICK_MEGABYTES
from sprawlsim.sprawlops.mission.exact import solve
from sprawlsim.sprawlops.mission.scenario import Scenario
from sprawlsim.sprawlops.reports.cards import DECKS
from sprawlsim.sprawlops.reports.missions import over_threads
from sprawlsim.sprawlops.reports.teams import ReferenceTeam
from sprawlsim.sprawlops.solved import different, key_of
from sprawlsim.sprawlops.team import MOST_OWN, Member, Team

if TYPE_CHECKING:
    import pandas as pd

    from sprawlsim.sprawlops.reports.cards import CardReport, Progress

GIVEN, LEFT_OUT, FOURTH, NO_BEARER = "given", "left out", "fourth runner", "nobody can carry it"
"""What is done with a card."""
MOST_SECONDS = 20.0
"""Missions whose attempts take longer, all of one Mission together, are left out."""


@dataclass(frozen=True)
class CardOdds:
    """What cards do for Missions under best play for completing; probabilities in 0..1.

    Attributes
    ----------
    reference : ReferenceTeam
        Who attempts.
    leaver : str or None
        The runner in whose place others come, where the team has four: who has the fewest dice.
    missions, left_out : tuple of str
        The Missions attempted, and those whose attempts are too much work.
    attempts : int
        Different attempts solved.
    pairs : DataFrame
        A row a card and Mission: ``card, mission, how`` (``"given"``; ``"left out"``, where the team has it;
        ``"fourth runner"``; ``"nobody can carry it"``), ``without`` and ``given`` (odds of completing), and
        ``gain``, the difference.
    """

    reference: ReferenceTeam
    leaver: str | None
    missions: tuple[str, ...]
    left_out: tuple[str, ...]
    attempts: int
    pairs: pd.DataFrame

    def by_card(self) -> pd.DataFrame:
        """Sum up, a row a card: ``odds_gain`` (mean over Missions), ``odds_best_mission`` with its gain, how.

        The columns are ``card, odds_how, odds_gain, odds_best_mission, odds_best_gain``; there is no best
        Mission where the card helps none.
        """
        pairs = self.pairs
        best = pairs.loc[pairs.groupby("card")["gain"].idxmax()].set_index("card")
        means = pairs.groupby("card", sort=False)["gain"].mean()
        frame = best.loc[means.index, ["how", "mission", "gain"]].reset_index()
        frame.columns = ["card", "odds_how", "odds_best_mission", "odds_best_gain"]
        frame["odds_best_mission"] = frame["odds_best_mission"].where(frame["odds_best_gain"] > 0, None)
        frame.insert(2, "odds_gain", means.to_numpy())
        return frame


class _Pair(NamedTuple):
    """The attempts at a Mission without a card, and those with it: the best of each counts."""

    card: str
    mission: str
    how: str
    without: list[Scenario]
    given: list[Scenario]


def study_card_odds(
    cards: Cards,
    reference: ReferenceTeam,
    *,
    missions: Sequence[Mission] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> CardOdds:
    """Find what each card adds to the odds of completing Missions, under best play, exactly.

    A card is given to the team; one that it has is left out instead. Gear and Upgrades go to whoever does
    most with them on that Mission. A fifth runner takes the place of the one with fewest dice, and is
    compared with that place empty. Nobody must use a card: one that hurts stays at home.

    Parameters
    ----------
    cards : Cards
    reference : ReferenceTeam
        See `reference_teams`.
    missions : sequence of Mission, optional
        All side Missions when left out.
    threads : int, optional
        Attempts solved at once; they change no figure.
    progress : callable, optional
        Told how many attempts are solved, of how many.
    """
    import pandas as pd

    pairs: list[_Pair] = []
    left_out = []
    for mission in cards.card_set.missions if missions is None else missions:
        of_one = list(_pairs(ask_about(mission, reference.team, cards=cards)))
        work = work_of(_different(of_one).values())
        if work.seconds <= MOST_SECONDS and work.megabytes <= QUICK_MEGABYTES:
            pairs += of_one
        else:
            left_out.append(mission.name)
    attempts = _different(pairs)

    def complete(scenario: Scenario) -> float:
        return solve(scenario, figures=False).expected.completed

    odds = dict(
        zip(attempts, over_threads(complete, list(attempts.values()), threads, progress), strict=True)
    )

    def best(scenarios: list[Scenario]) -> float:
        return max((odds[key_of(scenario)] for scenario in scenarios), default=0.0)

    rows = []
    for pair in pairs:
        without = best(pair.without)
        given = max(without, best(pair.given))
        gain = 0.0 if same_worth(given, without) else given - without
        rows.append((pair.card, pair.mission, pair.how, without, given, gain))
    frame = pd.DataFrame(rows, columns=["card", "mission", "how", "without", "given", "gain"])
    leaver = _leaver(reference.team)
    names = tuple(dict.fromkeys(pair.mission for pair in pairs))
    return CardOdds(
        reference, None if leaver is None else leaver.name, names, tuple(left_out), len(attempts), frame
    )


def with_odds(report: CardReport, odds: CardOdds) -> CardReport:
    """Put what cards do for Missions beside what they do for winning; nothing where no Mission was solved."""
    if not odds.missions:
        return report
    return replace(report, cards=report.cards.merge(odds.by_card(), on="card", how="left"), odds=odds)


def _different(pairs: Sequence[_Pair]) -> dict[bytes, Scenario]:
    """Give each different attempt once."""
    return different(scenario for pair in pairs for scenario in (*pair.without, *pair.given))


def _pairs(question: Question) -> Iterator[_Pair]:
    """Set up a Mission with every card and without."""
    team, leaver = question.team, _leaver(question.team)
    as_it_is = _attempts(question, [team])
    added: dict[str, list[Scenario]] = {}
    for addition in additions_to(question):
        if addition.card is not None:
            attempts = _attempts(replace(question, set_up=addition.set_up), [addition.team])
            added[addition.card.name] = added.get(addition.card.name, []) + attempts
    for card in (card for deck in DECKS for card in question.cards.card_set.deck(deck)):
        told = (card.name, question.card.name)
        if card.name in added:
            yield _Pair(*told, GIVEN, as_it_is, added[card.name])
        elif any(card in member.cards for member in team.members):
            yield _Pair(*told, LEFT_OUT, _attempts(question, _without(team, card)), as_it_is)
        elif isinstance(card, Runner) and leaver is not None:
            base, changed = (_replaced(team, leaver.runner, come) for come in ((), (Member(card),)))
            yield _Pair(*told, FOURTH, _attempts(question, base), _attempts(question, changed))
        else:
            yield _Pair(*told, NO_BEARER, as_it_is, [])


def _attempts(question: Question, teams: Sequence[Team]) -> list[Scenario]:
    """Set up the attempts of teams, in every way to set Commlinks; none where an attempt has no room."""
    attempts: list[Scenario] = []
    for team in teams:
        with suppress(ScenarioError):
            attempts += [way.scenario for way in ways_of(team, question.set_up)]
    return attempts


def _leaver(team: Team) -> Member | None:
    """Choose who makes room for another in a full team: the fewest dice, of equals the last to come."""
    if len(team.members) < MOST_OWN:
        return None
    return min(reversed(team.members), key=lambda member: sum(member.dice.values()))


def _without(team: Team, card: AnyCard) -> list[Team]:
    """Take a card off a team; where several carry one, off each of them in turn."""
    if isinstance(card, Runner):
        return _replaced(team, card)
    teams = []
    for place, member in enumerate(team.members):
        if card in member.cards:
            gear = tuple(other for other in member.gear if other != card)
            upgrades = tuple(other for other in member.upgrades if other != card)
            fewer = replace(member, gear=gear, upgrades=upgrades, commlink=None)
            teams.append(Team((*team.members[:place], fewer, *team.members[place + 1 :])))
    return teams


def _replaced(team: Team, card: AnyCard, come: Sequence[Member] = ()) -> list[Team]:
    """Let others come instead of a runner, who takes the Upgrades along; the Gear stays with the team."""
    members = [*(member for member in team.members if member.runner != card), *come]
    for gear in (gear for member in team.members if member.runner == card for gear in member.gear):
        _hand_over(members, gear)
    return [Team(tuple(members))] if members else []


def _hand_over(members: list[Member], gear: Gear) -> None:
    """Give Gear to whoever may carry it and has most dice of its colours; to nobody if none may."""
    able = []
    for place, member in enumerate(members):
        with suppress(TeamError):
            able.append((place, replace(member, gear=(*member.gear, gear))))
    if able:
        place, member = max(able, key=lambda pair: sum(members[pair[0]].dice.get(r, 0) for r in gear.dice))
        members[place] = member
