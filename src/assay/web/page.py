"""Page: the record every page's file ends in; what a browser asked for, and what it is shown."""

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
"""In one address; a page repeats them in its links."""
IDS = frozenset({"id"})
"""Parameters that are an id of the data, which may be as long as an address has room for."""


@dataclass(frozen=True)
class PageRequest:
    """What a browser asked for: where, and with which parameters. All state of a page is in here."""

    path: str = "/"
    places: Mapping[str, str] = field(default_factory=dict)
    """The parts of the path that vary."""
    params: tuple[tuple[str, str], ...] = ()
    judge: str = ""
    """Who judges, as the browser remembers it; empty for pages that do not use it."""

    def __post_init__(self) -> None:
        if len(self.params) > MAX_PARAMETERS:
            raise BadParameter(f"an address has at most {MAX_PARAMETERS} parameters; found {len(self.params):,}")
        for name, value in self.params:
            check_parameter_length(name, value)

    def get(self, name: str, otherwise: str = "") -> str:
        """A parameter; the last where it is given twice."""
        return next((value for key, value in reversed(self.params) if key == name and value), otherwise)

    def get_all(self, name: str) -> tuple[str, ...]:
        """A parameter that may be given several times."""
        return tuple(value for key, value in self.params if key == name and value)

    def get_int(self, name: str, otherwise: int, most: int = 10**9) -> int:
        """A whole number from 1 up."""
        text = self.get(name)
        if not text:
            return otherwise
        if not (text.isascii() and text.isdecimal() and len(text) < 11 and 1 <= int(text) <= most):
            raise BadParameter(f"{name} is a whole number from 1 to {most:,}, not {text[:40]!r}")
        return int(text)

    @property
    def minute(self) -> int:
        """The minute it is, where an age such as 30d is asked for; else 0, for nothing depends on it."""
        return int(time.time() // 60) if self.get("since") or self.get("until") else 0

    def has(self, name: str) -> bool:
        """Whether a box is ticked."""
        return self.get(name) not in ("", "0", "no")

    def url(self, **changes: Any) -> str:
        """The same page with other parameters; None takes one away."""
        unchanged = [(name, value) for name, value in self.params if name not in changes and value]
        added = [(name, str(value)) for name, value in changes.items() if value not in (None, "")]
        query = urlencode([*unchanged, *added])
        return f"{self.path}?{query}" if query else self.path


def check_parameter_length(name: str, value: str) -> None:
    """Say which parameter is longer than anything that could be meant."""
    longest = max(len(name), 0 if name in IDS else len(value))
    if longest > MAX_PARAMETER_LETTERS:
        raise BadParameter(
            f"{shortened(name)}: a parameter has at most {MAX_PARAMETER_LETTERS:,} letters; found {longest:,}"
        )


@dataclass(frozen=True)
class View:
    """What a page shows: a template, what it takes, and the tables that may be downloaded from it by name."""

    template: str
    title: str
    content: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, Callable[[], Table]] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True)
class Redirect:
    """Another address has what was asked for."""

    url: str


@dataclass(frozen=True)
class Page:
    """One page: its path, and the function that makes it. With a label it is in the navigation."""

    path: str
    show: Callable[[AppState, PageRequest], View | Redirect]
    label: str = ""
    takes: tuple[str, ...] = ()
    """The parameters of its address; every page takes `csv` too. Any other is refused."""
    section: str = ""
    """The label of the page that the navigation marks meanwhile, where that is another one."""
    is_kept: bool = True
    """Whether it depends on the store alone, so that it may be shown again as it was."""
    is_heavy: bool = False
    """Whether it may take long to work out, so that it waits for its turn and nothing else waits for it."""
    knows_judge: bool = False
    """Whether it shows what the one who judges has given."""

    def check_parameters(self, request: PageRequest) -> None:
        """Say which parameter this page does not have: nothing that was asked for is left out in silence."""
        known = (*self.takes, "csv")
        if strange := [name for name, _ in request.params if name not in known]:
            raise BadParameter(f"there is no parameter {shortened(strange[0])} here; there are: {', '.join(known)}")


def address(path: str, **params: Any) -> str:
    """An address within these pages."""
    query = urlencode([(name, str(value)) for name, value in params.items() if value not in (None, "")])
    return f"{path}?{query}" if query else path
