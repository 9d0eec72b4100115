"""Checks of images and other files: files that are missing, paths that leave the folder, and unknown types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.media.media_files import MISSING, OUTSIDE, find_media, media_root
from assay.datasets.preflight.findings import Cases, Finding, how_many
from assay.model import is_address, kind_of_media


class MediaSurvey:
    """Collects faults of the places that queries and documents name. A URL is only text, and is not checked."""

    def __init__(self, dataset: BenchmarkDataset) -> None:
        self._root = media_root(dataset)
        self._missing, self._outside = Cases("missing-media"), Cases("media-outside-folder")
        self._unknown = Cases("unknown-media-type")
        for key, query in dataset.queries.items():
            if (media := query.media) is not None:
                self._add(media, partial(Cases.about_query, query=key))

    def add_document(self, key: str, place: str) -> None:
        """Check the file of a document."""
        self._add(place, partial(Cases.about_document, document=key))

    def _add(self, place: str, about: Callable[..., None]) -> None:
        if is_address(place):
            return
        fault = "" if self._root is None else find_media(self._root, place).fault
        if fault:
            about({MISSING: self._missing, OUTSIDE: self._outside}[fault], what=repr(place))
        if not kind_of_media(place):
            about(self._unknown, what=repr(place))

    def findings(self) -> Iterator[Finding]:
        """All findings, after all documents were added."""
        yield from self._missing.finding(how_many(self._missing, "file", "does not exist", "do not exist"))
        leaves = how_many(self._outside, "path", "leaves", "leave")
        yield from self._outside.finding(f"{leaves} the folder of the benchmark")
        of_type = how_many(self._unknown, "file", "has", "have")
        yield from self._unknown.finding(f"{of_type} a file extension that is not known")
