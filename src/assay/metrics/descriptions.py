"""Descriptions of metrics, made from their records: for the command line and the reference page."""

from __future__ import annotations

import sys
import textwrap
from typing import Any

from assay.grammar import REQUIRED, Param, show
from assay.metrics.definition import Metric
from assay.metrics.registry import GROUPS, all_metrics


def describe(metric: Metric) -> dict[str, Any]:
    """Everything in a record, as plain JSON values."""
    return {
        "name": metric.name,
        "meaning": metric.meaning,
        "formula": metric.formula,
        "parameters": [
            {"name": p.name, "default": default_of(p), "meaning": p.meaning, "set_by_at": p.at, "aliases": list(p.aliases)}
            for p in metric.params
        ],
        "edge_cases": metric.edge_cases,
        "range": range_of(metric),
        "higher_is_better": metric.higher_is_better,
        "aggregation": metric.aggregation.name,
        "view": metric.view,
        "aliases": list(metric.spellings),
        "trec_eval": list(metric.trec_names),
        "citation": metric.cite,
    }


def describe_all() -> list[dict[str, str]]:
    """One row per metric: name as you write it, parameters, range, meaning."""
    return [
        {
            "name": written(metric),
            "parameters": ", ".join(p.name for p in metric.params if not p.at),
            "range": range_of(metric),
            "meaning": metric.meaning,
        }
        for metric in all_metrics().values()
    ]


def written(metric: Metric) -> str:
    """The name with its cutoff; an optional cutoff is in brackets."""
    name = next(iter(metric.titles), metric.name)
    if metric.at is None:
        return name
    return f"{name}@{metric.at.name}" if metric.at.default is REQUIRED else f"{name}[@{metric.at.name}]"


def default_of(param: Param) -> str:
    """The default of a parameter as text."""
    if param.default is REQUIRED:
        return "required"
    return "none" if param.default is None else show(param.default)


def range_of(metric: Metric) -> str:
    """The range as text, with ∞ if it has no end."""
    if metric.aggregation.summarise is None:
        return "text"
    ends = ("∞" if abs(end) == float("inf") else show(abs(end)) for end in metric.range)
    return " … ".join("−" * (end < 0) + text for end, text in zip(metric.range, ends, strict=True))


def explain(metric: Metric, width: int | None = None) -> str:
    """The full description of one metric, wrapped to a width if one is given."""
    groups = [name for name, members in GROUPS.items() if any(m.split("@")[0].split("(")[0] == metric.name for m in members)]
    facts = [
        ("formula", metric.formula),
        ("range", range_of(metric) + _direction(metric)),
        ("summary", metric.aggregation.name),
        ("edge cases", metric.edge_cases),
        ("other names", ", ".join(metric.spellings)),
        ("trec_eval", ", ".join(metric.trec_names)),
        ("in groups", ", ".join(groups)),
        ("citation", metric.cite),
    ]
    lines = [hanging("", f"{written(metric)}: {metric.meaning}", width), ""]
    lines += [hanging(f"  {name:<13} ", text, width) for name, text in facts if text]
    if metric.params:
        lines += ["", "  parameters"]
        lines += [hanging(f"    {p.name:<11} ", f"{p.meaning}{_default_suffix(p)}", width) for p in metric.params]
    return "\n".join(lines)


def hanging(label: str, text: str, width: int | None) -> str:
    """A label and its text; further lines are indented to the text."""
    indent = " " * len(label)
    return textwrap.fill(text, width or sys.maxsize, initial_indent=label, subsequent_indent=indent, break_long_words=False)


def _direction(metric: Metric) -> str:
    if metric.aggregation.summarise is None:
        return ""
    return ", higher is better" if metric.higher_is_better else ", lower is better"


def _default_suffix(param: Param) -> str:
    if param.default is REQUIRED:
        return " (required)"
    return "" if param.default is None else f" (default: {show(param.default)})"


def explain_group(name: str, width: int | None = None) -> str:
    """A group and its members."""
    return f"{name}: a group of metrics\n\n" + hanging("  ", " ".join(GROUPS[name]), width)


def list_all(width: int | None = None) -> str:
    """One line per metric, in columns. On narrow terminals, parameters follow the meaning instead of having a column."""
    keys = ["name", "parameters", "range"] if width is None or width >= 120 else ["name", "range"]
    head = {"name": "metric", **{key: key for key in ("parameters", "range", "meaning")}}
    rows = [head, *describe_all()]
    sizes = {key: max(len(row[key]) for row in rows) for key in keys}
    if "parameters" not in keys:
        rows = [
            {**row, "meaning": f"{row['meaning']} [{row['parameters']}]" if row["parameters"] else row["meaning"]}
            for row in rows
        ]
    lines = [hanging("".join(f"{row[key]:<{sizes[key]}}  " for key in keys), row["meaning"], width) for row in rows]
    return "\n".join([*lines, "", hanging("", f"Groups: {', '.join(GROUPS)}", width), "To explain one: assay metrics ndcg"])
