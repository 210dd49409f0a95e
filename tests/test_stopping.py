"""Runs that look and stop: where they look, and that what they stop on holds as often as it says."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import islice, pairwise

import numpy as np
import pytest

from sprawlsim.errors import SprawlsimError
from sprawlsim.stats.intervals import Estimate, mean_sequence, proportion_sequence, wilson
from sprawlsim.stats.paired import paired_sequence
from sprawlsim.stats.stopping import Stop, is_decided, is_precise, looks, run_until

RUNS = 2000


def test_looks_rise_by_a_block_then_by_a_quarter() -> None:
    assert list(islice(looks(100), 8)) == [100, 200, 300, 400, 500, 600, 700, 800]
    assert list(islice(looks(100), 8, 14)) == [1000, 1200, 1500, 1800, 2200, 2700]
    many = list(islice(looks(100), 60))
    assert all(look % 100 == 0 for look in many)
    assert all(b - a <= max(100, a / 4) for a, b in pairwise(many))
    assert many[-1] > 10**6


def test_the_last_look_is_at_the_limit() -> None:
    assert list(looks(100, 250)) == [100, 200, 250]
    assert list(looks(100, 100)) == [100]
    assert list(looks(100, 30)) == [30]


def test_precise_and_decided_by_hand() -> None:
    assert is_precise(Estimate(0.5, 0.4, 0.6), 0.1000001)
    assert not is_precise(Estimate(0.5, 0.4, 0.6), 0.09)
    assert is_decided(Estimate(0.2, 0.1, 0.3))
    assert is_decided(Estimate(-0.2, -0.3, -0.1))
    assert not is_decided(Estimate(0.2, 0.0, 0.3))
    assert not is_decided(Estimate(0.2, -0.1, 0.3))
    assert is_decided(Estimate(0.2, 0.1, 0.22), against=0.25)


def test_a_run_stops_at_the_first_look_that_is_enough_or_at_its_limit() -> None:
    seen = []

    def play(n: int) -> Estimate:
        seen.append(n)
        return Estimate(0.5, 0.5 - 12.5 / n, 0.5 + 12.5 / n)

    stop = run_until(play, partial(is_precise, within=0.03125), block=100)
    assert seen == [100, 200, 300, 400]
    assert stop == Stop(Estimate(0.5, 0.46875, 0.53125), 400, True)
    assert run_until(play, partial(is_precise, within=0.03125), 100, at_most=350) == Stop(
        play(350), 350, False
    )
    assert run_until(play, partial(is_precise, within=0.03125), 100, at_most=400).is_enough


@pytest.mark.parametrize(("block", "at_most"), [(0, None), (-5, 10), (10, 0)])
def test_a_run_of_nothing_is_told(block: int, at_most: int | None) -> None:
    with pytest.raises(SprawlsimError, match="at least 1"):
        run_until(lambda n: Estimate.exact(0), is_decided, block, at_most)


def wins(rng: np.random.Generator, p: float, at: list[int]) -> np.ndarray:
    """Wins of RUNS runs at each look."""
    return rng.binomial(np.diff([0, *at]), p, size=(RUNS, len(at))).cumsum(axis=1)


@pytest.mark.parametrize("p", [0.03, 0.25, 0.5])
def test_a_run_until_precise_errs_no_more_often_than_it_says(p: float) -> None:
    within, block, limit = 0.06, 50, 20_000
    at = list(looks(block, limit))
    missed = 0
    for row in wins(np.random.default_rng(43), p, at).tolist():
        count = dict(zip(at, row, strict=True))
        stop = run_until(
            lambda n: proportion_sequence(count[n], n),  # noqa: B023
            partial(is_precise, within=within),
            block,
            limit,
        )
        assert stop.is_enough
        assert stop.estimate.half_width <= within
        missed += not stop.estimate.low <= p <= stop.estimate.high
    assert missed <= 0.05 * RUNS


def sign_errors(
    interval: Callable[[int, int, int], Estimate], law: tuple[float, float], seed: int, limit: int = 2_500
) -> tuple[int, int]:
    """Of RUNS runs until a sign is decided: how many decided wrongly, and how many rightly."""
    at = list(looks(100, limit))
    rng = np.random.default_rng(seed)
    steps = np.diff([0, *at])
    cells = np.stack([rng.multinomial(k, [*law, 1 - sum(law)], size=RUNS)[:, :2] for k in steps], axis=1)
    wrong = right = 0
    truth = np.sign(law[0] - law[1])
    for row in cells.cumsum(axis=1).tolist():
        count = dict(zip(at, row, strict=True))
        stop = run_until(lambda n: interval(*count[n], n), is_decided, 100, limit)  # noqa: B023
        if stop.is_enough:
            if np.sign(stop.estimate.estimate) == truth:
                right += 1
            else:
                wrong += 1
    return wrong, right


def paired_means(first: int, second: int, n: int) -> Estimate:
    return mean_sequence(first - second, first + second, n, tuned_for=2000)


@pytest.mark.parametrize("interval", [paired_sequence, paired_means])
def test_equal_things_are_rarely_told_apart_however_often_one_looks(
    interval: Callable[[int, int, int], Estimate],
) -> None:
    wrong, right = sign_errors(interval, (0.08, 0.08), 47)
    # No sign is right where there is none.
    assert right == 0
    assert wrong <= 0.05 * RUNS


@pytest.mark.parametrize("interval", [paired_sequence, paired_means])
def test_a_difference_is_found_and_its_sign_is_right(interval: Callable[[int, int, int], Estimate]) -> None:
    wrong, right = sign_errors(interval, (0.16, 0.06), 53)
    assert wrong <= 0.05 * RUNS / 2
    assert right >= 0.95 * RUNS


def test_stopping_on_an_interval_for_one_look_would_err_far_more_often() -> None:
    def peeked(first: int, second: int, n: int) -> Estimate:
        share = wilson(first, first + second)
        return Estimate(share.estimate - 0.5, share.low - 0.5, share.high - 0.5)

    wrong, _ = sign_errors(peeked, (0.08, 0.08), 47)
    assert wrong > 0.2 * RUNS
