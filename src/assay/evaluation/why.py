"""why: which conventions give a number, and what makes tools disagree about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

from assay.errors import BadParameter, DataError
from assay.evaluation.conventions import Convention, all_conventions, differences
from assay.evaluation.evaluate import as_judged, choose_profile
from assay.evaluation.grader import Grader
from assay.evaluation.setting import Setting, refuse
from assay.metrics._metric import BoundMetric
from assay.metrics._parse import parse_metrics
from assay.model.policy import Policy
from assay.model.profile import Profile
from assay.model.profiles import PROFILES
from assay.model.scores import ScoreTable

SAME = 1e-12
"""Figures that differ by no more are the same."""


@dataclass(frozen=True)
class Figure:
    """A metric under some conventions: its value, or the reason why there is none."""

    conventions: tuple[Convention, ...]
    setting: Setting
    table: ScoreTable | None = field(default=None, repr=False)
    value: float = float("nan")
    fault: str = ""
    tool: str = ""
    """The profile that scores so; empty where no tool was asked about."""
    is_lacking: bool = False
    """Whether the tool has no such metric; the fault says so."""
    with_option: bool = False
    """Whether the tool was told, by a switch of its own, to count missing queries."""
    causes: tuple[Convention, ...] = ()
    """Those of its conventions that change the value by themselves."""

    @property
    def label(self) -> str:
        """The tool, and its switch."""
        return f"{self.tool} {PROFILES[self.tool].option.name}" if self.with_option else self.tool

    @cached_property
    def scores(self) -> dict[str, float]:
        """Query → score, for the queries that count."""
        if self.table is None:
            return {}
        score = self.table.columns[self.setting.metric.name].score.tolist()
        return {query: one for query, one in zip(self.table.query_ids, score, strict=True) if one == one}

    @property
    def reasons(self) -> list[str]:
        """Its conventions in plain words; where none of a tool's matters by itself, its rounding may."""
        is_rounded = self.tool and not self.causes and self.setting.digits is not None
        rounding = [f"scores rounded to {self.setting.digits} decimals"] if is_rounded else []
        return [*(convention.words for convention in self.causes or self.conventions), *rounding]

    @property
    def words(self) -> str:
        """All reasons in one line."""
        return "; ".join(self.reasons)


@dataclass(frozen=True)
class Moved:
    """A query that carries a difference: its score here and there (None: not counted), and how many share a score there."""

    query: str
    ours: float | None
    theirs: float | None
    n_equal: int


@dataclass(frozen=True)
class Explanation:
    """What `why` found out about one metric."""

    metric: BoundMetric
    ours: Figure
    tools: tuple[Figure, ...]
    """The metric as each tool scores it."""
    singles: tuple[Figure, ...]
    """The metric with one convention changed, where that changes the value."""
    expected: float | None = None
    matches: tuple[Figure, ...] = ()
    """What gives the expected number, the simplest first."""
    n_equal: dict[str, int] = field(default_factory=dict, repr=False)

    def moved(self, figure: Figure) -> list[Moved]:
        """The queries that make a figure differ from ours, those that move most first."""
        ours, theirs = self.ours.scores, figure.scores
        every = dict.fromkeys((*ours, *theirs))
        found = [Moved(query, ours.get(query), theirs.get(query), self.n_equal.get(query, 1)) for query in every]
        changed = [one for one in found if _differ(one.ours, one.theirs)]
        return sorted(changed, key=lambda one: -abs((one.ours or 0.0) - (one.theirs or 0.0)))


def _adds(switched: Figure, plain: Figure) -> bool:
    """Whether a tool's switch makes a difference worth telling."""
    return not switched.fault and (bool(plain.fault) or abs(switched.value - plain.value) > SAME)


def _differ(ours: float | None, theirs: float | None) -> bool:
    if ours is None or theirs is None:
        return ours is not theirs
    return abs(ours - theirs) > SAME


def why(
    qrels: Any,
    run: Any,
    metrics: str | Iterable[str | BoundMetric],
    expected: float | str | None = None,
    *,
    policy: Policy | None = None,
    profile: str | Profile | None = None,
) -> list[Explanation]:
    """Explain each metric: what every tool makes of it, which conventions matter, and which give the expected number."""
    chosen = choose_profile(policy, profile)
    wanted = parse_metrics(metrics)
    if text := [metric.name for metric in wanted if not metric.metric.aggregation.summarise]:
        raise BadParameter(f"{', '.join(text)} is text, which has no figure to explain")
    target = None if expected is None else Target.parse(expected)
    judgments, source = as_judged(qrels, run)
    studies = [_Study(metric, chosen, judgments, target) for metric in wanted]
    grader = Grader(judgments, source, [policy for study in studies for policy in study.policies()])
    return [study.explained(grader) for study in studies]


@dataclass(frozen=True)
class Target:
    """A number somebody got, and how far from it a value may be: half a unit of its last digit."""

    value: float
    tolerance: float

    @classmethod
    def parse(cls, given: float | str) -> Target:
        """`0.3333`, `.42`, `42.1%`; a number with few digits was probably rounded, but nobody rounds scores to 0 or 1."""
        text = str(given).strip()
        shape = re.fullmatch(r"(-?(?:\d+(?:\.(\d*))?|\.(\d+))(?:[eE][-+]?\d+)?)\s*(%?)", text)
        if not shape:
            raise BadParameter(f"the expected value is a number such as 0.3333 or 33.3%, not {text!r}")
        value, scale = float(shape[1]), 0.01 if shape[4] else 1.0
        digits = 12 if "e" in text.lower() else len(shape[2] or shape[3] or "")
        is_exact = not digits and not shape[4] and abs(value) <= 1
        return cls(value * scale, 0.0 if is_exact else 0.5 * 10.0**-digits * scale)

    def matches(self, value: float) -> bool:
        """Whether the value, rounded, is the number. A bare number above 1 may be a percentage."""
        near = self.tolerance * (1 + 1e-9) + SAME
        return abs(value - self.value) <= near or (self.value > 1 and abs(100 * value - self.value) <= near)


class _Study:
    """One metric, and everything that is tried with it."""

    def __init__(self, metric: BoundMetric, profile: Profile, qrels: Any, target: Target | None) -> None:
        self.profile = profile
        self.base = Setting.of(metric, profile)
        self.target = target
        self.conventions = all_conventions(self.base, qrels)
        switched = [(one.adjusted(**one.option.settings), True) for one in PROFILES.values() if one.option.name]
        every = [*((one, False) for one in PROFILES.values()), *switched]
        same_run = {"duplicates": profile.policy.duplicates}  # it is read once, for all
        every = [(one.adjusted(**same_run), with_option) for one, with_option in every]
        self.profiles = [(one, Setting.of(metric, one), with_option) for one, with_option in every]

    def policies(self) -> list[Policy]:
        """Every policy that may be asked for."""
        single = [convention.applied(self.base).policy for convention in self.conventions]
        tools = [setting.policy for _, setting, _ in self.profiles]
        pairs = []
        if self.target:
            both = combinations([convention for convention in self.conventions if convention.policy], 2)
            pairs = [two.applied(one.applied(self.base)).policy for one, two in both]
        return [self.base.policy, *single, *tools, *pairs]

    def explained(self, grader: Grader) -> Explanation:
        """Score everything and sort it out."""
        scores = _Scores(grader)
        ours = replace(scores.figure((), self.base, self.profile), tool="")
        if ours.fault:
            raise DataError(ours.fault)
        every = [scores.figure((one,), one.applied(self.base)) for one in self.conventions]
        singles = [figure for figure in every if not figure.fault and abs(figure.value - ours.value) > SAME]
        tools = [self._tool(scores, ours, *profile) for profile in self.profiles]
        alone = {figure.tool: figure for figure in tools if not figure.with_option}
        tools = [figure for figure in tools if not figure.with_option or _adds(figure, alone[figure.tool])]
        tools.sort(key=lambda figure: list(PROFILES).index(figure.tool))
        matches = self._matches(scores, ours, tools, singles)
        run = grader.grading(self.base.policy).run
        n_equal: dict[str, int] = {}
        if run.ties is not None:
            for number in run.undecided().tolist():
                query = run.query_ids[run.retrieved.query[number]]
                n_equal[query] = max(n_equal.get(query, 1), int(run.ties.equal[number]))
        value = self.target.value if self.target else None
        return Explanation(self.base.metric, ours, tuple(tools), tuple(singles), value, tuple(matches), n_equal)

    def _tool(self, scores: _Scores, ours: Figure, profile: Profile, setting: Setting, with_option: bool) -> Figure:
        """The metric as a tool scores it, and which of its conventions matter here."""
        conventions = tuple(differences(setting, self.base))
        if profile.has and setting.metric.metric.name not in profile.has:
            fault = f"has no {setting.metric.metric.name}"
            return Figure(conventions, setting, fault=fault, tool=profile.name, is_lacking=True, with_option=with_option)
        figure = replace(scores.figure(conventions, setting, profile), with_option=with_option)
        if figure.fault or abs(figure.value - ours.value) <= SAME:
            return figure
        alone = [(one, scores.figure((one,), one.applied(self.base))) for one in conventions]
        causes = tuple(one for one, single in alone if not single.fault and abs(single.value - ours.value) > SAME)
        return replace(figure, causes=causes)

    def _matches(self, scores: _Scores, ours: Figure, tools: Sequence[Figure], singles: Sequence[Figure]) -> list[Figure]:
        """Figures with the expected value: our own, single conventions, tools, and failing these, two at once."""
        if self.target is None:
            return []
        found = [figure for figure in (ours, *singles, *tools) if not figure.fault and self.target.matches(figure.value)]
        if found:
            return found
        pairs = []
        for one, two in combinations(singles, 2):
            first, second = one.conventions[0], two.conventions[0]
            if (first.metric and second.metric) or first.policy.keys() & second.policy.keys():
                continue
            figure = scores.figure((first, second), second.applied(first.applied(self.base)))
            if not figure.fault and self.target.matches(figure.value):
                pairs.append(figure)
        return pairs


class _Scores:
    """Figures of settings, each worked out once: many conventions end in the same rankings."""

    def __init__(self, grader: Grader) -> None:
        self._grader = grader
        self._known: dict[tuple[str, int | None, int], ScoreTable] = {}

    def figure(self, conventions: tuple[Convention, ...], setting: Setting, profile: Profile | None = None) -> Figure:
        """The value under a setting, or why there is none."""
        name = profile.name if profile else ""
        try:
            grading = self._grader.grading(setting.policy)
            run = grading.run
            if profile:
                refuse(profile, setting, run, grading.missing)
            key = (setting.metric.name, setting.digits, id(run))
            if key not in self._known:
                self._known[key] = self._grader.table([setting])
        except DataError as error:
            return Figure(conventions, setting, fault=error.message, tool=name)
        table = self._known[key]
        return Figure(conventions, setting, table, table.summary()[setting.metric.name], tool=name)
