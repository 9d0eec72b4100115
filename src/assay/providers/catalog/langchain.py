"""langchain: a LangChain retriever, chain or vector store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from assay.model import Query
from assay.providers.adapters import AdapterRetriever, Ask, Item, Reading
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
from assay.providers.responses import names_in
from assay.providers.retriever import PermanentFailure
from assay.text import shortened

RETRIEVER = ("invoke", "ainvoke", "get_relevant_documents")
STORE = ("similarity_search_with_score", "similarity_search", "asimilarity_search_with_score", "asimilarity_search")
LISTS = ("context", "documents", "source_documents", "docs", "results", "output")
"""Names under which chains put the documents next to their answers."""
WHAT = "LangChain retriever"


def make_retriever(retriever: str, timeout: float | None = None, **fields: str) -> AdapterRetriever:
    """A retriever for the object that `module:name` names."""
    target = load_object(retriever, (*RETRIEVER, *STORE), WHAT)
    return AdapterRetriever(f"langchain:{retriever}", ask_of(target), read_documents, Reading(**fields), timeout)


def ask_of(target: Any) -> Ask:
    """How to query the object: invoke a retriever or chain, search a vector store."""
    if is_fitting(target, RETRIEVER):
        return partial(_invoke, ByDepth(target, at_depth))
    return partial(_search, target)


def _invoke(by_depth: ByDepth, query: Query, k: int) -> Any:
    return call_first(by_depth[k], RETRIEVER, query.text)


def _search(store: Any, query: Query, k: int) -> Any:
    return call_first(store, STORE, query.text, k=k)


def at_depth(retriever: Any, k: int) -> Any:
    """A copy that returns k documents, by its `search_kwargs` or its `k`. An MMR search fetches at least k candidates."""
    settings = getattr(retriever, "search_kwargs", None)
    if not isinstance(settings, Mapping):
        return with_depth(retriever, k)
    settings = {**settings, "k": k}
    if getattr(retriever, "search_type", "") == "mmr":
        settings["fetch_k"] = max(k, settings.get("fetch_k", 20))
    return with_setting(retriever, "search_kwargs", settings)


def read_documents(answer: Any) -> Iterator[Item]:
    """Documents, or pairs of document and score, as items. A chain returns them under one of the names in LISTS."""
    if isinstance(answer, Mapping):
        name = next((name for name in LISTS if isinstance(answer.get(name), list | tuple)), None)
        if name is None:
            raise PermanentFailure(
                f"expected a list of documents under one of the keys {', '.join(LISTS)}, found {names_in(answer)}"
            )
        answer = answer[name]
    if not isinstance(answer, list | tuple):
        raise PermanentFailure(f"expected a list of documents, found {shortened(answer)}")
    for entry in answer:
        document, score = entry if isinstance(entry, tuple) and len(entry) == 2 else (entry, None)
        text = getattr(document, "page_content", None)
        if not isinstance(text, str):
            raise PermanentFailure(f"expected documents with page_content, found {shortened(document)}")
        yield Item(getattr(document, "id", None), text, score, getattr(document, "metadata", None) or {})


PROVIDER = Provider(
    "langchain",
    "a LangChain retriever, chain or vector store",
    make_retriever,
    **retriever_in_code((*RETRIEVER, *STORE), WHAT),
)
