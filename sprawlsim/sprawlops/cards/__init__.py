"""What is printed on the cards: models, strict files, names, changes for one run, spreadsheets."""

from __future__ import annotations

from sprawlsim.sprawlops.cards.changes import change_card_set
from sprawlsim.sprawlops.cards.files import (
    check_card_set,
    is_invented,
    load_card_set,
    read_card_set,
    shipped_sets,
    stand_in_share,
    write_card_set,
)
from sprawlsim.sprawlops.cards.lookup import deck_of, find_card, kind_of, matching_names, resolve_name
from sprawlsim.sprawlops.cards.model import (
    DECKS,
    AnyCard,
    CardSet,
    Deck,
    FinalMission,
    Gear,
    Loot,
    LootBonus,
    Mission,
    Runner,
    Source,
    Stage,
    StartingRunner,
    Task,
    Upgrade,
    card_set_hash,
)
from sprawlsim.sprawlops.cards.scaffold import write_scaffold
from sprawlsim.sprawlops.cards.spreadsheet import export_csv, import_csv, read_csv_card_set

__all__ = [
    "DECKS",
    "AnyCard",
    "CardSet",
    "Deck",
    "FinalMission",
    "Gear",
    "Loot",
    "LootBonus",
    "Mission",
    "Runner",
    "Source",
    "Stage",
    "StartingRunner",
    "Task",
    "Upgrade",
    "card_set_hash",
    "change_card_set",
    "check_card_set",
    "deck_of",
    "export_csv",
    "find_card",
    "import_csv",
    "is_invented",
    "kind_of",
    "load_card_set",
    "matching_names",
    "read_card_set",
    "read_csv_card_set",
    "resolve_name",
    "shipped_sets",
    "stand_in_share",
    "write_card_set",
    "write_scaffold",
]
