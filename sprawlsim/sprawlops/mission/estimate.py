"""A quick estimate of what a situation is worth: the eyes of the rule of thumb ``balanced``.

It is a formula, not the rules: expected successes and wild pairs against icons, squeezed through a
logistic curve. docs/policies.md spells it out so that it can be recomputed by hand.
"""

from __future__ import annotations

from math import comb, exp, sqrt

import numpy as np
import numpy.typing as npt

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.dice import (
    INJURY_FACES,
    SIDES,
    SUCCESS_FACES,
    VETERAN_DICE,
    VETERAN_SET_ASIDE,
    rolled_dice,
)
from sprawlsim.sprawlops.mission.arrays import (
    COLOURS,
    DEAD,
    ENDED,
    EVACUATE,
    INJURED,
    MAX_RUNNERS,
    MAX_STAGES,
    RESCUED,
    ROLLS_PER_STAGE,
    UP,
    Record,
)
from sprawlsim.sprawlops.mission.rules import clears_by_perk, icons_left, is_optional

P_SUCCESS = SUCCESS_FACES / SIDES
P_INJURY = INJURY_FACES / SIDES

TABLE_DICE = 18
"""Pools of a colour tabulated: 0 to 17 dice."""
TABLE_ICONS = 16

TIE = 1e-9
"""Estimates that differ by less are equal: no decision hangs on how a sum is rounded."""

CANCEL_SHARE = 0.5
"""Share of the injuries of the coming rolls that successes are expected to cancel."""
PLATE_WORTH = 0.5
"""Injuries of the coming rolls that an unused plate is expected to take."""
EXCESS_PAIRS = 0.35
"""Wild pairs from a success beyond the icons of its own colour."""
MARGIN = 0.4
SPREAD = 2.0
HURT_WHEN_FAILING = 0.7
DEAD_WHEN_FAILING = 0.1


def _binomial(n: int) -> list[float]:
    return [comb(n, k) * P_SUCCESS**k * (1 - P_SUCCESS) ** (n - k) for k in range(n + 1)]


def _split(pool: int) -> tuple[int, int]:
    return (pool - VETERAN_SET_ASIDE, 1) if pool >= VETERAN_DICE else (pool, 0)


def _expected_direct() -> npt.NDArray[np.float64]:
    """Expect, for (rolls, dice, icons) of one colour, how many icons own successes defeat."""
    table = np.zeros((ROLLS_PER_STAGE + 1, TABLE_DICE, TABLE_ICONS))
    for rolls in range(ROLLS_PER_STAGE + 1):
        for pool in range(TABLE_DICE):
            rolled, certain = _split(pool)
            law = _binomial(rolls * rolled)
            for icons in range(TABLE_ICONS):
                table[rolls, pool, icons] = sum(
                    p * min(k + rolls * certain, icons) for k, p in enumerate(law)
                )
    return table


def _expected_pairs() -> npt.NDArray[np.float64]:
    """Expect how many pairs one roll of so many dice of one colour shows."""
    pairs = []
    for pool in range(TABLE_DICE):
        rolled, certain = _split(pool)
        pairs.append(sum(p * ((k + certain) // 2) for k, p in enumerate(_binomial(rolled))))
    return np.array(pairs)


EXPECTED_DIRECT = _expected_direct()
EXPECTED_PAIRS = _expected_pairs()


def _expect_colours() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Tabulate, for (rolls, dice, icons) of a colour, pairs less icons left, and odd successes."""
    surplus = np.zeros((ROLLS_PER_STAGE + 1, TABLE_DICE, TABLE_ICONS))
    odd = np.zeros_like(surplus)
    for rolls, dice, icons in np.ndindex(surplus.shape):
        rolled, certain = _split(dice)
        mean = rolls * (rolled * P_SUCCESS + certain)
        if icons > 0:
            direct = EXPECTED_DIRECT[rolls, dice, icons]
            surplus[rolls, dice, icons] = EXCESS_PAIRS * (mean - direct) - (icons - direct)
            odd[rolls, dice, icons] = (1.0 - 2.0 * EXCESS_PAIRS) * (mean - direct)
        else:
            surplus[rolls, dice, icons] = rolls * EXPECTED_PAIRS[dice]
            odd[rolls, dice, icons] = mean - 2.0 * rolls * EXPECTED_PAIRS[dice]
    return surplus, odd


SURPLUS, ODD = _expect_colours()


OUTLOOK = np.dtype((np.record, [("value", "f8", (MAX_STAGES + 1, 1 << MAX_RUNNERS))]))
"""Outlooks of one scenario by Stage and runners up; NaN: not estimated yet."""


@kernel
def up_mask(scn: Record, st: Record) -> int:
    """Collect the runners who are up, as a mask."""
    mask = 0
    for r in range(scn.n_runners):
        if st.condition[r] == UP:
            mask |= 1 << r
    return mask


@kernel
def clear_chance(scn: Record, st: Record, stage: int, mask: int, rolls: int, here: bool) -> float:
    """Estimate the chance that the runners of `mask` clear a Stage within so many rolls.

    `here`: the Stage is the one being rolled, so the icons left of it, its Loot dice and the plates not
    used yet count. Otherwise the Stage as printed, and the same estimate whatever happened before.
    """
    surplus = 0.0
    odd = 0.0
    dice_rolled = 0
    for c in range(COLOURS):
        dice = st.bonus[c] if here else 0
        for r in range(scn.n_runners):
            if mask & (1 << r):
                dice += scn.dice[r, c]
        dice = min(dice, TABLE_DICE - 1)
        icons = min(st.icons[c] if here else scn.icons[stage, c], TABLE_ICONS - 1)
        dice_rolled += rolled_dice(dice)
        surplus += SURPLUS[rolls, dice, icons]
        odd += ODD[rolls, dice, icons]
    if dice_rolled == 0:
        return 0.0
    to_cancel = CANCEL_SHARE * P_INJURY * rolls * dice_rolled
    if here:
        for r in range(scn.n_runners):
            if mask & (1 << r) & st.plates:
                to_cancel -= PLATE_WORTH
    surplus -= 0.5 * max(0.0, to_cancel - odd)
    deviation = sqrt(rolls * dice_rolled * P_SUCCESS * (1.0 - P_SUCCESS))
    return 1.0 / (1.0 + exp(-SPREAD * (surplus + MARGIN) / deviation))


@kernel
def stage_gain(scn: Record, stage: int) -> float:
    """Value what clearing a Stage pays at once."""
    loot = scn.loot[stage]
    if stage == 0 and scn.loot_for_first != 0:
        loot += 1
    gain = scn.w_nuyen * scn.stage_payout[stage] + scn.w_loot * loot
    if stage == scn.paying_stage:
        gain += scn.w_payout
    return float(gain)


@kernel
def completion_gain(scn: Record) -> float:
    """Value what completing the Mission gives at once."""
    gain = scn.w_completion + scn.w_safe + scn.w_nuyen * scn.payout
    if scn.paying_stage < 0 and scn.payout > 0:
        gain += scn.w_payout
    return float(gain)


@kernel
def death_price(scn: Record) -> float:
    """Value a death (at most 0): as the objective does, and with it what only a safe completion is worth."""
    return float(scn.w_death - scn.w_safe)


@kernel
def stage_cost(scn: Record, chance: float) -> float:
    """Estimate what injuries and deaths cost in a Stage that is cleared with this chance (at most 0)."""
    failing = 1.0 - chance
    return float(failing * (scn.w_injury * HURT_WHEN_FAILING + death_price(scn) * DEAD_WHEN_FAILING))


@kernel
def cost_now(scn: Record, st: Record, chance: float) -> float:
    """Estimate the same for the Stage that comes or is being rolled: nothing with Evacuate in hand."""
    return 0.0 if st.cards[EVACUATE] > 0 else stage_cost(scn, chance)


@kernel
def try_chance(scn: Record, st: Record, stage: int, mask: int) -> float:
    """Estimate the chance to clear a Stage from its start: certain where a perk clears it."""
    if clears_by_perk(scn, stage):
        return 1.0
    return clear_chance(scn, st, stage, mask, ROLLS_PER_STAGE, False)


@kernel
def stage_outlook(scn: Record, st: Record, stage: int, mask: int, later: float) -> float:
    """Estimate what standing before a Stage is worth, if standing before the next is worth `later`.

    Go, skip where it is optional, or pull out: whatever promises most.
    """
    chance = try_chance(scn, st, stage, mask)
    value = max(0.0, chance * (stage_gain(scn, stage) + later) + stage_cost(scn, chance))
    if is_optional(scn, stage):
        value = max(value, later)
    return value


@kernel
def outlook_at(scn: Record, st: Record, stage: int, mask: int, outlook: Record) -> float:
    """Estimate what standing before a Stage with the runners of `mask` up is worth: go, skip or pull out.

    It depends on nothing that happened before, so it is kept in `outlook`: a Mission asks for the same
    few estimates again and again.
    """
    if outlook.value[stage, mask] != outlook.value[stage, mask]:  # NaN: not estimated yet
        known = stage
        while known < scn.n_stages and outlook.value[known, mask] != outlook.value[known, mask]:
            known += 1
        if known == scn.n_stages:
            outlook.value[known, mask] = completion_gain(scn)
        for before in range(known - 1, stage - 1, -1):
            outlook.value[before, mask] = 0.0
            if mask != 0:
                outlook.value[before, mask] = stage_outlook(
                    scn, st, before, mask, outlook.value[before + 1, mask]
                )
    return float(outlook.value[stage, mask])


@kernel
def harm_value(scn: Record, st: Record) -> float:
    """Value the injuries and deaths so far (at most 0)."""
    value = 0.0
    for r in range(scn.n_runners):
        if st.condition[r] == INJURED or st.condition[r] == RESCUED:
            value += scn.w_injury
        elif st.condition[r] == DEAD:
            value += death_price(scn)
    return value


@kernel
def prospect(scn: Record, st: Record, mask: int, outlook: Record) -> float:
    """Estimate what a situation after a roll is worth with the runners of `mask` up, harm not counted."""
    stage = np.int64(st.stage)
    after = stage_gain(scn, stage) + outlook_at(scn, st, stage + 1, mask, outlook)
    if icons_left(st) == 0:
        return after
    if st.rolls_left == 0 or mask == 0 or st.phase == ENDED:
        return 0.0
    chance = clear_chance(scn, st, stage, mask, np.int64(st.rolls_left), True)
    return chance * after + cost_now(scn, st, chance)
