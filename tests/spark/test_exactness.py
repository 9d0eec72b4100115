"""Both forms give exactly what `assay.evaluate` gives: for random runs, over every field of a policy."""

from __future__ import annotations

import math
from dataclasses import fields

import numpy as np
import pyarrow as pa
import pytest

import assay
import assay.spark

from . import _random_runs

METRICS = ["all_trec", "compatibility", "insq", "inst", "nerr10", "rbp", "infap", "nerr8@5"]
CUT = ["ndcg@10", "map@5", "precision@5", "recall@20", "judged@10", "err@5", "rbp(p=0.8)", "ndcg(gain=exp)@5"]
RUNS_PER_POLICY = 50
POLICIES = [
    {},
    {"ties": "docid_asc"},
    {"ties": "expected"},
    {"precision": "float32"},
    {"precision": "float32", "ties": "docid_asc"},
    {"missing": "skip"},
    {"no_relevant": "skip"},
    {"no_relevant": "one"},
    {"missing": "skip", "no_relevant": "skip", "rel": 2},
    {"rel": 0},
    {"rel": 0.5},
    {"judged_only": True},
    {"judged_only": True, "ties": "expected"},
    {"negatives": "nonrelevant"},
    {"drop_self": True},
    {"drop_self": True, "precision": "float32", "missing": "skip"},
    {"max_grade": 5.0},
    {"max_grade": 1.5, "negatives": "nonrelevant"},
    {"duplicates": "keep_best"},
    {"depth": 3},
    {"depth": 10, "judged_only": True, "ties": "docid_asc"},
    {"duplicates": "keep_best", "drop_self": True, "precision": "float32", "depth": 7, "rel": 1},
]
REFUSALS = [{"missing": "error"}, {"extra": "error"}, {"no_relevant": "error"}, {"ties": "error"}]
"""Policies under which most random runs are errors."""


NEED_AN_ORDER = {"input_order", "reverse_order", "rank_column", "ranx"}
"""Values of ties that Spark cannot follow; test_refusals.py shows that they are refused."""


def test_policies_cover_every_value_of_every_field():
    used = {(name, value) for policy in (*POLICIES, *REFUSALS) for name, value in policy.items()}
    assert {name for name, _ in used} == {field.name for field in fields(assay.Policy)}
    for field in fields(assay.Policy):
        choices = field.metadata.get("choices", (True, False) if isinstance(field.default, bool) else ())
        assert {value for name, value in used if name == field.name} >= {*choices} - {field.default} - NEED_AN_ORDER


def frame_of(spark, rows, n_partitions=5):
    columns = dict(zip(("system", "query_id", "doc_id", "score"), map(list, zip(*rows, strict=True)), strict=True))
    return spark.createDataFrame(pa.table(columns)).repartition(n_partitions)


def with_duplicates(rows, rng):
    """Some rows again, with other scores: in the same partition, or in another one."""
    chosen = rng.permutation(len(rows))[: len(rows) // 10].tolist()
    return rows + [(*rows[number][:3], float(rng.normal())) for number in chosen]


def best_of(rows):
    runs = {}
    for run, query, document, score in rows:
        ranking = runs.setdefault(run, {}).setdefault(query, {})
        ranking[document] = max(score, ranking.get(document, score))
    return runs


def assert_equal(result, expected):
    assert result.fingerprints == expected.fingerprints
    assert result.counts == expected.counts
    assert result.missing == expected.missing
    assert result.query_ids == expected.query_ids
    assert result.notes == expected.notes
    assert list(result) == list(expected)
    for metric in set(expected) - {"runid"}:  # a run in a table is called what its column says
        ours, theirs = result.array(metric), expected.array(metric)
        if theirs.dtype.kind == "f":
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12, equal_nan=True, err_msg=metric)
        else:
            assert ours.tolist() == theirs.tolist(), metric
    for metric, value in expected.summary.items():
        assert (
            result.summary[metric] == value
            or math.isclose(result.summary[metric], value, rel_tol=0, abs_tol=1e-12)
            or (math.isnan(value) and math.isnan(result.summary[metric]))
        ), metric


@pytest.mark.parametrize("number", range(len(POLICIES)), ids=lambda number: repr(POLICIES[number]))
def test_random_runs_have_the_results_of_evaluate(spark, number):
    rng = np.random.default_rng(number)
    policy = assay.Policy(**POLICIES[number])
    judgments = _random_runs.random_judgments(rng)
    metrics = [*METRICS, *CUT] if number % 5 == 0 else CUT
    runs = {f"run {place}": _random_runs.random_run(rng) for place in range(RUNS_PER_POLICY)}
    rows = _random_runs.rows_of(runs, rng)
    if policy.duplicates == "keep_best":
        rows = with_duplicates(rows, rng)
        runs = best_of(rows)
    frame = frame_of(spark, rows).cache()
    expected = {name: assay.evaluate(judgments, run, metrics, policy=policy, name=name) for name, run in runs.items()}
    for form in ("grouped", "counting"):
        results = assay.spark.evaluate(judgments, frame, metrics, "system", policy=policy, form=form)
        assert results.keys() == expected.keys()
        for name, result in results.items():
            assert_equal(result, expected[name])
            assert result.provenance["engine"]["form"] == form
    frame.unpersist()
