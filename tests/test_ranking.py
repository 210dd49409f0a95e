"""Ranks with honest ties: by hand, and no wrong order in more than five percent of tables."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sprawlsim.errors import SprawlsimError
from sprawlsim.stats.multiple import holm
from sprawlsim.stats.paired import mcnemar
from sprawlsim.stats.ranking import rank_labels, rank_ranges, resolve_estimates, resolve_pairs


def test_one_winner_and_a_tie_of_three_by_hand() -> None:
    better = np.zeros((4, 4), dtype=bool)
    better[2, [0, 1, 3]] = True
    assert rank_ranges(better).tolist() == [[2, 4], [2, 4], [1, 1], [2, 4]]
    assert rank_labels(rank_ranges(better)) == ["2-4", "2-4", "1", "2-4"]


def test_ties_need_not_be_groups() -> None:
    # A above C is all that is known: B may be anywhere.
    better = np.zeros((3, 3), dtype=bool)
    better[0, 2] = True
    assert rank_labels(rank_ranges(better)) == ["1-2", "1-3", "2-3"]


def test_nothing_resolved_is_one_tie_and_nothing_to_rank_is_empty() -> None:
    assert rank_labels(rank_ranges(np.zeros((3, 3), dtype=bool))) == ["1-3"] * 3
    assert rank_labels(rank_ranges(np.zeros((0, 0), dtype=bool))) == []


@given(scores=st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_known_scores_have_the_ranks_of_every_order_that_fits_them(scores: list[int]) -> None:
    values = np.array(scores)
    ranges = rank_ranges(values[:, None] > values[None, :])
    assert ranges[:, 0].tolist() == stats.rankdata(-values, method="min").tolist()
    assert ranges[:, 1].tolist() == stats.rankdata(-values, method="max").tolist()
    # Numbers known exactly differ or they do not.
    assert (resolve_estimates(scores, np.zeros(len(scores))) == (values[:, None] > values[None, :])).all()


def test_pairs_are_resolved_by_holm_over_all_pairs() -> None:
    estimates, errors = [0.50, 0.56, 0.40, 0.53], [0.01, 0.012, 0.02, 0.01]
    pairs = list(combinations(range(4), 2))
    z = [(estimates[i] - estimates[j]) / np.hypot(errors[i], errors[j]) for i, j in pairs]
    adjusted = holm(2 * stats.norm.sf(np.abs(z)))
    expected = np.zeros((4, 4), dtype=bool)
    for (i, j), score, p in zip(pairs, z, adjusted, strict=True):
        if p <= 0.05:
            expected[(i, j) if score > 0 else (j, i)] = True
    found = resolve_estimates(estimates, errors)
    assert (found == expected).all()
    assert rank_labels(rank_ranges(found)) == ["2-3", "1-2", "4", "1-3"]


def test_what_estimates_share_cancels_in_their_differences() -> None:
    # Alone each has standard error 1; of the difference it is sqrt(2 - 2 * 0.99) = 0.14.
    covariance = np.full((2, 2), 0.99) + 0.01 * np.eye(2)
    assert not resolve_estimates([0.0, 0.5], [1.0, 1.0]).any()
    assert resolve_estimates([0.0, 0.5], covariance).tolist() == [[False, False], [True, False]]


@pytest.mark.parametrize("levels", [[0.0] * 8, [0, 0, 0, 0, 6, 6, 6, 6]])
def test_a_wrong_order_is_claimed_in_at_most_five_percent_of_tables(levels: list[float]) -> None:
    tables, m = 4000, len(levels)
    truth = np.array(levels)
    never_better = truth[:, None] <= truth[None, :]
    drawn = truth + np.random.default_rng(59).normal(size=(tables, m))
    wrong = ranks = 0
    for row in drawn:
        better = resolve_estimates(row, np.ones(m))
        wrong += bool((better & never_better).any())
        ranges = rank_ranges(better)
        true_low = 1 + (truth[:, None] > truth[None, :]).sum(axis=0)
        true_high = m - (truth[:, None] > truth[None, :]).sum(axis=1)
        # A tie of the truth must lie within the ranks given.
        ranks += bool(((ranges[:, 0] > true_low) | (ranges[:, 1] < true_high)).any())
    assert wrong <= stats.binom.ppf(0.999, tables, 0.05)
    assert ranks == wrong
    if truth.any():
        assert better[4:, :4].mean() > 0.5


def test_paired_wins_are_ranked_by_mcnemar() -> None:
    # Wins of one only, of the other only, for pairs AB, AC, BC.
    only = {(0, 1): (120, 60), (0, 2): (130, 55), (1, 2): (80, 75)}
    differences, p_values = np.full((3, 3), np.nan), np.full((3, 3), np.nan)
    for (i, j), (first, second) in only.items():
        differences[i, j], p_values[i, j] = first - second, mcnemar(first, second)
    assert rank_labels(rank_ranges(resolve_pairs(differences, p_values))) == ["1", "2-3", "2-3"]
    assert resolve_pairs(-differences, p_values)[1:, 0].all()


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (rank_ranges, (np.eye(2, dtype=bool),), "items 0 and 0 cannot each be better"),
        (rank_ranges, (np.ones((2, 2), dtype=bool),), "cannot each be better than the other"),
        (rank_ranges, (np.zeros((2, 3), dtype=bool),), "square matrix of bool"),
        (rank_ranges, (np.zeros((2, 2)),), "square matrix of bool, not float64"),
        (resolve_estimates, ([1, 2], [1, 2, 3]), "m standard errors or an m x m covariance"),
        (resolve_estimates, ([1, np.nan], [1, 2]), "finite"),
        (resolve_estimates, ([1, 2], [1, -2]), "must not be negative"),
        (resolve_estimates, ([1, 2], [[1, 3], [3, 1]]), "the variance of a difference is negative"),
        (resolve_estimates, ([1, 2], [1, 2], 95), "confidence must be between 0 and 1"),
        (resolve_pairs, (np.zeros((2, 2)), np.zeros((3, 3))), "square and alike"),
        (resolve_pairs, (np.zeros((2, 2)), np.full((2, 2), 1.5)), "a p-value must be between 0 and 1"),
        (resolve_pairs, (np.full((2, 2), np.nan), np.ones((2, 2))), "is not a number"),
    ],
)
def test_what_cannot_be_ranked_is_told(
    function: Callable[..., object], arguments: tuple[object, ...], message: str
) -> None:
    with pytest.raises(SprawlsimError, match=message):
        function(*arguments)
