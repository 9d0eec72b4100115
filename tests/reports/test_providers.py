"""Providers as people read them."""

from dataclasses import replace

import pytest
from assay.reports.text_layout import Style

from assay.datasets.dataset import BenchmarkDataset
from assay.execution.responses import Response
from assay.execution.runner import Part
from assay.grammar import REQUIRED, Param
from assay.model.records import Document, Query
from assay.providers.provider import BoundProvider, Provider
from assay.reports.sections.catalog import CheckReport, describe_check, describe_provider, render_provider, render_providers
from assay.text import display_width

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


QUERIES = {"q1": Query("q1", "what\x1b[31m" + "?" * 60), "q2": Query("q2")}
PART = Part(
    replace(BenchmarkDataset("small"), queries=QUERIES, documents={"d0": Document("d0"), "d1": Document("d1")}),
    BoundProvider(SERVICE, {"url": "x", "depth": 3, "more": ""}),
    QUERIES,
    7,
)


def check(*answers, style=STYLE):
    report = CheckReport(PART, style)
    rows = "\n".join(map(report.row, answers))
    return f"{report.head()}{rows}\n{report.verdict({answer.query: answer for answer in answers})}"


def test_a_check_shows_what_came_back():
    text = check(Response("q1", [f"d{n}" for n in range(7)], [1.0] * 7, 12.4), Response("q2", error="down\n"))
    first, _, head, found, failed, _, verdict = text.splitlines()
    assert first == "service(url=x) on small, k = 7"
    assert head.split() == ["query", "hits", "time", "first", "hits"]
    assert found.endswith("   7    12.4 ms   d0 d1 d2 d3 d4 …")
    assert failed.split() == ["q2", "–", "–", "failed:", "down\\n"]
    assert verdict == "service(url=x) fails on 1 of 2 queries."
    assert "\x1b" not in text
    assert max(map(display_width, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("docs", "verdict"),
    [
        (["d1", "d0"], "service(url=x) answers."),
        ([], "service(url=x) answers, but found nothing for any query."),
        (["x"], "service(url=x) answers, but none of its ids is a document of the benchmark: it returns x, there are d0 …"),
        (["d1", "x"], "service(url=x) answers, but 1 of 2 ids are no documents of the benchmark: x"),
    ],
)
def test_a_verdict(docs, verdict):
    assert check(Response("q1", docs, [1.0] * len(docs)), style=Style()).splitlines()[-1] == verdict


def test_a_check_as_plain_values():
    answer = Response("q1", ["d1", "x"], [2.0, 1.0], 3.0)
    assert describe_check(PART, {"q1": answer}) == {
        "q1": {"docs": ["d1", "x"], "scores": [2.0, 1.0], "ms": 3.0, "error": None, "unknown": ["x"]}
    }
