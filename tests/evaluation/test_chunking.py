"""Chunks in place of documents: how many to ask for, and what to say where they were too few."""

import pytest

from assay import DataError, Document, Query, Span
from assay.chunkers import parse_chunker
from assay.datasets import BenchmarkDataset
from assay.evaluation import Relevance
from assay.execution import ExecutionOptions, execute_plan, make_plan
from assay.execution.chunking import check_has_spans, chunk_dataset
from assay.metrics import parse_metrics

LINES = "".join(f"apple pie number {number}\n" for number in range(40))
DOCUMENTS = {name: Document(name, LINES) for name in ("a.py", "b.py", "c.py")}
QUERIES = {"q": Query("q", "apple pie")}
JUDGED = BenchmarkDataset("judged", queries=QUERIES, documents=DOCUMENTS, qrels={"q": {"a.py": 1}})
SPANNED = BenchmarkDataset("spanned", queries=QUERIES, documents=DOCUMENTS, spans={"q": [Span("a.py", 1, 2, "lines")]})


def cut(dataset):
    return chunk_dataset(dataset, parse_chunker("fixed_lines(size=20, overlap=0)"), Relevance())


def test_more_chunks_are_asked_for_where_they_are_rolled_up():
    assert (cut(JUDGED).depth(100), cut(SPANNED).depth(100), chunk_dataset(JUDGED, None, Relevance()).depth(100)) == (
        500,
        100,
        100,
    )


def test_too_few_documents_are_noted():
    made = cut(JUDGED)
    of_one = [chunk for chunk in made.dataset.documents if chunk.startswith("a.py")][:10]
    full = {"q": dict.fromkeys(of_one, 1.0), "r": {}}
    said = "in 1 of 2 queries the 10 chunks asked for are of fewer than 2 documents; a larger k would find more."
    assert made.notes(10, full, []) == [said]
    assert made.notes(11, full, []) == made.notes(5, full, []) == []


def test_where_all_there_is_was_found_nothing_is_noted():
    made = cut(JUDGED)
    everything = {"q": dict.fromkeys(made.dataset.documents, 1.0)}
    assert made.notes(len(made.dataset.documents), everything, parse_metrics("span_recall@tokens=2000")) == []
    first_of_each = {name: next(one for one in made.dataset.documents if one.startswith(name)) for name in DOCUMENTS}
    others = [one for one in made.dataset.documents if one not in first_of_each.values()][:37]
    assert made.notes(40, {"q": dict.fromkeys([*first_of_each.values(), *others], 1.0)}, []) == []  # 8 wanted, 3 there are


def test_a_budget_that_is_not_filled_is_noted():
    made = cut(SPANNED)
    ranking = {"q": dict.fromkeys(list(made.dataset.documents)[:2], 1.0)}
    metrics = parse_metrics(["span_recall@tokens=5", "span_recall@tokens=2000", "recall@10"])
    said = "in 1 of 1 query the 2 chunks asked for are less than the budget; a larger k would fill it."
    assert made.notes(2, ranking, metrics) == [f"span_recall@tokens=2000: {said}"]
    assert made.notes(3, ranking, metrics) == []


def test_metrics_of_spans_are_refused_before_anybody_is_asked(tmp_path):
    check_has_spans(SPANNED, parse_metrics("span_recall"))
    check_has_spans(JUDGED, parse_metrics("recall"))
    with pytest.raises(
        DataError, match=r"^judged has no gold spans, and span_iou, file_mrr need some; .* such as code-spans"
    ):
        check_has_spans(JUDGED, parse_metrics(["span_iou", "mrr", "file_mrr"]))
    plan = make_plan({"benchmarks": ["rag-template"], "providers": ["bm25"], "metrics": ["span_recall"]})
    with pytest.raises(DataError, match="rag-template has no gold spans"):
        execute_plan(plan, ExecutionOptions(home=tmp_path))


def test_as_many_documents_count_as_were_asked_for(tmp_path):
    """Five chunks are asked for in place of each document, but the documents they come from do not count five times."""
    texts = {f"d{number}": Document(f"d{number}", "apple " * (9 - number) + "pear " * number) for number in range(9)}
    made = BenchmarkDataset("fruit", queries={"q": Query("q", "apple")}, documents=texts, qrels={"q": {"d4": 1}})
    made.save_json(tmp_path / "fruit.json")
    content = {"benchmarks": [str(tmp_path / "fruit.json")], "providers": ["tfidf_chars"], "metrics": ["mrr", "num_ret"]}
    found = {}
    for name, chunkers in (("whole", {}), ("cut", {"chunkers": ["fixed_lines(size=500, overlap=0)"]})):
        for k in (3, 7):
            (found[name, k],) = execute_plan(make_plan({**content, **chunkers, "k": k}), ExecutionOptions(home=tmp_path))
    for k, mrr in ((3, 0.0), (7, 1 / 5)):
        for name in ("whole", "cut"):
            assert (found[name, k]["mrr"], found[name, k]["num_ret"]) == (mrr, k), (name, k)
    assert len(found["whole", 3].run["q"]) == 3
    assert len(found["cut", 3].run["q"]) == 9  # the ranking of chunks is kept whole
