"""Judged answers: the results of one or several systems from verdicts of judges, together with metrics of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict, Unpack

from assay.datasets import BenchmarkDataset, load_dataset
from assay.errors import UsageError
from assay.evaluation import (
    OWN,
    AnsweredQueries,
    Profile,
    Provenance,
    Result,
    Scores,
    Setting,
    choose_profile,
    evaluate_answers,
    in_requested_order,
    prepared_answers,
    settings_of,
    with_columns,
)
from assay.execution import DEFAULT_HOME
from assay.files import AnswerRecords
from assay.judged_answers.asking import AnswerJudge, AnswerJudgingRun, check_judge, judge_systems, settings_of_judge
from assay.judged_answers.draw import Draw
from assay.judged_answers.items import Item, Material, checks_read_by
from assay.judged_answers.layers import VerdictLayers, choose_layer, layers_of
from assay.judged_answers.material import check_material, materials_of
from assay.judged_answers.notes import notes_on_verdicts
from assay.judged_answers.scoring import AnswerScores, reads_verdicts
from assay.judged_answers.statements import Statements, read_statements
from assay.judged_answers.verdict_files import read_verdicts
from assay.judges import CLAIMS, NUGGETS, AskOptions, BoundJudge, Prices, load_task_prompts, to_judge
from assay.metrics import BoundMetric, Given, parse_metrics, written_metrics
from assay.model import AnswerSource
from assay.store import PEOPLE, Judgment
from assay.text import counted, some_of
from assay.views import ExpectedAnswer

DEFAULT_METRICS = ("faithfulness",)
ScoreOthers = Callable[[AnswerRecords, Sequence[BoundMetric], str], Result]
"""Records, metrics that read no verdicts, and the name of the system → their result."""


@dataclass(frozen=True)
class AnswerJudging:
    """Answers of systems to one benchmark, and what is to be judged about them."""

    systems: Mapping[str, AnswerRecords]
    """Name → answers, with abstentions marked."""
    dataset: BenchmarkDataset | None
    metrics: tuple[BoundMetric, ...]
    """All requested metrics."""
    profile: Profile = OWN
    judge: AnswerJudge | None = None
    statements: Statements = field(default_factory=Statements)
    verdicts: tuple[Judgment, ...] = ()
    """Verdicts that exist already."""
    layer: str | None = None
    judge_name: str | None = None
    """The model judge whose verdicts are used, if there are several."""

    def __post_init__(self) -> None:
        """Check everything that can be checked before anything is sent."""
        if self.judge is not None:
            check_judge(self.judge)
        for rows in self.materials.values():
            check_material(rows, {check: metric for metric in self.judged for check in checks_read_by(metric)})

    @property
    def settings(self) -> tuple[Setting, ...]:
        """All metrics with the parameters of the profile."""
        return settings_of(self.metrics, self.profile)

    @property
    def judged(self) -> tuple[BoundMetric, ...]:
        """The metrics that read verdicts."""
        return tuple(setting.metric for setting in self.settings if reads_verdicts(setting.metric))

    @property
    def checks(self) -> tuple[str, ...]:
        """Everything that these metrics read."""
        return tuple(dict.fromkeys(check for metric in self.judged for check in checks_read_by(metric)))

    @cached_property
    def materials(self) -> dict[str, list[Material]]:
        """The texts of all systems."""
        return {name: materials_of(records, self.dataset, self.profile.policy) for name, records in self.systems.items()}

    @property
    def query_ids(self) -> list[str]:
        """The queries of all systems."""
        return list(dict.fromkeys(each.query for rows in self.materials.values() for each in rows))

    def ask(self, options: AskOptions, draw: Draw | None = None, *, only_statements: bool = False) -> AnswerJudgingRun:
        """Let the judge write and decide what is missing; only for the queries of a draw, if there is one."""
        chosen = None if draw is None else frozenset(draw.queries(self.query_ids))
        return judge_systems(
            self.materials,
            self.checks,
            self.judge,
            self.statements,
            options,
            chosen,
            only_statements=only_statements,
        )

    def check_layer(self) -> None:
        """Raise before anything is sent if it is unclear which layer is used."""
        kinds = {judgment.kind for judgment in self.verdicts}
        choose_layer(self.layer, has_people=PEOPLE in kinds, has_model=self.judge is not None or "model" in kinds)

    def layers(self, run: AnswerJudgingRun) -> VerdictLayers:
        """The verdicts that exist already, and those of the run. A run replaces older verdicts by models."""
        older = [each for each in self.verdicts if self.judge is None or each.kind == PEOPLE]
        return layers_of([*older, *run.judgments], run.items, self.layer, self.judge_name)

    def check_sources(self) -> None:
        """Raise if nothing is to be judged, or nobody judges, or it is unclear which layer is used."""
        if not self.judged:
            raise UsageError("no metric reads verdicts. Use evaluate_answers, or add a metric such as faithfulness")
        if self.judge is None and not self.verdicts:
            raise UsageError("there is no judge and no file of verdicts. Add judge=… or verdicts=…")
        self.check_layer()

    def has_verdicts(self, run: AnswerJudgingRun) -> bool:
        """Whether there is something to score; also if a judge was asked, but there was nothing to judge."""
        return bool(run.judgments or self.verdicts or not (run.items or run.n_unasked or run.unwritten))

    def results(self, run: AnswerJudgingRun, score_others: ScoreOthers | None = None) -> list[Result]:
        """The result of each system. `score_others` scores the metrics that read no verdicts."""
        layers = self.layers(run)
        return [
            self._result(name, AnswerScores(plan, self.judged, layers), run, score_others or self._score_words)
            for name, plan in zip(self.systems, run.plans, strict=True)
        ]

    def _score_words(self, records: AnswerRecords, others: Sequence[BoundMetric], name: str) -> Result:
        return evaluate_answers(records, self.dataset, others, profile=self.profile, name=name)

    def _result(self, name: str, scores: AnswerScores, run: AnswerJudgingRun, score_others: ScoreOthers) -> Result:
        others = [setting.metric for setting in self.settings if not reads_verdicts(setting.metric)]
        asked = [setting.metric.name for setting in self.settings]
        if others:
            base = score_others(self.systems[name], others, name)
            result = in_requested_order(with_columns(base, scores.table, self.judged), asked)
        else:
            result = self._bare_result(name, scores)
        described = {**result.provenance, "judgments": self._described(scores, run)}
        notes = (*result.notes, *notes_on_verdicts(scores, run))
        return result.with_fields(notes=notes, provenance=described)

    def _bare_result(self, name: str, scores: AnswerScores) -> Result:
        """A result that has only metrics of verdicts."""
        records, rows = self.systems[name], self.materials[name]
        expected = {each.query: None if each.references is None else ExpectedAnswer(each.references) for each in rows}
        replied = AnsweredQueries(records.replies, expected)
        counts = {"judged": len(rows), "scored": len(rows), "missing": len(replied.missing), "without_relevant": 0}
        counts |= {"extra": len(replied.extra)}
        notes = []
        if replied.missing:
            missing = counted(len(replied.missing), "query")
            notes.append(f"{missing} without an answer: counted as an abstention ({some_of(replied.missing)}).")
        if replied.extra:
            notes.append(f"{counted(len(replied.extra), 'answer')} to other queries: left out ({some_of(replied.extra)}).")
        origin = Provenance(self.profile.policy, self.profile.name, notes=tuple(notes), recorded=replied.fingerprints())
        parts = Scores(scores.table, self.judged, counts, replied.missing, tuple(self.settings))
        queries = records.queries if self.dataset is None else self.dataset.queries
        return Result(name, parts, origin).with_fields(queries=queries)

    def _described(self, scores: AnswerScores, run: AnswerJudgingRun) -> dict[str, Any]:
        """What a result says about its verdicts."""
        layers, items = scores.layers, scores.plan.items
        used = layers.people if layers.name == PEOPLE else layers.model
        return {
            "layer": layers.name,
            "judges": list(layers.judges),
            "draw": None if layers.draw is None else str(layers.draw),
            "n_items": len(items),
            "n_unjudged": sum(item.id not in used for item in items),
            "nuggets": run.statements.digest_of_nuggets,
            "settings": {} if self.judge is None else settings_of_judge(self.judge),
        }


@dataclass(frozen=True)
class JudgedAnswers:
    """What `judge_answers` returns: the result, the verdicts, and what was or would be sent."""

    result: Result | None
    """None if there are no verdicts yet."""
    run: AnswerJudgingRun

    @property
    def verdicts(self) -> tuple[Judgment, ...]:
        """The verdicts of the judge; the document is the id of the item."""
        return self.run.judgments

    @property
    def items(self) -> tuple[Item, ...]:
        """Everything that is judged: the query, the task, the statement, and the text."""
        return self.run.items


class Asking(TypedDict, total=False):
    """How a judge is asked, as keywords of `judge_answers`."""

    resume: bool
    """Whether texts that failed before are sent again."""
    prices: tuple[float, float]
    """Prices of a million input and output tokens."""
    most_cost: float
    rpm: float
    """The most requests in a minute."""
    concurrency: int
    home: str | Path


def judge_answers(
    answers: AnswerSource,
    judge: str | BoundJudge | Callable[..., Any] | None = None,
    dataset: BenchmarkDataset | str | Path | None = None,
    metrics: Given | Iterable[Given] = DEFAULT_METRICS,
    *,
    send: bool = False,
    judgments: str | None = None,
    verdicts: str | Path | None = None,
    nuggets: str | Path | None = None,
    claims: str | Path | None = None,
    prompts: str | Path = "",
    abstentions: Iterable[str] = (),
    profile: str | Profile | None = None,
    name: str = "",
    **asking: Unpack[Asking],
) -> JudgedAnswers:
    """Judge the claims, nuggets and contexts of answers, and score them. Nothing is sent without `send=True`.

    A judge is a text such as `openai(model=…)`, or a function of task, statement and text. `verdicts` is a file of
    verdicts by people or a model, `judgments` the layer: people, corrected or model. `nuggets` and `claims` are files of
    fixed statements, and `prompts` is a folder with your own prompts.
    """
    chosen = load_dataset(dataset) if isinstance(dataset, str | Path) else dataset
    profiled, records = choose_profile(None, profile), prepared_answers(answers, chosen, abstentions)
    parts: JudgingParts = {
        "profile": profiled,
        "judge": None if judge is None else AnswerJudge(to_judge(judge), load_task_prompts(prompts)),
        "statements": statements_of(claims, nuggets),
        "verdicts": tuple(read_verdicts(Path(verdicts))) if verdicts else (),
        "layer": judgments,
    }
    asked = tuple(parse_metrics(written_metrics(metrics), profiled.name))
    judging = AnswerJudging({name or records.name or "answers": records}, chosen, asked, **parts)
    judging.check_sources()
    run = judging.ask(_to_options(send, **asking))
    return JudgedAnswers(judging.results(run)[0] if judging.has_verdicts(run) else None, run)


class JudgingParts(TypedDict):
    """The optional fields of an AnswerJudging."""

    profile: Profile
    judge: AnswerJudge | None
    statements: Statements
    verdicts: tuple[Judgment, ...]
    layer: str | None


def _to_options(
    send: bool,
    *,
    resume: bool = False,
    prices: tuple[float, float] | None = None,
    most_cost: float | None = None,
    rpm: float | None = None,
    concurrency: int = 4,
    home: str | Path = str(DEFAULT_HOME),
) -> AskOptions:
    """How a judge is asked."""
    return AskOptions(
        send=send,
        resume=resume,
        concurrency=concurrency,
        per_minute=rpm,
        prices=None if prices is None else Prices(*prices),
        most_cost=most_cost,
        home=Path(home),
    )


def statements_of(claims: str | Path | None, nuggets: str | Path | None) -> Statements:
    """The statements in files that exist. A query that a file of nuggets does not have has none."""
    statements = Statements()
    for path, task in ((claims, CLAIMS), (nuggets, NUGGETS)):
        if path is not None and Path(path).exists():
            known = {**statements.known, **read_statements(Path(path), task).known}
            statements = Statements(known, has_all_nuggets=statements.has_all_nuggets or task is NUGGETS)
    return statements
