"""Runs: lists of documents, ranks instead of scores, ties that ranks break, tags, and documents that come twice."""

import io
import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import DataError, Policy, Run

from ._cases import RUN_NAMES, plain, sources, trec_run, write


def scored(run, qrels):
    result = assay.evaluate(qrels, run, ["map", "mrr", "num_ret"])
    return dict(result.summary), result.notes


def test_the_tag_is_that_of_the_first_line(tmp_path):
    assert Run(write(tmp_path / "run", "#c\nq1 Q0 a 1 0.1 bm25\nq1 Q0 b 2 0.0 other\n")).tag == "bm25"
    assert Run(write(tmp_path / "run", "q1 Q0 a 1 0.1 my own  tag\n")).tag == "my own tag"
    assert Run(write(tmp_path / "run.json", '{"q1": {"a": 1}}')).tag == ""


def test_an_id_may_have_blanks_between_tabs(tmp_path):
    rows = ["q1\tQ0\tintro.md\t1\t9.0\tt", "q1\tQ0\tUser Guide.md\t2\t8.0\tt", "q1\tQ0\tfaq.md\t3\t7.0\t"]
    summary, notes = scored(write(tmp_path / "run", "\n".join(rows)), {"q1": {"faq.md": 1, "User Guide.md": 1}})
    assert summary == pytest.approx({"map": (1 / 2 + 2 / 3) / 2, "mrr": 0.5, "num_ret": 3.0})
    assert notes == ()  # map is (1/2 + 2/3) / 2, worked by hand
    mixed = write(tmp_path / "run", "q1 Q0 a 1 9 t\nq1\tQ0\tUser Guide.md\t2\t8\tt\nq1 Q0 b 3 7 my own tag\n")
    assert plain(Run(mixed)) == {"q1": {"a": 9.0, "User Guide.md": 8.0, "b": 7.0}}


def test_a_line_that_begins_like_a_comment_and_is_no_row_is_one(tmp_path):
    for line in ("# q1 Q0 c 1 2 t", "#tag1 Q0 b one 2 t", "#tag1 Q0 b 1 two t", "#tag1 Q0 b 1 2", "#"):
        path = write(tmp_path / "run", f"{line}\nq1 Q0 b 1 2 t\n{line}\n")
        assert scored(path, {"q1": {"b": 1}}) == ({"map": 1.0, "mrr": 1.0, "num_ret": 1.0}, ()), line
    assert plain(Run(write(tmp_path / "run.json", '{"#tag1": {"#b": 2}}'))) == {"#tag1": {"#b": 2.0}}


def test_three_columns_are_query_document_and_rank(tmp_path):
    """MS MARCO's own format; queries may be interleaved."""
    for ending in ("", ".tsv", ".txt"):
        path = write(tmp_path / f"run{ending}", "q1\tb\t1\nq2\ta\t1\nq1\tUser Guide.md\t2\nq1\tc\t3\n")
        summary, notes = scored(path, {"q1": {"User Guide.md": 1}, "q2": {"a": 1}})
        assert (summary["mrr"], summary["num_ret"]) == (0.75, 4.0)
        assert notes == (f"{path}: three columns without a header were read as query, document and rank.",)
        assert plain(Run(path)) == {"q1": {"b": -1.0, "User Guide.md": -2.0, "c": -3.0}, "q2": {"a": -1.0}}
        assert (Run(path).notes, Run(path).tag) == (notes, "")
    assert scored(write(tmp_path / "run", "q1 b 1\nq1 faq.md 2\n"), {"q1": {"faq.md": 1}})[0]["mrr"] == 0.5
    assert plain(Run(write(tmp_path / "run", "query_id\tdoc_id\tscore\nq1\tb\t9.5\n"))) == {"q1": {"b": 9.5}}


def test_a_document_that_comes_twice_is_a_fault_unless_the_best_is_kept(tmp_path):
    rows = [("q1", "a", 0.1), ("q1", "b", 0.3), ("q2", "a", 0.2), ("q1", "a", 0.5), ("q2", "a", 0.1)]
    for form, source in {**sources(tmp_path, rows, RUN_NAMES), "TREC": write(tmp_path / "run", trec_run(rows))}.items():
        with pytest.raises(DataError) as error:
            Run(source)
        assert str(error.value).count("appears twice") == 2, form
        assert plain(Run(source, duplicates="keep_best")) == {"q1": {"a": 0.5, "b": 0.3}, "q2": {"a": 0.2}}, form


LISTS = {
    "ids": (["b", "a"], {"b": 0.0, "a": -1.0}),
    "whole numbers": ([7, 8], {"7": 0.0, "8": -1.0}),
    "pairs": ([["b", 2], ["a", 1]], {"b": 2.0, "a": 1.0}),
    "hits": ([{"doc_id": "b", "score": 2}, {"doc_id": "a", "score": 1}], {"b": 2.0, "a": 1.0}),
    "hits without scores": ([{"id": "b", "text": "x"}, {"id": "a"}], {"b": 0.0, "a": -1.0}),
    "nothing": ([], {}),
}


def test_a_record_for_each_query_with_its_documents_in_a_list(tmp_path):
    for name in ("results", "hits", "documents", "retrieved"):
        for form, (given_list, wanted) in LISTS.items():
            rows = [{"query_id": "q1", name: given_list}, {"query_id": "q2", name: ["z"]}]
            path = write(tmp_path / "run.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
            assert plain(Run(path)) == {"q1": wanted, "q2": {"z": 0.0}}, (name, form)
            result = assay.evaluate({"q1": {"a": 1}, "q2": {"z": 1}}, path, ["mrr", "num_ret"])
            assert result["num_ret"] == len(wanted) + 1
            assert result["mrr"] == ((0.5 if "a" in wanted else 0.0) + 1.0) / 2
            assert result.missing == ()  # a query that found nothing was asked all the same
    record = {"query_id": "q1", "results": [["b", 2], ["a", 1]]}
    files = [write(tmp_path / "run.json", json.dumps([record])), write(tmp_path / "run", json.dumps(record))]
    for source in (*files, [record], record):
        assert plain(Run(source)) == {"q1": {"b": 2.0, "a": 1.0}}
    for found, wanted in [
        ({"id": "q1", "query": "what is red?", "results": ["a"]}, {"q1": {"a": 0.0}}),
        ({"query": "q1", "results": ["a"]}, {"q1": {"a": 0.0}}),
        ({"qid": 7, "hits": [assay.Hit("a", 2.0), "b", ("c", 1.5)]}, {"7": {"a": 2.0, "b": -1.0, "c": 1.5}}),
        ({"query_id": "q1", "doc_id": "a", "score": 1, "hits": ["x"]}, {"q1": {"a": 1.0}}),
    ]:
        assert plain(Run([found])) == wanted, found
    by_query = Run(write(tmp_path / "run.json", '{"q1": ["b", "a"], "q2": [], "q3": [7]}'))
    assert [by_query.ranked(place) for place in range(3)] == [["b", "a"], [], ["7"]]


BY_RANK = Policy(ties="rank_column")
NAMES = ("query_id", "doc_id", "score", "rank")
ROWS = [("q1", "b", 1.0, 3), ("q1", "a", 1.0, 2), ("q1", "c", 1.0, 1), ("q1", "d", 2.0, 9), ("q2", "a", 1.0, 1)]
ORDER = "dcab"
"""d has the best score, whatever its rank; the others are equal."""


def places(run, policy=BY_RANK):
    def reciprocal_rank(doc):
        return assay.evaluate({"q1": {doc: 1}}, run, "mrr", policy=policy)["mrr"]

    return "".join(sorted(ORDER, key=lambda doc: -reciprocal_rank(doc)))


def ranked(*rows):
    return "".join(f"q1 Q0 {doc} {rank} {score} t\n" for doc, rank, score in rows)


def test_a_rank_serves_where_there_is_no_score(tmp_path):
    rows = [("q1", "a", 2), ("q1", "b", 1), ("q2", "a", 1)]
    for form, source in sources(tmp_path, rows, ("qid", "docid", "rank")).items():
        if form != "tuples":
            assert plain(Run(source)) == {"q1": {"a": -2, "b": -1}, "q2": {"a": -1}}, form
    both = write(tmp_path / "run.csv", "qid,docid,rank,score\nq1,a,1,0.1\nq1,b,2,0.9\n")
    assert Run(both).ranked(0) == Run(write(tmp_path / "run", "q1 Q0 a 1 0.1 t\nq1 Q0 b 2 0.9 t\n")).ranked(0) == ["b", "a"]


def test_equal_scores_stand_by_their_ranks(tmp_path):
    forms = sources(tmp_path, ROWS, NAMES)
    for mark in " \t":
        lines = "".join(mark.join(map(str, (q, "Q0", d, r, s, "t"))) + "\n" for q, d, s, r in ROWS)
        forms["tuples" if mark == " " else "tabs"] = write(tmp_path / f"run{ord(mark)}", lines)
    for form, source in forms.items():
        prepared = Run(source)
        for run in (prepared, Run(prepared)):
            assert "".join(run.in_order(0, BY_RANK.rank_rule)) == ORDER, form
    for source in (forms["CSV"], prepared, Run(io.BytesIO(lines.encode()))):  # a stream is kept for its ranks
        assert places(source) == ORDER
    assert places(forms["CSV"], Policy()) == "dcba"
    assert places(forms["CSV"], Policy(ties="input_order")) == "dbac"


def test_ranks_go_with_their_documents(tmp_path):
    def mrr(doc, run, **options):
        run = write(tmp_path / "run", run) if isinstance(run, str) else run
        return assay.evaluate({"q1": {doc: 1}}, run, "mrr", policy=Policy(ties="rank_column", **options))["mrr"]

    assert places(write(tmp_path / "run", ranked(("b", 1, 1), ("a", 1, 1), ("c", 1, 1), ("d", 1, 2)))) == "dbac"  # as given
    assert mrr("b", ranked(("q1", 1, 1), ("b", 3, 1), ("a", 2, 1)), drop_self=True) == 0.5
    assert mrr("a", ranked(("a", 3, 1), ("b", 2, 1), ("a", 1, 1)), duplicates="keep_best") == 1.0
    for run in ({"q1": ["b", "a"]}, {"q1": {"a": 1.0, "b": 2.0}}):  # without ties no ranks are needed
        assert mrr("a", run) == 0.5


def test_a_tie_that_no_rank_settles_says_what_is_needed(snapshots, tmp_path):
    lines = '{"qid": "q1", "docid": "a", "score": 1}\n{"qid": "q1", "docid": "b", "score": 1}\n'
    runs = {
        "scores": {"q1": {"a": 1.0, "b": 1.0}},
        "pairs": {"q1": [("a", 1.0), ("b", 1.0)]},
        "rows that come once": iter([("q1", "a", 1.0), ("q1", "b", 1.0)]),
        "CSV": write(tmp_path / "run.csv", "qid,docid,score\nq1,a,1\nq1,b,1\n"),
        "JSONL": write(tmp_path / "run.jsonl", lines),
        "TREC": write(tmp_path / "run", "q1 Q0 a - 1 t\nq1 Q0 b 2 1 t\n"),
        "JSON": write(tmp_path / "run.json", '[["q1", "a", 1], ["q1", "b", 1]]'),
    }
    cases = {case: partial(assay.evaluate, {"q1": {"a": 1}}, run, "mrr", policy=BY_RANK) for case, run in runs.items()}
    snapshots.check_errors("files/ties_without_ranks", cases)


@given(st.permutations(range(1, 7)), st.lists(st.sampled_from([0.0, 1.0]), min_size=6, max_size=6))
def test_it_is_a_plain_sort_by_score_and_rank(ranks, scores):
    pairs = enumerate(zip(scores, ranks, strict=True))
    rows = [{"query_id": "q", "doc_id": f"d{number}", "score": score, "rank": rank} for number, (score, rank) in pairs]
    wanted = [row["doc_id"] for row in sorted(rows, key=lambda row: (-row["score"], row["rank"]))]
    assert Run(rows).in_order(0, BY_RANK.rank_rule) == wanted
