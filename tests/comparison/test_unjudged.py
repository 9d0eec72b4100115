"""Unjudged documents: the range of a difference over queries, where its data come from, and what a verdict says about it."""

import json
import math
import random
from itertools import product
from unittest import mock

import pytest

from assay.comparison import compare, notes_on_unjudged, unjudged_between
from assay.datasets import BenchmarkDataset
from assay.evaluation import evaluate, result_from_dict
from assay.files import as_source, top_documents
from assay.metrics import find_metric
from assay.model import Document, Policy, Query, Run

QRELS = {"q1": {"x": 1, "y": 0}, "q2": {"x": 1}}
A = {"q1": {"x": 2.0, "y": 1.0}, "q2": {"x": 2.0, "new": 1.0}}
B = {"q1": {"y": 2.0, "one": 1.0}, "q2": {"new": 2.0, "x": 1.0}}
"""q1: `one` is unjudged, and only b has it; q2: `new` is unjudged, and both have it."""


def between(a, b, metric, qrels=QRELS, **policy):
    results = [evaluate(qrels, run, metric, name=name, policy=Policy(**policy)) for name, run in (("a", a), ("b", b))]
    return unjudged_between(*results, results[0].metrics[0])


def test_by_hand():
    found = between(A, B, "precision@2")
    assert (found.low, found.high, found.is_exact) == (-1 / 4, 0, True)  # q1: −1/2 or 0; q2: 0
    assert (found.n_unjudged, found.k, found.depth) == (2, 2, 2)
    assert (found.judged_a, found.judged_b) == (3 / 4, 1 / 2)
    assert found.are_apart
    found = between(A, B, "mrr")
    assert (found.low, found.high) == pytest.approx((-3 / 4, -1 / 4))  # q1: −1 or −1/2; q2: −1/2 or 0
    assert (found.k, found.depth) == (None, 10)


def test_the_range_is_that_of_all_gradings():
    documents = sorted({(query, doc) for run in (A, B) for query in run for doc in run[query] if doc not in QRELS[query]})
    for metric in ("precision@2", "ndcg@2", "recall@2", "mrr", "hit@1", "rbp(p=0.5)", "f1@2"):
        differences = []
        for grades in product((0, 1), repeat=len(documents)):
            judged = {query: dict(grades) for query, grades in QRELS.items()}
            for (query, doc), grade in zip(documents, grades, strict=True):
                judged[query][doc] = grade
            scores = [evaluate(judged, run, metric)[metric] for run in (A, B)]
            differences.append(scores[1] - scores[0])
        found = between(A, B, metric)
        assert (found.low, found.high) == pytest.approx((min(differences), max(differences))), metric


def test_stored_results_have_the_same_range():
    for metric in ("precision@2", "ndcg@2", "map", "mrr"):
        results = [evaluate(QRELS, run, metric, name=name).with_fields(run=run) for name, run in (("a", A), ("b", B))]
        stored = [result_from_dict(json.loads(json.dumps(result.to_dict()))) for result in results]
        bound = results[0].metrics[0]
        expected = unjudged_between(*results, bound)
        assert unjudged_between(*stored, bound) == expected
        assert unjudged_between(results[0], stored[1], bound) == expected  # runs against a stored baseline
        assert unjudged_between(stored[0], results[1], bound) == expected


def aged_results(metric):
    """Two results of one query. One document is three days old, and each system has one that is unjudged."""
    dataset = BenchmarkDataset("aged", queries={"q": Query("q", "cats?", time="2024-05-04")})
    for name, day in (("old", "2024-05-01"), ("new", "2024-05-04"), ("u", "2024-05-01"), ("v", "2024-05-04")):
        dataset.add_document(Document(name, name, time=day))
    dataset.qrels = {"q": {"old": 1, "new": 1}}
    runs = {"a": {"q": {"old": 3.0, "u": 2.0}}, "b": {"q": {"new": 3.0, "v": 2.0}}}
    return [evaluate(dataset, run, metric, name=name).with_fields(run=run) for name, run in runs.items()]


def test_gains_that_decay_have_a_range_that_may_be_too_wide():
    """rbp is 0.5 · (gain of the first) + 0.25 · (gain of the second). Unjudged documents have a gain between 0 and 1."""
    a, b = aged_results("rbp(p=0.5, half_life=3)@2")
    found = unjudged_between(a, b, a.metrics[0])
    assert [round(score, 12) for result in (a, b) for score in result.summary.values()] == [0.25, 0.5]
    assert (found.low, found.high, found.is_exact) == (0.0, 0.5, False)


def test_stored_results_have_no_ages():
    results = aged_results("ndcg(half_life=3)@2")
    stored = [result_from_dict(json.loads(json.dumps(result.to_dict()))) for result in results]
    name = results[0].metrics[0].name
    difference = results[1].summary[name] - results[0].summary[name]
    for pair, whose in ((stored, "a"), ([results[0], stored[1]], "b")):
        found = unjudged_between(*pair, results[0].metrics[0])
        assert (found.unknown, found.is_missing) == (f"the ages of documents are not stored in the result of {whose}", True)
        comparison = compare(None, dict(zip("ab", pair, strict=True)), name)
        assert comparison.pairs[0].difference == pytest.approx(difference)


def test_a_range_that_cannot_be_known_says_why():
    a, b = (evaluate(QRELS, run, ["ndcg@2", "judged@2"], name=name) for name, run in (("a", A), ("b", B)))
    metric = find_metric("ndcg@2")
    stored = result_from_dict(b.to_dict())
    found = unjudged_between(a, stored, metric)
    assert (found.unknown, found.is_known) == ("the rankings of b are not stored in its result", False)
    assert math.isnan(found.low)
    assert (found.judged_a, found.judged_b, found.are_apart) == (3 / 4, 1 / 2, True)  # the results have it as a metric
    wrong = result_from_dict(b.with_fields(run=A).to_dict())
    assert "do not reproduce its scores" in unjudged_between(a, wrong, metric).unknown
    other = evaluate({**QRELS, "q2": {"x": 2}}, B, "ndcg@2", name="b")
    assert unjudged_between(a, other, metric).unknown == "the judgments of the two results differ"
    for name, reason in (("bpref", "no bounds are known for bpref"), ("gm_map", "means over queries")):
        found = between(A, B, name)
        assert reason in found.unknown
        assert found.n_unjudged == 2


def test_conventions_of_the_policy_hold():
    tied = {"q1": {"x": 1.0, "one": 1.0}, "q2": {}}
    assert between(tied, tied | {"q1": {"one": 1.0}}, "precision@1", ties="docid_desc").n_unjudged == 1  # x comes first
    found = between(tied, {"q1": {"x": 1.0}}, "precision@1", ties="docid_asc")
    assert (found.low, found.high, found.n_unjudged) == (0, 1 / 2, 1)
    found = between(tied, {"q1": {"x": 1.0}}, "precision@1", ties="expected")
    assert found.low <= 1 / 4 <= found.high  # the difference that is shown
    assert between(A, B, "precision@2", judged_only=True).n_unjudged == 0
    judged = {"q1": {"x": 1, "y": 0, "one": -1}, "q2": {"x": 1, "new": -1}}
    assert between(A, B, "precision@2", judged).n_unjudged == 2
    assert between(A, B, "precision@2", judged, negatives="nonrelevant").n_unjudged == 0


@pytest.fixture
def files(tmp_path):
    """Two runs in files with ties, of which the database reads the top."""
    rng = random.Random(4)
    qrels = {f"q{number}": {f"d{doc}": rng.randint(0, 2) for doc in rng.sample(range(40), 9)} for number in range(20)}
    runs = []
    for name in "ab":
        rows = [
            f"q{number} Q0 d{doc} 1 {rng.randint(1, 6)} tag\n" for number in range(20) for doc in rng.sample(range(40), 25)
        ]
        runs.append(tmp_path / f"{name}.run")
        runs[-1].write_text("".join(rows))
    return qrels, runs


@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "input_order"])
def test_large_files_have_the_same_range(files, ties):
    qrels, runs = files
    expected = between(Run(runs[0]), Run(runs[1]), "ndcg@5", qrels, ties=ties)
    with mock.patch.multiple("assay.files.tables", LARGE_FILE=0):
        assert between(*runs, "ndcg@5", qrels, ties=ties) == expected
        rule = Policy(ties=ties).rank_rule
        first = top_documents(as_source(runs[0]), 5, rule)
    if ties.startswith("docid"):
        run = Run(runs[0])
        assert first == {query: run.in_order(place, rule)[:5] for query, place in run.numbers.items()}
    else:
        assert first is None


def test_large_files_are_read_as_a_whole_only_on_request(files):
    qrels, runs = files
    with mock.patch.multiple("assay.files.tables", LARGE_FILE=0):
        comparison = compare(qrels, {"a": runs[0], "b": runs[1]}, "map")
        pair = comparison.pairs[0]
        assert "--residuals" in comparison.unjudged(pair).unknown
        assert comparison.unjudged(pair, thorough=True).is_known


def many(n, documents):
    """The same rankings for several queries."""
    return {f"q{number}": {doc: -float(rank) for rank, doc in enumerate(documents)} for number in range(n)}


def lopsided(n=12):
    """a: all judged, half relevant; b: nothing judged."""
    qrels = {f"q{number}": {"r1": 1, "n1": 0} for number in range(n)}
    return qrels, {"a": many(n, ["r1", "n1"]), "b": many(n, ["u1", "u2"])}


def test_a_verdict_that_could_be_reversed_says_so():
    qrels, runs = lopsided()
    comparison = compare(qrels, runs, "precision@2")
    assert comparison.pairs[0].better == "a"
    found = comparison.unjudged(comparison.pairs[0])
    assert (found.low, found.high, found.n_unjudged) == (-1 / 2, 1 / 2, 24)
    reversal, shares = comparison.doubts
    assert reversal.startswith("This could be reversed by the 24 unjudged results in the first 2: the lead of a could be ")
    assert reversal.endswith("between −0.500 and +0.500.")
    assert shares == "judged@2: a 1.00, b 0.00."
    turned = compare(qrels, {"b": runs["b"], "a": runs["a"]}, "precision@2")
    assert turned.doubts[0] == comparison.doubts[0]  # the lead is that of the winner, whatever the order
    plain = comparison.to_dict()
    assert plain["pairs"][0]["unjudged"]["low"] == -1 / 2
    assert plain["doubts"] == list(comparison.doubts)


def test_a_verdict_that_holds_for_all_grades_has_no_doubts():
    qrels = {f"q{number}": {"r1": 1, "r2": 1, "n1": 0} for number in range(12)}
    runs = {"a": many(12, ["r1", "r2"]), "b": many(12, ["n1", "u1"])}
    comparison = compare(qrels, runs, "precision@2")
    assert comparison.unjudged(comparison.pairs[0]).high == -1 / 2
    assert comparison.doubts == ("judged@2: a 1.00, b 0.50.",)
    judged = compare({query: {**grades, "u1": 0} for query, grades in qrels.items()}, runs, "precision@2")
    assert judged.doubts == ()
    assert notes_on_unjudged(judged, every=True) == [
        "All results in the first 2 are judged, so no grade could change the lead of a over b on precision@2."
    ]


def test_bounds_that_may_be_too_wide_are_marked():
    qrels, runs = lopsided()
    assert compare(qrels, runs, "map").doubts[0].endswith(" at most.")


def test_with_several_pairs_each_doubt_names_its_pair():
    qrels, runs = lopsided()
    doubts = compare(qrels, {**runs, "c": many(12, ["u3", "u4"])}, "precision@2").doubts
    assert [doubt.partition(" could")[0] for doubt in doubts[:2]] == ["That a beats b", "That a beats c"]


def test_a_claim_within_a_margin_can_be_reversed_too():
    qrels, runs = lopsided(30)
    runs["b"] = many(30, ["r1", "u2"])
    comparison = compare(qrels, runs, "precision@2", test="equivalence(margin=0.1)")
    assert comparison.pairs[0].is_significant
    assert comparison.doubts[0].startswith(
        "This could be reversed by the 30 unjudged results in the first 2: the lead of b could be "
    )


def test_relevance_by_texts_has_no_unjudged_documents():
    by_words = {"strategy_used": "token"}
    results = [evaluate(QRELS, run, "mrr", name=name).with_fields(relevance=by_words) for name, run in (("a", A), ("b", B))]
    found = unjudged_between(*results, results[0].metrics[0])
    assert (found.is_known, found.is_missing) == (False, False)
