"""What a study of locations and rules found, as a section of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sprawlsim.reports.model import Column, PictureItem, Section, Table
from sprawlsim.sprawlops.reports.rules import NO_FACE, SEAT, RuleReport
from sprawlsim.sprawlops.reports.study import listed, records, row_estimate, tell_points
from sprawlsim.stats.intervals import Estimate
from sprawlsim.stats.text import format_rounded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNUSED = 0.02
"""Visits a round below which a strategy does not use a location."""
MOST_TOLD = 3
"""Effects of a strategy that are told in a sentence each way."""


def rule_section(report: RuleReport) -> Section:
    """Tell what a study of locations and rules found."""
    return Section(
        name="rules",
        title="Locations and rules",
        findings=[
            *(_tell_losses(report, strategy) for strategy in report.strategies),
            *_tell_gains(report),
            _tell_face(report),
            *(_tell_seats(report, strategy) for strategy in report.strategies),
            *_tell_unused(report),
            _tell_open(report),
        ],
        parts=[
            *(_picture(report, strategy) for strategy in report.strategies),
            _table(report),
        ],
        details=_details(report),
    )


def _restricted(report: RuleReport, strategy: str) -> list[dict[str, Any]]:
    """Give a strategy's resolved effects of going without something, the largest losses first."""
    frame = report.effects
    own = frame[
        (frame["strategy"] == strategy)
        & (frame["name"] != NO_FACE)
        & (frame["kind"] != SEAT)
        & frame["resolved"]
    ]
    return records(own.sort_values("effect"))


def _tell_losses(report: RuleReport, strategy: str) -> str:
    """Say what a strategy misses most."""
    lost = [row for row in _restricted(report, strategy) if row["effect"] < 0][:MOST_TOLD]
    if not lost:
        return f"Nothing that {strategy} can go without is resolved to cost it wins."
    told = [f"{row['name']}: {tell_points(row_estimate(row, 'effect'))}" for row in lost]
    return f"{strategy} loses most when it {'; '.join(told)}."


def _tell_gains(report: RuleReport) -> list[str]:
    """Say what strategies would do better without."""
    told = []
    for strategy in report.strategies:
        better = [row for row in reversed(_restricted(report, strategy)) if row["effect"] > 0][:MOST_TOLD]
        if better:
            gains = [f"{row['name']}: {tell_points(row_estimate(row, 'effect'))}" for row in better]
            told.append(
                f"{strategy} wins more when it {'; '.join(gains)}. That is a fault of its weights, "
                "not of the location or rule."
            )
    return told


def _tell_face(report: RuleReport) -> str:
    """Say what the starting Face's role is worth."""
    told = []
    for row in records(report.effects[report.effects["name"] == NO_FACE]):
        lost = row_estimate(row, "effect")
        worth = Estimate(0.0 - lost.estimate, 0.0 - lost.high, 0.0 - lost.low)
        told.append(f"{tell_points(worth, row['resolved'])} for {row['strategy']}")
    return f"The role of the starting Face, with all Face bonuses, is worth {listed(told)}."


def _tell_seats(report: RuleReport, strategy: str) -> str:
    """Say which seats win more than their share, and which less."""
    frame = report.effects
    rows = records(frame[(frame["strategy"] == strategy) & (frame["kind"] == SEAT) & frame["resolved"]])
    parts = []
    for words, sign in (("more than an even share", 1), ("less than an even share", -1)):
        side = [row for row in rows if sign * row["effect"] > 0]
        if side:
            verb = "win" if len(side) > 1 else "wins"
            points = listed([tell_points(row_estimate(row, "effect")) for row in side])
            parts.append(f"{listed([row['name'] for row in side])} {verb} {words}: {points}")
    if not parts:
        return f"Of {strategy} against itself, no seat is resolved to win more or less than an even share."
    return f"Of {strategy} against itself, {'; '.join(parts)}."


def _tell_unused(report: RuleReport) -> list[str]:
    """Say which locations a strategy does not use whole: going without them tells nothing."""
    told = []
    for strategy in report.strategies:
        frame = report.effects[
            (report.effects["strategy"] == strategy) & (report.effects["visits_whole"] < UNUSED)
        ]
        if not frame.empty:
            names = listed(frame["location"].tolist())
            told.append(
                f"{strategy} hardly goes to {names} at all, so what these are worth does not show in it."
            )
    return told


def _tell_open(report: RuleReport) -> str:
    """Say how many effects are not resolved."""
    unresolved = report.effects[~report.effects["resolved"]]
    total = len(report.effects)
    if unresolved.empty:
        return f"All {total} effects are resolved."
    names = [f"{row['strategy']}: {row['name']}" for row in records(unresolved)]
    few = f" ({'; '.join(names)})" if len(names) <= MOST_TOLD else ""
    return (
        f"Of {total} effects, {len(names)} are not resolved{few}: they may be nothing, or less than these "
        "games can tell."
    )


def _table(report: RuleReport) -> Table:
    frame = report.effects.sort_values(["strategy", "effect"], ignore_index=True, key=_as_ordered(report))
    return Table(
        "rules",
        "Going without, and what it changes",
        frame,
        [
            Column("name", "The player"),
            Column("strategy", "Strategy"),
            Column("kind", "Kind"),
            Column("effect", "Change of wins", "points", digits=1),
            Column("resolved", "Resolved"),
            Column("visits", "Visits a round", "number"),
            Column("visits_whole", "of the others", "number"),
        ],
        f"Percentage points of win probability, of {report.players} players who otherwise play alike. "
        "Resolved: other than 0 after Holm's correction over all rows. Intervals are 95% ones of single "
        "rows; the picture's are wider, those that decide.",
    )


def _as_ordered(report: RuleReport) -> Any:
    """Sort strategies as they were named, other columns by their values."""
    return lambda column: column.map(report.strategies.index) if column.name == "strategy" else column


def _picture(report: RuleReport, strategy: str) -> PictureItem:
    number = report.strategies.index(strategy) + 1
    told = [
        f"{row['name']} {format_rounded(100 * row['effect'], 1, True)}"
        for row in _restricted(report, strategy)
    ]
    return PictureItem(
        f"rule-effects-{number}",
        f"What going without changes for {strategy}",
        lambda: _draw(report, strategy),
        f"Changes of win probability of {strategy} with intervals. Resolved, in percentage points: "
        f"{'; '.join(told) or 'none'}.",
    )


def _draw(report: RuleReport, strategy: str) -> Figure:
    from sprawlsim.reports.plots import Caption, forest

    frame = report.effects[report.effects["strategy"] == strategy].sort_values("effect", ignore_index=True)
    ends = {f"effect_{end}": frame[f"deciding_{end}"] for end in ("low", "high")}
    rows = _restricted(report, strategy)
    title = f"Nothing is resolved to cost {strategy} wins"
    if rows and rows[0]["effect"] < 0:
        title = f"{strategy} loses most when it {rows[0]['name']}"
    caption = Caption(
        title,
        f"{report.origin} {format_rounded(100 * report.confidence, 2)}% intervals: those without 0 are "
        f"resolved (Holm, all strategies together).",
        "change of win probability, percentage points",
    )
    return forest(frame.assign(**ends), caption, group="kind", scale=100, digits=1)


def _details(report: RuleReport) -> list[str]:
    saved = report.effects.loc[report.effects["resolved"], "saved"].median()
    return [
        f"How it was measured: {report.origin} One player goes without, in every seat in turn; the others "
        "play the same strategy whole. A location is shunned: a runner goes there only if there is nowhere "
        "else to go. The effect is the player's win rate less that of the whole strategy against itself, "
        f"which is one in {report.players}; who was lucky in those same games is corrected for (control "
        f"variate). The median resolved effect took {format_rounded(saved, 1)} times fewer games than two "
        "independent samples.",
        "The strategy does not learn: it goes without at the weights it has. Somebody who planned for it "
        "would lose less: to such a player the location or rule is worth that loss at most.",
        f"For '{NO_FACE}' the role is taken from the starting Face of one seat in turn: no half prices, "
        "rerolls or second tokens from it, and no Gear or perk for Faces; its dice stay.",
    ]
