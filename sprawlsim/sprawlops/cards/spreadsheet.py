"""Card sets as CSV files and back: one file per deck, one row per card, one column per key.

Columns bear the same dotted names as error messages and ``--set`` (``dice.decker``, ``stages.2.icons.mage``).
They may be reordered, quoted, separated by commas, semicolons or tabs; a number may come back as ``3.0``.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args, get_origin

import msgspec

from sprawlsim.errors import CardError, did_you_mean
from sprawlsim.sprawlops.cards.files import first_fault, write_directory
from sprawlsim.sprawlops.cards.model import DECKS, CardSet, Deck, Stage, card_table
from sprawlsim.sprawlops.cards.reading import Reading, read_tables
from sprawlsim.sprawlops.cards.strict import bare, field_types, join
from sprawlsim.sprawlops.roles import ROLES

_MOST_STAGES = 8


def _columns(model: type[msgspec.Struct], stages: int, path: str = "") -> dict[str, Any]:
    """Return the columns of a record with their types, nested records and colours spread out."""
    columns: dict[str, Any] = {}
    for name, kind in field_types(model).items():
        inner, where = bare(kind), join(path, name)
        if get_origin(inner) is dict:
            columns |= {join(where, role): get_args(inner)[1] for role in ROLES}
        elif get_origin(inner) is tuple and get_args(inner)[0] is Stage:
            for number in range(1, stages + 1):
                columns |= _columns(Stage, 0, join(where, number))
        else:
            columns[where] = kind
    if not path:
        last = {key: columns.pop(key) for key in ("source", "invented")}
        columns |= last
    return columns


def _cell(table: Any, path: str) -> object:
    for key in path.split("."):
        if isinstance(table, Mapping):
            table = table.get(key, "")
        elif isinstance(table, list | tuple):
            table = table[int(key) - 1] if int(key) <= len(table) else {}
    return ", ".join(table) if isinstance(table, list | tuple) else table


def _to_csv(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def render_csv(cards: CardSet) -> dict[str, str]:
    """Return a card set as CSV files: name to text."""
    files = {"set.csv": _to_csv([("name", "description"), (cards.name, cards.description)])}
    for deck, info in DECKS.items():
        tables = [card_table(card) for card in cards.deck(deck)]
        most = max((len(table.get("stages", ())) for table in tables), default=0)
        columns = list(_columns(info.model, most))
        rows = [[_cell(table, column) for column in columns] for table in tables]
        files[f"{info.file}.csv"] = _to_csv([columns, *rows])
    return files


def export_csv(cards: CardSet, directory: str | Path) -> None:
    """Write a card set as CSV files, one per deck, into a new directory.

    Raises
    ------
    CardError
        If the directory holds anything already, or cannot be written.
    """
    write_directory(Path(directory), render_csv(cards))


def import_csv(directory: str | Path) -> CardSet:
    """Read a card set from a directory of CSV files, as strictly as from TOML.

    Raises
    ------
    CardError
        If a file is missing or anything in it is wrong.
    """
    reading = read_csv_card_set(Path(directory))
    if reading.cards is None:
        raise first_fault(reading, str(directory))
    return reading.cards


def read_csv_card_set(directory: Path) -> Reading:
    """Read a directory of CSV files and find everything wrong with it.

    Raises
    ------
    CardError
        If there is no such directory.
    """
    if not directory.is_dir():
        raise CardError(f"{directory} is not a directory with CSV files; 'sprawlsim cards export' makes one")
    faults: list[str] = []
    heads = _read_csv(directory / "set.csv", {"name": str, "description": str}, faults)
    decks: dict[Deck, list[Any]] = {}
    for deck, info in DECKS.items():
        tables = _read_csv(directory / f"{info.file}.csv", _columns(info.model, _MOST_STAGES), faults)
        if tables is not None:
            decks[deck] = tables
    head = None if heads is None else (heads[0] if heads else {})
    return read_tables(head, decks, ".csv", faults)


def _read_csv(path: Path, columns: Mapping[str, Any], faults: list[str]) -> list[dict[str, Any]] | None:
    """Read the rows of a file as tables; None, with a fault added, if it cannot be read at all."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        header_line = text.splitlines()[0] if text.strip() else ""
        delimiter = max(",;\t", key=header_line.count)
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except FileNotFoundError:
        faults.append(
            f"{path.name}: the file is missing in {path.parent}; 'sprawlsim cards export' writes all of them"
        )
        return None
    except UnicodeDecodeError:
        faults.append(f"{path.name}: not UTF-8 text; save it as 'CSV UTF-8'")
        return None
    except csv.Error as error:
        faults.append(f"{path.name}: not valid CSV: {error}")
        return None
    except OSError as error:
        faults.append(f"{path.name}: cannot be read: {error.strerror}")
        return None
    header = [cell.strip() for cell in rows[0]] if rows else []
    wrong = _header_faults(header, columns)
    if wrong:
        faults += [f"{path.name}: {fault}" for fault in wrong]
        return None
    tables = []
    for number, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        if any(cell.strip() for cell in row[len(header) :]):
            faults.append(f"{path.name}: row {number} has more cells than the header has columns")
        tables.append(_row_table(header, row, columns))
    return tables


def _header_faults(header: list[str], columns: Mapping[str, Any]) -> list[str]:
    if not header:
        return ["the file is empty; its first row names the columns"]
    faults = [
        f"column {name!r} is not one of {', '.join(_short(columns))}{did_you_mean(name, columns)}"
        for name in header
        if name and name not in columns
    ]
    return faults + [
        f"column {name!r} occurs twice" for name in sorted(set(header)) if name and header.count(name) > 1
    ]


def _short(columns: Mapping[str, Any]) -> list[str]:
    """Leave out the columns of every Stage after the first, which are named alike."""
    return [name for name in columns if not re.match(r"stages\.[2-9]", name)]


def _row_table(header: list[str], row: list[str], columns: Mapping[str, Any]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for name, cell in zip(header, row, strict=False):
        if name and cell.strip():
            _put(table, name.split("."), _cell_value(cell, columns[name]))
    if "stages" in table:
        numbers = table["stages"]
        table["stages"] = [numbers.get(str(i), {}) for i in range(1, max(map(int, numbers)) + 1)]
    for name in filter(None, header):
        first = name.split(".")[0]
        if first in {"dice", "icons"}:
            table.setdefault(first, {})
        elif first in {"roles", "requirement"}:
            table.setdefault(first, [])
    return table


def _put(table: dict[str, Any], path: list[str], value: Any) -> None:
    for key in path[:-1]:
        table = table.setdefault(key, {})
    table[path[-1]] = value


def _cell_value(cell: str, kind: Any) -> Any:
    """Read a cell by its column's type; what does not fit stays text, for the strict reader to refuse."""
    inner = bare(kind)
    if inner is int:
        number = re.fullmatch(r"\s*([+-]?\d{1,9})(?:[.,]0*)?\s*", cell, re.ASCII)
        return int(number[1]) if number else cell.strip()
    if get_origin(inner) is tuple:
        return [part.strip() for part in re.split(r"[,;]", cell) if part.strip()]
    return cell.strip() if kind is not str else cell.replace("\r\n", "\n")
