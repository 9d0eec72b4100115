"""chroma: a Chroma collection in a folder, on a server or in Python code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from assay.errors import ProviderError
from assay.grammar import Param
from assay.model import Query
from assay.providers.adapters import AdapterRetriever, Item, Reading
from assay.providers.loading import describe_library_error, import_package
from assay.providers.objects import load_object
from assay.providers.provider import Provider
from assay.providers.responses import names_in
from assay.providers.retriever import PermanentFailure
from assay.providers.stores import (
    AS_STORE,
    ASKING,
    Embed,
    check_opened,
    check_parts,
    fill_address,
    load_embed,
    missing_error,
    opening_params,
    parse_address,
)
from assay.text import shortened

INSTALL = "pip install chromadb"
COLLECTION, CLIENT = ("query",), ("get_collection",)
INCLUDED = ("documents", "metadatas", "distances")


def make_retriever(
    path: str, python: str, url: str, collection: str, embed: str, scope: str, timeout: float | None, **fields: str
) -> AdapterRetriever:
    """A retriever over one collection, opened now."""
    check_named(path=path, python=python, url=url, collection=collection, embed=embed)
    name = f"chroma:{python}" if python else f"chroma({collection})"
    store = load_object(python, (*COLLECTION, *CLIENT), "Chroma collection") if python else _client(name, path, url)
    if not callable(getattr(store, "query", None)):
        store = _collection(name, store, collection)
    ask = partial(_query, store, load_embed("chroma", embed) if embed else None, scope)
    return AdapterRetriever(name, ask, read_columns, Reading(**fields), timeout)


def _client(name: str, path: str, url: str) -> Any:
    """A client without telemetry."""
    chromadb = import_package("chroma", "chromadb", INSTALL)
    with describe_library_error(name):
        settings = chromadb.Settings(anonymized_telemetry=False)
        if path:
            return chromadb.PersistentClient(path, settings=settings)
        server = urlsplit(fill_address(url, "url"))
        is_safe = server.scheme == "https"
        port = server.port or (443 if is_safe else 8000)
        return chromadb.HttpClient(server.hostname, port, ssl=is_safe, settings=settings)


def _collection(name: str, client: Any, collection: str) -> Any:
    if not collection:
        raise ProviderError(f"{name} needs collection=, as in chroma(path=./db, collection=docs)")
    try:
        return client.get_collection(collection)
    except Exception as error:
        if type(error).__name__ not in ("NotFoundError", "InvalidCollectionException", "ValueError"):
            raise ProviderError(f"{name}: {type(error).__name__}: {error}") from error
        names = lambda: (getattr(collection, "name", collection) for collection in client.list_collections())  # noqa: E731 (asked if needed)
        raise missing_error(name, "collection", collection, names) from error


def _query(collection: Any, embed: Embed | None, scope: str, query: Query, k: int) -> Any:
    asked: dict[str, Any] = {"query_texts": [query.text]} if embed is None else {"query_embeddings": [embed(query.text)]}
    if scope and query.scope is not None:
        asked["where"] = {scope: query.scope}
    return collection.query(**asked, n_results=k, include=list(INCLUDED))


def read_columns(answer: Any) -> Iterator[Item]:
    """The columns for the one query as items; a smaller distance is better."""
    if not isinstance(answer, Mapping) or not isinstance(answer.get("ids"), list) or len(answer["ids"]) != 1:
        received = names_in(answer) if isinstance(answer, Mapping) else shortened(answer)
        raise PermanentFailure(f"expected the ids, documents, metadatas and distances for one query, found {received}")
    ids = answer["ids"][0]
    texts, fields, distances = (_column(answer, name, len(ids)) for name in INCLUDED)
    for own_id, text, metadata, distance in zip(ids, texts, fields, distances, strict=True):
        score = 0.0 - distance if isinstance(distance, int | float) else distance
        yield Item(own_id, text, score, metadata or {})


def _column(answer: Mapping[str, Any], name: str, length: int) -> list[Any]:
    """A column; all None if the collection did not store it."""
    column = answer.get(name)
    return [None] * length if not column or column[0] is None else list(column[0])


def check_named(path: str, python: str, url: str, embed: str, **_: Any) -> None:
    """Raise unless the package, the folder and the code exist."""
    check_opened("chroma", "chromadb", INSTALL, [("path", path), ("url", url), ("python", python)])
    check_parts("chroma", python, (*COLLECTION, *CLIENT), "Chroma collection", embed)


PROVIDER = Provider(
    "chroma",
    "a Chroma collection in a folder, on a server or in Python code",
    make_retriever,
    params=(
        *opening_params("folder of the database", "a collection or client"),
        Param("url", parse_address, "", "address of the server, such as http://127.0.0.1:8000", is_private=True),
        Param("collection", str, "", "name of the collection"),
        Param(
            "embed",
            str,
            "",
            "how to embed queries: module:function, or a model name as for dense (default: the collection embeds them)",
        ),
        *ASKING,
    ),
    **AS_STORE,
    short_for="python",
    check=check_named,
)
