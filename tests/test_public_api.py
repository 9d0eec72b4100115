"""The public names: which there are, and how they are called. A change in their snapshot is a change for users."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import pickle
from pathlib import Path

import pytest

import assay
import assay.compat.pytrec_eval
import assay.errors
import assay.metrics

MODULES = (assay, assay.metrics, assay.compat.pytrec_eval)


def called(function) -> str:
    """How a function is called, without its annotations: `name`, `name=default`, and `*` before keywords."""
    signature = inspect.signature(function)
    bare = [one.replace(annotation=inspect.Parameter.empty) for name, one in signature.parameters.items() if name != "self"]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def described(name: str, value: object) -> list[str]:
    """A line for a name, and one for every public method of a class."""
    if inspect.isfunction(value):
        return [f"{name}{called(value)}"]
    if not inspect.isclass(value):
        return [f"{name}: {type(value).__name__}"]
    methods = {each: getattr(value, each) for each in dir(value) if not each.startswith("_")}
    own = {each: method for each, method in methods.items() if getattr(method, "__module__", "").startswith("assay")}
    lines = [f"{name}.{each}{called(method)}" for each, method in own.items() if inspect.isroutine(method)]
    return [f"class {name}" if issubclass(value, Exception) else f"class {name}{called(value)}", *lines]


def test_names_and_how_they_are_called(snapshots):
    lines = []
    for module in MODULES:
        assert module.__all__ == sorted(module.__all__)
        lines += [f"## {module.__name__}"]
        lines += [line for name in module.__all__ for line in described(name, getattr(module, name))]
    result = assay.evaluate({"q1": {"a": 1}}, {"q1": ["a"]}, ["mrr"], name="mine")
    lines += ["## a result", " ".join(name for name in dir(result) if not name.startswith("_"))]
    snapshots.check("api/names", "\n".join(lines) + "\n")


def test_names_are_those_of_their_home():
    stub = ast.parse(Path(assay.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    homes = {alias.name: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert homes.keys() == set(assay.__all__)
    for name, home in homes.items():
        assert getattr(assay, name) is getattr(importlib.import_module(home), name), name


def test_the_version_is_a_plain_constant_and_type_hints_are_shipped():
    assert [part.isdecimal() for part in assay.__version__.split(".")] == [True] * 3
    assert (Path(assay.__file__).parent / "py.typed").is_file()


def test_a_policy_is_frozen_and_takes_keywords_alone():
    with pytest.raises(TypeError):
        assay.Policy("docid_asc")
    with pytest.raises(dataclasses.FrozenInstanceError):
        assay.Policy().ties = "docid_asc"


def test_values_can_be_pickled():
    for value in (
        assay.Policy(rel=2),
        assay.Qrels({"q1": {"a": 1}}),
        assay.Run({"q1": {"a": 1.0}}),
        assay.Query("q1", "text", evidence=["a"]),
        assay.Document("a", "text"),
        assay.RelevanceJudgment("q1", "a", 2),
        assay.Hit("a", 1.0, "text"),
        assay.Span("a", 0, 7),
        assay.Relevance("token", "chunk", {"a#1": "a"}),
        assay.BenchmarkDataset("mine", queries={"q1": assay.Query("q1")}),
    ):
        again = pickle.loads(pickle.dumps(value))
        assert (type(again), str(again)) == (type(value), str(value))
