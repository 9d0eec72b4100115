"""rag_template: odd files are read and faulty ones refused, with the place."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError
from assay.datasets.format import load_dataset
from assay.datasets.formats.rag_template import FORMAT
from assay.model.records import Query

from ._cases import BOM, packed, write
from ._rag_template import LINES, SAMPLE, asked

# --- odd but legal ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda content: BOM + content,
        lambda content: content.replace(b"\n", b"\r\n"),
        packed,
        lambda content: b"\n \n" + content + b"\n\n",
    ],
    ids=["BOM", "CRLF", "gzip", "blank lines"],
)
@pytest.mark.parametrize("path", [SAMPLE, LINES], ids=lambda path: path.name)
def test_the_same_file_in_another_guise(tmp_path, path, change):
    plain, dressed = load_dataset(path), load_dataset(write(tmp_path / path.name, change(path.read_bytes())))
    assert dressed.queries == plain.queries
    assert dressed.documents == plain.documents
    assert dressed.qrels == plain.qrels


def test_unknown_fields_are_metadata(read_rag):
    query = read_rag(asked(category="x", metadata={"n": 1})).queries["q1"]
    assert query.metadata == {"category": "x", "n": 1}
    assert query.tags == {"category": "x", "n": "1"}


def test_a_field_given_twice_is_a_loss(read_rag):
    dataset = read_rag(asked(category="x", metadata={"category": "y"}))
    assert dataset.queries["q1"].metadata == {"category": "y"}
    assert [repair.is_loss for repair in dataset.repairs] == [True]


def test_null_is_nothing(read_rag):
    query = read_rag(asked(expected=None, query_type=None, answer="!", contexts=None, metadata=None)).queries["q1"]
    assert query == Query("q1", "?", expected="!")


# --- faults ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"questions": 5}, "expected a list of questions, found 5"),
        ([], "there is no query in it"),
        ([5], "question:1: expected text or an object with 'question', found 5"),
        ([{"answer": "!"}], "question:1: expected the question under question or query or text or input, found answer"),
        ([{"question": 5}], "question:1: the question is text, not 5"),
        ([{"question": "?", "id": ""}], "question:1: the id of a query or document is empty"),
        ([{"question": "?", "id": 1.5}], "question:1: an id is text or a whole number, not 1.5"),
        ([{"question": "?", "id": "q2"}, "?"], "question:2: there is another question called q2"),
        ([{"question": "?", "contexts": 5}], "question:1: contexts: expected a list of contexts, found 5"),
        ([{"question": "?", "contexts": [5]}], "question:1: expected text or an object with 'content', found 5"),
        ([{"question": "?", "contexts": [{"id": 1, "text": "a"}, {"id": 1, "text": "b"}]}], "two contexts are called 1"),
        ({"questions": ["?"], "contexts": [{"id": "a"}]}, "context:1: expected the content under content or text"),
        ({"questions": ["?"], "contexts": 5}, "expected a list of contexts, found 5"),
        (
            {"questions": ["?"], "contexts": [{"id": "c2", "text": "a"}, "b"]},
            "context:2: there is another context called c2",
        ),
        ({"questions": ["?"], "contexts": {"a": {"id": "b", "text": "x"}}}, "what stands under 'a' calls itself 'b'"),
        (asked(contexts=["p1"]), 'call them "relevantIds"'),
        (asked(relevantIds=[None]), "question:1: relevantIds: an id is text or a whole number, not None"),
        (asked(relevantIds=1.5), "question:1: relevantIds: an id is text or a whole number, not 1.5"),
        (
            asked(metadata={"qrels": {"p1": "3"}}),
            "metadata.qrels: the grade of document p1 is '3'; a grade is a finite number",
        ),
        ({"questions": ["?"], "qrels": 5}, "qrels: expected query → id → grade, found 5"),
        ({"questions": ["?"], "spans": 5}, "spans: expected `object`, got `int`"),
    ],
)
def test_faults_say_where_and_what(rag_fault, content, said):
    assert said in rag_fault(content)


def test_faults_of_lines_name_their_lines(rag_fault):
    said = rag_fault('{"question": "?", "answer": "!"}\n\n{"answer": 1}\n[]\n', "rag.jsonl")
    assert "rag.jsonl:3: expected the question" in said
    assert "rag.jsonl:4: expected text or an object" in said
    assert "rag.jsonl:2: not JSON" in rag_fault('{"question": "?"}\n{"question":\n', "rag.jsonl")
    assert "comes twice" in rag_fault('{"question": "?", "qrels": {"a": 1, "a": 2}}', "rag.jsonl")


def test_what_is_no_json_is_said_with_its_line(rag_fault):
    assert "rag.json:2: not JSON" in rag_fault('{"questions": [\n}')


def test_twenty_faults_are_enough(rag_fault):
    assert "20 or more faults" in rag_fault([{}] * 30)


# --- anything else must not happen -----------------------------------------------------------------------------------

FIELDS = ["id", "question", "text", "expected", "answer", "contexts", "content", "title", "group", "scope", "evidence"]
KNOWN = [*FIELDS, "questions", "metadata", "qrels", "relevantIds", "spans", "judgments", "name", "q1", "c1"]
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.just(0.5) | st.sampled_from(["", "x", "q1", "c1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KNOWN), inner, max_size=5),
    max_leaves=12,
)
questions = st.fixed_dictionaries({"question": st.just("?")}, optional=dict.fromkeys(KNOWN[2:], anything))


@given(
    anything
    | st.lists(questions, max_size=3)
    | st.fixed_dictionaries({"questions": st.lists(questions), "contexts": anything})
)
def test_any_json_is_read_or_refused(folder, content):
    path = write(folder / "any.json", json.dumps(content))
    try:
        dataset = load_dataset(path, format="rag_template")
    except DataError:
        return
    assert dataset.queries
    assert all(document.doc_id == doc_id for doc_id, document in dataset.documents.items())
    dataset.judged()
    FORMAT.save(dataset, path)
    again = load_dataset(path)
    assert (again.queries, again.documents, again.qrels) == (dataset.queries, dataset.documents, dataset.qrels)
