"""Exact figures of the rules of thumb: against the twin, icepool, hand calculation and Monte Carlo."""

import math
from collections import Counter
from fractions import Fraction
from itertools import cycle

import icepool
import numpy as np
import pytest
import twin
from random_scenarios import RECIPES, scenario
from support import CompiledPolicy
from test_montecarlo import ALL_POLICIES, MANY_DICE, SMALL, TWO_STAGES, simulate

import sprawlsim as ss
from sprawlsim.sprawlops.mission import evaluate as module
from sprawlsim.sprawlops.mission.counts import AMOUNTS, COMPLETED, DEATHS, INJURIES, LOOT, NUYEN, PAID, SAFE
from sprawlsim.sprawlops.mission.evaluate import DECIDED, evaluate
from sprawlsim.sprawlops.mission.scenario import scenario_from_dict
from sprawlsim.sprawlops.mission.setup import set_up_attempt

TOLERANCE = 1e-11
MASS_TOLERANCE = 1e-12
MOST_Z = 4


def figures_of(data, policy):
    """Return the figures of a scenario given as data."""
    figures = evaluate(scenario_from_dict(data), policy)
    assert figures is not None
    return figures


def amounts_of(data, s):
    """Return what an objective weighs of an ended situation of the twin."""
    dead = s.condition.count("dead")
    paying = [n for n, stage in enumerate(data["stages"]) if stage.get("payout", 0)]
    paid = paying[-1] in s.cleared if paying else s.completed and data.get("payout", 0) > 0
    return {
        COMPLETED: int(s.completed),
        NUYEN: Fraction(s.nuyen),
        LOOT: s.loot,
        INJURIES: sum(condition in ("injured", "rescued") for condition in s.condition),
        DEATHS: dead,
        PAID: int(paid),
        SAFE: int(s.completed and not dead),
    }


def expected_figures(data, law):
    """Return every number of a record of figures by name, from the twin's distribution of ends."""
    shown = twin.figures(data, law)
    numbers = {"attempts": sum(law.values())}
    for n, stage in enumerate(shown["stages"]):
        numbers |= {f"{key} {n}": stage[key] for key in ("reached", "cleared")}
    for n, runner in enumerate(shown["runners"]):
        fates = [runner[fate] for fate in twin.FATES]
        numbers |= {f"condition {n} {k}": chance for k, chance in enumerate([1 - sum(fates), *fates])}
    for key in ("injured_count", "dead_count"):
        numbers |= {f"{key} {n}": chance for n, chance in enumerate(shown[key])}
    amounts = [amounts_of(data, s) for s in law]
    for a in range(AMOUNTS):
        numbers[f"sums {a}"] = sum(p * each[a] for p, each in zip(law.values(), amounts, strict=True))
        for b in range(AMOUNTS):
            products = [p * each[a] * each[b] for p, each in zip(law.values(), amounts, strict=True)]
            numbers[f"products {a} {b}"] = sum(products)
    return numbers


def numbers_of(figures):
    """Return every number of a record of figures, or of counts, by name."""
    numbers = {}
    for name in figures.dtype.names:
        for where, number in np.ndenumerate(figures[name]):
            numbers[" ".join(map(str, (name, *where)))] = number
    return numbers


def check_against_twin(data, policy):
    law = twin.policy_distribution(data, CompiledPolicy(data, policy))
    expected = expected_figures(data, law)
    for name, number in numbers_of(figures_of(data, policy)).items():
        assert number == pytest.approx(float(expected.get(name, 0)), rel=0, abs=TOLERANCE), name


@pytest.mark.parametrize("policy", ALL_POLICIES)
@pytest.mark.parametrize("name", SMALL)
def test_every_figure_agrees_with_the_twin(name, policy):
    check_against_twin(SMALL[name], policy)


@pytest.mark.parametrize(("name", "policy"), [*zip(RECIPES, cycle(ALL_POLICIES), strict=False)])
def test_every_figure_of_a_random_scenario_agrees_with_the_twin(name, policy):
    check_against_twin(scenario(name, 0), policy)


@pytest.mark.nojit
@pytest.mark.parametrize("policy", ALL_POLICIES)
@pytest.mark.parametrize("name", ["success cards", "decker perk", "optional Stage last"])
def test_figures_of_a_few_rolls_agree_with_the_twin(name, policy):
    check_against_twin(SMALL[name], policy)


def lone_mage(*stages, **more):
    """Return a scenario of one runner with one die."""
    return {"stages": [{"icons": {"mage": n}} for n in stages], "runners": [{"dice": {"mage": 1}}], **more}


BY_HAND = {
    # Two successes before an injury: SS, S-S, -SS. First roll, then with one or two icons left, twice.
    "one Stage": (lone_mage(2), Fraction(1, 9) + 2 * Fraction(1, 2) * Fraction(1, 9), 3 + 2 * 3 + 2 * 3),
    # Each Stage by its first, second or third roll; the second begins the same after any of these.
    "two Stages": (lone_mage(1, 1), Fraction(7, 12) ** 2, 3 * 3 + 3 * 3),
    # The last roll's injury and blank are both rerolled, to the same one die in hand.
    "reroll": (
        lone_mage(1, rerolls=1),
        Fraction(1, 3) * (1 + Fraction(1, 2) + Fraction(1, 4) * (1 + Fraction(2, 3))),
        3 + 3 + 3 + 3,
    ),
    "no roll": (lone_mage(9, clears_first_stage=True), 1, 0),
}
"""Scenario, chance of completing it playing icons-first, and rolls to decide on."""


def rolls_decided(data, most_rolls, monkeypatch):
    """Return how many rolls were decided on, and whether that was enough."""
    seen = []

    def watched(*args, go_on=module.go_on):
        seen.append(args[4].progress)
        return go_on(*args)

    with monkeypatch.context() as patch:
        patch.setattr(module, "go_on", watched)
        figures = evaluate(scenario_from_dict(data), "icons-first", most_rolls)
    return int(seen[-1][DECIDED]), figures is not None


@pytest.mark.nojit
@pytest.mark.parametrize("name", BY_HAND)
def test_small_cases_are_as_by_hand(name):
    data, completed, _ = BY_HAND[name]
    figures = figures_of(data, "icons-first")
    assert figures.sums[COMPLETED] == pytest.approx(float(completed), rel=0, abs=1e-15)


@pytest.mark.nojit
@pytest.mark.parametrize("name", BY_HAND)
def test_a_situation_is_decided_on_once_however_it_was_reached(name, monkeypatch):
    data, _, rolls = BY_HAND[name]
    assert rolls_decided(data, None, monkeypatch) == (rolls, True)


@pytest.mark.nojit
@pytest.mark.parametrize("name", BY_HAND)
def test_too_many_rolls_are_seen_before_they_are_decided_on(name, monkeypatch):
    data, _, rolls = BY_HAND[name]
    assert rolls_decided(data, rolls, monkeypatch) == (rolls, True)
    for most in range(rolls):
        decided, enough = rolls_decided(data, most, monkeypatch)
        assert decided <= most
        assert not enough


def test_a_pool_with_too_many_faces_is_given_up_at_once(monkeypatch):
    first_roll = math.prod(
        math.comb(dice + 2, 2) for dice in (7, 5, 4, 4, 3)
    )  # two of 9, 7 and 5 are set aside
    assert rolls_decided(MANY_DICE, first_roll - 1, monkeypatch) == (0, False)


@pytest.mark.nojit
def test_small_stores_and_pauses_change_no_figure(monkeypatch):
    """Compiled code keeps the pauses that it was compiled with."""
    data = SMALL["optional Stage last"] | {"rerolls": 1, "loot_cards": ["reroll-die"]}
    plain = figures_of(data, "icons-first")
    monkeypatch.setattr(module, "FIRST_ROOM", 2)
    monkeypatch.setattr(module, "STRETCH", 2)
    assert figures_of(data, "icons-first").tobytes() == plain.tobytes()


@pytest.mark.parametrize("policy", ALL_POLICIES)
def test_stores_that_grow_change_no_figure(policy, monkeypatch):
    plain = figures_of(TWO_STAGES, policy)
    monkeypatch.setattr(module, "FIRST_ROOM", 2)
    assert figures_of(TWO_STAGES, policy).tobytes() == plain.tobytes()


SIXTEEN_DICE = {
    "stages": [{"icons": {"decker": 3, "mage": 3}, "payout": 1}, {"icons": {"rigger": 2, "mage": 2}}],
    "runners": [{"dice": {"decker": 4, "rigger": 4}, "dermal_plating": True}, {"dice": {"mage": 8}}],
    "docwagon_tokens": 1,
    "rerolls": 1,
}


@pytest.mark.parametrize("policy", ALL_POLICIES)
def test_probabilities_of_many_rolls_add_up_to_one(policy):
    cards = ss.load_cards("stand-in")
    starting = set_up_attempt(cards.mission("make some noise"), cards.team("Tamsynn, Lazar"))
    for attempt in (starting, scenario_from_dict(SIXTEEN_DICE)):
        figures = evaluate(attempt, policy)
        runners = len(attempt.runners)
        assert abs(figures.attempts - 1) <= MASS_TOLERANCE
        for chances in (figures.injured_count, figures.dead_count, *figures.condition[:runners]):
            assert abs(math.fsum(chances) - 1) <= MASS_TOLERANCE
        assert figures.sums[COMPLETED] == pytest.approx(figures.cleared[len(attempt.stages) - 1], abs=1e-14)


def harmless(icons, cards, hand="face"):
    """Return a scenario whose dice are Loot of colours that no runner has: injuries without effect (M14).

    The runner's own die hurts at most once a roll, which a card ignores each time.
    """
    loot = [f"die:{colour}" for colour, count in cards.items() for _ in range(count)]
    return {
        "stages": [{"icons": icons}],
        "runners": [{"dice": {hand: 1}}],
        "loot_cards": [*loot, *["ignore-injury"] * 3],
    }


def chance_to_clear(icons, dice):
    """Return the chance that three rolls of these dice clear a Stage, by icepool.

    Own icons first; then pairs, each on the icon left with fewest dice, most icons, first role.
    """
    dice = [dice.get(colour, 0) for colour in twin.COLOURS]
    success = icepool.Die({1: 2, 0: 4})
    faces = [(n - 2) @ success + 1 if n >= 5 else n @ success for n in dice]

    def use(left, *successes):
        if not any(left):
            return left
        spare = [max(0, won - wanted) for won, wanted in zip(successes, left, strict=True)]
        left = [max(0, wanted - won) for won, wanted in zip(successes, left, strict=True)]
        for _ in range(sum(n // 2 for n in spare)):
            wanted = [c for c in range(5) if left[c]]
            if wanted:
                left[min(wanted, key=lambda c: (dice[c], -left[c], c))] -= 1
        return tuple(left)

    left = icepool.Die([tuple(icons.get(colour, 0) for colour in twin.COLOURS)])
    for _ in range(3):
        left = icepool.map(use, left, *faces)
    return left.probability((0, 0, 0, 0, 0))


HARMLESS = {
    "one colour": harmless({"mage": 2}, {"mage": 3}),
    "mostly by pairs": harmless({"mage": 2, "decker": 1}, {"decker": 4}),
    "veterans": harmless({"mage": 5}, {"mage": 6}),
    "as many dice as a pool may hold": harmless({"decker": 15, "mage": 3}, {"decker": 17}),
    "the runner's colour": harmless({"mage": 2, "face": 1}, {"mage": 3}),
    "two colours": harmless({"mage": 2, "decker": 2}, {"mage": 3, "decker": 2}),
    "two colours of veterans": harmless({"mage": 5, "rigger": 4}, {"mage": 7, "rigger": 5}),
    "two colours and one without dice": harmless(
        {"mage": 2, "rigger": 2, "face": 1}, {"mage": 4, "rigger": 4}, "decker"
    ),
    "three colours": harmless({"mage": 2, "decker": 2, "rigger": 1}, {"mage": 3, "decker": 2, "rigger": 2}),
    "three colours with veterans": harmless(
        {"street_samurai": 3, "decker": 2, "rigger": 3}, {"street_samurai": 6, "decker": 2, "rigger": 5}
    ),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_dice_that_hurt_nobody_clear_as_icepool_says(name):
    data = HARMLESS[name]
    icons = data["stages"][0]["icons"]
    dice = Counter(card.split(":")[1] for card in data["loot_cards"] if card.startswith("die:"))
    dice.update(data["runners"][0]["dice"])
    figures = figures_of(data, "icons-first")
    assert figures.sums[INJURIES] == figures.sums[DEATHS] == 0
    assert figures.sums[COMPLETED] == pytest.approx(chance_to_clear(icons, dice), rel=0, abs=1e-10)


def z_values(counts, figures):
    """Return how many standard errors counts and sums are off; what is certain must be exact."""
    n = int(counts.attempts)
    exact = numbers_of(figures)
    zs = {}
    for name, count in numbers_of(counts).items():
        mean, kind = exact[name], name.split()[0]
        if kind == "products":
            continue
        a = int(name.split()[1]) if kind == "sums" else 0
        square = figures.products[a, a] if kind == "sums" else mean
        variance = square - mean**2
        if variance < MASS_TOLERANCE:
            assert count == round(n * mean), name
        else:
            zs[name] = (count - n * mean) / math.sqrt(n * variance)
    return zs


@pytest.mark.parametrize("policy", ALL_POLICIES)
def test_monte_carlo_estimates_the_same_figures(policy):
    counts = simulate(TWO_STAGES, policy, 400_000, seed=41, threads=2)[0]
    zs = z_values(counts, figures_of(TWO_STAGES, policy))
    assert {f"sums {amount}" for amount in (COMPLETED, NUYEN, LOOT, INJURIES)} <= set(zs)
    worst = max(zs, key=lambda name: abs(zs[name]))
    assert abs(zs[worst]) < MOST_Z, (worst, zs[worst])
