"""What a gain of win probability is worth in nuyen: the sum that gains as much when it is given instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.stats.intervals import Estimate
from sprawlsim.stats.sums import normal_quantile

FloatArray = npt.NDArray[np.float64]

DRAWS = 1_000
"""How often the curve and a gain are drawn anew to see how far off they may be."""
SEED = 1
"""Of these draws: the same figures give the same intervals."""
STEP = 0.25
"""K nuyen from one point of a tabulated curve to the next."""


class Curve(NamedTuple):
    """What sums of nuyen gain, and how far off that may be.

    Attributes
    ----------
    sums : array of float, shape (points,)
        K nuyen, from 0.
    gains : array of float, shape (points,)
        Win probability gained; it starts with 0 and never falls.
    drawn : array of float, shape (DRAWS, points)
        The same, had other games been played (parametric bootstrap).
    noise : array of float, shape (DRAWS,)
        Standard normal numbers, for gains that are compared with the curve.
    """

    sums: FloatArray
    gains: FloatArray
    drawn: FloatArray
    noise: FloatArray


def rising(gains: FloatArray, errors: FloatArray) -> FloatArray:
    """Fit gains so that more nuyen never hurt: isotonic regression, weighted, nowhere below 0."""
    from scipy.optimize import isotonic_regression

    weights = np.maximum(errors, 1e-9) ** -2.0
    fitted: FloatArray = np.maximum(isotonic_regression(gains, weights=weights).x, 0.0)
    return fitted


def fit_curve(sums: Sequence[float], gains: Sequence[Estimate]) -> Curve:
    """Lay a smooth curve through what sums gain, and draw it anew.

    Parameters
    ----------
    sums : sequence of float
        K nuyen, above 0, rising.
    gains : sequence of Estimate
        Of win probability, with 95% intervals.

    Notes
    -----
    Fitted gains (`rising`) are joined by cubic pieces that rise where they do (PCHIP): no shape is imposed
    beyond that, and no more smoothness, so that games in plenty at each sum are what keeps it exact.

    References
    ----------
    Fritsch, F. N. and Butland, J. (1984). A method for constructing local monotone piecewise cubic
    interpolants. SIAM Journal on Scientific and Statistical Computing 5.
    """
    from scipy.interpolate import PchipInterpolator

    generator = np.random.default_rng(SEED)
    seen = np.array([gain.estimate for gain in gains])
    errors = np.array([_error(gain) for gain in gains])
    others = seen + errors * generator.standard_normal((DRAWS, len(seen)))
    fitted = np.array([rising(row, errors) for row in (seen, *others)])
    points = np.arange(0.0, sums[-1] + STEP, STEP).clip(max=sums[-1])
    through = np.hstack([np.zeros((DRAWS + 1, 1)), fitted])
    curves = PchipInterpolator([0.0, *sums], through, axis=1)(points)
    return Curve(points, curves[0], curves[1:], generator.standard_normal(DRAWS))


def worth_of(gain: Estimate, curve: Curve) -> Estimate:
    """Find the sum that gains as much as something else does; the last one stands for more.

    What loses games is worth less than nothing: as much as sums gain, the other way.

    Parameters
    ----------
    gain : Estimate
        Of win probability, with a 95% interval.
    curve : Curve

    Returns
    -------
    Estimate
        K nuyen. The interval holds the errors of both the gain and the curve, drawn independently of each
        other. (What luck they share, having been found on the same games, makes it wider than need be.)
    """
    gains = gain.estimate + _error(gain) * curve.noise
    worths = [_sum_for(float(g), curve.sums, row) for g, row in zip(gains, curve.drawn, strict=True)]
    low, high = np.quantile(worths, [0.025, 0.975])
    worth = _sum_for(gain.estimate, curve.sums, curve.gains)
    return Estimate(worth, min(worth, float(low)), max(worth, float(high)))


def _sum_for(gain: float, sums: FloatArray, gains: FloatArray) -> float:
    """Read a sum off a curve: the smallest that gains so much."""
    if gain < 0:
        return -_sum_for(-gain, sums, gains)
    above = int(np.searchsorted(gains, gain))
    if above == len(gains):
        return float(sums[-1])
    if above == 0:
        return float(sums[0])
    share = (gain - gains[above - 1]) / (gains[above] - gains[above - 1])
    return float(sums[above - 1] + share * (sums[above] - sums[above - 1]))


def _error(gain: Estimate) -> float:
    """Give the standard error that an interval of 95% tells."""
    return gain.half_width / normal_quantile(0.95)
