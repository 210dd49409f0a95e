"""The compiled steps of backward induction over a Mission: from what follows a roll to what it is worth.

A *worth* is six expectations of the rest of the Mission, each so that more is better, in the order in
which they decide: the objective, deaths and injuries (negative), K nuyen, Loot cards; and completing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.jit import kernel
from sprawlsim.sprawlops.mission.arrays import COLOURS, DEAD, MAX_RUNNERS, ROLLING, UP, Record
from sprawlsim.sprawlops.mission.harm import Outcomes
from sprawlsim.sprawlops.mission.laws import Law, Pool, Uses
from sprawlsim.sprawlops.mission.resources import Options
from sprawlsim.sprawlops.mission.rules import judge

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

VALUE, DEATHS, INJURIES, NUYEN, LOOT, COMPLETED = range(6)
WORTHS = 6
DECIDING = 5
"""How many of a worth's numbers decide between plays; the last only tells."""

HERE, CLEARED = 0, 1
"""Whether a roll left icons of its Stage, or none."""


class Following(NamedTuple):
    """What follows a roll, by `HERE` or `CLEARED`, and the health it left."""

    node: Ints
    """Number of the node that follows with nothing held; shape (2, healths)."""
    per_icons: Ints
    """How much further the node is for each number of icons left; shape (2, healths)."""
    per_held: Ints
    """How much further the node is for each number of what is held; shape (2, healths)."""
    reward: Floats
    """What is gained on the way; shape (2, healths, WORTHS)."""


class Candidates(NamedTuple):
    """Everything that could stand after a roll, in the order of its worth, the worst first.

    A candidate is numbered by (option, icons left, outcome of the injuries). The last one is Evacuate.
    """

    worth: Floats
    """Shape (candidates, WORTHS), by candidate."""
    node: Ints
    """Node that follows, by candidate."""
    order: Ints
    """Candidates by rank."""
    rank: npt.NDArray[np.int32]
    """Rank of a candidate."""


class Table(NamedTuple):
    """What is known about a roll of a team in some health that holds something: see `induction`."""

    pool: Pool
    outcomes: Outcomes
    candidates: Candidates
    best: npt.NDArray[np.int32]
    options: Options
    option_of: Ints


@kernel
def is_better(worth: Floats, than: Floats, ties: Floats) -> bool:
    """Say whether a worth is better: by the objective, ties by what comes next."""
    for w in range(DECIDING):
        if worth[w] > than[w] + ties[w]:
            return True
        if worth[w] < than[w] - ties[w]:
            return False
    return False


class Stakes(NamedTuple):
    """What an attempt is about, as numbers that do not change."""

    harm: Floats
    """Worth of a runner injured, and of one dead; shape (2, WORTHS)."""
    ties: Floats
    """From which difference on worths differ; shape (WORTHS,)."""
    next_stage: Ints
    """What is held once a Stage is over, by what is held."""


@kernel
def fill_candidates(
    options: Options,
    outcomes: Outcomes,
    following: Following,
    stakes: Stakes,
    worths: Floats,
    evacuated: int,
    candidates: Candidates,
) -> None:
    """Write down what each candidate is worth: the harm done, what is gained at once, what follows.

    `evacuated` is the node of a Mission ended by
    Evacuate, or -1 where it cannot be played.
    """
    ends = outcomes.health.size
    icons = (candidates.node.size - 1) // (options.then.size * ends)
    at = 0
    for o in range(options.then.size):
        for left in range(icons):
            cleared = CLEARED if left == 0 else HERE
            held = options.then[o]
            if cleared == CLEARED:
                held = stakes.next_stage[held]
            for e in range(ends):
                health = outcomes.health[e]
                node = following.node[cleared, health] + left * following.per_icons[cleared, health]
                node += held * following.per_held[cleared, health]
                candidates.node[at] = node
                for w in range(WORTHS):
                    candidates.worth[at, w] = (
                        worths[node, w]
                        + following.reward[cleared, health, w]
                        + outcomes.injured[e] * stakes.harm[0, w]
                        + outcomes.dead[e] * stakes.harm[1, w]
                    )
                at += 1
    candidates.node[at] = evacuated
    candidates.worth[at, :] = 0.0
    if evacuated < 0:
        candidates.worth[at, VALUE] = -np.inf


@kernel
def _sort(order: Ints, worth: Floats, by: int) -> None:
    """Sort a few candidates, equal ones left in their order."""
    if order.size > 24:
        order[:] = order[np.argsort(worth[order, by], kind="mergesort")]
        return
    for i in range(1, order.size):
        moved = order[i]
        key = worth[moved, by]
        j = i - 1
        while j >= 0 and worth[order[j], by] > key:
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = moved


@kernel
def rank_candidates(candidates: Candidates, ties: Floats) -> None:
    """Order the candidates by worth, once, so that comparing them is comparing whole numbers.

    Worths that differ by less than `ties` are equal, and the next number decides; where all are equal,
    the later candidate ranks higher.
    """
    order, worth = candidates.order, candidates.worth
    count = order.size
    for i in range(count):
        order[i] = i
    starts = np.zeros(count + 1, dtype=np.int64)
    starts[1] = count
    runs = 1
    for w in range(DECIDING):
        found = np.zeros(count + 1, dtype=np.int64)
        more = 0
        for run in range(runs):
            begin, end = starts[run], starts[run + 1]
            if end - begin > 1:
                _sort(order[begin:end], worth, w)
            found[more] = begin
            more += 1
            for i in range(begin + 1, end):
                if worth[order[i], w] - worth[order[i - 1], w] > ties[w]:
                    found[more] = i
                    more += 1
        found[more] = count
        runs = more
        starts = found
        if runs == count:
            break
    for i in range(count):
        candidates.rank[order[i]] = i


@kernel
def best_after_cancelling(
    options: Options,
    outcomes: Outcomes,
    law: Law,
    rank: npt.NDArray[np.int32],
    best: npt.NDArray[np.int32],
) -> None:
    """Rank the best end of every number of injuries, with up to t of them cancelled.

    With none cancelled, the best of the ends that the injuries can lead to. With one more, the best of
    cancelling one injury of any group, or none: the order of cancelling changes nothing. `best` has the
    shape (options, icons left, cancelled, injuries).
    """
    ends = outcomes.health.size
    groups = law.most.size
    for i in range(best.shape[3]):
        stride = 1
        k = 0
        for g in range(groups):
            k += min(law.counts[i, g], outcomes.most[g]) * stride
            stride *= outcomes.most[g] + 1
        for o in range(best.shape[0]):
            for left in range(best.shape[1]):
                first = (o * best.shape[1] + left) * ends
                highest = np.int32(-1)
                for e in range(outcomes.starts[k], outcomes.starts[k + 1]):
                    highest = max(highest, rank[first + outcomes.ends[e]])
                best[o, left, 0, i] = highest
    for o in range(best.shape[0]):
        for left in range(best.shape[1]):
            for t in range(1, best.shape[2]):
                _cancel_one_more(law.most, best[o, left, t - 1], best[o, left, t])


@kernel
def _cancel_one_more(most: Ints, before: npt.NDArray[np.int32], after: npt.NDArray[np.int32]) -> None:
    """Take the better of what stood before, for these injuries and for one of some group fewer."""
    after[:] = before
    stride = 1
    for g in range(most.size):
        block = stride * (most[g] + 1)
        for start in range(0, before.size, block):
            for i in range(start + stride, start + block):
                after[i] = max(after[i], before[i - stride])
        stride = block


@kernel
def best_of_row(
    uses: Uses,
    row: int,
    left: int,
    option_of: npt.NDArray[np.int64],
    best: npt.NDArray[np.int32],
    lowest: int,
    highest: npt.NDArray[np.int32],
) -> None:
    """Rank the best candidate for every number of injuries, with the successes of a row.

    `option_of` numbers the option by (success cards played, injuries ignored), -1 where the cards are not
    held; an ignored injury is one more cancelled. `lowest` is the rank of Evacuate.
    """
    highest[:] = lowest
    for p in range(uses.play_start[row], uses.play_start[row + 1]):
        for ignored in range(option_of.shape[1]):
            option = option_of[uses.plays[p, 0], ignored]
            if option < 0:
                continue
            cancelled = min(uses.plays[p, 2] + ignored, best.shape[2] - 1)
            ranks = best[option, left - uses.plays[p, 1], cancelled]
            for i in range(ranks.size):
                highest[i] = max(highest[i], ranks[i])


@kernel
def spread_roll(
    uses: Uses,
    law: Law,
    left: int,
    option_of: npt.NDArray[np.int64],
    best: npt.NDArray[np.int32],
    lowest: int,
    chances: Floats,
) -> None:
    """Find how likely each rank is to be the best that a roll with these icons left allows."""
    chances[:] = 0.0
    highest = np.empty(best.shape[3], dtype=np.int32)
    for row in range(uses.row_start[left], uses.row_start[left + 1]):
        any_chance = False
        for i in range(highest.size):
            if law.chances[row, i] > 0.0:
                any_chance = True
                break
        if not any_chance:
            continue
        best_of_row(uses, row, left, option_of, best, lowest, highest)
        for i in range(highest.size):
            chances[highest[i]] += law.chances[row, i]


@kernel
def expect(candidates: Candidates, chances: Floats, worth: Floats) -> int:
    """Expect the worth of a roll from the chance of each rank; count the ranks that happen."""
    worth[:] = 0.0
    happen = 0
    for r in range(chances.size):
        if chances[r] > 0.0:
            happen += 1
            for w in range(WORTHS):
                worth[w] += chances[r] * candidates.worth[candidates.order[r], w]
    return happen


class Transitions(NamedTuple):
    """What follows each roll under best play, written down as it is found."""

    start: Ints
    """The transitions of node ``n`` are ``start[n]`` to ``end[n]``."""
    end: Ints
    node: npt.NDArray[np.int32]
    """Node that follows."""
    what: npt.NDArray[np.int32]
    """Conditions of those who were up, packed two bits a runner, and `CLEARED_BIT`."""
    chance: Floats


CLEARED_BIT = 1 << 16


@kernel
def note_roll(
    node: int,
    candidates: Candidates,
    outcomes: Outcomes,
    icons: int,
    chances: Floats,
    transitions: Transitions,
    filled: int,
) -> int:
    """Write down what follows a roll, from place `filled` on; give the next free place."""
    ends = outcomes.health.size
    transitions.start[node] = filled
    for r in range(chances.size):
        if chances[r] == 0.0:
            continue
        candidate = candidates.order[r]
        transitions.node[filled] = candidates.node[candidate]
        transitions.chance[filled] = chances[r]
        what = np.int64(0)
        if candidate < candidates.node.size - 1:
            what = outcomes.conditions[candidate % ends]
            if candidate // ends % icons == 0:
                what |= CLEARED_BIT
        transitions.what[filled] = what
        filled += 1
    transitions.end[node] = filled
    return filled


class Lefts(NamedTuple):
    """The nodes of one roll, by how many icons are left before it."""

    first_node: int
    per_icons: int
    first: int
    """The smallest number of icons left that can be."""


@kernel
def value_rolls(
    lefts: Lefts, uses: Uses, table: Table, worths: Floats, transitions: Transitions, filled: int
) -> int:
    """Value the roll for each number of icons left.

    Returns
    -------
    int
        The next free place in `transitions`; nothing is noted, and the place not moved, where it is -1.
    """
    candidates = table.candidates
    icons = uses.icons.shape[0]
    chances = np.empty(candidates.order.size)
    lowest = np.int64(candidates.rank[candidates.rank.size - 1])
    for left in range(lefts.first, icons):
        node = lefts.first_node + left * lefts.per_icons
        spread_roll(uses, table.pool.law, left, table.option_of, table.best, lowest, chances)
        expect(candidates, chances, worths[node])
        if filled >= 0:
            filled = note_roll(node, candidates, table.outcomes, icons, chances, transitions, filled)
    return filled


@kernel
def choose_dice(
    first_node: int, icons: int, per_icons: int, held: Ints, worths: Floats, ties: Floats, chosen: Ints
) -> None:
    """Decide, for each number of icons left, what to hold when the dice are taken (M5).

    `held` lists what may be held, by number; the first is to play no Loot dice, and has the worth of the
    others already.
    """
    for left in range(1, icons):
        node = first_node + left * per_icons
        best = held[0]
        for h in held:
            if is_better(worths[node + h], worths[node + best], ties):
                best = h
        chosen[node + held[0]] = node + best
        worths[node + held[0]] = worths[node + best]


@kernel
def judge_all(scn: Record, work: Record, stage: int, rolls_left: int, ups: Ints, ends: Record) -> None:
    """Judge the Stage after a roll (M6 to M8) for every health, icons left (`HERE`) or none (`CLEARED`).

    `ups` are the masks of runners up by health; `ends`, shape (2, healths), gets the situations.
    """
    st = work[0]
    for cleared in range(2):
        for h in range(ups.size):
            st.stage = stage
            st.phase = ROLLING
            st.rolls_left = rolls_left
            st.cleared = 0
            st.completed = 0
            for c in range(COLOURS):
                st.icons[c] = 0
            st.icons[0] = 1 - cleared
            for r in range(MAX_RUNNERS):
                st.condition[r] = UP if ups[h] & (1 << r) else DEAD
            judge(scn, st)
            ends[cleared, h] = st


@kernel
def best_rolls(following: Following, stakes: Stakes, worths: Floats, evacuated: int, table: Table) -> None:
    """Fill a table: rank whatever can follow a roll of a team in some health that holds something."""
    candidates = table.candidates
    fill_candidates(table.options, table.outcomes, following, stakes, worths, evacuated, candidates)
    rank_candidates(candidates, stakes.ties)
    best_after_cancelling(table.options, table.outcomes, table.pool.law, candidates.rank, table.best)
