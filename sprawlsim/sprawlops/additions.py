"""Every single thing that the rules let a team have besides, and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from sprawlsim.errors import TeamError
from sprawlsim.sprawlops.api import Question
from sprawlsim.sprawlops.cards import AnyCard, Gear, Loot, Runner, StartingRunner, Task, Upgrade
from sprawlsim.sprawlops.mission.aims import LOOT_PRICE
from sprawlsim.sprawlops.mission.scenario import Scenario
from sprawlsim.sprawlops.roles import ROLE_LABELS, Role
from sprawlsim.sprawlops.team import Member, Team


class Addition(NamedTuple):
    """Something that a team could have besides.

    Attributes
    ----------
    kind : str
        ``"gear"``, ``"upgrade"``, ``"runner"``, ``"starting runner"``, ``"token"``, ``"loot"``, or
        ``"colour"``: of a Commlink that is there.
    name, onto : str
        What it is; the runner who carries it, or nothing.
    card : AnyCard or None
        The card, where one is added.
    team : Team
        With the addition.
    set_up : callable
        Sets up the attempt by that team.
    """

    kind: str
    name: str
    onto: str
    card: AnyCard | None
    team: Team
    set_up: Callable[[Team], Scenario]

    @property
    def group(self) -> str:
        """The same for all places of one card, and for all colours of one Commlink."""
        return f"{self.kind} of {self.onto}" if self.card is None else self.card.name

    @property
    def price(self) -> float:
        """In K nuyen, as printed; what has no price is had for nothing."""
        return price_of(self.card)

    @property
    def price_is_invented(self) -> bool:
        """Whether the price is a stand-in."""
        return price_is_invented(self.card)


def price_of(card: AnyCard | None) -> float:
    """Give the price of a card in K nuyen, as printed; what has none is had for nothing."""
    return LOOT_PRICE if isinstance(card, Loot) else float(getattr(card, "cost", 0))


def price_is_invented(card: AnyCard | None) -> bool:
    """Say whether the price of a card is a stand-in."""
    if card is None or not hasattr(card, "cost"):
        return False
    return card.source == "stand-in" or "cost" in card.invented


def additions_to(question: Question, tokens: int = 0, loot: Sequence[Loot] = ()) -> Iterator[Addition]:
    """List every legal single addition to a team, in the order of the card set.

    Gear and Upgrades go onto any runner who may carry them, a new Commlink once for each colour; runners for
    hire and starting runners join while there are fewer than four; then come another colour for each
    Commlink that has one, a DocWagon token, and each Loot card. A card is used no more often than the box
    has it. Runners hired out of Dante's Inferno are another player's, and are given nothing.

    Parameters
    ----------
    question : Question
    tokens : int
        DocWagon tokens in hand.
    loot : sequence of Loot
        Cards in hand.
    """
    yield from _equipment(question)
    if not isinstance(question.card, Task):  # a Task is run by one runner
        yield from _runners(question)
    yield from _colours(question)
    yield from _in_hand(question, tokens, loot)


def _equipment(question: Question) -> Iterator[Addition]:
    """List Gear and Upgrades, on every runner who may carry them."""
    cards: tuple[Gear | Upgrade, ...] = (*question.cards.card_set.gear, *question.cards.card_set.upgrades)
    for card in cards:
        kind = "gear" if isinstance(card, Gear) else "upgrade"
        for place, member in enumerate(question.team.members):
            for colour in () if member.hired else _colours_to_choose(card, member):
                team = _equip(question.team, place, card, colour)
                if team is not None:
                    name = card.name if colour is None else f"{card.name}({ROLE_LABELS[colour].lower()})"
                    yield Addition(kind, name, member.name, card, team, question.set_up)


def _colours_to_choose(card: Gear | Upgrade, member: Member) -> Sequence[Role | None]:
    """Give the colours to try: those of the runner for a Commlink."""
    is_commlink = isinstance(card, Upgrade) and card.kind == "commlink"
    return member.commlink_choices if is_commlink else (None,)


def _equip(team: Team, place: int, card: Gear | Upgrade, colour: Role | None) -> Team | None:
    """Give a card to a runner; None where the equip rules forbid it."""
    member = team.members[place]
    if isinstance(card, Gear):
        return _change(team, place, gear=(*member.gear, card))
    commlink = member.commlink if colour is None else colour
    return _change(team, place, upgrades=(*member.upgrades, card), commlink=commlink)


def _change(team: Team, place: int, **changes: Any) -> Team | None:
    """Change a runner of a team; None where the equip rules forbid it."""
    try:
        member = replace(team.members[place], **changes)
        return Team((*team.members[:place], member, *team.members[place + 1 :]))
    except TeamError:
        return None


def _runners(question: Question) -> Iterator[Addition]:
    """List the runners who may join."""
    cards: tuple[Runner | StartingRunner, ...] = (
        *question.cards.card_set.runners,
        *question.cards.card_set.starting_runners,
    )
    for card in cards:
        try:
            team = Team((*question.team.members, Member(card)))
        except TeamError:
            continue
        kind = "runner" if isinstance(card, Runner) else "starting runner"
        yield Addition(kind, card.name, "", card, team, question.set_up)


def _colours(question: Question) -> Iterator[Addition]:
    """List other colours for Commlinks that have one; to choose again is free before each Mission."""
    for place, member in enumerate(question.team.members):
        for colour in member.commlink_choices if member.commlink is not None else ():
            team = _change(question.team, place, commlink=colour)
            if team is not None and colour != member.commlink:
                name = f"Commlink as {ROLE_LABELS[colour]}"
                yield Addition("colour", name, member.name, None, team, question.set_up)


def _in_hand(question: Question, tokens: int, loot: Sequence[Loot]) -> Iterator[Addition]:
    """List what a player may hold besides: a DocWagon token, and Loot."""
    set_up: Callable[..., Scenario] = question.set_up
    token = partial(set_up, tokens=tokens + 1)
    yield Addition("token", "DocWagon token", "", None, question.team, token)
    held = Counter(card.name for card in loot)
    for card in question.cards.card_set.loot:
        if held[card.name] < card.copies:
            with_card = partial(set_up, loot=(*loot, card))
            yield Addition("loot", card.name, "", card, question.team, with_card)
