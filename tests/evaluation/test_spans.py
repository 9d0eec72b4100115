"""Gold spans from end to end: chunks in place of documents, recorded runs, and what a result says about them."""

from dataclasses import replace

import pytest

import assay
from assay import Document, Hit, Policy, Query, Span
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
    assert "upper bounds" in recorded.notes[0]


def test_whole_files_are_judged_by_their_ids(whole):
    result = assay.evaluate(whole, {"q1": ["src/a.py"], "q2": ["src/a.py"]}, ["recall", "span_recall", "span_precision"])
    assert result.relevance["strategy_used"] == "qrels"
    assert result.scores("span_recall") == {"q1": 1, "q2": 0}
    assert result.scores("span_precision") == {"q1": 0.5, "q2": 0}


def test_judgments_may_decide_while_spans_are_measured(cut):
    result = assay.evaluate(cut, RUN, ["recall", "span_recall@1"], relevance="qrels")
    assert result["recall"] == 0
    assert result["span_recall@1"] == pytest.approx(0.25)


def test_rolled_up_chunks_are_still_measured_as_chunks(cut):
    owner = {chunk: chunk.partition(":")[0] for chunk in cut.documents}
    result = assay.evaluate(cut, RUN, ["span_recall@1"], relevance=Relevance("qrels", "document", owner))
    assert result["span_recall@1"] == pytest.approx(0.25)


def test_lines_from_0(whole):
    run = {"q1": ["src/a.py:5-9"], "q2": ["src/b.py:0-4"]}
    assert assay.evaluate(whole, run, ["span_recall"], relevance="span(base=0)").scores("span_recall") == {
        "q1": 0.5,
        "q2": 1,
    }


def test_hits_that_bring_their_place(whole):
    place = {"path": "repo/src/a.py", "start_line": 1, "end_line": 20}
    result = assay.evaluate(whole, {"q1": [Hit("x", 1.0, "words", place)], "q2": []}, ["span_recall", "recall"])
    assert result.scores("span_recall") == {"q1": 1, "q2": 0}


def test_a_query_without_gold_spans_has_no_score_of_them(cut):
    cut.add_query(Query("q3", "?"))
    cut.qrels["q3"] = {"src/a.py:1-5": 1}
    result = assay.evaluate(cut, RUN | {"q3": ["src/a.py:1-5"]}, ["recall", "span_recall@1"])
    assert result.relevance["strategy_counts"] == {"span": 2, "qrels": 1}
    assert result.scores("span_recall@1") == pytest.approx({"q1": 0.5, "q2": 0, "q3": float("nan")}, nan_ok=True)
    assert result["span_recall@1"] == pytest.approx(0.25)


def test_ties_are_broken_as_for_all_metrics(cut):
    run = {"q1": {"src/a.py:1-5": 1.0, "src/a.py:6-10": 1.0}}
    first = [
        assay.evaluate(cut, run, "span_recall@1", policy=Policy(ties=ties)).scores("span_recall@1")["q1"]
        for ties in ("docid_desc", "docid_asc")
    ]
    assert first == [0.5, 0.1]


def test_what_has_no_gold_spans_says_so():
    with pytest.raises(
        assay.UsageError, match=r"span_recall reads spans, but there is only ranking .* a dataset with gold spans"
    ):
        assay.evaluate({"q": {"d": 1}}, {"q": ["d"]}, "span_recall")


def test_which_chunks_are_relevant_is_known_without_a_run(cut):
    assert {query: set(some) for query, some in chunk_judgments(cut, Relevance()).items()} == {
        "q1": {"src/a.py:1-5", "src/a.py:6-10", "src/a.py:11-15"},
        "q2": {"src/b.py:1-5"},
    }


def test_a_gold_span_in_a_missing_file_counts_as_unreached_whatever_its_unit(whole):
    mixed = replace(whole, qrels={}, spans={"q1": [Span("src/a.py", 0, 40), Span("gone.py", 1, 5, "lines")]})
    result = assay.evaluate(
        replace(mixed, queries={"q1": Query("q1", "?")}), {"q1": ["src/a.py:1-5"]}, ["span_recall", "recall"]
    )
    assert result.summary == pytest.approx({"span_recall": 0.5, "recall": 0.5})
    assert result.notes[0] == "1 of 2 gold spans in files that are not there, such as 'gone.py'."


@pytest.mark.parametrize(("found", "said"), [("src/a.py", "a whole document"), ("x", "no chunk of the dataset")])
def test_ids_without_a_place_are_told_of_where_only_spans_are_gold(whole, found, said):
    with pytest.raises(
        assay.DataError, match=f"2 queries with gold spans, and no retrieved id says .*'{found}' is {said}; exp"
    ):
        assay.evaluate(replace(whole, qrels={}), {"q1": [found]}, "recall")


def test_ids_may_have_an_l_before_each_line(whole):
    assert assay.evaluate(whole, {"q1": ["src/a.py:L5-L14"]}, "span_recall").scores("span_recall")["q1"] == 1


def test_chunks_in_files_that_nobody_has_are_noted(whole):
    none = assay.evaluate(whole, {"q1": ["SRC/a.py:5-14"]}, "span_recall").notes
    assert "none of the retrieved chunks is in a known file: there is no 'SRC/a.py'." in none
    some = assay.evaluate(whole, {"q1": ["SRC/a.py:5-14", "src/a.py:5-14"]}, "span_recall").notes
    assert "1 of 2 retrieved chunks are in no known file: there is no 'SRC/a.py'." in some


def test_stale_and_moved_spans_are_noted(whole, cut):
    recorded = {"q1": [Span("./src/a.py", 5, 5, "lines", "line 05")], "q2": [Span("src/b.py", 1, 1, "lines", "line 99")]}
    said = "the text recorded for them is not there any more, such as that of lines 1 to 1 of src/b.py"
    stale = f"1 of 2 gold spans stale: {said}; assay datasets check says more."
    moved = "the text recorded for lines 1 to 1 of src/a.py is in lines 5 to 5 of src/a.py now"
    for dataset in (whole, cut):
        told = assay.evaluate(replace(dataset, spans=recorded, repairs=[Repair("query q1", moved)]), RUN, "recall").notes
        assert told[:2] == (stale, f"1 gold span moved: {moved}; assay datasets check lists all.")
        assert not any("stale" in note for note in assay.evaluate(dataset, RUN, "recall").notes)
