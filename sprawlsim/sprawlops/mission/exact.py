"""Best play of a Mission, exactly: backward induction over everything that matters.

What a roll offers is merged into kinds (`laws`), what its injuries can do is listed (`harm`), and the best
use of each is found by ranking whatever could follow, once (`induction`). From the last Stage back, each
node of the `tree` gets its worth under best play (`backward`); from the first on, its chance (`forward`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.mission.arrays import ROLLS_PER_STAGE, SCENARIO, Record
from sprawlsim.sprawlops.mission.backward import Backward
from sprawlsim.sprawlops.mission.counts import new_figures
from sprawlsim.sprawlops.mission.forward import Steps, count_ends, pass_rolls, pass_stage
from sprawlsim.sprawlops.mission.induction import COMPLETED, DEATHS, INJURIES, LOOT, NUYEN, VALUE, Table
from sprawlsim.sprawlops.mission.policies import GO, PULL_OUT, SKIP
from sprawlsim.sprawlops.mission.scenario import Scenario
from sprawlsim.sprawlops.mission.tree import Tree
from sprawlsim.sprawlops.mission.work import HOPELESS, Work, estimate_work, is_hopeless

Floats = npt.NDArray[np.float64]


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


class Solution:
    """Best play of a scenario: the worth of every node, and what to do there. Made by `solve`.

    Attributes
    ----------
    scenario : Scenario
    tree : Tree
        The nodes.
    plan : Backward
        The worth of each node, and what to do there.
    """

    def __init__(self, scenario: Scenario, tree: Tree, plan: Backward) -> None:
        self.scenario = scenario
        self.tree = tree
        self.plan = plan

    @property
    def value(self) -> float:
        """Expected value of the objective."""
        return float(self.plan.worths[self.tree.start, VALUE])

    @property
    def expected(self) -> Expected:
        """Expectations seen from before the Mission."""
        return expected(self.plan.worths[self.tree.start])

    def table(self, stage: int, rolls_left: int, health: int, held: int) -> Table:
        """Rank whatever can follow one roll; `rolls_left` are those after it."""
        pools = self.tree.pools(stage, int(self.tree.ups[health]))
        pool = pools[self.tree.resources.dice_in_play(held)]
        following = self.tree.following(stage, rolls_left)
        return self.tree.table(stage, health, held, pool, following, self.plan.worths)

    def figures(self) -> Record:
        """Find everything best play comes to, as a record of `counts.FIGURES`: forward from the start."""
        if not len(self.plan.transitions.start):
            raise SprawlsimError("this solution was made without figures")
        figures = new_figures()
        chances = np.zeros((self.tree.nodes.count, int(self.tree.scn.n_runners) + 1))
        chances[self.tree.start, 0] = 1.0
        steps = self._steps()
        for stage in range(self.tree.stages):
            pass_stage(stage, self.tree.nodes.between(stage), steps, chances, figures[0])
            for rolls_left in reversed(range(self.tree.rolls)):
                pass_rolls(
                    stage,
                    self.tree.nodes.roll(stage, rolls_left),
                    self.tree.nodes.icons[stage] * self.tree.nodes.per_icons,
                    int(self.tree.scn.n_runners),
                    self.plan.dice_choice,
                    self.plan.transitions,
                    chances,
                    figures[0],
                )
        count_ends(self.tree.scn, self.tree.nodes.end(False), self.tree.ups, chances, figures[0])
        return figures[0]

    def _steps(self) -> Steps:
        """Collect what is decided before the Stages."""
        shape = (self.tree.stages, self.tree.nodes.per_icons)
        steps = Steps(
            np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
        )
        for stage in range(self.tree.stages):
            for choice in (GO, SKIP, PULL_OUT):
                follows = self.tree.after_choice(stage, choice)
                made = self.plan.stage_choice[stage] == choice
                if follows is not None:
                    steps.node[stage][made] = follows.node[made]
                    steps.reaches[stage][made] = follows.reached
                    steps.clears[stage][made] = follows.cleared
        return steps


def estimate(scenario: Scenario) -> Work:
    """Estimate what best play of a scenario takes, in seconds and megabytes."""
    scn = scenario.arrays()
    return HOPELESS if is_hopeless(scn) else estimate_work(_tree(scn.tobytes(), ROLLS_PER_STAGE))


@lru_cache(maxsize=1)
def _tree(scn: bytes, rolls: int) -> Tree:
    """Grow the tree of a scenario; the one last estimated is solved without growing it again."""
    return Tree(np.frombuffer(scn, dtype=SCENARIO)[0], rolls)


def solve(
    scenario: Scenario,
    rolls_per_stage: int = ROLLS_PER_STAGE,
    figures: bool = True,
    progress: Callable[[int, int | None], None] | None = None,
) -> Solution:
    """Find best play of a scenario, for its objective.

    Among plays of equal value it takes fewer deaths, then fewer injuries, then more nuyen, then more Loot.

    Parameters
    ----------
    scenario : Scenario
    rolls_per_stage : int
        Rolls that a Stage allows (M6); other numbers than three answer what a roll more is worth.
    figures : bool
        Whether `Solution.figures` is wanted, which takes memory; expectations are there anyway.
    progress : callable, optional
        Told, often, how much is done, of how much.
    """
    tree = _tree(scenario.arrays().tobytes(), rolls_per_stage)
    plan = Backward(tree, keep_transitions=figures)
    plan.run(progress)
    return Solution(scenario, tree, plan)
