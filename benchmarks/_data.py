"""Seeded data: the same judgments and runs for every tool."""

from __future__ import annotations

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "data"

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def make_dicts(
    n_queries: int,
    n_docs: int,
    n_judged: int,
    *,
    ties: float = 0.0,
    decimals: int = 1,
    shuffled: bool = False,
    whole_numbers: bool = False,
) -> tuple[Qrels, Run]:
    """Judgments and a run as nested dicts; half of the judged documents are retrieved.

    In a share `ties` of the queries scores are rounded to a few decimals, which ties almost every document. With
    `whole_numbers`, all scores are numbers from 1 to 39.
    """
    rng = np.random.default_rng(0)
    qrels: Qrels = {}
    run: Run = {}
    for number in range(n_queries):
        ids = rng.choice(max(20 * n_docs, 1000), n_docs, replace=False)
        scores = np.sort(rng.gamma(2, 3, n_docs).astype(np.float32))[::-1].astype(float)
        if whole_numbers:
            scores = np.sort(rng.integers(1, 40, n_docs))[::-1].astype(float)
        elif rng.random() < ties:
            scores = np.round(scores, decimals)
        order = rng.permutation(n_docs) if shuffled else np.arange(n_docs)
        docs = [f"D{doc}" for doc in ids[order].tolist()]
        run[f"q{number}"] = dict(zip(docs, scores[order].tolist(), strict=True))
        found = [docs[place] for place in rng.choice(n_docs, n_judged // 2, replace=False).tolist()]
        missed = [f"M{number}" for number in range(n_judged - len(found))]
        grades = rng.integers(0, 4, n_judged).tolist()
        qrels[f"q{number}"] = dict(zip(found + missed, grades, strict=True))
    return qrels, run


def make_files(n_queries: int, n_docs: int = 1000, n_judged: int = 50, *, ties: float = 0.0) -> tuple[Path, Path]:
    """TREC files of `n_queries` × `n_docs` rows, with ties in a share of the queries; written once and kept."""
    FOLDER.mkdir(exist_ok=True)
    name = f"{n_queries}-ties-{ties:g}" if ties else str(n_queries)
    qrels, run = FOLDER / f"{name}.qrels", FOLDER / f"{name}.run"
    if not run.exists():
        rng = np.random.default_rng(n_queries)
        unfinished = run.with_suffix(".part")
        with unfinished.open("w") as run_file, qrels.open("w") as qrels_file:
            for query in range(1, n_queries + 1):
                ids = rng.choice(8_800_000, n_docs, replace=False)
                scores = np.sort(rng.gamma(2, 3, n_docs))[::-1]
                if ties and rng.random() < ties:
                    scores = np.round(scores, 1)
                rows = enumerate(zip(ids.tolist(), scores.tolist(), strict=True), 1)
                run_file.writelines(f"{query} Q0 D{doc} {rank} {score:.6f} bench\n" for rank, (doc, score) in rows)
                judged = np.unique(np.concatenate([rng.choice(ids, n_judged // 2), rng.choice(8_800_000, n_judged // 2)]))
                grades = rng.integers(0, 4, len(judged)).tolist()
                qrels_file.writelines(
                    f"{query} 0 D{doc} {grade}\n" for doc, grade in zip(judged.tolist(), grades, strict=True)
                )
        unfinished.rename(run)
    return qrels, run
