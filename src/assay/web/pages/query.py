"""Query: its text, its scores, its ranking, its relevant documents, and the same query in other results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.comparison import Figures
from assay.errors import UnknownName, near_matches
from assay.evaluation import Result
from assay.model import IGNORED, grade_word
from assay.reports import (
    DOCUMENTS,
    QUERIES,
    TITLE,
    Cell,
    Column,
    Mark,
    Picture,
    Table,
    number,
    query_to_dict,
    readable_time,
    text_columns,
    words,
)
from assay.store import StoredEvaluation
from assay.text import counted, printable
from assay.web.grading import OUTCOMES, grade_forms, outcome_of, without_outcome
from assay.web.judgments import Draft, judging_of
from assay.web.page import Page, PageRequest, View
from assay.web.queries import known_queries, query_url
from assay.web.query_notes import notes_of
from assay.web.state import AppState, ListedResult

TOP = 20
"""Ranks that are shown at first."""
NO_GRADE = "0: judged not relevant; ignore: dropped before measuring; empty: not judged"
MAX_RUNS = 12
MAX_METRICS = 6
MAX_FORMS = 200
"""Documents of a table that have a form for their grade."""


def show_query(state: AppState, request: PageRequest, draft: Draft | None = None) -> View:
    """A query of one result by its id; with the grades in the form if they could not be saved."""
    listed = state.listed_result(f"{request.places['evaluation']}/{request.places['place']}")
    result, query = state.result(listed.key), request.get("id")
    plain = _plain(state, listed, result, query)
    record = plain["results"][0]
    top = request.get_int("top", TOP)
    documents = [*(hit["document"] for hit in record["ranking"]), *result.relevant.get(query, ())]
    texts = state.datasets.texts_of(result, documents)
    judge = draft.judge if draft else request.judge
    forms, truth_forms = (grade_forms(state, listed.key, query, judge, texts, part) for part in ("", "truth"))
    pictures = state.datasets.pictures_of(result, DOCUMENTS, documents)
    ranking = _ranking(record, texts, pictures)
    truth = _truth(result, query, record, texts, pictures)
    scores, runs = _scores(result, query), _runs(state, listed, query, result)
    content = {
        "listed": listed,
        "query": query,
        "text": plain["text"],
        "picture": state.datasets.pictures_of(result, QUERIES, [query]).get(query),
        "tags": [(str(name), str(value)) for name, value in plain["tags"].items()],
        "failure": record["failure"],
        "ranking": ranking,
        "top_rows": ranking.rows[:top],
        "n_ranked": len(record["ranking"]),
        "rankings_kept": record["rankings_kept"],
        "truth": truth,
        "scores": scores,
        "runs": runs,
        "judging": judging_of(state, listed.key, query, request, draft),
        "outcome": outcome_of(request),
        "forms": list(map(forms, [hit["document"] for hit in record["ranking"]][:top][:MAX_FORMS])),
        "truth_forms": list(map(truth_forms, list(result.relevant.get(query) or ())[:MAX_FORMS])),
        "return_to": without_outcome(request),
        "notes": notes_of(state, listed.key, query, judge),
        **_neighbours(listed, result, query),
    }
    tables = {"ranking": ranking, "ground-truth": truth, "scores": scores, "other-runs": runs}
    return View("query.html.j2", printable(query), content, {name: _table_function(grid) for name, grid in tables.items()})


def _neighbours(listed: ListedResult, result: Result, query: str) -> dict[str, str]:
    """The addresses of the query before and after it; empty if there is none."""
    ids = list(result.query_ids)
    place = ids.index(query) if query in ids else -1
    return {
        "previous": query_url(listed.key, ids[place - 1]) if place > 0 else "",
        "next": query_url(listed.key, ids[place + 1]) if 0 <= place < len(ids) - 1 else "",
    }


def _table_function(grid: Table) -> Any:
    return lambda: grid


def _plain(state: AppState, listed: ListedResult, result: Result, query: str) -> dict[str, Any]:
    """Everything about the query in this result."""
    known = known_queries(result)
    if query not in known:
        raise UnknownName(
            "query", query[:200], near_matches(query, known), f"{listed.key} has {counted(len(known), 'query')}"
        )
    stored = state.evaluation(listed.entry.evaluation)
    return query_to_dict(StoredEvaluation(stored.id, stored.started, stored.saved, {}, (result,)), query)


def _document(document: str, pictures: Mapping[str, Picture], mark: Mark = Mark.NONE) -> Cell:
    """The id of a document with its small image, if it has one."""
    picture = pictures.get(document)
    return replace(words(document, mark=mark), picture=picture.source if picture else "")


def _grade(grade: float | None, mark: Mark) -> Cell:
    """A grade, also in the file with the ranking; empty for an unjudged document."""
    if grade is None:
        return Cell("", value="", mark=mark)
    return Cell(grade_word(grade), value=grade_word(grade) if grade == IGNORED else grade, mark=mark)


def _ranking(record: Mapping[str, Any], texts: Mapping[str, str], pictures: Mapping[str, Picture]) -> Table:
    """The ranking with its grades; unjudged documents have none."""
    rows = []
    for hit in record["ranking"]:
        grade = hit["grade"]
        mark = Mark.RELEVANT if hit["is_relevant"] else Mark.NONE
        fields = [
            number(str(hit["rank"]), hit["rank"], mark=mark),
            _document(hit["document"], pictures, mark),
            _grade(grade, mark),
            number(f"{hit['score']:.6g}", hit["score"], mark=mark),
        ]
        rows.append((*fields, *([words(texts.get(hit["document"], ""), mark=mark)] if texts else ())))
    heads = [Column("rank"), Column("document", kind="text"), Column("grade", help=NO_GRADE), Column("score")]
    return Table((*heads, *(text_columns("text") if texts else ())), tuple(rows), "Ranking")


def _truth(
    result: Result, query: str, record: Mapping[str, Any], texts: Mapping[str, str], pictures: Mapping[str, Picture]
) -> Table:
    """The relevant documents with their grades and ranks."""
    ranks = {hit["document"]: hit["rank"] for hit in record["ranking"]}
    rows = []
    for document, grade in (result.relevant.get(query) or {}).items():
        rank = ranks.get(document)
        place = number(f"{rank:,}", rank) if rank else Cell("not retrieved", value="", mark=Mark.WORSE)
        row = (_document(document, pictures), number(f"{grade:g}", grade), place)
        rows.append((*row, *([words(texts.get(document, ""))] if texts else ())))
    heads = [Column("document", kind="text"), Column("grade"), Column("rank")]
    return Table((*heads, *(text_columns("text") if texts else ())), tuple(rows), "Ground truth")


def _scores(result: Result, query: str) -> Table:
    """The score of the query on each metric, next to the value over all queries."""
    rows = []
    for metric in result.metrics:
        if metric.name not in result.summary or query not in result.query_ids:
            continue
        score = float(result.scores(metric.name)[query])
        figure = result.summary[metric.name]
        figures = [number(Figures().value(metric, value), value) for value in (score, figure)]
        rows.append((Cell(metric.name, link=f"/metrics?name={metric.metric.name}", help=metric.metric.meaning), *figures))
    return Table((Column("metric", kind="text"), Column("this query"), Column("all queries")), tuple(rows), "Scores")


def _runs(state: AppState, listed: ListedResult, query: str, result: Result) -> Table:
    """The same query in other results on the same data: the newest of each provider, and the previous one of this one."""
    known = (metric for metric in result.metrics if metric.name in result.summary and metric.name not in result.beside)
    metrics = list(known)[:MAX_METRICS]
    rows = []
    for run in _others(state, listed):
        other = state.result(run.key)
        if query not in other.query_ids:
            continue
        fields = [_score(other, metric.name, query, metric) for metric in metrics]
        when = readable_time(run.entry.started)
        values = ((TITLE, run.entry.provider), ("started (UTC)", when), ("evaluation", run.entry.evaluation))
        named = words(run.entry.provider, link=query_url(run.key, query), note=when, values=values)
        rows.append((named, *fields, _first_relevant(other, query)))
    heads = (Column("result", kind="text"), *(Column(metric.name) for metric in metrics), Column("first relevant at rank"))
    return Table(heads, tuple(rows), "The same query in other results")


def _others(state: AppState, listed: ListedResult) -> Sequence[ListedResult]:
    newest: dict[str, ListedResult] = {}
    for other in state.index.results:
        if other.key != listed.key and other.series[::2] == listed.series[::2]:
            newest.setdefault(other.entry.provider, other)
    before = state.before(listed)
    others = [*([before] if before else []), *newest.values()]
    return list({other.key: other for other in others}.values())[:MAX_RUNS]


def _score(result: Result, name: str, query: str, metric: Any) -> Cell:
    value = float(result.scores(name)[query]) if name in result.summary else math.nan
    return number(Figures().value(metric, value), value) if value == value else Cell("–", value="")


def _first_relevant(result: Result, query: str) -> Cell:
    relevant, ranking = result.relevant.get(query) or {}, result.run.get(query) or {}
    order = sorted(ranking, key=lambda document: -ranking[document])
    rank = next((place for place, document in enumerate(order, 1) if document in relevant), None)
    return number(f"{rank:,}", rank) if rank else Cell("–", value="")


TAKES = ("id", "top", "from", *OUTCOMES)
PAGE = Page("/result/{evaluation}/{place}/query", show_query, takes=TAKES, section="Results", knows_judge=True)
