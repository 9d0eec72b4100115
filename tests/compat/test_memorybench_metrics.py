"""compat.memorybench: metrics at any cutoff, metrics of answers, packs, printed functions, and warnings of differences."""

from types import SimpleNamespace

import pytest

import assay
from assay.compat import memorybench
from assay.compat.memorybench import (
    AccuracyMetric,
    Bleu1Metric,
    DifferenceWarning,
    F1Metric,
    MetricRegistry,
    MRRMetric,
    NDCGAtKMetric,
    RecallAtKMetric,
    RougeLMetric,
    SuccessAtKMetric,
)

PARIS = {
    "runId": "r",
    "benchmark": "rag-template",
    "provider": "aqrag",
    "itemId": "q1",
    "question": "Capital of France?",
    "expected": "Paris is the capital of France.",
    "actual": "the capital is Paris Paris",
    "score": 1,
    "correct": True,
    "retrievedContext": [
        {"id": "c1", "content": "Berlin", "score": 0.9},
        {"id": "c2", "content": "Paris is the capital and most populous city of France...", "score": 0.5},
    ],
    "metadata": {"questionType": "single", "category": "1"},
}
WRONG = {**PARIS, "itemId": "q2", "actual": "Rome", "correct": False, "metadata": {"questionType": "multi", "category": "1"}}
IDS = {**PARIS, "itemId": "q3", "metadata": {"relevantIds": ["c2"], "questionType": "single"}}
RESULTS = [PARIS, WRONG, IDS]


# Names
@pytest.mark.parametrize(
    ("name", "own", "value"),
    [
        *[(name, "map_at_10", 0.5) for name in ("map@10", "map_at_10", "map_10")],
        *[(name, "recall_at_20", 1.0) for name in ("recall@20", "recall_at_20", "r@20")],
        *[
            ("precision@2", "precision_at_2", 0.5),
            ("p@1", "precision_at_1", 0.0),
            ("ndcg_7", "ndcg_at_7", 0.6309297535714575),
        ],
        *[("success@3", "success_at_3", 2 / 3), ("hit@1", "success_at_1", 0.0)],
        *[("accuracy", "accuracy", 2 / 3), ("acc", "accuracy", 2 / 3), ("avg_score", "avg_retrieval_score", 0.7)],
        *[(name, "f1", (0.8 + 0 + 0.8) / 3) for name in ("f1", "token_f1", "f1_score")],  # 4 of 4 words, 4 of 6
        *[
            (name, "rouge_l", (4 / 11 + 0 + 4 / 11) / 3) for name in ("rouge_l", "rougeL")
        ],  # "the capital" of 5 and of 6 words
        *[
            (name, "bleu_1", (0.8 + 0 + 0.8) / 3) for name in ("bleu", "bleu_1", "unigram_precision")
        ],  # the second Paris is clipped
    ],
)
def test_metrics_by_name_at_any_cutoff(name, own, value):
    registry = MetricRegistry()
    assert name in registry
    (found,) = registry.compute([name], RESULTS)
    assert (found["name"], found["value"]) == (own, pytest.approx(value))


def test_cutoffs_belong_to_the_builtin_metrics():
    assert "recall@20" not in MetricRegistry([])
    for name in ("recall@0", "recall", "f1@5", "mrr@5", "map@x"):
        with pytest.raises(assay.UnknownName):
            MetricRegistry().get(name)


def test_answers_without_words():
    empty = {"retrievedContext": [], "expected": "", "actual": ""}
    assert [metric().compute([empty])["value"] for metric in (F1Metric, RougeLMetric, Bleu1Metric)] == [1.0, 1.0, 0.0]
    half = [empty, {**PARIS, "actual": "Paris"}]
    assert Bleu1Metric().compute(half)["details"] == {"evaluated": 1, "skipped": 1, "total": 2}
    assert F1Metric().compute([{**PARIS, "actual": ""}])["value"] == 0.0
    assert [metric.compute([])["value"] for metric in MetricRegistry.get_builtin_metrics()] == [0.0] * 14


def test_functions_as_printed():
    assert memorybench.calculateRecallAtK(RESULTS, 1) == memorybench.calculate_recall_at_k(RESULTS, k=1) == 0.0
    assert memorybench.calculateRecallAtK(RESULTS) == memorybench.calculateRecallAtK(RESULTS, 7) == 1.0
    assert memorybench.calculatePrecisionAtK(RESULTS, k=2) == 0.5
    assert memorybench.calculateMRR(RESULTS) == 0.5
    assert memorybench.calculateAccuracy(RESULTS) == pytest.approx(2 / 3)
    assert memorybench.calculateAccuracyByQuestionType(RESULTS) == {"single": 1.0, "multi": 0.0}
    assert memorybench.calculateAccuracyByCategory(RESULTS) == {"1": 0.5}
    assert memorybench.calculateAvgRetrievalScore(RESULTS) == pytest.approx(0.7)
    report = memorybench.calculateAllMetrics(RESULTS, ["accuracy", "recall@20"])
    assert [one["name"] for one in report["metrics"]] == ["accuracy", "recall_at_20"]
    with pytest.raises(assay.UnknownName):
        memorybench.calculateAllMetrics(RESULTS, ["recal@20"])


# Packs
BARE = {"retrievedContext": [{"id": "a", "content": "x"}, {"id": "b", "content": "y"}], "correct": True}


@pytest.mark.parametrize("count", [None, lambda query: None, lambda query: len(query.evidence or ())])
def test_a_result_with_neither_evidence_nor_expected_is_graded_by_the_pack(count):
    pack = assay.Pack("mine", lambda query, hit: hit.text == "y", count)
    found = NDCGAtKMetric(5).compute([BARE], pack)
    assert (found["value"], found["details"]["strategyUsed"]) == (pytest.approx(0.6309297535714575), "pack")
    assert MetricRegistry().compute(["mrr"], [BARE], pack)[0]["value"] == 0.5


def test_a_sealed_pack_decides_before_words_and_evidence_is_counted():
    pack = assay.Pack("mine", lambda query, hit: hit.doc_id if hit.doc_id == "c1" else None)
    found = MRRMetric().compute([PARIS], pack)
    assert (found["value"], found["details"]["strategyUsed"]) == (1.0, "pack")
    two = {**PARIS, "metadata": {"evidence": ["c1", "c9"]}}
    assert RecallAtKMetric(5).compute([{**PARIS, "metadata": {"evidence": "c1"}}], pack)["value"] == 1.0
    with pytest.warns(DifferenceWarning, match="gives recall"):
        assert RecallAtKMetric(5).compute([two], pack)["value"] == 0.5


@pytest.mark.parametrize("make", [dict, lambda **fields: SimpleNamespace(**fields)])
def test_packs_as_memorybench_prints_them(make):
    asked = []

    def is_relevant(about):
        asked.append(about)
        return about["result"]["id"] == "c1"

    semantics = make(relevance=True)
    pack = make(packId="locomo@1", isRelevant=is_relevant, sealedSemantics=semantics)
    assert MRRMetric().compute([PARIS], pack)["details"]["strategyUsed"] == "pack"
    assert asked[0]["item"]["answer"] == PARIS["expected"]
    assert asked[0]["item"]["metadata"]["questionType"] == "single"
    assert asked[0]["result"]["content"] == "Berlin"
    for unsealed in (make(relevance=False), None):
        found = MRRMetric().compute([PARIS], make(isRelevant=is_relevant, sealedSemantics=unsealed))
        assert (found["value"], found["details"]["strategyUsed"]) == (0.5, "token-fallback")
    with pytest.raises(assay.UsageError, match="isRelevant"):
        MRRMetric().compute([PARIS], make(name="no pack"))


# Differences
def test_differences_that_change_a_value_are_warnings():
    two = {**BARE, "metadata": {"relevantIds": ["a", "z"]}}
    with pytest.warns(DifferenceWarning, match=r"recall_at_5: 0.5000 instead of 1.0000"):
        RecallAtKMetric(5).compute([two])
    twins = {**BARE, "metadata": {"relevantIds": ["a"]}, "retrievedContext": [{"id": "a"}, {"id": "a"}]}
    with pytest.warns(DifferenceWarning, match="twice"):
        NDCGAtKMetric(5).compute([twins])
    unmarked = {key: value for key, value in PARIS.items() if key != "correct"}
    for metric in (SuccessAtKMetric(5), AccuracyMetric()):
        with pytest.warns(UserWarning, match="1 result has no `correct`"):
            assert metric.compute([PARIS, unmarked])["value"] == 0.5
    nameless = {
        **BARE,
        "metadata": {"relevantIds": ["a"]},
        "retrievedContext": [{"content": "x"}, {"content": "x"}, {"id": "a"}],
    }
    assert MRRMetric().compute([nameless])["value"] == pytest.approx(1 / 3)  # no warning: no id comes twice


PARAPHRASE = {
    "expected": "He bought a car.",
    "correct": True,
    "retrievedContext": [
        {"id": "c1", "content": "The train leaves at nine."},
        {"id": "c2", "content": "John purchased an automobile."},
    ],
}


def test_embeddings_decide_if_asked():
    for relevance, found in (("auto", 0.0), ("semantic", 1.0), ("semantic(threshold=0.9)", 0.0)):
        assert memorybench.calculateRecallAtK([PARAPHRASE], 5, relevance=relevance) == found
        assert memorybench.calculateMRR([PARAPHRASE], relevance=relevance) == found / 2
        assert memorybench.calculateNDCGAtK([PARAPHRASE], relevance=relevance) == pytest.approx(found * 0.6309297535714575)
        assert memorybench.calculatePrecisionAtK([PARAPHRASE], 5, relevance=relevance) == found / 5
        assert memorybench.calculateSuccessAtK([PARAPHRASE], 5, relevance=relevance) == found
    details = memorybench.MRRMetric(relevance="semantic").compute([PARAPHRASE])["details"]
    assert details["strategyUsed"] == "semantic"
    assert details["strategyCounts"] == {"qrels": 0, "pack": 0, "token-fallback": 0, "semantic": 1}
    nothing = [{"retrievedContext": [{"id": "c1"}]}]
    assert memorybench.MAPAtKMetric(5, relevance="semantic").compute(nothing)["value"] == 0.0
    with pytest.raises(assay.UnknownName, match="Did you mean semantic"):
        memorybench.NDCGAt5Metric(relevance="semantics")
