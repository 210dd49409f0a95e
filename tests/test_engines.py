"""Which engine answers a question, and why; what stands beside the answer; that the engines agree."""

import math
import re
from functools import cache

import numpy as np
import pytest
from random_scenarios import EACH, RECIPES, scenario
from scipy.stats import kstest
from test_montecarlo import ALL_POLICIES, MANY_DICE, SMALL, TWO_STAGES, simulate

import sprawlsim as ss
from sprawlsim.cli.odds_text import render
from sprawlsim.sprawlops.mission import ask
from sprawlsim.sprawlops.mission.ask import BEST, ENGINES, EXACT, MONTE_CARLO, Effort, scenario_odds
from sprawlsim.sprawlops.mission.counts import COMPLETED, INJURIES, NUYEN
from sprawlsim.sprawlops.mission.evaluate import evaluate
from sprawlsim.sprawlops.mission.exact import solve
from sprawlsim.sprawlops.mission.policies import POLICIES
from sprawlsim.sprawlops.mission.scenario import scenario_from_dict
from sprawlsim.sprawlops.mission.work import HOPELESS, Work
from sprawlsim.sprawlops.roles import ROLES

EVERYONE = [BEST, *ALL_POLICIES]
MASS_TOLERANCE = 1e-12
ROUNDING = 1e-11
FEW = 2_000

LITTLE = scenario_from_dict(SMALL["plate and token"])
PRICED = scenario_from_dict(SMALL["optional Stage between"])


def odds(attempt=LITTLE, policy=BEST, **effort):
    """Return the odds of a scenario."""
    return scenario_odds(attempt, policy, Effort(**effort))


def is_exact(answer):
    """Tell whether all figures are known without an interval, and nothing was played."""
    return (
        answer.engine == EXACT
        and answer.attempts is answer.seed is None
        and all(row.value.low == row.value.estimate == row.value.high for row in answer.figures())
    )


def estimates_of(chances):
    return [chance.estimate for chance in chances]


@pytest.mark.parametrize("policy", EVERYONE)
@pytest.mark.parametrize("name", SMALL)
def test_little_work_is_done_exactly(name, policy):
    answer = odds(scenario_from_dict(SMALL[name]), policy)
    assert answer.policy == policy
    assert is_exact(answer)
    assert answer.why == "it is little work here"
    runners = len(answer.runners)
    for counts in (answer.injured_count, answer.dead_count):
        assert len(counts) == runners + 1
        assert abs(math.fsum(estimates_of(counts)) - 1) <= MASS_TOLERANCE
    hurt = [runner.injured.estimate + runner.rescued.estimate for runner in answer.runners]
    dead = [runner.dead.estimate for runner in answer.runners]
    assert all(0 <= h + d <= 1 + MASS_TOLERANCE for h, d in zip(hurt, dead, strict=True))
    for ends, counts in ((hurt, answer.injured_count), (dead, answer.dead_count)):
        assert abs(sum(ends) - sum(k * p for k, p in enumerate(estimates_of(counts)))) <= MASS_TOLERANCE
    for stage in answer.stages:
        assert (
            0 <= stage.cleared.estimate <= stage.reached.estimate + MASS_TOLERANCE <= 1 + 2 * MASS_TOLERANCE
        )


@pytest.mark.nojit
def test_a_few_rolls_are_decided_exactly():
    attempt = scenario_from_dict(SMALL["optional Stage last"])
    for policy in EVERYONE:
        assert is_exact(odds(attempt, policy))


@pytest.mark.parametrize("policy", ALL_POLICIES)
@pytest.mark.parametrize("name", SMALL)
def test_exact_odds_of_a_rule_of_thumb_are_its_evaluation(name, policy):
    attempt = scenario_from_dict(SMALL[name])
    figures, answer = evaluate(attempt, policy), odds(attempt, policy)
    assert answer.completed.estimate == min(1.0, figures.sums[COMPLETED])
    assert answer.nuyen.estimate == figures.sums[NUYEN]
    weights = [getattr(attempt.objective, key) for key in attempt.objective.__struct_fields__]
    assert answer.objective_value.estimate == pytest.approx(float(weights @ figures.sums), abs=1e-15)
    assert not answer.beside


def test_exact_odds_of_best_play_are_its_solution():
    expected, answer = solve(PRICED).expected, odds(PRICED)
    assert answer.completed.estimate == pytest.approx(expected.completed, abs=ROUNDING)
    assert answer.nuyen.estimate == pytest.approx(expected.nuyen, abs=ROUNDING)
    assert answer.loot.estimate == pytest.approx(expected.loot, abs=ROUNDING)
    assert answer.objective_value.estimate == pytest.approx(expected.value, abs=ROUNDING)


@pytest.mark.parametrize("policy", EVERYONE)
def test_a_number_of_attempts_is_played(policy):
    answer = odds(LITTLE, policy, attempts=FEW, seed=5)
    assert (answer.engine, answer.policy) == (MONTE_CARLO, policy)
    assert (answer.attempts, answer.seed) == (FEW, 5)
    assert answer.why == "a number of attempts was asked for"
    assert answer.completed.low < answer.completed.estimate < answer.completed.high
    assert answer.completed.estimate * FEW == round(answer.completed.estimate * FEW)
    assert odds(LITTLE, policy, attempts=FEW, seed=5, engine=MONTE_CARLO).why == "asked for"
    exactly = odds(LITTLE, policy).completed.estimate
    error = math.sqrt(exactly * (1 - exactly) / FEW)
    assert abs(answer.completed.estimate - exactly) < 4 * error


def test_best_play_and_rules_of_thumb_get_the_dice_of_the_seed():
    """A single die leaves nothing to decide."""
    lone = scenario_from_dict({"stages": [{"icons": {"mage": 1}}], "runners": [{"dice": {"mage": 1}}]})
    for seed in (5, 6):
        best, thumb = (odds(lone, policy, attempts=FEW, seed=seed) for policy in (BEST, "balanced"))
        assert (best.completed, best.runners) == (thumb.completed, thumb.runners)
    assert best.completed != odds(lone, attempts=FEW, seed=5).completed


@pytest.mark.parametrize("policy", ALL_POLICIES)
def test_a_precision_is_played_for(policy):
    answer = odds(LITTLE, policy, precision=0.01)
    assert answer.engine == MONTE_CARLO
    assert answer.attempts > 0
    assert answer.completed.half_width <= 0.01
    assert answer.completed.low <= odds(LITTLE, policy).completed.estimate <= answer.completed.high


def test_a_precision_of_best_play_is_refused():
    with pytest.raises(ss.SprawlsimError, match="best play is simulated by a number of attempts"):
        odds(precision=0.01)


@pytest.mark.parametrize("policy", EVERYONE)
@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_asked_for_answers(engine, policy, monkeypatch):
    for default in ("DEFAULT_ATTEMPTS", "DEFAULT_ATTEMPTS_OF_BEST"):
        monkeypatch.setattr(ask, default, 3_000)
    answer = odds(LITTLE, policy, engine=engine)
    assert (answer.engine, answer.policy, answer.why) == (engine, policy, "asked for")
    assert is_exact(answer) == (engine == EXACT)
    assert answer.attempts == (3_000 if engine == MONTE_CARLO else None)
    assert answer.seed == (ask.DEFAULT_SEED if engine == MONTE_CARLO else None)


@pytest.mark.parametrize(
    ("effort", "told"),
    [
        ({"engine": "fast"}, "'fast' is not an engine; the engines are exact, montecarlo"),
        ({"engine": "montcarlo"}, "did you mean 'montecarlo'?"),
        ({"engine": EXACT, "attempts": 5}, "is for Monte Carlo; exact odds have none"),
        ({"engine": EXACT, "precision": 0.1}, "is for Monte Carlo; exact odds have none"),
        ({"attempts": 5, "precision": 0.1}, "either a number of attempts or a precision, not both"),
        ({"attempts": 0}, "attempts must be between 1 and"),
        ({"threads": 0}, "threads must be between 1 and 256"),
    ],
)
@pytest.mark.parametrize("policy", [BEST, "balanced"])
def test_an_effort_that_makes_no_sense_is_refused(effort, told, policy):
    with pytest.raises(ss.SprawlsimError) as error:
        odds(LITTLE, policy, **effort)
    assert told in str(error.value)


COSTS = {
    Work(34.2, 812.0): "best play would take about 34 s and 812 MB exactly (--engine exact)",
    Work(3.9, 2_500.0): "best play would take about 4 s and 2.5 GB exactly (--engine exact)",
    Work(400.0, 50.0): "best play would take about 7 min and 50 MB exactly (--engine exact)",
}
"""Estimates that are not quick, in words."""


@pytest.mark.parametrize("work", COSTS)
def test_a_rule_of_thumb_stands_in_for_best_play_that_takes_long(work, monkeypatch):
    monkeypatch.setattr(ask, "estimate", lambda _: work)
    monkeypatch.setattr(ask, "DEFAULT_ATTEMPTS", 3_000)
    answer = odds()
    assert (answer.engine, answer.policy, answer.attempts) == (MONTE_CARLO, "balanced", 3_000)
    assert answer.why == COSTS[work]
    assert not answer.beside
    assert COSTS[work] in " ".join(render(answer, "table").replace("\n ", "").split())
    assert odds(attempts=500).why == COSTS[work]
    assert odds(attempts=500).policy == "balanced"
    assert odds(precision=0.02).completed.half_width <= 0.02
    same = odds(policy="balanced", attempts=3_000)
    assert same.completed == answer.completed


def test_too_large_even_to_look_at_is_told(monkeypatch):
    monkeypatch.setattr(ask, "estimate", lambda _: HOPELESS)
    monkeypatch.setattr(ask, "DEFAULT_ATTEMPTS", 3_000)
    assert odds().policy == "balanced"
    assert "would take very long, or more memory than there is" in odds().why
    with pytest.raises(ss.SprawlsimError, match="would take very long, or more memory than there is"):
        odds(engine=EXACT)


@pytest.mark.parametrize("limit", ["QUICK_SECONDS", "QUICK_MEGABYTES"])
def test_seconds_and_memory_both_count_for_what_is_quick(limit, monkeypatch):
    monkeypatch.setattr(ask, limit, 0.0)
    monkeypatch.setattr(ask, "DEFAULT_ATTEMPTS", 3_000)
    assert odds().policy == "balanced"
    assert re.search(r"about 0 s and \d+ MB", odds().why)
    assert not ask.is_quick(LITTLE)
    asked = odds(engine=EXACT)
    assert (asked.policy, asked.why) == (BEST, "asked for")
    insisted = odds(insist=True)
    assert (insisted.policy, insisted.why) == (BEST, "asked for")
    assert is_exact(asked)
    assert is_exact(insisted)
    played = odds(engine=MONTE_CARLO, attempts=500)
    assert (played.policy, played.engine, played.attempts) == (BEST, MONTE_CARLO, 500)


@pytest.mark.parametrize("limit", ["LARGE_SECONDS", "LARGE_MEGABYTES"])
@pytest.mark.parametrize("effort", [{"engine": EXACT}, {"engine": MONTE_CARLO, "attempts": 500}])
def test_best_play_that_is_large_has_to_be_insisted_on(limit, effort, monkeypatch):
    exactly = odds().completed
    monkeypatch.setattr(ask, limit, 0.0)
    with pytest.raises(ss.SprawlsimError) as error:
        odds(**effort)
    assert re.fullmatch(
        r"exact best play is large here: it would take about 0 s and \d+ MB; --yes \(insist\) does it anyway",
        str(error.value),
    )
    answer = odds(**effort, insist=True)
    assert (answer.policy, answer.engine) == (BEST, effort["engine"])
    if answer.engine == EXACT:
        assert answer.completed == exactly


def test_the_estimate_is_told_of_what_is_large(monkeypatch):
    monkeypatch.setattr(ask, "estimate", lambda _: Work(61.0, 5_250.0))
    with pytest.raises(ss.SprawlsimError, match=r"it would take about 61 s and 5.2 GB; --yes \(insist\)"):
        scenario_odds(LITTLE, BEST, Effort(engine=EXACT))


@pytest.mark.parametrize("policy", ALL_POLICIES)
def test_a_rule_of_thumb_that_decides_many_rolls_is_played_or_insisted_on(policy, monkeypatch):
    exactly = odds(LITTLE, policy).completed
    monkeypatch.setattr(ask, "QUICK_ROLLS", 50)
    monkeypatch.setattr(ask, "DEFAULT_ATTEMPTS", 3_000)
    played = odds(LITTLE, policy)
    assert (played.engine, played.policy, played.attempts) == (MONTE_CARLO, policy, 3_000)
    assert played.why == ("exactly, more than 50 different rolls would have to be decided (--engine exact)")
    for effort in ({"engine": EXACT}, {"insist": True}):
        answer = odds(LITTLE, policy, **effort)
        assert answer.completed == exactly
        assert answer.why == "asked for"
    monkeypatch.setattr(ask, "LARGE_ROLLS", 60)
    with pytest.raises(ss.SprawlsimError) as error:
        odds(LITTLE, policy, engine=EXACT)
    assert f"exact odds of {policy} are large here: more than 60 rolls" in str(error.value)
    assert str(error.value).endswith("; --yes (insist) does it anyway")
    assert odds(LITTLE, policy, engine=EXACT, insist=True).completed == exactly


def test_large_pools_are_played_less_often_by_default(monkeypatch):
    for default, number in (("DEFAULT_ATTEMPTS", 700), ("DEFAULT_ATTEMPTS_OF_LARGE_POOLS", 300)):
        monkeypatch.setattr(ask, default, number)
    assert odds(scenario_from_dict(MANY_DICE), "balanced", engine=MONTE_CARLO).attempts == 300
    assert odds(LITTLE, "balanced", engine=MONTE_CARLO).attempts == 700
    assert odds(scenario_from_dict(MANY_DICE), "balanced", engine=MONTE_CARLO, attempts=9).attempts == 9


@pytest.mark.parametrize("name", RECIPES)
def test_no_rule_of_thumb_beside_best_play_beats_it(name, monkeypatch):
    attempt = scenario_from_dict(scenario(name, 1))
    best = odds(attempt)
    assert [other.policy for other in best.beside] == list(POLICIES)
    for other in best.beside:
        assert other.engine == EXACT
        assert other.objective_value.estimate <= best.objective_value.estimate + ROUNDING
        alone = odds(attempt, other.policy)
        assert (other.completed, other.objective_value) == (alone.completed, alone.objective_value)
    monkeypatch.setattr(ask, "ROLLS_BESIDE", 0)
    monkeypatch.setattr(ask, "ATTEMPTS_BESIDE", 5_000)
    for exactly, other in zip(best.beside, odds(attempt).beside, strict=True):
        assert other.engine in ENGINES
        assert other.objective_value.low <= best.objective_value.estimate + ROUNDING
        wide = 2.5 * other.objective_value.half_width + ROUNDING  # five standard errors
        assert abs(other.objective_value.estimate - exactly.objective_value.estimate) <= wide


def test_the_rules_of_thumb_stand_beside_simulated_best_play_too(monkeypatch):
    answer = odds(PRICED, attempts=FEW)
    assert [other.policy for other in answer.beside] == list(POLICIES)
    assert answer.beside == odds(PRICED).beside, "they are as exact as ever"
    monkeypatch.setattr(ask, "ROLLS_BESIDE", 0)
    monkeypatch.setattr(ask, "ATTEMPTS_BESIDE", 5_000)
    sampled = odds(PRICED, attempts=FEW, seed=8)
    assert {other.engine for other in sampled.beside} == {MONTE_CARLO}
    for other in sampled.beside:
        alone = odds(PRICED, other.policy, attempts=5_000, seed=8)
        assert (other.completed, other.objective_value) == (alone.completed, alone.objective_value)


def lines_beside(answer):
    """Return the lines of the table that tell of rules of thumb, heading included, as cells."""
    lines = render(answer, "table").splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("Rule of thumb"))
    return [re.split(r" {2,}", line) for line in lines[first : first + 1 + len(POLICIES)]]


def test_the_table_tells_how_far_rules_of_thumb_fall_short():
    answer = odds(scenario_from_dict(SMALL["two colours"]))
    heading, *lines = lines_beside(answer)
    assert heading == ["Rule of thumb", "completes", "short of best"]
    for line, policy in zip(lines, POLICIES, strict=True):
        exactly = odds(scenario_from_dict(SMALL["two colours"]), policy).completed.estimate
        gap = answer.completed.estimate - exactly
        assert line == [policy, f"{100 * exactly:.2f}%", f"{100 * gap:.2f} points"]
    assert "Best play, exact (it is little work here), from a scenario file." in render(answer, "table")
    assert "interval" not in render(answer, "table")


def test_the_table_tells_what_rules_of_thumb_are_worth_where_something_else_counts():
    answer = odds(PRICED)
    heading, *lines = lines_beside(answer)
    assert heading == ["Rule of thumb", "completes", "worth", "short of best"]
    for line, other in zip(lines, answer.beside, strict=True):
        worth = other.objective_value.estimate
        assert line[:2] == [other.policy, f"{100 * other.completed.estimate:.2f}%"]
        assert float(line[2]) == pytest.approx(worth, rel=1e-5, abs=1e-9)
        assert float(line[3]) == pytest.approx(answer.objective_value.estimate - worth, rel=1e-3, abs=1e-9)


def test_the_table_of_sampled_play_has_intervals_and_no_more_digits_than_are_known(monkeypatch):
    monkeypatch.setattr(ask, "ROLLS_BESIDE", 0)
    monkeypatch.setattr(ask, "ATTEMPTS_BESIDE", 2_000)
    answer = odds(scenario_from_dict(SMALL["two colours"]), attempts=500)
    text = render(answer, "table")
    assert "(95% interval " in text.splitlines()[0]
    assert "Best play, Monte Carlo (a number of attempts was asked for), 500 attempts, seed 1" in text
    for line in lines_beside(answer)[1:]:
        assert re.fullmatch(r"\d+% \(\d+ to \d+\)", line[1])
        assert re.fullmatch(r"-?\d+ points", line[2])


def test_where_nobody_wins_no_rule_of_thumb_is_told_to_beat_best_play():
    stages = [
        {"street_samurai": 3, "decker": 3},
        {"mage": 3, "rigger": 3},
        {"decker": 3, "face": 1, "street_samurai": 2},
        {"mage": 4, "street_samurai": 3},
        {"street_samurai": 3, "rigger": 3, "decker": 2},
    ]
    starters = [{"street_samurai": 2}, {"decker": 2}, {"face": 1}]
    data = {
        "stages": [{"icons": icons} for icons in stages],
        "runners": [{"dice": dice} for dice in starters],
    }
    answer = odds(scenario_from_dict({**data, "final": True}))
    assert 0 == answer.completed.estimate < answer.beside[0].completed.estimate < 1e-15
    assert [line[-1] for line in lines_beside(answer)[1:]] == ["0.00 points"] * len(POLICIES)


def test_frame_and_picture_hold_exact_figures_too(monkeypatch):
    answer = odds(PRICED)
    frame = answer.frame()
    beside = frame[frame.group == "rule of thumb"]
    assert beside.item.tolist() == [policy for policy in POLICIES for _ in range(2)]
    assert (frame.low == frame.estimate).all()
    assert (frame.high == frame.estimate).all()
    assert answer.plot()._repr_png_().startswith(b"\x89PNG")
    assert answer._repr_html_().count("<tr>") == len(frame) + 1


@pytest.mark.parametrize("aim", ["complete", "nuyen"])
def test_an_open_commlink_gets_the_colour_that_is_best_exactly(aim):
    left_open = ss.mission_odds("errand", "Tamsynn, Lazar + Commlink", aim=aim)
    by_colour = [
        ss.mission_odds("errand", f"Tamsynn, Lazar + Commlink({colour})", aim=aim)
        for colour in ("street samurai", "rigger")
    ]
    best = max(by_colour, key=lambda answer: answer.objective_value.estimate)
    assert left_open.objective_value == best.objective_value
    assert left_open.team == best.team
    assert any("Commlink was set to" in note for note in left_open.notes)


def test_an_open_commlink_is_set_by_playing_where_exact_values_take_long(monkeypatch):
    monkeypatch.setattr(ask, "QUICK_SECONDS", 0.0)
    monkeypatch.setattr(ask, "SCREENING_ATTEMPTS", 20_000)
    answer = ss.mission_odds("errand", "Tamsynn, Lazar + Commlink", attempts=500)
    assert (answer.policy, answer.engine) == ("balanced", MONTE_CARLO)
    assert "Commlink(street samurai)" in answer.team


def test_seeds_and_threads_change_nothing_that_is_exact():
    assert odds(PRICED, seed=4, threads=1) == odds(PRICED)
    assert odds(TWO_STAGES_OF, "balanced", seed=4, threads=2) == odds(TWO_STAGES_OF, "balanced")


TWO_STAGES_OF = scenario_from_dict(TWO_STAGES)

ATTEMPTS = 20_000
GRID = [(name, number, policy) for name in RECIPES for number in range(EACH) for policy in ALL_POLICIES]
"""Scenarios and policies: hundreds."""
AMOUNTS = {"completed": COMPLETED, "injuries": INJURIES, "nuyen": NUYEN}


@cache
def z_values():
    """Return by amount how many standard errors Monte Carlo is off the exact figures, over the grid.

    Each cell has a seed of its own: scenarios with the same seed share their dice.
    """
    zs = {what: [] for what in AMOUNTS}
    for seed, (name, number, policy) in enumerate(GRID):
        data = scenario(name, number)
        exact = evaluate(scenario_from_dict(data), policy)
        counts = simulate(data, policy, ATTEMPTS, seed=5_000 + seed)[0]
        for what, amount in AMOUNTS.items():
            mean = exact.sums[amount]
            variance = exact.products[amount, amount] - mean**2
            off = counts.sums[amount] - ATTEMPTS * mean
            if variance < MASS_TOLERANCE:
                assert abs(off) < 1e-6
            elif variance * ATTEMPTS >= 20 * max(1.0, mean):
                zs[what].append(off / math.sqrt(ATTEMPTS * variance))
    return {what: np.array(sample) for what, sample in zs.items()}


def test_the_grid_is_large():
    assert len(GRID) >= 200


@pytest.mark.parametrize("what", AMOUNTS)
def test_monte_carlo_and_exact_figures_of_rules_of_thumb_differ_like_normals(what):
    sample = z_values()[what]
    assert sample.size >= 100
    assert np.abs(sample).max() <= 4
    assert abs(sample.mean()) < 3.5 / math.sqrt(sample.size)
    assert abs(sample.std() - 1) < 3.3 / math.sqrt(2 * sample.size)
    assert kstest(sample, "norm").pvalue > 1e-3


@pytest.mark.parametrize(
    "more",
    [
        {"stages": [{"icons": dict.fromkeys(ROLES, 15)}]},
        {"stages": [{"icons": dict.fromkeys(ROLES, 3)}], "runners": [{"dice": dict.fromkeys(ROLES, 6)}]},
    ],
)
def test_what_is_too_large_even_to_estimate_is_known_at_once(more: dict[str, list]) -> None:
    small = {"runners": [{"dice": dict.fromkeys(ROLES[:4], 4)}]}
    assert ask.estimate(scenario_from_dict(small | more)) == HOPELESS


def test_weights_too_far_apart_to_be_told_apart_are_refused() -> None:
    """Beyond that, a small weight would be lost among the ties of a large one."""
    with pytest.raises(ss.SprawlsimError, match="range from 1e-06 to 1e\\+06"):
        scenario_from_dict(SMALL["plate and token"] | {"objective": {"completion": 1e-6, "death": -1e6}})
    assert scenario_from_dict(SMALL["plate and token"] | {"objective": {"completion": 1e-3, "death": -1e5}})


@pytest.mark.parametrize("aim", ["payout", "safe"])
def test_an_aim_that_never_came_about_has_an_interval(aim: str) -> None:
    scenario = SMALL["plate and token"] | {"payout": 3, "objective": {"completion": 0.0, aim: 1.0}}
    scenario["stages"] = [{"icons": {"mage": 15}}]
    worth = scenario_odds(scenario_from_dict(scenario), "balanced", Effort(attempts=FEW)).objective_value
    assert worth.estimate == 0.0
    assert worth.high > 0.0
