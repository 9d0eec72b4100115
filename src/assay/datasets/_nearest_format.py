"""The nearest format of a file that has none: the one that a single field more would make it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from assay.datasets._format import Format, Probe

ALIKE = 0.7
"""From how much likeness on one field may have been meant for another."""


class Nearest(NamedTuple):
    """A format, the field that is missing for it, and what the file has instead."""

    format: Format
    field: str
    instead: str
    """A field of the file that is spelt much like it; empty where none is."""

    @property
    def said(self) -> str:
        """In words, for an error."""
        meant = f"; was {self.instead} meant?" if self.instead else ""
        return f"nearest is {self.format.name}, which needs a field {self.field}{meant}"


def nearest_format(probe: Probe, formats: Iterable[Format]) -> Nearest | None:
    """The format that one more field of its example would make it; None where the file has nothing in common with any."""
    known = probe.keys | _columns(probe)
    found = []
    for one in formats:
        fields = dict.fromkeys(re.findall(r'"(\w+)":', one.example))
        shared = len(known & fields.keys())
        for field in fields.keys() - known:
            instead = _spelt_like(field, known)
            if (shared or instead) and one.detect(_Imagined(probe.path, field)):
                found.append(((bool(instead), shared, one.rank, field), Nearest(one, field, instead)))
    return max(found, key=lambda pair: pair[0])[1] if found else None


@dataclass(frozen=True)
class _Imagined(Probe):
    """A path as it would look if its records had one field more."""

    field: str

    @cached_property
    def head(self) -> bytes:
        """With the field in the first record, or in the header of a table."""
        head, name = super().head, self.field.encode()
        if self.suffix in (".csv", ".tsv"):
            return head.replace(b"\n", (b"\t" if self.suffix == ".tsv" else b",") + name + b"\n", 1)
        return head.replace(b"{", b'{"%s": null, ' % name, 1)

    @cached_property
    def outer_keys(self) -> frozenset[str]:
        """With the field."""
        return super().outer_keys | {self.field}

    @cached_property
    def keys(self) -> frozenset[str]:
        """With the field."""
        return super().keys | {self.field}

    def keys_under(self, name: str) -> frozenset[str]:
        """With the field, where there are records at all."""
        found = super().keys_under(name)
        return found | {self.field} if found else found


def _columns(probe: Probe) -> frozenset[str]:
    """The names in the header of a table."""
    if probe.suffix not in (".csv", ".tsv"):
        return frozenset()
    header = probe.head.partition(b"\n")[0].decode("utf-8", "replace")
    return frozenset(name.strip(' "\r\ufeff') for name in re.split(r"[,\t;]", header))


def _spelt_like(field: str, known: Iterable[str]) -> str:
    """The field of the file that may be meant for it: spelt much alike, or a part of its name that has several words."""
    near = difflib.get_close_matches(field.lower(), {name.lower(): name for name in known}, n=1, cutoff=ALIKE)
    within = [name for name in sorted(known) if "_" in name and name in field]
    return next((name for name in sorted(known) if name.lower() in near), within[0] if within else "")
