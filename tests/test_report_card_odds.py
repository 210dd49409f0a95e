"""What cards do for Missions: the odds of teams with the card less those without, asked one by one."""

from __future__ import annotations

import pandas as pd
import pytest

from sprawlsim import load_cards, mission_odds
from sprawlsim.sprawlops.reports import card_odds
from sprawlsim.sprawlops.reports.card_odds import study_card_odds, with_odds
from sprawlsim.sprawlops.reports.card_section import card_section
from sprawlsim.sprawlops.reports.cards import study_cards
from sprawlsim.sprawlops.reports.study import Origin
from sprawlsim.sprawlops.reports.teams import ReferenceTeam

THREE = "Quiet Decker + Martial Arts, Towering Samurai + Balanced Blade, Roving Rigger"
FULL = "Careful Samurai + Chrysler-Nissan Jackrabbit, Backroom Decker, Towering Samurai, Learned Mage"
"""Careful Samurai and Jackrabbit: three dice; Backroom Decker: three as well, and last to come of the two."""
MISSIONS = ("Museum Job", "Convoy Job")


def reference(cards, text):
    return ReferenceTeam(6, cards.team(text), 1, 0.0)


def study(cards, text, *missions):
    chosen = [cards.mission(name) for name in missions]
    return study_card_odds(cards, reference(cards, text), missions=chosen)


def rows(odds):
    return odds.pairs.set_index(["card", "mission"])


@pytest.fixture(scope="module")
def cards():
    return load_cards()


@pytest.fixture(scope="module")
def three(cards):
    return study(cards, THREE, *MISSIONS)


@pytest.fixture(scope="module")
def full(cards):
    return study(cards, FULL, "Museum Job")


def asked(cards, mission, team, **also):
    return mission_odds(mission, cards.team(team), cards=cards, **also).completed.estimate


def on_each(team, *items):
    """Give a thing to each runner of a team in turn."""
    members = team.split(", ")
    return [
        ", ".join(f"{member} + {item}" if i == place else member for i, member in enumerate(members))
        for place in range(len(members))
        for item in items
    ]


def test_every_card_is_tried_on_every_mission(cards, three):
    tried = [
        card.name for deck in ("runners", "gear", "upgrades", "loot") for card in cards.card_set.deck(deck)
    ]
    assert sorted(three.pairs["card"]) == sorted(tried * len(MISSIONS))
    assert three.missions == MISSIONS


@pytest.mark.parametrize("mission", MISSIONS)
@pytest.mark.parametrize("card", ["Sturdy Sidearm", "Dermal Plating", "Commlink"])
def test_equipment_goes_to_whoever_does_most_with_it(cards, three, card, mission):
    assert not getattr(cards.find(card, "gear", "upgrades"), "requirement", ())  # everybody may carry it
    row = rows(three).loc[(card, mission)]
    assert row["how"] == "given"
    assert row["without"] == pytest.approx(asked(cards, mission, THREE), abs=1e-12)
    best = max(asked(cards, mission, team) for team in on_each(THREE, card))
    assert row["given"] == pytest.approx(best, abs=1e-12)
    assert row["gain"] == pytest.approx(best - row["without"], abs=1e-12)


@pytest.mark.parametrize(
    ("card", "without"),
    [
        ("Balanced Blade", THREE.replace(" + Balanced Blade", "")),
        ("Martial Arts", THREE.replace(" + Martial Arts", "")),
        ("Roving Rigger", THREE.replace(", Roving Rigger", "")),
        # The Blade is left lying: neither of the others is a samurai.
        ("Towering Samurai", "Quiet Decker + Martial Arts, Roving Rigger"),
    ],
)
def test_what_the_team_has_is_left_out(cards, three, card, without):
    row = rows(three).loc[(card, "Museum Job")]
    assert row["how"] == "left out"
    assert row["given"] == pytest.approx(asked(cards, "Museum Job", THREE), abs=1e-12)
    assert row["without"] == pytest.approx(asked(cards, "Museum Job", without), abs=1e-12)
    assert row["gain"] > 0


def test_runners_join_while_there_is_room_and_loot_is_in_hand(cards, three):
    row = rows(three).loc[("Learned Mage", "Convoy Job")]
    assert (row["how"], three.leaver) == ("given", None)
    assert row["given"] == pytest.approx(asked(cards, "Convoy Job", f"{THREE}, Learned Mage"), abs=1e-12)
    row = rows(three).loc[("Aqua Fortis", "Convoy Job")]
    assert row["given"] == pytest.approx(asked(cards, "Convoy Job", THREE, loot="Aqua Fortis"), abs=1e-12)


def test_a_fifth_runner_is_compared_with_an_empty_place(cards, full):
    assert full.leaver == "Backroom Decker"
    row = rows(full).loc[("Roving Rigger", "Museum Job")]
    smaller = FULL.replace("Backroom Decker, ", "")
    assert row["how"] == "fourth runner"
    assert row["without"] == pytest.approx(asked(cards, "Museum Job", smaller), abs=1e-12)
    with_it = asked(cards, "Museum Job", f"{smaller}, Roving Rigger")
    assert row["given"] == pytest.approx(with_it, abs=1e-12)


def test_the_gear_of_a_leaver_stays_with_who_has_most_dice_of_its_colour(cards):
    """Careful Samurai goes; the newcomer is the only rigger, and takes over the Jackrabbit."""
    team = FULL.replace("Backroom Decker", "Brilliant Decker + Datajack")
    found = study(cards, team, "Museum Job")
    assert found.leaver == "Careful Samurai"
    smaller = "Brilliant Decker + Datajack, Towering Samurai, Learned Mage"
    with_it = f"{smaller}, Roving Rigger + Chrysler-Nissan Jackrabbit"
    row = rows(found).loc[("Roving Rigger", "Museum Job")]
    assert row["given"] == pytest.approx(asked(cards, "Museum Job", with_it), abs=1e-12)
    kept = smaller.replace("Datajack", "Datajack + Chrysler-Nissan Jackrabbit")
    assert row["without"] == pytest.approx(asked(cards, "Museum Job", kept), abs=1e-12)


def test_gear_without_dice_does_nothing_and_strong_gear_most():
    changes = ["Sturdy Sidearm.dice={}", "Pocket Deck.dice.decker=6"]
    found = study(load_cards(changes=changes), THREE, *MISSIONS).by_card().set_index("card")
    assert found.loc["Sturdy Sidearm", "odds_gain"] == 0.0
    assert pd.isna(found.loc["Sturdy Sidearm", "odds_best_mission"])
    gear = [card.name for card in load_cards().card_set.gear]
    assert found.loc[gear, "odds_gain"].idxmax() == "Pocket Deck"


def test_gear_that_nobody_may_carry_does_nothing(cards, three):
    assert set(cards.find("Silver Focus", "gear").requirement) == {"mage"}
    row = rows(three).loc[("Silver Focus", "Museum Job")]
    assert (row["how"], row["gain"]) == ("nobody can carry it", 0.0)


def test_a_card_that_hurts_stays_at_home(cards):
    """A mage die for who needs none: it must be rolled, and brings more harm than help."""
    alone, mission = "Veteran Samurai", "Courier Job"
    icons = {role for stage in cards.mission(mission).stages for role in stage.icons}
    assert "mage" not in icons
    assert asked(cards, mission, f"{alone} + Borrowed Talisman") < asked(cards, mission, alone)
    row = rows(study(cards, alone, mission)).loc[("Borrowed Talisman", mission)]
    assert row["gain"] == 0.0
    assert row["given"] == row["without"] == asked(cards, mission, alone)


def test_a_mean_is_over_missions_and_the_best_is_the_best(three):
    summed = three.by_card().set_index("card")
    gains = three.pairs.pivot(index="card", columns="mission", values="gain")
    for card, row in summed.iterrows():
        one, other = gains.loc[card, list(MISSIONS)]
        assert row["odds_gain"] == pytest.approx((one + other) / 2)
        assert row["odds_best_gain"] == max(one, other)
        if one != other:
            assert row["odds_best_mission"] == MISSIONS[one < other]


def test_threads_change_nothing(cards, full):
    one = study_card_odds(cards, reference(cards, FULL), missions=[cards.mission("Museum Job")], threads=1)
    assert one.pairs.equals(full.pairs)
    assert one.attempts == full.attempts


def test_the_report_tells_of_missions_beside_games(cards, three):
    games = study_cards(cards.card_set, strategy="balanced", players=2, games=200, seed=4)
    report = with_odds(games, three)
    section = card_section(report, Origin("stand-in", 4, "few games"))
    tables = {table.name: table for table in section.tables}
    assert tables["cards-odds"].frame["odds_gain"].is_monotonic_decreasing
    told = next(finding for finding in section.findings if finding.startswith("Best of its deck"))
    top = tables["cards-odds"].frame.iloc[0]
    assert f"{top['card']} ({100 * top['odds_gain']:.1f} points on average" in told
    assert "Museum Job and Convoy Job" in section.details[-1]
    without = card_section(games, Origin("stand-in", 4, "few games"))
    assert "cards-odds" not in [table.name for table in without.tables]


def test_missions_that_are_too_much_work_are_left_out_and_named(cards, three, monkeypatch):
    monkeypatch.setattr(card_odds, "MOST_SECONDS", 0.0)
    found = study(cards, THREE, *MISSIONS)
    assert (found.missions, found.left_out, found.attempts) == ((), MISSIONS, 0)
