"""Which mix of strategies nobody beats: the maximum-entropy equilibrium of a table of win rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError

FloatArray = npt.NDArray[np.float64]

_SUPPORT = 1e-7
"""Weight that a strategy must be able to have in some equilibrium, to count as part of one."""

_UNEVEN = 1e-9
"""By how much a pair's two payoffs may fail to cancel."""


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """A mix of strategies against which none has an edge.

    Parameters
    ----------
    weights : ndarray, shape (m,)
        Share of each strategy in the mix; they sum to 1.
    skill : ndarray, shape (m,)
        Payoff of each strategy against the mix: 0 for those in it, at most 0 for the others.
    value : float
        Payoff of the mix against itself: 0, as in every symmetric zero-sum game.
    exploitability : float
        What the best answer to the mix gains: 0 but for rounding.
    """

    weights: FloatArray
    skill: FloatArray
    value: float
    exploitability: float


def nash_average(payoff: npt.ArrayLike) -> Equilibrium:
    """Find the equilibrium of greatest entropy: of all unbeaten mixes the one that prefers least.

    Copies of a strategy share its weight and change nothing for the others, so adding an entrant twice does
    not make it look better, as a plain average over opponents would.

    Parameters
    ----------
    payoff : array_like, shape (m, m)
        ``[i, j]``: win rate of i against j, minus 1/2 (or any other payoff that j loses). Sampled win
        rates give the equilibrium of the sample; how sure that is, a bootstrap tells.

    Returns
    -------
    Equilibrium

    Raises
    ------
    SprawlsimError
        If the matrix is not square, finite and antisymmetric.

    References
    ----------
    Balduzzi, D., Tuyls, K., Perolat, J. and Graepel, T. (2018). Re-evaluating evaluation. NeurIPS 31.
    """
    game = _checked(payoff)
    scale = float(np.abs(game).max())
    game_scaled = game / scale if scale > 0 else game
    weights = _most_even(game_scaled, _reachable(game_scaled))
    skill = game @ weights
    return Equilibrium(weights, skill, float(weights @ skill), exploitability(game, weights))


def exploitability(payoff: npt.ArrayLike, weights: npt.ArrayLike) -> float:
    """Return what the best answer to a mix gains over the mix itself; 0 in an equilibrium.

    Parameters
    ----------
    payoff : array_like, shape (m, m)
        As for `nash_average`.
    weights : array_like, shape (m,)
        Shares of the mix: none negative, summing to 1.

    Raises
    ------
    SprawlsimError
        If the matrix is as `nash_average` refuses it, or the weights are no shares of its strategies.
    """
    game, mix = _checked(payoff), np.asarray(weights, dtype=np.float64)
    if mix.shape != game.shape[:1] or not (mix >= 0).all() or abs(mix.sum() - 1) > _UNEVEN:
        raise SprawlsimError(f"weights must be {game.shape[0]} shares, none negative, that sum to 1")
    skill = game @ mix
    return float(skill.max() - mix @ skill)


def _reachable(game: FloatArray) -> npt.NDArray[np.bool_]:
    """Tell which strategies have weight in some equilibrium, by a linear programme for each."""
    from scipy.optimize import linprog

    m = len(game)
    known = np.zeros(m, dtype=np.bool_)
    for wanted in range(m):
        if known[wanted]:
            continue
        found = linprog(
            -np.eye(m)[wanted],
            A_ub=game,  # no strategy gains against the mix
            b_ub=np.zeros(m),
            A_eq=np.ones((1, m)),
            b_eq=[1.0],
            bounds=(0, 1),
        )
        known |= found.x > _SUPPORT
    return known


def _most_even(game: FloatArray, inside: npt.NDArray[np.bool_]) -> FloatArray:
    """Return the equilibrium of greatest entropy, given which strategies are part of any.

    A part of any equilibrium gains exactly 0 against all of them; the others gain at most 0. Then the mix
    is proportional to exp(-multipliers @ game), the multipliers of the others not negative, and
    minimises the log of the sum of these: a smooth convex problem with a finite solution.
    """
    from scipy.optimize import minimize
    from scipy.special import logsumexp, softmax

    columns = -game[:, inside]

    def dual(multipliers: FloatArray) -> tuple[float, FloatArray]:
        logits = multipliers @ columns
        return float(logsumexp(logits)), columns @ softmax(logits)

    found = minimize(
        dual,
        np.zeros(len(game)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None) if part else (0, None) for part in inside],
        options={"ftol": 0.0, "gtol": 1e-11, "maxiter": 10_000, "maxfun": 100_000, "maxcor": 30},
    )
    weights = np.zeros(len(game))
    weights[inside] = softmax(found.x @ columns)
    return weights


def _checked(payoff: npt.ArrayLike) -> FloatArray:
    game = np.asarray(payoff, dtype=np.float64)
    if game.ndim != 2 or game.shape[0] != game.shape[1] or game.size == 0:
        raise SprawlsimError(f"payoffs must be a square matrix, not of shape {game.shape}")
    if not np.isfinite(game).all():
        raise SprawlsimError("payoffs must be finite numbers")
    uneven = np.abs(game + game.T)
    if uneven.max() > _UNEVEN:
        i, j = np.unravel_index(int(uneven.argmax()), game.shape)
        raise SprawlsimError(
            f"what {i} gains against {j}, {j} must lose against {i}, but they have {game[i, j]:g} and "
            f"{game[j, i]:g}; payoffs are win rates minus 1/2"
        )
    return (game - game.T) / 2
