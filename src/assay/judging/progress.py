"""Progress of judging: what is judged on a benchmark and by whom, and what the next judgments would tell."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from shlex import quote
from typing import Any, NamedTuple

import numpy as np

from assay.errors import AssayError, DataError
from assay.evaluation import Result
from assay.judging.correction import Corrected
from assay.judging.design import DIFFERENCE, parse_design
from assay.judging.frame import ranked_documents
from assay.judging.layers import PEOPLE, Grades
from assay.judging.planning import FEWEST_KNOWN, JudgingPlan, plan_judging
from assay.judging.pool_files import kept_pool_path
from assay.judging.pools import Pool
from assay.judging.random_part import grades_in_order
from assay.serialize import to_json
from assay.stats import estimated_difference, estimated_mean
from assay.store import KINDS, Judgment, combined, restore_ids
from assay.text import printable

DEPTH = 10
"""The first documents of a system, whose judged share is shown."""
NEXT = 100
"""The number of further judgments whose worth is computed."""
NOT_IN_ORDER = "the grades so far were not given in the order of this pool, so they count when all its pairs are judged"
USES = {
    "people": "used: they add to the judgments of a benchmark, or overrule them",
    "model": "not used as grades; corrected by people's",
    "rule": "not used as grades",
}
"""Kind of judge → what its grades count for."""


@dataclass(frozen=True)
class JudgeStatus:
    """A judge with the number of grades, and the time of the newest."""

    judge: str
    n_grades: int
    newest: str


@dataclass(frozen=True)
class LayerStatus:
    """The grades of one kind of judges."""

    kind: str
    judges: tuple[JudgeStatus, ...]
    n_pairs: int
    """The number of pairs of query and document with a grade."""

    @property
    def n_grades(self) -> int:
        """The number of grades."""
        return sum(judge.n_grades for judge in self.judges)

    @property
    def newest(self) -> str:
        """The time of the newest grade."""
        return max(judge.newest for judge in self.judges)

    @property
    def use(self) -> str:
        """What these grades count for."""
        return USES[self.kind]


class SystemStatus(NamedTuple):
    """How much of the first ten documents of a system is judged."""

    name: str
    n_documents: int
    judged: float
    """The share with a judgment of the benchmark or a grade by people."""
    by_people: float
    """The share with a grade by people."""


@dataclass(frozen=True)
class Widths:
    """Half widths of 95 % intervals; nan if they are unknown."""

    value: float = math.nan
    """Of the metric of a system, the mean over systems."""
    difference: float = math.nan
    """Of the difference of two systems, the mean over pairs of systems."""


@dataclass(frozen=True)
class PoolStatus:
    """How much of a pool people have judged, how exact its estimates are, and what further judgments would give."""

    id: str
    how: str
    metric: str
    n_drawn: int
    n_judged: int
    now: Widths = field(default_factory=Widths)
    n_next: int = 0
    """How many further judgments `after` is about. If all drawn pairs are judged, they belong to a larger pool."""
    after: Widths = field(default_factory=Widths)
    reason: str = ""
    """Why no widths are known; empty if they are."""

    @property
    def next_step(self) -> str:
        """The command that continues: judge the pairs that are left, or extend the pool; empty if all is judged."""
        if self.n_left:
            return "assay serve"
        if not self.n_next:
            return ""
        pairs = self.n_drawn + self.n_next
        if parse_design(self.how).unit:
            return f"assay pool latest --extend {kept_pool_path(self.id)} --pairs {pairs} -o larger.jsonl"
        return f"assay pool latest --pairs {pairs} --how {quote(self.how)} -m {quote(self.metric)} -o larger.jsonl"

    @property
    def compare(self) -> str:
        """The command that estimates from the grades so far; empty without grades, or if nothing can be estimated."""
        if not self.n_judged or self.reason:
            return ""
        return f"assay compare latest --judgments people --pool {kept_pool_path(self.id)}"

    @property
    def n_left(self) -> int:
        """The number of drawn pairs without a grade by people."""
        return self.n_drawn - self.n_judged


@dataclass(frozen=True)
class JudgingStatus:
    """What is judged on a benchmark. `to_dict()` has everything as plain values."""

    benchmark: str
    layers: tuple[LayerStatus, ...]
    systems: tuple[SystemStatus, ...]
    pools: tuple[PoolStatus, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; None if unknown."""
        layers = [{**to_json(layer), "n_grades": layer.n_grades, "use": layer.use} for layer in self.layers]
        pools = [
            {**to_json(pool), "n_left": pool.n_left, "next_step": pool.next_step, "compare": pool.compare}
            for pool in self.pools
        ]
        return {
            "benchmark": self.benchmark,
            "layers": layers,
            "systems": [to_json(system._asdict()) for system in self.systems],
            "pools": pools,
        }


def judging_status(
    benchmark: str, judgments: Iterable[Judgment], results: Iterable[Result], pools: Iterable[Pool]
) -> JudgingStatus:
    """The status of a benchmark from all its judgments, the newest result of each system, and its pools."""
    every, systems = list(judgments), list(results)
    people = combined(every, PEOPLE)
    by_kind = [[judgment for judgment in every if judgment.kind == kind] for kind in KINDS]
    return JudgingStatus(
        benchmark,
        tuple(_layer(some) for some in by_kind if some),
        tuple(_system(result, people) for result in systems),
        tuple(_pool(pool, every, systems) for pool in pools),
    )


def _layer(judgments: Sequence[Judgment]) -> LayerStatus:
    counts = Counter(judgment.judge for judgment in judgments)
    newest = {name: max(each.judged for each in judgments if each.judge == name) for name in counts}
    most_first = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    judges = tuple(JudgeStatus(name, n, newest[name]) for name, n in most_first)
    return LayerStatus(judgments[0].kind, judges, len({(each.query, each.document) for each in judgments}))


def _system(result: Result, people: Grades) -> SystemStatus:
    documents = ranked_documents(result, result.policy.rank_rule, DEPTH) if result.run else lambda _: ()
    n = judged = by_people = 0
    for query in result.query_ids:
        graded = people.get(printable(query), {})
        known = {*result.relevant.get(query, ()), *result.nonrelevant.get(query, ())}
        for document in documents(query):
            is_graded = printable(document) in graded
            n, by_people, judged = n + 1, by_people + is_graded, judged + (is_graded or document in known)
    return SystemStatus(result.name, n, judged / n if n else math.nan, by_people / n if n else math.nan)


def _pool(pool: Pool, judgments: Sequence[Judgment], results: Sequence[Result]) -> PoolStatus:
    """The status of a pool; its widths need results of its systems, and grades that estimates may use."""
    grades = _grades_of(pool, judgments)
    n_judged = sum(pair.document in grades.get(pair.query, {}) for pair in pool.drawn)
    n_left = len(pool.drawn) - n_judged
    n_next = min(NEXT, n_left or len(pool.pairs) - n_judged)
    about = PoolStatus(pool.id, pool.how, pool.metric, len(pool.drawn), n_judged, n_next=n_next)
    systems = {result.name: result for result in results if result.name in pool.systems and result.run}
    reason = _why_unknown(pool, systems)
    if reason:
        return replace(about, reason=reason)
    if pool.unit == DIFFERENCE:
        systems = {name: systems[name] for name in pool.compared}
    try:
        usable = _grades_of(pool, grades_in_order(pool, [each for each in judgments if each.kind == PEOPLE]))
    except DataError:
        return replace(about, reason=NOT_IN_ORDER)
    try:
        now = _widths(Corrected(usable, None, pool), systems) if n_judged else Widths()
    except AssayError as error:
        return replace(about, reason=str(error))
    plan = plan_judging(systems, pool.how, depth=pool.depth, metric=pool.metric, people=grades)
    return replace(about, now=now, after=_after(plan, now, pool, n_judged, n_next))


def _grades_of(pool: Pool, judgments: Iterable[Judgment]) -> Grades:
    """The grades by people for the drawn pairs."""
    drawn: dict[str, list[str]] = {}
    for pair in pool.drawn:
        drawn.setdefault(pair.query, []).append(pair.document)
    return restore_ids(combined(judgments, PEOPLE), drawn)


def _why_unknown(pool: Pool, systems: Mapping[str, Result]) -> str:
    if not pool.unit:
        return f"nothing can be estimated from {pool.how}: its grades can be used again as judgments"
    lacking = [name for name in (pool.compared if pool.unit == DIFFERENCE else pool.systems) if name not in systems]
    return f"the store has no rankings of {', '.join(lacking)}" if lacking else ""


def _widths(layer: Corrected, systems: Mapping[str, Result]) -> Widths:
    """The half widths of the estimates from the grades so far."""
    pool = layer.known_pool
    columns = [layer.estimate(result, [pool.metric]).table.columns[pool.metric] for result in systems.values()]
    values = [] if pool.unit == DIFFERENCE else [_half(*estimated_mean(each.weight).interval(0.95)) for each in columns]
    gaps = [_half(*estimated_difference(a, b).interval(0.95)) for a, b in combinations(columns, 2)]
    return Widths(_mean(values), _mean(gaps))


def _half(low: float, high: float) -> float:
    return (high - low) / 2


def _mean(halves: Sequence[float]) -> float:
    known = [half for half in halves if not math.isnan(half)]
    return float(np.mean(known)) if known else math.nan


def _after(plan: JudgingPlan, now: Widths, pool: Pool, n_judged: int, n_next: int) -> Widths:
    """What n more judgments would give: the present width, changed as the plan expects; without enough grades, the plan."""
    if not n_next:
        return Widths()
    later = plan.expected(n_judged + n_next)
    if n_judged < FEWEST_KNOWN:
        value, difference = later.value, later.difference
    else:
        before = plan.expected(n_judged)
        value, difference = now.value * later.value / before.value, now.difference * later.difference / before.difference
    return Widths(math.nan if pool.unit == DIFFERENCE else value, difference)
