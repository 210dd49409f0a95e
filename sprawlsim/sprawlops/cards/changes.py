"""Cards changed for one run: ``--set "Renraku Tsurugi Cyberdeck.dice.decker=3"``."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any

import msgspec

from sprawlsim.errors import CardError, UnknownNameError, did_you_mean
from sprawlsim.sprawlops.cards.lookup import deck_of, find_card, kind_of
from sprawlsim.sprawlops.cards.model import DECKS, AnyCard, CardSet, card_table
from sprawlsim.sprawlops.cards.reading import card_faults, has_path, starting_set_faults
from sprawlsim.sprawlops.cards.strict import convert, field_types

FORM = '"CARD.KEY=VALUE", such as "Datajack.cost=3" or "Make Some Noise.stages.2.icons.mage=4"'


def change_card_set(cards: CardSet, changes: Sequence[str]) -> CardSet:
    """Change cards of a set, one key at a time, checked as strictly as their files.

    Parameters
    ----------
    cards : CardSet
        The set; it stays as it is.
    changes : sequence of str
        ``CARD.KEY=VALUE``: a card by name (or enough of it), a dotted key, Stages counted from 1, and a value
        as TOML writes it (``3``, ``"text"``, ``["mage"]``). Later changes see the earlier ones.

    Returns
    -------
    CardSet
        Its name tells the changes.

    Raises
    ------
    CardError
        If a change is not of this form, its card or key is unknown, or the changed card is not a legal one.
    """
    if not changes:
        return cards
    told = []
    for change in changes:
        cards, text = _change(cards, change)
        told.append(text)
    return msgspec.structs.replace(cards, name=f"{cards.name} (changed: {', '.join(told)})")


def _change(cards: CardSet, change: str) -> tuple[CardSet, str]:
    where, equals, value_text = change.partition("=")
    if not equals or "." not in where:
        raise CardError(f"{change!r} is not a change of a card; write {FORM}")
    card, key = _split(cards, where.strip(), change)
    deck = deck_of(card)
    table = card_table(card)
    _set(table, key.split("."), _value(value_text, change), change)
    if "invented" in table and not key.startswith("invented"):
        table["invented"] = [mark for mark in table["invented"] if has_path(table, mark.split("."))]
    who = f"change {change!r}: {DECKS[deck].singular} {card.name!r}"
    faults = card_faults(table, deck)
    if faults:
        raise CardError(f"{who}: {faults[0]}")
    changed = convert(table, DECKS[deck].model)
    _check_name(cards, card, changed.name, who)
    deck_cards = tuple(changed if other is card else other for other in cards.deck(deck))
    if deck == "starting_runners":
        for fault in starting_set_faults([card_table(other) for other in deck_cards]):
            raise CardError(f"{who}: {fault}")
    updated: CardSet = msgspec.structs.replace(cards, **{deck: deck_cards})
    return updated, f"{card.name}.{key}={' '.join(value_text.split())}"


def _split(cards: CardSet, where: str, change: str) -> tuple[AnyCard, str]:
    """Part the card's name from the key: a name may hold dots itself, so the whole name goes first."""
    parts = where.split(".")
    by_name = {card.name.casefold(): card for _, card in cards.pairs()}
    cuts = range(len(parts) - 1, 0, -1)
    for cut in cuts:
        card = by_name.get(".".join(parts[:cut]).strip().casefold())
        if card is not None:
            return card, _key(parts[cut:])
    keys = {key for info in DECKS.values() for key in field_types(info.model)}
    cut = next((i for i in range(1, len(parts)) if parts[i].strip() in keys), 1)
    try:
        return find_card(cards, ".".join(parts[:cut])), _key(parts[cut:])
    except UnknownNameError as error:
        raise CardError(f"change {change!r}: {error}") from error


def _key(parts: Sequence[str]) -> str:
    return ".".join(part.strip() for part in parts)


def _value(text: str, change: str) -> Any:
    try:
        (value,) = tomllib.loads(f"value = {text.strip()}").values()
    except ValueError as error:
        raise CardError(
            f"change {change!r}: {text.strip()!r} is not a value; write a number (3), "
            'a text in quotation marks ("mage"), a list (["mage"]) or a table ({ mage = 3 })'
        ) from error
    return value


def _set(table: dict[str, Any], path: Sequence[str], value: Any, change: str) -> None:
    """Put a value at a dotted path; an unknown last key is left for the strict reader to name."""
    place: Any = table
    for depth, key in enumerate(path):
        last = depth == len(path) - 1
        so_far = ".".join(path[:depth])
        if isinstance(place, list):
            if not key.isdecimal() or not 1 <= int(key) <= len(place):
                raise CardError(
                    f"change {change!r}: {so_far} has the entries 1 to {len(place)}; {key!r} is none of them"
                )
            position = int(key) - 1
            if last:
                place[position] = value
            else:
                place = place[position]
        elif isinstance(place, dict):
            if last:
                place[key] = value
            elif key in place:
                place = place[key]
            else:
                allowed = ", ".join(place)
                raise CardError(
                    f"change {change!r}: {'.'.join(path[: depth + 1])} is not a key of this card; "
                    f"the keys are {allowed}{did_you_mean(key, place)}"
                )
        else:
            raise CardError(f"change {change!r}: {so_far} is a single value and has no key {key!r}")


def _check_name(cards: CardSet, card: AnyCard, name: str, who: str) -> None:
    for _, other in cards.pairs():
        if other is not card and other.name.casefold() == name.casefold():
            raise CardError(f"{who}: name = {name!r} is already that of {kind_of(other)}")
