"""Evaluations in processes of their own: killed at any instant, on a full disk, and where a retriever never comes back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay import BenchmarkDataset, Document, Query

from ._plans import read_log
from ._retrievers import LONG

pytestmark = pytest.mark.slow

N = 40
RETRIEVERS = """
import os, time, zlib
from pathlib import Path

def ranked(text, k):
    docs = sorted((f"d{n}" for n in range(40)), key=lambda doc: zlib.crc32((text + doc).encode()))
    return [(doc, 10.0 - place) for place, doc in enumerate(docs[:k])]

def note(texts):
    asked = os.open("asked.txt", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(asked, "".join(f"{text}\\n" for text in texts).encode())
    os.close(asked)
    time.sleep(float(os.environ.get("SLEEP", "0")) * len(texts))
    if set(texts) & set(os.environ.get("FAIL", "").split(",")):
        raise ValueError("told to fail")

def search(text: str, k: int):
    note([text])
    return ranked(text, k)

class Batches:
    def index(self, documents):
        self.n_documents = len(list(documents))

    def search(self, queries, k):
        note([query.text for query in queries])
        return [ranked(query.text, k) for query in queries]
"""
PROGRAM = """
import json, sys
from assay.errors import AssayError
from assay.execution import ExecutionOptions, WrittenPlan, execute_plan, make_plan

def figures(result):
    # all that must be the same every time, which times are not
    scores = {name: result.scores(name) for name in ("mrr", "ndcg@10")}
    return {"run": {query: list(ranking.items()) for query, ranking in result.run.items()}, "scores": scores,
            "failures": result.failures, "counts": result.counts}

def planned(content):
    usual = {"benchmarks": "small.json", "metrics": ["mrr", "ndcg@10"], "k": 5, "retries": 0}
    return make_plan(WrittenPlan({**usual, **content}))

def evaluate(content, **how):
    return [figures(result) for result in execute_plan(planned(content), ExecutionOptions(**how))]

if __name__ == "__main__":
    try:
        print(json.dumps(evaluate(json.loads(sys.argv[1]), **json.loads(sys.argv[2]))))
    except AssayError as error:
        sys.exit(f"{type(error).__name__}: {error}")
"""


def furnish(folder: Path) -> Path:
    """Put a benchmark, retrievers and a program that evaluates them into a folder."""
    dataset = BenchmarkDataset("small")
    for n in range(N):
        dataset.add_query(Query(f"q{n}", f"q{n}"))
        dataset.add_document(Document(f"d{n}", f"text {n}"))
        dataset.qrels[f"q{n}"] = {f"d{m}": float(m % 3) for m in range(n % 4, N, 5)}
    dataset.save_json(folder / "small.json")
    (folder / "mine.py").write_text(RETRIEVERS)
    (folder / "evaluate.py").write_text(PROGRAM)
    return folder


def evaluated(folder: Path, content: dict[str, Any], **how: Any) -> Any:
    """What an evaluation in a process of its own finds."""
    given = [json.dumps({"providers": "python:mine:Batches", **content}), json.dumps(how)]
    return json.loads(run(folder, "evaluate.py", *given, check=True).stdout)


def run(folder: Path, *arguments: str, check: bool = False) -> subprocess.CompletedProcess[str]:
    """Run Python there."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=6 * LONG, check=check)


def asked(folder: Path) -> list[str]:
    """The queries that were asked, one after the other."""
    file = folder / "asked.txt"
    return file.read_text().split() if file.exists() else []


def logged(folder: Path) -> set[str]:
    """The queries whose answers are kept."""
    lines = [line for path in (folder / ".assay" / "runs").glob("*.log") for line in read_log(path)[1:]]
    return {answer["query"] for line in lines for answer in line["answers"] if not answer.get("error")}


ROOT = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path):
    """A folder to evaluate in."""
    return furnish(tmp_path)


FULL = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
from evaluate import evaluate
evaluate({"providers": "python:mine:Batches", "batch_size": 4})
"""


def test_on_a_full_disk_it_stops_and_goes_on_when_there_is_room(place):
    (expected,) = evaluated(place, {"batch_size": 4})
    (log,) = (place / ".assay" / "runs").glob("*.log")
    size = log.stat().st_size
    log.unlink()
    (place / "asked.txt").unlink()
    full = run(place, "-c", FULL, str(size - 500))
    assert "DataError: .assay/runs/" in full.stderr
    assert "File too large; make room" in full.stderr
    kept, before = logged(place), len(asked(place))
    assert 0 < len(kept) < N
    assert evaluated(place, {"batch_size": 4}, resume=True) == [expected]
    assert not kept & set(asked(place)[before:])


KILLS = """
import json, os, random, shutil, signal, sys, time, traceback
from pathlib import Path
sys.path[:0] = [".", sys.argv[3]]
from evaluate import evaluate, planned
from assay.datasets import load_dataset
from tests.execution._plans import read_log

WAYS = [{"providers": "python:mine:Batches"}, {"providers": "python:mine:Batches", "batch_size": 7},
        {"providers": "python:mine:search", "concurrency": 3}]

for way in WAYS:  # so that all is imported already in the processes to kill
    planned(way).providers[0].check()
load_dataset("small.json")

def child(way, resume):
    number = os.fork()
    if number == 0:
        code = 1
        try:
            found = evaluate(way, resume=resume)
            Path("part.json").write_text(json.dumps(found))
            Path("part.json").replace("result.json")
            code = 0
        except Exception:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    return number

def asked():
    return Path("asked.txt").read_text().split() if Path("asked.txt").exists() else []

def kept():
    lines = [line for path in Path(".assay/runs").glob("*.log") for line in read_log(path)[1:]]
    return {answer["query"] for line in lines for answer in line["answers"]}

def finished():
    found = json.loads(Path("result.json").read_text())
    Path("result.json").unlink()
    shutil.rmtree(".assay")
    return found

def uninterrupted(way):
    began = time.monotonic()
    os.waitpid(child(way, False), 0)
    return finished(), time.monotonic() - began

chance, results, n_killed, n_in_the_middle = random.Random(7), [], [], 0
deadline = time.monotonic() + float(sys.argv[2])
for way in WAYS:
    expected, seconds = uninterrupted(way)
    n, resume, is_done = 0, False, False
    while not is_done:
        before, known = asked(), kept() if resume else set()
        number = child(way, resume)
        is_last = n >= int(sys.argv[1]) or time.monotonic() > deadline
        if not is_last:
            time.sleep(chance.uniform(0, 1.2 * seconds))
            os.kill(number, signal.SIGKILL)
        _, status = os.waitpid(number, 0)
        again = asked()[len(before):]
        assert not known & set(again), (known, again)
        assert len(again) == len(set(again)), again
        if os.WIFSIGNALED(status):
            n, resume = n + 1, True
            n_in_the_middle += 0 < len(kept()) < 40
        else:
            assert os.WEXITSTATUS(status) == 0
            assert finished() == expected
            resume, is_done = False, is_last
    results.append(expected)
    n_killed.append(n)
same = all(one == results[0] for one in results)
print(json.dumps({"n_killed": n_killed, "n_in_the_middle": n_in_the_middle, "same": same}))
"""


def test_killed_at_any_instant_the_result_is_the_same(place, monkeypatch):
    """Retrievers that are asked in batches, growing and of a chosen size, and one that is asked one by one."""
    monkeypatch.setenv("SLEEP", "0.005")
    done = run(place, "-c", KILLS, "9", "15", str(ROOT))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert sum(found["n_killed"]) >= 9  # 27, unless the machine has much else to do
    assert found["n_in_the_middle"] >= 3
    assert found["same"]


HANGS = """
import threading, assay
class Hangs:
    batch = 1
    def search(self, queries, k):
        threading.Event().wait()
try:
    assay.run("rag-template", Hangs(), "mrr", timeout=0.05, retries=0, selection={"limit": 2}, **HOW)
except assay.ProviderError:
    print("over")
"""


def test_a_hanging_retriever_does_not_keep_the_process_alive(place):
    for batch, how in (("1", "{}"), ("1000", "{}"), ("1000", "{'batch_size': 2}")):
        program = HANGS.replace("batch = 1\n", f"batch = {batch}\n").replace("**HOW", f"**{how}")
        assert run(place, "-c", program, check=True).stdout == "over\n", batch
