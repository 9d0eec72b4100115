"""llamaindex: a LlamaIndex retriever, query engine or index."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import partial
from typing import Any

from assay.model import Query
from assay.providers.adapters import AdapterRetriever, Item, Reading
from assay.providers.objects import (
    ByDepth,
    call_first,
    is_fitting,
    load_object,
    retriever_in_code,
    with_depth,
    with_setting,
)
from assay.providers.provider import Provider
from assay.providers.retriever import PermanentFailure
from assay.text import shortened

RETRIEVER = ("retrieve", "aretrieve")
INDEX = ("as_retriever",)
WHAT = "LlamaIndex retriever"


def make_retriever(retriever: str, timeout: float | None = None, **fields: str) -> AdapterRetriever:
    """A retriever for the object that `module:name` names."""
    target = load_object(retriever, (*RETRIEVER, *INDEX), WHAT)
    ask = partial(_retrieve, ByDepth(target, at_depth))
    return AdapterRetriever(f"llamaindex:{retriever}", ask, read_nodes, Reading(**fields), timeout)


def _retrieve(by_depth: ByDepth, query: Query, k: int) -> Any:
    return call_first(by_depth[k], RETRIEVER, _bundle(query.text))


def _bundle(text: str) -> Any:
    """A query as rerankers expect it; the plain text if LlamaIndex is not installed."""
    try:
        return importlib.import_module("llama_index.core.schema").QueryBundle(text)
    except ImportError:
        return text


def at_depth(target: Any, k: int) -> Any:
    """An object that returns k nodes: a retriever of the index, or a copy of the retriever.

    The number of nodes that the rerankers of a query engine get is never reduced, because they choose from these nodes.
    """
    if not is_fitting(target, RETRIEVER):
        return target.as_retriever(similarity_top_k=k)
    inner = getattr(target, "_retriever", None)
    if not is_fitting(inner, RETRIEVER):
        return with_depth(target, k)
    known = getattr(inner, "similarity_top_k", None)
    return with_setting(target, "_retriever", with_depth(inner, max(k, known))) if isinstance(known, int) else target


def read_nodes(answer: Any) -> Iterator[Item]:
    """Nodes with scores as items; `ref_doc_id` is the document that a node was cut from."""
    if not isinstance(answer, list | tuple):
        raise PermanentFailure(f"expected a list of nodes, found {shortened(answer)}")
    for entry in answer:
        node = getattr(entry, "node", entry)
        own_id = getattr(node, "node_id", None)
        if own_id is None:
            raise PermanentFailure(f"expected nodes with node_id, found {shortened(entry)}")
        fields = dict(getattr(node, "metadata", None) or {})
        if (document := getattr(node, "ref_doc_id", None)) is not None:
            fields.setdefault("ref_doc_id", document)
        content = getattr(node, "get_content", None)
        text = content() if callable(content) else getattr(node, "text", None)
        yield Item(own_id, text, getattr(entry, "score", None), fields)


PROVIDER = Provider(
    "llamaindex",
    "a LlamaIndex retriever, query engine or index",
    make_retriever,
    **retriever_in_code((*RETRIEVER, *INDEX), WHAT),
)
