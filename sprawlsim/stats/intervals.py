"""Estimates with intervals, for proportions and means, at one sample size or under peeking.

Nothing here imports numpy or scipy when the module is loaded: one look-up of odds needs four logarithms, and
must not wait for libraries.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import SupportsIndex

from sprawlsim.errors import SprawlsimError
from sprawlsim.stats.sums import (
    Number,
    counts,
    error_rate,
    moments,
    normal_quantile,
    size_of,
    student_quantile,
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval; ``low == estimate == high`` when it is exact.

    Parameters
    ----------
    estimate : float
        The best single value.
    low, high : float
        Ends of the interval, ``low <= estimate <= high``; infinite where one observation says nothing.

    Raises
    ------
    SprawlsimError
        If the three are not in order (not-a-number included).
    """

    estimate: float
    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.estimate <= self.high:
            where = f"[{self.low}, {self.high}]"
            raise SprawlsimError(
                f"an estimate must lie within its interval: {self.estimate} is not in {where}"
            )

    @classmethod
    def exact(cls, value: Number) -> Estimate:
        """Return a `value` known without sampling error, as the estimate and both its ends."""
        known = float(value)
        return cls(known, known, known)

    @property
    def half_width(self) -> float:
        """Half the distance between the ends: the x of "±x"; 0 when exact."""
        return 0.0 if self.low == self.high else (self.high - self.low) / 2

    def to_dict(self) -> dict[str, float | None]:
        """Return ``estimate``, ``low`` and ``high``; an unbounded end is None, for JSON has no infinity."""
        parts = {"estimate": self.estimate, "low": self.low, "high": self.high}
        return {key: part if math.isfinite(part) else None for key, part in parts.items()}


def wilson(count: SupportsIndex, n: SupportsIndex, confidence: float = 0.95) -> Estimate:
    """Wilson's score interval of a proportion, for a sample size fixed beforehand.

    Parameters
    ----------
    count : int
        Successes, ``0 <= count <= n``.
    n : int
        Independent trials, at least 1.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    Estimate
        ``count / n`` with an interval whose coverage, averaged over the true proportion, is close to
        `confidence`. At single proportions it may fall below, most near 0 and 1.

    Raises
    ------
    SprawlsimError
        If the counts are not whole or impossible, or the confidence is not between 0 and 1.

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. JASA 22.

    Brown, L. D., Cai, T. T. and DasGupta, A. (2001). Interval estimation for a binomial proportion.
    Statistical Science 16.
    """
    hits, trials = counts(count, n)
    z = normal_quantile(confidence)
    spread = z * math.sqrt(hits * (trials - hits) / trials + z * z / 4)
    # The ends are the roots of a quadratic. The plain formula of the lower one subtracts nearly equal numbers
    # when successes are rare; the product of the roots, (hits/n)^2 n/(n + z^2), gives it without loss.
    above = hits + z * z / 2 + spread
    return proportion_within(hits, trials, low=hits * hits / (trials * above), high=above / (trials + z * z))


def proportion_sequence(count: SupportsIndex, n: SupportsIndex, confidence: float = 0.95) -> Estimate:
    """Confidence sequence of a proportion: its intervals hold at every n at once.

    With probability `confidence` not one of the intervals after 1, 2, 3, ... trials misses the true
    proportion. So one may look after every block of trials and stop when the interval is narrow enough.

    Parameters
    ----------
    count, n, confidence
        As for `wilson`: successes and trials so far.

    Returns
    -------
    Estimate
        ``count / n`` with the proportions p under which the trials seen are not too improbable:
        ``C(n, count) p^count (1-p)^(n-count) > (1 - confidence) / (n + 1)``. Within [0, 1]; accurate to
        rounding for n of 1 and of 10^9 and beyond.

    Raises
    ------
    SprawlsimError
        As `wilson` does.

    Notes
    -----
    The likelihood ratio of the uniform mixture of all proportions against p is a martingale under p, and by
    Ville's inequality it ever reaches ``1 / (1 - confidence)`` with probability at most ``1 - confidence``.
    The uniform mixture of a binomial law gives every count ``1 / (n + 1)``: that is the bound above. It is
    the beta-binomial mixture with both parameters 1, which needs no tuning and is never far from the best.

    References
    ----------
    Robbins, H. (1970). Statistical methods related to the law of the iterated logarithm. Annals of
    Mathematical Statistics 41.

    Howard, S. R., Ramdas, A., McAuliffe, J. and Sekhon, J. (2021). Time-uniform, nonparametric,
    nonasymptotic confidence sequences. Annals of Statistics 49.
    """
    hits, trials = counts(count, n)
    budget = math.log((trials + 1) / error_rate(confidence)) + _log_mode(hits, trials)
    share = hits / trials
    return proportion_within(
        hits,
        trials,
        low=share - _reach(trials - hits, trials, budget),
        high=share + _reach(hits, trials, budget),
    )


def mean_interval(
    total: Number, total_of_squares: Number, n: SupportsIndex, confidence: float = 0.95
) -> Estimate:
    """Interval of a mean from its standard error, for a sample size fixed beforehand.

    Parameters
    ----------
    total : int or float
        Sum of the observations. From integers everything up to the last division is exact.
    total_of_squares : int or float
        Sum of their squares.
    n : int
        Independent observations, at least 1.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    Estimate
        The mean, plus and minus Student's quantile times the standard error: exact for normal observations,
        close for others as n grows. One observation has no standard error: the ends are infinite.
        Observations that are all equal have standard error 0, and the interval is a point; that is what was
        seen, not a proof that nothing else can happen.

    Raises
    ------
    SprawlsimError
        If no observations could have these sums, or the confidence is not between 0 and 1.
    """
    size = size_of(n)
    mean, variance = moments(total, total_of_squares, size)
    if size == 1:
        error_rate(confidence)
        return Estimate(mean, -math.inf, math.inf)
    half = student_quantile(confidence, size - 1) * math.sqrt(variance / size)
    return Estimate(mean, mean - half, mean + half)


def mean_sequence(
    total: Number,
    total_of_squares: Number,
    n: SupportsIndex,
    confidence: float = 0.95,
    tuned_for: float = 10_000,
) -> Estimate:
    """Asymptotic confidence sequence of a mean: its intervals hold at all large n at once.

    Parameters
    ----------
    total, total_of_squares, n, confidence
        As for `mean_interval`: sums and number of the observations so far.
    tuned_for : float
        The n at which the interval should be narrowest; any positive number chosen before looking.

    Returns
    -------
    Estimate
        The mean with an interval that at `tuned_for` is about one and a half times as wide as
        `mean_interval`, and relatively wider far from it. The ends are infinite for n = 1.

    Raises
    ------
    SprawlsimError
        If no observations could have these sums, or the confidence or `tuned_for` is out of range.

    Notes
    -----
    The promise is asymptotic, as is the central limit theorem's: it holds for looks that begin when n is
    already large for the law observed. Do not stop on the first few observations, nor on a variance of 0.

    References
    ----------
    Waudby-Smith, I., Arbour, D., Sinha, R., Kennedy, E. H. and Ramdas, A. (2024; preprint 2021).
    Time-uniform central limit theory and asymptotic confidence sequences. Annals of Statistics 52.
    """
    size = size_of(n)
    alpha = error_rate(confidence)
    if not 0 < tuned_for < math.inf:
        raise SprawlsimError(f"tuned_for must be a positive number of observations, not {tuned_for}")
    mean, variance = moments(total, total_of_squares, size)
    if size == 1:
        return Estimate(mean, -math.inf, math.inf)
    # With v = n rho^2 + 1 the squared half-width is variance/n * v/(v - 1) * log(v / alpha^2).
    growth = size * (_narrowest(alpha) - 1) / tuned_for
    half = math.sqrt(
        variance / size * (1 + growth) / growth * (math.log1p(growth) - 2 * math.log(alpha)),
    )
    return Estimate(mean, mean - half, mean + half)


def _narrowest(alpha: float) -> float:
    """Return the v = n rho^2 + 1 that makes the normal mixture narrowest: v - log v = 1 - 2 log(alpha).

    The literature writes it with Lambert's W; the iteration contracts, its slope being 1/v.
    """
    constant = 1 - 2 * math.log(alpha)
    v = constant + math.log(constant)
    for _ in range(60):
        v = constant + math.log(v)
    return v


def _reach(count: int, n: int, budget: float) -> float:
    """Return how far above count/n a proportion may lie at a log-likelihood loss of at most `budget`.

    Distances are sought, not proportions, so that nothing cancels: at n = 10^9 the distance can be a
    millionth of the proportion.
    """
    misses = n - count
    if misses == 0:
        return 0.0
    if count == 0:
        return -math.expm1(-budget / n)
    share, rest = count / n, misses / n

    def too_far(distance: float) -> bool:
        return -count * math.log1p(distance / share) - misses * math.log1p(-distance / rest) > budget

    return _first_true(too_far, rest)


def _first_true(test: Callable[[float], bool], top: float) -> float:
    """Return the least float in (0, top] at which the monotone `test` holds, taking it to hold at `top`."""
    low, high = 0.0, top
    while low < (middle := (low + high) / 2) < high:
        if test(middle):
            high = middle
        else:
            low = middle
    return high


def _log_mode(count: int, n: int) -> float:
    """Return log of ``C(n, k) (k/n)^k (1-k/n)^(n-k)``, the binomial probability of k at its best p.

    By Loader's form, in which Stirling's leading terms, thousands of millions at n = 10^9, cancel on paper.
    """
    if count in {0, n}:
        return 0.0
    leading = -0.5 * math.log(2 * math.pi * (count * (n - count) / n))
    return leading + _stirling_error(n) - _stirling_error(count) - _stirling_error(n - count)


def _stirling_error(n: int) -> float:
    """Return log(n!) minus Stirling's formula for it."""
    if n <= 20:
        return math.lgamma(n + 1) - ((n + 0.5) * math.log(n) - n + 0.5 * math.log(2 * math.pi))
    inverse = 1 / n
    square = inverse * inverse
    return inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188))))


def proportion_within(count: int, n: int, low: float, high: float) -> Estimate:
    """Clip to [0, 1] and around the estimate; no successes end exactly at 0, nothing but successes at 1.

    For the makers of intervals, of checked counts.
    """
    share = count / n
    return Estimate(
        share,
        0.0 if count == 0 else min(max(low, 0.0), share),
        1.0 if count == n else max(min(high, 1.0), share),
    )
