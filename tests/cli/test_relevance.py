"""assay score --dataset: which benchmark is scored, and who decides about relevance."""

import json
from pathlib import Path

import pytest

from assay import Document, Query, RelevanceJudgment
from assay.datasets import BenchmarkDataset

CAT, DOG = "Cats sleep twelve hours a day.", "Dogs bark at night."


def made():
    """q1 has judgments, q2 an expected answer, q3 nothing."""
    dataset = BenchmarkDataset("Pets", "1.0")
    dataset.add_query(Query("q1", "cats?", expected=CAT))
    dataset.add_query(Query("q2", "dogs?", expected="Dogs bark"))
    dataset.add_query(Query("q3", "fish?"))
    for doc, text in {"d1": CAT, "d2": DOG, "d3": "Fish swim."}.items():
        dataset.add_document(Document(doc, text))
    dataset.add_judgment(RelevanceJudgment("q1", "d1", 2))
    return dataset


@pytest.fixture(autouse=True)
def pets(tmp_path, monkeypatch):
    """The working directory, with a benchmark and runs."""
    monkeypatch.chdir(tmp_path)
    made().save_json(Path("pets.json"))
    judged = made()
    judged.queries = {"q1": judged.queries["q1"]}
    judged.save_json(Path("judged.json"))
    hits = {"q1": [{"content": DOG}, {"content": CAT}], "q2": [{"content": DOG}]}
    texts = {
        "a.run": "q1 Q0 d2 1 2 a\nq1 Q0 d1 2 1 a\nq2 Q0 d2 1 2 a\n",
        "b.run": "q1 Q0 d1 1 2 b\nq2 Q0 d1 1 2 b\n",
        "chunks.run": "q1 Q0 d1#0 1 3 c\nq1 Q0 d1#1 2 2 c\nq1 Q0 d2#0 3 1 c\n",
        "twice.run": "q1 Q0 d1#0 1 3 c\nq1 Q0 d1#0 2 2 c\n",
        "map.tsv": "c1\td1\nc2\td1\n",
        "mapped.run": "q1 Q0 x 1 3 m\nq1 Q0 c1 2 2 m\nq1 Q0 c2 3 1 m\n",
        "hits.json": json.dumps(hits),
        "qrels.txt": "q1 0 d1 1\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text)


def test_what_is_shown_and_refused(transcript):
    transcript("relevance/figures")
    transcript("relevance/shown")
    transcript("relevance/refused")
