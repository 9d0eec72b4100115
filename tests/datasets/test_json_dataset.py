"""json: one file with metadata, queries, documents and qrels."""

import gzip
import json

import pytest
from hypothesis import given

from assay import Document, Query, RelevanceJudgment, Span
from assay.datasets import BenchmarkDataset
from assay.datasets.format import load_dataset
from assay.datasets.formats.tables import JSON_EXAMPLE, read_json, write_json

from ._benchmarks import SAMPLES, assert_same, benchmarks, claims, faults
from ._cases import BOM, write

SEED_001 = {
    "metadata": {"dataset_name": "MyBenchmark", "version": "1.0", "license": "CC0"},
    "queries": {
        "q1": {"query_id": "q1", "text": "What is ML?", "query_type": "factual", "difficulty": "easy", "domain": "AI"}
    },
    "documents": {"d1": {"doc_id": "d1", "text": "ML is …", "source": "ml.md", "page_number": 3, "section": "Intro"}},
    "qrels": {"q1": {"d1": 3, "d2": 0}},
}


def file(path, content):
    return write(path / "data.json", content if isinstance(content, bytes | str) else json.dumps(content))


def test_seed_001_json_layout_as_printed_there(tmp_path):
    found = read_json(file(tmp_path, SEED_001))
    assert (found.name, found.version, found.metadata) == ("MyBenchmark", "1.0", {"license": "CC0"})
    assert found.queries == {"q1": Query("q1", "What is ML?", "factual", "easy", "AI")}
    assert found.documents == {"d1": Document("d1", "ML is …", "ml.md", 3, "Intro")}
    assert found.qrels == {"q1": {"d1": 3, "d2": 0}}


def test_the_sample(tmp_path):
    path = SAMPLES / "json" / "cats.json"
    assert claims(path)[0] == "json"
    found = load_dataset(path)
    assert (found.name, found.metadata, found.format) == ("Cats", {"license": "CC0"}, "json")
    assert found.queries["3"] == Query("3", "Do dogs sleep?", scope="dogs", evidence=["d2"])
    assert found.documents["d2"].metadata == {"url": "https://example.org/2"}
    assert found.qrels == {"q1": {"d1": 3, "d2": 0}, "q2": {}, "3": {"d2": 0.5}}
    assert found.judgments["q1", "d1"].judge == "ann"
    assert found.spans == {"q1": [Span("d1", 11, 22)]}
    write_json(found, tmp_path / "again.json")
    assert_same(read_json(tmp_path / "again.json"), found)


def test_the_example_reads_and_is_recognised(tmp_path):
    path = file(tmp_path, JSON_EXAMPLE)
    assert claims(path)[0] == "json"
    assert load_dataset(path).get_relevance_grade("q1", "d1") == 3


@pytest.mark.parametrize("pack", [BOM.__add__, gzip.compress], ids=["with a mark in front", "gzip"])
def test_packed_files(tmp_path, pack):
    path = write(tmp_path / "data.json.gz", pack(json.dumps(SEED_001).encode()))
    assert load_dataset(path).name == "MyBenchmark"


def test_queries_are_all_it_needs(tmp_path):
    found = read_json(file(tmp_path, {"queries": {"q": {}}}))
    assert (found.name, found.version, found.queries) == ("data", "1.0", {"q": Query("q")})
    assert (found.documents, found.qrels) == ({}, {})


def test_fields_nobody_knows_are_metadata(tmp_path):
    queries = {"7": {"query_id": 7, "text": "x", "lang": "de", "metadata": {"a": 1}, "expected": None}}
    documents = {"d": {"url": "http://x", "text": None}}
    found = read_json(file(tmp_path, {"queries": queries, "documents": documents}))
    assert found.queries == {"7": Query("7", "x", metadata={"lang": "de", "a": 1})}
    assert found.documents == {"d": Document("d", metadata={"url": "http://x"})}


def test_judges_spans_evidence_and_empty_lists_are_kept(tmp_path):
    made = BenchmarkDataset("Rich", "2", {"a": [1]})
    made.add_query(Query("q", "ä\n\u2028", expected="x", evidence=["e"], scope="g"))
    made.add_query(Query("r", evidence=[]))
    made.add_judgment(RelevanceJudgment("q", "d", 0.1 + 0.2, "ann", "today"))
    made.qrels["r"] = {}
    made.spans["q"] = [Span("a.py", 1, 2, "lines")]
    write_json(made, tmp_path / "rich.json")
    found = read_json(tmp_path / "rich.json")
    assert (found.queries, found.qrels, found.judgments, found.spans) == (
        made.queries,
        made.qrels,
        made.judgments,
        made.spans,
    )
    assert (found.name, found.version, found.metadata) == ("Rich", "2", {"a": [1]})


def test_a_dataset_knows_where_it_was_read_from(tmp_path):
    path = file(tmp_path, SEED_001)
    for source in (path, str(path)):
        found = BenchmarkDataset.from_json(source)
        assert (found.format, found.path) == ("json", path)


def test_fields_without_a_value_are_left_out(tmp_path):
    write_json(BenchmarkDataset("Plain", queries={"q": Query("q", "x")}), tmp_path / "plain.json")
    assert json.loads((tmp_path / "plain.json").read_text()) == {
        "metadata": {"dataset_name": "Plain", "version": "1.0"},
        "queries": {"q": {"query_id": "q", "text": "x"}},
        "documents": {},
        "qrels": {},
    }


@given(made=benchmarks())
def test_what_is_written_reads_back(tmp_path_factory, made):
    path = tmp_path_factory.mktemp("json") / "made.json"
    write_json(made, path)
    found = read_json(path)
    assert_same(found, made)
    assert found.repairs == []


def test_lists_of_records_are_read_too(tmp_path):
    content = {"queries": [{"id": "q", "text": "x"}, {"query_id": 7}], "documents": [{"doc_id": "d", "id": "other"}]}
    found = load_dataset(file(tmp_path, content))
    assert found.queries == {"q": Query("q", "x"), "7": Query("7")}
    assert found.documents == {"d": Document("d", metadata={"id": "other"})}


def test_without_queries_those_judged_are_queries(tmp_path):
    path = file(tmp_path, {"qrels": {"q": {"d": 1}}})
    assert claims(path)[0] == "json"
    assert load_dataset(path).queries == {"q": Query("q")}


def test_tags_and_evidence_may_be_numbers(tmp_path):
    fields = {"query_type": 5, "difficulty": 0.5, "evidence": [1, "e"]}
    wanted = Query("q", query_type="5", difficulty="0.5", evidence=["1", "e"])
    assert read_json(file(tmp_path, {"queries": {"q": fields}})).queries == {"q": wanted}


def test_fields_of_the_file_that_nobody_knows_are_metadata(tmp_path):
    found = read_json(file(tmp_path, {"queries": {}, "license": "CC0", "dataset_name": "Mine", "metadata": {"version": 2}}))
    assert (found.name, found.version, found.metadata) == ("Mine", "2", {"license": "CC0"})


def test_a_value_given_twice_is_noted(tmp_path):
    queries = {"q": {"lang": "de", "same": 1, "metadata": {"lang": "en", "same": 1}}}
    found = read_json(file(tmp_path, {"queries": queries, "lang": "fr", "metadata": {"lang": "it"}}))
    assert found.queries["q"].metadata == {"lang": "de", "same": 1}
    assert found.metadata == {"lang": "fr"}
    assert [(one.place, one.what, one.is_loss) for one in found.repairs] == [
        ("the file", "lang is given twice; that in the metadata ('it') is not kept", True),
        ("query q", "lang is given twice; that in the metadata ('en') is not kept", True),
    ]


def test_faults_of_records_come_together(tmp_path):
    content = {"queries": {"q": {"text": 1}, "r": {"scope": []}}, "documents": {"d": {"title": 2}}}
    assert len(faults(read_json, file(tmp_path, content))) == 3


FAULTS = {
    "queries in a list without ids": ({"queries": [{"text": "x"}]}, "query 1 has none of query_id, id, _id"),
    "queries in a list with bad ids": ({"queries": [{"id": 1.5}]}, "query 1: an id is text or a whole number, not 1.5"),
    "a query twice": ({"queries": [{"id": 1}, {"_id": "1"}]}, "the query '1' comes twice"),
    "a judge of nothing": (
        {"queries": {}, "judgments": [{"query_id": "q", "doc_id": "d", "judge": "ann"}]},
        "judged by ann: document d for query q is not among the judgments; mend one",
    ),
    "a judge with another grade": (
        {"queries": {}, "qrels": {"q": {"d": 2}}, "judgments": [{"query_id": "q", "doc_id": "d", "relevance_grade": 1}]},
        "judged by somebody: document d for query q has grade 2 there; mend one",
    ),
    "evidence that is no id": ({"queries": {"q": {"evidence": [1.5]}}}, "an id is text or a whole number, not 1.5"),
    "queries in a text": ({"queries": "q"}, "expected `object | array | null`, got `str` - at `$.queries`"),
    "no queries": (
        {"qrels": {}},
        'there are neither queries nor qrels; expected {"queries": {"q1": {"text": "…"}}, …}',
    ),
    "a list": ([], "expected `object`, got `array`"),
    "a query that is a text": ({"queries": {"q": "x"}}, "expected `object`, got `str` - at `$.queries[...]`"),
    "a text that is none": ({"queries": {"q": {"text": 7}}}, "text of 'q' is text, not 7"),
    "an expected answer that is none": ({"queries": {"q": {"expected": ["x"]}}}, "expected of 'q' is text, not ['x']"),
    "a scope that is none": ({"queries": {"q": {"scope": True}}}, "scope of 'q' is text, not True"),
    "evidence that is no list": ({"queries": {"q": {"evidence": "abc"}}}, "evidence of 'q' is a list of ids, not 'abc'"),
    "metadata that are none": ({"queries": {"q": {"metadata": [1], "x": 1}}}, "metadata of 'q' is an object, not [1]"),
    "another id": ({"queries": {"q": {"query_id": "z"}}}, "the query under 'q' calls itself 'z'"),
    "another id of a document": (
        {"queries": {}, "documents": {"d": {"doc_id": 5}}},
        "the document under 'd' calls itself 5",
    ),
    "a page that is none": (
        {"queries": {}, "documents": {"d": {"page_number": "iv"}}},
        "page_number of 'd' is a whole number, not 'iv'",
    ),
    "a grade that is none": (
        {"queries": {}, "qrels": {"q": {"d": "high"}}},
        "expected `float`, got `str` - at `$.qrels[...][...]`",
    ),
    "no grade": ({"queries": {}, "qrels": {"q": {"d": None}}}, "expected `float`, got `null` - at `$.qrels[...][...]`"),
    "ids without grades": ({"queries": {}, "qrels": {"q": ["d"]}}, "expected `object`, got `array` - at `$.qrels[...]`"),
    "a judgment without a document": (
        {"queries": {}, "judgments": [{"query_id": "q"}]},
        "object missing required field `doc_id` - at `$.judgments[0]`",
    ),
    "a span that is none": (
        {"queries": {}, "spans": {"q": [{"doc_id": "d", "start": "a", "end": 2}]}},
        "expected `int`, got `str` - at `$.spans[...][0].start`",
    ),
}


@pytest.mark.parametrize(("content", "said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_says_what_and_where(tmp_path, content, said):
    assert faults(read_json, file(tmp_path, content)) == [f"data.json: {said}"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{\n"queries": {\n"q": {"text": "cut', "data.json:3: input data was truncated"),
        ('{\n"queries": {},\n}', "data.json:3: JSON is malformed: trailing comma in object (byte 17)"),
        ('{"queries": {}, "qrels": {"q": {"d": 1e999}}}', "data.json: number out of range - at `$.qrels[...][...]`"),
        ('{"queries": {}, "qrels": {"q": {"d": NaN}}}', "data.json:1: JSON is malformed: invalid character (byte 37)"),
    ],
)
def test_a_broken_file_says_in_which_line(tmp_path, content, said):
    assert faults(read_json, file(tmp_path, content)) == [said]
