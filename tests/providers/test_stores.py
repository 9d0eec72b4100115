"""chroma, qdrant, lancedb and pgvector, with stand-ins; tests/providers/adapters has the real packages."""

import numpy as np
import pytest

from assay import Hit, Query
from assay.errors import ProviderError
from assay.providers import PermanentFailure

from ._asking import ids, provider
from ._asking import search as search_once
from ._stand_ins import Record, absent, package


def search(text, k=3, scope=None):
    return search_once(text, Query("q", "a", scope=scope), k)


class NotFoundError(Exception):
    """Of Chroma."""


class Collection:
    """Of Chroma."""

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
    """Of Chroma; the last one that was made is kept."""

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


class QdrantClient:
    is_closed = False

    def __init__(self, **settings):
        self.settings = settings
        QdrantClient.last = self

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


class Table:
    """Of LanceDB: writes down what it is asked; each step gives the next."""

    def __init__(self):
        self.rows = [
            {"id": f"c{n}", "doc_id": f"d{n // 2}", "text": f"text {n}", "vector": [0.0] * 64, "_distance": n / 10}
            for n in range(4)
        ]
        self.steps = []

    def __getattr__(self, step):
        if step.startswith("__"):
            raise AttributeError(step)

        def taken(*arguments, **by_name):
            self.steps.append((step, *arguments, *by_name.items()))
            return self

        return taken

    def to_list(self):
        return self.rows[: self.steps[-1][1]]


class Database:
    """Of LanceDB."""

    def __init__(self, table):
        self.table = table

    def open_table(self, name):
        if name != "docs":
            raise ValueError(f"Table '{name}' was not found")
        return self.table

    def list_tables(self):
        return Record(tables=["docs"])


class Error(Exception):
    """Of psycopg."""

    sqlstate = None


class Connection:
    """Of psycopg: writes down what is executed; answers with three rows."""

    def __init__(self, dsn):
        self.dsn, self.done, self.closed, self.fails = dsn, [], False, None

    def execute(self, sql, values=()):
        self.done.append((sql, values))
        if self.fails and "%(vector)s" in sql:
            raise self.fails
        return self

    def fetchall(self):
        return [({"id": 1, "content": "t", "meta": {"doc_id": "d0"}}, 0.25), ({"id": 2}, 0.5), ({"id": 3}, None)]

    def close(self):
        self.closed = True


@pytest.fixture
def app(monkeypatch, tmp_path):
    """The user's module, in a folder with a database; `connections` are those that were made to PostgreSQL."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "db").mkdir()
    monkeypatch.setenv("PGVECTOR_DSN", "postgresql://me:hunter22@host/db")
    made = package(
        monkeypatch, "app", embed=lambda text: [1.0, 2.5], collection=Collection(), client=Client(), connections=[]
    )
    made.points, made.table = QdrantClient(), Table()

    def connect(dsn, autocommit):
        assert autocommit
        made.connections.append(Connection(dsn))
        return made.connections[-1]

    names = ("Document", "Filter", "FieldCondition", "MatchValue")
    package(monkeypatch, "chromadb", Settings=dict, PersistentClient=Client, HttpClient=Client)
    package(monkeypatch, "qdrant_client", QdrantClient=QdrantClient, models=Record(**dict.fromkeys(names, dict)))
    package(monkeypatch, "lancedb", connect=lambda path: Database(made.table))
    package(monkeypatch, "psycopg", connect=connect, Error=Error)
    return made


def test_chroma(app):
    found = search("chroma(path=./db, collection=docs)", 2)
    first = Hit("c0", 0.0, "text 0", {"doc_id": "d0", "chunk_id": "c0"})
    assert found == [first, Hit("c1", -0.1, "text 1", {"chunk_id": "c1"})]
    assert Client.last.arguments == ("./db",)
    assert Client.last.settings == {"settings": {"anonymized_telemetry": False}}
    include = ["documents", "metadatas", "distances"]
    assert Client.last.collection.asked == {"query_texts": ["a"], "n_results": 2, "include": include}
    for url, host, port, ssl in (
        ("http://127.0.0.1:9000", "127.0.0.1", 9000, False),
        ("http://h", "h", 8000, False),
        ("https://h", "h", 443, True),
    ):
        assert len(search(f"chroma(url={url}, collection=docs)")) == 3
        assert (*Client.last.arguments, Client.last.settings["ssl"]) == (host, port, ssl)
    assert len(search("chroma:app:collection")) == 3
    assert len(search("chroma(python=app:client, collection=docs)")) == 3
    search("chroma(python=app:collection, embed=app:embed, scope=group)", scope="s")
    assert app.collection.asked["query_embeddings"] == [[1.0, 2.5]]
    assert app.collection.asked["where"] == {"group": "s"}
    search("chroma(python=app:collection, scope=group)")
    assert "where" not in app.collection.asked
    assert not provider("chroma:a:b").heeds_scope
    assert provider("chroma(python=a:b, scope=group)").heeds_scope


def test_qdrant(app, monkeypatch):
    found = search("qdrant(collection=docs, path=./db, embed=app:embed)", 2)
    assert found == [Hit("0", 0.0, "text", {"doc_id": "d0", "chunk_id": 0}), found[1]]
    assert [(hit.doc_id, hit.score) for hit in found] == [("0", 0.0), ("1", -0.1)]
    assert (QdrantClient.last.settings, QdrantClient.last.is_closed) == ({"path": "./db"}, True)
    asked = {"collection_name": "docs", "query": [1.0, 2.5], "limit": 2, "with_payload": True}
    assert QdrantClient.last.asked == asked
    monkeypatch.setenv("QDRANT_KEY", "hunter22")
    server = "qdrant(collection=docs, url=http://127.0.0.1:6333, api_key='${QDRANT_KEY}', embed=app:embed)"
    assert ids(search(server)) == ["0", "1", "c2"]
    assert QdrantClient.last.settings == {"url": "http://127.0.0.1:6333", "api_key": "hunter22"}
    assert "QDRANT_KEY" not in provider(server).name
    assert provider(server).configuration["api_key"] == "…"
    search("qdrant(collection=docs, python=app:points, model=some/model, using=words)")
    assert app.points.asked["query"] == {"text": "a", "model": "some/model"}
    assert (app.points.asked["using"], app.points.is_closed) == ("words", False)
    search("qdrant(collection=docs, python=app:points, embed=app:embed, scope=group)", scope="s")
    assert app.points.asked["query_filter"] == {"must": [{"key": "group", "match": {"value": "s"}}]}


def steps(app, settings, k=3, scope=None):
    """What a table of LanceDB is asked, and the scores that come of it."""
    app.table.steps = []
    found = search(f"lancedb({settings})", k, scope)
    return app.table.steps, [(hit.doc_id, hit.score) for hit in found]


def test_lancedb(app):
    metadata = {"id": "c0", "doc_id": "d0", "chunk_id": "c0"}
    assert search("lancedb(path=./db, table=docs, embed=app:embed)", 1) == [Hit("c0", 0.0, "text 0", metadata)]
    asked, found = steps(app, "path=./db, table=docs, embed=app:embed", 2)
    assert asked == [("search", [1.0, 2.5], ("query_type", "vector")), ("limit", 2)]
    assert found == [("c0", 0.0), ("c1", -0.1)]
    asked, _ = steps(app, "python=app:table, column=v, distance=cosine, scope=group", scope="it's")
    by_table = ("search", "a", ("query_type", "auto"), ("vector_column_name", "v"))
    assert asked == [by_table, ("distance_type", "cosine"), ("where", "group = 'it''s'"), ("limit", 3)]
    assert ids(search("lancedb(python=app:table, unit=document)", 2)) == ["d0", "d1"]
    app.table.rows = [{"id": "a", "_score": 2.0}, {"id": "b", "_score": 1.0}]
    asked, found = steps(app, "python=app:table, search=text")
    assert (asked[0], found) == (("search", "a", ("query_type", "fts")), [("a", 2.0), ("b", 1.0)])
    app.table.rows = [{"id": "a", "_relevance_score": 0.5, "_distance": 9, "_score": None}]
    asked, found = steps(app, "python=app:table, search=hybrid, embed=app:embed")
    assert asked[:3] == [("search", ("query_type", "hybrid")), ("vector", [1.0, 2.5]), ("text", "a")]
    assert found == [("a", 0.5)]


PGVECTOR = "pgvector(dsn='${{PGVECTOR_DSN}}', table={}, embed=app:embed{})"


def statement(app, table="docs", more="", scope=None, k=3):
    """What PostgreSQL is asked."""
    found = search(PGVECTOR.format(table, more), k, scope)
    assert [(hit.doc_id, hit.score, hit.text) for hit in found] == [("1", -0.25, "t"), ("2", -0.5, None)]
    return app.connections[-1].done


def test_pgvector(app):
    read_only, timeout, depth, (sql, values) = statement(app, more=", timeout=1.5")
    assert (read_only, timeout[1]) == (("SET default_transaction_read_only = on", ()), ("1500",))
    assert ("hnsw.ef_search" in depth[0], depth[1]) == (True, (3,))
    assert values == {"vector": "[1.0, 2.5]", "scope": None, "k": 3}
    assert sql == (
        "SELECT to_jsonb(item) - 'embedding'::text AS fields, item.\"embedding\" <=> %(vector)s AS distance"
        ' FROM "docs" AS item ORDER BY distance LIMIT %(k)s'
    )
    assert app.connections[0].closed
    assert statement(app, k=5000)[1][1] == (1000,), "candidates have a limit"
    sql, values = statement(app, more=", scope=meta.group", scope="s")[-1]
    assert ("WHERE item.\"meta\" ->> 'group' = %(scope)s" in sql, values["scope"]) == (True, "s")
    for more, scope in ((", scope=meta.group", None), ("", "s")):
        assert "WHERE" not in statement(app, more=more, scope=scope)[-1][0]
    hostile, _ = statement(app, "'a.b\"; DROP TABLE x; --'", """, column="it's 100%", distance=l2, scope='c"'""", "s")[-1]
    assert 'FROM "a"."b""; DROP TABLE x; --" AS item WHERE item."c"""::text = %(scope)s ORDER' in hostile
    assert """- 'it''s 100%%'::text AS fields, item."it's 100%%" <-> %(vector)s""" in hostile


def test_a_connection_of_pgvector_is_kept_until_it_is_lost(app):
    retriever = provider(PGVECTOR.format("docs", "")).make()
    for n_made, is_lost in ((1, False), (1, True), (2, False)):
        retriever.search([Query("q", "b")], 3)
        assert len(app.connections) == n_made
        app.connections[0].closed = is_lost
    for state, kind in (("42P01", PermanentFailure), ("57014", ProviderError), (None, ProviderError)):
        app.connections[-1].fails = Error("no\n  way, hunter22, postgresql://me:hunter22@host/db")
        app.connections[-1].fails.sqlstate = state
        with pytest.raises(ProviderError) as caught:
            retriever.search([Query("q", "b")], 3)
        assert type(caught.value) is kind, state
        assert str(caught.value) == "pgvector(docs): no way, …, postgresql://me:…@host/db"
    dsns = ["postgresql://me:hunter22@host/db", "host=h user=me password=hunter22"]
    for dsn in (*dsns, "postgresql://h/d?user=me&password=hunter22"):
        bound = provider(f"pgvector(dsn='{dsn}', table=docs, embed=app:embed)")
        assert "hunter22" not in f"{bound.name} {bound.configuration}"
        bound.make().search([Query("q", "a")], 1)
        assert app.connections[-1].dsn == dsn


OPENED = {
    "chroma": ["collection=dogs, path=./db", "collection=secret, path=./db", "path=./db", "path=./gone, collection=docs"],
    "qdrant": [
        "collection=dogs, path=./db, embed=app:embed",
        "collection=docs, path=./db",
        "collection=docs, embed=app:embed",
    ],
    "lancedb": ["path=./db, table=dogs", "path=./db", "path=./gone, table=docs", "table=docs"],
    "pgvector": ["dsn='${PGVECTOR_DSN}', table=docs", "dsn='${NO_SUCH_DSN}', table=docs, embed=app:embed"],
}
OPENED["chroma"] += ["path=./db, python=app:client", "python=app:collection, unit=document", "python=app:embed"]
OPENED["qdrant"] += ["collection=docs, embed=app:embed", "collection=docs, path=./db, embed=app:embed, model=x"]
OPENED["lancedb"] += ["path=./db, table=docs, search=text, embed=app:embed"]
REFUSED = ["pgvector(dsn=localhost, table=docs)", "pgvector(dsn=host=h, table=docs, distance=near)"]
REFUSED += [f"qdrant(collection=docs, url='{url}')" for url in ("localhost:6333", "ftp://x", "http://", "http://[x")]


def test_what_cannot_be_opened_or_read(app, snapshots, monkeypatch):
    monkeypatch.delenv("NO_SUCH_DSN", raising=False)
    texts = [f"{name}({settings})" for name, every in OPENED.items() for settings in every]
    cases = {text: lambda text=text: (provider(text).check(), search(text)) for text in texts}
    cases |= {text: lambda text=text: provider(text) for text in REFUSED}
    snapshots.check_errors("providers/stores", cases)
    for name, text in {"chromadb": "chroma(path=./db, collection=docs)", "psycopg": PGVECTOR.format("docs", "")}.items():
        provider(text).check()
        absent(monkeypatch, name)
        with pytest.raises(ProviderError, match="pip install"):
            provider(text).check()


def test_whatever_embeds_a_query(app):
    async def later(text):
        return np.array([[1.0, 2.0]])

    embeds = type("Model", (), {"embed_query": lambda self, text: [float(len(text))]})
    text = "qdrant(collection=docs, python=app:points, embed=app:embed)"
    for app.embed, vector in ((lambda text: [np.float32(1.5), 2], [1.5, 2]), (embeds, [1.0]), (later, [1.0, 2.0])):
        search(text)
        assert app.points.asked["query"] == vector, app.embed
    for wrong in (None, "text", [], ["a"], [float("nan")], np.zeros((2, 2))):
        app.embed = lambda text, wrong=wrong: wrong
        with pytest.raises(PermanentFailure, match="app:embed"):
            search(text)
