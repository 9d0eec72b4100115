"""Judgments: kept with who and when, replaced, withdrawn, combined, carried from store to store; in both databases."""

import sqlite3
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from assay.errors import BadParameter, DataError, UnknownName
from assay.store import Store
from assay.store.judgments import Judgment, combined, restore_ids
from assay.text import printable

from ._results import result_of


@pytest.fixture
def judged(store):
    store.save([result_of(1), result_of(2, benchmark="other")])
    store.judgments.give(Judgment("small", "q0", "d4", "Ana", 2, "says so"))
    store.judgments.give(Judgment("small", "q0", "d4", "Ben", 1))
    store.judgments.give(Judgment("other", "q1", "d5", "Ana", 0))
    return store


def pairs(found):
    return [(one.benchmark, one.query, one.document, one.judge, one.grade, one.note) for one in found]


def test_they_are_kept_with_who_and_when(judged):
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


def test_a_judge_has_one_grade_for_a_pair(judged):
    judged.judgments.give(Judgment("small", "q0", "d4", "Ana", 3))
    assert {one.judge: one.grade for one in judged.judgments.find("small")} == {"Ana": 3.0, "Ben": 1.0}
    assert judged.judgments.find("small", judge="Ana")[0].note == ""
    assert judged.judgments.withdraw(Judgment("small", "q0", "d4", "Ana", 0))
    assert not judged.judgments.withdraw(Judgment("small", "q0", "d4", "Ana", 0))
    assert {one.judge for one in judged.judgments.find("small")} == {"Ben"}


def test_an_older_grade_does_not_replace_a_newer_one(judged):
    old = Judgment("small", "q0", "d4", "Ana", 0, judged="2020-01-01T00:00:00+00:00")
    assert judged.judgments.take_over([old]) == 0
    assert judged.judgments.find("small", judge="Ana")[0].grade == 2


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        (Judgment("small", "q0", "d4", "  ", 1), "a judge has a name"),
        (Judgment("small", "q0", "d4", "x" * 81, 1), "up to 80 letters"),
        (Judgment("small", "q0", "d4", "Ana", float("nan")), "finite number"),
        (Judgment("small", "q0", "d4", "Ana", "2"), "finite number"),
        (Judgment("small", "", "d4", "Ana", 1), "names a query and a document"),
        (Judgment("small", "q0", "d4", "Ana", 1, "n" * 2001), "up to 2,000 letters"),
        (Judgment("small", "q0", "d4", "Ana", 1, judged="soon"), "judged is a time"),
        (Judgment("small", 7, "d4", "Ana", 1), "query is a text"),
    ],
)
def test_what_is_refused(judged, given_, said):
    with pytest.raises(BadParameter, match=said):
        judged.judgments.give(given_)
    assert len(judged.judgments.find()) == 3


def test_a_benchmark_that_nothing_is_stored_of(judged):
    with pytest.raises(UnknownName, match="Did you mean small"):
        judged.judgments.give(Judgment("smal", "q0", "d4", "Ana", 1))
    with pytest.raises(UnknownName, match="called ''"):
        judged.judgments.give(Judgment("", "q0", "d4", "Ana", 1))


def test_any_text_can_be_an_id(judged):
    """Control characters, half of a pair, and ids that no index could hold."""
    for number, odd in enumerate(["a\x00b", "\ud800", "w" * 10_000, "ü 🧪", "a\nb"]):
        judged.judgments.give(Judgment("small", odd, odd, "Ana", number % 4, f"two\nlines {odd[:5]}"))
        (found,) = judged.judgments.find(query=odd, document=odd)
        assert (found.query, found.document) == (printable(odd), printable(odd))
        assert restore_ids({found.query: {found.document: 1.0}}, {odd: [odd]}) == {odd: {odd: 1.0}}


def test_the_median_and_of_two_the_lower():
    def given_by(*grades):
        return [Judgment("b", "q", "d", f"judge {number}", grade) for number, grade in enumerate(grades)]

    assert combined(given_by(2)) == {"q": {"d": 2}}
    assert combined(given_by(3, 1)) == {"q": {"d": 1}}
    assert combined(given_by(3, 0, 2)) == {"q": {"d": 2}}
    assert combined([]) == {}


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


def test_an_export_of_some_has_the_judgments_of_their_benchmarks(judged, tmp_path):
    judged.save([result_of(5, benchmark="third")])
    judged.judgments.give(Judgment("third", "q0", "d1", "Ana", 1))
    judged.export(tmp_path / "some.zst", ["latest"])
    with Store.open(tmp_path / "new.db") as other:
        other.import_(tmp_path / "some.zst")
        assert {one.benchmark for one in other.judgments.find()} == {"third"}


def test_a_judgment_in_a_file_is_held_to_the_same_rules(judged, tmp_path):
    import zstandard

    file = tmp_path / "all.jsonl.zst"
    judged.export(file)
    for wrong, becomes in ((b'"grade":2.0', b'"grade":"x"'), (b'"judge":"Ana"', b'"juge":"Ana"')):
        content = zstandard.ZstdDecompressor().stream_reader(file.read_bytes()).read().replace(wrong, becomes)
        bad = tmp_path / "bad.zst"
        bad.write_bytes(zstandard.ZstdCompressor().compress(content))
        with Store.open(tmp_path / "new.db") as other, pytest.raises(DataError, match=r"bad\.zst:\d+: judgment\."):
            other.import_(bad)


def test_a_store_of_layout_2_becomes_one_with_judgments(url):
    with Store.open(url) as store:
        name = store.save([result_of(1)])
        store._database.write(lambda one: one.execute(text("DROP TABLE assay_judgments")))
        store._database.write(lambda one: one.execute(text("DELETE FROM assay_schema WHERE version >= 3")))
    with Store.open(url, create=False) as store:
        assert store.latest().id == name
        store.judgments.give(Judgment("small", "q0", "d4", "Ana", 2))
        assert len(store.judgments.find()) == 1
        assert store.check().is_sound


def test_many_judges_at_once(url):
    with Store.open(url) as store:
        store.save([result_of(1)])

        def judge(name):
            for number in range(10):
                store.judgments.give(Judgment("small", "q0", f"d{number}", name, number % 4))

        threads = [Thread(target=judge, args=(name,)) for name in ("Ana", "Ben", "Ana", "Cleo")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(store.judgments.find()) == 30


def test_the_key_is_the_only_index(tmp_path):
    """Long ids must not meet a limit of an index."""
    with Store.open(tmp_path / "s.db"):
        pass
    with sqlite3.connect(tmp_path / "s.db") as connection:
        found = connection.execute(
            "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'assay_judgments'"
        ).fetchall()
    connection.close()
    assert [row for row in found if row[0]] == []
