"""hybrid: the rankings of several providers, fused into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum

from assay.errors import BadParameter, ProviderError
from assay.grammar import Param, not_negative, numbers, one_of
from assay.model.records import Document, Hit, Query
from assay.providers._answers import Answers
from assay.providers._parts import Judged, Parts, ranked
from assay.providers._provider import Provider, Retriever
from assay.providers._whole_number import whole_number

SHALLOWEST = 100


def by_rank(hits: Sequence[Hit], rank_constant: float) -> list[float]:
    """What each hit is worth by its rank: 1 ÷ (constant + rank)."""
    return [1 / (rank_constant + rank) for rank in range(1, len(hits) + 1)]


def by_score(hits: Sequence[Hit]) -> list[float]:
    """What each hit is worth by its score: 1 for the highest, 0 for the lowest, all 1 where they are equal."""
    scores = [hit.score for hit in hits]
    lowest, highest = min(scores, default=0.0), max(scores, default=0.0)
    if (width := highest - lowest) == 0:
        return [1.0] * len(hits)
    return [(score - lowest) / width for score in scores]


class Hybrid:
    """Asks every part, and adds up what each document is worth to them."""

    def __init__(
        self, parts: Sequence[Retriever], method: str, weights: Sequence[float], rank_constant: float, depth: int
    ) -> None:
        if len(parts) < 2:
            raise BadParameter("hybrid is made of two or more providers, as in hybrid(bm25, dense)")
        if weights and len(weights) != len(parts):
            raise BadParameter(f"hybrid: {len(weights)} weights for {len(parts)} providers; give one each")
        self._parts = Parts(parts)
        self.method, self.rank_constant, self.depth = method, rank_constant, depth
        self.weights = list(weights) or [1.0 if method == "rrf" else 1 / len(parts)] * len(parts)
        self.batch = self._parts.batch

    def know(self, qrels: Judged) -> None:
        """Tell the judgments to the parts that may know them."""
        self._parts.know(qrels)

    def close(self) -> None:
        """Close the parts."""
        self._parts.close()

    def index(self, documents: Iterable[Document]) -> None:
        """Give the documents to each part."""
        self._parts.index(documents)

    def search(self, queries: Sequence[Query], k: int) -> Answers:
        """For each query the k best documents of the fused ranking; a query that failed in one part has failed."""
        by_part = self._parts.search(queries, self.depth or max(k, SHALLOWEST))
        return [self._fuse(rankings, k) for rankings in zip(*by_part, strict=True)]

    def _fuse(self, rankings: Sequence[list[Hit] | ProviderError], k: int) -> list[Hit] | ProviderError:
        worth: dict[str, list[float]] = {}
        texts: dict[str, str | None] = {}
        for weight, hits in zip(self.weights, rankings, strict=True):
            if isinstance(hits, ProviderError):
                return hits
            hits = ranked(hits)
            values = by_rank(hits, self.rank_constant) if self.method == "rrf" else by_score(hits)
            for hit, value in zip(hits, values, strict=True):
                worth.setdefault(hit.doc_id, []).append(weight * value)
                texts[hit.doc_id] = texts.get(hit.doc_id) or hit.text
        return ranked(Hit(doc_id, fsum(values), texts[doc_id]) for doc_id, values in worth.items())[:k]


def parse_weights(text: str) -> tuple[float, ...]:
    """Several numbers from 0 up, not all of them 0."""
    weights = numbers(text)
    if min(weights) < 0 or not any(weights):
        raise ValueError("numbers from 0 up, not all 0, as in [0.7, 0.3]")
    return weights


PROVIDER = Provider(
    "hybrid",
    "the rankings of several providers, fused into one",
    Hybrid,
    params=(
        Param("method", one_of("rrf", "weighted"), "rrf", "rrf: by ranks; weighted: by scores, brought to 0 … 1 per query"),
        Param("weights", parse_weights, (), "one number per provider; empty: all alike"),
        Param(
            "rank_constant",
            not_negative,
            60.0,
            "rrf: what is added to each rank; the higher, the less the first ranks count",
        ),
        Param("depth", whole_number, 0, f"hits asked of each provider; 0: as many as are wanted, at least {SHALLOWEST}"),
    ),
    takes_parts=True,
    default_parts=("bm25", "dense"),
    is_repeatable=True,
)
