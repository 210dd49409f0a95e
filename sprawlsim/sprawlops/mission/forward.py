"""What a known way to play comes to: the chance of every node, from the start to the ends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.mission.arrays import DEAD, UP, Record
from sprawlsim.sprawlops.mission.counts import COMPLETED, DEATHS, INJURIES, PAID, SAFE
from sprawlsim.sprawlops.mission.counts import LOOT as LOOT_SUM
from sprawlsim.sprawlops.mission.counts import NUYEN as NUYEN_SUM
from sprawlsim.sprawlops.mission.induction import CLEARED_BIT, Transitions
from sprawlsim.sprawlops.mission.rules import loot_won, nuyen_won, was_paid

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Steps(NamedTuple):
    """What is decided before the Stages, by node from the first of a Stage on; shape (stages, nodes)."""

    node: Ints
    """Node that follows."""
    reaches: npt.NDArray[np.bool_]
    clears: npt.NDArray[np.bool_]
    """Whether the Stage is reached, and cleared by a perk, by what was decided."""


@kernel
def pass_stage(stage: int, first: int, steps: Steps, chances: Floats, figures: Record) -> None:
    """Send the chance of standing before a Stage on to what was decided.

    `chances` has the shape (nodes, runners + 1): by how many have died.
    """
    for i in range(steps.node.shape[1]):
        node = first + i
        for dead in range(chances.shape[1]):
            chance = chances[node, dead]
            if chance > 0.0:
                chances[steps.node[stage, i], dead] += chance
                if steps.reaches[stage, i]:
                    figures.reached[stage] += chance
                if steps.clears[stage, i]:
                    figures.cleared[stage] += chance


@kernel
def pass_rolls(
    stage: int,
    first: int,
    count: int,
    runners: int,
    dice_choice: Ints,
    transitions: Transitions,
    chances: Floats,
    figures: Record,
) -> None:
    """Send the chance of being about to roll on to what follows the rolls."""
    for node in range(first, first + count):
        if dice_choice[node] != node:
            for dead in range(chances.shape[1]):
                chances[dice_choice[node], dead] += chances[node, dead]
                chances[node, dead] = 0.0
    for node in range(first, first + count):
        for dead in range(chances.shape[1]):
            chance = chances[node, dead]
            if chance == 0.0:
                continue
            for t in range(transitions.start[node], transitions.end[node]):
                share = chance * transitions.chance[t]
                what = np.int64(transitions.what[t])
                died = 0
                for r in range(runners):
                    condition = (what >> (2 * r)) & 3
                    if condition != UP:
                        figures.condition[r, condition] += share
                        died += condition == DEAD
                if what & CLEARED_BIT:
                    figures.cleared[stage] += share
                chances[transitions.node[t], dead + died] += share


@kernel
def count_ends(scn: Record, first: int, ups: Ints, chances: Floats, figures: Record) -> None:
    """Add up the ends: first those without completing, by health, then those with it."""
    runners = scn.n_runners
    for completed in range(2):
        for h in range(ups.size):
            down = runners
            for r in range(runners):
                if ups[h] & (1 << r):
                    down -= 1
            for dead in range(chances.shape[1]):
                chance = chances[first + completed * ups.size + h, dead]
                if chance == 0.0:
                    continue
                figures.attempts += chance
                figures.injured_count[down - dead] += chance
                figures.dead_count[dead] += chance
                figures.sums[COMPLETED] += completed * chance
                figures.sums[INJURIES] += (down - dead) * chance
                figures.sums[DEATHS] += dead * chance
                if dead == 0:
                    figures.sums[SAFE] += completed * chance
    figures.sums[NUYEN_SUM] = figures.sums[COMPLETED] * nuyen_won(scn, 0, 1)
    for stage in range(scn.n_stages):
        figures.sums[NUYEN_SUM] += figures.cleared[stage] * nuyen_won(scn, 1 << stage, 0)
        figures.sums[LOOT_SUM] += figures.cleared[stage] * loot_won(scn, 1 << stage)
    if scn.paying_stage >= 0:
        figures.sums[PAID] = figures.cleared[scn.paying_stage]
    elif was_paid(scn, 0, 1):
        figures.sums[PAID] = figures.sums[COMPLETED]
    for r in range(runners):
        figures.condition[r, UP] = figures.attempts
        for condition in range(UP + 1, DEAD + 1):
            figures.condition[r, UP] -= figures.condition[r, condition]
