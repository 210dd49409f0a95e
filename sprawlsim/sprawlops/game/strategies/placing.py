"""Where a strategy places its runners: every location is valued for every runner, the best is taken.

Values are K nuyen. docs/strategies.md spells the formulas out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.game.arrays import (
    BODYGUARD_WORK,
    CRIME_MALL,
    DANTES_INFERNO,
    DEGEARS_LAIR,
    DOCWAGON,
    EMPTY,
    EYE_OF_THE_NEEDLE,
    FINAL_MISSION,
    FIT,
    GEAR_DECK,
    HANNIBELLES_HOST,
    LOCATIONS,
    LOOT_DECK,
    MAXS_IRONWORKS,
    MISSION_DECK,
    MR_JOHNSON,
    RUNNER_DECK,
    SLOTS,
    Record,
)
from sprawlsim.sprawlops.game.crew import FACE, is_face, loan_value, may_buy_upgrade, upgrade_cost
from sprawlsim.sprawlops.game.legal import LOOT_PRICE, MOVE, PLACE, REFILL_COST, act
from sprawlsim.sprawlops.game.places import MAGE, MOST_LOAN, is_unplaced, may_place, placed_beside
from sprawlsim.sprawlops.game.strategies.worth import (
    Mind,
    can_go,
    dice_of,
    gear_worth,
    hire_gain,
    mission_value,
    refresh_notes,
    task_chance,
    upgrade_worth,
    worth_of_dice,
)
from sprawlsim.sprawlops.game.trials import BODYGUARD_TASK, DATASTEAL_TASK
from sprawlsim.sprawlops.mission.arrays import COLOURS

TRY_FINAL = 1000.0
"""Value of reserving the Final Mission when the time has come: more than anything else."""
STAKE_IN_FINAL = 60.0
"""K that all runners together are worth on a Final Mission that is reserved."""
HURT_IN_TASK = 0.3
"""Share of failed Tasks after which the runner is injured."""
PLANNED = 0.5
"""What a Mission counts that could still be selected, against one selected."""
LEAST = 0.01
"""Value below which one location is as good as another."""


@kernel
def best_gear(game: Record, mind: Mind, w: Record, player: int, half: bool) -> float:
    """Value the best deal at the Crime Mall; `half`: for a Face."""
    cards = mind.cards
    best = 0.0
    gap = False
    for k in range(game.players):
        gear = np.int64(game.market[GEAR_DECK, k])
        if gear == EMPTY:
            gap = True
            continue
        price = (cards.gear_cost[gear] + 1) // 2 if half else cards.gear_cost[gear]
        if price <= game.nuyen[player]:
            gain = gear_worth(game, cards, player, gear, mind.own.worth) - w.thrift * price
            best = max(best, gain)
    if gap and game.nuyen[player] >= 2 * REFILL_COST:
        best = max(best, w.refill - w.thrift * REFILL_COST)
    return best


@kernel
def best_hire(game: Record, mind: Mind, w: Record, player: int, half: bool) -> float:
    """Value the best runner to hire at Hannibelle's Host."""
    cards = mind.cards
    best = 0.0
    for k in range(game.players):
        card = np.int64(game.market[RUNNER_DECK, k])
        if card == EMPTY:
            continue
        price = (cards.runner_cost[card] + 1) // 2 if half else cards.runner_cost[card]
        if price <= game.nuyen[player]:
            gain = hire_gain(game, cards, w, player, card, mind.own.worth) - w.thrift * price
            best = max(best, gain)
    for k in range(3):
        if game.starter[player, k] == 1:
            card = player * 3 + k
            best = max(best, hire_gain(game, cards, w, player, card, mind.own.worth))
    return best


@kernel
def best_upgrade(game: Record, mind: Mind, w: Record, player: int, slot: int) -> float:
    """Value the best Upgrade for a runner at Max's Ironworks."""
    best = 0.0
    for pile in range(3):
        if may_buy_upgrade(game, mind.cards, player, slot, pile):
            price = upgrade_cost(game, mind.cards, pile)
            gain = upgrade_worth(game, mind.cards, w, pile, mind.own.worth) - w.thrift * price
            best = max(best, gain)
    return best


@kernel
def best_mission(game: Record, mind: Mind, player: int) -> float:
    """Value the best face-up Mission for everybody who could go."""
    best = 0.0
    for k in range(game.players):
        if game.market[MISSION_DECK, k] != EMPTY:
            best = max(best, mission_value(game, mind, player, np.int64(game.market[MISSION_DECK, k])))
    return best


@kernel
def held_mission(game: Record, mind: Mind, player: int) -> float:
    """Value the best Mission selected already."""
    best = 0.0
    for k in range(game.n_missions[player]):
        best = max(best, mission_value(game, mind, player, np.int64(game.missions[player, k])))
    return best


@kernel
def has_reserved(game: Record, player: int) -> bool:
    """Say whether the player has reserved the Final Mission this round."""
    return game.there[player, FINAL_MISSION] > 0


@kernel
def wants_final(game: Record, mind: Mind, w: Record, player: int) -> bool:
    """Say whether the estimated chance of the Final Mission is enough for the strategy."""
    enough = w.final_chance - w.final_haste * (game.round_number - 1)
    rivals = game.n_reserved - (1 if has_reserved(game, player) else 0)
    if rivals > 0:
        enough *= w.final_rival
    return mind.own.notes[player].final >= enough


@kernel
def value_loot(game: Record, cards: Record, w: Record, player: int) -> float:
    """Value dealing at DeGear's Lair: what can be sold, or a card bought."""
    sold = 0.0
    for loot in range(cards.n_loot):
        sold += game.loot[player, loot] * (LOOT_PRICE - w.loot)
    bought = w.loot - w.thrift * LOOT_PRICE if game.nuyen[player] >= LOOT_PRICE else 0.0
    if game.n_draw[LOOT_DECK] + game.n_discard[LOOT_DECK] == 0:
        bought = 0.0
    return max(0.0, sold, bought)


@kernel
def value_eye(w: Record, role: int, mission: float, final: bool, beside: bool) -> float:
    """Value a perk of the Eye; those for a Mission only where there is one."""
    if role == FACE:
        return w.eye[role]
    if role == MAGE:
        return w.eye[role] if beside else 0.0
    return w.eye[role] if mission > 0.0 and not final else 0.0


@kernel
def fill_board(game: Record, mind: Mind, w: Record, player: int, board: Any) -> None:
    """Value for `board` what does not depend on the runner: see the columns in `choose_place`."""
    cards = mind.cards
    worth_of_dice(game, cards, w, player, mind.own.worth)
    refresh_notes(game, mind, player)
    board[0] = best_gear(game, mind, w, player, False)
    board[1] = best_gear(game, mind, w, player, True)
    board[2] = best_hire(game, mind, w, player, False)
    board[3] = best_hire(game, mind, w, player, True)
    final = has_reserved(game, player)
    held = held_mission(game, mind, player)
    open_for = game.n_missions[player] < w.missions_per_round
    found = w.mission * best_mission(game, mind, player) if open_for and not final else 0.0
    board[4] = found / (1 + game.n_missions[player])
    board[5] = max(w.mission * held, PLANNED * found)
    board[6] = value_loot(game, cards, w, player)
    total = 0
    for slot in range(SLOTS):
        if can_go(game, player, slot):
            total += dice_of(game, player, slot)
    board[7] = max(total, 1)
    danger = w.token_final if final else (w.token if held > 0.0 else 0.0)
    board[8] = danger / (1.0 + game.tokens[player])


@kernel
def value_place(game: Record, mind: Mind, w: Record, slot: int, location: int, board: Any) -> float:
    """Value placing a runner at a location, its taste not counted, the Eye's perk not chosen yet."""
    cards = mind.cards
    player = np.int64(game.player)
    face = is_face(game, cards, player, slot)
    if location == CRIME_MALL:
        return board[1] if face else board[0]
    if location == HANNIBELLES_HOST:
        return board[3] if face else board[2]
    if location == MR_JOHNSON:
        return board[4] + (w.reroll if face and board[4] > 0.0 else 0.0)
    if location == MAXS_IRONWORKS:
        return best_upgrade(game, mind, w, player, slot)
    if location == DEGEARS_LAIR:
        return board[6]
    if location == DOCWAGON:
        return board[8] * (1.5 if face else 1.0)
    if location == FINAL_MISSION:
        return TRY_FINAL if wants_final(game, mind, w, player) else 0.0
    fit = game.condition[player, slot] == FIT
    loss = 0.0
    if fit:
        stake = STAKE_IN_FINAL if has_reserved(game, player) else board[5]
        loss = stake * dice_of(game, player, slot) / board[7]
    if location == DANTES_INFERNO:
        return min(MOST_LOAN, loan_value(game, cards, player, slot)) - loss
    if location == BODYGUARD_WORK:
        chance = task_chance(game, mind, player, slot, BODYGUARD_TASK)
        gain = chance * mind.cards.tasks[BODYGUARD_TASK].payout
    else:
        chance = task_chance(game, mind, player, slot, DATASTEAL_TASK)
        gain = chance * max(w.loot, cards.datasteal_payout)
    return gain - (1.0 - chance) * HURT_IN_TASK * w.injury - loss


@kernel
def choose_place(game: Record, mind: Mind, kind: int) -> int:
    """Choose a runner, a location and, at the Eye, a perk: to place (`PLACE`) or to move (`MOVE`).

    -1: there is nothing to move that would gain something.
    """
    player = np.int64(game.player)
    w = mind.own.weights[player]
    board = mind.own.board
    fill_board(game, mind, w, player, board)
    best = LEAST if kind == MOVE else -1e300
    choice = np.int64(-1)
    for slot in range(SLOTS):
        if kind == PLACE:
            if not is_unplaced(game, player, slot):
                continue
        elif slot == game.slot or game.card[player, slot] == EMPTY or is_unplaced(game, player, slot):
            continue
        for location in range(len(LOCATIONS)):
            if location == game.place[player, slot]:
                continue
            if location == EYE_OF_THE_NEEDLE:
                beside = placed_beside(game, player, slot)
                for role in range(COLOURS):
                    value = value_eye(w, role, board[5], has_reserved(game, player), beside)
                    value *= w.place[location]
                    if value > best and may_place(game, mind.cards, player, slot, location, role):
                        best = value
                        choice = act(kind, slot, location, role)
                continue
            value = value_place(game, mind, w, slot, location, board)
            value *= w.place[location] if value > 0.0 else 1.0
            if value > best and may_place(game, mind.cards, player, slot, location, 0):
                best = value
                choice = act(kind, slot, location, 0)
    return choice
