"""Slices of a page: figures worked out by hand, tints by difference, tags chosen with care."""

from dataclasses import replace

import pytest

import assay
from assay.reports.page.slices import slices_section
from assay.reports.page.subject import BenchmarkReport
from assay.reports.table import tint

from ._pages import base, many, two


def by_hand(section):
    return {row[0].text: [field.text for field in row[1:]] for row in section.parts[0].rows}


def test_two_systems_by_hand():
    found = by_hand(slices_section(two(by=("difficulty",))))
    easy, hard = found["easy"], found["hard"]
    assert easy[:4] == ["4", "0.688", "0.875", "+0.188"]
    assert hard[:4] == ["4", "0.375", "0.375", "+0.000"]
    assert all(0 <= float(row[4]) <= 1 for row in found.values())


def test_one_system_is_tinted_by_its_own_figure_over_all():
    section = slices_section(BenchmarkReport((base(),), by=("difficulty",)))
    easy, hard = section.parts[0].rows
    assert (easy[2].text, easy[2].tone) == ("0.688", "heat-p5")
    assert (hard[2].text, hard[2].tone) == ("0.375", "heat-m5")


def test_many_systems_are_tinted_by_the_difference_from_the_first():
    section = slices_section(many())
    easy, hard = section.parts[0].rows
    assert [field.tone for field in easy[2:]] == ["", "heat-p2", "heat-p3"]
    assert [field.text for field in hard[2:]] == ["0.375", "0.375", "1.000"]


def test_tags_are_found_unless_they_are_asked_for():
    assert "difficulty" in two().tags
    assert two(by=("length",)).tags == ("length",)
    with pytest.raises(assay.UnknownName, match="no tag is called 'colour'"):
        slices_section(two(by=("colour",)))


@pytest.mark.parametrize(
    ("value", "strongest", "expected"),
    [
        (0.1, 0.1, "heat-p5"),
        (-0.1, 0.1, "heat-m5"),
        (0.02, 0.1, "heat-p1"),
        (0.0200001, 0.1, "heat-p2"),
        (0.0, 0.1, ""),
        (float("nan"), 0.1, ""),
        (0.3, 0.1, "heat-p5"),
    ],
)
def test_tints(value, strongest, expected):
    assert tint(value, strongest) == expected


def test_tags_are_called_as_the_format_of_the_benchmark_calls_them():
    """Whoever wrote `category` into a file of HPO cases looks for that word, as `--by category` has it."""
    kinds = {query: replace(one, query_type="exact" if query < "q5" else "synonym") for query, one in base().queries.items()}
    hpo = {"dataset": {"name": "hpo-en", "format": "hpo_cases"}}
    result = base().with_fields(queries=kinds, provenance=hpo)
    assert "category" in BenchmarkReport((result,)).tags
    titles = [part.title for part in slices_section(BenchmarkReport((result,))).parts if hasattr(part, "columns")]
    assert "By category" in titles
    assert "query_type" in BenchmarkReport((result.with_fields(provenance={}),)).tags
    own = {query: replace(one, metadata={"category": one.query_type}) for query, one in kinds.items()}
    assert {"query_type", "category"} <= set(BenchmarkReport((result.with_fields(queries=own),)).tags)
