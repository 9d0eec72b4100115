"""assay conformance: somebody's own metric code against the cases of the kit."""

import json
import shlex
import sys
from pathlib import Path

from assay.conformance import all_cases, all_topics

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_metrics.py"
PYTHON = shlex.quote(sys.executable)


def test_the_example_agrees_and_its_ties_are_named(assay):
    code, out, err = assay("conformance", "--command", f"{PYTHON} {EXAMPLE}")
    assert (code, err) == (0, "")
    assert out.startswith("44 of 44 answers are right; 4 cases have no answer (rbp bpref err).\n\nConventions\n")
    assert out.endswith("To get the same numbers with assay: assay score qrels.txt run.txt --ties input_order\n")


def test_the_cases_can_be_fed_to_the_program_by_hand(assay, process):
    lines = assay("conformance", "--cases").out
    assert [json.loads(line)["id"] for line in lines.splitlines()] == [case.name for case in all_cases()]
    done = process(EXAMPLE, program=(sys.executable,), input=lines.encode())
    assert len(done.out.splitlines()) == len(all_cases())
    assert [line.split("  ")[0] for line in assay("conformance", "--topics").out.splitlines()] == all_topics()


def test_programs(folder, transcript, monkeypatch):
    """No shell runs them, and python is there without a path."""
    monkeypatch.setenv("PATH", "")
    transcript("conformance/programs")


def test_functions_and_what_cannot_be_asked(folder, transcript):
    (folder / "my_metrics.py").write_bytes(EXAMPLE.read_bytes())
    before, path = set(sys.modules), list(sys.path)
    transcript("conformance/functions")
    assert sys.path == path
    for name in sys.modules.keys() & {file.stem for file in folder.glob("*.py")} - before:
        del sys.modules[name]
