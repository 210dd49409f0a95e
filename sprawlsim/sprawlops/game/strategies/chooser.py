"""The chooser: what a strategy's weights make of every decision of a game."""

from __future__ import annotations

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.game.arrays import (
    AT_DOCWAGON,
    AT_FENCE,
    AT_MALL,
    BEFORE_TASK,
    CHOOSING_MISSION,
    CHOOSING_RUNNERS,
    DATASTEAL,
    EMPTY,
    GEAR_DECK,
    HEALING,
    HELD,
    HIRING,
    KEEPING,
    LOOT_DECK,
    MISSION_DECK,
    MOVING,
    OFFERED,
    PLACING,
    RUNNER_DECK,
    SELECTING,
    SET_ASIDE,
    SLOTS,
    STARTERS,
    STOLEN,
    UPGRADING,
    Record,
)
from sprawlsim.sprawlops.game.crew import gear_price, hire_price, may_buy_upgrade, upgrade_cost
from sprawlsim.sprawlops.game.decks import PICKING, can_fill, cards_left, pick
from sprawlsim.sprawlops.game.legal import (
    BUY_GEAR,
    BUY_TOKEN,
    BUY_UPGRADE,
    DISCARD,
    DRAW_LOOT,
    EQUIP,
    HEAL,
    HIRE,
    HIRE_STARTER,
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
    act,
    legal_actions,
)
from sprawlsim.sprawlops.game.places import TOKEN_COST
from sprawlsim.sprawlops.game.strategies.placing import choose_place, has_reserved, value_purchase, value_sale
from sprawlsim.sprawlops.game.strategies.sending import carrier, choose_mission, choose_runners
from sprawlsim.sprawlops.game.strategies.weights import AT_RANDOM
from sprawlsim.sprawlops.game.strategies.worth import (
    Mind,
    cost_of_place,
    dice_of,
    gear_worth,
    least_runner,
    mission_value,
    refresh_notes,
    runner_worth,
    take_stock,
    upgrade_worth,
)
from sprawlsim.sprawlops.game.trials import may_heal
from sprawlsim.sprawlops.mission.arrays import (
    COLOURS,
    DIE_CARD,
    EVACUATE,
    IGNORE_INJURY,
    SUCCESS_CARD,
)


@kernel
def choose_action(game: Record, mind: Mind) -> int:
    """Choose a legal action for ``game.player`` as its strategy does."""
    if mind.own.weights[game.player].chooser == AT_RANDOM:
        return choose_at_random(game, mind)
    step = game.step
    if step == PLACING:
        choice = equip_held(game, mind.cards)
        return choice if choice >= 0 else choose_place(game, mind, np.int64(PLACE))
    if step == CHOOSING_MISSION:
        return choose_mission(game, mind)
    if step == CHOOSING_RUNNERS:
        return choose_runners(game, mind)
    if step == MOVING:
        choice = choose_place(game, mind, np.int64(MOVE))
        return choice if choice >= 0 else PASS
    player = np.int64(game.player)
    w = mind.own.weights[player]
    take_stock(game, mind, w, player)
    if step == AT_MALL:
        return choose_gear(game, mind, w)
    if step == HIRING:
        return choose_hire(game, mind, w)
    if step == UPGRADING:
        return choose_upgrade(game, mind, w)
    if step == SELECTING:
        return choose_selection(game, mind)
    return choose_small(game, mind, w)


@kernel
def choose_at_random(game: Record, mind: Mind) -> int:
    """Choose any legal action, each as likely."""
    n = legal_actions(game, mind.cards, mind.own.actions)
    return mind.own.actions[pick(game.key, PICKING + np.uint64(game.decisions), n)]


@kernel
def equip_held(game: Record, cards: Record) -> int:
    """Equip Gear in hand: it serves nobody there; -1 where there is none, or nobody for it."""
    player = np.int64(game.player)
    for gear in range(cards.n_gear):
        if game.gear_of[gear] == player and game.gear_on[gear] == HELD:
            to = carrier(game, cards, player, gear, False)
            if to >= 0:
                return act(EQUIP, gear, to, 0)
    return -1


@kernel
def choose_gear(game: Record, mind: Mind, w: Record) -> int:
    """Choose a Gear card whose worth is above its price, or a refill, or nothing."""
    cards = mind.cards
    player = np.int64(game.player)
    best = 0.0
    choice = PASS
    for k in range(game.players):
        gear = np.int64(game.market[GEAR_DECK, k])
        if gear == EMPTY:
            continue
        price = gear_price(game, cards, gear)
        if price <= game.nuyen[player]:
            gain = gear_worth(game, cards, player, gear, mind.own.worth) - mind.own.thrift * price
            if gain > best:
                best, choice = gain, act(BUY_GEAR, k, 0, 0)
    if can_fill(game, GEAR_DECK) and game.busy == 0 and game.nuyen[player] >= 2 * REFILL_COST:
        if w.refill - mind.own.thrift * REFILL_COST > best:
            return REFILL
    return choice


@kernel
def choose_hire(game: Record, mind: Mind, w: Record) -> int:
    """Choose a runner whose worth is above the price, or nobody."""
    cards = mind.cards
    player = np.int64(game.player)
    best = cost_of_place(game, cards, w, player, mind.own.worth)
    choice = PASS
    for k in range(game.players):
        card = np.int64(game.market[RUNNER_DECK, k])
        if card == EMPTY:
            continue
        price = hire_price(game, cards, card)
        if price <= game.nuyen[player]:
            gain = runner_worth(game, cards, w, player, card, mind.own.worth) - mind.own.thrift * price
            if gain > best:
                best, choice = gain, act(HIRE, k, 0, 0)
    for k in range(STARTERS):
        if game.starter[player, k] == SET_ASIDE:
            gain = runner_worth(game, cards, w, player, player * STARTERS + k, mind.own.worth)
            if gain > best:
                best, choice = gain, act(HIRE_STARTER, k, 0, 0)
    return choice


@kernel
def choose_upgrade(game: Record, mind: Mind, w: Record) -> int:
    """Choose an Upgrade whose worth is above its price, or none."""
    cards = mind.cards
    player, slot = np.int64(game.player), np.int64(game.slot)
    best = 0.0
    choice = PASS
    for pile in range(3):
        if may_buy_upgrade(game, cards, player, slot, pile):
            gain = upgrade_worth(game, cards, w, pile, mind.own.worth)
            gain -= mind.own.thrift * upgrade_cost(game, cards, pile)
            if gain > best:
                best, choice = gain, act(BUY_UPGRADE, pile, 0, 0)
    return choice


@kernel
def choose_selection(game: Record, mind: Mind) -> int:
    """Select the face-up Mission that promises most, or none."""
    player = np.int64(game.player)
    refresh_notes(game, mind, player)
    best = 0.0
    choice = PASS
    for k in range(game.players):
        mission = np.int64(game.market[MISSION_DECK, k])
        if mission != EMPTY:
            value = mission_value(game, mind, player, mission)
            if value > best:
                best, choice = value, act(SELECT, k, 0, 0)
    return choice


@kernel
def choose_small(game: Record, mind: Mind, w: Record) -> int:
    """Choose where there is little to choose."""
    cards = mind.cards
    player = np.int64(game.player)
    step = game.step
    if step == AT_FENCE:
        return choose_deal(game, mind, w)
    if step == OFFERED:
        fine = w.loot > mind.own.thrift * LOOT_PRICE and game.nuyen[player] >= LOOT_PRICE
        return TAKE_LOOT if fine else PASS
    if step == AT_DOCWAGON:
        worth = w.token_final if has_reserved(game, player) else w.token
        fine = worth / (1.0 + game.tokens[player]) > mind.own.thrift * TOKEN_COST
        return BUY_TOKEN if fine else PASS
    if step == BEFORE_TASK:
        return prepare_task(game, mind)
    if step == STOLEN:
        there = cards_left(game, LOOT_DECK) > 0 and cards.loot_draw > 0
        return DRAW_LOOT if there and w.loot > cards.datasteal_payout else TAKE_NUYEN
    if step == KEEPING:
        return choose_loot(game, cards)
    if step == HEALING:
        return choose_to_heal(game)
    return act(DISCARD, least_runner(game, cards, w, player, mind.own.worth), 0, 0)


@kernel
def choose_deal(game: Record, mind: Mind, w: Record) -> int:
    """Sell all Loot, or see a card to buy, whichever gains more."""
    player = np.int64(game.player)
    sale = value_sale(game, mind.cards, w, player)
    purchase = value_purchase(game, mind, w, player)
    if sale > 0.0 and (game.busy != 0 or sale >= purchase):
        for loot in range(mind.cards.n_loot):
            if game.loot[player, loot] > 0:
                return act(SELL_LOOT, loot, 0, 0)
    return SEE_LOOT if purchase > 0.0 and game.busy == 0 else PASS


@kernel
def prepare_task(game: Record, mind: Mind) -> int:
    """Set the Commlink for a Task, then roll."""
    player, slot = np.int64(game.player), np.int64(game.slot)
    task = mind.cards.tasks[1 if game.place[player, slot] == DATASTEAL else 0]
    if game.commlink[player, slot] and game.set == 0:
        best = np.int64(game.colour[player, slot])
        for c in range(COLOURS):
            if game.dice[player, slot, c] > 0 and task.icons[0, c] > task.icons[0, best]:
                best = c
        if best != game.colour[player, slot]:
            return act(SET_COMMLINK, player, slot, best)
    return ROLL


@kernel
def loot_rank(kind: int) -> int:
    """Rank Loot: successes, then dice, then an injury ignored, a die rerolled, an escape."""
    if kind < SUCCESS_CARD + COLOURS:
        return 4
    if kind < DIE_CARD + COLOURS:
        return 3
    if kind == IGNORE_INJURY:
        return 2
    return 0 if kind == EVACUATE else 1


@kernel
def choose_loot(game: Record, cards: Record) -> int:
    """Keep the best of the Loot cards drawn."""
    best = 0
    for k in range(1, game.n_offer):
        if loot_rank(cards.loot_kind[game.offer[k]]) > loot_rank(cards.loot_kind[game.offer[best]]):
            best = k
    return act(TAKE_LOOT, best, 0, 0)


@kernel
def choose_to_heal(game: Record) -> int:
    """Heal the runner with most dice: unused tokens are lost in Upkeep."""
    player = np.int64(game.player)
    most = -1
    choice = PASS
    for slot in range(SLOTS):
        if may_heal(game, player, slot) and dice_of(game, player, slot) > most:
            most = dice_of(game, player, slot)
            choice = act(HEAL, slot, 0, 0)
    return choice
