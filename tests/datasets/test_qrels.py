"""Judgments: what their files may say, subtopics and iterations."""

from typing import NamedTuple

import pytest

from assay import DataError, Qrels

from ._cases import delimited, plain, sources, write


def test_what_judgments_may_say(tmp_path):
    def read(name, content):
        return plain(Qrels(write(tmp_path / name, content)))

    assert read("qrels.json", '{"q1": ["a", 7], "q2": []}') == {"q1": {"a": 1, "7": 1}, "q2": {}}
    assert read("qrels.csv", "qid,docid,score,relevance\nq1,a,0.7,2\n") == {"q1": {"a": 2}}
    assert read("qrels", "q1\t0\tUser Guide.md\t1\nq1 0 faq.md 2\n") == {"q1": {"User Guide.md": 1, "faq.md": 2}}
    path = write(tmp_path / "qrels.tsv", "q1\ta\t2\nq1\tUser Guide.md\t0\n")
    qrels = Qrels(path)
    assert plain(qrels) == {"q1": {"a": 2.0, "User Guide.md": 0.0}}
    assert qrels.notes == (f"{path}: three columns without a header were read as query, document and grade.",)
    assert Qrels(qrels).notes == qrels.notes


BY_SUBTOPIC = [("q1", "a", 1, "x"), ("q1", "a", 3, "y"), ("q1", "b", 0, "x"), ("q2", "a", 2, "x")]


def test_a_document_has_the_best_grade_of_its_subtopics(tmp_path):
    forms = sources(tmp_path, BY_SUBTOPIC, ("query_id", "doc_id", "relevance", "subtopic"))
    forms["Intent"] = write(tmp_path / "qrels.csv", delimited(BY_SUBTOPIC, ("qid", "docid", "rel", "Intent")))
    lines = "".join(f"{query} {subtopic} {doc} {grade}\n" for query, doc, grade, subtopic in BY_SUBTOPIC)
    forms["TREC"] = write(tmp_path / "diversity.qrels", lines)
    for form, source in forms.items():
        qrels = Qrels(source)
        assert plain(qrels) == {"q1": {"a": 3, "b": 0}, "q2": {"a": 2}}, form
        ids = [(qrels.query_ids[qrels.query_of[number]], qrels.docs[number]) for number in qrels.subtopics[0]]
        found = [(*pair, grade, subtopic) for pair, subtopic, grade in zip(ids, *qrels.subtopics[1:], strict=True)]
        assert sorted(found) == sorted(BY_SUBTOPIC), form


class TrecQrel(NamedTuple):
    """ir_datasets' and ir_measures' judgment: its fourth field is no subtopic."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


ROUNDS = [("q1", "a", 1, "0.5"), ("q1", "b", 2, "1"), ("q2", "a", 0, "1")]
"""Judged once each, in rounds or for one subtopic: nobody can tell."""
ITERATIONS = {"q1": {"a": "0.5", "b": "1"}, "q2": {"a": "1"}}


def test_a_second_column_that_differs_is_kept_and_changes_nothing_else(tmp_path):
    lines = [f"{query} {iteration} {doc} {grade}" for query, doc, grade, iteration in ROUNDS]
    forms = sources(tmp_path, ROUNDS, TrecQrel._fields) | {"tuples": [TrecQrel(*row) for row in ROUNDS]}
    for mark in ("\n", "\r\n"):
        forms[f"TREC with {mark!r}"] = write(tmp_path / f"qrels{len(mark)}", mark.join([*lines, ""]))
    for form, source in forms.items():
        qrels = Qrels(source)
        assert plain(qrels) == {"q1": {"a": 1, "b": 2}, "q2": {"a": 0}}, form
        assert (qrels.subtopics, qrels.iterations, Qrels(qrels).iterations) == (None, ITERATIONS, ITERATIONS), form
        assert qrels.fingerprint == Qrels(plain(qrels)).fingerprint, form
    plainly = Qrels([TrecQrel("q1", "a", 1), TrecQrel("q1", "b", 2)])
    assert (plain(plainly), plainly.subtopics, plainly.iterations) == ({"q1": {"a": 1, "b": 2}}, None, {})


def test_an_iteration_that_tells_judgments_apart_is_the_subtopic():
    qrels = Qrels([TrecQrel("q1", "a", 1, "1"), TrecQrel("q1", "a", 2, "2"), TrecQrel("q1", "b", 0, "1")])
    assert plain(qrels) == {"q1": {"a": 2, "b": 0}}
    assert (qrels.iterations, qrels.subtopics.subtopic) == ({}, ("1", "2", "1"))
    assert qrels.fingerprint != Qrels(plain(qrels)).fingerprint
    row = {"query_id": "q1", "doc_id": "a", "relevance": 1, "iteration": "0", "subtopic": "x"}
    assert Qrels([row, {**row, "subtopic": "y"}]).subtopics.subtopic == ("x", "y")
    for rows in ([*BY_SUBTOPIC, ("q1", "a", 2, "y")], [TrecQrel("q1", "a", 1), TrecQrel("q1", "a", 2)]):
        with pytest.raises(DataError, match="twice"):
            Qrels(rows)
