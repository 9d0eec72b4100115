"""Layers: the grades of people and of a model, which are never mixed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.errors import BadParameter
from assay.model import Qrels
from assay.store import Judgment, combined

Grades = Mapping[str, Mapping[str, float]]
"""Query → document → grade."""
PEOPLE, MODEL = "people", "model"


def as_grades(grades: Any, layer: str) -> Grades:
    """Query → document → grade, from nested mappings, Qrels, anything that judgments are read from, or stored judgments.

    Stored judgments must be of the layer. Several grades for a pair become their lower median.
    """
    if isinstance(grades, Iterable) and not isinstance(grades, str | Mapping | Qrels):
        listed = list(grades)
        if listed and all(isinstance(judgment, Judgment) for judgment in listed):
            _check_layer(listed, layer)
            return combined(listed)
        grades = listed
    qrels = grades if isinstance(grades, Qrels) else Qrels(grades)
    return {query: qrels[query] for query in qrels}


def _check_layer(judgments: Iterable[Judgment], layer: str) -> None:
    """Raise if judgments of another layer are among these."""
    for judgment in judgments:
        if (judgment.kind == PEOPLE) != (layer == PEOPLE):
            raise BadParameter(
                f"the judgments of {layer} include one by {judgment.judge_label} (query {judgment.query}, document "
                f"{judgment.document}). People and models are separate layers: pass each as its own argument"
            )
