"""The application: every page at its path, with the guard in front, and errors as pages. `assay serve` runs it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from assay.errors import AssayError, UnknownName
from assay.masking import add_secret
from assay.web.api.routes import routes as api_routes
from assay.web.documents import ServedDatasets
from assay.web.live import routes as live_routes
from assay.web.page import Page, PageRequest
from assay.web.pages import (
    compare,
    datasets,
    decide,
    history,
    home,
    judging,
    judgments,
    leaderboard,
    media,
    metrics,
    progress,
    query,
    query_notes,
    queue,
    queue_agreement,
    result,
    results,
)
from assay.web.proxies import ForwardedHeaders, Proxies
from assay.web.rendering import Answer, Renderer, StaticFiles, answer_of
from assay.web.security import COOKIE, Guard, Keys, Refusal, Scope, address_of, cookie_of, login_address, safe_next
from assay.web.state import AppState
from assay.web.throttle import Throttle, TooSoon
from assay.web.workers import ClientGone, TooBusy

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from assay.datasets import BenchmarkDataset
    from assay.store import Store

PAGES: tuple[Page, ...] = (
    home.PAGE,
    results.PAGE,
    result.PAGE,
    result.SHORTCUT,
    query.PAGE,
    judgments.PAGE,
    compare.PAGE,
    compare.REPORT,
    leaderboard.PAGE,
    history.PAGE,
    datasets.PAGE,
    metrics.PAGE,
    progress.PAGE,
    queue.POOLS,
    queue.PAGE,
    queue_agreement.PAGE,
)
"""The pages; those with a label are in the navigation, in this order."""
MORE_ROUTES: tuple[Callable[[AppState, Renderer], list[BaseRoute]], ...] = (
    results.routes,
    judging.routes,
    queue.routes,
    queue_agreement.routes,
    decide.routes,
    query_notes.routes,
    media.routes,
    live_routes,
    api_routes,
)
"""Functions that create the other routes."""
RETRY = 5
"""Seconds after which a client may try again if the server is busy."""
CLOSING_STATUSES = frozenset({401, 408, 413, 429})
"""After these the connection is closed, so that the rest of the request is not read and each guess needs a new one."""
STATUS = {2: 400, 3: 422, 4: 502, 5: 404, 6: 503}
"""Exit code of an error → status of its page."""
API_STATUS = {**STATUS, 3: 409}
"""The same for the API. For programs, 422 means a malformed request, but here the stored data do not allow it."""


def make_app(
    store: Store | str | Path | None = None,
    *,
    token: str = "",
    datasets: Iterable[BenchmarkDataset] = (),
    proxies: Iterable[str] = (),
    throttle: Throttle | None = None,
    pools: Path | None = None,
) -> Starlette:
    """Create the web application for a store, which stays open with it. Without a token only this machine has access.

    Texts of documents are shown from bundled benchmarks and from the given datasets. `proxies` are addresses and networks
    whose forwarded headers are trusted. `pools` is the folder with the pools to judge, by default that of `assay pool`.
    """
    from starlette.applications import Starlette
    from starlette.middleware import Middleware

    from assay.store import Store as Opened

    opened = store if isinstance(store, Opened) else Opened.open(store, create=False)
    add_secret(token, "the token")
    keys, throttle = Keys.of(token), Throttle() if throttle is None else throttle
    state = AppState(opened, datasets=ServedDatasets(datasets), needs_token=bool(token), pools=pools)
    renderer = Renderer(PAGES, StaticFiles.read(), has_token=bool(token))
    routes = [*(_route(state, renderer, page) for page in PAGES), *_own_routes(keys, throttle, renderer)]
    for more in MORE_ROUTES:
        routes += more(state, renderer)
    app = Starlette(
        routes=routes,
        middleware=[
            Middleware(ForwardedHeaders, proxies=Proxies(proxies)),
            Middleware(Guard, keys=keys, throttle=throttle, refused=_refusal_handler(renderer)),
        ],
        exception_handlers=_handlers(renderer),
    )
    app.state.app_state, app.state.keys = state, keys
    return app


def _route(state: AppState, renderer: Renderer, page: Page) -> BaseRoute:
    """A route to a page: from the cache if nothing has changed, otherwise created in a thread."""
    from starlette.routing import Route

    async def endpoint(request: Request) -> Response:
        judge = judging.remembered_judge(request) if page.knows_judge else ""
        page_request = PageRequest(
            request.url.path, dict(request.path_params), tuple(request.query_params.multi_items()), judge
        )
        answer = _cached_answer(state, page, page_request)
        if answer is None:
            key = (page_request.path, page_request.params, page_request.judge)
            make = partial(_answer, state, renderer, page, page_request)
            workers = state.overview_worker if page.has_own_thread else None
            answer = await state.run_in_thread(request, key, make, is_heavy=page.is_heavy, workers=workers)
        return answer.to(request)

    return Route(page.path, endpoint, methods=["GET"])


def _cached_answer(state: AppState, page: Page, page_request: PageRequest) -> Answer | None:
    """A cached page, if the store is a file, because then it is cheap to check whether it has changed."""
    if not page.is_kept or state.store.place.path is None:
        return None
    answer: Answer | None = state.pages.peek(_key(state, page, page_request))
    return answer


def _key(state: AppState, page: Page, page_request: PageRequest) -> Hashable:
    """The cache key: the state of the store and the request; ages such as 30d are relative to the current minute."""
    return state.store_version(), page_request.minute, page.path, page_request.path, page_request.params, page_request.judge


def _answer(state: AppState, renderer: Renderer, page: Page, page_request: PageRequest) -> Answer:
    """A page, cached if that is allowed."""
    if not page.is_kept:
        return answer_of(state, renderer, page, page_request)
    answer: Answer = state.pages.get(_key(state, page, page_request), lambda: answer_of(state, renderer, page, page_request))
    return answer


def _own_routes(keys: Keys, throttle: Throttle, renderer: Renderer) -> list[BaseRoute]:
    """Scripts and styles, and the login."""
    from starlette.routing import Route

    async def static(request: Request) -> Response:
        return renderer.static.response(request.path_params["name"], request)

    async def login_page(request: Request) -> Response:
        target = safe_next(request.query_params.get("next", "/"))
        return renderer.page("login.html.j2", "Log in", {"next": target, "is_arriving": _is_arriving(request)})

    async def login(request: Request) -> Response:
        if request.method != "POST":
            return await login_page(request)
        form = await request.form()
        token, target = (str(form.get(name, "")) for name in ("token", "next"))
        is_right = not keys.token or keys.is_token(token.strip())
        try:
            await throttle.passes(address_of(request.scope), is_right=is_right)
        except TooSoon as error:
            answer = _login_again(renderer, target, f"{str(error).capitalize()}.", 429)
            answer.headers["retry-after"] = str(error.seconds)
            return answer
        if is_right:
            return _logged_in(keys, request, target)
        return _login_again(renderer, target, "The token is wrong.", 401)

    async def logout(request: Request) -> Response:
        return _logged_out(keys, request)

    return [
        Route("/static/{name}", static, methods=["GET"]),
        Route("/login", login, methods=["GET", "POST"]),
        Route("/logout", logout, methods=["POST"]),
    ]


def _is_arriving(request: Request) -> bool:
    """Whether a link on another site led here. Then browsers do not send our cookie, and the page must reload itself.

    Browsers send `Sec-Fetch-Site` over HTTPS and on this machine; otherwise `Referer` shows it.
    """
    site, came_from = request.headers.get("sec-fetch-site"), request.headers.get("referer", "")
    if site is None and came_from:
        return urlsplit(came_from).netloc.lower() != request.headers.get("host", "").lower()
    return site == "cross-site"


def _login_again(renderer: Renderer, target: str, problem: str, status: int) -> Response:
    content = {"next": safe_next(target), "problem": problem, "is_arriving": False}
    return renderer.page("login.html.j2", "Log in", content, status)


def _logged_in(keys: Keys, request: Request, target: str) -> Response:
    """Start a new session instead of the previous one, set its cookie and redirect. The cookie ends with the browser."""
    from starlette.responses import RedirectResponse

    answer = RedirectResponse(safe_next(target), 303)
    if keys.token:
        keys.sessions.close(cookie_of(request.scope))
        is_secure = request.scope["scheme"] == "https"
        answer.set_cookie(COOKIE, keys.sessions.open(), httponly=True, samesite="strict", secure=is_secure)
    return answer


def _logged_out(keys: Keys, request: Request) -> Response:
    """End the session, even if another client still has its cookie."""
    from starlette.responses import RedirectResponse

    keys.sessions.close(cookie_of(request.scope))
    answer = RedirectResponse("/login" if keys.token else "/", 303)
    is_secure = request.scope["scheme"] == "https"
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=is_secure)
    return answer


def _refusal_handler(renderer: Renderer) -> Callable[[Scope, Refusal], Response]:
    def refused(scope: Scope, refusal: Refusal) -> Response:
        from starlette.responses import RedirectResponse

        if refusal.to_login and scope["method"] == "GET" and not scope["path"].startswith("/api/"):
            return RedirectResponse(login_address(scope), 303)
        answer = renderer.problem(scope["path"], refusal.status, refusal.what)
        if refusal.status == 401:
            answer.headers["www-authenticate"] = "Bearer"
        if refusal.seconds:
            answer.headers["retry-after"] = str(refusal.seconds)
        if refusal.status in CLOSING_STATUSES:
            answer.headers["connection"] = "close"
        return answer

    return refused


def _handlers(renderer: Renderer) -> dict[Any, Any]:
    """Exception or status → its response."""
    return {
        AssayError: lambda request, error: _failed(renderer, request, error),
        TooBusy: lambda request, error: _too_busy(renderer, request, error),
        ClientGone: _client_gone,
        404: renderer.not_found,
        405: renderer.not_found,
        500: renderer.broken,
    }


def _failed(renderer: Renderer, request: Request, error: AssayError) -> Response:
    """A deliberate error as a page; an unknown name is 404."""
    statuses = API_STATUS if request.url.path.startswith("/api/") else STATUS
    status = 404 if isinstance(error, UnknownName) else statuses.get(error.exit_code, 500)
    return renderer.problem(request.url.path, status, str(error))


def _too_busy(renderer: Renderer, request: Request, error: TooBusy) -> Response:
    answer = renderer.problem(request.url.path, 503, f"{str(error).capitalize()}.")
    answer.headers["retry-after"] = str(RETRY)
    return answer


async def _client_gone(request: Request, error: Exception) -> Response:  # noqa: ARG001 (as all handlers)
    """The client has left, so the response is never read."""
    from starlette.responses import Response

    return Response(status_code=408)
