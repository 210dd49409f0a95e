"""The shipped cards hold what the rulebook says, and a set has a stable fingerprint."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from sprawlsim.sprawlops.cards import (
    DECKS,
    CardSet,
    Mission,
    Stage,
    card_set_hash,
    find_card,
    is_invented,
    load_card_set,
    stand_in_share,
)

BOX = {
    "starting_runners": 12,
    "runners": 15,
    "gear": 20,
    "upgrades": 15,
    "loot": 11,
    "missions": 20,
    "final_missions": 5,
    "tasks": 2,
}
"""Rulebook, "Contents"; the two Tasks are locations of the board (Appendix A)."""


@pytest.fixture(scope="module")
def cards() -> CardSet:
    return load_card_set("stand-in")


@pytest.mark.parametrize(("deck", "count"), BOX.items())
def test_stand_in_has_the_counts_of_the_box(cards: CardSet, deck: str, count: int) -> None:
    assert sum(getattr(card, "copies", 1) for card in cards.deck(deck)) == count  # type: ignore[arg-type]


def test_starting_runners_are_four_sets_of_samurai_decker_face(cards: CardSet) -> None:
    roles: dict[int, list[str]] = {}
    for runner in cards.starting_runners:
        roles.setdefault(runner.set, []).append(runner.roles[0])
    assert {number: sorted(own) for number, own in roles.items()} == {
        number: ["decker", "face", "street_samurai"] for number in (1, 2, 3, 4)
    }


def test_upgrades_are_five_plates_five_commlinks_and_a_die_of_each_colour(cards: CardSet) -> None:
    kinds = Counter[str]()
    for card in cards.upgrades:
        kinds[card.kind] += card.copies
    assert kinds == {"dermal-plating": 5, "commlink": 5, "die": 5}
    dice = [card.die for card in cards.upgrades if card.kind == "die"]
    assert sorted(map(str, dice)) == ["decker", "face", "mage", "rigger", "street_samurai"]


def test_known_cards_are_as_the_rulebook_shows_them(cards: CardSet) -> None:
    def dice(name: str) -> object:
        return find_card(cards, name).dice  # type: ignore[union-attr]

    assert dice("Tamsynn") == {"decker": 2}
    assert find_card(cards, "Tamsynn").roles == ("decker",)  # type: ignore[union-attr]
    assert dice("Lazar") == {"street_samurai": 2, "rigger": 1}
    assert find_card(cards, "Lazar").roles == ("street_samurai", "rigger")  # type: ignore[union-attr]
    assert find_card(cards, "Corium").roles == ("mage",)  # type: ignore[union-attr]
    assert set(dice("Corium")) == {"mage"}  # type: ignore[call-overload]
    assert dice("Chrysler-Nissan Jackrabbit") == {"rigger": 1}
    assert find_card(cards, "Chrysler-Nissan Jackrabbit").requirement == ()  # type: ignore[union-attr]
    assert dice("Renraku Tsurugi Cyberdeck") == {"decker": 2}
    assert dice("Datajack") == {"decker": 1}
    assert dice("Tailored Pheromones") == {"face": 1}
    assert find_card(cards, "Martial Arts").kind == "die"  # type: ignore[union-attr]
    assert find_card(cards, "Aqua Fortis").bonus == "success:mage"  # type: ignore[union-attr]
    assert find_card(cards, "Evacuate").bonus == "evacuate"  # type: ignore[union-attr]
    for name in ("Tamsynn", "Lazar", "Corium", "Datajack", "Evacuate", "Make Some Noise"):
        assert find_card(cards, name).source == "rulebook"


def test_make_some_noise_has_the_three_stages_of_the_worked_example(cards: CardSet) -> None:
    mission = find_card(cards, "Make Some Noise")
    assert isinstance(mission, Mission)
    first, second, third, fourth = mission.stages
    assert (first.icons, first.loot, first.payout) == ({"mage": 3}, 0, 0)
    assert (second.icons, second.loot, second.payout) == ({"decker": 4}, 1, 0)
    assert (third.icons, third.loot) == ({"mage": 3}, 0)
    assert third.payout > 0
    assert fourth.source == "stand-in"
    assert "stages.4" in mission.invented


def test_tasks_are_as_appendix_a_tells(cards: CardSet) -> None:
    bodyguard, datasteal = cards.tasks
    assert (bodyguard.name, bodyguard.rerolls, bodyguard.loot_draw) == ("Bodyguard Work", 1, 0)
    assert (datasteal.name, datasteal.payout, datasteal.loot_draw, datasteal.rerolls) == (
        "Datasteal",
        4,
        2,
        0,
    )
    assert datasteal.stages == (Stage(icons=datasteal.icons),)


def test_loot_deck_is_one_of_each_bonus_for_four_colours(cards: CardSet) -> None:
    expected = {"evacuate", "ignore-injury", "reroll-die"}
    for role in ("street_samurai", "decker", "mage", "rigger"):
        expected |= {f"success:{role}", f"die:{role}"}
    assert sorted(card.bonus for card in cards.loot) == sorted(expected)


def test_only_wholly_known_cards_count_as_printed(cards: CardSet) -> None:
    printed = [card.name for _, card in cards.pairs() if not is_invented(card)]
    assert printed == ["Aqua Fortis", "Evacuate"]
    total = sum(len(cards.deck(deck)) for deck in DECKS)
    assert stand_in_share(cards) == (total - 2, total)


def test_about_half_the_missions_have_a_loot_stage_and_half_a_payout_stage(cards: CardSet) -> None:
    loot = sum(any(stage.loot for stage in mission.stages) for mission in cards.missions)
    payout = sum(any(stage.payout for stage in mission.stages) for mission in cards.missions)
    assert 8 <= loot <= 12
    assert 8 <= payout <= 12


def test_cards_are_frozen_and_hashable(cards: CardSet) -> None:
    with pytest.raises(AttributeError):
        cards.gear[0].cost = 1  # type: ignore[misc]
    assert len({card for _, card in cards.pairs()}) == sum(len(cards.deck(deck)) for deck in DECKS)
    assert hash(cards) == hash(load_card_set("stand-in"))


def test_fingerprint_sees_every_number_and_no_name_of_the_set(cards: CardSet) -> None:
    base = card_set_hash(cards)
    assert len(base) == 64
    assert card_set_hash(load_card_set("stand-in")) == base
    assert card_set_hash(msgspec.structs.replace(cards, name="other", description="x")) == base
    for change in (
        "Datajack.cost=9",
        "Lazar.loan=9",
        "Make Some Noise.stages.3.payout=9",
        "Evacuate.copies=2",
    ):
        assert card_set_hash(load_card_set("stand-in", [change])) != base
    assert card_set_hash(msgspec.structs.replace(cards, gear=cards.gear[::-1])) != base


def test_fingerprint_ignores_the_order_in_which_colours_are_written(cards: CardSet) -> None:
    lazar = find_card(cards, "Lazar")
    turned = msgspec.structs.replace(lazar, dice=dict(reversed(lazar.dice.items())))  # type: ignore[union-attr]
    assert list(turned.dice) == ["rigger", "street_samurai"]  # type: ignore[union-attr]
    runners = tuple(turned if card is lazar else card for card in cards.runners)
    assert card_set_hash(msgspec.structs.replace(cards, runners=runners)) == card_set_hash(cards)
