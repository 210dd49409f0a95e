"""``sprawlsim diff``: two card sets on the same games, the same dice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from sprawlsim.cli.asking import Progress, QuietOption, announcing_compilation, load_engine
from sprawlsim.cli.cards import SetOption
from sprawlsim.cli.report import FormatOption, OutOption, TableOption, check_asked, give
from sprawlsim.cli.simulate import (
    PlayersOption,
    SeedOption,
    StrategiesOption,
    ThreadsOption,
    split_strategies,
)
from sprawlsim.errors import SprawlsimError
from sprawlsim.reports.rows import check_format
from sprawlsim.sprawlops.api import load_cards

TWO = 2


def show_difference(  # noqa: PLR0913, PLR0917 - an option each
    changes: SetOption = None,
    cards: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SET",
            help="Twice: the card set before, and after. Once: what --set changes. [default: stand-in]",
        ),
    ] = None,
    games: Annotated[
        int, typer.Option(metavar="N", min=100, max=10**7, help="Games with each card set.")
    ] = 20_000,
    players: PlayersOption = 4,
    strategies: StrategiesOption = None,
    rounds: Annotated[
        str, typer.Option(metavar="N,N", help="Teams of these rounds attempt the Missions that differ.")
    ] = "4,6",
    seed: SeedOption = 1,
    threads: ThreadsOption = None,
    fmt: FormatOption = "table",
    table: TableOption = None,
    out: OutOption = None,
    quiet: QuietOption = False,
) -> None:
    """Compare two card sets: the same games, the same dice; what changes, with intervals.

    What is resolved from zero comes first. Missions that differ are solved exactly.

    \b
    Examples:
      sprawlsim diff --set "Evening Suit.cost=3"
      sprawlsim diff --set "Arena Job.payout=8" --set "Embassy Job.payout=16" --games 50000
      sprawlsim diff --cards stand-in --cards my-box --out results/my-box
      sprawlsim diff --set "Glass Deck.cost=18" --strategies champion,balanced --players 2 --format md
    """
    check_format(fmt)
    sets = cards or []
    check_sides(sets, changes or [])
    first = load_cards(sets[0] if sets else None)
    second = load_cards(sets[1]) if len(sets) == TWO else load_cards(sets[0] if sets else None, changes or ())
    names = split_strategies(strategies)
    chosen = _rounds(rounds)
    load_engine()
    from sprawlsim.sprawlops.game.simulate import Batch
    from sprawlsim.sprawlops.reports.full import TEAMS_FROM, report_of
    from sprawlsim.sprawlops.reports.study import Origin
    from sprawlsim.sprawlops.reports.teams import reference_teams
    from sprawlsim.sprawlops.reports.whatif import study_difference
    from sprawlsim.sprawlops.reports.whatif_section import TABLES, whatif_section

    check_asked(out, fmt, table, TABLES)
    with announcing_compilation(quiet):
        batch = Batch(names, players=players, seed=seed, cards=first.card_set)
        teams = reference_teams(batch, TEAMS_FROM, chosen)
        with Progress(quiet, "steps") as progress:
            found = study_difference(
                first,
                second,
                teams,
                strategies=names,
                players=players,
                games=games,
                seed=seed,
                threads=threads,
                progress=progress,
            )
    section = whatif_section(found, Origin(first.name, seed, f"{games:,} games with each card set"))
    report = report_of([section], first, seed, games, title=section.title)
    give(report, out, fmt, table, quiet)


def check_sides(sets: Sequence[str], changes: Sequence[str]) -> None:
    """Refuse what does not make two card sets: one and changes, or two."""
    if len(sets) > TWO:
        raise SprawlsimError(
            f"--cards names {len(sets)} card sets, but two are compared: the one before and the one after"
        )
    if len(sets) == TWO and changes:
        raise SprawlsimError(
            "two --cards are compared as they are; for what --set CARD.KEY=VALUE changes, name one card set"
        )
    if len(sets) < TWO and not changes:
        raise SprawlsimError(
            "name what is to be compared: --set CARD.KEY=VALUE changes one card set, or --cards names two"
        )


def _rounds(text: str) -> list[int]:
    """Read "4,6"."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = [0]
    if min(numbers) < 1:
        raise SprawlsimError(f"--rounds {text!r}: rounds are whole numbers from 1 on, such as 4,6")
    return numbers
