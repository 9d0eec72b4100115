"""Metrics: the reference of all metrics, from their records."""

from __future__ import annotations

from assay.metrics import GROUPS, Metric, all_metrics, describe, describe_all, parse_name, written
from assay.reports import Cell, Mark, Paragraph, Section, Table, cells, text_columns
from assay.web.page import Page, PageRequest, View, address
from assay.web.state import AppState
from assay.web.tables import lay_out


def show_metrics(state: AppState, request: PageRequest) -> View:  # noqa: ARG001 (the same for every store)
    """All metrics, or one by any spelling of its name."""
    name = request.get("name")
    if not name:
        layouts, tables = lay_out([_index(), _groups()])
        return View("sections.html.j2", "Metrics", {"sections": layouts, "crumb": None}, tables)
    metric = parse_name(name)
    layouts, tables = lay_out(_metric_sections(metric))
    content = {"sections": layouts, "crumb": ("Metrics", "/metrics"), "lead": metric.meaning}
    return View("sections.html.j2", written(metric), content, tables)


def _index() -> Section:
    rows = []
    for metric, plain in zip(all_metrics().values(), describe_all(), strict=True):
        link = Cell(plain["name"], link=address("/metrics", name=metric.name))
        rows.append((link, *cells(plain["meaning"], plain["range"], plain["parameters"])))
    heads = text_columns("metric", "what it measures", "range", "parameters")
    return Section("index", "All metrics", (Table(heads, tuple(rows), "Metrics", filters="metrics"),))


def _groups() -> Section:
    rows = tuple(cells(name, " ".join(members)) for name, members in GROUPS.items())
    heads = text_columns("group", "its metrics")
    return Section("groups", "Groups", (Table(heads, rows, "Groups"),), "You can use a group wherever you name metrics.")


def _metric_sections(metric: Metric) -> list[Section]:
    """Everything in the record of a metric."""
    plain = describe(metric)
    direction = "higher is better" if plain["higher_is_better"] else "lower is better"
    facts = [
        ("formula", plain["formula"]),
        ("range", f"{plain['range']}, {direction}" if plain["range"] != "text" else "text"),
        ("summary", plain["aggregation"]),
        ("reads", plain["view"]),
        ("edge cases", plain["edge_cases"]),
        ("aliases", ", ".join(plain["aliases"])),
        ("trec_eval", ", ".join(plain["trec_eval"])),
        ("citation", plain["citation"]),
    ]
    rows = tuple(cells(name, text) for name, text in facts if text)
    about = Table(text_columns("", ""), rows, "Definition", is_sortable=False)
    sections = [Section("definition", "Definition", (about,))]
    if plain["parameters"]:
        names = ("name", "default", "meaning")
        params = tuple(cells(*(str(parameter[name]) for name in names)) for parameter in plain["parameters"])
        table = Table(text_columns(*names), params, "Parameters")
        at = next((parameter["name"] for parameter in plain["parameters"] if parameter["set_by_at"]), "")
        notes = (Paragraph(f"Write {at} after @, and the other parameters in parentheses.", Mark.MUTED),) if at else ()
        sections.append(Section("parameters", "Parameters", (table, *notes)))
    return sections


PAGE = Page("/metrics", show_metrics, "Metrics", ("name",))
