"""Feature blocks: NumPy reads many lines of LETOR and SVMlight at once: a label, a query and numbered features.

A block is plain if every line is `label qid:query number:value … # comment` with one space between two fields. Anything else
is Unusual: the strict reader reads these lines one by one and explains what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints
from assay.errors import DataError
from assay.files.blocks.byte_fields import PADDING, WIDTH, ByteFields, Bytes, words_at
from assay.files.blocks.decimals import last_digits, parse_decimals
from assay.files.blocks.trec_blocks import Unusual
from assay.model import Features

BLOCK = 1 << 19
"""Bytes of a block: few enough that NumPy's intermediate arrays stay in the cache of the processor."""
MAX_FEATURE = 16_383
"""The highest number of a feature. Features are stored for all documents, so a few large numbers would need much memory."""
MOST_CELLS = 1 << 26
"""Values of a block; if there were more, nearly all of them would be absent."""
SPACE, NEWLINE, RETURN, HASH_SIGN, COLON = b" \n\r#:"
IS_SEPARATOR = np.isin(np.arange(256), list(b" \t\r\n"))
LABEL_AND_QUERY = 2
"""The fields before the features."""
QID = int.from_bytes(b"qid:", "little")
DOCID = np.uint64(int.from_bytes(b"docid = ", "little"))
LARGEST = float(np.finfo(np.float32).max)
HEAP = 1 << 24
NAMED = re.compile(r"\s*docid\s*=\s*(\S+)", re.ASCII)
FIRST_WORD = re.compile(r"\s*(\S*)", re.ASCII)


@dataclass(frozen=True, eq=False)
class FeatureBlock:
    """Lines as arrays."""

    labels: Floats
    queries: Sequence[str]
    """The id of each query; a query whose lines are not together appears several times."""
    start: Sequence[int]
    """The first row of each query."""
    values: Features
    """A row for each line, a column for each feature number from `first` on; nan if the line does not have the feature."""
    first: int
    documents: Sequence[str] | None
    """For each row the id of the document that its comment names, or an empty text; None if no line has a comment."""
    are_named: bool
    """Whether all comments name the document as LETOR does: `docid = X`."""
    numbers: Ints
    """The number of each line in the file."""


def documents_of(comments: Sequence[str]) -> tuple[Sequence[str], bool]:
    """The id of the document in each comment, and whether all comments that are not empty have the form `docid = X`.

    In other comments the first word is the id.
    """
    named = [NAMED.match(comment) for comment in comments]
    matches = [name or FIRST_WORD.match(comment) for name, comment in zip(named, comments, strict=True)]
    documents = [match[1] if match else "" for match in matches]
    return documents, all(name or not document for name, document in zip(named, documents, strict=True))


def read_chunks(file: IO[bytes]) -> Iterator[bytes]:
    """The file in pieces that end where a line ends."""
    _keep_freed_memory()
    left = b""
    while chunk := file.read(BLOCK):
        end = chunk.rfind(b"\n") + 1
        if not end:
            left += chunk
            continue
        yield left + chunk[:end]
        left = chunk[end:]
    if left:
        yield left + b"\n"


def _keep_freed_memory() -> None:
    """Make the C library keep memory for the arrays of the next block instead of returning it to the system.

    It raises its threshold when a large array is freed. Otherwise the system has to clear each new array, which takes longer
    than all computations.
    """
    np.empty(HEAP, dtype=np.uint8)


def parse_block(chunk: bytes, first_line: int) -> FeatureBlock:
    """The lines of a piece of a file; Unusual if one of them is not plain."""
    padded = bytearray(PADDING + len(chunk) + PADDING)
    padded[PADDING:-PADDING] = chunk
    data = np.frombuffer(padded, dtype=np.uint8)
    lines = _Lines.of(data, PADDING, PADDING + len(chunk))
    queries = lines.queries()
    start = np.flatnonzero(queries.differs_from_previous())
    names = queries.take(start).texts()
    values, first = _features(data, lines)
    try:
        labels = parse_decimals(data, lines.begin, lines.label_end)
        texts = [name.decode() for name in names]
    except (DataError, UnicodeDecodeError):
        raise Unusual from None
    if not np.isfinite(labels).all():
        raise Unusual
    numbers = np.arange(first_line, first_line + len(labels))
    return FeatureBlock(labels, texts, start.tolist(), values, first, *lines.documents(chunk), numbers)


@dataclass(frozen=True, eq=False)
class _Lines:
    """Where fields end, and which of the fields belong to each line."""

    data: Bytes
    marks: Ints
    """The place of the byte after each field."""
    first: Ints
    """For each line, the number of its first mark."""
    n_fields: Ints
    """For each line, the number of fields before the comment."""
    newline: Ints
    """For each line, the number of the mark at its end."""
    begin: Ints
    """For each line, the place of its first byte."""
    hashes: Ints
    """The place of the first `#` of each line; empty if no line has a comment."""

    @classmethod
    def of(cls, data: Bytes, begin: int, end: int) -> _Lines:
        text = data[begin:end]
        marks = np.flatnonzero(text <= SPACE)
        marks += begin
        separators = data[marks]
        if not IS_SEPARATOR[separators].all():
            raise Unusual
        newline = np.flatnonzero(separators == NEWLINE)
        returns = marks[separators == RETURN]
        if len(returns) and (data[returns + 1] != NEWLINE).any():
            raise Unusual
        first = np.concatenate(([0], newline[:-1] + 1))
        begins = np.concatenate(([begin], marks[newline[:-1]] + 1))
        hashes = _first_hashes(np.flatnonzero(text == HASH_SIGN) + begin, begins, marks[newline])
        if len(hashes):
            last = np.searchsorted(marks, hashes) - 1
            if (marks[last] != hashes - 1).any():
                raise Unusual
            n_fields = last + 1 - first
        else:
            n_fields = newline - first + (marks[newline] - marks[newline - 1] > 1)
        if n_fields.min(initial=LABEL_AND_QUERY) < LABEL_AND_QUERY:
            raise Unusual
        return cls(data, marks, first, n_fields, newline, begins, hashes)

    @property
    def label_end(self) -> Ints:
        return self.marks[self.first]

    def queries(self) -> ByteFields:
        """The ids after `qid:`."""
        begin = self.label_end + 1
        length = self.marks[self.first + 1] - begin - 4
        if ((words_at(self.data, begin) & np.uint64(0xFFFFFFFF)) != QID).any() or length.min(initial=1) < 1:
            raise Unusual
        return ByteFields(self.data, begin + 4, length)

    def documents(self, chunk: bytes) -> tuple[Sequence[str] | None, bool]:
        """For each line the id of its document, and whether all comments name it in the way of LETOR."""
        if not len(self.hashes):
            return None, False
        begin, end = self.hashes + 1, self.marks[self.newline]
        if (words_at(self.data, begin) == DOCID).all() and (end > begin + WIDTH).all():
            named = begin + WIDTH
            documents = _texts(chunk, named, self.marks[np.searchsorted(self.marks, named)])
            if all(documents):
                return documents, True
        return documents_of(_texts(chunk, begin, end))


def _texts(chunk: bytes, begin: Ints, end: Ints) -> list[str]:
    """The text between two places of each line; Unusual if it is not UTF-8."""
    places = zip((begin - PADDING).tolist(), (end - PADDING).tolist(), strict=True)
    if chunk.isascii():
        text = chunk.decode()
        return [text[start:stop] for start, stop in places]
    try:
        chunk.decode()
        return [chunk[start:stop].decode() for start, stop in places]
    except UnicodeDecodeError:
        raise Unusual from None


def _first_hashes(hashes: Ints, begins: Ints, ends: Ints) -> Ints:
    """The place of the first `#` of each line; Unusual if only some lines have one."""
    if not len(hashes):
        return hashes
    at = np.searchsorted(hashes, begins)
    if at[-1] >= len(hashes):
        raise Unusual
    first: Ints = hashes[at]
    if (first > ends).any():
        raise Unusual
    return first


def _features(data: Bytes, lines: _Lines) -> tuple[Features, int]:
    """The values of the features, and the number of the first column."""
    n_lines, n_each = len(lines.first), lines.n_fields - LABEL_AND_QUERY
    most = int(n_each.max(initial=0))
    is_even = bool((n_each == most).all())
    ends = _ends_of_features(lines, n_each, most if is_even else None)
    begin, end = ends[0] + 1, ends[1]
    colon = _colons(data, begin, end, n_each)
    if is_even and most and _has_same_numbers(data, begin, colon, n_lines):
        row = slice(0, most)
        numbers = _numbers(data, begin[row], colon[row])
        if (np.diff(numbers) <= 0).any():
            raise Unusual
        values = _values(data, colon, end).reshape(n_lines, most)
        return _placed(values, numbers)
    numbers = _numbers(data, begin, colon)
    first = min(int(numbers.min(initial=1)), 1)
    width = int(numbers.max(initial=first - 1)) - first + 1
    if n_lines * width > MOST_CELLS:
        raise Unusual
    cell = np.repeat(np.arange(n_lines) * width - first, n_each)
    cell += numbers
    if (np.diff(cell) <= 0).any():  # numbers that do not ascend in a line
        raise Unusual
    table = np.full(n_lines * width, np.nan, dtype=np.float32)
    table[cell] = _values(data, colon, end)
    return table.reshape(n_lines, width), first


def _placed(values: Features, numbers: Ints) -> tuple[Features, int]:
    """The values in the columns of their numbers, which are the same on all lines."""
    first = min(int(numbers[0]), 1)
    if int(numbers[-1]) - first + 1 == len(numbers):
        return values, first
    table = np.full((len(values), int(numbers[-1]) - first + 1), np.nan, dtype=np.float32)
    table[:, numbers - first] = values
    return table, first


def _ends_of_features(lines: _Lines, n_each: Ints, most: int | None) -> tuple[Ints, Ints]:
    """For each feature, the place after the field before it, and the place after it."""
    begin = lines.first + LABEL_AND_QUERY
    if most is not None:
        at = (begin[:, None] + np.arange(most)).ravel()
    else:
        total = int(n_each.sum())
        at = np.arange(total) + np.repeat(begin - (np.cumsum(n_each) - n_each), n_each)
    return lines.marks[at - 1], lines.marks[at]


def _colons(data: Bytes, begin: Ints, end: Ints, n_each: Ints) -> Ints:
    """The place of the colon in each feature; Unusual if a feature has none. Further colons are found later."""
    if not len(begin):
        return begin
    low = int(begin[0])
    places = np.flatnonzero(data[low : int(end[-1])] == COLON)
    places += low
    if len(places) == len(begin) + len(n_each) - 1:  # `qid:` of the other lines, and the features
        places = np.delete(places, np.cumsum(n_each)[:-1] + np.arange(len(n_each) - 1))
    else:  # comments or queries with colons
        places = np.append(places, end[-1])[np.searchsorted(places, begin)]
    if (places <= begin).any() or (places >= end - 1).any():
        raise Unusual
    return places


def _has_same_numbers(data: Bytes, begin: Ints, colon: Ints, n_lines: int) -> bool:
    """Whether all lines have the numbers of the first line, written in the same way."""
    length = (colon - begin).reshape(n_lines, -1)
    if (length != length[0]).any():
        return False
    last = (colon - 1).reshape(n_lines, -1)
    for digit in range(int(length[0].max())):
        columns = np.flatnonzero(length[0] > digit)  # longer numbers come last, so these are the last columns
        letters = data[last[:, columns[0] :] - digit]
        if (letters != letters[0]).any():
            return False
    return True


def _numbers(data: Bytes, begin: Ints, colon: Ints) -> Ints:
    """The numbers of features; Unusual for everything that is not a plain whole number."""
    length = colon - begin
    if length.max(initial=0) > len(str(MAX_FEATURE)):
        raise Unusual
    number, is_plain = last_digits(data, colon, length)
    if not is_plain.all() or number.max(initial=0) > MAX_FEATURE:
        raise Unusual
    return number.view(np.int64)


def _values(data: Bytes, colon: Ints, end: Ints) -> NDArray[np.float32]:
    """The values of features in single precision; Unusual if one is not a finite number."""
    if not len(colon):
        return np.zeros(0, dtype=np.float32)
    try:
        values = parse_decimals(data, colon + 1, end)
    except DataError:
        raise Unusual from None
    if not np.isfinite(values).all() or np.abs(values).max(initial=0) > LARGEST:
        raise Unusual
    return values.astype(np.float32)
