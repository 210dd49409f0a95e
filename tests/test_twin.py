"""Tests of the naive twin itself: by hand, by golden values, and by the mended worked example."""

import csv
import json
import random
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import pytest
import twin
from twin import NOTHING, between_moves, legal_results, start

GOLDEN = Path(__file__).parent / "golden"
CASES = [
    pytest.param(case["scenario"], case["value"], id=case["name"])
    for name in ("mission-values.json", "loot-reroll-perk-values.json")
    for case in json.loads((GOLDEN / name).read_text(encoding="utf-8"))
]
# Exact fractions, a policy and a distribution take longer than one value in floats: not these.
LARGE = (
    "worked example team, first stage",
    "worked example team, three stages",
    "worked example team, loot worth 0.3",
)
SMALL_CASES = [case for case in CASES if case.id not in LARGE]
with (GOLDEN / "single-colour-cancel-first.csv").open(encoding="utf-8", newline="") as table:
    CANCEL_FIRST_ROWS = list(csv.DictReader(table))

BLACK, GREEN, MAGE, RIGGER, FACE = twin.COLOURS


def runner(plate=False, token=False, **dice):
    return {"dice": dice, "dermal_plating": plate, "docwagon_token": token}


def mission(*runners, icons=None, **more):
    """Return a scenario of one Stage, or of the Stages given."""
    return {"stages": [{"icons": icons or {BLACK: 3}}], "runners": list(runners), **more}


def going(scenario):
    """Return the situation before the first roll of the first Stage."""
    return between_moves(scenario, start(scenario))["go"]


def roll(**faces):
    """Return a roll from strings such as "SI-" by colour."""
    shown = [faces.get(colour, "") for colour in twin.COLOURS]
    return tuple((text.count("S"), text.count("I"), text.count("-")) for text in shown)


def fates(results):
    return {s.condition for s in results}


def legal_fates(scenario, **faces):
    """Return the conditions that can follow the first roll."""
    return fates(legal_results(scenario, going(scenario), roll(**faces)))


@pytest.mark.parametrize(
    ("dice", "rolled", "certain"), [(4, 4, 0), (5, 3, 1), (6, 4, 1), (10, 8, 1)], ids=str
)
def test_from_five_dice_two_are_set_aside_for_one_success(dice, rolled, certain):
    scenario = mission(runner(street_samurai=dice, face=5))
    assert twin.pool(scenario, going(scenario)) == ((rolled, 0, 0, 0, 3), (certain, 0, 0, 0, 1))


def test_the_fallen_add_no_dice_and_veterans_are_counted_again():
    scenario = mission(runner(street_samurai=4), runner(street_samurai=2, mage=1))
    s = going(scenario)
    assert twin.pool(scenario, s) == ((4, 0, 1, 0, 0), (1, 0, 0, 0, 0))
    for fallen in ("injured", "rescued", "dead"):
        assert twin.pool(scenario, s._replace(condition=("up", fallen))) == ((4, 0, 0, 0, 0), NOTHING)


def test_a_bonus_die_may_be_the_fifth():
    scenario = mission(runner(street_samurai=4), loot_cards=["die:street_samurai"])
    kept, played = sorted(twin.before_roll_moves(scenario, going(scenario)), key=lambda s: s.bonus)
    assert twin.pool(scenario, kept) == ((4, 0, 0, 0, 0), NOTHING)
    assert twin.pool(scenario, played) == ((3, 0, 0, 0, 0), (1, 0, 0, 0, 0))
    assert (kept.cards, played.cards) == (("die:street_samurai",), ())


def test_rolls_are_what_listing_every_face_of_every_die_gives():
    scenario = mission(runner(street_samurai=3, decker=1, face=1))
    counted = {}
    for faces in product("SSI---", repeat=5):
        shown = roll(street_samurai=faces[:3], decker=faces[3], face=faces[4])
        counted[shown] = counted.get(shown, 0) + Fraction(1, 6**5)
    assert twin.rolls(scenario, going(scenario)) == counted


def test_a_success_defeats_or_cancels_or_is_lost_but_never_two_of_these():
    scenario = mission(runner(street_samurai=2), icons={BLACK: 1})
    results = legal_results(scenario, going(scenario), roll(street_samurai="SI"))
    assert {(s.phase, s.completed, s.condition, s.rolls_left) for s in results} == {
        ("ended", True, ("injured",), 0),
        ("rolling", False, ("up",), 2),
        ("ended", False, ("injured",), 0),
    }


def test_a_wild_is_two_successes_of_one_colour():
    scenario = mission(runner(decker=2, rigger=1), icons={MAGE: 2})
    mixed = legal_results(scenario, going(scenario), roll(decker="S-", rigger="S"))
    pair = legal_results(scenario, going(scenario), roll(decker="SS", rigger="-"))
    assert {s.icons for s in mixed} == {(0, 0, 2, 0, 0)}
    assert {s.icons for s in pair} == {(0, 0, 2, 0, 0), (0, 0, 1, 0, 0)}


def test_a_wild_may_defeat_an_icon_of_any_colour_its_own_too():
    scenario = mission(runner(decker=3), icons={GREEN: 2, MAGE: 2})
    results = legal_results(scenario, going(scenario), roll(decker="SSS"))
    assert {(s.icons[1], s.icons[2]) for s in results} == {
        (2, 2),
        (1, 2),
        (0, 2),
        (2, 1),
        (1, 1),
    }


@pytest.mark.parametrize(
    ("icons", "wanted"),
    [({BLACK: 1}, True), ({MAGE: 1}, True), ({MAGE: 2}, False)],
    ids=["direct", "half of a wild", "only one wild"],
)
def test_a_certain_success_is_a_success_like_any_other(icons, wanted):
    scenario = mission(runner(street_samurai=5), icons=icons)
    results = legal_results(scenario, going(scenario), roll(street_samurai="S--"))
    assert any(s.completed for s in results) is wanted


def test_a_certain_success_may_cancel():
    scenario = mission(runner(street_samurai=5))
    assert legal_fates(scenario, street_samurai="I--") == {("up",), ("injured",)}


def test_icons_stay_defeated_for_three_rolls():
    scenario = mission(runner(street_samurai=1))
    s = going(scenario)
    for rolls_left in (2, 1):
        s = min(legal_results(scenario, s, roll(street_samurai="S")), key=lambda after: after.icons)
        assert (s.phase, s.rolls_left, s.icons) == ("rolling", rolls_left, (rolls_left, 0, 0, 0, 0))
    results = legal_results(scenario, s, roll(street_samurai="S"))
    assert {(after.phase, after.completed) for after in results} == {("ended", True), ("ended", False)}


def test_an_injury_goes_to_a_runner_with_dice_of_its_colour():
    scenario = mission(runner(street_samurai=1), runner(street_samurai=1, mage=1), runner(decker=1))
    assert legal_fates(scenario, mage="I") == {("up", "injured", "up")}
    assert legal_fates(scenario, street_samurai="I-") == {("injured", "up", "up"), ("up", "injured", "up")}


def test_nobody_dies_while_another_could_take_it():
    scenario = mission(runner(street_samurai=1), runner(street_samurai=2))
    assert legal_fates(scenario, street_samurai="II-") == {("injured", "injured")}
    assert legal_fates(scenario, street_samurai="III") == {("dead", "injured"), ("injured", "dead")}


def test_a_first_injury_may_be_placed_so_that_a_later_one_must_kill():
    scenario = mission(runner(street_samurai=1, decker=1), runner(decker=1))
    assert legal_fates(scenario, street_samurai="I", decker="I-") == {
        ("injured", "injured"),
        ("dead", "up"),
    }


def test_the_injured_of_an_earlier_roll_are_out_of_reach():
    scenario = mission(runner(street_samurai=2), runner(street_samurai=1, mage=1))
    s = going(scenario)._replace(condition=("injured", "up"))
    assert fates(legal_results(scenario, s, roll(street_samurai="I", mage="-"))) == {("injured", "injured")}
    assert fates(legal_results(scenario, s, roll(street_samurai="I", mage="I"))) == {("injured", "dead")}


def test_dice_set_aside_were_put_into_the_roll():
    scenario = mission(runner(street_samurai=4), runner(street_samurai=1))
    assert {("injured", "up"), ("up", "injured")} <= legal_fates(scenario, street_samurai="I--")


def test_plating_takes_the_first_injury():
    scenario = mission(runner(plate=True, street_samurai=3))
    for faces, condition in (("I--", "up"), ("II-", "injured"), ("III", "dead")):
        results = legal_results(scenario, going(scenario), roll(street_samurai=faces))
        assert {(s.condition, s.plates) for s in results} == {((condition,), (False,))}


def test_a_plated_runner_counts_as_able_to_survive():
    scenario = mission(runner(plate=True, street_samurai=1), runner(street_samurai=2))
    assert legal_fates(scenario, street_samurai="II-") == {("up", "injured"), ("injured", "up")}
    assert legal_fates(scenario, street_samurai="III") == {("injured", "injured")}


def test_a_token_may_turn_a_death_into_an_injury_and_the_rescued_are_left_alone():
    scenario = mission(runner(street_samurai=4), docwagon_tokens=2)
    for faces in ("II--", "III-", "IIII"):
        results = legal_results(scenario, going(scenario), roll(street_samurai=faces))
        assert {(s.condition, s.tokens) for s in results} == {(("dead",), 2), (("rescued",), 1)}


def test_a_token_is_no_way_to_survive_when_another_could_take_the_injury():
    scenario = mission(runner(street_samurai=1), runner(street_samurai=1), docwagon_tokens=1)
    assert legal_fates(scenario, street_samurai="II") == {("injured", "injured")}


def test_a_token_of_ones_own_is_for_nobody_else():
    scenario = mission(runner(token=True, street_samurai=2), runner(decker=2))
    assert legal_fates(scenario, decker="II", street_samurai="--") == {("up", "dead")}
    assert legal_fates(scenario, decker="--", street_samurai="II") == {("dead", "up"), ("rescued", "up")}


def test_either_token_may_be_spent_where_both_could():
    scenario = mission(runner(token=True, street_samurai=2), docwagon_tokens=1)
    results = legal_results(scenario, going(scenario), roll(street_samurai="II"))
    assert {(s.condition[0], s.own_tokens[0], s.tokens) for s in results} == {
        ("dead", True, 1),
        ("rescued", True, 0),
        ("rescued", False, 1),
    }


def test_an_injury_without_an_eligible_runner_has_no_effect():
    scenario = mission(runner(street_samurai=4), loot_cards=["die:mage"])
    s = going(scenario)._replace(bonus=(0, 0, 1, 0, 0), cards=())
    assert fates(legal_results(scenario, s, roll(street_samurai="----", mage="I"))) == {("up",)}
    assert legal_fates(scenario, street_samurai="IIII") == {("dead",)}


def test_nobody_is_killed_in_a_task():
    scenario = mission(runner(street_samurai=3), task=True, docwagon_tokens=1)
    results = legal_results(scenario, going(scenario), roll(street_samurai="III"))
    assert {(s.condition, s.tokens, s.phase) for s in results} == {(("injured",), 1, "ended")}


def test_the_last_icon_clears_whoever_falls():
    scenario = mission(runner(street_samurai=3), icons={BLACK: 1}, payout=4)
    results = legal_results(scenario, going(scenario), roll(street_samurai="SII"))
    best = next(s for s in results if s.completed)
    assert (best.condition, best.nuyen, best.cleared, best.reached) == (("dead",), 4, (0,), (0,))


def test_a_bonus_die_alone_makes_no_roll():
    scenario = mission(runner(street_samurai=1), icons={MAGE: 1})
    s = going(scenario)._replace(bonus=(0, 0, 1, 0, 0))
    (after,) = legal_results(scenario, s, roll(street_samurai="I", mage="-"))
    assert (after.phase, after.completed, after.cleared) == ("ended", False, ())


def test_a_bonus_die_leaves_with_its_stage():
    scenario = mission(runner(street_samurai=1))
    scenario["stages"] = [{"icons": {BLACK: 1}}, {"icons": {BLACK: 1}}]
    s = going(scenario)._replace(bonus=(0, 0, 1, 0, 0))
    results = legal_results(scenario, s, roll(street_samurai="-", mage="-"))
    assert {after.bonus for after in results} == {(0, 0, 1, 0, 0)}
    results = legal_results(scenario, s, roll(street_samurai="S", mage="-"))
    assert {after.bonus for after in results if after.cleared} == {NOTHING}


@pytest.mark.parametrize(
    ("last", "perks"),
    [({"icons": {MAGE: 1}, "loot": 1}, {}), ({"icons": {MAGE: 1}}, {"clears_last_stage": True})],
    ids=["only an optional Stage left", "only a Stage for a perk left"],
)
def test_with_every_runner_down_the_mission_ends_after_its_stage(last, perks):
    scenario = mission(runner(street_samurai=2), payout=9, **perks)
    scenario["stages"] = [{"icons": {BLACK: 1}, "payout": 2}, last]
    results = legal_results(scenario, going(scenario), roll(street_samurai="SI"))
    cleared = [s for s in results if s.cleared]
    assert [(s.phase, s.completed, s.nuyen, s.reached, s.stage) for s in cleared] == [
        ("ended", False, 2, (0,), 1)
    ]


def test_before_the_first_stage_one_may_pull_out():
    scenario = mission(runner(street_samurai=2))
    moves = between_moves(scenario, start(scenario))
    assert set(moves) == {"go", "pull out"}
    assert (moves["pull out"].phase, moves["pull out"].reached) == ("ended", ())


def test_a_skipped_last_stage_completes_and_pays_nothing_of_its_own():
    scenario = mission(runner(street_samurai=2), payout=5)
    scenario["stages"] = [{"icons": {BLACK: 1}, "loot": 1, "payout": 3}]
    skipped = between_moves(scenario, start(scenario))["skip"]
    assert (skipped.completed, skipped.nuyen, skipped.loot) == (True, 5, 0)
    assert (skipped.reached, skipped.cleared) == ((), ())


def test_perks_clear_first_and_last_as_printed_with_payout_and_loot():
    stages = [{"icons": {BLACK: 9}, "loot": 1, "payout": 1}, {"icons": {BLACK: 9}, "payout": 2}]
    perks = {"clears_first_stage": True, "clears_last_stage": True, "loot_for_first_stage": True}
    scenario = {"stages": stages, "runners": [runner(street_samurai=1)], "payout": 4, **perks}
    middle = between_moves(scenario, start(scenario))["go"]
    assert (middle.phase, middle.stage, middle.nuyen, middle.loot) == ("between", 1, 1, 2)
    done = between_moves(scenario, middle)["go"]
    assert (done.completed, done.nuyen, done.loot) == (True, 7, 2)
    assert (done.reached, done.cleared) == ((0, 1), (0, 1))
    skipped = between_moves(scenario, start(scenario))["skip"]
    assert (skipped.loot, skipped.reached) == (0, ())


@pytest.mark.parametrize("perk", ["clears_first_stage", "clears_last_stage"])
def test_a_single_stage_is_first_and_last_but_a_final_mission_has_no_perks(perk):
    scenario = mission(runner(street_samurai=1), **{perk: True})
    assert going(scenario).completed
    assert going(scenario | {"final": True}).phase == "rolling"


def test_the_decker_perk_pays_for_a_first_stage_cleared_by_roll():
    scenario = mission(runner(street_samurai=1), icons={BLACK: 1}, loot_for_first_stage=True)
    results = legal_results(scenario, going(scenario), roll(street_samurai="S"))
    assert {s.loot for s in results if s.completed} == {1}


def test_evacuate_before_or_after_a_roll_hurts_nobody_and_clears_nothing():
    scenario = mission(runner(street_samurai=2), icons={BLACK: 1}, loot_cards=["evacuate"])
    s = going(scenario)
    away = twin.ended(s._replace(cards=()))
    assert away in twin.before_roll_moves(scenario, s)
    assert away in legal_results(scenario, s, roll(street_samurai="II"))
    assert (away.condition, away.completed, away.reached) == (("up",), False, (0,))


def test_a_success_card_belongs_to_one_roll():
    scenario = mission(runner(street_samurai=1), icons={MAGE: 1}, loot_cards=["success:mage"])
    results = legal_results(scenario, going(scenario), roll(street_samurai="I"))
    assert {(s.completed, s.condition, s.cards) for s in results} == {
        (True, ("injured",), ()),  # the icon
        (False, ("up",), ()),  # the injury
        (False, ("injured",), ()),  # lost
        (False, ("injured",), ("success:mage",)),
    }


def test_two_success_cards_may_be_a_wild_pair():
    scenario = mission(
        runner(street_samurai=1), icons={GREEN: 1}, loot_cards=["success:mage", "success:mage"]
    )
    assert any(s.completed for s in legal_results(scenario, going(scenario), roll(street_samurai="-")))


def test_ignore_injury_needs_an_injury():
    scenario = mission(runner(street_samurai=1), loot_cards=["ignore-injury"])
    s = going(scenario)
    assert {after.cards for after in legal_results(scenario, s, roll(street_samurai="-"))} == {
        ("ignore-injury",)
    }
    assert {
        (after.condition[0], len(after.cards))
        for after in legal_results(scenario, s, roll(street_samurai="I"))
    } == {("up", 0), ("injured", 1)}


def test_every_choice_of_die_cards_may_be_played_before_a_roll():
    scenario = mission(runner(street_samurai=1), loot_cards=["die:mage", "die:mage", "die:decker"])
    moves = twin.before_roll_moves(scenario, going(scenario))
    assert {s.bonus[1:3] for s in moves} == {(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)}


def test_a_free_reroll_picks_up_any_dice_and_the_card_just_one():
    scenario = mission(runner(street_samurai=3), loot_cards=["reroll-die"], rerolls=1)
    s = going(scenario)
    options = twin.reroll_options(scenario, s, roll(street_samurai="SI-"))
    free = [option for option in options if option.after.rerolls == 0]
    card = [option for option in options if option.after.cards == ()]
    assert (len(free), len(card), len(options)) == (7, 3, 10)
    assert {sum(option.picked) for option in card} == {1}


def test_new_faces_may_be_taken_up_again_by_another_reroll():
    scenario = mission(runner(street_samurai=1), rerolls=2)
    s = going(scenario)
    (first,) = twin.reroll_options(scenario, s, roll(street_samurai="-"))
    (second,) = twin.reroll_options(scenario, first.after, roll(street_samurai="I"))
    assert twin.reroll_options(scenario, second.after, roll(street_samurai="I")) == set()


def test_dice_set_aside_are_not_rerolled():
    scenario = mission(runner(street_samurai=5), rerolls=1)
    options = twin.reroll_options(scenario, going(scenario), roll(street_samurai="---"))
    assert max(option.picked for option in options) == (3, 0, 0, 0, 0)


def test_one_die_one_icon():
    # A third clears, a sixth ends it, a half rolls on, three times.
    assert twin.best_value(mission(runner(street_samurai=1), icons={BLACK: 1})) == pytest.approx(7 / 12)


def test_one_die_one_icon_one_reroll():
    # With r rolls left: V0 = 0, 1/3, 1/2, 7/12 without the reroll; V1 = 5/9, 25/36, 7/9 with it.
    scenario = mission(runner(street_samurai=1), icons={BLACK: 1}, rerolls=1)
    assert twin.best_figures(scenario)["objective_value"] == Fraction(7, 9)


def test_one_die_one_icon_an_ignored_injury():
    # With r rolls left: with the card 1/3 + 1/6 V0(r-1) + 1/2 V1(r-1): 1/3, 5/9, 25/36.
    scenario = mission(runner(street_samurai=1), icons={BLACK: 1}, loot_cards=["ignore-injury"])
    expected = Fraction(1, 3) + Fraction(1, 6) * Fraction(1, 2) + Fraction(1, 2) * Fraction(5, 9)
    assert twin.best_figures(scenario)["objective_value"] == expected


def test_two_dice_one_icon_one_roll_each_way():
    # One roll: a success among two dice, 5/9; on I- and II nobody is left; on -- another roll: 1/4.
    # SI may cancel and roll again, but clearing is as good as it gets.
    value = twin.best_value(mission(runner(street_samurai=2), icons={BLACK: 1}))
    assert value == pytest.approx(5 / 9 * (1 + 1 / 4 + 1 / 16))


def test_ties_go_to_fewer_deaths():
    # Nothing can be won; with the Mission worth nothing either way, pulling out hurts nobody.
    scenario = mission(runner(street_samurai=2), icons={MAGE: 9})
    assert twin.best_figures(scenario) == {
        "objective_value": 0,
        "dead_count": 0,
        "injured_count": 0,
        "nuyen": 0,
        "loot": 0,
    }


@pytest.mark.parametrize(("scenario", "value"), CASES)
def test_best_value_is_golden(scenario, value):
    assert twin.best_value(scenario) == pytest.approx(value, rel=0, abs=1e-9)


@pytest.mark.parametrize(("scenario", "value"), SMALL_CASES)
def test_best_play_earns_its_value(scenario, value):
    law = twin.policy_distribution(scenario, twin.BestPlay(scenario))
    shown = twin.figures(scenario, law)
    best = twin.best_figures(scenario)
    assert sum(law.values()) == 1
    assert float(shown["objective_value"]) == pytest.approx(value, rel=0, abs=1e-9)
    for key in ("objective_value", "nuyen", "loot"):
        assert shown[key] == best[key]
    for key in ("injured_count", "dead_count"):
        assert sum(n * chance for n, chance in enumerate(shown[key])) == best[key]


class CancelFirst:
    """Injuries are cancelled first, what is left goes to icons; for one runner of one colour, no cards."""

    def between(self, scenario, s):
        return "go"

    def before_roll(self, scenario, s):
        return s

    def reroll(self, scenario, s, rolled):
        return None

    def play(self, scenario, s, rolled):
        successes, injuries, _ = rolled[0]
        successes += twin.pool(scenario, s)[1][0]
        cancelled = min(successes, injuries)
        icons = max(0, s.icons[0] - (successes - cancelled))
        left = (injuries - cancelled, 0, 0, 0, 0)
        (result,) = twin.results_of_use(scenario, s, (icons, 0, 0, 0, 0), left, s.cards)
        return result


@pytest.mark.parametrize(
    "row", CANCEL_FIRST_ROWS, ids=lambda row: f"{row['icons_needed']} icons {row['dice']} dice"
)
def test_cancel_first_of_one_colour(row):
    scenario = mission(runner(street_samurai=int(row["dice"])), icons={BLACK: int(row["icons_needed"])})
    shown = twin.figures(scenario, twin.policy_distribution(scenario, CancelFirst()))
    wound, death = shown["injured_count"][1], shown["dead_count"][1]
    clear = shown["completed"]
    exact = {"clear": clear, "wound": wound, "death": death, "fail_no_harm": 1 - clear - wound - death}
    for name, chance in exact.items():
        assert float(chance) == pytest.approx(float(row[f"p_{name}_exact"]), abs=0.5001e-4)


def spend(icons, successes, injuries):
    """Return (icons, injuries) left by giving each success die in turn a use; both sorted."""
    if not successes:
        return {(icons, injuries)}
    die, others = successes[0], successes[1:]
    left = spend(icons, others, injuries)
    if die in icons:
        left |= spend(drop(icons, die), others, injuries)
    for injury in set(injuries):
        left |= spend(icons, others, drop(injuries, injury))
    if die in others:
        for icon in set(icons):
            left |= spend(drop(icons, icon), drop(others, die), injuries)
    return left


def drop(dice, die):
    at = dice.index(die)
    return dice[:at] + dice[at + 1 :]


def suffer(scenario, s, order, takers):
    """Return conditions, plates and tokens once these injuries go to these runners; None if illegal."""
    condition, plates, tokens = list(s.condition), list(s.plates), s.tokens
    for colour, (taker, rescue) in zip(order, takers, strict=True):
        able, unable = [], []
        for n, card in enumerate(scenario["runners"]):
            if colour in card["dice"] and s.condition[n] == "up" and condition[n] in ("up", "injured"):
                (able if plates[n] or condition[n] == "up" else unable).append(n)
        if taker not in (able or unable or [0]) or (rescue and (able or not unable or tokens == 0)):
            return None
        if able and plates[taker]:
            plates[taker] = False
        elif able:
            condition[taker] = "injured"
        elif unable:
            condition[taker] = "rescued" if rescue else "dead"
            tokens -= rescue
    return tuple(condition), tuple(plates), tokens


def brute_results(scenario, s, shown):
    """Return (icons, conditions, plates, tokens) by every order and every taker; before judging."""
    names = twin.COLOURS
    certain = twin.pool(scenario, s)[1]
    successes = tuple(c for n, c in enumerate(names) for _ in range(shown[n][0] + certain[n]))
    injuries = tuple(c for n, c in enumerate(names) for _ in range(shown[n][1]))
    icons = tuple(c for n, c in enumerate(names) for _ in range(s.icons[n]))
    found = set()
    choices = list(product(range(len(s.condition)), (False, True)))
    for left, hurting in spend(icons, successes, injuries):
        for order in set(permutations(hurting)):
            for takers in product(choices, repeat=len(order)):
                end = suffer(scenario, s, order, takers)
                if end is not None:
                    found.add((tuple(left.count(c) for c in names), *end))
    return found


def random_situation(dice):
    """Return a small random scenario in the middle of its only Stage; its icons cannot all be defeated."""
    colours = dice.sample(twin.COLOURS, 3)
    crew = [
        runner(plate=dice.random() < 0.3, **{c: dice.randint(1, 2) for c in dice.sample(colours, 2)})
        for _ in range(dice.randint(1, 2))
    ]
    icons = {colour: dice.randint(0, 2) for colour in colours}
    scenario = mission(*crew, icons=icons, docwagon_tokens=dice.randint(0, 1))
    scenario["stages"][0]["icons"]["face"] = 9
    return scenario


@pytest.mark.parametrize("seed", range(150))
def test_legal_results_are_those_of_giving_each_die_its_own_use(seed):
    dice = random.Random(seed)
    scenario = random_situation(dice)
    s = going(scenario)
    shown = dice.choice([r for r in twin.rolls(scenario, s) if sum(faces[1] for faces in r) <= 3])
    results = legal_results(scenario, s, shown)
    # An ended situation shows no icons, so those are compared where somebody is still up.
    wanted = brute_results(scenario, s, shown)
    assert {(r.condition, r.plates, r.tokens) for r in results} == {end[1:] for end in wanted}
    assert {(r.icons, r.condition, r.plates, r.tokens) for r in results if "up" in r.condition} == {
        end for end in wanted if "up" in end[1]
    }


MAKE_SOME_NOISE = {
    "docwagon_tokens": 1,
    "loot_cards": ["success:mage"],  # Aqua Fortis
    "stages": [
        {"icons": {MAGE: 3}},
        {"icons": {GREEN: 4}, "loot": 1},
        {"icons": {MAGE: 3}, "payout": 3},
        {"icons": {BLACK: 1}},  # the fourth Stage is not printed; it is never reached
    ],
    "runners": [
        {"name": "Tamsynn", "dice": {GREEN: 3}, "dermal_plating": True},
        {"name": "Lazar", "dice": {BLACK: 3, RIGGER: 2, FACE: 1}},
    ],
}
HELD = ("success:mage",)
# Each roll of the replay: the dice, and what stands after the play that the example describes.
REPLAY = [
    (
        {"decker": "---", "street_samurai": "SS-", "rigger": "S-", "face": "S"},
        {"icons": (0, 0, 2, 0, 0), "rolls_left": 2, "condition": ("up", "up"), "plates": (True, False)},
    ),
    (
        {"decker": "SSI", "street_samurai": "S--", "rigger": "S-", "face": "S"},
        {"icons": (0, 0, 1, 0, 0), "rolls_left": 1, "condition": ("up", "up"), "plates": (True, False)},
    ),
    (
        {"decker": "SSS", "street_samurai": "SI-", "rigger": "SI", "face": "I"},
        {"phase": "between", "cleared": (0,), "condition": ("up", "up"), "plates": (True, False)},
    ),
    (
        {"decker": "SSS", "street_samurai": "SS-", "rigger": "--", "face": "-"},
        {"phase": "between", "cleared": (0, 1), "condition": ("up", "up"), "loot": 1, "cards": HELD},
    ),
    (
        {"decker": "SSI", "street_samurai": "---", "rigger": "I-", "face": "-"},
        {"icons": (0, 0, 2, 0, 0), "condition": ("up", "injured"), "plates": (False, False), "cards": HELD},
    ),
    (
        {"decker": "SS-"},
        {"icons": (0, 0, 1, 0, 0), "condition": ("up", "injured"), "rolls_left": 1, "cards": HELD},
    ),
    (
        {"decker": "II-"},
        {"phase": "ended", "condition": ("rescued", "injured"), "tokens": 0, "cards": (), "nuyen": 3},
    ),
]


def test_the_worked_example_can_be_replayed_roll_by_roll():
    s = start(MAKE_SOME_NOISE)
    for faces, wanted in REPLAY:
        if s.phase == "between":
            s = between_moves(MAKE_SOME_NOISE, s)["go"]
        dice = tuple(len(faces.get(colour, "")) for colour in twin.COLOURS)
        assert twin.pool(MAKE_SOME_NOISE, s) == (dice, NOTHING)
        shown = roll(**faces)
        assert shown in twin.rolls(MAKE_SOME_NOISE, s)
        kept = {"cards": HELD, "tokens": 1} | wanted
        matching = [
            after
            for after in legal_results(MAKE_SOME_NOISE, s, shown)
            if all(getattr(after, key) == value for key, value in kept.items())
        ]
        assert len(matching) == 1
        s = matching[0]
    assert not s.completed
    assert (s.cleared, s.reached, s.loot, s.nuyen) == ((0, 1, 2), (0, 1, 2), 1, 3)
