"""From a card set to the tables that whole games read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sprawlsim.errors import CardError
from sprawlsim.sprawlops.cards.files import load_card_set
from sprawlsim.sprawlops.cards.model import CardSet, FinalMission, Mission, Runner, StartingRunner, Task
from sprawlsim.sprawlops.game.arrays import (
    CARDS,
    COMMLINK,
    MAX_DECK,
    MAX_FINALS,
    MAX_GEAR,
    MAX_LOOT,
    MAX_MISSIONS,
    MAX_PLAYERS,
    MAX_RUNNERS,
    MAX_UNIQUE,
    PLATING,
    STARTERS,
)
from sprawlsim.sprawlops.mission.arrays import COLOURS
from sprawlsim.sprawlops.mission.scenario import CARD_KIND, RulesOptions, fill_stages
from sprawlsim.sprawlops.roles import ROLES

ANY_ROLE = (1 << COLOURS) - 1


class Names(NamedTuple):
    """What the numbers in a game are called."""

    runners: tuple[str, ...]
    gear: tuple[str, ...]
    unique: tuple[str, ...]
    piles: tuple[str, str]
    loot: tuple[str, ...]
    missions: tuple[str, ...]
    finals: tuple[str, ...]
    tasks: tuple[str, str]


def _mask(roles: tuple[str, ...]) -> int:
    return sum(1 << ROLES.index(role) for role in roles)


def _dice(dice: dict[Any, int]) -> list[int]:
    return [dice.get(role, 0) for role in ROLES]


def starters_in_order(cards: CardSet) -> list[StartingRunner]:
    """Give the starting runners by set, in each the Street Samurai, the Decker and the Face."""
    return sorted(cards.starting_runners, key=lambda card: (card.set, ROLES.index(card.roles[0])))


def _check(cards: CardSet, copies: dict[str, int]) -> None:
    """Refuse a card set that whole games have no room for, or that lacks what a game needs."""
    limits = {
        "starting runners and runners": (len(cards.starting_runners) + len(cards.runners), MAX_RUNNERS),
        "Gear cards": (copies["gear"], MAX_GEAR),
        "different Loot cards": (len(cards.loot), MAX_LOOT),
        "Loot cards": (copies["loot"], MAX_DECK),
        "Missions": (len(cards.missions), MAX_MISSIONS),
        "Final Missions": (len(cards.final_missions), MAX_FINALS),
        "'+1 die' Upgrades": (copies["unique"], MAX_UNIQUE),
    }
    for what, (count, most) in limits.items():
        if count > most:
            raise CardError(f"card set {cards.name!r} has {count} {what}; whole games have room for {most}")
    if not cards.final_missions:
        raise CardError(f"card set {cards.name!r} has no Final Mission, so that nobody could win a game")
    if len(cards.starting_runners) != MAX_PLAYERS * STARTERS:
        raise CardError(
            f"card set {cards.name!r} has {len(cards.starting_runners)} starting runners; a game needs "
            f"{MAX_PLAYERS} sets of {STARTERS} (G2)"
        )
    if {task.name for task in cards.tasks} != {"Bodyguard Work", "Datasteal"}:
        told = ", ".join(task.name for task in cards.tasks) or "none"
        raise CardError(
            f"card set {cards.name!r} has the Tasks {told}; the board has Bodyguard Work and Datasteal"
        )


def make_tables(cards: CardSet, rules: RulesOptions | None = None) -> Any:
    """Tabulate a card set as a record of `CARDS`.

    Raises
    ------
    CardError
        If whole games have no room for it, or it lacks what a game needs.
    """
    row = np.zeros(1, dtype=CARDS)[0]
    unique = _unique(cards)
    gear = [card for card in cards.gear for _ in range(card.copies)]
    loot = sum(card.copies for card in cards.loot)
    _check(cards, {"gear": len(gear), "loot": loot, "unique": len(unique)})
    starters = starters_in_order(cards)
    row.n_starters = len(starters)
    row.n_runners = len(starters) + len(cards.runners)
    runners: tuple[StartingRunner | Runner, ...] = (*starters, *cards.runners)
    for i, runner in enumerate(runners):
        row.runner_dice[i] = _dice(runner.dice)
        row.runner_roles[i] = _mask(runner.roles)
        row.runner_cost[i] = getattr(runner, "cost", 0)
        row.runner_loan[i] = runner.loan
    row.n_gear = len(gear)
    for i, card in enumerate(gear):
        row.gear_dice[i] = _dice(card.dice)
        row.gear_roles[i] = _mask(card.requirement) or ANY_ROLE
        row.gear_cost[i] = card.cost
        row.gear_loan[i] = card.loan
    _tabulate_upgrades(row, cards)
    row.n_loot = len(cards.loot)
    for i, bonus in enumerate(cards.loot):
        row.loot_kind[i] = CARD_KIND[bonus.bonus]
        row.loot_copies[i] = bonus.copies
    row.n_missions = len(cards.missions)
    row.n_finals = len(cards.final_missions)
    plating = int((rules or RulesOptions()).plating_takes_any_colour)
    tasks = sorted(cards.tasks, key=lambda task: task.name)
    row.loot_draw = tasks[1].loot_draw
    row.datasteal_payout = tasks[1].payout
    _set_up(row.missions, cards.missions, plating)
    _set_up(row.finals, cards.final_missions, plating)
    _set_up(row.tasks, tuple(tasks), plating)
    row.mission_icons[:] = row.missions["icons"].sum(axis=1)
    row.final_icons[:] = row.finals["icons"].sum(axis=1)
    return row


def _unique(cards: CardSet) -> list[Any]:
    return [card for card in cards.upgrades if card.kind == "die" for _ in range(card.copies)]


def _pile(cards: CardSet, kind: str) -> list[Any]:
    return [card for card in cards.upgrades if card.kind == kind]


def _tabulate_upgrades(row: Any, cards: CardSet) -> None:
    for pile, kind in ((PLATING, "dermal-plating"), (COMMLINK, "commlink")):
        of_kind = _pile(cards, kind)
        prices = {(card.cost, card.loan) for card in of_kind}
        if len(prices) > 1:
            told = ", ".join(card.name for card in of_kind)
            raise CardError(
                f"{told} are {kind} Upgrades with different cost or loan value; whole games keep them in one "
                "pile (G1), so they must be alike"
            )
        for cost, loan in prices:
            row.pile_count[pile] = sum(card.copies for card in of_kind)
            row.pile_cost[pile] = cost
            row.pile_loan[pile] = loan
    unique = _unique(cards)
    row.n_unique = len(unique)
    for i, card in enumerate(unique):
        row.unique_colour[i] = ROLES.index(card.die)
        row.unique_cost[i] = card.cost
        row.unique_loan[i] = card.loan


def _set_up(
    scenarios: Any, cards: tuple[Mission | FinalMission | Task, ...], plating_any_colour: int
) -> None:
    """Set Missions up as far as the card goes."""
    for scn, card in zip(scenarios, cards, strict=False):
        fill_stages(scn, card.stages)
        scn["payout"] = getattr(card, "payout", 0)
        scn["rerolls"] = getattr(card, "rerolls", 0)
        scn["task"] = isinstance(card, Task)
        scn["plating_takes_any_colour"] = plating_any_colour


def as_card_set(cards: Any = None) -> CardSet:
    """Give the card set that somebody means: one, `Cards` as `load_cards` gives them, a name or a folder.

    Raises
    ------
    CardError
        If it is none of these, or cannot be read.
    """
    if cards is None or isinstance(cards, str | Path):
        return load_card_set(cards)
    cards = getattr(cards, "card_set", cards)
    if not isinstance(cards, CardSet):
        raise CardError(f"cards must be a card set, a name or a folder, not {type(cards).__name__}")
    return cards


def make_names(cards: CardSet) -> Names:
    """Collect the names of the cards in the order of their numbers."""
    tasks = sorted(card.name for card in cards.tasks)
    piles = [
        next((card.name for card in _pile(cards, kind)), kind) for kind in ("dermal-plating", "commlink")
    ]
    return Names(
        runners=tuple(card.name for card in (*starters_in_order(cards), *cards.runners)),
        gear=tuple(card.name for card in cards.gear for _ in range(card.copies)),
        unique=tuple(card.name for card in _unique(cards)),
        piles=(piles[0], piles[1]),
        loot=tuple(card.name for card in cards.loot),
        missions=tuple(card.name for card in cards.missions),
        finals=tuple(card.name for card in cards.final_missions),
        tasks=(tasks[0], tasks[1]),
    )
