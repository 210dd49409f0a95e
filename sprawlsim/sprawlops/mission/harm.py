"""What the injuries of a roll can do to a team: every legal outcome, found once per state of the team.

For the rest of a Mission it only matters who is still up, with which plates, and how many tokens are
left. Such a *health* is numbered; what injuries make of it does not depend on Stage, icons or Loot.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError
from sprawlsim.jit import kernel
from sprawlsim.sprawlops.dice import rolled_dice
from sprawlsim.sprawlops.mission.arrays import (
    COLOURS,
    DEAD,
    DIE_CARD,
    INJURED,
    RESCUED,
    UP,
    Record,
    new_states,
)
from sprawlsim.sprawlops.mission.rules import (
    assign_injury,
    can_rescue,
    legal_targets,
    rescue,
    would_die,
)

Ints = npt.NDArray[np.int64]

PLATES_BIT, TOKENS_BIT = 16, 24
"""Places in a packed condition of a team: two bits a runner, then plates, then tokens."""

HASHING = 0x9E3779B1


class Health(NamedTuple):
    """What matters of a team's condition later on: masks of runners, and the tokens left.

    `unsafe` says that somebody has died, where the objective counts completing with nobody dead.
    """

    up: int
    plates: int
    tokens: int
    unsafe: bool = False


class Outcomes(NamedTuple):
    """What the injuries of one roll can make of a team in some health.

    Injuries are counted by *group*: colours whose dice were put in by the same runners hurt the same
    runners (M10), so their injuries are alike. More than a group can suffer have no effect (M14), so
    counts end there.
    """

    groups: Ints
    """Group of each colour; -1 where nobody up has dice of it."""
    most: Ints
    """Injuries of each group beyond which nothing more can happen."""
    starts: Ints
    ends: Ints
    """What can come of the counts ``(k0, k1, ...)``, numbered in mixed radix ``most + 1``, first group
    fastest: ``ends[starts[k]:starts[k + 1]]`` index the arrays that follow."""
    health: Ints
    injured: Ints
    dead: Ints
    """Runners who became injured (or rescued), and who died, by this roll."""
    conditions: Ints
    tokens: Ints
    """The conditions of all who were up, packed two bits a runner, and the tokens left, as one example of
    the outcome."""


@kernel
def _unpack(scn: Record, st: Record, code: int) -> None:
    for r in range(scn.n_runners):
        st.condition[r] = (code >> (2 * r)) & 3
    st.plates = (code >> PLATES_BIT) & 255
    st.tokens = code >> TOKENS_BIT
    st.own_tokens = scn.own_tokens  # a rescued runner needs no second one


@kernel
def _pack(scn: Record, st: Record) -> int:
    code = (np.int64(st.tokens) << TOKENS_BIT) | (np.int64(st.plates) << PLATES_BIT)
    for r in range(scn.n_runners):
        code |= np.int64(st.condition[r]) << (2 * r)
    return code


@kernel
def first_slot(code: int, slots: int) -> int:
    """Say where among the slots to look first for a packed condition."""
    return ((code * HASHING) >> 20) % slots


@kernel
def _find(code: int, codes: Ints, slots: Ints, used: Ints) -> int:
    """Find, or make, the number of a packed condition; -1 where there is no place."""
    place = first_slot(code, slots.size)
    while slots[place] >= 0:
        if codes[slots[place]] == code:
            return slots[place]
        place = (place + 1) % slots.size
    if used[0] == codes.size:
        return -1
    slots[place] = used[0]
    codes[used[0]] = code
    used[0] += 1
    return used[0] - 1


@kernel
def _one_injury_each(
    scn: Record, work: Record, colours: Ints, codes: Ints, slots: Ints, next_start: Ints, following: Ints
) -> int:
    """From ``codes[0]`` on, find what one injury of each group can do, until nothing new comes (M10-M14).

    A death may be turned into an injury or not, as the player likes (M13); a token of the runner's own
    goes first, which nobody can regret, because it serves nobody else (G8).

    Returns
    -------
    int
        How many conditions there are; -1 where the arrays are too small.
    """
    used = np.ones(1, dtype=np.int64)
    entries = 0
    at = 0
    st = work[0]
    while at < used[0]:
        for g in range(colours.size):
            next_start[at * colours.size + g] = entries
            if entries + 2 * scn.n_runners + 1 > following.size:
                return -1
            _unpack(scn, st, codes[at])
            targets = legal_targets(scn, st, colours[g])
            if targets == 0:
                following[entries] = at
                entries += 1
            for r in range(scn.n_runners):
                if not targets & (1 << r):
                    continue
                _unpack(scn, st, codes[at])
                dies = would_die(scn, st, r)
                assign_injury(scn, st, r)
                found = _find(_pack(scn, st), codes, slots, used)
                following[entries] = found
                entries += 1
                if dies and found >= 0 and can_rescue(st, r):
                    rescue(st, r)
                    found = _find(_pack(scn, st), codes, slots, used)
                    following[entries] = found
                    entries += 1
                if found < 0:
                    return -1
        at += 1
    next_start[at * colours.size] = entries
    return at


@kernel
def _many_injuries(
    most: Ints, next_start: Ints, following: Ints, starts: Ints, ends: Ints, stamps: Ints
) -> bool:
    """List, for every count of injuries by group, the conditions they can lead to, in every order (M11).

    Says whether `ends` was large enough.
    """
    groups = most.size
    filled = 1
    starts[0] = 0
    starts[1] = 1
    ends[0] = 0
    for k in range(1, starts.size - 1):
        stride = 1
        for g in range(groups):
            if k // stride % (most[g] + 1) > 0:
                before = k - stride
                for e in range(starts[before], starts[before + 1]):
                    here = ends[e] * groups + g
                    for f in range(next_start[here], next_start[here + 1]):
                        if stamps[following[f]] != k:
                            stamps[following[f]] = k
                            if filled == ends.size:
                                return False
                            ends[filled] = following[f]
                            filled += 1
            stride *= most[g] + 1
        starts[k + 1] = filled
    return True


@kernel
def _merge_ends(which: Ints, starts: Ints, ends: Ints, stamps: Ints) -> None:
    """Replace the conditions in the lists by what they are an example of, each once."""
    stamps[:] = -1
    filled = 0
    for k in range(starts.size - 1):
        begin, end = starts[k], starts[k + 1]
        starts[k] = filled
        for e in range(begin, end):
            what = which[ends[e]]
            if stamps[what] != k:
                stamps[what] = k
                ends[filled] = what
                filled += 1
    starts[-1] = filled


def _alike(matters: Ints, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Find which conditions are alike: the same in what matters, and come of the same counts of injuries.

    So one of them is an example for all, whatever the injuries were.

    Returns
    -------
    first : ndarray
        One condition of each kind.
    which : ndarray
        Kind of each condition.
    """
    counts = starts.size - 1
    comes_of = np.zeros((matters.size, counts), dtype=bool)
    comes_of[ends[: starts[-1]], np.repeat(np.arange(counts), np.diff(starts))] = True
    rows = np.hstack([matters[:, None].view(np.uint8), np.packbits(comes_of, axis=1)])
    packed = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).reshape(-1)
    _, first, which = np.unique(packed, return_index=True, return_inverse=True)
    return first, which.reshape(-1)


class Healths:
    """All healths a team can come to, and what the injuries of a roll make of each.

    Parameters
    ----------
    scn : Record
        The scenario.

    Attributes
    ----------
    healths : list of Health
        Numbered; those with fewer runners up come first, so that injuries only lead to earlier ones, or
        to one with as many up.
    outcomes : list of Outcomes
        Of each health with somebody up; None for the others.
    start : int
        Number of the health that the Mission begins with.
    """

    def __init__(self, scn: Record) -> None:
        self._scn = scn
        everyone = (1 << int(scn.n_runners)) - 1
        first = Health(everyone, int(scn.plates) & everyone, int(scn.tokens))
        found: dict[Health, Outcomes | None] = {}
        waiting = [first]
        names: dict[Health, list[Health]] = {}
        while waiting:
            health = waiting.pop()
            if health in found:
                continue
            if health.up == 0:
                found[health] = None
                continue
            found[health], names[health] = self._outcomes(health)
            waiting.extend(names[health])
        self.healths = sorted(found, key=lambda health: (health.up.bit_count(), health))
        self.number = {health: i for i, health in enumerate(self.healths)}
        self.outcomes: list[Outcomes | None] = []
        for health in self.healths:
            outcomes = found[health]
            if outcomes is not None:
                numbers = np.array([self.number[after] for after in names[health]], dtype=np.int64)
                outcomes = outcomes._replace(health=numbers)
            self.outcomes.append(outcomes)
        self.start = self.number[first]

    def health_of(self, st: Record) -> int:
        """Number the health of a team in a situation between two rolls.

        Raises
        ------
        SprawlsimError
            If it cannot come about.
        """
        up = sum(1 << r for r in range(int(self._scn.n_runners)) if st.condition[r] == UP)
        dead = bool(np.any(st.condition == DEAD))
        health = _health(up, int(st.plates), int(st.tokens), dead and self._counts_safety)
        if health not in self.number:
            raise SprawlsimError(
                "by the rules no injuries of this Mission can leave the team like that (M10, M11)"
            )
        return self.number[health]

    @property
    def _counts_safety(self) -> bool:
        return bool(self._scn.w_safe != 0.0)

    def _outcomes(self, health: Health) -> tuple[Outcomes, list[Health]]:
        """Find what injuries can do; the healths they lead to are not numbered yet."""
        scn = self._scn
        groups, colours, most = _groups(scn, health)
        work = new_states(1)
        work[0].rolled = health.up
        size, entries = 64, 256
        while True:
            codes = np.zeros(size, dtype=np.int64)
            codes[0] = (health.tokens << TOKENS_BIT) | (health.plates << PLATES_BIT)
            slots = np.full(2 * size, -1, dtype=np.int64)
            slots[first_slot(int(codes[0]), 2 * size)] = 0
            next_start = np.zeros(size * len(colours) + 1, dtype=np.int64)
            following = np.zeros(entries, dtype=np.int64)
            used = _one_injury_each(scn, work, colours, codes, slots, next_start, following)
            if used >= 0:
                break
            size, entries = 2 * size, 4 * entries
        starts = np.zeros(int(np.prod(most + 1)) + 1, dtype=np.int64)
        room = 4 * starts.size + used
        while True:
            lists = np.zeros(room, dtype=np.int64)
            stamps = np.full(used, -1, dtype=np.int64)
            if _many_injuries(most, next_start, following, starts, lists, stamps):
                break
            room *= 4
        matters = _what_matters(scn, health.up, codes[:used])
        first, which = _alike(matters, starts, lists)
        _merge_ends(which, starts, lists, stamps)
        ends = matters[first]
        afters = [
            _health(
                end & 255,
                end >> 8 & 255,
                end >> 16 & 255,
                health.unsafe or (self._counts_safety and end >> 28 > 0),
            )
            for end in ends.tolist()
        ]
        outcomes = Outcomes(
            groups=groups,
            most=most,
            starts=starts,
            ends=lists[: starts[-1]].copy(),
            health=np.zeros(0, dtype=np.int64),
            injured=(ends >> 24) & 15,
            dead=(ends >> 28) & 15,
            conditions=codes[first] & ((1 << PLATES_BIT) - 1),
            tokens=codes[first] >> TOKENS_BIT,
        )
        return outcomes, afters


def _health(up: int, plates: int, tokens: int, unsafe: bool) -> Health:
    """Leave out what no longer matters: plates of runners who are down, tokens when nobody is up."""
    return Health(up, plates & up, tokens if up else 0, unsafe)


def _groups(scn: Record, health: Health) -> tuple[Ints, Ints, Ints]:
    """Group the colours by who put dice of them in: group of each colour, a colour of each, limits."""
    groups = np.full(COLOURS, -1, dtype=np.int64)
    masks: list[int] = []
    colours: list[int] = []
    dice: list[int] = []
    for c in range(COLOURS):
        mask = 0
        pool = 0
        for r in range(int(scn.n_runners)):
            if health.up >> r & 1 and scn.dice[r, c] > 0:
                mask |= 1 << r
                pool += int(scn.dice[r, c])
        if mask == 0:
            continue
        if mask not in masks:
            masks.append(mask)
            colours.append(c)
            dice.append(0)
        groups[c] = masks.index(mask)
        bonus = int(scn.cards[DIE_CARD + c])
        dice[groups[c]] += max(int(rolled_dice(n)) for n in range(pool, pool + bonus + 1))
    most = []
    for mask, thrown in zip(masks, dice, strict=True):
        plates = health.plates if scn.plating_takes_any_colour else health.plates & mask
        most.append(min(thrown, 2 * mask.bit_count() + plates.bit_count()))
    return groups, np.array(colours, dtype=np.int64), np.array(most, dtype=np.int64)


def _what_matters(scn: Record, up: int, codes: Ints) -> Ints:
    """Pack of a team's conditions what counts later, and the harm done: up, plates, tokens, injured, dead."""
    still_up = np.zeros_like(codes)
    injured = np.zeros_like(codes)
    dead = np.zeros_like(codes)
    for r in range(int(scn.n_runners)):
        if up >> r & 1:
            condition = (codes >> (2 * r)) & 3
            still_up |= (condition == UP).astype(np.int64) << r
            injured += (condition == INJURED) | (condition == RESCUED)
            dead += condition == DEAD
    plates = (codes >> PLATES_BIT) & still_up
    tokens = np.where(still_up > 0, codes >> TOKENS_BIT, 0)
    return still_up | (plates << 8) | (tokens << 16) | (injured << 24) | (dead << 28)
