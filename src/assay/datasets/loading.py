"""Loading: read a benchmark by name or path."""

from __future__ import annotations

from pathlib import Path

from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.format import all_formats, bundled, find_format, loader_of, near_names
from assay.datasets.probe import Probe
from assay.datasets.recognition import detect_format
from assay.errors import DataError, UnknownName, UsageError
from assay.files import missing_file
from assay.text import shortened


def load_bundled(name: str) -> BenchmarkDataset:
    """A bundled benchmark by name and size, without documents that would have to be created."""
    format_ = loader_of(name.partition(":")[0])
    return load_dataset(name) if format_ is None or format_.load is None else format_.load(name, documents=False)


def has_own_documents(name: str) -> bool:
    """Whether the file of a bundled benchmark contains its documents."""
    return name in bundled() and loader_of(name) is None


def _looks_like_a_path(path: Path) -> bool:
    """Whether the user means a file or folder and not a name: it has folders or an extension."""
    return len(path.parts) > 1 or bool(path.suffix)


def load_dataset(source: str | Path | BenchmarkDataset, format: str | None = None) -> BenchmarkDataset:  # noqa: A002
    """Load a benchmark by name or path. The format is detected, unless it is given by name.

    Some names accept a size, `name:tiny`, and some folders a split, `./scifact:dev`. An existing path that contains a colon
    is read as a path.
    """
    if isinstance(source, BenchmarkDataset):
        return source
    path = bundled().get(str(source)) or Path(source)
    _check_path(path)
    if (sized := _load_size(str(source), format)) is not None:
        return sized
    if (part := _load_split(str(source), format)) is not None:
        return part
    if not path.exists():
        by_other_means = [format_ for format_ in all_formats().values() if format_.detect(Probe(path))]
        if not by_other_means and _looks_like_a_path(Path(source)):
            raise missing_file(source)
        if not by_other_means:
            known = f"choose from {', '.join(bundled())}, or give a path" if bundled() else "give a path"
            raise UnknownName("benchmark", str(source), near_names(str(source)), known)
    chosen = find_format(format) if format else detect_format(path)
    dataset = chosen.read(path)
    dataset.format, dataset.path = chosen.name, path
    return dataset


def _check_path(path: Path) -> None:
    """Raise if no file can have this name."""
    try:
        path.exists()
    except OSError as error:
        raise DataError(f"no such file: {error.strerror or error}", source=shortened(str(path))) from None


def _load_split(source: str, format: str | None) -> BenchmarkDataset | None:  # noqa: A002
    """One split of a benchmark in a folder; None for anything else. A split of a format without splits is an error."""
    place, colon, split = source.rpartition(":")
    path = Path(place)
    if not colon or not place or Path(source).exists() or not path.exists():
        return None
    if any(format_.detect(Probe(Path(source))) for format_ in all_formats().values()):  # ir_datasets:beir/scifact
        return None
    chosen = find_format(format) if format else detect_format(path)
    if chosen.read_split is None:
        raise UsageError(f"{source}: the format {chosen.name} has no splits; write {place}")
    if not split:
        raise UsageError(f"{source}: expected a split after the colon, such as {place}:dev")
    dataset = chosen.read_split(path, split)
    dataset.format, dataset.path = chosen.name, path
    return dataset


def _load_size(source: str, format: str | None) -> BenchmarkDataset | None:  # noqa: A002
    """A bundled benchmark that has sizes; None for any other. A size for a benchmark without sizes is an error."""
    name, colon, _ = source.partition(":")
    if name not in bundled() or (colon and Path(source).exists()):
        return None
    loader = loader_of(name)
    if loader is not None and loader.load is not None and format in (None, loader.name):
        return loader.load(source)
    if colon:
        raise UsageError(f"{source}: {name} has only one size; write {name}")
    return None
