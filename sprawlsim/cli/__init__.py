"""The command line: parsing and printing only; every answer comes from the rooms below."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from sprawlsim.cli.advise import show_advice
from sprawlsim.cli.cards import cards_app
from sprawlsim.cli.compare import show_comparison
from sprawlsim.cli.diff import show_difference
from sprawlsim.cli.experiment import experiment_app
from sprawlsim.cli.frontier import show_frontier
from sprawlsim.cli.improve import show_improvements
from sprawlsim.cli.odds import show_odds
from sprawlsim.cli.report import show_report
from sprawlsim.cli.shares import show_shares
from sprawlsim.cli.simulate import show_simulation
from sprawlsim.cli.tune import show_tuning
from sprawlsim.cli.watch import show_game
from sprawlsim.errors import SprawlsimError
from sprawlsim.version import __version__

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it: 128 and the number of the signal."""

USAGE_ERROR: type[BaseException] = typer.BadParameter.__mro__[1]
"""Whatever is wrong with the words of a command line; typer does not export the class."""

app = typer.Typer(
    name="sprawlsim",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Odds, best cards and balance of the board game Shadowrun: Sprawl Ops.",
)
app.command("odds", short_help="The odds of a Mission, under best play or by rule of thumb.")(show_odds)
app.command("advise", short_help="What to do with a roll, before one, between Stages.")(show_advice)
app.command("frontier", short_help="What completing costs in injuries and deaths.")(show_frontier)
app.command("compare", short_help="Teams side by side on the same Mission.")(show_comparison)
app.command("improve", short_help="What one more card, token or runner gains.")(show_improvements)
app.command("shares", short_help="How much of a team's odds is due to each card.")(show_shares)
app.command("simulate", short_help="Whole games: who wins, how soon, from which seat.")(show_simulation)
app.command("watch", short_help="Any game of a simulation, told for the table.")(show_game)
app.command("tune", short_help="Better weights for a strategy, against a field of others.")(show_tuning)
app.command("report", short_help="What cards, Missions, rules, strategies and seats are worth.")(show_report)
app.command("diff", short_help="Two card sets on the same games: what changes.")(show_difference)
app.add_typer(cards_app, name="cards")
app.add_typer(experiment_app, name="experiment")


def _tell_version(wanted: bool) -> None:
    if wanted:
        print(f"sprawlsim {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Tell the version.", is_eager=True, callback=_tell_version)
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; bad input is one sentence on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows a question mark
    try:
        code = app(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except SprawlsimError as error:
        _leave(f"error: {error}", 2)
    except USAGE_ERROR as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            _leave(str(error), 2)
        _leave(f"error: {_sentence(error)}", 2)
    except (KeyboardInterrupt, typer.Abort):
        _leave("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has left. Python would complain once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        # A name too long, a folder that may not be entered, a full disk: whatever was not told before.
        where = f"{error.filename}: " if error.filename else ""
        _leave(f"error: {where}{(error.strerror or str(error)).lower()}", 2)
    except MemoryError:
        _leave("error: there is not enough memory for this; ask for Monte Carlo (--engine montecarlo)", 2)
    except RecursionError:
        _leave("error: the input is nested too deeply", 2)
    if code == INTERRUPTED:
        _leave("interrupted", INTERRUPTED)
    sys.exit(code if isinstance(code, int) else 0)


def _leave(message: str, code: int) -> None:
    print(message, file=sys.stderr)
    sys.exit(code)


def _sentence(error: BaseException) -> str:
    """Write what typer has to say about a command line as the errors of this program are written."""
    told: str = error.format_message() if hasattr(error, "format_message") else str(error)
    told = " ".join(told.split()).rstrip(".")
    return told[:1].lower() + told[1:]
