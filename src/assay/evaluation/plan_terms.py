"""The part of a plan that is about terms: which ontology has them, and what of them is searched for HPO cases."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.datasets._hpo import parse_fields
from assay.errors import BadParameter
from assay.evaluation.plan_values import parse_texts


def parse_ontology_file(given: Mapping[str, Any], where: str) -> str | None:
    """The file of an ontology; None: HPO, where its terms are judged."""
    file = given.get("ontology")
    if file is not None and (not isinstance(file, str) or not Path(file).is_file()):
        raise BadParameter(f"{where}: ontology: there is no file {file}; expected OBO, OWL or OBO Graphs")
    return file


def parse_indexed_fields(given: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """What of a term is indexed; none: all of it."""
    return parse_fields(parse_texts(given["fields"], "fields", where, "label")) if given.get("fields") else ()


def parse_label_files(given: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """Files with labels of terms in other languages; none: those of the ontology are indexed."""
    files = parse_texts(given["labels"], "labels", where, "hp-de.babelon.tsv") if given.get("labels") else []
    for file in files:
        if not Path(file).is_file():
            raise BadParameter(f"{where}: labels: {file}: no such file; expected a Babelon table")
    return tuple(files)
