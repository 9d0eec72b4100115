"""Translations: labels, synonyms and definitions of terms in other languages, as Babelon tables have them."""

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
"""What a Babelon table needs; all its other columns are left alone."""
LABELS = {"rdfs:label", "http://www.w3.org/2000/01/rdf-schema#label"}
DEFINITIONS = {"iao:0000115", "http://purl.obolibrary.org/obo/iao_0000115", "skos:definition"}
SYNONYMS = ("exactsynonym", "relatedsynonym", "broadsynonym", "narrowsynonym", "altlabel")
"""How the names of predicates of synonyms end: `oio:hasExactSynonym`, `oboInOwl:hasExactSynonym` or its address."""
NOT_TRANSLATED = "NOT_TRANSLATED"
"""The status of a row that only keeps a place."""
OFFICIAL = "OFFICIAL"
"""The status of a row that goes before others: a label of any other status is then a synonym."""


@dataclass
class Translated:
    """One term in another language; what the table does not say is empty."""

    label: str = ""
    synonyms: list[str] = field(default_factory=list)
    definition: str = ""
    is_official: bool = False
    """Whether the label is."""

    def name(self, label: str, *, is_official: bool) -> None:
        """Take a label. The first one stays, unless it was not official and this one is; the other is a synonym."""
        if not self.label or (is_official and not self.is_official):
            label, self.label, self.is_official = self.label, label, is_official
        self.synonyms = [synonym for synonym in self.synonyms if synonym != self.label]
        self.call(label)

    def call(self, synonym: str) -> None:
        """Take a synonym, if it is news."""
        if synonym and synonym not in (self.label, *self.synonyms):
            self.synonyms.append(synonym)

    def join(self, other: Translated) -> None:
        """Take all that is known of another; what is known already goes before it."""
        for label in filter(None, [other.label]):
            self.name(label, is_official=other.is_official)
        for synonym in other.synonyms:
            self.call(synonym)
        self.definition = self.definition or other.definition


class Translation(NamedTuple):
    """The terms of one language, and the file they are from."""

    language: str
    terms: Mapping[str, Translated]
    source: str

    def resolved(self, ontology: Ontology) -> Translation:
        """The same under the ids of current terms: other spellings, alternative and replaced ids are followed, and what
        several ids say of one term is put together, the term's own id first. Ids that are no terms stay as they are.
        """
        terms: dict[str, Translated] = {}
        for term in sorted(self.terms, key=lambda term: term not in ontology.number):
            number = ontology.find(term).number
            terms.setdefault(term if number == UNKNOWN else ontology.ids[number], Translated()).join(self.terms[term])
        return self._replace(terms=terms)


def read_translations(path: str | Path) -> dict[str, Translation]:
    """Language → its translation, from a Babelon table (TSV, plain or compressed).

    Rows without a value, or with the status NOT_TRANSLATED, are passed over; so are other predicates. A second label of a
    term counts as a synonym; the OFFICIAL one is the label, wherever it stands.
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
            faults.add(number, "expected a translation_language and a subject_id, found none")
            continue
        translated = terms_by_language.setdefault(language, {}).setdefault(term, Translated())
        _add_value(translated, row["predicate_id"].strip().lower(), value, is_official=status == OFFICIAL)
    faults.raise_if_any()
    return {language: Translation(language, terms, source.path.name) for language, terms in terms_by_language.items()}


def read_translation(path: str | Path, language: str) -> Translation:
    """The translation into one language; an error that says which languages the file has, where it has not this one."""
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
    """Each row with the number of its line; tabs alone divide, and quotes are letters like any other. What a short row
    lacks is empty.
    """
    try:
        text = source.content().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"expected UTF-8, found a byte that is not at {error.start}", source=source.label) from None
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
    """Keep a value where it belongs, if anywhere."""
    if predicate in LABELS:
        translated.name(value, is_official=is_official)
    elif predicate in DEFINITIONS:
        translated.definition = translated.definition or value
    elif predicate.endswith(SYNONYMS):
        translated.call(value)
