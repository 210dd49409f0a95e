"""Shares of a typical team's cards, told as a part of the report on cards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from sprawlsim.reports.model import Column, PictureItem, Section, Table
from sprawlsim.reports.plots import Caption, heat_map
from sprawlsim.sprawlops.reports.shares import ShareReport
from sprawlsim.sprawlops.reports.study import Origin, listed, records

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TELLING = 2
"""Cards named in a finding."""
MOST_SHOWN = 5
"""Columns of cards that have room beside each other on a page."""


def with_shares(section: Section, report: ShareReport, origin: Origin) -> Section:
    """Add the shares of a team's cards to the section on cards, at its end."""
    return replace(
        section,
        findings=[*section.findings, *_findings(report)],
        parts=[*section.parts, _card_table(report), _picture(report, origin), _mission_table(report)],
        details=[*section.details, *_details(report)],
    )


def _findings(report: ShareReport) -> Iterator[str]:
    """Say whose the odds are, and which of the cards paid for does most for its price."""
    whole = report.missions["completed"].mean()
    best = [f"{100 * row['share']:.0f} to {row['card']}" for row in records(report.cards.head(TELLING))]
    yield (
        f"The typical team of round {report.team.round_number} completes {100 * whole:.0f}% of its attempts "
        f"at side Missions; of these points it owes {listed(best)} (Shapley shares)."
    )
    paid = report.cards.dropna(subset=["share_per_k"]).sort_values("share_per_k", ascending=False)
    if len(paid) > 1:
        first, last = records(paid)[0], records(paid)[-1]
        yield (
            f"Of what it paid for, {first['card']} brings most for its price, "
            f"{100 * first['share_per_k']:.1f} points a K, and {last['card']} least, "
            f"{100 * last['share_per_k']:.1f}."
        )


def _over(report: ShareReport) -> str:
    """Say over which Missions."""
    count = len(report.missions)
    return f"all {count} side Missions" if count == report.of else f"{count} of {report.of} side Missions"


def _card_table(report: ShareReport) -> Table:
    columns = [
        Column("card", "card"),
        Column("onto", "with"),
        Column("cost", "cost", "nuyen", digits=0),
        Column("share", "share, points", "points"),
        Column("share_per_k", "share a K", "points", digits=2),
        Column("first", "alone", "points"),
        Column("last", "last", "points"),
        Column("most_in", "most in"),
    ]
    return Table(
        "cards-shares",
        f"What each card contributes to the typical team of round {report.team.round_number}",
        report.cards,
        columns,
        note=f"Exact, mean over {_over(report)}. Share: what the card adds to the odds of completing on "
        "average over all orders in which the team's cards could join (Shapley value). Alone: what it comes "
        "to by itself. Last: what would be lost without it.",
    )


def _picture(report: ShareReport, origin: Origin) -> PictureItem:
    frame = report.missions.set_index("mission").drop(columns="completed")
    best = report.cards.iloc[0]
    told = f"{best['card']} brings {100 * best['share']:.0f} points on average"

    def draw() -> Figure:
        caption = Caption(told, f"{origin} Side Missions, the easiest first; each row adds up to its odds.")
        return heat_map(frame, caption, measure="share of the odds, points")

    return PictureItem(
        "cards-shares",
        "Each card's share of a typical team's odds, Mission by Mission",
        draw,
        f"A grid of {len(frame)} Missions by {frame.shape[1]} cards, the largest mean share first: {told}, "
        f"from {100 * best['least']:.0f} to {100 * best['most']:.0f}.",
    )


def _mission_table(report: ShareReport) -> Table:
    labels = [name for name in report.missions.columns if name not in {"mission", "completed"}]
    shown, others = labels, labels[MOST_SHOWN - 1 :] if len(labels) > MOST_SHOWN else []
    frame = report.missions
    columns = [Column("mission", "Mission"), Column("completed", "completed", "percent")]
    if others:
        shown = labels[: MOST_SHOWN - 1]
        frame = frame.assign(others=frame[others].sum(axis=1))
    columns += [Column(label, label, "points", digits=1) for label in shown]
    columns += [Column("others", "the others", "points", digits=1)] if others else []
    return Table(
        "cards-shares-missions",
        "Shares Mission by Mission, in points",
        frame,
        columns,
        note="In each row the shares add up to the odds of completing."
        + (" The CSV has every card." if others else ""),
    )


def _details(report: ShareReport) -> list[str]:
    return [
        f"Shares are of the team {report.team.team}, typical at the start of round "
        f"{report.team.round_number} of simulated games, on {_over(report)}, for completing under best play, "
        "solved exactly for every combination of its cards. In a combination without its runner, Gear goes "
        "to another who may carry it, whom it serves best; an Upgrade serves nobody; without any runner "
        "nothing is completed.",
    ]
