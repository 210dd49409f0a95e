"""The plays of a roll that lies on the table: every legal use of it, rerolls, Evacuate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.dice import certain_successes
from sprawlsim.sprawlops.mission.advice import Play
from sprawlsim.sprawlops.mission.advice_words import (
    Use,
    cards_in_words,
    count_of,
    find_hits,
    hits_in_words,
    label,
    listed,
    standing_in_words,
    use_in_words,
)
from sprawlsim.sprawlops.mission.arrays import (
    COLOURS,
    IGNORE_INJURY,
    MAX_RUNNERS,
    REROLL_DIE,
    SUCCESS_CARD,
    Record,
)
from sprawlsim.sprawlops.mission.exact import Solution, expected
from sprawlsim.sprawlops.mission.induction import WORTHS, Table, is_better
from sprawlsim.sprawlops.mission.laws import lattice, strides, successes_left
from sprawlsim.sprawlops.mission.layouts import BLANK, INJURY, SUCCESS
from sprawlsim.sprawlops.mission.rerolls import LayoutValues
from sprawlsim.sprawlops.mission.resources import NONE
from sprawlsim.sprawlops.mission.rules import blanks

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

CONDITIONS = ("up", "injured", "rescued", "dead")


class Option(NamedTuple):
    """A play in the making: what it leads to, and its words once they are wanted."""

    worth: Floats
    tell: Any
    """Gives the Play, its cost still 0."""


def plain(words: str, leaves: str) -> Any:
    """Make a play of words that are known already."""
    return lambda: Play(words, leaves, expected(np.zeros(WORTHS)))


def number_icons(solution: Solution, st: Record) -> int:
    """Number the icons left, as `laws.lattice` lists them."""
    return int(np.dot(st.icons.astype(np.int64), strides(solution.tree.scn.icons[int(st.stage)])))


def spendable(solution: Solution, st: Record, rolls_left: int, held: int) -> dict[int, Table]:
    """Make the tables of what may be held after rerolls of one roll."""
    resources = solution.tree.resources
    health = solution.tree.healths.health_of(st)
    return {
        number: solution.table(int(st.stage), rolls_left, health, number)
        for number in resources.after_rerolls(held)
    }


def _at_least(rows: Ints) -> npt.NDArray[np.bool_]:
    """Say which row (first place) is nowhere less than which other one."""
    return np.array([(rows >= row).all(axis=1) for row in rows]).T


class RollPlays:
    """The plays of a roll that lies on the table."""

    def __init__(
        self, solution: Solution, st: Record, names: tuple[str, ...], loot: Sequence[tuple[int, str]]
    ) -> None:
        self._of = solution
        self._tree = solution.tree
        self._st = st
        self._names = names
        self._loot = loot
        self._stage = int(st.stage)
        self._rolls_left = int(st.rolls_left)
        self._held = self._tree.resources.number([*st.cards, *st.bonus, st.rerolls])
        self._health = self._tree.healths.health_of(st)
        self._table = solution.table(self._stage, self._rolls_left, self._health, self._held)
        self._icons = self._tree.uses[self._stage].icons
        self._injuries = np.array([int(n) for n in st.injuries], dtype=np.int64)

    def options(self, every: bool) -> list[Option]:
        """List the uses, wasteful ones only where every one is wanted; the rerolls; and Evacuate."""
        found = list(self._uses(every))
        if self._tree.resources.may_reroll(self._held):
            found += self._rerolls()
        if self._tree.resources.without_evacuate[self._held] != NONE:
            words = plain("play Evacuate", "nobody is hurt by this roll; the Mission ends")
            found.append(Option(np.zeros(WORTHS), words))
        return found

    def _uses(self, every: bool) -> Iterator[Option]:
        """List every different thing that can stand after the roll; of equal worth, cards kept come first."""
        reachable = self._reachable()
        candidates = np.array(list(reachable), dtype=np.int64)
        if not every:
            candidates = candidates[~self._wasteful(candidates)]
        for candidate in candidates[np.argsort(-self._table.candidates.rank[candidates])].tolist():
            tell = partial(self._tell, candidate, *reachable[candidate])
            yield Option(self._table.candidates.worth[candidate], tell)

    def _reachable(self) -> dict[int, tuple[int, int, Ints, Ints]]:
        """Find a use for every candidate that can stand after the roll: the one that cancels least.

        By candidate: the way to play success cards, injuries ignored, icons defeated, injuries taken by
        group.
        """
        table, outcomes = self._table, self._table.outcomes
        ends, icons = len(outcomes.health), len(self._icons)
        groups = table.pool.groups
        lying = np.array(
            [int(self._injuries[groups == g].sum()) for g in range(len(outcomes.most))], dtype=np.int64
        )
        choices = [
            (taken, sum(taken), int(np.dot(np.minimum(taken, outcomes.most), strides(outcomes.most))))
            for taken in sorted(lattice(lying).tolist(), key=sum, reverse=True)
        ]
        here = np.array([int(n) for n in self._st.icons], dtype=np.int64)
        successes = np.array([int(n) for n in self._st.successes], dtype=np.int64)
        found: dict[int, tuple[int, int, Ints, Ints]] = {}
        for o, (way, ignored) in enumerate(zip(table.options.successes, table.options.ignored, strict=True)):
            for left, after in enumerate(self._icons):
                if (after > here).any():
                    continue
                hand = successes + self._tree.resources.success_ways[way]
                can_cancel = int(successes_left(hand, here - after))
                if can_cancel < 0:
                    continue
                for taken, number, k in choices:
                    cancelled = int(lying.sum()) - number
                    if not ignored <= cancelled <= can_cancel + ignored:
                        continue
                    for end in outcomes.ends[outcomes.starts[k] : outcomes.starts[k + 1]]:
                        candidate = (o * icons + left) * ends + int(end)
                        use = (int(way), int(ignored), here - after, np.array(taken, dtype=np.int64))
                        found.setdefault(candidate, use)
        return found

    def _wasteful(self, candidates: Ints) -> npt.NDArray[np.bool_]:
        """Say which uses are plainly wasteful: another one does all that they do, and is worth no less.

        It keeps the same cards, defeats the same icons, spares the same runners, or more. Where the Mission
        fails it does not matter which icons are left, and one use tells for all of them. But who is hurt is
        not for us to choose, even where it is worth the same.
        """
        table, ends = self._table, len(self._table.outcomes.health)
        option, left, end = np.unravel_index(candidates, (len(table.options.then), len(self._icons), ends))
        node = table.candidates.node[candidates]
        over = (node >= self._tree.nodes.end(False)) & (left > 0)
        here = number_icons(self._of, self._st)
        icons = np.where(over, here, left)
        level = self._levels(candidates)
        held = self._tree.resources.held[table.options.then]
        keeps, fewer, milder = _at_least(held), _at_least(-self._icons), self._milder()
        wasteful = np.zeros(len(candidates), dtype=bool)
        order = np.arange(len(candidates))
        for i in range(len(candidates)):
            as_good = keeps[option, option[i]] & fewer[icons, icons[i]] & milder[end, end[i]]
            as_good &= level >= level[i]
            worse = keeps[option[i], option] & fewer[icons[i], icons] & milder[end[i], end]
            alike = as_good & worse & (level == level[i])
            # The later one leaves more icons: of what is in vain anyway, the least is told.
            told_instead = alike & (end == end[i]) & (order > i)
            wasteful[i] = bool((as_good & ~alike).any() or told_instead.any())
        return wasteful

    def _levels(self, candidates: Ints) -> Ints:
        """Number the worths of candidates, equal ones alike, the worst first."""
        known = self._table.candidates
        by_rank = np.argsort(known.rank[candidates])
        levels = np.zeros(len(candidates), dtype=np.int64)
        for before, after in pairwise(by_rank.tolist()):
            worth, than = known.worth[candidates[after]], known.worth[candidates[before]]
            levels[after] = levels[before] + int(is_better(worth, than, self._tree.ties))
        return levels

    def _milder(self) -> npt.NDArray[np.bool_]:
        """Say which outcome of the injuries (first place) spares whatever which other one spares."""
        outcomes = self._table.outcomes
        healths = [self._tree.healths.healths[health] for health in outcomes.health]
        bits = 1 << np.arange(MAX_RUNNERS)
        spared = [
            np.array([health.up for health in healths])[:, None] & bits,
            np.array([health.plates for health in healths])[:, None] & bits,
            np.array([health.tokens for health in healths])[:, None],
            -outcomes.dead[:, None],
            -(outcomes.injured + outcomes.dead)[:, None],
        ]
        return _at_least(np.concatenate(spared, axis=1))

    def _tell(self, candidate: int, played: int, ignored: int, defeated: Ints, taken: Ints) -> Play:
        """Put a use into words."""
        table, outcomes = self._table, self._table.outcomes
        end = candidate % len(outcomes.health)
        cards = self._tree.resources.success_ways[played]
        spent = {SUCCESS_CARD + c: int(n) for c, n in enumerate(cards)}
        wanted = self._wanted(end)
        hits = None
        counts: tuple[int, ...] = ()
        for counts in self._by_colour(taken, table.pool.groups):
            hits = find_hits(self._tree.scn, self._st, counts, wanted)
            if hits is not None:
                break
        if hits is None:
            raise SprawlsimError("no order of the injuries leads there; this is a fault of the program")
        use = Use(
            successes=tuple(int(n) + int(k) for n, k in zip(self._st.successes, cards, strict=True)),
            injuries=tuple(int(n) for n in self._injuries),
            defeated=tuple(int(n) for n in defeated),
            taken=counts,
            ignored=[name for kind, name in self._loot if kind == IGNORE_INJURY][:ignored],
            played=cards_in_words(self._loot, spent),
        )
        words = [*use_in_words(use), *hits_in_words(hits, self._names)]
        left = self._icons[candidate // len(outcomes.health) % len(self._icons)]
        conditions = self._conditions(wanted[0])
        return Play(
            words="; ".join(words) or ("do nothing" if any(use.successes) else "nothing to do"),
            leaves=self._leaves(left, conditions),
            expected=expected(np.zeros(WORTHS)),
            icons={label(c): int(n) for c, n in enumerate(left) if n},
            conditions={name: CONDITIONS[condition] for name, condition in conditions.items()},
        )

    def _by_colour(self, taken: Ints, groups: Ints) -> Iterator[tuple[int, ...]]:
        """Share the injuries taken by each group out to its colours; those without a group are all taken."""
        choices = [range(int(n) + 1) if groups[c] >= 0 else [int(n)] for c, n in enumerate(self._injuries)]
        for counts in product(*choices):
            if all(
                sum(n for c, n in enumerate(counts) if groups[c] == g) == taken[g] for g in range(len(taken))
            ):
                yield counts

    def _wanted(self, end: int) -> tuple[int, int, int]:
        """Give what must stand after the injuries, as `advice_words.packed` has it."""
        outcomes = self._table.outcomes
        health = self._tree.healths.healths[outcomes.health[end]]
        conditions = 0
        for r in range(int(self._tree.scn.n_runners)):
            condition = int(self._st.condition[r])
            if int(self._st.rolled) >> r & 1:
                condition = int(outcomes.conditions[end]) >> (2 * r) & 3
            conditions |= condition << (2 * r)
        return conditions, health.plates, int(outcomes.tokens[end])

    def _conditions(self, packed: int) -> dict[str, int]:
        return {name: packed >> (2 * r) & 3 for r, name in enumerate(self._names)}

    def _leaves(self, left: Ints, conditions: dict[str, int]) -> str:
        """Say what stands after a use."""
        told = [count_of(int(n), f"{label(c)} icon") for c, n in enumerate(left) if n]
        standing = standing_in_words(self._names, conditions)
        down = all(conditions.values())
        if not told:
            text = f"Stage {self._stage + 1} is cleared"
            if self._stage + 1 == self._tree.stages:
                text += ", the Mission completed"
            elif down:
                text += ", the Mission over"
        elif down or self._rolls_left == 0:
            text = f"the Mission fails with {listed(told)} left"
        else:
            text = f"{listed(told)} left, {count_of(self._rolls_left, 'roll')} to come"
        return "; ".join(filter(None, [text, standing]))

    def _rerolls(self) -> list[Option]:
        """List the ways to take dice up again (M18)."""
        tables = spendable(self._of, self._st, self._rolls_left, self._held)
        values = LayoutValues(self._tree, self._stage, number_icons(self._of, self._st), tables)
        for number in sorted(tables):
            values.value(number)
        resources = self._tree.resources
        found = []
        free, die = int(resources.without_reroll[self._held]), int(resources.without_reroll_die[self._held])
        for how, then, most in (("a free reroll", free, 99), (self._name_of(REROLL_DIE), die, 1)):
            if then == NONE:
                continue
            for layout, taken in self._take_ups(values, most):
                words = f"take up {taken} again with {how}"
                found.append(Option(values.worths[then][layout].copy(), plain(words, "")))
        return found

    def _name_of(self, kind: int) -> str:
        return next((name for held, name in self._loot if held == kind), "the Loot card")

    def _take_ups(self, values: LayoutValues, most: int) -> Iterator[tuple[int, str]]:
        """Go through the sets of dice to take up: the layout they lead to, and their words."""
        layouts = values.layouts
        choices = []
        for c in range(COLOURS):
            shown = int(self._st.successes[c]) - int(certain_successes(int(self._st.pool[c])))
            faces = (shown, int(self._st.injuries[c]), int(blanks(self._st, c)))
            first, count = int(layouts.first[c]), int(layouts.counts[c])
            own = []
            for at in range(first, first + count):
                kept = [int(layouts.dice[at, face]) for face in (SUCCESS, INJURY, BLANK)]
                taken = [have - keep for have, keep in zip(faces, kept, strict=True)]
                if min(taken) >= 0 and sum(taken) <= most:
                    own.append(((at - first) * int(layouts.stride[c]), taken))
            choices.append(own)
        for parts in product(*choices):
            number = sum(sum(taken) for _, taken in parts)
            if 0 < number <= most:
                words = [dice for c, (_, taken) in enumerate(parts) for dice in _dice_in_words(c, taken)]
                yield sum(offset for offset, _ in parts), listed(words)


def _dice_in_words(colour: int, taken: list[int]) -> list[str]:
    """Write "one Decker blank", "two Decker injuries"."""
    return [
        count_of(number, f"{label(colour)} {one}", f"{label(colour)} {several}")
        for number, one, several in zip(
            taken, ("success", "injury", "blank"), ("successes", "injuries", "blanks"), strict=True
        )
        if number
    ]
