"""Schemas of plans and rules: what assay accepts is valid, and a wrong key is not."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.cli import main
from assay.errors import AssayError
from assay.execution import WrittenPlan, make_plan, read_plan
from assay.monitoring import parse_rules, rules_from_yaml
from assay.schemas import schema_of
from assay.yaml_tree import parse_yaml

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```ya?ml\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^\$ cat \S+\.ya?ml\n(.*?)^(?=\$ |```)", re.MULTILINE | re.DOTALL)
"""A file that a page shows with `cat`."""
WORD = re.compile(r"benchmarks:|rules:|^- ", re.MULTILINE)
PLAN, RULES = "assay.plan/1", "assay.rules/1"


def is_valid(content, name):
    return jsonschema_rs.validator_for(schema_of(name)).is_valid(content)


def plain(node):
    """YAML as texts, lists and maps."""
    if isinstance(node.value, dict):
        return {name: plain(inner) for name, inner in node.value.items()}
    return [plain(inner) for inner in node.value] if isinstance(node.value, list) else node.value


def texts():
    """Everything in the pages and in the tests that may be a plan or a file of rules, with its place."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        content = page.read_text("utf-8")
        yield from ((page.name, block) for block in (*BLOCK.findall(content), *SHOWN.findall(content)))
    for file in sorted((ROOT / "tests").rglob("*.py")):
        if WORD.search(content := file.read_text("utf-8")):
            constants = (node.value for node in ast.walk(ast.parse(content)) if isinstance(node, ast.Constant))
            yield from ((file.name, text) for text in constants if isinstance(text, str) and WORD.search(text))


def accepted(call, *arguments):
    try:
        return call(*arguments)
    except AssayError:
        return None


def test_plans_and_rules_in_the_pages_and_tests_are_valid(tmp_path):
    n_plans = n_rules = 0
    for place, text in texts():
        (tmp_path / "file.yaml").write_text(text, "utf-8")
        if accepted(rules_from_yaml, text):
            n_rules += 1
            assert is_valid(plain(parse_yaml(text, place)), RULES), (place, text)
        content = accepted(read_plan, tmp_path / "file.yaml")
        if content and accepted(make_plan, WrittenPlan(content)):
            n_plans += 1
            assert is_valid(content, PLAN), (place, text)
    assert n_plans >= 10
    assert n_rules >= 10


def test_the_plan_and_the_rules_of_init_are_valid(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    files = list(tmp_path.rglob("*.yaml"))
    assert files
    for file in files:
        text = file.read_text("utf-8")
        name = RULES if accepted(rules_from_yaml, text) else PLAN
        assert is_valid(plain(parse_yaml(text, "file")) if name == RULES else read_plan(file), name), file


LEAST = {"benchmarks": "rag-template", "providers": "bm25"}
VALUES = {
    "benchmarks": st.sampled_from(["rag-template", ["rag-template", "hpo-en"]]),
    "providers": st.sampled_from(["bm25(k1=0.9)", ["bm25", {"bm25": {"k1": [0.9, 1.2]}}], {"name": "bm25", "label": "a"}]),
    "chunkers": st.sampled_from(["fixed_lines", ["fixed_lines(size=20)"], None]),
    "metrics": st.sampled_from(["ndcg@10", ["mrr", "map"], None]),
    "k": st.sampled_from([5, "5", 10.0, None]),
    "relevance": st.sampled_from(["token(threshold=0.2)", {"by": "semantic", "unit": "document"}, "auto"]),
    "unit": st.sampled_from(["chunk", "document"]),
    "id_map": st.just({"c1": "d1"}),
    "profile": st.sampled_from(["ranx", None]),
    "policy": st.sampled_from([{"ties": "docid-asc", "rel": 2}, {"judged_only": "yes"}, {"depth": "100"}, None]),
    "selection": st.sampled_from([{"limit": 3, "where": {"language": ["de"]}}, {"range": "1-5"}, {"where": "language=de"}]),
    "concurrency": st.sampled_from([1, "2"]),
    "timeout": st.sampled_from([0.5, "3"]),
    "index_timeout": st.sampled_from([60, None]),
    "retries": st.just(0),
    "batch_size": st.just(8),
    "cache": st.sampled_from([True, "no", "Off"]),
    "strict": st.booleans(),
    "outputs": st.sampled_from(["result.json", ["result.json", "table.md"]]),
    "seed": st.integers(0, 5),
    "statistical_analysis": st.sampled_from(
        [{"confidence_intervals": "bootstrap", "alpha_level": 0.01}, {"significance_testing": False}]
    ),
    "retrieval_metrics": st.sampled_from(
        [{"enabled_metrics": ["mrr"], "performance": {"batch_size": 4, "caching_enabled": True}}, {"graded_relevance": True}]
    ),
    "by": st.sampled_from(["language", ["language", "difficulty"]]),
    "repeats": st.just(2),
    "missing_documents": st.sampled_from(["keep", "drop"]),
    "lenient": st.sampled_from([True, 0.05, "5%"]),
    "columns": st.sampled_from(["query=q", {"query": "q"}]),
    "dataset_format": st.just("beir"),
    "documents": st.just("corpus.csv"),
}


@given(st.fixed_dictionaries({}, optional=VALUES))
def test_what_make_plan_accepts_is_valid(content):
    plan = {**LEAST, **content}
    if accepted(make_plan, WrittenPlan(plan)):
        assert is_valid(plan, PLAN), plan


def keys_of(error_text):
    """The keys that an error about an unknown key lists."""
    return set(re.search(r"choose from ([\w, ]+)\)", error_text)[1].split(", "))


def test_the_keys_are_those_that_assay_knows():
    schema = schema_of(PLAN)
    forms = schema["$defs"]
    for block, form in {
        "": "PlanFile",
        "policy": "PolicyBlock",
        "selection": "SelectionBlock",
        "relevance": "RelevanceBlock",
        "statistical_analysis": "StatisticsBlock",
        "retrieval_metrics": "MetricsBlock",
    }.items():
        wrong = {**LEAST, **({block: {"colour": 1}} if block else {"colour": 1})}
        assert not is_valid(wrong, PLAN), block
        with pytest.raises(AssayError) as raised:
            make_plan(WrittenPlan(wrong))
        assert keys_of(str(raised.value)) == forms[form]["properties"].keys(), block


ACCEPTED_RULES = (
    ["failed = 0"],
    {"rules": ["mrr >= 0.3", {"warn": "mrr >= 0.4"}], "undecided": "fail", "guard": "5% over 100 changes"},
    {"rules": [{"rule": "mrr >= 0.3", "severity": "warn", "where": {"language": ["de"]}, "on": "rag-template"}]},
    {"rules": ["mrr not worse by 0.02"], "queries": "fresh"},
)
REFUSED_RULES = (
    {"rules": ["failed = 0"], "colour": 1},
    {"rules": [{"rule": "mrr >= 0.3", "colour": 1}]},
    {"rules": [{"severity": "warn"}]},
    {"rules": [{"warn": "mrr >= 0.3", "on": "x"}]},
    {"rules": [{"rule": "mrr >= 0.3", "severity": "loud"}]},
    {"rules": "mrr >= 0.3"},
    {"rules": ["failed = 0"], "queries": "old"},
    [7],
)


def test_rules():
    for content in ACCEPTED_RULES:
        assert parse_rules(content)
        assert is_valid(content, RULES), content
    for content in REFUSED_RULES:
        with pytest.raises(AssayError):
            parse_rules(content)
        assert not is_valid(content, RULES), content


def test_wrong_values_in_plans():
    blocks = (
        {"policy": {"ties": "random"}},
        {"selection": {"limit": "few"}},
        {"statistical_analysis": {"alpha_level": "low"}},
    )
    for wrong in ({"k": "many"}, {"k": -1}, {"cache": "perhaps"}, {"by": 3}, {"providers": 7}, *blocks):
        plan = {**LEAST, **wrong}
        assert not is_valid(plan, PLAN), wrong
        with pytest.raises(AssayError):
            make_plan(WrittenPlan(plan))
    assert is_valid({**LEAST, "k": "${DEPTH}", "cache": "${CACHE:-no}"}, PLAN)
