"""What a study of strategies found, as a section of a report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sprawlsim.reports.model import Column, PictureItem, Section, Table
from sprawlsim.sprawlops.reports.strategies import BASELINE, StrategyReport
from sprawlsim.sprawlops.reports.study import listed, records, row_estimate, tell_share
from sprawlsim.stats.intervals import Estimate
from sprawlsim.stats.text import format_rounded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST_WEIGHT = 0.005
"""Share of a mix that is worth telling."""
LOOSE_FIT = 1.5
"""Deviance per degree of freedom above which the ratings are said to leave something out."""
ALARM = 0.001
"""P-value of the mirror matches below which something is wrong: even matches fall there once in 1,000 "
"reports."""
MOST_CYCLES = 3
"""Cycles that are told one by one."""


def strategy_section(report: StrategyReport) -> Section:
    """Tell what a study of strategies found."""
    return Section(
        name="strategies",
        title="Strategies",
        findings=[
            _tell_best(report),
            _tell_pairs(report),
            _tell_cycles(report),
            _tell_mix(report),
            *_tell_controls(report),
        ],
        parts=[
            _field_table(report),
            PictureItem(
                "strategy-ratings",
                "Ratings at mixed tables",
                lambda: _draw_ratings(report),
                _ratings_in_words(report),
            ),
            PictureItem(
                "strategy-payoffs",
                "What beats what",
                lambda: _draw_payoffs(report),
                _payoffs_in_words(report),
            ),
            _pair_table(report),
            _mix_table(report),
        ],
        details=_details(report),
    )


def _tell_best(report: StrategyReport) -> str:
    """Say who is first at mixed tables, or that it is not resolved."""
    first = [row for row in records(report.field) if str(row["rank"]).split("-")[0] == "1"]
    table = f"mixed tables of {report.players}"
    rate = tell_share(row_estimate(first[0], "win_rate"))
    if len(first) == 1:
        return f"{first[0]['strategy']} is the best at {table}: it wins {rate} of its games there."
    names = listed([row["strategy"] for row in first])
    return f"Who is best at {table} is not resolved between {names}; {first[0]['strategy']} wins {rate}."


def _met(report: StrategyReport, kind: str = "pairing") -> list[dict[str, Any]]:
    return records(report.pairs[report.pairs["kind"] == kind])


def _beaten(report: StrategyReport) -> dict[str, list[str]]:
    """List whom each strategy is resolved to beat."""
    beaten: dict[str, list[str]] = {name: [] for name in report.strategies}
    for row in _met(report):
        if row["resolved"]:
            first, second = row["first"], row["second"]
            ahead = row["win_rate"] > 0.5
            beaten[first if ahead else second].append(second if ahead else first)
    return beaten


def _tell_pairs(report: StrategyReport) -> str:
    """Say how many pairings are resolved, and who beats everybody."""
    met = _met(report)
    resolved = sum(bool(row["resolved"]) for row in met)
    told = f"Of {len(met)} pairings of two, {resolved} are resolved to be uneven"
    beaten = _beaten(report)
    over_all = [name for name in report.strategies if len(beaten[name]) == len(report.strategies) - 1]
    if over_all:
        return f"{told}; {over_all[0]} beats every other."
    unbeaten = [n for n in report.strategies if not any(n in others for others in beaten.values())]
    if unbeaten:
        return f"{told}; nobody beats {listed(unbeaten)}, and nobody beats every other."
    return f"{told}; every strategy is beaten by another."


def _tell_cycles(report: StrategyReport) -> str:
    """Say whether strategies beat each other in a circle."""
    if not report.cycles:
        return "No three strategies are resolved to beat each other in a circle."
    told = [f"{a} beats {b}, {b} beats {c}, {c} beats {a}" for a, b, c in report.cycles[:MOST_CYCLES]]
    more = f" (and {len(report.cycles) - MOST_CYCLES} more)" if len(report.cycles) > MOST_CYCLES else ""
    return f"Strategies beat each other in circles: {'; '.join(told)}{more}."


def _tell_mix(report: StrategyReport) -> str:
    """Say what the unbeaten mix is, and how sure that is."""
    parts = [row for row in records(report.mix) if row["weight"] >= LEAST_WEIGHT]
    if len(parts) == 1:
        sure = (
            "" if parts[0]["weight_low"] > 1 - LEAST_WEIGHT else ", though other mixes fit the games as well"
        )
        return f"For two players the unbeaten mix is {parts[0]['strategy']} alone{sure}."
    shares = [
        f"{format_rounded(100 * row['weight'], 0)}% {row['strategy']} "
        f"({format_rounded(100 * row['weight_low'], 0)} to {format_rounded(100 * row['weight_high'], 0)})"
        for row in parts
    ]
    return f"For two players the unbeaten mix is {listed(shares)}."


def _tell_controls(report: StrategyReport) -> list[str]:
    """Say whether the controls are as they must be."""
    told = []
    p = format_rounded(report.mirror_p, 3)
    if report.mirror_p < ALARM:
        told.append(f"Control failed: mirror matches, which are even, are not (chi-square, p = {p}).")
    else:
        told.append(
            f"Control: strategies against themselves are even, as they must be (chi-square, p = {p})."
        )
    against = _met(report, "baseline")
    lost = [row["first"] for row in against if not (row["resolved"] and row["win_rate"] > 0.5)]
    if lost:
        told.append(f"Control failed: {listed(lost)} is not resolved to beat {BASELINE} play.")
    else:
        least = min(against, key=lambda row: row["win_rate"])
        rate = tell_share(row_estimate(least, "win_rate"))
        often = f"; {least['first']} does so least, with {rate} of games"
        if least["win_rate"] == 1:
            often = " in every game that somebody won"
        told.append(f"Control: all beat {BASELINE} play{often}.")
    return told


def _field_table(report: StrategyReport) -> Table:
    return Table(
        "strategies",
        f"Mixed tables of {report.players} players",
        report.field,
        [
            Column("strategy", "Strategy"),
            Column("rank", "Rank"),
            Column("win_rate", "Wins", "percent"),
            Column("rating", "Rating", "number", signed=True),
            Column("games", "Games", "count"),
        ],
        "Ratings are log-strengths about a mean of 0: 0.69 more is twice the chance to win of another "
        "at the same table. "
        "A rank such as 2-4 means that the order within is not resolved: who won more at tables where both "
        "sat, all pairs, Holm.",
    )


def _pair_table(report: StrategyReport) -> Table:
    return Table(
        "strategy-pairs",
        "Pairings, mirror matches and the baseline",
        report.pairs,
        [
            Column("first", "Strategy"),
            Column("second", "Against"),
            Column("kind", "Kind"),
            Column("win_rate", "Wins of the first", "percent"),
            Column("resolved", "Resolved"),
            Column("games", "Games", "count"),
        ],
        "Resolved: other than one half after Holm's correction over all pairings and the baseline. Mirror "
        "matches are a control: they are tested together, and nothing is claimed of one.",
    )


def _mix_table(report: StrategyReport) -> Table:
    return Table(
        "strategy-mix",
        "The unbeaten mix for two players",
        report.mix,
        [
            Column("strategy", "Strategy"),
            Column("weight", "Share", "percent", digits=0),
            Column("payoff", "Against the mix", "points", digits=1),
            Column("worst", "Does worst against"),
            Column("worst_payoff", "There", "points", digits=1),
        ],
        "Payoffs are win rate less one half, in percentage points. Ranges of shares hold 90% of the mixes "
        "that come out when every win rate is drawn again.",
    )


def _draw_ratings(report: StrategyReport) -> Figure:
    from sprawlsim.reports.plots import Caption, forest

    caption = Caption(
        _tell_best(report).split(":")[0].split(";")[0].rstrip("."),
        f"{report.origin} 95% intervals.",
        "rating: log-strength, the mean is 0",
    )
    return forest(report.field, caption, name="strategy", value="rating", rank="rank")


def _ratings_in_words(report: StrategyReport) -> str:
    rows = records(report.field)
    told = [
        f"{row['strategy']} {format_rounded(row['rating'], 2, True)} (rank {row['rank']})" for row in rows
    ]
    return f"Ratings with intervals, best first: {', '.join(told)}."


def _draw_payoffs(report: StrategyReport) -> Figure:
    from sprawlsim.reports.plots import Caption, matrix

    order = report.field["strategy"].tolist()
    title = _tell_pairs(report).split("; ")[-1].rstrip(".")
    caption = Caption(
        title[0].upper() + title[1:] if title.startswith(("every", "nobody")) else title,
        f"{report.origin} Brackets: not resolved. Diagonal: against a copy of itself.",
        "against",
        "win rate of",
    )
    unsure = report.unresolved().loc[order, order]
    return matrix(report.payoffs().loc[order, order], caption, unsure=unsure)


def _payoffs_in_words(report: StrategyReport) -> str:
    beaten = _beaten(report)
    told = [f"{name} beats {listed(beaten[name]) or 'nobody'}" for name in report.field["strategy"].tolist()]
    return f"A matrix of win rates less one half, row against column. Resolved: {'; '.join(told)}."


def _details(report: StrategyReport) -> list[str]:
    seats = [
        f"seat {row['seat']} {_tell_rating(row_estimate(row, 'rating'))}" for row in records(report.seats)
    ]
    if report.misfit > LOOSE_FIT:
        fit = "so some tables are not explained by strengths alone: who sits there matters too"
    else:
        fit = "so these games show hardly more than strengths and seats"
    wider = (
        f"; for that, the intervals of ratings and seats are {format_rounded(math.sqrt(report.misfit), 1)} "
        "times as wide (quasi-likelihood). Ranks are by exact tests of who won more, not by ratings"
        if report.misfit > 1
        else ""
    )
    stopped = int(report.pairs["stopped"].sum())
    return [
        f"How it was measured: {report.origin} Every pairing is played from both seats. Win rates are of "
        f"games that somebody won ({stopped:,} games of two were stopped at the round limit).",
        "Ratings are fitted by maximum likelihood to who won at mixed tables: at a table, a player wins with "
        f"a chance in proportion to exp(rating + seat). Seats: {', '.join(seats)}. Deviance per degree of "
        f"freedom: {format_rounded(report.misfit, 2)}, {fit}{wider}.",
        "The unbeaten mix is the Nash equilibrium of greatest entropy of the table of win rates (Balduzzi "
        "and others, 2018): no strategy wins more than half against it, and copies of a strategy share its "
        "weight.",
    ]


def _tell_rating(rating: Estimate) -> str:
    low, high = (format_rounded(end, 2, True) for end in (rating.low, rating.high))
    return f"{format_rounded(rating.estimate, 2, True)} ({low} to {high})"
