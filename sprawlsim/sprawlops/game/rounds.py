"""Setup and the four phases of a round: whose decision comes next ("Setup", "How to Play the Game")."""

from __future__ import annotations

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.rng import word
from sprawlsim.sprawlops.game.arrays import (
    A_FINAL,
    AT_HOME,
    ATTEMPT_FINAL,
    CHOOSING_MISSION,
    CHOOSING_RUNNERS,
    COMMLINK,
    DISCARDING,
    EMPTY,
    FIT,
    GAME_OVER,
    GEAR_DECK,
    HEALING,
    HELD,
    HURT,
    LOOT_DECK,
    MARKETS,
    MAX_PLAYERS,
    MISSION_DECK,
    NO_TRIAL,
    NOBODY,
    ON_BOARD,
    OVER,
    PLACE_RUNNERS,
    PLACING,
    PLATING,
    RECOVERING,
    RUN_MISSIONS,
    RUNNER_DECK,
    SET_ASIDE,
    SLOTS,
    STARTERS,
    UPKEEP,
    Record,
)
from sprawlsim.sprawlops.game.crew import FACE, free_slot, seat_runner
from sprawlsim.sprawlops.game.decks import PICKING, add_card, discard_card, fill_market, pick, renew_market
from sprawlsim.sprawlops.game.places import end_turn
from sprawlsim.sprawlops.game.trials import begin_choosing, could_run, may_heal

STARTING_NUYEN = 20
"""K nuyen of each player at the start ("Setup")."""
CHOICES_OF_SETUP = np.uint64(1 << 32)
"""Counters of setup's random choices, beside those of `decks.PICKING` for players' choices."""


@kernel
def set_up_game(
    game: Record, cards: Record, players: int, final: int, key: np.uint64, absent: Record
) -> None:
    """Set up a game ("Setup"): the first player is player 0, who may be anybody at the table.

    `final` is the Final Mission, or `EMPTY` for a random one. `key` gives every random word of the game.
    `absent` (a record of `ABSENT`) says which cards are left out of it.
    """
    game.key = key
    game.players = players
    game.round_number = 1
    game.phase = PLACE_RUNNERS
    game.step = PLACING
    game.player = 0
    game.first = 0
    game.turn = 0
    game.winner = NOBODY
    game.decisions = 0
    game.trial = NO_TRIAL
    lay_out_decks(game, cards, absent)
    game.final = final
    if final == EMPTY:
        game.final = pick(key, PICKING + CHOICES_OF_SETUP, np.int64(cards.n_finals))
    start = PICKING + CHOICES_OF_SETUP + np.uint64(1)
    shuffle_unique(game, cards, key, start, absent)
    for gear in range(game.gear_of.size):
        game.gear_of[gear] = NOBODY
        game.gear_on[gear] = HELD
    for p in range(MAX_PLAYERS):
        for slot in range(SLOTS):
            game.card[p, slot] = EMPTY
            game.place[p, slot] = AT_HOME
            game.perk[p, slot] = NOBODY
            game.upgrade[p, slot] = EMPTY
    for p in range(players):
        game.nuyen[p] = STARTING_NUYEN
        for slot in range(STARTERS):
            seat_runner(game, cards, p, slot, p * STARTERS + slot)


@kernel
def lay_out_decks(game: Record, cards: Record, absent: Record) -> None:
    """Form the decks, reveal the markets, pile the Upgrades."""
    for card in range(cards.n_starters, cards.n_runners):
        if not has(absent.runners, card):
            add_card(game, RUNNER_DECK, card)
    for card in range(cards.n_gear):
        if not has(absent.gear, card):
            add_card(game, GEAR_DECK, card)
    for card in range(cards.n_missions):
        if not has(absent.missions, card):
            add_card(game, MISSION_DECK, card)
    for card in range(cards.n_loot):
        for _ in range(cards.loot_copies[card] - absent.loot[card]):
            add_card(game, LOOT_DECK, card)
    for deck in range(MARKETS):
        for slot in range(MAX_PLAYERS):
            game.market[deck, slot] = EMPTY
        fill_market(game, deck)
    game.pile[PLATING] = cards.pile_count[PLATING] - absent.plating
    game.pile[COMMLINK] = cards.pile_count[COMMLINK] - absent.commlink


@kernel
def shuffle_unique(game: Record, cards: Record, key: np.uint64, counter: np.uint64, absent: Record) -> None:
    """Shuffle the '+1 die' Upgrades (G1): like a deck, by a random rank for each."""
    game.n_unique = 0
    for card in range(cards.n_unique):
        if has(absent.unique, card):
            continue
        at = np.int64(game.n_unique)
        rank = word(key, counter + np.uint64(card))
        while at > 0 and word(key, counter + np.uint64(game.unique[at - 1])) > rank:
            game.unique[at] = game.unique[at - 1]
            at -= 1
        game.unique[at] = card
        game.n_unique += 1


@kernel
def has(mask: np.uint64, card: int) -> bool:
    """Say whether a card is in a mask of cards."""
    return (mask >> np.uint64(card)) & np.uint64(1) != 0


@kernel
def next_turn(game: Record, cards: Record) -> None:
    """Go on after a runner's action: to the next player's turn, or the next phase."""
    if not end_turn(game):
        game.phase = ATTEMPT_FINAL
        game.turn = 0
        next_final(game, cards)


@kernel
def next_final(game: Record, cards: Record) -> None:
    """Go on with the next player who reserved the Final Mission and has somebody to send (G7)."""
    while game.turn < game.n_reserved:
        player = np.int64(game.reserved[game.turn])
        game.turn += 1
        if could_run(game, player):
            game.player = player
            game.step = CHOOSING_RUNNERS
            begin_choosing(game, A_FINAL, np.int64(game.final), 0)
            return
    game.phase = RUN_MISSIONS
    game.turn = 0
    next_mission(game, cards)


@kernel
def next_mission(game: Record, cards: Record) -> None:
    """Go on with the player whose turn it is to run Missions, or the next who could."""
    game.trial = NO_TRIAL
    while game.turn < game.players:
        player = (game.first + game.turn) % game.players
        if game.n_missions[player] > 0 and could_run(game, player):
            game.player = player
            game.step = CHOOSING_MISSION
            return
        game.turn += 1
    start_upkeep(game, cards)


@kernel
def after_trial(game: Record, cards: Record) -> None:
    """Go on after a Mission or Final Mission: who can heal may; then the next attempt.

    First the player whose Mission it was is asked, then owners of hired runners, to the left.
    """
    if game.phase == ATTEMPT_FINAL:
        asking = np.int64(game.reserved[game.turn - 1])
    else:
        asking = (game.first + game.turn) % game.players
    for k in range(game.players):
        player = (asking + k) % game.players
        for slot in range(SLOTS):
            if may_heal(game, player, slot):
                game.player = player
                game.step = HEALING
                return
    for p in range(game.players):
        stop_healing(game, p)
    if game.phase == ATTEMPT_FINAL:
        next_final(game, cards)
    else:
        next_mission(game, cards)


@kernel
def stop_healing(game: Record, player: int) -> None:
    """Let the player's injuries of the Mission just over be."""
    for slot in range(SLOTS):
        game.heal[player, slot] = 0


@kernel
def end_game(game: Record) -> None:
    """Let the player who completed the Final Mission win ("Winning the Game")."""
    game.winner = game.player
    game.phase = GAME_OVER
    game.step = OVER


@kernel
def start_upkeep(game: Record, cards: Record) -> None:
    """Begin Upkeep: pawns come home, who recovered is fit, who was injured recovers, plates are whole again.

    Missions that were not attempted are discarded at the end of the phase before.
    """
    game.phase = UPKEEP
    taken = NOBODY
    for p in range(game.players):
        for k in range(game.n_missions[p]):
            discard_card(game, MISSION_DECK, np.int64(game.missions[p, k]))
        game.n_missions[p] = 0
        if game.perks_held[p] & (1 << FACE):
            taken = p
        game.perks_held[p] = 0
        game.perks_used[p] = 0
        game.tasks[p] = 0
        game.tokens[p] = 0
        for location in range(game.there.shape[1]):
            game.there[p, location] = 0
        for slot in range(SLOTS):
            bring_home(game, p, slot)
    game.eye = 0
    game.n_reserved = 0
    game.first = taken if taken != NOBODY else (game.first + 1) % game.players
    seat_hired(game, cards)


@kernel
def bring_home(game: Record, player: int, slot: int) -> None:
    """Return a pawn, and turn its runner's tokens ("Upkeep Phase")."""
    game.place[player, slot] = AT_HOME
    game.perk[player, slot] = NOBODY
    game.own_token[player, slot] = 0
    game.ran[player, slot] = 0
    game.dented[player, slot] = 0
    game.condition[player, slot] = RECOVERING if game.condition[player, slot] == HURT else FIT


@kernel
def seat_hired(game: Record, cards: Record) -> None:
    """Place the runners hired this round; who has no slot left for one discards first (G9).

    Then finish Upkeep.
    """
    for k in range(game.players):
        p = (game.first + k) % game.players
        while game.n_coming[p] > 0:
            slot = free_slot(game, p)
            if slot == EMPTY:
                game.player = p
                game.step = DISCARDING
                return
            seat_runner(game, cards, p, slot, np.int64(game.coming[p, 0]))
            game.n_coming[p] -= 1
            for later in range(game.n_coming[p]):
                game.coming[p, later] = game.coming[p, later + 1]
    for p in range(game.players):
        take_back_starters(game, cards, p)
    for deck in range(MARKETS):
        renew_market(game, deck)
    cycle_unique(game)
    game.round_number += 1
    game.phase = PLACE_RUNNERS
    game.turn = 0
    game.player = game.first + game.players - 1  # the one before the first player
    end_turn(game)


@kernel
def take_back_starters(game: Record, cards: Record, player: int) -> None:
    """Give a player without any runner the starting runners back (G15)."""
    for slot in range(SLOTS):
        if game.card[player, slot] != EMPTY:
            return
    for k in range(STARTERS):
        if game.starter[player, k] == SET_ASIDE:
            game.starter[player, k] = ON_BOARD
            seat_runner(game, cards, player, free_slot(game, player), player * STARTERS + k)


@kernel
def cycle_unique(game: Record) -> None:
    """Move the top '+1 die' Upgrade to the bottom (G1)."""
    if game.n_unique > 1:
        top = game.unique[0]
        for k in range(game.n_unique - 1):
            game.unique[k] = game.unique[k + 1]
        game.unique[game.n_unique - 1] = top
