"""Files of answers, routes, hits and ids that somebody, or a disk, has changed: read, or refused as data."""

import pytest
from fuzz.changes import CHANGES, mutated, places, written
from hypothesis import given
from hypothesis import strategies as st

from assay import AssayError, DataError
from assay.evaluation import read_id_map
from assay.files import FileSource, hits_of, read_answers, read_routes
from assay.ontology import load_ontology

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
HITS = [{"query_id": "q1", "results": [{"id": "a", "score": 1.0, "text": "t", "metadata": {"a": 1}}]}]
TERM = "http://purl.obolibrary.org/obo/X_"
META = {"definition": {"val": "d", "xrefs": ["y"]}, "synonyms": [{"pred": "hasExactSynonym", "val": "s", "xrefs": []}]}
NODES = [{"id": f"{TERM}1", "lbl": "a", "type": "CLASS", "meta": META}, {"id": f"{TERM}2", "lbl": "b", "type": "CLASS"}]
EDGES = [{"sub": f"{TERM}2", "pred": "is_a", "obj": f"{TERM}1"}]
GRAPHS = {"graphs": [{"id": "http://x/x.obo", "meta": {"version": "v1"}, "nodes": NODES, "edges": EDGES}]}


def lined(tree):
    return written(tree) + b"\n"


READERS = {
    "ontology": (GRAPHS, written, "o.json", load_ontology),
    "replies": (REPLY, lined, "r.jsonl", read_answers),
    "replies in a list": ([REPLY], written, "r.json", read_answers),
    "replies by query": ({"answers": {"q1": REPLY}}, written, "r.json", read_answers),
    "routes": (ROUTE, lined, "r.jsonl", read_routes),
    "routes in a list": ([ROUTE], written, "r.json", read_routes),
    "documents of chunks": ({"c1": "d1", "c2": 2}, written, "m.json", read_id_map),
    "hits": (HITS, written, "h.json", lambda path: hits_of(FileSource.at(path))),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder, also for what is cached."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield tmp_path_factory.mktemp("changed")


@given(st.data())
def test_any_change_is_read_or_refused(folder, data):
    for name, (tree, write, file, read) in READERS.items():
        place = data.draw(st.sampled_from(sorted(places(tree), key=repr)))
        change = data.draw(st.sampled_from(CHANGES))
        (folder / file).write_bytes(write(mutated(tree, place, change)))
        try:
            read(folder / file)
            code = 0
        except AssayError as error:
            code = error.exit_code
        assert code in (0, 2, 3), (name, place, change)


def test_every_form_is_read_and_what_used_to_end_in_a_traceback_is_refused(folder):
    for tree, write, file, read in READERS.values():
        (folder / file).write_bytes(write(tree))
        read(folder / file)
    for name, place, change in (
        ("ontology", ("graphs", 0, "nodes", 0, "meta"), "deep"),
        ("documents of chunks", ("c1",), "deep"),
        ("replies", ("reference",), "long"),
        ("replies", ("reference", 0), "long"),
    ):
        tree, write, file, read = READERS[name]
        (folder / file).write_bytes(write(mutated(tree, place, change)))
        with pytest.raises(DataError, match=file):
            read(folder / file)
