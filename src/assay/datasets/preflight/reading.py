"""Checks of what was read: records that were left out, files and columns that nothing uses, and missing documents."""

from __future__ import annotations

from collections.abc import Iterator

from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.format import known_format
from assay.datasets.preflight.findings import Case, Cases, Finding, finding_without_cases

CODE_OF_REPAIR = {
    "left-out": "bad-record-left-out",
    "unused-file": "unused-file",
    "unused-column": "unused-column",
    "columns": "column-choice",
    "times": "no-time-zone",
}
"""Code of a repair → code of its finding."""
MESSAGES = {
    "bad-record-left-out": "bad records were left out",
    "unused-file": "the folder has files that are not part of the benchmark",
    "unused-column": "a column looks like ids of documents, but is not used",
    "no-time-zone": "times have no zone",
    "column-choice": "the name of a column does not say for certain what the column means",
}


def check_reading(dataset: BenchmarkDataset) -> Iterator[Finding]:
    """What reading left out or did not use, a finding for each kind."""
    for code, message in MESSAGES.items():
        cases = Cases(code)
        for repair in dataset.repairs:
            if CODE_OF_REPAIR.get(repair.code) == code:
                cases.add(Case(repair.place, repair.what))
        yield from cases.finding(message)
    if any(query.text for query in dataset.queries.values()) and _has_nothing_to_search(dataset):
        yield from finding_without_cases("no-documents", "the queries have texts, but there are no documents to search")


def _has_nothing_to_search(dataset: BenchmarkDataset) -> bool:
    """Whether there are neither documents nor files. Documents in a file or of a domain are checked elsewhere."""
    format_ = known_format(dataset.format)
    is_made_elsewhere = format_ is not None and format_.needs_domain
    has_documents = is_made_elsewhere or not isinstance(dataset.documents, dict) or bool(dataset.documents)
    return not has_documents and dataset.pack is None and not dataset.spans
