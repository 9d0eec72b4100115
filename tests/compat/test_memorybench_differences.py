"""compat.memorybench: input that meets each difference, and input that does not."""

import pytest
from tests.compat._differences import check_case

from assay.compat import memorybench
from assay.compat.memorybench import MRRMetric, NDCGAtKMetric, PrecisionAtKMetric, RecallAtKMetric, SuccessAtKMetric


def result(*contexts, relevant=None, **fields):
    """A result; each context is its id, or id and content."""
    read = [{"id": one} if isinstance(one, str) else {"id": one[0], "content": one[1]} for one in contexts]
    metadata = {} if relevant is None else {"relevantIds": relevant}
    return {"itemId": "q", "actual": "", "correct": True, "retrievedContext": read, "metadata": metadata, **fields}


def evidence(*contexts, found):
    """A result with one piece of evidence, and a pack that calls some contexts relevant."""
    item = {**result(*contexts), "metadata": {"evidence": ["D1:3"]}}
    pack = {"isRelevant": lambda about: about["result"]["id"] in found, "sealedSemantics": {"relevance": True}}
    return NDCGAtKMetric(5).compute([item], pack)


def words(*contents, metric, expected="Paris"):
    contexts = [(f"c{place}", content) for place, content in enumerate(contents)]
    return metric.compute([result(*contexts, expected=expected)])


CASES = {
    "recall": (
        lambda: RecallAtKMetric(5).compute([result("a", relevant=["a", "z"])]),
        lambda: (
            RecallAtKMetric(5).compute([result("a", relevant=["a"])]),
            RecallAtKMetric(5).compute([result("b", relevant=["a", "z"])]),
        ),
    ),
    "precision": (
        lambda: PrecisionAtKMetric(5).compute([result("a", "b", relevant=["a"])]),
        lambda: (
            PrecisionAtKMetric(2).compute([result("a", "b", relevant=["a"])]),
            PrecisionAtKMetric(5).compute([result("b", relevant=["a"])]),  # 0 in any case
            NDCGAtKMetric(5).compute([result("a", relevant=["a"])]),
        ),
    ),
    "ideal": (
        lambda: words("Rome", "Paris", "Oslo", "in Paris", metric=NDCGAtKMetric(2)),
        lambda: (
            words("Rome", "Paris", "Oslo", "in Paris", metric=NDCGAtKMetric(1), expected="Madrid"),
            words("Paris", "in Paris", "of Paris", metric=NDCGAtKMetric(2)),  # the first two fill the ideal ranking
            words("Rome", "Paris", "Oslo", "in Paris", metric=MRRMetric()),
            NDCGAtKMetric(2).compute([result("x", "a", "b", relevant=["a", "b"])]),
        ),
    ),
    "same evidence": (
        lambda: evidence("a", "b", found="ab"),
        lambda: evidence("a", "b", found="b"),
    ),
    "twice": (
        lambda: NDCGAtKMetric(5).compute([result("a", "a", relevant=["a"])]),
        lambda: (
            NDCGAtKMetric(5).compute([result("x", "x", "a", relevant=["a"])]),
            MRRMetric().compute([result("a", "a", relevant=["a"])]),
            memorybench.compute_metrics(["a", "x", "a"], {"a"}, 2),
        ),
    ),
    "empty ids": (
        lambda: MRRMetric().compute([result(("a", "Paris"), relevant=[], expected="Paris")]),
        lambda: (
            MRRMetric().compute([result(("a", "Paris"), relevant=[])]),
            MRRMetric().compute([result(("a", "Paris"), relevant=["b"], expected="Paris")]),
        ),
    ),
    "words": (
        lambda: words("Anfälle", metric=MRRMetric(), expected="Anfälle"),
        lambda: (
            words("Paris!", metric=MRRMetric()),
            words("Paris … “in France”", metric=MRRMetric()),  # punctuation is not part of a word
            MRRMetric().compute([result(("a", "Anfälle"), relevant=["a"], expected="Anfälle")]),
        ),
    ),
    "no contexts": (
        lambda: MRRMetric().compute([{"itemId": "q", "expected": "Paris"}]),
        lambda: MRRMetric().compute([{"itemId": "q", "expected": "Paris", "retrievedContext": []}]),
    ),
    "same name": (
        lambda: memorybench.MetricRegistry().register(NDCGAtKMetric(5)),
        lambda: memorybench.MetricRegistry().register(NDCGAtKMetric(7)),
    ),
    "unknown name": (
        lambda: memorybench.calculateAllMetrics([], ["ndgc@5"]),
        lambda: memorybench.calculateAllMetrics([], ["ndcg@5"]),
    ),
}


@pytest.mark.parametrize("name", memorybench.DIFFERENCES)
def test_a_difference_is_noticed_where_it_matters(name):
    check_case(memorybench.DIFFERENCES, name, CASES[name], __file__)


def test_answers_successes_and_plain_ids_warn_too():
    german = result(("a", "Anfälle"), relevant=["a"], expected="Anfälle", actual="Anfälle")
    for metric in (memorybench.F1Metric(), memorybench.RougeLMetric(), memorybench.Bleu1Metric(), SuccessAtKMetric(5)):
        with pytest.warns(memorybench.DifferenceWarning, match="not ASCII"):
            metric.compute([german])
    with pytest.warns(memorybench.DifferenceWarning, match="retrieved twice"):
        memorybench.compute_metrics(["a", "a"], {"a"}, 2)
