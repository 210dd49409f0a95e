"""Missions, Tasks and the Final Mission in a game: who goes, the dice, what comes of it.

The dice and the rules of a Mission are those of `sprawlsim.sprawlops.mission`; here a scenario is set up from
the game, and the game takes the end. Source: rulebook, "Running Missions" and "Appendix A"; rulings G7, G8,
G10, M13 to M17.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.game.arrays import (
    A_FINAL,
    A_MISSION,
    A_TASK,
    BODYGUARD_WORK,
    COMPLETED,
    DANTES_INFERNO,
    DEATHS,
    EMPTY,
    FINAL_DEATHS,
    FINALS,
    FIT,
    HURT,
    INJURIES,
    LOOT_DECK,
    MAX_MISSIONS,
    MAX_PLAYERS,
    MAX_ROUNDS,
    MAX_TEAM,
    MISSION_DECK,
    NO_TRIAL,
    PLACE_RUNNERS,
    SLOTS,
    TASKS,
    TASKS_COMPLETED,
    TRIED,
    WON,
    Record,
)
from sprawlsim.sprawlops.game.crew import remove_runner
from sprawlsim.sprawlops.game.decks import discard_card, draw_card
from sprawlsim.sprawlops.game.places import allows_mission
from sprawlsim.sprawlops.mission.arrays import BETWEEN, CARD_KINDS, COLOURS, DEAD, RESCUED, ROLLING, UP
from sprawlsim.sprawlops.mission.attempt import Tools, decide_stage, ready_dice, throw_hand, use_roll
from sprawlsim.sprawlops.mission.plays import TABLE
from sprawlsim.sprawlops.mission.rules import loot_won, nuyen_won, set_up

SAMURAI, DECKER, RIGGER = 0, 1, 3
MISSION_PERKS = (1 << SAMURAI) | (1 << DECKER) | (1 << RIGGER)
"""The Eye of the Needle's perks for a Mission (G10)."""

BODYGUARD_TASK, DATASTEAL_TASK = 0, 1

TOKENS_TO_HEAL = 2
"""DocWagon tokens that remove an injury after a Mission; one where the runner was rescued by one (M15)."""


MOST_TOKENS = 99
"""Tokens that a Mission counts: far more than it can use."""


class Desk(NamedTuple):
    """What playing a game takes beside the game itself: the cards, the players' orders, scratch space."""

    cards: Any
    """Record of `CARDS`."""
    pad: Any
    """Record of `PAD`."""
    book: Any
    """Record of `BOOK`."""
    tools: Tools


@kernel
def is_free(game: Record, player: int, slot: int) -> bool:
    """Say whether a runner could go on a Mission now, as far as its condition and its place are concerned."""
    return (
        game.card[player, slot] != EMPTY
        and game.condition[player, slot] == FIT
        and game.ran[player, slot] == 0
        and allows_mission(np.int64(game.place[player, slot]))
    )


@kernel
def is_for_hire(game: Record, hirer: int, owner: int, slot: int) -> bool:
    """Say whether the runner can be hired out of Dante's Inferno by another player."""
    return (
        owner != hirer
        and game.card[owner, slot] != EMPTY
        and game.place[owner, slot] == DANTES_INFERNO
        and game.condition[owner, slot] == FIT
        and game.ran[owner, slot] == 0
    )


@kernel
def is_on_team(game: Record, owner: int, slot: int) -> bool:
    """Say whether the runner is chosen already."""
    for k in range(game.n_team):
        if game.team_of[k] == owner and game.team_slot[k] == slot:
            return True
    return False


@kernel
def team_price(game: Record) -> int:
    """Add up the loan values of the hired runners chosen: what their hirer pays to the bank."""
    price = 0
    for k in range(game.n_team):
        owner = np.int64(game.team_of[k])
        if owner != game.player:
            price += game.loan[owner, np.int64(game.team_slot[k])]
    return price


@kernel
def may_join(game: Record, owner: int, slot: int) -> bool:
    """Say whether a runner may be added to the team being chosen ("Choose Runners", G7, G8)."""
    if game.n_team == MAX_TEAM or is_on_team(game, owner, slot):
        return False
    if owner == game.player:
        return is_free(game, owner, slot)
    if not is_for_hire(game, np.int64(game.player), owner, slot):
        return False
    return game.nuyen[game.player] >= team_price(game) + game.loan[owner, slot]


@kernel
def could_run(game: Record, player: int) -> bool:
    """Say whether the player has, or can pay for, anybody to send on a Mission."""
    for owner in range(game.players):
        for slot in range(SLOTS):
            if owner == player:
                if is_free(game, owner, slot):
                    return True
            elif is_for_hire(game, player, owner, slot):
                if game.nuyen[player] >= game.loan[owner, slot]:
                    return True
    return False


@kernel
def perks_ready(game: Record, player: int) -> int:
    """Give the Eye's perks that the player may use on a Mission now, as a mask (G10)."""
    return np.int64(game.perks_held[player]) & ~np.int64(game.perks_used[player]) & MISSION_PERKS


@kernel
def begin_choosing(game: Record, trial: int, mission: int, reroll: int) -> None:
    """Stand before the choice of runners for a Mission or the Final Mission."""
    game.trial = trial
    game.mission = mission
    game.reroll = reroll
    game.n_team = 0
    game.perks = 0


@kernel
def join(game: Record, owner: int, slot: int) -> None:
    """Add a runner to the team being chosen."""
    game.team_of[game.n_team] = owner
    game.team_slot[game.n_team] = slot
    game.n_team += 1


@kernel
def set_scene(game: Record, desk: Desk) -> None:
    """Set up the scenario of the trial at hand in ``desk.pad.scene``."""
    if game.trial == A_FINAL:
        desk.pad.scene = desk.cards.finals[game.mission]
    elif game.trial == A_TASK:
        desk.pad.scene = desk.cards.tasks[game.mission]
    else:
        desk.pad.scene = desk.cards.missions[game.mission]
    scn = desk.pad.scene
    player = np.int64(game.player)
    send_team(game, scn)
    scn.tokens = min(MOST_TOKENS, game.tokens[player])
    scn.rerolls += game.reroll
    for loot in range(desk.cards.n_loot):
        scn.cards[desk.cards.loot_kind[loot]] += game.loot[player, loot]
    scn.clears_first = game.perks >> SAMURAI & 1
    scn.loot_for_first = game.perks >> DECKER & 1
    scn.clears_last = game.perks >> RIGGER & 1
    give_orders(scn, desk.pad.orders[player], np.int64(game.trial))


@kernel
def send_team(game: Record, scn: Record) -> None:
    """Put the chosen runners, with dice, plates and tokens of their own, into a scenario."""
    scn.n_runners = game.n_team
    scn.plates = 0
    scn.own_tokens = 0
    for k in range(game.n_team):
        owner = np.int64(game.team_of[k])
        slot = np.int64(game.team_slot[k])
        for c in range(COLOURS):
            scn.dice[k, c] = game.dice[owner, slot, c]
        if game.commlink[owner, slot]:
            scn.dice[k, game.colour[owner, slot]] += 1
        scn.plates |= np.int64(game.plating[owner, slot] > game.dented[owner, slot]) << k
        scn.own_tokens |= np.int64(game.own_token[owner, slot]) << k


@kernel
def give_orders(scn: Record, orders: Record, trial: int) -> None:
    """Write a player's objective for this kind of trial into a scenario."""
    scn.w_completion = orders.weights[trial, 0]
    scn.w_nuyen = orders.weights[trial, 1]
    scn.w_loot = orders.weights[trial, 2]
    scn.w_injury = orders.weights[trial, 3]
    scn.w_death = orders.weights[trial, 4]
    scn.w_payout = orders.weights[trial, 5]
    scn.w_safe = orders.weights[trial, 6]


@kernel
def forget_outlook(scn: Record, outlook: Record) -> None:
    """Forget what was estimated for another scenario."""
    for stage in range(scn.n_stages + 1):
        for mask in range(1 << scn.n_runners):
            outlook.value[stage, mask] = np.nan


@kernel
def attempt_number(game: Record) -> np.uint64:
    """Number the trial at hand within its game by what it is: round, player, Mission or Task."""
    what = np.int64(game.mission)
    if game.trial == A_TASK:
        what += MAX_MISSIONS + 2 * np.int64(game.tasks[game.player])
    elif game.trial == A_FINAL:
        what = 2 * MAX_MISSIONS - 1
    return np.uint64((np.int64(game.round_number) * MAX_PLAYERS + game.player) * 2 * MAX_MISSIONS + what)


@kernel
def take_loot_won(game: Record, desk: Desk, taken: int) -> int:
    """Draw the Loot cards won so far, into the hand and the Mission at once (M5); count them.

    Those used before lie on the discards by then, and may come up again. Where deck and discards are empty,
    nothing is drawn.
    """
    st = desk.tools.work.at[TABLE]
    won = loot_won(desk.pad.scene, np.int64(st.cleared))
    if taken < won:
        discard_used_loot(game, desk)
    while taken < won:
        loot = draw_card(game, LOOT_DECK)
        if loot == EMPTY:
            break
        game.loot[game.player, loot] += 1
        st.cards[desk.cards.loot_kind[loot]] += 1
        desk.pad.scene.cards[desk.cards.loot_kind[loot]] += 1
        taken += 1
    return taken


@kernel
def go_to_dice(game: Record, desk: Desk, policy: int, taken: int) -> int:
    """Decide on Stages, drawing the Loot that each brings, until dice are in hand or the attempt is over.

    Gives the number of Loot cards drawn so far, of which there were `taken` before.
    """
    st = desk.tools.work.at[TABLE]
    taken = take_loot_won(game, desk, taken)
    while st.phase == BETWEEN:
        decide_stage(desk.pad.scene, desk.tools.work, policy, desk.tools.outlook)
        taken = take_loot_won(game, desk, taken)
    if st.phase == ROLLING:
        ready_dice(desk.pad.scene, desk.tools.work, policy)
    return taken


@kernel
def roll(game: Record, desk: Desk) -> int:
    """Play the dice of the trial at hand to its end; count the Loot cards drawn."""
    scn = desk.pad.scene
    trial = np.int64(game.trial)
    policy = np.int64(desk.pad.orders[game.player].policy[trial])
    forget_outlook(scn, desk.tools.outlook)
    st = desk.tools.work.at[TABLE]
    attempt = attempt_number(game)
    desk.book.attempt = attempt
    set_up(scn, st)
    loot = go_to_dice(game, desk, policy, 0)
    while st.phase == ROLLING:
        throw_hand(st, game.key, attempt, desk.tools)
        if not use_roll(scn, desk.tools.work, policy, desk.tools.outlook):
            loot = go_to_dice(game, desk, policy, loot)
    return loot


@kernel
def discard_used_loot(game: Record, desk: Desk) -> None:
    """Lay the Loot cards used in the trial since the last time on their discards."""
    st = desk.tools.work.at[TABLE]
    for kind in range(CARD_KINDS):
        used = desk.pad.scene.cards[kind] - st.cards[kind]
        if used == 0:
            continue
        for loot in range(desk.cards.n_loot):
            while used > 0 and desk.cards.loot_kind[loot] == kind and game.loot[game.player, loot] > 0:
                game.loot[game.player, loot] -= 1
                discard_card(game, LOOT_DECK, loot)
                desk.pad.scene.cards[kind] -= 1
                used -= 1


@kernel
def take_harm(game: Record, desk: Desk) -> None:
    """Carry injuries, rescues and deaths over to the Runner boards (M13, M15, M17, G8)."""
    st = desk.tools.work.at[TABLE]
    book = desk.book.figures[min(game.round_number, MAX_ROUNDS)]
    for k in range(game.n_team):
        owner = np.int64(game.team_of[k])
        slot = np.int64(game.team_slot[k])
        game.own_token[owner, slot] = np.int64(st.own_tokens) >> k & 1
        if desk.pad.scene.plates & (1 << k) and not st.plates & (1 << k):
            game.dented[owner, slot] = 1
        if game.trial != A_TASK:
            game.ran[owner, slot] = 1
        if st.condition[k] == DEAD:
            book[owner, DEATHS] += 1
            book[owner, FINAL_DEATHS] += game.trial == A_FINAL
            remove_runner(game, desk.cards, owner, slot)
        elif st.condition[k] != UP:
            book[owner, INJURIES] += 1
            game.condition[owner, slot] = HURT
            if game.trial != A_TASK:
                game.heal[owner, slot] = TOKENS_TO_HEAL - (st.condition[k] == RESCUED)


@kernel
def perks_spent(game: Record, scn: Record, cleared: int) -> int:
    """Give the perks that did something in this Mission; those that did not can help another one (G10)."""
    spent = 0
    if cleared & 1:
        spent |= (1 << SAMURAI) | (1 << DECKER)
    if cleared & (1 << (scn.n_stages - 1)):
        spent |= 1 << RIGGER
    return spent & np.int64(game.perks)


@kernel
def begin_trial(game: Record, desk: Desk) -> None:
    """Pay the hired and set up the scenario; where a runner was just placed, it is a Task's (M16)."""
    if game.phase == PLACE_RUNNERS:
        task = BODYGUARD_TASK if game.place[game.player, game.slot] == BODYGUARD_WORK else DATASTEAL_TASK
        begin_choosing(game, A_TASK, task, 0)
        join(game, np.int64(game.player), np.int64(game.slot))
    game.nuyen[game.player] -= team_price(game)
    set_scene(game, desk)


@kernel
def finish_trial(game: Record, desk: Desk, loot: int) -> bool:
    """Take what came of the dice; say whether the trial is completed. `loot`: cards drawn during it."""
    player = np.int64(game.player)
    st = desk.tools.work.at[TABLE]
    scn = desk.pad.scene
    trial = np.int64(game.trial)
    cleared, completed = np.int64(st.cleared), np.int64(st.completed)
    nuyen = 0
    if trial != A_TASK or game.mission == BODYGUARD_TASK:
        nuyen = nuyen_won(scn, cleared, completed)
    game.nuyen[player] += nuyen
    game.tokens[player] -= scn.tokens - st.tokens
    discard_used_loot(game, desk)
    take_harm(game, desk)
    if trial == A_MISSION:
        game.perks_used[player] |= perks_spent(game, scn, cleared)
        discard_card(game, MISSION_DECK, np.int64(game.mission))
    elif trial == A_TASK:
        game.tasks[player] += 1
    book = desk.book
    book.trial = trial
    book.cleared, book.completed, book.nuyen, book.loot = cleared, completed, nuyen, loot
    tried = TRIED if trial == A_MISSION else TASKS if trial == A_TASK else FINALS
    done = COMPLETED if trial == A_MISSION else TASKS_COMPLETED if trial == A_TASK else WON
    now = min(np.int64(game.round_number), MAX_ROUNDS)
    book.figures[now, player, tried] += 1
    book.figures[now, player, done] += completed
    game.trial = NO_TRIAL
    return completed != 0


@kernel
def cost_to_heal(game: Record, player: int, slot: int) -> int:
    """Give the tokens of the player's that healing takes beside a token on the runner itself (G17)."""
    return np.int64(game.heal[player, slot]) - np.int64(game.own_token[player, slot])


@kernel
def may_heal(game: Record, player: int, slot: int) -> bool:
    """Say whether the player can heal a runner hurt in the Mission just over (M15)."""
    return game.heal[player, slot] > 0 and game.tokens[player] >= cost_to_heal(game, player, slot)


@kernel
def heal_runner(game: Record, player: int, slot: int) -> None:
    """Remove a runner's injury, with the token on it first (M15, G17)."""
    game.tokens[player] -= cost_to_heal(game, player, slot)
    game.own_token[player, slot] = 0
    game.condition[player, slot] = FIT
    game.heal[player, slot] = 0
