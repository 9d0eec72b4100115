"""assay init: files for the data in a folder, which work as they are."""

import re
from pathlib import Path

import pytest

from assay.execution import load_plan

from .conftest import GOOD, POOR, QRELS

ROOT = Path(__file__).parents[2]
FILES = ("plan.yaml", "gate.yaml", ".github/workflows/retrieval.yml")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def walk(assay):
    """The commands that init names: evaluate, choose a baseline, check against it."""
    assert assay("plan", "check", "plan.yaml").code == 0
    assert assay("eval", "plan.yaml", "--quiet").code == 0
    assert assay("bless", "latest", "--as", "main").code == 0
    return assay("gate", "latest", "--rules", "gate.yaml")


def test_a_benchmark_with_documents_is_searched(folder, assay, snapshots):
    assert assay("datasets", "convert", "rag-template", "beir", "--to", "beir").code == 0
    done = assay("init")
    snapshots.check(
        "init/benchmark", "".join([done.out, *(f"\n=== {name}\n{(folder / name).read_text()}" for name in FILES)])
    )
    assert (done.code, done.err) == (0, "")
    assert walk(assay).code == 0
    assert [provider.name for provider in load_plan(Path("plan.yaml")).providers] == ["bm25"]


def test_judgments_and_runs_are_scored_as_recorded(folder, assay, snapshots):
    odd = "odd name's #1.run"
    write(
        folder,
        {"data/qrels.txt": QRELS, "data/good.run": GOOD, odd: GOOD, "poor.run": POOR, "other.run": "x Q0 d 1 1.0 t\n"},
    )
    done = assay("init")
    snapshots.check("init/runs", f"{done.out}\n{Path('plan.yaml').read_text()}")
    plan = load_plan(Path("plan.yaml"))
    assert plan.benchmarks == ("./data/qrels.txt",)
    assert len(plan.providers) == 3
    done = walk(assay)
    assert "failed = 0" in done.out
    assert done.code == 1  # poor.run has no answer for q2


def test_without_data_the_bundled_example_is_used(folder, assay, snapshots):
    write(folder, {"notes.md": "# notes\n", "package.json": "{}\n", "broken.jsonl": "{\n"})
    snapshots.check("init/nothing", assay("init").out)
    assert walk(assay).code == 0


def test_files_that_exist_are_kept_unless_forced(folder, assay):
    write(folder, {"plan.yaml": "mine\n"})
    assert "plan.yaml   exists already; --force overwrites it" in assay("init").out
    assert Path("plan.yaml").read_text() == "mine\n"
    assert "exists already" not in assay("init", "--force").out
    assert Path("plan.yaml").read_text() != "mine\n"


def test_another_folder_can_be_named(folder, assay):
    (folder / "there").mkdir()
    assert "  cd there\n" in assay("init", "there").out
    assert (folder / "there" / "plan.yaml").is_file()
    done = assay("init", "nowhere")
    assert (done.code, done.err) == (2, "error: nowhere is not a folder. Name a folder that exists\n")


def test_the_workflow_is_the_one_that_the_documentation_shows(folder, assay):
    assert assay("init").code == 0
    workflow = (folder / FILES[-1]).read_text()
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert workflow in re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
