"""The plain arrays that compiled code sees: one record for a scenario, one for a situation in it.

Arrays over colours are in the order of `sprawlsim.sprawlops.roles.ROLES`. Sets of runners are bit masks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

COLOURS = 5
MAX_STAGES = 8
MAX_RUNNERS = 8

SUCCESS_CARD = 0
"""Loot cards are counted by kind: five kinds of success, five of die, then the three without a colour."""
DIE_CARD = 5
IGNORE_INJURY = 10
REROLL_DIE = 11
EVACUATE = 12
CARD_KINDS = 13

BETWEEN, ROLLING, ENDED = 0, 1, 2
"""Phases: to decide on a Stage (M9); dice in hand, about to fall; the Mission is over."""

UP, INJURED, RESCUED, DEAD = 0, 1, 2, 3
"""Conditions of a runner."""

ROLLS_PER_STAGE = 3

SCENARIO = np.dtype(
    (
        np.record,
        [
            ("n_stages", "i8"),
            ("icons", "i8", (MAX_STAGES, COLOURS)),
            ("loot", "i8", MAX_STAGES),  # Loot cards for clearing it; more than 0: an optional Loot Stage
            ("stage_payout", "i8", MAX_STAGES),  # K nuyen
            ("payout", "i8"),  # K nuyen
            ("paying_stage", "i8"),  # the last Stage that pays nuyen; -1 where none does
            ("n_runners", "i8"),
            ("dice", "i8", (MAX_RUNNERS, COLOURS)),
            ("plates", "i8"),  # mask: runners with Dermal Plating
            ("own_tokens", "i8"),  # mask: runners with a DocWagon token of their own (G8)
            ("tokens", "i8"),
            ("rerolls", "i8"),
            ("cards", "i8", CARD_KINDS),
            ("task", "i8"),
            ("clears_first", "i8"),
            ("clears_last", "i8"),
            ("loot_for_first", "i8"),
            ("plating_takes_any_colour", "i8"),
            ("w_completion", "f8"),
            ("w_nuyen", "f8"),
            ("w_loot", "f8"),
            ("w_injury", "f8"),
            ("w_death", "f8"),
            ("w_payout", "f8"),
            ("w_safe", "f8"),
        ],
    )
)
"""One Mission attempt as it is set up: never changed while it is played."""

STATE = np.dtype(
    (
        np.record,
        [
            ("stage", "i1"),
            ("phase", "i1"),
            ("rolls_left", "i1"),  # of this Stage, the roll in hand not counted
            ("icons", "i1", COLOURS),  # not yet defeated in this Stage (M6)
            ("condition", "i1", MAX_RUNNERS),
            ("plates", "u1"),  # mask: plates not used yet (M12)
            ("own_tokens", "u1"),  # mask
            ("tokens", "i1"),
            ("rerolls", "i1"),
            ("cards", "i1", CARD_KINDS),  # Loot in hand
            ("bonus", "i1", COLOURS),  # Loot dice of this Stage
            ("rolled", "u1"),  # mask: runners whose dice are in this roll (M10)
            ("rerolled", "i1"),  # how often dice of this roll were taken up again
            ("pool", "i1", COLOURS),  # dice of this roll, those set aside (M2) included
            ("hand", "i1", COLOURS),  # dice about to fall
            ("successes", "i1", COLOURS),  # lying on the table, certain ones included
            ("injuries", "i1", COLOURS),  # lying on the table
            ("cleared", "u1"),  # mask of Stages
            ("reached", "u1"),  # mask of Stages
            ("completed", "i1"),
            ("unused", "u1", 1),
        ],
    )
)
"""Where a Mission attempt stands. 64 bytes: equal situations are equal bytes."""

STATE_WORDS = STATE.itemsize // 8

Record = Any
"""A scenario or a state as compiled code sees it: one element of an array of these types."""


def new_states(count: int) -> npt.NDArray[Any]:
    """Allocate blank situations."""
    return np.zeros(count, dtype=STATE)
