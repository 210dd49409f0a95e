"""Cards changed for one run are as strictly read as their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprawlsim.errors import CardError
from sprawlsim.sprawlops.cards import DECKS, CardSet, deck_of, find_card, load_card_set, write_card_set
from sprawlsim.sprawlops.cards.model import card_table
from sprawlsim.sprawlops.cards.reading import card_faults
from sprawlsim.sprawlops.cards.strict import convert


def changed(*changes: str) -> CardSet:
    return load_card_set("stand-in", changes)


def test_a_change_changes_one_card_and_is_told_in_the_name() -> None:
    base = load_card_set("stand-in")
    cards = changed("Renraku Tsurugi Cyberdeck.dice.decker=3")
    assert cards.name == "stand-in (changed: Renraku Tsurugi Cyberdeck.dice.decker=3)"
    assert find_card(cards, "Renraku Tsurugi Cyberdeck").dice == {"decker": 3}  # type: ignore[union-attr]
    assert cards.runners == base.runners
    assert sum(a != b for a, b in zip(cards.gear, base.gear, strict=True)) == 1
    assert find_card(base, "Renraku Tsurugi Cyberdeck").dice == {"decker": 2}  # type: ignore[union-attr]


def test_changes_reach_stages_lists_names_and_each_other() -> None:
    cards = changed(
        "make some noise.stages.2.icons.mage = 4",
        "Make Some Noise.payout=8",
        "tsurugi.requirement=['mage']",
        "Tsurugi.requirement.1='rigger'",
        'Jackrabbit.name="Old Van"',
        "Old Van.cost=1",
        "Lazar.dice.rigger=0",
        "Grand Vault Raid.stages=[{ icons = { mage = 2 } }]",
    )
    noise = find_card(cards, "Make Some Noise")
    assert noise.stages[1].icons == {"decker": 4, "mage": 4}  # type: ignore[union-attr]
    assert noise.stages[1].loot == 1  # type: ignore[union-attr]
    assert noise.payout == 8  # type: ignore[union-attr]
    assert find_card(cards, "tsurugi").requirement == ("rigger",)  # type: ignore[union-attr]
    assert find_card(cards, "old van").cost == 1  # type: ignore[union-attr]
    assert find_card(cards, "lazar").dice == {"street_samurai": 2}  # type: ignore[union-attr]
    assert len(find_card(cards, "vault").stages) == 1  # type: ignore[union-attr]


def test_a_changed_set_can_be_written_and_read(tmp_path: Path) -> None:
    cards = changed("Make Some Noise.stages=[{ icons = { mage = 2 } }]", 'Lazar.name="Someone Else"')
    write_card_set(cards, tmp_path / "variant")
    assert load_card_set(tmp_path / "variant") == cards


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ("Datajack.cost", ["is not a change of a card", "CARD.KEY=VALUE"]),
        ("Datajack=3", ["is not a change of a card"]),
        ("Datajak.cost=3", ["no card is called 'Datajak'", "did you mean 'Datajack'"]),
        ("samurai.cost=3", ["could be any of", "Steady Samurai", "Veteran Samurai"]),
        ("Datajack.prize=3", ["prize is not a key", "cost"]),
        ("Datajack.cost=many", ["'many' is not a value", "quotation marks"]),
        ("Datajack.cost=", ["'' is not a value"]),
        ("Datajack.cost=3\nloan = 2", ["is not a value"]),
        ("Datajack.cost=9999999999999999999999", ["is not a whole number from 0 to 99"]),
        (".cost=3", ["the name is empty"]),
        ("Datajack.=3", ["is not a key"]),
        ("Datajack.cost=100", ["Upgrade 'Datajack'", "cost = 100", "0 to 99"]),
        ("Datajack.cost.more=1", ["cost is a single value"]),
        ("Tsurugi.dice.decker=7", ["dice.decker = 7", "0 to 6"]),
        ("Tsurugi.dies.decker=3", ["dies is not a key", "did you mean 'dice'"]),
        ("Make Some Noise.stages.5.loot=1", ["stages has the entries 1 to 4", "'5' is none"]),
        ("Make Some Noise.stages.0.loot=1", ["stages has the entries 1 to 4"]),
        ("Make Some Noise.stages.1.icons={}", ["stages.1.icons is empty"]),
        ("Evacuate.bonus='success:wizard'", ["bonus", "did you mean 'success:mage'"]),
        ("Tamsynn.roles=['mage']", ["starting set 1", "one each of"]),
        ("Tamsynn.set=2", ["starting set 1", "street_samurai, face"]),
        ("Lazar.name='Datajack'", ["is already that of an Upgrade"]),
        ("Datajack.kind='commlink'", ["die is only for"]),
    ],
)
def test_a_change_that_cannot_be_made_says_why(change: str, parts: list[str]) -> None:
    with pytest.raises(CardError) as caught:
        changed(change)
    for part in parts:
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


CARDS = load_card_set("stand-in")

values: st.SearchStrategy[Any] = st.recursive(
    st.integers()
    | st.booleans()
    | st.floats()
    | st.dates()
    | st.sampled_from(["", "?", "mage", "die", "owner", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["mage", "icons", "loot", "decker", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.sampled_from([card for _, card in CARDS.pairs()]), st.data(), values)
def test_any_value_under_any_key_is_a_fault_in_one_line_or_a_legal_card(
    card: Any, data: st.DataObject, value: Any
) -> None:
    deck = deck_of(card)
    table = card_table(card)
    table[data.draw(st.sampled_from([*table, "unheard of"]))] = value
    faults = card_faults(table, deck)
    if faults:
        assert all(fault and "\n" not in fault for fault in faults)
    else:
        changed_card = convert(table, DECKS[deck].model)
        assert card_faults(card_table(changed_card), deck) == []
