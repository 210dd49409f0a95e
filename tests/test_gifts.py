"""Cards and nuyen given at the start, cards left out: nothing else of the game changes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from sprawlsim import SprawlsimError, load_cards
from sprawlsim.sprawlops.game.arrays import (
    EMPTY,
    GEAR_DECK,
    HELD,
    LOOT_DECK,
    MISSION_DECK,
    NOBODY,
    RUNNER_DECK,
)
from sprawlsim.sprawlops.game.batch import begin_game, new_thread, play_to_round
from sprawlsim.sprawlops.game.decks import draw_card
from sprawlsim.sprawlops.game.simulate import Batch

ALIKE = ["balanced", "balanced"]


def begun(number: int = 0, **options: Any) -> tuple[Any, Batch]:
    """Set up a game of a batch of two players; the record where it stands."""
    batch = Batch(ALIKE, players=2, seed=3, **options)
    thread = new_thread(batch.cards)
    begin_game(batch.plan, thread, number)
    return thread.table[0], batch


def cards_seen(game: Any, deck: int, draws: int) -> list[int]:
    """Give the order of a deck: the face-up cards, then those drawn."""
    market = [int(card) for card in game.market[deck] if card != EMPTY] if deck < LOOT_DECK else []
    return market + [int(draw_card(game, deck)) for _ in range(draws)]


def test_nuyen_come_to_the_twenty_of_setup_and_never_fall_below_nothing() -> None:
    assert list(begun(gifts={"balanced": ["5K", "-2K"]})[0].nuyen[:2]) == [23, 20]
    assert list(begun(1, gifts={"balanced": ["5K"]})[0].nuyen[:2]) == [20, 25]  # the next seat
    assert list(begun(gifts={"balanced": ["-30K"]})[0].nuyen[:2]) == [0, 20]


def test_gear_given_is_in_hand_and_nowhere_else() -> None:
    game, batch = begun(gifts={"balanced (2)": ["Datajack", "Pocket Deck"]})
    gear = batch.names.gear.index("Pocket Deck")
    assert (game.gear_of[gear], game.gear_on[gear]) == (1, HELD)
    assert all(game.gear_of[other] == NOBODY for other in range(len(batch.names.gear)) if other != gear)
    assert gear not in cards_seen(game, GEAR_DECK, len(batch.names.gear) - 3)
    assert game.n_draw[GEAR_DECK] == 0
    datajack = batch.names.unique.index("Datajack")
    assert list(game.upgrade[1]).count(datajack) == 1
    slot = list(game.upgrade[1]).index(datajack)
    assert game.card[1, slot] == 3 + 1  # the second player's Decker, who has the dice it adds to
    assert game.dice[1, slot].sum() == 3
    assert datajack not in game.unique[: game.n_unique]
    assert game.n_unique == len(batch.names.unique) - 1


def test_runner_loot_and_upgrades_of_a_pile() -> None:
    things = ["Lazar", "Evacuate", "Dermal Plating", "Commlink", "Commlink"]
    game, batch = begun(gifts={"balanced": things})
    plain, _ = begun()
    assert game.card[0, 3] == batch.names.runners.index("Lazar")
    assert batch.names.runners.index("Lazar") not in cards_seen(game, RUNNER_DECK, 14 - 2)
    assert game.loot[0].sum() == game.loot[0, batch.names.loot.index("Evacuate")] == 1
    assert game.n_draw[LOOT_DECK] == plain.n_draw[LOOT_DECK] - 1
    assert list(game.plating[0]) == [1, 0, 0, 0]
    assert list(game.commlink[0]) == [1, 1, 0, 0]
    assert list(game.pile - plain.pile) == [-1, -2]


@pytest.mark.parametrize(
    ("deck", "card"),
    [
        (GEAR_DECK, "Pocket Deck"),
        (RUNNER_DECK, "Corium"),
        (MISSION_DECK, "Errand Job"),
        (LOOT_DECK, "Evacuate"),
    ],
)
def test_a_card_left_out_leaves_the_order_of_the_others(deck: int, card: str) -> None:
    for number in range(20):
        whole, batch = begun(number)
        less, _ = begun(number, without=[card])
        decks = {GEAR_DECK: "gear", RUNNER_DECK: "runners", MISSION_DECK: "missions", LOOT_DECK: "loot"}
        gone = getattr(batch.names, decks[deck]).index(card)
        before = cards_seen(whole, deck, int(whole.n_draw[deck]))
        after = cards_seen(less, deck, int(less.n_draw[deck]))
        assert sorted(before) == sorted([*after, gone])
        assert [other for other in before if other != gone] == after
        assert (whole.final, list(whole.unique)) == (less.final, list(less.unique))


def test_upgrades_left_out() -> None:
    whole, batch = begun()
    less, _ = begun(without=["Datajack", "Commlink"])
    datajack = batch.names.unique.index("Datajack")
    assert [card for card in whole.unique[: whole.n_unique] if card != datajack] == list(
        less.unique[: less.n_unique]
    )
    assert list(less.pile) == [whole.pile[0], 0]


def test_every_order_of_a_deck_is_as_likely() -> None:
    """First and second card of a deck of Gear, over many games: all pairs alike (chi-square, 1 in 10,000)."""
    games = 8_000
    batch = Batch(ALIKE, players=2, seed=8, without=list(batch_gear()[4:]))
    thread = new_thread(batch.cards)
    seen: Counter[tuple[int, ...]] = Counter()
    for number in range(games):
        begin_game(batch.plan, thread, number)
        seen[tuple(map(int, thread.table[0].market[GEAR_DECK, :2]))] += 1
    assert len(seen) == 4 * 3
    expected = games / 12
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < 37.4  # 11 degrees of freedom


def batch_gear() -> tuple[str, ...]:
    """Name the Gear of the shipped set."""
    return tuple(card.name for card in load_cards().card_set.gear)


def test_copies_of_a_loot_card_are_shuffled_apart() -> None:
    """Of two copies among three cards, the odd one is first, second or third equally often."""
    names = [card.name for card in load_cards().card_set.loot]
    batch = Batch(
        ALIKE,
        players=2,
        seed=8,
        cards=load_cards(changes=[f"{names[0]}.copies=2"]).card_set,
        without=names[2:],
    )
    thread = new_thread(batch.cards)
    places: Counter[int] = Counter()
    games = 6_000
    for number in range(games):
        begin_game(batch.plan, thread, number)
        places[cards_seen(thread.table[0], LOOT_DECK, 3).index(1)] += 1
    assert all(abs(count - games / 3) < 4 * np.sqrt(games * 2 / 9) for count in places.values())


def test_a_gift_of_nothing_changes_no_game_and_the_results_tell_gifts() -> None:
    plain = Batch(ALIKE, players=2, seed=3).run(200)
    nothing = Batch(ALIKE, players=2, seed=3, gifts={"balanced": ["0K"]}).run(200)
    assert plain.tally.tobytes() == nothing.tally.tobytes()
    assert nothing.to_dict()["gifts"] == {"balanced": ["0K"]}
    assert plain.to_dict()["without"] == []


def test_a_big_gift_wins_games() -> None:
    results = Batch(ALIKE, players=2, seed=3, gifts={"balanced": ["40K"]}).run(2_000)
    assert results.win_rate("balanced").low > 0.6


def test_play_to_round_stops_at_the_start_of_the_round() -> None:
    batch = Batch(ALIKE, players=2, seed=3)
    thread = new_thread(batch.cards)
    assert play_to_round(batch.plan, thread, 0, 3)
    assert (thread.table[0].round_number, thread.table[0].phase) == (3, 0)
    assert not play_to_round(batch.plan, thread, 0, 39)
    assert not thread.desk.book.figures.any()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"gifts": {"balancd": ["5K"]}}, "did you mean"),
        ({"gifts": {"balanced": "5K"}}, "a list of cards"),
        ({"gifts": {"balanced": ["Datajak"]}}, "Datajack"),
        ({"gifts": {"balanced": ["Lazar", "Corium"]}}, "no room for Corium"),
        ({"gifts": {"balanced": ["Datajack", "Datajack"]}}, "not so many copies of Datajack"),
        ({"gifts": {"balanced": ["Dermal Plating"] * 4}}, "nobody is left to take Dermal Plating"),
        ({"gifts": {"balanced": ["Lazar"], "balanced (2)": ["Lazar"]}}, "twice at one table"),
        ({"gifts": {"balanced": ["Lazar"]}, "without": ["Lazar"]}, "left out and given"),
        ({"gifts": {"balanced": ["Evacuate"]}, "without": ["Evacuate"]}, "more often than there are copies"),
        (
            {"gifts": {"balanced": ["Commlink"]}, "without": ["Commlink"]},
            "commlink cards are given or left out",
        ),
        ({"without": ["Tamsynn"]}, "Tamsynn"),
    ],
)
def test_what_makes_no_sense_is_told(options: dict[str, Any], told: str) -> None:
    with pytest.raises(SprawlsimError, match=told.replace("(", r"\(")):
        Batch(ALIKE, players=2, **options)
