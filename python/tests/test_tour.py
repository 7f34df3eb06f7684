"""docs/tour.ipynb runs, and what it asserts holds."""

import copy
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

TOUR = Path(__file__).parents[2] / "docs" / "tour.ipynb"


def printed(notebook: Any) -> list[str]:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output["text"] for output in outputs if output["output_type"] == "stream" and output["name"] == "stdout"]


def figures(notebook: Any) -> int:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return sum("image/png" in output.get("data", {}) for output in outputs)


def test_the_tour() -> None:
    kept: Any = nbformat.read(TOUR, as_version=4)  # type: ignore[no-untyped-call]
    run = copy.deepcopy(kept)
    for cell in run.cells:
        cell.pop("outputs", None)
        if cell.cell_type == "code":
            cell.outputs = []
    # A cell that raises fails the test.
    NotebookClient(run, timeout=120, resources={"metadata": {"path": str(TOUR.parent)}}).execute()
    now = printed(run)
    assert figures(run) == figures(kept) == 3
    assert [text.split(":")[0] for text in now] == [text.split(":")[0] for text in printed(kept)]
    assert "The forgery is accepted" in now[0]
    # The edit reads one block, whatever the machine's neighbours do to its time.
    assert "for 16 bytes; both tags agree" in now[-1]
