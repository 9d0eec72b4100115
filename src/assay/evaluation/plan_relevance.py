"""Relevance in a plan: `relevance: token`, or a map of `by`, `unit` and `id_map`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.errors import BadParameter
from assay.evaluation.judging import Relevance
from assay.evaluation.plan_terms import parse_annotation_file, parse_ontology_file
from assay.relevance import parse_resolver
from assay.text import is_file


def parse_relevance(given: Mapping[str, Any], where: str) -> Relevance:
    """What counts as relevant: by what, in which unit, with which map of ids and which ontology."""
    given = _with_relevance_apart(given, where)
    by, unit, id_map = given.get("relevance", "auto"), given.get("unit", "as_retrieved"), given.get("id_map")
    if not isinstance(by, str) or not isinstance(unit, str) or not isinstance(id_map, str | Mapping | None):
        raise BadParameter(f"{where}: relevance and unit are names, and id_map is a file or a map")
    if by.strip() != "auto":
        parse_resolver(by)
    if isinstance(id_map, str) and not is_file(id_map):
        raise BadParameter(f"{where}: id_map: {id_map}: no such file; expected one that maps chunks to documents")
    return Relevance(by, unit, id_map, {}, parse_ontology_file(given, where), parse_annotation_file(given, where))


def _with_relevance_apart(given: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """What `relevance: {by: token, unit: document}` says, as keys of their own, which is the other way to write it."""
    block = given.get("relevance")
    if not isinstance(block, Mapping):
        return given
    known = ("by", "unit", "id_map")
    if strange := [str(key) for key in block if key not in known]:
        raise BadParameter(f"{where}: relevance: {', '.join(strange)} is not known; there are {', '.join(known)}")
    if twice := [key for key in ("unit", "id_map") if key in block and key in given]:
        raise BadParameter(f"{where}: {', '.join(twice)} stands beside relevance and in it; write it once")
    others = {key: value for key, value in given.items() if key != "relevance"}
    return others | {"relevance" if key == "by" else key: value for key, value in block.items()}


def describe_relevance(relevance: Relevance) -> dict[str, Any]:
    """The same in plain values, as provenance keeps it."""
    id_map = relevance.id_map
    known = {} if id_map is None else {"id_map": dict(id_map) if isinstance(id_map, Mapping) else str(id_map)}
    terms = {name: str(file) for name in ("ontology", "annotations") if (file := getattr(relevance, name)) is not None}
    return {"by": relevance.by, "unit": relevance.unit, **known, **terms, **relevance.defaults}
