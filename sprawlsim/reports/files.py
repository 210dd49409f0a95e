"""Files and folders written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sprawlsim.errors import SprawlsimError

LIST = "contents.json"
"""In a folder of ours: what it holds, and the hash of each file; what is not in it is the reader's own."""


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write files under temporary names, then give all of them their names.

    Raises
    ------
    SprawlsimError
        If one cannot be written; what was there before is still there.
    """
    parts = {path: path.with_name(f".{path.name}.{os.getpid()}.part") for path in contents}
    try:
        for path, part in parts.items():
            if path.is_dir():
                raise IsADirectoryError(21, "it is a folder")
            _write_to_disk(part, contents[path])
        for path, part in parts.items():
            os.replace(part, path)
    except OSError as error:
        raise SprawlsimError(f"{path}: cannot be written ({error.strerror})") from None
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def write_folder(folder: Path, contents: Mapping[str, bytes], kind: str) -> None:
    """Write a folder beside its place, then move it there; one of ours that is there already is replaced.

    Parameters
    ----------
    folder : Path
        Parents that are missing are made.
    contents : mapping of str to bytes
        The files by name.
    kind : str
        What the folder is, such as "report"; another kind is not replaced.

    Raises
    ------
    SprawlsimError
        If the folder cannot be written, or holds something that `write_folder` did not put there or that
        was changed since; all that was there before is still there.
    """
    check_folder(folder, kind)
    folder = folder.resolve()
    new, old = (folder.with_name(f".{folder.name}.{os.getpid()}.{word}") for word in ("part", "old"))
    hashes = {name: _hash(content) for name, content in sorted(contents.items())}
    listed = json.dumps({"kind": kind, "files": hashes}, indent=2) + "\n"
    try:
        new.mkdir(parents=True)
        for name, content in {**contents, LIST: listed.encode()}.items():
            _write_to_disk(new / name, content)
        if folder.exists():
            os.replace(folder, old)
        try:
            os.replace(new, folder)
        except OSError:
            if old.exists():
                os.replace(old, folder)
            raise
    except OSError as error:
        raise SprawlsimError(f"{folder}: cannot be written ({error.strerror})") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)


def check_folder(folder: Path, kind: str) -> None:
    """Refuse a folder that `write_folder` would not replace; worth asking before hours of work.

    Raises
    ------
    SprawlsimError
        If it is a file, or holds anything that is not of `kind` as it was written, or is the current folder,
        or cannot be made where it is to be.
    """
    if Path.cwd().is_relative_to(folder.resolve()):
        raise SprawlsimError(f"a {kind} needs a folder of its own, not the one you are in: name a new one")
    _check_place(folder)
    if not folder.exists():
        return
    if not folder.is_dir():
        raise SprawlsimError(f"{folder} is a file; a {kind} needs a folder of its own")
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    if not there:
        return
    listed = _read_list(folder)
    if listed.get("kind") != kind:
        raise SprawlsimError(
            f"{folder} holds something that is no {kind} of sprawlsim; name a new folder, or remove this one"
        )
    hashes = listed.get("files", {})
    for name in sorted(there - {LIST}):
        if _hash_of(folder / name) != hashes.get(name):
            what = "was changed since" if name in hashes else f"is no part of the {kind}"
            raise SprawlsimError(
                f"{folder} is not replaced: its {name} {what}; move it away, or name another folder"
            )


def _check_place(folder: Path) -> None:
    """Refuse a folder that cannot be made: under a file, or where nothing may be written."""
    above = next(path for path in folder.resolve().parents if path.exists())
    if not above.is_dir():
        raise SprawlsimError(f"{folder} cannot be made: {above} is a file")
    if not os.access(above, os.W_OK | os.X_OK):
        raise SprawlsimError(f"{folder} cannot be made: nothing may be written into {above}")


def _hash_of(path: Path) -> str:
    """Give the hash of a file, and "" for what is none or cannot be read."""
    try:
        return _hash(path.read_bytes())
    except OSError:
        return ""


def _read_list(folder: Path) -> dict[str, Any]:
    try:
        listed = json.loads((folder / LIST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return listed if isinstance(listed, dict) else {}


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write_to_disk(path: Path, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
