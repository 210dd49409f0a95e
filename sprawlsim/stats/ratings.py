"""Ratings from games with one winner: Bradley-Terry for two, Plackett-Luce for more, with seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError, did_you_mean
from sprawlsim.stats.intervals import Estimate
from sprawlsim.stats.ranking import BoolArray, resolve_estimates
from sprawlsim.stats.sums import normal_quantile

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ratings:
    """Strengths of entrants and of seats: at a table, i wins with probability ~ exp(theta[i] + sigma[seat]).

    Parameters
    ----------
    entrants : tuple of str
        Their names, in the order of the arrays.
    theta, theta_error : ndarray, shape (m,)
        Log-strengths, which sum to 0, and their standard errors. A difference of log 2 = 0.69 is twice the
        chance.
    sigma, sigma_error : ndarray, shape (s,)
        The same of the seats; zeros where no effect of seats was asked for.
    covariance : ndarray, shape (m, m)
        Of `theta`; errors of differences need it, for ratings of one fit depend on each other.
    log_likelihood : float
        Of the games at these values, in nats.
    games : int
        Games that were counted.
    """

    entrants: tuple[str, ...]
    theta: FloatArray
    theta_error: FloatArray
    sigma: FloatArray
    sigma_error: FloatArray
    covariance: FloatArray
    log_likelihood: float
    games: int

    def win_probabilities(self, seated: Sequence[str]) -> FloatArray:
        """Return the chance of each seat to win, given who sits where.

        Parameters
        ----------
        seated : sequence of str
            Entrants from the first seat on, as many as there are players; one may sit on several seats.

        Returns
        -------
        ndarray, shape (len(seated),)

        Raises
        ------
        SprawlsimError
            If a name is no entrant's, or there are not 1 to s of them.
        """
        if not 1 <= len(seated) <= self.sigma.size:
            raise SprawlsimError(f"a table has 1 to {self.sigma.size} players, not {len(seated)}")
        strength = np.exp(self.theta[[self._place(name) for name in seated]] + self.sigma[: len(seated)])
        shares: FloatArray = strength / strength.sum()
        return shares

    def difference(self, first: str, second: str, confidence: float = 0.95) -> Estimate:
        """Return theta of the first minus theta of the second, with its large-sample interval.

        Raises
        ------
        SprawlsimError
            If a name is no entrant's, or the confidence is not between 0 and 1.
        """
        i, j = self._place(first), self._place(second)
        gap = float(self.theta[i] - self.theta[j])
        variance = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        half = normal_quantile(confidence) * float(np.sqrt(max(variance, 0.0)))
        return Estimate(gap, gap - half, gap + half)

    def better(self, confidence: float = 0.95) -> BoolArray:
        """Tell who is resolved to be better than whom, for `sprawlsim.stats.ranking.rank_ranges`."""
        return resolve_estimates(self.theta, self.covariance, confidence)

    def scaled(self, dispersion: float) -> Ratings:
        """Return the same ratings with errors for games that vary more than the model says.

        Parameters
        ----------
        dispersion : float
            How many times larger the variance of wins is (quasi-likelihood); the deviance over its degrees of
            freedom, for instance. Covariances grow as much, standard errors by its root.

        Raises
        ------
        SprawlsimError
            If it is below 1 or no number.
        """
        if not 1 <= dispersion < np.inf:
            raise SprawlsimError(f"a dispersion must be a number from 1 on, not {dispersion}")
        root = float(np.sqrt(dispersion))
        return replace(
            self,
            theta_error=self.theta_error * root,
            sigma_error=self.sigma_error * root,
            covariance=self.covariance * dispersion,
        )

    def _place(self, name: str) -> int:
        if name not in self.entrants:
            raise SprawlsimError(f"no entrant is called {name!r}{did_you_mean(name, self.entrants)}")
        return self.entrants.index(name)


def fit_ratings(
    entrants: Sequence[str],
    tables: npt.ArrayLike,
    wins: npt.ArrayLike,
    seat_effect: bool = True,
    ridge: float = 0.0,
) -> Ratings:
    """Fit ratings by maximum likelihood to counts of wins by table and seat.

    Parameters
    ----------
    entrants : sequence of str
        Names of the m entrants.
    tables : array_like of int, shape (t, s)
        Who sat where: indices into `entrants`; -1 on an empty seat. A row may come more than once; one
        entrant may sit on several seats (a mirror match tells of the seats only).
    wins : array_like of int, shape (t, s)
        Games at that table won by the seat. Games without one winner are left out.
    seat_effect : bool
        Fit what a seat is worth; otherwise every seat counts alike.
    ridge : float
        0 for plain maximum likelihood. Above it, every rating has a normal prior of mean 0 and
        variance ``1 / ridge``: it pulls ratings towards each other, and gives an answer where the games alone
        have none (an entrant that never won). Errors are then those of the posterior.

    Returns
    -------
    Ratings
        Standard errors are from the observed information: for many games. One effect per seat is shared by
        tables of all sizes; where that may be wrong, fit each size on its own.

    Raises
    ------
    SprawlsimError
        If arrays do not fit each other; or the games cannot rate someone and there is no `ridge`: entrants
        that never met, always met on the same seats, or never won (or never lost) across some divide.

    References
    ----------
    Luce, R. D. (1959). Individual Choice Behavior. Wiley. Plackett, R. L. (1975). The analysis of
    permutations. Applied Statistics 24.

    Hunter, D. R. (2004). MM algorithms for generalized Bradley-Terry models. Annals of Statistics 32.
    """
    names = tuple(entrants)
    if not 0 <= ridge < np.inf:
        raise SprawlsimError(f"ridge must be 0 or a positive number, not {ridge}")
    seated, counts = _checked(names, tables, wins)
    model = _Model(seated, counts, len(names), seat_effect, ridge)
    if ridge == 0:
        _refuse_what_has_no_answer(model, names)
    found = model.fit()
    m = len(names)
    covariance = model.covariance(found)
    errors = np.sqrt(np.diag(covariance))
    blank = np.zeros(seated.shape[1])
    return Ratings(
        entrants=names,
        theta=found[:m],
        theta_error=errors[:m],
        sigma=found[m:] if seat_effect else blank,
        sigma_error=errors[m:] if seat_effect else blank,
        covariance=covariance[:m, :m],
        log_likelihood=model.log_likelihood(found),
        games=int(counts.sum()),
    )


class _Model:
    """The likelihood of counts of wins, in one vector of parameters: entrants, then seats."""

    def __init__(
        self, seated: IntArray, counts: IntArray, entrants: int, seat_effect: bool, ridge: float
    ) -> None:
        tables, seats = seated.shape
        size = entrants + (seats if seat_effect else 0)
        self.taken = seated >= 0
        self.counts = counts.astype(np.float64)
        self.games = self.counts.sum(axis=1)
        self.ridge = ridge
        # design[t, s] holds a 1 for the entrant who sits there and a 1 for the seat.
        self.design = np.zeros((tables, seats, size))
        row, seat = np.nonzero(self.taken)
        self.design[row, seat, seated[row, seat]] = 1.0
        if seat_effect:
            self.design[row, seat, entrants + seat] = 1.0
        # Adding a constant to all entrants, or to all seats, changes no probability.
        self.constants = np.zeros((2 if seat_effect else 1, size))
        self.constants[0, :entrants] = 1 / np.sqrt(entrants)
        self.constants[1:, entrants:] = 1 / np.sqrt(seats)

    def _log_probabilities(self, parameters: FloatArray) -> FloatArray:
        from scipy.special import log_softmax

        scores = np.where(self.taken, self.design @ parameters, -np.inf)
        logs: FloatArray = log_softmax(scores, axis=1)
        return logs

    def log_likelihood(self, parameters: FloatArray) -> float:
        logs = self._log_probabilities(parameters)
        return float((self.counts * np.where(self.taken, logs, 0.0)).sum())

    def gradient(self, parameters: FloatArray) -> FloatArray:
        """Return the slope of the log-likelihood: wins less expected wins, by entrant and by seat."""
        surprise = self.counts - self.games[:, None] * np.exp(self._log_probabilities(parameters))
        slope: FloatArray = np.einsum("ts,tsk->k", surprise, self.design)
        return slope

    def information(self, parameters: FloatArray) -> FloatArray:
        """Return minus the second derivatives of the log-likelihood."""
        shares = np.exp(self._log_probabilities(parameters))
        mean = np.einsum("ts,tsk->tk", shares, self.design)
        flat = self.design.reshape(-1, self.design.shape[2])
        square = flat.T @ (flat * (self.games[:, None] * shares).reshape(-1, 1))
        return np.asarray(square - mean.T @ (mean * self.games[:, None]), dtype=np.float64)

    def fit(self) -> FloatArray:
        """Return the parameters of greatest (penalised) likelihood, entrants and seats summing to 0."""
        from scipy.optimize import minimize

        scale = 1 / self.games.sum()
        gauge = self.constants.T @ self.constants  # holds the sums, which the games leave open, at 0
        penalty = self.ridge * np.eye(len(gauge))

        def loss(x: FloatArray) -> tuple[float, FloatArray]:
            pull = penalty @ x
            value = scale * (0.5 * x @ pull - self.log_likelihood(x)) + 0.5 * x @ gauge @ x
            return float(value), scale * (pull - self.gradient(x)) + gauge @ x

        found = minimize(
            loss,
            np.zeros(len(gauge)),
            jac=True,
            hess=lambda x: scale * (self.information(x) + penalty) + gauge,
            method="trust-exact",
            options={"gtol": 1e-10, "maxiter": 500},
        )
        if np.abs(found.jac).max() > 1e-6:
            raise SprawlsimError(f"the ratings did not settle within 500 steps: {found.message}")
        parameters: FloatArray = found.x
        return parameters - gauge @ parameters

    def covariance(self, parameters: FloatArray) -> FloatArray:
        """Return the covariance of the parameters under the constraint that their sums are 0."""
        bent = self.information(parameters) + self.ridge * np.eye(len(parameters))
        inside = np.eye(len(parameters)) - self.constants.T @ self.constants
        inverse = np.linalg.pinv(inside @ bent @ inside, rcond=1e-12, hermitian=True)
        return np.asarray(inverse, dtype=np.float64)

    def wins_over(self) -> FloatArray:
        """Return winner less loser, in parameters, for every winner and loser seen: distinct rows."""
        rows = []
        seats = self.taken.shape[1]
        for winner in range(seats):
            for loser in range(seats):
                seen = (self.counts[:, winner] > 0) & self.taken[:, loser]
                if winner != loser and seen.any():
                    rows.append(self.design[seen, winner] - self.design[seen, loser])
        return np.unique(np.concatenate(rows), axis=0)


def _refuse_what_has_no_answer(model: _Model, names: tuple[str, ...]) -> None:
    """Tell which ratings the likelihood leaves open, or sends to infinity."""
    from scipy.optimize import linprog

    rows = model.wins_over()
    # Directions that change no probability, beyond the constants.
    values, vectors = np.linalg.eigh(rows.T @ rows + model.constants.T @ model.constants)
    if values[0] < 1e-9:
        raise SprawlsimError(
            f"these games leave open how {_moved(vectors[:, 0], names)} compares: all must meet, directly or "
            "through others, and on different seats; more games of other tables or a ridge would help"
        )
    # A direction along which no winner loses ground and one gains has no finite best end.
    size = rows.shape[1]
    found = linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=[(-1, 1)] * size)
    if -found.fun > 1e-6:
        raise SprawlsimError(
            f"these games set no bound to how good or bad {_moved(found.x, names)} is: some never won, or "
            "never lost, against all the others; more games or a ridge would help"
        )


def _moved(direction: FloatArray, names: tuple[str, ...]) -> str:
    """Name the entrants that a direction sets apart from most others; or else the seats."""
    m = len(names)
    apart = np.abs(direction[:m] - np.median(direction[:m])) > 1e-6
    if apart.any():
        return ", ".join(repr(name) for name, out in zip(names, apart, strict=True) if out)
    seats = direction[m:]
    numbers = np.flatnonzero(np.abs(seats - np.median(seats)) > 1e-6) + 1
    return ", ".join(f"seat {number}" for number in numbers)


def _checked(names: tuple[str, ...], tables: npt.ArrayLike, wins: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    """Return distinct tables and their counts of wins, or tell what is wrong with them."""
    if len(names) < 2 or len(set(names)) < len(names):
        raise SprawlsimError(f"ratings need two or more entrants with different names, not {list(names)}")
    seated, counts = np.asarray(tables), np.asarray(wins)
    if seated.ndim != 2 or seated.shape != counts.shape or seated.shape[1] < 2:
        raise SprawlsimError(
            f"tables and wins must have one row a table and one column a seat, two or more, not shapes "
            f"{seated.shape} and {counts.shape}"
        )
    if not (np.issubdtype(seated.dtype, np.integer) and np.issubdtype(counts.dtype, np.integer)):
        raise SprawlsimError(f"tables and wins must be whole numbers, not {seated.dtype} and {counts.dtype}")
    if seated.size and not (seated.min() >= -1 and seated.max() < len(names)):
        raise SprawlsimError(f"tables must hold -1 (an empty seat) to {len(names) - 1}, the last entrant")
    if (counts < 0).any() or (counts[seated < 0] > 0).any():
        raise SprawlsimError("wins must not be negative, and an empty seat wins nothing")
    played = (counts.sum(axis=1) > 0) & ((seated >= 0).sum(axis=1) > 1)
    seated, counts = seated[played].astype(np.int64), counts[played].astype(np.int64)
    missing = sorted(set(range(len(names))) - set(seated[seated >= 0].tolist()))
    if missing:
        raise SprawlsimError(f"{names[missing[0]]!r} played no game against another entrant")
    distinct, where = np.unique(seated, axis=0, return_inverse=True)
    together = np.zeros(distinct.shape, dtype=np.int64)
    np.add.at(together, where.ravel(), counts)
    return distinct, together
