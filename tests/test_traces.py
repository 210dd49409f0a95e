"""Traces of games: who had what at the start of each round, and who won."""

import numpy as np
import pytest

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.game.batch import DICE, DICE_SQUARED, NUYEN, PLAYED, new_thread, play_to_round
from sprawlsim.sprawlops.game.simulate import Batch

GAMES = 300


@pytest.fixture(scope="module")
def batch():
    return Batch(["balanced", "gear-rush", "docwagon", "champion", "face-economy"], players=3, seed=11)


@pytest.fixture(scope="module")
def trace(batch):
    return batch.trace(GAMES, 40)


def test_everybody_starts_with_the_starters_dice_and_money_the_first_seat_with_the_token(trace):
    # Rulebook, "Setup": 20K each; the stand-in's starting runners have 2, 2 and 1 dice.
    assert (trace.dice[:, 0] == 5).all()
    assert (trace.nuyen[:, 0] == 20).all()
    assert (trace.first[:, 0] == 0).all()


def test_winners_and_rounds_are_those_of_the_batch(batch, trace):
    lineups = batch.plan.lineups[np.arange(GAMES) % len(batch.plan.lineups)]
    by_entrant = np.where(trace.winner < 0, -1, lineups[np.arange(GAMES), np.maximum(trace.winner, 0)])
    assert (by_entrant == batch.winners(GAMES)).all()
    tally = batch.run(GAMES).tally
    won = trace.winner >= 0
    assert (np.bincount(trace.rounds[won], minlength=len(tally.rounds)) == tally.rounds).all()


def test_sums_over_games_are_those_of_the_tally(batch, trace):
    total = batch.run(GAMES).tally.by_round.sum(axis=0)[1:41]
    begun = trace.dice >= 0
    assert (begun.sum(axis=(0, 2)) == total[:, PLAYED]).all()
    assert (np.where(begun, trace.dice, 0).sum(axis=(0, 2)) == total[:, DICE]).all()
    assert (np.where(begun, trace.dice, 0).astype(np.int64) ** 2).sum() == total[:, DICE_SQUARED].sum()
    assert (np.where(begun, trace.nuyen, 0).sum(axis=(0, 2)) == total[:, NUYEN]).all()


def test_a_round_is_what_the_game_stands_at_when_it_is_played_to_there(batch, trace):
    thread = new_thread(batch.cards)
    for number in range(20):
        lasted = play_to_round(batch.plan, thread, number, 5)
        assert lasted == (trace.rounds[number] >= 5)
        if lasted:
            game = thread.table[0]
            assert trace.first[number, 4] == game.first
            assert list(trace.nuyen[number, 4]) == list(game.nuyen[:3])


def test_what_a_game_had_no_round_for_is_blank(trace):
    rounds = np.arange(1, 41)
    for number in range(GAMES):
        late = rounds > trace.rounds[number]
        assert (trace.first[number, late] == -1).all()
        assert (trace.dice[number, late] == -1).all()
        assert (trace.nuyen[number, late] == -1).all()
        assert (trace.dice[number, ~late] > 0).all()


def test_threads_and_the_number_of_rounds_written_change_nothing(batch, trace):
    alone = batch.trace(GAMES, 6, threads=1)
    assert alone.dice.shape == (GAMES, 6, 3)
    assert (alone.dice == trace.dice[:, :6]).all()
    assert (alone.nuyen == trace.nuyen[:, :6]).all()
    assert (alone.winner == trace.winner).all()
    assert (alone.rounds == trace.rounds).all()


def test_a_stopped_game_has_no_winner():
    trace = Batch(["random"], players=2, seed=1, round_limit=3).trace(20, 5)
    assert (trace.winner == -1).all()
    assert (trace.rounds == 3).all()
    assert (trace.dice[:, 3:] == -1).all()


def test_wrong_numbers_and_functions_are_refused(batch):
    with pytest.raises(SprawlsimError, match="rounds must be between 1 and 200, not 0"):
        batch.trace(10, 0)
    with pytest.raises(SprawlsimError, match="games must be between"):
        batch.trace(0)
    with pytest.raises(SprawlsimError, match="cannot be traced"):
        Batch([lambda game, actions: 0, "balanced"], players=2).trace(1)
