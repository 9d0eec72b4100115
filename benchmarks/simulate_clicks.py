"""Simulated clicks: how well judgments from clicks find the order of documents, for each click model.

Run `python -m benchmarks.simulate_clicks [impressions]`. Documents have a known attractiveness. Users look at rank r with
the probability r^−η, and click if they look and the document attracts them (the position-based model). Or they read from the
top, and stop when they are satisfied or lose patience (the dynamic Bayesian network). The search engine is not perfect, and
changes its order a little from search to search. Kendall's τ compares the order of the estimates with the true order, over
the documents of each query. The truth is the attractiveness, and for users who read from the top also attractiveness times
satisfaction, which is what `sdbn` and `dbn` estimate. Their attractiveness alone has columns of its own. The last column is
the best that any model could do: the rate of clicks if it were known at which documents each user looked, for the documents
that users looked at at least 50 times.
"""

from __future__ import annotations

import sys

import numpy as np

import assay

QUERIES, DOCUMENTS, DEPTH = 20, 12, 10
BIASES = (0.0, 0.5, 1.0, 1.5, 2.0)
LEAST = 50


def simulate(
    impressions: int,
    eta: float,
    seed: int,
    *,
    cascade: bool = False,
    persistence: float = 1.0,
    wanted: str = "satisfaction",
) -> tuple[dict[str, list[object]], np.ndarray, assay.Qrels]:
    """The columns of a log, the true value of each query and document, and its estimate if all looks were known.

    With `cascade`, users read from the top, and go on with the probability `persistence` if they are not satisfied. The
    value is then attractiveness times satisfaction, or the attractiveness if that is `wanted`.
    """
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
        ends = stops if persistence == 1 else stops | (random.random((n, DEPTH)) >= persistence)
        looks = np.column_stack([np.zeros(n, dtype=int), np.cumsum(ends, axis=1)[:, :-1]]) == 0
    else:
        looks = random.random((n, DEPTH)) < np.arange(1, DEPTH + 1) ** -eta
    clicked = attracts & looks
    won = clicked
    if cascade and wanted == "satisfaction":
        truth, won = truth * satisfied, stops & looks
    known = _with_known_looks(query, shown, looks, won)
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


def attractiveness(judged: assay.ClickJudgments) -> assay.Qrels:
    """The estimated attractiveness alone, without satisfaction."""
    grades: dict[str, dict[str, float]] = {}
    values = judged.estimates.parts["attractiveness"].tolist()
    for query, document, value in zip(judged.queries, judged.documents, values, strict=True):
        grades.setdefault(query, {})[document] = value
    return assay.Qrels(grades)


def row(impressions: int, eta: float, **how: object) -> list[float]:
    """Kendall's τ of plain rates and of each model."""
    import pyarrow as pa

    columns, truth, known = simulate(impressions, eta, seed=int(10 * eta) + 1, **how)
    taus = [agreement(raw_rates(columns), truth)]
    table = pa.table(columns)
    for model in ("coec", "pbm", "sdbn", "dbn"):
        judged = assay.judge_clicks(table, model, grades="estimate", least=LEAST)
        taus.append(agreement(judged.qrels, truth))
        if judged.estimates.parts:
            taus.append(agreement(attractiveness(judged), truth))
    return [*taus, agreement(known, truth)]


READERS = {
    "from the top until satisfied: a · s": {},
    "the same users: a": {"wanted": "attractiveness"},
    "from the top, γ = 0.9: a · s": {"persistence": 0.9},
    "the same users, γ = 0.9: a": {"persistence": 0.9, "wanted": "attractiveness"},
}
"""Row of the table → how users read, and what the truth is."""


def main(impressions: int = 1_000_000) -> None:
    """Print the table of the documentation."""
    print(f"{impressions:,} impressions, {QUERIES} queries with {DOCUMENTS} documents")
    models = "plain rate | coec | pbm | sdbn | a of sdbn | dbn | a of dbn"
    print(f"| how users look, and the truth | {models} | all looks known |")
    print(f"|{'---|' * 9}")
    for eta in BIASES:
        _print(f"at rank r with probability r^−{eta:g}: a", row(impressions, eta))
    for name, how in READERS.items():
        _print(name, row(impressions, 0, cascade=True, **how))


def _print(name: str, taus: list[float]) -> None:
    print(f"| {name} | " + " | ".join(f"{tau:.3f}" for tau in taus) + " |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
