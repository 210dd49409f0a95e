"""From rows to estimates: sums that chunks add to, and the intervals that may be read off them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np

from sprawlsim.errors import did_you_mean
from sprawlsim.experiments.cells import Cell, find_baselines
from sprawlsim.experiments.measure import Figure, Kind, Measure
from sprawlsim.experiments.spec import ExperimentError, Spec
from sprawlsim.stats.intervals import (
    Estimate,
    mean_interval,
    mean_sequence,
    proportion_sequence,
    wilson,
)

LEAST_OF_A_MEAN = 1_000
"""Trials before a mean may stop a run or be claimed: its sequence promises something only of many."""
LEAST_DIFFERING = 100
"""Pairs that differ before a mean difference may be claimed: of a few that are skewed, one rare large
difference more could turn the sign."""
FINEST_P = 1e-12

Number = int | float


@dataclass
class Sums:
    """What the rows of a cell add up to for one figure.

    Attributes
    ----------
    kind, unit
        Of the `Figure`.
    total, squares : int or float
    trials : int
    """

    kind: Kind
    unit: str
    total: Number = 0
    squares: Number = 0
    trials: int = 0

    def add(self, figure: Figure) -> None:
        """Add the rows of a chunk."""
        self.total += figure.totals.sum().item()
        self.squares += figure.squares.sum().item()
        self.trials += int(figure.trials.sum())

    @property
    def tells(self) -> bool:
        """Whether an interval under peeking keeps its promise by now; a mean's does when trials are many."""
        return self.kind == "proportion" or (
            self.trials >= LEAST_OF_A_MEAN and not _all_equal(self.total, self.squares, self.trials)
        )

    def estimate(self, peeked: bool, planned: int) -> Estimate | None:
        """Estimate the figure; None where nothing was seen of it.

        Parameters
        ----------
        peeked : bool
            Whether somebody looks while the experiment runs, or it stops by what it saw.
        planned : int
            Trials planned beforehand.
        """
        if self.trials == 0:
            return None
        if self.kind == "proportion":
            return (proportion_sequence if peeked else wilson)(int(self.total), self.trials)
        if peeked:
            return mean_sequence(self.total, self.squares, self.trials, tuned_for=planned)
        return mean_interval(self.total, self.squares, self.trials)


@dataclass
class Pairs:
    """What the rows of two cells add up to, row against row of the same number.

    Attributes
    ----------
    rows, trials : int
        Rows in which both have trials, and the trials of one of them.
    differing : int
        Rows in which they differ.
    per_row : int
        Trials of the first row.
    alike : bool
        Whether the two had the same numbers of trials in every row; else they are no pairs.
    binary : bool
        Whether every row is one trial that counts 0 or 1.
    both, first_only, second_only : int
        Rows by who counted 1, where binary.
    total, squares : int or float
        Of the differences per trial, first less second.
    """

    rows: int = 0
    trials: int = 0
    differing: int = 0
    per_row: int = 0
    alike: bool = True
    binary: bool = True
    both: int = 0
    first_only: int = 0
    second_only: int = 0
    total: Number = 0
    squares: Number = 0

    def add(self, first: Figure, second: Figure) -> None:
        """Add the rows of a chunk."""
        self.alike = self.alike and bool(np.array_equal(first.trials, second.trials))
        if not self.alike:
            return
        seen = first.trials > 0
        trials = first.trials[seen]
        one, other = first.totals[seen], second.totals[seen]
        single = trials.size == 0 or int(trials.max()) == 1
        self.binary = self.binary and first.kind == "proportion" and single
        self.rows += trials.size
        self.trials += int(trials.sum())
        self.per_row = self.per_row or int(trials[0]) if trials.size else self.per_row
        if self.binary:
            self.both += int(np.sum((one == 1) & (other == 1)))
            self.first_only += int(np.sum((one == 1) & (other == 0)))
            self.second_only += int(np.sum((one == 0) & (other == 1)))
        difference = one - other if single else (one - other) / trials
        self.differing += int(np.count_nonzero(difference))
        self.total += difference.sum().item()
        self.squares += (difference * difference).sum().item()

    @property
    def tells(self) -> bool:
        """Whether an interval under peeking keeps its promise by now; a mean's does when pairs are many."""
        if self.binary:
            return self.rows > 0
        return (
            self.trials >= LEAST_OF_A_MEAN
            and self.differing >= LEAST_DIFFERING
            and not _all_equal(self.total, self.squares, self.rows)
        )

    def estimate(self, peeked: bool, planned: int) -> Estimate | None:
        """Estimate the difference; None where there are no pairs. The parameters are those of `Sums`."""
        if not self.alike or self.rows == 0:
            return None
        return self.interval(peeked, planned, 0.95)

    def p_value(self, peeked: bool, planned: int) -> float:
        """Test that there is no difference.

        Of a fixed number of games: McNemar's exact test where a row counts 0 or 1, else Student's. Else the
        smallest error rate at which the interval leaves out 0, which may be looked at whenever one likes; 1
        as long as there are too few pairs for that.
        """
        from sprawlsim.stats.paired import difference_p_value, mcnemar

        if peeked:
            if not self.tells:
                return 1.0
            return _by_inversion(lambda confidence: self.interval(peeked, planned, confidence))
        if self.binary:
            return mcnemar(self.first_only, self.second_only)
        return difference_p_value(self.total, self.squares, self.rows)

    def interval(self, peeked: bool, planned: int, confidence: float) -> Estimate:
        """Give the interval of the difference at a confidence."""
        from sprawlsim.stats.paired import paired_difference, paired_proportions, paired_sequence

        if self.binary:
            if peeked:
                return paired_sequence(self.first_only, self.second_only, self.rows, confidence)
            neither = self.rows - self.both - self.first_only - self.second_only
            return paired_proportions(self.both, self.first_only, self.second_only, neither, confidence)
        if peeked:
            rows = max(1, planned // self.per_row)
            return mean_sequence(self.total, self.squares, self.rows, confidence, tuned_for=rows)
        return paired_difference(self.total, self.squares, self.rows, confidence)


def _by_inversion(interval_of: Callable[[float], Estimate]) -> float:
    """Find the smallest error rate at which an interval leaves out 0, by bisection of its logarithm."""

    def leaves_out(rate: float) -> bool:
        interval = interval_of(1 - rate)
        return not interval.low <= 0 <= interval.high

    low, high = np.log(FINEST_P), 0.0
    if leaves_out(FINEST_P):
        return FINEST_P
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if leaves_out(float(np.exp(middle))) else (middle, high)
    return float(np.exp(high))


def _all_equal(total: Number, squares: Number, n: int) -> bool:
    """Say whether observations are all equal: then nothing is known of their spread."""
    return total**2 == squares * n


@dataclass
class CellSums:
    """The figures of a cell, in their order."""

    figures: dict[str, Sums] = field(default_factory=dict)

    def add(self, figures: Sequence[Figure]) -> None:
        """Add a chunk."""
        for figure in figures:
            self.figures.setdefault(figure.name, Sums(figure.kind, figure.unit)).add(figure)


def is_reported(spec: Spec, figure: str) -> bool:
    """Say whether a spec reports a figure."""
    return not spec.figures or any(fnmatchcase(figure, pattern) for pattern in spec.figures)


def reported_order(spec: Spec, figures: Sequence[str]) -> list[str]:
    """Put figures in the order in which a spec names them."""

    def place(figure: str) -> int:
        return next((i for i, pattern in enumerate(spec.figures) if fnmatchcase(figure, pattern)), 0)

    return sorted(figures, key=place)


def check_figures(spec: Spec, measure: Measure, cells: Sequence[Cell]) -> None:
    """Refuse figures that no cell has, and a stop by one that some cell lacks.

    Raises
    ------
    ExperimentError
    """
    by_cell = [measure.figure_names(cell.about) for cell in cells]
    names = list(dict.fromkeys(name for found in by_cell for name in found))
    for pattern in spec.figures:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ExperimentError(
                f"{spec.name}: figures has {pattern!r}, which is not a figure here; there are "
                f"{', '.join(names)}{did_you_mean(pattern, names)}"
            )
    for cell, found in zip(cells, by_cell, strict=True):
        if spec.stop.figure is not None and spec.stop.figure not in found:
            raise ExperimentError(
                f"{spec.name}, {cell.words}: stop.figure = {spec.stop.figure!r} is not a figure here; there "
                f"are {', '.join(found)}{did_you_mean(spec.stop.figure, found)}"
            )
    for other, base in find_baselines(spec, cells).items():
        figure, beside = (stop_figure(spec, by_cell[number]) for number in (other, base))
        if figure != beside:
            raise ExperimentError(
                f"{spec.name}, {cells[other].words}: the first figure is {figure!r}, of the baseline "
                f"{beside!r}; name stop.figure, which is to be resolved"
            )
        if not is_reported(spec, figure):
            raise ExperimentError(
                f"{spec.name}: stop.figure = {figure!r}, which is to be resolved, is not among the figures "
                "that are reported"
            )


def stop_figure(spec: Spec, names: Sequence[str]) -> str:
    """Name the figure that decides where a cell stops that has figures of these names."""
    if spec.stop.figure is not None:
        return spec.stop.figure
    reported = [name for name in names if spec.stop.until is None or is_reported(spec, name)]
    return reported[0] if reported else names[0]
