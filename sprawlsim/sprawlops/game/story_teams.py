"""The story of a game: who is sent on a Mission, and how they come out of it."""

from __future__ import annotations

from sprawlsim.sprawlops.dice import VETERAN_DICE, VETERAN_SET_ASIDE
from sprawlsim.sprawlops.game.arrays import (
    EMPTY,
    Record,
)
from sprawlsim.sprawlops.game.story_turns import Told
from sprawlsim.sprawlops.game.words import LABELS, counted, player_name, runner_name
from sprawlsim.sprawlops.mission.advice_words import listed
from sprawlsim.sprawlops.mission.arrays import COLOURS


def dice_pool(counts: list[int]) -> str:
    """Write a dice pool by colour, veterans' dice told."""
    told = []
    for c, n in enumerate(counts):
        if n:
            veteran = (
                f" ({VETERAN_SET_ASIDE} of them set aside for a sure success)" if n >= VETERAN_DICE else ""
            )
            told.append(f"{n} {LABELS[c]}{veteran}")
    return ", ".join(told) or "none"


def team_names(told: Told, game: Record) -> list[str]:
    """Name who goes, hired runners with their owner."""
    team = []
    for k in range(game.n_team):
        owner, slot = int(game.team_of[k]), int(game.team_slot[k])
        name = runner_name(game, told.names, owner, slot)
        team.append(name if owner == game.player else f"{name} of {player_name(owner)}")
    return team


def tell_team(told: Told, game: Record, scene: Record) -> list[str]:
    """Tell who goes, with which dice, and what protects them.

    Parameters
    ----------
    told : Told
    game : record of `GAME`
        Before the dice.
    scene : record of `SCENARIO`
    """
    player = int(game.player)
    goes = []
    for k, name in enumerate(team_names(told, game)):
        owner, slot = int(game.team_of[k]), int(game.team_slot[k])
        goes.append(name if owner == player else f"{name} (hired for {int(game.loan[owner, slot])}K)")
    lines = [f"Dice: {dice_pool([int(n) for n in scene.dice[: scene.n_runners].sum(axis=0)])}."]
    if game.n_team > 1:
        for k, name in enumerate(team_names(told, game)):
            lines.append(f"  {name}: {dice_pool_of_one(scene, k)}")
    has = []
    names = team_names(told, game)
    plated = [names[k] for k in range(game.n_team) if int(scene.plates) >> k & 1]
    own = [names[k] for k in range(game.n_team) if int(scene.own_tokens) >> k & 1]
    has += [f"{counted(int(scene.tokens), 'DocWagon token')} in hand"] * bool(scene.tokens)
    has += [f"a DocWagon token on {listed(own)}"] * bool(own)
    has += [f"Dermal Plating on {listed(plated)}"] * bool(plated)
    has += [f"{counted(int(scene.rerolls), 'free reroll')}"] * bool(scene.rerolls)
    loot = [name for card, name in enumerate(told.names.loot) for _ in range(int(game.loot[player, card]))]
    has += [f"Loot: {listed(loot)}"] * bool(loot)
    perks = [LABELS[c] for c in range(COLOURS) if int(game.perks) >> c & 1]
    has += [f"the Eye of the Needle's {listed(perks)} {'perk' if len(perks) == 1 else 'perks'}"] * bool(perks)
    if has:
        lines.append(f"With: {'; '.join(has)}.")
    return [listed(goes), *lines]


def dice_pool_of_one(scene: Record, k: int) -> str:
    """Write the dice of one runner."""
    return ", ".join(f"{int(n)} {LABELS[c]}" for c, n in enumerate(scene.dice[k]) if n) or "no dice"


def tell_end(told: Told, before: Record, after: Record) -> str:
    """Tell how the runners of a trial came out of it, and what its player has now."""
    fates = []
    for k, name in enumerate(team_names(told, before)):
        owner, slot = int(before.team_of[k]), int(before.team_slot[k])
        if after.card[owner, slot] == EMPTY:
            gone = told.upgrades_on(before, owner, slot)
            kept = told.gear_on(before, owner, slot)
            text = f"{name} is dead"
            text += f" (lost with it: {listed(gone)})" if gone else ""
            fates.append(text + (f" ({listed(kept)} stays with its player)" if kept else ""))
        elif after.condition[owner, slot] != before.condition[owner, slot]:
            fates.append(f"{name} is injured")
    harm = f"{listed(fates)}" if fates else "Nobody is hurt"
    money = int(after.nuyen[before.player])
    return f"{harm}; {player_name(int(before.player))} has {money}K."
