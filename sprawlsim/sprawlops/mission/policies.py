"""The rules of thumb by name: every decision of a Mission, for each policy.

docs/policies.md describes each precisely enough to recompute it by hand.
"""

from __future__ import annotations

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.mission.arrays import (
    COLOURS,
    DIE_CARD,
    REROLL_DIE,
    ROLLS_PER_STAGE,
    Record,
)
from sprawlsim.sprawlops.mission.estimate import (
    TIE,
    clear_chance,
    cost_now,
    death_price,
    harm_value,
    outlook_at,
    prospect,
    stage_gain,
    try_chance,
    up_mask,
)
from sprawlsim.sprawlops.mission.plays import (
    BALANCED,
    BEFORE,
    CANCEL_FIRST,
    ICONS_FIRST,
    TABLE,
    biting_injuries,
    successes_on_table,
)
from sprawlsim.sprawlops.mission.rules import (
    blanks,
    clears_by_perk,
    icons_left,
    is_optional,
    must_be_rolled,
    play_die_card,
    take_up,
)

POLICIES: dict[str, int] = {"icons-first": ICONS_FIRST, "cancel-first": CANCEL_FIRST, "balanced": BALANCED}
"""Rules of thumb by the name that users give."""

GO, SKIP, PULL_OUT = 0, 1, 2

BAD_ROLL = 0.6
"""`balanced` rerolls a roll that leaves less than this share of what was hoped for before it."""


@kernel
def choose_stage(scn: Record, st: Record, policy: int, outlook: Record) -> int:
    """Decide before a Stage: go, skip (an optional one), or pull out (M9)."""
    stage = np.int64(st.stage)
    mask = up_mask(scn, st)
    optional = is_optional(scn, stage)
    gain = stage_gain(scn, stage)
    if policy == BALANCED:
        later = outlook_at(scn, st, stage + 1, mask, outlook)
        chance = try_chance(scn, st, stage, mask)
        value = chance * (gain + later) + cost_now(scn, st, chance)
        if optional and later >= value - TIE:
            return SKIP
        return PULL_OUT if value < -TIE else GO
    if clears_by_perk(scn, stage):
        return GO
    hurt = mask != (1 << scn.n_runners) - 1
    if policy == CANCEL_FIRST and hurt and (scn.w_injury < 0.0 or death_price(scn) < 0.0):
        return PULL_OUT
    if optional and (gain <= 0.0 or (policy == CANCEL_FIRST and hurt)):
        return SKIP
    return GO


@kernel
def play_die_cards(scn: Record, st: Record, policy: int) -> None:
    """Play Loot dice before the first roll of a Stage that wants their colour as much as any later one.

    A Stage wants a colour by its icons of it; Stages that a perk clears, or that may be skipped, do not
    count. `balanced` also plays a die, whatever its colour, when no later Stage counts.
    """
    if st.rolls_left != ROLLS_PER_STAGE:
        return
    for c in range(COLOURS):
        if st.cards[DIE_CARD + c] == 0:
            continue
        wanted_later = 0
        later = 0
        for stage in range(st.stage + 1, scn.n_stages):
            if must_be_rolled(scn, stage):
                wanted_later = max(wanted_later, scn.icons[stage, c])
                later += 1
        wanted = scn.icons[st.stage, c]
        if (wanted > 0 and wanted >= wanted_later) or (policy == BALANCED and later == 0):
            while st.cards[DIE_CARD + c] > 0:
                play_die_card(st, c)


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
def choose_reroll(scn: Record, work: Record, policy: int, outlook: Record) -> bool:
    """Decide whether to take dice of a roll up again rather than use it, and do so (M18).

    At `BEFORE` is the roll as it fell, at `TABLE` the same used as well as the policy can. A free reroll
    takes up all dice that show no success; the Loot card takes up one of them.
    """
    fell = work.at[BEFORE]
    if fell.rerolls == 0 and fell.cards[REROLL_DIE] == 0:
        return False
    colour = _die_to_reroll(fell)
    if colour < 0 or not _is_worth_rerolling(scn, work, policy, outlook):
        return False
    work.at[TABLE] = work.at[BEFORE]
    st = work.at[TABLE]
    if st.rerolls > 0:
        for c in range(COLOURS):
            take_up(st, c, 0, st.injuries[c], blanks(st, c))
        st.rerolls -= 1
    else:
        injury = min(1, st.injuries[colour])
        take_up(st, colour, 0, injury, 1 - injury)
        st.cards[REROLL_DIE] -= 1
    st.rerolled += 1
    return True


@kernel
def _is_worth_rerolling(scn: Record, work: Record, policy: int, outlook: Record) -> bool:
    """Say whether the roll is bad enough.

    `icons-first`: the last roll of a Stage that does not clear it. `cancel-first`: more injuries bite than
    there are successes. `balanced`: the last roll that does not clear, or one that leaves less than
    `BAD_ROLL` of the prospect before it.
    """
    fell = work.at[BEFORE]
    used = work.at[TABLE]
    if policy == CANCEL_FIRST:
        return biting_injuries(scn, fell) > successes_on_table(fell)
    if icons_left(used) == 0:
        return False
    if fell.rolls_left == 0:
        return True
    if policy == ICONS_FIRST:
        return False
    mask = up_mask(scn, fell)
    stage = np.int64(fell.stage)
    chance = clear_chance(scn, fell, stage, mask, np.int64(fell.rolls_left + 1), True)
    hoped = chance * (stage_gain(scn, stage) + outlook_at(scn, fell, stage + 1, mask, outlook))
    left = prospect(scn, used, up_mask(scn, used), outlook) + harm_value(scn, used) - harm_value(scn, fell)
    return bool(left < BAD_ROLL * hoped - TIE)
