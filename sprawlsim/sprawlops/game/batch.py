"""Blocks of whole games, compiled: play, and count in integers that no order of blocks can change."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.jit import kernel
from sprawlsim.rng import word
from sprawlsim.sprawlops.game.actions import apply
from sprawlsim.sprawlops.game.arrays import (
    EMPTY,
    FIGURES,
    LOCATIONS,
    MAX_PLAYERS,
    MAX_ROUNDS,
    NOBODY,
    OVER,
    SLOTS,
    Record,
    new_games,
)
from sprawlsim.sprawlops.game.gifts import hand_out
from sprawlsim.sprawlops.game.play import new_desk
from sprawlsim.sprawlops.game.rounds import set_up_game
from sprawlsim.sprawlops.game.strategies.chooser import choose_action
from sprawlsim.sprawlops.game.strategies.weights import new_mind
from sprawlsim.sprawlops.game.strategies.worth import Mind, dice_of
from sprawlsim.sprawlops.game.trials import Desk

MOST_ENTRANTS = 32
"""Most strategies of one batch."""

PLAYED, DICE, DICE_SQUARED, NUYEN, NUYEN_SQUARED = range(5)
"""Columns of a tally per round that are taken at the round's start: how many took part in it, their dice and
nuyen, and the squares of these for errors. The columns after them are `FIGURES`."""
ROUND_COLUMNS = 5 + len(FIGURES)

TALLY = np.dtype(
    (
        np.record,
        [
            ("games", "i8", (MOST_ENTRANTS, MAX_PLAYERS)),  # by entrant and seat
            ("wins", "i8", (MOST_ENTRANTS, MAX_PLAYERS)),
            ("rounds", "i8", MAX_ROUNDS + 1),  # games won in each round
            ("stopped", "i8"),
            ("by_round", "i8", (MOST_ENTRANTS, MAX_ROUNDS + 1, ROUND_COLUMNS)),
            ("visits", "i8", (MOST_ENTRANTS, len(LOCATIONS))),
            ("actions", "i8"),
        ],
    )
)
"""What happened in many games, summed."""

ROW = np.dtype(
    (
        np.record,
        [
            ("game", "i8"),
            ("winner", "i2"),  # seat; -1 where the game was stopped
            ("rounds", "i2"),
            ("final", "i2"),
            ("entrant", "i2", MAX_PLAYERS),  # by seat
            ("nuyen", "i4", MAX_PLAYERS),  # at the end
            ("dice", "i4", MAX_PLAYERS),
            ("figures", "i4", (MAX_PLAYERS, len(FIGURES))),  # of the whole game
            ("visits", "i4", (MAX_PLAYERS, len(LOCATIONS))),
        ],
    )
)
"""One game."""


class Plan(NamedTuple):
    """Which games a batch plays.

    Attributes
    ----------
    key : numpy.uint64
        Of the batch's random words.
    players, limit : int
        Players, and the round after which a game is stopped (G13).
    final : int
        The Final Mission, or `EMPTY` for a random one in each game.
    lineups : array of int, shape (lineups, players)
        Entrants by seat; game `i` has line-up ``i`` modulo their number.
    weights, orders : arrays of `WEIGHTS` and `ORDERS`, by entrant
    gifts : array of `GIFT`, by entrant
    absent : array of `ABSENT`, by line-up
    """

    key: np.uint64
    players: int
    limit: int
    final: int
    lineups: npt.NDArray[np.int64]
    weights: npt.NDArray[Any]
    orders: npt.NDArray[Any]
    gifts: npt.NDArray[Any]
    absent: npt.NDArray[Any]


class Trace(NamedTuple):
    """How games went, round by round; what a game had no round for is -1.

    Attributes
    ----------
    first : array of int, shape (games, rounds)
        The seat with the first-player token in each round, from the first on.
    dice, nuyen : array of int, shape (games, rounds, players)
        Dice of all runners of each seat, and its K nuyen, at the start of each round.
    winner : array of int, shape (games,)
        The seat that won; -1 where the game was stopped.
    rounds : array of int, shape (games,)
        The round in which the game was won or stopped.
    """

    first: npt.NDArray[np.int32]
    dice: npt.NDArray[np.int32]
    nuyen: npt.NDArray[np.int32]
    winner: npt.NDArray[np.int32]
    rounds: npt.NDArray[np.int32]


class Thread(NamedTuple):
    """What one thread needs to play games."""

    table: npt.NDArray[Any]
    """The game being played, and a blank one to begin from (records of `GAME`)."""
    desk: Desk
    mind: Mind


def new_thread(cards: Record) -> Thread:
    """Allocate what one thread needs to play games with these cards."""
    desk = new_desk(cards)
    return Thread(new_games(2), desk, Mind(cards, desk.pad, new_mind()[0]))


def new_tally() -> npt.NDArray[Any]:
    """Allocate a tally at zero (one record)."""
    return np.zeros(1, dtype=TALLY)


def new_trace(games: int, rounds: int, players: int) -> Trace:
    """Allocate a trace with nothing in it."""
    shapes = ((games, rounds), (games, rounds, players), (games, rounds, players), (games,), (games,))
    return Trace(*(np.full(shape, -1, np.int32) for shape in shapes))


@kernel
def seat_entrants(plan: Plan, mind: Mind, number: int) -> npt.NDArray[np.int64]:
    """Seat the line-up of a game: its weights, orders, and empty notes."""
    lineup = plan.lineups[number % len(plan.lineups)]
    for seat in range(plan.players):
        mind.own.weights[seat] = plan.weights[lineup[seat]]
        mind.pad.orders[seat] = plan.orders[lineup[seat]]
        mind.own.notes[seat].stamp = -1
        for slot in range(SLOTS):
            mind.own.notes[seat].task_stamp[slot] = -1
    return lineup


@kernel
def blank_book(book: Record, rounds: int) -> None:
    """Take everything out of a book that a game of so many rounds can have written."""
    for r in range(rounds + 1):
        for p in range(MAX_PLAYERS):
            for f in range(len(FIGURES)):
                book.figures[r, p, f] = 0
    for p in range(MAX_PLAYERS):
        for location in range(len(LOCATIONS)):
            book.visits[p, location] = 0


@kernel
def total_dice(game: Record, player: int) -> int:
    """Count the dice of all of a player's runners."""
    dice = 0
    for slot in range(SLOTS):
        if game.card[player, slot] != EMPTY:
            dice += dice_of(game, player, slot)
    return dice


@kernel
def tally_round(game: Record, lineup: npt.NDArray[np.int64], tally: Record) -> None:
    """Count what the players have at the start of a round."""
    for p in range(game.players):
        row = tally.by_round[lineup[p], game.round_number]
        dice, nuyen = total_dice(game, p), np.int64(game.nuyen[p])
        row[PLAYED] += 1
        row[DICE] += dice
        row[DICE_SQUARED] += dice * dice
        row[NUYEN] += nuyen
        row[NUYEN_SQUARED] += nuyen * nuyen


@kernel
def tally_game(game: Record, book: Record, lineup: npt.NDArray[np.int64], limit: int, tally: Record) -> None:
    """Count a game that is over or stopped."""
    rounds = min(np.int64(game.round_number), limit)
    for p in range(game.players):
        entrant = lineup[p]
        tally.games[entrant, p] += 1
        for r in range(1, rounds + 1):
            for f in range(len(FIGURES)):
                tally.by_round[entrant, r, 5 + f] += book.figures[r, p, f]
        for location in range(len(LOCATIONS)):
            tally.visits[entrant, location] += book.visits[p, location]
    if game.winner == NOBODY:
        tally.stopped += 1
    else:
        tally.rounds[rounds] += 1
        tally.wins[lineup[game.winner], game.winner] += 1
    tally.actions += game.decisions


@kernel
def write_row(game: Record, book: Record, lineup: npt.NDArray[np.int64], limit: int, row: Record) -> None:
    """Record a game that is over or stopped."""
    row.winner = game.winner
    row.rounds = min(np.int64(game.round_number), limit)
    row.final = game.final
    for p in range(game.players):
        row.entrant[p] = lineup[p]
        row.nuyen[p] = game.nuyen[p]
        row.dice[p] = total_dice(game, p)
        for f in range(len(FIGURES)):
            total = 0
            for r in range(1, row.rounds + 1):
                total += book.figures[r, p, f]
            row.figures[p, f] = total
        for location in range(len(LOCATIONS)):
            row.visits[p, location] = book.visits[p, location]


@kernel
def begin_game(plan: Plan, thread: Thread, number: int) -> npt.NDArray[np.int64]:
    """Set up game `number` of a batch on ``thread.table[0]``; give its line-up."""
    lineup = seat_entrants(plan, thread.mind, number)
    thread.table[0] = thread.table[1]
    key = word(plan.key, np.uint64(number))
    game, cards = thread.table[0], thread.mind.cards
    set_up_game(game, cards, plan.players, plan.final, key, plan.absent[number % len(plan.lineups)])
    for seat in range(plan.players):
        hand_out(game, cards, seat, plan.gifts[lineup[seat]])
    return lineup


@kernel
def finish_game(
    plan: Plan,
    thread: Thread,
    lineup: npt.NDArray[np.int64],
    number: int,
    tally: Record,
    rows: Any,
    k: int,
) -> None:
    """Count a game that is over or stopped, record it in row `k` if there is one, blank the book."""
    game = thread.table[0]
    tally_game(game, thread.desk.book, lineup, plan.limit, tally)
    if k < len(rows):
        rows[k].game = number
        write_row(game, thread.desk.book, lineup, plan.limit, rows[k])
    blank_book(thread.desk.book, min(np.int64(game.round_number), plan.limit))


@kernel
def play_to_round(plan: Plan, thread: Thread, number: int, round_number: int) -> bool:
    """Play a game of a batch up to the start of a round, on ``thread.table[0]``; say whether it lasted."""
    begin_game(plan, thread, number)
    game = thread.table[0]
    while game.step != OVER and game.round_number < round_number:
        apply(game, choose_action(game, thread.mind), thread.desk)
    blank_book(thread.desk.book, np.int64(game.round_number))
    return game.step != OVER


@kernel
def trace_games(plan: Plan, thread: Thread, first: int, count: int, trace: Trace) -> None:
    """Play games `first` to ``first + count - 1`` of a batch into rows 0 to ``count - 1`` of a trace."""
    game = thread.table[0]
    for k in range(count):
        begin_game(plan, thread, first + k)
        while game.step != OVER and game.round_number <= plan.limit:
            now = np.int64(game.round_number)
            if now <= trace.first.shape[1]:
                trace.first[k, now - 1] = game.first
                for p in range(plan.players):
                    trace.dice[k, now - 1, p] = total_dice(game, p)
                    trace.nuyen[k, now - 1, p] = game.nuyen[p]
            while game.step != OVER and game.round_number == now:
                apply(game, choose_action(game, thread.mind), thread.desk)
        trace.winner[k] = game.winner
        trace.rounds[k] = min(np.int64(game.round_number), plan.limit)
        blank_book(thread.desk.book, np.int64(trace.rounds[k]))


@kernel
def play_games(plan: Plan, thread: Thread, first: int, count: int, tally: Record, rows: Any) -> None:
    """Play games `first` to ``first + count - 1`` of a batch; `rows` may be empty."""
    game = thread.table[0]
    for k in range(count):
        lineup = begin_game(plan, thread, first + k)
        while game.step != OVER and game.round_number <= plan.limit:
            tally_round(game, lineup, tally)
            now = game.round_number
            while game.step != OVER and game.round_number == now:
                action = choose_action(game, thread.mind)
                apply(game, action, thread.desk)
        finish_game(plan, thread, lineup, first + k, tally, rows, k)
