"""Spans: the `spans` view, with the retrieved parts of files for each query, best first, and the gold spans."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints
from assay.errors import DataError
from assay.model import RankRule, Run, Span
from assay.views.chunk_locations import COLUMNS, NOWHERE, UNKNOWN, Places, columns, union_sizes

MANY_PAIRS = 50_000_000
"""Largest number of query–file pairs for which a table is used."""


class Truth(NamedTuple):
    """The gold spans and the locations of chunks: all that is needed to read a run as spans."""

    spans: Mapping[str, Sequence[Span]]
    places: Places


@dataclass(frozen=True)
class Sizes:
    """For each query: the length of the retrieved text, of the gold text, and of their overlap, in one unit."""

    retrieved: Floats
    gold: Floats
    both: Floats


@dataclass(frozen=True)
class Spans:
    """Every retrieved chunk in rank order (query, rank, number), the locations of chunks, and the gold spans."""

    query_ids: tuple[str, ...]
    query: Ints
    rank: Ints
    chunk: Ints
    """The number of its location; -1 if the location is unknown: such a chunk has a rank but covers nothing."""
    file: Ints
    """For each number: the file of the chunk."""
    gold: GoldSpans
    places: Places
    n_files: int

    @classmethod
    def of(cls, query_ids: tuple[str, ...], run: Run, rule: RankRule, truth: Truth) -> Spans:
        """A run as spans, ranked by a rule. A query that is missing from the run has no chunks."""
        run = run.without_self() if rule.drop_self else run
        places = truth.places
        query, rank, chunk = _rows(query_ids, run, rule, places)
        # before `arrays`, because names in gold spans help to identify files
        gold = GoldSpans.of(truth.spans, query_ids, places)
        file, _ = places.arrays
        return cls(query_ids, query, rank, chunk, file, gold, places, places.n_files)

    @property
    def n_queries(self) -> int:
        """How many queries there are to score."""
        return len(self.query_ids)

    def scores(self, values: Floats) -> Floats:
        """The values; undefined for queries without gold spans. An empty list of gold spans is ground truth and scores 0."""
        return np.where(self.gold.is_given, values, np.nan)

    def sizes(self, k: int | None, tokens: int | None, unit: str) -> Sizes:
        """The length that the first k chunks cover, or those within a budget; overlaps count once."""
        unit = self.gold.unit if unit == "gold" else unit
        sizes: Sizes = self._remembered(("sizes", k, tokens, unit), lambda: self._sizes(k, tokens, unit))
        return sizes

    def both(self, k: int | None, tokens: int | None, unit: str) -> tuple[Floats, Floats]:
        """The length of the gold text that was retrieved, and of all gold text; only files with gold spans are read."""
        unit = self.gold.unit if unit == "gold" else unit
        coverage: tuple[Floats, Floats] = self._remembered(("both", k, tokens, unit), lambda: self._both(k, tokens, unit))
        return coverage

    def _sizes(self, k: int | None, tokens: int | None, unit: str) -> Sizes:
        both, gold = self.both(k, tokens, unit)
        return Sizes(self._retrieved(k, tokens, unit), gold, both)

    def _retrieved(self, k: int | None, tokens: int | None, unit: str) -> Floats:
        """The length that the first chunks cover; without overlaps it is the sum of their sizes."""
        sizes, query, chunk = self.places.sizes(unit), self.query, self.chunk
        if (k, tokens) != (None, None):
            rows = self._within(np.arange(len(self.rank)) if k is None else np.flatnonzero(self.rank <= k), None, tokens)
            query, chunk = query[rows], chunk[rows]
        if sizes is None:
            return self._union(query, chunk, unit)
        return np.bincount(query, weights=sizes[chunk], minlength=self.n_queries).astype(float, copy=False)

    def _both(self, k: int | None, tokens: int | None, unit: str) -> tuple[Floats, Floats]:
        """The overlap of two sets: the sum of their lengths minus the length of their union."""
        rows = self._within(self._gold_rows, k, tokens)
        query, chunk = self.query[rows], self.chunk[rows]
        gold = self._remembered(("gold", unit), lambda: self._union(query[:0], chunk[:0], unit, with_gold=True))
        return self._union(query, chunk, unit) + gold - self._union(query, chunk, unit, with_gold=True), gold

    def _union(self, query: Ints, chunk: Ints, unit: str, *, with_gold: bool = False) -> Floats:
        """The length that some chunks cover for each query, with or without the gold spans; overlaps count once."""
        if (chunk == NOWHERE).any():
            query, chunk = query[chunk != NOWHERE], chunk[chunk != NOWHERE]
        parts = [(query, self.file[chunk], *self.places.within(chunk, unit))]
        if with_gold:
            parts.append((self.gold.query, self.gold.file, *self.gold.within(unit)))
        query, file, start, end = map(np.concatenate, zip(*parts, strict=True))
        return union_sizes(query * self.n_files + file, start, end, query, self.n_queries)

    def _within(self, rows: Ints, k: int | None, tokens: int | None) -> Ints:
        """The rows that are within a cutoff and within a budget."""
        rows = rows if k is None else rows[self.rank[rows] <= k]
        return rows if tokens is None else rows[self._remembered("tokens", self._tokens_used)[rows] <= tokens]

    def _tokens_used(self) -> Ints:
        """For each chunk: the number of words of this chunk and all chunks before it."""
        total = np.cumsum(self.places.tokens(self.chunk))
        first = np.flatnonzero(self.rank == 1)
        before = np.zeros(self.n_queries, dtype=np.int64)
        before[self.query[first]] = np.where(first > 0, total[first - 1], 0)
        return total - before[self.query]

    @cached_property
    def _file_of_row(self) -> Ints:
        """Query and file of each row as one number; a chunk with an unknown location is a file by itself."""
        if not len(self.file):
            return self._n_pairs + np.arange(len(self.chunk))
        pairs = self.query * self.n_files
        pairs += self.file[self.chunk]
        unknown = np.flatnonzero(self.chunk == NOWHERE)
        pairs[unknown] = self._n_pairs + unknown
        return pairs

    @cached_property
    def _gold_rows(self) -> Ints:
        """The rows of chunks whose file has a gold span of the query."""
        files = self._file_of_row
        if self._n_pairs > MANY_PAIRS:
            return np.flatnonzero(np.isin(files, self._gold_files))
        table = np.zeros(self._n_pairs + 1, dtype=bool)
        table[self._gold_files] = True
        return np.flatnonzero(table[np.minimum(files, self._n_pairs)])

    @property
    def _n_pairs(self) -> int:
        return self.n_queries * self.n_files

    @cached_property
    def _gold_files(self) -> Ints:
        """Query and file of gold spans as one number, each once, ascending."""
        return np.unique(self.gold.query * self.n_files + self.gold.file)

    @cached_property
    def n_gold_files(self) -> Ints:
        """For each query: the number of files with gold spans."""
        return np.bincount(self._gold_files // max(self.n_files, 1), minlength=self.n_queries)

    def found_files(self, tokens: int | None = None) -> tuple[Ints, Ints]:
        """Query and rank of each gold file that was found; files are ranked by their first chunk."""
        files: tuple[Ints, Ints] = self._remembered(("files", tokens), lambda: self._found_files(tokens))
        return files

    def _found_files(self, tokens: int | None) -> tuple[Ints, Ints]:
        rows = self._within(self._gold_rows, None, tokens)
        rows = rows[np.unique(self._file_of_row[rows], return_index=True)[1]]
        deepest = np.zeros(self.n_queries, dtype=np.int64)
        np.maximum.at(deepest, self.query[rows], self.rank[rows])
        query = np.repeat(np.arange(self.n_queries), deepest)
        before = np.searchsorted(self.query, query) + np.arange(len(query)) - (np.cumsum(deepest) - deepest)[query]
        firsts = np.sort(before[np.unique(self._file_of_row[before], return_index=True)[1]])
        place = np.searchsorted(firsts, rows) - np.searchsorted(self.query[firsts], self.query[rows])
        return self.query[rows], place + 1

    @cached_property
    def _memory(self) -> dict[Hashable, Any]:
        return {}

    def _remembered(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The cached value for a key; made if it is not there yet. Metrics need the same values repeatedly."""
        if key not in self._memory:
            self._memory[key] = make()
        return self._memory[key]


def _rows(query_ids: tuple[str, ...], run: Run, rule: RankRule, places: Places) -> tuple[Ints, Ints, Ints]:
    """Query, rank and number of all retrieved chunks, best first. Only rankings that are unsorted or tied are sorted."""
    flat, order = places.located(run), run.order
    asked = np.array([run.numbers.get(query, NOWHERE) for query in query_ids], dtype=np.int64)
    there = np.flatnonzero(asked != NOWHERE)
    lengths = np.zeros(len(asked), dtype=np.int64)
    whole = (order.end - order.start)[asked[there]]
    lengths[there] = whole if rule.depth is None else whole.clip(max=rule.depth)
    query = np.repeat(np.arange(len(asked)), lengths)
    first = np.cumsum(lengths) - lengths
    rank = np.arange(1, len(query) + 1) - first[query]
    if len(query) == len(flat) and len(asked) == len(order.start) and (asked == np.arange(len(asked))).all():
        chunk = flat
    else:
        chunk = flat[order.start[asked[query]] + rank - 1]
    is_open = run.unsettled(rule)[asked[there]]
    chunk = chunk.copy() if is_open.any() else chunk
    for place in there[is_open].tolist():
        chunk[first[place] : first[place] + lengths[place]] = places.numbers(
            run.in_order(int(asked[place]), rule)[: rule.depth]
        )
    return query, rank, chunk


@dataclass(frozen=True)
class GoldSpans:
    """Every gold span: its query, its file, and four columns of bounds: characters from, to, lines from, to."""

    query: Ints
    file: Ints
    bounds: Ints
    is_given: NDArray[np.bool_]
    """Which queries have a list of gold spans, even an empty one; the others cannot be scored by spans."""
    unit: str
    """The unit of all spans; if they differ, characters, or lines if only lines are known for all."""
    spans: tuple[Span, ...]
    is_missing: NDArray[np.bool_]
    """Which spans are in files that are missing from a dataset with files: no chunk can cover them."""

    @classmethod
    def of(cls, spans: Mapping[str, Sequence[Span]], query_ids: Sequence[str], places: Places) -> GoldSpans:
        """The spans of these queries. If the text of a file is known, parts beyond its end are cut off."""
        listed = [spans.get(query, ()) for query in query_ids]
        flat = tuple(chain.from_iterable(listed))
        files = places.file_numbers(span.doc_id for span in flat)
        units = {span.unit for span in flat}
        if unknown := sorted(units - COLUMNS.keys()):
            raise DataError(f"the unit of a span must be {' or '.join(COLUMNS)}, not {unknown[0]!r}")
        bounds = np.array([_bounds(span, places) for span in flat], dtype=np.int64)
        return cls(
            query=np.repeat(np.arange(len(query_ids)), list(map(len, listed))),
            file=np.array(files, dtype=np.int64),
            bounds=bounds.reshape(len(flat), 4),
            is_given=np.array([query in spans for query in query_ids], dtype=bool),
            unit=units.pop() if len(units) == 1 else _common_unit(bounds.reshape(len(flat), 4)),
            spans=flat,
            is_missing=np.array([places.has_texts and not places.is_known(span.doc_id) for span in flat], dtype=bool),
        )

    @property
    def n_spans(self) -> Ints:
        """The number of gold spans of each query."""
        return np.bincount(self.query, minlength=len(self.is_given))

    def within(self, unit: str) -> tuple[Ints, Ints]:
        """Start and end of each span in a unit. A span in a missing file keeps the length it has in its own unit."""
        start, end = columns(self.bounds, unit)
        if (lost := (end < 0) & self.is_missing).any():
            others = columns(self.bounds, "lines" if unit == "characters" else "characters")
            start, end = np.where(lost, others[0], start), np.where(lost, others[1], end)
        if (unknown := np.flatnonzero(end < 0)).size:
            span = self.spans[int(unknown[0])]
            stretch = f"{span.unit} {span.start} to {span.end} of {span.doc_id}"
            raise DataError(
                f"cannot convert {stretch} to {unit}: the text of the file is missing."
                f" Measure in {span.unit} (unit={span.unit}), or use a dataset that has the file"
            )
        return start, end


def _common_unit(bounds: Ints) -> str:
    """Characters, unless only lines are known for every span."""
    are_known = {unit: bool((columns(bounds, unit)[1] >= 0).all()) for unit in COLUMNS}
    return "lines" if are_known["lines"] and not are_known["characters"] else "characters"


def _bounds(span: Span, places: Places) -> tuple[int, int, int, int]:
    known = places.lines_of(span.doc_id)
    if span.unit == "lines":
        lines = (max(span.start - 1, 0), max(span.end, span.start - 1, 0))
        if known is None:
            return *UNKNOWN, *lines
        lines = (min(lines[0], known.n_lines), min(lines[1], known.n_lines))
        return *known.characters(*lines), *lines
    characters = (max(span.start, 0), max(span.end, span.start, 0))
    if known is None:
        return *characters, *UNKNOWN
    characters = (min(characters[0], known.size), min(characters[1], known.size))
    return *characters, *known.lines(*characters)
