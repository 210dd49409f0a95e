"""A report as text, Markdown, JSON, CSV, or a folder with a page, tables and pictures."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sprawlsim.reports.files import write_folder
from sprawlsim.reports.model import UNITS, Cell, Column, PictureItem, Report, Section, Table, to_csv
from sprawlsim.reports.rows import render_rows

__all__ = [
    "Cell",
    "Column",
    "PictureItem",
    "Report",
    "Section",
    "Table",
    "to_csv",
    "to_html",
    "to_json",
    "to_markdown",
    "to_text",
    "write_report",
]

SCHEMA = 1
KIND = "report"


def to_text(section: Section) -> str:
    """Write a section for a terminal: findings, then the tables; pictures are left out."""
    blocks = [section.title]
    if section.findings:
        blocks.append("\n".join(f"- {finding}" for finding in section.findings))
    for table in section.tables:
        lines = [table.title, _aligned(table, "table")]
        blocks.append("\n".join([*lines, table.note] if table.note else lines))
    blocks += section.details
    return "\n\n".join(blocks)


def to_markdown(section: Section, level: int = 2) -> str:
    """Write a section as Markdown, its heading of a `level`."""
    blocks = [f"{'#' * level} {_escaped(section.title)}"]
    if section.findings:
        blocks.append("\n".join(f"- {_escaped(finding)}" for finding in section.findings))
    for table in section.tables:
        blocks += [f"{'#' * (level + 1)} {_escaped(table.title)}", _aligned(table, "md")]
        if table.note:
            blocks.append(_escaped(table.note))
    blocks += [_escaped(paragraph) for paragraph in section.details]
    return "\n\n".join(blocks)


def _aligned(table: Table, fmt: str) -> str:
    """Write a table with its numbers to the right."""
    columns = [column.cells(table.frame) for column in table.columns]
    right = [column.kind in UNITS for column in table.columns]
    write: Callable[[Cell], str] = (lambda cell: _escaped(str(cell)) or "-") if fmt == "md" else _dashed
    rows = [[write(cell) for cell in row] for row in zip(*columns, strict=True)]
    return render_rows([column.title for column in table.columns], rows, fmt, right)


def _dashed(cell: Cell) -> str:
    return str(cell) or "-"


def _escaped(text: str) -> str:
    """Keep Markdown from reading marks and tags into a name."""
    for mark in "\\`*_<":
        text = text.replace(mark, f"\\{mark}")
    return text


def to_json(section: Section) -> dict[str, Any]:
    """Give a section as plain data for strict JSON: not-a-number and infinity become None."""
    return {
        "schema": SCHEMA,
        "name": section.name,
        "title": section.title,
        "findings": list(section.findings),
        "tables": {table.name: _records(table) for table in section.tables},
        "details": list(section.details),
    }


def _records(table: Table) -> list[dict[str, Any]]:
    names = [str(name) for name in table.frame.columns]
    columns = [[_strict(value) for value in table.frame[name].tolist()] for name in table.frame.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _strict(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, int | float | str | bool) else None


def to_html(report: Report) -> str:
    """Write a report as one page that needs nothing else, all its pictures drawn."""
    return _page_and_pictures(report)[0]


def _page_and_pictures(report: Report) -> tuple[str, dict[str, bytes]]:
    from sprawlsim.reports.page import Image, render_page
    from sprawlsim.reports.style import to_png, to_svg

    files: dict[str, bytes] = {}
    images = {}
    for item in (item for section in report.sections for item in section.pictures):
        figure = item.draw()
        png, svg = to_png(figure), to_svg(figure)
        files |= {f"{item.name}.png": png, f"{item.name}.svg": svg}
        images[item.name] = Image.of(png, svg, *figure.get_size_inches())
    return render_page(report, images), files


def write_report(report: Report, folder: str | Path) -> Path:
    """Write a report into a folder of its own: page, tables as CSV, pictures as PNG and SVG.

    The same report gives the same bytes. The folder is written whole or not at all.

    Parameters
    ----------
    report : Report
    folder : path or str
        New, empty, or an earlier report as it was written, which is replaced.

    Returns
    -------
    Path
        The page, ``index.html``.

    Raises
    ------
    SprawlsimError
        If the folder holds anything else, or cannot be written; then nothing is changed.
    """
    folder = Path(folder)
    page, files = _page_and_pictures(report)
    tables = {
        f"{table.name}.csv": to_csv(table).encode() for section in report.sections for table in section.tables
    }
    write_folder(folder, {"index.html": page.encode(), **tables, **files}, KIND)
    return folder / "index.html"
