"""assay providers: the list, one of them, and whether it answers."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from assay.providers import all_providers

from .conftest import SCRIPT

ANSWERING = """
import sys, time

def search(text: str, k: int):
    print('looking')
    return ['nowhere']

def broken(text: str, k: int):
    raise OSError('down')

def hangs(text: str, k: int):
    time.sleep(5)

def slow(text: str, k: int):
    if not text.startswith("How many"):
        sys.stdin.readline()
    return ["p001"]
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("answering.py").write_text(ANSWERING)


def test_all_of_them_and_each(assay):
    done = assay("providers")
    assert done.code == 0
    for name, provider in all_providers().items():
        assert (name in done.out, provider.meaning.split()[0] in done.out) == (True, True), name
        out = assay("providers", name).out
        assert [param.name for param in provider.params if param.name not in out] == [], name
    described = {one["name"]: one for one in json.loads(assay("providers", "-f", "json").out)}
    assert list(described) == list(all_providers())
    assert described["python"]["parameters"][0]["needed"] is True


def test_one_of_them_and_mistakes(transcript):
    transcript("providers/one")


def test_check_asks_a_few_queries(assay):
    done = assay("providers", "check", "bm25", "--queries", "2", "--k", "4")
    rows = re.findall(r"^  .*   4   +[\d.]+ ms   p\d+ p\d+ p\d+ p\d+$", done.out, re.MULTILINE)
    assert (done.code, len(rows), done.out.splitlines()[-1]) == (0, 2, "bm25 works.")
    done = assay("providers", "check", "python:answering:search")
    assert (
        done.code,
        "it returns ids like nowhere, the benchmark has ids like p001" in done.out,
        "looking" in done.err,
    ) == (0, True, True)
    done = assay("providers", "check", "python:answering:broken", "--queries", "2")
    assert (done.code, len(re.findall("failed: .*OSError: down", done.out))) == (4, 2)
    (answer,) = json.loads(
        assay("providers", "check", "python:answering:search", "--queries", "1", "-f", "json").out
    ).values()
    assert (answer["docs"], answer["error"], answer["unknown"]) == (["nowhere"], None, ["nowhere"])
    done = assay("providers", "check", "python:answering:hangs", "--queries", "1", "--timeout", "0.1")
    assert (done.code, "no response within 0.1 s" in done.out) == (4, True)


def test_check_hides_secrets(assay):
    done = assay("providers", "check", "http(url='http://127.0.0.1:9/search?api_key=s3cr3t')")
    assert (done.code, "127.0.0.1:9" in done.out, "s3cr3t" in done.out + done.err) == (4, True, False)


@pytest.mark.slow
def test_check_shows_each_answer_as_it_comes():
    command = [SCRIPT, "providers", "check", "python:answering:slow", "--queries", "2"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        lines = [child.stdout.readline() for _ in range(4)]
        assert re.match(r"  How many .* ms   p001\n", lines[3])
        assert child.poll() is None
        rest, _ = child.communicate("\n", timeout=20)
    assert re.match(r"  How can .* ms   p001\n\n", rest)
