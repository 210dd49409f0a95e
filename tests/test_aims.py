"""Aims: which objective each is, what harm costs by the cards, and that best play reaches what it should."""

import math
import random
from fractions import Fraction

import msgspec
import numpy as np
import pytest
import twin
from random_scenarios import scenario
from support import CompiledPolicy

import sprawlsim as ss
from sprawlsim.sprawlops.mission.aims import AIMS, PRICES, aim_text, default_prices, objective_for
from sprawlsim.sprawlops.mission.ask import Effort, scenario_odds
from sprawlsim.sprawlops.mission.counts import COMPLETED, PAID, SAFE
from sprawlsim.sprawlops.mission.exact import solve
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.mission.scenario import Objective, scenario_from_dict

TOLERANCE = 1e-10
MOST_Z = 4
ALL_POLICIES = sorted(POLICIES)

TEAMS = {
    # Loans 2 + 2 + 1 and 3 + 1 for a round; bought for 0 + 5 (the Gear stays) and 8.
    "Tamsynn + Renraku Tsurugi Cyberdeck + Datajack, Lazar + Chrysler-Nissan Jackrabbit": (
        Fraction(5 + 4, 2),
        Fraction(5 + 8, 2),
    ),
    # Loans 2 + 1 + 1, 3 + 1 + 1, 3; bought for 5, 8 + 5, 8.
    "Steady Samurai + Dermal Plating + Balanced Blade, Lazar + Jackrabbit + Commlink(rigger), Corium": (
        Fraction(4 + 5 + 3, 3),
        Fraction(5 + 13 + 8, 3),
    ),
    "Tamsynn": (Fraction(2), Fraction(0)),
}
"""What a round of a runner is lent for, and what is lost with a dead one, on the average of the team."""


@pytest.fixture(scope="module")
def cards():
    return ss.load_cards("stand-in")


def test_each_aim_weighs_what_it_is_named_for(cards):
    assert objective_for("complete") == Objective()
    assert objective_for("payout") == Objective(completion=0.0, payout=1.0)
    assert objective_for("safe") == Objective(completion=0.0, safe=1.0)
    priced = objective_for("nuyen", prices={"injury": 2, "death": 9.5})
    assert priced == Objective(completion=0.0, nuyen=1.0, loot=5.0, injury=-2.0, death=-9.5)
    for aim in set(AIMS) - {"nuyen"}:
        assert objective_for(aim, cards.team("Tamsynn")) == objective_for(aim)


@pytest.mark.parametrize("text", TEAMS)
def test_harm_costs_the_loan_of_a_round_and_death_the_cards_too(cards, text):
    round_, lost = TEAMS[text]
    prices = default_prices(cards.team(text))
    assert list(prices) == list(PRICES)
    assert prices["injury"] == pytest.approx(float(round_), abs=0.005)
    assert prices["death"] == pytest.approx(float(round_ + lost), abs=0.005)
    assert prices["loot"] == 5
    objective = objective_for("nuyen", cards.team(text))
    assert (objective.injury, objective.death) == (-prices["injury"], -prices["death"])


def test_a_price_given_replaces_the_default_one_alone(cards):
    team = cards.team("Tamsynn + Datajack, Lazar")
    default = objective_for("nuyen", team)
    for price, weight, sign in (("injury", "injury", -1), ("death", "death", -1), ("loot", "loot", 1)):
        for amount in (0, 7.25):
            given = objective_for("nuyen", team, {price: amount})
            assert given == msgspec.structs.replace(default, **{weight: sign * amount})


@pytest.mark.parametrize(
    ("aim", "prices", "told"),
    [
        ("saef", {}, "the aims are complete, nuyen, payout, safe; did you mean 'safe'?"),
        ("Safe", {}, "'Safe' is not an aim"),
        ("nuyen", {"deth": 1}, "'deth' has no price; those that do are injury, death, loot"),
        ("nuyen", {"injury": -1}, "the price of injury is -1; it must be 0 or more"),
        ("nuyen", {"death": math.nan}, "the price of death is nan; it must be 0 or more"),
        ("nuyen", {}, "without cards there is no price of an injury or a death; give one"),
        ("nuyen", {"injury": 1, "loot": 3}, "without cards there is no price of a death; give one"),
        ("payout", {"injury": 1}, "prices are for the aim nuyen, not for payout"),
        ("complete", {"loot": 1}, "prices are for the aim nuyen, not for complete"),
    ],
)
def test_what_is_no_aim_or_price_is_refused(aim, prices, told):
    with pytest.raises(ss.SprawlsimError) as error:
        objective_for(aim, prices=prices)
    assert told in str(error.value)


def test_every_objective_has_words():
    assert aim_text(Objective()) == "completing the Mission"
    assert aim_text(objective_for("payout")) == "winning the nuyen payout"
    assert aim_text(objective_for("safe")) == "completing the Mission with nobody dead"
    priced = objective_for("nuyen", prices={"injury": 0, "death": 8.67})
    assert aim_text(priced) == "its nuyen in K, Loot at 5 a card, less 0 an injury and 8.67 a death"
    assert aim_text(Objective(completion=0.0)) == "nothing"
    assert aim_text(Objective(nuyen=0.5, injury=-0.0)) == "completion 1, nuyen 0.5"


@pytest.mark.parametrize("key", Objective.__struct_fields__)
def test_no_weight_is_left_out_of_the_words(key):
    """An objective that resembles an aim and weighs something more must not pass for it."""
    less = key in {"injury", "death"}
    for aim in ("complete", "payout", "safe", "nuyen"):
        plain = objective_for(aim, prices={"injury": 1, "death": 2} if aim == "nuyen" else None)
        changed = msgspec.structs.replace(plain, **{key: -0.375 if less else 0.375})
        assert "0.375" in aim_text(changed)


def close(number):
    return pytest.approx(number, rel=0, abs=TOLERANCE)


def everyone_pays(data, rng):
    for stage in data["stages"]:
        stage["payout"] = rng.randint(1, 3)


def only_the_first_stage_pays(data, rng):
    only_the_mission_pays(data, rng)
    data["stages"][0]["payout"] = 2


def only_the_mission_pays(data, rng):
    for stage in data["stages"]:
        stage["payout"] = 0
    data["payout"] = 6


def an_optional_stage_pays_last(data, rng):
    only_the_mission_pays(data, rng)
    data["stages"].insert(rng.randint(0, len(data["stages"])), {"icons": {"mage": 1}, "loot": 1, "payout": 1})
    if len(data["stages"]) > 2:
        del data["stages"][-1]


def nobody_pays(data, rng):
    only_the_mission_pays(data, rng)
    data["payout"] = 0


PAYMENTS = {
    everyone_pays: (
        "plates",
        "shared_tokens",
        "evacuations",
        "free_rerolls",
        "loot_stages",
        "tasks",
    ),
    only_the_first_stage_pays: ("own_tokens", "success_cards", "ignored_injuries", "colours_in_common"),
    only_the_mission_pays: ("plates", "die_cards", "perks", "tasks", "colours_apart", "reroll_cards"),
    an_optional_stage_pays_last: ("lone_runner", "shared_tokens", "two_cards"),
    nobody_pays: ("colours_apart", "finals"),
}
"""What scenarios are about, by what is paid in them."""


def drawn(payment, about, number, aim):
    """Return a scenario of a recipe with this aim, paid like that; the same one whenever it is asked for."""
    data = scenario(about, number)
    payment(data, random.Random(f"{about} {number}"))
    return data | {"objective": msgspec.structs.asdict(objective_for(aim))}


DRAWN = {
    f"{payment.__name__}, {about}-{number}, {aim}": (payment, about, number, aim)
    for payment, recipes in PAYMENTS.items()
    for about in recipes
    for number in (5, 6)
    for aim in ("payout", "safe")
}
A_FEW = list(DRAWN)[::5]


@pytest.mark.parametrize("name", DRAWN)
def test_best_play_wins_as_much_as_the_twin(name):
    data = drawn(*DRAWN[name])
    best = solve(scenario_from_dict(data))
    assert best.value == close(twin.best_value(data))
    won = best.figures().sums[PAID if name.endswith("payout") else SAFE]
    assert won == close(best.value)


def test_the_scenarios_are_varied():
    values = [solve(scenario_from_dict(drawn(*of)), figures=False).value for of in DRAWN.values()]
    assert len(values) >= 80
    for name, value in zip(DRAWN, values, strict=True):
        assert (value == 0) == (name.startswith("nobody_pays") and name.endswith("payout"))
    assert sum(0.02 < value < 0.98 for value in values) >= 60
    plain = []
    for name, of in DRAWN.items():
        data = drawn(*of) | {"objective": {}}
        figures = solve(scenario_from_dict(data)).figures()
        plain.append(figures.sums[PAID if name.endswith("payout") else SAFE])
    gains = np.array(values) - plain
    assert (gains > -TOLERANCE).all()
    assert (gains > 0.005).sum() >= 10, "or playing for the aim would hardly differ from playing to complete"


@pytest.mark.parametrize("policy", ALL_POLICIES)
@pytest.mark.parametrize("name", A_FEW)
def test_what_rules_of_thumb_win_agrees_with_the_twin(name, policy):
    data = drawn(*DRAWN[name])
    law = twin.policy_distribution(data, CompiledPolicy(data, policy))
    chance = float(sum(share * twin.objective(data, s) for s, share in law.items()))
    attempt = scenario_from_dict(data)
    exactly = scenario_odds(attempt, policy)
    assert exactly.engine == "exact"
    assert exactly.objective_value.estimate == close(chance)
    n = 100_000
    sampled = scenario_odds(attempt, policy, Effort(attempts=n, seed=3))
    assert sampled.engine == "montecarlo"
    error = math.sqrt(max(chance * (1 - chance), 0.0) / n)
    assert abs(sampled.objective_value.estimate - chance) <= MOST_Z * error + TOLERANCE


WON = {"complete": COMPLETED, "payout": PAID, "safe": SAFE}


@pytest.mark.parametrize("mission", ["errand", "make some noise", "courier"])
@pytest.mark.parametrize("tokens", [0, 1])
def test_whoever_aims_at_something_gets_most_of_it(mission, tokens):
    sums = {}
    for aim in AIMS:
        question = ss.mission_odds(mission, "Tamsynn + Datajack, Lazar", aim=aim, tokens=tokens)
        figures = solve(question.scenario).figures()
        sums[aim] = figures.sums
        worth = question.objective_value.estimate
        if aim in WON:
            assert worth == close(figures.sums[WON[aim]])
    for aim, amount in WON.items():
        for other in AIMS:
            assert sums[aim][amount] >= sums[other][amount] - TOLERANCE, (aim, other)


def test_the_worth_of_nuyen_is_nuyen_and_loot_less_harm():
    # Lent for (2 + 2) + 3 = 7 by two; Lazar was bought for 8.
    odds = ss.mission_odds("courier", "Tamsynn + Tsurugi, Lazar + Jackrabbit", aim="nuyen", tokens=1)
    prices = {"injury": (4 + 4) / 2, "death": (4 + 4) / 2 + (0 + 8) / 2}
    injured = sum(k * odds.estimate for k, odds in enumerate(odds.injured_count))
    dead = sum(k * odds.estimate for k, odds in enumerate(odds.dead_count))
    harm = prices["injury"] * injured + prices["death"] * dead
    worth = odds.nuyen.estimate + 5 * odds.loot.estimate - harm
    assert odds.objective_value.estimate == close(worth)
    assert worth > 0
    for other in odds.beside:
        assert other.objective_value.estimate <= worth


def test_the_last_stage_that_pays_pays_the_payout_or_else_the_mission():
    of_a_stage = ss.mission_odds("market", "Tamsynn, Lazar, Friendly Face", aim="payout")
    assert [stage.payout for stage in of_a_stage.scenario.stages] == [0, 2, 0]
    assert of_a_stage.objective_value.estimate == close(of_a_stage.stages[1].cleared.estimate)
    of_the_mission = ss.mission_odds("harbour", "Tamsynn, Lazar, Friendly Face", aim="payout")
    assert [stage.payout for stage in of_the_mission.scenario.stages] == [0, 0]
    assert of_the_mission.objective_value.estimate == close(of_the_mission.completed.estimate)
