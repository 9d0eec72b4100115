"""Preflight of gold spans: whether files still say what was recorded for them."""

from __future__ import annotations

from collections.abc import Iterator

from assay.datasets._dataset import BenchmarkDataset
from assay.datasets._finding import Cases, Finding
from assay.relevance import check_label, resolved
from assay.text import counted


def check_stale(dataset: BenchmarkDataset) -> list[Finding]:
    """Spans whose recorded text is not where they say; those without a recorded text say nothing."""
    cases = Cases("stale-span")
    for key, document, fault in _stale(dataset):
        cases.about_judgment(key, document, fault)
    n_recorded = sum(span.text is not None for spans in dataset.spans.values() for span in spans)
    return cases.finding(f"{counted(len(cases), 'span')} of {n_recorded:,} whose text is not what was recorded")


def stale_sentences(dataset: BenchmarkDataset) -> set[str]:
    """What is said about stale spans: readers note the same, and nobody needs it twice."""
    return {fault for _, _, fault in _stale(dataset)} if dataset.documents else set()


def _stale(dataset: BenchmarkDataset) -> Iterator[tuple[str, str, str]]:
    """Query, file and what is wrong, for each span whose text is elsewhere or nowhere."""
    recorded = [(key, span) for key, spans in dataset.spans.items() for span in spans if span.text is not None]
    labels = resolved((span for _, span in recorded), dataset.documents)
    for (key, span), label in zip(recorded, labels, strict=True):
        if fault := check_label(label, dataset.documents).fault:
            yield key, span.doc_id, fault
