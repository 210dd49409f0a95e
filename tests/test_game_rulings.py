"""The rulings G1 to G17 as they show in a game, and the perks of the Eye of the Needle (docs/rulings.md)."""

import game_table as gt
import numpy as np
import pytest
from game_table import (
    BODYGUARD,
    DANTES,
    DATASTEAL,
    DECKER,
    DOCWAGON,
    EYE,
    FACE,
    FENCE,
    FINAL,
    HOST,
    JOHNSON,
    MALL,
    SAMURAI,
    do,
    place,
)

from sprawlsim.sprawlops.game.arrays import (
    EMPTY,
    FIT,
    HELD,
    HURT,
    LOOT_DECK,
    MISSION_DECK,
    ON_BOARD,
    RECOVERING,
    RUNNER_DECK,
    SET_ASIDE,
)
from sprawlsim.sprawlops.game.play import Game

PERKS = {"Street Samurai": "Veteran Samurai", "Decker": "Backroom Decker", "Mage": "Corium"}
PERKS |= {"Rigger": "Garage Rigger", "Face": "Charming Samurai"}


def with_perk(perk, *missions, players=2):
    """Let player 0 hold a perk, and stand before choosing a Mission."""
    game = gt.boldly(gt.new_table(players))
    gt.seat(game, 0, 3, PERKS[perk])
    for mission in missions:
        gt.give_mission(game, 0, mission)
    place(game, PERKS[perk], f"{EYE} ({perk})")
    return gt.end_placing(game)


# --- The Eye of the Needle ----------------------------------------------------------------------------------


@pytest.mark.parametrize("perk", PERKS)
def test_a_space_of_the_eye_needs_the_role_icon(perk):
    """Rulebook, "The Eye of the Needle": on the Shadowrunner card; dice of Gear do not count."""
    game = gt.new_table(4)
    gt.give_gear(game, 0, "Evening Suit", SAMURAI)
    for slot, role in ((SAMURAI, "Street Samurai"), (DECKER, "Decker"), (FACE, "Face")):
        name = gt.team(game, 0)[slot]
        assert bool(gt.options(game, "PLACE", f"{name} at {EYE} ({perk})")) == (role == perk)
    gt.seat(game, 0, 3, PERKS[perk])
    assert gt.options(game, "PLACE", f"{PERKS[perk]} at {EYE} ({perk})")


def test_a_covered_space_is_not_covered_again():
    """Rulebook, "The Eye of the Needle": each space is for one player."""
    game = gt.new_table(3)
    place(game, "Tamsynn", EYE)
    assert not gt.options(game, "PLACE", f"Quiet Decker at {EYE}")
    assert gt.options(game, "PLACE", f"Formal Face at {EYE} (Face)")


def test_who_has_two_roles_chooses_the_space():
    """Rulebook, "The Eye of the Needle"."""
    game = gt.new_table()
    gt.seat(game, 0, 3, "Lazar")
    assert len(gt.options(game, "PLACE", f"Lazar at {EYE}")) == 2


def test_the_samurai_perk_clears_the_first_stage():
    """Rulebook, "The Eye of the Needle"; G10: without a roll, by anybody, once."""
    game = with_perk("Street Samurai", "Archive Job", "Errand Job")
    gt.send(game, "Archive", "Friendly Face")
    do(game, "USE_PERK")
    ends = gt.endings(game, 60)
    assert all(end.book.cleared & 1 for end in ends)
    again = next(end for end in ends if end.round == 1)
    gt.idle_until(again, lambda g: "ATTEMPT" in gt.kinds(g))
    assert not gt.options(do(again, "ATTEMPT"), "USE_PERK")


def test_the_rigger_perk_clears_the_last_stage_and_pays_for_it():
    """Rulebook, "The Eye of the Needle"; G10: payout of that Stage included."""
    game = with_perk("Rigger", "Rooftop Job")
    stages = gt.printed(game, "Rooftop Job").stages
    assert stages[-1].payout
    gt.send(game, "Rooftop", "Steady Samurai")
    do(game, "USE_PERK")
    for end in gt.endings(game, 60):
        if end.book.cleared & 1 and end.state.condition[0, SAMURAI] == FIT:
            assert end.book.completed
        if end.book.completed:
            assert end.state.nuyen[0] == 100 + gt.printed(game, "Rooftop Job").payout + stages[-1].payout
    gt.ending(game, gt.completed)


def test_samurai_and_rigger_perks_together_complete_a_mission_of_two_stages():
    """G10: a participating runner still up is needed, and no roll."""
    game = gt.new_table(3)
    gt.seat(game, 0, 3, "Lazar")
    gt.give_mission(game, 0, "Errand Job")
    place(game, "Lazar", EYE + " (Rigger)")
    gt.turn_of(game, 0)
    place(game, "Steady Samurai", EYE + " (Street Samurai)")
    gt.send(gt.end_placing(game), "Errand Job", "Friendly Face")
    do(game, "USE_PERK", "Street Samurai")
    do(game, "USE_PERK", "Rigger")
    assert all(map(gt.completed, gt.endings(game, 20)))


def test_the_decker_perk_gives_a_loot_card_for_the_first_stage():
    """Rulebook, "The Eye of the Needle"; G10: only where the first Stage is cleared."""
    game = with_perk("Decker", "Warehouse Job")
    gt.send(game, "Warehouse", "Steady Samurai")
    do(game, "USE_PERK")
    for end in gt.endings(game, 60):
        assert end.book.loot == (end.book.cleared & 1)
    won = gt.ending(game, lambda g: g.book.cleared & 1 and not gt.discards(g, LOOT_DECK))
    assert len(gt.loot_of(won, 0)) == 1


def test_the_decker_perk_waits_for_a_mission_whose_first_stage_is_passed():
    """Rulebook, "The Eye of the Needle": Stage 1 of a Mission of this round brings Loot."""
    game = with_perk("Decker", "Archive Job", "Warehouse Job")
    gt.send(game, "Archive", "Friendly Face")
    do(game, "USE_PERK")
    game = gt.ending(game, lambda g: not g.book.cleared and g.round == 1)
    gt.idle_until(game, lambda g: "ATTEMPT" in gt.kinds(g))
    gt.send(game, "Warehouse", "Steady Samurai")
    assert gt.options(game, "USE_PERK", "Decker")


@pytest.mark.parametrize("perk", ["Street Samurai", "Decker", "Rigger"])
def test_no_perk_is_usable_on_the_final_mission(perk):
    """Rulebook, "The Eye of the Needle"; G10."""
    game = gt.boldly(gt.new_table())
    gt.seat(game, 0, 3, PERKS[perk])
    place(game, PERKS[perk], EYE)
    gt.turn_of(game, 0)
    place(game, "Friendly Face", FINAL)
    gt.send(gt.end_placing(game), "", "Steady Samurai")
    assert game.phase == "Attempt Final Mission"
    assert not gt.options(game, "USE_PERK")


# --- The Mage's perk, G16 -----------------------------------------------------------------------------------


def mage_after(name, location, players=3):
    """Place a runner of player 0, then a Mage on the Eye."""
    game = gt.boldly(gt.new_table(players))
    gt.seat(game, 0, 3, "Corium")
    place(game, name, location)
    gt.turn_of(game, 0)
    return place(game, "Corium", EYE + " (Mage)")


def test_the_mage_perk_moves_another_runner_and_takes_the_action():
    """Rulebook, "The Eye of the Needle": as if placing it from the Runner board; somewhere else."""
    game = mage_after("Tamsynn", MALL)
    assert {a.arguments[0] for a in gt.options(game, "MOVE")} == {DECKER}, "neither itself nor the unplaced"
    assert MALL not in gt.where_to(game, "Tamsynn", "MOVE")
    do(game, "MOVE", f"Tamsynn at {DOCWAGON}")
    assert game.state.tokens[0] == 1
    do(game, "PASS")
    assert game.player == 1
    assert game.state.there[0, gt.at(MALL)] == 0


def test_the_mage_perk_has_nobody_to_move_at_first():
    """Rulebook, "The Eye of the Needle": the Mage moves another runner that is placed."""
    game = gt.new_table()
    gt.seat(game, 0, 3, "Corium")
    place(game, "Corium", EYE)
    assert game.player == 1


def test_a_moved_runner_obeys_the_limits_of_its_new_location():
    """Rulebook, "The Eye of the Needle": takes the action as if placed from the Runner board."""
    game = mage_after("Steady Samurai", MALL)
    assert FENCE in gt.where_to(game, "Steady Samurai", "MOVE")
    gt.pin(game, 1, SAMURAI, FENCE)
    gt.recover(game, 0, SAMURAI)
    assert not {FENCE, BODYGUARD, DATASTEAL, FINAL} & gt.where_to(game, "Steady Samurai", "MOVE")


def test_a_moved_runner_no_longer_reserves_the_final():
    """G16; the others move up."""
    game = mage_after("Tamsynn", FINAL)
    do(game, "MOVE", f"Tamsynn at {DOCWAGON}")
    gt.turn_of(game, 1)
    place(game, "Formal Face", FINAL)
    gt.end_placing(game)
    assert game.player == 1
    assert game.phase == "Attempt Final Mission"
    do(game, "PASS")
    assert game.round == 2


def test_a_moved_runner_frees_its_space_of_the_eye_and_loses_the_perk():
    """G16."""
    game = mage_after("Friendly Face", EYE, players=4)
    assert not {EYE} & gt.where_to(game, "Friendly Face", "MOVE")
    do(game, "MOVE", f"Friendly Face at {DANTES}")
    assert gt.options(game, "PLACE", f"Formal Face at {EYE} (Face)")
    gt.end_round(game)
    assert game.state.first == 1, "the token moves left as ever"


def test_a_runner_moved_out_of_dantes_inferno_keeps_pay_and_token_and_may_run():
    """G16, G17: no longer for hire; it runs its own Missions again."""
    game = mage_after("Tamsynn", DANTES)
    paid = int(game.state.nuyen[0])
    assert paid > 100
    do(game, "MOVE", f"Tamsynn at {JOHNSON}")
    do(game, "SELECT", game.names.missions[gt.market(game, MISSION_DECK)[0]])
    gt.give_mission(game, 1, gt.hand_of(game, 0)[0])
    assert game.state.nuyen[0] == paid
    assert game.state.own_token[0, DECKER] == 1
    do(gt.end_placing(game), "ATTEMPT")
    assert gt.options(game, "JOIN", "Tamsynn")
    do(game, "PASS")
    assert game.player == 1
    assert not gt.options(do(game, "ATTEMPT"), "JOIN", "Tamsynn")


def test_a_moved_runner_keeps_the_mission_it_selected():
    """G16."""
    game = gt.new_table(3)
    gt.seat(game, 0, 3, "Corium")
    mission = game.names.missions[gt.market(game, MISSION_DECK)[0]]
    do(place(game, "Friendly Face", JOHNSON), "SELECT", mission)
    gt.turn_of(game, 0)
    do(place(game, "Corium", EYE), "MOVE", f"Friendly Face at {MALL}")
    assert gt.hand_of(game, 0) == [mission]


def test_a_runner_moved_away_from_a_task_frees_it_and_may_run():
    """G16: the Task's result stays; rulebook, "Run Mission This Round" of the new location."""
    game = gt.boldly(gt.new_table(3))
    gt.seat(game, 0, 3, "Corium")
    gt.give_mission(game, 0, "Errand Job")
    place(game, "Steady Samurai", BODYGUARD)
    game = gt.ending(game, lambda g: gt.completed(g) and g.state.condition[0, SAMURAI] == FIT)
    paid = int(game.state.nuyen[0])
    gt.turn_of(game, 0)
    do(place(game, "Corium", EYE), "MOVE", f"Steady Samurai at {MALL}")
    do(game, "PASS")
    assert game.state.nuyen[0] == paid
    gt.turn_of(game, 0)
    assert BODYGUARD in gt.where_to(game, "Tamsynn")
    assert gt.options(do(gt.end_placing(game), "ATTEMPT"), "JOIN", "Steady Samurai")


def test_a_plate_used_in_a_task_stays_used_until_upkeep():
    """Rulebook, "Upkeep Phase": only there the injury token comes off Dermal Plating; G16, M12."""
    game = gt.boldly(gt.new_table(3))
    gt.seat(game, 0, 3, "Corium")
    gt.set_dice(game, 0, SAMURAI, street_samurai=4)
    place(game, "Steady Samurai", BODYGUARD)
    plated = game.clone()
    gt.give_upgrade(plated, 0, SAMURAI, "Dermal Plating")
    gt.set_dice(plated, 0, SAMURAI, street_samurai=4)
    for key in range(4000):
        bare = game.clone()
        game.state.key = plated.state.key = bare.state.key = np.uint64(key)
        if do(bare, "ROLL").state.condition[0, SAMURAI] == HURT:
            saved = do(plated.clone(), "ROLL")
            if saved.state.condition[0, SAMURAI] == FIT:
                break
    gt.turn_of(saved, 0)
    do(place(saved, "Corium", EYE), "MOVE", f"Steady Samurai at {MALL}")
    gt.give_mission(saved, 0, "Laboratory Job")
    gt.send(gt.end_placing(saved), "Laboratory", "Steady Samurai")
    without = saved.clone()
    without.state.plating[0, SAMURAI] = 0
    for one, other in zip(gt.endings(saved, 40), gt.endings(without, 40), strict=True):
        assert gt.team(one, 0) == gt.team(other, 0)
        assert list(one.state.condition[0]) == list(other.state.condition[0])


# --- G9, G15: who leaves, who comes back --------------------------------------------------------------------


def five_runners():
    game = gt.new_table()
    gt.seat(game, 0, 3, "Lazar", gear=("Long Rifle",))
    gt.give_upgrade(game, 0, 3, "Dermal Plating")
    gt.give_upgrade(game, 0, 3, "Commlink")
    gt.give_upgrade(game, 0, 3, gt.unique_pile(game)[2])
    gt.show(game, RUNNER_DECK, "Corium", None)
    do(place(game, "Tamsynn", gt.HOST), "HIRE", "Corium")
    return gt.idle_until(game, lambda g: g.phase == "Upkeep")


def test_a_fifth_runner_forces_a_discard_before_it_is_placed():
    """Rulebook, "Hannibelle's Host"; G9: one of the four on the board leaves, not the newcomer."""
    game = five_runners()
    assert game.player == 0
    assert gt.kinds(game) == {"DISCARD"}
    told = [a.text for a in game.legal_actions()]
    assert len(told) == 4
    assert not any("Corium" in text for text in told)
    do(game, "DISCARD", "Tamsynn")
    assert game.round == 2
    assert sorted(gt.team(game, 0)) == ["Corium", "Friendly Face", "Lazar", "Steady Samurai"]


def test_a_discarded_runner_leaves_its_gear_and_loses_its_upgrades():
    """G9; M17: hired runner to the discards, Gear kept, Upgrades back, the unique one to the bottom."""
    game = five_runners()
    unique = game.names.unique[game.state.upgrade[0, 3]]
    pile = gt.unique_pile(game)
    do(game, "DISCARD", "Lazar")
    assert gt.gear_of(game, 0) == {"Long Rifle": HELD}
    assert list(game.state.pile) == [5, 5]
    assert gt.unique_pile(game) == [*pile[1:], unique, pile[0]], "returned, then cycled"
    lazar = gt.card(game, RUNNER_DECK, "Lazar")
    assert lazar in gt.discards(game, RUNNER_DECK)
    slot = gt.slot_of(game, "Corium")[1]
    assert game.state.plating[0, slot] == game.state.commlink[0, slot] == 0
    assert game.state.upgrade[0, slot] == EMPTY
    assert list(game.state.dice[0, slot]) == list(game.cards.runner_dice[game.state.card[0, slot]])


def test_a_discarded_starting_runner_is_set_aside():
    """Rulebook, "Hannibelle's Host": a starting runner goes beneath the board instead of the discards."""
    game = do(five_runners(), "DISCARD", "Friendly Face")
    assert game.state.starter[0, 2] == SET_ASIDE
    assert gt.card(game, RUNNER_DECK, "Friendly Face") not in gt.discards(game, RUNNER_DECK)


def test_two_hired_runners_force_two_discards():
    """G9, twice."""
    game = gt.new_table()
    gt.seat(game, 0, 3, "Lazar")
    gt.show(game, RUNNER_DECK, "Corium", "Budding Mage")
    do(place(game, "Tamsynn", gt.HOST), "HIRE", "Corium")
    gt.turn_of(game, 0)
    do(place(game, "Steady Samurai", gt.HOST), "HIRE", "Budding Mage")
    gt.idle_until(game, lambda g: g.phase == "Upkeep")
    do(game, "DISCARD", "Friendly Face")
    assert gt.kinds(game) == {"DISCARD"}
    do(game, "DISCARD", "Tamsynn")
    assert sorted(gt.team(game, 0)) == ["Budding Mage", "Corium", "Lazar", "Steady Samurai"]


def test_a_starting_runner_is_hired_again_for_nothing():
    """G15: by an action, instead of a face-up runner; it comes in Upkeep; it brings nothing back."""
    game = gt.new_table(nuyen=0)
    game.state.card[0, FACE] = EMPTY
    game.state.starter[0, 2] = SET_ASIDE
    before = gt.market(game, RUNNER_DECK)
    place(game, "Tamsynn", HOST)
    assert [a.text for a in gt.options(game, "HIRE_STARTER")] == ["hire Friendly Face again"]
    do(game, "HIRE_STARTER")
    assert gt.market(game, RUNNER_DECK) == before
    assert game.player == 1
    assert "Friendly Face" not in gt.team(game, 0)
    gt.turn_of(game, 0)
    assert not gt.options(place(game, "Steady Samurai", HOST), "HIRE_STARTER")
    gt.end_round(game)
    assert sorted(gt.team(game, 0)) == ["Friendly Face", "Steady Samurai", "Tamsynn"]
    assert game.state.starter[0, 2] == ON_BOARD


def test_nobody_hires_another_players_starting_runner():
    """Rulebook, "Hannibelle's Host": under the edge of one's own Runner board."""
    game = gt.new_table()
    game.state.card[0, FACE] = EMPTY
    game.state.starter[0, 2] = SET_ASIDE
    gt.turn_of(game, 1)
    assert not gt.options(place(game, "Quiet Decker", HOST), "HIRE_STARTER")


def test_who_has_no_runner_left_gets_the_starting_runners_back():
    """G15: at the end of Upkeep; not who has one, or gets one."""
    game = gt.new_table()
    for slot in (SAMURAI, DECKER, FACE):
        game.state.card[1, slot] = EMPTY
        game.state.starter[1, slot] = SET_ASIDE
    hiring = game.clone()
    gt.end_round(game)
    assert gt.team(game, 1) == ["Patient Samurai", "Quiet Decker", "Formal Face"]
    hiring.state.coming[1, 0] = gt.card(hiring, RUNNER_DECK, "Corium")
    gt.take_out(hiring, RUNNER_DECK, gt.card(hiring, RUNNER_DECK, "Corium"))
    hiring.state.n_coming[1] = 1
    gt.end_round(hiring)
    assert gt.team(hiring, 1) == ["Corium"]


# --- G17 ----------------------------------------------------------------------------------------------------


def hurt_with_own_token(tokens):
    """Let a runner with a token of its own be hurt on a Mission, not rescued."""
    game = gt.boldly(gt.new_table())
    gt.seat(game, 0, 3, "Lazar")
    gt.set_dice(game, 0, 3, street_samurai=4, rigger=4)
    gt.give_mission(game, 0, "Laboratory Job")
    game.state.tokens[0] = tokens
    gt.end_placing(game)
    game.state.own_token[0, 3] = 1
    gt.send(game, "Laboratory", "Lazar")
    return gt.ending(
        game, lambda g: g.state.own_token[0, 3] == 1 and g.state.condition[0, 3] in (HURT, RECOVERING)
    )


def test_a_token_on_a_runner_counts_for_its_own_healing():
    """G17, M15: one more heals it."""
    game = do(hurt_with_own_token(1), "HEAL", "Lazar")
    assert game.round == 2
    assert game.state.condition[0, 3] == FIT


def test_a_token_on_a_runner_heals_nobody_else():
    """G17."""
    game = gt.boldly(gt.new_table())
    gt.seat(game, 0, 3, "Lazar")
    gt.set_dice(game, 0, 3, street_samurai=4, rigger=4)
    gt.give_mission(game, 0, "Laboratory Job")
    game.state.tokens[0] = 1
    gt.end_placing(game)
    game.state.own_token[0, DECKER] = 1
    gt.send(game, "Laboratory", "Lazar", "Tamsynn")
    game = gt.ending(game, lambda g: g.state.heal[0, 3] == 2 and g.state.own_token[0, DECKER] == 1)
    assert gt.options(game, "HEAL", "Tamsynn")
    assert not gt.options(game, "HEAL", "Lazar")


def test_an_owner_may_heal_a_hired_runner_with_tokens_of_their_own():
    """G8, G17: the injury is the owner's, and so is the token on the runner."""
    game = gt.boldly(gt.new_table())
    gt.seat(game, 1, 3, "Lazar")
    gt.set_dice(game, 1, 3, street_samurai=4, rigger=4)
    gt.give_mission(game, 0, "Laboratory Job")
    gt.turn_of(game, 1)
    place(game, "Lazar", DANTES)
    gt.end_placing(game)
    game.state.tokens[1] = 1
    gt.send(game, "Laboratory", "Lazar")
    game = gt.ending(game, lambda g: g.state.condition[1, 3] == HURT and g.state.own_token[1, 3] == 1)
    assert game.player == 1
    do(game, "HEAL", "Lazar")
    assert game.state.condition[1, 3] == FIT


# --- G13 and chance -----------------------------------------------------------------------------------------


def test_the_rules_end_no_game_that_nobody_wins():
    """G13: there is no round limit in the rules."""
    game = gt.new_table()
    for _ in range(50):
        gt.end_round(game)
    assert game.round == 51
    assert game.winner is None


def test_the_same_choices_and_key_give_the_same_game():
    """Chance follows from the key; another key deals other cards."""
    games = [Game(players=3, seed=seed) for seed in (5, 5, 6)]
    for game in games:
        chance = np.random.default_rng(1)
        for _ in range(60):
            legal = game.legal_actions()
            game.apply(legal[chance.integers(len(legal))])
    assert games[0] == games[1]
    assert games[0] != games[2]
