"""Providers, benchmarks and the findings of a check, as a terminal shows them and as JSON."""

import json
import re

from assay.datasets import PARTS, BenchmarkDataset, Repair, all_formats, check_dataset, load_dataset
from assay.execution import Part, Response
from assay.grammar import REQUIRED, Param
from assay.model import Document, Query
from assay.providers import BoundProvider, Provider
from assay.reports import (
    CheckReport,
    Style,
    dataset_list_sections,
    datasets_to_dict,
    describe_check,
    describe_provider,
    finding_sections,
    findings_to_dict,
    provider_list_sections,
    provider_sections,
    render_sections,
    statistics_sections,
)
from assay.text import display_width

from ._results import HOSTILE, controls

STYLE = re.compile(r"\x1b\[[0-9;]*m")
PARAMS = (
    Param("url", str, REQUIRED, "where it is"),
    Param("depth", int, 3, "how deep"),
    Param("more", str, "", "what else"),
)
SERVICE = Provider("service", "asks a service", dict, PARAMS, indexes=False)
PARTED = Provider("parted", "is made of others", dict, takes_parts=True, default_parts=("a", "b"))


def shown(sections, width=80, colour=False):
    return render_sections(sections, "table", Style(width, colour))


def faulty(name="my-beir", query="q2", doc="d9"):
    queries = {"q1": Query("q1", "one"), query: Query(query, "")}
    documents = {f"d{n}": Document(f"d{n}", f"text {n}") for n in range(7)} | {f"e{n}": Document(f"e{n}") for n in range(8)}
    return BenchmarkDataset(name, queries=queries, documents=documents, qrels={"q1": {"d1": 1, doc: 1}, query: {"d2": 0}})


def findings(dataset, **how):
    return shown(finding_sections(check_dataset(dataset), dataset), **how)


def statistics(dataset, repairs=()):
    content = {**dataset.get_statistics(), "fingerprints": {part: dataset.fingerprint(part) for part in PARTS}}
    return shown(statistics_sections(content, repairs))


def test_catalogs_at_a_terminal(snapshots):
    fine = BenchmarkDataset("fine", queries={"q": Query("q", "one")}, qrels={"q": {"d": 1}})
    fine.add_document(Document("d", "two"))
    repairs = [Repair(f"line {n}", "what was odd", is_loss=n == 1) for n in range(12)]
    few = {name: all_formats()[name] for name in ("beir", "trec")}
    cases = {
        "providers": shown(provider_list_sections({"service": SERVICE, "parted": PARTED})),
        "a provider": shown(provider_sections(SERVICE)),
        "a provider of others": shown(provider_sections(PARTED)),
        "benchmarks": shown(dataset_list_sections({"rag-template": load_dataset("rag-template")}, few)),
        "statistics": statistics(faulty(), repairs),
        "statistics of a benchmark": statistics(load_dataset("rag-template")),
        "findings": findings(faulty()),
        "nothing wrong": findings(fine),
    }
    snapshots.check("reports/catalogs", "".join(f"## {name}\n{text}\n" for name, text in cases.items()))


def test_findings_as_json_and_in_any_width():
    dataset = faulty()
    content = findings_to_dict(check_dataset(dataset), dataset)
    assert json.loads(json.dumps(content)) == content
    assert (content["dataset"], content["num_errors"], content["num_warnings"]) == ("my-beir", 2, 2)
    (finding,) = [one for one in content["findings"] if one["code"] == "relevant-not-in-corpus"]
    assert finding["cases"] == [{"place": "judgment q1/d9", "found": "grade 1", "query": "q1", "document": "d9"}]
    for width in (20, 40, 80):
        coloured = findings(faulty(), width=width, colour=True)
        assert max(map(display_width, STYLE.sub("", coloured).split("\n"))) <= width
        assert STYLE.sub("", coloured) == findings(faulty(), width=width)
    for text in (*HOSTILE, "\ud800"):
        text_shown = findings(faulty(text, text, text))
        assert not controls(text_shown), text
        text_shown.encode()


def test_plain_values(tmp_path):
    plain = describe_provider(SERVICE)
    assert plain["indexes_documents"] is False
    assert plain["parameters"][:2] == [
        {"name": "url", "default": None, "needed": True, "meaning": "where it is"},
        {"name": "depth", "default": 3, "needed": False, "meaning": "how deep"},
    ]
    content = datasets_to_dict({"small": faulty()}, {"beir": all_formats()["beir"]})
    assert (content["benchmarks"]["small"]["documents"], content["formats"]["beir"]["can_write"]) == (15, True)
    (tmp_path / "corpus.jsonl").write_text("no JSON\n")
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "one"}\n')
    dataset = load_dataset(tmp_path, "beir")
    assert "(1 query, unreadable documents)." in findings(dataset)
    assert findings_to_dict(check_dataset(dataset), dataset)["num_documents"] is None


QUERIES = {"q1": Query("q1", "what\x1b[31m" + "?" * 60), "q2": Query("q2")}
PART = Part(
    BenchmarkDataset("small", queries=QUERIES, documents={"d0": Document("d0"), "d1": Document("d1")}),
    BoundProvider(SERVICE, {"url": "x", "depth": 3, "more": ""}),
    QUERIES,
    7,
)


def check(*answers):
    report = CheckReport(PART, Style(80))
    rows = "\n".join(map(report.row, answers))
    return f"{report.head()}{rows}\n{report.verdict({answer.query: answer for answer in answers})}"


def test_a_check_shows_what_came_back(snapshots):
    cases = {
        "hits and a failure": (Response("q1", [f"d{n}" for n in range(7)], [1.0] * 7, 12.4), Response("q2", error="down\n")),
        "fine": (Response("q1", ["d1", "d0"], [1.0] * 2),),
        "nothing": (Response("q1", [], []),),
        "strange ids": (Response("q1", ["x"], [1.0]),),
        "some strange ids": (Response("q1", ["d1", "x"], [1.0] * 2),),
    }
    text = "".join(f"## {name}\n{check(*answers)}\n" for name, answers in cases.items())
    assert max(map(display_width, text.splitlines())) <= 80
    snapshots.check("reports/provider_check", text)
    assert describe_check(PART, {"q1": Response("q1", ["d1", "x"], [2.0, 1.0], 3.0)}) == {
        "q1": {"docs": ["d1", "x"], "scores": [2.0, 1.0], "ms": 3.0, "error": None, "unknown": ["x"]}
    }
