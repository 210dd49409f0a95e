"""The report on Missions, told: findings, tables, pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sprawlsim.reports.model import Column, PictureItem, Section, Table
from sprawlsim.reports.plots import Caption, heat_map, scatter_residuals, stacked_bars, stage_survival
from sprawlsim.sprawlops.colours import ROLE_INKS
from sprawlsim.sprawlops.reports.missions import MissionReport
from sprawlsim.sprawlops.reports.study import Origin, listed, records
from sprawlsim.sprawlops.roles import ROLE_LABELS, ROLES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

TELLING = 3
HARDEST = 8
"""Missions whose Stages are drawn."""
INJURED = ("nobody injured", "1 injured", "2 injured", "3 or more injured")
PULLS_OUT = 0.02
"""Share of attempts from which pulling out before a Stage is worth telling."""


def mission_section(report: MissionReport, origin: Origin) -> Section:
    """Tell how hard Missions are, what they should pay, and what they reward."""
    return Section(
        name="missions",
        title="Missions: how hard, how well paid",
        findings=list(_findings(report)),
        parts=[
            _odds_picture(report, origin),
            _ladder_table(report),
            _payout_picture(report, origin),
            _payout_table(report),
            _colour_picture(report, origin),
            _colour_table(report),
            _stages_picture(report, origin),
            _stop_table(report),
            _injury_picture(report, origin),
            _injury_table(report),
            _team_table(report),
            _odds_table(report),
        ],
        details=_details(report),
    )


def _findings(report: MissionReport) -> Iterator[str]:
    paid = report.payouts.dropna(subset=["overpaid"])
    over, under = paid.iloc[0], paid.iloc[-1]
    at = report.paid_for.round_number
    yield (
        f"For the typical team of round {at}, {over['mission']} is the best paid Mission: its "
        f"{over['payout']:.0f}K would be {over['fair']:.0f}K if it were worth as much as the average one."
    )
    yield (
        f"{under['mission']} is the worst paid: {under['payout']:.0f}K, where "
        f"{under['fair']:.0f}K would make up for its odds of {100 * under['completed']:.0f}% and the harm."
    )
    finals = report.odds[report.odds["kind"] == "Final Mission"]
    for team in report.teams[-1:]:
        now = finals[finals["round"] == team.round_number]
        if len(now):
            low, high = 100 * now["completed"].min(), 100 * now["completed"].max()
            yield (
                f"The typical team at the start of round {team.round_number} completes the Final Missions in "
                f"{low:.1f} to {high:.1f}% of attempts."
            )
    gaps = report.odds.dropna(subset=["gap"])
    if len(gaps):
        worst = gaps.sort_values("gap").iloc[-1]
        yield (
            f"The rule of thumb of simulated games loses {100 * gaps['gap'].mean():.1f} points to best play "
            f"on average, {100 * worst['gap']:.1f} at worst ({worst['mission']}, round {worst['round']})."
        )
    stops = report.stops[report.stops["stops"] >= PULLS_OUT]
    if len(stops):
        top = stops.sort_values("stops", ascending=False).head(TELLING)
        told = [
            f"Stage {row['stage']} of {row['mission']} ({100 * row['stops']:.0f}%)" for row in records(top)
        ]
        yield f"Best play for nuyen most often pulls out before {listed(told)}."
    else:
        yield f"Best play for nuyen hardly ever pulls out between Stages: in under {100 * PULLS_OUT:.0f}%."


def _odds_picture(report: MissionReport, origin: Origin) -> PictureItem:
    frame = report.odds.pivot(index="mission", columns="round", values="completed")
    order = report.odds[report.odds["round"] == report.teams[-1].round_number].set_index("mission")[
        "completed"
    ]
    frame = frame.loc[order.sort_values(ascending=False).index]
    dice = report.odds.groupby("round")["dice"].first()
    frame.columns = [f"round {number}, {dice[number]} dice" for number in frame.columns]

    def draw() -> Figure:
        caption = Caption(
            f"{frame.index[0]} is the easiest Mission, {frame.index[-1]} the hardest",
            f"{origin} Best play, exact where it can be solved.",
        )
        return heat_map(frame, caption, low=0.0, high=1.0, measure="% completed")

    return PictureItem(
        "missions-odds",
        "Odds of completing, by Mission and team",
        draw,
        f"A table of {len(frame)} Missions by the typical team of {len(report.teams)} rounds; odds rise with "
        f"the round; {frame.index[0]} is easiest, {frame.index[-1]} hardest.",
    )


def _ladder_table(report: MissionReport) -> Table:
    """Set the odds of all teams side by side."""
    frame = report.odds.pivot(index=["mission", "kind", "icons"], columns="round", values="completed")
    frame.columns = [f"round_{number}" for number in frame.columns]
    frame = frame.sort_values(frame.columns[-1], ascending=False).reset_index()
    columns = [Column("mission", "Mission"), Column("icons", "icons", "count")]
    columns += [
        Column(f"round_{team.round_number}", f"team of round {team.round_number}", "percent")
        for team in report.teams
    ]
    return Table("missions-ladder", "Odds of completing under best play", frame, columns)


def _odds_table(report: MissionReport) -> Table:
    columns = [
        Column("mission", "Mission"),
        Column("kind", "kind"),
        Column("round", "team of round", "count"),
        Column("dice", "dice", "count"),
        Column("icons", "icons", "count"),
        Column("completed", "completed", "percent", digits=1),
        Column("gap", "rule of thumb loses", "points", digits=1),
        Column("nuyen", "expected nuyen", "nuyen"),
        Column("loot", "expected Loot", "number"),
        Column("injured", "injured", "number"),
        Column("dead", "dead", "number"),
    ]
    return Table(
        "missions-odds",
        "All figures under best play, by Mission and team",
        report.odds,
        columns,
        note="Best play for completing alone: harm costs it nothing. Injured and dead: runners an attempt.",
    )


def _payout_picture(report: MissionReport, origin: Origin) -> PictureItem:
    frame = report.payouts.dropna(subset=["fair"]).assign(fitted=lambda f: f["fair"])
    over = frame.iloc[0]

    def draw() -> Figure:
        caption = Caption(
            f"{over['mission']} pays {over['overpaid']:.1f}K more than it is worth",
            f"{origin} Team of round {report.paid_for.round_number}, best play for nuyen.",
            "fair payout, K nuyen",
            "printed payout, K nuyen",
        )
        return scatter_residuals(frame, caption, x="fair", y="payout", name="mission", unit="K")

    return PictureItem(
        "missions-payouts",
        "Printed payouts against fair ones",
        draw,
        f"Printed against fair payouts of {len(frame)} Missions, with the line where they are the same; "
        f"{over['mission']} lies highest above it, by {over['overpaid']:.1f}K.",
    )


def _payout_table(report: MissionReport) -> Table:
    columns = [
        Column("mission", "Mission"),
        Column("payout", "payout", "nuyen", digits=0),
        Column("fair", "fair payout", "nuyen"),
        Column("overpaid", "overpaid by", "nuyen", signed=True),
        Column("completed", "completed", "percent"),
        Column("worth", "an attempt is worth", "nuyen"),
        Column("injured", "injured", "number"),
        Column("dead", "dead", "number"),
    ]
    return Table(
        "missions-payouts",
        f"What Missions should pay, for the typical team of round {report.paid_for.round_number}",
        report.payouts,
        columns,
        note="Fair: the payout with which an attempt would be worth as much as the average Mission's. "
        "Worth counts Stage payouts, Loot, injuries and deaths at the prices of the team's cards.",
    )


def _colours_wide(report: MissionReport) -> pd.DataFrame:
    frame = report.colours.pivot(index="mission", columns="role", values="gain")
    return frame[[role for role in ROLES if role in frame]]


def _colour_picture(report: MissionReport, origin: Origin) -> PictureItem:
    icons = report.colours.pivot(index="mission", columns="role", values="icons")
    icons = icons.loc[icons.sum(axis=1).sort_values().index].reset_index()
    mean = _colours_wide(report).mean()
    best: Any = mean.idxmax()
    labels = {role: ROLE_LABELS[role] for role in ROLES}
    shown = icons.rename(columns=labels)
    own = {ROLE_LABELS[role]: ink._replace(label=None) for role, ink in ROLE_INKS.items()}

    def draw() -> Figure:
        caption = Caption(
            f"One more {ROLE_LABELS[best]} die helps most on average",
            str(origin),
            "icons on all Stages together",
        )
        return stacked_bars(shown, caption, parts=list(labels.values()), name="mission", scale=1.0, own=own)

    return PictureItem(
        "missions-colours",
        "Icons of each Mission by colour",
        draw,
        f"Bars of {len(shown)} Missions, divided by the colours of their icons, shortest first.",
    )


def _colour_table(report: MissionReport) -> Table:
    wide = _colours_wide(report).reset_index()
    columns = [Column("mission", "Mission")]
    columns += [Column(role, ROLE_LABELS[role], "points", digits=1) for role in ROLES if role in wide]
    return Table(
        "missions-colours",
        "What one more die of a colour adds to the odds, in points",
        wide,
        columns,
        note="For the runner with most dice of the colour. More is not always better: all must be rolled, "
        "and a fifth die of a colour makes a sure success.",
    )


def _stages_picture(report: MissionReport, origin: Origin) -> PictureItem:
    """Draw how far attempts get, for the Missions that are hardest."""
    hardest = report.harm["mission"].tolist()[: -HARDEST - 1 : -1]
    frame = report.stops.set_index("mission").loc[hardest].reset_index()
    frame["step"] = [
        f"{row['stage']}\nLoot" if row["optional"] else str(row["stage"]) for row in records(frame)
    ]
    lost = frame[~frame["optional"]].assign(lost=lambda f: f["reached"] - f["cleared"])
    worst = lost.sort_values("lost").iloc[-1]

    def draw() -> Figure:
        caption = Caption(
            f"Most attempts are lost in Stage {worst['stage']} of {worst['mission']}",
            f"{origin} Team of round {report.paid_for.round_number}, best play for nuyen, exact.",
            "Stage",
            "% of attempts",
        )
        return stage_survival(frame, caption, group="mission", step="step")

    return PictureItem(
        "missions-stages",
        f"How far attempts get: the {len(hardest)} hardest Missions",
        draw,
        f"Bars by Stage of the {len(hardest)} hardest Missions, hardest first: the share of attempts that "
        f"reach a Stage, and that clear it; in Stage {worst['stage']} of {worst['mission']} "
        f"{100 * worst['lost']:.0f}% of attempts end.",
    )


def _injury_picture(report: MissionReport, origin: Origin) -> PictureItem:
    """Draw how many runners end injured."""
    labels = {f"injured_{count}": told for count, told in enumerate(INJURED)}
    frame = report.harm.rename(columns=labels)
    by_harm = report.harm.sort_values("injured_0")
    worst, safest = by_harm.iloc[0], by_harm.iloc[-1]

    def draw() -> Figure:
        caption = Caption(
            f"{worst['mission']} injures somebody in {100 * (1 - worst['injured_0']):.0f}% of attempts",
            f"{origin} Team of round {report.paid_for.round_number}, best play for nuyen, exact. "
            "Easiest Missions first.",
            "% of attempts; in the others nobody is injured",
        )
        return stacked_bars(frame, caption, parts=INJURED[1:], name="mission", ordered=True)

    return PictureItem(
        "missions-injuries",
        "How many runners an attempt injures",
        draw,
        f"Bars of {len(frame)} Missions, easiest first: the share of attempts that injure one, two, and "
        f"three runners or more; somebody in {100 * (1 - safest['injured_0']):.0f}% of attempts at "
        f"{safest['mission']}, and in {100 * (1 - worst['injured_0']):.0f}% at {worst['mission']}.",
    )


def _injury_table(report: MissionReport) -> Table:
    columns = [Column("mission", "Mission"), Column("completed", "completed", "percent")]
    columns += [Column(f"injured_{count}", told, "percent") for count, told in enumerate(INJURED)]
    return Table(
        "missions-injuries",
        "Runners injured an attempt, best play for nuyen",
        report.harm,
        [*columns, Column("dead", "somebody dies", "percent", digits=2)],
        note="Best play for nuyen: an injury costs a round of the runner. Rescued runners count as injured.",
    )


def _stop_table(report: MissionReport) -> Table:
    frame = report.stops[report.stops["reached"] > 0]
    columns = [
        Column("mission", "Mission"),
        Column("stage", "Stage", "count"),
        Column("optional", "Loot Stage"),
        Column("reached", "reached", "percent"),
        Column("cleared", "cleared", "percent"),
        Column("stops", "pulled out before it", "percent"),
    ]
    return Table("missions-stages", "Stage by Stage, best play for nuyen", frame, columns)


def _team_table(report: MissionReport) -> Table:
    import pandas as pd

    frame = pd.DataFrame(
        [
            {
                "round": team.round_number,
                "team": str(team.team),
                "mean_dice": team.mean_dice,
                "seen": team.seen,
            }
            for team in report.teams
        ]
    )
    columns = [
        Column("round", "round", "count"),
        Column("team", "typical team"),
        Column("mean_dice", "dice on average", "number", digits=1),
        Column("seen", "teams seen", "count"),
    ]
    return Table("missions-teams", "Who attempts", frame, columns)


def _details(report: MissionReport) -> list[str]:
    return [
        "Teams are those that players of simulated games had at the start of a round: of all of them, the "
        "one whose dice by colour differ least from the others' (the medoid), with the runners who were fit.",
        "Odds are exact, by backward induction over everything the team could do; Final Missions of a quick "
        "report are played by the rule of thumb balanced instead, with intervals.",
        "An attempt is worth its nuyen in K, Loot at 5K a card, less what harm costs: an injury a round of "
        "the runner (its loan value), a death what runner and Upgrades cost besides.",
    ]
