"""A player's runners and their equipment: Gear, Upgrades, loan values, coming and going."""

from __future__ import annotations

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.game.arrays import (
    AT_HOME,
    COMMLINK,
    DANTES_INFERNO,
    EMPTY,
    FIT,
    HELD,
    NOBODY,
    ON_BOARD,
    PLATING,
    RUNNER_DECK,
    SET_ASIDE,
    SLOTS,
    STARTERS,
    Record,
)
from sprawlsim.sprawlops.game.decks import discard_card
from sprawlsim.sprawlops.mission.arrays import COLOURS

FACE = COLOURS - 1


@kernel
def has_role(game: Record, cards: Record, player: int, slot: int, role: int) -> bool:
    """Say whether the runner's own card shows the role icon; dice of Gear and Upgrades do not count."""
    return cards.runner_roles[game.card[player, slot]] & (1 << role) != 0


@kernel
def is_face(game: Record, cards: Record, player: int, slot: int) -> bool:
    """Say whether the runner is a Face, and gets the Face bonus of a location."""
    return has_role(game, cards, player, slot, FACE)


@kernel
def half_price(cost: int) -> int:
    """Halve a price for a Face, rounded up to the next 1K (G12)."""
    return (cost + 1) // 2


@kernel
def price_for(game: Record, cards: Record, player: int, slot: int, cost: int) -> int:
    """Give the price that this runner pays for Gear, or for hiring: a Face pays half."""
    return half_price(cost) if is_face(game, cards, player, slot) else cost


@kernel
def gear_price(game: Record, cards: Record, gear: int) -> int:
    """Give what the runner who acts pays for Gear at the Crime Mall."""
    cost = np.int64(cards.gear_cost[gear])
    return price_for(game, cards, np.int64(game.player), np.int64(game.slot), cost)


@kernel
def hire_price(game: Record, cards: Record, card: int) -> int:
    """Give what the runner who acts pays for a runner at Hannibelle's Host."""
    cost = np.int64(cards.runner_cost[card])
    return price_for(game, cards, np.int64(game.player), np.int64(game.slot), cost)


@kernel
def can_equip(game: Record, cards: Record, player: int, slot: int, gear: int) -> bool:
    """Say whether the runner's role icons meet the Gear's requirement ("Gear Card")."""
    runner = game.card[player, slot]
    return runner != EMPTY and cards.runner_roles[runner] & cards.gear_roles[gear] != 0


@kernel
def may_move_gear(game: Record, cards: Record, player: int, gear: int, to: int) -> bool:
    """Say whether a player may put Gear from where it is to another runner, or into the hand.

    Gear of a runner in Dante's Inferno stays as it is. Between two other actions each card is moved at most
    once, which leaves every arrangement within reach and no way to go on for ever.
    """
    at = game.gear_on[gear]
    if game.gear_of[gear] != player or at == to or game.moved & (np.uint64(1) << np.uint64(gear)):
        return False
    if at != HELD and game.place[player, at] == DANTES_INFERNO:
        return False
    if to == HELD:
        return True
    return can_equip(game, cards, player, to, gear) and game.place[player, to] != DANTES_INFERNO


@kernel
def reckon(game: Record, cards: Record, player: int, slot: int) -> None:
    """Add up what card, Gear and Upgrades of a runner come to: its dice and its loan value.

    The Commlink's die is not among the dice; its colour stays one of theirs. The loan value is the sum of the
    gray nuyen icons ("Dante's Inferno").
    """
    runner = game.card[player, slot]
    for c in range(COLOURS):
        game.dice[player, slot, c] = 0 if runner == EMPTY else cards.runner_dice[runner, c]
    game.loan[player, slot] = 0
    if runner == EMPTY:
        game.colour[player, slot] = 0
        return
    loan = cards.runner_loan[runner]
    loan += game.plating[player, slot] * cards.pile_loan[PLATING]
    loan += game.commlink[player, slot] * cards.pile_loan[COMMLINK]
    if game.upgrade[player, slot] != EMPTY:
        game.dice[player, slot, cards.unique_colour[game.upgrade[player, slot]]] += 1
        loan += cards.unique_loan[game.upgrade[player, slot]]
    for gear in range(cards.n_gear):
        if game.gear_of[gear] == player and game.gear_on[gear] == slot:
            loan += cards.gear_loan[gear]
            for c in range(COLOURS):
                game.dice[player, slot, c] += cards.gear_dice[gear, c]
    game.loan[player, slot] = loan
    if game.commlink[player, slot] == 0:
        game.colour[player, slot] = 0
    elif game.dice[player, slot, game.colour[player, slot]] == 0:
        game.colour[player, slot] = first_colour(game, player, slot)


@kernel
def first_colour(game: Record, player: int, slot: int) -> int:
    """Give the first colour of which the runner has dice."""
    for c in range(COLOURS):
        if game.dice[player, slot, c] > 0:
            return c
    return 0


@kernel
def move_gear(game: Record, cards: Record, player: int, gear: int, to: int) -> None:
    """Equip a runner with Gear, or take it into the hand (`HELD`)."""
    at = np.int64(game.gear_on[gear])
    game.gear_on[gear] = to
    game.moved |= np.uint64(1) << np.uint64(gear)
    if at != HELD:
        reckon(game, cards, player, at)
    if to != HELD:
        reckon(game, cards, player, to)


@kernel
def gain_gear(game: Record, player: int, gear: int) -> None:
    """Take a Gear card into the hand; it can be equipped later ("Crime Mall")."""
    game.gear_of[gear] = player
    game.gear_on[gear] = HELD


@kernel
def free_slot(game: Record, player: int) -> int:
    """Give the first slot of the Runner board without a runner; `EMPTY` where all four have one."""
    for slot in range(SLOTS):
        if game.card[player, slot] == EMPTY:
            return slot
    return EMPTY


@kernel
def seat_runner(game: Record, cards: Record, player: int, slot: int, card: int) -> None:
    """Place a runner card on the Runner board, fit and with no equipment."""
    game.card[player, slot] = card
    game.condition[player, slot] = FIT
    game.place[player, slot] = AT_HOME
    game.upgrade[player, slot] = EMPTY
    if card < cards.n_starters:
        game.starter[player, card % STARTERS] = ON_BOARD
    reckon(game, cards, player, slot)


@kernel
def remove_runner(game: Record, cards: Record, player: int, slot: int) -> None:
    """Take a dead or discarded runner off the board (M17, G9).

    Its Upgrades go back to their piles, its Gear into the player's hand; a starting runner under the edge of
    the Runner board, another to the discards.
    """
    card = np.int64(game.card[player, slot])
    game.pile[PLATING] += game.plating[player, slot]
    game.pile[COMMLINK] += game.commlink[player, slot]
    if game.upgrade[player, slot] != EMPTY:
        game.unique[game.n_unique] = game.upgrade[player, slot]
        game.n_unique += 1
    for gear in range(cards.n_gear):
        if game.gear_of[gear] == player and game.gear_on[gear] == slot:
            game.gear_on[gear] = HELD
    if card < cards.n_starters:
        game.starter[player, card % STARTERS] = SET_ASIDE
    else:
        discard_card(game, RUNNER_DECK, card)
    leave_location(game, player, slot)
    game.card[player, slot] = EMPTY
    game.condition[player, slot] = FIT
    game.plating[player, slot] = 0
    game.dented[player, slot] = 0
    game.commlink[player, slot] = 0
    game.upgrade[player, slot] = EMPTY
    game.own_token[player, slot] = 0
    game.heal[player, slot] = 0
    game.ran[player, slot] = 0
    reckon(game, cards, player, slot)


@kernel
def leave_location(game: Record, player: int, slot: int) -> None:
    """Take a pawn off the gameboard."""
    place = np.int64(game.place[player, slot])
    if place == AT_HOME:
        return
    game.there[player, place] -= 1
    game.place[player, slot] = AT_HOME
    if game.perk[player, slot] != NOBODY:
        game.eye &= ~(1 << np.int64(game.perk[player, slot]))
        game.perk[player, slot] = NOBODY


@kernel
def buy_upgrade(game: Record, cards: Record, player: int, slot: int, pile: int) -> None:
    """Give a runner the top card of a pile of Upgrades and pay for it ("Max's Ironworks", G1)."""
    game.nuyen[player] -= upgrade_cost(game, cards, pile)
    if pile == PLATING:
        game.pile[PLATING] -= 1
        game.plating[player, slot] = 1
    elif pile == COMMLINK:
        game.pile[COMMLINK] -= 1
        game.commlink[player, slot] = 1
        game.colour[player, slot] = first_colour(game, player, slot)
    else:
        game.upgrade[player, slot] = game.unique[0]
        game.n_unique -= 1
        for k in range(game.n_unique):
            game.unique[k] = game.unique[k + 1]
    reckon(game, cards, player, slot)


@kernel
def upgrade_cost(game: Record, cards: Record, pile: int) -> int:
    """Give the price of the top card of a pile."""
    if pile == PLATING or pile == COMMLINK:
        return np.int64(cards.pile_cost[pile])
    return np.int64(cards.unique_cost[game.unique[0]])


@kernel
def may_buy_upgrade(game: Record, cards: Record, player: int, slot: int, pile: int) -> bool:
    """Say whether a runner may get a pile's top card: there is one, no other of its kind, and it is paid."""
    if pile == PLATING:
        open_for = game.pile[PLATING] > 0 and game.plating[player, slot] == 0
    elif pile == COMMLINK:
        open_for = game.pile[COMMLINK] > 0 and game.commlink[player, slot] == 0
    else:
        open_for = game.n_unique > 0 and game.upgrade[player, slot] == EMPTY
    return open_for and game.nuyen[player] >= upgrade_cost(game, cards, pile)
