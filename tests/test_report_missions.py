"""The report on Missions: odds are those of `odds`, payouts those that make Missions worth the same."""

from __future__ import annotations

import pytest

from sprawlsim import load_cards, mission_odds
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.mission.aims import objective_for
from sprawlsim.sprawlops.reports.full import TABLES
from sprawlsim.sprawlops.reports.mission_section import mission_section
from sprawlsim.sprawlops.reports.missions import _harm_rows, study_missions
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


def test_harm_is_that_of_best_play_for_nuyen(cards, report):
    harm = report.harm.set_index("mission")
    for name in ("Errand Job", "Arena Job"):
        alone = mission_odds(name, cards.team(TEAM), cards=cards, aim="nuyen")
        row = harm.loc[name]
        shares = [share.estimate for share in alone.injured_count]
        assert len(shares) == 4  # nobody to all three
        assert row[[f"injured_{count}" for count in range(4)]].tolist() == pytest.approx(shares)
        assert row["dead"] == pytest.approx(sum(share.estimate for share in alone.dead_count[1:]))
        assert row["completed"] == alone.completed.estimate
    assert report.harm["completed"].is_monotonic_decreasing


def test_three_injured_or_more_are_one_share(cards):
    """Four runners: the shares of three and four are put together; one runner: nobody else is injured."""
    for text, longest in ((f"{TEAM}, Learned Mage", 5), ("Quiet Decker", 2)):
        goal = objective_for("nuyen", cards.team(text))
        odds = mission_odds("Convoy Job", cards.team(text), cards=cards, objective=goal)
        shares = [share.estimate for share in odds.injured_count]
        assert len(shares) == longest
        (row,) = _harm_rows([odds])
        told = [row[f"injured_{count}"] for count in range(4)]
        assert told == pytest.approx([*shares[:3], sum(shares[3:])] if longest == 5 else [*shares, 0, 0])
        assert sum(told) == pytest.approx(1.0)


def test_pictures_show_the_hardest_missions_and_the_harm(report):
    section = mission_section(report, Origin("stand-in", 1, "one team"))
    pictures = {picture.name: picture for picture in section.pictures}
    drawn = pictures["missions-stages"].draw()
    hardest = report.payouts.sort_values("completed", ascending=False)["mission"].tolist()[:-9:-1]
    panels = [axes for axes in drawn.axes if axes.get_visible()]
    assert [axes.get_title(loc="left").strip() for axes in panels] == hardest
    stages = report.stops[report.stops["mission"] == hardest[0]]
    bars = [bar.get_height() for bar in panels[0].containers[1]]
    assert bars == pytest.approx(100 * stages["cleared"].to_numpy())
    drawn = pictures["missions-injuries"].draw()
    for container, column in zip(
        drawn.axes[0].containers, ("injured_1", "injured_2", "injured_3"), strict=True
    ):
        widths = [bar.get_width() for bar in container]
        assert widths == pytest.approx(100 * report.harm[column].to_numpy())


def test_the_typical_team_is_one_that_somebody_had_and_no_other_is_nearer_to_all():
    batch = Batch(["balanced"] * 2, players=2, seed=5)
    found = reference_teams(batch, 20, (1, 3))
    assert [team.round_number for team in found] == [1, 3]
    first = found[0]
    assert dice_by_colour(first.team) == [2, 2, 0, 0, 1]  # everybody starts with the same dice
    assert (first.seen, first.mean_dice) == (40, 5.0)
    assert len(first.team.members) == 3
