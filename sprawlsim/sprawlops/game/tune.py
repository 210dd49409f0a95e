"""Tuning a strategy: better weights against a field, found by CMA-ES, claimed on games it has not seen.

CMA-ES [1]_ samples weights around a mean and moves it towards those that win more. All candidates of a
generation play the same games (common random numbers), every generation new ones, so that nothing is fitted
to particular dice. What is kept is the mean, not the luckiest candidate; what is claimed is measured on games
of another seed, the tuned strategy in the place of the old one.

References
----------
.. [1] N. Hansen, "The CMA evolution strategy: a tutorial", arXiv:1604.00772 (2016); library ``cma``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError, did_you_mean
from sprawlsim.rng import stream_key
from sprawlsim.sprawlops.cards import CardSet
from sprawlsim.sprawlops.game.arrays import ABSENT
from sprawlsim.sprawlops.game.play import PURPOSE
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.game.strategies.model import (
    WEIGHT_KEYS,
    Strategy,
    StrategyError,
    strategy_orders,
    strategy_weights,
)
from sprawlsim.stats.intervals import Estimate, mean_interval, wilson

STEP = 0.25
"""First step of a weight, as a share of its size (or of 1, where it is smaller)."""
DIGITS = 3
"""Decimals kept of a tuned weight."""
HELD_OUT = 1_000_003
"""Added to the seed for the games on which the result is measured."""
GENERATION_SEEDS = 7_919
"""Distance between the seeds of two generations."""

Told = Callable[[int, int, Strategy], None]
"""Told (generation, of how many, the strategy found so far)."""


@dataclass(frozen=True)
class Tuning:
    """What tuning came to.

    Attributes
    ----------
    strategy : Strategy
        With the tuned weights; the old ones where those found win less on the held-out games.
    before, after : Estimate
        Share of held-out games won by the old strategy, and by the found one in its place.
    gain : Estimate
        Difference, paired game by game.
    generations : int
        How many were played; fewer than asked for if interrupted.
    """

    strategy: Strategy
    before: Estimate
    after: Estimate
    gain: Estimate
    generations: int


def tuned_keys(strategy: Strategy, keep: Sequence[str]) -> list[str]:
    """List the weights to tune: all but those to keep, named by key (``final.chance``) or table (``place``).

    Raises
    ------
    StrategyError
        If a name is none of them, or nothing is left, or the strategy has no weights.
    """
    if strategy.chooser != "weights":
        raise StrategyError(f"{strategy.name} chooses at random; it has no weights to tune")
    tables = {key.split(".")[0] for key in WEIGHT_KEYS}
    for name in keep:
        if name not in tables and name not in WEIGHT_KEYS:
            allowed = [*sorted(tables), *WEIGHT_KEYS]
            raise StrategyError(f"{name!r} is no weight and no table of weights{did_you_mean(name, allowed)}")
    keys = [key for key in WEIGHT_KEYS if key not in keep and key.split(".")[0] not in keep]
    if not keys:
        raise StrategyError("every weight is to be kept; there is nothing to tune")
    return keys


class Arena:
    """Games of one strategy, number 0, against every choice of opponents from a field, in every seat."""

    def __init__(
        self, strategy: Strategy, field: Sequence[Strategy], players: int, cards: CardSet | None
    ) -> None:
        if len(field) < players - 1:
            raise SprawlsimError(
                f"{len(field)} opponents for a game of {players} players: name at least {players - 1}"
            )
        self.batch = Batch([strategy, *field], players=players, cards=cards)
        tables = [(0, *others) for others in combinations(range(1, len(field) + 1), players - 1)]
        turns = range(players)
        self.lineups = np.array(
            [[table[(s + turn) % players] for s in turns] for table in tables for turn in turns]
        )

    def play(
        self, strategy: Strategy, games: int, seed: int, threads: int | None = None
    ) -> npt.NDArray[np.bool_]:
        """Play games with a strategy in place 0; say of each whether it won."""
        entrants = [strategy, *self.batch.entrants[1:]]
        self.batch.plan = self.batch.plan._replace(
            key=np.uint64(stream_key(seed, PURPOSE)),
            lineups=self.lineups,
            absent=np.zeros(len(self.lineups), dtype=ABSENT),
            weights=strategy_weights(entrants),
            orders=strategy_orders(entrants),
        )
        won: npt.NDArray[np.bool_] = self.batch.winners(games, threads) == 0
        return won


def tune(  # noqa: PLR0913 - settings of one search
    strategy: Strategy,
    field: Sequence[Strategy],
    *,
    players: int = 4,
    games: int = 1000,
    generations: int = 40,
    seed: int = 1,
    keep: Sequence[str] = (),
    cards: CardSet | None = None,
    threads: int | None = None,
    test_games: int = 20_000,
    told: Told | None = None,
) -> Tuning:
    """Improve a strategy's weights against a field.

    Parameters
    ----------
    strategy : Strategy
        Where to start.
    field : sequence of Strategy
        Opponents: every choice of ``players - 1`` of them is met.
    games : int
        Games of each candidate in each generation.
    generations : int
    seed : int
        Of the search and, with `HELD_OUT` added, of the games on which the result is measured.
    keep : sequence of str
        Weights, or tables of weights, to leave as they are.
    test_games : int
        Held-out games, played by the old and by the tuned strategy.
    told : callable, optional
        Told of every generation.

    Raises
    ------
    SprawlsimError
        If a setting makes no sense.

    Notes
    -----
    Ctrl-C ends the search; what was found by then is measured and returned.
    """
    import cma

    keys = tuned_keys(strategy, keep)
    arena = Arena(strategy, field, players, cards)
    start = np.array([strategy.weight(key) for key in keys])
    scale = np.array([STEP * max(1.0, abs(value)) for value in start])
    low = np.array([WEIGHT_KEYS[key].low for key in keys])
    high = np.array([WEIGHT_KEYS[key].high for key in keys])
    scale = np.minimum(scale, (high - low) / 4)
    options = {
        "bounds": [low.tolist(), high.tolist()],
        "CMA_stds": scale.tolist(),
        "seed": seed % 2**31 + 1,
        "verbose": -9,
        "maxiter": generations,
    }
    search = cma.CMAEvolutionStrategy(start.tolist(), 1.0, options)
    done = 0
    try:
        while done < generations:
            candidates = search.ask()
            games_seed = seed + GENERATION_SEEDS * (done + 1)
            shares = [
                float(arena.play(_with(strategy, keys, x), games, games_seed, threads).mean())
                for x in candidates
            ]
            search.tell(candidates, [-share for share in shares])
            done += 1
            if told is not None:
                told(done, generations, _with(strategy, keys, search.result.xfavorite))
    except KeyboardInterrupt:
        if done == 0:
            raise
    found = _with(strategy, keys, search.result.xfavorite)
    before = arena.play(strategy, test_games, seed + HELD_OUT, threads)
    after = arena.play(found, test_games, seed + HELD_OUT, threads)
    difference = after.astype(np.int64) - before.astype(np.int64)
    return Tuning(
        found if difference.sum() > 0 else strategy,
        wilson(int(before.sum()), test_games),
        wilson(int(after.sum()), test_games),
        mean_interval(int(difference.sum()), int((difference**2).sum()), test_games),
        done,
    )


def _with(strategy: Strategy, keys: Sequence[str], values: Any) -> Strategy:
    """Give a strategy other weights, within their bounds and with few decimals."""
    weights = dict(strategy.weights)
    for key, value in zip(keys, values, strict=True):
        weight = WEIGHT_KEYS[key]
        weights[key] = float(np.clip(round(float(value), DIGITS), weight.low, weight.high))
    return strategy._replace(weights=weights)
