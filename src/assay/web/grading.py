"""Grading: the small form for the grade of one document, on any page that shows the document.

A page builds `grade_forms(…)` and calls the macro `grade_form` of grading.html.j2. `/judge` saves the grade and returns to
the page: to the address in `next`, with what happened in its parameters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

from assay.judging import about_other_texts
from assay.model import grade_word
from assay.reports import readable_time
from assay.store import Judgment, combined, digest_of_text
from assay.text import counted, printable
from assay.web.page import PageRequest
from assay.web.people_grades import people_grades
from assay.web.security import safe_next

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.web.documents import ServedDatasets
    from assay.web.state import AppState

GRADES = {0: "not relevant", 1: "somewhat", 2: "relevant", 3: "perfect"}
"""The possible grades and their names."""
OUTCOMES = ("saved", "back", "nothing", "noted", "unnoted", "form")
"""Parameters of an address that say what happened to the form that was sent last; a page with forms takes them."""
FORM_ANCHOR = "grade-"
"""How the anchor of the form for one document begins; the form says what happened, because the browser scrolls to it."""
ANCHOR = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,80}")


@dataclass(frozen=True)
class JudgeGrade:
    """The grade of one judge for a document."""

    judge: str
    grade: str
    reason: str
    when: str
    is_about_other_text: bool = False
    """Whether the judge saw another text than the one that is shown now."""

    @classmethod
    def of(cls, judgment: Judgment, texts: Sequence[str] = ()) -> JudgeGrade:
        """The grade of a judgment; `texts` are those that the document has now, of which a judge may have seen a part."""
        other = bool(about_other_texts([judgment], lambda _: texts))
        return cls(judgment.judge_label, f"{judgment.grade:g}", judgment.reason, readable_time(judgment.judged), other)

    @classmethod
    def of_all(
        cls, judgments: Sequence[Judgment], document: str, datasets: ServedDatasets, result: Result
    ) -> tuple[JudgeGrade, ...]:
        """The grades for a document of a result, next to its texts as they are now."""
        texts = datasets.whole_texts(result, document) if judgments else ()
        return tuple(cls.of(judgment, texts) for judgment in judgments)


@dataclass(frozen=True)
class GradeForm:
    """The form for the grade of one document."""

    key: str
    """The key of the result."""
    query: str
    document: str
    judge: str
    """The name of the current judge, if it is known."""
    own: str
    """The grade of the benchmark; empty if the document is unjudged."""
    people: str
    """The combined grade by people; empty if there is none."""
    grades: tuple[JudgeGrade, ...]
    chosen: str = ""
    """The grade that the current judge gave."""
    reason: str = ""
    text_digest: str = ""
    """The digest of the text that the page shows."""
    part: str = ""
    """The part of the page, if it shows the document several times."""
    is_settled: bool = False
    """Whether a settled grade counts."""

    @property
    def anchor(self) -> str:
        """The id of the form in its page."""
        about = repr((self.key, self.query, self.document, self.part)).encode("utf-8", "replace")
        return f"{FORM_ANCHOR}{blake2b(about, digest_size=6).hexdigest()}"

    @property
    def scale(self) -> Mapping[int, str]:
        """The grades to choose from."""
        return GRADES

    @property
    def is_overruled(self) -> bool:
        """Whether people gave another grade than the benchmark."""
        return bool(self.own and self.people and self.own != self.people)

    @property
    def doubt(self) -> str:
        """`they disagree` if people gave different grades, or `settled`."""
        if self.is_settled:
            return "settled"
        return "they disagree" if len({graded.grade for graded in self.grades}) > 1 else ""

    @property
    def state(self) -> str:
        """`unjudged`, `benchmark: 0`, `benchmark: 0 → people: 2` or `people: 2`; and whether judges disagree."""
        people = f"people: {self.people}{f' ({self.doubt})' if self.doubt else ''}"
        if self.is_overruled:
            return f"benchmark: {self.own} → {people}"
        if self.own:
            return f"benchmark: {self.own}"
        return people if self.people else "unjudged"


def grade_forms(
    state: AppState,
    key: str,
    query: str,
    judge: str = "",
    texts: Mapping[str, str] | None = None,
    part: str = "",
    result: Result | None = None,
) -> Callable[[str], GradeForm]:
    """A function that gives the form for any document of a query of a result; `texts` are those that the page shows.

    A page that shows a document several times names the `part`, because each form has an id. A page can give the `result`.
    """
    result = result or state.result(key)
    own = own_grades(state, result, query)
    by_document = _by_document(state, result, query)

    def form(document: str) -> GradeForm:
        text = (texts or {}).get(document, "")
        judgments: Sequence[Judgment] = by_document.get(printable(document), ())
        by_judge = (judgment for judgment in judgments if judgment.judge == judge and not judgment.is_settled)
        mine = next(by_judge, None)
        together = next(iter(combined(judgments).values()), {}).get(printable(document))
        return GradeForm(
            key,
            query,
            document,
            judge,
            grade_word(own[document]) if document in own else "",
            "" if together is None else f"{together:g}",
            JudgeGrade.of_all(judgments, document, state.datasets, result),
            f"{mine.grade:g}" if mine else "",
            mine.reason if mine else "",
            digest_of_text(text),
            part,
            any(judgment.is_settled for judgment in judgments),
        )

    return form


def _by_document(state: AppState, result: Result, query: str) -> dict[str, list[Judgment]]:
    """Document → the grades that people gave it for a query."""
    by_document: dict[str, list[Judgment]] = {}
    for judgment in people_grades(state, result.benchmark).judgments:
        if judgment.query == printable(query):
            by_document.setdefault(judgment.document, []).append(judgment)
    return by_document


def own_grades(state: AppState, result: Result, query: str) -> Mapping[str, float]:
    """The grades of the benchmark for a query: all that are known."""
    judged = state.datasets.judged(result, [query])
    if judged is not None:
        return judged.get(query, {})
    return {**result.nonrelevant.get(query, {}), **result.relevant.get(query, {})}


# Back to the page that the form was on


def return_address(target: str, otherwise: str, anchor: str, outcome: Mapping[str, object]) -> str:
    """The address to return to: `target` if it is one of our pages, with the outcome, and the anchor of the form."""
    is_ours = bool(target) and safe_next(target) == target
    parts = urlsplit(target if is_ours else otherwise)
    kept = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] not in OUTCOMES]
    new = [(name, str(value)) for name, value in outcome.items() if value]
    is_known = ANCHOR.fullmatch(anchor) is not None
    form = [("form", anchor)] if is_known and anchor.startswith(FORM_ANCHOR) else []
    query = urlencode([*kept, *new, *form])
    fragment = f"#{anchor}" if is_known else ""
    return f"{parts.path}{f'?{query}' if query else ''}{fragment}"


def without_outcome(request: PageRequest, **changes: object) -> str:
    """The address of a page without what happened before, for the field `next` of a form."""
    return request.url(**{**dict.fromkeys(OUTCOMES), **changes})


def outcome_of(request: PageRequest) -> str:
    """What happened to the form that was sent last, from the parameters of the address."""
    whose = f" by {request.judge}" if request.judge else ""
    saved, back, noted, unnoted = (request.get_int(name, 0) for name in ("saved", "back", "noted", "unnoted"))
    outcomes = [f"{counted(saved, 'grade')}{whose} saved"] if saved else []
    outcomes += [f"{counted(back, 'grade')}{whose} removed"] if back else []
    outcomes += [f"{counted(noted, 'note')} saved"] if noted else []
    outcomes += [f"{counted(unnoted, 'note')} removed"] if unnoted else []
    if not outcomes:
        return "There were no new grades, so nothing was saved." if request.has("nothing") else ""
    return "; ".join(outcomes) + "."
