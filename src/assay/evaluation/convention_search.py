"""Convention search: find the conventions that give a number, and the reasons why tools disagree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.datasets import BenchmarkDataset
from assay.errors import BadParameter, DataError, UsageError
from assay.evaluation.bands import tie_bands
from assay.evaluation.conventions import (
    DISTANCES,
    Convention,
    Weight,
    all_conventions,
    all_cutoffs,
    differences,
    micro_averages,
)
from assay.evaluation.explanation import SCORE_TOLERANCE, Explanation, Figure, Target
from assay.evaluation.grader import Grader
from assay.evaluation.ground_truth import as_judged, as_ranked
from assay.evaluation.notes import check_ids_match, notes_on
from assay.evaluation.profile import OWN, Profile, Setting, ToolRefusal, check_supported, with_settings
from assay.evaluation.profiles import PROFILES, choose_profile
from assay.evaluation.times.ages import AgeSource
from assay.metrics import BoundMetric, WrittenMetric, parse_metrics
from assay.model import Policy, Qrels, Run, ScoreTable, as_rankings
from assay.text import some_of


@dataclass(frozen=True)
class Start:
    """The conventions that a question starts from, and those that the user set, which apply to every tool."""

    profile: Profile
    overrides: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, policy: Policy | None, profile: str | Profile | None) -> Start:
        """The start for a policy or a profile. Fields that differ from the defaults of the tool were set by the user."""
        chosen = choose_profile(policy, profile)
        usual = PROFILES.get(chosen.name, OWN if chosen.is_own else chosen).policy
        names = [policy_field.name for policy_field in fields(Policy)]
        overrides = {
            name: getattr(chosen.policy, name) for name in names if getattr(chosen.policy, name) != getattr(usual, name)
        }
        return cls(chosen, overrides)

    @property
    def label(self) -> str:
        """The tool that these conventions belong to."""
        return self.profile.name or "assay"


def why(
    qrels: Any,
    run: Any,
    metrics: WrittenMetric | Iterable[WrittenMetric],
    expected: float | str | None = None,
    start: Start | None = None,
    ages: AgeSource | None = None,
) -> list[Explanation]:
    """Explain each metric: its value in every tool, the conventions that matter, and those that give the expected number.

    `ages` are the ages of documents; those of a benchmark are known.
    """
    parsed_metrics = parse_metrics(metrics, (start or Start(OWN)).profile.name)
    target = None if expected is None else Target.parse(expected)
    _check_metrics(parsed_metrics, target)
    judgments = as_judged(qrels)
    source = as_ranked(run, judgments)
    ages = AgeSource.of(qrels) if isinstance(qrels, BenchmarkDataset) else ages
    studies = [_Study(metric, start or Start(OWN), judgments, target) for metric in parsed_metrics]
    grader = Grader(judgments, source, [policy for study in studies for policy in study.policies()], ages=ages)
    for study in studies:
        check_ids_match(grader.grading(study.base.policy).counts, judgments, source)
    return [study.explain(grader, judgments, source) for study in studies]


def _check_metrics(metrics: Sequence[BoundMetric], target: Target | None) -> None:
    if text := [metric.name for metric in metrics if not metric.metric.aggregation.summarise]:
        raise BadParameter(f"{', '.join(text)} returns text, so there is no number to explain")
    if target and len(metrics) > 1:
        names = some_of([metric.name for metric in metrics])
        raise BadParameter(f"an expected value belongs to one metric, but there are {len(metrics)} ({names}). Name only one")


@dataclass(frozen=True)
class _Attempt:
    """Conventions to try, and the setting that they result in."""

    conventions: tuple[Convention, ...]
    setting: Setting
    profile: Profile
    settings: Mapping[str, Any]
    """Policy fields that the user has to set."""
    tool: str = ""
    with_option: bool = False


class _Study:
    """One metric, and all conventions that are tried with it."""

    def __init__(self, metric: BoundMetric, start: Start, qrels: Any, target: Target | None) -> None:
        self.start = start
        self.base = Setting.of(metric, start.profile)
        self.target = target
        conventions = all_conventions(self.base, qrels) + (all_cutoffs(self.base.metric) if target else [])
        alone = micro_averages(self.base.metric) if target else []
        self.ours = _Attempt((), self.base, start.profile, start.overrides)
        self.singles = list(self._attempts((convention,) for convention in (*conventions, *alone)))
        together = ((first, second) for first, second in combinations(conventions, 2) if first.goes_with(second))
        self.pairs = list(self._attempts(together)) if target else []
        self.tools = list(self._tools(metric))

    def _attempts(self, every: Iterable[tuple[Convention, ...]]) -> Iterator[_Attempt]:
        """Each attempt as a user would write it: a metric with parameters, and policy fields."""
        asked = self.base.asked if self.base.asked.metric is self.base.metric.metric else self.base.metric
        for conventions in every:
            policy = {name: value for convention in conventions for name, value in convention.policy.items()}
            params = {name: value for convention in conventions for name, value in convention.params.items()}
            other = next(
                (convention.metric for convention in conventions if convention.metric and not convention.params), None
            )
            profile = self.start.profile.adjusted(**policy)
            try:
                metric = other or (with_settings(asked, **params) if params else self.base.asked)
                setting = Setting.of(metric, profile)
            except UsageError:  # parameters that do not go together
                continue
            yield _Attempt(conventions, setting, profile, {**self.start.overrides, **policy})

    def _tools(self, metric: BoundMetric) -> Iterator[_Attempt]:
        """Every other tool with and without its option; assay too, if the start is another tool."""
        for profile in (OWN, *PROFILES.values()):
            for option in [{}, profile.option.settings] if profile.option.name else [{}]:
                if profile.name == self.start.profile.name and not option:
                    continue
                settings = {**option, **self.start.overrides}
                adjusted = profile.adjusted(**settings)
                setting = Setting.of(metric, adjusted)
                conventions = tuple(differences(setting, self.base))
                yield _Attempt(conventions, setting, adjusted, settings, profile.name or "assay", bool(option))

    def policies(self) -> list[Policy]:
        """Every policy that may be needed."""
        alone = [convention.applied(self.base).policy for attempt in self.tools for convention in attempt.conventions]
        return [attempt.setting.policy for attempt in (self.ours, *self.singles, *self.tools, *self.pairs)] + alone

    def explain(self, grader: Grader, qrels: Qrels, source: Any) -> Explanation:
        """Score all attempts and collect those that explain something."""
        scores = _Scores(grader)
        ours = scores.figure(self.ours)
        if ours.fault:
            raise DataError(ours.fault)
        singles = tuple(figure for figure in map(scores.figure, self.singles) if figure.differs(ours))
        tools = tuple(self._with_distinct_options([self._tool(scores, ours, attempt) for attempt in self.tools]))
        explanation = Explanation(self.base.metric, ours, tools, singles, self.start.label, self.target)
        explanation = replace(explanation, n_equal=_n_equal(grader, self.base), notes=self._notes(grader, source))
        if not self.target:
            return explanation
        return _with_all_matches(
            explanation,
            self.target,
            [lambda: self._reversed(qrels, source, grader.ages), lambda: map(scores.figure, self.pairs)],
            lambda: scores.with_ties(ours, self.ours),
        )

    def _reversed(self, qrels: Qrels, source: Any, ages: AgeSource | None) -> list[Figure]:
        """The metric if scores are distances. Ties keep their rule."""
        policy = self.base.policy
        run = source if isinstance(source, Run) else Run.borrow(as_rankings(source, policy.duplicates))
        scores = _Scores(Grader(qrels, run.negated(), [policy], ages=ages))
        return [scores.figure(replace(self.ours, conventions=(DISTANCES,)))]

    def _tool(self, scores: _Scores, ours: Figure, attempt: _Attempt) -> Figure:
        """The metric as a tool scores it, and the conventions of the tool that matter here."""
        metric = attempt.setting.metric
        if attempt.profile.lacks(metric):
            name, profile = metric.metric.name, attempt.profile
            fault = f"has no {profile.describe_lacking(metric) if name in profile.has else name}"
            lacking = Figure(attempt.conventions, attempt.setting, fault=fault, tool=attempt.tool, is_lacking=True)
            return replace(lacking, with_option=attempt.with_option)
        figure = scores.figure(attempt)
        if not figure.band and not figure.differs(ours):
            return figure
        alone = [
            (convention, scores.figure(replace(self.ours, setting=convention.applied(self.base))))
            for convention in attempt.conventions
        ]
        return replace(
            figure, causes=tuple(convention for convention, single in alone if single.band or single.differs(ours))
        )

    def _with_distinct_options(self, tools: Sequence[Figure]) -> Iterator[Figure]:
        """All tools, and those with their option if it changes the value."""
        plain: Figure | None = None
        for figure in tools:
            if not figure.with_option:
                plain = figure
                yield figure
            elif not figure.fault and not (plain and plain.tool == figure.tool and plain.equals(figure)):
                yield figure

    def _notes(self, grader: Grader, source: Any) -> tuple[str, ...]:
        """What is wrong with the ids, if no retrieved document is judged."""
        if len(grader.grading(self.base.policy).run.retrieved.rank):
            return ()
        return notes_on(grader, [self.base], self.start.profile, source)[:1]


Stage = Callable[[], Iterable[Figure]]
"""Computes further values to try."""


def _with_all_matches(
    explanation: Explanation, target: Target, stages: Sequence[Stage], with_ties: Callable[[], Figure | None]
) -> Explanation:
    """Find what gives the expected value: our value, single conventions and tools, rounded or else cut off.

    If nothing does, the stages are tried one after the other: scores as distances, then pairs of conventions. A number that
    only an order of ties could give has no match, because no tool defines that order.
    """
    known = [explanation.ours, *explanation.singles, *explanation.tools]
    if matched := _with_matches(explanation, target, known):
        return matched
    for stage in stages:
        known += (further := list(stage()))
        if matched := _with_matches(explanation, target, further):
            break
    own = with_ties()
    bands = [*([own] if own else []), *explanation.tools]
    undefined = tuple(figure for figure in bands if figure.ends and target.lies_within(*figure.ends))
    if matched:
        n_pairs = sum(len(figure.conventions) > 1 and not figure.tool for figure in known)
        return replace(matched, undefined=undefined if matched.is_coincidence else (), n_pairs=n_pairs)
    with_value = [figure for figure in known if not figure.fault and figure.value == figure.value]
    nearest = min(with_value, key=lambda figure: target.distance(figure.value), default=None)
    return replace(explanation, nearest=nearest, undefined=undefined)


def _with_matches(explanation: Explanation, target: Target, figures: Sequence[Figure]) -> Explanation | None:
    for is_cut, fits in enumerate((target.matches, target.matches_cut)):
        if matches := [figure for figure in figures if not figure.fault and fits(figure.value)]:
            return replace(explanation, matches=tuple(matches), is_cut=bool(is_cut))
    return None


def _n_equal(grader: Grader, setting: Setting) -> dict[str, int]:
    """Query → how many documents share a score with a judged document, if the tie leaves ranks open."""
    run = grader.grading(setting.policy).run
    n_equal: dict[str, int] = {}
    if run.ties is not None:
        for number in run.undecided().tolist():
            query = run.query_ids[run.retrieved.query[number]]
            n_equal[query] = max(n_equal.get(query, 1), int(run.ties.equal[number]))
    return n_equal


class _Scores:
    """Values of settings, each computed once, because many conventions result in the same rankings."""

    def __init__(self, grader: Grader) -> None:
        self._grader = grader
        self._known: dict[tuple[str, int | None, int], ScoreTable] = {}

    def figure(self, attempt: _Attempt) -> Figure:
        """The value under a setting, or the reason why there is none."""
        profile, setting = attempt.profile, attempt.setting
        figure = Figure(attempt.conventions, setting, tool=attempt.tool, with_option=attempt.with_option)
        figure = replace(figure, profile=profile.name, settings=attempt.settings)
        try:
            table = self._table(profile, setting)
        except DataError as error:
            is_undefined = isinstance(error, ToolRefusal) and error.is_undefined
            figure = replace(figure, fault=error.message, is_undefined=is_undefined)
            return self._with_band(figure, attempt) if setting.policy.ties == "error" else figure
        value = table.summary()[setting.metric.name]
        weight = next((convention.weight for convention in attempt.conventions if convention.weight), None)
        return replace(figure, table=table, value=self._weighted(attempt, table, weight) if weight else value)

    def _weighted(self, attempt: _Attempt, table: ScoreTable, weight: Weight) -> float:
        """The mean of the scores, weighted by another metric."""
        weights = self._table(attempt.profile, replace(attempt.setting, metric=weight.metric)).by_id()
        scores = table.by_id().columns[attempt.setting.metric.name].score
        weigh = weights.columns[weight.metric.name].score + weight.added
        return float(np.sum(scores * weigh) / np.sum(weigh)) if np.sum(weigh) else float("nan")

    def with_ties(self, figure: Figure, attempt: _Attempt) -> Figure | None:
        """The figure with its range over all orders of ties; None if ties do not change it."""
        band = tie_bands(self._grader, [attempt.setting]).get(attempt.setting.metric.name)
        if band is None or figure.table is None or not band.width > SCORE_TOLERANCE:
            return None
        lowest = ScoreTable(figure.table.query_ids, {attempt.setting.metric.name: band.columns["min"]})
        return replace(figure, band=band, table=lowest, is_undefined=True)

    def _table(self, profile: Profile, setting: Setting) -> ScoreTable:
        grading = self._grader.grading(setting.policy)
        check_supported(profile, setting, grading.run, grading.missing)
        key = (setting.metric.name, setting.digits, id(grading.run))
        if key not in self._known:
            self._known[key] = self._grader.table([setting])
        return self._known[key]

    def _with_band(self, figure: Figure, attempt: _Attempt) -> Figure:
        """The figure with its range of values, if only the order of equal scores is undefined."""
        loose = replace(figure.setting, policy=replace(figure.setting.policy, ties="docid_desc"))
        try:
            table = self._table(attempt.profile, loose)
        except DataError:
            return figure
        band = tie_bands(self._grader, [loose])[loose.metric.name]
        lowest = ScoreTable(table.query_ids, {loose.metric.name: band.columns["min"]})
        return replace(figure, band=band, table=lowest, is_undefined=True)
