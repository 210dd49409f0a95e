"""Paired comparisons: scipy's tests, hand computation, and coverage by enumeration of all samples."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gammaln, xlogy

from sprawlsim.errors import SprawlsimError
from sprawlsim.stats.intervals import Estimate, mean_interval, wilson
from sprawlsim.stats.paired import (
    control_variate,
    difference_p_value,
    mcnemar,
    paired_difference,
    paired_proportions,
    paired_sequence,
    variance_ratio,
)


def sums(values: np.ndarray) -> tuple[float, float, int]:
    return values.sum().item(), (values * values).sum().item(), values.size


@pytest.mark.parametrize("n", [2, 10, 400, 5000])
def test_the_paired_difference_and_its_test_are_students(n: int) -> None:
    rng = np.random.default_rng(n)
    first = rng.normal(3, 2, size=n)
    second = first + rng.normal(0.1, 0.5, size=n)
    other = stats.ttest_rel(first, second)
    found = paired_difference(*sums(first - second), 0.9)
    interval = other.confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-6)
    expected = max(other.pvalue, 2.0 ** (1 - n))
    assert difference_p_value(*sums(first - second)) == pytest.approx(expected, rel=1e-9)


def test_bounded_differences_are_no_point_when_none_was_seen() -> None:
    assert paired_difference(0, 0, 1000) == Estimate(0.0, 0.0, 0.0)
    found = paired_difference(0, 0, 1000, at_most=4)
    # z^2/2 imagined at -4 and at 4 each: 4 z sqrt(z^2) / (n + z^2).
    z2 = stats.norm.ppf(0.975) ** 2
    assert (found.low, found.high) == pytest.approx((-4 * z2 / (1000 + z2), 4 * z2 / (1000 + z2)))


def test_equal_differences_are_no_proof_beyond_their_signs() -> None:
    assert difference_p_value(3, 9, 1) == 1.0
    assert difference_p_value(0, 0, 50) == 1.0
    assert difference_p_value(15, 45, 5) == stats.binomtest(5, 5).pvalue == 2.0**-4


def test_a_difference_larger_than_it_can_be_is_told() -> None:
    with pytest.raises(SprawlsimError, match="between -1 and 1"):
        paired_difference(10, 60, 5, at_most=1)
    with pytest.raises(SprawlsimError, match="at_most must be above 0, not 0"):
        paired_difference(1, 1, 5, at_most=0)


def test_the_paired_proportions_by_hand() -> None:
    # 20 first only, 12 second only, of 100: (21 - 13)/102 -+ 1.959964 sqrt((34/102 - (8/102)^2)/102).
    found = paired_proportions(40, 20, 12, 28)
    half = 1.959964 * math.sqrt((34 / 102 - (8 / 102) ** 2) / 102)
    assert found.estimate == 0.08
    assert (found.low, found.high) == pytest.approx((8 / 102 - half, 8 / 102 + half), rel=1e-6)


def trinomial_coverage(n: int, laws: list[tuple[float, float]]) -> np.ndarray:
    """Coverage under each (P(first only), P(second only)): a sum over all samples."""
    cells = np.array([(b, c) for b in range(n + 1) for c in range(n + 1 - b)])
    ends = [paired_proportions(0, b, c, n - b - c) for b, c in cells.tolist()]
    low, high = np.array([e.low for e in ends]), np.array([e.high for e in ends])
    samples = np.column_stack([cells, n - cells.sum(axis=1)])
    ways = gammaln(n + 1) - gammaln(samples + 1).sum(axis=1)
    covered = []
    for first, second in laws:
        held = (low <= first - second + 1e-12) & (first - second - 1e-12 <= high)
        logs = ways[held] + xlogy(samples[held], [first, second, 1 - first - second]).sum(axis=1)
        covered.append(np.exp(logs).sum())
    return np.array(covered)


@pytest.mark.parametrize("n", [20, 50, 100])
def test_the_paired_proportions_cover_at_least_what_they_say_even_rare_differences(n: int) -> None:
    rates = [0.0, 0.5 / n, 1 / n, 2 / n, 4 / n, 8 / n, 0.1, 0.2, 0.4, 0.7]
    laws = [(rate * s, rate * (1 - s)) for rate in rates for s in (0.05, 0.25, 0.4, 0.5)]
    coverage = trinomial_coverage(n, laws)
    assert coverage.min() >= 0.94
    assert coverage.mean() >= 0.95


@pytest.mark.parametrize("n", [50, 100])
def test_the_paired_proportions_coverage_averages_to_its_promise(n: int) -> None:
    # All laws alike: (both or neither, first only, second only) uniform over what they can be.
    laws = np.random.default_rng(n).dirichlet([1, 1, 1], size=300)[:, 1:]
    assert 0.94 <= trinomial_coverage(n, [tuple(law) for law in laws]).mean() <= 0.965


@pytest.mark.parametrize("first", [0, 1, 3, 40, 1000, 10**6])
@pytest.mark.parametrize("second", [0, 1, 5, 44, 1060])
def test_mcnemar_is_the_exact_binomial_test(first: int, second: int) -> None:
    expected = stats.binomtest(first, first + second).pvalue if first + second else 1.0
    assert mcnemar(first, second) == pytest.approx(expected, rel=1e-9, abs=1e-300)
    assert mcnemar(second, first) == mcnemar(first, second)


@pytest.mark.parametrize("n", [1, 6, 30, 101, 400])
def test_mcnemar_rejects_equal_sides_no_more_often_than_its_level(n: int) -> None:
    p_values = np.array([mcnemar(count, n - count) for count in range(n + 1)])
    law = stats.binom.pmf(np.arange(n + 1), n, 0.5)
    for level in (0.2, 0.05, 0.01, 0.001):
        assert law[p_values <= level].sum() <= level * (1 + 1e-9)


def paired_games(
    rng: np.random.Generator, runs: int, n: int, cells: tuple[float, ...]
) -> list[tuple[int, int, int, int]]:
    """Draw (wins, base_wins, both, n) of `runs` samples; cells: both, variant only, base only, neither."""
    drawn = rng.multinomial(n, cells, size=runs)
    return [(both + new, both + old, both, n) for both, new, old, _ in drawn.tolist()]


@pytest.mark.parametrize("n", [500, 200_000])
def test_the_control_variate_is_the_regression_estimate(n: int) -> None:
    rng = np.random.default_rng(8)
    base = rng.random(n) < 0.25
    variant = np.where(rng.random(n) < 0.8, base, rng.random(n) < 0.4)
    found = control_variate(int(variant.sum()), int(base.sum()), int((variant & base).sum()), n, 0.25)
    slope = np.cov(base, variant)[0, 1] / base.var(ddof=1)
    assert found.estimate == pytest.approx(variant.mean() - slope * (base.mean() - 0.25), rel=1e-12)
    if n > 10_000:
        # The interval of a regression, from its residual variance, is a large-sample one.
        residual = (variant - variant.mean()) - slope * (base - base.mean())
        half = 1.959964 * math.sqrt((residual**2).sum() / (n - 2) / n)
        assert found.half_width == pytest.approx(half, rel=0.005)


@pytest.mark.parametrize("n", [60, 500])
@pytest.mark.parametrize(
    "cells",
    [(0.2, 0.08, 0.05, 0.67), (0.24, 0.02, 0.01, 0.73), (0.245, 0.005, 0.005, 0.745), (0.1, 0.3, 0.15, 0.45)],
)
def test_the_control_variate_covers_and_has_no_bias(n: int, cells: tuple[float, ...]) -> None:
    runs = 4000
    truth = cells[0] + cells[1]
    games = [g for g in paired_games(np.random.default_rng(n), runs, n, cells) if 0 < g[1] < n]
    found = [control_variate(*g, 0.25) for g in games]
    coverage = np.mean([e.low <= truth <= e.high for e in found])
    # Two standard errors of 4 000 runs are 0.007; few differing pairs make it cover more, never less.
    assert coverage >= 0.943
    if n * min(cells[1], cells[2]) > 20:
        assert coverage <= 0.965
    estimates = np.array([e.estimate for e in found])
    assert abs(estimates.mean() - truth) < 4 * estimates.std() / math.sqrt(runs)


def test_a_variant_that_changes_nothing_wins_as_the_base_does_within_an_interval() -> None:
    found = control_variate(260, 260, 260, 1000, 0.25)
    assert found.estimate == 0.25
    assert 0 < found.half_width < wilson(260, 1000).half_width / 4


def test_the_ratio_of_variances_is_that_of_the_samples() -> None:
    rng = np.random.default_rng(4)
    luck, n = rng.normal(size=20_000), 20_000
    first, second = luck + 0.5 * rng.normal(size=n), luck + 0.5 * rng.normal(size=n) + 0.1
    ratio = variance_ratio(
        mean_interval(*sums(first)), mean_interval(*sums(second)), paired_difference(*sums(first - second))
    )
    # Variances: 1.25 each; 0.5 of the difference.
    assert ratio == pytest.approx((first.var() + second.var()) / (first - second).var(), rel=1e-9)
    assert ratio == pytest.approx(5, rel=0.05)


def test_unpaired_samples_really_need_so_many_times_more() -> None:
    # 0.3 and 0.25 won, 0.01 and 0.06 by one only: variances 0.21 + 0.1875 against 0.07 - 0.05^2.
    n = 100_000
    paired = paired_proportions(24_000, 6000, 1000, 69_000)
    ratio = variance_ratio(wilson(30_000, n), wilson(25_000, n), paired)
    assert ratio == pytest.approx((0.21 + 0.1875) / (0.07 - 0.0025), rel=1e-3)


def test_a_ratio_without_widths() -> None:
    sure, unsure = Estimate.exact(0.2), wilson(3, 10)
    assert variance_ratio(sure, unsure, Estimate.exact(0.1)) == math.inf
    assert variance_ratio(sure, unsure, unsure) == 1.0
    with pytest.raises(SprawlsimError, match="two exact numbers need no games"):
        variance_ratio(sure, sure, unsure)
    with pytest.raises(SprawlsimError, match="bounded intervals"):
        variance_ratio(sure, unsure, mean_interval(1, 1, 1))


@pytest.mark.parametrize("law", [(0.03, 0.03), (0.1, 0.02), (0.3, 0.2), (0.002, 0.001)])
def test_the_paired_sequence_rarely_misses_even_once(law: tuple[float, float]) -> None:
    runs, blocks, block = 1000, 40, 50
    drawn = (
        np.random.default_rng(17).multinomial(block, [*law, 1 - sum(law)], size=(runs, blocks)).cumsum(axis=1)
    )
    truth = law[0] - law[1]
    known: dict[tuple[int, int, int], bool] = {}
    missed = 0
    for run in drawn[:, :, :2].tolist():
        for look, (first, second) in enumerate(run, start=1):
            key = first, second, look * block
            if key not in known:
                found = paired_sequence(*key)
                known[key] = found.low <= truth <= found.high
            if not known[key]:
                missed += 1
                break
    assert missed <= 0.05 * runs


def test_the_paired_sequence_costs_little_more_than_peeking_must() -> None:
    ratio = (
        paired_sequence(30_000, 29_000, 10**6).half_width
        / paired_proportions(0, 30_000, 29_000, 941_000).half_width
    )
    assert 1.5 < ratio < 2.6


@settings(deadline=None, max_examples=60)
@given(cells=st.tuples(*[st.integers(0, 300)] * 4).filter(any), confidence=st.floats(0.01, 0.999))
def test_intervals_hold_their_estimates_and_sides_mirror(
    cells: tuple[int, int, int, int], confidence: float
) -> None:
    both, first, second, neither = cells
    n = sum(cells)
    for function, here, there in (
        (paired_proportions, cells, (both, second, first, neither)),
        (paired_sequence, (first, second, n), (second, first, n)),
    ):
        found, mirrored = function(*here, confidence), function(*there, confidence)
        assert found.estimate == (first - second) / n
        assert -1 <= found.low <= found.estimate <= found.high <= 1
        assert found.low == pytest.approx(-mirrored.high, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_proportions(0, 0, 0, 0), "n must be at least 1"),
        (lambda: paired_proportions(1, -1, 0, 5), "first_only must not be negative, but is -1"),
        (lambda: paired_proportions(1, 0.5, 0, 5), "first_only must be a whole number"),
        (lambda: paired_proportions(1, 1, 1, 1, 2), "confidence must be between 0 and 1"),
        (lambda: mcnemar(-3, 4), "first_only must not be negative"),
        (lambda: control_variate(5, 5, 6, 10, 0.5), "both cannot have won 6"),
        (lambda: control_variate(8, 8, 5, 10, 0.5), "both cannot have won 5"),
        (lambda: control_variate(5, 5, 2, 10, 1.0), "base_rate must be between 0 and 1"),
        (lambda: control_variate(5, 0, 0, 10, 0.5), "the base won 0 of 10 games"),
        (lambda: control_variate(5, 11, 2, 10, 0.5), "count must be between 0 and n = 10, not 11"),
        (lambda: paired_sequence(5, 6, 10), "count must be between 0 and n = 10, not 11"),
    ],
)
def test_what_cannot_be_is_told(call: Callable[[], object], message: str) -> None:
    with pytest.raises(SprawlsimError, match=message):
        call()
