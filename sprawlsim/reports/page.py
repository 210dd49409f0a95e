"""A report as one page of HTML that needs nothing else: no network, no other file, no framework."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import NamedTuple

from sprawlsim.reports.model import UNITS, Cell, PictureItem, Report, Section, Table, to_csv
from sprawlsim.version import __version__

MOST_SVG = 180_000
"""Bytes of an SVG above which a picture is put on the page as PNG."""

PIXELS_AN_INCH = 96
"""Of CSS."""


class Image(NamedTuple):
    """A picture as the page holds it; as an image, so that no two pictures' ids can clash."""

    source: str
    width: int
    height: int

    @classmethod
    def of(cls, png: bytes, svg: bytes, width: float, height: float) -> Image:
        """Choose SVG, or PNG where that is too large.

        Parameters
        ----------
        png, svg : bytes
            The picture.
        width, height : float
            Inches.
        """
        kind, image = ("svg+xml", svg) if len(svg) <= MOST_SVG else ("png", png)
        pixels = (round(PIXELS_AN_INCH * width), round(PIXELS_AN_INCH * height))
        return cls(f"data:image/{kind};base64,{base64.b64encode(image).decode()}", *pixels)


def render_page(report: Report, images: Mapping[str, Image]) -> str:
    """Write the page.

    Parameters
    ----------
    report : Report
    images : mapping of str to Image
        The pictures by name.

    Returns
    -------
    str
        HTML; the same report gives the same text.
    """
    style, script = _asset("page.css"), _asset("page.js")
    # Nothing may be fetched, and no script run but the page's own.
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src '{_digest(script)}'"
    sections = [_section(part, images) for part in report.sections]
    body = "\n".join([_head(report), _short(report), _folded("How to read it", report.guide), *sections])
    foot = f"<footer><p>{escape(report.source)}</p></footer>" if report.source else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="sprawlsim {escape(__version__)}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{escape(report.title)}</title>
<style>
{style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<div class="page">
{_contents(report)}
<main id="main">
{body}
{foot}
</main>
</div>
<script>{script}</script>
</body>
</html>
"""


@lru_cache
def _asset(name: str) -> str:
    return (files("sprawlsim.reports") / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def _contents(report: Report) -> str:
    links = "\n".join(
        f'<li><a href="#{section.name}">{escape(section.title)}</a></li>' for section in report.sections
    )
    return f"""<nav aria-label="Contents">
<details open>
<summary>Contents</summary>
<ol>
{links}
</ol>
</details>
</nav>"""


def _head(report: Report) -> str:
    """Write title, question, caution and facts."""
    parts = [f"<h1>{escape(report.title)}</h1>"]
    if report.subtitle:
        parts.append(f'<p class="subtitle">{escape(report.subtitle)}</p>')
    if report.caution:
        parts.append(f'<p class="caution" role="note">{escape(report.caution)}</p>')
    if report.facts:
        facts = "".join(
            f"<div><dt>{escape(key)}</dt><dd>{escape(value)}</dd></div>"
            for key, value in report.facts.items()
        )
        parts.append(f'<dl class="facts">{facts}</dl>')
    return "<header>\n" + "\n".join(parts) + "\n</header>"


def _short(report: Report) -> str:
    """Write the first finding of each section, with a link to where it is told."""
    found = [(section, section.findings[0]) for section in report.sections if section.findings]
    if not found:
        return ""
    lines = "\n".join(
        f'<li>{escape(finding)} <a href="#{section.name}">{escape(section.title)}</a></li>'
        for section, finding in found
    )
    return f"""<section class="short" aria-labelledby="in-short">
<h2 id="in-short">In short</h2>
<ul>
{lines}
</ul>
</section>"""


def _section(section: Section, images: Mapping[str, Image]) -> str:
    blocks = [f'<h2 id="title-{section.name}">{escape(section.title)}</h2>']
    if section.findings:
        lines = "".join(f"<li>{escape(finding)}</li>" for finding in section.findings)
        blocks.append(f'<ul class="findings">{lines}</ul>')
    blocks += [
        _table(part) if isinstance(part, Table) else _picture(part, images[part.name])
        for part in section.parts
    ]
    blocks.append(_folded("How it was measured", section.details))
    inner = "\n".join(filter(None, blocks))
    return f'<section id="{section.name}" aria-labelledby="title-{section.name}">\n{inner}\n</section>'


def _folded(title: str, texts: Sequence[str]) -> str:
    """Write paragraphs that the reader unfolds."""
    if not texts:
        return ""
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in texts)
    return f'<details class="how"><summary>{title}</summary><div>{paragraphs}</div></details>'


def _picture(item: PictureItem, image: Image) -> str:
    """Write a picture on a white card: its own colours are made for white."""
    return (
        f'<figure id="picture-{item.name}">'
        f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(item.title)}">'
        f'<img src="{image.source}" width="{image.width}" height="{image.height}" alt="{escape(item.alt)}">'
        "</div>"
        f"<figcaption>{escape(item.title)}</figcaption></figure>"
    )


def _table(table: Table) -> str:
    """Write a table that scrolls within its own box, sorts by its headings, and can be taken away as CSV."""
    kinds = ["number" if column.kind in UNITS else "text" for column in table.columns]
    heads = "".join(
        f'<th scope="col" class="{kind}">{escape(column.title)}</th>'
        for kind, column in zip(kinds, table.columns, strict=True)
    )
    columns = [column.cells(table.frame) for column in table.columns]
    rows = "\n".join(_row(row, kinds) for row in zip(*columns, strict=True))
    title = f"table-{table.name}"
    data = base64.b64encode(to_csv(table).encode()).decode()
    link = f'<a download="{table.name}.csv" href="data:text/csv;base64,{data}">{table.name}.csv</a>'
    note = f"{escape(table.note)} " if table.note else ""
    return f"""<h3 id="{title}">{escape(table.title)}</h3>
<div class="scroll" role="region" aria-labelledby="{title}" tabindex="0">
<table aria-labelledby="{title}">
<thead><tr>{heads}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div>
<p class="note">{note}<span class="data">All digits: {link}</span></p>"""


def _row(cells: Sequence[Cell], kinds: Sequence[str]) -> str:
    written = []
    for k, (cell, kind) in enumerate(zip(cells, kinds, strict=True)):
        value = ""
        if kind == "number" and cell.value is not None:
            value = f' data-value="{str(cell.value).replace("inf", "Infinity")}"'
        interval = f' <span class="interval">({escape(cell.interval)})</span>' if cell.interval else ""
        text = escape(cell.text) or '<span class="none">-</span>'
        tag, scope = ("th", ' scope="row"') if k == 0 else ("td", "")
        written.append(f'<{tag}{scope} class="{kind}"{value}>{text}{interval}</{tag}>')
    return f"<tr>{''.join(written)}</tr>"
