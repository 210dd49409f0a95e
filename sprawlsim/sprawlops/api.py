"""The front door: card sets, teams, Missions and their odds, as Python and Jupyter use them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.cards import (
    AnyCard,
    CardSet,
    Deck,
    FinalMission,
    Mission,
    Task,
    find_card,
    is_invented,
    load_card_set,
)
from sprawlsim.sprawlops.roles import ROLE_LABELS
from sprawlsim.sprawlops.team import Team, parse_team, starting_team

if TYPE_CHECKING:
    import pandas as pd

    from sprawlsim.sprawlops.mission.ask import Effort
    from sprawlsim.sprawlops.mission.frontier import Frontier
    from sprawlsim.sprawlops.mission.montecarlo import Progress
    from sprawlsim.sprawlops.mission.odds import Odds
    from sprawlsim.sprawlops.mission.scenario import Objective, RulesOptions, Scenario

AnyMission = Mission | FinalMission | Task


@dataclass(frozen=True)
class Cards:
    """A card set with the questions asked of it; made by `load_cards`.

    Attributes
    ----------
    card_set : CardSet
        The decks.
    """

    card_set: CardSet

    @property
    def name(self) -> str:
        """Name of the card set, changes included."""
        return self.card_set.name

    def find(self, name: str, *decks: Deck) -> AnyCard:
        """Find a card by its name, the beginnings of its words, or a part.

        Raises
        ------
        UnknownNameError
            If no card bears the name, or several could be meant.
        """
        return find_card(self.card_set, name, *decks)

    def mission(self, name: str) -> AnyMission:
        """Find a Mission, Final Mission or Task."""
        card = self.find(name, "missions", "final_missions", "tasks")
        assert isinstance(card, Mission | FinalMission | Task)
        return card

    def team(self, text: str | None = None) -> Team:
        """Read a team: ``"Tamsynn + Datajack, Lazar + Commlink(rigger)"``; None is the starting team.

        Raises
        ------
        TeamError, UnknownNameError
            If a rule of equipping is broken, or a name means no card.
        """
        return starting_team(self.card_set) if text is None else parse_team(self.card_set, text)

    def frame(self, deck: Deck) -> pd.DataFrame:
        """Give the cards of a deck as a frame, a row a card."""
        import msgspec
        import pandas as pd

        return pd.DataFrame([msgspec.to_builtins(card) for card in self.card_set.deck(deck)])


def load_cards(where: str | Path | None = None, changes: Iterable[str] = ()) -> Cards:
    """Load a card set.

    Parameters
    ----------
    where : str or Path, optional
        A directory, or a shipped set's name; else ``$SPRAWLSIM_CARDS``, else ``stand-in``.
    changes : iterable of str
        Changes for this run, such as ``"Renraku Tsurugi Cyberdeck.dice.decker=3"``.

    Raises
    ------
    CardError
        Naming file, card, key and what is allowed.

    Examples
    --------
    >>> cards = load_cards()
    >>> cards.mission("make some noise").stages[0].icons
    {'mage': 3}
    """
    return Cards(load_card_set(where, list(changes)))


@dataclass(frozen=True)
class Question:
    """A Mission, and a team about to attempt it; made by `ask_about`.

    Attributes
    ----------
    cards : Cards
    card : Mission, FinalMission or Task
    team : Team
        As asked about: its Commlinks may still have no colour.
    set_up : callable
        Sets up the attempt by a team whose Commlinks all have one.
    """

    cards: Cards
    card: AnyMission
    team: Team
    set_up: Callable[[Team], Scenario]

    def scenario(self) -> Scenario:
        """Set up the attempt, with any legal colour where a Commlink has none."""
        return self.set_up(self.team.with_commlinks_set()[0])

    def notes(self, team: Team) -> Iterable[str]:
        """Say what a reader must know about the numbers, where this team goes."""
        return _notes(self.cards, self.card, self.team, team)

    def odds(self, policy: str, effort: Effort) -> Odds:
        """Choose the Commlinks' colours and find the odds."""
        from sprawlsim.sprawlops.mission.ask import best_commlinks, scenario_odds
        from sprawlsim.sprawlops.mission.odds import Label

        team = best_commlinks(self.team, self.set_up, policy, effort)
        label = Label(self.card.name, str(team), self.cards.name, tuple(self.notes(team)))
        return scenario_odds(self.set_up(team), policy, effort, label)

    def frontier(self, death_ratio: float, points: int, effort: Effort) -> Frontier:
        """Choose the Commlinks' colours, for completion alone, and find the efficient frontier."""
        from sprawlsim.sprawlops.mission.ask import BEST, best_commlinks
        from sprawlsim.sprawlops.mission.frontier_search import scenario_frontier
        from sprawlsim.sprawlops.mission.odds import Label

        team = best_commlinks(self.team, self.set_up, BEST, effort)
        notes = list(self.notes(team))
        if team != self.team:
            notes.insert(0, "Commlinks were set for completion alone, whatever the price of an injury.")
        label = Label(self.card.name, str(team), self.cards.name, tuple(notes))
        return scenario_frontier(self.set_up(team), death_ratio, points, effort, label)


def ask_about(  # noqa: PLR0913 - keywords that a player may want to change, each alone
    mission: AnyMission | str,
    team: Team | str | None = None,
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
) -> Question:
    """Look up what a Mission attempt consists of, and check it; the parameters are those of `mission_odds`.

    Raises
    ------
    SprawlsimError
        If something asked for does not exist or is against the rules.
    """
    from sprawlsim.sprawlops.mission.aims import objective_for
    from sprawlsim.sprawlops.mission.setup import find_loot, set_up_attempt

    cards = cards if isinstance(cards, Cards) else load_cards(cards)
    card = cards.mission(mission) if isinstance(mission, str) else mission
    if not isinstance(card, Mission | FinalMission | Task):
        raise SprawlsimError(f"a Mission is a card or a name, not {card!r}")
    whole_team = cards.team(team) if team is None or isinstance(team, str) else team
    if not isinstance(whole_team, Team):
        raise SprawlsimError(f"a team is a Team or a text, not {whole_team!r}")
    _check_origin(cards, card, whole_team)
    held = find_loot(cards.card_set, _names(loot))
    if aim is not None and objective is not None:
        raise SprawlsimError("give an aim or an objective, not both")
    if aim is None and prices:
        raise SprawlsimError("prices are for the aim nuyen; name it")
    if aim is not None:
        objective = objective_for(aim, whole_team, prices)
        if aim == "payout" and not _pays(card):
            raise SprawlsimError(f"{card.name} pays no nuyen; there is no payout to win")
    set_up = partial(
        set_up_attempt,
        card,
        tokens=tokens,
        loot=held,
        rerolls=rerolls,
        eye=_names(eye),
        objective=objective,
        rules=rules,
    )
    question = Question(cards, card, whole_team, set_up)
    question.scenario()
    return question


def _check_origin(cards: Cards, card: AnyMission, team: Team) -> None:
    """Refuse cards of another set: their answer would bear the wrong set's name, and notes."""
    known = [other for _, other in cards.card_set.pairs()]
    for part in (card, *(part for member in team.members for part in member.cards)):
        if part not in known:
            raise SprawlsimError(
                f"{part.name} is not a card of the set {cards.name!r}; say which set it is from with cards="
            )


def _pays(card: AnyMission) -> bool:
    """Say whether there is nuyen to win."""
    return bool(getattr(card, "payout", 0)) or any(getattr(stage, "payout", 0) for stage in card.stages)


def _names(names: str | Sequence[str]) -> tuple[str, ...]:
    """Take one name for a list of one: a text would otherwise be read letter by letter."""
    return (names,) if isinstance(names, str) else tuple(names)


def mission_odds(  # noqa: PLR0913 - keywords that a player may want to change, each alone
    mission: AnyMission | str,
    team: Team | str | None = None,
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
    policy: str = "best",
    engine: str | None = None,
    insist: bool = False,
    attempts: int | None = None,
    precision: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Odds:
    """Find the odds of a Mission under best play, or under a rule of thumb.

    They are exact where that takes a few seconds; else the Mission is played many times. Where best play is
    too much work, the rule of thumb ``balanced`` plays instead, and the answer says so.

    Parameters
    ----------
    mission : Mission, FinalMission, Task or str
    team : Team or str, optional
        The starting team when None. A Commlink without a colour gets the best one.
    cards : Cards, str or Path, optional
        Where names are looked up, or what `load_cards` takes; the default set when None.
    tokens : int
        DocWagon tokens in hand.
    loot : str or sequence of str
        Names of Loot cards in hand.
    rerolls : int
        Free rerolls (the Face at Mr. Johnson). Bodyguard Work brings its own.
    eye : str or sequence of str
        Perks of the Eye of the Needle: ``"samurai"``, ``"decker"``, ``"rigger"``.
    aim : str, optional
        What best play wants: ``"complete"`` (the default), ``"nuyen"``, ``"payout"`` or ``"safe"``.
    prices : mapping, optional
        For the aim ``"nuyen"``: K nuyen of an ``"injury"``, a ``"death"``, a ``"loot"`` card; by default the
        cards of the team set them.
    objective : Objective, optional
        What an attempt is worth by weights, instead of an aim.
    rules : RulesOptions, optional
        Readings of the rules; the usual ones when None.
    policy : str
        ``"best"``, ``"balanced"``, ``"icons-first"`` or ``"cancel-first"``; see docs/policies.md.
    engine : str, optional
        ``"exact"`` or ``"montecarlo"``; chosen by the work it takes when None.
    insist : bool
        Do what takes long or much memory, too, instead of refusing it.
    attempts : int, optional
        Play exactly so many, by Monte Carlo; by default 1,000,000, or 200,000 where the dice pool is large.
    precision : float, optional
        Play until completion is known to plus or minus this, in 0..1, instead.
    seed : int
        The same seed gives the same dice, so that variants are compared on equal terms.
    threads : int, optional
        Threads to use; they change no result.
    progress : callable, optional
        Told, often, how many attempts are played, of how many (None where a precision is wanted).

    Returns
    -------
    Odds

    Raises
    ------
    SprawlsimError
        If something asked for does not exist or is against the rules.

    Examples
    --------
    >>> odds = mission_odds("errand")
    >>> odds.policy, odds.engine
    ('best', 'exact')
    """
    from sprawlsim.sprawlops.mission.ask import Effort

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
    return question.odds(policy, Effort(attempts, precision, seed, threads, progress, engine, insist))


def frontier(  # noqa: PLR0913 - keywords that a player may want to change, each alone
    mission: AnyMission | str,
    team: Team | str | None = None,
    *,
    cards: Cards | str | Path | None = None,
    tokens: int = 0,
    loot: str | Sequence[str] = (),
    rerolls: int = 0,
    eye: str | Sequence[str] = (),
    rules: RulesOptions | None = None,
    death_ratio: float = 3.0,
    points: int = 25,
    insist: bool = False,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Frontier:
    """Find how much completion costs: the efficient frontier of completion against injuries and deaths.

    Parameters
    ----------
    mission, team, cards, tokens, loot, rerolls, eye, rules, insist, seed, threads
        As for `mission_odds`; seed and threads are for rules of thumb that must be sampled.
    death_ratio : float
        What a death costs, in injuries.
    points : int
        Find at most so many corners, the most telling first.
    progress : callable, optional
        Told how many ways to play are done, of about how many.

    Raises
    ------
    SprawlsimError
        If something asked for does not exist or is against the rules, or the search would take minutes.

    Examples
    --------
    >>> found = frontier("errand")
    >>> found.points[0].price_from, found.points[-1].completed
    (0.0, 0.0)
    """
    from sprawlsim.sprawlops.mission.ask import Effort

    question = ask_about(
        mission, team, cards=cards, tokens=tokens, loot=loot, rerolls=rerolls, eye=eye, rules=rules
    )
    effort = Effort(seed=seed, threads=threads, progress=progress, insist=insist)
    return question.frontier(death_ratio, points, effort)


def _notes(cards: Cards, card: AnyMission, asked: Team, played: Team) -> Iterable[str]:
    """Say what a reader must know about the numbers."""
    for before, after in zip(asked.members, played.members, strict=True):
        if after.commlink is not None and before.commlink is None:
            colour = ROLE_LABELS[after.commlink]
            yield f"{after.name}'s Commlink was set to {colour}, the best for this question."
    if isinstance(card, Task) and card.loot_draw:
        yield f"{card.name} may pay a Loot card instead of {card.payout}K; the figures count the nuyen."
    unknown = [
        i
        for i, stage in enumerate(card.stages, 1)
        if getattr(stage, "source", None) == "stand-in" and card.source == "rulebook"
    ]
    for i in unknown:
        yield f"Stage {i} of {card.name} is not known from the rulebook; a stand-in fills it."
    used = [card, *(part for member in played.members for part in member.cards)]
    if any(is_invented(part) for part in used):
        yield f"Numbers of the card set {cards.name!r} are partly stand-ins, not printed ones."
