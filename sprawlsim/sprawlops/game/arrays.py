"""The plain arrays of a whole game: one record for where it stands, one for all cards, one for figures.

A game is one record of numbers, so it is copied, compared and hashed as bytes. Cards are numbers: their place
in the rows of `CARDS`. Arrays over colours are in the order of `sprawlsim.sprawlops.roles.ROLES`; sets of
roles are bit masks in the same order. Amounts are K nuyen.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sprawlsim.sprawlops.mission.arrays import COLOURS, SCENARIO
from sprawlsim.sprawlops.mission.counts import AMOUNTS

MAX_PLAYERS = 4
SLOTS = 4
"""Runners on a Runner board."""
STARTERS = 3
"""Starting runners of a player."""

MAX_RUNNERS, MAX_GEAR, MAX_MISSIONS, MAX_LOOT, MAX_UNIQUE, MAX_FINALS = 64, 64, 64, 24, 16, 16
"""Most cards of a kind that a set may have; Loot is counted in different cards, Gear in single ones."""
MAX_DECK = 96
MAX_HAND = 16
"""Most Missions that a player can hold in a round, or runners on their way to the board."""
MAX_TEAM = 8
"""Most runners of one Mission, hired ones included."""
MAX_ROUNDS = 200
"""Rounds that the figures of a game have room for."""

RUNNER_DECK, GEAR_DECK, MISSION_DECK, LOOT_DECK = 0, 1, 2, 3
DECK_COUNT = 4
MARKETS = 3
"""The first three decks have a market: face-up cards, one slot per player (rulebook, "Setup")."""

NOBODY = -1
EMPTY = -1
HELD = SLOTS
"""Where a Gear card is that is equipped to nobody: held by its player."""

(
    BODYGUARD_WORK,
    CRIME_MALL,
    DANTES_INFERNO,
    DATASTEAL,
    DEGEARS_LAIR,
    DOCWAGON,
    EYE_OF_THE_NEEDLE,
    FINAL_MISSION,
    HANNIBELLES_HOST,
    MR_JOHNSON,
    MAXS_IRONWORKS,
) = range(11)
LOCATIONS = (
    "Bodyguard Work",
    "Crime Mall",
    "Dante's Inferno",
    "Datasteal",
    "DeGear's Lair",
    "DocWagon",
    "The Eye of the Needle",
    "Final Mission",
    "Hannibelle's Host",
    "Mr. Johnson",
    "Max's Ironworks",
)
"""The eleven locations, in the order of the rulebook's Appendix A."""
AT_HOME = -1
"""The place of a runner whose pawn is not on the gameboard."""

PLACE_RUNNERS, ATTEMPT_FINAL, RUN_MISSIONS, UPKEEP, GAME_OVER = range(5)
PHASES = ("Place Runners", "Attempt Final Mission", "Run Missions", "Upkeep", "over")

(
    PLACING,  # to place a runner
    AT_MALL,  # to refill the Gear Market, to buy
    AT_FENCE,  # to sell Loot, to see the top Loot card, to buy from the Gear discards
    OFFERED,  # to buy the Loot card seen, or not
    AT_DOCWAGON,  # to buy more tokens
    BEFORE_TASK,  # to set a Commlink, to roll
    STOLEN,  # Datasteal done: nuyen or Loot
    KEEPING,  # to keep one of the Loot cards drawn
    MOVING,  # the Eye's Mage perk: to move a runner
    HIRING,
    SELECTING,  # at Mr. Johnson
    UPGRADING,
    CHOOSING_MISSION,
    CHOOSING_RUNNERS,
    HEALING,  # after a Mission, with DocWagon tokens
    DISCARDING,  # Upkeep: a runner for whom there is no place
    OVER,
) = range(17)
"""Steps: what `GAME.player` has to decide now."""

FIT, HURT, RECOVERING = 0, 1, 2
"""Conditions of a runner: nothing; injured this round; recovering ("Upkeep Phase")."""

ON_BOARD, SET_ASIDE, ON_THE_WAY = 0, 1, 2
"""Where a starting runner is: on the Runner board, under its edge, hired again and coming in Upkeep."""

PLATING, COMMLINK, UNIQUE = 0, 1, 2
"""Piles of Upgrades (G1)."""

NO_TRIAL, A_MISSION, A_TASK, A_FINAL = 0, 1, 2, 3
"""What runners are sent on."""
TRIALS = 4

ORDERS = np.dtype(
    (
        np.record,
        [
            ("policy", "i8", TRIALS),  # a rule of thumb, by its number in `POLICIES`
            ("weights", "f8", (TRIALS, AMOUNTS)),  # the objective: what each amount is worth
        ],
    )
)
"""How a player's runners play the dice of a Mission, a Task, the Final Mission."""

GAME = np.dtype(
    (
        np.record,
        [
            ("key", "u8"),  # of all random words of this game
            ("players", "i2"),
            ("round_number", "i2"),  # counted from 1
            ("phase", "i2"),
            ("step", "i2"),
            ("player", "i2"),  # who decides now
            ("first", "i2"),  # who has the first-player token
            ("turn", "i2"),  # Final and Missions: how many players are through
            ("winner", "i2"),
            ("decisions", "i4"),  # taken so far
            ("final", "i2"),  # which Final Mission
            ("draw", "i2", (DECK_COUNT, MAX_DECK)),  # cards not drawn yet, by copy: see `decks`
            ("n_draw", "i2", DECK_COUNT),
            ("discard", "i2", (DECK_COUNT, MAX_DECK)),
            ("n_discard", "i2", DECK_COUNT),
            ("shuffles", "i2", DECK_COUNT),
            ("market", "i2", (MARKETS, MAX_PLAYERS)),
            ("pile", "i2", 2),  # Dermal Plating and Commlinks left
            ("unique", "i2", MAX_UNIQUE),  # the '+1 die' Upgrades, the card for sale first (G1)
            ("n_unique", "i2"),
            ("nuyen", "i4", MAX_PLAYERS),
            ("tokens", "i2", MAX_PLAYERS),  # DocWagon tokens, those on runners not counted
            ("loot", "i2", (MAX_PLAYERS, MAX_LOOT)),  # in hand, by card
            ("missions", "i2", (MAX_PLAYERS, MAX_HAND)),  # selected this round
            ("mission_reroll", "i2", (MAX_PLAYERS, MAX_HAND)),  # by a Face: one free reroll
            ("n_missions", "i2", MAX_PLAYERS),
            ("starter", "i2", (MAX_PLAYERS, STARTERS)),
            ("coming", "i2", (MAX_PLAYERS, MAX_HAND)),  # runners hired this round
            ("n_coming", "i2", MAX_PLAYERS),
            ("card", "i2", (MAX_PLAYERS, SLOTS)),  # the runner in each slot of the Runner board
            ("condition", "i2", (MAX_PLAYERS, SLOTS)),
            ("place", "i2", (MAX_PLAYERS, SLOTS)),  # location of its pawn
            ("perk", "i2", (MAX_PLAYERS, SLOTS)),  # role of the Eye's space it covers, or `NOBODY`
            ("there", "i2", (MAX_PLAYERS, len(LOCATIONS))),  # pawns of each player at each location
            ("eye", "i2"),  # mask of the Eye's spaces covered
            ("plating", "i2", (MAX_PLAYERS, SLOTS)),
            ("dented", "i2", (MAX_PLAYERS, SLOTS)),  # its plate has taken an injury this round (M12)
            ("commlink", "i2", (MAX_PLAYERS, SLOTS)),
            ("colour", "i2", (MAX_PLAYERS, SLOTS)),  # of the Commlink's die
            ("upgrade", "i2", (MAX_PLAYERS, SLOTS)),  # the '+1 die' Upgrade
            ("own_token", "i2", (MAX_PLAYERS, SLOTS)),  # the token of Dante's Inferno (G8)
            ("ran", "i2", (MAX_PLAYERS, SLOTS)),  # was on a Mission this round
            ("heal", "i2", (MAX_PLAYERS, SLOTS)),  # tokens that would heal it now; 0: it cannot be healed
            ("dice", "i2", (MAX_PLAYERS, SLOTS, COLOURS)),  # of card, Gear and Upgrades; no Commlink's
            ("loan", "i2", (MAX_PLAYERS, SLOTS)),  # loan value of card, Gear and Upgrades
            ("gear_of", "i2", MAX_GEAR),  # the player who has it
            ("gear_on", "i2", MAX_GEAR),  # slot, or `HELD`
            ("moved", "u8"),  # mask of Gear moved since the last other action
            ("set", "u8"),  # mask of Commlinks set since then
            ("perks_held", "i2", MAX_PLAYERS),  # mask of the Eye's perks taken this round
            ("perks_used", "i2", MAX_PLAYERS),  # mask of those spent on a Mission
            ("tasks", "i2", MAX_PLAYERS),  # Tasks tried this round
            ("reserved", "i2", MAX_PLAYERS),  # who may attempt the Final Mission, in order
            ("n_reserved", "i2"),
            ("slot", "i2"),  # the runner whose action is carried out
            ("busy", "i2"),  # sold at the fence, refilled: what shuts out something else of this action
            ("offer", "i2", MAX_HAND),  # Loot cards drawn, not yet taken
            ("n_offer", "i2"),
            ("trial", "i2"),  # what runners are being chosen for; see `NO_TRIAL`
            ("mission", "i2"),  # its card, or the Task
            ("reroll", "i2"),  # free rerolls for it
            ("team_of", "i2", MAX_TEAM),
            ("team_slot", "i2", MAX_TEAM),
            ("n_team", "i2"),
            ("perks", "i2"),  # mask of the Eye's perks used on this Mission
        ],
    )
)
"""Where a game stands."""

CARDS = np.dtype(
    (
        np.record,
        [
            ("n_runners", "i8"),  # starting runners first, four sets of three, then those for hire
            ("runner_dice", "i8", (MAX_RUNNERS, COLOURS)),
            ("runner_roles", "i8", MAX_RUNNERS),  # mask
            ("runner_cost", "i8", MAX_RUNNERS),
            ("runner_loan", "i8", MAX_RUNNERS),
            ("n_starters", "i8"),
            ("n_gear", "i8"),  # single cards: a card with copies has as many rows
            ("gear_dice", "i8", (MAX_GEAR, COLOURS)),
            ("gear_roles", "i8", MAX_GEAR),  # mask of the roles of which one is required; all: any runner
            ("gear_cost", "i8", MAX_GEAR),
            ("gear_loan", "i8", MAX_GEAR),
            ("pile_count", "i8", 2),
            ("pile_cost", "i8", 2),
            ("pile_loan", "i8", 2),
            ("n_unique", "i8"),
            ("unique_colour", "i8", MAX_UNIQUE),
            ("unique_cost", "i8", MAX_UNIQUE),
            ("unique_loan", "i8", MAX_UNIQUE),
            ("n_loot", "i8"),  # different cards
            ("loot_kind", "i8", MAX_LOOT),
            ("loot_copies", "i8", MAX_LOOT),
            ("n_missions", "i8"),
            ("mission_icons", "i8", (MAX_MISSIONS, COLOURS)),  # of all Stages together
            ("n_finals", "i8"),
            ("final_icons", "i8", (MAX_FINALS, COLOURS)),
            ("missions", SCENARIO, MAX_MISSIONS),  # all but runners, hand and objective
            ("finals", SCENARIO, MAX_FINALS),
            ("tasks", SCENARIO, 2),  # Bodyguard Work, Datasteal
            ("loot_draw", "i8"),  # Datasteal
            ("datasteal_payout", "i8"),
        ],
    )
)
"""What the cards say."""

GIFT = np.dtype(
    (
        np.record,
        [
            ("nuyen", "i8"),  # K
            ("runners", "u8"),  # masks of cards
            ("gear", "u8"),
            ("unique", "u8"),
            ("loot", "i8", MAX_LOOT),  # copies
            ("plating", "i8"),
            ("commlink", "i8"),
        ],
    )
)
"""What a player has at the start beyond what the rules give: see `gifts`."""

ABSENT = np.dtype(
    (
        np.record,
        [
            ("runners", "u8"),  # masks of cards
            ("gear", "u8"),
            ("unique", "u8"),
            ("missions", "u8"),
            ("loot", "i8", MAX_LOOT),  # copies
            ("plating", "i8"),
            ("commlink", "i8"),
        ],
    )
)
"""Cards that lie in no deck, pile or market of a game: see `gifts`."""

FIGURES = (
    "tried",
    "completed",
    "tasks",
    "tasks_completed",
    "injuries",
    "deaths",
    "finals",
    "won",
    "final_deaths",
)
TRIED, COMPLETED, TASKS, TASKS_COMPLETED, INJURIES, DEATHS, FINALS, WON, FINAL_DEATHS = range(9)
"""What a book counts by round and player: Missions, Tasks, runners hurt and dead, Final Missions, and those
of the dead who died on one."""

BOOK = np.dtype(
    (
        np.record,
        [
            ("trial", "i8"),  # the last one: Mission, Task or Final; `NO_TRIAL` if the last action was none
            ("attempt", "u8"),  # its number, from which its dice follow
            ("cleared", "i8"),
            ("completed", "i8"),
            ("nuyen", "i8"),
            ("loot", "i8"),
            ("figures", "i4", (MAX_ROUNDS + 1, MAX_PLAYERS, len(FIGURES))),
            ("visits", "i4", (MAX_PLAYERS, len(LOCATIONS))),
        ],
    )
)
"""What happened in a game, counted beside it: it decides nothing."""

PAD = np.dtype(
    (
        np.record,
        [
            ("orders", ORDERS, MAX_PLAYERS),
            ("scene", SCENARIO),  # the Mission, Task or Final Mission being played or estimated
        ],
    )
)
"""What playing takes beside the game: each player's orders, and room for a scenario."""

Record = Any
"""A game, the cards or a book as compiled code sees them: one element of an array of these types."""


def new_games(count: int) -> npt.NDArray[Any]:
    """Allocate games, nothing set up yet."""
    return np.zeros(count, dtype=GAME)


def new_book() -> npt.NDArray[Any]:
    """Allocate a book with nothing in it (one record)."""
    return np.zeros(1, dtype=BOOK)
