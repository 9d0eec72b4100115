"""Columns: find out which column of a table holds the query, the document, the score or the grade."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from assay.errors import DataError

COLUMN_NAMES: dict[str, tuple[str, ...]] = {
    "query": ("query_id", "qid", "q_id", "queryid", "query", "topic", "topic_id"),
    "document": (
        "doc_id",
        "docid",
        "docno",
        "document_id",
        "corpus_id",
        "did",
        "pid",
        "document",
        "doc",
        "passage_id",
        "chunk_id",
    ),
    "score": ("score", "sim", "similarity", "relevance_score"),
    "rank": ("rank",),
    "grade": ("relevance", "rel", "grade", "relevance_grade", "label", "judgment", "score", "gain"),
    "subtopic": ("subtopic", "subtopic_id", "intent", "aspect"),
    "iteration": ("iteration", "iter"),
}
"""Role → accepted column names, the most likely first. Case does not matter; hyphens and spaces count as underscores."""


MAX_COLUMNS = 1000
"""A mapping with more keys than this is not a table: its keys are queries."""


def find_columns(columns: Sequence[str], roles: Sequence[str], optional: Sequence[str] = ()) -> dict[str, str]:
    """Role → its column. If no column fits a required role, the error lists the columns that exist."""
    folded = {_fold(column): column for column in reversed(columns)}
    matches = {}
    for role in (*roles, *optional):
        match = next((folded[name] for name in COLUMN_NAMES[role] if name in folded), None)
        if match is not None:
            matches[role] = match
        elif role in roles:
            raise DataError(
                f"found no {role} column among {', '.join(map(repr, columns))}; "
                f"accepted names: {', '.join(COLUMN_NAMES[role])}"
            )
    return matches


def find_run_columns(columns: Sequence[str]) -> dict[str, str]:
    """Columns of a run: query, document and score, or rank if there is no score."""
    roles = find_columns(columns, ("query", "document"), ("score", "rank"))
    if "score" not in roles and "rank" not in roles:
        names = ", ".join((*COLUMN_NAMES["score"], *COLUMN_NAMES["rank"]))
        raise DataError(f"found no score or rank column among {', '.join(map(repr, columns))}; accepted names: {names}")
    return roles


def is_header(line: bytes) -> bool:
    """Whether a line of text is a header. A TREC line is not: it has a number in the fourth column."""
    words = line.split()
    if len(words) >= 4 and _is_number(words[3]):
        return False
    return is_table([field.decode("utf-8", "replace") for field in re.split(rb"[\t,; ]+", line.strip())])


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def is_table(columns: object) -> bool:
    """Whether these names include a query and a document column."""
    if not isinstance(columns, Sequence | Mapping) or isinstance(columns, str) or len(columns) > MAX_COLUMNS:
        return False
    folded = {_fold(column) for column in columns if isinstance(column, str)}
    return bool(folded & set(COLUMN_NAMES["query"])) and bool(folded & set(COLUMN_NAMES["document"]))


def _fold(name: str) -> str:
    return name.strip().strip('"').lower().replace("-", "_").replace(" ", "_")
