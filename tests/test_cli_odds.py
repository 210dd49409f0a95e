"""``sprawlsim odds`` as a user runs it: the answer on stdout, everything else on stderr, 2 when bad."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numba
import pytest
from command_line import Run

from sprawlsim.cli import asking
from sprawlsim.cli import odds as command
from sprawlsim.jit import when_compiling
from sprawlsim.sprawlops.api import mission_odds
from sprawlsim.sprawlops.mission import ask
from sprawlsim.sprawlops.mission.aims import AIMS
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.mission.scenario import Objective

GOLDEN = Path(__file__).parent / "golden"
FEW = ("--policy", "balanced", "--attempts", "20000")


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Compile the kernels, so that no test hears of it on stderr."""
    mission_odds("errand", "Tamsynn", rerolls=1)
    mission_odds("errand", "Tamsynn", rerolls=1, attempts=1)
    mission_odds("errand", policy="balanced", attempts=1, threads=1)


@pytest.fixture
def run(run: Run) -> Run:
    """Run ``sprawlsim odds``."""
    return partial(run, "odds")


def answer(run: Run, *arguments: str) -> dict[str, Any]:
    done = run(*arguments, "--format", "json", "--quiet")
    assert (done.code, done.err) == (0, "")
    told: dict[str, Any] = json.loads(done.out)
    return told


def golden(name: str) -> dict[str, Any]:
    cases = json.loads((GOLDEN / "mission-values.json").read_text(encoding="utf-8"))
    found: dict[str, Any] = next(case for case in cases if case["name"] == name)
    return found


def is_estimate(value: object) -> bool:
    return (
        isinstance(value, dict)
        and list(value) == ["estimate", "low", "high"]
        and value["low"] <= value["estimate"] <= value["high"]
    )


@pytest.mark.parametrize(
    ("words", "engine", "policy", "attempts", "seed"),
    [
        ((*FEW, "--seed", "7"), "montecarlo", "balanced", 20_000, 7),
        (("--attempts", "300", "--seed", "7"), "montecarlo", "best", 300, 7),
        (("--policy", "balanced", "--seed", "7"), "exact", "balanced", None, None),
        ((), "exact", "best", None, None),
    ],
)
def test_json_has_the_keys_of_the_design_and_the_rules_of_thumb(
    run: Run, words: tuple[str, ...], engine: str, policy: str, attempts: int | None, seed: int | None
) -> None:
    told = answer(run, "make some noise", "--team", "tamsynn, lazar", *words)
    assert list(told) == [
        "schema", "engine", "policy", "attempts", "seed", "card_set", "version",
        "objective_value", "completed", "nuyen", "loot",
        "stages", "runners", "injured_count", "dead_count", "rules_of_thumb",
    ]  # fmt: skip
    assert told["schema"] == 1
    assert told["engine"] == engine
    assert told["policy"] == policy
    assert told["attempts"] == attempts
    assert told["seed"] == seed
    assert told["card_set"] == "stand-in"
    assert isinstance(told["version"], str)
    assert all(is_estimate(told[key]) for key in ("objective_value", "completed", "nuyen", "loot"))
    assert len(told["stages"]) == 4
    for stage in told["stages"]:
        assert list(stage) == ["reached", "cleared"]
        assert all(map(is_estimate, stage.values()))
    assert [runner["name"] for runner in told["runners"]] == ["Tamsynn", "Lazar"]
    for runner in told["runners"]:
        assert list(runner) == ["name", "injured", "rescued", "dead"]
        assert all(is_estimate(runner[end]) for end in ("injured", "rescued", "dead"))
    for key in ("injured_count", "dead_count"):
        assert len(told[key]) == 3
        assert all(map(is_estimate, told[key]))
        assert sum(odds["estimate"] for odds in told[key]) == pytest.approx(1)
    assert [other["policy"] for other in told["rules_of_thumb"]] == [*POLICIES] * (policy == "best")
    for other in told["rules_of_thumb"]:
        assert list(other) == ["policy", "engine", "completed", "objective_value"]
        assert other["engine"] == "exact"
        assert is_estimate(other["completed"])
        assert is_estimate(other["objective_value"])


def test_exact_figures_are_their_own_intervals(run: Run) -> None:
    told = answer(run, "errand", "--team", "tamsynn, lazar", "--tokens", "1")
    estimates = [told[key] for key in ("objective_value", "completed", "nuyen", "loot")]
    estimates += [stage[key] for stage in told["stages"] for key in ("reached", "cleared")]
    estimates += [runner[end] for runner in told["runners"] for end in ("injured", "rescued", "dead")]
    estimates += told["injured_count"] + told["dead_count"]
    estimates += [other["completed"] for other in told["rules_of_thumb"]]
    for estimate in estimates:
        assert estimate["low"] == estimate["estimate"] == estimate["high"]


def test_threads_change_no_figure(run: Run) -> None:
    attempts = ("harbour", "--policy", "balanced", "--attempts", "200000")
    assert answer(run, *attempts, "--threads", "1") == answer(run, *attempts, "--threads", "2")


def test_the_same_seed_has_the_same_figures_and_another_one_others(run: Run) -> None:
    first, again, other = (answer(run, "harbour", "--attempts", "5000", "--seed", s) for s in "112")
    assert first == again
    assert other["runners"] != first["runners"]
    assert other["rules_of_thumb"] == first["rules_of_thumb"], "they are exact here"


@pytest.mark.nojit
def test_without_the_jit_the_figures_are_the_same_and_nothing_is_said_of_compiling(run: Run) -> None:
    for words in (["--attempts", "30", "--policy", "balanced"], ["--attempts", "30", "--team", "tamsynn"]):
        plain = subprocess.run(
            [sys.executable, "-m", "sprawlsim", "odds", "errand", *words, "--format", "json"],
            env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(plain.stdout) == answer(run, "errand", *words)
        assert "compiling" not in plain.stderr


def test_a_scenario_without_decisions_has_the_odds_of_the_golden_file(run: Run) -> None:
    case = golden("one street samurai, 1 dice, 1 icons")
    Path("lone.json").write_text(json.dumps(case["scenario"]), encoding="utf-8")
    n = 100_000
    told = answer(run, "--scenario", "lone.json", "--policy", "balanced", "--attempts", str(n))
    # A single die: success 1/3, or a blank (1/2) and again, twice.
    assert case["value"] == pytest.approx(1 / 3 * (1 + 1 / 2 + 1 / 4))
    error = math.sqrt(case["value"] * (1 - case["value"]) / n)
    assert abs(told["completed"]["estimate"] - case["value"]) < 4 * error
    assert told["card_set"] is None
    exact = answer(run, "--scenario", "lone.json")
    assert exact["completed"]["estimate"] == pytest.approx(case["value"], abs=1e-12)
    for other in exact["rules_of_thumb"]:
        assert other["completed"]["estimate"] == pytest.approx(case["value"], abs=1e-12)


def test_no_policy_beats_best_play_of_a_golden_scenario(run: Run) -> None:
    case = golden("one street samurai, 4 dice, 3 icons")
    Path("lone.json").write_text(json.dumps(case["scenario"]), encoding="utf-8")
    for policy in POLICIES:
        told = answer(run, "--scenario", "lone.json", "--policy", policy, "--attempts", "20000")
        assert told["policy"] == policy
        assert told["completed"]["low"] < case["value"]
        exact = answer(run, "--scenario", "lone.json", "--policy", policy)
        assert exact["completed"]["high"] <= case["value"] + 1e-11
    best = answer(run, "--scenario", "lone.json")
    assert best["completed"]["estimate"] == pytest.approx(case["value"], abs=1e-11)


def test_a_scenario_can_be_toml_and_is_named_in_the_table(run: Run) -> None:
    stage = "docwagon_tokens = 2\n[[stages]]\nicons = { mage = 1 }\n"
    runner = '[[runners]]\nname = "Cor"\ndice = { mage = 2 }\ndermal_plating = true\n'
    Path("heist.toml").write_text(stage + runner, encoding="utf-8")
    done = run("--scenario", "heist.toml", *FEW)
    assert done.code == 0
    assert done.out.startswith("Odds of completing heist.toml: ")
    assert "from a scenario file." in done.out
    assert "Team: Cor (2 Mage, Dermal Plating)." in done.out
    assert "In hand: 2 DocWagon tokens." in done.out
    assert "rescued" in done.out


def test_a_changed_card_changes_the_answer_and_is_named(run: Run) -> None:
    before = answer(run, "errand", *FEW)
    after = answer(run, "errand", *FEW, "--set", "Errand Job.stages.1.icons.street_samurai=4")
    assert after["completed"]["high"] < before["completed"]["low"]
    assert after["card_set"] == "stand-in (changed: Errand Job.stages.1.icons.street_samurai=4)"


@pytest.mark.parametrize("typed", ["Make Some Noise", "make some noise", "make", "some noi", "NOISE"])
def test_a_mission_is_found_by_enough_of_its_name(run: Run, typed: str) -> None:
    done = run(typed, "--policy", "balanced", "--attempts", "100")
    assert done.out.startswith("Odds of completing Make Some Noise: ")


def test_everything_in_hand_reaches_the_attempt(run: Run) -> None:
    team = ("--team", "tamsynn + dermal, lazar")
    bare = answer(run, "make some noise", *team, *FEW)
    perk = answer(run, "make some noise", *team, *FEW, "--eye", "samurai")
    assert perk["stages"][0]["cleared"]["estimate"] == 1.0
    assert answer(run, "make some noise", *team, *FEW, "--eye", "decker")["loot"]["estimate"] > 0
    saved = answer(run, "make some noise", *team, *FEW, "--tokens", "1")
    assert any(runner["rescued"]["estimate"] > 0 for runner in saved["runners"])
    loot = answer(run, "make some noise", *team, *FEW, "--loot", "aqua", "--loot", "chalk circle")
    again = answer(run, "make some noise", *team, *FEW, "--reroll", "--reroll")
    for better in (loot, again):
        assert better["stages"][0]["cleared"]["low"] > bare["stages"][0]["cleared"]["high"]
    plating = answer(run, "make some noise", *team, *FEW, "--plating-any-colour")
    assert plating["runners"] != bare["runners"]


def test_the_objective_weighs_what_is_played_for(run: Run) -> None:
    weights = "completion=1, nuyen=0.1, loot=0.3, injury=-0.2, death=-0.6"
    words = ("make some noise", "--team", "tamsynn + tsurugi, lazar, corium", *FEW)
    told = answer(run, *words, "--objective", weights)
    expected = (
        told["completed"]["estimate"]
        + 0.1 * told["nuyen"]["estimate"]
        + 0.3 * told["loot"]["estimate"]
        - 0.2 * sum(k * odds["estimate"] for k, odds in enumerate(told["injured_count"]))
        - 0.6 * sum(k * odds["estimate"] for k, odds in enumerate(told["dead_count"]))
    )
    assert told["objective_value"]["estimate"] == pytest.approx(expected)
    table = run(*words, "--objective", weights).out
    assert "An attempt is worth completion 1, nuyen 0.1, loot 0.3, injury -0.2, death -0.6." in table
    assert "Worth of an attempt" in table


def test_the_table_leads_with_the_answer_and_ends_with_what_to_know(run: Run) -> None:
    done = run("make some noise", "--team", "tamsynn, lazar + jackrabbit + commlink", *FEW)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("Odds of completing Make Some Noise: ")
    assert "(95% interval " in lines[0]
    assert " ".join(lines[1:3]).replace("   ", " ") == (
        "Policy balanced, Monte Carlo (a number of attempts was asked for), 20,000 attempts, seed 1, "
        "card set stand-in."
    )
    assert lines[3].startswith("Team: Tamsynn, Lazar + Chrysler-Nissan Jackrabbit + Commlink(")
    stages = lines.index("") + 1
    assert lines[stages].split() == ["Stage", "reached", "cleared"]
    assert lines[stages + 2].split() == ["2", "4", "Decker", "(Loot)", "always", "skipped"]
    heads = [line.split("  ")[0] for line in lines]
    for head in ("Runner", "How many at once", "Reward"):
        assert head in heads[stages:]
    notes = lines[len(lines) - lines[::-1].index("") :]
    assert notes[0].startswith("Note: Lazar's Commlink was set to ")
    assert notes[1] == "Note: Stage 4 of Make Some Noise is not known from the rulebook; a stand-in fills it."
    assert notes[2] == "Note: Numbers of the card set 'stand-in' are partly stand-ins, not printed ones."
    assert notes[3].startswith("Note: Loot Stages are skipped")
    assert max(map(len, lines)) <= 100


def test_best_play_leads_and_rules_of_thumb_stand_below(run: Run) -> None:
    done = run("make some noise", "--team", "tamsynn, lazar + jackrabbit", "--tokens", "1")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert re.fullmatch(r"Odds of completing Make Some Noise: \d+\.\d\d%\.", lines[0])
    assert lines[1] == "Best play, exact (it is little work here), card set stand-in."
    heads = [line.split("  ")[0] for line in lines]
    assert heads.index("Rule of thumb") > heads.index("Reward")
    first = heads.index("Rule of thumb")
    assert heads[first + 1 : first + 1 + len(POLICIES)] == list(POLICIES)
    assert all(line.endswith(" points") for line in lines[first + 1 : first + 1 + len(POLICIES)])
    assert max(map(len, lines)) <= 100


def test_aims_and_prices_are_told_and_change_the_answer(run: Run) -> None:
    words = ("errand", "--team", "tamsynn + datajack, lazar")
    values = {aim: answer(run, *words, "--aim", aim) for aim in AIMS}
    assert values["complete"] == answer(run, *words)
    assert values["safe"]["objective_value"]["estimate"] < values["complete"]["completed"]["estimate"]
    dear = answer(run, *words, "--aim", "nuyen", "--price", "injury=3, death=40")
    assert dear["objective_value"]["estimate"] < values["nuyen"]["objective_value"]["estimate"]
    told = {aim: " ".join(run(*words, "--aim", aim).out.split()) for aim in AIMS}
    assert "An attempt is worth" not in told["complete"]
    assert "An attempt is worth winning the nuyen payout." in told["payout"]
    assert "An attempt is worth completing the Mission with nobody dead." in told["safe"]
    # Lent for (2 + 1) and 3; bought for 0 + 5 and 8.
    assert "worth its nuyen in K, Loot at 5 a card, less 3 an injury and 9.5 a death." in told["nuyen"]


def test_what_is_too_large_is_refused_unless_insisted_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    exactly = answer(run, "errand")
    for limit in ("QUICK_SECONDS", "LARGE_SECONDS"):
        monkeypatch.setattr(ask, limit, 0.0)
    for words in (("--engine", "exact"), ("--engine", "montecarlo", "--attempts", "50")):
        done = run("errand", *words)
        assert (done.code, done.out) == (2, "")
        assert re.fullmatch(
            r"error: exact best play is large here: it would take about 0 s and \d+ MB; "
            r"--yes \(insist\) does it anyway\n",
            done.err,
        )
        assert run("errand", *words, "--yes").code == 0
    assert answer(run, "errand", "--engine", "exact", "--yes") == exactly
    assert answer(run, "errand", "--yes") == exactly
    instead = answer(run, "errand", "--attempts", "50")
    assert (instead["policy"], instead["engine"]) == ("balanced", "montecarlo")
    assert "best play would take about 0 s" in run("errand", "--attempts", "50").out


def test_the_starting_team_goes_when_no_other_is_named(run: Run) -> None:
    assert "Team: Steady Samurai, Tamsynn, Friendly Face." in run("errand", *FEW).out


def test_a_single_attempt_is_told_too(run: Run) -> None:
    for policy in ("best", "balanced"):
        words = ("errand", "--attempts", "1", "--policy", policy)
        done = run(*words)
        assert done.code == 0
        assert "1 attempt, seed" in done.out
        assert answer(run, *words)["nuyen"]["high"] is None


def test_csv_and_markdown_have_a_row_for_each_figure(run: Run) -> None:
    done = run("errand", *FEW, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert list(rows[0]) == ["group", "item", "measure", "estimate", "low", "high"]
    told = answer(run, "errand", *FEW)
    assert float(rows[0]["estimate"]) == told["completed"]["estimate"]
    assert len(rows) == 1 + 2 * 2 + 3 * 3 + 2 * 4 + 3
    assert done.err.startswith("note: Numbers of the card set 'stand-in' are partly stand-ins")
    assert run("errand", *FEW, "--format", "csv", "--quiet").err == ""
    page = run("errand", *FEW, "--format", "md").out
    assert page.startswith("**Odds of completing Errand Job: ")
    assert sum(line.startswith("| ") for line in page.splitlines()) == len(rows) + 2
    assert "stand-ins" in page.splitlines()[-1]
    best = list(csv.DictReader(io.StringIO(run("errand", "--format", "csv").out)))
    assert len(best) == len(rows) + 2 * len(POLICIES)
    assert [row["item"] for row in best if row["group"] == "rule of thumb"][::2] == list(POLICIES)


def test_precision_is_reached(run: Run) -> None:
    told = answer(run, "errand", "--policy", "balanced", "--precision", "0.002")["completed"]
    assert told["high"] - told["low"] <= 0.004


@pytest.mark.parametrize(("name", "begins"), [("odds.png", b"\x89PNG"), ("odds.svg", b"<?xml")])
def test_plot_writes_a_picture_beside_the_answer(run: Run, name: str, begins: bytes) -> None:
    done = run("errand", *FEW, "--plot", name)
    assert done.code == 0
    assert done.out.startswith("Odds of completing")
    assert f"picture written to {name}" in done.err
    assert Path(name).read_bytes().startswith(begins)


def test_a_progress_bar_appears_only_when_patience_ends(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    balanced = ("errand", "--policy", "balanced", "--attempts", "500000", "--threads", "1")
    best = ("errand", "--team", "tamsynn", "--attempts", "500000")
    monkeypatch.setattr(asking, "PATIENCE", 3600.0)
    assert run(*balanced).err == run(*best).err == ""
    monkeypatch.setattr(asking, "PATIENCE", 0.0)
    for words in (balanced, best, ("errand",)):
        assert "%" in run(*words).err
        assert run(*words, "--quiet").err == ""


def test_compiling_is_announced_once_and_only_if_it_happens() -> None:
    told: list[str] = []
    double = numba.njit(lambda x: x + x)
    with when_compiling(lambda: told.append("compiling")):
        double(1)
        double(1.0)
    assert told == ["compiling"]
    with when_compiling(lambda: told.append("again")):
        double(2)
    assert told == ["compiling"]


def test_ctrl_c_leaves_one_line_and_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ask, "scenario_odds", interrupt)
    assert run("errand") == (130, "", "interrupted\n")


def test_a_reader_who_leaves_early_gets_no_traceback() -> None:
    words = [sys.executable, "-m", "sprawlsim", "odds", "errand", "--quiet"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1


BAD = [
    ([], "name a Mission, or a file with --scenario"),
    (["nothing"], "is called 'nothing'"),
    (["job"], "'job' could be any of Errand Job, Courier Job"),
    ([""], "the name is empty"),
    (["lazar"], "'Lazar' is a runner, but this must be a Mission"),
    (["errand", "harbour"], "unexpected extra argument"),
    (["errand", "--team", ""], "a team needs at least one runner"),
    (["errand", "--team", "nobody"], "runner is called 'nobody'"),
    (["errand", "--team", "Lazar, Lazar"], "Lazar is used 2 times"),
    (["errand", "--team", "Tamsynn + Commlink(face)"], "Tamsynn's Commlink cannot be Face"),
    (["errand", "--tokens", "-1"], "DocWagon tokens must be a whole number between 0 and 20, not -1"),
    (["errand", "--tokens", "21"], "DocWagon tokens must be a whole number between 0 and 20, not 21"),
    (["errand", "--tokens", "few"], "'--tokens'"),
    (["errand", *["--reroll"] * 16], "free rerolls must be a whole number between 0 and 15, not 16"),
    (["errand", "--loot", "datajack"], "'Datajack' is an Upgrade, but this must be a Loot card"),
    (["errand", "--loot", "aqua", "--loot", "aqua"], "'Aqua Fortis' is named 2 times"),
    (["errand", "--eye", "riger"], "is not a perk of the Eye of the Needle"),
    (["errand", "--eye", "mage"], "perk does nothing in a Mission"),
    (["bodyguard", "--team", "lazar", "--eye", "rigger"], "perks are not for a Task"),
    (["bodyguard", "--team", "lazar, corium"], "a Task is run by one runner, not 2"),
    (["errand", "--objective", "fun=1"], "'fun=1' is not KEY=NUMBER; the keys are completion, nuyen"),
    (["errand", "--objective", "completin=1"], "did you mean 'completion'?"),
    (["errand", "--objective", "nuyen"], "'nuyen' is not KEY=NUMBER"),
    (["errand", "--objective", "nuyen=much"], "nuyen = 'much' is not a number"),
    (["errand", "--objective", "nuyen=nan"], "nuyen must be between -1000000 and 1000000, not nan"),
    (["errand", "--objective", "loot=1,loot=2"], "loot is given twice"),
    (["errand", "--objective", "death=1"], "objective.death is 1.0; it is a cost"),
    (["bodyguard", "--team", "lazar", "--reroll"], "the Face's free reroll is for a Mission"),
    (["errand", "--policy", "balancd"], "the policies are best, icons-first, cancel-first, balanced; did"),
    (["errand", "--policy", "Best"], "'Best' is not a policy"),
    (["errand", "--engine", "exakt"], "'exakt' is not an engine; the engines are exact, montecarlo; did you"),
    (["errand", "--engine", "exact", "--attempts", "9"], "is for Monte Carlo; exact odds have none"),
    (["errand", "--engine", "exact", "--precision", "0.1"], "is for Monte Carlo; exact odds have none"),
    (["errand", "--precision", "0.1"], "best play is simulated by a number of attempts"),
    (["errand", "--attempts", "1000000001"], "attempts must be between 1 and 1000000000, not 1000000001"),
    (["errand", "--aim", "saef"], "the aims are complete, nuyen, payout, safe; did you mean 'safe'?"),
    (["errand", "--aim", ""], "'' is not an aim"),
    (["errand", "--aim", "safe", "--objective", "safe=1"], "give an aim or an objective, not both"),
    (["errand", "--price", "death=3"], "prices are for the aim nuyen; name it"),
    (["errand", "--aim", "safe", "--price", "death=3"], "prices are for the aim nuyen, not for safe"),
    (["errand", "--aim", "nuyen", "--price", "deth=3"], "the keys are injury, death, loot; did you mean"),
    (["errand", "--aim", "nuyen", "--price", "death"], "'death' is not KEY=NUMBER"),
    (["errand", "--aim", "nuyen", "--price", "death=x"], "--price: death = 'x' is not a number"),
    (["errand", "--aim", "nuyen", "--price", "death=-3"], "the price of death is -3.0; it must be 0 or more"),
    (["errand", "--aim", "nuyen", "--price", "loot=nan"], "--price: loot must be between"),
    (["grand vault", "--aim", "payout"], "Grand Vault Raid pays no nuyen; there is no payout to win"),
    (["errand", "--objective", "safe=-1"], "objective.safe is -1.0; it is a gain: 0 or positive"),
    (["errand", "--attempts", "0"], "'--attempts'"),
    (["errand", "--attempts", "1e6"], "'--attempts'"),
    (["errand", "--precision", "0"], "'--precision'"),
    (["errand", "--precision", "0.7"], "'--precision'"),
    (["errand", "--precision", "nan"], "'--precision'"),
    (["errand", "--attempts", "9", "--precision", "0.1"], "--attempts and --precision exclude each other"),
    (["errand", "--seed", "lucky"], "'--seed'"),
    (["errand", "--threads", "0"], "'--threads'"),
    (["errand", "--format", "jsn"], "'jsn' is not one of table, json, csv, md; did you mean 'json'?"),
    (["errand", "--plot", "odds.pdf"], "a picture ends in .png or .svg"),
    (["errand", "--plot", "nowhere/odds.png"], "no file can be written in nowhere"),
    (["errand", "--cards", "nowhere"], "neither a shipped card set (stand-in) nor a directory"),
    (["errand", "--set", "Errand Job.payout=-1"], "payout = -1 is not a whole number"),
    (["errand", "--nope"], "no such option: --nope"),
    (["errand", "--scenario", "good.toml"], "leave out MISSION"),
    (["--scenario", "good.toml", "--tokens", "1", "--set", "a.b=1"], "leave out --tokens, --set"),
    (["--scenario", "good.toml", "--aim", "safe", "--price", "loot=1"], "leave out --aim, --price"),
    (["--scenario", "none.toml"], "none.toml: cannot be read"),
    (["--scenario", "good.txt"], "a scenario file ends in .toml or .json"),
    (["--scenario", "torn.toml"], "torn.toml: is not well-formed"),
    (["--scenario", "odd.toml"], "unknown field `colour`"),
]


@pytest.mark.parametrize(("arguments", "part"), BAD)
def test_bad_input_is_one_sentence_on_stderr_and_exit_code_2(
    run: Run, arguments: list[str], part: str
) -> None:
    good = "[[stages]]\nicons = { mage = 1 }\n[[runners]]\ndice = { mage = 1 }\n"
    files = {"good.toml": good, "torn.toml": good + "[", "odd.toml": good + "colour = 1\n"}
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    done = run(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1
    assert part in done.err
    assert sorted(path.name for path in Path().iterdir()) == sorted(files)


def test_what_is_offered_is_what_there_is() -> None:
    assert sorted(command.POLICY_NAMES) == sorted([ask.BEST, *POLICIES])
    assert command.POLICY_NAMES[0] == ask.DEFAULT_POLICY
    assert command.ENGINE_NAMES == ask.ENGINES
    assert asking.AIM_NAMES == AIMS
    assert Objective.__struct_fields__ == asking.WEIGHTS


def shell(words: str) -> tuple[list[str], str]:
    """Press the Tab key after these words: what is offered, and which heavy libraries that took."""
    asked = {
        "_SPRAWLSIM_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    code = (
        "import sys; sys.argv = ['sprawlsim']\n"
        "from sprawlsim.cli import main\n"
        "try:\n    main()\n"
        "finally:\n    print(*{'numba', 'numpy', 'pandas'} & {*sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines(), done.stderr.strip()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("sprawlsim odds Mak", ["Make Some Noise"]),
        ("sprawlsim odds Bodyg", ["Bodyguard Work"]),
        ("sprawlsim odds errand --team Tam", ["Tamsynn"]),
        ("sprawlsim odds errand --team Tamsynn+Dataj", ["Tamsynn+Datajack"]),
        ("sprawlsim odds errand --loot aq", ["aqua Fortis"]),
        ("sprawlsim odds errand --policy ca", ["cancel-first"]),
        ("sprawlsim odds errand --policy be", ["best"]),
        ("sprawlsim odds errand --engine mo", ["montecarlo"]),
        ("sprawlsim odds errand --aim sa", ["safe"]),
        ("sprawlsim odds errand --eye ri", ["rigger"]),
        ("sprawlsim odds errand --format js", ["json"]),
    ],
)
def test_completion_offers_names_without_loading_numba(words: str, offered: list[str]) -> None:
    assert shell(words) == (offered, "")


@pytest.mark.parametrize(
    ("words", "spared"),
    [
        (["--help"], ["numpy", "numba", "pandas", "scipy", "matplotlib", "rich"]),
        (["odds", "--help"], ["numpy", "numba", "pandas", "scipy", "matplotlib", "rich"]),
        (["odds", "errand", "-q"], ["pandas", "scipy.linalg", "matplotlib", "rich"]),
        (["odds", "errand", "-q", "--attempts", "2000"], ["pandas", "scipy.linalg", "matplotlib", "rich"]),
    ],
)
def test_nothing_is_loaded_that_is_not_needed(words: list[str], spared: list[str]) -> None:
    code = (
        f"import sys; sys.argv = ['sprawlsim', *{words}]\n"
        "from sprawlsim.cli import main\n"
        "try:\n    main()\n"
        f"finally:\n    print(*{{*{spared}}} & {{*sys.modules}}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""


def test_help_has_examples_on_lines_of_their_own(run: Run) -> None:
    done = run("--help")
    assert done.code == 0
    assert sum(line.strip().startswith("sprawlsim odds ") for line in done.out.splitlines()) >= 5
