"""What the rules of thumb do with a roll: which successes cancel, which icons fall, who is hurt.

Everything here only calls the rules; docs/policies.md says the same in words.
"""

from __future__ import annotations

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.dice import MAX_ROLLED
from sprawlsim.sprawlops.mission.arrays import (
    COLOURS,
    EVACUATE,
    IGNORE_INJURY,
    STATE,
    SUCCESS_CARD,
    UP,
    Record,
)
from sprawlsim.sprawlops.mission.estimate import TIE, death_price, outlook_at, up_mask
from sprawlsim.sprawlops.mission.rules import (
    anyone_up,
    assign_injury,
    can_rescue,
    defeat_directly,
    defeat_with_pair,
    evacuate,
    icons_left,
    legal_targets,
    play_success_card,
    rescue,
    would_die,
)

ICONS_FIRST, CANCEL_FIRST, BALANCED = 0, 1, 2

TABLE, TRIAL, BEST, BEFORE, LOOT, HARMED, SPENT = range(7)
"""Places in a work array: the situation itself, a play tried out, the best so far, the roll as it fell, the
same with Loot played, with injuries taken, and, from the last on, with 0, 1, 2... successes spent on
cancelling."""
WORK_STATES = SPENT + COLOURS * MAX_ROLLED + 1

WORK = np.dtype((np.record, [("at", STATE, WORK_STATES)]))
"""Situations to work on."""

NEVER = 1e300


@kernel
def biting_injuries(scn: Record, st: Record) -> int:
    """Count the injuries on the table that somebody could take; the others have no effect (M14)."""
    count = 0
    for c in range(COLOURS):
        if st.injuries[c] > 0 and legal_targets(scn, st, c) != 0:
            count += st.injuries[c]
    return count


@kernel
def successes_on_table(st: Record) -> int:
    """Count the successes not used yet."""
    count = 0
    for c in range(COLOURS):
        count += st.successes[c]
    return count


@kernel
def _cheapest_success(st: Record) -> int:
    """Choose the colour whose success is missed least when it cancels instead of defeating icons.

    In this order: an odd one beyond its own icons; half of a pair beyond them; one that would defeat an
    icon of its own, of the colour with most dice in the pool. Ties: the first role.
    """
    for c in range(COLOURS):
        beyond = st.successes[c] - st.icons[c]
        if beyond > 0 and beyond % 2 == 1:
            return c
    for c in range(COLOURS):
        if st.successes[c] - st.icons[c] >= 2:
            return c
    choice = -1
    most = -1
    for c in range(COLOURS):
        if st.successes[c] > 0 and st.pool[c] > most:
            choice = c
            most = st.pool[c]
    return choice


@kernel
def spend_on_cancelling(st: Record, count: int) -> None:
    """Take successes off the table to cancel that many injuries, those missed least first (M4)."""
    for _ in range(count):
        st.successes[_cheapest_success(st)] -= 1


@kernel
def _hardest_icon(st: Record) -> int:
    """Choose the icon left whose colour has fewest dice in the pool; ties: most icons, then first role."""
    choice = -1
    for c in range(COLOURS):
        if st.icons[c] == 0:
            continue
        if choice < 0:
            choice = c
            continue
        dice, best = st.pool[c], st.pool[choice]
        if dice < best or (dice == best and st.icons[c] > st.icons[choice]):
            choice = c
    return choice


@kernel
def defeat_icons(st: Record, pairs_first: bool) -> bool:
    """Defeat icons: by their own colour, then with pairs on the hardest icon left (M4).

    `pairs_first` keeps one success back from its own icon where that completes a pair for an icon of a
    colour with fewer dice: as many icons fall, and the easier one stays. Says whether that happened.
    """
    kept_back = False
    for c in range(COLOURS):
        own = min(st.successes[c], st.icons[c])
        if pairs_first and own > 0 and (st.successes[c] - own) % 2 == 1:
            if _harder_icon_stays(st, c):
                own -= 1
                kept_back = True
        for _ in range(own):
            defeat_directly(st, c)
    for c in range(COLOURS):
        while st.successes[c] >= 2:
            icon = _hardest_icon(st)
            if icon < 0:
                return kept_back
            defeat_with_pair(st, c, icon)
    return kept_back


@kernel
def _harder_icon_stays(st: Record, colour: int) -> bool:
    """Say whether an icon with fewer dice than `colour` would be left by direct successes."""
    for c in range(COLOURS):
        if st.icons[c] > st.successes[c] and st.pool[c] < st.pool[colour]:
            return True
    return False


@kernel
def _dice_of(scn: Record, runner: int) -> int:
    dice = 0
    for c in range(COLOURS):
        dice += scn.dice[runner, c]
    return dice


@kernel
def _plain_harm(scn: Record, st: Record, runner: int) -> float:
    """Rank who takes an injury: a plate, else injured, else rescued, else dead; fewest dice first."""
    if st.plates & (1 << runner):
        rank = 0.0
    elif not would_die(scn, st, runner):
        rank = 1.0 if st.condition[runner] == UP else 0.0
    else:
        rank = 2.0 if can_rescue(st, runner) else 3.0
    return rank + _dice_of(scn, runner) / 100.0


@kernel
def _weighed_harm(scn: Record, st: Record, runner: int, outlook: Record) -> float:
    """Estimate what an injury of this runner costs: the fall of the outlook, and the objective's price.

    Ties go as in `_plain_harm`.
    """
    tie = 1e-6 * _plain_harm(scn, st, runner)
    if st.plates & (1 << runner):
        return tie
    if st.condition[runner] == UP:
        mask = up_mask(scn, st)
        loss = outlook_at(scn, st, np.int64(st.stage), mask, outlook)
        loss -= outlook_at(scn, st, np.int64(st.stage), mask ^ (1 << runner), outlook)
        return float(loss - scn.w_injury + tie)
    if not would_die(scn, st, runner) or can_rescue(st, runner):
        return tie
    return float(scn.w_injury - death_price(scn) + tie)


@kernel
def take_injury(scn: Record, st: Record, weighed: bool, outlook: Record) -> None:
    """Take the least harmful of the injuries on the table that somebody can take (M10 to M14).

    A death is turned into an injury wherever a token is there (M13).
    """
    least = NEVER
    colour = np.int64(-1)
    victim = np.int64(-1)
    for c in range(COLOURS):
        if st.injuries[c] == 0:
            continue
        targets = legal_targets(scn, st, c)
        for r in range(scn.n_runners):
            if targets & (1 << r):
                harm = _weighed_harm(scn, st, r, outlook) if weighed else _plain_harm(scn, st, r)
                if harm < least - TIE:
                    least, colour, victim = harm, c, r
    if victim < 0:
        return
    st.injuries[colour] -= 1
    dies = would_die(scn, st, victim)
    assign_injury(scn, st, victim)
    if dies and can_rescue(st, victim):
        rescue(st, victim)


@kernel
def take_injuries(scn: Record, st: Record, count: int, weighed: bool, outlook: Record) -> None:
    """Take that many injuries, the least harmful first, one by one; the rest lies there as cancelled."""
    for _ in range(count):
        take_injury(scn, st, weighed, outlook)


@kernel
def hurt_since(before: Record, after: Record, runners: int) -> bool:
    """Say whether somebody is worse off than before, a used plate not counted."""
    for r in range(runners):
        if after.condition[r] != before.condition[r]:
            return True
    return False


@kernel
def add_cards_that_clear(st: Record) -> bool:
    """Play just the success cards that let the roll clear the Stage, if they can; say whether they can.

    Cards for an icon of their own come first, then one that completes a pair, then two alike as a pair.
    """
    while True:
        lacking = 0
        for c in range(COLOURS):
            own = min(st.successes[c], st.icons[c])
            lacking += st.icons[c] - own - (st.successes[c] - own) // 2
        if lacking <= 0:
            return True
        colour = -1
        for c in range(COLOURS):
            if st.cards[SUCCESS_CARD + c] > 0 and st.icons[c] > st.successes[c]:
                colour = c
                break
        if colour < 0:
            for c in range(COLOURS):
                beyond = st.successes[c] - st.icons[c]
                if st.cards[SUCCESS_CARD + c] > 0 and beyond > 0 and beyond % 2 == 1:
                    colour = c
                    break
        if colour < 0:
            for c in range(COLOURS):
                if st.cards[SUCCESS_CARD + c] >= 2:
                    colour = c
                    play_success_card(st, c)
                    break
        if colour < 0:
            return False
        play_success_card(st, colour)


@kernel
def play_plainly(scn: Record, work: Record, policy: int, outlook: Record) -> None:
    """Play a roll as `icons-first` or `cancel-first`, Loot included."""
    st = work.at[TABLE]
    taken = _use_plainly(scn, st, policy)
    if icons_left(st) > 0:
        work.at[TRIAL] = work.at[BEFORE]
        if add_cards_that_clear(work.at[TRIAL]):
            taken_then = _use_plainly(scn, work.at[TRIAL], policy)
            if icons_left(work.at[TRIAL]) == 0:
                work.at[TABLE] = work.at[TRIAL]
                taken = taken_then
    while taken > 0 and st.cards[IGNORE_INJURY] > 0:
        work.at[TRIAL] = work.at[TABLE]
        take_injuries(scn, work.at[TRIAL], taken, False, outlook)
        if not hurt_since(work.at[BEFORE], work.at[TRIAL], scn.n_runners):
            break
        st.cards[IGNORE_INJURY] -= 1
        taken -= 1
    take_injuries(scn, st, taken, False, outlook)
    lost = icons_left(st) > 0 and (st.rolls_left == 0 or not anyone_up(scn, st))
    if lost and work.at[BEFORE].cards[EVACUATE] > 0 and hurt_since(work.at[BEFORE], st, scn.n_runners):
        work.at[TABLE] = work.at[BEFORE]
        evacuate(work.at[TABLE], EVACUATE)


@kernel
def _use_plainly(scn: Record, st: Record, policy: int) -> int:
    """Cancel, then defeat (`cancel-first`), or defeat, then cancel; count the injuries left to take."""
    biting = biting_injuries(scn, st)
    if policy == ICONS_FIRST:
        defeat_icons(st, False)
    cancelled = min(biting, successes_on_table(st))
    spend_on_cancelling(st, cancelled)
    if policy == CANCEL_FIRST:
        defeat_icons(st, False)
    return biting - cancelled
