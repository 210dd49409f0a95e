"""Rows of figures as people and programs want them: an aligned table, JSON, CSV or Markdown."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from sprawlsim.errors import SprawlsimError, did_you_mean

FORMATS = ("table", "json", "csv", "md")
FORMAT_HELP = "How to print: table, json, csv or md."


def check_format(fmt: str) -> str:
    """Return the format's name if it is one.

    Raises
    ------
    SprawlsimError
        If it is not.
    """
    if fmt not in FORMATS:
        allowed = ", ".join(FORMATS)
        raise SprawlsimError(f"--format {fmt!r} is not one of {allowed}{did_you_mean(fmt, FORMATS)}")
    return fmt


def render_rows(
    headers: Sequence[str],
    rows: Sequence[Sequence[object]],
    fmt: str,
    right: Sequence[bool] | None = None,
) -> str:
    """Write rows under headers in one of the formats, without a final line break.

    Parameters
    ----------
    headers : sequence of str
        Names of the columns; the keys in JSON.
    rows : sequence of sequences
        As many cells each as there are headers. None is an empty cell (null in JSON).
    fmt : {"table", "json", "csv", "md"}
    right : sequence of bool, optional
        Which columns a table and Markdown align right; when left out, those that hold only numbers.

    Raises
    ------
    SprawlsimError
        If the format is none of these.

    Examples
    --------
    >>> print(render_rows(["name", "cost"], [["Datajack", 5], ["Commlink", 12]], "table"))
    name      cost
    Datajack     5
    Commlink    12
    """
    check_format(fmt)
    if fmt == "json":
        objects = [dict(zip(headers, row, strict=True)) for row in rows]
        return json.dumps(objects, indent=2, ensure_ascii=False)
    if fmt == "csv":
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([headers, *rows])
        return text.getvalue().removesuffix("\n")
    if right is None:
        right = [_is_numeric([row[i] for row in rows]) for i in range(len(headers))]
    cells = [[_text(cell, fmt) for cell in line] for line in [headers, *rows]]
    widths = [max(len(line[i]) for line in cells) for i in range(len(headers))]
    lines = [
        [
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(line, widths, right, strict=True)
        ]
        for line in cells
    ]
    if fmt == "table":
        return "\n".join("  ".join(line).rstrip() for line in lines)
    rule = [
        "-" * (width - 1) + ":" if is_right else "-" * width
        for width, is_right in zip(widths, right, strict=True)
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in [lines[0], rule, *lines[1:]])


def _is_numeric(column: Sequence[object]) -> bool:
    kinds = {type(cell) for cell in column if cell is not None}
    return bool(kinds) and kinds <= {int, float}


def _text(cell: object, fmt: str) -> str:
    text = "" if cell is None else str(cell)
    return text.replace("\n", " ").replace("|", "\\|") if fmt == "md" else text.replace("\n", " ")
