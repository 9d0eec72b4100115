"""Metrics of instance retrieval against pytorch-metric-learning, if it is installed, and against plain loops."""

import numpy as np
import pytest

from assay.evaluation import evaluate
from assay.model import Policy

NAMES = {
    "map_at_r": "mean_average_precision_at_r",
    "rprec": "r_precision",
    "hit@1": "precision_at_1",
    "mrr": "mean_reciprocal_rank",
}
"""Our name → the name in pytorch-metric-learning."""


def embedded(seed, n_queries=40, n_references=150, n_labels=12):
    """Vectors near the centres of labels, which have different numbers of references. The last query has none."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(n_labels, 8))
    labels = np.minimum(rng.geometric(0.2, n_references) - 1, n_labels - 2)
    asked = np.append(rng.choice(np.unique(labels), n_queries - 1), n_labels - 1)
    vectors = [centres[some] + rng.normal(scale=1.2, size=(len(some), 8)) for some in (asked, labels)]
    return (*(each / np.linalg.norm(each, axis=1, keepdims=True) for each in vectors), asked, labels)


def as_run(queries, references):
    return {
        f"q{number}": {f"d{place}": float(score) for place, score in enumerate(row)}
        for number, row in enumerate(queries @ references.T)
    }


def judged(asked, labels):
    return {
        f"q{number}": {f"d{place}": 1 for place in np.flatnonzero(labels == label)} for number, label in enumerate(asked)
    }


def scored(qrels, run):
    """The means over the queries that have a relevant document: pytorch-metric-learning leaves out the others."""
    return evaluate(qrels, run, list(NAMES), policy=Policy(no_relevant="skip")).summary


def measured(queries, references, asked, labels, *, is_same):
    torch = pytest.importorskip("torch")
    pytest.importorskip("pytorch_metric_learning")
    from pytorch_metric_learning.distances import CosineSimilarity
    from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
    from pytorch_metric_learning.utils.inference import CustomKNN

    search = CustomKNN(CosineSimilarity())
    calculator = AccuracyCalculator(include=tuple(NAMES.values()), k=len(labels) - is_same, knn_func=search)
    tensors = [torch.as_tensor(each) for each in (queries, asked, references, labels)]
    return calculator.get_accuracy(*tensors, ref_includes_query=is_same)


@pytest.mark.parametrize("seed", range(5))
def test_queries_and_references(seed):
    queries, references, asked, labels = embedded(seed)
    theirs = measured(queries, references, asked, labels, is_same=False)
    ours = scored(judged(asked, labels), as_run(queries, references))
    assert {name: ours[name] for name in NAMES} == pytest.approx(
        {name: theirs[other] for name, other in NAMES.items()}, abs=1e-6
    )


@pytest.mark.parametrize("seed", range(5))
def test_each_query_is_among_the_references_and_ignored(seed):
    """pytorch-metric-learning drops the query from its own ranking. Here its judgment says ignore."""
    _, references, _, labels = embedded(seed)
    theirs = measured(references, references, labels, labels, is_same=True)
    qrels = {query: {**grades, f"d{query[1:]}": "ignore"} for query, grades in judged(labels, labels).items()}
    ours = scored(qrels, as_run(references, references))
    assert {name: ours[name] for name in NAMES} == pytest.approx(
        {name: theirs[other] for name, other in NAMES.items()}, abs=1e-6
    )


@pytest.mark.parametrize("seed", range(5))
def test_plain_loops(seed):
    """The same metrics, minp, and the ranks of the first relevant documents, from the definitions."""
    queries, references, asked, labels = embedded(seed)
    found = {name: [] for name in (*NAMES, "minp", "rank")}
    for row, label in zip(queries @ references.T, asked, strict=True):
        right = [bool(labels[place] == label) for place in sorted(range(len(row)), key=lambda place: -row[place])]
        n_relevant = sum(right)
        if not n_relevant:
            continue
        ranks = [rank for rank, is_right in enumerate(right, 1) if is_right]
        precise = [sum(right[:rank]) / rank for rank in ranks if rank <= n_relevant]
        found["map_at_r"].append(sum(precise) / n_relevant)
        found["rprec"].append(sum(right[:n_relevant]) / n_relevant)
        found["hit@1"].append(float(right[0]))
        found["mrr"].append(1 / ranks[0])
        found["minp"].append(n_relevant / ranks[-1])
        found["rank"].append(ranks[0])
    qrels, run = judged(asked, labels), as_run(queries, references)
    metrics = [*NAMES, "minp", "mean_rank", "median_rank"]
    ours = evaluate(qrels, run, metrics, policy=Policy(no_relevant="skip")).summary
    expected = {name: np.mean(found[name]) for name in (*NAMES, "minp")}
    expected |= {"mean_rank@1000": np.mean(found["rank"]), "median_rank@1000": np.median(found["rank"])}
    assert dict(ours) == pytest.approx(expected)
