"""The course of a Mission attempt: decisions until dice must fall, dice, decisions, to the end.

Decisions and dice are apart: `settle` and `after_roll` decide, `throw_hand` is the only place where dice
fall. Monte Carlo and whole games run these.
"""

from __future__ import annotations

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.rng import word
from sprawlsim.sprawlops.dice import CHUNK, FACES, FACES_START, throw
from sprawlsim.sprawlops.mission.arrays import BETWEEN, COLOURS, ENDED, ROLLING, Record
from sprawlsim.sprawlops.mission.balanced import play_balanced
from sprawlsim.sprawlops.mission.estimate import OUTLOOK
from sprawlsim.sprawlops.mission.plays import BALANCED, BEFORE, TABLE, WORK, play_plainly
from sprawlsim.sprawlops.mission.policies import (
    GO,
    SKIP,
    choose_reroll,
    choose_stage,
    play_die_cards,
)
from sprawlsim.sprawlops.mission.rules import (
    judge,
    let_fall,
    pull_out,
    set_up,
    skip_stage,
    start_stage,
    take_dice,
)

SLOT_BITS = np.uint64(13)
"""Bits of a counter that tell the throws of one attempt apart; see `slot`."""

MOST_REROLLS = 15
"""Rerolls of one roll that a slot can tell apart."""

FOUR, FOUR_BITS = np.uint64(4), np.uint64(15)
INJURIES_AT, SUCCESSES = np.uint64(8), np.uint64(255)
"""The faces of up to six dice are packed in four bits and four; those of a whole colour in eight and more."""

HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)


TOOLS = np.dtype(
    (
        np.record,
        [
            ("work", WORK),  # the attempt itself is number `TABLE`
            ("outlook", OUTLOOK),
            ("faces", "u1", FACES.size),
            ("faces_start", "i8", FACES_START.size),
        ],
    )
)
"""What compiled code needs beside the scenario: scratch space and tables.

One record, not a tuple of arrays: numba counts the references to every array that it hands on.
"""

Tools = Record


def new_tools() -> Tools:
    """Allocate the tools for one scenario and one thread."""
    tools = np.zeros(1, dtype=TOOLS)[0]
    tools.outlook.value[:] = np.nan
    tools.faces[:] = FACES
    tools.faces_start[:] = FACES_START
    return tools


@kernel
def decide_stage(scn: Record, work: Record, policy: int, outlook: Record) -> None:
    """Decide between Stages: begin the next, skip it, or pull out; a perk may clear a Stage at once."""
    st = work.at[TABLE]
    choice = choose_stage(scn, st, policy, outlook)
    if choice == GO:
        start_stage(scn, st)
    elif choice == SKIP:
        skip_stage(scn, st)
    else:
        pull_out(st)


@kernel
def ready_dice(scn: Record, work: Record, policy: int) -> None:
    """Play dice from Loot and take the dice of the next roll."""
    st = work.at[TABLE]
    play_die_cards(scn, st, policy)
    take_dice(scn, st)


@kernel
def settle(scn: Record, work: Record, policy: int, outlook: Record) -> None:
    """Take every decision up to the next dice: afterwards dice are in hand, or the Mission has ended."""
    while work.at[TABLE].phase == BETWEEN:
        decide_stage(scn, work, policy, outlook)
    if work.at[TABLE].phase == ROLLING:
        ready_dice(scn, work, policy)


@kernel
def use_roll(scn: Record, work: Record, policy: int, outlook: Record) -> bool:
    """Decide on the dice that fell: use them and judge the Stage, or take some up again (True).

    A reroll is decided on after the roll was used on trial, because what it would be worth decides.
    """
    work.at[BEFORE] = work.at[TABLE]
    if policy == BALANCED:
        play_balanced(scn, work, outlook)
    else:
        play_plainly(scn, work, policy, outlook)
    if choose_reroll(scn, work, policy, outlook):
        return True
    if work.at[TABLE].phase != ENDED:
        judge(scn, work.at[TABLE])
    return False


@kernel
def after_roll(scn: Record, work: Record, policy: int, outlook: Record) -> None:
    """Decide on the dice that fell, and go on to the next dice."""
    if not use_roll(scn, work, policy, outlook):
        settle(scn, work, policy, outlook)


@kernel
def slot(st: Record) -> np.uint64:
    """Number the throw in hand within its attempt by what it is for: Stage, roll, reroll.

    The low four bits are left for the words of one throw: word ``3 * k + p`` gives dice 6k to 6k + 5 of
    colours 2p (low half) and 2p + 1 (high half).
    """
    roll = np.int64(st.stage) * 4 + np.int64(st.rolls_left)
    return np.uint64((roll * (MOST_REROLLS + 1) + np.int64(st.rerolled)) * 16)


@kernel
def throw_colour(key: np.uint64, counter: np.uint64, colour: int, dice: int, tools: Tools) -> np.uint64:
    """Throw the dice of one colour: successes + 256 * injuries.

    `counter` is the attempt's number and the throw's slot; the faces depend on nothing else.
    """
    fallen = np.uint64(0)
    which = np.uint64(colour // 2)
    while dice > 0:
        bits = word(key, counter + which)
        half = bits >> HALF if colour % 2 == 1 else bits & LOW
        faces = throw(half, min(dice, CHUNK), tools.faces, tools.faces_start)
        fallen += (faces & FOUR_BITS) + ((faces >> FOUR) << INJURIES_AT)
        dice -= CHUNK
        which += np.uint64(3)
    return fallen


@kernel
def throw_hand(st: Record, key: np.uint64, attempt: np.uint64, tools: Tools) -> None:
    """Let the dice in hand fall."""
    counter = (attempt << SLOT_BITS) + slot(st)
    for c in range(COLOURS):
        if st.hand[c] > 0:
            fallen = throw_colour(key, counter, c, np.int64(st.hand[c]), tools)
            let_fall(st, c, np.int64(fallen & SUCCESSES), np.int64(fallen >> INJURIES_AT))


@kernel
def play_attempt(scn: Record, policy: int, key: np.uint64, attempt: np.uint64, tools: Tools) -> None:
    """Play one attempt from set-up to its end, in ``tools.work.at[TABLE]``."""
    st = tools.work.at[TABLE]
    set_up(scn, st)
    settle(scn, tools.work, policy, tools.outlook)
    while st.phase == ROLLING:
        throw_hand(st, key, attempt, tools)
        after_roll(scn, tools.work, policy, tools.outlook)
