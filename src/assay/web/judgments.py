"""Judgments: the documents of a query for grading, the grades of others, and the effect of all grades."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.comparison import Figures
from assay.evaluation import Rejudged, Result
from assay.model import Rankings, Run
from assay.reports import Cell, Column, Mark, Table, columns, number, words
from assay.store import Judgment, PanelAgreement, digest_of_text, judge_agreements, panel_agreement
from assay.text import percent, printable
from assay.web.documents import ServedDatasets
from assay.web.grading import GRADES, JudgeGrade, own_grades
from assay.web.page import PageRequest
from assay.web.people_grades import people_grades, rejudged
from assay.web.state import AppState

ABOUT_KAPPA = (
    "κ is 1 if two judges always agree, and 0 if they agree as often as by chance. "
    "The weighted κ counts a small difference between grades less than a large one. In brackets: the 95 % interval."
)
MAX_DOCUMENTS = 10
"""Documents without a grade that are shown at once, the best ranked first."""


@dataclass(frozen=True)
class ToJudge:
    """A retrieved document without a judgment in the benchmark."""

    number: int
    """The number of its fields in the form."""
    document: str
    rank: int
    text: str
    grades: tuple[JudgeGrade, ...]
    chosen: str = ""
    """The selected grade: the one that the current judge gave or tried to give."""
    reason: str = ""
    is_mine: bool = False
    """Whether the current judge has a grade to remove."""
    text_digest: str = ""
    """The digest of the text that is shown."""


@dataclass(frozen=True)
class Draft:
    """A form that could not be saved: the problem, and the values that were filled in."""

    problem: str
    judge: str
    filled: Mapping[str, tuple[str, str]]
    """Document (as printed) → grade and reason."""


@dataclass(frozen=True)
class Judging:
    """Everything that the judging panel on a query's page shows."""

    key: str
    """The key of the result."""
    query: str
    judge: str
    """The name of the judge, if it is known."""
    grades: Mapping[int, str]
    documents: tuple[ToJudge, ...]
    """The documents without a grade, a few at a time."""
    graded: tuple[ToJudge, ...]
    """The documents with a grade."""
    n_open: int
    """The number of documents without a grade."""
    start: int
    """The place of the first shown document, from 0."""
    is_complete: bool
    """Whether all judgments of the benchmark are known, not only its relevant documents."""
    effect: Table | None
    agreement: Table | None
    problem: str = ""

    @property
    def before(self) -> int | None:
        """The place of the previous page of documents, counted from 1; None if there is none."""
        return max(0, self.start - MAX_DOCUMENTS) + 1 if self.start else None

    @property
    def after(self) -> int | None:
        """The place of the next page of documents, counted from 1; None if there is none."""
        end = self.start + len(self.documents)
        return end + 1 if end < self.n_open else None


def judging_of(
    state: AppState, key: str, query: str, request: PageRequest | None = None, draft: Draft | None = None
) -> Judging:
    """The documents to judge and the judged documents for a query of a stored result, for the current judge if known."""
    request = request or PageRequest()
    result = state.result(key)
    judgments = people_grades(state, result.benchmark).judgments
    by_document: defaultdict[str, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        if judgment.query == printable(query):
            by_document[judgment.document].append(judgment)
    judged = own_grades(state, result, query)
    every = [(rank, doc) for rank, doc in enumerate(_in_order(result, query), 1) if doc not in judged]
    graded = [pair for pair in every if printable(pair[1]) in by_document]
    ungraded = [pair for pair in every if printable(pair[1]) not in by_document]
    start = min(request.get_int("from", 1) - 1, max(0, len(ungraded) - 1))
    page = ungraded[start : start + MAX_DOCUMENTS]
    form = Form(state.datasets, result, draft.judge if draft else request.judge, by_document, draft.filled if draft else {})
    return Judging(
        key,
        query,
        form.judge,
        GRADES,
        form.documents(page),
        form.documents(graded, len(page)),
        len(ungraded),
        start,
        state.datasets.judged(result, [query]) is not None or bool(result.nonrelevant),
        effect_grid(result, query, rejudged(state, key)) if any(by_document.values()) else None,
        agreement_grid(judgments),
        draft.problem if draft else "",
    )


@dataclass(frozen=True)
class Form:
    """The values of the fields of the form before it is shown."""

    datasets: ServedDatasets
    result: Result
    judge: str
    judgments: Mapping[str, Sequence[Judgment]]
    filled: Mapping[str, tuple[str, str]]

    def documents(self, pairs: Sequence[tuple[int, str]], first: int = 0) -> tuple[ToJudge, ...]:
        """Ranks and documents with their texts and grades, numbered from `first` on."""
        texts = self.datasets.texts_of(self.result, [doc for _, doc in pairs])
        return tuple(
            self._document(number, rank, doc, texts.get(doc, "")) for number, (rank, doc) in enumerate(pairs, first)
        )

    def _document(self, number: int, rank: int, document: str, text: str) -> ToJudge:
        judgments = self.judgments.get(printable(document), ())
        own = (judgment for judgment in judgments if judgment.judge == self.judge and not judgment.is_settled)
        mine = next(own, None)
        grade, reason = (f"{mine.grade:g}", mine.reason) if mine else ("", "")
        grades = JudgeGrade.of_all(judgments, document, self.datasets, self.result)
        grade, reason = self.filled.get(printable(document), (grade, reason))
        return ToJudge(number, document, rank, text, grades, grade, reason, mine is not None, digest_of_text(text))


def _in_order(result: Result, query: str) -> list[str]:
    ranking = result.run.get(query)
    return Run.borrow(Rankings({query: dict(ranking)})).in_order(0, result.policy.rank_rule) if ranking else []


def effect_grid(result: Result, query: str, effect: Rejudged) -> Table:
    """The scores of the query and the summaries, before and after; changes are marked."""
    bound = {metric.name: metric for metric in result.metrics}
    scores, rows = effect.scores(query), []
    for name, summaries in effect.summaries().items():
        metric, fields = bound[name], []
        for pair in (scores[name], summaries):
            before, after = (float("nan") if value is None else value for value in pair)
            change = after - before
            is_better = change > 0 if metric.metric.higher_is_better else change < 0
            tone = Mark.NONE if not abs(change) > 1e-12 else Mark.BETTER if is_better else Mark.WORSE
            fields += [number(Figures().value(metric, before), before)]
            fields += [number(Figures().value(metric, after), after, mark=tone)]
        rows.append((Cell(name, help=metric.metric.meaning), *fields))
    grades = f"{effect.merged.n_added:,} for unjudged documents, {effect.merged.n_overruled:,} that overrule the benchmark"
    notes = [f"Grades by people: {grades}, {effect.merged.n_same:,} as in the benchmark. The stored result does not change."]
    if lost := [name for name in effect.left_out if not math.isnan(result.summary.get(name, math.nan))]:
        notes.append(
            f"Not recomputed, because the store does not have all the data that these metrics need: {', '.join(lost)}."
        )
    heads = columns("metric", "this query", "with the new grades", "all queries", Column("with the new grades"))
    return Table(heads, tuple(rows), "What the new grades change", notes=tuple(notes), is_sortable=False)


def agreement_grid(judgments: Sequence[Judgment]) -> Table | None:
    """All pairs of judges who graded the same documents, with α of all judges below; None if there are none."""
    agreements, panel = judge_agreements(judgments), panel_agreement(judgments)
    if not agreements:
        return None
    rows = tuple(
        (
            words(f"{pair.a} and {pair.b}"),
            number(f"{pair.n_pairs:,}", pair.n_pairs),
            number(percent(pair.same), pair.same),
            number(_kappa(pair.kappa), pair.kappa, note=_ends(pair.kappa_low, pair.kappa_high)),
            number(_kappa(pair.weighted_kappa), pair.weighted_kappa, note=_ends(pair.weighted_low, pair.weighted_high)),
        )
        for pair in agreements
    )
    heads = columns("judges", "graded by both", "same grade", "Cohen’s κ", "weighted κ")
    notes = (ABOUT_KAPPA, *([_alpha_note(panel)] if panel and panel.n_judges > 2 else []))
    return Table(heads, rows, "Agreement of judges", notes=notes, is_sortable=False)


def _alpha_note(panel: PanelAgreement) -> str:
    """Krippendorff's α of all judges together, for ordered grades."""
    value, *ends = panel.ordinal
    return (
        f"All {panel.n_judges:,} judges together: Krippendorff’s α is {_kappa(value)} {_ends(*ends)} for ordered grades, "
        f"over the {panel.n_pairs:,} pairs that at least two of them graded."
    )


def _ends(low: float, high: float) -> str:
    """The 95 % interval, if it is known."""
    return "" if low != low else f"[{low:.2f}, {high:.2f}]"


def _kappa(value: float) -> str:
    return "–" if value != value else f"{value:.2f}"
