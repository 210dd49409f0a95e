"""Card sets on disk: ``set.toml`` and one TOML file per deck, read strictly and written whole."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sprawlsim.errors import CardError, did_you_mean
from sprawlsim.sprawlops.cards.changes import change_card_set
from sprawlsim.sprawlops.cards.model import DECKS, AnyCard, CardSet, Deck, Stage, card_table
from sprawlsim.sprawlops.cards.reading import Reading, read_tables

SETS = Path(__file__).parent / "sets"
ENVIRONMENT = "SPRAWLSIM_CARDS"
DEFAULT_SET = "stand-in"


def shipped_sets() -> list[str]:
    """List the names of the card sets that come with the package."""
    return sorted(path.parent.name for path in SETS.glob("*/set.toml"))


def read_card_set(directory: Path) -> Reading:
    """Read a card set and find everything wrong with it.

    Raises
    ------
    CardError
        If it is no directory at all.
    """
    if not directory.is_dir():
        raise CardError(f"{directory} is not a directory with card files")
    faults: list[str] = []
    head = _read_toml(directory / "set.toml", faults)
    decks: dict[Deck, list[Any]] = {}
    for deck, info in DECKS.items():
        file = f"{info.file}.toml"
        table = _read_toml(directory / file, faults)
        if table is None:
            continue
        faults += [
            f"{file}: {key} is not a key here; each card is a [[card]] table{did_you_mean(key, ['card'])}"
            for key in table
            if key != "card"
        ]
        tables = table.get("card", [])
        if isinstance(tables, list):
            decks[deck] = tables
        else:
            faults.append(f"{file}: card must be written [[card]], in double brackets")
    faults += _stray_files(directory)
    return read_tables(head, decks, ".toml", faults)


def _read_toml(path: Path, faults: list[str]) -> dict[str, Any] | None:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        wanted = ", ".join(["set.toml", *(f"{info.file}.toml" for info in DECKS.values())])
        faults.append(f"{path.name}: the file is missing in {path.parent}; a card set has {wanted}")
    except tomllib.TOMLDecodeError as error:
        faults.append(f"{path.name}: not valid TOML: {error}")
    except UnicodeDecodeError:
        faults.append(f"{path.name}: not UTF-8 text; save it as UTF-8")
    except OSError as error:
        faults.append(f"{path.name}: cannot be read: {error.strerror}")
    return None


def _stray_files(directory: Path) -> list[str]:
    """Find TOML files that no deck reads: most likely a deck under a mistyped name."""
    known = {"set.toml", *(f"{info.file}.toml" for info in DECKS.values())}
    stray = sorted(path.name for path in directory.glob("*.toml") if path.name not in known)
    return [
        f"{name}: not a file of a card set, which has {', '.join(sorted(known))}{did_you_mean(name, known)}"
        for name in stray
    ]


def check_card_set(directory: str | Path) -> list[str]:
    """List every fault of a card set, one sentence each; an empty list means that it loads.

    Raises
    ------
    CardError
        If there is no such directory.
    """
    return read_card_set(Path(directory)).faults


def first_fault(reading: Reading, where: str) -> CardError:
    """Make one sentence of a faulty reading: its first fault, and how many there are."""
    more = len(reading.faults) - 1
    rest = f" ({more} more: 'sprawlsim cards check' lists all)" if more else ""
    return CardError(f"{where}: {reading.faults[0]}{rest}")


def load_card_set(where: str | Path | None = None, changes: Sequence[str] = ()) -> CardSet:
    """Load a card set, all of it or nothing.

    Parameters
    ----------
    where : str or Path, optional
        The name of a shipped set, or a directory. Without it: the environment variable ``SPRAWLSIM_CARDS``,
        else the shipped set ``stand-in``.
    changes : sequence of str
        Changes for this run, such as ``"Datajack.cost=3"`` (see :func:`change_card_set`).

    Raises
    ------
    CardError
        If there is no such set, a file of it is wrong, or a change cannot be made.
    """
    named = where if where is not None else os.environ.get(ENVIRONMENT) or DEFAULT_SET
    source = f"{ENVIRONMENT}: " if where is None and os.environ.get(ENVIRONMENT) else ""
    directory = Path(named)
    if isinstance(named, str) and named in shipped_sets():
        directory = SETS / named
    elif not directory.is_dir():
        shipped = shipped_sets()
        raise CardError(
            f"{source}{str(named)!r} is neither a shipped card set ({', '.join(shipped)}) nor a directory"
            f"{did_you_mean(str(named), shipped)}"
        )
    reading = read_card_set(directory)
    if reading.cards is None:
        raise first_fault(reading, f"{source}{directory}")
    return change_card_set(reading.cards, changes)


def _toml_value(value: Any) -> str:
    """Write a value on one line; tomli-w would spread each small table over a section of its own."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key} = {_toml_value(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml_value(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def render_table(table: Mapping[str, Any]) -> str:
    """Write a card's table as a ``[[card]]`` entry, one line per key and per Stage."""
    lines = ["[[card]]"]
    for key, value in table.items():
        if key == "stages" and isinstance(value, list | tuple):
            lines += ["stages = [", *(f"  {_toml_value(stage)}," for stage in value), "]"]
        else:
            lines.append(f"{key} = {_toml_value(value)}")
    return "\n".join(lines) + "\n"


def render_card_set(cards: CardSet) -> dict[str, str]:
    """Return the files of a card set: name to text."""
    head = {"name": cards.name, "description": cards.description}
    files = {"set.toml": "".join(f"{key} = {_toml_value(value)}\n" for key, value in head.items())}
    for deck, info in DECKS.items():
        files[f"{info.file}.toml"] = "\n".join(render_table(card_table(card)) for card in cards.deck(deck))
    return files


def write_card_set(cards: CardSet, directory: str | Path) -> None:
    """Write a card set into a new directory, whole or not at all.

    Raises
    ------
    CardError
        If the directory holds anything already, or cannot be written.
    """
    write_directory(Path(directory), render_card_set(cards))


def write_directory(directory: Path, files: Mapping[str, str]) -> None:
    """Write files into a new or empty directory: beside it under a temporary name, then renamed.

    Raises
    ------
    CardError
        If the directory holds anything already, or cannot be written.
    """
    if directory.exists() and not (directory.is_dir() and not any(directory.iterdir())):
        raise CardError(f"{directory} exists and is not an empty directory; name a new one")
    target = directory.resolve()
    if target == Path.cwd():
        raise CardError(f"{directory} is the current directory, which cannot be replaced; name one below it")
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        temporary.mkdir(parents=True)
        for name, text in files.items():
            (temporary / name).write_text(text, encoding="utf-8", newline="")
        if target.exists():
            target.rmdir()
        temporary.rename(target)
    except OSError as error:
        raise CardError(f"{directory} cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def stand_in_share(cards: CardSet) -> tuple[int, int]:
    """Count the cards whose numbers are, wholly or partly, invented; and all cards (copies counted once).

    Returns
    -------
    invented, total : int
        A card counts as invented if its source is ``stand-in``, if it names invented keys, or if one of its
        Stages is a stand-in.
    """
    everything = [card for _, card in cards.pairs()]
    return sum(is_invented(card) for card in everything), len(everything)


def is_invented(card: AnyCard) -> bool:
    """Tell whether any number of this card is ours rather than printed."""
    stages: tuple[Stage, ...] = getattr(card, "stages", ())
    return (
        card.source == "stand-in"
        or bool(card.invented)
        or any(stage.source == "stand-in" for stage in stages)
    )
