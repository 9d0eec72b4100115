"""Progress: how many documents a provider has indexed, and how many queries of a benchmark it has finished."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from assay.execution.responses import Response
from assay.providers import Work


class Wait(NamedTuple):
    """A pause: its length in seconds, the reason, and the clock time when it ends."""

    seconds: float
    why: str
    until: float


class DocumentCount(NamedTuple):
    """How many documents a provider has read or indexed: the number, the number of all, and the clock time of the start."""

    n_done: int
    n_all: int
    work: Work
    began: float


class DelayWarning(str):
    """A message that a provider does not respond. The user should see it even with `--quiet`."""

    __slots__ = ()


@dataclass
class Progress:
    """The progress of a part; `watch` is called after each batch. The provider under test reports to it."""

    name: str
    n_asked: int
    n_done: int = 0
    n_failed: int = 0
    n_cached: int = 0
    indexing: float = 0.0
    """Seconds spent on indexing documents."""
    began: float = field(default_factory=time.perf_counter)
    watch: Callable[[Progress], None] = lambda _: None
    n_known: int = 0
    """Queries that an earlier, interrupted evaluation has finished."""
    wait: Wait | None = None
    """The last pause that a service asked for."""
    documents: DocumentCount | None = None
    """The documents that are being indexed. `watch` is not called for each report: whoever shows the count reads it."""
    tell: Callable[[str], None] = lambda _: None
    """Called with messages of the provider that the user should see now."""

    notes: list[str] = field(default_factory=list)
    """What the provider says to readers of the result."""

    def add_notes(self, notes: Any) -> None:
        """Add the notes of a retriever; anything but a text or a list of texts, and what is known already, is ignored."""
        texts = [notes] if isinstance(notes, str) else notes if isinstance(notes, list | tuple) else ()
        self.notes += [note for note in dict.fromkeys(texts) if isinstance(note, str) and note not in self.notes]

    def count_documents(self, n_done: int, n_all: int, work: Work) -> None:
        """Record how many documents are read or indexed; other work, or a lower number than before, begins another pass."""
        before = self.documents
        goes_on = before is not None and (before.n_all, before.work) == (n_all, work) and before.n_done <= n_done
        began = before.began if before is not None and goes_on else time.perf_counter()
        self.documents = DocumentCount(n_done, n_all, work, began)

    def note_delay(self, seconds: float, why: str) -> None:
        """Tell the user that the provider does not respond, and why that usually is."""
        self.tell(DelayWarning(f"{self.name}: no response for {seconds:g} s. {why}."))

    def note_cache(self, what: str) -> None:
        """Tell the user that a cache could not be used or written."""
        self.tell(f"{self.name}: {what}")

    def note_wait(self, seconds: float, why: str) -> None:
        """Record that a service asks for a pause, and call `watch`."""
        self.wait = Wait(seconds, why, time.perf_counter() + seconds)
        self.watch(self)

    def add(self, answers: Sequence[Response], *, cached: bool = False) -> None:
        """Count responses, and call `watch`."""
        self.n_done += len(answers)
        self.n_failed += sum(answer.error is not None for answer in answers)
        self.n_cached += len(answers) if cached else 0
        self.watch(self)
