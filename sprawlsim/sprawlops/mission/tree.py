"""Everything there is to know of a Mission before playing it: its nodes, and what leads from one to another.

A *node* is where a decision or a roll comes: before a Stage, before a roll, or at the end. What matters
there is the Stage, the rolls and icons left, the team's health and what is held. What leads where is
asked of the rules.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.sprawlops.dice import (
    FACE_CHANCES,
    FACE_LAW,
    FACE_LAW_START,
    certain_successes,
    rolled_dice,
)
from sprawlsim.sprawlops.mission.arrays import (
    BETWEEN,
    ENDED,
    IGNORE_INJURY,
    ROLLING,
    Record,
    new_states,
)
from sprawlsim.sprawlops.mission.harm import Healths
from sprawlsim.sprawlops.mission.induction import (
    COMPLETED,
    DEATHS,
    INJURIES,
    LOOT,
    NUYEN,
    VALUE,
    WORTHS,
    Candidates,
    Following,
    Stakes,
    Table,
    best_rolls,
    judge_all,
)
from sprawlsim.sprawlops.mission.laws import Pool, Uses, find_law, find_uses, strides
from sprawlsim.sprawlops.mission.policies import GO, PULL_OUT
from sprawlsim.sprawlops.mission.resources import BONUS, NONE, REROLLS, Resources
from sprawlsim.sprawlops.mission.rules import (
    is_optional,
    loot_won,
    nuyen_won,
    pull_out,
    skip_stage,
    start_stage,
    was_paid,
)

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

TIE = 1e-12
"""Worths that differ by less than this share of the largest possible one are equal."""


class Nodes:
    """The numbering of nodes: standing before a Stage, about to roll, and at the end.

    Parameters
    ----------
    icons : list of int
        For each Stage, how many numbers of icons can be left.
    rolls, healths, held : int
        Rolls of a Stage; how many healths there are, and how many things that can be held.
    """

    def __init__(self, icons: list[int], rolls: int, healths: int, held: int) -> None:
        self.icons = icons
        self.rolls = rolls
        self.healths = healths
        self.held = held
        self.per_icons = healths * held
        self._between = []
        self._roll = []
        count = 0
        for number in icons:
            self._between.append(count)
            count += self.per_icons
            self._roll.append(count)
            count += rolls * number * self.per_icons
        self._ends = count
        self.count = count + 2 * healths

    def between(self, stage: int, health: int = 0, held: int = 0) -> int:
        """Standing before a Stage."""
        return self._between[stage] + health * self.held + held

    def roll(self, stage: int, rolls_left: int, left: int = 0, health: int = 0, held: int = 0) -> int:
        """About to roll, with so many rolls left after that one."""
        first = self._roll[stage] + rolls_left * self.icons[stage] * self.per_icons
        return first + left * self.per_icons + health * self.held + held

    def end(self, completed: bool, health: int = 0) -> int:
        """The Mission is over."""
        return self._ends + int(completed) * self.healths + health


class Step(NamedTuple):
    """What follows a decision before a Stage: the node, by health and what is held, and what is gained."""

    node: Ints
    reward: Floats
    reached: bool
    cleared: bool


class Tree:
    """The nodes of a scenario, and the rules between them.

    Parameters
    ----------
    scn : Record
        The scenario.
    rolls : int
        Rolls that a Stage allows.

    Attributes
    ----------
    healths : Healths
    resources : Resources
    uses : list of Uses
        What successes can do, by Stage.
    nodes : Nodes
    ties : ndarray, shape (6,)
        From which difference on worths differ.
    """

    def __init__(self, scn: Record, rolls: int) -> None:
        self.scn = scn
        self.rolls = rolls
        self.stages = int(scn.n_stages)
        self.healths = Healths(scn)
        self.resources = Resources(scn)
        self.ups = np.array([health.up for health in self.healths.healths], dtype=np.int64)
        self._safe = np.array([not health.unsafe for health in self.healths.healths])
        self.uses: list[Uses] = [
            find_uses(scn.icons[stage], self._most_successes(), self.resources.success_ways)
            for stage in range(self.stages)
        ]
        held = len(self.resources.held)
        self.nodes = Nodes([len(uses.icons) for uses in self.uses], rolls, len(self.ups), held)
        self.start = self.nodes.between(0, self.healths.start, self.resources.start)
        self.ties = self._smallest_differences()
        self._options = [self.resources.options(number) for number in range(held)]
        self._option_of = [self._number_options(number) for number in range(held)]
        harm = np.zeros((2, WORTHS))
        harm[0, [VALUE, INJURIES]] = scn.w_injury, -1.0
        harm[1, [VALUE, DEATHS]] = scn.w_death, -1.0
        self._stakes = Stakes(harm, self.ties, self.resources.next_stage)

    def node_of(self, st: Record) -> int:
        """Find the node of a situation between two rolls, or at the end."""
        health = self.healths.health_of(st)
        if st.phase == ENDED:
            return self.nodes.end(bool(st.completed), health)
        held = self.resources.number([*st.cards, *st.bonus, st.rerolls])
        stage = int(st.stage)
        if st.phase == BETWEEN:
            return self.nodes.between(stage, health, held)
        left = int(np.dot(st.icons.astype(np.int64), strides(self.scn.icons[stage])))
        return self.nodes.roll(stage, int(st.rolls_left) - 1, left, health, held)

    def after_choice(self, stage: int, choice: int) -> Step | None:
        """Find what follows a decision before a Stage, by the rules; None where they do not allow it."""
        st = new_states(1)[0]
        st.stage = stage
        st.phase = BETWEEN
        if choice == GO:
            start_stage(self.scn, st)
        elif choice == PULL_OUT:
            pull_out(st)
        elif is_optional(self.scn, stage):
            skip_stage(self.scn, st)
        else:
            return None
        health = np.arange(self.nodes.per_icons) // self.nodes.held
        if st.phase == BETWEEN:
            nodes = self.nodes.between(int(st.stage)) + np.arange(self.nodes.per_icons)
        elif st.phase == ROLLING:
            full = self.nodes.icons[stage] - 1
            nodes = self.nodes.roll(stage, self.rolls - 1, full) + np.arange(self.nodes.per_icons)
        else:
            nodes = self.nodes.end(bool(st.completed)) + health
        reward = self._reward(int(st.cleared), int(st.completed))[health]
        return Step(nodes, reward, bool(st.reached), bool(st.cleared))

    def following(self, stage: int, rolls_left: int) -> Following:
        """Find what follows a roll, by the rules."""
        ups = self.ups
        work = new_states(2 * len(ups) + 1)
        ends = work[1:].reshape(2, len(ups))
        held = self.nodes.held
        judge_all(self.scn, work, stage, rolls_left, ups, ends)
        health = np.arange(len(ups)) * np.ones((2, 1), dtype=np.int64)
        over = ends["phase"] == ENDED
        node = self.nodes.end(False) + ends["completed"].astype(np.int64) * len(ups) + health
        per_icons = np.where(ends["phase"] == ROLLING, self.nodes.per_icons, 0)
        if (ends["phase"] == BETWEEN).any():
            node = np.where(ends["phase"] == BETWEEN, self.nodes.between(stage + 1) + health * held, node)
        if rolls_left > 0:
            again = self.nodes.roll(stage, rolls_left - 1) + health * held
            node = np.where(ends["phase"] == ROLLING, again, node)
        reward = np.zeros((*ends.shape, WORTHS))
        for cleared, completed in {(int(end["cleared"]), int(end["completed"])) for end in ends.flat}:
            alike = (ends["cleared"] == cleared) & (ends["completed"] == completed)
            reward += alike[:, :, None] * self._reward(cleared, completed)
        return Following(node, per_icons, (~over).astype(np.int64), reward)

    def _reward(self, cleared: int, completed: int) -> Floats:
        """Give the worth of clearing these Stages and of completing, by health; shape (healths, 6)."""
        scn = self.scn
        nuyen, loot = nuyen_won(scn, cleared, completed), loot_won(scn, cleared)
        reward = np.zeros((len(self.ups), WORTHS))
        reward[:, VALUE] = (
            scn.w_completion * completed
            + scn.w_nuyen * nuyen
            + scn.w_loot * loot
            + scn.w_payout * was_paid(scn, cleared, completed)
            + scn.w_safe * completed * self._safe
        )
        reward[:, [NUYEN, LOOT, COMPLETED]] = nuyen, loot, completed
        return reward

    def pools(self, stage: int, up: int) -> dict[tuple[int, ...], Pool]:
        """Find the roll of some runners, and its law in a Stage, by the Loot dice in play."""
        groups = next(
            outcomes.groups
            for of, outcomes in zip(self.ups, self.healths.outcomes, strict=True)
            if of == up and outcomes is not None
        )
        found = {}
        for bonus in {self.resources.dice_in_play(held) for held in range(self.nodes.held)}:
            pool = self.dice(up) + np.array(bonus)
            rolled = np.array([rolled_dice(int(n)) for n in pool], dtype=np.int64)
            certain = np.array([certain_successes(int(n)) for n in pool], dtype=np.int64)
            law = find_law(
                self.uses[stage], rolled, certain, groups, (FACE_LAW, FACE_CHANCES, FACE_LAW_START)
            )
            found[bonus] = Pool(rolled, certain, groups, law)
        return found

    def dice(self, up: int) -> Ints:
        """Count the dice of the runners who are up (M1)."""
        runners = [r for r in range(int(self.scn.n_runners)) if up >> r & 1]
        return np.array(self.scn.dice[runners].sum(axis=0), dtype=np.int64)

    def _most_successes(self) -> Ints:
        """Find the most successes of each colour that any roll can show."""
        everyone = self.dice((1 << int(self.scn.n_runners)) - 1)
        pools = everyone + self.resources.held[:, BONUS:REROLLS].max(axis=0)
        return np.array(
            [max(int(rolled_dice(n)) + int(certain_successes(n)) for n in range(pool + 1)) for pool in pools]
        )

    def table(
        self, stage: int, health: int, held: int, pool: Pool, following: Following, worths: Floats
    ) -> Table:
        """Rank whatever can follow a roll, by what it is worth."""
        outcomes = self.healths.outcomes[health]
        assert outcomes is not None
        law = pool.law
        icons = self.nodes.icons[stage]
        options = self._options[held]
        count = len(options.then) * icons * len(outcomes.health) + 1
        candidates = Candidates(
            worth=np.empty((count, WORTHS)),
            node=np.empty(count, dtype=np.int64),
            order=np.empty(count, dtype=np.int64),
            rank=np.empty(count, dtype=np.int32),
        )
        best = np.empty((len(options.then), icons, int(law.most.sum()) + 1, len(law.counts)), dtype=np.int32)
        table = Table(pool, outcomes, candidates, best, options, self._option_of[held])
        can_evacuate = self.resources.without_evacuate[held] != NONE
        evacuated = self.nodes.end(False, health) if can_evacuate else NONE
        best_rolls(following, self._stakes, worths, evacuated, table)
        return table

    def _number_options(self, held: int) -> Ints:
        """Number the options by (way to play success cards, injuries ignored); -1 where there is none."""
        options = self._options[held]
        most = int(self.resources.held[-1, IGNORE_INJURY])
        numbers = np.full((len(self.resources.success_ways), most + 1), NONE, dtype=np.int64)
        numbers[options.successes, options.ignored] = np.arange(len(options.then))
        return numbers

    def _smallest_differences(self) -> Floats:
        """Say from which difference on worths differ: a share of the largest they can be."""
        everything = self._reward((1 << self.stages) - 1, 1)[0]
        runners = int(self.scn.n_runners)
        loot_left = int(self.scn.loot.sum()) + 1
        weights = (
            abs(float(self.scn.w_completion))
            + abs(float(self.scn.w_payout))
            + abs(float(self.scn.w_safe))
            + abs(float(self.scn.w_nuyen)) * everything[NUYEN]
            + abs(float(self.scn.w_loot)) * loot_left
            + (abs(float(self.scn.w_injury)) + abs(float(self.scn.w_death))) * runners
        )
        return TIE * np.array([weights, runners, runners, max(1.0, everything[NUYEN]), loot_left, 1.0])
