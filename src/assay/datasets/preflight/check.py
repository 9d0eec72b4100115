"""Preflight: find what is wrong with a dataset, and with a run for it, before anyone relies on the scores."""

from __future__ import annotations

from typing import Any

from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.preflight.codes import CODES
from assay.datasets.preflight.documents import faults_as_cases, survey_documents
from assay.datasets.preflight.findings import Case, Finding, with_lines
from assay.datasets.preflight.judgments import check_judgments, check_repairs
from assay.datasets.preflight.queries import check_queries
from assay.datasets.preflight.reading import check_reading
from assay.datasets.preflight.runs import check_run
from assay.datasets.preflight.times import check_times
from assay.errors import BadParameter, DataError

__all__ = ["CODES", "Case", "Finding", "check_dataset", "unreadable"]


def check_dataset(dataset: BenchmarkDataset, run: Any = None, k: int = 10) -> list[Finding]:
    """Check a dataset for common faults; returns one finding per code, errors first.

    `run` is a run from any source. `k` is the cutoff for the checks of unjudged documents, ties and short rankings.
    Documents are read once and not kept in memory. What cannot be read becomes a finding.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise BadParameter(f"k must be a whole number of at least 1, not {k!r}")
    corpus, about_documents = survey_documents(dataset)
    findings = [
        *check_reading(dataset),
        *check_queries(dataset),
        *about_documents,
        *check_repairs(dataset),
        *check_judgments(dataset, corpus),
        *check_times(dataset, corpus),
    ]
    if run is not None:
        findings += check_run(dataset, corpus, run, k)
    places = {code: place for place, code in enumerate(CODES)}
    findings.sort(key=lambda finding: (finding.severity != "error", places[finding.code]))
    return with_lines(findings, dataset)


def unreadable(error: DataError) -> list[Finding]:
    """The findings for a dataset that cannot be read."""
    message = error.what if error.code == "format" else "the dataset cannot be read"
    return faults_as_cases("dataset-unreadable", error, message)
