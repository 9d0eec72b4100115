"""Judging: a dataset and a run become judgments, whoever decides; chunks, documents, maps; and what a result says of it."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Document, Hit, Policy, Query, UnknownName, UsageError
from assay.datasets import BenchmarkDataset
from assay.evaluation import Relevance, judge, read_id_map
from assay.files import FileSource
from assay.model import Pack

JUDGED = BenchmarkDataset("Judged", queries={"q": Query("q")}, qrels={"q": {"d1": 2, "d2": 1}})
CHUNKS = {"q": {"d1#0": 4.0, "d1#1": 3.0, "d9#0": 2.0, "d2#4": 1.0}}
BY_CHUNK, BY_DOCUMENT = Relevance(unit="chunk"), Relevance(unit="document")
TOKENS = Relevance("token", unit="document")


def worded():
    """A query with an expected answer, and documents."""
    dataset = BenchmarkDataset("Worded", queries={"q": Query("q", expected="red cat")})
    for doc, text in {"d1": "red cat", "d2": "a red cat", "d3": "blue dog"}.items():
        dataset.add_document(Document(doc, text))
    return dataset


def of_one(judged, name="One"):
    return BenchmarkDataset(name, queries={"q": Query("q")}, qrels={"q": judged})


def mrr(dataset, run, relevance="auto", **options):
    return assay.evaluate(dataset, run, "mrr", relevance=relevance, **options)["mrr"]


def judged(dataset, run, relevance, policy=None, k=None):
    return judge(dataset, run, relevance, policy or Policy(), k)


def test_faults_of_relevance(tmp_path, snapshots):
    contents = {
        "one column": "c1 d1\n\nc2\n",
        "three columns": "c1 d1 d2",
        "no JSON": '{"c1": ',
        "a list for a document": '{"c1": ["d1"]}',
        "null for a document": '{"c1": null}',
        "lists": "[1, 2]\n[3]",
        "another encoding": "\udce4 d",
    }

    def reading(case):
        path = tmp_path / case
        path.write_bytes(contents[case].encode(errors="surrogateescape"))
        return lambda: mrr(JUDGED, {"q": ["c1"]}, Relevance(id_map=path))

    cases = {f"a map: {case}": reading(case) for case in contents}
    cases |= {
        "a map that is not there": lambda: read_id_map(tmp_path / "none"),
        "a map that is a folder": lambda: read_id_map(tmp_path),
        "a unit that does not exist": lambda: Relevance(unit="page"),
        "judgments alone": lambda: mrr({"q": {"d1": 1}}, {"q": ["d1"]}, "token"),
    }
    snapshots.check_errors("evaluate/relevance", cases)
    for rule in (Relevance("qrels"), BY_CHUNK):
        with pytest.raises(UsageError):
            mrr({"q": {"d1": 1}}, {"q": ["d1"]}, rule)
    for rule in ("tokn", Relevance("tokn")):
        with pytest.raises(UnknownName) as error:
            mrr(worded(), {"q": ["d1"]}, rule)
        assert error.value.near[0] == "token"


class OnlyIds(dict):
    """Documents whose ids are known, but whose texts nobody may look at."""

    __iter__ = __getitem__ = get = keys = items = values = None


def test_where_judgments_decide_no_text_is_read(tmp_path):
    known = OnlyIds(dict.fromkeys(("d1", "d2", "x")))
    dataset = BenchmarkDataset("Judged", queries=JUDGED.queries, qrels=JUDGED.qrels, documents=known)
    for rule in ("auto", " qrels ", Relevance("qrels")):
        assert mrr(dataset, {"q": ["x", "d1"]}, rule) == 0.5, rule
    (tmp_path / "run.txt").write_text("q Q0 d1 1 1.0 tag\n")
    for run in (FileSource.at(tmp_path / "run.txt"), {"q": {"d1": 1.0}}):
        assert judged(JUDGED, run, Relevance()).run is run


def test_a_dataset_scores_as_its_judgments_do():
    run = {"q": {"x": 3.0, "d2": 2.0, "d1": 1.0}}
    metrics = ["ndcg@10", "map", "err", "bpref", "recall@2"]
    plain = assay.evaluate(JUDGED.qrels, run, metrics)
    assert plain.relevance == {}
    assert "relevance" not in plain.to_dict()
    for rule in ("auto", "qrels", BY_CHUNK, BY_DOCUMENT):
        assert assay.evaluate(JUDGED, run, metrics, relevance=rule).summary == plain.summary, rule


HITS = {
    "ids and texts": {"q": [{"id": "d2", "content": "x"}, {"id": "d1", "content": "red cat"}]},
    "hits": {"q": [Hit("d2", 2.0, "x"), Hit("d1", 1.0, "red cat")]},
    "queries with hits": [{"query_id": "q", "results": [{"id": "d2", "text": "x"}, {"id": "d1", "text": "red cat"}]}],
}


def test_hits_that_bring_text_are_scored_by_it_and_by_their_ids(tmp_path):
    by_id = BenchmarkDataset("Judged", queries={"q": Query("q", expected="x")}, qrels={"q": {"d1": 1}})
    for case, run in HITS.items():
        (tmp_path / "run.json").write_text(json.dumps(run, default=dataclasses.asdict))
        for source in (run, tmp_path / "run.json"):
            assert mrr(worded(), source, "token") == mrr(by_id, source) == 0.5, (case, source)


def test_metadata_of_hits_reach_a_pack():
    pack = Pack("meta", lambda query, hit: (hit.metadata or {}).get("turn"), lambda query: 1)
    dataset = BenchmarkDataset("Meta", queries={"q": Query("q")}, pack=pack)
    run = {"q": [{"content": "a"}, {"content": "b", "metadata": {"turn": "D1:3"}}]}
    assert assay.evaluate(dataset, run, ["mrr", "recall"]).summary == {"mrr": 0.5, "recall": 1.0}
    evidence = BenchmarkDataset("Meta", queries={"q": Query("q", evidence=["e1"])})
    assert mrr(evidence, {"q": [Hit("x#0", 2.0, "a", {"evidence": "e1"}), Hit("y#0", 1.0, "b")]}, BY_DOCUMENT) == 1.0


def test_units_by_hand():
    metrics = ["precision@2", "recall@3", "ndcg@4"]
    assert assay.evaluate(JUDGED, CHUNKS, metrics).summary == {"precision@2": 0.0, "recall@3": 0.0, "ndcg@4": 0.0}
    chunk = assay.evaluate(JUDGED, CHUNKS, metrics, relevance=BY_CHUNK)
    assert (chunk["precision@2"], chunk["recall@3"]) == (0.5, 0.5)
    document = assay.evaluate(JUDGED, CHUNKS, metrics, relevance=BY_DOCUMENT)
    assert (document["precision@2"], document["recall@3"]) == (0.5, 1.0)
    assert chunk["ndcg@4"] == pytest.approx((2 + 1 / 2.321928094887362) / (2 + 1 / 1.584962500721156))
    assert document["ndcg@4"] == pytest.approx((2 + 1 / 2) / (2 + 1 / 1.584962500721156))


def test_of_tied_chunks_the_first_by_the_tie_rule_counts():
    """It alone is credited, and it lends the document its text."""
    run = {"q": {"d1#0": 1.0, "d1#1": 1.0, "d1#2": 1.0}}
    texts = {"q": [Hit("x#1", 1.0, "blue"), Hit("x#0", 1.0, "red cat")]}
    for ties, grade in {"docid_desc": 0.0, "docid_asc": 1.0, "input_order": 0.0}.items():
        policy = Policy(ties=ties)
        result = assay.evaluate(JUDGED, run, ["mrr", "precision@3"], relevance=BY_CHUNK, policy=policy)
        assert result.summary == {"mrr": 1.0, "precision@3": 1 / 3}, ties
        assert judged(worded(), texts, TOKENS, policy).qrels["q"]["x"] == grade, ties


MAP = {"c1": "d1", "c2": "d1", "c3": "d2"}
FILES = {
    "JSON": json.dumps(MAP),
    "JSON with a mark in front": "\ufeff" + json.dumps(MAP),
    "blanks": "c1 d1\n\nc2   d1\nc3 d2\n",
    "tabs": "c1\td1\r\nc2\td1\r\nc3\td2",
}


def test_a_map_is_read_from_json_or_two_columns(tmp_path):
    path = tmp_path / "map"
    for case, content in FILES.items():
        path.write_bytes(content.encode())
        assert read_id_map(path) == MAP, case
        for known in (MAP, path, str(path)):
            relevance = Relevance(unit="chunk", id_map=known)
            result = assay.evaluate(JUDGED, {"q": ["c1", "c2", "c3", "d2"]}, ["precision@4", "recall"], relevance=relevance)
            assert result.summary == {"precision@4": 0.5, "recall": 1.0}, case
    path.write_text("chunk 1\tmy doc\n")
    assert read_id_map(path) == {"chunk 1": "my doc"}


def test_without_a_map_the_id_says_which_document_a_chunk_belongs_to():
    for chunk in ("d1#3", "d1::3", "d1_chunk_3", "d1/chunk3", "d1-chunk-3", "d1@3", "d1|3"):
        assert mrr(of_one({"d1": 1}), {"q": ["x", chunk]}, BY_DOCUMENT) == 0.5, chunk
    dataset = of_one({"a#1": 1})
    dataset.add_document(Document("b#1", "text"))
    for relevance in (BY_CHUNK, BY_DOCUMENT):  # an id that is a document is no chunk
        found = judged(dataset, {"q": ["b#1", "a#1"]}, relevance)
        assert (list(found.run["q"]), found.qrels["q"]["a#1"]) == (["b#1", "a#1"], 1)


@given(st.dictionaries(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), st.floats(-5, 5), min_size=1, max_size=10))
def test_a_rolled_up_document_has_its_best_score(scores):
    run = {"q": {f"{doc}#{part}": score for (doc, part), score in scores.items()}}
    found = judged(of_one({"a": 1, "b": 1, "c": 0}), run, BY_DOCUMENT)
    assert dict(found.run["q"]) == {doc: max(s for (one, _), s in scores.items() if one == doc) for doc, _ in scores}
    assert dict(found.chunks) == run


def test_a_rolled_up_document_says_what_its_best_chunk_says():
    run = {"q": [Hit("d1#0", 1.0, "blue"), Hit("d3#0", 2.0, "red cat"), Hit("d3#1", 1.5, "grey")]}
    assert judged(worded(), run, TOKENS).qrels["q"] == {"d3": 1.0, "d1": 0.0, "d2": 1.0}
    result = assay.evaluate(worded(), run, "mrr", relevance=TOKENS)
    assert (result["mrr"], result.relevance["counted_over"]) == (1.0, {"scope": 1})
    for silent in ({"q": ["d3#0", "d1#0"]}, {"q": [Hit("d3#0", 2.0), Hit("d1#0", 1.0)]}):  # then the document's text is read
        assert mrr(worded(), silent, TOKENS) == 0.5
    unknown = judged(worded(), {"q": [Hit("x#0", 2.0, "red old cat"), Hit("x#1", 1.0, "blue"), Hit("y#0", 0.0)]}, TOKENS)
    assert unknown.qrels["q"] == {"x": 1.0, "y": 0.0}
    assert unknown.resolved.counted_over == {"retrieved": 1}


def test_the_raw_ranking_of_chunks_is_in_the_result():
    for run in (CHUNKS, {"q": [Hit(chunk, score, "text") for chunk, score in CHUNKS["q"].items()]}):
        result = assay.evaluate(JUDGED, run, "mrr", relevance=BY_DOCUMENT)
        assert result.run == result.to_dict()["run"] == CHUNKS
        for unit in ("as_retrieved", "chunk"):
            assert assay.evaluate(JUDGED, run, "mrr", relevance=Relevance(unit=unit)).run == {}


def test_rolled_up_documents_are_cut_back_to_the_number_asked_for():
    """By the rule that ranks documents, not by that of their chunks; the chunks stay."""
    run = {"q": {"a#1": 3.0, "a#2": 2.0, "b#9": 1.0, "c#0": 1.0}, "r": {"a#1": 1.0}}
    dataset = BenchmarkDataset(queries={"q": Query("q"), "r": Query("r")}, qrels={"q": {"a": 1, "b": 1, "c": 1}, "r": {}})
    for ties, kept in {"docid_desc": ["a", "c"], "docid_asc": ["a", "b"]}.items():
        found = judged(dataset, run, BY_DOCUMENT, Policy(ties=ties), 2)
        assert [sorted(ranking) for ranking in found.run.rankings] == [kept, ["a"]], ties
        assert [dict(ranking) for ranking in found.chunks.rankings] == list(run.values())
        whole = judged(dataset, run, BY_DOCUMENT, Policy(ties=ties)).run
        assert [len(ranking) for ranking in whole.rankings] == [3, 1]


def test_notes_on_relevance(tmp_path, snapshots):
    mixed = BenchmarkDataset("Mixed", qrels={"q1": {"d": 1}})
    for query in (Query("q1"), Query("q2", expected="cat"), *(Query(f"x{number}") for number in range(7))):
        mixed.add_query(query)
    several = assay.evaluate(mixed, {"q1": ["d"], "q2": [Hit("c", 1.0, "cat")]}, "mrr")
    assert list(several.query_ids) == ["q1", "q2"]
    (tmp_path / "run.txt").write_text("q Q0 d2_chunk_3 1 2.0 tag\n")
    results = {
        "chunk ids that never match": assay.evaluate(JUDGED, CHUNKS, "mrr"),
        "chunk ids in a file": assay.evaluate(JUDGED, tmp_path / "run.txt", "mrr"),
        "ids that are no chunks": assay.evaluate(JUDGED, {"q": ["x#1"]}, "mrr"),
        "several means, upper bounds, undecided queries": several,
    }
    told = [f"## {case}\n" + "".join(f"{note}\n" for note in result.notes) for case, result in results.items()]
    snapshots.check("evaluate/notes_on_relevance", "\n".join(told))
    quiet = [(JUDGED, CHUNKS, BY_CHUNK), (JUDGED, CHUNKS, BY_DOCUMENT), (worded(), {"q": ["d1"]}, "token")]
    for dataset, run, relevance in (*quiet, (JUDGED, {"q": ["d1"]}, "auto")):
        assert assay.evaluate(dataset, run, "mrr", relevance=relevance).notes == (), relevance
