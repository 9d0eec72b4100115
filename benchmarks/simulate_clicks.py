"""Simulated clicks: how well judgments from clicks find the order of documents, for each click model.

Run `python -m benchmarks.simulate_clicks [impressions]`. Documents have a known attractiveness. Users look at rank r with
the probability r^−η, and click if they look and the document attracts them (the position-based model). Or they read from the
top and stop when they are satisfied (the cascade of SDBN). The search engine is not perfect, and changes its order a little
from search to search. Kendall's τ compares the order of the estimates with the true order, over the documents of each query.
The last column is the best that any model could do: the rate of clicks if it were known at which documents each user looked,
for the documents that users looked at at least 50 times.
"""

from __future__ import annotations

import sys

import numpy as np

import assay

QUERIES, DOCUMENTS, DEPTH = 20, 12, 10
BIASES = (0.0, 0.5, 1.0, 1.5, 2.0)
LEAST = 50


def simulate(
    impressions: int, eta: float, seed: int, *, cascade: bool = False
) -> tuple[dict[str, list[object]], np.ndarray, assay.Qrels]:
    """The columns of a log, the attractiveness of each query and document, and its estimate if all looks were known."""
    random = np.random.default_rng(seed)
    truth = random.beta(1, 3, (QUERIES, DOCUMENTS))
    satisfied = random.uniform(0.3, 0.9, (QUERIES, DOCUMENTS))
    engine = truth + random.normal(0, 0.25, truth.shape)
    n = impressions // DEPTH
    query = random.integers(0, QUERIES, n)
    shown = np.argsort(-(engine[query] + random.normal(0, 0.25, (n, DOCUMENTS))), axis=1)[:, :DEPTH]
    attracts = random.random((n, DEPTH)) < truth[query[:, None], shown]
    if cascade:
        stops = attracts & (random.random((n, DEPTH)) < satisfied[query[:, None], shown])
        looks = np.column_stack([np.zeros(n, dtype=int), np.cumsum(stops, axis=1)[:, :-1]]) == 0
        truth = truth * satisfied
    else:
        looks = random.random((n, DEPTH)) < np.arange(1, DEPTH + 1) ** -eta
    clicked = attracts & looks
    known = _with_known_looks(query, shown, looks, clicked if not cascade else stops & looks)
    columns: dict[str, list[object]] = {
        "user": np.repeat(np.arange(n) % 5000, DEPTH).tolist(),
        "search_id": np.repeat(np.arange(n), DEPTH).tolist(),
        "query": [f"q{number}" for number in np.repeat(query, DEPTH).tolist()],
        "doc_id": [f"d{number}" for number in shown.ravel().tolist()],
        "rank": np.tile(np.arange(1, DEPTH + 1), n).tolist(),
        "clicked": clicked.ravel().tolist(),
    }
    return columns, truth, known


def _with_known_looks(query: np.ndarray, shown: np.ndarray, looks: np.ndarray, wanted: np.ndarray) -> assay.Qrels:
    pair = query[:, None] * DOCUMENTS + shown
    seen, won = (np.bincount(pair[which], minlength=QUERIES * DOCUMENTS) for which in (looks, wanted))
    grades: dict[str, dict[str, float]] = {}
    for number in np.flatnonzero(seen >= LEAST).tolist():
        q, d = divmod(number, DOCUMENTS)
        grades.setdefault(f"q{q}", {})[f"d{d}"] = float(won[number] / seen[number])
    return assay.Qrels(grades)


def agreement(judgments: assay.Qrels, truth: np.ndarray) -> float:
    """The mean of Kendall's τ over queries, of the documents that have a judgment."""
    taus = []
    for query, judged in judgments.items():
        true = truth[int(query[1:])]
        names = list(judged)
        if len(names) > 1:
            taus.append(_tau([judged[name] for name in names], [true[int(name[1:])] for name in names]))
    return float(np.mean(taus))


def _tau(a: list[float], b: list[float]) -> float:
    first, second = np.array(a), np.array(b)
    signs = np.sign(first[:, None] - first) * np.sign(second[:, None] - second)
    return float(signs.sum() / (len(a) * (len(a) - 1)))


def raw_rates(columns: dict[str, list[object]]) -> assay.Qrels:
    """Plain click-through rates of each query and document, without any correction."""
    pairs = np.array([f"{query}\t{doc}" for query, doc in zip(columns["query"], columns["doc_id"], strict=True)])
    names, place = np.unique(pairs, return_inverse=True)
    shown = np.bincount(place)
    rate = np.bincount(place, weights=np.array(columns["clicked"], dtype=float)) / shown
    grades: dict[str, dict[str, float]] = {}
    for name, value, n in zip(names.tolist(), rate.tolist(), shown.tolist(), strict=True):
        if n >= LEAST:
            query, _, doc = name.partition("\t")
            grades.setdefault(query, {})[doc] = value
    return assay.Qrels(grades)


def row(impressions: int, eta: float, *, cascade: bool = False) -> list[float]:
    """Kendall's τ of plain rates and of each model."""
    import pyarrow as pa

    columns, truth, known = simulate(impressions, eta, seed=int(10 * eta) + 1, cascade=cascade)
    taus = [agreement(raw_rates(columns), truth)]
    table = pa.table(columns)
    for model in ("coec", "sdbn", "pbm"):
        judged = assay.judge_clicks(table, model, grades="estimate", least=LEAST)
        taus.append(agreement(judged.qrels, truth))
    return [*taus, agreement(known, truth)]


def main(impressions: int = 1_000_000) -> None:
    """Print the table of the documentation."""
    print(f"{impressions:,} impressions, {QUERIES} queries with {DOCUMENTS} documents")
    print("| users look at rank r with probability | plain rate | coec | sdbn | pbm | all looks known |")
    print("|---|---|---|---|---|---|")
    for eta in BIASES:
        print(f"| r^−{eta:g} | " + " | ".join(f"{tau:.3f}" for tau in row(impressions, eta)) + " |")
    print("| from the top until satisfied | " + " | ".join(f"{tau:.3f}" for tau in row(impressions, 0, cascade=True)) + " |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
