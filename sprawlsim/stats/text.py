"""Estimates in words: as many digits as the interval's width allows, and no more."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median_low

from sprawlsim.stats.intervals import Estimate


def format_estimate(estimate: Estimate, is_probability: bool) -> tuple[str, str]:
    """Write an estimate and its interval, with as many digits as the interval's width allows.

    Parameters
    ----------
    estimate : Estimate
    is_probability : bool
        Write it in percent.

    Returns
    -------
    tuple of str
        Such as ``("3.97%", "3.93 to 4.01")``.
    """
    scale, unit, exact_digits = (100.0, "%", 2) if is_probability else (1.0, "", 3)
    digits = digits_for(estimate.half_width * scale, exact_digits)
    return format_scaled(estimate, scale, unit, digits=digits)


def digits_for(half_width: float, exact_digits: int) -> int:
    """Give the digits after the point that an interval's half width allows, or those of an exact number."""
    if not math.isfinite(half_width):
        return 0
    if half_width == 0.0:
        return exact_digits
    return min(6, max(0, -math.floor(math.log10(half_width))))


def common_digits(half_widths: Iterable[float], exact_digits: int) -> int:
    """Give the digits after the point for a column: those that its middle interval allows.

    Numbers beneath each other are compared, so all have as many; exact ones do not count unless all are.
    """
    known = [half for half in half_widths if half > 0.0]
    return digits_for(median_low(known) if known else 0.0, exact_digits)


def format_scaled(
    estimate: Estimate, scale: float = 1.0, unit: str = "", signed: bool = False, digits: int = 3
) -> tuple[str, str]:
    """Write an estimate and its interval in a unit.

    Parameters
    ----------
    estimate : Estimate
    scale : float
        What one is in the unit, such as 100 for percent.
    unit : str
        Written after the estimate, not in the interval.
    signed : bool
        Write a plus before what is above 0, as is usual for differences.
    digits : int
        After the point; `digits_for` tells how many the interval's width allows.

    Returns
    -------
    tuple of str
        Such as ``("+1.3K", "+0.9 to +1.7")``.
    """
    number, low, high = (
        format_rounded(part * scale, digits, signed)
        for part in (estimate.estimate, estimate.low, estimate.high)
    )
    return f"{number}{unit}", f"{low} to {high}"


def format_rounded(number: float, digits: int, signed: bool = False) -> str:
    """Write a number with so many digits after the point; what rounds to 0 has no sign."""
    rounded = round(number, digits) + 0.0  # -0.0 + 0.0 is 0.0
    return f"{rounded:{'+' if signed and rounded else ''}.{digits}f}"
