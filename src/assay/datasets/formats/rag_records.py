"""rag_records: tables of RAG evaluation tools, with a question, its contexts and its answers in each record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from assay.datasets.dataset import BenchmarkDataset, Notes, require_queries
from assay.datasets.entries import read_entries
from assay.datasets.format import Format
from assay.datasets.probe import Probe
from assay.datasets.rag.reader import RagReader
from assay.datasets.rag.record_fields import field_of
from assay.datasets.rag.tools import TABLE_ENDINGS, TOOLS, tool_of
from assay.errors import DataError
from assay.files import FileSource, each_numbered_record, read_json
from assay.text import counted, shortened

EXAMPLE = """\
ragas (also as JSON list, JSON lines and Parquet):
user_input,retrieved_contexts,reference_contexts,response,reference
How long do cats sleep?,"['Cats sleep 12 to 16 hours.', 'Lions rest.']","['Cats sleep 12 to 16 hours.']",12 hours,12 to 16

deepeval:
[{"input": "How long do cats sleep?", "actual_output": "12 hours", "expected_output": "12 to 16 hours",
  "retrieval_context": ["Cats sleep 12 to 16 hours a day."], "context": ["Cats sleep 12 to 16 hours a day."]}]

LangSmith, as JSON lines or with the columns inputs.question, outputs.documents …:
{"inputs": {"question": "How long?"}, "outputs": {"answer": "12", "documents": [{"page_content": "Cats sleep 12 hours."}]}, \
"reference_outputs": {"answer": "12 to 16 hours"}}"""
RECORD_EXAMPLE = '{"user_input": "…", "retrieved_contexts": ["…"], "reference": "…"}'
DEFAULT_METRICS = ("ndcg@10", "recall@10", "precision(over=retrieved)@10", "mrr", "hit@10")
"""Systems retrieve three to ten contexts, so precision is divided by how many there are, and not by ten."""


def read_rag_records(path: Path) -> BenchmarkDataset:
    """Tables of ragas, deepeval, TruLens, LangSmith, Phoenix, promptfoo and memorybench, recognised by their columns.

    The documents are the distinct contexts of the file, retrieved and reference contexts together. Contexts with the same
    text are one document. Its id is the id in the file, otherwise c1, c2 … in the order of appearance. Reference contexts
    are relevant with grade 1. A question without reference contexts is unjudged, so the words of the expected answer decide
    what is relevant; in results of memorybench, an empty list of relevant ids means that nothing is relevant, and ids of
    evidence decide before words. What the system retrieved is kept, and `assay score FILE` scores it. A list in a table may
    be JSON, a Python list, or NumPy's text of a list; deepeval separates contexts with `|` or `;`. Questions without ids
    are numbered q1, q2 …. A context that was retrieved twice for a question counts once. The answer of the system is in the
    metadata as `response`. Other columns with simple values become metadata too.
    """
    return read_systems([path])[0]


def read_systems(paths: Sequence[Path]) -> tuple[BenchmarkDataset, list[dict[str, list[str]]]]:
    """The records of several systems as one benchmark, and what each system retrieved.

    Questions are matched by their ids, otherwise by their texts. Only questions that all files have are kept.
    """
    reader = RagReader(FileSource.at(paths[0]).name, Notes(FileSource.at(paths[0]).label))
    for path in paths:
        source = FileSource.at(path)
        reader.start_file(source.label, is_table=Probe(path).suffix in TABLE_ENDINGS)
        _read_file(source, reader)
        reader.finish_file()
    dataset, retrieved = reader.dataset()
    return require_queries(dataset, reader.notes.source), retrieved


def _read_file(source: FileSource, reader: RagReader) -> None:
    """Pass all records of a file to the reader."""
    content = _object(source)
    if content is None:
        each_numbered_record(source.path, reader.take)
    else:
        read_entries(enumerate(_inside(content), 1), source.label, "record", partial(_take, reader))


def _take(reader: RagReader, number: int, place: str, record: Any) -> None:
    """Pass a record inside of one JSON object to the reader."""
    if not isinstance(record, Mapping):
        raise DataError(f"expected a record with named fields such as {RECORD_EXAMPLE}, found {shortened(record)}")
    reader.take(number, place, record)


def _object(source: FileSource) -> dict[str, Any] | None:
    """The content of a file that is one JSON object; None for any other file, such as JSON lines."""
    if Probe(source.path).suffix != ".json" or source.first_line.lstrip()[:1] != b"{":
        return None
    try:
        content = read_json(source)
    except DataError:
        return None
    return content if isinstance(content, dict) else None


def _inside(content: dict[str, Any]) -> list[Any]:
    """The records in one JSON object; the object itself if it is a record."""
    lists = (field_of(content, path) for tool in TOOLS for path in tool.inside)
    return next((records for records in lists if isinstance(records, list)), [content])


def detect(probe: Probe) -> bool:
    """A table or JSON whose first record has the columns of a tool."""
    return probe.path.is_file() and tool_of(probe) is not None


def notes_on_columns(dataset: BenchmarkDataset) -> list[str]:
    """How the columns were read, and what is the ground truth for how many queries."""
    columns = dataset.metadata.get("columns")
    if not isinstance(columns, dict):
        return []
    read = ", ".join(f"{role} = {name}" for role, name in columns.items())
    advice = dataset.metadata.get("advice")
    first = f"read as records of {dataset.metadata.get('tool')}: {read}{f'; {advice}' if advice else ''}."
    ways = Counter(_truth_of(dataset, query, columns) for query in dataset.queries)
    truth = "; ".join(f"{way} for {counted(n, 'query')}" for way, n in ways.items())
    return [first, f"ground truth in the file: {truth}.", *dataset.metadata.get("remarks", ())]


def _truth_of(dataset: BenchmarkDataset, query: str, columns: dict[str, str]) -> str:
    """What the file says about what is relevant to a query."""
    if query in dataset.qrels:
        return " and ".join(columns[role] for role in ("reference", "reference_ids") if role in columns) or "judgments"
    if dataset.queries[query].evidence is not None:
        return columns.get("evidence", "evidence")
    return f"only the expected answer ({columns.get('expected')})" if dataset.queries[query].expected else "none"


FORMAT = Format(
    "rag_records",
    "records of RAG evaluation tools: ragas, deepeval, TruLens, LangSmith, Phoenix, promptfoo, memorybench",
    read_rag_records,
    detect,
    example=EXAMPLE,
    needs="records with a question, and contexts under the names of a tool, such as user_input and retrieved_contexts",
    rank=28,
    default_metrics=DEFAULT_METRICS,
    notes=notes_on_columns,
)
