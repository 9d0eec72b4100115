"""The forms of lists of results, of judgments, and of benchmarks in one file."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from assay.model import Document, Query, RelevanceJudgment, Span
from assay.schemas.written_form import Optional, written_form
from assay.store import JudgeAgreement, Judgment, QueryNote, Undecided


class StoredFigure(msgspec.Struct):
    """The value of a metric, with its interval."""

    value: float | None
    low: float | None
    high: float | None
    n: int


class Entry(msgspec.Struct):
    """A stored result."""

    evaluation: str
    saved: str
    started: str
    benchmark: str
    provider: str
    n_queries: int
    rows_are: str
    n_failed: int
    dataset: str
    is_failed: bool
    figures: dict[str, StoredFigure]
    tags: list[str]
    baselines: list[str]


class ResultsFile(msgspec.Struct):
    """The results in a store."""

    schema: str
    results: list[Entry]


JudgmentForm = written_form("Judgment", Judgment)
UndecidedForm = written_form("Undecided", Undecided)
NoteForm = written_form("QueryNote", QueryNote)
AgreementForm = written_form("JudgeAgreement", JudgeAgreement, same=float)


class DisagreementForm(msgspec.Struct):
    """A pair that people graded differently, and the grade that settles it; null if it is open."""

    benchmark: str
    query: str
    document: str
    grades: list[JudgmentForm]  # type: ignore[valid-type]
    settled: JudgmentForm | None  # type: ignore[valid-type]
    query_text: str | UnsetType = UNSET


class JudgeStatusForm(msgspec.Struct):
    """A judge with the number of grades, and the time of the newest."""

    judge: str
    n_grades: int
    newest: str


class LayerStatusForm(msgspec.Struct):
    """The grades of one kind of judges, and what they count for."""

    kind: str
    judges: list[JudgeStatusForm]
    n_pairs: int
    n_grades: int
    use: str


class SystemStatusForm(msgspec.Struct):
    """The shares of the first ten documents of a system that are judged, and that people have graded."""

    name: str
    n_documents: int
    judged: float | None
    by_people: float | None


class WidthsForm(msgspec.Struct):
    """Half widths of 95 % intervals."""

    value: float | None
    difference: float | None


class PoolStatusForm(msgspec.Struct):
    """How much of a pool is judged, how exact the estimates are now, and after the next judgments."""

    id: str
    how: str
    metric: str
    n_drawn: int
    n_judged: int
    now: WidthsForm
    n_next: int
    after: WidthsForm
    reason: str
    n_left: int
    next_step: str
    compare: str


class JudgingStatusForm(msgspec.Struct):
    """What is judged on a benchmark."""

    benchmark: str
    layers: list[LayerStatusForm]
    systems: list[SystemStatusForm]
    pools: list[PoolStatusForm]


class JudgmentsFile(msgspec.Struct):
    """The judgments in a store, the agreement or disagreements of judges, the notes on queries, or what is judged."""

    schema: str
    judgments: list[JudgmentForm] | UnsetType = UNSET  # type: ignore[valid-type]
    undecided: list[UndecidedForm] | UnsetType = UNSET  # type: ignore[valid-type]
    disagreements: list[DisagreementForm] | UnsetType = UNSET
    agreement: list[AgreementForm] | UnsetType = UNSET  # type: ignore[valid-type]
    alpha: dict[str, Any] | UnsetType | None = UNSET
    notes: list[NoteForm] | UnsetType = UNSET  # type: ignore[valid-type]
    status: list[JudgingStatusForm] | UnsetType = UNSET


class WatchFile(msgspec.Struct):
    """The alerts that were sent: channel → their keys."""

    schema: str
    told: dict[str, list[str]]


def _filled(record: type[Any], *required: str) -> type[msgspec.Struct]:
    """A record without the fields that have no value."""
    form = written_form("", record)
    fields = {field.name: str if field.name in TIMES else field.type for field in msgspec.structs.fields(form)}
    return written_form(
        record.__name__, record, **{name: Optional(kind) for name, kind in fields.items() if name not in required}
    )


TIMES = ("time", "valid_from", "valid_to")
"""Fields with a day or a moment, as text."""
QueryForm = _filled(Query, "query_id")
DocumentForm = _filled(Document, "doc_id")
JudgedForm = _filled(RelevanceJudgment, "query_id", "doc_id", "relevance_grade")
SpanForm = _filled(Span, "doc_id")


class BenchmarkFile(msgspec.Struct):
    """A benchmark."""

    metadata: dict[str, Any]
    queries: dict[str, QueryForm]  # type: ignore[valid-type]
    documents: dict[str, DocumentForm]  # type: ignore[valid-type]
    qrels: dict[str, dict[str, float]]
    judgments: list[JudgedForm] | UnsetType = UNSET  # type: ignore[valid-type]
    spans: dict[str, list[SpanForm]] | UnsetType = UNSET  # type: ignore[valid-type]
