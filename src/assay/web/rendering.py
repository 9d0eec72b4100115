"""Rendering: views to HTML and CSV, as they go to a browser. All text is escaped, and control characters are written out."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from assay._version import __version__
from assay.charts import Drawing, themed
from assay.errors import UnknownName, UsageError
from assay.extras import install_command
from assay.masking import mask
from assay.reports import SVG, THEME, environment, render_sections, table_section, with_own_ids
from assay.text import printable
from assay.web.drawing import drawer
from assay.web.page import Page, PageRequest, Redirect, View
from assay.web.security import HEADERS
from assay.web.state import LruCache

if TYPE_CHECKING:
    import jinja2
    from starlette.requests import Request
    from starlette.responses import Response

    from assay.reports import Figure
    from assay.web.state import AppState

# Answers: a page as it goes to a browser, with an ETag by which the browser knows that it has it already.

HTML, CSV = "text/html; charset=utf-8", "text/csv; charset=utf-8"
CSRF_MARK = secrets.token_hex(32)
"""Placeholder for the CSRF token of a session in a cached page; random, so that no text contains it."""
CHECK_FIRST = "private, no-cache"
"""A browser asks whether its copy is still right, which takes no time."""


@dataclass(frozen=True)
class Answer:
    """What is sent, and may be sent again as long as the store does not change."""

    body: bytes
    kind: str = HTML
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def mark(self) -> str:
        """The same for the same bytes."""
        return blake2b(self.body, digest_size=12).hexdigest()

    @cached_property
    def has_form(self) -> bool:
        """Whether it holds the word of a session, so that it is another page for each."""
        return CSRF_MARK.encode() in self.body

    def to(self, request: Request) -> Response:
        """For a browser that may have it already."""
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
    """The page, or with `csv` a table of it."""
    page.check_parameters(request)
    view = page.show(state, request)
    if isinstance(view, Redirect):
        return Answer(b"", status=307, headers={"location": view.url})
    if not (name := request.get("csv")):
        return Answer(renderer.rendered(view, request, page.section or page.label), status=view.status)
    if name not in view.tables:
        raise UnknownName("table of this page", name[:80], hint=f"it has {', '.join(view.tables)}")
    headers = {"content-disposition": f'attachment; filename="{name}.csv"'}
    return Answer(
        mask(render_sections([table_section(view.tables[name]())], "csv")).encode("utf-8", "replace"), CSV, headers=headers
    )


# Charts as SVG. Each mark carries what it stands for, which the script shows under the pointer.

MARK, KIND = "graphics-symbol", "aria-roledescription"
NO_MARKS = {"axis", "legend"}
MAX_LETTERS = 32_000_000
"""Letters of cached charts."""
MAX_MARKS = 2_000
"""Marks that are explained one by one; beyond, the page would be too large."""


_drawn: LruCache[Any] = LruCache(MAX_LETTERS, weight=len)


def picture_of(figure: Figure) -> Any:
    """The chart as markup, in the colours of the page; drawn once, as long as its specification stays the same."""
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
            element.attrib["data-tip"] = printable(element.attrib["aria-label"])
    named = with_own_ids(ET.tostring(root, encoding="unicode"), f"{figure.group}{figure.name}")
    return Markup(named)  # noqa: S704 (made of parsed XML)


def _labelled_svg(drawing: Drawing) -> str:
    """The chart with a label on each mark that would say something under the pointer."""
    if find_spec("vl_convert") is None:
        raise UsageError(f"charts need vl-convert-python: {install_command('report')}")
    drawn = themed(_with_labels(drawing.spec), THEME)
    return drawer.svg_of({**drawn, "config": {**drawn["config"], "aria": True}})


def _with_labels(spec: Any) -> Any:
    """The specification with labels for marks that have a tooltip, and for no others."""
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

SCRIPTS = ("tables.js", "web.js", "progress.js")
STYLES = ("style.css", "web.css", "judging.css")


class Renderer:
    """Templates, and what all of them need."""

    def __init__(self, pages: Sequence[Page], static: StaticFiles, *, has_token: bool) -> None:
        self.static = static
        self._shared = {
            "navigation": [(page.label, page.path) for page in pages if page.label],
            "scripts": [static.url(name) for name in SCRIPTS],
            "styles": [static.url(name) for name in STYLES],
            "csrf": CSRF_MARK,
            "has_token": has_token,
            "version": __version__,
        }

    @cached_property
    def templates(self) -> jinja2.Environment:
        """Those of the web pages, then those of the report, whose macros are shared."""
        templates = environment("assay.web")
        templates.globals["picture_of"] = picture_of
        return templates

    def rendered(self, view: View, request: PageRequest, section: str) -> bytes:
        """A page."""
        about = {"title": view.title, "request": request, "section": section, "tables": view.tables}
        return self._text(view.template, {**about, **view.content}).encode("utf-8", "replace")

    def _text(self, template: str, content: Mapping[str, Any]) -> str:
        return mask(self.templates.get_template(template).render(**self._shared, **content))

    def page(self, template: str, title: str, content: Mapping[str, Any], status: int = 200) -> Response:
        """A page that is never cached: the login, or an error."""
        from starlette.responses import HTMLResponse

        about = {"title": title, "request": PageRequest(), "section": "", "tables": {}}
        return HTMLResponse(self._text(template, {**about, **content}), status, {**HEADERS, "cache-control": "no-store"})

    def problem(self, path: str, status: int, what: str) -> Response:
        """What went wrong, as a page; as JSON where a program asked."""
        from starlette.responses import JSONResponse

        if path.startswith("/api/"):
            return JSONResponse({"error": {"status": status, "message": printable(what)}}, status, HEADERS)
        return self.page("problem.html.j2", TITLES.get(status, "Something is wrong"), {"what": what}, status)

    def not_found(self, request: Request, error: Any) -> Response:
        """No page there, or not one that takes such a request."""
        what = f"{request.method} is not possible here." if error.status_code == 405 else "There is no page at this address."
        answer = self.problem(request.url.path, error.status_code, what)
        answer.headers.update(error.headers or {})
        return answer

    def broken(self, request: Request, error: Exception) -> Response:  # noqa: ARG002 (the server writes it to its log)
        """A bug of ours; what happened is in the log, not on the page."""
        return self.problem(request.url.path, 500, "This is a bug in assay; the terminal of assay serve says what happened.")


TITLES = {
    400: "That does not work",
    401: "Not logged in",
    403: "Refused",
    404: "Not found",
    405: "Not possible",
    408: "Too slow",
    413: "Too much",
    414: "Too long",
    421: "Not here",
    422: "That does not work with these data",
    429: "Too much at once",
    500: "A bug",
    503: "Not now",
}


# Scripts and styles, read once. Only these names are served, so no path leads anywhere else.

PACKAGES = ("assay.reports", "assay.web")
KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
FOREVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class StaticFiles:
    """Name → content."""

    content: Mapping[str, bytes]

    @classmethod
    def read(cls) -> StaticFiles:
        """What the report and the web pages have in their folders `static`."""
        content = {}
        for package in PACKAGES:
            for file in files(package).joinpath("static").iterdir():
                if file.name.rpartition(".")[2] in KINDS:
                    content[file.name] = file.read_bytes()
        return cls(content)

    def url(self, name: str) -> str:
        """Its address: another one as soon as it says something else, so that browsers may keep it."""
        return f"/static/{name}?v={blake2b(self.content[name], digest_size=6).hexdigest()}"

    def response(self, name: str, request: Request) -> Response:
        """The file."""
        from starlette.responses import Response

        if name not in self.content:
            raise UnknownName("file of these pages", name[:80])
        headers = {"cache-control": FOREVER if "v" in request.query_params else "no-cache"}
        return Response(self.content[name], headers=headers, media_type=KINDS[name.rpartition(".")[2]])
