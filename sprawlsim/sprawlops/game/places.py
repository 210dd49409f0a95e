"""Who may be placed where, and what a location does when a runner comes (Appendix A)."""

from __future__ import annotations

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.game.arrays import (
    AT_DOCWAGON,
    AT_FENCE,
    AT_HOME,
    AT_MALL,
    BEFORE_TASK,
    BODYGUARD_WORK,
    CRIME_MALL,
    DANTES_INFERNO,
    DATASTEAL,
    DEGEARS_LAIR,
    DOCWAGON,
    EMPTY,
    EYE_OF_THE_NEEDLE,
    FINAL_MISSION,
    FIT,
    HANNIBELLES_HOST,
    HIRING,
    MAXS_IRONWORKS,
    MISSION_DECK,
    MOVING,
    MR_JOHNSON,
    NOBODY,
    PLACING,
    SELECTING,
    SLOTS,
    UPGRADING,
    Record,
)
from sprawlsim.sprawlops.game.crew import has_role, is_face, leave_location
from sprawlsim.sprawlops.game.decks import face_up

MAGE = 2
TOKEN_COST = 4
"""K nuyen for an additional DocWagon token."""
MOST_LOAN = 4
"""Most K nuyen that Dante's Inferno pays for a runner's services."""


@kernel
def is_task(location: int) -> bool:
    """Say whether the location is a Task."""
    return location == BODYGUARD_WORK or location == DATASTEAL


@kernel
def allows_mission(location: int) -> bool:
    """Say whether a runner placed there can still run a Mission this round ("Run Mission This Round")."""
    return not is_task(location) and location != DANTES_INFERNO


@kernel
def has_room(game: Record, player: int, location: int) -> bool:
    """Check the location's runner limit; 'players minus one' is at least one (G5)."""
    if is_task(location) or location == FINAL_MISSION:
        return game.there[player, location] == 0
    if location == DEGEARS_LAIR:
        limit = 1
    elif location == EYE_OF_THE_NEEDLE or location == MAXS_IRONWORKS:
        limit = max(1, game.players - 1)
    elif location == HANNIBELLES_HOST:
        limit = np.int64(game.players)
    else:
        return True
    present = 0
    for p in range(game.players):
        present += game.there[p, location]
    return present < limit


@kernel
def welcomes(game: Record, player: int, slot: int, location: int) -> bool:
    """Say whether the location takes the runner as it is: Tasks and the Final Mission only fit ones (G6)."""
    if is_task(location) or location == FINAL_MISSION:
        return game.condition[player, slot] == FIT
    return True


@kernel
def may_place(game: Record, cards: Record, player: int, slot: int, location: int, perk: int) -> bool:
    """Say whether the runner may be placed at the location; at the Eye, on the space of role `perk`."""
    if not has_room(game, player, location) or not welcomes(game, player, slot, location):
        return False
    if location == EYE_OF_THE_NEEDLE:
        return game.eye & (1 << perk) == 0 and has_role(game, cards, player, slot, perk)
    return True


@kernel
def is_unplaced(game: Record, player: int, slot: int) -> bool:
    """Say whether the slot holds a runner whose pawn is not placed yet."""
    return game.card[player, slot] != EMPTY and game.place[player, slot] == AT_HOME


@kernel
def put_down(game: Record, player: int, slot: int, location: int, perk: int) -> None:
    """Put a pawn on the gameboard."""
    game.place[player, slot] = location
    game.there[player, location] += 1
    game.perk[player, slot] = NOBODY
    if location == EYE_OF_THE_NEEDLE:
        game.perk[player, slot] = perk
        game.eye |= 1 << perk
        game.perks_held[player] |= 1 << perk
    elif location == FINAL_MISSION:
        game.reserved[game.n_reserved] = player
        game.n_reserved += 1


@kernel
def lift(game: Record, player: int, slot: int) -> None:
    """Take a pawn up to move it: it no longer reserves, covers or bars anything where it stood (G16)."""
    if game.place[player, slot] == FINAL_MISSION:
        kept = 0
        for k in range(game.n_reserved):
            if game.reserved[k] != player:
                game.reserved[kept] = game.reserved[k]
                kept += 1
        game.n_reserved = kept
    elif game.place[player, slot] == EYE_OF_THE_NEEDLE:
        game.perks_held[player] &= ~(1 << np.int64(game.perk[player, slot]))
    leave_location(game, player, slot)


@kernel
def arrive(game: Record, cards: Record, player: int, slot: int) -> bool:
    """Do what the location does at once; say whether the player has something to decide there."""
    location = np.int64(game.place[player, slot])
    game.slot = slot
    game.busy = 0
    if location == CRIME_MALL:
        game.step = AT_MALL
    elif location == DEGEARS_LAIR:
        game.step = AT_FENCE
    elif location == MAXS_IRONWORKS:
        game.step = UPGRADING
    elif is_task(location):
        game.step = BEFORE_TASK
    elif location == DANTES_INFERNO:
        game.own_token[player, slot] = 1
        game.nuyen[player] += min(MOST_LOAN, game.loan[player, slot])
        return False
    elif location == DOCWAGON:
        game.tokens[player] += 2 if is_face(game, cards, player, slot) else 1
        game.step = AT_DOCWAGON
        return game.nuyen[player] >= TOKEN_COST
    elif location == HANNIBELLES_HOST:
        game.step = HIRING
    elif location == MR_JOHNSON:
        game.step = SELECTING
        return face_up(game, MISSION_DECK) > 0
    elif location == EYE_OF_THE_NEEDLE:
        game.step = MOVING
        return game.perk[player, slot] == MAGE and placed_beside(game, player, slot)
    else:
        return False
    return True


@kernel
def placed_beside(game: Record, player: int, slot: int) -> bool:
    """Say whether another of the player's runners is on the gameboard."""
    for s in range(SLOTS):
        if s != slot and game.card[player, s] != EMPTY and game.place[player, s] != AT_HOME:
            return True
    return False


@kernel
def end_turn(game: Record) -> bool:
    """Let the next player place a runner; say whether anybody still has one to place (G4)."""
    for k in range(1, game.players + 1):
        player = (game.player + k) % game.players
        for slot in range(SLOTS):
            if is_unplaced(game, player, slot):
                game.player = player
                game.step = PLACING
                return True
    return False
