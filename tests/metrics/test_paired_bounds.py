"""Bounds of a difference over the grades of unjudged documents: all gradings tried, laws, then by hand."""

import random
from itertools import product
from math import log2

import numpy as np
import pytest

import assay
from assay.metrics import difference_bounds, find_metric, residual_scores
from assay.model import Policy, Qrels, Run
from assay.views import grade, unjudged_documents

EXACT = [
    *(
        "precision@3",
        "precision(over=retrieved)@4",
        "hit@2",
        "hit",
        "mrr",
        "mrr@2",
        "rbp(p=0.5)",
        "rbp(p=0.8, gain=scale)@2",
    ),
    *("rbp(gain=grade)", "dcg", "dcg@2", "dcg(gain=exp)@3", "sdcg@3", "recall", "recall@2", "capped_recall@2", "f1@3"),
    *("f(beta=2)@2", "ndcg", "ndcg@2", "ndcg(gain=exp)@3", "ndcg(gain=binary)", "ndcg(discount=jk2002)@3"),
    *("ndcg(ideal=uncut)@2", "ndcg(rel=1)@2"),
]
OUTER = ["map", "map@2", "map@3", "map(norm=min)@2", "err", "err@2"]
AT_LEVEL_2 = ["precision(rel=2)@3", "mrr(rel=2)", "recall(rel=2)", "ndcg(rel=2)"]
READS_ITS_OWN_RANKING = ("precision", "hit", "mrr", "rbp", "dcg", "sdcg", "err")


def ranked(documents):
    return {document: -float(place) for place, document in enumerate(documents)}


def small_pair(rng, top):
    """Judgments and two rankings of one query; some documents are judged, some have a negative grade."""
    documents = [f"d{number}" for number in range(rng.randint(2, 7))]
    judged = {document: rng.choice([-1, *range(top + 1)]) for document in documents if rng.random() < 0.6}
    judged["elsewhere"] = rng.randint(0, top)
    return judged, *(rng.sample(documents, rng.randint(0, len(documents))) for _ in range(2))


def open_within(k, judged, *rankings):
    """Unjudged documents in the first k of a ranking."""
    return sorted({document for ranking in rankings for document in ranking[:k] if judged.get(document, -1) < 0})


def bounds_of(metric, pairs, **policy):
    """The bounds of every pair, each pair being a query."""
    qrels = Qrels({str(number): judged for number, (judged, *_) in enumerate(pairs)})
    runs = [Run({str(number): ranked(pair[side]) for number, pair in enumerate(pairs)}) for side in (1, 2)]
    views = [grade(run, qrels, Policy(**policy)).run for run in runs]
    lists = [lambda query, k, run=run: list(run[query])[:k] for run in runs]
    bound = find_metric(metric)
    unjudged = unjudged_documents(*views, *lists, bound.params.get("k"))
    return difference_bounds(bound, *views, unjudged), views


def tried(metric, pairs, top):
    """The lowest and highest difference over all gradings, scored one by one."""
    bound = find_metric(metric)
    judgments, rows, owner = {}, ({}, {}), []
    for number, (judged, *rankings) in enumerate(pairs):
        unjudged = open_within(bound.params.get("k"), judged, *rankings)
        for grades in product(range(top + 1), repeat=len(unjudged)):
            query = str(len(owner))
            judgments[query] = judged | dict(zip(unjudged, grades, strict=True))
            for run, ranking in zip(rows, rankings, strict=True):
                run[query] = ranked(ranking)
            owner.append(number)
    scores = [assay.evaluate(judgments, run, metric, policy=Policy(max_grade=top)).array(metric) for run in rows]
    start = np.flatnonzero(np.diff(owner, prepend=-1))
    difference = scores[1] - scores[0]
    return np.minimum.reduceat(difference, start), np.maximum.reduceat(difference, start)


def some_pairs(seed, top, n, most=4):
    rng = random.Random(seed)
    pairs = [small_pair(rng, top) for _ in range(n)]
    return [pair for pair in pairs if len(open_within(None, *pair)) <= most]


@pytest.mark.parametrize("top", [1, 2])
def test_no_grading_leads_beyond_the_bounds_and_some_lead_there(top):
    pairs = some_pairs(top, top, 90)
    for metric in EXACT + AT_LEVEL_2 * (top == 2):
        bounds, _ = bounds_of(metric, pairs, max_grade=top)
        lowest, highest = tried(metric, pairs, top)
        assert bounds.is_exact
        assert bounds.low == pytest.approx(lowest, abs=1e-12), metric
        assert bounds.high == pytest.approx(highest, abs=1e-12), metric


@pytest.mark.parametrize("top", [1, 2])
def test_no_grading_leads_beyond_outer_bounds(top):
    pairs = some_pairs(10 + top, top, 90)
    for metric in OUTER:
        bounds, _ = bounds_of(metric, pairs, max_grade=top)
        lowest, highest = tried(metric, pairs, top)
        assert not bounds.is_exact
        assert (bounds.low <= lowest + 1e-12).all(), metric
        assert (bounds.high >= highest - 1e-12).all(), metric
        assert (bounds.low <= bounds.high).all()


def test_one_relevant_document_is_enough_to_reach_the_ends_of_hit_and_mrr():
    for judged, *rankings in some_pairs(5, 1, 60):
        for metric in ("hit@2", "mrr"):
            unjudged = open_within(find_metric(metric).params["k"], judged, *rankings)
            gradings = [judged | dict.fromkeys(unjudged, 0) | {one: 1} for one in unjudged] + [judged]
            scores = [
                [assay.evaluate({"q": one}, {"q": ranked(ranking)}, metric)[metric] for ranking in rankings]
                for one in gradings
            ]
            differences = [b - a for a, b in scores]
            bounds, _ = bounds_of(metric, [(judged, *rankings)])
            assert (bounds.low[0], bounds.high[0]) == (min(differences), max(differences))


def test_the_difference_is_never_further_than_the_bounds_of_both_systems_allow():
    pairs = some_pairs(3, 2, 80, most=9)
    for metric in EXACT + OUTER:
        bound = find_metric(metric)
        if bound.metric.name in READS_ITS_OWN_RANKING:
            bounds, views = bounds_of(metric, pairs, max_grade=2)
            (low_a, high_a, _), (low_b, high_b, _) = (residual_scores(bound, view) for view in views)
            assert (bounds.low >= low_b - high_a - 1e-12).all(), metric
            assert (bounds.high <= high_b - low_a + 1e-12).all(), metric


def test_equal_rankings_never_differ():
    rng = random.Random(7)
    pairs = [(judged, ranking, ranking) for judged, ranking, _ in (small_pair(rng, 2) for _ in range(40))]
    for metric in EXACT + OUTER:
        bounds, _ = bounds_of(metric, pairs)
        assert not bounds.low.any()
        assert not bounds.high.any()


def test_without_unjudged_documents_the_bounds_are_the_difference():
    pairs = [(judged | dict.fromkeys([*a, *b], 1), a, b) for judged, a, b in some_pairs(8, 2, 40, most=9)]
    for metric in EXACT + OUTER:
        bounds, views = bounds_of(metric, pairs)
        scores = [find_metric(metric).score(view) for view in views]
        assert bounds.low == pytest.approx(scores[1] - scores[0], abs=1e-12)
        assert bounds.high == pytest.approx(scores[1] - scores[0], abs=1e-12)


def test_metrics_without_known_bounds_have_none():
    for metric in (
        "bpref",
        "rprec",
        "q_measure",
        "infap",
        "dcg(gain={1: 3, 2: 9})",
        "rbp(gain=query)",
        "ndcg(ideal=retrieved)",
    ):
        assert bounds_of(metric, [({"x": 1}, ["x", "y"], ["y"])])[0] is None, metric


def test_a_document_can_be_left_out_by_judged_only():
    bounds, _ = bounds_of("precision(judged_only=true)@1", [({"x": 1}, ["y", "x"], ["y"])])
    assert (bounds.low[0], bounds.high[0], bounds.is_exact) == (-1, 0, False)


BY_HAND = [  # metric, judgments, first ranking, second ranking, lowest, highest
    ("precision@2", {"x": 1}, ["x", "y"], ["z", "y"], -1 / 2, 0),  # y counts for both
    ("precision@2", {"x": 1}, ["x", "y"], ["z", "w"], -1, 1 / 2),
    ("recall@2", {"x": 1}, ["x"], ["y", "z"], -1, 1 / 3),  # 1 of 1 against none; or 1 of 3 against 2 of 3
    ("recall@2", {"x": 1, "y": 1, "w": 1}, ["x", "y", "z"], ["x"], -1 / 3, -1 / 3),  # z is beyond the cutoff
    ("mrr", {"x": 1}, ["x", "y"], ["y", "x"], -1 / 2, 0),
    ("mrr", {"x": 1}, ["y", "x"], ["z", "x"], -1 / 2, 1 / 2),
    ("dcg@2", {"x": 2}, ["x", "y"], ["y", "x"], 2 / log2(3) - 2, 0),
    ("ndcg@1", {"x": 2}, ["x"], ["y"], -1, 0),  # both have 1 if y has grade 2
]


@pytest.mark.parametrize(("metric", "judged", "a", "b", "low", "high"), BY_HAND)
def test_by_hand(metric, judged, a, b, low, high):
    bounds, _ = bounds_of(metric, [(judged, a, b)])
    assert (bounds.low[0], bounds.high[0]) == pytest.approx((low, high), abs=1e-12)


def test_outer_bounds_of_similar_rankings_are_narrow():
    documents = [f"d{number}" for number in range(60)]
    judged = {document: number % 2 for number, document in enumerate(documents[::4])}
    for place in (10, 30, 50):
        other = documents.copy()
        other[place : place + 2] = other[place : place + 2][::-1]
        bounds, _ = bounds_of("map", [(judged, documents, other)])
        assert -1 / place < bounds.low[0] <= bounds.high[0] < 1 / place  # two places of 60 changed


def test_a_gain_above_the_scale_stays_possible_for_its_query():
    """The scale ends at 1, but one document has grade 2, so an unjudged document of this query could have it too."""
    pairs = [({"x": 2, "y": 0}, ["x"], ["new"]), ({"x": 1, "y": 0}, ["x"], ["new"])]
    bounds, views = bounds_of("ndcg@1", pairs, max_grade=1)
    highest = [residual_scores(find_metric("ndcg@1"), view).high for view in views]
    assert bounds.high == pytest.approx([0, 0])  # both have grade 2, or both have grade 1
    assert bounds.low == pytest.approx([-1, -1])
    assert highest[1] == pytest.approx([1, 1])
