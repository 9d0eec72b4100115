"""Lines of TREC files, read as pytrec_eval reads them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from assay.errors import DataError, Faults
from assay.model import all_text


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Query → document → score, from the lines of a TREC run: query Q0 document rank score tag."""
    return _parse_lines(f_run, "run", n_columns=6, column=4, convert=float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Query → document → grade, from the lines of TREC judgments: query 0 document grade."""
    return _parse_lines(f_qrel, "qrel", n_columns=4, column=3, convert=int)


def _parse_lines(lines: Iterable[str], kind: str, n_columns: int, column: int, convert: Callable[[str], Any]) -> Any:
    """Query → document → value; every line that cannot be used is named, up to twenty of them."""
    if isinstance(lines, str | bytes):
        raise DataError(f"parse_{kind} reads an open file or a list of lines, not one text; pass text.splitlines()")
    faults = Faults(str(getattr(lines, "name", kind)))
    parsed: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) == n_columns:
            known, doc = parsed[fields[0]], fields[2]
            try:
                value = convert(fields[column])
                if doc not in known and value == value:  # nan alone differs from itself
                    known[doc] = value
                    continue
            except ValueError:
                pass
        if fields:
            faults.add(number, _fault(fields, n_columns, column, parsed))
        if faults.full:
            break
    faults.raise_if_any()
    if not all_text(parsed):
        raise DataError(f"{faults.source}: the lines are bytes; open the file in text mode")
    return parsed


def _fault(fields: list[str], n_columns: int, column: int, parsed: Mapping[str, Mapping[str, Any]]) -> str:
    if len(fields) != n_columns:
        return f"expected {n_columns} columns, found {len(fields)}"
    if fields[2] in parsed[fields[0]]:
        return f"document {fields[2]} appears twice for query {fields[0]}"
    return f"expected {'a whole number as grade' if n_columns == 4 else 'a score'}, found {fields[column]!r}"
