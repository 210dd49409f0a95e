"""Card files are read strictly: each fault is one clear sentence, and nothing is half-loaded."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sprawlsim.errors import CardError
from sprawlsim.sprawlops.cards import (
    DECKS,
    check_card_set,
    load_card_set,
    read_card_set,
    shipped_sets,
    write_card_set,
    write_scaffold,
)
from sprawlsim.sprawlops.cards.files import SETS


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """A copy of the shipped set, to be broken."""
    return Path(shutil.copytree(SETS / "stand-in", tmp_path / "box"))


def edit(path: Path, old: str, new: str, count: int = 1) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path.name} no longer holds {old!r}"
    path.write_text(text.replace(old, new, count), encoding="utf-8")


FAULTS: dict[str, tuple[str, str | re.Pattern[str], str, list[str]]] = {
    "unknown key": (
        "gear.toml",
        "cost = 4\n",
        "cost = 4\nprize = 3\n",
        ["'Balanced Blade'", "prize", "the keys are name"],
    ),
    "mistyped key": ("gear.toml", "cost = 4\n", "cosst = 4\n", ["cosst", "did you mean 'cost'"]),
    "missing key": ("runners.toml", "cost = 8\n", "", ["'Lazar'", "cost is missing", "0 to 99"]),
    "text for a number": ("runners.toml", "cost = 8\n", 'cost = "8"\n', ["'Lazar'", 'cost = "8"', "0 to 99"]),
    "fraction": ("runners.toml", "cost = 8\n", "cost = 8.5\n", ["cost = 8.5", "whole number"]),
    "truth value": ("runners.toml", "cost = 8\n", "cost = true\n", ["cost = True", "whole number"]),
    "negative count": ("gear.toml", "rigger = 1 }", "rigger = -1 }", ["dice.rigger = -1", "0 to 6"]),
    "absurd dice": ("gear.toml", "rigger = 1 }", "rigger = 7 }", ["dice.rigger = 7", "0 to 6"]),
    "absurd cost": ("runners.toml", "cost = 8\n", "cost = 100\n", ["cost = 100", "0 to 99"]),
    "absurd copies": ("upgrades.toml", "copies = 5", "copies = 21", ["copies = 21", "1 to 20"]),
    "no copies": ("upgrades.toml", "copies = 5", "copies = 0", ["copies = 0", "1 to 20"]),
    "absurd icons": ("missions.toml", "mage = 3 }", "mage = 13 }", ["icons.mage = 13", "0 to 12"]),
    "empty stage": (
        "missions.toml",
        "icons = { mage = 3 }",
        "icons = { mage = 0 }",
        ["icons is empty", "at least one"],
    ),
    "no icons": ("missions.toml", "{ icons = { mage = 3 } },", "{ loot = 1 },", [".icons is missing"]),
    "no stages": (
        "final-missions.toml",
        re.compile(r"stages = \[.*?\n\]", re.DOTALL),
        "stages = []",
        ["stages is empty", "1 to 8 Stages"],
    ),
    "nine stages": (
        "final-missions.toml",
        re.compile(r"stages = \[.*?\n\]", re.DOTALL),
        "stages = [" + "{ icons = { mage = 1 } }," * 9 + "]",
        ["stages has 9 entries", "1 to 8"],
    ),
    "stage of the wrong kind": (
        "missions.toml",
        "{ icons = { mage = 3 } },",
        '"mage 3",',
        ['= "mage 3"', "icons, loot"],
    ),
    "unknown key of a stage": (
        "missions.toml",
        "loot = 1",
        "lot = 1",
        ["lot is not a key", "did you mean 'loot'"],
    ),
    "two loot cards": ("missions.toml", "loot = 1", "loot = 2", ["loot = 2", "0 or 1"]),
    "duplicate name": (
        "runners.toml",
        '"Corium"',
        '"LAZAR"',
        ["'LAZAR'", "name is also that of card 1 of runners.toml"],
    ),
    "duplicate across decks": (
        "gear.toml",
        '"Long Rifle"',
        '"evacuate"',
        ["'Evacuate'", "also that of", "gear.toml"],
    ),
    "empty name": ("runners.toml", '"Corium"', '""', ["card 2", 'name = ""', "1 to 80 characters"]),
    "name with a quotation mark": ("runners.toml", '"Corium"', "'Cor\"ium'", ["no quotation mark"]),
    "loot bonus not in the list": (
        "loot.toml",
        "success:mage",
        "sucess:mage",
        ["'Aqua Fortis'", 'bonus = "sucess:mage"', "evacuate, ignore-injury", "did you mean 'success:mage'"],
    ),
    "wrong role": (
        "runners.toml",
        '["mage"]',
        '["wizard"]',
        ["roles.1", '"wizard"', "street_samurai, decker"],
    ),
    "no role": ("runners.toml", '["mage"]', "[]", ["roles is empty"]),
    "a role twice": ("runners.toml", '["mage"]', '["mage", "mage"]', ["names something twice"]),
    "wrong colour of dice": (
        "gear.toml",
        "rigger = 1 }",
        "riger = 1 }",
        ["dice.riger", "did you mean 'rigger'"],
    ),
    "runner without dice": ("runners.toml", "{ mage = 3 }", "{ mage = 0 }", ["'Corium'", "dice is empty"]),
    "dice not a table": ("runners.toml", "{ mage = 3 }", "3", ["dice = 3", "a table of dice"]),
    "wrong source": ("loot.toml", '"rulebook"', '"web"', ['source = "web"', "rulebook, stand-in, owner"]),
    "wrong starting set": (
        "starting-runners.toml",
        '["face"]',
        '["mage"]',
        ["starting set 1", "street_samurai, decker, mage", "one each of street_samurai, decker, face"],
    ),
    "fifth starting set": ("starting-runners.toml", "set = 1", "set = 5", ["set = 5", "1 to 4"]),
    "upgrade without its die": ("upgrades.toml", 'die = "decker"\n', "", ["'Datajack'", "die is missing"]),
    "plating with a die": (
        "upgrades.toml",
        'kind = "dermal-plating"',
        'kind = "dermal-plating"\ndie = "mage"',
        ["die is only for"],
    ),
    "loot in a final mission": (
        "final-missions.toml",
        re.compile(r" \} \},"),
        " }, loot = 1 },",
        ["a Final Mission has no Loot"],
    ),
    "invented key that is none": (
        "runners.toml",
        '"cost", "loan"]',
        '"cost", "luck"]',
        ['invented names "luck"'],
    ),
    "invented on a stand-in": (
        "gear.toml",
        'source = "stand-in"',
        'source = "stand-in"\ninvented = ["cost"]',
        ["invented is only for source"],
    ),
    "key beside the cards": (
        "gear.toml",
        "[[card]]",
        "decks = 1\n[[card]]",
        ["decks is not a key", "[[card]]"],
    ),
    "bad syntax": ("loot.toml", "bonus = ", "bonus ", ["loot.toml: not valid TOML", "line"]),
    "set without a name": ("set.toml", 'name = "', 'nome = "', ["set.toml: nome", "did you mean 'name'"]),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_planted_fault_is_named_with_file_card_key_and_what_is_allowed(box: Path, kind: str) -> None:
    file, old, new, expected = FAULTS[kind]
    path = box / file
    if isinstance(old, str):
        edit(path, old, new)
    else:
        text, hits = old.subn(new, path.read_text(encoding="utf-8"), count=1)
        assert hits == 1
        path.write_text(text, encoding="utf-8")
    faults = check_card_set(box)
    told = next((fault for fault in faults if all(part in fault for part in expected)), None)
    assert told is not None, faults
    assert "\n" not in told
    with pytest.raises(CardError) as caught:
        load_card_set(box)
    assert faults[0] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_deck_is_named(box: Path) -> None:
    (box / "gear.toml").unlink()
    assert check_card_set(box) == [
        f"gear.toml: the file is missing in {box}; a card set has set.toml, starting-runners.toml, "
        "runners.toml, gear.toml, upgrades.toml, loot.toml, missions.toml, final-missions.toml, tasks.toml"
    ]


def test_an_empty_deck_is_a_fault(box: Path) -> None:
    (box / "loot.toml").write_text("", encoding="utf-8")
    assert check_card_set(box) == ["loot.toml: no card in it; a set needs at least one Loot card"]


def test_a_mistyped_file_name_is_noticed(box: Path) -> None:
    (box / "gear.toml").rename(box / "gears.toml")
    faults = check_card_set(box)
    assert len(faults) == 2
    assert any(
        fault.startswith("gears.toml: not a file of a card set") and "'gear.toml'" in fault
        for fault in faults
    )


def test_text_that_is_not_utf8_is_named(box: Path) -> None:
    (box / "loot.toml").write_bytes('# caf\xe9\n[[card]]\nname = "x"\n'.encode("latin-1"))
    assert check_card_set(box) == ["loot.toml: not UTF-8 text; save it as UTF-8"]


def test_check_finds_every_planted_fault_at_once(box: Path) -> None:
    edit(box / "set.toml", 'description = "', 'colour = "')
    edit(box / "gear.toml", "cost = 4\n", "cost = -4\n")
    edit(box / "gear.toml", "rigger = 1 }", "rigger = 9, mgae = 1 }")
    edit(box / "runners.toml", '"Corium"', '"Lazar"')
    edit(box / "runners.toml", '["street_samurai", "rigger"]', '["samurai"]')
    edit(box / "upgrades.toml", 'die = "decker"\n', "")
    edit(box / "upgrades.toml", "copies = 5", 'copies = "five"')
    edit(box / "loot.toml", '"evacuate"', '"escape"')
    edit(box / "loot.toml", 'source = "stand-in"', "")
    edit(box / "missions.toml", "{ icons = { mage = 3 } },", "{ icons = {}, payout = 100, when = 1 },")
    edit(box / "final-missions.toml", " } },", " }, payout = 1 },")
    edit(box / "starting-runners.toml", "set = 4", "set = 3")
    (box / "tasks.toml").write_text("[[card]\n", encoding="utf-8")
    faults = check_card_set(box)
    planted = [
        ["tasks.toml", "not valid TOML"],
        ["set.toml", "colour"],
        ["gear.toml", "Balanced Blade", "cost = -4"],
        ["gear.toml", "Jackrabbit", "dice.rigger = 9"],
        ["gear.toml", "Jackrabbit", "dice.mgae"],
        ["runners.toml", "'Lazar'", "also that of"],
        ["runners.toml", "'Lazar'", 'roles.1 = "samurai"'],
        ["upgrades.toml", "Datajack", "die is missing"],
        ["upgrades.toml", "Dermal Plating", 'copies = "five"'],
        ["loot.toml", "Evacuate", 'bonus = "escape"'],
        ["loot.toml", "source is missing"],
        ["missions.toml", "icons is empty"],
        ["missions.toml", "payout = 100"],
        ["missions.toml", "when is not a key"],
        ["final-missions.toml", "no payout"],
        ["starting-runners.toml", "starting set 3"],
        ["starting-runners.toml", "starting set 4"],
    ]
    for parts in planted:
        assert any(all(part in fault for part in parts) for fault in faults), parts
    assert len(faults) == len(planted)


def test_one_fault_keeps_the_whole_set_from_loading_and_the_rest_is_counted(box: Path) -> None:
    edit(box / "gear.toml", "cost = 4\n", "cost = -4\n")
    edit(box / "loot.toml", '"evacuate"', '"escape"')
    assert read_card_set(box).cards is None
    with pytest.raises(CardError, match=r"1 more: 'sprawlsim cards check' lists all"):
        load_card_set(box)


def test_counts_unlike_the_box_are_warnings_only(box: Path) -> None:
    edit(box / "upgrades.toml", "copies = 5", "copies = 4")
    edit(box / "runners.toml", '["mage"]', '["rigger"]')
    reading = read_card_set(box)
    assert reading.faults == []
    assert reading.cards is not None
    assert len(reading.warnings) == 2
    assert "card 'Corium'" in reading.warnings[0]
    assert reading.warnings[1] == "upgrades.toml: 14 Upgrades; the box has 15"
    assert read_card_set(SETS / "stand-in").warnings == []


def test_zero_of_a_colour_is_the_same_as_leaving_it_out(box: Path) -> None:
    edit(box / "runners.toml", "{ mage = 3 }", "{ mage = 3, decker = 0 }")
    assert load_card_set(box) == load_card_set("stand-in")


def test_the_set_is_chosen_by_argument_then_environment_then_stand_in(
    box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(box / "set.toml", 'name = "stand-in"', 'name = "mine"')
    monkeypatch.delenv("SPRAWLSIM_CARDS", raising=False)
    assert load_card_set().name == "stand-in"
    monkeypatch.setenv("SPRAWLSIM_CARDS", str(box))
    assert load_card_set().name == "mine"
    assert load_card_set("stand-in").name == "stand-in"
    assert load_card_set(box).name == load_card_set(str(box)).name == "mine"
    monkeypatch.setenv("SPRAWLSIM_CARDS", "stand in")
    with pytest.raises(CardError, match=r"SPRAWLSIM_CARDS: 'stand in' is neither .* did you mean 'stand-in'"):
        load_card_set()


@pytest.mark.parametrize("name", shipped_sets())
def test_shipped_sets_have_no_faults(name: str) -> None:
    assert check_card_set(SETS / name) == []


def test_no_directory_is_an_error_not_an_empty_set(tmp_path: Path) -> None:
    with pytest.raises(CardError, match="is not a directory with card files"):
        check_card_set(tmp_path / "nowhere")
    with pytest.raises(CardError, match="neither a shipped card set"):
        load_card_set(tmp_path / "nowhere")


def test_a_written_set_reads_back_equal(tmp_path: Path) -> None:
    cards = load_card_set("stand-in")
    write_card_set(cards, tmp_path / "copy")
    assert load_card_set(tmp_path / "copy") == cards
    assert [path.name for path in tmp_path.iterdir()] == ["copy"]


def test_writing_never_touches_what_is_there(tmp_path: Path) -> None:
    cards = load_card_set("stand-in")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    for name in ("full", "file"):
        with pytest.raises(CardError, match="exists and is not an empty directory"):
            write_card_set(cards, tmp_path / name)
    with pytest.raises(CardError, match="cannot be written"):
        write_card_set(cards, tmp_path / "file" / "below")
    assert (tmp_path / "full" / "note.txt").read_text(encoding="utf-8") == "mine"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "full", "note.txt"]


def test_an_interrupted_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []

    def full_disk(self: Path, *_: object, **__: object) -> int:
        written.append(self.name)
        if len(written) > 3:
            raise OSError(28, "No space left on device")
        self.touch()
        return 0

    monkeypatch.setattr(Path, "write_text", full_disk)
    with pytest.raises(CardError, match="No space left on device"):
        write_card_set(load_card_set("stand-in"), tmp_path / "copy")
    assert len(written) == 4
    assert list(tmp_path.iterdir()) == []


def test_a_scaffold_has_the_box_and_loads_only_when_filled_in(tmp_path: Path) -> None:
    write_scaffold(tmp_path / "mine")
    reading = read_card_set(tmp_path / "mine")
    assert reading.cards is None
    assert reading.warnings == []
    blank = [fault for fault in reading.faults if 'its name is "?"' in fault]
    # All but Dermal Plating, Commlink and the two Tasks, which the rulebook names.
    assert len(blank) == 12 + 15 + 20 + 5 + 11 + 20 + 5
    assert any("'Commlink': cost is still \"?\"; write a whole number" in fault for fault in reading.faults)
    with pytest.raises(CardError, match="still to be filled in"):
        load_card_set(tmp_path / "mine")
    for info in DECKS.values():
        shutil.copy(SETS / "stand-in" / f"{info.file}.toml", tmp_path / "mine")
    assert load_card_set(tmp_path / "mine").name == "my box"


def test_reading_cards_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from sprawlsim.sprawlops.team import starting_team\n"
        "from sprawlsim.sprawlops.cards import load_card_set\n"
        "from sprawlsim.cli.complete import complete_card_names\n"
        "starting_team(load_card_set('stand-in'))\n"
        "heavy = {'numpy', 'numba', 'pandas', 'scipy', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
