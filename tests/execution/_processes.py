"""Evaluations in processes of their own, which can be killed: a folder with a benchmark, retrievers and a program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from assay import BenchmarkDataset, Document, Query

from ._plans import read_log
from ._retrievers import LONG

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


def start(folder: Path, content: dict[str, Any], **how: Any) -> subprocess.Popen[str]:
    """An evaluation in a process of its own."""
    command = [sys.executable, "evaluate.py", json.dumps({"providers": "python:mine:Batches", **content}), json.dumps(how)]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def outcome(child: subprocess.Popen[str]) -> Any:
    """What it found, or what it complained of."""
    out, err = child.communicate(timeout=3 * LONG)
    return json.loads(out) if child.returncode == 0 else err.strip()


def evaluated(folder: Path, content: dict[str, Any], **how: Any) -> Any:
    """What an evaluation finds, or complains of."""
    return outcome(start(folder, content, **how))


def asked(folder: Path) -> list[str]:
    """The queries that were asked, one after the other."""
    file = folder / "asked.txt"
    return file.read_text().split() if file.exists() else []


def logged(folder: Path) -> set[str]:
    """The queries whose answers are kept."""
    lines = [line for path in (folder / ".assay" / "runs").glob("*.log") for line in read_log(path)[1:]]
    return {answer["query"] for line in lines for answer in line["answers"] if not answer.get("error")}
