"""Resolution: decide about every query, each by the first resolver that applies, and say which one did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import DataError, NoGroundTruth
from assay.model import Hit, Qrels, Query
from assay.relevance.resolver import Ground, Judged, parse_resolver
from assay.text import counted, some_of

AUTO = ("qrels", "pack", "token")
"""What `auto` asks, in this order, for each query; before them span, where chunks of files were retrieved."""
FALLBACK = "token-fallback"
"""What seed systems call token relevance that nobody asked for by name."""


@dataclass(frozen=True)
class Resolved:
    """Grades for every query that could be decided, and how that was done."""

    qrels: Qrels
    strategies: Mapping[str, str]
    """Query → the resolver that decided."""
    undecided: tuple[str, ...]
    """Queries without any ground truth that the resolvers could use."""
    n_exact: int
    """Queries for which a retrieved text holds the expected words."""
    counted_over: Mapping[str, int]
    """What relevant items were counted over → for how many queries."""
    settings: Mapping[str, Any]
    n_relevant_found: int | None = None
    """Retrieved items that count as relevant, over all queries; None where nobody looked."""
    n_relevant: int | None = None
    """Chunks and gold items that count as relevant, retrieved or not, where a chunker decides how many there are."""
    n_with_relevant: int = 0
    """Queries that have anything relevant."""
    doubts: tuple[str, ...] = ()
    """What hints at a mistake: texts that are not there, ids that never match."""

    @property
    def strategy_counts(self) -> dict[str, int]:
        """Resolver → how many queries it decided."""
        return dict(Counter(self.strategies.values()))

    @property
    def strategy_used(self) -> str:
        """The one resolver that decided, or `mixed`."""
        names = list(self.strategy_counts)
        return names[0] if len(names) == 1 else "mixed" if names else "none"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as results record them."""
        counts = {"relevant": self.n_relevant, "relevant_found": self.n_relevant_found}
        known = {name: count for name, count in counts.items() if count is not None}
        return {
            "strategy_used": self.strategy_used,
            "strategy_counts": self.strategy_counts,
            "queries_with_relevant": self.n_with_relevant,
            **known,
            "exact_matches_found": self.n_exact,
            "counted_over": dict(self.counted_over),
            "undecided": len(self.undecided),
            **self.settings,
        }


def resolve(ground: Ground, relevance: str = "auto", **defaults: Any) -> Resolved:
    """Grades by the resolver of that name; `auto` is qrels, else pack, else token, for each query by itself.

    Where documents are chunks, or what was retrieved calls itself one, `auto` asks for gold spans first.
    """
    is_auto = relevance.strip() == "auto"
    by_place = ("span",) if is_auto and ground.has_chunks else ()
    resolvers = [parse_resolver(name, **defaults) for name in ((*by_place, *AUTO) if is_auto else (relevance,))]
    judged: dict[str, Judged] = {}
    strategies: dict[str, str] = {}
    left = list(ground.queries.values())
    for resolver in resolvers:
        mine = [query for query in left if resolver.resolver.applies(ground, query)]
        judged |= resolver.resolve(ground, mine) if mine else {}
        name = FALLBACK if is_auto and resolver.name == "token" else resolver.name
        strategies |= {query.query_id: name for query in mine}
        left = [query for query in left if query.query_id not in judged]
    if not judged:
        if what := _without_places(ground, left):
            raise DataError(what)
        ids = [query.query_id for query in left]
        raise NoGroundTruth(_nothing(relevance, ids), relevance=relevance, queries=ids)
    used = [resolver for resolver in resolvers if any(resolver.resolver.name in name for name in strategies.values())]
    n_found = sum(_n_relevant(judgement, ground.hits.get(query, ())) for query, judgement in judged.items())
    by_span = [judgement for query, judgement in judged.items() if strategies[query] == "span"]
    return Resolved(
        Qrels({query: _with_hidden(judged[query]) for query in ground.queries if query in judged}),
        strategies,
        tuple(query.query_id for query in left),
        sum(judgement.n_exact > 0 for judgement in judged.values()),
        Counter(judgement.counted_over for judgement in judged.values()),
        {f"{resolver.name}_{name}": value for resolver in used for name, value in resolver.params.items()},
        n_found,
        sum(sum(map(bool, judgement.grades.values())) + len(judgement.hidden) for judgement in by_span) if by_span else None,
        sum(max((*judgement.grades.values(), *judgement.hidden), default=0) > 0 for judgement in judged.values()),
        tuple(_doubts(ground, judged, strategies)),
    )


def _n_relevant(judged: Judged, hits: Sequence[Hit]) -> int:
    """How many of the hits are relevant."""
    relevant = {doc for doc, grade in judged.grades.items() if grade > 0}
    return sum(hit.doc_id in relevant for hit in hits) if relevant else 0


def _doubts(ground: Ground, judged: Mapping[str, Judged], strategies: Mapping[str, str]) -> Iterator[str]:
    """Where scores are low for want of texts or of matching ids, rather than of quality."""
    n_without = sum(judgement.n_without_text for judgement in judged.values())
    if n_without:
        by_text = [query for query, judgement in judged.items() if judgement.counted_over in ("scope", "retrieved")]
        hits = [hit for query in by_text for hit in ground.hits.get(query, ())]
        ours = next(hit.doc_id for hit in hits if not ground.has_text(hit))
        known = next(iter(ground.documents), None)
        have = f"the dataset has documents like {known!r}" if known else "the dataset has no documents"
        yield f"{n_without:,} of {len(hits):,} hits have no text to compare: the run has ids like {ours!r}, {have}."
    if levelled := [query for query, judgement in judged.items() if judgement.is_levelled]:
        share, by = f"in {len(levelled):,} of {counted(len(judged), 'query')}", strategies[levelled[0]]
        yield f"grades of expected terms differ {share}: by {by} each of them counts 1; relevance qrels keeps them."
    yield from _doubts_of_places(ground, judged, strategies)
    by_pack = [query for query, name in strategies.items() if name == "pack" and ground.hits.get(query)]
    if by_pack and not any(grade > 0 for query in by_pack for grade in judged[query].grades.values()):
        ours = ground.hits[by_pack[0]][0].doc_id
        theirs = next((item for query in by_pack for item in ground.queries[query].evidence or ()), None)
        if theirs is not None:
            yield f"not one hit covers a piece of evidence: the run has ids like {ours!r}, evidence like {theirs!r}."


def _doubts_of_places(ground: Ground, judged: Mapping[str, Judged], strategies: Mapping[str, str]) -> Iterator[str]:
    """Where chunks are nowhere to be found, or gold spans in files that nobody has."""
    places = ground.places
    mine = [query for query, name in strategies.items() if name == "span"]
    if places is None or not mine:
        return
    ids = [hit.doc_id for query in mine for hit in ground.hits.get(query, ())]
    if n_unplaced := sum(judged[query].n_unplaced for query in mine):
        ours = next(chunk for chunk, number in zip(ids, places.numbers(ids).tolist(), strict=True) if number < 0)
        yield (
            f"{n_unplaced:,} of {len(ids):,} retrieved ids do not say where they stand, such as {ours!r}:"
            " they are no chunks of the dataset, and not written like 'src/client.py:12-40'."
        )
    chunks = places.numbers(ids)
    if strange := places.files_nobody_has(chunks):
        n_placed = int((chunks >= 0).sum())
        share = f"{len(strange):,} of {n_placed:,} retrieved chunks are in no known file"
        share = "none of the retrieved chunks is in a known file" if len(strange) == n_placed else share
        yield f"{share}: there is no {strange[0]!r}."
    spans = [span for query in mine for span in ground.spans[query]]
    if lost := [span.doc_id for span in spans if not places.is_known(span.doc_id)]:
        yield f"{len(lost):,} of {counted(len(spans), 'gold span')} in files that are not there, such as {lost[0]!r}."


def by_judgments(qrels: Qrels) -> Resolved:
    """Where judgments decide about every query, and nothing needs to be looked at."""
    n_with_relevant = len(set(qrels.query_of[qrels.grades > 0].tolist()))
    decided = dict.fromkeys(qrels.query_ids, "qrels")
    return Resolved(qrels, decided, (), 0, {"judgments": len(qrels)}, {}, n_with_relevant=n_with_relevant)


def _with_hidden(judged: Judged) -> Mapping[str, float]:
    """Gold items without a document of their own, under ids that no document has."""
    return {**judged.grades, **{f"\0gold {number}": grade for number, grade in enumerate(judged.hidden)}}


def _without_places(ground: Ground, queries: Sequence[Query]) -> str:
    """What is wrong where there are gold spans, and nothing that was retrieved is a chunk; empty where that is not it."""
    asked = [query.query_id for query in queries if query.query_id in ground.spans]
    ours = next((hit.doc_id for query in asked for hit in ground.hits.get(query, ())), None)
    if ours is None or ground.places is None or ground.has_chunks:
        return ""
    kind = "a whole document" if ours in ground.places.number else "no chunk of the dataset"
    return (
        f"{counted(len(asked), 'query')} with gold spans, and no retrieved id says where it stands: {ours!r} is {kind};"
        " expected ids like 'src/client.py:12-40' (lines from 0: relevance span(base=0)),"
        " or hits with metadata such as doc_id, start_line and end_line;"
        " to score whole documents add judgments of them, or choose relevance span"
    )


def _nothing(relevance: str, queries: Sequence[str]) -> str:
    is_auto = relevance.strip() == "auto"
    needs = "judgments, evidence or an expected answer" if is_auto else parse_resolver(relevance).resolver.needs
    return f"none of the {counted(len(queries), 'query')} has {needs}: {some_of(queries)}"
