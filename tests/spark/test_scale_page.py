"""The Python blocks of docs/scale.md run with Spark, and give what the page says.

They are marked `py`, so that tests without Spark do not run them.
"""

from __future__ import annotations

import shutil

import pytest
from tests.test_docs import ROOT, agrees, blocks, run_python

PAGE = ROOT / "docs" / "scale.md"


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A folder with the examples in it."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)


def test_the_blocks_give_what_they_say(spark, workplace):
    names = {"__name__": "page"}
    shown = [shown for block in blocks(PAGE, "py") for shown in run_python(block, names)]
    assert [(line, value) for line, said, value in shown if not agrees(value, said)] == []
    assert len(shown) >= 6
