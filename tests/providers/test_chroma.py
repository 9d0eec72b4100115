"""chroma, with stand-ins; tests/providers/adapters has the real package."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from assay.errors import ProviderError
from assay.model.records import Hit, Query

from ._stand_ins import Record, absent, package
from ._written import parse_provider


class NotFoundError(Exception):
    pass


class Collection:
    asked: dict

    def query(self, **asked):
        self.asked = asked
        k = min(asked["n_results"], 3)
        return {
            "ids": [[f"c{n}" for n in range(k)]],
            "distances": [[n / 10 for n in range(k)]],
            "documents": [[f"text {n}" for n in range(k)]],
            "metadatas": [[{"doc_id": "d0"}, None, {"doc_id": "d1"}][:k]],
            "embeddings": None,
        }


class Client:
    def __init__(self, *arguments, **settings):
        self.arguments, self.settings, self.collection = arguments, settings, Collection()
        Client.last = self

    def get_collection(self, name):
        if name == "secret":
            raise RuntimeError("not allowed")
        if name != "docs":
            raise NotFoundError(name)
        return self.collection

    def list_collections(self):
        return [Record(name="docs"), "other"]


@pytest.fixture
def app(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "db").mkdir()
    package(monkeypatch, "chromadb", Settings=dict, PersistentClient=Client, HttpClient=Client)
    module = ModuleType("chroma_app")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.collection, module.client, module.embed = Collection(), Client(), lambda text: [1.0, 2.0]
    return module


def search(text, k=3, query=None):
    return parse_provider(text).make().search([query or Query("q", "a", scope="s")], k)[0]


def test_a_folder(app):
    found = search("chroma(path=./db, collection=docs)", 2)
    assert found == [
        Hit("c0", 0.0, "text 0", {"doc_id": "d0", "chunk_id": "c0"}),
        Hit("c1", -0.1, "text 1", {"chunk_id": "c1"}),
    ]
    assert Client.last.arguments == ("./db",)
    assert Client.last.settings == {"settings": {"anonymized_telemetry": False}}
    include = ["documents", "metadatas", "distances"]
    assert Client.last.collection.asked == {"query_texts": ["a"], "n_results": 2, "include": include}


@pytest.mark.parametrize(
    ("url", "host", "port", "ssl"),
    [("http://127.0.0.1:9000", "127.0.0.1", 9000, False), ("http://h", "h", 8000, False), ("https://h", "h", 443, True)],
)
def test_a_server(app, url, host, port, ssl):
    assert len(search(f"chroma(url={url}, collection=docs)")) == 3
    assert Client.last.arguments == (host, port)
    assert Client.last.settings["ssl"] is ssl


def test_an_object_and_how_queries_are_embedded(app):
    assert len(search("chroma:chroma_app:collection")) == 3
    assert len(search("chroma(python=chroma_app:client, collection=docs)")) == 3
    search("chroma(python=chroma_app:collection, embed=chroma_app:embed, scope=group)")
    assert app.collection.asked["query_embeddings"] == [[1.0, 2.0]]
    assert app.collection.asked["where"] == {"group": "s"}
    search("chroma(python=chroma_app:collection, scope=group)", query=Query("q", "a"))
    assert "where" not in app.collection.asked


def test_documents_need_their_id(app):
    with pytest.raises(ProviderError, match="hit 2 has no document id"):
        search("chroma(python=chroma_app:collection, unit=document)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chroma(path=./db, collection=dogs)", r"no collection 'dogs' \(there is: docs other\). Did you mean docs\?"),
        ("chroma(path=./db, collection=secret)", r"chroma\(secret\): RuntimeError: not allowed"),
        ("chroma(path=./db)", "needs collection="),
        ("chroma(path=./gone, collection=docs)", "there is no folder ./gone"),
        ("chroma(collection=docs)", "opened by one of path= or url= or python=; found none of them"),
        ("chroma(path=./db, python=chroma_app:client)", "found path= and python="),
    ],
)
def test_what_cannot_be_opened(app, text, message):
    with pytest.raises(ProviderError, match=message):
        search(text)


@pytest.mark.parametrize("answer", [[], {"ids": [["a"], ["b"]]}, {"documents": [[]]}])
def test_answers_of_another_shape(app, answer):
    app.collection.query = lambda **_: answer
    with pytest.raises(ProviderError, match="expected ids, documents, metadatas and distances of one query"):
        search("chroma:chroma_app:collection")


def test_what_cannot_work_is_known_before(app, monkeypatch):
    parse_provider("chroma(path=./db, collection=docs)").check()
    with pytest.raises(ProviderError, match="is no collection of Chroma"):
        parse_provider("chroma:chroma_app:__name__").check()
    absent(monkeypatch, "chromadb")
    with pytest.raises(ProviderError, match=r"^chroma needs chromadb: pip install chromadb$"):
        parse_provider("chroma(path=./db, collection=docs)").check()
    parse_provider("chroma:chroma_app:collection").check()


def test_scopes_are_heeded_where_a_field_is_named():
    assert not parse_provider("chroma:a:b").heeds_scope
    assert parse_provider("chroma(python=a:b, scope=group)").heeds_scope
