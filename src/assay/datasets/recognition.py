"""Recognition: which format a file or folder has, and which formats come nearest if it has none."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from assay.datasets.fields import roles_of
from assay.datasets.format import QUERIES, Format, all_formats, loader_of
from assay.datasets.probe import Probe
from assay.errors import DataError
from assay.files import TABLES, current_reading, foreign_kind
from assay.text import is_file, shortened, some_of

CHOOSE = "choose the format with format=, or with --dataset-format on the command line"
CHOOSE_NEAREST = "the nearest formats are listed below; choose one with --dataset-format, or with format= in Python"
NAME_COLUMNS = (
    "; if its columns have other names, add --columns query=NAME,relevant=NAME (assay datasets formats lists the names)"
)
NO_JUDGMENTS = "; if it has queries and no judgments yet, use assay eval --queries, or format='queries' in Python"
MIN_SIMILARITY = 0.7
"""How similar the names of two fields must be for one to be a misspelling of the other."""
N_NEAREST = 3
"""How many formats an error names."""
CONTAINERS = {
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json"),
    **dict.fromkeys(TABLES, "csv"),
    ".parquet": "parquet",
}
"""Extension → the word that formats use for such files."""
MAX_NAMES = 8
"""How many fields of a file an error names."""
MAX_SHOWN = 40
"""How much of a file without fields an error shows."""


def looks_like(format_: Format, benchmark: str) -> bool:
    """Whether a benchmark, by name or path, has this format: a bundled one, or a file that looks like it."""
    path = Path(benchmark)
    return loader_of(benchmark.partition(":")[0]) is format_ or (is_file(path) and format_.detect(Probe(path)))


def detect_format(path: Path) -> Format:
    """The format that a path looks like. Two formats of the same rank are an error, because the choice would be a guess."""
    probe = Probe(path)
    claimed = _claiming_formats(probe)
    if len(claimed) == 1:
        return claimed[0]
    if claimed:
        names = " and ".join(format_.name for format_ in claimed)
        raise DataError(f"looks like {names}; {CHOOSE}", source=path)

    if (what := foreign_kind(probe.head)) and path.is_file():
        raise DataError(f"the file is {what}; save it as CSV or JSON in UTF-8", source=path)
    if {"doc_id", "text"} <= roles_of("documents", probe.first_record).keys():
        what = f"this looks like documents, or like queries without ground truth ({_description(probe)})"
        hint = "give documents with --documents (in Python, documents=), and the queries as the benchmark"
        raise DataError(f"the format was not recognised: {what}", source=path, hint=hint)
    nearest = nearest_formats(probe, [format_ for name, format_ in all_formats().items() if name != QUERIES])
    can_name = bool(probe.first_record) and any(near.format.has_named_columns for near in nearest)
    raise DataError(
        f"the format was not recognised: this is {_description(probe)}",
        [near.description for near in nearest],
        source=path,
        code="format",
        hint=_unknown_columns(probe) + CHOOSE_NEAREST + (NAME_COLUMNS if can_name else "") + _without_judgments(probe),
    )


def recognised_format(path: Path) -> str:
    """The name of the format that a path looks like; empty if none does, or several, without working out the nearest."""
    claimed = _claiming_formats(Probe(path))
    return claimed[0].name if len(claimed) == 1 else ""


def _claiming_formats(probe: Probe) -> list[Format]:
    """The formats of the highest rank of which one claims the path."""
    claimed: list[Format] = []
    for format_ in sorted(all_formats().values(), key=lambda format_: -format_.rank):
        if claimed and format_.rank < claimed[0].rank:
            break
        if format_.detect(probe):
            claimed.append(format_)
    return claimed


def _without_judgments(probe: Probe) -> str:
    """How to read the file if it has queries alone."""
    roles = roles_of("queries", probe.first_record)
    return NO_JUDGMENTS if "query" in roles and "expected" not in roles else ""


def _unknown_columns(probe: Probe) -> str:
    """Which of the columns that the user named the file does not have, with the most similar one that it has."""
    for role, column in current_reading().columns.items():
        if probe.first_record and column not in probe.first_record:
            near = _similar_name(column, probe.first_record)
            return f"it has no column {column!r} ({role}={column}){f', but {near!r}' if near else ''}; "
    return ""


class Nearest(NamedTuple):
    """A format, the field that the file needs for it, and what the file has instead."""

    format: Format
    field: str = ""
    """The only field that is missing; empty if more is missing."""
    instead: str = ""
    """A field of the file with a similar name; empty if there is none."""

    @property
    def description(self) -> str:
        """What the format needs, and what is missing."""
        needs = f"{self.format.name} needs {self.format.needs or self.format.meaning}"
        instead = f" (found {self.instead!r})" if self.instead else ""
        return f"{needs}; {self.field!r} is missing{instead}" if self.field else needs


def nearest_formats(probe: Probe, formats: Iterable[Format], most: int = N_NEAREST) -> list[Nearest]:
    """The formats that come nearest, in order.

    First come those that the file would have with one more field. The others are compared by their container, by whether
    the user can name columns, and by the words of their descriptions that are fields of the file, or names in the folder.
    General formats come before others.
    """
    words = _words(" ".join({*_fields(probe), *probe.names}))
    candidates = []
    for format_ in formats:
        near, place = _with_one_field(probe, format_)
        needs = format_.needs or format_.meaning
        fits = _container(probe) in _words(needs)
        n_shared = len(words & _words(f"{needs} {format_.example}"))
        is_table = format_.has_named_columns and bool(probe.first_record)
        candidates.append(((place, fits, is_table, n_shared, -format_.rank), near))
    candidates.sort(key=lambda pair: pair[0], reverse=True)
    return [near for _, near in candidates[:most]]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _with_one_field(probe: Probe, format_: Format) -> tuple[Nearest, tuple[bool, int]]:
    """The format with the only field that is missing, and how near this is; without a field if more is missing."""
    known = _fields(probe)
    example = _example_record(format_)
    fields = {*re.findall(r'"(\w+)":', format_.example)}
    shared = len(known & fields)
    nearest, place = Nearest(format_), (False, 0)
    for name in sorted(fields - known, key=lambda name: (name not in format_.needs, name)):
        instead = _similar_name(name, known)
        if (bool(instead), shared) > place and format_.detect(_ProbeWithField(probe.path, probe, name, example.get(name))):
            nearest, place = Nearest(format_, name, instead), (bool(instead), shared)
    return nearest, place


def _example_record(format_: Format) -> dict[str, Any]:
    """The first record of the example in the documentation; empty if it is not JSON."""
    start = re.search(r"[\[{]", format_.example)
    try:
        value, _ = json.JSONDecoder().raw_decode(format_.example, start.start() if start else 0)
    except ValueError:
        return {}
    record = value[0] if isinstance(value, list) and value else value
    return record if isinstance(record, dict) else {}


@dataclass(frozen=True)
class _ProbeWithField(Probe):
    """A path as it would look if its records had one more field. Nothing is read again."""

    base: Probe
    field: str
    value: Any

    @cached_property
    def head(self) -> bytes:
        """The head with the field in the first record, or in the header of a table."""
        head, name = self.base.head, self.field.encode()
        if self.suffix in TABLES:
            return head.replace(b"\n", (b"\t" if self.suffix == ".tsv" else b",") + name + b"\n", 1)
        return head.replace(b"{", b'{"%s": null, ' % name, 1)

    @cached_property
    def first_record(self) -> dict[str, Any]:
        """The first record with the field, as the example of the format has it."""
        record = self.base.first_record
        return {**record, self.field: self.value} if record else record

    @cached_property
    def outer_keys(self) -> frozenset[str]:
        """The keys with the field."""
        return self.base.outer_keys | {self.field}

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys with the field."""
        return self.base.keys | {self.field}

    @cached_property
    def is_judgments(self) -> bool:
        """As without the field, which does not change what the other fields are."""
        return self.base.is_judgments

    def keys_under(self, name: str) -> frozenset[str]:
        """The keys with the field, if there are records at all."""
        keys = self.base.keys_under(name)
        return keys | {self.field} if keys else keys


def _fields(probe: Probe) -> frozenset[str]:
    """The names of all fields or columns near the start of a file."""
    return probe.keys | {name for name in probe.first_record if name}


def _container(probe: Probe) -> str:
    """The word that formats use for what the path is."""
    if probe.path.is_dir():
        return "folder"
    return CONTAINERS.get(probe.suffix, "columns")


def _description(probe: Probe) -> str:
    """What the path is, and what it has."""
    if probe.path.is_dir():
        return f"a folder with {some_of(sorted(probe.names))}" if probe.names else "an empty folder"
    if not probe.head.strip():
        return "an empty file"
    names = list(probe.first_record) or sorted(probe.outer_keys)
    if not names:
        return f"a file that starts with {shortened(probe.head[:MAX_SHOWN].decode('utf-8', 'replace'))}"
    roles = {column: role for role, column in roles_of("queries", names).items()}
    listed = ", ".join(
        f"{shortened(name)} ({roles[name]})" if name in roles else shortened(name) for name in names[:MAX_NAMES]
    )
    what = "columns" if probe.suffix in (*TABLES, ".parquet") else "fields"
    return f"a {probe.suffix} file with the {what} {listed}{' …' if len(names) > MAX_NAMES else ''}"


def _similar_name(field: str, known: Iterable[str]) -> str:
    """The field of the file that may be a misspelling: a similar name, or a part of the name with several words."""
    near = difflib.get_close_matches(field.lower(), {name.lower(): name for name in known}, n=1, cutoff=MIN_SIMILARITY)
    within = [name for name in sorted(known) if "_" in name.strip("_") and name in field]
    return next((name for name in sorted(known) if name.lower() in near), within[0] if within else "")
