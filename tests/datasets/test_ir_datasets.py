"""ir_datasets: benchmarks of that package; here a small imitation of it, for the real one downloads."""

import sys
from types import ModuleType
from typing import NamedTuple

import pytest

from assay import DataError
from assay.datasets.format import Probe, all_formats, detect_format, load_dataset
from assay.datasets.formats.ir_datasets import FORMAT
from assay.errors import UnknownName, UsageError
from assay.model.records import Document, Query


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
def test_an_identifier_is_enough(prefix):
    dataset = load_dataset(f"{prefix}beir/scifact/test")
    assert (dataset.name, dataset.format) == ("beir/scifact/test", "ir_datasets")
    assert dataset.queries == {"1": Query("1", "zero-dimensional biomaterials"), "2": Query("2", "Größe")}
    assert dict(dataset.documents) == {"d1": Document("d1", "text one", title="Title"), "d2": Document("d2", "text two")}
    assert dataset.qrels == {"1": {"d1": 1, "d2": 0}, "2": {"d9": -1}}
    assert not dataset.repairs


def test_nobody_else_claims_it(tmp_path):
    probe = Probe(type(tmp_path)("irds:web"))
    assert {name for name, one in all_formats().items() if one.detect(probe)} == {"ir_datasets"}
    assert detect_format(probe.path) is FORMAT
    assert not FORMAT.detect(Probe(tmp_path))


def test_other_fields_are_kept():
    dataset = load_dataset("irds:web")
    assert dataset.queries["51"] == Query("51", "horse hooves", metadata={"description": "Find information …"})
    more = {"raw": "<p>\ufffd", "places": [{"doc_id": "in", "text": "x", "title": "y"}]}
    assert dataset.documents["w1"] == Document("w1", "All about", "http://x.org", title="Horses", metadata=more)
    assert dataset.documents["w2"] == Document("w2", "a b", metadata={"parts": ["a", "b"]})


def test_of_several_judgments_the_best_counts():
    dataset = load_dataset("irds:web")
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


def test_documents_without_a_count_are_counted():
    assert len(load_dataset("irds:web").documents) == 2


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


def test_the_same_content_has_the_same_fingerprint():
    first, second = (load_dataset("irds:beir/scifact/test") for _ in range(2))
    assert first.fingerprint("documents") == second.fingerprint("documents")


def test_it_can_be_converted(tmp_path):
    dataset = load_dataset("irds:beir/scifact/test")
    dataset.save_json(tmp_path / "x.json")
    again = load_dataset(tmp_path / "x.json")
    assert [again.fingerprint(part) for part in ("queries", "documents", "judgments")] == [
        dataset.fingerprint(part) for part in ("queries", "documents", "judgments")
    ]


# --- what may go wrong -----------------------------------------------------------------------------------------------


def test_a_missing_package_is_one_line_with_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(UsageError) as raised:
        load_dataset("irds:web")
    assert "pip install ir_datasets" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_unknown_name_is_said_with_those_near_it():
    with pytest.raises(UnknownName, match="Did you mean beir/scifact/test"):
        load_dataset("irds:beir/scifact/tset")


def test_a_corpus_alone_is_no_benchmark():
    with pytest.raises(DataError, match="neither queries nor judgments"):
        load_dataset("irds:corpus-only")


def test_what_the_package_cannot_fetch_is_explained(package):
    def failing(name):
        raise OSError("no network")

    package.load = failing
    with pytest.raises(DataError, match=r"OSError: no network.*it downloads by itself; .*~/\.ir_datasets"):
        load_dataset("irds:web")


@pytest.mark.parametrize("ask", [len, list, lambda documents: "d" in documents], ids=["len", "list", "in"])
def test_so_is_what_fails_later(package, ask):
    class Broken(Imitation):
        def docs_iter(self):
            raise OSError("no network")

        docs_count = docs_store = docs_iter

    package.load = lambda name: Broken([PlainQuery("1", "?")], [BeirDoc("d", "", "")])
    documents = load_dataset("irds:web").documents
    with pytest.raises(DataError, match="downloads by itself"):
        ask(documents)


def test_it_is_only_read(tmp_path):
    with pytest.raises(UsageError, match="can be read, not written"):
        FORMAT.save(load_dataset("irds:web"), tmp_path / "x")
