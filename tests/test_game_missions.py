"""Missions in a game: rulebook, "Running Missions", "Additional Rules", "Mr. Johnson", "Dante's Inferno"."""

import game_table as gt
import pytest
from game_table import DANTES, DECKER, FACE, FINAL, JOHNSON, SAMURAI, do, place

from sprawlsim.sprawlops.game.arrays import (
    EMPTY,
    FIT,
    GEAR_DECK,
    HELD,
    HURT,
    LOOT_DECK,
    MISSION_DECK,
    RECOVERING,
    RUNNER_DECK,
    SET_ASIDE,
)
from sprawlsim.sprawlops.mission.plays import CANCEL_FIRST


def to_run(*missions, players=2, prepare=lambda game: None):
    """Stand before player 0's Missions, everybody idle at the Crime Mall."""
    game = gt.boldly(gt.new_table(players))
    for mission in missions:
        gt.give_mission(game, 0, mission)
    prepare(game)
    return gt.end_placing(game)


def stages(game, mission):
    return gt.printed(game, mission).stages


def lone_and_wild(mission="Laboratory Job", *, tokens=0, prepare=lambda game: None):
    """Send one strong runner for hire, Lazar, on a hard Mission: injuries will come."""

    def seat(game):
        gt.seat(game, 0, 3, "Lazar", gear=("Long Rifle",))
        for upgrade in ("Commlink", gt.unique_pile(game)[1]):
            gt.give_upgrade(game, 0, 3, upgrade)
        gt.set_dice(game, 0, 3, street_samurai=4, rigger=4)
        game.state.tokens[0] = tokens
        prepare(game)

    return gt.send(to_run(mission, prepare=seat), mission, "Lazar")


def dead(game):
    return game.state.card[0, 3] == EMPTY


def hurt(game):
    return game.state.condition[0, 3] == HURT


# --- Mr. Johnson ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "reroll"), [("Tamsynn", 0), ("Friendly Face", 1)])
def test_mr_johnson_gives_a_mission_and_a_face_a_reroll(name, reroll):
    """Rulebook, "Mr. Johnson": one face-up Mission, run later; G3: its slot stays empty."""
    game = gt.new_table()
    gt.show(game, MISSION_DECK, "Errand Job", "Courier Job")
    do(place(game, name, JOHNSON), "SELECT", "Courier Job")
    assert gt.hand_of(game, 0) == ["Courier Job"]
    assert gt.market(game, MISSION_DECK) == [gt.card(game, MISSION_DECK, "Errand Job"), EMPTY]
    do(gt.end_placing(game), "ATTEMPT")
    assert game.state.reroll == reroll


def test_a_faces_reroll_helps_on_the_mission():
    """Rulebook, "Mr. Johnson", Face bonus."""
    done = []
    for by_face in (False, True):
        game = gt.boldly(gt.new_table())
        gt.give_mission(game, 0, "Warehouse Job", by_face=by_face)
        gt.send(gt.end_placing(game), "Warehouse Job", "Steady Samurai", "Tamsynn")
        done.append(sum(map(gt.completed, gt.endings(game, 200))))
    assert done[1] > done[0]


def test_with_no_face_up_mission_nothing_is_selected():
    """G3: selecting at Mr. Johnson needs a face-up Mission; the place is unlimited all the same."""
    game = gt.new_table()
    gt.show(game, MISSION_DECK)
    place(game, "Tamsynn", JOHNSON)
    assert game.player == 1
    assert gt.hand_of(game, 0) == []


# --- who may go --------------------------------------------------------------------------------------------


def test_injured_and_recovering_runners_stay_at_home():
    """Rulebook, "Choose Runners": an injury token on either side."""

    def prepare(game):
        game.state.condition[0, SAMURAI] = HURT
        game.state.condition[0, FACE] = RECOVERING

    game = do(to_run("Errand Job", prepare=prepare), "ATTEMPT")
    assert [a.text for a in gt.options(game, "JOIN")] == ["send Tamsynn"]


def test_a_runner_runs_one_mission_a_round():
    """Rulebook, "One Mission per Round": several Missions, different runners."""
    game = to_run("Errand Job", "Warehouse Job")
    game = gt.ending(gt.send(game, "Warehouse", "Tamsynn"), lambda g: g.round == 1)
    if "HEAL" in gt.kinds(game):
        do(game, "PASS")
    do(game, "ATTEMPT", "Errand Job")
    assert {a.text for a in gt.options(game, "JOIN")} == {"send Steady Samurai", "send Friendly Face"}
    gt.send(game, "", "Steady Samurai", "Friendly Face")
    game = gt.ending(game, lambda g: g.round == 2)
    assert game.book.figures[1, 0, 0] == 2


def test_when_all_have_run_the_rest_of_the_missions_are_discarded():
    """Rulebook, "One Mission per Round", "Run Missions Phase"."""
    game = gt.send(to_run("Errand Job", "Warehouse Job"), "Warehouse", *gt.team(to_run(), 0))
    game = gt.endings(game, 1)[0]
    assert game.round == 2
    gone = {gt.card(game, MISSION_DECK, name) for name in ("Errand Job", "Warehouse Job")}
    assert gone <= set(gt.discards(game, MISSION_DECK))


def test_a_mission_needs_somebody_to_send():
    """Rulebook, "Choose Runners"."""
    game = do(to_run("Errand Job"), "ATTEMPT")
    assert "ROLL" not in gt.kinds(game)
    do(game, "JOIN", "Tamsynn")
    assert "ROLL" in gt.kinds(game)


def test_who_attempted_the_final_runs_no_mission_and_others_do():
    """G7: any eligible runners attempt it; they cannot run another Mission in the same round."""
    game = gt.boldly(gt.new_table())
    place(game, "Friendly Face", FINAL)
    gt.give_mission(game, 0, "Errand Job")
    game = gt.send(gt.end_placing(game), "", "Tamsynn")
    game = gt.ending(game, gt.failed)
    assert game.phase == "Run Missions"
    do(game, "ATTEMPT")
    assert {a.text for a in gt.options(game, "JOIN")} == {"send Steady Samurai", "send Friendly Face"}


# --- what a Mission pays -----------------------------------------------------------------------------------


def test_a_completed_mission_pays_its_stages_and_its_payout():
    """Rulebook, "Completing a Mission", "Nuyen Payout Stage"."""
    game = gt.send(to_run("Rooftop Job"), "Rooftop", "Steady Samurai", "Tamsynn")
    card = gt.printed(game, "Rooftop Job")
    done = gt.ending(game, gt.completed)
    assert done.state.nuyen[0] == 100 + card.payout + sum(stage.payout for stage in card.stages)
    assert gt.card(game, MISSION_DECK, "Rooftop Job") in gt.discards(done, MISSION_DECK)


def test_a_failed_mission_pays_what_was_earned_before():
    """Rulebook, "Rolling Three Times": no rewards beyond any already received, no further penalty."""
    card = gt.printed(gt.new_table(), "Market Job")
    paying = next(i for i, stage in enumerate(card.stages) if stage.payout)

    def prepare(game):
        gt.make_strong(game, 0, SAMURAI, 2)

    game = gt.send(to_run("Market Job", prepare=prepare), "Market", "Steady Samurai", "Tamsynn")
    early = gt.ending(game, lambda g: gt.failed(g) and not g.book.cleared >> paying & 1)
    assert early.state.nuyen[0] == 100
    late = gt.ending(game, lambda g: gt.failed(g) and g.book.cleared >> paying & 1)
    assert late.state.nuyen[0] == 100 + card.stages[paying].payout


def test_a_cleared_loot_stage_gives_a_loot_card():
    """Rulebook, "Optional Loot Stage": immediately, whatever comes after."""

    def prepare(game):
        gt.make_strong(game, 0, SAMURAI, 2)

    game = gt.send(to_run("Courier Job", prepare=prepare), "Courier", "Steady Samurai", "Tamsynn")
    loot = next(i for i, stage in enumerate(stages(game, "Courier Job")) if stage.loot)
    won = gt.ending(game, lambda g: g.book.cleared >> loot & 1 and gt.loot_of(g, 0))
    assert len(gt.loot_of(won, 0)) == 1
    assert won.book.loot == 1
    game.orders["weights"][:, :, 2] = 0.0
    skipped = gt.ending(game, lambda g: g.book.completed and not g.book.cleared >> loot & 1)
    assert gt.loot_of(skipped, 0) == []


def test_with_no_loot_left_a_loot_stage_gives_none():
    """Rulebook, "Optional Loot Stage": with neither deck nor discards left, nobody draws."""

    def prepare(game):
        gt.make_strong(game, 0, SAMURAI, 2)
        gt.give_loot(game, 1, *game.names.loot)

    game = gt.send(to_run("Courier Job", prepare=prepare), "Courier", "Steady Samurai", "Tamsynn")
    game = gt.ending(game, lambda g: g.book.cleared >> 1 & 1)
    assert gt.loot_of(game, 0) == []
    assert len(gt.loot_of(game, 1)) == 11


def test_used_loot_is_discarded_and_comes_back():
    """Rulebook, "Loot": a used card goes to its discards."""

    def prepare(game):
        gt.give_loot(game, 0, "Lucky Shot")

    game = gt.send(to_run("Warehouse Job", prepare=prepare), "Warehouse", "Steady Samurai", "Tamsynn")
    used = gt.ending(game, lambda g: gt.completed(g) and not gt.loot_of(g, 0))
    assert gt.discards(used, LOOT_DECK) == [gt.card(game, LOOT_DECK, "Lucky Shot")]
    gt.put_stack(used, LOOT_DECK, [])
    gt.turn_of(used, 0)
    do(do(place(used, "Tamsynn", gt.FENCE), "SEE_LOOT"), "TAKE_LOOT")
    assert gt.loot_of(used, 0) == ["Lucky Shot"]


def test_evacuate_ends_a_mission_and_keeps_its_runner_whole():
    """Rulebook, "Loot", Evacuate: abandon the Mission, also after rolling to avoid the injuries rolled."""
    game = lone_and_wild(prepare=lambda g: gt.give_loot(g, 0, "Evacuate"))
    away = gt.ending(game, lambda g: gt.failed(g) and not gt.loot_of(g, 0))
    assert not dead(away)
    assert not hurt(away)
    assert gt.discards(away, LOOT_DECK)


# --- harm --------------------------------------------------------------------------------------------------


def test_an_injured_runner_recovers_for_a_round():
    """Rulebook, "Injuries", "Upkeep Phase"."""
    game = gt.ending(lone_and_wild(), lambda g: g.state.condition[0, 3] == RECOVERING)
    assert game.round == 2
    gt.give_mission(game, 0, "Errand Job")
    do(gt.end_placing(game), "ATTEMPT")
    assert not gt.options(game, "JOIN", "Lazar")
    do(game, "PASS")
    assert game.round == 3
    assert game.state.condition[0, 3] == FIT


def test_a_dead_runner_leaves_its_gear_to_the_player_and_loses_its_upgrades():
    """Rulebook, "Death"; M17: to the discards; Upgrades to their piles, a unique one to the bottom."""
    game = lone_and_wild()
    unique = game.names.unique[game.state.upgrade[0, 3]]
    pile = gt.unique_pile(game)
    game = gt.ending(game, dead)
    assert "Lazar" not in gt.team(game, 0)
    assert gt.card(game, RUNNER_DECK, "Lazar") in gt.discards(game, RUNNER_DECK)
    assert gt.gear_of(game, 0) == {"Long Rifle": HELD}
    assert list(game.state.pile) == [5, 5]
    assert gt.unique_pile(game) == [*pile[1:], unique, pile[0]], "at the bottom, then cycled"
    assert game.book.figures[1, 0, 5] == 1


def test_gear_of_the_dead_can_be_equipped_by_another_for_the_next_mission():
    """Rulebook, "Death": once the Mission is over, whoever may carry it takes it."""
    game = lone_and_wild(prepare=lambda g: gt.give_mission(g, 0, "Errand Job"))
    game = gt.ending(game, dead)
    assert game.phase == "Run Missions"
    assert [a.text for a in gt.options(game, "EQUIP")] == ["Long Rifle: equip Steady Samurai"]


def test_a_dead_starting_runner_is_set_aside():
    """M17."""

    def prepare(game):
        gt.set_dice(game, 0, SAMURAI, street_samurai=6)

    game = gt.send(to_run("Laboratory Job", prepare=prepare), "Laboratory", "Steady Samurai")
    game = gt.ending(game, lambda g: g.state.starter[0, 0] == SET_ASIDE)
    assert gt.team(game, 0) == ["Tamsynn", "Friendly Face"]
    assert not gt.discards(game, RUNNER_DECK) or game.round == 2


def test_a_token_rescues_who_would_die():
    """Rulebook, "Preventing Death"; M13: the death becomes an injury, the token is spent."""
    game = lone_and_wild(tokens=1)
    for end in gt.endings(game, 200):
        assert not dead(end)
    rescued = gt.ending(lone_and_wild(tokens=2), lambda g: g.state.tokens[0] == 1 and hurt(g))
    assert "Lazar" in gt.team(rescued, 0)
    assert rescued.state.commlink[0, 3] == 1


def test_a_rescued_runner_is_healed_with_one_more_token():
    """Rulebook, "Healing an Injury Token"; M15."""
    game = gt.ending(lone_and_wild(tokens=2), lambda g: g.state.tokens[0] == 1 and hurt(g))
    assert gt.kinds(game) == {"HEAL", "PASS"}
    do(game, "HEAL", "Lazar")
    assert game.round == 2
    assert game.state.condition[0, 3] == FIT


def test_two_tokens_remove_an_injury_after_the_mission():
    """Rulebook, "Healing an Injury Token"; M15: so that it is not recovering in the next round."""
    game = gt.ending(lone_and_wild(tokens=3), lambda g: g.state.tokens[0] == 3 and hurt(g))
    healed = do(game.clone(), "HEAL", "Lazar")
    assert healed.round == 2
    assert healed.state.condition[0, 3] == FIT
    left = do(game, "PASS")
    assert left.state.condition[0, 3] == RECOVERING


def test_one_token_heals_nobody_who_was_not_rescued():
    """Rulebook, "Healing an Injury Token"; M15."""
    ends = gt.endings(lone_and_wild(tokens=1), 100)
    assert any(end.state.condition[0, 3] == RECOVERING for end in ends)
    for end in ends:
        assert "HEAL" not in gt.kinds(end)


def test_a_healed_runner_has_run_its_mission():
    """Rulebook, "One Mission per Round"."""
    game = lone_and_wild(tokens=3, prepare=lambda g: gt.give_mission(g, 0, "Errand Job"))
    game = do(gt.ending(game, lambda g: g.state.tokens[0] == 3 and hurt(g)), "HEAL")
    assert game.state.tokens[0] == 1
    assert not gt.options(do(game, "ATTEMPT"), "JOIN", "Lazar")


# --- hired out of Dante's Inferno --------------------------------------------------------------------------


def for_hire(*, loan_gear=("Shoulder Cannon",), mission="Laboratory Job"):
    """Let player 1 hire out Lazar, and player 0 choose runners for a Mission."""
    game = gt.boldly(gt.new_table())
    gt.seat(game, 1, 3, "Lazar", gear=loan_gear)
    gt.give_upgrade(game, 1, 3, "Dermal Plating")
    gt.give_mission(game, 0, mission)
    gt.give_mission(game, 0, "Errand Job")
    gt.turn_of(game, 1)
    place(game, "Lazar", DANTES)
    gt.end_placing(game)
    return do(game, "ATTEMPT", mission)


def loan(game):
    return sum(gt.printed(game, name).loan for name in ("Lazar", "Shoulder Cannon", "Dermal Plating"))


def test_a_hirer_pays_the_whole_loan_value_to_the_bank():
    """Rulebook, "Choose Runners": also beyond the 4K that the owner got from the bank."""
    game = for_hire()
    assert loan(game) > 4
    assert game.state.nuyen[1] == 104
    gt.send(game, "", "Lazar")
    game = gt.ending(game, lambda g: gt.failed(g) and not g.book.cleared)
    assert game.state.nuyen[0] == 100 - loan(game)
    assert game.state.nuyen[1] == 104


def test_who_cannot_pay_cannot_hire():
    """Rulebook, "Choose Runners"."""
    game = for_hire()
    game.state.nuyen[0] = loan(game) - 1
    assert not gt.options(game, "JOIN", "Lazar")
    game.state.nuyen[0] += 1
    assert gt.options(game, "JOIN", "Lazar")


def test_the_owner_cannot_use_a_runner_in_dantes_inferno():
    """Rulebook, "Dante's Inferno": who is hired out goes on no Mission of the owner."""
    game = gt.new_table()
    gt.give_mission(game, 0, "Errand Job")
    place(game, "Tamsynn", DANTES)
    do(gt.end_placing(game), "ATTEMPT")
    assert not gt.options(game, "JOIN", "Tamsynn")


def test_a_runner_is_hired_once_a_round():
    """Rulebook, "One Mission per Round"."""
    game = gt.ending(gt.send(for_hire(), "", "Lazar"), lambda g: g.player == 0 and g.round == 1)
    do(game, "ATTEMPT", "Errand Job")
    assert not gt.options(game, "JOIN", "Lazar")


def test_an_injury_of_a_hired_runner_is_the_owners():
    """G8."""
    game = gt.send(for_hire(), "", "Lazar")
    game = gt.ending(game, lambda g: g.state.condition[1, 3] == HURT and g.state.own_token[1, 3] == 1)
    gt.end_round(game)
    assert game.state.condition[1, 3] == RECOVERING


def test_the_token_of_dantes_inferno_rescues_the_hired_runner_and_nobody_else():
    """G8."""
    game = gt.send(for_hire(), "", "Lazar")
    saved = gt.ending(game, lambda g: g.state.own_token[1, 3] == 0)
    assert "Lazar" in gt.team(saved, 1)
    game = for_hire()
    gt.set_dice(game, 0, SAMURAI, mage=6)
    gt.send(game, "", "Lazar", "Steady Samurai")
    killed = gt.ending(game, lambda g: g.state.card[0, SAMURAI] == EMPTY and g.state.own_token[1, 3] == 1)
    assert "Lazar" in gt.team(killed, 1)


def test_a_hired_runner_who_dies_is_lost_to_its_owner():
    """G8, M17: its Gear stays with the owner, its Upgrades go."""
    game = gt.send(for_hire(), "", "Lazar")
    game.state.own_token[1, 3] = 0
    game = gt.ending(game, lambda g: g.state.card[1, 3] == EMPTY)
    assert gt.gear_of(game, 1) == {"Shoulder Cannon": HELD}
    assert gt.gear_of(game, 0) == {}
    assert game.state.pile[0] == 5
    assert gt.card(game, RUNNER_DECK, "Lazar") in gt.discards(game, RUNNER_DECK)


# --- Gear --------------------------------------------------------------------------------------------------


def test_gear_needs_one_of_the_role_icons_on_the_card():
    """Rulebook, "Gear Card": dice of other Gear do not fulfil a requirement; no icon: any runner."""
    game = gt.new_table()
    gt.give_gear(game, 0, "Pocket Deck", SAMURAI)
    gt.give_gear(game, 0, "Glass Deck")
    gt.give_gear(game, 0, "Rapid Carbine")
    told = {a.text for a in gt.options(game, "EQUIP")}
    assert "Glass Deck: equip Steady Samurai" not in told, "it rolls a Decker die, and is no Decker"
    assert "Glass Deck: equip Tamsynn" in told
    assert "Rapid Carbine: equip Steady Samurai" in told, "one of two icons is enough"
    assert {"Pocket Deck: equip Tamsynn", "Pocket Deck: equip Friendly Face"} <= told


def test_gear_is_equipped_and_reequipped_freely():
    """Rulebook, "Equipped Gear Cards": as often as they wish, any number; before each Mission too."""
    game = to_run("Errand Job", "Warehouse Job", prepare=lambda g: gt.give_gear(g, 0, "Pocket Deck", SAMURAI))
    gt.give_gear(game, 0, "Evening Suit")
    do(game, "EQUIP", "Evening Suit: equip Tamsynn")
    do(game, "ATTEMPT", "Errand Job")
    do(game, "JOIN", "Tamsynn")
    do(game, "EQUIP", "Pocket Deck: equip Tamsynn")
    assert set(gt.gear_of(game, 0).values()) == {DECKER}
    dice = [game.state.dice[0, DECKER, colour] for colour in (1, 4)]
    gt.add_up(game, 0, DECKER)
    assert dice == [game.state.dice[0, DECKER, colour] for colour in (1, 4)]
    game = gt.ending(game, lambda g: g.round == 1 and "ATTEMPT" in gt.kinds(g))
    do(game, "EQUIP", "Pocket Deck: equip Steady Samurai")
    assert gt.gear_of(game, 0)["Pocket Deck"] == SAMURAI


@pytest.mark.parametrize("policy", [CANCEL_FIRST])
def test_nothing_of_a_mission_touches_another_player(policy):
    """Rulebook, "Running Missions"."""
    game = lone_and_wild()
    game.orders["policy"] = policy
    for end in gt.endings(game, 20):
        assert end.state.nuyen[1] == 100
        assert gt.team(end, 1) == gt.team(game, 1)
        assert (end.state.condition[1] == FIT).all()
        assert gt.count_cards(end, GEAR_DECK).total() == 20
