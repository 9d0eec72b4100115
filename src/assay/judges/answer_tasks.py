"""Tasks of a judge about answers: to write claims and nuggets, and to decide about one claim, nugget or context.

Each task gets two texts. A task that writes is asked once for a text; what it wrote is fixed. A task that decides is asked
about each statement alone, so the order of statements has no effect.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from assay.errors import BadParameter, DataError, UnknownName, near_matches
from assay.judges.grades import PairGrade, read_object, read_reply, read_value, ungraded
from assay.judges.pairs import Pair
from assay.judges.prompt import FOLDER, SLOT, Prompt
from assay.text import shortened

PROMPTS = FOLDER / "answers"
SLOTS = ("statement", "text")
YES_OR_NO: Mapping[str, float] = {"yes": 1.0, "no": 0.0}
IMPORTANCE: Mapping[str, bool] = {"vital": True, "okay": False}
LONGEST_STATEMENT = 1000
"""Characters of the longest claim or nugget; a longer one is not one fact."""
MOST_STATEMENTS = 200


@dataclass(frozen=True, eq=False)
class Task:
    """What a judge is asked about two texts."""

    name: str
    meaning: str
    statement: str
    """What the first text is."""
    text: str
    """What the second text is."""
    words: Mapping[str, float] = field(default_factory=dict)
    """Verdict → its grade; empty if the task writes statements."""

    @property
    def writes(self) -> bool:
        """Whether the judge writes statements instead of a verdict."""
        return not self.words

    @property
    def scale(self) -> tuple[float, ...]:
        """The grades of the verdicts, ascending; empty if the task writes."""
        return tuple(sorted(self.words.values()))

    def word(self, grade: float) -> str:
        """The verdict of a grade."""
        return next(word for word, value in self.words.items() if value == grade)

    def value(self, grade: float) -> float:
        """What a grade is worth, from 0 to 1."""
        return grade / self.scale[-1]


CLAIMS = Task("claims", "split a text into its claims", "the question", "an answer, or a reference answer")
NUGGETS = Task("nuggets", "list the facts of a good answer", "the question", "the reference answer and the relevant texts")
SUPPORTED = Task("supported", "does the text support the claim?", "a claim", "a text", YES_OR_NO)
CONTAINED = Task(
    "contained",
    "does the answer contain the nugget?",
    "a nugget",
    "the answer",
    {"support": 2.0, "partial": 1.0, "none": 0.0},
)
USEFUL = Task("useful", "is the context useful?", "the question, and the reference answer", "a retrieved context", YES_OR_NO)
TASKS: Mapping[str, Task] = {task.name: task for task in (CLAIMS, NUGGETS, SUPPORTED, CONTAINED, USEFUL)}


@dataclass(frozen=True)
class TaskPrompt(Prompt):
    """A prompt with slots for the two texts of a task."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The slots that it has: what is sent."""
        used = set(SLOT.findall(self.text))
        return tuple(name for name in SLOTS if name in used)

    def fill(self, pair: Pair, max_chars: int) -> str:
        """The prompt for two texts. The second is cut after so many characters. Slots in the texts are not filled."""
        values = {"statement": pair.query_text, "text": pair.document_text[:max_chars]}
        return SLOT.sub(lambda slot: values[slot[1]], self.text)


def load_task_prompts(folder: str | Path = "") -> dict[str, TaskPrompt]:
    """Task → its prompt: the file of this name in a folder of your own, else the bundled one."""
    own = _own_files(Path(folder)) if folder else {}
    return {name: _task_prompt(name, own.get(name, PROMPTS / f"{name}.md")) for name in TASKS}


def _own_files(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise DataError("is not a folder with prompts", source=folder)
    files = {file.stem: file for file in sorted(folder.glob("*.md"))}
    for name in files:
        if name not in TASKS:
            raise UnknownName("prompt", name, near_matches(name, TASKS), f"choose from {', '.join(TASKS)}")
    return files


def _task_prompt(name: str, file: Path) -> TaskPrompt:
    try:
        text = file.read_text(encoding="utf-8").replace("\r\n", "\n").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or 'not valid UTF-8'}", source=file) from None
    slots = set(SLOT.findall(text))
    if unknown := sorted(slots - set(SLOTS)):
        raise BadParameter(f"the prompt {file} has an unknown slot {{{unknown[0]}}}   (choose from {', '.join(SLOTS)})")
    if missing := [slot for slot in SLOTS if slot not in slots]:
        raise BadParameter(f"the prompt {file} has no slot {{{missing[0]}}}. Add it")
    return TaskPrompt(name, text, TASKS[name].scale)


def digest_of_prompts(prompts: Mapping[str, TaskPrompt]) -> str:
    """A hash of all prompts."""
    return sha256("\0".join(prompts[name].digest for name in sorted(prompts)).encode()).hexdigest()


# What a judge said


def read_task_reply(task: Task, text: str) -> PairGrade:
    """What the reply of a model means: a verdict, or statements, which are JSON text in `reason`."""
    if not task.writes:
        return read_reply(text, task.scale)
    content = read_object(text)
    if content is None:
        return ungraded("the reply is not one JSON object")
    if not isinstance(content.get(task.name), list):
        return ungraded(f'the reply does not have "{task.name}" as a list')
    return _written(task, content[task.name])


def read_task_value(task: Task, returned: Any) -> PairGrade:
    """What a function or a program returned: a verdict, a verdict and a reason, or a list of statements."""
    if isinstance(returned, PairGrade):
        return returned
    if task.writes:
        inside = returned.get(task.name) if isinstance(returned, Mapping) else returned
        return _written(task, inside)
    reason: Any = ""
    if isinstance(returned, Mapping):
        returned, reason = returned.get("verdict", returned.get("grade")), returned.get("reason")
    elif isinstance(returned, tuple) and len(returned) == 2:
        returned, reason = returned
    return read_verdict(task, returned, reason)


def read_verdict(task: Task, value: Any, reason: Any = "") -> PairGrade:
    """The grade of a verdict: one of its words, true or false, or a grade. Anything else is unjudged."""
    if isinstance(value, bool):
        value = task.scale[-1] if value else 0.0
    if isinstance(value, str) and (word := value.strip().lower()) in (words := {**YES_OR_NO_OF[task.name], **task.words}):
        value = words[word]
    return read_value(value, task.scale, reason)


YES_OR_NO_OF: Mapping[str, Mapping[str, float]] = {
    name: {"yes": task.scale[-1], "no": 0.0} for name, task in TASKS.items() if not task.writes
}
"""Task → what yes and no mean; every task that decides understands them."""


def _written(task: Task, listed: Any) -> PairGrade:
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        return ungraded(f"expected a list of {task.name}, found {shortened(listed)}")
    statements: dict[str, tuple[str, bool]] = {}
    for entry in listed:
        statement = _statement(task, entry)
        if statement is None:
            return ungraded(f"expected {task.name} as texts, found {shortened(entry)}")
        if statement[0]:
            statements.setdefault(statement[0].casefold(), statement)
    if len(statements) > MOST_STATEMENTS:
        return ungraded(f"found {len(statements)} {task.name}, more than {MOST_STATEMENTS}")
    return PairGrade(float(len(statements)), reason=json.dumps(list(statements.values()), ensure_ascii=False))


def _statement(task: Task, entry: Any) -> tuple[str, bool] | None:
    """A statement and whether it is vital; None if it is neither text nor text with a known importance."""
    text, importance = entry, "vital"
    if task is NUGGETS and isinstance(entry, Mapping):
        text, importance = entry.get("text"), entry.get("importance", "vital")
    elif task is NUGGETS and isinstance(entry, Sequence) and not isinstance(entry, str) and len(entry) == 2:
        text, importance = entry
    if not isinstance(text, str) or len(text) > LONGEST_STATEMENT or importance not in IMPORTANCE:
        return None
    return " ".join(text.split()), IMPORTANCE[importance]


def written_statements(grade: PairGrade) -> list[tuple[str, bool]]:
    """The statements that a judge wrote, each with whether it is vital."""
    return [(str(text), bool(is_vital)) for text, is_vital in json.loads(grade.reason)] if grade.grade else []
