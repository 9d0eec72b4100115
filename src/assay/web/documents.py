"""Documents: their texts, from bundled benchmarks or from `assay serve --datasets`.

The store contains only ids. A path in a result or a request is never opened: only datasets named at the start are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from assay.datasets import find_media, media_root, read_image
from assay.errors import AssayError
from assay.evaluation import Grades, Result
from assay.judging import PAGE_LETTERS
from assay.model import IMAGE, kind_of_media
from assay.reports import QUERIES, Picture
from assay.text import printable
from assay.views import text_at

if TYPE_CHECKING:
    from assay.datasets import BenchmarkDataset


class LoadedDataset:
    """A benchmark that can be read, with its fingerprints, which are computed once."""

    def __init__(self, dataset: BenchmarkDataset) -> None:
        self.dataset = dataset

    @cached_property
    def fingerprints(self) -> dict[str, str]:
        """Part → its fingerprint."""
        from assay.datasets import PARTS

        return {part: self.dataset.fingerprint(part) for part in PARTS}

    def text(self, document: str) -> str:
        """The text of a document, or of a chunk by its location; empty if it is unknown, or its file has changed since."""
        documents = self.dataset.documents
        if not isinstance(documents, Mapping):
            return ""
        try:
            entry = documents.get(document)
            return text_at(document, documents) if entry is None else str(entry.text) if entry.doc_id == document else ""
        except (AssayError, OSError, IndexError):
            return ""

    def content(self, document: str) -> str:
        """The title and the text of a document, or the text of a chunk by its location; empty if it is unknown."""
        documents = self.dataset.documents
        entry = documents.get(document) if isinstance(documents, Mapping) else None
        return str(entry.content) if entry is not None and entry.doc_id == document else self.text(document)

    def media(self, part: str, name: str) -> str | None:
        """The path or URL of the file of a document or a query; None if it has none."""
        entries: Mapping[str, Any] = self.dataset.queries if part == QUERIES else self.dataset.documents
        try:
            entry = entries.get(name)
        except (AssayError, OSError):
            return None
        return entry.media if entry is not None else None

    def image(self, part: str, name: str, most: int) -> tuple[str, bytes] | None:
        """The MIME type and the content of a local image of at most `most` bytes; None if there is none.

        Only files in the folder of the benchmark are opened, and only if their first bytes are those of an image.
        """
        place, root = self.media(part, name), media_root(self.dataset)
        return None if place is None or root is None else read_image(find_media(root, place), most)

    def expected(self, query: str) -> str:
        """The expected answer to a query; empty if there is none."""
        record = self.dataset.queries.get(query)
        return (record.expected if record else "") or ""


class ServedDatasets:
    """The benchmarks whose texts may be shown: the given ones, then the bundled ones."""

    def __init__(self, datasets: Iterable[BenchmarkDataset] = ()) -> None:
        self._datasets = [LoadedDataset(dataset) for dataset in datasets]

    def named(self, name: str) -> BenchmarkDataset | None:
        """A benchmark by its name; None for any other name, which may be a path that must not be read."""
        return next((loaded.dataset for loaded in self._all(name)), None)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the given benchmarks."""
        return tuple(dict.fromkeys(loaded.dataset.name for loaded in self._datasets))

    def find(self, result: Result, part: str) -> LoadedDataset | None:
        """The benchmark of a result, if its documents or judgments are still the same; otherwise None."""
        about = result.provenance.get("dataset") or {}
        recorded = (about.get("fingerprints") or {}).get(part)
        same = (loaded for loaded in self._all(str(about.get("name", ""))) if loaded.fingerprints[part] == recorded)
        return next(same, None)

    def judged(self, result: Result, queries: Sequence[str]) -> Grades | None:
        """All judgments of the benchmark of a result, if it is available and unchanged; otherwise None.

        Its relevant documents must be those that the result was scored with, because a plan may have made grades binary.
        """
        loaded = self.find(result, "judgments")
        if loaded is None:
            return None
        dataset, level = loaded.dataset, result.policy.rel
        for query in queries:
            relevant = {
                doc: grade
                for doc, grade in dataset.qrels.get(query, {}).items()
                if (grade > 0 if level is None else grade >= level)
            }
            if relevant != dict(result.relevant.get(query) or {}):
                return None
        qrels: Grades = dataset.qrels
        return qrels

    def texts_of(self, result: Result, documents: Sequence[str]) -> dict[str, str]:
        """Document → its first words; empty if the data are not available or have changed."""
        loaded = self.find(result, "documents")
        if loaded is None:
            return {}
        texts = {name: loaded.text(name) for name in documents}
        return {
            name: text if len(text) <= PAGE_LETTERS else text[: PAGE_LETTERS - 1] + "…"
            for name, text in texts.items()
            if text
        }

    def whole_texts(self, result: Result, document: str) -> tuple[str, ...]:
        """The whole text of a document, without and with its title; empty if the data are not available or have changed."""
        loaded = self.find(result, "documents")
        return () if loaded is None else (loaded.text(document), loaded.content(document))

    def pictures_of(self, result: Result, part: str, ids: Sequence[str]) -> dict[str, Picture]:
        """Id → its picture at an address of this server; empty if the data are not available or have changed."""
        loaded = self.find(result, part)
        if loaded is None:
            return {}
        pictures: dict[str, Picture] = {}
        for name in ids:
            if (place := loaded.media(part, name)) is not None:
                pictures[name] = Picture(printable(place), _address_of(loaded, part, name, place))
        return pictures

    def with_fingerprint(self, part: str, fingerprint: str) -> LoadedDataset | None:
        """A given benchmark by the fingerprint of its documents or queries; None if there is none."""
        return next((loaded for loaded in self._datasets if loaded.fingerprints[part] == fingerprint), None)

    def expected_of(self, result: Result, query: str) -> str:
        """The expected answer to a query of a result; empty if the data are not available or have changed."""
        loaded = self.find(result, "queries")
        return loaded.expected(query) if loaded else ""

    def _all(self, name: str) -> Iterator[LoadedDataset]:
        yield from (loaded for loaded in self._datasets if loaded.dataset.name == name)
        if (loaded := _bundled(name)) is not None:
            yield loaded


def _address_of(loaded: LoadedDataset, part: str, name: str, place: str) -> str:
    """The address of a local image on this server; empty for anything else, because only local images are shown."""
    root = media_root(loaded.dataset)
    if root is None or kind_of_media(place) != IMAGE or find_media(root, place).path is None:
        return ""
    return f"/media/{part}/{loaded.fingerprints[part]}?{urlencode({'id': name})}"


@lru_cache(maxsize=8)
def _bundled(name: str) -> LoadedDataset | None:
    from assay.datasets import has_own_documents, load_dataset

    if not has_own_documents(name):
        return None
    try:
        return LoadedDataset(load_dataset(name))
    except AssayError:
        return None


def texts_of(result: Result, documents: Sequence[str]) -> dict[str, str]:
    """Document → its first words, if the benchmark is bundled with assay."""
    return ServedDatasets().texts_of(result, documents)


def expected_of(result: Result, query: str) -> str:
    """The expected answer to a query, if the benchmark is bundled with assay."""
    return ServedDatasets().expected_of(result, query)
