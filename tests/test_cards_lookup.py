"""Names resolve by whole name, then word prefixes, then substring; similarity only suggests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprawlsim.errors import UnknownNameError
from sprawlsim.sprawlops.cards import CardSet, find_card, load_card_set, resolve_name

NAMES = ["Chrysler-Nissan Jackrabbit", "Data", "Datajack", "Data Vault Job", "Silver Focus", "Jack of Blades"]


@pytest.fixture(scope="module")
def cards() -> CardSet:
    return load_card_set("stand-in")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("data", "Data"),  # the whole name wins over names it begins
        ("DATAJACK", "Datajack"),
        ("  silver   focus ", "Silver Focus"),
        ("jackr", "Chrysler-Nissan Jackrabbit"),
        ("nissan jack", "Chrysler-Nissan Jackrabbit"),
        ("chrysler-nissan", "Chrysler-Nissan Jackrabbit"),
        ("da va", "Data Vault Job"),
        ("jack", None),  # begins a word of two names; Datajack only holds it
        ("tajack", "Datajack"),  # a substring, as no word begins so
        ("data j", None),
        ("focus silver", None),
        ("datajock", None),
        ("", None),
        ("-", "Chrysler-Nissan Jackrabbit"),
    ],
)
def test_the_first_level_with_a_match_decides(text: str, name: str | None) -> None:
    if name is None:
        with pytest.raises(UnknownNameError):
            resolve_name(text, NAMES, "card")
    else:
        assert resolve_name(text, NAMES, "card") == name


def test_several_candidates_are_listed_and_none_is_picked() -> None:
    with pytest.raises(UnknownNameError) as caught:
        resolve_name("jack", NAMES, "card")
    assert str(caught.value) == (
        "'jack' could be any of Chrysler-Nissan Jackrabbit, Jack of Blades; write more of the name"
    )


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("datajock", "'Datajack'"),
        ("jackrabit", "'Chrysler-Nissan Jackrabbit'"),
        ("sliver focus", "'Silver Focus'"),
    ],
)
def test_a_mistyped_name_is_an_error_that_suggests(text: str, suggestion: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        resolve_name(text, NAMES, "Gear card")
    assert str(caught.value).startswith(f"no Gear card is called {text!r}; did you mean ")
    assert suggestion in str(caught.value)


def test_a_name_like_nothing_suggests_nothing() -> None:
    with pytest.raises(UnknownNameError) as caught:
        resolve_name("xyzzy", NAMES, "card")
    assert str(caught.value) == "no card is called 'xyzzy'"


def outcome(text: str) -> tuple[str | None, str]:
    """Return the name found, or None and the message."""
    try:
        return resolve_name(text, NAMES, "card"), ""
    except UnknownNameError as error:
        return None, str(error)


@given(st.sampled_from(NAMES), st.data())
def test_any_beginning_of_a_word_finds_its_name_or_says_that_it_is_ambiguous(
    name: str, data: st.DataObject
) -> None:
    word = data.draw(st.sampled_from(name.replace("-", " ").split()))
    start = word[: data.draw(st.integers(1, len(word)))]
    found, message = outcome(start)
    if found is None:
        assert name in message
    else:
        assert found == name or found.casefold() == start.casefold()


@given(st.text(max_size=12))
def test_any_text_gives_a_name_or_one_sentence(text: str) -> None:
    found, message = outcome(text)
    assert found in NAMES or (message and "\n" not in message)


def test_names_are_looked_for_in_the_decks_that_fit(cards: CardSet) -> None:
    assert find_card(cards, "make some noise").name == "Make Some Noise"
    with pytest.raises(
        UnknownNameError, match=r"'Make Some Noise' is a Mission, but this must be a Loot card"
    ):
        find_card(cards, "noise", "loot")
    with pytest.raises(
        UnknownNameError, match=r"'Datajack' is an Upgrade, but this must be a Mission or Final Mission"
    ):
        find_card(cards, "datajack", "missions", "final_missions")
    with pytest.raises(UnknownNameError, match=r"the name is empty; this must be a Mission"):
        find_card(cards, " ", "missions")


def test_every_card_is_found_by_its_own_name(cards: CardSet) -> None:
    for deck, card in cards.pairs():
        assert find_card(cards, card.name.upper()) is card
        assert find_card(cards, card.name, deck) is card
