"""qdrant: a Qdrant collection in a folder, on a server or from a client in Python code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from assay.errors import ProviderError
from assay.grammar import REQUIRED, Param
from assay.model import Query
from assay.providers.adapters import AdapterRetriever, Item, Reading
from assay.providers.event_loop import EventLoop
from assay.providers.loading import describe_library_error, import_package
from assay.providers.objects import load_object
from assay.providers.provider import Provider
from assay.providers.retriever import PermanentFailure
from assay.providers.secrets import conceal, whole_key
from assay.providers.stores import (
    AS_STORE,
    ASKING,
    WAYS,
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

INSTALL = "pip install qdrant-client"
CLIENT = ("query_points",)
WHAT = "Qdrant client"


def make_retriever(collection: str, timeout: float | None = None, **settings: Any) -> AdapterRetriever:
    """A retriever over one collection, opened now."""
    opening = {name: settings.pop(name) for name in ("path", "python", "url", "api_key", "embed", "model")}
    using, scope = settings.pop("using"), settings.pop("scope")
    check_named(**opening)
    python, model = opening["python"], opening["model"]
    name = f"qdrant({collection})"
    client = (
        load_object(python, CLIENT, WHAT) if python else _client(name, opening["path"], opening["url"], opening["api_key"])
    )
    _check_collection(name, client, collection)
    embed = load_embed("qdrant", opening["embed"]) if opening["embed"] else partial(_of_qdrant, model)
    ask = partial(_query, client, collection, embed, {"using": using} if using else {}, scope)
    retriever = AdapterRetriever(name, ask, read_points, Reading(**settings), timeout)
    if not python:
        retriever.close = client.close
    return retriever


def _client(name: str, path: str, url: str, api_key: str) -> Any:
    qdrant_client = import_package("qdrant", "qdrant_client", INSTALL)
    with describe_library_error(name):
        if path:
            return qdrant_client.QdrantClient(path=path)
        key = {"api_key": fill_address(api_key, "api_key")} if api_key else {}
        return qdrant_client.QdrantClient(url=fill_address(url, "url"), **key)


def _check_collection(name: str, client: Any, collection: str) -> None:
    """Raise unless the collection exists, if the client can tell."""
    if not callable(getattr(client, "collection_exists", None)):
        return
    with describe_library_error(name):
        exists = EventLoop().result(client.collection_exists(collection))
    if not exists:
        names = lambda: [collection.name for collection in EventLoop().result(client.get_collections()).collections]  # noqa: E731
        raise missing_error(name, "collection", collection, names)


def _of_qdrant(model: str, text: str) -> Any:
    """A text that Qdrant, or fastembed in its client, embeds."""
    return import_package("qdrant", "qdrant_client", INSTALL).models.Document(text=text, model=model)


def _query(client: Any, collection: str, embed: Embed, using: dict[str, str], scope: str, query: Query, k: int) -> Any:
    asked: dict[str, Any] = dict(using)
    if scope and query.scope is not None:
        models = import_package("qdrant", "qdrant_client", INSTALL).models
        fits = models.FieldCondition(key=scope, match=models.MatchValue(value=query.scope))
        asked["query_filter"] = models.Filter(must=[fits])
    vector = embed(query.text)
    return client.query_points(collection_name=collection, query=vector, limit=k, with_payload=True, **asked)


def read_points(answer: Any) -> Iterator[Item]:
    """Points as items. In some collections the score is a distance; the order shows which it is."""
    points = getattr(answer, "points", answer)
    if not isinstance(points, list | tuple):
        raise PermanentFailure(f"expected points, found {shortened(answer)}")
    for point in points:
        if getattr(point, "id", None) is None:
            raise PermanentFailure(f"expected points with an id, found {shortened(point)}")
        yield Item(point.id, None, getattr(point, "score", None), getattr(point, "payload", None) or {})


def check_named(path: str, python: str, url: str, embed: str, model: str, api_key: str = "", **_: Any) -> None:
    """Raise unless the package, the folder and the code exist and one way to embed queries is set."""
    check_opened("qdrant", "qdrant_client", INSTALL, [("path", path), ("url", url), ("python", python)])
    if bool(embed) == bool(model):
        raise ProviderError(
            "qdrant: embed= and model= are two ways to embed queries. Use one of them"
            if embed
            else f"qdrant: set how queries are embedded: {WAYS}, or model= for a model of Qdrant"
        )
    fill_address(api_key, "api_key")
    check_parts("qdrant", python, CLIENT, WHAT, embed)


PROVIDER = Provider(
    "qdrant",
    "a Qdrant collection in a folder, on a server or from a client in Python code",
    make_retriever,
    params=(
        *opening_params("folder of a database in local mode", "a client"),
        Param("url", parse_address, "", "address of the server, such as http://127.0.0.1:6333", is_private=True),
        Param(
            "api_key",
            partial(conceal, whole_key),
            "",
            "API key of the server, written as ${NAME} (read from the environment); never shown",
            is_private=True,
        ),
        Param("collection", str, REQUIRED, "name of the collection"),
        Param("embed", str, "", "how to embed queries: module:function, or a model name as for dense"),
        Param("model", str, "", "instead of embed: model that Qdrant or its package fastembed uses to embed queries"),
        Param("using", str, "", "name of the vector, if points have several"),
        *ASKING,
    ),
    **AS_STORE,
    check=check_named,
)
