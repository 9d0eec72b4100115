"""Grades by people: read once per state of the store, and the results and figures that they give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.comparison import Figures
from assay.errors import BadParameter, DataError
from assay.evaluation import Grades, Rejudged, Result, rejudge
from assay.model import fingerprint
from assay.store import (
    PEOPLE,
    Judgment,
    JudgmentState,
    MergedJudgments,
    combined,
    merged_from_result,
    merged_version,
    restore_ids,
)
from assay.text import counted, printable, shortened
from assay.web.page import PageRequest, address

if TYPE_CHECKING:
    from assay.datasets import BenchmarkDataset
    from assay.metrics import BoundMetric
    from assay.web.state import AppState

LAYER_PARAMETER = "judgments"
"""The parameter of an address that asks for figures with grades by people: `judgments=people`."""


class PeopleGrades(NamedTuple):
    """The grades by people on a benchmark at one point in time."""

    judgments: tuple[Judgment, ...]
    grades: Grades
    """Query → document → the combined grade."""
    version: str
    """A fingerprint of the grades: equal grades have equal versions."""

    @classmethod
    def of(cls, judgments: Sequence[Judgment]) -> PeopleGrades:
        """The grades of these judgments."""
        grades = combined(judgments)
        rows = ((query, doc, grade) for query, by_document in grades.items() for doc, grade in by_document.items())
        return cls(tuple(judgments), grades, fingerprint(rows))


def layer_of(request: PageRequest) -> str:
    """The layer of judgments that a request asks for: empty for those of the benchmark, or `people`."""
    layer = request.get(LAYER_PARAMETER)
    if layer not in ("", PEOPLE):
        raise BadParameter(f"the parameter {LAYER_PARAMETER} must be {PEOPLE} or empty, not {shortened(layer)}")
    return layer


def people_grades(state: AppState, benchmark: str) -> PeopleGrades:
    """The grades by people on a benchmark."""
    key = ("people", state.store_version(), benchmark)
    return state.judgment_cache.get(key, lambda: PeopleGrades.of(state.judgments.find(benchmark, kind=PEOPLE)))


def judgment_state(state: AppState, benchmark: str) -> JudgmentState:
    """How many grades people gave on a benchmark, by whom and until when."""
    key = ("state", state.store_version(), benchmark)
    return state.judgment_cache.get(key, lambda: state.judgments.state(benchmark))


def rejudged(state: AppState, key: str) -> Rejudged:
    """A stored result with the grades by people; it is computed once for these grades."""
    result = state.result(key)
    people = people_grades(state, result.benchmark)

    def work() -> Rejudged:
        grades = restore_ids(people.grades, _known_documents(result, people.grades))
        return rejudge(result, grades, state.datasets.judged(result, list(grades)), layer=PEOPLE)

    effect: Rejudged = state.cache.get(("rejudged", key, people.version), work)
    return effect


def _known_documents(result: Result, grades: Grades) -> dict[str, list[str]]:
    """Query with grades → all documents of it, by their own ids: ids in the store have escaped control characters."""
    queries = dict.fromkeys([*result.run, *result.query_ids])
    return {query: documents_of(result, query) for query in queries if printable(query) in grades}


def documents_of(result: Result, query: str) -> list[str]:
    """The documents that were retrieved for a query, then those that were judged."""
    by_query = (result.run, result.relevant, result.nonrelevant)
    return list(dict.fromkeys(document for known in by_query for document in known.get(query) or ()))


def effect_sentence(state: AppState, keys: Sequence[str], metric: BoundMetric, names: Sequence[str] = ()) -> str:
    """`With 3 new grades by people, ndcg@10 of new: 0.592 → 0.611; of old: 0.732, unchanged.`; empty without new grades.

    `keys` are the compared results with the candidate last, `names` how the page calls them.
    """
    effects = [rejudged(state, key) for key in keys]
    n_new = max((effect.n_new for effect in effects), default=0)
    if not n_new:
        return ""
    parts = []
    for effect, name in reversed(list(zip(effects, names or [effect.result.name for effect in effects], strict=True))):
        if metric.name not in effect.names:
            parts.append(f"of {name}: not computed, because the store does not have all that {metric.name} needs")
            continue
        before, after = (Figures().value(metric, value) for value in effect.summaries()[metric.name])
        parts.append(f"of {name}: {before}, unchanged" if before == after else f"of {name}: {before} → {after}")
    return f"With {counted(n_new, 'new grade')} by people, {metric.name} {'; '.join(parts)}."


class NewerJudgments(NamedTuple):
    """The hint that people have graded documents since the figures of a page were computed."""

    sentence: str
    url: str


def newer_hint(state: AppState, benchmark: str, layer: str = "") -> NewerJudgments | None:
    """The hint for a page about a benchmark; None without grades, or if the page uses them."""
    graded = judgment_state(state, benchmark)
    if not graded or layer == PEOPLE:
        return None
    return NewerJudgments(f"{graded.sentence} These figures do not use them.", address("/judgments", benchmark=benchmark))


def merged_judgments(state: AppState, benchmark: str) -> tuple[MergedJudgments, BenchmarkDataset | None]:
    """The judgments of a benchmark with the grades by people, and its next version if the server has its data."""
    judgments = people_grades(state, benchmark).judgments
    if not judgments:
        raise DataError(f"nobody has graded documents on {shortened(benchmark)} yet")
    on_it = [result for result in state.index.results if result.entry.benchmark == benchmark]
    newest = state.result(on_it[0].key)
    loaded = state.datasets.find(newest, "judgments")
    if loaded is None:
        return merged_from_result(newest, judgments), None
    new, merged = merged_version(loaded.dataset, judgments)
    return merged, new
