"""assay judgments calibrate: what a model gives where people also gave grades."""

import json
from pathlib import Path

import pytest

import assay as library
from assay.stats import cohen_kappa
from assay.store import Judgment, Store


def gave(result, judge, grade, kind="model", n=40):
    """A grade for the first document of each of n queries, and for the fourth one."""
    pairs = [(query, list(result.run[query])[place]) for query in result.query_ids[:n] for place in (0, 3)]
    when = "2026-11-15T09:30:00+00:00"
    return [
        Judgment("rag-template", query, document, judge, grade(number), judged=when, kind=kind)
        for number, (query, document) in enumerate(pairs)
    ]


@pytest.fixture
def graded(folder):
    """Ana alternates 2 and 0, the first model gives 1 more to every fourth document, and another has no pair in common."""
    result = library.run("rag-template", "bm25", metrics=["precision@10"])
    people = gave(result, "Ana", lambda number: 2 - 2 * (number % 2), "people")
    first = gave(result, "first", lambda number: 2 - 2 * (number % 2) + (number % 4 == 1))
    with Store.open() as store:
        store.save([result])
        store.judgments.give_all([*people, *first])
        store.judgments.give_all(gave(result, "second", lambda _: 1))
        store.judgments.give_all(gave(result, "few", lambda _: 1, n=3))
        store.judgments.give(Judgment("rag-template", "q01", "elsewhere", "alone", 1, kind="model"))
    rows = [{"query": one.query, "document": one.document, "grade": number % 2} for number, one in enumerate(first[:40])]
    Path("again.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*rows, {**rows[0], "document": "x"}]))


@pytest.mark.usefixtures("graded")
def test_shown_and_refused(transcript):
    transcript("calibration/shown")


@pytest.mark.usefixtures("graded")
def test_figures_are_those_worked_by_hand(assay):
    content = json.loads(assay("judgments", "calibrate", "--judge", "first", "--again", "again.jsonl", "-f", "json").out)
    people = [2 - 2 * (number % 2) for number in range(80)]
    model = [grade + (number % 4 == 1) for number, grade in enumerate(people)]
    assert content["n_pairs"] == 80
    counts = {(row["people"], row["model"]): row["n"] for row in content["confusion"] if row["n"]}
    assert counts == {(2.0, 2.0): 40, (0.0, 0.0): 20, (0.0, 1.0): 20}
    assert content["kappa"]["value"] == pytest.approx(cohen_kappa(people, model))
    assert content["weighted_kappa"]["value"] == pytest.approx(cohen_kappa(people, model, weights="quadratic"))
    assert content["binary_kappa"]["value"] == pytest.approx(0.5)  # observed 0.75, by chance 0.5
    assert content["bias"]["bias"] == pytest.approx(0.25)
    ranks = {row["group"]: (row["n_pairs"], row["bias"]) for row in content["groups"]["rank"]}
    assert ranks == {"1 to 3": (40, 0.0), "4 to 10": (40, 0.5)}
    assert [(row["group"], row["n_pairs"]) for row in content["groups"]["system"]] == [("bm25", 80)]
    assert sum(row["n_pairs"] for row in content["groups"]["length"]) == 80
    assert content["repeated"] == {"n_pairs": 40, "n_same": 10}  # 2, 1, 2, 0 … against 0, 1, 0, 1 …
