"""Variety: how different, how unusual and how repetitive the documents of a result list are, whether relevant or not."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.arrays import ratio
from assay.errors import BadParameter
from assay.grammar import Param, cutoff, fraction, one_of
from assay.metrics.definition import CUTOFF_NEEDED, Metric, Scores
from assay.views import ResultLists

DISTANCE_BY = Param(
    "by",
    one_of("embeddings", "tags", vectors="embeddings", categories="tags"),
    "embeddings",
    "embeddings: 1 − cosine of the vectors of two documents; tags: 1 − shared tags ÷ tags of either document",
)


def intra_list_distance(lists: ResultLists, k: int, by: str) -> Scores:
    """Mean distance between two of the first k documents, over all pairs: 0 if all are alike.

    A list with fewer than two documents scores 0. Documents without a vector (or tags) do not count; a list of several
    documents has no score if fewer than two of them have one. A cosine below 0 makes a distance above 1.
    """
    first = lists.first(k)
    distance = first.cosine_distance() if by == "embeddings" else first.tag_distance()
    return np.where(first.length < 2, 0.0, distance)


INTRA_LIST_DISTANCE = Metric(
    "ild",
    intra_list_distance,
    params=(CUTOFF_NEEDED, DISTANCE_BY),
    aliases=("intra_list_distance", "intra_list_diversity"),
    mistaken_for=("alpha_ndcg",),
    range=(0.0, 2.0),
    view="result_lists",
    reads=("vectors", "texts"),
    formula="2 ÷ (k (k − 1)) · Σ distance(dᵢ, dⱼ) over i < j ≤ k",
    cite="Ziegler et al. 2005, Improving Recommendation Lists Through Topic Diversification, WWW; Zhang & Hurley 2008, "
    "Avoiding Monotony, RecSys",
)


def tag_entropy(lists: ResultLists, k: int) -> Scores:
    """Entropy of the tags of the first k documents, in bits: 0 if all have the same tag.

    A document with several tags counts once for each. Documents without tags do not count; a list without any tags has no
    score. An empty list scores 0.
    """
    first = lists.first(k)
    query, count = first.tag_counts()
    total = np.bincount(query, weights=count, minlength=first.n_queries)
    weighted = np.bincount(query, weights=count * np.log2(count), minlength=first.n_queries)
    entropy = np.maximum(np.log2(np.maximum(total, 1)) - ratio(weighted, total), 0.0)
    return np.where(total > 0, entropy, np.where(first.length > 0, np.nan, 0.0))


TAG_ENTROPY = Metric(
    "tag_entropy",
    tag_entropy,
    params=(CUTOFF_NEEDED,),
    aliases=("category_entropy",),
    range=(0.0, float("inf")),
    view="result_lists",
    reads=("tags",),
    formula="− Σ p(t) log₂ p(t), p(t) = how often tag t occurs ÷ how often any tag occurs",
    cite="Shannon 1948, A Mathematical Theory of Communication, Bell System Technical Journal 27",
)


def novelty(lists: ResultLists, k: int) -> Scores:
    """Mean surprise of the first k documents, in bits: 10 if each has 1 of 1,024 interactions, 0 if one document has all.

    A document with popularity 0 counts like the least popular document above 0. Documents whose popularity is unknown do not
    count; a list without any known popularity has no score. An empty list scores 0.
    """
    first = lists.first(k)
    share = first.documents.popularity[first.doc]
    known = ~np.isnan(share)
    surprise = -np.log2(share, out=np.zeros_like(share), where=known) + 0.0
    return np.where(first.length > 0, first.mean(surprise, known), 0.0)


NOVELTY = Metric(
    "novelty",
    novelty,
    params=(CUTOFF_NEEDED,),
    aliases=("mean_self_information", "surprisal"),
    range=(0.0, float("inf")),
    view="result_lists",
    reads=("popularity",),
    formula="1 ÷ k · Σ − log₂ (popularity(d) ÷ popularity of all documents)",
    cite="Zhou et al. 2010, Solving the Apparent Diversity-Accuracy Dilemma of Recommender Systems, PNAS 107(10); Vargas & "
    "Castells 2011, Rank and Relevance in Novelty and Diversity Metrics, RecSys",
)


ALIKE = Param("threshold", fraction, 0.5, "lowest Jaccard similarity of shingles at which two documents are nearly equal")
SHINGLE = Param("words", cutoff, 3, "number of words of a shingle")


def check_threshold(params: Mapping[str, Any]) -> None:
    """The threshold is above 0, because texts that share nothing are not nearly equal."""
    if params["threshold"] == 0:
        raise BadParameter("near_duplicates: threshold must be above 0. For exact copies: threshold=1")


def near_duplicates(lists: ResultLists, k: int, threshold: float, words: int) -> Scores:
    """Share of the first k documents that nearly repeat an earlier one: 0 if no text is a copy of another.

    Two texts are nearly equal if they share enough shingles, which are stretches of words. Case and punctuation do not
    count. Documents without a text do not count; a list without any text has no score.
    """
    first = lists.first(k)
    is_repeat, has_text = first.repeats_earlier(threshold, words)
    return first.mean(is_repeat.astype(float), has_text)


NEAR_DUPLICATES = Metric(
    "near_duplicates",
    near_duplicates,
    params=(CUTOFF_NEEDED, ALIKE, SHINGLE),
    check=check_threshold,
    aliases=("near_duplicate_rate", "redundancy"),
    higher_is_better=False,
    view="result_lists",
    reads=("texts",),
    formula="documents i ≤ k with Jaccard(shingles(dᵢ), shingles(dⱼ)) ≥ threshold for a j < i, ÷ k",
    cite="Broder 1997, On the Resemblance and Containment of Documents, SEQUENCES",
)
