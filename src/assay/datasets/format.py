"""Formats of datasets: the description of a format, format detection, and `load_dataset`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from assay.catalog import find_entry, load_entries
from assay.datasets.dataset import BenchmarkDataset
from assay.errors import DataError, UnknownName, UsageError, near_matches
from assay.files import COMPRESSIONS, FileSource, missing_file, plain_name
from assay.text import is_file, shortened

PROBE_BYTES = 1 << 18
"""Bytes that are read to detect the format; more if the first record is longer."""
MAX_PROBE_BYTES = 1 << 26
"""The most bytes that are read to get the whole first record."""
MAX_PROBE_RECORDS = 100
"""The most records that are examined."""
BUNDLED = Path(__file__).parent / "bundled"
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:]', re.DOTALL)
"""The tokens of JSON that matter for nesting: strings, brackets, and the colon after a name."""


@dataclass(frozen=True)
class Probe:
    """A path, and what can be learned about it without reading everything."""

    path: Path

    @cached_property
    def names(self) -> frozenset[str]:
        """The files and folders in it, if it is a folder."""
        return frozenset(entry.name for entry in self.path.iterdir()) if self.path.is_dir() else frozenset()

    @cached_property
    def suffix(self) -> str:
        """The extension that says what kind of file it is: `.jsonl` for `corpus.jsonl.gz`."""
        return Path(plain_name(self.path.name)).suffix.lower()

    @cached_property
    def head(self) -> bytes:
        """The first bytes, decompressed."""
        if not self.path.is_file():
            return b""
        with FileSource(self.path).reading() as file:
            return file.read(PROBE_BYTES)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Names of JSON fields at any depth, near the start of the file."""
        names = re.findall(rb'"([^"\\]{1,60})"\s*:', self._first_records)
        return frozenset(name.decode("utf-8", "replace") for name in names)

    @cached_property
    def outer_keys(self) -> frozenset[str]:
        """Field names of the outermost object; for a list or JSON lines, of the first records."""
        if self._object is not None:
            return frozenset(self._object)
        names, _ = _scan(self._first_records, is_list=self.is_list)
        return frozenset(names)

    def keys_under(self, name: str) -> frozenset[str]:
        """Field names of the object or the first records under a field of the outermost object."""
        values = _decode((self._object or {}).get(name, b"null"))
        records = values[:MAX_PROBE_RECORDS] if isinstance(values, list) else [values]
        return frozenset(key for record in records if isinstance(record, dict) for key in record)

    @cached_property
    def is_judgments(self) -> bool:
        """Whether it is a JSON object that consists only of query → document → whole number."""
        values = [_decode(value) for value in list((self._object or {}).values())[:MAX_PROBE_RECORDS]]
        return bool(values) and all(
            isinstance(judged, dict) and judged and all(type(grade) is int for grade in judged.values()) for judged in values
        )

    @cached_property
    def _object(self) -> dict[str, Any] | None:
        """The undecoded fields of a file that is one JSON object; None for any other file."""
        import msgspec

        if self.suffix != ".json" or self.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"{":
            return None
        try:
            content: dict[str, Any] = msgspec.json.decode(FileSource(self.path).content(), type=dict[str, msgspec.Raw])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        return content

    @cached_property
    def _first_records(self) -> bytes:
        """The head, extended until the first record of a list or of JSON lines is complete."""
        if self._object is not None:
            return self.head
        head, size = self.head, PROBE_BYTES
        while size <= len(head) < MAX_PROBE_BYTES and not _scan(head, is_list=self.is_list)[1]:
            size *= 4
            with FileSource(self.path).reading() as file:
                head = file.read(size)
        return head

    @property
    def is_list(self) -> bool:
        """Whether it is a JSON list."""
        return self.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"["


def _scan(head: bytes, *, is_list: bool) -> tuple[set[str], bool]:
    """Field names of the outermost objects, and whether the first of these is complete."""
    names: set[str] = set()
    depth, string, is_whole = -1 if is_list else 0, b"", False
    for token in _TOKEN.findall(head):
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
            is_whole = is_whole or depth <= 0
        elif token == b":" and depth == 1:
            names.add(string[1:-1].decode("utf-8", "replace"))
        string = token
    return names, is_whole


def _decode(value: Any) -> Any:
    """The content of an undecoded value; None if it is not JSON."""
    import msgspec

    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


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


def looks_like(format_: Format, benchmark: str) -> bool:
    """Whether a benchmark, by name or path, has this format: a bundled one, or a file that looks like it."""
    path = Path(benchmark)
    return _loader(benchmark.partition(":")[0]) is format_ or (is_file(path) and format_.detect(Probe(path)))


def detect_format(path: Path) -> Format:
    """The format that a path looks like. Two formats of the same rank are an error, because the choice would be a guess."""
    probe = Probe(path)
    claimed: list[Format] = []
    for format_ in sorted(all_formats().values(), key=lambda format_: -format_.rank):
        if claimed and format_.rank < claimed[0].rank:
            break
        if format_.detect(probe):
            claimed.append(format_)
    if len(claimed) == 1:
        return claimed[0]
    if claimed:
        names = " and ".join(format_.name for format_ in claimed)
        raise DataError(f"looks like {names}; {CHOOSE}", source=path)

    near = nearest_format(probe, all_formats().values())
    known = near.description if near else f"it is none of {', '.join(all_formats())}"
    raise DataError(f"the format was not recognised ({known}); {CHOOSE}", source=path)


CHOOSE = "choose the format with format=, or with --dataset-format on the command line"


def bundled() -> dict[str, Path]:
    """Name → file of the bundled benchmarks, plain or compressed."""
    folders = [BUNDLED, *(format_.folder for format_ in all_formats().values() if format_.folder is not None)]
    files = [path for folder in folders for ending in ("", *COMPRESSIONS) for path in folder.glob(f"*.json{ending}")]
    return {path.name.partition(".json")[0]: path for path in sorted(files, key=lambda path: path.name)}


def near_names(source: str) -> list[str]:
    """Bundled benchmarks that the user may mean: the whole family if the name starts like one, otherwise similar names."""
    name, colon, size = source.lower().partition(":")
    if name in bundled():
        return [f"{name}{colon}{size}"]
    families: dict[str, list[str]] = {}
    for known in bundled():
        families.setdefault(known.partition("-")[0], []).append(known)
    several = (names for family, names in families.items() if len(names) > 1 and name.startswith(family))
    return next(several, None) or near_matches(source, bundled())


def _loader(name: str) -> Format | None:
    """The format that loads a bundled benchmark; None for any other name."""
    path = bundled().get(name)
    formats = (format_ for format_ in all_formats().values() if format_.load is not None)
    return next((format_ for format_ in formats if path is not None and path.parent == format_.folder), None)


def load_bundled(name: str) -> BenchmarkDataset:
    """A bundled benchmark by name and size, without documents that would have to be created."""
    format_ = _loader(name.partition(":")[0])
    return load_dataset(name) if format_ is None or format_.load is None else format_.load(name, documents=False)


def has_own_documents(name: str) -> bool:
    """Whether the file of a bundled benchmark contains its documents."""
    return name in bundled() and _loader(name) is None


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
    loader = _loader(name)
    if loader is not None and loader.load is not None and format in (None, loader.name):
        return loader.load(source)
    if colon:
        raise UsageError(f"{source}: {name} has only one size; write {name}")
    return None


MIN_SIMILARITY = 0.7
"""How similar the names of two fields must be for one to be a misspelling of the other."""


class Nearest(NamedTuple):
    """A format, the field that the file needs for it, and what the file has instead."""

    format: Format
    field: str
    instead: str
    """A field of the file with a similar name; empty if there is none."""

    @property
    def description(self) -> str:
        """A description for an error."""
        instead = f"; the file has {self.instead}" if self.instead else ""
        return f"the closest is {self.format.name}, which needs a field {self.field}{instead}"


def nearest_format(probe: Probe, formats: Iterable[Format]) -> Nearest | None:
    """The format that the file would have with one more field; None if the file has nothing in common with any format."""
    known = probe.keys | _columns(probe)
    candidates = []
    for format_ in formats:
        fields = dict.fromkeys(re.findall(r'"(\w+)":', format_.example))
        shared = len(known & fields.keys())
        for name in fields.keys() - known:
            instead = _similar_name(name, known)
            if (shared or instead) and format_.detect(_ProbeWithField(probe.path, name)):
                candidates.append(((bool(instead), shared, format_.rank, name), Nearest(format_, name, instead)))
    return max(candidates, key=lambda pair: pair[0])[1] if candidates else None


@dataclass(frozen=True)
class _ProbeWithField(Probe):
    """A path as it would look if its records had one more field."""

    field: str

    @cached_property
    def head(self) -> bytes:
        """The head with the field in the first record, or in the header of a table."""
        head, name = super().head, self.field.encode()
        if self.suffix in (".csv", ".tsv"):
            return head.replace(b"\n", (b"\t" if self.suffix == ".tsv" else b",") + name + b"\n", 1)
        return head.replace(b"{", b'{"%s": null, ' % name, 1)

    @cached_property
    def outer_keys(self) -> frozenset[str]:
        """The keys with the field."""
        return super().outer_keys | {self.field}

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys with the field."""
        return super().keys | {self.field}

    def keys_under(self, name: str) -> frozenset[str]:
        """The keys with the field, if there are records at all."""
        keys = super().keys_under(name)
        return keys | {self.field} if keys else keys


def _columns(probe: Probe) -> frozenset[str]:
    """The names in the header of a table."""
    if probe.suffix not in (".csv", ".tsv"):
        return frozenset()
    header = probe.head.partition(b"\n")[0].decode("utf-8", "replace")
    return frozenset(name.strip(' "\r\ufeff') for name in re.split(r"[,\t;]", header))


def _similar_name(field: str, known: Iterable[str]) -> str:
    """The field of the file that may be a misspelling: a similar name, or a part of the name with several words."""
    near = difflib.get_close_matches(field.lower(), {name.lower(): name for name in known}, n=1, cutoff=MIN_SIMILARITY)
    within = [name for name in sorted(known) if "_" in name and name in field]
    return next((name for name in sorted(known) if name.lower() in near), within[0] if within else "")
