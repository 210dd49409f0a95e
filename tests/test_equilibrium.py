"""Equilibria by hand, by their definition, and against another optimiser."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from sprawlsim.errors import SprawlsimError
from sprawlsim.stats.equilibrium import exploitability, nash_average

ROCK_PAPER_SCISSORS = np.array([[0, -0.5, 0.5], [0.5, 0, -0.5], [-0.5, 0.5, 0]])


def random_game(seed: int, m: int) -> np.ndarray:
    upper = np.triu(np.random.default_rng(seed).uniform(-0.5, 0.5, size=(m, m)), k=1)
    return upper - upper.T


def cloned(game: np.ndarray, which: int) -> np.ndarray:
    order = [*range(len(game)), which]
    return game[np.ix_(order, order)]


def test_rock_paper_scissors_is_mixed_evenly() -> None:
    found = nash_average(ROCK_PAPER_SCISSORS)
    assert found.weights == pytest.approx([1 / 3] * 3, abs=1e-9)
    assert found.skill == pytest.approx([0] * 3, abs=1e-9)
    assert found.value == pytest.approx(0, abs=1e-12)
    assert found.exploitability == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("a", "b", "c"), [(0.1, 0.2, 0.3), (0.5, 0.01, 0.2)])
def test_an_uneven_cycle_by_hand(a: float, b: float, c: float) -> None:
    # Each is played as often as the two others' edge is large: the null vector of the matrix.
    found = nash_average([[0, a, -b], [-a, 0, c], [b, -c, 0]])
    assert found.weights == pytest.approx(np.array([c, b, a]) / (a + b + c), abs=1e-8)


def test_a_dominated_strategy_has_no_weight() -> None:
    game = np.zeros((4, 4))
    game[:3, :3] = ROCK_PAPER_SCISSORS
    game[3, :3] = -0.3
    game[:3, 3] = 0.3
    found = nash_average(game)
    assert found.weights == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-8)
    assert found.weights[3] == 0
    assert found.skill == pytest.approx([0, 0, 0, -0.3], abs=1e-8)


def test_one_that_beats_all_has_all_the_weight() -> None:
    found = nash_average([[0, 0.01, 0.2], [-0.01, 0, 0.5], [-0.2, -0.5, 0]])
    assert found.weights == pytest.approx([1, 0, 0], abs=1e-9)
    assert found.skill == pytest.approx([0, -0.01, -0.2], abs=1e-9)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_clone_shares_its_weight_and_changes_nothing_else(which: int) -> None:
    game = np.array([[0, 0.1, -0.2], [-0.1, 0, 0.3], [0.2, -0.3, 0]])
    alone, doubled = nash_average(game), nash_average(cloned(game, which))
    expected = np.append(alone.weights, alone.weights[which] / 2)
    expected[which] /= 2
    assert doubled.weights == pytest.approx(expected, abs=1e-7)
    assert doubled.skill[:3] == pytest.approx(alone.skill, abs=1e-7)


def test_strategies_that_are_all_alike_are_mixed_evenly() -> None:
    assert nash_average(np.zeros((5, 5))).weights == pytest.approx([0.2] * 5)
    assert nash_average([[0]]).weights.tolist() == [1.0]


def test_the_most_even_of_several_equilibria_is_taken_by_hand() -> None:
    # 0 and 1 draw and nobody else counts: any mix of them is unbeaten unless 3 punishes one of them. Strategy
    # 3 gains 0.1 on 0 and loses 0.3 to 1, so at most 3/4 may be 0; the most even mix, 1/2, is inside.
    game = np.zeros((3, 3))
    game[2, 0], game[0, 2], game[2, 1], game[1, 2] = 0.1, -0.1, -0.3, 0.3
    assert nash_average(game).weights == pytest.approx([0.5, 0.5, 0], abs=1e-8)
    # Now it gains 0.3 on 0 and loses 0.1 to 1: at most 1/4 may be 0, and the most even mix is at that end.
    game[2, 0], game[0, 2], game[2, 1], game[1, 2] = 0.3, -0.3, -0.1, 0.1
    assert nash_average(game).weights == pytest.approx([0.25, 0.75, 0], abs=1e-8)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), m=st.integers(2, 12))
def test_no_answer_gains_against_the_mix_of_any_game(seed: int, m: int) -> None:
    game = random_game(seed, m)
    found = nash_average(game)
    assert found.weights.sum() == pytest.approx(1)
    assert (found.weights >= 0).all()
    assert (game @ found.weights).max() <= 1e-9
    # Random games have one equilibrium; another formulation finds it.
    other = linprog(
        [*np.zeros(m), -1.0],
        A_ub=np.column_stack([game, np.ones(m)]),
        b_ub=np.zeros(m),
        A_eq=[[*np.ones(m), 0.0]],
        b_eq=[1],
        bounds=[(0, 1)] * m + [(None, None)],
    )
    assert found.weights == pytest.approx(other.x[:m], abs=1e-5)


def entropy_still_to_gain(game: np.ndarray, mix: np.ndarray) -> float:
    """Bound how much more entropy any equilibrium has, by the slope of the (concave) entropy towards it.

    Moving towards a mix y of equilibrium weights gains at most sum((x - y) log x); a linear programme finds
    the y that promises most. Weight outside the mix's own would have promised without bound.
    """
    m, held = len(game), mix > 1e-9
    most = linprog(-np.eye(m)[~held].sum(axis=0), A_ub=game, b_ub=np.zeros(m), A_eq=np.ones((1, m)), b_eq=[1])
    assert -most.fun <= 1e-6, "an equilibrium has weight where this one has none"
    logs = np.log(mix[held])
    towards = linprog(
        logs,
        A_ub=game[:, held],
        b_ub=np.full(m, 1e-9),
        A_eq=np.ones((1, held.sum())),
        b_eq=[1],
    )
    return float(mix[held] @ logs - towards.fun)


@pytest.mark.parametrize("kind", ["clones", "draws and sweeps", "tenths"])
@pytest.mark.parametrize("seed", range(12))
def test_of_many_equilibria_no_other_has_more_entropy(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = 4 + seed % 6
    upper = {
        "clones": rng.uniform(-0.5, 0.5, size=(m, m)),
        "draws and sweeps": rng.integers(-1, 2, size=(m, m)) / 2,
        "tenths": rng.uniform(-0.5, 0.5, size=(m, m)).round(1),
    }[kind]
    game = np.triu(upper, k=1)
    game = game - game.T
    if kind == "clones":
        game = cloned(cloned(game, 0), int(rng.integers(m)))
    found = nash_average(game)
    assert found.exploitability <= 1e-9
    assert entropy_still_to_gain(game, found.weights) <= 1e-6


def test_how_far_a_mix_can_be_exploited_by_hand() -> None:
    assert exploitability(ROCK_PAPER_SCISSORS, [1, 0, 0]) == 0.5
    # Half rock, half paper: paper gains 0.25.
    assert exploitability(ROCK_PAPER_SCISSORS, [0.5, 0.5, 0]) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("payoff", "message"),
    [
        ([[0, 0.6], [0.4, 0]], "what 0 gains against 1, 1 must lose"),
        ([[0.5, 0.5], [0.5, 0.5]], "payoffs are win rates minus 1/2"),
        ([[0, 1]], "square matrix"),
        ([], "square matrix"),
        ([[0, math.nan], [0, 0]], "finite numbers"),
    ],
)
def test_what_is_no_table_of_payoffs_is_told(payoff: list[list[float]], message: str) -> None:
    with pytest.raises(SprawlsimError, match=message):
        nash_average(payoff)


@pytest.mark.parametrize("weights", [[0.5, 0.5], [0.5, 0.6, -0.1], [0.3, 0.3, 0.3], [math.nan, 0.5, 0.5]])
def test_what_is_no_mix_is_told(weights: list[float]) -> None:
    with pytest.raises(SprawlsimError, match="weights must be 3 shares"):
        exploitability(ROCK_PAPER_SCISSORS, weights)
