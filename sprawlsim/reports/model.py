"""One description of a report: sections of findings, tables and pictures, whatever they are printed as."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sprawlsim.errors import SprawlsimError, did_you_mean
from sprawlsim.stats.intervals import Estimate
from sprawlsim.stats.text import common_digits, format_rounded, format_scaled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Kind = Literal["text", "count", "number", "percent", "points", "nuyen"]


class Unit(NamedTuple):
    """How a kind of number is printed: what one is, its sign, digits where nothing tells them."""

    scale: float
    sign: str
    digits: int


UNITS: dict[str, Unit] = {
    "count": Unit(1.0, "", 0),
    "number": Unit(1.0, "", 2),
    "percent": Unit(100.0, "%", 1),
    "points": Unit(100.0, "", 1),
    "nuyen": Unit(1.0, "K", 1),
}

NAME = re.compile(r"[a-z][a-z0-9-]*")
"""What a section, a table or a picture may be called: it becomes a file and an anchor."""


class Cell(NamedTuple):
    """A printed cell: the number, its interval ("" when exact), and what it is sorted by (None: missing)."""

    text: str
    interval: str
    value: float | str | None

    def __str__(self) -> str:
        """Write number and interval in one line."""
        return f"{self.text} ({self.interval})" if self.interval else self.text


@dataclass(frozen=True)
class Column:
    """How a column of a frame is printed.

    Parameters
    ----------
    name : str
        Of the frame's column; where the frame also has it with ``_low`` and ``_high``, they are its interval.
    title : str
        The heading.
    kind : {"text", "count", "number", "percent", "points", "nuyen"}
        Percent and (percentage) points are 0..1 in the frame; nuyen are in K. Points are signed.
    signed : bool
        Write a plus before what is above 0: for differences.
    digits : int, optional
        After the point; as many as the column's middle interval allows when left out.
    interval : bool
        Print the interval, where there is one: not where a picture beside shows it and room is short.
    """

    name: str
    title: str
    kind: Kind = "text"
    signed: bool = False
    digits: int | None = None
    interval: bool = True

    def cells(self, frame: pd.DataFrame) -> list[Cell]:
        """Print the column of a frame; what is missing is an empty cell."""
        values = [_plain(value) for value in frame[self.name].tolist()]
        if self.kind == "text":
            return [Cell("" if value is None else str(value), "", value) for value in values]
        unit = UNITS[self.kind]
        signed = self.signed or self.kind == "points"
        if f"{self.name}_low" not in frame or not self.interval:
            digits = unit.digits if self.digits is None else self.digits
            return [_number(value, unit, digits, signed) for value in values]
        ends = [frame[f"{self.name}_{end}"].tolist() for end in ("low", "high")]
        known = [
            None if value is None else Estimate(value, float(low), float(high))
            for value, low, high in zip(values, *ends, strict=True)
        ]
        halves = [unit.scale * estimate.half_width for estimate in known if estimate is not None]
        digits = common_digits(halves, unit.digits) if self.digits is None else self.digits
        return [_estimate(estimate, unit, digits, signed) for estimate in known]


def _plain(value: Any) -> Any:
    """Give a number or text of Python's own, None for what is missing."""
    import pandas as pd

    value = value.item() if hasattr(value, "item") else value
    if pd.isna(value):
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value


def _number(value: Any, unit: Unit, digits: int, signed: bool) -> Cell:
    if value is None:
        return Cell("", "", None)
    told = format_rounded(unit.scale * value, digits, signed)
    if digits == 0 and math.isfinite(value) and not signed:
        told = f"{round(unit.scale * value):,}"
    return Cell(f"{told}{unit.sign}", "", float(value))


def _estimate(estimate: Estimate | None, unit: Unit, digits: int, signed: bool) -> Cell:
    if estimate is None:
        return Cell("", "", None)
    text, interval = format_scaled(estimate, unit.scale, unit.sign, signed, digits)
    return Cell(text, "" if estimate.low == estimate.high else interval, estimate.estimate)


@dataclass(frozen=True)
class Table:
    """A frame, and how it is printed.

    Parameters
    ----------
    name : str
        Lower-case letters, digits and hyphens; unique among the tables of a report: ``NAME.csv``.
    title : str
    frame : pandas.DataFrame
        Plain columns; all of them go to CSV and JSON, printed or not.
    columns : sequence of Column
        What is printed, in order; the first names the row.
    note : str
        A sentence beneath it.

    Raises
    ------
    SprawlsimError
        If the name cannot be a file's, or a column is not in the frame.
    """

    name: str
    title: str
    frame: pd.DataFrame
    columns: Sequence[Column]
    note: str = ""

    def __post_init__(self) -> None:
        _check_name(self.name, "table")
        for column in self.columns:
            if column.name not in self.frame:
                hint = did_you_mean(column.name, map(str, self.frame.columns))
                raise SprawlsimError(f"table {self.name}: its frame has no column {column.name!r}{hint}")


def to_csv(table: Table) -> str:
    """Write all columns of a table's frame as CSV; numbers read back are the same to the last bit."""
    text: str = table.frame.to_csv(index=False, lineterminator="\n")
    return text


@dataclass(frozen=True)
class PictureItem:
    """A picture that is drawn when it is needed.

    Parameters
    ----------
    name : str
        As of a table, unique among pictures: ``NAME.png`` and ``NAME.svg``.
    title : str
        What it shows; the finding is the picture's own heading.
    draw : callable
        Gives the figure.
    alt : str
        The picture in words, for who cannot see it: what is on it, and what it comes to.

    Raises
    ------
    SprawlsimError
        If the name cannot be a file's, or there are no such words.
    """

    name: str
    title: str
    draw: Callable[[], Figure]
    alt: str

    def __post_init__(self) -> None:
        _check_name(self.name, "picture")
        if not self.alt.strip():
            raise SprawlsimError(f"picture {self.name}: it must also be told in words (alt)")


@dataclass(frozen=True)
class Section:
    """A question of a report with its answer.

    Parameters
    ----------
    name : str
        As of a table, unique among sections: its anchor.
    title : str
    findings : sequence of str
        Sentences, the one that matters most first: it stands at the head of the page, too.
    parts : sequence of Table and PictureItem
        In the order in which they are read.
    details : sequence of str
        How it was measured, a paragraph each; folded up on the page.
    """

    name: str
    title: str
    findings: Sequence[str] = ()
    parts: Sequence[Table | PictureItem] = ()
    details: Sequence[str] = ()

    def __post_init__(self) -> None:
        _check_name(self.name, "section")

    @property
    def tables(self) -> list[Table]:
        """The tables, in order."""
        return [part for part in self.parts if isinstance(part, Table)]

    @property
    def pictures(self) -> list[PictureItem]:
        """The pictures, in order."""
        return [part for part in self.parts if isinstance(part, PictureItem)]


@dataclass(frozen=True)
class Report:
    """Everything a page says.

    Parameters
    ----------
    title, subtitle : str
        What it is about, and the question in a sentence.
    sections : sequence of Section
    facts : mapping of str to str
        What was measured: card set, games, seed, version.
    caution : str
        What a reader must know before believing a number, such as that the cards are a stand-in.
    source : str
        The line at the foot: version, card set, seed, and the command that makes the report again.
    guide : sequence of str
        Paragraphs on how to read it: what its words mean to who has never seen such a page.

    Raises
    ------
    SprawlsimError
        If two sections, tables or pictures have one name.
    """

    title: str
    subtitle: str
    sections: Sequence[Section]
    facts: Mapping[str, str] = field(default_factory=dict)
    caution: str = ""
    source: str = ""
    guide: Sequence[str] = ()

    def __post_init__(self) -> None:
        _check_unique("sections", [section.name for section in self.sections])
        _check_unique("tables", [table.name for section in self.sections for table in section.tables])
        _check_unique("pictures", [item.name for section in self.sections for item in section.pictures])


def _check_name(name: str, what: str) -> None:
    if not NAME.fullmatch(name):
        raise SprawlsimError(
            f"{name!r} cannot name a {what}: a letter, then lower-case letters, digits and hyphens"
        )


def _check_unique(what: str, names: Sequence[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SprawlsimError(f"two {what} of a report are called {' and '.join(map(repr, twice))}")
