"""Asking: let a judge write claims and nuggets, and decide about each claim, nugget and context of several systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.errors import UsageError
from assay.evaluation import now
from assay.execution import digest
from assay.judged_answers.items import AnswerPlan, Item, Material, plan_answers
from assay.judged_answers.statements import Source, Statement, Statements, unique
from assay.judges import (
    FOLDER,
    TASKS,
    AskOptions,
    BoundJudge,
    DryRun,
    JudgingRun,
    Ledger,
    Pair,
    PairPool,
    Task,
    TaskPrompt,
    Totals,
    ask_judge,
    digest_of_prompts,
    for_task,
    plan_requests,
    run_judge,
    written_statements,
)
from assay.store import LONGEST_JUDGE, Judgment, digest_of_text

DIGITS = 8
NO_REQUESTS = DryRun((), "", 0, 0, 0, None, 0)


@dataclass(frozen=True)
class AnswerJudge:
    """A judge of answers: a judge of the catalog with a prompt for each task."""

    judge: BoundJudge
    prompts: Mapping[str, TaskPrompt]

    def for_task(self, task: Task) -> BoundJudge:
        """The judge for one task."""
        return for_task(self.judge, task, self.prompts[task.name])

    @property
    def identity(self) -> str:
        """A hash of everything that its verdicts depend on: the judge, and the prompts of all tasks."""
        return digest([self.judge.settings, digest_of_prompts(self.prompts)])

    def stored_name(self, name_for_task: str) -> str:
        """One name for all tasks, made from the name for one task: the model that answered, and a hash."""
        label = name_for_task.rpartition(" #")[0]
        mark = digest([self.identity, label])[:DIGITS]
        return f"{label[: LONGEST_JUDGE - DIGITS - 2].strip()} #{mark}"


@dataclass(frozen=True)
class AnswerJudgingRun:
    """What a judge said about the answers of several systems."""

    plans: tuple[AnswerPlan, ...]
    """What is judged, for each system."""
    statements: Statements
    sources: tuple[Source, ...] = ()
    """Texts whose claims or nuggets are needed."""
    judgments: tuple[Judgment, ...] = ()
    """The verdicts of the judge; the document is the id of the item."""
    unjudged: Mapping[str, str] = field(default_factory=dict)
    """Id of an item → why it has no verdict. It is never 0."""
    unwritten: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Key of a text → why its claims or nuggets could not be read."""
    n_unasked: int = 0
    """Items that were not sent."""
    n_cached: int = 0
    """Outcomes of earlier runs."""
    dry_run: DryRun = NO_REQUESTS
    n_guessed: int = 0
    """Of the requests of the dry run: those that are estimated, because the claims are not made yet."""
    ledger: Totals = field(default_factory=Totals)
    total: Totals = field(default_factory=Totals)
    notes: tuple[str, ...] = ()
    failure: str = ""
    """Why nothing more was sent, if the service refused all requests or could not be reached; otherwise empty."""

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of all systems, each once."""
        return tuple(dict.fromkeys(item for plan in self.plans for item in plan.items))


def judge_systems(
    systems: Mapping[str, Sequence[Material]],
    checks: Sequence[str],
    judge: AnswerJudge | None,
    statements: Statements,
    options: AskOptions,
    chosen: frozenset[str] | None = None,
    *,
    only_statements: bool = False,
) -> AnswerJudgingRun:
    """Let the judge write the missing claims and nuggets, then decide about every item. Without `send`, nothing is sent.

    Without a judge, nothing is asked. `chosen` are the only queries that are asked about. With `only_statements`, the judge
    decides nothing.
    """
    materials = {name: [each for each in rows if chosen is None or each.query in chosen] for name, rows in systems.items()}
    plans = [plan_answers(rows, checks, statements) for rows in materials.values()]
    sources = _once(source for plan in plans for source in plan.sources)
    if judge is None:
        return AnswerJudgingRun(tuple(plans), statements, sources)
    shared = replace(options, ledger=_ledger(judge, systems, options))
    writing = _write(_once(source for plan in plans for source in plan.pending), judge, shared)
    statements = statements.with_more(writing.written)
    plans = [plan_answers(rows, checks, statements) for rows in materials.values()]
    run = AnswerJudgingRun(tuple(plans), statements, sources)
    decisions = [] if only_statements else _decide(run.items, tuple(systems), judge, shared)
    dry_run, n_guessed = sum((each.dry_run for each in decisions), writing.dry_run), 0
    if not options.send and not only_statements:
        guessed, n_guessed = _guess(materials.values(), checks, run, judge, shared)
        dry_run = dry_run + guessed
    return _collected(run, judge, shared, writing, decisions, dry_run, n_guessed)


def _collected(
    run: AnswerJudgingRun,
    judge: AnswerJudge,
    options: AskOptions,
    writing: _Writing,
    decisions: Sequence[JudgingRun],
    dry_run: DryRun,
    n_guessed: int,
) -> AnswerJudgingRun:
    ledger, time = options.ledger or Ledger(), now()
    judgments = (
        judgment._replace(judge=judge.stored_name(judgment.judge), judged=time, pool="")
        for decision in decisions
        for judgment in decision.judgments
    )
    notes = (note for decision in decisions for note in decision.notes)
    return replace(
        run,
        judgments=tuple(judgments),
        unjudged={each.document: each.why for decision in decisions for each in decision.ungraded},
        unwritten=writing.failed,
        n_unasked=writing.n_unasked + sum(decision.n_unasked for decision in decisions),
        n_cached=writing.n_cached + sum(decision.n_cached for decision in decisions),
        dry_run=dry_run,
        n_guessed=n_guessed,
        ledger=ledger.now,
        total=ledger.total,
        notes=tuple(dict.fromkeys((*writing.notes, *notes))),
        failure=ledger.failure,
    )


def _once(sources: Iterable[Source]) -> tuple[Source, ...]:
    return tuple({(source.key, source.task.name): source for source in sources}.values())


def _ledger(judge: AnswerJudge, systems: Mapping[str, Sequence[Material]], options: AskOptions) -> Ledger:
    """One ledger for all requests about these answers, so that the limit on the cost is for all of them."""
    about = digest(sorted((each.query, digest_of_text(each.answer)) for rows in systems.values() for each in rows))
    path = options.home / FOLDER / f"answers-{judge.identity}-{about}.ledger"
    return Ledger(options.prices, options.most_cost, path)


# Claims and nuggets


@dataclass(frozen=True)
class _Writing:
    written: Mapping[tuple[str, str], tuple[Statement, ...]]
    failed: Mapping[tuple[str, str], str]
    n_unasked: int
    n_cached: int
    dry_run: DryRun
    notes: tuple[str, ...]


def _write(sources: Sequence[Source], judge: AnswerJudge, options: AskOptions) -> _Writing:
    """The statements of texts that have none yet."""
    written: dict[tuple[str, str], tuple[Statement, ...]] = {}
    failed: dict[tuple[str, str], str] = {}
    n_asked, n_cached, dry_run, stopped = 0, 0, NO_REQUESTS, ""
    for task in TASKS.values():
        own = [source for source in sources if source.task is task]
        if not own:
            continue
        writer, pool = judge.for_task(task), PairPool(tuple(map(_pair_of, own)), name=task.name)
        dry_run = dry_run + plan_requests(pool, writer, options)
        asked = ask_judge(writer, pool, options)
        n_asked, n_cached, stopped = n_asked + len(asked.grades), n_cached + asked.n_cached, asked.ledger.closed
        for source, key in zip(own, pool.keys, strict=True):
            if (grade := asked.grades.get(key)) is None:
                continue
            if grade.grade is None:
                failed[source.key] = grade.why
            else:
                written[source.key] = unique(Statement(*each) for each in written_statements(grade))
    notes = (f"stopped: {stopped}",) if stopped else ()
    return _Writing(written, failed, len(sources) - n_asked, n_cached, dry_run, notes)


def _pair_of(source: Source) -> Pair:
    """A source in the form in which judges are asked."""
    return Pair(source.query, source.question, f"{source.of} {digest_of_text(source.text)[:16]}", source.text)


# Verdicts


def _decide(items: Sequence[Item], systems: tuple[str, ...], judge: AnswerJudge, options: AskOptions) -> list[JudgingRun]:
    """The verdicts about all items, one pool for each task."""
    runs = []
    for task in TASKS.values():
        pairs = tuple(item.pair for item in items if item.task is task)
        if pairs:
            runs.append(run_judge(PairPool(pairs, "", task.name, systems), judge.for_task(task), options))
    return runs


def _guess(
    materials: Iterable[Sequence[Material]],
    checks: Sequence[str],
    run: AnswerJudgingRun,
    judge: AnswerJudge,
    options: AskOptions,
) -> tuple[DryRun, int]:
    """The requests that will follow, if every sentence of a text is a claim."""
    plans = [plan_answers(rows, checks, run.statements, guesses=True) for rows in materials]
    known = {item.id for item in run.items}
    guessed = [item for item in dict.fromkeys(item for plan in plans for item in plan.items) if item.id not in known]
    total = NO_REQUESTS
    for task in TASKS.values():
        if pairs := tuple(item.pair for item in guessed if item.task is task):
            total = total + plan_requests(PairPool(pairs, name=task.name), judge.for_task(task), options)
    return total, total.requests


def check_judge(judge: AnswerJudge) -> None:
    """Raise before anything is sent if the judge cannot decide about answers."""
    if not judge.judge.gives_grades:
        raise UsageError(f"{judge.judge.name} only orders pairs: its values are not verdicts. Use people or another judge")
    for task in TASKS.values():
        if not task.writes:
            judge.for_task(task).check()


def settings_of_judge(judge: AnswerJudge) -> dict[str, Any]:
    """Everything that verdicts depend on, for the result."""
    prompts = {name: prompt.digest for name, prompt in judge.prompts.items()}
    return {**judge.judge.settings, "prompts": prompts, "identity": judge.identity}
