"""Start-up: whole commands on tiny files, against an interpreter that imports NumPy or argparse."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks._timing import ROOT, Row, take_turns_as_processes, within_by_medians

TRIES = 15
EXAMPLES = ROOT / "examples"
QRELS, BM25, DENSE = (str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run"))
NUMPY, ARGPARSE = ([sys.executable, "-c", f"import {module}"] for module in ("numpy", "argparse"))


def measure() -> Iterator[Row]:
    """Both sides take turns, so that caches are equally warm."""
    yield _row("import assay", [sys.executable, "-c", "import assay"], 1.2)
    version = _assay("--version")
    yield within_by_medians(
        "assay --version", "import argparse", *take_turns_as_processes(version, ARGPARSE, tries=TRIES), 2.0
    )
    yield _row("assay --help", _assay("--help"), 1)
    yield _row("assay score, tiny files", _assay("score", QRELS, BM25, "-m", "ndcg@10"), 2.8)
    yield _row("assay compare, tiny files", _assay("compare", QRELS, BM25, DENSE, "-m", "ndcg@10"), 4)
    with TemporaryDirectory() as folder:
        store = str(Path(folder) / "results.db")
        plan = ("--benchmarks", "rag-template", "--providers", "bm25", "-m", "ndcg@10", "--store", store)
        yield _row("assay eval, bundled benchmark, bm25", _assay("eval", *plan), 25)
        report = _assay("report", QRELS, BM25, DENSE, "-m", "ndcg@10", "-o", str(Path(folder) / "report.html"))
        yield _row("assay report, tiny files", report, 25)


def _assay(*words: str) -> list[str]:
    return [sys.executable, "-m", "assay", *words]


def _row(case: str, command: list[str], bar: float) -> Row:
    return within_by_medians(case, "import numpy", *take_turns_as_processes(command, NUMPY, tries=TRIES), bar)
