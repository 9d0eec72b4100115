"""golden: one file, a record per query with its ground truth."""

import gzip
import json

import pytest

from assay import UsageError
from assay.datasets.dataset import BenchmarkDataset, Repair
from assay.datasets.format import Probe, detect_format, find_format, load_dataset
from assay.datasets.formats.golden import FORMAT, detect, read_golden
from assay.model.records import Query

from ._benchmarks import SAMPLES, faults
from ._cases import BOM, write

FORMS = sorted((SAMPLES / "golden").iterdir())


def records(path, rows):
    return write(path, json.dumps(rows))


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.suffix)
def test_every_form_reads_the_same(path):
    dataset = load_dataset(path)
    assert (dataset.format, dataset.name) == ("golden", "golden")
    assert list(dataset.queries.values()) == [
        Query("q1", "How long do cats sleep?", metadata={"category": "sleep"}, expected="12 to 16 hours"),
        Query("q2", "Can cats swim?"),
        Query("q3", "Where do cats hide?"),
        Query("4", "Why do cats purr?"),
    ]
    assert dataset.qrels == {"q1": {"d1": 1, "d2": 1}, "q2": {"d7": 3, "d9": 1}, "q3": {}, "4": {"d1": 1, "d4": 1}}
    assert dataset.repairs == []


NAMES = [
    "relevant_ids",
    "relevant_doc_ids",
    "relevant",
    "expected_ids",
    "doc_ids",
    "relevantIds",
    "relevantChunkIds",
    "Relevant IDs",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "ids", [["d1", "d2"], {"d1": 1, "d2": 1}, "d1;d2", "d1; d2;", '["d1", "d2"]', ["d1", "d2", "d1"]], ids=str
)
def test_ids_under_any_name_in_any_shape(tmp_path, name, ids):
    path = records(tmp_path / "set.json", [{"query_id": 1, name: ids}])
    assert detect_format(path).name == "golden"
    assert load_dataset(path).qrels == {"1": {"d1": 1, "d2": 1}}


@pytest.mark.parametrize("question", ["query", "question", "text"])
@pytest.mark.parametrize("answer", ["expected", "answer", "expected_answer"])
def test_texts_under_any_name(tmp_path, question, answer):
    path = records(tmp_path / "set.json", [{question: "Why?", answer: "So.", "relevant_ids": ["d"]}])
    assert load_dataset(path).queries == {"1": Query("1", "Why?", expected="So.")}


def test_of_two_names_the_likelier_is_taken_and_the_other_kept(tmp_path):
    row = {
        "text": "a passage",
        "query": "Why?",
        "answer": "generated",
        "expected_answer": "So.",
        "relevant": [1],
        "doc_ids": [2],
    }
    dataset = read_golden(records(tmp_path / "set.json", [row]))
    others = {"text": "a passage", "answer": "generated", "doc_ids": [2]}
    assert dataset.queries == {"1": Query("1", "Why?", metadata=others, expected="So.")}
    assert dataset.qrels == {"1": {"1": 1}}


def test_without_an_id_a_query_gets_its_number(tmp_path):
    lines = "".join(f"{json.dumps({'query': text, 'relevant': ['d']})}\n" for text in "abc")
    for name, content in {"set.jsonl": lines, "set.csv": "query,relevant\na,d\nb,d\nc,d\n"}.items():
        assert list(load_dataset(write(tmp_path / name, content)).queries) == ["1", "2", "3"]


def test_saying_nothing_is_not_saying_that_nothing_is_relevant(tmp_path):
    rows = [{"id": 1, "relevant": []}, {"id": 2, "relevant": None}, {"id": 3}]
    assert read_golden(records(tmp_path / "set.json", rows)).qrels == {"1": {}}
    assert read_golden(write(tmp_path / "set.csv", "id,relevant\n1,[]\n2,\n")).qrels == {"1": {}}


def test_what_is_mended_is_noted(tmp_path):
    path = records(tmp_path / "set.json", [{"id": "q", "relevant": ["d", "d"], "answer": ["a", "b"]}])
    dataset = read_golden(path)
    place = f"{path}, record:1, query q"
    assert dataset.repairs == [
        Repair(place, "document d is named twice; it counts once"),
        Repair(place, "has 2 answers; joined by '; '"),
    ]
    assert dataset.queries["q"].expected == "a; b"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_odd_but_legal_tables(tmp_path, delimiter):
    text = (
        delimiter.join(["query id", "query", "relevant ids"])
        + "\r\n\r\n"
        + delimiter.join(["é日", '"Why, ""x"";\n?"', '"a;b"'])
        + "\r\n"
    )
    for name, content in {"set.csv": BOM + text.encode(), "set.csv.gz": gzip.compress(text.encode())}.items():
        dataset = load_dataset(write(tmp_path / name, content))
        assert dataset.queries == {"é日": Query("é日", 'Why, "x";\n?')}
        assert dataset.qrels == {"é日": {"a": 1, "b": 1}}


def test_odd_but_legal_lines(tmp_path):
    content = BOM + '\r\n{"query": "Ü", "relevant": [7]}\r\n'.encode()
    for name in ("set.jsonl", "set.json", "set.jsonl.gz"):
        path = write(tmp_path / name, gzip.compress(content) if name.endswith("gz") else content)
        assert load_dataset(path).qrels == {"1": {"7": 1}}


FOREIGN = {
    "beir queries": ("queries.jsonl", '{"_id": "q1", "text": "Why?"}'),
    "documents": ("documents.jsonl", '{"doc_id": "d1", "text": "Because."}'),
    "judgments": ("judgments.jsonl", '{"query_id": "q1", "doc_id": "d1", "relevance": 1}'),
    "rag template": ("rag.json", '[{"question": "Why?", "contexts": [], "relevant_ids": []}]'),
    "questions": ("rag.json", '{"questions": [{"question": "Why?", "relevant_ids": []}], "contexts": []}'),
    "longmemeval": ("long.json", '[{"question_id": 1, "question": "?", "answer": "!", "haystack_sessions": []}]'),
    "code": ("code.jsonl", '{"query": "?", "file": "a.py", "start": 1, "end": 2}'),
    "a record over several lines": ("one.json", '{\n"query": "?",\n"relevant": []\n}'),
    "no records": ("list.json", "[1, 2]"),
    "no JSON": ("list.json", "[nothing"),
    "a table of judgments": ("table.csv", "query_id,doc_id,relevance\n1,2,1\n"),
    "text": ("notes.txt", "query relevant_ids"),
}


@pytest.mark.parametrize(("name", "content"), FOREIGN.values(), ids=FOREIGN)
def test_others_are_left_alone(tmp_path, name, content):
    assert not detect(Probe(write(tmp_path / name, content)))


@pytest.mark.parametrize(
    "path", [SAMPLES / "hpo/german/tiny_v1.json", SAMPLES / "trec/qrels.txt", SAMPLES / "jsonl"], ids=lambda path: path.name
)
def test_samples_of_others_are_left_alone(path):
    assert not detect(Probe(path))


FAULTS = {
    "no list": ("set.json", "[7]", "set.json, record:1: expected an object with named fields, found 7"),
    "no JSON": ("set.json", "[{]", "set.json:1: not JSON: Expecting property name enclosed in double quotes"),
    "no JSON line": ("set.jsonl", '{"id": 1}\n{"id" 2}\n', "set.jsonl:2: not JSON: Expecting ':' delimiter"),
    "a grade": (
        "set.json",
        '[{"relevant": {"d": "high"}}]',
        "set.json, record:1: the grade of document d is 'high'; a grade is a finite number",
    ),
    "NaN": (
        "set.json",
        '[{"relevant": {"d": NaN}}]',
        "set.json, record:1: the grade of document d is nan; a grade is a finite number",
    ),
    "two grades": (
        "set.json",
        '[{"relevant": [{"id": 1, "grade": 1}, {"id": 1, "grade": 2}]}]',
        "set.json, record:1: document 1 has two grades: 1 and 2",
    ),
    "an id": ("set.json", '[{"relevant": [null]}]', "set.json, record:1: an id is text or a whole number, not None"),
    "one id": ("set.json", '[{"relevant": true}]', "set.json, record:1: an id is text or a whole number, not True"),
    "ids": ("set.csv", "id,relevant\n1,[d1\n", "set.csv:2: expected ids, found '[d1'"),
    "columns": ("set.csv", "id,relevant\n1\n", "set.csv:2: expected 2 columns (id, relevant), found 1"),
    "a column twice": ("set.csv", "id,id\n1,2\n", "set.csv:1: the column 'id' comes twice"),
    "not UTF-8": ("set.csv", b"id,relevant\n\xff,2\n", "set.csv:2: not valid UTF-8"),
    "nothing": ("set.csv", "", "set.csv: there is no query in it"),
    "no query": ("set.json", "[]", "set.json: there is no query in it"),
}


@pytest.mark.parametrize(("name", "content", "said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_says_where(tmp_path, name, content, said):
    assert faults(read_golden, write(tmp_path / name, content)) == [said]


def test_a_query_comes_once(tmp_path):
    path = write(tmp_path / "set.csv", "id,relevant\nq,1\nq,2\n")
    said = "set.csv:3: query q appears twice (first at set.csv:2); name all its documents in one record"
    assert faults(read_golden, path) == [said]


def test_it_is_only_read(tmp_path):
    assert find_format("golden") is FORMAT
    with pytest.raises(UsageError, match="golden can be read, not written"):
        FORMAT.save(BenchmarkDataset(), tmp_path / "set.json")
