"""What a results folder tells, finished or not: frames of estimates and of paired differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sprawlsim.experiments.cells import Chunk, compared_cells, find_measure
from sprawlsim.experiments.estimates import CellSums, Pairs, is_reported
from sprawlsim.experiments.measure import Figure, Measure
from sprawlsim.experiments.spec import Spec, spec_from_dict
from sprawlsim.experiments.store import MANIFEST, Store, read_manifest
from sprawlsim.stats.intervals import Estimate

if TYPE_CHECKING:
    import pandas as pd

SHARE = "share"
"""Unit of what is counted of all trials: probabilities, 0..1."""
COLUMNS = ("figure", "unit", "less", "trials", "estimate", "low", "high", "p_holm")


@dataclass(frozen=True)
class Results:
    """What is known of an experiment.

    Attributes
    ----------
    spec : Spec
    trials : str
        What was counted: ``"games"``.
    done, of : int
        Trials kept, and planned; the most that could be, where a look decides.
    complete : bool
        Whether the run is finished. Until then, and always where a look decides (``stop.precision``,
        ``stop.until``), intervals are such that hold however often one looks (confidence sequences).
    figures : DataFrame
        A row for each cell and figure: the labels of the grid, then `COLUMNS`: with ``less``, the estimate
        is of the difference to that baseline, and ``p_holm`` its p-value, corrected by Holm over all
        differences. Estimates of unit `SHARE` are in 0..1.
    notes : list of str
    """

    spec: Spec
    trials: str
    done: int
    of: int
    complete: bool
    figures: pd.DataFrame
    notes: list[str]

    @property
    def axes(self) -> list[str]:
        """Keys of the grid."""
        return list(self.spec.grid)


def load_results(folder: Path, measures: Mapping[str, Measure]) -> Results:
    """Read a results folder; it may be growing meanwhile.

    Raises
    ------
    ExperimentError
        If it is none, or a file of it is damaged.
    """
    import pandas as pd

    manifest = read_manifest(folder)
    spec = spec_from_dict(manifest["spec"], str(folder / MANIFEST), folder.name)
    reader = Reader(spec, find_measure(spec, measures), manifest, folder)
    rows = reader.estimates() + reader.differences()
    cells = manifest["cells"]
    notes = dict.fromkeys(note for cell in cells for note in cell["about"].get("notes", ()))
    complete = reader.complete
    return Results(
        spec=spec,
        trials=manifest["trials"],
        done=sum(reader.chunks) * spec.stop.chunk,
        of=sum(cell["count"] for cell in cells) if complete else len(cells) * spec.stop.limit,
        complete=complete,
        figures=pd.DataFrame(rows, columns=[*spec.grid, *COLUMNS]),
        notes=[*([spec.note] if spec.note else []), *notes, *reader.notes],
    )


class Reader:
    """Reads the finished chunks of a folder once, one after the other."""

    def __init__(self, spec: Spec, measure: Measure, manifest: Mapping[str, Any], folder: Path) -> None:
        self.spec, self.measure = spec, measure
        self.cells: list[dict[str, Any]] = manifest["cells"]
        self.store = Store(folder, [cell["folder"] for cell in self.cells])
        self.store.look(mend=False)
        self.chunks = [self.store.first_chunks(number) for number in range(len(self.cells))]
        self.complete = all(
            cell["count"] is not None and chunks * spec.stop.chunk >= cell["count"]
            for cell, chunks in zip(self.cells, self.chunks, strict=True)
        )
        self.peeked = not self.complete or spec.stop.peeks
        self.notes: list[str] = []
        self.sums = [CellSums() for _ in self.cells]
        self.pairs: dict[tuple[int, int], dict[str, Pairs]] = {}
        self._read()

    def _read(self) -> None:
        """Add up everything: each cell beside the baseline that it is compared with, chunk by chunk."""
        labels = [cell["labels"] for cell in self.cells]
        for base, others in compared_cells(self.spec.compare, labels):
            group = [base, *others]
            for other in others:
                self.pairs[other, base] = {}
            for number in range(max(self.chunks[cell] for cell in group)):
                here = {cell: self._figures(cell, number) for cell in group if number < self.chunks[cell]}
                for cell, figures in here.items():
                    self.sums[cell].add(figures)
                for other in others:
                    self._pair(self.pairs[other, base], here.get(other, []), here.get(base, []))

    def _figures(self, cell: int, chunk: int) -> list[Figure]:
        columns = self.store.read(Chunk(cell, chunk))
        figures = self.measure.figures(self.cells[cell]["about"], columns)
        return [figure for figure in figures if is_reported(self.spec, figure.name)]

    @staticmethod
    def _pair(pairs: dict[str, Pairs], figures: list[Figure], base: list[Figure]) -> None:
        by_name = {figure.name: figure for figure in base}
        for figure in figures:
            if figure.name in by_name:
                pairs.setdefault(figure.name, Pairs()).add(figure, by_name[figure.name])

    def estimates(self) -> list[list[Any]]:
        """Give the rows of the cells' figures."""
        rows = []
        for cell, sums in zip(self.cells, self.sums, strict=True):
            for name, one in sums.figures.items():
                estimate = one.estimate(self.peeked, self.spec.stop.limit)
                if estimate is not None:
                    unit = SHARE if one.kind == "proportion" else one.unit
                    rows.append(
                        [*cell["labels"].values(), name, unit, None, one.trials, *_ends(estimate), None]
                    )
        return rows

    def differences(self) -> list[list[Any]]:
        """Give the rows of the differences to the baseline, in the order of the cells."""
        from sprawlsim.stats.multiple import holm

        rows, p_values = [], []
        unpaired: dict[str, None] = {}
        for (number, base), pairs in sorted(self.pairs.items()):
            labels = self.cells[number]["labels"]
            for name, one in pairs.items():
                estimate = one.estimate(self.peeked, self.spec.stop.limit)
                if estimate is None:
                    if not one.alike:
                        unpaired[name] = None
                    continue
                sums = self.sums[number].figures[name]
                unit = SHARE if sums.kind == "proportion" else sums.unit
                assert self.spec.compare is not None
                less = self.cells[base]["labels"][self.spec.compare.vary]
                p_values.append(one.p_value(self.peeked, self.spec.stop.limit))
                rows.append([*labels.values(), name, unit, less, one.rows, *_ends(estimate)])
        if unpaired:
            self.notes.append(
                f"Not compared, for what counts is not the same trials in both cells: {', '.join(unpaired)}."
            )
        adjusted = holm(p_values).tolist() if p_values else []
        return [[*row, p] for row, p in zip(rows, adjusted, strict=True)]


def _ends(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.estimate, estimate.low, estimate.high
