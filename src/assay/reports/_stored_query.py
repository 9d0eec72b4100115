"""One query of a stored evaluation: its words, what each provider retrieved for it, and what that was worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.errors import UnknownName, near_matches
from assay.evaluation import Result
from assay.metrics import recorded_metric
from assay.model import Rankings, Run
from assay.reports._cells import Cell, Table
from assay.reports._layout import BOLD, Style, fitted
from assay.store import StoredEvaluation
from assay.text import counted, milliseconds, printable

MOST_MISSED = 10
"""Relevant documents that are not in the table and are named."""


def query_to_dict(evaluation: StoredEvaluation, query: str) -> dict[str, Any]:
    """Everything about one query, as plain JSON values."""
    having = [result for result in evaluation.results if _knows(result, query)]
    if not having:
        known = list(dict.fromkeys(name for result in evaluation.results for name in result.query_ids))
        raise UnknownName("query", query, near_matches(query, known), f"{evaluation.id} has {counted(len(known), 'query')}")
    words = next((result.queries[query] for result in having if query in result.queries), None)
    return {
        "evaluation": evaluation.id,
        "query": query,
        "text": words.text if words else "",
        "tags": words.tags if words else {},
        "results": [_result_to_dict(result, query) for result in having],
    }


def _knows(result: Result, query: str) -> bool:
    return query in result.query_ids or query in result.run or query in result.failures


def _result_to_dict(result: Result, query: str) -> dict[str, Any]:
    scores = {name: column.values()[result.query_ids.index(query)] for name, column in result.table.columns.items()}
    grades = result.relevant.get(query)
    judged = {**result.nonrelevant.get(query, {}), **(grades or {})}
    ranking = result.run.get(query, {})
    order = Run.borrow(Rankings({query: dict(ranking)})).in_order(0, result.policy.rank_rule) if ranking else []
    return {
        "benchmark": result.benchmark,
        "provider": result.name,
        "failure": result.failures.get(query),
        "scores": scores if query in result.query_ids else {},
        "ranking": [
            {"rank": rank, "document": doc, "score": ranking[doc], "grade": judged.get(doc)}
            for rank, doc in enumerate(order, start=1)
        ],
        "not_retrieved": {doc: grade for doc, grade in (grades or {}).items() if doc not in ranking},
        "grades_known": grades is not None,
        "rankings_kept": bool(result.run),
    }


def render_query(plain: Mapping[str, Any], top: int, style: Style) -> str:
    """The query, then each provider's ranking with the grades of relevant documents."""
    tags = " · ".join(f"{name} {value}" for name, value in plain["tags"].items())
    head = [style.styled(style.wrapped(printable(f"{plain['query']}: {plain['text']}")), BOLD)]
    parts = ["\n".join([*head, *([printable(tags)] if tags else [])])]
    parts += [_rendered(one, top, style) for one in plain["results"]]
    return "\n\n".join(parts) + "\n"


def _rendered(one: Mapping[str, Any], top: int, style: Style) -> str:
    name = f"{one['benchmark']}/{one['provider']}" if one["benchmark"] else str(one["provider"])
    scores = " · ".join(f"{metric} {_figure(metric, value)}" for metric, value in one["scores"].items())
    lines = [style.styled(printable(name), BOLD), style.wrapped(printable(scores))]
    if one["failure"] is not None:
        lines.append(style.wrapped(printable(f"failed: {one['failure']}")))
    shown = one["ranking"][:top] if top else one["ranking"]
    if shown:
        head = ["rank", "document", "score", *(["grade"] if one["grades_known"] else [])]
        rows = [list(map(Cell, _hit(hit)[: len(head)])) for hit in shown]
        lines.append("\n\n".join(fitted(Table(head, rows, frozenset({1})), style)))
    if left := len(one["ranking"]) - len(shown):
        lines.append(f"… and {counted(left, 'more document')}; --top 0 shows all")
    lines += [style.wrapped(printable(line)) for line in _not_shown(one, len(shown))]
    if not one["ranking"] and one["failure"] is None:
        lost = "rankings were not kept: results of assay.evaluate have none, those of assay.run and assay eval do"
        lines.append(style.wrapped("nothing was retrieved" if one["rankings_kept"] else lost))
    return "\n".join(line for line in lines if line)


def _not_shown(one: Mapping[str, Any], n_shown: int) -> Iterator[str]:
    """Relevant documents that the table does not have: those further down with their ranks, and those that are nowhere."""
    below = [
        f"{hit['document']} at {hit['rank']} (grade {hit['grade']:g})" for hit in one["ranking"][n_shown:] if hit["grade"]
    ]
    if below:
        yield f"relevant, but further down: {_some(below)}"
    missed = [f"{doc} (grade {grade:g})" for doc, grade in one["not_retrieved"].items()]
    if missed and one["rankings_kept"]:
        yield f"relevant, but not retrieved: {_some(missed)}"


def _some(named: Sequence[str]) -> str:
    return ", ".join(named[:MOST_MISSED]) + (f" and {len(named) - MOST_MISSED} more" if len(named) > MOST_MISSED else "")


def _figure(metric: str, value: float | str | None) -> str:
    """A score with four decimals, a time with its unit."""
    if value is None or isinstance(value, str):
        return value or "–"
    return milliseconds(value) if recorded_metric(metric).metric.view == "timing" else f"{value:.4f}"


def _hit(hit: Mapping[str, Any]) -> tuple[str, ...]:
    grade = "" if hit["grade"] is None else f"{hit['grade']:g}"
    return str(hit["rank"]), printable(hit["document"]), f"{hit['score']:.6g}", grade
