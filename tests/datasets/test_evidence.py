"""Evidence: which documents a hit covers, whatever a system calls its hits."""

import pytest

import assay
from assay import BenchmarkDataset, Document, Hit, Query
from assay.datasets import load_dataset
from assay.model import Pack

from ._benchmarks import SAMPLES

DOCUMENTS = {*(f"conv/D1:{number}" for number in range(1, 31)), "conv/a", "conv/a_1", "other/D1:3"}
QUERY = Query("q", evidence=("conv/D1:3", "conv/D1:4", "conv/a"), scope="conv")
FIELDS = ("evidence", "dia_id", "dia_ids", "turn_id", "turn_ids", "session_id", "session_ids")
FIELDS_OF_MEMORYBENCH = ("answerCorpusIds", "answer_corpus_ids")


def pack_of(documents, *queries):
    """What judges the hits of a benchmark that has evidence."""
    dataset = BenchmarkDataset(queries={query.query_id: query for query in queries})
    dataset.documents = {doc_id: Document(doc_id, "text") for doc_id in documents}
    return dataset.owner_of_relevance


def covered(hit, query=QUERY, documents=DOCUMENTS):
    return list(pack_of(documents, QUERY, query).is_relevant(query, hit))


BY_ID = {
    "conv/D1:3": ["conv/D1:3", "D1:3", "conv/D1:3#0", "conv/D1:3_chunk_2", "D1:3/1"],
    "conv/a": ["conv/a#1", "conv/a_2"],
    None: [
        *("conv/D1:30", "D1:30#0", "conv/D1:5", "other/D1:3", "conv/D1", "conv", "conv/a_1", "conv/a_1#0", "conv/ab", "/"),
        "",
    ],
}


def test_a_hit_covers_the_longest_document_it_is_part_of_and_metadata_name_evidence_too():
    for document, doc_id in ((document, doc_id) for document, ids in BY_ID.items() for doc_id in ids):
        assert covered(Hit(doc_id)) == ([document] if document else []), doc_id
    for doc_id, metadata, wanted in [
        ("chunk 9", {"turn_ids": ["D1:4#0", "D1:4#1", "D1:4"]}, ["D1:4"]),
        ("chunk 9", {"turn_ids": ["D1:4"], "dia_id": "D1:3"}, ["D1:3", "D1:4"]),  # in the order of the fields
        ("chunk 9", {"turn_ids": [7, None, {}], "elsewhere": "D1:3"}, []),
        ("D1:4", {"dia_id": "D1:4", "turn_ids": ["D1:4#1", "a"]}, ["D1:4", "a"]),  # the id first, each once
        ("D1:5", {"dia_id": "D1:3"}, ["D1:3"]),  # a document that is no evidence
    ]:
        assert covered(Hit(doc_id, metadata=metadata)) == [f"conv/{one}" for one in wanted], (doc_id, metadata)
    for field in FIELDS + FIELDS_OF_MEMORYBENCH:
        for value in ("D1:3", ["D1:5", "D1:3"], ("conv/D1:3#2",)):
            assert covered(Hit("m", metadata={field: value})) == ["conv/D1:3"], field


def test_bare_ids_need_a_scope_and_evidence_need_not_be_a_document():
    bare = Query("q", evidence=("conv/D1:3",))
    assert covered(Hit("D1:3"), bare) == []
    assert covered(Hit("conv/D1:3#0"), bare) == ["conv/D1:3"]
    assert covered(Hit("x#2"), Query("q", evidence=["gone/x"], scope="gone")) == ["gone/x"]
    assert covered(Hit("a#1"), Query("q", evidence=["a"]), {"a", "b"}) == ["a"]
    for evidence in (None, ()):
        assert covered(Hit("D1:3"), Query("p", evidence=evidence, scope="conv")) == []


TURNS = {"q/session/3", "q/session/30", "q/answer_02/1", "q/answer_02_1/3"}


def test_a_turn_may_be_written_behind_an_underscore():
    query = Query("q", evidence=sorted(TURNS), scope="q")
    turns = {"session/3": ["session_3", "q/session_3", "session/3", "session_3#0"], "session/30": ["session_30"]}
    turns |= {"answer_02/1": ["answer_02_1"], "answer_02_1/3": ["answer_02_1_3", "answer_02_1/3"]}
    turns |= {None: ["session_4", "session_3b", "answer_02_3"]}
    for document, spellings in turns.items():
        for spelling in spellings:
            for hit in (Hit(spelling), Hit("m", metadata={"turn_ids": [spelling]})):
                assert covered(hit, query, TURNS) == ([f"q/{document}"] if document else []), spelling
    both = Query("q", evidence=["q/s/3", "q/s_3"], scope="q")  # another spelling is tried second
    assert covered(Hit("s_3"), both, {"q/s_3", "q/s/3"}) == ["q/s_3"]
    assert covered(Hit("s/3"), both, {"q/s_3", "q/s/3"}) == ["q/s/3"]


def test_who_owns_relevance():
    assert pack_of(["d1"], Query("q")) is None
    pack = pack_of(["d1"], Query("q3", evidence=["d1"]))
    counts = [pack.n_evidence(Query("q", evidence=evidence)) for evidence in (None, (), ("a", "b", "a"))]
    assert (pack.name, counts) == ("evidence", [None, 0, 2])
    dataset = BenchmarkDataset(queries={"q": Query("q", evidence=["d1"])}, pack=Pack("own", lambda *_: True, lambda _: 1))
    assert dataset.owner_of_relevance is dataset.pack


def test_a_dataset_made_in_code_is_judged_by_its_evidence(tmp_path):
    made = BenchmarkDataset("Code", queries={"q": Query("q", evidence=["g/d1", "g/d2"], expected="cat", scope="g")})
    for number in range(1, 4):
        made.add_document(Document(f"g/d{number}", "text", group="g"))
    made.save_json(tmp_path / "d.json")
    run = {"q": [Hit("g/d3"), Hit("d1#7", -1.0), Hit("m", -2.0, metadata={"session_ids": ["d2"]})]}
    for dataset in (made, BenchmarkDataset.from_json(tmp_path / "d.json")):
        result = assay.evaluate(dataset, run, ["mrr", "recall", "precision@3"])
        assert result.summary == {"mrr": 0.5, "recall": 1.0, "precision@3": pytest.approx(2 / 3)}
        assert result.relevance["strategy_used"] == "pack"


def test_evidence_that_names_documents_counts_as_judgments():
    dataset = load_dataset(SAMPLES / "locomo10.json")
    evidence = {key: set(query.evidence) for key, query in dataset.queries.items() if query.evidence is not None}
    assert {key: dataset.get_relevant_docs(key) for key in evidence} == evidence
    statistics = dataset.get_statistics()
    n_judgments = sum(map(len, evidence.values()))
    assert (statistics["num_judged_queries"], statistics["num_judgments"]) == (len(evidence), n_judgments)
    assert (statistics["num_relevant"], statistics["grade_distribution"]) == (n_judgments, {1: n_judgments})
    assert statistics["judgments_per_query"] == n_judgments / len(evidence)
    assert dataset.qrels == {}


def test_evidence_counts_only_if_it_is_in_the_corpus_and_judgments_come_first():
    dataset = BenchmarkDataset(documents={doc: Document(doc, "text") for doc in ("d1", "d2")})
    for query in (Query("gone", evidence=["d9", "d1", "d1"]), Query("judged", evidence=["d1"]), Query("empty", evidence=[])):
        dataset.add_query(query)
    dataset.qrels["judged"] = {"d2": 2, "d1": 0}
    assert [dataset.get_relevant_docs(query) for query in ("gone", "judged", "empty", "?")] == [{"d1"}, {"d2"}, set(), set()]
    assert dataset.get_relevant_docs("gone", min_grade=2) == set()
    assert [dataset.get_relevance_grade("gone", doc) for doc in ("d1", "d9")] == [1, 0]
    statistics = dataset.get_statistics()
    assert (statistics["num_judged_queries"], statistics["num_judgments"], statistics["num_relevant"]) == (3, 3, 2)
