"""Escaping: whatever stands in a section, no renderer lets it through as anything but text."""

import csv
import io
import re
from dataclasses import fields, replace

import pytest
from markdown_it import MarkdownIt

from assay.reports import (
    BenchmarkReport,
    Cell,
    Column,
    ComparisonReport,
    Mark,
    Notes,
    Paragraph,
    Report,
    Section,
    Style,
    Table,
    all_renderers,
    render_comparisons,
    render_scores,
    render_sections,
)
from assay.text import printable, spreadsheet_cell

from ._comparisons import compare
from ._html import parse
from ._pages import page
from ._results import HOSTILE, controls, hostile_results

MORE_HOSTILE = (*HOSTILE, "\u202eevil\u202c \u2067abc\u2069", "@SUM(A1)", "+1", "-x", "\ttab", "\"'><svg onload=alert(3)>")
FORMS = [name for name, renderer in all_renderers().items() if renderer.render]
GITHUB = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
TEXTS = {"str", "str | None"}


def filled(kind, text, **more):
    """A record of the table model with the text in every field that holds text."""
    texts = {one.name: text for one in fields(kind) if str(one.type) in TEXTS and one.name not in ("key", "label")}
    return kind(**{**texts, **more})


def hostile_section(text, n_columns=2):
    """Every string of a section is that text, keys aside, which are ours."""
    column = filled(Column, text, key="key")
    verdict = replace(column, kind="verdict")
    cell = Cell(text, value=text, note=text, link=text, help=text, sign=text, letters=text, values=((text, text),))
    figure = Cell(text, value=0.5, mark=Mark.BEST, note=text, values=None)
    table = filled(Table, text, columns=(column, verdict)[:n_columns], rows=((cell, figure)[:n_columns],) * 2, notes=(text,))
    notes = Notes((text, text), (text,), label="", mark=Mark.FAILED)
    return Section("key", text, (replace(table, label=text), Paragraph(text), notes), lead=text)


def tame(form):
    return render_sections([hostile_section("tame")], form)


def lines_outside_cells(form, text):
    return render_sections([hostile_section(text)], form, Style(colour=True)).count("\n")


@pytest.mark.parametrize("form", FORMS)
def test_every_string_of_a_section_stays_text(form):
    for text in MORE_HOSTILE:
        shown = render_sections([hostile_section(text)], form)
        inside = re.sub(r"<(script|style)\b.*?</\1>", "", shown, flags=re.DOTALL) if form == "html" else shown
        assert controls(inside) == set(), text
        assert shown.count("\n") == tame(form).count("\n"), text
        CHECKS[form](text, shown)


def check_console(text, shown):
    assert printable(text) in shown


def check_markdown(text, shown):
    tokens = GITHUB.parse(shown)
    assert {token.type for token in tokens} == {token.type for token in GITHUB.parse(tame("markdown"))}, text
    kinds = {"text", "text_special", "strong_open", "strong_close", "softbreak"}
    for token in tokens:
        if token.type == "inline":
            assert {part.type for part in token.children} <= kinds, text
            assert set("".join(part.content for part in token.children if part.type != "softbreak").split()) <= set(
                f"{printable(text)} {printable(text)}".split()
            ), text


def check_latex(text, shown):
    for line in shown.splitlines():
        if line.startswith("%") or line.startswith(("\\begin", "\\end{tabular}", "\\toprule", "\\midrule", "\\bottomrule")):
            continue
        assert line.endswith(" \\\\"), text
        plain = re.sub(r"\\(textbf|underline|textsuperscript|text[a-z]+|ldots|geq|leq|cdot)|\\[&%$#_{}]", "", line[:-3])
        assert not re.search(r"[\\%#~^]", plain), (text, line)
        assert len(re.findall(r"(?<!\\)&", line)) == 1, text
        assert not line.startswith(("[", "*")), text


def check_csv(text, shown):
    rows = list(csv.reader(io.StringIO(shown, newline=""), strict=True))
    assert {len(row) for row in rows} == {3}, text
    assert {cell for row in rows for cell in row} <= {spreadsheet_cell(text), spreadsheet_cell(f"{text}, more"), "0.5"}, text
    for cell in (cell for row in rows for cell in row):
        assert not cell.startswith(("=", "+", "-", "@", "\t")) or re.fullmatch(r"[-+]?[\d.]+", cell), text


def check_html(text, shown):
    tree, other = parse(shown), parse(tame("html"))
    assert [one.tag for one in tree.all()] == [one.tag for one in other.all()], text
    assert [sorted(one.attributes) for one in tree.all()] == [sorted(one.attributes) for one in other.all()], text
    shown_text = " ".join(printable(text).split())
    assert tree.one("title").text == shown_text, text
    assert {cell.attributes["title"] for cell in tree.all("th", scope="row")} == {printable(text)}


CHECKS = {"table": check_console, "markdown": check_markdown, "latex": check_latex, "csv": check_csv, "html": check_html}


def test_every_renderer_of_the_catalog_is_under_the_law():
    assert set(CHECKS) == set(FORMS)
    assert {name for name, renderer in all_renderers().items() if not renderer.render} == {"json", "trec"}


def test_results_and_comparisons_with_hostile_names_do_no_harm():
    for form in all_renderers():
        text = render_scores(Report(hostile_results(), per_query=True), form)
        text = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL) if form == "html" else text
        text = text.replace("\u2028", "").replace("\u2029", "") if form == "json" else text
        assert controls(text) <= ({"\t"} if form == "trec" else set()), form
    qrels = {query: {"d": 1} for query in HOSTILE}
    runs = {name: {query: ["d"] if len(query) % 2 else ["x", "d"] for query in HOSTILE} for name in HOSTILE[:6]}
    report = ComparisonReport([compare(qrels, runs, "mrr", test="sign")], worst=3)
    for form in ("table", "markdown", "latex", "csv", "json"):
        assert controls(render_comparisons(report, form)) == set(), form


def test_the_page_of_hostile_results_has_no_element_of_theirs():
    text = page(BenchmarkReport((hostile_results()[1],)))
    assert "<script>alert" not in text
    assert not {one.tag for one in parse(text).all()} & {"b", "td>", "iframe", "img"}
