"""Decks, discards and markets ("Setup", "Upkeep Phase").

A deck is a set of cards; its order is that of the cards' ranks. A rank is a random word that depends on the
game, the deck, how often it was shuffled, and the card: where one card more or less is in a deck, all others
keep their order, so that two variants of a game stay comparable.
"""

from __future__ import annotations

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.rng import word
from sprawlsim.sprawlops.game.arrays import EMPTY, MAX_DECK, Record

DRAWING = np.uint64(1 << 62)
"""Counters of the words for drawing cards start here."""
PICKING = np.uint64(3 << 62)
"""Those for choices that the rules leave to chance start here."""
HALF = np.uint64(32)
COPY_STEP = 256
"""More than there are different cards in a deck."""


@kernel
def pick(key: np.uint64, counter: np.uint64, among: int) -> int:
    """Pick a random number below `among`: each is as likely as the others to one part in 2**32."""
    return np.int64(((word(key, counter) >> HALF) * np.uint64(among)) >> HALF)


@kernel
def add_card(game: Record, deck: int, card: int) -> None:
    """Put a card into a deck; copies of a card are told apart by a number above `COPY_STEP`."""
    n = np.int64(game.n_draw[deck])
    copy = 0
    for k in range(n):
        copy += game.draw[deck, k] % COPY_STEP == card
    game.draw[deck, n] = card + COPY_STEP * copy
    game.n_draw[deck] = n + 1


@kernel
def draw_card(game: Record, deck: int) -> int:
    """Draw a card; the discards become the deck when it has run out. `EMPTY` where none is left at all."""
    if game.n_draw[deck] == 0:
        if game.n_discard[deck] == 0:
            return EMPTY
        for k in range(game.n_discard[deck]):
            add_card(game, deck, np.int64(game.discard[deck, k]))
        game.n_discard[deck] = 0
        game.shuffles[deck] += 1
    left = np.int64(game.n_draw[deck])
    top = 0
    lowest = rank_of(game, deck, 0)
    for k in range(1, left):
        rank = rank_of(game, deck, k)
        if rank < lowest:
            lowest, top = rank, k
    card = np.int64(game.draw[deck, top]) % COPY_STEP
    game.draw[deck, top] = game.draw[deck, left - 1]
    game.n_draw[deck] = left - 1
    return card


@kernel
def rank_of(game: Record, deck: int, k: int) -> np.uint64:
    """Give the rank of a card not drawn yet: the lowest is on top."""
    which = (np.int64(game.shuffles[deck]) << 16) + game.draw[deck, k]
    return word(game.key, DRAWING + np.uint64((np.int64(deck) << 40) + which))


@kernel
def discard_card(game: Record, deck: int, card: int) -> None:
    """Lay a card on the discards of its deck."""
    n = np.int64(game.n_discard[deck])
    if n < MAX_DECK:
        game.discard[deck, n] = card
        game.n_discard[deck] = n + 1


@kernel
def take_from_discards(game: Record, deck: int, card: int) -> None:
    """Take a card out of the discards; the others keep their order."""
    n = np.int64(game.n_discard[deck])
    found = False
    for k in range(n):
        if found:
            game.discard[deck, k - 1] = game.discard[deck, k]
        elif game.discard[deck, k] == card:
            found = True
    if found:
        game.n_discard[deck] = n - 1


@kernel
def fill_market(game: Record, deck: int) -> None:
    """Reveal a card for every empty slot of a market, as far as there are cards."""
    for slot in range(game.players):
        if game.market[deck, slot] == EMPTY:
            game.market[deck, slot] = draw_card(game, deck)


@kernel
def renew_market(game: Record, deck: int) -> None:
    """Discard the cards nobody took and reveal new ones ("Upkeep Phase")."""
    for slot in range(game.players):
        if game.market[deck, slot] != EMPTY:
            discard_card(game, deck, np.int64(game.market[deck, slot]))
            game.market[deck, slot] = EMPTY
    fill_market(game, deck)


@kernel
def take_from_market(game: Record, deck: int, slot: int) -> int:
    """Take a face-up card; its slot stays empty (G3)."""
    card = np.int64(game.market[deck, slot])
    game.market[deck, slot] = EMPTY
    return card


@kernel
def cards_left(game: Record, deck: int) -> int:
    """Count the cards that can still be drawn: those of the deck, and the discards that would become it."""
    return np.int64(game.n_draw[deck]) + np.int64(game.n_discard[deck])


@kernel
def can_fill(game: Record, deck: int) -> bool:
    """Say whether a market has an empty slot and there is a card for it."""
    return face_up(game, deck) < game.players and cards_left(game, deck) > 0


@kernel
def face_up(game: Record, deck: int) -> int:
    """Count the face-up cards of a market."""
    count = 0
    for slot in range(game.players):
        if game.market[deck, slot] != EMPTY:
            count += 1
    return count
