"""compat.memorybench: what tests/seeds/test_seed_000.py and test_seed_003.py do not say about it."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.compat.memorybench import (
    MetricRegistry,
    MRRMetric,
    NDCGAt5Metric,
    NDCGAtKMetric,
    PrecisionAtKMetric,
    RecallAtKMetric,
    SuccessAtKMetric,
    compute_metrics,
    get_builtin_metrics,
)

IDS = st.sampled_from("abcd")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def result(retrieved, **fields):
    return {"retrievedContext": [{"id": one} for one in retrieved], **fields}


# Results
@given(st.lists(st.tuples(st.lists(IDS), st.lists(IDS, unique=True)), max_size=4), st.sampled_from(get_builtin_metrics()))
def test_no_value_passes_1_and_the_mean_counts_every_result(pairs, metric):
    results = [result(retrieved, metadata={"relevantIds": relevant}) for retrieved, relevant in pairs]
    found = metric.compute(results)
    assert 0 <= found["value"] <= 1 + 1e-12
    assert found["details"]["total"] == len(results)
    alone = [metric.compute([one])["value"] for one in results]
    assert found["value"] == pytest.approx(sum(alone) / len(alone) if alone else 0.0)


def test_results_that_nobody_can_decide_about_score_0_and_are_counted():
    found = MRRMetric().compute([result("a", metadata={"relevantIds": ["a"]}), result("a"), result("")])
    assert found["value"] == pytest.approx(1 / 3)
    assert found["details"]["strategyCounts"] == {"qrels": 1, "pack": 0, "token-fallback": 0}
    nothing = MRRMetric().compute([{"retrievedContext": None}])
    assert (nothing["value"], nothing["details"]["strategyUsed"]) == (0.0, "none")


def test_grades_may_stand_in_qrels():
    graded = result("ba", metadata={"qrels": {"a": 3, "b": 1, "c": 0}})
    found = NDCGAtKMetric(2).compute([graded])["value"]
    assert found == pytest.approx(assay.metrics.ndcg_at_k(["b", "a"], {"a": 3, "b": 1}, 2))
    assert PrecisionAtKMetric(3).compute([result("abc", metadata=graded["metadata"])])["value"] == pytest.approx(2 / 3)


def test_contexts_may_be_texts_alone_and_0_may_be_expected_and_answered():
    asked = {"metadata": {"relevantIds": ["a"]}, "retrievedContext": ["b", "a", "a"]}
    assert NDCGAt5Metric().compute([asked])["value"] == pytest.approx(1 / math.log2(3))
    found = RecallAtKMetric(5).compute([{"expected": "cats sleep", "retrievedContext": ["dogs bark", "cats sleep"]}])
    assert (found["value"], found["details"]["exactMatchFound"]) == (1.0, 1)
    asked = {"expected": 0, "actual": 0, "correct": True, "retrievedContext": [{"id": "1", "content": "0"}]}
    assert SuccessAtKMetric(5).compute([asked])["value"] == 1.0
    assert MRRMetric().compute([{**asked, "expected": ""}])["details"]["strategyUsed"] == "none"


def test_k_and_thresholds_decide():
    asked = {"expected": "cats", "retrievedContext": [{"id": "a", "content": "dogs"}, {"id": "b", "content": "cats"}]}
    assert [RecallAtKMetric(k).compute([asked])["details"]["exactMatchFound"] for k in (1, 2)] == [0, 1]
    asked = {"expected": "a b c", "retrievedContext": [{"id": "1", "content": "a x y"}]}  # F1 1 ÷ 3
    assert [MRRMetric(f1_threshold=share).compute([asked])["value"] for share in (0.3, 0.5)] == [1.0, 0.0]
    right = {
        "expected": "Paris",
        "correct": True,
        "retrievedContext": [{"id": "1", "content": "Paris in the spring"}],
    }  # F1 2 ÷ 5
    assert [SuccessAtKMetric(5, share).compute([right])["value"] for share in (0.1, 0.9)] == [1.0, 0.0]
    without = {"correct": True, "metadata": {"relevantIds": ["1"]}, "retrievedContext": [{"id": "1"}]}
    assert SuccessAtKMetric(5).compute([without])["value"] == 0.0, "nobody knows what to expect"


def test_what_cannot_be_read(snapshots):
    results = {
        "no map": ["no"],
        "no metadata": [result("a"), {"metadata": 5}],
        "nothing": None,
        "one result": result("a"),
        "no contexts": [{"metadata": {"relevantIds": ["a"]}, "hits": []}],
        "a number": [{"retrievedContext": ["a", 3]}],
        "no context": [{"retrievedContext": [None]}],
        "other fields": [{"retrievedContext": [{"chunk": "a", "text": "b"}]}],
        "content": [{"retrievedContext": [{"id": "a", "content": 5}]}],
        "metadata": [{"retrievedContext": [{"id": "a", "metadata": 5}]}],
        "one relevant id": [{"metadata": {"relevantIds": "a"}}],
        "evidence": [{"metadata": {"evidence": 3}}],
        "grades": [{"metadata": {"qrels": {"a": "high"}}}],
        "a text": [{"retrievedContext": "text"}],
    }
    cases = {name: lambda wrong=wrong: MRRMetric().compute(wrong) for name, wrong in results.items()}
    cases |= {f"k={k!r}": lambda k=k: NDCGAtKMetric(k) for k in (0, -1, "x", 1.5, True)}
    cases |= {f"f1_threshold={share!r}": lambda share=share: NDCGAtKMetric(5, share) for share in (-0.1, 1.1, "half")}
    cases["unknown metric"] = lambda: MetricRegistry([Mine()]).compute(["mine", "mien"], [])
    cases["a name that is taken"] = lambda: MetricRegistry().register(Mine("ndcg@5"))
    snapshots.check_errors("compat/memorybench", cases)


@given(st.lists(IDS), st.sets(IDS), st.integers(1, 6))
def test_an_id_that_comes_again_holds_its_rank_and_earns_nothing(ids, relevant, k):
    firsts = [float(doc in relevant and doc not in ids[:place]) for place, doc in enumerate(ids)]
    found = compute_metrics(ids, relevant, k)
    assert found["recall"] == pytest.approx(sum(firsts[:k]) / len(relevant) if relevant else 0.0)
    ideal = assay.metrics.dcg_at_k([1.0] * len(relevant), k) if relevant else 0.0
    assert found["ndcg"] == pytest.approx(assay.metrics.dcg_at_k(firsts, k) / ideal if ideal else 0.0)


# The registry
class Mine:
    """A metric of somebody's own."""

    name = "mine"

    def __init__(self, alias="my_metric"):
        self.aliases = ("mine too", alias)

    def compute(self, results):
        return {"name": self.name, "value": float(len(results)), "details": {}}


def test_a_metric_of_ones_own_is_found_by_name_and_alias():
    registry = MetricRegistry()
    with pytest.raises(assay.UsageError):
        registry.register(Mine("ndcg@5"))
    assert "mine" not in registry
    assert "mine too" not in registry
    registry.register(Mine())
    assert "my_metric" in registry
    assert registry.names[-1] == "mine"
    assert registry.compute(["my_metric", "ndcg@5"], [result("a")])[0]["value"] == 1.0
    assert registry.compute(["mine"], [{}])[0]["value"] == 1.0, "whatever it can read"
    assert MetricRegistry([]).names == []
    assert [one.name for one in MetricRegistry.get_builtin_metrics()] == MetricRegistry().names


def test_metrics_together_are_those_of_each_alone():
    words = {"expected": "cats sleep", "actual": "cats", "retrievedContext": ["cats sleep"]}
    results = [result("ba", metadata={"relevantIds": ["a", "c"]}), words]
    registry = MetricRegistry()
    assert registry.compute(registry.names, results) == [registry.get(name).compute(results) for name in registry.names]
