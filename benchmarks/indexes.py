"""Indexes: the time until the first answer when the index is built and when it is cached, and the peak of memory.

`ASSAY_BENCH_DOCUMENTS` sets the number of short documents; the default is a million.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks._data import FOLDER
from benchmarks._timing import Row, within

N_DOCUMENTS = int(os.environ.get("ASSAY_BENCH_DOCUMENTS", "1000000"))
N_QUERIES, N_WORDS, DOCUMENTS_AT_ONCE = 100, 200_000, 10_000
PROGRAM = """
import resource, sys, time
from assay.providers.catalog.bm25 import Bm25

plain = Bm25.search

def search(self, queries, k):
    answers = plain(self, queries, k)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(time.process_time(), peak, file=sys.stderr)
    Bm25.search = plain
    return answers

Bm25.search = search
from assay.cli import main
sys.exit(main(["eval", "--benchmarks", sys.argv[1], "--providers", "bm25", "--metrics", "ndcg@10", "--quiet", "-f", "csv"]))
"""


def measure() -> Iterator[Row]:
    """CPU seconds of whole evaluations up to the first answer."""
    benchmark = make_benchmark(N_DOCUMENTS)
    with tempfile.TemporaryDirectory() as folder:
        built, peak_built = _first_answer(benchmark, Path(folder))
        for log in (Path(folder) / ".assay" / "answers").glob("*.log"):
            log.unlink()
        cached, peak_cached = _first_answer(benchmark, Path(folder))
    case = f"bm25 over {N_DOCUMENTS:,} documents, first answer of the second run (CPU)"
    yield within(case, "3 s", cached, 3.0, 1)
    yield within(case, "the first run", cached, built, 0.25)
    yield within(f"{case}: memory", "the first run", peak_cached, peak_built, 1, "MB")


def _first_answer(benchmark: Path, folder: Path) -> tuple[float, float]:
    """CPU seconds and megabytes of a process when it has its first answer."""
    command = [sys.executable, "-c", PROGRAM, str(benchmark)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    seconds, megabytes = done.stderr.split()[:2]
    return float(seconds), float(megabytes)


def make_benchmark(n_documents: int) -> Path:
    """A BEIR folder of documents with 6 to 18 words, whose frequencies follow Zipf's law; written once."""
    folder = FOLDER / f"documents-{n_documents}"
    corpus = folder / "corpus.jsonl"
    if corpus.exists():
        return folder
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    words = np.array([f"word{number:x}" for number in range(N_WORDS)], object)
    unfinished = corpus.with_suffix(".part")
    with unfinished.open("w") as file:
        for start in range(0, n_documents, DOCUMENTS_AT_ONCE):
            lengths = rng.integers(6, 19, min(DOCUMENTS_AT_ONCE, n_documents - start))
            texts = words[rng.zipf(1.15, int(lengths.sum())) % N_WORDS]
            ends = np.cumsum(lengths).tolist()
            for place, (length, end) in enumerate(zip(lengths.tolist(), ends, strict=True)):
                text = " ".join(texts[end - length : end])
                file.write(f'{{"_id": "d{start + place:08d}", "text": "{text}"}}\n')
    asked = range(N_QUERIES)
    queries = (f'{{"_id": "q{query}", "text": "{" ".join(words[rng.integers(0, 20_000, 4)])}"}}\n' for query in asked)
    (folder / "queries.jsonl").write_text("".join(queries))
    judged = "".join(f"q{query}\td{rng.integers(0, n_documents):08d}\t1\n" for query in asked)
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}")
    unfinished.rename(corpus)
    return folder
