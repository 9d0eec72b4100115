"""Evaluations in processes of their own: on a full disk, and where a retriever never comes back."""

import json
import subprocess
import sys

import pytest

from assay.execution import ExecutionOptions, WrittenPlan, execute_plan, make_plan

from ._plans import read_log
from ._retrievers import LONG, benchmark

pytestmark = pytest.mark.slow

N = 40
RETRIEVER = """
def search(text: str, k: int):
    with open("asked.txt", "a") as asked:
        print(text, file=asked)
    return [f"d{text.split()[1]}"]
"""
FULL = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
from assay.execution import ExecutionOptions, WrittenPlan, execute_plan, make_plan
execute_plan(make_plan(WrittenPlan(json.loads(sys.argv[2]))), ExecutionOptions())
"""


def run(folder, *arguments, check=False):
    """Run Python there."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=6 * LONG, check=check)


def test_on_a_full_disk_it_stops_and_goes_on_when_there_is_room(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    benchmark(N).save_json(tmp_path / "small.json")
    (tmp_path / "full_disk.py").write_text(RETRIEVER)
    content = {"benchmarks": ["small.json"], "providers": ["python:full_disk:search"], "metrics": ["mrr"], "retries": 0}
    plan = make_plan(WrittenPlan(content))
    (expected,) = execute_plan(plan, ExecutionOptions())
    (log,) = (tmp_path / ".assay" / "runs").glob("*.log")
    size = log.stat().st_size
    for path in (log, tmp_path / "asked.txt"):
        path.unlink()
    full = run(tmp_path, "-c", FULL, str(size - 500), json.dumps(content))
    assert "DataError: .assay/runs/" in full.stderr
    assert "File too large. Free disk space" in full.stderr
    (log,) = (tmp_path / ".assay" / "runs").glob("*.log")
    kept = {answer["query"] for line in read_log(log)[1:] for answer in line["answers"]}
    assert 0 < len(kept) < N
    (tmp_path / "asked.txt").unlink()
    (result,) = execute_plan(plan, ExecutionOptions(resume=True))
    assert result.run == expected.run
    asked = {f"q{line.split()[1]}" for line in (tmp_path / "asked.txt").read_text().splitlines()}
    assert asked == set(result.run) - kept


HANGS = """
import threading, assay
class Hangs:
    batch = 1
    def search(self, queries, k):
        threading.Event().wait()
for how in ({}, {"batch": 1000}, {"batch": 1000, "batch_size": 2}):
    Hangs.batch = how.pop("batch", 1)
    try:
        assay.run("rag-template", Hangs(), "mrr", timeout=0.05, retries=0, selection={"limit": 2}, **how)
    except assay.ProviderError:
        print("over")
"""


def test_a_hanging_retriever_does_not_keep_the_process_alive(tmp_path):
    assert run(tmp_path, "-c", HANGS, check=True).stdout == "over\n" * 3
