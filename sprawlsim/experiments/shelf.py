"""Where experiments are found: those that come with the package, and those of the current folder."""

from __future__ import annotations

from pathlib import Path

from sprawlsim.errors import did_you_mean
from sprawlsim.experiments.spec import ExperimentError

LOCAL_FOLDER = Path("experiments")
RESULTS = Path("results") / "experiments"
"""Where results go unless the user says otherwise."""
HERE = Path(__file__).parent


def shipped_folder() -> Path:
    """Find the experiments that come with the package: inside it, or beside it in a checkout."""
    inside = HERE / "shipped"
    return inside if inside.is_dir() else HERE.parents[1] / "experiments"


def all_specs() -> dict[str, Path]:
    """Find specs by name: of ``experiments/`` here, and the shipped ones that it does not hold itself."""
    found: dict[str, Path] = {}
    for folder in (LOCAL_FOLDER, shipped_folder()):
        for path in sorted(folder.glob("*.toml")):
            found.setdefault(path.stem, path)
    return dict(sorted(found.items()))


def find_spec(name: str) -> Path:
    """Find a spec by its path, or by the name of one that `all_specs` lists.

    Raises
    ------
    ExperimentError
    """
    path = Path(name)
    if path.suffix == ".toml" or path.is_file():
        return path
    specs = all_specs()
    if name not in specs:
        known = ", ".join(specs) or "none"
        raise ExperimentError(
            f"{name!r} is not an experiment; there are {known}, or a file NAME.toml"
            f"{did_you_mean(name, specs)}"
        )
    return specs[name]


def find_results(name: str) -> Path:
    """Find a results folder by its path, or by the name of an experiment run into the usual place.

    Raises
    ------
    ExperimentError
    """
    if Path(name).is_dir():
        return Path(name)
    usual = RESULTS / name
    if usual.is_dir():
        return usual
    known = sorted(path.name for path in RESULTS.iterdir() if path.is_dir()) if RESULTS.is_dir() else []
    there = f"; in {RESULTS} there are {', '.join(known)}" if known else ""
    raise ExperimentError(f"{name!r} is not a results folder{there}{did_you_mean(name, known)}")
