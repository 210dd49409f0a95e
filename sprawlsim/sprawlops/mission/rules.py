"""The rules of a Mission, each once: what a Stage, a roll, a success, an injury does.

These functions change the situation `st` of scenario `scn` in place. They decide nothing: which of
several legal things is done is for a policy, or for the exact engine, which both call these.
Source: rulebook, "Running Missions" and "Additional Rules"; rulings M1 to M14, M16, M18, G8, G10.
"""

from __future__ import annotations

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.dice import certain_successes, rolled_dice
from sprawlsim.sprawlops.mission.arrays import (
    BETWEEN,
    COLOURS,
    DEAD,
    DIE_CARD,
    ENDED,
    INJURED,
    RESCUED,
    ROLLING,
    ROLLS_PER_STAGE,
    SUCCESS_CARD,
    UP,
    Record,
)


@kernel
def set_up(scn: Record, st: Record) -> None:
    """Stand before the first Stage, everyone up, nothing spent."""
    st.stage = 0
    st.phase = BETWEEN
    st.rolls_left = 0
    for r in range(st.condition.size):
        st.condition[r] = UP
    st.plates = scn.plates
    st.own_tokens = scn.own_tokens
    st.tokens = scn.tokens
    st.rerolls = scn.rerolls
    for k in range(st.cards.size):
        st.cards[k] = scn.cards[k]
    for c in range(COLOURS):
        st.icons[c] = 0
        st.bonus[c] = 0
    st.cleared = 0
    st.reached = 0
    st.completed = 0
    clear_table(st)


@kernel
def clear_table(st: Record) -> None:
    """Take the dice of the last roll off the table; its unused successes are lost (M4)."""
    st.rolled = 0
    st.rerolled = 0
    for c in range(COLOURS):
        st.pool[c] = 0
        st.hand[c] = 0
        st.successes[c] = 0
        st.injuries[c] = 0


@kernel
def anyone_up(scn: Record, st: Record) -> bool:
    """Say whether a participating runner is neither injured nor dead."""
    for r in range(scn.n_runners):
        if st.condition[r] == UP:
            return True
    return False


@kernel
def icons_left(st: Record) -> int:
    """Count the icons of the Stage that are not defeated yet."""
    total = 0
    for c in range(COLOURS):
        total += st.icons[c]
    return total


@kernel
def pull_out(st: Record) -> None:
    """Leave the Mission between Stages, keeping what was earned (M9)."""
    st.phase = ENDED


@kernel
def skip_stage(scn: Record, st: Record) -> None:
    """Pass by an optional Loot Stage: it pays nothing, and counts as cleared for completing (M8)."""
    _next_stage(scn, st)


@kernel
def is_optional(scn: Record, stage: int) -> bool:
    """Say whether a Stage is an optional Loot Stage, which may be skipped (M9)."""
    return scn.loot[stage] > 0


@kernel
def clears_by_perk(scn: Record, stage: int) -> bool:
    """Say whether the Eye of the Needle clears this Stage without a roll (G10)."""
    if scn.clears_first != 0 and stage == 0:
        return True
    return scn.clears_last != 0 and stage == scn.n_stages - 1


@kernel
def must_be_rolled(scn: Record, stage: int) -> bool:
    """Say whether completing the Mission takes a roll of this Stage: not optional, and no perk clears it."""
    return not is_optional(scn, stage) and not clears_by_perk(scn, stage)


@kernel
def start_stage(scn: Record, st: Record) -> None:
    """Begin the Stage: three rolls, all its icons; a perk clears it at once (M6, G10)."""
    st.reached |= 1 << np.int64(st.stage)
    if clears_by_perk(scn, st.stage):
        clear_stage(scn, st)
        return
    st.phase = ROLLING
    st.rolls_left = ROLLS_PER_STAGE
    for c in range(COLOURS):
        st.icons[c] = scn.icons[st.stage, c]


@kernel
def clear_stage(scn: Record, st: Record) -> None:
    """Note the Stage as cleared, which pays its nuyen and Loot at once, and go to the next."""
    st.cleared |= 1 << np.int64(st.stage)
    _next_stage(scn, st)


@kernel
def _next_stage(scn: Record, st: Record) -> None:
    """Complete the Mission after its last Stage, whoever is up; else go on only with someone up (M8)."""
    clear_table(st)
    st.rolls_left = 0
    for c in range(COLOURS):
        st.icons[c] = 0
        st.bonus[c] = 0
    st.stage += 1
    if st.stage == scn.n_stages:
        st.completed = 1
        st.phase = ENDED
    elif anyone_up(scn, st):
        st.phase = BETWEEN
    else:
        st.phase = ENDED


@kernel
def loot_won(scn: Record, cleared: int) -> int:
    """Count the Loot cards that the cleared Stages gave, the Eye's Decker perk included (G10)."""
    cards = 0
    for stage in range(scn.n_stages):
        if cleared & (1 << stage):
            cards += scn.loot[stage]
    if scn.loot_for_first != 0 and cleared & 1:
        cards += 1
    return cards


@kernel
def nuyen_won(scn: Record, cleared: int, completed: int) -> int:
    """Add up the K nuyen paid for the cleared Stages and for completing the Mission."""
    nuyen = 0
    for stage in range(scn.n_stages):
        if cleared & (1 << stage):
            nuyen += scn.stage_payout[stage]
    if completed:
        nuyen += scn.payout
    return nuyen


@kernel
def was_paid(scn: Record, cleared: int, completed: int) -> bool:
    """Say whether the nuyen payout was won: the last Stage that pays, or where none does, the Mission's."""
    if scn.paying_stage >= 0:
        return cleared & (1 << scn.paying_stage) != 0
    return completed != 0 and scn.payout > 0


@kernel
def play_die_card(st: Record, colour: int) -> None:
    """Play a Loot card that adds a die to the rolls of this Stage from the next one on (M5)."""
    st.cards[DIE_CARD + colour] -= 1
    st.bonus[colour] += 1


@kernel
def take_dice(scn: Record, st: Record) -> None:
    """Take the dice of the next roll: all of everyone who is up, and Loot dice (M1).

    Veteran teams set two dice of a colour aside and lay a certain success down (M2).
    """
    clear_table(st)
    st.rolls_left -= 1
    for c in range(COLOURS):
        st.pool[c] = st.bonus[c]
    for r in range(scn.n_runners):
        if st.condition[r] == UP:
            st.rolled |= 1 << r
            for c in range(COLOURS):
                st.pool[c] += scn.dice[r, c]
    for c in range(COLOURS):
        st.hand[c] = rolled_dice(st.pool[c])
        st.successes[c] = certain_successes(st.pool[c])


@kernel
def blanks(st: Record, colour: int) -> int:
    """Count the dice of a colour on the table that show a blank face, those set aside (M2) not counted."""
    shown = st.successes[colour] - certain_successes(st.pool[colour]) + st.injuries[colour]
    return int(rolled_dice(st.pool[colour]) - shown)


@kernel
def let_fall(st: Record, colour: int, successes: int, injuries: int) -> None:
    """Lay the faces of the dice in hand of one colour on the table."""
    st.hand[colour] = 0
    st.successes[colour] += successes
    st.injuries[colour] += injuries


@kernel
def take_up(st: Record, colour: int, successes: int, injuries: int, blanks: int) -> None:
    """Take dice of one colour up again for a reroll, by the faces they show (M18)."""
    st.successes[colour] -= successes
    st.injuries[colour] -= injuries
    st.hand[colour] += successes + injuries + blanks


@kernel
def play_success_card(st: Record, colour: int) -> None:
    """Play a Loot card that is one more success of this roll (M5)."""
    st.cards[SUCCESS_CARD + colour] -= 1
    st.successes[colour] += 1


@kernel
def defeat_directly(st: Record, colour: int) -> None:
    """Defeat an icon with a success of its own colour (M4)."""
    st.successes[colour] -= 1
    st.icons[colour] -= 1


@kernel
def defeat_with_pair(st: Record, pair_colour: int, icon_colour: int) -> None:
    """Defeat any icon with two successes of one colour of this roll (M4)."""
    st.successes[pair_colour] -= 2
    st.icons[icon_colour] -= 1


@kernel
def is_exposed(st: Record, runner: int) -> bool:
    """Say whether the runner's dice are in this roll and it is neither dead nor rescued (M10, M13)."""
    return st.rolled & (1 << runner) != 0 and st.condition[runner] <= INJURED


@kernel
def would_die(scn: Record, st: Record, runner: int) -> bool:
    """Say whether one more injury kills: a second one, without a plate, not in a Task (M11, M12, M16)."""
    return st.condition[runner] == INJURED and not st.plates & (1 << runner) and scn.task == 0


@kernel
def legal_targets(scn: Record, st: Record, colour: int) -> int:
    """Find who may take an injury of this colour now: those who survive it, else all eligible (M10, M11).

    Eligible is who put a die of the colour into this roll. Under the rules option
    `plating_takes_any_colour` an unused plate may take it as well, whatever its runner's colours (M12).

    Returns
    -------
    int
        Mask of runners; 0 where nobody is left to take it, and the injury has no effect (M14).
    """
    survivors = 0
    others = 0
    plated = 0
    for r in range(scn.n_runners):
        if is_exposed(st, r):
            if scn.dice[r, colour] == 0:
                plated |= st.plates & (1 << r)
            elif would_die(scn, st, r):
                others |= 1 << r
            else:
                survivors |= 1 << r
    targets = survivors if survivors else others
    if targets and scn.plating_takes_any_colour != 0:
        targets |= plated
    return targets


@kernel
def assign_injury(scn: Record, st: Record, runner: int) -> None:
    """Give a runner an injury: the plate takes it (M12), else injured, else dead; not in a Task (M16)."""
    bit = 1 << runner
    if st.plates & bit:
        st.plates ^= bit
    elif st.condition[runner] == UP:
        st.condition[runner] = INJURED
    elif scn.task == 0:
        st.condition[runner] = DEAD


@kernel
def can_rescue(st: Record, runner: int) -> bool:
    """Say whether a token is there for this runner: its own, or one of the player's (M13, G8)."""
    return st.own_tokens & (1 << runner) != 0 or st.tokens > 0


@kernel
def rescue(st: Record, runner: int) -> None:
    """Turn a death that just happened into an injury with a token, the runner's own first (M13, G8)."""
    bit = 1 << runner
    if st.own_tokens & bit:
        st.own_tokens ^= bit
    else:
        st.tokens -= 1
    st.condition[runner] = RESCUED


@kernel
def evacuate(st: Record, card: int) -> None:
    """Leave at once with the Loot card: this roll clears nothing and hurts nobody (M5)."""
    st.cards[card] -= 1
    st.phase = ENDED


@kernel
def judge(scn: Record, st: Record) -> None:
    """Judge the Stage after a roll's injuries: cleared, failed, or another roll (M6, M7)."""
    if icons_left(st) == 0:
        clear_stage(scn, st)
    elif st.rolls_left == 0 or not anyone_up(scn, st):
        st.phase = ENDED
