"""What the dice of a roll offer: successes by what can be made of them, and injuries by whom they hurt.

Many rolls are alike. Two rolls whose successes allow the same icons to be defeated with as many successes
left over to cancel injuries are worth the same, if their injuries hurt the same runners; so rolls are
merged by that, and their probabilities added up. Nothing is left out or rounded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.mission.arrays import COLOURS

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

CANNOT = -1
"""Instead of a number of successes left: these icons cannot be defeated."""


def lattice(sizes: npt.ArrayLike) -> Ints:
    """List all vectors from 0 to `sizes`, the first place fastest; shape (number, places)."""
    sizes = np.asarray(sizes)
    if len(sizes) == 0:
        return np.zeros((1, 0), dtype=np.int64)
    grid = np.indices(tuple(sizes[::-1] + 1)).reshape(len(sizes), -1)
    return np.ascontiguousarray(grid[::-1].T)


def strides(sizes: npt.ArrayLike) -> Ints:
    """Give what each place counts in the numbering of `lattice`."""
    return np.concatenate([[1], np.cumprod(np.asarray(sizes)[:-1] + 1)]).astype(np.int64)


def successes_left(successes: Ints, defeated: Ints) -> Ints:
    """Count the most successes left to cancel injuries once these icons are defeated (M4).

    With direct hits ``d_c = min(s_c, r_c)``, each saves a success against a wild pair. Taking one hit
    less gives at most one pair more, and needs one: so if the remaining icons cannot be paired for with
    all hits taken, they cannot with fewer. Hence ``sum(s) - sum(d) - 2 (sum(r) - sum(d))`` are left,
    provided that ``sum(r) - sum(d)`` pairs are there.

    Parameters
    ----------
    successes, defeated : ndarray of int, shape (..., 5)
        Successes of a roll, and icons to defeat with them, by colour.

    Returns
    -------
    ndarray of int
        `CANNOT` where the successes do not suffice.
    """
    direct = np.minimum(successes, defeated)
    wilds = (defeated - direct).sum(-1)
    pairs = ((successes - direct) // 2).sum(-1)
    left = (successes - direct).sum(-1) - 2 * wilds
    return np.where(wilds <= pairs, left, CANNOT)


class Uses(NamedTuple):
    """What successes can do in one Stage, for each number of icons left of it, whatever the pool."""

    icons: Ints
    """Icons left, listed by `lattice`; shape (number, 5)."""
    most: Ints
    """Most successes of each colour that a roll can show, without cards."""
    kind: Ints
    """Kind of a vector of successes (numbered as by `lattice(most)`): equal kinds allow the same."""
    kinds: int
    """How many kinds there are."""
    row_start: Ints
    """The rows of icons left ``c`` are ``row_start[c]`` to ``row_start[c + 1]``: kinds that allow the
    same there are one row."""
    row_of: npt.NDArray[np.int64]
    """Row of a kind within those of icons left ``c``; shape (number, kinds)."""
    play_start: Ints
    """The plays of row ``w`` are ``play_start[w]`` to ``play_start[w + 1]``."""
    plays: Ints
    """(success cards played, by number; icons defeated, by number; successes left); shape (number, 3)."""


def find_uses(icons: Ints, most: Ints, cards: Ints) -> Uses:
    """Find what every vector of successes can do.

    Parameters
    ----------
    icons : ndarray, shape (5,)
        Icons of the Stage.
    most : ndarray, shape (5,)
        Most successes of each colour in one roll.
    cards : ndarray, shape (ways, 5)
        Ways to play success cards.
    """
    left = lattice(icons)
    successes = lattice(most)
    rows = np.stack(
        [successes_left((successes + played)[:, None, :], left[None, :, :]) for played in cards], axis=1
    )
    profiles, kind = _distinct(rows.reshape(len(successes), -1))
    profiles = profiles.reshape(-1, len(cards), len(left))
    row_start, row_of, play_start, plays = [0], [], [0], []
    for here in left:
        within = np.flatnonzero((left <= here).all(axis=1))
        options, row = _distinct(profiles[:, :, within].reshape(len(profiles), -1))
        row_of.append(row)
        row_start.append(row_start[-1] + len(options))
        for option in options:
            possible = np.flatnonzero(option >= 0)
            card, place = possible // len(within), possible % len(within)
            plays.append(np.stack([card, within[place], option[possible]], axis=1))
            play_start.append(play_start[-1] + len(possible))
    return Uses(
        icons=left,
        most=most,
        kind=kind,
        kinds=len(profiles),
        row_start=np.array(row_start),
        row_of=np.array(row_of),
        play_start=np.array(play_start),
        plays=np.ascontiguousarray(np.concatenate(plays)),
    )


def _distinct(rows: Ints) -> tuple[Ints, Ints]:
    """Find the distinct rows, and which of them each row is."""
    packed = np.ascontiguousarray(rows.astype(np.int8)).view(np.dtype((np.void, rows.shape[1]))).reshape(-1)
    _, first, which = np.unique(packed, return_index=True, return_inverse=True)
    return rows[first], which.reshape(-1)


class Law(NamedTuple):
    """The law of a roll of one pool in one Stage, merged."""

    chances: npt.NDArray[np.float64]
    """Chance of (row of `Uses`, injuries by group); shape (rows, injuries)."""
    most: Ints
    """Most injuries of each group."""
    counts: Ints
    """Injuries of each group, listed by `lattice`; shape (injuries, groups)."""


class Pool(NamedTuple):
    """The dice of a roll, by colour: how many are rolled, which successes are certain, their law."""

    rolled: Ints
    certain: Ints
    groups: Ints
    law: Law


@kernel
def _add_up_rolls(
    rolled: Ints,
    certain: Ints,
    faces: Ints,
    face_chances: npt.NDArray[np.float64],
    face_start: Ints,
    success_stride: Ints,
    injury_stride: Ints,
    kind: Ints,
    chances: npt.NDArray[np.float64],
) -> None:
    """Add the chance of every roll to its (kind of successes, injuries)."""
    place = np.zeros(COLOURS + 1, dtype=np.int64)
    success = np.zeros(COLOURS + 1, dtype=np.int64)
    injury = np.zeros(COLOURS + 1, dtype=np.int64)
    chance = np.ones(COLOURS + 1)
    for c in range(COLOURS):
        place[c] = face_start[rolled[c]]
    c = 0
    while c >= 0:
        if c == COLOURS:
            chances[kind[success[c]], injury[c]] += chance[c]
            c -= 1
            continue
        if place[c] == face_start[rolled[c] + 1]:
            place[c] = face_start[rolled[c]]
            c -= 1
            continue
        f = place[c]
        place[c] += 1
        success[c + 1] = success[c] + (faces[f, 0] + certain[c]) * success_stride[c]
        injury[c + 1] = injury[c] + faces[f, 1] * injury_stride[c]
        chance[c + 1] = chance[c] * face_chances[f]
        c += 1


@kernel
def _add_up_kinds(
    by_kind: npt.NDArray[np.float64], row_start: Ints, row_of: Ints, chances: npt.NDArray[np.float64]
) -> None:
    """Merge, for each number of icons left, the kinds of successes that allow the same there."""
    for left in range(row_start.size - 1):
        for kind in range(by_kind.shape[0]):
            row = row_start[left] + row_of[left, kind]
            for i in range(by_kind.shape[1]):
                chances[row, i] += by_kind[kind, i]


def find_law(uses: Uses, rolled: Ints, certain: Ints, groups: Ints, faces: tuple[Ints, Floats, Ints]) -> Law:
    """Find the law of a roll.

    Parameters
    ----------
    uses : Uses
        What successes can do in the Stage.
    rolled, certain : ndarray, shape (5,)
        Dice that are rolled, and successes that are certain (M2), by colour.
    groups : ndarray, shape (5,)
        Which colours' injuries hurt the same runners; -1 where they have no effect (M14).
    faces : tuple of ndarray
        The law of the dice of one colour: `FACE_LAW`, `FACE_CHANCES`, `FACE_LAW_START`.
    """
    number = int(groups.max()) + 1
    most = np.array([int(rolled[groups == g].sum()) for g in range(number)], dtype=np.int64)
    injury_stride = np.zeros(COLOURS, dtype=np.int64)
    for colour, group in enumerate(groups):
        if group >= 0:
            injury_stride[colour] = strides(most)[group]
    counts = lattice(most)
    by_kind = np.zeros((uses.kinds, len(counts)))
    law, law_chances, start = faces
    success_stride = strides(uses.most)
    _add_up_rolls(rolled, certain, law, law_chances, start, success_stride, injury_stride, uses.kind, by_kind)
    chances = np.zeros((int(uses.row_start[-1]), len(counts)))
    _add_up_kinds(by_kind, uses.row_start, uses.row_of, chances)
    return Law(chances, most, counts)
