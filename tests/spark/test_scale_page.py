"""The blocks of docs/scale.md run with Spark, and give what the page says.

They are marked `py` and `bash`, so that tests without Spark do not run them.
"""

from __future__ import annotations

import io
import os
import shlex
import shutil
from contextlib import redirect_stdout

from tests.spark._driver import running_driver
from tests.test_docs import ROOT, agrees, blocks, run_python

PAGE = ROOT / "docs" / "scale.md"


def values_of_python(spark):
    """Line, what the page says, and the value of each expression with a comment."""
    names = {"__name__": "page"}
    return [shown for block in blocks(PAGE, "py") for shown in run_python(block, names)]


def output_of_command(spark, line):
    """What a command prints in the session of this process."""
    from assay.cli import main

    os.environ["COLUMNS"] = "100"
    printed = io.StringIO()
    with redirect_stdout(printed):
        code = main(shlex.split(line)[1:])
    return code, printed.getvalue()


def test_the_blocks_give_what_they_say(installed, tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    with running_driver(tmp_path, "local[2]") as driver:
        shown = driver.run(values_of_python)
        assert [(line, value) for line, said, value in shown if not agrees(value, said)] == []
        assert len(shown) >= 6
        [block] = blocks(PAGE, "bash")
        command, _, output = block.text.partition("\n")
        code, printed = driver.run(output_of_command, command.removeprefix("$ "))
    assert code == 0, printed
    assert agrees(printed, output), printed
