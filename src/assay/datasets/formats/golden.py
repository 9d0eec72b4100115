"""golden: one file with a record per query that includes its ground truth; JSON list, JSON lines or CSV."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from assay.datasets.dataset import BenchmarkDataset, require_queries
from assay.datasets.fields import roles_of
from assay.datasets.folder_tables import read_queries
from assay.datasets.format import Format, Probe, marks_of_formats
from assay.files import TABLES

EXAMPLE = """\
[
  {"query_id": "q1", "query": "How long do cats sleep?", "relevant_ids": ["d1", "d2"], "answer": "12 to 16 hours"},
  {"query_id": "q2", "query": "Can cats swim?", "relevant_ids": {"d7": 3, "d9": 1}, "category": "behaviour"}
]"""
LINES = (".jsonl", ".ndjson")
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

    A CSV may have an answer instead of ids; JSON with answers is `rag_template`.
    """
    names = _first_names(probe)
    roles = roles_of("query", names)
    if (FOREIGN | marks_of_formats()) & set(names):
        return False
    if "relevant" in roles:
        return bool(roles & {"query_id", "text"})
    return probe.suffix in TABLES and {"text", "expected"} <= roles


def _first_names(probe: Probe) -> Sequence[str]:
    """The field names of the first record."""
    text = probe.head.decode("utf-8", "ignore").lstrip("\ufeff \t\r\n")
    if probe.suffix in TABLES:
        header = text.partition("\n")[0].strip()
        return [name.strip(' "') for name in re.split("[\t,;]", header)]
    if probe.suffix not in (".json", *LINES):
        return []
    start = re.match(r"\[\s*", text)
    try:
        first, end = json.JSONDecoder().raw_decode(text, start.end() if start else 0)
    except (ValueError, RecursionError):
        return []
    is_record = isinstance(first, dict) and (start is not None or "\n" not in text[:end])
    return list(first) if is_record else []


FORMAT = Format(
    "golden", "one file with a record per query and its relevant ids", read_golden, detect, example=EXAMPLE, rank=25
)
