"""What an experiment measures: the little that this hall knows about the games of a wing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Columns: TypeAlias = dict[str, npt.NDArray[Any]]
"""Rows of a chunk, column by column: integers, floats or booleans, all of one length."""

About: TypeAlias = dict[str, Any]
"""What was measured, as plain data for JSON: everything beside seed and sources that decides the rows (names
with fingerprints of card sets and strategies), and what `Measure.figures` needs to read them."""

Kind = Literal["proportion", "mean"]


@dataclass(frozen=True)
class Figure:
    """A number that an experiment estimates, with what each row adds to it.

    A row is a trial (a game), or a block of trials whose sums it holds. Rows of the same number in two cells
    share their random numbers: that is what comparisons pair.

    Attributes
    ----------
    name : str
        Such as ``"wins of champion"``.
    kind : {"proportion", "mean"}
        A proportion has trials that count 0 or 1.
    totals, squares : array, shape (rows,)
        Sum of a row's trials, and of their squares.
    trials : array of int, shape (rows,)
        Trials of a row; 0 where the row says nothing about this figure.
    unit : str
        Of a mean: ``"K"``, ``"%"`` for shares in 0..1, or empty.
    """

    name: str
    kind: Kind
    totals: npt.NDArray[Any]
    squares: npt.NDArray[Any]
    trials: npt.NDArray[np.int64]
    unit: str = ""


class Measure(Protocol):
    """What can be measured in a cell; objects of it are sent to other processes.

    Rows are a pure function of what `prepare` returned, the seed, and their numbers: never of the chunk they
    are played in, or of where.
    """

    name: str
    """The ``measure`` of a spec."""
    trials: str
    """What is counted: ``"games"``."""
    settings: tuple[str, ...]
    """The settings it reads."""
    multiple_of: int
    """A chunk's trials are a multiple of this."""

    def sources(self) -> str:
        """Fingerprint the sources that decide rows; other sources are never mixed into one result."""
        ...

    def prepare(self, settings: Mapping[str, Any], folder: Path) -> Any:
        """Read a cell's settings strictly, and all files that they name.

        Parameters
        ----------
        settings : mapping
            As the spec has them.
        folder : Path
            Where paths begin.

        Returns
        -------
        object
            All that `run_chunk` needs, so that no other process must find a file.

        Raises
        ------
        SprawlsimError
        """
        ...

    def about(self, prepared: Any) -> About:
        """Tell what is measured."""
        ...

    def run_chunk(self, prepared: Any, seed: int, first: int, count: int) -> Columns:
        """Play trials `first` to ``first + count - 1``."""
        ...

    def figure_names(self, about: About) -> list[str]:
        """List the figures that rows will give."""
        ...

    def figures(self, about: About, columns: Columns) -> list[Figure]:
        """Read rows."""
        ...
