"""Cells and chunks: the work of an experiment, cut so that every part is known beforehand."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from sprawlsim.errors import SprawlsimError, did_you_mean
from sprawlsim.experiments.measure import About, Measure
from sprawlsim.experiments.spec import Compare, ExperimentError, Spec, axis_values
from sprawlsim.stats.stopping import looks

LONGEST_SLUG = 60


@dataclass(frozen=True)
class Cell:
    """One combination of the grid.

    Attributes
    ----------
    number : int
    labels : dict of str to str
        The label of each key of the grid.
    seed : int
    prepared : object
        What the measure made of the settings.
    about : dict
        What the measure says about it.
    """

    number: int
    labels: dict[str, str]
    seed: int
    prepared: Any
    about: About

    @property
    def folder(self) -> str:
        """Name of the cell's folder: its number, and its labels as far as a file system likes them."""
        return cell_folder(self.number, self.labels)

    @property
    def words(self) -> str:
        """Name of the cell in a message."""
        return ", ".join(f"{key} {label}" for key, label in self.labels.items()) or "the only cell"


@dataclass(frozen=True, order=True)
class Chunk:
    """Trials that are played and kept together."""

    cell: int
    number: int


def cell_folder(number: int, labels: Mapping[str, str]) -> str:
    """Name the folder of a cell."""
    slug = re.sub(r"[^a-z0-9]+", "-", " ".join(labels.values()).lower())[:LONGEST_SLUG].strip("-")
    return f"{number:04d}-{slug}" if slug else f"{number:04d}"


def find_measure(spec: Spec, measures: Mapping[str, Measure]) -> Measure:
    """Find the measure of a spec.

    Raises
    ------
    ExperimentError
        If there is none of this name.
    """
    if spec.measure not in measures:
        raise ExperimentError(
            f"{spec.name}: measure = {spec.measure!r} is not known; there are {', '.join(measures)}"
            f"{did_you_mean(spec.measure, measures)}"
        )
    return measures[spec.measure]


def make_cells(spec: Spec, measure: Measure, folder: Path) -> list[Cell]:
    """Make the cells of a spec: the product of the grid, the last key turning fastest.

    Parameters
    ----------
    folder : Path
        Where paths in settings begin.

    Raises
    ------
    SprawlsimError
        If a cell's settings make no sense: the message names the cell.
    """
    for key in (*spec.common, *spec.grid):
        if key not in measure.settings and key != "seed":
            allowed = (*measure.settings, "seed")
            raise ExperimentError(
                f"{spec.name}: {key} is not a setting of the measure {measure.name}; there are "
                f"{', '.join(allowed)}{did_you_mean(key, allowed)}"
            )
    if spec.stop.chunk % measure.multiple_of:
        raise ExperimentError(
            f"{spec.name}: stop.chunk = {spec.stop.chunk} is not a multiple of {measure.multiple_of}, as "
            f"{measure.name} has it"
        )
    axes = {key: axis_values(key, axis, spec.name) for key, axis in spec.grid.items()}
    cells = []
    for number, chosen in enumerate(product(*(axis.items() for axis in axes.values()))):
        labels = {key: label for key, (label, _) in zip(axes, chosen, strict=True)}
        settings = spec.common | {key: value for key, (_, value) in zip(axes, chosen, strict=True)}
        seed = settings.pop("seed", spec.seed)
        try:
            prepared = measure.prepare(settings, folder)
        except SprawlsimError as error:
            words = Cell(number, labels, seed, None, {}).words
            raise ExperimentError(f"{spec.name}, {words}: {error}") from error
        cells.append(Cell(number, labels, seed, prepared, measure.about(prepared)))
    return cells


def compared_cells(
    compare: Compare | None, labels: Sequence[Mapping[str, str]]
) -> list[tuple[int, list[int]]]:
    """List the cells that stand beside each other: each baseline with those compared with it.

    Parameters
    ----------
    compare : Compare, optional
        Without it every cell stands alone.
    labels : sequence of mappings
        Of each cell.
    """
    if compare is None:
        return [(number, []) for number in range(len(labels))]
    bases: dict[tuple[str, ...], int] = {}
    others: dict[tuple[str, ...], list[int]] = {}
    for number, cell in enumerate(labels):
        same = tuple(label for key, label in cell.items() if key != compare.vary)
        if cell[compare.vary] == str(compare.baseline):
            bases[same] = number
        else:
            others.setdefault(same, []).append(number)
    return [(base, others.get(same, [])) for same, base in bases.items()]


def find_baselines(spec: Spec, cells: Sequence[Cell]) -> dict[int, int]:
    """Give the baseline of each cell that is played until it differs from it; of no other cell."""
    if spec.stop.until is None:
        return {}
    groups = compared_cells(spec.compare, [cell.labels for cell in cells])
    return {other: base for base, others in groups for other in others}


def looks_at(spec: Spec) -> list[int]:
    """List how many chunks of a cell are there at each look; the last is all of them.

    A fixed number of trials is looked at once. Else where a cell stops depends on the rows alone.
    """
    most = spec.stop.limit // spec.stop.chunk
    return list(looks(1, most)) if spec.stop.peeks else [most]


def chunks_wanted(
    spec: Spec,
    cells: int,
    done: Callable[[int], int],
    is_enough: Callable[[int, int], bool],
    baselines: Mapping[int, int],
) -> tuple[list[Chunk], bool]:
    """List the chunks to play next, in order.

    Parameters
    ----------
    cells : int
    done : callable
        Of a cell: how many of its first chunks are there, without a gap.
    is_enough : callable
        Of a cell and a number of chunks: whether its first chunks are enough.
    baselines : mapping
        Of a cell that is looked at beside another: that one, which goes on as long as any beside it.

    Returns
    -------
    chunks : list of Chunk
        Up to the next look of every cell that goes on; some may be there already.
    finished : bool
        Whether no cell goes on.
    """
    targets = dict.fromkeys(range(cells), 0)
    for cell in sorted(targets.keys() - set(baselines.values())):
        base = baselines.get(cell, cell)
        there = min(done(cell), done(base))
        for look in looks_at(spec):
            targets[cell] = look
            if there < look or is_enough(cell, look):
                break
        targets[base] = max(targets[base], targets[cell])
    wanted = [Chunk(cell, number) for cell, target in targets.items() for number in range(target)]
    finished = all(chunk.number < done(chunk.cell) for chunk in wanted)
    return wanted, finished
