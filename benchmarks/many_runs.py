"""Ten thousand small run files in one command: memory must stay bounded."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks._data import FOLDER
from benchmarks._timing import Row, take_turns_as_processes, within

N_RUNS, N_QUERIES, N_DOCS = 10_000, 50, 20


def measure() -> Iterator[Row]:
    """Each run has 50 queries with 20 documents; all scores are written to a Parquet file."""
    folder = _make_runs()
    with TemporaryDirectory() as target:
        few, many = (_command(folder, n, Path(target)) for n in (N_RUNS // 10, N_RUNS))
        small, large = (take_turns_as_processes(command, tries=1)[0] for command in (few, many))
    more = f"CPU {large.cpu:.0f} s / {small.cpu:.1f} s"
    yield within(f"assay score, {N_RUNS:,} runs: peak memory", "600 MB", large.megabytes, 600, 1, "MB", more)
    yield within("… CPU", f"itself with {N_RUNS // 10:,} runs", large.cpu, small.cpu, 11)


def _command(folder: Path, n_runs: int, target: Path) -> list[str]:
    runs = [str(folder / f"{number:05}.run") for number in range(n_runs)]
    scores = str(target / "scores.parquet")
    return [sys.executable, "-m", "assay", "score", str(folder / "qrels.txt"), *runs, "-m", "ndcg@10", "map", "-o", scores]


def _make_runs() -> Path:
    folder = FOLDER / "many-runs"
    if not (folder / "qrels.txt").exists():
        folder.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng(0)
        for number in range(N_RUNS):
            docs = np.argsort(rng.random((N_QUERIES, 200)))[:, :N_DOCS].tolist()
            lines = [
                f"q{query} Q0 d{doc} {rank} {N_DOCS - rank} run{number}\n"
                for query, row in enumerate(docs)
                for rank, doc in enumerate(row, 1)
            ]
            (folder / f"{number:05}.run").write_text("".join(lines))
        judgments = [f"q{query} 0 d{doc} {doc % 3}\n" for query in range(N_QUERIES) for doc in range(30)]
        (folder / "qrels.txt").write_text("".join(judgments))
    return folder
