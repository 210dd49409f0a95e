"""The report on cards, told: findings, tables, pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sprawlsim.reports.model import Column, PictureItem, Section, Table
from sprawlsim.reports.plots import Caption, forest, lines, scatter_residuals
from sprawlsim.sprawlops.reports.card_odds_section import odds_details, odds_findings, odds_parts
from sprawlsim.sprawlops.reports.cards import SUMS, CardReport
from sprawlsim.sprawlops.reports.study import Origin, listed, records, row_estimate, tell_points
from sprawlsim.stats.intervals import Estimate, wilson

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

DECK_LABELS = {"runners": "runner", "gear": "Gear", "upgrades": "Upgrade", "loot": "Loot"}
TELLING = 3
"""Cards named in a finding."""


def card_section(report: CardReport, origin: Origin) -> Section:
    """Tell what cards are worth."""
    frame = report.cards.assign(deck=report.cards["deck"].map(DECK_LABELS))
    return Section(
        name="cards",
        title="Cards: what each is worth",
        findings=list(_findings(report, frame)),
        parts=[
            _effects_picture(report, frame, origin),
            _card_table(report, frame),
            _price_picture(report, frame, origin),
            _cash_picture(report, origin),
            _cash_table(report),
            *odds_parts(report, frame),
        ],
        details=[*_details(report), *odds_details(report)],
    )


def _findings(report: CardReport, frame: pd.DataFrame) -> Any:
    """Say what holds, the most important first."""
    sure = frame[frame["resolved"]]
    if not len(sure):
        yield "No card's effect on who wins is resolved from nothing by this many games."
        return
    best = sure.iloc[0]
    gain = row_estimate(best, "gain")
    yield (
        f"{best['card']} does most: given at the start, it adds {tell_points(gain)} to its owner's chance to "
        f"win; so would {_sum(best['worth'])}."
    )
    dear = frame[frame["overpriced_low"] > 0].sort_values("overpriced", ascending=False)
    if len(dear):
        told = [f"{row['card']} by {row['overpriced']:.1f}K" for row in records(dear.head(TELLING))]
        yield f"Overpriced even if had at once: {listed(told)}{_more(len(dear) - TELLING)}."
    cheap = frame[frame["overpriced_high"] < 0]
    cheap = cheap.assign(times=cheap["worth"] / cheap["cost"]).sort_values("times", ascending=False)
    if len(cheap):
        yield f"Best bargains: {listed([_bargain(row) for row in records(cheap.head(TELLING))])}."
    nothing = frame[~frame["resolved"]]
    if len(nothing):
        names = listed(list(nothing["card"]))
        yield f"No effect on who wins is resolved for {names}."
    yield from odds_findings(report, frame)
    misled = _most_misleading(report, frame)
    if misled is not None:
        yield misled


def _sum(worth: float) -> str:
    """Write what a card is worth; of what is worth more than any sum given, no more is known."""
    return f"{SUMS[-1]}K or more" if worth >= SUMS[-1] else f"about {worth:.0f}K"


def _bargain(row: dict[str, Any]) -> str:
    """Say how much more a card is worth than it costs."""
    if row["cost"] == 0:
        return f"{row['card']} costs nothing and is worth {row['worth']:.0f}K"
    return f"{row['card']} is worth {row['times']:.1f} times its {row['cost']:.0f}K"


def _most_misleading(report: CardReport, frame: pd.DataFrame) -> str | None:
    """Point at the most useful of the cards whose owners win less than anybody."""
    fair = 1 / report.players
    owned = [row for row in records(frame) if row["resolved"] and row["gain"] > 0 and row["held"]]
    low = [row for row in owned if _owners_wins(row).high < fair]
    if not low:
        return None
    row = max(low, key=lambda row: row["gain"])
    return (
        f"Who holds {row['card']} at the end wins only {100 * row['held_wins']:.0f}% of games, less than the "
        f"{100 * fair:.0f}% of anybody, though it adds {100 * row['gain']:.0f} points to who is given it: "
        "win rates of owners mislead."
    )


def _owners_wins(row: dict[str, Any]) -> Estimate:
    """Estimate the share of games won by those who held a card at the end."""
    return wilson(round(row["held"] * row["held_wins"]), row["held"])


def _more(count: int) -> str:
    return f", and {count} more" if count > 0 else ""


def _card_table(report: CardReport, frame: pd.DataFrame) -> Table:
    columns = [
        Column("card", "card"),
        Column("deck", "deck"),
        Column("cost", "cost", "nuyen", digits=0),
        Column("gain", "wins added, points", "points"),
        Column("worth", "worth", "nuyen"),
        Column("overpriced", "cost less worth", "nuyen", signed=True),
        Column("line", "cost of its like", "nuyen"),
        Column("residual", "cost less that", "nuyen", signed=True),
        Column("gain_per_k", "points a K", "points", digits=1),
        *([Column("odds_gain", "Mission odds added, points", "points", digits=1)] if report.odds else []),
        Column("held_wins", "owners' wins (misleads)", "percent", digits=0),
    ]
    return Table(
        "cards",
        "What a card does for who is given it at the start",
        frame,
        columns,
        note="Worth: the nuyen that, given at the start instead, add as much. Cost of its like: what cards "
        "of the deck that add as much cost, by a straight line through them.",
    )


def _effects_picture(report: CardReport, frame: pd.DataFrame, origin: Origin) -> PictureItem:
    best = frame.iloc[0]

    def draw() -> Figure:
        caption = Caption(
            f"{best['card']} adds most to the chance to win",
            f"{origin} {report.games:,} games with each card, and the same without.",
            "percentage points added to the owner's chance to win",
        )
        return forest(frame, caption, name="card", value="gain", group="deck", scale=100.0)

    return PictureItem(
        "cards-effects",
        "What each card adds to its owner's chance to win",
        draw,
        f"Intervals of {len(frame)} cards, most useful first: from {best['card']} with "
        f"{100 * best['gain']:.0f} points to {frame.iloc[-1]['card']} with "
        f"{100 * frame.iloc[-1]['gain']:.0f}.",
    )


def _price_picture(report: CardReport, frame: pd.DataFrame, origin: Origin) -> PictureItem:
    priced = frame[frame["deck"] != DECK_LABELS["loot"]].copy()
    priced["fitted"] = priced["line"]
    worst = priced.sort_values("residual", ascending=False).iloc[0]

    def draw() -> Figure:
        caption = Caption(
            f"{worst['card']} costs {worst['residual']:.1f}K more than cards that do as much",
            str(origin),
            "percentage points added to the owner's chance to win",
            "cost, K nuyen",
        )
        return scatter_residuals(priced, caption, x="gain", name="card", group="deck", scale=100.0, unit="K")

    return PictureItem(
        "cards-prices",
        "Cost against what a card does",
        draw,
        f"Cost against effect of {len(priced)} cards with a line for each deck; {worst['card']} lies highest "
        f"above its line, by {worst['residual']:.1f}K.",
    )


def _cash_picture(report: CardReport, origin: Origin) -> PictureItem:
    cash = report.cash.assign(group="nuyen given")
    last = cash.iloc[-1]

    def draw() -> Figure:
        caption = Caption(
            f"{last['nuyen']:.0f}K at the start add {100 * last['gain']:.0f} points",
            str(origin),
            "K nuyen given at the start",
            "points added to the chance to win",
        )
        return lines(cash, caption, x="nuyen", y="gain", group="group", scale=100.0)

    return PictureItem(
        "cards-cash",
        "What nuyen do",
        draw,
        f"The chance to win rises with the nuyen given, to {100 * last['gain']:.0f} points for "
        f"{last['nuyen']:.0f}K.",
    )


def _cash_table(report: CardReport) -> Table:
    columns = [Column("nuyen", "given", "nuyen", digits=0), Column("gain", "wins added, points", "points")]
    return Table("cards-nuyen", "What nuyen given at the start do", report.cash, columns)


def _details(report: CardReport) -> list[str]:
    return [
        f"{report.players} players who all play {report.strategy}, seats rotated. One of them is given the "
        "card, free, in hand before the first turn; it is in no deck then. All else is the same, dice and "
        "order of the decks included. Without the gift each wins the same share of games; the games without "
        "it, on the same dice, correct the estimate for luck (regression on a control variate).",
        "So it is the card that makes the difference. The win rate of players who bought a card would not "
        "tell: whoever is ahead can pay for more, who lives longer buys more, and nobody buys what does not "
        "suit him. It stands beside, as the share of games won by those who held the card at the end, to be "
        "compared.",
        "Worth compares with nuyen given at the start, too, between sums by straight lines. A card bought in "
        "a later round has less time to help, but so has the money. Resolved: McNemar's exact test, Holm "
        "over all cards.",
    ]
