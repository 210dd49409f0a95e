"""Monte Carlo of Mission attempts: millions, by looking decisions up that were taken before.

A policy decides the same whenever the same situation shows the same faces. So every situation with dice
in hand (a *node*) gets a number, and a table remembers for (node, faces) which node follows. Most rolls
then cost a few random words and one look-up; the rules are asked only for what has not been seen. The
tables have a fixed size and forget; what they forget is computed again, so no result depends on them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.jit import kernel
from sprawlsim.rng import stream_key, word
from sprawlsim.sprawlops.dice import CHUNK, POWERS
from sprawlsim.sprawlops.mission.arrays import COLOURS, ENDED, STATE_WORDS, Record, new_states
from sprawlsim.sprawlops.mission.attempt import (
    SLOT_BITS,
    Tools,
    after_roll,
    new_tools,
    settle,
    slot,
    throw_colour,
)
from sprawlsim.sprawlops.mission.counts import AMOUNTS, add_counts, count_end, new_counts
from sprawlsim.sprawlops.mission.plays import TABLE
from sprawlsim.sprawlops.mission.rules import let_fall, set_up

BLOCK = 1 << 16
"""Attempts that a thread plays before it reports; results do not depend on it."""

NODES = 1 << 16
NODE_TABLE = 1 << 17
MEMO_BITS = 18

FIBONACCI = np.uint64(0x9E3779B97F4A7C15)
BYTE = np.uint64(255)


class Memory(NamedTuple):
    """What one thread remembers of one scenario under one policy. Fixed size."""

    nodes: npt.NDArray[np.void]
    words: npt.NDArray[np.uint64]
    """The same nodes as words, to hash and compare."""
    table: npt.NDArray[np.int32]
    """Open-addressing table of node numbers, -1 where empty."""
    slots: npt.NDArray[np.uint64]
    hands: npt.NDArray[np.int64]
    """Dice in hand by node and colour; a last column tells the most of any colour, 0 at an end."""
    memo: npt.NDArray[np.uint64]
    """Rows of (node and faces, following node)."""
    visits: npt.NDArray[np.int64]
    """How many attempts ended at a node."""
    used: npt.NDArray[np.int64]
    """One number: how many nodes are in use."""
    amounts: npt.NDArray[np.int64]


def new_memory() -> Memory:
    """Allocate a memory that remembers nothing."""
    nodes = new_states(NODES)
    return Memory(
        nodes=nodes,
        words=nodes.view(np.uint64).reshape(NODES, STATE_WORDS),
        table=np.full(NODE_TABLE, -1, dtype=np.int32),
        slots=np.zeros(NODES, dtype=np.uint64),
        hands=np.zeros((NODES, COLOURS + 1), dtype=np.int64),
        memo=np.zeros((1 << MEMO_BITS, 2), dtype=np.uint64),
        visits=np.zeros(NODES, dtype=np.int64),
        used=np.zeros(1, dtype=np.int64),
        amounts=np.zeros(AMOUNTS, dtype=np.int64),
    )


@kernel
def report(scn: Record, memory: Memory, counts: Record) -> None:
    """Move the visits of ended nodes into the counters."""
    for node in range(memory.used[0]):
        if memory.visits[node] > 0:
            count_end(scn, memory.nodes[node], memory.visits[node], counts, memory.amounts)
            memory.visits[node] = 0


@kernel
def _place(memory: Memory, node: int) -> int:
    """Hash a node to its first place in the table."""
    hashed = np.uint64(0)
    for w in range(STATE_WORDS):
        hashed = word(hashed, memory.words[node, w])
    return np.int64(hashed & np.uint64(NODE_TABLE - 1))


@kernel
def forget(scn: Record, memory: Memory, counts: Record) -> None:
    """Count the attempts that ended, then forget every node but the first, where attempts begin."""
    report(scn, memory, counts)
    memory.table[:] = -1
    memory.memo[:, :] = 0
    memory.used[0] = 1
    memory.table[_place(memory, 0)] = 0


@kernel
def _forget_how(st: Record) -> None:
    """Keep of an ended attempt only what is counted, so that equal ends are equal nodes."""
    st.stage = 0
    st.rolls_left = 0
    st.plates = 0
    st.own_tokens = 0
    st.tokens = 0
    st.rerolls = 0
    st.rolled = 0
    st.rerolled = 0
    for k in range(st.cards.size):
        st.cards[k] = 0
    for c in range(COLOURS):
        st.icons[c] = 0
        st.bonus[c] = 0
        st.hand[c] = 0
        st.successes[c] = 0
        st.injuries[c] = 0


@kernel
def find_node(scn: Record, tools: Tools, memory: Memory, counts: Record) -> int:
    """Find, or make, the node of the situation on the table."""
    st = tools.work[TABLE]
    if st.phase == ENDED:
        _forget_how(st)
    if memory.used[0] == memory.slots.size:
        forget(scn, memory, counts)
    new = memory.used[0]
    memory.nodes[new] = st
    place = _place(memory, new)
    while memory.table[place] >= 0:
        node = np.int64(memory.table[place])
        same = True
        for w in range(STATE_WORDS):
            if memory.words[node, w] != memory.words[new, w]:
                same = False
                break
        if same:
            return node
        place = (place + 1) & (NODE_TABLE - 1)
    memory.table[place] = new
    memory.used[0] = new + 1
    memory.slots[new] = slot(st)
    most = 0
    for c in range(COLOURS):
        memory.hands[new, c] = st.hand[c]
        most = max(most, st.hand[c])
    memory.hands[new, COLOURS] = most
    return new


@kernel
def follow(
    scn: Record, policy: int, node: int, faces: np.uint64, tools: Tools, memory: Memory, counts: Record
) -> int:
    """Ask the rules and the policy which node follows when these faces fall."""
    tools.work[TABLE] = memory.nodes[node]
    st = tools.work[TABLE]
    for c in range(COLOURS):
        fallen = np.int64((faces >> np.uint64(8 * c)) & BYTE)
        let_fall(st, c, fallen & 15, fallen >> 4)
    after_roll(scn, tools.work, policy, tools.outlook)
    return find_node(scn, tools, memory, counts)


@kernel
def throw_node(key: np.uint64, counter: np.uint64, node: int, tools: Tools, memory: Memory) -> np.uint64:
    """Throw the dice of a node: a byte for each colour, successes + 16 * injuries.

    The same faces as `attempt.throw_hand`, written out so that one word serves two colours.
    """
    hands = memory.hands
    if hands[node, COLOURS] > CHUNK:
        packed = np.uint64(0)
        for c in range(COLOURS):
            fallen = throw_colour(key, counter, c, hands[node, c], tools)
            packed |= fallen << np.uint64(8 * c)
        return packed
    packed = np.uint64(0)
    for pair in range(3):
        low = hands[node, 2 * pair]
        high = hands[node, 2 * pair + 1] if pair < 2 else 0
        if low + high > 0:
            bits = word(key, counter + np.uint64(pair))
            spelled = ((bits & np.uint64(0xFFFFFFFF)) * POWERS[low]) >> np.uint64(32)
            fallen = np.uint64(tools.faces[tools.faces_start[low] + np.int64(spelled)])
            packed |= fallen << np.uint64(16 * pair)
            if pair < 2:
                spelled = ((bits >> np.uint64(32)) * POWERS[high]) >> np.uint64(32)
                fallen = np.uint64(tools.faces[tools.faces_start[high] + np.int64(spelled)])
                packed |= fallen << np.uint64(16 * pair + 8)
    return packed


@kernel
def play_block(
    scn: Record,
    policy: int,
    key: np.uint64,
    first: int,
    count: int,
    tools: Tools,
    memory: Memory,
    totals: npt.NDArray[Any],
) -> None:
    """Play attempts `first` to `first + count - 1` and add how they ended to `totals` (one record)."""
    counts = totals[0]
    set_up(scn, tools.work[TABLE])
    settle(scn, tools.work, policy, tools.outlook)
    root = find_node(scn, tools, memory, counts)
    for attempt in range(first, first + count):
        base = np.uint64(attempt) << SLOT_BITS
        node = root
        while memory.hands[node, COLOURS] > 0:
            faces = throw_node(key, base + memory.slots[node], node, tools, memory)
            wanted = (np.uint64(node + 1) << np.uint64(40)) | faces
            place = np.int64((wanted * FIBONACCI) >> np.uint64(64 - MEMO_BITS))
            if memory.memo[place, 0] == wanted:
                node = np.int64(memory.memo[place, 1])
                continue
            used = memory.used[0]
            following = follow(scn, policy, node, faces, tools, memory, counts)
            if memory.used[0] >= used:  # else everything was forgotten, and `node` means nothing now
                memory.memo[place, 0] = wanted
                memory.memo[place, 1] = np.uint64(following)
            node = following
        memory.visits[node] += 1
    report(scn, memory, counts)


class Run(NamedTuple):
    """What a Monte Carlo run is of."""

    scenario: Record
    """One record of dtype `SCENARIO`."""
    policy: int
    seed: int


def _play_blocks(run: Run, blocks: Iterator[tuple[int, int]], done: Callable[[int], None]) -> npt.NDArray[Any]:
    """Play blocks until none is left, with a memory of one's own; report after each."""
    tools, memory, counts = new_tools(), new_memory(), new_counts()
    key = stream_key(run.seed, "mission")
    for first, count in blocks:
        with np.errstate(over="ignore"):
            play_block(run.scenario, run.policy, key, first, count, tools, memory, counts)
        done(count)
    return counts
