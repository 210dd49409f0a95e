"""The law of a die, of the dice of one colour, and of veteran teams.

A die has two success faces, one injury face and three blanks (rulebook, "Dice & Card Types").
"""

from __future__ import annotations

from math import comb

import numpy as np
import numpy.typing as npt

from sprawlsim.jit import kernel

SIDES = 6
SUCCESS_FACES = 2
INJURY_FACES = 1

VETERAN_DICE = 5
"""Dice of one colour that make a veteran team (M2)."""
VETERAN_SET_ASIDE = 2
"""Dice a veteran team sets aside for one certain success (M2)."""

CHUNK = 6
"""Dice read from 32 random bits: the largest relative error of a face is 6**6 / 2**32 = 1.1e-5."""

MAX_ROLLED = 15
"""Most dice of one colour in a roll: counts of a colour are packed in four bits."""


@kernel
def rolled_dice(pool: int) -> int:
    """Count the dice of a colour that are rolled: a veteran team sets two aside (M2)."""
    return pool - VETERAN_SET_ASIDE if pool >= VETERAN_DICE else pool


@kernel
def certain_successes(pool: int) -> int:
    """Count the successes of a colour that are certain before the roll: at most one (M2)."""
    return 1 if pool >= VETERAN_DICE else 0


def _face_table() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Tabulate successes + 16 * injuries of the dice spelled by the base-6 digits of a number."""
    parts = []
    for dice in range(CHUNK + 1):
        numbers = np.arange(SIDES**dice)
        faces = np.zeros(SIDES**dice, dtype=np.uint8)
        for _ in range(dice):
            digit = numbers % SIDES
            numbers = numbers // SIDES
            faces += np.where(digit < SUCCESS_FACES, 1, 0).astype(np.uint8)
            faces += np.where(
                (digit >= SUCCESS_FACES) & (digit < SUCCESS_FACES + INJURY_FACES), 16, 0
            ).astype(np.uint8)
        parts.append(faces)
    starts = np.cumsum([0] + [len(part) for part in parts[:-1]]).astype(np.int64)
    return np.concatenate(parts), starts


FACES, FACES_START = _face_table()
"""``FACES[FACES_START[n] + k]`` packs the faces of n <= 6 dice whose digits spell k; compiled code gets
both as arguments, because a constant array would be copied into every function that reads it."""


@kernel
def face_counts(dice: int) -> int:
    """Count the pairs (successes, injuries) that so many dice can show."""
    return (dice + 1) * (dice + 2) // 2


@kernel
def face_rank(dice: int, successes: int, injuries: int) -> int:
    """Number the pairs (successes, injuries) of so many dice from 0: by injuries, then by successes."""
    return injuries * (2 * dice + 3 - injuries) // 2 + successes


FACE_RANKS = np.concatenate(
    [
        injuries * (2 * dice + 3 - injuries) // 2 + successes
        for dice in range(CHUNK + 1)
        for part in [FACES[FACES_START[dice] : FACES_START[dice] + SIDES**dice].astype(np.int64)]
        for successes, injuries in [(part & 15, part >> 4)]
    ]
).astype(np.uint8)
"""`FACES` numbered by `face_rank`."""


def _face_law() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Tabulate the multinomial law of the faces of 0, 1, 2... dice of one colour."""
    shares = (SUCCESS_FACES / SIDES, INJURY_FACES / SIDES, (SIDES - SUCCESS_FACES - INJURY_FACES) / SIDES)
    faces: list[tuple[int, int]] = []
    chances: list[float] = []
    starts: list[int] = []
    for dice in range(MAX_ROLLED + 1):
        starts.append(len(faces))
        for injuries in range(dice + 1):
            for successes in range(dice - injuries + 1):
                blanks = dice - injuries - successes
                ways = comb(dice, injuries) * comb(dice - injuries, successes)
                faces.append((successes, injuries))
                chances.append(ways * shares[0] ** successes * shares[1] ** injuries * shares[2] ** blanks)
    return np.array(faces), np.array(chances), np.array([*starts, len(faces)])


FACE_LAW, FACE_CHANCES, FACE_LAW_START = _face_law()
"""(successes, injuries) that n dice can show, in the order of `face_rank`, and how likely: from
``FACE_LAW_START[n]`` to ``FACE_LAW_START[n + 1]``."""

POWERS = SIDES ** np.arange(CHUNK + 1, dtype=np.uint64)


@kernel
def throw(
    bits: np.uint64, dice: int, faces: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64]
) -> np.uint64:
    """Read the faces of up to six dice of one colour from 32 random bits, by multiply-shift.

    The digits of fewer dice are the first digits of more dice: with the same bits, a pool that is one
    die larger shows the same faces on the dice that both have.

    Returns
    -------
    numpy.uint64
        Successes + 16 * injuries.
    """
    spelled = (bits * POWERS[dice]) >> np.uint64(32)
    return np.uint64(faces[starts[dice] + np.int64(spelled)])
