"""Fusions and their tuning as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.evaluation import FusionTuning
from assay.fusion import Fusion
from assay.grammar import show
from assay.reports import Cell, Style, Table, fit_table, with_prose
from assay.serialize import to_json
from assay.text import counted, with_minus

TEXT_COLUMNS = frozenset({0, 1, 2})
SMALLEST_P = 0.0001
"""Smaller ones are not told apart."""


def render_fusions(fusions: Mapping[str, Fusion], style: Style) -> str:
    """All of them, one line each."""
    rows = [
        [Cell(fusion.name), Cell(_describe_needs(fusion)), Cell(fusion.meaning.removesuffix("."))]
        for fusion in fusions.values()
    ]
    table = with_prose(Table(["method", "reads", "what a document is worth"], rows, TEXT_COLUMNS), style)
    return f"{table}\n\nassay fuse --method rrf explains one; assay fuse a.run b.run --method rrf fuses\n"


def _describe_needs(fusion: Fusion) -> str:
    reads = "scores" if any(param.name == "norm" for param in fusion.params) else "ranks"
    return f"{reads}, judgments" if fusion.is_trained else reads


def render_fusion(fusion: Fusion, style: Style) -> str:
    """One of them in full."""
    parts = [style.wrapped(f"{fusion.name}: {fusion.meaning.removesuffix('.')}"), style.wrapped(fusion.edge_cases)]
    rows = [[Cell(param.name), Cell(show(param.default)), Cell(param.meaning)] for param in fusion.params]
    if rows:
        parts.append(with_prose(Table(["parameter", "default", "meaning"], rows, TEXT_COLUMNS), style))
    if fusion.is_trained:
        parts.append(style.wrapped("learns from judgments first: --qrels"))
    if fusion.weighted:
        parts.append(style.wrapped(f"with weights: {fusion.weighted}"))
    return "\n\n".join([*parts, style.wrapped(fusion.cite)]) + "\n"


def describe_tuning(tuning: FusionTuning) -> dict[str, Any]:
    """Plain JSON values."""
    return {**to_json(tuning), "chosen": tuning.chosen.name}


def render_tuning(tuning: FusionTuning, style: Style, command: str) -> str:
    """Single runs, fusion on queries held out, the gain with its interval, each fold, and what to use from now on."""
    head = (
        f"{counted(tuning.n_queries, 'judged query')} · {counted(tuning.n_tried, 'fusion')} tried"
        f" · {counted(len(tuning.folds), 'fold')}"
    )
    if tuning.n_undefined:
        head += f" · {tuning.metric} says nothing about {counted(tuning.n_undefined, 'query')}"
    percent = f"{100 * tuning.level:g} %"
    gained = [with_minus(f"{value:+.4f}") for value in (tuning.gain, tuning.low, tuning.high)]
    gain = (
        f"gain over {tuning.best_single} on held-out queries: {gained[0]}, {percent} interval "
        f"[{gained[1]}, {gained[2]}], {_format_p(tuning.p)} ({tuning.test})"
    )
    chosen = f"chosen over all queries: {tuning.chosen.name}, {tuning.metric} {tuning.chosen_score:.4f} there\n  {command}"
    parts = [
        head,
        *fit_table(_score_table(tuning), style),
        style.wrapped(gain),
        *fit_table(_fold_table(tuning), style),
        chosen,
    ]
    return "\n\n".join(parts) + "\n"


def _format_p(p: float) -> str:
    return "p < 0.0001" if p < SMALLEST_P else f"p = {p:.4f}"


def _score_table(tuning: FusionTuning) -> Table:
    best = max(tuning.score, *tuning.singles.values())
    rows = [[Cell(name), Cell(f"{score:.4f}", score == best)] for name, score in tuning.singles.items()]
    rows.append([Cell("fused, on held-out queries"), Cell(f"{tuning.score:.4f}", tuning.score == best)])
    return Table(["run", tuning.metric], rows)


def _fold_table(tuning: FusionTuning) -> Table:
    rows = [
        [
            Cell(str(number)),
            Cell(fold.chosen),
            Cell(str(len(fold.queries))),
            Cell(f"{fold.score:.4f}"),
            Cell(f"{fold.single:.4f}"),
        ]
        for number, fold in enumerate(tuning.folds, 1)
    ]
    head = ["fold", "chosen without it", "queries", "fused", tuning.best_single]
    return Table(head, rows, frozenset({0, 1}))
