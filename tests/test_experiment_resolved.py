"""Experiments that stop by sign: when, by hand; how often wrongly; and the same bytes whatever stops them."""

import json
import time
from math import sqrt
from pathlib import Path
from random import Random

import numpy as np
import pytest
from coins import MEASURES, Coins, contents
from test_experiment_kill import LONGEST, chunks_in, finish, start, wait_for

from sprawlsim.experiments.cells import chunks_wanted, make_cells
from sprawlsim.experiments.estimates import Pairs, check_figures
from sprawlsim.experiments.looking import Looker
from sprawlsim.experiments.measure import Figure
from sprawlsim.experiments.run import Means, run_experiment
from sprawlsim.experiments.show import load_results
from sprawlsim.experiments.spec import ExperimentError, spec_from_dict

LOOKS = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 41, 51, 63, 78, 97, 100]
"""Chunks at each look: one more each time, later a quarter more."""
CHUNK, MOST = 40, 4000
SEED = 6


def spec_of(**more):
    """Make an experiment with three coins, two of which are compared with the fair one."""
    data = {
        "title": "Coins",
        "question": "?",
        "measure": "coins",
        "figures": ["heads"],
        "seed": SEED,
        "grid": {"bias": [0.52, 0.5, 0.65]},
        "compare": {"vary": "bias", "baseline": 0.5},
        "stop": {"until": "resolved", "most": MOST, "chunk": CHUNK},
    }
    return spec_from_dict({**data, **more}, "coins.toml", "coins")


def tosses_until_resolved(bias, rate):
    """Toss by hand until the sign is known: the binomial chance of the share seen, against Robbins' bound."""
    words = [Random(f"{SEED}/{i}").random() for i in range(MOST)]
    for look in LOOKS:
        differing = sum(0.5 <= word < bias for word in words[: look * CHUNK])
        # All that differ show heads on the biased coin only. Half the error is for how many differ.
        if 0.5**differing < rate / 2 / (differing + 1):
            return look * CHUNK
    return MOST


@pytest.mark.parametrize(("figures", "claims"), [(["heads"], 2), (["*"], 4)])
def test_each_comparison_stops_at_the_first_look_that_resolves_it(tmp_path, figures, claims):
    """The error rate is shared among the differences that will be shown."""
    run_experiment(spec_of(figures=figures), MEASURES, tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    slow, fast = (tosses_until_resolved(bias, 0.05 / claims) for bias in (0.52, 0.65))
    assert [cell["count"] for cell in manifest["cells"]] == [slow, slow, fast]
    assert CHUNK < fast < slow < MOST
    assert chunks_in(tmp_path / "out") == (2 * slow + fast) // CHUNK
    results = load_results(tmp_path / "out", MEASURES)
    assert (results.complete, results.done, results.of) == (True, 2 * slow + fast, 2 * slow + fast)
    rows = results.figures[results.figures["less"].notna()].set_index(["bias", "figure"])
    for bias, tosses in (("0.52", slow), ("0.65", fast)):
        row = rows.loc[bias, "heads"]
        assert row["trials"] == tosses
        assert row["low"] > 0
        assert row["p_holm"] <= 0.05


def test_what_is_never_resolved_is_played_to_the_end_of_its_means(tmp_path):
    """The same coin twice: no toss differs."""
    spec = spec_of(grid={"bias": {"one": 0.5, "the same": 0.5}}, compare={"vary": "bias", "baseline": "one"})
    run_experiment(spec, MEASURES, tmp_path / "out")
    assert chunks_in(tmp_path / "out") == 2 * MOST // CHUNK
    frame = load_results(tmp_path / "out", MEASURES).figures
    assert frame["p_holm"].dropna().tolist() == [1.0]


class Luck:
    """Numbers that a test makes beforehand, a row for each: `values` by side."""

    name = "coins"
    trials = "tosses"
    settings = ("side",)
    multiple_of = 1

    def __init__(self, values, trials, kind):
        self.values, self.per_row, self.kind = values, trials, kind

    def sources(self):
        """Give a fixed word."""
        return "luck"

    def prepare(self, settings, folder):
        """Take the side."""
        return settings["side"]

    def about(self, prepared):
        """Tell the side."""
        return {"side": prepared}

    def figure_names(self, about):
        """Name the figure."""
        return ["luck"]

    def figures(self, about, columns):
        """Read the numbers."""
        values = columns["luck"]
        trials = np.full(len(values), self.per_row)
        return [Figure("luck", self.kind, values, values * values, trials)]


def tosses_played(measure, most, chunk):
    """Play two sides in memory until one is resolved; say how many trials, and the sign that was claimed."""
    spec = spec_of(
        figures=[],
        grid={"side": ["one", "other"]},
        compare={"vary": "side", "baseline": "one"},
        stop={"until": "resolved", "most": most, "chunk": chunk},
    )
    cells = make_cells(spec, measure, Path())
    rows = chunk // measure.per_row

    def read(asked):
        values = measure.values[cells[asked.cell].prepared]
        return {"luck": values[asked.number * rows : (asked.number + 1) * rows]}

    looker = Looker(spec, measure, cells, read)
    there, finished = [0, 0], False
    while not finished:
        wanted, finished = chunks_wanted(spec, 2, there.__getitem__, looker.is_enough, looker.baselines)
        there = [sum(chunk.cell == cell for chunk in wanted) for cell in (0, 1)]
    assert there[0] == there[1]
    pairs = Pairs()
    for number in range(there[0]):
        figures = [measure.figures({}, read(chunk))[0] for chunk in wanted if chunk.number == number]
        pairs.add(figures[1], figures[0])
    claimed = pairs.p_value(True, most) <= 0.05
    return there[0] * chunk, claimed * np.sign(pairs.total)


def naive_claim(first, second, rows):
    """Say whether somebody who looks as often, with plain 95% intervals, would claim a difference."""
    for look in [*LOOKS[:14], FEW]:
        difference = second[: look * rows] - first[: look * rows]
        if abs(difference.mean()) > 1.96 * difference.std(ddof=1) / sqrt(len(difference)):
            return True
    return False


FEW = 30
"""Chunks of an experiment of which many are played: 15 looks."""
KINDS = {
    "tosses": (1, 40, "proportion"),
    "blocks": (500, 5000, "proportion"),
    "skewed": (1, 100, "mean"),
}


def draw(rng, kind, rows, bias=0.5):
    """Draw rows: tosses of a coin, heads in blocks of 500, or points that are rarely many."""
    if kind == "blocks":
        return rng.binomial(500, bias, rows)
    return rng.binomial(1, bias, rows) if kind == "tosses" else rng.geometric(0.6 - 0.4 * bias, rows) ** 2


@pytest.mark.parametrize("kind", KINDS)
def test_where_nothing_differs_at_most_one_in_twenty_is_claimed(kind):
    """200 experiments of two alike, looked at 15 times each; plain intervals would claim many of them."""
    per_row, chunk, of = KINDS[kind]
    rng = np.random.default_rng(12)
    claims = naive = 0
    for _ in range(200):
        one, other = (draw(rng, kind, FEW * chunk // per_row) for _ in range(2))
        played, claimed = tosses_played(Luck({"one": one, "other": other}, per_row, of), FEW * chunk, chunk)
        assert played == FEW * chunk or claimed
        claims += claimed != 0
        naive += naive_claim(one, other, chunk // per_row)
    assert claims <= 17  # at a rate of 5%, more would be seen in 1 of 100 such tests
    assert naive > 40


@pytest.mark.parametrize("kind", KINDS)
def test_a_real_difference_is_resolved_early_with_its_sign(kind):
    """Ten experiments in which the second is better: none is played beyond a third of its means."""
    per_row, chunk, of = KINDS[kind]
    rng = np.random.default_rng(13)
    for _ in range(10):
        one, other = (draw(rng, kind, FEW * chunk // per_row, bias) for bias in (0.5, 0.75))
        played, claimed = tosses_played(Luck({"one": one, "other": other}, per_row, of), FEW * chunk, chunk)
        assert claimed == 1
        assert played <= FEW // 3 * chunk


def test_two_processes_and_a_resume_give_the_same_bytes(tmp_path):
    run_experiment(spec_of(), MEASURES, tmp_path / "one")
    run_experiment(spec_of(), MEASURES, tmp_path / "two", means=Means(workers=2))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    for path in sorted((tmp_path / "two").glob("cells/*/*.parquet"))[3::4]:
        path.unlink()
    run_experiment(spec_of(), MEASURES, tmp_path / "two", resume=True)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_run_killed_between_looks_gives_the_same_bytes(tmp_path):
    """Kill it twice, with two processes at work, and go on each time."""
    spec = tmp_path / "coins.toml"
    spec.write_text(
        """
        title = "Coins"
        question = "Which shows more heads?"
        measure = "coins"
        figures = ["heads"]
        common = { pause = 0.02 }
        grid = { bias = [0.5, 0.55, 0.7] }
        stop = { until = "resolved", most = 1000, chunk = 10 }
        compare = { vary = "bias", baseline = 0.5 }
        """
    )
    finish(spec, tmp_path / "whole")
    out = tmp_path / "killed"
    midway = 0
    for _ in range(2):
        before = chunks_in(out)
        process = start(spec, out, "--resume", "--workers", 2)
        wait_for(lambda before=before, process=process: chunks_in(out) > before + 4, process)
        time.sleep(0.05)
        process.kill()
        process.communicate(timeout=LONGEST)
        midway += before < chunks_in(out) < chunks_in(tmp_path / "whole")
    finish(spec, out, "--resume")
    assert midway >= 1
    assert contents(out) == contents(tmp_path / "whole")


def test_what_decides_where_a_comparison_stops_may_not_change(tmp_path):
    """Another baseline, or more figures to claim something about: other rows would have been played."""
    run_experiment(spec_of(), MEASURES, tmp_path / "out")
    run_experiment(spec_of(title="Coins!"), MEASURES, tmp_path / "out", resume=True)
    before = contents(tmp_path / "out")
    with pytest.raises(ExperimentError, match=r'figures was \["heads"\] and is \[\]'):
        run_experiment(spec_of(figures=[]), MEASURES, tmp_path / "out", resume=True)
    changed = spec_of(compare={"vary": "bias", "baseline": 0.52})
    with pytest.raises(ExperimentError, match=r"compare.baseline was 0.5 and is 0.52"):
        run_experiment(changed, MEASURES, tmp_path / "out", resume=True)
    assert contents(tmp_path / "out") == before


def test_a_figure_that_is_not_shown_cannot_be_resolved():
    spec = spec_of(stop={"until": "resolved", "most": 80, "chunk": 40, "figure": "points"})
    with pytest.raises(ExperimentError, match=r"stop\.figure = 'points', which is to be .* not among"):
        check_figures(spec, MEASURES["coins"], make_cells(spec, MEASURES["coins"], Path()))


class Uneven(Coins):
    """Coins of which the biased ones are not tossed every time."""

    def figures(self, about, columns):
        """Leave out every other toss of a biased coin."""
        heads, _ = super().figures(about, columns)
        if about["bias"] != 0.5:
            trials = np.arange(len(heads.trials)) % 2
            heads = Figure("heads", "proportion", heads.totals * trials, heads.totals * trials, trials)
        return [heads]


def test_cells_that_are_no_pairs_are_a_clear_error(tmp_path):
    with pytest.raises(ExperimentError, match=r"bias 0.52: heads has not the same trials.*--resume"):
        run_experiment(spec_of(), {"coins": Uneven()}, tmp_path / "out")


def test_progress_tells_a_guess_that_is_never_less_than_what_is_played(tmp_path):
    told = []
    run_experiment(spec_of(), MEASURES, tmp_path / "out", progress=lambda done, of: told.append((done, of)))
    assert all(done <= of <= 3 * MOST for done, of in told)
    assert told[-1][0] == CHUNK * chunks_in(tmp_path / "out")
    assert told[0][1] == 3 * CHUNK
