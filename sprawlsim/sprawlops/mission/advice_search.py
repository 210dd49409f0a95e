"""The search for the best plays of a situation: before a Stage, before a roll, or with dice on the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cmp_to_key

import numpy as np
import numpy.typing as npt

from sprawlsim.sprawlops.mission.advice import Play
from sprawlsim.sprawlops.mission.advice_roll import Option, RollPlays, number_icons, plain, spendable
from sprawlsim.sprawlops.mission.advice_words import (
    cards_in_words,
    listed,
)
from sprawlsim.sprawlops.mission.arrays import (
    BETWEEN,
    COLOURS,
    DIE_CARD,
    Record,
)
from sprawlsim.sprawlops.mission.exact import Solution, expected
from sprawlsim.sprawlops.mission.induction import WORTHS, expect, is_better, spread_roll
from sprawlsim.sprawlops.mission.policies import GO, PULL_OUT, SKIP
from sprawlsim.sprawlops.mission.rerolls import LayoutValues
from sprawlsim.sprawlops.mission.resources import NONE
from sprawlsim.sprawlops.mission.rules import clears_by_perk

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def find_plays(
    solution: Solution, st: Record, names: Sequence[str], loot: Sequence[tuple[int, str]], top: int | None
) -> tuple[tuple[Play, ...], int]:
    """Find the best plays of a situation.

    Parameters
    ----------
    solution : Solution
    st : Record
        The situation: before a Stage, before a roll, or with the dice on the table.
    names : sequence of str
        Names of the runners.
    loot : sequence of (int, str)
        Loot in hand: the kind of each card, and its name.
    top : int, optional
        How many plays to tell, of those that are not plainly wasteful; None: every one, wasteful or not.

    Returns
    -------
    tuple of Play
        The best, in order.
    int
        How many there are.
    """
    if st.phase == BETWEEN:
        options = list(_stage_options(solution, st))
    elif st.rolled == 0:
        options = list(_dice_options(solution, st, loot))
    else:
        options = RollPlays(solution, st, tuple(names), loot).options(every=top is None)

    def order(one: Option, other: Option) -> int:
        ties = solution.tree.ties
        return int(is_better(other.worth, one.worth, ties)) - int(is_better(one.worth, other.worth, ties))

    options.sort(key=cmp_to_key(order))
    best = float(options[0].worth[0])
    plays = []
    for option in options[:top]:
        play: Play = option.tell()
        cost = best - float(option.worth[0])
        cost = 0.0 if cost <= solution.tree.ties[0] else cost
        plays.append(Play(play.words, play.leaves, expected(option.worth), cost, play.icons, play.conditions))
    return tuple(plays), len(options)


def _stage_options(solution: Solution, st: Record) -> Iterator[Option]:
    """Go on, skip the Loot Stage, or pull out (M9)."""
    tree = solution.tree
    stage = int(st.stage)
    here = tree.node_of(st) - tree.nodes.between(stage)
    by_perk = clears_by_perk(tree.scn, stage)
    words = {
        GO: (f"go on: {'the perk clears' if by_perk else 'try'} Stage {stage + 1}", ""),
        SKIP: (f"skip the Loot Stage {stage + 1}", "it pays nothing and counts as cleared"),
        PULL_OUT: ("pull out", "what was earned is kept, the Mission is not completed"),
    }
    for choice, told in words.items():
        step = tree.after_choice(stage, choice)
        if step is not None:
            worth = solution.plan.worths[step.node[here]] + step.reward[here]
            yield Option(worth, plain(*told))


def _dice_options(solution: Solution, st: Record, loot: Sequence[tuple[int, str]]) -> Iterator[Option]:
    """Roll as it is, or play Loot dice before, or Evacuate (M5)."""
    tree = solution.tree
    held = tree.resources.number([*st.cards, *st.bonus, st.rerolls])
    for then in tree.resources.with_dice_played(held):
        played = tree.resources.held[held] - tree.resources.held[then]
        dice = {DIE_CARD + c: int(n) for c, n in enumerate(played[DIE_CARD : DIE_CARD + COLOURS])}
        cards = listed(cards_in_words(loot, dice))
        words = f"play {cards}, then roll" if cards else "roll"
        yield Option(roll_worth(solution, st, then), plain(words, ""))
    if tree.resources.without_evacuate[held] != NONE:
        yield Option(np.zeros(WORTHS), plain("play Evacuate", "the Mission ends without this roll"))


def roll_worth(solution: Solution, st: Record, held: int) -> Floats:
    """Find the worth of rolling now, with these things held and no Loot dice played before."""
    tree = solution.tree
    stage, rolls_left = int(st.stage), int(st.rolls_left) - 1
    health = tree.healths.health_of(st)
    left = number_icons(solution, st)
    worth = np.zeros(WORTHS)
    part = np.empty(WORTHS)
    if tree.resources.may_reroll(held):
        tables = spendable(solution, st, rolls_left, held)
        values = LayoutValues(tree, stage, left, tables)
        for number in sorted(tables):
            values.value(number)
        for number, chances in values.spread(held):
            expect(tables[number].candidates, chances, part)
            worth += part
        return worth
    table = solution.table(stage, rolls_left, health, held)
    chances = np.empty(table.candidates.order.size)
    lowest = int(table.candidates.rank[-1])
    spread_roll(tree.uses[stage], table.pool.law, left, table.option_of, table.best, lowest, chances)
    expect(table.candidates, chances, worth)
    return worth
