"""Pictures of effects: intervals or dots in a column, and what is paid against what it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from sprawlsim.reports.labels import name_ends, name_points
from sprawlsim.reports.style import (
    BLUE,
    DARK,
    GREY,
    MUTED,
    PALE,
    SMALL,
    TEXT,
    VERMILION,
    Caption,
    Ink,
    dress,
    inks,
    legend_above,
    new_picture,
    styled,
    width_of,
)
from sprawlsim.stats.intervals import Estimate
from sprawlsim.stats.text import common_digits, format_rounded, format_scaled

if TYPE_CHECKING:
    import pandas as pd

ROW = 0.225
"""Inches of a row of a forest."""
ROW_OF_DOTS = 0.31
"""The same of a row of dots."""
APART = 0.66
"""How far from the first to the last mark of a row, as a share of it: marks of one value do not hide."""
HEIGHT = 4.9
"""Inches of a picture of residuals."""


@styled
def forest(
    frame: pd.DataFrame,
    caption: Caption,
    *,
    name: str = "name",
    value: str = "effect",
    group: str | None = None,
    rank: str | None = None,
    scale: float = 1.0,
    digits: int | None = None,
    own: dict[str, Ink] | None = None,
) -> Figure:
    """Draw effects with their intervals, one a row, about the line of no effect.

    Filled marks are effects that are resolved from 0; hollow ones may be nothing.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row an item, from top to bottom: `name`, `value`, `value` + ``_low`` and ``_high``; ``resolved``
        where a test has decided that (of many effects at once, say), else what has an interval without 0 is.
    caption : Caption
    name, value, group, rank : str
        Columns; `group` (such as the deck) has a mark of its own, `rank` (such as "2-4") stands before names.
    scale : float
        What one is in the axis' unit, such as 100 for percentage points.
    digits : int, optional
        After the point; as many as the middle interval allows when left out.
    own : dict of str to Ink
        Inks of groups.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure = new_picture(caption, 1.0 + ROW * len(frame))
    axes = figure.subplots()
    of = frame[group].astype(str).tolist() if group else [""] * len(frame)
    drawn = inks(list(dict.fromkeys(of)), own) if group else {"": Ink(BLUE)}
    rows = frame[[value, f"{value}_low", f"{value}_high"]].to_numpy(float) * scale
    known = [Estimate(*map(float, row)) for row in rows]
    if digits is None:
        digits = common_digits([effect.half_width for effect in known], 2)
    filled = (
        frame["resolved"].astype(bool).tolist()
        if "resolved" in frame
        else [_is_sure(effect) for effect in known]
    )
    for i, effect in enumerate(known):
        _draw_effect(axes, i, effect, drawn[of[i]], digits, filled[i])
    axes.axvline(0, color=DARK, lw=0.9, zorder=1)
    names = frame[name].astype(str).tolist()
    axes.set_yticks(range(len(frame)), names)
    axes.set_ylim(len(frame) - 0.4, -0.6)
    dress(axes, caption, "x")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    if rank:
        _write_ranks(axes, names, frame[rank].astype(str).tolist())
    marks = [_mark(ink, ink.label or key) for key, ink in drawn.items() if key]
    if not all(filled):
        marks.append(_mark(Ink(MUTED), "hollow: may be no effect", mfc="white"))
    if marks or rank:
        legend_above(figure, axes, marks, " " if rank else "")  # a line for the ranks' heading
    return figure


def _is_sure(effect: Estimate) -> bool:
    return not effect.low <= 0.0 <= effect.high


def _mark(ink: Ink, label: str, **look: Any) -> Line2D:
    """Give a mark for a legend."""
    return Line2D([], [], ls="", marker=ink.marker, color=ink.colour, label=label, **look)


def _draw_effect(axes: Axes, row: int, effect: Estimate, ink: Ink, digits: int, sure: bool) -> None:
    """Draw one effect with its interval, and write both beside the axes."""
    ends = [effect.low, effect.high]
    axes.plot(ends, [row] * 2, color=ink.colour if sure else GREY, lw=2.2, solid_capstyle="butt", zorder=2)
    face = ink.colour if sure else "white"
    axes.plot(effect.estimate, row, ink.marker, ms=6, mfc=face, mec=ink.colour, mew=1.2, zorder=3)
    number, interval = format_scaled(effect, signed=True, digits=digits)
    axes.annotate(
        number if effect.low == effect.high else f"{number}  ({interval})",
        (1.015, row),
        xycoords=axes.get_yaxis_transform(),
        va="center",
        fontsize=SMALL,
        color=DARK if sure else MUTED,
        annotation_clip=False,
    )


def _write_ranks(axes: Axes, names: list[str], ranks: list[str]) -> None:
    """Write ranks in a column of their own, left of the names."""
    left = 72 * max(width_of(name, TEXT) for name in names) + 12
    for i, place in enumerate(ranks):
        axes.annotate(
            place,
            (0, i),
            (-left, 0),
            xycoords=axes.get_yaxis_transform(),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=SMALL,
            color=MUTED,
            annotation_clip=False,
        )
    axes.annotate(
        "rank",
        (0, 1),
        (-left, 3),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="right",
        fontsize=SMALL,
        color=MUTED,
        annotation_clip=False,
    )


@styled
def dot_rows(frame: pd.DataFrame, caption: Caption, *, marks: Sequence[str], name: str = "name") -> Figure:
    """Draw several values of each row about the line of 0, each with its own mark, from end to end.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row an item, from top to bottom: `name`, and a column for each of the `marks`; what is missing is
        not drawn.
    caption : Caption
    marks : sequence of str
        Columns; their names stand in the legend.
    name : str
        Column.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure = new_picture(caption, 1.0 + ROW_OF_DOTS * len(frame))
    axes = figure.subplots()
    drawn = inks(list(marks))
    values = frame[list(marks)].to_numpy(float)
    for i, row in enumerate(values):
        known = row[np.isfinite(row)]
        if len(known):
            axes.plot([known.min(), known.max()], [i, i], color=GREY, lw=1.6, zorder=2)
        if i % 2:
            axes.axhspan(i - 0.5, i + 0.5, color=PALE, alpha=0.6, lw=0, zorder=0)
    offsets = np.linspace(-APART / 2, APART / 2, len(marks)) if len(marks) > 1 else np.zeros(1)
    for mark, column, offset in zip(marks, values.T, offsets, strict=True):
        ink = drawn[mark]
        at = np.arange(len(frame)) + offset
        axes.plot(column, at, ink.marker, ls="", ms=6, color=ink.colour, mec="white", mew=0.6, zorder=3)
    axes.axvline(0, color=DARK, lw=0.9, zorder=1)
    axes.xaxis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10]))
    axes.set_yticks(range(len(frame)), frame[name].astype(str).tolist())
    axes.set_ylim(len(frame) - 0.4, -0.6)
    dress(axes, caption, "x")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    legend_above(figure, axes, [_mark(ink, ink.label or key) for key, ink in drawn.items()])
    return figure


@styled
def scatter_residuals(
    frame: pd.DataFrame,
    caption: Caption,
    *,
    x: str = "value",
    y: str = "cost",
    name: str = "name",
    group: str | None = None,
    named: int = 8,
    scale: float = 1.0,
    unit: str = "",
) -> Figure:
    """Draw what is asked against what it is worth: the fitted line, every residual, the outliers by name.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row an item: `name`, `x` (with ``_low`` and ``_high`` where it has intervals), `y`, ``fitted``.
        Rows of a `group` are joined by one line of fit, which is named at its end.
    caption : Caption
    x, y, name, group : str
        Columns.
    named : int
        How many of the largest residuals are written out.
    scale : float
        What one of `x` is in the axis' unit.
    unit : str
        Of `y`, for residuals: "K".

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure = new_picture(caption, HEIGHT)
    axes = figure.subplots()
    across, up, fitted = (frame[key].to_numpy(float) for key in (x, y, "fitted"))
    across = across * scale
    residuals = up - fitted
    of = frame[group].astype(str).to_numpy() if group else np.full(len(frame), "")
    drawn = inks(list(dict.fromkeys(of)))
    ends = []
    for key, ink in drawn.items():
        rows = np.flatnonzero(of == key)
        order = rows[np.argsort(across[rows], kind="stable")]
        axes.plot(across[order], fitted[order], color=ink.colour if key else MUTED, lw=1.4, zorder=1)
        ends.append((float(across[order[-1]]), float(fitted[order[-1]]), f"{key} line", ink.colour))
        axes.plot(
            across[rows], up[rows], ink.marker, ms=6.5, color=ink.colour, mec="white", mew=0.7, zorder=3
        )
    for i, residual in enumerate(residuals):
        colour, style = (VERMILION, "-") if residual > 0 else (BLUE, (0, (2, 1.5)))
        axes.plot([across[i]] * 2, [fitted[i], up[i]], color=colour, lw=1.1, ls=style, zorder=2)
    if f"{x}_low" in frame:
        low, high = (scale * frame[f"{x}_{end}"].to_numpy(float) for end in ("low", "high"))
        axes.hlines(up, low, high, color=GREY, lw=1.0, zorder=1)
    dress(axes, caption, "both")
    axes.margins(0.08, 0.1)
    marks = [_mark(ink, key) for key, ink in drawn.items() if key]
    if group:
        name_ends(axes, ends, HEIGHT - 1.0)
    else:
        marks.append(Line2D([], [], color=MUTED, lw=1.4, label="line of comparison"))
    marks.append(Line2D([], [], color=VERMILION, lw=1.1, label="above it"))
    marks.append(Line2D([], [], color=BLUE, lw=1.1, ls=(0, (2, 1.5)), label="below it"))
    legend_above(figure, axes, marks)
    by_size = sorted(range(len(frame)), key=lambda i: (-abs(residuals[i]), i))
    labels = [f"{n} {format_rounded(r, 1, True)}{unit}" for n, r in zip(frame[name], residuals, strict=True)]
    shown = [labels[i] if k < named else "" for k, i in enumerate(by_size)]
    points = [(float(across[i]), float(up[i])) for i in by_size]
    stems = [(float(across[i]), float(fitted[i]), float(up[i])) for i in by_size]
    name_points(figure, axes, points, shown, stems)
    return figure
