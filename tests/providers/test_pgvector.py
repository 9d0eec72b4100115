"""pgvector, with a stand-in for psycopg; tests/providers/adapters has a real PostgreSQL with the extension."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from assay.errors import BadParameter, ProviderError
from assay.model.records import Query
from assay.providers.catalog.pgvector import statement
from assay.providers.retriever import PermanentFailure

from ._stand_ins import absent, package
from ._written import parse_provider


class Error(Exception):
    sqlstate = None


class Connection:
    """Writes down what is executed; answers with two rows."""

    def __init__(self, dsn):
        self.dsn, self.done, self.closed, self.fails = dsn, [], False, None

    def execute(self, sql, values=()):
        self.done.append((sql, values))
        if self.fails and "%(vector)s" in sql:
            raise self.fails
        return self

    def fetchall(self):
        about = {"doc_id": "d0"}
        return [({"id": 1, "content": "t", "meta": about}, 0.25), ({"id": 2}, 0.5), ({"id": 3}, None)]

    def close(self):
        self.closed = True


@pytest.fixture
def made(monkeypatch):
    """The connections that were made."""
    made = []

    def connect(dsn, autocommit):
        assert autocommit
        made.append(Connection(dsn))
        return made[-1]

    package(monkeypatch, "psycopg", connect=connect, Error=Error)
    module = ModuleType("pgvector_app")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.embed = lambda text: [1.0, 2.5]
    monkeypatch.setenv("PGVECTOR_DSN", "postgresql://me:hunter22@host/db")
    return made


NAME = "pgvector(dsn='${{PGVECTOR_DSN}}', table=docs, embed=pgvector_app:embed{})"


def search(settings="", k=3, scope=None):
    retriever = parse_provider(NAME.format(settings)).make()
    return retriever, retriever.search([Query("q", "a", scope=scope)], k)[0]


def test_the_nearest_rows(made):
    retriever, found = search(", timeout=1.5")
    assert [(hit.doc_id, hit.score, hit.text) for hit in found] == [("1", -0.25, "t"), ("2", -0.5, None)]
    assert made[0].dsn == "postgresql://me:hunter22@host/db"
    assert made[0].done[0] == ("SET default_transaction_read_only = on", ())
    assert made[0].done[1][1] == ("1500",)
    assert "hnsw.ef_search" in made[0].done[2][0]
    assert made[0].done[2][1] == (3,)
    assert made[0].done[3][1] == {"vector": "[1.0, 2.5]", "scope": None, "k": 3}
    retriever.close()
    assert made[0].closed


def test_candidates_have_a_limit(made):
    search(k=5000)
    assert made[0].done[1][1] == (1000,)


def test_a_scope(made):
    _, found = search(", scope=meta.group", scope="s")
    assert "WHERE item.\"meta\" ->> 'group' = %(scope)s" in made[0].done[-1][0]
    assert made[0].done[-1][1]["scope"] == "s"
    search(", scope=meta.group")
    assert "WHERE" not in made[1].done[-1][0]
    search(scope="s")
    assert "WHERE" not in made[2].done[-1][0]
    assert found


def test_a_connection_is_kept_until_it_is_lost(made):
    retriever, _ = search()
    retriever.search([Query("q", "b")], 3)
    assert len(made) == 1
    made[0].closed = True
    retriever.search([Query("q", "b")], 3)
    assert len(made) == 2


def test_the_statement():
    assert statement("docs", "embedding", "cosine") == (
        "SELECT to_jsonb(item) - 'embedding'::text AS fields, item.\"embedding\" <=> %(vector)s AS distance"
        ' FROM "docs" AS item ORDER BY distance LIMIT %(k)s'
    )
    hostile = statement('a.b"; DROP TABLE x; --', "it's 100%", "l2", 'c"')
    assert 'FROM "a"."b""; DROP TABLE x; --" AS item WHERE item."c"""::text = %(scope)s ORDER' in hostile
    assert """- 'it''s 100%%'::text AS fields, item."it's 100%%" <-> %(vector)s""" in hostile


@pytest.mark.parametrize(("state", "kind"), [("42P01", PermanentFailure), ("57014", ProviderError), (None, ProviderError)])
def test_what_postgres_says(made, state, kind):
    retriever, _ = search()
    made[0].fails = Error("no\n  way, hunter22, postgresql://me:hunter22@host/db")
    made[0].fails.sqlstate = state
    with pytest.raises(ProviderError, match=r"^pgvector\(docs\): no way, …, postgresql://me:…@host/db$") as error:
        retriever.search([Query("q", "b")], 3)
    assert type(error.value) is kind


@pytest.mark.parametrize(
    "dsn",
    ["postgresql://me:hunter22@host/db", "host=h user=me password=hunter22", "postgresql://h/d?user=me&password=hunter22"],
)
def test_passwords_are_never_shown(made, dsn):
    bound = parse_provider(f"pgvector(dsn='{dsn}', table=docs, embed=pgvector_app:embed)")
    assert "hunter22" not in f"{bound.name} {bound.configuration}"
    bound.make().search([Query("q", "a")], 1)
    assert made[0].dsn == dsn


def test_what_cannot_work_is_known_before(made, monkeypatch):
    parse_provider(NAME.format("")).check()
    with pytest.raises(ProviderError, match="pgvector: say how queries are embedded"):
        parse_provider("pgvector(dsn='${PGVECTOR_DSN}', table=docs)").check()
    with pytest.raises(BadParameter, match="a connection string such as"):
        parse_provider("pgvector(dsn=localhost, table=docs)")
    with pytest.raises(BadParameter, match="distance is one of cosine, l2, inner_product, l1"):
        parse_provider(NAME.format(", distance=near"))
    monkeypatch.delenv("PGVECTOR_DSN")
    with pytest.raises(ProviderError, match="environment variable PGVECTOR_DSN, which dsn names, is not set"):
        parse_provider(NAME.format("")).check()
    absent(monkeypatch, "psycopg")
    with pytest.raises(ProviderError, match=r"^pgvector needs psycopg: pip install 'psycopg\[binary\]'$"):
        parse_provider(NAME.format("")).check()
