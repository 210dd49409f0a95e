"""``sprawlsim simulate``: whole games of strategies against each other."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sprawlsim.cli.asking import Progress, QuietOption, announcing_compilation, load_engine, say
from sprawlsim.cli.cards import CardsOption, SetOption
from sprawlsim.cli.complete import complete_card_names
from sprawlsim.errors import SprawlsimError, UnknownNameError
from sprawlsim.reports.rows import FORMAT_HELP, FORMATS, check_format, render_rows
from sprawlsim.sprawlops.api import load_cards

if TYPE_CHECKING:
    from sprawlsim.sprawlops.cards import CardSet
    from sprawlsim.sprawlops.game.results import GameResults

GAMES = 20_000
"""Games to play when the user does not say: the win rates are then known to about a point."""

STRATEGY_FOLDER = Path(__file__).parents[1] / "sprawlops" / "game" / "strategies" / "shipped"


def complete_strategies() -> list[str]:
    """List the shipped strategies without loading anything."""
    return sorted(path.stem for path in STRATEGY_FOLDER.glob("*.toml"))


PlayersOption = Annotated[int, typer.Option(metavar="N", min=2, max=4, help="Players at the table: 2 to 4.")]
StrategiesOption = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...",
        help="Strategies: shipped ones by name, or files NAME.toml. As many as players; one plays against "
        "itself; of more, every choice of them meets. [default: all shipped but random and final-gambler]",
        autocompletion=complete_strategies,
    ),
]
SeedOption = Annotated[int, typer.Option(metavar="N", help="The same seed gives the same games.")]
RotateOption = Annotated[
    bool,
    typer.Option("--rotate-seats/--no-rotate-seats", help="Whether every table is played in every rotation."),
]
LimitOption = Annotated[
    int, typer.Option(metavar="N", min=1, max=200, help="Stop a game after this round; nobody wins it.")
]
FinalOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The Final Mission of every game. [default: a random one in each]",
        autocompletion=complete_card_names("final_missions"),
    ),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, max=256, help="Threads; they change no figure. [default: one a processor]"
    ),
]


def split_strategies(text: str | None) -> list[str] | None:
    """Read "a,b,c"."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise SprawlsimError(f"--strategies {text!r}: a name is missing beside a comma")
    return names


def find_final(cards: CardSet, text: str | None) -> str | None:
    """Name the Final Mission that --final means, or tell which there are."""
    from sprawlsim.sprawlops.cards import find_card

    if text is None:
        return None
    try:
        return find_card(cards, text, "final_missions").name
    except UnknownNameError as error:
        names = ", ".join(card.name for card in cards.final_missions)
        raise UnknownNameError(f"--final: the Final Missions are {names}; {error}") from None


def show_simulation(  # noqa: PLR0913, PLR0917 - an option each
    players: PlayersOption = 4,
    strategies: StrategiesOption = None,
    games: Annotated[
        int, typer.Option(metavar="N", min=1, max=10**9, help="How many games to play.")
    ] = GAMES,
    seed: SeedOption = 1,
    rotate_seats: RotateOption = True,
    round_limit: LimitOption = 40,
    final: FinalOption = None,
    threads: ThreadsOption = None,
    fmt: Annotated[
        str, typer.Option("--format", help=FORMAT_HELP, autocompletion=lambda: list(FORMATS))
    ] = "table",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a row per game to this .parquet file, too.")
    ] = None,
    cards: CardsOption = None,
    changes: SetOption = None,
    quiet: QuietOption = False,
) -> None:
    """Play whole games: who wins, from which seat, in how many rounds, what happens in each.

    Every game is played to the end by the rules, its Missions die by die. Any single game can be read with
    'sprawlsim watch'.

    \b
    Examples:
      sprawlsim simulate
      sprawlsim simulate --players 2 --strategies balanced,gear-rush --games 100000
      sprawlsim simulate --strategies balanced --seed 7
      sprawlsim simulate --strategies mine.toml,balanced,docwagon,gear-rush --out games.parquet
      sprawlsim simulate --final "vault" --set "Datajack.cost=3" --format json
    """
    check_format(fmt)
    if out is not None and out.suffix.lower() != ".parquet":
        raise SprawlsimError(f"--out {out}: a file with a row per game ends in .parquet")
    card_set = load_cards(cards, changes or ()).card_set
    names, final = split_strategies(strategies), find_final(card_set, final)
    load_engine()
    from sprawlsim.sprawlops.game.simulate import Batch

    batch = Batch(
        names,
        players=players,
        seed=seed,
        cards=card_set,
        final=final,
        rotate_seats=rotate_seats,
        round_limit=round_limit,
    )
    with announcing_compilation(quiet):
        batch.run(1)
    since = time.monotonic()
    with Progress(quiet, "games") as progress:
        results = batch.run(games, threads=threads, out=out, progress=progress)
    print(render(results, fmt))
    spent = time.monotonic() - since
    say(f"{games} games in {spent:.1f} s, {games / spent:.0f} a second", quiet)
    if out is not None:
        say(f"games written to {out}", quiet)


def render(results: GameResults, fmt: str) -> str:
    """Write the results in one of the formats."""
    if fmt == "json":
        return json.dumps(results.to_dict(), indent=2)
    if fmt == "csv":
        frame = results.strategies()
        return render_rows(list(frame.columns), frame.to_numpy().tolist(), "csv")
    setting = results.setting
    parts = []
    seats = "seats rotated" if setting.rotates_seats else "seats as listed"
    final = f", Final Mission {setting.final}" if setting.final else ""
    parts.append(
        f"{results.games} games of {setting.players} players, {seats}{final}, seed {setting.seed}, "
        f"cards: {setting.cards.name}"
    )
    for title, rows in results.tables():
        heading = f"### {title}" if fmt == "md" else title
        parts.append(f"{heading}\n{_aligned(rows, fmt)}")
    parts += [f"{note}" for note in results.notes()]
    return "\n\n".join(parts)


def _aligned(rows: list[list[str]], fmt: str) -> str:
    """Align cells of text: the first column left, figures right."""
    if fmt == "md":
        return render_rows(rows[0], rows[1:], "md")
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join(lines)
