"""Translations: labels, synonyms and definitions of terms in other languages, as Babelon tables have them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from assay.datasets._source import FileSource
from assay.errors import DataError, Faults

COLUMNS = ("translation_language", "subject_id", "predicate_id", "translation_value")
"""What a Babelon table needs; all its other columns are left alone."""
LABELS = {"rdfs:label", "http://www.w3.org/2000/01/rdf-schema#label"}
DEFINITIONS = {"iao:0000115", "http://purl.obolibrary.org/obo/iao_0000115", "skos:definition"}
SYNONYMS = ("exactsynonym", "relatedsynonym", "broadsynonym", "narrowsynonym", "altlabel")
"""How the names of predicates of synonyms end: `oio:hasExactSynonym`, `oboInOwl:hasExactSynonym` or its address."""
NOT_TRANSLATED = "NOT_TRANSLATED"
"""The status of a row that only keeps a place."""


@dataclass
class Translated:
    """One term in another language; what the table does not say is empty."""

    label: str = ""
    synonyms: list[str] = field(default_factory=list)
    definition: str = ""


class Translation(NamedTuple):
    """The terms of one language, and the file they are from."""

    language: str
    terms: Mapping[str, Translated]
    source: str


def read_translations(path: str | Path) -> dict[str, Translation]:
    """Language → its translation, from a Babelon table (TSV, plain or compressed).

    Rows without a value, or with the status NOT_TRANSLATED, are passed over; so are other predicates. A second label of a
    term counts as a synonym.
    """
    source = FileSource.at(Path(path))
    rows, faults = _rows(source), Faults(source.label)
    found: dict[str, dict[str, Translated]] = {}
    for number, row in rows:
        value = " ".join((row["translation_value"] or "").split())
        if not value or (row.get("translation_status") or "").strip().upper() == NOT_TRANSLATED:
            continue
        language = (row["translation_language"] or "").strip().lower().partition("-")[0].partition("_")[0]
        term = (row["subject_id"] or "").strip()
        if not language or not term:
            faults.add(number, "expected a translation_language and a subject_id, found none")
            continue
        one = found.setdefault(language, {}).setdefault(term, Translated())
        _put(one, (row["predicate_id"] or "").strip().lower(), value)
    faults.raise_if_any()
    return {language: Translation(language, terms, source.path.name) for language, terms in found.items()}


def read_translation(path: str | Path, language: str) -> Translation:
    """The translation into one language; an error that says which languages the file has, where it has not this one."""
    found = read_translations(path)
    known = {code: one for code, one in found.items() if any(term.label for term in one.terms.values())}
    if language not in known:
        there = f"labels in {', '.join(sorted(known))}" if known else "no labels"
        raise DataError(f"{path}: expected labels with the translation_language {language}, found {there}")
    return known[language]


def _rows(source: FileSource) -> Iterator[tuple[int, Mapping[str, str | None]]]:
    """Each row with the number of its line; tabs alone divide, and quotes are letters like any other."""
    try:
        text = source.content().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{source.label}: expected UTF-8, found a byte that is not at {error.start}") from None
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        given = ", ".join(reader.fieldnames or ()) or "nothing"
        raise DataError(f"{source.label}:1: expected a Babelon table with the columns {', '.join(COLUMNS)}, found {given}")
    return ((reader.line_num, row) for row in reader)


def _put(one: Translated, predicate: str, value: str) -> None:
    """Keep a value where it belongs, if anywhere."""
    if predicate in LABELS and not one.label:
        one.label = value
    elif predicate in DEFINITIONS:
        one.definition = one.definition or value
    elif predicate in LABELS or predicate.endswith(SYNONYMS):
        one.synonyms += [value] if value not in (one.label, *one.synonyms) else []
