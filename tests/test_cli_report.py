"""``sprawlsim report`` and ``sprawlsim diff`` as a user runs them."""

import csv
import io
import json

import pytest

from sprawlsim.cli import report as command
from sprawlsim.sprawlops.reports.full import PARTS

FEW = ("--games", "500", "--quiet")


def test_a_part_is_printed_as_findings_and_tables(run):
    code, out, err = run("report", "cards", *FEW)
    assert code == 0
    assert out.startswith("Cards: what each is worth\n\n- ")
    assert "cost less worth" in out
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


def test_an_unknown_table_lists_those_there_are(run):
    code, _, err = run("report", "seats", *FEW, "--table", "seat")
    assert code == 2
    assert "--table 'seat': there are " in err


def test_the_parts_of_the_command_are_those_of_the_report():
    assert command.PARTS == PARTS


def test_diff_names_the_change_and_what_it_did(run):
    code, out, _ = run(
        "diff", "--set", "Datajack.cost=1", *FEW, "--players", "2", "--strategies", "champion,balanced"
    )
    assert code == 0
    assert "Datajack: cost: 5 to 1." in out
    assert "champion wins" in out


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
