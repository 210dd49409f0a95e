"""What gains are worth in nuyen, and costs beside those of their like, held against known truths."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sprawlsim.sprawlops.reports.cards import SUMS
from sprawlsim.sprawlops.reports.prices import compare_prices
from sprawlsim.sprawlops.reports.worth import fit_curve, worth_of
from sprawlsim.stats.intervals import Estimate, wilson

exact = Estimate.exact


def test_worth_is_read_off_what_sums_do():
    line = fit_curve([2, 4, 8], [exact(0.02), exact(0.04), exact(0.08)])
    for gain in (0.01, 0.03, 0.055):
        worth = worth_of(exact(gain), line)
        assert worth.estimate == pytest.approx(100 * gain)
        assert worth.low == pytest.approx(worth.high)
    assert worth_of(exact(0.09), line) == exact(8.0)  # more than any sum given: no more is known
    assert worth_of(exact(-0.01), line).estimate == pytest.approx(-1.0)
    assert worth_of(exact(0.0), line).estimate == 0.0


def test_more_nuyen_never_hurt_and_never_help_by_luck_alone():
    """By hand: 4K seem to do less than 2K, so both have their mean; so little is gained by less than 2K."""
    curve = fit_curve([2, 4, 8], [exact(0.03), exact(0.01), exact(0.06)])
    assert np.interp([0, 2, 4, 8], curve.sums, curve.gains) == pytest.approx([0, 0.02, 0.02, 0.06])
    assert (np.diff(curve.gains) >= 0).all()
    assert 1.9 < worth_of(exact(0.02 - 1e-9), curve).estimate <= 2.0
    nothing = fit_curve([2, 4], [exact(-0.02), exact(-0.01)])
    assert (nothing.gains == 0).all()
    assert worth_of(exact(0.01), nothing).estimate == 4.0


TRUE_CURVES = {
    "straight": lambda nuyen: 0.0113 * nuyen,
    "ever flatter": lambda nuyen: 0.75 * (1 - np.exp(-nuyen / 55)),
    "first steep, then flat": lambda nuyen: np.where(nuyen < 8, 0.0118 * nuyen, 0.0944 + 0.009 * (nuyen - 8)),
    "first flat, then steep": lambda nuyen: 0.5 / (1 + np.exp((22 - nuyen) / 9)) - 0.5 / (1 + np.exp(22 / 9)),
}


TRUTHS = np.array([1.0, 3.0, 5.0, 10.0, 15.0, 22.0, 31.0, 45.0])


def seen_worths(curve, games, times):
    """See cards of known worth through so many games each, and sums through three times as many."""
    random = np.random.default_rng(11)

    def seen(gain, count):
        share = wilson(random.binomial(count, 0.25 + gain), count)
        return Estimate(share.estimate - 0.25, share.low - 0.25, share.high - 0.25)

    for _ in range(times):
        found = fit_curve(SUMS, [seen(float(curve(nuyen)), 3 * games) for nuyen in SUMS])
        yield [worth_of(seen(float(curve(truth)), games), found) for truth in TRUTHS]


def test_intervals_of_worth_hold_the_truth_and_no_curve_is_bent():
    """Over curves of all shapes and few games and many, 19 of 20 intervals hold: 2,560 of them."""
    times, shares = 40, []
    for curve in TRUE_CURVES.values():
        for games in (1_500, 12_000):
            worths = list(seen_worths(curve, games, times))
            held = [[w.low <= true <= w.high for w, true in zip(row, TRUTHS, strict=True)] for row in worths]
            shares.append(np.mean(held))
            if games == 12_000:
                off = np.array([[worth.estimate for worth in row] for row in worths]) - TRUTHS
                assert (np.abs(off.mean(axis=0)) < 4 * off.std(axis=0) / np.sqrt(times) + 0.1).all()
    assert np.mean(shares) >= 0.94
    assert min(shares) >= 0.92


def deck(gains, costs, name="gear", error=0.0):
    frame = pd.DataFrame({"deck": name, "cost": np.asarray(costs, float), "gain": np.asarray(gains, float)})
    return frame.assign(gain_low=frame["gain"] - 1.96 * error, gain_high=frame["gain"] + 1.96 * error)


def test_a_line_and_its_error_are_those_of_least_squares():
    """By the normal equations; 1.96 errors of a gain count as far as the line is steep."""
    gains = np.array([0.02, 0.05, 0.1, 0.12, 0.2, 0.3, 0.33])
    costs = np.array([4.0, 5.0, 9.0, 6.0, 9.0, 12.0, 14.0])
    design = np.column_stack([np.ones(7), gains])
    found = np.linalg.solve(design.T @ design, design.T @ costs)
    scatter = np.sum((costs - design @ found) ** 2) / 5
    of_line = np.sqrt(scatter * np.diag(design @ np.linalg.inv(design.T @ design) @ design.T))
    for error in (0.0, 0.01):
        told = compare_prices(deck(gains, costs, error=error))
        half = np.hypot(2.570582 * of_line, 1.96 * error * found[1])  # Student's 97.5% point at 5 degrees
        assert told["line"].to_numpy() == pytest.approx(design @ found)
        assert told["residual"].to_numpy() == pytest.approx(costs - design @ found)
        assert (told["residual_high"] - told["residual"]).to_numpy() == pytest.approx(half, rel=1e-4)
        assert (told["residual"] - told["residual_low"]).to_numpy() == pytest.approx(half, rel=1e-4)


def test_decks_without_a_common_price_have_no_line():
    gains = np.linspace(0.02, 0.3, 8)
    rising, falling = np.arange(4.0, 12.0), np.arange(12.0, 4.0, -1)
    few, unpriced = deck(gains[:5], rising[:5], "runners"), deck(gains, np.full(8, np.nan), "loot")
    frame = pd.concat(
        [deck(gains, rising), deck(gains, falling, "upgrades"), few, unpriced], ignore_index=True
    )
    told = compare_prices(frame)
    assert told.notna().all(axis=1).tolist() == (frame["deck"] == "gear").tolist()
    assert told["residual"][:8].abs().max() == pytest.approx(0.0, abs=1e-12)
    assert compare_prices(deck(gains, np.full(8, 5.0)))["line"].isna().all()


def test_a_card_for_nothing_is_the_cheapest_of_its_deck():
    """However good it is, and although it turns the line; and one that is much too dear the dearest."""
    random = np.random.default_rng(6)
    for free in range(20):
        gains = np.linspace(0.02, 0.34, 20)
        costs = np.round(4 + 30 * gains + random.normal(0, 1.5, 20))
        dear = (free + 10) % 20
        costs[free], costs[dear] = 0.0, costs[dear] + 9
        told = compare_prices(deck(gains, costs, error=0.004))
        if gains[free] > 0.1:
            assert (told["residual"].idxmin(), told["residual"].idxmax()) == (free, dear)
            assert told["residual_high"][free] < 0 < told["residual_low"][dear]


def test_intervals_of_costs_less_their_like_hold_the_truth():
    """Decks of 20 cards about a known line, their gains known only so well."""
    random = np.random.default_rng(5)
    held = total = 0
    for _ in range(200):
        true = random.uniform(0.02, 0.35, 20)
        costs = 4 + 30 * true + random.normal(0, 2, 20)
        told = compare_prices(deck(true + random.normal(0, 0.005, 20), costs, error=0.005))
        right = costs - (4 + 30 * true)
        held += ((told["residual_low"] <= right) & (right <= told["residual_high"])).sum()
        total += 20
    assert 0.93 <= held / total <= 0.97
