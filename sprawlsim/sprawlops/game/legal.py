"""The decisions of a game: which actions the rules allow now.

An action is one number: its kind in the low eight bits, then up to three arguments of eight bits.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.game.arrays import (
    A_MISSION,
    AT_DOCWAGON,
    AT_FENCE,
    AT_MALL,
    BEFORE_TASK,
    CHOOSING_MISSION,
    CHOOSING_RUNNERS,
    DISCARDING,
    EMPTY,
    EYE_OF_THE_NEEDLE,
    GEAR_DECK,
    HEALING,
    HELD,
    HIRING,
    KEEPING,
    LOCATIONS,
    LOOT_DECK,
    MISSION_DECK,
    MOVING,
    OFFERED,
    OVER,
    PLACING,
    RUNNER_DECK,
    SELECTING,
    SET_ASIDE,
    SLOTS,
    STARTERS,
    STOLEN,
    Record,
)
from sprawlsim.sprawlops.game.crew import gear_price, hire_price, is_face, may_buy_upgrade, may_move_gear
from sprawlsim.sprawlops.game.decks import can_fill, cards_left
from sprawlsim.sprawlops.game.places import TOKEN_COST, is_unplaced, may_place
from sprawlsim.sprawlops.game.trials import may_heal, may_join, perks_ready
from sprawlsim.sprawlops.mission.arrays import COLOURS

MOST_ACTIONS = 1024
"""Room for the actions of one decision."""

REFILL_COST = 4
"""K nuyen for refilling the empty slots of the Gear Market ("Crime Mall")."""
LOOT_PRICE = 5
"""K nuyen for which DeGear's Lair buys or sells a Loot card."""

(
    PASS,  # nothing, or nothing more; in `CHOOSING_RUNNERS` give the attempt up
    PLACE,  # slot, location, role of the Eye's space
    EQUIP,  # Gear, slot or `HELD`
    SET_COMMLINK,  # owner, slot, colour
    REFILL,
    BUY_GEAR,  # market slot
    SELL_LOOT,  # Loot card
    SEE_LOOT,  # draw the top Loot card to look at it
    BUY_DISCARDED,  # Gear
    TAKE_LOOT,  # place in the offer: buy it at the fence, keep it after Datasteal
    BUY_TOKEN,
    TAKE_NUYEN,  # Datasteal
    DRAW_LOOT,  # Datasteal
    ROLL,  # begin the Task, the Mission, the Final Mission
    MOVE,  # slot, location, role of the Eye's space
    HIRE,  # market slot
    HIRE_STARTER,  # number within the player's set
    SELECT,  # market slot
    BUY_UPGRADE,  # pile
    ATTEMPT,  # place in the hand
    JOIN,  # owner, slot
    USE_PERK,  # role
    HEAL,  # slot
    DISCARD,  # slot
) = (np.int64(kind) for kind in range(24))
"""Kinds of actions; one without arguments is the whole action. They are numpy's integers, because numba would
compile `act` anew for each plain one."""
KINDS = (
    "PASS",
    "PLACE",
    "EQUIP",
    "SET_COMMLINK",
    "REFILL",
    "BUY_GEAR",
    "SELL_LOOT",
    "SEE_LOOT",
    "BUY_DISCARDED",
    "TAKE_LOOT",
    "BUY_TOKEN",
    "TAKE_NUYEN",
    "DRAW_LOOT",
    "ROLL",
    "MOVE",
    "HIRE",
    "HIRE_STARTER",
    "SELECT",
    "BUY_UPGRADE",
    "ATTEMPT",
    "JOIN",
    "USE_PERK",
    "HEAL",
    "DISCARD",
)

Actions = npt.NDArray[np.int64]


@kernel
def act(kind: int, a: int, b: int, c: int) -> int:
    """Write an action as one number: its kind and three arguments, 0 where it has fewer."""
    return np.int64(kind) + (np.int64(a) << 8) + (np.int64(b) << 16) + (np.int64(c) << 24)


@kernel
def kind_of_action(action: int) -> int:
    """Read the kind of an action."""
    return action & 255


@kernel
def argument(action: int, which: int) -> int:
    """Read argument 0, 1 or 2 of an action."""
    return (action >> (8 * which + 8)) & 255


@kernel
def add(out: Actions, n: int, action: int) -> int:
    """Write an action into the list of `n`, as far as there is room; give the new length."""
    if n < out.size:
        out[n] = action
        return n + 1
    return n


@kernel
def legal_actions(game: Record, cards: Record, out: Actions) -> int:
    """List what ``game.player`` may do now; give the number of actions, 0 when the game is over."""
    step = game.step
    n = 0
    if step == PLACING:
        n = list_placings(game, cards, out)
        return list_arrangements(game, cards, out, n)
    if step == MOVING:
        n = list_moves(game, cards, out)
    elif step == AT_MALL:
        n = list_gear(game, cards, out)
    elif step == AT_FENCE:
        n = list_fence(game, cards, out)
    elif step == HIRING:
        n = list_hires(game, cards, out)
    elif step == CHOOSING_MISSION or step == CHOOSING_RUNNERS:
        n = list_attempts(game, cards, out)
        n = list_arrangements(game, cards, out, n)
    elif step == BEFORE_TASK:
        n = add(out, n, ROLL)
        return list_arrangements(game, cards, out, n)
    elif step == DISCARDING:
        for slot in range(SLOTS):
            n = add(out, n, act(DISCARD, slot, 0, 0))
        return n
    elif step == OVER:
        return 0
    else:
        n = list_small_choices(game, cards, out)
        if step == STOLEN or step == KEEPING:
            return n
    return add(out, n, PASS)


@kernel
def list_placings(game: Record, cards: Record, out: Actions) -> int:
    """List the placings of the player's runners (Place Runners phase)."""
    n = 0
    player = np.int64(game.player)
    for slot in range(SLOTS):
        if is_unplaced(game, player, slot):
            n = list_locations(game, cards, out, n, act(PLACE, slot, 0, 0))
    return n


@kernel
def list_moves(game: Record, cards: Record, out: Actions) -> int:
    """List the moves of another runner on the gameboard to another location (the Eye's Mage perk)."""
    n = 0
    player = np.int64(game.player)
    for slot in range(SLOTS):
        if slot != game.slot and game.card[player, slot] != EMPTY and not is_unplaced(game, player, slot):
            n = list_locations(game, cards, out, n, act(MOVE, slot, 0, 0))
    return n


@kernel
def list_locations(game: Record, cards: Record, out: Actions, n: int, action: int) -> int:
    """List where a runner may be put down, other than where it is."""
    player = np.int64(game.player)
    slot = argument(action, 0)
    for location in range(len(LOCATIONS)):
        if location == game.place[player, slot]:
            continue
        for perk in range(COLOURS if location == EYE_OF_THE_NEEDLE else 1):
            if may_place(game, cards, player, slot, location, perk):
                n = add(out, n, action + (np.int64(location) << 16) + (np.int64(perk) << 24))
    return n


@kernel
def list_arrangements(game: Record, cards: Record, out: Actions, n: int) -> int:
    """List the changes of Gear and of Commlink colours, which are free between other actions."""
    player = np.int64(game.player)
    for gear in range(cards.n_gear):
        if game.gear_of[gear] == player:
            for to in range(HELD + 1):
                if may_move_gear(game, cards, player, gear, to):
                    n = add(out, n, act(EQUIP, gear, to, 0))
    for slot in range(SLOTS):
        n = list_commlink(game, out, n, player, slot)
    if game.step == CHOOSING_RUNNERS:
        for k in range(game.n_team):
            if game.team_of[k] != player:
                n = list_commlink(game, out, n, np.int64(game.team_of[k]), np.int64(game.team_slot[k]))
    return n


@kernel
def list_commlink(game: Record, out: Actions, n: int, owner: int, slot: int) -> int:
    """List the other colours that a runner's Commlink could have ("Max's Ironworks")."""
    if game.card[owner, slot] != EMPTY and game.commlink[owner, slot] != 0:
        if not game.set & (np.uint64(1) << np.uint64(owner * SLOTS + slot)):
            for colour in range(COLOURS):
                if game.dice[owner, slot, colour] > 0 and colour != game.colour[owner, slot]:
                    n = add(out, n, act(SET_COMMLINK, owner, slot, colour))
    return n


@kernel
def list_gear(game: Record, cards: Record, out: Actions) -> int:
    """List what can be bought at the Crime Mall, and the refill before it."""
    n = 0
    player = np.int64(game.player)
    for slot in range(game.players):
        gear = np.int64(game.market[GEAR_DECK, slot])
        if gear != EMPTY and gear_price(game, cards, gear) <= game.nuyen[player]:
            n = add(out, n, act(BUY_GEAR, slot, 0, 0))
    if can_fill(game, GEAR_DECK) and game.busy == 0 and game.nuyen[player] >= REFILL_COST:
        n = add(out, n, REFILL)
    return n


@kernel
def list_fence(game: Record, cards: Record, out: Actions) -> int:
    """List the dealings at DeGear's Lair: sell, or see a Loot card to buy, or, a Face, old Gear (G14)."""
    n = 0
    player = np.int64(game.player)
    for loot in range(cards.n_loot):
        if game.loot[player, loot] > 0:
            n = add(out, n, act(SELL_LOOT, loot, 0, 0))
    if game.busy != 0:
        return n
    if cards_left(game, LOOT_DECK) > 0:
        n = add(out, n, SEE_LOOT)
    if is_face(game, cards, player, np.int64(game.slot)):
        for k in range(game.n_discard[GEAR_DECK]):
            gear = np.int64(game.discard[GEAR_DECK, k])
            if cards.gear_cost[gear] <= game.nuyen[player]:
                n = add(out, n, act(BUY_DISCARDED, gear, 0, 0))
    return n


@kernel
def list_hires(game: Record, cards: Record, out: Actions) -> int:
    """List who can be hired at Hannibelle's Host: face-up runners, and one's own starting runners (G15)."""
    n = 0
    player = np.int64(game.player)
    for slot in range(game.players):
        card = np.int64(game.market[RUNNER_DECK, slot])
        if card == EMPTY:
            continue
        if hire_price(game, cards, card) <= game.nuyen[player]:
            n = add(out, n, act(HIRE, slot, 0, 0))
    for k in range(STARTERS):
        if game.starter[player, k] == SET_ASIDE:
            n = add(out, n, act(HIRE_STARTER, k, 0, 0))
    return n


@kernel
def list_attempts(game: Record, cards: Record, out: Actions) -> int:
    """List the Missions that can be attempted, or who can be sent on the one chosen."""
    n = 0
    player = np.int64(game.player)
    if game.step == CHOOSING_MISSION:
        for k in range(game.n_missions[player]):
            n = add(out, n, act(ATTEMPT, k, 0, 0))
        return n
    for owner in range(game.players):
        for slot in range(SLOTS):
            if may_join(game, owner, slot):
                n = add(out, n, act(JOIN, owner, slot, 0))
    if game.n_team > 0:
        n = add(out, n, ROLL)
    if game.trial == A_MISSION:
        ready = perks_ready(game, player) & ~np.int64(game.perks)
        for role in range(COLOURS):
            if ready & (1 << role):
                n = add(out, n, act(USE_PERK, role, 0, 0))
    return n


@kernel
def list_small_choices(game: Record, cards: Record, out: Actions) -> int:
    """List the choices of the steps that have few."""
    n = 0
    player = np.int64(game.player)
    step = game.step
    if step == OFFERED:
        if game.nuyen[player] >= LOOT_PRICE:
            n = add(out, n, TAKE_LOOT)
    elif step == AT_DOCWAGON:
        if game.nuyen[player] >= TOKEN_COST:
            n = add(out, n, BUY_TOKEN)
    elif step == STOLEN:
        n = add(out, n, TAKE_NUYEN)
        if cards.loot_draw > 0 and cards_left(game, LOOT_DECK) > 0:
            n = add(out, n, DRAW_LOOT)
    elif step == KEEPING:
        for k in range(game.n_offer):
            n = add(out, n, act(TAKE_LOOT, k, 0, 0))
    elif step == SELECTING:
        for slot in range(game.players):
            if game.market[MISSION_DECK, slot] != EMPTY:
                n = add(out, n, act(SELECT, slot, 0, 0))
    elif step == HEALING:
        for slot in range(SLOTS):
            if may_heal(game, player, slot):
                n = add(out, n, act(HEAL, slot, 0, 0))
    else:  # UPGRADING
        for pile in range(3):
            if may_buy_upgrade(game, cards, player, np.int64(game.slot), pile):
                n = add(out, n, act(BUY_UPGRADE, pile, 0, 0))
    return n
