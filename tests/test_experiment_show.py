"""What an experiment found: estimates and paired differences, against sums and tests made by hand here."""

import json
from math import comb, sqrt
from pathlib import Path
from random import Random

import numpy as np
import pytest
from coins import MEASURES, Coins

from sprawlsim.experiments.estimates import Pairs
from sprawlsim.experiments.measure import Figure
from sprawlsim.experiments.run import run_experiment
from sprawlsim.experiments.shelf import find_results
from sprawlsim.experiments.show import load_results
from sprawlsim.experiments.spec import ExperimentError, spec_from_dict

SEED, TOSSES = 11, 600
BIASES = (0.45, 0.5, 0.62)


def spec_of(**more):
    """Make an experiment with three coins, compared with the fair one."""
    data = {
        "title": "Coins",
        "question": "?",
        "measure": "coins",
        "seed": SEED,
        "grid": {"bias": list(BIASES)},
        "compare": {"vary": "bias", "baseline": 0.5},
        "stop": {"count": TOSSES, "chunk": 100},
    }
    return spec_from_dict({**data, **more}, "coins.toml", "coins")


def tosses(bias, n=TOSSES):
    """Toss by hand: heads and points."""
    words = [Random(f"{SEED}/{i}") for i in range(n)]
    heads = np.array([int(word.random() < bias) for word in words])
    return heads, np.array([word.randint(0, 6) for word in words])


def row_of(results, figure, bias, less=None):
    """Find a row of results."""
    frame = results.figures
    is_difference = frame["less"].isna() if less is None else frame["less"] == less
    (row,) = frame[(frame["figure"] == figure) & (frame["bias"] == str(bias)) & is_difference].itertuples()
    return row


def wilson_by_hand(count, n):
    """Solve |p - count/n| = z sqrt(p (1 - p) / n)."""
    z = 1.959963984540054
    ends = np.roots([1 + z * z / n, -2 * count / n - z * z / n, (count / n) ** 2])
    return sorted(ends.real)


def mcnemar_by_hand(first, second):
    """Sum the binomial tails at 1/2."""
    n = first + second
    tail = sum(comb(n, k) for k in range(min(first, second) + 1)) / 2**n
    return min(1.0, 2 * tail)


def holm_by_hand(p_values):
    """Adjust step by step."""
    adjusted = [0.0] * len(p_values)
    reached = 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        reached = max(reached, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = reached
    return adjusted


@pytest.fixture
def results(tmp_path):
    """Give the results of a finished experiment."""
    run_experiment(spec_of(), MEASURES, tmp_path / "out")
    return load_results(tmp_path / "out", MEASURES)


def test_estimates_are_those_of_the_tosses(results):
    assert (results.complete, results.done, results.of) == (True, 1800, 1800)
    for bias in BIASES:
        heads, points = tosses(bias)
        row = row_of(results, "heads", bias)
        assert (row.trials, row.unit) == (TOSSES, "share")
        assert row.estimate == pytest.approx(heads.mean(), abs=1e-12)
        assert [row.low, row.high] == pytest.approx(wilson_by_hand(heads.sum(), TOSSES), abs=1e-9)
        row = row_of(results, "points", bias)
        error = points.std(ddof=1) / sqrt(TOSSES)
        assert (row.trials, row.unit) == (TOSSES, "K")
        assert row.estimate == pytest.approx(points.mean(), abs=1e-12)
        assert row.high - row.low == pytest.approx(2 * 1.9639 * error, rel=1e-4)  # Student's, 599 degrees


def test_differences_are_paired_toss_by_toss_and_corrected_by_holm(results):
    fair, _ = tosses(0.5)
    p_values = []
    for bias in (0.45, 0.62):
        heads, _ = tosses(bias)
        more, fewer = int(((heads == 1) & (fair == 0)).sum()), int(((heads == 0) & (fair == 1)).sum())
        row = row_of(results, "heads", bias, "0.5")
        assert row.trials == TOSSES
        assert row.estimate == pytest.approx((more - fewer) / TOSSES, abs=1e-12)
        # Bonett and Price: one pair more in each cell that differs.
        one, other = (more + 1) / (TOSSES + 2), (fewer + 1) / (TOSSES + 2)
        half = 1.959963984540054 * sqrt((one + other - (one - other) ** 2) / (TOSSES + 2))
        assert [row.low, row.high] == pytest.approx([one - other - half, one - other + half], abs=1e-9)
        # The points of a toss do not depend on the bias: the same dice, and no difference at all.
        points = row_of(results, "points", bias, "0.5")
        assert (points.estimate, points.low, points.high, points.p_holm) == (0, 0, 0, 1)
        p_values += [mcnemar_by_hand(more, fewer), 1.0]
    adjusted = holm_by_hand(p_values)
    for bias, p in zip((0.45, 0.62), adjusted[::2], strict=True):
        assert row_of(results, "heads", bias, "0.5").p_holm == pytest.approx(p, rel=1e-9)


def test_comparing_needs_the_same_other_labels(tmp_path):
    """Two keys: each cell is compared with the baseline of its own seed."""
    spec = spec_of(grid={"seed": [1, 2], "bias": [0.5, 0.62]})
    run_experiment(spec, MEASURES, tmp_path / "out")
    frame = load_results(tmp_path / "out", MEASURES).figures
    rows = frame[(frame["figure"] == "heads") & frame["less"].notna()]
    assert list(rows["seed"]) == ["1", "2"]
    for row in rows.itertuples():
        words = [Random(f"{row.seed}/{i}") for i in range(TOSSES)]
        values = [word.random() for word in words]
        expected = np.mean([0.5 <= value < 0.62 for value in values])
        assert row.estimate == pytest.approx(expected, abs=1e-12)


def test_an_unfinished_experiment_is_shown_as_far_as_it_is_with_wider_intervals(tmp_path):
    """Somebody looks while it runs: only intervals that hold at every look may be shown."""
    out = tmp_path / "out"
    run_experiment(spec_of(), MEASURES, out)
    finished = load_results(out, MEASURES)
    for path in sorted(out.glob("cells/0002-*/*"))[3:]:
        path.unlink()
    results = load_results(out, MEASURES)
    assert (results.complete, results.done, results.of) == (False, 1500, 1800)
    heads, _ = tosses(0.62, 300)
    row = row_of(results, "heads", 0.62)
    assert row.trials == 300
    assert row.estimate == pytest.approx(heads.mean(), abs=1e-12)
    # Robbins: the ends p have C(n, k) p^k (1-p)^(n-k) = 0.05 / (n + 1).
    count = int(heads.sum())
    for end in (row.low, row.high):
        mass = comb(300, count) * end**count * (1 - end) ** (300 - count)
        assert mass == pytest.approx(0.05 / 301, rel=1e-6)
    pairs = row_of(results, "heads", 0.62, "0.5")
    assert pairs.trials == 300
    width = pairs.high - pairs.low
    assert width > row_of(finished, "heads", 0.62, "0.5").high - row_of(finished, "heads", 0.62, "0.5").low


def test_an_experiment_that_has_just_begun_shows_nothing(tmp_path):
    out = tmp_path / "out"
    run_experiment(spec_of(), MEASURES, out)
    for path in out.glob("cells/*/*"):
        path.unlink()
    results = load_results(out, MEASURES)
    assert len(results.figures) == 0
    assert not results.complete


def test_under_peeking_a_null_difference_is_rarely_claimed_and_a_large_one_is(tmp_path):
    """200 experiments that look after every chunk: two fair coins differ nowhere, so few may be claimed."""
    rng = np.random.default_rng(4)
    claimed = 0
    for _ in range(200):
        pairs = Pairs()
        for _look in range(20):
            one, other = rng.integers(0, 2, 25), rng.integers(0, 2, 25)
            pairs.add(figure_of(one), figure_of(other))
            interval = pairs.estimate(True, 500)
            if not interval.low <= 0 <= interval.high:
                claimed += 1
                break
    assert claimed <= 17  # at a rate of 5%, more would be seen in 1 of 100 such tests
    pairs = Pairs()
    pairs.add(figure_of(np.ones(200, dtype=int)), figure_of(np.repeat([0, 1], 100)))
    assert pairs.p_value(True, 500) < 1e-6


def test_the_p_value_under_peeking_is_where_the_interval_touches_zero():
    pairs = Pairs()
    pairs.add(figure_of(np.repeat([1, 0], 30)), figure_of(np.repeat([0, 1, 0, 1], [26, 4, 26, 4])))
    p = pairs.p_value(True, 60)
    assert 0 < p < 1
    for factor, excludes in ((1.05, True), (0.95, False)):
        interval = pairs.interval(True, 60, 1 - min(0.999, factor * p))
        assert (not interval.low <= 0 <= interval.high) == excludes


def figure_of(values):
    """Make a figure of single trials."""
    return Figure("heads", "proportion", values, values, np.ones(len(values), dtype=np.int64))


class Piles(Coins):
    """Coins tossed in piles of ten: a row is a pile."""

    multiple_of = 10

    def figures(self, about, columns):
        """Add up piles."""
        heads = columns["heads"].astype(np.int64).reshape(-1, 10).sum(axis=1)
        return [Figure("heads", "proportion", heads, heads, np.full(len(heads), 10))]

    def figure_names(self, about):
        """Name the only figure."""
        return ["heads"]


def test_rows_that_are_blocks_are_paired_block_by_block(tmp_path):
    measures = {"coins": Piles()}
    run_experiment(spec_of(), measures, tmp_path / "out")
    results = load_results(tmp_path / "out", measures)
    biased, fair = (tosses(bias)[0].reshape(-1, 10).mean(axis=1) for bias in (0.62, 0.5))
    difference = biased - fair
    row = row_of(results, "heads", 0.62, "0.5")
    assert row.trials == 60
    assert row.estimate == pytest.approx(difference.mean(), abs=1e-12)
    half = 2.000995 * difference.std(ddof=1) / sqrt(60)  # Student's, 59 degrees
    assert row.low == pytest.approx(difference.mean() - half, abs=1e-6)
    assert row.high == pytest.approx(difference.mean() + half, abs=1e-6)


class Uneven(Coins):
    """Coins of which the biased ones are not tossed every time: their rows pair with nothing."""

    def figures(self, about, columns):
        """Leave out every other toss of a biased coin."""
        figures = super().figures(about, columns)
        if about["bias"] != 0.5:
            trials = np.arange(len(figures[0].trials)) % 2
            heads = figures[0].totals * trials
            figures[0] = Figure("heads", "proportion", heads, heads, trials)
        return figures


def test_cells_whose_rows_do_not_match_are_not_compared_and_it_says_so(tmp_path):
    measures = {"coins": Uneven()}
    run_experiment(spec_of(figures=["heads"]), measures, tmp_path / "out")
    results = load_results(tmp_path / "out", measures)
    assert results.figures["less"].isna().all()
    assert results.notes[-1] == ("Not compared, for what counts is not the same trials in both cells: heads.")
    assert row_of(results, "heads", 0.62).trials == TOSSES // 2


def test_notes_of_the_spec_and_of_the_measure_are_told_once(tmp_path):
    run_experiment(spec_of(note="Mind the edge."), MEASURES, tmp_path / "out")
    assert load_results(tmp_path / "out", MEASURES).notes == ["Mind the edge.", "The coins are not real."]


def test_what_is_no_results_folder_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExperimentError, match="is not the results folder of an experiment"):
        load_results(tmp_path, MEASURES)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(ExperimentError, match="is not a manifest"):
        load_results(tmp_path, MEASURES)
    (tmp_path / "manifest.json").write_text(json.dumps([1]))
    with pytest.raises(ExperimentError, match="is not a manifest"):
        load_results(tmp_path, MEASURES)
    run_experiment(spec_of(), MEASURES, Path("results/experiments/coins"))
    assert find_results("coins") == Path("results/experiments/coins")
    with pytest.raises(ExperimentError, match=r"there are coins; did you mean 'coins'"):
        find_results("coin")
