"""reranking: two rankings side by side; a query that one of them lacks counts in neither."""

import numpy as np

from assay.model.policy import Policy
from assay.model.qrels import Qrels
from assay.model.run import Run
from assay.views.grading import grade
from assay.views.timing import Reranking

QRELS = Qrels({"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}})


def graded(*queries):
    return grade(Run({query: {"a": 1.0} for query in queries}), QRELS, Policy(missing="skip")).run


def test_only_queries_of_both_count_in_the_order_of_the_last():
    view = Reranking(graded("q1", "q3"), graded("q2", "q3", "q1"))
    assert set(view.query_ids) == {"q1", "q3"}
    before, after = view.each(lambda run: run.n_retrieved.astype(float))
    assert before.tolist() == after.tolist() == [1.0, 1.0]


def test_scores_follow_their_queries():
    view = Reranking(graded("q3", "q1", "q2"), graded("q1", "q2", "q3"))
    numbers = {query: float(query[1]) for query in view.query_ids}
    before, after = view.each(lambda run: np.array([numbers[query] for query in run.query_ids]))
    assert before.tolist() == after.tolist() == [numbers[query] for query in view.query_ids]
