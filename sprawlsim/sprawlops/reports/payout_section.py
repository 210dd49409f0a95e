"""What Missions should pay, told: findings, the picture, and the tables of all teams side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from sprawlsim.reports.model import Column, PictureItem, Table
from sprawlsim.reports.plots import Caption, dot_rows
from sprawlsim.sprawlops.reports.missions import MissionReport
from sprawlsim.sprawlops.reports.payouts import DEPENDS, OUT_OF_REACH, OVERPAID, REACH, UNDERPAID
from sprawlsim.sprawlops.reports.study import Origin, listed, records

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TELLING = 3


def payout_findings(report: MissionReport) -> Iterator[str]:
    """Name what is paid too much, or too little, for every team; then say that the rest depends on it."""
    for verdict, much, first in ((OVERPAID, "much", True), (UNDERPAID, "little", False)):
        rows = [row for row in records(report.payouts) if row["verdict"] == verdict]
        rows = rows if first else rows[::-1]  # what is underpaid most stands last
        if not rows:
            yield f"No Mission pays too {much} for every typical team that would take it."
            continue
        named = listed([f"{row['mission']} (by {_amounts(row)})" for row in rows[:TELLING]])
        more = f"; {len(rows) - TELLING} more in the table" if len(rows) > TELLING else ""
        compared = "Compared with the other Missions in a team's reach, these" if first else "These"
        teams = "typical team that would take them" if first else "such team"
        yield f"{compared} pay too {much} for every {teams}: {named}{more}."
    rows = [row for row in records(report.payouts) if row["verdict"] == DEPENDS]
    if rows:
        widest = max(rows, key=lambda row: row["overpaid_most"] - row["overpaid_least"])
        yield (
            f"For {len(rows)} {'Missions' if len(rows) > 1 else 'Mission'} it depends on the team: "
            f"{widest['mission']} pays {_for(report, widest, most=True)}, and "
            f"{_for(report, widest, most=False)}."
        )


def _amounts(row: Mapping[str, Any]) -> str:
    """Write by how much: "7.0 to 8.8K", whichever way."""
    ends = sorted(f"{abs(row[f'overpaid_{end}']):.1f}" for end in ("least", "most"))
    low, high = sorted(ends, key=float)
    return f"{low}K" if low == high else f"{low} to {high}K"


def _for(report: MissionReport, row: Mapping[str, Any], most: bool) -> str:
    """Say for which team a Mission pays most, or least, too much."""
    over = {team.round_number: row[f"overpaid_r{team.round_number}"] for team in report.teams}
    known = {at: amount for at, amount in over.items() if isfinite(amount)}
    at = (max if most else min)(known, key=lambda at: known[at])
    amount = known[at]
    return f"{abs(amount):.1f}K too {'much' if amount > 0 else 'little'} for that of round {at}"


def payout_picture(report: MissionReport, origin: Origin) -> PictureItem:
    """Draw by how much each Mission is overpaid, a mark for each team."""
    frame = report.payouts[report.payouts["verdict"] != OUT_OF_REACH]
    labels = {f"overpaid_r{team.round_number}": f"team of round {team.round_number}" for team in report.teams}
    shown = frame.rename(columns=labels)
    sides = frame["verdict"].value_counts()
    over, under = int(sides.get(OVERPAID, 0)), int(sides.get(UNDERPAID, 0))

    def draw() -> Figure:
        caption = Caption(
            _headline(report),
            f"{origin} Best play for nuyen. No mark: out of that team's reach.",
            "K nuyen that a Mission pays above (right of 0) or below what would make all worth the same",
        )
        return dot_rows(shown, caption, marks=list(labels.values()), name="mission")

    return PictureItem(
        "missions-payouts",
        "By how much Missions are overpaid, for the typical team of each round",
        draw,
        f"Marks of {len(frame)} Missions, one for each of {len(labels)} teams, right of a line where the "
        f"Mission pays too much for that team, left where it pays too little; {over} lie right of it for "
        f"all their teams, {under} left of it.",
    )


def _headline(report: MissionReport) -> str:
    top = records(report.payouts)[0]
    if top["verdict"] != OVERPAID:
        return "Which Missions pay too much depends on the team"
    return (
        f"{top['mission']} pays at least {top['overpaid_least']:.1f}K more than if all Missions were worth "
        "the same, whichever team takes it"
    )


def payout_table(report: MissionReport) -> Table:
    """Set what is overpaid side by side for all teams, with what they agree on."""
    columns = [
        Column("mission", "Mission"),
        Column("payout", "payout", "nuyen", digits=0),
        Column("verdict", "for all teams"),
        Column("fits_round", "fits round", "count"),
    ]
    columns += [
        Column(f"overpaid_r{team.round_number}", f"overpaid, round {team.round_number}", "nuyen", signed=True)
        for team in report.teams
    ]
    return Table(
        "missions-payouts",
        "What Missions should pay, for the typical team of each round",
        report.payouts,
        columns,
        note="Overpaid: the payout, less the one with which an attempt would be worth as much to that team "
        f"as the average Mission in its reach (completed in {100 * REACH:.0f}% of attempts or more; else a "
        "dash: it should not take it). For all teams: overpaid or underpaid by half a K or more for every "
        "team that has it in reach, or it depends on the team. Fits round: the team for which the payout is "
        "nearest to right. Payouts that would be right are in the data (fair).",
    )


def worth_table(report: MissionReport) -> Table:
    """Set what attempts are worth side by side for all teams."""
    columns = [Column("mission", "Mission")]
    rounds = [team.round_number for team in report.teams]
    columns += [Column(f"worth_r{at}", f"worth, round {at}", "nuyen") for at in rounds]
    columns += [Column(f"completed_r{at}", f"odds, round {at}", "percent") for at in rounds]
    return Table(
        "missions-worth",
        "What an attempt is worth to the typical team of each round, best play for nuyen",
        report.worth,
        columns,
        note="Worth counts payouts, Stage payouts and Loot, less injuries and deaths at the prices of the "
        "team's cards. Worth 0: the team had better leave it alone. Odds: of completing by that play, "
        "which pulls out where going on costs more than it brings.",
    )
