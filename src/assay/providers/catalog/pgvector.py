"""pgvector: a PostgreSQL table with vectors."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.errors import ProviderError
from assay.grammar import REQUIRED, Param, one_of, positive
from assay.model import Query
from assay.providers.adapters import ASKED_ALONE, READING, SCOPE, AdapterRetriever, Item, Reading
from assay.providers.loading import import_package
from assay.providers.provider import Provider
from assay.providers.retriever import PermanentFailure
from assay.providers.secrets import Cover, add_secrets_of, address, command_line, conceal
from assay.providers.stores import WAYS, check_embed, check_opened, files_of_embed, fill_address, load_embed, receives_scopes

INSTALL = "pip install 'psycopg[binary]'"
OPERATORS = {"cosine": "<=>", "l2": "<->", "inner_product": "<#>", "l1": "<+>"}
"""Distance operators of pgvector. `<#>` is the negative inner product, so a smaller value is always better."""
WRONG = "42"
"""First digits of PostgreSQL's error codes for a wrong statement: no such table, column or operator."""
MAX_CANDIDATES = 1000
"""The maximum of pgvector's hnsw.ef_search."""
EF_SEARCH = "coalesce(nullif(current_setting('hnsw.ef_search', true), ''), '40')::int"
"""Its current value; the default if this connection has not used the extension yet."""
WIDEN = f"SELECT set_config('hnsw.ef_search', greatest({EF_SEARCH}, %s)::text, false)"
"""An HNSW index finds at most hnsw.ef_search rows (default: 40), so the setting must be at least k."""


class PostgresTable:
    """A table that returns its nearest rows. Each thread has its own read-only connection."""

    def __init__(self, name: str, dsn: str, statements: Mapping[bool, str], timeout: float | None) -> None:
        self._name, self._dsn, self._statements, self._timeout = name, dsn, statements, timeout
        self._psycopg = import_package("pgvector", "psycopg", INSTALL)
        self._own, self._lock = threading.local(), threading.Lock()
        self._all: list[Any] = []

    def nearest(self, vector: Sequence[float], scope: str | None, k: int) -> list[tuple[dict[str, Any], float]]:
        """The fields and the distance of each of the nearest rows."""
        asked = {"vector": str(list(vector)), "scope": scope, "k": k}
        try:
            connection = self._connection()
            connection.execute(WIDEN, (min(k, MAX_CANDIDATES),))
            return connection.execute(self._statements[scope is not None], asked).fetchall()
        except self._psycopg.Error as error:
            refusal = PermanentFailure if (getattr(error, "sqlstate", None) or "").startswith(WRONG) else ProviderError
            message = " ".join(str(error).split()) or type(error).__name__
            raise refusal(f"{self._name}: {message}") from None

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            for connection in self._all:
                connection.close()
            self._all.clear()

    def _connection(self) -> Any:
        """The connection of this thread; a new one if there is none or it was closed."""
        connection = getattr(self._own, "connection", None)
        if connection is None or connection.closed:
            dsn = fill_address(self._dsn, "dsn")
            add_secrets_of(settings_text, dsn)
            connection = self._psycopg.connect(dsn, autocommit=True)
            connection.execute("SET default_transaction_read_only = on")
            if self._timeout is not None and math.isfinite(self._timeout):
                connection.execute(
                    "SELECT set_config('statement_timeout', %s, false)", (str(int(self._timeout * 1000) or 1),)
                )
            self._own.connection = connection
            with self._lock:
                self._all.append(connection)
        return connection


def make_retriever(dsn: str, table: str, embed: str, timeout: float | None = None, **settings: str) -> AdapterRetriever:
    """A retriever over one table; it connects at the first query."""
    check_named(dsn=dsn, embed=embed)
    column, distance, scope = settings.pop("column"), settings.pop("distance"), settings.pop("scope")
    statements = {is_scoped: statement(table, column, distance, scope if is_scoped else "") for is_scoped in (False, True)}
    rows = PostgresTable(f"pgvector({table})", dsn, statements, timeout)
    vector = load_embed("pgvector", embed)

    def ask(query: Query, k: int) -> list[tuple[dict[str, Any], float]]:
        return rows.nearest(vector(query.text), query.scope if scope else None, k)

    retriever = AdapterRetriever(f"pgvector({table})", ask, read_rows, Reading(**settings))
    retriever.close = rows.close
    return retriever


def statement(table: str, column: str, distance: str, scope: str = "") -> str:
    """The SQL for the k nearest rows: all columns except the vector, as JSON, and the distance."""
    vector = f"item.{_quoted(column)}"
    parts = [
        f"SELECT to_jsonb(item) - {_literal(column)}::text AS fields, {vector} {OPERATORS[distance]} %(vector)s AS distance",
        f"FROM {'.'.join(map(_quoted, table.split('.')))} AS item",
        f"WHERE {_field(scope)} = %(scope)s" if scope else "",
        "ORDER BY distance LIMIT %(k)s",
    ]
    return " ".join(filter(None, parts))


def _quoted(name: str) -> str:
    """A quoted SQL name, with percent signs escaped for psycopg."""
    return '"' + name.replace('"', '""').replace("%", "%%") + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''").replace("%", "%%") + "'"


def _field(name: str) -> str:
    """A column as text, or a field of a JSON column: `metadata.group`."""
    column, _, inner = name.partition(".")
    return f"item.{_quoted(column)} ->> {_literal(inner)}" if inner else f"item.{_quoted(column)}::text"


def read_rows(answer: Iterable[tuple[dict[str, Any], float | None]]) -> Iterator[Item]:
    """Rows as items; a smaller distance is better. A row without a vector has no distance and is left out."""
    for fields, distance in answer:
        if distance is not None:
            yield Item(None, None, 0.0 - distance, fields)


def settings_text(text: str, cover: Cover) -> str:
    """A connection string in either form: an address, or name=value pairs."""
    return address(text, cover) if "://" in text else command_line(text, cover)


def parse_dsn(text: str) -> str:
    """A connection string, shown without its password."""
    if not text.startswith("${") and "=" not in text and "://" not in text:
        raise ValueError("a connection string such as postgresql://user@host/database, or ${NAME} from the environment")
    return conceal(settings_text, text)


def check_named(dsn: str, embed: str, **_: Any) -> None:
    """Raise unless the package, the variable and the function or model that embeds queries exist."""
    check_opened("pgvector", "psycopg", INSTALL, [("dsn", dsn)])
    if not embed:
        raise ProviderError(f"pgvector: set how queries are embedded: {WAYS}")
    check_embed("pgvector", embed)


PROVIDER = Provider(
    "pgvector",
    "a PostgreSQL table with the pgvector extension",
    make_retriever,
    params=(
        Param(
            "dsn",
            parse_dsn,
            REQUIRED,
            "connection string, best written as ${NAME} (read from the environment); passwords are never shown",
            is_private=True,
        ),
        Param("table", str, REQUIRED, "name of the table, with its schema if needed"),
        Param("embed", str, "", "how to embed queries: module:function, or a model name as for dense"),
        Param("column", str, "embedding", "column with the vector"),
        Param("distance", one_of(*OPERATORS), "cosine", "distance between vectors: cosine, l2, inner_product or l1"),
        SCOPE,
        *READING,
        Param("timeout", positive, None, "seconds until a statement is cancelled (default: the timeout of the evaluation)"),
    ),
    **ASKED_ALONE,
    check=check_named,
    sources=lambda embed, **_: files_of_embed(embed),
    heeds_scope=receives_scopes,
)
