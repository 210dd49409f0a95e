"""How every compiled function of the package is compiled and cached.

numba's own cache notices a change in the file of a function but not in the files of the functions it
calls (numba issue 1833), which would serve stale rules. So the cache lies in a folder named by a hash
of all sources that a function could call: those of `FLOORS` up to its own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])

DAYS_AN_UNUSED_CACHE_IS_KEPT = 30

FLOORS = (
    ("rng.py", "jit.py", "sprawlops/dice.py", "sprawlops/mission"),
    ("sprawlops/game",),
)
"""Where compiled functions are, each floor above what it calls: other changes leave all compiled."""
TOP_FLOOR = "sprawlsim.sprawlops.game"


def _cache_root() -> Path:
    if base := os.environ.get("SPRAWLSIM_CACHE"):
        return Path(base)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "sprawlsim"
    return Path.home() / ".cache" / "sprawlsim"


def _user() -> str:
    """Tell users apart who share a temporary folder."""
    return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")


def source_hash(places: Iterable[str]) -> str:
    """Fingerprint sources of the package, and numba's version.

    Parameters
    ----------
    places : iterable of str
        Files, or folders of which every Python file counts, by their paths within the package.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    package = Path(__file__).parent
    digest = hashlib.sha256(numba.__version__.encode())
    for place in places:
        path = package / place
        for source in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(str(source.relative_to(package)).encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


@lru_cache
def cache_folder(top_floor: bool = False) -> Path:
    """Folder of the compiled code of this version of the sources.

    Parameters
    ----------
    top_floor : bool
        For the kernels of whole games.

    Returns
    -------
    Path
        Under ``$SPRAWLSIM_CACHE``, else ``$XDG_CACHE_HOME/sprawlsim``, else ``~/.cache/sprawlsim``;
        under the system's temporary folder where none of these can be written.
    """
    name = f"kernels-{source_hash(chain.from_iterable(FLOORS if top_floor else FLOORS[:1]))}"
    for root in (_cache_root(), Path(tempfile.gettempdir()) / f"sprawlsim-{_user()}"):
        folder = root / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            folder.touch()
        except OSError:
            continue
        _forget_unused(root, keep=folder)
        return folder
    return Path(tempfile.mkdtemp(prefix="sprawlsim-"))


def _forget_unused(root: Path, keep: Path) -> None:
    oldest = time.time() - DAYS_AN_UNUSED_CACHE_IS_KEPT * 86_400
    for folder in root.glob("kernels-*"):
        if folder != keep and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


class _Compiling(event.Listener):
    """Tells once that numba compiles; it does not when it loads from the cache."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._told = False

    def on_start(self, _: Any) -> None:
        """Hear that a compilation begins."""
        if not self._told:
            self._told = True
            self._tell()

    def on_end(self, _: Any) -> None:
        """Hear that it ends."""


@contextmanager
def when_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell`, once, if within the block a kernel must be compiled: it takes half a minute.

    numba says so itself, so that a cache of another processor, or half a cache, is told from a whole one.
    With ``NUMBA_DISABLE_JIT=1`` nothing is ever compiled.
    """
    with event.install_listener("numba:compile", _Compiling(tell)):
        yield


def is_in_cache(compiled: Any) -> bool:
    """Say whether the cache holds anything of a kernel; without compilation there is nothing to hold."""
    if not hasattr(compiled, "stats"):  # NUMBA_DISABLE_JIT=1
        return True
    function = compiled.py_func
    name = f"*.{function.__name__}-{function.__code__.co_firstlineno}.*.nbi"
    return any(Path(compiled.stats.cache_path).glob(name))


def compile_for(compiled: Any, *arguments: Any) -> None:
    """Compile a kernel for arguments of these types, without calling it."""
    types: Any = numba
    compiled.compile(tuple(types.typeof(argument) for argument in arguments))


@contextmanager
def another_process(statement: str) -> Iterator[None]:
    """Run a statement in another Python process during the block, and wait for its end.

    For filling the cache from two sides. If it fails, all that is lost is the time it would have saved.
    """
    quiet = subprocess.DEVNULL
    try:
        process = subprocess.Popen([sys.executable, "-c", statement], stdin=quiet, stdout=quiet, stderr=quiet)
    except OSError:
        yield
        return
    with process:
        try:
            yield
        except BaseException:
            process.kill()
            raise


def load_without_blas() -> None:
    """Keep numba from loading scipy's BLAS in this process: 0.2 s, for products of matrices no kernel takes.

    For processes of our own only. In a notebook, it would take `numpy.dot` from other people's kernels.
    """
    blas = "scipy.linalg.cython_blas"
    if blas in sys.modules:
        return
    sys.modules[blas] = None  # type: ignore[assignment]
    try:
        import_module("numba.np.arraymath")
    finally:
        del sys.modules[blas]


def kernel(function: F) -> F:
    """Compile a function on first call, without the interpreter lock, cached on disk.

    With ``NUMBA_DISABLE_JIT=1`` the function stays plain Python, with the same results.
    """
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder(function.__module__.startswith(TOP_FLOOR)))
    try:
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    finally:
        config.CACHE_DIR = before
    _compile_once_for_all_literals(compiled)
    return cast(F, compiled)


def _compile_once_for_all_literals(compiled: Any) -> None:
    """Keep numba from compiling a function anew for every literal argument: a tenth of all compilations."""
    if not hasattr(compiled, "get_call_template"):  # NUMBA_DISABLE_JIT=1
        return
    find = compiled.get_call_template
    unliteral: Any = numba.types.unliteral

    def find_without_literals(args: Any, keywords: Any) -> Any:
        return find(tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in keywords.items()})

    compiled.get_call_template = find_without_literals
