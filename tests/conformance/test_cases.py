"""The cases: every number is what assay gives under that convention, or what the naive formula gives."""

from __future__ import annotations

import itertools
import json
import math
from importlib.resources import files

import pytest

import assay
from assay.conformance import all_cases, all_topics
from assay.conformance.cases import _read_cases
from assay.metrics.parsing import parse_name

CASES = {case.name: case for case in all_cases()}
VALUES = [(case, one) for case in CASES.values() for one in case.values]
FAULTS = [(case, one) for case in CASES.values() for one in case.wrong]


def score(case, metric, policy):
    try:
        return assay.evaluate(case.qrels, case.run, metric, policy=assay.Policy(**policy))[metric]
    except assay.DataError:
        return None


def named(pairs):
    return [pytest.param(case, one, id=f"{case.name}-{number}") for number, (case, one) in enumerate(pairs)]


@pytest.mark.parametrize(("case", "one"), named([pair for pair in VALUES if pair[1].metric]))
def test_assay_reproduces_every_convention_it_has(case, one):
    value = score(case, one.metric, one.policy)
    assert value is one.value is None or value == pytest.approx(one.value, abs=1e-9, rel=0)


@pytest.mark.parametrize(("case", "one"), named([pair for pair in FAULTS if pair[1].metric]))
def test_assay_reproduces_faults_on_purpose(case, one):
    assert score(case, one.metric, one.policy) == pytest.approx(one.value, abs=1e-9, rel=0)


@pytest.mark.parametrize("case", CASES.values(), ids=str)
def test_the_first_value_is_what_assay_gives_by_default(case):
    assert case.values[0].metric == case.metric
    assert case.values[0].policy == {}


@pytest.mark.parametrize("case", CASES.values(), ids=str)
def test_answers_can_be_told_apart(case):
    right = {one.value for one in case.values if one.value is not None}
    wrong = [one.value for one in case.wrong]
    every = sorted([*right, *wrong])
    assert all(above - below > 5e-4 for below, above in itertools.pairwise(every))


@pytest.mark.parametrize("case", CASES.values(), ids=str)
def test_a_case_explains_itself(case):
    assert case.reason.endswith((".", "?"))
    assert case.working
    assert all(one.fault and not one.fault.endswith(".") for one in case.wrong)
    assert [fault for fault in case.wrong if fault.metric is None and fault.policy] == []


@pytest.mark.parametrize("case", CASES.values(), ids=str)
def test_conventions_are_named_where_there_is_a_choice(case):
    choices = {one.value for one in case.values if one.topic == case.topic}
    assert len(choices) < 2 or all(one.convention for one in case.values)


def rr(rank):
    """One over the rank."""
    return 1 / rank


L3, L5 = 1 / math.log2(3), 1 / math.log2(5)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("precision", 2 / 5, ""),
        ("recall", 2 / 3, ""),
        ("f1", 1 / 2, ""),
        ("hit", 1, ""),
        ("mrr", rr(2), ""),
        ("map", (1 / 2 + 2 / 4 + 0) / 3, ""),
        ("ndcg", (L3 + L5) / (1 + L3 + 1 / 2), ""),
        ("rprec", 1 / 3, ""),
        ("rbp", 0.2 * (0.8 + 0.8**3), ""),
        ("bpref", (1 + 1 / 2 + 0) / 3, "min(N, R)"),
        ("bpref", (1 + 2 / 3 + 1 / 3) / 3, "2004"),
        ("err", 1 / 8 + 1 / 2 * 7 / 8 * 3 / 8, "largest"),
        ("err", 1 / 16 + 1 / 2 * 15 / 16 * 3 / 16, "always"),
        ("ties-mrr", rr(4), "descending"),
        ("ties-mrr", rr(1), "ascending id"),
        ("ties-mrr", rr(3), "in the order"),
        ("ties-mrr", rr(2), "reverse"),
        ("ties-mrr", (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, "mean"),
        ("ties-at-the-cut", 1 / 2 + 1 / 2 * 1 / 3, "mean"),
        ("ties-map", (1 / 3 + 2 / 5) / 2, "descending"),
        ("ties-map", (7 / 6 + 1 + 9 / 10 + 5 / 6 + 11 / 15 + 13 / 20) / 12, "mean"),
        ("ties-numeric-ids", rr(3), "text"),
        ("ties-numeric-ids", rr(5), "numbers"),
        ("ties-numeric-ids", rr(6), "reverse"),
        ("near-equal-scores", rr(2), "single"),
        ("gain-at-1", 2 / 3, "itself"),
        ("gain-at-1", 3 / 7, "2^grade"),
        ("discount-dcg", 1 + L3 + L5, "rank + 1"),
        ("discount-dcg", 1 + 1 + 1 / 2, "rank 2 on"),
        ("ideal-cut", 1 / (1 + L3), "cut at k"),
        ("recall-more-than-k", 1 / 4, "÷ all"),
        ("recall-more-than-k", 1 / 3, "min"),
        ("map-more-than-k", (1 + 2 / 3) / 5, "÷ all"),
        ("map-more-than-k", (1 + 2 / 3) / 3, "min"),
        ("level-precision", 1 / 5, "from 2 on"),
        ("missing-query", (1 / 2 + 0) / 2, "score 0"),
        ("no-relevant-ndcg", (1 + 0) / 2, "left out"),
        ("duplicate-precision", 1 / 2, "once"),
    ],
)
def test_numbers_worked_by_hand(name, value, words):
    assert [one for one in CASES[name].values if words in one.convention and one.value == pytest.approx(value, abs=1e-12)]


def test_metrics_and_topics_select():
    assert {case.bound.metric.name for case in all_cases(["nDCG@10", "AP"])} == {"ndcg", "map"}
    assert {case.topic for case in all_cases(topics=["ties", "gain"])} == {"ties", "gain"}
    assert [case.name for case in all_cases(["mrr"], ["ties"])] == ["ties-mrr"]
    assert len(all_cases()) == len({case.name for case in all_cases()}) == len(_read_cases())


def test_every_common_metric_has_a_case():
    common = ("precision", "recall", "f1", "hit", "mrr", "map", "ndcg", "dcg", "rprec", "bpref", "err", "rbp")
    assert {case.bound.metric.name for case in all_cases()} == {parse_name(name).name for name in common}


@pytest.mark.parametrize(
    ("metrics", "topics", "message"),
    [
        (None, ["tie"], "no topic is called 'tie'. Did you mean ties"),
        (["ncdg"], None, "no metric is called 'ncdg'. Did you mean ndcg"),
        (["infap"], None, "no case is about infap; there are cases about precision, recall, f1"),
        (["map"], ["gain"], "no case is about map in the topic gain: there, cases are about ndcg; map is in plain, ties"),
    ],
)
def test_a_selection_that_selects_nothing(metrics, topics, message):
    with pytest.raises(assay.UsageError, match=message):
        all_cases(metrics, topics)


def test_topics_are_found_in_any_case():
    assert all_cases(topics=["Ties", " GAIN "]) == all_cases(topics=["ties", "gain"])


def test_topics_are_those_of_the_cases():
    assert all_topics()[0] == "plain"
    assert {one.topic for _, one in VALUES} == set(all_topics())


def test_the_data_are_part_of_the_package():
    records = json.loads(files("assay.conformance").joinpath("cases.json").read_text(encoding="utf-8"))
    assert [record["name"] for record in records] == list(CASES)
