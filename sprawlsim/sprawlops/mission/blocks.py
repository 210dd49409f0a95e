"""Blocks of Mission attempts, compiled: decisions that were taken before are looked up.

A policy decides the same whenever the same situation shows the same faces. So every situation with dice
in hand (a *node*) gets a number, and a table remembers for (node, faces) which node follows. Most rolls
then cost a few random words and one look-up; the rules are asked only for what has not been seen. The
tables have a fixed size and forget; what they forget is computed again, so no result depends on them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.jit import kernel
from sprawlsim.rng import word
from sprawlsim.sprawlops.dice import (
    CHUNK,
    FACE_RANKS,
    FACES_START,
    POWERS,
    face_counts,
    face_rank,
)
from sprawlsim.sprawlops.mission.arrays import COLOURS, ENDED, STATE_WORDS, Record, new_states
from sprawlsim.sprawlops.mission.attempt import (
    HALF,
    INJURIES_AT,
    LOW,
    SLOT_BITS,
    SUCCESSES,
    Tools,
    after_roll,
    play_attempt,
    settle,
    slot,
    throw_colour,
    throw_hand,
)
from sprawlsim.sprawlops.mission.counts import AMOUNTS, count_end, forget_how
from sprawlsim.sprawlops.mission.plays import TABLE
from sprawlsim.sprawlops.mission.rules import let_fall, set_up

NODES = 1 << 16
NODE_TABLE = 1 << 17
MEMO_BITS = 20
LANES = 8
"""Attempts in flight at once, so that the processor need not wait for one table after the other."""

SPREAD = np.uint64(0x9E3779B97F4A7C15)
SIXTEEN = np.uint64(0xFFFF)
MEMO_MASK = np.uint64((1 << MEMO_BITS) - 1)

SLOT, MOST, FIRST_COLOUR = 0, 1, 3
"""Columns of a plan: the slot of the throw; the most dice of a colour in hand, 0 at an end; then, for each
colour, power of six of its dice (16 bits), their start in the face table (16), and a stride (32)."""
PLAN_WORDS = 8
NO_DICE = np.uint64(1)
"""The plan of a colour without dice: six to the power 0."""
UNPLANNED = 255
"""Most dice of a hand with too many different faces for the memo."""


class Memory(NamedTuple):
    """What one thread remembers of one scenario under one policy. Fixed size."""

    nodes: npt.NDArray[np.void]
    words: npt.NDArray[np.uint64]
    """The same nodes as words, to hash and compare."""
    table: npt.NDArray[np.int32]
    """Open-addressing table of node numbers, -1 where empty."""
    plans: npt.NDArray[np.uint64]
    """How to throw the dice of a node; columns as above."""
    ranks: npt.NDArray[np.uint8]
    """`FACES` with (successes, injuries) numbered from 0 within each number of dice."""
    memo: npt.NDArray[np.uint64]
    """Following nodes: faces (32 bits), node (16), following node (16); 0 where empty."""
    visits: npt.NDArray[np.int64]
    """How many attempts ended at a node."""
    used: npt.NDArray[np.int64]
    """One number: how many nodes are in use."""
    lanes: npt.NDArray[np.uint64]
    """Rows of (node, attempt) in flight."""
    flying: npt.NDArray[np.void]
    """Room for the situations in flight while everything else is forgotten."""
    amounts: npt.NDArray[np.int64]


def new_memory() -> Memory:
    """Allocate a memory that remembers nothing."""
    nodes = new_states(NODES)
    return Memory(
        nodes=nodes,
        words=nodes.view(np.uint64).reshape(NODES, STATE_WORDS),
        table=np.full(NODE_TABLE, -1, dtype=np.int32),
        plans=np.zeros((NODES, PLAN_WORDS), dtype=np.uint64),
        ranks=FACE_RANKS,
        memo=np.zeros(1 << MEMO_BITS, dtype=np.uint64),
        visits=np.zeros(NODES, dtype=np.int64),
        used=np.ones(1, dtype=np.int64),
        lanes=np.zeros((LANES, 2), dtype=np.uint64),
        flying=new_states(LANES),
        amounts=np.zeros(AMOUNTS, dtype=np.int64),
    )


@kernel
def report(scn: Record, memory: Memory, counts: Record) -> None:
    """Move the visits of ended nodes into the counters."""
    for node in range(1, memory.used[0]):
        if memory.visits[node] > 0:
            count_end(scn, memory.nodes[node], memory.visits[node], counts, memory.amounts)
            memory.visits[node] = 0


@kernel
def find_node(st: Record, memory: Memory) -> int:
    """Find, or make, the node of a situation; -1 where there is no place for another.

    Node 0 is no node but scratch space, so that 0 in the memo means empty.
    """
    if st.phase == ENDED:
        forget_how(st)
    memory.nodes[0] = st
    hashed = np.uint64(0)
    for w in range(STATE_WORDS):
        hashed = word(hashed, memory.words[0, w])
    place = np.int64(hashed & np.uint64(NODE_TABLE - 1))
    while memory.table[place] >= 0:
        node = np.int64(memory.table[place])
        same = True
        for w in range(STATE_WORDS):
            if memory.words[node, w] != memory.words[0, w]:
                same = False
                break
        if same:
            return node
        place = (place + 1) & (NODE_TABLE - 1)
    new = memory.used[0]
    if new == memory.visits.size:
        return -1
    memory.nodes[new] = st
    memory.table[place] = new
    memory.used[0] = new + 1
    _plan_throw(st, memory.plans[new])
    return new


@kernel
def _plan_throw(st: Record, plan: npt.NDArray[np.uint64]) -> None:
    """Write down how the dice in hand are thrown and how their faces are numbered."""
    plan[SLOT] = slot(st)
    most = 0
    stride = 1
    for c in range(COLOURS):
        dice = np.int64(st.hand[c])
        most = max(most, dice)
        few = min(dice, CHUNK)
        plan[FIRST_COLOUR + c] = (
            POWERS[few] | np.uint64(FACES_START[few]) << np.uint64(16) | np.uint64(stride) << np.uint64(32)
        )
        stride *= face_counts(dice)
        if stride >= 1 << 32:
            most = UNPLANNED
            break
    plan[MOST] = most


@kernel
def lay_down(st: Record, rank: int) -> None:
    """Let the dice in hand fall with the faces of this number."""
    for c in range(COLOURS):
        dice = np.int64(st.hand[c])
        own = rank % face_counts(dice)
        rank //= face_counts(dice)
        injuries = 0
        while own > dice - injuries:
            own -= dice - injuries + 1
            injuries += 1
        let_fall(st, c, own, injuries)


@kernel
def _half_rank(bits: np.uint64, plan: np.uint64, ranks: npt.NDArray[np.uint8]) -> np.uint64:
    """Number the faces of up to six dice of one colour, times the colour's stride."""
    spelled = (bits * (plan & SIXTEEN)) >> HALF
    return np.uint64(ranks[np.int64(((plan >> np.uint64(16)) & SIXTEEN) + spelled)]) * (plan >> HALF)


@kernel
def throw_rank(
    key: np.uint64, counter: np.uint64, node: int, plans: npt.NDArray[np.uint64], ranks: npt.NDArray[np.uint8]
) -> np.uint64:
    """Throw a node's dice, at most six of a colour: the same faces as `attempt.throw_hand`, numbered."""
    low, high = plans[node, FIRST_COLOUR], plans[node, FIRST_COLOUR + 1]
    rank = np.uint64(0)
    if ((low | high) & SIXTEEN) != NO_DICE:
        bits = word(key, counter)
        rank += _half_rank(bits & LOW, low, ranks) + _half_rank(bits >> HALF, high, ranks)
    low, high = plans[node, FIRST_COLOUR + 2], plans[node, FIRST_COLOUR + 3]
    if ((low | high) & SIXTEEN) != NO_DICE:
        bits = word(key, counter + np.uint64(1))
        rank += _half_rank(bits & LOW, low, ranks) + _half_rank(bits >> HALF, high, ranks)
    low = plans[node, FIRST_COLOUR + 4]
    if (low & SIXTEEN) != NO_DICE:
        rank += _half_rank(word(key, counter + np.uint64(2)) & LOW, low, ranks)
    return rank


@kernel
def throw_many_rank(key: np.uint64, counter: np.uint64, st: Record, tools: Tools) -> np.uint64:
    """Do the same for a hand with more than six dice of a colour."""
    rank = 0
    stride = 1
    for c in range(COLOURS):
        dice = np.int64(st.hand[c])
        fallen = throw_colour(key, counter, c, dice, tools)
        successes, injuries = np.int64(fallen & SUCCESSES), np.int64(fallen >> INJURIES_AT)
        rank += face_rank(dice, successes, injuries) * stride
        stride *= face_counts(dice)
    return np.uint64(rank)


@kernel
def look_up(rank: np.uint64, node: int, memo: npt.NDArray[np.uint64]) -> int:
    """Look up which node follows; 0 where that is not remembered."""
    wanted = (rank << np.uint64(16)) | np.uint64(node)
    place = np.int64((rank + np.uint64(node) * SPREAD) & MEMO_MASK)
    entry = memo[place]
    if entry >> np.uint64(16) == wanted:
        return np.int64(entry & SIXTEEN)
    entry = memo[place ^ 1]
    if entry >> np.uint64(16) == wanted:
        return np.int64(entry & SIXTEEN)
    return 0


@kernel
def remember(rank: np.uint64, node: int, following: int, memo: npt.NDArray[np.uint64]) -> None:
    """Remember which node follows, in an empty place of two, or the first, whose content moves on."""
    place = np.int64((rank + np.uint64(node) * SPREAD) & MEMO_MASK)
    entry = (((rank << np.uint64(16)) | np.uint64(node)) << np.uint64(16)) | np.uint64(following)
    if memo[place] != 0 and memo[place ^ 1] == 0:
        memo[place ^ 1] = entry
        return
    if memo[place] != 0:
        memo[place ^ 1] = memo[place]
    memo[place] = entry


@kernel
def next_node(
    scn: Record, policy: int, key: np.uint64, attempt: np.uint64, node: int, tools: Tools, memory: Memory
) -> int:
    """Throw a node's dice and find the node that follows, whatever the hand; -1 as in `find_node`."""
    tools.work.at[TABLE] = memory.nodes[node]
    st = tools.work.at[TABLE]
    counter = (attempt << SLOT_BITS) + memory.plans[node, SLOT]
    most = np.int64(memory.plans[node, MOST])
    rank = np.uint64(0)
    if most == UNPLANNED:
        throw_hand(st, key, attempt, tools)
    else:
        if most > CHUNK:
            rank = throw_many_rank(key, counter, st, tools)
            following = look_up(rank, node, memory.memo)
            if following > 0:
                return following
        else:
            rank = throw_rank(key, counter, node, memory.plans, memory.ranks)
        lay_down(st, np.int64(rank))
    after_roll(scn, tools.work, policy, tools.outlook)
    following = find_node(st, memory)
    if following > 0 and most != UNPLANNED:
        remember(rank, node, following, memory.memo)
    return following


@kernel
def start_again(scn: Record, flying: int, tools: Tools, memory: Memory, counts: Record) -> int:
    """Forget all nodes but those of the attempts in flight; find the node of the situation on the table."""
    report(scn, memory, counts)
    for lane in range(flying):
        memory.flying[lane] = memory.nodes[np.int64(memory.lanes[lane, 0])]
    memory.table[:] = -1
    memory.memo[:] = 0
    memory.used[0] = 1
    for lane in range(flying):
        memory.lanes[lane, 0] = find_node(memory.flying[lane], memory)
    return find_node(tools.work.at[TABLE], memory)


@kernel
def find_root(scn: Record, policy: int, tools: Tools, memory: Memory, counts: Record, flying: int) -> int:
    """Find the node where attempts begin."""
    set_up(scn, tools.work.at[TABLE])
    settle(scn, tools.work, policy, tools.outlook)
    root = find_node(tools.work.at[TABLE], memory)
    if root < 0:
        root = start_again(scn, flying, tools, memory, counts)
    return root


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
    """Play attempts `first` to `first + count - 1` and add how they ended to `totals` (one record).

    Several attempts are in flight, a roll of each in turn.
    """
    counts = totals[0]
    lanes, plans, ranks, memo, visits = memory.lanes, memory.plans, memory.ranks, memory.memo, memory.visits
    waiting = first
    end = first + count
    flying = np.int64(0)
    root = find_root(scn, policy, tools, memory, counts, flying)
    flying = min(LANES, count)
    for lane in range(flying):
        lanes[lane, 0], lanes[lane, 1] = root, waiting
        waiting += 1
    while flying > 0:
        lane = 0
        while lane < flying:
            node, attempt = np.int64(lanes[lane, 0]), lanes[lane, 1]
            most = np.int64(plans[node, MOST])
            if most > 0:
                following = 0
                if most <= CHUNK:
                    counter = (attempt << SLOT_BITS) + plans[node, SLOT]
                    following = look_up(throw_rank(key, counter, node, plans, ranks), node, memo)
                if following == 0:
                    following = next_node(scn, policy, key, attempt, node, tools, memory)
                    if following < 0:
                        following = start_again(scn, flying, tools, memory, counts)
                        lanes[lane, 0] = following
                        root = find_root(scn, policy, tools, memory, counts, flying)
                lanes[lane, 0] = following
                lane += 1
                continue
            visits[node] += 1
            if waiting < end:
                lanes[lane, 0], lanes[lane, 1] = root, waiting
                waiting += 1
            else:
                flying -= 1
                lanes[lane, 0], lanes[lane, 1] = lanes[flying, 0], lanes[flying, 1]
    report(scn, memory, counts)


@kernel
def play_block_directly(
    scn: Record, policy: int, key: np.uint64, first: int, count: int, tools: Tools, totals: npt.NDArray[Any]
) -> None:
    """Do what `play_block` does, remembering nothing: faster where hardly a roll comes twice."""
    counts = totals[0]
    amounts = np.zeros(AMOUNTS, dtype=np.int64)
    for attempt in range(first, first + count):
        play_attempt(scn, policy, key, np.uint64(attempt), tools)
        count_end(scn, tools.work.at[TABLE], 1, counts, amounts)
