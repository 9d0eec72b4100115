"""assay providers: the list, one of them, and whether it answers."""

import json
import re
import subprocess

import pytest

from assay.cli.program import build_parser
from assay.providers.provider import all_providers

from .conftest import SCRIPT

ANSWERING = """
def search(text: str, k: int):
    print('looking')
    return ['nowhere']

def broken(text: str, k: int):
    raise OSError('down')
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answering.py").write_text(ANSWERING)
    return tmp_path


def test_all_of_them(assay):
    done = assay("providers")
    assert done.code == 0
    for name, provider in all_providers().items():
        assert name in done.out
        assert provider.meaning.split()[0] in done.out


def test_one_of_them_with_its_parameters(assay):
    done = assay("providers", "bm25")
    assert done.code == 0
    assert done.out.startswith("bm25: ")
    for param in all_providers()["bm25"].params:
        assert param.name in done.out


def test_what_must_be_given_is_told(assay):
    assert "needed" in assay("providers", "python").out


def test_what_it_is_made_of_is_told(assay):
    assert "made of other providers: hybrid(bm25, dense)" in assay("providers", "hybrid").out


def test_as_json(assay):
    every = json.loads(assay("providers", "-f", "json").out)
    assert [one["name"] for one in every] == list(all_providers())
    one = json.loads(assay("providers", "python", "-f", "json").out)
    assert one["parameters"][0]["needed"] is True


def test_a_name_nobody_knows(assay):
    done = assay("providers", "bm52")
    assert done.code == 2
    assert "Did you mean bm25?" in done.err


def test_check_asks_a_few_queries(place, assay):
    done = assay("providers", "check", "bm25", "--queries", "2", "--k", "4")
    assert done.code == 0
    assert done.out.startswith("bm25 on rag-template, k = 4\n")
    assert done.out.endswith("\nbm25 answers.\n")
    head, *rows = [line for line in done.out.splitlines() if line.startswith("  ")]
    assert head.split() == ["query", "hits", "time", "first", "hits"]
    assert len(rows) == 2
    for row in rows:
        assert re.search(r"   4   +[\d.]+ ms   p\d+ p\d+ p\d+ p\d+$", row)


def test_check_tells_of_ids_that_the_benchmark_does_not_have(place, assay):
    done = assay("providers", "check", "python:answering:search")
    assert done.code == 0
    assert "answers, but none of its ids is a document of the benchmark: it returns nowhere, there are p001 …" in done.out


def test_check_tells_of_failures_and_exits_4(place, assay):
    done = assay("providers", "check", "python:answering:broken", "--queries", "2")
    assert done.code == 4
    assert done.out.endswith("python:answering:broken fails on 2 of 2 queries.\n")
    failed = [line for line in done.out.splitlines() if "failed: " in line]
    assert len(failed) == 2
    assert all("OSError: down" in line for line in failed)


def test_check_of_what_is_not_there(place, assay):
    done = assay("providers", "check", "python:nowhere:search")
    assert done.code == 4
    assert done.err.startswith("error: ")
    assert "nowhere" in done.err
    done = assay("providers", "check", "bm52")
    assert done.code == 2
    assert "Did you mean bm25?" in done.err


def test_check_hides_secrets(place, assay):
    done = assay("providers", "check", "http(url='http://127.0.0.1:9/search?api_key=s3cr3t')")
    assert done.code == 4
    assert "127.0.0.1:9" in done.out
    assert "s3cr3t" not in done.out + done.err


def test_check_as_json(place, assay):
    done = assay("providers", "check", "python:answering:search", "--queries", "1", "-f", "json")
    ((answer),) = json.loads(done.out).values()
    assert (answer["docs"], answer["error"], answer["unknown"]) == (["nowhere"], None, ["nowhere"])
    assert "looking" in done.err


@pytest.mark.parametrize("flags", [("--queries", "0"), ("--k", "0"), ("--k", "-1"), ("--queries", "x")])
def test_numbers_that_make_no_sense(assay, flags):
    done = assay("providers", "check", "bm25", *flags)
    assert done.code == 2
    assert "a whole number from" in done.err


def test_a_mistyped_check(assay):
    done = assay("providers", "chek", "bm25")
    assert done.code == 2
    assert "did you mean assay providers check bm25?" in done.err


@pytest.mark.parametrize("words", [("check",), ("check", "bm25", "dense"), ("bm25", "dense")])
def test_how_it_is_written(assay, words):
    done = assay("providers", *words)
    assert done.code == 2
    assert "assay providers" in done.err


SLOW = """
import sys, time

def search(text: str, k: int):
    if not text.startswith("How many"):
        sys.stdin.readline()
    return ["p001"]
"""


def test_check_shows_each_answer_as_it_comes(place):
    (place / "slow.py").write_text(SLOW)
    command = [SCRIPT, "providers", "check", "python:slow:search", "--queries", "2"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        lines = [child.stdout.readline() for _ in range(4)]
        assert re.match(r"  How many .* ms   p001\n", lines[3])
        assert child.poll() is None
        rest, _ = child.communicate("\n", timeout=20)
    assert re.match(r"  How can .* ms   p001\n\n", rest)


def test_check_has_a_timeout(place, assay):
    (place / "hangs.py").write_text("import time\ndef search(text: str, k: int):\n    time.sleep(5)\n")
    done = assay("providers", "check", "python:hangs:search", "--queries", "1", "--timeout", "0.1")
    assert done.code == 4
    assert "failed: TimeoutError: no answer within 0.1 s" in done.out
    assert "10.0" in str(parse("providers", "check", "bm25").timeout)


def parse(*arguments):
    return build_parser().parse_args(arguments)
