"""Novelty: the ideal ranking, laws that hold for all metrics of diversity, and what is done about ties and odd queries."""

import random
from itertools import chain, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.errors import DataError, UsageError
from assay.metrics.catalog.diversity import MAX_BY_GREED, ideal_hits
from assay.metrics.parsing import parse_metric, parse_metrics
from assay.metrics.registry import all_metrics
from assay.model.qrels import Qrels
from assay.model.run import Run
from assay.views.grading import grade

from ._cases import close
from ._subtopics import CASES, LETTERS, Case, as_rows, gain, ideal

NAMES = [
    *("alpha_dcg@5", "alpha_ndcg", "alpha_ndcg@5", "alpha_ndcg(alpha=0.3)@5", "err_ia@5", "nerr_ia", "nerr_ia@5"),
    *("nrbp", "nnrbp", "precision_ia@5", "map_ia", "subtopic_recall", "subtopic_recall@5"),
]
each = pytest.mark.parametrize("name", NAMES)


def evaluated(cases, **policy):
    return assay.evaluate(*as_rows(cases), NAMES, policy=assay.Policy(**policy))


# ---- laws


def test_all_of_them_are_here():
    reading = {metric.name for metric in all_metrics().values() if metric.view == "subtopics"}
    assert {metric.metric.name for metric in parse_metrics(NAMES)} == reading


@each
def test_scores_lie_in_the_range(name):
    low, high = parse_metric(name).metric.range
    scores = evaluated(CASES).array(name)
    assert ((scores >= low) & (scores <= high)).all()
    assert scores.max() > 0


@each
def test_a_query_scores_the_same_alone_and_in_company(name):
    in_company = evaluated(CASES).array(name)[::10].tolist()
    assert [evaluated([case]).array(name)[0] for case in CASES[::10]] == in_company


@each
def test_the_order_and_names_of_subtopics_do_not_matter(name):
    rows, run = as_rows(CASES)
    renamed = [(query, doc, grade, f"{9 - LETTERS.index(letter)} ä") for query, doc, grade, letter in rows]
    random.Random(3).shuffle(renamed)
    found = assay.evaluate(renamed, run, name).scores(name)
    assert found == close(assay.evaluate(rows, run, name).scores(name))


@each
def test_one_subtopic_for_all_is_allowed_where_it_is_named(name):
    assert 0 < assay.evaluate([("q", "x", 1, "all")], {"q": ["x"]}, name)[name] <= 1


def test_with_one_subtopic_it_is_the_metric_of_the_query():
    rng = random.Random(4)
    docs = [f"d{number}" for number in range(9)]
    judged = {f"q{number}": {doc: rng.randint(0, 1) for doc in docs} for number in range(20)}
    run = {query: rng.sample(docs, rng.randint(1, 9)) for query in judged}
    rows = [(query, doc, grade, "s") for query, grades in judged.items() for doc, grade in grades.items()]
    for ours, plain in {
        "alpha_ndcg(alpha=0)@5": "ndcg@5",
        "precision_ia@3": "precision@3",
        "map_ia": "map",
        "subtopic_recall@3": "hit@3",
        "nrbp(alpha=0, beta=0.8)": "rbp(p=0.8)",
        "nerr_ia(alpha=1)": "mrr",
    }.items():
        assert assay.evaluate(rows, run, ours).scores(ours) == close(assay.evaluate(judged, run, plain).scores(plain))


# ---- the ideal ranking


@given(st.lists(st.lists(st.sampled_from(LETTERS), unique=True, max_size=4).map("".join), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_no_ranking_is_much_better_than_the_greedy_one(documents):
    """Against every order there is, at every cutoff."""
    for k in range(1, len(documents) + 1):
        greedy = gain(ideal(documents, [], 0.5), 0.5, lambda rank: 1 / rank, k)
        best = max(gain(order, 0.5, lambda rank: 1 / rank, k) for order in permutations(documents))
        assert greedy <= best + 1e-12
        assert best <= greedy * MAX_BY_GREED


def test_the_ideal_is_that_of_the_judgments_whatever_was_retrieved():
    judged, run = as_rows([Case(["a", "ab", "c"], ["abc", "b"])])
    qrels = Qrels(judged)
    views = [grade(Run(one), qrels, assay.Policy()).run.by_subtopic() for one in (run, {})]
    found = [sorted(zip(hits.query, hits.rank, strict=True)) for hits in (ideal_hits(by, 0.5, None) for by in views)]
    assert found[0] == found[1]
    assert len(found[0]) == 8


def test_equal_gains_are_found_equal_whatever_they_are_sums_of():
    """0.7 + 0.49 + 1 and 1 + 0.49 + 0.7 are one gain; then the larger id comes first, here as everywhere."""
    cases = [Case(list(order)) for order in permutations(["ab", "bc", "ca", "abc"])]
    found = evaluated(cases)
    wanted = [
        gain(ranked, 0.3, lambda rank: 1 / np.log2(rank + 1), 5)
        / gain(ideal(ranked, [], 0.3), 0.3, lambda rank: 1 / np.log2(rank + 1), 5)
        for ranked, _ in cases
    ]
    assert found.array("alpha_ndcg(alpha=0.3)@5").tolist() == close(wanted)


# ---- judgments


@each
def test_judgments_without_subtopics_are_refused(name):
    with pytest.raises(DataError, match="query subtopic document grade"):
        assay.evaluate({"q": {"x": 1}}, {"q": ["x"]}, name)


def test_a_query_judged_as_a_whole_is_named():
    rows = [{"qid": "q1", "docid": "x", "rel": 1, "subtopic": "s"}, {"qid": "q2", "docid": "x", "rel": 1}]
    with pytest.raises(DataError, match="1 query without any: q2"):
        assay.evaluate(rows, {"q1": ["x"]}, "alpha_ndcg@5")


def test_a_query_judged_as_a_whole_without_anything_relevant_does_no_harm():
    rows = [{"qid": "q1", "docid": "x", "rel": 1, "subtopic": "s"}, {"qid": "q2", "docid": "x", "rel": 0}]
    assert assay.evaluate(rows, {"q1": ["x"], "q2": ["x"]}, "alpha_ndcg@5").scores("alpha_ndcg@5") == {"q1": 1, "q2": 0}


def test_levels_and_negative_grades():
    rows = [("q", "x", 1, "a"), ("q", "y", 2, "a"), ("q", "z", 2, "b"), ("q", "w", -2, "c")]
    run = {"q": ["x", "y", "w", "v"]}
    assert assay.evaluate(rows, run, "subtopic_recall@1")["subtopic_recall@1"] == 1 / 2
    assert assay.evaluate(rows, run, "StRecall(rel=2)@1")["subtopic_recall(rel=2)@1"] == 0
    by_policy = assay.evaluate(rows, run, "subtopic_recall@1", policy=assay.Policy(rel=2))
    assert by_policy["subtopic_recall@1"] == 0


@pytest.mark.parametrize(("missing", "queries"), [("zero", ["q0", "q1", "q2"]), ("skip", ["q0", "q2"])])
def test_queries_that_are_left_out_take_nothing_with_them(missing, queries):
    cases = [Case(["a", "b"]), Case(["b", "ab"]), Case([None, "cd", "a"], ["b"])]
    rows, run = as_rows(cases)
    del run["q1"]
    found = assay.evaluate(rows, run, NAMES, policy=assay.Policy(missing=missing))
    alone = evaluated(cases)
    for name in NAMES:
        scores = found.scores(name)
        assert list(scores) == queries
        assert all(scores[query] == alone.scores(name)[query] for query in ("q0", "q2"))


# ---- ties


def tied(groups):
    """Judgments and a run in which the documents of a group have one score."""
    docs = [
        (f"{place}.{nth}", about, float(-place)) for place, group in enumerate(groups) for nth, about in enumerate(group)
    ]
    rows = [("q", doc, int(letter in about), letter) for doc, about, _ in docs if about is not None for letter in LETTERS]
    return rows, {"q": {doc: score for doc, _, score in docs}}


def every_order(groups):
    """The same documents with the same judgments, in every order that the groups leave open: a query for each."""
    rows, _ = tied(groups)
    ids = [[f"{place}.{nth}" for nth in range(len(group))] for place, group in enumerate(groups)]
    orders = [list(chain.from_iterable(choice)) for choice in product(*map(permutations, ids))]
    judged = [(f"q{number}", *row[1:]) for number in range(len(orders)) for row in rows]
    return judged, {f"q{number}": order for number, order in enumerate(orders)}


GROUPS = st.lists(
    st.lists(st.sampled_from([None, "", "a", "b", "ab", "bc"]), min_size=1, max_size=4), min_size=1, max_size=2
).filter(lambda groups: any(about is not None for group in groups for about in group))
OTHER_SETTINGS = ["alpha_dcg(alpha=0)@3", "alpha_ndcg@2", "nerr_ia(alpha=1)@3", "nrbp(alpha=0.2, beta=0.9)"]


@given(GROUPS)
@settings(max_examples=40, deadline=None)
def test_the_mean_over_ties_is_that_of_every_order(groups):
    names = [*NAMES, *OTHER_SETTINGS]
    found = assay.evaluate(*tied(groups), names, policy=assay.Policy(ties="expected"))
    every = assay.evaluate(*every_order(groups), names)
    for name in names:
        assert found[name] == close(every.array(name).mean()), name


@each
def test_equal_grades_are_not_the_same_where_subtopics_differ(name):
    """x and y both have grade 1; which of them comes first decides, and the band knows."""
    rows, run = tied([["ab", "a", "a", "c", "c", "c"], ["b"]])
    result = assay.evaluate(rows, run, name, tie_band=True)
    band = result.tie_bands[name].summary()
    plain = result[name]
    assert band["min"] - 1e-12 <= plain <= band["max"] + 1e-12
    if name != "subtopic_recall":
        assert band["min"] < band["max"]


def test_ties_are_broken_as_everywhere():
    rows = [("q", "x", 1, "a"), ("q", "y", 1, "b"), ("q", "y", 1, "c"), ("q", "x", 0, "c")]
    run = {"q": {"x": 1.0, "y": 1.0}}
    assert assay.evaluate(rows, run, "StRecall@1")["subtopic_recall@1"] == close(2 / 3)
    other = assay.evaluate(rows, run, "StRecall@1", policy=assay.Policy(ties="docid_asc"))
    assert other["subtopic_recall@1"] == close(1 / 3)


# ---- names, comparison, fusion


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("alpha_nDCG(alpha=.5)@10", "alpha_ndcg@10"),
        ("α_nDCG@10", "alpha_ndcg@10"),
        ("α_DCG(alpha=0.3)@10", "alpha_dcg(alpha=0.3)@10"),
        ("ERR_IA@10", "err_ia@10"),
        ("nERR_IA@20", "nerr_ia@20"),
        ("StRecall@10", "subtopic_recall@10"),
        ("st_recall@10", "subtopic_recall@10"),
        ("P_IA@10", "precision_ia@10"),
        ("AP_IA", "map_ia"),
        ("NRBP(alpha=0.5, beta=0.8)", "nrbp(beta=0.8)"),
        ("nNRBP", "nnrbp"),
        ("alpha-nDCG@10", "alpha_ndcg@10"),
        ("strec@10", "subtopic_recall@10"),
        ("P-IA@5", "precision_ia@5"),
        ("MAP-IA", "map_ia"),
        ("ERR-IA@20", "err_ia@20"),
    ],
)
def test_as_ir_measures_and_ndeval_write_them(written, name):
    assert parse_metric(written).name == name


@pytest.mark.parametrize(
    "name", ["alpha_dcg", "err_ia", "precision_ia", "alpha_ndcg(alpha=2)@5", "nrbp(beta=1)", "map_ia@5"]
)
def test_what_cannot_be_asked_for(name):
    with pytest.raises(UsageError):
        parse_metric(name)


def test_runs_are_compared_by_them():
    cases = [Case(["a", "a", "b"]), Case(["a", "ab"]), Case(["c", None, "d"]), Case(["a", "b", "c"])]
    rows, run = as_rows(cases)
    other = {query: docs[::-1] for query, docs in run.items()}
    compared = assay.compare(rows, {"one": run, "two": other}, "alpha_ndcg@2")
    (pair,) = compared.pairs
    scores = [assay.evaluate(rows, one, "alpha_ndcg@2").array("alpha_ndcg@2") for one in (run, other)]
    assert pair.difference == close(scores[1].mean() - scores[0].mean())
