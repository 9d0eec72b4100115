"""Chunk locations: where every chunk is in its file, by the id of the chunk; lines, characters and their unions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, repeat
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Floats, Ints
from assay.errors import DataError
from assay.model import Document, FileNames, Hit, Run, normal_path
from assay.text import words_of

LOCATION_ID = re.compile(
    r"(?P<file>.+?)(?::L?|#L)(?P<first>\d{1,9})(?:\.(?P<from>\d{1,9}))?(?:-L?(?P<last>\d{1,9})(?:\.(?P<to>\d{1,9}))?)?"
)
"""Ids with the location of a chunk: `src/client.py:12-40`, `notes.txt:3.1-3.80`, `a.py:7`, `a.py#L12-L40`, `a.py:L7-L9`."""
FILE = ("doc_id", "file", "path", "file_path")
CHARACTERS = (("start", "end"), ("start_char", "end_char"))
LINES = ("start_line", "end_line")
UNKNOWN = (-1, -1)
COLUMNS = {"characters": 0, "lines": 2}
"""Unit → the first of its two columns among the four columns of bounds."""
NOWHERE = -1
"""The number of a chunk whose location is unknown."""


class Place(NamedTuple):
    """A part of a file, half-open and counted from 0 in both units; -1 if a unit is unknown."""

    file: str
    characters: tuple[int, int] = UNKNOWN
    lines: tuple[int, int] = UNKNOWN


def place_in(metadata: Mapping[str, Any] | None, base: int = 1) -> Place | None:
    """The location in metadata: a file, and characters [start, end) or lines counted from `base`, both ends included."""
    if not metadata:
        return None
    file = next((metadata[name] for name in FILE if isinstance(metadata.get(name), str) and metadata[name]), None)
    pairs = (_whole(metadata, *names) for names in CHARACTERS)
    characters = next((pair for pair in pairs if pair != UNKNOWN), UNKNOWN)
    first, last = _whole(metadata, *LINES)
    lines = (first - base, last - base + 1) if base <= first <= last else UNKNOWN
    return Place(file, characters, lines) if file is not None and max(characters, lines) != UNKNOWN else None


def _whole(metadata: Mapping[str, Any], *names: str) -> tuple[int, int]:
    """Two whole numbers, the first at most the second; otherwise unknown."""
    start, end = (metadata.get(name) for name in names)
    are_whole = all(isinstance(value, int | np.integer) and not isinstance(value, bool) for value in (start, end))
    return (int(start), int(end)) if are_whole and 0 <= start <= end else UNKNOWN  # type: ignore[arg-type, operator]


def columns(bounds: Ints, unit: str) -> tuple[Ints, Ints]:
    """The two columns of a unit."""
    first = COLUMNS[unit]
    return bounds[:, first], bounds[:, first + 1]


class Places:
    """Chunks by number: ids, files and bounds. A document without a location is a whole file.

    `files` are the texts that chunks were cut from; by default the documents that are not chunks. Hits can have a location
    in their metadata. Other ids, such as `path:12-40`, are parsed when they are looked up.
    """

    def __init__(
        self,
        documents: Mapping[str, Document],
        files: Mapping[str, Document] | None = None,
        hits: Iterable[Hit] = (),
        base: int = 1,
    ) -> None:
        self.base = base
        self.number: dict[str, int] = {}
        """Id → number of a chunk."""
        self._places: list[Place] = []
        self._texts: list[str | None] = []
        whole: dict[str, Document] = {}
        for doc_id, document in documents.items():
            place = place_in(document.metadata)
            if place is None:
                whole[doc_id] = document
                place = Place(doc_id, (0, len(document.text)), (0, count_lines(document.text)))
            self._add(doc_id, place, document.text)
        self.n_corpus = len(self._places)
        """How many of the chunks are documents; the others were read from retrieved ids and hits."""
        self.are_chunks = len(whole) < self.n_corpus
        """Whether any document is a chunk."""
        self._texts_of_files = whole if files is None else files
        self._known = FileNames([*self._texts_of_files, *(place.file for place in self._places)])
        self._brought = {hit.doc_id: hit for hit in hits if hit.doc_id not in self.number and hit.metadata}
        self._given = (documents, files, tuple(self._brought.values()))
        self._meant: dict[str, str | None] = {}
        self._named: dict[str, dict[str, None]] = {"retrieved": {}, "gold": {}}
        """Where files are named (retrieved or gold) → the paths used there."""
        self._file_numbers: dict[str, int] = {}
        self._lines: dict[str, Lines] = {}
        self._n_words: dict[int, int] = {}
        self._sizes: dict[tuple[str, int], Floats | None] = {}
        self._located: list[tuple[Run, Ints]] = []

    def based(self, base: int) -> Places:
        """The same, with lines in ids and hits counted from 0 or from 1."""
        documents, files, hits = self._given
        return self if base == self.base else Places(documents, files, hits, base)

    def numbers(self, ids: Sequence[str]) -> Ints:
        """The number of each chunk; -1 if its location is unknown."""
        numbers = np.fromiter(map(self.number.get, ids, repeat(NOWHERE)), np.int64, len(ids))
        unknown = np.flatnonzero(numbers == NOWHERE)
        if len(unknown) and self._read({ids[row] for row in unknown.tolist()}):
            numbers[unknown] = [self.number.get(ids[row], NOWHERE) for row in unknown.tolist()]
        return numbers

    def located(self, run: Run) -> Ints:
        """The numbers of all retrieved chunks of a run, flat, in the order of its rankings; cached."""
        for known, numbers in self._located:
            if known is run:
                return numbers
        numbers = self.numbers(list(chain.from_iterable(run.rankings)))
        self._located.append((run, numbers))
        return numbers

    @property
    def has_texts(self) -> bool:
        """Whether the text of any file is known."""
        return bool(self._texts_of_files)

    @property
    def n_read(self) -> int:
        """How many chunks were read from retrieved ids and hits."""
        return len(self._places) - self.n_corpus

    @property
    def n_files(self) -> int:
        """How many files have a number."""
        return len(self._file_numbers)

    @cached_property
    def _ids(self) -> list[str]:
        return list(self.number)

    def ids(self, numbers: Iterable[int]) -> list[str]:
        """The ids of chunks, by their numbers."""
        return [self._ids[number] for number in numbers]

    def file_numbers(self, paths: Iterable[str]) -> list[int]:
        """The number of each file; an unknown file gets a new number."""
        paths = list(paths)
        self._understand(paths)
        return self._numbered(paths)

    def _numbered(self, paths: Iterable[str]) -> list[int]:
        names = (normal_path(self._meant.get(path) or path) for path in paths)
        return [self._file_numbers.setdefault(name, len(self._file_numbers)) for name in names]

    def is_known(self, path: str) -> bool:
        """Whether a file is known, under this path or another unambiguous one."""
        if path not in self._meant:
            self._understand([path])
        return self._meant[path] is not None

    def files_nobody_has(self, numbers: Ints) -> list[str]:
        """The names of the files of these chunks that are unknown; empty if no file is known at all."""
        files = [self._places[number].file for number in numbers.tolist() if number >= self.n_corpus]
        return [file for file in files if not self.is_known(file)] if self._known.n_files else []

    def lines_of(self, path: str) -> Lines | None:
        """The lines of a file; None if its text is unknown."""
        if path not in self._meant:
            self._understand([path])
        file = self._meant[path]
        if file is None or file not in self._texts_of_files:
            return None
        if file not in self._lines:
            self._lines[file] = Lines(self._texts_of_files[file].text)
        return self._lines[file]

    def _understand(self, paths: Iterable[str], voice: str = "gold") -> None:
        """Find out which files the paths mean. All paths are considered together, because they can exclude each other."""
        named = self._named[voice]
        if not (new := {path: None for path in paths if path not in named}):
            return
        named |= new
        known = self._known if self._known.n_files else FileNames(self._named["retrieved"])
        before, self._meant = self._meant, known.match(*self._named.values())
        if any(self._meant[path] != file for path, file in before.items()):
            self.__dict__.pop("_arrays", None)
            self._sizes.clear()

    def tokens(self, numbers: Ints) -> Ints:
        """The number of words of each chunk; 0 if its location is unknown."""
        distinct, at = np.unique(numbers, return_inverse=True)
        counts = [self._count(number) if number != NOWHERE else 0 for number in distinct.tolist()]
        return np.array(counts, dtype=np.int64)[at]

    def _count(self, number: int) -> int:
        if number not in self._n_words:
            if (text := self._texts[number]) is None:
                raise DataError(
                    f"a budget of tokens needs the text of every chunk, but the text of {self._ids[number]!r} is unknown."
                    " Use a cutoff such as @10, or a dataset that has the files"
                )
            self._n_words[number] = len(words_of(text))
        return self._n_words[number]

    @property
    def arrays(self) -> tuple[Ints, Ints]:
        """For every chunk: the number of its file, and its bounds in four columns: characters from, to, lines from, to."""
        if len(self._arrays[0]) < len(self._places):
            del self._arrays
        return self._arrays

    @cached_property
    def _arrays(self) -> tuple[Ints, Ints]:
        files = np.array(self._numbered(place.file for place in self._places), dtype=np.int64)
        bounds = np.array([(*place.characters, *place.lines) for place in self._places], dtype=np.int64)
        return files, bounds.reshape(len(files), 4)

    def within(self, chunks: Ints, unit: str) -> tuple[Ints, Ints]:
        """Start and end of chunks in a unit."""
        start, end = (column[chunks] for column in columns(self.arrays[1], unit))
        if (unknown := np.flatnonzero(end < 0)).size:
            other = "lines" if unit == "characters" else "characters"
            raise DataError(
                f"cannot count the {unit} of chunk {self._ids[int(chunks[unknown[0]])]!r}: the text of its file is missing."
                f" Measure in {other} (unit={other}), or use a dataset that has the file"
            )
        return start, end

    def sizes(self, unit: str) -> Floats | None:
        """The length of each chunk, then 0 for unknown locations; None if chunks overlap or a length is unknown."""
        key = (unit, len(self._places))
        if key not in self._sizes:
            file, bounds = self.arrays
            start, end = columns(bounds, unit)
            total = union_sizes(file, start, end, np.zeros(len(file), dtype=np.int64), 1).sum()
            is_plain = (end >= 0).all() and total == (end - start).sum()
            self._sizes[key] = np.append(end - start, 0).astype(float) if is_plain else None
        return self._sizes[key]

    def _add(self, chunk_id: str, place: Place, text: str | None) -> None:
        self.number[chunk_id] = len(self._places)
        self._places.append(place)
        self._texts.append(text)

    def _read(self, ids: Iterable[str]) -> bool:
        """Add chunks whose location is in their metadata or their id; returns whether there were any."""
        places = {chunk_id: self._stated_place(chunk_id) for chunk_id in sorted(ids)}
        self._understand((place.file for place in places.values() if place), "retrieved")
        for chunk_id, place in places.items():
            if place is not None:
                place = self._completed(place, chunk_id)
                hit = self._brought.get(chunk_id)
                self._add(chunk_id, place, hit.text if hit and hit.text is not None else self._text_at(place))
        self.__dict__.pop("_ids", None)
        return any(places.values())

    def _stated_place(self, chunk_id: str) -> Place | None:
        hit, named = self._brought.get(chunk_id), LOCATION_ID.fullmatch(chunk_id)
        if (place := place_in(hit.metadata, self.base) if hit else None) or named is None:
            return place
        first, last = int(named["first"]), int(named["last"] or named["first"])
        is_stretch = self.base <= first <= last
        return Place(named["file"], lines=(first - self.base, last - self.base + 1)) if is_stretch else None

    def _completed(self, place: Place, chunk_id: str) -> Place:
        """The location in both units, if the text of the file is known; an id can contain columns."""
        if (known := self.lines_of(place.file)) is None:
            return place
        if place.characters == UNKNOWN:
            start, end = known.characters(*place.lines)
            named = LOCATION_ID.fullmatch(chunk_id)
            if named and named["from"] and named["to"]:
                last = known.characters(place.lines[1] - 1, place.lines[1])[0]
                start, end = start + int(named["from"]) - 1, min(last + int(named["to"]), end)
            return place._replace(characters=(start, end))
        return place._replace(lines=known.lines(*place.characters)) if place.lines == UNKNOWN else place

    def _text_at(self, place: Place) -> str | None:
        file = self._meant.get(place.file)
        if file is None or file not in self._texts_of_files or place.characters == UNKNOWN:
            return None
        return self._texts_of_files[file].text[slice(*place.characters)]


def count_lines(text: str) -> int:
    """The number of lines of a text; the last line need not end in a line feed."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


class Lines:
    """The start of each line of a text. A line includes its line feed; other line breaks are ordinary characters."""

    def __init__(self, text: str) -> None:
        self.size = len(text)
        lengths = [len(line) + 1 for line in text.split("\n")]
        self._starts = [0, *accumulate(lengths[:-1])]
        self.n_lines = count_lines(text)

    def characters(self, start: int, end: int) -> tuple[int, int]:
        """Lines [start, end), counted from 0, as characters [start, end); cut off at the end of the text."""
        return self._start_of(start), self._start_of(end)

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """Characters [start, end) as the lines [start, end) that they touch, counted from 0; empty if there are none."""
        start, end = max(start, 0), min(end, self.size)
        first = bisect_right(self._starts, start) - 1
        return (first, bisect_right(self._starts, end - 1)) if start < end else (first, first)

    def _start_of(self, line: int) -> int:
        return self._starts[max(line, 0)] if line < self.n_lines else self.size


def text_at(chunk_id: str, files: Mapping[str, Document]) -> str:
    """The text of a chunk whose id has its location, cut from its file; empty if the id has none or the file is unknown."""
    named = LOCATION_ID.fullmatch(chunk_id)
    document = files.get(named["file"]) if named else None
    if named is None or document is None:
        return ""
    lines, first, last = Lines(document.text), int(named["first"]), int(named["last"] or named["first"])
    start, end = lines.characters(first - 1, last)
    if named["from"] and named["to"]:
        start, end = start + int(named["from"]) - 1, min(lines.characters(last - 1, last)[0] + int(named["to"]), end)
    return document.text[start:end]


LARGEST_SAFE_INT = 2**62
"""A whole number that certainly fits into 64 bits."""


def union_sizes(group: Ints, start: Ints, end: Ints, query: Ints, n_queries: int) -> Floats:
    """The length that the ranges [start, end) of each query cover, group by group; overlaps count once.

    A group belongs to one query. Sorted by start, each range adds the part beyond all earlier ranges of its group.
    """
    width = int(end.max(initial=0)) + 1
    small = int(group.max(initial=0)) < LARGEST_SAFE_INT // width
    order = np.argsort(group * width + start) if small else np.lexsort((start, group))
    group, start, end, query = group[order], start[order], end[order], query[order]
    number = np.cumsum(np.concatenate(([0], np.diff(group) != 0))) if len(group) else group
    reach = np.maximum.accumulate(end + number * width)
    before = np.concatenate(([0], reach[:-1]))[: len(reach)] - number * width
    fresh = np.maximum(end - np.maximum(start, before), 0)
    return np.bincount(query, weights=fresh, minlength=n_queries).astype(float, copy=False)
