"""An experiment as a file: what to vary, what to measure, when to stop; read strictly."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sprawlsim.errors import SprawlsimError, did_you_mean

NAME = r"^[a-z0-9][a-z0-9-]{0,59}$"
BAD_NAME = "a name of small letters, digits and dashes, at most 60"
MOST_TRIALS = 10**9
DEFAULT_CHUNK = 1_000
MOST_CELLS = 10_000
UNTIL_RESOLVED = "resolved"
"""The ``stop.until`` of comparisons that are played until their sign is known."""

Name = Annotated[str, Meta(pattern=NAME)]
Text = Annotated[str, Meta(min_length=1)]
Trials = Annotated[int, Meta(ge=1, le=MOST_TRIALS)]


class ExperimentError(SprawlsimError):
    """An experiment that cannot be found, read, run or resumed."""


class Stop(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many trials (games, attempts) each cell gets.

    Attributes
    ----------
    count : int, optional
        Exactly so many.
    precision : float, optional
        Instead: play until the interval of `figure` is at most plus or minus this, looking again and again;
        the interval is one that holds at every look (a confidence sequence).
    until : {"resolved"}, optional
        Instead: play every two cells that are compared until it is resolved in which of them `figure` is
        larger, looking again and again; by confidence sequences, too.
    most : int, optional
        With `precision` or `until`: stop here even so.
    figure : str, optional
        With `precision`; the first figure of the measure when left out. With `until`; the first one reported.
    chunk : int
        Trials that are played and kept together.
    """

    count: Trials | None = None
    precision: Annotated[float, Meta(gt=0)] | None = None
    until: Text | None = None
    most: Trials | None = None
    figure: Text | None = None
    chunk: Trials = DEFAULT_CHUNK

    @property
    def limit(self) -> int:
        """Most trials of a cell."""
        limit = self.most if self.peeks else self.count
        assert limit is not None
        return limit

    @property
    def peeks(self) -> bool:
        """Whether a cell stops by what is seen of it."""
        return self.count is None


class Compare(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which cells are compared: every value of one key of the grid with a baseline among them.

    Attributes
    ----------
    vary : str
        A key of ``[grid]``.
    baseline : str
        The label of one of its values.
    """

    vary: Text
    baseline: str | int | float | bool


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An experiment.

    Attributes
    ----------
    name : str
        Small letters, digits and dashes; the name of the results folder.
    title, question, note : str
        A heading, the question in a sentence, and what a reader must know about the answer.
    measure : str
    figures : tuple of str
        Those to report, ``*`` for any letters; all when empty.
    seed : int
    common : dict
        Settings of every cell.
    grid : dict
        Settings that vary: a list of numbers or texts, or a table from labels to values. The cells are all
        combinations. ``seed`` may vary, too.
    stop : Stop
    compare : Compare, optional
    """

    name: Name
    title: Text
    question: Text
    note: str = ""
    measure: Text
    figures: tuple[Text, ...] = ()
    seed: int = 1
    common: dict[str, Any] = {}
    grid: dict[str, Any] = {}
    stop: Stop
    compare: Compare | None = None

    def deciding(self) -> dict[str, Any]:
        """Give the part that decides what is played; the rest is how it is shown.

        What is compared, and in how many figures, decides where comparisons stop that are to be resolved.
        """
        parts = msgspec.to_builtins(self)
        keys = ["measure", "seed", "common", "grid", "stop"]
        return {key: parts[key] for key in keys + ["figures", "compare"] * (self.stop.until is not None)}


TABLES: tuple[tuple[str, type[msgspec.Struct]], ...] = (("stop", Stop), ("compare", Compare))


def read_spec(path: Path) -> Spec:
    """Read a spec from a TOML file.

    Raises
    ------
    ExperimentError
        Naming the file, the key and what is allowed.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ExperimentError(f"{path}: cannot be read ({(error.strerror or str(error)).lower()})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ExperimentError(f"{path}: not valid TOML: {error}") from None
    return spec_from_dict(data, str(path), path.stem)


def spec_from_dict(data: Mapping[str, Any], where: str, name: str) -> Spec:
    """Read a spec from plain data, strictly.

    Parameters
    ----------
    where : str
        What to call it in an error.
    name : str
        Its name if it tells none.

    Raises
    ------
    ExperimentError
    """
    _check_keys(data, Spec.__struct_fields__, "", where)
    for key, model in TABLES:
        if isinstance(data.get(key), Mapping):
            _check_keys(data[key], model.__struct_fields__, f"{key}.", where)
    try:
        spec = msgspec.convert({"name": name, **data}, Spec, strict=True)
    except msgspec.ValidationError as error:
        told = _explain(str(error))
        if told == BAD_NAME:
            told = f"name = {data.get('name', name)!r} is not {BAD_NAME}"
        raise ExperimentError(f"{where}: {told}") from None
    _check_stop(spec.stop, where)
    _check_grid(spec, where)
    _check_until(spec, where)
    return spec


def _check_keys(table: Mapping[str, Any], allowed: Iterable[str], prefix: str, where: str) -> None:
    allowed = list(allowed)
    for key in table:
        if key not in allowed:
            raise ExperimentError(
                f"{where}: {prefix}{key} is not a key here; there are {', '.join(allowed)}"
                f"{did_you_mean(key, allowed)}"
            )


def _explain(message: str) -> str:
    """Say what msgspec found as the other errors are said: the key first."""
    what, _, place = message.partition(" - at `$")
    place = place.rstrip("`").lstrip(".")
    missing = re.fullmatch(r"Object missing required field `(\w+)`", what)
    if missing:
        return f"{place + '.' if place else ''}{missing[1]} is missing"
    if place == "name":
        return BAD_NAME
    what = what[:1].lower() + what[1:]
    return f"{place}: {what}" if place else what


def _check_stop(stop: Stop, where: str) -> None:
    """Refuse what makes no sense together."""
    if [stop.count, stop.precision, stop.until].count(None) != 2:
        raise ExperimentError(f"{where}: [stop] needs either count, or precision and most, or until and most")
    if stop.peeks and stop.most is None:
        key = "precision" if stop.until is None else "until"
        raise ExperimentError(f"{where}: stop.{key} needs stop.most, where a cell stops even so")
    if not stop.peeks and (stop.most is not None or stop.figure is not None):
        key = "most" if stop.most is not None else "figure"
        raise ExperimentError(
            f"{where}: stop.{key} belongs to stop.precision or stop.until, of which neither is there"
        )
    if stop.limit % stop.chunk:
        key = "most" if stop.peeks else "count"
        raise ExperimentError(
            f"{where}: stop.{key} = {stop.limit} is not a multiple of stop.chunk = {stop.chunk}"
        )


def axis_values(key: str, axis: Any, where: str) -> dict[str, Any]:
    """Give the values of one key of the grid by their labels.

    Raises
    ------
    ExperimentError
        If there are none, or one twice.
    """
    if isinstance(axis, Mapping):
        values = {str(label): value for label, value in axis.items()}
    elif isinstance(axis, list):
        for value in axis:
            if not isinstance(value, str | int | float):
                raise ExperimentError(
                    f"{where}: grid.{key} lists numbers or texts; write [grid.{key}] with a label for each "
                    f"value instead of {value!r}"
                )
        values = {str(value): value for value in axis}
        if len(values) < len(axis):
            raise ExperimentError(f"{where}: grid.{key} lists a value twice")
    else:
        raise ExperimentError(f"{where}: grid.{key} must be a list, or a table from labels to values")
    if not values:
        raise ExperimentError(f"{where}: grid.{key} has no values")
    return values


def _check_grid(spec: Spec, where: str) -> None:
    if "seed" in spec.common:
        raise ExperimentError(f"{where}: write seed at the top, not in [common]")
    cells = 1
    for key, axis in spec.grid.items():
        if key in spec.common:
            raise ExperimentError(f"{where}: {key} is both in [common] and in [grid]")
        values = axis_values(key, axis, where)
        cells *= len(values)
        for value in values.values() if key == "seed" else ():
            if not isinstance(value, int) or isinstance(value, bool):
                raise ExperimentError(f"{where}: grid.seed holds {value!r}, which is not a whole number")
    if cells > MOST_CELLS:
        raise ExperimentError(f"{where}: the grid has {cells} cells; {MOST_CELLS} are the most")
    if spec.compare is None:
        return
    if spec.compare.vary not in spec.grid:
        allowed = ", ".join(spec.grid) or "none"
        raise ExperimentError(
            f"{where}: compare.vary = {spec.compare.vary!r} is not a key of [grid]; there are {allowed}"
            f"{did_you_mean(spec.compare.vary, spec.grid)}"
        )
    if spec.compare.vary == "seed":
        raise ExperimentError(f"{where}: seeds share no random numbers and cannot be compared in pairs")
    labels = axis_values(spec.compare.vary, spec.grid[spec.compare.vary], where)
    if str(spec.compare.baseline) not in labels:
        raise ExperimentError(
            f"{where}: compare.baseline = {spec.compare.baseline!r} is not one of grid.{spec.compare.vary}: "
            f"{', '.join(labels)}{did_you_mean(str(spec.compare.baseline), labels)}"
        )


def _check_until(spec: Spec, where: str) -> None:
    """Refuse to play until something is resolved that does not exist."""
    until = spec.stop.until
    if until is None:
        return
    if until != UNTIL_RESOLVED:
        raise ExperimentError(
            f"{where}: stop.until = {until!r} is not known; there is {UNTIL_RESOLVED!r}"
            f"{did_you_mean(until, [UNTIL_RESOLVED])}"
        )
    if spec.compare is None:
        raise ExperimentError(f"{where}: stop.until = {until!r} needs [compare]: what is to be resolved")
    if len(axis_values(spec.compare.vary, spec.grid[spec.compare.vary], where)) == 1:
        raise ExperimentError(
            f"{where}: stop.until = {until!r}: grid.{spec.compare.vary} has only the baseline, and nothing "
            "to compare with it"
        )
