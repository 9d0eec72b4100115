"""rerank: the best hits of another provider, reordered by a function or a cross-encoder; both rankings are stored."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from assay.errors import BadParameter, ProviderError
from assay.extras import install_command
from assay.grammar import Param, cutoff
from assay.model import Document, Hit, Query
from assay.providers.event_loop import EventLoop
from assay.providers.loading import (
    check_installed,
    describe_library_error,
    files_of,
    import_package,
    load_named,
    parse_function,
)
from assay.providers.protocols import Retriever
from assay.providers.provider import Provider
from assay.providers.responses import Answers, Composed, ranked
from assay.providers.retriever import PermanentFailure, with_reported_fields
from assay.text import counted, shortened

INSTALL = install_command("sentence-transformers")
RANK, SCORE, REST = "first_rank", "first_score", "first"
"""Names in the metadata of a hit: its rank and score before; in the best hit also the hits that dropped out of the top k."""
Scorer = Callable[[Query, list[Hit]], Any]
"""A query and hits with their texts → a score for each."""


class Rerank(Composed):
    """Queries its only part, then scores the first `depth` hits again. The other hits follow in their old order.

    The metadata of each hit have its rank and score before: `first_rank` and `first_score`. The best hit also lists, under
    `first`, the hits that were in the first k before and are not any more. `first_ranking` restores the first ranking.
    """

    def __init__(self, parts: Sequence[Retriever], function: str, model: str, depth: int) -> None:
        check_settings(parts, function, model)
        self._name, self.depth = function or model, depth
        self._scorer = _called(function) if function else _by_cross_encoder(model)
        super().__init__(parts)
        self._texts: dict[str, str] = {}
        self._event_loop = EventLoop()

    def index(self, documents: Iterable[Document]) -> None:
        """Give the documents to the part, and store their texts."""
        documents = documents if isinstance(documents, Collection) else list(documents)
        self._texts = {document.doc_id: document.content for document in documents}
        super().index(documents)

    def search(self, queries: Sequence[Query], k: int) -> Answers:
        """For each query up to k hits in their new order. If scoring fails for a query, only that query fails."""
        (firsts,) = self.search_parts(queries, max(k, self.depth))
        return [self._answer(query, first, k) for query, first in zip(queries, firsts, strict=True)]

    def _answer(self, query: Query, first: list[Hit] | ProviderError, k: int) -> list[Hit] | ProviderError:
        if isinstance(first, ProviderError):
            return first
        noted = [_noted(hit, rank) for rank, hit in enumerate(ranked(first), 1)]
        try:
            scores = self._scores(query, noted[: self.depth])
        except ProviderError as error:
            return error
        head = ranked(replace(hit, score=score) for hit, score in zip(noted[: self.depth], scores, strict=True))
        lowest = head[-1].score if head else 0.0
        tail = [replace(hit, score=lowest - place) for place, hit in enumerate(noted[self.depth :], 1)]
        return with_reported_fields(_with_rest_of_first((head + tail)[:k], noted[:k]), first)

    def _scores(self, query: Query, hits: list[Hit]) -> list[float]:
        if not hits:
            return []
        with_texts = [replace(hit, text=self._text(hit)) for hit in hits]
        with describe_library_error(self._name):
            answer = self._event_loop.result(self._scorer(query, with_texts))
            answer = list(answer) if inspect.isgenerator(answer) else answer
        return self._checked(answer, len(hits))

    def _text(self, hit: Hit) -> str:
        text = self._texts.get(hit.doc_id) if hit.text is None else hit.text
        if text is None:
            raise PermanentFailure(f"rerank: document {hit.doc_id} has no text. Add its text to the hit or to the benchmark")
        return text

    def _checked(self, answer: Any, n_hits: int) -> list[float]:
        try:
            scores = [float(score) for score in answer]
        except (TypeError, ValueError):
            raise PermanentFailure(
                f"{self._name} must return a list with a number per text, not {shortened(answer)}"
            ) from None
        if len(scores) != n_hits:
            counts = f"it got {counted(n_hits, 'text')} and returned {counted(len(scores), 'score')}"
            raise PermanentFailure(f"{self._name} must return a score per text: {counts}")
        if not all(map(math.isfinite, scores)):
            raise PermanentFailure(f"{self._name} returned a score that is not a finite number")
        return scores


def _noted(hit: Hit, rank: int) -> Hit:
    """The hit with its rank and score in its metadata."""
    own = {name: value for name, value in (hit.metadata or {}).items() if name != REST}
    return replace(hit, metadata={**own, RANK: rank, SCORE: hit.score})


def _with_rest_of_first(hits: list[Hit], first: Sequence[Hit]) -> list[Hit]:
    """The hits; the best one lists the hits of the first ranking that are not among them."""
    reranked_docs = {hit.doc_id for hit in hits}
    rest = [[hit.doc_id, hit.score] for hit in first if hit.doc_id not in reranked_docs]
    if rest:
        hits[0] = replace(hits[0], metadata={**(hits[0].metadata or {}), REST: rest})
    return hits


def first_ranking(hits: Sequence[Hit]) -> list[Hit] | None:
    """The ranking before it was reordered, of the same length; None if the hits do not contain it."""
    known = [hit.metadata for hit in hits if hit.metadata and RANK in hit.metadata and SCORE in hit.metadata]
    if len(known) < len(hits):
        return None
    by_rank = {metadata[RANK]: Hit(hit.doc_id, metadata[SCORE], hit.text) for hit, metadata in zip(hits, known, strict=True)}
    rest = iter([Hit(doc_id, score) for metadata in known for doc_id, score in metadata.get(REST, ())])
    ranks = range(1, len(hits) + 1)
    return [hit for rank in ranks if (hit := by_rank[rank] if rank in by_rank else next(rest, None)) is not None]


def _called(function: str) -> Scorer:
    """The function, called as f(query, hits) if its second parameter is `hits`, otherwise as f(text, texts)."""
    scorer = load_named(function)
    if inspect.isclass(scorer):
        with describe_library_error(function):
            scorer = scorer()
    _check_callable(function, scorer)
    if _second_parameter(scorer) == "hits":
        return scorer

    def score(query: Query, hits: list[Hit]) -> Any:
        return scorer(query.text, [hit.text for hit in hits])

    return score


def _check_callable(name: str, scorer: Any) -> None:
    if not callable(scorer):
        raise ProviderError(f"{name} must be a function, not {shortened(scorer)}")


def check_settings(parts: Sequence[object], function: str, model: str, **_: object) -> None:
    """Raise unless there is one part, and either a function or a model, and the function or package exists."""
    if len(parts) != 1:
        raise BadParameter(
            f"rerank needs exactly one provider, as in rerank(bm25, function='my_module:score'), not {len(parts)}"
        )
    if bool(function) == bool(model):
        raise BadParameter("rerank needs either function='module:function' or model='name of a cross-encoder'")
    if model:
        check_installed(f"rerank(model='{model}')", "sentence_transformers", INSTALL)
    else:
        _check_callable(function, load_named(function))


def _second_parameter(function: Callable[..., Any]) -> str:
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # built in, without a signature
        return ""
    return names[1] if len(names) > 1 else ""


def _by_cross_encoder(model: str) -> Scorer:
    """A sentence-transformers model that scores each pair of query and text."""

    def score(query: Query, hits: list[Hit]) -> Any:
        pairs = [(query.text, hit.text) for hit in hits]
        return _cross_encoder(model).predict(pairs, show_progress_bar=False)

    return score


@cache
def _cross_encoder(model: str) -> Any:
    """The model, loaded once per process."""
    package = import_package("rerank", "sentence_transformers", INSTALL)
    try:
        return package.CrossEncoder(model)
    except Exception as error:
        raise ProviderError(f"rerank: cannot load the model {model!r}: {error}") from error


PROVIDER = Provider(
    "rerank",
    "the best hits of another provider, reordered by a function or a cross-encoder; both rankings are stored",
    Rerank,
    params=(
        Param(
            "function",
            parse_function,
            "",
            "module:name of a function that gets the query text and a list of texts and returns a score for each",
        ),
        Param("model", str, "", "name or folder of a sentence-transformers cross-encoder"),
        Param("depth", cutoff, 100, "number of hits to rerank"),
    ),
    takes_parts=True,
    default_parts=("bm25",),
    is_repeatable=False,
    is_exhaustive=True,
    check=check_settings,
    sources=lambda function, **_: files_of(function) if function else [],
    keeps_first=True,
)
