"""Best play of a Mission, exactly: backward induction over everything that matters.

What matters before a roll is the Stage, the icons and rolls left, the team's health (who is up, plates,
tokens) and what is held. From the last Stage back, each such node gets its worth under best play: what a
roll offers is merged into kinds (`laws`), what its injuries can do is listed (`harm`), and the best use is
found by ranking whatever could follow, once (`induction`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError
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
    ROLLS_PER_STAGE,
    Record,
    new_states,
)
from sprawlsim.sprawlops.mission.counts import new_figures
from sprawlsim.sprawlops.mission.forward import Steps, count_ends, pass_rolls, pass_stage
from sprawlsim.sprawlops.mission.harm import Healths, Outcomes
from sprawlsim.sprawlops.mission.induction import (
    COMPLETED,
    DEATHS,
    DECIDING,
    INJURIES,
    LOOT,
    NUYEN,
    VALUE,
    WORTHS,
    Candidates,
    Following,
    Transitions,
    best_rolls,
    choose_dice,
    expect,
    judge_all,
    note_roll,
    value_rolls,
)
from sprawlsim.sprawlops.mission.laws import Law, find_law, find_uses
from sprawlsim.sprawlops.mission.policies import GO, PULL_OUT, SKIP
from sprawlsim.sprawlops.mission.rerolls import (
    FACE_SHARES,
    best_to_take_up,
    find_layouts,
    rank_uses,
    spread_layouts,
    throw_all,
    value_layouts,
)
from sprawlsim.sprawlops.mission.resources import BONUS, NONE, REROLLS, Resources
from sprawlsim.sprawlops.mission.rules import (
    is_optional,
    loot_won,
    nuyen_won,
    pull_out,
    skip_stage,
    start_stage,
)
from sprawlsim.sprawlops.mission.scenario import Scenario

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

TIE = 1e-12
"""Worths that differ by less than this share of the largest possible one are equal."""


class Expected(NamedTuple):
    """Expectations under best play: the objective, and what it is made of."""

    value: float
    completed: float
    nuyen: float
    loot: float
    injuries: float
    deaths: float


def expected(worth: Floats) -> Expected:
    """Read a worth, in which more is always better."""
    return Expected(
        value=float(worth[VALUE]),
        completed=float(worth[COMPLETED]),
        nuyen=float(worth[NUYEN]),
        loot=float(worth[LOOT]),
        injuries=-float(worth[INJURIES]) + 0.0,
        deaths=-float(worth[DEATHS]) + 0.0,
    )


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


class Pool(NamedTuple):
    """The dice of a roll, by colour: how many are rolled, which successes are certain, their law."""

    rolled: Ints
    certain: Ints
    groups: Ints
    law: Law


class Table(NamedTuple):
    """What is known about a roll of a team in some health that holds something: see `induction`."""

    pool: Pool
    outcomes: Outcomes
    candidates: Candidates
    best: npt.NDArray[np.int32]
    option_of: Ints


class Solution:
    """Best play of a scenario: the worth of every node, and what to do there. Made by `solve`.

    Attributes
    ----------
    scenario : Scenario
    worths : ndarray, shape (nodes, 6)
        Of each node, the expected rest of the Mission; see `induction`.
    """

    def __init__(self, scenario: Scenario, rolls: int, keep_transitions: bool) -> None:
        self.scenario = scenario
        self.scn: Record = scenario.arrays()
        self.healths = Healths(self.scn)
        self.resources = Resources(self.scn)
        self.stages = int(self.scn.n_stages)
        self.rolls = rolls
        self.uses = [
            find_uses(self.scn.icons[stage], self._most_successes(), self.resources.success_ways)
            for stage in range(self.stages)
        ]
        held = len(self.resources.held)
        self.nodes = Nodes([len(u.icons) for u in self.uses], rolls, len(self.healths.healths), held)
        self.worths = np.zeros((self.nodes.count, WORTHS))
        self.stage_choice = np.full((self.stages, self.nodes.per_icons), PULL_OUT, dtype=np.int64)
        self.dice_choice = np.arange(self.nodes.count)
        self.transitions = _new_transitions(self.nodes.count if keep_transitions else 0)
        self._filled = 0 if keep_transitions else -1
        self._options = [self.resources.options(number) for number in range(held)]
        self._option_of = [self._number_options(number) for number in range(held)]
        self._harm = np.zeros((2, WORTHS))
        self._harm[0, [VALUE, INJURIES]] = self.scn.w_injury, -1.0
        self._harm[1, [VALUE, DEATHS]] = self.scn.w_death, -1.0
        self.ties = self._smallest_differences()

    @property
    def start(self) -> int:
        """The node before the Mission."""
        return self.nodes.between(0, self.healths.start, self.resources.start)

    @property
    def value(self) -> float:
        """Expected value of the objective."""
        return float(self.worths[self.start, VALUE])

    @property
    def expected(self) -> Expected:
        """Expectations seen from before the Mission."""
        return expected(self.worths[self.start])

    def figures(self) -> Record:
        """Find everything best play comes to, as a record of `counts.FIGURES`: forward from the start."""
        if not len(self.transitions.start):
            raise SprawlsimError("this solution was made without figures")
        figures = new_figures()
        chances = np.zeros((self.nodes.count, int(self.scn.n_runners) + 1))
        chances[self.start, 0] = 1.0
        steps = self._steps()
        for stage in range(self.stages):
            pass_stage(stage, self.nodes.between(stage), steps, chances, figures[0])
            for rolls_left in reversed(range(self.rolls)):
                pass_rolls(
                    stage,
                    self.nodes.roll(stage, rolls_left),
                    self.nodes.icons[stage] * self.nodes.per_icons,
                    int(self.scn.n_runners),
                    self.dice_choice,
                    self.transitions,
                    chances,
                    figures[0],
                )
        ups = np.array([health.up for health in self.healths.healths], dtype=np.int64)
        count_ends(self.scn, self.nodes.end(False), ups, chances, figures[0])
        return figures[0]

    def _steps(self) -> Steps:
        """Collect what is decided before the Stages."""
        shape = (self.stages, self.nodes.per_icons)
        steps = Steps(np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool))
        for stage in range(self.stages):
            for choice in (GO, SKIP, PULL_OUT):
                follows = self.after_choice(stage, choice)
                made = self.stage_choice[stage] == choice
                if follows is not None:
                    steps.node[stage][made] = follows.node[made]
                    steps.reaches[stage][made] = follows.reached
                    steps.clears[stage][made] = follows.cleared
        return steps

    def run(self) -> None:
        """Go from the last Stage back to the first."""
        for stage in reversed(range(self.stages)):
            self._solve_rolls(stage)
            self._choose_stage(stage)

    def _solve_rolls(self, stage: int) -> None:
        """Value the rolls of a Stage: those of fewer runners first, later rolls first."""
        ups = [health.up for health in self.healths.healths]
        following = [self._following(stage, rolls_left) for rolls_left in range(self.rolls)]
        for up in sorted({up for up in ups if up}, key=lambda up: (up.bit_count(), up)):
            members = [h for h, of in enumerate(ups) if of == up]
            laws = self._laws(stage, up)
            for rolls_left in range(self.rolls):
                for health in members:
                    self._solve_health(stage, rolls_left, health, laws, following[rolls_left])

    def _solve_health(
        self,
        stage: int,
        rolls_left: int,
        health: int,
        laws: dict[tuple[int, ...], Pool],
        following: Following,
    ) -> None:
        """Value the roll of a team in one health, with whatever it holds."""
        tables = []
        for held in range(self.nodes.held):
            pool = laws[self.resources.dice_in_play(held)]
            tables.append(self._table(stage, health, held, pool, following))
            if not self.resources.may_reroll(held):
                self._solve_roll(stage, rolls_left, health, held, tables[held])
        if self.resources.may_reroll(self.resources.start):
            self._solve_rerolls(stage, rolls_left, health, tables)
        self._choose_dice(stage, rolls_left, health)

    def _lefts(self, stage: int, rolls_left: int) -> range:
        """Give the numbers of icons that can be left before a roll: all of them before the first."""
        icons = self.nodes.icons[stage]
        return range(icons - 1 if rolls_left == self.rolls - 1 else 1, icons)

    def _solve_roll(self, stage: int, rolls_left: int, health: int, held: int, table: Table) -> None:
        """Value the roll where no dice can be taken up again."""
        if self._filled >= 0:
            self._make_room(self.nodes.icons[stage] * table.candidates.order.size)
        self._filled = value_rolls(
            self.nodes.roll(stage, rolls_left, 0, health, held),
            self.nodes.per_icons,
            self._lefts(stage, rolls_left).start,
            self.uses[stage],
            table.pool.law,
            table.outcomes,
            self._option_of[held],
            table.best,
            table.candidates,
            self.worths,
            self.transitions,
            self._filled,
        )

    def _solve_rerolls(self, stage: int, rolls_left: int, health: int, tables: list[Table]) -> None:
        """Value the rolls where dice can be taken up again."""
        for dice in sorted({self.resources.dice_in_play(held) for held in range(self.nodes.held)}):
            alike = [h for h in range(self.nodes.held) if self.resources.dice_in_play(h) == dice]
            for left in self._lefts(stage, rolls_left):
                layouts = LayoutValues(self, stage, left, {held: tables[held] for held in alike})
                for held in alike:
                    layouts.value(held)
                for held in alike:
                    if not self.resources.may_reroll(held):
                        continue
                    node = self.nodes.roll(stage, rolls_left, left, health, held)
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

    def _table(
        self, stage: int, health: int, held: int, pool: Pool, following: Following
    ) -> Table:
        """Rank whatever can follow a roll."""
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
        can_evacuate = self.resources.without_evacuate[held] != NONE
        best_rolls(
            options,
            outcomes,
            following,
            self.resources.next_stage,
            self._harm,
            self.worths,
            self.nodes.end(False, health) if can_evacuate else NONE,
            law,
            self.ties,
            candidates,
            best,
        )
        return Table(pool, outcomes, candidates, best, self._option_of[held])

    def _choose_dice(self, stage: int, rolls_left: int, health: int) -> None:
        """Decide on Loot dice before a roll; those who hold most decide first, with the others' rolls."""
        for held in reversed(range(self.nodes.held)):
            ways = self.resources.with_dice_played(held)
            if len(ways) > 1:
                choose_dice(
                    self.nodes.roll(stage, rolls_left, 0, health, 0),
                    self.nodes.icons[stage],
                    self.nodes.per_icons,
                    np.array(ways, dtype=np.int64),
                    self.worths,
                    self.ties,
                    self.dice_choice,
                )

    def _laws(self, stage: int, up: int) -> dict[tuple[int, ...], Pool]:
        """Find the law of the roll of some runners, with every number of Loot dice in play."""
        groups = next(
            outcomes.groups
            for health, outcomes in zip(self.healths.healths, self.healths.outcomes, strict=True)
            if health.up == up and outcomes is not None
        )
        laws = {}
        for bonus in {self.resources.dice_in_play(held) for held in range(self.nodes.held)}:
            pool = self._pool(up) + np.array(bonus)
            rolled = np.array([rolled_dice(int(n)) for n in pool], dtype=np.int64)
            certain = np.array([certain_successes(int(n)) for n in pool], dtype=np.int64)
            law = find_law(
                self.uses[stage], rolled, certain, groups, (FACE_LAW, FACE_CHANCES, FACE_LAW_START)
            )
            laws[bonus] = Pool(rolled, certain, groups, law)
        return laws

    def _pool(self, up: int) -> Ints:
        """Count the dice of the runners who are up (M1)."""
        runners = [r for r in range(int(self.scn.n_runners)) if up >> r & 1]
        return np.array(self.scn.dice[runners].sum(axis=0), dtype=np.int64)

    def _most_successes(self) -> Ints:
        """Find the most successes of each colour that any roll can show."""
        everyone = self._pool((1 << int(self.scn.n_runners)) - 1)
        pools = everyone + self.resources.held[:, BONUS:REROLLS].max(axis=0)
        return np.array(
            [max(int(rolled_dice(n)) + int(certain_successes(n)) for n in range(pool + 1)) for pool in pools]
        )

    def _following(self, stage: int, rolls_left: int) -> Following:
        """Find what follows a roll, by the rules."""
        ups = np.array([health.up for health in self.healths.healths], dtype=np.int64)
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
            reward[alike] = self._reward(cleared, completed)
        return Following(node, per_icons, (~over).astype(np.int64), reward)

    def _reward(self, cleared: int, completed: int) -> Floats:
        """Give the worth of clearing these Stages and of completing."""
        nuyen, loot = nuyen_won(self.scn, cleared, completed), loot_won(self.scn, cleared)
        reward = np.zeros(WORTHS)
        reward[VALUE] = (
            self.scn.w_completion * completed + self.scn.w_nuyen * nuyen + self.scn.w_loot * loot
        )
        reward[[NUYEN, LOOT, COMPLETED]] = nuyen, loot, completed
        return reward

    def _choose_stage(self, stage: int) -> None:
        """Decide before a Stage: go, skip it, or pull out (M9); among equals the first of these."""
        first = self.nodes.between(stage)
        here = slice(first, first + self.nodes.per_icons)
        self.worths[here] = 0.0
        for choice in (PULL_OUT, SKIP, GO):
            follows = self.after_choice(stage, choice)
            if follows is None:
                continue
            worth = self.worths[follows.node] + follows.reward
            better = ~_is_better(self.worths[here], worth, self.ties)
            self.worths[here][better] = worth[better]
            self.stage_choice[stage][better] = choice

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
        health, held = np.divmod(np.arange(self.nodes.per_icons), self.nodes.held)
        if st.phase == BETWEEN:
            nodes = self.nodes.between(int(st.stage)) + np.arange(self.nodes.per_icons)
        elif st.phase == ROLLING:
            full = self.nodes.icons[stage] - 1
            nodes = self.nodes.roll(stage, self.rolls - 1, full) + np.arange(self.nodes.per_icons)
        else:
            nodes = self.nodes.end(bool(st.completed)) + health
        reward = self._reward(int(st.cleared), int(st.completed))
        return Step(nodes, reward, bool(st.reached), bool(st.cleared))

    def _number_options(self, held: int) -> Ints:
        """Number the options by (way to play success cards, injuries ignored); -1 where there is none."""
        options = self._options[held]
        most = int(self.resources.held[-1, IGNORE_INJURY])
        numbers = np.full((len(self.resources.success_ways), most + 1), NONE, dtype=np.int64)
        numbers[options.successes, options.ignored] = np.arange(len(options.then))
        return numbers

    def _smallest_differences(self) -> Floats:
        """Say from which difference on worths differ: a share of the largest they can be."""
        everything = self._reward((1 << self.stages) - 1, 1)
        runners = int(self.scn.n_runners)
        loot_left = int(self.scn.loot.sum()) + 1
        weights = (
            abs(float(self.scn.w_completion))
            + abs(float(self.scn.w_nuyen)) * everything[NUYEN]
            + abs(float(self.scn.w_loot)) * loot_left
            + (abs(float(self.scn.w_injury)) + abs(float(self.scn.w_death))) * runners
        )
        return TIE * np.array([weights, runners, runners, max(1.0, everything[NUYEN]), loot_left, 1.0])

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


class LayoutValues:
    """The layouts of one roll, with so many icons left: worths by what is held, and what to take up.

    Parameters
    ----------
    solution : Solution
    stage, left : int
    tables : dict
        By what is held; all with the same dice.
    """

    def __init__(self, solution: Solution, stage: int, left: int, tables: dict[int, Table]) -> None:
        self._of = solution.resources
        self._ties = solution.ties
        self._uses = solution.uses[stage]
        self._left = left
        self._tables = tables
        pool = next(iter(tables.values())).pool
        self.layouts = find_layouts(pool.rolled, pool.certain, pool.groups, self._uses, pool.law.most)
        self._row_of = self._uses.row_of[left][self._uses.kind]
        self.worths: dict[int, Floats] = {}
        self.chosen: dict[int, Ints] = {}
        self.ranks: dict[int, npt.NDArray[np.int32]] = {}

    def value(self, held: int) -> None:
        """Value all layouts; what is left once a reroll is spent must be valued before."""
        table = self._tables[held]
        rows = self._uses.row_start[self._left + 1] - self._uses.row_start[self._left]
        ranks = np.empty((rows, len(table.pool.law.counts)), dtype=np.int32)
        lowest = int(table.candidates.rank[-1])
        rank_uses(self._uses, self._left, table.option_of, table.best, lowest, ranks)
        number = self.layouts.number
        nothing, nowhere = np.zeros((0, WORTHS)), np.zeros(0, dtype=np.int64)
        after_free = self.worths.get(int(self._of.without_reroll[held]), nothing)
        after_die = self.worths.get(int(self._of.without_reroll_die[held]), nothing)
        best_free = nowhere
        if len(after_free):
            best_free = np.empty(number, dtype=np.int64)
            best_to_take_up(self.layouts, after_free, self._ties, best_free)
        self.ranks[held] = ranks
        self.worths[held] = np.empty((number, WORTHS))
        self.chosen[held] = np.empty(number, dtype=np.int64)
        value_layouts(
            self.layouts,
            self._deepest(held),
            self._row_of,
            ranks,
            table.candidates,
            after_free,
            best_free,
            after_die,
            self._ties,
            FACE_SHARES,
            self.worths[held],
            self.chosen[held],
        )

    def _deepest(self, held: int) -> int:
        """Say with how many dice in hand a layout may be asked for: by a free reroll any, by the card one."""
        if any(self._of.without_reroll[more] == held for more in self._tables):
            return int(self._tables[held].pool.rolled.sum())
        return int(any(self._of.without_reroll_die[more] == held for more in self._tables))

    def spread(self, held: int) -> Iterator[tuple[int, Floats]]:
        """Throw all dice and play on: yields what is held when a roll is used, and the chance of each rank."""
        chances: dict[int, Floats] = {held: np.empty(self.layouts.number)}
        throw_all(self.layouts, chances[held])
        for then in sorted(self._tables, reverse=True):
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
                self.layouts, chances[then], self._row_of, self.ranks[then], self.chosen[then],
                FACE_SHARES, by_rank, *after,
            )
            yield then, by_rank


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


def solve(scenario: Scenario, rolls_per_stage: int = ROLLS_PER_STAGE) -> Solution:
    """Find best play of a scenario, for its objective.

    Parameters
    ----------
    scenario : Scenario
    rolls_per_stage : int
        Rolls that a Stage allows (M6); other numbers than three answer what a roll more is worth.
    """
    solution = Solution(scenario, rolls_per_stage, keep_transitions=True)
    solution.run()
    return solution
