"""Six whole games are told word by word as they were when somebody read them."""

import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

import pytest
from make_playthroughs import COMMAND, FOLDER, PLAYTHROUGHS

DIFFERENCES_SHOWN = 5


def first_differences(told: str, stored: str) -> list[str]:
    """List the first lines that differ, numbered as in the file."""
    pairs = zip_longest(told.split("\n"), stored.split("\n"), fillvalue="(nothing)")
    differ = [(k, now, then) for k, (now, then) in enumerate(pairs, 1) if now != then]
    return [f"line {k}\n  file: {then}\n  now:  {now}" for k, now, then in differ[:DIFFERENCES_SHOWN]]


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_games_are_told_as_they_were(name):
    path = FOLDER / f"{name}.txt"
    assert path.is_file(), f"{path} is missing; write it with: {COMMAND}"
    differences = first_differences(PLAYTHROUGHS[name].text(), path.read_text(encoding="utf-8"))
    shown = "\n".join(differences)
    assert not differences, f"{path.name} differs; if it should, write it anew with: {COMMAND}\n{shown}"


def test_there_are_no_other_files():
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.txt" for name in PLAYTHROUGHS}


def test_two_games_of_each_number_of_players():
    assert sorted(one.players for one in PLAYTHROUGHS.values()) == [2, 2, 3, 3, 4, 4]


def test_differences_are_shown_by_line():
    assert first_differences("a\nb\nc", "a\nb\nc") == []
    assert first_differences("a\nx", "a\nb\nc") == [
        "line 2\n  file: b\n  now:  x",
        "line 3\n  file: c\n  now:  (nothing)",
    ]


def test_each_begins_with_the_command_that_tells_it():
    path = FOLDER / "two-players.txt"
    command, _, story = path.read_text(encoding="utf-8").partition("\n")
    words = command.removeprefix("$ sprawlsim ").split()
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "sprawlsim", *words, "--quiet"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=root,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == story
