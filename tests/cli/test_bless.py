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


def test_a_baseline_is_named_and_moved(assay, kept):
    first, second = kept
    assert assay("bless", "latest~1", "--as", "main").out == f"baseline main is {first}\n"
    assert assay("bless", "latest").out == f"baseline main is {second}; it was {first}\n"
    assert assay("bless", "latest").out == f"baseline main is {second}\n"
    assert assay("bless", "main#bm25", "--as", "best").out == f"baseline best is {second}#bm25\n"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["latest", "--as", "latest"], 2, "a baseline is called by letters"),
        (["latest~5"], 2, "no stored evaluation is called 'latest~5'"),
        (["latest#nobody"], 2, "is called 'nobody'"),
        ([], 2, "REFERENCE"),
        (["latest", "--store", "gone.db"], 6, "there is no store at gone.db yet"),
    ],
)
def test_what_cannot_be_blessed_is_told(assay, kept, words, code, said):
    done = assay("bless", *words)
    assert done.code == code
    assert said in done.err
