"""HPO: a whole evaluation at the terminal, against a bare script that indexes and searches the same terms with bm25s."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from assay.datasets import load_dataset
from benchmarks._timing import Row, best_process, within

TRIES = 5
AT_MOST = 2
BARE = """
import json
import sys

import bm25s
import Stemmer

with open(sys.argv[1], encoding="utf-8") as file:
    content = json.load(file)
stemmer = Stemmer.Stemmer("english")
index = bm25s.BM25(method="lucene")
index.index(bm25s.tokenize(content["texts"], stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
tokens = bm25s.tokenize(content["queries"], stopwords="en", stemmer=stemmer, show_progress=False)
rows, _ = index.retrieve(tokens, k=100, show_progress=False)
ids, total = content["ids"], 0.0
for row, expected in zip(rows, content["expected"]):
    total += next((1 / rank for rank, number in enumerate(row, 1) if ids[number] in expected), 0.0)
print(total / len(rows))
"""
"""What somebody would write who wants mrr and no more."""


def measure() -> Iterator[Row]:
    """hpo-en with bm25 from start to table; the ontology was read before, but all is indexed and asked anew."""
    with tempfile.TemporaryDirectory() as folder:
        before, here = os.environ.get("ASSAY_CACHE"), Path.cwd()
        os.environ["ASSAY_CACHE"] = str(Path(folder, "cache"))
        try:
            data = _written(Path(folder))
            os.chdir(folder)
            yield _evaluation(data)
        finally:
            os.chdir(here)
            os.environ.pop("ASSAY_CACHE")
            if before is not None:
                os.environ["ASSAY_CACHE"] = before


def _evaluation(data: Path) -> Row:
    asked = "eval --benchmarks hpo-en --providers bm25 --metrics mrr --no-cache --quiet"
    ours, _ = best_process([sys.executable, "-m", "assay", *asked.split()], TRIES)
    theirs, _ = best_process([sys.executable, "-c", BARE, str(data)], TRIES)
    return within("assay eval, hpo-en with bm25", "bare bm25s", ours, theirs, AT_MOST)


def _written(folder: Path) -> Path:
    """The benchmark as the bare script reads it."""
    dataset = load_dataset("hpo-en")
    content = {
        "ids": list(dataset.documents),
        "texts": [document.content for document in dataset.documents.values()],
        "queries": [query.text for query in dataset.queries.values()],
        "expected": [list(dataset.qrels[query]) for query in dataset.queries],
    }
    file = folder / "hpo.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    return file
