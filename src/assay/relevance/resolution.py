"""Resolution: decide about every query with the first resolver that applies, and record which one it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import DataError, NoGroundTruth
from assay.model import Hit, Qrels, Query
from assay.relevance.resolver import BoundResolver, Ground, Judged, parse_resolver
from assay.text import counted, some_of

AUTO = ("qrels", "pack", "token")
"""The resolvers that `auto` tries for each query, in this order.

If chunks of files were retrieved, gold spans come first, except for queries whose judgments name chunks.
"""
FALLBACK = "token-fallback"
"""The name in results for token relevance that `auto` chose."""


@dataclass(frozen=True)
class Resolved:
    """Grades for every query that could be decided, and how they were decided."""

    qrels: Qrels
    strategies: Mapping[str, str]
    """Query → the resolver that decided."""
    undecided: tuple[str, ...]
    """Queries without any ground truth that the resolvers could use."""
    n_exact: int
    """Queries for which a retrieved text contains the expected words."""
    counted_over: Mapping[str, int]
    """Where relevant items were counted → for how many queries."""
    settings: Mapping[str, Any]
    n_relevant_found: int | None = None
    """Retrieved items that count as relevant, over all queries; None if they were not counted."""
    n_relevant: int | None = None
    """Chunks and gold items that count as relevant, retrieved or not, if their number depends on a chunker."""
    n_with_relevant: int = 0
    """Queries that have a relevant item."""
    doubts: tuple[str, ...] = ()
    """Signs of a mistake: missing texts, ids that never match."""
    n_undecided_in_run: int = 0
    """Undecided queries that the run has; recorded if it does not have all of them."""

    @property
    def strategy_counts(self) -> dict[str, int]:
        """Resolver → the number of queries that it decided."""
        return dict(Counter(self.strategies.values()))

    @property
    def strategy_used(self) -> str:
        """The only resolver that decided, or `mixed`."""
        names = list(self.strategy_counts)
        return names[0] if len(names) == 1 else "mixed" if names else "none"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as they are stored in results."""
        in_run = None if self.n_undecided_in_run == len(self.undecided) else self.n_undecided_in_run
        counts = {"relevant": self.n_relevant, "relevant_found": self.n_relevant_found, "undecided_in_run": in_run}
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
    """Grades by the resolver of that name; `auto` is the first of qrels, pack and token that applies to a query.

    If the documents are chunks, or the retrieved items say that they are, `auto` tries gold spans before judgments of files.
    """
    is_auto = relevance.strip() == "auto"
    steps = list(_auto_steps(ground)) if is_auto else [(relevance, _applies)]
    by_name = {name: parse_resolver(name, **defaults) for name in dict.fromkeys(name for name, _ in steps)}
    judged: dict[str, Judged] = {}
    strategies: dict[str, str] = {}
    left = list(ground.queries.values())
    for step, applies in steps:
        resolver = by_name[step]
        mine = [query for query in left if applies(resolver, ground, query)]
        judged |= resolver.resolve(ground, mine) if mine else {}
        name = FALLBACK if is_auto and resolver.name == "token" else resolver.name
        strategies |= {query.query_id: name for query in mine}
        left = [query for query in left if query.query_id not in judged]
    if not judged:
        if what := _without_places(ground, left):
            raise DataError(what)
        ids = [query.query_id for query in left]
        raise NoGroundTruth(_nothing(relevance, ids), relevance=relevance, queries=ids)
    used = [resolver for resolver in by_name.values() if any(resolver.resolver.name in name for name in strategies.values())]
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
        sum(query.query_id in ground.hits for query in left),
    )


Applies = Callable[[BoundResolver, Ground, Query], bool]
"""Whether a resolver decides about a query in one step of `auto`."""


def _auto_steps(ground: Ground) -> Iterator[tuple[str, Applies]]:
    """The resolvers in the order in which `auto` tries them, each with the queries that it decides about there."""
    if ground.has_chunks:
        yield "qrels", _names_chunks
        yield "span", _applies
    yield from ((name, _applies) for name in AUTO)


def _applies(resolver: BoundResolver, ground: Ground, query: Query) -> bool:
    return resolver.resolver.applies(ground, query)


def _names_chunks(resolver: BoundResolver, ground: Ground, query: Query) -> bool:
    """Whether the judgments of a query with gold spans name other things than files, or say that nothing is relevant."""
    if not ground.spans.get(query.query_id) or not resolver.resolver.applies(ground, query) or ground.places is None:
        return False
    judged, files = ground.qrels[query.query_id], {span.doc_id for span in ground.spans[query.query_id]}
    return not judged or any(doc not in files and not ground.places.is_known(doc) for doc in judged)


def _n_relevant(judged: Judged, hits: Sequence[Hit]) -> int:
    """The number of relevant hits."""
    relevant = {doc for doc, grade in judged.grades.items() if grade > 0}
    return sum(hit.doc_id in relevant for hit in hits) if relevant else 0


def _doubts(ground: Ground, judged: Mapping[str, Judged], strategies: Mapping[str, str]) -> Iterator[str]:
    """Sentences about scores that are low because texts are missing or ids do not match."""
    n_without = sum(judgement.n_without_text for judgement in judged.values())
    if n_without:
        texts = [query for query, judgement in judged.items() if judgement.counted_over in ("scope", "retrieved")]
        by_text = [query for query in texts if strategies[query] != "pack"]
        hits = [hit for query in by_text for hit in ground.hits.get(query, ())]
        ours = next(hit.doc_id for hit in hits if not ground.has_text(hit))
        known = next(iter(ground.documents), None)
        have = f"the dataset has documents like {known!r}" if known else "the dataset has no documents"
        yield f"{n_without:,} of {len(hits):,} hits have no text to compare: the run has ids like {ours!r}, but {have}."
    if levelled := [query for query, judgement in judged.items() if judgement.is_levelled]:
        share, by = f"in {len(levelled):,} of {counted(len(judged), 'query')}", strategies[levelled[0]]
        counts_one = f"{by} counts each term as 1. To use the grades, add --relevance qrels."
        yield f"the grades of expected terms differ {share}, but {counts_one}"
    yield from _doubts_of_places(ground, judged, strategies)
    by_pack = [query for query, name in strategies.items() if name == "pack" and ground.hits.get(query)]
    if by_pack and not any(grade > 0 for query in by_pack for grade in judged[query].grades.values()):
        ours = ground.hits[by_pack[0]][0].doc_id
        theirs = next((item for query in by_pack for item in ground.queries[query].evidence or ()), None)
        if theirs is not None:
            both = f"the run has ids like {ours!r}, but the evidence has ids like {theirs!r}"
            yield f"none of the hits covers any evidence: {both}."


def _doubts_of_places(ground: Ground, judged: Mapping[str, Judged], strategies: Mapping[str, str]) -> Iterator[str]:
    """Sentences about chunks without a known place, and about gold spans in missing files."""
    places = ground.places
    mine = [query for query, name in strategies.items() if name == "span"]
    if places is None or not mine:
        return
    ids = [hit.doc_id for query in mine for hit in ground.hits.get(query, ())]
    if n_unplaced := sum(judged[query].n_unplaced for query in mine):
        ours = next(chunk for chunk, number in zip(ids, places.numbers(ids).tolist(), strict=True) if number < 0)
        yield (
            f"{n_unplaced:,} of {len(ids):,} retrieved ids do not name a place in a file, such as {ours!r}:"
            " they are not chunks of the dataset, and they are not written like 'src/client.py:12-40'."
        )
    chunks = places.numbers(ids)
    if strange := places.files_nobody_has(chunks):
        n_placed = int((chunks >= 0).sum())
        share = f"{len(strange):,} of {n_placed:,}" if len(strange) < n_placed else "all"
        yield f"{share} retrieved chunks are in unknown files, such as {strange[0]!r}."
    spans = [span for query in mine for span in ground.spans[query]]
    if lost := [span.doc_id for span in spans if not places.is_known(span.doc_id)]:
        yield f"the files of {len(lost):,} of {counted(len(spans), 'gold span')} are missing, for example {lost[0]!r}."


def by_judgments(qrels: Qrels) -> Resolved:
    """The result if judgments decide about every query, and no hits are needed."""
    n_with_relevant = len(set(qrels.query_of[qrels.grades > 0].tolist()))
    decided = dict.fromkeys(qrels.query_ids, "qrels")
    return Resolved(qrels, decided, (), 0, {"judgments": len(qrels)}, {}, n_with_relevant=n_with_relevant)


def _with_hidden(judged: Judged) -> Mapping[str, float]:
    """The grades, with gold items that have no document added under ids that no document has."""
    return {**judged.grades, **{f"\0gold {number}": grade for number, grade in enumerate(judged.hidden)}}


def _without_places(ground: Ground, queries: Sequence[Query]) -> str:
    """The error text if there are gold spans but no retrieved item is a chunk; empty otherwise."""
    asked = [query.query_id for query in queries if query.query_id in ground.spans]
    ours = next((hit.doc_id for query in asked for hit in ground.hits.get(query, ())), None)
    if ours is None or ground.places is None or ground.has_chunks:
        return ""
    kind = "a whole document" if ours in ground.places.number else "not a chunk of the dataset"
    return (
        f"{counted(len(asked), 'query')} can only be scored by gold spans, but no retrieved id names a place in a file:"
        f" {ours!r} is {kind}. Expected ids like 'src/client.py:12-40' (if lines count from 0: --relevance 'span(base=0)'),"
        " or hits with metadata such as doc_id, start_line and end_line."
        " To score whole documents, add judgments for them, or use --relevance span"
    )


def _nothing(relevance: str, queries: Sequence[str]) -> str:
    is_auto = relevance.strip() == "auto"
    needs = "judgments, evidence or an expected answer" if is_auto else parse_resolver(relevance).resolver.needs
    other = "Use another resolver with --relevance, such as auto"
    advice = "Add judgments or expected answers to the dataset" if is_auto else other
    if len(queries) == 1:
        return f"the only query does not have {needs} ({queries[0]}). {advice}"
    return f"none of the {counted(len(queries), 'query')} has {needs} ({some_of(queries)}). {advice}"
