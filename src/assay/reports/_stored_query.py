"""One query of a stored evaluation: its words, what each provider retrieved for it, and what that was worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.errors import UnknownName, near_matches
from assay.evaluation.result import Result
from assay.model.run import Rankings, Run
from assay.reports._cells import Cell, Table
from assay.reports._layout import BOLD, Style, fitted
from assay.store.entries import StoredEvaluation
from assay.text import counted, printable

MOST_MISSED = 10
"""Relevant documents that were not retrieved and are named."""


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
    ranking = result.run.get(query, {})
    order = Run.borrow(Rankings({query: dict(ranking)})).in_order(0, result.policy.rank_rule) if ranking else []
    return {
        "benchmark": result.benchmark,
        "provider": result.name,
        "failure": result.failures.get(query),
        "scores": scores if query in result.query_ids else {},
        "ranking": [
            {"rank": rank, "document": doc, "score": ranking[doc], "grade": grades.get(doc) if grades else None}
            for rank, doc in enumerate(order, start=1)
        ],
        "not_retrieved": {doc: grade for doc, grade in (grades or {}).items() if doc not in ranking},
        "grades_known": grades is not None,
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
    scores = " · ".join(f"{metric} {_figure(value)}" for metric, value in one["scores"].items())
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
    if missed := list(one["not_retrieved"].items()):
        named = ", ".join(f"{doc} ({grade:g})" for doc, grade in missed[:MOST_MISSED])
        lines.append(
            style.wrapped(printable(f"relevant, but not retrieved: {named}{' …' if len(missed) > MOST_MISSED else ''}"))
        )
    if not one["ranking"] and one["failure"] is None:
        lines.append("nothing was retrieved, or rankings were not kept")
    return "\n".join(line for line in lines if line)


def _figure(value: float | str | None) -> str:
    return "–" if value is None else value if isinstance(value, str) else f"{value:.4f}"


def _hit(hit: Mapping[str, Any]) -> tuple[str, ...]:
    grade = "" if hit["grade"] is None else f"{hit['grade']:g}"
    return str(hit["rank"]), printable(hit["document"]), f"{hit['score']:.6g}", grade
