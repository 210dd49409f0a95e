"""``sprawlsim report`` and ``sprawlsim diff`` as a user runs them."""

import csv
import io
import json
import re

import pytest

from sprawlsim.cli import report as command
from sprawlsim.sprawlops.reports.full import PARTS, TABLES

FEW = ("--games", "500", "--quiet")


def test_a_part_is_printed_as_findings_and_tables(run):
    code, out, err = run("report", "cards", *FEW)
    assert code == 0
    assert out.startswith("Cards: what each is worth\n\n- ")
    assert "cost less its like" in out
    assert "win rate of players who bought a card would not tell" in " ".join(out.split())
    assert err == ""


def test_one_table_as_csv_has_plain_numbers_and_intervals(run):
    code, out, _ = run("report", "cards", *FEW, "--table", "cards", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert len(rows) > 50
    for row in rows:
        assert float(row["gain_low"]) <= float(row["gain"]) <= float(row["gain_high"])


def test_json_is_strict_and_the_same_every_time(run):
    first = run("report", "seats", *FEW, "--format", "json")
    told = json.loads(first[1], parse_constant=pytest.fail)
    assert first[0] == 0
    assert [section["name"] for section in told["sections"]] == ["seats"]
    assert list(told["sections"][0]["tables"]) == list(TABLES["seats"])
    assert told["facts"]["seed"] == "1"
    assert run("report", "seats", *FEW, "--format", "json", "--threads", "1")[1] == first[1]


def test_a_folder_holds_a_page_tables_and_pictures(run, tmp_path):
    code, out, _ = run("report", "strategies", *FEW, "--out", "results")
    assert (code, out) == (0, "")
    page = (tmp_path / "results" / "index.html").read_text()
    assert "stand-in numbers" in page
    assert "<script src=" not in page
    names = {path.suffix for path in (tmp_path / "results").iterdir()}
    assert {".html", ".csv", ".png", ".svg"} <= names


def test_what_is_no_report_is_told_before_anything_is_played(run, tmp_path):
    code, out, err = run("report", "card")
    assert (code, out) == (2, "")
    assert "'card' is no report; there are missions, cards, rules, strategies, seats" in err
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("keep me")
    code, _, err = run("report", "seats", *FEW, "--out", "mine")
    assert code == 2
    assert "mine" in err
    assert (tmp_path / "mine" / "letter.txt").read_text() == "keep me"


@pytest.fixture
def unplayed(monkeypatch):
    """Let nothing be played."""
    monkeypatch.setattr("sprawlsim.sprawlops.reports.full.make_section", pytest.fail)
    monkeypatch.setattr("sprawlsim.sprawlops.reports.teams.reference_teams", pytest.fail)


@pytest.mark.parametrize("words", [("report", "seats"), ("diff", "--set", "Datajack.cost=3")])
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--table", "seat"), "--table 'seat': there are "),
        (("--out", ""), "a folder of its own, not the one you are in"),
        (("--out", "letter.txt/report"), "letter.txt is a file"),
        (("--out", "new", "--format", "csv"), "leave out one or the others"),
        (("--out", "new", "--table", "seats"), "--table"),
    ],
)
def test_what_could_not_be_given_is_told_before_playing(run, unplayed, tmp_path, words, options, told):
    (tmp_path / "letter.txt").write_text("keep me")
    code, out, err = run(*words, *options)
    assert (code, out) == (2, "")
    assert told in err
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_table_alone_plays_only_its_part(run):
    code, out, err = run("report", "--games", "500", "--table", "game-length", "--format", "csv")
    assert code == 0
    assert out.startswith("table,players,games,rounds,")
    assert [line for line in err.splitlines() if line.endswith("...")] == ["seats..."]


def test_csv_of_several_tables_says_which_are_left_out(run):
    _, out, err = run("report", "seats", "--games", "500", "--format", "csv")
    assert out.startswith("table,players,seat,")
    assert "--table NAME prints another: seat-turns, first-player, game-length, leads" in err


def test_the_parts_of_the_command_are_those_of_the_report():
    assert command.PARTS == PARTS


def test_diff_names_the_change_and_what_it_did(run):
    code, out, _ = run(
        "diff", "--set", "Datajack.cost=1", *FEW, "--players", "2", "--strategies", "champion,balanced"
    )
    assert code == 0
    assert "Datajack: cost: 5 to 1." in out
    assert "champion wins" in out


def test_diff_without_two_sides_says_what_is_wrong(run):
    three = ("--cards", "stand-in") * 3
    assert "--cards names 3 card sets, but two are compared" in run("diff", *three)[2]
    assert (
        "two --cards are compared as they are; for what --set CARD.KEY=VALUE changes"
        in (run("diff", *three[:4], "--set", "Datajack.cost=1")[2])
    )
    assert "name what is to be compared" in run("diff")[2]


def test_bars_say_what_they_are_of(run, monkeypatch):
    monkeypatch.setattr("sprawlsim.cli.asking.PATIENCE", 0.0)
    _, _, err = run("report", "cards", "--games", "500", "--table", "cards", "--quick")
    told = re.findall(r"(?<=cards: )\w+", err)
    assert list(dict.fromkeys(told)) == ["games", "Missions"]  # shares are in other tables


def test_diff_of_two_sets(run):
    options = ("--players", "2", "--strategies", "champion,balanced", "--format", "json")
    code, _, err = run("diff", "--cards", "stand-in", "--cards", "stand-in", *FEW, *options)
    assert code == 2
    assert "are the same" in err


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--cards", "stand-in"),
        ("--cards", "stand-in", "--cards", "stand-in", "--set", "Datajack.cost=1"),
        ("--set", "Datajack.cost=1", "--rounds", "four"),
    ],
)
def test_diff_of_nothing_says_how_to_ask(run, arguments):
    code, out, err = run("diff", *arguments, "--quiet")
    assert (code, out) == (2, "")
    assert "--set CARD.KEY=VALUE" in err or "such as 4,6" in err
