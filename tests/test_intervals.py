"""Intervals say what they promise: published values, another library, exact arithmetic, simulation."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal, localcontext
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sprawlsim.errors import SprawlsimError
from sprawlsim.stats.intervals import (
    Estimate,
    mean_interval,
    mean_sequence,
    proportion_sequence,
    wilson,
)

PROPORTION_INTERVALS = [wilson, proportion_sequence]
CONFIDENCES = st.floats(0.01, 0.9999)


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.one_of(st.integers(1, 60), st.integers(1, 10**9)))
    return draw(st.one_of(st.integers(0, n), st.sampled_from([0, 1, n - 1, n]))), n


def test_an_exact_estimate_has_no_width() -> None:
    known = Estimate.exact(0.25)
    assert known == Estimate(0.25, 0.25, 0.25)
    assert known.half_width == 0.0
    assert known.to_dict() == {"estimate": 0.25, "low": 0.25, "high": 0.25}


def test_half_width_is_half_the_interval() -> None:
    assert Estimate(0.4, 0.3, 0.7).half_width == pytest.approx(0.2)


def test_an_estimate_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Estimate.exact(1).low = 0.0  # type: ignore[misc]


@pytest.mark.parametrize("parts", [(0.1, 0.2, 0.3), (0.4, 0.2, 0.3), (math.nan, 0.0, 1.0)])
def test_an_estimate_outside_its_interval_is_refused(parts: tuple[float, float, float]) -> None:
    with pytest.raises(SprawlsimError, match="within its interval"):
        Estimate(*parts)


def test_an_unbounded_end_is_valid_json() -> None:
    text = json.dumps(mean_interval(3, 9, 1).to_dict(), allow_nan=False)
    assert json.loads(text) == {"estimate": 3.0, "low": None, "high": None}


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_agrees_with_newcombe_1998_table_1(count: int, n: int, low: float, high: float) -> None:
    found = wilson(count, n)
    assert found.low == pytest.approx(low, abs=5e-5)
    assert found.high == pytest.approx(high, abs=5e-5)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
@pytest.mark.parametrize(
    ("count", "n"), [(0, 1), (1, 1), (3, 7), (1, 1000), (999, 1000), (10**8, 10**8), (12_345, 10**8)]
)
def test_wilson_agrees_with_scipy(count: int, n: int, confidence: float) -> None:
    other = stats.binomtest(count, n).proportion_ci(confidence, method="wilson")
    found = wilson(count, n, confidence)
    assert found.low == pytest.approx(other.low, rel=1e-9, abs=1e-15)
    assert found.high == pytest.approx(other.high, rel=1e-12)


@pytest.mark.parametrize("count", [1, 2, 10**4, 5 * 10**7, 10**8 - 1])
def test_wilson_ends_solve_the_score_equation_in_exact_arithmetic(count: int) -> None:
    n, z = 10**8, -Decimal(stats.norm.ppf(0.025))
    found = wilson(count, n)
    with localcontext(prec=50):
        for end in (Decimal(found.low), Decimal(found.high)):
            score = abs(Decimal(count) / n - end) / (end * (1 - end) / n).sqrt()
            assert float(score / z) == pytest.approx(1, rel=1e-7 if count == 10**8 - 1 else 1e-10)


def test_wilson_takes_numpy_counters_without_overflow() -> None:
    assert wilson(np.int64(10**10), np.int64(2 * 10**10)) == wilson(10**10, 2 * 10**10)


@pytest.mark.parametrize("n", [20, 50, 200, 1000])
def test_wilson_coverage_averages_to_its_promise(n: int) -> None:
    rng = np.random.default_rng(n)
    ends = [wilson(count, n) for count in range(n + 1)]
    low, high = np.array([e.low for e in ends]), np.array([e.high for e in ends])
    p = np.linspace(0.005, 0.995, 199)
    drawn = rng.binomial(n, p, size=(2000, p.size))
    coverage = float(np.mean((low[drawn] <= p) & (p <= high[drawn])))
    assert 0.94 <= coverage <= 0.965


@pytest.mark.parametrize("p", [0.05, 0.3, 0.5, 0.865])
def test_wilson_covers_single_proportions_at_sizes_we_run(p: float) -> None:
    n, runs = 10_000, 20_000
    drawn = np.random.default_rng(7).binomial(n, p, size=runs)
    ends = {int(count): wilson(int(count), n) for count in np.unique(drawn)}
    covered = sum(ends[int(count)].low <= p <= ends[int(count)].high for count in drawn) / runs
    assert 0.94 <= covered <= 0.965


def accepted(interval: Callable[[int, int], Estimate], p: float, steps: int) -> tuple[list[int], list[int]]:
    """For each n = 1..steps, the least and the greatest count whose interval holds p."""
    least, greatest = [], []
    low = high = 0
    for n in range(1, steps + 1):
        while low < n and interval(low, n).high < p:
            low += 1
        while high < n and interval(high + 1, n).low <= p:
            high += 1
        # The walk goes up only; were an interval ever to widen again, this would tell.
        assert low == 0 or interval(low - 1, n).high < p
        least.append(low)
        greatest.append(high)
    return least, greatest


def miscoverage(p: float, least: list[int], greatest: list[int]) -> float:
    """Probability of ever leaving the accepted counts: exact, walking the law of the count forward."""
    law = np.array([1.0])
    for low, high in zip(least, greatest, strict=True):
        law = np.convolve(law, [1 - p, p])
        law[:low] = 0
        law[high + 1 :] = 0
    return 1 - float(law.sum())


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5])
def test_the_sequence_rarely_misses_even_once_when_checked_at_every_step(p: float) -> None:
    steps, runs = 2000, 4000
    least, greatest = accepted(proportion_sequence, p, steps)
    walk = (np.random.default_rng(11).random((runs, steps)) < p).cumsum(axis=1, dtype=np.int16)
    missed = float(np.mean(((walk < least) | (walk > greatest)).any(axis=1)))
    exact = miscoverage(p, least, greatest)
    assert missed <= 0.05
    assert 0 < exact <= 0.05
    assert abs(missed - exact) < 4 * math.sqrt(exact * (1 - exact) / runs)


def test_peeking_at_wilson_intervals_would_break_their_promise() -> None:
    assert miscoverage(0.3, *accepted(wilson, 0.3, 500)) > 0.2


@pytest.mark.parametrize("n", [1, 2, 50, 10**9])
def test_all_or_nothing_has_the_hand_computed_bound(n: int) -> None:
    # With no success in n trials: (1 - p)^n > 0.05 / (n + 1).
    bound = -math.expm1(math.log(0.05 / (n + 1)) / n)
    none, all_of_them = proportion_sequence(0, n), proportion_sequence(n, n)
    assert (none.estimate, none.low, all_of_them.estimate, all_of_them.high) == (0, 0, 1, 1)
    assert none.high == pytest.approx(bound, rel=1e-12)
    assert all_of_them.low == pytest.approx(1 - bound, rel=1e-12)


def test_one_success_in_two_has_the_hand_computed_bounds() -> None:
    # 2 p (1 - p) > 0.05 / 3, a quadratic.
    root = math.sqrt(1 - 4 * 0.05 / 6)
    found = proportion_sequence(1, 2)
    assert found.low == pytest.approx((1 - root) / 2)
    assert found.high == pytest.approx((1 + root) / 2)


def log_factorial(n: int) -> Decimal:
    """Log of n! to 40 digits in the surrounding context: shifted Stirling series."""
    shift = max(0, 200 - n)
    x = Decimal(n + shift + 1)
    pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
    bernoulli = [(1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510)]
    value = (x - Decimal("0.5")) * x.ln() - x + (2 * pi).ln() / 2
    for i, (top, bottom) in enumerate(bernoulli, start=1):
        value += Decimal(top) / (bottom * 2 * i * (2 * i - 1)) / x ** (2 * i - 1)
    return value - sum((Decimal(n + j).ln() for j in range(1, shift + 1)), Decimal(0))


@pytest.mark.parametrize("n", [10, 1000, 10**8, 10**9])
@pytest.mark.parametrize("share", ["one", 0.0001, 0.3, 0.5, 0.865])
def test_the_ends_solve_their_equation_in_exact_arithmetic(n: int, share: float | str) -> None:
    count = 1 if share == "one" else max(1, round(n * float(share)))
    found = proportion_sequence(count, n)
    with localcontext(prec=50):
        threshold = (Decimal("0.05") / (n + 1)).ln()
        choose = log_factorial(n) - log_factorial(count) - log_factorial(n - count)
        for end in (Decimal(found.low), Decimal(found.high)):
            excess = choose + count * end.ln() + (n - count) * (1 - end).ln() - threshold
            slope = (count - n * end) / (end * (1 - end))
            assert abs(float(excess / slope)) < 1e-9 * found.half_width


def test_the_sequence_costs_little_more_than_peeking_must() -> None:
    # The law of the iterated logarithm leaves no room for less than about 1.5 times at such sizes.
    for n in (10**4, 10**6, 10**8):
        ratio = proportion_sequence(n // 2, n).half_width / wilson(n // 2, n).half_width
        assert 1.5 < ratio < 2.6


@pytest.mark.parametrize("interval", PROPORTION_INTERVALS)
@settings(deadline=None)
@given(observed=counts(), confidence=CONFIDENCES)
def test_proportions_lie_in_order_within_0_and_1(
    interval: Callable[..., Estimate], observed: tuple[int, int], confidence: float
) -> None:
    count, n = observed
    found = interval(count, n, confidence)
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.estimate == count / n
    assert (found.low == 0) == (count == 0)
    # Beside very rare failures an end just below 1 may round to it.
    assert (found.high == 1) == (count == n) or n - count < 1e-5 * n


@pytest.mark.parametrize("interval", PROPORTION_INTERVALS)
@settings(deadline=None)
@given(observed=counts(), confidence=CONFIDENCES)
def test_failures_mirror_successes(
    interval: Callable[..., Estimate], observed: tuple[int, int], confidence: float
) -> None:
    count, n = observed
    found, mirrored = interval(count, n, confidence), interval(n - count, n, confidence)
    assert found.low == pytest.approx(1 - mirrored.high, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("interval", PROPORTION_INTERVALS)
@settings(deadline=None)
@given(observed=counts(), confidences=st.tuples(CONFIDENCES, CONFIDENCES).map(sorted))
def test_more_confidence_and_fewer_trials_widen(
    interval: Callable[..., Estimate], observed: tuple[int, int], confidences: list[float]
) -> None:
    count, n = observed
    narrow, wide = (interval(count, n, confidence) for confidence in confidences)
    assert wide.low <= narrow.low * (1 + 1e-12)
    assert wide.high >= narrow.high * (1 - 1e-12)
    assert interval(3 * count, 3 * n).half_width <= interval(count, n).half_width * (1 + 1e-12)


@pytest.mark.parametrize("interval", PROPORTION_INTERVALS)
def test_ends_rise_with_the_count(interval: Callable[[int, int], Estimate]) -> None:
    row = [interval(count, 60) for count in range(61)]
    assert all(a.low < b.low and a.high < b.high for a, b in pairwise(row))


def sums(values: np.ndarray) -> tuple[float, float, int]:
    return values.sum().item(), (values * values).sum().item(), values.size


@pytest.mark.parametrize("size", [2, 3, 10, 1000, 1002, 30_000])
def test_the_mean_interval_is_students(size: int) -> None:
    values = np.random.default_rng(3).integers(0, 9, size=size)
    other = stats.ttest_1samp(values, 0).confidence_interval(0.99)
    found = mean_interval(*sums(values), confidence=0.99)
    assert found.estimate == pytest.approx(values.mean())
    assert found.low == pytest.approx(other.low, rel=1e-7)
    assert found.high == pytest.approx(other.high, rel=1e-7)


def test_the_mean_interval_by_hand() -> None:
    # 0, 2, 4: mean 2, variance 4, standard error 2/sqrt(3), Student's quantile with 2 degrees 4.30265.
    assert mean_interval(6, 20, 3).half_width == pytest.approx(4.30265273 * 2 / math.sqrt(3))


@pytest.mark.parametrize("function", [mean_interval, mean_sequence])
def test_one_observation_bounds_nothing_and_equal_ones_have_no_spread(
    function: Callable[..., Estimate],
) -> None:
    assert function(5, 25, 1) == Estimate(5.0, -math.inf, math.inf)
    assert function(0.1, 0.1 * 0.1, 1) == Estimate(0.1, -math.inf, math.inf)
    assert function(50, 250, 10) == Estimate(5.0, 5.0, 5.0)


def test_a_spread_small_beside_the_mean_is_not_lost() -> None:
    # Half at 10^9, half at 10^9 + 1: the variance is n / (4 (n - 1)); in floats the difference is noise.
    n, base = 10**8, 10**9
    found = mean_interval(n * base + n // 2, n // 2 * (base**2 + (base + 1) ** 2), n)
    assert found.half_width == pytest.approx(1.959964 * 0.5 / math.sqrt(n), rel=1e-3)
    exact = mean_interval(np.int64(n // 2 * 3), np.int64(n // 2 * 5), np.int64(n))
    assert exact.half_width == pytest.approx(1.959964 * 0.5 / math.sqrt(n), rel=1e-6)


@settings(deadline=None)
@given(values=st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=40))
def test_whole_and_float_sums_agree(values: list[int]) -> None:
    whole = mean_interval(sum(values), sum(v * v for v in values), len(values))
    floats = mean_interval(float(sum(values)), float(sum(v * v for v in values)), len(values))
    assert whole == floats
    assert whole.low <= whole.estimate <= whole.high


def test_the_mean_interval_covers_normal_samples_of_any_size_and_dice_by_the_dozen() -> None:
    rng = np.random.default_rng(5)
    for samples in (rng.normal(3.5, 1.7, size=(6000, 4)), rng.integers(1, 7, size=(6000, 40))):
        found = [mean_interval(*sums(row)) for row in samples]
        assert 0.94 <= np.mean([e.low <= 3.5 <= e.high for e in found]) <= 0.965


def test_the_mean_sequence_rarely_misses_even_once_when_checked_at_every_step() -> None:
    rng = np.random.default_rng(13)
    first, last, runs = 300, 3000, 2000
    n = np.arange(1, last + 1)
    # Sums 0 and n - 1 have variance 1: the half-width in units of the standard deviation.
    unit = np.array([mean_sequence(0, int(k) - 1, int(k), tuned_for=1000).half_width for k in n[first:]])
    missed = 0
    for _ in range(4):
        values = rng.exponential(size=(runs // 4, last))
        mean = values.cumsum(axis=1) / n
        variance = ((values**2).cumsum(axis=1) / n - mean**2) * n / np.maximum(n - 1, 1)
        outside = np.abs(mean - 1)[:, first:] > unit * np.sqrt(variance[:, first:])
        missed += int(outside.any(axis=1).sum())
    assert missed <= 0.05 * runs


def test_the_mean_sequence_is_narrowest_where_it_is_tuned() -> None:
    widths = [
        mean_sequence(0, 9999, 10_000, tuned_for=t).half_width for t in (10, 2500, 10_000, 40_000, 10**7)
    ]
    assert min(widths) == widths[2]
    # Waudby-Smith et al.: sqrt(2 (n r + 1) / (n^2 r) log(sqrt(n r + 1) / alpha)), best r by brute force.
    n, alpha = 10_000, 0.05
    r = np.geomspace(1e-6, 1e-1, 200_001)
    boundary = np.sqrt(2 * (n * r + 1) / (n * n * r) * np.log(np.sqrt(n * r + 1) / alpha))
    assert widths[2] == pytest.approx(boundary.min(), rel=1e-8)


@pytest.mark.parametrize("interval", PROPORTION_INTERVALS)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 10), "count must be between 0 and n = 10, not -1"),
        ((11, 10), "count must be between 0 and n = 10, not 11"),
        ((0, 0), "n must be at least 1, not 0"),
        ((2.5, 10), "count must be a whole number, not 2.5"),
        ((2, 10.0), "n must be a whole number"),
        ((2, 10, 0.0), "confidence must be between 0 and 1"),
        ((2, 10, 95), "confidence must be between 0 and 1"),
        ((2, 10, math.nan), "confidence must be between 0 and 1"),
    ],
)
def test_impossible_counts_are_told(
    interval: Callable[..., Estimate], arguments: tuple[float, ...], message: str
) -> None:
    with pytest.raises(SprawlsimError, match=message):
        interval(*arguments)


@pytest.mark.parametrize("function", [mean_interval, mean_sequence])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((10, 1, 2), "squares must sum to at least 50"),
        ((10, 101, 1), "squares must sum to exactly 100"),
        ((10.0, 1.0, 2), "squares must sum to at least 50"),
        ((0, -1, 2), "at least 0"),
        ((math.inf, 1, 2), "total must be a finite number"),
        ((1, math.nan, 2), "total_of_squares must be a finite number"),
        ((1, 1, 0), "n must be at least 1"),
        ((1, 1, 1, 1.5), "confidence must be between 0 and 1"),
    ],
)
def test_impossible_sums_are_told(
    function: Callable[..., Estimate], arguments: tuple[float, ...], message: str
) -> None:
    with pytest.raises(SprawlsimError, match=message):
        function(*arguments)


def test_tuning_for_no_observations_is_told() -> None:
    with pytest.raises(SprawlsimError, match="tuned_for must be a positive number"):
        mean_sequence(1, 1, 2, tuned_for=0)


def test_intervals_wait_for_no_library() -> None:
    script = (
        "import sys, sprawlsim; before = set(sys.modules); import sprawlsim.stats.intervals as i;"
        "i.wilson(3, 7); i.proportion_sequence(3, 7); i.mean_interval(10**6, 10**7, 10**6);"
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert not {"numpy", "scipy", "pandas"} & set(loaded.split())
