"""evaluate_answers: what a system answered in words and what is right in, a Result out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.datasets import BenchmarkDataset, ReplyRecords, load_dataset, read_replies
from assay.errors import DataError, UsageError
from assay.evaluation._evaluate import choose_profile, evaluate_dataset
from assay.evaluation.judging import Relevance
from assay.evaluation.replied import Replied, judged_beside, reads_answers, score_replied, wanted_by_queries, with_replied
from assay.evaluation.result import Result
from assay.evaluation.setting import Setting, settings_of
from assay.metrics import Given, find_metrics, parse_metrics, written_metrics
from assay.model import Policy, Profile, Query
from assay.text import counted, words_of
from assay.views import Reply, Wanted

USUAL = ("answer_f1", "answer_exact", "answer_contains", "rouge(n=l)")
"""What is measured unless somebody says what."""
IF_UNANSWERABLE, IF_SURE = "abstention_accuracy", "aurc"
"""What is added where some query has no answer, and where the system says how sure it is."""
OF_BOTH = "answer_success"
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
    records = read_replies(answers).under(_ids_by_words(chosen))
    replied = Replied(_opened(records.replies, abstentions), wanted_of(records, chosen))
    profiled = choose_profile(policy, profile)
    tool = profiled.name
    asked = find_metrics(usual_metrics(replied), tool) if metrics is None else parse_metrics(written_metrics(metrics), tool)
    settings = settings_of(asked, profiled)
    label = name or records.name
    ranked = records.hits if run is None and any(map(_reads_rankings, settings)) and records.hits else run
    if ranked is None:
        found = score_replied(replied, settings, profiled, label)
    else:
        found = _beside_run(replied, settings, profiled, (chosen, ranked, relevance, label))
    return replace(found, queries=_queries(records, chosen), notes=(*found.notes, *_on_words(records)))


def usual_metrics(replied: Replied) -> list[str]:
    """What is measured where nobody says what: more, where there is more to be known."""
    more = [IF_UNANSWERABLE] if any(not wanted.is_answerable for wanted in replied.wanted.values()) else []
    is_sure = any(reply.confidence is not None for reply in replied.replies.values())
    return [*USUAL, *more, *([IF_SURE] if is_sure else [])]


def _reads_rankings(setting: Setting) -> bool:
    """Whether a metric looks at what was retrieved."""
    return not reads_answers(setting.metric) or setting.metric.metric.name == OF_BOTH


def _ids_by_words(dataset: BenchmarkDataset | None) -> dict[str, str]:
    """Words of a query → its id, for answers that come without; words that several queries share are nobody's."""
    found: dict[str, list[str]] = {}
    for query_id, query in dataset.queries.items() if dataset is not None else ():
        found.setdefault(query.text.strip(), []).append(query_id)
    return {words: ids[0] for words, ids in found.items() if len(ids) == 1 and words}


def _on_words(records: ReplyRecords) -> tuple[str, ...]:
    """That queries go by their words, where they have no id."""
    n = len(records.asked)
    return (f"{counted(n, 'answer')} without a query id: the question in its own words is the id.",) if n else ()


def wanted_of(records: ReplyRecords, dataset: BenchmarkDataset | None) -> dict[str, Wanted]:
    """What is right: as the dataset has it, else as the records say; an error where neither knows any of the queries."""
    if dataset is None:
        if not records.wanted:
            ways = "name the benchmark (--dataset), or give each answer its `references`"
            raise DataError(f"nobody says what the right answers are: {ways}")
        return records.wanted
    known = {**records.wanted, **wanted_by_queries(dataset.queries)}
    if not known:
        raise DataError(f"no query of {dataset.name} has an expected answer, and the answers come without `references`")
    wanted = {query: known[query] for query in dataset.queries if query in known}
    if not wanted.keys() & records.replies.keys():
        ours, theirs = next(iter(records.replies)), next(iter(dataset.queries))
        found = f"answers are for {ours!r}, its queries are like {theirs!r}"
        none = f"not one answer belongs to a query of {dataset.name} with an expected answer"
        raise DataError(f"{none}: {found}. Do both use the same ids?")
    return wanted


def _opened(replies: Mapping[str, Reply], abstentions: Iterable[str]) -> dict[str, Reply]:
    """The replies, those that say no more than one of the sentences counted as abstentions."""
    sentences = {tuple(words_of(one)) for one in ([abstentions] if isinstance(abstentions, str) else abstentions)}
    return {
        query: replace(reply, abstained=True) if sentences and tuple(words_of(reply.text or "")) in sentences else reply
        for query, reply in replies.items()
    }


def _queries(records: ReplyRecords, dataset: BenchmarkDataset | None) -> Mapping[str, Query]:
    return records.queries if dataset is None else dataset.queries


def _beside_run(
    replied: Replied,
    settings: Sequence[Setting],
    profile: Profile,
    ranked: tuple[BenchmarkDataset | None, Any, str | Relevance, str],
) -> Result:
    """Answers and the run they rest on, in one result."""
    dataset, run, relevance, label = ranked
    if dataset is None:
        raise UsageError("a run needs a benchmark that says what is relevant: --dataset (dataset=)")
    others = [setting for setting in settings if not reads_answers(setting.metric)]
    judged = judged_beside(profile)
    if not any(setting.metric.name == judged.metric.name for setting in others):
        others.append(judged)
    found = evaluate_dataset(dataset, run, others, profile, label, relevance)
    shown = [*settings, *(setting for setting in others if setting.is_beside)]
    return with_replied(found, replied, shown, profile)
