"""Retrieved: what systems returned, from files that have it beside their queries and ground truth."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.fields import roles_of
from assay.datasets.formats.rag_records import FORMAT, read_systems
from assay.datasets.loading import load_by, load_dataset
from assay.datasets.probe import Probe
from assay.datasets.rag.tools import OTHERS, TABLE_ENDINGS, TOOLS
from assay.datasets.recognition import detect_format
from assay.errors import AssayError, DataError, UsageError
from assay.files import missing_file

RAG_RECORDS = FORMAT.name
"""The format whose files have what a system retrieved."""
Retrieved = dict[str, list[str]]
"""Query → ids of documents, best first."""


def brings_retrieved(path: Path) -> bool:
    """Whether a file looks like queries with their ground truth and with what a system retrieved for them."""
    probe = Probe(path)
    if probe.suffix not in (*TABLE_ENDINGS, ".json", ".jsonl", ".ndjson") or not path.is_file():
        return False
    with suppress(AssayError, OSError):
        name = detect_format(path).name
        has_ids = name == "golden" and {"relevant", "retrieved"} <= roles_of("queries", probe.first_record).keys()
        return name == RAG_RECORDS or has_ids
    return False


def load_systems(paths: Sequence[Path], format: str | None = None) -> tuple[BenchmarkDataset, list[Retrieved]]:  # noqa: A002
    """One benchmark from the files of several systems, and what each system retrieved."""
    for path in paths:
        if not path.exists():
            raise missing_file(path)
    if len(paths) == 1:
        dataset = load_dataset(paths[0], format)
        retrieved = [dataset.retrieved]
    elif other := next((path for path in paths if (format or detect_format(path).name) != RAG_RECORDS), None):
        raise UsageError(f"{other}: several files at once must be {RAG_RECORDS}, so that their texts can be matched")
    else:
        retrieved = []
        dataset = load_by(partial(_read_systems, paths, retrieved))
    if not dataset.qrels and not any(query.expected for query in dataset.queries.values()):
        raise DataError(_no_truth(dataset), source=paths[0])
    for path, ranking in zip(paths, retrieved, strict=True):
        if not ranking:
            example = f"assay eval --benchmarks {path} --providers bm25"
            raise DataError(
                f"found no retrieved contexts or ids, so there is nothing to score. To retrieve with a provider: {example}",
                source=path,
            )
    return dataset, retrieved


def _read_systems(paths: Sequence[Path], retrieved: list[Retrieved]) -> BenchmarkDataset:
    """The benchmark of several files. What each system retrieved is added to `retrieved`."""
    dataset, systems = read_systems(paths)
    retrieved += systems
    dataset.format, dataset.path = RAG_RECORDS, paths[0]
    return dataset


def _no_truth(dataset: BenchmarkDataset) -> str:
    """The message that nothing says which contexts are relevant."""
    tool = next((tool for tool in TOOLS if tool.name == dataset.metadata.get("tool")), OTHERS)
    names = [name for role in ("reference", "reference_ids", "expected") for name in tool.columns.get(role, ())[:2]]
    columns = dataset.metadata.get("columns", {})
    answer = columns.get("response")
    advice = f". If {answer} is the expected answer, add --columns expected={answer}" if answer else ""
    page = f"   (the columns of {tool.name}: {tool.page})" if tool.page else ""
    return (
        "found neither reference contexts nor expected answers, so nothing says which contexts are relevant. "
        f"Accepted columns: {', '.join(names)}{advice}{page}"
    )
