"""Texts of judged documents: grades count only for the text that the judge saw."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.cli.terminal import write_notes
from assay.errors import AssayError
from assay.text import counted

if TYPE_CHECKING:
    from assay.store import Judgment


def with_present_texts(options: argparse.Namespace, judgments: list[Judgment], benchmark: str) -> list[Judgment]:
    """The judgments without those for documents that have another text now. A note says how many are left out."""
    from assay.datasets import has_own_documents, load_dataset
    from assay.judging import about_other_texts

    name = options.texts or benchmark
    if not any(judgment.text_digest for judgment in judgments) or not (options.texts or has_own_documents(name)):
        return judgments
    documents = load_dataset(name).documents
    changed = set(about_other_texts(judgments, lambda document: _texts_in(documents, document)))
    if changed:
        by = judgments[0].kind
        verb = "does" if len(changed) == 1 else "do"
        write_notes(
            options,
            f"note: {counted(len(changed), 'grade')} by {by} {verb} not count, because the document has another text now. "
            "Judge these documents again",
        )
    return [judgment for judgment in judgments if judgment not in changed]


def _texts_in(documents: Any, document: str) -> tuple[str, ...]:
    """The text of a document with and without its title, or of a chunk by its location; empty if it is unknown."""
    from assay.views import text_at

    if not isinstance(documents, Mapping):
        return ()
    try:
        entry = documents.get(document)
        return (text_at(document, documents),) if entry is None else (str(entry.text), str(entry.content))
    except (AssayError, OSError, IndexError):
        return ()
