"""Page: the record of a page, the request of a browser, and the view that it gets."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from assay.errors import BadParameter
from assay.text import shortened
from assay.web.api.endpoint import MAX_PARAMETER_LETTERS

if TYPE_CHECKING:
    from assay.reports import Table
    from assay.web.state import AppState

MAX_PARAMETERS = 200
"""In one address, because a page repeats them in its links."""
IDS = frozenset({"id", "card"})
"""Parameters that are ids from the data; only the length of the address limits them."""


@dataclass(frozen=True)
class PageRequest:
    """The request of a browser: its path and parameters. All state of a page is in here."""

    path: str = "/"
    places: Mapping[str, str] = field(default_factory=dict)
    """The variable parts of the path."""
    params: tuple[tuple[str, str], ...] = ()
    judge: str = ""
    """The name of the judge from the browser's cookie; empty for pages that do not use it."""

    def __post_init__(self) -> None:
        if len(self.params) > MAX_PARAMETERS:
            raise BadParameter(f"expected at most {MAX_PARAMETERS} parameters in the address, found {len(self.params):,}")
        for name, value in self.params:
            check_parameter_length(name, value)

    def get(self, name: str, otherwise: str = "") -> str:
        """A parameter; if it is given twice, the last one."""
        return next((value for key, value in reversed(self.params) if key == name and value), otherwise)

    def get_all(self, name: str) -> tuple[str, ...]:
        """A parameter that may be given several times."""
        return tuple(value for key, value in self.params if key == name and value)

    def get_int(self, name: str, otherwise: int, most: int = 10**9) -> int:
        """A whole number of at least 1."""
        text = self.get(name)
        if not text:
            return otherwise
        if not (text.isascii() and text.isdecimal() and len(text) < 11 and 1 <= int(text) <= most):
            raise BadParameter(f"{name} must be a whole number from 1 to {most:,}, not {text[:40]!r}")
        return int(text)

    @property
    def minute(self) -> int:
        """The current minute if the request has an age such as 30d; otherwise 0, because the time does not matter."""
        return int(time.time() // 60) if self.get("since") or self.get("until") else 0

    def has(self, name: str) -> bool:
        """Whether a checkbox is ticked."""
        return self.get(name) not in ("", "0", "no")

    def url(self, **changes: Any) -> str:
        """The same page with other parameters; None removes one."""
        unchanged = [(name, value) for name, value in self.params if name not in changes and value]
        added = [(name, str(value)) for name, value in changes.items() if value not in (None, "")]
        query = urlencode([*unchanged, *added])
        return f"{self.path}?{query}" if query else self.path


def check_parameter_length(name: str, value: str) -> None:
    """Refuse a parameter that is too long."""
    longest = max(len(name), 0 if name in IDS else len(value))
    if longest > MAX_PARAMETER_LETTERS:
        raise BadParameter(f"{shortened(name)}: expected at most {MAX_PARAMETER_LETTERS:,} characters, found {longest:,}")


@dataclass(frozen=True)
class View:
    """What a page shows: a template, its content, and the tables that can be downloaded by name."""

    template: str
    title: str
    content: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, Callable[[], Table]] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True)
class Redirect:
    """Another address has the requested page."""

    url: str


@dataclass(frozen=True)
class Download:
    """A file instead of a page."""

    text: str
    name: str
    """The name of the file: letters, digits, - and . only."""


@dataclass(frozen=True)
class Page:
    """One page: its path, and the function that creates it. A page with a label is in the navigation."""

    path: str
    show: Callable[[AppState, PageRequest], View | Redirect | Download]
    label: str = ""
    takes: tuple[str, ...] = ()
    """The parameters of its address; every page also accepts `csv`. All others are refused."""
    section: str = ""
    """The label that the navigation marks, if it is the label of another page."""
    is_kept: bool = True
    """Whether it depends only on the store, so that it can be cached."""
    is_heavy: bool = False
    """Whether it may take long to compute; such pages wait in a queue of their own, so that other pages do not wait."""
    has_own_thread: bool = False
    """Whether such a page has its own queue, so that it does not wait for comparisons."""
    knows_judge: bool = False
    """Whether it shows the grades of the current judge."""
    is_live: bool = False
    """Whether an open page learns that the store has changed, or that an evaluation is running."""

    def check_parameters(self, request: PageRequest) -> None:
        """Refuse a parameter that this page does not have, so that no part of a request is ignored silently."""
        known = (*self.takes, "csv")
        if strange := [name for name, _ in request.params if name not in known]:
            raise BadParameter(f"no parameter is called {shortened(strange[0])} here.   (choose from {', '.join(known)})")


def address(path: str, **params: Any) -> str:
    """The address of one of these pages."""
    query = urlencode([(name, str(value)) for name, value in params.items() if value not in (None, "")])
    return f"{path}?{query}" if query else path
