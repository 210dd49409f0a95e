"""Where a strategy places its runners: every location is valued for every runner, the best is taken.

Values are K nuyen. docs/strategies.md spells the formulas out.
"""

from __future__ import annotations

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
    SET_ASIDE,
    SLOTS,
    STARTERS,
    Record,
)
from sprawlsim.sprawlops.game.crew import FACE, half_price, is_face, may_buy_upgrade, upgrade_cost
from sprawlsim.sprawlops.game.decks import can_fill, cards_left
from sprawlsim.sprawlops.game.legal import LOOT_PRICE, MOVE, PLACE, REFILL_COST, act
from sprawlsim.sprawlops.game.places import (
    MAGE,
    MOST_LOAN,
    allows_mission,
    has_room,
    is_unplaced,
    may_place,
    placed_beside,
    welcomes,
)
from sprawlsim.sprawlops.game.strategies.weights import BOARD
from sprawlsim.sprawlops.game.strategies.worth import (
    Mind,
    cost_of_place,
    dice_of,
    final_chance,
    gear_worth,
    mission_value,
    refresh_notes,
    runner_worth,
    take_stock,
    task_chance,
    upgrade_worth,
)
from sprawlsim.sprawlops.game.trials import BODYGUARD_TASK, DATASTEAL_TASK, is_free
from sprawlsim.sprawlops.mission.arrays import COLOURS

(
    GEAR,
    GEAR_FOR_FACE,
    HIRE,
    HIRE_FOR_FACE,
    MISSION,
    STAKE,  # what the runners who can go are together worth on a Mission
    LOOT,
    ALL_DICE,  # of those who can go
    TOKEN,
    PERK,  # what is at stake where the Eye's perks for a Mission help
    FINAL,
) = range(BOARD)
"""What `fill_board` values."""

FACE_TOKENS = 1.5
"""What a Face's two DocWagon tokens are worth against one."""
TRY_FINAL = 1000.0
"""Value of reserving the Final Mission when the time has come: more than anything else."""
STAKE_IN_FINAL = 60.0
"""K that all runners together are worth on a Final Mission that is reserved."""
HURT_IN_TASK = 0.3
"""Share of failed Tasks after which the runner is injured."""
PLANNED = 0.5
"""What a Mission counts that could still be selected, against one selected."""
SHUNNED = -1000.0
"""Value of a location whose taste is 0."""
LEAST = 0.01
"""Value below which one location is as good as another."""


@kernel
def value_gear(game: Record, mind: Mind, w: Record, player: int) -> None:
    """Value the best deal at the Crime Mall, at the full price and at a Face's."""
    cards, board = mind.cards, mind.own.board
    full = 0.0
    half = 0.0
    for k in range(game.players):
        gear = np.int64(game.market[GEAR_DECK, k])
        if gear == EMPTY:
            continue
        worth = gear_worth(game, cards, player, gear, mind.own.worth)
        price = cards.gear_cost[gear]
        if price <= game.nuyen[player]:
            full = max(full, worth - mind.own.thrift * price)
        price = half_price(price)
        if price <= game.nuyen[player]:
            half = max(half, worth - mind.own.thrift * price)
    if can_fill(game, GEAR_DECK) and game.nuyen[player] >= 2 * REFILL_COST:
        refill = w.refill - mind.own.thrift * REFILL_COST
        full, half = max(full, refill), max(half, refill)
    board[GEAR], board[GEAR_FOR_FACE] = full, half


@kernel
def value_hires(game: Record, mind: Mind, w: Record, player: int) -> None:
    """Value the best runner to hire at Hannibelle's Host, at the full price and at a Face's."""
    cards, board = mind.cards, mind.own.board
    full = 0.0
    half = 0.0
    leaves = cost_of_place(game, cards, w, player, mind.own.worth)
    for k in range(game.players):
        card = np.int64(game.market[RUNNER_DECK, k])
        if card == EMPTY:
            continue
        worth = runner_worth(game, cards, w, player, card, mind.own.worth) - leaves
        price = cards.runner_cost[card]
        if price <= game.nuyen[player]:
            full = max(full, worth - mind.own.thrift * price)
        price = half_price(price)
        if price <= game.nuyen[player]:
            half = max(half, worth - mind.own.thrift * price)
    for k in range(STARTERS):
        if game.starter[player, k] == SET_ASIDE:
            card = player * STARTERS + k
            worth = runner_worth(game, cards, w, player, card, mind.own.worth) - leaves
            full, half = max(full, worth), max(half, worth)
    board[HIRE], board[HIRE_FOR_FACE] = full, half


@kernel
def best_upgrade(game: Record, mind: Mind, w: Record, player: int, slot: int) -> float:
    """Value the best Upgrade for a runner at Max's Ironworks."""
    best = 0.0
    for pile in range(3):
        if may_buy_upgrade(game, mind.cards, player, slot, pile):
            price = upgrade_cost(game, mind.cards, pile)
            gain = upgrade_worth(game, mind.cards, w, pile, mind.own.worth) - mind.own.thrift * price
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
    return final_chance(game, mind, player) >= enough


@kernel
def value_sale(game: Record, cards: Record, w: Record, player: int) -> float:
    """Value selling all Loot in hand."""
    sold = 0.0
    for loot in range(cards.n_loot):
        sold += game.loot[player, loot] * (LOOT_PRICE - w.loot)
    return sold


@kernel
def value_purchase(game: Record, mind: Mind, w: Record, player: int) -> float:
    """Value buying the top Loot card; nothing where there is none, or no money for it."""
    if cards_left(game, LOOT_DECK) == 0 or game.nuyen[player] < LOOT_PRICE:
        return 0.0
    return w.loot - mind.own.thrift * LOOT_PRICE


@kernel
def value_eye(game: Record, mind: Mind, w: Record, slot: int, role: int) -> float:
    """Value a perk of the Eye: the Mage's where there is somebody to move, others where a Mission is on."""
    if role == FACE:
        return w.eye[role]
    if role == MAGE:
        return w.eye[role] if placed_beside(game, np.int64(game.player), slot) else 0.0
    return w.eye[role] if mind.own.board[PERK] > 0.0 else 0.0


@kernel
def fill_board(game: Record, mind: Mind, w: Record, player: int) -> None:
    """Value what does not depend on the runner who is placed, into the mind's board."""
    board = mind.own.board
    take_stock(game, mind, w, player)
    refresh_notes(game, mind, player)
    value_gear(game, mind, w, player)
    value_hires(game, mind, w, player)
    final = has_reserved(game, player)
    held = held_mission(game, mind, player)
    open_for = game.n_missions[player] < w.missions_per_round
    found = w.mission * best_mission(game, mind, player) if open_for and not final else 0.0
    board[MISSION] = found / (1 + game.n_missions[player])
    board[STAKE] = STAKE_IN_FINAL if final else max(w.mission * held, PLANNED * found)
    sale = value_sale(game, mind.cards, w, player)
    board[LOOT] = max(0.0, sale, value_purchase(game, mind, w, player))
    total = 0
    for slot in range(SLOTS):
        if is_free(game, player, slot):
            total += dice_of(game, player, slot)
    board[ALL_DICE] = max(total, 1)
    danger = w.token_final if final else (w.token if held > 0.0 else 0.0)
    board[TOKEN] = danger / (1.0 + game.tokens[player])
    board[PERK] = 0.0 if final else board[STAKE]
    board[FINAL] = TRY_FINAL if not final and wants_final(game, mind, w, player) else 0.0


@kernel
def value_for_anybody(mind: Mind, w: Record, location: int, face: bool) -> float:
    """Value a location that asks nothing of the runner placed there but whether it is a Face."""
    board = mind.own.board
    if location == CRIME_MALL:
        return board[GEAR_FOR_FACE] if face else board[GEAR]
    if location == HANNIBELLES_HOST:
        return board[HIRE_FOR_FACE] if face else board[HIRE]
    if location == MR_JOHNSON:
        return board[MISSION] + (w.reroll if face and board[MISSION] > 0.0 else 0.0)
    if location == DEGEARS_LAIR:
        return board[LOOT]
    if location == DOCWAGON:
        return board[TOKEN] * (FACE_TOKENS if face else 1.0)
    return board[FINAL]


@kernel
def depends_on_runner(location: int) -> bool:
    """Say whether the location's value depends on the runner, beyond whether it is a Face."""
    return location == MAXS_IRONWORKS or not allows_mission(location)


@kernel
def value_for_runner(game: Record, mind: Mind, w: Record, slot: int, location: int) -> float:
    """Value placing this runner at a location that depends on it: an Upgrade, or what it earns and misses."""
    player = np.int64(game.player)
    if location == MAXS_IRONWORKS:
        return best_upgrade(game, mind, w, player, slot)
    board = mind.own.board
    loss = 0.0
    if game.condition[player, slot] == FIT:
        loss = board[STAKE] * dice_of(game, player, slot) / board[ALL_DICE]
    if location == DANTES_INFERNO:
        return min(MOST_LOAN, game.loan[player, slot]) - loss
    return value_task(game, mind, w, slot, location) - loss


@kernel
def value_task(game: Record, mind: Mind, w: Record, slot: int, location: int) -> float:
    """Value a Task: its reward, against an injury where it fails."""
    player = np.int64(game.player)
    if location == BODYGUARD_WORK:
        chance = task_chance(game, mind, player, slot, BODYGUARD_TASK)
        gain = chance * mind.cards.tasks[BODYGUARD_TASK].payout
    else:
        chance = task_chance(game, mind, player, slot, DATASTEAL_TASK)
        gain = chance * max(w.loot, mind.cards.datasteal_payout)
    return gain - (1.0 - chance) * HURT_IN_TASK * w.injury


@kernel
def is_to_be_put(game: Record, player: int, slot: int, kind: int) -> bool:
    """Say whether the runner is one of those to choose from: to place, or, on the board, to move.

    Nobody is moved who holds something that would be lost: the Final Mission reserved, a perk.
    """
    if kind == PLACE:
        return is_unplaced(game, player, slot)
    if slot == game.slot or game.card[player, slot] == EMPTY or is_unplaced(game, player, slot):
        return False
    at = game.place[player, slot]
    return at != FINAL_MISSION and at != EYE_OF_THE_NEEDLE


@kernel
def find_room(game: Record, player: int) -> int:
    """Collect the locations with room for the player, as a mask."""
    mask = 0
    for location in range(len(LOCATIONS)):
        if has_room(game, player, location):
            mask |= 1 << location
    return mask


@kernel
def tasted(value: float, taste: float) -> float:
    """Multiply a gain by the taste for its location; without any, only who must goes there."""
    if taste <= 0.0:
        return SHUNNED
    return value * taste if value > 0.0 else value


@kernel
def choose_place(game: Record, mind: Mind, kind: int) -> int:
    """Choose a runner, a location and, at the Eye, a perk: to place (`PLACE`) or to move (`MOVE`).

    -1: there is nothing to move that would gain something.
    """
    player = np.int64(game.player)
    w = mind.own.weights[player]
    fill_board(game, mind, w, player)
    best = LEAST if kind == MOVE else -1e300
    choice = np.int64(-1)
    room = find_room(game, player)
    for location in range(len(LOCATIONS)):
        for face in range(2):
            value = value_for_anybody(mind, w, location, face == 1)
            mind.own.for_anybody[face, location] = tasted(value, w.place[location])
    for slot in range(SLOTS):
        if not is_to_be_put(game, player, slot, kind):
            continue
        face = np.int64(is_face(game, mind.cards, player, slot))
        for location in range(len(LOCATIONS)):
            if not room & (1 << location) or location == game.place[player, slot]:
                continue
            if location == EYE_OF_THE_NEEDLE:
                for role in range(COLOURS):
                    value = tasted(value_eye(game, mind, w, slot, role), w.place[location])
                    if value > best and may_place(game, mind.cards, player, slot, location, role):
                        best, choice = value, act(kind, slot, location, role)
            elif welcomes(game, player, slot, location):
                value = mind.own.for_anybody[face, location]
                if depends_on_runner(location):
                    value = tasted(value_for_runner(game, mind, w, slot, location), w.place[location])
                if value > best:
                    best, choice = value, act(kind, slot, location, 0)
    return choice
