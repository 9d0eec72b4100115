"""Result: the scores of one run, how they came about, and their summary."""

import json
from dataclasses import FrozenInstanceError

import pytest

import assay
from assay.evaluation import result_from_dict, retrieved_nonrelevant
from assay.metrics import find_metric

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 1}, "q3": {"a": 2}}
RUN = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 2.0, "x": 1.5, "b": 1.0}, "q3": {"x": 1.0}}


@pytest.fixture
def result():
    return assay.evaluate(QRELS, RUN, ["mrr", "map", "relstring@3", "rbp_residual(p=0.5)"], name="r1")


def test_a_summary_by_name_spelling_or_metric(result):
    assert result["mrr"] == result["RR"] == result["recip_rank"] == result[find_metric("mrr")] == 0.5
    assert result["map"] == pytest.approx((1 / 2 + (1 + 2 / 3) / 2 + 0) / 3, abs=1e-12)


def test_wrong_keys(result, snapshots):
    asks = {"summary": result.__getitem__, "scores": result.scores, "array": result.array, "sorted_by": result.sorted_by}
    cases = {
        **{f"{name} of what was not asked for": lambda ask=ask: ask("map@5") for name, ask in asks.items()},
        "misspelt": lambda: result["mpa"],
        "several": lambda: result["ndcg@5,10"],
        "summary of text": lambda: result["relstring@3"],
        "sorted by text": lambda: result.sorted_by("relstring@3"),
    }
    snapshots.check_errors("result/keys", cases)
    with pytest.raises(LookupError):
        result["map@5"]


def test_sorting_puts_the_best_queries_first(result):
    ordered = result.sorted_by("RR")
    assert ordered.query_ids == ("q2", "q1", "q3")
    assert ordered.scores("relstring@3") == result.scores("relstring@3")
    assert ordered.summary == pytest.approx(result.summary)
    assert result.sorted_by("rbp_residual(p=0.5)").query_ids == result.query_ids == ("q1", "q2", "q3")  # less is better


def test_as_plain_values(result, snapshots):
    plain = result.to_dict()
    snapshots.check("result/plain_values", json.dumps(plain, indent=2, allow_nan=False))
    assert (json.loads(json.dumps(plain)), plain["summary"]) == (plain, result.summary)


def test_fingerprints_do_not_depend_on_conventions():
    """Scores that single precision cannot tell apart, a document named like its query, equals: all of it is in the data."""
    qrels = {"q1": {"a": 1, "b": 0, "q1": 1}, "q2": {"a": 1, "b": 2}}
    run = {"q1": {"q1": 3.0, "b": 1.00000001, "a": 1.0}, "q2": {"a": 1.0, "b": 1.0, "x": 0.5}}
    plain = assay.evaluate(qrels, run, ["mrr"]).fingerprints
    policies = [
        *({"ties": ties} for ties in ("docid_desc", "docid_asc", "input_order", "reverse_order", "expected", "ranx")),
        *({"precision": "float32"}, {"drop_self": True}, {"precision": "float32", "drop_self": True, "ties": "ranx"}),
        *({"judged_only": True}, {"negatives": "nonrelevant"}, {"max_grade": 1}, {"rel": 2, "no_relevant": "skip"}),
    ]
    for policy in policies:
        assert assay.evaluate(qrels, run, ["mrr"], policy=assay.Policy(**policy)).fingerprints == plain, policy
    for profile in ("trec_eval-9", "pytrec_eval", "ir_measures", "beir", "mteb"):
        assert assay.evaluate(qrels, run, ["mrr", "map"], profile=profile).fingerprints == plain, profile


def test_what_is_handed_out_cannot_change_the_result(result):
    result.array("mrr")[:] = 9.0
    result.scores("mrr")["q1"] = 9.0
    result.array("relstring@3")[0] = "changed"
    plain = result.to_dict()
    plain["counts"]["judged"] = plain["summary"]["mrr"] = plain["per_query"]["q1"]["mrr"] = 9
    assert (result.counts["judged"], result["mrr"], result.array("mrr").tolist()) == (3, 0.5, [0.5, 1.0, 0.0])
    assert result.scores("relstring@3") == {"q1": "01", "q2": "1-1", "q3": "-"}
    with pytest.raises(FrozenInstanceError):
        result.name = "other"


GRADED = {"q": {"d1": 2, "d2": 1, "d3": 3, "d4": 0}, "r": {"d1": 1}}
FOUND = {"q": {"d1": 2.0, "x": 1.0}, "r": {"d1": 1.0}}


def scored(**policy):
    return assay.evaluate(GRADED, FOUND, "map", policy=assay.Policy(**policy))


def test_judged_documents_are_kept_where_rankings_are():
    """d4 was judged 0, x by nobody; with level 2 the grade 1 does not count either."""
    found = {"q": {"d1": 3.0, "d4": 2.0, "d2": 1.5, "x": 1.0}, "r": {"d1": 1.0}}
    result = scored(rel=2).with_fields(run=found)
    read = result_from_dict(result.to_dict())
    assert read.relevant == result.to_dict()["relevant"] == {"q": {"d3": 3.0, "d1": 2.0}, "r": {}}
    assert read.to_dict()["relevant"] == read.relevant
    assert read.nonrelevant == retrieved_nonrelevant(result) == {"q": {"d2": 1.0, "d4": 0.0}, "r": {"d1": 1.0}}
    assert retrieved_nonrelevant(result.with_fields(run=FOUND)) == {"r": {"d1": 1.0}}
    assert retrieved_nonrelevant(result.with_fields(relevance={"strategy_used": "span"})) == {}
    assert "relevant" not in scored().to_dict()
    assert "nonrelevant" not in scored().with_fields(run=FOUND).to_dict()
