"""Example of your own metrics with the protocol of `assay conformance`: JSON lines in, JSON lines out."""

import json
import math
import sys


def ranked(scores):
    """Documents, best score first; sorted() keeps equal scores in the given order."""
    if not isinstance(scores, dict):
        raise TypeError("this program does not support runs in which a document occurs twice")
    return sorted(scores, key=scores.get, reverse=True)


def dcg(gains):
    """The sum of the gains, each discounted by its rank."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def measure(name, k, grades, docs):
    """The score of one query; None for an unknown metric."""
    gains = [max(0, grades.get(doc, 0)) for doc in docs]
    ideal = sorted((max(0, grade) for grade in grades.values()), reverse=True)
    found = [rank for rank, gain in enumerate(gains, 1) if gain and rank <= (k or len(gains))]
    relevant = sum(grade > 0 for grade in grades.values())
    if name == "dcg":
        return dcg(gains[:k])
    if not relevant:
        return 0.0
    recall = len(found) / relevant
    precision = len(found) / (k or 1)
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if found else 0.0,
        "hit": float(bool(found)),
        "mrr": 1 / found[0] if found else 0.0,
        "map": sum(place / rank for place, rank in enumerate(found, 1)) / relevant,
        "rprec": sum(rank <= relevant for rank in found) / relevant,
        "ndcg": dcg(gains[:k]) / dcg(ideal[:k]),
    }.get(name)


def score(metric, qrels, run):
    """The mean over all judged queries; a query that is missing from the run scores 0."""
    name, _, k = metric.partition("@")
    scores = [measure(name, int(k) if k else None, grades, ranked(run.get(query, {}))) for query, grades in qrels.items()]
    return None if None in scores else sum(scores) / len(scores)


if __name__ == "__main__":
    for line in sys.stdin:
        case = json.loads(line)
        try:
            answer = {"value": score(case["metric"], case["qrels"], case["run"])}
        except TypeError as error:
            answer = {"error": str(error)}
        sys.stdout.write(json.dumps({"id": case["id"], **answer}) + "\n")
