"""Whole games by strategies: the same whatever the threads, legal in every move, fair by symmetry."""

import numba
import numpy as np
import pyarrow.parquet as pq
import pytest

from sprawlsim.errors import SprawlsimError
from sprawlsim.jit import kernel
from sprawlsim.sprawlops.cards import load_card_set
from sprawlsim.sprawlops.game.actions import apply
from sprawlsim.sprawlops.game.arrays import FIGURES, LOCATIONS, OVER
from sprawlsim.sprawlops.game.batch import begin_game, new_thread
from sprawlsim.sprawlops.game.legal import legal_actions
from sprawlsim.sprawlops.game.play import Game
from sprawlsim.sprawlops.game.simulate import Batch, make_lineups, sensible_strategies, simulate
from sprawlsim.sprawlops.game.strategies.chooser import choose_action
from sprawlsim.sprawlops.game.strategies.model import load_strategy, shipped_strategies
from sprawlsim.sprawlops.mission.scenario import RulesOptions
from sprawlsim.stats.intervals import wilson

MIXED = ["balanced", "gear-rush", "docwagon", "final-gambler"]


def counts(results):
    """Give all counts of a batch as bytes."""
    return results.tally.tobytes()


@kernel
def first_illegal(plan, thread, number, actions):
    """Play a game by its strategies; give the number of the first decision that the rules do not allow."""
    begin_game(plan, thread, number)
    game = thread.table[0]
    while game.step != OVER and game.round_number <= plan.limit:
        action = choose_action(game, thread.mind)
        n = legal_actions(game, thread.mind.cards, actions)
        legal = False
        for k in range(n):
            if actions[k] == action:
                legal = True
        if not legal:
            return game.decisions
        apply(game, action, thread.desk)
    return -1


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_shipped_strategy_only_does_what_the_rules_allow(players):
    batch = Batch(shipped_strategies(), players=players, seed=5, round_limit=15)
    thread = new_thread(batch.cards)
    actions = np.zeros(1024, dtype=np.int64)
    for number in range(300):
        illegal = first_illegal(batch.plan, thread, number, actions)
        assert illegal == -1, f"game {number}: decision {illegal} of player {thread.table[0].player}"


def test_results_do_not_depend_on_threads_or_blocks():
    batch = Batch(MIXED, seed=3)
    whole = counts(batch.run(300, threads=1, block=300))
    assert counts(batch.run(300, threads=2)) == whole
    assert counts(batch.run(300, threads=2, block=7)) == whole
    assert counts(batch.run(300, threads=1, block=1)) == whole


def test_another_seed_gives_other_games_and_the_same_seed_the_same():
    assert counts(Batch(MIXED, seed=3).run(50)) == counts(Batch(MIXED, seed=3).run(50))
    assert counts(Batch(MIXED, seed=3).run(50)) != counts(Batch(MIXED, seed=4).run(50))


def test_a_game_does_not_depend_on_how_many_are_played(tmp_path):
    batch = Batch(MIXED, seed=9)
    batch.run(40, out=tmp_path / "few.parquet")
    batch.run(90, out=tmp_path / "more.parquet")
    few, more = (pq.read_table(tmp_path / f"{name}.parquet") for name in ("few", "more"))
    assert more.slice(0, 40).equals(few)


def test_rows_and_counts_tell_the_same(tmp_path):
    batch = Batch(MIXED, seed=2)
    results = batch.run(200, out=tmp_path / "games.parquet")
    frame = pq.read_table(tmp_path / "games.parquet").to_pandas()
    assert len(frame) == 200
    assert list(frame["game"]) == list(range(200))
    for strategy in MIXED:
        won = results.tally.wins[MIXED.index(strategy)].sum()
        assert (frame["winner"] == strategy).sum() == won
    assert frame["stopped"].sum() == results.tally.stopped
    for figure in FIGURES:
        assert sum(frame[f"seat_{s}_{figure}"].sum() for s in range(1, 5)) == results.total(figure)
    visits = [sum(frame[f"seat_{s}_at_crime_mall"].sum() for s in range(1, 5))]
    assert visits == [results.tally.visits[:, LOCATIONS.index("Crime Mall")].sum()]
    assert not list(tmp_path.glob(".*"))


def test_every_finished_game_is_won_by_one_player_who_completed_the_final_mission():
    results = Batch(MIXED, seed=8).run(300)
    won = results.tally.wins.sum()
    assert won + results.tally.stopped == 300
    assert results.total("won") == won


def test_stopped_games_are_nobodys():
    results = Batch(["random"], seed=1, round_limit=3).run(60)
    assert results.tally.stopped >= 55
    assert results.tally.wins.sum() == 60 - results.tally.stopped
    assert results.tally.by_round[:, 4:].sum() == 0


def test_identical_strategies_may_swap_seats_without_changing_a_game():
    """What decides is the seat: with four times the same strategy, names on the seats change nothing."""
    four = [load_strategy("balanced")._replace(name=name) for name in "abcd"]
    as_listed = Batch(four, seed=6, rotate_seats=False)
    turned = Batch(four[1:] + four[:1], seed=6, rotate_seats=False)
    assert np.array_equal(as_listed.winners(200), turned.winners(200))


def test_a_mirror_match_with_rotated_seats_is_fair():
    four = [load_strategy("balanced")._replace(name=name) for name in "abcd"]
    results = Batch(four, seed=12).run(4000)
    for wins in results.tally.wins[:4].sum(axis=1):
        rate = wilson(int(wins), 4000, confidence=0.999)
        assert rate.low < 0.25 < rate.high


@pytest.mark.parametrize(
    ("entrants", "players", "rotate", "count"),
    [(1, 4, True, 1), (4, 4, True, 4), (4, 4, False, 1), (6, 4, True, 60), (3, 2, True, 6), (2, 2, False, 1)],
)
def test_every_choice_of_entrants_sits_in_every_rotation(entrants, players, rotate, count):
    lineups = make_lineups(entrants, players, rotate)
    assert lineups.shape == (count, players)
    if entrants > 1:
        assert all(len(set(row)) == players for row in lineups.tolist())
        assert len({tuple(row) for row in lineups.tolist()}) == count
    if rotate and entrants > 1:
        seats = [np.bincount(lineups[:, s], minlength=entrants) for s in range(players)]
        assert all(np.array_equal(seats[0], seat) for seat in seats)


def choose_last(game, actions):
    """Choose the last of the legal actions: mostly to do nothing."""
    return len(actions) - 1


compiled_last = numba.njit(choose_last)


def test_a_function_plays_the_same_compiled_or_not():
    plain = Batch([choose_last, "balanced"], players=2, seed=4, round_limit=6).run(20)
    compiled = Batch([compiled_last, "balanced"], players=2, seed=4, round_limit=6).run(20)
    assert counts(plain) == counts(compiled)
    assert plain.win_rate("balanced").estimate > plain.win_rate("choose_last").estimate


def test_two_functions_can_meet():
    results = Batch([choose_last, compiled_last], players=2, seed=4, round_limit=3).run(4)
    assert results.setting.strategies == ("choose_last", "choose_last (2)")


@pytest.mark.parametrize("bad", [lambda game, actions: len(actions), lambda game, actions: -1])
def test_a_function_that_chooses_nothing_on_offer_is_told(bad):
    with pytest.raises(SprawlsimError, match="index of one of the actions"):
        Batch([bad, "balanced"], players=2).run(1)
    with pytest.raises(SprawlsimError, match="index of one of the actions"):
        Batch([numba.njit(bad), "balanced"], players=2).run(1)


def test_every_choice_of_a_field_meets():
    results = simulate(["balanced", "gear-rush", "docwagon"], 120, players=2)
    assert results.tally.games[:3].sum(axis=1).tolist() == [80, 80, 80]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": 5}, "2 to 4 players, not 5"),
        ({"strategies": ["balanced", "random"]}, "2 strategies for 4 players: name one"),
        ({"strategies": ["balnced"]}, "'balnced' is not a strategy; .*did you mean 'balanced'"),
        ({"round_limit": 0}, "between 1 and 200"),
        ({"final": "grand"}, "grand"),
        ({"final": ""}, "the name is empty"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(arguments, message):
    with pytest.raises(SprawlsimError, match=message):
        Batch(**arguments)


def test_the_final_mission_can_be_chosen():
    batch = Batch(MIXED, final="vault")
    assert batch.final == "Grand Vault Raid"
    assert int(batch.plan.final) == [card.name for card in load_card_set().final_missions].index(batch.final)


def test_the_default_field_is_sensible():
    assert "random" not in sensible_strategies()
    assert len(sensible_strategies()) >= 6


def test_figures_of_no_games_are_open():
    results = Batch(["balanced", "gear-rush", "docwagon"], players=2).run(1)
    unseen = results.win_rate("docwagon")
    assert (unseen.low, unseen.high) == (0.0, 1.0)


def test_a_game_can_be_copied_compared_and_printed():
    game = Game(3, seed=5)
    copy = game.clone()
    assert copy == game
    assert hash(copy) == hash(game)
    action = game.legal_actions()[0]
    copy.apply(action)
    assert copy != game
    assert game.legal_actions()[0] == action
    assert "Round 1, Place Runners" in str(game)
    assert "Tamsynn" in str(game)


def test_a_clone_with_a_seed_has_another_future():
    game = Game(2, seed=5)
    futures = set()
    for seed in range(6):
        other = game.clone(seed=seed)
        while other.round == 1:
            other.apply(other.legal_actions()[0])
        futures.add(bytes(other.state.market.tobytes()))
    assert len(futures) > 1


def test_an_illegal_action_changes_nothing():
    game = Game(2, seed=5)
    before = game.clone()
    with pytest.raises(SprawlsimError, match="not legal now; legal actions: place"):
        game.apply(3)
    assert game == before


def test_simulate_passes_every_setting_on_to_the_batch():
    """Each of the settings changes the games, and they are those of a batch that has it."""
    changes = {
        "round_limit": 5,
        "rules": RulesOptions(plating_takes_any_colour=True),
        "gifts": {"balanced": ["20K"]},
        "without": ["Errand Job"],
        "final": "Grand Vault Raid",
        "rotate_seats": False,
    }
    common = {"players": 2, "seed": 5, "gifts": {"gear-rush": ["Dermal Plating", "Dermal Plating"]}}
    plain = simulate(["balanced", "gear-rush"], 200, **common)
    for name, value in changes.items():
        settings = {**common, name: value}
        given = simulate(["balanced", "gear-rush"], 200, **settings)
        batch = Batch(["balanced", "gear-rush"], **settings)
        assert given.tally.tobytes() == batch.run(200).tally.tobytes()
        assert given.tally.tobytes() != plain.tally.tobytes(), name


def test_a_batch_says_what_it_is():
    batch = Batch(["balanced", "gear-rush"], players=2, seed=5)
    assert repr(batch) == "<Batch: games of 2 players, balanced, gear-rush, seed 5>"
