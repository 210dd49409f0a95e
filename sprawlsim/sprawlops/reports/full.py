"""All studies in one report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sprawlsim.errors import SprawlsimError, did_you_mean
from sprawlsim.reports.model import Report, Section
from sprawlsim.sprawlops.api import Cards
from sprawlsim.sprawlops.cards import Deck, is_invented
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.reports.teams import PAYING, ROUNDS, ReferenceTeam, reference_teams
from sprawlsim.version import __version__

if TYPE_CHECKING:
    from sprawlsim.sprawlops.reports.study import Origin

Progress = Callable[[int, int | None], None]
Start = Callable[[str], Progress]
"""Told what begins now; what it gives is told how much of that is done, of how much."""

PARTS = ("missions", "cards", "rules", "strategies", "seats")
"""What a report can be about, in the order of the page; ``rules`` are locations and rules."""
TABLES: dict[str, tuple[str, ...]] = {
    "missions": (
        "missions-ladder",
        "missions-payouts",
        "missions-worth",
        "missions-colours",
        "missions-stages",
        "missions-injuries",
        "missions-teams",
        "missions-odds",
    ),
    "cards": ("cards", "cards-nuyen", "cards-odds", "cards-shares", "cards-shares-missions"),
    "rules": ("rules",),
    "strategies": ("strategies", "strategy-pairs", "strategy-mix"),
    "seats": ("seats", "seat-turns", "first-player", "game-length", "leads"),
}
"""The tables of each part: known before anything is played, so that a misspelled one costs nobody an hour."""

DECKS: tuple[Deck, ...] = ("runners", "gear", "upgrades", "loot", "missions", "final_missions")

GAMES = 12_000
GAMES_WHEN_QUICK = 1_500
"""Games with each card, of each pairing, with each restriction."""
FEW_MISSIONS = 8
"""Cards are tried on one Mission of so many in brief: on middling ones, the large ones take long."""
SHARES = ("cards-shares", "cards-shares-missions")
"""Tables that need no games with cards."""
TEAMS_FROM = 200
"""Games in which reference teams are looked for."""

GUIDE = (
    "Points are percentage points: +5 points make a chance of 25% one of 30%. K are thousands of nuyen. The "
    "range in brackets is a 95% interval: what the figure may really be, as far as this many games can tell.",
    "Resolved is what can hardly be luck, although so many figures are looked at together: in at most one of "
    "20 reports is anything of a section called resolved that is nothing (Holm's correction). What is not "
    "resolved may be nothing, or too little for this many games.",
    "champion, balanced and the other strategies are the program's players: weights of what to buy, where "
    "to go and what to risk, told one by one in docs/strategies.md. What they never do, such as go to a "
    "location, their games cannot judge; people may play otherwise.",
    "A typical team is one that such a player had at the start of that round: without the runners for hire, "
    "DocWagon tokens, Loot, rerolls and perks that players bring to a Final Mission.",
)
"""How to read a report."""


class Plan(NamedTuple):
    """What a report is made of.

    Attributes
    ----------
    cards : Cards
    seed : int
    games : int, optional
        Of each comparison; 12,000, or 1,500 when quick.
    quick : bool
        Fewer games, two reference teams, one Mission in eight for cards, and Final Missions played by rule
        of thumb instead of solved.
    threads : int, optional
        They change no figure.
    """

    cards: Cards
    seed: int = 1
    games: int | None = None
    quick: bool = False
    threads: int | None = None

    @property
    def effort(self) -> int:
        """Games of each comparison."""
        return self.games or (GAMES_WHEN_QUICK if self.quick else GAMES)

    @property
    def is_brief(self) -> bool:
        """Whether cards are tried on few Missions: exact odds need not be better known than wins."""
        return self.quick or self.effort <= GAMES_WHEN_QUICK

    def teams(self) -> list[ReferenceTeam]:
        """Find the reference teams."""
        rounds = ROUNDS[1:3] if self.quick else ROUNDS
        return reference_teams(Batch(seed=self.seed, cards=self.cards.card_set), TEAMS_FROM, rounds)

    def paid_for(self) -> ReferenceTeam:
        """Find the reference team that payouts and cards are judged by."""
        batch = Batch(seed=self.seed, cards=self.cards.card_set)
        return reference_teams(batch, TEAMS_FROM, ROUNDS[PAYING : PAYING + 1])[0]


def check_parts(parts: Sequence[str]) -> None:
    """Refuse a part that no report has.

    Raises
    ------
    SprawlsimError
    """
    for part in parts:
        if part not in PARTS:
            allowed = ", ".join(PARTS)
            raise SprawlsimError(f"{part!r} is no report; there are {allowed}{did_you_mean(part, PARTS)}")


def make_section(plan: Plan, part: str, start: Start | None = None, table: str | None = None) -> Section:
    """Make one part of the report: play, solve, tell.

    Parameters
    ----------
    plan : Plan
    part : str
        One of `PARTS`.
    start : callable, optional
        See `Start`; the part on cards begins several times: with games, Missions, shares.
    table : str, optional
        The only table of it that is wanted: what it does not need may be left out.

    Raises
    ------
    SprawlsimError
        If there is no such part, or the cards do not make a game.
    """
    from sprawlsim.sprawlops.reports.study import Origin, Study

    check_parts([part])
    if part == "cards":
        return _cards(plan, start, table)
    card_set = plan.cards.card_set
    progress = _begin(start, part)
    study = Study(card_set, plan.seed, plan.effort, plan.threads, plan.quick, progress)
    if part == "missions":
        from sprawlsim.sprawlops.reports.mission_section import mission_section
        from sprawlsim.sprawlops.reports.missions import study_missions

        origin = Origin(card_set.name, plan.seed, f"teams of {TEAMS_FROM} games")
        missions = study_missions(
            plan.cards, plan.teams(), quick=plan.quick, threads=plan.threads, progress=progress
        )
        return mission_section(missions, origin)
    if part == "rules":
        from sprawlsim.sprawlops.reports.rule_section import rule_section
        from sprawlsim.sprawlops.reports.rules import study_rules

        return rule_section(study_rules(study))
    if part == "strategies":
        from sprawlsim.sprawlops.reports.strategies import study_strategies
        from sprawlsim.sprawlops.reports.strategy_section import strategy_section

        return strategy_section(study_strategies(study))
    from sprawlsim.sprawlops.reports.seat_section import seat_section
    from sprawlsim.sprawlops.reports.seats import study_seats

    return seat_section(study_seats(study))


def _cards(plan: Plan, start: Start | None, table: str | None) -> Section:
    """Make the part on cards, or as much of it as a table needs: games, Missions, shares of a team."""
    from sprawlsim.sprawlops.reports.card_odds import study_card_odds, with_odds
    from sprawlsim.sprawlops.reports.card_section import card_section
    from sprawlsim.sprawlops.reports.cards import study_cards
    from sprawlsim.sprawlops.reports.study import Origin

    card_set = plan.cards.card_set
    origin = Origin(card_set.name, plan.seed, f"{plan.effort:,} games a comparison")
    if table in SHARES:
        return _with_shares(plan, Section("cards", "Cards"), origin, start)
    cards = study_cards(
        card_set,
        games=plan.effort,
        seed=plan.seed,
        threads=plan.threads,
        progress=_begin(start, "cards: games"),
    )
    if table != "cards-nuyen":
        odds = study_card_odds(
            plan.cards,
            plan.paid_for(),
            missions=card_set.missions[FEW_MISSIONS // 2 :: FEW_MISSIONS] if plan.is_brief else None,
            threads=plan.threads,
            progress=_begin(start, "cards: Missions"),
        )
        cards = with_odds(cards, odds)
    section = card_section(cards, origin)
    return section if table else _with_shares(plan, section, origin, start)


def _with_shares(plan: Plan, section: Section, origin: Origin, start: Start | None) -> Section:
    """Add the shares of a typical team's cards to the part on cards."""
    from sprawlsim.sprawlops.reports.share_section import with_shares
    from sprawlsim.sprawlops.reports.shares import study_shares, typical_team

    team = typical_team(Batch(seed=plan.seed, cards=plan.cards.card_set), TEAMS_FROM)
    shares = study_shares(
        plan.cards,
        team,
        quick=plan.is_brief,
        threads=plan.threads,
        progress=_begin(start, "cards: shares"),
    )
    return with_shares(section, shares, origin._replace(games=f"team of {TEAMS_FROM} games"))


def _begin(start: Start | None, what: str) -> Progress | None:
    """Begin to tell how much is done of something."""
    return None if start is None else start(what)


def report_of(
    sections: Sequence[Section], cards: Cards, seed: int, games: int, *, quick: bool = False, title: str = ""
) -> Report:
    """Put sections under one heading, with what a reader must know of all of them."""
    return Report(
        title=title or "Balance of Shadowrun: Sprawl Ops",
        subtitle="Which cards, Missions, locations and strategies are worth what they ask, by simulated "
        "games and exact odds.",
        sections=sections,
        facts={
            "card set": cards.name,
            "games a comparison": f"{games:,}" + (" (quick)" if quick else ""),
            "seed": str(seed),
            "sprawlsim": __version__,
        },
        caution=caution_of(cards),
        source=f"sprawlsim {__version__}, card set {cards.name}, seed {seed}, {games:,} games a comparison.",
        guide=GUIDE,
    )


def caution_of(cards: Cards) -> str:
    """Say that numbers are stand-ins, if some are."""
    invented = [card for deck in DECKS for card in cards.card_set.deck(deck) if is_invented(card)]
    if not invented:
        return ""
    return (
        f"{len(invented)} cards of the set {cards.name!r} have stand-in numbers, not printed ones: what is "
        "said of them is about the stand-ins. Owners of the game can copy their own box (sprawlsim cards "
        "new)."
    )
