"""BenchmarkDataset: made in code, asked for statistics and grades, saved and read again; and its fingerprints."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import BenchmarkDataset, Document, Query, RelevanceJudgment, Span, UnknownName
from assay.datasets import PARTS, Repair, find_format, load_dataset

from ._benchmarks import assert_same


@pytest.fixture
def dataset():
    made = BenchmarkDataset("MyBenchmark", "1.0")
    made.add_query(Query("q1", "What is ML?", "factual", "easy", "science"))
    made.add_query(Query("q2", "What is AI?", "factual", "hard"))
    made.add_document(Document("d1", "ML is learning", "ml.md", 3))
    made.add_document(Document("d2", "AI is wide"))
    made.add_judgment(RelevanceJudgment("q1", "d1", 3))
    made.add_judgment(RelevanceJudgment("q1", "d2", 0, judge="ann", timestamp="2024-05-01"))
    made.add_judgment(RelevanceJudgment("q2", "d2", 1))
    return made


def test_seed_001_benchmark_dataset_starts_empty_with_name_and_version():
    made = BenchmarkDataset("MyBenchmark", "1.0")
    assert (made.name, made.version) == ("MyBenchmark", "1.0")
    assert (made.queries, made.documents, made.qrels) == ({}, {}, {})
    assert repr(made) == "BenchmarkDataset(MyBenchmark 1.0: 0 queries, 0 documents, 0 judgments)"
    assert made.get_statistics()["judgments_per_query"] == 0.0


def test_seed_001_add_query_add_document_add_judgment_give_dicts_by_id(dataset):
    assert {query: one.text for query, one in dataset.queries.items()} == {"q1": "What is ML?", "q2": "What is AI?"}
    assert dataset.documents["d1"].source == "ml.md"
    assert dataset.qrels == {"q1": {"d1": 3, "d2": 0}, "q2": {"d2": 1}}
    assert dataset.judgments == {("q1", "d2"): RelevanceJudgment("q1", "d2", 0, "ann", "2024-05-01")}
    assert repr(dataset) == "BenchmarkDataset(MyBenchmark 1.0: 2 queries, 2 documents, 3 judgments)"


def test_seed_001_get_relevant_docs_and_get_relevance_grade(dataset):
    assert dataset.get_relevant_docs("q1") == dataset.get_relevant_docs("q1", min_grade=0) == {"d1"}
    assert dataset.get_relevant_docs("q1", min_grade=4) == dataset.get_relevant_docs("q9") == set()
    assert [dataset.get_relevance_grade("q1", doc) for doc in ("d1", "d2", "d9")] == [3, 0, 0]
    assert dataset.get_relevance_grade("q9", "d1") == 0


def test_seed_001_get_statistics(snapshots, dataset):
    snapshots.check("datasets/statistics", json.dumps(dataset.get_statistics(), indent=1) + "\n")


def test_statistics_count_every_kind_of_ground_truth_and_show_what_people_write(dataset):
    dataset.add_query(Query("q3", expected="yes", evidence=[], scope="g", metadata={"lang": "de"}))
    dataset.spans["q3"] = [Span("a.py", 1, 2, "lines"), Span("a.py", 5, 6, "lines")]
    dataset.repairs.append(Repair("here", "fixed"))
    dataset.qrels["q3"] = {}
    found = dataset.get_statistics()
    assert [found[f"num_{name}"] for name in ("scopes", "expected", "evidence", "spans", "repairs")] == [1, 1, 1, 2, 1]
    assert (found["num_judged_queries"], found["judgments_per_query"]) == (3, 1.0)
    assert found["tags"]["lang"] == {"de": 1}
    made = BenchmarkDataset(qrels={"q": {"a": 1.0, "b": 0.5, "c": -1.0, "d": 1}})
    assert [repr(grade) for grade in made.get_statistics()["grade_distribution"]] == ["-1", "0.5", "1"]
    for number in range(51):  # a tag with a value for every query is none
        dataset.add_query(Query(f"n{number}", metadata={"number": number, "even": number % 2}))
    tags = dataset.get_statistics()["tags"]
    assert ("number" in tags, tags["even"]) == (False, {"0": 26, "1": 25})


def test_whole_numbers_are_ids():
    made = BenchmarkDataset("Numbers")
    made.add_query(Query(1, "one"))
    made.add_document(Document(np.int64(7), "seven"))
    made.add_judgment(RelevanceJudgment(1, 7, 2))
    assert (list(made.queries), list(made.documents), made.qrels) == (["1"], ["7"], {"1": {"7": 2}})
    assert made.get_relevance_grade(1, 7) == made.get_relevance_grade("1", "7") == 2
    assert made.get_relevant_docs(1) == {"7"}
    assert assay.evaluate(made, {1: [9, 7]}, "mrr")["mrr"] == 0.5


def test_adding_again_replaces(dataset):
    dataset.add_query(Query("q1", "Other"))
    dataset.add_document(Document("d1", "Other"))
    dataset.add_judgment(RelevanceJudgment("q1", "d1", 1))
    dataset.add_judgment(RelevanceJudgment("q1", "d2", 2))
    assert (dataset.queries["q1"].text, dataset.documents["d1"].text) == ("Other", "Other")
    assert (dataset.qrels["q1"], dataset.judgments) == ({"d1": 1, "d2": 2}, {}), "ann gave another grade"


def test_every_number_is_a_grade_that_can_be_saved(tmp_path):
    for grade in (np.int64(3), np.float32(0.5), True):
        made = BenchmarkDataset(queries={"q": Query("q")})
        made.add_judgment(RelevanceJudgment("q", "d", grade))
        made.save_json(tmp_path / "d.json")
        assert BenchmarkDataset.from_json(tmp_path / "d.json").qrels == {"q": {"d": float(grade)}}
    with pytest.raises(UnknownName) as error:
        made.fingerprint("document")
    assert (error.value.kind, error.value.near) == ("part", ("documents",))


def test_seed_001_save_trec_qrels_and_from_trec_qrels(tmp_path, dataset):
    dataset.save_trec_qrels(tmp_path / "ml.qrels")
    assert (tmp_path / "ml.qrels").read_text() == "q1 0 d1 3\nq1 0 d2 0\nq2 0 d2 1\n"
    found = BenchmarkDataset.from_trec_qrels(tmp_path / "ml.qrels")
    assert (found.name, found.version, found.format, found.path) == ("ml", "1.0", "trec", tmp_path / "ml.qrels")
    assert found.qrels == dataset.qrels
    assert list(found.queries) == ["q1", "q2"]
    assert found.fingerprint("judgments") == dataset.fingerprint("judgments")
    assert BenchmarkDataset.from_trec_qrels(str(tmp_path / "ml.qrels"), "ML", "2").name == "ML"


def test_scopes_are_the_documents_of_a_group(dataset):
    dataset.add_document(Document("d3", group="talk"))
    dataset.add_document(Document("d4", group="talk"))
    assert dataset.groups == {"talk": ["d3", "d4"]}
    scopes = {None: ["d1", "d2", "d3", "d4"], "talk": ["d3", "d4"], "nowhere": []}
    assert {scope: list(dataset.in_scope(Query("q", scope=scope))) for scope in scopes} == scopes
    dataset.documents["d5"] = Document("d5", group="talk")
    del dataset.documents["d3"]
    assert dataset.groups == {"talk": ["d4", "d5"]}, "worked out each time"


def test_a_dataset_is_scored_pickled_and_shares_nothing(dataset):
    assert dict(dataset.judged()) == {"q1": {"d1": 3.0, "d2": 0.0}, "q2": {"d2": 1.0}}
    assert_same(pickle.loads(pickle.dumps(dataset)), dataset)
    dataset.metadata["x"] = 1
    assert (BenchmarkDataset("b").queries, BenchmarkDataset("b").metadata) == ({}, {})


def prints(dataset):
    return {part: dataset.fingerprint(part) for part in PARTS}


def build(queries, documents, judgments):
    made = BenchmarkDataset()
    for query in queries:
        made.add_query(query)
    for document in documents:
        made.add_document(document)
    for judgment in judgments:
        made.add_judgment(judgment)
    return made


QUERIES = [Query("q1", "one"), Query("q2", "two"), Query("q3", "")]
DOCUMENTS = [Document("d1", "text", title="Title"), Document("d2", "other"), Document("d3", "")]
JUDGMENTS = [RelevanceJudgment("q1", "d1", 1), RelevanceJudgment("q1", "d2", 0.5), RelevanceJudgment("q2", "d1", 1.0)]


@given(st.permutations(QUERIES), st.permutations(DOCUMENTS), st.permutations(JUDGMENTS))
def test_fingerprints_do_not_depend_on_order(queries, documents, judgments):
    assert prints(build(queries, documents, judgments)) == prints(build(QUERIES, DOCUMENTS, JUDGMENTS))


def test_fingerprints_ignore_everything_but_content():
    plain = build(QUERIES, DOCUMENTS, JUDGMENTS)
    other = build(
        [Query("q1", "one", "factual", "hard", "cats", metadata={"a": 1}), *QUERIES[1:]],
        [Document("d1", "text", "a.md", 3, "Intro", {"a": 1}, title="Title"), *DOCUMENTS[1:]],
        [RelevanceJudgment("q1", "d1", 1.0, "ann", "today"), *JUDGMENTS[1:]],
    )
    other.name, other.version, other.format = "other", "2", "json"
    assert prints(plain) == prints(other)
    assert len(set(prints(plain).values())) == 3


CHANGES = {
    "queries": [
        lambda made: made.add_query(Query("q4", "one")),
        lambda made: made.add_query(Query("q1", "one", scope="g")),
        lambda made: made.queries.update(q1=Query("q1", "other")),
        lambda made: made.queries.pop("q3"),
    ],
    "documents": [
        lambda made: made.add_document(Document("d1", "Title\ntext")),
        lambda made: made.add_document(Document("d9", "text")),
        lambda made: made.add_document(Document("d1", "text", title="Title", group="g")),
        lambda made: made.documents.update(d1=Document("d1", "other")),
        lambda made: made.documents.pop("d2"),
    ],
    "judgments": [
        lambda made: made.add_judgment(RelevanceJudgment("q1", "d2", 0.25)),
        lambda made: made.add_judgment(RelevanceJudgment("q1", "d1", -1)),
        lambda made: made.qrels.update(q3={}),
        lambda made: made.qrels["q1"].update(d1=3),
        lambda made: setattr(made, "qrels", {"q1": {"d1": 1}}),
    ],
}


def test_a_fingerprint_changes_with_its_part_alone_and_is_worked_out_again():
    for part, number, change in ((part, *one) for part, changes in CHANGES.items() for one in enumerate(changes)):
        made = build(QUERIES, DOCUMENTS, JUDGMENTS)
        before = prints(made)
        change(made)
        assert {name for name in PARTS if before[name] != made.fingerprint(name)} == {part}, number


TRUTHS = [
    *({}, {"qrels": {"q": {}}}, {"qrels": {"q": {"nothing": 0}}}, {"queries": {"q": Query("q", evidence=[])}}),
    *({"queries": {"q": Query("q", evidence=["a"])}}, {"queries": {"q": Query("q", evidence=["a", "b"])}}),
    *({"queries": {"q": Query("q", expected="a")}}, {"queries": {"q": Query("q", expected="")}}),
    *({"spans": {"q": [span]}} for span in (Span("a", 1, 2), Span("a", 1, 3), Span("a", 1, 2, "lines"))),
]


def test_every_kind_of_ground_truth_has_a_fingerprint_of_its_own():
    made = [BenchmarkDataset(**{"queries": {"q": Query("q")}, **truth}) for truth in TRUTHS]
    assert len({one.fingerprint("judgments") for one in made}) == len(TRUTHS)
    assert len({one.fingerprint("queries") for one in made}) == 1
    spans = [Span("a", 1, 2), Span("b", 3, 4)]  # whose order does not matter, nor that of evidence
    one = BenchmarkDataset(queries={"q": Query("q", evidence=["a", "b"])}, spans={"q": spans})
    other = BenchmarkDataset(queries={"q": Query("q", evidence=["b", "a", "b"])}, spans={"q": spans[::-1]})
    assert prints(one) == prints(other)


def test_documents_of_a_file_and_in_memory_have_one_fingerprint_and_may_change(tmp_path):
    find_format("beir").save(build(QUERIES[:2], DOCUMENTS, JUDGMENTS), tmp_path / "d")
    for documents in (load_dataset(tmp_path / "d").documents, {one.doc_id: one for one in DOCUMENTS}):
        found = BenchmarkDataset(documents=documents)
        first = found.fingerprint("documents")
        assert first == build([], DOCUMENTS, []).fingerprint("documents")
        found.add_document(Document("d4", "new"))
        assert found.fingerprint("documents") != first


@given(st.dictionaries(st.text(), st.text(), max_size=3), st.dictionaries(st.text(), st.text(), max_size=3))
def test_different_queries_have_different_fingerprints(one, other):
    found = [build([Query(key, text) for key, text in some.items()], [], []).fingerprint("queries") for some in (one, other)]
    assert (found[0] == found[1]) == (one == other)
