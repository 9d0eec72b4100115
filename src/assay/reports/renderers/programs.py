"""Formats for programs, which render results and not sections: JSON, and the lines that trec_eval prints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay.evaluation import SCHEMA, Result
from assay.metrics import BoundMetric
from assay.reports.json_output import json_text
from assay.reports.rendering import Renderer
from assay.reports.report import Report
from assay.reports.sections.scores import Kind, band_scores, bands_by_query, bands_of
from assay.text import printable

SUMMARY_ONLY = {"num_q", "gm_map", "gm_bpref", "runid"}
"""Metrics that trec_eval prints only for all queries together."""


def render_trec(report: Report) -> str:
    """Lines `name<tab>query<tab>value` with four decimals; first each query if requested, then `all`."""
    lines: list[str] = []
    for result in report.results:
        if len(report.results) > 1 and "runid" not in result.table.columns:
            lines.append(_line("runid", "all", report.label(result)))
        if report.per_query:
            lines += _query_lines(report, result)
        lines += _summary_lines(report, result)
    return "\n".join(lines) + "\n" if lines else ""


def _query_lines(report: Report, result: Result) -> list[str]:
    metrics = [metric for metric in report.metrics if metric.metric.name not in SUMMARY_ONLY]
    lines = {query: list[str]() for query in result.query_ids}
    for metric in metrics:
        scores = zip(result.query_ids, result.table.columns[metric.name].score.tolist(), strict=True)
        _add_lines(lines, report, metric, metric.trec_name, dict(scores))
        for kind, band in bands_of(result, metric.name):
            for word, of_queries in band_scores(result, metric.name, band).items():
                _add_lines(lines, report, metric, _band_name(metric, kind, word), of_queries)
    return [line for of_query in lines.values() for line in of_query]


def _add_lines(
    lines: dict[str, list[str]], report: Report, metric: BoundMetric, name: str, scores: Mapping[str, float | str]
) -> None:
    for query, score in scores.items():
        if score == score:
            lines[query].append(_line(name, query, _value(report, metric, score)))


def _summary_lines(report: Report, result: Result) -> list[str]:
    """The summary lines; the values of bands follow their metric: `map_tie_min`, `map_unjudged_max`."""
    lines = []
    for metric in report.metrics:
        if metric.name in result.summary and result.summary[metric.name] == result.summary[metric.name]:
            lines.append(_line(metric.trec_name, "all", _value(report, metric, result.summary[metric.name])))
            lines += [
                _line(_band_name(metric, kind, word), "all", _value(report, metric, column.summary()))
                for kind, band in bands_of(result, metric.name)
                for word, column in band.columns.items()
            ]
        elif metric.name == "runid" and len(result.query_ids):
            lines.append(_line("runid", "all", str(result.array("runid")[0])))
    return lines


def _band_name(metric: BoundMetric, kind: Kind, word: str) -> str:
    return f"{metric.trec_name}_{kind.trec}_{word}"


def _value(report: Report, metric: BoundMetric, value: float | str) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    return report.figure(metric, value)


def _line(name: str, query: str, value: str) -> str:
    """Three words; spaces inside a word become underscores, because the format does not allow them."""
    name, query, value = ("_".join(printable(word).split()) or "_" for word in (name.replace(", ", ","), query, value))
    return f"{name:<22}\t{query}\t{value}"


TREC = Renderer("trec", None, "the lines trec_eval prints")


FIGURES = ("summary", "tie_bands", "residuals", "per_query", "per_query_bands")
"""Keys of a result that contain scores."""
LONG = ("run", "relevant")
"""Keys that contain a ranking for each query; a line per document would be mostly white space."""


def render_json(report: Report) -> str:
    """The results as JSON. Numbers have all digits unless fewer are requested. Later versions only add keys."""
    results = []
    for result in report.results:
        plain = result.to_dict()
        if result.tie_bands or result.residuals:
            plain.setdefault("per_query_bands", bands_by_query(result))
        for key in FIGURES:
            if key in plain:
                plain[key] = _rounded(plain[key], report.digits)
        results.append(plain)
    return json_text({"schema": SCHEMA, "results": results, **report.more}, LONG)


def _rounded(value: Any, digits: int | None) -> Any:
    """The value, or all values in it, with this many decimals; None if there is no value."""
    if isinstance(value, dict):
        return {name: _rounded(inner, digits) for name, inner in value.items()}
    if not isinstance(value, float):
        return value
    return None if math.isnan(value) else value if digits is None else round(value, digits)


JSON = Renderer("json", None, "everything, for programs")
