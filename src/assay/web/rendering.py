"""Rendering: views as HTML and CSV. All text is escaped, and control characters become escape sequences."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from assay._version import __version__
from assay.charts import Drawing, themed
from assay.errors import UnknownName
from assay.extras import check_extra
from assay.masking import mask
from assay.reports import SVG, THEME, environment, render_sections, table_section, with_own_ids
from assay.text import printable
from assay.web.drawing import drawer
from assay.web.live import EVENTS
from assay.web.page import Download, Page, PageRequest, Redirect, View
from assay.web.people_grades import LAYER_PARAMETER, NewerJudgments, newer_hint
from assay.web.security import HEADERS
from assay.web.shared.lru_cache import LruCache

if TYPE_CHECKING:
    import jinja2
    from starlette.requests import Request
    from starlette.responses import Response

    from assay.reports import Figure
    from assay.web.state import AppState

# Answers: pages as they are sent, with an ETag that tells the browser whether its copy is current.

HTML, CSV = "text/html; charset=utf-8", "text/csv; charset=utf-8"
CSRF_MARK = secrets.token_hex(32)
"""Placeholder for the CSRF token of a session in a cached page; it is random, so that no text contains it."""
CHECK_FIRST = "private, no-cache"
"""A browser must check whether its copy is current, which is fast."""


@dataclass(frozen=True)
class Answer:
    """A response that can be sent again as long as the store does not change."""

    body: bytes
    kind: str = HTML
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def mark(self) -> str:
        """A hash of the body."""
        return blake2b(self.body, digest_size=12).hexdigest()

    @cached_property
    def has_form(self) -> bool:
        """Whether it contains the CSRF token of a session, so that it differs between sessions."""
        return CSRF_MARK.encode() in self.body

    def to(self, request: Request) -> Response:
        """The response for a browser; 304 if its copy is current."""
        from starlette.responses import Response

        csrf = request.state.session.csrf if self.has_form else ""
        headers = {"cache-control": CHECK_FIRST, **self.headers}
        if self.status == 200:
            headers["etag"] = f'"{self.mark}{_short(csrf)}"'
            if request.headers.get("if-none-match") == headers["etag"]:
                return Response(status_code=304, headers=headers)
        body = self.body.replace(CSRF_MARK.encode(), csrf.encode()) if csrf else self.body
        return Response(body, self.status, headers, media_type=self.kind)


def _short(csrf: str) -> str:
    return f"-{blake2b(csrf.encode(), digest_size=6).hexdigest()}" if csrf else ""


def answer_of(state: AppState, renderer: Renderer, page: Page, request: PageRequest) -> Answer:
    """The page, or with `csv` one of its tables."""
    page.check_parameters(request)
    view = page.show(state, request)
    if isinstance(view, Redirect):
        return Answer(b"", status=307, headers={"location": view.url})
    if isinstance(view, Download):
        headers = {"content-disposition": f'attachment; filename="{view.name}"'}
        return Answer(mask(view.text).encode("utf-8", "replace"), headers=headers)
    if not (name := request.get("csv")):
        live = {"events": EVENTS, "n_results": state.n_results} if page.is_live else {}
        hinted = replace(view, content={"newer": _newer(state, view, request), **view.content})
        return Answer(renderer.rendered(hinted, request, page.section or page.label, live), status=view.status)
    if name not in view.tables:
        raise UnknownName("table of this page", name[:80], hint=f"choose from {', '.join(view.tables)}")
    headers = {"content-disposition": f'attachment; filename="{name}.csv"'}
    return Answer(
        mask(render_sections([table_section(view.tables[name]())], "csv")).encode("utf-8", "replace"), CSV, headers=headers
    )


def _newer(state: AppState, view: View, request: PageRequest) -> NewerJudgments | None:
    """The hint that newer judgments exist, for a page whose content names its benchmark or its stored result."""
    listed = view.content.get("listed")
    benchmark = view.content.get("benchmark") if listed is None else listed.entry.benchmark
    return newer_hint(state, str(benchmark), request.get(LAYER_PARAMETER)) if benchmark else None


# Charts as SVG. Each mark has a title, which the browser shows as a tooltip, and the script faster and nicer. Marks with an
# address open it on a click. Without scripts, the tables below the charts have the same links.

MARK, KIND = "graphics-symbol", "aria-roledescription"
LINK, ADDRESS = f"{{{SVG}}}a", "{http://www.w3.org/1999/xlink}href"
NO_MARKS = {"axis", "legend"}
HREF = "link: /"
MAX_LETTERS = 32_000_000
"""Characters of cached charts."""
MAX_MARKS = 2_000
"""If there are more marks, they have no tooltips, because the page would be too large."""


_drawn: LruCache[Any] = LruCache(MAX_LETTERS, weight=len)


def picture_of(figure: Figure) -> Any:
    """The chart as markup in the colours of the page; it is drawn once per specification."""
    written = json.dumps([figure.drawing.spec, figure.group, figure.name], sort_keys=True, default=str)
    key = blake2b(written.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return _drawn.get(key, lambda: _picture(figure))


def _picture(figure: Figure) -> Any:
    from markupsafe import Markup

    ET.register_namespace("", SVG)
    root = ET.fromstring(_labelled_svg(figure.drawing))  # noqa: S314 (of our own making)
    marks = [
        element for element in root.iter() if element.attrib.get("role") == MARK and element.attrib.get(KIND) not in NO_MARKS
    ]
    marks = [element for element in marks if "aria-label" in element.attrib]
    if len(marks) <= MAX_MARKS:
        for element in marks:
            title = ET.Element(f"{{{SVG}}}title")
            title.text = _tip(element.attrib["aria-label"])
            element.insert(0, title)
    for element in root.iter(LINK):
        _open_on_click(element)
    named = with_own_ids(ET.tostring(root, encoding="unicode"), f"{figure.group}{figure.name}")
    return Markup(named)  # noqa: S704 (made of parsed XML)


def _tip(label: str) -> str:
    """What a mark stands for, without fields that are empty, and without its address."""
    parts = [part for part in printable(label).split("; ") if not part.rstrip().endswith(":") and not part.startswith(HREF)]
    return "; ".join(parts)


def _open_on_click(link: ET.Element) -> None:
    """A link becomes a group with its address: a picture that is one image for screen readers has no links inside.

    The library that draws puts a base such as `https://host/base/` before addresses, which is removed.
    """
    after_host = link.attrib.get(ADDRESS, "").partition("//")[2]
    path = after_host.partition("//")[2]
    link.tag, link.attrib = f"{{{SVG}}}g", {"data-href": f"/{path}"} if path and not path.startswith("/") else {}


def _labelled_svg(drawing: Drawing) -> str:
    """The chart with a label on each mark that has a tooltip."""
    check_extra("charts need", "report", "vl_convert")
    drawn = themed(_with_labels(drawing.spec), THEME)
    return drawer.svg_of({**drawn, "config": {**drawn["config"], "aria": True}})


def _with_labels(spec: Any) -> Any:
    """The specification with labels only for marks that have a tooltip."""
    if isinstance(spec, list):
        return [_with_labels(part) for part in spec]
    if not isinstance(spec, dict):
        return spec
    parts = {name: part if name == "data" else _with_labels(part) for name, part in spec.items()}
    if "mark" in parts:
        mark = parts["mark"] if isinstance(parts["mark"], dict) else {"type": parts["mark"]}
        parts["mark"] = {**mark, "aria": "tooltip" in parts.get("encoding", {})}
    return parts


# Templates.

GO_KEYS = {
    "Home": "h",
    "Results": "r",
    "Compare": "c",
    "Leaderboard": "l",
    "History": "t",
    "Datasets": "d",
    "Metrics": "m",
    "Progress": "p",
    "Queue": "q",
}
"""Label of a page → the key that opens it after g."""
SCRIPTS = ("live.js", "tables.js", "web.js", "keys.js", "progress.js", "compare.js", "queue.js")
STYLES = ("style.css", "web.css", "judging.css", "grading.css", "home.css", "compare.css", "queue.css")


class Renderer:
    """The templates, and the values that all of them need."""

    def __init__(self, pages: Sequence[Page], static: StaticFiles, *, has_token: bool) -> None:
        self.static = static
        self._shared = {
            "navigation": [(page.label, page.path, GO_KEYS.get(page.label, "")) for page in pages if page.label],
            "scripts": [static.url(name) for name in SCRIPTS],
            "styles": [static.url(name) for name in STYLES],
            "live_worker": static.url("live-worker.js"),
            "csrf": CSRF_MARK,
            "has_token": has_token,
            "version": __version__,
        }

    @cached_property
    def templates(self) -> jinja2.Environment:
        """The templates of the web pages, then those of the report, whose macros are shared."""
        templates = environment("assay.web")
        templates.globals["picture_of"] = picture_of
        return templates

    def rendered(self, view: View, request: PageRequest, section: str, live: Mapping[str, Any] | None = None) -> bytes:
        """A page as bytes; `live` is what its script needs to learn of news."""
        about = {"title": view.title, "request": request, "section": section, "tables": view.tables, "live": live or {}}
        return self._text(view.template, {**about, **view.content}).encode("utf-8", "replace")

    def _text(self, template: str, content: Mapping[str, Any]) -> str:
        return mask(self.templates.get_template(template).render(**self._shared, **content))

    def page(self, template: str, title: str, content: Mapping[str, Any], status: int = 200) -> Response:
        """A page that is never cached: the login, or an error."""
        from starlette.responses import HTMLResponse

        about = {"title": title, "request": PageRequest(), "section": "", "tables": {}, "live": {}}
        return HTMLResponse(self._text(template, {**about, **content}), status, {**HEADERS, "cache-control": "no-store"})

    def problem(self, path: str, status: int, what: str) -> Response:
        """An error as a page, or as JSON for the API."""
        from starlette.responses import JSONResponse

        if path.startswith("/api/"):
            return JSONResponse({"error": {"status": status, "message": printable(what)}}, status, HEADERS)
        return self.page("problem.html.j2", TITLES.get(status, "Error"), {"what": what}, status)

    def not_found(self, request: Request, error: Any) -> Response:
        """The error if there is no page, or if it does not accept the method."""
        not_allowed = f"{request.method} is not allowed at this address."
        what = not_allowed if error.status_code == 405 else "There is no page at this address."
        answer = self.problem(request.url.path, error.status_code, what)
        answer.headers.update(error.headers or {})
        return answer

    def broken(self, request: Request, error: Exception) -> Response:  # noqa: ARG002 (the server writes it to its log)
        """The error for a bug in assay; the details are in the log, not on the page."""
        return self.problem(
            request.url.path, 500, "This is a bug in assay. The terminal of assay serve shows what happened."
        )


TITLES = {
    400: "Bad request",
    401: "Not logged in",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    408: "Request timed out",
    413: "Request too large",
    414: "Address too long",
    421: "Wrong host name",
    422: "Not possible with these data",
    429: "Too many requests",
    500: "Internal error",
    503: "Temporarily unavailable",
}


# Scripts and styles, read once. Only these names are served, so no path can reach other files.

PACKAGES = ("assay.reports", "assay.web")
KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
FOREVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class StaticFiles:
    """Name → content."""

    content: Mapping[str, bytes]

    @classmethod
    def read(cls) -> StaticFiles:
        """Read the folders `static` of the report and the web pages."""
        content = {}
        for package in PACKAGES:
            for file in files(package).joinpath("static").iterdir():
                if file.name.rpartition(".")[2] in KINDS:
                    content[file.name] = file.read_bytes()
        return cls(content)

    def url(self, name: str) -> str:
        """Its address, which changes with its content, so that browsers can cache it."""
        return f"/static/{name}?v={blake2b(self.content[name], digest_size=6).hexdigest()}"

    def response(self, name: str, request: Request) -> Response:
        """The file."""
        from starlette.responses import Response

        if name not in self.content:
            raise UnknownName("static file", name[:80])
        headers = {"cache-control": FOREVER if "v" in request.query_params else "no-cache"}
        return Response(self.content[name], headers=headers, media_type=KINDS[name.rpartition(".")[2]])
