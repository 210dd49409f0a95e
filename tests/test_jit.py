"""The cache of compiled code: all that a kernel can call or read names its folder."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from sprawlsim import jit

PACKAGE = Path(jit.__file__).parent


def floor_of(source: Path) -> int | None:
    """Give the floor on which a source stands; None where it is on none."""
    for floor, places in enumerate(jit.FLOORS):
        for place in places:
            if source == PACKAGE / place or PACKAGE / place in source.parents:
                return floor
    return None


def imported(source: Path) -> list[Path]:
    """List the sources of the package that a source imports when it is loaded."""
    found = []
    for node in ast.parse(source.read_text()).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sprawlsim"):
            path = PACKAGE.parent / str(node.module).replace(".", "/")
            found.append(
                path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"
            )
    return found


KERNELS = [path for path in sorted(PACKAGE.rglob("*.py")) if "\n@kernel\n" in path.read_text()]


@pytest.mark.parametrize("source", KERNELS, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_all_that_a_kernel_is_made_of_is_in_the_hash(source: Path) -> None:
    floor = floor_of(source)
    assert floor is not None
    assert (floor == 1) == (
        f"sprawlsim.{'.'.join(source.relative_to(PACKAGE).parts)}".startswith(jit.TOP_FLOOR)
    )
    for other in imported(source):
        if other.name == "errors.py":  # exceptions: nothing that compiled code knows
            continue
        below = floor_of(other)
        assert below is not None
        assert below <= floor


def test_there_are_kernels_on_every_floor() -> None:
    assert {floor_of(source) for source in KERNELS} == set(range(len(jit.FLOORS)))
