"""The Shapley value: by hand, by every order of joining, and by its axioms."""

from __future__ import annotations

from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sprawlsim.errors import SprawlsimError
from sprawlsim.stats.shapley import shapley_values


def by_every_order(worths):
    """Let the players join in every order, and average what each adds."""
    players = len(worths).bit_length() - 1
    added = np.zeros(players)
    for order in permutations(range(players)):
        there = 0
        for player in order:
            added[player] += worths[there | 1 << player] - worths[there]
            there |= 1 << player
    return added / factorial(players)


games = st.integers(0, 5).flatmap(
    lambda n: arrays(float, 2**n, elements=st.floats(-1e6, 1e6, allow_nan=False, width=32))
)


def worths_of(worth, players):
    return [worth({i for i in range(players) if s >> i & 1}) for s in range(2**players)]


@given(games)
def test_it_is_the_mean_over_every_order_of_joining(worths):
    assert shapley_values(worths) == pytest.approx(by_every_order(worths), rel=1e-9, abs=1e-6)


@given(games)
def test_shares_add_up_to_what_all_reach_beyond_nobody(worths):
    assert shapley_values(worths).sum() == pytest.approx(worths[-1] - worths[0], rel=1e-9, abs=1e-5)


def test_gloves_in_pairs():
    """Two left gloves and a right one; a pair is worth 1. The right one is scarce: 1/6, 1/6, 2/3."""
    pairs = worths_of(lambda there: float(2 in there and len(there) > 1), 3)
    assert shapley_values(pairs) == pytest.approx([1 / 6, 1 / 6, 2 / 3])


def test_a_runway_is_paid_for_by_who_needs_each_piece_of_it():
    """Aeroplanes that need runways of 8, 11, 13 and 18 (Littlechild and Owen 1973).

    The first 8 are needed by four of them, the next 3 by three, 2 by two, and 5 by one.
    """
    needs = (8, 11, 13, 18)
    costs = worths_of(lambda there: max((needs[i] for i in there), default=0), 4)
    assert shapley_values(costs) == pytest.approx([2, 3, 4, 9])


def test_who_adds_nothing_has_nothing_and_equals_have_the_same():
    """Players 0 and 1 square their number; player 2 only watches."""
    worths = worths_of(lambda there: float(len(there - {2}) ** 2), 3)
    shares = shapley_values(worths)
    assert shares == pytest.approx([2.0, 2.0, 0.0])
    assert shares[2] == 0.0


def test_no_player_has_no_share():
    assert shapley_values([3.0]).shape == (0,)


@pytest.mark.parametrize(
    ("worths", "told"),
    [
        ([], "2\\*\\*n numbers"),
        ([1.0, 2.0, 3.0], "2\\*\\*n numbers"),
        ([[1.0, 2.0]], "not an array of shape \\(1, 2\\)"),
        ([0.0, float("nan")], "not finite"),
    ],
)
def test_what_are_not_the_worths_of_all_coalitions_is_refused(worths, told):
    with pytest.raises(SprawlsimError, match=told):
        shapley_values(worths)
