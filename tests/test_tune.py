"""Tuning: what is kept is kept, what is found is better on games it has not seen, and the same every time."""

import pytest

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops.game.strategies.model import load_strategy, strategy_from_dict
from sprawlsim.sprawlops.game.tune import Arena, tune, tuned_keys

FIELD = [load_strategy(name) for name in ("balanced", "gear-rush")]
POOR = strategy_from_dict({"final": {"chance": 0.999, "haste": 0.0, "rival": 1.0}}, "timid")
"""Never tries the Final Mission before it is certain, and so never wins: there is much to gain."""
FEW = {"players": 2, "games": 60, "generations": 6, "test_games": 600, "seed": 3}


@pytest.fixture(scope="module")
def tuning():
    return tune(POOR, FIELD, keep=["dice", "eye", "place"], **FEW)


def test_a_strategy_with_much_to_gain_gains_on_held_out_games(tuning):
    assert tuning.gain.low > 0.0
    assert tuning.after.estimate - tuning.before.estimate == pytest.approx(tuning.gain.estimate)
    assert tuning.generations == 6


def test_weights_to_keep_stay(tuning):
    changed = set(tuning.strategy.weights)
    assert not any(key.startswith(("dice.", "eye.", "place.")) for key in changed)
    assert tuning.strategy.weights["final.chance"] != 0.999


def test_the_same_seed_finds_the_same(tuning):
    assert tune(POOR, FIELD, keep=["dice", "eye", "place"], **FEW) == tuning


def test_an_interrupt_keeps_what_was_found():
    told = []

    def stop(done, of, found):
        told.append(found)
        if done == 2:
            raise KeyboardInterrupt

    result = tune(POOR, FIELD, **FEW, told=stop)
    assert result.generations == 2
    assert len(told) == 2
    assert told[0] != told[1]
    assert result.strategy in [told[1], POOR]


def test_the_arena_seats_the_strategy_everywhere_against_everybody():
    arena = Arena(POOR, FIELD, 2, None)
    assert arena.lineups.tolist() == [[0, 1], [1, 0], [0, 2], [2, 0]]


def test_what_cannot_be_tuned_is_told():
    with pytest.raises(SprawlsimError, match=r"'palce' is no weight.*did you mean 'place'"):
        tuned_keys(POOR, ["palce"])
    with pytest.raises(SprawlsimError, match="no weights to tune"):
        tuned_keys(load_strategy("random"), [])
    with pytest.raises(SprawlsimError, match="nothing to tune"):
        tuned_keys(POOR, ["dice", "worth", "mission", "final", "eye", "place"])
    with pytest.raises(SprawlsimError, match="name at least 3"):
        tune(POOR, FIELD, players=4)
