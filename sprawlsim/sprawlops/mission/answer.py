"""From what was counted, or computed, to odds: an answer in the making."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sprawlsim.sprawlops.mission.aims import CHANCES
from sprawlsim.sprawlops.mission.arrays import DEAD, INJURED, RESCUED, Record
from sprawlsim.sprawlops.mission.counts import AMOUNTS, COMPLETED, LOOT, NUYEN
from sprawlsim.sprawlops.mission.odds import Beside, Label, Odds, RunnerOdds, StageOdds
from sprawlsim.sprawlops.mission.scenario import Scenario
from sprawlsim.stats.intervals import (
    Estimate,
    mean_interval,
    mean_sequence,
    proportion_sequence,
    wilson,
)

Floats = npt.NDArray[np.float64]


def weights_of(scenario: Scenario) -> list[float]:
    """Give the objective's weights in the order of the counted amounts."""
    weights = scenario.objective
    return [
        weights.completion,
        weights.nuyen,
        weights.loot,
        weights.injury,
        weights.death,
        weights.payout,
        weights.safe,
    ]


@dataclass(frozen=True)
class Answer:
    """What a policy comes to: a record of counts or figures, and how to make estimates of it.

    Attributes
    ----------
    policy : str
    engine : {"exact", "montecarlo"}
    record : Record
        Of `counts.COUNTS` or `counts.FIGURES`.
    odds_of, mean_of : callable
        Make an estimate of one of its numbers, and of a mean by its weights on the amounts.
    attempts, seed : int or None
    why : str
        Why this engine answers.
    """

    policy: str
    engine: str
    record: Record
    odds_of: Callable[[Any], Estimate]
    mean_of: Callable[[Floats], Estimate]
    attempts: int | None
    seed: int | None
    why: str

    def objective_value(self, scenario: Scenario) -> Estimate:
        """Estimate the objective."""
        if scenario.objective in CHANCES:
            return self.odds_of(self.record.sums[CHANCES[scenario.objective]])
        return self.mean_of(np.array(weights_of(scenario)))

    def beside(self, scenario: Scenario) -> Beside:
        """Give the answer in short."""
        completed = self.odds_of(self.record.sums[COMPLETED])
        return Beside(self.policy, self.engine, completed, self.objective_value(scenario))

    def odds(self, scenario: Scenario, label: Label, beside: tuple[Beside, ...] = ()) -> Odds:
        """Give the answer in full."""
        record, odds_of = self.record, self.odds_of
        runners = len(scenario.runners)
        return Odds(
            title=label.title,
            team=label.team,
            scenario=scenario,
            engine=self.engine,
            policy=self.policy,
            attempts=self.attempts,
            seed=self.seed,
            card_set=label.card_set,
            objective_value=self.objective_value(scenario),
            completed=odds_of(record.sums[COMPLETED]),
            nuyen=self._amount_of(NUYEN),
            loot=self._amount_of(LOOT),
            stages=tuple(
                StageOdds(odds_of(record.reached[i]), odds_of(record.cleared[i]))
                for i in range(len(scenario.stages))
            ),
            runners=tuple(
                RunnerOdds(name, *(odds_of(record.condition[r, end]) for end in (INJURED, RESCUED, DEAD)))
                for r, name in enumerate(scenario.runner_names)
            ),
            injured_count=tuple(odds_of(record.injured_count[k]) for k in range(runners + 1)),
            dead_count=tuple(odds_of(record.dead_count[k]) for k in range(runners + 1)),
            beside=beside,
            why=self.why,
            notes=label.notes,
        )

    def _amount_of(self, amount: int) -> Estimate:
        mean = self.mean_of(np.eye(AMOUNTS)[amount])
        return replace(mean, low=max(0.0, mean.low))  # nobody wins less than nothing


def sampled_answer(policy: str, counts: Record, seed: int, peeked: bool, why: str) -> Answer:
    """Make an answer of counted attempts.

    Parameters
    ----------
    peeked : bool
        Whether the number of attempts was chosen while looking at them.
    """
    n = int(counts.attempts)

    def odds_of(count: Any) -> Estimate:
        return proportion_sequence(int(count), n) if peeked else wilson(int(count), n)

    def mean_of(weights: Floats) -> Estimate:
        total = float(weights @ counts.sums)
        squares = float(weights @ counts.products @ weights)
        return mean_sequence(total, squares, n, tuned_for=n) if peeked else mean_interval(total, squares, n)

    return Answer(policy, "montecarlo", counts, odds_of, mean_of, n, seed, why)


def exact_answer(policy: str, figures: Record, why: str) -> Answer:
    """Make an answer of exact figures."""

    def odds_of(chance: Any) -> Estimate:
        return Estimate.exact(min(1.0, max(0.0, float(chance))))  # rounding may pass the ends by 1e-15

    def mean_of(weights: Floats) -> Estimate:
        return Estimate.exact(float(weights @ figures.sums))

    return Answer(policy, "exact", figures, odds_of, mean_of, None, None, why)
