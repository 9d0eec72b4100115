"""Trust notes: how much ties and unjudged documents could change the scores of results, and which of them leads."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from assay.evaluation import Band, Result
from assay.metrics import BoundMetric
from assay.reports.report import Report
from assay.text import counted, percent

MANY_TIED = 0.25
"""From this share of queries with undecided ties in the top 10 on, a note mentions --tie-band."""
MAX_RUNS_NAMED = 20
"""A note names at most so many runs."""
MANY_UNJUDGED = 0.05
"""From this unjudged share of the top 10 on, a note mentions --residuals."""
ASSUMED = (
    "unjudged min – max: the lowest and highest possible value if the retrieved unjudged documents were judged. "
    "All other judgments stay the same."
)


LEADS = (
    "The range of a lead does not follow from the table: a document has one grade for both runs, and for metrics such as "
    "ndcg a relevant document of one run also changes the best possible ranking of the other."
)


def trust_notes(report: Report) -> list[str]:
    """What the bands show, or which option shows them."""
    if not report.points_on and not any(result.tie_bands or result.residuals for result in report.results):
        return []
    return [*_tie_notes(report), *_residual_notes(report)]


def _tie_notes(report: Report) -> list[str]:
    tied = [result for result in report.results if result.ties.get("undecided")]
    if not any(result.tie_bands for result in report.results):
        many = [result for result in tied if _hangs_on_ties(result)]
        shares = [f"{report.label(result)} {percent(result.ties['in_top_10'] / result.ties['queries'])}" for result in many]
        advice = "Add --tie-band to see how much the order of tied documents could change the scores."
        return [f"Queries with ties in the top 10: {_first(shares)}. {advice}"] if shares else []
    texts = []
    for result in tied:
        cut = ", ".join(f"{n:,} with a tie across cutoff {k}" for k, n in result.ties["at_cutoff"].items() if n)
        across = f" ({cut})" if cut else ""
        texts.append(
            f"{report.label(result)}: the order of tied documents could change a score in {_share(result)}{across}."
        )
    for metric in report.shown:
        bands = [result.tie_bands.get(metric.name) for result in report.results]
        methods = {band.method for band in bands if band and band.method != "exact"}
        texts += [f"{metric.name}: {method}." for method in sorted(methods)]
        texts += _contested(report, metric, bands)
    return texts


def _first(shares: Sequence[str]) -> str:
    """The shares of the first runs, and how many more there are."""
    rest = f" and {len(shares) - MAX_RUNS_NAMED} more" if len(shares) > MAX_RUNS_NAMED else ""
    return ", ".join(shares[:MAX_RUNS_NAMED]) + rest


def _hangs_on_ties(result: Result) -> bool:
    """Whether many queries have equal scores near the top, and a tie rule orders them; an average favours no order."""
    return result.policy.ties != "expected" and bool(result.ties["in_top_10"] >= MANY_TIED * result.ties["queries"])


def _share(result: Result) -> str:
    return f"{result.ties['undecided']:,} of {counted(result.ties['queries'], 'query')}"


def _residual_notes(report: Report) -> list[str]:
    if any(result.residuals for result in report.results):
        texts, has_leads = [ASSUMED], False
        for metric in report.shown:
            bands = [result.residuals.get(metric.name) for result in report.results]
            texts += [f"{metric.name}: {method}." for method in sorted({band.method for band in bands if band} - {""})]
            texts += (leads := _reversible(report, metric))
            has_leads = has_leads or bool(leads)
        return [*texts, LEADS] if has_leads else texts
    if "judged@10" not in report.beside:
        return []
    many = [result for result in report.results if _unjudged_share(result) >= MANY_UNJUDGED]
    shares = [f"{report.label(result)} {percent(1 - result.summary['judged@10'])}" for result in many]
    can_tell = all(result.grader is not None for result in many)  # which saved and stored results do not have
    advice = " Add --residuals to see how much they could change the scores." if can_tell else ""
    return [f"Unjudged results in the first 10: {_first(shares)}.{advice}"] if shares else []


def _unjudged_share(result: Result) -> float:
    """The unjudged share of the top 10, over the queries in the run only, because missing queries have no documents.

    This decides whether there is a note; the note itself shows the share from the column, so that the two agree.
    """
    missing = set(result.missing)
    judged = [score for query, score in result.scores("judged@10").items() if query not in missing]
    return 1.0 - sum(judged) / len(judged) if judged else 0.0


def _reversible(report: Report, metric: BoundMetric) -> list[str]:
    """Leads of one run over the next that unjudged documents could reverse. A document of both runs has one grade."""
    sign = -1 if metric.metric.higher_is_better else 1
    scored = [result for result in report.results if metric.name in result.residuals]
    leads = []
    if len(scored) > 1:
        from assay.comparison import at_most, results_text, unjudged_between
    for first, second in pairwise(sorted(scored, key=lambda result: sign * result.summary[metric.name])):
        lead = -sign * (first.summary[metric.name] - second.summary[metric.name])
        unjudged = unjudged_between(second, first, metric)
        low, high = sorted(-sign * end for end in (unjudged.low, unjudged.high))
        if lead > 0 and low < 0:
            ends = " and ".join("+−"[end < 0] + report.text(metric, abs(end)) for end in (low, high))
            by = report.text(metric, lead)
            leads.append(
                f"{metric.name}: {report.label(first)} leads {report.label(second)} by {by}. Depending on the grades of the "
                f"{results_text(unjudged)}, its lead could be between {ends}{at_most(unjudged)}."
            )
    return leads


def _contested(report: Report, metric: BoundMetric, bands: Sequence[Band | None]) -> list[str]:
    """Leads of one run over the next that another order of ties could reverse."""
    scored = [(result, band) for result, band in zip(report.results, bands, strict=True) if band]
    sign = -1 if metric.metric.higher_is_better else 1
    scored.sort(key=lambda pair: sign * pair[0].summary[metric.name])
    leads = []
    for (first, its), (second, others) in pairwise(scored):
        lead = abs(first.summary[metric.name] - second.summary[metric.name])
        room = _room(metric, first, its, is_ahead=True) + _room(metric, second, others, is_ahead=False)
        if room > lead > 0:
            by, most = report.text(metric, lead), report.text(metric, room)
            leads.append(
                f"{report.label(first)} leads {report.label(second)} by {by}, "
                f"but the order of tied documents could change the difference by up to {most}"
            )
    return [f"{metric.name}: {lead}." for lead in leads]


def _room(metric: BoundMetric, result: Result, band: Band, *, is_ahead: bool) -> float:
    """How far the value could get worse if it is ahead, or better if it is behind."""
    figure, others = result.summary[metric.name], [column.summary() for column in band.columns.values()]
    return figure - min(others) if is_ahead == metric.metric.higher_is_better else max(others) - figure
