"""span: chunks that overlap gold spans are relevant; by hand, and against sets of letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError, Document, Hit, Query, Span, UsageError
from assay.relevance import parse_resolver, resolve
from assay.views import Places

from ._cases import ground

TEXT = "".join(f"line {number:02}\n" for number in range(1, 21))
"""Twenty lines of eight characters."""
QUERY = Query("q")


def chunk(file, first, last):
    """Whole lines of a file as a document."""
    place = {"doc_id": file, "start": 8 * (first - 1), "end": 8 * last, "start_line": first, "end_line": last}
    return Document(f"{file}/{first}", TEXT[8 * (first - 1) : 8 * last], metadata=place)


def cut(size, files=("a.py", "b.py")):
    """All files in chunks of so many lines."""
    return [chunk(file, first, min(first + size - 1, 20)) for file in files for first in range(1, 21, size)]


def made(chunks, spans, hits=(), files=None, queries=(QUERY,), **more):
    documents = {one.doc_id: one for one in chunks}
    return ground(queries, {query.query_id: hits for query in queries}, spans=spans, places=Places(documents, files), **more)


GOLD = [Span("a.py", 5, 10, "lines")]


def test_every_chunk_that_overlaps_is_relevant_retrieved_or_not():
    for size, chunks in ((1, {f"a.py/{line}" for line in range(5, 11)}), (4, {"a.py/5", "a.py/9"}), (20, {"a.py/1"})):
        resolved = resolve(made(cut(size), {"q": GOLD}, ["a.py/1"]), "span")
        assert {doc for doc, grade in resolved.qrels["q"].items() if grade > 0} == chunks
        told = resolved.to_dict()
        assert (told["relevant"], told["counted_over"], told["span_rule"]) == (len(chunks), {"chunks": 1}, "any")


def test_units():
    half = Document("half", "ne", metadata={"doc_id": "a.py", "start": 33, "end": 35, "start_line": 5, "end_line": 5})
    files = {"a.py": Document("a.py", TEXT)}
    for unit, is_relevant in (("lines", True), ("characters", False), ("gold", False)):
        resolved = resolve(made([half], {"q": [Span("a.py", 35, 37)]}, files=files), f"span(unit={unit})")
        assert (resolved.qrels["q"].get("half", 0) == 1) == is_relevant


def test_gold_that_no_chunk_reaches_counts_among_the_relevant():
    resolved = resolve(made(cut(5), {"q": [*GOLD, Span("gone.py", 1, 2, "lines")]}, ["a.py/6"]), "span")
    assert resolved.qrels["q"] == {"a.py/1": 1, "a.py/6": 1, "\0gold 0": 1}
    (doubt,) = resolved.doubts
    assert "gone.py" in doubt


def test_an_empty_list_says_that_nothing_is_relevant_and_none_that_nothing_is_known():
    other = Query("other")
    resolved = resolve(made(cut(5), {"q": []}, ["a.py/1"], queries=(QUERY, other)), "span")
    assert resolved.qrels["q"] == {"a.py/1": 0}
    assert resolved.undecided == ("other",)
    for unknown in (made(cut(5), {}, ["a.py/1"]), ground(QUERY, ["a.py:1-4"], spans={"q": GOLD})):  # no spans, no places
        with pytest.raises(DataError):
            resolve(unknown, "span")
    with pytest.raises(UsageError):
        parse_resolver("span").resolve(ground(QUERY, []), [QUERY])


def test_recorded_runs_say_it_by_their_ids():
    """Counted over what was retrieved; the gold span that nothing reached counts as one."""
    gold = [Span("src/a.py", 5, 10, "lines"), Span("src/b.py", 1, 3, "lines")]
    hits = ["repo/src/a.py:9-12", "repo/src/a.py:11-20", "./repo\\src\\a.py#L1-L5", "strange"]
    resolved = resolve(made([], {"q": gold}, hits), "span")
    assert resolved.qrels["q"] == {hits[0]: 1, hits[1]: 0, hits[2]: 1, hits[3]: 0, "\0gold 0": 1}
    assert resolved.counted_over == {"retrieved": 1}
    assert "1 of 4" in resolved.doubts[0]


def test_lines_may_be_counted_from_0_and_hits_may_bring_their_place_along():
    hits = ["a.py:9-9", "a.py:10-10", "a.py:3-3", "a.py:4-4"]
    for how, wanted in (("span(base=0)", [1, 0, 0, 1]), ("span", [1, 1, 0, 0])):
        grades = resolve(made([], {"q": GOLD}, hits), how).qrels["q"]
        assert [grades[hit] for hit in hits] == wanted, how
    hit = Hit("x1", 1.0, "words", {"path": "a.py", "start_line": 10, "end_line": 30})
    places = Places({}, {"a.py": Document("a.py", TEXT)}, [hit])
    resolved = resolve(ground(QUERY, [hit], spans={"q": GOLD}, places=places), "span")
    assert resolved.qrels["q"] == {"x1": 1}


def test_auto_asks_for_spans_first_where_chunks_were_retrieved():
    judged = {"q": {"a.py": 1}}
    assert resolve(made(cut(5), {"q": GOLD}, ["a.py/1"], qrels=judged)).strategy_used == "span"
    assert resolve(made([], {"q": GOLD}, ["a.py:1-4"], qrels=judged)).strategy_used == "span"
    whole = [Document("a.py", TEXT), Document("b.py", TEXT)]
    assert resolve(made(whole, {"q": GOLD}, ["a.py"], qrels=judged)).strategy_used == "qrels"
    assert resolve(made(whole, {"q": GOLD}), "span").qrels["q"] == {"a.py": 1}
    assert resolve(ground(QUERY, ["a.py:1-4"], spans={"q": GOLD}, qrels=judged)).strategy_used == "qrels"


@st.composite
def stretches(draw):
    first = draw(st.integers(1, 20))
    return draw(st.sampled_from(["a.py", "b.py"])), first, draw(st.integers(first, 20))


@given(
    st.lists(stretches(), max_size=6, unique=True),
    st.lists(stretches(), max_size=3),
    st.sampled_from(["any", "share", "iou"]),
    st.sampled_from([0.0, 0.2, 0.5, 1.0]),
    st.booleans(),
)
def test_as_sets_of_lines_have_it(chunks, gold, rule, threshold, is_recorded):
    def as_set(one):
        return {(one[0], line) for line in range(one[1], one[2] + 1)}

    def passes(one, span):
        both = as_set(one) & as_set(span)
        whole = {"any": both, "share": as_set(span), "iou": as_set(one) | as_set(span)}[rule]
        return bool(both) and len(both) / len(whole) >= threshold

    ids = {one: f"{one[0]}:{one[1]}-{one[2]}" for one in chunks}
    documents = [] if is_recorded else [Document(ids[one], metadata=chunk(*one).metadata) for one in chunks]
    spans = {"q": [Span(file, first, last, "lines") for file, first, last in gold]}
    found = resolve(made(documents, spans, list(ids.values())), f"span(rule={rule}, threshold={threshold})").qrels["q"]
    expected = {ids[one]: float(any(passes(one, span) for span in gold)) for one in chunks}
    n_unreached = sum(not any(passes(one, span) for one in chunks) for span in gold)
    assert found == expected | {f"\0gold {number}": 1.0 for number in range(n_unreached)}


def test_explicit_ids_of_chunks_outrank_gold_spans_and_so_does_an_empty_list():
    for judged, used in (
        ({"a.py/6": 1}, "qrels"),
        ({}, "qrels"),
        ({"a.py": 1}, "span"),  # a file, as in code_spans: its spans say more
    ):
        resolved = resolve(made(cut(5), {"q": GOLD}, ["a.py/1"], qrels={"q": judged}))
        assert resolved.strategy_used == used, judged
    assert resolve(made(cut(5), {"q": []}, ["a.py/1"], qrels={"q": {}})).strategy_used == "span"
