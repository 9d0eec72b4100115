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


def test_what_no_gate_could_decide_is_told_now(assay, kept):
    """Providers asked in batches have a mean time alone, which a rule about latency_p95 would find out at night."""
    shared = result_of(7).with_fields(provenance={"latency_ms": {"mean": 1.5}})
    assert shared.has_shared_times
    with Store.open() as store:
        store.save([shared])
    done = assay("bless", "latest")
    assert done.err == (
        "note: bm25 was asked in batches, so no gate can decide about latency_p95; "
        "batch_size: 1 in the plan asks one by one\n"
    )
    assert assay("bless", "latest~1").err == ""


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["latest", "--as", "latest"], 2, "a baseline is called by letters"),
        (["latest~5"], 2, "no stored evaluation is called 'latest~5'"),
        (["latest#nobody"], 2, "is called 'nobody'"),
        (["--as", "main"], 2, "say which evaluation: assay bless latest --as main"),
        (["--remove", "nope"], 2, "no baseline is called 'nope'.   (there is none)"),
        (["latest", "--remove", "main"], 2, "--remove takes a baseline back"),
        (["latest", "--as", "v1.json"], 2, "not like an id, a day or a file; found 'v1.json'"),
        (["latest", "--as", "../../x"], 2, "found '../../x'"),
        (["latest", "--as", "2026-11-15"], 2, "found '2026-11-15'"),
        (["latest", "--store", "gone.db"], 6, "there is no store at gone.db yet"),
    ],
)
def test_what_cannot_be_blessed_is_told(assay, kept, words, code, said):
    done = assay("bless", *words)
    assert done.code == code
    assert said in done.err


def test_baselines_are_listed_and_taken_back(assay, kept):
    first, second = kept
    assert assay("bless").out == "there is no baseline in .assay/assay.db yet: assay bless latest --as main makes one\n"
    assay("bless", "latest~1")
    assay("bless", "latest#bm25", "--as", "best")
    assert assay("bless").out == f"baseline best is {second}#bm25\nbaseline main is {first}\n"
    assert assay("bless", "--remove", "main").out == f"baseline main is gone; it was {first}\n"
    assert assay("bless").out == f"baseline best is {second}#bm25\n"


def test_what_failed_altogether_is_blessed_by_force_only(assay, kept):
    failed = result_of(5).with_fields(failures=dict.fromkeys(result_of(5).query_ids, "ConnectionError: refused"))
    with Store.open() as store:
        name = store.save([failed])
    refused = assay("bless", "latest")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == (
        "error: small/bm25 failed on every query, so anything would be better than this baseline; "
        "ask again, or use --force\n"
    )
    assert assay("bless", "latest", "--force").out == f"baseline main is {name}\n"
