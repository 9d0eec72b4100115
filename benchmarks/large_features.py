"""A file with the shape of a training split of MSLR-WEB30K: 2.27 million documents with 136 features, 2.4 GB of text."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks._data import FOLDER
from benchmarks._timing import Row, faster_in_turns, take_turns_as_processes, within
from benchmarks.letor import OURS, THEIRS

N_ROWS, N_QUERIES, N_FEATURES = 2_270_296, 18_919, 136
N_DRAWN = 20_000
"""Rows of features that are drawn; the documents repeat them, which makes the file quickly and costs a reader the same."""
SHARE_OF_WHOLE = 0.7
"""The share of features with whole numbers, such as counts of words."""
LABELS = (0.52, 0.32, 0.13, 0.02, 0.01)
"""The shares of the labels 0 to 4."""


def measure() -> Iterator[Row]:
    """Reading, and an evaluation of a single feature, as processes."""
    path = str(make_file())
    ours, theirs = take_turns_as_processes([sys.executable, "-c", OURS, path], [sys.executable, "-c", THEIRS, path], tries=1)
    case = f"read {N_ROWS:,} documents, {N_FEATURES} features"
    yield faster_in_turns(case, "scikit-learn, load_svmlight_file(query_id=True)", ours, theirs, 5)
    yield within("… peak memory", "500 MB", ours.megabytes, 500, 1, "MB")
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "assay.db"
        command = [sys.executable, "-m", "assay", "eval", "--benchmarks", path, "--providers", "feature(1)"]
        (cost,) = take_turns_as_processes([*command, "--metrics", "ndcg@10", "-q", "--store", str(store)], tries=1)
    more = f"CPU {cost.cpu:.0f} s; wall {cost.wall:.0f} s; the mapped array is {N_ROWS * N_FEATURES * 4 / 1e6:,.0f} MB of it"
    yield within("assay eval with feature(1): peak memory", "3,000 MB", cost.megabytes, 3000, 1, "MB", more)


def make_file() -> Path:
    """The seeded file."""
    path = FOLDER / "mslr-train.txt"
    if path.exists():
        return path
    FOLDER.mkdir(exist_ok=True)
    rng = np.random.default_rng(0)
    is_whole = rng.random(N_FEATURES) < SHARE_OF_WHOLE
    rows = [_features(rng, is_whole) for _ in range(N_DRAWN)]
    drawn, labels = rng.integers(0, N_DRAWN, N_ROWS).tolist(), rng.choice(5, N_ROWS, p=LABELS).tolist()
    query = (np.arange(N_ROWS) * N_QUERIES // N_ROWS * 15 + 1).tolist()
    unfinished = path.with_suffix(".part")
    with unfinished.open("w", buffering=1 << 22) as file:
        for number, label, row in zip(query, labels, drawn, strict=True):
            file.write(f"{label} qid:{number} {rows[row]} \n")
    unfinished.rename(path)
    return path


def _features(rng: np.random.Generator, is_whole: np.ndarray) -> str:
    """The features of a line: counts, and numbers from 0 to 20 with six decimals."""
    counts, others = rng.geometric(0.35, N_FEATURES) - 1, rng.random(N_FEATURES) * 20
    values = (str(count) if whole else f"{other:.6f}" for whole, count, other in zip(is_whole, counts, others, strict=True))
    return " ".join(f"{number}:{value}" for number, value in enumerate(values, 1))
