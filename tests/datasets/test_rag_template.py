"""rag_template: questions, expected answers and contexts, in the spellings RAG teams use."""

import json

import pytest

from assay import Document, Query
from assay.datasets import Repair, detect_format, find_format, load_dataset

from ._benchmarks import SAMPLES
from ._cases import write
from ._faults import asked
from ._files import put


@pytest.fixture
def load(tmp_path):
    return lambda content: load_dataset(put(tmp_path / "rag.json", content), "rag_template")


def test_the_sample():
    dataset = load_dataset(SAMPLES / "rag_template.json")
    assert (dataset.name, dataset.version) == ("harbour", "1.2")
    assert dataset.metadata.keys() == {"licence", "language", "description"}
    assert list(dataset.queries) == ["q1", "q2", "q3", "q4", "q5"]
    assert dataset.qrels == {"q1": {"p1": 3, "p4": 1, "p2": 0}, "q2": {"p3": 2}, "q3": {}, "q5": {"p4": 1, "p9": 1}}
    assert dataset.queries["q1"].tags == {"query_type": "factual", "difficulty": "easy"}
    assert dataset.queries["q4"].tags == {"domain": "fares"}
    assert dataset.queries["q5"].tags == {"language": "de"}
    assert dataset.queries["q5"].expected == "nur samstags"
    ferry = Document("p1", "The ferry leaves at 7:15 and at 18:40.", "ferry.md", None, "Times", {"topic": "ferry"})
    assert dataset.documents["p1"] == ferry
    assert (dataset.documents["p3"].title, dataset.documents["p3"].page_number) == ("Lighthouse", 4)
    assert dataset.repairs == [Repair("question q5", "judged document p9 is not among the contexts")]


def test_questions_in_lines_have_contexts_of_their_own(tmp_path):
    dataset = load_dataset(SAMPLES / "rag_template_lines.jsonl")
    assert dataset.format == "rag_template"
    assert {query.query_id: query.scope for query in dataset.queries.values()} == {"q1": "q1", "m2": "m2", "q3": "q3"}
    assert dataset.groups == {"q1": ["q1/c1", "q1/c2"], "m2": ["m2/c1"]}
    assert [list(dataset.in_scope(query)) for query in dataset.queries.values()] == [["q1/c1", "q1/c2"], ["m2/c1"], []]
    assert dataset.documents["m2/c1"].source == "mill.txt"
    assert dataset.qrels == {"q1": {"q1/c1": 1}}
    assert [query.expected for query in dataset.queries.values()] == ["It was built in 1931.", "7", "no"]
    assert dataset.queries["q3"].metadata == {"answer": "Yes, in the north."}
    find_format("rag_template").save(dataset, tmp_path / "again.json")
    again = load_dataset(tmp_path / "again.json")
    assert (again.queries, again.documents, again.groups) == (dataset.queries, dataset.documents, dataset.groups)


def test_the_form_written_is_that_of_the_bundled_file(tmp_path):
    find_format("rag_template").save(load_dataset(SAMPLES / "rag_template.json"), tmp_path / "x.json")
    written = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert list(written) == ["name", "version", "licence", "language", "description", "contexts", "questions"]
    assert written["contexts"][0] == {
        "id": "p1",
        "content": "The ferry leaves at 7:15 and at 18:40.",
        "metadata": {"topic": "ferry", "source": "ferry.md", "section": "Times"},
    }
    assert written["questions"][0] == {
        "id": "q1",
        "question": "When does the ferry leave?",
        "expected": "at 7:15 and at 18:40",
        "query_type": "factual",
        "difficulty": "easy",
        "metadata": {"qrels": {"p1": 3, "p4": 1, "p2": 0}},
    }


def test_contexts_longer_than_a_look_do_not_hide_the_questions(tmp_path):
    content = {"contexts": [{"content": "x" * 300_000}], "questions": [{"question": "?"}]}
    assert detect_format(write(tmp_path / "x.json", json.dumps(content))).name == "rag_template"


# --- ids -------------------------------------------------------------------------------------------------------------


def test_ids_are_given_by_place_or_are_keys(load):
    dataset = load({"contexts": ["one", {"text": "two"}, {"body": "three"}], "questions": ["a?", {"query": "b?"}]})
    texts = {doc_id: document.text for doc_id, document in dataset.documents.items()}
    assert texts == {"c1": "one", "c2": "two", "c3": "three"}
    assert {query_id: query.text for query_id, query in dataset.queries.items()} == {"q1": "a?", "q2": "b?"}
    keyed = {"contexts": {"7": "one", "b": {"page_content": "two"}}, "questions": {"x": "a?"}, "qrels": {"x": [7]}}
    dataset = load(keyed)
    assert (list(dataset.documents), dataset.qrels) == (["7", "b"], {"x": {"7": 1}})


def test_the_same_text_is_one_document_where_ids_do_not_tell_it_apart(load):
    dataset = load({"contexts": ["one", "two", "one", {"id": "p", "content": "two"}], "questions": ["?"]})
    assert list(dataset.documents) == ["c1", "p"]
    assert [(repair.what, repair.is_loss) for repair in dataset.repairs] == [
        ("the same text as c1; they are one document", False),
        ("the same text as p; they are one document", False),
    ]
    named = [{"id": "a", "text": "x"}, {"id": "b", "text": "x"}]
    assert list(load({"contexts": named, "questions": ["?"]}).documents) == ["a", "b"]
    twins = [{"content": "x"}, {"content": "x", "metadata": {"source": "b.md"}}]
    assert [repair.is_loss for repair in load({"contexts": twins, "questions": ["?"]}).repairs] == [False, True]


def test_an_id_that_two_questions_use_is_told_apart(load):
    own = [[{"id": "p", "text": name}, {"id": name + "p", "text": "x"}] for name in "ab"]
    rows = [{"id": name, "question": "?", "contexts": own[n], "relevantIds": ["p"]} for n, name in enumerate("ab")]
    dataset = load(rows)
    assert list(dataset.documents) == ["a/p", "ap", "b/p", "bp"]
    assert dataset.qrels == {"a": {"a/p": 1}, "b": {"b/p": 1}}
    told = [f"other contexts are called p too; this one is {name}/p" for name in "ab"]
    assert [repair.what for repair in dataset.repairs] == told
    shared = {
        "contexts": [{"id": "c1", "content": "x"}],
        "questions": [{"question": "?", "contexts": [{"id": "c1", "content": "y"}]}],
    }
    dataset = load(shared)
    assert {document.doc_id: document.text for document in dataset.documents.values()} == {"c1": "x", "q1/c1": "y"}
    assert len(dataset.repairs) == 1


def test_shared_contexts_and_own_ones_live_together(load):
    questions = [{"question": "a?", "contexts": ["mine"]}, {"question": "b?", "contexts": []}]
    dataset = load({"contexts": ["one"], "questions": questions})
    assert list(dataset.in_scope(dataset.queries["q1"])) == ["q1/c1"]
    assert dataset.queries["q2"].scope is None
    single = load([{"question": "a?", "context": "one"}, {"question": "b?", "context": {"content": "two"}}])
    assert [document.text for document in single.documents.values()] == ["one", "two"]


# --- ground truth and other fields -----------------------------------------------------------------------------------

TRUTHS = [
    (["p1"], {"p1": 1}),
    ({"p1": 2.5}, {"p1": 2.5}),
    ([{"id": "p1", "grade": 2}], {"p1": 2}),
    ("p1", {"p1": 1}),
    ([], {}),
    ({}, {}),
    (None, None),
]


def test_ground_truth_by_ids(load):
    for name in ("relevantIds", "relevantChunkIds", "groundTruthIds", "qrels", "relevant_ids"):
        for given, wanted in TRUTHS:
            for fields in ({name: given}, {"metadata": {name: given}}):
                dataset = load(asked(**fields))
                assert dataset.qrels.get("q1") == wanted, fields
                assert dataset.queries["q1"].metadata is None
                assert not dataset.repairs


def test_several_fields_of_ground_truth_agree(load):
    assert load(asked(relevantIds=["p1"], qrels={"p1": 3, "p0": 0})).qrels == {"q1": {"p1": 3, "p0": 0}}
    assert load(asked(relevantIds=["p1"], metadata={"groundTruthIds": ["p1"]})).qrels == {"q1": {"p1": 1}}
    together = {"questions": ["a?", "b?"], "qrels": {"q1": {"d": 2}, "elsewhere": ["d"]}}
    assert load(together).qrels == {"q1": {"d": 2}, "elsewhere": {"d": 1}}
    assert load({**asked(relevantIds=["p1"]), "qrels": {"q1": {"p1": 3}}}).qrels == {"q1": {"p1": 3}}
    assert not load([{"question": "?", "answer": "!", "relevant_ids": ["d1"]}]).repairs  # nobody misses a document


def test_other_fields_are_metadata(load):
    query = load(asked(category="x", metadata={"n": 1})).queries["q1"]
    assert (query.metadata, query.tags) == ({"category": "x", "n": 1}, {"category": "x", "n": "1"})
    dataset = load(asked(category="x", metadata={"category": "y"}))
    assert dataset.queries["q1"].metadata == {"category": "y"}
    assert [repair.is_loss for repair in dataset.repairs] == [True]
    nothing = asked(expected=None, query_type=None, answer="!", contexts=None, metadata=None)
    assert load(nothing).queries["q1"] == Query("q1", "?", expected="!")
