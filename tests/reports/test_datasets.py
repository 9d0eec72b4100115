"""Benchmarks and formats as people read them."""

import json

import pytest
from assay.reports.text_layout import Style

from assay import Document, Query, RelevanceJudgment, Span
from assay.datasets import BenchmarkDataset
from assay.datasets.dataset import PARTS, Repair
from assay.datasets.format import Format
from assay.reports.sections.catalog import MAX_REPAIRS, datasets_to_dict, render_datasets, render_statistics
from assay.text import display_width

FORMATS = {
    "beir": Format("beir", "a folder of files", None, None, write=print),
    "locomo": Format("locomo", "long conversations with questions", None, None),
}


@pytest.fixture
def dataset():
    made = BenchmarkDataset("Cats", "1.0", {"description": "All about cats"}, format="json")
    made.add_query(Query("q1", "How long?", "factual", expected="12 hours", scope="g", evidence=["d1"]))
    made.add_query(Query("q2", "Why?", "causal"))
    made.add_document(Document("d1", "Cats sleep", group="g"))
    made.add_judgment(RelevanceJudgment("q1", "d1", 3))
    made.add_judgment(RelevanceJudgment("q1", "d2", 0.5))
    made.spans["q1"] = [Span("d1", 0, 4)]
    return made


def content(dataset):
    return {**dataset.get_statistics(), "fingerprints": {part: dataset.fingerprint(part) for part in PARTS}}


def shown(dataset, style=Style()):  # noqa: B008
    return render_statistics(content(dataset), dataset.repairs, style)


def test_benchmarks_and_formats(dataset):
    assert render_datasets({"cats": dataset}, FORMATS, Style()) == (
        "  benchmark   size                    about\n"
        "  cats        2 queries, 1 document   All about cats\n"
        "\n"
        "  format                 what it is\n"
        "  beir     read, write   a folder of files\n"
        "  locomo   read          long conversations with questions\n"
    )


def test_the_same_as_plain_values(dataset):
    found = datasets_to_dict({"cats": dataset}, FORMATS)
    assert found == {
        "benchmarks": {"cats": {"version": "1.0", "queries": 2, "documents": 1}},
        "formats": {
            "beir": {"meaning": "a folder of files", "can_write": True},
            "locomo": {"meaning": "long conversations with questions", "can_write": False},
        },
    }
    assert json.loads(json.dumps(found)) == found


def test_statistics(dataset):
    prints = " · ".join(f"{part} {dataset.fingerprint(part)}" for part in PARTS)
    assert shown(dataset) == (
        "Cats 1.0 (format json)\n"
        "  queries                 2, 1 of them judged\n"
        "  documents               1\n"
        "  judgments               2 (2.0 per judged query), 2 relevant\n"
        "  grades                  0.5: 1, 3: 1\n"
        "  tag query_type          causal 1, factual 1\n"
        "  scopes                  1\n"
        "  expected answers        1\n"
        "  queries with evidence   1\n"
        "  spans                   1\n"
        f"  fingerprints            {prints}\n"
    )


def test_what_is_not_there_is_not_shown():
    text = shown(BenchmarkDataset("Empty", queries={"q": Query("q")}))
    assert [line.split()[0] for line in text.splitlines()[1:]] == [
        "queries",
        "documents",
        "judgments",
        "grades",
        "fingerprints",
    ]
    assert "grades         none" in text


@pytest.mark.parametrize("count", [1, MAX_REPAIRS, MAX_REPAIRS + 5])
def test_repairs_are_listed_the_first_of_many(dataset, count):
    dataset.repairs += [Repair(f"a.json:{number}", "mended", is_loss=number == 0) for number in range(count)]
    lines = shown(dataset).splitlines()
    at = lines.index(f"{count} repair{'s' if count > 1 else ''} while reading:")
    assert lines[at + 1] == "  a.json:0: mended (lost)"
    assert len(lines) - at - 1 == min(count, MAX_REPAIRS) + (count > MAX_REPAIRS)
    if count > MAX_REPAIRS:
        assert lines[-1] == "  … and 5 more"


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_lines_fit_the_terminal(dataset, width):
    dataset.add_query(Query("q3", query_type="a very long type of query " * 5))
    dataset.repairs.append(Repair("a.json:7", "something that takes a good many words to describe, and then some more"))
    for text in (shown(dataset, Style(width)), render_datasets({"cats": dataset}, FORMATS, Style(width))):
        assert max(map(display_width, text.splitlines())) <= width


def test_hostile_text_is_written_out(dataset):
    dataset.name = "\x1b[31mCats\n"
    dataset.add_query(Query("q3", query_type="\x1b]0;x\x07"))
    dataset.repairs.append(Repair("\x1b[2J", "\x9b1m"))
    text = shown(dataset)
    assert "\x1b" not in text
    assert "\x9b" not in text
    assert "\\x1b[31mCats\\n 1.0" in text


def test_hostile_descriptions_are_written_out(dataset):
    dataset.metadata["description"] = "\x1b[31mred"
    assert "\x1b" not in render_datasets({"cats": dataset}, {}, Style())
