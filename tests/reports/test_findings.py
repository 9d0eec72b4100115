"""What the preflight says: the answer first, every place printable, every line as wide as the terminal."""

import json
import re

import pytest
from assay.reports.text_layout import Style
from rich.cells import cell_len

from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.preflight.check import check_dataset
from assay.model.records import Document, Query
from assay.reports.sections.catalog import findings_to_dict, render_findings

from ._results import HOSTILE, controls

STYLE = re.compile(r"\x1b\[[0-9;]*m")


def faulty(name="my-beir", query="q2", doc="d9"):
    queries = {"q1": Query("q1", "one"), query: Query(query, "")}
    documents = {f"d{n}": Document(f"d{n}", f"text {n}") for n in range(7)} | {f"e{n}": Document(f"e{n}") for n in range(8)}
    return BenchmarkDataset(name, queries=queries, documents=documents, qrels={"q1": {"d1": 1, doc: 1}, query: {"d2": 0}})


def said(dataset, width=None, colour=False):
    return render_findings(check_dataset(dataset), dataset, Style(width, colour))


def test_the_answer_comes_first_then_errors_then_warnings():
    text = said(faulty())
    assert text.startswith(
        "2 errors, 2 warnings in my-beir (2 queries, 15 documents).\n\nerror: empty-query: 1 query without text\n"
    )
    kinds = re.findall("^(error|warning): ", text, re.MULTILINE)
    assert kinds == ["error", "error", "warning", "warning"]


def test_each_finding_has_places_and_advice():
    part = next(part for part in said(faulty()).split("\n\n") if "relevant-not-in-corpus" in part)
    assert part == (
        "error: relevant-not-in-corpus: 1 of 3 judgments: the document is relevant, and not in the corpus\n"
        "  judgment q1/d9: grade 1\n"
        "  → add the documents or remove the judgments: what is not there cannot be found"
    )


def test_five_places_are_shown_and_the_rest_is_counted():
    part = next(part for part in said(faulty()).split("\n\n") if "empty-document" in part)
    assert part.count("  document e") == 5
    assert "  … and 3 more\n" in part
    assert said(faulty()).endswith("More places: --format json\n")


def test_nothing_wrong_is_said_so():
    dataset = BenchmarkDataset("fine", queries={"q": Query("q", "one")}, qrels={"q": {"d": 1}})
    assert said(dataset) == "Nothing wrong in fine (1 query, 0 documents).\n"


def test_documents_that_cannot_be_read_are_no_number(tmp_path):
    from assay.datasets.formats.beir import read_beir

    (tmp_path / "corpus.jsonl").write_text("no JSON\n")
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "one"}\n')
    dataset = read_beir(tmp_path)
    assert "(1 query, unreadable documents)." in said(dataset)
    assert findings_to_dict(check_dataset(dataset), dataset)["num_documents"] is None


def test_json_has_everything():
    dataset = faulty()
    content = findings_to_dict(check_dataset(dataset), dataset)
    assert json.loads(json.dumps(content)) == content
    assert (content["dataset"], content["num_errors"], content["num_warnings"]) == ("my-beir", 2, 2)
    finding = next(one for one in content["findings"] if one["code"] == "relevant-not-in-corpus")
    assert finding == {
        "code": "relevant-not-in-corpus",
        "severity": "error",
        "message": "1 of 3 judgments: the document is relevant, and not in the corpus",
        "count": 1,
        "cases": [{"place": "judgment q1/d9", "found": "grade 1", "query": "q1", "document": "d9"}],
        "advice": "add the documents or remove the judgments: what is not there cannot be found",
    }


@pytest.mark.parametrize("width", [20, 40, 80])
def test_lines_fit_the_terminal(width):
    assert all(cell_len(STYLE.sub("", line)) <= width for line in said(faulty(), width, colour=True).split("\n"))


def test_colour_says_nothing_that_words_do_not():
    assert STYLE.sub("", said(faulty(), 80, colour=True)) == said(faulty(), 80)


@pytest.mark.parametrize("text", [*HOSTILE, "\ud800"])
def test_hostile_text_does_no_harm(text):
    shown = said(faulty(text, text, text))
    assert not controls(shown)
    shown.encode()
