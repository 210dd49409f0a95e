"""Names beside points and at the ends of lines, none over another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from sprawlsim.reports.style import DARK, GREY, SMALL, Picture, settle

Boxes = npt.NDArray[np.float64]

_DISTANCES = (9.0, 16.0, 25.0, 36.0, 50.0, 66.0, 84.0)
"""How far from its point a name is tried, in points."""

_DIRECTIONS = 16
_COVERED, _DOUBTFUL = 100.0, 60.0
"""What covering a square pixel counts, and each point as near as the own, in points of distance."""

_MARK = 5.0
"""Half the side of the box around a point that no name may cover, in points."""


def name_points(
    figure: Picture,
    axes: Axes,
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    stems: Sequence[tuple[float, float, float]] = (),
) -> None:
    """Write a name beside every point that has one, as near as nothing is covered.

    Greedy, in the order given: a name is tried all round its point, then farther away with a line to it. A
    name that fits nowhere goes where it covers least.

    Parameters
    ----------
    figure : Picture
        All else must be drawn already: from here on its axes stay where they are.
    axes : matplotlib.axes.Axes
    points : sequence of (float, float)
        In data coordinates; all points, for none should be covered.
    names : sequence of str
        As many; an empty one is not written.
    stems : sequence of (x, from, to)
        Vertical lines that should not be covered either.
    """
    settle(figure)
    pixels = figure.dpi / 72
    inside = np.array(axes.get_window_extent().extents)
    centres = [(float(x), float(y)) for x, y in map(axes.transData.transform, points)]
    taken = [np.array([x - _MARK, y - _MARK, x + _MARK, y + _MARK]) for x, y in centres]
    for x, one, other in stems:
        (left, low), (_, high) = axes.transData.transform([(x, min(one, other)), (x, max(one, other))])
        taken.append(np.array([left - 1.5, low, left + 1.5, high]))
    for point, centre, name in zip(points, centres, names, strict=True):
        if not name:
            continue
        text = axes.text(*point, name, fontsize=SMALL)
        size = text.get_window_extent()
        text.remove()
        boxes, distances = _places(centre, size.width, size.height, pixels)
        others = np.array([other for other in centres if other != centre]).reshape(-1, 2)
        best = _best_place(boxes, distances, np.array(taken), others, inside, pixels)
        box, distance = boxes[best], distances[best]
        middle = ((box[0] + box[2]) / 2 - centre[0], (box[1] + box[3]) / 2 - centre[1])
        axes.annotate(
            name,
            point,
            (middle[0] / pixels, middle[1] / pixels),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=SMALL,
            color=DARK,
            zorder=5,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
            arrowprops=None
            if distance <= _DISTANCES[0]
            else {"arrowstyle": "-", "color": GREY, "lw": 0.8, "shrinkA": 0, "shrinkB": 3},
        )
        taken.append(box)


def _places(centre: tuple[float, float], width: float, height: float, pixels: float) -> tuple[Boxes, Boxes]:
    """Give boxes of a name around its point, and their distances: the nearest first, right of it first."""
    turns = np.array([(k + 1) // 2 * (-1) ** k for k in range(_DIRECTIONS)]) * 2 * np.pi / _DIRECTIONS
    distances = np.repeat(_DISTANCES, _DIRECTIONS)
    turns = np.tile(turns, len(_DISTANCES))
    x = centre[0] + np.cos(turns) * (distances * pixels + width / 2) - width / 2
    y = centre[1] + np.sin(turns) * (distances * pixels + height / 2) - height / 2
    return np.stack([x, y, x + width, y + height], axis=1), distances


def _best_place(
    boxes: Boxes, distances: Boxes, taken: Boxes, others: Boxes, inside: Boxes, pixels: float
) -> int:
    """Choose the place that covers least, then one that is not as near to another point as to its own."""
    roomy = boxes + np.array([-1.5, -1.5, 1.5, 1.5])
    areas = (roomy[:, 2] - roomy[:, 0]) * (roomy[:, 3] - roomy[:, 1])
    covered = _overlap(roomy[:, None], taken[None]).sum(axis=1)
    outside = areas - _overlap(roomy, inside)
    nearest = np.maximum(boxes[:, None, :2] - others, others - boxes[:, None, 2:]).clip(0.0)
    doubtful = (np.hypot(nearest[..., 0], nearest[..., 1]) < distances[:, None] * pixels + 3.0).sum(axis=1)
    return int(np.argmin(_COVERED * (covered + outside).round(6) + _DOUBTFUL * doubtful + distances))


def _overlap(one: Boxes, other: Boxes) -> Boxes:
    """Give the area that boxes share; a box is its left, lower, right and upper end."""
    low = np.maximum(one[..., :2], other[..., :2])
    high = np.minimum(one[..., 2:], other[..., 2:])
    shared: Boxes = np.prod(np.clip(high - low, 0.0, None), axis=-1)
    return shared


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move heights as little as needed so that any two are `gap` apart, between `low` and `high`.

    The order stays. With more heights than there is room for, they are set evenly.

    Examples
    --------
    >>> spread([0.5, 0.5, 0.9], 0.1, 0.0, 1.0)
    [0.45, 0.55, 0.9]
    """
    from scipy.optimize import isotonic_regression

    n = len(wanted)
    order = sorted(range(n), key=lambda i: wanted[i])
    gap = min(gap, (high - low) / max(1, n - 1))
    heights = [0.0] * n
    if n:
        # Without the gaps, heights must not fall: that is isotonic regression.
        levels = isotonic_regression([wanted[i] - k * gap for k, i in enumerate(order)]).x
        top = high - (n - 1) * gap
        for k, i in enumerate(order):
            heights[i] = round(min(max(float(levels[k]), low), top) + k * gap, 9)
    return heights


def name_ends(axes: Axes, ends: Sequence[tuple[float, float, str, str]], inches: float) -> None:
    """Write names right of the axes, each by its line's end, none over another.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Its limits must be set.
    ends : sequence of (x, y, name, colour)
        In data coordinates; the colour is that of the line to the name.
    inches : float
        About how high the axes are.
    """
    bottom, top = axes.get_ylim()
    gap = 1.35 * SMALL / (72 * inches)
    heights = spread([(y - bottom) / (top - bottom) for _, y, _, _ in ends], gap, 0.0, 1.0)
    for (x, y, name, colour), at in zip(ends, heights, strict=True):
        axes.annotate(
            name,
            (x, y),
            (1.02, at),
            xycoords="data",
            textcoords="axes fraction",
            va="center",
            fontsize=SMALL,
            color=DARK,
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.9, "shrinkB": 0, "relpos": (0, 0.5)},
            annotation_clip=False,
        )
