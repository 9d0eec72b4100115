"""why: every figure it names is what scoring really gives, whatever the data."""

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import assay
from assay import find_profile
from assay.evaluation import PROFILES

from ._explained import explained

DOCS = ("1", "d1", "d2", "d3", "d4")
QUERIES = ("1", "2", "3", "d1")
SCORES = st.sampled_from([1.0, 1.0 + 1e-9, 2.0, 3.0])
METRICS = (
    *("ndcg@2", "ndcg", "ndcg(gain=exp)@3", "ndcg(gain=linear)@2", "mrr@2", "mrr", "map@2", "map(norm=relevant)@2", "map"),
    *("precision@2", "recall@2", "hit@1", "bpref", "err@3", "rbp(p=0.5)", "rprec", "f1@2", "capped_recall@2", "accuracy"),
)


@st.composite
def data(draw):
    """Judgments and runs with ties, missing and extra queries, negative grades and documents named like their query."""
    grade = st.sampled_from([-1, 0, 0, 1, 1, 2, 3] if draw(st.integers(0, 4)) else [0, 0.5, 1])
    judged = st.dictionaries(st.sampled_from(DOCS), grade, min_size=1)
    ranking = st.dictionaries(st.sampled_from(DOCS), SCORES)
    qrels = draw(st.dictionaries(st.sampled_from(QUERIES[:3]), judged, min_size=1))
    run = draw(st.dictionaries(st.sampled_from(QUERIES), ranking, min_size=1))
    return qrels, run


def same(ours, theirs):
    return (math.isnan(ours) and math.isnan(theirs)) or abs(ours - theirs) <= 1e-12


POLICIES = st.sampled_from(
    [{}, {"missing": "skip"}, {"rel": 2.0}, {"ties": "docid_asc", "judged_only": True}, {"drop_self": True, "rel": 1.0}]
)


@settings(max_examples=60)
@given(data(), st.sampled_from(METRICS), POLICIES)
def test_every_figure_is_what_scoring_gives(data, metric, start):
    qrels, run = data
    assume(qrels.keys() & run.keys())  # scoring refuses ids that never match
    policy = assay.Policy(**start)
    found = explained(qrels, run, metric, policy=policy)
    ours = assay.evaluate(qrels, run, metric, policy=policy)
    assert same(found.ours.value, ours[metric])
    assert found.ours.scores == {query: score for query, score in ours.scores(metric).items() if score == score}
    for figure in found.singles:
        (convention,) = figure.conventions
        name = figure.setting.metric.name
        again = assay.evaluate(qrels, run, name, policy=replace(policy, **convention.policy))
        assert same(figure.value, again[name])
        assert not same(figure.value, found.ours.value)
        assert found.moved(figure) or not math.isfinite(figure.value)
    for figure in found.tools:
        profile = find_profile(figure.tool)
        profile = profile.adjusted(**{**(profile.option.settings if figure.with_option else {}), **start})
        if figure.is_lacking:
            continue
        if figure.fault:
            with pytest.raises(assay.DataError):
                assay.evaluate(qrels, run, metric, profile=profile)
            continue
        again = assay.evaluate(qrels, run, metric, profile=profile)
        assert same(figure.value, again[metric])
        if not same(figure.value, found.ours.value):
            assert figure.words
            assert {one.query for one in found.moved(figure)} == {
                query
                for query in {**ours.scores(metric), **again.scores(metric)}
                if not is_same_score(ours.scores(metric).get(query), again.scores(metric).get(query))
            }


def is_same_score(ours, theirs):
    ours, theirs = (None if score is None or math.isnan(score) else score for score in (ours, theirs))
    return ours is theirs if ours is None or theirs is None else abs(ours - theirs) <= 1e-12


@settings(max_examples=40)
@given(data(), st.sampled_from(METRICS), st.sampled_from(list(PROFILES)))
def test_whatever_a_tool_says_is_traced_back_to_it(data, metric, tool):
    qrels, run = data
    try:
        value = assay.evaluate(qrels, run, metric, profile=tool)[metric]
        found = explained(qrels, run, metric, value if value == value else None)
    except assay.DataError:  # what the tool refuses, and runs of which no query is judged
        return
    figure = next(figure for figure in found.tools if figure.tool == tool and not figure.with_option)
    assert figure.is_lacking or same(figure.value, value)
    if value == value and not figure.is_lacking:
        assert figure in found.matches
