"""Integer counters of how attempts ended: sums that no order of blocks or threads can change."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.mission.arrays import (
    COLOURS,
    DEAD,
    INJURED,
    MAX_RUNNERS,
    MAX_STAGES,
    RESCUED,
    Record,
)
from sprawlsim.sprawlops.mission.rules import clear_table, loot_won, nuyen_won, was_paid

COMPLETED, NUYEN, LOOT, INJURIES, DEATHS, PAID, SAFE = range(7)
"""The amounts an objective weighs, in the order of ``sums`` and ``products``."""
AMOUNTS = 7

FIELDS: list[tuple[str, tuple[int, ...]]] = [
    ("attempts", ()),
    ("reached", (MAX_STAGES,)),
    ("cleared", (MAX_STAGES,)),
    ("condition", (MAX_RUNNERS, DEAD + 1)),
    ("injured_count", (MAX_RUNNERS + 1,)),
    ("dead_count", (MAX_RUNNERS + 1,)),
    ("sums", (AMOUNTS,)),
    ("products", (AMOUNTS, AMOUNTS)),
]

COUNTS = np.dtype((np.record, [(name, "i8", shape) for name, shape in FIELDS]))
"""How many attempts ended how; ``sums`` and ``products`` of the amounts give means and their errors."""

FIGURES = np.dtype((np.record, [(name, "f8", shape) for name, shape in FIELDS]))
"""The same as probabilities and expectations: what a share of all attempts comes to."""


def new_counts() -> npt.NDArray[Any]:
    """Allocate counters at zero (one record)."""
    return np.zeros(1, dtype=COUNTS)


def new_figures() -> npt.NDArray[Any]:
    """Allocate figures at zero (one record)."""
    return np.zeros(1, dtype=FIGURES)


def add_counts(to: npt.NDArray[Any], more: npt.NDArray[Any]) -> None:
    """Add counters to others in place."""
    to.view(np.int64)[:] += more.view(np.int64)


@kernel
def count_end(scn: Record, st: Record, times: float, counts: Record, amounts: npt.NDArray[np.int64]) -> None:
    """Count an ended attempt so many times, or with this probability.

    `amounts` is scratch space, a number for each amount.
    """
    counts.attempts += times
    for stage in range(scn.n_stages):
        if st.reached & (1 << stage):
            counts.reached[stage] += times
        if st.cleared & (1 << stage):
            counts.cleared[stage] += times
    injured = 0
    dead = 0
    for r in range(scn.n_runners):
        condition = st.condition[r]
        counts.condition[r, condition] += times
        if condition == INJURED or condition == RESCUED:
            injured += 1
        elif condition == DEAD:
            dead += 1
    counts.injured_count[injured] += times
    counts.dead_count[dead] += times
    amounts[COMPLETED] = st.completed
    amounts[NUYEN] = nuyen_won(scn, st.cleared, st.completed)
    amounts[LOOT] = loot_won(scn, st.cleared)
    amounts[INJURIES] = injured
    amounts[DEATHS] = dead
    amounts[PAID] = was_paid(scn, st.cleared, st.completed)
    amounts[SAFE] = st.completed * (dead == 0)
    for a in range(AMOUNTS):
        counts.sums[a] += times * amounts[a]
        for b in range(AMOUNTS):
            counts.products[a, b] += times * amounts[a] * amounts[b]


@kernel
def forget_how(st: Record) -> None:
    """Keep of an ended attempt only what `count_end` counts, so that equal ends are equal bytes."""
    st.stage = 0
    st.rolls_left = 0
    st.plates = 0
    st.own_tokens = 0
    st.tokens = 0
    st.rerolls = 0
    for k in range(st.cards.size):
        st.cards[k] = 0
    for c in range(COLOURS):
        st.icons[c] = 0
        st.bonus[c] = 0
    clear_table(st)
