"""rag_template: questions, expected answers and contexts, in the spellings RAG teams use."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError
from assay.datasets._dataset import PARTS, BenchmarkDataset, Repair
from assay.datasets._format import BUNDLED, PEEK, Probe, all_formats, detect_format, load_dataset
from assay.datasets.rag_template import EXAMPLE, FORMAT
from assay.model.records import Document, Query, RelevanceJudgment, Span

from ._cases import BOM, packed, write

SAMPLES = Path(__file__).parent / "samples"
SAMPLE = SAMPLES / "rag_template.json"
LINES = SAMPLES / "rag_template_lines.jsonl"


@pytest.fixture
def read(tmp_path):
    """Read what a file with this content says."""

    def reading(content, name="rag.json"):
        text = content if isinstance(content, str | bytes) else json.dumps(content)
        return load_dataset(write(tmp_path / name, text), format="rag_template")

    return reading


@pytest.fixture
def fault(read):
    """What is wrong with a file with this content."""

    def faulting(content, name="rag.json"):
        with pytest.raises(DataError) as raised:
            read(content, name)
        return str(raised.value)

    return faulting


def asked(**fields):
    """A file with one question, of which only some fields matter."""
    return {"contexts": [{"id": "p1", "content": "one"}], "questions": [{"question": "?", **fields}]}


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


def test_the_example_of_the_documentation_is_true(read):
    whole, _, lines = EXAMPLE.partition("\n\nJSON lines")
    dataset = read(whole)
    assert dataset.qrels == {"q1": {"p1": 3, "p2": 0}}
    assert read(lines.partition("\n")[2], "rag.jsonl").queries["q1"].expected == "12 to 16 hours"


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
    content = {"contexts": [{"content": "x" * PEEK}], "questions": [{"question": "?"}]}
    assert detect_format(write(tmp_path / "x.json", json.dumps(content))) is FORMAT


# --- ids -------------------------------------------------------------------------------------------------------------


def test_ids_are_given_by_place(read):
    dataset = read({"contexts": ["one", {"text": "two"}, {"body": "three"}], "questions": ["a?", {"query": "b?"}]})
    assert {doc_id: document.text for doc_id, document in dataset.documents.items()} == {
        "c1": "one",
        "c2": "two",
        "c3": "three",
    }
    assert {query_id: query.text for query_id, query in dataset.queries.items()} == {"q1": "a?", "q2": "b?"}


def test_ids_may_be_keys_and_numbers(read):
    dataset = read({"contexts": {"7": "one", "b": {"page_content": "two"}}, "questions": {"x": "a?"}, "qrels": {"x": [7]}})
    assert list(dataset.documents) == ["7", "b"]
    assert dataset.qrels == {"x": {"7": 1}}


def test_the_same_text_twice_is_one_document(read):
    dataset = read({"contexts": ["one", "two", "one", {"id": "p", "content": "two"}], "questions": ["?"]})
    assert list(dataset.documents) == ["c1", "p"]
    assert [(repair.what, repair.is_loss) for repair in dataset.repairs] == [
        ("the same text as c1; they are one document", False),
        ("the same text as p; they are one document", False),
    ]


def test_the_same_text_under_two_ids_is_two_documents(read):
    assert list(read({"contexts": [{"id": "a", "text": "x"}, {"id": "b", "text": "x"}], "questions": ["?"]}).documents) == [
        "a",
        "b",
    ]


def test_a_twin_with_other_metadata_is_a_loss(read):
    twins = [{"content": "x"}, {"content": "x", "metadata": {"source": "b.md"}}]
    repairs = read({"contexts": twins, "questions": ["?"]}).repairs
    assert [repair.is_loss for repair in repairs] == [False, True]


def test_an_id_that_two_questions_use_is_told_apart(read):
    questions = [
        {
            "id": name,
            "question": "?",
            "contexts": [{"id": "p", "text": name}, {"id": name + "p", "text": "x"}],
            "relevantIds": ["p"],
        }
        for name in "ab"
    ]
    dataset = read(questions)
    assert list(dataset.documents) == ["a/p", "ap", "b/p", "bp"]
    assert dataset.qrels == {"a": {"a/p": 1}, "b": {"b/p": 1}}
    assert [repair.what for repair in dataset.repairs] == [
        f"other contexts are called p too; this one is {name}/p" for name in "ab"
    ]


def test_a_single_context_needs_no_list(read):
    dataset = read([{"question": "a?", "context": "one"}, {"question": "b?", "context": {"content": "two"}}])
    assert [document.text for document in dataset.documents.values()] == ["one", "two"]


def test_shared_contexts_and_own_ones_live_together(read):
    content = {
        "contexts": ["one"],
        "questions": [{"question": "a?", "contexts": ["mine"]}, {"question": "b?", "contexts": []}],
    }
    dataset = read(content)
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
def test_ground_truth_by_ids(read, name, inside, said, wanted):
    dataset = read(asked(metadata={name: said}) if inside else asked(**{name: said}))
    assert dataset.qrels.get("q1") == wanted
    assert dataset.queries["q1"].metadata is None
    assert not dataset.repairs


def test_grades_say_more_than_a_list(read):
    assert read(asked(relevantIds=["p1"], qrels={"p1": 3, "p0": 0})).qrels == {"q1": {"p1": 3, "p0": 0}}
    assert read(asked(relevantIds=["p1"], metadata={"groundTruthIds": ["p1"]})).qrels == {"q1": {"p1": 1}}


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"relevantIds": ["p1"], "qrels": {"p2": 1}}, ("relevantIds", "qrels")),
        ({"groundTruthIds": {"p1": 1}, "qrels": {"p1": 2}}, ("groundTruthIds", "qrels")),
        ({"qrels": ["p1"], "metadata": {"qrels": []}}, ("metadata.qrels", "qrels")),
    ],
)
def test_fields_that_disagree_are_named(fault, fields, names):
    said = fault(asked(**fields))
    assert "disagree" in said
    assert all(name in said for name in names)


def test_judgments_of_all_questions_may_stand_together(read, fault):
    content = {"questions": ["a?", "b?"], "qrels": {"q1": {"d": 2}, "elsewhere": ["d"]}}
    assert read(content).qrels == {"q1": {"d": 2}, "elsewhere": {"d": 1}}
    assert read({**asked(relevantIds=["p1"]), "qrels": {"q1": {"p1": 3}}}).qrels == {"q1": {"p1": 3}}
    assert "disagree" in fault({**asked(relevantIds=["p2"]), "qrels": {"q1": {"p1": 1}}})
    assert "rag.json: qrels.q1: the grade of document d is 'x'" in fault({"questions": ["?"], "qrels": {"q1": {"d": "x"}}})


def test_without_contexts_nobody_misses_a_document(read):
    assert not read([{"question": "?", "answer": "!", "relevant_ids": ["d1"]}]).repairs


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


def test_unknown_fields_are_metadata(read):
    query = read(asked(category="x", metadata={"n": 1})).queries["q1"]
    assert query.metadata == {"category": "x", "n": 1}
    assert query.tags == {"category": "x", "n": "1"}


def test_a_field_given_twice_is_a_loss(read):
    dataset = read(asked(category="x", metadata={"category": "y"}))
    assert dataset.queries["q1"].metadata == {"category": "y"}
    assert [repair.is_loss for repair in dataset.repairs] == [True]


def test_null_is_nothing(read):
    query = read(asked(expected=None, query_type=None, answer="!", contexts=None, metadata=None)).queries["q1"]
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
def test_faults_say_where_and_what(fault, content, said):
    assert said in fault(content)


def test_faults_of_lines_name_their_lines(fault):
    said = fault('{"question": "?", "answer": "!"}\n\n{"answer": 1}\n[]\n', "rag.jsonl")
    assert "rag.jsonl:3: expected the question" in said
    assert "rag.jsonl:4: expected text or an object" in said
    assert "rag.jsonl:2: not JSON" in fault('{"question": "?"}\n{"question":\n', "rag.jsonl")
    assert "comes twice" in fault('{"question": "?", "qrels": {"a": 1, "a": 2}}', "rag.jsonl")


def test_what_is_no_json_is_said_with_its_line(fault):
    assert "rag.json:2: not JSON" in fault('{"questions": [\n}')


def test_twenty_faults_are_enough(fault):
    assert "20 or more faults" in fault([{}] * 30)


# --- writing ---------------------------------------------------------------------------------------------------------

words = st.text('aé日 "\\\n\u2028', max_size=6)
ids = st.text("abc/é日", min_size=1, max_size=4)
maybe = st.none() | words
plain = st.none() | st.booleans() | st.integers(-9, 9) | words | st.lists(words, max_size=2)
metadata = st.none() | st.dictionaries(
    words | st.sampled_from(["source", "group", "scope", "evidence", "title", "id", "metadata"]),
    plain,
    min_size=1,
    max_size=3,
)
queries = st.builds(
    Query, ids, words, maybe, maybe, maybe, metadata, maybe, st.none() | st.lists(ids, max_size=2), st.none() | ids
)
documents = st.builds(Document, ids, words, maybe, st.none() | st.integers(0, 9), maybe, metadata, maybe, st.none() | ids)
grades = st.integers(-1, 3) | st.floats(-1, 3)
judged = st.dictionaries(ids, st.dictionaries(ids, grades, max_size=3), max_size=3)
about = st.dictionaries(words | st.sampled_from(["contexts", "qrels", "metadata", "name"]), plain, max_size=3)
judgments = st.lists(st.builds(RelevanceJudgment, ids, ids, st.just(1), maybe, maybe), max_size=2)
spans = st.dictionaries(ids, st.lists(st.builds(Span, ids, st.integers(0, 9), st.integers(0, 9)), max_size=2), max_size=2)


@st.composite
def datasets(draw):
    return BenchmarkDataset(
        draw(ids),
        draw(words),
        draw(about),
        {one.query_id: one for one in draw(st.lists(queries, min_size=1, max_size=4))},
        {one.doc_id: one for one in draw(st.lists(documents, max_size=4))},
        draw(judged),
        {(one.query_id, one.doc_id): one for one in draw(judgments)},
        draw(spans),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rag")


@given(datasets())
def test_what_is_written_is_read(folder, dataset):
    path = folder / "rag.json"
    FORMAT.save(dataset, path)
    again = load_dataset(path)
    assert again.format == "rag_template"
    for part in ("name", "version", "metadata", "queries", "documents", "qrels", "judgments", "spans"):
        assert getattr(again, part) == getattr(dataset, part), part
    assert list(again.queries) == list(dataset.queries)
    assert [again.fingerprint(part) for part in PARTS] == [dataset.fingerprint(part) for part in PARTS]
    assert not any(repair.is_loss for repair in again.repairs)


@pytest.mark.parametrize("path", [SAMPLE, LINES], ids=lambda path: path.name)
def test_the_samples_survive_writing(tmp_path, path):
    dataset = load_dataset(path)
    FORMAT.save(dataset, tmp_path / "again.json")
    again = load_dataset(tmp_path / "again.json")
    assert again.queries == dataset.queries
    assert again.documents == dataset.documents
    assert again.qrels == dataset.qrels
    assert again.groups == dataset.groups


def test_the_form_written_is_that_of_the_bundled_file(tmp_path):
    FORMAT.save(load_dataset(SAMPLE), tmp_path / "x.json")
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


def test_metadata_that_would_be_read_as_ground_truth_are_refused(tmp_path):
    query = replace(Query("q1", "?"), metadata={"relevantIds": ["a"]})
    with pytest.raises(DataError, match="query q1: its metadata has 'relevantIds'"):
        FORMAT.save(BenchmarkDataset(queries={"q1": query}), tmp_path / "x.json")
    assert not list(tmp_path.iterdir())


def test_lines_are_not_written(tmp_path):
    with pytest.raises(DataError, match=r"ends in \.json"):
        FORMAT.save(load_dataset(SAMPLE), tmp_path / "x.jsonl")


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
