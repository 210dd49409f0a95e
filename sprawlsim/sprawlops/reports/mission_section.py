"""The report on Missions, told: findings, tables, pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sprawlsim.reports.model import Column, PictureItem, Section, Table
from sprawlsim.reports.plots import Caption, heat_map, stacked_bars, stage_survival
from sprawlsim.sprawlops.colours import ROLE_INKS
from sprawlsim.sprawlops.mission.ask import BEST
from sprawlsim.sprawlops.reports.missions import MissionReport
from sprawlsim.sprawlops.reports.payout_section import (
    payout_findings,
    payout_picture,
    payout_table,
    worth_table,
)
from sprawlsim.sprawlops.reports.payouts import REACH
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
            payout_picture(report, origin),
            payout_table(report),
            worth_table(report),
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
    yield from payout_findings(report)
    yield from _final_finding(report)
    gains = _colours_wide(report).mean()
    best: Any = gains.idxmax()
    yield (
        f"For the team of round {report.paid_for.round_number}, one more {ROLE_LABELS[best]} die adds most "
        f"to the odds of completing: {100 * gains[best]:.1f} points, the mean over all side Missions."
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


def _final_finding(report: MissionReport) -> Iterator[str]:
    """Say how Final Missions go for the last team, and why players do better."""
    last = report.teams[-1].round_number
    finals = report.odds[(report.odds["kind"] == "Final Mission") & (report.odds["round"] == last)]
    if len(finals):
        low, high = 100 * finals["completed"].min(), 100 * finals["completed"].max()
        how = "" if (finals["policy"] == BEST).all() else ", played by the rule of thumb,"
        yield (
            f"The typical team at the start of round {last}{how} completes the Final Missions in {low:.1f} "
            f"to {high:.1f}% of attempts as it stands: without the hired runners, DocWagon tokens, Loot, "
            "rerolls and perks that players bring to one. Who tries it by then has more than the typical "
            "team, so attempts in games succeed more often."
        )


def _odds_picture(report: MissionReport, origin: Origin) -> PictureItem:
    frame = report.odds.pivot(index="mission", columns="round", values="completed")
    order = report.odds[report.odds["round"] == report.teams[-1].round_number].set_index("mission")[
        "completed"
    ]
    frame = frame.loc[order.sort_values(ascending=False).index]
    thumb = _by_thumb(report)
    easiest, hardest = frame.index[0], frame.index[-1]
    frame.index = [f"{name} *" if name in thumb else name for name in frame.index]
    how = " * Played by the rule of thumb, which completes less." if thumb else ""
    dice = report.odds.groupby("round")["dice"].first()
    frame.columns = [f"round {number}, {dice[number]} dice" for number in frame.columns]

    def draw() -> Figure:
        caption = Caption(
            f"{easiest} is the easiest Mission, {hardest} the hardest",
            f"{origin} Best play for completing, exact.{how}",
        )
        return heat_map(frame, caption, low=0.0, high=1.0, measure="% completed")

    return PictureItem(
        "missions-odds",
        "Odds of completing, by Mission and team",
        draw,
        f"A table of {len(frame)} Missions by the typical team of {len(report.teams)} rounds; odds rise with "
        f"the round; {easiest} is easiest, {hardest} hardest.",
    )


def _by_thumb(report: MissionReport) -> set[str]:
    """Name Missions that the rule of thumb played for some team, in place of best play."""
    return set(report.odds.loc[report.odds["policy"] != BEST, "mission"])


def _play_note(thumb: set[str]) -> str:
    """Say what rows by the rule of thumb are, where there are some."""
    if not thumb:
        return ""
    return "Rule of thumb: attempts are played by it instead of solved, so best play completes more. "


def _ladder_table(report: MissionReport) -> Table:
    """Set the odds of all teams side by side."""
    frame = report.odds.pivot(index=["mission", "kind", "icons"], columns="round", values="completed")
    frame.columns = [f"round_{number}" for number in frame.columns]
    frame = frame.sort_values(frame.columns[-1], ascending=False).reset_index()
    thumb = _by_thumb(report)
    frame["play"] = ["rule of thumb" if name in thumb else "best play" for name in frame["mission"]]
    columns = [Column("mission", "Mission"), Column("icons", "icons", "count")]
    columns += [Column("play", "played by")] if thumb else []
    columns += [
        Column(f"round_{team.round_number}", f"team of round {team.round_number}", "percent")
        for team in report.teams
    ]
    title = f"Odds of completing under {_plays(thumb)}"
    return Table("missions-ladder", title, frame, columns, note=_play_note(thumb).strip())


def _plays(thumb: set[str]) -> str:
    return "best play, or the rule of thumb where it says so" if thumb else "best play"


def _odds_table(report: MissionReport) -> Table:
    thumb = _by_thumb(report)
    frame = report.odds.assign(
        play=["best play" if policy == BEST else "rule of thumb" for policy in report.odds["policy"]]
    )
    columns = [
        Column("mission", "Mission"),
        *([Column("play", "played by")] if thumb else []),
        Column("round", "team of round", "count"),
        Column("dice", "dice", "count"),
        Column("icons", "icons", "count"),
        Column("completed", "completed", "percent", digits=1),
        Column("gap", "rule of thumb loses", "points", digits=1),
        Column("nuyen", "expected nuyen", "nuyen"),
        *([Column("loot", "expected Loot", "number")] if (frame["loot"] > 0).any() else []),
        Column("injured", "injured", "number"),
        Column("dead", "dead", "number"),
    ]
    return Table(
        "missions-odds",
        f"All figures under {_plays(thumb)}, by Mission and team",
        frame,
        columns,
        note=f"{_play_note(thumb)}Best play is for completing alone: harm costs it nothing. Injured and "
        "dead: runners an attempt.",
    )


def _colours_wide(report: MissionReport) -> pd.DataFrame:
    frame = report.colours.pivot(index="mission", columns="role", values="gain")
    return frame[[role for role in ROLES if role in frame]]


def _colour_picture(report: MissionReport, origin: Origin) -> PictureItem:
    icons = report.colours.pivot(index="mission", columns="role", values="icons")
    icons = icons.loc[icons.sum(axis=1).sort_values().index].reset_index()
    sums = icons[[role for role in ROLES if role in icons]].sum()
    most: Any = sums.idxmax()
    labels = {role: ROLE_LABELS[role] for role in ROLES}
    shown = icons.rename(columns=labels)
    own = {ROLE_LABELS[role]: ink._replace(label=None) for role, ink in ROLE_INKS.items()}

    def draw() -> Figure:
        caption = Caption(
            f"{ROLE_LABELS[most]} icons are asked for most: {sums[most]} of {sums.sum()}",
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
        note=f"Best play for completing, team of round {report.paid_for.round_number}; for the runner with "
        "most dice of the colour. A die can also do harm: all dice must be rolled, and some injure.",
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
        f"Runners injured an attempt, best play for nuyen, team of round {report.paid_for.round_number}",
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
    return Table(
        "missions-stages",
        f"Stage by Stage, best play for nuyen, team of round {report.paid_for.round_number}",
        frame,
        columns,
        note="Reached, cleared, pulled out: shares of all attempts, not of those that got so far. Loot "
        "Stages may be left out, so more attempts can reach the next Stage than cleared them.",
    )


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
        "Odds are exact, by backward induction over everything the team could do; what is marked as played "
        "by the rule of thumb (balanced) is played many times instead, with intervals: Final Missions of a "
        "quick report, and what is too large to solve.",
        "An attempt is worth its nuyen in K, Loot at 5K a card, less what harm costs: an injury a round of "
        "the runner (its loan value), a death what runner and Upgrades cost besides. "
        "Nobody has to attempt a Mission: best play for nuyen leaves alone what would cost more than it "
        "brings.",
        "What a payout should be is found for each team by solving the Mission again with other payouts, "
        "best play following each, until it is worth the mean of all Missions in the team's reach at their "
        f"printed payouts; in reach are those completed in {100 * REACH:.0f}% of attempts or more by best "
        "play for nuyen. Below that, hardly any attempt would see the payout. A Mission worth more than the "
        "mean even unpaid should pay 0.",
    ]
