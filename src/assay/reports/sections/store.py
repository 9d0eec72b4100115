"""The store: lists of evaluations, one evaluation with its provenance, and one of its queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.errors import UnknownName, near_matches
from assay.evaluation import QUERY, Result
from assay.execution import Cache
from assay.grammar import REQUIRED, show
from assay.metrics import recorded_metric
from assay.model import Rankings, Run, grade_word
from assay.providers import all_providers
from assay.reports.table import Column, Notes, Section, Table, cells, table_from_rows, table_section, text_columns
from assay.store import Entry, StoredEvaluation
from assay.text import counted, milliseconds, plural, printable

MINUTE = len("2026-11-15T11:21")


WORDS = ("evaluation", "started", "benchmark", "provider", "metric", "")
COLUMNS = {
    "evaluation": 0,
    "started": 2,
    "benchmark": 4,
    "provider": 0,
    "metric": 6,
    "value": 0,
    "interval": 1,
    "queries": 3,
    "failed": 5,
    "": 7,
}
"""Title → the order in which a narrow terminal leaves it out. The id stays: it has day and benchmark, and users type it."""


def entry_sections(entries: Sequence[Entry], metric: str | None, form: str = "table") -> tuple[Section, ...]:
    """One row for each result, with the requested metric or its first; in CSV one row for each metric, with every digit."""
    if form == "csv":
        return (table_section(table_from_rows(_exact_rows(entries))),)
    rows_are = size_heading(entries)
    titles = {rows_are if name == "queries" else name: spare for name, spare in COLUMNS.items()}
    heads = tuple(Column(name, kind="text" if name in WORDS else "number", spare=spare) for name, spare in titles.items())
    return (table_section(Table(heads, tuple(cells(*_row(entry, metric, rows_are)) for entry in entries))),)


def size_heading(entries: Iterable[Entry]) -> str:
    """What the sizes of these results count, as a heading: `queries`, `users`, or `size` if some count something else."""
    kinds = {entry.rows_are for entry in entries} or {QUERY}
    return plural(kinds.pop()) if len(kinds) == 1 else "size"


def size_of(entry: Entry, heading: str) -> str:
    """The size of a result as a number, with its unit if the heading does not name it."""
    return entry.size if heading == "size" else f"{entry.n_queries:,}"


def _row(entry: Entry, metric: str | None, rows_are: str) -> list[str]:
    name = metric if metric is not None else next(iter(entry.figures), "")
    figure = entry.figures.get(name)
    value = "–" if figure is None or figure.value is None or entry.is_failed else f"{figure.value:.4f}"
    has_ends = figure is not None and figure.low is not None and figure.high is not None and not entry.is_failed
    interval = f"{figure.low:.3f} – {figure.high:.3f}" if has_ends and figure else ""
    marks = [*(f"baseline {baseline}" for baseline in entry.baselines), *entry.tags]
    words = [entry.evaluation, readable_time(entry.started), entry.benchmark, entry.provider, name]
    return [*words, value, interval, size_of(entry, rows_are), f"{entry.n_failed:,}", " · ".join(marks)]


def _exact_rows(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    rows = []
    for entry in entries:
        about = {name: value for name, value in entry.to_dict().items() if name != "figures"}
        figures = entry.to_dict()["figures"] or {"": {}}
        rows += [{**about, "metric": name, **figure} for name, figure in figures.items()]
    return rows


def cache_section(caches: Iterable[Cache]) -> Section:
    """One row for each cache."""
    words = {"cache": 0, "last used (UTC)": 2, "content": 1}
    heads = [Column(name, kind="text", spare=spare) for name, spare in words.items()]
    heads.insert(1, Column("size"))
    rows = (
        cells(cache.name, f"{cache.n_bytes / 1e6:.1f} MB", readable_time(cache.to_dict()["used"]), cache.content)
        for cache in caches
    )
    return table_section(Table(tuple(heads), tuple(rows)))


def readable_time(moment: str) -> str:
    """A time in UTC, to the minute."""
    return moment[:MINUTE].replace("T", " ")


def about_section(evaluation: StoredEvaluation) -> Section:
    """One line: the id of the evaluation, when it was saved, its baselines and tags."""
    marks = [f"baseline {name}" for name in evaluation.baselines] + [f"tag {tag}" for tag in evaluation.tags]
    return Section(parts=(Notes((" · ".join([evaluation.id, f"saved {readable_time(evaluation.saved)} UTC", *marks]),)),))


def provenance_section(evaluation: StoredEvaluation) -> Section:
    """Where the results come from: first what they share, then what is specific to each, then the notes."""
    described = [_described(result.provenance) for result in evaluation.results]
    shared = {name: text for name, text in described[0].items() if all(origin.get(name) == text for origin in described)}
    rows = list(shared.items())
    for result, origin in zip(evaluation.results, described, strict=True):
        own = [text if name == "provider" else f"{name} {text}" for name, text in origin.items() if name not in shared]
        if own:
            rows.append((result.name, " · ".join(own)))
    rows += [("note", f"{note.text} ({readable_time(note.written)})") for note in evaluation.notes]
    return table_section(Table(text_columns("", "", prose=True), tuple(cells(*row) for row in rows)))


def _described(provenance: Mapping[str, Any]) -> dict[str, str]:
    """The parts of provenance that distinguish results, as text."""
    facts: dict[str, str] = {}
    dataset = provenance.get("dataset") or {}
    if dataset:
        prints = ", ".join(f"{part} {value}" for part, value in dataset.get("fingerprints", {}).items())
        facts["benchmark"] = f"{dataset.get('name', '')} {dataset.get('version', '')}{f' ({prints})' if prints else ''}"
    if provider := (provenance.get("provider") or {}).get("configuration"):
        facts["provider"] = _spelled(provider)
    if started := provenance.get("started"):
        facts["started"] = readable_time(str(started)) + " UTC"
    if repository := provenance.get("repository"):
        facts["commit"] = commit_in_words(repository)
    versions = {name: provenance[name] for name in ("assay", "python") if name in provenance}
    if versions:
        facts["versions"] = ", ".join(f"{name} {version}" for name, version in versions.items())
    return facts


def commit_in_words(repository: Mapping[str, Any]) -> str:
    """The commit, and whether files differed from it, if git could tell."""
    changes = {True: " with changes", None: " (changes unknown)"}
    return f"{repository.get('commit', '')}{changes.get(repository.get('dirty', False), '')}"


def _spelled(configuration: Mapping[str, Any]) -> str:
    """A provider as users write it, `hybrid(bm25, dense, k=20)`, without parameters that have their default.

    If a provider is not installed here, its defaults are unknown, and all parameters are shown.
    """
    name = str(configuration.get("provider", ""))
    known = all_providers().get(name)
    defaults = {param.name: _stored_value(param.default) for param in known.params} if known else {}
    inside = [_spelled(part) for part in configuration.get("parts", ())]
    inside += [
        f"{key}={show(tuple(value) if isinstance(value, list) else value)}"
        for key, value in configuration.items()
        if key not in ("provider", "parts") and value not in (None, "", defaults.get(key, REQUIRED))
    ]
    return f"{name}({', '.join(inside)})" if inside else name


def _stored_value(value: Any) -> Any:
    """A default as a configuration stores it, after a round trip through JSON."""
    return list(value) if isinstance(value, tuple) else value


def list_notes(n_shown: int, n_evaluations: int, place: str, *, is_cut: bool) -> str:
    """What the list shows, and how to see more."""
    which = f"the newest {counted(n_shown, 'result')}" if is_cut else counted(n_shown, "result")
    more = " (add --limit 0 to see all)" if is_cut else ""
    return printable(f"{which} of {counted(n_evaluations, 'evaluation')} in {place}{more}. To see one: assay show latest")


def check_metric(entries: Sequence[Entry], metric: str) -> None:
    """Refuse a metric that none of the results in the list has."""
    known = list(dict.fromkeys(name for entry in entries for name in entry.figures))
    if entries and metric not in known:
        raise UnknownName("metric of these results", metric, hint=f"they have {', '.join(known)}")


MAX_MISSED = 10
"""Relevant documents outside the table that are named."""


def query_to_dict(evaluation: StoredEvaluation, query: str) -> dict[str, Any]:
    """Everything about one query, as plain JSON values."""
    having = [result for result in evaluation.results if _knows(result, query)]
    if not having:
        known = list(dict.fromkeys(name for result in evaluation.results for name in result.query_ids))
        raise UnknownName("query", query, near_matches(query, known), f"{evaluation.id} has {counted(len(known), 'query')}")
    words = next((result.queries[query] for result in having if query in result.queries), None)
    return {
        "evaluation": evaluation.id,
        "query": query,
        "text": words.text if words else "",
        "tags": words.tags if words else {},
        "results": [_result_to_dict(result, query) for result in having],
    }


def _knows(result: Result, query: str) -> bool:
    return query in result.query_ids or query in result.run or query in result.failures


def _result_to_dict(result: Result, query: str) -> dict[str, Any]:
    scores = {name: column.values()[result.query_ids.index(query)] for name, column in result.table.columns.items()}
    grades = result.relevant.get(query)
    judged = {**result.nonrelevant.get(query, {}), **(grades or {})}
    ranking = result.run.get(query, {})
    order = Run.borrow(Rankings({query: dict(ranking)})).in_order(0, result.policy.rank_rule) if ranking else []
    return {
        "benchmark": result.benchmark,
        "provider": result.name,
        "failure": result.failures.get(query),
        "scores": scores if query in result.query_ids else {},
        "ranking": [
            {
                "rank": rank,
                "document": doc,
                "score": ranking[doc],
                "grade": judged.get(doc),
                "is_relevant": doc in (grades or {}),
            }
            for rank, doc in enumerate(order, start=1)
        ],
        "not_retrieved": {doc: grade for doc, grade in (grades or {}).items() if doc not in ranking},
        "grades_known": grades is not None,
        "rankings_kept": bool(result.run),
    }


def query_sections(plain: Mapping[str, Any], top: int) -> tuple[Section, ...]:
    """The query, then each provider's ranking with the grades of relevant documents."""
    tags = " · ".join(f"{name} {value}" for name, value in plain["tags"].items())
    head = Section("query", f"{plain['query']}: {plain['text']}", lead=tags)
    return (head, *(_ranking_section(result, top) for result in plain["results"]))


def _ranking_section(result: Mapping[str, Any], top: int) -> Section:
    name = f"{result['benchmark']}/{result['provider']}" if result["benchmark"] else str(result["provider"])
    scores = " · ".join(f"{metric} {_figure(metric, value)}" for metric, value in result["scores"].items())
    failed = [f"failed: {result['failure']}"] if result["failure"] is not None else []
    hits = result["ranking"][:top] if top else result["ranking"]
    heads = (Column("rank"), Column("document", kind="text"), Column("score"), Column("grade"))
    n_heads = len(heads) if result["grades_known"] else len(heads) - 1
    rows = tuple(cells(*_hit(hit)[:n_heads]) for hit in hits)
    below = []
    if left := len(result["ranking"]) - len(hits):
        below.append(f"… and {counted(left, 'more document')}. Add --top 0 to see all")
    below += _not_shown(result, len(hits))
    if not result["ranking"] and result["failure"] is None:
        lost = "this result has no rankings: assay.run and assay eval save rankings, assay.evaluate does not"
        below.append("nothing was retrieved" if result["rankings_kept"] else lost)
    return Section("ranking", name, (Notes(tuple(failed)), Table(heads[:n_heads], rows), Notes(tuple(below))), scores)


def _not_shown(result: Mapping[str, Any], n_shown: int) -> Iterator[str]:
    """Relevant documents outside the table: those at lower ranks, and those that were not retrieved."""
    below = [
        f"{hit['document']} (rank {hit['rank']}, grade {hit['grade']:g})"
        for hit in result["ranking"][n_shown:]
        if hit["is_relevant"]
    ]
    if below:
        yield f"relevant, at lower ranks: {_some(below)}"
    missed = [f"{doc} (grade {grade:g})" for doc, grade in result["not_retrieved"].items()]
    if missed and result["rankings_kept"]:
        yield f"relevant, not retrieved: {_some(missed)}"


def _some(named: Sequence[str]) -> str:
    return ", ".join(named[:MAX_MISSED]) + (f" and {len(named) - MAX_MISSED} more" if len(named) > MAX_MISSED else "")


def _figure(metric: str, value: float | str | None) -> str:
    """A score with four decimals, a time with its unit."""
    if value is None or isinstance(value, str):
        return value or "–"
    return milliseconds(value) if recorded_metric(metric).metric.view == "timing" else f"{value:.4f}"


def _hit(hit: Mapping[str, Any]) -> tuple[str, ...]:
    grade = "" if hit["grade"] is None else grade_word(hit["grade"])
    return str(hit["rank"]), hit["document"], f"{hit['score']:.6g}", grade
