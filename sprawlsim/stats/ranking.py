"""Ranks with honest ties: an order is claimed only between items that the data tell apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError
from sprawlsim.stats.multiple import holm
from sprawlsim.stats.sums import error_rate

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


def resolve_estimates(estimates: npt.ArrayLike, errors: npt.ArrayLike, confidence: float = 0.95) -> BoolArray:
    """Tell which of several proportions, means or ratings are better than which, all pairs by Holm.

    Parameters
    ----------
    estimates : array_like, shape (m,)
        Larger is better.
    errors : array_like, shape (m,) or (m, m)
        Standard errors of independent estimates, or the covariance matrix of dependent ones.
    confidence : float
        With this probability not one pair is resolved wrongly, for estimates that are normal or come from
        many observations.

    Returns
    -------
    ndarray of bool, shape (m, m)
        ``[i, j]``: item i is resolved to be better than item j.

    Raises
    ------
    SprawlsimError
        If a number is not finite, an error or the variance of a difference is negative, shapes do not fit, or
        the confidence is not between 0 and 1.
    """
    from scipy.special import ndtr

    values, spread = np.asarray(estimates, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    m = values.size
    if values.shape != (m,) or spread.shape not in {(m,), (m, m)}:
        raise SprawlsimError(
            f"m estimates have m standard errors or an m x m covariance, not shapes {values.shape} "
            f"and {spread.shape}"
        )
    if not (np.isfinite(values).all() and np.isfinite(spread).all()):
        raise SprawlsimError("estimates and their errors must be finite numbers")
    if spread.ndim == 1 and (spread < 0).any():
        raise SprawlsimError(f"a standard error must not be negative, but one is {spread.min()}")
    covariance = np.diag(spread**2) if spread.ndim == 1 else spread
    own = np.diag(covariance)
    variance = own[:, None] + own[None, :] - covariance - covariance.T
    rounding = 1e-12 * float(own.max(initial=0.0))
    if (variance < -rounding).any():
        raise SprawlsimError("no estimates have this covariance: the variance of a difference is negative")
    difference = values[:, None] - values[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(difference) / np.sqrt(np.where(variance > rounding, variance, 0.0))
    # Exact numbers differ or they do not.
    p_values = 2 * ndtr(-np.where(difference == 0, 0.0, z))
    return resolve_pairs(difference, p_values, confidence)


def resolve_pairs(differences: npt.ArrayLike, p_values: npt.ArrayLike, confidence: float = 0.95) -> BoolArray:
    """Tell which items are better than which from paired comparisons of all pairs, by Holm.

    Parameters
    ----------
    differences : array_like, shape (m, m)
        ``[i, j]``: how much item i was better than item j; only those with i < j are read.
    p_values : array_like, shape (m, m)
        Two-sided p-values of these differences (as of `sprawlsim.stats.paired.mcnemar`), read likewise.
    confidence : float
        With this probability not one pair is resolved wrongly.

    Returns
    -------
    ndarray of bool, shape (m, m)
        ``[i, j]``: item i is resolved to be better than item j.

    Raises
    ------
    SprawlsimError
        If shapes do not fit, a p-value or the confidence is out of range, or a difference is not a number.
    """
    gaps, tests = np.asarray(differences, dtype=np.float64), np.asarray(p_values, dtype=np.float64)
    if gaps.ndim != 2 or gaps.shape[0] != gaps.shape[1] or tests.shape != gaps.shape:
        raise SprawlsimError(
            f"differences and p-values must be square and alike, not of shapes {gaps.shape} and {tests.shape}"
        )
    upper = np.triu_indices(gaps.shape[0], k=1)
    if np.isnan(gaps[upper]).any():
        raise SprawlsimError("a difference between two items is not a number")
    resolved = holm(tests[upper]) <= error_rate(confidence)
    better = np.zeros(gaps.shape, dtype=np.bool_)
    better[upper] = resolved & (gaps[upper] > 0)
    better.T[upper] = resolved & (gaps[upper] < 0)
    return better


def rank_ranges(better: npt.ArrayLike) -> IntArray:
    """Return for every item the ranks it may have.

    Parameters
    ----------
    better : array_like of bool, shape (m, m)
        ``[i, j]``: item i is resolved to be better than item j.

    Returns
    -------
    ndarray of int, shape (m, 2)
        From 1 plus the items resolved to be better, to m minus the items resolved to be worse.

    Raises
    ------
    SprawlsimError
        If the matrix is not square, or says of two items, or of one, that each is better.
    """
    known = np.asarray(better)
    if known.ndim != 2 or known.shape[0] != known.shape[1] or known.dtype != np.bool_:
        raise SprawlsimError(
            f"better must be a square matrix of bool, not {known.dtype} of shape {known.shape}"
        )
    both = np.argwhere(known & known.T)
    if both.size:
        raise SprawlsimError(f"items {both[0][0]} and {both[0][1]} cannot each be better than the other")
    return np.stack([1 + known.sum(axis=0), known.shape[0] - known.sum(axis=1)], axis=1).astype(np.int64)


def rank_labels(ranges: npt.ArrayLike) -> list[str]:
    """Write rank ranges as a table prints them: "1", "2-4"."""
    rows: Any = np.asarray(ranges).tolist()
    return [str(first) if first == last else f"{first}-{last}" for first, last in rows]
