"""Translations: labels, synonyms and definitions of terms in other languages, from Babelon tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from assay.errors import DataError, Faults
from assay.files import FileSource
from assay.ontology.ontology import UNKNOWN, Ontology

COLUMNS = ("translation_language", "subject_id", "predicate_id", "translation_value")
"""The required columns of a Babelon table; other columns are ignored."""
LABELS = {"rdfs:label", "http://www.w3.org/2000/01/rdf-schema#label"}
DEFINITIONS = {"iao:0000115", "http://purl.obolibrary.org/obo/iao_0000115", "skos:definition"}
SYNONYMS = ("exactsynonym", "relatedsynonym", "broadsynonym", "narrowsynonym", "altlabel")
"""Ends of the predicates of synonyms: `oio:hasExactSynonym`, `oboInOwl:hasExactSynonym` or its IRI."""
NOT_TRANSLATED = "NOT_TRANSLATED"
"""The status of a placeholder row."""
OFFICIAL = "OFFICIAL"
"""The status of a preferred row: a label with any other status is then a synonym."""


@dataclass
class Translated:
    """One term in another language; fields that the table does not have are empty."""

    label: str = ""
    synonyms: list[str] = field(default_factory=list)
    definition: str = ""
    is_official: bool = False
    """Whether the label is official."""

    def name(self, label: str, *, is_official: bool) -> None:
        """Add a label. The first label stays, unless only the new one is official; the other one becomes a synonym."""
        if not self.label or (is_official and not self.is_official):
            label, self.label, self.is_official = self.label, label, is_official
        self.synonyms = [synonym for synonym in self.synonyms if synonym != self.label]
        self.call(label)

    def call(self, synonym: str) -> None:
        """Add a synonym, if it is new."""
        if synonym and synonym not in (self.label, *self.synonyms):
            self.synonyms.append(synonym)

    def join(self, other: Translated) -> None:
        """Add everything from another translation of the term; existing values are kept."""
        for label in filter(None, [other.label]):
            self.name(label, is_official=other.is_official)
        for synonym in other.synonyms:
            self.call(synonym)
        self.definition = self.definition or other.definition


class Translation(NamedTuple):
    """The terms in one language, and the name of their file."""

    language: str
    terms: Mapping[str, Translated]
    source: str

    def resolved(self, ontology: Ontology) -> Translation:
        """The same translation with the ids of current terms: other spellings, alternative and replaced ids are resolved,
        and entries with several ids of one term are merged, its main id first. Ids that are not terms are unchanged.
        """
        terms: dict[str, Translated] = {}
        for term in sorted(self.terms, key=lambda term: term not in ontology.number):
            number = ontology.find(term).number
            terms.setdefault(term if number == UNKNOWN else ontology.ids[number], Translated()).join(self.terms[term])
        return self._replace(terms=terms)


def read_translations(path: str | Path) -> dict[str, Translation]:
    """Language → its translation, from a Babelon table (TSV, plain or compressed).

    Rows without a value, with the status NOT_TRANSLATED or with other predicates are ignored. A second label of a term
    counts as a synonym; an OFFICIAL label is always the label, wherever it is in the table.
    """
    source = FileSource.at(Path(path))
    rows, faults = _rows(source), Faults(source.label)
    terms_by_language: dict[str, dict[str, Translated]] = {}
    for number, row in rows:
        value, status = " ".join(row["translation_value"].split()), row.get("translation_status", "").strip().upper()
        if not value or status == NOT_TRANSLATED:
            continue
        language = row["translation_language"].strip().lower().partition("-")[0].partition("_")[0]
        term = row["subject_id"].strip()
        if not language or not term:
            faults.add(number, "expected a translation_language and a subject_id, found an empty value")
            continue
        translated = terms_by_language.setdefault(language, {}).setdefault(term, Translated())
        _add_value(translated, row["predicate_id"].strip().lower(), value, is_official=status == OFFICIAL)
    faults.raise_if_any()
    return {language: Translation(language, terms, source.path.name) for language, terms in terms_by_language.items()}


def read_translation(path: str | Path, language: str) -> Translation:
    """The translation into one language; if the file does not have it, an error lists the languages of the file."""
    translations = read_translations(path)
    known = {
        code: translation
        for code, translation in translations.items()
        if any(term.label for term in translation.terms.values())
    }
    if language not in known:
        there = f"labels in {', '.join(sorted(known))}" if known else "no labels"
        raise DataError(f"expected labels with the translation_language {language}, found {there}", source=path)
    return known[language]


def _rows(source: FileSource) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Each row with its line number. Only tabs separate columns, and quotes have no special meaning. Missing values at the
    end of a row are empty.
    """
    try:
        text = source.content().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"expected UTF-8, found an invalid byte at position {error.start}", source=source.label) from None
    lines = re.split("\r\n|\r|\n", text)
    names = lines[0].split("\t")
    if not set(COLUMNS) <= set(names):
        columns = ", ".join(filter(None, names)) or "nothing"
        raise DataError(
            f"expected a Babelon table with the columns {', '.join(COLUMNS)}, found {columns}", source=source.label, line=1
        )
    return (
        (number, dict(zip_longest(names, line.split("\t")[: len(names)], fillvalue="")))
        for number, line in enumerate(lines[1:], 2)
        if line
    )


def _add_value(translated: Translated, predicate: str, value: str, *, is_official: bool) -> None:
    """Store a value in the field of its predicate; other predicates are ignored."""
    if predicate in LABELS:
        translated.name(value, is_official=is_official)
    elif predicate in DEFINITIONS:
        translated.definition = translated.definition or value
    elif predicate.endswith(SYNONYMS):
        translated.call(value)
