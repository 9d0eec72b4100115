"""SingleTermRetrievalMetrics: figures by name and cutoff, out of whatever has them."""

import json

import pytest

from assay import BadParameter
from assay.metrics.functions import K_VALUES, SingleTermRetrievalMetrics
from assay.metrics.parsing import parse_metrics

FIGURES = {
    **{name: number / 100 for number, name in enumerate(SingleTermRetrievalMetrics.names())},
    "mrr": 0.5,
}


def test_the_names_are_those_of_the_catalog_at_every_cutoff():
    names = SingleTermRetrievalMetrics.names()
    assert [metric.name for metric in parse_metrics(names)] == names
    assert len(names) == 1 + 6 * len(K_VALUES)
    assert names[:3] == ["mrr", "hit@1", "hit@3"]


def test_the_figures_are_found_by_cutoff():
    found = SingleTermRetrievalMetrics.of(FIGURES)
    assert found.mrr == 0.5
    assert found.hit_rate_at_k == {1: FIGURES["hit@1"], 3: FIGURES["hit@3"], 5: FIGURES["hit@5"], 10: FIGURES["hit@10"]}
    assert found.max_ont_sim_at_k[10] == FIGURES["max_ont_sim@10"]
    assert found.ndcg_at_k[5] == FIGURES["ndcg@5"]
    assert found.recall_at_k[3] == FIGURES["recall@3"]
    assert found.precision_at_k[1] == FIGURES["precision@1"]
    assert found.map_at_k[10] == FIGURES["map@10"]


def test_cutoffs_can_be_chosen_and_are_sorted():
    assert SingleTermRetrievalMetrics.names([20, 1, 20])[1:3] == ["hit@1", "hit@20"]
    assert list(SingleTermRetrievalMetrics.of(FIGURES, [3, 1]).ndcg_at_k) == [1, 3]


@pytest.mark.parametrize("wrong", [[], [0], [1, -3], [True], ["5"], [2.0]])
def test_cutoffs_are_whole_numbers(wrong):
    with pytest.raises(BadParameter, match="k_values are whole numbers from 1 up"):
        SingleTermRetrievalMetrics.names(wrong)


def test_a_figure_that_is_not_there_is_an_error():
    with pytest.raises(KeyError, match="hit@20"):
        SingleTermRetrievalMetrics.of(FIGURES, [20])


def test_plain_values_are_json():
    plain = SingleTermRetrievalMetrics.of(FIGURES, [1]).to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert (plain["mrr"], plain["hit_rate_at_k"]) == (0.5, {"1": FIGURES["hit@1"]})
