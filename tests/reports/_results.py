"""What the report tests share: two runs worked out by hand, text that means harm, and one call that renders."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import assay
from assay.evaluation import Result
from assay.reports import Report, render_scores

QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d4": 1}}
GOOD = {"q1": {"d1": 9.0, "d3": 8.0}, "q2": {"d4": 7.0}}
"""map 1, mrr 1; ranks 1 and 2 judged, then rank 1: residuals ¼ and ½."""
POOR = {"q1": {"d2": 9.0, "d1": 8.0}}
"""map ¼ and 0, mrr ½ and 0; residuals ¼ and 1."""
METRICS = ("map", "mrr", "num_q", "rbp_residual(p=0.5)")
NINE = ("map", "mrr", "num_q", "recall@1", "recall@2", "precision@1", "precision@2", "hit@1", "rbp_residual(p=0.5)")
NOTHING = assay.Policy(rel=9, no_relevant="skip")
"""A level that no grade reaches: nothing is scored."""

HOSTILE = (
    "a|b",
    "<script>alert(1)</script>",
    "</td>&lt;b&gt;&amp;",
    "\\end{document}",
    "\\\\",
    "\\|",
    "50%_#",
    "$x^2$~{}",
    "x\ny",
    "x\r\\input{y}",
    "tab\there",
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "\x9b31m",
    "bell\x07\x08\x7f\x00",
    "\x85next\u2028line\u2029paragraph\x0b\x0c\x1c",
    "[red]x[/red]",
    "[link](http://example.org)",
    "[",
    "*",
    "*x* **y** _z_ ~~s~~ `c`",
    "=1+1",
    "a,b;\"c\"'d'",
    "two words",
    ":smile:",
    "東京タワー",
    "🎉👩‍🔬",
    "עברית العربية",
    "ไทยภาษา",
    "e\u0301",
    "long" * 80,
)
"""Ids and names nobody should use, and somebody does."""


def result(name: str, run: Mapping[str, Any], metrics: Sequence[str] = METRICS, **policy: Any) -> Result:
    """A run scored against QRELS."""
    return assay.evaluate(QRELS, run, metrics, policy=assay.Policy(**policy), name=name)


def pair(metrics: Sequence[str] = METRICS, **policy: Any) -> list[Result]:
    """The good run and the poor one."""
    return [result("good", GOOD, metrics, **policy), result("poor", POOR, metrics, **policy)]


@cache
def hostile_results() -> tuple[Result, ...]:
    """A query per hostile id, half of them missing from the run; a run per hostile name.

    Every other run lacks one query more: a note that all runs share would be said once, without a name.
    """
    qrels = {query: {"d": 1} for query in HOSTILE}
    runs = [{query: {"d": 1.0} for query in HOSTILE[start::2]} for start in (0, 2)]
    return tuple(assay.evaluate(qrels, runs[number % 2], ["map", "num_q"], name=name) for number, name in enumerate(HOSTILE))


def rendered(format_name: str, results: Sequence[Result], **how: Any) -> str:
    """The results in a format."""
    return render_scores(Report(results, **how), format_name)


def controls(text: str) -> set[str]:
    """Every character that steers a terminal or breaks a line, newlines aside."""
    return {letter for letter in text if unicodedata.category(letter) in ("Cc", "Zl", "Zp")} - {"\n"}


def banded(metrics: Sequence[str] = ("mrr",)) -> list[Result]:
    """Two runs with bands: the relevant document third of four with one score, and second, after one nobody judged."""
    runs = {"tied": dict.fromkeys(("c", "d", "a", "b"), 5.0), "clear": {"x": 2.0, "a": 1.0}}
    return [
        assay.evaluate({"q": {"a": 1}}, {"q": run}, metrics, name=name, tie_band=True, residuals=True)
        for name, run in runs.items()
    ]
