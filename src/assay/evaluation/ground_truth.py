"""Ground truth: what is relevant, read as plain judgments or as a benchmark; and results without any ground truth."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Any, Literal

import numpy as np

from assay.datasets import BenchmarkDataset, detect_format, load_dataset
from assay.errors import AssayError, DataError, UsageError
from assay.evaluation.completeness import queries_without_text, scored_judgments, without_queries
from assay.evaluation.grader import View, score_views
from assay.evaluation.notes import notes_on_reading, notes_on_tags
from assay.evaluation.profile import Profile, Setting
from assay.evaluation.result import Result
from assay.evaluation.result_lists.known_documents import VIEW as RESULT_LISTS
from assay.evaluation.result_lists.known_documents import DatasetDocuments, reads_lists
from assay.evaluation.result_lists.read_documents import read_documents
from assay.evaluation.result_parts import Evidence, Provenance, Scores
from assay.files import (
    FileSource,
    as_source,
    current_reading,
    has_named_scores,
    has_row_scores,
    rankings_of_rows,
    read_named_scores,
    read_row_scores,
)
from assay.metrics import BoundMetric
from assay.model import Column, Qrels, RankRule, Run, ScoreTable
from assay.text import counted
from assay.views import Documents, Times, Timing

NEXT_STEP = "assay pool latest --pairs 300 -o pool.jsonl"
"""The command that draws pairs to judge from the newest evaluation."""
JUDGMENTS_FIRST = "judgments come first, then the run: evaluate(qrels, run)"
ONLY_ROWS = (
    "one score per line fits only judgments for learning to rank (LETOR, SVMlight), whose lines have the same order. "
    "Give that file as the judgments, or write query, document and score on each line"
)
NO_COUNTS = {"judged": 0, "missing": 0, "without_relevant": 0, "extra": 0, "constant": 0}
"""The counts of a result without judgments."""
TIMING = "timing"
"""The view of response times, which exists without judgments, as result lists do."""


def load_ground_truth(
    source: Any, dataset_format: str | None = None, *, kind: Literal["judgments", "benchmark", ""] = ""
) -> Qrels | BenchmarkDataset:
    """Read judgments from a file, a frame or a mapping; or a benchmark by its name, or from a folder or a file.

    `kind` says which of the two it is. Without it, a name that is not a file, and a file that cannot be read as judgments,
    is a benchmark.
    """
    if isinstance(source, Qrels | BenchmarkDataset):
        return source
    is_path = isinstance(source, str | os.PathLike) and source != "-"
    is_named = is_path and (Path(source).is_dir() or not Path(source).exists())
    if kind == "benchmark" or dataset_format or (is_named and not kind):
        return load_dataset(source, dataset_format)
    try:
        return _judgments(source)
    except DataError:
        if not kind and is_path and _is_benchmark(Path(source)):
            return load_dataset(source)
        raise


def _judgments(source: Any) -> Qrels:
    """Plain judgments; an error if documents of some time are to be left out, because judgments have no times."""
    if (as_of := current_reading().as_of) is not None:
        what = f"as_of={as_of} needs a benchmark whose queries and documents have times, not plain judgments"
        raise UsageError(f"{what}. Use --dataset, or assay eval --benchmarks")
    return Qrels(as_source(source))


def _is_benchmark(path: Path) -> bool:
    """Whether a file looks like a benchmark, which has queries in addition to judgments."""
    with suppress(AssayError):
        return path.is_file() and detect_format(path).name != "trec"
    return False


def evaluate_without_judgments(
    dataset: BenchmarkDataset,
    settings: Sequence[Setting],
    profile: Profile,
    name: str,
    times: Times,
    run: Run,
    texts: Sequence[str] = (),
) -> Result:
    """The result for queries without any ground truth: times and result lists are scored, other metrics are undefined.

    It has no rankings yet; whoever retrieved them adds them. `texts` are the options of the next command that name the
    queries and documents.
    """
    asked = without_queries(dataset, queries_without_text(dataset))
    query_ids = tuple(asked.queries)
    settings = [setting for setting in settings if setting.metric.metric.aggregation.summarise]
    documents, metrics = DatasetDocuments(dataset), [setting.metric for setting in settings]
    views: dict[str, View] = {TIMING: Timing.of(query_ids, times)}
    if lists := reads_lists(metrics):
        views[RESULT_LISTS] = documents.view(query_ids, _ranked_by(run, profile.policy.rank_rule), lists)
    scores = Scores(
        ScoreTable(query_ids, _columns_of(query_ids, metrics, views)),
        tuple(metrics),
        {**NO_COUNTS, "scored": len(query_ids)},
        settings=tuple(settings),
        beside=tuple(setting.metric.name for setting in settings if setting.is_beside),
    )
    asked_metrics = [setting.metric for setting in settings if not setting.is_beside]
    undefined = [metric.name for metric in asked_metrics if metric.metric.view not in views]
    note = note_on_no_judgments(len(query_ids), undefined, texts)
    notes = (*notes_on_reading(dataset), *notes_on_tags(dataset), *documents.notes(), note)
    sources = documents.describe()
    return Result(
        name,
        scores,
        Provenance(profile.policy, profile.name, {**sources, **read_documents(dataset, metrics, sources)}, notes=notes),
        Evidence(queries=asked.queries),
    )


def _columns_of(query_ids: tuple[str, ...], metrics: Sequence[BoundMetric], views: Mapping[str, View]) -> dict[str, Column]:
    """The scores of the metrics whose view there is; the others are undefined."""
    known = score_views(views, [metric for metric in metrics if metric.metric.view in views]).columns
    return {
        metric.name: known.get(metric.name) or Column.undefined(len(query_ids), metric.metric.aggregation)
        for metric in metrics
    }


def _ranked_by(run: Run, rule: RankRule) -> Documents:
    """A function that returns the first k documents of a query, ranked by a rule."""
    ranked = run.without_self() if rule.drop_self else run

    def documents(query: str, most: int | None) -> list[str]:
        place = ranked.numbers.get(query, -1)
        return [] if place < 0 else ranked.in_order(place, rule)[: rule.depth][:most]

    return documents


def note_on_no_judgments(n_queries: int, metrics: Sequence[str], texts: Sequence[str] = ()) -> str:
    """Why metrics have no value, and what to do next, in one line."""
    queries = "the only query does not have" if n_queries == 1 else f"none of the {counted(n_queries, 'query')} has"
    others = f" and {counted(len(metrics) - 1, 'other metric')}" if len(metrics) > 1 else ""
    so = f", so {metrics[0]}{others} {'have' if others else 'has'} no value" if metrics else ""
    return f"{queries} judgments{so}. To choose what to judge: {' '.join([NEXT_STEP, *map(quote, texts)])}"


def as_judged(qrels: Any) -> Qrels:
    """The judgments in a source."""
    if isinstance(qrels, Run):
        raise UsageError(JUDGMENTS_FIRST)
    truth = load_ground_truth(qrels, kind="judgments")
    return truth if isinstance(truth, Qrels) else scored_judgments(truth)


def as_ranked(run: Any, qrels: Qrels) -> Any:
    """The source of the rankings. Scores in the order of the judgments are a run if the judgments are from such a file."""
    if isinstance(run, Qrels):
        raise UsageError(JUDGMENTS_FIRST)
    return run if type(run) is dict else with_ranked_rows(run, qrels)


def with_ranked_rows(run: Any, truth: Qrels | BenchmarkDataset) -> Any:
    """The run of a file or an array with one score for each line of the data file; anything else unchanged.

    A file may also have the columns query, document and score, as RankLib writes them.
    """
    if isinstance(run, Mapping):
        return run
    documents = _documents(truth)
    source = as_source(run)
    if isinstance(source, FileSource):
        if has_row_scores(source):
            if documents is None:
                raise DataError(ONLY_ROWS, source=source.label)
            return Run.borrow(rankings_of_rows(read_row_scores(source), documents, source.label))
        if documents is not None and has_named_scores(source):
            return Run.borrow(read_named_scores(source, documents))
        return source
    if documents is not None and (scores := _as_scores(source)) is not None:
        return Run.borrow(rankings_of_rows(scores, documents, "scores"))
    return source


def _documents(truth: Qrels | BenchmarkDataset) -> Mapping[str, Sequence[str]] | None:
    """Query → its documents in the order of the data file; None if there is no such order."""
    if isinstance(truth, BenchmarkDataset):
        return None if truth.features is None else truth.features.groups
    return {query: list(truth[query]) for query in truth} if truth.in_file_order else None


def _as_scores(source: Any) -> Any:
    """The numbers of an array or list of numbers; None for anything else."""
    if isinstance(source, np.ndarray) and source.ndim == 1 and source.dtype.kind in "fiu":
        scores = source.astype(np.float64)
    elif isinstance(source, list) and source and set(map(type, source)) <= {float, int}:
        scores = np.array(source, dtype=np.float64)
    else:
        return None
    if np.isnan(scores).any():
        raise DataError("the score must be a number, not nan", source="scores")
    return scores
