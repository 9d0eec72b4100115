"""The format of docs/your-format.md: a stranger's file, announced as an installer does it, is read by every command."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "your-format.md").read_text(encoding="utf-8")


def block(language, number=0):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[number]


@pytest.fixture
def package(tmp_path):
    """A folder with the files of the page, and with what an installer writes for its entry points."""
    (tmp_path / "faq_format.py").write_text(block("python"), encoding="utf-8")
    (tmp_path / "help.faq").write_text(block("text"), encoding="utf-8")
    project = tomllib.loads(block("toml"))["project"]
    about = tmp_path / "faq_format-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    groups = (
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in project["entry-points"].items()
    )
    (about / "entry_points.txt").write_text("\n".join(groups))
    return tmp_path


PROGRAM = """
import contextlib, io, json, sys
from assay.cli import main
outcomes = []
for arguments in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        code = main(arguments)
    outcomes.append((code, out.getvalue()))
print(json.dumps(outcomes))
"""


def run(folder, *commands):
    """For each command its exit code and everything that it prints, in a fresh interpreter that has the package."""
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH", ""))))
    environment = {**os.environ, "PYTHONPATH": path, "ASSAY_CACHE": str(folder / "cache")}
    program = [sys.executable, "-c", PROGRAM, json.dumps([command.split() for command in commands])]
    done = subprocess.run(program, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_example_is_one_file_of_at_most_60_lines():
    assert len(block("python").splitlines()) <= 60


def test_the_commands_of_the_page_read_the_strangers_files(package):
    shown = re.findall(r"^\$ assay (.*)\n((?:(?!\$ ).*\n)*)", block("shell"), re.MULTILINE)
    assert len(shown) == 3
    outcomes = run(package, *(arguments for arguments, _ in shown))
    for (_, output), (code, printed) in zip(shown, outcomes, strict=True):
        assert code == 0, printed
        said = [line for line in output.splitlines() if line != "…"]
        assert [line for line in said if line not in printed.splitlines()] == [], printed
    assert (package / "help-beir" / "corpus.jsonl").is_file()


def test_faults_and_unknown_files_name_the_strangers_format(package):
    (package / "bad.faq").write_text("A: too early\nQ: why?\nno mark\n")
    (package / "empty.faq").write_text("")
    faulty, empty, listed = run(package, "datasets show bad.faq", "datasets show empty.faq", "datasets")
    assert (faulty[0], "bad.faq:1" in faulty[1], "bad.faq:3" in faulty[1]) == (3, True, True)
    assert (empty[0], "the format was not recognised" in empty[1]) == (3, True)
    assert (listed[0], "faq" in listed[1]) == (0, True)


def test_two_formats_of_one_rank_that_claim_a_file_are_both_named(package):
    (package / "twin.py").write_text(
        "import dataclasses, faq_format\nTWIN = dataclasses.replace(faq_format.FORMAT, name='twin')\n"
    )
    with (package / "faq_format-1.0.dist-info" / "entry_points.txt").open("a") as file:
        file.write("twin = twin:TWIN\n")
    (code, printed), (chosen, _) = run(package, "datasets show help.faq", "datasets show help.faq --dataset-format twin")
    assert (code, "faq and twin" in printed, chosen) == (3, True, 0)
