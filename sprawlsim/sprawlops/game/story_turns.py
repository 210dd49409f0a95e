"""The story of a game: what players do with their turns, and whom they send."""

from __future__ import annotations

from typing import NamedTuple

from sprawlsim.sprawlops.game.arrays import (
    AT_FENCE,
    AT_MALL,
    CHOOSING_MISSION,
    CHOOSING_RUNNERS,
    COMMLINK,
    DANTES_INFERNO,
    DOCWAGON,
    EMPTY,
    EYE_OF_THE_NEEDLE,
    FINAL_MISSION,
    FIT,
    GEAR_DECK,
    HEALING,
    HELD,
    HIRING,
    HURT,
    LOCATIONS,
    LOOT_DECK,
    MISSION_DECK,
    MOVING,
    MR_JOHNSON,
    OFFERED,
    PLATING,
    RUNNER_DECK,
    SELECTING,
    STARTERS,
    UPGRADING,
    Record,
)
from sprawlsim.sprawlops.game.crew import is_face
from sprawlsim.sprawlops.game.decks import face_up
from sprawlsim.sprawlops.game.legal import (
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
    LOOT_PRICE,
    MOVE,
    PASS,
    PLACE,
    REFILL,
    REFILL_COST,
    SEE_LOOT,
    SELECT,
    SELL_LOOT,
    SET_COMMLINK,
    TAKE_LOOT,
    TAKE_NUYEN,
    argument,
    kind_of_action,
)
from sprawlsim.sprawlops.game.places import MAGE, TOKEN_COST, placed_beside
from sprawlsim.sprawlops.game.tables import Names
from sprawlsim.sprawlops.game.trials import cost_to_heal
from sprawlsim.sprawlops.game.words import LABELS, counted, player_name, runner_name, trial_name, upgrade_name
from sprawlsim.sprawlops.mission.advice_words import listed

SAMURAI, DECKER, RIGGER, FACE = 0, 1, 3, 4
PERKS = {
    SAMURAI: "the first Stage of a Mission is cleared without a roll",
    DECKER: "a Loot card when the first Stage of a Mission is cleared",
    MAGE: "another runner may move",
    RIGGER: "the last Stage of a Mission is cleared without a roll",
    FACE: "the first-player token in Upkeep",
}
"""What the spaces of the Eye of the Needle give."""
NTH = ("first", "second", "third", "fourth")


class Told(NamedTuple):
    """What telling a game takes beside the game.

    Attributes
    ----------
    cards : record of `CARDS`
    names : Names
    strategies : list of str
        By seat.
    """

    cards: Record
    names: Names
    strategies: list[str]

    def who(self, player: int) -> str:
        """Name a player and the strategy: ``Player 2 (gear-rush)``."""
        return f"{player_name(player)} ({self.strategies[player]})"

    def gear_on(self, game: Record, player: int, slot: int) -> list[str]:
        """Name the Gear of a runner, or, with `HELD`, in hand."""
        every = range(int(self.cards.n_gear))
        return [self.names.gear[g] for g in every if game.gear_of[g] == player and game.gear_on[g] == slot]

    def upgrades_on(self, game: Record, player: int, slot: int) -> list[str]:
        """Name the Upgrades of a runner."""
        told = [self.names.piles[PLATING]] * bool(game.plating[player, slot])
        told += [self.names.piles[COMMLINK]] * bool(game.commlink[player, slot])
        unique = int(game.upgrade[player, slot])
        return told if unique == EMPTY else [*told, self.names.unique[unique]]


def where(location: int, perk: int = 0) -> str:
    """Name a location in a sentence."""
    if location == EYE_OF_THE_NEEDLE:
        return f"the Eye of the Needle ({LABELS[perk]})"
    name = LOCATIONS[location]
    return f"the {name}" if name in {"Crime Mall", "Final Mission"} else name


def tell_action(told: Told, before: Record, after: Record, action: int) -> str:
    """Tell an action of ``before.player`` as a clause: ``buys Datajack for Lazar for 5K``.

    Parameters
    ----------
    told : Told
    before, after : records of `GAME`
        After the action itself: nobody else's turn has begun.
    action : int

    Returns
    -------
    str
        Nothing where there is nothing to tell yet.
    """
    names, player = told.names, int(before.player)
    kind = int(kind_of_action(action))
    a, b, c = (int(argument(action, k)) for k in range(3))
    paid = int(before.nuyen[player] - after.nuyen[player])
    if kind in {PLACE, MOVE}:
        return _tell_place(told, before, after, action)
    if kind == EQUIP:
        at = int(before.gear_on[a])
        of = "" if at == HELD else f" from {runner_name(before, names, player, at)}"
        if b == HELD:
            return f"takes {names.gear[a]}{of} in hand"
        return f"gives {names.gear[a]}{of} to {runner_name(before, names, player, b)}"
    if kind == SET_COMMLINK:
        return f"sets the Commlink of {runner_name(before, names, a, b)} to {LABELS[c]}"
    half = " (Face: half price)" if _face(told, before) and kind in {BUY_GEAR, HIRE} else ""
    if kind == BUY_GEAR:
        return f"buys {names.gear[before.market[GEAR_DECK, a]]} for {paid}K{half}"
    if kind == HIRE:
        return f"hires {names.runners[before.market[RUNNER_DECK, a]]} for {paid}K{half}"
    if kind == BUY_DISCARDED:
        return f"buys {names.gear[a]} from the Gear discards for {paid}K (Face)"
    if kind == HIRE_STARTER:
        return f"calls {names.runners[player * STARTERS + a]} back for nothing"
    if kind == SELECT:
        face = " (Face: one free reroll in it)" if _face(told, before) else ""
        return f"takes the Mission {names.missions[before.market[MISSION_DECK, a]]}{face}"
    if kind == BUY_UPGRADE:
        who = runner_name(before, names, player, int(before.slot))
        return f"buys {upgrade_name(before, names, a)} for {who} for {paid}K"
    return _tell_dealing(told, before, after, kind, a)


def _face(told: Told, game: Record) -> bool:
    return bool(is_face(game, told.cards, int(game.player), int(game.slot)))


def _tell_dealing(told: Told, before: Record, after: Record, kind: int, a: int) -> str:
    """Tell dealings with Loot, tokens and nuyen, and what is let be."""
    names, player = told.names, int(before.player)
    if kind == REFILL:
        empty = [k for k in range(before.players) if before.market[GEAR_DECK, k] == EMPTY]
        new = [names.gear[after.market[GEAR_DECK, k]] for k in empty if after.market[GEAR_DECK, k] != EMPTY]
        return f"refills the Gear Market for {REFILL_COST}K: {', '.join(new)}{reshuffled(before, after)}"
    if kind == SELL_LOOT:
        return f"sells {names.loot[a]} for {LOOT_PRICE}K"
    if kind in {SEE_LOOT, DRAW_LOOT}:
        seen = [names.loot[loot] for loot in after.offer[: after.n_offer]]
        verb = "looks at the top Loot card" if kind == SEE_LOOT else "draws Loot"
        return f"{verb}: {', '.join(seen)}{reshuffled(before, after)}"
    if kind == TAKE_LOOT:
        if before.step == OFFERED:
            return f"buys it for {LOOT_PRICE}K"
        rest = [names.loot[before.offer[k]] for k in range(before.n_offer) if k != a]
        return f"keeps {names.loot[before.offer[a]]}" + (f" and discards {listed(rest)}" if rest else "")
    if kind == BUY_TOKEN:
        return f"buys a DocWagon token for {TOKEN_COST}K"
    if kind == TAKE_NUYEN:
        return f"takes {int(after.nuyen[player] - before.nuyen[player])}K"
    if kind == HEAL:
        own = " (one of them lies on the card already)" if before.own_token[player, a] else ""
        tokens = int(cost_to_heal(before, player, a)) + int(before.own_token[player, a])
        return f"heals {runner_name(before, names, player, a)} with {counted(tokens, 'DocWagon token')}{own}"
    if kind == DISCARD:
        gone = told.upgrades_on(before, player, a)
        kept = told.gear_on(before, player, a)
        text = f"has no place left and lets {runner_name(before, names, player, a)} go"
        text += f"; {listed(gone)} back to the Upgrades" if gone else ""
        return text + (f"; {listed(kept)} back in hand" if kept else "")
    return _tell_pass(told, before) if kind == PASS else ""


def _tell_pass(told: Told, game: Record) -> str:
    """Tell what a player lets be."""
    player = int(game.player)
    if game.step == CHOOSING_RUNNERS:
        return f"gives up {trial_name(game, told.names)}: nobody goes"
    if game.step == CHOOSING_MISSION:
        hand = [told.names.missions[m] for m in game.missions[player, : game.n_missions[player]]]
        return f"does not attempt {listed(hand)}"
    if game.busy and game.step in {AT_MALL, AT_FENCE}:
        return "buys nothing" if game.step == AT_MALL else ""
    return {
        AT_MALL: "buys nothing",
        AT_FENCE: "neither buys nor sells",
        OFFERED: "does not buy it, and it is discarded",
        MOVING: "moves nobody",
        HIRING: "hires nobody",
        SELECTING: "takes no Mission",
        UPGRADING: "buys nothing",
        HEALING: "heals nobody now",
    }.get(int(game.step), "")


def reshuffled(before: Record, after: Record) -> str:
    """Tell in brackets which discards were shuffled into a new deck."""
    decks = {RUNNER_DECK: "Shadowrunner", GEAR_DECK: "Gear", MISSION_DECK: "Mission", LOOT_DECK: "Loot"}
    names = [name for deck, name in decks.items() if after.shuffles[deck] != before.shuffles[deck]]
    return f" (the {listed(names)} discards were shuffled into a new deck)" if names else ""


def _tell_place(told: Told, before: Record, after: Record, action: int) -> str:
    """Tell where a runner is put down, and what that brings at once."""
    player = int(before.player)
    slot, location, perk = (int(argument(action, k)) for k in range(3))
    name = runner_name(before, told.names, player, slot)
    if before.condition[player, slot] != FIT:
        name += " (recovering)" if before.condition[player, slot] != HURT else " (injured)"
    if kind_of_action(action) == PLACE:
        text = f"places {name} at {where(location, perk)}"
    else:
        start = int(before.place[player, slot])
        text = f"moves {name} from {where(start, int(before.perk[player, slot]))} to {where(location, perk)}"
    gained = int(after.nuyen[player] - before.nuyen[player])
    if location == DANTES_INFERNO:
        hire = "not for hire while recovering" if before.condition[player, slot] != FIT else "for hire"
        text += f": earns {gained}K and a DocWagon token of its own; {hire}"
    elif location == DOCWAGON:
        tokens = counted(int(after.tokens[player] - before.tokens[player]), "DocWagon token")
        text += f": {tokens}" + (" (Face: one more)" if is_face(after, told.cards, player, slot) else "")
    elif location == EYE_OF_THE_NEEDLE:
        text += f": {PERKS[perk]}"
        if perk == MAGE and not placed_beside(after, player, slot):
            text += ", but no other is on the board"
    elif location == FINAL_MISSION:
        text += f": {NTH[after.n_reserved - 1]} in line to attempt it"
    elif location == MR_JOHNSON and not face_up(after, MISSION_DECK):
        text += ": no Mission is left there"
    return text
