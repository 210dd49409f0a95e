"""Actions and games in words."""

from __future__ import annotations

from typing import Any

from sprawlsim.sprawlops.game.arrays import (
    A_FINAL,
    A_TASK,
    AT_FENCE,
    AT_HOME,
    CHOOSING_RUNNERS,
    EMPTY,
    EYE_OF_THE_NEEDLE,
    FIT,
    GEAR_DECK,
    HELD,
    HURT,
    LOCATIONS,
    MISSION_DECK,
    OFFERED,
    PHASES,
    PLATING,
    RUNNER_DECK,
    SLOTS,
    STARTERS,
    UNIQUE,
    Record,
)
from sprawlsim.sprawlops.game.crew import gear_price, hire_price, upgrade_cost
from sprawlsim.sprawlops.game.legal import (
    ATTEMPT,
    BUY_DISCARDED,
    BUY_GEAR,
    BUY_TOKEN,
    BUY_UPGRADE,
    DISCARD,
    DRAW_LOOT,
    EQUIP,
    HEAL,
    HIRE,
    HIRE_STARTER,
    JOIN,
    LOOT_PRICE,
    MOVE,
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
from sprawlsim.sprawlops.game.places import TOKEN_COST
from sprawlsim.sprawlops.game.tables import Names
from sprawlsim.sprawlops.game.trials import cost_to_heal
from sprawlsim.sprawlops.mission.arrays import COLOURS
from sprawlsim.sprawlops.roles import ROLE_LABELS, ROLES

LABELS = tuple(ROLE_LABELS[role] for role in ROLES)


def player_name(player: int) -> str:
    """Name a player by the seat at the start: Player 1 begins."""
    return f"Player {player + 1}"


def runner_name(game: Record, names: Names, player: int, slot: int) -> str:
    """Name the runner in a slot."""
    card = int(game.card[player, slot])
    return f"nobody in slot {slot + 1}" if card == EMPTY else names.runners[card]


def trial_name(game: Record, names: Names) -> str:
    """Name what runners are sent on."""
    if game.trial == A_FINAL:
        return names.finals[int(game.mission)]
    return (names.tasks if game.trial == A_TASK else names.missions)[int(game.mission)]


def upgrade_name(game: Record, names: Names, pile: int) -> str:
    """Name the top card of a pile of Upgrades."""
    return str(names.unique[game.unique[0]] if pile == UNIQUE else names.piles[pile])


def dice_in_words(counts: list[int]) -> str:
    """Write dice, or icons, by colour: ``2 Decker, 1 Rigger``."""
    return ", ".join(f"{n} {LABELS[c]}" for c, n in enumerate(counts) if n) or "none"


def describe_action(game: Record, cards: Record, names: Names, action: int) -> str:
    """Tell what an action of ``game.player`` does, for somebody who has the game on the table.

    Parameters
    ----------
    game : record of `GAME`
        Before the action.
    cards : record of `CARDS`
    names : Names
    action : int
        A legal one.
    """
    player = int(game.player)
    kind = int(kind_of_action(action))
    a, b, c = (int(argument(action, k)) for k in range(3))
    if kind in (PLACE, MOVE):
        at = LOCATIONS[b] + (f" ({LABELS[c]})" if b == EYE_OF_THE_NEEDLE else "")
        verb = "place" if kind == PLACE else "move"
        return f"{verb} {runner_name(game, names, player, a)} at {at}"
    if kind == EQUIP:
        to = "take it in hand" if b == HELD else f"equip {runner_name(game, names, player, b)}"
        return f"{names.gear[a]}: {to}"
    if kind == SET_COMMLINK:
        return f"set the Commlink of {runner_name(game, names, a, b)} to {LABELS[c]}"
    if kind == BUY_GEAR:
        gear = int(game.market[GEAR_DECK, a])
        return f"buy {names.gear[gear]} for {gear_price(game, cards, gear)}K"
    if kind == BUY_DISCARDED:
        return f"buy {names.gear[a]} from the Gear discards for {cards.gear_cost[a]}K"
    if kind == HIRE:
        card = int(game.market[RUNNER_DECK, a])
        return f"hire {names.runners[card]} for {hire_price(game, cards, card)}K"
    if kind == HIRE_STARTER:
        return f"hire {names.runners[player * STARTERS + a]} again"
    if kind == BUY_UPGRADE:
        who = runner_name(game, names, player, int(game.slot))
        cost = upgrade_cost(game, cards, a)
        return f"buy {upgrade_name(game, names, a)} for {who} for {cost}K"
    if kind == TAKE_LOOT:
        loot = names.loot[game.offer[a]]
        return f"buy {loot} for {LOOT_PRICE}K" if game.step == OFFERED else f"keep {loot}"
    if kind == JOIN:
        who = runner_name(game, names, a, b)
        price = f", hired for {game.loan[a, b]}K" if a != player else ""
        return f"send {who}{price}"
    if kind == HEAL:
        tokens = int(cost_to_heal(game, player, a))
        return f"heal {runner_name(game, names, player, a)} with {counted(tokens, 'DocWagon token')}"
    return _describe_simple(game, cards, names, kind, a)


def _describe_simple(game: Record, cards: Record, names: Names, kind: int, a: int) -> str:
    """Tell the actions that need few words."""
    player = int(game.player)
    if kind == SELECT:
        return f"select {names.missions[game.market[MISSION_DECK, a]]}"
    if kind == ATTEMPT:
        return f"attempt {names.missions[game.missions[player, a]]}"
    if kind == ROLL:
        if game.step != CHOOSING_RUNNERS:
            return f"roll for {LOCATIONS[game.place[player, game.slot]]}"
        return f"roll for {trial_name(game, names)}"
    simple: dict[Any, str] = {
        REFILL: f"refill the Gear Market for {REFILL_COST}K",
        SELL_LOOT: f"sell {names.loot[a % len(names.loot)]} for {LOOT_PRICE}K",
        SEE_LOOT: "look at the top Loot card",
        BUY_TOKEN: f"buy a DocWagon token for {TOKEN_COST}K",
        TAKE_NUYEN: f"take {cards.datasteal_payout}K",
        DRAW_LOOT: f"draw {counted(int(cards.loot_draw), 'Loot card')}",
        USE_PERK: f"use the Eye of the Needle's {LABELS[a % COLOURS]} perk",
        DISCARD: f"discard {runner_name(game, names, player, a % SLOTS)}",
    }
    if kind in simple:
        return simple[kind]
    if game.step == CHOOSING_RUNNERS:
        return f"give up {trial_name(game, names)}"
    return "stop selling" if game.step == AT_FENCE and game.busy else "no more"


def counted(number: int, thing: str) -> str:
    """Write a number of things: ``1 token``, ``2 tokens``."""
    return f"{number} {thing}" + ("" if number == 1 else "s")


def describe_game(game: Record, cards: Record, names: Names) -> str:
    """Draw the table: markets, locations, each player's Runner board."""
    lines = [
        f"Round {game.round_number}, {PHASES[game.phase]}; first player: {player_name(int(game.first))}; "
        f"Final Mission: {names.finals[game.final]}"
    ]
    markets = (
        ("Runners", RUNNER_DECK, names.runners, cards.runner_cost),
        ("Gear", GEAR_DECK, names.gear, cards.gear_cost),
        ("Missions", MISSION_DECK, names.missions, None),
    )
    for title, deck, of, costs in markets:
        shown = []
        for card in map(int, game.market[deck, : game.players]):
            price = "" if costs is None or card == EMPTY else f" ({costs[card]}K)"
            shown.append("-" if card == EMPTY else of[card] + price)
        lines.append(f"{title}: {', '.join(shown)}")
    top = [names.piles[0]] * bool(game.pile[0]) + [names.piles[1]] * bool(game.pile[1])
    top += [names.unique[game.unique[0]]] * bool(game.n_unique)
    lines.append(f"Upgrades: {', '.join(top) or '-'}")
    for player in range(game.players):
        lines += _describe_player(game, cards, names, player)
    return "\n".join(lines)


def _describe_player(game: Record, cards: Record, names: Names, player: int) -> list[str]:
    """Draw a player's hand and Runner board."""
    hand = [f"{game.nuyen[player]}K"]
    if game.tokens[player]:
        hand.append(counted(int(game.tokens[player]), "DocWagon token"))
    for loot, name in enumerate(names.loot):
        hand += [name] * int(game.loot[player, loot])
    hand += [names.missions[m] for m in game.missions[player, : game.n_missions[player]]]
    hand += [f"{names.gear[g]} (in hand)" for g in _gear(game, cards, player, HELD)]
    hand += [f"{names.runners[r]} (coming)" for r in game.coming[player, : game.n_coming[player]]]
    turn = " *" if player == game.player else ""
    slots = [slot for slot in range(SLOTS) if game.card[player, slot] != EMPTY]
    return [
        f"{player_name(player)}{turn}: {', '.join(hand)}",
        *(f"  {slot + 1} {describe_runner(game, cards, names, player, slot)}" for slot in slots),
    ]


def describe_runner(game: Record, cards: Record, names: Names, player: int, slot: int) -> str:
    """Tell a runner with equipment, dice, condition and place."""
    parts = [names.runners[game.card[player, slot]]]
    parts += [names.gear[g] for g in _gear(game, cards, player, slot)]
    if game.plating[player, slot]:
        parts.append(names.piles[PLATING])
    if game.commlink[player, slot]:
        parts.append(f"{names.piles[1]}({LABELS[game.colour[player, slot]]})")
    if game.upgrade[player, slot] != EMPTY:
        parts.append(names.unique[game.upgrade[player, slot]])
    told = f"{' + '.join(parts)} [{dice_in_words([int(n) for n in game.dice[player, slot]])}]"
    if game.condition[player, slot] != FIT:
        told += ", injured" if game.condition[player, slot] == HURT else ", recovering"
    if game.own_token[player, slot]:
        told += ", with a DocWagon token"
    if game.place[player, slot] != AT_HOME:
        told += f", at {LOCATIONS[game.place[player, slot]]}"
    return told


def _gear(game: Record, cards: Record, player: int, slot: int) -> list[int]:
    of_player = range(int(cards.n_gear))
    return [g for g in of_player if game.gear_of[g] == player and game.gear_on[g] == slot]
