"""Changed texts: a grade belongs to the text that the judge saw, so it does not count for another text of the document."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from assay.store import Judgment, digest_of_text

PAGE_LETTERS, QUEUE_LETTERS = 600, 20_000
"""Characters of a document that the pages of queries and the queue show. The digest of a longer text is of this part."""


def about_other_texts(judgments: Iterable[Judgment], texts_of: Callable[[str], Iterable[str]]) -> list[Judgment]:
    """The judgments whose document has another text now, for example after chunks were made again.

    `texts_of` returns the text of a document as it may have been shown, such as with and without its title. A judgment
    without a digest, or of a document without a text, cannot be checked and is left out.
    """
    digests: dict[str, frozenset[str]] = {}
    changed = []
    for judgment in judgments:
        if not judgment.text_digest:
            continue
        if judgment.document not in digests:
            digests[judgment.document] = _digests(texts_of(judgment.document))
        if digests[judgment.document] and judgment.text_digest not in digests[judgment.document]:
            changed.append(judgment)
    return changed


def _digests(texts: Iterable[str]) -> frozenset[str]:
    """The digests of the texts, whole and as they are shown; empty without a text."""
    shown = {part for text in texts if text for part in (text, text[:QUEUE_LETTERS], _on_page(text))}
    return frozenset(map(digest_of_text, shown))


def _on_page(text: str) -> str:
    return text if len(text) <= PAGE_LETTERS else text[: PAGE_LETTERS - 1] + "…"
