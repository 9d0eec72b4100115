"""Hits: rankings whose entries bring their text along, in the shapes that retrievers and RAG tools hand over."""

import json

import pytest

import assay
from assay import DataError, Hit, Run
from assay.files import as_source
from assay.files.hits import IDS, LISTS, QUERIES, SCORES, TEXTS, brings_hits, hits_of

ENTRIES = [{"id": "a", "content": "red", "score": 2}, {"id": "b", "content": "blue", "score": 1.5}]
WANTED = {"q": [Hit("a", 2.0, "red"), Hit("b", 1.5, "blue")]}

SHAPES = {
    "query to hits": {"q": ENTRIES},
    "objects": WANTED,
    "tuples": {"q": tuple(ENTRIES)},
    "rows of hits": [{"query_id": "q", "doc_id": one["id"], **{k: one[k] for k in ("content", "score")}} for one in ENTRIES],
    "queries with hits": [{"query_id": "q", "hits": ENTRIES}],
    "a query in two rows": [{"query_id": "q", "hits": ENTRIES[:1]}, {"query_id": "q", "hits": ENTRIES[1:]}],
}


@pytest.mark.parametrize("source", SHAPES.values(), ids=SHAPES)
def test_every_shape_reads_the_same(source):
    assert hits_of(source) == WANTED
    assert brings_hits(source)


@pytest.mark.parametrize("ending", ["json", "jsonl"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_files_of_json_and_of_json_lines(tmp_path, ending, mark):
    path = tmp_path / f"run.{ending}"
    rows = [{"query_id": "q", "hits": ENTRIES}, {"query_id": "p", "hits": []}]
    path.write_text(mark + (json.dumps(rows) if ending == "json" else "".join(f"{json.dumps(row)}\n\n" for row in rows)))
    assert hits_of(as_source(path)) == {**WANTED, "p": []}
    assert brings_hits(as_source(path))


@pytest.mark.parametrize("name", IDS)
def test_ids_have_many_names(name):
    assert hits_of({"q": [{name: "a", "text": "x"}]}) == {"q": [Hit("a", 0.0, "x")]}
    assert hits_of({"q": [{name: 7, "text": "x"}]}) == {"q": [Hit("7", 0.0, "x")]}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_have_many_names(name):
    assert hits_of([{"query_id": "q", "doc_id": "a", name: "x"}]) == {"q": [Hit("a", 0.0, "x")]}


@pytest.mark.parametrize("name", SCORES)
def test_scores_have_many_names(name):
    assert hits_of({"q": [{"id": "a", name: 0}, {"id": "b", name: -1.5, "text": "x"}]}) == {
        "q": [Hit("a", 0.0), Hit("b", -1.5, "x")]
    }


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("hits", LISTS)
def test_queries_and_their_hits_have_many_names(name, hits):
    assert hits_of([{name: "q", hits: ENTRIES}, {name: 2, hits: ENTRIES}]) == {**WANTED, "2": WANTED["q"]}


def test_queries_without_an_id_are_numbered():
    assert list(hits_of([{"contexts": ENTRIES}, {"contexts": ENTRIES}])) == ["1", "2"]


def test_without_an_id_a_hit_is_known_by_its_place_and_without_a_score_by_its_rank():
    assert hits_of({"q": [{"content": "x"}, {"content": "y"}]}) == {"q": [Hit("q#1", 0.0, "x"), Hit("q#2", -1.0, "y")]}


@pytest.mark.parametrize("name", ["retrieved_contexts", "retrievedContext", "contexts", "retrieval_context"])
def test_contexts_may_be_bare_texts(name):
    assert hits_of([{"query_id": "q", name: ["red cat", "dog"]}]) == {
        "q": [Hit("q#1", 0.0, "red cat"), Hit("q#2", -1.0, "dog")]
    }


def test_metadata_come_along():
    assert hits_of({"q": [{"id": "a", "text": "x", "metadata": {"turn": 3}}]})["q"][0].metadata == {"turn": 3}
    assert hits_of({"q": [{"id": "a", "text": "x", "metadata": "?"}]})["q"][0].metadata is None


def test_a_hit_without_text_has_none():
    assert hits_of({"q": [{"id": "a"}, {"id": "b", "text": None}]}) == {"q": [Hit("a", 0.0), Hit("b", -1.0)]}


def test_queries_in_other_shapes_beside_hits_keep_their_meaning():
    mixed = {"q": ENTRIES, "ids": ["x", "y"], "scored": {"x": 3.0, 7: 2.0}, "none": []}
    assert hits_of(mixed) == {
        **WANTED,
        "ids": [Hit("x", 0.0), Hit("y", -1.0)],
        "scored": [Hit("x", 3.0), Hit("7", 2.0)],
        "none": [],
    }


PLAIN = {
    "scores": {"q": {"a": 1.0}},
    "ids": {"q": ["a", "b"]},
    "pairs": {"q": [("a", 1.0)]},
    "rows": [{"query_id": "q", "doc_id": "a", "score": 1.0}],
    "tuples": [("q", "a", 1.0)],
    "columns": {"query_id": ["q"], "doc_id": ["a"], "score": [1.0]},
    "a run": Run({"q": {"a": 1.0}}),
    "nothing": {},
    "no rows": [],
    "text": "run.txt",
    "no run at all": 5,
}


@pytest.mark.parametrize("source", PLAIN.values(), ids=PLAIN)
def test_ids_and_scores_alone_are_left_to_others(source):
    assert hits_of(source) is None
    assert not brings_hits(source)


@pytest.mark.parametrize(
    ("name", "content"),
    [("run.txt", "q Q0 a 1 1.0 t\n"), ("run.csv", "query,doc_id,score\nq,a,1\n"), ("run.json", '{"q": {"a": 1}}')],
)
def test_files_of_ids_and_scores_are_left_to_others(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    assert hits_of(as_source(tmp_path / name)) is None
    assert not brings_hits(as_source(tmp_path / name))


@pytest.mark.parametrize(("name", "content"), [("run.json", '{"q": [{"text"'), ("run.jsonl", '{"q": 1\n')])
def test_broken_json_is_left_to_those_who_say_it_better(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    assert hits_of(as_source(tmp_path / name)) is None


@pytest.mark.parametrize(
    ("hits", "said"),
    [
        ([{"id": "a", "text": "x", "score": "high"}], "run, query q: the score of a is 'high'; only a number can be ranked"),
        ([{"id": "a", "text": "x", "score": float("nan")}], "run, query q: the score of a is nan"),
        ([{"id": "a", "text": "x"}, 5], "run, query q: expected a hit with content, found 5"),
        ([{"id": 1.5, "text": "x"}], "an id is text or a whole number, not 1.5"),
    ],
)
def test_what_is_no_hit_is_refused(hits, said):
    with pytest.raises(DataError) as error:
        hits_of({"q": hits})
    assert said in str(error.value)


def test_a_query_whose_hits_are_no_list_is_refused():
    with pytest.raises(DataError, match="run, query p: expected a list of hits, found 'abc'"):
        hits_of({"q": ENTRIES, "p": "abc"})


CHROMA = {
    "ids": [["x1", "x2", "x3"]],
    "metadatas": [[{"hpo_id": "HP:0001250"}, {"hpo_id": "HP:0002197"}, {"hpo_id": "HP:0001250"}]],
    "distances": [[0.3, 0.2, 0.1]],
}
"""As Chroma answers about an index of names, several of which belong to one term."""


def test_columns_are_hits_and_the_term_that_metadata_name_is_the_id():
    (hits,) = hits_of({"0": CHROMA}).values()
    assert [(hit.doc_id, hit.score) for hit in hits] == [("HP:0002197", -0.2), ("HP:0001250", -0.1)]
    found = assay.evaluate({"0": {"HP:0001250": 1}}, {"0": CHROMA}, ["mrr", "hit@1"])
    assert found.summary == {"mrr": 1, "hit@1": 1}


def test_columns_in_a_file(tmp_path):
    (tmp_path / "run.json").write_text(json.dumps({"0": CHROMA}))
    assert brings_hits(as_source(tmp_path / "run.json"))
    assert assay.evaluate({"0": {"HP:0001250": 1}}, tmp_path / "run.json", ["mrr"])["mrr"] == 1


def test_columns_that_do_not_fit_name_their_query():
    with pytest.raises(DataError, match="run, query 7: the columns of the answer differ in length"):
        hits_of({"7": {"ids": ["a"], "distances": [1, 2]}})
