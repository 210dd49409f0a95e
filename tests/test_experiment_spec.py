"""Specs of experiments are read strictly, and cut into the cells and chunks that they say."""

import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from coins import MEASURES

from sprawlsim.errors import SprawlsimError
from sprawlsim.experiments.cells import chunks_wanted, find_measure, looks_at, make_cells
from sprawlsim.experiments.estimates import check_figures
from sprawlsim.experiments.shelf import all_specs, find_spec
from sprawlsim.experiments.spec import ExperimentError, read_spec, spec_from_dict

ROOT = Path(__file__).parent.parent
GOOD = """
title = "Coins"
question = "Do they show it?"
measure = "coins"
[common]
points = 3
[grid]
bias = [0.4, 0.5]
[grid.seed]
"first dice" = 7
"other dice" = 8
[stop]
count = 100
chunk = 50
[compare]
vary = "bias"
baseline = 0.5
"""


def read(text, name="coins"):
    """Read a spec from text."""
    return spec_from_dict(tomllib.loads(text), f"{name}.toml", name)


def test_the_cells_are_all_combinations_the_last_key_turning_fastest():
    spec = read(GOOD)
    cells = make_cells(spec, find_measure(spec, MEASURES), Path())
    told = [(cell.labels["bias"], cell.labels["seed"], cell.seed, cell.prepared["bias"]) for cell in cells]
    assert told == [
        ("0.4", "first dice", 7, 0.4),
        ("0.4", "other dice", 8, 0.4),
        ("0.5", "first dice", 7, 0.5),
        ("0.5", "other dice", 8, 0.5),
    ]
    assert all(cell.prepared["points"] == 3 for cell in cells)
    assert cells[1].folder == "0001-0-4-other-dice"


def test_a_spec_without_a_grid_is_one_cell():
    spec = read('title = "T"\nquestion = "?"\nmeasure = "coins"\nseed = 5\n[stop]\ncount = 1000')
    (cell,) = make_cells(spec, MEASURES["coins"], Path())
    assert (cell.labels, cell.seed, cell.folder) == ({}, 5, "0000")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('title = "Coins"', 'titel = "Coins"', "titel is not a key here; .*did you mean 'title'"),
        ('title = "Coins"', "", "title is missing"),
        ('title = "Coins"', "title = 3", "title: expected `str`, got `int`"),
        ("count = 100", "cuont = 100", "stop.cuont is not a key here; .*did you mean 'count'"),
        ("count = 100", "count = 0", "stop.count: expected `int` >= 1"),
        ("count = 100", "", "needs either count, or precision and most"),
        ("count = 100", "count = 100\nprecision = 0.1", "needs either count, or precision and most"),
        ("count = 100", "precision = 0.1", "stop.precision needs stop.most"),
        ("count = 100", "precision = -0.1\nmost = 100", "stop.precision: expected `float` > 0"),
        ("count = 100", "count = 100\nmost = 200", "stop.most belongs to stop.precision or stop.until"),
        ("count = 100", 'count = 100\nuntil = "resolved"', "needs either count, .* or until and most"),
        ("count = 100", 'precision = 0.1\nmost = 100\nuntil = "resolved"', "needs either count"),
        ("count = 100", 'until = "resolved"', "stop.until needs stop.most"),
        ("count = 100", 'until = "resolvd"\nmost = 100', "stop.until = 'resolvd'.*mean 'resolved'"),
        ("count = 100", 'until = "resolved"\nmost = 120', "stop.most = 120 is not a multiple"),
        ("count = 100", "count = 120", "stop.count = 120 is not a multiple of stop.chunk = 50"),
        ("bias = [0.4, 0.5]", "bias = []", "grid.bias has no values"),
        ("bias = [0.4, 0.5]", "bias = [0.5, 0.5]", "grid.bias lists a value twice"),
        ("bias = [0.4, 0.5]", "bias = [[0.4], [0.5]]", r"write \[grid.bias\] with a label"),
        ("bias = [0.4, 0.5]", "bias = 0.5", "grid.bias must be a list, or a table"),
        ("points = 3", "bias = 0.5", r"bias is both in \[common\] and in \[grid\]"),
        ("points = 3", "seed = 3", "write seed at the top"),
        ('"first dice" = 7', '"first dice" = 7.5', "grid.seed holds 7.5, which is not a whole number"),
        ('vary = "bias"', 'vary = "bais"', r"compare.vary = 'bais' is not a key of \[grid\].*mean 'bias'"),
        ('vary = "bias"', 'vary = "seed"', "seeds share no random numbers"),
        ("baseline = 0.5", "baseline = 0.6", "compare.baseline = '?0.6'? is not one of grid.bias: 0.4, 0.5"),
    ],
)
def test_a_wrong_spec_is_told_with_its_key_and_what_is_allowed(old, new, told):
    assert old in GOOD
    with pytest.raises(ExperimentError, match=f"^coins.toml: .*{told}"):
        read(GOOD.replace(old, new))


def test_what_is_to_be_resolved_must_be_there():
    """A sign needs two cells that are compared."""
    until = GOOD.replace("count = 100", 'until = "resolved"\nmost = 100')
    read(until)
    with pytest.raises(ExperimentError, match=r"stop.until = 'resolved' needs \[compare\]"):
        read(until.partition("[compare]")[0])
    with pytest.raises(ExperimentError, match=r"grid\.bias has only the baseline"):
        read(until.replace("bias = [0.4, 0.5]", "bias = [0.5]"))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('measure = "coins"', 'measure = "coin"', "measure = 'coin' is not known; .*did you mean 'coins'"),
        ("points = 3", "pionts = 3", "pionts is not a setting of the measure coins; .*did you mean 'points'"),
        ("bias = [0.4, 0.5]", "bias = [4, 0.5]", "coins, bias 4, seed first dice: bias = 4 is not between"),
    ],
)
def test_settings_that_the_measure_does_not_take_are_told_with_their_cell(old, new, told):
    spec = read(GOOD.replace(old, new))
    with pytest.raises(SprawlsimError, match=told):
        make_cells(spec, find_measure(spec, MEASURES), Path())


def test_a_name_is_for_a_folder():
    with pytest.raises(ExperimentError, match="name = 'My coins!' is not a name of small letters, digits"):
        read(GOOD, name="My coins!")


def test_figures_that_no_cell_has_are_refused():
    spec = read(GOOD.replace('measure = "coins"', 'measure = "coins"\nfigures = ["head*", "tails"]'))
    with pytest.raises(ExperimentError, match="'tails', which is not a figure here; there are heads, points"):
        check_figures(spec, MEASURES["coins"], make_cells(spec, MEASURES["coins"], Path()))
    spec = read(GOOD.replace("count = 100", 'precision = 0.1\nmost = 100\nfigure = "haeds"'))
    with pytest.raises(ExperimentError, match=r"stop\.figure = 'haeds' is not a .*mean 'heads'"):
        check_figures(spec, MEASURES["coins"], make_cells(spec, MEASURES["coins"], Path()))


def test_a_fixed_number_is_looked_at_once_and_a_precision_at_steps_of_a_quarter():
    assert looks_at(read(GOOD)) == [2]
    spec = read(GOOD.replace("count = 100", "precision = 0.1\nmost = 1000"))
    looks = looks_at(spec)
    assert looks[:5] == [1, 2, 3, 4, 5]
    assert looks[-1] == 20
    assert all(later <= max(earlier + 1, earlier * 1.25) for earlier, later in pairwise(looks))


def test_under_a_precision_no_chunk_beyond_the_next_look_is_wanted():
    spec = read(GOOD.replace("count = 100", "precision = 0.1\nmost = 1000"))
    there = {0: 3, 1: 1}
    wanted, finished = chunks_wanted(
        spec, 2, there.__getitem__, lambda cell, chunks: (cell, chunks) == (0, 3), {}
    )
    assert [(chunk.cell, chunk.number) for chunk in wanted] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    assert not finished
    wanted, finished = chunks_wanted(
        spec, 2, there.__getitem__, lambda cell, chunks: chunks == there[cell], {}
    )
    assert len(wanted) == 4
    assert finished


def test_a_baseline_goes_on_with_the_longest_comparison_and_the_others_stop():
    """Cells 0 and 2 are compared with cell 1; the first is resolved after 2 chunks."""
    spec = read(GOOD.replace("count = 100", 'until = "resolved"\nmost = 1000'))
    there = {0: 2, 1: 4, 2: 4}

    def wanted_when(resolved):
        wanted, finished = chunks_wanted(
            spec, 3, there.__getitem__, lambda cell, chunks: (cell, chunks) in resolved, {0: 1, 2: 1}
        )
        return [sum(chunk.cell == cell for chunk in wanted) for cell in range(3)], finished

    assert wanted_when({(0, 2)}) == ([2, 5, 5], False)
    assert wanted_when({(0, 2), (2, 4)}) == ([2, 4, 4], True)
    assert wanted_when({(2, 4)}) == ([3, 4, 4], False)
    there[1] = 3  # a pair is looked at when both are there
    assert wanted_when({(0, 2), (2, 4)}) == ([2, 4, 4], False)


def test_shipped_specs_are_found_read_and_in_the_wheel():
    specs = all_specs()
    shipped = sorted(path.stem for path in (ROOT / "experiments").glob("*.toml"))
    assert set(shipped) <= set(specs)
    assert len(shipped) >= 5
    for name in shipped:
        assert read_spec(specs[name]).question.endswith("?")
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    packed = wheel["force-include"]
    assert sorted(Path(path).stem for path in packed) == shipped
    assert all(
        packed[f"experiments/{name}.toml"].endswith(f"experiments/shipped/{name}.toml") for name in shipped
    )


def test_a_local_spec_goes_before_a_shipped_one_and_unknown_names_suggest(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "docwagon.toml").write_text(GOOD)
    assert find_spec("docwagon") == Path("experiments/docwagon.toml")
    assert find_spec("price-of-gear").exists()
    with pytest.raises(ExperimentError, match=r"'price-of-gaer' is not an experiment.*mean 'price-of-gear'"):
        find_spec("price-of-gaer")


def test_files_that_cannot_be_read_are_told(tmp_path):
    with pytest.raises(ExperimentError, match=r"nothing\.toml: cannot be read"):
        read_spec(tmp_path / "nothing.toml")
    (tmp_path / "bad.toml").write_text("title = ")
    with pytest.raises(ExperimentError, match=r"bad\.toml: not valid TOML"):
        read_spec(tmp_path / "bad.toml")
