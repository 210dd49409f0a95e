"""The law of the dice against icepool, an independent library of exact dice probabilities."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import icepool
import pytest

from sprawlsim.sprawlops.dice import (
    CHUNK,
    FACE_RANKS,
    FACES,
    FACES_START,
    SIDES,
    certain_successes,
    face_counts,
    face_rank,
    rolled_dice,
)
from sprawlsim.sprawlops.mission.estimate import EXPECTED_DIRECT, EXPECTED_PAIRS

SUCCESS = icepool.Die([1, 1, 0, 0, 0, 0])
FACE = icepool.Die([1, 1, 100, 0, 0, 0])  # successes + 100 * injuries


@pytest.mark.nojit
@pytest.mark.parametrize("dice", range(CHUNK + 1))
def test_face_table_holds_the_law_of_so_many_dice(dice: int) -> None:
    table = FACES[FACES_START[dice] : FACES_START[dice] + SIDES**dice].tolist()
    counted = Counter((packed & 15, packed >> 4) for packed in table)
    law = dice @ FACE if dice else icepool.Die([0])
    expected = {(outcome % 100, outcome // 100): law.probability(outcome) for outcome in law.outcomes()}
    assert {faces: Fraction(count, SIDES**dice) for faces, count in counted.items()} == expected


@pytest.mark.nojit
@pytest.mark.parametrize("dice", [0, 1, 2, 5, 6, 9, 15])
def test_face_rank_numbers_every_pair_once(dice: int) -> None:
    pairs = [(s, i) for i in range(dice + 1) for s in range(dice - i + 1)]
    assert sorted(face_rank(dice, s, i) for s, i in pairs) == list(range(face_counts(dice)))


@pytest.mark.nojit
@pytest.mark.parametrize("dice", range(CHUNK + 1))
def test_ranks_number_the_faces_of_the_table(dice: int) -> None:
    part = slice(FACES_START[dice], FACES_START[dice] + SIDES**dice)
    for packed, rank in zip(FACES[part].tolist(), FACE_RANKS[part].tolist(), strict=True):
        assert rank == face_rank(dice, packed & 15, packed >> 4)


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("pool", "rolled", "certain"), [(0, 0, 0), (1, 1, 0), (4, 4, 0), (5, 3, 1), (6, 4, 1), (10, 8, 1)]
)
def test_five_dice_of_a_colour_make_a_veteran_team(pool: int, rolled: int, certain: int) -> None:
    """Rulebook, "Automatic Success": two of at least five are set aside for one success, once a colour."""
    assert (rolled_dice(pool), certain_successes(pool)) == (rolled, certain)


@pytest.mark.parametrize("pool", [0, 1, 2, 3, 4, 5, 6, 8, 10, 17])
def test_expected_pairs_of_a_roll(pool: int) -> None:
    successes = _successes(pool, 1)
    assert pytest.approx(float(successes.map(lambda s: s // 2).mean()), abs=1e-12) == EXPECTED_PAIRS[pool]


@pytest.mark.parametrize("pool", [1, 3, 4, 5, 9])
@pytest.mark.parametrize("rolls", [1, 2, 3])
@pytest.mark.parametrize("icons", [1, 2, 5, 9])
def test_expected_icons_defeated_directly(rolls: int, pool: int, icons: int) -> None:
    successes = _successes(pool, rolls)
    expected = float(successes.map(lambda s: min(s, icons)).mean())
    assert pytest.approx(expected, abs=1e-12) == EXPECTED_DIRECT[rolls, pool, icons]


def _successes(pool: int, rolls: int) -> icepool.Die[int]:
    rolled, certain = (pool - 2, 1) if pool >= 5 else (pool, 0)
    return (rolls * rolled) @ SUCCESS + rolls * certain if rolled else icepool.Die([rolls * certain])
