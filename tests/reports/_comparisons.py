"""Small comparisons, and how they are shown."""

from assay.comparison import compare
from assay.reports import ComparisonReport, Style, render_comparisons

SCORES = {
    "old": [0.2, 0.5, 0.25, 0.5, 0.2, 1.0, 0.5, 0.0],
    "new": [1.0, 1.0, 0.5, 1.0, 1.0, 0.5, 1.0, 0.25],
    "top": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
}
"""Reciprocal ranks on eight queries."""
QRELS = {f"q{number}": {"d": 1} for number in range(1, 9)}


def ranked(scores):
    return {
        f"q{number}": [*(f"x{rank}" for rank in range(1, round(1 / score))), "d"] if score else ["x"]
        for number, score in enumerate(scores, 1)
    }


def comparison(*names, metrics=("mrr", "hit@1"), **how):
    return compare(QRELS, {name: ranked(SCORES[name]) for name in names or SCORES}, metrics, **how)


def rendered(one, form="table", width=None, colour=False, **how):
    return render_comparisons(ComparisonReport([one], **how), form, Style(width, colour))
