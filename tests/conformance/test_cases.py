"""The cases: every number is what assay gives under that convention, or what the naive formula gives."""

from __future__ import annotations

import itertools
import math

import pytest

import assay
from assay.conformance import all_cases, all_topics
from assay.metrics import parse_name

CASES = {case.name: case for case in all_cases()}
VALUES = [(case, answer) for case in CASES.values() for answer in case.values]
FAULTS = [(case, answer) for case in CASES.values() for answer in case.wrong]


def score(case, metric, policy):
    try:
        return assay.evaluate(case.qrels, case.run, metric, policy=assay.Policy(**policy))[metric]
    except assay.DataError:
        return None


def test_assay_reproduces_every_convention_it_has_and_faults_on_purpose():
    for case, answer in (*VALUES, *FAULTS):
        if answer.metric:
            value = score(case, answer.metric, answer.policy)
            wanted = answer.value if answer.value is None else pytest.approx(answer.value, abs=1e-9, rel=0)
            assert value == wanted, (case.name, answer)


def test_every_case_is_sound():
    """The first value is assay's own, answers can be told apart, and each case explains itself."""
    for name, case in CASES.items():
        assert (case.values[0].metric, case.values[0].policy) == (case.metric, {}), name
        every = sorted({answer.value for answer in (*case.values, *case.wrong) if answer.value is not None})
        assert all(above - below > 5e-4 for below, above in itertools.pairwise(every)), name
        assert case.working, name
        assert case.reason.endswith((".", "?")), name
        assert all(answer.fault and not answer.fault.endswith(".") for answer in case.wrong), name
        assert not any(answer.policy for answer in case.wrong if answer.metric is None), name
        choices = {answer.value for answer in case.values if answer.topic == case.topic}
        assert len(choices) < 2 or all(answer.convention for answer in case.values), name


L3, L5 = 1 / math.log2(3), 1 / math.log2(5)


BY_HAND = [
    ("precision", 2 / 5, ""),
    ("recall", 2 / 3, ""),
    ("f1", 1 / 2, ""),
    ("hit", 1, ""),
    ("mrr", 1 / 2, ""),
    ("map", (1 / 2 + 2 / 4 + 0) / 3, ""),
    ("ndcg", (L3 + L5) / (1 + L3 + 1 / 2), ""),
    ("rprec", 1 / 3, ""),
    ("rbp", 0.2 * (0.8 + 0.8**3), ""),
    ("bpref", (1 + 1 / 2 + 0) / 3, "min(N, R)"),
    ("bpref", (1 + 2 / 3 + 1 / 3) / 3, "2004"),
    ("err", 1 / 8 + 1 / 2 * 7 / 8 * 3 / 8, "largest"),
    ("err", 1 / 16 + 1 / 2 * 15 / 16 * 3 / 16, "always"),
    ("ties-mrr", 1 / 4, "descending"),
    ("ties-mrr", 1 / 1, "ascending id"),
    ("ties-mrr", 1 / 3, "in the given order"),
    ("ties-mrr", 1 / 2, "reverse"),
    ("ties-mrr", (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, "mean"),
    ("ties-at-the-cut", 1 / 2 + 1 / 2 * 1 / 3, "mean"),
    ("ties-map", (1 / 3 + 2 / 5) / 2, "descending"),
    ("ties-map", (7 / 6 + 1 + 9 / 10 + 5 / 6 + 11 / 15 + 13 / 20) / 12, "mean"),
    ("ties-numeric-ids", 1 / 3, "text"),
    ("ties-numeric-ids", 1 / 5, "numbers"),
    ("ties-numeric-ids", 1 / 6, "reverse"),
    ("near-equal-scores", 1 / 2, "single"),
    ("gain-at-1", 2 / 3, "itself"),
    ("gain-at-1", 3 / 7, "2^grade"),
    ("discount-dcg", 1 + L3 + L5, "rank + 1"),
    ("discount-dcg", 1 + 1 + 1 / 2, "from rank 2"),
    ("ideal-cut", 1 / (1 + L3), "cut at k"),
    ("recall-more-than-k", 1 / 4, "÷ all"),
    ("recall-more-than-k", 1 / 3, "min"),
    ("map-more-than-k", (1 + 2 / 3) / 5, "÷ all"),
    ("map-more-than-k", (1 + 2 / 3) / 3, "min"),
    ("level-precision", 1 / 5, "of 2 or more"),
    ("missing-query", (1 / 2 + 0) / 2, "score 0"),
    ("no-relevant-ndcg", (1 + 0) / 2, "left out"),
    ("duplicate-precision", 1 / 2, "once"),
]
"""A case, a value of it worked out in full, and words of its convention."""


def test_numbers_worked_by_hand():
    for name, value, words in BY_HAND:
        values = [answer.value for answer in CASES[name].values if words in answer.convention]
        assert pytest.approx(value, abs=1e-12) in values, (name, words)


def test_metrics_and_topics_select():
    assert {case.bound.metric.name for case in all_cases(["nDCG@10", "AP"])} == {"ndcg", "map"}
    assert {case.topic for case in all_cases(topics=["Ties", " GAIN "])} == {"ties", "gain"}
    assert [case.name for case in all_cases(["mrr"], ["ties"])] == ["ties-mrr"]
    assert len(all_cases()) == len(CASES)
    assert all_topics()[0] == "plain"
    assert {answer.topic for _, answer in VALUES} == set(all_topics())
    common = ("precision", "recall", "f1", "hit", "mrr", "map", "ndcg", "dcg", "rprec", "bpref", "err", "rbp")
    assert {case.bound.metric.name for case in all_cases()} == {parse_name(name).name for name in common}


def test_a_selection_that_selects_nothing(snapshots):
    asked = ((None, ["tie"]), (["ncdg"], None), (["infap"], None), (["map"], ["gain"]))
    cases = {f"{metrics} in {topics}": lambda pair=(metrics, topics): all_cases(*pair) for metrics, topics in asked}
    snapshots.check_errors("conformance/selections", cases)
