"""Results on disk: a folder with a manifest, and a Parquet file for every finished chunk.

A file appears under its name when it is whole and safe on the disk. The name of a chunk's file holds the
beginning of its SHA-256, so that a file that is not what was written is known, wherever it was damaged.
Equal rows are equal bytes: nothing about time, place or order is in them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from sprawlsim.experiments.cells import Chunk
from sprawlsim.experiments.measure import Columns
from sprawlsim.experiments.spec import ExperimentError

MANIFEST, TIMES, CELLS = "manifest.json", "times.json", "cells"
"""Names in a results folder; `TIMES` alone differs from run to run."""
CORRUPT = ".corrupt"
PART = ".part"
DIGITS = 16
"""Hexadecimal digits of the SHA-256 in a file's name."""
CHUNK_NAME = re.compile(rf"(\d{{6}})-([0-9a-f]{{{DIGITS}}})\.parquet")
LONGEST_SHOWN = 80
SHOWN = 6
"""Differences told before "and more"."""


class WriteError(ExperimentError):
    """Results that cannot be written: a full disk, a folder that may not be entered."""


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, whenever the machine stops.

    Raises
    ------
    WriteError
        If it cannot be written; an older file of the name stays.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}{PART}")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise WriteError(f"{path}: cannot be written ({(error.strerror or str(error)).lower()})") from error
    finally:
        with suppress(OSError):  # told already; the next run removes it
            part.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make a new name in a folder safe; systems that cannot open folders do it themselves."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def encode(columns: Columns) -> bytes:
    """Write columns as a Parquet file: equal columns, equal bytes (for one version of pyarrow)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({name: pa.array(np.ascontiguousarray(column)) for name, column in columns.items()})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", compression_level=9, version="2.6", store_schema=False)
    return bytes(sink.getvalue().to_pybytes())


def decode(content: bytes) -> Columns:
    """Read columns from the bytes of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(pa.BufferReader(content))
    return {name: table.column(name).to_numpy() for name in table.column_names}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGITS]


class Store:
    """The results folder of an experiment.

    Parameters
    ----------
    folder : Path
    cell_folders : sequence of str
        By the number of a cell.
    """

    def __init__(self, folder: Path, cell_folders: list[str]) -> None:
        self.folder = folder
        self._cells = [folder / CELLS / name for name in cell_folders]
        self._files: dict[Chunk, Path] = {}

    def make_folders(self) -> None:
        """Make the folders of all cells."""
        try:
            for cell in self._cells:
                cell.mkdir(parents=True, exist_ok=True)
                _sync_folder(cell.parent)
        except OSError as error:
            raise WriteError(
                f"{self.folder}: cannot be written ({(error.strerror or '').lower()})"
            ) from error

    def look(self, mend: bool) -> list[str]:
        """Find the chunks that are there.

        Parameters
        ----------
        mend : bool
            For who is going to write: read every file, move damaged ones aside, remove half-written ones.

        Returns
        -------
        list of str
            Damaged files that were moved aside.
        """
        damaged: list[str] = []
        self._files.clear()
        for number, cell in enumerate(self._cells):
            for path in sorted(cell.iterdir()) if cell.is_dir() else ():
                if mend and path.name.endswith(PART):
                    path.unlink()
                found = CHUNK_NAME.fullmatch(path.name)
                if not found:
                    continue
                if mend and _digest(path.read_bytes()) != found[2]:
                    os.replace(path, path.with_name(path.name + CORRUPT))
                    damaged.append(str(path.relative_to(self.folder)))
                    continue
                chunk = Chunk(number, int(found[1]))
                if chunk in self._files:
                    raise ExperimentError(
                        f"{path} and {self._files[chunk].name} are two results of the same chunk, of which "
                        "there is but one; remove the file that does not belong here"
                    )
                self._files[chunk] = path
        return damaged

    def __contains__(self, chunk: Chunk) -> bool:
        return chunk in self._files

    def first_chunks(self, cell: int) -> int:
        """Count the chunks of a cell that are there before the first that is not."""
        number = 0
        while Chunk(cell, number) in self._files:
            number += 1
        return number

    def write(self, chunk: Chunk, columns: Columns) -> None:
        """Keep a finished chunk.

        Raises
        ------
        WriteError
        """
        content = encode(columns)
        path = self._cells[chunk.cell] / f"{chunk.number:06d}-{_digest(content)}.parquet"
        write_whole(path, content)
        self._files[chunk] = path

    def read(self, chunk: Chunk) -> Columns:
        """Read a chunk.

        Raises
        ------
        ExperimentError
            If its file is not what was written.
        """
        path = self._files[chunk]
        try:
            content = path.read_bytes()
        except OSError as error:
            raise ExperimentError(f"{path}: cannot be read ({(error.strerror or '').lower()})") from None
        if _digest(content) != path.stem.partition("-")[2]:
            raise ExperimentError(
                f"{path}: damaged, its content does not match the checksum in its name; "
                "'sprawlsim experiment run ... --resume' moves it aside and plays it again"
            )
        return decode(content)


def write_json(path: Path, data: Any) -> None:
    """Write plain data, whole or not at all, the same bytes for the same data."""
    write_whole(path, (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode())


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a results folder.

    Raises
    ------
    ExperimentError
        If there is none, or it cannot be read.
    """
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise ExperimentError(
            f"{folder} is not the results folder of an experiment: it has no {MANIFEST}"
        ) from None
    except OSError as error:
        raise ExperimentError(f"{path}: cannot be read ({(error.strerror or '').lower()})") from None
    except ValueError:
        data = None
    if not isinstance(data, dict) or "deciding" not in data or "cells" not in data:
        raise ExperimentError(f"{path}: is not a manifest; run the experiment into another folder (--out)")
    return data


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Tell in which values two tables of plain data differ, old against new."""
    before, after = dict(_flat(old, "")), dict(_flat(new, ""))
    told = []
    for key in after | before:
        was = _shown(before[key]) if key in before else "not there"
        now = _shown(after[key]) if key in after else "not there"
        if was != now:
            told.append(f"{key} was {_short(was)} and is {_short(now)}")
    return told


def _flat(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _flat(item, f"{path}.{key}" if path else str(key))
    else:
        yield path, value


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


@contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Keep a second run out of a results folder; a run that is killed leaves no lock behind.

    Raises
    ------
    ExperimentError
        If another run writes there.
    """
    try:
        import fcntl
    except ImportError:  # not on this system; the user minds
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ExperimentError(f"another run is writing into {folder}; wait for it, or stop it") from None
        except OSError:
            pass  # a file system without locks
        yield
    finally:
        os.close(handle)
