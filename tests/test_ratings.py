"""Ratings: against another library, by hand, and coverage on games with known strengths."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations

import choix
import numpy as np
import pytest
from scipy import stats

from sprawlsim.errors import SprawlsimError
from sprawlsim.stats.ranking import rank_ranges
from sprawlsim.stats.ratings import Ratings, fit_ratings

NAMES = ("ash", "bel", "cam", "dov", "eli")
THETA = np.array([0.6, 0.2, 0.0, -0.3, -0.5])
SIGMA = np.array([0.3, 0.1, -0.1, -0.3])


def all_tables() -> np.ndarray:
    """All seatings of 2, 3 or 4 of the five entrants."""
    rows = [[*seats, -1, -1][:4] for players in (2, 3, 4) for seats in permutations(range(5), players)]
    return np.array(rows)


def chances(tables: np.ndarray, theta: np.ndarray, sigma: np.ndarray) -> np.ndarray:
    weight = np.where(tables >= 0, np.exp(theta[tables] + sigma), 0.0)
    return weight / weight.sum(axis=1, keepdims=True)


def play(games: int, seed: int, theta: np.ndarray = THETA, sigma: np.ndarray = SIGMA) -> np.ndarray:
    """Wins by table and seat, `games` at every table."""
    tables = all_tables()
    return np.random.default_rng(seed).multinomial(games, chances(tables, theta, sigma))


def as_choix(tables: np.ndarray, wins: np.ndarray) -> list[tuple[int, tuple[int, ...]]]:
    games = []
    for row, counts in zip(tables.tolist(), wins.tolist(), strict=True):
        for seat, count in enumerate(counts):
            losers = tuple(e for other, e in enumerate(row) if other != seat and e >= 0)
            games += [(row[seat], losers)] * count
    return games


@pytest.mark.parametrize("seed", [1, 2])
def test_without_seats_they_agree_with_choix(seed: int) -> None:
    tables, wins = all_tables(), play(2, seed)
    found = fit_ratings(NAMES, tables, wins, seat_effect=False)
    other = choix.ilsr_top1(5, as_choix(tables, wins))
    assert found.theta == pytest.approx(other - other.mean(), abs=1e-6)
    assert found.log_likelihood == pytest.approx(
        choix.log_likelihood_top1(as_choix(tables, wins), other), rel=1e-9
    )
    assert found.sigma.tolist() == found.sigma_error.tolist() == [0.0] * 4


def test_with_a_prior_they_agree_with_choix() -> None:
    tables, wins = all_tables(), play(1, 3)
    found = fit_ratings(NAMES, tables, wins, seat_effect=False, ridge=2.0)
    # Choix takes alpha times the squares off the log-likelihood, so its prior's variance is 1 / (2 alpha).
    other = choix.opt_top1(5, as_choix(tables, wins), alpha=1.0, tol=1e-9)
    assert found.theta == pytest.approx(other, abs=1e-5)


def test_seats_are_entrants_of_a_larger_league() -> None:
    # With every entrant on one seat only, (entrant, seat) pairs are what choix rates.
    rng = np.random.default_rng(5)
    tables = np.array([[a, b] for a in range(3) for b in range(3) if a != b])
    wins = rng.multinomial(200, chances(tables, THETA[:3], SIGMA[:2]))
    found = fit_ratings(NAMES[:3], tables, wins)
    n = wins.sum(axis=1)
    # Its likelihood equations: every entrant and every seat won as often as expected.
    expected = n[:, None] * chances(tables, found.theta, found.sigma)
    for entrant in range(3):
        at = tables == entrant
        assert expected[at].sum() == pytest.approx(wins[at].sum(), abs=1e-4)
    assert expected.sum(axis=0) == pytest.approx(wins.sum(axis=0), abs=1e-4)
    assert found.theta.sum() == pytest.approx(0, abs=1e-9)
    assert found.sigma.sum() == pytest.approx(0, abs=1e-9)


def test_two_entrants_and_two_seats_by_hand() -> None:
    # In its seat 1, "a" won 80 of 100 games; in seat 2, 50 of 100. logit 0.8 = 1.386 = (ta - tb) + (s1 - s2),
    # logit 0.5 = 0 = (ta - tb) - (s1 - s2): both differences are 0.693. Each logit has variance 1/(n p q).
    found = fit_ratings(["a", "b"], [[0, 1], [1, 0]], [[80, 20], [50, 50]])
    half = np.log(4) / 2
    assert found.theta == pytest.approx([half / 2, -half / 2], abs=1e-7)
    assert found.sigma == pytest.approx([half / 2, -half / 2], abs=1e-7)
    variance = (1 / 16 + 1 / 25) / 4  # of the difference, the mean of two logits
    assert found.theta_error == pytest.approx([np.sqrt(variance) / 2] * 2, rel=1e-6)
    gap = found.difference("a", "b")
    assert gap.estimate == pytest.approx(half, abs=1e-7)
    assert gap.half_width == pytest.approx(1.959964 * np.sqrt(variance), rel=1e-6)
    assert found.games == 200


def test_errors_grow_with_the_root_of_a_dispersion_by_hand() -> None:
    # The same two entrants, in games that vary four times as much: every error is twice as large.
    found = fit_ratings(["a", "b"], [[0, 1], [1, 0]], [[80, 20], [50, 50]])
    wide = found.scaled(4.0)
    variance = (1 / 16 + 1 / 25) / 4
    assert wide.theta.tolist() == found.theta.tolist()
    assert wide.theta_error == pytest.approx([np.sqrt(variance)] * 2, rel=1e-6)
    assert wide.sigma_error == pytest.approx([np.sqrt(variance)] * 2, rel=1e-6)
    assert wide.difference("a", "b").half_width == pytest.approx(2 * 1.959964 * np.sqrt(variance), rel=1e-6)
    # The difference, 0.69, is 4.4 of its errors, then 2.2, then 1.5.
    assert [found.scaled(times).better().any() for times in (1, 4, 9)] == [True, True, False]
    for times in (0.9, np.nan, np.inf):
        with pytest.raises(SprawlsimError, match="a dispersion must be a number from 1 on"):
            found.scaled(times)


def test_rows_may_be_split_and_repeated() -> None:
    tables, wins = all_tables(), play(6, 7)
    whole = fit_ratings(NAMES, tables, wins)
    first = np.minimum(wins, 1)
    parts = fit_ratings(NAMES, np.vstack([tables, tables]), np.vstack([first, wins - first]))
    assert parts.theta == pytest.approx(whole.theta, abs=1e-8)
    assert parts.games == whole.games


def test_win_probabilities_are_those_of_the_law_they_were_drawn_from() -> None:
    found = fit_ratings(NAMES, all_tables(), play(3000, 11))
    for seated in (["bel", "ash"], ["eli", "ash", "bel", "cam"], ["ash", "ash"]):
        row = np.array([[NAMES.index(name) for name in seated]])
        expected = chances(row, THETA, SIGMA[: len(seated)])[0]
        assert found.win_probabilities(seated) == pytest.approx(expected, abs=0.006)


@pytest.fixture(scope="module")
def fits() -> list[Ratings]:
    """Fits of 250 leagues with the same true strengths."""
    return [fit_ratings(NAMES, all_tables(), play(5, seed)) for seed in range(100, 350)]


def within_reason(covered: np.ndarray) -> None:
    """Coverage of 95% intervals, numbers of one fit depending on each other: by the least certain."""
    runs = len(covered)
    low, high = stats.binom.ppf([0.001, 0.999], runs, 0.95)
    assert ((low <= covered.sum(axis=0)) & (covered.sum(axis=0) <= high)).all()


def test_intervals_of_ratings_cover_the_strengths_they_were_drawn_from(fits: list[Ratings]) -> None:
    theta, sigma = THETA - THETA.mean(), SIGMA - SIGMA.mean()
    off_theta = np.array([(fit.theta - theta) / fit.theta_error for fit in fits])
    off_sigma = np.array([(fit.sigma - sigma) / fit.sigma_error for fit in fits])
    within_reason(np.abs(off_theta) < 1.959964)
    within_reason(np.abs(off_sigma) < 1.959964)
    both = np.abs(np.hstack([off_theta, off_sigma])) < 1.959964
    assert 0.94 <= both.mean() <= 0.965


def test_intervals_of_differences_cover_the_true_ones(fits: list[Ratings]) -> None:
    held = []
    for fit in fits:
        for i, j in ((0, 1), (0, 4), (2, 3)):
            found = fit.difference(NAMES[i], NAMES[j])
            held.append(found.low <= THETA[i] - THETA[j] <= found.high)
    assert 0.94 <= np.mean(held) <= 0.965


def test_equal_entrants_are_told_apart_in_at_most_five_percent_of_leagues() -> None:
    leagues = 250
    wrong = sum(
        bool(fit_ratings(NAMES, all_tables(), play(3, seed, theta=np.zeros(5))).better().any())
        for seed in range(500, 500 + leagues)
    )
    assert wrong <= stats.binom.ppf(0.999, leagues, 0.05)


def test_ratings_rank_with_ties() -> None:
    found = fit_ratings(NAMES, all_tables(), play(8, 13))
    pairs = []
    for i, j in combinations(range(5), 2):
        gap = found.difference(NAMES[i], NAMES[j])
        pairs.append((2 * stats.norm.sf(abs(gap.estimate) / gap.half_width * 1.959964), gap.estimate, i, j))
    pairs.sort()
    better = np.zeros((5, 5), dtype=bool)
    for left, (p_value, estimate, i, j) in zip(range(len(pairs), 0, -1), pairs, strict=True):
        if p_value * left > 0.05:
            break
        better[(i, j) if estimate > 0 else (j, i)] = True
    assert (found.better() == better).all()
    assert 0 < better.sum() < 10
    order = (found.theta[:, None] < found.theta).sum(axis=1) + 1
    ranges = rank_ranges(found.better())
    assert ((ranges[:, 0] <= order) & (order <= ranges[:, 1])).all()


def test_one_who_never_won_is_told_and_a_ridge_bounds_it() -> None:
    tables, wins = all_tables(), play(5, 17)
    wins[tables == 3] = 0
    wins[wins.sum(axis=1) == 0, 0] = 1
    wins[tables == 3] = 0
    with pytest.raises(SprawlsimError, match="no bound to how good or bad 'dov' is"):
        fit_ratings(NAMES, tables, wins)
    found = fit_ratings(NAMES, tables, wins, ridge=1.0)
    assert found.theta.argmin() == 3
    assert np.isfinite(found.theta_error).all()


def test_a_league_split_by_a_divide_is_told() -> None:
    # a and b beat each other, c and d beat each other, and a, b always beat c, d.
    tables = [[0, 1], [1, 0], [2, 3], [3, 2], [0, 2], [2, 1], [3, 0], [1, 3]]
    wins = [[3, 2], [2, 4], [3, 3], [1, 2], [5, 0], [0, 5], [0, 5], [5, 0]]
    with pytest.raises(SprawlsimError, match="no bound to how good or bad"):
        fit_ratings(["a", "b", "c", "d"], tables, wins)


def test_leagues_that_never_met_are_told() -> None:
    tables = [[0, 1], [1, 0], [2, 3], [3, 2]]
    with pytest.raises(SprawlsimError, match="leave open how"):
        fit_ratings(["a", "b", "c", "d"], tables, [[3, 2]] * 4)


def test_entrants_that_never_change_seats_are_told_unless_seats_do_not_count() -> None:
    with pytest.raises(SprawlsimError, match=r"leave open how.*on different seats"):
        fit_ratings(["a", "b"], [[0, 1]], [[30, 20]])
    assert fit_ratings(["a", "b"], [[0, 1]], [[30, 20]], seat_effect=False).difference(
        "a", "b"
    ).estimate == pytest.approx(np.log(1.5))


def test_a_seat_nobody_took_is_told() -> None:
    with pytest.raises(SprawlsimError, match="leave open how seat 3 compares"):
        fit_ratings(["a", "b"], [[0, 1, -1], [1, 0, -1]], [[30, 20, 0], [10, 30, 0]])


def test_a_mirror_match_tells_of_the_seats() -> None:
    tables, wins = [[0, 1], [1, 0], [0, 0]], [[30, 20], [20, 30], [0, 0]]
    before = fit_ratings(["a", "b"], tables, wins)
    after = fit_ratings(["a", "b"], tables, [*wins[:2], [900, 100]])
    assert before.sigma[0] - before.sigma[1] == pytest.approx(0, abs=1e-6)
    assert after.sigma[0] - after.sigma[1] > 1.5
    assert after.sigma_error[0] < before.sigma_error[0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_ratings(["a"], [[0, 0]], [[1, 1]]), "two or more entrants"),
        (lambda: fit_ratings(["a", "a"], [[0, 1]], [[1, 1]]), "different names"),
        (lambda: fit_ratings(["a", "b"], [[0, 1]], [[1, 1, 1]]), "one row a table"),
        (lambda: fit_ratings(["a", "b"], [[0, 2]], [[1, 1]]), "-1 .* to 1, the last entrant"),
        (lambda: fit_ratings(["a", "b"], [[0, 1]], [[1, -1]]), "must not be negative"),
        (lambda: fit_ratings(["a", "b"], [[0, -1]], [[1, 1]]), "an empty seat wins nothing"),
        (lambda: fit_ratings(["a", "b"], [[0, 1]], [[0.5, 1]]), "whole numbers"),
        (lambda: fit_ratings(["a", "b", "c"], [[0, 1]], [[1, 1]]), "'c' played no game"),
        (lambda: fit_ratings(["a", "b"], [[0, 1]], [[0, 0]]), "'a' played no game"),
        (lambda: fit_ratings(["a", "b"], [[0, 1]], [[1, 1]], ridge=-1), "ridge must be 0 or"),
    ],
)
def test_what_cannot_be_rated_is_told(call: Callable[[], object], message: str) -> None:
    with pytest.raises(SprawlsimError, match=message):
        call()


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    found = fit_ratings(["alpha", "beta"], [[0, 1], [1, 0]], [[3, 2], [2, 3]])
    with pytest.raises(SprawlsimError, match="no entrant is called 'alpa'; did you mean 'alpha'"):
        found.difference("alpa", "beta")
    with pytest.raises(SprawlsimError, match="1 to 2 players, not 3"):
        found.win_probabilities(["alpha", "beta", "alpha"])
