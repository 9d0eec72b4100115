"""rag_template: questions, expected answers and contexts, in the spellings RAG teams use."""

import json

import pytest

from assay.datasets.dataset import Repair
from assay.datasets.format import BUNDLED, PROBE_BYTES, Probe, all_formats, detect_format, load_dataset
from assay.datasets.formats.rag_template import EXAMPLE, FORMAT
from assay.model.records import Document

from ._cases import BOM, write
from ._rag_template import LINES, SAMPLE, asked

# --- the samples, checked by hand ------------------------------------------------------------------------------------


def test_the_sample_is_read_as_it_stands():
    dataset = load_dataset(SAMPLE)
    assert (dataset.name, dataset.version, dataset.format) == ("harbour", "1.2", "rag_template")
    assert dataset.metadata.keys() == {"licence", "language", "description"}
    assert list(dataset.queries) == ["q1", "q2", "q3", "q4", "q5"]
    assert dataset.qrels == {"q1": {"p1": 3, "p4": 1, "p2": 0}, "q2": {"p3": 2}, "q3": {}, "q5": {"p4": 1, "p9": 1}}
    assert dataset.queries["q1"].tags == {"query_type": "factual", "difficulty": "easy"}
    assert dataset.queries["q4"].tags == {"domain": "fares"}
    assert dataset.queries["q5"].tags == {"language": "de"}
    assert dataset.queries["q5"].expected == "nur samstags"
    assert dataset.documents["p1"] == Document(
        "p1", "The ferry leaves at 7:15 and at 18:40.", "ferry.md", None, "Times", {"topic": "ferry"}
    )
    assert (dataset.documents["p3"].title, dataset.documents["p3"].page_number) == ("Lighthouse", 4)
    assert dataset.repairs == [Repair("question q5", "judged document p9 is not among the contexts")]


def test_questions_in_lines_have_contexts_of_their_own():
    dataset = load_dataset(LINES)
    assert {query.query_id: query.scope for query in dataset.queries.values()} == {"q1": "q1", "m2": "m2", "q3": "q3"}
    assert dataset.groups == {"q1": ["q1/c1", "q1/c2"], "m2": ["m2/c1"]}
    assert [list(dataset.in_scope(query)) for query in dataset.queries.values()] == [["q1/c1", "q1/c2"], ["m2/c1"], []]
    assert dataset.documents["m2/c1"].source == "mill.txt"
    assert dataset.qrels == {"q1": {"q1/c1": 1}}
    assert [query.expected for query in dataset.queries.values()] == ["It was built in 1931.", "7", "no"]
    assert dataset.queries["q3"].metadata == {"answer": "Yes, in the north."}


def test_a_context_of_a_question_may_have_the_id_of_a_shared_one(read_rag):
    own = {"question": "?", "expected": "z", "contexts": [{"id": "c1", "content": "y"}]}
    dataset = read_rag(json.dumps({"contexts": [{"id": "c1", "content": "x"}], "questions": [own]}))
    assert {document.doc_id: document.text for document in dataset.documents.values()} == {"c1": "x", "q1/c1": "y"}
    assert len(dataset.repairs) == 1


def test_the_example_of_the_documentation_is_true(read_rag):
    whole, _, lines = EXAMPLE.partition("\n\nJSON lines")
    dataset = read_rag(whole)
    assert dataset.qrels == {"q1": {"p1": 3, "p2": 0}}
    assert read_rag(lines.partition("\n")[2], "rag.jsonl").queries["q1"].expected == "12 to 16 hours"


def test_the_bundled_benchmark_is_of_this_format():
    for path in BUNDLED.glob("rag-template.json"):
        dataset = load_dataset("rag-template")
        assert (dataset.format, dataset.path) == ("rag_template", path)
        assert len(dataset.queries) >= 40
        assert not dataset.repairs


# --- detection -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [SAMPLE, LINES], ids=lambda path: path.name)
def test_nobody_else_is_asked_first(path):
    assert detect_format(path) is FORMAT
    others = {name for name, one in all_formats().items() if one.rank >= FORMAT.rank and one.detect(Probe(path))}
    assert others == {"rag_template"}


FOREIGN = {
    "seed 001": {"queries": {"q1": {"text": "?", "expected": "!"}}, "documents": {}, "qrels": {"q1": {}}},
    "golden": [{"query": "?", "relevant_ids": ["a"]}],
    "locomo": [{"sample_id": "1", "conversation": {"session_1": []}, "qa": [{"question": "?", "answer": "!"}]}],
    "longmemeval": [{"question_id": "1", "question": "?", "answer": "!", "haystack_sessions": []}],
    "hpo list": [{"description": "d", "text": "Anfall", "expected_hpo_ids": ["HP:0001250"]}],
    "hpo schema": {"metadata": {}, "test_cases": [{"text": "Anfall", "expected_hpo_ids": []}]},
    "code spans": [{"question": "?", "expected": "!", "file": "a.py", "start": 1, "end": 2}],
    "several spans": [{"query": "?", "answer": "!", "spans": []}],
    "RepoEval": {"prompt": "?", "metadata": {"ground_truth": "!", "fpath_tuple": ["a"]}},
    "BEIR queries": {"_id": "q1", "text": "?", "metadata": {"expected": "!"}},
    "a run": {"query": "?", "document": "d", "score": 1},
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x.txt"])
def test_what_is_of_others_is_left_alone(tmp_path, content, name):
    lines = content if isinstance(content, list) else [content]
    text = "\n".join(map(json.dumps, lines)) if name == "x.jsonl" else json.dumps(content)
    assert not FORMAT.detect(Probe(write(tmp_path / name, text)))


@pytest.mark.parametrize(
    "content",
    [
        {"questions": []},
        [{"question": "?", "answer": "!"}],
        [{"question": "?"}, {"question": "?", "contexts": []}],
        [{"input": "?", "expected_output": "!", "retrieval_context": ["x"]}],
        {"query": "?", "passages": [{"text": "x"}]},
        {"questions": [{"question": "?", "metadata": {"qrels": {}}}], "contexts": []},
    ],
    ids=lambda content: json.dumps(content)[:40],
)
def test_what_rag_teams_have_is_recognised(tmp_path, content):
    path = write(tmp_path / "x.json", json.dumps(content))
    assert FORMAT.detect(Probe(path))
    assert detect_format(path) is FORMAT


@pytest.mark.parametrize(
    "text",
    [
        '{"a": {"x": [{"y": 1}]}, "b": ": {\\" [", "c": []}',
        '[{"a": [1, {"x": 1}]}, {"b": 1, "c": {}}]',
        '{"a": 1, "b": {"x": 1}}\n{"c": 1}\n',
    ],
    ids=["object", "list", "lines"],
)
def test_only_the_outermost_fields_tell_the_format(tmp_path, text):
    for content in (text.encode(), BOM + b" " + text.encode()):
        assert Probe(write(tmp_path / "x.json", content)).outer_keys == {"a", "b", "c"}


def test_contexts_longer_than_a_look_do_not_hide_the_questions(tmp_path):
    content = {"contexts": [{"content": "x" * PROBE_BYTES}], "questions": [{"question": "?"}]}
    assert detect_format(write(tmp_path / "x.json", json.dumps(content))) is FORMAT


# --- ids -------------------------------------------------------------------------------------------------------------


def test_ids_are_given_by_place(read_rag):
    dataset = read_rag({"contexts": ["one", {"text": "two"}, {"body": "three"}], "questions": ["a?", {"query": "b?"}]})
    assert {doc_id: document.text for doc_id, document in dataset.documents.items()} == {
        "c1": "one",
        "c2": "two",
        "c3": "three",
    }
    assert {query_id: query.text for query_id, query in dataset.queries.items()} == {"q1": "a?", "q2": "b?"}


def test_ids_may_be_keys_and_numbers(read_rag):
    dataset = read_rag(
        {"contexts": {"7": "one", "b": {"page_content": "two"}}, "questions": {"x": "a?"}, "qrels": {"x": [7]}}
    )
    assert list(dataset.documents) == ["7", "b"]
    assert dataset.qrels == {"x": {"7": 1}}


def test_the_same_text_twice_is_one_document(read_rag):
    dataset = read_rag({"contexts": ["one", "two", "one", {"id": "p", "content": "two"}], "questions": ["?"]})
    assert list(dataset.documents) == ["c1", "p"]
    assert [(repair.what, repair.is_loss) for repair in dataset.repairs] == [
        ("the same text as c1; they are one document", False),
        ("the same text as p; they are one document", False),
    ]


def test_the_same_text_under_two_ids_is_two_documents(read_rag):
    assert list(
        read_rag({"contexts": [{"id": "a", "text": "x"}, {"id": "b", "text": "x"}], "questions": ["?"]}).documents
    ) == [
        "a",
        "b",
    ]


def test_a_twin_with_other_metadata_is_a_loss(read_rag):
    twins = [{"content": "x"}, {"content": "x", "metadata": {"source": "b.md"}}]
    repairs = read_rag({"contexts": twins, "questions": ["?"]}).repairs
    assert [repair.is_loss for repair in repairs] == [False, True]


def test_an_id_that_two_questions_use_is_told_apart(read_rag):
    questions = [
        {
            "id": name,
            "question": "?",
            "contexts": [{"id": "p", "text": name}, {"id": name + "p", "text": "x"}],
            "relevantIds": ["p"],
        }
        for name in "ab"
    ]
    dataset = read_rag(questions)
    assert list(dataset.documents) == ["a/p", "ap", "b/p", "bp"]
    assert dataset.qrels == {"a": {"a/p": 1}, "b": {"b/p": 1}}
    assert [repair.what for repair in dataset.repairs] == [
        f"other contexts are called p too; this one is {name}/p" for name in "ab"
    ]


def test_a_single_context_needs_no_list(read_rag):
    dataset = read_rag([{"question": "a?", "context": "one"}, {"question": "b?", "context": {"content": "two"}}])
    assert [document.text for document in dataset.documents.values()] == ["one", "two"]


def test_shared_contexts_and_own_ones_live_together(read_rag):
    content = {
        "contexts": ["one"],
        "questions": [{"question": "a?", "contexts": ["mine"]}, {"question": "b?", "contexts": []}],
    }
    dataset = read_rag(content)
    assert list(dataset.in_scope(dataset.queries["q1"])) == ["q1/c1"]
    assert dataset.queries["q2"].scope is None


# --- ground truth ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inside", [True, False], ids=["metadata", "question"])
@pytest.mark.parametrize("name", ["relevantIds", "relevantChunkIds", "groundTruthIds", "qrels", "relevant_ids"])
@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (["p1"], {"p1": 1}),
        ({"p1": 2.5}, {"p1": 2.5}),
        ([{"id": "p1", "grade": 2}], {"p1": 2}),
        ("p1", {"p1": 1}),
        ([], {}),
        ({}, {}),
        (None, None),
    ],
)
def test_ground_truth_by_ids(read_rag, name, inside, said, wanted):
    dataset = read_rag(asked(metadata={name: said}) if inside else asked(**{name: said}))
    assert dataset.qrels.get("q1") == wanted
    assert dataset.queries["q1"].metadata is None
    assert not dataset.repairs


def test_grades_say_more_than_a_list(read_rag):
    assert read_rag(asked(relevantIds=["p1"], qrels={"p1": 3, "p0": 0})).qrels == {"q1": {"p1": 3, "p0": 0}}
    assert read_rag(asked(relevantIds=["p1"], metadata={"groundTruthIds": ["p1"]})).qrels == {"q1": {"p1": 1}}


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"relevantIds": ["p1"], "qrels": {"p2": 1}}, ("relevantIds", "qrels")),
        ({"groundTruthIds": {"p1": 1}, "qrels": {"p1": 2}}, ("groundTruthIds", "qrels")),
        ({"qrels": ["p1"], "metadata": {"qrels": []}}, ("metadata.qrels", "qrels")),
    ],
)
def test_fields_that_disagree_are_named(rag_fault, fields, names):
    said = rag_fault(asked(**fields))
    assert "disagree" in said
    assert all(name in said for name in names)


def test_judgments_of_all_questions_may_stand_together(read_rag, rag_fault):
    content = {"questions": ["a?", "b?"], "qrels": {"q1": {"d": 2}, "elsewhere": ["d"]}}
    assert read_rag(content).qrels == {"q1": {"d": 2}, "elsewhere": {"d": 1}}
    assert read_rag({**asked(relevantIds=["p1"]), "qrels": {"q1": {"p1": 3}}}).qrels == {"q1": {"p1": 3}}
    assert "disagree" in rag_fault({**asked(relevantIds=["p2"]), "qrels": {"q1": {"p1": 1}}})
    assert "rag.json: qrels.q1: the grade of document d is 'x'" in rag_fault(
        {"questions": ["?"], "qrels": {"q1": {"d": "x"}}}
    )


def test_without_contexts_nobody_misses_a_document(read_rag):
    assert not read_rag([{"question": "?", "answer": "!", "relevant_ids": ["d1"]}]).repairs
