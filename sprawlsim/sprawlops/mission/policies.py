"""The rules of thumb by name: every decision of a Mission, for each policy.

docs/policies.md describes each precisely enough to recompute it by hand.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.mission.arrays import (
    COLOURS,
    DIE_CARD,
    REROLL_DIE,
    ROLLS_PER_STAGE,
    Record,
)
from sprawlsim.sprawlops.mission.estimate import (
    clear_chance,
    harm_value,
    outlook_at,
    prospect,
    stage_gain,
    try_value,
    up_mask,
)
from sprawlsim.sprawlops.mission.plays import (
    BALANCED,
    BEFORE,
    CANCEL_FIRST,
    ICONS_FIRST,
    ROLL,
    TABLE,
    biting_injuries,
    play_balanced,
    play_plainly,
    successes_on_table,
)
from sprawlsim.sprawlops.mission.rules import (
    blanks,
    icons_left,
    is_optional,
    play_die_card,
    take_up,
)

POLICIES: dict[str, int] = {"icons-first": ICONS_FIRST, "cancel-first": CANCEL_FIRST, "balanced": BALANCED}
"""Rules of thumb by the name that users give."""

GO, SKIP, PULL_OUT = 0, 1, 2

BAD_ROLL = 0.6
"""`balanced` rerolls a roll that leaves less than this share of what was hoped for before it."""


@kernel
def choose_stage(scn: Record, st: Record, policy: int, outlook: npt.NDArray[np.float64]) -> int:
    """Decide before a Stage: go, skip (an optional one), or pull out (M9)."""
    hurt = up_mask(scn, st) != (1 << scn.n_runners) - 1
    optional = is_optional(scn, st.stage)
    if policy == ICONS_FIRST:
        return SKIP if optional and scn.w_loot <= 0.0 else GO
    if policy == CANCEL_FIRST:
        if hurt and (scn.w_injury < 0.0 or scn.w_death < 0.0):
            return PULL_OUT
        return SKIP if optional and (hurt or scn.w_loot <= 0.0) else GO
    mask = up_mask(scn, st)
    outlook_at(scn, st, st.stage, mask, outlook)
    value = try_value(scn, st, st.stage, mask, outlook)
    if optional and outlook[st.stage + 1, mask] >= value:
        return SKIP
    return PULL_OUT if value < 0.0 else GO


@kernel
def play_die_cards(scn: Record, st: Record, policy: int) -> None:
    """Play Loot dice before the first roll of a Stage that wants their colour as much as any later one.

    A Stage wants a colour by its icons of it; `balanced` also plays a die in the last Stage whatever its
    colour.
    """
    if st.rolls_left != ROLLS_PER_STAGE:
        return
    for c in range(COLOURS):
        if st.cards[DIE_CARD + c] == 0:
            continue
        wanted_later = 0
        later = 0
        for stage in range(st.stage + 1, scn.n_stages):
            if not is_optional(scn, stage):
                wanted_later = max(wanted_later, scn.icons[stage, c])
                later += 1
        wanted = scn.icons[st.stage, c]
        if (wanted > 0 and wanted >= wanted_later) or (policy == BALANCED and later == 0):
            while st.cards[DIE_CARD + c] > 0:
                play_die_card(st, c)


@kernel
def play_roll(scn: Record, work: Record, policy: int, outlook: npt.NDArray[np.float64]) -> None:
    """Use the roll on the table: successes, Loot, injuries. The Stage is judged afterwards."""
    work[BEFORE] = work[TABLE]
    if policy == BALANCED:
        play_balanced(scn, work, outlook)
    else:
        play_plainly(scn, work, policy, outlook)


@kernel
def choose_reroll(scn: Record, work: Record, policy: int, outlook: npt.NDArray[np.float64]) -> bool:
    """Decide whether to take dice of the roll on the table up again, and do so (M18).

    A free reroll takes up all dice that show no success; the Loot card takes up one of them.
    """
    st = work[TABLE]
    if st.rerolls == 0 and st.cards[REROLL_DIE] == 0:
        return False
    if not _is_worth_rerolling(scn, work, policy, outlook):
        return False
    if st.rerolls > 0:
        taken = 0
        for c in range(COLOURS):
            taken += blanks(st, c) + st.injuries[c]
            take_up(st, c, 0, st.injuries[c], blanks(st, c))
        if taken == 0:
            return False
        st.rerolls -= 1
    else:
        colour = _die_to_reroll(st)
        if colour < 0:
            return False
        injury = min(1, st.injuries[colour])
        take_up(st, colour, 0, injury, 1 - injury)
        st.cards[REROLL_DIE] -= 1
    st.rerolled += 1
    return True


@kernel
def _die_to_reroll(st: Record) -> int:
    """Choose the colour of a single die to reroll, an injury before a blank.

    The colour lacks most successes for its own icons; ties: the first with an injury, then the first.
    """
    choice = -1
    most = -1
    for c in range(COLOURS):
        if st.injuries[c] + blanks(st, c) == 0:
            continue
        rank = 2 * max(0, st.icons[c] - st.successes[c]) + (st.injuries[c] > 0)
        if rank > most:
            choice, most = c, rank
    return choice


@kernel
def _is_worth_rerolling(scn: Record, work: Record, policy: int, outlook: npt.NDArray[np.float64]) -> bool:
    """Say whether the roll is bad enough.

    `icons-first`: the last roll of a Stage that does not clear it. `cancel-first`: more injuries bite than
    there are successes. `balanced`: the last roll that does not clear, or one that leaves less than
    `BAD_ROLL` of the prospect before it.
    """
    st = work[TABLE]
    if policy == CANCEL_FIRST:
        return biting_injuries(scn, st) > successes_on_table(st)
    if policy == ICONS_FIRST and st.rolls_left > 0:
        return False
    work[ROLL] = work[TABLE]
    stage = st.stage
    hoped = 0.0
    if st.rolls_left > 0:
        mask = up_mask(scn, st)
        chance = clear_chance(scn, st, stage, mask, st.rolls_left + 1, True)
        hoped = chance * (stage_gain(scn, stage) + outlook_at(scn, st, stage + 1, mask, outlook))
    play_roll(scn, work, policy, outlook)
    cleared = icons_left(work[TABLE]) == 0
    left = prospect(scn, work[TABLE], up_mask(scn, work[TABLE]), outlook) + harm_value(scn, work[TABLE])
    left -= harm_value(scn, work[ROLL])
    work[TABLE] = work[ROLL]
    if cleared:
        return False
    return st.rolls_left == 0 or left < BAD_ROLL * hoped
