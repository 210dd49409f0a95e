"""The report on cards: what a card does is found, whatever the win rates of its owners say."""

from __future__ import annotations

import pytest

from sprawlsim import load_cards
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.reports.card_section import card_section
from sprawlsim.sprawlops.reports.cards import Trial, gain_of, holders, study_cards
from sprawlsim.sprawlops.reports.full import Plan, make_section
from sprawlsim.sprawlops.reports.study import Origin

GAMES = 600


@pytest.fixture(scope="module")
def report():
    return study_cards(load_cards().card_set, strategy="balanced", players=2, games=GAMES, seed=4)


def test_every_card_that_can_be_given_has_a_row(report):
    cards = load_cards().card_set
    given = [card.name for deck in ("runners", "gear", "upgrades", "loot") for card in cards.deck(deck)]
    assert sorted(report.cards["card"]) == sorted(given)
    assert report.cards["gain"].is_monotonic_decreasing


def test_a_gain_is_that_of_games_played_by_hand(report):
    """The same games, counted from the results of two batches."""
    row = report.cards.set_index("card").loc["Shoulder Cannon"]
    batches = [
        Batch(["balanced"] * 2, players=2, seed=4, gifts={"balanced": gift})
        for gift in ([], ["Shoulder Cannon"])
    ]
    base, with_it = (batch.winners(GAMES) == 0 for batch in batches)
    won, lost = with_it[base].mean(), with_it[~base].mean()
    assert row["gain"] == pytest.approx(0.5 * won + 0.5 * lost - 0.5)
    assert row["gain_low"] < row["gain"] < row["gain_high"]
    assert row["resolved"]
    assert row["cost"] == 14


def test_strong_cards_are_found_and_dead_ones_are_not():
    """Planted: a Gear card of six dice, one without dice at all, and one for nothing."""
    changes = [
        "Pocket Deck.dice.decker=6",
        "Rebuilt Deck.dice={}",
        "Rebuilt Deck.cost=9",
        "Glass Deck.cost=0",
    ]
    cards = load_cards(changes=changes).card_set
    report = study_cards(cards, strategy="balanced", players=2, games=GAMES, seed=7)
    section = card_section(report, Origin("planted", 7, "few games"))
    assert [table.name for table in section.tables] == ["cards", "cards-nuyen"]
    told = " ".join(section.findings)
    assert "What a card of the Gear deck costs does not follow what it does" in told
    assert "Glass Deck does most for its cost: it costs 0K, and does as much as" in told
    assert "Not worth their cost even at the start: " in told
    assert "Rebuilt Deck" in told.split("No effect on who wins is resolved for ")[1].split(".")[0]
    found = report.cards.set_index("card")
    assert found["gain"].idxmax() == "Pocket Deck"
    assert found.loc["Pocket Deck", "overpriced_high"] < 0
    assert not found.loc["Rebuilt Deck", "resolved"]
    assert found.loc["Rebuilt Deck", "overpriced_low"] > 0


def test_a_gift_of_nothing_gains_nothing():
    assert gain_of(Trial(1_000, 250, 250, 250), 4).estimate == 0.0
    lucky = gain_of(Trial(1_000, 300, 300, 300), 4)  # the same games, all of them lucky: no gain
    assert lucky.estimate == pytest.approx(0.0)
    assert lucky.low < 0 < lucky.high


def test_nuyen_do_no_harm_in_the_smoothed_curve(report):
    assert report.cash["smooth"].is_monotonic_increasing
    assert report.cash["gain"].iloc[0] == 0.0


def test_holders_are_counted_once_a_player_and_game():
    batch = Batch(["balanced"] * 2, players=2, seed=4, gifts={"balanced": ["Pocket Deck"]})
    counts = holders(batch, 50)
    assert counts["Pocket Deck"][0] == 50  # Gear is never lost
    results = batch.run(50)
    assert counts["Pocket Deck"][1] == int(results.tally.wins[0].sum())


def test_loot_has_no_price(report):
    loot = report.cards[report.cards["deck"] == "loot"]
    assert len(loot)
    prices = ["cost", "gain_per_k", "overpriced", "line", "residual"]
    assert loot[prices].isna().all(axis=None)
    assert loot["worth"].notna().all()
    told = " ".join(card_section(report, Origin("stand-in", 4, "few games")).findings[:1])
    assert not any(name in told for name in loot["card"])


def test_few_owners_tell_no_share_of_wins(report):
    few = report.cards["held"] < 100
    assert 0 < few.sum() < len(few)
    assert (report.cards["held_wins"].isna() == few).all()


def test_whose_hands_judge_is_told(report):
    """From the totals of the same games."""
    results = Batch(["balanced"] * 2, players=2, seed=4).run(1_000)
    tried, tasks = (results.total(figure) / 2_000 for figure in ("tried", "tasks"))
    assert report.habits.missions == pytest.approx(tried)
    assert report.habits.tasks == pytest.approx(tasks)
    told = " ".join(card_section(report, Origin("stand-in", 4, "few games")).findings)
    assert f"in the hands of balanced, who tries {tried:.1f} side Missions and {tasks:.1f} Tasks" in told


@pytest.mark.parametrize(
    ("table", "needless"),
    [
        ("cards-nuyen", ("card_odds.study_card_odds", "shares.study_shares")),
        ("cards-shares", ("cards.study_cards", "card_odds.study_card_odds")),
    ],
)
def test_a_table_alone_costs_only_its_own_work(monkeypatch, report, table, needless):
    monkeypatch.setattr("sprawlsim.sprawlops.reports.cards.study_cards", lambda *_, **__: report)
    for name in needless:
        monkeypatch.setattr(f"sprawlsim.sprawlops.reports.{name}", pytest.fail)
    section = make_section(Plan(load_cards(), games=500, quick=True), "cards", table=table)
    assert table in [each.name for each in section.tables]
