"""The report on Missions: odds are those of `odds`, payouts those that make Missions worth the same."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sprawlsim import load_cards, mission_odds
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.mission.aims import objective_for
from sprawlsim.sprawlops.reports.full import TABLES
from sprawlsim.sprawlops.reports.mission_section import mission_section
from sprawlsim.sprawlops.reports.missions import _harm_rows, study_missions
from sprawlsim.sprawlops.reports.payouts import (
    DEPENDS,
    OUT_OF_REACH,
    OVERPAID,
    REACH,
    UNDERPAID,
    VERDICTS,
)
from sprawlsim.sprawlops.reports.study import Origin
from sprawlsim.sprawlops.reports.teams import ReferenceTeam, dice_by_colour, reference_teams

TEAM = "Quiet Decker + Martial Arts, Towering Samurai, Roving Rigger"
STARTERS = "Careful Samurai + Balanced Blade, Curious Decker, Fearless Face"


@pytest.fixture(scope="module")
def cards():
    return load_cards()


@pytest.fixture(scope="module")
def report(cards):
    team = ReferenceTeam(4, cards.team(TEAM), 1, 12.0)
    return study_missions(cards, [team], quick=True)


@pytest.fixture(scope="module")
def two_teams(cards):
    teams = [ReferenceTeam(2, cards.team(STARTERS), 1, 6.0), ReferenceTeam(4, cards.team(TEAM), 1, 12.0)]
    return study_missions(cards, teams, quick=True)


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


def test_with_its_fair_payout_every_mission_is_worth_the_same(cards, report):
    """A payout of whole K is put into the card set; between two of them worth is a straight line, nearly."""
    worth = report.worth.set_index("mission")
    near = worth[worth["completed_r4"] >= REACH]
    average = near["worth_r4"].mean()
    assert 10 < len(near) < len(worth)  # some are too hard for this team
    for row in report.payouts.itertuples():
        assert (row.verdict == OUT_OF_REACH) == math.isnan(row.fair_r4) == (row.mission not in near.index)
    for name in ("Errand Job", "Market Job", "Arena Job", "Convoy Job"):
        fair = report.payouts.set_index("mission").loc[name, "fair_r4"]
        below, above = (_worth_at(name, payout) for payout in (math.floor(fair), math.floor(fair) + 1))
        assert below <= average <= above
        share = fair - math.floor(fair)
        assert below + share * (above - below) == pytest.approx(average, abs=0.02)


def _worth_at(name, payout):
    """Ask for the worth of an attempt with another payout, the way a player would."""
    changed = load_cards(changes=[f"{name}.payout={payout}"])
    odds = mission_odds(name, changed.team(TEAM), cards=changed, aim="nuyen")
    return odds.objective_value.estimate


@pytest.mark.parametrize("name", ["Courier Job", "Market Job", "Prison Job"])
def test_a_mission_paid_double_is_overpaid_by_so_much_more(report, name):
    """Its fair payout does not depend on the printed one but by the mean, which is moved by its own worth."""
    before = report.payouts.set_index("mission").loc[name]
    cards = load_cards(changes=[f"{name}.payout={2 * before['payout']}"])
    found = study_missions(cards, [ReferenceTeam(4, cards.team(TEAM), 1, 12.0)], quick=True)
    after = found.payouts.set_index("mission").loc[name]
    near = report.worth[report.worth["completed_r4"] >= REACH].set_index("mission")
    gained = _worth_at(name, 2 * before["payout"]) - near.loc[name, "worth_r4"]
    mean_moves = gained / len(near)
    # A K of payout is worth the odds of completing, which at the fair payout are about the printed ones'.
    expected = before["payout"] - mean_moves / near.loc[name, "completed_r4"]
    assert after["overpaid_r4"] - before["overpaid_r4"] == pytest.approx(expected, abs=0.1)
    assert after["verdict"] == OVERPAID
    told = mission_section(found, Origin("stand-in", 1, "one team")).findings[0]
    assert "pay too much" in told
    place = found.payouts["mission"].tolist().index(name)
    assert place >= 3 or f"{name} (by {after['overpaid_r4']:.1f}K)" in told


def test_verdicts_are_what_all_teams_with_the_mission_in_reach_agree_on(two_teams):
    frame = two_teams.payouts
    assert {OVERPAID, DEPENDS, UNDERPAID} <= set(frame["verdict"])
    for row in frame.itertuples():
        over = [amount for amount in (row.overpaid_r2, row.overpaid_r4) if not math.isnan(amount)]
        assert (row.verdict == OVERPAID) == (bool(over) and all(amount >= 0.5 for amount in over))
        assert (row.verdict == UNDERPAID) == (bool(over) and all(amount <= -0.5 for amount in over))
        if over:
            assert (row.overpaid_least, row.overpaid_most) == (min(over), max(over))
            best = 2 if abs(row.overpaid_r2) <= min(map(abs, over)) else 4
            assert row.fits_round == best
            assert row.payout - row.fair_r4 == pytest.approx(row.overpaid_r4)
    verdicts = frame["verdict"].tolist()
    assert verdicts == sorted(verdicts, key=VERDICTS.index)


def test_what_is_best_left_alone_is_worth_nothing_and_bears_no_payout(cards, two_teams):
    """Starting runners hardly ever find thirteen icons: only injuries are to be had there."""
    worth, paid = (frame.set_index("mission") for frame in (two_teams.worth, two_teams.payouts))
    assert worth.loc["Arena Job", ["worth_r2", "completed_r2", "injured_r2"]].tolist() == [0.0, 0.0, 0.0]
    assert math.isnan(paid.loc["Arena Job", "overpaid_r2"])
    assert (worth.filter(like="worth") >= 0).all(axis=None)
    alone = mission_odds("Errand Job", cards.team(STARTERS), cards=cards, aim="nuyen")
    assert worth.loc["Errand Job", "worth_r2"] == alone.objective_value.estimate > 0


def test_findings_name_what_is_wrong_for_every_team_and_say_that_the_rest_depends(two_teams):
    over, under, rest = mission_section(two_teams, Origin("stand-in", 1, "two teams")).findings[:3]
    frame = two_teams.payouts
    for told, verdict in ((over, OVERPAID), (under, UNDERPAID)):
        names = frame.loc[frame["verdict"] == verdict, "mission"].tolist()
        names = names[:3] if verdict == OVERPAID else names[:-4:-1]
        places = [told.index(name) for name in names]
        assert places == sorted(places)
    assert f"For {(frame['verdict'] == DEPENDS).sum()} Mission" in rest
    assert "too much for that of round" in rest
    assert "too little for that of round" in rest


def test_the_picture_of_payouts_marks_every_team(two_teams):
    section = mission_section(two_teams, Origin("stand-in", 1, "two teams"))
    (axes,) = next(p for p in section.pictures if p.name == "missions-payouts").draw().axes
    shown = two_teams.payouts[two_teams.payouts["verdict"] != OUT_OF_REACH]
    assert [label.get_text() for label in axes.get_yticklabels()] == shown["mission"].tolist()
    marks = [line for line in axes.lines if line.get_linestyle() == "None"]
    for line, column in zip(marks, ("overpaid_r2", "overpaid_r4"), strict=True):
        assert np.allclose(line.get_xdata(), shown[column], equal_nan=True)


def test_a_quick_report_marks_what_the_rule_of_thumb_played(report):
    section = mission_section(report, Origin("stand-in", 1, "one team"))
    tables = {table.name: table for table in section.tables}
    for name in ("missions-ladder", "missions-odds"):
        assert "rule of thumb" in tables[name].title
        assert "rule of thumb" in tables[name].note.lower()
        assert "play" in [column.name for column in tables[name].columns]
        frame = tables[name].frame
        assert ((frame["play"] == "rule of thumb") == (frame["kind"] == "Final Mission")).all()
    finding = next(told for told in section.findings if "Final Missions" in told)
    assert "rule of thumb" in finding
    assert "without the hired runners" in finding


def test_columns_that_say_nothing_are_left_out(report):
    section = mission_section(report, Origin("stand-in", 1, "one team"))
    odds = next(table for table in section.tables if table.name == "missions-odds")
    assert (odds.frame["loot"] == 0).all()
    assert not {"loot", "kind"} & {column.name for column in odds.columns}


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
    hardest = report.worth.sort_values("completed_r4", ascending=False)["mission"].tolist()[:-9:-1]
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
