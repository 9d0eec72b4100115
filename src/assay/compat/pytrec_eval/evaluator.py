"""RelevanceEvaluator as in pytrec_eval, with its measure names, its aggregation, and its parsers for TREC lines."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import repeat
from typing import Any

import numpy as np

from assay.compat.pytrec_eval.differences import DIFFERENCES
from assay.errors import BadParameter, DataError, Faults, UnknownName, near_matches
from assay.metrics import TREC_FAMILIES, TREC_GROUPS, BoundMetric, GradedRun, find_metrics
from assay.model import (
    GEOMETRIC_FLOOR,
    GEOMETRIC_MEAN,
    TEXT,
    Column,
    Policy,
    Qrels,
    Ranking,
    Rankings,
    Run,
    all_text,
    as_rankings,
)
from assay.views import grade

Measures = Mapping[str, Mapping[str, Any]]
MAX_RANKINGS = 8
"""Up to this number of rankings, scores are compared without arrays over all rankings."""


class RelevanceEvaluator:
    """Judgments and measures, prepared once, to evaluate any number of runs. It can be pickled."""

    def __init__(
        self,
        query_relevance: Measures,
        measures: Iterable[str],
        relevance_level: float = 1,
        judged_docs_only_flag: bool = False,
        *,
        float32: bool = False,
    ) -> None:
        """Queries without judgments are dropped. `float32` truncates scores first, so that close scores are tied."""
        if not isinstance(relevance_level, int | float | np.number) or not 0 < relevance_level < math.inf:
            raise BadParameter(f"relevance_level must be a number above 0, not {relevance_level!r}")
        self._qrels = _without_empty(Qrels(query_relevance))
        self._policy = Policy(rel=float(relevance_level), judged_only=bool(judged_docs_only_flag), missing="skip")
        self._float32 = float32
        self._measures = (measures,) if isinstance(measures, str) else tuple(measures)
        self._metrics = metrics_by_key(self._measures)

    def evaluate(self, scores: Measures) -> dict[str, dict[str, float]]:
        """Query → measure → value, for the queries that are both judged and in `scores`, in the order of `scores`."""
        if not scores:
            return {}
        run = Run.borrow(as_rankings(scores))
        truncated = _in_float32(run)
        if self._float32 or truncated is run:
            return self._evaluate(truncated)
        values = self._evaluate(run)
        if values != self._evaluate(truncated):
            DIFFERENCES.warn("float32")
        return values

    def _evaluate(self, run: Run) -> dict[str, dict[str, float]]:
        view = grade(run, self._qrels, self._policy).run
        self._warn_of_differences(run, view)
        values = [_values(metric, view) for metric in self._metrics.values()]
        rows = zip(*values, strict=True) if values else repeat((), view.n_queries)
        by_query = dict(zip(view.query_ids, map(dict, map(zip, repeat(tuple(self._metrics)), rows)), strict=True))
        if view.query_ids == run.query_ids:
            return by_query
        return {query: by_query[query] for query in run.query_ids if query in by_query}

    def _warn_of_differences(self, run: Run, view: GradedRun) -> None:
        """Warn of queries for which the original gives 0 or nan."""
        names = self._metrics.keys()
        if any(name == "num_rel" or name.startswith("gm_") for name in names) and self._has_empty(run, names):
            DIFFERENCES.warn("empty ranking")
        if self._policy.judged_only and not names.isdisjoint(("iprec_at_recall_0.00", "11pt_avg")):
            rankings = dict(zip(run.query_ids, run.rankings, strict=True))
            if any(rankings[query] and not rankings[query].keys() & self._qrels[query].keys() for query in view.query_ids):
                DIFFERENCES.warn("nothing judged")

    def _has_empty(self, run: Run, names: Iterable[str]) -> bool:
        """Whether a judged query has an empty ranking and relevant documents, or for `gm_…` only negative grades."""
        lengths = run.order.end - run.order.start
        judged = [
            self._qrels[query] for place, query in enumerate(run.query_ids) if query in self._qrels and not lengths[place]
        ]
        is_geometric = any(name.startswith("gm_") for name in names)
        if judged and (is_geometric or any(grade > 0 for grades in judged for grade in grades.values())):
            return True
        largest = (
            np.maximum.reduceat(self._qrels.grades, self._qrels.offsets[:-1]) if is_geometric and len(self._qrels) else ()
        )
        return any(query in run for query, top in zip(self._qrels.query_ids, largest, strict=False) if top < 0)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_metrics"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._metrics = metrics_by_key(self._measures)


def _without_empty(qrels: Qrels) -> Qrels:
    is_empty = np.diff(qrels.offsets) == 0
    return Qrels({query: judged for query, judged in qrels.items() if judged}) if is_empty.any() else qrels


def _values(metric: BoundMetric, view: GradedRun) -> list[float]:
    """One value per query as in the original: text is 0.0, and geometric means are the logarithms of the scores."""
    aggregation = metric.metric.aggregation
    if aggregation is TEXT:
        return [0.0] * view.n_queries
    score = Column.of(metric.score(view), aggregation).score
    return (np.log(np.maximum(score, GEOMETRIC_FLOOR)) if aggregation is GEOMETRIC_MEAN else score).tolist()


def _in_float32(run: Run) -> Run:
    """The run with scores truncated to float32 in rankings where this ties documents. Other rankings keep their order."""
    if len(run) <= MAX_RANKINGS and not any(map(_has_close_scores, run.rankings)):
        return run
    order = run.order
    with np.errstate(over="ignore"):
        near = order.negated.astype(np.float32)
        second = np.flatnonzero((near[1:] == near[:-1]) & (order.negated[1:] != order.negated[:-1])) + 1
        place = np.searchsorted(order.end, second, side="right")
        if not np.any(second > order.start[place]):
            return run
        rankings = dict(zip(run.query_ids, run.rankings, strict=True))
        for number in np.unique(place[second > order.start[place]]).tolist():
            query, ranking = run.query_ids[number], run.rankings[number]
            rankings[query] = dict(zip(ranking, np.array(list(ranking.values()), np.float32).tolist(), strict=True))
    return Run.borrow(Rankings(rankings))


def _has_close_scores(ranking: Ranking) -> bool:
    """Whether float32 may tie documents of a ranking, or its scores have other types than float."""
    scores = list(ranking.values())
    if set(map(type, scores)) != {float}:
        return True
    with np.errstate(over="ignore"):
        return len(set(np.array(scores, np.float32).tolist())) < len(set(scores))


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """One value for a measure: the sum of `num_…`, the geometric mean of `gm_…` (values are logarithms), else the mean."""
    try:
        figures = np.array(list(values), dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"{measure}: the values to aggregate must be numbers, not {values!r}") from None
    if measure.startswith("num_"):
        return float(figures.sum())
    if not len(figures):
        return math.nan
    return float(np.exp(figures.mean()) if measure.startswith("gm_") else figures.mean())


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Query → document → score, from the lines of a TREC run: query Q0 document rank score tag."""
    return _parse_lines(f_run, "run", n_columns=6, column=4, convert=float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Query → document → grade, from the lines of TREC judgments: query 0 document grade."""
    return _parse_lines(f_qrel, "qrel", n_columns=4, column=3, convert=int)


def _parse_lines(lines: Iterable[str], kind: str, n_columns: int, column: int, convert: Callable[[str], Any]) -> Any:
    """Query → document → value. The error lists the lines that cannot be used, at most twenty."""
    if isinstance(lines, str | bytes):
        raise DataError(f"parse_{kind} needs an open file or a list of lines, not one text; pass text.splitlines()")
    faults = Faults(str(getattr(lines, "name", kind)))
    parsed: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) == n_columns:
            known, doc = parsed[fields[0]], fields[2]
            try:
                value = convert(fields[column])
                if doc not in known and value == value:  # only nan differs from itself
                    known[doc] = value
                    continue
            except ValueError:
                pass
        if fields:
            faults.add(number, _fault(fields, n_columns, column, parsed))
        if faults.full:
            break
    faults.raise_if_any()
    if not all_text(parsed):
        raise DataError(f"{faults.source}: the lines are bytes; open the file in text mode")
    return parsed


def _fault(fields: list[str], n_columns: int, column: int, parsed: Mapping[str, Mapping[str, Any]]) -> str:
    if len(fields) != n_columns:
        return f"expected {n_columns} columns, found {len(fields)}"
    if fields[2] in parsed[fields[0]]:
        return f"document {fields[2]} appears twice for query {fields[0]}; keep one of the lines"
    expected = "a whole number as the grade" if n_columns == 4 else "a number as the score"
    return f"expected {expected}, found {fields[column]!r}"


_GROUPS = TREC_GROUPS["pytrec_eval"]
_IN_ORDER = _GROUPS["all_trec"]
"""The order of trec_eval, which is the order of the keys of a result."""
_PREFS = ("num_prefs_poss", "num_prefs_ful", "num_prefs_ful_ret", "simp", "pair", "avgjg")
_MORE_PREFS = (
    *("avgjg_Rnonrel", "simp_ret", "pair_ret", "avgjg_ret", "avgjg_Rnonrel_ret"),
    *("simp_imp", "pair_imp", "avgjg_imp"),
)

supported_measures: set[str] = set(_IN_ORDER)
"""Every measure, without parameters."""
supported_nicknames: dict[str, set[str]] = {
    **{nickname: set(measures) for nickname, measures in _GROUPS.items()},
    "all_prefs": {"runid", "num_q", *(f"prefs_{name}" for name in (*_PREFS, *_MORE_PREFS))},
    "prefs": {"runid", "num_q", *(f"prefs_{name}" for name in _PREFS)},
    "qrels_jg": {"runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"},
}
"""Groups of measures. As in the original, the last three exist but contain measures that it cannot compute."""

_TAKES_PARAMETERS = {*TREC_FAMILIES, "relstring", "11pt_avg", "set_F"}
_WITH_PARAMETERS = re.compile(
    rf"({'|'.join(sorted(map(re.escape, _IN_ORDER)))})[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)", re.ASCII
)


def metrics_by_key(measures: Iterable[str]) -> dict[str, BoundMetric]:
    """Key in the result → metric, in trec_eval's order. `P` and `P_5` together mean only `P_5`."""
    parameters_of: dict[str, set[str]] = defaultdict(set)
    for measure in measures:
        for text in sorted(supported_nicknames.get(measure, {measure})) if isinstance(measure, str) else [measure]:
            name, parameters = _split(text)
            parameters_of[name].update(parameters)
    metrics: dict[str, BoundMetric] = {}
    for name in filter(parameters_of.__contains__, _IN_ORDER):
        cuts = ",".join(sorted(parameters_of[name], key=float)) or TREC_FAMILIES.get(name)
        for metric in find_metrics(f"{name}.{cuts}" if cuts else name):
            metrics[metric.trec_name if name in TREC_FAMILIES else name] = metric
    return metrics


def _split(text: Any) -> tuple[str, list[str]]:
    """`ndcg_cut.5,10` → ndcg_cut, [5, 10]."""
    if not isinstance(text, str):
        raise BadParameter(f"a measure must be a name, not {text!r}")
    if text in supported_measures:
        return text, []
    shape = _WITH_PARAMETERS.fullmatch(text)
    if not shape:
        raise UnknownName("measure", text, near_matches(text, _IN_ORDER, most=2), "supported_measures lists all names")
    name, parameters = shape[1], shape[2]
    if name not in _TAKES_PARAMETERS:
        instead = f"; for a cutoff, use {name}_cut_{parameters}" if f"{name}_cut" in TREC_FAMILIES else ""
        raise BadParameter(f"{text}: {name} has no parameter here{instead}")
    return name, parameters.split(",")
