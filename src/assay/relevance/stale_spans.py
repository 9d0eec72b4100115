"""Stale labels: gold spans whose recorded text is not at its place any more, and where it is now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.model import Document, FileNames, Span
from assay.text import counted

MAX_PLACES = 3
"""The most places that are searched for."""
RECORDED = "the text recorded for"


@dataclass(frozen=True)
class Label:
    """A gold span, and the places where its recorded text is now; `fits` if the span itself is one of them."""

    span: Span
    fits: bool
    places: tuple[Span, ...] = ()

    @property
    def moved_to(self) -> Span | None:
        """The new place of the text, if it moved and occurs only once."""
        return self.places[0] if not self.fits and len(self.places) == 1 else None

    @property
    def fault(self) -> str:
        """What is wrong, in words; empty for a label that fits."""
        if self.fits:
            return ""
        label = f"{RECORDED} {in_words(self.span)}"
        if (now := self.moved_to) is not None:
            return f"{label} is now in {in_words(now)}"
        many = ("at least " if len(self.places) == MAX_PLACES else "") + counted(len(self.places), "time")
        return f"{label} now occurs {many} elsewhere" if self.places else f"{label} was not found"


def is_move(what: str) -> bool:
    """Whether a repair is about a label that was moved to the new place of its text."""
    return what.startswith(RECORDED)


def in_words(span: Span) -> str:
    """`lines 10 to 24 of src/client.py`."""
    return f"{span.unit} {span.start} to {span.end} of {span.doc_id}"


def resolved(spans: Iterable[Span], documents: Mapping[str, Document]) -> list[Span]:
    """The spans with the paths of documents, if their path can mean only one document; `./a.py` is `a.py`."""
    spans = list(spans)
    files = FileNames(documents).match(span.doc_id for span in spans) if spans else {}
    return [replace(span, doc_id=files[span.doc_id] or span.doc_id) for span in spans]


def is_stale(span: Span, documents: Mapping[str, Document]) -> bool:
    """Whether a recorded text is not at its span; `check_label` also searches for its new place, which takes longer."""
    if span.text is None or not span.text.strip():
        return False
    document = documents.get(span.doc_id)
    return document is None or not _is_there(span, document.text)


def check_label(span: Span, documents: Mapping[str, Document]) -> Label:
    """Compare the recorded text with the file. If it differs, search for it in the file, and then in all others.

    White space at the ends of lines never matters. Indentation and blank lines are ignored only if nothing else fits. A span
    without recorded text, or with only white space, fits.
    """
    if span.text is None or not span.text.strip():
        return Label(span, fits=True)
    document = documents.get(span.doc_id)
    here = [] if document is None else _occurrences(span, span.doc_id, document.text)
    if document is not None and _is_there(span, document.text):
        return Label(span, fits=True)
    if here:
        return Label(span, fits=False, places=tuple(here))
    elsewhere: list[Span] = []
    for name, other in documents.items():
        if name != span.doc_id and len(elsewhere) < MAX_PLACES:
            elsewhere += _occurrences(span, name, other.text)
    return Label(span, fits=False, places=tuple(elsewhere[:MAX_PLACES]))


def _is_there(span: Span, text: str) -> bool:
    recorded = span.text or ""
    if span.unit == "characters":
        return _loose(text[max(span.start, 0) : max(span.end, 0)]) == _loose(recorded)
    rows = text.split("\n")[max(span.start - 1, 0) : max(span.end, 0)]
    return _loose("\n".join(rows)) == _loose(recorded)


def _loose(text: str) -> list[str]:
    return [row.strip() for row in text.split("\n") if row.strip()]


def _occurrences(span: Span, name: str, text: str) -> list[Span]:
    """The places where a text contains the recorded text, at most three."""
    recorded = span.text or ""
    if span.unit == "characters":
        return [replace(span, doc_id=name, start=at, end=at + len(recorded)) for at in _finds(text, recorded)]
    rows = list(enumerate(text.split("\n"), 1))
    exact = [(number, row.rstrip()) for number, row in rows]
    lines = [row.rstrip() for row in recorded.strip("\r\n").split("\n")]
    stretches = _stretches(exact, lines) or _stretches(
        [(n, row.strip()) for n, row in rows if row.strip()], _loose(recorded)
    )
    return [replace(span, doc_id=name, start=first, end=last) for first, last in stretches]


def _stretches(rows: Sequence[tuple[int, str]], lines: Sequence[str]) -> list[tuple[int, int]]:
    """First and last line of each group of rows that equals the lines."""
    whole = "\n".join(["", *(row for _, row in rows), ""])
    starts = [whole.count("\n", 0, at) for at in _finds(whole, "\n".join(["", *lines, ""]))]
    return [(rows[start][0], rows[start + len(lines) - 1][0]) for start in starts]


def _finds(text: str, part: str) -> Iterator[int]:
    """The positions of a part in a text, at most three; they may overlap."""
    at = text.find(part)
    for _ in range(MAX_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(part, at + 1)
