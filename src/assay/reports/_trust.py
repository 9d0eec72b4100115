"""Sentences about trust: what ties and unjudged documents could change, and whether a lead survives it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from assay.evaluation import Band, Result
from assay.metrics import BoundMetric
from assay.reports._report import Report
from assay.text import counted, percent

MANY_TIED = 0.25
"""Share of queries with undecided ties in the first ten from which on people are pointed to --tie-band."""
MANY_UNJUDGED = 0.05
"""Unjudged share of the first ten from which on people are pointed to --residuals."""
ASSUMED = (
    "unjudged min – max: the lowest and highest figure, whatever grades retrieved documents that nobody judged would get. "
    "Documents that were not retrieved stay as they are."
)
TIES = "ties", "how equal scores are ordered"
UNJUDGED = "residuals", "what unjudged documents are worth"
"""What could move a lead, and what the lead hangs on."""


def trust_notes(report: Report) -> list[str]:
    """What the bands say, or that there are bands to look at."""
    if not report.points_on and not any(result.tie_bands or result.residuals for result in report.results):
        return []
    return [*_tie_notes(report), *_residual_notes(report)]


def _tie_notes(report: Report) -> list[str]:
    tied = [result for result in report.results if result.ties.get("undecided")]
    if not any(result.tie_bands for result in report.results):
        many = [result for result in tied if _hangs_on_ties(result)]
        shares = [f"{report.label(result)} {percent(result.ties['in_top_10'] / result.ties['queries'])}" for result in many]
        said = f"queries with equal scores in the first 10: {', '.join(shares)}; --tie-band shows what that could change."
        return [said] if shares else []
    found = []
    for result in tied:
        cut = ", ".join(f"{n:,} at cutoff {k}" for k, n in result.ties["at_cutoff"].items() if n)
        across = f", across the cut in {cut}" if cut else ""
        found.append(f"{report.label(result)}: equal scores leave ranks open in {_share(result)}{across}.")
    for metric in report.shown:
        bands = [result.tie_bands.get(metric.name) for result in report.results]
        methods = {band.method for band in bands if band and band.method != "exact"}
        found += [f"{metric.name}: {method}." for method in sorted(methods)]
        found += _contested(report, metric, bands, TIES)
    return found


def _hangs_on_ties(result: Result) -> bool:
    """Whether many queries have equal scores near the top, and a rule decides about them: an average favours no order."""
    return result.policy.ties != "expected" and bool(result.ties["in_top_10"] >= MANY_TIED * result.ties["queries"])


def _share(result: Result) -> str:
    return f"{result.ties['undecided']:,} of {counted(result.ties['queries'], 'query')}"


def _residual_notes(report: Report) -> list[str]:
    if any(result.residuals for result in report.results):
        found = [ASSUMED]
        for metric in report.shown:
            bands = [result.residuals.get(metric.name) for result in report.results]
            found += [f"{metric.name}: {method}." for method in sorted({band.method for band in bands if band} - {""})]
            found += _contested(report, metric, bands, UNJUDGED)
        return found
    if "judged@10" not in report.beside:
        return []
    many = [result for result in report.results if _unjudged_share(result) >= MANY_UNJUDGED]
    shares = [f"{report.label(result)} {percent(1 - result.summary['judged@10'])}" for result in many]
    return [f"unjudged among the first 10: {', '.join(shares)}; --residuals shows what that could change."] if shares else []


def _unjudged_share(result: Result) -> float:
    """What nobody judged among the first ten, over the queries that the run has: what it lacks cannot be judged either.

    This decides whether people are told; the figure they read is that of the column, with which it has to agree.
    """
    missing = set(result.missing)
    judged = [score for query, score in result.scores("judged@10").items() if query not in missing]
    return 1.0 - sum(judged) / len(judged) if judged else 0.0


def _contested(report: Report, metric: BoundMetric, bands: Sequence[Band | None], doubt: tuple[str, str]) -> list[str]:
    """Leads of one run over the next that the bands of these two could undo."""
    scored = [(result, band) for result, band in zip(report.results, bands, strict=True) if band]
    sign = -1 if metric.metric.higher_is_better else 1
    scored.sort(key=lambda pair: sign * pair[0].summary[metric.name])
    leads = []
    for (first, its), (second, others) in pairwise(scored):
        lead = abs(first.summary[metric.name] - second.summary[metric.name])
        room = _room(metric, first, its, is_ahead=True) + _room(metric, second, others, is_ahead=False)
        if room > lead > 0:
            by, most = report.text(metric, lead), report.text(metric, room)
            pair = f"{report.label(first)} over {report.label(second)}"
            leads.append(f"{pair} (by {by}, {doubt[0]} could move it by {most})")
    if not leads:
        return []
    hang = "hangs" if len(leads) == 1 else "hang"
    return [f"{metric.name}: {', '.join(leads)} {hang} on {doubt[1]}."]


def _room(metric: BoundMetric, result: Result, band: Band, *, is_ahead: bool) -> float:
    """How far the figure could come down if it is ahead, or go up if it is behind; the other way where less is better."""
    figure, others = result.summary[metric.name], [column.summary() for column in band.columns.values()]
    return figure - min(others) if is_ahead == metric.metric.higher_is_better else max(others) - figure
