"""Pairs: the queries and documents to grade, with the texts that a judge sees; a pool of pairs, and its file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from assay.datasets import BenchmarkDataset
from assay.errors import DataError
from assay.execution import digest
from assay.files import each_numbered_record
from assay.model import GENERATED_BY
from assay.text import counted, shortened

KEY_BYTES = 12
"""The length of the hash of a pair."""
QUERY, QUERY_TEXT = ("query", "query_id", "qid"), ("query_text", "query_content", "question")
DOCUMENT, DOCUMENT_TEXT = ("document", "document_id", "doc_id", "docid"), ("document_text", "text", "content")
PROBABILITY = ("probability", "pi")


class Pair(NamedTuple):
    """A query and a document, and their texts."""

    query: str
    query_text: str
    document: str
    document_text: str
    probability: float | None = None
    """The probability with which the pair was drawn for people; None if it was not drawn."""
    is_drawn: bool = True
    """Whether people judge it. A model also grades the other pairs of a pool, because the correction needs them."""

    @property
    def key(self) -> str:
        """A hash of the ids and the texts: a grade belongs to the text that was shown."""
        return digest(self[:4], KEY_BYTES)


@dataclass(frozen=True)
class PairPool:
    """Pairs to grade, the benchmark that they belong to, and the systems that retrieved them."""

    pairs: tuple[Pair, ...]
    benchmark: str = ""
    name: str = ""
    """The id of the pool."""
    systems: tuple[str, ...] = ()
    """The names of the systems that retrieved the documents."""
    configurations: Mapping[str, str] = field(default_factory=dict)
    """System → its configuration as text, if it is known."""
    writers: tuple[str, ...] = ()
    """The models that wrote queries of it, if that is known."""

    def __post_init__(self) -> None:
        """Check that there is something to grade, and each pair once."""
        if not self.pairs:
            raise DataError("the pool has no pairs")
        if len({(pair.query, pair.document) for pair in self.pairs}) < len(self.pairs):
            raise DataError("the pool has a pair of query and document twice. Leave out the second one")

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The key of each pair."""
        return tuple(pair.key for pair in self.pairs)

    @property
    def digest(self) -> str:
        """A short hash of its pairs, in any order."""
        return digest(sorted(self.keys))

    @property
    def drawn(self) -> PairPool:
        """Only the pairs that people judge."""
        return replace(self, pairs=tuple(pair for pair in self.pairs if pair.is_drawn))

    @property
    def has_texts(self) -> bool:
        """Whether all pairs have the texts of the query and of the document."""
        return all(pair.query_text.strip() and pair.document_text.strip() for pair in self.pairs)

    def with_texts(self, dataset: BenchmarkDataset) -> PairPool:
        """The same pool; pairs without texts get those of a benchmark, and a pool without a benchmark gets its name.

        Of synthetic queries, the models that wrote them are noted.
        """
        pairs = tuple(_with_texts(pair, dataset) for pair in self.pairs)
        queries = (dataset.queries.get(pair.query) for pair in pairs)
        writers = {str((query.metadata or {}).get(GENERATED_BY) or "") for query in queries if query is not None}
        named = tuple(sorted(writers - {""}))
        return replace(self, pairs=pairs, benchmark=self.benchmark or dataset.name, writers=named)

    def check_texts(self) -> None:
        """Raise if a pair has no text for the query or the document."""
        empty = [pair for pair in self.pairs if not pair.query_text.strip() or not pair.document_text.strip()]
        if empty:
            what = f"query {empty[0].query} and document {empty[0].document}"
            pairs = (
                f"{counted(len(empty), 'pair')} of the pool {'has' if len(empty) == 1 else 'have'} no text, such as {what}"
            )
            raise DataError(
                f"{pairs}. Name the benchmark with --dataset, and its documents with --documents if they are elsewhere"
            )


def _with_texts(pair: Pair, dataset: BenchmarkDataset) -> Pair:
    query, document = dataset.queries.get(pair.query), dataset.documents.get(pair.document)
    return pair._replace(
        query_text=pair.query_text or (query.text if query else ""),
        document_text=pair.document_text or (document.content if document else ""),
    )


class DrawnPair(Protocol):
    """A pair that could be drawn, without texts."""

    query: str
    document: str
    probability: float
    place: int | None


@runtime_checkable
class DrawnPool(Protocol):
    """A pool as it was drawn, without texts: what `assay.pool` returns."""

    id: str
    benchmark: str
    systems: Sequence[str]
    pairs: Sequence[DrawnPair]


PoolSource = PairPool | DrawnPool | str | Path | Iterable[Sequence[Any]]


def to_pool(source: PoolSource) -> PairPool:
    """A pool from a file, from a drawn pool, or from rows.

    A row has query id, query text, document id, document text, and optionally a probability.
    """
    if isinstance(source, PairPool):
        return source
    if isinstance(source, DrawnPool):
        pairs = (_drawn_pair(pair.query, "", pair.document, "", pair.probability, pair.place) for pair in source.pairs)
        return PairPool(tuple(pairs), source.benchmark, source.id, tuple(source.systems))
    if isinstance(source, str | Path):
        return read_pool(Path(source))
    return PairPool(tuple(_checked_pair(row) for row in source))


def _drawn_pair(
    query: str, query_text: str, document: str, document_text: str, probability: float | None, place: int | None
) -> Pair:
    """A pair of a drawn pool. Without a place in the order of judging, it was not drawn."""
    is_drawn = place is not None
    return Pair(query, query_text, document, document_text, probability if is_drawn else None, is_drawn)


def _checked_pair(row: Sequence[Any]) -> Pair:
    if isinstance(row, Pair):
        return row
    if isinstance(row, str) or len(row) not in (4, 5) or not all(isinstance(value, str) for value in row[:4]):
        form = "(query id, query text, document id, document text) and optionally a probability"
        raise DataError(f"expected a pair as {form}, found {shortened(row)}")
    query, query_text, document, document_text = row[:4]
    return Pair(query, query_text, document, document_text, None if len(row) == 4 else _probability(row[4]))


def read_pool(path: Path) -> PairPool:
    """A pool from JSON lines or a table; the first line may be a header with the benchmark, the id and the systems."""
    header: dict[str, Any] = {}
    pairs: list[Pair] = []

    def take(number: int, _place: str, record: Mapping[str, Any]) -> None:
        if number == 1 and "schema" in record and _first(record, DOCUMENT) is None:
            header.update(record)
            return
        pairs.append(_pair_of(record, has_places="n_drawn" in header))

    each_numbered_record(path, take)
    systems = header.get("systems")
    return PairPool(
        tuple(pairs),
        str(header.get("benchmark") or ""),
        str(header.get("id") or header.get("pool") or path.stem),
        tuple(str(name) for name in systems) if isinstance(systems, list) else (),
    )


def _pair_of(record: Mapping[str, Any], *, has_places: bool) -> Pair:
    ids = {what: _first(record, names) for what, names in (("query", QUERY), ("document", DOCUMENT))}
    for what, value in ids.items():
        if value is None or value == "":
            raise DataError(f"a pair needs the id of its {what}, under the name {what}")
    texts = [_first(record, names) or "" for names in (QUERY_TEXT, DOCUMENT_TEXT)]
    if not all(isinstance(text, str) for text in texts):
        raise DataError("query_text and document_text must be text")
    probability, place = _probability(_first(record, PROBABILITY)), record.get("place", None if has_places else 0)
    return _drawn_pair(str(ids["query"]), texts[0], str(ids["document"]), texts[1], probability, place)


def _first(record: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _probability(value: Any) -> float | None:
    """A probability above 0; it may be text, because tables have only text."""
    if value is None or value == "":
        return None
    try:
        probability = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        probability = math.nan
    if not 0 < probability <= 1:
        raise DataError(f"a probability must be above 0 and at most 1, not {shortened(value)}")
    return probability
