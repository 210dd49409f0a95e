"""``sprawlsim odds``: a Mission, a team, and the odds that somebody about to play them wants to read.

numpy, numba and everything that needs them is imported when the command runs, so that ``--help`` and the
Tab key answer at once.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from sprawlsim.cli.cards import CardsOption, SetOption
from sprawlsim.cli.complete import complete_card_names, complete_team
from sprawlsim.cli.odds_text import render
from sprawlsim.cli.output import FORMAT_HELP, FORMATS, check_format
from sprawlsim.errors import SprawlsimError, did_you_mean
from sprawlsim.sprawlops.api import ask_about, load_cards

if TYPE_CHECKING:
    from sprawlsim.sprawlops.mission.ask import Effort
    from sprawlsim.sprawlops.mission.odds import Odds
    from sprawlsim.sprawlops.mission.scenario import Objective, RulesOptions, Scenario

POLICY_NAMES = ("balanced", "icons-first", "cancel-first")
"""The policies to offer without loading them; a test holds them to `POLICIES`."""
EYE_NAMES = ("samurai", "decker", "rigger")
WEIGHTS = ("completion", "nuyen", "loot", "injury", "death")
PICTURES = (".png", ".svg")

MOST_WEIGHT = 1_000_000

PATIENCE = 1.0
"""Seconds that a run may last before a progress bar appears."""


class Asked(NamedTuple):
    """A question: an attempt to set up, and who gives its odds for a policy and an effort."""

    scenario: Scenario
    odds: Callable[[str, Effort], Odds]


def show_odds(  # noqa: PLR0913, PLR0917 - an option each
    mission: Annotated[
        str | None,
        typer.Argument(
            metavar="MISSION",
            help="A Mission, Final Mission or Task, or enough of its name.",
            autocompletion=complete_card_names("missions", "final_missions", "tasks"),
            show_default=False,
        ),
    ] = None,
    team: Annotated[
        str | None,
        typer.Option(
            metavar="TEAM",
            help='Who goes: "Tamsynn + Datajack, Lazar + Commlink". [default: the starting team]',
            autocompletion=complete_team,
        ),
    ] = None,
    tokens: Annotated[int, typer.Option(metavar="N", help="DocWagon tokens in hand.")] = 0,
    loot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A Loot card in hand. May be repeated.",
            autocompletion=complete_card_names("loot"),
        ),
    ] = None,
    reroll: Annotated[
        int,
        typer.Option(
            "--reroll",
            count=True,
            metavar="",
            help="A free reroll (the Face at Mr. Johnson). May be repeated.",
            show_default=False,
        ),
    ] = 0,
    eye: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE",
            help="A perk of the Eye of the Needle: samurai, decker or rigger. May be repeated.",
            autocompletion=lambda: list(EYE_NAMES),
        ),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(
            metavar="WEIGHTS",
            help='What an attempt is worth: "completion=1,nuyen=0.1,loot=0.3,injury=-0.2,death=-0.6". '
            "[default: completion=1]",
        ),
    ] = None,
    plating_any_colour: Annotated[
        bool,
        typer.Option(
            "--plating-any-colour",
            help="Dermal Plating takes injuries of colours its runner did not roll, too.",
        ),
    ] = False,
    scenario: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Attempt what this file (.toml or .json) describes instead."),
    ] = None,
    policy: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"Who decides: {', '.join(POLICY_NAMES)}.",
            autocompletion=lambda: list(POLICY_NAMES),
        ),
    ] = POLICY_NAMES[0],
    attempts: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=10**12,
            help="Play exactly so many. [default: 1000000; 200000 for large pools]",
        ),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="X", min=1e-5, max=0.499, help="Play until completion is known to plus or minus this."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed gives the same dice.")] = 1,
    threads: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=256, help="Threads; they change no figure. [default: one a processor]"
        ),
    ] = None,
    fmt: Annotated[
        str, typer.Option("--format", help=FORMAT_HELP, autocompletion=lambda: list(FORMATS))
    ] = "table",
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the odds as well, to a .png or .svg.")
    ] = None,
    cards: CardsOption = None,
    changes: SetOption = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress bar, no notices on stderr.")
    ] = False,
) -> None:
    """Find the odds of a Mission: completing it, each Stage, who is hurt and how, nuyen and Loot.

    The Mission is played many times by a rule of thumb. A Commlink without a colour gets the best one.

    \b
    Examples:
      sprawlsim odds "make some noise"
      sprawlsim odds errand --team "Tamsynn + Datajack, Lazar + Jackrabbit + Commlink"
      sprawlsim odds "make some noise" --tokens 1 --loot "aqua fortis" --eye samurai
      sprawlsim odds harbour --objective "completion=1,injury=-0.2,death=-0.6"
      sprawlsim odds harbour --precision 0.0005 --format json
      sprawlsim odds errand --set "Errand Job.stages.1.icons.street_samurai=2" --plot errand.png
      sprawlsim odds --scenario heist.toml --policy cancel-first
    """
    check_format(fmt)
    _check_picture(plot)
    if attempts is not None and precision is not None:
        raise SprawlsimError("--attempts and --precision exclude each other; give one of them")
    told_by_a_file = {
        "MISSION": mission,
        "--team": team,
        "--tokens": tokens,
        "--loot": loot,
        "--reroll": reroll,
        "--eye": eye,
        "--objective": objective,
        "--plating-any-colour": plating_any_colour,
        "--cards": cards,
        "--set": changes,
    }
    with _little_garbage():
        from sprawlsim.jit import load_without_blas
        from sprawlsim.sprawlops.mission.ask import Effort

        load_without_blas()
    if scenario is not None:
        asked = _ask_scenario(scenario, [name for name, value in told_by_a_file.items() if value])
    elif mission is None:
        raise SprawlsimError("name a Mission, or a file with --scenario; see 'sprawlsim odds --help'")
    else:
        question = ask_about(
            mission,
            team,
            cards=load_cards(cards, changes or ()),
            tokens=tokens,
            loot=loot or (),
            rerolls=reroll,
            eye=eye or (),
            objective=_objective(objective),
            rules=_rules(plating_any_colour),
        )
        asked = Asked(question.scenario(), question.odds)
    answer = _play(asked, policy, Effort(attempts, precision, seed, threads), quiet)
    if plot is not None:
        _draw(answer, plot, quiet)
    print(render(answer, fmt))
    if fmt in {"json", "csv"}:
        for note in answer.notes:
            _say(f"note: {note}", quiet)


def _play(asked: Asked, policy: str, effort: Effort, quiet: bool) -> Odds:
    """Load or compile the kernels, then play."""
    from sprawlsim.jit import cache_folder, when_compiling
    from sprawlsim.sprawlops.mission.ask import scenario_odds

    def announce() -> None:
        gc.enable()
        _say(
            "compiling the dice kernels, once for this version (about half a minute), "
            f"to be kept in {cache_folder()}",
            quiet,
        )

    with when_compiling(announce):
        with _little_garbage():
            # One attempt, played in this thread, where Ctrl-C reaches a compilation.
            scenario_odds(asked.scenario, policy, effort._replace(attempts=1, precision=None))
        with Progress(quiet) as progress:
            return asked.odds(policy, effort._replace(progress=progress))


@contextmanager
def _little_garbage() -> Iterator[None]:
    """Put off collecting garbage where there is hardly any: a tenth of a second while numba loads."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _ask_scenario(path: Path, also_given: Sequence[str]) -> Asked:
    """Ask about a scenario file, which leaves nothing else to set up."""
    if also_given:
        raise SprawlsimError(
            f"--scenario describes the whole attempt in its file; leave out {', '.join(also_given)}"
        )
    from sprawlsim.sprawlops.mission.ask import Label, scenario_odds
    from sprawlsim.sprawlops.mission.scenario import load_scenario

    scenario = load_scenario(path)

    def odds_of(policy: str, effort: Effort) -> Odds:
        return scenario_odds(scenario, policy, effort, Label(path.name))

    return Asked(scenario, odds_of)


def _objective(text: str | None) -> Objective | None:
    """Read "completion=1,injury=-0.2"."""
    if text is None:
        return None
    from sprawlsim.sprawlops.mission.scenario import Objective

    weights: dict[str, float] = {}
    for part in text.split(","):
        key, equals, number = (piece.strip() for piece in part.partition("="))
        if key not in WEIGHTS or not equals:
            raise SprawlsimError(
                f"--objective: {part.strip()!r} is not KEY=NUMBER; the keys are {', '.join(WEIGHTS)}"
                f"{did_you_mean(key, WEIGHTS)}"
            )
        if key in weights:
            raise SprawlsimError(f"--objective: {key} is given twice")
        try:
            weights[key] = float(number)
        except ValueError:
            raise SprawlsimError(f"--objective: {key} = {number!r} is not a number") from None
        if not abs(weights[key]) <= MOST_WEIGHT:
            raise SprawlsimError(
                f"--objective: {key} must be between -{MOST_WEIGHT} and {MOST_WEIGHT}, not {number}"
            )
    return Objective(**weights)


def _rules(plating_any_colour: bool) -> RulesOptions:
    from sprawlsim.sprawlops.mission.scenario import RulesOptions

    return RulesOptions(plating_takes_any_colour=plating_any_colour)


def _check_picture(path: Path | None) -> None:
    """Refuse a picture that could not be saved, before anything is played."""
    if path is None:
        return
    if path.suffix.lower() not in PICTURES:
        raise SprawlsimError(f"--plot {path}: a picture ends in {' or '.join(PICTURES)}")
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        why = "is a directory" if path.is_dir() else f"no file can be written in {path.parent}"
        raise SprawlsimError(f"--plot {path}: {why}")


def _draw(answer: Odds, path: Path, quiet: bool) -> None:
    try:
        answer.plot().savefig(path, dpi=150)
    except OSError as error:
        raise SprawlsimError(f"--plot {path}: cannot be written ({error.strerror})") from None
    _say(f"picture written to {path}", quiet)


def _say(message: str, quiet: bool) -> None:
    """Tell something beside the answer."""
    if not quiet:
        print(message, file=sys.stderr, flush=True)


class Progress:
    """A progress bar on stderr that appears once a run has lasted longer than a second.

    Called, under a lock, by whichever thread has played a block.
    """

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._since = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Progress:
        self._since = time.monotonic()
        return self

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

        columns = [progress.TextColumn("{task.completed:,} attempts"), progress.TimeElapsedColumn()]
        if knows_the_end:
            columns += [progress.TextColumn("left"), progress.TimeRemainingColumn()]
        bar = progress.Progress(progress.BarColumn(), *columns, console=Console(stderr=True))
        bar.add_task("", total=None)
        bar.start()
        return bar
