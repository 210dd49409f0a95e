"""The comparison of card sets: what changed is named, what did not is not, on the same dice."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.stats import ttest_rel

from sprawlsim import SprawlsimError, load_cards, mission_odds
from sprawlsim.sprawlops.api import Cards
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.reports.owners import last_positions, who_has
from sprawlsim.sprawlops.reports.study import Origin
from sprawlsim.sprawlops.reports.teams import ReferenceTeam
from sprawlsim.sprawlops.reports.whatif import study_difference
from sprawlsim.sprawlops.reports.whatif_section import TABLES, whatif_section

GAMES = 400
FEW = {"strategies": ["champion", "balanced"], "players": 2, "games": GAMES, "seed": 6}
TEAM = "Quiet Decker, Towering Samurai, Roving Rigger"


def test_one_card_changed_is_named_with_both_values():
    found = study_difference(load_cards(), load_cards(changes=["Datajack.cost=3"]), **FEW)
    assert found.cards.to_numpy().tolist() == [["Datajack", "upgrades", "cost: 5 to 3"]]
    assert found.names[0] == "stand-in"
    assert "Datajack" in whatif_section(found, Origin("stand-in", 6, "few games")).findings[0]


def test_changes_are_those_of_the_same_games_played_by_hand():
    sets = load_cards(), load_cards(changes=["Glass Deck.cost=1", "Shoulder Cannon.cost=1"])
    figures = study_difference(*sets, **FEW).figures.set_index("figure")
    batches = [Batch(["champion", "balanced"], players=2, seed=6, cards=cards.card_set) for cards in sets]
    wins = [(batch.winners(GAMES) == 0).mean() for batch in batches]
    row = figures.loc["champion wins"]
    assert (row["first"], row["second"]) == (pytest.approx(wins[0]), pytest.approx(wins[1]))
    assert row["change"] == pytest.approx(wins[1] - wins[0])
    rounds = [batch.rows(0, GAMES)["rounds"].astype(float) for batch in batches]
    assert figures.loc["rounds", "change"] == pytest.approx((rounds[1] - rounds[0]).mean())
    change = figures.loc["rounds"]
    assert change["change_low"] <= change["change"] <= change["change_high"]


def test_gear_for_nothing_makes_games_shorter_and_that_is_resolved_first():
    cheap = [f"{card.name}.cost=0" for card in load_cards().card_set.gear]
    found = study_difference(load_cards(), load_cards(changes=cheap), **FEW)
    figures = found.figures.set_index("figure")
    assert figures.loc["rounds", "resolved"]
    assert figures.loc["rounds", "change"] < 0
    resolved = found.figures["resolved"].to_numpy()
    assert (np.diff(resolved.astype(int)) <= 0).all()


def test_a_change_that_hardly_does_anything_resolves_nothing():
    found = study_difference(load_cards(), load_cards(changes=["Forged Papers.loan=5"]), **FEW)
    assert not found.figures["resolved"].any()
    findings = whatif_section(found, Origin("", 6, "")).findings
    assert any("Nothing else is resolved" in told for told in findings)


def test_missions_that_differ_are_solved_and_no_others():
    sets = load_cards(), load_cards(changes=["Errand Job.stages.1.icons.street_samurai=3"])
    team = ReferenceTeam(4, sets[0].team(TEAM), 1, 10.0)
    found = study_difference(*sets, [team], **FEW)
    assert list(found.missions["mission"]) == ["Errand Job"]
    odds = [mission_odds("Errand Job", TEAM, cards=cards).completed.estimate for cards in sets]
    row = found.missions.iloc[0]
    assert (row["first"], row["second"]) == (pytest.approx(odds[0]), pytest.approx(odds[1]))
    assert row["change"] < 0


def test_an_unchanged_copy_of_a_card_shows_no_effect_in_ten_of_ten_seeds():
    second = load_cards(changes=['Datajack.name="Copper Jack"', 'Tamsynn.name="Sister"'])
    team = ReferenceTeam(4, load_cards().team("Tamsynn + Datajack, Steady Samurai"), 1, 10.0)
    for seed in range(10):
        found = study_difference(load_cards(), second, [team], **FEW | {"seed": seed, "games": 100})
        assert list(found.cards["card"]) == ["Tamsynn", "Datajack"]
        assert (found.figures["change"] == 0).all()
        assert not found.figures["resolved"].any()
        assert list(found.owners["card"]) == ["Datajack"]
        assert (found.owners["change"] == 0).all()
        assert not found.owners["resolved"].any()
        assert found.missions.empty
        assert found.untried == ()
    findings = whatif_section(found, Origin("", 9, "")).findings
    assert any(told.startswith("Datajack is had by") and ", as before" in told for told in findings)


def test_who_has_a_changed_card_is_told_first_and_settled_with_the_figures():
    found = study_difference(load_cards(), load_cards(changes=["Evening Suit.cost=0"]), **FEW)
    section = whatif_section(found, Origin("", 6, ""))
    assert section.findings[1].startswith("Evening Suit is had by ")
    assert "; most often by " in section.findings[1]
    assert [table.name for table in section.tables][:2] == ["changed-cards", "changed-owners"]
    assert "misleads" in section.tables[1].note
    (row,) = found.owners.to_dict("records")
    assert row["resolved"]
    assert row["games"] == GAMES
    # Holm over all figures and the one card: the smallest of so many p-values, so many times itself.
    batches = [
        Batch(["champion", "balanced"], players=2, seed=6, cards=load_cards(changes=change).card_set)
        for change in ([], ["Evening Suit.cost=0"])
    ]
    card = load_cards().find("Evening Suit")
    had = [who_has(last_positions(batch, GAMES), batch.names, card, 2).sum(axis=1) for batch in batches]
    alone = ttest_rel(had[1], had[0]).pvalue
    assert alone < found.figures["p_value"].min() / (len(found.figures) + 1)
    assert row["p_value"] == pytest.approx(alone * (len(found.figures) + 1))


def test_a_team_that_lacks_a_card_afterwards_is_named_and_other_figures_stay():
    cards = load_cards().card_set
    gone = Cards(replace(cards, upgrades=tuple(c for c in cards.upgrades if c.name != "Datajack")))
    team = ReferenceTeam(4, load_cards().team("Tamsynn + Datajack"), 1, 10.0)
    found = study_difference(load_cards(), gone, [team], **FEW | {"games": 100})
    assert found.untried == ("the team of round 4 is not possible with both: Datajack is gone",)
    assert found.missions.empty
    section = whatif_section(found, Origin("", 6, ""))
    assert section.details[-1].endswith("Datajack is gone.")
    assert any(told.startswith("Datajack was had by") for told in section.findings)


def test_tables_are_those_that_a_command_knows():
    changes = ["Errand Job.stages.1.icons.street_samurai=3", "Datajack.cost=1"]
    team = ReferenceTeam(4, load_cards().team(TEAM), 1, 10.0)
    found = study_difference(load_cards(), load_cards(changes=changes), [team], **FEW | {"games": 100})
    tables = whatif_section(found, Origin("", 6, "")).tables
    assert tuple(table.name for table in tables) == TABLES


def test_the_same_cards_twice_are_refused():
    with pytest.raises(SprawlsimError, match="are the same"):
        study_difference(load_cards(), load_cards(), **FEW)
