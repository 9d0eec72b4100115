"""ir_datasets: benchmarks of that package; here a small imitation of it, for the real one downloads."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from assay import Document, Query
from assay.datasets import load_dataset

from ._benchmarks import assert_same_content, claims


def row(name, fields):
    """A class of named tuples, as the package has one for each kind of record."""
    return NamedTuple(name, [(field, Any) for field in fields.split()])


TrecQuery, PlainQuery = row("TrecQuery", "query_id title description"), row("PlainQuery", "query_id text")
BeirDoc, WebDoc = row("BeirDoc", "doc_id text title"), row("WebDoc", "doc_id url title body raw places")
Qrel = row("Qrel", "query_id doc_id relevance iteration")


class OddDoc(row("OddDoc", "doc_id parts")):
    def default_text(self):
        return " ".join(self.parts)


class Imitation:
    """A benchmark with the methods of ir_datasets that are used."""

    def __init__(self, queries=(), docs=(), qrels=(), count=True):
        self.queries, self.docs, self.qrels, self.count = list(queries), list(docs), list(qrels), count
        self.n_passes = 0
        self.has_queries, self.has_docs, self.has_qrels = (lambda some=some: bool(some) for some in (queries, docs, qrels))
        self.queries_iter, self.qrels_iter = self.queries.__iter__, self.qrels.__iter__

    def docs_iter(self):
        self.n_passes += 1
        return iter(self.docs)

    def docs_count(self):
        return len(self.docs) if self.count else None

    def docs_store(self):
        return self

    def get(self, doc_id):
        """As the package's document store does it."""
        return {doc.doc_id: doc for doc in self.docs}[doc_id]


BEIR = Imitation(
    [PlainQuery("1", "zero-dimensional biomaterials"), PlainQuery("2", "Größe")],
    [BeirDoc("d1", "text one", "Title"), BeirDoc("d2", "text two", "")],
    [Qrel("1", "d1", 1, "0"), Qrel("1", "d2", 0, "0"), Qrel("2", "d9", -1, "0")],
)
WEB = Imitation(
    [TrecQuery("51", "horse hooves", "Find information …")],
    [WebDoc("w1", "http://x.org", "Horses", "All about", b"<p>\xff", (BeirDoc("in", "x", "y"),)), OddDoc("w2", ("a", "b"))],
    [Qrel("51", "w1", 1, "1"), Qrel("51", "w1", 2, "2"), Qrel("51", "w1", 0, "3")],
    count=False,
)
BENCHMARKS = {"beir/scifact/test": BEIR, "web": WEB, "corpus-only": Imitation(docs=[OddDoc("d", ())])}


@pytest.fixture(autouse=True)
def package(monkeypatch):
    """The imitation, in the place of the package."""
    module = ModuleType("ir_datasets")
    module.load = BENCHMARKS.__getitem__
    module.registry = BENCHMARKS
    monkeypatch.setitem(sys.modules, "ir_datasets", module)
    return module


def test_an_identifier_is_enough_and_other_fields_are_kept(tmp_path):
    for prefix in ("ir_datasets:", "irds:"):
        assert claims(Path(f"{prefix}web")) == ["ir_datasets"]
        dataset = load_dataset(f"{prefix}beir/scifact/test")
        assert (dataset.name, dataset.format, dataset.repairs) == ("beir/scifact/test", "ir_datasets", [])
        assert dataset.queries == {"1": Query("1", "zero-dimensional biomaterials"), "2": Query("2", "Größe")}
        wanted = {"d1": Document("d1", "text one", title="Title"), "d2": Document("d2", "text two")}
        assert dict(dataset.documents) == wanted
        assert dataset.qrels == {"1": {"d1": 1, "d2": 0}, "2": {"d9": -1}}
    dataset.save_json(tmp_path / "x.json")
    assert_same_content(load_dataset(tmp_path / "x.json"), dataset)
    dataset = load_dataset("irds:web")
    assert dataset.queries["51"] == Query("51", "horse hooves", metadata={"description": "Find information …"})
    more = {"raw": "<p>\ufffd", "places": [{"doc_id": "in", "text": "x", "title": "y"}]}
    assert dataset.documents["w1"] == Document("w1", "All about", "http://x.org", title="Horses", metadata=more)
    assert dataset.documents["w2"] == Document("w2", "a b", metadata={"parts": ["a", "b"]})
    assert dataset.qrels == {"51": {"w1": 2}}
    assert [repair.what for repair in dataset.repairs] == ["found 2 repeated judgments; the best grade of a document counts"]


def test_documents_are_read_when_they_are_asked_for_and_may_change():
    before = BEIR.n_passes
    documents = load_dataset("irds:beir/scifact/test").documents
    assert (len(documents), documents["d2"].text) == (2, "text two")
    assert [doc in documents for doc in ("d1", "d9", 5)] == [True, False, False]
    assert BEIR.n_passes == before
    assert [document.doc_id for document in documents.values()] == ["d1", "d2"]
    assert BEIR.n_passes == before + 1
    assert len(load_dataset("irds:web").documents) == 2  # without a count they are counted
    documents["new"], documents["d1"] = Document("new", "n"), Document("d1", "other")
    del documents["d2"]
    assert {doc: one.text for doc, one in documents.items()} == {"d1": "other", "new": "n"}
    assert (len(documents), documents["d1"].text, "d2" in documents) == (2, "other", False)
    for ask in (documents.__getitem__, documents.__delitem__):
        for doc in ("d2", "d9"):
            with pytest.raises(KeyError):
                ask(doc)


def test_what_may_go_wrong_is_explained(snapshots, package, monkeypatch):
    def failing(*_):
        raise OSError("no network")

    def without_package():
        monkeypatch.setitem(sys.modules, "ir_datasets", None)
        load_dataset("irds:web")

    def without_network():
        package.load = failing
        load_dataset("irds:web")

    def later(ask):
        broken = Imitation([PlainQuery("1", "?")], [BeirDoc("d", "", "")])
        broken.docs_iter = broken.docs_count = broken.docs_store = failing
        package.load = lambda name: broken
        return ask(load_dataset("irds:web").documents)

    cases = {
        "a slip": lambda: load_dataset("irds:beir/scifact/tset"),
        "documents alone": lambda: load_dataset("irds:corpus-only"),
        "no network": without_network,
        "no network for len": lambda: later(len),
        "no network for list": lambda: later(list),
        "no network for in": lambda: later(lambda documents: "d" in documents),
        "no package": without_package,
    }
    snapshots.check_errors("datasets/ir_datasets", cases)
