"""``sprawlsim simulate`` and ``sprawlsim tune`` as a user runs them."""

import csv
import io
import json
import re
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest

from sprawlsim.cli import simulate as command
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.game.strategies.model import load_strategy, shipped_strategies

FEW = ("--games", "64", "--quiet")


def test_without_options_it_plays_something_worth_reading(run):
    code, out, err = run("simulate")
    assert code == 0
    assert out.startswith("20000 games of 4 players, seats rotated, seed 1, cards: stand-in\n")
    for title in ("Wins", "Round by round, per player", "rounds to win: "):
        assert title in out
    assert "games in" in err  # timings are not data
    assert "a second" not in out


def test_json_holds_results_seed_versions_and_card_set_only(run):
    code, out, err = run(
        "simulate", "--strategies", "balanced,gear-rush", "--players", "2", *FEW, "--format", "json"
    )
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert set(told) == {
        "schema",
        "version",
        "card_set",
        "card_set_hash",
        "seed",
        "games",
        "players",
        "rotate_seats",
        "round_limit",
        "final",
        "gifts",
        "without",
        "strategies",
        "seats",
        "stopped",
        "mean_rounds",
        "rounds",
        "by_round",
        "locations",
    }
    wins = [one["wins"] for one in told["strategies"]]
    assert sum(wins) + round(told["stopped"]["estimate"] * 64) == 64
    for one in told["strategies"]:
        rate = one["win_rate"]
        assert rate["low"] <= rate["estimate"] == one["wins"] / one["games"] <= rate["high"]


def test_threads_change_no_figure(run):
    one = run("simulate", *FEW, "--threads", "1", "--format", "json")[1]
    assert run("simulate", *FEW, "--threads", "2", "--format", "json")[1] == one


def test_csv_has_a_row_for_each_strategy(run):
    rows = list(csv.DictReader(io.StringIO(run("simulate", *FEW, "--format", "csv")[1])))
    assert {row["strategy"] for row in rows} == set(command.complete_strategies()) - {
        "random",
        "final-gambler",
    }


def test_markdown_has_tables(run):
    out = run("simulate", *FEW, "--format", "md")[1]
    assert "### Wins" in out
    assert "| strategy" in out


def test_rows_of_games_are_written(run, tmp_path):
    code, _, err = run("simulate", "--games", "70", "--out", "games.parquet")
    assert code == 0
    assert "games written to games.parquet" in err
    assert pq.read_table(tmp_path / "games.parquet").num_rows == 70


def test_the_command_line_plays_the_games_of_a_batch(run):
    told = json.loads(run("simulate", *FEW, "--seed", "9", "--format", "json")[1])
    results = Batch(seed=9).run(64)
    assert told == json.loads(json.dumps(results.to_dict()))


def test_completion_offers_the_shipped_strategies():
    assert command.complete_strategies() == shipped_strategies()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--strategies", "balanced,,random"), "a name is missing beside a comma"),
        (("--strategies", "balanced,random"), "2 strategies for 4 players"),
        (("--strategies", "champoin"), "did you mean 'champion'"),
        (("--strategies", "mine.toml"), "mine.toml: cannot be read"),
        (("--out", "games.csv"), "ends in .parquet"),
        (("--out", "nowhere/games.parquet"), "there is no folder nowhere"),
        (("--format", "xml"), "'xml' is not one of"),
        (("--final", "nothing"), "--final: the Final Missions are Grand Tower Raid, Grand Archive Raid, "),
        (("--final", "grand tower rade"), "did you mean 'Grand Tower Raid'"),
        (("--final", ""), "Grand Vault Raid; the name is empty"),
        (("--final", "Datajack"), "'Datajack' is an Upgrade, but this must be a Final Mission"),
        (("--set", "Datajack.cots=3"), "cots"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run, arguments, message):
    code, out, err = run("simulate", "--games", "8", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err


def test_a_card_set_without_what_a_game_needs_is_refused(run):
    code, _, err = run("simulate", "--set", "Datasteal.payout=x")
    assert code == 2
    assert "Datasteal" in err


def test_tune_writes_a_strategy_that_says_how_it_was_made(run, tmp_path):
    arguments = ("--generations", "2", "--games", "20", "--test-games", "100", "--players", "2", "--quiet")
    code, out, err = run("tune", "gear-rush", "--keep", "place", "--out", "mine.toml", *arguments)
    assert (code, err) in {
        (0, ""),
        (0, "nothing better was found; the file holds the strategy it started from\n"),
    }
    assert [line.split()[0] for line in out.splitlines()] == ["before", "after", "gain", "written"]
    text = (tmp_path / "mine.toml").read_text()
    assert text.startswith("# Made by: sprawlsim tune gear-rush --keep place --out mine.toml")
    tuned = load_strategy(tmp_path / "mine.toml")
    assert tuned.weight("place.crime_mall") == load_strategy("gear-rush").weight("place.crime_mall")


def test_a_tuning_that_is_killed_leaves_what_it_found_and_none_that_ends_does(run, tmp_path):
    arguments = ("gear-rush", "--out", "mine.toml", "--players", "2", "--games", "20", "--quiet")
    words = [sys.executable, "-m", "sprawlsim", "tune", *arguments, "--generations", "10000"]
    left = tmp_path / "mine-so-far.toml"
    process = subprocess.Popen(words, cwd=tmp_path)
    until = time.monotonic() + 120
    while not left.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    process.kill()
    process.wait()
    text = left.read_text()
    assert re.match(r"# Found after \d+ of 10000 generations by: sprawlsim tune gear-rush", text)
    assert load_strategy(left).weights != load_strategy("gear-rush").weights
    few = ("--generations", "1", "--test-games", "100")
    code, out, err = run("tune", *arguments, *few)
    assert (code, out) == (2, "")
    assert "mine-so-far.toml is there" in err
    assert left.read_text() == text
    assert not (tmp_path / "mine.toml").exists()
    code, _, _ = run("tune", "mine-so-far.toml", *arguments[1:2], "on.toml", *arguments[3:], *few)
    assert code == 0
    assert sorted(path.name for path in tmp_path.glob("[!.]*")) == ["mine-so-far.toml", "on.toml"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("random",), "no weights to tune"),
        (("balanced", "--keep", "dcie"), "did you mean"),
        (("balanced", "--out", "nowhere/x.toml"), "a folder that exists"),
        (("balanced", "--against", "balanced"), "name at least 3"),
    ],
)
def test_what_cannot_be_tuned_is_told_before_anything_is_played(run, arguments, message):
    code, out, err = run("tune", *arguments, "--generations", "1", "--games", "10")
    assert (code, out) == (2, "")
    assert message in err
