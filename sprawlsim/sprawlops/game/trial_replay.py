"""The dice of a Mission, a Task or the Final Mission of a game, played again step by step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from sprawlsim.sprawlops.game.arrays import Record
from sprawlsim.sprawlops.game.trials import (
    Desk,
    attempt_number,
    discard_used_loot,
    forget_outlook,
    set_scene,
    take_loot_won,
)
from sprawlsim.sprawlops.mission.arrays import (
    BETWEEN,
    COLOURS,
    ENDED,
    IGNORE_INJURY,
    ROLLING,
)
from sprawlsim.sprawlops.mission.attempt import decide_stage, ready_dice, throw_hand
from sprawlsim.sprawlops.mission.balanced import play_balanced
from sprawlsim.sprawlops.mission.plays import (
    BALANCED,
    BEFORE,
    ICONS_FIRST,
    TABLE,
    defeat_icons,
    play_plainly,
    spend_on_cancelling,
)
from sprawlsim.sprawlops.mission.policies import choose_reroll
from sprawlsim.sprawlops.mission.rules import judge, set_up

FIVE = range(COLOURS)
Counts = list[int]

SETTLED, THROWN, TAKEN_UP, USED, JUDGED = range(5)
"""Steps: decisions up to the next dice; dice fall; some are taken up for a reroll; the roll is used; the
Stage is judged."""


class Step(NamedTuple):
    """One step of an attempt: where it stood before and after."""

    kind: int
    before: Record
    after: Record


class Replay(NamedTuple):
    """An attempt played again.

    Attributes
    ----------
    scene : record of `SCENARIO`
        As it was set up, the Loot drawn on the way not counted.
    policy : int
    steps : list of Step
    drawn : list of int
        Loot cards drawn, in order.
    held : list of int
        Loot by card: what was in hand and what was drawn.
    end : record of `STATE`
        Where the attempt ended, the Loot drawn last in hand.
    """

    scene: Record
    policy: int
    steps: list[Step]
    drawn: list[int]
    held: Counts
    end: Record


def replay_trial(game: Record, desk: Desk) -> Replay:
    """Play the dice of the trial at hand again, step by step.

    Parameters
    ----------
    game : record of `GAME`
        A copy that may be changed, the team chosen.
    desk : Desk
        One that no game is played on, with the players' orders.
    """
    held = [int(n) for n in game.loot[game.player]]
    set_scene(game, desk)
    scn, work, outlook = desk.pad.scene, desk.tools.work, desk.tools.outlook
    scene = scn.copy()
    policy = int(desk.pad.orders[game.player].policy[game.trial])
    forget_outlook(scn, outlook)
    st = work.at[TABLE]
    attempt = np.uint64(attempt_number(game))
    steps: list[Step] = []
    drawn: list[int] = []

    def note(kind: int, before: Record) -> None:
        steps.append(Step(kind, before, st.copy()))

    def draw(before: Record) -> None:
        """Draw the Loot won; it counts as held before, so that what is missing afterwards was played."""
        discard_used_loot(game, desk)
        had = game.loot[game.player].copy()
        take_loot_won(game, desk, len(drawn))
        for loot, n in enumerate(game.loot[game.player] - had):
            drawn.extend([loot] * int(n))
            before.cards[desk.cards.loot_kind[loot]] += n

    def go_to_dice() -> None:
        before = st.copy()
        draw(before)
        while st.phase == BETWEEN:
            decide_stage(scn, work, policy, outlook)
            draw(before)
        if st.phase == ROLLING:
            ready_dice(scn, work, policy)
        note(SETTLED, before)

    set_up(scn, st)
    go_to_dice()
    while st.phase == ROLLING:
        before = st.copy()
        throw_hand(st, np.uint64(game.key), attempt, desk.tools)
        note(THROWN, before)
        before = st.copy()
        work.at[BEFORE] = work.at[TABLE]
        if policy == BALANCED:
            play_balanced(scn, work, outlook)
        else:
            play_plainly(scn, work, policy, outlook)
        if choose_reroll(scn, work, policy, outlook):
            note(TAKEN_UP, before)
            continue
        note(USED, before)
        if st.phase != ENDED:
            before = st.copy()
            judge(scn, st)
            note(JUDGED, before)
        go_to_dice()
    return Replay(scene, policy, steps, drawn, [n + drawn.count(k) for k, n in enumerate(held)], st.copy())


class Use(NamedTuple):
    """What the successes of a roll did, by colour."""

    direct: Counts
    """Icons defeated by successes of their own colour."""
    pairs: Counts
    """Pairs of successes, by the colour of the successes."""
    wild: Counts
    """Icons defeated by pairs, by the colour of the icons."""
    cancelling: Counts
    """Successes that cancelled an injury."""


def explain_use(replay: Replay, fell: Record, used: Record) -> Use | None:
    """Find what each success did; None where that cannot be told from the outcome."""
    most = sum(map(int, used.injuries)) - int(fell.cards[IGNORE_INJURY] - used.cards[IGNORE_INJURY])
    for cancelled, pairs_first in product(range(most, -1, -1), (False, True)):
        st = fell.copy()
        st.successes += fell.cards[:COLOURS] - used.cards[:COLOURS]
        lying = st.successes.copy()
        if cancelled > lying.sum():
            continue
        if replay.policy == ICONS_FIRST:
            defeat_icons(st, pairs_first)
            before = st.successes.copy()
            spend_on_cancelling(st, cancelled)
            cancelling = before - st.successes
        else:
            spend_on_cancelling(st, cancelled)
            cancelling = lying - st.successes
            defeat_icons(st, pairs_first)
        if list(st.successes) != list(used.successes) or list(st.icons) != list(used.icons):
            continue
        spent = [int(n) for n in lying - st.successes - cancelling]
        defeated = [int(n) for n in fell.icons - st.icons]
        # Of each colour's successes, all that can defeat their own icons do, but for one kept for a pair.
        direct = [n - (n + m) % 2 for n, m in ((min(d, s), s) for d, s in zip(defeated, spent, strict=True))]
        pairs = [(s - d) // 2 for s, d in zip(spent, direct, strict=True)]
        wild = [n - d for n, d in zip(defeated, direct, strict=True)]
        if min(direct) >= 0 and sum(pairs) == sum(wild):
            return Use(direct, pairs, wild, [int(n) for n in cancelling])
    return None


def only_way(
    rows: Sequence[int], columns: Sequence[int], may: Sequence[Sequence[bool]]
) -> list[Counts] | None:
    """Find the only table of counts with these sums; None where there are several, or none.

    Parameters
    ----------
    rows, columns : sequences of int
        Sums.
    may : table of bool
        Which cells may be more than 0.
    """
    found: list[list[Counts]] = []

    def fill(done: list[Counts], left: Counts) -> None:
        if len(found) > 1:
            return
        if len(done) == len(rows):
            if not any(left):
                found.append(done)
            return
        row = len(done)
        ranges = [range(min(n, rows[row]) + 1 if may[row][c] else 1) for c, n in enumerate(left)]
        for counts in product(*ranges):
            if sum(counts) == rows[row]:
                fill([*done, list(counts)], [n - k for n, k in zip(left, counts, strict=True)])

    fill([], list(columns))
    return found[0] if len(found) == 1 else None
