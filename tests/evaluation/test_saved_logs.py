"""Logs, caches and maps that somebody, or a disk, has changed: a log is read up to there, a cache costs time, never more."""

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from fuzz.changes import CHANGES, DEEP, LONG, mutated, places, written
from hypothesis import given
from hypothesis import strategies as st

from assay import AssayError, DataError
from assay.cli.alert_channels import read_sent_alerts
from assay.evaluation import read_id_map
from assay.execution.checkpoint import Checkpoint
from assay.execution.responses import ResponseLog, _encode_line
from assay.files import FileSource, hits_of, read_answers, read_routes
from assay.ontology.reading import read_ontology
from assay.providers.embeddings import EmbeddingCache
from assay.store import list_running, parse_location
from assay.store.progress import folder_of

HEADER = {
    "schema": "assay.answers/1",
    "plan": {"benchmarks": ["a"], "selection": {"range": "0:2"}, "k": 10},
    "providers": ["bm25"],
    "datasets": {"a": {"queries": "aa"}},
    "files": {"mine.py": "bb"},
    "versions": {"assay": "0.1.0"},
    "queries": {"a/bm25": 2},
}
ANSWERS = {
    "part": "a/bm25",
    "answers": [
        {
            "query": "q1",
            "docs": ["a", "b"],
            "scores": [1.0, 0.5],
            "ms": 1.5,
            "extra": {"a": {"text": "x", "page": 1}},
            "n_together": 2,
            "said": {"answer": "x"},
        },
        {"query": "q2", "error": "down", "is_final": True},
    ],
}
GRAPHS = {
    "graphs": [
        {
            "id": "http://x/x.obo",
            "meta": {"version": "v1"},
            "nodes": [
                {
                    "id": "http://purl.obolibrary.org/obo/X_1",
                    "lbl": "a",
                    "type": "CLASS",
                    "meta": {
                        "definition": {"val": "d", "xrefs": ["y"]},
                        "synonyms": [{"pred": "hasExactSynonym", "val": "s", "xrefs": []}],
                    },
                },
                {"id": "http://purl.obolibrary.org/obo/X_2", "lbl": "b", "type": "CLASS"},
            ],
            "edges": [
                {"sub": "http://purl.obolibrary.org/obo/X_2", "pred": "is_a", "obj": "http://purl.obolibrary.org/obo/X_1"}
            ],
        }
    ]
}
REPLY = {
    "query_id": "q1",
    "question": "what",
    "answer": "Paris",
    "confidence": 0.5,
    "abstained": False,
    "reference": ["Paris", "paris"],
    "retrieved_ids": ["a", {"id": "b", "score": 1.0}],
    "metadata": {"a": 1, "b": [1]},
}
ROUTE = {
    "query_id": "q1",
    "route": "code",
    "optimal_expert": ["code", "chat"],
    "gated": False,
    "needs_retrieval": True,
    "confidence": 0.5,
    "cost": 1.5,
    "text": "words",
    "tags": {"a": "b"},
}
RUNNING = {"id": "1", "started": "2026", "n_parts": 2, "parts": [["a", 1, 1, 0, 0, 0.5, ""]]}
HITS = [{"query_id": "q1", "results": [{"id": "a", "score": 1.0, "text": "t", "metadata": {"a": 1}}]}]


def read_log(path):
    log = ResponseLog(path)
    _, answers = log.read()
    for answer in (one for part in answers.values() for one in part.values()):
        len(answer.ranking) + len(answer.hits)
    Checkpoint(ResponseLog(path.with_name("other.log")), HEADER, is_named=False)._check_no_unfinished_match()
    Checkpoint(log, HEADER, is_named=True).resume(lambda _: None)


def read_running(path):
    place = parse_location(path.with_name("store.db"))
    folder_of(place).mkdir(exist_ok=True)
    (folder_of(place) / "one.json").write_bytes(path.read_bytes())
    json.dumps([one.to_dict() for one in list_running(place)])


def lined(tree):
    return written(tree) + b"\n"


READERS = {
    "header": (HEADER, lambda tree: _encode_line(written(tree)) + _encode_line(written(ANSWERS)), "a.log", read_log),
    "answers": (ANSWERS, lambda tree: _encode_line(written(HEADER)) + _encode_line(written(tree)), "a.log", read_log),
    "ontology": (GRAPHS, written, "o.json", lambda path: read_ontology(path, cached=False)),
    "replies": (REPLY, lined, "r.jsonl", read_answers),
    "replies in a list": ([REPLY], written, "r.json", read_answers),
    "replies by query": ({"answers": {"q1": REPLY}}, written, "r.json", read_answers),
    "routes": (ROUTE, lined, "r.jsonl", read_routes),
    "routes in a list": ([ROUTE], written, "r.json", read_routes),
    "running": (RUNNING, written, "r.json", read_running),
    "told": ({"schema": "assay.watch/1", "told": {"a": ["x"]}}, written, "t.json", read_sent_alerts),
    "documents of chunks": ({"c1": "d1", "c2": 2}, written, "m.json", read_id_map),
    "hits": (HITS, written, "h.json", lambda path: hits_of(FileSource.at(path))),
}


@pytest.mark.parametrize("name", READERS)
@given(st.data())
def test_any_change_is_read_or_refused_in_our_words(tmp_path_factory, name, data):
    tree, write, file, read = READERS[name]
    place = data.draw(st.sampled_from(sorted(places(tree), key=repr)))
    path = Path(tmp_path_factory.getbasetemp() / file)
    path.write_bytes(write(mutated(tree, place, data.draw(st.sampled_from(CHANGES)))))
    try:
        read(path)
    except AssayError as error:
        said = error.exit_code
    else:
        said = 0
    assert said in (0, 2, 3)


@pytest.mark.parametrize("name", READERS)
def test_every_form_is_read_as_it_is(tmp_path, name):
    tree, write, file, read = READERS[name]
    (tmp_path / file).write_bytes(write(tree))
    read(tmp_path / file)


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("ontology", ("graphs", 0, "nodes", 0, "meta"), DEEP),
        ("documents of chunks", ("c1",), DEEP),
        ("replies", ("reference",), LONG),
        ("replies", ("reference", 0), LONG),
    ],
)
def test_what_used_to_end_in_a_traceback_is_refused(tmp_path, name, place, value):
    tree, write, file, read = READERS[name]
    change = "deep" if value == DEEP else "long"
    (tmp_path / file).write_bytes(write(mutated(tree, place, change)))
    with pytest.raises(DataError, match=file.replace(".", r"\.")):
        read(tmp_path / file)


@pytest.mark.parametrize("change", ["deep", "word", "null", "list of one"])
@pytest.mark.parametrize("place", [("queries",), ("plan",), ("versions",), ("files",), ("queries", "a/bm25")])
def test_a_log_with_another_header_is_none(tmp_path, place, change):
    path = tmp_path / "a.log"
    path.write_bytes(_encode_line(written(mutated(HEADER, place, change))) + _encode_line(written(ANSWERS)))
    assert ResponseLog(path).read() == ({}, {})
    assert Checkpoint(ResponseLog(path), HEADER, is_named=True).resume(lambda _: None) == {}
    assert ResponseLog(path).header()["queries"] == HEADER["queries"]


@pytest.mark.parametrize("place", [("answers", 0, "scores", 0), ("answers", 0, "extra", "a", "text")])
def test_what_is_no_answer_ends_a_log_and_is_cut_off(tmp_path, place):
    """So that answers which are added behind it are found again."""
    path = tmp_path / "a.log"
    change = "delete" if "scores" in place else "zero"
    path.write_bytes(
        _encode_line(written(HEADER))
        + _encode_line(written(mutated(ANSWERS, place, change)))
        + _encode_line(written(ANSWERS))
    )
    log = ResponseLog(path)
    assert log.read() == (HEADER, {})
    log.truncate_damage()
    with path.open("ab") as file:
        file.write(_encode_line(written(ANSWERS)))
    assert list(log.read()[1]["a/bm25"]) == ["q1", "q2"]


@pytest.mark.parametrize("vector", [None, 5, 0.5, "text", b"abc"])
def test_a_vector_that_is_none_is_not_found(tmp_path, vector):
    cache = EmbeddingCache(tmp_path)
    cache.write({b"k": np.arange(3, dtype=np.float32)})
    with sqlite3.connect(cache.path) as database:
        database.execute("CREATE TABLE other AS SELECT * FROM vectors")
        database.execute("DROP TABLE vectors")
        database.execute("ALTER TABLE other RENAME TO vectors")
        database.execute("UPDATE vectors SET vector = ?", (vector,))
    database.close()
    assert cache.read([b"k"]) == {}
