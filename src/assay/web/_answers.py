"""Answers: a page as it goes to a browser, with a mark by which the browser knows that it has it already."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING

from assay.errors import UnknownName
from assay.masking import mask
from assay.web._csv import csv_of_grid
from assay.web._page import Asked, Elsewhere, Page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from assay.web._desk import AppState
    from assay.web._rendering import Renderer

HTML, CSV = "text/html; charset=utf-8", "text/csv; charset=utf-8"
CSRF_MARK = secrets.token_hex(32)
"""Stands in a page that is kept for the word of the session it is sent to; new each time, so that no text holds it."""
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


def answer_of(desk: AppState, renderer: Renderer, page: Page, asked: Asked) -> Answer:
    """The page, or with `csv` a table of it."""
    page.refuse_strange(asked)
    view = page.show(desk, asked)
    if isinstance(view, Elsewhere):
        return Answer(b"", status=307, headers={"location": view.url})
    if not (name := asked.one("csv")):
        return Answer(renderer.rendered(view, asked, page.section or page.label), status=view.status)
    if name not in view.tables:
        raise UnknownName("table of this page", name[:80], hint=f"it has {', '.join(view.tables)}")
    headers = {"content-disposition": f'attachment; filename="{name}.csv"'}
    return Answer(mask(csv_of_grid(view.tables[name]())).encode("utf-8", "replace"), CSV, headers=headers)
