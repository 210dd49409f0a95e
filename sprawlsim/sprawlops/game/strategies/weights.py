"""The weights of a strategy as compiled code reads them, and what the chooser remembers of a game.

docs/strategies.md tells what each does. Amounts are K nuyen where nothing else is said.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sprawlsim.sprawlops.game.arrays import LOCATIONS, MAX_MISSIONS, MAX_PLAYERS, SLOTS
from sprawlsim.sprawlops.game.legal import MOST_ACTIONS
from sprawlsim.sprawlops.mission.arrays import COLOURS, STATE

BY_WEIGHTS, AT_RANDOM, BY_FUNCTION = 0, 1, 2
"""How a seat chooses."""

WEIGHTS = np.dtype(
    (
        np.record,
        [
            ("chooser", "f8"),
            ("dice", "f8", COLOURS),  # a die of the colour, for good
            ("final_focus", "f8"),  # so much more, times the colour's share of the Final Mission's icons
            ("saturation", "f8"),  # each die of the colour already there makes the next worth less
            ("body", "f8"),  # a runner more on the board
            ("face", "f8"),  # the first Face on the board
            ("plating", "f8"),
            ("commlink", "f8"),
            ("loot", "f8"),
            ("token", "f8"),  # the first DocWagon token before a Mission
            ("token_final", "f8"),  # the same before the Final Mission
            ("reroll", "f8"),  # a Face at Mr. Johnson
            ("refill", "f8"),  # what refilled Gear slots are expected to gain beside their price
            ("thrift", "f8"),  # what 1K spent is worth against 1K of gain, with up to 10K in hand
            ("ease", "f8"),  # every 10K more in hand make it worth less
            ("eye", "f8", COLOURS),  # the Eye's perks, by role
            ("mission", "f8"),  # 1K expected from a Mission
            ("missions_per_round", "f8"),
            ("enough", "f8"),  # chance of completing at which no more runners are sent
            ("injury", "f8"),  # price of an injury
            ("death", "f8"),
            ("final_chance", "f8"),  # estimated chance from which the Final Mission is tried
            ("final_haste", "f8"),  # so much less for every round gone by
            ("final_rival", "f8"),  # share of it that will do when a rival has reserved the Final Mission
            ("final_prize", "f8"),  # worth of winning against injuries and deaths
            ("hire_mission", "f8"),  # most to pay per die of a runner hired out of Dante's Inferno
            ("hire_final", "f8"),
            ("place", "f8", len(LOCATIONS)),  # taste for a location: its value is multiplied by this
        ],
    )
)

NOTES = np.dtype(
    (
        np.record,
        [
            ("stamp", "i8"),  # the dice of those who could go, for which the next two are estimated
            ("mission", "f8", MAX_MISSIONS),  # expected K of each Mission, NaN: not estimated
            ("final", "f8"),  # estimated chance of the Final Mission, NaN: not estimated
            ("task_stamp", "i8", SLOTS),  # the dice of each runner, for which the next is estimated
            ("task", "f8", (SLOTS, 2)),  # chance of each Task, NaN: not estimated
        ],
    )
)
"""What the chooser has estimated already: it could be forgotten at any time."""


BOARD = 11
"""Columns of the values that `placing.fill_board` writes."""

MIND = np.dtype(
    (
        np.record,
        [
            ("weights", WEIGHTS, MAX_PLAYERS),
            ("notes", NOTES, MAX_PLAYERS),
            ("worth", "f8", COLOURS),  # of one more die of each colour, for whoever chooses now
            ("thrift", "f8"),  # what 1K spent is worth to them
            ("board", "f8", BOARD),
            ("for_anybody", "f8", (2, len(LOCATIONS))),  # value of a location to a runner, and to a Face
            ("actions", "i8", MOST_ACTIONS),
            ("idle", STATE),  # a situation where nothing has happened
        ],
    )
)
"""The chooser's own record: each seat's weights and notes, and scratch space."""


def new_mind() -> npt.NDArray[Any]:
    """Allocate the chooser's own record, nothing estimated (one record)."""
    mind = np.zeros(1, dtype=MIND)
    mind["notes"]["stamp"] = -1
    mind["notes"]["task_stamp"] = -1
    return mind
