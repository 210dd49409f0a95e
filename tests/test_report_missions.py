"""The report on Missions: odds are those of `odds`, payouts those that make Missions worth the same."""

from __future__ import annotations

import pytest

from sprawlsim import load_cards, mission_odds
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.reports.full import TABLES
from sprawlsim.sprawlops.reports.mission_section import mission_section
from sprawlsim.sprawlops.reports.missions import study_missions
from sprawlsim.sprawlops.reports.study import Origin
from sprawlsim.sprawlops.reports.teams import ReferenceTeam, dice_by_colour, reference_teams

TEAM = "Quiet Decker + Martial Arts, Towering Samurai, Roving Rigger"


@pytest.fixture(scope="module")
def cards():
    return load_cards()


@pytest.fixture(scope="module")
def report(cards):
    team = ReferenceTeam(4, cards.team(TEAM), 1, 12.0)
    return study_missions(cards, [team], quick=True)


def test_odds_are_those_of_the_mission_alone(cards, report):
    odds = report.odds.set_index("mission")
    for name in ("Errand Job", "Arena Job"):
        alone = mission_odds(name, cards.team(TEAM), cards=cards)
        assert odds.loc[name, "completed"] == alone.completed.estimate
        assert odds.loc[name, "gap"] >= 0
        assert odds.loc[name, "dead"] == pytest.approx(sum(runner.dead.estimate for runner in alone.runners))
    assert odds.loc["Errand Job", "icons"] == 2
    assert (odds["dice"] == 11).all()


def test_the_section_has_its_tables(report):
    section = mission_section(report, Origin("stand-in", 1, "few games"))
    assert tuple(table.name for table in section.tables) == TABLES["missions"]


def test_with_its_fair_payout_every_mission_is_worth_the_same(report):
    paid = report.payouts
    average = paid["worth"].mean()
    assert (
        paid["fair"].isna() == (paid["completed"] == 0.0)
    ).all()  # no payout helps what is never completed
    assert paid["fair"].notna().sum() > 10
    for row in paid.dropna(subset=["fair"]).itertuples():
        assert row.worth + row.completed * (row.fair - row.payout) == pytest.approx(average)
        assert row.overpaid == pytest.approx(row.payout - row.fair)


def test_a_mission_paid_double_is_named_first():
    cards = load_cards(changes=["Market Job.payout=30"])
    team = ReferenceTeam(4, cards.team(TEAM), 1, 12.0)
    assert study_missions(cards, [team], quick=True).payouts.iloc[0]["mission"] == "Market Job"


def test_more_dice_of_the_right_colour_help(cards, report):
    gains = report.colours.set_index(["mission", "role"])
    team = TEAM.replace("Quiet Decker", "Quiet Decker + Rebuilt Deck")
    more = mission_odds("Museum Job", cards.team(team), cards=cards).completed.estimate
    less = mission_odds("Museum Job", cards.team(TEAM), cards=cards).completed.estimate
    assert cards.find("Rebuilt Deck", "gear").dice == {"decker": 1}
    assert gains.loc[("Museum Job", "decker"), "gain"] == pytest.approx(more - less)


def test_shares_of_stages_add_up(report):
    for _, stages in report.stops.groupby("mission"):
        assert (
            stages.iloc[0]["stops"] == pytest.approx(1 - stages.iloc[0]["reached"])
            or stages.iloc[0]["optional"]
        )
        assert (stages["cleared"] <= stages["reached"] + 1e-12).all()


def test_the_typical_team_is_one_that_somebody_had_and_no_other_is_nearer_to_all():
    batch = Batch(["balanced"] * 2, players=2, seed=5)
    found = reference_teams(batch, 20, (1, 3))
    assert [team.round_number for team in found] == [1, 3]
    first = found[0]
    assert dice_by_colour(first.team) == [2, 2, 0, 0, 1]  # everybody starts with the same dice
    assert (first.seen, first.mean_dice) == (40, 5.0)
    assert len(first.team.members) == 3
