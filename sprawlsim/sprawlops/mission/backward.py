"""Backward induction over the nodes of a Mission, from the last Stage to the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from sprawlsim.sprawlops.mission.induction import (
    DECIDING,
    WORTHS,
    Following,
    Lefts,
    Table,
    Transitions,
    choose_dice,
    expect,
    note_roll,
    value_rolls,
)
from sprawlsim.sprawlops.mission.laws import Pool
from sprawlsim.sprawlops.mission.policies import GO, PULL_OUT, SKIP
from sprawlsim.sprawlops.mission.rerolls import LayoutValues
from sprawlsim.sprawlops.mission.tree import Tree

Floats = npt.NDArray[np.float64]


class Backward:
    """The induction, and what it finds.

    Parameters
    ----------
    tree : Tree
    keep_transitions : bool
        Whether to write down what follows every roll: memory, for figures beyond expectations.

    Attributes
    ----------
    worths : ndarray, shape (nodes, 6)
        Of each node, the expected rest of the Mission; see `induction`.
    stage_choice : ndarray, shape (stages, healths * held)
        `GO`, `SKIP` or `PULL_OUT`.
    dice_choice : ndarray, shape (nodes,)
        The node that a roll is made from: itself, or one with Loot dice played.
    transitions : Transitions
    """

    def __init__(self, tree: Tree, keep_transitions: bool) -> None:
        self._tree = tree
        self._filled = 0 if keep_transitions else -1
        self.worths = np.zeros((tree.nodes.count, WORTHS))
        self.stage_choice = np.full((tree.stages, tree.nodes.per_icons), PULL_OUT, dtype=np.int64)
        self.dice_choice = np.arange(tree.nodes.count)
        self.transitions = _new_transitions(tree.nodes.count if keep_transitions else 0)
        held = range(tree.nodes.held)
        self._dice_ways = [np.array(tree.resources.with_dice_played(h), dtype=np.int64) for h in held]

    def run(self, progress: Callable[[int, int | None], None] | None = None) -> None:
        """Go from the last Stage back to the first; `progress` is told how much is done, of how much."""
        work = sum(self._size(up) for up in self._tree.ups if up) * self._tree.stages
        done = 0
        for stage in reversed(range(self._tree.stages)):
            for up in self._solve_rolls(stage):
                done += self._size(up)
                if progress is not None:
                    progress(done, work)
            self._choose_stage(stage)

    def _size(self, up: int) -> int:
        """Say how large the rolls of some runners are, roughly."""
        return int(np.prod((self._tree.dice(int(up)) + 1) ** 2))

    def _solve_rolls(self, stage: int) -> Iterator[int]:
        """Value the rolls of a Stage: those of fewer runners first, later rolls first.

        Yields who was up, whenever a roll of a team in some health is done.
        """
        ups = self._tree.ups.tolist()
        following = [self._tree.following(stage, rolls_left) for rolls_left in range(self._tree.rolls)]
        for up in sorted({up for up in ups if up}, key=lambda up: (up.bit_count(), up)):
            members = [h for h, of in enumerate(ups) if of == up]
            pools = self._tree.pools(stage, up)
            for rolls_left in range(self._tree.rolls):
                for health in members:
                    self._solve_health(stage, rolls_left, health, pools, following[rolls_left])
                    if rolls_left == self._tree.rolls - 1:
                        yield up

    def _solve_health(
        self,
        stage: int,
        rolls_left: int,
        health: int,
        pools: dict[tuple[int, ...], Pool],
        following: Following,
    ) -> None:
        """Value the roll of a team in one health, with whatever it holds."""
        tables = []
        for held in range(self._tree.nodes.held):
            pool = pools[self._tree.resources.dice_in_play(held)]
            tables.append(self._tree.table(stage, health, held, pool, following, self.worths))
            if not self._tree.resources.may_reroll(held):
                self._solve_roll(stage, rolls_left, health, held, tables[held])
        if self._tree.resources.may_reroll(self._tree.resources.start):
            self._solve_rerolls(stage, rolls_left, health, tables)
        self._choose_dice(stage, rolls_left, health)

    def _lefts(self, stage: int, rolls_left: int) -> range:
        """Give the numbers of icons that can be left before a roll: all of them before the first."""
        icons = self._tree.nodes.icons[stage]
        return range(icons - 1 if rolls_left == self._tree.rolls - 1 else 1, icons)

    def _solve_roll(self, stage: int, rolls_left: int, health: int, held: int, table: Table) -> None:
        """Value the roll where no dice can be taken up again."""
        if self._filled >= 0:
            self._make_room(self._tree.nodes.icons[stage] * table.candidates.order.size)
        lefts = Lefts(
            self._tree.nodes.roll(stage, rolls_left, 0, health, held),
            self._tree.nodes.per_icons,
            self._lefts(stage, rolls_left).start,
        )
        self._filled = value_rolls(
            lefts, self._tree.uses[stage], table, self.worths, self.transitions, self._filled
        )

    def _solve_rerolls(self, stage: int, rolls_left: int, health: int, tables: list[Table]) -> None:
        """Value the rolls where dice can be taken up again."""
        for dice in sorted(
            {self._tree.resources.dice_in_play(held) for held in range(self._tree.nodes.held)}
        ):
            alike = [h for h in range(self._tree.nodes.held) if self._tree.resources.dice_in_play(h) == dice]
            for left in self._lefts(stage, rolls_left):
                layouts = LayoutValues(self._tree, stage, left, {held: tables[held] for held in alike})
                for held in alike:
                    layouts.value(held)
                for held in alike:
                    if not self._tree.resources.may_reroll(held):
                        continue
                    node = self._tree.nodes.roll(stage, rolls_left, left, health, held)
                    self.worths[node] = 0.0
                    if self._filled >= 0:
                        self.transitions.start[node] = self._filled
                    for then, chances in layouts.spread(held):
                        self._note(node, tables[then], chances)

    def _note(self, node: int, table: Table, chances: Floats) -> None:
        """Add what happens with these chances by rank to what is known of a node."""
        worth = np.empty(WORTHS)
        happen = expect(table.candidates, chances, worth)
        self.worths[node] += worth
        if self._filled >= 0:
            self._make_room(happen)
            start = self.transitions.start[node]
            icons = table.best.shape[1]
            self._filled = note_roll(
                node, table.candidates, table.outcomes, icons, chances, self.transitions, self._filled
            )
            self.transitions.start[node] = start

    def _choose_dice(self, stage: int, rolls_left: int, health: int) -> None:
        """Decide on Loot dice before a roll; those who hold most decide first, with the others' rolls."""
        for held in reversed(range(self._tree.nodes.held)):
            ways = self._dice_ways[held]
            if len(ways) > 1:
                choose_dice(
                    self._tree.nodes.roll(stage, rolls_left, 0, health, 0),
                    self._tree.nodes.icons[stage],
                    self._tree.nodes.per_icons,
                    ways,
                    self.worths,
                    self._tree.ties,
                    self.dice_choice,
                )

    def _choose_stage(self, stage: int) -> None:
        """Decide before a Stage: go, skip it, or pull out (M9); among equals the first of these."""
        first = self._tree.nodes.between(stage)
        here = slice(first, first + self._tree.nodes.per_icons)
        self.worths[here] = 0.0
        for choice in (PULL_OUT, SKIP, GO):
            follows = self._tree.after_choice(stage, choice)
            if follows is None:
                continue
            worth = self.worths[follows.node] + follows.reward
            better = ~_is_better(self.worths[here], worth, self._tree.ties)
            self.worths[here][better] = worth[better]
            self.stage_choice[stage][better] = choice

    def _make_room(self, more: int) -> None:
        """Let the transitions grow."""
        size = len(self.transitions.chance)
        if self._filled + more > size:
            grown = max(2 * size, self._filled + more)
            self.transitions = self.transitions._replace(
                node=np.resize(self.transitions.node, grown),
                what=np.resize(self.transitions.what, grown),
                chance=np.resize(self.transitions.chance, grown),
            )


def _new_transitions(nodes: int) -> Transitions:
    return Transitions(
        start=np.zeros(nodes, dtype=np.int64),
        end=np.zeros(nodes, dtype=np.int64),
        node=np.zeros(1, dtype=np.int32),
        what=np.zeros(1, dtype=np.int32),
        chance=np.zeros(1),
    )


def _is_better(worths: Floats, than: Floats, ties: Floats) -> npt.NDArray[np.bool_]:
    """Do what `induction.is_better` does, for many at once."""
    better = np.zeros(len(worths), dtype=bool)
    open_ = np.ones(len(worths), dtype=bool)
    for w in range(DECIDING):
        difference = worths[:, w] - than[:, w]
        better |= open_ & (difference > ties[w])
        open_ &= abs(difference) <= ties[w]
    return better
