"""Interventions: cards and nuyen given to a player at the start of a game, cards taken out of it.

They answer what a card does to who wins by letting the same games be played with it and without: decks keep
their order (see `decks`), dice their faces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError, UnknownNameError, did_you_mean
from sprawlsim.sprawlops.cards import AnyCard, CardSet, Deck, find_card
from sprawlsim.sprawlops.game.arrays import ABSENT, GIFT, MAX_LOOT, PLATING, SLOTS, STARTERS
from sprawlsim.sprawlops.game.tables import Names

_NUYEN = re.compile(r"([+-]?\d{1,3})K")


def read_gifts(
    gifts: Mapping[str, Sequence[str]], entrants: Sequence[str], cards: CardSet, names: Names
) -> npt.NDArray[Any]:
    """Read what entrants are given.

    Parameters
    ----------
    gifts : mapping
        By an entrant's name: names of cards, and sums such as ``"5K"`` or ``"-5K"``.

    Returns
    -------
    array of `GIFT`, by entrant

    Raises
    ------
    SprawlsimError
        If nobody has such a name, or there is no such card, or no room for it.
    """
    table = np.zeros(len(entrants), dtype=GIFT)
    for name, things in gifts.items():
        if name not in entrants:
            raise SprawlsimError(
                f"gifts: {name!r} does not play; there are {', '.join(entrants)}"
                f"{did_you_mean(name, entrants)}"
            )
        if isinstance(things, str):
            raise SprawlsimError(
                f"gifts: {name!r} is given a list of cards and sums, such as ['Datajack', '5K']"
            )
        gift = table[list(entrants).index(name)]
        for thing in things:
            sum_of_money = _NUYEN.fullmatch(thing)
            if sum_of_money:
                gift["nuyen"] += int(sum_of_money[1])
            else:
                _add(gift, thing, cards, names)
    return table


def _add(gift: Any, thing: str, cards: CardSet, names: Names) -> None:
    """Add a card to a gift, or to what is absent."""
    card = _find("gifts", thing, cards, "runners", "gear", "upgrades", "loot").name
    if card in names.runners:
        _mark(gift, "runners", names.runners.index(card))
        if int(gift["runners"]).bit_count() > SLOTS - STARTERS:
            raise SprawlsimError(f"gifts: there is no room for {card}; a Runner board has {SLOTS} places")
    elif card in names.gear:
        _mark(gift, "gear", _first_free(names.gear, card, int(gift["gear"])))
    elif card in names.unique:
        _mark(gift, "unique", _first_free(names.unique, card, int(gift["unique"])))
        if int(gift["unique"]).bit_count() > STARTERS:
            raise SprawlsimError(
                f"gifts: nobody is left to take {card}; each runner has one '+1 die' Upgrade"
            )
    elif card in names.loot:
        gift["loot"][names.loot.index(card)] += 1
    else:
        pile = "plating" if card == names.piles[PLATING] else "commlink"
        gift[pile] += 1
        if gift[pile] > STARTERS:
            raise SprawlsimError(f"gifts: nobody is left to take {card}; each runner has one")


def _find(where: str, thing: str, cards: CardSet, *decks: Deck) -> AnyCard:
    """Find a card, and say where it stands if there is none."""
    try:
        return find_card(cards, thing, *decks)
    except UnknownNameError as error:
        raise UnknownNameError(f"{where}: {error}") from None


def _mark(record: Any, deck: str, card: int) -> None:
    record[deck] |= np.uint64(1) << np.uint64(card)


def _first_free(names: Sequence[str], card: str, taken: int) -> int:
    """Give the number of a copy of a card that is not taken."""
    for number, name in enumerate(names):
        if name == card and not taken >> number & 1:
            return number
    raise SprawlsimError(f"gifts: there are not so many copies of {card}")


def leave_out(
    without: Iterable[str],
    gifts: npt.NDArray[Any],
    lineups: npt.NDArray[np.int64],
    cards: CardSet,
    names: Names,
) -> npt.NDArray[Any]:
    """Give what each line-up's games lack: the cards left out, every copy, and those given away.

    Raises
    ------
    SprawlsimError
        If there is no such card, if it is also given to somebody, or given to two at one table.
    """
    removed = np.zeros(1, dtype=ABSENT)[0]
    for thing in without:
        _remove(removed, thing, cards, names)
    table = np.full(len(lineups), removed)
    copies = np.zeros(MAX_LOOT, dtype=np.int64)
    copies[: len(cards.loot)] = [card.copies for card in cards.loot]
    for row, lineup in zip(table, lineups, strict=True):
        for entrant in lineup:
            gift = gifts[entrant]
            for deck in ("runners", "gear", "unique"):
                if row[deck] & gift[deck]:
                    raise SprawlsimError("gifts: a card is given twice at one table, or left out and given")
                row[deck] |= gift[deck]
            for amount in ("loot", "plating", "commlink"):
                row[amount] += gift[amount]
        if (row["loot"] > copies).any():
            raise SprawlsimError(
                "gifts: a Loot card is given more often than there are copies, or left out and given"
            )
        for pile, kind in (("plating", "dermal-plating"), ("commlink", "commlink")):
            there = sum(card.copies for card in cards.upgrades if card.kind == kind)
            if row[pile] > there:
                raise SprawlsimError(
                    f"gifts: {row[pile]} {kind} cards are given or left out, but there are only {there}"
                )
    return table


def _remove(removed: Any, thing: str, cards: CardSet, names: Names) -> None:
    """Leave every copy of a card out."""
    card = _find("without", thing, cards, "runners", "gear", "upgrades", "loot", "missions")
    for deck in ("runners", "gear", "unique", "missions"):
        for number, name in enumerate(getattr(names, deck)):
            if name == card.name:
                _mark(removed, deck, number)
    if card.name in names.loot:
        removed["loot"][names.loot.index(card.name)] += getattr(card, "copies", 1)
    for pile, name in zip(("plating", "commlink"), names.piles, strict=True):
        if card.name == name:
            removed[pile] += sum(c.copies for c in cards.upgrades if c.name == name)
