"""The efficient frontier: its corners against dense grids of prices, by hand, and as a user asks for it."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import subprocess
import sys
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from command_line import Run
from matplotlib.text import Text
from random_scenarios import all_scenarios

import sprawlsim as ss
from sprawlsim.cli import asking
from sprawlsim.sprawlops.mission import frontier_search as search
from sprawlsim.sprawlops.mission.exact import Expected, Work, solve
from sprawlsim.sprawlops.mission.frontier import Frontier
from sprawlsim.sprawlops.mission.frontier_search import Play, find_corners, scenario_frontier
from sprawlsim.sprawlops.mission.scenario import Objective, Scenario, scenario_from_dict

GOLDEN = json.loads((Path(__file__).parent / "golden" / "mission-values.json").read_text(encoding="utf-8"))
NAMES = (
    "one street samurai, 5 dice, 2 icons",
    "two runners share a colour",
    "plated runner",
    "injury costs 0.2, death 0.6: cancel or clear",
    "push or pull out",
    "a token turns a death into an injury",
    "starting team, two stages, costs",
)
ALL = 10_000

LONE = {"stages": [{"icons": {"mage": 1}}], "runners": [{"dice": {"mage": 1}}]}


def golden(name: str) -> Scenario:
    return scenario_from_dict(next(case["scenario"] for case in GOLDEN if case["name"] == name))


@cache
def whole(name: str, death_ratio: float) -> Frontier:
    """Return the whole frontier of a golden scenario."""
    return scenario_frontier(golden(name), death_ratio, ALL)


def best_play(scenario: Scenario, price: float, death_ratio: float) -> Expected:
    priced = Objective(completion=1.0, injury=-price, death=-death_ratio * price)
    return solve(msgspec.structs.replace(scenario, objective=priced), figures=False).expected


@pytest.mark.nojit
def test_one_die_for_one_icon_pulls_out_where_an_injury_costs_two_completions() -> None:
    """Hold the frontier of one runner, one die and one icon to a calculation by hand.

    A roll clears the Stage with chance 1/3, injures the only runner with 1/6, which ends the Mission, and
    shows a blank with 1/2, after which comes the next of three rolls. So the Mission is completed with chance
    1/3 (1 + 1/2 + 1/4) = 7/12, and the runner injured with 1/6 (1 + 1/2 + 1/4) = 7/24. Nothing is to be
    decided but whether to begin: worth it as long as 7/12 > 7/24 price, up to a price of 2.
    """
    found = scenario_frontier(scenario_from_dict(LONE))
    assert found.gap == 0.0
    going, pulling_out = found.points
    assert going.completed == pytest.approx(7 / 12, abs=1e-12)
    assert going.injuries == going.cost == pytest.approx(7 / 24, abs=1e-12)
    assert (going.deaths, going.price_from) == (0.0, 0.0)
    assert going.price_to == pulling_out.price_from == pytest.approx(2.0, abs=1e-12)
    assert pulling_out.price_to == math.inf
    assert pulling_out[3:] == (0.0,) * 6
    assert pulling_out.pulls_out
    assert found.completed_at(7 / 48) == pytest.approx(7 / 24)  # half of the time by lot
    assert found.completed_at(5.0) == pytest.approx(7 / 12)
    assert found.value_at(1.0) == pytest.approx(7 / 24)
    assert found.price_at(0.1) == pytest.approx(2.0)
    assert found.price_at(0.5) == 0.0


@pytest.mark.parametrize("death_ratio", [0.5, 3.0])
@pytest.mark.parametrize("name", NAMES)
def test_no_price_of_a_dense_grid_finds_anything_above_the_corners(name: str, death_ratio: float) -> None:
    scenario, found = golden(name), whole(name, death_ratio)
    assert found.gap == 0.0
    for price in np.linspace(0.0, 1.3 * found.points[-1].price_from, 40).tolist():
        best = best_play(scenario, price, death_ratio)
        assert found.value_at(price) == pytest.approx(best.value, abs=1e-9)
        cost = best.injuries + death_ratio * best.deaths
        assert best.completed <= found.completed_at(cost) + 1e-9


@pytest.mark.parametrize("name", list(all_scenarios())[::12])
def test_a_grid_finds_no_more_above_a_few_corners_than_they_say(name: str) -> None:
    scenario = scenario_from_dict(all_scenarios()[name])
    found = scenario_frontier(scenario, 2.0, 10)
    assert len(found.points) <= 10
    for price in (0.0, 0.003, 0.02, 0.1, 0.3, 0.7, 1.5, 4.0, 20.0):
        missed = best_play(scenario, price, 2.0).value - found.value_at(price)
        assert -1e-9 <= missed <= found.gap + 1e-8


@pytest.mark.parametrize("name", NAMES)
def test_each_point_is_best_play_inside_its_range_and_ties_at_its_ends(name: str) -> None:
    scenario, found = golden(name), whole(name, 3.0)
    for point in found.points:
        inside = min(point.price_to, 2 * point.price_from + 1.0) / 2 + point.price_from / 2
        best = best_play(scenario, inside, 3.0)
        assert best.value == pytest.approx(point.completed - inside * point.cost, abs=1e-9)
        assert point.cost == pytest.approx(point.injuries + 3 * point.deaths)
    for left, right in pairwise(found.points):
        price = right.price_from
        assert left.price_to == price
        assert left.completed - price * left.cost == pytest.approx(right.completed - price * right.cost)


@pytest.mark.parametrize("name", NAMES)
def test_completion_and_cost_fall_with_the_price_down_to_nothing(name: str) -> None:
    points = whole(name, 3.0).points
    for left, right in pairwise(points):
        assert left.completed > right.completed
        assert left.cost > right.cost
        assert left.price_from < right.price_from
    assert points[0].price_from == 0.0
    assert points[0].completed == pytest.approx(
        solve(msgspec.structs.replace(golden(name), objective=Objective())).value
    )
    assert (points[-1].completed, points[-1].cost, points[-1].price_to) == (0.0, 0.0, math.inf)


@pytest.mark.parametrize("death_ratio", [0.5, 3.0])
@pytest.mark.parametrize("name", NAMES)
def test_no_rule_of_thumb_is_above_the_frontier(name: str, death_ratio: float) -> None:
    found = whole(name, death_ratio)
    assert {rule.policy for rule in found.rules_of_thumb} == set(ss.POLICIES)
    for rule in found.rules_of_thumb:
        assert rule.engine == "exact"
        assert rule.completed.estimate <= rule.best_completed + 1e-9
        assert rule.short.estimate == pytest.approx(rule.best_completed - rule.completed.estimate, abs=1e-9)


def test_rules_that_look_at_prices_are_asked_at_a_price_too() -> None:
    asked = [
        (rule.policy, rule.price) for rule in whole("starting team, two stages, costs", 3.0).rules_of_thumb
    ]
    middle = max(price for _, price in asked)
    assert middle > 0.0
    assert asked == [
        ("icons-first", 0.0),
        ("cancel-first", 0.0),
        ("cancel-first", middle),
        ("balanced", 0.0),
        ("balanced", middle),
    ]


def test_a_rule_that_is_sampled_has_intervals_around_the_exact_figures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "starting team, two stages, costs"
    monkeypatch.setattr(search, "MOST_ROLLS", 1)
    monkeypatch.setattr(search, "DEFAULT_ATTEMPTS", 40_000)
    sampled = scenario_frontier(golden(name), 3.0, 40)
    for rule, exact in zip(sampled.rules_of_thumb, whole(name, 3.0).rules_of_thumb, strict=True):
        assert (rule.engine, rule.attempts) == ("montecarlo", 40_000)
        for key in ("completed", "injuries", "deaths", "cost", "nuyen", "loot", "short"):
            guess, truth = getattr(rule, key), getattr(exact, key)
            assert guess.low <= guess.estimate <= guess.high
            assert abs(guess.estimate - truth.estimate) <= 2.5 * guess.half_width + 1e-12


def test_a_mission_that_costs_nothing_is_one_point_at_any_price() -> None:
    found = scenario_frontier(scenario_from_dict(LONE | {"clears_first_stage": True}))
    (point,) = found.points
    assert (point.completed, point.cost, point.price_from, point.price_to) == (1.0, 0.0, 0.0, math.inf)
    assert "whatever an injury is worth" in str(found)


def test_a_mission_that_cannot_be_completed_is_pulled_out_of() -> None:
    found = scenario_frontier(scenario_from_dict(LONE | {"stages": [{"icons": {"mage": 9}}]}))
    assert [(point.completed, point.cost) for point in found.points] == [(0.0, 0.0)]
    assert [rule.best_completed for rule in found.rules_of_thumb] == [0.0] * 3
    assert "cannot be completed" in str(found)
    found.plot()


class Plays:
    """Ways to play made up at random, and the best of them at a price."""

    def __init__(self, seed: int) -> None:
        dice = random.Random(seed)
        self.plays = [(0.0, 0.0)]
        for _ in range(dice.randint(1, 60)):
            cost = dice.uniform(0.0, 2.0)
            self.plays.append((math.sqrt(cost) / 2 * dice.uniform(0.8, 1.0), cost))
        self.asked: list[float] = []

    def worth(self, price: float) -> float:
        return max(completed - price * cost for completed, cost in self.plays)

    def best(self, price: float) -> Play:
        self.asked.append(price)
        completed, cost = max(self.plays, key=lambda play: (play[0] - price * play[1], -play[1]))
        return Play(price, completed, cost, Expected(0.0, completed, 0.0, 0.0, cost, 0.0))

    def corners(self) -> list[tuple[float, float]]:
        """Return the plays that no other beats and no mixture of two others reaches, dearest first."""
        found = []
        for completed, cost in self.plays:
            above = any(c >= completed and k <= cost for c, k in self.plays if (c, k) != (completed, cost))
            cheaper = [(c, k) for c, k in self.plays if k < cost]
            dearer = [(c, k) for c, k in self.plays if k > cost]
            mixed = any(
                c1 + (c2 - c1) * (cost - k1) / (k2 - k1) >= completed
                for c1, k1 in cheaper
                for c2, k2 in dearer
            )
            if not above and not mixed:
                found.append((completed, cost))
        return sorted(found, reverse=True)


@pytest.mark.nojit
@pytest.mark.parametrize("seed", range(25))
def test_the_search_finds_just_the_corners_and_asks_little(seed: int) -> None:
    made_up = Plays(seed)
    found = find_corners(made_up.best, ALL)
    assert [(play.completed, play.cost) for play in found.plays] == made_up.corners()
    assert found.gap == 0.0
    assert len(made_up.asked) <= max(2, 2 * len(found.plays) - 1)


@pytest.mark.parametrize("seed", range(25))
def test_a_search_that_stops_early_knows_how_much_it_may_have_missed(seed: int) -> None:
    made_up = Plays(seed)
    for most in (2, 3, 5, 8):
        found = find_corners(made_up.best, most)
        assert len(found.plays) <= most
        missed = max(
            made_up.worth(price) - max(play.worth(price) for play in found.plays)
            for price in np.linspace(0.0, 5.0, 400).tolist()
        )
        assert missed <= found.gap + 1e-9


def test_fewer_points_are_the_most_telling_and_say_what_is_missing() -> None:
    name = "starting team, two stages, costs"
    few, all_points = scenario_frontier(golden(name), 3.0, 5), whole(name, 3.0)
    assert len(few.points) == 5 < len(all_points.points)
    assert few.points[0].completed == all_points.points[0].completed
    missed = max(point.completed - few.completed_at(point.cost) for point in all_points.points)
    assert 0.0 < missed <= few.gap + 1e-12


def test_what_takes_minutes_is_refused_unless_insisted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "estimate", lambda _: Work(60.0, 100.0))
    with pytest.raises(
        ss.SprawlsimError, match=r"about 25 prices, each about 60.0 s .* about 25 min; ask for"
    ):
        ss.frontier("errand")
    assert len(ss.frontier("errand", points=2, insist=True).points) == 2
    monkeypatch.setattr(search, "estimate", lambda _: Work(math.inf, math.inf))
    with pytest.raises(ss.SprawlsimError, match="out of reach"):
        ss.frontier("errand")


@pytest.mark.parametrize(
    ("death_ratio", "points", "part"),
    [(-1.0, 5, "death ratio"), (math.nan, 5, "death ratio"), (2000.0, 5, "death ratio"), (3.0, 1, "points")],
)
def test_numbers_that_make_no_sense_are_refused(death_ratio: float, points: int, part: str) -> None:
    with pytest.raises(ss.SprawlsimError, match=f"{part} must be between"):
        scenario_frontier(scenario_from_dict(LONE), death_ratio, points)


def test_the_frontier_of_a_mission_begins_at_its_odds() -> None:
    steps: list[tuple[int, int | None]] = []
    team = "Tamsynn + Commlink, Lazar"
    found = ss.frontier("errand", team, points=6, progress=lambda done, of: steps.append((done, of)))
    odds = ss.mission_odds("errand", team)
    assert found.points[0].completed == odds.completed.estimate
    assert found.team == odds.team
    assert found.notes[0].startswith("Commlinks were set for completion alone")
    assert [done for done, _ in steps] == list(range(1, len(steps) + 1))
    assert all(of is not None and of > done for done, of in steps)


def test_frame_html_and_plain_data_tell_the_same() -> None:
    found = ss.frontier("errand", points=4)
    frame = found.frame()
    assert list(frame["kind"]) == ["best play"] * 4 + ["rule of thumb"] * 5
    assert list(frame["completed"][:4]) == [point.completed for point in found.points]
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["schema"] == 1
    assert told["points"][-1]["price_to"] is None
    assert [rule["policy"] for rule in told["rules_of_thumb"]] == list(frame["policy"][4:])
    page = found._repr_html_()
    assert page.count("<tr>") == 1 + len(frame)
    assert "<caption>Errand Job: best play completes" in page


@pytest.fixture
def run(run: Run) -> Run:
    """Run ``sprawlsim frontier``."""
    ss.frontier("errand", points=2)  # so that no test hears of compiling
    return partial(run, "frontier")


def test_the_table_has_corners_then_rules_of_thumb_then_notes(run: Run) -> None:
    done = run("errand", "--tokens", "1", "--points", "5", "-q")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("Errand Job: best play completes ")
    assert "In hand: 1 DocWagon token." in lines
    first = next(i for i, line in enumerate(lines) if line.startswith("Price from"))
    assert lines[first].split() == [
        "Price", "from", "to", "completes", "injuries", "deaths", "cost", "nuyen", "(K)", "Loot",
    ]  # fmt: skip
    assert lines[first + 1].startswith("0.0000 ")
    assert "0% (pulls out)" in lines[first + 5]
    rules = next(i for i, line in enumerate(lines) if line.startswith("Rule of thumb"))
    assert [line.split()[0] for line in lines[rules + 1 : rules + 6]] == [
        "icons-first", "cancel-first", "cancel-first,", "balanced", "balanced,",
    ]  # fmt: skip
    assert all(line.endswith(" points") for line in lines[rules + 1 : rules + 6])
    assert "more ways to play than these 5" in done.out
    assert "may draw lots before the Mission" in " ".join(done.out.split())
    assert max(map(len, lines)) <= 100


def test_the_formats_carry_the_same_figures(run: Run) -> None:
    words = ("errand", "--points", "4", "--death-ratio", "2", "-q", "--format")
    told: dict[str, Any] = json.loads(run(*words, "json").out)
    assert list(told) == [
        "schema",
        "death_ratio",
        "gap",
        "seed",
        "card_set",
        "version",
        "points",
        "rules_of_thumb",
    ]
    assert (told["death_ratio"], told["card_set"], len(told["points"])) == (2.0, "stand-in", 4)
    rows = list(csv.DictReader(io.StringIO(run(*words, "csv").out)))
    parts = told["points"] + told["rules_of_thumb"]
    assert [row["kind"] for row in rows] == ["best play"] * 4 + ["rule of thumb"] * 5
    for row, part in zip(rows, parts, strict=True):
        for key in ("completed", "injuries", "deaths", "cost", "nuyen", "loot"):
            assert float(row[key]) == part[key]["estimate"]
    assert rows[3]["price_to"] == ""
    page = run(*words, "md").out
    assert page.startswith("**Errand Job: best play completes ")
    assert sum(line.startswith("| ") for line in page.splitlines()) == 4 + len(rows)
    noted = run("errand", "--points", "2", "--format", "csv")
    assert noted.err.startswith("note: Numbers of the card set 'stand-in' are partly stand-ins")


def test_sampled_rules_of_thumb_are_written_with_intervals(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST_ROLLS", 1)
    monkeypatch.setattr(search, "DEFAULT_ATTEMPTS", 2_000)
    lines = run("errand", "--points", "3", "--seed", "5", "-q").out.splitlines()
    assert "(2,000 attempts each, seed 5)" in " ".join(" ".join(lines).split())
    row = next(line for line in lines if line.startswith("icons-first"))
    assert row.count(" to ") == 5


def test_a_scenario_file_is_swept_whatever_its_objective(run: Run) -> None:
    text = "[[stages]]\nicons = { mage = 1 }\n[[runners]]\ndice = { mage = 1 }\n"
    Path("lone.toml").write_text(text + "[objective]\nnuyen = 1.0\n", encoding="utf-8")
    done = run("--scenario", "lone.toml")
    assert (done.code, done.err) == (0, "")
    assert " ".join(done.out.split()).startswith(
        "lone.toml: best play completes 58.33% at a cost of 0.292; it pulls out where an injury is worth 2 "
        "completions or more."
    )
    assert "The objective in the file is left aside" in done.out


@pytest.mark.parametrize(("name", "begins"), [("f.png", b"\x89PNG"), ("f.svg", b"<?xml")])
def test_plot_writes_a_picture_beside_the_answer(run: Run, name: str, begins: bytes) -> None:
    done = run("errand", "--points", "6", "--plot", name)
    assert done.code == 0
    assert f"picture written to {name}" in done.err
    assert Path(name).read_bytes().startswith(begins)


def test_the_picture_names_every_rule_of_thumb_and_no_name_lies_on_another() -> None:
    figure = ss.frontier("errand", points=8).plot()
    figure.draw_without_rendering()
    names = [text for text in figure.axes[0].texts if "pulls out" not in text.get_text()]
    assert names[0].get_text() == "best play"
    assert len(names) == 6
    boxes = [Text.get_window_extent(text) for text in names]  # without their lines
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_a_progress_bar_counts_ways_to_play(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "PATIENCE", 0.0)
    assert "ways to play" in run("errand", "--points", "4").err
    assert run("errand", "--points", "4", "--quiet").err == ""


BAD = [
    ([], "name a Mission, or a file with --scenario"),
    (["nothing"], "is called 'nothing'"),
    (["errand", "--points", "1"], "'--points'"),
    (["errand", "--death-ratio", "-1"], "'--death-ratio'"),
    (["errand", "--death-ratio", "nan"], "'--death-ratio'"),
    (["errand", "--aim", "nuyen"], "no such option: --aim"),
    (["errand", "--objective", "injury=-1"], "no such option: --objective"),
    (["errand", "--format", "xml"], "'xml' is not one of table, json, csv, md"),
    (["errand", "--plot", "f.pdf"], "a picture ends in .png or .svg"),
    (["errand", "--scenario", "none.toml"], "leave out MISSION"),
    (["--scenario", "none.toml"], "none.toml: cannot be read"),
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


def test_help_loads_nothing_heavy_and_offers_what_the_search_takes() -> None:
    code = (
        "import sys; sys.argv = ['sprawlsim', 'frontier', '--help']\n"
        "from sprawlsim.cli import main\n"
        "try:\n    main()\n"
        "finally:\n    print(*{'numpy', 'numba', 'pandas', 'scipy', 'matplotlib', 'rich'} & {*sys.modules},"
        " file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""
    assert f"[default: {search.DEFAULT_DEATH_RATIO}; 0<=x<={search.MOST_DEATH_RATIO:.0f}]" in " ".join(
        done.stdout.split()
    )
    assert f"[default: {search.DEFAULT_POINTS}; 2<=x<={search.MOST_POINTS}]" in " ".join(done.stdout.split())
