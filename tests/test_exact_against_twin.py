"""Best play by the exact engine against the naive twin and the golden values.

The twin plays every legal move of ``random_scenarios`` in exact fractions. Where plays tie in all that is
ranked (the objective, deaths, injuries, nuyen, Loot), the other figures are free: then the twin gives the
least and the most that they can be.
"""

import random
from fractions import Fraction
from functools import cache

import pytest
import random_scenarios
import twin
from random_scenarios import all_scenarios, rolled_by, wanted_by
from test_twin import CASES, runner
from twin import COLOURS

from sprawlsim.sprawlops.mission.arrays import DEAD, INJURED, RESCUED, UP
from sprawlsim.sprawlops.mission.exact import solve
from sprawlsim.sprawlops.mission.scenario import scenario_from_dict

SCENARIOS = all_scenarios()
NAMES = list(SCENARIOS)
FIRST_TWO = [name for name in NAMES if name.endswith(("-0", "-1"))]
QUICK = ["lone_runner-0", "shared_tokens-1", "die_cards-0", "free_rerolls-0", "perks-2", "loot_stages-1"]
CONDITIONS = {"up": UP, "injured": INJURED, "rescued": RESCUED, "dead": DEAD}
COMPLETED, NUYEN, LOOT, INJURIES, DEATHS, PAID, SAFE = range(7)
TWIN_KEYS = ("objective_value", "nuyen", "loot", "injured_count", "dead_count")


def engine(scenario, **more):
    return solve(scenario_from_dict(scenario), **more)


@cache
def solution(name):
    return engine(SCENARIOS[name])


@cache
def value(name):
    return float(twin.best_figures(SCENARIOS[name])["objective_value"])


def close(number, abs=1e-10):
    return pytest.approx(float(number), rel=0, abs=abs)


@pytest.mark.parametrize(("scenario", "golden"), CASES)
def test_best_value_is_golden(scenario, golden):
    assert engine(scenario).value == close(golden, 1e-9)


def check_against_twin(found, scenario):
    best = twin.best_figures(scenario)
    assert found.value == close(twin.best_value(scenario))
    shown = found.expected
    assert (shown.value, shown.nuyen, shown.loot, shown.injuries, shown.deaths) == tuple(
        close(best[key]) for key in TWIN_KEYS
    )
    sums = found.figures()["sums"]
    assert sums[[NUYEN, LOOT, INJURIES, DEATHS]].tolist() == [close(best[key]) for key in TWIN_KEYS[1:]]
    assert sums[COMPLETED] == close(shown.completed)


@pytest.mark.parametrize("name", NAMES)
def test_best_play_is_the_twins_ties_included(name):
    check_against_twin(solution(name), SCENARIOS[name])


@pytest.mark.nojit
@pytest.mark.parametrize("name", QUICK)
def test_best_play_is_the_twins_for_a_few_scenarios_without_the_jit_too(name):
    check_against_twin(solution(name), SCENARIOS[name])


@pytest.mark.parametrize("name", NAMES)
def test_figures_fit_together(name):
    found, scenario = solution(name), SCENARIOS[name]
    shown, sums = found.figures(), found.figures()["sums"]
    stages, crew = scenario["stages"], len(scenario["runners"])
    assert shown["attempts"] == close(1, 1e-12)
    condition = shown["condition"]
    assert condition[:crew].sum(axis=1).tolist() == [close(1, 1e-12)] * crew
    assert not condition[crew:].any()
    for key, total in (("injured_count", sums[INJURIES]), ("dead_count", sums[DEATHS])):
        assert shown[key].sum() == close(1, 1e-12)
        assert sum(n * share for n, share in enumerate(shown[key].tolist())) == close(total)
        assert not shown[key][crew + 1 :].any()
    assert condition[:, [INJURED, RESCUED]].sum() == close(sums[INJURIES])
    assert condition[:, DEAD].sum() == close(sums[DEATHS])
    if not any(card.get("docwagon_token") for card in scenario["runners"]):
        assert condition[:, RESCUED].sum() <= scenario.get("docwagon_tokens", 0)
    if scenario.get("task"):
        assert sums[DEATHS] == 0

    reached, cleared = shown["reached"], shown["cleared"]
    assert not reached[len(stages) :].any()
    assert not cleared[len(stages) :].any()
    for n, part in enumerate(stages):
        assert 0 <= cleared[n] <= reached[n] + 1e-12 <= 1 + 2e-12
        if n > 0 and not stages[n - 1].get("loot"):
            assert reached[n] <= cleared[n - 1] + 1e-12
        if n == len(stages) - 1 and not part.get("loot"):
            assert cleared[n] == close(sums[COMPLETED])
    nuyen = sum(share * part.get("payout", 0) for share, part in zip(cleared.tolist(), stages, strict=False))
    loot = sum(share * part.get("loot", 0) for share, part in zip(cleared.tolist(), stages, strict=False))
    assert sums[NUYEN] == close(nuyen + sums[COMPLETED] * scenario.get("payout", 0))
    assert sums[LOOT] == close(loot + cleared[0] * scenario.get("loot_for_first_stage", False))
    paying = [n for n, part in enumerate(stages) if part.get("payout")]
    paid = cleared[paying[-1]] if paying else sums[COMPLETED] * bool(scenario.get("payout"))
    assert sums[PAID] == close(paid)
    assert sums[COMPLETED] - shown["dead_count"][1:].sum() - 1e-12 <= sums[SAFE] <= sums[COMPLETED] + 1e-12


@pytest.mark.parametrize("name", FIRST_TWO)
def test_amounts_are_those_of_the_twins_own_best_play(name):
    """Completion too, unless it is worth nothing: then plays that tie may differ in it."""
    scenario = SCENARIOS[name]
    law = twin.policy_distribution(scenario, twin.BestPlay(scenario))
    wanted = twin.figures(scenario, law)
    shown = solution(name).expected
    assert (shown.value, shown.nuyen, shown.loot) == tuple(close(wanted[key]) for key in TWIN_KEYS[:3])
    for key, mean in (("injured_count", shown.injuries), ("dead_count", shown.deaths)):
        assert mean == close(sum(n * share for n, share in enumerate(wanted[key])))
    if scenario.get("objective", {}).get("completion", 1):
        assert shown.completed == close(wanted["completed"])


class Probed(twin.Lexicographic):
    """The order of best play, and after it as much, or as little, as can be of some probe of the ends."""

    def __init__(self, probe, sign):
        self.probe = probe
        self.sign = sign

    def worth(self, case, s):
        return (*super().worth(case, s), self.sign * self.probe_of_end(s))

    def probe_of_end(self, s):
        """Return the number that this end adds: one random whole number for everything that is true of it."""
        runners = [self.probe["condition", n, CONDITIONS[fate]] for n, fate in enumerate(s.condition)]
        hurt = sum(fate in ("injured", "rescued") for fate in s.condition)
        stages = [self.probe["reached", n] for n in s.reached] + [self.probe["cleared", n] for n in s.cleared]
        counts = [self.probe["injured_count", hurt], self.probe["dead_count", s.condition.count("dead")]]
        return Fraction(sum(runners + stages + counts) + self.probe["sums", COMPLETED] * s.completed)


def random_probe(scenario, rng):
    """Return a whole number for every figure of best play."""
    crew, stages = range(len(scenario["runners"])), range(len(scenario["stages"]))
    keys = [("condition", n, fate) for n in crew for fate in CONDITIONS.values()]
    keys += [(key, n) for key in ("reached", "cleared") for n in stages]
    keys += [(key, n) for key in ("injured_count", "dead_count") for n in range(len(crew) + 1)]
    return {key: rng.randint(-50, 50) for key in [*keys, ("sums", COMPLETED)]}


@pytest.mark.parametrize("name", FIRST_TWO)
def test_every_figure_is_one_that_best_play_can_have(name):
    """For most scenarios the least and the most are the same, and then so are all the figures."""
    scenario = SCENARIOS[name]
    probe = random_probe(scenario, random.Random(name))
    shown = solution(name).figures()
    found = sum(number * shown[key][tuple(at)] for (key, *at), number in probe.items())
    least, most = (
        sign * float(twin.Solver(scenario, Probed(probe, sign)).value(twin.start(scenario))[-1])
        for sign in (-1, 1)
    )
    assert least - 1e-9 <= found <= most + 1e-9


@pytest.mark.nojit
def test_the_dead_are_those_whose_dice_killed_them():
    # One roll: a lone Decker die cannot hurt twice, two Face dice do so once in 36, whatever it shows.
    scenario = {"stages": [{"icons": {"decker": 1}}], "runners": [runner(face=2), runner(decker=1)]}
    shown = engine(scenario, rolls_per_stage=1).figures()["condition"]
    assert shown[:2, DEAD].tolist() == [close(Fraction(1, 36)), 0]


@pytest.mark.parametrize("name", FIRST_TWO)
@pytest.mark.parametrize("rolls", [1, 2, 4])
def test_other_numbers_of_rolls_are_the_twins(name, rolls, monkeypatch):
    monkeypatch.setattr(twin, "ROLLS_PER_STAGE", rolls)
    assert engine(SCENARIOS[name], rolls_per_stage=rolls).value == close(twin.best_value(SCENARIOS[name]))


def plates_of_any_colour(contributed, task, body, colour, by_the_rules=twin.one_injury):
    """Return the results of one injury: what somebody must take, any unused plate in the roll may (M12)."""
    results = set(by_the_rules(contributed, task, body, colour))
    can_be_given = [dice[colour] > 0 for dice in contributed]
    taken = any(
        given and fate in ("up", "injured") for given, fate in zip(can_be_given, body.condition, strict=True)
    )
    for n, dice in enumerate(contributed):
        if taken and body.plates[n] and dice != twin.NOTHING:
            results.add(body._replace(plates=twin.changed(body.plates, n, False)))
    return results


@pytest.fixture
def twin_with_the_option(monkeypatch):
    """Return the twin's best figures with `plating_takes_any_colour`."""

    def figures(scenario):
        twin.assignments.cache_clear()
        with monkeypatch.context() as taught:
            taught.setattr(twin, "one_injury", plates_of_any_colour)
            best = twin.best_figures(scenario)
        twin.assignments.cache_clear()
        return best

    return figures


@pytest.mark.parametrize("seed", range(20))
def test_plates_of_any_colour_are_those_of_the_twin_taught_the_option(seed, twin_with_the_option):
    rng = random.Random(f"any colour {seed}")
    scenario = rng.choice((random_scenarios.colours_apart, random_scenarios.shared_tokens))(rng)
    scenario["runners"][0]["dermal_plating"] = True
    best = twin_with_the_option(scenario)
    found = engine(scenario | {"rules": {"plating_takes_any_colour": True}})
    shown = found.expected
    assert (shown.value, shown.nuyen, shown.loot, shown.injuries, shown.deaths) == tuple(
        close(best[key]) for key in TWIN_KEYS
    )
    assert found.value >= twin.best_value(scenario) - 1e-12


def colour_counts(scenario):
    dice = [card["dice"] for card in scenario["runners"]]
    return [sum(each.get(colour, 0) for each in dice) for colour in COLOURS]


def fall_below_five(scenario):
    """Tell whether a team that is veteran at first is not when some runner is down, with that colour left."""
    for total, colour in zip(colour_counts(scenario), COLOURS, strict=True):
        own = [card["dice"].get(colour, 0) for card in scenario["runners"]]
        if total >= 5 and any(0 < total - lost < 5 for lost in own):
            return True
    return False


def cards(scenario):
    return scenario.get("loot_cards", [])


def weight(scenario, key):
    return scenario.get("objective", {}).get(key, 1 if key == "completion" else 0)


def any_runner(scenario, key):
    return any(card.get(key) for card in scenario["runners"])


def in_common(scenario):
    return max(sum(colour in card["dice"] for card in scenario["runners"]) for colour in COLOURS) > 1


HOLDS = {
    "one runner": lambda s: len(s["runners"]) == 1,
    "three runners": lambda s: len(s["runners"]) == 3,
    "three Stages": lambda s: len(s["stages"]) == 3,
    "plates": lambda s: any_runner(s, "dermal_plating"),
    "no token": lambda s: not s.get("docwagon_tokens", 0) and not any_runner(s, "docwagon_token"),
    "one token": lambda s: s.get("docwagon_tokens") == 1,
    "two tokens": lambda s: s.get("docwagon_tokens") == 2,
    "own tokens": lambda s: any_runner(s, "docwagon_token"),
    "own and shared tokens": lambda s: any_runner(s, "docwagon_token") and s.get("docwagon_tokens"),
    "colours in common": in_common,
    "no colours in common": lambda s: len(s["runners"]) > 1 and not in_common(s),
    "veterans": lambda s: max(colour_counts(s)) >= 5,
    "veterans no more when somebody falls": fall_below_five,
    "ignore-injury": lambda s: "ignore-injury" in cards(s),
    "reroll-die": lambda s: "reroll-die" in cards(s),
    "evacuate": lambda s: "evacuate" in cards(s),
    "a die that nobody rolls": lambda s: any(f"die:{c}" in cards(s) for c in {*COLOURS} - {*rolled_by(s)}),
    "a die that makes veterans": lambda s: any(
        f"die:{c}" in cards(s) and n == 4 for c, n in zip(COLOURS, colour_counts(s), strict=True)
    ),
    "two cards": lambda s: len(cards(s)) == 2,
    "two different cards": lambda s: len(set(cards(s))) == 2,
    "one reroll": lambda s: s.get("rerolls") == 1,
    "two rerolls": lambda s: s.get("rerolls") == 2,
    "rerolls of both kinds": lambda s: s.get("rerolls") and "reroll-die" in cards(s),
    "clears first": lambda s: s.get("clears_first_stage"),
    "clears last": lambda s: s.get("clears_last_stage"),
    "Loot for first": lambda s: s.get("loot_for_first_stage"),
    "optional Stages": lambda s: any(part.get("loot") for part in s["stages"]),
    "an optional Stage last": lambda s: s["stages"][-1].get("loot"),
    "payouts of Stages": lambda s: any(part.get("payout") for part in s["stages"]),
    "payout of the Mission": lambda s: s.get("payout"),
    "nuyen counts": lambda s: weight(s, "nuyen"),
    "Loot counts": lambda s: weight(s, "loot"),
    "injuries count": lambda s: weight(s, "injury"),
    "deaths count": lambda s: weight(s, "death"),
    "being paid counts": lambda s: weight(s, "payout"),
    "being safe counts": lambda s: weight(s, "safe"),
    "completion does not count": lambda s: weight(s, "completion") == 0,
    "completion only": lambda s: not any(n for key, n in s["objective"].items() if key != "completion"),
    "a Task": lambda s: s.get("task"),
    "a Final Mission": lambda s: s.get("final"),
    "dice of no use": lambda s: {*rolled_by(s)} - {*wanted_by(s)},
    **{f"success:{c}": lambda s, c=c: f"success:{c}" in cards(s) and c in wanted_by(s) for c in COLOURS},
    **{f"die:{c}": lambda s, c=c: f"die:{c}" in cards(s) for c in COLOURS},
}


@pytest.mark.parametrize("thing", HOLDS)
def test_the_random_scenarios_hold(thing):
    least = 2 if ":" in thing else 4
    assert sum(bool(HOLDS[thing](scenario)) for scenario in SCENARIOS.values()) >= least


def drop_shared_tokens(scenario):
    return scenario | {"docwagon_tokens": 0}


def drop_own_tokens(scenario):
    return scenario | {"runners": [card | {"docwagon_token": False} for card in scenario["runners"]]}


def drop_plates(scenario):
    return scenario | {"runners": [card | {"dermal_plating": False} for card in scenario["runners"]]}


def drop_cards(scenario):
    return scenario | {"loot_cards": []}


def drop_rerolls(scenario):
    return scenario | {"rerolls": 0}


def drop_useless_dice(scenario):
    wanted = wanted_by(scenario)
    useful = [
        card | {"dice": {colour: n for colour, n in card["dice"].items() if colour in wanted}}
        for card in scenario["runners"]
    ]
    return scenario | {"runners": [card for card in useful if card["dice"]]}


def changes(name, drop):
    """Return how much best play of the scenario is worth more for what is dropped, by the twin."""
    return value(name) - twin.best_value(drop(SCENARIOS[name]))


@pytest.mark.parametrize(
    ("recipe", "drop", "least"),
    [
        ("shared_tokens", drop_shared_tokens, 6),
        ("own_tokens", drop_own_tokens, 4),
        ("plates", drop_plates, 6),
        ("success_cards", drop_cards, 6),
        ("die_cards", drop_cards, 6),
        ("dice_that_nobody_rolls", drop_cards, 5),
        ("dice_that_make_veterans", drop_cards, 6),
        ("ignored_injuries", drop_cards, 6),
        ("evacuations", drop_cards, 6),
        ("reroll_cards", drop_cards, 6),
        ("free_rerolls", drop_rerolls, 5),
        ("rerolls_of_veterans", drop_rerolls, 6),
    ],
)
def test_what_a_recipe_is_about_raises_its_value(recipe, drop, least):
    names = [f"{recipe}-{number}" for number in range(random_scenarios.EACH)]
    assert sum(changes(name, drop) > 1e-6 for name in names) >= least


def test_the_dice_that_hurt_do():
    names = [f"dice_that_hurt-{number}" for number in range(random_scenarios.EACH)]
    assert sum(changes(name, drop_useless_dice) < -1e-6 for name in names) >= 6


def decisions_between_stages(scenario):
    """Return the decisions that are strictly best somewhere, with the number of the Stage."""
    solver = twin.Solver(scenario)
    solver.value(twin.start(scenario))
    found = set()
    for s in [s for s in solver.values if s.phase == "between"]:
        worth = {move: solver.value(after) for move, after in twin.between_moves(scenario, s).items()}
        best = max(worth, key=worth.get)
        if all(worth[best] > number + 1e-9 for move, number in worth.items() if move != best):
            found.add((best, s.stage, "skip" in worth))
    return found


@pytest.mark.parametrize(("recipe", "move", "least"), [("loot_stages", "skip", 5), ("loot_stages", "go", 3)])
def test_optional_stages_are_worth_skipping_and_going_for(recipe, move, least):
    found = [decisions_between_stages(SCENARIOS[f"{recipe}-{n}"]) for n in range(random_scenarios.EACH)]
    assert sum(any(best == move and optional for best, _, optional in each) for each in found) >= least


def test_pulling_out_is_best_sometimes_at_once_and_sometimes_later():
    found = [decisions_between_stages(SCENARIOS[f"pulling_out-{n}"]) for n in range(random_scenarios.EACH)]
    stages = [stage for each in found for best, stage, _ in each if best == "pull out"]
    assert stages.count(0) >= 2
    assert len(stages) - stages.count(0) >= 5
