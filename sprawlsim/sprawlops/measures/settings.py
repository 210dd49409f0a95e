"""What the measures share: strict settings, card sets by name or path, and what decides a row."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from sprawlsim.errors import SprawlsimError
from sprawlsim.experiments.measure import About

if TYPE_CHECKING:
    from sprawlsim.sprawlops.cards import CardSet

SOURCES = (
    *("rng.py", "jit.py", "sprawlops/dice.py", "sprawlops/roles.py", "sprawlops/team.py"),
    *("sprawlops/cards", "sprawlops/mission", "sprawlops/game", "sprawlops/measures"),
)
"""What decides a row, by path within the package."""

Settings = TypeVar("Settings", bound=msgspec.Struct)


def read_settings(settings: Mapping[str, Any], model: type[Settings]) -> Settings:
    """Read settings strictly.

    Raises
    ------
    SprawlsimError
        Naming the setting and what is allowed.
    """
    try:
        return msgspec.convert(settings, model, strict=True)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        raise SprawlsimError(
            f"{where.rstrip('`') + ': ' if where else ''}{what[:1].lower()}{what[1:]}"
        ) from None


def find_path(name: str, folder: Path) -> str:
    """Take a name that is a path for one that begins in the folder of the experiment."""
    there = folder / name
    return str(there) if there.exists() and (there.is_dir() or there.suffix == ".toml") else name


def read_cards(cards: str | None, changes: list[str], folder: Path) -> CardSet:
    """Load a card set by name or path, changed; without a name the shipped one, whatever the environment."""
    from sprawlsim.sprawlops.cards import load_card_set
    from sprawlsim.sprawlops.cards.files import DEFAULT_SET

    return load_card_set(DEFAULT_SET if cards is None else find_path(cards, folder), changes)


def about_cards(cards: CardSet) -> About:
    """Tell which cards were played with."""
    from sprawlsim.sprawlops.cards import card_set_hash, stand_in_share

    invented, _ = stand_in_share(cards)
    name = cards.name.partition(" (changed")[0]
    note = f"Numbers of the card set {name!r} are partly stand-ins, not printed ones."
    return {"cards": cards.name, "card_set_hash": card_set_hash(cards), "notes": [note] if invented else []}


@lru_cache
def wing_sources() -> str:
    """Fingerprint the sources of this wing."""
    from sprawlsim.jit import source_hash

    return source_hash(SOURCES)
