"""Chunker: the record of one way to cut, its result, how it is parsed, cutting documents, and sizes of chunks."""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from assay.catalog import find_entry, load_entries
from assay.errors import BadParameter, UsageError
from assay.extras import install_command
from assay.grammar import Param, changed_settings, cutoff, parse_settings, show, split_call
from assay.model import Chunk, Document
from assay.text import words_of

DEFAULT_SIZE = 1500


class Piece(NamedTuple):
    """Characters [start, end) of a text, and the title of what they are part of."""

    start: int
    end: int
    title: str = ""


class Cut(NamedTuple):
    """The pieces of a text, ordered by start, and a remark if it was not cut as requested."""

    pieces: list[Piece]
    remark: str = ""

    @classmethod
    def at(cls, spans: list[tuple[int, int]], remark: str = "") -> Cut:
        """Pieces without titles."""
        return cls([Piece(start, end) for start, end in spans], remark)


def overlap(text: str) -> int:
    """A whole number of at least 0."""
    try:
        return 0 if text and not text.strip("0") else cutoff(text)
    except ValueError:
        raise ValueError("a whole number from 0 to 1,000,000,000") from None


SIZE = Param("size", cutoff, DEFAULT_SIZE, "maximum characters per chunk, not counting white space")
OVERLAP = Param(
    "overlap", overlap, 0, "characters at the end of a chunk that the next chunk repeats; must be less than size"
)


@dataclass(frozen=True)
class Chunker:
    """One way to cut a text."""

    name: str
    meaning: str
    split: Callable[..., Cut]
    """Text, path of the document, and parameters → pieces, which must cover the text except for white space."""
    params: tuple[Param, ...] = (SIZE,)
    check: Callable[..., None] | None = None
    """Parameters → an error if it certainly cannot work, for example because a package is missing."""


@dataclass(frozen=True)
class BoundChunker:
    """A chunker with its parameters."""

    chunker: Chunker
    params: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Its text: `fixed_lines(size=800)`; parameters at their defaults are left out."""
        changed = changed_settings(self.chunker.params, self.params)
        inside = ", ".join(f"{name}={written_value(value)}" for name, value in changed.items())
        return f"{self.chunker.name}({inside})" if inside else self.chunker.name

    @property
    def configuration(self) -> dict[str, Any]:
        """All parameters, including defaults."""
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in self.params.items()}
        return {"chunker": self.chunker.name, **values}

    def check(self) -> None:
        """Raise if it certainly cannot work; nothing is cut."""
        if self.chunker.check is not None:
            self.chunker.check(**self.params)

    def cut(self, document: Document) -> Cut:
        """The pieces of a document, without those that are only white space.

        The halves of a surrogate pair stay together: a piece that would end between them is one character longer.
        """
        text = document.text
        cut = self.chunker.split(text, _path(document), **self.params)
        whole = [Piece(_behind_pair(text, start), _behind_pair(text, end), title) for start, end, title in cut.pieces]
        pieces = [piece for piece in whole if piece.start < piece.end and not text[piece.start : piece.end].isspace()]
        return Cut(pieces, cut.remark)


def _path(document: Document) -> str:
    """The path that decides the language of a document: its id if that has a file extension, otherwise its source."""
    has_ending = "." in document.doc_id.rpartition("/")[2]
    return document.doc_id if has_ending or not document.source else document.source


def _behind_pair(text: str, place: int) -> int:
    """The place, or the next one if the place is between the halves of a surrogate pair."""
    parts = 0 < place < len(text) and "\ud800" <= text[place - 1] <= "\udbff" and "\udc00" <= text[place] <= "\udfff"
    return place + parts


def written_value(value: Any) -> str:
    """A value in a form that can be read back, including line feeds and quotes."""
    if isinstance(value, tuple):
        return json.dumps(list(value), ensure_ascii=False).replace('\\"', "\\u0022")
    text = show(value)
    return f"'{text}'" if isinstance(value, str) and re.search(r"[\s,()=:]", text) else text


@cache
def all_chunkers() -> dict[str, Chunker]:
    """Name → chunker, sorted by name."""
    return dict(load_entries("assay.chunkers.catalog", Chunker, "assay.chunkers"))


def find_chunker(name: str) -> Chunker:
    """The chunker of that name."""
    return find_entry("chunker", name.replace("-", "_"), all_chunkers())


def parse_chunker(text: str | Mapping[str, Any]) -> BoundChunker:
    """Parse `fixed_lines(size=800)`, or a mapping from YAML: `{fixed_lines: {size: 800}}`."""
    if isinstance(text, Mapping):
        return _of_mapping(text)
    if not isinstance(text, str):
        raise BadParameter(f"a chunker must be a name such as fixed_lines(size=800), or a map, not {text!r}")
    name, settings = split_call(text)
    return _bound(text, find_chunker(name), settings)


def _of_mapping(content: Mapping[str, Any]) -> BoundChunker:
    if "name" in content:
        name, settings = str(content["name"]), {key: value for key, value in content.items() if key != "name"}
    elif len(content) == 1:
        ((name, inside),) = content.items()
        if not isinstance(inside, Mapping | None):
            raise BadParameter(
                f"the parameters of a chunker must be a map, as in {{fixed_lines: {{size: 800}}}}, not {inside!r}"
            )
        settings = dict(inside or {})
    else:
        raise BadParameter(f"a chunker must be a name or a map with one name, not {sorted(content)}")
    texts = [(key, json.dumps(value) if isinstance(value, list | tuple) else show(value)) for key, value in settings.items()]
    return _bound(name, find_chunker(name), texts)


def _bound(text: str, chunker: Chunker, settings: list[tuple[str, str]]) -> BoundChunker:
    values = parse_settings(text, chunker.name, chunker.params, settings)
    if values.get("overlap", 0) >= values.get("size", 1):
        raise BadParameter(f"{text}: overlap must be less than size ({values['size']:,}), not {values['overlap']:,}")
    return BoundChunker(chunker, values)


JOINT = " > "
"""Between the title of a document and that of a piece."""


def chunk_documents(
    chunker: BoundChunker, documents: Iterable[Document], remarks: Counter[str] | None = None
) -> list[Chunk]:
    """The chunks of all documents, in order. `remarks` counts the remarks about documents not cut as requested.

    A document that is only white space has no chunks.
    """
    chunks: list[Chunk] = []
    for document in documents:
        cut = chunker.cut(document)
        if cut.remark and remarks is not None:
            remarks[cut.remark] += 1
        chunks += _placed(document, cut.pieces)
    return chunks


def _placed(document: Document, pieces: Iterable[Piece]) -> Iterator[Chunk]:
    """Pieces with their lines. They are ordered by start, so each line feed is counted once."""
    text, line, line_start, seen = document.text, 1, 0, 0
    for number, piece in enumerate(pieces, 1):
        start, end = piece.start, piece.end
        line += text.count("\n", seen, start)
        line_start = max(line_start, text.rfind("\n", seen, start) + 1)
        seen = start
        columns = None
        if start > line_start or (end < len(text) and text[end - 1] != "\n"):
            last_start = max(line_start, text.rfind("\n", start, end - 1) + 1)
            columns = (start - line_start + 1, end - last_start)
        last_line = line + text.count("\n", start, end - 1)
        titles = [title for title in (document.title, piece.title) if title]
        title = JOINT.join(titles) or None
        place, owner = (start, end, line, last_line, text[start:end]), (document.group, document.time)
        yield Chunk(document.doc_id, number, *place, title, columns, *owner)


def check_installed(owner: str, package: str, extra: str) -> None:
    """Raise an error with the install command unless the package is installed; it is not imported."""
    if find_spec(package) is None:
        raise UsageError(f"{owner} needs the package {package.replace('_', '-')}: {install_command(extra)}")


def needed(owner: str, package: str, extra: str) -> Any:
    """The imported package; if it is missing, an error with the install command."""
    check_installed(owner, package, extra)
    return importlib.import_module(package)


@dataclass(frozen=True)
class Distribution:
    """The mean, the 5th, 50th and 95th percentile, and the maximum of sizes."""

    mean: float
    p5: float
    median: float
    p95: float
    max: float


@dataclass(frozen=True)
class ChunkSizes:
    """The number of chunks and their sizes, which are None if there are no chunks."""

    n: int
    characters: Distribution | None
    tokens: Distribution | None
    """In words, as counted by `assay.text.words_of`."""


def sizes(chunks: Iterable[Chunk]) -> ChunkSizes:
    """The sizes of chunks in characters, including white space, and in words; percentiles are interpolated."""
    texts = [chunk.text for chunk in chunks]
    if not texts:
        return ChunkSizes(0, None, None)
    return ChunkSizes(len(texts), _distribution(map(len, texts)), _distribution(len(words_of(text)) for text in texts))


def _distribution(values: Iterable[int]) -> Distribution:
    counts = np.array(list(values), float)
    p5, median, p95 = np.percentile(counts, [5, 50, 95]).tolist()
    return Distribution(float(counts.mean()), p5, median, p95, float(counts.max()))
