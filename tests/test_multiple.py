"""Corrections for many comparisons: worked examples, the definitions, and errors under true nulls."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sprawlsim.errors import SprawlsimError
from sprawlsim.stats.intervals import wilson
from sprawlsim.stats.multiple import benjamini_hochberg, holm, simultaneous

P_VALUES = st.lists(st.floats(0, 1), max_size=12)


def test_holm_by_hand() -> None:
    # Sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1 is 0.02, 0.03, 0.06, 0.04; never falling: 0.06 last.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_benjamini_hochberg_by_hand() -> None:
    # Sorted 0.01, 0.02, 0.03, 0.5 times 4/1, 4/2, 4/3, 4/4 is 0.04, 0.04, 0.04, 0.5.
    assert benjamini_hochberg([0.5, 0.01, 0.03, 0.02]) == pytest.approx([0.5, 0.04, 0.04, 0.04])


@given(p_values=P_VALUES, level=st.floats(0.001, 0.999))
def test_holm_claims_what_stepping_down_claims(p_values: list[float], level: float) -> None:
    claimed = set()
    left = sorted(range(len(p_values)), key=p_values.__getitem__)
    while left and p_values[left[0]] * len(left) <= level:
        claimed.add(left.pop(0))
    # Of equal p-values the procedure claims all or none.
    claimed |= {i for i in left if any(p_values[i] == p_values[j] for j in claimed)}
    assert set(np.flatnonzero(holm(p_values) <= level)) == claimed


@given(p_values=P_VALUES)
def test_adjusting_keeps_order_and_never_helps(p_values: list[float]) -> None:
    given_, step, screen = np.array(p_values), holm(p_values), benjamini_hochberg(p_values)
    assert (given_ <= screen + 1e-15).all()
    assert (screen <= step + 1e-15).all()
    assert (step <= 1).all()
    order = np.argsort(given_)
    assert (np.diff(step[order]) >= 0).all()
    assert (np.diff(screen[order]) >= 0).all()


@pytest.mark.parametrize("correlation", [0.0, 0.6])
@pytest.mark.parametrize("effects", [0, 8])
def test_holm_makes_any_false_claim_in_at_most_five_percent_of_tables(
    correlation: float, effects: int
) -> None:
    tables, m = 20_000, 20
    rng = np.random.default_rng(31)
    noise = np.sqrt(1 - correlation) * rng.normal(size=(tables, m))
    shared = np.sqrt(correlation) * rng.normal(size=(tables, 1))
    z = noise + shared + 4.0 * (np.arange(m) < effects)
    p_values = 2 * stats.norm.sf(np.abs(z))
    false = int(sum((holm(row)[effects:] <= 0.05).any() for row in p_values))
    # More false tables than 99.9% of runs at 5% would have.
    assert false <= stats.binom.ppf(0.999, tables, 0.05)
    if correlation == 0.0 and effects == 0:
        # Sharp here: 1 - (1 - 0.05/20)^20.
        assert false / tables == pytest.approx(1 - (1 - 0.0025) ** 20, abs=0.006)
        plain = (p_values <= 0.05).any(axis=1).mean()
        assert plain > 0.6


def test_benjamini_hochberg_lists_at_most_five_percent_of_false_discoveries() -> None:
    tables, m, effects = 4000, 40, 10
    z = np.random.default_rng(37).normal(size=(tables, m)) + 3.0 * (np.arange(m) < effects)
    shares = []
    for row in 2 * stats.norm.sf(np.abs(z)):
        listed = np.flatnonzero(benjamini_hochberg(row) <= 0.05)
        shares.append(np.mean(listed >= effects) if listed.size else 0.0)
    # Benjamini and Hochberg: exactly 0.05 times the share of true nulls, for independent tests.
    assert np.mean(shares) == pytest.approx(0.05 * 30 / 40, abs=4 * np.std(shares) / np.sqrt(tables))


def test_simultaneous_intervals_all_hold_as_often_as_they_say() -> None:
    assert simultaneous(0.95, 1) == pytest.approx(0.95)
    assert simultaneous(0.95, 10) == pytest.approx(0.995)
    m, n, runs = 10, 2000, 3000
    p = np.linspace(0.2, 0.8, m)
    ends = [wilson(count, n, simultaneous(0.95, m)) for count in range(n + 1)]
    low, high = np.array([e.low for e in ends]), np.array([e.high for e in ends])
    drawn = np.random.default_rng(41).binomial(n, p, size=(runs, m))
    held = ((low[drawn] <= p) & (p <= high[drawn])).all(axis=1).mean()
    assert 0.94 <= held <= 0.965


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_what_is_no_p_value_is_told(adjust: Callable[..., np.ndarray]) -> None:
    assert adjust([]).size == 0
    for wrong in (-0.1, 1.2, np.nan):
        with pytest.raises(SprawlsimError, match="a p-value must be between 0 and 1"):
            adjust([0.5, wrong])
    with pytest.raises(SprawlsimError, match="plain row"):
        adjust([[0.5, 0.1]])
    with pytest.raises(SprawlsimError, match="n must be at least 1"):
        simultaneous(0.95, 0)
