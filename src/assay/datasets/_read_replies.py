"""Replies as people hand them over: files, frames, records or a mapping of query to answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Any

from assay.datasets._json import read_json
from assay.datasets._record_files import each_record, suffix_of
from assay.datasets._source import FileSource
from assay.errors import DataError, Faults
from assay.model.ids import EMPTY_ID, text_id
from assay.model.records import Query
from assay.model.reply import ABSTAINED, ANSWERS, CONFIDENCE, Reply, reply_of
from assay.model.wanted import ANSWERABLE, REFERENCES, UNANSWERABLE, Wanted, wanted_in
from assay.text import shortened

QUERY_IDS = ("query_id", "question_id", "qid", "case_id", "id", "_id")
QUESTIONS = ("query", "question", "user_input", "input")
TAGS = ("query_type", "difficulty", "domain")
SAID = (*ANSWERS, *CONFIDENCE, *ABSTAINED, *REFERENCES, *ANSWERABLE, *UNANSWERABLE)
KNOWN = frozenset((*QUERY_IDS, *QUESTIONS, *TAGS, *SAID))
EXAMPLE = '{"query_id": "q1", "answer": "Paris"}'


@dataclass
class ReplyRecords:
    """What one system answered; and, where its records say so, what is right and what was asked."""

    replies: dict[str, Reply] = field(default_factory=dict)
    wanted: dict[str, Wanted] = field(default_factory=dict)
    queries: dict[str, Query] = field(default_factory=dict)
    name: str = ""
    """What the file is called, without its ending."""

    def take(self, fields: Mapping[str, Any]) -> None:
        """Add one record; an id that comes twice, and an answer that is none, are errors."""
        query_id = _id_of(fields)
        if query_id in self.replies:
            raise DataError(f"query {query_id} appears twice; keep one answer for each query")
        reply = reply_of(fields)
        if reply is None:
            expected = f"expected one under {ANSWERS[0]}, or null, found {_names(fields)}"
            raise DataError(f"query {query_id} has no answer; {expected}")
        wanted = wanted_in(fields)
        self.replies[query_id] = reply
        if wanted is not None:
            self.wanted[query_id] = wanted
        self.queries[query_id] = _query(query_id, fields)


def read_replies(source: Any) -> ReplyRecords:
    """Replies out of a file (JSONL, JSON, CSV, TSV, Parquet), a frame, records, or a mapping of query to answer.

    All that is wrong is told at once, with its place.
    """
    found = ReplyRecords()
    if isinstance(source, ReplyRecords):
        return source
    if isinstance(source, str | os.PathLike):
        _read_file(Path(source), found)
    elif isinstance(source, Mapping):
        _take_all(_of_mapping(source), "answers", found.take)
    else:
        _take_all(_rows(source), "answers, record", found.take)
    if not found.replies:
        raise DataError(f"{found.name or 'answers'}: there is no answer in it; expected records such as {EXAMPLE}")
    return found


def _read_file(path: Path, found: ReplyRecords) -> None:
    source = FileSource.at(path)
    found.name = source.name
    is_json = suffix_of(path.name) not in (".csv", ".tsv", ".parquet")
    if is_json and source.first_line.lstrip()[:1] == b"{" and source.kind == "json":
        content = read_json(source)
        inside = content.get("answers")
        if isinstance(inside, list | dict):
            content = inside
        rows = _of_mapping(content) if isinstance(content, dict) and not _id_names(content) else _listed(content)
        _take_all(rows, f"{source.label}, record", found.take)
    else:
        each_record(path, lambda _, record: found.take(record))


def _listed(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content]


def _of_mapping(answers: Mapping[Any, Any]) -> Iterator[Any]:
    """Query → answer, or query → record."""
    for query, answer in answers.items():
        yield {"query_id": query, **(answer if isinstance(answer, Mapping) else {"answer": answer})}


def _rows(source: Any) -> Iterable[Any]:
    """Records out of a frame or a list; cells without a value are None."""
    if hasattr(source, "to_dicts"):
        return source.to_dicts()
    if hasattr(source, "to_dict") and hasattr(source, "columns"):
        return ({name: _cell(value) for name, value in row.items()} for row in source.to_dict("records"))
    if not isinstance(source, Iterable):
        raise DataError(f"answers are a file, a frame, records or a mapping of query to answer, not {shortened(source)}")
    return source


def _cell(value: Any) -> Any:
    return None if isinstance(value, float) and isnan(value) else value


def _take_all(rows: Iterable[Any], label: str, take: Callable[[Mapping[str, Any]], None]) -> None:
    faults = Faults(label)
    for number, row in enumerate(rows, 1):
        try:
            if not isinstance(row, Mapping):
                raise DataError(f"expected a record such as {EXAMPLE}, found {shortened(row)}")
            take(row)
        except ValueError as error:
            faults.add(number, str(error))
        if faults.full:
            break
    faults.raise_if_any()


def _id_names(fields: Mapping[str, Any]) -> list[str]:
    return [name for name in QUERY_IDS if fields.get(name) is not None]


def _id_of(fields: Mapping[str, Any]) -> str:
    names = _id_names(fields)
    if not names:
        raise DataError(f"expected the query's id under {' or '.join(QUERY_IDS[:3])}, found {_names(fields)}")
    query_id = text_id(fields[names[0]])
    if not query_id:
        raise DataError(EMPTY_ID)
    return query_id


def _names(fields: Mapping[str, Any]) -> str:
    return ", ".join(map(str, fields)) or "nothing"


def _query(query_id: str, fields: Mapping[str, Any]) -> Query:
    """The query, as far as the record tells: its words, and whatever else it can be sliced by."""
    text = next((fields[name] for name in QUESTIONS if isinstance(fields.get(name), str)), "")
    own = {name: str(fields[name]) for name in TAGS if fields.get(name) is not None}
    inside = fields.get("metadata")
    more = {name: value for name, value in fields.items() if name not in KNOWN and name != "metadata"}
    return Query(query_id, text, metadata={**more, **(inside if isinstance(inside, Mapping) else {})} or None, **own)
