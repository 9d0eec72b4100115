"""Tie changes: which queries' scores depend on the order of equal scores, against bands and against every order."""

from dataclasses import replace
from itertools import groupby, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.metrics import ties
from assay.metrics.ties import changed_by_ties, tie_band

METRICS = [
    *("mrr", "map", "ndcg@2", "recall@2", "err", "iprec@0.5", "bpref", "num_ret", "yaap", "rndcg", "ndcg_rel", "judged@2"),
    *("infap", "g", "accuracy", "accuracy@2", "accuracy(rel=0)@2", "bpm@3", "bpm(min_grade=-1)@2"),
    *("dcg(gain={0: 1, 2: 3})", "ndcg(ideal=retrieved)@2", "infap(rel=0)", "g(gain={0: 1, 1: 0})"),
]
GRADES = st.dictionaries(st.sampled_from("abcde"), st.sampled_from([-1, 0, 0, 1, 2]), min_size=1)
SCORES = st.dictionaries(st.sampled_from("abcdexyz"), st.sampled_from([1.0, 2.0, 3.0]), min_size=1, max_size=6)
MOST_EQUAL = 4
"""Documents with one score, so that the drawn orders are certain to be all there are."""


def view_of(qrels, run, metrics=METRICS):
    """Bound metrics, and what they read."""
    result = assay.evaluate(qrels, run, metrics)
    (policy,) = {setting.policy for setting in result.settings}
    view = replace(result.grader.grading(policy).run, tie_rule="settled")
    return [setting.metric for setting in result.settings if not setting.is_beside], view


def orders(scores):
    """Every ranking that the scores allow."""
    ranked = sorted(scores, key=scores.get, reverse=True)
    groups = [list(permutations(group)) for _, group in groupby(ranked, key=scores.get)]
    return [[doc for group in chosen for doc in group] for chosen in product(*groups)]


@settings(deadline=None, max_examples=50)
@given(grades=st.lists(GRADES, min_size=1, max_size=3), scores=st.lists(SCORES, min_size=3, max_size=3))
def test_a_query_changes_where_its_band_has_a_width(grades, scores):
    qrels = {f"q{number}": one for number, one in enumerate(grades)}
    metrics, view = view_of(qrels, {f"q{number}": one for number, one in enumerate(scores)})
    for metric, changed in zip(metrics, changed_by_ties(metrics, view), strict=True):
        band = tie_band(metric, view)
        assert changed.tolist() == (band.low < band.high).tolist(), metric.name


@settings(deadline=None, max_examples=15)
@given(GRADES, SCORES.filter(lambda scores: all(list(scores.values()).count(one) <= MOST_EQUAL for one in scores.values())))
def test_a_query_changes_where_two_orders_have_different_scores(grades, scores):
    metrics, view = view_of({"q": grades}, {"q": scores})
    every = orders(scores)
    queries = {f"q{number}": grades for number in range(len(every))}
    alone = assay.evaluate(queries, {f"q{number}": order for number, order in enumerate(every)}, METRICS)
    for metric, changed in zip(metrics, changed_by_ties(metrics, view), strict=True):
        found = alone.array(metric.name)
        assert changed.tolist() == [found.min() < found.max()], metric.name


def test_orders_are_drawn_once_and_only_where_the_extreme_ones_leave_it_open(monkeypatch):
    """q1: the extremes differ. q2: nothing relevant. q3: what is tied stands below the last relevant document."""
    drawn = []
    monkeypatch.setattr(ties, "random_orders", lambda run, *_: drawn.append(run.query_ids) or [])
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "z": 1}, "q3": {"a": 1, "b": 0}, "q4": {"a": 1, "b": 0}}
    run = {
        "q1": {"a": 1.0, "b": 1.0, "x": 1.0},
        "q2": {"a": 1.0, "x": 1.0},
        "q3": {"a": 2.0, "b": 1.0, "x": 1.0},
        "q4": {"b": 2.0, "x": 2.0, "a": 1.0},
    }
    changed_by_ties(*view_of(qrels, run, ["mrr", "infap", "accuracy", "map", "bpref"]))
    assert drawn == [("q4",)]


@pytest.mark.parametrize("metrics", [["alpha_ndcg@2"], ["map", "err_ia@2", "nrbp"]])
def test_documents_of_one_grade_about_different_subtopics(tmp_path, metrics):
    (tmp_path / "qrels.txt").write_text("q 1 a 1\nq 1 b 1\nq 2 c 1\nr 1 a 1\n")
    rows = [f"{query} Q0 {doc} 1 {2 if doc == 'a' else 1} t\n" for query in "qr" for doc in "abc"]
    (tmp_path / "run.txt").write_text("".join(rows))
    bound, view = view_of(str(tmp_path / "qrels.txt"), str(tmp_path / "run.txt"), metrics)
    for metric, changed in zip(bound, changed_by_ties(bound, view), strict=True):
        band = tie_band(metric, view)
        assert changed.tolist() == (band.low < band.high).tolist()
