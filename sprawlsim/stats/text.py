"""Estimates in words: as many digits as the interval's width allows, and no more."""

from __future__ import annotations

import math

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
    scale, sign = (100.0, "%") if is_probability else (1.0, "")
    half = estimate.half_width * scale
    if not math.isfinite(half):
        digits = 0
    elif half == 0.0:
        digits = 2 if is_probability else 3
    else:
        digits = min(6, max(0, -math.floor(math.log10(half))))
    low, high = estimate.low * scale, estimate.high * scale
    return f"{estimate.estimate * scale:.{digits}f}{sign}", f"{low:.{digits}f} to {high:.{digits}f}"
