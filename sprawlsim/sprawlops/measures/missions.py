"""Attempts of a Mission as an experiment measures them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Meta

from sprawlsim.errors import SprawlsimError, did_you_mean
from sprawlsim.experiments.measure import About, Columns, Figure
from sprawlsim.sprawlops.measures.settings import about_cards, read_cards, read_settings, wing_sources

if TYPE_CHECKING:
    from sprawlsim.sprawlops.cards import CardSet
    from sprawlsim.sprawlops.mission.exact import Solution
    from sprawlsim.sprawlops.mission.scenario import Scenario

BLOCK = 500
"""Attempts of a Mission that make one row."""
SOLUTIONS = 2
"""Missions of which a process keeps best play: chunks come cell by cell."""
PRICED = ("injury", "death", "loot")


class MissionSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of attempts of a Mission: those of `mission_odds`."""

    mission: str
    team: str | None = None
    policy: str = "balanced"
    tokens: Annotated[int, Meta(ge=0)] = 0
    loot: list[str] = []
    rerolls: Annotated[int, Meta(ge=0)] = 0
    eye: list[str] = []
    aim: str | None = None
    prices: dict[str, float] = {}
    cards: str | None = None
    changes: list[str] = []


class Attempts(NamedTuple):
    """Attempts of a Mission, ready to be played anywhere."""

    title: str
    team: str
    scenario: Scenario
    policy: str
    cards: CardSet
    prices: dict[str, float]


class MissionMeasure:
    """Attempts of a Mission by best play or a rule of thumb: odds, pay and harm; a row is a block of them."""

    name = "mission"
    trials = "attempts"
    settings = MissionSettings.__struct_fields__
    multiple_of = BLOCK

    def sources(self) -> str:
        """Fingerprint what decides an attempt."""
        return wing_sources()

    def prepare(self, settings: Mapping[str, Any], folder: Path) -> Attempts:
        """Set up the attempt; a Commlink without a colour gets the best one.

        Parameters
        ----------
        settings : mapping
            Of `MissionSettings`. ``prices`` (K of an ``injury``, a ``death``, a ``loot`` card) make the
            figure "worth per attempt"; under the aim ``nuyen`` the dice are played for it, too.

        Raises
        ------
        SprawlsimError
        """
        from sprawlsim.sprawlops.api import Cards, ask_about
        from sprawlsim.sprawlops.mission.ask import BEST, Effort, best_commlinks, check_policy, refuse_large

        read = read_settings(settings, MissionSettings)
        check_policy(read.policy)
        cards = Cards(read_cards(read.cards, read.changes, folder))
        question = ask_about(
            read.mission,
            read.team,
            cards=cards,
            tokens=read.tokens,
            loot=read.loot,
            rerolls=read.rerolls,
            eye=read.eye,
            aim=read.aim,
            prices=read.prices if read.aim == "nuyen" else None,
        )
        team = best_commlinks(question.team, question.set_up, read.policy, Effort())
        scenario = question.set_up(team)
        if read.policy == BEST:
            refuse_large(scenario, "an experiment plays it by a rule of thumb (policy)")
        prices = read_prices(read.prices)
        return Attempts(question.card.name, str(team), scenario, read.policy, cards.card_set, prices)

    def about(self, prepared: Attempts) -> About:
        """Tell what is attempted, by whom, for what."""
        scenario = msgspec.json.encode(prepared.scenario, order="deterministic")
        return {
            "mission": prepared.title,
            "team": prepared.team,
            "policy": prepared.policy,
            "objective": msgspec.to_builtins(prepared.scenario.objective),
            "prices": prepared.prices,
            "scenario_hash": hashlib.sha256(scenario).hexdigest()[:16],
            **about_cards(prepared.cards),
        }

    def run_chunk(self, prepared: Attempts, seed: int, first: int, count: int) -> Columns:
        """Play attempts: of each block how many, and sums and sums of squares of what they came to."""
        from sprawlsim.sprawlops.mission.counts import (
            AMOUNTS,
            COMPLETED,
            DEATHS,
            INJURIES,
            LOOT,
            NUYEN,
            SAFE,
        )

        counts = play_blocks(prepared, seed, first, count // BLOCK)
        blocks = range(first, first + count, BLOCK)
        sums, products = counts["sums"], counts["products"]
        columns = {"first": np.array(blocks, dtype=np.int64), "attempts": counts["attempts"]}
        columns |= {"completed": sums[:, COMPLETED], "safe": sums[:, SAFE]}
        for name, amount in mean_amounts().items():
            columns[name] = sums[:, amount]
            columns[f"{name}_squared"] = products[:, amount, amount]
        weights = [0.0] * AMOUNTS
        weights[NUYEN] = 1.0
        for name, amount in (("loot", LOOT), ("injury", INJURIES), ("death", DEATHS)):
            weights[amount] = prepared.prices.get(name, 0.0) * (1 if name == "loot" else -1)
        # In one order, term by term: a sum of floats must be the same on every processor.
        columns["worth"] = np.array([_weighted(weights, row) for row in sums])
        columns["worth_squared"] = np.array(
            [_weighted(weights, [_weighted(weights, row) for row in matrix]) for matrix in products]
        )
        return columns

    def figure_names(self, about: About) -> list[str]:
        """List the figures: odds, then means per attempt."""
        names = ["completed", "completed, nobody dead", *(f"{name} per attempt" for name in mean_amounts())]
        return [*names, "worth per attempt"] if about["prices"] else names

    def figures(self, about: About, columns: Columns) -> list[Figure]:
        """Read blocks of attempts."""
        trials = columns["attempts"]
        figures = [
            Figure(name, "proportion", columns[key], columns[key], trials)
            for name, key in (("completed", "completed"), ("completed, nobody dead", "safe"))
        ]
        for name in mean_amounts():
            squares = columns[f"{name}_squared"]
            unit = "K" if name == "nuyen" else ""
            figures.append(Figure(f"{name} per attempt", "mean", columns[name], squares, trials, unit))
        if about["prices"]:
            squares = columns["worth_squared"]
            figures.append(Figure("worth per attempt", "mean", columns["worth"], squares, trials, "K"))
        return figures


def play_blocks(prepared: Attempts, seed: int, first: int, blocks: int) -> npt.NDArray[Any]:
    """Play blocks of attempts, from number `first` on, each counted apart; the dice are any policy's."""
    from sprawlsim.sprawlops.mission.ask import BEST
    from sprawlsim.sprawlops.mission.montecarlo import Simulation
    from sprawlsim.sprawlops.mission.simulate import simulate_blocks

    if prepared.policy == BEST:
        solution = find_best_play(msgspec.json.encode(prepared.scenario, order="deterministic"))
        return simulate_blocks(solution, seed, first, blocks, BLOCK)
    simulation = Simulation(prepared.scenario, prepared.policy, seed, 1)
    return np.concatenate([simulation.count_block(first + block * BLOCK, BLOCK) for block in range(blocks)])


@lru_cache(maxsize=SOLUTIONS)
def find_best_play(scenario: bytes) -> Solution:
    """Find best play of a scenario, given as JSON; each process finds it itself, for its tables are large."""
    from sprawlsim.sprawlops.mission.exact import solve
    from sprawlsim.sprawlops.mission.scenario import Scenario

    return solve(msgspec.json.decode(scenario, type=Scenario), figures=False)


def mean_amounts() -> dict[str, int]:
    """Give the amounts that are averaged, and their places among those counted."""
    from sprawlsim.sprawlops.mission.counts import DEATHS, INJURIES, LOOT, NUYEN

    return {"nuyen": NUYEN, "Loot": LOOT, "injuries": INJURIES, "deaths": DEATHS}


def read_prices(prices: Mapping[str, float]) -> dict[str, float]:
    """Read prices in K.

    Raises
    ------
    SprawlsimError
        If one is of something else, or negative.
    """
    for key, price in prices.items():
        if key not in PRICED:
            raise SprawlsimError(
                f"prices.{key} is not a price; there are {', '.join(PRICED)}{did_you_mean(key, PRICED)}"
            )
        if not 0 <= price < math.inf:
            raise SprawlsimError(f"prices.{key} = {price} is not a price in K: 0 or more")
    return {key: float(price) for key, price in prices.items()}


def _weighted(weights: list[float], amounts: Any) -> float:
    return math.fsum(weight * float(amount) for weight, amount in zip(weights, amounts, strict=True))
