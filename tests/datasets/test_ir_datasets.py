"""ir_datasets: benchmarks of that package; here a small imitation of it, for the real one downloads."""

import sys
from types import ModuleType
from typing import NamedTuple

import pytest

from assay import Document, Query
from assay.datasets import PARTS, Probe, all_formats, detect_format, load_dataset


class TrecQuery(NamedTuple):
    query_id: str
    title: str
    description: str


class PlainQuery(NamedTuple):
    query_id: str
    text: str


class BeirDoc(NamedTuple):
    doc_id: str
    text: str
    title: str


class WebDoc(NamedTuple):
    doc_id: str
    url: str
    title: str
    body: str
    raw: bytes
    places: tuple[BeirDoc, ...] = ()


class OddDoc(NamedTuple):
    doc_id: str
    parts: tuple[str, ...]

    def default_text(self):
        return " ".join(self.parts)


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class Imitation:
    """A benchmark with the methods of ir_datasets that are used."""

    def __init__(self, queries=(), docs=(), qrels=(), count=True):
        self.queries, self.docs, self.qrels, self.count = list(queries), list(docs), list(qrels), count
        self.n_passes = 0

    def has_queries(self):
        return bool(self.queries)

    def has_docs(self):
        return bool(self.docs)

    def has_qrels(self):
        return bool(self.qrels)

    def queries_iter(self):
        return iter(self.queries)

    def qrels_iter(self):
        return iter(self.qrels)

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


@pytest.mark.parametrize("prefix", ["ir_datasets:", "irds:"])
def test_an_identifier_is_enough(prefix, tmp_path):
    probe = Probe(type(tmp_path)(f"{prefix}web"))
    assert {name for name, one in all_formats().items() if one.detect(probe)} == {"ir_datasets"}
    assert detect_format(probe.path).name == "ir_datasets"
    dataset = load_dataset(f"{prefix}beir/scifact/test")
    assert (dataset.name, dataset.format) == ("beir/scifact/test", "ir_datasets")
    assert dataset.queries == {"1": Query("1", "zero-dimensional biomaterials"), "2": Query("2", "Größe")}
    assert dict(dataset.documents) == {"d1": Document("d1", "text one", title="Title"), "d2": Document("d2", "text two")}
    assert dataset.qrels == {"1": {"d1": 1, "d2": 0}, "2": {"d9": -1}}
    assert not dataset.repairs


def test_other_fields_are_kept():
    dataset = load_dataset("irds:web")
    assert dataset.queries["51"] == Query("51", "horse hooves", metadata={"description": "Find information …"})
    more = {"raw": "<p>\ufffd", "places": [{"doc_id": "in", "text": "x", "title": "y"}]}
    assert dataset.documents["w1"] == Document("w1", "All about", "http://x.org", title="Horses", metadata=more)
    assert dataset.documents["w2"] == Document("w2", "a b", metadata={"parts": ["a", "b"]})
    assert dataset.qrels == {"51": {"w1": 2}}
    assert [repair.what for repair in dataset.repairs] == ["2 judgments of documents judged before; the best grade counts"]


def test_documents_are_read_when_they_are_asked_for():
    before = BEIR.n_passes
    documents = load_dataset("irds:beir/scifact/test").documents
    assert len(documents) == 2
    assert documents["d2"].text == "text two"
    assert "d1" in documents
    assert "d9" not in documents
    assert 5 not in documents
    assert BEIR.n_passes == before
    assert [document.doc_id for document in documents.values()] == ["d1", "d2"]
    assert BEIR.n_passes == before + 1
    with pytest.raises(KeyError):
        documents["d9"]
    assert len(load_dataset("irds:web").documents) == 2  # without a count they are counted


def test_documents_may_be_added_replaced_and_removed():
    dataset = load_dataset("irds:beir/scifact/test")
    dataset.add_document(Document("new", "n"))
    dataset.add_document(Document("d1", "other"))
    del dataset.documents["d2"]
    assert sorted(dataset.documents) == ["d1", "new"]
    assert len(dataset.documents) == len(dataset.documents.items()) == 2
    assert dataset.documents["d1"].text == "other"
    assert {document.text for document in dataset.documents.values()} == {"n", "other"}
    assert "d2" not in dataset.documents
    with pytest.raises(KeyError):
        dataset.documents["d2"]
    with pytest.raises(KeyError):
        del dataset.documents["d2"]
    dataset.documents["d2"] = Document("d2", "back")
    assert len(dataset.documents) == 3


def test_it_can_be_converted(tmp_path):
    dataset = load_dataset("irds:beir/scifact/test")
    dataset.save_json(tmp_path / "x.json")
    for again in (load_dataset(tmp_path / "x.json"), load_dataset("irds:beir/scifact/test")):
        assert [again.fingerprint(part) for part in PARTS] == [dataset.fingerprint(part) for part in PARTS]


# --- what may go wrong -----------------------------------------------------------------------------------------------


class Broken(Imitation):
    """A benchmark whose documents cannot be fetched."""

    def docs_iter(self):
        raise OSError("no network")

    docs_count = docs_store = docs_iter


def test_what_may_go_wrong_is_explained(snapshots, package, monkeypatch):
    def failing(name):
        raise OSError("no network")

    def without_package():
        monkeypatch.setitem(sys.modules, "ir_datasets", None)
        load_dataset("irds:web")

    def without_network():
        package.load = failing
        load_dataset("irds:web")

    def later(ask):
        package.load = lambda name: Broken([PlainQuery("1", "?")], [BeirDoc("d", "", "")])
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
