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
    cell = Cell(
        text, value=text, note=text, link=text, help=text, sign=text, letters=text, values=(("{}", text), ("{} more", text))
    )
    figure = Cell(text, value=0.5, mark=Mark.BEST, note=text, values=None)
    table = filled(Table, text, columns=(column, verdict)[:n_columns], rows=((cell, figure)[:n_columns],) * 2, notes=(text,))
    notes = Notes((text, text), (text,), label="", mark=Mark.FAILED)
    return Section("key", text, (replace(table, label=text), Paragraph(text), notes), lead=text)


def tame(form):
    return render_sections([hostile_section("tame")], form)


@pytest.mark.parametrize("form", [form for form in FORMS if form != "html"])
def test_every_string_of_a_section_stays_text(form):
    for text in MORE_HOSTILE:
        shown = render_sections([hostile_section(text)], form)
        assert controls(shown) == set(), text
        assert shown.count("\n") == tame(form).count("\n"), text
        CHECKS[form](text, shown)


def test_no_text_on_a_page_is_markup():
    tree = parse(render_sections([hostile_section(text) for text in MORE_HOSTILE], "html"))
    other = parse(render_sections([hostile_section("tame")] * len(MORE_HOSTILE), "html"))
    assert [(one.tag, sorted(one.attributes)) for one in tree.all()] == [
        (one.tag, sorted(one.attributes)) for one in other.all()
    ]
    for text, section in zip(MORE_HOSTILE, tree.all("section"), strict=True):
        assert section.one("h2").text == " ".join(printable(text).split()), text
        assert {cell.attributes["title"] for cell in section.all("th", scope="row")} == {printable(text)}, text
        assert {link.attributes["href"] for link in section.all("a")} == {printable(text)}, text
    assert controls("".join(one.text for one in tree.all("section"))) == set()


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
        if line.startswith(("%", "\\begin", "\\end{tabular}", "\\toprule", "\\midrule", "\\bottomrule")):
            continue
        assert line.endswith(" \\\\"), text
        plain = re.sub(r"\\(textbf|underline|textsuperscript|text[a-z]+|ldots|geq|leq|cdot)|\\[&%$#_{}]", "", line[:-3])
        assert not re.search(r"[\\%#~^]", plain), (text, line)
        assert len(re.findall(r"(?<!\\)&", line)) == 1, text
        assert not line.startswith(("[", "*")), text


def check_csv(text, shown):
    rows = list(csv.reader(io.StringIO(shown, newline=""), strict=True))
    assert {len(row) for row in rows} == {4}, text
    assert {cell for row in rows for cell in row} <= {
        spreadsheet_cell(name) for name in (text, f"{text} more", f"{text}, more", "0.5")
    }, text
    for cell in (cell for row in rows for cell in row):
        assert not cell.startswith(("=", "+", "-", "@", "\t")) or re.fullmatch(r"[-+]?[\d.]+", cell), text


CHECKS = {"table": check_console, "markdown": check_markdown, "latex": check_latex, "csv": check_csv}


def test_every_renderer_of_the_catalog_is_under_the_law():
    assert {*CHECKS, "html"} == set(FORMS)
    assert {name for name, renderer in all_renderers().items() if not renderer.render} == {"json", "trec"}


def test_results_and_comparisons_with_hostile_names_do_no_harm():
    for form in (form for form in all_renderers() if form != "html"):
        text = render_scores(Report(hostile_results(), per_query=True), form)
        text = text.replace("\u2028", "").replace("\u2029", "") if form == "json" else text
        assert controls(text) <= ({"\t"} if form == "trec" else set()), form
    qrels = {query: {"d": 1} for query in HOSTILE}
    runs = {name: {query: ["d"] if len(query) % 2 else ["x", "d"] for query in HOSTILE} for name in HOSTILE[:6]}
    report = ComparisonReport([compare(qrels, runs, "mrr", test="sign")], worst=3)
    for form in ("table", "markdown", "latex", "csv", "json"):
        assert controls(render_comparisons(report, form)) == set(), form
    text = page(BenchmarkReport((hostile_results()[1],)))
    assert "<script>alert" not in text
    assert not {one.tag for one in parse(text).all()} & {"b", "td>", "iframe", "img"}
