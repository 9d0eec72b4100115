"""Relevance by span: a chunk is relevant if it overlaps a gold span of its file, in lines or characters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from assay.arrays import Bools, Floats, Ints, ratio
from assay.errors import UsageError
from assay.grammar import Param, fraction, one_of
from assay.model import Query
from assay.relevance.by_text import ROUNDING
from assay.relevance.resolver import Ground, Judged, Resolver
from assay.views import NOWHERE, GoldSpans, Places

UNIT = Param(
    "unit",
    one_of("gold", "lines", "characters", line="lines", chars="characters", character="characters"),
    "gold",
    "unit of the overlap: lines, characters, or gold (the unit of the gold spans)",
)
RULE = Param(
    "rule",
    one_of("any", "share", "iou"),
    "any",
    "any: any overlap; share: at least `threshold` of the gold span; iou: intersection over union of at least `threshold`",
)
THRESHOLD = Param(
    "threshold", fraction, 0.5, "lowest share of the gold span, or intersection over union, at which a chunk is relevant"
)


def first_line(text: str) -> int:
    """The number of the first line of a file."""
    if text not in ("0", "1"):
        raise ValueError("0 or 1")
    return int(text)


BASE = Param("base", first_line, 1, "number of the first line of a file in ids and hits: 0 or 1")


class Pairs(NamedTuple):
    """Every gold span with every chunk of its file: their numbers, their overlap, and their sizes."""

    gold: Ints
    chunk: Ints
    shared: Floats
    gold_size: Floats
    chunk_size: Floats

    def are_relevant(self, rule: str, threshold: float) -> Bools:
        """Which pairs overlap enough; a pair without overlap never does."""
        if rule == "any":
            return self.shared > 0
        whole = self.gold_size if rule == "share" else self.gold_size + self.chunk_size - self.shared
        return (self.shared > 0) & (ratio(self.shared, whole) >= threshold - ROUNDING)


def has_spans(ground: Ground, query: Query) -> bool:
    """Whether the query has gold spans; an empty list means that nothing is relevant."""
    return query.query_id in ground.spans and ground.places is not None


def resolve_span(
    ground: Ground, queries: Sequence[Query], unit: str, rule: str, threshold: float, base: int
) -> dict[str, Judged]:
    """Each chunk counts by itself. If the chunks of the dataset were retrieved, relevant chunks are counted in the whole
    corpus. Otherwise they are counted among the retrieved chunks, and each gold span without a relevant chunk adds one.
    """
    if ground.places is None:
        raise UsageError(
            "relevance span needs a dataset with gold spans, and a run with chunks of its files. Use another resolver"
        )
    places = ground.places.based(base)
    hits = {query.query_id: [hit.doc_id for hit in ground.hits.get(query.query_id, ())] for query in queries}
    places.numbers(
        list(chain.from_iterable(hits.values()))
    )  # all at once, because the other ids help to find the file of an id
    retrieved = [places.numbers(ids) for ids in hits.values()]
    over_corpus = places.n_corpus > 0 and places.n_read == 0
    gold = GoldSpans.of(ground.spans, list(hits), places)
    relevant = _relevant(gold, places, gold.unit if unit == "gold" else unit, rule, threshold)
    judged = {}
    for number, (query, ids) in enumerate(hits.items()):
        pairs = relevant[number]
        if not over_corpus:
            inside = set(retrieved[number].tolist())
            pairs = [(span, chunk) for span, chunk in pairs if chunk in inside]
        chunks = dict.fromkeys(chunk for _, chunk in pairs)
        n_unreached = int(gold.n_spans[number]) - len({span for span, _ in pairs})
        judged[query] = Judged(
            dict.fromkeys(ids, 0.0) | dict.fromkeys(places.ids(chunks), 1.0),
            hidden=[1.0] * n_unreached,
            counted_over="chunks" if over_corpus else "retrieved",
            n_unplaced=int((retrieved[number] == NOWHERE).sum()),
        )
    return judged


def _relevant(gold: GoldSpans, places: Places, unit: str, rule: str, threshold: float) -> list[list[tuple[int, int]]]:
    """For each query the pairs of gold span and relevant chunk, by their numbers."""
    pairs = paired(gold, places, unit)
    close = pairs.are_relevant(rule, threshold)
    pairs_by_query: list[list[tuple[int, int]]] = [[] for _ in range(len(gold.is_given))]
    queries = gold.query[pairs.gold[close]].tolist()
    for query, *pair in zip(queries, pairs.gold[close].tolist(), pairs.chunk[close].tolist(), strict=True):
        pairs_by_query[query].append((pair[0], pair[1]))
    return pairs_by_query


def paired(gold: GoldSpans, places: Places, unit: str) -> Pairs:
    """Pairs of each gold span and all chunks of its file."""
    files, _ = places.arrays
    by_file = np.argsort(files, kind="stable")
    counts = np.bincount(files, minlength=places.n_files)
    of_gold = counts[gold.file]
    span = np.repeat(np.arange(len(gold.file)), of_gold)
    place = np.arange(len(span)) - np.repeat(np.cumsum(of_gold) - of_gold, of_gold)
    chunk = by_file[(np.cumsum(counts) - counts)[gold.file[span]] + place]
    gold_start, gold_end = (bound[span] for bound in gold.within(unit))
    start, end = places.within(chunk, unit)
    shared = np.maximum(np.minimum(end, gold_end) - np.maximum(start, gold_start), 0)
    sizes = (values.astype(float) for values in (shared, gold_end - gold_start, end - start))
    return Pairs(span, chunk, *sizes)


SPAN = Resolver(
    "span",
    "chunks that overlap a gold span of their file",
    has_spans,
    resolve_span,
    (UNIT, RULE, THRESHOLD, BASE),
    needs="gold spans",
)
