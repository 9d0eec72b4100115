"""The notebook of docs/scale.md runs from its first cell to its last."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.spark._cluster import environment

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PATH = "spark.ipynb"


@pytest.fixture
def notebook(installed):
    """The notebook as it is in the repository."""
    import nbformat

    return nbformat.read(EXAMPLES / PATH, as_version=4)


def test_it_has_no_outputs_and_is_small(notebook):
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert outputs == [[] for _ in outputs]
    assert (EXAMPLES / PATH).stat().st_size < 10_000


def test_it_runs_and_shows_results(notebook, tmp_path):
    from nbclient import NotebookClient

    for name in ("qrels.txt", "bm25.run", "dense.run", "hybrid.run"):
        shutil.copy(EXAMPLES / name, tmp_path)
    own = environment(tmp_path) | {"PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(ROOT / "src")])}
    client = NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(tmp_path)}})
    client.execute(env=own)
    texts = [_text(output) for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("'bm25': 0.3145" in text and "'hybrid': 0.6349" in text for text in texts), texts
    assert any("hybrid|0.6349" in text.replace(" ", "") for text in texts), texts
    assert texts.count("True") == 2  # equal to one process, and equal in both forms
    assert any("<table" in text and "0.3145" in text for text in texts)
    assert "hybrid" in (tmp_path / "report.html").read_text(encoding="utf-8")


def _text(output):
    return output.get("text") or str(output.get("data", {}).get("text/html") or output.get("data", {}).get("text/plain"))
