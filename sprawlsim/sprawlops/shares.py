"""How much of a team's odds is due to each of its cards: exact Shapley shares.

The cards are the players of a cooperative game. What some of them are worth is what best play comes to with
the team that they make, exactly; every combination is solved. A card's share is what it adds on average, over
all orders in which the cards could join. Shares add up to what the whole team comes to, equal cards have
equal shares, and a card that never matters has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.api import AnyMission, Cards, Question, ask_about, load_cards
from sprawlsim.sprawlops.cards import Loot
from sprawlsim.sprawlops.coalitions import CardInUse, cards_in_use, teams_of
from sprawlsim.sprawlops.compare import notes_on_prices, ways_of
from sprawlsim.sprawlops.gains import same_worth
from sprawlsim.sprawlops.mission.aims import LOOT_PRICE
from sprawlsim.sprawlops.mission.scenario import Scenario
from sprawlsim.sprawlops.mission.setup import find_loot
from sprawlsim.sprawlops.share_results import CardShare, Shares
from sprawlsim.sprawlops.solved import key_of, solve_each
from sprawlsim.sprawlops.team import Team
from sprawlsim.stats.shapley import shapley_values

if TYPE_CHECKING:
    from sprawlsim.sprawlops.mission.montecarlo import Progress
    from sprawlsim.sprawlops.mission.scenario import Objective, RulesOptions

MOST_CARDS = 16
"""Cards in use, at most: 65,536 combinations."""
MOST_WAYS = 100_000
"""Attempts that are set up, at most, unless the asker insists: about a quarter of a minute."""


def shares(  # noqa: PLR0913 - keywords that a player may want to change, each alone
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
    insist: bool = False,
    progress: Progress | None = None,
) -> Shares:
    """Share out what a team comes to under best play among its cards: exact Shapley shares.

    Parameters
    ----------
    mission, team, cards, tokens, loot, aim, objective, rules
        As for `mission_odds`. Runners, Gear, Upgrades, DocWagon tokens and Loot cards have shares.
    rerolls, eye
        As for `mission_odds`; they are no cards, and are there in every combination.
    prices : mapping, optional
        As for `mission_odds`; by default the cards of the whole team set them.
    insist : bool
        Do what takes more than about three minutes, too, instead of refusing it.
    progress : callable, optional
        Told how many different combinations are solved, of how many.

    Raises
    ------
    SprawlsimError
        If something asked for does not exist or is against the rules, there are more than 16 cards, or it
        would take long.

    Notes
    -----
    A combination of cards goes with all of them. Cards stay with their runner while that is there. Without
    it, Gear goes to another of the player's runners who may carry it, whom it serves best: Gear changes hands
    freely before a Mission (rulebook, "Running Missions"). Upgrades cannot be passed on, so they serve nobody
    then. Without any runner there is no attempt, which is worth 0. A Commlink without a colour gets the best
    one anew; one that has a colour keeps it while its runner has such dice.

    Examples
    --------
    >>> print(shares("errand", "Tamsynn, Steady Samurai"))
    Errand Job, completes: 61.60% with all cards; of it Tamsynn +31.60, Steady Samurai +30.00
    """
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
    used = cards_in_use(question.team, tokens, held)
    if len(used) > MOST_CARDS:
        raise SprawlsimError(
            f"{len(used)} cards are in use, and shares are found for at most {MOST_CARDS}, for every "
            "combination is solved; leave out some DocWagon tokens, Loot cards or runners"
        )
    game = _Coalitions(question, used, insist)
    found = solve_each(game.attempts, "fewer cards make fewer combinations", insist, progress)
    worths = np.array(
        [max((found[key].value for key in keys), default=0.0) for keys in game.keys], dtype=np.float64
    )
    whole = len(worths) - 1
    ways = ways_of(question.team, question.set_up)
    goes = max(ways, key=lambda way: found[key_of(way.scenario)].value)
    rows = [
        CardShare(card, *map(_rounded, (share, worths[1 << i], worths[whole] - worths[whole ^ 1 << i])))
        for i, (card, share) in enumerate(zip(used, shapley_values(worths), strict=True))
    ]
    notes = [
        *notes_on_prices(aim, prices, goes.scenario.objective, "the whole team"),
        *question.notes(goes.team),
        *_notes(question, used, goes.scenario, bool(eye)),
    ]
    return Shares(
        title=question.card.name,
        team=str(goes.team),
        scenario=goes.scenario,
        whole=found[key_of(goes.scenario)],
        rows=tuple(sorted(rows, key=lambda row: row.share, reverse=True)),
        card_set=cards.name,
        notes=tuple(dict.fromkeys(notes)),
    )


def _rounded(figure: float) -> float:
    """Take what is no more than rounding for nothing."""
    return 0.0 if same_worth(figure, 0.0) else float(figure)


class _Coalitions:
    """All combinations of the cards: the attempts that they make, each different one once.

    Attributes
    ----------
    attempts : dict
        By `key_of`.
    keys : list of set
        Of each combination, those of its possible attempts; card ``i`` is in combination ``s`` where bit
        ``i`` of ``s`` is set.
    """

    def __init__(self, question: Question, used: Sequence[CardInUse], insist: bool) -> None:
        self.attempts: dict[bytes, Scenario] = {}
        self._team = question.team
        self._set_up_with: Callable[..., Scenario] = question.set_up
        self._used = used
        self._most = None if insist else MOST_WAYS
        self._ways = 0
        self._known: dict[object, set[bytes]] = {}
        # All of them first: of attempts that are equal but for the order of runners, the first is solved.
        self.keys = [self._attempts_of(s) for s in range((1 << len(used)) - 1, -1, -1)][::-1]

    def _attempts_of(self, combination: int) -> set[bytes]:
        """Set up a combination's attempts; cards in hand of one name are equal."""
        present = [(i, card) for i, card in enumerate(self._used) if combination >> i & 1]
        team = {i: card for i, card in present if card.place >= 0}
        hand = [card for _, card in present if card.place < 0]
        same = (tuple(team), frozenset(Counter(card.name for card in hand).items()))
        if same not in self._known:
            loot = [card.card for card in hand if isinstance(card.card, Loot)]
            ways = teams_of(self._team, team.values())
            self._known[same] = {self._set_up(way, len(hand) - len(loot), loot) for way in ways}
        return self._known[same]

    def _set_up(self, team: Team, tokens: int, loot: Sequence[Loot]) -> bytes:
        """Set up one attempt."""
        self._ways += 1
        if self._most is not None and self._ways > self._most:
            raise SprawlsimError(
                f"the cards in use make more than {self._most:,} attempts, with every way to pass on Gear "
                "and to set Commlinks; fewer cards make fewer, and --yes (insist) does it anyway"
            )
        scenario = self._set_up_with(team, tokens=tokens, loot=tuple(loot))
        key = key_of(scenario)
        self.attempts.setdefault(key, scenario)
        return key


def _notes(question: Question, used: Sequence[CardInUse], scenario: Scenario, eye: bool) -> Iterator[str]:
    """Say what a reader must know of the shares."""
    several = len(question.team.members) > 1
    kinds = {card.kind for card in used}
    if several and "gear" in kinds:
        yield "In a combination without its runner, Gear goes to who may carry it and is served best."
    if several and "upgrade" in kinds:
        yield "In a combination without its runner, an Upgrade serves nobody."
    if question.team.open_commlinks:
        yield "In each combination, Commlinks without a colour get the best one anew."
    if "loot" in kinds:
        yield f"A Loot card costs {LOOT_PRICE:g}K at DeGear's Lair, where it is drawn, not chosen."
    if scenario.rerolls or eye:
        yield "Free rerolls and perks are no cards: they are there in every combination."
