"""Content of the cards of a report: texts, expected answers and small images of a benchmark that the user names."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.reports import ExpectedOf, Picture, PicturesOf, WordsOf, no_pictures
from assay.text import printable
from assay.web.documents import LoadedDataset, expected_of, texts_of

if TYPE_CHECKING:
    from assay.evaluation import Result

LARGEST = 50_000
"""Bytes of an image that is embedded in a page. Of a larger one, only the name is shown."""
MOST_BYTES = 5_000_000
"""Bytes of all images of a page."""


class CardContent(NamedTuple):
    """Where cards get what results do not contain."""

    words_of: WordsOf
    expected_of: ExpectedOf
    pictures_of: PicturesOf


def content_of_cards(path: str | None, dataset_format: str | None) -> CardContent:
    """The content of the given benchmark, else of a bundled one, which has no images."""
    if not path:
        return CardContent(texts_of, expected_of, no_pictures)
    from assay.datasets import load_dataset

    source = _Benchmark(LoadedDataset(load_dataset(path, dataset_format)))
    return CardContent(source.words_of, source.expected_of, source.pictures_of)


class _Benchmark:
    """A benchmark that the user names. All results are about it."""

    def __init__(self, loaded: LoadedDataset) -> None:
        self._loaded = loaded
        self._known: dict[tuple[str, str], Picture] = {}
        self._n_bytes = 0

    def words_of(self, result: Result, names: Sequence[str]) -> dict[str, str]:  # noqa: ARG002 (all are about this benchmark)
        """Document → its text."""
        return {name: text for name in names if (text := self._loaded.text(name))}

    def expected_of(self, result: Result, query: str) -> str:  # noqa: ARG002 (as above)
        """The expected answer to a query."""
        return self._loaded.expected(query)

    def pictures_of(self, result: Result, part: str, ids: Sequence[str]) -> dict[str, Picture]:  # noqa: ARG002 (as above)
        """Id → its picture, embedded if it is small."""
        known = {name: self._picture(part, name) for name in ids}
        return {name: picture for name, picture in known.items() if picture is not None}

    def _picture(self, part: str, name: str) -> Picture | None:
        place = self._loaded.media(part, name)
        if place is None or (part, name) in self._known:
            return self._known.get((part, name))
        image = self._loaded.image(part, name, LARGEST)
        self._n_bytes += len(image[1]) if image else 0
        fits = image is not None and self._n_bytes <= MOST_BYTES
        address = f"data:{image[0]};base64,{b64encode(image[1]).decode()}" if image is not None and fits else ""
        return self._known.setdefault((part, name), Picture(printable(place), address))
