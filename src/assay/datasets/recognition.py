"""Recognition: which format a file or folder has, and which formats come nearest if it has none."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from assay.datasets.format import Format, all_formats, loader_of
from assay.datasets.probe import Probe
from assay.errors import DataError
from assay.text import is_file


def looks_like(format_: Format, benchmark: str) -> bool:
    """Whether a benchmark, by name or path, has this format: a bundled one, or a file that looks like it."""
    path = Path(benchmark)
    return loader_of(benchmark.partition(":")[0]) is format_ or (is_file(path) and format_.detect(Probe(path)))


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
