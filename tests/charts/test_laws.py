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


def test_there_are_the_ten_kinds():
    assert [
        *("bars", "by_k", "critical_difference", "difference_histogram", "heat_map"),
        *("history", "paired_scatter", "pareto", "precision_recall", "slices"),
    ] == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_drawn_and_explained(kind):
    chart, drawing = all_charts()[kind], drawn_of_anything(kind)
    svg = to_svg(drawing)
    assert chart.name == kind
    assert chart.meaning
    assert chart.edge_cases
    assert drawing.title in texts(svg)
    assert ET.fromstring(svg).attrib["aria-label"] == drawing.alt == drawing.spec["description"]
    assert ET.fromstring(svg).attrib["role"] == "img"
    assert "one" in drawing.alt
    assert re.search(r"\d", drawing.alt)
    assert drawing.note in drawing.alt
    assert drawing.rows


@pytest.mark.parametrize("kind", KINDS)
def test_the_compiler_has_nothing_to_complain_about(kind, capfd):
    import vl_convert

    for theme in ("light", "dark", "page"):
        vl_convert.vegalite_to_vega(themed(drawn_of_anything(kind).spec, theme), show_warnings=True)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_do_no_harm(kind):
    names = (HOSTILE, f"{HOSTILE}2", '<img src=x onerror="alert(1)">')
    drawing = drawn_of_anything(kind, names, title=HOSTILE)
    svg = to_svg(drawing)
    tags = {one.tag.partition("}")[2] for one in ET.fromstring(svg).iter()}
    assert tags <= {"svg", "rect", "g", "path", "text", "line", "tspan", "defs", "clipPath"}
    assert not {"\x1b", "\x00", "\ufffe", "\u202e"} & set(svg)
    for text in (svg, str(drawing.spec["title"]["text"]), drawing.alt):
        assert "\\x1b" in text.replace("\\\\", "\\")
    links = [value for one in ET.fromstring(svg).iter() for name, value in one.attrib.items() if "href" in name]
    assert links == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("names", [("\\", '\\" + (1 / 0) + \\"', "\\x41"), ("${datum}", "{{x}}", "'")])
def test_names_are_no_formulas(kind, names):
    """Vega-Lite copies titles into formulas without minding backslashes."""
    drawing = drawn_of_anything(kind, names)
    svg = to_svg(drawing)
    assert "Infinity" not in svg
    assert "A:" not in svg
    assert "NaN" not in svg
    assert names[0] in drawing.alt


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_fetched(kind):
    drawing = drawn_of_anything(kind)
    inside = json.dumps({**drawing.spec, "$schema": ""})
    assert "//" not in inside
    assert '"url"' not in inside
    assert set(re.findall(r"https?://[^\"]*", to_svg(drawing))) == NAMESPACES


@pytest.mark.parametrize("kind", KINDS)
def test_names_that_begin_alike_are_told_apart(kind):
    """All but the last letters are the same."""
    names = tuple(f"hybrid({'bm25, ' * 20}{last})" for last in ("dense", "colbert", "splade"))
    drawing = drawn_of_anything(kind, names)
    shown = {row[name] for row in drawing.rows for name in ("system", "series") if name in row}
    n_results = all_charts()[kind].n_results[1] or 3
    assert len(shown) in (0, n_results)
    for last in ("dense", "colbert", "splade")[:n_results]:
        assert last in f"{shown} {drawing.alt}"


@pytest.mark.parametrize("kind", KINDS)
def test_as_data(kind):
    drawing = drawn_of_anything(kind)
    spec = json.loads(render(drawing, "json"))
    assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
    json.dumps(spec, allow_nan=False)
    rows = list(csv.DictReader(io.StringIO(render(drawing, "csv").decode())))
    assert len(rows) == len(drawing.rows)
    assert list(rows[0]) == list(drawing.rows[0])


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_twice(kind):
    assert drawn_of_anything(kind) == drawn_of_anything(kind)
    assert to_svg(drawn_of_anything(kind)) == to_svg(drawn_of_anything(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_it_can_be_drawn_for_a_phone(kind, capfd):
    """As wide as a phone at most, with the same words and data, and what colours mean below the plot."""
    import vl_convert

    wide = drawn_of_anything(kind, ("one", "two", "a provider with a name that is long (k1=1.2, b=0.75)"))
    narrow = wide.narrowed()
    assert (narrow.alt, narrow.rows, narrow.spec["data"]) == (wide.alt, wide.rows, wide.spec["data"])
    assert themed(narrow.spec)["config"]["legend"]["orient"] == "bottom"
    assert themed(narrow.spec)["config"]["legend"]["labelColor"] == themed(wide.spec)["config"]["legend"]["labelColor"]
    root = ET.fromstring(to_svg(narrow))
    assert float(root.attrib["width"]) <= 480
    assert float(root.attrib["width"]) <= float(ET.fromstring(to_svg(wide)).attrib["width"])
    vl_convert.vegalite_to_vega(themed(narrow.spec), show_warnings=True)
    assert capfd.readouterr().err == ""
