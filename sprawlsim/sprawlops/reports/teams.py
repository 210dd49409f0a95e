"""Reference teams: what players typically have at the start of a round, taken from simulated games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.cards import CardSet, find_card
from sprawlsim.sprawlops.game.arrays import COMMLINK, EMPTY, FIT, PLATING, SLOTS
from sprawlsim.sprawlops.game.batch import play_to_round
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.roles import ROLES
from sprawlsim.sprawlops.team import Member, Team

ROUNDS = (2, 4, 6, 8)
"""Rounds at whose start teams are looked at."""
PAYING = 2
"""Which of them payouts and cards are judged by: the third, round 6, when most Missions are in reach."""


class ReferenceTeam(NamedTuple):
    """A typical team.

    Attributes
    ----------
    round_number : int
        It stood so at the start of this round.
    team : Team
        Runners who are fit, with what they carry.
    seen : int
        Teams among which it is the typical one.
    mean_dice : float
        Dice of those teams on average.
    """

    round_number: int
    team: Team
    seen: int
    mean_dice: float


def team_of(game: Any, player: int, batch: Batch) -> Team | None:
    """Read a player's fit runners off a game, with all they carry; None where nobody is fit."""
    cards, names = batch.card_set, batch.names
    members = [
        _member(game, player, slot, cards, names)
        for slot in range(SLOTS)
        if game.card[player, slot] != EMPTY and game.condition[player, slot] == FIT
    ]
    return Team(tuple(members)) if members else None


def _member(game: Any, player: int, slot: int, cards: CardSet, names: Any) -> Member:
    """Read one runner off a game."""
    runner: Any = find_card(cards, names.runners[game.card[player, slot]], "runners", "starting_runners")
    gear: list[Any] = [
        find_card(cards, name, "gear")
        for number, name in enumerate(names.gear)
        if game.gear_of[number] == player and game.gear_on[number] == slot
    ]
    upgrades: list[Any] = []
    for pile, count in ((PLATING, game.plating), (COMMLINK, game.commlink)):
        if count[player, slot]:
            upgrades.append(find_card(cards, names.piles[pile], "upgrades"))
    if game.upgrade[player, slot] != EMPTY:
        upgrades.append(find_card(cards, names.unique[game.upgrade[player, slot]], "upgrades"))
    return Member(runner, tuple(gear), tuple(upgrades))


def reference_teams(batch: Batch, games: int, rounds: Sequence[int] = ROUNDS) -> list[ReferenceTeam]:
    """Find the typical team at the start of each round.

    Typical is the team whose dice by colour differ least from those of all the others (the medoid, by the
    number of dice that differ), so that it is one that somebody really had.

    Parameters
    ----------
    batch : Batch
        Whose games to look at: numbers 0 to ``games - 1``, every seat.
    games : int
    rounds : sequence of int

    Raises
    ------
    SprawlsimError
        If no game lasted until one of the rounds.
    """
    thread = batch.thread()
    game = thread.table[0]
    found = []
    for round_number in rounds:
        teams: list[Team] = []
        for number in range(games):
            if play_to_round(batch.plan, thread, number, round_number):
                several = (team_of(game, player, batch) for player in range(batch.players))
                teams += [team for team in several if team is not None]
        if not teams:
            raise SprawlsimError(
                f"none of {games} games lasted until round {round_number}; look at more games"
            )
        dice = np.array([dice_by_colour(team) for team in teams])
        distance = np.abs(dice[:, None, :] - dice[None, :, :]).sum(axis=(1, 2))
        mean = float(dice.sum(axis=1).mean())
        found.append(ReferenceTeam(round_number, teams[int(distance.argmin())], len(teams), mean))
    return found


def dice_by_colour(team: Team) -> list[int]:
    """Count a team's dice by colour; a Commlink's, whose colour is chosen later, not among them."""
    return [sum(member.dice.get(role, 0) for member in team.members) for role in ROLES]
