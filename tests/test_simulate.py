"""Best play simulated from its exact tables: the exact figures come out, and every step is legal."""

import math
from functools import cache

import numpy as np
import pytest
import twin
from random_scenarios import EACH, RECIPES, scenario
from scipy.stats import kstest
from support import faces_of, situation_of
from test_montecarlo import SMALL, TWO_STAGES
from test_montecarlo import simulate as play

import sprawlsim as ss
from sprawlsim.sprawlops.mission import simulate as module
from sprawlsim.sprawlops.mission.arrays import (
    BETWEEN,
    DEAD,
    ENDED,
    EVACUATE,
    INJURED,
    REROLL_DIE,
    RESCUED,
    ROLLING,
    UP,
)
from sprawlsim.sprawlops.mission.counts import COMPLETED, DEATHS, INJURIES, LOOT, NUYEN, PAID, SAFE
from sprawlsim.sprawlops.mission.exact import solve
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.mission.scenario import scenario_from_dict
from sprawlsim.sprawlops.mission.simulate import simulate

ATTEMPTS = 20_000
LEAST_VARIANCE = 20
"""n * p * (1 - p) from which a count is compared with a normal."""
MOST_Z = 4.5
CERTAIN = 1e-12
ALPHA = 1e-3
"""Chance with which a test of normality would refuse a good sample; the seeds are fixed."""


def crew(*dice, **more):
    """Return runners with these dice."""
    return [{"dice": one} | {key: value[n] for key, value in more.items()} for n, one in enumerate(dice)]


SAMURAI_AND_MAGE = ({"street_samurai": 3, "rigger": 1}, {"mage": 3, "street_samurai": 2})
THREE = ({"decker": 3}, {"rigger": 2, "decker": 1}, {"mage": 2, "face": 1})
TWO_HARD_STAGES = [
    {"icons": {"street_samurai": 2, "mage": 1}, "payout": 2},
    {"icons": {"mage": 2, "street_samurai": 1}},
]
THREE_STAGES = [
    {"icons": {"decker": 2}},
    {"icons": {"decker": 1, "rigger": 1}, "loot": 1, "payout": 3},
    {"icons": {"mage": 2, "face": 1}},
]
HARM = {"nuyen": 0.07, "loot": 0.25, "injury": -0.11, "death": -0.55}
NINE_DICE = {
    "plain": {"stages": TWO_HARD_STAGES, "runners": crew(*SAMURAI_AND_MAGE)},
    "harm costs": {"stages": TWO_HARD_STAGES, "runners": crew(*SAMURAI_AND_MAGE), "objective": HARM},
    "plate and tokens": {
        "stages": TWO_HARD_STAGES,
        "runners": crew(*SAMURAI_AND_MAGE, dermal_plating=(True, False), docwagon_token=(False, True)),
        "docwagon_tokens": 1,
        "objective": HARM,
    },
    "free rerolls": {"stages": TWO_HARD_STAGES, "runners": crew(*SAMURAI_AND_MAGE), "rerolls": 2},
    "rerolls of both kinds": {
        "stages": TWO_HARD_STAGES,
        "runners": crew(*SAMURAI_AND_MAGE),
        "rerolls": 1,
        "loot_cards": ["reroll-die"],
        "objective": HARM,
    },
    "two reroll cards": {
        "stages": THREE_STAGES,
        "runners": crew(*THREE),
        "loot_cards": ["reroll-die", "reroll-die"],
        "payout": 4,
        "objective": HARM,
    },
    "die cards": {
        "stages": THREE_STAGES,
        "runners": crew(*THREE),
        "loot_cards": ["die:decker", "die:mage", "die:street_samurai"],
        "objective": HARM,
    },
    "success cards": {
        "stages": THREE_STAGES,
        "runners": crew(*THREE),
        "loot_cards": ["success:mage", "success:decker", "success:face"],
    },
    "ignore and evacuate": {
        "stages": THREE_STAGES,
        "runners": crew(*THREE),
        "loot_cards": ["ignore-injury", "evacuate"],
        "payout": 4,
        "objective": HARM | {"completion": 0.3},
    },
    "all perks": {
        "stages": THREE_STAGES,
        "runners": crew(*THREE),
        "payout": 5,
        "clears_first_stage": True,
        "loot_for_first_stage": True,
        "objective": HARM,
    },
    "last Stage by perk": {
        "stages": [*THREE_STAGES, {"icons": {"face": 5}}],
        "runners": crew(*THREE),
        "clears_last_stage": True,
    },
    "task": {
        "stages": [{"icons": {"street_samurai": 4, "face": 2}}],
        "runners": crew({"street_samurai": 5, "face": 3, "decker": 1}, dermal_plating=(True,)),
        "task": True,
        "rerolls": 1,
        "payout": 4,
        "loot_cards": ["ignore-injury", "reroll-die"],
        "objective": HARM,
    },
    "final": {
        "stages": [{"icons": {"mage": 2}}, {"icons": {"street_samurai": 3}}, {"icons": {"rigger": 2}}],
        "runners": crew(*SAMURAI_AND_MAGE, dermal_plating=(False, True)),
        "docwagon_tokens": 2,
        "final": True,
        "objective": {"completion": 2.0, "death": -0.3},
    },
    "safe or paid": {
        "stages": TWO_HARD_STAGES,
        "runners": crew(*SAMURAI_AND_MAGE, dermal_plating=(True, False)),
        "docwagon_tokens": 1,
        "objective": {"completion": 0.0, "payout": 0.5, "safe": 1.0},
    },
    "plates of any colour": {
        "stages": TWO_HARD_STAGES,
        "runners": crew(*SAMURAI_AND_MAGE, dermal_plating=(True, True)),
        "objective": HARM,
        "rules": {"plating_takes_any_colour": True},
    },
    "a little of everything": TWO_STAGES,
}
GRID = (
    {f"nine dice: {name}": data for name, data in NINE_DICE.items()}
    | {f"small: {name}": data for name, data in SMALL.items()}
    | {f"{name}-{number}": scenario(name, number) for name in RECIPES for number in range(EACH)}
)
SEEDS = (1, 2)


@cache
def solution_of(name):
    return solve(scenario_from_dict(GRID[name]))


def seed_of(name, seed):
    """Return a seed that no other cell has: scenarios with the same seed would share their dice."""
    return 1000 * list(GRID).index(name) + seed


@cache
def z_values(name, seed):
    """Return by name how many standard errors counts and sums are off; what is certain must be exact."""
    solution = solution_of(name)
    exact = solution.figures()
    ends = []
    counts = simulate(solution, ATTEMPTS, seed_of(name, seed), watch=ends.append)
    check_ends(solution, np.concatenate(ends))
    zs = {}

    def compare(what, count, mean, variance):
        if variance < CERTAIN:
            assert count == pytest.approx(ATTEMPTS * mean, abs=1e-6), what
        elif ATTEMPTS * variance >= LEAST_VARIANCE * max(1.0, mean):
            zs[what] = (count - ATTEMPTS * mean) / math.sqrt(ATTEMPTS * variance)

    for field in ("reached", "cleared", "condition", "injured_count", "dead_count"):
        for where, chance in np.ndenumerate(exact[field]):
            compare(" ".join(map(str, (field, *where))), counts[field][where], chance, chance * (1 - chance))
    for amount, mean in enumerate(exact.sums):
        if amount in (COMPLETED, PAID, SAFE):
            square = mean
        elif amount in (INJURIES, DEATHS):
            law = exact.injured_count if amount == INJURIES else exact.dead_count
            square = law @ np.arange(law.size) ** 2
        else:
            # Exact figures have no squares of nuyen and Loot; whether they are certain is told by the Stages.
            square = max(counts.products[amount, amount] / ATTEMPTS, mean**2 + 1e-9)
        compare(f"sum {amount}", counts.sums[amount], mean, square - mean**2)
    return zs


def check_ends(solution, states):
    """Check that every attempt ended as the rules allow."""
    scn = solution.tree.scn
    runners, stages = int(scn.n_runners), int(scn.n_stages)
    assert (states["phase"] == ENDED).all()
    condition = states["condition"][:, :runners]
    assert (states["condition"][:, runners:] == 0).all()
    assert ((condition >= UP) & (condition <= DEAD)).all()
    dice = scn.dice[:runners].sum(axis=1)
    assert (dice > 0).all()
    assert ((states["plates"] & ~np.uint8(scn.plates)) == 0).all()
    assert ((states["own_tokens"] & ~np.uint8(scn.own_tokens)) == 0).all()
    for left, first in (("tokens", scn.tokens), ("rerolls", scn.rerolls), ("cards", scn.cards)):
        assert ((states[left] >= 0) & (states[left] <= first)).all()
    rescued = condition == RESCUED
    no_own_token = rescued & ~np.array([int(scn.own_tokens) >> r & 1 for r in range(runners)], dtype=bool)
    spent = int(scn.tokens) - states["tokens"]
    up = (condition == UP).any(axis=1)
    assert (no_own_token.sum(axis=1) <= spent).all()
    assert (spent[up] <= rescued[up].sum(axis=1)).all()
    if scn.task:
        assert (condition <= INJURED).all()
    cleared, reached = states["cleared"], states["reached"]
    assert ((cleared & ~reached) == 0).all()
    assert (reached < 1 << stages).all()
    must = sum(1 << n for n in range(stages) if scn.loot[n] == 0)
    completed = states["completed"] == 1
    assert ((cleared[completed] & must) == must).all()
    for n in range(stages):
        before = (1 << n) - 1
        through = ((cleared & before) | ~np.uint8(must)) & before
        assert (through[(reached >> n & 1) == 1] == before).all(), "a Stage was begun before others were done"
    evacuated = states["cards"][:, EVACUATE] < scn.cards[EVACUATE]
    assert not completed[evacuated].any()


@pytest.mark.parametrize("name", GRID)
def test_counts_are_those_of_the_exact_figures(name):
    for seed in SEEDS:
        zs = z_values(name, seed)
        worst = max(zs, key=lambda what: abs(zs[what]), default=None)
        assert worst is None or abs(zs[worst]) <= MOST_Z, (worst, zs[worst])


def sample_of(what):
    """Return the z-values of one figure over all scenarios, none of them with dice of another."""
    cells = [z_values(name, seed) for name in GRID for seed in SEEDS]
    return np.array([zs[what] for zs in cells if what in zs])


@pytest.mark.parametrize(
    "what",
    [
        *(f"sum {amount}" for amount in (COMPLETED, NUYEN, LOOT, INJURIES, DEATHS, PAID, SAFE)),
        *("cleared 0", "reached 1", "condition 0 1", "condition 1 1", "condition 0 3", "injured_count 0"),
    ],
)
def test_z_values_are_like_a_sample_of_normals(what):
    sample = sample_of(what)
    assert sample.size >= 30, "or the test would see little"
    assert abs(sample.mean()) < 3.5 / math.sqrt(sample.size)
    assert abs(sample.std() - 1) < max(0.1, 3.3 / math.sqrt(2 * sample.size))
    assert kstest(sample, "norm").pvalue > ALPHA


def test_z_values_together_have_the_spread_of_normals():
    pooled = np.concatenate([list(z_values(name, seed).values()) for name in GRID for seed in SEEDS])
    assert pooled.size > 5000
    assert 0.9 < pooled.std() < 1.1
    assert abs(pooled.mean()) < 0.1


@pytest.mark.parametrize("name", ["nine dice: rerolls of both kinds", "nine dice: die cards", "everything-3"])
def test_batches_change_no_count(name, monkeypatch):
    solution, attempts = solution_of(name), 5_000
    whole = simulate(solution, attempts, 8)
    assert simulate(solution, attempts, 8).tobytes() == whole.tobytes()
    assert simulate(solution, attempts, 9).tobytes() != whole.tobytes()
    for batch in (1_000, 777, 5_000, 4_999):
        monkeypatch.setattr(module, "BATCH", batch)
        told, seen = [], []
        counts = simulate(solution, attempts, 8, lambda *done, told=told: told.append(done), seen.append)
        assert counts.tobytes() == whole.tobytes()
        sizes = [len(states) for states in seen]
        assert sizes[:-1] == [batch] * (len(sizes) - 1)
        assert told == [(done, attempts) for done in np.cumsum(sizes)]


def test_fewer_attempts_are_the_first_of_more():
    solution = solution_of("nine dice: free rerolls")
    few, more = [], []
    simulate(solution, 100, 8, watch=few.append)
    simulate(solution, 1_000, 8, watch=more.append)
    assert few[0].tobytes() == more[0][:100].tobytes()


@pytest.mark.nojit
def test_the_dice_are_those_that_rules_of_thumb_get():
    """A single die leaves nothing to decide."""
    lone = {"stages": [{"icons": {"mage": 1}}], "runners": [{"dice": {"mage": 1}}]}
    counts = simulate(solve(scenario_from_dict(lone)), 500, 11)
    for policy in POLICIES:
        assert play(lone, policy, 500, seed=11)[0].tobytes() == counts.tobytes()
    assert 0 < counts.sums[COMPLETED] < 500


@pytest.mark.parametrize("attempts", [0, -1, 10**9 + 1])
def test_too_few_or_many_attempts_are_refused(attempts):
    with pytest.raises(ss.SprawlsimError, match="attempts must be between 1 and 1000000000"):
        simulate(solution_of("everything-0"), attempts, 1)


def test_a_solution_without_figures_can_be_simulated():
    name = "nine dice: plate and tokens"
    bare = solve(scenario_from_dict(GRID[name]), figures=False)
    assert simulate(bare, 1_000, 3).tobytes() == simulate(solution_of(name), 1_000, 3).tobytes()


class Watched(module._Batch):
    """Attempts under way together that are looked at after every step."""

    def start(self, data):
        """Note the scenario as the twin has it."""
        self.case = twin.read(data)
        self.steps = {"decision": 0, "roll": 0, "reroll": 0}
        return self

    def look(self):
        """Check that every attempt stands at the node of its situation."""
        for state, node in zip(self.states, self.nodes, strict=True):
            assert node == self._tree.node_of(state), state

    def _choose_stage(self, stage):
        here = np.flatnonzero((self.states["phase"] == BETWEEN) & (self.states["stage"] == stage))
        before = [situation_of(self._scn, state) for state in self.states[here]]
        super()._choose_stage(stage)
        self.look()
        for s, state in zip(before, self.states[here], strict=True):
            assert situation_of(self._scn, state) in twin.between_moves(self.case, s).values()
            self.steps["decision"] += 1

    def _roll(self, stage, rolls_left):
        super()._roll(stage, rolls_left)
        self.look()

    def _use(self, stage, left, held, which, tables):
        for state in self.states[which]:
            assert state["phase"] == ROLLING
            assert not state["hand"].any()
            assert situation_of(self._scn, state, in_hand=True).rolls_left == state["rolls_left"] + 1
        self.tables, self.held = tables, held
        super()._use(stage, left, held, which, tables)

    def _apply(self, stage, which, table, lying):
        number = next(number for number, other in self.tables.items() if other is table)
        held, first = (self._tree.resources.held[n] for n in (number, self.held))
        before = self.states[which].copy()
        for state in before:
            kinds = len(state["cards"])
            assert state["cards"].tolist() == first[:kinds].tolist()
            assert state["rerolled"] == first[-1] + first[REROLL_DIE] - held[-1] - held[REROLL_DIE]
            # Rerolls that this roll took leave the hand only now.
            state["cards"], state["rerolls"] = held[:kinds], held[-1]
            self.steps["reroll"] += int(state["rerolled"])
        super()._apply(stage, which, table, lying)
        for was, now in zip(before, self.states[which], strict=True):
            s = situation_of(self._scn, was, in_hand=True)
            assert what_matters(situation_of(self._scn, now)) in results_that_matter(
                self.case, s, faces_of(was)
            )
            self.steps["roll"] += 1


def what_matters(s):
    """Leave out what best play does not keep count of: plates of who is down, tokens for nobody."""
    up = [condition == "up" for condition in s.condition]
    return s._replace(
        plates=tuple(np.logical_and(s.plates, up).tolist()),
        own_tokens=tuple(np.logical_and(s.own_tokens, up).tolist()),
        tokens=s.tokens * any(up),
    )


@cache
def results_that_matter(case, s, roll):
    """Return whatever the twin allows to make of a roll."""
    return set(map(what_matters, twin.legal_results(case, s, roll)))


WATCHED = [
    *(f"{name}-{number}" for name in RECIPES for number in (2, 3)),
    *(f"small: {name}" for name in SMALL),
    *(f"nine dice: {name}" for name in ("two reroll cards", "die cards", "ignore and evacuate", "task")),
]


def watched(name, attempts, seed):
    """Play some attempts and look at every step."""
    batch = Watched(solution_of(name), 0, attempts, module.stream_key(seed, "mission")).start(GRID[name])
    with np.errstate(over="ignore"):
        batch.play()
    return batch


@pytest.mark.parametrize("name", WATCHED)
def test_every_step_is_legal_and_leads_to_the_node_of_the_situation(name):
    batch = watched(name, 60, 5)
    counts = module.new_counts()
    module.count_all(batch._scn, batch.states, counts)
    assert counts[0].tobytes() == simulate(solution_of(name), 60, 5).tobytes()
    assert batch.steps["decision"] >= 60


@pytest.mark.nojit
def test_every_step_of_a_few_attempts_is_legal():
    assert watched("small: ignore and evacuate", 12, 6).steps["roll"] > 0


def test_rerolls_are_among_the_steps():
    names = ("small: rerolls", "free_rerolls-2", "reroll_cards-3", "nine dice: two reroll cards")
    assert sum(watched(name, 40, 5).steps["reroll"] for name in names) > 40


@pytest.mark.parametrize("name", ["nine dice: rerolls of both kinds", "nine dice: two reroll cards"])
def test_a_reroll_by_the_card_takes_one_die_up(name, monkeypatch):
    seen = {1: 0, 2: 0}

    def reroll(states, which, first, key, layouts, chosen, tools, how, plainly=module.reroll_dice):
        before = states[which].copy()
        plainly(states, which, first, key, layouts, chosen, tools, how)
        for was, now, by in zip(before, states[which], how, strict=True):
            moved = np.abs(np.array(faces_of(now)) - np.array(faces_of(was)))
            assert (moved.sum(axis=1) % 2 == 0).all(), "each colour has as many dice as before"
            if by == 0:
                assert was.tobytes() == now.tobytes()
                continue
            seen[int(by)] += 1
            assert by != 2 or moved.sum() in (0, 2)

    monkeypatch.setattr(module, "reroll_dice", reroll)
    simulate(solution_of(name), 400, 5)
    assert seen[2] > 20
    assert (seen[1] > 20) == (GRID[name].get("rerolls", 0) > 0)
