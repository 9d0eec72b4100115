"""Preflight: everything that is wrong with a dataset, and with a run for it, before anybody trusts a number."""

from __future__ import annotations

from typing import Any

from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.preflight.documents import faults_as_cases, survey_documents
from assay.datasets.preflight.findings import CODES, Case, Finding, with_lines
from assay.datasets.preflight.judgments import check_judgments, check_repairs
from assay.datasets.preflight.queries import check_queries
from assay.datasets.preflight.runs import check_run
from assay.errors import BadParameter, DataError

__all__ = ["CODES", "Case", "Finding", "check_dataset", "unreadable"]


def check_dataset(dataset: BenchmarkDataset, run: Any = None, k: int = 10) -> list[Finding]:
    """Look for everything that commonly goes wrong; one finding per code, errors first.

    `run` is anything that holds a run, `k` the cutoff that unjudged documents, ties and short rankings are looked at for.
    Documents are gone through once and not kept. What cannot be read becomes a finding.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise BadParameter(f"k is a whole number from 1 on, not {k!r}")
    corpus, about_documents = survey_documents(dataset)
    findings = [*check_queries(dataset), *about_documents, *check_repairs(dataset), *check_judgments(dataset, corpus)]
    if run is not None:
        findings += check_run(dataset, corpus, run, k)
    places = {code: place for place, code in enumerate(CODES)}
    findings.sort(key=lambda finding: (finding.severity != "error", places[finding.code]))
    return with_lines(findings, dataset)


def unreadable(error: DataError) -> list[Finding]:
    """What there is to say of a dataset that cannot be read."""
    return faults_as_cases("dataset-unreadable", error, "the dataset cannot be read")
