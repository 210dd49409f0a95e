"""Looking at a running experiment: which cells have enough, for a precision or for a sign that is wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil, inf
from typing import NamedTuple

from sprawlsim.experiments.cells import Cell, Chunk, find_baselines
from sprawlsim.experiments.estimates import Pairs, Sums, is_reported, stop_figure
from sprawlsim.experiments.measure import Columns, Figure, Measure
from sprawlsim.experiments.spec import ExperimentError, Spec
from sprawlsim.stats.stopping import is_decided, is_precise


class Look(NamedTuple):
    """What a look at a cell showed.

    Attributes
    ----------
    is_enough : bool
    excess : float
        How many times as wide as it may be the interval is; infinite where nothing is known yet.
    """

    is_enough: bool
    excess: float


@dataclass
class Seen:
    """What was added up of a cell, or of it and its baseline, over its first chunks."""

    sums: Sums | Pairs
    chunks: int = 0


@dataclass
class Looker:
    """Looks at the first chunks of cells, and remembers what it saw.

    Where a cell stops is a function of the spec and the rows alone: at the first of the looks that `looks_at`
    names at which it has enough.

    Attributes
    ----------
    spec, measure, cells
    read : callable
        Gives the rows of a chunk.
    baselines : dict of int to int
        Of each cell that is compared until it is resolved: its baseline. Else empty.
    """

    spec: Spec
    measure: Measure
    cells: Sequence[Cell]
    read: Callable[[Chunk], Columns]
    baselines: dict[int, int] = field(init=False)
    _looks: dict[int, dict[int, Look]] = field(init=False, default_factory=dict)
    _seen: dict[int, Seen] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.baselines = find_baselines(self.spec, self.cells)
        self._error_rate = error_rate(self.spec, self.measure, self.cells) if self.baselines else 0.0

    def is_enough(self, cell: int, chunks: int) -> bool:
        """Say whether the first chunks of a cell are enough; its looks come in order."""
        if not self.spec.stop.peeks:
            return False
        looks = self._looks.setdefault(cell, {})
        if chunks not in looks:
            looks[chunks] = self._look(cell, chunks)
        return looks[chunks].is_enough

    def expected(self, wanted: Sequence[Chunk]) -> int:
        """Guess how many chunks there will be in the end: widths shrink with the root of their number."""
        if not self.spec.stop.peeks:
            return len(wanted)
        planned = [0] * len(self.cells)
        for chunk in wanted:
            planned[chunk.cell] += 1
        expected = list(planned)
        for cell, looks in self._looks.items():
            chunks, look = max(looks.items())
            needed = ceil(min(chunks * look.excess**2, self.spec.stop.limit // self.spec.stop.chunk))
            for one in (cell, self.baselines.get(cell, cell)):
                expected[one] = max(expected[one], needed)
        return sum(expected)

    def _look(self, cell: int, chunks: int) -> Look:
        base = self.baselines.get(cell)
        if cell not in self._seen:
            figure = self._figure(cell, 0)
            self._seen[cell] = Seen(Sums(figure.kind, figure.unit) if base is None else Pairs())
        seen = self._seen[cell]
        for number in range(seen.chunks, chunks):
            if isinstance(seen.sums, Sums):
                seen.sums.add(self._figure(cell, number))
            else:
                assert base is not None
                seen.sums.add(self._figure(cell, number), self._figure(base, number))
        seen.chunks = chunks
        return self._width(seen.sums) if isinstance(seen.sums, Sums) else self._sign(seen.sums, cell)

    def _width(self, sums: Sums) -> Look:
        """Set the width of an interval against the precision that is wanted."""
        assert self.spec.stop.precision is not None
        estimate = sums.estimate(True, self.spec.stop.limit) if sums.tells else None
        if estimate is None:
            return Look(False, inf)
        wanted = self.spec.stop.precision
        return Look(is_precise(estimate, wanted), estimate.half_width / wanted)

    def _sign(self, pairs: Pairs, cell: int) -> Look:
        """Set the width of the interval of a difference against its distance from 0."""
        if not pairs.alike:
            raise ExperimentError(
                f"{self.cells[cell].words}: {self._figure_name(cell)} has not the same trials as in the "
                "baseline, and cannot be compared in pairs; name another stop.figure"
            )
        if not pairs.tells:
            return Look(False, inf)
        difference = pairs.interval(True, self.spec.stop.limit, 1 - self._error_rate)
        end = difference.low if difference.estimate > 0 else difference.high
        away = abs(difference.estimate)
        return Look(is_decided(difference), abs(difference.estimate - end) / away if away else inf)

    def _figure(self, cell: int, number: int) -> Figure:
        figures = self.measure.figures(self.cells[cell].about, self.read(Chunk(cell, number)))
        return next(one for one in figures if one.name == self._figure_name(cell))

    def _figure_name(self, cell: int) -> str:
        return stop_figure(self.spec, self.measure.figure_names(self.cells[cell].about))


def error_rate(spec: Spec, measure: Measure, cells: Sequence[Cell]) -> float:
    """Share the error rate of all claims among the differences that will be shown (Bonferroni).

    So whatever stops because it is resolved is claimed, too, when the p-values are corrected over all
    differences: Holm's correction is never stricter.
    """
    from sprawlsim.stats.multiple import LEVEL

    names = [{name for name in measure.figure_names(cell.about) if is_reported(spec, name)} for cell in cells]
    return LEVEL / sum(len(names[cell] & names[base]) for cell, base in find_baselines(spec, cells).items())
