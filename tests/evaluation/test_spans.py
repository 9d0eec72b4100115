"""Gold spans from end to end: chunks in place of documents, recorded runs, and what a result says about them."""

from dataclasses import replace

import pytest

import assay
from assay import Document, Query, Span
from assay.datasets import BenchmarkDataset, Repair
from assay.evaluation import Relevance, chunk_judgments

TEXT = "".join(f"line {number:02}\n" for number in range(1, 21))
FILES = {name: Document(name, TEXT) for name in ("src/a.py", "src/b.py")}
METRICS = ["ndcg@10", "recall@10", "span_recall@1", "span_precision@2", "span_iou", "file_mrr", "span_recall@tokens=20"]


def chunk(file, first, last):
    place = {"doc_id": file, "start": 8 * (first - 1), "end": 8 * last, "start_line": first, "end_line": last}
    return Document(f"{file}:{first}-{last}", TEXT[8 * (first - 1) : 8 * last], metadata=place)


@pytest.fixture
def whole():
    """Two queries about files as they are; the files are judged as well."""
    spans = {"q1": [Span("src/a.py", 5, 14, "lines")], "q2": [Span("src/b.py", 1, 5, "lines")]}
    queries = {query: Query(query, "?") for query in spans}
    qrels = {query: {span.doc_id: 1 for span in some} for query, some in spans.items()}
    return BenchmarkDataset("code", queries=queries, documents=FILES, qrels=qrels, spans=spans)


@pytest.fixture
def cut(whole):
    """The same over chunks of five lines."""
    chunks = [chunk(file, first, first + 4) for file in FILES for first in range(1, 21, 5)]
    return replace(whole, documents={one.doc_id: one for one in chunks}, files=FILES)


RUN = {"q1": ["src/a.py:6-10", "src/b.py:1-5", "src/a.py:1-5"], "q2": ["src/a.py:1-5", "src/b.py:1-5"]}
SPANS = {"span_recall@1": 0.25, "span_precision@2": 0.5, "file_mrr": 0.75}


def test_chunks_in_place_of_documents(cut):
    result = assay.evaluate(cut, RUN, METRICS)
    assert {name: result[name] for name in SPANS} == pytest.approx(SPANS)
    assert result.scores("span_iou") == pytest.approx({"q1": 6 / 19, "q2": 5 / 10})
    assert result.scores("recall@10") == pytest.approx({"q1": 2 / 3, "q2": 1})
    assert result.scores("span_recall@tokens=20") == pytest.approx({"q1": 0.5, "q2": 1})
    assert result.relevance["strategy_used"] == "span"
    assert result.relevance["relevant"] == 4
    assert result.relevance["counted_over"] == {"chunks": 2}
    assert result.notes == ()


def test_a_recorded_run_over_the_files_has_the_same_spans_and_says_what_it_does_not_know(cut, whole):
    recorded, known = assay.evaluate(whole, RUN, METRICS), assay.evaluate(cut, RUN, METRICS)
    for name in ("span_recall@1", "span_precision@2", "span_iou", "file_mrr", "span_recall@tokens=20"):
        assert recorded.scores(name) == known.scores(name)
    assert recorded.relevance["counted_over"] == {"retrieved": 2}


def test_rolled_up_chunks_are_still_measured_as_chunks(cut):
    owner = {chunk: chunk.partition(":")[0] for chunk in cut.documents}
    result = assay.evaluate(cut, RUN, ["span_recall@1"], relevance=Relevance("qrels", "document", owner))
    assert result["span_recall@1"] == pytest.approx(0.25)


def test_a_query_without_gold_spans_has_no_score_of_them(cut):
    cut.add_query(Query("q3", "?"))
    cut.qrels["q3"] = {"src/a.py:1-5": 1}
    result = assay.evaluate(cut, RUN | {"q3": ["src/a.py:1-5"]}, ["recall", "span_recall@1"])
    assert result.relevance["strategy_counts"] == {"span": 2, "qrels": 1}
    assert result.scores("span_recall@1") == pytest.approx({"q1": 0.5, "q2": 0, "q3": float("nan")}, nan_ok=True)
    assert result["span_recall@1"] == pytest.approx(0.25)


def test_which_chunks_are_relevant_is_known_without_a_run(cut):
    assert {query: set(some) for query, some in chunk_judgments(cut, Relevance()).items()} == {
        "q1": {"src/a.py:1-5", "src/a.py:6-10", "src/a.py:11-15"},
        "q2": {"src/b.py:1-5"},
    }


def test_faults_and_notes_on_spans(whole, cut, snapshots):
    spans_alone = replace(whole, qrels={})
    cases = {
        "no gold spans": lambda: assay.evaluate({"q": {"d": 1}}, {"q": ["d"]}, "span_recall"),
        "whole documents where only spans are gold": lambda: assay.evaluate(spans_alone, {"q1": ["src/a.py"]}, "recall"),
        "no chunk of the dataset": lambda: assay.evaluate(spans_alone, {"q1": ["x"]}, "recall"),
    }
    snapshots.check_errors("evaluate/spans", cases)
    gone = replace(whole, qrels={}, spans={"q1": [Span("src/a.py", 0, 40), Span("gone.py", 1, 5, "lines")]})
    unreached = assay.evaluate(replace(gone, queries={"q1": Query("q1", "?")}), {"q1": ["src/a.py:1-5"]}, ["span_recall"])
    assert unreached["span_recall"] == 0.5
    recorded = {"q1": [Span("./src/a.py", 5, 5, "lines", "line 05")], "q2": [Span("src/b.py", 1, 1, "lines", "line 99")]}
    moved = Repair("query q1", "the text recorded for lines 1 to 1 of src/a.py is now in lines 5 to 5 of src/a.py")
    stale, stale_chunks = (
        assay.evaluate(replace(dataset, spans=recorded, repairs=[moved]), RUN, "recall") for dataset in (whole, cut)
    )
    assert stale_chunks.notes[:2] == stale.notes[:2]
    results = {
        "a recorded run": assay.evaluate(whole, RUN, METRICS),
        "a gold span in a missing file": unreached,
        "no chunk in a known file": assay.evaluate(whole, {"q1": ["SRC/a.py:5-14"]}, "span_recall"),
        "a chunk in no known file": assay.evaluate(whole, {"q1": ["SRC/a.py:5-14", "src/a.py:5-14"]}, "span_recall"),
        "stale and moved spans": stale,
        "nothing to tell": assay.evaluate(cut, RUN, "recall"),
    }
    told = [f"## {case}\n" + "".join(f"{note}\n" for note in result.notes) for case, result in results.items()]
    snapshots.check("evaluate/notes_on_spans", "\n".join(told))
