"""The public names: which there are, and how they are called. A change in their snapshot is a change for users."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import pickle
from pathlib import Path

import pytest
from tests._public_api import MODULES, described, described_commands, described_names

import assay
from assay.cli import main


def test_names_and_how_they_are_called(snapshots):
    """All packages of the Python API, all drop-ins, and what the pages import from elsewhere."""
    for name in MODULES:
        names = importlib.import_module(name).__all__
        assert len(set(names)) == len(names) > 0, name
    snapshots.check("api/names", described_names())


def test_every_command_with_its_options(snapshots, capsys):
    assert main(["completion", "bash"]) == 0
    snapshots.check("api/commands", described_commands(capsys.readouterr().out))


def test_a_changed_default_a_new_parameter_and_a_renamed_method_are_seen():
    """What is recorded changes if the way of calling changes; annotations and docstrings do not count."""

    class Old:
        def find(self, name: str, *, deep: bool = False) -> str:
            """The old text."""

        @property
        def size(self) -> int:
            """A number."""

    class New:
        def find(self, name: bytes, *, deep: bool = True) -> str:
            """The new text."""

    Old.__module__ = New.__module__ = "assay.example"
    assert list(described("Thing", Old)) == ["class Thing()", "Thing.find(name, *, deep=False)", "Thing.size: property"]
    assert list(described("Thing", New)) == ["class Thing()", "Thing.find(name, *, deep=True)"]
    assert "**settings) with alpha, cluster" in "\n".join(described("compare", assay.compare))


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
