"""Charts as files."""

import builtins
import struct

import pytest

from assay.charts import draw
from assay.charts.chart import Drawing
from assay.charts.rendering import render, require, to_svg
from assay.charts.spec import ON_DARK, themed
from assay.errors import UnknownName, UsageError

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
    assert 'fill="#ffffff"' in to_svg(bars)
    dark = to_svg(bars, "dark")
    assert 'fill="#15181b"' in dark
    assert "#0072b2" not in dark
    assert ON_DARK["#0072b2"] in dark
    page = to_svg(bars, "page")
    assert "currentColor" in page
    assert 'fill="#ffffff"' not in page


def test_data_keep_their_colours_in_every_theme():
    """A system may be called like a colour."""
    drawing = draw("bars", [result_of("#0072b2", mrr=[1, 0.5])])
    assert themed(drawing.spec, "dark")["data"] == drawing.spec["data"]


def test_size(bars):
    assert 'width="300"' not in to_svg(bars)
    sized = bars.sized(300, 200).spec
    assert (sized["width"], sized["height"]) == (300, 200)
    assert bars.sized().spec == bars.spec
    assert bars.sized(height=90).spec["width"] == bars.spec["width"]


def test_a_long_title_has_several_lines():
    drawing = draw("bars", [result_of("one", mrr=[1, 0.5])], title="word " * 40)
    lines = drawing.spec["title"]["text"]
    assert len(lines) == 4
    assert max(map(len, lines)) <= 64


def test_formulas_are_no_formulas_in_a_spreadsheet():
    rows = ({"name": "=1+1", "value": -1.5}, {"name": "@x", "value": None}, {"name": "-x", "value": 2})
    text = render(Drawing({}, "", "", rows), "csv").decode()
    assert text.splitlines() == ["name,value", "'=1+1,-1.5", "'@x,", "'-x,2"]


def test_unknown_formats_and_themes(bars):
    with pytest.raises(UnknownName, match=r"no format of charts is called 'pgn'. Did you mean png"):
        render(bars, "pgn")
    with pytest.raises(UnknownName, match=r"no theme is called 'drak'\. Did you mean dark"):
        render(bars, "svg", "drak")


def test_without_the_package(bars, monkeypatch):
    real = builtins.__import__

    def no_vl_convert(name, *rest, **more):
        if name == "vl_convert":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", no_vl_convert)
    for kind in ("svg", "png", "pdf"):
        with pytest.raises(UsageError, match=r"charts need vl-convert-python: pip install 'assay\[report\]'"):
            render(bars, kind)
        with pytest.raises(UsageError, match="vl-convert-python"):
            require(kind)
    assert render(bars, "json")
    assert render(bars, "csv")
    require("csv")
