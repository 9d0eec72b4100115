"""Seed system "Personal RAG Chatbot": relevant ids first, as printed, `from assay.compat.ragchat import ndcg_at_k`.

Ids are one text, several joined by `;`, or a list. Conventions are the printed ones: precision ÷ what was retrieved within
k, average precision ÷ all relevant, a relevant document that `relevance_grades` leaves out has grade 0 for NDCG and is
relevant for everything else. Where it differs:

    printed                                                    here
    a document retrieved twice counts twice (NDCG above 1)     the first is credited, later ones hold their rank
    a graded document that is not relevant counts in DCG       only relevant ids count
    queries and results of unequal number are cut to the less  DataError
    the batch ignores grades                                   `relevance_grades` of a query say what documents gain
    an unknown metric of a batch is left out                   UnknownName with near matches
    no queries: ZeroDivisionError                              0.0
    `batch_evaluate_metrics` cannot run                        it gives what the whole batch gives
    `RetrievalMetricsSuite` lacks its methods                  it has them
    cache keys run together and ignore the data                keys are tuples, with the content where it is given
    a confidence level other than 0.95 means 0.99              Student's t at the level asked for
    NDCG@4 of case 3 ≈ 0.693, of the ranking [3, 0, 2, 1] 0.985  0.498189 and 0.930451
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
