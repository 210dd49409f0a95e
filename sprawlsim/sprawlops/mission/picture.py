"""The picture of a Mission's odds: how far the team gets, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sprawlsim.reports.style import BLUE, DARK, GREY, ORANGE, TEAL, Picture
from sprawlsim.stats.text import format_estimate

if TYPE_CHECKING:
    from sprawlsim.sprawlops.mission.odds import Odds


def draw_odds(odds: Odds) -> Figure:
    """Draw Stages reached and cleared, and how each runner ends.

    Returns
    -------
    matplotlib.figure.Figure
        Two panels; every bar carries its number.
    """
    figure = Picture(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_stages(left, odds)
    _draw_runners(right, odds)
    value, interval = format_estimate(odds.completed, True)
    figure.suptitle(f"{odds.title}: {value} to complete", fontsize=14, fontweight="bold", color=DARK)
    source = f"card set {odds.card_set}" if odds.card_set else "scenario file"
    how = "best play" if odds.policy == "best" else f"policy {odds.policy}"
    known = "exact" if odds.engine == "exact" else f"{interval}%"
    attempts = "" if odds.attempts is None else f", {odds.attempts:,} attempts"
    figure.supxlabel(f"{known}; {how}{attempts}; {source}", fontsize=8.5, color="#555555")
    return figure


def _draw_stages(axes: Axes, odds: Odds) -> None:
    """Draw, by Stage, the odds of reaching it behind those of clearing it."""
    for i, stage in enumerate(odds.stages):
        reached, cleared = 100 * stage.reached.estimate, 100 * stage.cleared.estimate
        axes.bar(i, reached, width=0.72, color=GREY, label="reached" if i == 0 else None)
        axes.bar(i, cleared, width=0.5, color=BLUE, label="cleared" if i == 0 else None)
        low, high = 100 * stage.cleared.low, 100 * stage.cleared.high
        if low < high:
            axes.errorbar(i, cleared, yerr=[[cleared - low], [high - cleared]], color=DARK, capsize=3, lw=1)
        never = "skipped" if odds.scenario.stages[i].loot else "not reached"
        text = format_estimate(stage.cleared, True)[0] if reached else never
        axes.annotate(text, (i, cleared), (0, 4), textcoords="offset points", ha="center")
    axes.set_xticks(range(len(odds.stages)), [_stage_name(odds, i) for i in range(len(odds.stages))])
    axes.set_ylim(0, 112)
    axes.set_ylabel("% of attempts")
    axes.set_title("How far the team gets", loc="left", fontsize=11)
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2)
    axes.spines[["top", "right"]].set_visible(False)


def _stage_name(odds: Odds, index: int) -> str:
    stage = odds.scenario.stages[index]
    return f"Stage {index + 1}" + ("\nLoot" if stage.loot else "") + ("\npayout" if stage.payout else "")


def _draw_runners(axes: Axes, odds: Odds) -> None:
    """Draw, by runner, how often it ends injured, rescued or dead."""
    names = [runner.name for runner in odds.runners]
    start = [0.0] * len(names)
    parts = (("injured", ORANGE, ""), ("rescued", TEAL, "//"), ("dead", DARK, ""))
    for measure, colour, hatch in parts:
        widths = [100 * getattr(runner, measure).estimate for runner in odds.runners]
        if not any(widths):
            continue
        axes.barh(names, widths, left=start, color=colour, hatch=hatch, edgecolor="white", label=measure)
        start = [a + b for a, b in zip(start, widths, strict=True)]
    for i, total in enumerate(start):
        axes.annotate(f"{total:.1f}% hurt", (total, i), (5, 0), textcoords="offset points", va="center")
    axes.invert_yaxis()
    axes.set_xlim(0, max(10.0, 1.3 * max(start)))
    axes.set_xlabel("% of attempts")
    axes.set_title("What it costs", loc="left", fontsize=11)
    if any(start):
        axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=3)
    axes.spines[["top", "right"]].set_visible(False)
