"""Home: what got worse since the last run and since the baseline, series by series."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.comparison import Figures, is_about_users
from assay.errors import UnknownName, near_matches
from assay.monitoring import ChangeSince, Overview, SeriesOverview, change_causes, change_head, day_text
from assay.reports import Cell, Column, Table, interval_text, readable_time, standing_text, value_text, words
from assay.text import counted, shorten_middle
from assay.web.page import Page, PageRequest, View, address
from assay.web.pages.results import menu_names
from assay.web.queries import query_url
from assay.web.sparkline import Sparkline, sparkline_of
from assay.web.state import AppState

MAX_LETTERS = 60
"""Characters of a name."""
MAX_ERROR_LETTERS = 300
PER_GROUP = 20
"""Series of a group on the first page; the page of the group has all of them."""
PER_PAGE = 50
FEW = 12
"""More series than this can be filtered, and those without a change are collapsed."""
FILTERS = ("benchmark", "words")


@dataclass(frozen=True)
class Link:
    """A name with an address."""

    text: str
    url: str
    title: str = ""


@dataclass(frozen=True)
class Change:
    """The change since an earlier run, as the page shows it."""

    label: str
    text: str
    """The difference; empty if nothing can be decided."""
    about: str
    """Interval and p, or the reason why nothing can be decided."""
    tone: str
    words: str
    """The verdict in a word or two."""
    url: str = ""
    """The comparison of the two runs."""


@dataclass(frozen=True)
class Row:
    """One series, as the page shows it."""

    standing: str
    tone: str
    provider: str
    full_provider: str
    benchmark: str
    full_benchmark: str
    metric: str
    value: str
    interval: str
    url: str
    """The comparison of the two runs around the step, or the result if there is nothing to compare."""
    changes: tuple[Change, ...]
    error: str
    queries: tuple[Link, ...]
    more_queries: str
    failures: Link | None
    note: str
    """What is recorded as changed since, or the newest step of a series that did not get worse since."""
    when: str
    newest: str
    history: str
    sparkline: Sparkline


@dataclass(frozen=True)
class Group:
    """Series of one kind."""

    key: str
    title: str
    rows: tuple[Row, ...]
    total: int
    more: str = ""
    """The address of all of them, if there are more."""
    is_open: bool = True
    about: str = ""
    """What the heading means."""


KINDS = {
    "worse": "Got worse",
    "failed": "Failed on every query",
    "better": "Got better",
    "unshown": "Lower or higher, not shown",
    "rest": "Unchanged or new",
}
"""Key of a group → its heading."""
ABOUT = {"unshown": "The values differ, but not by more than chance can explain."}
"""Key of a group → what its heading means."""


def show_home(state: AppState, request: PageRequest) -> View:
    """What got worse first. A filter selects series; `only` shows one group completely."""
    overview = state.overview
    only = request.get("only")
    if only and only not in KINDS:
        raise UnknownName("group of series", only[:80], near_matches(only, KINDS), f"choose from {', '.join(KINDS)}")
    if not only:
        request.get_int("page", 1, 1)  # only the page of a group has several pages
    chosen = Overview(tuple(line for line in overview.series if _is_chosen(line, request)))
    groups = [_group(key, getattr(chosen, key), request, is_alone=bool(only)) for key in KINDS if only in ("", key)]
    lines = getattr(chosen, only) if only else chosen.series
    names = sorted({line.benchmark for line in overview.series if line.benchmark})
    content = {
        "heading": chosen.heading if chosen.series or not overview.series else "No series matches",
        "tone": _tone(chosen),
        "about": _about(overview, chosen),
        "last_worse": None if chosen.worse else _last_worse(chosen),
        "groups": [group for group in groups if group.rows],
        "only": KINDS.get(only, ""),
        "pages": _pages(request, len(lines)) if only else None,
        "benchmarks": menu_names(names, request.get("benchmark")),
        "benchmark": request.get("benchmark"),
        "is_filtered": any(map(request.get, FILTERS)),
        "has_filter": len(overview.series) > FEW or any(map(request.get, FILTERS)),
        "place": str(state.store.place),
        "is_empty": not overview.series,
    }
    return View("home.html.j2", "Home", content, {"series": lambda: series_table(lines)})


def _is_chosen(line: SeriesOverview, request: PageRequest) -> bool:
    text = " ".join((line.benchmark, line.provider, line.data, line.metric.name)).casefold()
    is_there = not request.get("benchmark") or line.benchmark == request.get("benchmark")
    return is_there and all(word in text for word in request.get("words").casefold().split())


def _tone(overview: Overview) -> str:
    """The colour of the heading: that of `worse` if something got worse or failed."""
    if overview.worse or overview.failed:
        return "worse"
    return "better" if any(line.previous.pair or line.baseline.pair for line in overview.series) else ""


def _about(overview: Overview, chosen: Overview) -> str:
    if not chosen.series:
        return ""
    newest = max(line.newest.started for line in chosen.series)
    n, total = len(chosen.series), len(overview.series)
    count = f"{total:,} series" if n == total else f"{n:,} of {total:,} series"
    return f"{count} · newest run {readable_time(newest)} UTC"


def _last_worse(overview: Overview) -> Link | None:
    """The newest step to a worse level, with a link to its comparison."""
    if overview.last_worse is None:
        return None
    line, change = overview.last_worse
    runs = {run.result: run.key for run in line.runs}
    keys = (runs[change.earlier.result], runs[change.point.result])
    day = day_text(change.point.started, line.newest.started)
    return Link(
        f"On {day}, {shorten_middle(line.name, 2 * MAX_LETTERS)}: {change_head(change, line.metric)}", _compare(*keys)
    )


def _pages(request: PageRequest, total: int) -> dict[str, object]:
    n_pages = max(1, math.ceil(total / PER_PAGE))
    page = request.get_int("page", 1, n_pages)
    return {
        "text": f"{(page - 1) * PER_PAGE + 1:,}–{min(page * PER_PAGE, total):,} of {total:,}" if total else "",
        "previous": request.url(page=page - 1 if page > 2 else None) if page > 1 else "",
        "next": request.url(page=page + 1) if page < n_pages else "",
    }


def _group(key: str, lines: Sequence[SeriesOverview], request: PageRequest, *, is_alone: bool) -> Group:
    most, start = PER_GROUP, 0
    if is_alone:
        most = PER_PAGE
        start = PER_PAGE * (request.get_int("page", 1, max(1, math.ceil(len(lines) / PER_PAGE))) - 1)
    rows = tuple(row_of(line) for line in lines[start : start + most])
    more = request.url(only=key, page=None) if len(lines) > most and not is_alone else ""
    is_open = is_alone or key != "rest" or len(lines) <= FEW
    return Group(key, KINDS[key], rows, len(lines), more, is_open, ABOUT.get(key, ""))


def row_of(line: SeriesOverview) -> Row:
    """A series as the page shows it."""
    around, newest = line.around, line.newest
    queries = line.deciding.moves.worse if line.standing == "worse" else ()
    n_more = line.deciding.moves.n_worse - len(queries)
    failures = Link(f"{counted(newest.n_failed, 'query')} failed", address(f"/result/{newest.key}", only="failed"))
    return Row(
        standing_text(line.standing),
        line.standing,
        shorten_middle(line.provider or "run", MAX_LETTERS),
        line.provider,
        shorten_middle(" · ".join(filter(None, (line.benchmark, line.data))), MAX_LETTERS),
        line.benchmark,
        line.metric.name,
        "" if newest.value is None else value_text(line),
        interval_text(line),
        _compare(around[0].key, around[1].key) if around and not is_about_users(line.metric) else f"/result/{newest.key}",
        tuple(_change(line, changes) for changes in line.distinct_changes),
        line.error[:MAX_ERROR_LETTERS] if newest.is_failed else "",
        tuple(Link(shorten_middle(query, 40), _card(line, query), query) for query in queries),
        f"and {n_more:,} more" if queries and n_more > 0 else "",
        failures if newest.n_failed and not newest.is_failed else None,
        _note(line),
        readable_time(newest.started),
        f"/result/{newest.key}",
        address("/history", benchmark=line.benchmark, provider=line.provider, metric=line.metric.name),
        sparkline_of(line),
    )


def _card(line: SeriesOverview, query: str) -> str:
    """The query in the comparison that decides, with both rankings."""
    earlier = line.deciding.earlier
    if earlier is None:
        return query_url(line.newest.key, query)
    return f"{_compare(earlier.key, line.newest.key)}&{address('', card=query)[1:]}#queries"


def _note(line: SeriesOverview) -> str:
    """What changed with the newest run if it is a step; else the newest step, unless the series is in the news anyway."""
    change = line.last_change
    if change is None or line.newest.is_failed:
        return ""
    if change.point.result == line.newest.result:
        return change_causes(change)
    if line.standing == "worse":
        return ""
    return f"{change_head(change, line.metric)} on {day_text(change.point.started, line.newest.started)}"


def _change(line: SeriesOverview, changes: Sequence[ChangeSince]) -> Change:
    change = changes[0]
    names = [f"baseline {shorten_middle(since.name, 24)}" if since.name else "last run" for since in changes]
    label = f"since {' and '.join(names)}"
    if change.pair is None:
        return Change(label, "", change.why_not, "", "")
    if change.pair.is_same:
        return Change(label, "", "same on every query", "", "")
    text = Figures().change(change.metric, change.pair.difference)
    about = change.change.removeprefix(text).strip(" ,")
    is_comparable = change.earlier is not None and not is_about_users(change.metric)
    url = _compare(change.earlier.key, line.newest.key) if change.earlier and is_comparable else f"/result/{line.newest.key}"
    return Change(label, text, about, change.standing, standing_text(change.standing), url)


def _compare(older: str, newer: str) -> str:
    """The comparison of two runs, with the older one as the baseline."""
    return f"{address('/compare', r=older)}&{address('', r=newer, baseline=older)[1:]}"


def series_table(lines: Sequence[SeriesOverview]) -> Table:
    """The series as a table, for a download."""
    titles = ("standing", "benchmark", "provider", "data", "metric", "value", "low", "high", "previous", "baseline")
    heads = tuple(Column(title, kind="text") for title in (*titles, "baseline name", "failed", "started", "result"))
    return Table(heads, tuple(_cells(line) for line in lines), "Series")


def _cells(line: SeriesOverview) -> tuple[Cell, ...]:
    newest = line.newest
    differences = [change.pair.difference if change.pair else None for change in (line.previous, line.baseline)]
    numbers = [newest.value, newest.low, newest.high, *differences]
    return (
        *(words(text) for text in (line.standing, line.benchmark, line.provider, line.data, line.metric.name)),
        *(Cell("" if value is None else f"{value!r}", value) for value in numbers),
        *(words(text) for text in (line.baseline.name, str(newest.n_failed), newest.started, newest.key)),
    )


PAGE = Page("/", show_home, "Home", (*FILTERS, "only", "page"), is_heavy=True, has_own_thread=True, is_live=True)
