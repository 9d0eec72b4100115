"""The head of a comparison: how it was made, and what its signs mean, in short texts."""

from __future__ import annotations

import math

from assay.comparison import STUDENT, Comparison, correction_text, tests_used
from assay.reports.sections.verdicts import BETTER, CONFIRMED, SPLIT, WORSE, mark
from assay.stats import AVERAGED
from assay.text import counted

METHODS = {"gaffke": "Gaffke's bound"}
"""Methods of intervals in words."""
RESAMPLED = ("bootstrap", "bca", "studentised")
TWO_SIDED, STUDENT_TEXT = "two_sided", "Student's t test"
UNITS = {"bootstrap": "resamples"}
"""What a test draws, if it does not draw permutations."""


def level_text(comparison: Comparison) -> str:
    """`95 %`."""
    return f"{100 * comparison.how.level:g} %"


def title_of(comparison: Comparison) -> str:
    """The benchmark and its version, and the slice; empty for runs and judgments in files."""
    first = comparison.results[0]
    version = first.provenance.get("dataset", {}).get("version", "")
    parts = [f"{first.benchmark} {version}".strip() if first.benchmark else "", comparison.part]
    return " · ".join(part for part in parts if part)


def head_line(comparison: Comparison) -> str:
    """How the comparison was made: baseline, systems, queries, deciding metric, test, correction, intervals, seed."""
    how = comparison.how
    parts = [f"baseline {how.baseline}"] if how.baseline is not None else []
    parts += [systems_text(comparison)] if comparison.n_given else []
    parts += [n_queries_text(comparison), deciding_text(comparison), test_text(comparison), correction_text(comparison)]
    parts += [interval_text(comparison), f"seed {how.seed}" if _is_random(comparison) else ""]
    return " · ".join(part for part in parts if part)


def systems_text(comparison: Comparison) -> str:
    """`best 50 of 1,000 systems`, or `50 systems` if none was left out."""
    n = len(comparison.names)
    return f"best {n:,} of {comparison.n_given:,} systems" if comparison.n_given else counted(n, "system")


def deciding_text(comparison: Comparison) -> str:
    """`ndcg@10 decides`; empty if there is one metric, or if all metrics are tested."""
    if comparison.how.correct_metrics or len(comparison.metrics) < 2:
        return ""
    return f"{comparison.metrics[0].name} decides"


def interval_text(comparison: Comparison) -> str:
    """`95 % CI by t`, with the methods that were used, and whether the intervals are about all comparisons at once."""
    known = [pair.interval for pair in comparison.pairs if not math.isnan(pair.low)]
    if not known:
        return f"no {level_text(comparison)} CI"
    methods = " or ".join(METHODS.get(name, name) for name in dict.fromkeys(known))
    alone = ", not corrected" if is_corrected(comparison) else ""
    return f"{level_text(comparison)} CI by {methods}{alone}"


def _is_random(comparison: Comparison) -> bool:
    """Whether any number in the comparison depends on random draws."""
    return any(pair.draws or pair.interval in RESAMPLED for pair in comparison.pairs)


def n_queries_text(comparison: Comparison) -> str:
    """`54 queries`, or `52 of 54 queries` if some judged queries do not count; with the number without failures."""
    n = len(comparison.query_ids)
    judged = max((result.counts.get("judged", 0) for result in comparison.results), default=0)
    unit = comparison.results[0].rows_are
    text = counted(n, unit) if comparison.part or judged <= n else f"{n:,} of {counted(judged, unit)}"
    if comparison.clusters is not None:
        text = f"{text} in {counted(comparison.clusters.n, 'cluster')} by {comparison.how.cluster}"
    n_failed = sum(any(query in result.failures for result in comparison.results) for query in comparison.query_ids)
    return f"{text}, {n - n_failed:,} without failures" if n_failed else text


def test_text(comparison: Comparison) -> str:
    """The test, its margin or its parameters that are not the default, and its number of permutations or resamples.

    On estimates and on values that all lists have together, it is the test that replaces the chosen one.
    """
    used = tests_used(comparison)
    if used["test"] == STUDENT:
        alternative = comparison.how.bound_test.params.get("alternative", TWO_SIDED)
        return STUDENT_TEXT if alternative == TWO_SIDED else f"{STUDENT_TEXT}, alternative {alternative}"
    others = {"test_of_estimates": "estimates", "test_of_all_lists": "values of all lists"}
    about = " and ".join(text for name, text in others.items() if name in used)
    return f"{_chosen_test(comparison)}{f' ({STUDENT_TEXT} on {about})' if about else ''}"


def _chosen_test(comparison: Comparison) -> str:
    test = comparison.how.bound_test
    words = test.test.name.replace("_", " ")
    others = {name: value for name, value in test.params.items() if name != "resamples"}
    is_claim = test.test.claim != "differs"
    changed = [f"{name} {value}" for name, value in others.items() if is_claim or value != _default(test.test.params, name)]
    if test.params.get("resamples") is not None:
        changed.append(f"{_draws_text(comparison)} {UNITS.get(test.test.name, 'permutations')}")
    return ", ".join([f"{words} test", *changed])


def _draws_text(comparison: Comparison) -> str:
    """The number of draws of the test: `100,000`, `all`, or `up to 100,000` if some pairs needed fewer."""
    averages = {metric.name for metric in comparison.metrics if metric.metric.aggregation in AVERAGED}
    draws = {pair.draws for pair in comparison.pairs if pair.metric in averages and not math.isnan(pair.p)}
    if draws and not any(draws):
        return "all"
    return f"{'up to ' if 0 in draws else ''}{comparison.how.bound_test.params['resamples']:,}"


def is_corrected(comparison: Comparison) -> bool:
    """Whether p was corrected for multiple comparisons."""
    text = correction_text(comparison)
    return bool(text) and not text.endswith("not corrected")


def _default(params: tuple[object, ...], name: str) -> object:
    return next((getattr(param, "default", None) for param in params if getattr(param, "name", "") == name), None)


def legend(comparison: Comparison) -> str:
    """What the signs mean, if there are any."""
    marks = {mark(pair) for pair in comparison.pairs} - {""}
    limit = f"p ≤ {comparison.how.alpha:g}{' after correction' if is_corrected(comparison) else ''}"
    if CONFIRMED in marks:
        claims = {"not_worse": "shown to be not worse", "equal": "shown to be practically equal"}
        return f"{CONFIRMED} {claims[comparison.pairs[0].claim]}: {limit}."
    signs = ((BETTER, "better"), (WORSE, "worse"), (SPLIT, "differs, but the test and the mean disagree on which is better"))
    words = [f"{sign} {word}" for sign, word in signs if sign in marks]
    return f"{', '.join(words)}: {limit}." if words else ""
