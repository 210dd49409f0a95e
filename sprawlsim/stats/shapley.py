"""Who contributes what to a common result: the Shapley value of a cooperative game."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError

FloatArray = npt.NDArray[np.float64]

MOST_PLAYERS = 20
"""A million coalitions."""


def shapley_values(worths: npt.ArrayLike) -> FloatArray:
    """Share out what all players reach together, by what each adds on average over all orders of joining.

    Parameters
    ----------
    worths : array_like, shape (2**n,)
        What each coalition reaches, in any unit: player ``i`` belongs to coalition ``s`` where bit ``i`` of
        ``s`` is set, so that the first is that of nobody and the last that of all.

    Returns
    -------
    ndarray, shape (n,)
        In the same unit; together they are the last worth less the first.

    Raises
    ------
    SprawlsimError
        If there is no such number of coalitions, or a worth is not finite.

    References
    ----------
    Shapley, L. S. (1953). A value for n-person games. Contributions to the Theory of Games 2.

    Examples
    --------
    >>> [float(share) for share in shapley_values([0, 1, 2, 5])]
    [2.0, 3.0]
    """
    worth = _checked(worths)
    players = len(worth).bit_length() - 1
    coalitions = np.arange(len(worth))
    sizes = np.bitwise_count(coalitions)
    shares = np.empty(players)
    # A coalition of s others is joined first by them, then by the player, in s! (n-1-s)! of the n! orders.
    weights = np.array([1.0 / (players * comb(players - 1, size)) for size in range(players)])
    for i in range(players):
        without = coalitions[coalitions >> i & 1 == 0]
        shares[i] = np.dot(weights[sizes[without]], worth[without | 1 << i] - worth[without])
    return shares


def _checked(worths: Any) -> FloatArray:
    """Refuse worths that are not those of all coalitions."""
    worth = np.asarray(worths, dtype=np.float64)
    players = worth.size.bit_length() - 1
    if worth.ndim != 1 or worth.size != 1 << max(players, 0) or players > MOST_PLAYERS:
        raise SprawlsimError(
            f"the worths of all coalitions are 2**n numbers, n at most {MOST_PLAYERS}, "
            f"not an array of shape {worth.shape}"
        )
    if not np.isfinite(worth).all():
        raise SprawlsimError("the worth of a coalition is not finite")
    return worth
