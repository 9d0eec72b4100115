"""Fusions and their tuning as sections and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.evaluation import FusionTuning
from assay.fusion import Fusion
from assay.grammar import show
from assay.reports import Cell, Mark, Notes, Paragraph, Section, Table, cells, columns, text_columns
from assay.serialize import to_json
from assay.text import counted, with_minus

SMALLEST_P = 0.0001
"""Smaller values are all shown as smaller than this."""


def fusion_list_section(fusions: Mapping[str, Fusion]) -> Section:
    """All fusions, one line each."""
    rows = tuple(
        cells(fusion.name, _describe_needs(fusion), fusion.meaning.removesuffix(".")) for fusion in fusions.values()
    )
    table = Table(text_columns("method", "reads", "score of a document", prose=True), rows)
    hint = "To explain a method: assay fuse --method rrf. To fuse runs: assay fuse a.run b.run --method rrf"
    return Section(parts=(table, Notes(commands=(hint,))))


def _describe_needs(fusion: Fusion) -> str:
    reads = "scores" if any(param.name == "norm" for param in fusion.params) else "ranks"
    return f"{reads}, judgments" if fusion.is_trained else reads


def fusion_section(fusion: Fusion) -> Section:
    """One fusion in full."""
    rows = tuple(cells(param.name, show(param.default), param.meaning) for param in fusion.params)
    params = Table(text_columns("parameter", "default", "meaning", prose=True), rows)
    more = ["learns from judgments: --qrels is required"] if fusion.is_trained else []
    more += [f"with weights: {fusion.weighted}"] if fusion.weighted else []
    about = (f"{fusion.name}: {fusion.meaning.removesuffix('.')}", fusion.edge_cases)
    return Section(parts=(*map(Paragraph, about), params, *map(Paragraph, (*more, fusion.cite))))


def describe_tuning(tuning: FusionTuning) -> dict[str, Any]:
    """Plain JSON values."""
    return {**to_json(tuning), "chosen": tuning.chosen.name}


def tuning_section(tuning: FusionTuning, command: str) -> Section:
    """Single runs, the fusion on held-out queries, the gain with its interval, each fold, and the fusion to use."""
    head = (
        f"{counted(tuning.n_queries, 'judged query')} · {counted(tuning.n_tried, 'fusion')} tried"
        f" · {counted(len(tuning.folds), 'fold')}"
    )
    if tuning.n_undefined:
        head += f" · {tuning.metric} is undefined for {counted(tuning.n_undefined, 'query')}"
    percent = f"{100 * tuning.level:g} %"
    gained = [with_minus(f"{value:+.4f}") for value in (tuning.gain, tuning.low, tuning.high)]
    gain = (
        f"gain over {tuning.best_single} on held-out queries: {gained[0]}, {percent} interval "
        f"[{gained[1]}, {gained[2]}], {_format_p(tuning.p)} ({tuning.test} test)"
    )
    chosen = f"best on all queries: {tuning.chosen.name} ({tuning.metric} {tuning.chosen_score:.4f} on these queries)"
    tables = (_score_table(tuning), Paragraph(gain), _fold_table(tuning))
    return Section(parts=(Paragraph(head), *tables, Notes((chosen,), (f"  {command}",))))


def _format_p(p: float) -> str:
    return "p < 0.0001" if p < SMALLEST_P else f"p = {p:.4f}"


def _score_table(tuning: FusionTuning) -> Table:
    scores = {**tuning.singles, "fused, on held-out queries": tuning.score}
    best = max(scores.values())
    rows = [
        (Cell(name), Cell(f"{score:.4f}", mark=Mark.BEST if score == best else Mark.NONE)) for name, score in scores.items()
    ]
    return Table(columns("run", tuning.metric), tuple(rows))


def _fold_table(tuning: FusionTuning) -> Table:
    rows = [
        cells(str(number), fold.chosen, str(len(fold.queries)), f"{fold.score:.4f}", f"{fold.single:.4f}")
        for number, fold in enumerate(tuning.folds, 1)
    ]
    return Table(
        columns("fold", "chosen on the other folds", "queries", "fused", tuning.best_single, n_words=2), tuple(rows)
    )
