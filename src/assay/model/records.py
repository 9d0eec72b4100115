"""Records: queries, documents, judgments, hits and spans."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.model.document_fields import document_popularity, document_tags
from assay.model.ids import text_id
from assay.model.media import MEDIA_FIELDS, media_of, names_file
from assay.model.times import Time, is_later, parse_time, periods_of, time_text
from assay.model.values import IGNORED, as_number, is_finite_number, is_ignore, is_truth_value

LARGEST_EXACT = 2.0**53
"""All whole numbers below this are exact as floats."""
LISTED = ("tag", "tags")
"""Metadata fields in which a list names tags. A query may have several, and each is a separate tag."""
YES = "yes"
"""The value of a tag that was named in a list."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query: what a user searches for. `expected` is the expected answer as text."""

    query_id: str
    text: str = ""
    query_type: str | None = None
    difficulty: str | None = None
    domain: str | None = None
    metadata: Mapping[str, Any] | None = None
    expected: str | None = None
    evidence: Sequence[str] | None = None
    """Ids of the items that a pack uses as ground truth; None if the query has none."""
    scope: str | None = None
    """The group of documents that this query may search; None: all documents."""
    time: Time | None = None
    """When it was asked. Text and numbers are parsed: ISO 8601, or seconds or milliseconds since 1970."""

    def __post_init__(self) -> None:
        if type(self.query_id) is not str:
            object.__setattr__(self, "query_id", text_id(self.query_id))
        if self.time is not None:
            object.__setattr__(self, "time", parse_time(self.time))
        if self.evidence is not None and type(self.evidence) is not tuple:
            object.__setattr__(self, "evidence", tuple(self.evidence))

    @property
    def tags(self) -> dict[str, str]:
        """What the query can be sliced by: its type, difficulty, domain, the periods of its time, and simple metadata.

        Text, numbers and truth values are simple; nan, None, lists and mappings are not. Only under `tags` (or `tag`), each
        entry of a list is a tag with the value yes, and a mapping holds tags. Other metadata win over tags of the same name.
        The path of an image or another file is not a tag.
        """
        named = {"query_type": self.query_type, "difficulty": self.difficulty, "domain": self.domain}
        own = {name: str(value) for name, value in named.items() if value is not None}
        metadata = _without_media(self.metadata or {})
        inner = {name: value for place in LISTED for name, value in _named_tags(metadata.get(place)).items()}
        periods = {} if self.time is None else periods_of(self.time)
        more = {name: _tag(value) for name, value in {**periods, **inner, **metadata}.items()}
        return {**{name: value for name, value in more.items() if value is not None}, **own}

    @property
    def media(self) -> str | None:
        """The path or URL of the image or other file that belongs to the query; None if it has none."""
        return media_of(self.metadata)

    @property
    def is_empty(self) -> bool:
        """Whether the query has neither a text nor an image or another file, so that there is nothing to search for."""
        return not self.text.strip() and self.media is None

    @property
    def listed(self) -> tuple[str, ...]:
        """Names of metadata fields that hold lists or sets. These have several values, so they are not tags."""
        fields = (self.metadata or {}).items()
        return tuple(
            name for name, value in fields if isinstance(value, list | tuple | AbstractSet | np.ndarray) and len(value)
        )


def _without_media(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """The metadata without fields that name a file."""
    paths = [name for name in MEDIA_FIELDS if name in metadata and names_file(metadata[name])]
    return {name: value for name, value in metadata.items() if name not in paths} if paths else metadata


def _named_tags(tags: object) -> Mapping[str, object]:
    """The tags in a `tags` field: a mapping as it is; each simple value of a list becomes a tag."""
    if isinstance(tags, Mapping):
        return {str(name): value for name, value in tags.items()}
    if isinstance(tags, list | tuple | AbstractSet | np.ndarray):
        return {name: YES for name in map(_tag, tags) if name}
    return {}


def _tag(value: object) -> str | None:
    """A simple value as text. 2.0 is "2", because data frames store whole numbers with gaps as floats."""
    if isinstance(value, str):
        return str(value)
    if is_truth_value(value):
        return str(bool(value))
    if isinstance(value, int | np.integer):
        return str(value)
    number = as_number(value)
    if number is None or not math.isfinite(number):
        return None
    if number.is_integer() and abs(number) < LARGEST_EXACT:
        return str(int(number))
    return str(value) if isinstance(value, np.floating) else repr(number)


@dataclass(frozen=True, slots=True)
class Document:
    """A document: what can be retrieved. A query whose scope is a `group` searches only the documents of that group."""

    doc_id: str
    text: str = ""
    source: str | None = None
    page_number: int | None = None
    section: str | None = None
    metadata: Mapping[str, Any] | None = None
    title: str | None = None
    group: str | None = None
    time: Time | None = None
    """When it was written or published. Text and numbers are parsed as for queries."""

    def __post_init__(self) -> None:
        if type(self.doc_id) is not str:
            object.__setattr__(self, "doc_id", text_id(self.doc_id))
        if self.time is not None:
            object.__setattr__(self, "time", parse_time(self.time))

    @property
    def content(self) -> str:
        """Title and text together: what a retriever indexes."""
        return f"{self.title}\n{self.text}" if self.title else self.text

    @property
    def media(self) -> str | None:
        """The path or URL of the image or other file that is the document or belongs to it; None if it has none."""
        return media_of(self.metadata)

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags, each once: a list in its metadata, or a text such as `news|sport`; empty if it has none."""
        return document_tags(self.metadata)

    @property
    def popularity(self) -> float | None:
        """How popular it is according to its metadata, such as the number of its views; None if unknown."""
        return document_popularity(self.metadata)


@dataclass(frozen=True, slots=True)
class RelevanceJudgment:
    """The grade of a document for a query, as a judge assigned it."""

    query_id: str
    doc_id: str
    relevance_grade: float = 1
    judge: str | None = None
    timestamp: str | None = None
    valid_from: Any = None
    """The first time at which the grade holds; None: no beginning. Text and numbers are parsed as for queries."""
    valid_to: Any = None
    """The last time at which the grade holds, included; None: no end."""

    def __post_init__(self) -> None:
        for name in ("query_id", "doc_id"):
            if type(getattr(self, name)) is not str:
                object.__setattr__(self, name, text_id(getattr(self, name)))
        if self.valid_from is not None or self.valid_to is not None:
            self._check_interval()
        if is_ignore(self.relevance_grade):
            object.__setattr__(self, "relevance_grade", IGNORED)
        if not is_finite_number(self.relevance_grade):
            whose = f"the grade of document {self.doc_id} for query {self.query_id}"
            raise DataError(f"{whose} must be a finite number, not {self.relevance_grade!r}")
        if type(self.relevance_grade) not in (int, float):
            object.__setattr__(self, "relevance_grade", float(self.relevance_grade))

    def _check_interval(self) -> None:
        whose = f"document {self.doc_id} for query {self.query_id}"
        for name in ("valid_from", "valid_to"):
            if getattr(self, name) is not None:
                try:
                    object.__setattr__(self, name, parse_time(getattr(self, name)))
                except DataError as error:
                    raise DataError(f"{name} of {whose}: {error.message}") from None
        start, end = self.valid_from, self.valid_to
        if start is not None and end is not None and is_later(start, end):
            raise DataError(f"valid_to of {whose} ({time_text(end)}) is before valid_from ({time_text(start)})")

    @property
    def has_interval(self) -> bool:
        """Whether the grade holds only for a time."""
        return self.valid_from is not None or self.valid_to is not None

    def holds_at(self, time: Time) -> bool:
        """Whether the grade holds at a time. A day counts completely."""
        is_early = self.valid_from is not None and is_later(self.valid_from, time)
        return not is_early and (self.valid_to is None or not is_later(time, self.valid_to))


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved document or chunk: its id, its score, and its text if the system returns it."""

    doc_id: str
    score: float = 0.0
    text: str | None = None
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a document: characters [start, end), or lines start … end, counted from 1 and both included."""

    doc_id: str
    start: int
    end: int
    unit: str = "characters"
    text: str | None = None
    """The text of the span when it was marked. It shows whether the file has changed since."""


@dataclass(frozen=True)
class Pack:
    """Relevance as a dataset format defines it: which gold items a hit covers, and how many gold items a query has."""

    name: str
    is_relevant: Callable[[Query, Hit], Collection[str] | str | bool | None]
    """The id of the item that the hit covers, or the ids of all items it covers, or only whether it covers any."""
    n_evidence: Callable[[Query], int | None] | None = None
    """How many items there are to find; None if that is unknown. Without it, the evidence of the query is counted."""
    sealed_relevance: bool = True
    """Whether the pack decides about relevance. If not, the words of the expected answer decide, as without a pack."""
    needs_evidence: bool = True
    """Whether the pack leaves queries without evidence to the words of the expected answer. If not, it decides about them
    too, and relevant items are counted among the hits."""

    def count(self, query: Query) -> int | None:
        """How many items there are to find: as `n_evidence` says, otherwise the different evidence; None if unknown."""
        known = None if self.n_evidence is None else self.n_evidence(query)
        return known if known is not None or query.evidence is None else len(set(query.evidence))


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document and its place: characters [start, end), lines start_line … end_line counted from 1.

    A line ends with a line feed, which is part of the line.
    """

    doc_id: str
    number: int
    """The number of the chunk in its document, counted from 1."""
    start: int
    end: int
    start_line: int
    end_line: int
    text: str
    title: str | None = None
    """The title of the document, and the section, class or function that contains the chunk."""
    columns: tuple[int, int] | None = None
    """The columns of the first and the last character in their lines, counted from 1; None for whole lines."""
    group: str | None = None
    """The group of its document."""
    time: Time | None = None
    """The time of its document."""

    @property
    def chunk_id(self) -> str:
        """`src/client.py:12-40`, or `notes.txt:3.1-3.80` if the chunk does not consist of whole lines.

        The id depends only on the chunk's place, not on other chunks. Different places in a document have different ids.
        """
        if self.columns is None:
            return f"{self.doc_id}:{self.start_line}-{self.end_line}"
        first, last = self.columns
        return f"{self.doc_id}:{self.start_line}.{first}-{self.end_line}.{last}"

    def to_document(self) -> Document:
        """The chunk as a document for a provider to index: with its own id, in the group of its document."""
        place = {name: getattr(self, name) for name in ("doc_id", "start", "end", "start_line", "end_line")}
        return Document(self.chunk_id, self.text, title=self.title, group=self.group, metadata=place, time=self.time)
