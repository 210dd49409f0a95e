"""Fixtures of several test files."""

from pathlib import Path

import pytest
from command_line import Outcome, Run

from sprawlsim import cli


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run ``sprawlsim`` in an empty directory, through the entry point that users have."""
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
