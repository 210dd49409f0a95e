"""Pictures of shares: a histogram, parts of a whole, and how far groups get."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sprawlsim.reports.style import (
    BLUE,
    DARK,
    GREY,
    SMALL,
    TEXT,
    Caption,
    Ink,
    dress,
    inks,
    legend_above,
    new_picture,
    ordered_inks,
    readable_on,
    styled,
)

if TYPE_CHECKING:
    import pandas as pd

LEAST_WRITTEN = 0.0185
"""Share of the axis, for each sign of a number and one more, that a part of a bar needs to bear it."""


@styled
def histogram(
    frame: pd.DataFrame,
    caption: Caption,
    *,
    x: str = "round",
    share: str = "share",
    mark: tuple[float, str] | None = None,
) -> Figure:
    """Draw how often each whole number came up, in percent.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row a number: `x`, `share` in 0..1, with ``_low`` and ``_high`` where it has intervals.
    caption : Caption
    x, share : str
        Columns.
    mark : tuple of (float, str), optional
        A place on the axis to point out, such as the mean, and what it is called.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure = new_picture(caption, 3.4)
    axes = figure.subplots()
    at = frame[x].to_numpy(float)
    heights = 100 * frame[share].to_numpy(float)
    tops = heights
    axes.bar(at, heights, width=0.82, color=BLUE, zorder=2)
    if f"{share}_low" in frame:
        low, tops = (100 * frame[f"{share}_{end}"].to_numpy(float) for end in ("low", "high"))
        axes.vlines(at, low, tops, color=DARK, lw=1.1, zorder=3)
    for place, height, top in zip(at, heights, tops, strict=True):
        told = f"{height:.1f}" if height >= 0.05 else "<0.1" if height > 0 else "0"
        axes.annotate(
            told, (place, top), (0, 3), textcoords="offset points", ha="center", fontsize=SMALL, color=DARK
        )
    highest = 1.22 if mark else 1.12
    axes.set_ylim(0, highest * max([*tops, 1e-9]))
    if mark:
        above = axes.get_xaxis_transform()
        axes.plot(mark[0], 0.965, "v", color=DARK, ms=7, transform=above)
        axes.annotate(
            mark[1],
            (mark[0], 0.965),
            (7, 0),
            xycoords=above,
            textcoords="offset points",
            va="center",
            fontsize=TEXT,
        )
    axes.set_xticks(at, [f"{place:g}" for place in at])
    dress(axes, caption, "y")
    axes.tick_params(axis="x", length=0)
    return figure


@styled
def stacked_bars(
    frame: pd.DataFrame,
    caption: Caption,
    *,
    parts: Sequence[str],
    name: str = "name",
    scale: float = 100.0,
    digits: int = 0,
    own: dict[str, Ink] | None = None,
    ordered: bool = False,
) -> Figure:
    """Draw parts of a whole, a bar a row, with the number in every part that has room for it.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row a bar, from top to bottom: `name` and a column for each of the `parts`.
    caption : Caption
    parts : sequence of str
        Columns from left to right; their names stand in the legend.
    name : str
        Column.
    scale : float
        What one is in the axis' unit.
    digits : int
        After the point.
    own : dict of str to Ink
        Inks of parts, such as those of roles.
    ordered : bool
        The parts get worse from left to right (0, 1, 2, 3 or more injuries): ever darker.

    Returns
    -------
    matplotlib.figure.Figure
    """
    drawn = ordered_inks(parts) if ordered else inks(parts, own)
    figure = new_picture(caption, 1.0 + 0.28 * len(frame))
    axes = figure.subplots()
    whole = scale * frame[list(parts)].to_numpy(float).sum(axis=1).max()
    start = [0.0] * len(frame)
    for part in parts:
        ink = drawn[part]
        widths = scale * frame[part].to_numpy(float)
        label = ink.label or part
        axes.barh(
            range(len(frame)),
            widths,
            0.74,
            start,
            color=ink.colour,
            hatch=ink.hatch,
            ec="white",
            lw=0.8,
            label=label,
        )
        for i, width in enumerate(widths):
            told = f"{width:.{digits}f}"
            if width >= LEAST_WRITTEN * (len(told) + 1) * whole:
                _write_in(axes, (start[i] + width / 2, i), told, ink)
            start[i] += width
    axes.set_yticks(range(len(frame)), frame[name].astype(str).tolist())
    axes.set_ylim(len(frame) - 0.45, -0.55)
    axes.set_xlim(0, whole)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    dress(axes, caption)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    legend_above(figure, axes, axes.containers)
    return figure


def _write_in(axes: Axes, at: tuple[float, float], text: str, ink: Ink) -> None:
    """Write a number on a part of a bar; a hatch is kept from running through it."""
    box = {"boxstyle": "round,pad=0.25", "fc": ink.colour, "ec": "none"} if ink.hatch else None
    axes.text(*at, text, ha="center", va="center", fontsize=SMALL, color=readable_on(ink.colour), bbox=box)


@styled
def stage_survival(
    frame: pd.DataFrame,
    caption: Caption,
    *,
    group: str = "group",
    step: str = "stage",
    reached: str = "reached",
    cleared: str = "cleared",
    across: int = 4,
) -> Figure:
    """Draw, in a panel for each group, how many reach each step and how many clear it.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row a group and step, in order: `group`, `step` (its name), `reached` and `cleared` in 0..1.
    caption : Caption
    group, step, reached, cleared : str
        Columns; the words of the last two stand in the legend.
    across : int
        Panels side by side.

    Returns
    -------
    matplotlib.figure.Figure
    """
    groups = list(dict.fromkeys(frame[group].astype(str)))
    columns = min(across, len(groups))
    lines = ceil(len(groups) / columns)
    figure = new_picture(caption, 0.95 + 2.05 * lines)
    panels = figure.subplots(lines, columns, squeeze=False, sharey=True).ravel()
    for k, panel in enumerate(panels):
        if k >= len(groups):
            panel.set_visible(False)
            continue
        rows = frame[frame[group].astype(str) == groups[k]]
        at = range(len(rows))
        panel.bar(at, 100 * rows[reached], 0.8, color=GREY, hatch="////", ec="white", lw=0, label=reached)
        panel.bar(at, 100 * rows[cleared], 0.56, color=BLUE, label=cleared)
        for i, share in enumerate(100 * rows[cleared]):
            panel.annotate(
                f"{share:.0f}", (i, share), (0, 2), textcoords="offset points", ha="center", fontsize=SMALL
            )
        panel.set_xticks(at, rows[step].astype(str).tolist())
        panel.set_title(groups[k], fontsize=TEXT, loc="left", color=DARK, pad=4)
        dress(panel, Caption("", "", caption.x, caption.y if k % columns == 0 else ""))
        panel.tick_params(axis="x", length=0)
        panel.set_ylim(0, 112)
        panel.set_yticks([0, 25, 50, 75, 100])
    legend_above(figure, panels[0], panels[0].containers, groups[0])
    return figure
