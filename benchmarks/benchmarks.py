"""Loading benchmarks and deciding about relevance by words, against plain loops."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from assay.datasets import load_dataset
from assay.model import Hit, Query
from assay.relevance import Ground, resolve
from benchmarks._data import FOLDER
from benchmarks._timing import Row, best_process, best_time, faster, within

PLAIN_LOAD = """
import json, sys
from pathlib import Path
folder = Path(sys.argv[1])
corpus = {row["_id"]: row for row in map(json.loads, (folder / "corpus.jsonl").open("rb"))}
queries = {row["_id"]: row for row in map(json.loads, (folder / "queries.jsonl").open("rb"))}
qrels = {}
for line in (folder / "qrels" / "test.tsv").open().read().splitlines()[1:]:
    query, doc, grade = line.split("\\t")
    qrels.setdefault(query, {})[doc] = int(grade)
print(len(corpus), len(queries), len(qrels))
"""
OUR_LOAD = """
import sys, assay
dataset = assay.load_dataset(sys.argv[1])
print(len(dataset.documents), len(dataset.queries), len(dataset.qrels))
"""


def measure() -> Iterator[Row]:
    """A BEIR folder of a million documents; a JSON file of two million judgments; a million pairs of texts."""
    yield from _beir()
    yield from _json()
    yield from _token()


def _beir() -> Iterator[Row]:
    folder = str(make_beir(1_000_000))
    ours = best_process([sys.executable, "-c", OUR_LOAD, folder], tries=2)
    theirs = best_process([sys.executable, "-c", PLAIN_LOAD, folder], tries=2)
    yield faster("BEIR folder, 1 M documents", "loop over json.loads", ours[0], theirs[0], 2)
    yield within("… peak memory", "loop over json.loads", ours[1], theirs[1], 0.5, unit="MB")


def _json() -> Iterator[Row]:
    path = make_json(100_000, 20)
    ours = best_time(partial(load_dataset, path), tries=3)
    theirs = best_time(lambda: json.loads(path.read_bytes()), tries=3)
    yield within("JSON, 100,000 queries × 20 judgments", "json.loads", ours, theirs, 2)


def _token() -> Iterator[Row]:
    ground, pairs = make_pairs(20_000, 50, 50_000)
    ours = best_time(lambda: resolve(_again(ground), "token"), tries=2)
    sample = pairs[: len(pairs) // 20]
    theirs = best_time(lambda: [plain_f1(*pair) >= 0.3 for pair in sample], tries=2) * 20
    yield faster("token relevance, 1 M pairs, 50,000 texts", "a loop over pairs", ours, theirs, 5)


def _again(ground: Ground) -> Ground:
    """The same without what was worked out before."""
    return Ground(ground.queries, ground.hits)


def plain_f1(expected: str, text: str) -> float:
    """Token F1 of one pair, as a plain implementation has it."""
    import re

    wanted, found = (set(re.findall(r"\w+", one.lower())) for one in (expected, text))
    shared = len(wanted & found)
    return 2 * shared / (len(wanted) + len(found)) if shared else 0.0


def make_beir(n_documents: int) -> Path:
    """A BEIR folder, written once and kept."""
    folder = FOLDER / f"beir-{n_documents}"
    if not (folder / "qrels" / "test.tsv").exists():
        rng = np.random.default_rng(0)
        words = np.array([f"word{number}" for number in range(20_000)])
        (folder / "qrels").mkdir(parents=True, exist_ok=True)
        with (folder / "corpus.jsonl").open("w") as file:
            for start in range(0, n_documents, 10_000):
                for number, row in enumerate(words[rng.integers(0, len(words), (10_000, 60))].tolist(), start):
                    row_text = {"_id": f"doc{number}", "title": " ".join(row[:5]), "text": " ".join(row), "metadata": {}}
                    file.write(json.dumps(row_text) + "\n")
        queries = [{"_id": f"q{number}", "text": f"word{number} word7"} for number in range(10_000)]
        (folder / "queries.jsonl").write_text("".join(json.dumps(query) + "\n" for query in queries))
        judged = "".join(f"q{number}\tdoc{number * 7}\t1\n" for number in range(10_000))
        (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + judged)
    return folder


def make_json(n_queries: int, n_judged: int) -> Path:
    """A dataset in one JSON file, written once and kept."""
    path = FOLDER / f"dataset-{n_queries}.json"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        queries = {
            f"q{n}": {"query_id": f"q{n}", "text": f"what is thing {n}?", "difficulty": "easy"} for n in range(n_queries)
        }
        qrels = {query: {f"d{n * 31 + place}": place % 4 for place in range(n_judged)} for n, query in enumerate(queries)}
        content = {
            "metadata": {"dataset_name": "bench", "version": "1.0"},
            "queries": queries,
            "documents": {},
            "qrels": qrels,
        }
        path.write_text(json.dumps(content))
    return path


def make_pairs(n_queries: int, n_hits: int, n_texts: int) -> tuple[Ground, list[tuple[str, str]]]:
    """Questions with expected answers, and retrieved texts."""
    rng = np.random.default_rng(1)
    words = np.array([f"word{number}" for number in range(20_000)])
    places = (20_000 * rng.random((n_texts, 40)) ** 3).astype(int)
    texts = [" ".join(row) for row in words[places].tolist()]
    wanted = [" ".join(row) for row in words[(20_000 * rng.random((n_queries, 12)) ** 3).astype(int)].tolist()]
    chosen = rng.integers(0, n_texts, (n_queries, n_hits)).tolist()
    queries = {f"q{n}": Query(f"q{n}", expected=text) for n, text in enumerate(wanted)}
    hits = {f"q{n}": [Hit(f"c{rank}", -rank, texts[one]) for rank, one in enumerate(row)] for n, row in enumerate(chosen)}
    pairs = [(wanted[n], texts[one]) for n, row in enumerate(chosen) for one in row]
    return Ground(queries, hits), pairs
