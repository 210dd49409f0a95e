"""Running an experiment: the same bytes however it is played; nothing else is ever mixed into its results."""

import errno
import json
import os
import random
import stat
from pathlib import Path
from random import Random

import numpy as np
import pyarrow.parquet as pq
import pytest
from coins import MEASURES, Coins, contents

from sprawlsim.experiments import store as storing
from sprawlsim.experiments import workers as working
from sprawlsim.experiments.run import Means, run_experiment
from sprawlsim.experiments.show import load_results
from sprawlsim.experiments.spec import ExperimentError, spec_from_dict
from sprawlsim.experiments.store import WriteError, decode, differences, encode, only_writer, write_whole
from sprawlsim.experiments.workers import Here
from sprawlsim.stats.intervals import proportion_sequence


def spec_of(seed=3, stop=None, **more):
    """Make an experiment with two coins."""
    data = {
        "title": "Coins",
        "question": "?",
        "measure": "coins",
        "seed": seed,
        "grid": {"bias": [0.4, 0.5]},
        "stop": stop or {"count": 200, "chunk": 50},
    }
    return spec_from_dict({**data, **more}, "coins.toml", "coins")


def chunk_files(folder):
    """List the chunks of a results folder."""
    return sorted(Path(folder).glob("cells/*/*.parquet"))


@pytest.fixture
def whole(tmp_path):
    """Give the results of a run that nothing stopped."""
    run_experiment(spec_of(), MEASURES, tmp_path / "whole")
    return tmp_path / "whole"


def test_the_rows_on_disk_are_the_tosses(whole):
    folders = sorted((whole / "cells").iterdir())
    assert [folder.name for folder in folders] == ["0000-0-4", "0001-0-5"]
    parts = [pq.read_table(path) for path in sorted(folders[0].iterdir())]
    tosses = [toss for part in parts for toss in part["toss"].to_pylist()]
    heads = [head for part in parts for head in part["heads"].to_pylist()]
    assert tosses == list(range(200))
    assert heads == [int(Random(f"3/{i}").random() < 0.4) for i in range(200)]


def test_the_manifest_tells_what_was_played(whole):
    manifest = json.loads((whole / "manifest.json").read_text())
    assert manifest["deciding"]["spec"]["seed"] == 3
    assert manifest["deciding"]["sources"] == "coins-1"
    assert [cell["count"] for cell in manifest["cells"]] == [200, 200]
    assert [cell["about"]["bias"] for cell in manifest["cells"]] == [0.4, 0.5]
    assert json.loads((whole / "times.json").read_text())["runs"][0]["chunks"] == 8


def test_two_processes_give_the_same_bytes_as_one(whole, tmp_path):
    run_experiment(spec_of(), MEASURES, tmp_path / "two", means=Means(workers=2))
    assert contents(tmp_path / "two") == contents(whole)


def test_the_order_in_which_chunks_get_done_changes_no_byte(whole, tmp_path, monkeypatch):
    played = []

    def shuffled(chunks, cells, job, workers, keep):
        chunks = list(chunks)
        random.Random(5).shuffle(chunks)
        for chunk in chunks:
            played.append(chunk)
            keep(chunk, working.play_chunk(*job(cells[chunk.cell], chunk)))

    monkeypatch.setattr("sprawlsim.experiments.run.play_all", shuffled)
    run_experiment(spec_of(), MEASURES, tmp_path / "out")
    assert played != sorted(played)
    assert contents(tmp_path / "out") == contents(whole)


def test_equal_columns_are_equal_bytes_and_come_back_as_they_were():
    columns = {
        "a": np.arange(1000),
        "b": np.linspace(0, 1, 1000),
        "c": (np.arange(1000) % 3).astype(np.int8),
        "d": np.arange(1000) % 2 == 0,
    }
    content = encode(columns)
    strided = {name: np.repeat(column, 2)[::2] for name, column in columns.items()}
    assert encode(strided) == content
    back = decode(content)
    assert list(back) == list(columns)
    for name, column in columns.items():
        assert back[name].dtype == column.dtype
        np.testing.assert_array_equal(back[name], column)
    assert b"pandas" not in content


def test_a_folder_with_results_is_refused_without_resume(whole):
    before = contents(whole)
    with pytest.raises(ExperimentError, match="holds results already; --resume continues"):
        run_experiment(spec_of(), MEASURES, whole)
    assert contents(whole) == before


def test_a_folder_with_something_else_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("Dear Ms. Johnson")
    with pytest.raises(ExperimentError, match="is not the results folder of an experiment"):
        run_experiment(spec_of(), MEASURES, tmp_path, resume=True)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seed": 4}, "seed was 3 and is 4"),
        ({"stop": {"count": 400, "chunk": 50}}, "stop.count was 200 and is 400"),
        ({"grid": {"bias": [0.4, 0.6]}}, r"grid.bias was \[0.4, 0.5\] and is \[0.4, 0.6\]"),
        ({"common": {"points": 9}}, "common.points was not there and is 9"),
    ],
)
def test_a_changed_spec_is_refused_with_what_differs(whole, change, told):
    before = contents(whole)
    with pytest.raises(ExperimentError, match=f"{told}.*another folder"):
        run_experiment(spec_of(**change), MEASURES, whole, resume=True)
    assert contents(whole) == before


def test_what_the_settings_mean_and_sources_are_held_to_the_old_ones(whole):
    """The spec is the same, but a file that it names (cards, strategies) or the rules changed."""

    class OtherMint(Coins):
        mint = "Zurich"

    class OtherSources(Coins):
        source = "coins-2"

    with pytest.raises(ExperimentError, match=r'0000-0-4\.mint was "Geneva" and is "Zurich"'):
        run_experiment(spec_of(), {"coins": OtherMint()}, whole, resume=True)
    with pytest.raises(ExperimentError, match='sources was "coins-1" and is "coins-2"'):
        run_experiment(spec_of(), {"coins": OtherSources()}, whole, resume=True)


def test_a_new_title_is_no_other_experiment(whole):
    """What only shows the results may change: a better question, a baseline to compare with."""
    outcome = run_experiment(
        spec_of(title="Coins!", compare={"vary": "bias", "baseline": 0.5}), MEASURES, whole, resume=True
    )
    assert outcome.played == 0
    assert load_results(whole, MEASURES).spec.title == "Coins!"


def test_a_finished_experiment_is_not_played_again(whole):
    before = contents(whole)
    outcome = run_experiment(spec_of(), MEASURES, whole, resume=True)
    assert (outcome.played, outcome.kept) == (0, 8)
    assert contents(whole) == before


def damage(path, how):
    """Damage a file as disks and copies do."""
    content = path.read_bytes()
    if how == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif how == "empty":
        path.write_bytes(b"")
    else:
        place = len(content) // 2
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])


@pytest.mark.parametrize("how", ["truncated", "empty", "one bit"])
def test_a_damaged_chunk_is_told_moved_aside_and_played_again(whole, how):
    before = contents(whole)
    victim = chunk_files(whole)[5]
    damage(victim, how)
    with pytest.raises(ExperimentError, match=r"damaged, its content does not match the checksum.*--resume"):
        load_results(whole, MEASURES)
    outcome = run_experiment(spec_of(), MEASURES, whole, resume=True)
    assert outcome.damaged == [str(victim.relative_to(whole))]
    assert (outcome.played, outcome.kept) == (1, 7)
    assert contents(whole) == before
    assert victim.with_name(f"{victim.name}.corrupt").exists()


def test_a_chunk_of_another_run_among_the_chunks_is_told(whole, tmp_path):
    run_experiment(spec_of(seed=4), MEASURES, tmp_path / "other")
    stranger = chunk_files(tmp_path / "other")[0]
    target = whole / stranger.relative_to(tmp_path / "other")
    target.write_bytes(stranger.read_bytes())
    with pytest.raises(ExperimentError, match="two results of the same chunk"):
        run_experiment(spec_of(), MEASURES, whole, resume=True)


def test_half_written_files_are_removed_on_resume(whole):
    before = contents(whole)
    part = chunk_files(whole)[0].with_name(".000009-0123456789abcdef.parquet.77.part")
    part.write_bytes(b"PAR1")
    run_experiment(spec_of(), MEASURES, whole, resume=True)
    assert contents(whole) == before


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_full_disk_is_a_clear_error_and_loses_nothing(whole, tmp_path, monkeypatch, call):
    """The disk fills up at the fourth file: what was written before stays, and a resume ends the same."""
    left = [4]  # the manifest and three chunks

    def full(*_args, **_kwargs):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    real = {"fsync": os.fsync, "replace": os.replace, "open": Path.open}

    def replace(source, target):
        if call == "replace" and left[0] <= 0:
            full()
        left[0] -= 1
        real["replace"](source, target)

    def fsync(handle):
        if call == "fsync" and left[0] <= 0 and stat.S_ISREG(os.fstat(handle).st_mode):
            full()
        real["fsync"](handle)

    def opened(path, *args, **kwargs):
        file = real["open"](path, *args, **kwargs)
        if call == "write" and left[0] <= 0 and "w" in (args[0] if args else ""):
            file.close()
            full()
        return file

    monkeypatch.setattr(storing.os, "replace", replace)
    monkeypatch.setattr(storing.os, "fsync", fsync)
    monkeypatch.setattr(Path, "open", opened)
    out = tmp_path / "out"
    with pytest.raises(
        WriteError, match=r"no space left.*; 3 finished chunks are kept: free some space.*--resume"
    ):
        run_experiment(spec_of(), MEASURES, out)
    monkeypatch.undo()
    assert len(chunk_files(out)) == 3
    assert not list(out.rglob("*.part"))
    run_experiment(spec_of(), MEASURES, out, resume=True)
    assert contents(out) == contents(whole)


def test_a_file_that_cannot_be_replaced_stays(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_whole(path, b"old")

    def full(_source, _target):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(storing.os, "replace", full)
    with pytest.raises(WriteError, match="no space left on device"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_second_run_into_the_same_folder_is_refused(whole):
    with only_writer(whole), pytest.raises(ExperimentError, match="another run is writing"):
        run_experiment(spec_of(), MEASURES, whole, resume=True)
    run_experiment(spec_of(), MEASURES, whole, resume=True)


def test_a_worker_with_other_sources_is_refused(tmp_path, monkeypatch):
    """As on a cluster where another version is installed."""
    submit = Here.submit

    def elsewhere(self, job, measure, sources, *rest):
        return submit(self, job, measure, "coins-0", *rest)

    monkeypatch.setattr(Here, "submit", elsewhere)
    with pytest.raises(ExperimentError, match="a worker has other sources of the measure coins"):
        run_experiment(spec_of(), MEASURES, tmp_path / "out")


@pytest.mark.parametrize(
    ("means", "told"),
    [
        (Means(backend="dusk"), "'dusk' is not one of local, dask; did you mean 'dask'"),
        (Means(backend="dask"), "go together"),
        (Means(scheduler="tcp://here:1"), "go together"),
        (Means(workers=0), "at least 1"),
    ],
)
def test_means_that_make_no_sense_are_refused(tmp_path, means, told):
    with pytest.raises(ExperimentError, match=told):
        run_experiment(spec_of(), MEASURES, tmp_path / "out", means=means)
    assert not (tmp_path / "out").exists()


PRECISE = {"precision": 0.06, "most": 5000, "chunk": 50}


def test_under_a_precision_a_cell_stops_at_the_first_look_that_is_precise(tmp_path):
    """Found by hand from the tosses: the looks, the heads up to each, and a sequence of intervals."""
    run_experiment(spec_of(stop=PRECISE), MEASURES, tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    for cell, bias in zip(manifest["cells"], (0.4, 0.5), strict=True):
        heads, tosses = 0, 0
        for toss in range(5000):
            heads += Random(f"3/{toss}").random() < bias
            look = (toss + 1) // 50
            # Looks at 1, 2, ... 8 chunks, then a quarter apart.
            if (toss + 1) % 50 == 0 and look in {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 41}:
                tosses = toss + 1
                if proportion_sequence(heads, tosses).half_width <= 0.06:
                    break
        assert cell["count"] == tosses
        assert len(list((tmp_path / "out" / "cells" / cell["folder"]).iterdir())) == tosses // 50


def test_under_a_precision_two_processes_and_a_resume_give_the_same_bytes(tmp_path):
    spec = spec_of(stop=PRECISE)
    run_experiment(spec, MEASURES, tmp_path / "one")
    run_experiment(spec, MEASURES, tmp_path / "two", means=Means(workers=2))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    for path in chunk_files(tmp_path / "two")[3::4]:
        path.unlink()
    run_experiment(spec, MEASURES, tmp_path / "two", resume=True)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_progress_tells_how_much_there_is_to_do(tmp_path):
    told = []
    run_experiment(spec_of(), MEASURES, tmp_path / "out", progress=lambda done, of: told.append((done, of)))
    assert told == [(50 * k, 400) for k in range(1, 9)]
    for path in chunk_files(tmp_path / "out")[:2]:
        path.unlink()
    told.clear()
    run_experiment(
        spec_of(), MEASURES, tmp_path / "out", resume=True, progress=lambda done, of: told.append((done, of))
    )
    assert told == [(50, 100), (100, 100)]


def test_progress_under_a_precision_ends_where_it_said(tmp_path):
    told = []
    run_experiment(
        spec_of(stop=PRECISE), MEASURES, tmp_path / "out", progress=lambda done, of: told.append((done, of))
    )
    assert all(done <= of <= 10_000 for done, of in told)
    assert told[-1][0] == told[-1][1]
    assert told[-1][0] == 50 * len(chunk_files(tmp_path / "out"))


def test_differences_are_told_old_against_new():
    told = differences({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 1, "c": 4}, "e": [1]})
    assert told == ["a.c was 2 and is 4", "e was not there and is [1]", "d was 3 and is not there"]
