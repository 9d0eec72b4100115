"""assay conformance: somebody's own metric code against the cases of the kit."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from assay.conformance import all_cases, all_topics

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_metrics.py"
PYTHON = shlex.quote(sys.executable)
READ = (
    "import json, sys, time\nsys.stdout.reconfigure(line_buffering=True)\ncases = [json.loads(line) for line in sys.stdin]\n"
)


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program made of these lines, as a command; the cases are in `cases`."""
    monkeypatch.chdir(tmp_path)

    def write(code, read=READ):
        (tmp_path / "program.py").write_text(read + code, encoding="utf-8")
        return f"{PYTHON} program.py"

    return write


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module of a given name in the working directory, forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    made = []

    def write(name, code):
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
        made.append(name)

    yield write
    for name in made:
        sys.modules.pop(name, None)


FUNCTIONS = {
    "mine": "def score(metric, qrels, run):\n    return 1.0 if metric == 'hit@5' else None\n",
    "fails": "def score(metric, qrels, run):\n    raise KeyError(metric)\n",
    "mostly": "def score(metric, qrels, run):\n    if metric == 'hit@5':\n        return 1\n    raise KeyError(metric)\n",
    "two": "def score(qrels, run):\n    return 1.0\n",
    "odd": "number = 3\n",
    "exits": "raise SystemExit(4)\n",
    "my_metrics": EXAMPLE.read_text(encoding="utf-8"),
}
PROGRAMS = {
    "wrong": "print(json.dumps({'id': 'recall', 'value': 1}))",
    "hello": "print('hello')",
    "nope": 'print(\'{"id": "nope", "value": 1}\')',
    "loud": "sys.stderr.write('line one\\n\\x1bboom\\n'); sys.exit(7)",
    "killed": "import os; os.kill(os.getpid(), 9)",
    "idle": "sys.stderr.write('nothing to say')",
    "bytes": 'print(\'{"id": "map", "value": 1}\'); print(b\'\\xff\')',
}


def test_the_example_agrees_and_its_ties_are_named(assay):
    code, out, err = assay("conformance", "--command", f"{PYTHON} {EXAMPLE}")
    assert (code, err) == (0, "")
    assert out.startswith("44 of 44 cases agree; 4 not answered (rbp bpref err).\n\nConventions\n")
    assert out.endswith("The same numbers in assay: assay score qrels.txt run.txt --ties input_order\n")


def test_programs_that_are_wrong_or_fail(assay, program, snapshots):
    texts = []
    for name, code in PROGRAMS.items():
        done = assay("conformance", "--command", program(code))
        said = (done.out + done.err).replace(PYTHON, "python")
        assert "\x1b" not in said, name
        texts.append(f"## {name}\n{said}exit {done.code}\n")
    snapshots.check("conformance/programs", "\n".join(texts))
    done = assay("conformance", "--command", program("sys.stderr.write('slow'); time.sleep(60)"), "--timeout", "0.5")
    assert (done.code, done.out, "longer than 0.5 s" in done.err) == (3, "", True)


def test_order_is_free_null_is_no_answer_and_nothing_need_be_read(assay, program):
    some = "for case in cases[::-1]:\n    print(json.dumps({'id': case['id'], 'value': 1 if case['id'] == 'hit' else None}))"
    code, out, err = assay("conformance", "--command", program(some), "--topic", "plain")
    assert (code, out, err) == (0, "1 of 1 case agrees; 8 not answered (precision recall f1 mrr map …).\n", "")
    assert assay("conformance", "--command", program('print(\'{"id": "hit", "value": 1}\')', read="")).code == 0


def test_metrics_topics_and_the_tolerance(assay, program):
    command = program("sys.stderr.write(' '.join(case['id'] for case in cases)); sys.exit(1)")
    err = assay("conformance", "--command", command, "--metrics", "ndcg@10", "map", "--topic", "gain", "ties").err
    assert err.splitlines()[1].split() == ["ties-map", "gain-at-1", "gain-graded"]
    command = program("print(json.dumps({'id': 'map', 'value': 0.3333}))")
    assert assay("conformance", "--command", command).code == 1
    assert assay("conformance", "--command", command, "--tolerance", "1e-4").code == 0


def test_the_report_as_json(assay, program):
    answers = "print(json.dumps({'id': 'map', 'value': float('nan')})); print('{\"id\": \"hit\", \"error\": \"\\x9b\"}')"
    code, out, err = assay("conformance", "--command", program(answers), "--format", "json")
    assert (code, err, "\x9b" in out) == (1, "", False)
    report = json.loads(out)
    assert report["counts"] == {"agree": 0, "wrong": 2, "skipped": len(all_cases()) - 2}
    found = {case["id"]: case for case in report["cases"]}
    assert (found["map"]["verdict"], found["map"]["value"]) == ("impossible", "nan")
    assert (found["hit"]["verdict"], found["hit"]["error"]) == ("failed", "\x9b")


def test_no_shell_runs_the_command_and_python_is_there_without_a_path(assay, program, monkeypatch):
    command = program("print(json.dumps({'id': 'hit', 'value': 1 if sys.argv[1:] in ([], ['$HOME;', '*']) else 0}))")
    assert assay("conformance", "--command", f"{command} '$HOME;' '*'").code == 0
    monkeypatch.setenv("PATH", "")
    assert assay("conformance", "--command", "python program.py").code == 0


def test_functions(module, transcript):
    for name, code in FUNCTIONS.items():
        module(name, code)
    path = list(sys.path)
    transcript("conformance/functions")
    assert sys.path == path


def test_the_cases_can_be_fed_to_the_program_by_hand(assay, process):
    lines = assay("conformance", "--cases").out
    assert [json.loads(line)["id"] for line in lines.splitlines()] == [case.name for case in all_cases()]
    done = process(EXAMPLE, program=(sys.executable,), input=lines.encode())
    assert len(done.out.splitlines()) == len(all_cases())
    assert [line.split("  ")[0] for line in assay("conformance", "--topics").out.splitlines()] == all_topics()


def test_what_cannot_be_asked(transcript):
    transcript("conformance/refused")
