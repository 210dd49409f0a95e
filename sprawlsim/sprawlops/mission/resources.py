"""What a team may hold during a Mission beside itself: Loot cards, free rerolls, Loot dice in play."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.sprawlops.mission.arrays import (
    CARD_KINDS,
    COLOURS,
    DIE_CARD,
    EVACUATE,
    IGNORE_INJURY,
    REROLL_DIE,
    SUCCESS_CARD,
    Record,
)

Ints = npt.NDArray[np.int64]

NONE = -1

BONUS = CARD_KINDS
REROLLS = CARD_KINDS + COLOURS
PLACES = CARD_KINDS + COLOURS + 1


class Options(NamedTuple):
    """Ways to play cards on a roll: success cards, by number of the way, and injuries ignored."""

    successes: Ints
    ignored: Ints
    then: Ints
    """Number of what is held afterwards."""


class Resources:
    """Everything that can be held, numbered so that spending leads to smaller numbers.

    Attributes
    ----------
    held : ndarray, shape (number, PLACES)
        Cards by kind, then Loot dice in play by colour, then free rerolls.
    success_ways : ndarray, shape (ways, 5)
        Ways to play success cards on one roll; number 0 plays none.
    next_stage : ndarray, shape (number,)
        What is held once the Stage is over: Loot dice in play are gone.
    without_reroll, without_reroll_die, without_evacuate : ndarray, shape (number,)
        What is held once a free reroll, or the Loot card, is used; `NONE` where there is none.
    """

    def __init__(self, scn: Record) -> None:
        cards = [int(k) for k in scn.cards]
        places: list[list[tuple[int, ...]]] = []
        for kind in range(CARD_KINDS):
            if DIE_CARD <= kind < DIE_CARD + COLOURS:
                pairs = [(hand, dice) for hand in range(cards[kind] + 1) for dice in range(cards[kind] + 1)]
                places.append([pair for pair in pairs if sum(pair) <= cards[kind]])
            else:
                places.append([(count,) for count in range(cards[kind] + 1)])
        places.append([(count,) for count in range(int(scn.rerolls) + 1)])
        rows = [_row(parts) for parts in product(*places)]
        rows.sort(key=lambda row: (2 * (sum(row) - sum(row[BONUS:REROLLS])) + sum(row[BONUS:REROLLS]), row))
        self.held = np.array(rows, dtype=np.int64)
        self._number = {row: i for i, row in enumerate(rows)}
        self.success_ways = np.array(
            list(product(*(range(cards[SUCCESS_CARD + c] + 1) for c in range(COLOURS)))), dtype=np.int64
        )
        self.start = len(rows) - 1
        self._dice = [row[BONUS:REROLLS] for row in rows]
        self.next_stage = np.array([self._number[_without_dice(row)] for row in rows])
        self.without_reroll = np.array([self._less(row, REROLLS) for row in rows])
        self.without_reroll_die = np.array([self._less(row, REROLL_DIE) for row in rows])
        self.without_evacuate = np.array([self._less(row, EVACUATE) for row in rows])

    def number(self, row: npt.ArrayLike) -> int:
        """Number what is held."""
        return self._number[tuple(int(count) for count in np.asarray(row))]

    def after_rerolls(self, number: int) -> list[int]:
        """List what may be held after rerolls of one roll, most first: itself, and with rerolls spent."""
        found = [number]
        for held in found:
            for fewer in (self.without_reroll[held], self.without_reroll_die[held]):
                if fewer != NONE and int(fewer) not in found:
                    found.append(int(fewer))
        return sorted(found, reverse=True)

    def dice_in_play(self, number: int) -> tuple[int, ...]:
        """Give the Loot dice in play, by colour."""
        return self._dice[number]

    def may_reroll(self, number: int) -> bool:
        """Say whether dice of a roll may be taken up again."""
        return bool(max(self.without_reroll[number], self.without_reroll_die[number]) != NONE)

    def _less(self, row: tuple[int, ...], place: int) -> int:
        fewer = list(row)
        fewer[place] -= 1
        return self._number.get(tuple(fewer), NONE)

    def options(self, number: int) -> Options:
        """List the ways to play success cards and cards that ignore an injury on a roll.

        The most spent come first: among equal results the last counts.
        """
        row = self.held[number]
        found = []
        for way, played in enumerate(self.success_ways):
            if (played > row[SUCCESS_CARD : SUCCESS_CARD + COLOURS]).any():
                continue
            for ignored in range(int(row[IGNORE_INJURY]) + 1):
                then = row.copy()
                then[SUCCESS_CARD : SUCCESS_CARD + COLOURS] -= played
                then[IGNORE_INJURY] -= ignored
                found.append((way, ignored, self.number(then)))
        found.sort(key=lambda option: option[2])
        return Options(*(np.array(column, dtype=np.int64) for column in zip(*found, strict=True)))

    def with_dice_played(self, number: int) -> list[int]:
        """List what may be held when the dice are taken: Loot dice may be played before (M5), none first."""
        row = self.held[number]
        hand = row[DIE_CARD : DIE_CARD + COLOURS]
        ways = []
        for played in product(*(range(int(k) + 1) for k in hand)):
            then = row.copy()
            then[DIE_CARD : DIE_CARD + COLOURS] -= played
            then[BONUS:REROLLS] += played
            ways.append(self.number(then))
        return ways


def _row(parts: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    cards = [part[0] for part in parts[:CARD_KINDS]]
    bonus = [part[1] for part in parts[DIE_CARD : DIE_CARD + COLOURS]]
    return (*cards, *bonus, parts[-1][0])


def _without_dice(row: tuple[int, ...]) -> tuple[int, ...]:
    return (*row[:BONUS], *[0] * COLOURS, row[REROLLS])
