"""How every compiled function of the package is compiled and cached.

numba's own cache notices a change in the file of a function but not in the files of the functions it
calls (numba issue 1833), which would serve stale rules. So the cache lies in a folder named by a hash
of all sources of the package.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

DAYS_AN_UNUSED_CACHE_IS_KEPT = 30


def _cache_root() -> Path:
    if base := os.environ.get("SPRAWLSIM_CACHE"):
        return Path(base)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "sprawlsim"
    return Path.home() / ".cache" / "sprawlsim"


def _source_hash() -> str:
    package = Path(__file__).parent
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(package.rglob("*.py")):
        digest.update(str(source.relative_to(package)).encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


@lru_cache(maxsize=1)
def cache_folder() -> Path:
    """Folder of the compiled code of this version of the sources.

    Returns
    -------
    Path
        Under ``$SPRAWLSIM_CACHE``, else ``$XDG_CACHE_HOME/sprawlsim``, else ``~/.cache/sprawlsim``;
        under the system's temporary folder where none of these can be written.
    """
    name = f"kernels-{_source_hash()}"
    for root in (_cache_root(), Path(tempfile.gettempdir()) / f"sprawlsim-{os.getuid()}"):
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


def is_compiled() -> bool:
    """Say whether this version's kernels were compiled on this machine before."""
    return any(cache_folder().rglob("*.nbi"))


def kernel(function: F) -> F:
    """Compile a function on first call, without the interpreter lock, cached on disk.

    With ``NUMBA_DISABLE_JIT=1`` the function stays plain Python, with the same results.
    """
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder())
    try:
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    finally:
        config.CACHE_DIR = before
    return cast(F, compiled)
