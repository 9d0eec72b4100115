"""Saved interleavings: what a service wrote into its log, checked when it is read."""

from __future__ import annotations

from typing import Any

import msgspec

from assay.errors import DataError
from assay.experiments.interleaving import NOBODY, A, B, Interleaving
from assay.text import shortened


def parse_interleaving(record: Any) -> Interleaving:
    """An interleaving from a map or from JSON text."""
    try:
        is_text = isinstance(record, str | bytes)
        parsed = msgspec.json.decode(record, type=Interleaving) if is_text else msgspec.convert(record, Interleaving)
    except msgspec.ValidationError as error:
        raise DataError(f"expected an interleaving as to_dict writes it: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise DataError(f"expected an interleaving as JSON, found {shortened(str(record))}") from None
    if problem := _problem(parsed):
        raise DataError(f"the interleaving of query {shortened(parsed.query)} is not valid: {problem}")
    return parsed


def _problem(parsed: Interleaving) -> str:
    """What is wrong; empty if nothing is."""
    n = len(parsed.ranking)
    if not n == len(parsed.teams) == len(parsed.ranks_a) == len(parsed.ranks_b):
        return "ranking, teams, ranks_a and ranks_b must have the same length"
    if len(set(parsed.ranking)) < n:
        return "a document appears twice"
    if wrong := set(parsed.teams) - {A, B, NOBODY}:
        return f"a team must be {A}, {B} or empty, not {min(wrong)!r}"
    for ranks, size in zip((parsed.ranks_a, parsed.ranks_b), parsed.sizes, strict=True):
        known = [rank for rank in ranks if rank is not None]
        if len(set(known)) < len(known) or any(not 1 <= rank <= size for rank in known):
            return f"ranks must be different whole numbers from 1 to {size}"
    if any(a is None and b is None for a, b in zip(parsed.ranks_a, parsed.ranks_b, strict=True)):
        return "a document has no rank in either ranking"
    return ""
