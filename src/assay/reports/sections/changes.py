"""What changed between two results, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.comparison import Comparison
from assay.evaluation import Result, what_changed
from assay.reports.sections.moved_queries import reference_of
from assay.text import counted

RECORDED = ("repository", "provider", "model", "dataset", "packages", "assay")
"""Fields of a provenance; a result without any of them has nothing to compare."""
MAX_NAMED = 6


def is_recorded(result: Result) -> bool:
    """Whether it is recorded what a result is based on."""
    return any(result.provenance.get(name) for name in RECORDED)


def changes_sentence(comparison: Comparison) -> str:
    """`What changed: code version 1a2b3c4 → 5d6e7f8; …` for two runs of one provider; otherwise empty.

    Two providers differ in their whole configuration, so a sentence does not help.
    """
    reference = reference_of(comparison)
    pair = sorted(comparison.results, key=lambda result: result.name != reference)
    if len(pair) != 2 or None in (kinds := [_kind(result.provenance) for result in pair]) or kinds[0] != kinds[1]:
        return ""
    changed = what_changed(*(result.provenance for result in pair))
    if not changed:
        return "What changed: no difference is recorded."
    left = len(changed) - MAX_NAMED
    more = f"; {counted(left, 'more difference')}" if left > 0 else ""
    return f"What changed: {'; '.join(map(str, changed[:MAX_NAMED]))}{more}."


def _kind(provenance: Mapping[str, Any]) -> object:
    """The kind of a provider, such as bm25."""
    about = provenance.get("provider")
    configuration = about.get("configuration") if isinstance(about, Mapping) else None
    return configuration.get("provider") if isinstance(configuration, Mapping) else None
