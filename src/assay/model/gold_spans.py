"""Gold spans: the stretches of files that answer each query, as flat arrays in both units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.model.ordering import Ints
from assay.model.places import COLUMNS, UNKNOWN, Places, columns
from assay.model.records import Span


@dataclass(frozen=True)
class GoldSpans:
    """Every gold span: its query, its file, and its bounds in columns: characters from, to, lines from, to."""

    query: Ints
    file: Ints
    bounds: Ints
    is_given: NDArray[np.bool_]
    """Which queries have gold spans, be it an empty list of them; the others cannot be scored by spans."""
    unit: str
    """The unit that all of them are written in; where they differ, characters, or lines if only these are known of all."""
    spans: tuple[Span, ...]
    is_missing: NDArray[np.bool_]
    """Which spans are in files that the dataset does not have, though it has others: nothing can reach them."""

    @classmethod
    def of(cls, spans: Mapping[str, Sequence[Span]], query_ids: Sequence[str], places: Places) -> GoldSpans:
        """The spans of these queries. What lies beyond the end of a file whose text is at hand is left out."""
        listed = [spans.get(query, ()) for query in query_ids]
        flat = tuple(chain.from_iterable(listed))
        files = places.file_numbers(span.doc_id for span in flat)
        units = {span.unit for span in flat}
        if unknown := sorted(units - COLUMNS.keys()):
            raise DataError(f"the unit of a span is {' or '.join(COLUMNS)}, not {unknown[0]!r}")
        bounds = np.array([_bounds(span, places) for span in flat], dtype=np.int64)
        return cls(
            query=np.repeat(np.arange(len(query_ids)), list(map(len, listed))),
            file=np.array(files, dtype=np.int64),
            bounds=bounds.reshape(len(flat), 4),
            is_given=np.array([query in spans for query in query_ids], dtype=bool),
            unit=units.pop() if len(units) == 1 else _common_unit(bounds.reshape(len(flat), 4)),
            spans=flat,
            is_missing=np.array([places.has_texts and not places.is_known(span.doc_id) for span in flat], dtype=bool),
        )

    @property
    def n_spans(self) -> Ints:
        """How many gold spans each query has."""
        return np.bincount(self.query, minlength=len(self.is_given))

    def within(self, unit: str) -> tuple[Ints, Ints]:
        """Where each span begins and ends in a unit. One in a missing file is as large as it is in its own unit."""
        start, end = columns(self.bounds, unit)
        if (lost := (end < 0) & self.is_missing).any():
            others = columns(self.bounds, "lines" if unit == "characters" else "characters")
            start, end = np.where(lost, others[0], start), np.where(lost, others[1], end)
        if (unknown := np.flatnonzero(end < 0)).size:
            span = self.spans[int(unknown[0])]
            said = f"{span.unit} {span.start} to {span.end} of {span.doc_id}"
            raise DataError(
                f"how many {unit} are {said} is not known: the text of the file is not at hand;"
                f" measure in {span.unit} (unit={span.unit}), or use a dataset that has the file"
            )
        return start, end


def _common_unit(bounds: Ints) -> str:
    """Characters, unless only lines are known of every span."""
    are_known = {unit: bool((columns(bounds, unit)[1] >= 0).all()) for unit in COLUMNS}
    return "lines" if are_known["lines"] and not are_known["characters"] else "characters"


def _bounds(span: Span, places: Places) -> tuple[int, int, int, int]:
    known = places.lines_of(span.doc_id)
    if span.unit == "lines":
        lines = (max(span.start - 1, 0), max(span.end, span.start - 1, 0))
        if known is None:
            return *UNKNOWN, *lines
        lines = (min(lines[0], known.n_lines), min(lines[1], known.n_lines))
        return *known.characters(*lines), *lines
    characters = (max(span.start, 0), max(span.end, span.start, 0))
    if known is None:
        return *characters, *UNKNOWN
    characters = (min(characters[0], known.size), min(characters[1], known.size))
    return *characters, *known.lines(*characters)
