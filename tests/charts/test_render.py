"""Charts as files."""

import struct
import sys

import pytest

from assay.charts import Drawing, draw, render, require, themed, to_svg

from ._subjects import result_of


@pytest.fixture(scope="module")
def bars():
    return draw("bars", [result_of("one", mrr=[1, 0.5]), result_of("other", mrr=[0.5, 0.5])])


def test_what_files_begin_with(bars):
    assert render(bars, "svg").startswith(b"<svg ")
    assert render(bars, "pdf").startswith(b"%PDF-")
    assert render(bars, "json").startswith(b"{")
    assert render(bars, "csv").startswith(b"system,value,low,high\none,0.75,")
    png = render(bars, "png")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert width > 1_100 > height > 200


def test_themes(bars):
    dark, page = to_svg(bars, "dark"), to_svg(bars, "page")
    assert 'fill="#ffffff"' in to_svg(bars)
    assert ('fill="#15181b"' in dark, "#0072b2" in dark) == (True, False)
    assert ("currentColor" in page, 'fill="#ffffff"' in page) == (True, False)
    drawing = draw("bars", [result_of("#0072b2", mrr=[1, 0.5])])
    assert themed(drawing.spec, "dark")["data"] == drawing.spec["data"], "a system may be called like a colour"


def test_size_and_a_long_title(bars):
    sized = bars.sized(300, 200).spec
    assert (sized["width"], sized["height"]) == (300, 200)
    assert bars.sized().spec == bars.spec
    assert bars.sized(height=90).spec["width"] == bars.spec["width"]
    lines = draw("bars", [result_of("one", mrr=[1, 0.5])], title="word " * 40).spec["title"]["text"]
    assert (len(lines), max(map(len, lines)) <= 64) == (4, True)


def test_formulas_are_no_formulas_in_a_spreadsheet():
    rows = ({"name": "=1+1", "value": -1.5}, {"name": "@x", "value": None}, {"name": "-x", "value": 2})
    text = render(Drawing({}, "", "", rows), "csv").decode()
    assert text.splitlines() == ["name,value", "'=1+1,-1.5", "'@x,", "'-x,2"]


def test_what_cannot_be_rendered(bars, snapshots, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    cases = {
        "format": lambda: render(bars, "pgn"),
        "theme": lambda: render(bars, "svg", "drak"),
        "svg without the package": lambda: render(bars, "svg"),
        "pdf without the package": lambda: require("pdf"),
    }
    snapshots.check_errors("charts/rendering", cases)
    assert render(bars, "json")
    assert render(bars, "csv")
    require("csv")
