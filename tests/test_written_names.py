"""Names that the user wrote run code where that is meant; the types and the marks keep them apart from all others."""

from __future__ import annotations

import contextlib
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.cli import main
from assay.errors import BadParameter, UnknownName, UsageError
from assay.execution import WrittenPlan, make_plan
from assay.grammar import WrittenName, mark_written
from assay.metrics import find_metric, find_metrics, parse_metric, parse_metrics, recorded_metric, registry
from assay.monitoring import gate
from assay.providers import all_providers, parse_provider

SOURCE = Path(__file__).parents[1] / "src"
MINE = """\
import assay

@assay.metric(higher_is_better=False)
def first_is_wrong(run):
    return 1.0 - run.relevant().top(1).count

def search(query, k):
    return ["d1"]
"""
QRELS, RUN = {"q1": {"d1": 1}, "q2": {"d2": 1}}, {"q1": ["d1"], "q2": ["d1", "d2"]}
OWN = "python:my_desk:first_is_wrong"


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """The current folder with somebody's own module, and small files."""
    (tmp_path / "my_desk.py").write_text(MINE, "utf-8")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n", "utf-8")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 9 a\nq2 Q0 d1 1 9 a\nq2 Q0 d2 2 8 a\n", "utf-8")
    (tmp_path / "b.run").write_text("q1 Q0 d1 1 9 b\nq2 Q0 d2 1 9 b\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.setattr(registry, "_own", {})
    monkeypatch.delitem(sys.modules, "my_desk", raising=False)
    importlib.invalidate_caches()
    return tmp_path


def test_arguments_plans_and_rules_may_name_code(desk, capsys):
    plan = f"benchmarks: [rag-template]\nproviders: ['mine=python:my_desk:search']\nmetrics: ['{OWN}', mrr]\n"
    (desk / "plan.yaml").write_text(plan, "utf-8")
    (desk / "gate.yaml").write_text(f"rules: ['{OWN} <= 0.5']\n", "utf-8")
    for words in (
        f"score qrels.txt a.run -m {OWN} mrr --sort {OWN}",
        f"compare qrels.txt a.run b.run -m {OWN}",
        f"why qrels.txt a.run -m {OWN}",
        f"fuse a.run b.run --qrels qrels.txt --tune {OWN}",
        "eval plan.yaml --no-store --quiet -o result.json",
        f"score qrels.txt a.run -m {OWN} -o a.json",
        "gate a.json --rules gate.yaml",
    ):
        assert main(words.split()) == 0, words
        assert "first_is_wrong" in "".join(capsys.readouterr()) or words.endswith(".json"), words
    assert main(["plot", "bars", "result.json", "-m", OWN, "-o", "bars.json"]) == 0
    assert main(["gate", "a.json", "--rule", f"{OWN} <= 0.4"]) == 1


def test_python_code_may_name_code(desk):
    result = assay.evaluate(QRELS, RUN, [OWN, "mrr"])
    assert result.summary == {"first_is_wrong": 0.5, "mrr": 0.75}
    assert assay.compare(QRELS, {"a": RUN, "b": {**RUN, "q2": ["d2"]}}, OWN).best("first_is_wrong") == "b"
    assert assay.why(QRELS, RUN, OWN)[0].metric.name == "first_is_wrong"
    assert gate([result], None, f"{OWN} <= 0.5").is_passed
    ran = assay.run("rag-template", "python:my_desk:search", OWN)
    assert next(iter(ran.summary)) == "first_is_wrong"


def test_text_that_is_not_marked_is_only_looked_up(desk):
    for name in (OWN, OWN.upper(), f" {OWN}", f"mrr, {OWN}"):
        with pytest.raises(UsageError):
            parse_metrics(name)
        with pytest.raises(UsageError):
            find_metrics(WrittenName(name))
        with pytest.raises(UsageError):
            find_metrics([WrittenName(name)])
    with pytest.raises(UnknownName, match="python: names are loaded only from what you write"):
        find_metric(OWN)
    assert recorded_metric(WrittenName(OWN)).name == OWN
    assert "my_desk" not in sys.modules
    assert parse_metric(WrittenName(OWN)).name == "first_is_wrong"


def test_what_is_made_of_a_written_name_is_plain_text():
    name = WrittenName(OWN)
    for made in (name[:], name.strip(), f"{name}", name + "", name.partition(":")[0], str(name), name.split()[0]):
        assert type(made) is str


def test_providers_that_were_not_written_are_refused(desk):
    for text in (
        "python:my_desk:search",
        "command:touch ran",
        "hybrid(bm25, python:my_desk:search)",
        "rerank(bm25, function='my_desk:search')",
    ):
        plan = {"benchmarks": "rag-template", "providers": [text]}
        for read in (lambda text=text: parse_provider(text), lambda plan=plan: make_plan(plan)):
            with pytest.raises(BadParameter, match="accepted only in text that you write"):
                read()
        assert parse_provider(WrittenName(text)).name == make_plan(WrittenPlan(plan)).providers[0].name == text
    for content in ({"python": {"function": "my_desk:search"}}, {"name": "http", "url": "http://127.0.0.1:9/"}):
        hybrid = {"hybrid": {"providers": ["bm25", content]}}
        for given_map in (content, hybrid):
            with pytest.raises(BadParameter, match="accepted only in text that you write"):
                parse_provider(given_map)
        assert parse_provider(mark_written(hybrid)).parts[1]


def test_no_parameter_of_any_provider_takes_free_text_that_was_read():
    taken = []
    for provider in all_providers().values():
        for param in provider.params:
            try:
                parse_provider(f"{provider.name}({param.name}='my_desk:search')")
            except (BadParameter, UnknownName):
                continue
            taken.append((provider.name, param.name))
    assert taken == []


@given(st.text(max_size=40) | st.from_regex(r"python:[a-z_.]{0,8}:?[a-z_@(=)0-9]{0,10}", fullmatch=True))
def test_any_text_is_looked_up_without_importing(text):
    before = set(sys.modules)
    for look in (find_metric, recorded_metric, parse_metrics):
        with contextlib.suppress(UsageError):
            look(text)
    assert not {name for name in set(sys.modules) - before if not name.startswith(("assay", "scipy", "numpy"))}


WRONG = """\
from assay.execution import make_plan
from assay.metrics import parse_metric, parse_metrics
from assay.providers import parse_provider


def wrong(name: str) -> None:
    parse_metric(name)
    parse_metrics(name)
    parse_metrics([name])
    parse_provider(name)
    parse_provider({name: 1})
    make_plan({"metrics": name})
"""


@pytest.mark.slow
def test_the_type_checker_tells_written_names_from_others(tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG, "utf-8")
    words = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path), "wrong.py"]
    done = subprocess.run(
        words, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(SOURCE)}, capture_output=True, text=True, check=False
    )
    lines = [int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error: " in line]
    assert lines == [7, 8, 9, 10, 11, 12], done.stdout
