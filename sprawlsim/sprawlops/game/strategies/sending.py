"""Which Mission a strategy attempts, who goes, how they are equipped for it."""

from __future__ import annotations

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.game.arrays import (
    A_FINAL,
    DANTES_INFERNO,
    EMPTY,
    HELD,
    SLOTS,
    Record,
)
from sprawlsim.sprawlops.game.crew import may_move_gear
from sprawlsim.sprawlops.game.legal import ATTEMPT, EQUIP, JOIN, PASS, ROLL, SET_COMMLINK, USE_PERK, act
from sprawlsim.sprawlops.game.strategies.worth import (
    Mind,
    chance_of_scene,
    dice_of,
    empty_crew,
    mission_value,
    put_runner,
    refresh_notes,
)
from sprawlsim.sprawlops.game.trials import (
    is_on_team,
    may_join,
    perks_ready,
)
from sprawlsim.sprawlops.mission.arrays import COLOURS

OTHER_DICE = 0.3
"""What a die counts whose colour the Mission does not ask for: it may pair up or cancel."""


@kernel
def choose_mission(game: Record, mind: Mind) -> int:
    """Choose the Mission that promises most, or none."""
    player = np.int64(game.player)
    refresh_notes(game, mind, player)
    best = 0.0
    choice = PASS
    for k in range(game.n_missions[player]):
        value = mission_value(game, mind, player, np.int64(game.missions[player, k]))
        if value > best:
            best = value
            choice = act(ATTEMPT, k, 0, 0)
    return choice


@kernel
def icons_wanted(game: Record, cards: Record, colour: int) -> int:
    """Count the icons of a colour on the Mission at hand, all Stages together."""
    if game.trial == A_FINAL:
        return np.int64(cards.final_icons[game.mission, colour])
    return np.int64(cards.mission_icons[game.mission, colour])


@kernel
def use_of(game: Record, cards: Record, owner: int, slot: int) -> float:
    """Value a runner for the Mission at hand: dice that it asks for, and a little for the others."""
    use = 0.0
    for c in range(COLOURS):
        dice = np.int64(game.dice[owner, slot, c])
        use += dice if icons_wanted(game, cards, c) > 0 else OTHER_DICE * dice
    return use


@kernel
def next_to_send(game: Record, mind: Mind) -> int:
    """Choose whom to send next: the most useful who may; -1 where nobody else is worth it.

    Runners for hire must not cost more per die than the strategy pays.
    """
    cards = mind.cards
    player = np.int64(game.player)
    w = mind.own.weights[player]
    most = w.hire_final if game.trial == A_FINAL else w.hire_mission
    best = 0.0
    choice = np.int64(-1)
    for owner in range(game.players):
        for slot in range(SLOTS):
            if owner != player and (most <= 0.0 or game.place[owner, slot] != DANTES_INFERNO):
                continue
            if not may_join(game, owner, slot):
                continue
            if owner != player:
                if game.loan[owner, slot] > most * dice_of(game, owner, slot):
                    continue
            use = use_of(game, cards, owner, slot)
            if use > best:
                best = use
                choice = act(JOIN, owner, slot, 0)
    return choice


@kernel
def team_chance(game: Record, mind: Mind) -> float:
    """Estimate the chance that those chosen complete the Mission at hand."""
    if game.trial == A_FINAL:
        mind.pad.scene = mind.cards.finals[game.mission]
    else:
        mind.pad.scene = mind.cards.missions[game.mission]
    empty_crew(mind.pad.scene)
    for k in range(game.n_team):
        put_runner(game, mind.pad.scene, np.int64(game.team_of[k]), np.int64(game.team_slot[k]))
    return chance_of_scene(mind)


@kernel
def choose_runners(game: Record, mind: Mind) -> int:
    """Choose whom to send; then perks, Gear and Commlinks; then roll."""
    player = np.int64(game.player)
    w = mind.own.weights[player]
    enough = game.trial != A_FINAL and game.n_team > 0 and w.enough < 1.0
    if not (enough and team_chance(game, mind) >= w.enough):
        choice = next_to_send(game, mind)
        if choice >= 0:
            return choice
    if game.n_team == 0:
        return PASS
    if game.trial != A_FINAL:
        ready = perks_ready(game, player) & ~np.int64(game.perks)
        for role in range(COLOURS):
            if ready & (1 << role):
                return act(USE_PERK, role, 0, 0)
    choice = arrange(game, mind.cards)
    return choice if choice >= 0 else ROLL


@kernel
def arrange(game: Record, cards: Record) -> int:
    """Choose the next change of Gear or Commlink for those who go; -1 where all is well."""
    player = np.int64(game.player)
    for gear in range(cards.n_gear):
        if game.gear_of[gear] == player:
            at = np.int64(game.gear_on[gear])
            if at == HELD or not is_on_team(game, player, at):
                to = carrier(game, cards, player, gear, True)
                if to >= 0:
                    return act(EQUIP, gear, to, 0)
    for k in range(game.n_team):
        owner, slot = np.int64(game.team_of[k]), np.int64(game.team_slot[k])
        choice = set_commlink(game, cards, owner, slot)
        if choice >= 0:
            return choice
    return -1


@kernel
def carrier(game: Record, cards: Record, player: int, gear: int, on_team: bool) -> int:
    """Choose who carries a Gear card: of those who may, the one with fewest dice; -1: nobody."""
    choice = -1
    fewest = 1000
    for slot in range(SLOTS):
        if on_team and not is_on_team(game, player, slot):
            continue
        if may_move_gear(game, cards, player, gear, slot):
            dice = dice_of(game, player, slot)
            if dice < fewest:
                fewest, choice = dice, slot
    return choice


@kernel
def set_commlink(game: Record, cards: Record, owner: int, slot: int) -> int:
    """Choose a Commlink's colour for the Mission at hand: most icons asked for; -1: it is right."""
    if game.card[owner, slot] == EMPTY or game.commlink[owner, slot] == 0:
        return -1
    if game.set & (np.uint64(1) << np.uint64(owner * SLOTS + slot)):
        return -1
    best = np.int64(game.colour[owner, slot])
    for c in range(COLOURS):
        if game.dice[owner, slot, c] > 0:
            if icons_wanted(game, cards, c) > icons_wanted(game, cards, best):
                best = c
    return -1 if best == game.colour[owner, slot] else act(SET_COMMLINK, owner, slot, best)
