"""Grader: ranks a run once for each rank rule and grades it once for each policy, however many metrics use it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any, Protocol

import numpy as np

from assay.arrays import Floats
from assay.errors import UsageError
from assay.evaluation.profile import Setting, Settings
from assay.evaluation.result_lists.known_documents import VIEW as RESULT_LISTS
from assay.evaluation.result_lists.known_documents import DatasetDocuments, depth_of
from assay.evaluation.times.ages import AgeSource
from assay.files import FileSource, is_large, rank_blocks, top_documents
from assay.metrics import BoundMetric
from assay.model import IGNORED, Column, Policy, Qrels, RankRule, Run, ScoreTable, as_rankings, fingerprint
from assay.views import Documents, ExternalRun, Grading, Ranked, Spans, Times, Timing, Truth, rank_all, settle

DEFAULT_RANK_RULE = Policy().rank_rule
"""The default rank rule. Fingerprints describe the run as ranked by it."""


class Grader:
    """A run graded under several policies. All policies are given at the start, so the run is read only once."""

    def __init__(
        self,
        qrels: Qrels,
        run: Any,
        policies: Iterable[Policy],
        times: Times | None = None,
        spans: tuple[Run, Truth] | None = None,
        make_views: MakeViews | None = None,
        ages: AgeSource | None = None,
        known: DatasetDocuments | None = None,
    ) -> None:
        self.qrels, self.ages, self.known = qrels, ages, known
        self._times, self._spans, self._make_views = times, spans, make_views
        policies = list(dict.fromkeys(policies))
        self._source, self._ranked = _rank_run(qrels, run, policies)
        self._duplicates = policies[0].duplicates
        self._is_only_policy = len(policies) == 1
        self._known: dict[tuple[int, Policy], Grading] = {}
        self._by_policy: dict[Policy, Grading] = {}

    @property
    def has_shared_times(self) -> bool:
        """Whether queries were sent in batches, so that each query has a share of the time of its batch."""
        return self._times is not None and self._times.are_shares

    def grading(self, policy: Policy) -> Grading:
        """The run graded under a policy. Policies that rank in the same way share one grading."""
        known = self._by_policy.get(policy)
        if known is None:
            known = self._by_policy[policy] = self._grading(policy)
        return known

    def _grading(self, policy: Policy) -> Grading:
        ranked = self._ranked[policy.rank_rule]
        if self.ages is not None:
            ranked = replace(ranked, run=ranked.run.with_ages(self._judged_ages, self.qrels))
        if self._is_only_policy:
            return settle(ranked, policy)
        ties = policy.ties if policy.ties in ("expected", "error") else "docid_desc"
        key = (id(ranked), replace(policy, ties=ties, precision="float64", drop_self=False))  # the ranks settle the rest
        if key not in self._known:
            self._known[key] = settle(ranked, policy)
        return self._known[key]

    @cached_property
    def _judged_ages(self) -> Floats:
        """The age of every judged document. Policies share it."""
        return np.zeros(0) if self.ages is None else self.ages.of_judgments(self.qrels)

    def main_grading(self, settings: Sequence[Setting], policy: Policy) -> Grading:
        """The grading that describes a result: the one that all metrics share, else the one under the given policy."""
        return self.grading(Settings.of(settings).main_policy(policy))

    def table(self, settings: Iterable[Setting]) -> ScoreTable:
        """The scores of every metric under its own policy. A query that does not count for a metric has no score."""
        settings = Settings.of(settings)
        tables = [
            _round_scores(score_views(self._views(policy, group), group.metrics), group.digits)
            for policy, group in settings.by_policy.items()
        ]
        if len(tables) == 1:
            return tables[0]
        merged = aligned_tables(tables)
        return ScoreTable(
            merged.query_ids, {setting.metric.name: merged.columns[setting.metric.name] for setting in settings}
        )

    def _views(self, policy: Policy, settings: Settings) -> dict[str, View]:
        """The views that metrics can read, over the queries that count under a policy."""
        run = self.grading(policy).run
        views: dict[str, View] = {"ranking": run}
        if self.ages is not None and "ages" in settings.views:
            views["ages"] = self.ages.view(run, self.documents(policy.rank_rule, None), None)
        if self.known is not None and RESULT_LISTS in settings.views:
            documents = self.documents(policy.rank_rule, depth_of(settings.metrics))
            views[RESULT_LISTS] = self.known.view(run.query_ids, documents, settings.metrics)
        if "subtopics" in settings.views:
            views["subtopics"] = run
        if self._times is not None:
            views["timing"] = Timing.of(run.query_ids, self._times)
        if self._spans is not None and "spans" in settings.views:
            chunks, truth = self._spans
            views["spans"] = Spans.of(run.query_ids, chunks, policy.rank_rule, truth)
        if self._make_views is not None:
            views |= self._make_views(run.query_ids, policy.rank_rule, settings.metrics)
        return views

    def documents(self, rule: RankRule, k: int | None) -> Documents:
        """A function that returns the first k documents of a query, ranked by a rule. A file is read again.

        Documents that judgments ignore are left out, as in the graded run.
        """
        if self.qrels.ignored is None:
            return self._documents(rule, k)
        ignored = {query: _ignored_by(self.qrels, query) for query in self.qrels}
        most_ignored = max(map(len, ignored.values()))
        deeper = rule._replace(depth=None if rule.depth is None else rule.depth + most_ignored)
        every = self._documents(deeper, None if k is None else k + most_ignored)

        def documents(query: str, most: int | None) -> list[str]:
            dropped = ignored.get(query, frozenset())
            end = min((n for n in (most, rule.depth) if n is not None), default=None)
            first = every(query, None if end is None else end + len(dropped))
            return [document for document in first if document not in dropped][:end]

        return documents

    def _documents(self, rule: RankRule, k: int | None) -> Documents:
        """The same, with all documents that were retrieved."""
        if isinstance(self._source, ExternalRun):
            best = self._source.top_documents(self.qrels, k, rule)
            return lambda query, most: best.get(query, [])[: rule.depth][:most]
        if k is not None and not isinstance(self._source, Run):
            known = top_documents(self._source, k, rule)
            if known is not None:
                return lambda query, most: known.get(query, [])[: rule.depth][:most]
        if not isinstance(self._source, Run):
            self._source = Run.borrow(as_rankings(self._source, self._duplicates))
        run = self._source.without_self() if rule.drop_self else self._source
        is_unsettled = run.unsettled(rule).tolist()

        def documents(query: str, most: int | None) -> list[str]:
            place = run.numbers.get(query, -1)
            if place < 0:
                return []
            most = min((n for n in (most, rule.depth) if n is not None), default=None)
            return run.in_order(place, rule)[:most] if is_unsettled[place] else list(islice(run.rankings[place], most))

        return documents

    @property
    def is_costly(self) -> bool:
        """Whether reading the whole rankings takes long, because they are in a large file or in another engine."""
        if isinstance(self._source, ExternalRun):
            return True
        return not isinstance(self._source, Run) and is_large(self._source)

    def fingerprints(self) -> dict[str, str]:
        """Fingerprints of the judgments and of the ranks of judged documents, independent of row order and conventions."""
        run = next(ranked for rule, ranked in self._ranked.items() if _keeps_scores(rule)).run
        hits = run.retrieved
        better, equal = run.ties or (hits.rank - 1, np.ones(len(hits.rank), dtype=np.int64))
        docs = [] if run.judgment is None else [self.qrels.docs[number] for number in run.judgment.tolist()]
        queries = [run.query_ids[number] for number in hits.query.tolist()]
        rows = zip(queries, docs, better.tolist(), equal.tolist(), strict=True)
        lengths = zip(run.query_ids, run.n_retrieved.tolist(), strict=True)
        return {"judgments": self.qrels.fingerprint, "rankings": fingerprint([*rows, *lengths])}


def _ignored_by(qrels: Qrels, query: str) -> frozenset[str]:
    """The documents that the judgments of a query ignore."""
    return frozenset(document for document, grade in qrels[query].items() if grade == IGNORED)


def _keeps_scores(rule: RankRule) -> bool:
    """Whether a rule keeps all documents and their scores as given, however it orders ties."""
    return rule._replace(ties=DEFAULT_RANK_RULE.ties) == DEFAULT_RANK_RULE


def _rank_run(qrels: Qrels, run: Any, policies: list[Policy]) -> tuple[Any, Mapping[RankRule, Ranked]]:
    """Rank a run of any type in the fastest way for that type; also what the rankings can be read from again."""
    rules = list(dict.fromkeys(policy.rank_rule for policy in policies))
    rules += [] if DEFAULT_RANK_RULE in rules or any(map(_keeps_scores, rules)) else [DEFAULT_RANK_RULE]
    if isinstance(run, Run):
        return run, rank_all(run, qrels, rules)
    name_extra = any(policy.extra == "error" for policy in policies)
    if isinstance(run, ExternalRun):
        return run, run.rank(qrels, rules, name_extra=name_extra)
    if not isinstance(run, Mapping):
        ranked = rank_blocks(run, qrels, rules, name_extra=name_extra)
        if ranked is None and is_large(run):
            from assay.files import rank_source

            ranked = rank_source(run, qrels, rules, name_extra=name_extra)
        if ranked is not None:
            return run, ranked
    whole = Run.borrow(as_rankings(run, policies[0].duplicates))
    return run if isinstance(run, FileSource) else whole, rank_all(whole, qrels, rules)


def _round_scores(table: ScoreTable, digits: Mapping[str, int]) -> ScoreTable:
    """The scores, rounded for the metrics whose tool rounds them."""
    if not digits:
        return table
    columns = {
        name: column._replace(score=np.round(column.score, digits[name])) if name in digits else column
        for name, column in table.columns.items()
    }
    return ScoreTable(table.query_ids, columns)


def aligned_tables(tables: list[ScoreTable]) -> ScoreTable:
    """Several tables over different queries as one table over all of them; nan if a query does not count."""
    query_ids = max((table.query_ids for table in tables), key=len)
    if not all(set(table.query_ids) <= set(query_ids) for table in tables):
        query_ids = tuple(dict.fromkeys(query for table in tables for query in table.query_ids))
    place = {query: number for number, query in enumerate(query_ids)}
    columns: dict[str, Column] = {}
    for table in tables:
        at = [place[query] for query in table.query_ids]
        for name, column in table.columns.items():
            score = np.full(len(query_ids), np.nan, dtype=column.score.dtype)
            weight = np.full((len(query_ids), *column.weight.shape[1:]), np.nan if column.is_composed else 0.0)
            score[at], weight[at] = column.score, column.weight
            columns[name] = Column(score, weight, column.aggregation)
    return ScoreTable(query_ids, columns)


class View(Protocol):
    """What metrics read: any object that knows which queries it covers."""

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries, in the order of every score."""


MakeViews = Callable[[tuple[str, ...], RankRule, Sequence[BoundMetric]], Mapping[str, View]]
"""Query ids, rank rule and metrics → the views of a domain that at least one of the metrics reads, by name."""
VIEWS = frozenset(
    ("ranking", "subtopics", "timing", "spans", "ages", "result_lists", "answers", "verdicts", "routing", "reranking")
)
"""The views that exist without any domain."""
ADVICE_OF_VIEW = {
    "spans": ". Use a dataset with gold spans, such as code-spans",
    "ages": ". Use a benchmark whose queries and documents have times (--dataset, assay eval), or write a day with --as-of",
    "result_lists": ". Use a benchmark with its documents (--dataset, assay eval)",
    "answers": ". Score answers with assay answers (evaluate_answers), or with assay eval if the provider reports them",
    "verdicts": ". Let a judge or people judge the answers with assay answers --with or --verdicts (assay.judge_answers)",
    "routing": ". Score routes with assay moe routes.jsonl, or with assay eval if the provider reports them",
    "reranking": ". Score two runs with assay moe --before RUN --after RUN (evaluate_reranking), or use assay eval with the "
    "provider rerank(…)",
    "ranking": ". Add the run: --run RUN (run=)",
}
"""View → what to do if it is not available."""
DATA_OF_VIEW = {
    "ranking": "rankings",
    "subtopics": "judgments with subtopics",
    "timing": "times",
    "ages": "ages of documents",
    "result_lists": "documents and what is known about them",
    "verdicts": "verdicts about claims, nuggets and contexts",
    "routing": "routes",
    "reranking": "rankings before and after reranking",
}
"""View → what it contains, if its name does not say so."""


def data_of_view(view: str) -> str:
    """What a view contains, in words for messages: `routes`, `ages of documents`."""
    return DATA_OF_VIEW.get(view, view)


def score_views(views: Mapping[str, View], metrics: Sequence[BoundMetric]) -> ScoreTable:
    """Apply each metric to the view that it reads. All views must cover the same queries in the same order."""
    query_ids, *others = (view.query_ids for view in views.values())
    if any(other is not query_ids and other != query_ids for other in others):
        raise UsageError(f"the views {', '.join(views)} do not cover the same queries in the same order")
    columns, ones = {}, np.ones(len(query_ids))
    for metric in metrics:
        view_name = metric.metric.view
        if view_name not in views:
            available = ", ".join(map(data_of_view, views))
            needs = f"{metric.name} needs {data_of_view(view_name)}, but only {available} are available here"
            raise UsageError(needs + ADVICE_OF_VIEW.get(view_name, ""))
        column = Column.of(metric.score(views[view_name]), metric.metric.aggregation, ones)
        if len(column.score) != len(query_ids):
            raise UsageError(f"{metric.name} returned {len(column.score)} scores for {len(query_ids)} queries")
        columns[metric.name] = column
    return ScoreTable(query_ids, columns)
