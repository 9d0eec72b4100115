"""A stored result has all its repeats, in the store and in an export."""

import numpy as np
from tests._results import differences

from assay.evaluation import combine_repeats
from assay.store import Store

from ._results import result_of


def repeated():
    """Three repeats with other rankings; q2 fails on all of them, and q1 on the second."""
    first, second, third = (result_of(number) for number in range(3))
    second = second.with_fields(run={"q0": second.run["q0"]}, failures={**second.failures, "q1": "once"})
    return combine_repeats([first, second, third])


def test_repeats_come_back_from_the_store_and_from_an_export(sqlite, tmp_path):
    result = repeated()
    file = tmp_path / "export.jsonl.zst"
    with Store.open(sqlite) as store:
        name = store.save(result)
        (back,) = store.find(name).results
        assert set(differences(back, result)) <= {"grader", "settings", "recorded", "policy", "nonrelevant", "relevant"}
        assert {query: len(some) for query, some in back.reruns.items()} == {"q0": 2, "q1": 1}
        assert store.check().is_sound
        assert store.export(file) == 1
    with Store.open(f"sqlite:///{tmp_path / 'other.db'}") as other:
        assert other.import_(file).new == (name,)
        (imported,) = other.find(name).results
    assert imported.to_dict() == back.to_dict()
    assert np.array_equal(imported.repeats["mrr"], result.repeats["mrr"], equal_nan=True)


def test_a_result_without_repeats_is_packed_as_before(sqlite):
    with Store.open(sqlite) as store:
        (back,) = store.find(store.save(result_of())).results
    assert (back.n_repeats, dict(back.reruns), dict(back.repeats)) == (1, {}, {})
