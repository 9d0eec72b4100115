"""Markdown tables, checked with a real Markdown parser."""

import pytest
from markdown_it import MarkdownIt

import assay

from ._results import HOSTILE, NINE, POOR, banded, hostile_results, is_printable, pair, rendered, result

GITHUB = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def test_two_runs():
    assert rendered("markdown", pair()) == (
        "2 judged queries · level: grade \\> 0 · ties: docid\\_desc\n"
        "\n"
        "| run | map | mrr | num\\_q | rbp\\_residual(p=0.5) |\n"
        "| --- | ---: | ---: | ---: | ---: |\n"
        "| good | **1.0000** | **1.0000** | 2 | **0.3750** |\n"
        "| poor | 0.1250 | 0.2500 | 2 | 0.6250 |\n"
        "\n"
        "- poor: 1 query missing from the run, scored as an empty ranking (q2).\n"
    )


def test_queries_then_summary():
    assert rendered("markdown", [result("poor", POOR, ["map", "relstring"])], per_query=True, digits=2) == (
        "2 judged queries · level: grade \\> 0 · ties: docid\\_desc\n"
        "\n"
        "**poor**\n"
        "\n"
        "| query | map | relstring@10 |\n"
        "| --- | ---: | ---: |\n"
        "| q1 | 0.25 | 02 |\n"
        "| q2 | 0.00 |  |\n"
        "\n"
        "| run | map |\n"
        "| --- | ---: |\n"
        "| poor | 0.12 |\n"
        "\n"
        "- poor: 1 query missing from the run, scored as an empty ranking (q2).\n"
    )


def test_many_metrics_go_down_the_page():
    lines = rendered("markdown", pair(NINE)).splitlines()
    assert lines[2:5] == ["| metric | good | poor |", "| --- | ---: | ---: |", "| map | **1.0000** | 0.1250 |"]
    assert lines[-3] == "| rbp\\_residual(p=0.5) | **0.3750** | 0.6250 |"


def test_nothing_scored():
    assert "| r | – |" in rendered("markdown", [result("r", POOR, ["map"], rel=9, no_relevant="skip")])


@pytest.mark.parametrize("text", [text for text in HOSTILE if is_printable(text) and "\n" not in text])
def test_a_reader_sees_names_and_ids_exactly_as_they_are(text):
    scored = assay.evaluate({text: {"d": 1}, "q": {"d": 1}}, {"q": {"d": 1.0}}, "map", name=text)
    source = rendered("markdown", [scored], per_query=True)
    heading, *cells = seen(source)[1:]
    assert heading == text
    assert cells[:-1] == ["query", "map", text, "0.0000", "q", "1.0000", "run", "map", text, "0.5000"]
    assert cells[-1] == f"{text}: 1 query missing from the run, scored as an empty ranking ({text})."


@pytest.mark.parametrize("per_query", [False, True])
def test_hostile_text_breaks_no_table(per_query):
    results = hostile_results()
    source = rendered("markdown", results, per_query=per_query)
    tokens = GITHUB.parse(source)
    assert not [token for token in tokens if token.type == "html_block"]
    n_queries = len(HOSTILE) * (len(HOSTILE) + 1) if per_query else 0
    rows = [token for token in tokens if token.type == "tr_open"]
    assert len(rows) == n_queries + len(HOSTILE) + 1
    assert sum(token.type == "td_open" for token in tokens) == 3 * (len(rows) - 1 - per_query * len(HOSTILE))
    assert sum(token.type == "list_item_open" for token in tokens) == len(HOSTILE)


def seen(source):
    """What each heading, cell and item says once it is set; anything but plain and bold text is shown as its kind."""
    kinds = {"text", "text_special", "strong_open", "strong_close"}
    return [
        "".join(part.content if part.type in kinds else f"<{part.type}>" for part in token.children)
        for token in GITHUB.parse(source)
        if token.type == "inline"
    ]


def test_bands():
    assert rendered("markdown", banded()).splitlines()[2:6] == [
        "| run | mrr | mrr ties: min – mean – max | mrr unjudged: min – max |",
        "| --- | ---: | ---: | ---: |",
        "| tied | 0.2500 | 0.2500 – 0.5208 – 1.0000 | 0.2500 – 1.0000 |",
        "| clear | **0.5000** | 0.5000 – 0.5000 – 0.5000 | 0.5000 – 1.0000 |",
    ]
