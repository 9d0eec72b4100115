"""assay moe, called in process: figures, slices, formats, and results that go on to compare and gate."""

import json
import re
from pathlib import Path

import pytest

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


@pytest.fixture
def routes(tmp_path, monkeypatch):
    """The working directory with the decisions of one router, and of one that sends everything to code."""
    monkeypatch.chdir(tmp_path)
    lazy = [{**row, "route": "code"} for row in ROUTES]
    for name, rows in {"routes.jsonl": ROUTES, "lazy.jsonl": lazy}.items():
        Path(name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return tmp_path


def test_the_figures_of_a_file(routes, assay):
    done = assay("moe", "routes.jsonl")
    assert done.code == 0
    assert "routing_accuracy" in done.out
    assert "0.667" in done.out
    assert "gate_efficiency" in done.out
    assert "25.000" in done.out


def test_slices_by_any_field(routes, assay):
    out = assay("moe", "routes.jsonl", "--by", "language", "-m", "routing_accuracy", "--ci", "none").out
    assert "routes by language" in out
    assert "de" in out
    assert "0.500" in out


def test_by_optimal_expert_is_the_recall_of_each(routes, assay):
    content = json.loads(assay("moe", "routes.jsonl", "--by", "optimal_expert", "-m", "routing_accuracy", "-f", "json").out)
    figures = {row["slice"]: row["value"] for row in content["slices"][0]["slices"]}
    assert figures == {"chat": None, "code": 0.5, "law": 1.0}


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
def test_formats(routes, assay, form):
    done = assay("moe", "routes.jsonl", "lazy.jsonl", "-f", form)
    assert done.code == 0
    assert "routing" in done.out.replace("\\", "")
    assert "lazy" in done.out


def test_queries_and_digits(routes, assay):
    out = assay("moe", "routes.jsonl", "-q", "--digits", "1", "-m", "gate_efficiency", "-f", "csv").out
    assert out.splitlines()[:3] == [
        "run,query,gate_efficiency,gate_efficiency_low,gate_efficiency_high",
        "routes,q1,0.0,,",
        "routes,q2,0.0,,",
    ]


def test_ci_alone_is_the_usual_one(routes, assay):
    assert assay("moe", "routes.jsonl", "--ci").out == assay("moe", "routes.jsonl").out
    assert "CI" not in assay("moe", "routes.jsonl", "--ci", "none").out


def test_results_go_on_to_compare_and_gate(routes, assay):
    for name in ("routes", "lazy"):
        assert assay("moe", f"{name}.jsonl", "-o", f"{name}.json", "-o", f"{name}.md").code == 0
    assert Path("lazy.json").read_text() == assay("moe", "lazy.jsonl", "-f", "json").out
    compared = assay("compare", "routes.json", "lazy.json", "-m", "routing_accuracy", "load_balance", "--by", "language")
    assert compared.code == 0
    assert "routing_accuracy" in compared.out
    assert "load_balance" in compared.out
    passed = assay("gate", "routes.json", "--baseline", "lazy.json", "--rule", "gate_efficiency >= 20")
    failed = assay("gate", "routes.json", "--baseline", "lazy.json", "--rule", "wrongly_skipped <= 10")
    assert (passed.code, failed.code) == (0, 1)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["nowhere.jsonl"], 3, "nowhere.jsonl: no such file"),
        (["routes.jsonl", "-m", "ndcg@10"], 2, "ndcg@10 does not read routes"),
        (["routes.jsonl", "-m", "routing_acuracy"], 2, "Did you mean routing_accuracy"),
        (["routes.jsonl", "--by", "colour"], 2, "no tag is called 'colour'"),
        (["-m", "gate_efficiency", "routes.jsonl"], 2, "Put files first"),
        (["--by", "routes.jsonl"], 2, "routes"),
        (["-", "-"], 2, "standard input (-) can be read once only"),
        (["broken.jsonl"], 3, "broken.jsonl:1: gated is true or false, not 'maybe'"),
        (["routes.jsonl", "-o", "new.run"], 2, "the ending tells the format; there are .json, .csv, .md, .tex, .txt"),
        (["routes.jsonl", "-o", "new.doc"], 2, "the ending tells the format"),
        (["routes.jsonl", "-f", "xml"], 2, "invalid choice"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_printed(routes, assay, arguments, code, says):
    Path("broken.jsonl").write_text('{"query_id": "q1", "gated": "maybe"}\n')
    done = assay("moe", *arguments)
    assert done.code == code
    assert says in done.err
    assert done.out == ""


def test_what_does_not_belong_together_is_said_to(routes, assay):
    Path("one.jsonl").write_text(json.dumps(ROUTES[0]))
    out = assay("moe", "routes.jsonl", "one.jsonl").out
    assert out.startswith("routes: 4 queries; one: 1 query\n")
    assert "routes and one are not about the same queries: their figures cannot be compared." in out
    other = [{**row, "optimal_expert": "law"} for row in ROUTES]
    Path("other.jsonl").write_text("\n".join(map(json.dumps, other)))
    out = assay("moe", "routes.jsonl", "other.jsonl").out
    assert "routes and other are held against different truths: their figures cannot be compared." in out
    assert "cannot be compared" not in assay("moe", "routes.jsonl", "lazy.jsonl").out


def test_slices_say_how_many_queries_a_figure_rests_on(routes, assay):
    out = assay("moe", "routes.jsonl", "--by", "language", "-m", "routing_accuracy").out
    assert re.search(r"en +2 +1\.000 \[.*\] \(of 1\)\n", out)
    assert re.search(r"de +2 +0\.500 \[.*\]\n", out)
    assert re.search(r"micro mean +4 +0\.667 \(of 3\)\n", out)


@pytest.mark.parametrize("form", ["table", "markdown", "csv", "json"])
def test_without_intervals_slices_have_none_either(routes, assay, form):
    given = ("moe", "routes.jsonl", "--by", "language", "-m", "routing_accuracy", "-f", form)
    out = assay(*given, "--ci", "none").out
    if form == "json":
        content = json.loads(out)
        assert {row["method"] for row in content["slices"][0]["slices"]} == {"none"}
        assert "intervals" not in content["results"][0]
        return
    assert "[" not in out
    assert form == "csv" or "[" in assay(*given).out


def test_scores_of_queries_are_on_the_scale_of_the_figure(routes, assay):
    out = assay("moe", "routes.jsonl", "-q", "-m", "gate_efficiency", "load_balance", "--ci", "none").out
    lines = [line.split() for line in out.splitlines()]
    assert ["query", "gate_efficiency"] in lines
    assert ["q3", "100.0000"] in lines
