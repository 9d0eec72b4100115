"""lancedb: a LanceDB table in a folder or in Python code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from assay.errors import ProviderError
from assay.grammar import Param, one_of
from assay.model import Query
from assay.providers.adapters import AdapterRetriever, Item, Reading
from assay.providers.event_loop import EventLoop
from assay.providers.loading import describe_library_error, import_package
from assay.providers.objects import load_object
from assay.providers.provider import Provider
from assay.providers.retriever import PermanentFailure
from assay.providers.stores import (
    AS_STORE,
    ASKING,
    Embed,
    check_opened,
    check_parts,
    load_embed,
    missing_error,
    opening_params,
)
from assay.text import shortened

INSTALL = "pip install lancedb"
TABLE, DATABASE = ("search",), ("open_table",)
WHAT = "LanceDB table"
SCORES = ("_relevance_score", "_score")
KINDS = {"vector": "vector", "text": "fts", "hybrid": "hybrid", "auto": "auto"}
"""Kind of search → the name that LanceDB uses for it."""


def make_retriever(timeout: float | None = None, **settings: str) -> AdapterRetriever:
    """A retriever over one table, opened now."""
    path, python, table = settings.pop("path"), settings.pop("python"), settings.pop("table")
    search, embed = settings.pop("search"), settings.pop("embed")
    column, distance, scope = settings.pop("column"), settings.pop("distance"), settings.pop("scope")
    check_named(path=path, python=python, search=search, embed=embed)
    name = f"lancedb:{python}" if python else f"lancedb({table})"
    store = load_object(python, (*TABLE, *DATABASE), WHAT) if python else _database(name, path)
    if not callable(getattr(store, "search", None)):
        store = _table(name, store, table)
    vector = load_embed("lancedb", embed) if embed else None
    ask = partial(_search, store, vector, {"kind": search, "column": column, "distance": distance, "scope": scope})
    return AdapterRetriever(name, ask, read_rows, Reading(**settings), timeout)


def _database(name: str, path: str) -> Any:
    with describe_library_error(name):
        return import_package("lancedb", "lancedb", INSTALL).connect(path)


def _table(name: str, database: Any, table: str) -> Any:
    if not table:
        raise ProviderError(f"{name} needs table=, as in lancedb(path=./db, table=docs)")
    try:
        return EventLoop().result(database.open_table(table))
    except (ValueError, FileNotFoundError) as error:
        raise missing_error(name, "table", table, lambda: _table_names(database)) from error
    except Exception as error:
        raise ProviderError(f"{name}: {type(error).__name__}: {error}") from error


def _table_names(database: Any) -> list[str]:
    """The names of all tables; newer versions list them page by page."""
    if callable(listed := getattr(database, "list_tables", None)):
        return list(EventLoop().result(listed()).tables)
    return list(EventLoop().result(database.table_names()))


def _search(table: Any, embed: Embed | None, how: Mapping[str, str], query: Query, k: int) -> Any:
    """The rows, or an awaitable; a table in Python code may be asynchronous at each step."""
    kind, column = KINDS[how["kind"]], {"vector_column_name": how["column"]} if how["column"] else {}
    if kind == "hybrid" and embed is not None:
        searching = table.search(query_type=kind, **column).vector(embed(query.text)).text(query.text)
    else:
        asked = query.text if embed is None else embed(query.text)
        searching = table.search(asked, query_type="vector" if embed is not None else kind, **column)
    searching = EventLoop().result(searching)
    if how["distance"]:
        searching = searching.distance_type(how["distance"])
    if how["scope"] and query.scope is not None:
        searching = searching.where(f"{how['scope']} = {_literal(query.scope)}")
    return searching.limit(k).to_list()


def _literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def read_rows(answer: Any) -> Iterator[Item]:
    """Rows as items, scored by relevance or by distance."""
    if not isinstance(answer, list):
        raise PermanentFailure(f"expected a list of rows, found {shortened(answer)}")
    for row in answer:
        score = next((row[name] for name in SCORES if row.get(name) is not None), None)
        if score is None and isinstance(far := row.get("_distance"), int | float):
            score = 0.0 - far
        yield Item(None, None, score, {name: value for name, value in row.items() if name not in (*SCORES, "_distance")})


def check_named(path: str, python: str, search: str, embed: str, **_: Any) -> None:
    """Raise unless the package, the folder and the code exist and the parameters fit together."""
    check_opened("lancedb", "lancedb", INSTALL, [("path", path), ("python", python)])
    if search == "text" and embed:
        raise ProviderError("lancedb: search=text does not use vectors. Remove embed=, or set search=hybrid")
    check_parts("lancedb", python, (*TABLE, *DATABASE), WHAT, embed)


PROVIDER = Provider(
    "lancedb",
    "a LanceDB table in a folder or in Python code",
    make_retriever,
    params=(
        *opening_params("folder of the database", "a table or database"),
        Param("table", str, "", "name of the table"),
        Param("search", one_of(*KINDS), "auto", "vector, text, hybrid (both), or auto (LanceDB decides)"),
        Param(
            "embed",
            str,
            "",
            "how to embed queries: module:function, or a model name as for dense (default: the table embeds them)",
        ),
        Param("column", str, "", "column with the vector, if there are several"),
        Param(
            "distance",
            one_of("l2", "cosine", "dot"),
            "",
            "distance between vectors: l2, cosine or dot (default: as in the table)",
        ),
        *ASKING,
    ),
    **AS_STORE,
    short_for="python",
    check=check_named,
)
