"""Progress: the state of running evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.reports import readable_time
from assay.store import Running, list_running
from assay.text import counted
from assay.web.page import Page, PageRequest, View

if TYPE_CHECKING:
    from assay.web.state import AppState


@dataclass(frozen=True)
class Bar:
    """The progress of a part, as the page shows it."""

    name: str
    n_done: int
    n_asked: int
    about: str


@dataclass(frozen=True)
class Run:
    """A running evaluation, as the page shows it."""

    id: str
    title: str
    bars: tuple[Bar, ...]


def show_progress(state: AppState, request: PageRequest) -> View:  # noqa: ARG001 (all pages take the same)
    """The running evaluations; a script updates the page, and without it the page shows the state when it was loaded."""
    return View("progress.html.j2", "Progress", {"runs": _runs(list_running(state.store.place))})


def _runs(running: Sequence[Running]) -> list[Run]:
    return [
        Run(
            run.id,
            f"started {readable_time(run.started)} UTC · {run.n_done} of {counted(run.n_parts, 'result')} complete",
            tuple(
                Bar(part.name, part.n_done, part.n_asked, _about(part.n_failed, part.n_cached, part.waiting))
                for part in run.parts
            ),
        )
        for run in running
    ]


def _about(n_failed: int, n_cached: int, waiting: str) -> str:
    counts = [f"{n_failed:,} failed"] if n_failed else []
    counts += [f"{n_cached:,} cached"] if n_cached else []
    return " · ".join([*counts, *([f"waiting: {waiting}"] if waiting else [])])


PAGE = Page("/progress", show_progress, "Progress", is_kept=False, is_live=True)
