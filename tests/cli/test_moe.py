"""assay moe: figures, slices, formats, and results that go on to compare and gate."""

import json
from pathlib import Path

import pytest

from ._write import json_lines

ROUTES = [
    {"query_id": "q1", "route": "code", "optimal_expert": "code", "gated": False, "needs_retrieval": True, "language": "en"},
    {
        "query_id": "q2",
        "route": ["chat", "code"],
        "optimal_expert": "code",
        "gated": False,
        "needs_retrieval": True,
        "language": "de",
    },
    {"query_id": "q3", "optimal_expert": "chat", "gated": True, "needs_retrieval": False, "language": "en"},
    {"query_id": "q4", "route": "law", "optimal_expert": "law", "gated": True, "needs_retrieval": True, "language": "de"},
]


@pytest.fixture(autouse=True)
def routes(tmp_path, monkeypatch):
    """The working directory with the decisions of one router, of one that sends everything to code, and others."""
    monkeypatch.chdir(tmp_path)
    json_lines("routes.jsonl", ROUTES)
    json_lines("lazy.jsonl", [{**row, "route": "code"} for row in ROUTES])
    json_lines("one.jsonl", ROUTES[:1])
    json_lines("other.jsonl", [{**row, "optimal_expert": "law"} for row in ROUTES])
    json_lines("broken.jsonl", [{"query_id": "q1", "gated": "maybe"}])


def test_figures_and_formats(transcript):
    transcript("moe/shown")


def test_json(assay):
    assert assay("moe", "routes.jsonl", "--ci").out == assay("moe", "routes.jsonl").out
    words = ("moe", "routes.jsonl", "--by", "optimal_expert", "-m", "routing_accuracy", "-f", "json")
    content = json.loads(assay(*words).out)
    assert {row["slice"]: row["value"] for row in content["slices"][0]["slices"]} == {"chat": None, "code": 0.5, "law": 1.0}
    content = json.loads(assay(*words, "--ci", "none").out)
    assert {row["method"] for row in content["slices"][0]["slices"]} == {"none"}
    assert "intervals" not in content["results"][0]


def test_results_go_on_to_compare_and_gate(assay):
    for name in ("routes", "lazy"):
        assert assay("moe", f"{name}.jsonl", "-o", f"{name}.json", "-o", f"{name}.md").code == 0
    assert Path("lazy.json").read_text() == assay("moe", "lazy.jsonl", "-f", "json").out
    words = ("-m", "routing_accuracy", "load_balance", "--by", "language")
    assert assay("compare", "routes.json", "lazy.json", *words).code == 0
    for rule, code in (("gate_efficiency >= 20", 0), ("wrongly_skipped <= 10", 1)):
        assert assay("gate", "routes.json", "--baseline", "lazy.json", "--rule", rule).code == code


def test_what_is_wrong(transcript):
    transcript("moe/refused")
