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
    scaled = game / scale if scale > 0 else game
    weights = _most_even(scaled, _inner(scaled))
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


def _inner(game: FloatArray) -> FloatArray:
    """Return an equilibrium that holds every strategy that any holds: the mean of extreme ones."""
    from scipy.optimize import linprog

    m = len(game)
    extremes = [
        linprog(
            -np.eye(m)[wanted],  # as much of one strategy as there can be
            A_ub=game,  # while no strategy gains against the mix
            b_ub=np.zeros(m),
            A_eq=np.ones((1, m)),
            b_eq=[1.0],
            bounds=(0, 1),
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        ).x
        for wanted in range(m)
    ]
    return np.asarray(np.mean(extremes, axis=0), dtype=np.float64)


def _most_even(game: FloatArray, start: FloatArray) -> FloatArray:
    """Return the equilibrium of greatest entropy, given one that holds every strategy that any holds.

    What is part of any equilibrium gains exactly 0 against all of them, so equilibria differ from `start`
    only along the directions that keep these at 0. Mostly there is no such direction; along those of clones
    and ties the entropy is maximised, the strategies outside still gaining nothing.
    """
    from scipy.linalg import null_space
    from scipy.optimize import LinearConstraint, minimize

    inside = start > _SUPPORT
    kept, outside = game[np.ix_(inside, inside)], game[np.ix_(~inside, inside)]
    equalities = np.vstack([kept, np.ones(len(kept))])
    first = start[inside]
    wanted = np.append(np.zeros(len(kept)), 1.0)
    first = first - np.linalg.pinv(equalities, rcond=_SUPPORT) @ (equalities @ first - wanted)
    free = null_space(equalities, rcond=_SUPPORT)

    def disorder(step: FloatArray) -> tuple[float, FloatArray]:
        mix = np.maximum(first + free @ step, 1e-300)
        return float(mix @ np.log(mix)), (np.log(mix) + 1) @ free

    if free.shape[1]:
        limits = [LinearConstraint(free, -first, np.inf)]
        if len(outside):
            limits.append(LinearConstraint(outside @ free, -np.inf, -outside @ first))
        found = minimize(
            disorder,
            np.zeros(free.shape[1]),
            jac=True,
            method="SLSQP",
            constraints=limits,
            options={"ftol": 1e-15, "maxiter": 1000},
        )
        first = first + free @ found.x
    weights = np.zeros(len(game))
    weights[inside] = np.maximum(first, 0.0)
    return np.asarray(weights / weights.sum(), dtype=np.float64)


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
