"""Fixtures of several test files."""

import math
from pathlib import Path

import pytest
from command_line import Outcome, Run

from sprawlsim import cli
from sprawlsim.cli import asking


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run ``sprawlsim`` in an empty directory, through the entry point that users have.

    No progress bar appears on stderr, however slow the machine is; a test of one sets `PATIENCE` itself.
    """
    monkeypatch.setattr(asking, "PATIENCE", math.inf)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SPRAWLSIM_CARDS", raising=False)

    def call(*arguments: str) -> Outcome:
        monkeypatch.setattr("sys.argv", ["sprawlsim", *arguments])
        with pytest.raises(SystemExit) as left:
            cli.main()
        told = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return Outcome(left.value.code, told.out, told.err)

    return call
