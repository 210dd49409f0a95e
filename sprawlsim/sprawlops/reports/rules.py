"""What locations and rules are worth: a strategy that goes without one, against itself.

One of the players at a table, in every seat in turn, goes without something; the others play the same
strategy whole. The same games are played by the whole strategy alone, where each player wins with a known
chance: who was lucky there is corrected for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.game.arrays import LOCATIONS, STARTERS
from sprawlsim.sprawlops.game.crew import FACE
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.game.strategies.model import WEIGHT_KEYS, Strategy, load_strategy, place_key
from sprawlsim.sprawlops.reports.study import (
    Interval,
    Origin,
    Study,
    deciding_confidence,
    p_value_within,
    settle,
)
from sprawlsim.sprawlops.roles import ROLE_LABELS, ROLES
from sprawlsim.stats.intervals import Estimate, wilson
from sprawlsim.stats.paired import control_variate, variance_ratio

if TYPE_CHECKING:
    import pandas as pd

STRATEGIES = ("champion", "balanced")
"""Strategies that go without something; the first alone in a quick study."""
FACE_OF_SET = 2
"""Place of the Face among the starting runners of a set."""
NO_FACE = "the starting Face is no Face"
SEAT = "Seat"
"""Kind of the rows that are of seats, not of going without something."""
SEATS = ("the first seat", "the second seat", "the third seat", "the fourth seat")
"""Names of what seats win above an even share."""


class Restriction(NamedTuple):
    """Something that a strategy goes without.

    Attributes
    ----------
    name : str
        As a sentence goes on after the strategy's name: "never goes to DocWagon".
    kind : str
        ``Location``, ``Rule``, ``Eye`` or ``Risk``.
    weights : dict of str to float
        What is changed of the strategy, by dotted key.
    location : str or None
        Whose visits tell whether it is kept.
    """

    name: str
    kind: str
    weights: dict[str, float]
    location: str | None = None


def all_restrictions() -> list[Restriction]:
    """List what strategies can go without, location by location, rule by rule."""
    goes_without = {
        "DocWagon": "never goes to DocWagon (no tokens)",
        "Mr. Johnson": "never goes to Mr. Johnson (no side Missions)",
        "Crime Mall": "never goes to the Crime Mall (no Gear)",
        "Max's Ironworks": "never goes to Max's Ironworks (no Upgrades)",
        "Hannibelle's Host": "never goes to Hannibelle's Host (hires nobody)",
    }
    found = [
        Restriction(
            goes_without.get(location, f"never goes to {location.replace('The ', 'the ')}"),
            "Location",
            {f"place.{place_key(location)}": 0.0},
            location,
        )
        for location in LOCATIONS
        if location != "Final Mission"  # without it nobody wins: nothing to learn
    ]
    found.append(
        Restriction(
            "hires nobody out of Dante's Inferno", "Rule", {"mission.hire": 0.0, "final.hire": 0.0}, None
        )
    )
    found.append(Restriction("plays for no Loot", "Rule", {"worth.loot": 0.0}))
    found += [
        Restriction(f"takes no {ROLE_LABELS[role]} perk at the Eye", "Eye", {f"eye.{role}": 0.0})
        for role in ROLES
    ]
    return [*found, *_risks()]


def _risks() -> list[Restriction]:
    """List ways to take risks always, or never."""
    harmless = {"mission.injury": 0.0, "mission.death": 0.0}
    dear = {"mission.injury": 30.0, "mission.death": 100.0}
    return [
        Restriction("counts injuries and deaths as nothing", "Risk", harmless),
        Restriction("risks nobody (an injury counts 30K, a death 100K)", "Risk", dear),
        Restriction("tries the Final Mission from a chance of 20%", "Risk", {"final.chance": 0.2}),
        Restriction(
            "tries the Final Mission only from a chance of 90%",
            "Risk",
            {"final.chance": 0.9, "final.haste": 0.0, "final.rival": 1.0},
        ),
    ]


@dataclass(frozen=True)
class RuleReport:
    """What a study of locations and rules found; probabilities in 0..1.

    Attributes
    ----------
    strategies : tuple of str
    players : int
    origin : Origin
    effects : DataFrame
        A row a strategy and restriction: ``strategy, kind, name, games``; ``effect``: the change of the win
        probability with its 95% interval (below 0: it is worth having what is gone without), ``p``,
        ``p_holm`` over all rows, ``resolved``; ``deciding_low``, ``deciding_high``: the interval that leaves
        out 0 exactly where the effect is resolved; ``location`` shunned, and ``visits`` to it per round by
        the restricted player and ``visits_whole`` by the others; ``saved``: how many times fewer games this
        took than two independent samples would have.
    confidence : float
        Of the deciding intervals.
    """

    strategies: tuple[str, ...]
    players: int
    origin: Origin
    effects: pd.DataFrame
    confidence: float


class _Trial(NamedTuple):
    """Games won by a player who goes without something, and by the whole one in the same seat and game."""

    games: int
    wins: int
    base_wins: int
    both: int
    base_rate: float
    usage: tuple[float, float]

    def gain(self, confidence: float = 0.95) -> Estimate:
        """Give the change of the win probability."""
        variant = control_variate(
            self.wins, self.base_wins, self.both, self.games, self.base_rate, confidence
        )
        return Estimate(*(part - self.base_rate for part in (variant.estimate, variant.low, variant.high)))

    @property
    def saved(self) -> float:
        """How many times fewer games this took than two independent samples."""
        alone = wilson(self.wins, self.games), wilson(self.base_wins, self.games)
        return variance_ratio(*alone, self.gain())


def study_rules(
    study: Study,
    strategies: Sequence[str | Strategy] | None = None,
    restrictions: Sequence[Restriction] | None = None,
    players: int = 4,
) -> RuleReport:
    """Let strategies go without locations and rules, against themselves.

    Parameters
    ----------
    study : Study
        Games for each restriction.
    strategies : sequence of str or Strategy, optional
        Champion and balanced when left out; the champion alone in a quick study.
    restrictions : sequence of Restriction, optional
        Beside what the starting Face and the seats are worth; `all_restrictions` when left out.
    players : int

    Raises
    ------
    SprawlsimError
        If a strategy wins no games against itself, or a restriction names a weight that does not exist.
    """
    import pandas as pd

    chosen = STRATEGIES[:1] if strategies is None and study.quick else strategies or STRATEGIES
    whole = [one if isinstance(one, Strategy) else load_strategy(one) for one in chosen]
    without = all_restrictions() if restrictions is None else list(restrictions)
    games = -(-study.games // players) * players
    played = study.steps(games * len(whole) * (len(without) + 3))  # the whole game, two for the Face
    rows: list[dict[str, Any]] = []
    gains: list[Interval] = []
    for strategy in whole:
        table = _Table(study, strategy, players, games)
        played(games)
        for restriction in without:
            trial = table.restrict(restriction)
            rows.append(_row(strategy, restriction, trial))
            gains.append(trial.gain)
            played(games)
        bare = table.unface()
        rows.append({"strategy": strategy.name, "kind": "Rule", "name": NO_FACE, "saved": bare.saved})
        rows += [{"strategy": strategy.name, "kind": SEAT, "name": name} for name in SEATS[:players]]
        gains += [bare.gain, *(table.seat(number) for number in range(players))]
        played(2 * games)
    frame, confidence = _with_intervals(pd.DataFrame(rows), gains)
    frame["games"] = games
    said = (
        f"{games:,} games of {players} players for each, seats rotated, against the same games played whole"
    )
    return RuleReport(
        strategies=tuple(strategy.name for strategy in whole),
        players=players,
        origin=Origin(study.cards.name, study.seed, said),
        effects=frame,
        confidence=confidence,
    )


def _row(strategy: Strategy, restriction: Restriction, trial: _Trial) -> dict[str, Any]:
    return {
        "strategy": strategy.name,
        "kind": restriction.kind,
        "name": restriction.name,
        "location": restriction.location,
        "visits": trial.usage[0],
        "visits_whole": trial.usage[1],
        "saved": trial.saved,
    }


def _with_intervals(frame: pd.DataFrame, gains: Sequence[Interval]) -> tuple[pd.DataFrame, float]:
    """Add effects with their intervals, p-values and what is resolved; the confidence that decides, too."""
    import pandas as pd

    effects = [gain(0.95) for gain in gains]
    ends = [(effect.estimate, effect.low, effect.high) for effect in effects]
    found = pd.DataFrame(ends, columns=["effect", "effect_low", "effect_high"])
    found["p"] = [p_value_within(gain, 0.0) for gain in gains]
    settle(found)
    confidence = deciding_confidence(found["resolved"].tolist())
    deciding = [gain(confidence) for gain in gains]
    found["deciding_low"] = [effect.low for effect in deciding]
    found["deciding_high"] = [effect.high for effect in deciding]
    return pd.concat([frame, found], axis=1), confidence


class _Table:
    """A table of players who play alike, one of whom goes without something."""

    def __init__(self, study: Study, strategy: Strategy, players: int, games: int) -> None:
        self._study, self._strategy, self._players, self._games = study, strategy, players, games
        base = self._play(self._batch([strategy]), games)
        self._seats = base["winner"].astype(np.int64)
        self._base_rate = float((self._seats >= 0).mean()) / players
        if self._base_rate == 0:
            raise SprawlsimError(
                f"{strategy.name} won none of {games} games against itself before the round limit"
            )

    def _batch(self, strategies: Sequence[Strategy], seed: int = 0) -> Batch:
        study = self._study
        return Batch(strategies, players=self._players, seed=study.seed + seed, cards=study.cards)

    def _play(self, batch: Batch, games: int) -> npt.NDArray[Any]:
        return batch.rows(0, games, self._study.threads)

    def restrict(self, restriction: Restriction) -> _Trial:
        """Let one player go without something, in every seat in turn."""
        rows = self._play(self._batch([restrict(self._strategy, restriction), *self._others()]), self._games)
        restricted = rows["entrant"][:, : self._players] == 0
        seat = restricted.argmax(axis=1)
        wins, base_wins = rows["winner"] == seat, self._seats == seat
        usage = (float("nan"),) * 2
        if restriction.location is not None:
            visits = rows["visits"][:, : self._players, LOCATIONS.index(restriction.location)]
            rounds = int(rows["rounds"].sum())
            own, others = int(visits[restricted].sum()), int(visits[~restricted].sum())
            usage = (own / rounds, others / rounds / (self._players - 1))
        return self._trial(wins, base_wins, self._base_rate, usage)

    def _others(self) -> list[Strategy]:
        return [self._strategy] * (self._players - 1)

    @staticmethod
    def _trial(
        wins: npt.NDArray[np.bool_],
        base_wins: npt.NDArray[np.bool_],
        base_rate: float,
        usage: tuple[float, float] = (float("nan"), float("nan")),
    ) -> _Trial:
        won, base_won, both = (int(part.sum()) for part in (wins, base_wins, wins & base_wins))
        return _Trial(len(wins), won, base_won, both, base_rate, usage)

    def unface(self) -> _Trial:
        """Take the role, and with it all bonuses, from one starting Face; each seat in games of its own."""
        games = self._games // self._players
        parts = []
        for seat in range(self._players):
            base, bare = (self._batch([self._strategy], 1 + seat) for _ in range(2))
            bare.cards.runner_roles[seat * STARTERS + FACE_OF_SET] &= ~(1 << FACE)
            whole = self._play(base, games)["winner"]
            parts.append((self._play(bare, games)["winner"] == seat, whole == seat, whole >= 0))
        wins, base_wins, won = (np.concatenate(part) for part in zip(*parts, strict=True))
        return self._trial(wins, base_wins, float(won.mean()) / self._players)

    def seat(self, number: int) -> Callable[[float], Estimate]:
        """Give what a seat (0 begins) wins above an even share, as an interval at any confidence."""
        won = self._seats[self._seats >= 0]
        wins, even = int((won == number).sum()), 1 / self._players

        def gain(confidence: float) -> Estimate:
            share = wilson(wins, len(won), confidence)
            return Estimate(share.estimate - even, share.low - even, share.high - even)

        return gain


def restrict(strategy: Strategy, restriction: Restriction) -> Strategy:
    """Let a strategy go without something.

    Raises
    ------
    SprawlsimError
        If the restriction changes a weight that does not exist.
    """
    unknown = [key for key in restriction.weights if key not in WEIGHT_KEYS]
    if unknown:
        raise SprawlsimError(f"restriction {restriction.name!r}: {unknown[0]} is not a weight")
    return strategy._replace(
        name=f"{strategy.name} restricted", weights={**strategy.weights, **restriction.weights}
    )
