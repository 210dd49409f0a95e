"""The eleven locations, scenario by scenario: rulebook, "Appendix A: Locations"."""

import game_table as gt
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
    IRONWORKS,
    JOHNSON,
    MALL,
    SAMURAI,
    do,
    place,
)

from sprawlsim.sprawlops.game.arrays import (
    EMPTY,
    FIT,
    GEAR_DECK,
    HELD,
    HURT,
    LOCATIONS,
    LOOT_DECK,
    RUNNER_DECK,
)

SEATS = (2, 3, 4)
TASKS = (BODYGUARD, DATASTEAL)


def half(price):
    return (price + 1) // 2


# --- who, how many, and a Mission after it ----------------------------------------------------------------


@pytest.mark.parametrize("location", LOCATIONS)
def test_recovering_runners_are_kept_out_of_tasks_and_the_final_only(location):
    """Rulebook, "Recovering Runners" of each location; G6."""
    game = gt.new_table()
    gt.recover(game, 0, SAMURAI)
    assert (location in gt.where_to(game, "Steady Samurai")) == (location not in (*TASKS, FINAL))
    assert location in gt.where_to(game, "Tamsynn")


@pytest.mark.parametrize("location", LOCATIONS)
def test_tasks_and_dantes_inferno_keep_a_runner_from_missions(location):
    """Rulebook, "Run Mission This Round" of each location."""
    game = gt.new_table()
    gt.give_mission(game, 0, "Errand Job")
    gt.pin(game, 0, FACE, location)
    gt.end_placing(game)
    do(game, "ATTEMPT")
    assert bool(gt.options(game, "JOIN", "Friendly Face")) == (location not in (*TASKS, DANTES))
    assert gt.options(game, "JOIN", "Tamsynn")


LIMITS = {
    MALL: lambda players: None,
    DANTES: lambda players: None,
    DOCWAGON: lambda players: None,
    JOHNSON: lambda players: None,
    FENCE: lambda players: 1,
    EYE: lambda players: players - 1,
    IRONWORKS: lambda players: players - 1,
    HOST: lambda players: players,
}


@pytest.mark.parametrize("players", SEATS)
@pytest.mark.parametrize("location", LIMITS)
def test_a_location_takes_no_more_runners_than_its_limit(players, location):
    """Rulebook, "Runner Limits" of each location; G5: players minus one."""
    game = gt.new_table(players)
    limit = LIMITS[location](players)
    seats = [(player, slot) for slot in (DECKER, FACE) for player in range(players)]
    for placed, (player, slot) in enumerate(seats):
        name = game.names.runners[game.state.card[0, SAMURAI]]
        assert (location in gt.where_to(game, name)) == (limit is None or placed < limit)
        gt.pin(game, player, slot, location)


@pytest.mark.parametrize("players", SEATS)
@pytest.mark.parametrize("location", [*TASKS, FINAL])
def test_one_runner_from_each_player(players, location):
    """Rulebook, "Bodyguard Work", "Datasteal", "Final Mission": 1 from each player."""
    game = gt.new_table(players)
    for player in range(1, players):
        gt.pin(game, player, DECKER, location)
    assert location in gt.where_to(game, "Steady Samurai")
    gt.pin(game, 0, DECKER, location)
    assert location not in gt.where_to(game, "Steady Samurai")


# --- Bodyguard Work ---------------------------------------------------------------------------------------


def at_bodyguard_work():
    game = gt.new_table()
    game.state.tokens[0] = 2
    return place(gt.boldly(game), "Steady Samurai", BODYGUARD)


def test_bodyguard_work_pays_at_once():
    """Rulebook, "Bodyguard Work": immediately tries the Task; if completed, gains the nuyen."""
    game = at_bodyguard_work()
    assert "PASS" not in gt.kinds(game), "the Task is not a choice"
    pay = gt.printed(game, BODYGUARD).payout
    done = gt.ending(game, gt.completed)
    assert done.phase == "Place Runners"
    assert done.player == 1
    assert done.state.nuyen[0] == game.state.nuyen[0] + pay
    assert gt.ending(game, gt.failed).state.nuyen[0] == game.state.nuyen[0]


def test_bodyguard_work_comes_with_a_reroll():
    """Rulebook, "Bodyguard Work": the player receives a free reroll."""
    game = at_bodyguard_work()
    with_reroll = sum(map(gt.completed, gt.endings(game, 300)))
    plain = game.clone()
    plain.cards.tasks["rerolls"][0] = 0
    without = sum(map(gt.completed, gt.endings(plain, 300)))
    plain.cards.tasks["rerolls"][0] = 1
    assert with_reroll > without


@pytest.mark.parametrize(("location", "name"), [(BODYGUARD, "Steady Samurai"), (DATASTEAL, "Tamsynn")])
def test_a_runner_is_injured_but_never_killed_in_a_task(location, name):
    """Rulebook, "Bodyguard Work", "Datasteal"; M16: an injury that would kill is ignored."""
    game = gt.boldly(gt.new_table())
    player, slot = gt.slot_of(game, name)
    gt.make_strong(game, player, slot, 4)
    game.state.tokens[0] = 2
    place(game, name, location)
    hurt = 0
    for end in gt.endings(game, 200):
        assert end.state.card[player, slot] != EMPTY
        assert end.state.tokens[0] == 2, "no token is needed"
        hurt += end.state.condition[player, slot] == HURT
    assert hurt > 0


def test_who_was_injured_in_a_task_recovers_in_the_next_round():
    """Rulebook, "Appendix D", Injured Runner; "Upkeep Phase"; G17: it cannot be healed."""
    game = gt.ending(at_bodyguard_work(), lambda g: g.state.condition[0, SAMURAI] == HURT)
    while game.round == 1:
        assert "HEAL" not in gt.kinds(game)
        gt.idle_once(game)
    gt.turn_of(game, 0)
    assert not {BODYGUARD, DATASTEAL, FINAL} & gt.where_to(game, "Steady Samurai")


@pytest.mark.parametrize("perk", ["Street Samurai", "Rigger"])
def test_a_perk_for_missions_does_not_help_in_a_task(perk):
    """Rulebook, "Bodyguard Work": a Task is not a Mission."""
    game = gt.new_table()
    gt.seat(game, 0, 3, "Lazar")
    place(game, "Lazar", f"{EYE} ({perk})")
    gt.turn_of(game, 0)
    place(game, "Friendly Face", BODYGUARD)
    assert "USE_PERK" not in gt.kinds(game)
    gt.ending(game, gt.failed)


# --- Crime Mall -------------------------------------------------------------------------------------------


def at_the_mall(name, *shown):
    game = gt.new_table()
    gt.show(game, GEAR_DECK, *shown)
    return place(game, name, MALL)


def test_crime_mall_sells_one_face_up_gear_card():
    """Rulebook, "Crime Mall"; G3: one card, at once, its slot stays empty."""
    game = at_the_mall("Tamsynn", "Glass Deck", "Evening Suit")
    price = gt.printed(game, "Glass Deck").cost
    do(game, "BUY_GEAR", "Glass Deck")
    assert game.player == 1
    assert game.state.nuyen[0] == 100 - price
    assert gt.gear_of(game, 0) == {"Glass Deck": HELD}
    assert gt.market(game, GEAR_DECK) == [EMPTY, gt.card(game, GEAR_DECK, "Evening Suit")]
    place(game, "Quiet Decker", MALL)
    assert [a.text.split(" for")[0] for a in gt.options(game, "BUY_GEAR")] == ["buy Evening Suit"]


@pytest.mark.parametrize("gear", ["Glass Deck", "Paired Drones"])
def test_a_face_buys_gear_at_half_price(gear):
    """Rulebook, "Crime Mall", Face bonus; G12: rounded up."""
    game = at_the_mall("Friendly Face", gear)
    do(game, "BUY_GEAR")
    assert game.state.nuyen[0] == 100 - half(gt.printed(game, gear).cost)


def test_what_cannot_be_paid_cannot_be_bought():
    """Rulebook, "Crime Mall"; a Face may afford what others cannot."""
    game = at_the_mall("Friendly Face", "Glass Deck")
    game.state.nuyen[0] = half(gt.printed(game, "Glass Deck").cost)
    assert gt.options(game, "BUY_GEAR", "Glass Deck")
    game.state.nuyen[0] -= 1
    assert not gt.options(game, "BUY_GEAR", "Glass Deck")


def test_buying_is_optional():
    """G4."""
    game = do(at_the_mall("Tamsynn", "Glass Deck"), "PASS")
    assert game.state.nuyen[0] == 100
    assert game.player == 1


def test_4k_refill_the_empty_slots_before_a_purchase():
    """Rulebook, "Crime Mall": 4K, only empty slots, still one card; the rest is there for others."""
    game = gt.new_table(3)
    gt.show(game, GEAR_DECK, None, "Small Drone", None)
    place(game, "Tamsynn", MALL)
    do(game, "REFILL")
    assert game.state.nuyen[0] == 96
    shown = gt.market(game, GEAR_DECK)
    assert EMPTY not in shown
    assert shown[1] == gt.card(game, GEAR_DECK, "Small Drone")
    assert not gt.options(game, "REFILL"), "there is no empty slot left"
    do(game, "BUY_GEAR", "Small Drone")
    place(game, "Quiet Decker", MALL)
    assert len(gt.options(game, "BUY_GEAR")) == 2


def test_a_full_market_cannot_be_refilled_nor_by_who_has_less_than_4k():
    """Rulebook, "Crime Mall"."""
    game = at_the_mall("Tamsynn", "Glass Deck", "Small Drone")
    assert not gt.options(game, "REFILL")
    game = at_the_mall("Tamsynn", "Glass Deck", None)
    game.state.nuyen[0] = 3
    assert not gt.options(game, "REFILL")
    game.state.nuyen[0] = 4
    assert gt.options(game, "REFILL")


def test_gear_may_be_held_and_equipped_later():
    """Rulebook, "Crime Mall", "Gear Card": by the role icons of the card."""
    game = do(at_the_mall("Steady Samurai", "Glass Deck"), "BUY_GEAR")
    gt.turn_of(game, 0)
    assert [a.text for a in gt.options(game, "EQUIP")] == ["Glass Deck: equip Tamsynn"]
    do(game, "EQUIP")
    dice = gt.printed(game, "Glass Deck").dice["decker"] + gt.printed(game, "Tamsynn").dice["decker"]
    assert game.state.dice[0, DECKER, 1] == dice


# --- Dante's Inferno --------------------------------------------------------------------------------------


def test_dantes_inferno_gives_a_token_and_the_loan_value_at_once():
    """Rulebook, "Dante's Inferno": the token lies on the runner; all gray icons, Gear and Upgrades too."""
    game = gt.new_table()
    gt.give_gear(game, 0, "Evening Suit", FACE)
    gt.give_upgrade(game, 0, FACE, "Dermal Plating")
    loan = sum(gt.printed(game, name).loan for name in ("Friendly Face", "Evening Suit", "Dermal Plating"))
    assert loan <= 4
    place(game, "Friendly Face", DANTES)
    assert game.state.nuyen[0] == 100 + loan
    assert game.state.own_token[0, FACE] == 1
    assert game.state.tokens[0] == 0
    assert game.player == 1


def test_dantes_inferno_pays_4k_at_most():
    """Rulebook, "Dante's Inferno": the bank pays no more than 4K."""
    game = gt.new_table()
    gt.seat(game, 0, 3, "Lazar", gear=("Shoulder Cannon", "Long Rifle"))
    place(game, "Lazar", DANTES)
    assert game.state.nuyen[0] == 104


def test_recovering_runners_are_paid_in_dantes_inferno_but_not_hired():
    """Rulebook, "Dante's Inferno", "Choose Runners"."""
    game = gt.new_table()
    gt.recover(game, 0, DECKER)
    place(game, "Tamsynn", DANTES)
    assert game.state.nuyen[0] == 100 + min(4, gt.printed(game, "Tamsynn").loan)
    gt.give_mission(game, 1, "Errand Job")
    do(gt.end_placing(game), "ATTEMPT")
    assert not gt.options(game, "JOIN", "Tamsynn")


def test_gear_in_dantes_inferno_is_locked():
    """Rulebook, "Dante's Inferno": neither off the runner nor on to it; other Gear moves."""
    game = gt.new_table()
    gt.give_gear(game, 0, "Sturdy Sidearm", SAMURAI)
    gt.give_gear(game, 0, "Pocket Deck")
    place(game, "Steady Samurai", DANTES)
    gt.turn_of(game, 0)
    assert {a.text for a in gt.options(game, "EQUIP")} == {
        "Pocket Deck: equip Tamsynn",
        "Pocket Deck: equip Friendly Face",
    }


# --- Datasteal --------------------------------------------------------------------------------------------


def stolen():
    game = place(gt.boldly(gt.new_table()), "Tamsynn", DATASTEAL)
    return gt.ending(game, gt.completed)


def test_datasteal_pays_4k_or_loot():
    """Rulebook, "Datasteal": at once, the player's choice after completing it."""
    game = stolen()
    assert gt.kinds(game) == {"TAKE_NUYEN", "DRAW_LOOT"}
    assert game.state.nuyen[0] == 100
    do(game, "TAKE_NUYEN")
    assert game.state.nuyen[0] == 104
    assert gt.loot_of(game, 0) == []
    assert game.player == 1


def test_datasteals_loot_is_the_best_of_two():
    """Rulebook, "Datasteal": they draw two and discard one."""
    game = do(stolen(), "DRAW_LOOT")
    offered = [a.text.removeprefix("keep ") for a in game.legal_actions()]
    assert gt.kinds(game) == {"TAKE_LOOT"}
    assert len(offered) == 2
    do(game, "TAKE_LOOT", offered[1])
    assert gt.loot_of(game, 0) == [offered[1]]
    assert gt.discards(game, LOOT_DECK) == [gt.card(game, LOOT_DECK, offered[0])]
    assert game.state.nuyen[0] == 100
    assert gt.count_cards(game, LOOT_DECK).total() == 11


def test_a_failed_datasteal_gives_nothing():
    """Rulebook, "Datasteal"."""
    game = gt.ending(place(gt.boldly(gt.new_table()), "Tamsynn", DATASTEAL), gt.failed)
    assert game.state.nuyen[0] == 100
    assert gt.loot_of(game, 0) == []
    assert game.player == 1


# --- DeGear's Lair ----------------------------------------------------------------------------------------


def test_degears_lair_buys_any_number_of_loot_cards():
    """Rulebook, "DeGear's Lair"; G14: 5K each, and then nothing is bought."""
    game = gt.new_table()
    gt.give_loot(game, 0, "Evacuate", "Aqua Fortis", "Quick Bandage")
    gt.discard(game, GEAR_DECK, "Small Drone")
    place(game, "Friendly Face", FENCE)
    assert {"SELL_LOOT", "SEE_LOOT", "BUY_DISCARDED", "PASS"} == gt.kinds(game)
    do(game, "SELL_LOOT", "Evacuate")
    assert gt.kinds(game) == {"SELL_LOOT", "PASS"}
    do(game, "SELL_LOOT", "Aqua Fortis")
    do(game, "PASS")
    assert game.state.nuyen[0] == 110
    assert gt.loot_of(game, 0) == ["Quick Bandage"]
    assert len(gt.discards(game, LOOT_DECK)) == 2


def test_degears_lair_shows_the_top_loot_card_and_sells_it():
    """Rulebook, "DeGear's Lair"; G14: 5K, one card."""
    game = do(place(gt.new_table(), "Tamsynn", FENCE), "SEE_LOOT")
    assert gt.kinds(game) == {"TAKE_LOOT", "PASS"}
    assert game.state.nuyen[0] == 100
    do(game, "TAKE_LOOT")
    assert game.state.nuyen[0] == 95
    assert len(gt.loot_of(game, 0)) == 1
    assert game.player == 1


def test_loot_not_bought_is_discarded_for_nothing():
    """Rulebook, "DeGear's Lair"; G14: also by somebody who could not pay."""
    game = gt.new_table()
    game.state.nuyen[0] = 4
    do(place(game, "Tamsynn", FENCE), "SEE_LOOT")
    assert gt.kinds(game) == {"PASS"}
    do(game, "PASS")
    assert game.state.nuyen[0] == 4
    assert gt.loot_of(game, 0) == []
    assert len(gt.discards(game, LOOT_DECK)) == 1


def test_a_face_buys_discarded_gear_at_full_price():
    """Rulebook, "DeGear's Lair", Face bonus; nobody else may."""
    game = gt.new_table()
    gt.discard(game, GEAR_DECK, "Glass Deck")
    gt.discard(game, GEAR_DECK, "Small Drone")
    other = place(game.clone(), "Tamsynn", FENCE)
    assert not gt.options(other, "BUY_DISCARDED")
    do(place(game, "Friendly Face", FENCE), "BUY_DISCARDED", "Glass Deck")
    assert game.state.nuyen[0] == 100 - gt.printed(game, "Glass Deck").cost
    assert gt.gear_of(game, 0) == {"Glass Deck": HELD}
    assert gt.discards(game, GEAR_DECK) == [gt.card(game, GEAR_DECK, "Small Drone")]
    assert game.player == 1


# --- DocWagon ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "free"), [("Tamsynn", 1), ("Friendly Face", 2)])
def test_docwagon_gives_a_token_and_a_face_two(name, free):
    """Rulebook, "DocWagon": next to the Runner board."""
    game = place(gt.new_table(), name, DOCWAGON)
    assert game.state.tokens[0] == free
    do(game, "BUY_TOKEN")
    do(game, "BUY_TOKEN")
    do(game, "PASS")
    assert game.state.tokens[0] == free + 2
    assert game.state.nuyen[0] == 100 - 2 * 4
    assert game.player == 1


def test_tokens_are_sold_as_long_as_there_is_money():
    """Rulebook, "DocWagon": 4K nuyen per token."""
    game = gt.new_table(nuyen=7)
    do(place(game, "Tamsynn", DOCWAGON), "BUY_TOKEN")
    assert game.player == 1
    assert game.state.nuyen[0] == 3
    assert game.state.tokens[0] == 2


# --- Hannibelle's Host ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Tamsynn", "Friendly Face"])
def test_hannibelles_host_hires_a_face_up_runner(name):
    """Rulebook, "Hannibelle's Host": a Face at half the printed cost, rounded up (G12); G3: once."""
    game = gt.new_table()
    gt.show(game, RUNNER_DECK, "Veteran Samurai", "Corium")
    place(game, name, HOST)
    assert len(gt.options(game, "HIRE")) == 2
    do(game, "HIRE", "Veteran Samurai")
    cost = gt.printed(game, "Veteran Samurai").cost
    assert game.state.nuyen[0] == 100 - (half(cost) if name == "Friendly Face" else cost)
    assert gt.coming(game, 0) == ["Veteran Samurai"]
    assert gt.market(game, RUNNER_DECK) == [EMPTY, gt.card(game, RUNNER_DECK, "Corium")]
    assert game.player == 1


def test_a_runner_too_expensive_is_not_hired():
    """Rulebook, "Hannibelle's Host"."""
    game = gt.new_table()
    gt.show(game, RUNNER_DECK, "Veteran Samurai")
    game.state.nuyen[0] = gt.printed(game, "Veteran Samurai").cost - 1
    assert not gt.options(place(game, "Tamsynn", HOST), "HIRE")


# --- Max's Ironworks --------------------------------------------------------------------------------------


def test_maxs_ironworks_upgrades_the_runner_placed_there():
    """Rulebook, "Max's Ironworks"; G1: Dermal Plating, Commlink or the top '+1 die' card."""
    game = gt.new_table()
    top = gt.unique_pile(game)[0]
    place(game, "Tamsynn", IRONWORKS)
    assert len(gt.options(game, "BUY_UPGRADE")) == 3
    do(game, "BUY_UPGRADE", top)
    assert game.names.unique[game.state.upgrade[0, DECKER]] == top
    assert game.state.nuyen[0] == 100 - gt.printed(game, top).cost
    assert top not in gt.unique_pile(game)
    assert game.player == 1


def test_a_runner_has_one_upgrade_of_each_kind():
    """Rulebook, "Upgrade and Loot Cards": one Dermal Plating, one Commlink, one '+1 die'."""
    game = gt.new_table()
    gt.give_upgrade(game, 0, DECKER, gt.unique_pile(game)[0])
    gt.give_upgrade(game, 0, DECKER, "Dermal Plating")
    place(game, "Tamsynn", IRONWORKS)
    assert [a.text.split(" for")[0] for a in gt.options(game, "BUY_UPGRADE")] == ["buy Commlink"]
    do(game, "BUY_UPGRADE")
    assert list(game.state.pile) == [4, 4]
    gt.end_round(game)
    gt.turn_of(game, 0)
    assert gt.kinds(place(game, "Tamsynn", IRONWORKS)) == {"PASS"}
    assert game.state.condition[0, DECKER] == FIT
