"""Gains in words and as a picture: what one thing is worth more than another."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from sprawlsim.sprawlops.mission.aims import CHANCES, objective_for
from sprawlsim.sprawlops.mission.scenario import Objective

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SAME_WORTH = 1e-12
"""Worths that differ by less, relative to worths beyond 1, do not differ."""

EXPECTATIONS = ("completed", "nuyen", "loot", "injuries", "deaths")


def same_worth(one: float, other: float) -> bool:
    """Say whether two worths differ by no more than rounding."""
    return abs(one - other) <= SAME_WORTH * max(1.0, abs(one), abs(other))


def is_chance(objective: Objective) -> bool:
    """Say whether an objective's value is the chance of something."""
    return objective in CHANCES


def worth_text(worth: float, chance: bool) -> str:
    """Write a worth: a chance in percent, another one with three digits."""
    return f"{worth:.2%}" if chance else f"{worth + 0.0:.3f}"


def change_text(change: float, chance: bool) -> str:
    """Write a change with its sign, that of a chance in points; a small one never as nothing."""
    scaled = 100.0 * change if chance else change
    text = f"{scaled:+.{2 if chance else 3}f}"
    return text if float(text) or not scaled else f"{scaled:+.1g}"


def worth_heading(objective: Objective) -> str:
    """Name the figure that an objective comes to, in a word or three."""
    names = {"complete": "completes", "payout": "wins the payout", "safe": "completes, nobody dead"}
    return next((name for aim, name in names.items() if objective == objective_for(aim)), "worth")


def objective_weights(objective: Objective) -> dict[str, float]:
    """Give an objective as plain data."""
    return {key: getattr(objective, key) for key in objective.__struct_fields__}


def html_table(caption: str, rows: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    """Put rows of cells, the first of them headings, into a table with a caption, notes beneath."""
    lines = ""
    for kind, row in zip(["th", *["td"] * (len(rows) - 1)], rows, strict=True):
        lines += f"<tr>{''.join(f'<{kind}>{html.escape(cell)}</{kind}>' for cell in row)}</tr>"
    below = "".join(f"<p><small>{html.escape(note)}</small></p>" for note in notes)
    return f"<table><caption>{html.escape(caption)}</caption>{lines}</table>{below}"


class Bar(NamedTuple):
    """A bar of a picture of gains: what it is about, its length, and a figure to write beside it."""

    label: str
    gain: float
    figure: str


def draw_gains(title: str, subtitle: str, bars: Sequence[Bar], chance: bool, what: str = "gain") -> Figure:
    """Draw gains as bars, those below nothing hatched.

    Parameters
    ----------
    title, subtitle : str
    bars : sequence of Bar
        From top to bottom.
    chance : bool
        Whether the gains are of a chance, in 0..1.
    what : str
        What they are called on the axis.

    Returns
    -------
    matplotlib.figure.Figure
    """
    from sprawlsim.reports.style import BLUE, DARK, ORANGE, Picture

    labels = [textwrap.fill(bar.label, 44, break_on_hyphens=False) for bar in bars]
    height = 1.6 + 0.2 * sum(label.count("\n") + 1.6 for label in labels)
    figure = Picture(figsize=(10, height), layout="constrained")
    axes = figure.subplots()
    lengths = [bar.gain * (100.0 if chance else 1.0) for bar in bars]
    for i, (bar, length) in enumerate(zip(bars, lengths, strict=True)):
        hurts = length < 0
        axes.barh(i, length, color=ORANGE if hurts else BLUE, hatch="///" * hurts, edgecolor="white")
        axes.annotate(
            _beside(bar, chance),
            (length, i),
            (-4 if hurts else 4, 0),
            textcoords="offset points",
            ha="right" if hurts else "left",
            va="center",
            fontsize=9,
        )
    axes.set_yticks(range(len(bars)), labels)
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.axvline(0, color=DARK, lw=0.8)
    low, high = min([0.0, *lengths]), max([0.0, *lengths])
    longest = max((len(_beside(bar, chance)) for bar in bars), default=0)
    room = max(0.25, 0.014 * longest) * (high - low) or 1.0
    axes.set_xlim(low - room * (low < 0), high + room)
    unit = "percentage points" if chance else "worth"
    axes.set_xlabel(f"{what} in {unit}" + "; hatched: a loss" * (low < 0))
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.suptitle(title, fontsize=13, fontweight="bold", color=DARK)
    axes.set_title(textwrap.fill(subtitle, 110), fontsize=8.5, color="#555555")
    return figure


def _beside(bar: Bar, chance: bool) -> str:
    """Write what stands at the end of a bar."""
    return f"{change_text(bar.gain, chance) if bar.gain else 'no difference'} ({bar.figure})"
