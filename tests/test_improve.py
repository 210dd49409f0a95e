"""Every legal addition is tried, and gains what the twin says it does; what hurts is told."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from twin import best_figures, best_value

from sprawlsim.cli import improve as command
from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops import improve as module
from sprawlsim.sprawlops import solved
from sprawlsim.sprawlops.additions import additions_to
from sprawlsim.sprawlops.api import Cards, ask_about, load_cards, mission_odds
from sprawlsim.sprawlops.cards import (
    CardSet,
    FinalMission,
    Gear,
    Loot,
    Mission,
    Runner,
    Stage,
    StartingRunner,
    Task,
    Upgrade,
    find_card,
)
from sprawlsim.sprawlops.improve import improve
from sprawlsim.sprawlops.improvements import MOST_BARS, Improvement, Improvements
from sprawlsim.sprawlops.mission.scenario import Objective
from sprawlsim.sprawlops.team import parse_team

OURS: dict[str, Any] = {"source": "owner"}

BOX = Cards(
    CardSet(
        name="tiny",
        starting_runners=(
            StartingRunner(name="Ada", set=1, roles=("decker",), dice={"decker": 1}, loan=2, **OURS),
            StartingRunner(
                name="Bob", set=1, roles=("street_samurai",), dice={"street_samurai": 1}, loan=2, **OURS
            ),
            StartingRunner(name="Cyd", set=2, roles=("face",), dice={"face": 1}, loan=1, **OURS),
        ),
        runners=(Runner(name="Dee", roles=("mage",), dice={"mage": 1}, cost=6, loan=9, **OURS),),
        gear=(
            Gear(name="Any Deck", requirement=(), dice={"decker": 1}, cost=3, loan=1, **OURS),
            Gear(name="Mage Book", requirement=("mage",), dice={"mage": 1}, cost=4, loan=1, **OURS),
            Gear(
                name="Twin Guns",
                requirement=("street_samurai",),
                dice={"street_samurai": 1},
                cost=2,
                loan=1,
                copies=2,
                **OURS,
            ),
        ),
        upgrades=(
            Upgrade(name="Plate", kind="dermal-plating", cost=5, loan=1, copies=2, **OURS),
            Upgrade(name="Commlink", kind="commlink", cost=5, loan=1, **OURS),
            Upgrade(name="Jack", kind="die", die="decker", cost=4, loan=1, **OURS),
            Upgrade(name="Charm", kind="die", die="face", cost=6, loan=1, **OURS),
        ),
        loot=(
            Loot(name="Spark", bonus="success:decker", **OURS),
            Loot(name="Patch", bonus="ignore-injury", copies=2, **OURS),
        ),
        missions=(
            Mission(name="Walk", payout=3, stages=(Stage(icons={"decker": 1}),), **OURS),
            Mission(name="Gate", payout=3, stages=(Stage(icons={"street_samurai": 1, "decker": 1}),), **OURS),
            Mission(
                name="Climb",
                payout=3,
                stages=(Stage(icons={"decker": 1}), Stage(icons={"street_samurai": 1, "decker": 1})),
                **OURS,
            ),
        ),
        final_missions=(FinalMission(name="Summit", stages=(Stage(icons={"mage": 2}),), **OURS),),
        tasks=(Task(name="Chore", icons={"decker": 1}, payout=2, **OURS),),
    )
)

WALK: dict[str, Any] = {"stages": [{"icons": {"decker": 1}}], "payout": 3}
ADA: dict[str, Any] = {"dice": {"decker": 1}}

WITH_ADDITION: dict[tuple[str, str], dict[str, Any]] = {
    ("Any Deck", "Ada"): {"runners": [{"dice": {"decker": 2}}]},
    ("Plate", "Ada"): {"runners": [ADA | {"dermal_plating": True}]},
    ("Commlink(decker)", "Ada"): {"runners": [{"dice": {"decker": 2}}]},
    ("Jack", "Ada"): {"runners": [{"dice": {"decker": 2}}]},
    ("Charm", "Ada"): {"runners": [{"dice": {"decker": 1, "face": 1}}]},
    ("Dee", ""): {"runners": [ADA, {"dice": {"mage": 1}}]},
    ("Bob", ""): {"runners": [ADA, {"dice": {"street_samurai": 1}}]},
    ("DocWagon token", ""): {"runners": [ADA], "docwagon_tokens": 1},
    ("Spark", ""): {"runners": [ADA], "loot_cards": ["success:decker"]},
    ("Patch", ""): {"runners": [ADA], "loot_cards": ["ignore-injury"]},
}
"""All that Ada alone can have, and the attempt with it: no Mage Book (she is no Mage), no Twin Guns (no
Samurai), not Cyd (of another starting set), one Commlink, which can only be of her own colour."""

EXAMPLE = "Tamsynn + Datajack, Lazar + Jackrabbit"


def listed(mission: str, team: str, tokens: int = 0, loot: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    question = ask_about(mission, team, cards=BOX, tokens=tokens, loot=loot)
    held = tuple(find_card(BOX.card_set, name, "loot") for name in loot)
    return [(a.name, a.onto) for a in additions_to(question, tokens, held)]  # type: ignore[arg-type]


def found(improvements: Improvements, name: str, onto: str = "") -> Improvement:
    (row,) = (row for row in improvements.rows if (row.name, row.onto) == (name, onto))
    return row


def test_what_one_runner_can_have_is_listed_once_each() -> None:
    assert sorted(listed("Walk", "Ada")) == sorted(WITH_ADDITION)


def test_cards_in_use_are_not_added_again_and_commlinks_may_change_colour() -> None:
    assert sorted(listed("Climb", "Ada + Charm + Commlink(face), Bob + Twin Guns")) == sorted(
        [
            *(("Any Deck", who) for who in ("Ada", "Bob")),
            ("Twin Guns", "Bob"),  # there are two; Ada is no Samurai
            *(("Plate", who) for who in ("Ada", "Bob")),
            ("Jack", "Bob"),  # Ada has a '+1 die' Upgrade, Charm, of which there is one
            ("Dee", ""),  # the box has no more starting runners of set 1
            ("Commlink as Decker", "Ada"),  # the only Commlink is hers
            ("DocWagon token", ""),
            ("Spark", ""),
            ("Patch", ""),
        ]
    )


@pytest.mark.parametrize(
    ("held", "left"),
    [
        ((), ["Spark", "Patch"]),
        (("Spark",), ["Patch"]),
        (("Patch",), ["Spark", "Patch"]),
        (("Patch", "Patch"), ["Spark"]),
    ],
)
def test_loot_is_held_as_often_as_the_box_has_it(held: tuple[str, ...], left: list[str]) -> None:
    assert [name for name, _ in listed("Walk", "Ada", loot=held) if name in {"Spark", "Patch"}] == left


def test_an_open_commlink_is_no_addition_and_a_new_one_comes_in_each_colour() -> None:
    assert not [name for name, _ in listed("Walk", "Ada + Charm + Commlink") if "Commlink" in name]
    new = [pair for pair in listed("Climb", "Ada + Charm, Bob") if "Commlink" in pair[0]]
    assert new == [
        ("Commlink(decker)", "Ada"),
        ("Commlink(face)", "Ada"),
        ("Commlink(street samurai)", "Bob"),
    ]


def test_a_task_is_run_by_one_runner() -> None:
    everything = {name for name, _ in WITH_ADDITION}
    assert {name for name, _ in listed("Chore", "Ada")} == everything - {"Dee", "Bob"}


def test_a_hired_runner_is_given_nothing_but_its_commlink_can_change() -> None:
    pairs = listed("Walk", "Ada, hired Cyd + Jack + Commlink(face)")
    assert [pair for pair in pairs if pair[1] == "Cyd"] == [("Commlink as Decker", "Cyd")]


def kinds_listed(team: str) -> Counter[str]:
    question = ask_about("make some noise", team, cards=load_cards("stand-in"))
    return Counter(addition.kind for addition in additions_to(question))


def test_the_additions_from_the_stand_in_set_are_those_counted_by_hand() -> None:
    """Tamsynn is a Decker, Lazar a Street Samurai and Rigger; Datajack and Jackrabbit are in use.

    Gear: four more for anybody, on either of two; three for Deckers, three for Samurai, three for Riggers,
    one for Samurai or Riggers; one for Deckers or Riggers, on either. Upgrades: plates for two; a Commlink of
    Tamsynn's colour or of Lazar's two; the four '+1 die' cards that are left, for Lazar.
    """
    assert kinds_listed(EXAMPLE) == {
        "gear": 4 * 2 + 3 + 3 + 3 + 1 + 1 * 2,
        "upgrade": 2 + (1 + 2) + 4,
        "runner": 15 - 1,
        "starting runner": 3 - 1,
        "token": 1,
        "loot": 11,
    }


def test_a_team_has_four_runners_of_its_own_at_most() -> None:
    four = kinds_listed("Tamsynn, Lazar, Corium, Garage Rigger")
    assert not {"runner", "starting runner"} & set(four)
    three = kinds_listed("Tamsynn, Lazar, Corium, hired Garage Rigger")
    assert (three["runner"], three["starting runner"]) == (15 - 3, 3 - 1)


def test_without_a_starting_runner_those_of_any_set_may_join() -> None:
    assert kinds_listed("Lazar")["starting runner"] == 12
    assert kinds_listed("Lazar, hired Quiet Decker")["starting runner"] == 12 - 3, "set 2 is another player's"
    told = improve("errand", "Lazar", cards="stand-in", budget=0)
    assert any("which starting set" in note for note in told.notes)


@pytest.mark.nojit
def test_every_gain_is_the_difference_of_the_twins_values() -> None:
    improvements = improve("Walk", "Ada", cards=BOX)
    base = best_figures(WALK | {"runners": [ADA]})["objective_value"]
    assert base == Fraction(7, 12), "a success, one in three, at once or after one or two blanks, one in two"
    assert improvements.base.value == pytest.approx(float(base), abs=1e-13)
    assert len(improvements.rows) == len(WITH_ADDITION)
    for (name, onto), changes in WITH_ADDITION.items():
        row = found(improvements, name, onto)
        value = best_figures(WALK | changes)["objective_value"]
        assert row.expected.value == pytest.approx(float(value), abs=1e-13)
        assert row.gain == pytest.approx(float(value - base), abs=1e-13)
        assert (row.gain == 0.0) == (value == base)
    gains = [row.gain for row in improvements.rows]
    assert gains == sorted(gains, reverse=True)


@pytest.mark.nojit
def test_a_useless_die_hurts_and_is_marked() -> None:
    """One Decker die beside a Face die, for one Decker icon.

    Without a success on the Decker die, Ada rolls again after a blank if the Face die is no injury, and after
    an injury if it is a success: 1/2 * 5/6 + 1/6 * 1/3 = 17/36, where one die alone has 1/2.
    """
    again = Fraction(17, 36)
    value = Fraction(1, 3) * (1 + again + again**2)
    row = found(improve("Walk", "Ada", cards=BOX), "Charm", "Ada")
    assert row.expected.value == pytest.approx(float(value), abs=1e-13)
    assert row.gain == pytest.approx(-71 / 3888, abs=1e-13)
    assert row.hurts
    assert improve("Walk", "Ada", cards=BOX).rows[-1] == row


@pytest.mark.nojit
def test_nuyen_is_priced_by_the_team_as_it_is_throughout() -> None:
    """Ada's loan value is 2 and she cost nothing: an injury and a death cost 2, though Dee's loan is 9."""
    weights = {"completion": 0.0, "nuyen": 1.0, "loot": 5.0, "injury": -2.0, "death": -2.0}
    improvements = improve("Walk", "Ada", cards=BOX, aim="nuyen")
    assert improvements.scenario.objective == Objective(**weights)
    for name, onto in (("Dee", ""), ("Charm", "Ada"), ("DocWagon token", "")):
        value = best_value(WALK | WITH_ADDITION[name, onto] | {"objective": weights})
        row = found(improvements, name, onto)
        assert row.expected.value == pytest.approx(float(value), abs=1e-12)
    assert "priced throughout by the cards of the team as it is: an injury 2K" in improvements.notes[0]
    priced = improve("Walk", "Ada", cards=BOX, aim="nuyen", prices={"injury": 1, "death": 4, "loot": 5})
    assert priced.scenario.objective == Objective(**(weights | {"injury": -1.0, "death": -4.0}))
    assert not any("priced throughout" in note for note in priced.notes)


def test_open_commlinks_get_the_best_colour_with_each_addition() -> None:
    gate = {"stages": [{"icons": {"street_samurai": 1, "decker": 1}}]}
    improvements = improve("Gate", "Bob + Jack + Commlink", cards=BOX)
    for card, colour, own in (
        ("Twin Guns", "decker", {"street_samurai": 2, "decker": 1}),
        ("Any Deck", "street_samurai", {"street_samurai": 1, "decker": 2}),
    ):
        row = found(improvements, card, "Bob")
        values = {
            other: best_value(gate | {"runners": [{"dice": own | {other: own[other] + 1}}]}) for other in own
        }
        assert values[colour] == max(values.values()) > min(values.values())
        assert row.expected.value == pytest.approx(values[colour], abs=1e-13)
        assert f"Commlink({colour.replace('_', ' ')})" in row.team
    assert "With each addition, Commlinks without a colour get the best one anew." in improvements.notes


def test_the_best_place_alone_is_told_unless_every_one_is_wanted() -> None:
    best = improve("Climb", "Ada + Commlink(decker), Bob", cards=BOX)
    every = improve("Climb", "Ada + Commlink(decker), Bob", cards=BOX, every_place=True)
    names = [row.name for row in best.rows]
    assert len(names) == len(set(names))
    assert {row.name for row in every.rows} == set(names)
    decks = [row for row in every.rows if row.name == "Any Deck"]
    assert {row.onto for row in decks} == {"Ada", "Bob"}
    (told,) = (row for row in best.rows if row.name == "Any Deck")
    assert told == max(decks, key=lambda row: row.gain)
    assert told.places == 2
    for row in every.rows:  # every one is a team that can be written, read and asked about
        if row.kind not in {"token", "loot"}:
            odds = mission_odds("Climb", row.team, cards=BOX)
            assert odds.completed.estimate == pytest.approx(row.expected.completed, abs=1e-13)
            assert str(parse_team(BOX.card_set, row.team)) == row.team


def test_a_budget_leaves_out_what_costs_more_and_tells_prices_as_printed() -> None:
    prices = {
        "Any Deck": 3, "Jack": 4, "Plate": 5, "Commlink(decker)": 5, "Charm": 6, "Dee": 6,
        "Bob": 0, "DocWagon token": 0, "Spark": 5, "Patch": 5,
    }  # fmt: skip
    for budget in (None, 0, 4, 5, 6):
        rows = improve("Walk", "Ada", cards=BOX, budget=budget).rows
        assert {row.name: row.price for row in rows} == {
            name: price for name, price in prices.items() if budget is None or price <= budget
        }


def test_by_price_what_costs_nothing_and_helps_comes_first_and_what_hurts_last() -> None:
    rows = improve("Walk", "Ada", cards=BOX, by="price").rows
    assert [row.name for row in rows if not row.price and row.gain > 0] == ["Bob"]
    assert rows[0].name == "Bob", "Samurai successes cancel Ada's injuries"
    assert rows[-1].name == "Charm"
    paid = [row for row in rows if row.price]
    assert [row.gain_per_k for row in paid] == sorted((row.gain / row.price for row in paid), reverse=True)
    token = found(improve("Walk", "Ada", cards=BOX, by="price"), "DocWagon token")
    assert (token.gain, token.gain_per_k) == (0.0, None), "an injured Ada rolls no more, rescued or not"


def test_top_counts_what_it_leaves_out() -> None:
    whole = improve("Walk", "Ada", cards=BOX)
    some = improve("Walk", "Ada", cards=BOX, top=4)
    assert some.rows == whole.rows[:4]
    assert some.left_out == (6, 1), "the Charm hurts"
    assert whole.left_out == (0, 0)
    assert some.to_dict()["left_out"] == 6


def test_what_an_attempt_has_no_room_for_is_left_out_and_told() -> None:
    full = improve("Walk", "Ada", cards=BOX, tokens=20)
    assert "DocWagon token" not in [row.name for row in full.rows]
    assert "Left out, because an attempt here has no room for it: DocWagon token." in full.notes


def test_equal_attempts_are_solved_once_and_progress_is_told() -> None:
    """Any Deck, Jack and a Commlink come to the same dice; with Ada as she is that makes nine attempts."""
    told: list[tuple[int, int | None]] = []
    improve("Walk", "Ada", cards=BOX, progress=lambda done, of: told.append((done, of)))
    assert [pair for pair in told if pair[0]] == [(done, 9) for done in range(1, 10)]


def test_long_work_is_refused_with_its_time_unless_insisted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solved, "LARGE_SECONDS", 0.0)
    with pytest.raises(SprawlsimError, match="for 9 different teams would take about 0 s and 0 MB; a lower"):
        improve("Walk", "Ada", cards=BOX)
    assert improve("Walk", "Ada", cards=BOX, insist=True).rows


def test_stand_in_prices_are_told() -> None:
    rows = improve("errand", "Tamsynn, Lazar", cards="stand-in", budget=5).rows
    told = {row.name: row.price_is_invented for row in rows}
    assert told["Datajack"], "a card of the rulebook, which tells no price"
    assert told["Small Drone"]
    assert not told["Aqua Fortis"], "the rulebook tells what Loot costs"
    assert not told["DocWagon token"]
    assert not told["Steady Samurai"]
    assert not any(row.price_is_invented for row in improve("Walk", "Ada", cards=BOX).rows)
    assert not any("stand-in" in note for note in improve("Walk", "Ada", cards=BOX).notes)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"by": "gian"}, "'gian' is no ranking; there are gain and price; did you mean 'gain'?"),
        ({"budget": -1}, "the budget is -1; it must be 0 or more"),
        ({"budget": float("nan")}, "the budget is nan"),
        ({"top": 0}, "top is 0; it must be 1 or more"),
        ({"loot": "Spark, Patch"}, "no Loot card is called"),
        ({"team": "Ada, Cyd"}, "of one set of three"),
    ],
)
def test_bad_input_is_refused(words: dict[str, Any], told: str) -> None:
    with pytest.raises(SprawlsimError, match=told):
        improve("Walk", **({"team": "Ada", "cards": BOX} | words))


def test_the_answer_is_a_frame_plain_data_a_table_and_a_sentence() -> None:
    improvements = improve("Walk", "Ada", cards=BOX)
    frame = improvements.frame()
    assert list(frame["addition"]) == [row.name for row in improvements.rows]
    assert list(frame["gain"]) == [row.gain for row in improvements.rows]
    assert frame["gain_per_k"].isna().sum() == 2, "Bob and the token are free"
    told = json.loads(json.dumps(improvements.to_dict(), allow_nan=False))
    assert (told["schema"], told["engine"], told["policy"], told["mission"]) == (1, "exact", "best", "Walk")
    assert told["base"]["completed"] == pytest.approx(7 / 12)
    assert [row["hurts"] for row in told["additions"]] == [False] * 9 + [True]
    page = improvements._repr_html_()
    assert page.count("<tr>") == 1 + 10
    assert "hurts" in page
    assert str(improvements) == "Walk, completes: 58.33% as it is, 100.00% with Spark (5K)"
    assert str(improve("Walk", "Ada + Jack + Commlink + Plate", cards=BOX, budget=0, top=1)).endswith(
        "with Bob (free)"
    )
    assert str(improve("Chore", "Ada + Jack", cards=BOX, budget=0)).endswith("as it is; no addition helps")


def test_the_picture_hatches_what_hurts() -> None:
    (axes,) = improve("Walk", "Ada", cards=BOX).plot().axes
    bars = axes.patches
    assert [bool(bar.get_hatch()) for bar in bars] == [False] * 9 + [True]
    assert [bar.get_width() < 0 for bar in bars] == [False] * 9 + [True]
    assert [label.get_text() for label in axes.get_yticklabels()][-1] == "Charm, Ada"


def test_the_picture_of_many_keeps_what_hurts_and_the_largest_gains() -> None:
    improvements = improve("courier", "Lazar", cards="stand-in")
    hurting = [row.name for row in improvements.rows if row.hurts]
    (axes,) = improvements.plot().axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert len(labels) == MOST_BARS < len(improvements.rows)
    assert hurting
    assert [label.split(",")[0] for label in labels[-len(hurting) :]] == hurting
    assert labels[0] == improvements.rows[0].name


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Compile the kernels, so that no test hears of it on stderr."""
    improve("errand", cards="stand-in")


@pytest.fixture
def run(run: Run) -> Run:
    """Run ``sprawlsim improve``."""
    return partial(run, "improve")


def test_the_table_leads_with_the_answer_and_ends_with_what_to_know(run: Run) -> None:
    done = run("courier", "--team", "lazar", "--budget", "6", "-q")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("Courier Job, completes: 9.31% as it is, ")
    assert lines[1] == "Best play, exact, card set stand-in."
    assert lines[2] == "Team: Lazar."
    assert lines[3] == "Budget: 6K; what costs more is left out."
    heads = lines.index("") + 1
    assert lines[heads].split("  ")[0] == "Addition"
    assert "price (K)  completes  gain (points)  per 1K" in lines[heads]
    (suit,) = (line for line in lines if line.startswith("Evening Suit"))
    assert suit.split()[2:] == ["Lazar", "6", "9.16%", "-0.16", "-0.03", "hurts,", "stand-in", "price"]
    (token,) = (line for line in lines if line.startswith("DocWagon token"))
    assert token.split()[2:] == ["0", "9.31%", "no", "difference"]
    (starter,) = (line for line in lines if line.startswith("Steady Samurai"))
    assert starter.split()[-1] == "free"
    assert lines[-1] == "Note: A Loot card costs 5K at DeGear's Lair, where it is drawn, not chosen."
    assert max(map(len, lines)) <= 110


def test_options_reach_the_answer(run: Run) -> None:
    words = ("errand", "--team", "tamsynn, lazar", "--budget", "7", "--format", "json", "-q")
    plain = json.loads(run(*words).out)
    some = json.loads(run(*words, "--by", "price", "--top", "3").out)
    assert (some["by"], len(some["additions"]), some["budget"]) == ("price", 3, 7.0)
    assert len(json.loads(run(*words, "--all").out)["additions"]) > len(plain["additions"])
    held = json.loads(run(*words, "--tokens", "1", "--loot", "aqua", "--reroll", "--eye", "rigger").out)
    assert held["base"]["completed"] > plain["base"]["completed"]
    assert "Aqua Fortis" not in [row["addition"] for row in held["additions"]]
    nuyen = json.loads(run(*words, "--aim", "nuyen", "--price", "injury=1,death=2").out)
    assert (nuyen["objective"]["injury"], nuyen["objective"]["death"]) == (-1.0, -2.0)
    table = run(*words[:-3], "--aim", "safe", "--top", "2").out
    assert "An attempt is worth completing the Mission with nobody dead." in table
    assert "completes  completes, nobody dead  gain (points)" in table
    assert " more additions not shown" in table
    changed = json.loads(run(*words, "--set", "Small Drone.cost=9").out)
    assert "Small Drone" not in [row["addition"] for row in changed["additions"]]


def test_csv_and_markdown_have_a_row_for_each_addition(run: Run) -> None:
    words = ("errand", "--team", "tamsynn", "--budget", "4")
    rows = list(csv.DictReader(io.StringIO(run(*words, "--format", "csv", "-q").out)))
    improvements = improve("errand", "tamsynn", cards="stand-in", budget=4)
    assert [float(row["gain"]) for row in rows] == [row.gain for row in improvements.rows]
    assert run(*words, "--format", "csv").err.startswith("note: Numbers of the card set 'stand-in'")
    page = run(*words, "--format", "md").out.splitlines()
    assert page[0].startswith("**Errand Job, completes: ")
    assert sum(line.startswith("| ") for line in page) == len(rows) + 2


def test_plot_writes_a_picture_beside_the_answer(run: Run) -> None:
    done = run("errand", "--budget", "4", "--plot", "gains.png")
    assert done.out.startswith("Errand Job, completes")
    assert "picture written to gains.png" in done.err
    assert Path("gains.png").read_bytes().startswith(b"\x89PNG")


BAD = [
    ([], "name a Mission; see 'sprawlsim improve --help'"),
    (["nothing"], "is called 'nothing'"),
    (["errand", "--team", "nobody"], "runner is called 'nobody'"),
    (["errand", "--by", "prize"], "'prize' is no ranking; there are gain and price; did you mean 'price'?"),
    (["errand", "--budget", "-1"], "'--budget'"),
    (["errand", "--top", "0"], "'--top'"),
    (["errand", "--price", "death=3"], "prices are for the aim nuyen; name it"),
    (["errand", "--format", "jsn"], "'jsn' is not one of table, json, csv, md"),
    (["errand", "--plot", "gains.pdf"], "a picture ends in .png or .svg"),
    (["errand", "--attempts", "9"], "no such option: --attempts"),
]


@pytest.mark.parametrize(("arguments", "part"), BAD)
def test_bad_input_is_one_sentence_on_stderr_and_exit_code_2(
    run: Run, arguments: list[str], part: str
) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1
    assert part in done.err
    assert not list(Path().iterdir())


def test_what_is_offered_is_what_there_is() -> None:
    assert command.RANKING_NAMES == module.RANKINGS


@pytest.mark.parametrize("name", ["improve", "compare"])
def test_help_loads_nothing_that_computes(name: str) -> None:
    code = (
        f"import sys; sys.argv = ['sprawlsim', '{name}', '--help']\n"
        "from sprawlsim.cli import main\n"
        "try:\n    main()\n"
        "finally:\n    print(*{'numpy', 'numba', 'pandas', 'matplotlib'} & {*sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""
    assert done.stdout.count(f"  sprawlsim {name} ") >= 4
