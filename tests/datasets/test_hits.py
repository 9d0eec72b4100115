"""Hits: rankings whose entries bring their text along, in the shapes that retrievers and RAG tools hand over."""

import json

import assay
from assay import Hit, Run
from assay.files import as_source, brings_hits, hits_of
from assay.model import IDS, SCORES, TEXTS

from ._cases import write

ENTRIES = [{"id": "a", "content": "red", "score": 2}, {"id": "b", "content": "blue", "score": 1.5}]
WANTED = {"q": [Hit("a", 2.0, "red"), Hit("b", 1.5, "blue")]}
QUERIES = ("query_id", "question_id", "qid", "case_id", "id")
BARE = ("retrieved_contexts", "retrievedContext", "contexts", "retrieval_context")
LISTS = ("hits", "results", "retrieved", *BARE, "documents")

SHAPES = {
    "query to hits": {"q": ENTRIES},
    "objects": WANTED,
    "tuples": {"q": tuple(ENTRIES)},
    "rows of hits": [{"query_id": "q", "doc_id": one["id"], **{k: one[k] for k in ("content", "score")}} for one in ENTRIES],
    "queries with hits": [{"query_id": "q", "hits": ENTRIES}],
    "a query in two rows": [{"query_id": "q", "hits": ENTRIES[:1]}, {"query_id": "q", "hits": ENTRIES[1:]}],
}


def test_every_shape_reads_the_same(tmp_path):
    for form, source in SHAPES.items():
        assert (hits_of(source), brings_hits(source)) == (WANTED, True), form
    rows = [{"query_id": "q", "hits": ENTRIES}, {"query_id": "p", "hits": []}]
    for name, text in {"run.json": json.dumps(rows), "run.jsonl": "".join(f"{json.dumps(row)}\n\n" for row in rows)}.items():
        source = as_source(write(tmp_path / name, f"\ufeff{text}"))
        assert (hits_of(source), brings_hits(source)) == ({**WANTED, "p": []}, True), name


def test_fields_have_many_names():
    for name in IDS:
        assert hits_of({"q": [{name: 7, "content": "x"}]}) == {"q": [Hit("7", 0.0, "x")]}, name
    for name in TEXTS:
        assert hits_of([{"query_id": "q", "doc_id": "a", name: "x"}]) == {"q": [Hit("a", 0.0, "x")]}, name
    for name in SCORES:
        found = hits_of({"q": [{"id": "a", name: 0}, {"id": "b", name: -1.5, "text": "x"}]})
        assert found == {"q": [Hit("a", 0.0), Hit("b", -1.5, "x")]}, name
    for name in QUERIES:
        for hits in LISTS:
            found = hits_of([{name: "q", hits: ENTRIES}, {name: 2, hits: ENTRIES}])
            assert found == {**WANTED, "2": WANTED["q"]}, (name, hits)


def test_what_is_missing_is_known_by_its_place_and_other_shapes_keep_their_meaning():
    assert list(hits_of([{"contexts": ENTRIES}, {"contexts": ENTRIES}])) == ["1", "2"]
    numbered = {"q": [Hit("q#1", 0.0, "x"), Hit("q#2", -1.0, "y")]}
    assert hits_of({"q": [{"content": "x"}, {"content": "y"}]}) == numbered
    for name in BARE:
        assert hits_of([{"query_id": "q", name: ["x", "y"]}]) == numbered, name  # contexts may be bare texts
    assert hits_of({"q": [{"id": "a"}, {"id": "b", "text": None}]}) == {"q": [Hit("a", 0.0), Hit("b", -1.0)]}
    mixed = {"q": ENTRIES, "ids": ["x", "y"], "scored": {"x": 3.0, 7: 2.0}, "none": []}
    others = {"ids": [Hit("x", 0.0), Hit("y", -1.0)], "scored": [Hit("x", 3.0), Hit("7", 2.0)], "none": []}
    assert hits_of(mixed) == {**WANTED, **others}
    for metadata, kept in (({"turn": 3}, {"turn": 3}), ("?", None)):
        assert hits_of({"q": [{"id": "a", "text": "x", "metadata": metadata}]})["q"][0].metadata == kept


def test_ids_and_scores_alone_are_left_to_others(tmp_path):
    rows = [{"query_id": "q", "doc_id": "a", "score": 1.0}]
    plain = [{"q": {"a": 1.0}}, {"q": ["a", "b"]}, {"q": [("a", 1.0)]}, rows, [("q", "a", 1.0)], Run({"q": {"a": 1.0}})]
    columns = {"query_id": ["q"], "doc_id": ["a"], "score": [1.0]}
    files = {"run.txt": "q Q0 a 1 1.0 t\n", "run.csv": "query,doc_id,score\nq,a,1\n", "run.json": '{"q": {"a": 1}}'}
    read = [as_source(write(tmp_path / name, content)) for name, content in files.items()]
    for source in (*plain, columns, {}, [], "run.txt", 5, *read):
        assert (hits_of(source), brings_hits(source)) == (None, False), source
    for name, content in {"run.json": '{"q": [{"text"', "run.jsonl": '{"q": 1\n'}.items():  # others say it better
        assert hits_of(as_source(write(tmp_path / name, content))) is None


def test_what_is_no_hit_is_refused(snapshots):
    hits = {
        "a score": [{"id": "a", "text": "x", "score": "high"}],
        "nan": [{"id": "a", "text": "x", "score": float("nan")}],
        "a number": [{"id": "a", "text": "x"}, 5],
        "an id": [{"id": 1.5, "text": "x"}],
    }
    cases = {case: lambda some=some: hits_of({"q": some}) for case, some in hits.items()}
    cases["no list"] = lambda: hits_of({"q": ENTRIES, "p": "abc"})
    cases["columns"] = lambda: hits_of({"7": {"ids": ["a"], "distances": [1, 2]}})
    snapshots.check_errors("files/faults_of_hits", cases)


CHROMA = {
    "ids": [["x1", "x2", "x3"]],
    "metadatas": [[{"hpo_id": "HP:0001250"}, {"hpo_id": "HP:0002197"}, {"hpo_id": "HP:0001250"}]],
    "distances": [[0.3, 0.2, 0.1]],
}
"""As Chroma answers about an index of names, several of which belong to one term."""


def test_columns_are_hits_and_the_term_that_metadata_name_is_the_id(tmp_path):
    for source in ({"0": CHROMA}, as_source(write(tmp_path / "run.json", json.dumps({"0": CHROMA})))):
        assert brings_hits(source)
        (hits,) = hits_of(source).values()
        assert [(hit.doc_id, hit.score) for hit in hits] == [("HP:0002197", -0.2), ("HP:0001250", -0.1)]
        found = assay.evaluate({"0": {"HP:0001250": 1}}, source, ["mrr", "hit@1"])
        assert found.summary == {"mrr": 1, "hit@1": 1}
