"""assay providers: the list, one of them, and whether it answers."""

import json

import pytest

from assay.providers._provider import all_providers

ANSWERING = """
def search(text: str, k: int):
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
    done = assay("providers", "check", "bm25", "--queries", "2")
    assert done.code == 0
    assert done.out.startswith("bm25 answers")
    assert done.out.count(" ms)") == 2
    assert "none of these ids" not in done.out


def test_check_tells_of_ids_that_the_benchmark_does_not_have(place, assay):
    done = assay("providers", "check", "python:answering:search")
    assert done.code == 0
    assert "none of these ids is a document of the benchmark: nowhere" in done.out


def test_check_tells_of_failures_and_exits_4(place, assay):
    done = assay("providers", "check", "python:answering:broken", "--queries", "2")
    assert done.code == 4
    assert "python:answering:broken fails on 2 of 2 queries" in done.out
    assert "down" in done.out
    assert assay("providers", "check", "python:nowhere:search").code == 4


def test_check_as_json(place, assay):
    plain = json.loads(assay("providers", "check", "python:answering:search", "--queries", "1", "-f", "json").out)
    ((answer),) = plain.values()
    assert (answer["docs"], answer["error"]) == (["nowhere"], None)


@pytest.mark.parametrize("words", [("check",), ("check", "bm25", "dense"), ("bm25", "dense")])
def test_how_it_is_written(assay, words):
    done = assay("providers", *words)
    assert done.code == 2
    assert "assay providers" in done.err
