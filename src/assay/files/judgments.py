"""Read judgments from TREC qrels, BEIR TSV, JSON, JSONL, CSV, Parquet, data frames and records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import compress, pairwise
from math import isfinite
from operator import ne
from typing import Any

import numpy as np

from assay.errors import DataError, Faults
from assay.files.columns import is_table
from assay.files.features.reader import is_feature_line, read_features
from assay.files.hits import Iteration, Row
from assay.files.json_text import read_json_records
from assay.files.rows import FILE_ORDER, Roles, file_rows, has_three, memory_rows, n_columns, trec_rows
from assay.files.source import NOT_UTF8, FileSource, as_source
from assay.model import (
    EMPTY_ID,
    Judgments,
    Qrels,
    as_judgments,
    checked_grades,
    is_truth_value,
    judgments_of_mapping,
    parse_grade,
    parse_number,
    text_id,
)

LAYOUT = "query iteration document grade"
ROLES = Roles("judgments")
THREE = "query document grade"
BLOCK = 1 << 22
"""Bytes of the lines that are split at once."""
KEEP_ONE = "keep one of the judgments"


@as_judgments.register(object)
def _read_judgments(source: Any) -> Judgments:
    """Judgments from a file, a data frame, an array or records."""
    source = as_source(source)
    if isinstance(source, FileSource):
        return _read_file(source)
    return _read_memory(source)


def _read_memory(source: Any) -> Judgments:
    """Judgments from objects in memory, where True and False are valid grades."""
    faults = Faults("judgments", "row")
    rows = memory_rows(source, ROLES, faults)
    plain = (
        (place, query, doc, float(value) if is_truth_value(value) else value, more)
        for place, query, doc, value, more in rows
    )
    return _collect(plain, faults)


@as_judgments.register(Mapping)
def _read_mapping(source: Mapping[Any, Any]) -> Judgments:
    """Judgments from a nested mapping, or from a mapping of columns."""
    if not isinstance(source, Qrels) and is_table(source):
        return _read_memory(source)
    return judgments_of_mapping(source)


def _read_file(source: FileSource) -> Judgments:
    with source.left_out_noted():
        judgments = _read_kind(source)
    if not judgments.grades:
        raise DataError("the file contains no judgments; it needs at least one", source=source.label)
    return judgments._replace(notes=source.notes)


def _read_kind(source: FileSource) -> Judgments:
    """The judgments of a file, by its kind."""
    faults = Faults(source.label)
    if source.kind == "json":
        return _from_json(source)
    if source.kind == "trec":
        if is_feature_line(source.first_line):
            return Judgments(read_features(source, keeps_values=False).grades(), in_file_order=True)
        if n_columns(source.first_line) == 6:
            message = f"expected judgments (4 columns: {LAYOUT}), found what looks like a run (6 columns)"
            raise DataError(message, source=source.label, hint=FILE_ORDER)
        return _read_three(source, faults) if _has_three_with_tabs(source) else _read_trec(source, faults)
    return _collect(file_rows(source, ROLES, faults), faults)


def _from_json(source: FileSource) -> Judgments:
    content = read_json_records(source, "qrels")
    faults = Faults("judgments", "row")
    try:
        if is_table(content) or not isinstance(content, Mapping):
            return _collect(memory_rows(content, ROLES, faults), faults)
        judgments = judgments_of_mapping(content)
        _check_no_truth_values(judgments)
        checked_grades(judgments.grades)
    except DataError as error:
        raise error.at(source.label) from None
    return judgments


def _check_no_truth_values(judgments: Judgments) -> None:
    """In a file, true is as likely to be a typo as a grade."""
    for query, judged in judgments.grades.items():
        if bool in set(map(type, judged.values())):
            doc, grade = next((doc, grade) for doc, grade in judged.items() if is_truth_value(grade))
            raise DataError(f"the grade of document {doc} for query {query} must be a number such as 1 or 0, not {grade}")


def _has_three_with_tabs(source: FileSource) -> bool:
    return b"\t" in source.first_line and has_three(source.first_line)


def _read_trec(source: FileSource, faults: Faults) -> Judgments:
    return _all_at_once(source) or _collect(_trec_rows(source, faults), faults)


def _read_three(source: FileSource, faults: Faults) -> Judgments:
    """Query, document and grade separated by tabs, without a header: a BEIR table that has lost its header."""
    source.note("three columns without a header were read as query, document and grade.")
    rows = _decoded(trec_rows(source, 3, THREE, faults), 3, THREE, faults)
    read = ((number, query, doc, grade, None) for number, (query, doc, grade) in rows)
    return _collect(read, faults)


def _all_at_once(source: FileSource) -> Judgments | None:
    """The quick way for a TREC file without anything unusual; None if lines must be checked one by one.

    The lines of a block are split at once. A block is small, because its words need many times its memory.
    """
    content = source.content()
    by_query: dict[str, dict[str, float]] = {}
    value: dict[bytes, float] = {}
    iterations: set[bytes] = set()
    n_rows = 0
    for block in _blocks_of_lines(content):
        columns = _columns(block)
        if columns is None:
            return None
        queries, docs, names, grades = columns
        iterations |= names
        try:
            value |= {grade: parse_number(grade.decode()) for grade in set(grades).difference(value)}
        except ValueError:
            return None
        n_rows += len(grades)
        numbers = list(map(value.__getitem__, grades))
        changes = compress(range(1, len(queries)), map(ne, queries[1:], queries))
        for begin, end in pairwise((0, *changes, len(queries))):  # stretches of lines about one query
            by_query.setdefault(queries[begin], {}).update(zip(docs[begin:end], numbers[begin:end], strict=True))
    is_sound = sum(map(len, by_query.values())) == n_rows and all(map(isfinite, value.values()))
    if not is_sound:
        return None
    return Judgments(by_query, iterations=_read_iterations(content) if len(iterations) > 1 else {})


def _blocks_of_lines(content: bytes) -> Iterator[bytes]:
    """The content in pieces that end where a line ends."""
    begin = 0
    while begin < len(content):
        end = content.rfind(b"\n", begin, begin + BLOCK) + 1 or content.find(b"\n", begin) + 1 or len(content)
        yield content[begin:end]
        begin = end


def _columns(block: bytes) -> tuple[list[str], list[str], set[bytes], list[bytes]] | None:
    """Queries, documents, the different iterations, and grades; None if a line is unusual."""
    words = block.split()
    if not _has_three_gaps_per_line(block, len(words)) or b"#" in {query[:1] for query in set(words[0::4])}:
        return None
    try:
        queries, docs = (b"\n".join(column).decode().split("\n") for column in (words[0::4], words[2::4]))
        names = set(words[1::4])
        b" ".join(names).decode()
    except ValueError:
        return None
    return queries, docs, names, words[3::4]


def _read_iterations(content: bytes) -> dict[str, dict[str, str]]:
    """Query → document → the second column, of lines that were checked before."""
    nested: dict[str, dict[str, str]] = {}
    for block in _blocks_of_lines(content):
        words = block.split()
        for query, doc, name in zip(*(map(bytes.decode, words[place::4]) for place in (0, 2, 1)), strict=True):
            nested.setdefault(query, {})[doc] = name
    return nested


def _has_three_gaps_per_line(content: bytes, n_words: int) -> bool:
    """Whether every line has four words with one space or tab between them: three gaps per line, four words per line."""
    if not content.endswith(b"\n") or b"\r" in content:
        return False
    letters = np.frombuffer(content, np.uint8)
    gaps = np.cumsum((letters == ord(" ")) | (letters == ord("\t")), dtype=np.int64)[letters == ord("\n")]
    return bool((np.diff(gaps, prepend=0) == 3).all()) and n_words == 4 * len(gaps)


def _trec_rows(source: FileSource, faults: Faults) -> Iterator[Row]:
    """Rows of a TREC file; the second column is usually 0 and means nothing."""
    for number, (query, iteration, doc, grade) in _decoded(trec_rows(source, 4, LAYOUT, faults), 4, LAYOUT, faults):
        yield number, query, doc, grade, Iteration(iteration)


def _decoded(
    rows: Iterable[tuple[int, list[bytes]]], width: int, layout: str, faults: Faults
) -> Iterator[tuple[int, list[str]]]:
    """The lines with exactly this number of columns, as text; any other line is a fault."""
    for number, fields in rows:
        try:
            texts = [field.decode() for field in fields]
        except UnicodeDecodeError:
            faults.add(number, NOT_UTF8)
            continue
        if len(texts) == width:
            yield number, texts
            continue
        faults.add(number, f"expected {width} columns ({layout}), found {len(fields)}", code="columns")
        if faults.full:
            return


def _collect(rows: Iterable[Row], faults: Faults) -> Judgments:
    """Grades by query and document. A document judged twice for a query is a fault, unless for different subtopics.

    A row with a fault changes nothing, so that the rest counts as if the row were not there.
    """
    by_query: dict[str, dict[str, float]] = {}
    subtopics: dict[tuple[str, str], dict[str, float]] = {}
    is_iteration = False
    n_rows = 0
    for n_rows, (place, query, doc, value, subtopic) in enumerate(rows, 1):  # noqa: B007
        try:
            query = query if type(query) is str else text_id(query)
            doc = doc if type(doc) is str else text_id(doc)
            if not query or not doc:
                raise DataError(EMPTY_ID)
            grade = (parse_number if isinstance(subtopic, Iteration) else parse_grade)(value)
            if not isfinite(grade):
                raise DataError(f"the grade must be a finite number, not {value!r}")
            judged = by_query.get(query, {})
            if subtopic is not None:
                is_iteration = isinstance(subtopic, Iteration)
                aspects = subtopics.get((query, doc), {})
                if str(subtopic) in aspects:
                    of_it = "" if is_iteration else f"subtopic {subtopic} of "
                    raise DataError(f"document {doc} is judged twice for {of_it}query {query}; {KEEP_ONE}")
                aspects[str(subtopic)] = grade
                subtopics[query, doc] = aspects
            elif doc in judged and (query, doc) not in subtopics:
                raise DataError(f"document {doc} is judged twice for query {query}; {KEEP_ONE}")
            judged[doc] = max(grade, judged.get(doc, grade))
            by_query[query] = judged
        except (TypeError, ValueError, OverflowError) as error:
            message = f"the grade must be a number{' such as 1 or 0' * is_truth_value(value)}, not {value!r}"
            faults.add(place, str(error) if isinstance(error, DataError) else message)
        if faults.full:
            break
    faults.raise_if_any(max(n_rows, len(faults)))
    return _by_iteration(by_query, subtopics) if is_iteration else Judgments(by_query, subtopics)


def _by_iteration(
    by_query: Mapping[str, Mapping[str, float]], subtopics: Mapping[tuple[str, str], Mapping[str, float]]
) -> Judgments:
    """Judgments with TREC's second column. It is the subtopic if it distinguishes several judgments of one document.

    Otherwise, if it varies, it may be the subtopic or, as in TREC-COVID, the round of judging. The user decides by
    requesting a diversity metric.
    """
    if any(len(aspects) > 1 for aspects in subtopics.values()):
        return Judgments(by_query, subtopics)
    column = [(query, doc, next(iter(aspects))) for (query, doc), aspects in subtopics.items()]
    return Judgments(by_query, iterations=_nested(column) if len({row[2] for row in column}) > 1 else {})


def _nested(rows: Iterable[tuple[str, str, str]]) -> dict[str, dict[str, str]]:
    """Query → document → value."""
    nested: dict[str, dict[str, str]] = {}
    for query, doc, value in rows:
        nested.setdefault(query, {})[doc] = value
    return nested
