"""What the seat and a lead are worth, and how long games last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.game.batch import Trace
from sprawlsim.sprawlops.game.simulate import TRACED, AnyStrategy, Batch, sensible_strategies
from sprawlsim.sprawlops.reports.study import Origin, Study, against_even, settle
from sprawlsim.stats.intervals import mean_interval, wilson

if TYPE_CHECKING:
    import pandas as pd

MIRROR = "champion"
"""Who plays against itself."""
FIELD = "mixed field"
PLAYERS = (2, 3, 4)
LEAST_GAMES = 100
"""Games below which a lead in a round is not told: too few to tell anything."""
LEADS = ("most dice", "fewest dice", "most nuyen", "fewest nuyen")
MOST_FIRST = 5
"""Rounds with the first-player token that are told apart; more are one row."""


@dataclass(frozen=True)
class SeatReport:
    """What a study of seats and length found; shares in 0..1.

    In all frames ``table`` says who played (one strategy against itself, or the mixed field) and ``players``
    how many. Shares carry their 95% interval; ``p`` is of an even share, ``p_holm`` over all frames that
    have it, and ``resolved`` says that the share is other than even.

    Attributes
    ----------
    mirror : str
    origin : Origin
    seats : DataFrame
        ``seat, games, wins, win_rate``: from 1, the first player of round 1.
    turns : DataFrame
        ``turn, games, wins, win_rate``: place in the order of play of the round in which the game was won,
        1 has the first-player token then.
    tokens : DataFrame
        ``rounds_first, games, wins, win_rate``: by how often a seat had the first-player token in a game;
        5 stands for that often or more; every seat of a game counts as one.
    lengths : DataFrame
        ``round, games, share`` of all games that were won in the round.
    length : DataFrame
        A row a table: ``rounds`` (mean), ``low_tenth``, ``high_tenth`` (8 of 10 games lie between),
        ``stopped`` (share).
    leads : DataFrame
        ``round, what, games, wins, win_rate``: of games in which one player alone had the most (fewest) dice
        (nuyen) at the start of the round, how many that player won.
    """

    mirror: str
    origin: Origin
    seats: pd.DataFrame
    turns: pd.DataFrame
    tokens: pd.DataFrame
    lengths: pd.DataFrame
    length: pd.DataFrame
    leads: pd.DataFrame


def study_seats(
    study: Study,
    mirror: AnyStrategy = MIRROR,
    strategies: Sequence[AnyStrategy] | None = None,
    players: Sequence[int] = PLAYERS,
) -> SeatReport:
    """Play tables of all sizes, one strategy against itself and a mixed field, round by round.

    Parameters
    ----------
    study : Study
        Games of each kind of table.
    mirror : str, Path or Strategy
        Plays against itself: what it shows of seats does not depend on who sits where.
    strategies : sequence, optional
        The mixed field, as of `Batch`; the shipped sensible ones when left out.
    players : sequence of int
        Sizes of tables.

    Raises
    ------
    SprawlsimError
        If nobody wins a game of some table, or what `Batch` refuses.
    """
    field = list(sensible_strategies() if strategies is None else strategies)
    batches = []
    for size in players:
        alone = Batch([mirror], players=size, seed=study.seed, cards=study.cards)
        mixed = Batch(field, players=size, seed=study.seed, cards=study.cards)
        batches += [(f"{alone.entrants[0].name} against itself", alone), (FIELD, mixed)]
    played = study.steps(len(batches) * study.games)
    traces = []
    for table, batch in batches:
        traces.append((table, batch.players, batch.trace(study.games, batch.round_limit, study.threads)))
        played(study.games)
    origin = Origin(
        study.cards.name, study.seed, f"{study.games:,} games of each kind of table, seats rotated"
    )
    return report_of_traces(traces, batches[0][1].entrants[0].name, origin)


SHARE = ("win_rate", "win_rate_low", "win_rate_high", "p")
"""What `against_even` gives: few games may have no row of some kind, but they have its columns."""


def report_of_traces(traces: Sequence[tuple[str, int, Trace]], mirror: str, origin: Origin) -> SeatReport:
    """Work out what traces of games tell.

    Parameters
    ----------
    traces : sequence of (str, int, Trace)
        Name of the table, its players, its games.

    Raises
    ------
    SprawlsimError
        If nobody won a game of some table.
    """
    import pandas as pd

    for table, players, trace in traces:
        if not (trace.winner >= 0).any():
            raise SprawlsimError(f"{table}, {players} players: nobody won any game before the round limit")

    def frame(rows: Callable[..., Iterator[dict[str, Any]]], *labels: str) -> pd.DataFrame:
        shares = ["table", "players", *labels, "games", "wins", *SHARE] if labels else None
        return pd.DataFrame([row for trace in traces for row in rows(*trace)], columns=shares)

    seats, turns = frame(_seat_rows, "seat"), frame(_turn_rows, "turn")
    tokens, leads = frame(_token_rows, "rounds_first"), frame(_lead_rows, "round", "what")
    lengths, length = frame(_length_rows), frame(_summary_rows)
    settle(seats, turns, tokens, leads)
    return SeatReport(mirror, origin, seats, turns, tokens, lengths, length, leads)


def _row(table: str, players: int, wins: Any, games: Any, **labels: Any) -> dict[str, Any]:
    """Give a row with a share of wins, tested against an even one."""
    row = {"table": table, "players": players, **labels, "games": int(games), "wins": int(wins)}
    return row | against_even(int(wins), int(games), 1 / players)


def _seat_rows(table: str, players: int, trace: Trace) -> Iterator[dict[str, Any]]:
    won = trace.winner[trace.winner >= 0]
    for seat in range(players):
        yield _row(table, players, (won == seat).sum(), len(won), seat=seat + 1)


def _first_of_last_round(trace: Trace) -> npt.NDArray[np.int64]:
    """Give who had the first-player token in the last round of each game."""
    last = np.minimum(trace.rounds, trace.first.shape[1]) - 1
    seats: npt.NDArray[np.int64] = trace.first[np.arange(len(last)), last].astype(np.int64)
    return seats


def _turn_rows(table: str, players: int, trace: Trace) -> Iterator[dict[str, Any]]:
    known = (trace.winner >= 0) & (trace.rounds <= trace.first.shape[1])
    turns = ((trace.winner - _first_of_last_round(trace)) % players)[known]
    for turn in range(players):
        if len(turns):
            yield _row(table, players, (turns == turn).sum(), len(turns), turn=turn + 1)


def _token_rows(table: str, players: int, trace: Trace) -> Iterator[dict[str, Any]]:
    won = trace.winner >= 0
    often = np.stack([(trace.first[won] == seat).sum(axis=1) for seat in range(players)], axis=1)
    winner = np.arange(players) == trace.winner[won][:, None]
    for times in range(MOST_FIRST + 1):
        here = often >= times if times == MOST_FIRST else often == times
        if here.sum() >= LEAST_GAMES:
            yield _row(table, players, (here & winner).sum(), here.sum(), rounds_first=times)


def _length_rows(table: str, players: int, trace: Trace) -> Iterator[dict[str, Any]]:
    won = trace.rounds[trace.winner >= 0]
    counts = np.bincount(won)
    for number in range(int(won.min()), len(counts)):
        share = wilson(int(counts[number]), len(trace.winner))
        ends = {"share": share.estimate, "share_low": share.low, "share_high": share.high}
        yield {"table": table, "players": players, "round": number, "games": int(counts[number]), **ends}


def _summary_rows(table: str, players: int, trace: Trace) -> Iterator[dict[str, Any]]:
    won = trace.rounds[trace.winner >= 0].astype(np.int64)
    mean = mean_interval(int(won.sum()), int((won**2).sum()), len(won))
    stopped = wilson(len(trace.winner) - len(won), len(trace.winner))
    low, high = np.percentile(won, [10, 90], method="inverted_cdf")
    yield {
        "table": table,
        "players": players,
        "games": len(trace.winner),
        "rounds": mean.estimate,
        "rounds_low": mean.low,
        "rounds_high": mean.high,
        "low_tenth": int(low),
        "high_tenth": int(high),
        "stopped": stopped.estimate,
        "stopped_low": stopped.low,
        "stopped_high": stopped.high,
    }


def _lead_rows(table: str, players: int, trace: Trace) -> Iterator[dict[str, Any]]:
    won = trace.winner >= 0
    for what in LEADS:
        amounts = (trace.dice if what.endswith("dice") else trace.nuyen)[won]
        sign = 1 if what.startswith("most") else -1
        for number in range(1, min(TRACED, amounts.shape[1])):
            begun = trace.rounds[won] > number  # the round was begun, whose number is one more
            have = sign * amounts[begun, number]
            ahead = have == have.max(axis=1, keepdims=True)
            alone = ahead.sum(axis=1) == 1
            if alone.sum() >= LEAST_GAMES:
                wins = have.argmax(axis=1)[alone] == trace.winner[won][begun][alone]
                yield _row(table, players, wins.sum(), alone.sum(), round=number + 1, what=what)
