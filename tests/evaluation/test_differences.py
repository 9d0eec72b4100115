"""Differences: why two results do not have the same figures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests._results import saved_and_read

import assay
from assay.evaluation import differences_between

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1, "e": 0}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "c": 1.0}, "q2": {"d": 2.0, "e": 1.0}}
"""mrr ½ and 1; map (½ + ⅔) ÷ 2 and 1."""


def result(qrels=QRELS, run=RUN, metrics=("map", "mrr"), **how):
    """As it comes out of a file."""
    return saved_and_read(assay.evaluate(qrels, run, metrics, name="r", **how))


def findings(found):
    return {one.what: (one.first, one.second) for one in found.findings}


def test_a_result_does_not_differ_from_itself():
    found = differences_between(result(), result())
    assert found.findings == ()
    assert found.same_rankings
    assert [(one.name, one.differs, one.moved) for one in found.metrics] == [("map", False, ()), ("mrr", False, ())]
    assert found.metrics[1].first == found.metrics[1].second_shared == 0.75


def test_another_policy(snapshots):
    changes = [{"ties": "docid_asc"}, {"missing": "skip"}, {"rel": 2}, {"max_grade": 5}, {"duplicates": "keep_best"}]
    changes += [{"judged_only": True}, {"precision": "float32"}, {"extra": "error"}, {"no_relevant": "skip"}]
    changes += [{"negatives": "nonrelevant"}, {"drop_self": True}]
    told = []
    for policy in changes:
        found = differences_between(result(), result(policy=assay.Policy(**policy)))
        ((what, values),) = findings(found).items()
        assert (what, found.same_rankings) == (next(iter(policy)).replace("_", " "), True), policy
        told.append(f"## {next(iter(policy))}\n" + "\n".join(values) + "\n")
    snapshots.check("evaluate/differences_of_policies", "\n".join(told))


def test_a_grade_or_two_documents_changed():
    regraded = differences_between(result(), result({**QRELS, "q2": {"d": 0, "e": 1}}))
    assert (findings(regraded).keys(), regraded.same_rankings) == ({"judgments"}, None)
    assert regraded.metrics[1].moved == (("q2", 1.0, 0.5),)
    swapped = differences_between(result(), result(run={**RUN, "q1": {"b": 2.0, "a": 3.0, "c": 1.0}}))
    assert (findings(swapped).keys(), swapped.same_rankings) == ({"rankings"}, False)
    assert swapped.metrics[1].moved == (("q1", 0.5, 1.0),)


def test_other_queries_and_the_figures_over_those_that_are_shared():
    more = {**QRELS, "q3": {"f": 1}}
    found = differences_between(result(more), result({"q2": QRELS["q2"], "q3": {"f": 1}, "q4": {"g": 1}}))
    assert findings(found)["queries in one result only"] == ("1: q1", "1: q4")
    mrr = found.metrics[1]
    assert (mrr.first, mrr.second) == pytest.approx(((0.5 + 1 + 0) / 3, (1 + 0 + 0) / 3))
    assert (mrr.first_shared, mrr.second_shared, mrr.differs, mrr.moved) == (0.5, 0.5, True, ())


def test_queries_that_moved_most_come_first():
    qrels = {f"q{number}": {"a": 1} for number in range(4)}
    run = {query: {"a": 5.0, "b": 4.0, "c": 3.0} for query in qrels}
    other = {"q0": {"b": 5.0, "a": 4.0}, "q1": {"a": 1.0}, "q2": {"b": 5.0, "c": 4.0, "a": 3.0}, "q3": {"b": 1.0}}
    (mrr,) = differences_between(result(qrels, run, ["mrr"]), result(qrels, other, ["mrr"])).metrics
    assert [query for query, _, _ in mrr.moved] == ["q3", "q2", "q0"]


IDS = st.text(min_size=1, max_size=3)
JUDGED = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(0, 3), min_size=1, max_size=4), min_size=1, max_size=3)


def shuffled(nested, random):
    def mixed(pairs):
        rows = list(pairs.items())
        random.shuffle(rows)
        return dict(rows)

    return mixed({query: mixed(docs) for query, docs in nested.items()})


def prints(qrels, run):
    return assay.evaluate(qrels, run, "map").fingerprints


@given(JUDGED, st.randoms(use_true_random=False), st.data())
def test_fingerprints_depend_on_grades_and_ranks_and_not_on_the_order_of_rows(qrels, random, data):
    run = {query: {doc: float(-place) for place, doc in enumerate([*docs, "\x00more"])} for query, docs in qrels.items()}
    usual = prints(qrels, run)
    assert prints(shuffled(qrels, random), shuffled(run, random)) == usual
    query = data.draw(st.sampled_from(list(qrels)))
    doc = data.draw(st.sampled_from(list(qrels[query])))
    regraded = {**qrels, query: {**qrels[query], doc: qrels[query][doc] + 1}}
    reranked = {**run, query: {**run[query], doc: -99.0}}
    for other, changed in ((prints(regraded, run), "judgments"), (prints(qrels, reranked), "rankings")):
        assert {part for part in usual if other[part] != usual[part]} == {changed}


def test_queries_that_count_in_one_alone_are_named_and_explain_the_difference():
    run = {"q1": RUN["q1"]}
    found = differences_between(result(run=run), result(run=run, policy=assay.Policy(missing="skip", ties="docid_asc")))
    for metric in found.metrics:
        assert (metric.is_explained_by_queries, metric.only_first, metric.only_second) == (True, ("q2",), ())
    matters = {one.what: one.matters for one in found.findings}
    assert matters == {"queries in one result only": True, "missing": True, "ties": False}


def test_metrics_of_one_kind_are_paired_with_the_one_most_like():
    first = result(metrics=["ndcg@10", "map@5"])
    second = result(metrics=["ndcg(gain=binary, discount=jk2002)@5", "ndcg(gain=exp)@10", "recall@5"])
    (pair,) = differences_between(first, second).redefined
    assert (pair.first.name, pair.second.name) == ("ndcg@10", "ndcg(gain=exp)@10")
    assert (pair.first_value, pair.second_value) == (first["ndcg@10"], second["ndcg(gain=exp)@10"])
    assert pair.words == "the gain is 2^grade − 1"
