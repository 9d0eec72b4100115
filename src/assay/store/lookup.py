"""Lookup: the results that a reference means, in a file or in the store; and the baseline of a name, if there is one.

The gate, watch and the pytest plug-in all use it, so that a name means the same everywhere.
"""

from __future__ import annotations

from pathlib import Path

from assay.errors import DataError, UnknownName
from assay.evaluation import read_results
from assay.files import check_not_empty, is_saved_result
from assay.store.location import parse_location
from assay.store.lookup_result import LookupResult
from assay.store.references import is_baseline_name, looks_like_file
from assay.store.store import Store

REFERENCE_KIND = "stored evaluation"
MAX_NAMES = 3


def find_results(reference: str, store: str | Path | None = None) -> LookupResult:
    """Results from a saved file, else from an evaluation in the store; a reference that looks like a file must be a file."""
    check_not_empty(reference)
    if is_saved_result(reference):
        return LookupResult(tuple(read_results(reference)), reference)
    if _must_be_file(reference, store):
        raise _missing_file_error(reference)
    try:
        with Store.open(store, create=False) as opened:
            evaluation = opened.find(reference)
            newer = opened.judgments.newer_notes(result.benchmark for result in evaluation.results)
    except UnknownName as error:
        if error.kind == REFERENCE_KIND and looks_like_file(_name(reference)):
            raise _missing_file_error(reference) from None
        raise
    day, providers = evaluation.started[:10], list(dict.fromkeys(result.name for result in evaluation.results))
    who = ", ".join(providers[:MAX_NAMES]) + (" …" if len(providers) > MAX_NAMES else "")
    return LookupResult(evaluation.results, f"{reference} ({day}, {who})", evaluation.id, tuple(newer))


def find_baseline(reference: str, store: str | Path | None = None) -> tuple[LookupResult | None, str]:
    """The baseline, or None if none was blessed under that name yet, and then similar names.

    A reference that cannot be the name of a baseline (`latest~7` of a smaller store, a missing file) is a DataError.
    """
    name = _name(reference)
    if is_baseline_name(name) and not is_saved_result(reference) and not parse_location(store).exists:
        return None, ""
    try:
        return find_results(reference, store), ""
    except UnknownName as error:
        if error.kind != REFERENCE_KIND:
            raise
        if not is_baseline_name(name):
            raise DataError(f"{reference!r} is not the name of a baseline, and {error}") from None
        return None, f" (did you mean {' or '.join(error.near)}?)" if error.near else ""


def _name(reference: str) -> str:
    return reference.partition("#")[0]


def _must_be_file(reference: str, store: str | Path | None) -> bool:
    """Whether the reference can only mean a file, because there is no store."""
    return looks_like_file(_name(reference)) and not parse_location(store).exists


def _missing_file_error(reference: str) -> DataError:
    place = Path(_name(reference))
    if not place.exists() and not Path(reference).exists():
        return DataError("no such file", source=reference)
    return DataError("this is not a saved result. To write one: assay eval … -o result.json", source=reference)
