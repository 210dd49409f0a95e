"""From rows to estimates: sums that chunks add to, and the intervals that may be read off them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from math import inf

import numpy as np

from sprawlsim.errors import did_you_mean
from sprawlsim.experiments.cells import Cell
from sprawlsim.experiments.measure import Columns, Figure, Kind, Measure
from sprawlsim.experiments.spec import ExperimentError, Spec
from sprawlsim.stats.intervals import (
    Estimate,
    mean_interval,
    mean_sequence,
    proportion_sequence,
    wilson,
)

LEAST_OF_A_MEAN = 1_000
"""Trials before a mean may stop a run: its sequence promises something only when they are many."""
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
    rows : int
        Rows in which both have trials.
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
        self.rows += int(seen.sum())
        if self.binary:
            self.both += int(np.sum((one == 1) & (other == 1)))
            self.first_only += int(np.sum((one == 1) & (other == 0)))
            self.second_only += int(np.sum((one == 0) & (other == 1)))
        difference = one - other if single else (one - other) / trials
        self.total += difference.sum().item()
        self.squares += (difference * difference).sum().item()

    def estimate(self, peeked: bool, planned: int) -> Estimate | None:
        """Estimate the difference; None where there are no pairs. The parameters are those of `Sums`."""
        if not self.alike or self.rows == 0:
            return None
        return self._interval(peeked, planned, 0.95)

    def p_value(self, peeked: bool, planned: int) -> float:
        """Test that there is no difference.

        Of a fixed number of games: McNemar's exact test where a row counts 0 or 1, else Student's. Else the
        largest error rate at which the interval leaves out 0, which may be looked at whenever one likes.
        """
        from sprawlsim.stats.paired import difference_p_value, mcnemar

        if peeked:
            return _by_inversion(lambda confidence: self._interval(peeked, planned, confidence))
        if self.binary:
            return mcnemar(self.first_only, self.second_only)
        return difference_p_value(self.total, self.squares, self.rows)

    def _interval(self, peeked: bool, planned: int, confidence: float) -> Estimate:
        from sprawlsim.stats.paired import paired_difference, paired_proportions, paired_sequence

        if self.binary:
            if peeked:
                return paired_sequence(self.first_only, self.second_only, self.rows, confidence)
            neither = self.rows - self.both - self.first_only - self.second_only
            return paired_proportions(self.both, self.first_only, self.second_only, neither, confidence)
        if peeked:
            return mean_sequence(self.total, self.squares, self.rows, confidence, tuned_for=planned)
        return paired_difference(self.total, self.squares, self.rows, confidence)


def _by_inversion(interval_of: Callable[[float], Estimate]) -> float:
    """Find the largest error rate at which an interval leaves out 0, by bisection of its logarithm."""

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
    if spec.stop.figure is None:
        return
    for cell, found in zip(cells, by_cell, strict=True):
        if spec.stop.figure not in found:
            raise ExperimentError(
                f"{spec.name}, {cell.words}: stop.figure = {spec.stop.figure!r} is not a figure here; there "
                f"are {', '.join(found)}{did_you_mean(spec.stop.figure, found)}"
            )


def half_width(spec: Spec, measure: Measure, cell: Cell, columns: Columns) -> float:
    """Give how precisely a cell knows the figure of ``[stop]``, under peeking; infinite if not yet."""
    figures = measure.figures(cell.about, columns)
    figure = next(one for one in figures if spec.stop.figure in {None, one.name})
    sums = Sums(figure.kind, figure.unit)
    sums.add(figure)
    all_equal = sums.total**2 == sums.squares * sums.trials
    if figure.kind == "mean" and (sums.trials < LEAST_OF_A_MEAN or all_equal):
        return inf  # few trials, or all equal: nothing is known of their spread
    estimate = sums.estimate(True, spec.stop.limit)
    return inf if estimate is None else estimate.half_width
