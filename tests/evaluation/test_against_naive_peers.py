"""The profiles beir, mteb and sentence-transformers against plain references: these tools are too heavy to install here.

What the first two leave to pytrec_eval is left to it here as well; what they script themselves is written down anew.
"""

import math
from statistics import fmean

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import assay

KS = (1, 3, 10)
QUERIES = ["q1", "q2", "q3", "7"]
DOCS = [*QUERIES, *(f"d{number}" for number in range(9))]
"""Some documents go by the name of a query, as in datasets whose queries are documents."""
SCORES = st.one_of(st.integers(0, 2).map(float), st.sampled_from([1.0, 1.00000001, 1.00000002, 0.5, 0.5 + 1e-9]))
RANKINGS = st.dictionaries(st.sampled_from(DOCS), SCORES, max_size=12).map(lambda ranked: ranked | {"other": 0.25})
QRELS = st.dictionaries(
    st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3), min_size=1, max_size=8), min_size=1
)


@st.composite
def judged_and_ranked(draw, rankings=RANKINGS):
    """Judgments, and a run that has some of their queries and no other."""
    qrels = draw(QRELS)
    queries = draw(st.lists(st.sampled_from(list(qrels)), min_size=1, unique=True))
    return qrels, {query: draw(rankings) for query in queries}


def relevant(qrels, query):
    return {doc for doc, grade in qrels[query].items() if grade > 0}


def assert_same(profile, qrels, run, wanted):
    """Every figure, asked for all at once."""
    found = assay.evaluate(qrels, run, list(wanted), profile=profile)
    assert {name: found[name] for name in wanted} == pytest.approx(wanted, rel=1e-9, abs=1e-9)


def by_pytrec_eval(qrels, run, names):
    """The mean over the queries it scores, as these tools take it."""
    cuts = ",".join(map(str, KS))
    scores = pytrec_eval.RelevanceEvaluator(qrels, {f"{name}.{cuts}" for name in names.values()}).evaluate(run)
    return {
        f"{ours}@{k}": fmean(values[f"{theirs}_{k}"] for values in scores.values())
        for ours, theirs in names.items()
        for k in KS
    }


TREC_NAMES = {"NDCG": "ndcg_cut", "MAP": "map_cut", "Recall": "recall", "P": "P"}


def beir(qrels, run):
    """Four by pytrec_eval; its own scripts sort stably and divide by the number of judged queries."""
    run = {query: {doc: score for doc, score in ranked.items() if doc != query} for query, ranked in run.items()}
    figures = by_pytrec_eval(qrels, run, TREC_NAMES)
    top = {query: sorted(ranked, key=ranked.get, reverse=True) for query, ranked in run.items()}
    for k in KS:
        ranks = {q: [rank for rank, doc in enumerate(top[q][:k], 1) if doc in relevant(qrels, q)] for q in run}
        figures[f"MRR@{k}"] = sum(1 / hits[0] for hits in ranks.values() if hits) / len(qrels)
        figures[f"Accuracy@{k}"] = sum(bool(hits) for hits in ranks.values()) / len(qrels)
        if all(relevant(qrels, query) for query in qrels):
            capped = (len(hits) / min(k, len(relevant(qrels, query))) for query, hits in ranks.items())
            figures[f"R_cap@{k}"] = sum(capped) / len(qrels)
    return figures


@given(judged_and_ranked())
def test_beir(data):
    assert_same("beir", *data, beir(*data))


def mteb(qrels, run):
    """Five by pytrec_eval; its own scripts sort by score and id, descending, and divide by the number of rankings."""
    figures = by_pytrec_eval(qrels, run, TREC_NAMES | {"hit_rate": "success"})
    figures["accuracy"] = figures["Recall@1"]
    top = {query: sorted(ranked, key=lambda doc: (ranked[doc], doc), reverse=True) for query, ranked in run.items()}
    for k in KS:
        ranks = {q: [rank for rank, doc in enumerate(top[q][:k], 1) if doc in relevant(qrels, q)] for q in run}
        figures[f"MRR@{k}"] = fmean(1 / hits[0] if hits else 0.0 for hits in ranks.values())
        capped = [len(hits) / min(k, len(relevant(qrels, q))) for q, hits in ranks.items() if relevant(qrels, q)]
        if capped:
            figures[f"R_cap@{k}"] = fmean(capped)
    return figures


@given(judged_and_ranked())
def test_mteb(data):
    assert_same("mteb", *data, mteb(*data))


def sentence_transformers(qrels, run):
    """A document is relevant or not, queries with none are dropped, map is divided by min(k, R)."""
    rows = {"accuracy": [], "precision": [], "recall": [], "mrr": [], "ndcg": [], "map": []}
    figures = {}
    for k in KS:
        for query in filter(lambda query: relevant(qrels, query), qrels):
            ranked, wanted = run.get(query, {}), relevant(qrels, query)
            top = sorted(ranked, key=ranked.get, reverse=True)[:k]
            ranks = [rank for rank, doc in enumerate(top, 1) if doc in wanted]
            rows["accuracy"].append(bool(ranks))
            rows["precision"].append(len(ranks) / k)
            rows["recall"].append(len(ranks) / len(wanted))
            rows["mrr"].append(1 / ranks[0] if ranks else 0.0)
            ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(wanted)) + 1))
            rows["ndcg"].append(sum(1 / math.log2(rank + 1) for rank in ranks) / ideal)
            rows["map"].append(sum(place / rank for place, rank in enumerate(ranks, 1)) / min(k, len(wanted)))
        figures |= {f"{name}@{k}": fmean(values) for name, values in rows.items() if values}
        rows = {name: [] for name in rows}
    return figures


DISTINCT = st.permutations(DOCS).map(lambda docs: {doc: 1 / (1 + place) for place, doc in enumerate(docs)})


@given(judged_and_ranked(DISTINCT))
def test_sentence_transformers(data):
    if figures := sentence_transformers(*data):
        assert_same("sentence-transformers", *data, figures)
