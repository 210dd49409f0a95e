"""The comparison of two card sets, told."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sprawlsim.reports.model import Column, PictureItem, Section, Table
from sprawlsim.reports.plots import Caption, forest
from sprawlsim.sprawlops.reports.owners import SIDES
from sprawlsim.sprawlops.reports.study import Origin, records, row_estimate, tell_points
from sprawlsim.sprawlops.reports.whatif import WhatIf
from sprawlsim.stats.text import format_estimate, format_scaled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TELLING = 5

TABLES = ("changed-cards", "changed-owners", "changed-shares", "changed-means", "changed-missions")
"""The second is there if players can have one of the changed cards, the last one if Missions differ."""


def whatif_section(report: WhatIf, origin: Origin) -> Section:
    """Tell what a change of the cards does."""
    parts: list[Table | PictureItem] = [_card_table(report)]
    if len(report.owners):
        parts.append(_owner_table(report))
    shares = report.figures[report.figures["kind"] == "percent"]
    if (shares["change"] != 0).any():
        parts.append(_picture(report, origin))
    parts += [_share_table(report), _mean_table(report)]
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
            "Holm's correction over all figures and owners leaves.",
            *(f"Missions are not compared for one team: {why}." for why in report.untried),
        ],
    )


def _findings(report: WhatIf) -> Iterator[str]:
    for row in records(report.cards.head(TELLING)):
        yield f"{row['card']}: {row['change']}."
    yield from map(_tell_owners, records(report.owners.head(TELLING)))
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


def _tell_owners(row: dict[str, Any]) -> str:
    """Say how often a card is had with both card sets, and who has it most."""
    side = SIDES[0] if math.isnan(row[SIDES[1]]) else SIDES[1]
    share = format_estimate(row_estimate(row, side), True)[0]
    told = (
        f"{row['card']} {'was' if side == SIDES[0] else 'is'} had by {share} of players at the end of a game"
    )
    if not math.isnan(row["change"]):
        before = format_estimate(row_estimate(row, SIDES[0]), True)[0]
        same = row["change_low"] == row["change_high"] == 0
        change = tell_points(row_estimate(row, "change"), row["resolved"])
        told += ", as before" if same else f", before by {before}: {change}"
    if row[f"most_{side}"] is not None:
        told += f"; most often by {row[f'most_{side}']} ({100 * row[f'most_{side}_share']:.0f}%)"
    return f"{told}."


def _card_table(report: WhatIf) -> Table:
    columns = [Column("card", "card"), Column("deck", "deck"), Column("change", "what is different")]
    return Table("changed-cards", "What is different on the cards", report.cards, columns)


def _owner_table(report: WhatIf) -> Table:
    columns = [
        Column("card", "card"),
        Column("first", "had before", "percent"),
        Column("second", "after", "percent"),
        Column("change", "change, points", "points"),
        Column("resolved", "resolved"),
        Column("most_first", "before most by"),
        Column("most_first_share", "its share", "percent", digits=0),
        Column("most_second", "after most by"),
        Column("most_second_share", "its share", "percent", digits=0),
        Column("wins_first", "owners won before", "percent", digits=0),
        Column("wins_second", "after", "percent", digits=0),
    ]
    games = report.owners["games"].iloc[0]
    note = (
        f"Share of players who have the card when a game ends, in the first {games:,} games. What owners win "
        "misleads: whoever is ahead can buy more, and whoever lost early had no time to. What a card is "
        "worth, 'sprawlsim report cards' tells: it gives the card to players."
    )
    return Table("changed-owners", "Who has the changed cards", report.owners, columns, note)


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
