"""Answers in words: score what a system answered, by itself or together with its ranking; and columns of results."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.datasets import BenchmarkDataset, load_dataset
from assay.errors import DataError, UsageError
from assay.evaluation.grader import aligned_tables, score_views
from assay.evaluation.profile import Profile, Setting, settings_of
from assay.evaluation.relevance import Relevance
from assay.evaluation.result import Result
from assay.evaluation.result_parts import Provenance, Scores
from assay.evaluation.scoring import choose_profile, evaluate_dataset
from assay.files import AnswerRecords, read_answers
from assay.metrics import BoundMetric, Given, find_metric, find_metrics, parse_metrics, written_metrics
from assay.model import Column, Policy, Query, ScoreTable, fingerprint
from assay.text import counted, some_of, words_of
from assay.views import Answer, Answers, ExpectedAnswer, expected_answer, parse_answer

VIEW = "answers"


def reads_answers(metric: BoundMetric) -> bool:
    """Whether a metric is about answers in words."""
    return metric.metric.view == VIEW


def judged_setting(profile: Profile) -> Setting:
    """How far a run can be trusted: what is looked at where nobody asks for a metric of rankings."""
    judged = find_metric("judged@10")
    return Setting(judged, judged, profile.policy, is_beside=True)


@dataclass(frozen=True)
class AnsweredQueries:
    """Replies to queries, and the expected answers; the queries that count are those with an expected answer."""

    replies: Mapping[str, Answer]
    expected: Mapping[str, ExpectedAnswer]

    def counted_by(self, policy: Policy) -> tuple[str, ...]:
        """The queries that count, as the policy has it for those without a reply."""
        missing = self.missing
        if missing and policy.missing == "error":
            raise DataError(f"{counted(len(missing), 'query')} without an answer ({some_of(missing)})")
        return tuple(query for query in self.expected if query in self.replies or policy.missing != "skip")

    @property
    def missing(self) -> tuple[str, ...]:
        """Queries that want an answer and got no reply."""
        return tuple(query for query in self.expected if query not in self.replies)

    @property
    def extra(self) -> tuple[str, ...]:
        """Queries with a reply of which nobody knows what is right."""
        return tuple(query for query in self.replies if query not in self.expected)

    def view(self, policy: Policy, result: Result | None = None) -> Answers:
        """What metrics read; with the ranking of a result, where there is one."""
        ids = self.counted_by(policy)
        ranking = None if result is None or result.grader is None else result.grader.grading(policy).run
        return Answers(ids, tuple(map(self.replies.get, ids)), tuple(map(self.expected.get, ids)), ranking)

    def fingerprints(self) -> dict[str, str]:
        """Of what is right, and of what was answered."""
        answered = ((query, reply.text, reply.confidence, reply.abstained) for query, reply in self.replies.items())
        return {"judgments": fingerprint(self.expected.items()), "rankings": fingerprint(answered)}

    def notes(self, policy: Policy) -> tuple[str, ...]:
        """What a careful reader should know."""
        notes = []
        if missing := self.missing:
            fate = "left out" if policy.missing == "skip" else "which score 0"
            notes.append(f"{counted(len(missing), 'query')} without an answer, {fate} ({some_of(missing)}).")
        if extra := self.extra:
            notes.append(f"{counted(len(extra), 'answer')} left out: nobody says what is right there ({some_of(extra)}).")
        answered = [(query, self.replies[query]) for query in self.expected if query in self.replies]
        unsure = [query for query, reply in answered if reply.confidence is None and not reply.abstained]
        if unsure and any(reply.confidence is not None for _, reply in answered):
            notes.append(
                f"{counted(len(unsure), 'answer')} without a confidence, which count as the least sure ({some_of(unsure)})."
            )
        n_open = sum(reply.abstained for query, reply in self.replies.items() if query in self.expected)
        n_none = sum(not expected.is_answerable for expected in self.expected.values())
        if n_open or n_none:
            share = f"{n_none:,} of {len(self.expected):,} have no answer to be found"
            notes.append(f"{counted(n_open, 'query')} left open; {share}.")
        return tuple(notes)


def expected_answers(queries: Mapping[str, Query]) -> dict[str, ExpectedAnswer]:
    """What the queries of a benchmark expect, as far as they say so."""
    pairs = ((query_id, expected_answer(query)) for query_id, query in queries.items())
    return {query_id: expected for query_id, expected in pairs if expected is not None}


def check_has_answers(dataset: BenchmarkDataset, metrics: Sequence[BoundMetric]) -> None:
    """Say before anything is asked that a benchmark has nothing to compare answers with."""
    needy = [metric.name for metric in metrics if reads_answers(metric)]
    if needy and not expected_answers(dataset.queries):
        without = f"no query of {dataset.name} has one; write `expected` there"
        raise UsageError(f"{needy[0]} needs expected answers, and {without}")


def score_answers(replied: AnsweredQueries, settings: Sequence[Setting], profile: Profile, name: str = "") -> Result:
    """A result of answers alone; there is no ranking in it."""
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
    """The result of a ranking with the metrics of answers added; `settings` are all metrics, in the order asked for.

    A query that counts for one kind only has no score of the other.
    """
    spoken = [setting.metric for setting in settings if reads_answers(setting.metric)]
    added = score_views({VIEW: replied.view(profile.policy, result)}, spoken)
    both = in_requested_order(with_columns(result, added, spoken), [setting.metric.name for setting in settings])
    return both.with_fields(settings=tuple(settings), notes=(*result.notes, *replied.notes(profile.policy)))


def parse_reported_answers(reported: Mapping[str, Mapping[str, Any] | None]) -> tuple[dict[str, Answer], list[str]]:
    """Query → reply, out of what a provider said beside its hits; and what is to be noted about those that are none."""
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
    notes = [f"{counted(len(faults), 'answer')} of no use, taken as none; {faults[0]}."] if faults else []
    return replies, notes


DEFAULT_ANSWER_METRICS = ("answer_f1", "answer_exact", "answer_contains", "rouge(n=l)")
"""What is measured unless somebody says what."""
ABSTENTION_METRIC, CONFIDENCE_METRIC = "abstention_accuracy", "aurc"
"""What is added where some query has no answer, and where the system says how sure it is."""
ANSWER_AND_RANKING_METRIC = "answer_success"
"""The metric of answers that looks at rankings too."""


def evaluate_answers(
    answers: Any,
    dataset: BenchmarkDataset | str | Path | None = None,
    metrics: Given | Iterable[Given] | None = None,
    *,
    run: Any = None,
    policy: Policy | None = None,
    profile: str | Profile | None = None,
    name: str = "",
    relevance: str | Relevance = "auto",
    abstentions: Iterable[str] = (),
) -> Result:
    """Score what a system answered in words.

    Answers are a file, a frame, records with query_id and answer, or a mapping of query to answer; null is an abstention.
    The right answers are those that the dataset expects, else those in the records (`references`). With a `run`, or with
    records that tell what was retrieved, metrics of rankings and answer_success can be asked for too. `abstentions` are
    sentences that say "no answer", such as "I don't know".
    """
    chosen = load_dataset(dataset) if isinstance(dataset, str | Path) else dataset
    records = read_answers(answers).under(_ids_by_text(chosen))
    replied = AnsweredQueries(_mark_abstentions(records.replies, abstentions), all_expected_answers(records, chosen))
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
        scored = _score_with_run(replied, settings, profiled, (chosen, ranked, relevance, label))
    return scored.with_fields(queries=_queries(records, chosen), notes=(*scored.notes, *_notes_on_missing_ids(records)))


def default_answer_metrics(replied: AnsweredQueries) -> list[str]:
    """What is measured where nobody says what: more, where there is more to be known."""
    more = [ABSTENTION_METRIC] if any(not expected.is_answerable for expected in replied.expected.values()) else []
    is_sure = any(reply.confidence is not None for reply in replied.replies.values())
    return [*DEFAULT_ANSWER_METRICS, *more, *([CONFIDENCE_METRIC] if is_sure else [])]


def _reads_rankings(setting: Setting) -> bool:
    """Whether a metric looks at what was retrieved."""
    return not reads_answers(setting.metric) or setting.metric.metric.name == ANSWER_AND_RANKING_METRIC


def _ids_by_text(dataset: BenchmarkDataset | None) -> dict[str, str]:
    """Words of a query → its id, for answers that come without; words that several queries share are nobody's."""
    ids_by_words: dict[str, list[str]] = {}
    for query_id, query in dataset.queries.items() if dataset is not None else ():
        ids_by_words.setdefault(query.text.strip(), []).append(query_id)
    return {words: ids[0] for words, ids in ids_by_words.items() if len(ids) == 1 and words}


def _notes_on_missing_ids(records: AnswerRecords) -> tuple[str, ...]:
    """That queries go by their words, where they have no id."""
    n = len(records.asked)
    return (f"{counted(n, 'answer')} without a query id: the question in its own words is the id.",) if n else ()


def all_expected_answers(records: AnswerRecords, dataset: BenchmarkDataset | None) -> dict[str, ExpectedAnswer]:
    """What is right: as the dataset has it, else as the records say; an error where neither knows any of the queries."""
    if dataset is None:
        if not records.expected:
            ways = "name the benchmark (--dataset), or give each answer its `references`"
            raise DataError(f"nobody says what the right answers are: {ways}")
        return records.expected
    known = {**records.expected, **expected_answers(dataset.queries)}
    if not known:
        raise DataError(f"no query of {dataset.name} has an expected answer, and the answers come without `references`")
    expected = {query: known[query] for query in dataset.queries if query in known}
    if not expected.keys() & records.replies.keys():
        ours, theirs = next(iter(records.replies)), next(iter(dataset.queries))
        example = f"answers are for {ours!r}, its queries are like {theirs!r}"
        none = f"not one answer belongs to a query of {dataset.name} with an expected answer"
        raise DataError(f"{none}: {example}. Do both use the same ids?")
    return expected


def _mark_abstentions(replies: Mapping[str, Answer], abstentions: Iterable[str]) -> dict[str, Answer]:
    """The replies, those that say no more than one of the sentences counted as abstentions."""
    sentences = {tuple(words_of(sentence)) for sentence in ([abstentions] if isinstance(abstentions, str) else abstentions)}
    return {
        query: replace(reply, abstained=True) if sentences and tuple(words_of(reply.text or "")) in sentences else reply
        for query, reply in replies.items()
    }


def _queries(records: AnswerRecords, dataset: BenchmarkDataset | None) -> Mapping[str, Query]:
    return records.queries if dataset is None else dataset.queries


def _score_with_run(
    replied: AnsweredQueries,
    settings: Sequence[Setting],
    profile: Profile,
    ranked: tuple[BenchmarkDataset | None, Any, str | Relevance, str],
) -> Result:
    """Answers and the run they rest on, in one result."""
    dataset, run, relevance, label = ranked
    if dataset is None:
        raise UsageError("a run needs a benchmark that says what is relevant: --dataset (dataset=)")
    others = [setting for setting in settings if not reads_answers(setting.metric)]
    judged = judged_setting(profile)
    if not any(setting.metric.name == judged.metric.name for setting in others):
        others.append(judged)
    ranked_result = evaluate_dataset(dataset, run, others, profile, label, relevance)
    all_settings = [*settings, *(setting for setting in others if setting.is_beside)]
    return with_answers(ranked_result, replied, all_settings, profile)


def with_columns(result: Result, table: ScoreTable, metrics: Iterable[BoundMetric], beside: Collection[str] = ()) -> Result:
    """The result with more metrics, some of them `beside` what was asked for. What it has already stays as it is; where one
    side lacks a query, there is no score.
    """
    added = {metric.name: metric for metric in metrics if metric.name not in result.table.columns}
    if not added:
        return result
    known = {metric.name: metric for metric in result.metrics} | added
    new = ScoreTable(table.query_ids, {name: table.columns[name] for name in added})
    merged = result.with_fields(table=aligned_tables([result.table, new]), metrics=tuple(known.values()))
    return _with_metrics(merged, known.values(), {*result.beside, *beside})


def without_scores(result: Result, metrics: Sequence[BoundMetric], beside: Collection[str] = ()) -> Result:
    """The result with metrics that are undefined for every query: the data for them is missing."""
    n = len(result.query_ids)
    columns = {metric.name: Column.undefined(n, metric.metric.aggregation) for metric in metrics}
    return with_columns(result, ScoreTable(result.query_ids, columns), metrics, beside)


def in_requested_order(result: Result, asked: Sequence[str]) -> Result:
    """The result with its metrics as they were asked for; the others follow."""
    place = {name: number for number, name in enumerate(asked)}
    return _with_metrics(
        result, sorted(result.metrics, key=lambda metric: place.get(metric.name, len(place))), result.beside
    )


def with_the_same_metrics(results: Sequence[Result]) -> list[Result]:
    """Results on one benchmark with the metrics of all of them, in one order, so that one table holds them."""
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
    """The result with these metrics in this order, what was asked for before what stands beside it."""
    ordered = tuple(sorted(metrics, key=lambda metric: metric.name in beside))
    columns = {metric.name: result.table.columns[metric.name] for metric in ordered}
    names_beside = tuple(metric.name for metric in ordered if metric.name in beside)
    return result.with_fields(metrics=ordered, beside=names_beside, table=replace(result.table, columns=columns))
