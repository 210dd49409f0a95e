"""What a run of the command line leaves behind, for the fixture `run`."""

from collections.abc import Callable
from typing import NamedTuple


class Outcome(NamedTuple):
    """Exit code, and what was written to stdout and stderr."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]
