"""How much work an exact answer is, estimated before it is begun."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from sprawlsim.sprawlops.dice import certain_successes, face_counts, rolled_dice
from sprawlsim.sprawlops.mission.arrays import COLOURS, DIE_CARD, SUCCESS_CARD, Record
from sprawlsim.sprawlops.mission.induction import WORTHS
from sprawlsim.sprawlops.mission.resources import BONUS, REROLLS
from sprawlsim.sprawlops.mission.tree import Tree

NANO = 1e-9
PER_TABLE = 40_000.0
PER_CANDIDATE = 110.0
PER_END = 1.2
PER_CANCELLING = 0.6
PER_PLAY = 0.25
PER_ROW = 1.6
PER_NOTE = 2.5
PER_KIND = 1.0
PER_FACE = 6.0
PER_LAYOUT = 300.0
PER_REROLL = 250_000.0
"""Nanoseconds of each step, measured on one core of a two-core x86 machine."""

MOST_CONDITIONS = 100_000_000
MOST_HELD = 20_000
MOST_COMPARISONS = 300_000_000
"""Conditions of a team times counts of injuries, things that can be held, and successes held against
icons, from which not even the tree is grown to see: that alone would take many seconds, or gigabytes."""


class Work(NamedTuple):
    """An estimate: good to a factor of two or so."""

    seconds: float
    megabytes: float


HOPELESS = Work(float("inf"), float("inf"))


def is_hopeless(scn: Record) -> bool:
    """Say whether a scenario is too large even to count its nodes."""
    runners = range(int(scn.n_runners))
    conditions = prod(4 + (int(scn.plates) >> r & 1) for r in runners) * (1 + int(scn.tokens))
    injuries = 1
    for c in range(COLOURS):
        contributors = sum(int(scn.dice[r, c]) > 0 for r in runners)
        injuries *= 1 + min(int(scn.dice[:, c].sum()), 3 * contributors)
    held = prod(int(k) + 1 for k in scn.cards) * prod(
        1 + int(scn.cards[DIE_CARD + c]) / 2 for c in range(COLOURS)
    )
    return (
        conditions * injuries > MOST_CONDITIONS
        or held * (1 + int(scn.rerolls)) > MOST_HELD
        or _comparisons(scn) > MOST_COMPARISONS
    )


def _comparisons(scn: Record) -> int:
    """Count how often successes are held against icons to find what they can do: see `laws.find_uses`."""
    successes = 1
    for c in range(COLOURS):
        pool = int(scn.dice[:, c].sum()) + int(scn.cards[DIE_CARD + c])
        most = max(int(rolled_dice(n)) + int(certain_successes(n)) for n in range(pool + 1))
        successes *= (most + 1) * (1 + int(scn.cards[SUCCESS_CARD + c]))
    icons = max(prod(int(n) + 1 for n in scn.icons[stage]) for stage in range(int(scn.n_stages)))
    return successes * icons * icons


def layouts_of(dice: int, deepest: int) -> int:
    """Count the layouts of dice of one colour with at most so many in hand: see `layouts`."""
    return sum(int(face_counts(dice - in_hand)) for in_hand in range(min(dice, deepest) + 1))


def estimate_work(tree: Tree) -> Work:
    """Estimate what best play of the scenario takes, every step counted by its size."""
    nanoseconds = 0.0
    largest = 0.0
    noted = 0.0
    held = tree.nodes.held
    options = sum(len(tree.resources.options(h).then) for h in range(held))
    rerolling = sum(tree.resources.may_reroll(h) for h in range(held))
    most_options = len(tree.resources.options(held - 1).then)
    free = int(tree.resources.held[-1, REROLLS]) > 0
    bonuses = {tree.resources.dice_in_play(h) for h in range(held)}
    bonus = tree.resources.held[:, BONUS:REROLLS].max(axis=0)
    for uses in tree.uses:
        icons = len(uses.icons)
        rows = float(uses.row_start[-1])
        plays = float(len(uses.plays))
        lasting = (icons - 1) * (tree.rolls - 1) + 1  # the first roll comes with all icons left
        share = lasting / (tree.rolls * max(icons - 1, 1))
        for health, outcomes in enumerate(tree.healths.outcomes):
            if outcomes is None:
                continue
            pool = tree.dice(int(tree.ups[health])) + bonus
            rolled = np.array([int(rolled_dice(int(n))) for n in pool])
            injuries = 1.0
            for g in range(len(outcomes.most)):
                injuries *= 1 + int(rolled[outcomes.groups == g].sum())
            faces = float(prod(int(face_counts(int(n))) for n in rolled))
            ends = len(outcomes.health)
            length = len(outcomes.ends) / max(1, len(outcomes.starts) - 1)
            cancelled = 1 + float(rolled[outcomes.groups >= 0].sum())
            rows_here = min(rows, lasting * faces)
            candidates = icons * ends
            per_roll = options * (
                PER_CANDIDATE * candidates
                + PER_END * icons * injuries * length
                + PER_CANCELLING * icons * cancelled * injuries
                + share * PER_PLAY * plays * injuries * 0.5
            ) + held * (PER_TABLE + share * (PER_ROW * rows_here * injuries + PER_NOTE * icons * candidates))
            nanoseconds += tree.rolls * per_roll
            first_of_pool = health == 0 or tree.ups[health - 1] != tree.ups[health]
            if first_of_pool:
                nanoseconds += len(bonuses) * (PER_FACE * faces + PER_KIND * uses.kinds * injuries * icons)
            layouts = prod(layouts_of(int(n), int(n) if free else 1) for n in rolled)
            nanoseconds += rerolling * lasting * (PER_REROLL + PER_LAYOUT * layouts)
            noted += lasting * held * min(float(candidates), 60.0 + 0.03 * candidates)
            size = 4 * most_options * icons * cancelled * injuries + 8 * rows * injuries * len(bonuses)
            if rerolling:
                size += (1 + held) * (8 * WORTHS + 16.0) * layouts
            largest = max(largest, size)
    bytes_ = largest + tree.nodes.count * 8.0 * (WORTHS + 8) + 16.0 * noted
    return Work(nanoseconds * NANO, bytes_ / 1e6)
