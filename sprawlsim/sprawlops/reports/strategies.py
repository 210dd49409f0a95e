"""Which strategies win: all pairings, mixed tables, ratings, what beats what, and an unbeaten mix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.game.simulate import AnyStrategy, Batch, sensible_strategies
from sprawlsim.sprawlops.game.strategies.model import Strategy, load_strategy
from sprawlsim.sprawlops.reports.study import Origin, Study, against_even, records, settle
from sprawlsim.stats.equilibrium import nash_average
from sprawlsim.stats.intervals import wilson
from sprawlsim.stats.ranking import rank_labels, rank_ranges, resolve_pairs
from sprawlsim.stats.ratings import Ratings, fit_ratings
from sprawlsim.stats.sums import normal_quantile

if TYPE_CHECKING:
    import pandas as pd

BASELINE = "random"
"""The strategy that everybody must beat."""
FIELD = 4
"""Games of mixed tables, as a multiple of those of a pairing."""
RIDGE = 0.05
"""Of the ratings: so weak that it moves nobody who wins games, and gives an answer for who never does."""
RESAMPLED, RESAMPLED_QUICK = 200, 60
"""Samples of win rates from which the mix gets its ranges."""


@dataclass(frozen=True)
class StrategyReport:
    """What a study of strategies found; probabilities in 0..1.

    Attributes
    ----------
    strategies : tuple of str
    players : int
        At a mixed table.
    origin : Origin
    pairs : DataFrame
        A row a pairing of two, seats rotated: ``kind`` ("pairing", "mirror": the strategy against a copy of
        itself, "baseline": against random play), ``first``, ``second``, ``games`` (those that somebody won),
        ``stopped``; ``win_rate`` of the first with its interval, ``p``; ``p_holm`` and ``resolved`` (other
        than 1/2) over all rows but mirror matches, of which nothing is claimed.
    field : DataFrame
        A row a strategy at mixed tables, best rating first: ``strategy, games, win_rate`` with its interval,
        ``rating`` (log-strength, the mean is 0) with its interval, `misfit` allowed for, ``rank`` with
        honest ties ("2-4").
    seats : DataFrame
        ``seat, rating`` with its interval: what a seat of a mixed table is worth, on the same scale.
    mix : DataFrame
        ``strategy, weight`` in the unbeaten mix with a 90% range by resampling, ``payoff`` against the mix,
        ``worst`` (the strategy it does worst against), ``worst_payoff`` (win rate minus 1/2).
    cycles : tuple of tuple of str
        Every a, b, c of which a beats b, b beats c and c beats a, each resolved.
    misfit : float
        Deviance of the ratings over its degrees of freedom: about 1 if strengths and seats explain
        everything. Above 1 it scales the ratings' variances (quasi-likelihood).
    mirror_p : float
        Of the mirror matches together, that all are even: a control, for they are.
    """

    strategies: tuple[str, ...]
    players: int
    origin: Origin
    pairs: pd.DataFrame
    field: pd.DataFrame
    seats: pd.DataFrame
    mix: pd.DataFrame
    cycles: tuple[tuple[str, ...], ...]
    misfit: float
    mirror_p: float

    def payoffs(self) -> pd.DataFrame:
        """Give win rates minus 1/2, row against column; on the diagonal the mirror matches."""
        return _matrix(self.pairs, self.strategies, "win_rate", lambda rate: rate - 0.5, lambda x: -x)

    def unresolved(self) -> pd.DataFrame:
        """Tell for the same rows and columns whose payoff is not resolved to be other than 0."""
        return _matrix(self.pairs, self.strategies, "resolved", lambda known: not known, lambda x: x)


def study_strategies(
    study: Study, strategies: Sequence[AnyStrategy] | None = None, players: int = 4
) -> StrategyReport:
    """Let strategies meet in all pairs and at mixed tables.

    Parameters
    ----------
    study : Study
        Games for each pairing; mixed tables get four times as many together.
    strategies : sequence, optional
        As of `Batch`, at least two with different names; the shipped sensible ones when left out.
    players : int
        At a mixed table; fewer if there are not so many strategies.

    Raises
    ------
    SprawlsimError
        If there are not two strategies, or what `Batch` refuses.
    """
    import pandas as pd

    chosen: list[AnyStrategy] = list(sensible_strategies() if strategies is None else strategies)
    if len(chosen) < 2:
        raise SprawlsimError("a study of strategies needs at least two of them")
    mixed = Batch(chosen, players=min(players, len(chosen)), seed=study.seed, cards=study.cards)
    if mixed.functions:
        raise SprawlsimError("a study of strategies takes strategies of weights, no functions")
    names = tuple(entrant.name for entrant in mixed.entrants)
    tables = len(mixed.plan.lineups)
    games = max(1, round(FIELD * study.games / tables)) * tables
    meetings: list[tuple[str, Strategy, Strategy]] = []
    meetings += [("pairing", first, second) for first, second in combinations(mixed.entrants, 2)]
    meetings += [("mirror", one, one) for one in mixed.entrants]
    meetings += [("baseline", one, load_strategy(BASELINE)) for one in mixed.entrants]
    played = study.steps(len(meetings) * study.games + games)
    rows = []
    for kind, first, second in meetings:
        rows.append(_meet(study, kind, first, second))
        played(study.games)
    pairs, mirror_p = _settled(pd.DataFrame(rows))
    seated, wins = _wins_by_table(mixed, games, study.threads)
    played(games)
    fitted = fit_ratings(names, seated, wins, ridge=RIDGE)
    spread = misfit(fitted, seated, wins)
    ratings = fitted.scaled(max(1.0, spread)) if np.isfinite(spread) else fitted
    origin = Origin(
        study.cards.name,
        study.seed,
        f"{study.games:,} games a pairing, {games:,} of {mixed.players} players at mixed tables, seats "
        "rotated",
    )
    return StrategyReport(
        strategies=names,
        players=mixed.players,
        origin=origin,
        pairs=pairs,
        field=_field_frame(names, seated, wins, ratings),
        seats=_seat_frame(ratings),
        mix=mix_frame(names, pairs, study),
        cycles=find_cycles(names, pairs),
        misfit=spread,
        mirror_p=mirror_p,
    )


def _settled(pairs: pd.DataFrame) -> tuple[pd.DataFrame, float]:
    """Say which rows hold; nothing is claimed of a mirror match, they are tested together (chi-square)."""
    import pandas as pd
    from scipy.stats import chi2

    is_mirror = pairs["kind"] == "mirror"
    claims, mirrors = pairs[~is_mirror].copy(), pairs[is_mirror].copy()
    settle(claims)
    mirrors["p_holm"], mirrors["resolved"] = float("nan"), False
    games = mirrors["games"].to_numpy(float)
    surprise = (mirrors["wins"].to_numpy(float) - games / 2) ** 2 / np.maximum(games / 4, 1)
    return pd.concat([claims, mirrors]).sort_index(), float(chi2.sf(surprise.sum(), (games > 0).sum()))


def _meet(study: Study, kind: str, first: Strategy, second: Strategy) -> dict[str, Any]:
    """Play two strategies against each other, seats rotated."""
    batch = Batch([first, second], players=2, seed=study.seed, cards=study.cards)
    results = batch.run(study.games, threads=study.threads)
    names = (first.name, second.name)
    wins = [int(total) for total in results.tally.wins[:2].sum(axis=1)]
    row: dict[str, Any] = {"kind": kind, "first": names[0], "second": names[1]}
    row |= {"wins": wins[0], "games": sum(wins), "stopped": int(results.tally.stopped)}
    return row | against_even(wins[0], sum(wins), 0.5)


def _wins_by_table(
    batch: Batch, games: int, threads: int | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Play mixed tables; count wins by table and seat."""
    seats = batch.rows(0, games, threads)["winner"].astype(np.int64)
    lineups = batch.plan.lineups
    wins = np.zeros(lineups.shape, dtype=np.int64)
    won = seats >= 0
    np.add.at(wins, (np.arange(games)[won] % len(lineups), seats[won]), 1)
    return lineups, wins


def _field_frame(
    names: Sequence[str], seated: npt.NDArray[np.int64], wins: npt.NDArray[np.int64], ratings: Ratings
) -> pd.DataFrame:
    import pandas as pd

    ranges = rank_ranges(_resolve_order(len(names), seated, wins))
    half = normal_quantile(0.95) * ratings.theta_error
    rows = []
    for i, name in enumerate(names):
        games = int(wins.sum(axis=1)[(seated == i).any(axis=1)].sum())
        rate = wilson(int(wins[seated == i].sum()), games)
        theta = float(ratings.theta[i])
        rows.append(
            {
                "strategy": name,
                "rank": rank_labels(ranges)[i],
                "games": games,
                "win_rate": rate.estimate,
                "win_rate_low": rate.low,
                "win_rate_high": rate.high,
                "rating": theta,
                "rating_low": theta - half[i],
                "rating_high": theta + half[i],
            }
        )
    return pd.DataFrame(rows).sort_values("rating", ascending=False, ignore_index=True)


def _resolve_order(
    count: int, seated: npt.NDArray[np.int64], wins: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Tell who is better than whom by who won more at tables where both sat: exact tests, all pairs by Holm.

    Seats are rotated, so who is as good wins as often there, whoever else sits at the table.
    """
    differences, p_values = np.zeros((count, count)), np.ones((count, count))
    for i, j in combinations(range(count), 2):
        both = (seated == i).any(axis=1) & (seated == j).any(axis=1)
        won, lost = (int(wins[both][seated[both] == one].sum()) for one in (i, j))
        differences[i, j] = won - lost
        p_values[i, j] = against_even(won, won + lost, 0.5)["p"]
    return resolve_pairs(differences, p_values)


def _seat_frame(ratings: Ratings) -> pd.DataFrame:
    import pandas as pd

    half = normal_quantile(0.95) * ratings.sigma_error
    return pd.DataFrame(
        {
            "seat": np.arange(1, len(half) + 1),
            "rating": ratings.sigma,
            "rating_low": ratings.sigma - half,
            "rating_high": ratings.sigma + half,
        }
    )


def misfit(ratings: Ratings, seated: npt.NDArray[np.int64], wins: npt.NDArray[np.int64]) -> float:
    """Compare wins with what the ratings expect: the deviance over its degrees of freedom."""
    seats = seated.shape[1]
    shares = np.array([ratings.win_probabilities([ratings.entrants[i] for i in row]) for row in seated])
    expected = shares * wins.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(wins > 0, wins * np.log(wins / expected), 0.0)
    freedom = len(seated) * (seats - 1) - (len(ratings.entrants) - 1) - (seats - 1)
    return float(2 * terms.sum() / freedom) if freedom > 0 else float("nan")


def _payoff_array(names: Sequence[str], pairs: pd.DataFrame, rates: Any) -> npt.NDArray[np.float64]:
    """Lay pairings' win rates out as an antisymmetric matrix of payoffs."""
    payoff = np.zeros((len(names), len(names)))
    for first, second, rate in zip(pairs["first"], pairs["second"], rates, strict=True):
        i, j = names.index(first), names.index(second)
        payoff[i, j], payoff[j, i] = rate - 0.5, 0.5 - rate
    return payoff


def mix_frame(names: Sequence[str], pairs: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Find the unbeaten mix, and how it varies when win rates are drawn again."""
    import pandas as pd

    met = pairs[pairs["kind"] == "pairing"]
    payoff = _payoff_array(names, met, met["win_rate"])
    found = nash_average(payoff)
    draw = np.random.default_rng(study.seed)
    samples = RESAMPLED_QUICK if study.quick else RESAMPLED
    games = met["games"].to_numpy()
    drawn = draw.binomial(games, met["win_rate"], (samples, len(met)))
    drawn = np.where(games > 0, drawn / np.maximum(games, 1), 0.5)
    weights = np.array([nash_average(_payoff_array(names, met, rates)).weights for rates in drawn])
    low, high = np.percentile(weights, [5, 95], axis=0)
    np.fill_diagonal(payoff, np.inf)
    worst = payoff.argmin(axis=1)
    return pd.DataFrame(
        {
            "strategy": list(names),
            "weight": found.weights,
            "weight_low": np.minimum(low, found.weights),
            "weight_high": np.maximum(high, found.weights),
            "payoff": found.skill,
            "worst": [names[i] for i in worst],
            "worst_payoff": payoff[np.arange(len(names)), worst],
        }
    ).sort_values("weight", ascending=False, ignore_index=True, kind="stable")


def find_cycles(names: Sequence[str], pairs: pd.DataFrame) -> tuple[tuple[str, ...], ...]:
    """List every three of whom each is resolved to beat the next; each cycle once, from its first name on."""
    beats = set()
    for row in records(pairs[pairs["resolved"] & (pairs["kind"] == "pairing")]):
        won = row["win_rate"] > 0.5
        beats.add((row["first"], row["second"]) if won else (row["second"], row["first"]))
    return tuple(
        (a, b, c)
        for a, b, c in permutations(names, 3)
        if names.index(a) < min(names.index(b), names.index(c)) and {(a, b), (b, c), (c, a)} <= beats
    )


def _matrix(pairs: pd.DataFrame, names: Sequence[str], column: str, read: Any, mirrored: Any) -> pd.DataFrame:
    """Lay a column of pairings and mirror matches out by row and column."""
    import pandas as pd

    frame = pd.DataFrame(index=list(names), columns=list(names), dtype=object)
    for row in records(pairs[pairs["kind"] != "baseline"]):
        value = read(row[column])
        frame.loc[row["second"], row["first"]] = mirrored(value)
        frame.loc[row["first"], row["second"]] = value
    return frame.infer_objects()
