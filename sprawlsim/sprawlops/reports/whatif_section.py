"""The comparison of two card sets, told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sprawlsim.reports.model import Column, PictureItem, Section, Table
from sprawlsim.reports.plots import Caption, forest
from sprawlsim.sprawlops.reports.study import Origin, records, row_estimate, tell_points
from sprawlsim.sprawlops.reports.whatif import WhatIf
from sprawlsim.stats.text import format_scaled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TELLING = 5

TABLES = ("changed-cards", "changed-shares", "changed-means", "changed-missions")
"""The last one is there if Missions differ."""


def whatif_section(report: WhatIf, origin: Origin) -> Section:
    """Tell what a change of the cards does."""
    parts: list[Table | PictureItem] = [_card_table(report), _share_table(report), _mean_table(report)]
    shares = report.figures[report.figures["kind"] == "percent"]
    if (shares["change"] != 0).any():
        parts.insert(1, _picture(report, origin))
    if len(report.missions):
        parts.append(_mission_table(report))
    return Section(
        name="what-if",
        title=f"What if: {report.names[1]} instead of {report.names[0]}",
        findings=list(_findings(report)),
        parts=parts,
        details=[
            f"{report.games:,} games with each card set, pair by pair with the same dice and the same order "
            f"of the decks. For the same precision, unpaired games would have to be {report.ratio:.1f} times "
            "as many (the middle over all figures). Intervals are of single figures; resolved are those that "
            "Holm's correction over all figures leaves.",
        ],
    )


def _findings(report: WhatIf) -> Iterator[str]:
    for row in records(report.cards.head(TELLING)):
        yield f"{row['card']}: {row['change']}."
    sure = report.figures[report.figures["resolved"]]
    if not len(sure):
        yield f"Nothing else is resolved from zero by {report.games:,} games."
    for row in records(sure.head(TELLING)):
        change = row_estimate(row, "change")
        if row["kind"] == "percent":
            yield f"{row['figure']}: {tell_points(change)}."
        else:
            number, interval = format_scaled(change, 1.0, "", True, 2)
            yield f"{row['figure']}: {number} ({interval})."
    if len(sure) > TELLING:
        yield f"{len(sure) - TELLING} other figures are resolved, too; they stand first in the tables."


def _card_table(report: WhatIf) -> Table:
    columns = [Column("card", "card"), Column("deck", "deck"), Column("change", "what is different")]
    return Table("changed-cards", "What is different on the cards", report.cards, columns)


def _share_table(report: WhatIf) -> Table:
    frame = report.figures[report.figures["kind"] == "percent"]
    columns = [
        Column("figure", "share of games"),
        Column("first", "before", "percent"),
        Column("second", "after", "percent"),
        Column("change", "change, points", "points"),
        Column("resolved", "resolved"),
    ]
    return Table("changed-shares", "Who wins", frame, columns)


def _mean_table(report: WhatIf) -> Table:
    frame = report.figures[report.figures["kind"] == "number"]
    columns = [
        Column("figure", "mean"),
        Column("first", "before", "number"),
        Column("second", "after", "number"),
        Column("change", "change", "number", signed=True),
        Column("resolved", "resolved"),
    ]
    return Table("changed-means", "What happens in a game", frame, columns)


def _mission_table(report: WhatIf) -> Table:
    columns = [
        Column("mission", "Mission"),
        Column("round", "team of round", "count"),
        Column("first", "before", "percent"),
        Column("second", "after", "percent"),
        Column("change", "change, points", "points", digits=1),
    ]
    return Table("changed-missions", "Odds of best play that differ", report.missions, columns)


def _picture(report: WhatIf, origin: Origin) -> PictureItem:
    frame = report.figures[report.figures["kind"] == "percent"]

    def draw() -> Figure:
        caption = Caption("Who wins more, who less", str(origin), "percentage points, after less before")
        return forest(frame, caption, name="figure", value="change", scale=100.0)

    return PictureItem(
        "changed-wins",
        "Changes of who wins",
        draw,
        f"Intervals of {len(frame)} changes about the line of no change.",
    )
