"""The JSON API under /api/v1: a record for each endpoint, and their routes. Errors are {"error": …}."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from assay.errors import BadParameter, DataError, UnknownName, UsageError
from assay.masking import mask
from assay.metrics import all_metrics, describe, find_metric
from assay.serialize import dumps
from assay.store import KINDS, LONGEST_JUDGE, PEOPLE
from assay.web.api import judgments as judged
from assay.web.api import results as stored
from assay.web.api import schemas as shape
from assay.web.api.endpoint import JSON, TEXT, ZSTD, Endpoint, Parameter, ParameterValues, openapi_document
from assay.web.rendering import Answer
from assay.web.state import AppState

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from assay.web.rendering import Renderer


MAX_COMPARED = 10
MAX_EXPORTED = 100
RESULT = (stored.EVALUATION, stored.PLACE)
PAGE = (stored.LIMIT, stored.OFFSET)
KIND = "|".join(KINDS)


def metric_list(state: AppState, params: ParameterValues) -> dict[str, Any]:  # noqa: ARG001 (all answers take the same)
    """All metrics with their full descriptions."""
    return {"metrics": [describe(metric) for metric in all_metrics().values()]}


def one_metric(state: AppState, params: ParameterValues) -> dict[str, Any]:  # noqa: ARG001 (all answers take the same)
    """A metric by any spelling of its name."""
    return describe(find_metric(params["name"]).metric)


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "/results",
        "Stored results, the newest first",
        stored.result_list,
        shape.paged("results", shape.ENTRY),
        (stored.BENCHMARK, stored.PROVIDER, Parameter("tag", "a tag of the evaluation"), stored.SINCE, *PAGE),
    ),
    Endpoint(
        "/results/{evaluation}/{place}",
        "One result, without the scores of its queries",
        stored.one_result,
        shape.RESULT,
        RESULT,
    ),
    Endpoint(
        "/results/{evaluation}/{place}/queries",
        "The queries of a result with their scores",
        stored.query_list,
        shape.paged("queries", shape.QUERY_ROW),
        (*RESULT, *PAGE),
    ),
    Endpoint(
        "/results/{evaluation}/{place}/query",
        "One query of a result: its ranking with grades, and its scores",
        stored.one_query,
        shape.QUERY,
        (*RESULT, Parameter("id", "the id of the query", is_required=True)),
    ),
    Endpoint(
        "/results/{evaluation}/{place}/effect",
        "What the grades by people would change in a result",
        stored.effect,
        shape.EFFECT,
        RESULT,
        is_heavy=True,
    ),
    Endpoint(
        "/comparison",
        "A comparison of results query by query, with intervals and tests",
        stored.comparison,
        shape.COMPARISON,
        (
            Parameter(
                "result",
                "a result as evaluation/place; give one parameter per result",
                least=2,
                most=MAX_COMPARED,
                pattern=stored.KEY,
                is_required=True,
                is_several=True,
                example=["latest/0", "latest/1"],
            ),
            Parameter(
                "baseline",
                "the result that others are compared with, as evaluation/place (default: all pairs)",
                pattern=stored.KEY,
            ),
            Parameter("shared", "whether to leave out queries that not all results have", bool, default=False),
            Parameter("judgments", "people: with the grades by people (default: those of the benchmark)", pattern=PEOPLE),
        ),
        is_heavy=True,
    ),
    Endpoint(
        "/leaderboard",
        "The newest result of each provider on a benchmark, the best first",
        stored.board,
        shape.BOARD,
        (
            Parameter("benchmark", "the name of a benchmark", is_required=True),
            Parameter("metric", "the metric to rank by (default: the first)"),
        ),
        is_heavy=True,
    ),
    Endpoint(
        "/history",
        "A metric over time, with steps and spikes",
        stored.history,
        shape.exact_object(series=shape.array_of(shape.SERIES)),
        (
            Parameter("metric", "the name of a metric", is_required=True, example="ndcg@10"),
            stored.BENCHMARK,
            stored.PROVIDER,
            stored.SINCE,
        ),
    ),
    Endpoint(
        "/datasets",
        "The benchmarks of the stored results",
        stored.datasets,
        shape.exact_object(datasets=shape.array_of(shape.DATASET)),
        errors=(400,),
    ),
    Endpoint(
        "/metrics",
        "All metrics with their full descriptions",
        metric_list,
        shape.exact_object(metrics=shape.array_of(shape.METRIC)),
        errors=(400,),
    ),
    Endpoint(
        "/metrics/{name}",
        "One metric, by any spelling of its name",
        one_metric,
        shape.METRIC,
        (Parameter("name", "the name of a metric, such as ndcg@10 or P_5", is_required=True, example="P_5"),),
    ),
    Endpoint(
        "/judgments",
        "Grades given after evaluations, the oldest first",
        judged.judgment_list,
        shape.paged("judgments", shape.JUDGMENT),
        (
            stored.BENCHMARK,
            Parameter("query", "the id of a query"),
            Parameter("document", "the id of a document"),
            Parameter("judge", "the name of a judge"),
            Parameter("kind", "who gave the grade: people, model or rule (default: all)", pattern=KIND),
            *PAGE,
        ),
        errors=(400,),
    ),
    Endpoint(
        "/judgments",
        "Give a grade; it replaces an earlier grade of the same judge and kind for the same pair",
        judged.judge,
        shape.JUDGMENT,
        method="POST",
        body=judged.NewJudgment,
        status=201,
        errors=(400, 403, 404, 408, 409, 413, 415),
    ),
    Endpoint(
        "/judgments",
        "Remove a judge's grade for a pair; returns the removed grade",
        judged.withdraw,
        shape.JUDGMENT,
        (
            Parameter("benchmark", "the name of a benchmark (default: results without a benchmark)", default=""),
            Parameter("query", "the id of the query", is_required=True),
            Parameter("document", "the id of the document", is_required=True),
            Parameter("judge", "the name of the judge", is_required=True, most=LONGEST_JUDGE),
            Parameter("kind", "who gave the grade: people, model or rule (default: people)", default=PEOPLE, pattern=KIND),
        ),
        method="DELETE",
        errors=(400, 403, 404, 408, 409, 413),
    ),
    Endpoint(
        "/judgments/agreement",
        "How well each pair of judges (Cohen's κ) and all judges together (Krippendorff's α) agree",
        judged.agreement,
        shape.exact_object(agreement=shape.array_of(shape.AGREEMENT), alpha=shape.PANEL_OR_NULL),
        (stored.BENCHMARK,),
        errors=(400,),
    ),
    Endpoint(
        "/judgments/qrels",
        "The grades by people on a benchmark, as TREC qrels",
        judged.qrels,
        shape.TEXT,
        (
            Parameter("benchmark", "the name of a benchmark", is_required=True),
            Parameter("judge", "only the grades of this judge"),
            Parameter(
                "partial", "whether to leave out grades that TREC files cannot represent (default: an error)", bool, False
            ),
        ),
        kind=TEXT,
        errors=(400, 409),
    ),
    Endpoint(
        "/judgments/merged",
        "The judgments of a benchmark with the grades by people, as TREC qrels",
        judged.merged,
        shape.TEXT,
        (Parameter("benchmark", "the name of a benchmark", is_required=True),),
        kind=TEXT,
        errors=(400, 409),
        is_heavy=True,
    ),
    Endpoint(
        "/judgments/next-version",
        "The next version of a benchmark with the grades by people, as one JSON file, if the server has its data",
        judged.next_version,
        shape.ANY_OBJECT,
        (Parameter("benchmark", "the name of a benchmark", is_required=True),),
        errors=(400, 409),
        is_heavy=True,
    ),
    Endpoint(
        "/query-notes",
        "Notes and tags of queries, the oldest first",
        judged.query_note_list,
        shape.paged("notes", shape.QUERY_NOTE),
        (
            stored.BENCHMARK,
            Parameter("query", "the id of a query"),
            Parameter("kind", "note or tag (default: both)", pattern="note|tag"),
            *PAGE,
        ),
        errors=(400,),
    ),
    Endpoint(
        "/export",
        "Evaluations in one file, for assay results import",
        judged.export,
        {},
        (
            Parameter(
                "evaluation",
                "latest, latest~1, an id or its end, or a baseline; give one parameter per evaluation",
                least=1,
                most=MAX_EXPORTED,
                pattern=stored.REFERENCE,
                is_required=True,
                is_several=True,
                example=["latest"],
            ),
        ),
        kind=ZSTD,
        is_kept=False,
        is_heavy=True,
    ),
    Endpoint(
        "/progress",
        "Evaluations that are running now",
        judged.progress,
        shape.exact_object(running=shape.array_of(shape.RUNNING)),
        errors=(400,),
        is_kept=False,
    ),
    Endpoint(
        "/openapi.json",
        "This document",
        lambda state, params: openapi_document(ENDPOINTS, needs_token=state.needs_token),  # noqa: ARG005 (all answers take the same)
        shape.object_with(openapi=shape.TEXT),
        errors=(400,),
    ),
)


def routes(state: AppState, renderer: Renderer) -> list[BaseRoute]:
    """A route for each path."""
    return routes_of(ENDPOINTS, state, renderer)


# Routes: parameters and bodies are checked, responses are cached.


def routes_of(endpoints: Sequence[Endpoint], state: AppState, renderer: Renderer) -> list[BaseRoute]:
    """A route for each path."""
    by_path = groupby(sorted(endpoints, key=lambda endpoint: endpoint.path), key=lambda endpoint: endpoint.path)
    return [_route(state, renderer, list(same)) for _, same in by_path]


def _route(state: AppState, renderer: Renderer, endpoints: Sequence[Endpoint]) -> BaseRoute:
    from starlette.routing import Route

    by_method = {endpoint.method: endpoint for endpoint in endpoints}

    async def answer(request: Request) -> Response:
        endpoint = by_method["GET" if request.method == "HEAD" else request.method]
        params = endpoint.read(dict(request.path_params), request.query_params.multi_items())
        if endpoint.body is not None:
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != JSON:
                problem = f", not {kind}" if kind else ", but there is none"
                return renderer.problem(request.url.path, 415, f"the content type must be {JSON}{problem}")
            params["body"] = _body(await request.body(), endpoint.body)
        key, make = (request.url.path, *request.query_params.multi_items()), partial(_answer, state, endpoint, params)
        return (await state.run_in_thread(request, key, make, is_heavy=endpoint.is_heavy)).to(request)

    return Route(endpoints[0].url, answer, methods=list(by_method))


def _answer(state: AppState, endpoint: Endpoint, params: Mapping[str, Any]) -> Answer:
    """The response, cached by the state of the store if it depends on nothing else."""

    def work() -> Answer:
        try:
            return _made(endpoint, endpoint.answer(state, params))
        except UnknownName:
            raise
        except UsageError as error:  # the request is valid, so the data do not allow it
            raise DataError(str(error)) from None

    if endpoint.method != "GET" or not endpoint.is_kept or params.get("since"):
        return work()
    key = (state.store_version(), endpoint.url, tuple(params.items()))
    answer: Answer = state.pages.get(key, work)
    return answer


def _made(endpoint: Endpoint, content: Any) -> Answer:
    body = content if isinstance(content, bytes) else mask(dumps(content)).encode()
    headers = {"content-disposition": 'attachment; filename="assay-export.jsonl.zst"'} if endpoint.kind == ZSTD else {}
    return Answer(body, endpoint.kind, endpoint.status, headers)


def _body(content: bytes, kind: type) -> Any:
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadParameter(f"the body of the request is not valid: {error}") from None
