"""``sprawlsim advise`` as a player runs it: plays on stdout, notes beside data on stderr, 2 when bad."""

from __future__ import annotations

import csv
import io
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command_line import Run

import sprawlsim as ss

TEAM = (
    "Tamsynn + Datajack + Dermal Plating, Lazar + Jackrabbit + Tailored Pheromones + Commlink(street samurai)"
)
HAND = ("--team", TEAM, "--tokens", "1", "--loot", "Aqua Fortis")
ROLL = "decker SSI, street samurai S--, rigger -I, face S"
ROLLED = ("make some noise", *HAND, "--stage", "3", "--roll-number", "2", "--left", "mage 1", "--roll", ROLL)
"""A roll where everything can be done at once: a wild pair, colours that cancel, a plate."""
WORKED = ("make some noise", *HAND, "--stage", "3", "--roll", "decker SSI, samurai ---, rigger I-, face -")
"""The first roll of Stage 3 in the rulebook's worked example."""
SCENARIO = """
docwagon_tokens = 1
loot_cards = ["success:decker"]

[[stages]]
icons = { decker = 3 }

[[stages]]
icons = { decker = 1 }
loot = 1

[[runners]]
name = "Ann"
dice = { decker = 3 }
dermal_plating = true

[[runners]]
name = "Bo"
dice = { decker = 1, face = 1 }
"""


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Compile the kernels, so that no test hears of it on stderr."""
    ss.advise("errand", rerolls=1, roll="samurai S-, decker SI, face -")


@pytest.fixture
def run(run: Run) -> Run:
    """Run ``sprawlsim advise``."""
    return partial(run, "advise")


@pytest.fixture
def heist() -> str:
    """A scenario file in the directory where `run` runs."""
    Path("heist.toml").write_text(SCENARIO, encoding="utf-8")
    return "heist.toml"


def answer(run: Run, *arguments: str) -> dict[str, Any]:
    done = run(*arguments, "--format", "json", "--quiet")
    assert (done.code, done.err) == (0, "")
    told: dict[str, Any] = json.loads(done.out)
    return told


def words(told: dict[str, Any]) -> list[str]:
    return [play["play"] for play in told["plays"]]


def test_the_plays_of_a_roll_are_ranked_in_words_with_odds_injuries_and_costs(run: Run) -> None:
    done = run(*ROLLED, "--all")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "Make Some Noise, Stage 3 of 4, roll 2, 1 Mage to defeat."
    assert lines[1].startswith("Team: Tamsynn + Dermal Plating + Datajack, Lazar + ")
    assert re.search(r"^ +completes +injuries +deaths +costs$", done.out, re.MULTILINE)
    row = r"^ +(\d+)\. +([\d.]+)% +([\d.]+) +([\d.]+) +(best|[\d.]+ points)$"
    figures = re.findall(row, done.out, re.MULTILINE)
    assert [int(number) for number, *_ in figures] == list(range(1, 17))
    best = float(figures[0][1])
    assert figures[0][-1] == "best"
    for _, completes, _, _, costs in figures[1:]:
        assert float(costs.removesuffix(" points")) == pytest.approx(best - float(completes), abs=0.011)
    text = " ".join(done.out.split())
    assert (
        "Pair two Decker successes as a wild for Mage; "
        "cancel the Decker injury with a Street Samurai success; "
        "cancel the Rigger injury with a Face success. -> Stage 3 is cleared"
    ) in text
    assert (
        "Pair two Decker successes as a wild for Mage; "
        "cancel the Rigger injury with a Street Samurai success; "
        "let Tamsynn's plate take the Decker injury. -> Stage 3 is cleared"
    ) in text
    assert all(len(line) <= 96 for line in lines)
    assert lines[-1].startswith("Note: ")


def test_the_faces_of_who_is_down_do_not_fit(run: Run) -> None:
    """Lazar's dice are not rolled while he is hurt."""
    done = run(*ROLLED, "--hurt", "Lazar")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: 3 faces for Street Samurai, where 0 dice are rolled: the pool has none, for Lazar is down\n"
    )


def test_the_command_says_what_the_function_says(run: Run) -> None:
    told = ss.advise(
        "make some noise",
        TEAM,
        tokens=1,
        loot="Aqua Fortis",
        stage=3,
        roll_number=2,
        left="mage 1",
        roll=ROLL,
    )
    assert answer(run, *ROLLED) == told.to_dict()
    file = (
        "--hurt",
        "lazar",
        "--plate-used",
        "tam",
        "--stage",
        "2",
        "--roll-number",
        "3",
        "--left",
        "decker 1",
    )
    more = ("--roll", "decker SII-", "--in-play", "Rented Terminal", "--aim", "nuyen", "--price", "injury=2")
    told = ss.advise(
        "make some noise",
        TEAM,
        tokens=1,
        loot="Aqua Fortis",
        hurt="lazar",
        plate_used="tam",
        stage=2,
        roll_number=3,
        left={"decker": 1},
        roll="decker SII-",
        in_play="rented",
        aim="nuyen",
        prices={"injury": 2},
        top=None,
    )
    assert answer(run, "make some noise", *HAND, *file, *more, "--all") == told.to_dict()


def test_between_stages_it_says_whether_to_go_on_skip_or_pull_out(run: Run) -> None:
    told = answer(run, "make some noise", *HAND, "--stage", "2")
    assert words(told) == ["skip the Loot Stage 2", "go on: try Stage 2", "pull out"]
    assert told["situation"] == "before Stage 2 of 4"
    assert told["plays"][2]["completed"] == 0.0
    for_money = answer(run, "make some noise", *HAND, "--stage", "2", "--aim", "nuyen")
    assert words(for_money)[0] == "go on: try Stage 2", "Loot is worth something now"
    assert words(answer(run, "make some noise", *HAND, "--stage", "3")) == ["go on: try Stage 3", "pull out"]


def test_before_a_roll_it_says_whether_to_play_loot_dice(run: Run) -> None:
    loot = ("--loot", "Chalk Circle", "--loot", "Evacuate")
    told = answer(
        run, "make some noise", *HAND, *loot, "--stage", "3", "--roll-number", "3", "--left", "mage 2"
    )
    assert words(told) == ["roll", "play Chalk Circle (a Mage die), then roll", "play Evacuate"]
    done = run("make some noise", *HAND, *loot, "--stage", "3", "--roll-number", "1")
    assert done.out.startswith("Make Some Noise, Stage 3 of 4, before roll 1, 3 Mage to defeat.\n")


def test_another_aim_has_another_worth(run: Run) -> None:
    done = run(*ROLLED, "--aim", "nuyen", "--price", "injury=1,death=10,loot=2")
    text = " ".join(done.out.split())
    assert "Ranked for its nuyen in K, Loot at 2 a card, less 1 an injury and 10 a death" in text
    assert "completes injuries deaths worth costs" in text
    assert " points" not in text
    told = answer(run, *ROLLED, "--objective", "completion=1,injury=-0.5")
    for play in told["plays"]:
        assert play["value"] == pytest.approx(play["completed"] - 0.5 * play["injuries"])
        assert play["cost"] == pytest.approx(told["plays"][0]["value"] - play["value"], abs=1e-12)


def test_more_plays_can_be_asked_for_and_every_one(run: Run) -> None:
    done = run(*WORKED, "--top", "1")
    assert "\n3 more plays are worth no more (--top).\n" in done.out
    assert "\n1 more play is worth no more (--top).\n" in run(*WORKED, "--top", "3").out
    told = answer(run, *WORKED)
    assert len(told["plays"]) == told["open"] == 4
    every = answer(run, *WORKED, "--all")
    assert len(every["plays"]) == every["open"] > 4
    assert set(words(told)) < set(words(every))
    assert "more play" not in run(*WORKED, "--all").out


def test_equal_plays_cost_nothing(run: Run, heist: str) -> None:
    del heist
    done = run(
        "--scenario",
        "heist.toml",
        "--roll-number",
        "3",
        "--left",
        "decker 1",
        "--roll",
        "decker SII-, face -",
    )
    costs = re.findall(r"(best|nothing|points)$", done.out, re.MULTILINE)
    assert costs[:2] == ["best", "nothing"], "who of the two is hurt last does not matter"


def test_data_goes_to_stdout_and_notes_to_stderr(run: Run) -> None:
    for fmt in ("json", "csv"):
        done = run(*ROLLED, "--format", fmt)
        assert done.code == 0
        assert done.err.splitlines() == [
            "note: Stage 4 of Make Some Noise is not known from the rulebook; a stand-in fills it.",
            "note: Numbers of the card set 'stand-in' are partly stand-ins, not printed ones.",
        ]
        assert run(*ROLLED, "--format", fmt, "--quiet").err == ""
    for fmt in ("table", "md"):
        assert run(*ROLLED, "--format", fmt).err == ""


def test_csv_and_markdown_hold_a_row_for_each_play(run: Run) -> None:
    told = answer(run, *ROLLED)
    rows = list(csv.DictReader(io.StringIO(run(*ROLLED, "--format", "csv", "--quiet").out)))
    headers = ["play", "leaves", "completed", "injuries", "deaths", "nuyen", "loot", "value", "cost"]
    assert list(rows[0]) == headers
    assert [[row["play"], row["leaves"], *map(float, list(row.values())[2:])] for row in rows] == [
        [play[key] for key in headers] for play in told["plays"]
    ]
    lines = run(*ROLLED, "--format", "md").out.splitlines()
    assert len(lines) == 2 + len(rows)
    assert [cell.strip() for cell in lines[0].strip("|").split("|")] == headers
    assert lines[2].startswith("| pair two Decker successes as a wild for Mage; ")


def test_json_has_the_keys_that_programs_read(run: Run) -> None:
    told = answer(run, *ROLLED)
    assert list(told) == ["schema", "title", "team", "situation", "worth", "open", "plays", "notes"]
    assert told["worth"] == "completing the Mission"
    best = told["plays"][0]
    assert best["cost"] == 0.0
    assert best["value"] == best["completed"]
    assert best["icons"] == {}
    assert best["conditions"] == {"Tamsynn": "up", "Lazar": "up"}


def test_a_scenario_file_may_be_asked_about(run: Run, heist: str) -> None:
    told = answer(run, "--scenario", heist, "--roll", "decker SSI-, face S")
    assert told["title"] == "heist.toml"
    assert told["team"] == ""
    assert (
        "play the Loot card 'success:decker' (a Decker success); three Decker successes for 3 Decker icons; "
        "cancel the Decker injury with a Face success"
    ) in words(told)
    later = answer(run, "--scenario", heist, "--stage", "2", "--hurt", "ann")
    assert later["situation"] == "before Stage 2 of 2"
    assert words(later)[0] == "skip the Loot Stage 2"
    rolled = ("--roll", "decker I, face S", "--roll-number", "2", "--left", "decker 1", "--rescued", "ann")
    assert "cancel the Decker injury with a Face success" in words(answer(run, "--scenario", heist, *rolled))
    assert run("--scenario", heist, "--dead", "bo").out.startswith("heist.toml, before Stage 1 of 2.\n")


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "nothing": ((), "name a Mission, or a file with --scenario; see 'sprawlsim advise --help'"),
    "no such Mission": (("make no noise",), "no Mission or Final Mission or Task is called 'make no noise'"),
    "no such file": (("--scenario", "none.toml"), "none.toml: cannot be read"),
    "both": (
        ("errand", "--scenario", "heist.toml", "--tokens", "1"),
        "--scenario describes the whole attempt in its file; leave out MISSION, --tokens",
    ),
    "a format": (("errand", "--format", "xml"), "--format 'xml' is not one of table, json, csv, md"),
    "no play": (("errand", "--top", "0"), "invalid value for '--top'"),
    "a Stage": (("errand", "--stage", "9"), "there is no Stage 9; Stages are 1 to "),
    "a roll": (("errand", "--roll-number", "4"), "a Stage has rolls 1 to 3, not 4 (M6)"),
    "what is left": (
        ("errand", "--roll-number", "2"),
        "say which icons are left before roll 2: --left 'mage 1'",
    ),
    "a runner": (("errand", "--hurt", "nobody"), "no runner of this team is called 'nobody'"),
    "faces": (("errand", "--roll", "samurai SSSSS"), "5 faces for Street Samurai, where 2 dice are rolled"),
    "a role": (("errand", "--roll", "samuray S"), "'samuray' is not a role; the roles are "),
    "a plate": (("errand", "--plate-used", "steady"), "Steady Samurai has no Dermal Plating"),
    "no Loot die": (
        ("make some noise", *HAND, "--roll-number", "1", "--in-play", "Evacuate"),
        "'evacuate' is no Loot die; only dice stay in play in a Stage (M5)",
    ),
    "Loot named too often": (
        ("errand", "--roll-number", "1", "--loot", "Chalk Circle", "--in-play", "Chalk Circle"),
        "'Chalk Circle' is named 2 times; the box has 1 of it",
    ),
    "an aim": (("errand", "--aim", "fame"), "'fame' is not an aim; the aims are "),
    "a price alone": (("errand", "--price", "injury=1"), "prices are for the aim nuyen"),
    "a Commlink": (
        ("make some noise", "--team", "tamsynn, lazar + commlink", "--stage", "2"),
        "Lazar's Commlink was set before the Mission; say its colour",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_one_sentence_and_exit_code_2(run: Run, heist: str, what: str) -> None:
    del heist
    arguments, message = BAD[what]
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {message}")
    assert done.err.count("\n") == 1


def test_help_tells_how_to_say_a_situation(run: Run) -> None:
    done = run("--help")
    assert done.code == 0
    for word in ("--roll-number", "--left", "--plate-used", "--in-play", "--all", "S a success"):
        assert word in " ".join(done.out.split())
