"""assay chunkers: the list, and one of them."""

import json

from assay.chunkers import all_chunkers


def test_all_of_them_and_each(assay):
    done = assay("chunkers")
    assert done.code == 0
    for name, chunker in all_chunkers().items():
        assert (name in done.out, chunker.meaning in done.out) == (True, True), name
        out = assay("chunkers", name).out
        assert [param.name for param in chunker.params if param.name not in out] == [], name
    assert [one["name"] for one in json.loads(assay("chunkers", "-f", "json").out)] == list(all_chunkers())


def test_one_of_them(transcript):
    transcript("chunkers/one")
