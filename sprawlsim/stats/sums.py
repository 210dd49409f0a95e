"""Sums of observations, checked and without loss, and the quantiles that intervals are made of.

Nothing here imports numpy or scipy when the module is loaded. Scipy is asked for Student's quantiles only,
which small samples need.
"""

from __future__ import annotations

import math
from fractions import Fraction
from operator import index
from statistics import NormalDist
from typing import SupportsFloat, SupportsIndex

from sprawlsim.errors import SprawlsimError

Number = SupportsIndex | SupportsFloat
"""A sum: an integer counter (exact, never overflows here) or a float, of Python's or numpy's."""

ROUNDING = 1e-6
"""Relative rounding that sums of floats are forgiven before they count as impossible."""

_STUDENT_UP_TO = 1000
"""Degrees of freedom from which two terms of correction turn the normal quantile into Student's (to 1e-7)."""


def moments(total: Number, total_of_squares: Number, n: int) -> tuple[float, float]:
    """Return the mean and the unbiased variance (0 for n = 1) of observations with these sums.

    ``squares - total^2 / n`` loses every digit when the spread is small beside the mean, so it is taken in
    fractions, where a float is exactly what it says.
    """
    first, second = fraction("total", total), fraction("total_of_squares", total_of_squares)
    spread = n * second - first * first
    is_exact = isinstance(total, SupportsIndex) and isinstance(total_of_squares, SupportsIndex)
    forgiven = 0 if is_exact else ROUNDING
    if spread < -forgiven * (first * first) or (n == 1 and spread > forgiven * second):
        raise SprawlsimError(
            f"no {n} observations have the sum {total} and the sum of squares {total_of_squares}; "
            f"the squares must sum to {'exactly' if n == 1 else 'at least'} {float(first * first / n):g}"
        )
    variance = max(spread, Fraction(0)) / (n * (n - 1)) if n > 1 else Fraction(0)
    return float(first / n), float(variance)


def fraction(name: str, value: Number) -> Fraction:
    """Return the sum called `name` exactly, or tell that it is not finite."""
    # Numpy's integers would overflow silently in the products; Python's do not.
    if isinstance(value, SupportsIndex):
        return Fraction(index(value))
    number = float(value)
    if not math.isfinite(number):
        raise SprawlsimError(f"{name} must be a finite number, not {number}")
    return Fraction(number)


def counts(count: SupportsIndex, n: SupportsIndex) -> tuple[int, int]:
    """Return successes and trials as Python's integers, or tell what is impossible about them."""
    hits, trials = whole("count", count), size_of(n)
    if not 0 <= hits <= trials:
        raise SprawlsimError(f"count must be between 0 and n = {trials}, not {hits}")
    return hits, trials


def size_of(n: SupportsIndex) -> int:
    """Return a number of observations, at least 1, or tell what is wrong with it."""
    size = whole("n", n)
    if size < 1:
        raise SprawlsimError(f"n must be at least 1, not {size}: without observations there is no estimate")
    return size


def whole(name: str, value: SupportsIndex) -> int:
    """Return a whole number called `name`, Python's or numpy's, or tell that it is none."""
    try:
        return index(value)
    except TypeError:
        raise SprawlsimError(f"{name} must be a whole number, not {value!r}") from None


def error_rate(confidence: float) -> float:
    """Return 1 minus the confidence, or tell that the confidence is out of range."""
    rate = 1 - confidence
    if not 0 < rate < 1:
        raise SprawlsimError(f"confidence must be between 0 and 1, both excluded, not {confidence}")
    return rate


def normal_quantile(confidence: float) -> float:
    """Return the z such that a normal variable lies within ±z with probability `confidence`."""
    return -NormalDist().inv_cdf(error_rate(confidence) / 2)


def student_quantile(confidence: float, degrees: int) -> float:
    """Return the t such that Student's variable lies within ±t with probability `confidence`."""
    if degrees < _STUDENT_UP_TO:
        from scipy.special import stdtrit

        return -float(stdtrit(degrees, error_rate(confidence) / 2))
    z = normal_quantile(confidence)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    return z + (first + second / degrees) / degrees
