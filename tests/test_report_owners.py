"""Who has changed cards at the end of games: as another count of the same games says, by hand, planted."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from scipy import stats

from sprawlsim import SprawlsimError, load_cards
from sprawlsim.sprawlops.api import Cards
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.game.strategies.model import load_strategy
from sprawlsim.sprawlops.reports.card_changes import changed_cards, team_in
from sprawlsim.sprawlops.reports.cards import DECKS, holders
from sprawlsim.sprawlops.reports.owners import last_positions, study_owners, who_has

GAMES = 300
STAND_IN = load_cards()


def changed(*changes: str) -> Cards:
    return load_cards(changes=changes)


def without(deck: str, name: str) -> Cards:
    """Give the stand-in set less a card."""
    cards = STAND_IN.card_set
    kept = tuple(card for card in cards.deck(deck) if card.name != name)
    return Cards(msgspec.structs.replace(cards, **{deck: kept}))


def owners_of(second: Cards, strategies=("champion", "balanced"), games: int = GAMES, **options):
    sets = STAND_IN.card_set, second.card_set
    batches = [Batch(list(strategies), players=2, seed=3, cards=cards) for cards in sets]
    frame = study_owners(batches, changed_cards(*sets), games, **options)
    return frame.set_index("card"), batches


def test_who_has_what_is_as_a_count_player_by_player_says():
    batch = Batch(seed=2)
    ends = last_positions(batch, GAMES)
    counted = holders(batch, GAMES)
    fair = {}
    for deck in DECKS:
        for card in STAND_IN.card_set.deck(deck):
            owned = who_has(ends, batch.names, card, 4)
            won = owned & (np.arange(4) == batch.rows(0, GAMES)["winner"][:, None])
            fair[card.name] = (owned.sum(), won.sum())
    assert {name: counts for name, counts in fair.items() if counts[0]} == {
        name: counts for name, counts in counted.items() if name in fair
    }
    assert sum(counts[0] > 0 for counts in fair.values()) > 40


def test_shares_and_their_change_are_those_of_two_counts():
    frame, batches = owners_of(changed("Datajack.cost=1"))
    row = frame.loc["Datajack"]
    counts = [holders(batch, GAMES)["Datajack"] for batch in batches]
    shares = [count / (2 * GAMES) for count, _ in counts]
    assert (row["first"], row["second"]) == (pytest.approx(shares[0]), pytest.approx(shares[1]))
    assert row["change"] == pytest.approx(shares[1] - shares[0])
    assert row["wins_first"] == pytest.approx(counts[0][1] / counts[0][0])
    assert row["wins_second"] == pytest.approx(counts[1][1] / counts[1][0])
    # Student's interval and test, by scipy, of how many of both players have it.
    card = STAND_IN.find("Datajack")
    had = [who_has(last_positions(batch, GAMES), batch.names, card, 2).sum(axis=1) for batch in batches]
    test = stats.ttest_rel(had[1], had[0])
    assert row["p_value"] == pytest.approx(test.pvalue)
    interval = test.confidence_interval()
    assert (row["change_low"], row["change_high"]) == (
        pytest.approx(interval.low / 2),
        pytest.approx(interval.high / 2),
    )


def test_gear_for_nothing_is_had_more_often():
    frame, _ = owners_of(changed("Evening Suit.cost=0"))
    row = frame.loc["Evening Suit"]
    assert row["change_low"] > 0.1
    assert row["p_value"] < 1e-6


def test_an_unchanged_copy_is_had_exactly_as_often_by_the_same():
    copies = ['Datajack.name="Jack"', 'Glass Deck.name="Deck"', 'Corium.name="Cor"', 'Evacuate.name="Go"']
    frame, _ = owners_of(changed(*copies, 'Dermal Plating.name="Plate"'))
    assert set(frame.index) == {"Datajack", "Glass Deck", "Corium", "Evacuate", "Dermal Plating"}
    assert (frame["change"] == 0).all()
    assert (frame["change_low"] == frame["change_high"]).all()
    assert (frame["p_value"] == 1).all()
    for name in ("", "_low", "_high"):
        assert frame[f"first{name}"].equals(frame[f"second{name}"].rename(f"first{name}"))
        assert frame[f"wins_first{name}"].equals(frame[f"wins_second{name}"].rename(f"wins_first{name}"))
    assert frame["most_first"].equals(frame["most_second"].rename("most_first"))
    assert frame.loc["Datajack", "first"] > 0.05


def test_who_never_goes_shopping_does_not_have_it_most():
    poor = load_strategy("champion")._replace(name="poor", weights={"place.crime_mall": 0.0})
    frame, _ = owners_of(changed("Long Rifle.cost=8"), ["champion", poor])
    row = frame.loc["Long Rifle"]
    assert (row["most_first"], row["most_second"]) == ("champion", "champion")
    # Both sit at every table, and nearly all of the owners are the champion.
    assert row["most_first_share"] == pytest.approx(2 * row["first"], abs=0.02)
    assert row["most_first_share"] > 0.5


def test_a_strategy_alone_is_not_compared_with_others():
    frame, _ = owners_of(changed("Datajack.cost=1"), ["champion"])
    assert frame["most_first"].isna().all()


def test_a_card_that_is_gone_or_new_has_one_side_only():
    gone = without("gear", "Long Rifle")
    frame, _ = owners_of(gone)
    row = frame.loc["Long Rifle"]
    assert row["first"] > 0.1
    assert np.isnan(row[["second", "change", "p_value", "wins_second"]].astype(float)).all()
    batches = [Batch(["champion", "balanced"], players=2, seed=3, cards=c.card_set) for c in (gone, STAND_IN)]
    back = study_owners(batches, changed_cards(gone.card_set, STAND_IN.card_set), GAMES).set_index("card")
    assert back.loc["Long Rifle", "second"] == row["first"]
    assert np.isnan(back.loc["Long Rifle", "first"])


def test_cards_that_nobody_can_have_and_functions_are_left_out():
    frame = study_owners(
        [Batch(cards=cards.card_set) for cards in (STAND_IN, changed("Arena Job.payout=9"))],
        changed_cards(STAND_IN.card_set, changed("Arena Job.payout=9").card_set),
        10,
    )
    assert frame.empty
    own, _ = owners_of(changed("Datajack.cost=1"), [lambda game, actions: 0, "balanced"], 2)
    assert own.empty


def test_threads_change_nothing():
    one, _ = owners_of(changed("Datajack.cost=1"), games=150, threads=1)
    two, _ = owners_of(changed("Datajack.cost=1"), games=150, threads=2)
    assert one.equals(two)


def test_what_changed_is_told_key_by_key_and_a_renamed_card_is_the_same():
    def told(second: Cards) -> list[tuple[str, str]]:
        return [(card.name, card.what) for card in changed_cards(STAND_IN.card_set, second.card_set)]

    assert told(STAND_IN) == []
    assert told(changed("Datajack.cost=3", "Datajack.loan=2")) == [("Datajack", "cost: 5 to 3; loan: 1 to 2")]
    assert told(changed('Datajack.name="Jack"')) == [("Datajack", "name: Datajack to Jack")]
    # With another cost as well it could be any card.
    assert told(changed('Datajack.name="Jack"', "Jack.cost=3")) == [
        ("Datajack", "is gone"),
        ("Jack", "is new"),
    ]
    assert told(without("loot", "Evacuate")) == [("Evacuate", "is gone")]


def test_a_team_is_the_same_in_the_other_set_or_cannot_be():
    team = STAND_IN.team("Tamsynn + Datajack + Rebuilt Deck, Steady Samurai")
    second = changed('Datajack.name="Jack"', "Rebuilt Deck.dice.decker=3")
    found = team_in(second.card_set, team, changed_cards(STAND_IN.card_set, second.card_set))
    assert found == second.team("Tamsynn + Jack + Rebuilt Deck, Steady Samurai")
    assert found.members[0].dice != team.members[0].dice
    gone = without("upgrades", "Datajack")
    with pytest.raises(SprawlsimError, match="Datajack is gone"):
        team_in(gone.card_set, team, changed_cards(STAND_IN.card_set, gone.card_set))
    faces_only = changed('Rebuilt Deck.requirement=["face"]')
    with pytest.raises(SprawlsimError, match="Rebuilt Deck"):
        team_in(faces_only.card_set, team, changed_cards(STAND_IN.card_set, faces_only.card_set))
