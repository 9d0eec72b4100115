"""Items: what is judged about an answer, one claim, nugget or context at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from assay.execution import digest
from assay.judged_answers.statements import ANSWER, REFERENCE, Source, Statement, Statements
from assay.judges import CONTAINED, NUGGETS, SUPPORTED, USEFUL, Pair, Task
from assay.metrics import BoundMetric
from assay.views import (
    ANSWER_IN_CONTEXTS,
    ANSWER_IN_REFERENCE,
    NUGGETS_IN_ANSWER,
    REFERENCE_IN_ANSWER,
    REFERENCE_IN_CONTEXTS,
    USEFUL_CONTEXTS,
    AnswerVerdicts,
    Verdict,
    Verdicts,
)

ID_BYTES = 12


class Material(NamedTuple):
    """The texts of a query and of the answer of one system."""

    query: str
    question: str
    answer: str
    """Empty: the system abstained, or has no answer."""
    references: tuple[str, ...] | None
    """The right answers; empty: the query is unanswerable; None: unknown."""
    contexts: tuple[str, ...] | None
    """The retrieved texts, best first; None: unknown."""
    relevant: tuple[str, ...] = ()
    """The texts of relevant documents."""

    @property
    def answer_source(self) -> Source:
        """The answer, as a text that has claims."""
        return Source(self.query, self.question, ANSWER, self.answer)

    @property
    def reference_source(self) -> Source:
        """The first right answer, as a text that has claims."""
        return Source(self.query, self.question, REFERENCE, (self.references or ("",))[0])

    @property
    def nugget_source(self) -> Source:
        """The right answers and the relevant texts, which nuggets are made from."""
        parts = (*(f"Right answer: {text}" for text in self.references or ()), *self.relevant)
        return Source(self.query, self.question, NUGGETS.name, "\n\n".join(parts))

    def answered(self, label: str, texts: Iterable[str]) -> str:
        """Answers with their question, because a short answer says nothing alone; empty without answers."""
        lines = [f"{label}: {text}" for text in texts if text]
        return "\n".join([*([f"Question: {self.question}"] if self.question else []), *lines]) if lines else ""


class Item(NamedTuple):
    """One claim, nugget or context, and the text that it is compared with."""

    query: str
    task: Task
    statement: str
    text: str

    @property
    def id(self) -> str:
        """A hash of everything that a judge sees, so a verdict never belongs to other texts."""
        return f"i{digest([self.query, self.task.name, self.statement, self.text], ID_BYTES)}"

    @property
    def pair(self) -> Pair:
        """The item in the form in which judges are asked."""
        return Pair(self.query, self.statement, self.id, self.text)


class Planned(NamedTuple):
    """A verdict that is needed: about an item, or known without a judge."""

    item: Item | None
    value: float | None = None
    is_vital: bool = True


Plans = Sequence[Planned] | None
"""What is judged for a check of a query; None if the check does not apply."""
YES, NO = Planned(None, 1.0), Planned(None, 0.0)


@dataclass(frozen=True)
class AnswerPlan:
    """What is judged for the answers of one system."""

    query_ids: tuple[str, ...]
    by_check: Mapping[str, tuple[Plans, ...]]
    sources: tuple[Source, ...]
    """The texts whose claims or nuggets are needed."""
    pending: tuple[Source, ...] = ()
    """Sources whose statements are not made yet."""

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """Everything that a judge is asked, each item once."""
        planned = (each for column in self.by_check.values() for plans in column for each in plans or ())
        return tuple(dict.fromkeys(each.item for each in planned if each.item is not None))

    def items_of(self, checks: Iterable[str]) -> dict[str, set[str]]:
        """Query → the ids of its items for these checks."""
        inside: dict[str, set[str]] = {query: set() for query in self.query_ids}
        for check in checks:
            for query, plans in zip(self.query_ids, self.by_check[check], strict=True):
                inside[query] |= {each.item.id for each in plans or () if each.item is not None}
        return inside

    def view(self, grade: Callable[[Item], float | None]) -> AnswerVerdicts:
        """What metrics read, with the grades of a layer; None for an item that is unjudged."""

        def verdicts(plans: Plans) -> Verdicts | None:
            return None if plans is None else tuple(_verdict(each, grade) for each in plans)

        return AnswerVerdicts(self.query_ids, {check: [*map(verdicts, plans)] for check, plans in self.by_check.items()})


def _verdict(planned: Planned, grade: Callable[[Item], float | None]) -> Verdict:
    if planned.item is None:
        return Verdict(planned.value, planned.is_vital)
    known = grade(planned.item)
    return Verdict(None if known is None else planned.item.task.value(known), planned.is_vital)


def checks_read_by(metric: BoundMetric) -> tuple[str, ...]:
    """The checks that a metric reads, found by letting it score no queries."""
    recorder = _Recorder()
    metric.score(AnswerVerdicts((), recorder))
    return tuple(dict.fromkeys(recorder.asked))


class _Recorder(Mapping[str, Sequence[Verdicts | None]]):
    """Checks of no queries, and the names that were looked up."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __getitem__(self, check: str) -> Sequence[Verdicts | None]:
        self.asked.append(check)
        return ()

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def plan_answers(
    materials: Sequence[Material], checks: Iterable[str], statements: Statements, *, guesses: bool = False
) -> AnswerPlan:
    """What is judged. With `guesses`, sentences stand for statements that are not made yet."""
    needed: dict[tuple[str, str, bool], Source] = {}
    pending: dict[tuple[str, str, bool], Source] = {}

    def known(source: Source) -> tuple[Statement, ...] | None:
        key = (*source.key, source.task is NUGGETS)
        needed[key] = source
        listed = statements.of(source)
        if listed is None and not source.text.strip():
            return ()
        if listed is None:
            pending[key] = source
            return source.guess() if guesses else None
        return listed

    columns = {check: tuple(PLANNERS[check](material, known) for material in materials) for check in checks}
    ids = tuple(material.query for material in materials)
    return AnswerPlan(ids, columns, tuple(needed.values()), tuple(pending.values()))


Known = Callable[[Source], tuple[Statement, ...] | None]


def _all(statements: tuple[Statement, ...] | None, material: Material, task: Task, text: str) -> Plans:
    """A plan for each statement. Without a text, none of them is supported, and no judge is asked."""
    if statements is None:
        return None
    if not text.strip():
        return tuple(NO._replace(is_vital=statement.is_vital) for statement in statements)
    return tuple(
        Planned(Item(material.query, task, statement.text, text), is_vital=statement.is_vital) for statement in statements
    )


def _contexts_text(material: Material) -> str:
    return "\n\n".join(text for text in material.contexts or () if text.strip())


def _answer_in_contexts(material: Material, known: Known) -> Plans:
    if material.contexts is None:
        return None
    return _all(known(material.answer_source), material, SUPPORTED, _contexts_text(material)) if material.answer else ()


def _answer_in_reference(material: Material, known: Known) -> Plans:
    if not material.references:
        return _unanswerable(material)
    if not material.answer:
        return ()
    return _all(known(material.answer_source), material, SUPPORTED, material.answered("Right answer", material.references))


def _reference_in_answer(material: Material, known: Known) -> Plans:
    if not material.references:
        return _unanswerable(material)
    return _all(known(material.reference_source), material, SUPPORTED, material.answered("Answer", [material.answer]))


def _unanswerable(material: Material) -> Plans:
    """An abstention is right if there is no answer. If the right answer is unknown, the check does not apply."""
    return None if material.references is None else (NO if material.answer else YES,)


def _reference_in_contexts(material: Material, known: Known) -> Plans:
    if not material.references or material.contexts is None:
        return None
    return _all(known(material.reference_source), material, SUPPORTED, _contexts_text(material))


def _nuggets_in_answer(material: Material, known: Known) -> Plans:
    if material.references == ():
        return None
    return _all(known(material.nugget_source), material, CONTAINED, material.answered("Answer", [material.answer]))


def _useful_contexts(material: Material, _: Known) -> Plans:
    if material.contexts is None or material.references == ():
        return None
    statement = material.answered("Right answer", material.references or ()) or material.question
    return tuple(
        Planned(Item(material.query, USEFUL, statement, text)) if text.strip() else NO for text in material.contexts
    )


PLANNERS: Mapping[str, Callable[[Material, Known], Plans]] = {
    ANSWER_IN_CONTEXTS: _answer_in_contexts,
    ANSWER_IN_REFERENCE: _answer_in_reference,
    REFERENCE_IN_ANSWER: _reference_in_answer,
    REFERENCE_IN_CONTEXTS: _reference_in_contexts,
    NUGGETS_IN_ANSWER: _nuggets_in_answer,
    USEFUL_CONTEXTS: _useful_contexts,
}
"""Check → what is judged for it."""
