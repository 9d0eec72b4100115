"""hybrid: the rankings of several providers, fused into one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.errors import BadParameter, ProviderError, UnknownName
from assay.fusion import NORMALISATIONS, BoundFusion, RankedLists, parse_fusion, parse_norm, parse_weights
from assay.grammar import Param, not_negative
from assay.model import Hit, Query, Rankings, Run
from assay.providers.protocols import Retriever
from assay.providers.provider import Provider, whole_number
from assay.providers.responses import Answers, Composed

SHALLOWEST = 100
RANK_CONSTANT = 60.0


def parse_method(text: str) -> str:
    """The canonical name of a fusion. A fusion that learns from judgments is an error, because there are none here."""
    try:
        fusion = parse_fusion(text)
    except UnknownName as error:
        near = f" (did you mean {' or '.join(error.near)}?)" if error.near else ""
        raise ValueError(f"the name of a fusion, such as rrf, comb_mnz or weighted_sum{near}") from None
    if fusion.fusion.is_trained:
        raise ValueError(
            "a fusion that needs no judgments, such as rrf, comb_mnz or weighted_sum (to use a fusion that learns from "
            "judgments, write the rankings of the providers to files and run assay fuse --qrels)"
        )
    return fusion.name


def parse_own_norm(text: str) -> str:
    """A normalisation; empty for the one that the method uses by default."""
    return parse_norm(text) if text else ""


def fusion_of(
    parts: Sequence[object], method: str, weights: Sequence[float], rank_constant: float, norm: str = "", **_: object
) -> BoundFusion:
    """The fusion with its parameters. Raise unless there are at least two parts and all parameters fit the method."""
    if len(parts) < 2:
        raise BadParameter("hybrid needs at least two providers, as in hybrid(bm25, dense)")
    if weights and len(weights) != len(parts):
        raise BadParameter(f"hybrid: expected {len(parts)} weights (one per provider), found {len(weights)}")
    settings = {"weights": tuple(weights), "norm": norm, "k": rank_constant if rank_constant != RANK_CONSTANT else ""}
    try:
        return parse_fusion(method, **{name: value for name, value in settings.items() if value != "" and value != ()})
    except BadParameter as error:
        raise BadParameter(f"hybrid: {error}") from None


def check_parts(parts: Sequence[object], **settings: Any) -> None:
    """Raise if parts and parameters do not fit together."""
    fusion_of(parts, **settings)


class Hybrid(Composed):
    """Queries every part and fuses the rankings of all queries at once."""

    def __init__(
        self,
        parts: Sequence[Retriever],
        method: str,
        weights: Sequence[float],
        rank_constant: float,
        depth: int,
        norm: str = "",
    ) -> None:
        self.fusion = fusion_of(parts, method, weights, rank_constant, norm)
        super().__init__(parts)
        self.depth = depth

    def search(self, queries: Sequence[Query], k: int) -> Answers:
        """For each query the k best documents of the fused ranking. A query that fails in one part fails."""
        by_part = self.search_parts(queries, self.depth or max(k, SHALLOWEST))
        answers: list[list[Hit] | ProviderError] = [[] for _ in queries]
        answered: list[list[list[Hit]]] = []
        places = []
        for place, rankings in enumerate(zip(*by_part, strict=True)):
            hits = [ranking for ranking in rankings if not isinstance(ranking, ProviderError)]
            if len(hits) == len(rankings):
                answered.append(hits)
                places.append(place)
            else:
                answers[place] = next(ranking for ranking in rankings if isinstance(ranking, ProviderError))
        for place, fused_hits in zip(places, self._fused(answered, k), strict=True):
            answers[place] = fused_hits
        return answers

    def _fused(self, answered: Sequence[Sequence[list[Hit]]], k: int) -> list[list[Hit]]:
        """The fused ranking of each query; `answered` has for each query its hits, part by part."""
        if not answered:
            return []
        runs = [
            Run.borrow(
                Rankings({str(place): {hit.doc_id: hit.score for hit in some} for place, some in enumerate(rankings)})
            )
            for rankings in zip(*answered, strict=True)
        ]
        lists = RankedLists.of(runs)
        fused = lists.fused(self.fusion.score(lists), depth=k)
        fused_hits = []
        for rankings, ranking in zip(answered, fused.rankings, strict=True):
            texts: dict[str, str | None] = {}
            for hit in (hit for hits in rankings for hit in hits):
                texts[hit.doc_id] = texts.get(hit.doc_id) or hit.text
            fused_hits.append([Hit(doc, score, texts[doc]) for doc, score in ranking.items()])
        return fused_hits


PROVIDER = Provider(
    "hybrid",
    "the rankings of several providers, fused into one",
    Hybrid,
    params=(
        Param("method", parse_method, "rrf", "fusion method: rrf, comb_mnz, weighted_sum …; assay fuse lists all"),
        Param("weights", parse_weights, (), "one number per provider; empty: equal weights"),
        Param(
            "rank_constant",
            not_negative,
            RANK_CONSTANT,
            "rrf: number added to each rank; the higher it is, the less the first ranks count",
        ),
        Param(
            "depth",
            whole_number,
            0,
            f"hits requested from each provider; 0: as many as the evaluation needs, at least {SHALLOWEST}",
        ),
        Param("norm", parse_own_norm, "", f"normalisation of scores: {', '.join(NORMALISATIONS)}; empty: min_max"),
    ),
    takes_parts=True,
    default_parts=("bm25", "dense"),
    is_repeatable=True,
    check=check_parts,
)
