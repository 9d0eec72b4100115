"""The lines that trec_eval prints; under a trec_eval profile exactly its lines, in its order.

Formats from trec_eval's published source, https://github.com/usnistgov/trec_eval: `%-22s`, `%s`, and `%6.4f` or `%ld`
between tabs in meas_print_single.c and meas_print_final.c, text in m_runid.c and m_relstring.c, and queries in trec_eval.c.
Queries are sorted by id, byte by byte. With -c, version 9 lists only queries in the run; 10 lists all judged queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import add

from assay.evaluation import Result, as_asked
from assay.metrics import TREC_MEASURES, BoundMetric
from assay.model import MEAN
from assay.reports.rendering import Renderer
from assay.reports.report import Report
from assay.reports.sections.scores import Kind, band_scores, bands_of
from assay.text import printable

SUMMARY_ONLY = {"num_q", "gm_map", "gm_bpref", "runid"}
"""Metrics that trec_eval prints only for all queries together."""
PROFILES_WITHOUT_MISSING = ("trec_eval-9",)
"""Profiles whose tool never lists a query that is missing from the run."""
TOOL = "trec_eval-"
"""How the profiles of trec_eval begin."""


def render_trec(report: Report) -> str:
    """Lines `name<tab>query<tab>value` with four decimals; first each query if requested, then `all`."""
    lines: list[str] = []
    for result in report.results:
        if len(report.results) > 1 and "runid" not in result.table.columns:
            lines.append(_line("runid", "all", report.label(result)))
        metrics = _named_metrics(result)
        if report.per_query:
            lines += _query_lines(report, result, metrics)
        lines += _summary_lines(report, result, metrics)
    return "\n".join(lines) + "\n" if lines else ""


Named = tuple[str, BoundMetric]
"""The name to print, and the metric."""


def _named_metrics(result: Result) -> list[Named]:
    """The metrics with the names that trec_eval prints; under its profiles also in its order."""
    by_name = {setting.metric.name: setting.asked for setting in result.settings}
    named = [((by_name.get(metric.name) or as_asked(metric, result.profile)).trec_name, metric) for metric in result.metrics]
    return sorted(named, key=_place) if result.profile.startswith(TOOL) else named


def _place(named: Named) -> tuple[int, float]:
    """Where trec_eval prints a measure: in the order of its source, cutoffs ascending; metrics that it lacks come last."""
    name, metric = named
    roots = [root for root in metric.metric.trec_names if f"{name}_".startswith(f"{root}_")]
    if not roots:
        return len(TREC_MEASURES), 0.0
    cut = metric.params[metric.metric.at.name] if metric.metric.at else None
    return TREC_MEASURES.index(max(roots, key=len)), float(cut or 0)


def _query_lines(report: Report, result: Result, metrics: Sequence[Named]) -> Iterator[str]:
    lines = {query: list[str]() for query in _listed_queries(result)}
    for name, metric in metrics:
        if metric.metric.name in SUMMARY_ONLY:
            continue
        scores = dict(zip(result.query_ids, result.table.columns[metric.name].score.tolist(), strict=True))
        _add_lines(lines, report, metric, name, scores)
        for kind, band in bands_of(result, metric.name):
            for word, of_queries in band_scores(result, metric.name, band).items():
                _add_lines(lines, report, metric, _band_name(name, kind, word), of_queries)
    return (line for of_query in lines.values() for line in of_query)


def _listed_queries(result: Result) -> Sequence[str]:
    """The queries that have lines of their own."""
    if not result.profile.startswith(TOOL):
        return result.query_ids
    left_out = set(result.missing) if result.profile in PROFILES_WITHOUT_MISSING else set()
    return sorted((query for query in result.query_ids if query not in left_out), key=str.encode)


def _add_lines(
    lines: dict[str, list[str]], report: Report, metric: BoundMetric, name: str, scores: Mapping[str, float | str]
) -> None:
    for query, of_query in lines.items():
        if query in scores and (score := scores[query]) == score:
            of_query.append(_line(name, query, _value(report, metric, score)))


def _summary_lines(report: Report, result: Result, metrics: Sequence[Named]) -> Iterator[str]:
    """The summary lines; the values of bands follow their metric: `map_tie_min`, `map_unjudged_max`."""
    for name, metric in metrics:
        if metric.name in result.summary and result.summary[metric.name] == result.summary[metric.name]:
            yield _line(name, "all", _value(report, metric, _summary(result, metric)))
            for kind, band in bands_of(result, metric.name):
                for word, column in band.columns.items():
                    yield _line(_band_name(name, kind, word), "all", _value(report, metric, column.summary()))
        elif metric.name == "runid" and len(result.query_ids):
            words = str(result.array("runid")[0]).split()
            yield _line("runid", "all", " ".join(words[:1] if result.profile.startswith(TOOL) else words))


def _summary(result: Result, metric: BoundMetric) -> float:
    """The value over all queries. trec_eval adds scores one after the other, which decides how an exact half is rounded."""
    column = result.table.columns[metric.name]
    if not result.profile.startswith(TOOL) or column.aggregation is not MEAN:
        return result.summary[metric.name]
    scores = dict(zip(result.query_ids, column.score.tolist(), strict=True))
    counted = [score for _, score in sorted(scores.items(), key=lambda item: item[0].encode()) if score == score]
    return float(reduce(add, counted)) / len(counted)


def _band_name(name: str, kind: Kind, word: str) -> str:
    return f"{name}_{kind.trec}_{word}"


def _value(report: Report, metric: BoundMetric, value: float | str) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    return report.figure(metric, value)


def _line(name: str, query: str, value: str) -> str:
    """Three words; spaces inside a word become underscores, because the format does not allow them."""
    name, query, value = ("_".join(printable(word).split()) or "_" for word in (name.replace(", ", ","), query, value))
    return f"{name:<22}\t{query}\t{value}"


TREC = Renderer("trec", None, "the lines trec_eval prints")
