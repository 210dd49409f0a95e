"""Best play, simulated: dice are thrown as for any policy, decisions are looked up in the exact tables.

It is a check of the exact figures, and it gives whatever no figure tells. All attempts of a batch go from
node to node together, so that the tables of a node are made once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError
from sprawlsim.jit import kernel
from sprawlsim.rng import stream_key
from sprawlsim.sprawlops.dice import certain_successes
from sprawlsim.sprawlops.mission.arrays import (
    COLOURS,
    DIE_CARD,
    EVACUATE,
    Record,
    new_states,
)
from sprawlsim.sprawlops.mission.attempt import Tools, new_tools, throw_hand
from sprawlsim.sprawlops.mission.counts import AMOUNTS, COUNTS, count_end, new_counts
from sprawlsim.sprawlops.mission.exact import Solution
from sprawlsim.sprawlops.mission.induction import Table
from sprawlsim.sprawlops.mission.laws import Pool, strides
from sprawlsim.sprawlops.mission.layouts import BLANK, INJURY, SUCCESS, USE, Layouts, Lying
from sprawlsim.sprawlops.mission.policies import GO, SKIP
from sprawlsim.sprawlops.mission.rerolls import LayoutValues
from sprawlsim.sprawlops.mission.resources import BONUS, NONE, REROLLS
from sprawlsim.sprawlops.mission.rules import (
    blanks,
    evacuate,
    judge,
    play_die_card,
    pull_out,
    set_up,
    skip_stage,
    start_stage,
    take_dice,
    take_up,
)

Ints = npt.NDArray[np.int64]

BATCH = 1 << 18
"""Attempts that go together."""

MOST_ATTEMPTS = 10**9


class Deed(NamedTuple):
    """What stands after a roll was used, by candidate: see `apply_use`."""

    icons: Ints
    """Icons left; shape (numbers, 5)."""
    conditions: Ints
    plates: Ints
    tokens: Ints
    """By outcome of the injuries."""
    held: Ints
    """What is held, by option; shape (options, places)."""


@kernel
def begin(scn: Record, states: npt.NDArray[Any]) -> None:
    """Stand before the Mission in every attempt."""
    for i in range(states.size):
        set_up(scn, states[i])


@kernel
def decide_stage(scn: Record, states: npt.NDArray[Any], which: Ints, choice: int) -> None:
    """Go, skip a Stage or pull out in these attempts."""
    for i in which:
        if choice == GO:
            start_stage(scn, states[i])
        elif choice == SKIP:
            skip_stage(scn, states[i])
        else:
            pull_out(states[i])


@kernel
def throw_dice(
    scn: Record,
    states: npt.NDArray[Any],
    which: Ints,
    first: int,
    key: np.uint64,
    cards: Ints,
    tools: Tools,
) -> None:
    """Play Loot dice (`cards`, by colour) and roll in these attempts; attempt ``first + i`` is state i."""
    for i in which:
        st = states[i]
        for c in range(COLOURS):
            for _ in range(cards[c]):
                play_die_card(st, c)
        take_dice(scn, st)
        throw_hand(st, key, np.uint64(first + i), tools)


@kernel
def reroll_dice(
    states: npt.NDArray[Any],
    which: Ints,
    first: int,
    key: np.uint64,
    layouts: Layouts,
    chosen: Ints,
    tools: Tools,
    how: Ints,
) -> None:
    """Take dice up again, where that is best, and throw them.

    `how` gets what by: 0 nothing, 1 a free reroll, 2 the Loot card.
    """
    for n in range(which.size):
        i = which[n]
        st = states[i]
        x = np.int64(0)
        for c in range(COLOURS):
            shown = np.int64(st.successes[c]) - certain_successes(np.int64(st.pool[c]))
            x += _layout(layouts, c, shown, np.int64(st.injuries[c])) * layouts.stride[c]
        how[n] = 0
        if chosen[x] == USE:
            continue
        how[n] = 1 + chosen[x] % 2
        y = chosen[x] // 2
        st.rerolled += 1
        for c in range(COLOURS):
            here = layouts.first[c] + y // layouts.stride[c] % layouts.counts[c]
            shown = np.int64(st.successes[c]) - certain_successes(np.int64(st.pool[c]))
            take_up(
                st,
                c,
                shown - layouts.dice[here, SUCCESS],
                np.int64(st.injuries[c]) - layouts.dice[here, INJURY],
                blanks(st, c) - layouts.dice[here, BLANK],
            )
        throw_hand(st, key, np.uint64(first + i), tools)


@kernel
def _layout(layouts: Layouts, colour: int, successes: int, injuries: int) -> int:
    """Number the layout of a colour's dice on the table, none in hand: those come first."""
    at = layouts.first[colour]
    while layouts.dice[at, SUCCESS] != successes or layouts.dice[at, INJURY] != injuries:
        at += 1
    return at - layouts.first[colour]


@kernel
def use_rolls(
    scn: Record,
    states: npt.NDArray[Any],
    which: Ints,
    success_stride: Ints,
    injury_stride: Ints,
    lying: Lying,
    order: Ints,
    deed: Deed,
    candidates: Ints,
) -> None:
    """Use the rolls of these attempts as is best, and judge them; `candidates` gets what was chosen."""
    for n in range(which.size):
        st = states[which[n]]
        successes = np.int64(0)
        injuries = np.int64(0)
        for c in range(COLOURS):
            successes += np.int64(st.successes[c]) * success_stride[c]
            injuries += np.int64(st.injuries[c]) * injury_stride[c]
        candidate = order[lying.ranks[lying.row_of[successes], injuries]]
        candidates[n] = candidate
        if candidate == order.size - 1:
            evacuate(st, EVACUATE)
        else:
            apply_use(scn, st, candidate, deed)
            judge(scn, st)


@kernel
def apply_use(scn: Record, st: Record, candidate: int, deed: Deed) -> None:
    """Put down what stands after a roll was used."""
    end = candidate % deed.conditions.size
    left = candidate // deed.conditions.size % deed.icons.shape[0]
    option = candidate // deed.conditions.size // deed.icons.shape[0]
    for c in range(COLOURS):
        st.icons[c] = deed.icons[left, c]
        st.bonus[c] = deed.held[option, BONUS + c]
    for k in range(st.cards.size):
        st.cards[k] = deed.held[option, k]
    st.rerolls = deed.held[option, REROLLS]
    for r in range(scn.n_runners):
        if st.rolled & (1 << r):
            st.condition[r] = (deed.conditions[end] >> (2 * r)) & 3
    st.plates = deed.plates[end]
    st.tokens = deed.tokens[end]


class _Batch:
    """Attempts under way together."""

    def __init__(self, solution: Solution, first: int, count: int, key: np.uint64) -> None:
        self._of = solution
        self._tree = solution.tree
        self._scn = solution.tree.scn
        self._first, self._key = first, key
        self._tools = new_tools()
        self.states = new_states(count)
        self.nodes = np.full(count, solution.tree.start, dtype=np.int64)

    def play(self) -> None:
        """Play all attempts to their ends."""
        begin(self._scn, self.states)
        for stage in range(self._tree.stages):
            self._choose_stage(stage)
            for rolls_left in reversed(range(self._tree.rolls)):
                self._roll(stage, rolls_left)

    def _at(self, first: int, count: int) -> Iterator[tuple[int, Ints]]:
        """Go through those of some nodes where attempts stand: the node, from 0, and which attempts."""
        here = np.flatnonzero((self.nodes >= first) & (self.nodes < first + count))
        here = here[np.argsort(self.nodes[here], kind="stable")]
        nodes, starts = np.unique(self.nodes[here], return_index=True)
        for node, start, end in zip(nodes, starts, [*starts[1:], len(here)], strict=False):
            yield int(node) - first, here[start:end]

    def _choose_stage(self, stage: int) -> None:
        tree = self._tree
        for node, which in self._at(tree.nodes.between(stage), tree.nodes.per_icons):
            choice = int(self._of.plan.stage_choice[stage, node])
            step = tree.after_choice(stage, choice)
            assert step is not None
            decide_stage(self._scn, self.states, which, choice)
            self.nodes[which] = step.node[node]

    def _roll(self, stage: int, rolls_left: int) -> None:
        """Roll in all attempts with so many rolls left afterwards."""
        tree = self._tree
        first = tree.nodes.roll(stage, rolls_left)
        following = tree.following(stage, rolls_left)
        made_for = NONE
        pools: dict[tuple[int, ...], Pool] = {}
        tables: dict[int, Table] = {}
        spots = []
        for node, which in self._at(first, tree.nodes.icons[stage] * tree.nodes.per_icons):
            left, place = divmod(node, tree.nodes.per_icons)
            health, held = divmod(place, tree.nodes.held)
            spots.append((health, left, held, which))
        for health, left, held, which in sorted(spots, key=lambda spot: spot[:3]):
            node = tree.nodes.roll(stage, rolls_left, left, health, held)
            then = held + int(self._of.plan.dice_choice[node]) - node
            if made_for != health:
                made_for, tables = health, {}
                pools = tree.pools(stage, int(tree.ups[health]))
            for number in tree.resources.after_rerolls(then):
                if number not in tables:
                    pool = pools[tree.resources.dice_in_play(number)]
                    tables[number] = tree.table(stage, health, number, pool, following, self._of.plan.worths)
            cards = tree.resources.held[held] - tree.resources.held[then]
            played = cards[DIE_CARD : DIE_CARD + COLOURS].copy()
            throw_dice(self._scn, self.states, which, self._first, self._key, played, self._tools)
            within = {number: tables[number] for number in tree.resources.after_rerolls(then)}
            self._use(stage, left, then, which, within)

    def _use(self, stage: int, left: int, held: int, which: Ints, tables: dict[int, Table]) -> None:
        """Reroll and use the rolls of these attempts."""
        values = LayoutValues(self._tree, stage, left, tables)
        for number in sorted(tables):
            values.value(number)
        waiting = {held: [which]}
        for number in sorted(tables, reverse=True):
            here = np.concatenate(waiting.get(number, [np.zeros(0, dtype=np.int64)]))
            if not len(here):
                continue
            if self._tree.resources.may_reroll(number):
                how = np.empty(len(here), dtype=np.int64)
                reroll_dice(
                    self.states,
                    here,
                    self._first,
                    self._key,
                    values.layouts,
                    values.chosen[number],
                    self._tools,
                    how,
                )
                for by, fewer in (
                    (1, self._tree.resources.without_reroll[number]),
                    (2, self._tree.resources.without_reroll_die[number]),
                ):
                    if (how == by).any():
                        waiting.setdefault(int(fewer), []).append(here[how == by])
                here = here[how == 0]
            self._apply(stage, here, tables[number], values.lying[number])

    def _apply(self, stage: int, which: Ints, table: Table, lying: Lying) -> None:
        """Use the rolls of these attempts, and move them to the nodes that follow."""
        tree = self._tree
        after = [tree.healths.healths[h] for h in table.outcomes.health]
        deed = Deed(
            icons=tree.uses[stage].icons,
            conditions=table.outcomes.conditions,
            plates=np.array([health.plates for health in after], dtype=np.int64),
            tokens=np.array([health.tokens for health in after], dtype=np.int64),
            held=tree.resources.held[table.options.then],
        )
        groups, most = table.pool.groups, table.pool.law.most
        injury_stride = np.array([strides(most)[g] if g >= 0 else 0 for g in groups], dtype=np.int64)
        candidates = np.empty(len(which), dtype=np.int64)
        use_rolls(
            self._scn,
            self.states,
            which,
            strides(tree.uses[stage].most),
            injury_stride,
            lying,
            table.candidates.order,
            deed,
            candidates,
        )
        self.nodes[which] = table.candidates.node[candidates]


@kernel
def count_all(scn: Record, states: npt.NDArray[Any], counts: npt.NDArray[Any]) -> None:
    """Count how all attempts ended."""
    amounts = np.zeros(AMOUNTS, dtype=np.int64)
    for i in range(states.size):
        count_end(scn, states[i], 1, counts[0], amounts)


def simulate(
    solution: Solution,
    attempts: int,
    seed: int,
    progress: Callable[[int, int | None], None] | None = None,
    watch: Callable[[npt.NDArray[Any]], None] | None = None,
) -> Record:
    """Play a Mission many times under best play.

    Parameters
    ----------
    solution : Solution
    attempts : int
    seed : int
        The dice are those that rules of thumb get with this seed.
    progress : callable, optional
        Told (attempts done, attempts to do).
    watch : callable, optional
        Shown how each batch of attempts ended: an array of `arrays.STATE`, for any statistic at all.

    Returns
    -------
    numpy.record
        A record of `counts.COUNTS`.
    """
    if not 1 <= attempts <= MOST_ATTEMPTS:
        raise SprawlsimError(f"attempts must be between 1 and {MOST_ATTEMPTS}, not {attempts}")
    counts = new_counts()
    for first in range(0, attempts, BATCH):
        states = _play(solution, seed, first, min(BATCH, attempts - first))
        count_all(solution.tree.scn, states, counts)
        if watch is not None:
            watch(states)
        if progress is not None:
            progress(min(attempts, first + BATCH), attempts)
    return counts[0]


def simulate_blocks(solution: Solution, seed: int, first: int, blocks: int, size: int) -> npt.NDArray[Any]:
    """Play attempts under best play, from number `first` on, counted in blocks of one size.

    Parameters
    ----------
    solution : Solution
    seed, first : int
        The dice of an attempt are those that rules of thumb get with this seed and the attempt's number.
    blocks, size : int
        How many blocks, and the attempts of each. The tables that all attempts use are made for `BATCH`
        attempts at a time: many blocks at once cost less than each alone.

    Returns
    -------
    array of `counts.COUNTS`, shape (blocks,)
    """
    together = max(1, BATCH // size)
    counts: npt.NDArray[Any] = np.zeros(blocks, dtype=COUNTS)
    for block in range(0, blocks, together):
        several = min(together, blocks - block)
        states = _play(solution, seed, first + block * size, several * size)
        for i in range(several):
            count_all(solution.tree.scn, states[i * size : (i + 1) * size], counts[block + i : block + i + 1])
    return counts


def _play(solution: Solution, seed: int, first: int, count: int) -> npt.NDArray[Any]:
    """Play attempts together, and give how they ended."""
    batch = _Batch(solution, first, count, stream_key(seed, "mission"))
    with np.errstate(over="ignore"):  # words wrap around, which numpy reports where nothing is compiled
        batch.play()
    return batch.states
