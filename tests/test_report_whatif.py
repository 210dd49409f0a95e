"""The comparison of card sets: what changed is named, what did not is not, on the same dice."""

from __future__ import annotations

import numpy as np
import pytest

from sprawlsim import SprawlsimError, load_cards, mission_odds
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.reports.study import Origin
from sprawlsim.sprawlops.reports.teams import ReferenceTeam
from sprawlsim.sprawlops.reports.whatif import study_difference
from sprawlsim.sprawlops.reports.whatif_section import whatif_section

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


def test_the_same_cards_twice_are_refused():
    with pytest.raises(SprawlsimError, match="are the same"):
        study_difference(load_cards(), load_cards(), **FEW)
