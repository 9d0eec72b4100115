"""The notebooks of docs/notebooks.md run from the first cell to the last, and show what they promise."""

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "notebooks"
SHOWN = {
    "first-evaluation": ["ndcg@10=0.5271", "ndcg@10=0.7767", "mrr=0.7500"],
    "compare-two-retrievers": ["is not shown to differ from bm25 on ndcg@10", "With these 48 queries", "q30"],
    "gate-in-ci": ["FAIL  ndcg@10 not worse by 0.05", "exit code 1", "????", "exit code 0"],
    "judge-what-is-missing": [
        "Pool(spread: 200 of 641 pairs",
        "tfidf_chars is not shown to differ from bm25 on precision@10",
    ],
    "hpo": ["mrr=0.3784", "max_ont_sim@10=0.8201", "en, de"],
}
"""Notebook → texts of its outputs."""


def test_every_notebook_is_on_the_page_and_has_no_outputs():
    page = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    named = set(re.findall(r"notebooks/([\w-]+)\.ipynb", page))
    assert named == {file.stem for file in FOLDER.glob("*.ipynb")} == SHOWN.keys()
    for name in named:
        text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
        assert '"output_type"' not in text
        assert len(text) < 10_000


@pytest.mark.slow
@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_runs(name, tmp_path):
    nbformat = pytest.importorskip("nbformat")
    from nbclient import NotebookClient

    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    NotebookClient(notebook, timeout=180, resources={"metadata": {"path": str(tmp_path)}}).execute(env=environment)
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    text = "\n".join(output.get("text") or output["data"]["text/plain"] for output in outputs)
    assert [part for part in SHOWN[name] if part not in text] == []
    assert [output for output in outputs if output.output_type == "stream" and output.name == "stderr"] == []
