"""Running an experiment: from a spec to a results folder, however often it is stopped on the way."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import msgspec

from sprawlsim.errors import did_you_mean
from sprawlsim.experiments.cells import Cell, Chunk, chunks_wanted, find_measure, make_cells
from sprawlsim.experiments.estimates import check_figures
from sprawlsim.experiments.looking import Looker
from sprawlsim.experiments.measure import Columns, Measure
from sprawlsim.experiments.spec import ExperimentError, Spec
from sprawlsim.experiments.store import (
    MANIFEST,
    SHOWN,
    TIMES,
    Store,
    WriteError,
    differences,
    only_writer,
    read_manifest,
    write_json,
)
from sprawlsim.experiments.workers import BACKENDS, DASK, LOCAL, Workers, open_workers, play_all
from sprawlsim.version import __version__

SCHEMA = 1
Progress = Callable[[int, int | None], None]
"""Told how many trials are played, of how many; of about how many, where a look decides."""


@dataclass(frozen=True)
class Means:
    """With what to run.

    Attributes
    ----------
    workers : int
        Processes of this machine; 1 plays in this process.
    backend : {"local", "dask"}
    scheduler : str, optional
        Address of a Dask scheduler, with ``"dask"``.
    """

    workers: int = 1
    backend: str = LOCAL
    scheduler: str | None = None

    def check(self) -> None:
        """Refuse what makes no sense together."""
        if self.backend not in BACKENDS:
            raise ExperimentError(
                f"--backend {self.backend!r} is not one of {', '.join(BACKENDS)}"
                f"{did_you_mean(self.backend, BACKENDS)}"
            )
        if (self.backend == DASK) != (self.scheduler is not None):
            raise ExperimentError("--backend dask and --scheduler ADDRESS go together")
        if self.workers < 1:
            raise ExperimentError(f"workers must be at least 1, not {self.workers}")


@dataclass(frozen=True)
class Outcome:
    """What a run did.

    Attributes
    ----------
    folder : Path
    played, kept : int
        Chunks played by this run, and found finished.
    damaged : list of str
        Files that were moved aside, and played again.
    """

    folder: Path
    played: int
    kept: int
    damaged: list[str]


def run_experiment(
    spec: Spec,
    measures: Mapping[str, Measure],
    out: Path,
    *,
    base: Path = Path(),
    resume: bool = False,
    means: Means | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run an experiment into a results folder.

    Whatever stops it, all finished chunks stay, and a run with `resume` goes on from there. The folder of a
    finished run is the same to the byte however often it was stopped, and whoever played the chunks, but for
    ``times.json`` and files moved aside.

    Parameters
    ----------
    spec : Spec
    measures : mapping
        By name.
    out : Path
        The results folder; new, empty, or with `resume` one of the same experiment.
    base : Path
        Where paths in the spec begin.
    resume : bool
    means : Means, optional
        This process alone when left out.
    progress : callable, optional

    Raises
    ------
    ExperimentError
        If the folder holds something else, or results cannot be written; nothing is lost.
    SprawlsimError
        If the spec makes no sense.
    """
    means = means or Means()
    means.check()
    measure = find_measure(spec, measures)
    cells = make_cells(spec, measure, base)
    check_figures(spec, measure, cells)
    manifest = make_manifest(spec, measure, cells)
    run = Run(spec, measure, cells, Store(out, [cell.folder for cell in cells]), manifest)
    _check_folder(out, resume, manifest)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"{out}: cannot be written ({(error.strerror or '').lower()})") from None
    with only_writer(out):
        return run.go(means, progress)


def make_manifest(spec: Spec, measure: Measure, cells: Sequence[Cell]) -> dict[str, Any]:
    """Write down what an experiment is: all that decides its rows."""
    deciding = {"spec": spec.deciding(), "sources": measure.sources()}
    manifest = {
        "schema": SCHEMA,
        "version": __version__,
        "spec": msgspec.to_builtins(spec),
        "deciding": deciding,
        "deciding_hash": hashlib.sha256(json.dumps(deciding).encode()).hexdigest(),
        "trials": measure.trials,
        "cells": [
            {
                "folder": cell.folder,
                "labels": cell.labels,
                "seed": cell.seed,
                "about": cell.about,
                "count": None,
            }
            for cell in cells
        ],
    }
    return cast(
        dict[str, Any], json.loads(json.dumps(manifest))
    )  # as it will be read again: lists, no tuples


def _check_folder(out: Path, resume: bool, manifest: Mapping[str, Any]) -> None:
    """Refuse a folder that holds something else than the beginning of this experiment."""
    if out.exists() and not out.is_dir():
        raise ExperimentError(f"{out} is a file; name a folder")
    if not out.is_dir() or not any(out.iterdir()):
        return
    old = read_manifest(out)
    if not resume:
        raise ExperimentError(
            f"{out} holds results already; --resume continues or repeats them, --out names another folder"
        )
    told = differences(old["deciding"]["spec"], manifest["deciding"]["spec"])
    told = told or differences(
        {"sources": old["deciding"]["sources"]}, {"sources": manifest["deciding"]["sources"]}
    )
    told = told or differences(_by_folder(old), _by_folder(manifest))
    if told:
        more = f"; and {len(told) - SHOWN} more" if len(told) > SHOWN else ""
        raise ExperimentError(
            f"{out} holds results of something else: {'; '.join(told[:SHOWN])}{more}. "
            "Run into another folder (--out), or take the change back"
        )


def _by_folder(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Give what the cells of a manifest are, by their folders."""
    return {cell["folder"]: {"seed": cell["seed"], **cell["about"]} for cell in manifest["cells"]}


class Run:
    """One run of an experiment, in a folder that is its own."""

    def __init__(
        self, spec: Spec, measure: Measure, cells: list[Cell], store: Store, manifest: dict[str, Any]
    ) -> None:
        self.spec, self.measure, self.cells, self.store, self.manifest = spec, measure, cells, store, manifest
        self.looker = Looker(spec, measure, cells, store.read)
        self._played = 0

    def go(self, means: Means, progress: Progress | None) -> Outcome:
        """Play what is missing, look, and play on until every cell has enough."""
        path = self.store.folder / MANIFEST
        if not path.exists():
            write_json(path, self.manifest)
        self.store.make_folders()
        damaged = self.store.look(mend=True)
        since = time.monotonic()
        wanted, finished = self._wanted()
        kept = sum(chunk in self.store for chunk in wanted)
        try:
            if not finished:
                self._warm(means)
                with open_workers(means.backend, means.workers, means.scheduler) as workers:
                    while not finished:
                        self._play(wanted, workers, progress)
                        wanted, finished = self._wanted()
        except ExperimentError as error:
            what = "free some space, and " if isinstance(error, WriteError) else ""
            raise type(error)(
                f"{error}; {self._played + kept} finished chunks are kept: {what}run it again with --resume"
            ) from error
        finally:
            self._log(means, time.monotonic() - since)
        for number, cell in enumerate(self.manifest["cells"]):
            cell["count"] = self.spec.stop.chunk * sum(chunk.cell == number for chunk in wanted)
        write_json(path, self.manifest)
        return Outcome(self.store.folder, self._played, kept, damaged)

    def _wanted(self) -> tuple[list[Chunk], bool]:
        looker = self.looker
        done = self.store.first_chunks
        return chunks_wanted(self.spec, len(self.cells), done, looker.is_enough, looker.baselines)

    def _warm(self, means: Means) -> None:
        """Play a little here first, so that what must be compiled is compiled once, not by every process."""
        if means.backend == LOCAL and means.workers > 1:
            cell = self.cells[0]
            self.measure.run_chunk(cell.prepared, cell.seed, 0, self.measure.multiple_of)

    def _play(self, wanted: list[Chunk], workers: Workers, progress: Progress | None) -> None:
        """Play chunks that are not there."""
        missing = [chunk for chunk in wanted if chunk not in self.store]
        size = self.spec.stop.chunk
        sources = self.measure.sources()
        of = (self.looker.expected(wanted) - len(wanted) + len(missing) + self._played) * size

        def job(cell: Cell, chunk: Chunk) -> tuple[Any, ...]:
            return self.measure, sources, (cell.prepared, cell.seed), chunk.number * size, size

        def keep(chunk: Chunk, columns: Columns) -> None:
            self.store.write(chunk, columns)
            self._played += 1
            if progress is not None:
                progress(self._played * size, of)

        play_all(missing, self.cells, job, workers, keep)

    def _log(self, means: Means, seconds: float) -> None:
        """Note how long this run took, apart from the results, which are the same whoever played them."""
        path = self.store.folder / TIMES
        try:
            runs = json.loads(path.read_bytes())["runs"]
        except (OSError, ValueError, KeyError, TypeError):
            runs = []
        runs.append(
            {
                "seconds": round(seconds, 3),
                "chunks": self._played,
                "backend": means.backend,
                "workers": means.workers if means.backend == LOCAL else None,
            }
        )
        with suppress(WriteError):  # a full disk is told where it matters
            write_json(path, {"seconds": round(sum(run["seconds"] for run in runs), 3), "runs": runs})
