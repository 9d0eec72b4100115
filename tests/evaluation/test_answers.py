"""Answers and their log: what was kept is what is read, however the process ended."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import DataError
from assay.evaluation.answers import SCHEMA, Answer, AnswerLog
from assay.model.records import Hit

IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
SCORES = st.floats(allow_nan=False, allow_infinity=False)
EXTRA = st.none() | st.dictionaries(IDS, st.dictionaries(IDS, st.integers() | st.text(max_size=3), min_size=1), min_size=1)


@st.composite
def answers(draw):
    docs = draw(st.lists(IDS, unique=True, max_size=3))
    scores = [draw(SCORES) for _ in docs]
    return Answer(draw(IDS), docs, scores, draw(st.floats(0, 1e6)), draw(st.none() | st.text(max_size=8)), draw(EXTRA))


RECORDS = st.lists(st.tuples(IDS, st.lists(answers(), min_size=1, max_size=3)), max_size=4)


def written(path, records, header=None):
    log = AnswerLog(path)
    log.begin({"plan": "p"} if header is None else header)
    appender = log.appender()
    for part, some in records:
        appender.append(part, some)
    appender.close()
    return log


def by_part(records):
    found = {}
    for part, some in records:
        found.setdefault(part, {}).update({answer.query: answer for answer in some})
    return found


@settings(max_examples=60)
@given(RECORDS, st.dictionaries(IDS.filter(lambda name: name != "schema"), st.text() | st.integers(), max_size=3))
def test_what_was_kept_is_read(tmp_path_factory, records, header):
    log = written(tmp_path_factory.mktemp("log") / "a.log", records, header)
    before = log.path.read_bytes()
    assert log.read() == ({"schema": SCHEMA, **header}, by_part(records))
    assert log.path.read_bytes() == before


THREE = [("a", [Answer("q1", ["d1", "ü\n"], [2.5, -1.0], 3.0)]), ("a", [Answer("q2", error="no")]), ("b", [Answer("q1")])]


def test_cut_at_any_byte_the_whole_lines_before_are_read_and_the_file_is_mended(tmp_path):
    whole = written(tmp_path / "a.log", THREE).path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    assert len(ends) == 4
    for cut in range(len(whole) + 1):
        log = AnswerLog(tmp_path / "cut.log")
        log.path.write_bytes(whole[:cut])
        header, answers = log.read()
        n_whole = sum(end <= cut for end in ends)
        assert bool(header) == (n_whole > 0)
        assert answers == by_part(THREE[: max(0, n_whole - 1)])
        assert log.path.read_bytes() == whole[:cut]  # another process may be writing: reading leaves the file alone
        log.mend()
        assert log.path.read_bytes() == whole[: ends[n_whole - 1] if n_whole else 0]


def test_after_a_cut_it_is_written_on(tmp_path):
    log = written(tmp_path / "a.log", THREE[:2])
    log.path.write_bytes(log.path.read_bytes()[:-3])
    log.mend()
    appender = log.appender()
    appender.append(*THREE[2])
    appender.close()
    assert log.read()[1] == by_part([THREE[0], THREE[2]])


def test_a_flipped_bit_is_noticed_wherever_it_is(tmp_path):
    whole = written(tmp_path / "a.log", THREE).path.read_bytes()
    line_of = [whole[:place].count(b"\n") for place in range(len(whole))]
    for place in range(len(whole)):
        log = AnswerLog(tmp_path / "flipped.log")
        log.path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        assert log.read()[1] == by_part(THREE[: max(0, line_of[place] - 1)])


def test_the_later_answer_of_a_query_counts(tmp_path):
    log = written(tmp_path / "a.log", [("a", [Answer("q", error="busy")]), ("a", [Answer("q", ["d"], [1.0])])])
    assert log.read()[1]["a"]["q"].ranking == {"d": 1.0}


def test_a_log_that_is_not_there_has_nothing(tmp_path):
    assert AnswerLog(tmp_path / "gone.log").read() == ({}, {})
    assert not (tmp_path / "gone.log").exists()


def test_to_begin_is_to_put_aside_what_was(tmp_path):
    log = written(tmp_path / "deep" / "a.log", THREE)
    log.begin({"plan": "other"})
    assert log.read() == ({"schema": SCHEMA, "plan": "other"}, {})
    assert sorted(path.name for path in log.path.parent.iterdir()) == ["a.log", "a.log.before"]
    assert AnswerLog(log.path.with_name("a.log.before")).read()[1] == by_part(THREE)


def test_metadata_that_json_has_no_word_for_is_kept_as_numbers_and_text(tmp_path):
    odd = {"d": {"number": np.float32(0.5), "many": np.arange(2), "thing": set, "when": 1 + 2j}}
    log = written(tmp_path / "a.log", [("a", [Answer("q", ["d"], [1.0], extra=odd)])])
    extra = log.read()[1]["a"]["q"].extra
    assert extra["d"] == {"number": 0.5, "many": [0, 1], "thing": "<class 'set'>", "when": "(1+2j)"}


def test_hits_have_back_what_came_along():
    answer = Answer("q", ["a", "b"], [2.0, 1.0], extra={"a": {"text": "t", "page": 3}})
    assert answer.hits == [Hit("a", 2.0, "t", {"page": 3}), Hit("b", 1.0)]
    assert answer.ranking == {"a": 2.0, "b": 1.0}


def test_what_cannot_be_written_is_left_out_and_the_rest_kept(tmp_path):
    """Half a letter is no text. Such an answer is asked for again when the run goes on."""
    log = written(tmp_path / "a.log", [("a", [Answer("q1", ["d"], [1.0]), Answer("q2", ["\ud800"], [1.0])])])
    assert list(log.read()[1]["a"]) == ["q1"]


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "a.log").mkdir()
    with pytest.raises(DataError, match=r"a\.log: cannot be written"):
        AnswerLog(tmp_path / "a.log").appender()
