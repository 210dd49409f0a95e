"""From the tables of a set's files to a card set, or to the list of everything wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from sprawlsim.errors import did_you_mean
from sprawlsim.sprawlops.cards.model import DECKS, CardSet, Deck
from sprawlsim.sprawlops.cards.strict import (
    UNFILLED,
    convert,
    describe,
    field_types,
    shown,
    table_faults,
    value_faults,
    without_zeros,
)
from sprawlsim.sprawlops.roles import ROLES

_SET_ROLES = ("street_samurai", "decker", "face")
_NOT_INVENTED = {"name", "source", "invented"}


def card_faults(table: Mapping[str, Any], deck: Deck) -> list[str]:
    """Find everything wrong with one card of a deck, seen alone."""
    if table.get("name") == UNFILLED:
        return ['still to be filled in: its name is "?"']
    faults = table_faults(table, DECKS[deck].model)
    if deck == "upgrades":
        faults += _upgrade_faults(table)
    if deck == "final_missions":
        faults += _final_faults(table)
    return [*faults, *_invented_faults(table, deck)]


def _upgrade_faults(table: Mapping[str, Any]) -> Iterator[str]:
    """Only a '+1 die' Upgrade prints a die (Appendix A, Max's Ironworks)."""
    kind = table.get("kind")
    if kind == "die" and "die" not in table:
        yield f"die is missing; a '+1 die' Upgrade needs one of {', '.join(ROLES)}"
    if isinstance(kind, str) and kind in {"dermal-plating", "commlink"} and "die" in table:
        yield f'die is only for kind = "die"; leave it out of a card of kind "{kind}"'


def _final_faults(table: Mapping[str, Any]) -> Iterator[str]:
    """A Final Mission never has Loot icons or Nuyen Payout Stages ("Mission Cards")."""
    stages = table.get("stages")
    for number, stage in enumerate(stages if isinstance(stages, list) else (), 1):
        for key in ("loot", "payout"):
            if isinstance(stage, Mapping) and stage.get(key, 0) != 0:
                yield f"stages.{number}.{key}: a Final Mission has no Loot and no payout; leave the key out"


def _invented_faults(table: Mapping[str, Any], deck: Deck) -> Iterator[str]:
    invented = table.get("invented", [])
    if not isinstance(invented, list) or not all(isinstance(key, str) for key in invented):
        return
    own = [name for name in field_types(DECKS[deck].model) if name not in _NOT_INVENTED]
    for key in invented:
        path = key.split(".")
        if path[0] not in own or (path[0] in table and not has_path(table, path)):
            yield (
                f'invented names "{key}", which is no value of this card; allowed are {", ".join(own)}, '
                "and parts of them such as stages.2.payout"
            )
    if invented and table.get("source") != "rulebook":
        yield 'invented is only for source = "rulebook"; other cards are of one source throughout'


def has_path(value: Any, path: Iterable[str]) -> bool:
    """Tell whether a table has a value at a path, Stages and roles counted from 1."""
    for key in path:
        if isinstance(value, list) and key.isdecimal() and 1 <= int(key) <= len(value):
            value = value[int(key) - 1]
        elif isinstance(value, Mapping) and key in value:
            value = value[key]
        else:
            return False
    return True


def starting_set_faults(tables: Iterable[Mapping[str, Any]]) -> list[str]:
    """Find starting sets that are not one Street Samurai, one Decker and one Face (Setup; G2)."""
    sets: dict[int, list[str]] = {}
    for table in tables:
        number, roles = table.get("set"), table.get("roles")
        if type(number) is int and 1 <= number <= 4 and isinstance(roles, list) and roles:
            sets.setdefault(number, []).append(str(roles[0]))
    return [
        f"starting set {number} has the first roles {', '.join(roles)}; "
        f"it needs one each of {', '.join(_SET_ROLES)}"
        for number, roles in sorted(sets.items())
        if sorted(roles) != sorted(_SET_ROLES)
    ]


class Reading(NamedTuple):
    """What a strict reading found.

    Attributes
    ----------
    cards : CardSet or None
        The set, if nothing is wrong.
    faults : list of str
        What is wrong, one sentence each.
    warnings : list of str
        What differs from the box without being wrong.
    """

    cards: CardSet | None
    faults: list[str]
    warnings: list[str]


def read_tables(
    head: Mapping[str, Any] | None, decks: Mapping[Deck, list[Any]], extension: str, faults: Iterable[str]
) -> Reading:
    """Turn the tables of a set's files into a card set, or into the list of everything wrong with them.

    Parameters
    ----------
    head : mapping or None
        Name and description of the set; None if their file could not be read.
    decks : mapping of deck to list of tables
        Without the decks whose files could not be read.
    extension : str
        Of the files, for messages.
    faults : iterable of str
        Found before: the files that could not be read.
    """
    found = [*faults, *(f"set{extension}: {fault}" for fault in _head_faults(head))]
    names: dict[str, str] = {}
    for deck, tables in decks.items():
        found += _deck_faults(deck, tables, DECKS[deck].file + extension, names)
    warnings = [warning for deck, tables in decks.items() for warning in _warnings(deck, tables, extension)]
    if found or head is None:
        return Reading(None, found, warnings)
    built: dict[str, Any] = {
        deck: tuple(convert(table, DECKS[deck].model) for table in tables) for deck, tables in decks.items()
    }
    return Reading(CardSet(**head, **built), [], warnings)


def _head_faults(head: Mapping[str, Any] | None) -> Iterator[str]:
    if head is None:
        return
    kinds = {key: field_types(CardSet)[key] for key in ("name", "description")}
    for key in head:
        if key not in kinds:
            yield f"{key} is not a key here; the keys are {', '.join(kinds)}{did_you_mean(key, kinds)}"
    for key, kind in kinds.items():
        if key in head:
            yield from value_faults(head[key], kind, key)
    if "name" not in head:
        yield f"name is missing; write {describe(kinds['name'])}"


def _label(table: object, number: int) -> str:
    """Name a card in a message by its name, or by its place in the file."""
    name = table.get("name") if isinstance(table, Mapping) else None
    return f"card {number}" if not isinstance(name, str) or name in {"", UNFILLED} else f"card {name!r}"


def _deck_faults(deck: Deck, tables: list[Any], file: str, names: dict[str, str]) -> Iterator[str]:
    """Find the faults of one deck; ``names`` gathers where each name was first seen."""
    if not tables:
        yield f"{file}: no card in it; a set needs at least one {DECKS[deck].singular}"
    for number, table in enumerate(tables, 1):
        who = f"{file}: {_label(table, number)}"
        if not isinstance(table, Mapping):
            yield f"{who} = {shown(table)} is not a [[card]] table"
            continue
        yield from (f"{who}: {fault}" for fault in card_faults(table, deck))
        name = table.get("name")
        if isinstance(name, str) and name not in {"", UNFILLED}:
            place = f"card {number} of {file}"
            first = names.setdefault(name.casefold(), place)
            if first != place:
                yield f"{who}: name is also that of {first}; a name belongs to one card of the set"
    if deck == "starting_runners":
        whole = [table for table in tables if isinstance(table, Mapping)]
        yield from (f"{file}: {fault}" for fault in starting_set_faults(whole))


def _warnings(deck: Deck, tables: list[Any], extension: str) -> Iterator[str]:
    """Tell where a deck differs from the box ("Contents") or from how cards are printed."""
    info = DECKS[deck]
    whole = [table for table in tables if isinstance(table, Mapping)]
    copies = [table.get("copies", 1) for table in whole]
    count = sum(number for number in copies if type(number) is int)
    if count != info.in_box:
        yield f"{info.file}{extension}: {count} {info.plural}; the box has {info.in_box}"
    for number, table in enumerate(whole, 1):
        dice, roles = table.get("dice"), table.get("roles")
        if (
            isinstance(dice, Mapping)
            and isinstance(roles, list)
            and set(without_zeros(dice)) != set(map(str, roles))
        ):
            yield (
                f"{info.file}{extension}: {_label(table, number)}: role icons and dice are of different "
                "colours; printed cards mirror them"
            )
