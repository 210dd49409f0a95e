"""The first game: its kernels are compiled in two processes at once, each its half."""

from __future__ import annotations

import threading

import numpy as np

from sprawlsim.jit import another_process, compile_for, is_in_cache
from sprawlsim.sprawlops.game.actions import apply, go_on
from sprawlsim.sprawlops.game.batch import ROW, Plan, Thread, begin_game, finish_game, new_tally
from sprawlsim.sprawlops.game.strategies.chooser import choose_action
from sprawlsim.sprawlops.mission.montecarlo import default_threads

OTHER_HALF = """
from sprawlsim.sprawlops.game.batch import new_thread
from sprawlsim.sprawlops.game.compiling import compile_other_half
from sprawlsim.sprawlops.game.simulate import Batch

batch = Batch()
compile_other_half(batch.plan, new_thread(batch.cards))
"""
"""What the other process is told to do."""

_ONE_AT_A_TIME = threading.Lock()


def compile_rules(thread: Thread) -> None:
    """Compile the rules while another process compiles what chooses, if neither was ever compiled.

    What plays games then finds both in the cache.

    Parameters
    ----------
    thread : Thread
        With tables of the types that games are played on.
    """
    with _ONE_AT_A_TIME:
        if default_threads() == 1 or is_in_cache(apply) or is_in_cache(choose_action):
            return
        with another_process(OTHER_HALF):
            compile_for(apply, thread.table[0], 0, thread.desk)


def compile_other_half(plan: Plan, thread: Thread) -> None:
    """Compile what begins a game, chooses in it, and counts it; and first, what the rules need last."""
    compile_for(go_on, thread.table[0], thread.mind.cards, True, True)
    lineup = begin_game(plan, thread, 0)
    choose_action(thread.table[0], thread.mind)
    finish_game(plan, thread, lineup, 0, new_tally()[0], np.zeros(0, dtype=ROW), 0)
