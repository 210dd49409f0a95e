"""Shares of a team's cards: by hand, by every order of joining; what becomes of cards without a runner."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from math import factorial
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from twin import best_value

from sprawlsim.errors import SprawlsimError
from sprawlsim.sprawlops import shares as module
from sprawlsim.sprawlops import solved
from sprawlsim.sprawlops.api import Cards, load_cards, mission_odds
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
)
from sprawlsim.sprawlops.mission.scenario import Objective
from sprawlsim.sprawlops.share_results import CardShare, Shares
from sprawlsim.sprawlops.shares import shares

OURS: dict[str, Any] = {"source": "owner"}

BOX = Cards(
    CardSet(
        name="tiny",
        starting_runners=(
            StartingRunner(name="Ada", set=1, roles=("decker",), dice={"decker": 1}, loan=2, **OURS),
            StartingRunner(name="Ben", set=1, roles=("decker",), dice={"decker": 1}, loan=2, **OURS),
            StartingRunner(name="Fay", set=1, roles=("face",), dice={"face": 1}, loan=2, **OURS),
        ),
        runners=(Runner(name="Dee", roles=("mage",), dice={"mage": 1}, cost=6, loan=9, **OURS),),
        gear=(
            Gear(name="Any Deck", requirement=(), dice={"decker": 1}, cost=3, loan=1, **OURS),
            Gear(name="Mage Book", requirement=("mage",), dice={"mage": 1}, cost=4, loan=1, **OURS),
            Gear(name="Good Deck", requirement=("decker",), dice={"decker": 1}, cost=4, loan=1, **OURS),
        ),
        upgrades=(
            Upgrade(name="Plate", kind="dermal-plating", cost=5, loan=1, copies=2, **OURS),
            Upgrade(name="Commlink", kind="commlink", cost=5, loan=1, copies=2, **OURS),
            Upgrade(name="Jack", kind="die", die="decker", cost=4, loan=1, **OURS),
            Upgrade(name="Charm", kind="die", die="face", cost=6, loan=1, **OURS),
        ),
        loot=(
            Loot(name="Spark", bonus="success:decker", **OURS),
            Loot(name="Patch", bonus="ignore-injury", copies=2, **OURS),
        ),
        missions=(
            Mission(name="Walk", payout=3, stages=(Stage(icons={"decker": 1}),), **OURS),
            Mission(
                name="Climb",
                payout=3,
                stages=(Stage(icons={"decker": 1}), Stage(icons={"mage": 1, "decker": 1})),
                **OURS,
            ),
        ),
        final_missions=(FinalMission(name="Summit", stages=(Stage(icons={"mage": 2}),), **OURS),),
        tasks=(Task(name="Chore", icons={"decker": 1}, payout=2, **OURS),),
    )
)

ONE = Fraction(7, 12)
"""One Decker die for one Decker icon: a success in the first roll, or a blank (an injury takes the die away)
and a success in a later one: 1/3 (1 + 1/2 + 1/4)."""


def share_of(answer: Shares, name: str, onto: str = "") -> CardShare:
    (row,) = (row for row in answer.rows if (row.used.name, row.used.onto) == (name, onto))
    return row


def deck(*dice: int, **more: Any) -> float:
    """The twin's value of a Walk by runners with so many Decker dice each."""
    stages = [{"icons": {"decker": 1}}]
    runners = [{"dice": {"decker": count}} for count in dice]
    return float(best_value({"stages": stages, "payout": 3, "runners": runners} | more))


def test_one_runner_has_all_of_it() -> None:
    (row,) = shares("Walk", "Ada", cards=BOX).rows
    assert row.share == row.first == row.last == pytest.approx(float(ONE), abs=1e-12)


def test_two_equal_runners_share_alike() -> None:
    """Each brings a die; whoever comes first brings 7/12, and the second the rest."""
    answer = shares("Walk", "Ada, Ben", cards=BOX)
    both = deck(1, 1)
    assert answer.whole.value == pytest.approx(both, abs=1e-12)
    for row in answer.rows:
        assert row.share == pytest.approx(both / 2, abs=1e-12)
        assert row.first == pytest.approx(float(ONE), abs=1e-12)
        assert row.last == pytest.approx(both - float(ONE), abs=1e-12)


def test_a_runner_with_a_jack() -> None:
    """The Jack is nothing without Ada. First Ada, then the Jack, or the Jack, then Ada: by hand."""
    answer = shares("Walk", "Ada + Jack", cards=BOX)
    two = deck(2)
    ada, jack = share_of(answer, "Ada"), share_of(answer, "Jack", "Ada")
    assert ada.share == pytest.approx((float(ONE) + two) / 2, abs=1e-12)
    assert jack.share == pytest.approx((two - float(ONE)) / 2, abs=1e-12)
    assert (jack.first, jack.last) == (0.0, pytest.approx(two - float(ONE), abs=1e-12))
    assert jack.share_per_k == pytest.approx(jack.share / 4)
    assert ada.share_per_k is None


def test_a_success_that_is_sure_leaves_the_runner_the_attempt_alone() -> None:
    """With Spark in hand the icon is defeated for sure, but somebody must go: 7/12 and 1 by hand."""
    answer = shares("Walk", "Ada", cards=BOX, loot="Spark")
    assert answer.whole.value == pytest.approx(1.0, abs=1e-12)
    assert share_of(answer, "Spark").share == pytest.approx(float(1 - ONE) / 2, abs=1e-12)
    assert share_of(answer, "Ada").share == pytest.approx(float(1 + ONE) / 2, abs=1e-12)
    assert share_of(answer, "Spark").share_per_k == pytest.approx(float(1 - ONE) / 10)


def test_equal_cards_in_hand_share_alike_and_useless_ones_have_nothing() -> None:
    """A Patch keeps Ada's die for the next roll; a token does not: rescued runners roll no more."""
    answer = shares("Walk", "Ada", cards=BOX, loot=["Patch", "Patch"], tokens=1)
    patches = [row.share for row in answer.rows if row.used.name == "Patch"]
    assert patches[0] == pytest.approx(patches[1], abs=1e-12)
    assert patches[0] > 0.0, "a roll more"
    value = {n: deck(1, loot_cards=["ignore-injury"] * n, docwagon_tokens=1) for n in range(3)}
    assert value[0] == deck(1)
    expected = (value[2] - value[1]) / 3 + (value[1] - value[0]) / 6
    # Of the six orders of Ada and two Patches, a Patch comes last in two, and right after Ada in one more.
    assert patches[0] == pytest.approx(expected, abs=1e-12)
    assert share_of(answer, "DocWagon token").share == 0.0


def test_gear_goes_to_another_runner_and_an_upgrade_does_not() -> None:
    """Without Ada, Any Deck is Ben's, who then rolls two dice; the Jack is nobody's."""
    gear = share_of(shares("Walk", "Ada + Any Deck, Ben", cards=BOX), "Ada")
    assert gear.last == pytest.approx(deck(2, 1) - deck(2), abs=1e-12)
    jack = share_of(shares("Walk", "Ada + Jack, Ben", cards=BOX), "Ada")
    assert jack.last == pytest.approx(deck(2, 1) - deck(1), abs=1e-12)


def test_gear_goes_to_nobody_who_may_not_carry_it() -> None:
    answer = shares("Walk", "Ada + Good Deck, Fay", cards=BOX)
    stages = [{"icons": {"decker": 1}}]
    alone = best_value({"stages": stages, "payout": 3, "runners": [{"dice": {"face": 1}}]})
    assert share_of(answer, "Ada").last == pytest.approx(answer.whole.value - alone, abs=1e-12)
    assert share_of(answer, "Good Deck", "Ada").first == 0.0


def test_gear_stays_with_hired_runners_and_comes_not_to_them() -> None:
    """Without Ben, his deck goes back with him; without Ada, hers goes to nobody, for Ben is hired."""
    owner = StartingRunner(name="Zoe", set=2, roles=("decker",), dice={"decker": 1}, loan=2, **OURS)
    cards = Cards(_with(BOX.card_set, starting_runners=(*BOX.card_set.starting_runners, owner)))
    answer = shares("Walk", "Ada + Any Deck, hired Zoe + Good Deck", cards=cards)
    runners = [{"dice": {"decker": 2}}, {"dice": {"decker": 2}, "docwagon_token": True}]
    stages = [{"icons": {"decker": 1}}]
    whole, ada, zoe = (
        float(best_value({"stages": stages, "payout": 3, "runners": some}))
        for some in (runners, runners[:1], runners[1:])
    )
    assert answer.whole.value == pytest.approx(whole, abs=1e-12)
    assert share_of(answer, "Ada").last == pytest.approx(whole - zoe, abs=1e-12)
    assert share_of(answer, "Zoe").last == pytest.approx(whole - ada, abs=1e-12)
    assert share_of(answer, "Good Deck", "Zoe").used.price == 0.0, "another player's"
    assert share_of(answer, "Any Deck", "Ada").used.price == 3.0


def _with(card_set: CardSet, **changes: Any) -> CardSet:
    import msgspec

    return msgspec.structs.replace(card_set, **changes)


def test_a_commlink_takes_what_its_runner_still_has() -> None:
    """Ada's Commlink is Face by her Charm; without the Charm it can only be Decker."""
    answer = shares("Walk", "Ada + Charm + Commlink(face)", cards=BOX)
    stages = [{"icons": {"decker": 1}}]

    def value(**dice: int) -> float:
        return float(best_value({"stages": stages, "payout": 3, "runners": [{"dice": dice}]}))

    assert answer.whole.value == pytest.approx(value(decker=1, face=2), abs=1e-12)
    assert share_of(answer, "Charm", "Ada").last == pytest.approx(
        value(decker=1, face=2) - value(decker=2), abs=1e-12
    )
    open_ = shares("Walk", "Ada + Charm + Commlink", cards=BOX)
    assert open_.whole.value == pytest.approx(
        max(value(decker=1, face=2), value(decker=2, face=1)), abs=1e-12
    )


SMALL = load_cards()
MEMBERS = {"Tamsynn": ["Datajack"], "Lazar": ["Commlink", "Jackrabbit"]}


def value_of(mission: str, there: frozenset[str], **more: Any) -> float:
    """Ask `mission_odds` about a combination's teams, written down by the rules; 0 without a runner."""
    runners = [name for name in MEMBERS if name in there]
    carried = {name: [item for item in MEMBERS[name] if item in there] for name in runners}
    teams = []
    stranded = "Jackrabbit" in there and "Lazar" not in there  # Gear for any runner: here Tamsynn
    for name in runners:
        items = [*carried[name], *["Jackrabbit"] * (stranded and name == "Tamsynn")]
        teams.append(" + ".join([name, *items]))
    if not teams:
        return 0.0
    tokens = sum(name.startswith("token") for name in there)
    odds = mission_odds(mission, ", ".join(teams), cards=SMALL, tokens=tokens, **more)
    return float(odds.objective_value.estimate)


@pytest.mark.parametrize(
    ("mission", "more"),
    [
        ("errand", {}),
        ("courier", {"objective": Objective(completion=0.0, nuyen=1.0, injury=-1.5, death=-4.0)}),
    ],
)
def test_shares_are_the_mean_over_every_order_of_joining(mission: str, more: dict[str, Any]) -> None:
    players = ["Tamsynn", "Datajack", "Lazar", "Commlink", "Jackrabbit", "token"]
    subsets = [
        frozenset(p for p, k in zip(players, kept, strict=True) if k) for kept in product((0, 1), repeat=6)
    ]
    worth = {there: value_of(mission, there, **more) for there in subsets}
    added = dict.fromkeys(players, 0.0)
    for order in permutations(players):
        there: frozenset[str] = frozenset()
        for player in order:
            added[player] += worth[there | {player}] - worth[there]
            there |= {player}
    answer = shares(
        mission, "Tamsynn + Datajack, Lazar + Commlink + Jackrabbit", cards=SMALL, tokens=1, **more
    )
    assert len(answer.rows) == 6
    for row in answer.rows:
        (player,) = (p for p in players if p in row.used.name)
        others = frozenset(players) - {player}
        assert row.share == pytest.approx(added[player] / factorial(6), abs=1e-12)
        assert row.first == pytest.approx(worth[frozenset({player})], abs=1e-12)
        assert row.last == pytest.approx(worth[frozenset(players)] - worth[others], abs=1e-12)
    assert sum(row.share for row in answer.rows) == pytest.approx(answer.whole.value, abs=1e-12)
    assert [row.share for row in answer.rows] == sorted((row.share for row in answer.rows), reverse=True)


def test_a_card_that_hurts_has_a_negative_share() -> None:
    """The Charm's Face die cannot defeat a Decker icon alone, and its injury takes Ada away with her dice."""
    charm = share_of(shares("Walk", "Ada + Charm", cards=BOX), "Charm", "Ada")
    stages = [{"icons": {"decker": 1}}]
    with_it = best_value({"stages": stages, "payout": 3, "runners": [{"dice": {"decker": 1, "face": 1}}]})
    assert charm.share == pytest.approx((float(with_it) - float(ONE)) / 2, abs=1e-12)
    assert charm.hurts
    assert not share_of(shares("Walk", "Ada + Jack", cards=BOX), "Jack", "Ada").hurts


def test_nuyen_is_priced_by_the_whole_team_in_every_combination() -> None:
    """Dee costs 6K and has a loan value of 9, Ada 0 and 2: injuries 5.5K, deaths 3K more."""
    answer = shares("Climb", "Ada, Dee", cards=BOX, aim="nuyen")
    assert answer.scenario.objective == Objective(
        completion=0.0, nuyen=1.0, loot=5.0, injury=-5.5, death=-8.5
    )
    assert "priced throughout by the cards of the whole team: an injury 5.5K, a death 8.5K" in answer.notes[0]


def test_a_task_and_a_final_mission_have_shares() -> None:
    chore = share_of(shares("Chore", "Ada + Jack", cards=BOX), "Jack", "Ada")
    summit = share_of(shares("Summit", "Dee + Mage Book", cards=BOX), "Mage Book", "Dee")
    task: dict[str, Any] = {"stages": [{"icons": {"decker": 1}}], "payout": 2, "task": True}
    final: dict[str, Any] = {"stages": [{"icons": {"mage": 2}}], "final": True}
    for row, attempt, colour in ((chore, task, "decker"), (summit, final, "mage")):
        one, two = (float(best_value(attempt | {"runners": [{"dice": {colour: n}}]})) for n in (1, 2))
        assert row.share == pytest.approx((two - one) / 2, abs=1e-12)
        assert row.share > 0.0


def test_equal_combinations_are_solved_once_and_progress_is_told() -> None:
    """Ada, Ben and two Patches: one or two runners, with none, one or two Patches, make six attempts."""
    told: list[tuple[int, int | None]] = []
    shares("Walk", "Ada, Ben", cards=BOX, loot=["Patch", "Patch"],
           progress=lambda done, of: told.append((done, of)))  # fmt: skip
    assert [pair for pair in told if pair[0]] == [(done, 6) for done in range(1, 7)]


def test_too_many_cards_are_refused_even_if_insisted_on() -> None:
    shares("Walk", "Ada", cards=BOX, tokens=15)
    with pytest.raises(SprawlsimError, match=r"^17 cards are in use, and shares are found for at most 16"):
        shares("Walk", "Ada", cards=BOX, tokens=16, insist=True)


def test_long_work_is_refused_with_its_time_unless_insisted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solved, "LARGE_SECONDS", 0.0)
    with pytest.raises(
        SprawlsimError, match="for 2 different teams would take about 0 s and 0 MB; fewer cards make fewer"
    ):
        shares("Walk", "Ada, Ben", cards=BOX)
    assert shares("Walk", "Ada, Ben", cards=BOX, insist=True).rows
    monkeypatch.setattr(module, "MOST_WAYS", 2)
    with pytest.raises(SprawlsimError, match="more than 2 attempts"):
        shares("Walk", "Ada, Ben", cards=BOX)
    assert shares("Walk", "Ada, Ben", cards=BOX, insist=True).rows


def test_a_large_team_is_refused() -> None:
    crowd = "Lazar + dermal, Corium + dermal, Garage Rigger + dermal, Towering + dermal"
    with pytest.raises(SprawlsimError, match="fewer cards make fewer combinations, and --yes"):
        shares("grand vault", f"{crowd}, hired Learned, hired Brilliant", cards=SMALL, tokens=3)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"team": "nobody"}, "runner is called 'nobody'"),
        ({"loot": "Spork"}, "no Loot card is called 'Spork'"),
        ({"aim": "saef"}, "did you mean 'safe'"),
        ({"tokens": -1}, "DocWagon tokens must be a whole number"),
        ({"prices": {"death": 3}}, "prices are for the aim nuyen"),
    ],
)
def test_bad_input_is_refused(words: dict[str, Any], told: str) -> None:
    with pytest.raises(SprawlsimError, match=told):
        shares("Walk", **({"team": "Ada", "cards": BOX} | words))


def test_notes_say_what_becomes_of_cards_without_a_runner() -> None:
    notes = shares("Walk", "Ada + Any Deck + Commlink, Ben", cards=BOX, rerolls=1).notes
    assert any("Gear goes to who may carry it" in note for note in notes)
    assert any("an Upgrade serves nobody" in note for note in notes)
    assert any("get the best one anew" in note for note in notes)
    assert any("rerolls and perks are no cards" in note for note in notes)
    assert shares("Walk", "Ada + Any Deck", cards=BOX).notes == ()


@pytest.fixture(scope="module")
def answer() -> Shares:
    return shares("Walk", "Ada + Jack, Fay", cards=BOX)


def test_the_answer_is_a_frame_plain_data_a_table_and_a_sentence(answer: Shares) -> None:
    frame = answer.frame()
    assert list(frame["card"]) == [row.used.name for row in answer.rows]
    assert list(frame["share"]) == [row.share for row in answer.rows]
    told = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    assert (told["schema"], told["engine"], told["policy"], told["mission"]) == (1, "exact", "best", "Walk")
    assert told["whole"]["objective_value"] == pytest.approx(sum(card["share"] for card in told["cards"]))
    assert list(told["cards"][0]) == [
        "card", "kind", "onto", "price", "stand_in_price", "share", "share_per_k", "first", "last", "hurts",
    ]  # fmt: skip
    assert answer._repr_html_().count("<tr>") == 1 + 3
    assert str(answer).startswith("Walk, completes: ")
    assert "; of it Ada +" in str(answer)


def test_the_picture_has_a_bar_a_card(answer: Shares) -> None:
    (axes,) = answer.plot().axes
    assert [bar.get_width() for bar in axes.patches] == pytest.approx(
        [100 * row.share for row in answer.rows]
    )
    assert axes.get_yticklabels()[0].get_text() == "Ada"
    assert axes.get_xlabel().startswith("share in percentage points")


@pytest.fixture
def run(run: Run) -> Run:
    """Run ``sprawlsim shares``."""
    return partial(run, "shares")


TEAM = ("--team", "tamsynn + datajack, steady")


def test_the_table_leads_with_the_answer_and_ends_with_what_to_know(run: Run) -> None:
    done = run("errand", *TEAM, "--tokens", "1", "-q")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("Errand Job, completes: 68.36% with all cards; most of it Tamsynn +")
    assert "In hand: 1 DocWagon token." in lines
    head = lines.index("")
    assert lines[head + 1].split() == [
        "Card", "with", "price", "(K)", "share", "(points)", "per", "1K", "alone", "last",
    ]  # fmt: skip
    assert lines[head + 6].split() == ["all", "together", "5", "+68.36"]
    assert lines[head + 8].startswith("Share: what a card adds on average, over all orders")
    assert max(map(len, lines)) <= 100


def test_json_csv_and_markdown(run: Run) -> None:
    expected = shares("errand", "tamsynn + datajack, steady", cards=SMALL)
    assert json.loads(run("errand", *TEAM, "--format", "json", "-q").out) == json.loads(
        json.dumps(expected.to_dict())
    )
    rows = list(csv.DictReader(io.StringIO(run("errand", *TEAM, "--format", "csv", "-q").out)))
    assert list(rows[0]) == list(expected.frame().columns)
    assert [float(row["share"]) for row in rows] == [row.share for row in expected.rows]
    assert run("errand", *TEAM, "--format", "csv").err.startswith("note: Numbers of the card set")
    page = run("errand", *TEAM, "--format", "md").out
    assert page.startswith("**Errand Job, completes: 68.36% with all cards;")
    assert sum(line.startswith("| ") for line in page.splitlines()) == 2 + 3 + 1


def test_a_changed_card_and_a_picture(run: Run) -> None:
    done = run("errand", *TEAM, "--set", "Datajack.cost=3", "--plot", "shares.svg")
    assert "(changed: Datajack.cost=3)" in done.out
    assert "picture written to shares.svg" in done.err
    assert Path("shares.svg").read_bytes().startswith(b"<?xml")


BAD = [
    ([], "name a Mission; see 'sprawlsim shares --help'"),
    (["errand", "--team", "nobody"], "runner is called 'nobody'"),
    (["nothing"], "is called 'nothing'"),
    (["errand", "--tokens", "15"], "18 cards are in use, and shares are found for at most 16"),
    (["bodyguard", *TEAM], "a Task is run by one runner, not 2"),
    (["errand", "--format", "jsn"], "'jsn' is not one of table, json, csv, md"),
    (["errand", "--plot", "shares.pdf"], "a picture ends in .png or .svg"),
    (["errand", "--policy", "balanced"], "no such option: --policy"),
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
