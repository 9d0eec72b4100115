"""Seed system "Personal RAG Chatbot": relevant ids first, as there, `from assay.compat.ragchat import ndcg_at_k`.

Ids are one text, several separated by `;`, or a list. The conventions are those of the original: precision ÷ what was
retrieved within k, average precision ÷ all relevant. A relevant document that is not in `relevance_grades` has grade 0 for
NDCG and is relevant for all other metrics. Where the original would give another result without an error, a
`DifferenceWarning` says so. Differences:

    original                                                   here
    a document retrieved twice counts twice (NDCG above 1)     the first counts, later ones keep their rank
    a graded document that is not relevant counts in DCG       only relevant ids count
    more queries than results, or fewer: the rest is dropped   DataError
    the batch ignores grades                                   `relevance_grades` of a query are the gains of documents
    an unknown metric of a batch is left out                   UnknownName with similar names
    no queries: ZeroDivisionError                              0.0
    `batch_evaluate_metrics` cannot run                        it returns the same as for the whole batch
    `RetrievalMetricsSuite` lacks its methods                  it has them
    cache keys can collide and ignore the data                 keys are tuples, with the content if it is given
    a confidence level other than 0.95 means 0.99              Student's t at the requested level
    reranking improvement over a baseline of 0: ZeroDivision   nan
    NDCG@4 of case 3 ≈ 0.693, of the ranking [3, 0, 2, 1] 0.985  0.498189 and 0.930451
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
