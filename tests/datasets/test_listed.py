"""Listed: a record for each query with its documents in a list reads as the run it is."""

import json

import pytest

import assay
from assay import Hit, Run
from assay.files.hits import ID_LISTS, NOTHING, is_listed, listed_rows

from ._cases import faults_of, plain, write
from ._sizes import sizes

SCORED = {"q1": {"b": 2.0, "a": 1.0}}
LISTS = {
    "ids": (["b", "a"], {"b": 0.0, "a": -1.0}),
    "whole numbers": ([7, 8], {"7": 0.0, "8": -1.0}),
    "pairs": ([["b", 2], ["a", 1]], SCORED["q1"]),
    "hits": ([{"doc_id": "b", "score": 2}, {"doc_id": "a", "score": 1}], SCORED["q1"]),
    "hits without scores": ([{"id": "b", "text": "x"}, {"id": "a"}], {"b": 0.0, "a": -1.0}),
    "nothing": ([], {}),
}


@pytest.mark.parametrize("least", [0, 10**9], ids=["large", "small"])
@pytest.mark.parametrize("name", ID_LISTS)
@pytest.mark.parametrize(("given", "wanted"), LISTS.values(), ids=LISTS)
def test_json_lines_with_a_list_each(tmp_path, name, given, wanted, least):
    rows = [{"query_id": "q1", name: given}, {"query_id": "q2", name: ["z"]}]
    path = write(tmp_path / "run.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    assert plain(Run(path)) == {"q1": wanted, "q2": {"z": 0.0}}
    with sizes(least):
        result = assay.evaluate({"q1": {"a": 1}, "q2": {"z": 1}}, path, ["mrr", "num_ret"])
    assert result["num_ret"] == len(wanted) + 1
    assert result["mrr"] == ((0.5 if "a" in wanted else 0.0) + 1.0) / 2
    assert result.missing == ()  # a query that found nothing was asked all the same


@pytest.mark.parametrize("form", ["list", "JSON", "one record", "one record as JSON"])
def test_the_same_in_other_forms(tmp_path, form):
    record = {"query_id": "q1", "results": [["b", 2], ["a", 1]]}
    source = {
        "list": lambda: [record],
        "JSON": lambda: write(tmp_path / "run.json", json.dumps([record])),
        "one record": lambda: record,
        "one record as JSON": lambda: write(tmp_path / "run", json.dumps(record)),
    }[form]()
    assert plain(Run(source)) == SCORED


def test_an_id_names_the_query_rather_than_its_words():
    assert plain(Run([{"id": "q1", "query": "what is red?", "results": ["a"]}])) == {"q1": {"a": 0.0}}
    assert plain(Run([{"query": "q1", "results": ["a"]}])) == {"q1": {"a": 0.0}}


def test_objects_among_the_entries():
    rows = list(listed_rows(3, {"qid": 7, "hits": [Hit("a", 2.0), "b", ("c", 1.5)]}))
    assert rows == [(3, "7", "a", 2.0, None), (3, "7", "b", -1.0, None), (3, "7", "c", 1.5, None)]
    assert list(listed_rows(1, {"qid": "q", "hits": []})) == [(1, "q", NOTHING, 0.0, None)]


@pytest.mark.parametrize(
    "record",
    [
        {"query_id": "q1", "doc_id": "a", "score": 1, "hits": ["x"]},
        {"query_id": "q1", "results": "a"},
        {"results": ["a"]},
        {"query_id": None, "results": ["a"]},
        {"q1": ["a"]},
    ],
)
def test_what_is_no_such_record(record):
    assert not is_listed(record)


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ({"query_id": "q1", "results": [None]}, "not None"),
        ({"query_id": "q1", "results": [["a", 1, 2]]}, "pairs of id and score"),
        ({"query_id": "q1", "results": [["a", "high"]]}, "'high'"),
        ({"query_id": "q1", "results": [["a", True]]}, "True"),
        ({"query_id": "q1", "results": ["a", "a"]}, "appears twice"),
        ({"query_id": "q1", "contexts": ["a"]}, "no column for the document"),
    ],
)
def test_a_fault_names_its_line(tmp_path, record, says):
    path = write(tmp_path / "run.jsonl", '{"query_id": "q0", "results": ["a"]}\n' + json.dumps(record) + "\n")
    (fault,) = faults_of(Run, path)
    assert fault.startswith(f"{path}:2: ")
    assert says in fault
