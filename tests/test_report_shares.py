"""Shares in the report on cards: those of the Missions alone, their means, and how they are told."""

from __future__ import annotations

import pytest

from sprawlsim import load_cards, mission_odds
from sprawlsim.errors import SprawlsimError
from sprawlsim.reports.model import Report, Section
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.reports import shares as module
from sprawlsim.sprawlops.reports.share_section import with_shares
from sprawlsim.sprawlops.reports.shares import missions_asked, study_shares, typical_team
from sprawlsim.sprawlops.reports.study import Origin
from sprawlsim.sprawlops.reports.teams import ReferenceTeam, reference_teams

TEAM = "Quiet Decker + Martial Arts, Towering Samurai"


@pytest.fixture(scope="module")
def cards():
    return load_cards()


@pytest.fixture(scope="module")
def report(cards):
    return study_shares(cards, ReferenceTeam(6, cards.team(TEAM), 1, 9.0), quick=True)


def odds(cards, mission, team):
    return mission_odds(mission, cards.team(team), cards=cards).completed.estimate


def test_shares_are_those_of_three_cards_in_every_order(cards, report):
    """By hand: the Upgrade counts only beside its runner."""
    for row in report.missions.to_dict("records"):
        name = row["mission"]
        decker, samurai = odds(cards, name, "Quiet Decker"), odds(cards, name, "Towering Samurai")
        skilled, both = (
            odds(cards, name, text)
            for text in ("Quiet Decker + Martial Arts", "Quiet Decker, Towering Samurai")
        )
        whole = odds(cards, name, TEAM)
        assert row["completed"] == pytest.approx(whole, abs=1e-12)
        joins = {  # of the six orders: what the card adds to none, to another, and to both
            "Quiet Decker": 2 * decker + skilled + (both - samurai) + 2 * (whole - samurai),
            "Martial Arts": (skilled - decker) + 2 * (whole - both),
            "Towering Samurai": 2 * samurai + (both - decker) + samurai + 2 * (whole - skilled),
        }
        for card, added in joins.items():
            assert row[card] == pytest.approx(added / 6, abs=1e-12)


def test_the_table_of_cards_has_means_over_the_missions(cards, report):
    assert list(report.cards["share"]) == sorted(report.cards["share"], reverse=True)
    for row in report.cards.to_dict("records"):
        shares = report.missions[row["card"]]
        assert row["share"] == pytest.approx(shares.mean())
        assert (row["least"], row["most"]) == (shares.min(), shares.max())
        assert row["most_in"] == report.missions["mission"][shares.idxmax()]
    by_card = report.cards.set_index("card")
    samurai = by_card.loc["Towering Samurai"]
    names = report.missions["mission"]
    first = [odds(cards, name, "Towering Samurai") for name in names]
    last = [odds(cards, name, TEAM) - odds(cards, name, "Quiet Decker + Martial Arts") for name in names]
    assert samurai["first"] == pytest.approx(sum(first) / len(first), abs=1e-12)
    assert samurai["last"] == pytest.approx(sum(last) / len(last), abs=1e-12)
    assert samurai["share_per_k"] == pytest.approx(samurai["share"] / 11)
    assert by_card.loc["Martial Arts", "onto"] == "Quiet Decker"
    assert by_card["share_per_k"].isna()["Quiet Decker"]


def test_threads_change_no_figure(cards, report):
    again = study_shares(cards, report.team, quick=True, threads=1)
    assert again.cards.equals(report.cards)
    assert again.missions.equals(report.missions)


def test_many_combinations_mean_fewer_missions_evenly_over_the_set(cards):
    missions = cards.card_set.missions
    assert missions_asked(missions, 3, quick=True) == list(missions)
    few = missions_asked(missions, 7, quick=True)
    assert [missions.index(mission) for mission in few] == [0, 10, 19]
    assert missions_asked(missions, 7, quick=False) == list(missions)
    assert len(missions_asked(missions, 12, quick=True)) == 3
    assert missions_asked(missions[:2], 12, quick=True) == list(missions[:2])


def test_the_typical_team_is_that_of_round_6_unless_few_games_last_or_it_has_many_cards(cards, monkeypatch):
    batch = Batch(seed=1, cards=cards.card_set)
    (expected,) = reference_teams(batch, 20, [6])
    assert typical_team(batch, 20) == expected
    monkeypatch.setattr(module, "FEW_CARDS", 3)
    assert typical_team(batch, 20).round_number < 6

    def none_lasts(batch, games, rounds):
        if rounds[0] > 2:
            raise SprawlsimError("none lasted")
        return reference_teams(batch, games, rounds)

    monkeypatch.setattr(module, "reference_teams", none_lasts)
    assert typical_team(batch, 20).round_number == 2


def test_the_section_on_cards_tells_of_shares_at_its_end(report):
    told = with_shares(Section("cards", "Cards", ["First."]), report, Origin("stand-in", 1, "a team"))
    best = report.cards.iloc[0]
    assert told.findings[0] == "First."
    assert f"{100 * best['share']:.0f} to {best['card']}" in told.findings[1]
    assert "points a K" in told.findings[2]
    assert [table.name for table in told.tables] == ["cards-shares", "cards-shares-missions"]
    assert "all 20 side Missions" in told.tables[0].note
    assert "Quiet Decker" in told.details[0]
    Report("Report", "Of cards.", [told])  # no two parts have one name
    figure = told.pictures[0].draw()
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == list(report.missions["mission"])


def test_two_cards_of_one_name_are_told_apart(cards):
    team = cards.team("Quiet Decker + Commlink, Towering Samurai + Commlink")
    report = study_shares(cards, ReferenceTeam(6, team, 1, 9.0), quick=True)
    commlinks = {"Commlink, Quiet Decker", "Commlink, Towering Samurai"}
    assert commlinks < set(report.cards["label"])
    labels = list(report.cards["label"])
    assert list(report.missions.columns) == ["mission", "completed", *labels]
    assert (report.missions[labels].sum(axis=1) - report.missions["completed"]).abs().max() < 1e-12
