"""What must hold in every whole game, written down a second time: from the rulebook, for compiled loops.

Nothing here calls the package's rules to decide what is right. States are recounted from the card tables;
legal actions are listed anew by `allowed`; `foretell` says what an action makes of a state, as far as chance
does not decide; and `play_games` has a random player play, checking all of it at every action.

A check gives `FINE` or the number of what is wrong, in words in `WRONG`.
"""
# ruff: noqa: PLR1714, SIM109, SIM110 - numba compiles no generators and no mixed tuples

import numpy as np
from numba import njit

from sprawlsim.sprawlops.game.actions import apply
from sprawlsim.sprawlops.game.arrays import (
    A_FINAL,
    A_MISSION,
    A_TASK,
    ABSENT,
    AT_DOCWAGON,
    AT_FENCE,
    AT_HOME,
    AT_MALL,
    ATTEMPT_FINAL,
    BEFORE_TASK,
    BODYGUARD_WORK,
    CHOOSING_MISSION,
    CHOOSING_RUNNERS,
    CRIME_MALL,
    DANTES_INFERNO,
    DATASTEAL,
    DEGEARS_LAIR,
    DISCARDING,
    DOCWAGON,
    EMPTY,
    EYE_OF_THE_NEEDLE,
    FINAL_MISSION,
    FIT,
    GAME_OVER,
    GEAR_DECK,
    HANNIBELLES_HOST,
    HEALING,
    HELD,
    HIRING,
    HURT,
    KEEPING,
    LOOT_DECK,
    MAXS_IRONWORKS,
    MISSION_DECK,
    MOVING,
    MR_JOHNSON,
    NO_TRIAL,
    NOBODY,
    OFFERED,
    ON_BOARD,
    ON_THE_WAY,
    OVER,
    PLACE_RUNNERS,
    PLACING,
    RECOVERING,
    RUN_MISSIONS,
    RUNNER_DECK,
    SELECTING,
    SET_ASIDE,
    STOLEN,
    UPGRADING,
    UPKEEP,
)
from sprawlsim.sprawlops.game.decks import COPY_STEP
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
    KINDS,
    MOVE,
    PASS,
    PLACE,
    REFILL,
    ROLL,
    SEE_LOOT,
    SELECT,
    SELL_LOOT,
    SET_COMMLINK,
    TAKE_LOOT,
    TAKE_NUYEN,
    USE_PERK,
    legal_actions,
)
from sprawlsim.sprawlops.game.rounds import set_up_game

PLAYERS, SLOTS, LOCATIONS, ROLES, STARTERS = 4, 4, 11, 5, 3
SAMURAI, DECKER, MAGE, RIGGER, FACE = range(ROLES)
PLATING, COMMLINK, DIE = range(3)
UP, INJURED, RESCUED, DEAD = range(4)
TEAM, HAND = 8, 16

(
    FINE,
    BAD_NUMBERS,
    RUNNER_CARDS,
    GEAR_CARDS,
    GEAR_MISPLACED,
    MISSION_CARDS,
    LOOT_CARDS,
    UPGRADE_CARDS,
    BELOW_ZERO,
    ABSENT_PLAYER,
    DICE_COUNT,
    LOAN_COUNT,
    COMMLINK_COLOUR,
    PAWN_COUNT,
    EYE_SPACES,
    LOCATION_LIMIT,
    PAWN_CONDITION,
    RESERVATIONS,
    LEFTOVERS,
    BAD_TEAM,
    BAD_PHASE,
    BAD_START,
    STUCK,
    LISTED_TWICE,
    FORBIDDEN,
    NOT_LISTED,
    LISTING_CHANGED,
    ORIGINAL_CHANGED,
    NUYEN,
    TOKENS,
    RUNNERS_MOVED,
    CONDITIONS,
    PLACES,
    EQUIPMENT,
    COLOURS_CHANGED,
    GEAR_CHANGED,
    HANDS,
    STARTERS_CHANGED,
    COMING,
    PERKS,
    MARKETS,
    DISCARDS,
    UNIQUE_PILE,
    WHO_IS_NEXT,
    FIRST_PLAYER,
    FIXED,
    TRIAL,
    TRIAL_SCENE,
    TRIAL_HARM,
    TRIAL_LOOT,
    TRIAL_NUMBER,
    REPLAY,
) = range(52)
WRONG = {
    BAD_NUMBERS: "a number is out of its range",
    RUNNER_CARDS: "a runner card is missing, double, or where it cannot be",
    GEAR_CARDS: "a Gear card is missing or double",
    GEAR_MISPLACED: "Gear is with nobody, or with a runner who does not meet its requirement",
    MISSION_CARDS: "a Mission is missing or double",
    LOOT_CARDS: "a Loot card is missing or double",
    UPGRADE_CARDS: "an Upgrade is missing, double, or one of two of its kind on a runner",
    BELOW_ZERO: "nuyen, tokens or Loot below zero",
    ABSENT_PLAYER: "somebody has something who does not play",
    DICE_COUNT: "the dice noted are not those of card, Gear and Upgrades",
    LOAN_COUNT: "the loan value noted is not that of card, Gear and Upgrades",
    COMMLINK_COLOUR: "a Commlink's colour is none of its runner's",
    PAWN_COUNT: "the pawns noted at a location are not those that are there",
    EYE_SPACES: "the Eye's spaces noted are not those covered, or one is covered without the role",
    LOCATION_LIMIT: "too many runners at a location",
    PAWN_CONDITION: "an injured or recovering runner is where such a one may not be placed",
    RESERVATIONS: "the reservations of the Final Mission are not those of the pawns there",
    LEFTOVERS: "something of an action that is over was left behind",
    BAD_TEAM: "somebody is on a team who cannot be, or cannot be paid",
    BAD_PHASE: "the step does not belong to the phase",
    BAD_START: "the setup is not the rulebook's",
    STUCK: "nothing is legal, and the game is not over",
    LISTED_TWICE: "a legal action is listed twice",
    FORBIDDEN: "an action is listed that the rules forbid",
    NOT_LISTED: "an action is not listed that the rules allow",
    LISTING_CHANGED: "listing the legal actions changed the game",
    ORIGINAL_CHANGED: "an action on a copy changed the original",
    NUYEN: "somebody's nuyen are not what the rules make of them",
    TOKENS: "somebody's DocWagon tokens are not what the rules make of them",
    RUNNERS_MOVED: "the Runner boards are not what the rules make of them",
    CONDITIONS: "who is injured, recovering, or was on a Mission is not what the rules make of it",
    PLACES: "the pawns are not where the rules have them",
    EQUIPMENT: "Upgrades are not what the rules make of them",
    COLOURS_CHANGED: "a Commlink changed its colour by itself",
    GEAR_CHANGED: "Gear is not where the rules have it",
    HANDS: "Loot or Missions in hand are not what the rules make of them",
    STARTERS_CHANGED: "the starting runners aside are not what the rules make of them",
    COMING: "the runners hired are not what the rules make of them",
    PERKS: "the Eye's perks are not what the rules make of them",
    MARKETS: "a market is not what the rules make of it",
    DISCARDS: "a discard pile is not what the rules make of it",
    UNIQUE_PILE: "the pile of '+1 die' Upgrades is not in the order that the rules give it",
    WHO_IS_NEXT: "the next decision is another than the rules say",
    FIRST_PLAYER: "the wrong player has the first-player token",
    FIXED: "something changed that never does",
    TRIAL: "what a Mission, Task or the Final Mission told of itself is impossible",
    TRIAL_SCENE: "the dice, Loot, tokens or perks of a team were not what it has",
    TRIAL_HARM: "injuries, deaths or tokens spent in a trial are impossible",
    TRIAL_LOOT: "Loot won or used in a trial is impossible",
    TRIAL_NUMBER: "two trials of a game have the same number, and so the same dice",
    REPLAY: "the log of a game does not reproduce it",
}

(
    FIFTH_RUNNER,
    DEATH,
    DEATH_WITH_GEAR,
    UPGRADE_RETURNED,
    RESCUE,
    RESCUE_BY_DANTES_TOKEN,
    HEALED,
    HEALED_BY_OWNER_OF_HIRED,
    HURT_IN_TASK,
    PLATE_USED,
    SHUFFLED_RUNNERS,
    SHUFFLED_GEAR,
    SHUFFLED_MISSIONS,
    SHUFFLED_LOOT,
    HIRED_OUT,
    HIRED_FOR_FINAL,
    SAMURAI_PERK,
    DECKER_PERK,
    MAGE_PERK,
    FACE_PERK,
    RIGGER_PERK,
    PERK_KEPT,
    RESERVATION_MOVED,
    FINAL_TRIED,
    FINAL_TRIED_SECOND,
    FINAL_WON,
    STARTER_AGAIN,
    EVERYBODY_LOST,
    LOOT_USED,
    LOOT_WON,
    STAGE_PAID,
    COMPLETED,
    FULL_GEAR_BOUGHT,
    PILE_SOLD_OUT,
    MARKET_NOT_FULL,
    TWO_MISSIONS,
    TASK_TWICE,
    GAMES_OVER,
) = range(38)
EVENTS = (
    "a fifth runner makes somebody discard",
    "a death",
    "a death of a runner with Gear",
    "an Upgrade goes back to its pile",
    "a rescue",
    "a rescue by the token of Dante's Inferno",
    "an injury healed",
    "a hired runner healed by its owner",
    "an injury in a Task",
    "an injury taken by Dermal Plating",
    "runners shuffled",
    "Gear shuffled",
    "Missions shuffled",
    "Loot shuffled",
    "a runner hired out of Dante's Inferno",
    "a runner hired for the Final Mission",
    "Samurai perk",
    "Decker perk",
    "Mage perk",
    "Face perk",
    "Rigger perk",
    "a perk kept for another Mission",
    "a reservation of the Final Mission moved away",
    "Final Mission tried",
    "Final Mission tried by a second player in a round",
    "Final Mission completed",
    "a starting runner hired again",
    "starting runners back for somebody without any",
    "Loot used",
    "Loot won",
    "a Stage paid",
    "a Mission completed",
    "Gear bought out of the discards",
    "a pile of Upgrades sold out",
    "a market not full after Upkeep",
    "a second Mission in a round",
    "the same Task tried twice by a player in a round",
    "a game over",
)

ASKED, TURN, WHOSE = range(3)
"""Of the memory of a round: how many were asked for the Final; how many players' Missions are through; whose
trial it was that may leave somebody to heal."""

# --- What a state says, read without the package's help


@njit(error_model="numpy")
def shows(game, cards, player, slot, role):
    """Tell whether the runner's card shows a role icon."""
    return (cards.runner_roles[game.card[player, slot]] >> role) & 1 == 1


@njit(error_model="numpy")
def loan(game, cards, player, slot):
    """Add up the gray nuyen icons of a runner and what it has."""
    total = cards.runner_loan[game.card[player, slot]]
    if game.plating[player, slot] > 0:
        total += cards.pile_loan[PLATING]
    if game.commlink[player, slot] > 0:
        total += cards.pile_loan[COMMLINK]
    if game.upgrade[player, slot] != EMPTY:
        total += cards.unique_loan[game.upgrade[player, slot]]
    for gear in range(cards.n_gear):
        if game.gear_of[gear] == player and game.gear_on[gear] == slot:
            total += cards.gear_loan[gear]
    return total


@njit(error_model="numpy")
def dice_of(game, cards, player, slot, colour):
    """Count a runner's dice of a colour, the Commlink's not among them."""
    card = game.card[player, slot]
    if card == EMPTY:
        return 0
    total = cards.runner_dice[card, colour]
    for gear in range(cards.n_gear):
        if game.gear_of[gear] == player and game.gear_on[gear] == slot:
            total += cards.gear_dice[gear, colour]
    upgrade = game.upgrade[player, slot]
    if upgrade != EMPTY and cards.unique_colour[upgrade] == colour:
        total += 1
    return total


@njit(error_model="numpy")
def half_for_face(game, cards, cost):
    """Give the price for the runner who acts: a Face pays half, rounded up."""
    if shows(game, cards, game.player, game.slot, FACE):
        return cost // 2 + cost % 2
    return cost


@njit(error_model="numpy")
def pawns(game, player, location):
    """Count the pawns of a player at a location; of all players for player `NOBODY`."""
    count = 0
    for p in range(0 if player == NOBODY else player, game.players if player == NOBODY else player + 1):
        for slot in range(SLOTS):
            if game.card[p, slot] != EMPTY and game.place[p, slot] == location:
                count += 1
    return count


@njit(error_model="numpy")
def runners(game, player):
    """Count the runners on a Runner board."""
    count = 0
    for slot in range(SLOTS):
        if game.card[player, slot] != EMPTY:
            count += 1
    return count


@njit(error_model="numpy")
def most(game, location):
    """Give the most runners at a location, all players together (Appendix A)."""
    if location == BODYGUARD_WORK or location == DATASTEAL or location == FINAL_MISSION:
        return game.players
    if location == DEGEARS_LAIR:
        return 1
    if location == EYE_OF_THE_NEEDLE or location == MAXS_IRONWORKS:
        return game.players - 1
    if location == HANNIBELLES_HOST:
        return game.players
    return PLAYERS * SLOTS


@njit(error_model="numpy")
def has_limit(location):
    """Tell the locations that do not take everybody."""
    unlimited = location == CRIME_MALL or location == DANTES_INFERNO
    return not unlimited and location != DOCWAGON and location != MR_JOHNSON


@njit(error_model="numpy")
def one_of_each_player(location):
    """Tell the locations with a limit of one runner of each player."""
    return location == BODYGUARD_WORK or location == DATASTEAL or location == FINAL_MISSION


@njit(error_model="numpy")
def may_stand(game, cards, player, slot, location, role):
    """Tell whether a runner may be put down at a location (Appendix A)."""
    if location < 0 or location >= LOCATIONS or role < 0 or role >= ROLES:
        return False
    if role != 0 and location != EYE_OF_THE_NEEDLE:
        return False
    if has_limit(location) and pawns(game, NOBODY, location) >= most(game, location):
        return False
    if one_of_each_player(location):
        return game.condition[player, slot] == FIT and pawns(game, player, location) == 0
    if location == EYE_OF_THE_NEEDLE:
        if not shows(game, cards, player, slot, role):
            return False
        for p in range(game.players):
            for s in range(SLOTS):
                if game.card[p, s] != EMPTY and game.place[p, s] == location and game.perk[p, s] == role:
                    return False
    return True


@njit(error_model="numpy")
def can_go(game, owner, slot):
    """Tell whether a runner can go on a Mission of its own player ("Choose Runners")."""
    if game.card[owner, slot] == EMPTY or game.condition[owner, slot] != FIT or game.ran[owner, slot] != 0:
        return False
    place = game.place[owner, slot]
    return place != DANTES_INFERNO and place != BODYGUARD_WORK and place != DATASTEAL


@njit(error_model="numpy")
def can_be_hired(game, hirer, owner, slot):
    """Tell whether a runner is for hire at Dante's Inferno."""
    if owner == hirer or game.card[owner, slot] == EMPTY or game.place[owner, slot] != DANTES_INFERNO:
        return False
    return game.condition[owner, slot] == FIT and game.ran[owner, slot] == 0


@njit(error_model="numpy")
def has_somebody(game, cards, player):
    """Tell whether a player has anybody to send on a Mission, or can pay for somebody."""
    for owner in range(game.players):
        for slot in range(SLOTS):
            if owner == player and can_go(game, owner, slot):
                return True
            if (
                can_be_hired(game, player, owner, slot)
                and loan(game, cards, owner, slot) <= game.nuyen[player]
            ):
                return True
    return False


@njit(error_model="numpy")
def price_of_team(game, cards):
    """Add up the loan values of the hired runners chosen."""
    total = 0
    for k in range(game.n_team):
        if game.team_of[k] != game.player:
            total += loan(game, cards, game.team_of[k], game.team_slot[k])
    return total


@njit(error_model="numpy")
def is_chosen(game, owner, slot):
    """Tell whether a runner is on the team."""
    for k in range(game.n_team):
        if game.team_of[k] == owner and game.team_slot[k] == slot:
            return True
    return False


@njit(error_model="numpy")
def cards_left(game, deck):
    """Count the cards of a deck and its discards."""
    return game.n_draw[deck] + game.n_discard[deck]


@njit(error_model="numpy")
def shown(game, deck):
    """Count the face-up cards of a market."""
    count = 0
    for slot in range(game.players):
        if game.market[deck, slot] != EMPTY:
            count += 1
    return count


# --- Invariants of a state


@njit(error_model="numpy")
def count_deck(game, deck, seen):
    """Count the cards of a deck, its discards and its market into `seen`."""
    for k in range(game.n_draw[deck]):
        seen[game.draw[deck, k] % COPY_STEP] += 1
    for k in range(game.n_discard[deck]):
        seen[game.discard[deck, k]] += 1
    if deck == LOOT_DECK:
        return
    for slot in range(game.players):
        if game.market[deck, slot] != EMPTY:
            seen[game.market[deck, slot]] += 1


@njit(error_model="numpy")
def is_own_starter(game, player, card, where):
    """Tell whether a starting runner is of the player's set, and noted to be where it is."""
    return card // STARTERS == player and game.starter[player, card % STARTERS] == where


@njit(error_model="numpy")
def check_runner_cards(game, cards, seen):
    """Every runner card is in one place; a starting runner only ever with its player."""
    seen[:] = 0
    count_deck(game, RUNNER_DECK, seen)
    for card in range(cards.n_starters):
        if seen[card] != 0:
            return RUNNER_CARDS
    for p in range(game.players):
        for slot in range(SLOTS):
            card = game.card[p, slot]
            if card == EMPTY:
                continue
            seen[card] += 1
            if card < cards.n_starters and (
                card // STARTERS != p or game.starter[p, card % STARTERS] != ON_BOARD
            ):
                return RUNNER_CARDS
        for k in range(game.n_coming[p]):
            card = game.coming[p, k]
            seen[card] += 1
            if card < cards.n_starters and (
                card // STARTERS != p or game.starter[p, card % STARTERS] != ON_THE_WAY
            ):
                return RUNNER_CARDS
        for k in range(STARTERS):
            if game.starter[p, k] == SET_ASIDE:
                seen[p * STARTERS + k] += 1
    for card in range(seen.size):
        in_play = card < game.players * STARTERS or (cards.n_starters <= card < cards.n_runners)
        if seen[card] != (1 if in_play else 0):
            return RUNNER_CARDS
    return FINE


@njit(error_model="numpy")
def check_gear(game, cards, seen):
    """Every Gear card is in one place, and equipped only to a runner with the role icon."""
    seen[:] = 0
    count_deck(game, GEAR_DECK, seen)
    for gear in range(game.gear_of.size):
        owner, slot = game.gear_of[gear], game.gear_on[gear]
        if owner == NOBODY:
            if slot != HELD:
                return GEAR_MISPLACED
            continue
        seen[gear] += 1
        if owner < 0 or owner >= game.players or slot < 0 or slot > HELD:
            return GEAR_MISPLACED
        if slot != HELD:
            card = game.card[owner, slot]
            if card == EMPTY or cards.runner_roles[card] & cards.gear_roles[gear] == 0:
                return GEAR_MISPLACED
    for gear in range(seen.size):
        if seen[gear] != (1 if gear < cards.n_gear else 0):
            return GEAR_CARDS
    return FINE


@njit(error_model="numpy")
def check_missions_and_loot(game, cards, seen):
    """Every Mission is in one place; of every Loot card there are as many as in the box."""
    seen[:] = 0
    count_deck(game, MISSION_DECK, seen)
    for p in range(game.players):
        for k in range(game.n_missions[p]):
            seen[game.missions[p, k]] += 1
    if game.trial == A_MISSION:
        seen[game.mission] += 1
    for card in range(seen.size):
        if seen[card] != (1 if card < cards.n_missions else 0):
            return MISSION_CARDS
    seen[:] = 0
    count_deck(game, LOOT_DECK, seen)
    for k in range(game.n_offer):
        seen[game.offer[k]] += 1
    for p in range(PLAYERS):
        for loot in range(game.loot.shape[1]):
            if game.loot[p, loot] < 0:
                return BELOW_ZERO
            seen[loot] += game.loot[p, loot]
    for loot in range(seen.size):
        if seen[loot] != (cards.loot_copies[loot] if loot < cards.n_loot else 0):
            return LOOT_CARDS
    return FINE


@njit(error_model="numpy")
def check_upgrades(game, cards, seen):
    """Every Upgrade is on its pile or on a runner, one of each kind at most."""
    seen[:] = 0
    plates, links = np.int64(game.pile[PLATING]), np.int64(game.pile[COMMLINK])
    if plates < 0 or links < 0:
        return UPGRADE_CARDS
    for k in range(game.n_unique):
        seen[game.unique[k]] += 1
    for p in range(PLAYERS):
        for slot in range(SLOTS):
            plating, link, upgrade = game.plating[p, slot], game.commlink[p, slot], game.upgrade[p, slot]
            if plating < 0 or plating > 1 or link < 0 or link > 1:
                return UPGRADE_CARDS
            if game.card[p, slot] == EMPTY and (plating != 0 or link != 0 or upgrade != EMPTY):
                return UPGRADE_CARDS
            plates += plating
            links += link
            if upgrade != EMPTY:
                seen[upgrade] += 1
    if plates != cards.pile_count[PLATING] or links != cards.pile_count[COMMLINK]:
        return UPGRADE_CARDS
    for card in range(seen.size):
        if seen[card] != (1 if card < cards.n_unique else 0):
            return UPGRADE_CARDS
    return FINE


@njit(error_model="numpy")
def count_dice(game, cards, seen):
    """Count the dice of all runners into `seen`, by player, slot and colour, without the Commlinks'."""
    seen[:] = 0
    for p in range(game.players):
        for slot in range(SLOTS):
            first = (p * SLOTS + slot) * ROLES
            if game.card[p, slot] != EMPTY:
                for colour in range(ROLES):
                    seen[first + colour] = cards.runner_dice[game.card[p, slot], colour]
                if game.upgrade[p, slot] != EMPTY:
                    seen[first + cards.unique_colour[game.upgrade[p, slot]]] += 1
    for gear in range(cards.n_gear):
        if game.gear_of[gear] != NOBODY and game.gear_on[gear] != HELD:
            for colour in range(ROLES):
                first = (game.gear_of[gear] * SLOTS + game.gear_on[gear]) * ROLES
                seen[first + colour] += cards.gear_dice[gear, colour]


@njit(error_model="numpy")
def check_runners(game, cards, seen):
    """The dice noted are those of the cards; the condition of each runner is one it can have where it is."""
    count_dice(game, cards, seen)
    for p in range(game.players):
        for slot in range(SLOTS):
            for colour in range(ROLES):
                if game.dice[p, slot, colour] != seen[(p * SLOTS + slot) * ROLES + colour]:
                    return DICE_COUNT
            if game.loan[p, slot] != (0 if game.card[p, slot] == EMPTY else loan(game, cards, p, slot)):
                return LOAN_COUNT
            if game.dented[p, slot] < 0 or game.dented[p, slot] > game.plating[p, slot]:
                return LEFTOVERS
            colour = game.colour[p, slot]
            if game.commlink[p, slot] != 0:
                if colour < 0 or colour >= ROLES or game.dice[p, slot, colour] == 0:
                    return COMMLINK_COLOUR
            elif colour != 0:
                return COMMLINK_COLOUR
            condition, place, heal = game.condition[p, slot], game.place[p, slot], game.heal[p, slot]
            if game.card[p, slot] == EMPTY:
                if condition != FIT or place != AT_HOME or heal != 0 or game.ran[p, slot] != 0:
                    return LEFTOVERS
                if game.own_token[p, slot] != 0:
                    return LEFTOVERS
                continue
            if condition < FIT or condition > RECOVERING or place < AT_HOME or place >= LOCATIONS:
                return BAD_NUMBERS
            if game.own_token[p, slot] < 0 or game.own_token[p, slot] > 1 or game.ran[p, slot] < 0:
                return BAD_NUMBERS
            if condition == RECOVERING and (one_of_each_player(place) or game.ran[p, slot] != 0):
                return PAWN_CONDITION
            if game.phase == PLACE_RUNNERS and place == FINAL_MISSION and condition != FIT:
                return PAWN_CONDITION
            if condition == HURT and (
                place == AT_HOME or (game.phase == PLACE_RUNNERS and game.tasks[p] == 0)
            ):
                return PAWN_CONDITION
            if heal != 0 and (condition != HURT or (game.step != HEALING and game.step != OVER)):
                return LEFTOVERS
            if game.ran[p, slot] != 0 and (game.phase == PLACE_RUNNERS or game.phase == UPKEEP):
                return LEFTOVERS
            if (game.phase == ATTEMPT_FINAL or game.phase == RUN_MISSIONS) and place == AT_HOME:
                return PLACES
    return FINE


@njit(error_model="numpy")
def check_places(game, cards, seen):
    """No location has more pawns than it may; what is noted of them is so."""
    seen[:] = 0
    for p in range(game.players):
        for slot in range(SLOTS):
            if game.card[p, slot] != EMPTY and game.place[p, slot] != AT_HOME:
                seen[p * LOCATIONS + game.place[p, slot]] += 1
    spaces = 0
    at_final = 0
    for location in range(LOCATIONS):
        present = 0
        for p in range(game.players):
            own = seen[p * LOCATIONS + location]
            if own != game.there[p, location]:
                return PAWN_COUNT
            if one_of_each_player(location) and own > 1:
                return LOCATION_LIMIT
            present += own
        if present > most(game, location):
            return LOCATION_LIMIT
        if location == FINAL_MISSION:
            at_final = present
    for p in range(game.players):
        for slot in range(SLOTS):
            role = game.perk[p, slot]
            if (role != NOBODY) != (game.place[p, slot] == EYE_OF_THE_NEEDLE):
                return EYE_SPACES
            if role == NOBODY:
                continue
            if role < 0 or role >= ROLES or spaces >> role & 1 or not shows(game, cards, p, slot, role):
                return EYE_SPACES
            spaces |= 1 << np.int64(role)
    if spaces != game.eye:
        return EYE_SPACES
    if game.phase == PLACE_RUNNERS and game.n_reserved != at_final:
        return RESERVATIONS
    for k in range(game.n_reserved):
        player = game.reserved[k]
        if game.phase == PLACE_RUNNERS and pawns(game, player, FINAL_MISSION) != 1:
            return RESERVATIONS
        for j in range(k):
            if game.reserved[j] == player:
                return RESERVATIONS
    return FINE


@njit(error_model="numpy")
def check_absent(game):
    """Whoever does not play has nothing."""
    for p in range(game.players, PLAYERS):
        if game.nuyen[p] != 0 or game.tokens[p] != 0 or game.n_missions[p] != 0 or game.n_coming[p] != 0:
            return ABSENT_PLAYER
        for slot in range(SLOTS):
            if game.card[p, slot] != EMPTY or game.place[p, slot] != AT_HOME:
                return ABSENT_PLAYER
        for loot in range(game.loot.shape[1]):
            if game.loot[p, loot] != 0:
                return ABSENT_PLAYER
        for deck in range(3):
            if game.market[deck, p] != EMPTY:
                return ABSENT_PLAYER
    return FINE


@njit(error_model="numpy")
def phase_of(step):
    """Give the phase that a step belongs to; `HEALING` and the choice of runners come in two."""
    if step <= UPGRADING:
        return PLACE_RUNNERS
    if step == DISCARDING:
        return UPKEEP
    return GAME_OVER if step == OVER else RUN_MISSIONS


@njit(error_model="numpy")
def check_step(game, cards):
    """The step belongs to the phase, and is one that this player can be at."""
    step, player = game.step, game.player
    if not (2 <= game.players <= PLAYERS and 0 <= player < game.players and 0 <= game.first < game.players):
        return BAD_NUMBERS
    if (
        step < PLACING
        or step > OVER
        or game.round_number < 1
        or game.final < 0
        or game.final >= cards.n_finals
    ):
        return BAD_NUMBERS
    phase = phase_of(step)
    if phase != game.phase:
        if game.phase != ATTEMPT_FINAL or (step != HEALING and step != CHOOSING_RUNNERS):
            return BAD_PHASE
    if (game.winner != NOBODY) != (step == OVER) or (step == OVER and game.winner != player):
        return BAD_PHASE
    for p in range(game.players):
        if game.nuyen[p] < 0 or game.tokens[p] < 0:
            return BELOW_ZERO
        if (
            game.n_missions[p] < 0
            or game.n_missions[p] > HAND
            or game.n_coming[p] < 0
            or game.n_coming[p] > HAND
        ):
            return BAD_NUMBERS
    if (game.trial != NO_TRIAL) != (step == CHOOSING_RUNNERS):
        return LEFTOVERS
    if step == OFFERED:
        if game.n_offer != 1:
            return LEFTOVERS
    elif step == KEEPING:
        if game.n_offer < 1 or game.n_offer > cards.loot_draw:
            return LEFTOVERS
    elif game.n_offer != 0:
        return LEFTOVERS
    if step == DISCARDING and (runners(game, player) != SLOTS or game.n_coming[player] == 0):
        return BAD_PHASE
    if phase == PLACE_RUNNERS and step != PLACING:
        if game.card[player, game.slot] == EMPTY or not stands_for(
            np.int64(game.place[player, game.slot]), step
        ):
            return BAD_PHASE
    return check_team(game, cards) if step == CHOOSING_RUNNERS else FINE


@njit(error_model="numpy")
def stands_for(location, step):
    """Tell whether a step is one of the action of a runner placed at a location."""
    if location == CRIME_MALL:
        return step == AT_MALL
    if location == DEGEARS_LAIR:
        return step == AT_FENCE or step == OFFERED
    if location == DOCWAGON:
        return step == AT_DOCWAGON
    if location == BODYGUARD_WORK:
        return step == BEFORE_TASK
    if location == DATASTEAL:
        return step == BEFORE_TASK or step == STOLEN or step == KEEPING
    if location == EYE_OF_THE_NEEDLE:
        return step == MOVING
    if location == HANNIBELLES_HOST:
        return step == HIRING
    if location == MR_JOHNSON:
        return step == SELECTING
    return location == MAXS_IRONWORKS and step == UPGRADING


@njit(error_model="numpy")
def check_team(game, cards):
    """Everybody on the team can go, nobody twice, and the hired can be paid."""
    if game.n_team < 0 or game.n_team > TEAM:
        return BAD_TEAM
    for k in range(game.n_team):
        owner, slot = game.team_of[k], game.team_slot[k]
        for j in range(k):
            if game.team_of[j] == owner and game.team_slot[j] == slot:
                return BAD_TEAM
        if owner == game.player:
            if not can_go(game, owner, slot):
                return BAD_TEAM
        elif not can_be_hired(game, game.player, owner, slot):
            return BAD_TEAM
    if price_of_team(game, cards) > game.nuyen[game.player]:
        return BAD_TEAM
    if game.trial == A_FINAL and (
        game.phase != ATTEMPT_FINAL or game.perks != 0 or game.mission != game.final
    ):
        return BAD_TEAM
    if game.trial == A_MISSION and game.phase != RUN_MISSIONS:
        return BAD_TEAM
    return BAD_TEAM if game.trial == A_TASK else FINE


@njit(error_model="numpy")
def check_state(game, cards, seen):
    """All that holds of a state by itself."""
    wrong = check_step(game, cards)
    if wrong == FINE:
        wrong = check_runner_cards(game, cards, seen)
    if wrong == FINE:
        wrong = check_gear(game, cards, seen)
    if wrong == FINE:
        wrong = check_missions_and_loot(game, cards, seen)
    if wrong == FINE:
        wrong = check_upgrades(game, cards, seen)
    if wrong == FINE:
        wrong = check_runners(game, cards, seen)
    if wrong == FINE:
        wrong = check_places(game, cards, seen)
    if wrong == FINE:
        wrong = check_absent(game)
    return wrong


@njit(error_model="numpy")
def check_start(game, cards):
    """The rulebook's "Setup"; the first player is player 0 here."""
    if game.round_number != 1 or game.phase != PLACE_RUNNERS or game.step != PLACING:
        return BAD_START
    if game.player != 0 or game.first != 0 or game.winner != NOBODY or game.decisions != 0:
        return BAD_START
    for p in range(game.players):
        if game.nuyen[p] != 20 or game.tokens[p] != 0 or game.n_missions[p] != 0 or game.n_coming[p] != 0:
            return BAD_START
        if game.card[p, STARTERS] != EMPTY:
            return BAD_START
        for slot in range(STARTERS):
            card = game.card[p, slot]
            role = SAMURAI if slot == 0 else DECKER if slot == 1 else FACE
            if card != p * STARTERS + slot or cards.runner_roles[card] != 1 << role:
                return BAD_START
            if game.condition[p, slot] != FIT or game.place[p, slot] != AT_HOME:
                return BAD_START
    for deck in range(3):
        if shown(game, deck) != game.players or game.n_discard[deck] != 0:
            return BAD_START
    for gear in range(cards.n_gear):
        if game.gear_of[gear] != NOBODY:
            return BAD_START
    if game.n_discard[LOOT_DECK] != 0 or game.n_unique != cards.n_unique or game.pile[PLATING] != 5:
        return BAD_START
    return BAD_START if game.pile[COMMLINK] != 5 else FINE


# --- Legal actions


@njit(error_model="numpy")
def may_arrange(step):
    """Tell the steps at which Gear can be changed: between two actions, not within one."""
    return step == PLACING or step == BEFORE_TASK or step == CHOOSING_MISSION or step == CHOOSING_RUNNERS


@njit(error_model="numpy")
def may_equip(game, cards, gear, to):
    """Tell whether Gear can be given to a runner or taken in hand; once each between other actions."""
    player, at = game.player, game.gear_on[gear]
    if game.gear_of[gear] != player or to == at or to < 0 or to > HELD:
        return False
    if np.int64(game.moved) >> gear & 1:
        return False
    if at != HELD and game.place[player, at] == DANTES_INFERNO:
        return False
    if to == HELD:
        return True
    card = game.card[player, to]
    if card == EMPTY or game.place[player, to] == DANTES_INFERNO:
        return False
    return cards.runner_roles[card] & cards.gear_roles[gear] != 0


@njit(error_model="numpy")
def may_set(game, cards, owner, slot, colour):
    """Tell whether a Commlink can be set to another colour; once each between other actions."""
    step = game.step
    if owner >= game.players or slot >= SLOTS or colour >= ROLES or game.commlink[owner, slot] == 0:
        return False
    if owner != game.player:
        if step != CHOOSING_RUNNERS or not is_chosen(game, owner, slot):
            return False
    if np.int64(game.set) >> (owner * SLOTS + slot) & 1 or game.colour[owner, slot] == colour:
        return False
    return dice_of(game, cards, owner, slot, colour) > 0


@njit(error_model="numpy")
def may_join(game, cards, owner, slot):
    """Tell whether a runner can be added to the team."""
    if owner >= game.players or slot >= SLOTS or is_chosen(game, owner, slot) or game.n_team >= TEAM:
        return False
    if owner == game.player:
        return can_go(game, owner, slot)
    if not can_be_hired(game, game.player, owner, slot):
        return False
    return price_of_team(game, cards) + loan(game, cards, owner, slot) <= game.nuyen[game.player]


@njit(error_model="numpy")
def may_buy_upgrade(game, cards, pile):
    """Tell whether the runner at Max's Ironworks can get the top card of a pile."""
    player, slot, nuyen = game.player, game.slot, game.nuyen[game.player]
    if pile == PLATING:
        return game.pile[0] > 0 and game.plating[player, slot] == 0 and nuyen >= cards.pile_cost[0]
    if pile == COMMLINK:
        return game.pile[1] > 0 and game.commlink[player, slot] == 0 and nuyen >= cards.pile_cost[1]
    if pile != DIE or game.n_unique == 0 or game.upgrade[player, slot] != EMPTY:
        return False
    return nuyen >= cards.unique_cost[game.unique[0]]


@njit(error_model="numpy")
def heal_cost(game, player, slot):
    """Give the tokens from the player's supply that heal a runner: two, less what lies on its card."""
    return game.heal[player, slot] - game.own_token[player, slot]


@njit(error_model="numpy")
def may_heal(game, player, slot):
    """Tell whether an injury of the Mission just over can be healed."""
    return game.heal[player, slot] > 0 and game.tokens[player] >= heal_cost(game, player, slot)


@njit(error_model="numpy")
def may_shop(game, cards, kind, a):
    """Tell whether the rules allow a purchase, a sale, or what a Datasteal brings."""
    step, player, nuyen = game.step, game.player, game.nuyen[game.player]
    if kind == REFILL:
        gap = shown(game, GEAR_DECK) < game.players and cards_left(game, GEAR_DECK) > 0
        return step == AT_MALL and a == 0 and game.busy == 0 and nuyen >= 4 and gap
    if kind == BUY_GEAR:
        if step != AT_MALL or a >= game.players or game.market[GEAR_DECK, a] == EMPTY:
            return False
        return nuyen >= half_for_face(game, cards, cards.gear_cost[game.market[GEAR_DECK, a]])
    if kind == SELL_LOOT:
        return step == AT_FENCE and a < cards.n_loot and game.loot[player, a] > 0
    if kind == SEE_LOOT:
        return step == AT_FENCE and a == 0 and game.busy == 0 and cards_left(game, LOOT_DECK) > 0
    if kind == BUY_DISCARDED:
        if step != AT_FENCE or game.busy != 0 or not shows(game, cards, player, game.slot, FACE):
            return False
        for k in range(game.n_discard[GEAR_DECK]):
            if game.discard[GEAR_DECK, k] == a:
                return cards.gear_cost[a] <= nuyen
        return False
    if kind == TAKE_LOOT:
        if a >= game.n_offer:
            return False
        return step == KEEPING or (step == OFFERED and nuyen >= 5)
    if kind == BUY_TOKEN:
        return step == AT_DOCWAGON and a == 0 and nuyen >= 4
    if kind == TAKE_NUYEN:
        return step == STOLEN and a == 0
    return kind == DRAW_LOOT and step == STOLEN and a == 0 and cards_left(game, LOOT_DECK) > 0


@njit(error_model="numpy")
def allowed(game, cards, kind, a, b, c):
    """Tell whether the rules allow an action."""
    step, player = game.step, game.player
    if kind == PASS:
        bound = step == PLACING or step == BEFORE_TASK or step == STOLEN or step == KEEPING
        return a == 0 and b == 0 and c == 0 and not bound and step != DISCARDING and step != OVER
    if kind == PLACE:
        if step != PLACING or a >= SLOTS or game.card[player, a] == EMPTY or game.place[player, a] != AT_HOME:
            return False
        return may_stand(game, cards, player, a, b, c)
    if kind == MOVE:
        if step != MOVING or a >= SLOTS or a == game.slot or game.card[player, a] == EMPTY:
            return False
        at = game.place[player, a]
        return at != AT_HOME and at != b and may_stand(game, cards, player, a, b, c)
    if kind == SET_COMMLINK:
        return may_arrange(step) and may_set(game, cards, a, b, c)
    if c != 0:
        return False
    if kind == EQUIP:
        return may_arrange(step) and a < cards.n_gear and may_equip(game, cards, a, b)
    if kind == JOIN:
        return step == CHOOSING_RUNNERS and may_join(game, cards, a, b)
    if b != 0:
        return False
    if kind == ROLL:
        return a == 0 and (step == BEFORE_TASK or (step == CHOOSING_RUNNERS and game.n_team > 0))
    if kind == HIRE:
        if step != HIRING or a >= game.players or game.market[RUNNER_DECK, a] == EMPTY:
            return False
        price = half_for_face(game, cards, cards.runner_cost[game.market[RUNNER_DECK, a]])
        return price <= game.nuyen[player]
    if kind == HIRE_STARTER:
        return step == HIRING and a < STARTERS and game.starter[player, a] == SET_ASIDE
    if kind == SELECT:
        return step == SELECTING and a < game.players and game.market[MISSION_DECK, a] != EMPTY
    if kind == BUY_UPGRADE:
        return step == UPGRADING and may_buy_upgrade(game, cards, a)
    if kind == ATTEMPT:
        return step == CHOOSING_MISSION and a < game.n_missions[player]
    if kind == USE_PERK:
        if step != CHOOSING_RUNNERS or game.trial != A_MISSION:
            return False
        if a != SAMURAI and a != DECKER and a != RIGGER:
            return False
        free = game.perks_held[player] & ~game.perks_used[player] & ~game.perks
        return free >> a & 1 == 1
    if kind == HEAL:
        return step == HEALING and a < SLOTS and may_heal(game, player, a)
    if kind == DISCARD:
        return step == DISCARDING and a < SLOTS
    return may_shop(game, cards, kind, a)


@njit(error_model="numpy")
def mixed(action):
    """Mix an action's number, so that different lists of actions hardly ever have the same sum."""
    x = (action + 1) * np.int64(48271) % np.int64(2147483647)
    y = x * x % np.int64(2147483647)
    return x + (y << 16) + (x * y % np.int64(2147483647) << 24)


@njit(error_model="numpy")
def numbered(kind, a, b, c):
    """Write an action as its number."""
    return np.int64(kind) + (np.int64(a) << 8) + (np.int64(b) << 16) + (np.int64(c) << 24)


@njit(error_model="numpy")
def tally(game, cards, action):
    """Give the mixed number of an action if the rules allow it, else 0."""
    if allowed(game, cards, action & 255, action >> 8 & 255, action >> 16 & 255, action >> 24):
        return mixed(action)
    return np.int64(0)


@njit(error_model="numpy")
def arguments_of(game, cards, kind):
    """Give a number that the first argument of an action stays below, whatever the step."""
    if kind == SELL_LOOT:
        return cards.n_loot
    if kind == BUY_DISCARDED:
        return cards.n_gear if game.step == AT_FENCE else 0
    if kind == TAKE_LOOT or kind == ATTEMPT:
        return HAND
    if kind == USE_PERK:
        return ROLES
    plain = kind == PASS or kind == REFILL or kind == SEE_LOOT or kind == BUY_TOKEN or kind == ROLL
    return 1 if plain or kind == TAKE_NUYEN or kind == DRAW_LOOT else PLAYERS


@njit(error_model="numpy")
def sum_allowed(game, cards):
    """Add up the mixed numbers of the actions that the rules allow."""
    step = game.step
    total = np.int64(0)
    if step == PLACING or step == MOVING:
        kind = PLACE if step == PLACING else MOVE
        for slot in range(SLOTS):
            for location in range(LOCATIONS):
                for role in range(ROLES if location == EYE_OF_THE_NEEDLE else 1):
                    total += tally(game, cards, numbered(kind, slot, location, role))
    if may_arrange(step):
        for gear in range(cards.n_gear):
            if game.gear_of[gear] == game.player:
                for to in range(HELD + 1):
                    total += tally(game, cards, numbered(EQUIP, gear, to, 0))
    if may_arrange(step):
        for owner in range(game.players):
            for slot in range(SLOTS):
                for colour in range(ROLES if game.commlink[owner, slot] != 0 else 0):
                    total += tally(game, cards, numbered(SET_COMMLINK, owner, slot, colour))
    if step == PLACING:
        return total
    if step == CHOOSING_RUNNERS:
        for owner in range(game.players):
            for slot in range(SLOTS):
                total += tally(game, cards, numbered(JOIN, owner, slot, 0))
    for kind in range(len(KINDS)):
        if kind != PLACE and kind != MOVE and kind != EQUIP and kind != SET_COMMLINK and kind != JOIN:
            for a in range(arguments_of(game, cards, kind)):
                total += tally(game, cards, numbered(kind, a, 0, 0))
    return total


@njit(error_model="numpy")
def check_listing(game, cards, listed, n):
    """The actions listed are those allowed, each once."""
    if n == 0 and game.step != OVER:
        return STUCK
    total = sum_allowed(game, cards)
    for i in range(n):
        total -= mixed(listed[i])
    if total == 0:
        return FINE
    for i in range(n):
        for j in range(i):
            if listed[i] == listed[j]:
                return LISTED_TWICE
        action = listed[i]
        kind, a, b, c = action & 255, action >> 8 & 255, action >> 16 & 255, action >> 24
        if not allowed(game, cards, kind, a, b, c):
            return FORBIDDEN
    return NOT_LISTED


# --- What an action makes of a state


@njit(error_model="numpy")
def take_off(mid, cards, player, slot, discarded, events):
    """Take a dead or discarded runner off: Upgrades to their piles, Gear to the hand, the card aside."""
    card = mid.card[player, slot]
    if mid.plating[player, slot] + mid.commlink[player, slot] > 0 or mid.upgrade[player, slot] != EMPTY:
        events[UPGRADE_RETURNED] += 1
    mid.pile[PLATING] += mid.plating[player, slot]
    mid.pile[COMMLINK] += mid.commlink[player, slot]
    if mid.upgrade[player, slot] != EMPTY:
        mid.unique[mid.n_unique] = mid.upgrade[player, slot]
        mid.n_unique += 1
    for gear in range(cards.n_gear):
        if mid.gear_of[gear] == player and mid.gear_on[gear] == slot:
            mid.gear_on[gear] = HELD
            events[DEATH_WITH_GEAR] += 1
    if card < cards.n_starters:
        mid.starter[player, card - player * STARTERS] = SET_ASIDE
    else:
        discarded[RUNNER_DECK] += 1
    mid.card[player, slot] = EMPTY
    mid.condition[player, slot] = FIT
    mid.place[player, slot] = AT_HOME
    mid.perk[player, slot] = NOBODY
    mid.plating[player, slot] = 0
    mid.dented[player, slot] = 0
    mid.commlink[player, slot] = 0
    mid.upgrade[player, slot] = EMPTY
    mid.own_token[player, slot] = 0
    mid.ran[player, slot] = 0
    mid.heal[player, slot] = 0


@njit(error_model="numpy")
def seat(mid, cards, player, slot, card, events):
    """Place a runner on a Runner board: fit, its pawn at home, nothing equipped."""
    mid.card[player, slot] = card
    if card < cards.n_starters:
        mid.starter[player, card - player * STARTERS] = ON_BOARD
        events[STARTER_AGAIN] += 1


@njit(error_model="numpy")
def seat_all(mid, cards, events):
    """Place the runners hired on the Runner boards; where four are, somebody must be discarded first.

    Afterwards Upkeep is finished, the markets apart.
    """
    for turn in range(mid.players):
        p = (mid.first + turn) % mid.players
        while mid.n_coming[p] > 0:
            if runners(mid, p) == SLOTS:
                mid.phase = UPKEEP
                mid.step = DISCARDING
                mid.player = p
                return
            slot = 0
            while mid.card[p, slot] != EMPTY:
                slot += 1
            seat(mid, cards, p, slot, mid.coming[p, 0], events)
            mid.n_coming[p] -= 1
            for k in range(mid.n_coming[p]):
                mid.coming[p, k] = mid.coming[p, k + 1]
    for p in range(mid.players):
        if runners(mid, p) == 0:
            events[EVERYBODY_LOST] += 1
            for k in range(STARTERS):
                seat(mid, cards, p, k, p * STARTERS + k, events)
    if mid.n_unique > 0:
        top = mid.unique[0]
        for k in range(1, mid.n_unique):
            mid.unique[k - 1] = mid.unique[k]
        mid.unique[mid.n_unique - 1] = top
    mid.round_number += 1
    mid.phase = PLACE_RUNNERS
    mid.step = PLACING
    mid.player = mid.first


@njit(error_model="numpy")
def upkeep(mid, cards, events):
    """The rulebook's "Upkeep Phase"."""
    took = NOBODY
    for p in range(mid.players):
        if mid.perks_held[p] >> FACE & 1:
            took = p
            events[FACE_PERK] += 1
        mid.tokens[p] = 0
        mid.n_missions[p] = 0
        mid.perks_held[p] = 0
        mid.perks_used[p] = 0
        for slot in range(SLOTS):
            mid.place[p, slot] = AT_HOME
            mid.perk[p, slot] = NOBODY
            mid.own_token[p, slot] = 0
            mid.ran[p, slot] = 0
            mid.dented[p, slot] = 0
            mid.condition[p, slot] = RECOVERING if mid.condition[p, slot] == HURT else FIT
    mid.n_reserved = 0
    mid.first = took if took != NOBODY else (mid.first + 1) % mid.players
    seat_all(mid, cards, events)


@njit(error_model="numpy")
def go_on(mid, cards, memory, events):
    """Say who decides next when a turn is over, and on what."""
    mid.trial = NO_TRIAL
    if mid.phase == PLACE_RUNNERS:
        for k in range(mid.players):
            p = (mid.player + 1 + k) % mid.players
            if pawns(mid, p, AT_HOME) > 0:
                mid.player = p
                mid.step = PLACING
                return
        mid.phase = ATTEMPT_FINAL
        memory[ASKED] = 0
    if mid.phase == ATTEMPT_FINAL:
        while memory[ASKED] < mid.n_reserved:
            p = mid.reserved[memory[ASKED]]
            memory[ASKED] += 1
            if has_somebody(mid, cards, p):
                mid.player = p
                mid.step = CHOOSING_RUNNERS
                mid.trial = A_FINAL
                mid.mission = mid.final
                mid.reroll = 0
                mid.n_team = 0
                mid.perks = 0
                return
        mid.phase = RUN_MISSIONS
        memory[TURN] = 0
    while memory[TURN] < mid.players:
        p = (mid.first + memory[TURN]) % mid.players
        if mid.n_missions[p] > 0 and has_somebody(mid, cards, p):
            mid.player = p
            mid.step = CHOOSING_MISSION
            return
        memory[TURN] += 1
    upkeep(mid, cards, events)


@njit(error_model="numpy")
def ask_to_heal(mid, cards, memory, events):
    """After a trial: whoever can heal is asked, from the player whose trial it was to the left."""
    for k in range(mid.players):
        p = (memory[WHOSE] + k) % mid.players
        for slot in range(SLOTS):
            if may_heal(mid, p, slot):
                mid.player = p
                mid.step = HEALING
                return
    for p in range(mid.players):
        for slot in range(SLOTS):
            mid.heal[p, slot] = 0
    go_on(mid, cards, memory, events)


@njit(error_model="numpy")
def foretell_placing(mid, cards, moving, slot, location, role, events):
    """A runner is placed or moved; tell whether the player has something to decide there."""
    p = mid.player
    at = mid.place[p, slot]
    if moving:
        events[MAGE_PERK] += 1
        if at == EYE_OF_THE_NEEDLE:
            mid.perks_held[p] &= ~(1 << np.int64(mid.perk[p, slot]))
        if at == FINAL_MISSION:
            events[RESERVATION_MOVED] += 1
            kept = 0
            for k in range(mid.n_reserved):
                if mid.reserved[k] != p:
                    mid.reserved[kept] = mid.reserved[k]
                    kept += 1
            mid.n_reserved = kept
    mid.place[p, slot] = location
    mid.perk[p, slot] = NOBODY
    mid.slot = slot
    mid.busy = 0
    if location == EYE_OF_THE_NEEDLE:
        mid.perk[p, slot] = role
        mid.perks_held[p] |= 1 << role
        if role != MAGE or runners(mid, p) - pawns(mid, p, AT_HOME) < 2:
            return False
        mid.step = MOVING
        return True
    if location == FINAL_MISSION:
        mid.reserved[mid.n_reserved] = p
        mid.n_reserved += 1
        return False
    if location == DANTES_INFERNO:
        mid.own_token[p, slot] = 1
        value = loan(mid, cards, p, slot)
        mid.nuyen[p] += 4 if value > 4 else value
        return False
    if location == DOCWAGON:
        mid.tokens[p] += 1
        if shows(mid, cards, p, slot, FACE):
            mid.tokens[p] += 1
        mid.step = AT_DOCWAGON
        return mid.nuyen[p] >= 4
    if location == MR_JOHNSON:
        mid.step = SELECTING
        return shown(mid, MISSION_DECK) > 0
    if location == BODYGUARD_WORK or location == DATASTEAL:
        mid.step = BEFORE_TASK
    elif location == CRIME_MALL:
        mid.step = AT_MALL
    elif location == DEGEARS_LAIR:
        mid.step = AT_FENCE
    elif location == HANNIBELLES_HOST:
        mid.step = HIRING
    else:
        mid.step = UPGRADING
    return True


@njit(error_model="numpy")
def foretell_shopping(mid, cards, kind, a, discarded, events):
    """Purchases and sales; tell whether the player is still at it."""
    p = mid.player
    if kind == REFILL:
        mid.nuyen[p] -= 4
        mid.busy = 1
        return True
    if kind == SELL_LOOT:
        mid.nuyen[p] += 5
        mid.loot[p, a] -= 1
        mid.busy = 1
        discarded[LOOT_DECK] += 1
        return True
    if kind == BUY_TOKEN:
        mid.nuyen[p] -= 4
        mid.tokens[p] += 1
        return mid.nuyen[p] >= 4
    if kind == SEE_LOOT:
        mid.step = OFFERED
        return True
    if kind == DRAW_LOOT:
        mid.step = KEEPING
        return True
    if kind == TAKE_NUYEN:
        mid.nuyen[p] += 4
    elif kind == TAKE_LOOT:
        if mid.step == OFFERED:
            mid.nuyen[p] -= 5
        mid.loot[p, mid.offer[a]] += 1
        discarded[LOOT_DECK] += mid.n_offer - 1
    elif kind == BUY_GEAR:
        gear = mid.market[GEAR_DECK, a]
        mid.nuyen[p] -= half_for_face(mid, cards, cards.gear_cost[gear])
        mid.gear_of[gear] = p
        mid.market[GEAR_DECK, a] = EMPTY
    elif kind == BUY_DISCARDED:
        mid.nuyen[p] -= cards.gear_cost[a]
        mid.gear_of[a] = p
        discarded[GEAR_DECK] -= 1
        events[FULL_GEAR_BOUGHT] += 1
    return False


@njit(error_model="numpy")
def foretell_recruiting(mid, cards, kind, a, events):
    """Hiring, selecting a Mission, buying an Upgrade."""
    p, slot = mid.player, mid.slot
    if kind == HIRE:
        card = mid.market[RUNNER_DECK, a]
        mid.nuyen[p] -= half_for_face(mid, cards, cards.runner_cost[card])
        mid.market[RUNNER_DECK, a] = EMPTY
        mid.coming[p, mid.n_coming[p]] = card
        mid.n_coming[p] += 1
    elif kind == HIRE_STARTER:
        mid.starter[p, a] = ON_THE_WAY
        mid.coming[p, mid.n_coming[p]] = p * STARTERS + a
        mid.n_coming[p] += 1
    elif kind == SELECT:
        mid.missions[p, mid.n_missions[p]] = mid.market[MISSION_DECK, a]
        mid.mission_reroll[p, mid.n_missions[p]] = 1 if shows(mid, cards, p, slot, FACE) else 0
        mid.n_missions[p] += 1
        mid.market[MISSION_DECK, a] = EMPTY
    elif a == DIE:
        mid.nuyen[p] -= cards.unique_cost[mid.unique[0]]
        mid.upgrade[p, slot] = mid.unique[0]
        for k in range(1, mid.n_unique):
            mid.unique[k - 1] = mid.unique[k]
        mid.n_unique -= 1
        if mid.n_unique == 0:
            events[PILE_SOLD_OUT] += 1
    else:
        mid.nuyen[p] -= cards.pile_cost[a]
        mid.pile[a] -= 1
        if a == PLATING:
            mid.plating[p, slot] = 1
        else:
            mid.commlink[p, slot] = 1
        if mid.pile[a] == 0:
            events[PILE_SOLD_OUT] += 1


@njit(error_model="numpy")
def check_scene(mid, after, cards, desk, events):
    """The team went with the dice, plates, tokens, Loot and perks that it has, and won what can be won."""
    scn, st, book = desk.pad.scene, desk.tools.work.at[0], desk.book
    p, trial = mid.player, mid.trial
    source = desk.cards.missions[mid.mission] if trial == A_MISSION else desk.cards.finals[mid.final]
    if trial == A_TASK:
        source = desk.cards.tasks[mid.mission]
    if scn.n_runners != mid.n_team or scn.n_stages != source.n_stages or scn.payout != source.payout:
        return TRIAL_SCENE
    for k in range(mid.n_team):
        owner, slot = mid.team_of[k], mid.team_slot[k]
        for colour in range(ROLES):
            dice = dice_of(mid, cards, owner, slot, colour)
            if mid.commlink[owner, slot] != 0 and mid.colour[owner, slot] == colour:
                dice += 1
            if scn.dice[k, colour] != dice:
                return TRIAL_SCENE
        if (scn.plates >> k & 1) != mid.plating[owner, slot] - mid.dented[owner, slot]:
            return TRIAL_SCENE
        if st.plates >> k & 1 and not scn.plates >> k & 1:
            return TRIAL_HARM
        if (scn.own_tokens >> k & 1) != mid.own_token[owner, slot]:
            return TRIAL_SCENE
    rerolls = mid.reroll if trial != A_TASK else 1 if mid.place[p, mid.slot] == BODYGUARD_WORK else 0
    if scn.tokens != mid.tokens[p] or scn.rerolls != rerolls or (scn.task != 0) != (trial == A_TASK):
        return TRIAL_SCENE
    perks = scn.clears_first + (scn.loot_for_first << DECKER) + (scn.clears_last << RIGGER)
    if perks != mid.perks or (trial != A_MISSION and perks != 0):
        return TRIAL_SCENE
    if book.trial != trial or st.completed < 0 or st.completed > 1 or book.completed != st.completed:
        return TRIAL
    if book.cleared != st.cleared or st.cleared >> scn.n_stages != 0:
        return TRIAL
    had = got = 0
    for loot in range(cards.n_loot):
        had += mid.loot[p, loot]
        got += after.loot[p, loot]
    in_scene = 0
    for kind in range(scn.cards.size):
        in_scene += scn.cards[kind]
    won = scn.loot_for_first if st.cleared & 1 else 0
    every = must = True
    for stage in range(scn.n_stages):
        if st.cleared >> stage & 1:
            won += source.loot[stage]
            if source.stage_payout[stage] > 0:
                events[STAGE_PAID] += 1
        else:
            every = False
            must = must and source.loot[stage] > 0
    if (every and st.completed == 0) or (st.completed != 0 and not must):
        return TRIAL
    drawn = book.loot
    if in_scene != got or drawn > won or (drawn < won and after.n_draw[LOOT_DECK] > 0):
        return TRIAL_LOOT
    used = had + drawn - got
    events[LOOT_WON] += drawn
    events[LOOT_USED] += used
    if used < 0 or (
        after.shuffles[LOOT_DECK] == mid.shuffles[LOOT_DECK]
        and after.n_discard[LOOT_DECK] != mid.n_discard[LOOT_DECK] + used
    ):
        return TRIAL_LOOT
    return FINE


@njit(error_model="numpy")
def foretell_trial(mid, after, cards, desk, discarded, events):
    """A Mission, a Task, the Final Mission: all but the dice, whose outcome is read from the desk."""
    p = mid.player
    st = desk.tools.work.at[0]
    if mid.step == BEFORE_TASK:
        mid.trial = A_TASK
        mid.mission = 0 if mid.place[p, mid.slot] == BODYGUARD_WORK else 1
        mid.n_team = 1
        mid.team_of[0] = p
        mid.team_slot[0] = mid.slot
        mid.perks = 0
        mid.reroll = 0
        mid.tasks[p] += 1
    wrong = check_scene(mid, after, cards, desk, events)
    if wrong != FINE:
        return wrong
    trial = mid.trial
    mid.nuyen[p] -= price_of_team(mid, cards)
    if trial == A_MISSION:
        source = desk.cards.missions[mid.mission]
        for stage in range(source.n_stages):
            if st.cleared >> stage & 1:
                mid.nuyen[p] += source.stage_payout[stage]
        if st.completed:
            mid.nuyen[p] += source.payout
            events[COMPLETED] += 1
        spent = 0
        if st.cleared & 1:
            spent |= (1 << SAMURAI) | (1 << DECKER)
        if st.cleared >> (source.n_stages - 1) & 1:
            spent |= 1 << RIGGER
        spent &= mid.perks
        events[SAMURAI_PERK] += spent >> SAMURAI & 1
        events[DECKER_PERK] += spent >> DECKER & 1
        events[RIGGER_PERK] += spent >> RIGGER & 1
        events[PERK_KEPT] += spent != mid.perks
        mid.perks_used[p] |= spent
        discarded[MISSION_DECK] += 1
    elif trial == A_TASK:
        if mid.mission == 0 and st.completed:
            mid.nuyen[p] += desk.cards.tasks[0].payout
    else:
        events[FINAL_TRIED] += 1
        events[FINAL_WON] += st.completed
    tokens = mid.tokens[p] - st.tokens
    if tokens < 0 or (trial == A_TASK and tokens != 0):
        return TRIAL_HARM
    mid.tokens[p] = st.tokens
    for loot in range(cards.n_loot):
        mid.loot[p, loot] = after.loot[p, loot]
    for k in range(mid.n_team):
        owner, slot, end = mid.team_of[k], mid.team_slot[k], st.condition[k]
        own = st.own_tokens >> k & 1
        if mid.plating[owner, slot] != 0 and not st.plates >> k & 1:
            events[PLATE_USED] += 1 - mid.dented[owner, slot]
            mid.dented[owner, slot] = 1
        if owner != p:
            events[HIRED_OUT] += 1
            events[HIRED_FOR_FINAL] += trial == A_FINAL
        if own > mid.own_token[owner, slot] or (own < mid.own_token[owner, slot] and end != RESCUED):
            return TRIAL_HARM
        if end == RESCUED:
            events[RESCUE] += 1
            if own == mid.own_token[owner, slot]:
                tokens -= 1
            else:
                events[RESCUE_BY_DANTES_TOKEN] += 1
        if trial == A_TASK and end != UP and end != INJURED:
            return TRIAL_HARM
        mid.own_token[owner, slot] = own
        if trial == A_TASK:
            mid.condition[owner, slot] = HURT if end == INJURED else FIT
            events[HURT_IN_TASK] += end == INJURED
            continue
        mid.ran[owner, slot] = 1
        if end == DEAD:
            events[DEATH] += 1
            take_off(mid, cards, owner, slot, discarded, events)
        elif end != UP:
            mid.condition[owner, slot] = HURT
            mid.heal[owner, slot] = 1 if end == RESCUED else 2
    return FINE if tokens == 0 else TRIAL_HARM


@njit(error_model="numpy")
def foretell(mid, after, action, cards, desk, memory, discarded, events):
    """Make of a state what the rules make of it by an action; chance is read from what came out.

    `discarded` counts the cards that went to the discards of each deck before any Upkeep.
    """
    kind, a, b, c = action & 255, action >> 8 & 255, action >> 16 & 255, action >> 24
    p, step = mid.player, mid.step
    discarded[:] = 0
    mid.decisions += 1
    if kind == EQUIP:
        mid.gear_on[a] = b
        mid.moved |= np.uint64(1 << a)
        return FINE
    if kind == SET_COMMLINK:
        mid.colour[a, b] = c
        mid.set |= np.uint64(1 << (a * SLOTS + b))
        return FINE
    mid.moved = np.uint64(0)
    mid.set = np.uint64(0)
    if kind == PLACE or kind == MOVE:
        if not foretell_placing(mid, cards, kind == MOVE, a, b, c, events):
            go_on(mid, cards, memory, events)
    elif kind == ROLL:
        wrong = foretell_trial(mid, after, cards, desk, discarded, events)
        if wrong != FINE:
            return wrong
        memory[WHOSE] = p
        if mid.trial == A_TASK:
            if mid.mission == 1 and desk.tools.work.at[0].completed:
                mid.step = STOLEN
                mid.trial = NO_TRIAL
            else:
                go_on(mid, cards, memory, events)
        elif mid.trial == A_FINAL and desk.tools.work.at[0].completed:
            mid.winner = p
            mid.phase = GAME_OVER
            mid.step = OVER
            mid.trial = NO_TRIAL
        else:
            mid.trial = NO_TRIAL
            ask_to_heal(mid, cards, memory, events)
    elif kind == PASS:
        if step == HEALING:
            for slot in range(SLOTS):
                mid.heal[p, slot] = 0
            ask_to_heal(mid, cards, memory, events)
        else:
            if step == CHOOSING_MISSION:
                memory[TURN] += 1
            elif step == OFFERED:
                discarded[LOOT_DECK] += 1
            elif step == CHOOSING_RUNNERS and mid.trial == A_MISSION:
                discarded[MISSION_DECK] += 1
            go_on(mid, cards, memory, events)
    elif kind == HIRE or kind == HIRE_STARTER or kind == SELECT or kind == BUY_UPGRADE:
        foretell_recruiting(mid, cards, kind, a, events)
        go_on(mid, cards, memory, events)
    elif kind == ATTEMPT:
        mid.trial = A_MISSION
        mid.mission = mid.missions[p, a]
        mid.reroll = mid.mission_reroll[p, a]
        mid.n_missions[p] -= 1
        for k in range(a, mid.n_missions[p]):
            mid.missions[p, k] = mid.missions[p, k + 1]
            mid.mission_reroll[p, k] = mid.mission_reroll[p, k + 1]
        mid.n_team = 0
        mid.perks = 0
        mid.step = CHOOSING_RUNNERS
    elif kind == JOIN:
        mid.team_of[mid.n_team] = a
        mid.team_slot[mid.n_team] = b
        mid.n_team += 1
    elif kind == USE_PERK:
        mid.perks |= 1 << a
    elif kind == HEAL:
        events[HEALED] += 1
        events[HEALED_BY_OWNER_OF_HIRED] += p != memory[WHOSE]
        mid.tokens[p] -= heal_cost(mid, p, a)
        mid.own_token[p, a] = 0
        mid.condition[p, a] = FIT
        mid.heal[p, a] = 0
        ask_to_heal(mid, cards, memory, events)
    elif kind == DISCARD:
        events[FIFTH_RUNNER] += 1
        take_off(mid, cards, p, a, discarded, events)
        seat_all(mid, cards, events)
    elif not foretell_shopping(mid, cards, kind, a, discarded, events):
        go_on(mid, cards, memory, events)
    return FINE


@njit(error_model="numpy")
def check_outcome(mid, after, before, cards, kind):
    """What was foretold came about; nobody else has gained or lost anything."""
    if mid.key != after.key or mid.players != after.players or mid.final != after.final:
        return FIXED
    if mid.decisions != after.decisions or mid.moved != after.moved or mid.set != after.set:
        return FIXED
    if mid.round_number != after.round_number or mid.phase != after.phase or mid.winner != after.winner:
        return WHO_IS_NEXT
    if mid.step != after.step or mid.player != after.player or mid.trial != after.trial:
        return WHO_IS_NEXT
    if mid.first != after.first:
        return FIRST_PLAYER
    if after.trial != NO_TRIAL:
        if mid.mission != after.mission or mid.reroll != after.reroll or mid.perks != after.perks:
            return TRIAL
        if mid.n_team != after.n_team:
            return BAD_TEAM
        for k in range(mid.n_team):
            if mid.team_of[k] != after.team_of[k] or mid.team_slot[k] != after.team_slot[k]:
                return BAD_TEAM
    if (after.step == AT_MALL or after.step == AT_FENCE) and mid.busy != after.busy:
        return LEFTOVERS
    if after.phase == PLACE_RUNNERS and after.step != PLACING and mid.slot != after.slot:
        return WHO_IS_NEXT
    if mid.n_reserved != after.n_reserved:
        return RESERVATIONS
    for k in range(mid.n_reserved):
        if mid.reserved[k] != after.reserved[k]:
            return RESERVATIONS
    for p in range(PLAYERS):
        wrong = check_player(mid, after, before, p, kind)
        if wrong != FINE:
            return wrong
    for gear in range(cards.n_gear):
        if mid.gear_of[gear] != after.gear_of[gear] or mid.gear_on[gear] != after.gear_on[gear]:
            return GEAR_CHANGED
    if mid.pile[0] != after.pile[0] or mid.pile[1] != after.pile[1] or mid.n_unique != after.n_unique:
        return EQUIPMENT
    for k in range(mid.n_unique):
        if mid.unique[k] != after.unique[k]:
            return UNIQUE_PILE
    return FINE


@njit(error_model="numpy")
def check_player(mid, after, before, p, kind):
    """What was foretold for a player came about."""
    if mid.nuyen[p] != after.nuyen[p]:
        return NUYEN
    if mid.tokens[p] != after.tokens[p]:
        return TOKENS
    if mid.perks_held[p] != after.perks_held[p] or mid.perks_used[p] != after.perks_used[p]:
        return PERKS
    for loot in range(mid.loot.shape[1]):
        if mid.loot[p, loot] != after.loot[p, loot]:
            return HANDS
    if mid.n_missions[p] != after.n_missions[p] or mid.n_coming[p] != after.n_coming[p]:
        return HANDS
    for k in range(mid.n_missions[p]):
        if mid.missions[p, k] != after.missions[p, k]:
            return HANDS
        if mid.mission_reroll[p, k] != after.mission_reroll[p, k]:
            return HANDS
    for k in range(mid.n_coming[p]):
        if mid.coming[p, k] != after.coming[p, k]:
            return COMING
    for k in range(STARTERS):
        if mid.starter[p, k] != after.starter[p, k]:
            return STARTERS_CHANGED
    for s in range(SLOTS):
        if mid.card[p, s] != after.card[p, s]:
            return RUNNERS_MOVED
        if mid.condition[p, s] != after.condition[p, s] or mid.ran[p, s] != after.ran[p, s]:
            return CONDITIONS
        if mid.heal[p, s] != after.heal[p, s]:
            return CONDITIONS
        if mid.own_token[p, s] != after.own_token[p, s]:
            return TOKENS
        if mid.place[p, s] != after.place[p, s] or mid.perk[p, s] != after.perk[p, s]:
            return PLACES
        if mid.plating[p, s] != after.plating[p, s] or mid.commlink[p, s] != after.commlink[p, s]:
            return EQUIPMENT
        if mid.dented[p, s] != after.dented[p, s]:
            return CONDITIONS
        if mid.upgrade[p, s] != after.upgrade[p, s]:
            return EQUIPMENT
        if mid.colour[p, s] != after.colour[p, s]:
            same = before.commlink[p, s] == after.commlink[p, s]
            for colour in range(ROLES):
                same = same and before.dice[p, s, colour] == after.dice[p, s, colour]
            if same or kind == SET_COMMLINK:
                return COLOURS_CHANGED
    return FINE


@njit(error_model="numpy")
def check_decks(before, mid, after, kind, discarded, events):
    """Markets lose what was taken, and are full after Upkeep; discards grow by what was discarded."""
    new_round = before.round_number != after.round_number
    in_upkeep = new_round or after.phase == UPKEEP
    for deck in range(4):
        if after.shuffles[deck] < before.shuffles[deck] or after.shuffles[deck] > before.shuffles[deck] + 2:
            return DISCARDS
        shuffled = after.shuffles[deck] != before.shuffles[deck]
        events[SHUFFLED_RUNNERS + deck] += shuffled
        by_chance = shuffled or new_round or (deck == LOOT_DECK and kind == ROLL)
        if deck == MISSION_DECK and in_upkeep:
            by_chance = True
        if not by_chance and after.n_discard[deck] != before.n_discard[deck] + discarded[deck]:
            return DISCARDS
        if deck == LOOT_DECK:
            continue
        full = shown(after, deck) == after.players
        for slot in range(after.players):
            old, new = mid.market[deck, slot], after.market[deck, slot]
            if new_round:
                if old == EMPTY or shuffled:
                    continue
                for other in range(after.players):
                    if after.market[deck, other] == old:
                        return MARKETS
            elif kind == REFILL and deck == GEAR_DECK and old == EMPTY:
                if new == EMPTY and after.n_draw[deck] + after.n_discard[deck] > 0:
                    return MARKETS
            elif old != new:
                return MARKETS
        if new_round and not full:
            events[MARKET_NOT_FULL] += 1
            if after.n_draw[deck] + after.n_discard[deck] > 0:
                return MARKETS
    return FINE


# --- Random players, and the games


@njit(error_model="numpy")
def shake(x):
    """Give the next number of a Lehmer generator; nothing in it exceeds 63 bits."""
    return x * np.int64(48271) % np.int64(2147483647)


@njit(error_model="numpy")
def choose(listed, n, weights, liked, x, counts):
    """Choose among the listed actions: evenly where no kind has a weight, else a kind by weight first.

    Of placings, a location that is not in the mask `liked` is drawn anew, twice at most.
    """
    total = 0
    counts[:] = 0
    for i in range(n):
        kind = listed[i] & 255
        if counts[kind] == 0:
            total += weights[kind]
        counts[kind] += 1
    x = shake(x)
    if total == 0:
        return listed[x % n], x
    at = x % total
    kind = 0
    while counts[kind] == 0 or at >= weights[kind]:
        if counts[kind] > 0:
            at -= weights[kind]
        kind += 1
    chosen = np.int64(0)
    for _ in range(3):
        x = shake(x)
        k = x % counts[kind]
        for i in range(n):
            if listed[i] & 255 == kind:
                if k == 0:
                    chosen = listed[i]
                k -= 1
        if (kind != PLACE and kind != MOVE) or liked >> (chosen >> 16 & 255) & 1:
            break
    return chosen, x


@njit(error_model="numpy")
def copy_game(words, source, target):
    """Copy a game, as words: numba copies whole records byte by byte."""
    for k in range(words.shape[1]):
        words[target, k] = words[source, k]


@njit(error_model="numpy")
def differ(words, i, j):
    """Tell whether two of the games, as words, are not the same."""
    for k in range(words.shape[1]):
        if words[i, k] != words[j, k]:
            return True
    return False


NOTHING_ABSENT = np.zeros(1, dtype=ABSENT)


@njit(error_model="numpy")
def begin(games, words, i, cards, players, key, nuyen):
    """Set up game `i` of the array, with other nuyen than the rules give unless that is 20."""
    for k in range(words.shape[1]):
        words[i, k] = 0
    set_up_game(games[i], cards, players, EMPTY, key, NOTHING_ABSENT[0])
    wrong = check_start(games[i], cards)
    for p in range(players):
        games[i].nuyen[p] = nuyen
    return wrong


@njit(error_model="numpy")
def is_new(number, numbers, n):
    """Tell whether a number is none of the first `n`."""
    for k in range(n):
        if numbers[k] == number:
            return False
    return True


GAME, COPY, MODEL, KEPT = range(4)
"""Places in the array of games: as it stands, the copy that an action is applied to, what is foretold of it,
and what must not have changed."""


@njit(error_model="numpy")
def play_game(games, words, desk, start, temper, rounds, log, tallies, room):
    """Play a game with a random player, checking everything; the number of actions, and what is wrong.

    `start` is number of players, key, nuyen, first random number; `temper` weights of kinds and mask of
    locations, see `choose`. The game is played to the end, to a number of rounds, or till `log` is full.
    """
    players, key, nuyen, x = start
    weights, liked = temper
    kinds, steps, events = tallies
    listed, seen, counts, memory, discarded, numbers = room
    cards = desk.cards
    game, copy, mid = games[GAME], games[COPY], games[MODEL]
    wrong = begin(games, words, GAME, cards, players, key, nuyen)
    if wrong == FINE:
        wrong = check_state(game, cards, seen)
    tried = 0
    finals, missions_run, tasks_run, last_round = 0, 0, 0, 0
    memory[:] = 0
    n = 0
    while wrong == FINE:
        copy_game(words, GAME, KEPT)
        number = legal_actions(game, cards, listed)
        if differ(words, GAME, KEPT):
            return n, LISTING_CHANGED
        wrong = check_listing(game, cards, listed, number)
        steps[game.step] += 1
        if wrong != FINE or game.step == OVER or game.round_number > rounds or n == log.size:
            break
        action, x = choose(listed, number, weights, liked, x, counts)
        kind = action & 255
        kinds[kind] += 1
        log[n] = action
        n += 1
        copy_game(words, GAME, COPY)
        copy_game(words, GAME, MODEL)
        apply(copy, action, desk)
        if differ(words, GAME, KEPT):
            return n, ORIGINAL_CHANGED
        if kind == ROLL:
            attempt = np.int64(desk.book.attempt)
            if not is_new(attempt, numbers, tried):
                return n, TRIAL_NUMBER
            numbers[tried] = attempt
            tried += 1
            if game.round_number != last_round:
                finals, missions_run, tasks_run, last_round = 0, 0, 0, game.round_number
            if game.trial == A_FINAL:
                finals += 1
                events[FINAL_TRIED_SECOND] += finals == 2
            player = np.int64(game.player)
            if game.trial == A_MISSION:
                events[TWO_MISSIONS] += missions_run >> player & 1
                missions_run |= 1 << player
            elif game.step == BEFORE_TASK:
                task = 2 * player + (game.place[player, game.slot] == DATASTEAL)
                events[TASK_TWICE] += tasks_run >> task & 1
                tasks_run |= 1 << task
        wrong = foretell(mid, copy, action, cards, desk, memory, discarded, events)
        if wrong == FINE:
            wrong = check_state(copy, cards, seen)
        if wrong == FINE:
            wrong = check_outcome(mid, copy, game, cards, kind)
        if wrong == FINE:
            wrong = check_decks(game, mid, copy, kind, discarded, events)
        copy_game(words, COPY, GAME)
    events[GAMES_OVER] += game.step == OVER
    return n, wrong


@njit(error_model="numpy")
def replay(games, words, desk, start, log, n):
    """Play a game again from its log, at a desk of its own; tell whether it ends as the first time."""
    players, key, nuyen, _ = start
    begin(games, words, COPY, desk.cards, players, key, nuyen)
    for k in range(n):
        apply(games[COPY], log[k], desk)
    return not differ(words, GAME, COPY)
