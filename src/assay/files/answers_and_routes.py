"""Answers and routes: read a system's answers and a router's decisions from files, data frames and records."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.files.hits import LISTS, PLAIN_TEXTS, RESULTS, are_result_records
from assay.files.json_text import read_json
from assay.files.record_files import Record, suffix_of
from assay.files.record_sources import Spelling, are_columns, rows_of, take_each, take_file
from assay.files.source import FileSource
from assay.model import EMPTY_ID, Query, is_present, text_id
from assay.text import counted, some_of
from assay.views import (
    ABSTAINED,
    ANSWERABLE,
    ANSWERS,
    CONFIDENCE,
    FIELDS,
    REFERENCES,
    UNANSWERABLE,
    Answer,
    Decision,
    ExpectedAnswer,
    decision_of,
    parse_answer,
    parse_expected_answer,
)

QUERY_IDS = ("query_id", "question_id", "qid", "case_id", "id", "_id", "itemId", "item_id")
QUESTIONS = ("query", "question", "user_input", "input")
TAGS = ("query_type", "difficulty", "domain")
ANSWER_FIELDS = (*ANSWERS, *CONFIDENCE, *ABSTAINED, *REFERENCES, *ANSWERABLE, *UNANSWERABLE)
HITS = ("retrieved_ids", *LISTS)
"""Fields of an answer record that may hold what was retrieved. The first name that is present wins."""
OF_HITS, OF_TAGS, OF_QUESTIONS = frozenset(HITS), frozenset(TAGS), frozenset(QUESTIONS)
"""The same names as sets: a quick check, because most records have none of them."""
REPLY_FIELDS = frozenset((*QUERY_IDS, *QUESTIONS, *TAGS, *ANSWER_FIELDS, *HITS))
REPLY_EXAMPLE = '{"query_id": "q1", "answer": "Paris"}'


@dataclass
class AnswerRecords:
    """The answers of one system, and the expected answers and queries if its records have them."""

    replies: dict[str, Answer] = field(default_factory=dict)
    expected: dict[str, ExpectedAnswer] = field(default_factory=dict)
    queries: dict[str, Query] = field(default_factory=dict)
    hits: dict[str, list[Any]] = field(default_factory=dict)
    """What was retrieved, if the records say so: ids or hit records, best first."""
    asked: set[str] = field(default_factory=set)
    """Queries without an id, which are identified by their text."""
    name: str = ""
    """The name of the file without its extension."""
    path: Path | None = None
    """The file, if the records were read from one."""
    _spelling: Spelling = field(default_factory=lambda: Spelling(REPLY_FIELDS), repr=False)

    def take(self, record: Mapping[str, Any]) -> None:
        """Add one record. A repeated id and a record without an answer are errors."""
        fields = self._spelling.of(record)
        query_id = _id_of(fields)
        if query_id in self.replies:
            raise DataError(f"query {query_id} appears twice; keep only one answer per query")
        reply = parse_answer(fields)
        if reply is None:
            expected = f"expected the field {ANSWERS[0]} (null for no answer), found only {_names(fields)}"
            raise DataError(f"query {query_id} has no answer: {expected}")
        reference = parse_expected_answer(fields)
        self.replies[query_id] = reply
        if reference is not None:
            self.expected[query_id] = reference
        if (hits := _hits_of(fields)) is not None:
            self.hits[query_id] = hits
        if not _id_names(fields):
            self.asked.add(query_id)
        self.queries[query_id] = _query(query_id, fields)

    def under(self, ids: Mapping[str, str]) -> AnswerRecords:
        """The same records, with queries that are identified by their text renamed to their ids (`ids` maps text to id)."""
        new = {query: ids[query.strip()] for query in self.asked if query.strip() in ids}
        if not new or len({new.get(query, query) for query in self.replies}) < len(self.replies):
            return self
        return AnswerRecords(
            {new.get(query, query): value for query, value in self.replies.items()},
            {new.get(query, query): value for query, value in self.expected.items()},
            {new.get(query, query): value for query, value in self.queries.items()},
            {new.get(query, query): value for query, value in self.hits.items()},
            self.asked - new.keys(),
            self.name,
            self.path,
        )


def read_answers(source: Any) -> AnswerRecords:
    """Read answers from a file (JSONL, JSON, CSV, TSV, Parquet), a data frame, records, or a mapping of query to answer.

    All faults are raised together, each with its place.
    """
    records = AnswerRecords()
    if isinstance(source, AnswerRecords):
        return source
    if isinstance(source, str | os.PathLike):
        _read_file(Path(source), records)
    elif isinstance(source, Mapping) and not _is_table(source):
        take_each(rows_of(_of_mapping(source), "answers"), "answers", records.take, REPLY_EXAMPLE)
    else:
        take_each(rows_of(source, "answers"), "answers", records.take, REPLY_EXAMPLE)
    if not records.replies:
        label = str(source) if isinstance(source, str | os.PathLike) else "answers"
        raise DataError(f"found no answers; expected records such as {REPLY_EXAMPLE}", source=label)
    return records


def _read_file(path: Path, records: AnswerRecords) -> None:
    source = FileSource.at(path)
    records.name, records.path = source.name, path
    is_json = suffix_of(path.name) not in (".csv", ".tsv", ".parquet")
    if is_json and source.first_line.lstrip()[:1] == b"{" and source.kind == "json":
        content = read_json(source)
        inside = content.get("answers")
        if isinstance(inside, list | dict):
            content = inside
        elif are_result_records(content.get(RESULTS)):
            content = content[RESULTS]
        rows = _of_mapping(content) if isinstance(content, dict) and not _id_names(content) else _listed(content)
        take_each(rows, source.label, records.take, REPLY_EXAMPLE)
    else:
        take_file(path, records.take, REPLY_EXAMPLE)


def _is_table(source: Mapping[Any, Any]) -> bool:
    """Whether a mapping holds columns, one of them with query ids or questions, rather than query → answer."""
    return are_columns(source) and any(str(name).strip().lower() in (*QUERY_IDS, *QUESTIONS) for name in source)


def _listed(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content]


def _of_mapping(answers: Mapping[Any, Any]) -> Iterator[Any]:
    """Query → answer, or query → record."""
    for query, answer in answers.items():
        yield {"query_id": query, **(answer if isinstance(answer, Mapping) else {"answer": answer})}


def _id_names(fields: Mapping[str, Any]) -> list[str]:
    return [name for name in QUERY_IDS if fields.get(name) is not None]


def _id_of(fields: Mapping[str, Any]) -> str:
    """The id of the query; if there is none, the question itself."""
    names = _id_names(fields)
    question = "" if names else _question(fields)
    if not names and not question.strip():
        names_of_id = f"{', '.join(QUERY_IDS[:2])} or {QUERY_IDS[2]}"
        raise DataError(f"expected a query id in the field {names_of_id}, found only {_names(fields)}")
    query_id = text_id(fields[names[0]]) if names else question
    if not query_id:
        raise DataError(EMPTY_ID)
    return query_id


def _question(fields: Mapping[str, Any]) -> str:
    if OF_QUESTIONS.isdisjoint(fields):
        return ""
    return next((fields[name] for name in QUESTIONS if isinstance(fields.get(name), str)), "")


def _hits_of(fields: Mapping[str, Any]) -> list[Any] | None:
    """What was retrieved for the query; None if the record does not say. Strings in lists of contexts are texts, not ids."""
    name = None if OF_HITS.isdisjoint(fields) else next((name for name in HITS if isinstance(fields.get(name), list)), None)
    if name is None:
        return None
    return [{"content": text} if name in PLAIN_TEXTS and isinstance(text, str) else text for text in fields[name]]


def _names(fields: Mapping[str, Any]) -> str:
    return ", ".join(map(repr, fields)) or "an empty record"


def _query(query_id: str, fields: Mapping[str, Any]) -> Query:
    """The query as far as the record describes it: its text, and whatever it can be sliced by."""
    text = _question(fields)
    own: dict[str, Any] = {name: str(fields[name]) for name in OF_TAGS & fields.keys() if fields[name] is not None}
    inside = fields.get("metadata")
    more = {name: value for name, value in fields.items() if name not in REPLY_FIELDS and name != "metadata"}
    return Query(query_id, text, metadata={**more, **(inside if isinstance(inside, Mapping) else {})} or None, **own)


QUERY = ("query_id", "qid", "queryid", "id")
TEXT = ("text", "query", "question", "query_text")
TAGS_FIELD = "tags"
ROUTE_FIELDS = frozenset((*FIELDS, *TEXT, TAGS_FIELD))
STANDARD_INPUT = "/dev/stdin"
ROUTE_EXAMPLE = '{"query_id": "q1", "route": "code", "optimal_expert": "code"}'


@dataclass
class Routes:
    """Routing decisions and their queries, with text and tags."""

    name: str = ""
    decisions: list[Decision] = field(default_factory=list)
    queries: dict[str, Query] = field(default_factory=dict)
    _spelling: Spelling = field(default_factory=lambda: Spelling((*QUERY, *ROUTE_FIELDS)), repr=False)

    def take(self, record: Record) -> None:
        """Add one record. A record without a query id, with a repeated one or with a wrong value is an error."""
        known = self._spelling.of(record)
        name = next((name for name in QUERY if known.get(name) is not None), None)
        if name is None:
            raise DataError(f"expected a query_id, found only {some_of(list(map(repr, known)), 8) or 'an empty record'}")
        query = text_id(known.pop(name))
        if not query:
            raise DataError("the query_id is empty")
        if query in self.queries:
            raise DataError(f"query {query} appears twice; keep only one decision per query")
        decision = decision_of(query, known)
        self.decisions.append(decision)
        self.queries[query] = _routed_query(decision, known)


def read_routes(source: Any) -> Routes:
    """Read routing decisions from a file, a data frame or records. All faults are raised together, each with its place."""
    if isinstance(source, Routes):
        return source
    if isinstance(source, str | PathLike):
        path = Path(STANDARD_INPUT if source == "-" else source)
        routes = Routes(FileSource(path).name)
        take_file(path, routes.take, ROUTE_EXAMPLE)
        where = "standard input" if source == "-" else str(source)
    else:
        routes, where = Routes(), "records"
        take_each(rows_of(source, "routes"), where, routes.take, ROUTE_EXAMPLE)
    if not routes.decisions:
        raise DataError("found no records; expected one per query, with query_id, route, optimal_expert …", source=where)
    if not any(_has_decision(decision) for decision in routes.decisions):
        raise DataError(
            f"found no route and no gate decision in {counted(len(routes.decisions), 'record')}; "
            "expected the field route with optimal_expert, or gated with needs_retrieval",
            source=where,
        )
    return routes


def _has_decision(decision: Decision) -> bool:
    return decision.routes is not None or decision.gated is not None


def _routed_query(decision: Decision, known: Mapping[str, Any]) -> Query:
    """The query with its tags: the right decision, and every other value that is not a field of the decision."""
    text = next((known[name] for name in TEXT if isinstance(known.get(name), str)), "")
    tags: dict[str, Any] = {}
    if decision.optimal:
        tags["optimal_expert"] = ";".join(decision.optimal)
    if decision.needs_retrieval is not None:
        tags["needs_retrieval"] = "true" if decision.needs_retrieval else "false"
    tags_field = known.get(TAGS_FIELD)
    for fields in (known, tags_field if isinstance(tags_field, Mapping) else {}):
        for name, value in fields.items():
            if (name not in ROUTE_FIELDS or fields is tags_field) and is_present(value):
                tags[str(name)] = str(value).lower() if isinstance(value, bool) else value
    return Query(decision.query_id, text, metadata=tags)
