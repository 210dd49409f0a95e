"""What a Mission attempt comes to: odds with intervals, as an object, a frame, JSON, a picture."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sprawlsim.sprawlops.mission.scenario import Scenario
from sprawlsim.stats.intervals import Estimate
from sprawlsim.stats.text import format_estimate
from sprawlsim.version import __version__

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SCHEMA = 1


class StageOdds(NamedTuple):
    """Odds that a Stage is reached, and that it is cleared, seen from before the Mission."""

    reached: Estimate
    cleared: Estimate


class RunnerOdds(NamedTuple):
    """Odds of a runner's ends other than up; disjoint."""

    name: str
    injured: Estimate
    rescued: Estimate
    dead: Estimate


class Label(NamedTuple):
    """How to name an answer: what was attempted, by whom, from which cards, and what to know about it."""

    title: str = "scenario"
    team: str = ""
    card_set: str | None = None
    notes: tuple[str, ...] = ()


class Beside(NamedTuple):
    """What another policy would reach on the same scenario."""

    policy: str
    engine: str
    completed: Estimate
    objective_value: Estimate


class Row(NamedTuple):
    """One figure of the odds as a row: a group, what it is about, what it says, and its estimate."""

    group: str
    item: str
    measure: str
    value: Estimate
    is_probability: bool


@dataclass(frozen=True)
class Odds:
    """Odds of one Mission attempt under one policy.

    Probabilities are in 0..1, nuyen in K nuyen, Loot in cards. Estimates carry their intervals: none where
    they are exact; 95% Wilson intervals for a fixed number of attempts, confidence sequences where a
    precision was asked for.

    Attributes
    ----------
    title, team : str
        What was attempted, and by whom.
    scenario : Scenario
        Everything the figures depend on, beside policy, attempts and seed.
    engine : {"exact", "montecarlo"}
        How the figures were found.
    policy : str
        Who took the decisions: best play, or a rule of thumb.
    attempts, seed : int or None
        Attempts played, and the seed of their dice; None where the figures are exact.
    card_set : str or None
        Name of the card set; None for a scenario file.
    objective_value : Estimate
        Expected value of the scenario's objective.
    completed : Estimate
        Odds of completing the Mission.
    nuyen, loot : Estimate
        Expected K nuyen and Loot cards won.
    stages : tuple of StageOdds
    runners : tuple of RunnerOdds
    injured_count, dead_count : tuple of Estimate
        Odds that 0, 1, 2... runners end injured (rescued ones included), or dead.
    beside : tuple of Beside
        What the rules of thumb would reach, beside best play.
    why : str
        Why this engine answered.
    notes : tuple of str
        What a reader must know, such as that card numbers are stand-ins.
    """

    title: str
    team: str
    scenario: Scenario
    engine: str
    policy: str
    attempts: int | None
    seed: int | None
    card_set: str | None
    objective_value: Estimate
    completed: Estimate
    nuyen: Estimate
    loot: Estimate
    stages: tuple[StageOdds, ...]
    runners: tuple[RunnerOdds, ...]
    injured_count: tuple[Estimate, ...]
    dead_count: tuple[Estimate, ...]
    beside: tuple[Beside, ...] = ()
    why: str = ""
    notes: tuple[str, ...] = ()
    version: str = __version__

    def to_dict(self) -> dict[str, Any]:
        """Give the odds as plain data, the same as ``--format json`` prints."""
        return {
            "schema": SCHEMA,
            "engine": self.engine,
            "policy": self.policy,
            "attempts": self.attempts,
            "seed": self.seed,
            "card_set": self.card_set,
            "version": self.version,
            "objective_value": self.objective_value.to_dict(),
            "completed": self.completed.to_dict(),
            "nuyen": self.nuyen.to_dict(),
            "loot": self.loot.to_dict(),
            "stages": [
                {"reached": stage.reached.to_dict(), "cleared": stage.cleared.to_dict()}
                for stage in self.stages
            ],
            "runners": [
                {
                    "name": runner.name,
                    "injured": runner.injured.to_dict(),
                    "rescued": runner.rescued.to_dict(),
                    "dead": runner.dead.to_dict(),
                }
                for runner in self.runners
            ],
            "injured_count": [estimate.to_dict() for estimate in self.injured_count],
            "dead_count": [estimate.to_dict() for estimate in self.dead_count],
            "rules_of_thumb": [
                {
                    "policy": other.policy,
                    "engine": other.engine,
                    "completed": other.completed.to_dict(),
                    "objective_value": other.objective_value.to_dict(),
                }
                for other in self.beside
            ],
        }

    def figures(self) -> Iterator[Row]:
        """Go through all figures, in the order of the table."""
        yield Row("mission", self.title, "completed", self.completed, True)
        for i, stage in enumerate(self.stages, 1):
            yield Row("stage", f"Stage {i}", "reached", stage.reached, True)
            yield Row("stage", f"Stage {i}", "cleared", stage.cleared, True)
        for runner in self.runners:
            yield Row("runner", runner.name, "injured", runner.injured, True)
            yield Row("runner", runner.name, "rescued", runner.rescued, True)
            yield Row("runner", runner.name, "dead", runner.dead, True)
        for measure, counts in (("injured", self.injured_count), ("dead", self.dead_count)):
            for count, estimate in enumerate(counts):
                yield Row("count", f"{count} {measure}", measure, estimate, True)
        yield Row("reward", "nuyen", "nuyen", self.nuyen, False)
        yield Row("reward", "Loot", "loot", self.loot, False)
        yield Row("objective", "objective", "value", self.objective_value, False)
        for other in self.beside:
            yield Row("rule of thumb", other.policy, "completed", other.completed, True)
            yield Row("rule of thumb", other.policy, "value", other.objective_value, False)

    def frame(self) -> pd.DataFrame:
        """Give all figures as a frame: ``group, item, measure, estimate, low, high``, a row each."""
        import pandas as pd

        rows = [
            (row.group, row.item, row.measure, row.value.estimate, row.value.low, row.value.high)
            for row in self.figures()
        ]
        return pd.DataFrame(rows, columns=["group", "item", "measure", "estimate", "low", "high"])

    def plot(self) -> Figure:
        """Draw Stages cleared and injuries side by side."""
        from sprawlsim.sprawlops.mission.picture import draw_odds

        return draw_odds(self)

    def _repr_html_(self) -> str:
        """Show the odds as a table in Jupyter."""
        head = f"<caption>{html.escape(headline(self))}</caption>"
        head += "<tr><th>what</th><th>figure</th><th>odds or mean</th><th>interval</th></tr>"
        rows = "".join(
            f"<tr><td>{html.escape(row.item)}</td><td>{row.measure}</td><td>{value}</td><td>{interval}</td></tr>"
            for row in self.figures()
            for value, interval in [format_estimate(row.value, row.is_probability)]
        )
        notes = "".join(f"<p><small>{html.escape(note)}</small></p>" for note in self.notes)
        return f"<table>{head}{rows}</table>{notes}"

    def __str__(self) -> str:
        return headline(self)


def headline(odds: Odds) -> str:
    """Say the answer in one line."""
    value, interval = format_estimate(odds.completed, True)
    how = "best play" if odds.policy == "best" else f"playing {odds.policy}"
    precision = "exact" if odds.engine == "exact" else interval
    return f"{odds.title}: {value} to complete ({precision}), {how}"
