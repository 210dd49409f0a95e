"""``sprawlsim watch``: one simulated game as a log that a player can follow."""

from __future__ import annotations

from typing import Annotated

import typer

from sprawlsim.cli.asking import QuietOption, announcing_compilation, load_engine
from sprawlsim.cli.cards import CardsOption, SetOption
from sprawlsim.cli.simulate import (
    FinalOption,
    LimitOption,
    PlayersOption,
    RotateOption,
    SeedOption,
    StrategiesOption,
    find_final,
    split_strategies,
)
from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.api import load_cards


def show_game(  # noqa: PLR0913, PLR0917 - an option each
    game: Annotated[
        int, typer.Option("--game", metavar="N", help="Which game of the batch, counted from 0.")
    ] = 0,
    number: Annotated[
        int | None,
        typer.Option("--round", metavar="N", help="Only this round, counted from 1. [default: all]"),
    ] = None,
    players: PlayersOption = 4,
    strategies: StrategiesOption = None,
    seed: SeedOption = 1,
    rotate_seats: RotateOption = True,
    round_limit: LimitOption = 40,
    final: FinalOption = None,
    cards: CardsOption = None,
    changes: SetOption = None,
    quiet: QuietOption = False,
) -> None:
    """Tell a simulated game move by move and roll by roll, to follow it with the rulebook in hand.

    It is the game of that number that 'sprawlsim simulate' plays with the same options: the same decisions,
    the same dice.

    \b
    Examples:
      sprawlsim watch
      sprawlsim watch --seed 7 --game 123
      sprawlsim watch --seed 7 --game 123 --round 3
      sprawlsim watch --players 2 --strategies gear-rush,docwagon --no-rotate-seats
      sprawlsim watch --players 3 --strategies random --final vault --round-limit 10
      sprawlsim watch --set "Datajack.cost=3" --quiet
    """
    if game < 0:
        raise SprawlsimError(f"--game {game}: games are counted from 0")
    if number is not None and number < 1:
        raise SprawlsimError(f"--round {number}: rounds are counted from 1")
    card_set = load_cards(cards, changes or ()).card_set
    names, final = split_strategies(strategies), find_final(card_set, final)
    load_engine()
    from sprawlsim.sprawlops.game.simulate import Batch
    from sprawlsim.sprawlops.game.story import tell_game

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
        story = tell_game(batch, game)
    print(story.text(number))
