"""Files for learning to rank: the reader of features against scikit-learn, on data like MSLR and like LETOR."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks._data import FOLDER
from benchmarks._timing import Row, faster_in_turns, take_turns_as_processes, within

OURS = """
import sys
from assay.files import FileSource, read_features
table = read_features(FileSource(sys.argv[1]))
print(table.values.shape, len(table.query_ids), float(table.labels.sum()))
"""
THEIRS = """
import sys
from sklearn.datasets import load_svmlight_file
values, labels, queries = load_svmlight_file(sys.argv[1], query_id=True)
print(values.shape, len(set(queries.tolist())), float(labels.sum()))
"""
CASES = [
    ("136 features, as in MSLR", 100_000, 136, False, 5.0),
    ("46 features with comments, as in LETOR 4", 200_000, 46, True, 5.0),
    ("700 features, of which a line has 30 %", 20_000, 700, False, 5.0),
]
QUERY = 120
"""Documents of a query."""
TRIES = 3


def measure() -> Iterator[Row]:
    """CPU time of a process that reads a file, with its imports; and the memory that it needs."""
    for name, n_rows, n_features, has_comments, target in CASES:
        path = str(make_letor(n_rows, n_features, has_comments=has_comments, share=0.3 if n_features > 200 else 1.0))
        ours, theirs = take_turns_as_processes(
            [sys.executable, "-c", OURS, path], [sys.executable, "-c", THEIRS, path], tries=TRIES
        )
        case = f"{n_rows:,} documents, {name}"
        yield faster_in_turns(case, "scikit-learn, load_svmlight_file(query_id=True)", ours, theirs, target)
        yield within("… peak memory", "scikit-learn", ours.megabytes, theirs.megabytes, 1.0, unit="MB")


def make_letor(n_rows: int, n_features: int, *, has_comments: bool, share: float = 1.0) -> Path:
    """A file of seeded documents; every seventh feature is a whole number, the others have six decimals."""
    path = FOLDER / f"letor-{n_rows}-{n_features}-{share}.txt"
    if path.exists():
        return path
    FOLDER.mkdir(exist_ok=True)
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        for row in range(n_rows):
            values = [f"{value:.6f}" for value in rng.random(n_features).tolist()]
            values[::7] = map(str, rng.integers(0, 500, len(values[::7])).tolist())
            there = range(n_features) if share == 1 else np.flatnonzero(rng.random(n_features) < share).tolist()
            features = " ".join(f"{number + 1}:{values[number]}" for number in there)
            comment = f" #docid = GX{row:09d} inc = 1 prob = 0.08" if has_comments else " "
            file.write(f"{rng.integers(0, 5)} qid:{row // QUERY + 1} {features}{comment}\n")
    return path
