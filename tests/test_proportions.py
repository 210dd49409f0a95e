"""Exact, Jeffreys and bounded-mean intervals: published values, scipy, and coverage by enumeration."""

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
from sprawlsim.stats.intervals import Estimate, mean_interval
from sprawlsim.stats.proportions import bounded_mean_interval, clopper_pearson, jeffreys

INTERVALS = [clopper_pearson, jeffreys]


def exact_coverage(interval: Callable[..., Estimate], n: int, p: np.ndarray, confidence: float) -> np.ndarray:
    """Probability that the interval holds p, a finite sum over the counts."""
    ends = [interval(count, n, confidence) for count in range(n + 1)]
    low, high = np.array([e.low for e in ends]), np.array([e.high for e in ends])
    law = stats.binom.pmf(np.arange(n + 1)[:, None], n, p)
    return np.where((low[:, None] <= p) & (p <= high[:, None]), law, 0).sum(axis=0)


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [(81, 263, 0.2527, 0.3676), (15, 148, 0.0578, 0.1617), (0, 20, 0.0, 0.1684), (1, 29, 0.0009, 0.1776)],
)
def test_clopper_pearson_agrees_with_newcombe_1998_table_1(
    count: int, n: int, low: float, high: float
) -> None:
    found = clopper_pearson(count, n)
    assert (found.estimate, found.low, found.high) == pytest.approx((count / n, low, high), abs=5e-5)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
@pytest.mark.parametrize(("count", "n"), [(0, 1), (1, 1), (3, 7), (1, 1000), (10**8, 10**8), (12_345, 10**8)])
def test_clopper_pearson_agrees_with_scipys_binomial_test(count: int, n: int, confidence: float) -> None:
    other = stats.binomtest(count, n).proportion_ci(confidence, method="exact")
    found = clopper_pearson(count, n, confidence)
    assert (found.low, found.high) == pytest.approx((other.low, other.high), rel=1e-9)


@pytest.mark.parametrize(("count", "n"), [(3, 7), (1, 1000), (12_345, 10**8), (0, 10), (10, 10)])
def test_jeffreys_has_equal_posterior_tails(count: int, n: int) -> None:
    found = jeffreys(count, n, 0.9)
    posterior = stats.beta(count + 0.5, n - count + 0.5)
    assert found.estimate == count / n
    assert posterior.cdf(found.low) == pytest.approx(0.05 if count else 0, rel=1e-6)
    assert posterior.sf(found.high) == pytest.approx(0.05 if count < n else 0, rel=1e-6)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("n", [1, 5, 20, 50, 200, 1000])
def test_clopper_pearson_covers_every_proportion_at_least_as_often_as_it_says(
    n: int, confidence: float
) -> None:
    p = np.concatenate([np.linspace(0.0005, 0.9995, 1000), [0.0, 1e-6, 1 - 1e-6, 1.0]])
    assert exact_coverage(clopper_pearson, n, p, confidence).min() >= confidence - 1e-12


@pytest.mark.parametrize("n", [20, 50, 200, 1000])
def test_jeffreys_coverage_averages_to_its_promise(n: int) -> None:
    p = (np.arange(2000) + 0.5) / 2000
    assert 0.94 <= exact_coverage(jeffreys, n, p, 0.95).mean() <= 0.965


@pytest.mark.parametrize("interval", INTERVALS)
@settings(deadline=None, max_examples=50)
@given(n=st.integers(1, 10**9), share=st.floats(0, 1), confidence=st.floats(0.001, 0.9999))
def test_the_ends_are_in_order_and_failures_mirror_successes(
    interval: Callable[..., Estimate], n: int, share: float, confidence: float
) -> None:
    count = round(share * n)
    found, mirrored = interval(count, n, confidence), interval(n - count, n, confidence)
    assert 0 <= found.low <= found.estimate == count / n <= found.high <= 1
    assert found.low == pytest.approx(1 - mirrored.high, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((11, 10), "count must be between 0 and n = 10, not 11"),
        ((2.5, 10), "count must be a whole number, not 2.5"),
        ((0, 0), "n must be at least 1"),
        ((2, 10, 95), "confidence must be between 0 and 1"),
    ],
)
def test_impossible_counts_are_told(
    interval: Callable[..., Estimate], arguments: tuple[float, ...], message: str
) -> None:
    with pytest.raises(SprawlsimError, match=message):
        interval(*arguments)


@pytest.mark.parametrize(("count", "n"), [(0, 10), (1, 10), (5, 10), (10, 10), (37, 263)])
def test_the_bounded_mean_of_zeros_and_ones_is_agresti_and_coulls(count: int, n: int) -> None:
    z = stats.norm.ppf(0.975)
    centre = (count + z**2 / 2) / (n + z**2)
    half = z * math.sqrt(centre * (1 - centre) / (n + z**2))
    found = bounded_mean_interval(count, count, n, 0, 1)
    assert found.estimate == count / n
    assert found.low == pytest.approx(max(0, centre - half))
    assert found.high == pytest.approx(min(1, centre + half))


def test_the_bounded_mean_does_not_depend_on_units() -> None:
    values = np.array([0, 0, 0, 2, 5, 0, 3, 0, 0, 0, 0, 10])
    here = bounded_mean_interval(int(values.sum()), int((values**2).sum()), 12, 0, 10)
    moved = 1000 - 7.5 * values
    there = bounded_mean_interval(float(moved.sum()), float((moved**2).sum()), 12, 925, 1000)
    parts = (there.estimate, there.high, there.low)
    assert parts == pytest.approx([1000 - 7.5 * x for x in (here.estimate, here.low, here.high)], rel=1e-9)


def test_the_bounds_hardly_matter_when_observations_are_many() -> None:
    values = np.random.default_rng(2).exponential(3, size=200_000).clip(max=60)
    sums = float(values.sum()), float((values**2).sum()), values.size
    ratio = bounded_mean_interval(*sums, 0, 60).half_width / mean_interval(*sums).half_width
    assert 1 <= ratio < 1.01


def three_value_coverage(
    interval: Callable[..., Estimate], n: int, middle: float, laws: np.ndarray
) -> np.ndarray:
    """Coverage of the mean of values 0, `middle` and 1 under each law (their probabilities): all samples."""
    seen = np.array([(a, b) for a in range(n + 1) for b in range(n + 1 - a)])
    ends = [interval(a * middle + b, a * middle**2 + b, n) for a, b in seen.tolist()]
    low, high = np.array([e.low for e in ends]), np.array([e.high for e in ends])
    samples = np.column_stack([n - seen.sum(axis=1), seen])
    ways = gammaln(n + 1) - gammaln(samples + 1).sum(axis=1)
    covered = []
    for law in laws:
        mean = law[1] * middle + law[2]
        held = (low <= mean + 1e-12) & (mean - 1e-12 <= high)
        covered.append(np.exp(ways[held] + xlogy(samples[held], law).sum(axis=1)).sum())
    return np.array(covered)


def bounded(total: float, total_of_squares: float, n: int) -> Estimate:
    return bounded_mean_interval(total, total_of_squares, n, 0, 1)


def rare_laws(n: int) -> np.ndarray:
    """Laws under which a sample of n holds few of one value or the other, or of both."""
    few = [0.5, 1, 2, 3, 5, 8]
    rows = [(a / n, b / n) for a in [0, *few, n / 4, n / 2] for b in [*few, n / 4]]
    return np.array([(1 - a - b, a, b) for a, b in rows if a + b < 0.99])


@pytest.mark.parametrize("middle", [0.02, 0.3, 0.8])
@pytest.mark.parametrize("n", [20, 40, 80])
def test_the_bounded_mean_keeps_its_coverage_on_rare_payoffs(n: int, middle: float) -> None:
    rare = three_value_coverage(bounded, n, middle, rare_laws(n))
    assert rare.min() >= 0.925
    assert rare.mean() >= 0.95


@pytest.mark.parametrize("n", [20, 40, 80])
def test_students_interval_loses_its_coverage_on_rare_payoffs(n: int) -> None:
    # With one half of a payoff expected, e^(-1/2) = 61% of samples hold none, and say: the mean is 0.
    assert three_value_coverage(mean_interval, n, 0.3, rare_laws(n)).min() < 0.42


@pytest.mark.parametrize("middle", [0.02, 0.3, 0.8])
@pytest.mark.parametrize("n", [50, 80])
def test_the_bounded_means_coverage_averages_to_its_promise(n: int, middle: float) -> None:
    laws = np.random.default_rng(n).dirichlet([1, 1, 1], size=300)
    assert 0.94 <= three_value_coverage(bounded, n, middle, laws).mean() <= 0.965


def test_without_a_payoff_the_bounded_mean_reaches_as_far_as_its_documentation_says() -> None:
    assert bounded_mean_interval(0, 0, 10_000, 0, 8).high * 10_000 / 8 == pytest.approx(4.64, abs=0.01)


@settings(deadline=None)
@given(
    values=st.lists(st.integers(-3, 9), min_size=1, max_size=30),
    confidence=st.floats(0.01, 0.999),
)
def test_the_bounded_mean_lies_within_its_interval_and_that_within_the_bounds(
    values: list[int], confidence: float
) -> None:
    found = bounded_mean_interval(sum(values), sum(v * v for v in values), len(values), -3, 9, confidence)
    assert -3 <= found.low <= found.estimate == sum(values) / len(values) <= found.high <= 9
    assert found.low < found.high


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 25, 3, 2, 2), "lowest must be less than highest, not 2 and 2"),
        ((31, 400, 3, 0, 10), "no 3 observations between 0 and 10 have the sum 31"),
        ((10, 101, 3, 0, 10), "no 3 observations between 0 and 10"),
        ((-1, 1, 3, 0, 10), "no 3 observations between 0 and 10"),
        ((10, 1, 2, 0, 10), "squares must sum to at least 50"),
        ((1, 1, 1, 0, 10, 0), "confidence must be between 0 and 1"),
        ((1, 1, 1, 0, math.inf), "highest must be a finite number"),
        ((1, 1, 0, 0, 1), "n must be at least 1"),
    ],
)
def test_impossible_sums_are_told(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(SprawlsimError, match=message):
        bounded_mean_interval(*arguments)
