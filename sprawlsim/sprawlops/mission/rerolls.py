"""Rolls whose dice can be taken up again (M18): what each layout is worth, by what is held."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sprawlsim.sprawlops.mission.induction import WORTHS, Table
from sprawlsim.sprawlops.mission.layouts import (
    Lying,
    Rerolled,
    best_to_take_up,
    find_layouts,
    rank_uses,
    spread_layouts,
    throw_all,
    value_layouts,
)
from sprawlsim.sprawlops.mission.resources import NONE
from sprawlsim.sprawlops.mission.tree import Tree

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class LayoutValues:
    """The layouts of one roll, with so many icons left: worths by what is held, and what to take up.

    Parameters
    ----------
    tree : Tree
    stage, left : int
    tables : dict
        By what is held; all with the same dice.
    """

    def __init__(self, tree: Tree, stage: int, left: int, tables: dict[int, Table]) -> None:
        self._of = tree.resources
        self._ties = tree.ties
        self._uses = tree.uses[stage]
        self._left = left
        self._tables = tables
        self._after_free = {int(self._of.without_reroll[held]) for held in tables}
        self._after_die = {int(self._of.without_reroll_die[held]) for held in tables}
        deepest = max(self._deepest(held) for held in tables)
        self.layouts = find_layouts(next(iter(tables.values())).pool, self._uses, deepest)
        self._row_of = self._uses.row_of[left][self._uses.kind]
        self.worths: dict[int, Floats] = {}
        self.chosen: dict[int, Ints] = {}
        self.lying: dict[int, Lying] = {}

    def value(self, held: int) -> None:
        """Value all layouts; what is left once a reroll is spent must be valued before."""
        table = self._tables[held]
        rows = self._uses.row_start[self._left + 1] - self._uses.row_start[self._left]
        ranks = np.empty((rows, len(table.pool.law.counts)), dtype=np.int32)
        lowest = int(table.candidates.rank[-1])
        rank_uses(self._uses, self._left, table.option_of, table.best, lowest, ranks)
        number = self.layouts.number
        free = self.worths.get(int(self._of.without_reroll[held]), np.zeros((0, WORTHS)))
        die = self.worths.get(int(self._of.without_reroll_die[held]), np.zeros((0, WORTHS)))
        best_free = np.empty(len(free), dtype=np.int64)
        if len(free):
            best_to_take_up(self.layouts, free, self._ties, best_free)
        self.lying[held] = Lying(self._row_of, ranks)
        self.worths[held] = np.empty((number, WORTHS))
        self.chosen[held] = np.empty(number, dtype=np.int64)
        value_layouts(
            self.layouts,
            self._deepest(held),
            self.lying[held],
            table.candidates,
            Rerolled(free, best_free, die),
            self._ties,
            self.worths[held],
            self.chosen[held],
        )

    def _deepest(self, held: int) -> int:
        """Say with how many dice in hand a layout may be asked for: by a free reroll any, by the card one."""
        if held in self._after_free:
            return int(self._tables[held].pool.rolled.sum())
        return int(held in self._after_die)

    def spread(self, held: int) -> Iterator[tuple[int, Floats]]:
        """Throw all dice and play on: tell what is held when a roll is used, and the chance of each rank."""
        chances: dict[int, Floats] = {held: np.empty(self.layouts.number)}
        throw_all(self.layouts, chances[held])
        for then in self._of.after_rerolls(held):
            if then not in chances:
                continue
            table = self._tables[then]
            by_rank = np.empty(table.candidates.order.size)
            spent = [int(self._of.without_reroll[then]), int(self._of.without_reroll_die[then])]
            for number in spent:
                if number != NONE and number not in chances:
                    chances[number] = np.zeros(self.layouts.number)
            after = [chances.get(number, np.zeros(0)) for number in spent]
            spread_layouts(
                self.layouts,
                chances[then],
                self.lying[then],
                self.chosen[then],
                by_rank,
                *after,
            )
            yield then, by_rank
