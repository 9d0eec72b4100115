"""Bands on the page: what ties and unjudged documents could change, beside the figures they are about."""

from __future__ import annotations

import pytest

import assay
from assay.reports.page.metrics import TITLE, bands_grid
from assay.reports.renderers.html import benchmark_reports

from ._html import parse
from ._results import banded, pair, rendered


def cells(grid):
    return [[field.text for field in row] for row in grid.rows]


def test_two_runs_by_hand():
    """Among four with one score the relevant document is 1st to 4th: 1, 1/2, 1/3, 1/4, mean 25/48; ids descending put it
    last. The other run has no ties: 1/2 is all there is, and 1 if the document before it were relevant.
    """
    (matter,) = benchmark_reports(banded())
    grid = bands_grid(matter)
    heads = ["metric", "system", "figure", "ties: min", "ties: mean", "ties: max", "unjudged: min", "unjudged: max"]
    assert [column.head for column in grid.columns] == heads
    assert cells(grid) == [
        ["mrr", "tied", "0.250", "0.250", "0.521", "1.000", "0.250", "1.000"],
        ["mrr", "clear", "0.500", "0.500", "0.500", "0.500", "0.500", "1.000"],
    ]
    assert grid.rows[0][4].sort == pytest.approx(25 / 48)
    assert grid.notes[0].startswith("Ties: the lowest, mean and highest figure")


def test_one_run_needs_no_name():
    (matter,) = benchmark_reports(banded()[:1])
    assert [column.head for column in bands_grid(matter).columns][:3] == ["metric", "figure", "ties: min"]


def test_only_what_was_asked_for():
    one = assay.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, ["mrr"], name="r", tie_band=True)
    (matter,) = benchmark_reports([one])
    assert [column.head for column in bands_grid(matter).columns] == [
        "metric",
        "figure",
        "ties: min",
        "ties: mean",
        "ties: max",
    ]
    assert cells(bands_grid(matter)) == [["mrr", "0.500", "0.500", "0.750", "1.000"]]


def test_no_bands_no_table():
    (matter,) = benchmark_reports(pair())
    assert bands_grid(matter) is None
    assert TITLE not in rendered("html", pair())


def test_a_run_without_bands_beside_one_that_has():
    """It has no row: nobody knows its ends."""
    tied, _ = banded()
    plain = assay.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["mrr"], name="plain")
    (matter,) = benchmark_reports([tied, plain])
    assert [row[1] for row in cells(bands_grid(matter))] == ["tied"]


def test_a_sampled_band_says_so():
    run = {f"d{number}": 1.0 for number in range(30)}
    one = assay.evaluate({"q": {"d1": 1, "d2": 2, "d3": 3}}, {"q": run}, ["err@10", "mrr"], name="r", tie_band=True)
    (matter,) = benchmark_reports([one])
    methods = {name: band.method for name, band in one.tie_bands.items()}
    for name, method in methods.items():
        assert any(name in note and method in note for note in bands_grid(matter).notes) is (method != "exact")


def test_they_are_on_the_page():
    tree = parse(rendered("html", banded(["mrr", "map"])))
    (table,) = [one for one in tree.one(id="metrics").all("table") if "ties: min" in one.text]
    assert [row[:2] for row in table.table()[1:]] == [["mrr", "tied"], ["mrr", "clear"], ["map", "tied"], ["map", "clear"]]
    assert TITLE in tree.one(id="metrics").text
