"""What cards do for Missions, told within the report on cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sprawlsim.reports.model import Column, Table
from sprawlsim.sprawlops.reports.card_odds import GIVEN
from sprawlsim.sprawlops.reports.study import listed, records

if TYPE_CHECKING:
    import pandas as pd

    from sprawlsim.sprawlops.reports.cards import CardReport

WORTH_TELLING = 0.02
"""Gain in one of two measures from which it is worth telling that there is none in the other."""

FEW = 6
"""Missions that are named."""


def odds_findings(report: CardReport, frame: pd.DataFrame) -> Iterator[str]:
    """Say what helps Missions most, and where Missions and games disagree."""
    if report.odds is None:
        return
    best = [
        f"{row['card']} ({_points(row['odds_gain'])} on average, {_points(row['odds_best_gain'])} at "
        f"{row['odds_best_mission']})"
        for deck in dict.fromkeys(frame["deck"])
        for row in records(frame[(frame["deck"] == deck) & (frame["odds_gain"] > 0)].nlargest(1, "odds_gain"))
    ]
    if best:
        yield f"Best of its deck for the odds of completing a Mission: {listed(best)}."
    yield from _disagreements(frame)


def _disagreements(frame: pd.DataFrame) -> Iterator[str]:
    """Name the card that helps Missions and is not known to win games, and the reverse."""
    idle = frame[~frame["resolved"] & (frame["odds_gain"] >= WORTH_TELLING)]
    for row in records(idle.nlargest(1, "odds_gain")):
        yield (
            f"{row['card']} adds {_points(row['odds_gain'])} to the odds of completing a Mission, but is not "
            "known to win games."
        )
    useless = frame["resolved"] & (frame["odds_gain"] == 0) & (frame["odds_how"] == GIVEN)
    for row in records(frame[useless & (frame["gain"] >= WORTH_TELLING)].nlargest(1, "gain")):
        yield f"{row['card']} adds {_points(row['gain'])} to the chance to win, but nothing to completing."


def _points(gain: float) -> str:
    return f"{100 * gain:.1f} points"


def odds_parts(report: CardReport, frame: pd.DataFrame) -> list[Table]:
    """Give the table of what cards do for Missions."""
    if report.odds is None:
        return []
    columns = ["card", "deck", "odds_how", "odds_gain", "odds_best_mission", "odds_best_gain", "gain"]
    told = frame[columns].sort_values("odds_gain", ascending=False, ignore_index=True)
    return [
        Table(
            "cards-odds",
            f"What a card does for the team of round {report.odds.reference.round_number} on Missions",
            told,
            [
                Column("card", "card"),
                Column("odds_gain", "odds added, points", "points", digits=1),
                Column("odds_best_gain", "at best, points", "points", digits=1),
                Column("odds_best_mission", "at"),
                Column("gain", "wins added, points", "points", digits=0),
                Column("deck", "deck"),
                Column("odds_how", "how it is tried"),
            ],
            note=_note(report.odds),
        )
    ]


def _note(odds: Any) -> str:
    fourth = f", in the place of {odds.leaver}, and compared with that place empty" if odds.leaver else ""
    return (
        f"Best play for completing, exact; mean over {len(odds.missions)} Missions. Given: the team has it "
        "besides. Left out: the team has it, and is compared with itself without. Fourth runner: "
        f"comes{fourth}."
    )


def odds_details(report: CardReport) -> list[str]:
    """Tell how the odds were found."""
    odds = report.odds
    if odds is None:
        return []
    few = len(odds.missions) <= FEW
    missions = listed(odds.missions) if few else f"{len(odds.missions)} Missions"
    told = (
        f"On Missions: the typical team of round {odds.reference.round_number} ({odds.reference.team}) "
        f"attempts {missions} with the card and without, by best play for completing; "
        f"{odds.attempts:,} different attempts are solved exactly. Gear and Upgrades are on the runner with "
        "whom they do most on that Mission, Commlinks have the best colour, Loot is in hand. Nobody must use "
        "a card: one that hurts stays at home, so that no gain is below 0."
    )
    if odds.left_out:
        told += f" Left out, because they would take long: {listed(odds.left_out)}."
    return [told]
