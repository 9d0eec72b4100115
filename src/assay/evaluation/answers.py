"""Answers: score the answers of a system, alone or together with its rankings; and merge columns of results."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.datasets import BenchmarkDataset, brings_retrieved, load_dataset
from assay.errors import DataError, UsageError
from assay.evaluation.grader import aligned_tables, score_views
from assay.evaluation.profile import Profile, Setting, settings_of
from assay.evaluation.profiles import choose_profile
from assay.evaluation.relevance import Relevance, written_relevance
from assay.evaluation.result import Result
from assay.evaluation.result_parts import Provenance, Scores
from assay.evaluation.scoring import evaluate_dataset
from assay.files import AnswerRecords, read_answers
from assay.metrics import BoundMetric, Given, find_metric, find_metrics, parse_metrics, written_metrics
from assay.model import AnswerSource, Column, Policy, Query, RunSource, ScoreTable, fingerprint
from assay.text import counted, some_of, words_of
from assay.views import Answer, Answers, ExpectedAnswer, expected_answer, parse_answer

VIEW = "answers"


def reads_answers(metric: BoundMetric) -> bool:
    """Whether a metric reads answers."""
    return metric.metric.view == VIEW


def judged_setting(profile: Profile) -> Setting:
    """The setting of judged@10, which shows how complete the judgments are if no ranking metric is requested."""
    judged = find_metric("judged@10")
    return Setting(judged, judged, profile.policy, is_beside=True)


@dataclass(frozen=True)
class AnsweredQueries:
    """Replies to queries, and the expected answers. Only queries with an expected answer count."""

    replies: Mapping[str, Answer]
    expected: Mapping[str, ExpectedAnswer | None]
    """Query → the expected answer; None if only the mark of a judge is known."""

    def counted_by(self, policy: Policy) -> tuple[str, ...]:
        """The queries that count; the policy decides about queries without a reply."""
        missing = self.missing
        if missing and policy.missing == "error":
            raise DataError(f"{_missing_answers(len(missing))}: {some_of(missing)}")
        return tuple(query for query in self.expected if query in self.replies or policy.missing != "skip")

    @property
    def missing(self) -> tuple[str, ...]:
        """Queries that expect an answer and have no reply."""
        return tuple(query for query in self.expected if query not in self.replies)

    @property
    def extra(self) -> tuple[str, ...]:
        """Queries with a reply but without an expected answer."""
        return tuple(query for query in self.replies if query not in self.expected)

    def view(self, policy: Policy, result: Result | None = None) -> Answers:
        """What metrics read, with the ranking of a result if there is one."""
        ids = self.counted_by(policy)
        ranking = None if result is None or result.grader is None else result.grader.grading(policy).run
        return Answers(ids, tuple(map(self.replies.get, ids)), tuple(map(self.expected.get, ids)), ranking)

    def fingerprints(self) -> dict[str, str]:
        """Fingerprints of the expected answers and of the replies."""
        answered = (
            (query, reply.text, reply.confidence, reply.abstained, *([] if reply.correct is None else [reply.correct]))
            for query, reply in self.replies.items()
        )
        return {"judgments": fingerprint(self.expected.items()), "rankings": fingerprint(answered)}

    def notes(self, policy: Policy) -> tuple[str, ...]:
        """What a reader should know about the replies."""
        notes = []
        if missing := self.missing:
            queries, verbs = ("the query", ("is", "scores")) if len(missing) == 1 else ("these queries", ("are", "score"))
            fate = f"{verbs[0]} left out" if policy.missing == "skip" else f"{verbs[1]} 0"
            notes.append(f"{_missing_answers(len(missing))}, so {queries} {fate} ({some_of(missing)}).")
        if extra := self.extra:
            why = "is left out, because its query has" if len(extra) == 1 else "are left out, because their queries have"
            notes.append(f"{counted(len(extra), 'answer')} {why} no expected answer ({some_of(extra)}).")
        answered = [(query, self.replies[query]) for query in self.expected if query in self.replies]
        unsure = [query for query, reply in answered if reply.confidence is None and not reply.abstained]
        if unsure and any(reply.confidence is not None for _, reply in answered):
            what = "has no confidence and counts" if len(unsure) == 1 else "have no confidence and count"
            notes.append(f"{counted(len(unsure), 'answer')} {what} as the least certain ({some_of(unsure)}).")
        n_open = sum(reply.abstained for query, reply in self.replies.items() if query in self.expected)
        n_none = sum(expected is not None and not expected.is_answerable for expected in self.expected.values())
        if n_open or n_none:
            share = f"{n_none:,} of {counted(len(self.expected), 'query')} {'is' if n_none == 1 else 'are'} unanswerable"
            notes.append(f"the system abstained on {counted(n_open, 'query')}; {share}.")
        return tuple(notes)


def _missing_answers(n_queries: int) -> str:
    what = "the answer to {} is missing" if n_queries == 1 else "the answers to {} are missing"
    return what.format(counted(n_queries, "query"))


def expected_answers(queries: Mapping[str, Query]) -> dict[str, ExpectedAnswer]:
    """The expected answers of the queries of a benchmark, for queries that have one."""
    pairs = ((query_id, expected_answer(query)) for query_id, query in queries.items())
    return {query_id: expected for query_id, expected in pairs if expected is not None}


def check_has_answers(dataset: BenchmarkDataset, metrics: Sequence[BoundMetric]) -> None:
    """Raise a UsageError if answers are to be scored on a benchmark without expected answers."""
    needy = [metric.name for metric in metrics if reads_answers(metric)]
    if needy and not expected_answers(dataset.queries):
        advice = "Add the field `expected` to the queries"
        raise UsageError(f"{needy[0]} needs expected answers, but no query of {dataset.name} has one. {advice}")


def score_answers(replied: AnsweredQueries, settings: Sequence[Setting], profile: Profile, name: str = "") -> Result:
    """The result of answers only, without rankings."""
    table = score_views({VIEW: replied.view(profile.policy)}, [setting.metric for setting in settings])
    counts = {"judged": len(replied.expected), "scored": len(table.query_ids)}
    counts |= {"missing": len(replied.missing), "without_relevant": 0, "extra": len(replied.extra)}
    metrics = tuple(setting.metric for setting in settings)
    notes = replied.notes(profile.policy)
    return Result(
        name,
        Scores(table, metrics, counts, replied.missing, tuple(settings)),
        Provenance(profile.policy, profile.name, notes=notes, recorded=replied.fingerprints()),
    )


def with_answers(result: Result, replied: AnsweredQueries, settings: Sequence[Setting], profile: Profile) -> Result:
    """The result of rankings with answer metrics added. `settings` has all metrics, in the requested order.

    A query that counts for only one kind of metric has no score for the other.
    """
    spoken = [setting.metric for setting in settings if reads_answers(setting.metric)]
    added = score_views({VIEW: replied.view(profile.policy, result)}, spoken)
    both = in_requested_order(with_columns(result, added, spoken), [setting.metric.name for setting in settings])
    return both.with_fields(settings=tuple(settings), notes=(*result.notes, *replied.notes(profile.policy)))


def parse_reported_answers(reported: Mapping[str, Mapping[str, Any] | None]) -> tuple[dict[str, Answer], list[str]]:
    """Query → reply, from what a provider reported with its hits; and a note on invalid replies."""
    replies: dict[str, Answer] = {}
    faults = []
    for query, fields in reported.items():
        try:
            reply = parse_answer(fields or {})
        except DataError as error:
            faults.append(f"{query}: {error}")
            continue
        if reply is not None:
            replies[query] = reply
    if not faults:
        return replies, []
    are = "is invalid and counts" if len(faults) == 1 else "are invalid and count"
    return replies, [f"{counted(len(faults), 'answer')} {are} as missing ({faults[0]})."]


DEFAULT_ANSWER_METRICS = ("answer_f1", "answer_exact", "answer_contains", "rouge(n=l)")
"""The default metrics."""
ABSTENTION_METRIC, CONFIDENCE_METRIC, MARK_METRIC = "abstention_accuracy", "aurc", "answer_correct"
"""Added to the default metrics if some queries are unanswerable, if the system reports its confidence, and if answers have
the mark of a judge."""
ANSWER_AND_RANKING_METRIC = "answer_success"
"""The metric of answers that also reads rankings."""


def evaluate_answers(
    answers: AnswerSource | AnswerRecords,
    dataset: BenchmarkDataset | str | Path | None = None,
    metrics: Given | Iterable[Given] | None = None,
    *,
    run: RunSource | None = None,
    policy: Policy | None = None,
    profile: str | Profile | None = None,
    name: str = "",
    relevance: str | Relevance = "auto",
    abstentions: Iterable[str] = (),
) -> Result:
    """Score the answers of a question-answering system.

    Answers are a file, a frame, records with query_id and answer, or a mapping of query to answer; null is an abstention.
    The expected answers come from the dataset, else from the records (`references`). With a `run`, or with records that have
    the retrieved documents, you can also request ranking metrics and answer_success. `abstentions` are sentences that mean
    "no answer", such as "I don't know".
    """
    chosen = load_dataset(dataset) if isinstance(dataset, str | Path) else dataset
    records = prepared_answers(answers, chosen, abstentions)
    replied = AnsweredQueries(records.replies, all_expected_answers(records, chosen))
    profiled = choose_profile(policy, profile)
    tool = profiled.name
    asked = (
        find_metrics(default_answer_metrics(replied), tool)
        if metrics is None
        else parse_metrics(written_metrics(metrics), tool)
    )
    settings = settings_of(asked, profiled)
    label = name or records.name
    ranked = records.hits if run is None and any(map(_reads_rankings, settings)) and records.hits else run
    if ranked is None:
        scored = score_answers(replied, settings, profiled, label)
    else:
        benchmark = _own_benchmark(records) if chosen is None and run is None else chosen
        scored = _score_with_run(replied, settings, profiled, (benchmark, ranked, written_relevance(relevance), label))
    return scored.with_fields(queries=_queries(records, chosen), notes=(*scored.notes, *_notes_on_missing_ids(records)))


def prepared_answers(
    answers: AnswerSource | AnswerRecords, dataset: BenchmarkDataset | None, abstentions: Iterable[str] = ()
) -> AnswerRecords:
    """The answers under the query ids of the benchmark, with abstentions marked."""
    records = read_answers(answers).under(_ids_by_text(dataset))
    return replace(records, replies=_mark_abstentions(records.replies, abstentions))


def default_answer_metrics(replied: AnsweredQueries) -> list[str]:
    """The default metrics, and further ones if queries are unanswerable or replies have a confidence."""
    known = [expected for expected in replied.expected.values() if expected is not None]
    more = [ABSTENTION_METRIC] if any(not expected.is_answerable for expected in known) else []
    is_sure = any(reply.confidence is not None for reply in replied.replies.values())
    marked = [MARK_METRIC] if any(reply.correct is not None for reply in replied.replies.values()) else []
    words = [*DEFAULT_ANSWER_METRICS, *more, *([CONFIDENCE_METRIC] if is_sure else [])] if known else []
    return [*marked, *words]


def _reads_rankings(setting: Setting) -> bool:
    """Whether a metric reads rankings."""
    return not reads_answers(setting.metric) or setting.metric.metric.name == ANSWER_AND_RANKING_METRIC


def _ids_by_text(dataset: BenchmarkDataset | None) -> dict[str, str]:
    """Text of a query → its id, for answers without an id. Texts that several queries share are left out."""
    ids_by_words: dict[str, list[str]] = {}
    for query_id, query in dataset.queries.items() if dataset is not None else ():
        ids_by_words.setdefault(query.text.strip(), []).append(query_id)
    return {words: ids[0] for words, ids in ids_by_words.items() if len(ids) == 1 and words}


def _notes_on_missing_ids(records: AnswerRecords) -> tuple[str, ...]:
    """A note that the text of a query is used as its id if it has none."""
    n = len(records.asked)
    have, its = ("has", "its question") if n == 1 else ("have", "their questions")
    return (f"{counted(n, 'answer')} {have} no query id, so the text of {its} is used as the id.",) if n else ()


def all_expected_answers(records: AnswerRecords, dataset: BenchmarkDataset | None) -> Mapping[str, ExpectedAnswer | None]:
    """The expected answers: from the dataset, else from the records; a DataError if neither has any for these queries.

    Without a dataset, a query whose answer has the mark of a judge counts too.
    """
    if dataset is None:
        marked = [query for query, reply in records.replies.items() if reply.correct is not None]
        if not records.expected and not marked:
            ways = "Name the benchmark with --dataset (dataset=), or add `references` to each answer"
            raise DataError(f"the expected answers are unknown. {ways}")
        asked = [
            query for query in records.replies if query in records.expected or records.replies[query].correct is not None
        ]
        return {query: records.expected.get(query) for query in asked}
    known = {**records.expected, **expected_answers(dataset.queries)}
    if not known:
        advice = "Add `expected` to the queries, or `references` to each answer"
        raise DataError(f"no query of {dataset.name} has an expected answer. {advice}")
    expected = {query: known[query] for query in dataset.queries if query in known}
    if not expected.keys() & records.replies.keys():
        ours, theirs = next(iter(records.replies)), next(iter(dataset.queries))
        example = f"the answers have query ids like {ours!r}, the benchmark has ids like {theirs!r}"
        none = f"none of the answers belongs to a query of {dataset.name} with an expected answer"
        raise DataError(f"{none}: {example}. Check that both use the same ids")
    return expected


def _mark_abstentions(replies: Mapping[str, Answer], abstentions: Iterable[str]) -> dict[str, Answer]:
    """The replies; those that consist of one of the sentences are marked as abstentions."""
    sentences = {tuple(words_of(sentence)) for sentence in ([abstentions] if isinstance(abstentions, str) else abstentions)}
    return {
        query: replace(reply, abstained=True) if sentences and tuple(words_of(reply.text or "")) in sentences else reply
        for query, reply in replies.items()
    }


def _own_benchmark(records: AnswerRecords) -> BenchmarkDataset | None:
    """The benchmark in the file of answers, if the file also says what was retrieved and what is relevant."""
    path = records.path
    return load_dataset(path) if path is not None and path.is_file() and brings_retrieved(path) else None


def _queries(records: AnswerRecords, dataset: BenchmarkDataset | None) -> Mapping[str, Query]:
    return records.queries if dataset is None else dataset.queries


def _score_with_run(
    replied: AnsweredQueries,
    settings: Sequence[Setting],
    profile: Profile,
    ranked: tuple[BenchmarkDataset | None, Any, str | Relevance, str],
) -> Result:
    """Answers and the run that they are based on, in one result."""
    dataset, run, relevance, label = ranked
    if dataset is None:
        raise UsageError("a run needs a benchmark that says what is relevant. Name it with --dataset (dataset=)")
    others = [setting for setting in settings if not reads_answers(setting.metric)]
    judged = judged_setting(profile)
    if not any(setting.metric.name == judged.metric.name for setting in others):
        others.append(judged)
    ranked_result = evaluate_dataset(dataset, run, others, profile, label, relevance)
    all_settings = [*settings, *(setting for setting in others if setting.is_beside)]
    return with_answers(ranked_result, replied, all_settings, profile)


def with_columns(result: Result, table: ScoreTable, metrics: Iterable[BoundMetric], beside: Collection[str] = ()) -> Result:
    """The result with more metrics; those in `beside` were not requested. Metrics that it already has do not change.

    A query that is missing from one of the tables has no score there.
    """
    added = {metric.name: metric for metric in metrics if metric.name not in result.table.columns}
    if not added:
        return result
    known = {metric.name: metric for metric in result.metrics} | added
    new = ScoreTable(table.query_ids, {name: table.columns[name] for name in added})
    merged = result.with_fields(table=aligned_tables([result.table, new]), metrics=tuple(known.values()))
    return _with_metrics(merged, known.values(), {*result.beside, *beside})


def without_scores(result: Result, metrics: Sequence[BoundMetric], beside: Collection[str] = ()) -> Result:
    """The result with metrics that are undefined for every query because their data is missing."""
    n = len(result.query_ids)
    columns = {metric.name: Column.undefined(n, metric.metric.aggregation) for metric in metrics}
    return with_columns(result, ScoreTable(result.query_ids, columns), metrics, beside)


def in_requested_order(result: Result, asked: Sequence[str]) -> Result:
    """The result with its metrics in the requested order; all others come last."""
    place = {name: number for number, name in enumerate(asked)}
    return _with_metrics(
        result, sorted(result.metrics, key=lambda metric: place.get(metric.name, len(place))), result.beside
    )


def with_the_same_metrics(results: Sequence[Result]) -> list[Result]:
    """Results on one benchmark, all with the same metrics in the same order, so that they fit in one table."""
    aligned: list[Result] = []
    for result in results:
        alike = [other for other in results if other.benchmark == result.benchmark]
        known = {metric.name: metric for other in alike for metric in other.metrics}
        if all(len(other.metrics) == len(known) for other in alike):
            aligned.append(result)
            continue
        beside = [name for name in known if any(name in other.beside for other in alike)]
        aligned.append(_with_metrics(without_scores(result, list(known.values()), beside), known.values(), beside))
    return aligned


def _with_metrics(result: Result, metrics: Iterable[BoundMetric], beside: Collection[str]) -> Result:
    """The result with these metrics in this order, requested metrics first."""
    ordered = tuple(sorted(metrics, key=lambda metric: metric.name in beside))
    columns = {metric.name: result.table.columns[metric.name] for metric in ordered}
    names_beside = tuple(metric.name for metric in ordered if metric.name in beside)
    return result.with_fields(metrics=ordered, beside=names_beside, table=replace(result.table, columns=columns))
