"""assay bless: a baseline is chosen, and stays."""

import pytest

from assay.store import Store

from ._stored import result_of


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    with Store.open() as store:
        return [store.save([result_of(number)]) for number in range(2)]


def test_a_baseline_is_named_moved_listed_and_taken_back(assay, kept):
    first, second = kept
    steps = {
        "": "there is no baseline in .assay/assay.db yet: assay bless latest --as main makes one\n",
        "latest~1 --as main": f"baseline main is {first}\n",
        "latest": f"baseline main is {second}; it was {first}\n",
        "latest --as main": f"baseline main is {second}\n",
        "main#bm25 --as best": f"baseline best is {second}#bm25\n",
        "--store .assay/assay.db": f"baseline best is {second}#bm25\nbaseline main is {second}\n",
        "--remove main": f"baseline main is gone; it was {second}\n",
    }
    for words, said in steps.items():
        assert assay("bless", *words.split()).out == said, words
    assert assay("bless").out == f"baseline best is {second}#bm25\n"


@pytest.mark.usefixtures("kept")
def test_what_cannot_be_blessed_is_told(transcript):
    failed = result_of(5).with_fields(failures=dict.fromkeys(result_of(5).query_ids, "ConnectionError: refused"))
    together = result_of(7).with_fields(provenance={"latency_ms": {"mean": 1.5}})
    assert together.has_shared_times
    with Store.open() as store:
        store.save([failed])
        store.save([together])
    transcript("bless/refused")
