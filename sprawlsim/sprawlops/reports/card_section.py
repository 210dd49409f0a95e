"""The report on cards, told: findings, tables, pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sprawlsim.reports.model import Column, PictureItem, Section, Table
from sprawlsim.reports.plots import Caption, forest, lines, scatter_residuals
from sprawlsim.sprawlops.reports.card_odds_section import odds_details, odds_findings, odds_parts
from sprawlsim.sprawlops.reports.cards import FEWEST_HOLDERS, SUM_GAMES, SUMS, CardReport
from sprawlsim.sprawlops.reports.prices import FEWEST_CARDS
from sprawlsim.sprawlops.reports.study import Origin, listed, records, row_estimate, tell_points
from sprawlsim.stats.intervals import Estimate, wilson

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

DECK_LABELS = {"runners": "runner", "gear": "Gear", "upgrades": "Upgrade", "loot": "Loot"}
TELLING = 3
"""Cards named in a finding."""
SELDOM = 0.05
"""Runners sent to a location in a game below which hardly anybody goes there."""


def card_section(report: CardReport, origin: Origin) -> Section:
    """Tell what cards are worth."""
    frame = report.cards.assign(deck=report.cards["deck"].map(DECK_LABELS))
    return Section(
        name="cards",
        title="Cards: what each is worth",
        findings=list(_findings(report, frame)),
        parts=[
            _card_table(frame),
            *_price_pictures(frame, origin),
            _effects_picture(report, frame, origin),
            _cash_picture(report, origin),
            _cash_table(report),
            *odds_parts(report, frame),
        ],
        details=[*_details(report), *odds_details(report)],
    )


def _findings(report: CardReport, frame: pd.DataFrame) -> Iterator[str]:
    """Say what holds, the most important first."""
    sure = frame[frame["resolved"]]
    if not len(sure):
        yield "No card's effect on who wins is resolved from nothing by this many games."
        return
    yield from _mispriced(frame)
    best = sure.iloc[0]
    yield (
        f"{best['card']} does most: given at the start, it adds {tell_points(row_estimate(best, 'gain'))} to "
        f"its owner's chance to win, about as much as {_sum(best['worth'])} would."
    )
    poor = frame[frame["overpriced_low"] > 0].sort_values("overpriced", ascending=False)
    if len(poor):
        told = [
            f"{row['card']} costs {row['cost']:.0f}K and does as much as {row['worth']:.1f}K "
            f"({row['worth_low']:.1f} to {row['worth_high']:.1f})"
            for row in records(poor.head(TELLING))
        ]
        yield f"Not worth their cost even at the start: {listed(told)}{_more(len(poor) - TELLING)}."
    nothing = frame[~frame["resolved"]]
    if len(nothing):
        names = listed(list(nothing["card"]))
        yield f"No effect on who wins is resolved for {names}."
    yield _whose_hands(report)
    yield from odds_findings(report, frame)
    misled = _most_misleading(report, frame)
    if misled is not None:
        yield misled


def _mispriced(frame: pd.DataFrame) -> Iterator[str]:
    """Name the cards whose cost is farthest from that of cards that do as much."""
    dear = frame[frame["residual_low"] > 0].sort_values("residual", ascending=False)
    cheap = frame[frame["residual_high"] < 0].sort_values("residual")
    told = [
        f"{word}: {listed([_off(row) for row in records(rows.head(TELLING))])}"
        for word, rows in (("too dear", dear), ("too cheap", cheap))
        if len(rows)
    ]
    if told:
        yield f"Beside cards of their deck that do as much, {'; '.join(told)}."
    for deck, rows in frame.dropna(subset=["cost"]).groupby("deck", sort=False):
        if len(rows) >= FEWEST_CARDS and rows["line"].isna().all():
            most = rows.iloc[int((rows["worth"] / rows["cost"]).argmax())]
            yield (
                f"What a card of the {deck} deck costs does not follow what it does: those that do more are "
                f"not known to cost more. {most['card']} does most for its cost: it costs "
                f"{most['cost']:.0f}K, and does as much as {_sum(most['worth'])} would at the start."
            )


def _off(row: dict[str, Any]) -> str:
    """Write how far a cost is from that of its like, without its sign: "Datajack by 4.7K (2.9 to 6.6)"."""
    ends = sorted(abs(row[f"residual_{end}"]) for end in ("low", "high"))
    return f"{row['card']} by {abs(row['residual']):.1f}K ({ends[0]:.1f} to {ends[1]:.1f})"


def _sum(worth: float) -> str:
    """Write what a card is worth; of what is worth more than any sum given, no more is known."""
    return f"{SUMS[-1]}K or more" if worth >= SUMS[-1] else f"{worth:.0f}K"


def _whose_hands(report: CardReport) -> str:
    """Say what the players do who judge the cards, and where they hardly go."""
    habits = report.habits
    shunned = [name for name, visits in habits.visits.items() if visits < SELDOM]
    tried = "hardly any" if habits.missions < SELDOM else f"{habits.missions:.1f}"
    never = f", and hardly ever goes to {listed(shunned)}" if shunned else ""
    return (
        f"The cards are judged in the hands of {report.strategy}, who tries {tried} side "
        f"Missions and {habits.tasks:.1f} Tasks in a game of {habits.rounds:.1f} rounds{never}: what a card "
        "would do there does not count, and other players may value it otherwise."
    )


def _most_misleading(report: CardReport, frame: pd.DataFrame) -> str | None:
    """Point at the most useful of the cards whose owners win less than anybody."""
    fair = 1 / report.players
    sure = frame[frame["resolved"]].dropna(subset=["held_wins"])
    owned = [row for row in records(sure) if row["gain"] > 0]
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


def _card_table(frame: pd.DataFrame) -> Table:
    columns = [
        Column("card", "card"),
        Column("deck", "deck"),
        Column("cost", "cost", "nuyen", digits=0),
        Column("residual", "cost less its like", "nuyen", signed=True, digits=1),
        Column("gain", "wins added", "points", interval=False),
        Column("worth", "worth", "nuyen", digits=0),
        Column("held_wins", "owners' wins", "percent", digits=0),
    ]
    return Table(
        "cards",
        "What a card does for who is given it at the start, and what it costs",
        frame,
        columns,
        note="Cost less its like: is it dear or cheap within its deck? Its cost less that of cards of the "
        "deck that add as many wins, by a straight line through them. Worth: what would it be worth to have "
        "it at the start? The nuyen that, given instead, add as many wins. Wins added are in percentage "
        "points; the picture has their intervals. Owners' wins mislead (see how it was measured), and are "
        f"not told of fewer than {FEWEST_HOLDERS} owners.",
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


def _price_pictures(frame: pd.DataFrame, origin: Origin) -> list[PictureItem]:
    """Draw the decks that have a line of cost, if any has."""
    priced = frame.dropna(subset=["line"]).assign(fitted=frame["line"])
    if not len(priced):
        return []
    worst = priced.sort_values("residual", ascending=False).iloc[0]

    def draw() -> Figure:
        caption = Caption(
            f"{worst['card']} costs {worst['residual']:.1f}K more than cards that do as much",
            str(origin),
            "percentage points added to the owner's chance to win",
            "cost, K nuyen",
        )
        return scatter_residuals(priced, caption, x="gain", name="card", group="deck", scale=100.0, unit="K")

    return [
        PictureItem(
            "cards-prices",
            "Cost against what a card does",
            draw,
            f"Cost against effect of {len(priced)} cards with a line for each deck; {worst['card']} lies "
            f"highest above its line, by {worst['residual']:.1f}K.",
        )
    ]


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
        f"Worth compares with sums given at the start, in {SUM_GAMES} times as many games, smoothed so that "
        "more never hurts; its interval holds the errors of both. A card bought in a later round has less "
        "time to help, but so has the money. Cost less its like is about the deck's own prices, whatever "
        "their level: its interval holds the error of the line and of the card's gain. Where costs do not "
        "rise with what cards do, there is no line. Loot has no price: nobody can buy it. Resolved: "
        "McNemar's exact test, Holm over all cards.",
    ]
