"""``sprawlsim tune``: better weights for a strategy."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sprawlsim.cli.asking import Progress, QuietOption, announcing_compilation, load_engine, say
from sprawlsim.cli.cards import CardsOption, SetOption
from sprawlsim.cli.simulate import PlayersOption, ThreadsOption, complete_strategies, split_strategies
from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.api import load_cards

if TYPE_CHECKING:
    from sprawlsim.sprawlops.game.strategies.model import Strategy
    from sprawlsim.stats.intervals import Estimate


def show_tuning(  # noqa: PLR0913, PLR0917 - an option each
    strategy: Annotated[
        str,
        typer.Argument(
            metavar="STRATEGY",
            help="Where to start: a shipped strategy, or a file NAME.toml.",
            autocompletion=complete_strategies,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to write the result. [default: STRATEGY-tuned.toml]"),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="The field: opponents to be tuned against. [default: the shipped ones but random and "
            "final-gambler]",
            autocompletion=complete_strategies,
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="KEY,...",
            help='Weights to keep: "final.chance", or a whole table: "place".',
        ),
    ] = None,
    players: PlayersOption = 4,
    games: Annotated[
        int, typer.Option(metavar="N", min=10, max=10**7, help="Games of a candidate in a generation.")
    ] = 1000,
    generations: Annotated[
        int, typer.Option(metavar="N", min=1, max=10_000, help="Generations of candidates.")
    ] = 40,
    test_games: Annotated[
        int, typer.Option(metavar="N", min=100, max=10**8, help="Games, held out, to measure the result on.")
    ] = 20_000,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed gives the same result.")] = 1,
    threads: ThreadsOption = None,
    cards: CardsOption = None,
    changes: SetOption = None,
    quiet: QuietOption = False,
) -> None:
    """Improve a strategy's weights against a field of others, and write the result as a file.

    The search (CMA-ES) plays every candidate of a generation on the same games, and new games in every
    generation. What the tuned strategy gains is measured on games of another seed. Ctrl-C ends the search
    early and keeps what was found. Until the end, what is found so far stands in the file NAME-so-far.toml
    beside the result: tune that one to go on after a power cut.

    \b
    Examples:
      sprawlsim tune balanced
      sprawlsim tune balanced --out champion.toml --games 2000 --generations 100
      sprawlsim tune docwagon --keep mission.injury,mission.death,place
      sprawlsim tune mine.toml --against champion,gear-rush,balanced
    """
    card_set = load_cards(cards, changes or ()).card_set
    opponents = split_strategies(against)
    kept = [] if keep is None else [key.strip() for key in keep.split(",") if key.strip()]
    load_engine()
    from sprawlsim.sprawlops.game.simulate import Batch, sensible_strategies
    from sprawlsim.sprawlops.game.strategies.model import load_strategy, save_strategy
    from sprawlsim.sprawlops.game.tune import tune, tuned_keys

    start = load_strategy(strategy)
    tuned_keys(start, kept)
    names = [name for name in sensible_strategies() if name != start.name] if opponents is None else opponents
    field = [load_strategy(name) for name in names]
    path = Path(f"{start.name}-tuned.toml") if out is None else out
    if path.suffix != ".toml" or not path.parent.is_dir():
        raise SprawlsimError(f"--out {path}: a strategy is written as NAME.toml into a folder that exists")
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise SprawlsimError(f"--out {path}: cannot be written")
    so_far = path.with_name(f"{path.stem}-so-far.toml")
    if so_far.exists():
        raise SprawlsimError(
            f"{so_far} is there: what a run has found that is under way or was killed; start from it with "
            "another --out, or remove it"
        )
    command = f"sprawlsim {shlex.join(sys.argv[1:])}"

    def keep_safe(done: int, of: int, found: Strategy) -> None:
        progress(done, of)
        told = f"Found after {done} of {of} generations by: {command}\nWhat it gains is not measured."
        try:
            save_strategy(found._replace(name=so_far.stem), so_far, told)
        except OSError as error:  # the search is worth more than its copy
            say(f"{so_far}: cannot be written ({(error.strerror or '').lower()})", quiet)

    with announcing_compilation(quiet):
        Batch([start], players=players, cards=card_set).run(1)
    with Progress(quiet, "generations") as progress:
        result = tune(
            start,
            field,
            players=players,
            games=games,
            generations=generations,
            seed=seed,
            keep=kept,
            cards=card_set,
            threads=threads,
            test_games=test_games,
            told=keep_safe,
        )
    comment = (
        f"Made by: {command}\nWins {_percent(result.before)} before and {_percent(result.after)} after, of "
        f"{test_games} held-out games against {', '.join(names)};\ngain {_points(result.gain)}"
        + ("." if result.gain.low > 0 else ", not shown to be one.")
    )
    save_strategy(result.strategy._replace(name=path.stem), path, comment)
    so_far.unlink(missing_ok=True)
    if result.gain.estimate <= 0:
        say("nothing better was found; the file holds the strategy it started from", quiet)
    if result.generations < generations:
        say(f"stopped after {result.generations} of {generations} generations", quiet)
    print(f"before  {_percent(result.before)}")
    print(f"after   {_percent(result.after)}")
    print(f"gain    {_points(result.gain)}, on the same {test_games} held-out games")
    print(f"written to {path}")


def _percent(rate: Estimate) -> str:
    """Write a share with its interval."""
    return f"{rate.estimate:.1%} ({100 * rate.low:.1f} to {100 * rate.high:.1f})"


def _points(gain: Estimate) -> str:
    """Write a difference of shares with its interval."""
    low, high = 100 * gain.low, 100 * gain.high
    return f"{100 * gain.estimate:+.1f} points ({low:+.1f} to {high:+.1f})"
