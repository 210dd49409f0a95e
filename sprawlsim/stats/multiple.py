"""Many comparisons at once: Holm for claims, Benjamini-Hochberg for screens, wider intervals for tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError
from sprawlsim.stats.sums import error_rate, size_of

LEVEL = 0.05
"""Error rate at which differences are claimed: corrected p-values up to it."""

FloatArray = npt.NDArray[np.float64]


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Adjust p-values so that claiming all at most 0.05 makes any false claim with probability at most 0.05.

    Parameters
    ----------
    p_values : array_like, shape (m,)
        However they depend on each other.

    Returns
    -------
    ndarray, shape (m,)
        Adjusted p-values in the same order, between 0 and 1.

    Raises
    ------
    SprawlsimError
        If a p-value is not between 0 and 1.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics 6.
    """
    given = _checked(p_values)
    order = np.argsort(given, kind="stable")
    stepped = np.maximum.accumulate(given[order] * np.arange(given.size, 0, -1))
    adjusted = np.empty_like(given)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def benjamini_hochberg(p_values: npt.ArrayLike) -> FloatArray:
    """Adjust p-values so that of what is listed at 0.05, on average at most 5% is false.

    Parameters
    ----------
    p_values : array_like, shape (m,)
        Independent or positively dependent.

    Returns
    -------
    ndarray, shape (m,)
        Adjusted p-values in the same order, between 0 and 1.

    Raises
    ------
    SprawlsimError
        If a p-value is not between 0 and 1.

    References
    ----------
    Benjamini, Y. and Hochberg, Y. (1995). Controlling the false discovery rate. JRSS B 57.
    """
    from scipy.stats import false_discovery_control

    given = _checked(p_values)
    adjusted: FloatArray = false_discovery_control(given) if given.size else given
    return adjusted


def simultaneous(confidence: float, m: Any) -> float:
    """Return the confidence for each of `m` intervals so that all hold at once with `confidence`.

    Parameters
    ----------
    confidence : float
        Wanted for the whole table, between 0 and 1.
    m : int
        Intervals in the table, at least 1; they may depend on each other, as paired ones do (Bonferroni).

    Returns
    -------
    float
        ``1 - (1 - confidence) / m``.

    Raises
    ------
    SprawlsimError
        If the confidence or the number is out of range.
    """
    return 1 - error_rate(confidence) / size_of(m)


def _checked(p_values: npt.ArrayLike) -> FloatArray:
    given = np.asarray(p_values, dtype=np.float64)
    if given.ndim != 1:
        raise SprawlsimError(f"p-values must be a plain row of numbers, not of shape {given.shape}")
    wrong = given[~((given >= 0) & (given <= 1))]
    if wrong.size:
        raise SprawlsimError(f"a p-value must be between 0 and 1, not {wrong[0]}")
    return given
