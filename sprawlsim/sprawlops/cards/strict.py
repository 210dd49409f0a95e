"""Values of a file against the types of the models: every fault is found, none is let through.

msgspec stops at the first fault and speaks of types; here each value is converted by itself, and what is
allowed is told in the words that stand beside the bounds in :mod:`sprawlsim.sprawlops.cards.model`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from sprawlsim.errors import did_you_mean

UNFILLED = "?"
"""What a scaffold writes where its owner is to copy a value from the printed card."""

_SHOWN = 60

Record = TypeVar("Record", bound=msgspec.Struct)


def join(path: str, key: str | int) -> str:
    """Write a path as ``--set`` reads it: ``stages.2.icons.mage``."""
    return f"{path}.{key}" if path else str(key)


def shown(value: object) -> str:
    """Show a value of a file, shortened."""
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


@cache
def field_types(model: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the annotated type of each key of a record."""
    hints = get_type_hints(model, include_extras=True)
    return {field.name: hints[field.name] for field in msgspec.structs.fields(model)}


def bare(kind: Any) -> Any:
    """Strip an annotated type of its bounds, and an optional one of its None."""
    if get_origin(kind) is Annotated:
        return bare(get_args(kind)[0])
    arguments = get_args(kind)
    if type(None) in arguments:
        return bare(next(argument for argument in arguments if argument is not type(None)))
    return kind


def _choices(kind: Any) -> list[str]:
    return list(get_args(bare(kind))) if get_origin(bare(kind)) is Literal else []


def describe(kind: Any) -> str:
    """Say which values a type allows."""
    for note in get_args(kind)[1:] if get_origin(kind) is Annotated else ():
        return str(note.description)
    return "one of " + ", ".join(_choices(kind))


def value_faults(value: object, kind: Any, path: str) -> list[str]:
    """Find everything wrong with the value at a path.

    Parameters
    ----------
    value : object
        As TOML or a spreadsheet gives it.
    kind : type
        What it should be, with its bounds.
    path : str
        Its dotted key, for messages.

    Returns
    -------
    list of str
        One sentence each.
    """
    inner = bare(kind)
    origin = get_origin(inner)
    if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
        if isinstance(value, Mapping):
            return table_faults(value, inner, path)
        return [f"{path} = {shown(value)} is not a table with the keys {', '.join(field_types(inner))}"]
    if origin is dict and isinstance(value, Mapping):
        return _dict_faults(value, kind, path)
    if origin is tuple and isinstance(value, list):
        return _list_faults(value, kind, path)
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        if value == UNFILLED:
            return [f'{path} is still "?"; write {describe(kind)}']
        hint = did_you_mean(value, _choices(kind)) if isinstance(value, str) else ""
        return [f"{path} = {shown(value)} is not {describe(kind)}{hint}"]
    return []


def _dict_faults(value: Mapping[str, Any], kind: Any, path: str) -> list[str]:
    key_kind, item_kind = get_args(bare(kind))
    allowed = _choices(key_kind)
    faults = [
        f"{join(path, key)} is not a key here; the keys are {', '.join(allowed)}{did_you_mean(key, allowed)}"
        for key in value
        if key not in allowed
    ]
    for key, item in value.items():
        faults += value_faults(item, item_kind, join(path, key))
    return faults or _size_faults(len(without_zeros(value)), kind, path)


def _list_faults(value: list[Any], kind: Any, path: str) -> list[str]:
    item_kind = get_args(bare(kind))[0]
    faults = [
        fault
        for number, item in enumerate(value, 1)
        for fault in value_faults(item, item_kind, join(path, number))
    ]
    texts = [item for item in value if isinstance(item, str)]
    if len(set(texts)) < len(texts):
        faults.append(f"{path} = {shown(value)} names something twice")
    return faults + _size_faults(len(value), kind, path)


def _size_faults(size: int, kind: Any, path: str) -> list[str]:
    for note in get_args(kind)[1:] if get_origin(kind) is Annotated else ():
        if size < (note.min_length or 0):
            return [f"{path} is empty; write {note.description}"]
        if note.max_length is not None and size > note.max_length:
            return [f"{path} has {size} entries; write {note.description}"]
    return []


def table_faults(table: Mapping[str, Any], model: type[msgspec.Struct], path: str = "") -> list[str]:
    """Find everything wrong with a table: unknown keys, missing keys, wrong values."""
    kinds = field_types(model)
    faults = [
        f"{join(path, key)} is not a key here; the keys are {', '.join(kinds)}{did_you_mean(key, kinds)}"
        for key in table
        if key not in kinds
    ]
    for field in msgspec.structs.fields(model):
        where, kind = join(path, field.name), kinds[field.name]
        if field.name in table:
            faults += value_faults(table[field.name], kind, where)
        elif field.required:
            faults.append(f"{where} is missing; write {describe(kind)}")
    return faults


def without_zeros(counts: Mapping[str, Any]) -> dict[str, Any]:
    """Drop the colours of which there are none."""
    return {role: count for role, count in counts.items() if count != 0}


def convert(table: Mapping[str, Any], model: type[Record]) -> Record:
    """Build a record from a table without faults, leaving out colours with no dice or icons."""
    return msgspec.convert(_tidied(table), model)


def _tidied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: without_zeros(item) if key in {"dice", "icons"} else _tidied(item)
            for key, item in value.items()
        }
    return [_tidied(item) for item in value] if isinstance(value, list) else value
