"""Rendering: views to HTML. All text is escaped, and control characters are written out, by the templates alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay._version import __version__
from assay.masking import mask
from assay.text import printable
from assay.web._answers import CSRF_MARK
from assay.web._page import Asked, Page, View
from assay.web._pictures import picture_of
from assay.web._row_markup import rows_of
from assay.web._static import StaticFiles
from assay.web.safety import HEADERS

if TYPE_CHECKING:
    import jinja2
    from starlette.requests import Request
    from starlette.responses import Response

MAKERS = {"picture_of": picture_of, "rows_of": rows_of}
"""What templates call."""
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
        import jinja2

        return jinja2.Environment(
            loader=jinja2.ChoiceLoader([jinja2.PackageLoader("assay.web"), jinja2.PackageLoader("assay.reports")]),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            finalize=_finalized,
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def rendered(self, view: View, asked: Asked, section: str) -> bytes:
        """A page."""
        about = {"title": view.title, "asked": asked, "section": section, "tables": view.tables, **MAKERS}
        return self._text(view.template, {**about, **view.content}).encode("utf-8", "replace")

    def _text(self, template: str, content: Mapping[str, Any]) -> str:
        return mask(self.templates.get_template(template).render(**self._shared, **content))

    def page(self, template: str, title: str, content: Mapping[str, Any], status: int = 200) -> Response:
        """A page that is never kept: the login, or an error."""
        from starlette.responses import HTMLResponse

        about = {"title": title, "asked": Asked(), "section": "", "tables": {}}
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


def _finalized(value: Any) -> Any:
    """Text without control characters; markup as it is."""
    return printable(value) if type(value) is str else value
