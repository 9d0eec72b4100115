"""haystack: a Haystack pipeline or retriever."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from assay.errors import ProviderError
from assay.grammar import Param
from assay.model import Query
from assay.providers.adapters import ASKED_ALONE, READING, TIMEOUT, AdapterRetriever, Ask, Item, Reading, named_in_code
from assay.providers.loading import files_of
from assay.providers.objects import call_first, check_object, is_fitting, load_object
from assay.providers.provider import Provider
from assay.providers.responses import names_in
from assay.providers.retriever import PermanentFailure
from assay.providers.stores import WAYS, check_embed, files_of_embed, load_embed
from assay.text import shortened

RUN = ("run", "run_async")
WHAT = "Haystack pipeline or retriever"
QUERIES = ("query", "text", "question")
"""Names that components use for the text of a query."""
EMBEDDING = "query_embedding"


def make_retriever(
    pipeline: str, component: str = "", embed: str = "", timeout: float | None = None, **fields: str
) -> AdapterRetriever:
    """A retriever for the object that `module:name` names."""
    runnable = load_object(pipeline, RUN, WHAT)
    name = f"haystack:{pipeline}"
    if is_fitting(runnable, ("inputs",)) and is_fitting(runnable, ("outputs",)):
        source = component or only_source(name, runnable)
        ask: Ask = partial(_run_pipeline, runnable, inputs_of(name, runnable, source), source)
        read: Callable[[Any], Iterator[Item]] = partial(read_output, source)
    else:
        ask, read = partial(_run_component, runnable, _asked_with(name, runnable, embed)), read_documents
    return AdapterRetriever(name, ask, read, Reading(**fields), timeout)


WRAP = "Write a function search(query, k) that runs it, and use python:module:search"


def only_source(name: str, pipeline: Any) -> str:
    """The only component of the pipeline that returns documents."""
    sources = [component for component, sockets in pipeline.outputs().items() if "documents" in sockets]
    if len(sources) != 1:
        outcome = f"{' and '.join(sources)} do" if sources else "none does"
        advice = f"Set component= to one of {', '.join(pipeline.inputs())}"
        raise ProviderError(f"{name}: exactly one component of the pipeline must return documents, but {outcome}. {advice}")
    return sources[0]


def inputs_of(name: str, pipeline: Any, source: str) -> tuple[list[tuple[str, str]], bool]:
    """The sockets that get the text of a query, and whether the source accepts the number of documents."""
    inputs: Mapping[str, Mapping[str, Any]] = pipeline.inputs()
    texts = [(component, socket) for component, sockets in inputs.items() for socket in sockets if socket in QUERIES]
    needed = [
        f"{component}.{socket}"
        for component, sockets in inputs.items()
        for socket, about in sockets.items()
        if about.get("is_mandatory") and socket not in QUERIES
    ]
    if needed or not texts:
        outcome = f"this one also needs {', '.join(needed)}" if needed else "this one has no such input"
        raise ProviderError(
            f"{name}: the only input of the pipeline must be the query ({', '.join(QUERIES[:-1])} or {QUERIES[-1]}), "
            f"but {outcome}. {WRAP}"
        )
    return texts, "top_k" in inputs.get(source, {})


def _run_pipeline(pipeline: Any, inputs: tuple[list[tuple[str, str]], bool], source: str, query: Query, k: int) -> Any:
    texts, takes_depth = inputs
    data: dict[str, dict[str, Any]] = {}
    for component, socket in texts:
        data.setdefault(component, {})[socket] = query.text
    if takes_depth:
        data.setdefault(source, {})["top_k"] = k
    return call_first(pipeline, RUN, data, include_outputs_from={source})


def _asked_with(name: str, component: Any, embed: str) -> Callable[[Query, int], dict[str, Any]]:
    """What a single component is run with: a text, or a vector if it needs one."""
    method = next(method for method_name in RUN if callable(method := getattr(component, method_name, None)))
    takes = inspect.signature(method).parameters
    text = next((parameter for parameter in QUERIES if parameter in takes), None)
    if text is None and EMBEDDING not in takes:
        expected = f"{', '.join(QUERIES)} or {EMBEDDING}"
        raise ProviderError(
            f"{name}: the component must accept {expected}; its parameters are {', '.join(takes) or 'none'}. {WRAP}"
        )
    if text is None and not embed:
        raise ProviderError(f"{name}: the retriever needs a vector. Set how queries are embedded: {WAYS}")
    vector = None if text is not None else load_embed("haystack", embed)

    def asked(query: Query, k: int) -> dict[str, Any]:
        inputs: dict[str, Any] = {EMBEDDING: vector(query.text)} if vector else {str(text): query.text}
        return {**inputs, "top_k": k} if "top_k" in takes else inputs

    return asked


def _run_component(component: Any, asked: Callable[[Query, int], dict[str, Any]], query: Query, k: int) -> Any:
    return call_first(component, RUN, **asked(query, k))


def read_output(source: str, answer: Any) -> Iterator[Item]:
    """The documents that one component of a pipeline returned."""
    if not isinstance(answer, Mapping) or source not in answer:
        raise PermanentFailure(f"the pipeline returned no output of {source}, found {shortened(answer)}")
    return read_documents(answer[source])


def read_documents(answer: Any) -> Iterator[Item]:
    """Documents as items."""
    if not isinstance(answer, Mapping) or not isinstance(answer.get("documents"), list | tuple):
        received = names_in(answer) if isinstance(answer, Mapping) else shortened(answer)
        raise PermanentFailure(f"expected documents, found {received}")
    for document in answer["documents"]:
        if getattr(document, "id", None) is None:
            raise PermanentFailure(f"expected documents with an id, found {shortened(document)}")
        yield Item(document.id, getattr(document, "content", None), getattr(document, "score", None), document.meta or {})


def check_named(pipeline: str, embed: str = "", **_: Any) -> None:
    """Raise unless the pipeline and the function or model that embeds queries exist."""
    check_object(pipeline, RUN, WHAT)
    check_embed("haystack", embed)


PROVIDER = Provider(
    "haystack",
    "a Haystack pipeline or retriever",
    make_retriever,
    params=(
        named_in_code("pipeline"),
        Param("component", str, "", "component whose documents are the hits (default: the only one that returns documents)"),
        Param("embed", str, "", "for a single retriever that needs a vector: module:function, or a model name as for dense"),
        *READING,
        TIMEOUT,
    ),
    **ASKED_ALONE,
    short_for="pipeline",
    check=check_named,
    sources=lambda pipeline, embed, **_: [*files_of(pipeline), *files_of_embed(embed)],
    heeds_scope=False,
)
