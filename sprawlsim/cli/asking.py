"""Asking about a Mission on a command line: the options that all such commands share."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sprawlsim.cli.complete import complete_card_names, complete_team
from sprawlsim.errors import SprawlsimError, did_you_mean

if TYPE_CHECKING:
    from sprawlsim.sprawlops.mission.scenario import Objective, RulesOptions

EYE_NAMES = ("samurai", "decker", "rigger")
AIM_NAMES = ("complete", "nuyen", "payout", "safe")
"""The aims to offer without loading them; a test holds them to `AIMS`."""
WEIGHTS = ("completion", "nuyen", "loot", "injury", "death", "payout", "safe")
PRICES = ("injury", "death", "loot")
PICTURES = (".png", ".svg")

MOST_WEIGHT = 1_000_000

PATIENCE = 1.0
"""Seconds that a run may last before a progress bar appears."""

MissionArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="MISSION",
        help="A Mission, Final Mission or Task, or enough of its name.",
        autocompletion=complete_card_names("missions", "final_missions", "tasks"),
        show_default=False,
    ),
]
TeamOption = Annotated[
    str | None,
    typer.Option(
        metavar="TEAM",
        help='Who goes: "Tamsynn + Datajack, Lazar + Commlink". [default: the starting team]',
        autocompletion=complete_team,
    ),
]
TokensOption = Annotated[int, typer.Option(metavar="N", help="DocWagon tokens in hand.")]
LootOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="A Loot card in hand. May be repeated.",
        autocompletion=complete_card_names("loot"),
    ),
]
RerollOption = Annotated[
    int,
    typer.Option(
        "--reroll",
        count=True,
        metavar="",
        help="A free reroll (the Face at Mr. Johnson). May be repeated.",
        show_default=False,
    ),
]
EyeOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ROLE",
        help="A perk of the Eye of the Needle: samurai, decker or rigger. May be repeated.",
        autocompletion=lambda: list(EYE_NAMES),
    ),
]
AimOption = Annotated[
    str | None,
    typer.Option(
        metavar="AIM",
        help="What best play wants: complete (the Mission), nuyen (with Loot and harm priced), payout (win "
        "it), safe (complete, nobody dead). [default: complete]",
        autocompletion=lambda: list(AIM_NAMES),
    ),
]
PriceOption = Annotated[
    str | None,
    typer.Option(
        metavar="PRICES",
        help='For --aim nuyen, in K: "injury=3,death=10,loot=5". [default: by the cards of the team]',
    ),
]
ObjectiveOption = Annotated[
    str | None,
    typer.Option(
        metavar="WEIGHTS",
        help='Instead of an aim: "completion=1,nuyen=0.1,loot=0.3,injury=-0.2,death=-0.6".',
    ),
]
PlatingOption = Annotated[
    bool,
    typer.Option(
        "--plating-any-colour",
        help="Dermal Plating takes injuries of colours its runner did not roll, too.",
    ),
]
ScenarioOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Attempt what this file (.toml or .json) describes instead."),
]
InsistOption = Annotated[bool, typer.Option("--yes", help="Do what takes long or much memory, too.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar, no notices on stderr.")]


def refuse_beside_a_file(given: Mapping[str, object]) -> None:
    """Refuse options that a scenario file tells already."""
    also = [name for name, value in given.items() if value]
    if also:
        raise SprawlsimError(
            f"--scenario describes the whole attempt in its file; leave out {', '.join(also)}"
        )


def read_objective(text: str | None) -> Objective | None:
    """Read "completion=1,injury=-0.2"."""
    if text is None:
        return None
    from sprawlsim.sprawlops.mission.scenario import Objective

    return Objective(**_read_numbers("--objective", text, WEIGHTS))


def read_prices(text: str | None) -> dict[str, float]:
    """Read "injury=3,death=10"."""
    return {} if text is None else _read_numbers("--price", text, PRICES)


def _read_numbers(option: str, text: str, keys: Sequence[str]) -> dict[str, float]:
    """Read "KEY=NUMBER,KEY=NUMBER"."""
    numbers: dict[str, float] = {}
    for part in text.split(","):
        key, equals, number = (piece.strip() for piece in part.partition("="))
        if key not in keys or not equals:
            raise SprawlsimError(
                f"{option}: {part.strip()!r} is not KEY=NUMBER; the keys are {', '.join(keys)}"
                f"{did_you_mean(key, keys)}"
            )
        if key in numbers:
            raise SprawlsimError(f"{option}: {key} is given twice")
        try:
            numbers[key] = float(number)
        except ValueError:
            raise SprawlsimError(f"{option}: {key} = {number!r} is not a number") from None
        if not abs(numbers[key]) <= MOST_WEIGHT:
            raise SprawlsimError(
                f"{option}: {key} must be between -{MOST_WEIGHT} and {MOST_WEIGHT}, not {number}"
            )
    return numbers


def read_rules(plating_any_colour: bool) -> RulesOptions:
    """Read the options on how to read the rules."""
    from sprawlsim.sprawlops.mission.scenario import RulesOptions

    return RulesOptions(plating_takes_any_colour=plating_any_colour)


def check_picture(path: Path | None) -> None:
    """Refuse a picture that could not be saved, before anything is played."""
    if path is None:
        return
    if path.suffix.lower() not in PICTURES:
        raise SprawlsimError(f"--plot {path}: a picture ends in {' or '.join(PICTURES)}")
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        why = "is a directory" if path.is_dir() else f"no file can be written in {path.parent}"
        raise SprawlsimError(f"--plot {path}: {why}")


def draw(figure: Any, path: Path, quiet: bool) -> None:
    """Save a picture."""
    try:
        # Without the date, the same question gives the same file.
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
    except OSError as error:
        raise SprawlsimError(f"--plot {path}: cannot be written ({error.strerror})") from None
    say(f"picture written to {path}", quiet)


def say(message: str, quiet: bool) -> None:
    """Tell something beside the answer."""
    if not quiet:
        print(message, file=sys.stderr, flush=True)


@contextmanager
def announcing_compilation(quiet: bool) -> Iterator[None]:
    """Say so when the kernels must be compiled first."""
    from sprawlsim.jit import cache_folder, when_compiling

    def announce() -> None:
        gc.enable()
        say(
            "compiling the dice kernels, once for this version (about a minute), "
            f"to be kept in {cache_folder()}",
            quiet,
        )

    with when_compiling(announce):
        yield


@contextmanager
def little_garbage() -> Iterator[None]:
    """Put off collecting garbage where there is hardly any: a tenth of a second while numba loads."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def load_engine() -> None:
    """Load what computes, quickly."""
    with little_garbage():
        from sprawlsim.jit import load_without_blas

        load_without_blas()
        import sprawlsim.sprawlops.mission.ask  # noqa: F401


class Progress:
    """A progress bar on stderr that appears once a run has lasted longer than a second.

    Called, under a lock, by whichever thread has played a block.
    """

    def __init__(self, quiet: bool, what: str = "attempts") -> None:
        self._quiet = quiet
        self._what = what
        self._label = ""
        self._since = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Progress:
        self._since = time.monotonic()
        return self

    def start(self, label: str) -> Progress:
        """Begin with something else, of another length: a bar of its own, with a label before it."""
        self.__exit__()
        self._bar = None
        self._label = label
        return self.__enter__()

    def __call__(self, done: int, of: int | None) -> None:
        """Hear how many attempts are played, of how many."""
        if self._bar is None:
            if self._quiet or done == of or time.monotonic() - self._since < PATIENCE:
                return
            self._bar = self._appear(of is not None)
        self._bar.update(0, completed=done, total=of)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _appear(self, knows_the_end: bool) -> Any:
        from rich import progress
        from rich.console import Console

        done = "{task.percentage:.0f}%" if knows_the_end else "{task.completed:,} " + self._what
        columns = [progress.TextColumn(done), progress.TimeElapsedColumn()]
        if knows_the_end:
            columns += [progress.TextColumn("left"), progress.TimeRemainingColumn()]
        label = [progress.TextColumn(self._label)] if self._label else []
        bar = progress.Progress(*label, progress.BarColumn(), *columns, console=Console(stderr=True))
        bar.add_task("", total=None)
        bar.start()
        return bar
