"""What studies of games share: p-values, which findings hold, and how they are written."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from sprawlsim.sprawlops.cards import load_card_set
from sprawlsim.sprawlops.reports.study import (
    SMALLEST_P,
    Study,
    against_even,
    deciding_confidence,
    listed,
    p_value_within,
    settle,
    tell_points,
    tell_share,
)
from sprawlsim.stats.intervals import Estimate, wilson


def test_a_p_value_by_wilsons_interval_is_that_of_the_score_test():
    # 60 of 100 against 1/2: z = (0.6 - 0.5) / sqrt(0.25 / 100) = 2.
    p = p_value_within(lambda confidence: wilson(60, 100, confidence), 0.5)
    assert p == pytest.approx(2 * norm.sf(2.0), rel=1e-6)
    assert p_value_within(lambda confidence: wilson(50, 100, confidence), 0.5) == 1.0
    assert p_value_within(lambda confidence: wilson(0, 10_000, confidence), 0.5) == SMALLEST_P


def test_a_share_is_tested_by_the_exact_binomial():
    # Two-sided P for 60 of 100 at 1/2, twice the tail: 0.0568879 (tables of the binomial).
    row = against_even(60, 100, 0.5)
    assert row["p"] == pytest.approx(0.0568879, abs=1e-7)
    assert row["win_rate"] == 0.6
    # All 3 of 3 at 1/4: (1/4)^3, and no other outcome is as unlikely.
    assert against_even(3, 3, 0.25)["p"] == pytest.approx(1 / 64)


def test_of_no_games_nothing_is_known():
    assert against_even(0, 0, 0.25) == {"win_rate": 0.25, "win_rate_low": 0.0, "win_rate_high": 1.0, "p": 1.0}


def test_findings_of_several_frames_are_settled_together():
    first, second = pd.DataFrame({"p": [0.01, 0.04]}), pd.DataFrame({"p": [0.02, 0.015]})
    settle(first, second)
    # Holm by hand, sorted 0.01 0.015 0.02 0.04: times 4, 3, 2, 1, never falling.
    assert list(first["p_holm"]) == pytest.approx([0.04, 0.045])
    assert list(second["p_holm"]) == pytest.approx([0.045, 0.045])
    assert first["resolved"].all()
    assert second["resolved"].all()
    alone = pd.DataFrame({"p": [0.01, 0.04, 0.03]})
    settle(alone)
    assert list(alone["resolved"]) == [True, False, False]  # 0.03 times 2 is above 0.05


def test_deciding_intervals_leave_out_nothing_exactly_where_holm_resolves_something():
    random = np.random.default_rng(4)
    for _ in range(300):
        z = random.normal(random.choice([0.0, 2.5], 12), 1.0)
        frame = pd.DataFrame({"p": 2 * norm.sf(np.abs(z))})
        settle(frame)
        half = norm.isf((1 - deciding_confidence(frame["resolved"].tolist())) / 2)
        assert list(np.abs(z) > half) == frame["resolved"].tolist()


def test_numbers_are_told_with_their_intervals():
    assert tell_share(Estimate(0.389, 0.384, 0.394)) == "38.9% (38.4 to 39.4)"
    assert tell_share(Estimate(0.26, 0.24, 0.28), False) == "26% (24 to 28; not resolved)"
    assert tell_points(Estimate(-0.041, -0.049, -0.033)) == "-4.1 points (-4.9 to -3.3)"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(["a"]) == "a"


def test_progress_counts_all_games_of_a_study():
    told = []
    study = Study(load_card_set(), progress=lambda done, total: told.append((done, total)))
    played = study.steps(30)
    played(10)
    played(20)
    assert told == [(10, 30), (30, 30)]
