"""Pictures: small images of documents and queries, beside their ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assay.evaluation import Result

DOCUMENTS, QUERIES = "documents", "queries"
"""What ids are of."""


@dataclass(frozen=True)
class Picture:
    """The image or another file of a document or a query: its path or URL, and where a page finds it."""

    name: str
    source: str = ""
    """A data URI, or an address of the same server. If empty, only the name is shown; a URL of the data is never loaded."""


PicturesOf = Callable[[Result, str, Sequence[str]], Mapping[str, Picture]]
"""A result, `documents` or `queries`, and ids → pictures."""


def no_pictures(result: Result, part: str, ids: Sequence[str]) -> Mapping[str, Picture]:  # noqa: ARG001 (what others look up)
    """No pictures, because results contain only the ids of documents."""
    return {}
