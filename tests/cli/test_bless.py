"""assay bless: a baseline is chosen, and stays."""

from assay.store import Store

from ._stored import result_of


def test_a_baseline_is_named_moved_listed_and_taken_back(folder, transcript):
    with Store.open() as store:
        store.save([result_of(0)])
        store.save([result_of(1, "large")])
    transcript("bless/moved")


def test_what_cannot_be_blessed_is_told(folder, transcript):
    failed = result_of(5).with_fields(failures=dict.fromkeys(result_of(5).query_ids, "ConnectionError: refused"))
    with Store.open() as store:
        for result in (
            result_of(0),
            result_of(1),
            failed,
            result_of(7).with_fields(provenance={"latency_ms": {"mean": 1.5}}),
        ):
            store.save([result])
    transcript("bless/refused")
