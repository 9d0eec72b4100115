"""pgvector, against a real PostgreSQL with the extension."""

import numpy as np
import pytest

from assay import Query
from assay.errors import ProviderError
from assay.grammar import mark_written
from assay.providers import PermanentFailure, parse_provider

from . import _asking
from ._asking import QUERY, ids
from ._corpus import CHUNKS, WIDTH, cosines, embed
from ._kinds import fill_postgres

NAME = "pgvector(dsn='${{ADAPTERS_DSN}}', table={}, embed='adapters_app:embed'{})"


@pytest.fixture
def database(postgres, app, required, monkeypatch):
    """A connection to a database with the corpus in it."""
    monkeypatch.setenv("ADAPTERS_DSN", postgres)
    with required("psycopg").connect(postgres, autocommit=True) as connection:
        fill_postgres(connection)
        yield connection


def search(settings="", query=QUERY, k=3, table="docs"):
    return _asking.search(NAME.format(table, settings), query, k)


DISTANCES = {
    "cosine": lambda one, other: 1 - one @ other,
    "l2": lambda one, other: np.linalg.norm(one - other),
    "inner_product": lambda one, other: -(one @ other),
    "l1": lambda one, other: np.abs(one - other).sum(),
}


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("kind", ["vector", "halfvec"])
def test_each_distance_is_negated(database, distance, kind):
    fill_postgres(database, kind=kind, table="kinds")
    far = {chunk: DISTANCES[distance](np.array(embed(text)), np.array(embed(QUERY.text))) for chunk, text in CHUNKS.items()}
    near = sorted(far, key=far.get)[:4]
    found = search(f", distance={distance}", k=4, table="kinds")
    assert ids(found) == near
    assert [hit.score for hit in found] == pytest.approx(
        [-far[chunk] for chunk in near], rel=2e-2 if kind == "halfvec" else 1e-4
    )


def test_an_index_gives_more_than_its_forty(database):
    many = {f"d{place}#0": f"{'word ' * (place % 7)} dog {place}" for place in range(300)}
    fill_postgres(database, many, table="many")
    database.execute("CREATE INDEX ON many USING hnsw (embedding vector_cosine_ops)")
    database.execute("ANALYZE many")
    name = database.execute("SELECT current_database()").fetchone()[0]
    database.execute(f"ALTER DATABASE {name} SET enable_seqscan = off")
    try:
        assert len(search(k=150, table="many")) == 150
        assert len(search(k=10, table="many")) == 10
    finally:
        database.execute(f"ALTER DATABASE {name} RESET enable_seqscan")


def test_a_scope_is_a_column_or_a_field_in_json(database):
    assert set(ids(search(", scope=meta.group", Query("q", "lazy dog", scope="4"), 8))) == {"d4#0", "d4#1"}
    assert ids(search(", scope=id", Query("q", "lazy dog", scope="d2#0"), 8)) == ["d2#0"]
    assert len(search(", scope=meta.group", k=8)) == 8
    assert search(", scope=meta.group", Query("q", "lazy dog", scope="4' OR '1'='1"), 8) == []


def test_names_are_quoted(database):
    database.execute('DROP TABLE IF EXISTS public."My ""docs"" 100%"')
    database.execute(f'CREATE TABLE public."My ""docs"" 100%" ("Id" int, "the vector" vector({WIDTH}))')
    database.execute('INSERT INTO public."My ""docs"" 100%%" VALUES (%s, %s)', (5, str(embed("dog"))))
    settings = ", column='the vector', chunk_id=Id"
    assert ids(search(settings, table="'public.My \"docs\" 100%'")) == ["5"]


def test_what_is_wrong_is_final(database):
    wrong = {("", "dox"): "dox", (", column=vektor", "docs"): "vektor", (", column=content", "docs"): "operator"}
    for (settings, table), told in wrong.items():
        with pytest.raises(PermanentFailure, match=told):
            search(settings, table=table)


def test_nothing_can_be_written(database):
    database.execute(
        "CREATE OR REPLACE VIEW evil AS SELECT id, embedding, set_config('x.y', 'z', false) AS content FROM docs"
    )
    assert len(search(table="evil")) == 3
    retriever = parse_provider(mark_written(NAME.format("docs", ""))).make()
    retriever.search([QUERY], 1)
    rows = retriever.close.__self__
    with pytest.raises(Exception, match="read-only transaction"):
        rows._connection().execute("DELETE FROM docs")
    retriever.close()


def test_a_connection_that_was_cut_is_made_anew(database):
    retriever = parse_provider(mark_written(NAME.format("docs", ""))).make()
    before = retriever.search([QUERY], 3)
    own = database.info.backend_pid
    database.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid != %s AND backend_type = 'client backend'", (own,)
    )
    with pytest.raises(ProviderError, match=r"pgvector\(docs\)"):
        retriever.search([QUERY], 3)
    assert retriever.search([QUERY], 3) == before
    assert ids(before[0]) == list(cosines(QUERY.text))[:3]
    retriever.close()


def test_a_statement_that_takes_too_long_is_cancelled(database):
    database.execute("CREATE OR REPLACE VIEW slow AS SELECT id, embedding, pg_sleep(30)::text AS content FROM docs")
    with pytest.raises(ProviderError, match="statement timeout"):
        search(", timeout=0.2", table="slow")


def test_no_message_shows_the_password(monkeypatch, app, required):
    required("psycopg")
    monkeypatch.setenv("ADAPTERS_DSN", "postgresql://me:hunter22@127.0.0.1:1/none")
    for dsn in ("${ADAPTERS_DSN}", "postgresql://me:hunter22@127.0.0.1:1/none", "host=127.0.0.1 port=1 password=hunter22"):
        text = f"pgvector(dsn='{dsn}', table=docs, embed=adapters_app:embed)"
        bound = parse_provider(mark_written(text))
        with pytest.raises(ProviderError) as error:
            bound.make().search([QUERY], 3)
        assert "hunter22" not in f"{error.value} {bound.name} {bound.configuration}"
