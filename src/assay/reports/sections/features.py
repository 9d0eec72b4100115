"""Features: a table of how much a model for learning to rank depends on each feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.comparison import p_digits
from assay.reports.json_output import json_text
from assay.reports.layout import Style
from assay.reports.rendering import render_sections
from assay.reports.table import Cell, Column, Mark, Paragraph, Section, Table, columns, number
from assay.text import counted, decimals, percent, with_minus

if TYPE_CHECKING:
    from assay.learning_to_rank import FeatureImportance, Importance

MARKS = {"helps": Mark.BETTER, "hurts": Mark.WORSE}
METHOD_WORDS = {
    "permutation": "its values are in a random order within each query ({repeats})",
    "leaving-out": "all documents of a query have its mean",
}
MAX_NAMED = 10
"""The most features that the verdict names."""


def render_features(importance: FeatureImportance, form: str, style: Style, most: int | None = None) -> str:
    """The features as a table of at most so many rows, or all of them as JSON."""
    if form == "json":
        return json_text(importance.to_dict())
    return render_sections(feature_sections(importance, None if form == "csv" else most), form, style)


def feature_sections(importance: FeatureImportance, most: int | None = None) -> list[Section]:
    """The model, the features with their losses, the most important first, and the verdict."""
    rows = importance.features[:most]
    level = percent(importance.comparison.how.level)
    heads = (
        Column("feature", kind="text"),
        *columns("without it", "loss", Column(f"{level} CI of loss"), Column("p"), n_words=0),
        Column("verdict", kind="text"),
    )
    table = Table(heads, tuple(_row(feature) for feature in rows), notes=_notes(importance, len(rows)))
    head = f"{importance.model} on {importance.benchmark}: {importance.metric} {decimals(importance.value)}"
    queries = counted(importance.n_queries, "query")
    return [Section(title=f"{head}, {queries}", parts=(table, Paragraph(feature_verdict(importance))))]


def _row(feature: Importance) -> tuple[Cell, ...]:
    p = "–" if feature.p_corrected != feature.p_corrected else p_digits(feature.p_corrected)
    interval = "–" if feature.low != feature.low else f"{_signed(feature.low)} … {_signed(feature.high)}"
    return (
        Cell(str(feature.feature), feature.feature),
        number(decimals(feature.value), feature.value),
        number(_signed(feature.loss), feature.loss),
        Cell(interval, values=(("loss low", feature.low), ("loss high", feature.high))),
        number("< 0.001" if feature.p_corrected < 0.001 else p, feature.p_corrected),
        Cell(feature.verdict, mark=MARKS.get(feature.verdict, Mark.NONE)),
    )


def _signed(value: float) -> str:
    return with_minus(f"{value:+.3f}")


def _notes(importance: FeatureImportance, n_rows: int) -> tuple[str, ...]:
    repeats = f"mean of {counted(importance.repeats, 'order')}, seed {importance.seed}"
    without = METHOD_WORDS[importance.method].format(repeats=repeats)
    how = importance.comparison.how
    n_left = len(importance.features) - n_rows
    hidden = [f"{counted(n_left, 'more feature')} with smaller losses: add --all to show them."] if n_left else []
    correction = f"corrected for {counted(len(importance.features), 'feature')} ({how.correcting.name})"
    return (
        *hidden,
        f"Without a feature, {without}. The model is not trained again.",
        f"Losses are paired over queries; p: {how.bound_test.name}, {correction}.",
        "Features with the same information can replace each other, so none of them may show a loss.",
    )


def feature_verdict(importance: FeatureImportance) -> str:
    """Which features are shown to help or to hurt, in one or two sentences."""
    parts = []
    for word, verb in (("helps", "help"), ("hurts", "hurt")):
        numbers = [feature.feature for feature in importance.features if feature.verdict == word]
        if numbers:
            more = f" and {len(numbers) - MAX_NAMED} more" if len(numbers) > MAX_NAMED else ""
            named = ", ".join(map(str, numbers[:MAX_NAMED]))
            parts.append(f"Feature {named} {word}." if len(numbers) == 1 else f"Features {named}{more} {verb}.")
    n_others = sum(feature.verdict not in MARKS for feature in importance.features)
    if n_others:
        noun = counted(n_others, "feature" if not parts else "other feature")
        parts.append(f"No effect on {importance.metric} is shown for {noun}.")
    return " ".join(parts)
