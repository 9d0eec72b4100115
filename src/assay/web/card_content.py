"""Content of the cards of a report: texts, expected answers and small images of benchmarks that the user names."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.reports import DOCUMENTS, QUERIES, ExpectedOf, Picture, PicturesOf, WordsOf
from assay.text import printable
from assay.web.documents import LoadedDataset, ServedDatasets

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


class CardSources:
    """Benchmarks whose texts and images cards may show: the one that runs are scored against, or those that a user names."""

    def __init__(self, scored: str | None = None, named: Sequence[str] = (), dataset_format: str | None = None) -> None:
        from assay.datasets import load_dataset

        self._scored = LoadedDataset(load_dataset(scored, dataset_format)) if scored else None
        self._named = [(path, load_dataset(path)) for path in named]
        self._served = ServedDatasets(dataset for _, dataset in self._named)
        self._embedded = _Embedded()

    @property
    def content(self) -> CardContent:
        """Texts and expected answers of these benchmarks and of bundled ones, and images of these benchmarks."""
        return CardContent(self._words_of, self._expected_of, self._pictures_of)

    def unused(self, results: Sequence[Result]) -> list[str]:
        """Benchmarks that the user named and that no result was evaluated on, or that have changed since."""
        used = {id(loaded.dataset) for result in results for part in PARTS if (loaded := self._served.find(result, part))}
        return [path for path, dataset in self._named if id(dataset) not in used]

    def _words_of(self, result: Result, names: Sequence[str]) -> dict[str, str]:
        loaded = self._scored
        if loaded is None:
            return self._served.texts_of(result, names)
        return {name: text for name in names if (text := loaded.text(name))}

    def _expected_of(self, result: Result, query: str) -> str:
        return self._served.expected_of(result, query) if self._scored is None else self._scored.expected(query)

    def _pictures_of(self, result: Result, part: str, ids: Sequence[str]) -> dict[str, Picture]:
        loaded = self._scored or self._served.find(result, part)
        known = {} if loaded is None else {name: self._embedded.picture(loaded, part, name) for name in ids}
        return {name: picture for name, picture in known.items() if picture is not None}


PARTS = (DOCUMENTS, QUERIES)
"""Parts of a benchmark that cards show."""


class _Embedded:
    """Images as data URIs, each once, up to a number of bytes in total."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str, str], Picture] = {}
        self._n_bytes = 0

    def picture(self, loaded: LoadedDataset, part: str, name: str) -> Picture | None:
        """The picture of a document or a query, embedded if it is small; None if it names no file."""
        key = (id(loaded), part, name)
        place = loaded.media(part, name)
        if place is None or key in self._known:
            return self._known.get(key)
        image = loaded.image(part, name, LARGEST)
        self._n_bytes += len(image[1]) if image else 0
        fits = image is not None and self._n_bytes <= MOST_BYTES
        address = f"data:{image[0]};base64,{b64encode(image[1]).decode()}" if image is not None and fits else ""
        return self._known.setdefault(key, Picture(printable(place), address))
