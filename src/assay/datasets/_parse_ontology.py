"""parse_ontology: the content of an OBO, OWL or OBO Graphs file, read with pronto, becomes an ontology."""

from __future__ import annotations

import io
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from assay.datasets._ontology_graphs import without_dangling_parents
from assay.errors import DataError, UsageError
from assay.ontology import Ontology, Synonym, TermRecord, build_ontology
from assay.text import counted, install_command, shortened, some_of

INSTALL = install_command("hpo")
EXPECTED = "is not an ontology that can be read, expected OBO, OWL or OBO Graphs"
_TERM_ID = re.compile(rb"^\[Term\][^\n]*\n\s*id:[ \t]*(\S+)", re.MULTILINE)


def parse_ontology(content: bytes, label: str) -> Ontology:
    """The ontology, under the name that it gives itself, if any. Errors name the file by its label.

    Parents that the file does not define are left out, with a note; other ontologies that it imports are not fetched.
    """
    _refuse_twice(content, label)
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
        raise DataError(f"{label}: {EXPECTED}: {type(error).__name__}: {shortened(str(error), 200)}") from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # how pyo3 tells that Rust code gave up; no subclass of Exception
            raise
        raise DataError(f"{label}: {EXPECTED}; its reader gave up: {shortened(str(error), 200)}") from None
    name, version = _name(read.metadata.ontology), _version(read.metadata.data_version)
    return build_ontology(records, name, version, label=label, missing=missing)


def _refuse_twice(content: bytes, label: str) -> None:
    """Several terms with one id are refused: pronto makes one term of them, and the last label wins."""
    twice = [one.decode("utf-8", "replace") for one, n in Counter(_TERM_ID.findall(content)).items() if n > 1]
    if twice:
        raise DataError(f"{label}: {counted(len(twice), 'term')} defined twice: {some_of(twice)}")


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
    parser = next((one for one in BaseParser.__subclasses__() if one.can_parse("", content[:10_000])), None)
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


def _synonyms(given: Iterable[Any]) -> tuple[Synonym, ...]:
    """Each once, those that mean exactly the term first; their order in a file is not kept by pronto."""
    found = {Synonym(_line(one.description), str(one.scope or "RELATED")) for one in given}
    return tuple(sorted(found, key=lambda one: (one.scope != "EXACT", one.text, one.scope)))


def _line(text: object) -> str:
    """A text in one line."""
    return " ".join(str(text).split()) if text else ""


def _name(given: str | None) -> str:
    """`hp` for `hp.obo` and for its address; empty where the ontology does not say."""
    return (given or "").rstrip("/").rpartition("/")[2].partition(".")[0]


def _version(given: str | None) -> str:
    """`2025-01-16` of `hp/releases/2025-01-16/hp.owl`."""
    parts = [part for part in (given or "").split("/") if any(letter.isdigit() for letter in part)]
    return parts[-1] if parts else given or ""
