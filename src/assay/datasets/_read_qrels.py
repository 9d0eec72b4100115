"""Reading judgments: TREC qrels, BEIR TSV, JSON, JSONL, CSV, Parquet, frames and records become Judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Any

import numpy as np

from assay.datasets._columns import is_table
from assay.datasets._json import read_json_records
from assay.datasets._rows import Roles, Row, file_rows, memory_rows, trec_rows
from assay.datasets._source import FileSource, as_source
from assay.errors import DataError, Faults
from assay.model.ids import EMPTY_ID, text_id
from assay.model.qrels import Judgments, Qrels, as_judgments, checked_grades, judgments_of_mapping

LAYOUT = "query iteration document grade"
ROLES = Roles("judgments")


@as_judgments.register(object)
def _read_judgments(source: Any) -> Judgments:
    """Judgments out of a file, a frame, an array or records."""
    source = as_source(source)
    if isinstance(source, FileSource):
        return _read_file(source)
    faults = Faults("judgments, row")
    return _collect(memory_rows(source, ROLES, faults), faults)


@as_judgments.register(Mapping)
def _read_mapping(source: Mapping[Any, Any]) -> Judgments:
    """A nested mapping, or a table given as columns."""
    if not isinstance(source, Qrels) and is_table(source):
        faults = Faults("judgments, row")
        return _collect(memory_rows(source, ROLES, faults), faults)
    return judgments_of_mapping(source)


def _read_file(source: FileSource) -> Judgments:
    faults = Faults(source.label)
    if source.kind == "json":
        judgments = _from_json(source)
    elif source.kind == "trec":
        if len(source.first_line.split()) == 6:
            raise DataError(
                f"{source.label}: this looks like a run (6 columns), not like judgments (4 columns: {LAYOUT}); "
                "judgments come first, then runs"
            )
        judgments = _all_at_once(source) or _collect(_trec_rows(source, faults, _is_by_subtopic(source)), faults)
    else:
        judgments = _collect(file_rows(source, ROLES, faults), faults)
    if not judgments.grades:
        raise DataError(f"{source.label}: the file holds no judgments")
    return judgments


def _from_json(source: FileSource) -> Judgments:
    content = read_json_records(source, "qrels")
    try:
        judgments = as_judgments(content)
        checked_grades(judgments.grades)
    except DataError as error:
        raise DataError(f"{source.label}: {error}") from None
    return judgments


def _all_at_once(source: FileSource) -> Judgments | None:
    """The quick way for a TREC file with nothing odd in it; None where lines must be looked at one by one."""
    content = source.content()
    words = content.split()
    queries, docs, grades = words[0::4], words[2::4], words[3::4]
    if not _has_three_gaps_per_line(content, len(words)) or b"#" in {query[:1] for query in set(queries)}:
        return None
    try:
        value = {grade: float(grade) for grade in set(grades)}
        texts = [b"\n".join(column).decode().split("\n") for column in (queries, docs)]
    except ValueError:
        return None
    by_query: dict[str, dict[str, float]] = {}
    for query, doc, grade in zip(*texts, map(value.__getitem__, grades), strict=True):
        by_query.setdefault(query, {})[doc] = grade
    is_sound = sum(map(len, by_query.values())) == len(queries) and all(map(isfinite, value.values()))
    return Judgments(by_query) if is_sound else None


def _has_three_gaps_per_line(content: bytes, n_words: int) -> bool:
    """Four words on every line, one blank or tab between them. Three gaps a line, and four words a line on the whole."""
    if not content.endswith(b"\n") or b"\r" in content:
        return False
    letters = np.frombuffer(content, np.uint8)
    gaps = np.cumsum((letters == ord(" ")) | (letters == ord("\t")), dtype=np.int64)[letters == ord("\n")]
    return bool((np.diff(gaps, prepend=0) == 3).all()) and n_words == 4 * len(gaps)


def _is_by_subtopic(source: FileSource) -> bool:
    """Whether the second column tells apart judgments of one document: then it is the subtopic, as in diversity tracks."""
    seen: dict[tuple[bytes, bytes], bytes] = {}
    rows = (fields for _, fields in trec_rows(source, 4, LAYOUT, Faults(source.label)))
    return any(seen.setdefault((query, doc), subtopic) != subtopic for query, subtopic, doc, *_ in rows)


def _trec_rows(source: FileSource, faults: Faults, is_by_subtopic: bool) -> Iterator[Row]:
    """Rows of a TREC file; the second column is usually 0 and means nothing."""
    for number, fields in trec_rows(source, 4, LAYOUT, faults):
        if len(fields) > 4:
            faults.add(number, f"expected 4 columns ({LAYOUT}), found {len(fields)}")
            if faults.full:
                return
            continue
        try:
            query, subtopic, doc, grade = (field.decode() for field in fields)
            yield number, query, doc, grade, subtopic if is_by_subtopic else None
        except UnicodeDecodeError:
            faults.add(number, "not valid UTF-8")


def _collect(rows: Iterable[Row], faults: Faults) -> Judgments:
    """Grades by query and document. One judged twice is a fault, unless for different subtopics."""
    by_query: dict[str, dict[str, float]] = {}
    subtopics: dict[tuple[str, str], dict[str, float]] = {}
    for place, query, doc, value, subtopic in rows:
        try:
            judged = by_query.setdefault(query if type(query) is str else text_id(query), {})
            doc = doc if type(doc) is str else text_id(doc)
            if not query or not doc:
                raise DataError(EMPTY_ID)
            grade = float(value)
        except (TypeError, ValueError, OverflowError) as error:
            faults.add(place, str(error) if isinstance(error, DataError) else f"grade {value!r} is not a number")
        else:
            if not isfinite(grade):
                faults.add(place, f"grade {value!r} is not a finite number")
            elif subtopic is not None:
                aspects = subtopics.setdefault((text_id(query), doc), {})
                if str(subtopic) in aspects:
                    faults.add(place, f"document {doc} is judged twice for subtopic {subtopic} of query {query}")
                aspects[str(subtopic)] = grade
                judged[doc] = max(grade, judged.get(doc, grade))
            elif doc in judged and (query, doc) not in subtopics:
                faults.add(place, f"document {doc} is judged twice for query {query}")
            else:
                judged[doc] = max(grade, judged.get(doc, grade))
        if faults.full:
            break
    faults.raise_if_any()
    return Judgments(by_query, subtopics)
