"""Providers as people read them."""

from assay.evaluation.answers import Answer
from assay.grammar import REQUIRED, Param
from assay.model.records import Query
from assay.providers._provider import Provider
from assay.reports._layout import Style
from assay.reports._providers import describe_provider, render_check, render_provider, render_providers

STYLE = Style(80, False)
PARAMS = (
    Param("url", str, REQUIRED, "where it is"),
    Param("depth", int, 3, "how deep"),
    Param("more", str, "", "what else"),
)
SERVICE = Provider("service", "asks a service", dict, PARAMS, indexes=False)
PARTED = Provider("parted", "is made of others", dict, takes_parts=True, default_parts=("a", "b"))


def test_all_of_them_one_line_each():
    text = render_providers({"service": SERVICE, "parted": PARTED}, STYLE)
    assert "service" in text
    assert "is made of others" in text


def test_one_with_its_parameters():
    text = render_provider(SERVICE, STYLE)
    lines = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert text.startswith("service: asks a service\n")
    assert "needed" in lines["url"]
    assert "3" in lines["depth"]
    assert "made of other" not in text


def test_one_that_is_made_of_others():
    assert "made of other providers: parted(a, b)" in render_provider(PARTED, STYLE)


def test_plain_values():
    plain = describe_provider(SERVICE)
    assert plain["indexes_documents"] is False
    assert plain["parameters"][:2] == [
        {"name": "url", "default": None, "needed": True, "meaning": "where it is"},
        {"name": "depth", "default": 3, "needed": False, "meaning": "how deep"},
    ]


QUERIES = {"q1": Query("q1", "what\x1b[31m"), "q2": Query("q2")}


def test_a_check_shows_what_came_back():
    answers = {"q1": Answer("q1", [f"d{n}" for n in range(7)], [1.0] * 7, 12.4), "q2": Answer("q2", error="down\n")}
    text = render_check("mine", QUERIES, answers, {"d0"}, STYLE)
    assert text.startswith("mine fails on 1 of 2 queries\n")
    assert "d0, d1, d2, d3, d4 … (12 ms)" in text
    assert "q2: down" in text
    assert "\x1b" not in text
    assert "none of these ids" not in text


def test_a_check_tells_of_ids_nobody_knows():
    text = render_check("mine", QUERIES, {"q1": Answer("q1", ["x"], [1.0])}, {"d0"}, STYLE)
    assert text.startswith("mine answers\n")
    assert "none of these ids is a document of the benchmark: x\n" in text
