"""Monte Carlo: the same counts however they are reached, dice that are right, and exact agreement."""

import json
import math
import os
import subprocess
import sys
from math import factorial

import numpy as np
import pytest
import twin
from scipy.stats import chi2
from support import CompiledPolicy, arrays_of

from sprawlsim.jit import kernel
from sprawlsim.rng import stream_key, word
from sprawlsim.sprawlops.dice import CHUNK, FACES, FACES_START, MAX_ROLLED, throw
from sprawlsim.sprawlops.mission.arrays import MAX_STAGES, ROLLS_PER_STAGE, new_states
from sprawlsim.sprawlops.mission.attempt import (
    INJURIES_AT,
    MOST_REROLLS,
    SLOT_BITS,
    SUCCESSES,
    new_tools,
    settle,
    slot,
    throw_colour,
    throw_hand,
)
from sprawlsim.sprawlops.mission.blocks import new_memory, play_block, play_block_directly
from sprawlsim.sprawlops.mission.counts import COMPLETED, LOOT, NUYEN, PAID, SAFE, new_counts
from sprawlsim.sprawlops.mission.montecarlo import (
    BLOCK,
    MOST_ATTEMPTS,
    Simulation,
    play_attempts,
    play_until_precise,
)
from sprawlsim.sprawlops.mission.plays import TABLE
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.mission.rules import set_up
from sprawlsim.sprawlops.mission.scenario import scenario_from_dict
from sprawlsim.stats.intervals import proportion_sequence

ALL_POLICIES = sorted(POLICIES)

TWO_STAGES = {
    "stages": [
        {"icons": {"street_samurai": 2, "mage": 1}, "payout": 2},
        {"icons": {"decker": 2}, "loot": 1},
        {"icons": {"street_samurai": 1, "decker": 1}},
    ],
    "runners": [
        {"dice": {"street_samurai": 3, "decker": 1}, "dermal_plating": True},
        {"dice": {"street_samurai": 2, "mage": 2}, "docwagon_token": True},
    ],
    "docwagon_tokens": 1,
    "payout": 5,
    "loot_cards": ["success:mage", "die:decker", "ignore-injury", "reroll-die"],
    "rerolls": 1,
    "objective": {"nuyen": 0.05, "loot": 0.3, "injury": -0.2, "death": -0.6},
}
MANY_DICE = {
    "stages": [{"icons": {"mage": 4}}, {"icons": {"face": 3, "rigger": 3}}],
    "runners": [
        {"dice": {"street_samurai": 3, "decker": 3, "mage": 2, "rigger": 1}},
        {"dice": {"street_samurai": 3, "face": 3, "rigger": 3, "mage": 2}},
        {"dice": {"street_samurai": 3, "decker": 4, "face": 2}},
    ],
    "docwagon_tokens": 1,
}
"""Nine Samurai and seven Decker dice: more than one word per colour, and too many rolls to remember."""
BOTH = [pytest.param(TWO_STAGES, id="two runners"), pytest.param(MANY_DICE, id="many dice")]


def simulate(scenario, policy, attempts, seed=11, threads=1, directly=None, **more):
    """Return the counts of a simulation of so many attempts."""
    simulation = Simulation(scenario_from_dict(scenario), policy, seed, threads, **more)
    if directly is not None:
        simulation.plays_directly = directly
    play_attempts(simulation, attempts)
    assert simulation.attempts == attempts
    return simulation.counts


@pytest.mark.parametrize("policy", ALL_POLICIES)
@pytest.mark.parametrize("scenario", BOTH)
def test_threads_blocks_and_memory_change_no_count(scenario, policy):
    attempts = 30_011
    plain = simulate(scenario, policy, attempts)
    for threads in (1, 2):
        for block in (997, 4096):
            for directly in (False, True):
                counts = simulate(scenario, policy, attempts, threads=threads, block=block, directly=directly)
                assert counts.tobytes() == plain.tobytes(), (threads, block, directly)


def test_another_seed_changes_counts():
    first, second = (simulate(TWO_STAGES, "balanced", 20_000, seed=seed) for seed in (1, 2))
    assert first.tobytes() != second.tobytes()


def test_a_simulation_may_go_on_where_it_stopped():
    simulation = Simulation(scenario_from_dict(TWO_STAGES), "balanced", 11, 2, block=512)
    for until in (1, 5_000, 30_000):
        simulation.play(until)
        assert simulation.attempts == until
    assert simulation.counts.tobytes() == simulate(TWO_STAGES, "balanced", 30_000).tobytes()


def small_memory(nodes):
    """Return a memory with room for few situations."""
    whole = new_memory()
    return whole._replace(
        nodes=whole.nodes[:nodes],
        words=whole.words[:nodes],
        plans=whole.plans[:nodes],
        visits=whole.visits[:nodes],
    )


@pytest.mark.parametrize("policy", ALL_POLICIES)
@pytest.mark.parametrize("scenario", BOTH)
def test_a_memory_that_overflows_changes_no_count(scenario, policy):
    scn, number, key = arrays_of(scenario), POLICIES[policy], stream_key(5, "mission")
    first, attempts = 12_345, 4_000
    directly = new_counts()
    play_block_directly(scn, number, key, first, attempts, new_tools(), directly)
    roomy = new_memory()
    counts = new_counts()
    play_block(scn, number, key, first, attempts, new_tools(), roomy, counts)
    assert counts.tobytes() == directly.tobytes()
    for nodes in (24, 60):
        assert roomy.used[0] > nodes + 20, "or it would not overflow"
        tight = small_memory(nodes)
        counts = new_counts()
        for start in range(first, first + attempts, 1000):
            play_block(scn, number, key, start, 1000, new_tools(), tight, counts)
        assert counts.tobytes() == directly.tobytes()


WITHOUT_JIT = """
import json, sys
from test_montecarlo import simulate
assert not hasattr(simulate.__globals__["word"], "py_func"), "this should be plain Python"
for scenario, policy, attempts, directly in json.load(sys.stdin):
    print(simulate(scenario, policy, attempts, directly=directly).tobytes().hex())
"""


def test_counts_are_the_same_without_the_jit():
    cases = [(TWO_STAGES, policy, 300, False) for policy in ALL_POLICIES]
    cases += [(TWO_STAGES, "balanced", 60, True), (MANY_DICE, "icons-first", 60, True)]
    cases += [(MANY_DICE, "cancel-first", 60, False)]
    folder = os.path.dirname(__file__)
    root = os.path.dirname(folder)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT_JIT],
        input=json.dumps(cases),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join((root, folder))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    compiled = [
        simulate(scenario, policy, attempts, directly=directly).tobytes().hex()
        for scenario, policy, attempts, directly in cases
    ]
    assert done.stdout.split() == compiled


@pytest.mark.nojit
def test_threads_blocks_and_memory_change_no_count_of_a_few_attempts():
    plain = simulate(TWO_STAGES, "balanced", 60)
    for threads, block, directly in ((2, 60, False), (2, 7, True), (1, 16, False)):
        counts = simulate(TWO_STAGES, "balanced", 60, threads=threads, block=block, directly=directly)
        assert counts.tobytes() == plain.tobytes()


WORDS_OF_A_THROW = 3 * -(-MAX_ROLLED // CHUNK)
GAMMA, MIX_1, MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""Of SplitMix64, as published."""


def slots():
    """Return the slot of every throw that an attempt can make."""
    state = new_states(1)[0]
    found = {}
    for state.stage in range(MAX_STAGES):
        for state.rolls_left in range(ROLLS_PER_STAGE):
            for state.rerolled in range(MOST_REROLLS + 1):
                where = int(state.stage), int(state.rolls_left), int(state.rerolled)
                found[where] = int(slot(state))
    return found


def words(key, counters):
    """Return the words of many counters."""
    return getattr(word, "py_func", word)(key, counters)


def undo_shift(z, by):
    """Return the x of which z is ``x ^ (x >> by)``."""
    x = z
    for _ in range(64 // int(by)):
        x = z ^ (x >> by)
    return x


def counters_of(key, values):
    """Return the counters that have these words: every step of SplitMix64 undone."""

    def inverse(number):
        return np.uint64(pow(number, -1, 2**64))

    z = undo_shift(values, np.uint64(31)) * inverse(MIX_2)
    z = undo_shift(z, np.uint64(27)) * inverse(MIX_1)
    z = undo_shift(z, np.uint64(30))
    return (z - key) * inverse(GAMMA) - np.uint64(1)


@pytest.mark.nojit
def test_every_throw_of_an_attempt_has_words_of_its_own():
    found = list(slots().values())
    counters = {number + which for number in found for which in range(WORDS_OF_A_THROW)}
    assert len(counters) == MAX_STAGES * ROLLS_PER_STAGE * (MOST_REROLLS + 1) * WORDS_OF_A_THROW
    assert min(counters) >= 0
    assert max(counters) < 1 << int(SLOT_BITS)
    assert MOST_ATTEMPTS << int(SLOT_BITS) < 1 << 64


@pytest.mark.nojit
def test_words_have_an_inverse_so_that_no_two_are_equal():
    attempts = np.r_[np.arange(200), MOST_ATTEMPTS - 1 - np.arange(100)].astype(np.uint64)
    within = np.array([number + which for number in slots().values() for which in range(WORDS_OF_A_THROW)])
    counters = ((attempts[:, None] << SLOT_BITS) + within.astype(np.uint64)).ravel()
    assert counters.size > 1_000_000
    assert np.unique(counters).size == counters.size
    key = stream_key(7, "mission")
    values = words(key, counters)
    assert (counters_of(key, values) == counters).all()
    assert np.unique(values).size == counters.size


def test_compiled_words_are_those_words():
    key = stream_key(3, "mission")
    counters = np.array([0, 1, 12_345, 2**63, 2**64 - 1], dtype=np.uint64)
    assert [int(word(key, counter)) for counter in counters] == words(key, counters).tolist()


@pytest.mark.nojit
def test_seeds_and_purposes_have_streams_of_their_own():
    keys = {int(stream_key(seed, purpose)) for seed in range(200) for purpose in ("mission", "game", "g", "")}
    assert len(keys) == 800


def first_rolls(scenario, attempts, seed=4):
    """Return (successes, injuries) by colour of the first roll of each attempt, certain ones included."""
    scn, tools, key = arrays_of(scenario), new_tools(), stream_key(seed, "mission")
    table = tools.work.at[TABLE]
    shown = []
    for attempt in range(attempts):
        set_up(scn, table)
        settle(scn, tools.work, POLICIES["icons-first"], tools.outlook)
        with np.errstate(over="ignore"):
            throw_hand(table, key, np.uint64(attempt), tools)
        shown.append((table.successes.copy(), table.injuries.copy()))
    return np.array(shown)


@pytest.mark.nojit
def test_another_mission_shows_the_same_team_the_same_first_roll():
    one_mission = TWO_STAGES | {"loot_cards": []}
    other = one_mission | {"stages": [{"icons": {"decker": 3}, "payout": 9}], "payout": 1}
    assert (first_rolls(one_mission, 40) == first_rolls(other, 40)).all()
    assert (first_rolls(one_mission, 40) != first_rolls(one_mission, 40, seed=5)).any()


@pytest.mark.parametrize("dice", [*range(1, 4), *range(5, 17)])
def test_one_die_more_leaves_the_faces_of_the_others(dice):
    def with_samurai(count):
        runners = [{"dice": {"street_samurai": count, "mage": 3, "face": 5}}]
        return {"stages": [{"icons": {"mage": 3}}], "runners": runners}

    fewer, more = (first_rolls(with_samurai(count), 300) for count in (dice, dice + 1))
    assert (fewer[:, :, 1:] == more[:, :, 1:]).all()
    added = more[:, :, 0] - fewer[:, :, 0]
    assert set(map(tuple, added.tolist())) == {(0, 0), (1, 0), (0, 1)}


@pytest.mark.nojit
def test_the_digits_of_fewer_dice_are_the_first_of_more():
    bits = words(stream_key(9, "mission"), np.arange(1000, dtype=np.uint64)) >> np.uint64(32)
    for dice in range(1, CHUNK):
        for word_bits in bits.tolist():
            spelled, longer = (word_bits * 6**n >> 32 for n in (dice, dice + 1))
            assert longer // 6 == spelled
            packed, longer_packed = (
                int(throw(np.uint64(word_bits), n, FACES, FACES_START)) for n in (dice, dice + 1)
            )
            assert longer_packed - packed in (0, 1, 16)


@kernel
def tally(key, first, throws, colour, dice, other, other_dice, tools, table):
    """Count how often two colours show which (successes, injuries)."""
    for number in range(first, first + throws):
        counter = np.uint64(number) << SLOT_BITS
        one = throw_colour(key, counter, colour, dice, tools)
        two = throw_colour(key, counter, other, other_dice, tools)
        table[one & SUCCESSES, one >> INJURIES_AT, two & SUCCESSES, two >> INJURIES_AT] += 1


def multinomial(dice):
    """Return the chance of (successes, injuries) of so many dice."""
    law = np.zeros((dice + 1, dice + 1))
    for successes in range(dice + 1):
        for injuries in range(dice + 1 - successes):
            blank = dice - successes - injuries
            ways = factorial(dice) // (factorial(successes) * factorial(injuries) * factorial(blank))
            law[successes, injuries] = ways * (2 / 6) ** successes * (1 / 6) ** injuries * (3 / 6) ** blank
    return law


def p_value(seen, law):
    """Return the chi-square test's p-value; rare results are taken together."""
    expected = law.ravel() * seen.sum()
    seen = seen.ravel()
    assert seen[expected == 0].sum() == 0
    rare = (expected < 10) & (expected > 0)
    common = expected >= 10
    cells = list(zip(seen[common], expected[common], strict=True))
    if expected[rare].sum() >= 1:
        cells.append((seen[rare].sum(), expected[rare].sum()))
    statistic = sum((count - wanted) ** 2 / wanted for count, wanted in cells)
    return chi2.sf(statistic, len(cells) - 1)


@pytest.mark.parametrize("colour", [0, 3, 4])
@pytest.mark.parametrize("dice", range(1, 9))
def test_faces_of_a_colour_are_multinomial(dice, colour):
    throws = 1_000_000 // dice + 1
    seen = np.zeros((16, 16, 16, 16), dtype=np.int64)
    tally(stream_key(21, "mission"), 0, throws, colour, dice, colour, 0, new_tools(), seen)
    seen = seen.sum(axis=(2, 3))[: dice + 1, : dice + 1]
    assert seen.sum() == throws
    assert p_value(seen, multinomial(dice)) > 1e-4
    # A third of the dice are successes, a sixth injuries; two tests of one number, each at 5 sigma.
    for face, chance in ((seen.sum(axis=1), 1 / 3), (seen.sum(axis=0), 1 / 6)):
        count = int(face @ np.arange(dice + 1))
        total = throws * dice
        assert abs(count - total * chance) < 5 * math.sqrt(total * chance * (1 - chance))


@pytest.mark.parametrize(("colour", "other"), [(0, 1), (2, 3), (0, 2), (1, 4), (0, 4)])
@pytest.mark.parametrize(("dice", "other_dice"), [(2, 2), (3, 4), (6, 1), (8, 3)])
def test_colours_are_independent(colour, other, dice, other_dice):
    seen = np.zeros((16, 16, 16, 16), dtype=np.int64)
    tally(stream_key(22, "mission"), 0, 400_000, colour, dice, other, other_dice, new_tools(), seen)
    seen = seen[: dice + 1, : dice + 1, : other_dice + 1, : other_dice + 1]
    law = np.multiply.outer(multinomial(dice), multinomial(other_dice))
    assert p_value(seen, law) > 1e-4


@pytest.mark.parametrize("precision", [0.01, 0.001])
def test_play_goes_on_until_the_interval_is_as_narrow_as_asked(precision):
    simulations = [
        Simulation(scenario_from_dict(TWO_STAGES), "balanced", 8, threads, block=block)
        for threads, block in ((1, BLOCK), (2, BLOCK), (2, 5_000))
    ]
    for simulation in simulations:
        play_until_precise(simulation, precision)
    first = simulations[0]
    for simulation in simulations[1:]:
        assert simulation.counts.tobytes() == first.counts.tobytes()
    completed = int(first.counts["sums"][0][COMPLETED])
    assert proportion_sequence(completed, first.attempts).half_width <= precision
    assert simulate(TWO_STAGES, "balanced", first.attempts, seed=8).tobytes() == first.counts.tobytes()


class Watched(Simulation):
    """A simulation that notes the half-width at every look."""

    def play(self, *args, **more):
        super().play(*args, **more)
        completed = int(self.counts["sums"][0][COMPLETED])
        self.looks = [*getattr(self, "looks", []), proportion_sequence(completed, self.attempts).half_width]


def test_play_stops_at_the_first_look_that_is_precise_enough():
    simulation = Watched(scenario_from_dict(TWO_STAGES), "balanced", 8, 2)
    play_until_precise(simulation, 0.0008)
    assert len(simulation.looks) > 2
    assert [width <= 0.0008 for width in simulation.looks] == [False] * (len(simulation.looks) - 1) + [True]


def one(dice, icons, **more):
    """Return a scenario of one runner and one Stage."""
    return {"stages": [{"icons": icons}], "runners": [{"dice": dice}], **more}


def two(first, second, icons, **more):
    """Return a scenario of two runners and one Stage."""
    return {"stages": [{"icons": icons}], "runners": [{"dice": first}, {"dice": second}], **more}


HARM = {"objective": {"injury": -0.2, "death": -0.6}}
SMALL = {
    "two colours": one({"street_samurai": 2, "rigger": 2}, {"street_samurai": 2, "rigger": 1}),
    "veterans": one({"street_samurai": 6}, {"street_samurai": 3, "mage": 1}, **HARM),
    "veterans no more": two({"decker": 3}, {"decker": 2, "mage": 1}, {"decker": 3, "mage": 1}),
    "plate and token": {
        "stages": [{"icons": {"mage": 2}}],
        "runners": [{"dice": {"mage": 2}, "dermal_plating": True}, {"dice": {"mage": 1, "face": 1}}],
        "docwagon_tokens": 1,
    },
    "own token": {
        "stages": [{"icons": {"mage": 1, "face": 1}}],
        "runners": [{"dice": {"mage": 2}, "docwagon_token": True}, {"dice": {"face": 2}}],
        "docwagon_tokens": 1,
        **HARM,
    },
    "three runners": {
        "stages": [{"icons": {"street_samurai": 2, "decker": 1}}],
        "runners": [{"dice": {c: 1, "decker": 1}} for c in ("street_samurai", "mage", "street_samurai")],
        **HARM,
    },
    "optional Stage between": {
        "stages": [
            {"icons": {"decker": 1}, "payout": 2},
            {"icons": {"decker": 2}, "loot": 1},
            {"icons": {"decker": 1}},
        ],
        "runners": [{"dice": {"decker": 3}, "dermal_plating": True}],
        "payout": 3,
        "objective": {"nuyen": 0.1, "loot": 0.4, "injury": -0.1, "death": -0.3},
    },
    "optional Stage last": {
        "stages": [{"icons": {"rigger": 1}}, {"icons": {"rigger": 1}, "loot": 2, "payout": 1}],
        "runners": [{"dice": {"rigger": 2}}, {"dice": {"rigger": 1}}],
        "payout": 4,
        "objective": {"loot": 0.3},
    },
    "success cards": one(
        {"decker": 3}, {"mage": 2}, loot_cards=["success:mage", "success:decker", "success:decker"]
    ),
    "die cards": two(
        {"street_samurai": 2},
        {"street_samurai": 2},
        {"street_samurai": 3, "mage": 1},
        loot_cards=["die:street_samurai", "die:mage"],
    ),
    "ignore and evacuate": two(
        {"face": 2}, {"face": 1, "mage": 1}, {"face": 3}, loot_cards=["ignore-injury", "evacuate"], **HARM
    ),
    "rerolls": one({"mage": 2, "face": 1}, {"mage": 2}, rerolls=1, loot_cards=["reroll-die"], **HARM),
    "task": one(
        {"street_samurai": 2, "decker": 1},
        {"street_samurai": 1, "decker": 2},
        task=True,
        rerolls=1,
        payout=4,
        loot_cards=["reroll-die"],
    ),
    "perks": {
        "stages": [{"icons": {"face": 9}, "payout": 1}, {"icons": {"face": 2}}, {"icons": {"mage": 9}}],
        "runners": [{"dice": {"face": 2}}, {"dice": {"mage": 1}}],
        "payout": 2,
        "clears_first_stage": True,
        "loot_for_first_stage": True,
        "clears_last_stage": True,
        "objective": {"nuyen": 0.1, "injury": -0.2, "death": -0.5},
    },
    "decker perk": {
        "stages": [{"icons": {"face": 1}, "loot": 1}, {"icons": {"face": 1}}],
        "runners": [{"dice": {"face": 3}}],
        "loot_for_first_stage": True,
        "objective": {"loot": 0.3, "injury": -0.1},
    },
}
ATTEMPTS = 400_000
MOST_Z = 4.5


def z_of_count(count, attempts, chance):
    """Return how many standard errors a count is from what it should be; certain things must be exact."""
    if chance in (0, 1):
        assert count == chance * attempts
        return 0.0
    return float((count - chance * attempts) / math.sqrt(attempts * chance * (1 - chance)))


def z_of_mean(total, attempts, law, amount):
    """Return the same for a sum of amounts."""
    mean = sum(chance * amount(s) for s, chance in law.items())
    variance = sum(chance * amount(s) ** 2 for s, chance in law.items()) - mean**2
    if variance == 0:
        assert total == mean * attempts
        return 0.0
    return float((total - mean * attempts) / math.sqrt(attempts * variance))


def z_values(scenario, counts, law):
    """Return the z-values of everything that is counted, against an exact distribution."""
    counts, n = counts[0], int(counts["attempts"][0])
    shown = twin.figures(scenario, law)
    zs = {"completed": z_of_count(int(counts.sums[COMPLETED]), n, shown["completed"])}
    for stage, exact in enumerate(shown["stages"]):
        for key in ("reached", "cleared"):
            zs[f"stage {stage} {key}"] = z_of_count(int(counts[key][stage]), n, exact[key])
    for runner, exact in enumerate(shown["runners"]):
        for number, fate in enumerate(twin.FATES, 1):
            zs[f"runner {runner} {fate}"] = z_of_count(int(counts.condition[runner, number]), n, exact[fate])
    for key in ("injured_count", "dead_count"):
        for number, chance in enumerate(shown[key]):
            zs[f"{key} {number}"] = z_of_count(int(counts[key][number]), n, chance)
    for key, amount, holds in (
        ("paid", PAID, lambda s: twin.paid(scenario, s)),
        ("safe", SAFE, lambda s: s.completed and "dead" not in s.condition),
    ):
        chance = sum(share for s, share in law.items() if holds(s))
        zs[key] = z_of_count(int(counts.sums[amount]), n, chance)
    zs["nuyen"] = z_of_mean(int(counts.sums[NUYEN]), n, law, lambda s: s.nuyen)
    zs["loot"] = z_of_mean(int(counts.sums[LOOT]), n, law, lambda s: s.loot)
    return zs


@pytest.mark.parametrize("policy", ALL_POLICIES)
@pytest.mark.parametrize("name", SMALL)
def test_counts_agree_with_exact_probabilities(name, policy):
    scenario = SMALL[name]
    law = twin.policy_distribution(scenario, CompiledPolicy(scenario, policy))
    assert sum(law.values()) == 1
    zs = z_values(scenario, simulate(scenario, policy, ATTEMPTS, seed=31, threads=2), law)
    worst = max(zs, key=lambda key: abs(zs[key]))
    assert abs(zs[worst]) <= MOST_Z, (worst, zs[worst])
