"""What the API says about judgments of people, and how it takes new ones; and the files that can be taken along."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from assay.errors import BadParameter, DataError, UnknownName, near_matches
from assay.files import write_qrels
from assay.store import (
    LONGEST_JUDGE,
    LONGEST_NOTE,
    Judgment,
    checked_judgment,
    exportable,
    judge_agreements,
    judge_name,
    list_running,
)
from assay.temporary_files import TemporaryFile
from assay.text import printable, shortened
from assay.web.api.endpoint import MAX_PARAMETER_LETTERS, ParameterValues
from assay.web.api.results import paged
from assay.web.judgments import GRADES
from assay.web.state import AppState

MAX_SEARCHED = 200
"""Results that are looked through for a document; of more than that nobody can say that none retrieved it."""
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_PARAMETER_LETTERS)]


class NewJudgment(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A grade that somebody gives to a document for a query of a benchmark."""

    benchmark: Annotated[str, msgspec.Meta(max_length=MAX_PARAMETER_LETTERS)]
    query: Name
    document: Name
    judge: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_JUDGE)]
    """Kept as judge_name has it. It has no pattern, for what counts as a space differs between languages."""
    grade: Annotated[float, msgspec.Meta(ge=min(GRADES), le=max(GRADES), multiple_of=1)]
    note: Annotated[str, msgspec.Meta(max_length=LONGEST_NOTE)] = ""


def judgment_list(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """Grades that people gave, the oldest first."""
    fields = {name: params[name] for name in ("benchmark", "query", "document", "judge")}
    page = paged("/judgments", "judgments", state.judgments.find(**fields), params)
    return {**page, "judgments": [judgment.to_dict() for judgment in page["judgments"]]}


def judge(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """Keep a grade, in place of the one that the same judge gave to the same pair before."""
    new: NewJudgment = params["body"]
    checked = checked_judgment(Judgment(**msgspec.structs.asdict(new)))
    _check_was_retrieved(state, new)
    return state.judgments.give(checked).to_dict()


def withdraw(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """Take a judge's grade of a pair back, and return it as it was; one that is not there is an error."""
    pair = {name: params[name] for name in ("benchmark", "query", "document")}
    who = judge_name(params["judge"])
    judgments = state.judgments.find(**pair, judge=who)
    if not judgments or not state.judgments.withdraw(judgments[0]):
        known = [judgment.judge for judgment in state.judgments.find(**pair)]
        hint = f"it was graded by {', '.join(known[:5])}" if known else "nobody has graded that document for that query"
        raise UnknownName("judge of that pair", params["judge"], near_matches(who, known), hint)
    return judgments[0].to_dict()


def _check_was_retrieved(state: AppState, new: NewJudgment) -> None:
    """A grade is about what a stored result of the benchmark retrieved; where rankings were not kept, nobody can tell."""
    on_it = [result for result in state.index.results if printable(result.entry.benchmark) == printable(new.benchmark)]
    query, document = printable(new.query), printable(new.document)
    has_rankings = False
    for result in on_it[:MAX_SEARCHED]:
        run = state.result(result.key).run
        has_rankings = has_rankings or bool(run)
        ranking = run.get(new.query) or next((ranked for name, ranked in run.items() if printable(name) == query), {})
        if new.document in ranking or any(printable(doc) == document for doc in ranking):
            return
    if has_rankings and len(on_it) <= MAX_SEARCHED:
        raise BadParameter(
            f"{shortened(new.document)} was not retrieved for {shortened(new.query)} in any stored result on "
            f"{shortened(new.benchmark)}"
        )


def agreement(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """How far every two judges agree on the pairs that both have graded."""
    agreements = judge_agreements(state.judgments.find(benchmark=params["benchmark"]))
    return {"agreement": [pair.to_dict() for pair in agreements]}


def qrels(state: AppState, params: ParameterValues) -> bytes:
    """The grades that people gave on a benchmark as TREC qrels, one for each pair."""
    judgments = exportable(state.judgments.find(params["benchmark"], judge=params["judge"]))
    if judgments.left_out and not params["partial"]:
        raise DataError(f"{judgments.explanation}; partial=true leaves them out, and /judgments has them all as JSON")
    with TemporaryFile() as file:
        write_qrels(judgments.grades, file)
        return file.read_bytes()


def export(state: AppState, params: ParameterValues) -> bytes:
    """Evaluations in one file, as `assay results export` writes it."""
    with TemporaryFile() as file:
        state.store.export(file, params["evaluation"])
        return file.read_bytes()


def progress(state: AppState, params: ParameterValues) -> dict[str, Any]:  # noqa: ARG001 (all answers take the same)
    """Evaluations that are running now."""
    return {"running": [run.to_dict() for run in list_running(state.store.place)]}
