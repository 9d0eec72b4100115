"""lancedb, with stand-ins; tests/providers/adapters has the real package."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from assay.errors import ProviderError
from assay.model.records import Hit, Query

from ._stand_ins import Record, absent, package
from ._written import parse_provider

ROWS = [
    {"id": f"c{n}", "doc_id": f"d{n // 2}", "text": f"text {n}", "vector": [0.0] * 64, "_distance": n / 10} for n in range(4)
]


class Table:
    """Writes down what it is asked; each step gives the next."""

    def __init__(self, rows=ROWS):
        self.rows, self.steps = rows, []

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
    def __init__(self, table):
        self.table = table

    def open_table(self, name):
        if name != "docs":
            raise ValueError(f"Table '{name}' was not found")
        return self.table

    def list_tables(self):
        return Record(tables=["docs"])


@pytest.fixture
def app(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "db").mkdir()
    module = ModuleType("lancedb_app")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.table, module.embed = Table(), lambda text: [1.0, 2.0]
    package(monkeypatch, "lancedb", connect=lambda path: Database(module.table))
    return module


def search(settings, k=3, scope=None):
    return parse_provider(f"lancedb({settings})").make().search([Query("q", "a", scope=scope)], k)[0]


def test_a_folder_searched_by_vector(app):
    found = search("path=./db, table=docs, embed=lancedb_app:embed", 2)
    metadata = {"id": "c0", "doc_id": "d0", "chunk_id": "c0"}
    assert found == [Hit("c0", 0.0, "text 0", metadata), found[1]]
    assert [(hit.doc_id, hit.score) for hit in found] == [("c0", 0.0), ("c1", -0.1)]
    assert app.table.steps == [("search", [1.0, 2.0], ("query_type", "vector")), ("limit", 2)]


def test_the_table_embeds_for_itself(app):
    search("python=lancedb_app:table, column=v, distance=cosine, scope=group", scope="it's")
    assert app.table.steps == [
        ("search", "a", ("query_type", "auto"), ("vector_column_name", "v")),
        ("distance_type", "cosine"),
        ("where", "group = 'it''s'"),
        ("limit", 3),
    ]


def test_by_words_and_by_both(app):
    app.table.rows = [{"id": "a", "_score": 2.0}, {"id": "b", "_score": 1.0}]
    assert [hit.score for hit in search("python=lancedb_app:table, search=text")] == [2.0, 1.0]
    assert app.table.steps[0] == ("search", "a", ("query_type", "fts"))
    app.table.rows, app.table.steps = [{"id": "a", "_relevance_score": 0.5, "_distance": 9, "_score": None}], []
    assert [hit.score for hit in search("python=lancedb_app:table, search=hybrid, embed=lancedb_app:embed")] == [0.5]
    assert app.table.steps[:3] == [("search", ("query_type", "hybrid")), ("vector", [1.0, 2.0]), ("text", "a")]


def test_documents_by_their_best_chunk(app):
    assert [hit.doc_id for hit in search("python=lancedb_app:table, unit=document", 2)] == ["d0", "d1"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("path=./db, table=dogs", r"no table 'dogs' \(there is: docs\). Did you mean docs\?"),
        ("path=./db", "needs table="),
        ("path=./gone, table=docs", "there is no folder ./gone"),
        ("path=./db, table=docs, search=text, embed=lancedb_app:embed", "a search by text needs no vector"),
        ("table=docs", "opened by one of path= or python="),
    ],
)
def test_what_cannot_be_opened(app, settings, message):
    with pytest.raises(ProviderError, match=message):
        search(settings)


def test_answers_of_another_shape(app):
    app.table.rows = ({},)
    with pytest.raises(ProviderError, match="expected a list of rows"):
        search("python=lancedb_app:table")


def test_what_is_not_installed_is_known_before(app, monkeypatch):
    parse_provider("lancedb(path=./db, table=docs)").check()
    absent(monkeypatch, "lancedb")
    with pytest.raises(ProviderError, match=r"^lancedb needs lancedb: pip install lancedb$"):
        parse_provider("lancedb(path=./db, table=docs)").check()
    parse_provider("lancedb:lancedb_app:table").check()
