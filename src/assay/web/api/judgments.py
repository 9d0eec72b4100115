"""The API for judgments: listing, giving and removing them; and the files that can be downloaded."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from assay.errors import BadParameter, DataError, UnknownName, near_matches
from assay.files import write_qrels
from assay.store import (
    LONGEST_JUDGE,
    LONGEST_POOL,
    LONGEST_REASON,
    PEOPLE,
    Judgment,
    checked_judgment,
    exportable,
    judge_agreements,
    judge_name,
    list_running,
    panel_agreement,
)
from assay.temporary_files import TemporaryFile
from assay.text import printable, shortened
from assay.web.api.endpoint import MAX_PARAMETER_LETTERS, ParameterValues
from assay.web.api.results import paged
from assay.web.grading import GRADES
from assay.web.people_grades import documents_of, merged_judgments
from assay.web.state import AppState

MAX_SEARCHED = 200
"""Results that are searched for a document; if there are more, any document is accepted."""
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_PARAMETER_LETTERS)]


class NewJudgment(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A grade for a document and a query of a benchmark.

    `text_digest` is the SHA-256 of the text that the judge saw; `probability` that with which the document was drawn from
    its `pool`. A settled grade counts instead of the grades of single judges.
    """

    benchmark: Annotated[str, msgspec.Meta(max_length=MAX_PARAMETER_LETTERS)]
    query: Name
    document: Name
    judge: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_JUDGE)]
    """Stored as judge_name returns it. It has no pattern, because regular expressions differ in what counts as a space."""
    grade: Annotated[float, msgspec.Meta(ge=min(GRADES), le=max(GRADES), multiple_of=1)]
    reason: Annotated[str, msgspec.Meta(max_length=LONGEST_REASON)] = ""
    kind: Literal["people", "model", "rule"] = "people"
    text_digest: Annotated[str, msgspec.Meta(pattern="^(?:[0-9a-f]{64})?$")] = ""
    pool: Annotated[str, msgspec.Meta(max_length=LONGEST_POOL)] = ""
    probability: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None
    is_settled: bool = False


def judgment_list(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """Grades, the oldest first."""
    fields = {name: params[name] for name in ("benchmark", "query", "document", "judge", "kind")}
    page = paged("/judgments", "judgments", state.judgments.find(**fields), params)
    return {**page, "judgments": [judgment.to_dict() for judgment in page["judgments"]]}


def judge(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """Store a grade; it replaces an earlier grade of the same judge and kind for the same pair."""
    new: NewJudgment = params["body"]
    checked = checked_judgment(Judgment(**msgspec.structs.asdict(new)))
    _check_is_known(state, new)
    return state.judgments.give(checked).to_dict()


def withdraw(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """Remove a judge's grade for a pair and return it; a missing grade is an error."""
    pair = {name: params[name] for name in ("benchmark", "query", "document", "kind")}
    who = judge_name(params["judge"])
    judgments = [judgment for judgment in state.judgments.find(**pair, judge=who) if not judgment.is_settled]
    if not judgments or not state.judgments.withdraw(judgments[0]):
        known = [judgment.judge for judgment in state.judgments.find(**pair)]
        hint = f"judges of this pair: {', '.join(known[:5])}" if known else "this document has no grades for this query"
        raise UnknownName("judge of this pair", params["judge"], near_matches(who, known), hint)
    return judgments[0].to_dict()


def _check_is_known(state: AppState, new: NewJudgment) -> None:
    """Refuse a grade for a document that no stored result retrieved or has a judgment for.

    Without stored rankings this cannot be checked.
    """
    on_it = [result for result in state.index.results if printable(result.entry.benchmark) == printable(new.benchmark)]
    query, document = printable(new.query), printable(new.document)
    has_rankings = False
    for result in on_it[:MAX_SEARCHED]:
        read = state.result(result.key)
        has_rankings = has_rankings or bool(read.run)
        name = (
            new.query if new.query in read.run else next((name for name in read.run if printable(name) == query), new.query)
        )
        documents = documents_of(read, name)
        if new.document in documents or any(printable(doc) == document for doc in documents):
            return
    if has_rankings and len(on_it) <= MAX_SEARCHED:
        raise BadParameter(
            f"{shortened(new.document)} was neither retrieved nor judged for the query {shortened(new.query)} in any stored "
            f"result on {shortened(new.benchmark)}, so it cannot be graded"
        )


def agreement(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """How well each pair of judges, and all judges together, agree on the documents that several graded."""
    judgments = state.judgments.find(benchmark=params["benchmark"])
    panel = panel_agreement(judgments)
    return {
        "agreement": [pair.to_dict() for pair in judge_agreements(judgments)],
        "alpha": panel.to_dict() if panel else None,
    }


def qrels(state: AppState, params: ParameterValues) -> bytes:
    """The grades by people on a benchmark as TREC qrels, one for each pair."""
    judgments = exportable(state.judgments.find(params["benchmark"], judge=params["judge"], kind=PEOPLE))
    if judgments.left_out and not params["partial"]:
        advice = "Add partial=true to leave them out, or use /judgments to get all of them as JSON"
        raise DataError(f"{judgments.explanation}. {advice}")
    with TemporaryFile() as file:
        write_qrels(judgments.grades, file)
        return file.read_bytes()


def merged(state: AppState, params: ParameterValues) -> bytes:
    """The judgments of a benchmark with the grades by people, as TREC qrels."""
    judgments, _ = merged_judgments(state, params["benchmark"])
    with TemporaryFile() as file:
        write_qrels(judgments.qrels, file)
        return file.read_bytes()


def next_version(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """The next version of a benchmark, with the grades by people, as one JSON file that assay reads."""
    judgments, dataset = merged_judgments(state, params["benchmark"])
    if dataset is None:
        raise DataError(f"{judgments.notes[0]}: assay serve --datasets")
    return dataset.to_dict()


def query_note_list(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """Notes and tags of queries, the oldest first."""
    fields = {name: params[name] for name in ("benchmark", "query", "kind")}
    page = paged("/query-notes", "notes", state.query_notes.find(**fields), params)
    return {**page, "notes": [note.to_dict() for note in page["notes"]]}


def export(state: AppState, params: ParameterValues) -> bytes:
    """Evaluations as one file, in the format of `assay results export`."""
    with TemporaryFile() as file:
        state.store.export(file, params["evaluation"])
        return file.read_bytes()


def progress(state: AppState, params: ParameterValues) -> dict[str, Any]:  # noqa: ARG001 (all answers take the same)
    """Evaluations that are running now."""
    return {"running": [run.to_dict() for run in list_running(state.store.place)]}
