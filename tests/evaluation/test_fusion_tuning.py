"""Tuning of fusion: what is tried, what is held out, and what the report says."""

from __future__ import annotations

import random

import numpy as np
import pytest

import assay
from assay import DataError, Qrels, tune_fusion
from assay.evaluation import FusedScores, candidates_of
from assay.fusion import RankedLists, all_fusions, fuse, parse_fusion, train
from assay.metrics import parse_metric


def world(n_queries=20, seed=1):
    """A good run, a run of noise, and judgments."""
    rng = random.Random(seed)
    good, noise, qrels = {}, {}, {}
    for number in range(n_queries):
        query, docs = f"q{number}", [f"d{doc}" for doc in range(30)]
        relevant = set(rng.sample(docs, 4))
        qrels[query] = {doc: int(doc in relevant) for doc in docs[:25]}
        good[query] = {doc: 2.0 * (doc in relevant) + rng.gauss(0, 1) for doc in rng.sample(docs, 25)}
        noise[query] = {doc: float(rng.randrange(8)) for doc in rng.sample(docs, 25)}
    return good, noise, qrels


GOOD, NOISE, QRELS = world()


METRICS = ["ndcg@10", "map", "mrr", "recall@5"]


def test_scores_are_those_of_the_fused_run():
    """Ranked and scored by arrays alone, as if the run had been made and evaluated."""
    qrels = {**QRELS, "missing": {"d1": 1}}
    scores = {metric: FusedScores(RankedLists.of([GOOD, NOISE]), Qrels(qrels), parse_metric(metric)) for metric in METRICS}
    for method, fusion in all_fusions().items():
        trained = train([GOOD, NOISE], QRELS, method) if fusion.is_trained else None
        learn_from = np.arange(len(qrels)) < len(QRELS) if trained else None
        expected = assay.evaluate(qrels, fuse([GOOD, NOISE], method, trained=trained), METRICS)
        for metric, fused in scores.items():
            found = dict(zip(fused.query_ids, fused.of(parse_fusion(method), learn_from).tolist(), strict=True))
            assert found == pytest.approx(expected.scores(metric)), (method, metric)
    alone = assay.evaluate(qrels, GOOD, METRICS)
    for metric, fused in scores.items():
        assert fused.of_run(assay.Run(GOOD)).tolist() == pytest.approx(list(alone.scores(metric).values())), metric


def test_a_fold_is_scored_by_what_was_best_without_it():
    """The chosen fusion of each fold, found again by evaluating every candidate on the other queries alone."""
    methods = ["rrf(k=1)", "rrf(k=60)", "comb_min", "weighted_sum(weights=[1, 0])", "weighted_sum(weights=[0.6, 0.4])"]
    tuning = tune_fusion([GOOD, NOISE], QRELS, "ndcg@5", methods=methods, folds=5, seed=3)
    names = [one.name for one in candidates_of(methods, 2)]
    results = {name: assay.evaluate(QRELS, fuse([GOOD, NOISE], name), "ndcg@5").scores("ndcg@5") for name in names}
    for fold in tuning.folds:
        others = [query for query in QRELS if query not in fold.queries]
        best = max(names, key=lambda name: np.mean([results[name][query] for query in others]))
        assert fold.chosen == best
        assert fold.score == pytest.approx(np.mean([results[best][query] for query in fold.queries]))


def test_what_learns_never_sees_the_queries_held_out():
    """Judgments of one fold are turned upside down: what was chosen and learnt for that fold stays as it was."""
    before = tune_fusion([GOOD, NOISE], QRELS, "ndcg@10", methods=["posfuse", "mapfuse"], folds=4)
    held = before.folds[0].queries
    lists = RankedLists.of([GOOD, NOISE])
    scores = FusedScores(lists, Qrels(QRELS), parse_metric("ndcg@10"))
    mask = np.array([query not in held for query in scores.query_ids])
    fused = scores.of(parse_fusion(before.folds[0].chosen), mask)[~mask]
    assert before.folds[0].score == pytest.approx(fused.mean())
    other = {query: {doc: int(query in held) ^ grade for doc, grade in judged.items()} for query, judged in QRELS.items()}
    after = tune_fusion([GOOD, NOISE], other, "ndcg@10", methods=["posfuse", "mapfuse"], folds=4)
    assert after.folds[0].queries == held
    assert after.folds[0].chosen == before.folds[0].chosen


def test_lower_may_be_better():
    """A run that finds half has less that is judged and not relevant."""
    half = {query: dict(list(ranked.items())[:12]) for query, ranked in GOOD.items()}
    tuning = tune_fusion({"whole": GOOD, "half": half}, QRELS, "num_nonrel_judged_ret", methods=["rrf"])
    assert tuning.best_single == "half"
    assert tuning.singles["half"] < tuning.singles["whole"]


def test_the_same_seed_gives_the_same_and_another_deals_anew():
    first, again, other = (tune_fusion([GOOD, NOISE], QRELS, seed=seed, methods=["rrf"]) for seed in (1, 1, 2))
    assert first == again
    assert [fold.queries for fold in first.folds] != [fold.queries for fold in other.folds]


def test_candidates():
    names = [one.name for one in candidates_of(["rrf", "rrf", "comb_mnz", "rbc(p=0.7)"], 2)]
    assert (names[0], len(set(names))) == ("rrf", len(names))
    assert {"rrf(weights=[0.3, 0.7])", "comb_mnz(norm=z_score)"} < set(names)
    assert [name for name in names if name.startswith("rbc")] == ["rbc(p=0.7)"]
    for n_runs in (2, 3, 4, 5, 8, 30):
        grid = {one.params["weights"] for one in candidates_of(["weighted_sum"], n_runs)} - {()}
        assert n_runs <= len(grid) <= 70, n_runs
        assert all(sum(weights) == pytest.approx(1) and min(weights) >= 0 for weights in grid), n_runs


def test_what_cannot_be_tuned(snapshots):
    both, few = [GOOD, NOISE], {query: QRELS[query] for query in list(QRELS)[:11]}
    cases = {f"{folds} folds": lambda folds=folds: tune_fusion(both, few, folds=folds) for folds in (0, 1, 12)}
    cases |= {
        "one run": lambda: tune_fusion([GOOD], QRELS),
        "too few folds to learn from": lambda: tune_fusion(both, QRELS, methods=["mapfuse"], folds=2),
        "no method": lambda: tune_fusion(both, QRELS, methods=[]),
        "text": lambda: tune_fusion(both, QRELS, "relstring"),
        "one query": lambda: tune_fusion(both, {"q0": QRELS["q0"]}, methods=["rrf"]),
        "other queries": lambda: tune_fusion(both, {"z": {"d1": 1}, "y": {"d1": 1}}, methods=["rrf"]),
        "empty runs": lambda: tune_fusion([{}, {}], {"z": {"d1": 1}}),
    }
    snapshots.check_errors("fusion/tuning", cases)


def test_fusion_is_tuned_by_diversity_where_judgments_have_subtopics():
    """One run knows the one subtopic, the other run the other: together they have both."""
    rows = [(f"q{number}", doc, 1, doc) for number in range(12) for doc in ("left", "right")]
    one, other = (assay.Run({f"q{number}": [doc, f"not {doc}"] for number in range(12)}) for doc in ("left", "right"))
    tuned = tune_fusion([one, other], assay.Qrels(rows), metric="StRecall@2", methods=["rrf"])
    assert tuned.score == 1
    with pytest.raises(DataError, match="subtopic"):
        tune_fusion([one, other], assay.Qrels({f"q{number}": {"left": 1} for number in range(12)}), metric="StRecall@2")
