"""Which cards of one set are different in another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, get_args

from sprawlsim.errors import UnknownNameError
from sprawlsim.sprawlops.cards import AnyCard, CardSet, Deck
from sprawlsim.sprawlops.team import Team

ASIDE = ("source", "invented")
"""Keys of a card that change nothing in the game."""


class ChangedCard(NamedTuple):
    """A card that is not the same in two sets.

    Attributes
    ----------
    deck : str
    old, new : card or None
        As it is in each set; None where it is gone, or new.
    """

    deck: Deck
    old: AnyCard | None
    new: AnyCard | None

    @property
    def name(self) -> str:
        """The name it has, or had first."""
        card = self.old or self.new
        assert card is not None
        return card.name

    @property
    def what(self) -> str:
        """What is different: every key with both values."""
        if self.new is None:
            return "is gone"
        if self.old is None:
            return "is new"
        before, after = _keys(self.old), _keys(self.new)
        return "; ".join(
            f"{key}: {before.get(key, 'none')} to {after.get(key, 'none')}"
            for key in dict.fromkeys([*before, *after])
            if before.get(key) != after.get(key)
        )


def changed_cards(first: CardSet, second: CardSet) -> list[ChangedCard]:
    """List the cards that are not the same in both sets, deck by deck.

    Cards are the same by their names; one that is gone and one that is new are the same card under two names
    if nothing but the name is different.
    """
    found: list[ChangedCard] = []
    for deck in get_args(Deck):
        old = {card.name: card for card in first.deck(deck)}
        new = {card.name: card for card in second.deck(deck)}
        renamed = _renamed(old, new)
        for name, card in old.items():
            changed = ChangedCard(deck, card, new.get(renamed.get(name, name)))
            if changed.what:
                found.append(changed)
        fresh = [name for name in new if name not in old and name not in renamed.values()]
        found += [ChangedCard(deck, None, new[name]) for name in fresh]
    return found


def _keys(card: AnyCard) -> dict[str, Any]:
    """Give what a card says, by key."""
    import msgspec

    told: dict[str, Any] = msgspec.to_builtins(card)
    return {key: value for key, value in told.items() if key not in ASIDE}


def _renamed(old: dict[str, AnyCard], new: dict[str, AnyCard]) -> dict[str, str]:
    """Find cards of which only the name is different: the new name by the old one."""
    fresh = {name: _keys(card) | {"name": ""} for name, card in new.items() if name not in old}
    found: dict[str, str] = {}
    for name in (name for name in old if name not in new):
        keys = _keys(old[name]) | {"name": ""}
        alike = next((other for other in fresh if fresh[other] == keys), None)
        if alike is not None:
            found[name] = alike
            del fresh[alike]
    return found


def team_in(cards: CardSet, team: Team, changed: Sequence[ChangedCard]) -> Team:
    """Give a team of one set with the same cards of another.

    Raises
    ------
    SprawlsimError
        If one of its cards is not in the other set, or its runner may no longer carry it.
    """
    names = {card.old.name: card.new.name for card in changed if card.old and card.new}
    there = {card.name: card for _, card in cards.pairs()}

    def same(card: AnyCard) -> Any:
        name = names.get(card.name, card.name)
        if name not in there:
            raise UnknownNameError(f"{card.name} is gone")
        return there[name]

    members = [
        replace(
            member,
            runner=same(member.runner),
            gear=tuple(map(same, member.gear)),
            upgrades=tuple(map(same, member.upgrades)),
        )
        for member in team.members
    ]
    return Team(tuple(members))
