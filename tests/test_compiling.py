"""The first game: what plays it is compiled in two processes, which must agree on the types."""

import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

from sprawlsim.jit import another_process, compile_for, is_in_cache, kernel
from sprawlsim.sprawlops.game import compiling
from sprawlsim.sprawlops.game.actions import apply, go_on
from sprawlsim.sprawlops.game.batch import begin_game, finish_game
from sprawlsim.sprawlops.game.simulate import Batch
from sprawlsim.sprawlops.game.strategies.chooser import choose_action

compiled_only = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="about compiled code")


@compiled_only
def test_both_processes_compile_for_the_types_that_games_are_played_on():
    batch = Batch(players=2)
    batch.run(1)
    thread = batch.thread()
    compile_for(apply, thread.table[0], 0, thread.desk)
    compiling.compile_other_half(batch.plan, thread)
    for compiled in (apply, go_on, begin_game, choose_action, finish_game):
        folder = Path(compiled.stats.cache_path)
        name = f"*.{compiled.__name__}-{compiled.py_func.__code__.co_firstlineno}.*.nbc"
        assert len(list(folder.glob(name))) == 1, (
            f"{compiled.__name__} was compiled for two kinds of arguments"
        )


@compiled_only
def test_what_the_other_process_is_told_to_do_can_be_done(monkeypatch):
    told = []
    monkeypatch.setattr(compiling, "is_in_cache", lambda _: False)
    monkeypatch.setattr(compiling, "default_threads", lambda: 2)
    other = compiling.another_process

    def listen(statement):
        told.append(statement)
        return other(statement)

    monkeypatch.setattr(compiling, "another_process", listen)
    Batch(players=2).thread()
    (statement,) = told
    assert subprocess.run([sys.executable, "-c", statement], check=False).returncode == 0


def test_nothing_is_compiled_twice(monkeypatch):
    Batch(players=2).run(1)
    monkeypatch.setattr(compiling, "another_process", None)  # to call it would be an error
    Batch(players=3).thread()


@compiled_only
def test_a_kernel_is_in_the_cache_once_it_was_compiled():
    @kernel
    def never_seen_before(number):
        return number + 1

    for old in Path(never_seen_before.stats.cache_path).glob("*never_seen_before-*"):
        old.unlink()
    assert not is_in_cache(never_seen_before)
    compile_for(never_seen_before, 1)
    assert is_in_cache(never_seen_before)


def test_another_process_has_ended_after_the_block(tmp_path):
    made = tmp_path / "made"
    with another_process(f"import time; time.sleep(0.3); open({str(made)!r}, 'w')"):
        assert not made.exists()
    assert made.exists()


def test_another_process_that_fails_says_nothing_and_does_no_harm(capfd):
    with another_process("raise SystemExit('no')"):
        pass
    with another_process("this is no Python"):
        pass
    assert capfd.readouterr() == ("", "")


def test_without_a_python_to_run_there_is_only_this_process(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    done = []
    with another_process("pass"):
        done.append(True)
    assert done == [True]


def test_another_process_ends_with_the_block_that_fails():
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt), another_process("import time; time.sleep(60)"):
        raise KeyboardInterrupt
    assert time.monotonic() - start < 30
