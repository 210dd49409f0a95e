"""A batch's games as a Parquet file, a row for each."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.game.arrays import FIGURES, LOCATIONS
from sprawlsim.sprawlops.game.strategies.model import place_key

if TYPE_CHECKING:
    from sprawlsim.sprawlops.game.simulate import Batch


class RowFile:
    """A Parquet file with a row per game, which appears under its name when it is whole."""

    def __init__(self, path: Path | None, batch: Batch) -> None:
        self._path, self._batch = path, batch
        self._writer: Any = None
        self._part = None if path is None else path.with_name(f".{path.name}.{os.getpid()}.part")
        if path is not None and not path.parent.is_dir():
            raise SprawlsimError(f"--out {path}: there is no folder {path.parent}")

    def __enter__(self) -> RowFile:
        return self

    def write(self, rows: npt.NDArray[Any]) -> None:
        """Add rows."""
        if self._part is None:
            return
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.table(game_columns(rows, self._batch))
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._part, table.schema)
        self._writer.write_table(table)

    def __exit__(self, failed: object, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()
        if self._part is not None and self._path is not None:
            if failed is None:
                os.replace(self._part, self._path)
            else:
                self._part.unlink(missing_ok=True)


def game_columns(rows: npt.NDArray[Any], batch: Batch) -> dict[str, Any]:
    """Spread rows of games into columns with names: of the game, then of each seat."""
    names = np.array([strategy.name for strategy in batch.entrants])
    winners = rows["winner"].astype(np.int64)
    by_seat = names[rows["entrant"]]
    columns: dict[str, Any] = {
        "game": rows["game"],
        "rounds": rows["rounds"],
        "final": np.array(batch.names.finals)[rows["final"]],
        "stopped": winners < 0,
        "winner_seat": np.where(winners < 0, 0, winners + 1),
        "winner": np.where(winners < 0, "", by_seat[np.arange(len(rows)), np.maximum(winners, 0)]),
    }
    for seat in range(batch.players):
        who = f"seat_{seat + 1}"
        columns[f"{who}_strategy"] = by_seat[:, seat]
        columns[f"{who}_nuyen"] = rows["nuyen"][:, seat]
        columns[f"{who}_dice"] = rows["dice"][:, seat]
        for f, figure in enumerate(FIGURES):
            columns[f"{who}_{figure}"] = rows["figures"][:, seat, f]
        for k, location in enumerate(LOCATIONS):
            columns[f"{who}_at_{place_key(location)}"] = rows["visits"][:, seat, k]
    return columns
