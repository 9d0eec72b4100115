"""Fusion tuning: find the best fusion for some runs, and estimate its gain on held-out queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, pairwise, product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints
from assay.errors import BadParameter, DataError, UsageError
from assay.files import as_source
from assay.fusion import BoundFusion, RankedLists, argsort_stretches, parse_fusion
from assay.grammar import WrittenName
from assay.metrics import BoundMetric, Given, parse_metric
from assay.model import Column, JudgmentSource, Policy, Qrels, Run, RunSource
from assay.stats import Pairs, difference_intervals, parse_test
from assay.text import printable
from assay.views import Ranked, grade, graded_run, settle

METHODS = ("rrf", "comb_mnz", "weighted_sum")
"""The methods that are tried by default."""
NORMS = ("min_max", "z_score", "rank")
"""The normalisations that are tried for methods that read scores."""
MAX_WEIGHTS = 70
"""The largest number of weightings to try for one method and normalisation."""
DEFAULT_FOLDS = 5
"""The default number of folds; fewer if there are fewer judged queries."""
MIN_FOLDS_FOR_TRAINING = 3
"""Folds that methods with training need: one to hold out, one to choose by, one to learn from."""


@dataclass(frozen=True)
class Fold:
    """Queries that were held out together, and their scores."""

    queries: tuple[str, ...]
    chosen: str
    """The fusion that was best on all other queries."""
    score: float
    """Its mean score on the queries held out."""
    single: float
    """The mean score of the best single run on these queries."""


@dataclass(frozen=True)
class FusionTuning:
    """What tuning found."""

    metric: str
    n_queries: int
    n_tried: int
    singles: Mapping[str, float]
    """Run → its mean score over all queries."""
    best_single: str
    folds: tuple[Fold, ...]
    score: float
    """Mean score of the fusion; each query is fused with the method that was chosen without it."""
    gain: float
    """The difference to the best single run, which was chosen by all queries."""
    low: float
    high: float
    level: float
    p: float
    test: str
    chosen: BoundFusion
    """The best fusion over all queries: the one to use."""
    chosen_score: float
    """Its mean score over all queries. It was chosen by these queries, so expect a lower score on others."""
    n_undefined: int = 0
    """Queries for which the metric is undefined."""
    unanswered: tuple[str, ...] = ()
    """Judged queries that are missing from all runs and count as empty rankings."""


def tune_fusion(
    runs: Sequence[RunSource] | Mapping[str, RunSource],
    qrels: JudgmentSource,
    metric: Given = "ndcg@10",
    *,
    methods: Sequence[str] = METHODS,
    folds: int | None = None,
    seed: int = 0,
) -> FusionTuning:
    """Try methods, parameters, normalisations and weights; report the gain on queries that were held out.

    Runs are a list, or a mapping of names to runs. Queries are split into random folds: five, or one per query if there are
    fewer queries. For each fold, the fusion is chosen (and trained, if it learns) on the other folds only. A method that is
    written with parameters is tried only with these.
    """
    named = runs if isinstance(runs, Mapping) else {f"run {number}": run for number, run in enumerate(runs, 1)}
    if len(named) < 2:
        raise BadParameter(f"tuning needs at least 2 runs, not {len(named)}")
    judged = qrels if isinstance(qrels, Qrels) else Qrels(as_source(qrels))
    prepared = [run if isinstance(run, Run) else Run(as_source(run)) for run in named.values()]
    bound = parse_metric(WrittenName(metric) if isinstance(metric, str) else metric)
    candidates = candidates_of(methods, len(prepared))
    unanswered = _check_queries_match(prepared, judged)
    scores = FusedScores(RankedLists.of([_judged_queries(run, judged) for run in prepared]), judged, bound)
    n_folds = min(DEFAULT_FOLDS, len(scores.query_ids)) if folds is None else folds
    if n_folds < MIN_FOLDS_FOR_TRAINING and any(candidate.fusion.is_trained for candidate in candidates):
        raise BadParameter(f"methods that learn from judgments need at least {MIN_FOLDS_FOR_TRAINING} folds, not {n_folds}")
    tuning = _choose_fusion(scores, candidates, dict(zip(named, prepared, strict=True)), n_folds, seed)
    return replace(tuning, unanswered=unanswered)


def _check_queries_match(runs: Sequence[Run], qrels: Qrels) -> tuple[str, ...]:
    """Judged queries that no run has. If that is all of them, the files do not belong together: a DataError."""
    missing = tuple(query for query in qrels.query_ids if not any(query in run.numbers for run in runs))
    if len(missing) < len(qrels.query_ids):
        return missing
    judged = f"the first judged query is {printable(missing[0])}" if missing else "there are no judgments"
    known = next((run.query_ids[0] for run in runs if run.query_ids), None)
    asked = "the runs are empty" if known is None else f"the first query in the runs is {printable(known)}"
    raise DataError(f"no judged query is in any of the runs: {judged}, {asked}. Use judgments for the queries in the runs")


def candidates_of(methods: Sequence[str], n_runs: int) -> list[BoundFusion]:
    """Every fusion to try, each once, the simple ones first: a simple one wins if nothing is better."""
    candidates: dict[str, BoundFusion] = {}
    for method in methods:
        written = parse_fusion(method)
        tried = [written] if "(" in method else list(_grid(written, n_runs))
        candidates |= {fusion.name: fusion for fusion in tried if fusion.name not in candidates}
    if not candidates:
        raise BadParameter("tuning needs at least one method, such as rrf")
    return list(candidates.values())


def _grid(plain: BoundFusion, n_runs: int) -> Iterator[BoundFusion]:
    """The method's values in all combinations; then weights with each normalisation and default values for the rest."""
    fusion = plain.fusion
    norms: dict[str, tuple[Any, ...]] = {"norm": NORMS} if "norm" in plain.params else {}
    ranges = {**fusion.tries, **norms}
    for values in product(*ranges.values()):
        yield fusion.bind(**dict(zip(ranges, values, strict=True)))
    if fusion.takes_weights:
        for values, weights in product(product(*norms.values()), simplex(n_runs)):
            yield fusion.bind(**dict(zip(norms, values, strict=True)), weights=weights)


def simplex(n_runs: int) -> list[tuple[float, ...]]:
    """All weights that add up to 1 in equal steps: tenths, or larger steps if many runs would give too many weightings."""
    steps = max((step for step in range(1, 11) if comb(step + n_runs - 1, n_runs - 1) <= MAX_WEIGHTS), default=1)
    weights = []
    for bars in combinations(range(steps + n_runs - 1), n_runs - 1):
        ends = (-1, *bars, steps + n_runs - 1)
        weights.append(tuple((after - before - 1) / steps for before, after in pairwise(ends)))
    return weights


def assign_folds(n_queries: int, folds: int, seed: int) -> Ints:
    """A random fold for each query; the sizes of folds differ by at most one."""
    if n_queries < 2:
        uses = "some to choose a fusion, the others to score it"
        raise BadParameter(f"tuning needs at least 2 judged queries ({uses}), not {n_queries}")
    if not 2 <= folds <= n_queries:
        raise BadParameter(f"folds must be a number from 2 to {n_queries} (the number of judged queries), not {folds}")
    fold = np.empty(n_queries, dtype=np.int64)
    fold[np.random.default_rng(seed).permutation(n_queries)] = np.arange(n_queries) % folds
    return fold


def _judged_queries(run: Run, qrels: Qrels) -> Run:
    """The run without its unjudged queries."""
    return Run({query: ranking for query, ranking in zip(run.query_ids, run.rankings, strict=True) if query in qrels})


@dataclass(frozen=True)
class _CandidateScores:
    """Scores of one candidate."""

    held_out: Floats
    """For each query: its score when the candidate was trained on the other folds."""
    without: Floats
    """Fold × query: its score when the candidate was trained neither on that fold nor on the fold of the query."""


def _score_candidate(scores: FusedScores, candidate: BoundFusion, fold: Ints, folds: int) -> _CandidateScores:
    """The scores of a candidate. Without training, they are the same whatever is held out."""
    if not candidate.fusion.is_trained:
        plain = scores.of(candidate)
        return _CandidateScores(plain, np.broadcast_to(plain, (folds, len(fold))))
    held_out, without = np.empty(len(fold)), np.full((folds, len(fold)), np.nan)
    for held_fold in range(folds):
        held_out[fold == held_fold] = scores.of(candidate, fold != held_fold)[fold == held_fold]
    for first_fold, second_fold in combinations(range(folds), 2):
        scored = scores.of(candidate, (fold != first_fold) & (fold != second_fold))
        without[first_fold, fold == second_fold] = scored[fold == second_fold]
        without[second_fold, fold == first_fold] = scored[fold == first_fold]
    return _CandidateScores(held_out, without)


def _choose_fusion(
    scores: FusedScores, candidates: list[BoundFusion], runs: Mapping[str, Run], folds: int, seed: int
) -> FusionTuning:
    metric, sign = scores.metric, 1.0 if scores.metric.metric.higher_is_better else -1.0
    singles = {name: scores.of_run(run) for name, run in runs.items()}
    best = max(singles, key=lambda name: sign * float(singles[name].mean()))
    by_id = np.array(sorted(range(len(scores.query_ids)), key=scores.query_ids.__getitem__), dtype=np.int64)
    fold = np.empty(len(by_id), dtype=np.int64)
    fold[by_id] = assign_folds(len(by_id), folds, seed)  # the folds do not depend on the order of the judgments
    tried = [_score_candidate(scores, candidate, fold, folds) for candidate in candidates]
    held_out = np.empty(len(fold))
    fold_results = []
    for held_fold in range(folds):
        chosen = _best([sign * each.without[held_fold, fold != held_fold].mean() for each in tried])
        mine = fold == held_fold
        held_out[mine] = tried[chosen].held_out[mine]
        queries = tuple(scores.query_ids[number] for number in by_id[mine[by_id]].tolist())
        reached = float(held_out[mine].mean()), float(singles[best][mine].mean())
        fold_results.append(Fold(queries, candidates[chosen].name, *reached))
    overall = _best([sign * each.held_out.mean() for each in tried])
    gain = _gain(singles[best][by_id], held_out[by_id], seed)
    means = {name: float(values.mean()) for name, values in singles.items()}
    chosen_score = float(tried[overall].held_out.mean())
    return FusionTuning(
        metric.name,
        len(fold),
        len(candidates),
        means,
        best,
        tuple(fold_results),
        float(held_out.mean()),
        *gain,
        candidates[overall],
        chosen_score,
        scores.n_undefined,
    )


def _best(means: Sequence[float]) -> int:
    """The first of the best. A difference due to rounding does not count as better."""
    return int(np.flatnonzero(np.array(means) >= max(means) - 1e-12)[0])


def _gain(single: Floats, fused: Floats, seed: int, level: float = 0.95) -> tuple[float, float, float, float, float, str]:
    """The mean difference, its interval and level, the p value of a paired test, and the name of the test."""
    a, b = single[:, np.newaxis], fused[:, np.newaxis]
    interval = difference_intervals(a, b, level=level, seed=seed)
    test = parse_test("randomization")
    p = float(test.compare(Pairs(a, b, seed)).p[0])
    return float((b - a).mean()), float(interval.low[0]), float(interval.high[0]), level, p, test.name


class FusedScores:
    """Scores of fusions. Judged documents are looked up once; each fusion is then ranked and scored with arrays only."""

    def __init__(self, lists: RankedLists, qrels: Qrels, metric: BoundMetric) -> None:
        if metric.metric.view not in ("ranking", "subtopics") or metric.metric.aggregation.summarise is None:
            raise UsageError(f"fusion cannot be tuned by {metric.name}. Choose a ranking metric such as ndcg@10")
        self.metric = metric
        self._lists, self._qrels = lists, qrels
        self._by_id = _pairs_by_id(lists)
        self._judgment, pair = _judged_pairs(lists, qrels)
        places = np.empty(lists.n_pairs, dtype=np.int64)
        places[self._by_id] = np.arange(lists.n_pairs)
        self._judged = places[pair]
        number = {query: place for place, query in enumerate(lists.query_ids)}
        self._of_query = np.array([number.get(query, -1) for query in qrels.query_ids], dtype=np.int64)
        plain = self._column(np.zeros(lists.n_pairs))
        self._defined = ~np.isnan(plain)
        self.n_undefined = int((~self._defined).sum())
        self.query_ids = tuple(
            query for query, is_defined in zip(qrels.query_ids, self._defined.tolist(), strict=True) if is_defined
        )

    def of(self, fusion: BoundFusion, learn_from: NDArray[np.bool_] | None = None) -> Floats:
        """The score of each query under a fusion; a fusion that learns is trained on the chosen queries."""
        trained = None
        if learn_from is not None:
            chosen = [query for query, is_chosen in zip(self.query_ids, learn_from.tolist(), strict=True) if is_chosen]
            trained = fusion.train(self._lists, Qrels({query: self._qrels[query] for query in chosen}))
        return self._column(fusion.score(self._lists, trained))[self._defined]

    def of_run(self, run: Run) -> Floats:
        """The score of each query in a single run."""
        view = grade(run, self._qrels, Policy()).run
        return np.asarray(Column.of(self.metric.score(view), self.metric.metric.aggregation).score)[self._defined]

    def _column(self, values: Floats) -> Floats:
        """The score of every judged query if its documents are ranked by these values."""
        lists = self._lists
        best_first = argsort_stretches(values[self._by_id], lists.query_start, lists.n_candidates, stable=True)
        rank = np.empty(len(values), dtype=np.int64)
        rank[best_first] = np.arange(1, len(values) + 1) - np.repeat(lists.query_start, lists.n_candidates)
        is_missing = self._of_query < 0
        n_retrieved = np.where(is_missing, 0, lists.n_candidates[self._of_query]) if len(lists.docs) else 0 * self._of_query
        graded = graded_run(self._qrels, self._judgment, rank[self._judged], n_retrieved)
        view = settle(Ranked(graded, is_missing, 0, 0), Policy()).run
        scores = Column.of(self.metric.score(view), self.metric.metric.aggregation).score
        return np.asarray(scores, dtype=float)


def _pairs_by_id(lists: RankedLists) -> Ints:
    """Pairs of each query by descending document id, so that a stable sort by value breaks ties as in every run."""
    ordered = (sorted(range(len(docs)), key=docs.__getitem__, reverse=True) for docs in lists.docs)
    flat = np.fromiter(chain.from_iterable(ordered), np.int64, lists.n_pairs)
    return flat + np.repeat(lists.query_start, lists.n_candidates)


def _judged_pairs(lists: RankedLists, qrels: Qrels) -> tuple[Ints, Ints]:
    """The judgments of documents that any run has, and the number of the pair for each."""
    judgments: list[int] = []
    pairs: list[int] = []
    for query, docs, first in zip(lists.query_ids, lists.docs, lists.query_start.tolist(), strict=True):
        if query not in qrels.numbers:
            continue
        judged = qrels.index[qrels.numbers[query]]
        for place, doc in enumerate(docs):
            if doc in judged:
                judgments.append(judged[doc])
                pairs.append(first + place)
    return np.array(judgments, dtype=np.int64), np.array(pairs, dtype=np.int64)
