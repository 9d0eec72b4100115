"""Read documents: what each metric of result lists reads about documents, with digests that tell other data apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from assay.datasets import BenchmarkDataset
from assay.evaluation.result_lists.known_documents import reads_lists
from assay.metrics import BoundMetric
from assay.model import Document, fingerprint
from assay.text import counted

if TYPE_CHECKING:
    from assay.evaluation.result import Result

RECORD = "documents_read"
"""The field of a result's relevance: metric → what it reads → a digest of that."""
TAGS, TEXTS, CATALOGUE, VECTORS, POPULARITY = "tags", "texts", "catalogue", "vectors", "popularity"
EVERYTHING = (TAGS, TEXTS, CATALOGUE, VECTORS, POPULARITY)


def read_documents(
    dataset: BenchmarkDataset, metrics: Iterable[BoundMetric], sources: Mapping[str, str]
) -> dict[str, dict[str, dict[str, str]]]:
    """The field of a result's relevance with what the metrics read; empty if no metric reads result lists.

    `sources` say where vectors and popularity come from. If documents were cut into chunks, the documents before count.
    """
    parts = {metric.name: _parts_of(metric, dataset) for metric in reads_lists(metrics)}
    asked = {part for some in parts.values() for part in some}
    known = {name.removeprefix("document_"): source for name, source in sources.items()}
    known |= _digests(dataset.documents if dataset.files is None else dataset.files, asked)
    reads = {name: {part: known[part] for part in some if part in known} for name, some in parts.items()}
    return {RECORD: reads} if reads else {}


def parts_read(metric: BoundMetric) -> tuple[str, ...]:
    """What a metric of result lists reads about documents. Vectors may be computed from texts."""
    if metric.params.get("by") == TAGS:
        return (TAGS,)
    return metric.metric.reads or EVERYTHING


def documents_read_by(result: Result, metric: BoundMetric) -> Mapping[str, str]:
    """What a metric of a result read about documents, each with a digest or its source; empty if it is not recorded.

    Older results have only the sources of vectors and popularity.
    """
    if RECORD in result.relevance:
        return dict(result.relevance[RECORD].get(metric.name, {}))
    if not reads_lists([metric]):
        return {}
    sources = {part: result.relevance.get(f"document_{part}") for part in parts_read(metric)}
    return {part: str(source) for part, source in sources.items() if source is not None}


def with_metrics_of(result: Result, other: Result) -> Result:
    """The result with the metrics of another result on the same rankings, and with what these read about documents."""
    read = {**other.relevance.get(RECORD, {}), **result.relevance.get(RECORD, {})}
    relevance = {**result.relevance, **({RECORD: read} if read else {})}
    return result.with_fields(all_scores=result.all_scores.joined(other.all_scores), relevance=relevance)


def _parts_of(metric: BoundMetric, dataset: BenchmarkDataset) -> tuple[str, ...]:
    """What a metric reads of this benchmark: a model reads texts, but a file has vectors."""
    parts = parts_read(metric)
    return tuple(part for part in parts if part != TEXTS or VECTORS not in parts or _has_model(dataset))


def _has_model(dataset: BenchmarkDataset) -> bool:
    """Whether a model computes the vectors from texts. Otherwise they are in a file or in memory."""
    source = dataset.document_data.vectors
    return source is None or (not isinstance(source, Mapping) and not Path(source).expanduser().is_file())


def _digests(documents: Mapping[str, Document], asked: set[str]) -> dict[str, str]:
    """A digest of each part of the documents that is asked for."""
    values: dict[str, Callable[[Document], tuple[object, ...]]] = {
        TAGS: lambda document: tuple(sorted(document.tags)),
        TEXTS: lambda document: (blake2b(document.content.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest(),),
    }
    wanted = [part for part in values if part in asked]
    rows: dict[str, list[tuple[object, ...]]] = {part: [] for part in wanted}
    for name, document in documents.items() if wanted else ():
        for part in wanted:
            rows[part].append((name, *values[part](document)))
    digests = {part: fingerprint(some) for part, some in rows.items()}
    if CATALOGUE in asked:
        digests[CATALOGUE] = f"{counted(len(documents), 'document')} {fingerprint((name,) for name in documents)}"
    return digests
