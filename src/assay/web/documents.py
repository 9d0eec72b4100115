"""Documents: their words, from benchmarks that come with assay or that `assay serve --datasets` was given.

The store keeps only ids. A path that a result or a request names is never opened: what may be read is said at the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.evaluation import Result

if TYPE_CHECKING:
    from assay.datasets import BenchmarkDataset

LONGEST = 600
"""Letters of a document on a page."""


class Held:
    """A benchmark that is at hand, with its fingerprints, which are worked out once."""

    def __init__(self, dataset: BenchmarkDataset) -> None:
        from assay.datasets import PARTS

        self.dataset = dataset
        self.fingerprints = {part: dataset.fingerprint(part) for part in PARTS}

    def text(self, document: str) -> str:
        """The words of a document; none where there is no such document, or its file has changed meanwhile."""
        documents: Any = self.dataset.documents
        try:
            entry = documents.get(document) if hasattr(documents, "get") else None
        except (AssayError, OSError, IndexError):
            return ""
        return str(entry.text) if entry is not None and entry.doc_id == document else ""


class Library:
    """The benchmarks whose words may be shown: those that were given, then those that come with assay."""

    def __init__(self, datasets: Iterable[BenchmarkDataset] = ()) -> None:
        self._given = [Held(dataset) for dataset in datasets]

    def named(self, name: str) -> BenchmarkDataset | None:
        """A benchmark by its name; None for any other name, which may be a path that is not ours to read."""
        return next((held.dataset for held in self._all(name)), None)

    @property
    def names(self) -> tuple[str, ...]:
        """Those that were given."""
        return tuple(dict.fromkeys(held.dataset.name for held in self._given))

    def find(self, result: Result, part: str) -> Held | None:
        """The benchmark of a result, where its documents or judgments are the very ones of that day; else None."""
        about = result.provenance.get("dataset") or {}
        recorded = (about.get("fingerprints") or {}).get(part)
        same = (held for held in self._all(str(about.get("name", ""))) if held.fingerprints[part] == recorded)
        return next(same, None)

    def texts_of(self, result: Result, documents: Sequence[str]) -> dict[str, str]:
        """Document → its first words; nothing where the data are not at hand, or are others by now."""
        held = self.find(result, "documents")
        if held is None:
            return {}
        texts = {name: held.text(name) for name in documents}
        return {name: text if len(text) <= LONGEST else text[: LONGEST - 1] + "…" for name, text in texts.items() if text}

    def _all(self, name: str) -> Iterator[Held]:
        yield from (held for held in self._given if held.dataset.name == name)
        if (held := _bundled(name)) is not None:
            yield held


@lru_cache(maxsize=8)
def _bundled(name: str) -> Held | None:
    from assay.datasets import HPO_PREFIX, bundled, load_dataset

    if name not in bundled() or name.startswith(HPO_PREFIX):
        return None
    try:
        return Held(load_dataset(name))
    except AssayError:
        return None


def texts_of(result: Result, documents: Sequence[str]) -> dict[str, str]:
    """Document → its first words, where the benchmark comes with assay."""
    return Library().texts_of(result, documents)
