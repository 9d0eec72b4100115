"""jsonl: a folder of tables as JSON lines: queries.jsonl, documents.jsonl, judgments.jsonl."""

from __future__ import annotations

from pathlib import Path

from assay.datasets._dataset import BenchmarkDataset, require_queries
from assay.datasets._folders import new_folder
from assay.datasets._format import Format, Probe
from assay.datasets._record_tables import LINES, TABLES, has_tables, judgment_rows, read_queries, read_tables, write_card
from assay.datasets._records import filled_fields
from assay.datasets._write import write_lines

EXAMPLE = """\
queries.jsonl     {"query_id": "q1", "text": "How long do cats sleep?", "query_type": "factual", "difficulty": "easy"}
documents.jsonl   {"doc_id": "d1", "text": "Cats sleep 12 to 16 hours a day.", "source": "cats.md", "page_number": 3}
judgments.jsonl   {"query_id": "q1", "doc_id": "d1", "relevance_grade": 3, "judge": "Ada"}
dataset.json      {"name": "Cats", "version": "1.0", "metadata": {}}"""


def read_jsonl(path: Path) -> BenchmarkDataset:
    """A folder of tables; or one file whose queries carry their ground truth, as `golden` reads it.

    Fields nobody knows go to the metadata of queries and documents. Documents stay in their file until they are asked for.
    """
    if path.is_dir():
        return read_tables(path)
    dataset = BenchmarkDataset(path.name.partition(".")[0])
    read_queries(dataset, path)
    return require_queries(dataset, str(path))


def write_jsonl(dataset: BenchmarkDataset, path: Path) -> None:
    """A folder; fields without a value are left out."""
    with new_folder(path, "jsonl", [f"{table}.jsonl" for table in TABLES]) as folder:
        write_lines(folder / "queries.jsonl", map(filled_fields, dataset.queries.values()))
        write_lines(folder / "documents.jsonl", map(filled_fields, dataset.documents.values()))
        write_lines(folder / "judgments.jsonl", map(filled_fields, judgment_rows(dataset)))
        write_card(dataset, folder, has_judges=True)


def detect(probe: Probe) -> bool:
    """A folder with queries.jsonl, and no corpus."""
    return has_tables(probe.names, LINES)


FORMAT = Format("jsonl", "a folder of tables as JSON lines", read_jsonl, detect, write_jsonl, example=EXAMPLE)
