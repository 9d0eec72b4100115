"""What the tests of providers share: modules and programs of the user's own."""

from __future__ import annotations

import shlex
import sys
import textwrap
from types import ModuleType

import pytest

from assay.providers.catalog.command import CommandRetriever

from ._programs import ANSWER, START


@pytest.fixture
def module(monkeypatch):
    """A module that can be imported; its names are set by the test."""
    made = ModuleType("assay_test_module")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


@pytest.fixture
def program(tmp_path):
    """Makes a retriever out of the body of a loop over queries; ends what it made."""
    made = []

    def make(body="", answer=ANSWER, index=False, timeout=5.0, start=START, **settings):
        file = tmp_path / f"program{len(made)}.py"
        file.write_text(start + textwrap.indent(textwrap.dedent(body), "    ") + "\n" + answer, encoding="utf-8")
        command = f"{shlex.quote(sys.executable)} -S {shlex.quote(str(file))}"
        made.append(CommandRetriever(command, index=index, timeout=timeout, **settings))
        return made[-1]

    yield make
    for retriever in made:
        retriever.close()
