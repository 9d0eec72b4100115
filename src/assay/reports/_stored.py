"""What the store holds, as people read it: lists of results, and where an evaluation comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import UnknownName
from assay.grammar import REQUIRED, show
from assay.providers import all_providers
from assay.reports._cells import Cell, Table
from assay.reports._csv_rows import csv_of
from assay.reports._layout import Style, fitted, needed_width, with_prose
from assay.store import Entry, StoredEvaluation
from assay.text import counted, printable

MINUTE = len("2026-11-15T11:21")


HEAD = ["evaluation", "started", "benchmark", "provider", "metric", "value", "interval", "queries", "failed", ""]
WORDS = {"evaluation", "started", "benchmark", "provider", "metric", ""}
LEFT_OUT = ("interval", "started", "queries", "benchmark", "failed", "metric")
"""What a narrow terminal does without, first to last; an id says the day and the benchmark too, and is what is typed."""


def render_entries(entries: Sequence[Entry], metric: str | None, style: Style) -> str:
    """One row for each result: the metric asked for, else the first of each. Where room is scarce, columns go, ids stay."""
    rows = [list(map(Cell, _row(entry, metric))) for entry in entries]
    for n_out in range(len(LEFT_OUT) + 1):
        kept = [place for place, name in enumerate(HEAD) if name not in LEFT_OUT[:n_out]]
        table = _of_columns(rows, kept)
        if not style.width or needed_width(table) <= style.width:
            break
    else:
        table = _of_columns(rows, [place for place in kept if HEAD[place]])  # marks wait for a wider one, or for json
    return "\n\n".join(fitted(table, style)) + "\n"


def _of_columns(rows: Sequence[Sequence[Cell]], places: Sequence[int]) -> Table:
    head = [HEAD[place] for place in places]
    left = frozenset(number for number, name in enumerate(head) if name in WORDS)
    return Table(head, [[row[place] for place in places] for row in rows], left)


def _row(entry: Entry, metric: str | None) -> list[str]:
    name = metric if metric is not None else next(iter(entry.figures), "")
    figure = entry.figures.get(name)
    value = "–" if figure is None or figure.value is None or entry.is_failed else f"{figure.value:.4f}"
    has_ends = figure is not None and figure.low is not None and figure.high is not None and not entry.is_failed
    interval = f"{figure.low:.3f} – {figure.high:.3f}" if has_ends and figure else ""
    marks = [*(f"baseline {one}" for one in entry.baselines), *entry.tags]
    words = [entry.evaluation, readable(entry.started), entry.benchmark, entry.provider, name]
    return [
        *map(printable, words),
        value,
        interval,
        f"{entry.n_queries:,}",
        f"{entry.n_failed:,}",
        printable(" · ".join(marks)),
    ]


def entries_as_csv(entries: Sequence[Entry]) -> str:
    """A row for each result and metric, with every digit."""
    rows = []
    for entry in entries:
        about = {name: value for name, value in entry.to_dict().items() if name != "figures"}
        figures = entry.to_dict()["figures"] or {"": {}}
        rows += [{**about, "metric": name, **figure} for name, figure in figures.items()]
    return csv_of(rows) if rows else ""


def readable(moment: str) -> str:
    """A moment to the minute, in UTC."""
    return moment[:MINUTE].replace("T", " ")


def render_about(evaluation: StoredEvaluation) -> str:
    """One line: which evaluation this is, and what was said about it."""
    marks = [f"baseline {name}" for name in evaluation.baselines] + [f"tag {tag}" for tag in evaluation.tags]
    return printable(" · ".join([evaluation.id, f"saved {readable(evaluation.saved)} UTC", *marks])) + "\n"


def render_provenance(evaluation: StoredEvaluation, style: Style) -> str:
    """What the results rest on: what they share first, then what each has of its own; and the notes."""
    described = [_described(result.provenance) for result in evaluation.results]
    shared = {name: text for name, text in described[0].items() if all(one.get(name) == text for one in described)}
    rows = list(shared.items())
    for result, one in zip(evaluation.results, described, strict=True):
        own = [text if name == "provider" else f"{name} {text}" for name, text in one.items() if name not in shared]
        if own:
            rows.append((result.name, " · ".join(own)))
    rows += [("note", f"{note.text} ({readable(note.written)})") for note in evaluation.notes]
    if not rows:
        return ""
    cells = [[Cell(printable(name)), Cell(printable(text))] for name, text in rows]
    return with_prose(Table(["", ""], cells, frozenset({0, 1})), style).partition("\n")[2] + "\n"


def _described(provenance: Mapping[str, Any]) -> dict[str, str]:
    """The parts of provenance that tell results apart, in words."""
    found: dict[str, str] = {}
    dataset = provenance.get("dataset") or {}
    if dataset:
        prints = ", ".join(f"{part} {value}" for part, value in dataset.get("fingerprints", {}).items())
        found["benchmark"] = f"{dataset.get('name', '')} {dataset.get('version', '')}{f' ({prints})' if prints else ''}"
    if provider := (provenance.get("provider") or {}).get("configuration"):
        found["provider"] = _spelled(provider)
    if started := provenance.get("started"):
        found["started"] = readable(str(started)) + " UTC"
    if repository := provenance.get("repository"):
        found["commit"] = commit_in_words(repository)
    versions = {name: provenance[name] for name in ("assay", "python") if name in provenance}
    if versions:
        found["versions"] = ", ".join(f"{name} {version}" for name, version in versions.items())
    return found


def commit_in_words(repository: Mapping[str, Any]) -> str:
    """The commit, and whether files differed from it; where git could not say, that is said."""
    changes = {True: " with changes", None: " (changes unknown)"}
    return f"{repository.get('commit', '')}{changes.get(repository.get('dirty', False), '')}"


def _spelled(configuration: Mapping[str, Any]) -> str:
    """A provider as it is written, `hybrid(bm25, dense, k=20)`: what is at its default is left out.

    Of a provider that is not installed here nobody knows the defaults, and all is told that was set.
    """
    name = str(configuration.get("provider", ""))
    known = all_providers().get(name)
    defaults = {param.name: _as_kept(param.default) for param in known.params} if known else {}
    inside = [_spelled(part) for part in configuration.get("parts", ())]
    inside += [
        f"{key}={show(tuple(value) if isinstance(value, list) else value)}"
        for key, value in configuration.items()
        if key not in ("provider", "parts") and value not in (None, "", defaults.get(key, REQUIRED))
    ]
    return f"{name}({', '.join(inside)})" if inside else name


def _as_kept(value: Any) -> Any:
    """A default as a configuration has it, which was JSON in between."""
    return list(value) if isinstance(value, tuple) else value


def list_notes(n_shown: int, n_evaluations: int, place: str, *, is_cut: bool) -> str:
    """What the list shows, and where to look next."""
    which = f"the newest {counted(n_shown, 'result')}" if is_cut else counted(n_shown, "result")
    more = "; --limit 0 shows all" if is_cut else ""
    return printable(f"{which} of {counted(n_evaluations, 'evaluation')} in {place}{more}. Look: assay show latest")


def check_metric(entries: Sequence[Entry], metric: str) -> None:
    """Refuse a metric that no result in the list has."""
    known = list(dict.fromkeys(name for entry in entries for name in entry.figures))
    if entries and metric not in known:
        raise UnknownName("metric of these results", metric, hint=f"they have {', '.join(known)}")
