"""The shortcuts of the exact engine, each against brute force: uses of successes, ends of injuries."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
import twin
from support import arrays_of

from sprawlsim.sprawlops.mission.arrays import new_states
from sprawlsim.sprawlops.mission.harm import Healths
from sprawlsim.sprawlops.mission.laws import CANNOT, lattice, successes_left
from sprawlsim.sprawlops.mission.rules import defeat_directly, defeat_with_pair

CONDITIONS = ("up", "injured", "rescued", "dead")


def left_by_trying(successes: tuple[int, ...], icons: tuple[int, ...]) -> int:
    """Defeat all icons in every way the rules know; return the most successes left, or CANNOT."""
    state = new_states(1)[0]
    best = CANNOT
    waiting = [(successes, icons)]
    seen = set(waiting)
    while waiting:
        have, lacking = waiting.pop()
        if not any(lacking):
            best = max(best, sum(have))
            continue
        for icon in (c for c in range(5) if lacking[c]):
            for by in range(5):
                for step, needs in ((defeat_directly, 1), (defeat_with_pair, 2)):
                    if have[by] < needs or (needs == 1 and by != icon):
                        continue
                    state.successes, state.icons = have, lacking
                    step(state, by) if needs == 1 else step(state, by, icon)
                    after = tuple(map(int, state.successes)), tuple(map(int, state.icons))
                    if after not in seen:
                        seen.add(after)
                        waiting.append(after)
    return best


@pytest.mark.nojit
def test_successes_left_are_the_most_that_any_use_leaves() -> None:
    for successes in product(range(4), range(4), range(3)):
        for icons in product(range(3), range(2), range(3)):
            have, lacking = (*successes, 0, 0), (*icons, 0, 0)
            found = int(successes_left(np.array(have), np.array(lacking)))
            assert found == left_by_trying(have, lacking), (have, lacking)


def random_team(rng: random.Random) -> dict:
    runners = [
        {
            "dice": {colour: rng.randint(1, 3) for colour in rng.sample(twin.COLOURS[:3], rng.randint(1, 2))},
            "dermal_plating": rng.random() < 0.4,
            "docwagon_token": rng.random() < 0.25,
        }
        for _ in range(rng.randint(1, 3))
    ]
    return {"stages": [{"icons": {"face": 1}}], "runners": runners, "docwagon_tokens": rng.randint(0, 2)}


@pytest.mark.parametrize("seed", range(40))
def test_injuries_can_end_as_the_twin_has_it_and_in_no_other_way(seed: int) -> None:
    """Groups of colours, limits and merging leave out no end, and each example is an end of these injuries.

    Whether a runner's own token or one of the player's is spent is not compared: the own one is no use to
    anybody else (G8).
    """
    scenario = random_team(random.Random(seed))
    case = twin.read(scenario)
    healths = Healths(arrays_of(scenario))
    outcomes = healths.outcomes[healths.start]
    crew = range(len(case.dice))
    body = twin.Body(("up",) * len(case.dice), case.plating, case.own_tokens, case.tokens)
    ends = {name: set() for name in ("twin", "ours", "examples")}
    rolled = twin.pool(case, twin.start(case))[0]
    for injuries in lattice([min(4, dice) for dice in rolled]):
        reached = twin.assignments(case.dice, False, body, tuple(int(n) for n in injuries))
        groups = outcomes.groups
        counts = [int(injuries[groups == g].sum()) for g in range(len(outcomes.most))]
        k, stride = 0, 1
        for count, most in zip(counts, outcomes.most.tolist(), strict=True):
            k += min(count, most) * stride
            stride *= most + 1
        ends["twin"] = {what_matters(b.condition, b.plates) for b in reached}
        conditions = {b.condition for b in reached}
        ends["ours"].clear()
        for end in outcomes.ends[outcomes.starts[k] : outcomes.starts[k + 1]]:
            health = healths.healths[outcomes.health[end]]
            example = tuple(CONDITIONS[int(outcomes.conditions[end]) >> (2 * r) & 3] for r in crew)
            assert example in conditions, (injuries, example)
            plates = tuple(bool(health.plates >> r & 1) for r in crew)
            ends["ours"].add(what_matters(example, plates))
            assert outcomes.dead[end] == example.count("dead")
            assert outcomes.injured[end] == example.count("injured") + example.count("rescued")
        assert ends["ours"] == ends["twin"], injuries


def what_matters(condition: tuple[str, ...], plates: tuple[bool, ...]) -> tuple:
    """Say who is up, with which plates, and how many are hurt and dead."""
    up = tuple(c == "up" for c in condition)
    plated = tuple(p and u for p, u in zip(plates, up, strict=True))
    return up, plated, condition.count("dead")
