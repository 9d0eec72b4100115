"""assay conformance: somebody's own metric code against the cases of the kit."""

import json
import re
import shlex
import shutil
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


# A command


def test_the_example_agrees_and_is_told_its_ties(assay):
    code, out, err = assay("conformance", "--command", f"{PYTHON} {EXAMPLE}")
    assert (code, err) == (0, "")
    assert out.startswith("44 of 44 cases agree; 4 not answered (rbp bpref err).\n\nConventions\n")
    assert "in the order given (BEIR's mrr) → --ties input_order\n" in out
    assert out.endswith("The same numbers in assay: assay score qrels.txt run.txt --ties input_order\n")


def test_a_fault_is_exit_code_1(assay, program):
    code, out, err = assay("conformance", "--command", program("print(json.dumps({'id': 'recall', 'value': 1}))"))
    assert (code, err) == (1, "")
    assert out.startswith("0 of 1 case agrees; 1 is wrong; 47 not answered (")
    assert "Recall that is Hit" in out


def test_order_is_free_and_null_is_no_answer(assay, program):
    answers = (
        "for case in cases[::-1]:\n    print(json.dumps({'id': case['id'], 'value': 1 if case['id'] == 'hit' else None}))"
    )
    code, out, err = assay("conformance", "--command", program(answers), "--topic", "plain")
    assert (code, err) == (0, "")
    assert out == "1 of 1 case agrees; 8 not answered (precision recall f1 mrr map …).\n"


def test_metrics_and_topics_restrict_what_is_asked(assay, program):
    command = program("sys.stderr.write(' '.join(case['id'] for case in cases)); sys.exit(1)")
    err = assay("conformance", "--command", command, "--metrics", "ndcg@10", "map", "--topic", "gain", "ties").err
    assert err.splitlines()[1].split() == ["ties-map", "gain-at-1", "gain-graded"]


def test_the_tolerance(assay, program):
    command = program("print(json.dumps({'id': 'map', 'value': 0.3333}))")
    assert assay("conformance", "--command", command).code == 1
    assert assay("conformance", "--command", command, "--tolerance", "1e-4").code == 0


def test_the_report_as_json(assay, program):
    command = program(
        "print(json.dumps({'id': 'map', 'value': float('nan')})); print('{\"id\": \"hit\", \"error\": \"\\x9b\"}')"
    )
    code, out, err = assay("conformance", "--command", command, "--format", "json")
    assert (code, err) == (1, "")
    assert "\x9b" not in out
    report = json.loads(out)
    assert report["counts"] == {"agree": 0, "wrong": 2, "skipped": len(all_cases()) - 2}
    found = {case["id"]: case for case in report["cases"]}
    assert (found["map"]["verdict"], found["map"]["value"]) == ("impossible", "nan")
    assert (found["hit"]["verdict"], found["hit"]["error"]) == ("failed", "\x9b")


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("print('hello')", ["output of the command: 1 fault", "output of the command:1: expected JSON such as", "'hello'"]),
        ('print(\'{"id": "nope", "value": 1}\')', ["output of the command:1: no case with the id 'nope'"]),
        ("sys.stderr.write('line one\\n\\x1bboom\\n'); sys.exit(7)", ["ended with exit code 7: ", "line one", "\\x1bboom"]),
        ("raise KeyError('q1')", ["ended with exit code 1: ", "KeyError: 'q1'"]),
        ("import os; os.kill(os.getpid(), 9)", ["was ended by SIGKILL: "]),
        ("sys.stderr.write('nothing to say')", ["the command answered none of 48 cases: ", "nothing to say"]),
        ('print(\'{"id": "map", "value": 1}\'); print(b\'\\xff\')', ["output of the command:2: expected JSON"]),
    ],
)
def test_a_command_that_fails(assay, program, code, wanted):
    code, out, err = assay("conformance", "--command", program(code))
    assert (code, out) == (3, "")
    for words in wanted:
        assert words in err
    assert "\x1b" not in err


def test_a_command_that_does_not_read(assay, program):
    code, _, err = assay("conformance", "--command", program('print(\'{"id": "hit", "value": 1}\')', read=""))
    assert (code, err) == (0, "")


def test_a_command_that_does_not_end(assay, program):
    command = program("sys.stderr.write('slow'); sys.stderr.flush(); time.sleep(60)")
    code, out, err = assay("conformance", "--command", command, "--timeout", "0.8")
    assert (code, out) == (3, "")
    assert "the command took longer than 0.8 s (--timeout allows more): " in err


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("", "--command is empty"),
        ("'open", "No closing quotation"),
        ("no-such-program-here --fast", "--command no-such-program-here --fast: No such file or directory"),
        ("/", "Permission denied"),
    ],
)
def test_a_command_that_is_none(assay, command, words):
    code, out, err = assay("conformance", "--command", command)
    assert (code, out) == (2, "")
    assert words in err


def test_no_shell_runs_the_command(assay, program):
    command = program("print(json.dumps({'id': 'hit', 'value': 1 if sys.argv[1:] == ['$HOME;', '*'] else 0}))")
    assert assay("conformance", "--command", f"{command} '$HOME;' '*'").code == 0


def test_python_is_there_where_no_program_has_that_name(assay, program, monkeypatch):
    monkeypatch.setenv("PATH", "")
    program("print(json.dumps({'id': 'hit', 'value': 1}))")
    assert assay("conformance", "--command", "python program.py").code == 0


# A function


def test_a_function_beside_the_user(assay, module):
    module("conformance_mine", "def score(metric, qrels, run):\n    return 1.0 if metric == 'hit@5' else None\n")
    path = list(sys.path)
    code, out, err = assay("conformance", "--function", "conformance_mine:score")
    assert (code, err) == (0, "")
    assert out.startswith("1 of 1 case agrees; 47 not answered")
    assert sys.path == path


def test_an_exception_is_an_answer(assay, module):
    module("conformance_fails", "def score(metric, qrels, run):\n    raise KeyError(metric)\n")
    code, out, err = assay("conformance", "--function", "conformance_fails:score")
    assert (code, err) == (1, "")
    assert out == (
        "0 of 48 cases agree; 48 are wrong.\n\nIt fails in every case, the first time with KeyError: 'precision@5'.\n"
    )


def test_some_exceptions_are_told_one_by_one(assay, module):
    code = "def score(metric, qrels, run):\n    if metric == 'hit@5':\n        return 1\n    raise KeyError(metric)\n"
    module("conformance_fails_mostly", code)
    code, out, err = assay("conformance", "--function", "conformance_fails_mostly:score", "--topic", "plain")
    assert (code, err) == (1, "")
    assert "mrr: mrr is an error (KeyError: 'mrr')" in out
    assert "It fails where there is a score." in out


def test_a_function_that_takes_something_else(assay, module):
    module("conformance_takes_two", "def score(qrels, run):\n    return 1.0\n")
    code, out, err = assay("conformance", "--function", "conformance_takes_two:score")
    assert (code, err) == (1, "")
    assert "takes 2 positional arguments but 3 were given. It must take (metric, qrels, run).\n" in out


def test_a_function_that_knows_nothing(assay, module):
    module("conformance_silent", "def score(metric, qrels, run):\n    pass\n")
    code, out, err = assay("conformance", "--function", "conformance_silent:score")
    assert (code, out, err) == (3, "", "error: conformance_silent:score answered none of 48 cases\n")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("score", "module:function"),
        ("no_such_module:score", "cannot be imported: ModuleNotFoundError"),
        ("conformance_odd:nothing", "conformance_odd has no nothing"),
        ("conformance_odd:number", "this is a int, not a function"),
        ("conformance_exits:score", "cannot be imported: SystemExit: 4"),
    ],
)
def test_a_function_that_is_none(assay, module, target, words):
    module("conformance_odd", "number = 3\n")
    module("conformance_exits", "raise SystemExit(4)\n")
    code, out, err = assay("conformance", "--function", target)
    assert (code, out) == (2, "")
    assert words in err


# What is printed instead


def test_the_cases_can_be_fed_to_the_program_by_hand(assay, process):
    lines = assay("conformance", "--cases").out
    assert [json.loads(line)["id"] for line in lines.splitlines()] == [case.name for case in all_cases()]
    done = process(EXAMPLE, program=(sys.executable,), input=lines.encode())
    assert len(done.out.splitlines()) == len(all_cases())


def test_a_pytest_file(assay, module):
    module("my_metrics", EXAMPLE.read_text(encoding="utf-8"))
    code, out, err = assay("conformance", "--pytest", "my_metrics:score", "--topic", "ties", "-m", "map")
    assert (code, err) == (0, "")
    compile(out, "test_my_metrics.py", "exec")
    assert "CASES = all_cases(metrics=['map'], topics=['ties'])\n" in out
    assert "from my_metrics import score\n" in out


# How it is asked


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "one of the arguments --command --function --pytest --cases --topics is required"),
        (["--cases", "--function", "a:b"], "not allowed with argument"),
        (["--cases", "--topic", "tie"], "no topic is called 'tie'. Did you mean ties"),
        (["--cases", "-m", "ncdg"], "no metric is called 'ncdg'. Did you mean ndcg"),
        (["--cases", "--tolerance", "0"], "a number above 0, not '0'"),
        (["--cases", "--timeout", "soon"], "a number above 0, not 'soon'"),
        (["--pytest", "my metrics"], "module:function"),
        (["--pytest", "no_such_module:score"], "--pytest no_such_module:score: cannot be imported: ModuleNotFoundError"),
        (["--pytest", ""], "module:function"),
        (["--function", "base.py:score"], "Did you mean base:score?"),
        (["--cases", "-m", "map", "--topic", "gain"], "no case is about map in the topic gain"),
        (["--cases", "--format", "xml"], "invalid choice: 'xml'"),
    ],
)
def test_what_cannot_be_asked(assay, arguments, words):
    code, out, err = assay("conformance", *arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_the_topics_are_listed(assay):
    code, out, err = assay("conformance", "--topics")
    assert (code, err) == (0, "")
    assert [line.split("  ")[0] for line in out.splitlines()] == all_topics()
    assert out.splitlines()[0].split("  ")[-1].strip() == "precision recall f1 hit mrr map ndcg rprec rbp"
    assert assay("conformance", "--topics", "-m", "dcg").out == "discount  dcg\n"


def test_help_names_the_exit_code(assay):
    assert "1 gate failed" in assay("--help").out


def test_in_a_terminal(terminal, tmp_path, monkeypatch):
    shutil.copy(EXAMPLE, tmp_path)
    monkeypatch.chdir(tmp_path)
    code, out, _ = terminal("conformance", "--command", f"{PYTHON} my_metrics.py", columns=60)
    assert code == 0
    assert out.startswith("\x1b[1;32m44 of 44 cases agree")
    assert max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in out.splitlines()) <= 67
