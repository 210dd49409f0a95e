"""``sprawlsim experiment`` on the command line: list, run, stop, resume, show, and what goes wrong."""

import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from sprawlsim.cli import experiment as command
from sprawlsim.experiments.show import load_results
from sprawlsim.sprawlops.measures import MEASURES

ROOT = Path(__file__).parent.parent
MINE = """
title = "Errands"
question = "Does a Datajack help with an errand?"
note = "Only an example."
measure = "mission"
figures = ["worth per attempt", "completed"]
[common]
mission = "errand"
prices = { injury = 3 }
[grid.team]
"Tamsynn" = "Tamsynn, Steady Samurai"
"with a Datajack" = "Tamsynn + Datajack, Steady Samurai"
[compare]
vary = "team"
baseline = "Tamsynn"
[stop]
count = 4000
chunk = 1000
"""


def sprawlsim(*words, code=0):
    """Run the command line; give what it writes to stdout and stderr."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-m", "sprawlsim", "experiment", *words],
        capture_output=True,
        check=False,
        text=True,
        env=env,
        timeout=600,
    )
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Work in a folder with an experiment of one's own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "mine.toml").write_text(MINE)
    return tmp_path


def test_list_tells_shipped_and_local_experiments_with_their_questions(place):
    (place / "experiments" / "broken.toml").write_text("title = 3")
    out, _ = sprawlsim("list", "--format", "json")
    rows = {row["experiment"]: row for row in json.loads(out)}
    assert rows["mine"] == {
        "experiment": "mine",
        "where": "here",
        "question": "Does a Datajack help with an errand?",
    }
    assert rows["docwagon"]["where"] == "shipped"
    assert rows["broken"]["question"].startswith("cannot be read")
    assert len(rows) >= 7


def test_run_resume_and_show(place):
    out, err = sprawlsim("run", "mine", "--workers", "1", "--summary", "mine.csv")
    assert "Does a Datajack help with an errand?" in out
    assert "8,000 of 8,000 attempts, seed 1" in out
    assert out.index("worth per attempt") < out.index("completed")
    assert "Only an example." in out
    assert "8,000 attempts played" in err
    table, _ = sprawlsim("show", "mine")
    assert table == out
    csv, _ = sprawlsim("show", "results/experiments/mine", "--format", "csv")
    assert csv == (place / "mine.csv").read_text()
    frame = pd.read_csv(place / "mine.csv")
    difference = frame[(frame["figure"] == "completed") & frame["less"].notna()].iloc[0]
    assert (difference["team"], difference["less"]) == ("with a Datajack", "Tamsynn")
    assert difference["low"] > 0
    assert re.search(rf"completed +\+{100 * difference['estimate']:.0f} points \(\+", out)
    data = json.loads(sprawlsim("show", "mine", "--format", "json")[0])
    assert data["complete"]
    assert data["attempts"] == {"done": 8000, "of": 8000}
    assert [row["estimate"] for row in data["figures"]] == list(frame["estimate"])
    assert sprawlsim("show", "mine", "--format", "md")[0].startswith("## Errands\n")
    chunks = sorted((place / "results").rglob("*.parquet"))
    assert len(chunks) == 8
    chunks[2].write_bytes(b"PAR1")
    _, err = sprawlsim("run", "mine", "--resume", "--workers", "1")
    assert "damaged, moved aside and played again" in err
    assert "1,000 attempts played" in err


def test_csv_and_json_tell_shares_as_such_and_tiny_p_values_too(place):
    table, _ = sprawlsim("run", "mine", "--workers", "1", "--summary", "mine.csv", "--quiet")
    frame = pd.read_csv(place / "mine.csv")
    completed = frame[frame["figure"] == "completed"]
    assert set(completed["unit"]) == {"share"}
    assert completed["estimate"].between(0, 1).all()
    assert "share" not in table
    assert re.search(r"\d%", table)
    results = load_results(place / "results" / "experiments" / "mine", MEASURES)
    less = results.figures["less"].notna()
    figures = results.figures.assign(p_holm=results.figures["p_holm"].where(~less, 1.23456e-12))
    tiny = replace(results, figures=figures.assign(estimate=0.123456789))
    rows = pd.read_csv(io.StringIO(command.render(tiny, "csv")))
    assert set(rows["p_holm"].dropna()) == {1.23e-12}
    assert set(rows["estimate"]) == {0.123457}
    told = [(row["p_holm"], row["unit"]) for row in json.loads(command.render(tiny, "json"))["figures"]]
    assert set(told) == {(None, "share"), (1.23e-12, "share"), (None, "K"), (1.23e-12, "K")}


def test_quiet_is_quiet(place):
    _, err = sprawlsim("run", "mine", "--workers", "1", "--quiet")
    assert err == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run", "mnie"), "'mnie' is not an experiment.*did you mean 'mine'"),
        (("run", "mine", "--format", "tabel"), "did you mean 'table'"),
        (("run", "mine", "--summary", "nowhere/x.csv"), "a folder that exists"),
        (("run", "mine", "--backend", "dask"), "go together"),
        (("run", "mine", "--out", "experiments"), "is not the results folder"),
        (("run", "typo"), "measure = 'missions' is not known.*did you mean 'mission'"),
        (("show", "mine"), "'mine' is not a results folder"),
    ],
)
def test_what_goes_wrong_is_one_sentence_and_exit_code_2(place, words, told):
    typo = MINE.replace('measure = "mission"', 'measure = "missions"')
    (place / "experiments" / "typo.toml").write_text(typo)
    out, err = sprawlsim(*words, code=2)
    assert out == ""
    assert err.startswith("error: ")
    assert len(err.splitlines()) == 1
    assert re.search(told, err)
    assert sorted(path.name for path in place.iterdir()) == ["experiments"]
