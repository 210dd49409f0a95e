"""What a study of seats and length found, as a section of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sprawlsim.reports.model import Column, PictureItem, Section, Table
from sprawlsim.sprawlops.reports.seats import FIELD, LEADS, LEAST_GAMES, MOST_FIRST, SeatReport
from sprawlsim.sprawlops.reports.study import listed, records, row_estimate, tell_share
from sprawlsim.stats.text import format_estimate, format_rounded

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

TAIL = 0.002
"""Share of games that may last longer than the picture of rounds shows."""
TOLD_ROUND = 4
"""Round at whose start leads are told in a sentence."""


def seat_section(report: SeatReport) -> Section:
    """Tell what a study of seats and length found."""
    size = _largest(report)
    return Section(
        name="seats",
        title="Seats and length",
        findings=[
            *_tell_seats(report),
            *_tell_turns(report),
            _tell_length(report),
            *_tell_leads(report),
        ],
        parts=[
            _seat_table(report),
            _turn_table(report),
            _token_table(report),
            _length_table(report),
            PictureItem(
                "game-length",
                "How long games last",
                lambda: _draw_rounds(report),
                _rounds_in_words(report, size),
            ),
            PictureItem(
                "leads", "Leads and comebacks", lambda: _draw_leads(report), _leads_in_words(report, size)
            ),
            _lead_table(report),
        ],
        details=_details(report),
    )


def _largest(report: SeatReport) -> int:
    """Give the size of the largest table."""
    return int(report.seats["players"].max())


def _mirror(report: SeatReport) -> str:
    return f"{report.mirror} against itself"


def _rows(frame: pd.DataFrame, table: str, players: int) -> list[dict[str, Any]]:
    return records(frame[(frame["table"] == table) & (frame["players"] == players)])


def _share(row: dict[str, Any]) -> str:
    return tell_share(row_estimate(row, "win_rate"), row["resolved"])


def _tell_seats(report: SeatReport) -> list[str]:
    """Say for each size of table whether seats are resolved to win unevenly."""
    told = []
    for players in sorted(set(report.seats["players"]), reverse=True):
        rows = _rows(report.seats, _mirror(report), players)
        known = [row for row in rows if row["resolved"]]
        even = f"an even share is {format_rounded(100 / players, 1)}%"
        if not known:
            told.append(f"With {players} players, no seat is resolved to win more or less than another.")
            continue
        shares = [f"seat {row['seat']} {_share(row)}" for row in rows]
        told.append(f"With {players} players who play alike, wins go to {listed(shares)}; {even}.")
    return told


def _tell_turns(report: SeatReport) -> list[str]:
    """Say what it is worth to be first in the round that decides."""
    rows = _rows(report.turns, _mirror(report), _largest(report))
    first = [row for row in rows if row["turn"] == 1]
    if not first:
        return []
    share, even = _share(first[0]), format_rounded(100 / first[0]["players"], 1)
    return [
        "In the round in which the game is won, the player with the first-player token is the winner in "
        f"{share} of games of {first[0]['players']}, where an even share is {even}%."
    ]


def _tell_length(report: SeatReport) -> str:
    """Say how many rounds games take."""
    told = []
    for row in records(report.length[report.length["table"] == FIELD]):
        rounds = format_estimate(row_estimate(row, "rounds"), False)[0]
        told.append(
            f"{rounds} rounds with {row['players']} players ({row['low_tenth']} to {row['high_tenth']} in 8 "
            "of 10 games)"
        )
    return f"In the mixed field a game is won after {listed(told)}."


def _tell_leads(report: SeatReport) -> list[str]:
    """Say what a lead early in the game tells of who will win."""
    rows = _rows(report.leads, _mirror(report), _largest(report))
    here = {row["what"]: row for row in rows if row["round"] == TOLD_ROUND}
    told = []
    for most, fewest in (LEADS[:2], LEADS[2:]):
        if most not in here or fewest not in here:
            continue
        even = format_rounded(100 / here[most]["players"], 1)
        told.append(
            f"Who alone has the {most} at the start of round {TOLD_ROUND} wins {_share(here[most])} of "
            f"games, who has the {fewest} {_share(here[fewest])}; even is {even}%."
        )
    return told


def _share_table(name: str, title: str, frame: pd.DataFrame, columns: list[Column], note: str) -> Table:
    """Give a table of shares of wins of all tables."""
    return Table(
        name,
        title,
        frame,
        [
            columns[0],
            Column("table", "Table"),
            Column("players", "Players", "count"),
            *columns[1:],
            Column("win_rate", "Wins", "percent"),
            Column("resolved", "Resolved"),
            Column("games", "Games", "count"),
        ],
        note,
    )


def _seat_table(report: SeatReport) -> Table:
    return _share_table(
        "seats",
        "Wins by seat",
        report.seats,
        [Column("seat", "Seat", "count")],
        "Seat 1 is the first player of round 1. Resolved: other than an even share, after Holm's correction "
        "over all tables of this section.",
    )


def _turn_table(report: SeatReport) -> Table:
    return _share_table(
        "seat-turns",
        "Wins by place in the order of play of the last round",
        report.turns,
        [Column("turn", "Place", "count")],
        "Place 1 has the first-player token in the round in which the game is won.",
    )


def _token_table(report: SeatReport) -> Table:
    frame = report.tokens.copy()
    labels = {MOST_FIRST: f"{MOST_FIRST} or more"}
    frame["often"] = [labels.get(times, str(times)) for times in frame["rounds_first"]]
    return _share_table(
        "first-player",
        "Wins by rounds as first player",
        frame,
        [Column("often", "Rounds first")],
        "Every seat of every game counts once. This is no effect of being first alone: seat 1 begins, long "
        "games give more turns, and a Face at the Eye takes the token.",
    )


def _length_table(report: SeatReport) -> Table:
    return Table(
        "game-length",
        "Rounds to win",
        report.length,
        [
            Column("table", "Table"),
            Column("players", "Players", "count"),
            Column("rounds", "Rounds, mean", "number"),
            Column("low_tenth", "8 of 10 games: from", "count"),
            Column("high_tenth", "to", "count"),
            Column("stopped", "Stopped", "percent"),
            Column("games", "Games", "count"),
        ],
        "Stopped: nobody had won by the round limit.",
    )


def _lead_table(report: SeatReport) -> Table:
    frame = _side_by_side(report)
    leads = [Column(_key(what), f"Wins with {what}", "percent") for what in LEADS if _key(what) in frame]
    return Table(
        "leads",
        "Wins of who is ahead, and of who is behind",
        frame,
        [
            Column("round", "At the start of round", "count"),
            Column("table", "Table"),
            Column("players", "Players", "count"),
            *leads,
        ],
        "Of games in which one player alone had the most, or the fewest, dice or nuyen; left out where that "
        f"was so in fewer than {LEAST_GAMES} games.",
    )


def _key(what: str) -> str:
    return what.replace(" ", "_")


def _side_by_side(report: SeatReport) -> pd.DataFrame:
    """Lay leads of a round side by side: of each its share of wins, its games, whether it is resolved."""
    import pandas as pd

    rows: dict[tuple[str, int, int], dict[str, Any]] = {}
    for lead in records(report.leads):
        at = (lead["table"], lead["players"], lead["round"])
        row = rows.setdefault(at, dict(zip(("table", "players", "round"), at, strict=True)))
        what = _key(lead["what"])
        row |= {f"{what}{end}": lead[f"win_rate{end}"] for end in ("", "_low", "_high")}
        row |= {f"{what}_games": lead["games"], f"{what}_resolved": lead["resolved"]}
    return pd.DataFrame(list(rows.values()), columns=None if rows else ["table", "players", "round"])


def _draw_rounds(report: SeatReport) -> Figure:
    from sprawlsim.reports.plots import Caption, histogram

    size = _largest(report)
    of = report.lengths
    frame = of[(of["table"] == FIELD) & (of["players"] == size)]
    frame = frame[frame["share"][::-1].cumsum()[::-1] >= TAIL]
    row = _rows(report.length, FIELD, size)[0]
    mean = format_estimate(row_estimate(row, "rounds"), False)[0]
    caption = Caption(
        f"{size} players take {mean} rounds on average, {row['low_tenth']} to {row['high_tenth']} in 8 of 10 "
        "games",
        f"{report.origin} Mixed field; 95% intervals; fewer than {TAIL:.1%} of games last longer.",
        "round in which the game is won",
        "% of games",
    )
    return histogram(frame, caption, mark=(row["rounds"], f"mean {mean}"))


def _rounds_in_words(report: SeatReport, players: int) -> str:
    rows = [
        row
        for row in records(report.lengths)
        if row["table"] == FIELD and row["players"] == players and row["share"] >= 0.005
    ]
    told = [f"round {row['round']} {format_rounded(100 * row['share'], 0)}%" for row in rows]
    return f"Share of games of {players} players won in each round: {', '.join(told)}."


def _draw_leads(report: SeatReport) -> Figure:
    import pandas as pd

    from sprawlsim.reports.plots import Caption, lines

    size = _largest(report)
    rows = _rows(report.leads, _mirror(report), size)
    frame = pd.DataFrame(rows)
    rounds = sorted(frame["round"].unique())
    even = pd.DataFrame({"round": [rounds[0], rounds[-1]], "what": "even share", "win_rate": 1 / size})
    even["win_rate_low"] = even["win_rate_high"] = 1 / size
    shares = {
        row["what"]: format_rounded(100 * row["win_rate"], 0) for row in rows if row["round"] == TOLD_ROUND
    }
    title = "Who leads, and who wins"
    if all(what in shares for what in LEADS[:2]):
        most, fewest = (shares[what] for what in LEADS[:2])
        title = (
            f"Who has the most dice in round {TOLD_ROUND} wins {most}% of games, who has the fewest {fewest}%"
        )
    caption = Caption(
        title,
        f"{report.origin} {_mirror(report)}, {size} players; bands: 95% intervals.",
        "at the start of round",
        "% of games won",
    )
    return lines(pd.concat([frame, even]), caption, y="win_rate", group="what", scale=100)


def _leads_in_words(report: SeatReport, players: int) -> str:
    told = []
    for what in LEADS:
        rows = [row for row in _rows(report.leads, _mirror(report), players) if row["what"] == what]
        shares = [f"round {row['round']} {format_rounded(100 * row['win_rate'], 0)}%" for row in rows]
        if shares:
            told.append(f"who alone has the {what}: {', '.join(shares)}")
    return f"Lines of the share of games won, by round. {'; '.join(told)}."


def _details(report: SeatReport) -> list[str]:
    return [
        f"How it was measured: {report.origin} Every game was traced: dice and nuyen of all players at the "
        "start of each round, and who had the first-player token. Shares are of games that somebody won.",
        f"What {report.mirror} against itself shows of seats does not depend on who sits where; the mixed "
        "field has every choice of strategies in every seat. A lead in the mixed field also tells who plays "
        "better; against itself it tells of luck and position only.",
    ]
