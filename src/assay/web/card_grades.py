"""Grades in a comparison: a form beside each document of a card, and what the grades by people change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from assay.comparison import ranking_of
from assay.metrics import BoundMetric
from assay.store import PEOPLE
from assay.text import printable
from assay.web.compared import Compared
from assay.web.grading import OUTCOMES, GradeForm, grade_forms, without_outcome
from assay.web.page import PageRequest
from assay.web.people_grades import effect_sentence, layer_of, people_grades
from assay.web.state import AppState

MAX_GRADED = 10
"""Ranks of a ranking whose documents can be graded in a card."""
LAYERS = {"": "of the benchmark", PEOPLE: "with grades by people"}
MORE_OUTCOMES = ("blessed", "replaced", "annotated")
"""Parameters that say what was decided."""


def card_grades(state: AppState, compared: Compared, request: PageRequest, metric: BoundMetric) -> dict[str, Any]:
    """The forms for grades in the cards, the switch between judgments, and what grades by people change."""
    keys = compared.pair_keys()
    forms: dict[tuple[str, int], Callable[[str], GradeForm]] = {}

    def form_of(query: str, side: int, document: str) -> GradeForm:
        if (query, side) not in forms:
            result = compared.original(keys[side])
            shown = [*ranking_of(result, query)[:MAX_GRADED], *result.relevant.get(query, ())]
            texts = state.datasets.texts_of(result, shown)
            forms[query, side] = grade_forms(state, keys[side], query, request.judge, texts, str(side), result)
        return forms[query, side](document)

    def return_to(query: str) -> str:
        return without_outcome(request, judgments=PEOPLE, card=query, **dict.fromkeys(MORE_OUTCOMES))

    layer, effect = layer_of(request), _effect(state, compared, keys, metric)
    gone = dict.fromkeys((*OUTCOMES, *MORE_OUTCOMES, "card", "cards"))
    layers = [(label, request.url(**gone, judgments=name), name == layer) for name, label in LAYERS.items()]
    return {"form_of": form_of, "return_to": return_to, "layers": layers if effect else [], "effect": effect}


def _effect(state: AppState, compared: Compared, keys: Sequence[str], metric: BoundMetric) -> str:
    """What grades by people change, in a sentence; kept, because large evaluations are read for it. Empty without grades."""
    if not people_grades(state, compared.original(keys[-1]).benchmark).judgments:
        return ""
    names = [printable(result.name or "run") for result in compared.report.looked_at]
    key = ("effect", tuple(keys), state.judgment_version(keys), metric.name)
    effect: str = state.judgment_cache.get(key, lambda: effect_sentence(state, keys, metric, names))
    return effect
