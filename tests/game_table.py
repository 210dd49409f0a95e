"""Set situations of a whole game up by the names on the cards, and play them by words.

Cards that are set out are taken out of their decks first, so that every card stays one card. What a runner
rolls is added up here from the card set, not by the game.
"""

from collections import Counter
from collections.abc import Callable

import numpy as np

from sprawlsim.sprawlops.cards import find_card
from sprawlsim.sprawlops.game.arrays import (
    A_MISSION,
    AT_HOME,
    COMMLINK,
    EMPTY,
    FIT,
    GEAR_DECK,
    HELD,
    LOCATIONS,
    LOOT_DECK,
    MISSION_DECK,
    NOBODY,
    PLATING,
    RECOVERING,
    RUNNER_DECK,
    SLOTS,
    UNIQUE,
)
from sprawlsim.sprawlops.game.play import Action, Game
from sprawlsim.sprawlops.mission.plays import BALANCED, ICONS_FIRST
from sprawlsim.sprawlops.roles import ROLES

SAMURAI, DECKER, FACE = 0, 1, 2
"""Slots of the starting runners at the start: a Street Samurai, a Decker, a Face."""
BODYGUARD, MALL, DANTES, DATASTEAL, FENCE, DOCWAGON, EYE, FINAL, HOST, JOHNSON, IRONWORKS = LOCATIONS


def new_table(players: int = 2, *, seed: int = 1, nuyen: int = 100, final: str | None = None) -> Game:
    """Set a game up with rich players."""
    game = Game(players=players, seed=seed, final=final)
    game.state.nuyen[:players] = nuyen
    return game


def at(location: str) -> int:
    return LOCATIONS.index(location)


# --- cards ----------------------------------------------------------------------------------------------


def card(game: Game, deck: int, name: str) -> int:
    """Give the number of a card."""
    of = {
        RUNNER_DECK: game.names.runners,
        GEAR_DECK: game.names.gear,
        MISSION_DECK: game.names.missions,
        LOOT_DECK: game.names.loot,
    }
    return of[deck].index(name)


def printed(game: Game, name: str):
    """Give the card as it is in the card set."""
    return find_card(game.card_set, name)


def stack(game: Game, deck: int) -> list[int]:
    return [int(n) for n in game.state.draw[deck, : game.state.n_draw[deck]]]


def discards(game: Game, deck: int) -> list[int]:
    return [int(n) for n in game.state.discard[deck, : game.state.n_discard[deck]]]


def market(game: Game, deck: int) -> list[int]:
    return [int(n) for n in game.state.market[deck, : game.state.players]]


def put_stack(game: Game, deck: int, cards: list[int]) -> None:
    game.state.draw[deck, : len(cards)] = cards
    game.state.n_draw[deck] = len(cards)


def put_discards(game: Game, deck: int, cards: list[int]) -> None:
    game.state.discard[deck, : len(cards)] = cards
    game.state.n_discard[deck] = len(cards)


def take_out(game: Game, deck: int, number: int) -> None:
    """Take a card out of its deck, its discards or its market, wherever it is; a market gets another one."""
    for pile, put in ((stack(game, deck), put_stack), (discards(game, deck), put_discards)):
        if number in pile:
            pile.remove(number)
            put(game, deck, pile)
            return
    if deck < len(game.state.market):
        for place in np.flatnonzero(game.state.market[deck] == number):
            left = stack(game, deck)
            game.state.market[deck, place] = left.pop() if left else EMPTY
            put_stack(game, deck, left)


def show(game: Game, deck: int, *names: str | None) -> None:
    """Make the market show just these cards; None for an empty slot."""
    cards = [EMPTY if name is None else card(game, deck, name) for name in names]
    cards += [EMPTY] * (game.state.players - len(cards))
    put_stack(game, deck, stack(game, deck) + [n for n in market(game, deck) if n != EMPTY])
    game.state.market[deck] = EMPTY
    for number in cards:
        if number != EMPTY:
            take_out(game, deck, number)
    game.state.market[deck, : len(cards)] = cards


def discard(game: Game, deck: int, name: str) -> None:
    """Lay a card on its discards."""
    number = card(game, deck, name)
    take_out(game, deck, number)
    put_discards(game, deck, [*discards(game, deck), number])


def give_gear(game: Game, player: int, name: str, slot: int = HELD) -> int:
    number = card(game, GEAR_DECK, name)
    take_out(game, GEAR_DECK, number)
    game.state.gear_of[number] = player
    game.state.gear_on[number] = slot
    if slot != HELD:
        add_up(game, player, slot)
    return number


def gear_of(game: Game, player: int) -> dict[str, int]:
    """Give a player's Gear, and on which slot it is."""
    return {
        game.names.gear[n]: int(game.state.gear_on[n])
        for n in range(len(game.names.gear))
        if game.state.gear_of[n] == player
    }


def give_upgrade(game: Game, player: int, slot: int, name: str) -> None:
    state = game.state
    if name in game.names.piles:
        pile = game.names.piles.index(name)
        state.pile[pile] -= 1
        (state.plating if pile == PLATING else state.commlink)[player, slot] = 1
        if pile == COMMLINK:
            state.colour[player, slot] = np.flatnonzero(state.dice[player, slot])[0]
        add_up(game, player, slot)
        return
    number = game.names.unique.index(name)
    left = [int(n) for n in state.unique[: state.n_unique] if n != number]
    state.unique[: len(left)] = left
    state.n_unique = len(left)
    state.upgrade[player, slot] = number
    add_up(game, player, slot)


def unique_pile(game: Game) -> list[str]:
    """Name the '+1 die' Upgrades from the top."""
    return [game.names.unique[n] for n in game.state.unique[: game.state.n_unique]]


def give_loot(game: Game, player: int, *names: str) -> None:
    for name in names:
        number = card(game, LOOT_DECK, name)
        take_out(game, LOOT_DECK, number)
        game.state.loot[player, number] += 1


def loot_of(game: Game, player: int) -> list[str]:
    return [name for n, name in enumerate(game.names.loot) for _ in range(game.state.loot[player, n])]


def give_mission(game: Game, player: int, name: str, *, by_face: bool = False) -> None:
    """Let a player have selected a Mission."""
    number = card(game, MISSION_DECK, name)
    take_out(game, MISSION_DECK, number)
    n = game.state.n_missions[player]
    game.state.missions[player, n] = number
    game.state.mission_reroll[player, n] = by_face
    game.state.n_missions[player] = n + 1


def hand_of(game: Game, player: int) -> list[str]:
    """Name a player's Missions."""
    return [game.names.missions[n] for n in game.state.missions[player, : game.state.n_missions[player]]]


# --- runners --------------------------------------------------------------------------------------------


def add_up(game: Game, player: int, slot: int) -> None:
    """Add up what card, Gear and Upgrades of a runner come to, by the card set: dice and loan value."""
    state = game.state
    parts = [printed(game, game.names.runners[state.card[player, slot]])]
    parts += [printed(game, name) for name, where in gear_of(game, player).items() if where == slot]
    state.dice[player, slot] = [sum(part.dice.get(role, 0) for part in parts) for role in ROLES]
    worn = (state.plating, state.commlink)
    parts += [printed(game, name) for n, name in enumerate(game.names.piles) if worn[n][player, slot]]
    if state.upgrade[player, slot] != EMPTY:
        parts.append(printed(game, game.names.unique[state.upgrade[player, slot]]))
        state.dice[player, slot, ROLES.index(parts[-1].die)] += 1
    state.loan[player, slot] = sum(part.loan for part in parts)


def seat(
    game: Game, player: int, slot: int, name: str, *, gear: tuple[str, ...] = (), condition: int = FIT
) -> None:
    """Put a runner for hire into a slot of a Runner board."""
    number = card(game, RUNNER_DECK, name)
    take_out(game, RUNNER_DECK, number)
    game.state.card[player, slot] = number
    game.state.condition[player, slot] = condition
    game.state.place[player, slot] = AT_HOME
    add_up(game, player, slot)
    for one in gear:
        give_gear(game, player, one, slot)


def recover(game: Game, player: int, slot: int) -> None:
    game.state.condition[player, slot] = RECOVERING


def set_dice(game: Game, player: int, slot: int, **dice: int) -> None:
    """Let a runner roll these dice, whatever its cards say."""
    game.state.dice[player, slot] = [dice.get(role, 0) for role in ROLES]


def make_strong(game: Game, player: int, slot: int, each: int = 5) -> None:
    """Let a runner roll that many dice of every colour."""
    set_dice(game, player, slot, **dict.fromkeys(ROLES, each))


def team(game: Game, player: int) -> list[str]:
    """Name the runners on a Runner board."""
    return [game.names.runners[n] for n in game.state.card[player] if n != EMPTY]


def coming(game: Game, player: int) -> list[str]:
    """Name the runners that come in Upkeep."""
    return [game.names.runners[n] for n in game.state.coming[player, : game.state.n_coming[player]]]


def slot_of(game: Game, name: str) -> tuple[int, int]:
    """Find a runner: player and slot."""
    where = np.argwhere(game.state.card[: game.state.players] == card(game, RUNNER_DECK, name))
    return int(where[0][0]), int(where[0][1])


# --- actions --------------------------------------------------------------------------------------------


def options(game: Game, kind: str, words: str = "") -> list[Action]:
    """List the legal actions of a kind whose text has the words."""
    return [action for action in game.legal_actions() if action.kind == kind and words in action.text]


def kinds(game: Game) -> set[str]:
    return {action.kind for action in game.legal_actions()}


def do(game: Game, kind: str, words: str = "") -> Game:
    """Carry out the one action of the kind with the words."""
    found = options(game, kind, words)
    assert len(found) == 1, f"{kind} {words!r}: {[*map(str, found)]} of {[*map(str, game.legal_actions())]}"
    game.apply(found[0])
    return game


def place(game: Game, name: str, location: str) -> Game:
    """Place a runner; at the Eye of the Needle add the space: `EYE + " (Mage)"`."""
    where = location if "(" in location or location != EYE else f"{EYE} ("
    return do(game, "PLACE", f"place {name} at {where}")


def where_to(game: Game, name: str, kind: str = "PLACE") -> set[str]:
    """Give the locations where a runner may be placed, or moved."""
    return {LOCATIONS[a.arguments[1]] for a in options(game, kind, f"{name} at ")}


def idle_once(game: Game) -> None:
    """Do as little as may be done: nothing, or stand about at the Crime Mall."""
    if "PASS" in kinds(game):
        do(game, "PASS")
    elif "PLACE" in kinds(game):
        game.apply(options(game, "PLACE", f"at {MALL}")[0])
    elif "DISCARD" in kinds(game):
        game.apply(options(game, "DISCARD")[-1])
    else:
        raise AssertionError(f"nothing to do but {[*map(str, game.legal_actions())]}")


def idle_until(game: Game, there: Callable[[Game], bool]) -> Game:
    for _ in range(200):
        if there(game):
            return game
        idle_once(game)
    raise AssertionError("it never came")


def turn_of(game: Game, player: int) -> Game:
    """Idle until a player is to place a runner; what is being done is left off."""
    return idle_until(game, lambda g: g.player == player and "PLACE" in kinds(g))


def end_placing(game: Game) -> Game:
    """Idle until all runners are placed; where there is nothing to run, until the next round begins."""
    now = game.round
    return idle_until(game, lambda g: g.phase != "Place Runners" or g.round != now)


def end_round(game: Game) -> Game:
    now = game.round
    return idle_until(game, lambda g: g.round == now + 1)


def everybody_placed(game: Game, but: tuple[int, int]) -> Game:
    """Leave one runner alone unplaced, the others at the Crime Mall, and let its player be on."""
    state = game.state
    for player in range(state.players):
        for slot in range(SLOTS):
            if (player, slot) != but and state.card[player, slot] != EMPTY and state.place[player, slot] < 0:
                pin(game, player, slot, MALL)
    state.player = but[0]
    return game


def pin(game: Game, player: int, slot: int, location: str) -> None:
    """Let a pawn stand at a location where nothing is left to do."""
    game.state.place[player, slot] = at(location)
    game.state.there[player, at(location)] += 1
    game.state.perk[player, slot] = NOBODY


# --- dice -----------------------------------------------------------------------------------------------


def ending(
    game: Game, wanted: Callable[[Game], bool], *, actions: tuple[tuple[str, str], ...] = (("ROLL", ""),)
) -> Game:
    """Give a copy of the game in which these actions end as wanted: the first game key that does it."""
    for key in range(4000):
        copy = game.clone()
        copy.state.key = np.uint64(key)
        for kind, words in actions:
            do(copy, kind, words)
        if wanted(copy):
            return copy
    raise AssertionError("no game key among 4000 ends like this")


def endings(game: Game, count: int = 60) -> list[Game]:
    """Give copies of the game after its roll, under different keys."""
    copies = []
    for key in range(count):
        copy = game.clone()
        copy.state.key = np.uint64(key)
        copies.append(do(copy, "ROLL"))
    return copies


def completed(game: Game) -> bool:
    return bool(game.book.completed)


def failed(game: Game) -> bool:
    return not game.book.completed


def boldly(game: Game) -> Game:
    """Let everybody go for icons, and for Loot, whatever happens to the runners."""
    game.orders["policy"] = ICONS_FIRST
    game.orders["weights"][:, :, 2] = 1.0
    return game


def cautiously(game: Game) -> Game:
    """Let everybody weigh the risk: nobody should be hurt."""
    game.orders["policy"] = BALANCED
    game.orders["weights"][:, :, 3] = -0.01
    game.orders["weights"][:, :, 4] = -0.05
    return game


def send(game: Game, mission: str, *names: str) -> Game:
    """Choose a Mission, or the Final Mission where it is being attempted, and its runners; not rolled yet."""
    if mission:
        do(game, "ATTEMPT", mission)
    for name in names:
        do(game, "JOIN", f"send {name}")
    return game


# --- all cards ------------------------------------------------------------------------------------------


def count_cards(game: Game, deck: int) -> Counter[int]:
    """Count the cards of a deck wherever they are: each must be there as often as in the box."""
    state = game.state
    found = Counter(stack(game, deck)) + Counter(discards(game, deck))
    if deck < len(state.market):
        found.update(n for n in market(game, deck) if n != EMPTY)
    if deck == RUNNER_DECK:
        found.update(int(n) for n in state.card[state.card != EMPTY] if n >= game.cards.n_starters)
        for player in range(state.players):
            waiting = state.coming[player, : state.n_coming[player]]
            found.update(int(n) for n in waiting if n >= game.cards.n_starters)
    elif deck == GEAR_DECK:
        found.update(int(n) for n in np.flatnonzero(state.gear_of != NOBODY))
    elif deck == MISSION_DECK:
        for player in range(state.players):
            found.update(int(n) for n in state.missions[player, : state.n_missions[player]])
        if state.trial == A_MISSION:
            found[int(state.mission)] += 1
    else:
        for n in range(len(game.names.loot)):
            found[n] += int(state.loot[:, n].sum())
        found.update(int(n) for n in state.offer[: state.n_offer])
    return +found


def count_upgrades(game: Game, pile: int) -> int:
    """Count the Upgrades of a pile, on runners and not."""
    state = game.state
    if pile == UNIQUE:
        return int(state.n_unique + (state.upgrade != EMPTY).sum())
    worn = state.plating if pile == PLATING else state.commlink
    return int(state.pile[pile] + worn.sum())
