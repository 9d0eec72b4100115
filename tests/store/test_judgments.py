"""Judgments: kept with who and when, replaced, withdrawn, combined, carried from store to store; in both databases."""

import hashlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Qrels
from assay.files import write_qrels
from assay.store import (
    Judgment,
    Store,
    combined,
    digest_of_text,
    exportable,
    judge_agreements,
    panel_agreement,
    restore_ids,
)
from assay.text import printable

from ._results import DAY, result_of


@pytest.fixture
def judged(store):
    store.save([result_of(1), result_of(2, benchmark="other")])
    store.judgments.give(Judgment("small", "q0", "d4", "Ana", 2, "says so"))
    store.judgments.give(Judgment("small", "q0", "d4", "Ben", 1))
    store.judgments.give(Judgment("other", "q1", "d5", "Ana", 0))
    return store


def pairs(found):
    return [(one.benchmark, one.query, one.document, one.judge, one.grade, one.reason) for one in found]


def test_judgments_are_kept_with_who_and_when_one_of_each_judge_for_a_pair(judged):
    found = judged.judgments.find()
    assert pairs(found) == [
        ("small", "q0", "d4", "Ana", 2.0, "says so"),
        ("small", "q0", "d4", "Ben", 1.0, ""),
        ("other", "q1", "d5", "Ana", 0.0, ""),
    ]
    assert [one.judged for one in found] == sorted(one.judged for one in found)
    assert all(one.judged.endswith("+00:00") for one in found)
    assert pairs(judged.judgments.find("small", judge="Ben")) == [("small", "q0", "d4", "Ben", 1.0, "")]
    assert judged.judgments.find("small", query="q1") == []
    assert len(judged.judgments.find(document="d4")) == 2
    judged.judgments.give(Judgment("small", "q0", "d4", "Ana", 3))
    assert {one.judge: one.grade for one in judged.judgments.find("small")} == {"Ana": 3.0, "Ben": 1.0}
    assert judged.judgments.find("small", judge="Ana")[0].reason == ""
    assert judged.judgments.withdraw(Judgment("small", "q0", "d4", "Ana", 0))
    assert not judged.judgments.withdraw(Judgment("small", "q0", "d4", "Ana", 0))
    assert {one.judge for one in judged.judgments.find("small")} == {"Ben"}


DRAWN = Judgment(
    "small", "q0", "d4", "Ana", 1, kind="model", text_digest=digest_of_text("as shown"), pool="may", probability=0.25
)


def test_kinds_are_layers_of_their_own_with_what_was_shown_and_how_it_was_drawn(judged, tmp_path):
    """A model of the same name as a person has a grade of its own; a new grade replaces everything about the old one."""
    judged.judgments.give(DRAWN)
    judged.judgments.give(DRAWN._replace(judge="has the answer", kind="rule", grade=3))
    (model,) = judged.judgments.find("small", judge="Ana", kind="model")
    assert model == DRAWN._replace(judged=model.judged)
    assert model.text_digest == hashlib.sha256(b"as shown").hexdigest()
    assert [one.kind for one in judged.judgments.find("small")] == ["people", "people", "model", "rule"]
    assert {one.judge: one.grade for one in judged.judgments.find("small", kind="people")} == {"Ana": 2.0, "Ben": 1.0}
    assert judged.judgments.state("small")[:2] == (2, ("Ana", "Ben"))
    judged.export(tmp_path / "all.zst")
    with Store.open(tmp_path / "new.db") as other:
        other.import_(tmp_path / "all.zst")
        assert other.judgments.find() == judged.judgments.find()
    judged.judgments.give(DRAWN._replace(pool="", probability=None, text_digest="", grade=0))
    (model,) = judged.judgments.find("small", kind="model")
    assert (model.grade, model.pool, model.probability, model.text_digest) == (0, "", None, "")
    assert judged.judgments.withdraw(DRAWN)
    assert len(judged.judgments.find("small", kind="people")) == 2
    agreements = judge_agreements([*judged.judgments.find("small"), DRAWN])
    assert ("Ana", "Ana (model)") in {(one.a, one.b) for one in agreements}


def test_the_state_of_the_grades_by_people(judged):
    """How many there are, by whom, and the time of the newest one."""
    assert judged.judgments.state("nothing") == (0, (), "")
    judged.judgments.give(Judgment("small", "q1", "d1", "Cy", 1, judged="2030-01-01T00:00:00+00:00"))
    assert judged.judgments.state("small") == (3, ("Ana", "Ben", "Cy"), "2030-01-01T00:00:00.000000+00:00")


def test_what_is_refused(local, snapshots):
    local.save([result_of(1)])
    fields = {"no judge": {"judge": "  "}, "long judge": {"judge": "x" * 81}, "nan": {"grade": math.nan}}
    fields |= {
        "text": {"grade": "2"},
        "no query": {"query": ""},
        "long reason": {"reason": "n" * 2001},
        "time": {"judged": "soon"},
    }
    fields |= {"number for a query": {"query": 7}, "misspelt benchmark": {"benchmark": "smal"}}
    fields |= {"no benchmark": {"benchmark": ""}, "kind": {"kind": "oracle"}, "long pool": {"pool": "p" * 201}}
    fields |= {"digest": {"text_digest": "abc"}, "probability 0": {"probability": 0}, "probability": {"probability": 1.5}}
    sound = {"benchmark": "small", "query": "q0", "document": "d4", "judge": "Ana", "grade": 1}
    give = local.judgments.give
    cases = {name: lambda changed=changed: give(Judgment(**{**sound, **changed})) for name, changed in fields.items()}
    snapshots.check_errors("store/judgments", cases)
    assert local.judgments.find() == []


def test_any_text_can_be_an_id(judged):
    """Control characters, half of a pair, and ids that no index could hold."""
    for number, odd in enumerate(["a\x00b", "\ud800", "w" * 10_000, "ü 🧪", "a\nb"]):
        judged.judgments.give(Judgment("small", odd, odd, "Ana", number % 4, f"two\nlines {odd[:5]}"))
        (found,) = judged.judgments.find(query=odd, document=odd)
        assert (found.query, found.document) == (printable(odd), printable(odd))
        assert restore_ids({found.query: {found.document: 1.0}}, {odd: [odd]}) == {odd: {odd: 1.0}}


@given(st.lists(st.integers(0, 3), min_size=1, max_size=9))
def test_the_combined_grade_is_one_that_somebody_gave(grades):
    (found,) = combined([Judgment("b", "q", "d", str(n), grade) for n, grade in enumerate(grades)])["q"].values()
    assert found in grades
    assert sum(grade <= found for grade in grades) >= len(grades) / 2
    assert combined([Judgment("b", "q", "d", str(n), g) for n, g in enumerate(reversed(grades))])["q"]["d"] == found


def test_export_and_import_carry_them(judged, tmp_path):
    file = tmp_path / "all.jsonl.zst"
    assert judged.export(file) == 1
    with Store.open(tmp_path / "new.db") as other:
        assert other.import_(file).n_judgments == 3
        assert other.judgments.find() == judged.judgments.find()
        assert other.import_(file).n_judgments == 0
        other.judgments.give(Judgment("small", "q0", "d4", "Ana", 0))
        assert other.import_(file).n_judgments == 0  # what is newer here stays
        assert other.judgments.find("small", judge="Ana")[0].grade == 0
    judged.save([result_of(5, benchmark="third")])
    judged.judgments.give(Judgment("third", "q0", "d1", "Ana", 1))
    judged.export(tmp_path / "some.zst", ["latest"])
    with Store.open(tmp_path / "third.db") as other:  # an export of some has the judgments of their benchmarks
        other.import_(tmp_path / "some.zst")
        assert {one.benchmark for one in other.judgments.find()} == {"third"}


def test_agreement_of_judges_by_hand():
    """Three shared pairs, two alike; grades 0 1 2 against 0 1 1: by chance 1/9 + 2/9 = 1/3 alike."""
    grades = {"Ben": (0, 1, 1), "Ana": (0, 1, 2, 3)}
    judgments = [Judgment("b", "q", f"d{n}", judge, one) for judge, some in grades.items() for n, one in enumerate(some)]
    (found,) = judge_agreements(judgments)
    assert (found.a, found.b, found.n_pairs, found.n_same) == ("Ana", "Ben", 3, 2)
    assert found.kappa == pytest.approx((2 / 3 - 1 / 3) / (1 - 1 / 3))
    assert found.to_dict()["same"] == pytest.approx(2 / 3)
    assert found.kappa_low < found.kappa < found.kappa_high
    panel = panel_agreement(judgments)
    assert (panel.n_judges, panel.n_pairs) == (2, 3)
    assert panel_agreement(judgments[:3]) is None


def test_agreement_of_three_judges_by_hand():
    """Three pairs with the grades (0, 0), (1, 1, 2) and (2, 2): two 0, two 1 and three 2.

    Observed: 4 ordered pairs differ ÷ (3 - 1) = 2, ÷ 7. Expected: (49 - 4 - 4 - 9) ÷ 42 = 32 ÷ 42.
    """
    given = {"Ana": {"d0": 0, "d1": 1, "d2": 2, "d3": 1}, "Ben": {"d0": 0, "d1": 1}, "Cy": {"d1": 2, "d2": 2}}
    judgments = [Judgment("b", "q", doc, judge, grade) for judge, docs in given.items() for doc, grade in docs.items()]
    panel = panel_agreement([*judgments, Judgment("b", "q", "d0", "Cy", math.nan)])
    assert (panel.n_judges, panel.n_pairs) == (3, 3)
    assert panel.nominal.value == pytest.approx(1 - (2 / 7) / (32 / 42))
    assert panel.to_dict()["nominal"]["value"] == panel.nominal.value


def grade(query, document, value=1.0, judge="Ana"):
    return Judgment("things", query, document, judge, value, "", DAY)


def test_each_reason_is_told_once_and_every_grade_counted(snapshots):
    found = exportable(
        [grade("q", "d"), grade("q 1", "d"), grade("q 1", "d", judge="Ben"), grade("q", "#d"), grade("{q", "d")]
    )
    assert (found.grades, found.n_pairs, len(found.left_out)) == ({"q": {"d": 1.0}}, 1, 4)
    odd = [grade("q", "d", math.nan), grade("q", "e", -math.inf), grade("q", "f", None), grade("q", "g", 2.5)]
    many = [grade(f"q {number} {'w' * 5000}", "d") for number in range(1000)]
    assert exportable(odd).grades == {"q": {"g": 2.5}}
    assert len(exportable(many).explanation) < 1500
    texts = [found.explanation, exportable(odd).explanation, exportable(many).explanation.replace("w" * 20, "")]
    snapshots.check("store/judgments_left_out", "\n".join(texts))


@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5), st.floats(0, 3)), max_size=8))
def test_what_is_kept_reads_back_as_it_was(tmp_path_factory, rows):
    """Whatever ids there are: what can be written is the same when it is read, and nothing is lost without a word."""
    judgments = [grade(query or "q", document or "d", value) for query, document, value in rows]
    found = exportable(judgments)
    assert found.n_pairs + len({one for one in judgments if one.document not in found.grades.get(one.query, {})}) >= len(
        {(one.query, one.document) for one in judgments}
    )
    if found.grades:
        file = tmp_path_factory.mktemp("qrels") / "qrels.txt"
        write_qrels(found.grades, file)
        assert {query: dict(judged) for query, judged in Qrels(file).items()} == found.grades
