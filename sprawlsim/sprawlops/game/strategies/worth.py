"""What cards are worth to a strategy, and what Missions promise."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.game.arrays import (
    A_MISSION,
    COMMLINK,
    EMPTY,
    PLATING,
    SLOTS,
    Record,
)
from sprawlsim.sprawlops.game.crew import FACE, can_equip, is_face
from sprawlsim.sprawlops.game.trials import give_orders, is_free
from sprawlsim.sprawlops.mission.arrays import COLOURS, ROLLS_PER_STAGE
from sprawlsim.sprawlops.mission.estimate import clear_chance, completion_gain, stage_outlook

PACKED_BITS = 10
"""Bits for the dice of one colour in `pack_dice`."""
CREW = 1
"""Mask of the one row of dice in which a crew stands for an estimate."""


class Mind(NamedTuple):
    """What choosing takes beside the game: the cards, the players' orders, and the chooser's own record."""

    cards: Any
    """Record of `CARDS`."""
    pad: Any
    """Record of `PAD`."""
    own: Any
    """Record of `MIND`."""


@kernel
def take_stock(game: Record, mind: Mind, w: Record, player: int) -> None:
    """Value one more die of each colour, and 1K spent, for the player who chooses now."""
    cards, worth = mind.cards, mind.own.worth
    mind.own.thrift = w.thrift / (1.0 + w.ease * max(0, game.nuyen[player] - 10) / 10.0)
    icons = 0.0
    for c in range(COLOURS):
        icons += cards.final_icons[game.final, c]
    for c in range(COLOURS):
        have = 0
        for slot in range(SLOTS):
            have += game.dice[player, slot, c]
        share = cards.final_icons[game.final, c] / icons
        worth[c] = w.dice[c] * (1.0 + w.final_focus * share) / (1.0 + w.saturation * have)


@kernel
def gear_worth(game: Record, cards: Record, player: int, gear: int, worth: Any) -> float:
    """Value a Gear card by its dice; nothing where none of the player's runners can carry it."""
    usable = False
    for slot in range(SLOTS):
        if can_equip(game, cards, player, slot, gear):
            usable = True
    value = 0.0
    if usable:
        for c in range(COLOURS):
            value += cards.gear_dice[gear, c] * worth[c]
    return value


@kernel
def card_worth(cards: Record, w: Record, card: int, worth: Any) -> float:
    """Value a runner card by its dice, and as a body more."""
    value = w.body
    for c in range(COLOURS):
        value += cards.runner_dice[card, c] * worth[c]
    return value


@kernel
def count_faces(game: Record, cards: Record, player: int) -> int:
    """Count the Faces on the board."""
    faces = 0
    for slot in range(SLOTS):
        if game.card[player, slot] != EMPTY and is_face(game, cards, player, slot):
            faces += 1
    return faces


@kernel
def runner_worth(game: Record, cards: Record, w: Record, player: int, card: int, worth: Any) -> float:
    """Value a runner to hire: the first Face counts more."""
    value = card_worth(cards, w, card, worth)
    if cards.runner_roles[card] & (1 << FACE) and count_faces(game, cards, player) == 0:
        value += w.face
    return value


@kernel
def board_worth(game: Record, cards: Record, w: Record, player: int, slot: int, worth: Any) -> float:
    """Value a runner on the board with the Upgrades that would go with it; the only Face counts more."""
    value = card_worth(cards, w, np.int64(game.card[player, slot]), worth)
    if is_face(game, cards, player, slot) and count_faces(game, cards, player) == 1:
        value += w.face
    value += game.plating[player, slot] * w.plating + game.commlink[player, slot] * w.commlink
    if game.upgrade[player, slot] != EMPTY:
        value += worth[cards.unique_colour[game.upgrade[player, slot]]]
    return value


@kernel
def least_runner(game: Record, cards: Record, w: Record, player: int, worth: Any) -> int:
    """Find the runner on the board that is worth least."""
    least = -1
    lowest = 1e300
    for slot in range(SLOTS):
        if game.card[player, slot] != EMPTY:
            value = board_worth(game, cards, w, player, slot, worth)
            if value < lowest:
                lowest, least = value, slot
    return least


@kernel
def cost_of_place(game: Record, cards: Record, w: Record, player: int, worth: Any) -> float:
    """Value who must leave if one more runner comes: nobody where there is a free slot."""
    runners = np.int64(game.n_coming[player])
    for slot in range(SLOTS):
        if game.card[player, slot] != EMPTY:
            runners += 1
    if runners < SLOTS:
        return 0.0
    return board_worth(game, cards, w, player, least_runner(game, cards, w, player, worth), worth)


@kernel
def upgrade_worth(game: Record, cards: Record, w: Record, pile: int, worth: Any) -> float:
    """Value the top card of a pile of Upgrades."""
    if pile == PLATING:
        return float(w.plating)
    if pile == COMMLINK:
        return float(w.commlink)
    return float(worth[cards.unique_colour[game.unique[0]]])


@kernel
def dice_of(game: Record, player: int, slot: int) -> int:
    """Count a runner's dice, a Commlink's too."""
    total = np.int64(game.commlink[player, slot])
    for c in range(COLOURS):
        total += game.dice[player, slot, c]
    return total


@kernel
def empty_crew(scn: Record) -> None:
    """Take everybody out of a scenario in which something is estimated."""
    scn.n_runners = 0
    for c in range(COLOURS):
        scn.dice[0, c] = 0


@kernel
def put_runner(game: Record, scn: Record, player: int, slot: int) -> None:
    """Add a runner's dice to a scenario in which something is estimated.

    All dice stand in one row, as if one runner brought them: the estimate for everybody only asks how many
    there are.
    """
    for c in range(COLOURS):
        scn.dice[0, c] += game.dice[player, slot, c]
    if game.commlink[player, slot]:
        scn.dice[0, game.colour[player, slot]] += 1
    scn.n_runners = 1


@kernel
def put_crew(game: Record, scn: Record, player: int) -> None:
    """Put everybody who could go into a scenario in which something is estimated."""
    empty_crew(scn)
    for slot in range(SLOTS):
        if is_free(game, player, slot):
            put_runner(game, scn, player, slot)


@kernel
def outlook_of_scene(mind: Mind) -> float:
    """Estimate what the scenario in ``pad.scene`` is worth to its runners before it begins.

    As `balanced` sees it: going on, skipping or pulling out before each Stage, whatever promises most.
    """
    scn = mind.pad.scene
    if scn.n_runners == 0:
        return 0.0
    value = completion_gain(scn)
    for before in range(scn.n_stages - 1, -1, -1):
        value = stage_outlook(scn, mind.own.idle, before, CREW, value)
    return value


@kernel
def chance_of_scene(mind: Mind) -> float:
    """Estimate the chance that the runners of ``pad.scene`` complete it, if nobody falls on the way."""
    scn = mind.pad.scene
    if scn.n_runners == 0:
        return 0.0
    chance = 1.0
    for stage in range(scn.n_stages):
        if scn.loot[stage] == 0:
            chance *= clear_chance(scn, mind.own.idle, stage, CREW, np.int64(ROLLS_PER_STAGE), False)
    return chance


@kernel
def pack_dice(game: Record, player: int, slot: int) -> int:
    """Write a runner's dice by colour, a Commlink's too, as one number that adds up over runners."""
    packed = np.int64(0)
    for c in range(COLOURS):
        packed += np.int64(game.dice[player, slot, c]) << (PACKED_BITS * c)
    if game.commlink[player, slot]:
        packed += np.int64(1) << (PACKED_BITS * np.int64(game.colour[player, slot]))
    return packed


@kernel
def refresh_notes(game: Record, mind: Mind, player: int) -> None:
    """Forget what was estimated for a crew with other dice."""
    stamp = np.int64(0)
    for slot in range(SLOTS):
        if is_free(game, player, slot):
            stamp += pack_dice(game, player, slot)
    notes = mind.own.notes[player]
    if notes.stamp == stamp:
        return
    notes.stamp = stamp
    notes.final = np.nan
    for m in range(mind.cards.n_missions):
        notes.mission[m] = np.nan


@kernel
def final_chance(game: Record, mind: Mind, player: int) -> float:
    """Estimate the chance that everybody who could go completes the Final Mission."""
    notes = mind.own.notes[player]
    if notes.final != notes.final:
        mind.pad.scene = mind.cards.finals[game.final]
        put_crew(game, mind.pad.scene, player)
        notes.final = chance_of_scene(mind)
    return float(notes.final)


@kernel
def mission_value(game: Record, mind: Mind, player: int, mission: int) -> float:
    """Estimate the K that a Mission brings to everybody who could go, under the player's orders."""
    notes = mind.own.notes[player]
    if notes.mission[mission] != notes.mission[mission]:
        mind.pad.scene = mind.cards.missions[mission]
        scn = mind.pad.scene
        put_crew(game, scn, player)
        give_orders(scn, mind.pad.orders[player], A_MISSION)
        notes.mission[mission] = outlook_of_scene(mind)
    return float(notes.mission[mission])


@kernel
def task_chance(game: Record, mind: Mind, player: int, slot: int, task: int) -> float:
    """Estimate the chance that a runner completes a Task alone."""
    notes = mind.own.notes[player]
    stamp = pack_dice(game, player, slot)
    if notes.task_stamp[slot] != stamp:
        notes.task_stamp[slot] = stamp
        notes.task[slot, 0] = np.nan
        notes.task[slot, 1] = np.nan
    if notes.task[slot, task] != notes.task[slot, task]:
        mind.pad.scene = mind.cards.tasks[task]
        scn = mind.pad.scene
        empty_crew(scn)
        put_runner(game, scn, player, slot)
        notes.task[slot, task] = chance_of_scene(mind)
    return float(notes.task[slot, task])
