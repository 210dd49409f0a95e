"""The package's rules against the naive twin, and one hand-made case for every ruling.

The first part walks through random scenarios and compares, at every step, all that may happen next. The
second part is written from the rulings; each test names the one it is about.
"""

import random

import pytest
import twin
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import (
    CompiledPolicy,
    arrays_of,
    faces_of,
    few_faces,
    ignore,
    lay,
    members,
    moves_before_roll,
    moves_between,
    rerolls_of,
    results_of,
    rolled_of,
    scenarios,
    situation_of,
    state_of,
    without_borrowed_tokens,
)
from test_twin import mission, roll, runner

from sprawlsim.sprawlops.mission import rules
from sprawlsim.sprawlops.mission.arrays import (
    BETWEEN,
    DEAD,
    ENDED,
    INJURED,
    RESCUED,
    ROLLING,
    UP,
    new_states,
)
from sprawlsim.sprawlops.mission.attempt import after_roll, settle
from sprawlsim.sprawlops.mission.plays import TABLE
from sprawlsim.sprawlops.mission.policies import POLICIES

SAMURAI, DECKER, MAGE, RIGGER, FACE = range(5)

walks = settings(
    derandomize=True,
    deadline=None,
    max_examples=120,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
seeds = st.integers(0, 2**32 - 1)


def walk(scenario, seed, at_between, at_rolling, at_roll):
    """Wander from set-up to an end by the twin's rules, showing every situation to the functions given."""
    dice = random.Random(seed)
    case = twin.read(scenario)
    s = twin.start(case)
    while s.phase != "ended":
        if s.phase == "between":
            moves = twin.between_moves(case, s)
            at_between(s, moves)
            s = moves[dice.choice(sorted(set(moves) - {"pull out"}) * 5 + ["pull out"])]
            continue
        moves = twin.before_roll_moves(case, s)
        at_rolling(s, moves)
        s = dice.choice([after for after in sorted(moves) if after.phase == "rolling"])
        shown = few_faces(case, s, dice)
        at_roll(s, shown)
        results = sorted(twin.legal_results(case, s, shown))
        going_on = [after for after in results if after.phase != "ended"]
        s = dice.choice(going_on or results)


@walks
@given(scenario=scenarios(), seed=seeds)
def test_the_same_can_happen_as_in_the_twin(scenario, seed):
    case, scn = twin.read(scenario), arrays_of(scenario)

    def at_between(s, moves):
        assert situation_of(scn, state_of(s)) == s
        assert moves_between(scn, state_of(s)) == moves

    def at_rolling(s, moves):
        assert situation_of(scn, state_of(s)) == s
        assert moves_before_roll(scn, state_of(s)) == moves

    def at_roll(s, shown):
        state = state_of(s)
        rules.take_dice(scn, state)
        assert (tuple(state.hand.tolist()), tuple(state.successes.tolist())) == twin.pool(case, s)
        lay(state, shown)
        assert faces_of(state) == shown
        wanted = without_borrowed_tokens(s, twin.legal_results(case, s, shown))
        assert results_of(scn, state) == wanted

    walk(scenario, seed, at_between, at_rolling, at_roll)


@settings(walks, max_examples=60)
@given(scenario=scenarios(most_runners=2, most_dice=5), seed=seeds)
def test_the_same_dice_may_be_rolled_again_as_in_the_twin(scenario, seed):
    case, scn = twin.read(scenario), arrays_of(scenario)

    def at_roll(s, shown):
        options = rerolls_of(scn, rolled_of(scn, s, shown))
        assert options == twin.reroll_options(case, s, shown)

    walk(scenario, seed, lambda *_: None, lambda *_: None, at_roll)


@pytest.mark.parametrize("policy", POLICIES)
@settings(walks, max_examples=150)
@given(scenario=scenarios(), seed=seeds)
def test_policies_only_do_what_is_legal(policy, scenario, seed):
    case, asked = twin.read(scenario), CompiledPolicy(scenario, policy)

    def at_between(s, moves):
        assert asked.between(case, s) in moves

    def at_rolling(s, moves):
        assert asked.before_roll(case, s) in moves

    def at_roll(s, shown):
        option = asked.reroll(case, s, shown)
        if option is None:
            assert asked.play(case, s, shown) in twin.legal_results(case, s, shown)
        else:
            assert option in twin.reroll_options(case, s, shown)

    walk(scenario, seed, at_between, at_rolling, at_roll)


@pytest.mark.parametrize("policy", POLICIES)
@settings(walks, max_examples=100)
@given(scenario=scenarios(), seed=seeds)
def test_an_attempt_runs_through_its_decisions_one_by_one(policy, scenario, seed):
    case, asked = twin.read(scenario), CompiledPolicy(scenario, policy)
    scn, tools = asked.scn, CompiledPolicy(scenario, policy).tools

    def expect(s):
        """Say whether dice are in hand, or it is over, just where single decisions lead from here."""
        while s.phase == "between":
            s = twin.between_moves(case, s)[asked.between(case, s)]
        table = tools.work.at[TABLE]
        if s.phase == "rolling":
            s = asked.before_roll(case, s)
            assert (tuple(table.hand.tolist()), tuple(table.successes.tolist())) == twin.pool(case, s)
        assert situation_of(scn, table, in_hand=True) == s

    def at_between(s, moves):
        tools.work.at[TABLE] = state_of(s)
        settle(scn, tools.work, POLICIES[policy], tools.outlook)
        expect(s)

    def at_roll(s, shown):
        tools.work.at[TABLE] = rolled_of(scn, s, shown)
        after_roll(scn, tools.work, POLICIES[policy], tools.outlook)
        option = asked.reroll(case, s, shown)
        if option is None:
            expect(asked.play(case, s, shown))
        else:
            table = tools.work.at[TABLE]
            assert table.rerolled == 1
            assert (faces_of(table), tuple(table.hand.tolist())) == option[:2]
            assert situation_of(scn, table, in_hand=True) == option.after

    walk(scenario, seed, at_between, lambda *_: None, at_roll)


BLACK, GREEN = twin.COLOURS[:2]


def begun(scenario):
    """Return the scenario's record, and the state before the first roll of its first Stage."""
    scn, state = arrays_of(scenario), new_states(1)[0]
    rules.set_up(scn, state)
    rules.start_stage(scn, state)
    return scn, state


def rolled(scenario, conditions=(), **faces):
    """Return the scenario's record, and the first roll of its first Stage on the table."""
    scn, state = begun(scenario)
    for r, condition in enumerate(conditions):
        state.condition[r] = condition
    roll_again(scn, state, **faces)
    return scn, state


def roll_again(scn, state, **faces):
    """Take the next dice, and lay them down with these faces."""
    rules.take_dice(scn, state)
    lay(state, roll(**faces))


def targets(scn, state, colour):
    """Return who may take an injury of this colour."""
    return members(rules.legal_targets(scn, state, colour), int(scn.n_runners))


def hurt(scn, state, runner_hit, colour):
    """Give an injury on the table to a runner who may take it; say whether that kills."""
    assert runner_hit in targets(scn, state, colour)
    dies = bool(rules.would_die(scn, state, runner_hit))
    state.injuries[colour] -= 1
    rules.assign_injury(scn, state, runner_hit)
    return dies


def fates(scn, state):
    """Return the conditions of the runners that any play of the roll on the table can lead to."""
    return {s.condition for s in results_of(scn, state)}


def pool(state):
    """Return (dice in the pool, dice in hand, certain successes)."""
    return state.pool.tolist(), state.hand.tolist(), state.successes.tolist()


@pytest.mark.nojit
def test_every_die_of_everyone_up_is_rolled_and_loot_dice_too():
    """M1."""
    team = (runner(street_samurai=2, mage=1), runner(street_samurai=1), runner(face=3), runner(rigger=2))
    scn, state = begun(mission(*team, loot_cards=["die:mage"]))
    for r, condition in enumerate((UP, INJURED, RESCUED, DEAD)):
        state.condition[r] = condition
    rules.play_die_card(state, MAGE)
    rules.take_dice(scn, state)
    assert pool(state) == ([2, 0, 2, 0, 0], [2, 0, 2, 0, 0], [0] * 5)
    assert members(state.rolled, 4) == (0,)


@pytest.mark.nojit
@pytest.mark.parametrize(("dice", "hand", "certain"), [(4, 4, 0), (5, 3, 1), (6, 4, 1), (10, 8, 1)])
def test_a_veteran_team_sets_two_dice_aside_for_one_success_once_per_colour(dice, hand, certain):
    """M2."""
    scn, state = begun(mission(runner(street_samurai=dice, face=5)))
    rules.take_dice(scn, state)
    assert pool(state) == ([dice, 0, 0, 0, 5], [hand, 0, 0, 0, 3], [certain, 0, 0, 0, 1])


@pytest.mark.nojit
def test_a_veteran_success_comes_with_the_fifth_die_and_goes_when_a_runner_falls():
    """M2: four dice; a Loot die makes five; the runner with two of them falls, three are left."""
    team = (runner(street_samurai=2), runner(street_samurai=2))
    scn, state = begun(mission(*team, icons={"mage": 9}, loot_cards=["die:street_samurai"]))
    rules.take_dice(scn, state)
    assert pool(state)[1:] == ([4, 0, 0, 0, 0], [0] * 5)
    lay(state, roll(street_samurai="----"))
    rules.judge(scn, state)
    rules.play_die_card(state, SAMURAI)
    rules.take_dice(scn, state)
    assert pool(state)[1:] == ([3, 0, 0, 0, 0], [1, 0, 0, 0, 0])
    lay(state, roll(street_samurai="I--"))
    state.successes[SAMURAI] = 0
    hurt(scn, state, 1, SAMURAI)
    rules.judge(scn, state)
    rules.take_dice(scn, state)
    assert pool(state) == ([3, 0, 0, 0, 0], [3, 0, 0, 0, 0], [0] * 5)


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("icons", "faces", "wanted"),
    [
        ({"street_samurai": 1}, "---", True),
        ({"mage": 1}, "S--", True),
        ({"mage": 1}, "---", False),
        ({"mage": 2}, "SS-", False),
    ],
    ids=["direct", "half of a wild pair", "no pair alone", "three successes are one pair"],
)
def test_a_certain_success_is_a_success_like_any_other(icons, faces, wanted):
    """M3."""
    scn, state = rolled(mission(runner(street_samurai=5), icons=icons), street_samurai=faces)
    assert any(s.completed for s in results_of(scn, state)) is wanted


@pytest.mark.nojit
def test_a_certain_success_may_cancel():
    """M3."""
    scn, state = rolled(mission(runner(street_samurai=5)), street_samurai="I--")
    assert fates(scn, state) == {("up",), ("injured",)}


@pytest.mark.nojit
def test_each_success_does_one_thing():
    """M4: it defeats the icon and the injury stays, or it cancels and the icon stays, or it is lost."""
    scn, state = rolled(mission(runner(street_samurai=2), icons={BLACK: 1}), street_samurai="SI")
    assert {(s.completed, s.condition, s.rolls_left) for s in results_of(scn, state)} == {
        (True, ("injured",), 0),
        (False, ("up",), 2),
        (False, ("injured",), 0),
    }


@pytest.mark.nojit
def test_a_wild_pair_is_of_one_colour_and_may_be_for_an_icon_of_that_colour():
    """M4: three Decker successes against two Decker and two Mage icons defeat two icons at most."""
    scenario = mission(runner(decker=3, rigger=1), icons={GREEN: 2, "mage": 2})
    scn, state = rolled(scenario, decker="SSS", rigger="S")
    left = {(s.icons[DECKER], s.icons[MAGE]) for s in results_of(scn, state)}
    assert left == {(2, 2), (1, 2), (0, 2), (2, 1), (1, 1)}


@pytest.mark.nojit
def test_unused_successes_are_lost():
    """M4: one Decker success now and one in the next roll are no pair."""
    scn, state = rolled(mission(runner(decker=1), icons={"mage": 1}), decker="S")
    rules.judge(scn, state)
    roll_again(scn, state, decker="S")
    assert state.successes.tolist() == [0, 1, 0, 0, 0]


@pytest.mark.nojit
def test_a_loot_success_belongs_to_one_roll():
    """M5: as a success of that roll it can also be half of a pair; the next roll does not have it."""
    scenario = mission(runner(decker=1), icons={"mage": 2}, loot_cards=["success:decker"])
    scn, state = rolled(scenario, decker="S")
    rules.play_success_card(state, DECKER)
    assert state.successes.tolist() == [0, 2, 0, 0, 0]
    rules.defeat_with_pair(state, DECKER, MAGE)
    rules.judge(scn, state)
    roll_again(scn, state, decker="-")
    assert (state.icons[MAGE], state.successes.sum(), state.cards.sum()) == (1, 0, 0)


@pytest.mark.nojit
def test_a_loot_die_played_after_a_roll_counts_from_the_next_roll_of_that_stage():
    """M5."""
    scenario = mission(runner(decker=1), loot_cards=["die:mage"])
    scenario["stages"] = [{"icons": {"mage": 1}}, {"icons": {"mage": 1}}]
    scn, state = rolled(scenario, decker="-")
    rules.play_die_card(state, MAGE)
    assert state.pool.tolist() == [0, 1, 0, 0, 0]
    rules.judge(scn, state)
    roll_again(scn, state, decker="-", mage="S")
    rules.defeat_directly(state, MAGE)
    rules.judge(scn, state)
    assert state.phase == BETWEEN
    rules.start_stage(scn, state)
    rules.take_dice(scn, state)
    assert state.pool.tolist() == [0, 1, 0, 0, 0]


@pytest.mark.nojit
def test_evacuate_clears_nothing_and_hurts_nobody_and_keeps_what_was_earned():
    """M5."""
    scenario = mission(runner(decker=2), payout=9, loot_cards=["evacuate"])
    scenario["stages"] = [{"icons": {GREEN: 1}, "payout": 2}, {"icons": {GREEN: 1}}]
    scn, state = rolled(scenario, decker="S-")
    rules.defeat_directly(state, DECKER)
    rules.judge(scn, state)
    rules.start_stage(scn, state)
    roll_again(scn, state, decker="SI")
    away = [s for s in results_of(scn, state) if not s.cards]
    assert [(s.phase, s.completed, s.condition, s.cleared, s.reached, s.nuyen) for s in away] == [
        ("ended", False, ("up",), (0,), (0, 1), 2)
    ]


@pytest.mark.nojit
def test_ignore_injury_takes_one_injury_away():
    """M5: of two injuries, one is left."""
    scn, state = rolled(mission(runner(decker=2), loot_cards=["ignore-injury"]), decker="II")
    assert fates(scn, state) == {("dead",), ("injured",)}
    ignore(state, DECKER)
    assert (state.cards.sum(), state.injuries.tolist()) == (0, [0, 1, 0, 0, 0])


@pytest.mark.nojit
def test_icons_stay_defeated_for_three_rolls():
    """M6."""
    scn, state = begun(mission(runner(street_samurai=1), icons={BLACK: 4}))
    for icons, rolls_left in ((3, 2), (2, 1), (1, 0)):
        assert state.phase == ROLLING
        roll_again(scn, state, street_samurai="S")
        rules.defeat_directly(state, SAMURAI)
        rules.judge(scn, state)
        assert (state.icons[SAMURAI], state.rolls_left) == (icons, rolls_left)
    assert (state.phase, state.completed, state.cleared) == (ENDED, 0, 0)


@pytest.mark.nojit
def test_the_last_icon_clears_though_the_same_roll_kills():
    """M7, M8."""
    scn, state = rolled(mission(runner(street_samurai=3), icons={BLACK: 1}, payout=4), street_samurai="SII")
    rules.defeat_directly(state, SAMURAI)
    assert not hurt(scn, state, 0, SAMURAI)
    assert hurt(scn, state, 0, SAMURAI)
    rules.judge(scn, state)
    s = situation_of(scn, state)
    assert (s.completed, s.condition, s.cleared, s.nuyen) == (True, ("dead",), (0,), 4)


@pytest.mark.nojit
def test_a_loot_die_alone_makes_no_roll():
    """M7."""
    scn, state = begun(mission(runner(street_samurai=1), icons={"mage": 1}, loot_cards=["die:mage"]))
    rules.play_die_card(state, MAGE)
    roll_again(scn, state, street_samurai="I", mage="-")
    hurt(scn, state, 0, SAMURAI)
    rules.judge(scn, state)
    assert (state.phase, state.completed) == (ENDED, 0)


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("last", "perks"),
    [({"icons": {"mage": 1}, "loot": 1}, {}), ({"icons": {"mage": 1}}, {"clears_last_stage": True})],
    ids=["only an optional Stage left", "only a Stage for a perk left"],
)
def test_with_everyone_down_the_mission_ends_with_what_was_earned(last, perks):
    """M8, G10."""
    scenario = mission(runner(street_samurai=2), payout=9, **perks)
    scenario["stages"] = [{"icons": {BLACK: 1}, "payout": 2}, last]
    scn, state = rolled(scenario, street_samurai="SI")
    rules.defeat_directly(state, SAMURAI)
    hurt(scn, state, 0, SAMURAI)
    rules.judge(scn, state)
    s = situation_of(scn, state)
    assert (s.phase, s.completed, s.nuyen, s.reached, s.stage) == ("ended", False, 2, (0,), 1)


@pytest.mark.nojit
def test_a_skipped_last_stage_completes_and_pays_nothing_of_its_own():
    """M8: the Mission's 5K, not the Stage's 3K and card."""
    scenario = mission(runner(street_samurai=2), payout=5)
    scenario["stages"] = [{"icons": {BLACK: 1}, "loot": 1, "payout": 3}]
    scn, state = arrays_of(scenario), new_states(1)[0]
    rules.set_up(scn, state)
    rules.skip_stage(scn, state)
    s = situation_of(scn, state)
    assert (s.completed, s.nuyen, s.loot, s.reached, s.cleared) == (True, 5, 0, (), ())


@pytest.mark.nojit
def test_only_loot_stages_are_optional_and_pulling_out_comes_before_the_first_too():
    """M9."""
    scenario = mission(runner(street_samurai=1))
    scenario["stages"] = [{"icons": {BLACK: 1}, "payout": 2}, {"icons": {BLACK: 1}, "loot": 1}]
    scn, state = arrays_of(scenario), new_states(1)[0]
    rules.set_up(scn, state)
    assert [bool(rules.is_optional(scn, stage)) for stage in (0, 1)] == [False, True]
    assert state.phase == BETWEEN
    rules.pull_out(state)
    assert (state.phase, state.reached, state.completed) == (ENDED, 0, 0)


@pytest.mark.nojit
def test_an_injury_goes_to_who_put_a_die_of_its_colour_into_this_roll():
    """M10: not to the Decker, not to one injured earlier, dead or rescued."""
    team = [runner(street_samurai=1, mage=1)] + [runner(street_samurai=1) for _ in range(3)]
    team.append(runner(decker=1))
    scenario = mission(*team)
    scn, state = rolled(scenario, street_samurai="I---", mage="I", decker="-")
    assert targets(scn, state, SAMURAI) == (0, 1, 2, 3)
    assert targets(scn, state, MAGE) == (0,)
    before = (UP, INJURED, RESCUED, DEAD, UP)
    scn, state = rolled(scenario, before, street_samurai="I", mage="-", decker="-")
    assert targets(scn, state, SAMURAI) == (0,)
    assert fates(scn, state) == {("injured", "injured", "rescued", "dead", "up")}


@pytest.mark.nojit
def test_dice_set_aside_count_as_put_into_the_roll():
    """M2, M10: of five dice three fall, and the runner with one of the five is eligible."""
    scn, state = rolled(mission(runner(street_samurai=4), runner(street_samurai=1)), street_samurai="I--")
    assert targets(scn, state, SAMURAI) == (0, 1)


@pytest.mark.nojit
def test_nobody_dies_while_another_could_take_it():
    """M11."""
    team = (runner(street_samurai=2), runner(street_samurai=2))
    scn, state = rolled(mission(*team), street_samurai="III-")
    hurt(scn, state, 0, SAMURAI)
    assert targets(scn, state, SAMURAI) == (1,)
    hurt(scn, state, 1, SAMURAI)
    assert targets(scn, state, SAMURAI) == (0, 1)
    assert hurt(scn, state, 1, SAMURAI)


@pytest.mark.nojit
def test_a_first_injury_may_be_placed_so_that_a_later_one_must_kill():
    """M11: the first runner takes the Decker injury, and then nobody else may take the Samurai one."""
    team = (runner(street_samurai=1, decker=1), runner(decker=1))
    scn, state = rolled(mission(*team), street_samurai="I", decker="I-")
    assert fates(scn, state) == {("injured", "injured"), ("dead", "up")}
    hurt(scn, state, 0, DECKER)
    assert targets(scn, state, SAMURAI) == (0,)
    assert hurt(scn, state, 0, SAMURAI)


@pytest.mark.nojit
def test_a_token_is_no_way_to_survive():
    """M11: with a token held, the second injury still goes to the runner who is up."""
    team = (runner(token=True, street_samurai=1), runner(street_samurai=1))
    scn, state = rolled(mission(*team, docwagon_tokens=1), street_samurai="II")
    assert fates(scn, state) == {("injured", "injured")}


@pytest.mark.nojit
def test_plating_takes_the_first_injury_in_a_mission():
    """M12: plate, injured, dead; once used it is gone for the Mission."""
    for faces, condition in (("I--", "up"), ("II-", "injured"), ("III", "dead")):
        scn, state = rolled(mission(runner(plate=True, street_samurai=3)), street_samurai=faces)
        assert {(s.condition, s.plates) for s in results_of(scn, state)} == {((condition,), (False,))}
    scn, state = rolled(mission(runner(plate=True, street_samurai=3)), street_samurai="I--")
    hurt(scn, state, 0, SAMURAI)
    rules.judge(scn, state)
    roll_again(scn, state, street_samurai="I--")
    hurt(scn, state, 0, SAMURAI)
    assert state.condition[0] == INJURED


@pytest.mark.nojit
def test_a_runner_with_an_unused_plate_counts_as_able_to_survive():
    """M11, M12: three injuries for two runners, one of them plated: nobody dies."""
    team = (runner(plate=True, street_samurai=1), runner(street_samurai=2))
    scn, state = rolled(mission(*team), street_samurai="III")
    assert fates(scn, state) == {("injured", "injured")}


@pytest.mark.nojit
@pytest.mark.parametrize(("option", "who"), [(False, (1,)), (True, (0, 1))])
def test_whether_a_plate_takes_any_colour_is_an_option(option, who):
    """M12: a plated Samurai and a Decker; a Decker injury."""
    team = (runner(plate=True, street_samurai=1), runner(decker=1))
    scenario = mission(*team, rules={"plating_takes_any_colour": option})
    scn, state = rolled(scenario, street_samurai="-", decker="I")
    assert targets(scn, state, DECKER) == who
    wanted = {(("up", "injured"), True)} | ({(("up", "up"), False)} if option else set())
    assert {(s.condition, s.plates[0]) for s in results_of(scn, state)} == wanted


@pytest.mark.nojit
def test_a_plate_for_any_colour_is_used_up_by_one_injury_and_stays_at_home_with_its_runner():
    """M12 under the option: a second injury of a colour not the runner's own is not for it."""
    team = (runner(plate=True, street_samurai=1), runner(decker=3))
    scenario = mission(*team, rules={"plating_takes_any_colour": True})
    scn, state = rolled(scenario, street_samurai="-", decker="II-")
    hurt(scn, state, 0, DECKER)
    assert (state.condition[0], targets(scn, state, DECKER)) == (UP, (1,))
    scn, state = rolled(scenario, (INJURED, UP), decker="II-")
    assert targets(scn, state, DECKER) == (1,)


@pytest.mark.nojit
def test_a_plate_for_any_colour_is_a_choice_for_an_injury_that_somebody_must_take():
    """M12, M14 under the option: it may save a life; a Loot die's injury without a taker stays so."""
    team = (runner(plate=True, street_samurai=1), runner(decker=2))
    option = {"rules": {"plating_takes_any_colour": True}}
    scn, state = rolled(mission(*team, **option), street_samurai="-", decker="II")
    hurt(scn, state, 1, DECKER)
    assert targets(scn, state, DECKER) == (0, 1)
    hurt(scn, state, 0, DECKER)
    assert state.condition.tolist()[:2] == [UP, INJURED]
    scn, state = begun(mission(*team, loot_cards=["die:mage"], **option))
    rules.play_die_card(state, MAGE)
    roll_again(scn, state, street_samurai="-", decker="--", mage="I")
    assert targets(scn, state, MAGE) == ()


@pytest.mark.nojit
def test_a_token_turns_a_death_into_an_injury_and_the_rescued_are_left_alone():
    """M13, M14: of two tokens one is spent, the third and fourth injury find nobody."""
    scn, state = rolled(mission(runner(street_samurai=4), docwagon_tokens=2), street_samurai="IIII")
    assert {(s.condition, s.tokens) for s in results_of(scn, state)} == {(("dead",), 2), (("rescued",), 1)}
    hurt(scn, state, 0, SAMURAI)
    assert hurt(scn, state, 0, SAMURAI)
    rules.rescue(state, 0)
    assert (state.condition[0], targets(scn, state, SAMURAI)) == (RESCUED, ())


@pytest.mark.nojit
def test_without_a_token_there_is_no_rescue():
    """M13."""
    scn, state = rolled(mission(runner(street_samurai=2)), street_samurai="II")
    assert not rules.can_rescue(state, 0)
    assert fates(scn, state) == {("dead",)}


@pytest.mark.nojit
def test_an_injury_without_an_eligible_runner_has_no_effect():
    """M14: a Loot die of a colour nobody else rolled; a third injury after the only contributor's death."""
    scn, state = begun(mission(runner(street_samurai=3), loot_cards=["die:mage"]))
    rules.play_die_card(state, MAGE)
    roll_again(scn, state, street_samurai="---", mage="I")
    assert targets(scn, state, MAGE) == ()
    assert fates(scn, state) == {("up",)}
    scn, state = rolled(mission(runner(street_samurai=3)), street_samurai="III")
    hurt(scn, state, 0, SAMURAI)
    hurt(scn, state, 0, SAMURAI)
    assert (state.condition[0], targets(scn, state, SAMURAI)) == (DEAD, ())


@pytest.mark.nojit
def test_a_rescued_runner_is_told_apart_from_an_injured_one_to_the_end():
    """M15: after the Mission the rescued one recovers for one token, the other for two."""
    team = (runner(street_samurai=2), runner(decker=1))
    scenario = mission(*team, docwagon_tokens=1)
    scn, state = rolled(scenario, street_samurai="II", decker="I")
    hurt(scn, state, 0, SAMURAI)
    hurt(scn, state, 0, SAMURAI)
    rules.rescue(state, 0)
    hurt(scn, state, 1, DECKER)
    rules.judge(scn, state)
    assert (state.phase, state.condition.tolist()[:2]) == (ENDED, [RESCUED, INJURED])


@pytest.mark.nojit
def test_nobody_is_killed_in_a_task():
    """M16: the second and third injury are ignored, and no token is spent on them."""
    scenario = mission(runner(street_samurai=3), task=True, docwagon_tokens=1)
    scn, state = rolled(scenario, street_samurai="III")
    assert {(s.condition, s.tokens, s.phase) for s in results_of(scn, state)} == {(("injured",), 1, "ended")}


@pytest.mark.nojit
def test_dice_set_aside_are_never_rerolled():
    """M18: of five dice at most the three rolled can be taken up, and the certain success stays."""
    scn, state = rolled(mission(runner(street_samurai=5), rerolls=1), street_samurai="SI-")
    assert int(rules.blanks(state, SAMURAI)) == 1
    assert max(option.picked for option in rerolls_of(scn, state)) == (3, 0, 0, 0, 0)
    rules.take_up(state, SAMURAI, 1, 1, 1)
    assert (state.hand[SAMURAI], state.successes[SAMURAI], state.injuries[SAMURAI]) == (3, 1, 0)


@pytest.mark.nojit
def test_a_free_reroll_is_for_any_dice_the_card_for_one_and_new_faces_may_be_taken_up_again():
    """M18: of three different faces 7 sets and 3 single dice; then the same die by the other reroll."""
    scenario = mission(runner(street_samurai=3), loot_cards=["reroll-die"], rerolls=1)
    scn, state = rolled(scenario, street_samurai="SI-")
    options = rerolls_of(scn, state)
    assert [sum(option.after.rerolls == left for option in options) for left in (0, 1)] == [7, 3]
    rules.take_up(state, SAMURAI, 0, 1, 0)
    state.rerolls -= 1
    rules.let_fall(state, SAMURAI, 0, 1)
    assert faces_of(state)[SAMURAI] == (1, 1, 1)
    again = rerolls_of(scn, state)
    assert {(sum(option.picked), option.after.cards) for option in again} == {(1, ())}
    assert len(again) == 3


@pytest.mark.nojit
def test_a_token_of_ones_own_is_for_nobody_else_and_is_spent_first():
    """G8."""
    team = (runner(token=True, street_samurai=2), runner(decker=2))
    scn, state = rolled(mission(*team), decker="II", street_samurai="--")
    assert fates(scn, state) == {("up", "dead")}
    scn, state = rolled(mission(*team, docwagon_tokens=1), street_samurai="II", decker="--")
    assert {(s.condition[0], s.own_tokens[0], s.tokens) for s in results_of(scn, state)} == {
        ("dead", True, 1),
        ("rescued", False, 1),
    }


@pytest.mark.nojit
def test_perks_clear_the_first_and_last_stage_as_printed_with_payout_and_loot():
    """G10: 1K and two cards (its own and the Decker perk's), then 2K and the Mission's 4K."""
    perks = {"clears_first_stage": True, "clears_last_stage": True, "loot_for_first_stage": True}
    scenario = mission(runner(street_samurai=1), payout=4, **perks)
    scenario["stages"] = [{"icons": {BLACK: 9}, "loot": 1, "payout": 1}, {"icons": {BLACK: 9}, "payout": 2}]
    scn, state = begun(scenario)
    s = situation_of(scn, state)
    assert (s.phase, s.stage, s.nuyen, s.loot) == ("between", 1, 1, 2)
    rules.start_stage(scn, state)
    s = situation_of(scn, state)
    assert (s.completed, s.nuyen, s.loot, s.reached, s.cleared) == (True, 7, 2, (0, 1), (0, 1))


@pytest.mark.nojit
@pytest.mark.parametrize("perk", ["clears_first_stage", "clears_last_stage"])
def test_a_single_stage_is_first_and_last(perk):
    """G10."""
    scn, state = begun(mission(runner(street_samurai=1), icons={BLACK: 9}, **{perk: True}))
    assert situation_of(scn, state).completed


@pytest.mark.nojit
def test_the_decker_perk_pays_for_a_first_stage_cleared_by_roll_not_for_one_skipped():
    """G10: the Stage's own card and the perk's; none for skipping."""
    scenario = mission(runner(street_samurai=1), loot_for_first_stage=True)
    scenario["stages"] = [{"icons": {BLACK: 1}, "loot": 1}]
    scn, state = rolled(scenario, street_samurai="S")
    rules.defeat_directly(state, SAMURAI)
    rules.judge(scn, state)
    assert situation_of(scn, state).loot == 2
    rules.set_up(scn, state)
    rules.skip_stage(scn, state)
    assert situation_of(scn, state).loot == 0
