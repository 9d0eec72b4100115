"""golden: one file with a record per query that includes its ground truth; JSON list, JSON lines or CSV."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.datasets.dataset import BenchmarkDataset, require_queries
from assay.datasets.fields import roles_of
from assay.datasets.folder_tables import read_queries
from assay.datasets.format import Format, marks_of_formats
from assay.datasets.probe import Probe
from assay.files import COLUMN_NAMES, DOCUMENT_NAMES, TABLES, WEAK_NAMES, current_reading, fold

EXAMPLE = """\
[
  {"query_id": "q1", "query": "How long do cats sleep?", "relevant_ids": ["d1", "d2"], "answer": "12 to 16 hours"},
  {"query_id": "q2", "query": "Can cats swim?", "relevant_ids": {"d7": 3, "d9": 1}, "category": "behaviour"}
]"""
FOREIGN = {
    *("contexts", "context", "passages", "documents", "retrieval_context", "questions"),
    *("conversation", "qa", "haystack_sessions"),
    *("file", "fpath_tuple", "spans"),
}
"""Fields of records that belong to other formats."""
QUERY_IDS = ("query_id", "queryid", "qid")
TRUTH_NAME = re.compile(r"rel|gold|truth|expect|answer|positiv|label|judg|grade|doc|chunk|passage|context|source|(^|_)ids?$")
"""Names of fields that may be ground truth."""
CORPUS_TEXTS = ("text", "title")
"""Names of the text of a query that documents have too."""


def read_golden(path: Path) -> BenchmarkDataset:
    """Relevant ids are one id, a list, a mapping id → grade, or text with `;`, `|` or `,` between ids. A text that is the
    id of a document is not split, and a comma separates only ids of documents. Other fields become metadata.

    A query without an id gets the number of its record as id ("1", "2", …), and records with the same text are one query. An
    empty list means that nothing is relevant. A missing field, null or an empty cell means that the query is unjudged. An id
    that is listed twice counts once, and this is noted.
    """
    dataset = BenchmarkDataset(path.name.partition(".")[0])
    read_queries(dataset, path)
    return require_queries(dataset, str(path))


def detect(probe: Probe) -> bool:
    """Records with a query and its relevant ids, and without fields of other formats.

    A table may have an answer instead of ids, or only questions; JSON with answers is `rag_template`. A table with one
    document in each row is a table of judgments, unless the queries are texts.
    """
    records = probe.first_records
    record = records[0] if records else {}
    roles = roles_of("queries", record, current_reading().named_roles("queries", record))
    if (FOREIGN | marks_of_formats()) & record.keys() or is_corpus(record, roles):
        return False
    if "relevant" not in roles:
        return probe.suffix in TABLES and "query" in roles and ("expected" in roles or _has_questions(records, roles))
    if fold(roles["relevant"]) in COLUMN_NAMES["document"]:
        return "query" in roles and not _are_judgments(records, roles["query"])
    return bool(roles.keys() & {"query_id", "query"})


def is_corpus(record: Mapping[str, Any], roles: Mapping[str, str]) -> bool:
    """Whether a record is a document: its only text is under a name of documents, beside an id or a source."""
    if "query" not in roles or "expected" in roles or current_reading().named_column("query", record) is not None:
        return False
    is_text = fold(roles["query"]) in CORPUS_TEXTS
    is_id = fold(roles.get("relevant", "id")) in {*DOCUMENT_NAMES["doc_id"], *WEAK_NAMES}
    return is_text and is_id and "doc_id" in roles_of("documents", record)


def _has_questions(records: Sequence[Mapping[str, Any]], roles: Mapping[str, str]) -> bool:
    """Whether a table without ground truth has queries: they are called questions, or have several words."""
    name = fold(roles["query"])
    return name == "question" or (name == "query" and not _are_words(records, roles["query"]))


def has_only_queries(probe: Probe) -> bool:
    """Whether records have queries, and no field that could be ground truth under another name.

    A typo in the name of a column with relevant ids must not look like a file without judgments.
    """
    records = probe.first_records
    record = records[0] if records else {}
    named = current_reading().named_roles("queries", record)
    roles = roles_of("queries", record, named)
    if probe.suffix in TABLES or (FOREIGN | marks_of_formats()) & record.keys() or roles.keys() & {"relevant", "expected"}:
        return False
    if "query" not in roles or is_corpus(record, roles):
        return False
    others = [name for name in record if name not in roles.values()]
    is_query = _has_questions(records, roles) or fold(roles.get("query_id", "")) in QUERY_IDS
    return is_query and not any(TRUTH_NAME.search(fold(name)) or _is_nested(record[name]) for name in others)


def _is_nested(value: Any) -> bool:
    return isinstance(value, list | dict)


def _are_judgments(records: Sequence[Mapping[str, Any]], query: str) -> bool:
    """Whether records are judgments or rows of a run: they have a number, and their queries are single words."""
    has_number = any(fold(name) in {*COLUMN_NAMES["grade"], *COLUMN_NAMES["rank"]} for name in records[0])
    return has_number and fold(query) in COLUMN_NAMES["query"] and _are_words(records, query)


def _are_words(records: Sequence[Mapping[str, Any]], column: str) -> bool:
    """Whether all values of a column are single words."""
    return all(len(str(record.get(column)).split()) < 2 for record in records)


FORMAT = Format(
    "golden",
    "one file with a record per query and its relevant ids",
    read_golden,
    detect,
    example=EXAMPLE,
    needs="a CSV table or JSON records with query and relevant_ids, or a CSV table with query and answer",
    rank=25,
    has_named_columns=True,
)
