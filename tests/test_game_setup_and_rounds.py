"""Setup and the four phases of a round: rulebook, "Setup", "How to Play the Game", "Winning the Game"."""

from collections import Counter

import game_table as gt
import numpy as np
import pytest
from game_table import DECKER, FACE, FINAL, JOHNSON, MALL, SAMURAI, do, place

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.game.arrays import (
    COMMLINK,
    DANTES_INFERNO,
    EMPTY,
    FIT,
    GEAR_DECK,
    HURT,
    LOOT_DECK,
    MISSION_DECK,
    PLATING,
    RECOVERING,
    RUNNER_DECK,
    UNIQUE,
)
from sprawlsim.sprawlops.game.play import Game

SEATS = (2, 3, 4)
SIZES = {RUNNER_DECK: 15, GEAR_DECK: 20, MISSION_DECK: 20, LOOT_DECK: 11}


# --- Setup -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", SEATS)
def test_everybody_starts_with_a_samurai_a_decker_a_face_and_20k(players):
    """Rulebook, "Setup"; G2."""
    game = Game(players=players)
    for player in range(players):
        roles = [gt.printed(game, name).roles for name in gt.team(game, player)]
        assert roles == [("street_samurai",), ("decker",), ("face",)]
        assert len({gt.printed(game, name).set for name in gt.team(game, player)}) == 1
        assert game.state.card[player, 3] == EMPTY
        assert game.state.nuyen[player] == 20
        assert game.state.tokens[player] == 0
        assert not gt.loot_of(game, player)
        assert not gt.gear_of(game, player)
        assert not gt.hand_of(game, player)
    assert len({name for player in range(players) for name in gt.team(game, player)}) == 3 * players


@pytest.mark.parametrize("players", SEATS)
def test_each_market_shows_one_card_per_player(players):
    """Rulebook, "Setup": Gear, runners and Missions lie open, as many as players."""
    game = Game(players=players, seed=3)
    for deck, size in SIZES.items():
        shown = players if deck != LOOT_DECK else 0
        if shown:
            assert EMPTY not in gt.market(game, deck)
        assert len(gt.stack(game, deck)) == size - shown
        assert not gt.discards(game, deck)
        assert gt.count_cards(game, deck).total() == size


def test_upgrades_lie_in_three_piles():
    """Rulebook, "Setup"; G1: five Dermal Plating, five Commlinks, five different '+1 die' cards."""
    game = Game()
    assert list(game.state.pile) == [5, 5]
    assert sorted(gt.unique_pile(game)) == sorted(game.names.unique)
    assert len(set(gt.unique_pile(game))) == 5


def test_decks_unique_upgrades_and_final_mission_are_random():
    """Rulebook, "Setup"."""
    games = [Game(players=2, seed=seed) for seed in range(40)]
    assert {g.names.finals[g.state.final] for g in games} == set(games[0].names.finals)
    assert {gt.unique_pile(g)[0] for g in games} == set(games[0].names.unique)
    for deck in (RUNNER_DECK, GEAR_DECK, MISSION_DECK):
        assert len({tuple(gt.market(g, deck)) for g in games}) > 30


def test_the_final_mission_can_be_chosen():
    """Rulebook, "Setup": either randomly or by player vote."""
    for name in Game().names.finals:
        game = Game(players=2, final=name)
        assert game.names.finals[game.state.final] == name


@pytest.mark.parametrize("players", [1, 5])
def test_a_game_has_two_to_four_players(players):
    """Rulebook, "Contents": four Runner boards; the competitive game needs an opponent."""
    with pytest.raises(SprawlsimError):
        Game(players=players)


# --- Place Runners ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", SEATS)
@pytest.mark.parametrize("first", [0, 1])
def test_runners_are_placed_one_at_a_time_from_the_first_player_leftwards(players, first):
    """Rulebook, "Place Runners Phase"."""
    game = gt.new_table(players)
    game.state.first = game.state.player = first
    order = []
    while game.round == 1:
        if "PLACE" in gt.kinds(game):
            order.append(game.player)
        gt.idle_once(game)
    assert order == [(first + k) % players for k in range(players)] * 3


def test_runners_are_placed_in_any_order():
    """Rulebook, "Place Runners Phase": the order of the own runners is free."""
    game = gt.new_table()
    assert {a.arguments[0] for a in gt.options(game, "PLACE")} == {SAMURAI, DECKER, FACE}
    place(game, "Friendly Face", MALL)
    gt.turn_of(game, 0)
    assert {a.arguments[0] for a in gt.options(game, "PLACE")} == {SAMURAI, DECKER}


def test_every_runner_must_be_placed_even_a_recovering_one():
    """G4, G6."""
    game = gt.new_table(nuyen=0)
    gt.recover(game, 0, DECKER)
    placed = 0
    while game.round == 1:
        if "PLACE" in gt.kinds(game):
            assert "PASS" not in gt.kinds(game)
            placed += game.player == 0
        gt.idle_once(game)
    assert placed == 3


def test_a_fourth_runner_is_placed_after_the_others_have_run_out():
    """G4: one at a time in turn order, as long as anybody has a runner left."""
    game = gt.new_table()
    gt.seat(game, 1, 3, "Corium")
    order = []
    while game.round == 1:
        if "PLACE" in gt.kinds(game):
            order.append(game.player)
        gt.idle_once(game)
    assert order == [0, 1, 0, 1, 0, 1, 1]


# --- Attempt Final Mission -------------------------------------------------------------------------------


def reserve_both():
    """Let player 1 be placed at the Final Mission before player 0, who goes first else."""
    game = gt.new_table()
    place(game, "Friendly Face", MALL)
    do(game, "PASS")
    place(game, "Formal Face", FINAL)
    place(game, "Steady Samurai", FINAL)
    return gt.boldly(gt.end_placing(game))


def test_final_is_attempted_in_the_order_of_placement():
    """Rulebook, "Attempt Final Mission Phase": the first runner placed there gives the first opportunity."""
    game = reserve_both()
    assert game.phase == "Attempt Final Mission"
    assert game.player == 1
    gt.send(game, "", "Formal Face")
    failed = gt.ending(game, gt.failed)
    assert not failed.is_over
    assert failed.phase == "Attempt Final Mission"
    assert failed.player == 0


def test_who_completes_the_final_wins_at_once():
    """Rulebook, "Attempt Final Mission Phase", "Winning the Game": the next in line gets no turn."""
    game = reserve_both()
    gt.make_strong(game, 1, FACE, 12)
    gt.send(game, "", "Formal Face", "Patient Samurai", "Quiet Decker")
    won = gt.ending(game, gt.completed)
    assert won.is_over
    assert won.winner == 1
    assert won.phase == "over"
    assert won.legal_actions() == []


def test_nobody_has_won_before():
    """Rulebook, "Winning the Game"."""
    game = reserve_both()
    assert game.winner is None
    assert not game.is_over


def test_the_second_in_line_can_win_after_the_first_failed():
    """Rulebook, "Attempt Final Mission Phase"."""
    game = reserve_both()
    gt.make_strong(game, 0, SAMURAI, 12)
    game = gt.ending(gt.send(game, "", "Formal Face"), gt.failed)
    game = gt.ending(gt.send(game, "", "Steady Samurai", "Tamsynn"), gt.completed)
    assert game.winner == 0


def test_nobody_attempts_the_final_without_a_runner_there():
    """G7; rulebook, "Final Mission": it reserves a spot."""
    game = gt.end_placing(gt.new_table())
    assert game.round == 2, "with no Mission selected either, the round is over"
    game = gt.new_table()
    place(game, "Friendly Face", FINAL)
    gt.end_placing(game)
    assert game.player == 0
    do(game, "PASS")
    assert game.round == 2


def test_if_all_fail_missions_are_run():
    """Rulebook, "Attempt Final Mission Phase": if nobody completes it, move on to the next phase."""
    game = reserve_both()
    gt.give_mission(game, 0, "Errand Job")
    game = gt.ending(gt.send(game, "", "Formal Face"), gt.failed)
    do(game, "PASS")
    assert game.phase == "Run Missions"


# --- Run Missions ----------------------------------------------------------------------------------------


def test_missions_are_run_from_the_first_player_leftwards():
    """Rulebook, "Run Missions Phase"; all of one player's Missions before the next player's."""
    game = gt.new_table(3)
    game.state.first = game.state.player = 1
    for player, mission in ((0, "Errand Job"), (1, "Courier Job"), (1, "Harbour Job"), (2, "Museum Job")):
        gt.give_mission(game, player, mission)
    gt.end_placing(game)
    order = []
    while game.round == 1:
        order.append((game.player, game.legal_actions()[0].text))
        do(game, "ATTEMPT", gt.hand_of(game, game.player)[0])
        do(game, "PASS")
    assert [player for player, _ in order] == [1, 1, 2, 0]


def test_a_selected_mission_may_be_left_alone_and_is_discarded():
    """Rulebook, "Run Missions Phase": discard unattempted Mission cards without penalty."""
    game = gt.new_table()
    gt.show(game, MISSION_DECK, "Errand Job", "Courier Job")
    place(game, "Tamsynn", JOHNSON)
    do(game, "SELECT", "Errand Job")
    gt.end_placing(game)
    assert game.phase == "Run Missions"
    nuyen = int(game.state.nuyen[0])
    do(game, "PASS")
    assert game.round == 2
    assert gt.hand_of(game, 0) == []
    assert gt.card(game, MISSION_DECK, "Errand Job") in gt.discards(game, MISSION_DECK)
    assert game.state.nuyen[0] == nuyen
    assert (game.state.condition == FIT).all()


# --- Upkeep ----------------------------------------------------------------------------------------------


def test_upkeep_returns_all_pawns():
    """Rulebook, "Upkeep Phase": return runner pawns; every location is free again."""
    game = gt.new_table()
    place(game, "Tamsynn", gt.EYE + " (Decker)")
    place(game, "Quiet Decker", FINAL)
    gt.end_round(game)
    assert (game.state.place < 0).all()
    assert not game.state.there.any()
    assert gt.options(game, "PLACE", "(Decker)")
    assert game.phase == "Place Runners"


def test_upkeep_turns_injured_to_recovering_and_recovering_to_fit():
    """Rulebook, "Upkeep Phase"."""
    game = gt.new_table()
    gt.recover(game, 0, SAMURAI)
    game.state.condition[0, FACE] = HURT
    gt.end_round(game)
    assert list(game.state.condition[0]) == [FIT, FIT, RECOVERING, FIT]
    gt.end_round(game)
    assert list(game.state.condition[0]) == [FIT] * 4


def test_upkeep_returns_all_docwagon_tokens():
    """Rulebook, "Upkeep Phase": including unused ones; those on runners too."""
    game = gt.new_table()
    game.state.tokens[:2] = 3
    place(game, "Tamsynn", gt.DANTES)
    gt.end_round(game)
    assert not game.state.tokens.any()
    assert not game.state.own_token.any()


@pytest.mark.parametrize("players", SEATS)
def test_the_first_player_token_moves_left(players):
    """Rulebook, "Upkeep Phase"; G11."""
    game = gt.new_table(players)
    for k in range(1, players + 1):
        gt.end_round(game)
        assert game.state.first == game.player == k % players


def test_the_faces_perk_takes_the_first_player_token():
    """Rulebook, "Upkeep Phase" and "The Eye of the Needle"; it stays with whoever has it already."""
    game = gt.new_table(3)
    gt.turn_of(game, 2)
    place(game, "Familiar Face", gt.EYE)
    gt.end_round(game)
    assert game.state.first == game.player == 2
    place(game, "Familiar Face", gt.EYE)
    gt.end_round(game)
    assert game.state.first == 2
    gt.end_round(game)
    assert game.state.first == 0


@pytest.mark.parametrize("players", SEATS)
def test_upkeep_renews_the_markets(players):
    """Rulebook, "Upkeep Phase": unclaimed cards are discarded, as many new ones as players revealed."""
    game = gt.new_table(players)
    before = {deck: gt.market(game, deck) for deck in (RUNNER_DECK, GEAR_DECK, MISSION_DECK)}
    do(place(game, "Tamsynn", MALL), "BUY_GEAR", game.names.gear[before[GEAR_DECK][0]])
    gt.end_round(game)
    for deck, cards in before.items():
        unclaimed = cards[1:] if deck == GEAR_DECK else cards
        assert gt.discards(game, deck) == unclaimed
        assert not set(gt.market(game, deck)) & set(cards)
        assert len(set(gt.market(game, deck))) == players
        assert EMPTY not in gt.market(game, deck)


def test_a_deck_that_runs_out_is_shuffled_anew():
    """Rulebook, "Upkeep Phase", "Setup": before revealing the number needed, the discards become the deck."""
    game = gt.new_table(4)
    left = gt.stack(game, GEAR_DECK)
    gt.put_discards(game, GEAR_DECK, left[:-1])
    gt.put_stack(game, GEAR_DECK, left[-1:])
    gt.end_round(game)
    assert left[-1] in gt.market(game, GEAR_DECK), "what the deck had left comes first"
    assert EMPTY not in gt.market(game, GEAR_DECK)
    assert gt.discards(game, GEAR_DECK) == []
    assert gt.count_cards(game, GEAR_DECK).total() == 20


def test_the_unclaimed_cards_are_among_those_shuffled():
    """Rulebook, "Upkeep Phase": first discard, then reveal; with nothing else left they come again."""
    game = gt.new_table(2)
    spent = gt.stack(game, RUNNER_DECK)
    gt.put_stack(game, RUNNER_DECK, [])
    shown = set(gt.market(game, RUNNER_DECK))
    gt.end_round(game)
    assert set(gt.market(game, RUNNER_DECK)) == shown
    assert spent


def test_a_market_stays_short_when_every_card_is_gone():
    """Rulebook, "Setup": a deck ends only once all of it is bought."""
    game = gt.new_table(2)
    gt.put_stack(game, GEAR_DECK, [])
    gt.show(game, GEAR_DECK, "Small Drone")
    gt.put_stack(game, GEAR_DECK, [])
    gt.end_round(game)
    assert sorted(gt.market(game, GEAR_DECK)) == [EMPTY, gt.card(game, GEAR_DECK, "Small Drone")]


def test_upkeep_moves_the_top_unique_upgrade_to_the_bottom():
    """Rulebook, "Upkeep Phase"; G1."""
    game = gt.new_table()
    before = gt.unique_pile(game)
    gt.end_round(game)
    assert gt.unique_pile(game) == [*before[1:], before[0]]
    assert list(game.state.pile) == [5, 5]


def test_a_hired_runner_comes_to_the_board_in_upkeep():
    """Rulebook, "Hannibelle's Host": not available until the following round."""
    game = gt.new_table()
    gt.show(game, RUNNER_DECK, "Corium", "Lazar")
    place(game, "Tamsynn", gt.HOST)
    do(game, "HIRE", "Corium")
    assert gt.coming(game, 0) == ["Corium"]
    assert "Corium" not in gt.team(game, 0)
    gt.end_round(game)
    assert gt.team(game, 0) == ["Steady Samurai", "Tamsynn", "Friendly Face", "Corium"]
    assert gt.coming(game, 0) == []
    player, slot = gt.slot_of(game, "Corium")
    assert game.state.condition[player, slot] == FIT
    gt.turn_of(game, 0)
    assert gt.options(game, "PLACE", "place Corium")


# --- all the way -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", SEATS)
def test_no_card_is_lost_or_doubled(players):
    """Rulebook, "Contents": whatever is done, each card is in one place."""
    chance = np.random.default_rng(players)
    game = Game(players=players, seed=players)
    boxes = {deck: gt.count_cards(game, deck) for deck in SIZES}
    for _ in range(400):
        legal = game.legal_actions()
        if not legal:
            break
        game.apply(legal[chance.integers(len(legal))])
        assert {deck: gt.count_cards(game, deck) for deck in SIZES} == boxes
        assert [gt.count_upgrades(game, pile) for pile in (PLATING, COMMLINK, UNIQUE)] == [5, 5, 5]
        assert (game.state.nuyen >= 0).all()
        assert (game.state.tokens >= 0).all()
    assert game.round > 3
    assert Counter(boxes[MISSION_DECK].values()) == {1: 20}


def test_loans_end_with_the_round():
    """Rulebook, "Dante's Inferno": its Gear is locked as long as the runner is there, and no longer."""
    game = gt.new_table()
    gt.give_gear(game, 0, "Sturdy Sidearm", SAMURAI)
    place(game, "Steady Samurai", gt.DANTES)
    gt.turn_of(game, 0)
    assert not gt.options(game, "EQUIP")
    gt.end_round(game)
    gt.turn_of(game, 0)
    assert gt.options(game, "EQUIP", "Sturdy Sidearm")
    assert not (game.state.place == DANTES_INFERNO).any()
