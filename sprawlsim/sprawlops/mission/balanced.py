"""How `balanced` plays a roll: it tries every number of injuries taken, and keeps what promises most."""

from __future__ import annotations

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.mission.arrays import (
    CARD_KINDS,
    COLOURS,
    EVACUATE,
    IGNORE_INJURY,
    SUCCESS_CARD,
    Record,
)
from sprawlsim.sprawlops.mission.estimate import TIE, harm_value, outlook_at, prospect, up_mask
from sprawlsim.sprawlops.mission.plays import (
    BEFORE,
    BEST,
    HARMED,
    LOOT,
    NEVER,
    SPENT,
    TABLE,
    TRIAL,
    add_cards_that_clear,
    biting_injuries,
    defeat_icons,
    spend_on_cancelling,
    successes_on_table,
    take_injuries,
    take_injury,
)
from sprawlsim.sprawlops.mission.rules import evacuate, icons_left, must_be_rolled, play_success_card

CARD_WORTH = 0.15
"""Share of the outlook after this Stage for which a Loot card is held back."""
N_CARD_PLAYS = 8


@kernel
def play_balanced(scn: Record, work: Record, outlook: Record) -> None:
    """Try every number of injuries taken, with and without Loot, and keep what promises most.

    Ties: fewer cards, then fewer injuries taken, then own icons before pairs.
    """
    before = work.at[BEFORE]
    biting = biting_injuries(scn, before)
    holds_loot = _holds_loot(before)
    best = -NEVER
    for cards in range(N_CARD_PLAYS if holds_loot else 1):
        work.at[LOOT] = before
        if not _play_cards(work.at[LOOT], cards, biting):
            continue
        to_handle = biting - before.cards[IGNORE_INJURY] + work.at[LOOT].cards[IGNORE_INJURY]
        price = _price_of_cards(scn, before, work.at[LOOT], outlook) if cards > 0 else 0.0
        best = _try_injuries(scn, work, to_handle, price, best, outlook)
    if before.cards[EVACUATE] > 0 and harm_value(scn, before) > best + TIE:
        work.at[TABLE] = before
        evacuate(work.at[TABLE], EVACUATE)
    else:
        work.at[TABLE] = work.at[BEST]


@kernel
def _try_injuries(
    scn: Record, work: Record, biting: int, price: float, best: float, outlook: Record
) -> float:
    """Try every number of injuries taken of the roll at `LOOT`; keep the best at `BEST`.

    Taking one more is tried only where the success that need not cancel then defeats one more icon.
    """
    cancelled = min(biting, successes_on_table(work.at[LOOT]))
    work.at[SPENT] = work.at[LOOT]
    for x in range(cancelled):
        work.at[SPENT + x + 1] = work.at[SPENT + x]
        spend_on_cancelling(work.at[SPENT + x + 1], np.int64(1))
    work.at[TRIAL] = work.at[LOOT]
    defeat_icons(work.at[TRIAL], False)
    fewest = icons_left(work.at[TRIAL])
    left = 1 + icons_left(work.at[LOOT])
    work.at[HARMED] = work.at[LOOT]
    take_injuries(scn, work.at[HARMED], biting - cancelled, True, outlook)
    for x in range(cancelled, -1, -1):
        trial = work.at[TRIAL]
        work.at[TRIAL] = work.at[HARMED]
        for c in range(COLOURS):
            trial.successes[c] = work.at[SPENT + x].successes[c]
        defeat_icons(trial, False)
        if icons_left(trial) < left:
            left = icons_left(trial)
            best = _keep_if_better(scn, work, price, best, outlook)
            if left > 0:
                work.at[TRIAL] = work.at[HARMED]
                for c in range(COLOURS):
                    trial.successes[c] = work.at[SPENT + x].successes[c]
                if defeat_icons(trial, True):
                    best = _keep_if_better(scn, work, price, best, outlook)
        if left == fewest:
            break
        take_injury(scn, work.at[HARMED], True, outlook)
    return best


@kernel
def _keep_if_better(scn: Record, work: Record, price: float, best: float, outlook: Record) -> float:
    """Value the play tried out, and keep it if it beats the best so far; give the better value."""
    trial = work.at[TRIAL]
    value = prospect(scn, trial, up_mask(scn, trial), outlook) + harm_value(scn, trial) - price
    if value > best + TIE:
        work.at[BEST] = trial
        return float(value)
    return best


@kernel
def _holds_loot(st: Record) -> bool:
    """Say whether a Loot card is held that can be played after a roll."""
    for c in range(COLOURS):
        if st.cards[SUCCESS_CARD + c] > 0:
            return True
    return st.cards[IGNORE_INJURY] + st.cards[EVACUATE] > 0


@kernel
def _play_cards(st: Record, cards: int, biting: int) -> bool:
    """Play Loot in one of the ways `balanced` tries; say whether that way is open.

    In order: none; the successes that clear the Stage; one success; all successes; and, if an injury
    bites, the same four with one injury ignored.
    """
    if cards >= 4:
        if biting == 0 or st.cards[IGNORE_INJURY] == 0:
            return False
        st.cards[IGNORE_INJURY] -= 1
        cards -= 4
    if cards == 0:
        return True
    if cards == 1:
        return add_cards_that_clear(st)
    played = 0
    for c in range(COLOURS):
        while st.cards[SUCCESS_CARD + c] > 0 and (cards == 3 or played == 0):
            play_success_card(st, c)
            played += 1
    return played > 0


@kernel
def _price_of_cards(scn: Record, before: Record, after: Record, outlook: Record) -> float:
    """Value the Loot played by what it might do later: nothing in the last roll that the Mission takes."""
    played = 0
    for k in range(CARD_KINDS):
        played += before.cards[k] - after.cards[k]
    rolls_to_come = np.int64(after.rolls_left)
    for stage in range(after.stage + 1, scn.n_stages):
        rolls_to_come += must_be_rolled(scn, stage)
    if rolls_to_come == 0:
        return 0.0
    later = outlook_at(scn, after, np.int64(after.stage + 1), up_mask(scn, after), outlook)
    return float(CARD_WORTH * played * later)
