"""The forms of the lines of a pool and of verdicts, and of what `assay judge`, `assay answers` and `assay pool` print."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from assay.judges import DryRun, ProbeOutcome, Totals, Ungraded
from assay.schema import Count
from assay.schemas.store_forms import JudgmentForm
from assay.schemas.written_form import written_form

TotalsForm = written_form("Totals", Totals)
DryRunForm = written_form("DryRun", DryRun)
ProbeOutcomeForm = written_form("ProbeOutcome", ProbeOutcome)
UngradedForm = written_form("Ungraded", Ungraded)


class JudgingFile(msgspec.Struct):
    """The grades of a judge for a pool, the pairs without a grade, the requests, and what would be sent."""

    schema: str
    is_sent: bool
    judge: str
    settings: dict[str, Any]
    judgments: list[JudgmentForm]  # type: ignore[valid-type]
    ungraded: list[UngradedForm]  # type: ignore[valid-type]
    n_unasked: int
    n_cached: int
    ledger: TotalsForm  # type: ignore[valid-type]
    total: TotalsForm  # type: ignore[valid-type]
    dry_run: DryRunForm  # type: ignore[valid-type]
    notes: list[str]


class AnswerJudgingFile(msgspec.Struct):
    """What a judge of answers would be sent."""

    schema: str
    is_sent: bool
    judge: str
    n_items: Count
    n_guessed: Count
    dry_run: DryRunForm  # type: ignore[valid-type]
    notes: list[str]


class VerdictLine(msgspec.Struct, forbid_unknown_fields=True):
    """A line of a file of verdicts: the head, which has a schema, or a verdict about a claim, a nugget or a context."""

    schema: str | UnsetType = UNSET
    query: str | UnsetType = UNSET
    task: str | UnsetType = UNSET
    item: str | UnsetType = UNSET
    statement: str | UnsetType = UNSET
    text_digest: str | UnsetType = UNSET
    verdict: str | UnsetType | None = UNSET
    judge: str | UnsetType = UNSET
    kind: str | UnsetType = UNSET
    judged: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    draw: str | UnsetType = UNSET
    why: str | UnsetType = UNSET


class ExpectedForm(msgspec.Struct):
    """Half widths of 95 % intervals; null if the design cannot estimate it."""

    pairs: Count
    value: float | None
    difference: float | None
    minutes: float


class NeededForm(msgspec.Struct):
    """The number of judgments for a half width; null if all pairs are not enough, or the design cannot estimate it."""

    value: Count | None
    difference: Count | None


class DrawnPoolForm(msgspec.Struct):
    """The pool that was drawn and written."""

    id: str
    how: str
    seed: Count
    metric: str
    depth: Count
    benchmark: str
    is_complete: bool
    n_drawn: Count
    n_pairs: Count
    systems: list[str]
    judges: list[str]
    overlap: float
    extends: list[str]
    never_eligible: dict[str, float]
    file: str
    form: str | None


class JudgingPlanFile(msgspec.Struct):
    """How exact the estimates from judgments will be, and the pool if one was drawn."""

    schema: str
    metric: str
    how: str
    n_queries: Count
    n_pairs: Count
    rate: float
    spread: float
    expected: ExpectedForm
    width: float
    needed: NeededForm
    shares_alone: dict[str, float]
    pool: DrawnPoolForm | None


class ConfusionForm(msgspec.Struct):
    """How many pairs have this grade by people and that of the model."""

    people: float
    model: float
    n: Count


class BiasForm(msgspec.Struct):
    """The mean of model minus people over a group of pairs, with a 95 % interval."""

    group: str
    n_pairs: Count
    bias: float | None
    low: float | None
    high: float | None
    is_few: bool


class RepeatedForm(msgspec.Struct):
    """How many pairs a judge graded again, and how many got the same grade."""

    n_pairs: Count
    n_same: Count


class ProbeFigureForm(msgspec.Struct):
    """How the grades of a judge change with a change of the text; null if a figure is undefined."""

    probe: str
    meaning: str
    n_pairs: Count
    change: float | None
    low: float | None
    high: float | None
    n_changed: Count
    n_raised: Count
    n_lowered: Count
    n_to_relevant: Count
    kappa: dict[str, float | None]
    p: float | None
    corrected_p: float | None
    is_found: bool
    is_few: bool


class ProbesFile(msgspec.Struct):
    """The probes of a judge: the grades of pairs before and after a change, and what would be sent."""

    schema: str
    is_sent: bool
    judge: str
    benchmark: str
    seed: Count
    probed: str
    settings: dict[str, Any]
    n_pairs: Count
    planned: dict[str, Count]
    outcomes: list[ProbeOutcomeForm]  # type: ignore[valid-type]
    ungraded: dict[str, Count]
    n_unasked: int
    n_cached: int
    ledger: TotalsForm  # type: ignore[valid-type]
    total: TotalsForm  # type: ignore[valid-type]
    dry_run: DryRunForm  # type: ignore[valid-type]
    notes: list[str]
    figures: list[ProbeFigureForm]


class CalibrationFile(msgspec.Struct):
    """The grades of a model compared with those of people."""

    schema: str
    judge: str
    benchmark: str
    n_pairs: Count
    is_few: bool
    confusion: list[ConfusionForm]
    kappa: dict[str, float | None]
    weighted_kappa: dict[str, float | None]
    binary_kappa: dict[str, float | None]
    bias: BiasForm
    groups: dict[str, list[BiasForm]]
    repeated: RepeatedForm | None
    probes: list[ProbeFigureForm]


class PoolLine(msgspec.Struct, forbid_unknown_fields=True):
    """A line of a pool: the head, which has a schema, or a pair, which has a query and a document."""

    schema: str | UnsetType = UNSET
    id: str | UnsetType = UNSET
    how: str | UnsetType = UNSET
    seed: Count | UnsetType = UNSET
    metric: str | UnsetType = UNSET
    depth: Count | UnsetType = UNSET
    benchmark: str | UnsetType = UNSET
    is_complete: bool | UnsetType = UNSET
    n_drawn: Count | UnsetType = UNSET
    n_pairs: Count | UnsetType = UNSET
    systems: list[str] | UnsetType = UNSET
    queries: list[str] | UnsetType = UNSET
    judges: list[str] | UnsetType = UNSET
    overlap: Annotated[float, msgspec.Meta(ge=0, le=1)] | UnsetType = UNSET
    guidelines: str | UnsetType = UNSET
    query: str | UnsetType = UNSET
    document: str | UnsetType = UNSET
    probability: Annotated[float, msgspec.Meta(gt=0, le=1)] | UnsetType = UNSET
    place: Count | UnsetType = UNSET
