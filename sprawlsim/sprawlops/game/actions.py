"""What each action does: `apply` carries one out and moves on to the next decision.

Chance falls inside `apply` and follows from the game's key alone; what is legal is told by `legal_actions`.
"""

from __future__ import annotations

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.game.arrays import (
    A_FINAL,
    A_MISSION,
    CHOOSING_MISSION,
    CHOOSING_RUNNERS,
    DATASTEAL,
    EMPTY,
    GEAR_DECK,
    HEALING,
    KEEPING,
    LOOT_DECK,
    MAX_HAND,
    MISSION_DECK,
    NO_TRIAL,
    OFFERED,
    ON_THE_WAY,
    PLACE_RUNNERS,
    RUNNER_DECK,
    SLOTS,
    STARTERS,
    STOLEN,
    Record,
)
from sprawlsim.sprawlops.game.crew import (
    buy_upgrade,
    gain_gear,
    gear_price,
    hire_price,
    is_face,
    move_gear,
    remove_runner,
)
from sprawlsim.sprawlops.game.decks import (
    discard_card,
    draw_card,
    fill_market,
    take_from_discards,
    take_from_market,
)
from sprawlsim.sprawlops.game.legal import (
    ATTEMPT,
    BUY_GEAR,
    BUY_TOKEN,
    BUY_UPGRADE,
    DRAW_LOOT,
    EQUIP,
    HEAL,
    HIRE,
    HIRE_STARTER,
    JOIN,
    LOOT_PRICE,
    MOVE,
    PASS,
    PLACE,
    REFILL,
    REFILL_COST,
    ROLL,
    SEE_LOOT,
    SELECT,
    SELL_LOOT,
    SET_COMMLINK,
    TAKE_LOOT,
    TAKE_NUYEN,
    USE_PERK,
    argument,
    kind_of_action,
)
from sprawlsim.sprawlops.game.places import TOKEN_COST, arrive, lift, put_down
from sprawlsim.sprawlops.game.rounds import (
    after_trial,
    end_game,
    next_final,
    next_mission,
    next_turn,
    seat_hired,
    stop_healing,
)
from sprawlsim.sprawlops.game.trials import (
    Desk,
    begin_choosing,
    begin_trial,
    finish_trial,
    heal_runner,
    join,
    roll,
)


@kernel
def apply(game: Record, action: int, desk: Desk) -> None:
    """Carry out a legal action of ``game.player``, with all that follows until the next decision.

    ``desk.book`` notes what happened. An action that is not legal gives a state that is not one.
    """
    game.decisions += 1
    desk.book.trial = NO_TRIAL
    kind = kind_of_action(action)
    cards = desk.cards
    if kind == EQUIP:
        move_gear(game, cards, np.int64(game.player), argument(action, 0), argument(action, 1))
        return
    if kind == SET_COMMLINK:
        owner, slot = argument(action, 0), argument(action, 1)
        game.colour[owner, slot] = argument(action, 2)
        game.set |= np.uint64(1) << np.uint64(owner * SLOTS + slot)
        return
    game.moved = np.uint64(0)
    game.set = np.uint64(0)
    if kind == ROLL:
        final = game.trial == A_FINAL
        begin_trial(game, desk)
        loot = roll(game, desk)
        completed = finish_trial(game, desk, loot)
        go_on(game, cards, final, completed)
    elif kind == PLACE or kind == MOVE:
        place(game, action, desk)
    elif kind == PASS:
        stop(game, cards)
    elif kind <= DRAW_LOOT:
        deal(game, action, cards)
    elif kind <= BUY_UPGRADE:
        recruit(game, action, cards)
        next_turn(game, cards)
    else:
        choose(game, action, cards)


@kernel
def place(game: Record, action: int, desk: Desk) -> None:
    """Place a runner, or move one, and do what the location does at once."""
    player = np.int64(game.player)
    slot, location = argument(action, 0), argument(action, 1)
    if kind_of_action(action) == MOVE:
        lift(game, player, slot)
    put_down(game, player, slot, location, argument(action, 2))
    desk.book.visits[player, location] += 1
    if not arrive(game, desk.cards, player, slot):
        next_turn(game, desk.cards)


@kernel
def go_on(game: Record, cards: Record, final: bool, completed: bool) -> None:
    """Go on after a Task, a Mission, the Final Mission."""
    if game.phase == PLACE_RUNNERS:
        if completed and game.place[game.player, game.slot] == DATASTEAL:
            game.step = STOLEN
        else:
            next_turn(game, cards)
    elif final and completed:
        end_game(game)
    else:
        after_trial(game, cards)


@kernel
def stop(game: Record, cards: Record) -> None:
    """Do nothing, or nothing more, where the player stands."""
    step = game.step
    if step == CHOOSING_MISSION:
        game.turn += 1
        next_mission(game, cards)
    elif step == CHOOSING_RUNNERS:
        if game.trial == A_FINAL:
            next_final(game, cards)
        else:
            discard_card(game, MISSION_DECK, np.int64(game.mission))
            next_mission(game, cards)
    elif step == HEALING:
        stop_healing(game, np.int64(game.player))
        after_trial(game, cards)
    else:
        if step == OFFERED:
            discard_card(game, LOOT_DECK, np.int64(game.offer[0]))
            game.n_offer = 0
        next_turn(game, cards)


@kernel
def deal(game: Record, action: int, cards: Record) -> None:
    """Buy and sell: Gear, Loot, DocWagon tokens; take what a Datasteal brought."""
    player = np.int64(game.player)
    kind = kind_of_action(action)
    what = argument(action, 0)
    if kind == REFILL:
        game.nuyen[player] -= REFILL_COST
        game.busy = 1
        fill_market(game, GEAR_DECK)
        return
    if kind == SELL_LOOT:
        game.loot[player, what] -= 1
        discard_card(game, LOOT_DECK, what)
        game.nuyen[player] += LOOT_PRICE
        game.busy = 1
        return
    if kind == BUY_TOKEN:
        game.nuyen[player] -= TOKEN_COST
        game.tokens[player] += 1
        if game.nuyen[player] >= TOKEN_COST:
            return
    elif kind == SEE_LOOT:
        draw_offer(game, 1)
        game.step = OFFERED
        return
    elif kind == DRAW_LOOT:
        draw_offer(game, np.int64(cards.loot_draw))
        game.step = KEEPING
        return
    elif kind == TAKE_LOOT:
        take_offered(game, what)
    elif kind == TAKE_NUYEN:
        game.nuyen[player] += cards.datasteal_payout
    elif kind == BUY_GEAR:
        gear = take_from_market(game, GEAR_DECK, what)
        game.nuyen[player] -= gear_price(game, cards, gear)
        gain_gear(game, player, gear)
    else:  # BUY_DISCARDED, at full price
        take_from_discards(game, GEAR_DECK, what)
        game.nuyen[player] -= cards.gear_cost[what]
        gain_gear(game, player, what)
    next_turn(game, cards)


@kernel
def draw_offer(game: Record, count: int) -> None:
    """Draw Loot cards to look at, as far as there are any."""
    game.n_offer = 0
    for _ in range(min(count, MAX_HAND)):
        loot = draw_card(game, LOOT_DECK)
        if loot != EMPTY:
            game.offer[game.n_offer] = loot
            game.n_offer += 1


@kernel
def take_offered(game: Record, which: int) -> None:
    """Take one of the Loot cards drawn, at the fence for its price, and discard the others."""
    player = np.int64(game.player)
    if game.step == OFFERED:
        game.nuyen[player] -= LOOT_PRICE
    for k in range(game.n_offer):
        if k == which:
            game.loot[player, game.offer[k]] += 1
        else:
            discard_card(game, LOOT_DECK, np.int64(game.offer[k]))
    game.n_offer = 0


@kernel
def recruit(game: Record, action: int, cards: Record) -> None:
    """Hire a runner, select a Mission, buy an Upgrade."""
    player = np.int64(game.player)
    slot = np.int64(game.slot)
    kind = kind_of_action(action)
    what = argument(action, 0)
    if kind == HIRE:
        card = take_from_market(game, RUNNER_DECK, what)
        game.nuyen[player] -= hire_price(game, cards, card)
        await_runner(game, player, card)
    elif kind == HIRE_STARTER:
        game.starter[player, what] = ON_THE_WAY
        await_runner(game, player, player * STARTERS + what)
    elif kind == SELECT:
        n = np.int64(game.n_missions[player])
        if n < MAX_HAND:
            game.missions[player, n] = take_from_market(game, MISSION_DECK, what)
            game.mission_reroll[player, n] = is_face(game, cards, player, slot)
            game.n_missions[player] = n + 1
    else:  # BUY_UPGRADE
        buy_upgrade(game, cards, player, slot, what)


@kernel
def await_runner(game: Record, player: int, card: int) -> None:
    """Lay a hired runner beside the Runner board until Upkeep ("Hannibelle's Host")."""
    game.coming[player, game.n_coming[player]] = card
    game.n_coming[player] += 1


@kernel
def choose(game: Record, action: int, cards: Record) -> None:
    """Choose a Mission, its runners, the perks for it; who is healed; who leaves the board."""
    player = np.int64(game.player)
    kind = kind_of_action(action)
    what = argument(action, 0)
    if kind == ATTEMPT:
        mission = np.int64(game.missions[player, what])
        reroll = np.int64(game.mission_reroll[player, what])
        begin_choosing(game, A_MISSION, mission, reroll)
        game.n_missions[player] -= 1
        for k in range(what, game.n_missions[player]):
            game.missions[player, k] = game.missions[player, k + 1]
            game.mission_reroll[player, k] = game.mission_reroll[player, k + 1]
        game.step = CHOOSING_RUNNERS
    elif kind == JOIN:
        join(game, what, argument(action, 1))
    elif kind == USE_PERK:
        game.perks |= 1 << what
    elif kind == HEAL:
        heal_runner(game, player, what)
        after_trial(game, cards)
    else:  # DISCARD
        remove_runner(game, cards, player, what)
        seat_hired(game, cards)
