"""qdrant, with stand-ins; tests/providers/adapters has the real package."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from assay.errors import ProviderError
from assay.model.records import Hit, Query

from ._stand_ins import Record, absent, package
from ._written import parse_provider


class Client:
    is_closed = False

    def __init__(self, **settings):
        self.settings = settings
        Client.last = self

    def collection_exists(self, name):
        return name == "docs"

    def get_collections(self):
        return Record(collections=[Record(name="docs")])

    def query_points(self, **asked):
        self.asked = asked
        payloads = [{"metadata": {"doc_id": "d0"}, "page_content": "text"}, None, {"chunk_id": "c2"}]
        points = [Record(id=n, score=n / 10, payload=payload) for n, payload in enumerate(payloads)]
        return Record(points=points[: asked["limit"]])

    def close(self):
        self.is_closed = True


@pytest.fixture
def app(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "db").mkdir()
    names = ("Document", "Filter", "FieldCondition", "MatchValue")
    package(monkeypatch, "qdrant_client", QdrantClient=Client, models=Record(**dict.fromkeys(names, dict)))
    module = ModuleType("qdrant_app")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.client, module.embed = Client(), lambda text: [1.0, 2.0]
    return module


def search(settings, k=3, scope=None):
    retriever = parse_provider(f"qdrant(collection=docs, {settings})").make()
    found = retriever.search([Query("q", "a", scope=scope)], k)[0]
    retriever.close()
    return found


def test_a_folder(app):
    found = search("path=./db, embed=qdrant_app:embed", 2)
    assert found[0] == Hit("0", 0.0, "text", {"doc_id": "d0", "chunk_id": 0})
    assert [(hit.doc_id, hit.score) for hit in found] == [("0", 0.0), ("1", -0.1)]
    assert Client.last.settings == {"path": "./db"}
    assert Client.last.asked == {"collection_name": "docs", "query": [1.0, 2.0], "limit": 2, "with_payload": True}
    assert Client.last.is_closed


def test_a_server_with_a_key_that_is_never_shown(app, monkeypatch):
    monkeypatch.setenv("QDRANT_KEY", "hunter22")
    settings = "url=http://127.0.0.1:6333, api_key='${QDRANT_KEY}', embed=qdrant_app:embed"
    assert [hit.doc_id for hit in search(settings)] == ["0", "1", "c2"]
    assert Client.last.settings == {"url": "http://127.0.0.1:6333", "api_key": "hunter22"}
    bound = parse_provider(f"qdrant(collection=docs, {settings})")
    assert "QDRANT_KEY" not in bound.name
    assert bound.configuration["api_key"] == "…"
    monkeypatch.delenv("QDRANT_KEY")
    with pytest.raises(ProviderError, match="environment variable QDRANT_KEY"):
        bound.check()


def test_what_else_can_be_asked(app):
    search("python=qdrant_app:client, model=some/model, using=words")
    assert app.client.asked["query"] == {"text": "a", "model": "some/model"}
    assert app.client.asked["using"] == "words"
    assert not app.client.is_closed
    search("python=qdrant_app:client, embed=qdrant_app:embed, scope=group", scope="s")
    assert app.client.asked["query_filter"] == {"must": [{"key": "group", "match": {"value": "s"}}]}


def test_answers_of_another_shape(app):
    for answer in (None, [Record(score=1)]):
        app.client.query_points = lambda answer=answer, **_: answer
        with pytest.raises(ProviderError, match="expected points"):
            search("python=qdrant_app:client, embed=qdrant_app:embed")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("path=./db", r"qdrant: say how queries are embedded: embed='module:function', or embed=wordllama .* or model="),
        ("path=./db, embed=wordllama, model=x", "in one way, not by embed= and model="),
        ("embed=wordllama", "opened by one of path= or url= or python="),
        ("path=./gone, embed=wordllama", "there is no folder ./gone"),
        ("python=qdrant_app:embed, embed=qdrant_app:embed", "is no client of Qdrant"),
    ],
)
def test_what_cannot_work_is_known_before(app, settings, message):
    with pytest.raises(ProviderError, match=message):
        parse_provider(f"qdrant(collection=docs, {settings})").check()


def test_a_collection_that_is_not_there(app):
    with pytest.raises(ProviderError, match=r"no collection 'dogs' \(there is: docs\). Did you mean docs\?"):
        parse_provider("qdrant(collection=dogs, path=./db, embed=qdrant_app:embed)").make()


def test_a_package_that_is_not_installed(app, monkeypatch):
    absent(monkeypatch, "qdrant_client")
    with pytest.raises(ProviderError, match=r"^qdrant needs qdrant-client: pip install qdrant-client$"):
        parse_provider("qdrant(collection=docs, path=./db, embed=qdrant_app:embed)").check()
