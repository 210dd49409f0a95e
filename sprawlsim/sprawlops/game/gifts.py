"""What a player is given at the start of a game, and what is therefore in no deck: see `interventions`."""

from __future__ import annotations

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.game.arrays import EMPTY, SLOTS, STARTERS, Record
from sprawlsim.sprawlops.game.crew import first_colour, free_slot, gain_gear, reckon, seat_runner
from sprawlsim.sprawlops.game.rounds import has


@kernel
def hand_out(game: Record, cards: Record, player: int, gift: Record) -> None:
    """Give a player nuyen and cards that lie in no deck, pile or market of this game."""
    game.nuyen[player] = max(0, game.nuyen[player] + gift.nuyen)
    for card in range(cards.n_runners):
        if has(gift.runners, card):
            seat_runner(game, cards, player, free_slot(game, player), card)
    for gear in range(cards.n_gear):
        if has(gift.gear, gear):
            gain_gear(game, player, gear)
    for loot in range(cards.n_loot):
        game.loot[player, loot] += gift.loot[loot]
    for card in range(cards.n_unique):
        if has(gift.unique, card):
            slot = best_bearer(game, cards, player, card)
            game.upgrade[player, slot] = card
            reckon(game, cards, player, slot)
    if gift.plating + gift.commlink == 0:
        return
    for slot in range(SLOTS):
        if game.card[player, slot] != EMPTY:
            game.plating[player, slot] = slot < gift.plating
            game.commlink[player, slot] = slot < gift.commlink
            if game.commlink[player, slot]:
                game.colour[player, slot] = first_colour(game, player, slot)
            reckon(game, cards, player, slot)


@kernel
def best_bearer(game: Record, cards: Record, player: int, card: int) -> int:
    """Choose who gets a '+1 die' Upgrade: the first without one, those with dice of its colour before."""
    choice = 0
    for slot in range(STARTERS - 1, -1, -1):
        if game.upgrade[player, slot] == EMPTY:
            choice = slot
    for slot in range(STARTERS - 1, -1, -1):
        if game.upgrade[player, slot] == EMPTY and game.dice[player, slot, cards.unique_colour[card]] > 0:
            choice = slot
    return choice
