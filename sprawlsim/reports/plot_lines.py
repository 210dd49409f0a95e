"""Pictures of what changes from round to round: lines with bands, named at their ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sprawlsim.reports.labels import name_ends
from sprawlsim.reports.style import Caption, Ink, dress, inks, new_picture, styled

if TYPE_CHECKING:
    import pandas as pd

HEIGHT = 3.8


@styled
def lines(
    frame: pd.DataFrame,
    caption: Caption,
    *,
    x: str = "round",
    y: str = "value",
    group: str = "group",
    scale: float = 1.0,
    from_zero: bool = True,
    own: dict[str, Ink] | None = None,
) -> Figure:
    """Draw a line for each group, with its interval as a band and its name at its end.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row a group and place: `x`, `y` (with ``_low`` and ``_high`` where it has intervals), `group`.
    caption : Caption
    x, y, group : str
        Columns.
    scale : float
        What one of `y` is in the axis' unit.
    from_zero : bool
        The axis starts at 0.
    own : dict of str to Ink
        Inks of groups.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure = new_picture(caption, HEIGHT)
    axes = figure.subplots()
    of = frame[group].astype(str)
    drawn = inks(list(dict.fromkeys(of)), own)
    ends = []
    for key, ink in drawn.items():
        rows = frame[of == key].sort_values(x)
        at, heights = rows[x].to_numpy(float), scale * rows[y].to_numpy(float)
        if f"{y}_low" in rows:
            low, high = (scale * rows[f"{y}_{end}"].to_numpy(float) for end in ("low", "high"))
            axes.fill_between(at, low, high, color=ink.colour, alpha=0.18, lw=0)
        axes.plot(at, heights, color=ink.colour, ls=ink.line, marker=ink.marker, ms=4.5, lw=1.7)
        ends.append((at[-1], heights[-1], ink.label or key, ink.colour))
    dress(axes, caption, "y")
    axes.margins(x=0.03)
    if from_zero:
        axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    name_ends(axes, ends, HEIGHT - 1.0)
    return figure
