"""What holds for every kind of chart."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET

import pytest

from assay.charts import all_charts, render, themed, to_svg

from ._subjects import HOSTILE, drawn_of_anything

KINDS = list(all_charts())
NAMESPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def texts(svg):
    """The words that are drawn."""
    return " ".join("".join(one.itertext()) for one in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"))


def assert_compiles_quietly(spec, capfd):
    import vl_convert

    vl_convert.vegalite_to_vega(spec, show_warnings=True)
    assert capfd.readouterr().err == ""


def test_there_are_the_thirteen_kinds():
    assert [
        *("asl", "bars", "by_age", "by_k", "critical_difference", "difference_histogram", "groups", "heat_map"),
        *("history", "paired_scatter", "pareto", "precision_recall", "slices"),
    ] == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_drawn_and_explained_and_fetches_nothing(kind, capfd):
    chart, drawing = all_charts()[kind], drawn_of_anything(kind)
    assert drawing == drawn_of_anything(kind)
    svg = to_svg(drawing)
    root = ET.fromstring(svg)
    assert (chart.name, bool(chart.meaning), bool(chart.edge_cases), bool(drawing.rows)) == (kind, True, True, True)
    assert drawing.title in texts(svg)
    assert root.attrib["aria-label"] == drawing.alt == drawing.spec["description"]
    assert root.attrib["role"] == "img"
    assert "one" in drawing.alt
    assert re.search(r"\d", drawing.alt)
    assert drawing.note in drawing.alt
    assert not re.search('//|"url"', json.dumps({**drawing.spec, "$schema": ""}))
    assert set(re.findall(r"https?://[^\"]*", svg)) == NAMESPACES
    for theme in ("light", "dark", "page"):
        assert_compiles_quietly(themed(drawing.spec, theme), capfd)


@pytest.mark.parametrize("kind", KINDS)
def test_names_do_no_harm_and_are_no_formulas(kind):
    """Vega-Lite copies titles into formulas without minding backslashes."""
    names = (HOSTILE, '<img src=x onerror="alert(1)">\\" + (1 / 0) + \\"', "\\x41${datum}{{x}}'")
    drawing = drawn_of_anything(kind, names, title=HOSTILE)
    svg = to_svg(drawing)
    tags = {one.tag.partition("}")[2] for one in ET.fromstring(svg).iter()}
    assert tags <= {"svg", "rect", "g", "path", "text", "line", "tspan", "defs", "clipPath"}
    assert not {"\x1b", "\x00", "\ufffe", "\u202e"} & set(svg)
    for text in (svg, str(drawing.spec["title"]["text"]), drawing.alt):
        assert "\\x1b" in text.replace("\\\\", "\\")
    assert not [name for one in ET.fromstring(svg).iter() for name in one.attrib if "href" in name]
    assert not re.search("Infinity|NaN|A:", svg)


@pytest.mark.parametrize("kind", KINDS)
def test_names_that_begin_alike_are_told_apart_and_it_is_data_too(kind):
    names = tuple(f"hybrid({'bm25, ' * 20}{last})" for last in ("dense", "colbert", "splade"))
    drawing = drawn_of_anything(kind, names)
    shown = {row[name] for row in drawing.rows for name in ("system", "series") if name in row}
    n_results = all_charts()[kind].n_results[1] or 3
    assert len(shown) in (0, n_results)
    for last in ("dense", "colbert", "splade")[:n_results]:
        assert last in f"{shown} {drawing.alt}"
    spec = json.loads(render(drawing, "json"))
    assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
    json.dumps(spec, allow_nan=False)
    rows = list(csv.DictReader(io.StringIO(render(drawing, "csv").decode())))
    assert (len(rows), list(rows[0])) == (len(drawing.rows), list(drawing.rows[0]))


@pytest.mark.parametrize("kind", KINDS)
def test_it_can_be_drawn_for_a_phone(kind, capfd):
    """As wide as a phone at most, with the same words and data, and what colours mean below the plot."""
    wide = drawn_of_anything(kind, ("one", "two", "a provider with a name that is long (k1=1.2, b=0.75)"))
    narrow = wide.narrowed()
    assert (narrow.alt, narrow.rows, narrow.spec["data"]) == (wide.alt, wide.rows, wide.spec["data"])
    legend = themed(narrow.spec)["config"]["legend"]
    assert (legend["orient"], legend["labelColor"]) == ("bottom", themed(wide.spec)["config"]["legend"]["labelColor"])
    assert float(ET.fromstring(to_svg(narrow)).attrib["width"]) <= 480
    assert_compiles_quietly(themed(narrow.spec), capfd)
