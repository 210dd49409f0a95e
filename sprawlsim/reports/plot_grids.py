"""Pictures of tables: a number in every cell, the colour to find it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from sprawlsim.reports.style import (
    DARK,
    GREY,
    MUTED,
    SMALL,
    TEXT,
    WIDTH,
    Caption,
    Picture,
    dress,
    new_picture,
    readable_on,
    styled,
    width_of,
    wrap,
)
from sprawlsim.stats.text import format_rounded

if TYPE_CHECKING:
    import pandas as pd

ROW = 0.27
"""Inches of a row."""


@styled
def heat_map(
    frame: pd.DataFrame,
    caption: Caption,
    *,
    low: float | None = None,
    high: float | None = None,
    scale: float = 100.0,
    digits: int = 0,
    measure: str = "%",
) -> Figure:
    """Draw a table of one measure, light where it is high; cells without a number are hatched.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows and columns by name, a number or NaN in each cell.
    caption : Caption
    low, high : float, optional
        Ends of the colours, in the frame's unit; the lowest and highest cell when left out.
    scale : float
        What one is in the unit printed.
    digits : int
        After the point.
    measure : str
        Name and unit of the number, beside the colours.

    Returns
    -------
    matplotlib.figure.Figure
    """
    values = frame.to_numpy(float) * scale
    known = values[np.isfinite(values)]
    bottom = known.min(initial=np.inf) if low is None else scale * low
    top = known.max(initial=-np.inf) if high is None else scale * high
    if not known.size:
        bottom = top = 0.0
    norm = Normalize(bottom, top if top > bottom else bottom + 1.0)
    figure, axes = _grid(frame, caption, values, (colormaps["cividis"], norm))
    _write(axes, values, lambda v: format_rounded(v, digits), (colormaps["cividis"], norm))
    _colour_bar(figure, axes, measure)
    return figure


@styled
def matrix(
    frame: pd.DataFrame,
    caption: Caption,
    *,
    unsure: pd.DataFrame | None = None,
    scale: float = 100.0,
    digits: int = 1,
    measure: str = "percentage points above even",
) -> Figure:
    """Draw payoffs of the rows against the columns: purple above 0, orange below, the number with its sign.

    Parameters
    ----------
    frame : pandas.DataFrame
        Square or not; NaN where two do not meet.
    caption : Caption
    unsure : pandas.DataFrame of bool, optional
        Of the same shape: cells whose interval holds 0 are printed in brackets.
    scale, digits, measure
        As in `heat_map`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    values = frame.to_numpy(float) * scale
    most = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    look = (colormaps["PuOr"], Normalize(-most, most))
    figure, axes = _grid(frame, caption, values, look)
    doubt = np.zeros(values.shape, bool) if unsure is None else unsure.to_numpy(bool)
    _write(axes, values, lambda v: format_rounded(v, digits, True), look, doubt)
    _colour_bar(figure, axes, measure)
    return figure


def _grid(
    frame: pd.DataFrame, caption: Caption, values: Any, look: tuple[Any, Normalize]
) -> tuple[Picture, Axes]:
    """Draw the cells and name rows and columns, the columns above."""
    rows, columns = values.shape
    names = [str(name) for name in frame.columns]
    longest = max(width_of(str(name), TEXT) for name in frame.index)
    cell = 0.97 * (WIDTH - 1.25 - longest) / columns
    wrapped = [wrap(name.replace("-", "- "), cell, TEXT).replace("- ", "-") for name in names]
    turned = any(width_of(line, TEXT) > cell for name in wrapped for line in name.splitlines())
    above = 0.72 * max(width_of(name, TEXT) for name in names)
    if not turned:
        above = 0.16 * max(name.count("\n") + 1 for name in wrapped)
    figure = new_picture(caption, 0.75 + above + ROW * rows + 0.3 * bool(caption.x))
    axes = figure.subplots()
    cmap, norm = look
    axes.pcolormesh(np.ma.masked_invalid(values), cmap=cmap, norm=norm, edgecolors="white", linewidth=1.2)
    for i, j in np.argwhere(np.isnan(values)):
        axes.add_patch(Rectangle((j, i), 1, 1, fc="white", ec=GREY, hatch="////", lw=0))
    dress(axes, caption)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.set_ylim(rows, 0)
    axes.set_yticks(np.arange(rows) + 0.5, [str(name) for name in frame.index])
    axes.xaxis.set_label_position("top")
    axes.xaxis.tick_top()
    axes.tick_params(axis="x", length=0, pad=3)
    for axis in (axes.xaxis, axes.yaxis):
        axis.label.set(color=MUTED, style="italic")
        axis.labelpad = 7
    if turned:
        axes.set_xticks(np.arange(columns) + 0.5, names, rotation=40, ha="left", rotation_mode="anchor")
    else:
        axes.set_xticks(np.arange(columns) + 0.5, wrapped)
    return figure, axes


def _write(axes: Axes, values: Any, text: Any, look: tuple[Any, Normalize], doubt: Any = None) -> None:
    """Write every number in the colour that can be read on its cell."""
    cmap, norm = look
    for (i, j), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        told = f"({text(value)})" if doubt is not None and doubt[i, j] else text(value)
        colour = readable_on(cmap(norm(value)))
        axes.text(j + 0.5, i + 0.5, told, ha="center", va="center", fontsize=TEXT - 0.5, color=colour)


def _colour_bar(figure: Picture, axes: Axes, measure: str) -> None:
    bar = figure.colorbar(axes.collections[0], ax=axes, fraction=0.04, pad=0.015, aspect=30)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=SMALL, colors=MUTED, length=0)
    bar.set_label(measure, fontsize=SMALL, color=DARK)
