"""Teams side by side have the odds that each has alone, and differ by just the difference."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from twin import best_figures

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops import compare as module
from sprawlsim.sprawlops.api import load_cards, mission_odds
from sprawlsim.sprawlops.compare import Comparison, compare
from sprawlsim.sprawlops.gains import change_text, is_chance
from sprawlsim.sprawlops.mission.aims import objective_for
from sprawlsim.sprawlops.mission.odds import Odds
from sprawlsim.sprawlops.mission.scenario import Objective
from sprawlsim.sprawlops.team import Team

CARDS = load_cards("stand-in")

TEAMS = ["Tamsynn, Lazar + Jackrabbit", "Tamsynn + Datajack, Lazar + Commlink", "Tamsynn, Corium"]


def figures_of(odds: Odds) -> dict[str, float]:
    """Give the figures of separately asked odds, under the names of a comparison."""
    told = {
        "objective_value": odds.objective_value.estimate,
        "completed": odds.completed.estimate,
        "nuyen": odds.nuyen.estimate,
        "loot": odds.loot.estimate,
        "injuries": sum(k * chance.estimate for k, chance in enumerate(odds.injured_count)),
        "deaths": sum(k * chance.estimate for k, chance in enumerate(odds.dead_count)),
    }
    for i, stage in enumerate(odds.stages, 1):
        told[f"stage_{i}_reached"] = stage.reached.estimate
        told[f"stage_{i}_cleared"] = stage.cleared.estimate
    return told


@pytest.mark.parametrize(
    "asked",
    [
        {"tokens": 1, "loot": ["aqua fortis"]},
        {"rerolls": 1, "eye": "samurai"},
        {"objective": Objective(completion=1.0, nuyen=0.1, loot=0.3, injury=-0.002, death=-0.01)},
        {"aim": "safe"},
    ],
)
def test_figures_and_differences_are_those_of_odds_asked_for_one_by_one(asked: dict[str, Any]) -> None:
    comparison = compare("make some noise", TEAMS, cards=CARDS, **asked)
    alone = [figures_of(mission_odds("make some noise", team, cards=CARDS, **asked)) for team in TEAMS]
    assert [row.label for row in comparison.rows] == ["A", "B", "C"]
    for row, expected in zip(comparison.rows, alone, strict=True):
        assert row.figures() == pytest.approx(expected, abs=1e-12)
        differences = {key: value - alone[0][key] for key, value in expected.items()}
        assert comparison.differences(row) == pytest.approx(differences, abs=1e-12)
    best = max(range(3), key=lambda i: alone[i]["objective_value"])
    assert [row.best for row in comparison.rows] == [i == best for i in range(3)]


def test_a_small_comparison_has_the_twins_values() -> None:
    """Tamsynn's two dice, three with a Datajack, for one Decker icon after one Street Samurai icon."""
    comparison = compare("errand", ["Tamsynn, Steady", "Tamsynn + Datajack, Steady"], cards=CARDS)
    stages = [{"icons": {"street_samurai": 1}}, {"icons": {"decker": 1}, "payout": 1}]
    for row, deckers in zip(comparison.rows, (2, 3), strict=True):
        runners = [{"dice": {"decker": deckers}}, {"dice": {"street_samurai": 2}}]
        expected = best_figures({"stages": stages, "payout": 4, "runners": runners})
        assert row.value == pytest.approx(float(expected["objective_value"]), abs=1e-12)
        assert row.expected.nuyen == pytest.approx(float(expected["nuyen"]), abs=1e-12)
        assert row.expected.injuries == pytest.approx(float(expected["injured_count"]), abs=1e-12)
        assert row.expected.deaths == pytest.approx(float(expected["dead_count"]), abs=1e-12)


def test_an_open_commlink_gets_the_best_colour_and_the_note_says_whose() -> None:
    open_, *set_ = compare(
        "errand",
        ["Lazar + Commlink", "Lazar + Commlink(rigger)", "Lazar + Commlink(samurai)"],
        cards=CARDS,
    ).rows
    assert open_.value == max(row.value for row in set_)
    assert open_.team == max(set_, key=lambda row: row.value).team
    notes = compare("errand", ["Lazar", "Lazar + Commlink"], cards=CARDS).notes
    assert notes[0].startswith("Team B: Lazar's Commlink was set to ")
    assert notes[1:] == ("Numbers of the card set 'stand-in' are partly stand-ins, not printed ones.",)


def test_nuyen_is_priced_by_the_first_team_for_all() -> None:
    """Steady Samurai costs nothing and has a loan value of 2; Towering Samurai costs 11, with a loan of 4."""
    teams = ["Steady Samurai", "Towering Samurai"]
    comparison = compare("bodyguard", teams, cards=CARDS, aim="nuyen")
    assert comparison.objective == Objective(completion=0.0, nuyen=1.0, loot=5.0, injury=-2.0, death=-2.0)
    assert "priced throughout by the cards of team A: an injury 2K, a death 2K" in comparison.notes[0]
    other_way = compare("bodyguard", teams[::-1], cards=CARDS, aim="nuyen")
    assert (other_way.objective.injury, other_way.objective.death) == (-4.0, -15.0)
    prices = {"injury": 1, "death": 2, "loot": 3}
    priced = compare("bodyguard", teams, cards=CARDS, aim="nuyen", prices=prices)
    assert priced.objective == Objective(completion=0.0, nuyen=1.0, loot=3.0, injury=-1.0, death=-2.0)
    assert not any("priced throughout" in note for note in priced.notes)


def test_teams_of_equal_worth_are_both_best() -> None:
    comparison = compare("errand", ["Tamsynn, Lazar", "Quiet Decker, Lazar", "Tamsynn"], cards=CARDS)
    assert [row.best for row in comparison.rows] == [True, True, False]
    assert set(comparison.differences(comparison.rows[1]).values()) == {0.0}


def test_teams_may_be_objects_texts_or_the_starting_team() -> None:
    team = CARDS.team("Lazar")
    assert isinstance(team, Team)
    rows = compare("errand", [None, team, "Lazar"], cards=CARDS).rows
    assert rows[0].team == "Steady Samurai, Tamsynn, Friendly Face"
    assert rows[1].figures() == rows[2].figures()


def test_a_large_team_is_refused_by_name_unless_insisted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUICK_SECONDS", 0.0)
    teams = ["Lazar", "Lazar + Commlink"]
    with pytest.raises(
        SprawlsimError, match=r"^team A is too large .*: it would take about 0 s and 0 MB; --yes"
    ):
        compare("errand", teams, cards=CARDS)
    with pytest.raises(SprawlsimError, match=r"^team A, with 2 ways to set its Commlinks, is too large"):
        compare("errand", teams[::-1], cards=CARDS)
    assert compare("errand", teams, cards=CARDS, insist=True).rows[1].best


def test_a_really_large_team_is_refused_at_once() -> None:
    crowd = "Lazar + dermal, Corium + dermal, Garage Rigger + dermal, Towering + dermal"
    with pytest.raises(SprawlsimError, match=r"^team B is too large for a quick exact answer: it would take"):
        compare("grand vault", ["Lazar", f"{crowd}, hired Learned, hired Brilliant"], cards=CARDS, tokens=3)


@pytest.mark.parametrize(
    ("teams", "told"),
    [
        ([], "compare takes a list of 2 to 26 teams"),
        (["Lazar"], "compare takes a list of 2 to 26 teams"),
        ("Lazar, Corium", "compare takes a list of 2 to 26 teams"),
        (["Lazar"] * 27, "compare takes a list of 2 to 26 teams"),
        (["Lazar", "nobody"], "runner is called 'nobody'"),
        (["Lazar", "Tamsynn + Commlink(face)"], "Tamsynn's Commlink cannot be Face"),
    ],
)
def test_bad_teams_are_refused(teams: Any, told: str) -> None:
    with pytest.raises(SprawlsimError, match=told):
        compare("errand", teams, cards=CARDS)


def test_progress_counts_teams() -> None:
    told: list[tuple[int, int | None]] = []
    compare("errand", TEAMS, cards=CARDS, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare("errand", ["Tamsynn, Steady", "Tamsynn, Friendly"], cards=CARDS)


def test_the_answer_is_a_frame_plain_data_a_table_and_a_sentence(comparison: Comparison) -> None:
    frame = comparison.frame().set_index("label")
    first, second = comparison.rows
    assert frame.loc["B", "completed"] == second.expected.completed
    assert frame.loc["B", "completed_difference"] == second.expected.completed - first.expected.completed
    assert frame.loc["A", "stage_1_reached_difference"] == 0.0
    assert list(frame["best"]) == [True, False]
    told = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert (told["schema"], told["engine"], told["policy"], told["mission"]) == (
        1, "exact", "best", "Errand Job",
    )  # fmt: skip
    team = told["teams"][1]
    assert list(team) == [
        "label", "team", "best", "objective_value", "completed", "nuyen", "loot", "injuries", "deaths",
        "stages", "differences",
    ]  # fmt: skip
    assert len(team["stages"]) == len(team["differences"]["stages"]) == 2
    assert team["differences"]["stages"][0] == {
        "reached": 0.0,
        "cleared": pytest.approx(team["stages"][0]["cleared"] - told["teams"][0]["stages"][0]["cleared"]),
    }
    page = comparison._repr_html_()
    assert page.count("<tr>") == 1 + 2
    assert "A, best" in page
    assert str(comparison) == "Errand Job, completes: A 61.60% (best), B 19.65%"


def test_the_picture_hatches_the_worse_team(comparison: Comparison) -> None:
    (axes,) = comparison.plot().axes
    (bar,) = axes.patches
    assert bar.get_hatch()
    assert bar.get_width() == pytest.approx(100 * (comparison.rows[1].value - comparison.rows[0].value))
    (text,) = (text.get_text() for text in axes.texts)
    assert text == "-41.96 (19.65%)"


def test_changes_are_written_with_the_digits_that_they_need() -> None:
    assert change_text(0.0123456, True) == "+1.23"
    assert change_text(-0.5, False) == "-0.500"
    assert change_text(4e-8, True) == "+4e-06"
    assert change_text(-2e-7, False) == "-2e-07"
    assert change_text(0.0, True) == "+0.00"
    assert is_chance(Objective())
    assert is_chance(objective_for("payout"))
    assert not is_chance(Objective(injury=-0.1))


@pytest.fixture
def run(run: Run) -> Run:
    """Run ``sprawlsim compare``."""
    return partial(run, "compare")


TWO = ("--team", "tamsynn, steady", "--team", "tamsynn, friendly")


def test_the_table_leads_with_the_answer_and_ends_with_what_to_know(run: Run) -> None:
    done = run("courier", *TWO, "--tokens", "1", "-q")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("Courier Job, completes: A ")
    assert lines[1] == "Best play, exact, card set stand-in; changes are from team A."
    assert lines[2:5] == [
        "A: Tamsynn, Steady Samurai.",
        "B: Tamsynn, Friendly Face.",
        "In hand: 1 DocWagon token.",
    ]
    assert lines[6].split() == ["Team", "completes", "injuries", "deaths", "nuyen", "(K)", "Loot"]
    assert lines[7].startswith("A (best) ")
    assert lines[8].split()[-2:] == ["0.000", "(=)"]
    assert lines[10].split() == ["Stage", "A", "B"]
    assert lines[11].split() == ["1", "1", "Decker", "reached", "100.00%", "100.00%", "(=)"]
    assert lines[12].split()[0] == "cleared"
    assert lines[18] == "Note: Numbers of the card set 'stand-in' are partly stand-ins, not printed ones."
    assert lines[19].startswith("Note: Loot Stages are skipped: here Loot is worth nothing")
    assert len(lines) == 20
    assert max(map(len, lines)) <= 100


def test_a_team_that_stays_away_is_told_of(run: Run) -> None:
    """Make Some Noise ends with four icons, too many for two Decker dice and a Face die in three rolls."""
    notes = run("make some noise", *TWO).out.splitlines()
    assert notes[-1] == "Note: Team B pulls out before the first Stage: it expects no gain, or more harm."


def test_another_objective_has_a_column_of_its_own(run: Run) -> None:
    done = run("errand", *TWO, "--aim", "nuyen", "--price", "injury=1,death=4,loot=5")
    lines = done.out.splitlines()
    assert "An attempt is worth its nuyen in K, Loot at 5 a card, less 1 an injury and 4 a death." in lines
    assert lines[lines.index("") + 1].split()[:3] == ["Team", "worth", "completes"]
    safe = run("errand", *TWO, "--aim", "safe").out
    assert "completes, nobody dead" in safe.splitlines()[0]


def test_json_csv_and_markdown(run: Run, comparison: Comparison) -> None:
    told = json.loads(run("errand", *TWO, "--format", "json", "-q").out)
    assert told == json.loads(json.dumps(comparison.to_dict()))
    rows = list(csv.DictReader(io.StringIO(run("errand", *TWO, "--format", "csv", "-q").out)))
    assert list(rows[0]) == list(comparison.frame().columns)
    assert [float(row["completed"]) for row in rows] == [row.expected.completed for row in comparison.rows]
    assert run("errand", *TWO, "--format", "csv").err.startswith("note: Numbers of the card set 'stand-in'")
    page = run("errand", *TWO, "--format", "md").out
    assert page.startswith("**Errand Job, completes: A 61.60% (best), B 19.65%.** ")
    assert "| A: Tamsynn, Steady Samurai (best) |" in page
    assert sum(line.startswith("| ") for line in page.splitlines()) == (2 + 2) + (2 + 2 * 2)


def test_a_changed_card_and_a_picture(run: Run) -> None:
    done = run("errand", *TWO, "--set", "Friendly Face.dice.face=4", "--plot", "teams.svg")
    assert "(changed: Friendly Face.dice.face=4)" in done.out
    assert "picture written to teams.svg" in done.err
    assert Path("teams.svg").read_bytes().startswith(b"<?xml")


BAD = [
    ([], "name a Mission; see 'sprawlsim compare --help'"),
    (["errand"], "name two teams or more, each with a --team of its own"),
    (["errand", "--team", "lazar"], "name two teams or more, each with a --team of its own"),
    (["errand", *TWO, "--team", "nobody"], "runner is called 'nobody'"),
    (["nothing", *TWO], "is called 'nothing'"),
    (["errand", *TWO, "--aim", "saef"], "the aims are complete, nuyen, payout, safe; did you mean 'safe'?"),
    (["errand", *TWO, "--price", "death=3"], "prices are for the aim nuyen; name it"),
    (["grand vault", *TWO, "--aim", "payout"], "Grand Vault Raid pays no nuyen"),
    (["bodyguard", *TWO], "a Task is run by one runner, not 2"),
    (["errand", *TWO, "--format", "jsn"], "'jsn' is not one of table, json, csv, md"),
    (["errand", *TWO, "--plot", "teams.pdf"], "a picture ends in .png or .svg"),
    (["errand", *TWO, "--policy", "balanced"], "no such option: --policy"),
]


@pytest.mark.parametrize(("arguments", "part"), BAD)
def test_bad_input_is_one_sentence_on_stderr_and_exit_code_2(
    run: Run, arguments: list[str], part: str
) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1
    assert part in done.err
    assert not list(Path().iterdir())
