"""The study of locations and rules: kept restrictions, effects counted by hand, planted ones found."""

from dataclasses import replace

import numpy as np
import pytest

from sprawlsim.errors import SprawlsimError
from sprawlsim.reports.render import to_text
from sprawlsim.sprawlops.cards import load_card_set
from sprawlsim.sprawlops.game.arrays import LOCATIONS
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.game.strategies.model import load_strategy, place_key
from sprawlsim.sprawlops.reports.full import TABLES
from sprawlsim.sprawlops.reports.rule_section import rule_section
from sprawlsim.sprawlops.reports.rules import (
    NO_FACE,
    SEATS,
    Restriction,
    all_restrictions,
    restrict,
    study_rules,
)
from sprawlsim.sprawlops.reports.study import Study

GAMES = 400
SEED = 3
CRIPPLED = Restriction(
    "stays at Dante's Inferno",
    "Rule",
    {f"place.{place_key(place)}": 0.0 for place in LOCATIONS if place != "Dante's Inferno"},
)
NOTHING = Restriction("goes without nothing", "Rule", {})
NO_HOST = Restriction("hires nobody", "Location", {"place.hannibelles_host": 0.0}, "Hannibelle's Host")


@pytest.fixture(scope="module")
def cards():
    return load_card_set()


@pytest.fixture(scope="module")
def report(cards):
    return study_rules(Study(cards, SEED, GAMES), ["balanced"], [*all_restrictions(), CRIPPLED, NOTHING])


def effect_of(report, name):
    return report.effects[report.effects["name"] == name].iloc[0]


def test_an_effect_is_the_win_rate_given_what_happens_without_the_restriction(cards):
    balanced = load_strategy("balanced")
    report = study_rules(Study(cards, SEED, GAMES), ["balanced"], [NO_HOST])
    limited = balanced._replace(name="limited", weights={"place.hannibelles_host": 0.0})
    without = Batch([limited, *[balanced] * 3], seed=SEED).winners(GAMES) == 0
    whole = Batch([balanced] * 4, seed=SEED).winners(GAMES) == 0
    # Among games that the whole strategy wins from this seat, a quarter of all, and among the others.
    expected = without[whole].mean() / 4 + without[~whole].mean() * 3 / 4 - 1 / 4
    row = effect_of(report, "hires nobody")
    assert row["effect"] == pytest.approx(expected)
    assert row["effect_low"] < row["effect"] < row["effect_high"]
    assert row["games"] == GAMES


def test_whoever_shuns_a_location_is_never_there_and_the_others_are(report):
    places = report.effects.dropna(subset="visits")
    assert set(places["location"]) == set(LOCATIONS) - {"Final Mission"}
    assert (places["visits"] < 0.02).all()  # only who has nowhere else to go
    used = places.set_index("location")["visits_whole"]
    whole = Batch(["balanced"], seed=SEED).run(GAMES)
    visits = whole.tally.visits[0] / whole.total("players")
    for location, share in used.items():
        # Three whole players beside a restricted one do nearly what four whole ones do.
        assert share == pytest.approx(visits[LOCATIONS.index(location)], rel=0.35, abs=0.05)


def test_a_crippled_strategy_is_found_and_named(report):
    row = effect_of(report, CRIPPLED.name)
    assert row["resolved"]
    assert row["effect"] < -0.2
    assert CRIPPLED.name in rule_section(report).findings[0]


def test_a_planted_gain_is_found(cards):
    lazy = load_strategy("balanced")._replace(name="lazy", weights={"place.crime_mall": 0.0})
    buys = Restriction("buys Gear", "Rule", {"place.crime_mall": 1.0})
    report = study_rules(Study(cards, SEED, GAMES), [lazy], [buys, NOTHING])
    row = effect_of(report, "buys Gear")
    assert row["resolved"]
    assert row["effect"] > 0.2
    assert any(
        finding.startswith("lazy wins more when it buys Gear") for finding in rule_section(report).findings
    )


def test_an_unchanged_copy_shows_no_effect_in_ten_of_ten_seeds(cards):
    for seed in range(10):
        report = study_rules(Study(cards, seed, 100), ["champion"], [NOTHING, CRIPPLED])
        row = effect_of(report, NOTHING.name)
        assert row["effect"] == pytest.approx(0.0, abs=1e-12)
        assert row["effect_low"] < 0 < row["effect_high"]
        assert not row["resolved"]
        assert effect_of(report, CRIPPLED.name)["resolved"]


def test_intervals_in_the_picture_leave_out_nothing_exactly_where_an_effect_is_resolved(report):
    frame = report.effects
    outside = (frame["deciding_low"] > 0) | (frame["deciding_high"] < 0)
    assert (outside == frame["resolved"]).all()
    assert (frame["deciding_low"] <= frame["effect_low"]).all()
    assert frame["resolved"].any()
    assert not frame["resolved"].all()


def test_seats_are_what_the_mirror_match_counts(report):
    whole = Batch(["balanced"], seed=SEED).run(GAMES)
    shares = whole.tally.wins[0, :4] / whole.tally.wins[0].sum()
    for name, share in zip(SEATS, shares, strict=True):
        assert effect_of(report, name)["effect"] == pytest.approx(share - 1 / 4)


def told_of_seats(report, effects):
    """Give the finding on seats if they win so much more than their share, and all but 0 are resolved."""
    frame = report.effects.copy()
    for name, effect in zip(SEATS, effects, strict=True):
        row = frame["name"] == name
        frame.loc[row, ["effect", "effect_low", "effect_high"]] = effect, effect - 0.01, effect + 0.01
        frame.loc[row, "resolved"] = effect != 0
    findings = rule_section(replace(report, effects=frame)).findings
    return next(told for told in findings if told.startswith("Of balanced against itself, "))


def test_all_seats_that_win_more_are_told_not_the_first_alone(report):
    assert told_of_seats(report, [0.067, 0.077, 0, -0.144]) == (
        "Of balanced against itself, the first seat and the second seat win more than an even share: "
        "+6.7 points (+5.7 to +7.7) and +7.7 points (+6.7 to +8.7); the fourth seat wins less than an even "
        "share: -14.4 points (-15.4 to -13.4)."
    )
    assert told_of_seats(report, [0, 0, 0, 0]).endswith(
        "no seat is resolved to win more or less than an even share."
    )


def test_a_starting_face_without_its_role_loses(cards):
    report = study_rules(Study(cards, SEED, 800), ["champion"], [NOTHING])
    row = effect_of(report, NO_FACE)
    assert row["resolved"]
    assert row["effect"] < -0.05  # results/claims.csv: the first player wins less without it
    assert any("The role of the starting Face" in finding for finding in rule_section(report).findings)


def test_controls_spare_games_where_little_changes(report):
    small = report.effects[report.effects["name"].str.contains("Decker perk")].iloc[0]
    assert small["saved"] > 3


def test_the_section_tells_all_and_draws(report):
    section = rule_section(report)
    text = to_text(section)
    for name in (CRIPPLED.name, NO_FACE, *SEATS):
        assert name in text
    assert len(section.tables[0].frame) == len(all_restrictions()) + 3 + len(SEATS)
    assert tuple(table.name for table in section.tables) == TABLES["rules"]
    (picture,) = section.pictures
    assert "loses most when it" in picture.draw().get_suptitle()
    assert CRIPPLED.name in picture.alt


def test_restricting_changes_the_weights_named_and_no_others():
    champion = load_strategy("champion")
    limited = restrict(champion, Restriction("no tokens", "Location", {"place.docwagon": 0.0}))
    changed = {key for key in champion.weights if limited.weights[key] != champion.weights[key]}
    assert changed == {"place.docwagon"}
    assert limited.weights["place.docwagon"] == 0.0


def test_what_makes_no_sense_is_refused(cards):
    with pytest.raises(SprawlsimError, match=r"'bad': place\.moon is not a weight"):
        study_rules(Study(cards, games=8), ["balanced"], [Restriction("bad", "Rule", {"place.moon": 0.0})])
    never = load_strategy("balanced")._replace(name="never", weights={"place.final_mission": 0.0})
    with pytest.raises(SprawlsimError, match="never won none of 8 games"):
        study_rules(Study(cards, games=8), [never], [NOTHING])


def test_threads_change_nothing(cards):
    one, two = (study_rules(Study(cards, SEED, 130, threads=n), ["balanced"], [NO_HOST]) for n in (1, 2))
    assert np.array_equal(one.effects["effect"], two.effects["effect"])
