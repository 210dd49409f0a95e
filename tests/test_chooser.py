"""What weights do to play: each is tried at its extreme, where what it must bring about is plain."""

import pytest

from sprawlsim.sprawlops.game.arrays import FIGURES, LOCATIONS
from sprawlsim.sprawlops.game.batch import ROUND_COLUMNS
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.game.strategies.model import place_key, strategy_from_dict

GAMES = 150


def play(**tables):
    """Play a strategy of these weights against `balanced`, two players."""
    mine = strategy_from_dict(tables, "mine")
    return Batch([mine, "balanced"], players=2, seed=21, round_limit=12).run(GAMES)


def figure(results, name, entrant=0):
    """Add up what happened to an entrant, or the rounds it took part in."""
    if name == "players":
        return int(results.tally.by_round[entrant, :, 0].sum())
    return int(results.tally.by_round[entrant, :, ROUND_COLUMNS - len(FIGURES) + FIGURES.index(name)].sum())


def visits(results, location, entrant=0):
    """Count an entrant's placings at a location."""
    return int(results.tally.visits[entrant, LOCATIONS.index(location)])


@pytest.fixture(scope="module")
def usual():
    return play()


@pytest.mark.parametrize("location", LOCATIONS)
def test_a_location_that_is_shunned_is_not_visited(location):
    assert visits(play(place={place_key(location): 0}), location) == 0


@pytest.mark.parametrize("location", ["Crime Mall", "Hannibelle's Host", "Mr. Johnson", "DocWagon"])
def test_a_location_that_is_loved_is_visited_more(location, usual):
    loved = play(place={place_key(location): 5})
    rounds = loved.tally.by_round[0, :, 0].sum() / usual.tally.by_round[0, :, 0].sum()
    assert visits(loved, location) > visits(usual, location) * rounds


def test_a_final_chance_out_of_reach_means_that_the_final_mission_is_never_tried():
    results = play(final={"chance": 1.0, "haste": 0.0, "rival": 1.0})
    assert figure(results, "finals") == 0
    assert results.win_rate("mine").estimate == 0.0


def test_no_final_chance_asked_for_means_trying_at_once_and_failing():
    results = play(final={"chance": 0.0})
    first = results.tally.by_round[0, 1, ROUND_COLUMNS - len(FIGURES) + FIGURES.index("finals")]
    assert first == GAMES
    assert results.tally.rounds[1] == 0


def test_prices_of_harm_keep_runners_safe():
    never = {"chance": 1.0, "haste": 0.0, "rival": 1.0}
    shunned = dict.fromkeys(["bodyguard_work", "datasteal"], 0)
    careful, careless = (
        play(mission={"injury": price, "death": 3 * price}, final=never, place=shunned) for price in (60, 0)
    )
    injuries = [figure(results, "injuries") / figure(results, "players") for results in (careful, careless)]
    assert injuries[0] < 0.3 * injuries[1]


def test_two_missions_a_round_with_no_more_runners_than_needed(usual):
    busy = play(mission={"per_round": 2, "enough": 0.6, "eagerness": 3})
    rounds = busy.tally.by_round[0, :, 0].sum() / usual.tally.by_round[0, :, 0].sum()
    assert figure(busy, "tried") > 1.2 * figure(usual, "tried") * rounds


def test_who_thinks_nothing_of_cards_buys_nothing():
    results = play(
        dice=dict.fromkeys(["street_samurai", "decker", "mage", "rigger", "face"], 0),
        worth={"body": 0, "face": 0, "plating": 0, "commlink": 0, "refill": 0, "loot": 0},
    )
    later = [row["dice"].estimate for row in results._rounds("mine")]
    assert later[-1] == later[0] == 5.0


def test_no_die_is_bought_for_more_than_it_is_worth():
    """With thrift far above every worth, money is only earned."""
    results = play(worth={"thrift": 10, "ease": 0, "loot": 0})
    nuyen = [row["nuyen"].estimate for row in results._rounds("mine")]
    assert nuyen[4] > nuyen[0]
