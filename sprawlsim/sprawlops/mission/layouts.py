"""Taking dice up again (M18), exactly: every subset of the dice that lie there, and every way they fall.

Dice of a roll that are partly on the table and partly in hand are a *layout*: per colour, how many show a
success, an injury, a blank, and how many are still to fall. Letting one die fall, or taking one die up,
leads from layout to layout. So the worth of a layout is a mean over three others, and the best subset to
take up is found one die at a time, without listing subsets.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.dice import (
    FACE_CHANCES,
    FACE_LAW_START,
    INJURY_FACES,
    SIDES,
    SUCCESS_FACES,
    face_rank,
)
from sprawlsim.sprawlops.mission.arrays import COLOURS
from sprawlsim.sprawlops.mission.induction import (
    WORTHS,
    Candidates,
    best_of_row,
    is_better,
)
from sprawlsim.sprawlops.mission.laws import Pool, Uses, strides

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Ranks = npt.NDArray[np.int32]

SUCCESS, INJURY, BLANK, IN_HAND = range(4)

FACE_SHARES = np.array([SUCCESS_FACES, INJURY_FACES, SIDES - SUCCESS_FACES - INJURY_FACES]) / SIDES

USE = -1
"""Instead of a layout to take up: the roll is used as it lies."""
NO_LAYOUT = -1


class Layouts(NamedTuple):
    """All layouts of a pool: numbered in mixed radix over the colours, fewer dice in hand first."""

    counts: Ints
    """Layouts of each colour; shape (5,)."""
    stride: Ints
    """What a colour's layout counts in the number of the whole; shape (5,)."""
    first: Ints
    """Where a colour's own layouts begin in the arrays that follow; shape (5,)."""
    dice: Ints
    """Dice by `SUCCESS`, `INJURY`, `BLANK`, `IN_HAND`."""
    fall: Ints
    """The layout after one die has fallen, by its face; `NO_LAYOUT` where none is in hand."""
    take: Ints
    """The layout after one die is taken up, by its face; `NO_LAYOUT` where none shows it."""
    chance: Floats
    """How likely all dice fall so, where none is in hand."""
    success: Ints
    injury: Ints
    """What a colour's layout adds to the numbers of the successes and of the injuries."""

    @property
    def number(self) -> int:
        """How many layouts there are."""
        return int(self.counts.prod())


@lru_cache(maxsize=64)
def _layouts_of(dice: int, deepest: int) -> tuple[Ints, Ints, Ints, Floats]:
    """List the layouts of the dice of one colour: dice by place, fall, take, chance."""
    rows = [
        (successes, injuries, dice - in_hand - injuries - successes, in_hand)
        for in_hand in range(min(dice, deepest) + 1)
        for injuries in range(dice - in_hand + 1)
        for successes in range(dice - in_hand - injuries + 1)
    ]
    number = {row: i for i, row in enumerate(rows)}
    fall = np.full((len(rows), 3), NO_LAYOUT, dtype=np.int64)
    take = np.full((len(rows), 3), NO_LAYOUT, dtype=np.int64)
    chance = np.zeros(len(rows))
    for i, row in enumerate(rows):
        for face in range(3):
            step = [int(place == face) - int(place == IN_HAND) for place in range(4)]
            fallen = tuple(a + b for a, b in zip(row, step, strict=True))
            taken = tuple(a - b for a, b in zip(row, step, strict=True))
            fall[i, face] = number.get(fallen, NO_LAYOUT) if row[IN_HAND] else NO_LAYOUT
            take[i, face] = number.get(taken, NO_LAYOUT) if row[face] else NO_LAYOUT
        if row[IN_HAND] == 0:
            chance[i] = FACE_CHANCES[FACE_LAW_START[dice] + face_rank(dice, row[SUCCESS], row[INJURY])]
    return np.array(rows, dtype=np.int64), fall, take, chance


def find_layouts(pool: Pool, uses: Uses, deepest: int) -> Layouts:
    """List the layouts of a pool in a Stage, with at most so many dice of a colour in hand."""
    certain, groups, most = pool.certain, pool.groups, pool.law.most
    parts = [_layouts_of(int(dice), deepest) for dice in pool.rolled]
    counts = np.array([len(part[0]) for part in parts], dtype=np.int64)
    success_stride = strides(uses.most)
    injury_stride = np.array([strides(most)[g] if g >= 0 else 0 for g in groups], dtype=np.int64)
    return Layouts(
        counts=counts,
        stride=np.concatenate([[1], np.cumprod(counts)[:-1]]).astype(np.int64),
        first=np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64),
        dice=np.concatenate([part[0] for part in parts]),
        fall=np.concatenate([part[1] for part in parts]),
        take=np.concatenate([part[2] for part in parts]),
        chance=np.concatenate([part[3] for part in parts]),
        success=np.concatenate(
            [(part[0][:, SUCCESS] + certain[c]) * success_stride[c] for c, part in enumerate(parts)]
        ),
        injury=np.concatenate([part[0][:, INJURY] * injury_stride[c] for c, part in enumerate(parts)]),
    )


class Rerolled(NamedTuple):
    """What rerolls lead to; empty arrays where there is none."""

    free: Floats
    """Worths of the layouts once a free reroll is spent."""
    best_free: Ints
    """The best layout to take dice up to by it, by layout."""
    die: Floats
    """Worths of the layouts once the Loot card is played."""


class Lying(NamedTuple):
    """What a roll is worth as it lies."""

    row_of: Ints
    """Row of `ranks`, by number of the successes."""
    ranks: Ranks
    """Rank of the best use; shape (rows, injuries)."""


@kernel
def _read(layouts: Layouts, number: int, at: Ints) -> int:
    """Find the layout of each colour, as places in the arrays; count the dice in hand."""
    in_hand = 0
    for c in range(COLOURS):
        at[c] = layouts.first[c] + number // layouts.stride[c] % layouts.counts[c]
        in_hand += layouts.dice[at[c], IN_HAND]
    return in_hand


@kernel
def rank_uses(
    uses: Uses,
    left: int,
    option_of: Ints,
    best: Ranks,
    lowest: int,
    ranks: Ranks,
) -> None:
    """Rank the best use for every row of successes and all injuries; shape (rows, injuries)."""
    first = uses.row_start[left]
    for row in range(first, uses.row_start[left + 1]):
        best_of_row(uses, row, left, option_of, best, lowest, ranks[row - first])


@kernel
def best_to_take_up(layouts: Layouts, worths: Floats, ties: Floats, best: Ints) -> None:
    """Find, for every layout, the best one that taking up any dice, or none more, leads to.

    `worths` are those of the layouts once the reroll is spent. From a layout with no dice in hand at
    least one must be taken up.
    """
    at = np.empty(COLOURS, dtype=np.int64)
    for x in range(best.size - 1, -1, -1):
        in_hand = _read(layouts, x, at)
        found = np.int64(x if in_hand > 0 else NO_LAYOUT)
        for c in range(COLOURS):
            own = at[c] - layouts.first[c]
            for face in range(3):
                taken = layouts.take[at[c], face]
                if taken == NO_LAYOUT:
                    continue
                y = best[x + (taken - own) * layouts.stride[c]]
                if found == NO_LAYOUT or is_better(worths[y], worths[found], ties):
                    found = y
        best[x] = found


@kernel
def _best_single(layouts: Layouts, x: int, at: Ints, worths: Floats, ties: Floats) -> int:
    """Find the best layout that taking up one die leads to."""
    found = np.int64(NO_LAYOUT)
    for c in range(COLOURS):
        own = at[c] - layouts.first[c]
        for face in range(3):
            taken = layouts.take[at[c], face]
            if taken != NO_LAYOUT:
                y = x + (taken - own) * layouts.stride[c]
                if found == NO_LAYOUT or is_better(worths[y], worths[found], ties):
                    found = y
    return found


@kernel
def _mean(layouts: Layouts, x: int, at: Ints, worths: Floats) -> None:
    """Average over how the first die in hand falls."""
    worths[x] = 0.0
    for c in range(COLOURS):
        if layouts.dice[at[c], IN_HAND] > 0:
            own = at[c] - layouts.first[c]
            for face in range(3):
                y = x + (layouts.fall[at[c], face] - own) * layouts.stride[c]
                for w in range(WORTHS):
                    worths[x, w] += FACE_SHARES[face] * worths[y, w]
            return


@kernel
def _rank(layouts: Layouts, at: Ints, lying: Lying) -> int:
    """Rank the best use of the dice as they lie."""
    successes = 0
    injuries = 0
    for c in range(COLOURS):
        successes += layouts.success[at[c]]
        injuries += layouts.injury[at[c]]
    return np.int64(lying.ranks[lying.row_of[successes], injuries])


@kernel
def value_layouts(
    layouts: Layouts,
    deepest: int,
    lying: Lying,
    candidates: Candidates,
    rerolled: Rerolled,
    ties: Floats,
    worths: Floats,
    chosen: Ints,
) -> None:
    """Value every layout with at most `deepest` dice in hand, from those with none on.

    Filled are the worth of each layout (`worths`), and what to do with no dice in hand (`chosen`): `USE`,
    or twice the layout to take dice up to, plus one if by the Loot card.
    """
    at = np.empty(COLOURS, dtype=np.int64)
    for x in range(chosen.size):
        in_hand = _read(layouts, x, at)
        if in_hand > deepest:
            continue
        if in_hand > 0:
            _mean(layouts, x, at, worths)
            continue
        worths[x] = candidates.worth[candidates.order[_rank(layouts, at, lying)]]
        chosen[x] = USE
        if rerolled.best_free.size > 0:
            y = rerolled.best_free[x]
            if y != NO_LAYOUT and is_better(rerolled.free[y], worths[x], ties):
                worths[x] = rerolled.free[y]
                chosen[x] = 2 * y
        if rerolled.die.size > 0:
            y = _best_single(layouts, x, at, rerolled.die, ties)
            if y != NO_LAYOUT and is_better(rerolled.die[y], worths[x], ties):
                worths[x] = rerolled.die[y]
                chosen[x] = 2 * y + 1


@kernel
def throw_all(layouts: Layouts, chances: Floats) -> None:
    """Find how likely every layout with no dice in hand is when all dice fall."""
    at = np.empty(COLOURS, dtype=np.int64)
    for x in range(chances.size):
        chances[x] = 0.0
        if _read(layouts, x, at) == 0:
            chances[x] = 1.0
            for c in range(COLOURS):
                chances[x] *= layouts.chance[at[c]]


@kernel
def spread_layouts(
    layouts: Layouts,
    chances: Floats,
    lying: Lying,
    chosen: Ints,
    by_rank: Floats,
    after_free: Floats,
    after_die: Floats,
) -> None:
    """Let dice in hand fall, and act on what lies there.

    The chances of layouts (`chances`, used up) move to the ranks of the uses (`by_rank`), and to the
    layouts after a reroll (`after_free`, `after_die`).
    """
    at = np.empty(COLOURS, dtype=np.int64)
    by_rank[:] = 0.0
    for x in range(chances.size - 1, -1, -1):
        if chances[x] == 0.0:
            continue
        if _read(layouts, x, at) > 0:
            _let_one_fall(layouts, x, at, chances)
        elif chosen[x] == USE:
            by_rank[_rank(layouts, at, lying)] += chances[x]
        elif chosen[x] % 2 == 1:
            after_die[chosen[x] // 2] += chances[x]
        else:
            after_free[chosen[x] // 2] += chances[x]


@kernel
def _let_one_fall(layouts: Layouts, x: int, at: Ints, chances: Floats) -> None:
    """Share the chance of a layout out to how its first die in hand falls."""
    for c in range(COLOURS):
        if layouts.dice[at[c], IN_HAND] > 0:
            own = at[c] - layouts.first[c]
            for face in range(3):
                y = x + (layouts.fall[at[c], face] - own) * layouts.stride[c]
                chances[y] += FACE_SHARES[face] * chances[x]
            return
