"""The API for stored results: lists, one result, one query, comparisons, leaderboards, history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlencode

from assay.errors import BadParameter, UnknownName, near_matches
from assay.monitoring import Series
from assay.reports import query_to_dict
from assay.store import Filter, StoredEvaluation, parse_since
from assay.text import counted, shortened
from assay.web.api.endpoint import PREFIX, Parameter, ParameterValues
from assay.web.pages.leaderboard import (
    MAX_TESTED,
    compare_best,
    metrics_of,
    newest_of,
    ranked_by,
    ties_of,
    unfair_notes,
    usual_metric,
    usual_version,
    versions_of,
)
from assay.web.people_grades import rejudged
from assay.web.queries import known_queries
from assay.web.state import AppState, ListedResult

if TYPE_CHECKING:
    from assay.evaluation import Result

T = TypeVar("T")
REFERENCE = r"[A-Za-z0-9_][A-Za-z0-9_.+~\-]*"
KEY = rf"{REFERENCE}/[0-9]{{1,6}}"
AGE = r"[0-9]{1,5}[mhdw]|[12][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"

EVALUATION = Parameter(
    "evaluation", "latest, latest~1, an id or its end, or a baseline", pattern=REFERENCE, is_required=True, example="latest"
)
PLACE = Parameter(
    "place", "the place of the result in its evaluation; the first is 0", int, 0, most=999_999, is_required=True, example=0
)
BENCHMARK = Parameter("benchmark", "the name of a benchmark")
PROVIDER = Parameter("provider", "the name of a provider")
SINCE = Parameter("since", "an age such as 30d, 12h, 45m or 2w, or a day such as 2026-11-15", pattern=AGE)
LIMIT = Parameter("limit", "the largest number of items", int, 50, least=1, most=1000)
OFFSET = Parameter("offset", "the number of items to skip", int, 0, most=999_999_999)


def paged(path: str, name: str, items: Sequence[Any], params: ParameterValues) -> dict[str, Any]:
    """One page of a list, with the address of the next page."""
    start, end = params["offset"], params["offset"] + params["limit"]
    filters = [
        (key, value) for key, value in params.items() if value is not None and key not in ("offset", "evaluation", "place")
    ]
    more = f"{PREFIX}{path}?{urlencode([*filters, ('offset', end)])}" if end < len(items) else None
    return {name: list(items[start:end]), "total": len(items), "next": more}


def listed_of(state: AppState, params: ParameterValues) -> ListedResult:
    """The stored result of a request's path."""
    return state.listed_result(f"{state.store.id_of(params['evaluation'])}/{params['place']}")


def result_list(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """Stored results, the newest first."""
    since = parse_since(params["since"]) if params["since"] else ""
    matching = [result for result in state.index.results if _matches(result, params, since)]
    page = paged("/results", "results", matching, params)
    return {**page, "results": [_entry(result) for result in page["results"]]}


def _matches(result: ListedResult, params: ParameterValues, since: str) -> bool:
    entry, chosen = result.entry, Filter(params["benchmark"], params["provider"], tag=params["tag"])
    return (
        chosen.benchmark in (None, entry.benchmark)
        and chosen.provider in (None, entry.provider)
        and (chosen.tag is None or chosen.tag in entry.tags)
        and entry.started >= since
    )


def _entry(result: ListedResult) -> dict[str, Any]:
    return {"key": result.key, "place": result.place, **result.entry.to_dict()}


def one_result(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """A result without the scores of its queries, which are a separate list."""
    listed = listed_of(state, params)
    bare = state.result(listed.key).with_fields(run={}, queries={})
    about = {"key": listed.key, "evaluation": listed.entry.evaluation, "place": listed.place, "benchmark": bare.benchmark}
    return {**about, **bare.to_dict(per_query=False)}


def query_list(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """The queries of a result with their scores."""
    listed = listed_of(state, params)
    result = state.result(listed.key)
    page = paged(f"/results/{listed.key}/queries", "queries", result.query_ids, params)
    start = params["offset"]
    places = range(start, start + len(page["queries"]))
    return {**page, "queries": [_query_row(result, place) for place in places]}


def _query_row(result: Result, place: int) -> dict[str, Any]:
    query = result.query_ids[place]
    record = result.queries.get(query)
    scores = {name: column.score[place] for name, column in result.table.columns.items()}
    about = {"text": record.text, "tags": dict(record.tags)} if record else {"text": "", "tags": {}}
    return {"query": query, **about, "scores": scores, "failure": result.failures.get(query)}


def one_query(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """A query of a result: its text, its ranking with grades, and its scores."""
    listed = listed_of(state, params)
    result, query = state.result(listed.key), params["id"]
    known = tuple(dict.fromkeys((*known_queries(result), *result.run)))
    if query not in known:
        raise UnknownName("query", query, near_matches(query, known), f"{listed.key} has {counted(len(known), 'query')}")
    stored = state.evaluation(listed.entry.evaluation)
    plain = query_to_dict(StoredEvaluation(stored.id, stored.started, stored.saved, {}, (result,)), query)
    return {"key": listed.key, **{name: plain[name] for name in ("query", "text", "tags")}, **plain["results"][0]}


def effect(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """What the grades by people would change in a result."""
    return rejudged(state, listed_of(state, params).key).to_dict()


def comparison(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """A comparison of results query by query."""
    keys, baseline = params["result"], params["baseline"] or ""
    own = {key: _own_key(state, key) for key in (*keys, *([baseline] if baseline else []))}
    if len({own[key] for key in keys}) != len(keys):
        raise BadParameter("the same result is given twice. A comparison needs different results")
    if baseline and own[baseline] not in {own[key] for key in keys}:
        raise BadParameter(f"baseline must be one of the compared results, not {shortened(baseline)}")
    how = {"shared": params["shared"], "judgments": params["judgments"] or ""}
    return state.comparison([own[key] for key in keys], own.get(baseline, ""), **how).to_dict()


def _own_key(state: AppState, key: str) -> str:
    reference, _, place = key.rpartition("/")
    return state.listed_result(f"{state.store.id_of(reference)}/{int(place)}").key


def board(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """The newest result of each provider on a benchmark, the best first; ties do not differ significantly."""
    names = state.index.benchmarks
    if params["benchmark"] not in names:
        raise UnknownName("benchmark in the store", params["benchmark"], near_matches(params["benchmark"], names))
    versions = versions_of(state.index.results, params["benchmark"])
    entered = newest_of(versions[usual_version(versions)])
    metrics = metrics_of(entered)
    metric = state.store.metric(params["metric"]).name if params["metric"] else usual_metric(state, entered, metrics)
    if metric not in metrics:
        raise UnknownName(
            "metric on this benchmark", metric, near_matches(metric, metrics), f"choose from {', '.join(metrics)}"
        )
    ranked = ranked_by(state, entered, metric)
    compared, why_not = compare_best(state, ranked, metric)
    ties = ties_of(compared, metric) if compared else []
    rows = [_board_row(result, metric, place, ties) for place, result in enumerate(ranked)]
    notes = [*unfair_notes(state, ranked, metric), *([why_not] if why_not else [])]
    notes += [f"Only the best {MAX_TESTED} were tested against each other."] if len(rows) > MAX_TESTED else []
    verdict = compared.verdict if compared else ""
    return {"benchmark": params["benchmark"], "metric": metric, "rows": rows, "verdict": verdict, "notes": notes}


def _board_row(result: ListedResult, metric: str, place: int, ties: Sequence[set[int]]) -> dict[str, Any]:
    figure = result.entry.figures[metric]
    return {
        "rank": place + 1,
        "key": result.key,
        "provider": result.entry.provider,
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "n": figure.n,
        "started": result.entry.started,
        "tied_with": sorted(other + 1 for other in ties[place]) if place < len(ties) else None,
    }


def history(state: AppState, params: ParameterValues) -> dict[str, Any]:
    """A metric over time: one series for each benchmark and provider, the oldest value first."""
    metric = state.store.metric(params["metric"])
    lines = state.series(metric, params["benchmark"], params["provider"], params["since"])
    return {"series": [_series(series) for series in lines]}


def _series(series: Series) -> dict[str, Any]:
    names = ("evaluation", "started", "value", "low", "high", "n", "dataset", "was_baseline")
    return {
        "benchmark": series.benchmark,
        "provider": series.provider,
        "metric": series.metric,
        "points": [{name: getattr(point, name) for name in names} for point in series.points],
        "changes": [change.to_dict() for change in series.changes],
        "doubt": series.doubt or None,
    }


def datasets(state: AppState, params: ParameterValues) -> dict[str, Any]:  # noqa: ARG001 (all answers take the same)
    """The benchmarks of the stored results."""
    listed = state.index.results
    judged = [judgment.benchmark for judgment in state.judgments.find()]
    rows = []
    for name in state.index.benchmarks:
        on_it = [result.entry for result in listed if result.entry.benchmark == name]
        rows.append(
            {
                "name": name,
                "n_results": len(on_it),
                "n_providers": len({entry.provider for entry in on_it}),
                "n_versions": len({entry.dataset for entry in on_it}),
                "n_queries": on_it[0].n_queries,
                "last_started": on_it[0].started,
                "n_judgments": judged.count(name),
            }
        )
    return {"datasets": rows}
