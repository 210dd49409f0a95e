"""Whole games as an experiment measures them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from sprawlsim.errors import SprawlsimError, did_you_mean
from sprawlsim.experiments.measure import About, Columns, Figure
from sprawlsim.sprawlops.measures.settings import (
    about_cards,
    find_path,
    read_cards,
    read_settings,
    wing_sources,
)

if TYPE_CHECKING:
    from sprawlsim.sprawlops.cards import CardSet
    from sprawlsim.sprawlops.game.strategies.model import Strategy

BY_SEAT = ("nuyen", "dice")


class GameSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of whole games: those of `Batch`, with changes of cards and of strategies."""

    strategies: list[str] | None = None
    players: int = 4
    cards: str | None = None
    changes: list[str] = []
    weights: dict[str, dict[str, Any]] = {}
    final: str | None = None
    round_limit: int = 40
    rotate_seats: bool = True
    gifts: dict[str, list[str] | str] = {}
    without: list[str] = []


class Games(NamedTuple):
    """Whole games, ready to be played anywhere."""

    strategies: tuple[Strategy, ...]
    players: int
    cards: CardSet
    final: str | None
    round_limit: int
    rotate_seats: bool
    gifts: dict[str, tuple[str, ...]]
    without: tuple[str, ...]


class GamesMeasure:
    """Whole games: who wins, from which seat, in how many rounds, with what harm; a row a game."""

    name = "games"
    trials = "games"
    settings = GameSettings.__struct_fields__
    multiple_of = 1

    def sources(self) -> str:
        """Fingerprint what decides a game."""
        return wing_sources()

    def prepare(self, settings: Mapping[str, Any], folder: Path) -> Games:
        """Read strategies and cards.

        Parameters
        ----------
        settings : mapping
            Of `GameSettings`. ``weights`` has changes of strategies by their names, written as in their
            files: ``champion.place.docwagon = 0``. ``gifts`` has cards and sums by the names of
            strategies: ``champion = ["Datajack", "5K"]``.

        Raises
        ------
        SprawlsimError
        """
        from sprawlsim.sprawlops.game.simulate import Batch

        read = read_settings(settings, GameSettings)
        strategies = read.strategies and [find_path(name, folder) for name in read.strategies]
        batch = Batch(
            strategies,
            players=read.players,
            cards=read_cards(read.cards, read.changes, folder),
            final=read.final,
            rotate_seats=read.rotate_seats,
            round_limit=read.round_limit,
            gifts=read.gifts,
            without=read.without,
        )
        return Games(
            tuple(change_strategies(batch.entrants, read.weights)),
            batch.players,
            batch.card_set,
            batch.final,
            read.round_limit,
            read.rotate_seats,
            batch.gifts,
            batch.without,
        )

    def about(self, prepared: Games) -> About:
        """Tell who plays with what."""
        return {
            "strategies": [strategy.name for strategy in prepared.strategies],
            "strategies_hash": [strategy_hash(strategy) for strategy in prepared.strategies],
            "players": prepared.players,
            "final": prepared.final,
            "round_limit": prepared.round_limit,
            "rotate_seats": prepared.rotate_seats,
            "gifts": prepared.gifts,
            "without": prepared.without,
            **about_cards(prepared.cards),
        }

    def run_chunk(self, prepared: Games, seed: int, first: int, count: int) -> Columns:
        """Play games.

        Returns
        -------
        columns
            Of each game its number, rounds, Final Mission, the winner's seat (from 1; 0 where stopped), and
            by seat the entrant (its place among the strategies), nuyen and dice at the end, what it did.
        """
        from sprawlsim.sprawlops.game.arrays import FIGURES
        from sprawlsim.sprawlops.game.simulate import Batch

        batch = Batch(
            prepared.strategies,
            players=prepared.players,
            seed=seed,
            cards=prepared.cards,
            final=prepared.final,
            rotate_seats=prepared.rotate_seats,
            round_limit=prepared.round_limit,
            gifts=prepared.gifts,
            without=prepared.without,
        )
        rows = batch.rows(first, count, threads=1)
        columns = {
            "game": rows["game"],
            "rounds": rows["rounds"],
            "final": rows["final"],
            "winner_seat": (rows["winner"] + 1).astype(np.int8),
        }
        for seat in range(prepared.players):
            who = f"seat_{seat + 1}"
            columns[f"{who}_entrant"] = rows["entrant"][:, seat].astype(np.int8)
            for key in BY_SEAT:
                columns[f"{who}_{key}"] = rows[key][:, seat].astype(np.int16)
            for f, figure in enumerate(FIGURES):
                columns[f"{who}_{figure}"] = rows["figures"][:, seat, f].astype(np.int16)
        return columns

    def figure_names(self, about: About) -> list[str]:
        """List the figures: wins, what each strategy comes to, seats, length."""
        names: list[str] = about["strategies"]
        if len(names) > 1:
            figures = [f"wins of {name}" for name in names]
            figures += [f"{what} of {name}" for name in names for what in PER_PLAYER]
        else:
            figures = [f"{what} of a player" for what in PER_PLAYER]
        seats = [f"wins of seat {seat + 1}" for seat in range(about["players"])]
        return [*figures, *seats, "first seat less last", "rounds to win", "stopped"]

    def figures(self, about: About, columns: Columns) -> list[Figure]:
        """Read games."""
        seats = range(1, about["players"] + 1)
        winner = columns["winner_seat"].astype(np.int64)
        every = np.ones(len(winner), dtype=np.int64)
        entrants = np.stack([columns[f"seat_{seat}_entrant"] for seat in seats], axis=1)
        won = np.stack([winner == seat for seat in seats], axis=1)
        names: list[str] = about["strategies"]
        found: dict[str, Figure] = {}

        def add(name: str, kind: Any, totals: Any, trials: Any, unit: str = "") -> None:
            totals = totals * (trials > 0)
            found[name] = Figure(name, kind, totals, totals * totals, trials, unit)

        for entrant, name in enumerate(names):
            sits = entrants == entrant
            seated = sits.any(axis=1).astype(np.int64)
            if len(names) > 1:
                add(f"wins of {name}", "proportion", (won & sits).sum(axis=1), seated)
            who, share = (name, 1) if len(names) > 1 else ("a player", about["players"])
            for what, (key, unit) in PER_PLAYER.items():
                values = np.stack([columns[f"seat_{seat}_{key}"] for seat in seats], axis=1).astype(np.int64)
                total = (values * sits).sum(axis=1)
                add(f"{what} of {who}", "mean", total if share == 1 else total / share, seated, unit)
        for seat in seats:
            add(f"wins of seat {seat}", "proportion", won[:, seat - 1].astype(np.int64), every)
        lead = won[:, 0].astype(np.int64) - won[:, -1]
        add("first seat less last", "mean", lead, every, "%")
        add("rounds to win", "mean", columns["rounds"].astype(np.int64), (winner > 0).astype(np.int64))
        add("stopped", "proportion", (winner == 0).astype(np.int64), every)
        return [found[name] for name in self.figure_names(about)]


PER_PLAYER = {
    "nuyen at the end": ("nuyen", "K"),
    "Missions completed": ("completed", ""),
    "injuries": ("injuries", ""),
    "deaths": ("deaths", ""),
}
"""Figures of a player and game, with their columns and units."""


def change_strategies(strategies: list[Strategy], weights: Mapping[str, Mapping[str, Any]]) -> list[Strategy]:
    """Give strategies other weights, under their old names.

    Raises
    ------
    SprawlsimError
        If no strategy bears a name, or a weight is none.
    """
    from sprawlsim.sprawlops.game.strategies.model import strategy_from_dict

    names = [strategy.name for strategy in strategies]
    for name in weights:
        if name not in names:
            raise SprawlsimError(
                f"weights: {name!r} does not play here; there are {', '.join(names)}"
                f"{did_you_mean(name, names)}"
            )
    return [
        strategy._replace(
            weights=strategy.weights
            | strategy_from_dict(
                weights.get(strategy.name, {}), strategy.name, f"weights.{strategy.name}"
            ).weights
        )
        for strategy in strategies
    ]


def strategy_hash(strategy: Strategy) -> str:
    """Fingerprint what a strategy does: every weight, not its name or description."""
    from sprawlsim.sprawlops.game.strategies.model import WEIGHT_KEYS

    content = [strategy.chooser, strategy.policy, [strategy.weight(key) for key in WEIGHT_KEYS]]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]
