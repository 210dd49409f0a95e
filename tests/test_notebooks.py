"""Every notebook runs from its first cell to its last, and its committed figures are those it gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


def written(notebook: Any) -> list[str]:
    """Give what the cells print and return, as text; of pictures only that there is one."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [
        output.text if output.output_type == "stream" else output.data["text/plain"]
        for output in outputs
        if output.get("name") != "stderr"
    ]


@pytest.mark.filterwarnings("default")  # the kernel's own libraries are not ours to keep quiet
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_its_committed_outputs_are_what_it_gives(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    assert all(cell.execution_count for cell in code), f"{path.name}: execute it before committing"
    committed = written(notebook)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    assert written(notebook) == committed
