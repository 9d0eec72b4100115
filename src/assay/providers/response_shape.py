"""The shape of a response: where a service puts its hits, their ids, scores and texts, the next cursor and its errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import ProviderError
from assay.providers.responses import Entry, find_entries, names_in, read_entry
from assay.providers.retriever import PermanentFailure
from assay.providers.templates import follow
from assay.text import shortened


@dataclass(frozen=True)
class ResponseShape:
    """Paths in a response. An empty path means the usual names."""

    results: str = ""
    id: str = ""
    score: str | None = ""
    """None: scores are ignored, and the order of the hits counts."""
    text: str = ""
    errors: tuple[str, ...] = ()
    """Paths under which a service says what went wrong, also in a response with the status of success."""
    totals: tuple[str, ...] = ()
    """Paths under which a service says how many documents match the query on all pages."""
    omits_empty: bool = False
    """Whether the service leaves out the list of hits if there are none."""
    read_id: Callable[[Any], Any] | None = None
    read_score: Callable[[Any], Any] | None = None

    def error_in(self, content: Any) -> str:
        """What went wrong, in the words of the service; empty if the response does not say so."""
        return next((text for where in self.errors if (text := optional_text(content, where))), "")

    def total_in(self, content: Any) -> int | None:
        """How many documents match on all pages; None if the response does not say so."""
        numbers = (optional_value(content, where) for where in self.totals)
        return next((number for number in numbers if isinstance(number, int) and not isinstance(number, bool)), None)

    def entries(self, content: Any) -> list[Entry]:
        """The hits in a response: at the path `results` or, without one, under a usual name."""
        entries = content
        if self.results:
            entries = self._at_results(content)
            entries = find_entries(entries) if isinstance(entries, Mapping) and "ids" in entries else entries
        elif isinstance(content, Mapping):
            entries = find_entries(content)
            if entries is None:
                raise ProviderError(
                    f"found no list of hits; the response has {names_in(content)}. Set results= to the path of the hits"
                )
        if not isinstance(entries, list):
            raise ProviderError(
                f"expected a list of hits{f' at {self.results}' * bool(self.results)}, found {shortened(entries)}"
            )
        return [self._entry(entry, place) for place, entry in enumerate(entries, 1)]

    def _at_results(self, content: Any) -> Any:
        if not self.omits_empty:
            return follow(content, self.results)
        parent, _, last = self.results.rpartition(".")
        inside = follow(content, parent)
        return inside.get(last, []) if isinstance(inside, Mapping) else inside

    def _entry(self, entry: Any, place: int) -> Entry:
        """One hit; a score that is a distance is negated."""
        hit = read_entry(entry, place, needs_id=not self.id)
        try:
            if self.id:
                hit = hit._replace(doc=follow(entry, self.id))
            if self.score:
                hit = hit._replace(score=self._score(follow(entry, self.score)))
        except ProviderError as error:
            raise PermanentFailure(f"hit {place}: {error}") from None
        hit = hit if self.read_id is None else hit._replace(doc=self.read_id(hit.doc))
        hit = hit if self.score is not None else hit._replace(score=None)
        return hit._replace(text=optional_text(entry, self.text)) if self.text else hit

    def _score(self, score: Any) -> Any:
        score = score if self.read_score is None else self.read_score(score)
        is_distance = "distance" in (self.score or "").lower() and isinstance(score, int | float)
        return -score if is_distance else score


def optional_text(content: Any, where: str) -> str | None:
    """The text at a path; None if there is none."""
    text = optional_value(content, where)
    return text if isinstance(text, str) else None


def optional_value(content: Any, where: str) -> Any:
    """The value at a path; None if there is none, or no path."""
    try:
        return follow(content, where) if where else None
    except ProviderError:
        return None
