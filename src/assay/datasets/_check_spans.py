"""Preflight of gold spans: whether files still say what was recorded for them."""

from __future__ import annotations

from assay.datasets._dataset import BenchmarkDataset
from assay.datasets._finding import Cases, Finding
from assay.relevance._stale_labels import check_label, resolved
from assay.text import counted


def check_stale(dataset: BenchmarkDataset) -> list[Finding]:
    """Spans whose recorded text is not where they say; those without a recorded text say nothing."""
    cases = Cases("stale-span")
    recorded = [(key, span) for key, spans in dataset.spans.items() for span in spans if span.text is not None]
    labels = resolved((span for _, span in recorded), dataset.documents)
    for (key, span), label in zip(recorded, labels, strict=True):
        if fault := check_label(label, dataset.documents).fault:
            cases.about_judgment(key, span.doc_id, fault)
    return cases.finding(f"{counted(len(cases), 'span')} of {len(recorded):,} whose text is not what was recorded")
