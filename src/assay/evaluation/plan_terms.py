"""The part of a plan that is about terms: which ontology has them, and what of them is searched for HPO cases."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.datasets import parse_fields
from assay.errors import BadParameter
from assay.evaluation.plan_values import parse_texts
from assay.ontology import Ontology
from assay.text import is_file


def parse_ontology_file(given: Mapping[str, Any], where: str) -> Ontology | str | None:
    """The file of an ontology, or the ontology itself where a program has it; None: HPO, where its terms are expected."""
    known = given.get("ontology")
    if isinstance(known, Ontology):
        return known
    return _existing(known, "ontology", where, "OBO, OWL or OBO Graphs")


def parse_annotation_file(given: Mapping[str, Any], where: str) -> str | None:
    """The file that says which things have which terms; None: formulas that count them are refused."""
    return _existing(given.get("annotations"), "annotations", where, "phenotype.hpoa, or lines of thing and term")


def _existing(file: Any, name: str, where: str, expected: str) -> str | None:
    """A file that is there; an address on the net is none, for nothing is downloaded."""
    if file is None:
        return None
    if isinstance(file, str) and "://" in file:
        raise BadParameter(f"{where}: {name}: {file} is an address, and assay downloads nothing; give the file you saved")
    if not isinstance(file, str | Path) or not is_file(file):
        raise BadParameter(f"{where}: {name}: there is no file {file}; expected {expected}")
    return str(file)


def parse_indexed_fields(given: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """What of a term is indexed; none: all of it."""
    return parse_fields(parse_texts(given["fields"], "fields", where, "label")) if given.get("fields") is not None else ()


def parse_label_files(given: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """Files with labels of terms in other languages; none: those of the ontology are indexed."""
    named = given.get("labels") or []
    listed = [str(one) if isinstance(one, Path) else one for one in (named if isinstance(named, list | tuple) else [named])]
    files = parse_texts(listed, "labels", where, "hp-de.babelon.tsv") if listed else []
    for file in files:
        if not is_file(file):
            raise BadParameter(f"{where}: labels: {file}: no such file; expected a Babelon table")
    return tuple(files)
