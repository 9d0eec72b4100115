"""What assay eval says about several providers."""

import math

import numpy as np
import pytest
from tests._results import make_result

import assay
from assay.execution.plan_parts import Statistics
from assay.reports.sections.evaluation import verdict_notes

RNG = np.random.default_rng(0)
A = RNG.uniform(0.2, 0.6, 30)
B = A + RNG.uniform(-0.1, 0.3, 30)


def provider(name, scores, metric="mrr"):
    given = list(map(str, scores)) if metric == "runid" else scores
    return make_result({metric: given}, name, queries={})


def test_a_verdict_and_what_queries_can_tell():
    verdict, power = verdict_notes([provider("a", A), provider("b", B)], Statistics())
    assert verdict.startswith("b beats a on mrr by 0.")
    assert power.startswith("30 queries like these can tell b and a apart from a difference of about 0.0")


def test_undefined_scores_do_not_stand_in_the_way():
    lacking = A.copy()
    lacking[:3] = math.nan
    notes = verdict_notes([provider("a", lacking), provider("b", B)], Statistics())
    assert notes[-1].startswith("27 queries like these can tell b and a apart")
    nothing = verdict_notes([provider("a", np.full(30, math.nan)), provider("b", B)], Statistics())
    assert nothing == ["Nothing can be said about mrr: no query has a score in both systems."]


def test_times_have_their_unit():
    notes = verdict_notes([provider("a", 10 + A, "latency"), provider("b", 10 + B, "latency")], Statistics())
    assert notes[-1].endswith(" ms on.")


@pytest.mark.parametrize("metric", ["latency_p95", "gm_map"])
def test_power_is_about_means(metric):
    notes = verdict_notes([provider("a", A, metric), provider("b", B, metric)], Statistics())
    assert not [note for note in notes if "queries like these" in note]


def test_times_of_batches_are_told_of():
    batched = [
        provider(name, scores, "latency").with_fields(provenance={"latency_ms": {"mean": 1.0}})
        for name, scores in (("a", A), ("b", B))
    ]
    notes = verdict_notes(batched, Statistics())
    assert notes == ["Nothing can be said about latency (times of batches: nobody timed single queries)."]


def test_text_is_not_compared():
    assert verdict_notes([provider("a", ["x"] * 9, "runid"), provider("b", ["x"] * 9, "runid")], Statistics()) == []


def test_what_is_not_expected_is_not_hidden():
    with pytest.raises(assay.UsageError, match="two systems are called a"):
        verdict_notes([provider("a", A), provider("a", B)], Statistics())


def test_nobody_asked():
    both = [provider("a", A), provider("b", B)]
    assert verdict_notes(both, Statistics(significance_testing=None)) == []
    assert verdict_notes(both[:1], Statistics()) == []
