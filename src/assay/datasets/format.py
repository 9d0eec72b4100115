"""Format: the description of a file format for benchmarks, and the catalog of all formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from assay.catalog import find_entry, load_entries
from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.probe import Probe
from assay.errors import UsageError, near_matches
from assay.files import COMPRESSIONS

BUNDLED = Path(__file__).parent / "bundled"
QUERIES = "queries"
"""The format of a file of queries, which the user can give instead of a benchmark."""


@dataclass(frozen=True)
class Format:
    """A file format for benchmarks."""

    name: str
    meaning: str
    read: Callable[[Path], BenchmarkDataset]
    detect: Callable[[Probe], bool]
    """Whether a path looks like this format. It must be fast."""
    write: Callable[[BenchmarkDataset, Path], None] | None = None
    example: str = ""
    """A real record, for the documentation."""
    has_named_columns: bool = False
    """Whether it has columns that the user can name with `--columns`."""
    needs: str = ""
    """What a path must have to be recognised, for errors: `records with question and contexts`."""
    read_split: Callable[[Path, str], BenchmarkDataset] | None = None
    """Reads one of several splits, if benchmarks of this format may have splits: `scifact:dev`."""
    rank: int = 0
    """Formats with a higher rank are tried first; the most specific formats have the highest rank."""
    words: Mapping[str, str] = field(default_factory=dict)
    """The format's own names for tags, if they differ: `category` for `query_type`."""
    marks: frozenset[str] = frozenset()
    """Fields that only records of this format have."""
    is_single_file: bool = False
    """Whether it is one JSON file. Other formats are folders; `trec` may also be a file of judgments."""
    default_metrics: tuple[str, ...] = ()
    """The metrics to score if the user names none; empty: the general default."""
    notes: Callable[[BenchmarkDataset], list[str]] | None = None
    """Notes for every result on such a benchmark."""
    needs_domain: bool = False
    """Whether a domain provides the documents, or knows their ids."""
    folder: Path | None = None
    """The folder of the benchmarks that are bundled with this format."""
    other_names: Mapping[str, str] = field(default_factory=dict)
    """Other name of a bundled benchmark → its name, such as that of a language → its code."""
    load: Callable[..., BenchmarkDataset] | None = None
    """Reads a bundled benchmark by name and size, `name:tiny`, and creates its documents unless `documents` is False."""
    documents: str = ""
    """A description of these documents."""

    def save(self, dataset: BenchmarkDataset, path: Path) -> None:
        """Write the dataset."""
        self.writer()(dataset, path)

    def writer(self) -> Callable[[BenchmarkDataset, Path], None]:
        """The function that writes this format; an error if the format can only be read."""
        if self.write is None:
            known = [name for name, format_ in all_formats().items() if format_.write]
            raise UsageError(f"{self.name} can be read but not written; choose from {', '.join(known)}")
        return self.write


@cache
def all_formats() -> Mapping[str, Format]:
    """Name → format, sorted by name."""
    return load_entries("assay.datasets.formats", Format, "assay.datasets")


def find_format(name: str) -> Format:
    """The format of this name; an error if there is none."""
    return find_entry("format", name, all_formats())


def known_format(name: str) -> Format | None:
    """The format of this name; None if there is none, or if the benchmark was created in code."""
    return all_formats().get(name) if name else None


def marks_of_formats() -> frozenset[str]:
    """All fields that only records of one format have."""
    return frozenset(name for format_ in all_formats().values() for name in format_.marks)


def bundled() -> dict[str, Path]:
    """Name → file of the bundled benchmarks, plain or compressed."""
    folders = [BUNDLED, *(format_.folder for format_ in all_formats().values() if format_.folder is not None)]
    files = [path for folder in folders for ending in ("", *COMPRESSIONS) for path in folder.glob(f"*.json{ending}")]
    return {path.name.partition(".json")[0]: path for path in sorted(files, key=lambda path: path.name)}


def bundled_name(source: str) -> str:
    """The name of a bundled benchmark for another name of it, with its size: `cases-de:tiny` for `cases-german:tiny`.

    Any other text is returned unchanged.
    """
    name, colon, size = source.partition(":")
    others = (format_.other_names for format_ in all_formats().values())
    own = next((names[name.lower()] for names in others if name.lower() in names), None)
    return source if own is None else f"{own}{colon}{size}"


def near_names(source: str) -> list[str]:
    """Bundled benchmarks that the user may mean: the whole family if the name starts like one, otherwise similar names."""
    name, colon, size = bundled_name(source.lower()).partition(":")
    if name in bundled():
        return [f"{name}{colon}{size}"]
    families: dict[str, list[str]] = {}
    for known in bundled():
        families.setdefault(known.partition("-")[0], []).append(known)
    several = (names for family, names in families.items() if len(names) > 1 and name.startswith(family))
    return next(several, None) or near_matches(source, bundled())


def loader_of(name: str) -> Format | None:
    """The format that loads a bundled benchmark; None for any other name."""
    path = bundled().get(bundled_name(name))
    formats = (format_ for format_ in all_formats().values() if format_.load is not None)
    return next((format_ for format_ in formats if path is not None and path.parent == format_.folder), None)
