"""A result taken apart and put together is what a file would have given back."""

import json
import math

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests._results import differences, saved_and_read

import assay
from assay.evaluation.result_parts import Confidence
from assay.evaluation.saved_form import SavedProvenance, SavedRelevance
from assay.model.records import Query
from assay.store import Store
from assay.store.packing import unpack_pairs
from assay.store.stored_result import stored_from_plain, to_stored

from ._results import result_of

IDS = st.text(min_size=1, max_size=5)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda some: st.lists(some, max_size=2) | st.dictionaries(st.text(max_size=4), some, max_size=2),
    max_leaves=5,
)
METRICS = ["map", "ndcg@10", "num_ret", "gm_map", "relstring", "rbp(p=0.5)", "bpref"]

KNOWN = {field.name for kind in (SavedProvenance, SavedRelevance) for field in msgspec.structs.fields(kind)}
"""Names under which not any value goes."""


@st.composite
def results(draw):
    """Results as evaluations make them, with whatever may be recorded beside their scores."""
    qrels = draw(
        st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-1, 3), min_size=1, max_size=3), min_size=1, max_size=3)
    )
    run = draw(st.dictionaries(IDS, st.dictionaries(IDS, st.floats(-9, 9), max_size=3), max_size=3))
    run |= {query: dict.fromkeys(docs, 1.0) for query, docs in list(qrels.items())[:1]}
    policies = [{}, {"missing": "skip"}, {"no_relevant": "skip"}, {"rel": 1.5}, {"rel": 9, "no_relevant": "skip"}]
    chosen = draw(st.lists(st.sampled_from(METRICS), min_size=1, unique=True))
    result = assay.evaluate(
        qrels, run, chosen, policy=assay.Policy(**draw(st.sampled_from(policies))), name=draw(st.text(max_size=6))
    )
    ends = st.floats(allow_nan=True, allow_infinity=False)
    tags = st.dictionaries(IDS, st.text(max_size=3), max_size=2)
    return result.with_fields(
        benchmark=draw(st.text(max_size=6)),
        run=draw(st.sampled_from([{}, run, assay.Run(run)])),
        queries={name: Query(name, draw(st.text(max_size=9)), metadata=draw(tags)) for name in qrels},
        intervals={name: Confidence(draw(ends), draw(ends), 0.95, "t") for name in result.summary},
        failures=draw(st.dictionaries(IDS, st.text(max_size=5), max_size=2)),
        provenance=draw(st.dictionaries(st.text(max_size=5).filter(lambda name: name not in KNOWN), ANY_JSON, max_size=3)),
        relevance=draw(st.dictionaries(st.text(max_size=5).filter(lambda name: name not in KNOWN), ANY_JSON, max_size=2)),
        notes=tuple(draw(st.lists(st.text(max_size=5), max_size=2))),
        profile=draw(st.sampled_from(["", "beir"])),
    )


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    with Store.open(tmp_path_factory.mktemp("kept") / "store.db") as store:
        yield store


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(results())
def test_any_result_comes_back_from_the_store_as_from_a_file(kept, result):
    (back,) = kept.find(kept.save([result])).results
    assert differences(back, saved_and_read(result)) == {}
    assert back.to_dict() == saved_and_read(result).to_dict()


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(results())
def test_plain_values_say_the_same(result):
    parcel = to_stored(result)
    again = stored_from_plain(json.loads(json.dumps(parcel.to_plain())))
    assert again == parcel
    assert again.digest == parcel.digest


def test_summaries_are_at_hand_with_interval_and_queries():
    figures = {figure.metric: figure for figure in to_stored(result_of()).figures}
    assert list(figures) == ["ndcg@10", "mrr", "num_ret"]  # relstring is text and has no summary
    # q0 ranks d0 d1 d2 d3 with grades 1 2 0 0, q1 d1 d2 with 1 2, q2 has failed: (.8597 + .8597 + 0) / 3
    ndcg = (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))
    assert figures["ndcg@10"][1:] == (pytest.approx(2 * ndcg / 3), 0.1, 0.9, 3)
    assert figures["num_ret"] == ("num_ret", 8.0, None, None, 3)


def test_undefined_scores_are_not_counted():
    result = result_of()
    column = result.table.columns["mrr"]
    column.score[0] = np.nan
    assert {figure.metric: figure.n for figure in to_stored(result).figures}["mrr"] == 2


def test_relevant_documents_go_along_with_rankings():
    assert unpack_pairs(to_stored(result_of()).relevant)["q1"] == {"d2": 2.0, "d1": 1.0}
    assert to_stored(result_of().with_fields(run={})).relevant is None


def test_what_differs_has_another_digest():
    first = to_stored(result_of())
    assert to_stored(result_of()).digest == first.digest
    assert to_stored(result_of(number=1)).digest != first.digest
    assert to_stored(result_of().with_fields(notes=("look",))).digest != first.digest
    assert to_stored(result_of().with_fields(queries={})).digest != first.digest


def test_what_was_judged_0_comes_back():
    """Retrieved and judged 0 is not the same as judged by nobody."""
    scored = assay.evaluate({"q": {"d": 1, "e": 0, "f": 0}}, {"q": ["e", "x", "d"]}, ["mrr"])
    result = scored.with_fields(run={"q": {"e": 3.0, "x": 2.0, "d": 1.0}})
    parcel = to_stored(result)
    assert parcel.plain["nonrelevant"] == {"q": {"e": 0.0}}
    assert stored_from_plain(parcel.to_plain()).digest == parcel.digest


@pytest.mark.parametrize("odd", [{"dataset": 5}, {"started": []}, {"chunks": {"n": "many"}}])
def test_what_could_not_be_read_again_is_not_saved(odd):
    with pytest.raises(assay.BadParameter, match=rf"^bm25 cannot be saved: provenance\.{next(iter(odd))}.*: expected "):
        to_stored(result_of().with_fields(provenance=odd))
