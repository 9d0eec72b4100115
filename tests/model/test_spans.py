"""Spans: where chunks stand, gold in both units, and the view that span metrics read."""

import numpy as np
import pytest
from tests._variants import for_each

from assay import DataError, Document, Hit, Policy, Run, Span
from assay.views import GoldSpans, Places, Spans, Truth

TEXT = "one\ntwo\nthree\nfour\n"
FILES = {"src/a.py": Document("src/a.py", TEXT)}
OF_CHUNK = {"doc_id": "src/a.py", "start": 4, "end": 8, "start_line": 2, "end_line": 2}
CHUNK = Document("c1", "two\n", metadata=OF_CHUNK)


def bounds(places, *ids):
    """File and the four bounds of each chunk: characters and lines from 0, -1 where nobody knows."""
    numbers = places.numbers(ids)
    files, columns = places.arrays
    return [None if number < 0 else (int(files[number]), *columns[number].tolist()) for number in numbers.tolist()]


TOLD = [  # metadata of a chunk, its bounds
    (OF_CHUNK, (4, 8, 1, 2)),
    ({"path": "x", "start_line": 2, "end_line": 4}, (-1, -1, 1, 4)),
    ({"file": "x", "start_char": 2, "end_char": 4}, (2, 4, -1, -1)),
    ({"file_path": "x", "start": np.int64(2), "end": np.int64(4)}, (2, 4, -1, -1)),
]
NOT_TOLD = [
    *({"file": "x", "start": 4, "end": 2}, {"file": "x", "start": True, "end": 2}, {"file": "x", "start": "1", "end": "2"}),
    *(
        {"file": "x", "start_line": 0, "end_line": 2},
        {"file": "x"},
        {"start": 1, "end": 2},
        {"file": 7, "start": 1, "end": 2},
    ),
    {},
]
OF_IDS = {
    "src/a.py:2-3": (4, 14, 1, 3),
    "a.py:2": (4, 8, 1, 2),
    "./src\\a.py:2-2": (4, 8, 1, 2),
    "repo/src/a.py#L2-L3": (4, 14, 1, 3),
    "src/a.py#L4": (14, 19, 3, 4),
    "src/a.py:2.2-3.2": (5, 10, 1, 3),
    "src/a.py:2.1-2.3": (4, 7, 1, 2),
    "src/a.py:3-99": (8, 19, 2, 99),
    "gone.py:2-3": (-1, -1, 1, 3),
    "C:\\x\\b.py:2-3": (-1, -1, 1, 3),
}
NOT_IDS = ["x", "src/a.py:3-2", "src/a.py:0-2", "src/a.py:", ":3", "src/a.py:3-", "a.py:99999999999", ""]


def test_what_metadata_tell():
    for metadata, expected in TOLD:
        document, hit = Document("c", "", metadata=metadata), Hit("c", metadata=metadata)
        for places in (Places({"c": document}, FILES), Places(FILES, hits=[hit])):
            (found,) = bounds(places, "c")
            assert found[1:] == expected, metadata
    for metadata in NOT_TOLD:
        assert bounds(Places(FILES, hits=[Hit("c", metadata=metadata)]), "c") == [None], metadata


def test_what_ids_tell():
    for chunk, expected in OF_IDS.items():
        (found,) = bounds(Places(FILES), chunk)
        assert found[1:] == expected, chunk
        assert (found[0] == bounds(Places(FILES), "src/a.py")[0][0]) == ("a.py" in chunk), chunk
    assert Places(FILES).numbers(NOT_IDS).tolist() == [-1] * len(NOT_IDS)
    odd = Document("src/a.py:1-1", "two\n", metadata=OF_CHUNK)  # the id of a document is not read
    assert bounds(Places({odd.doc_id: odd}), odd.doc_id) == [(0, 4, 8, 1, 2)]


def test_another_base_is_another_reading_of_ids_alone():
    places = Places({"c1": CHUNK}, FILES)
    assert places.based(1) is places
    assert bounds(places.based(0), "c1", "src/a.py:1-2") == [(0, 4, 8, 1, 2), (0, 4, 14, 1, 3)]
    assert places.based(0).numbers(["src/a.py:0-0"]).tolist() == [1]


@for_each("batches", [[["x/c.py:1-1", "y/c.py:1-1"]], [["x/c.py:1-1"], ["y/c.py:1-1"]], [["y/c.py:1-1"], ["x/c.py:1-1"]]])
def test_which_file_is_meant_does_not_depend_on_what_is_asked_first(batches):
    places = Places({"c.py": Document("c.py", "one\ntwo\n")})
    for ids in batches:
        places.numbers(ids)
        assert len(places.arrays[0]) == places.n_read + 1
    assert len(set(places.arrays[0].tolist())) == 3
    assert not places.is_known("x/c.py")


def test_words_are_counted_in_the_text_of_each_chunk():
    hit = Hit("x", text="three small words", metadata={"path": "a.py", "start_line": 1, "end_line": 2})
    places = Places({"c1": CHUNK}, FILES, [hit])
    assert places.tokens(places.numbers(["c1", "x", "a.py:1-4", "nowhere", "c1"])).tolist() == [1, 3, 4, 0, 1]


PLACES = Places({"src/a.py": Document("src/a.py", "one\ntwo\nthree\n")})
LINES, LETTERS = Span("a.py", 1, 1, "lines"), Span("a.py", 1, 2)
BOUNDS = [  # gold span, characters and lines from 0
    (Span("src/a.py", 2, 3, "lines"), [4, 14, 1, 3]),
    (Span("a.py", 2, 2, "lines"), [4, 8, 1, 2]),
    (Span("a.py", 2, 99, "lines"), [4, 14, 1, 3]),
    (Span("a.py", 0, 1, "lines"), [0, 4, 0, 1]),
    (Span("a.py", 3, 2, "lines"), [8, 8, 2, 2]),
    (Span("a.py", 50, 60, "lines"), [14, 14, 3, 3]),
    (Span("a.py", 5, 9), [5, 9, 1, 3]),
    (Span("a.py", 5, 99), [5, 14, 1, 3]),
    (Span("a.py", 9, 5), [9, 9, 2, 2]),
    (Span("gone.py", 2, 3, "lines"), [-1, -1, 1, 3]),
    (Span("gone.py", 2, 3), [2, 3, -1, -1]),
]


def gold(*spans, places=PLACES):
    return GoldSpans.of({"q": spans}, ["q"], places)


def test_gold_has_both_units_and_the_one_that_all_share_counts():
    for span, expected in BOUNDS:
        assert gold(span).bounds.tolist() == [expected], span
    found = [gold(*some).unit for some in ((LINES,), (LETTERS,), (LINES, LETTERS), ())]
    assert found == ["lines", "characters", "characters", "characters"]
    missing = gold(Span("a.py", 0, 3), Span("gone.py", 2, 3, "lines"))  # measured in its own unit
    assert missing.unit == "lines"
    assert [bound.tolist() for bound in missing.within("lines")] == [[0, 1], [1, 3]]
    assert [bound.tolist() for bound in missing.within("characters")] == [[0, 1], [3, 3]]
    assert gold(Span("gone.py", 0, 3), Span("gone.py", 2, 3, "lines")).unit == "characters"


def test_messages(snapshots):
    places = Places({})
    numbers = places.numbers(["b.py:1-2"])
    assert [column.tolist() for column in places.within(numbers, "lines")] == [[0], [2]]
    unknown = gold(Span("b.py", 1, 1, "lines"), Span("gone.py", 2, 3), places=Places({}))
    cases = {
        "no text to count": lambda: places.tokens(numbers),
        "no characters": lambda: places.within(numbers, "characters"),
        "no lines": lambda: unknown.within("lines"),
        "no such unit": lambda: gold(Span("a.py", 1, 2, "pages")),
    }
    for call in cases.values():
        with pytest.raises(DataError):
            call()
    snapshots.check_errors("model/spans", cases)


RULE = Policy().rank_rule
TIED = {"q": {"x.py:2": 1.0, "x.py:3": 1.0, "x.py:1": 1.0, "x.py:9": 7.0}}


def view(run, queries=("q",), spans=None, **policy):
    return Spans.of(queries, Run(run), Policy(**policy).rank_rule, Truth(spans or {}, Places({})))


def order(made):
    """The ids of all rows, in order."""
    return ["?" if number < 0 else made.places.ids([number])[0] for number in made.chunk.tolist()]


def test_equal_scores_stand_as_the_rule_says():
    rules = {"docid_desc": "9321", "docid_asc": "9123", "input_order": "9231", "reverse_order": "9132", "expected": "9321"}
    for ties, lines in rules.items():
        assert order(view(TIED, ties=ties)) == [f"x.py:{line}" for line in lines], ties
    run = {"q": {"x.py:1": 1.0, "x.py:2": 1.0}, "r": {"x.py:1": 2.0, "x.py:2": 1.0}}  # in rankings that are sorted too
    assert order(view(run, ("q", "r"))) == ["x.py:2", "x.py:1", "x.py:1", "x.py:2"]
    near = {"q": {"x.py:1": 1.0 + 1e-12, "x.py:2": 1.0}}
    assert order(view(near)) == ["x.py:1", "x.py:2"]
    assert order(view(near, precision="float32")) == ["x.py:2", "x.py:1"]
    assert order(view({"x.py:1": {"x.py:1": 2.0, "x.py:2": 1.0}}, ("x.py:1",), drop_self=True)) == ["x.py:2"]


def test_views_over_the_same_places_do_not_disturb_each_other():
    """The second run names files that nobody has heard of: numbers of the first stay what they are."""
    truth = Truth({"q": [Span("a.py", 1, 4, "lines")]}, Places({"a.py": Document("a.py", "1\n2\n3\n4\n")}))
    first = Spans.of(("q",), Run({"q": {"a.py:1-2": 1.0}}), RULE, truth)
    second = Spans.of(("q",), Run({"q": {"new.py:1-2": 2.0, "a.py:2-4": 1.0}}), RULE, truth)
    assert first.sizes(None, None, "lines").both.tolist() == [2]
    assert second.sizes(None, None, "lines").both.tolist() == [3]
    assert [column.tolist() for column in second.found_files()] == [[0], [2]]
    assert [column.tolist() for column in first.found_files()] == [[0], [1]]
