"""Exact figures of a rule of thumb: every roll of every situation, each once, with its probability.

A situation with dice in hand (a *node*) waits in a line until everything that leads to it is done; then
all faces of its dice are laid down in turn, and what the policy makes of each takes its share of the
node's probability. Lines are in the order of Stages and rolls, so that a situation is decided on once
however many throws it took to get there. What is left in the end are the ends of the Mission.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.jit import kernel
from sprawlsim.rng import word
from sprawlsim.sprawlops.dice import FACE_CHANCES, FACE_LAW, FACE_LAW_START, face_counts
from sprawlsim.sprawlops.mission.arrays import (
    COLOURS,
    ENDED,
    MAX_STAGES,
    ROLLS_PER_STAGE,
    STATE_WORDS,
    Record,
    new_states,
)
from sprawlsim.sprawlops.mission.attempt import Tools, after_roll, new_tools, settle
from sprawlsim.sprawlops.mission.counts import AMOUNTS, count_end, forget_how, new_figures
from sprawlsim.sprawlops.mission.plays import TABLE
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.mission.rules import let_fall, set_up
from sprawlsim.sprawlops.mission.scenario import Scenario

FIRST_ROOM = 1 << 12
"""Nodes that a store has room for at first."""

STRETCH = 1 << 20
"""Rolls decided on before Python may hear an interrupt (Ctrl-C): less than two seconds' worth."""

PAUSED, OVER, TOO_MANY = range(3)

DECIDED, RANK, AGAIN = range(3)
"""Places in ``progress``: rolls decided on so far; those of them of the node that is being decided on, first
in its line; and whether that is a node of rerolls."""

KNOWN, ENTERED = 0, 1
"""Places in ``used``: nodes in a store, and those of them in its table; node 0, scratch space, counts."""

LINES = MAX_STAGES * ROLLS_PER_STAGE


class Store(NamedTuple):
    """Nodes and ends with their probabilities, each once."""

    nodes: npt.NDArray[np.void]
    words: npt.NDArray[np.uint64]
    """The same nodes as words, to hash and compare."""
    table: npt.NDArray[np.int64]
    """Open-addressing table of node numbers, 0 where empty; twice as long as there is room for nodes."""
    places: npt.NDArray[np.int64]
    """Where in the table a node is."""
    mass: npt.NDArray[np.float64]
    """Probability of each node, and in a second column what rounding took from the first."""
    behind: npt.NDArray[np.int64]
    """The next node in the same line; 0 at its end."""
    lines: npt.NDArray[np.int64]
    """The first node of each line; 0 where none waits."""
    used: npt.NDArray[np.int64]


class Search(NamedTuple):
    """How far an evaluation has come, and the law of the dice."""

    main: Store
    rerolls: Store
    """Nodes of dice taken up again. Only the roll that they were taken from leads to them, so they are done
    and forgotten before the next roll: there can be more of them than of all others together."""
    faces: npt.NDArray[np.int64]
    chances: npt.NDArray[np.float64]
    faces_start: npt.NDArray[np.int64]
    progress: npt.NDArray[np.int64]


def _new_search() -> Search:
    return Search(
        main=_new_store(FIRST_ROOM),
        rerolls=_new_store(FIRST_ROOM),
        faces=FACE_LAW,
        chances=FACE_CHANCES,
        faces_start=FACE_LAW_START,
        progress=np.zeros(3, dtype=np.int64),
    )


def _new_store(room: int) -> Store:
    """Allocate an empty store; `room` is a power of two."""
    nodes = new_states(room)
    return Store(
        nodes=nodes,
        words=nodes.view(np.uint64).reshape(room, STATE_WORDS),
        table=np.zeros(2 * room, dtype=np.int64),
        places=np.zeros(room, dtype=np.int64),
        mass=np.zeros((room, 2)),
        behind=np.zeros(room, dtype=np.int64),
        lines=np.zeros(LINES, dtype=np.int64),
        used=np.ones(2, dtype=np.int64),
    )


def _with_room(store: Store) -> Store:
    """Give the store, or if it is full, one with twice the room, whose table `go_on` fills."""
    room = store.nodes.size
    if store.used[KNOWN] < room:
        return store
    larger = _new_store(2 * room)
    larger.nodes[:room], larger.mass[:room], larger.behind[:room] = store.nodes, store.mass, store.behind
    larger.lines[:] = store.lines
    larger.used[KNOWN] = store.used[KNOWN]
    return larger


@kernel
def _find_place(node: int, store: Store) -> int:
    """Find where in the table the node is that equals this one, or else an empty place for it."""
    words, table = store.words, store.table
    last = table.size - 1
    hashed = np.uint64(0)
    for w in range(STATE_WORDS):
        hashed = word(hashed, words[node, w])
    place = np.int64(hashed & np.uint64(last))
    while table[place] != 0:
        same = True
        for w in range(STATE_WORDS):
            if words[table[place], w] != words[node, w]:
                same = False
                break
        if same:
            break
        place = (place + 1) & last
    return place


@kernel
def _enter(node: int, place: int, store: Store) -> None:
    """Enter a node in the table."""
    store.table[place] = node
    store.places[node] = place
    store.used[ENTERED] += 1


@kernel
def _fill_table(store: Store) -> None:
    """Enter all nodes of a store that just grew."""
    for node in range(store.used[ENTERED], store.used[KNOWN]):
        _enter(node, _find_place(node, store), store)


@kernel
def _forget(store: Store) -> None:
    """Forget all nodes."""
    for node in range(1, store.used[KNOWN]):
        store.table[store.places[node]] = 0
    store.used[:] = 1


@kernel
def _line_of(st: Record) -> int:
    """Choose the line of a node, by Stage and roll, or among rerolls: every throw leads to a later one."""
    if st.rerolled > 0:
        return np.int64(st.rerolled)
    return np.int64(st.stage) * ROLLS_PER_STAGE + ROLLS_PER_STAGE - 1 - np.int64(st.rolls_left)


@kernel
def _first_line(store: Store) -> int:
    """Find the first line where a node waits; -1 where none does."""
    for line in range(LINES):
        if store.lines[line] != 0:
            return line
    return -1


@kernel
def _add(st: Record, share: float, store: Store) -> bool:
    """Add to the probability of a situation; say whether there was room for it."""
    if st.phase == ENDED:
        forget_how(st)
    store.nodes[0] = st
    place = _find_place(np.int64(0), store)
    node = store.table[place]
    if node == 0:
        node = store.used[KNOWN]
        if node == store.places.size:
            return False
        store.used[KNOWN] += 1
        store.nodes[node] = st
        _enter(node, place, store)
        store.mass[node, 0] = 0.0
        store.mass[node, 1] = 0.0
        if st.phase != ENDED:
            line = _line_of(st)
            store.behind[node] = store.lines[line]
            store.lines[line] = node
    # Neumaier's summation: millions of small shares would lose digits in a large sum.
    before = store.mass[node, 0]
    after = before + share
    store.mass[node, 0] = after
    store.mass[node, 1] += (before - after) + share if before >= share else (share - after) + before
    return True


@kernel
def _mass_of(node: int, store: Store) -> float:
    """Give the probability of a node."""
    return float(store.mass[node, 0] + store.mass[node, 1])


@kernel
def _all_faces(st: Record) -> int:
    """Count the different faces that the dice in hand can show."""
    faces = np.int64(1)
    for c in range(COLOURS):
        faces *= face_counts(np.int64(st.hand[c]))
    return faces


@kernel
def _lay_down(st: Record, rank: int, search: Search) -> float:
    """Let the dice in hand fall with the faces of this number; give the probability of that."""
    chance = 1.0
    for c in range(COLOURS):
        dice = np.int64(st.hand[c])
        if dice > 0:
            own = search.faces_start[dice] + rank % face_counts(dice)
            rank //= face_counts(dice)
            let_fall(st, c, search.faces[own, 0], search.faces[own, 1])
            chance *= search.chances[own]
    return chance


@kernel
def _decide(
    scn: Record, policy: int, tools: Tools, search: Search, store: Store, node: int, until: int
) -> bool:
    """Decide on the faces of a node up to number `until`; say whether there was room for what follows."""
    st = tools.work.at[TABLE]
    progress = search.progress
    mass = _mass_of(node, store)
    for rank in range(progress[RANK], until):
        tools.work.at[TABLE] = store.nodes[node]
        share = mass * _lay_down(st, rank, search)
        after_roll(scn, tools.work, policy, tools.outlook)
        again = st.rerolled > 0 and st.phase != ENDED
        if not _add(st, share, search.rerolls if again else search.main):
            return False
        progress[RANK] += 1
        progress[DECIDED] += 1
    return True


@kernel
def _count_ends(scn: Record, store: Store, figures: npt.NDArray[Any]) -> None:
    """Add up the figures (one record) of all ends."""
    amounts = np.zeros(AMOUNTS, dtype=np.int64)
    for node in range(1, store.used[KNOWN]):
        if store.nodes[node].phase == ENDED:
            count_end(scn, store.nodes[node], _mass_of(node, store), figures[0], amounts)


@kernel
def go_on(
    scn: Record, policy: int, most_rolls: int, tools: Tools, search: Search, figures: npt.NDArray[Any]
) -> int:
    """Begin an evaluation or go on with it, until it is over or too long, or for a while.

    A pause leaves everything in `search` so that the next call goes on from there, in a larger store if
    one is full.
    """
    main, rerolls, progress = search.main, search.rerolls, search.progress
    _fill_table(main)
    _fill_table(rerolls)
    if main.used[KNOWN] == 1:
        set_up(scn, tools.work.at[TABLE])
        settle(scn, tools.work, policy, tools.outlook)
        _add(tools.work.at[TABLE], 1.0, main)
    pause = progress[DECIDED] + STRETCH
    while progress[DECIDED] < pause:
        if progress[RANK] == 0:
            progress[AGAIN] = _first_line(rerolls) >= 0
            if not progress[AGAIN]:
                _forget(rerolls)
        store = rerolls if progress[AGAIN] else main
        line = _first_line(store)
        if line < 0:
            _count_ends(scn, main, figures)
            return OVER
        node = store.lines[line]
        faces = _all_faces(store.nodes[node])
        if progress[DECIDED] - progress[RANK] + faces > most_rolls:
            return TOO_MANY
        until = min(faces, progress[RANK] + STRETCH)
        if not _decide(scn, policy, tools, search, store, node, until):
            return PAUSED
        if until == faces:
            store.lines[line] = store.behind[node]
            progress[RANK] = 0
    return PAUSED


def evaluate(scenario: Scenario, policy: str, most_rolls: int | None = None) -> Record | None:
    """Find the exact figures of one Mission attempt under a rule of thumb.

    Every roll that can happen is decided on, once for each situation in which it can happen.

    Parameters
    ----------
    scenario : Scenario
    policy : str
        A name of `POLICIES`.
    most_rolls : int, optional
        Give up as soon as it is clear that more rolls than this must be decided on: (situation, faces).

    Returns
    -------
    numpy.record or None
        A record of `counts.FIGURES`: probabilities in 0..1, expected K nuyen and Loot cards. None where
        there are too many rolls.
    """
    limit = np.iinfo(np.int64).max if most_rolls is None else most_rolls
    scn, tools, figures, search = scenario.arrays(), new_tools(), new_figures(), _new_search()
    state = PAUSED
    while state == PAUSED:
        search = search._replace(main=_with_room(search.main), rerolls=_with_room(search.rerolls))
        with np.errstate(over="ignore"):  # hashes wrap around, which numpy reports where nothing is compiled
            state = go_on(scn, POLICIES[policy], limit, tools, search, figures)
    return figures[0] if state == OVER else None
