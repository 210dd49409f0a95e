"""What must hold of best play whatever the scenario, and what one might expect and does not.

Nothing here knows the right numbers, except of the two teams that a die more makes worse.
"""

import copy
from fractions import Fraction

import pytest
import twin
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support import LOOT, scenarios
from test_twin import mission, runner
from twin import COLOURS

from sprawlsim.sprawlops.mission.evaluate import evaluate
from sprawlsim.sprawlops.mission.exact import solve
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.mission.scenario import scenario_from_dict

SLACK = 1e-11
small = settings(
    derandomize=True,
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def affordable(scenario):
    """Leave out what would take seconds: many dice that several rerolls may take up."""
    dice = sum(sum(card["dice"].values()) for card in scenario["runners"])
    rerolls = scenario["rerolls"] + scenario["loot_cards"].count("reroll-die")
    return rerolls == 0 or dice <= 11 - 2 * rerolls


cases = scenarios(most_dice=4).filter(affordable)
CARDS = (*LOOT, "ignore-injury", "reroll-die", "evacuate")


def best(scenario, **more):
    return solve(scenario_from_dict(scenario), figures=False, **more)


def value(scenario, **more):
    return best(scenario, **more).value


def close(number, rel=1e-12):
    return pytest.approx(number, rel=rel, abs=1e-12)


def objective(scenario, sums):
    """Return what the sums of a record of figures are worth."""
    weights = {"completion": 1.0} | scenario["objective"]
    keys = ("completion", "nuyen", "loot", "injury", "death")
    return sum(weights.get(key, 0) * sums[n] for n, key in enumerate(keys))


@pytest.mark.parametrize("policy", POLICIES)
@given(scenario=cases)
@small
def test_no_rule_of_thumb_beats_best_play(policy, scenario):
    sums = evaluate(scenario_from_dict(scenario), policy)["sums"]
    assert objective(scenario, sums) <= value(scenario) + SLACK


@given(scenario=cases)
@small
def test_best_play_is_worth_at_least_pulling_out(scenario):
    assert value(scenario) >= 0


def recoloured(scenario, colours):
    """Return the scenario with every colour replaced by another."""
    new = dict(zip(COLOURS, colours, strict=True))

    def counts(old):
        return {new[colour]: n for colour, n in old.items()}

    cards = []
    for card in scenario["loot_cards"]:
        kind, _, colour = card.partition(":")
        cards.append(f"{kind}:{new[colour]}" if colour else card)
    return scenario | {
        "stages": [part | {"icons": counts(part["icons"])} for part in scenario["stages"]],
        "runners": [card | {"dice": counts(card["dice"])} for card in scenario["runners"]],
        "loot_cards": cards,
    }


@given(scenario=cases, colours=st.permutations(COLOURS))
@small
def test_colours_are_all_alike(scenario, colours):
    assert best(recoloured(scenario, colours)).expected == close(best(scenario).expected)


@given(scenario=cases, data=st.data())
@small
def test_runners_may_sit_in_any_order(scenario, data):
    seated = scenario | {"runners": data.draw(st.permutations(scenario["runners"]))}
    assert best(seated).expected == close(best(scenario).expected)


@given(scenario=cases)
@small
def test_a_token_more_never_hurts(scenario):
    assert value(scenario | {"docwagon_tokens": scenario["docwagon_tokens"] + 1}) >= value(scenario) - SLACK


@given(scenario=cases, data=st.data())
@small
def test_an_own_token_more_never_hurts_and_a_shared_one_is_worth_at_least_that(scenario, data):
    richer = copy.deepcopy(scenario)
    card = data.draw(st.sampled_from(richer["runners"]))
    assume(not card["docwagon_token"])
    card["docwagon_token"] = True
    shared = scenario | {"docwagon_tokens": scenario["docwagon_tokens"] + 1}
    assert value(scenario) - SLACK <= value(richer) <= value(shared) + SLACK


@given(scenario=cases, card=st.sampled_from(CARDS))
@small
def test_a_loot_card_more_never_hurts(scenario, card):
    assume(len(scenario["loot_cards"]) < 3)
    more = scenario | {"loot_cards": [*scenario["loot_cards"], card]}
    assert value(more) >= value(scenario) - SLACK


@given(scenario=cases)
@small
def test_a_reroll_more_never_hurts_and_is_worth_at_least_the_card(scenario):
    assume(scenario["rerolls"] < 2 and "reroll-die" not in scenario["loot_cards"])
    free = value(scenario | {"rerolls": scenario["rerolls"] + 1})
    card = value(scenario | {"loot_cards": [*scenario["loot_cards"], "reroll-die"]})
    assert value(scenario) - SLACK <= card <= free + SLACK


@given(scenario=cases)
@small
def test_the_option_for_plates_never_hurts(scenario):
    option = scenario | {"rules": {"plating_takes_any_colour": True}}
    assert value(option) >= value(scenario) - SLACK


def one_icon_more(scenario, number, colour):
    harder = copy.deepcopy(scenario)
    wanted = harder["stages"][number]["icons"]
    wanted[colour] = wanted.get(colour, 0) + 1
    return harder


@given(scenario=cases, data=st.data())
@small
def test_an_icon_more_of_a_colour_that_a_stage_has_never_helps(scenario, data):
    """For any objective. Play the easier Stage as the harder one, and leave out its first success there.

    A success of that colour, or a pair, that would defeat the first icon of the colour is lost instead. From
    then on both Stages show the same icons; until then the easier one has an icon left too, so neither is
    cleared before the other, and everything else happens alike.
    """
    number = data.draw(st.integers(0, len(scenario["stages"]) - 1))
    colour = data.draw(st.sampled_from(sorted(scenario["stages"][number]["icons"])))
    assert value(one_icon_more(scenario, number, colour)) <= value(scenario) + SLACK


@given(scenario=cases, colour=st.sampled_from(COLOURS))
@small
def test_an_icon_more_of_any_colour_in_the_last_stage_never_helps(scenario, colour):
    """For objectives that price what is earned and what is suffered as they should.

    Play the easier Stage as the harder one; where its last icon goes first, everything is earned already, and
    nobody can be hurt any more. In an earlier Stage, an icon of a colour that is new there allows rolling on
    until a burden is down (a runner more may be one, see below). Nothing proves that this never helps, though
    35 000 random pairs of scenarios, completion only, showed no case.
    """
    last = len(scenario["stages"]) - 1
    assert value(one_icon_more(scenario, last, colour)) <= value(scenario) + SLACK


@given(scenario=cases)
@small
def test_a_fourth_roll_never_hurts_where_injuries_cost_nothing(scenario):
    """Play the first three as if there were no fourth: a Stage that is left to it was lost without it.

    Where injuries have a price it may hurt, because nobody can leave in the middle of a Stage.
    """
    free = scenario | {"objective": {"completion": 1.0, "nuyen": 0.05, "loot": 0.3}}
    assert value(free, rolls_per_stage=4) >= value(free) - SLACK


def test_a_fourth_roll_can_hurt_where_injuries_cost_something(monkeypatch):
    """Two Faces of one die each need both successes at once, for a pair; once one is down, all is lost.

    Another roll is another chance for the pair, and another for the one who is left to be hurt for nothing.
    """
    scenario = mission(runner(face=1), runner(face=1), icons={"mage": 1}, objective={"injury": -0.4})
    wanted = {2: Fraction(43, 1620), 3: Fraction(1183, 58320), 4: Fraction(17263, 2099520), 5: Fraction(0)}
    for rolls, worth in wanted.items():
        monkeypatch.setattr(twin, "ROLLS_PER_STAGE", rolls)
        assert twin.best_figures(scenario)["objective_value"] == worth
        assert value(scenario, rolls_per_stage=rolls) == close(float(worth))


TWO_ICONS = [{"icons": {"mage": 2}}]
TWO_STAGES = [{"icons": {"mage": 1}}] * 2


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("stages", "alone", "with_a_face_die"),
    [
        pytest.param(TWO_ICONS, Fraction(2, 9), Fraction(5, 27), id="two icons"),
        pytest.param(TWO_STAGES, Fraction(49, 144), Fraction(25715885, 90699264), id="two Stages"),
    ],
)
def test_a_die_more_can_lower_the_odds_of_best_play(stages, alone, with_a_face_die):
    """All dice must be rolled (M1), and a lone runner that a useless die injures is lost to the Mission.

    A success on that die can cancel an injury but is no half of a pair. With one Mage die, two Mage icons in
    one Stage are defeated with 22.2 %: by two successes in two or three rolls, without an injury. A Face die
    makes it 18.5 %. Two Stages of one icon each are cleared with 34.0 %, and with the Face die with 28.4 %.
    """
    for dice, odds in (({"mage": 1}, alone), ({"mage": 1, "face": 1}, with_a_face_die)):
        scenario = {"stages": stages, "runners": [runner(**dice)]}
        assert twin.best_figures(scenario)["objective_value"] == odds
        assert value(scenario) == close(float(odds))


@pytest.mark.nojit
def test_a_runner_more_can_lower_the_odds_of_best_play():
    """More dice may show more injuries than a plate and the runners can take before the last Stage.

    With five Decker dice and a plate, two Stages of one Decker icon are lost 78 times in ten thousand; beside
    a runner of six Decker dice, 93 times.
    """
    strong, more = runner(plate=True, decker=5), runner(decker=6)
    for crew, odds in (
        ([strong], Fraction(370327, 373248)),
        ([strong, more], Fraction(3234886049, 3265173504)),
    ):
        scenario = {"stages": [{"icons": {"decker": 1}}] * 2, "runners": crew}
        assert twin.best_figures(scenario)["objective_value"] == odds
        assert value(scenario) == close(float(odds))
