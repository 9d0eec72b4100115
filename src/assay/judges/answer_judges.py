"""Judges of answers: a judge of the catalog, set to one task about answers. Each task gives it another identity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from assay.errors import BadParameter, DataError, ProviderError
from assay.files import each_record
from assay.judges.answer_tasks import TASKS, Task, TaskPrompt, read_task_reply, read_task_value, read_verdict
from assay.judges.catalog.command import CommandJudge
from assay.judges.catalog.openai import OPENAI, preview_of, settings_of, to_service
from assay.judges.catalog.python import FunctionJudge
from assay.judges.chat import ChatJudge, ChatService
from assay.judges.definition import BoundJudge, Grader, Judge, Preview
from assay.judges.grades import PairGrade, ungraded
from assay.judges.ledger import Ledger
from assay.judges.pairs import Pair
from assay.providers import EventLoop, describe_library_error, fill_variables


def for_task(judge: BoundJudge, task: Task, prompt: TaskPrompt) -> BoundJudge:
    """The judge for one task. Of a panel, all judges decide, but only the first one writes statements."""
    if judge.parts:
        if task.writes:
            return for_task(judge.parts[0], task, prompt)
        return replace(judge, parts=tuple(for_task(part, task, prompt) for part in judge.parts))
    if judge.judge.name == OPENAI.name:
        if judge.explicit_params & {"prompt", "guidelines"}:
            raise BadParameter(
                "openai: prompt= and guidelines= are for pairs of query and document. For answers, put your own prompts "
                f"into a folder and name it with --prompts   (files: {', '.join(f'{name}.md' for name in TASKS)})"
            )
        return replace(judge, judge=_chat_judge(task, prompt))
    if judge.judge.name == "replay" and task.writes:
        raise BadParameter(f"replay has verdicts only. Name a file of {task.name} with --{task.name}")
    makers: Mapping[str, Callable[..., Grader]] = {
        "python": lambda **params: TaskFunction(judge.judge.make(**params), task),
        "command": lambda **params: CommandJudge(
            **params, record=partial(_record, task), read=partial(read_task_value, task)
        ),
        "replay": lambda **params: ReplayVerdicts(task=task, **params),
    }
    make = makers.get(judge.judge.name)
    if make is None and task.writes:
        raise BadParameter(f"{judge.judge.name} cannot write {task.name}. Name a file of {task.name} with --{task.name}")
    if make is None:
        make = partial(_on_scale, judge.judge.make, task)
    return replace(judge, judge=replace(judge.judge, make=make, settings=partial(_settings, judge.judge, task)))


def _settings(judge: Judge, task: Task, **params: Any) -> Mapping[str, Any]:
    own: Mapping[str, Any] = params if judge.settings is None else judge.settings(**params)
    return {**own, "task": task.name}


def _record(task: Task, pair: Pair) -> dict[str, Any]:
    """What a program gets: the task and its two texts."""
    return {"id": pair.key, "task": task.name, "statement": pair.query_text, "text": pair.document_text}


# Services


def _chat_judge(task: Task, prompt: TaskPrompt) -> Judge:
    def service(**params: Any) -> ChatService:
        return replace(to_service(**params), prompt=prompt)

    def make(**params: Any) -> ChatJudge:
        return ChatJudge(service(**params), partial(read_task_reply, task))

    def settings(**params: Any) -> Mapping[str, Any]:
        own = {"prompt": prompt.digest, "fields": list(prompt.fields), "grades": list(task.scale), "task": task.name}
        return {**settings_of(**params), **own}

    def check(**params: Any) -> None:
        fill_variables(service(**params).address, "url")
        fill_variables(service(**params).key, "key")

    def preview(pair: Pair, **params: Any) -> Preview:
        return preview_of(service(**params), pair)

    return replace(OPENAI, make=make, settings=settings, check=check, preview=preview)


# Functions, files, and judges that give grades


class TaskFunction:
    """Calls a function of the user with the name of the task and its two texts. It may be a coroutine."""

    def __init__(self, made: Grader, task: Task) -> None:
        if not isinstance(made, FunctionJudge):
            raise BadParameter("python: expected a function")
        self._name, self._function, self._task, self._loop = made.name, made.function, task, EventLoop()

    def grade(self, pairs: Sequence[Pair], _: Ledger) -> list[PairGrade | Exception]:
        """What the function returned for each pair of texts, or the error that it raised."""
        return [self._grade(pair) for pair in pairs]

    def _grade(self, pair: Pair) -> PairGrade | Exception:
        try:
            with describe_library_error(self._name):
                returned = self._loop.result(self._function(self._task.name, pair.query_text, pair.document_text))
                return read_task_value(self._task, returned)
        except ProviderError as error:
            return error


class ReplayVerdicts:
    """Looks up each verdict by the query and the id of the item, which changes with its texts."""

    def __init__(self, file: str, task: Task) -> None:
        self._task = task
        self._records: dict[tuple[str, str], Mapping[str, Any]] = {}
        each_record(Path(file), self._take)

    def _take(self, _place: str, record: Mapping[str, Any]) -> None:
        if "schema" in record and "item" not in record:
            return
        query, item = record.get("query"), record.get("item")
        if query is None or item is None or "verdict" not in record:
            raise DataError("expected query, item and verdict, as assay answers --write-verdicts writes them")
        if (str(query), str(item)) in self._records:
            raise DataError(f"query {query} and item {item} occur twice")
        self._records[str(query), str(item)] = record

    def grade(self, pairs: Sequence[Pair], _: Ledger) -> list[PairGrade | Exception]:
        """The verdict in the file for each item."""
        return [self._grade(pair) for pair in pairs]

    def _grade(self, pair: Pair) -> PairGrade:
        record = self._records.get((pair.query, pair.document))
        if record is None:
            return ungraded("the item is not in the file")
        grade, model = read_verdict(self._task, record["verdict"], record.get("reason")), record.get("model")
        return replace(grade, model=model if isinstance(model, str) else "")


@dataclass(frozen=True)
class _OnScale:
    """A judge that gives any grades; a grade that is not a verdict is unjudged."""

    grader: Grader
    task: Task

    def grade(self, pairs: Sequence[Pair], ledger: Ledger) -> list[PairGrade | Exception]:
        """Its grades."""
        return [self._checked(outcome) for outcome in self.grader.grade(pairs, ledger)]

    def _checked(self, outcome: PairGrade | Exception) -> PairGrade | Exception:
        if isinstance(outcome, Exception) or outcome.grade is None or outcome.grade in self.task.scale:
            return outcome
        scale = ", ".join(f"{grade:g}" for grade in self.task.scale)
        return ungraded(f"the grade {outcome.grade:g} is not a verdict: {scale}", outcome.model)


def _on_scale(make: Callable[..., Grader], task: Task, **params: Any) -> Grader:
    return _OnScale(make(**params), task)
