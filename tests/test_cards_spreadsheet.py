"""A card set survives a spreadsheet: exported, rearranged and imported, it is equal."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sprawlsim.errors import CardError
from sprawlsim.sprawlops.cards import (
    CardSet,
    FinalMission,
    Gear,
    Loot,
    Mission,
    Runner,
    Source,
    Stage,
    StartingRunner,
    Task,
    Upgrade,
    export_csv,
    import_csv,
    load_card_set,
    read_csv_card_set,
    write_card_set,
)
from sprawlsim.sprawlops.cards.files import render_card_set
from sprawlsim.sprawlops.cards.model import NAME_PATTERN, TEXT_PATTERN
from sprawlsim.sprawlops.roles import ROLES


@pytest.fixture
def sheets(tmp_path: Path) -> Path:
    export_csv(load_card_set("stand-in"), tmp_path / "sheets")
    return tmp_path / "sheets"


def rows_of(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))


def rewrite(path: Path, rows: list[list[str]], *, prefix: str = "", **form: Any) -> None:
    text = io.StringIO()
    csv.writer(text, **form).writerows(rows)
    path.write_bytes((prefix + text.getvalue()).encode("utf-8"))


def set_cell(path: Path, row: int, column: str, value: str) -> None:
    rows = rows_of(path)
    rows[row][rows[0].index(column)] = value
    rewrite(path, rows)


def test_export_then_import_gives_an_equal_set(sheets: Path) -> None:
    assert import_csv(sheets) == load_card_set("stand-in")


def test_exported_cells_are_numbers_under_dotted_names(sheets: Path) -> None:
    header, *rows = rows_of(sheets / "missions.csv")
    noise = dict(zip(header, next(row for row in rows if row[0] == "Make Some Noise"), strict=True))
    assert noise["stages.1.icons.mage"] == "3"
    assert noise["stages.2.icons.decker"] == "4"
    assert noise["stages.2.loot"] == "1"
    assert noise["stages.1.icons.decker"] == ""
    header, *rows = rows_of(sheets / "runners.csv")
    lazar = dict(zip(header, rows[0], strict=True))
    assert (lazar["name"], lazar["roles"]) == ("Lazar", "street_samurai, rigger")
    assert (lazar["dice.street_samurai"], lazar["dice.rigger"]) == ("2", "1")


def test_a_spreadsheet_may_reorder_quote_separate_pad_and_mark_as_it_likes(sheets: Path) -> None:
    for path in sheets.iterdir():
        header, *rows = rows_of(path)
        turned = [[*reversed(row), "", ""] for row in [header, *rows]]
        numbers = [[f"{cell}.0" if cell.isdecimal() else cell for cell in row] for row in turned]
        blank = [""] * len(turned[0])
        rewrite(
            path,
            [*numbers, blank],
            prefix="\ufeff",
            delimiter=";",
            quoting=csv.QUOTE_ALL,
            lineterminator="\r\n",
        )
    assert import_csv(sheets) == load_card_set("stand-in")


def test_tabs_and_zeros_are_read_too(sheets: Path) -> None:
    path = sheets / "gear.csv"
    header, *rows = rows_of(path)
    filled = [
        [
            "0" if not cell and name.startswith("dice.") else cell
            for name, cell in zip(header, row, strict=True)
        ]
        for row in rows
    ]
    rewrite(path, [header, *filled], delimiter="\t")
    assert import_csv(sheets) == load_card_set("stand-in")


@pytest.mark.parametrize(
    ("file", "row", "column", "value", "parts"),
    [
        (
            "gear",
            1,
            "cost",
            "cheap",
            ["gear.csv", "'Chrysler-Nissan Jackrabbit'", 'cost = "cheap"', "0 to 99"],
        ),
        ("gear", 1, "cost", "2.5", ['cost = "2.5"', "whole number"]),
        ("gear", 1, "cost", "", ["cost is missing"]),
        ("gear", 1, "dice.rigger", "7", ["dice.rigger = 7", "0 to 6"]),
        ("gear", 2, "requirement", "hacker", ["requirement.1", '"hacker"', "street_samurai"]),
        ("runners", 2, "dice.mage", "", ["'Corium'", "dice is empty"]),
        ("runners", 2, "name", "Lazar", ["name is also that of card 1 of runners.csv"]),
        ("loot", 1, "bonus", "success", ["bonus", "did you mean"]),
        ("missions", 1, "stages.1.icons.street_samurai", "", ["stages.1.icons is missing"]),
        ("set", 1, "name", "", ["set.csv: name is missing"]),
    ],
)
def test_a_wrong_cell_is_named_as_in_toml(
    sheets: Path, file: str, row: int, column: str, value: str, parts: list[str]
) -> None:
    set_cell(sheets / f"{file}.csv", row, column, value)
    with pytest.raises(CardError) as caught:
        import_csv(sheets)
    for part in parts:
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wrong_columns_and_rows_are_named(sheets: Path) -> None:
    header, *rows = rows_of(sheets / "gear.csv")
    rewrite(sheets / "gear.csv", [["nmae", *header[1:]], *rows])
    header, *rows = rows_of(sheets / "loot.csv")
    rewrite(sheets / "loot.csv", [[*header, "name"], *[[*row, ""] for row in rows]])
    header, *rows = rows_of(sheets / "runners.csv")
    rewrite(sheets / "runners.csv", [header, [*rows[0], "", "stray"], *rows[1:]])
    (sheets / "upgrades.csv").write_bytes(b"name,cost\ncaf\xe9,1\n")
    (sheets / "missions.csv").write_text("", encoding="utf-8")
    (sheets / "tasks.csv").unlink()
    (sheets / "final-missions.csv").write_text('name\n"open', encoding="utf-8")
    reading = read_csv_card_set(sheets)
    assert reading.cards is None
    planted = [
        ["gear.csv: column 'nmae'", "did you mean 'name'"],
        ["loot.csv: column 'name' occurs twice"],
        ["runners.csv: row 2 has more cells"],
        ["upgrades.csv: not UTF-8"],
        ["missions.csv: the file is empty"],
        ["tasks.csv: the file is missing"],
        ["final-missions.csv: not valid CSV"],
    ]
    for parts in planted:
        assert any(all(part in fault for part in parts) for fault in reading.faults), parts
    assert len(reading.faults) == len(planted)


def test_a_deleted_requirement_column_is_not_taken_for_any_runner(sheets: Path) -> None:
    rows = rows_of(sheets / "gear.csv")
    place = rows[0].index("requirement")
    rewrite(sheets / "gear.csv", [row[:place] + row[place + 1 :] for row in rows])
    faults = read_csv_card_set(sheets).faults
    assert len(faults) == 20
    assert all("requirement is missing" in fault for fault in faults)


def test_no_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(CardError, match="is not a directory with CSV files"):
        import_csv(tmp_path / "nowhere")


names = st.from_regex(NAME_PATTERN).filter(lambda name: len(name) <= 80 and name != "?")
texts = st.from_regex(TEXT_PATTERN).filter(lambda text: len(text) <= 200)
nuyen = st.integers(0, 99)
roles = st.lists(st.sampled_from(ROLES), min_size=1, unique=True).map(tuple)
copies = st.integers(1, 20)
dice = st.dictionaries(st.sampled_from(ROLES), st.integers(1, 6), min_size=1)
icons = st.dictionaries(st.sampled_from(ROLES), st.integers(1, 12), min_size=1)
marks: st.SearchStrategy[Source] = st.sampled_from(["rulebook", "stand-in", "owner"])
stages = st.builds(Stage, icons=icons, loot=st.integers(0, 1), payout=nuyen, source=st.none() | marks)


def many(strategy: Any, most: int = 3) -> Any:
    return st.lists(strategy, min_size=1, max_size=most).map(tuple)


@st.composite
def card_sets(draw: st.DrawFn) -> CardSet:
    """Draw any legal card set, names being whatever the rules for names allow."""
    fresh = iter(draw(st.lists(names, min_size=40, max_size=40, unique_by=str.casefold)))
    name = st.builds(lambda: next(fresh))
    common = {"name": name, "source": marks}
    prices = {"cost": nuyen, "loan": nuyen}
    starting = tuple(
        StartingRunner(
            name=next(fresh), source=draw(marks), set=2, roles=(role,), dice=draw(dice), loan=draw(nuyen)
        )
        for role in ("street_samurai", "decker", "face")
    )
    upgrade = st.builds(
        Upgrade, **common, **prices, copies=copies, kind=st.sampled_from(["commlink"])
    ) | st.builds(Upgrade, **common, **prices, copies=copies, kind=st.just("die"), die=st.sampled_from(ROLES))
    bonus = st.sampled_from(["evacuate", "success:face", "die:mage"])
    few_stages = st.lists(stages, min_size=1, max_size=8).map(tuple)
    plain = st.lists(st.builds(Stage, icons=icons), min_size=1, max_size=8).map(tuple)
    return CardSet(
        name=draw(names),
        description=draw(texts),
        starting_runners=starting,
        runners=draw(many(st.builds(Runner, **common, **prices, roles=roles, dice=dice))),
        gear=draw(
            many(
                st.builds(
                    Gear,
                    **common,
                    **prices,
                    copies=copies,
                    requirement=st.just(()) | roles,
                    dice=st.just({}) | dice,
                )
            )
        ),
        upgrades=draw(many(upgrade)),
        loot=draw(many(st.builds(Loot, **common, bonus=bonus, copies=copies))),
        missions=draw(
            many(
                st.builds(
                    Mission,
                    name=name,
                    source=st.just("rulebook"),
                    payout=nuyen,
                    stages=few_stages,
                    invented=st.sampled_from([(), ("payout", "stages.1")]),
                )
            )
        ),
        final_missions=draw(many(st.builds(FinalMission, **common, stages=plain))),
        tasks=draw(
            many(
                st.builds(
                    Task,
                    **common,
                    icons=icons,
                    payout=nuyen,
                    loot_draw=st.integers(0, 11),
                    rerolls=st.integers(0, 3),
                )
            )
        ),
    )


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(cards=card_sets())
def test_any_legal_set_survives_toml_and_csv(
    tmp_path_factory: pytest.TempPathFactory, cards: CardSet
) -> None:
    place = tmp_path_factory.mktemp("sets")
    write_card_set(cards, place / "toml")
    again = load_card_set(place / "toml")
    assert again == cards
    export_csv(again, place / "csv")
    assert import_csv(place / "csv") == cards
    assert render_card_set(again) == render_card_set(cards)
