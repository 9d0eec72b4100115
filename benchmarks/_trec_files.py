"""TREC files for the benchmarks: seeded, written once and kept in `data`."""

from __future__ import annotations

import gzip
import shutil
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks._data import FOLDER

N_DOCUMENTS = 8_800_000
"""Documents of the collection, as in MS MARCO."""


@dataclass(frozen=True)
class Shape:
    """What a run file looks like."""

    n_queries: int
    n_docs: int = 1000
    n_judged: int = 50
    scores: str = "float"
    """float, rounded (one decimal) or integer (1 to 39)."""
    order: str = "sorted"
    """sorted by score; shuffled within each query; or scattered over the whole file."""
    ids: str = "number"
    """number or uuid."""
    seed: int = 0

    @property
    def name(self) -> str:
        """The name of the files."""
        return "-".join(str(getattr(self, field)) for field in self.__dataclass_fields__)


def make_trec_files(shape: Shape) -> tuple[Path, Path]:
    """Judgments and a run; half of the judged documents are retrieved."""
    FOLDER.mkdir(exist_ok=True)
    qrels, run = FOLDER / f"{shape.name}.qrels", FOLDER / f"{shape.name}.run"
    if not run.exists():
        unfinished = run.with_suffix(".part")
        with unfinished.open("w") as run_file, qrels.open("w") as qrels_file:
            lines: list[str] = []
            for judgments, rows in _queries(shape):
                qrels_file.writelines(judgments)
                if shape.order == "scattered":
                    lines.extend(rows)
                else:
                    run_file.writelines(rows)
            run_file.writelines(lines[place] for place in np.random.default_rng(1).permutation(len(lines)).tolist())
        unfinished.rename(run)
    return qrels, run


def _queries(shape: Shape) -> Iterator[tuple[list[str], list[str]]]:
    rng = np.random.default_rng(shape.seed)
    document = _uuid if shape.ids == "uuid" else "D{}".format
    for query in range(1, shape.n_queries + 1):
        ids = np.unique(rng.integers(0, N_DOCUMENTS, shape.n_docs + shape.n_docs // 8 + 20))
        ids = rng.permutation(ids)[: shape.n_docs]
        scores = _scores(shape, rng)
        if shape.order != "sorted":
            order = rng.permutation(shape.n_docs)
            ids, scores = ids[order], scores[order]
        yield _judgments(shape, query, ids, rng, document), _rows(shape, query, ids, scores, document)


def _scores(shape: Shape, rng: np.random.Generator) -> np.ndarray:
    if shape.scores == "integer":
        return np.sort(rng.integers(1, 40, shape.n_docs))[::-1]
    scores = np.sort(rng.gamma(2, 3, shape.n_docs))[::-1]
    return np.round(scores, 1) if shape.scores == "rounded" else scores


def _judgments(
    shape: Shape, query: int, ids: np.ndarray, rng: np.random.Generator, document: Callable[[int], str]
) -> list[str]:
    half = shape.n_judged // 2
    judged = np.unique(np.concatenate([rng.choice(ids, half), rng.integers(0, N_DOCUMENTS, half)]))
    grades = rng.integers(0, 4, len(judged)).tolist()
    return [f"{query} 0 {document(doc)} {grade}\n" for doc, grade in zip(judged.tolist(), grades, strict=True)]


def _rows(shape: Shape, query: int, ids: np.ndarray, scores: np.ndarray, document: Callable[[int], str]) -> list[str]:
    form = {"float": ".6f", "rounded": ".1f", "integer": "d"}[shape.scores]
    rows = enumerate(zip(ids.tolist(), scores.tolist(), strict=True), 1)
    return [f"{query} Q0 {document(doc)} {rank} {score:{form}} bench\n" for rank, (doc, score) in rows]


def _uuid(number: int) -> str:
    return str(uuid.UUID(int=(number * 0x9E3779B97F4A7C15F39CC0605CEDC835) % (1 << 128)))


def compressed(run: Path, extension: str) -> Path:
    """The run as a .gz or .zst file."""
    target = run.with_name(f"{run.name}.{extension}")
    if not target.exists():
        import zstandard

        unfinished = target.with_name(f"{target.name}.part")
        with run.open("rb") as source, unfinished.open("wb") as raw:
            if extension == "gz":
                with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=6) as sink:
                    shutil.copyfileobj(source, sink)
            else:
                zstandard.ZstdCompressor().copy_stream(source, raw)
        unfinished.rename(target)
    return target
