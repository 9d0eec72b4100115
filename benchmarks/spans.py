"""Span metrics against ranking metrics over the same run of chunks, by assay itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.evaluation import score_views
from assay.evaluation.grader import Grader
from assay.metrics import find_metrics
from assay.model import Document, Policy, Qrels, Rankings, Run, Span
from assay.views import Places, Spans, Truth
from benchmarks._timing import Row, best_time, within

N_QUERIES, N_RETRIEVED, N_FILES, PER_FILE, LINES = 1000, 1000, 2000, 50, 10
TRIES = 15
RANKING = ["ndcg@10", "map", "mrr@10", "P@10", "R@100"]
SPANS = ["span_recall@10", "span_precision@10", "span_iou@10", "file_recall@10", "file_mrr"]
WHOLE = ["span_recall", "span_precision", "span_iou", "file_recall", "file_mrr"]


def measure() -> Iterator[Row]:
    """A million rows over 100,000 chunks. Both start from what a resolver leaves: judgments, and where chunks stand.

    Each ranks the run anew; which place each retrieved id has was found out by the resolver, as were the judgments.
    """
    documents, spans, rankings, qrels = _data()
    judged, truth, rule = Qrels(qrels), Truth(spans, Places(documents)), Policy().rank_rule
    run = Run.borrow(Rankings(rankings))
    truth.places.located(run)
    size = f"{N_QUERIES * N_RETRIEVED // 1_000_000} M rows"

    def ranking() -> None:
        _forget_order(run)
        score_views({"ranking": Grader(judged, run, [Policy()]).grading(Policy()).run}, find_metrics(RANKING))

    def by_spans(metrics: list[str]) -> None:
        _forget_order(run)
        view = Spans.of(tuple(spans), run, rule, truth)
        score_views({"spans": view}, find_metrics(metrics))

    plain = best_time(ranking, TRIES)
    yield within(f"{size}, 5 span metrics at 10", "5 ranking metrics", best_time(lambda: by_spans(SPANS), TRIES), plain, 2)
    yield within(
        f"{size}, 5 span metrics of all ranks", "5 ranking metrics", best_time(lambda: by_spans(WHOLE), TRIES), plain, 2
    )


def _forget_order(run: Run) -> None:
    """As if the run were new: it is ranked again."""
    for name in ("order", "scores", "n_retrieved", "numbers"):
        run.__dict__.pop(name, None)


def _data() -> tuple[dict[str, Document], dict[str, list[Span]], dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Files in chunks of ten lines; for each query two gold spans of 25 lines, and 1,000 chunks at random."""
    rng = np.random.default_rng(0)
    names = [f"src/part{number % 40}/file{number}.py" for number in range(N_FILES)]
    documents: dict[str, Document] = {}
    for name in names:
        for first in range(1, PER_FILE * LINES, LINES):
            start, last = 40 * (first - 1), first + LINES - 1
            place = {"doc_id": name, "start": start, "end": 40 * last, "start_line": first, "end_line": last}
            documents[f"{name}:{first}-{last}"] = Document(f"{name}:{first}-{last}", "", metadata=place)
    ids = list(documents)
    spans: dict[str, list[Span]] = {}
    rankings: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, int]] = {}
    for number in range(N_QUERIES):
        files, lines = rng.integers(0, N_FILES, 2).tolist(), rng.integers(1, PER_FILE * LINES - 25, 2).tolist()
        gold = [Span(names[file], line, line + 24, "lines") for file, line in zip(files, lines, strict=True)]
        spans[f"q{number}"] = gold
        near = [
            f"{span.doc_id}:{first}-{first + LINES - 1}"
            for span in gold
            for first in range(1, PER_FILE * LINES, LINES)
            if first <= span.end and span.start <= first + LINES - 1
        ]
        chosen = dict.fromkeys([ids[place] for place in rng.choice(len(ids), N_RETRIEVED, replace=False).tolist()])
        ranked = dict.fromkeys([*list(chosen)[:3], *near[::2], *chosen])
        scores = np.sort(rng.gamma(2, 3, len(ranked)))[::-1].tolist()
        rankings[f"q{number}"] = dict(zip(ranked, scores, strict=True))
        qrels[f"q{number}"] = dict.fromkeys(near, 1)
    return documents, spans, rankings, qrels
