"""Feature lines: the strict reader of lines with a label, a query and numbered features, which explains what is wrong."""

from __future__ import annotations

import math

import numpy as np

from assay.errors import DataError, Faults
from assay.files.blocks.decimals import parse_number_text
from assay.files.blocks.feature_blocks import LARGEST, MAX_FEATURE, MOST_CELLS, FeatureBlock, documents_of
from assay.files.source import NOT_UTF8
from assay.text import shortened

LAYOUT = "label qid:query number:value …"
ABSENT = b"NULL"
"""The value that LETOR has for a feature that a document does not have."""

NO_VALUE = (b"nan", b"na", b"none", b"")
"""Texts that other programs write for such a feature, in lower case."""


def parse_lines(chunk: bytes, first_line: int, faults: Faults) -> FeatureBlock:
    """The lines of a piece of a file, one by one. A line with a fault is left out. Empty lines and comments are skipped."""
    rows: list[tuple[int, float, str, dict[int, float], str]] = []
    for number, line in enumerate(chunk.splitlines() if b"\r" in chunk else chunk.split(b"\n"), first_line):
        content, _, comment = line.partition(b"#")
        if not content.strip():
            continue
        try:
            label, query, features = _parse_line(content)
            rows.append((number, label, query, features, comment.decode()))
        except UnicodeDecodeError:
            faults.add(number, NOT_UTF8)
        except DataError as error:
            faults.add(number, error.what)
        if faults.full:
            break
    return _block(rows)


def too_many_cells(n_rows: int, highest: int) -> DataError:
    """The error for features with large numbers that nearly all documents lack."""
    return DataError(
        f"nearly all features are absent, so {n_rows:,} documents with feature numbers up to {highest:,} would need "
        "too much memory. Number the features without gaps"
    )


def _block(rows: list[tuple[int, float, str, dict[int, float], str]]) -> FeatureBlock:
    """The lines as arrays."""
    numbers = [number for _, _, _, features, _ in rows for number in features]
    first = min([1, *numbers])
    width = max([first - 1, *numbers]) - first + 1
    if len(rows) * width > MOST_CELLS:
        raise too_many_cells(len(rows), first + width - 1)
    values = np.full((len(rows), width), np.nan, dtype=np.float32)
    for place, (_, _, _, features, _) in enumerate(rows):
        columns = np.fromiter(features, np.int64, len(features)) - first
        values[place, columns] = np.clip(np.fromiter(features.values(), np.float64, len(features)), -LARGEST, LARGEST)
    queries = [query for _, _, query, _, _ in rows]
    start = [place for place, query in enumerate(queries) if not place or query != queries[place - 1]]
    comments = [comment for *_, comment in rows]
    documents, are_named = documents_of(comments)
    return FeatureBlock(
        np.array([label for _, label, *_ in rows], dtype=np.float64),
        [queries[place] for place in start],
        start,
        values,
        first,
        documents if any(comments) else None,
        are_named,
        np.array([number for number, *_ in rows], dtype=np.int64),
    )


def _parse_line(content: bytes) -> tuple[float, str, dict[int, float]]:
    """Label, query and features of a line; a feature without a value is nan."""
    label, *fields = content.split()
    grade = _parse_label(label)
    if not fields or not fields[0].startswith(b"qid:"):
        second = _shown(fields[0]) if fields else "nothing"
        raise DataError(f"expected qid: and the id of the query after the label ({LAYOUT}), found {second}")
    query = fields[0].removeprefix(b"qid:").decode()
    if not query:
        raise DataError("the id of the query after qid: is empty")
    features: dict[int, float] = {}
    last = -1
    for field in fields[1:]:
        number, value = _parse_feature(field)
        if number <= last:
            what = "appears twice" if number in features else f"comes after feature {last}"
            raise DataError(f"feature {number} {what}; the numbers of features must be in ascending order")
        features[number] = value
        last = number
    return grade, query, features


def _parse_label(text: bytes) -> float:
    try:
        grade = parse_number_text(text)
    except DataError:
        grade = math.nan
    if not math.isfinite(grade):
        raise DataError(f"the label must be a number such as 0 or 2, not {_shown(text)}")
    return grade


def _parse_feature(field: bytes) -> tuple[int, float]:
    name, colon, text = field.partition(b":")
    if not colon or not name.isdigit():
        raise DataError(f"expected a feature such as 12:0.5, found {_shown(field)}")
    if len(name) > 18 or int(name) > MAX_FEATURE:
        raise DataError(f"the number of a feature must be at most {MAX_FEATURE:,}, not {_shown(name)}")
    if text == ABSENT:
        return int(name), math.nan
    try:
        value = parse_number_text(text)
    except DataError:
        value = math.nan
    if not math.isfinite(value):
        hint = f". If the document does not have the feature, leave {_shown(field)} out" if text.lower() in NO_VALUE else ""
        raise DataError(f"the value of feature {int(name)} must be a finite number, not {_shown(text)}{hint}")
    return int(name), value


def _shown(text: bytes) -> str:
    return shortened(text.decode("utf-8", "replace"))
