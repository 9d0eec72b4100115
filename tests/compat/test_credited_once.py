"""credited_once: an id that comes again holds its rank and earns nothing more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError
from assay.compat.arguments import AGAIN, credited_once
from assay.metrics import dcg_at_k, ndcg_at_k, recall_at_k


def test_by_hand():
    assert credited_once(["a", "b", "a", "", 7, "7"]) == ["a", "b", f"{AGAIN}3", f"{AGAIN}4", "7", f"{AGAIN}6"]


@given(st.lists(st.sampled_from("abcd")), st.sets(st.sampled_from("abcd")), st.integers(1, 6))
def test_nothing_passes_1_and_first_places_stay(ids, relevant, k):
    ranked = credited_once(ids)
    assert len(ranked) == len(set(ranked)) == len(ids)
    assert [ranked.index(one) for one in dict.fromkeys(ids)] == [ids.index(one) for one in dict.fromkeys(ids)]
    assert ndcg_at_k(ranked, relevant, k) <= 1 + 1e-12
    assert recall_at_k(ranked, relevant, k) <= 1
    firsts = [float(one in relevant and one not in ids[:place]) for place, one in enumerate(ids)]
    assert dcg_at_k(ranked, relevant, k) == pytest.approx(dcg_at_k(firsts, k))


@pytest.mark.parametrize("wrong", [None, 1.5, True])
def test_what_is_no_id_is_an_error(wrong):
    with pytest.raises(DataError, match="an id is text or a whole number"):
        credited_once([wrong])
