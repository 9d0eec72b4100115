"""golden: one file with a record per query that includes its ground truth; JSON list, JSON lines or CSV."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.datasets.dataset import BenchmarkDataset, require_queries
from assay.datasets.fields import roles_of
from assay.datasets.folder_tables import read_queries
from assay.datasets.format import Format, marks_of_formats
from assay.datasets.probe import Probe
from assay.files import COLUMN_NAMES, TABLES, current_reading, fold

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


def read_golden(path: Path) -> BenchmarkDataset:
    """Relevant ids are a list, a mapping id → grade, or text with `;` between the ids. Other fields become metadata.

    A query without an id gets the number of its record as id ("1", "2", …). An empty list means that nothing is relevant. A
    missing field, null or an empty cell means that the query is unjudged. An id that is listed twice counts once, and this
    is noted.
    """
    dataset = BenchmarkDataset(path.name.partition(".")[0])
    read_queries(dataset, path)
    return require_queries(dataset, str(path))


def detect(probe: Probe) -> bool:
    """Records with a query and its relevant ids, and without fields of other formats.

    A table may have an answer instead of ids, or only questions; JSON with answers is `rag_template`. A table with one
    document in each row is a table of judgments, unless the queries are texts.
    """
    record = probe.first_record
    roles = roles_of("queries", record, current_reading().named_roles("queries", record))
    if (FOREIGN | marks_of_formats()) & record.keys():
        return False
    if "relevant" not in roles:
        return probe.suffix in TABLES and "query" in roles and ("expected" in roles or _has_questions(record, roles))
    if fold(roles["relevant"]) in COLUMN_NAMES["document"]:
        return "query" in roles and not _is_judgment(record, roles["query"])
    return bool(roles.keys() & {"query_id", "query"})


def _has_questions(record: Mapping[str, Any], roles: Mapping[str, str]) -> bool:
    """Whether a table without ground truth has queries: they are called questions, or have several words."""
    column = roles["query"]
    return fold(column) == "question" or (fold(column) == "query" and len(str(record[column]).split()) > 1)


def _is_judgment(record: Mapping[str, Any], query: str) -> bool:
    """Whether a record is a judgment or a row of a run: it has a number, and its query is one word under a name of ids."""
    has_number = any(fold(name) in {*COLUMN_NAMES["grade"], *COLUMN_NAMES["rank"]} for name in record)
    return has_number and fold(query) in COLUMN_NAMES["query"] and len(str(record[query]).split()) < 2


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
