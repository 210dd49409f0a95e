"""``sprawlsim cards`` as a user runs it: data on stdout, notes on stderr, exit code 2 when bad."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from command_line import Run
from typer.testing import CliRunner

from sprawlsim import cli
from sprawlsim.cli.complete import complete_card_names, complete_team
from sprawlsim.errors import SprawlsimError
from sprawlsim.reports.rows import render_rows
from sprawlsim.sprawlops.cards import find_card, load_card_set
from sprawlsim.sprawlops.cards.files import SETS


def test_list_shows_every_card_and_says_that_numbers_are_stand_ins(run: Run) -> None:
    done = run("cards", "list")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].split() == ["deck", "name", "copies", "source", "what"]
    assert len(lines) - 1 == sum(1 for _ in load_card_set("stand-in").pairs())
    assert "note: of the 92 cards of 'stand-in', 90 have numbers that are stand-ins" in done.err


def test_list_of_a_deck_in_each_format(run: Run) -> None:
    table = run("cards", "list", "gear").out.splitlines()
    assert table[0].split() == ["name", "requirement", "dice", "cost", "loan", "copies", "source"]
    assert table[1].split() == [
        "Chrysler-Nissan",
        "Jackrabbit",
        "any",
        "runner",
        "1",
        "Rigger",
        "5",
        "1",
        "1",
        "rulebook",
    ]
    objects = json.loads(run("cards", "list", "gear", "--format", "json").out)
    assert objects[0]["dice"] == {"rigger": 1}
    assert objects[1]["requirement"] == ["decker"]
    rows = list(csv.DictReader(io.StringIO(run("cards", "list", "gear", "--format", "csv").out)))
    assert [row["name"] for row in rows] == [item["name"] for item in objects]
    markdown = run("cards", "list", "gear", "--format", "md").out.splitlines()
    assert len(markdown) == 22
    assert markdown[1].split("|")[4].strip().endswith("-:")


@pytest.mark.parametrize("deck", ["final-missions", "final_missions", "final", "FINAL"])
def test_a_deck_is_named_as_freely_as_a_card(run: Run, deck: str) -> None:
    assert len(run("cards", "list", deck).out.splitlines()) == 6


def test_show_tells_stages_payouts_and_what_is_not_from_the_rulebook(run: Run) -> None:
    done = run("cards", "show", "some noise", "--set", "Make Some Noise.stages.2.icons.mage=1")
    assert done.code == 0
    assert "Make Some Noise - Mission" in done.out
    assert "Stage 2: 4 Decker, 1 Mage (optional Loot Stage)" in done.out
    assert "not from the rulebook: payout, stages.3.payout, stages.4" in done.out
    assert "(changed: Make Some Noise.stages.2.icons.mage=1)" in done.out


def test_cards_option_and_environment_choose_the_set(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(SETS / "stand-in", "mine")
    text = Path("mine/loot.toml").read_text(encoding="utf-8")
    Path("mine/loot.toml").write_text(text.replace('"Evacuate"', '"Way Out"'), encoding="utf-8")
    assert "Way Out" in run("cards", "list", "loot", "--cards", "mine").out
    assert "Way Out" not in run("cards", "list", "loot").out
    monkeypatch.setenv("SPRAWLSIM_CARDS", "mine")
    assert "Way Out" in run("cards", "list", "loot").out


def test_check_prints_each_fault_on_a_line_and_leaves_with_2(run: Run) -> None:
    shutil.copytree(SETS / "stand-in", "mine")
    assert run("cards", "check", "mine") == (0, "mine: no faults\n", "")
    text = Path("mine/gear.toml").read_text(encoding="utf-8")
    text = text.replace("cost = 4\n", "cost = -4\n", 1).replace('"Long Rifle"', '"Small Drone"')
    Path("mine/gear.toml").write_text(text, encoding="utf-8")
    Path("mine/loot.toml").unlink()
    done = run("cards", "check", "mine")
    assert done.code == 2
    assert len(done.out.splitlines()) == 3
    for part in ("loot.toml: the file is missing", "cost = -4", "'Small Drone': name is also that of"):
        assert part in done.out
    assert done.err == ""


def test_check_warns_of_counts_unlike_the_box(run: Run) -> None:
    shutil.copytree(SETS / "stand-in", "mine")
    text = Path("mine/upgrades.toml").read_text(encoding="utf-8")
    Path("mine/upgrades.toml").write_text(text.replace("copies = 5", "copies = 6", 1), encoding="utf-8")
    done = run("cards", "check", "mine")
    assert done == (0, "mine: no faults\n", "warning: upgrades.toml: 16 Upgrades; the box has 15\n")


def test_new_writes_a_scaffold_that_check_walks_through(run: Run) -> None:
    assert run("cards", "new", "mine").code == 0
    done = run("cards", "check", "mine")
    assert done.code == 2
    assert "runners.toml: card 15: still to be filled in" in done.out
    again = run("cards", "new", "mine")
    assert (again.code, again.err) == (
        2,
        "error: mine exists and is not an empty directory; name a new one\n",
    )


def test_a_spreadsheet_round_trip_loses_nothing(run: Run) -> None:
    assert run("cards", "export", "sheets", "--csv", "--set", "Datajack.cost=1").code == 0
    assert run("cards", "check", "sheets").code == 0
    assert run("cards", "import", "sheets", "mine").code == 0
    assert load_card_set("mine") == load_card_set("stand-in", ["Datajack.cost=1"])
    assert run("cards", "export", "again", "--csv", "--cards", "mine").code == 0
    for path in Path("sheets").iterdir():
        assert (Path("again") / path.name).read_bytes() == path.read_bytes()


def test_export_without_csv_writes_toml(run: Run) -> None:
    assert run("cards", "export", "variant").code == 0
    assert load_card_set("variant") == load_card_set("stand-in")


def test_a_failed_import_writes_nothing(run: Run) -> None:
    run("cards", "export", "sheets", "--csv")
    text = Path("sheets/loot.csv").read_text(encoding="utf-8")
    Path("sheets/loot.csv").write_text(text.replace("evacuate", "escape"), encoding="utf-8")
    done = run("cards", "import", "sheets", "mine")
    assert done.code == 2
    assert done.err.startswith(
        "error: sheets: loot.csv: card 'Evacuate': bonus = \"escape\" is not one of evacuate"
    )
    assert [path.name for path in Path().iterdir()] == ["sheets"]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["list", "gera"], "no deck is called 'gera'; did you mean 'gear'?"),
        (["list", "--format", "jsn"], "'jsn' is not one of table, json, csv, md; did you mean 'json'?"),
        (
            ["list", "--cards", "nowhere"],
            "'nowhere' is neither a shipped card set (stand-in) nor a directory",
        ),
        (["list", "--set", "Datajack.cost"], "'Datajack.cost' is not a change of a card"),
        (["show", "nothing at all"], "no card is called 'nothing at all'"),
        (["show", "samurai"], "could be any of Steady Samurai"),
        (["show", ""], "the name is empty"),
        (["check", "nowhere"], "nowhere is not a directory with card files"),
        (["import", "nowhere", "mine"], "nowhere is not a directory with CSV files"),
        (["export", "."], "exists and is not an empty directory"),
    ],
)
def test_bad_input_is_one_sentence_on_stderr_and_exit_code_2(
    run: Run, arguments: list[str], part: str
) -> None:
    Path("occupied").touch()
    done = run("cards", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1
    assert part in done.err
    assert [path.name for path in Path().iterdir()] == ["occupied"]


@pytest.mark.parametrize("command", ["list", "show", "check", "new", "export", "import"])
def test_each_help_has_an_example_on_a_line_of_its_own(command: str) -> None:
    told = CliRunner().invoke(cli.app, ["cards", command, "--help"]).output
    assert any(line.strip().startswith(f"sprawlsim cards {command}") for line in told.splitlines())


def test_rows_are_aligned_and_numbers_stand_right() -> None:
    headers = ["name", "cost"]
    rows: list[list[object]] = [["Datajack", 5], ["A | B", 12], ["none", None]]
    assert render_rows(headers, rows, "table") == "name      cost\nDatajack     5\nA | B       12\nnone"
    assert render_rows(headers, rows, "md") == (
        "| name     | cost |\n| -------- | ---: |\n"
        "| Datajack |    5 |\n| A \\| B   |   12 |\n| none     |      |"
    )
    assert render_rows(headers, rows, "csv") == "name,cost\nDatajack,5\nA | B,12\nnone,"
    assert json.loads(render_rows(headers, rows, "json")) == [
        {"name": "Datajack", "cost": 5},
        {"name": "A | B", "cost": 12},
        {"name": "none", "cost": None},
    ]
    assert render_rows(headers, [], "table") == "name  cost"
    with pytest.raises(SprawlsimError, match="not one of table, json, csv, md"):
        render_rows(headers, rows, "xml")


def context(**parameters: object) -> typer.Context:
    made = typer.Context(typer.main.get_command(cli.app))
    made.params.update(parameters)
    return made


def test_completion_offers_names_of_the_fitting_decks() -> None:
    missions = complete_card_names("missions")
    assert missions(context(), "Mak") == ["Make Some Noise"]
    assert missions(context(), "lazar") == []
    assert complete_card_names()(context(), "Laz") == ["Lazar"]
    assert len(complete_card_names("loot")(context(), "")) == 11
    assert missions(context(cards="nowhere"), "Mak") == []


@pytest.mark.parametrize(("typed", "completed"), [("mak", "make Some Noise"), ("TSU", "TSUrugi Cyberdeck")])
def test_completion_keeps_what_was_typed_and_still_names_the_card(typed: str, completed: str) -> None:
    assert complete_card_names()(context(), typed) == [completed]
    assert completed.casefold() in find_card(load_card_set("stand-in"), completed).name.casefold()


def test_the_shell_is_offered_a_card_by_any_of_its_words() -> None:
    asked = {
        "_SPRAWLSIM_COMPLETE": "complete_bash",
        "COMP_WORDS": "sprawlsim cards show jackr",
        "COMP_CWORD": "3",
    }
    code = "import sys; sys.argv = ['sprawlsim']; from sprawlsim.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["jackrabbit"]


def test_completion_of_a_team_goes_on_after_commas_and_plus_signs() -> None:
    assert complete_team(context(), "Tam") == ["Tamsynn"]
    assert complete_team(context(), "Tamsynn + Dataj") == ["Tamsynn + Datajack"]
    assert complete_team(context(), "Tamsynn + Datajack, hired Laz") == ["Tamsynn + Datajack, hired Lazar"]
