"""The cards of a team as players of a cooperative game, and the teams that some of them make."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from sprawlsim.sprawlops.additions import price_is_invented, price_of
from sprawlsim.sprawlops.cards import AnyCard, Gear, Loot, StartingRunner, Upgrade
from sprawlsim.sprawlops.team import Member, Team, may_carry


class CardInUse(NamedTuple):
    """A card of a team, a DocWagon token or a Loot card in hand.

    Attributes
    ----------
    kind : str
        ``"runner"``, ``"starting runner"``, ``"gear"``, ``"upgrade"``, ``"token"`` or ``"loot"``.
    name, onto : str
        What it is; the runner who carries it, or nothing.
    card : AnyCard or None
        None for a token.
    place : int
        Whose card it is, by the order of the team; -1 for what is in hand.
    hired : bool
        Whether it came out of Dante's Inferno, and so is another player's.
    """

    kind: str
    name: str
    onto: str
    card: AnyCard | None
    place: int = -1
    hired: bool = False

    @property
    def price(self) -> float:
        """In K nuyen, as printed; what is another player's, or has no price, is had for nothing."""
        return 0.0 if self.hired else price_of(self.card)

    @property
    def price_is_invented(self) -> bool:
        """Whether the price is a stand-in."""
        return not self.hired and price_is_invented(self.card)


def cards_in_use(team: Team, tokens: int, loot: Sequence[Loot]) -> list[CardInUse]:
    """List every card of a team, runner by runner, and what is in hand."""
    found = []
    for place, member in enumerate(team.members):
        kind = "starting runner" if isinstance(member.runner, StartingRunner) else "runner"
        found.append(CardInUse(kind, member.name, "", member.runner, place, member.hired))
        for kind, cards in (("gear", member.gear), ("upgrade", member.upgrades)):
            found += [CardInUse(kind, card.name, member.name, card, place, member.hired) for card in cards]
    found += [CardInUse("token", "DocWagon token", "", None)] * tokens
    found += [CardInUse("loot", card.name, "", card) for card in loot]
    return found


def teams_of(team: Team, present: Collection[CardInUse]) -> Iterator[Team]:
    """Give the teams that some cards of a team make, in every way they could go; none without a runner.

    Everything stays with whom it is, as long as its runner is there. Gear whose runner is not goes to another
    of the player's own who may carry it, for Gear changes hands freely before a Mission (rulebook, "Running
    Missions"); but not to or from runners hired out of Dante's Inferno, whose Gear is fixed. Upgrades cannot
    be passed on ("Max's Ironworks"), and so serve nobody without their runner. A Commlink keeps its colour
    while its runner has other dice of it, and else takes any that it may.
    """
    here = {card.place for card in present if card.kind in {"runner", "starting runner"}}
    if not here:
        return
    carried: dict[int, list[Gear | Upgrade]] = {place: [] for place in sorted(here)}
    passed_on = []
    for card in present:
        if isinstance(card.card, Gear | Upgrade) and card.place in here:
            carried[card.place].append(card.card)
        elif isinstance(card.card, Gear) and not card.hired:
            passed_on.append(card.card)
    own = [place for place in carried if not team.members[place].hired]
    takers = [[place for place in own if may_carry(team.members[place].runner, gear)] for gear in passed_on]
    moved = [(gear, places) for gear, places in zip(passed_on, takers, strict=True) if places]
    for chosen in product(*(places for _, places in moved)):
        carrying = {place: list(cards) for place, cards in carried.items()}
        for place, (gear, _) in zip(chosen, moved, strict=True):
            carrying[place].append(gear)
        members = (_member(team.members[place], cards) for place, cards in carrying.items())
        yield from Team(tuple(members)).with_commlinks_set()


def _member(member: Member, cards: Sequence[Gear | Upgrade]) -> Member:
    """Give a runner with other things to carry."""
    changed = replace(
        member,
        gear=tuple(card for card in cards if isinstance(card, Gear)),
        upgrades=tuple(card for card in cards if isinstance(card, Upgrade)),
        commlink=None,
    )
    keeps = changed.has_commlink and member.commlink in changed.commlink_choices
    return replace(changed, commlink=member.commlink) if keeps else changed
