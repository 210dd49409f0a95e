"""Games in which functions of the caller's choose: compiled ones at full speed, others one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numba
import numpy as np

from sprawlsim.errors import SprawlsimError
from sprawlsim.jit import kernel
from sprawlsim.sprawlops.game.actions import apply
from sprawlsim.sprawlops.game.arrays import OVER, Record
from sprawlsim.sprawlops.game.batch import Plan, Thread, begin_game, finish_game, tally_round
from sprawlsim.sprawlops.game.legal import legal_actions
from sprawlsim.sprawlops.game.strategies.chooser import choose_action
from sprawlsim.sprawlops.game.strategies.weights import BY_FUNCTION

Chooser: TypeAlias = Callable[[Any, Any], int]
"""``choose(game, actions) -> index``: a record of `GAME`, the legal actions as numbers, the one chosen."""


@kernel
def play_until_asked(thread: Thread) -> bool:
    """Play on until a function must choose (True), or until the round or the game is over."""
    game = thread.table[0]
    now = game.round_number
    while game.step != OVER and game.round_number == now:
        if thread.mind.own.weights[game.player].chooser == BY_FUNCTION:
            return True
        action = choose_action(game, thread.mind)
        apply(game, action, thread.desk)
    return False


@kernel
def act_on(thread: Thread, index: int, count: int) -> bool:
    """Carry out the action that a function has chosen of so many; say whether there is such a one."""
    if not 0 <= index < count:
        return False
    apply(thread.table[0], thread.mind.own.actions[index], thread.desk)
    return True


@kernel
def offer(thread: Thread) -> int:
    """List the legal actions in the mind's scratch space; count them."""
    return legal_actions(thread.table[0], thread.mind.cards, thread.mind.own.actions)


@kernel
def is_going_on(thread: Thread, limit: int) -> bool:
    """Say whether the game is neither over nor stopped."""
    return thread.table[0].step != OVER and thread.table[0].round_number <= limit


def player_of_functions(functions: Mapping[int, Chooser]) -> Callable[..., None]:
    """Make what plays blocks of games in which these entrants are functions."""
    chosen = list(functions.values())
    if len(chosen) == 1 and isinstance(chosen[0], numba.core.registry.CPUDispatcher):
        return _compiled_player(chosen[0])
    return _python_player(functions)


def _wrong_index(name: str) -> SprawlsimError:
    return SprawlsimError(
        f"the strategy function {name} must give the index of one of the actions it is offered, "
        "from 0 to len(actions) - 1"
    )


def _compiled_player(choose: Any) -> Callable[..., None]:
    """Compile the loop around a compiled function."""

    @numba.njit(nogil=True)
    def play(
        plan: Plan, thread: Thread, first: int, count: int, tally: Record, rows: Any
    ) -> bool:  # pragma: no cover - compiled
        for k in range(count):
            lineup = begin_game(plan, thread, first + k)
            while is_going_on(thread, plan.limit):
                tally_round(thread.table[0], lineup, tally)
                now = thread.table[0].round_number
                while thread.table[0].round_number == now and play_until_asked(thread):
                    n = offer(thread)
                    index = choose(thread.table[0], thread.mind.own.actions[:n])
                    if not act_on(thread, index, n):
                        return False
            finish_game(plan, thread, lineup, first + k, tally, rows, k)
        return True

    def play_block(plan: Plan, thread: Thread, first: int, count: int, tally: Record, rows: Any) -> None:
        if not play(plan, thread, first, count, tally, rows):
            raise _wrong_index(choose.__name__)

    return play_block


def _python_player(functions: Mapping[int, Chooser]) -> Callable[..., None]:
    """Make the loop around functions that are called from Python."""

    def play_block(plan: Plan, thread: Thread, first: int, count: int, tally: Record, rows: Any) -> None:
        game = thread.table[0]
        for k in range(count):
            lineup = begin_game(plan, thread, first + k)
            while is_going_on(thread, plan.limit):
                tally_round(game, lineup, tally)
                now = int(game.round_number)
                while game.round_number == now and play_until_asked(thread):
                    choose = functions[int(lineup[game.player])]
                    n = int(offer(thread))
                    actions = np.array(thread.mind.own.actions[:n])
                    index = choose(game, actions)
                    if not act_on(thread, int(index), n):
                        raise _wrong_index(getattr(choose, "__name__", "given"))
            finish_game(plan, thread, lineup, first + k, tally, rows, k)

    return play_block
