"""The picture of an efficient frontier: what completion costs, and what best play accepts at each price."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sprawlsim.reports.style import BLUE, DARK, GREEN, GREY, ORANGE, PURPLE, VERMILION, Picture

if TYPE_CHECKING:
    from sprawlsim.sprawlops.mission.frontier import Frontier

MARKS = {
    ("icons-first", False): ("s", VERMILION),
    ("cancel-first", False): ("^", ORANGE),
    ("cancel-first", True): ("v", ORANGE),
    ("balanced", False): ("D", GREEN),
    ("balanced", True): ("P", GREEN),
}
"""Shape and colour of a rule of thumb, without and with a price: the shape alone tells them apart."""
OTHER_MARK = ("h", PURPLE)

HARMS = (("injuries", "injured or rescued", ORANGE, "-"), ("deaths", "dead", DARK, "--"))

LINE_OF_TEXT = 0.052
"""Height of a label, as a share of the axes."""


def draw_frontier(frontier: Frontier) -> Figure:
    """Draw completion against cost, and what best play accepts at each price.

    Returns
    -------
    matplotlib.figure.Figure
        Two panels: the frontier with the rules of thumb beneath it; injuries and deaths by price.
    """
    figure = Picture(figsize=(11, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.5, 1))
    _draw_cost(left, frontier)
    _draw_prices(right, frontier)
    most = frontier.points[0]
    figure.suptitle(
        f"{frontier.title}: best play completes {most.completed:.2%} at most",
        fontsize=14,
        fontweight="bold",
        color=DARK,
    )
    source = f"card set {frontier.card_set}" if frontier.card_set else "scenario file"
    sampled = any(rule.engine != "exact" for rule in frontier.rules_of_thumb)
    how = "rules of thumb sampled, with 95% intervals" if sampled else "exact"
    figure.supxlabel(f"{how}; {source}", fontsize=8.5, color="#555555")
    return figure


def _draw_cost(axes: Axes, frontier: Frontier) -> None:
    """Draw the frontier, and the rules of thumb as dots beneath it."""
    costs = [point.cost for point in frontier.points]
    completed = [100 * point.completed for point in frontier.points]
    rules = frontier.rules_of_thumb
    right = 1.06 * max([*costs, *(rule.cost.high for rule in rules)]) or 1.0
    top = max([*completed, *(100 * rule.completed.high for rule in rules)]) or 1.0
    axes.set_xlim(-0.03 * right, right)
    axes.set_ylim(-0.05 * top, 1.08 * top)
    axes.plot([costs[0], right], [completed[0]] * 2, color=BLUE, lw=1.2, ls=":", zorder=1)
    axes.plot(costs, completed, color=BLUE, lw=1.8, marker="o", ms=3.5, zorder=2)
    dots = [("best play", right, completed[0])]
    for rule in rules:
        x, y = rule.cost, rule.completed
        shape, colour = MARKS.get((rule.policy, rule.price > 0.0), OTHER_MARK)
        axes.errorbar(
            x.estimate,
            100 * y.estimate,
            xerr=[[x.estimate - x.low], [x.high - x.estimate]],
            yerr=[[100 * (y.estimate - y.low)], [100 * (y.high - y.estimate)]],
            fmt=shape,
            color=colour,
            ms=8,
            mec=DARK,
            mew=0.8,
            ecolor=DARK,
            zorder=3,
        )
        dots.append((rule.name, x.estimate, 100 * y.estimate))
    _name_dots(axes, dots)
    _name_end(axes, frontier)
    axes.set_xlabel(f"cost: expected injuries + {frontier.death_ratio:g} x expected deaths")
    axes.set_ylabel("% of attempts completed")
    axes.set_title("What completion costs", loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)


def _name_dots(axes: Axes, dots: list[tuple[str, float, float]]) -> None:
    """Write names in a column right of the axes, each with a line to its dot, none over another."""
    bottom, top = axes.get_ylim()
    dots = sorted(dots, key=lambda dot: (-dot[2], -dot[1]))
    heights: list[float] = []
    for _, _, y in dots:
        wanted = (y - bottom) / (top - bottom)
        heights.append(min([wanted, *(above - LINE_OF_TEXT for above in heights[-1:])]))
    lowest = 0.0
    for i in reversed(range(len(heights))):
        heights[i] = max(heights[i], lowest)
        lowest = heights[i] + LINE_OF_TEXT
    for (name, x, y), height in zip(dots, heights, strict=True):
        axes.annotate(
            name,
            (x, y),
            (1.02, height),
            textcoords="axes fraction",
            va="center",
            fontsize=9,
            color=DARK,
            arrowprops={"arrowstyle": "-", "color": GREY, "lw": 0.8, "shrinkB": 0, "relpos": (0, 0.5)},
            zorder=1,
        )


def _name_end(axes: Axes, frontier: Frontier) -> None:
    """Say where best play pulls out."""
    last = frontier.points[-1]
    if last.pulls_out and len(frontier.points) > 1:
        axes.annotate(
            f"pulls out, from price {last.price_from:.3g} on",
            (last.cost, 100 * last.completed),
            (14, 7),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=DARK,
        )


def _draw_prices(axes: Axes, frontier: Frontier) -> None:
    """Draw expected injuries and deaths as steps over the price of an injury."""
    points = frontier.points
    end = 1.25 * points[-1].price_from or 1.0
    prices = [*(point.price_from for point in points), end]
    for key, name, colour, style in HARMS:
        heights = [getattr(point, key) for point in points]
        axes.step(prices, [*heights, heights[-1]], where="post", color=colour, ls=style, lw=1.8, label=name)
    axes.set_xlim(0, end)
    axes.set_ylim(0, 1.12 * max(point.injuries + point.deaths for point in points) or 1.0)
    axes.set_xlabel("price of an injury, in completions")
    axes.set_ylabel("runners expected")
    axes.set_title("What best play accepts", loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper right", fontsize=8.5)
