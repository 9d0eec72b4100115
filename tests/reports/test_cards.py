"""Cards of queries: marked words, moves, grades and answers; and what changed between two results."""

from dataclasses import replace

import pytest

from assay.comparison import compare_results
from assay.model import Query
from assay.reports import BenchmarkReport, make_group

from ._html import parse
from ._pages import base, cand, page, section, two

OLD = {
    "dataset": {"name": "small", "fingerprints": {"queries": "aa", "documents": "bb", "judgments": "cc"}},
    "provider": {"name": "base", "configuration": {"provider": "bm25", "tokenizer": {"stem": True}}},
    "repository": {"commit": "1a2b3c4d5e6f", "dirty": False},
    "metrics": ["mrr", "recall@10"],
    "started": "2026-11-01T02:00:00+00:00",
}
NEW = {
    **OLD,
    "provider": {"name": "cand", "configuration": {"provider": "bm25", "tokenizer": {"stem": False}}},
    "repository": {"commit": "9f8e7d6c5b4a", "dirty": False},
    "metrics": ["mrr", "ndcg@10"],
}


def recorded(old=OLD, new=NEW, **more):
    """Both systems, compared, with what they are based on."""
    results = (base().with_fields(provenance=old), cand().with_fields(provenance=new))
    return BenchmarkReport(results, compare_results(results), **more)


def asking(query, words_of):
    """Both systems with another text of q2, and texts of documents."""
    results = [one.with_fields(queries={**one.queries, "q2": Query("q2", query)}) for one in (base(), cand())]
    return BenchmarkReport(tuple(results), compare_results(results), words_of=words_of)


def card_of(report, query):
    tree = parse(page(report))
    return next(one for one in tree.all("details", class_="query") if one.attributes["data-query"] == query)


def test_each_document_has_its_rank_in_the_other_ranking_and_its_grade():
    """d2 fell from rank 1 to 2 for q2, and a document that was not retrieved before is above it."""
    old, new = (side.one("ol", class_="ranking").all("li") for side in card_of(two(), "q2").all("div", class_="side"))
    assert old[0].text.startswith("1 ✓ 1 d2 → 2 ▼"), "its rank, its grade, its id and its new rank"
    assert [one.attributes["class"] for one in old[:2]] == ["relevant", "unjudged"]
    assert "rank 1 → 2, down, worse" in old[0].text
    assert "rank not retrieved → 1, up" in new[0].text
    assert "better" not in new[0].text, "it is not relevant"
    assert "rank 1 → 2, down, worse" in new[1].text


def test_the_summary_says_the_direction_in_a_word_beside_the_colour():
    lost, gained = card_of(two(), "q8").one("summary"), card_of(two(), "q4").one("summary")
    assert lost.one("span", class_="moved").text.endswith("1.000 → 0.000 (−1.000) ▼ worse")
    assert gained.one("span", class_="moved").text.endswith("0.250 → 1.000 (+0.750) ▲ better")


def test_a_relevant_document_that_left_the_ranking_is_named_with_both_ranks():
    card = card_of(two(), "q8")
    assert [one.text for one in card.one("ul", class_="moves").all("li")] == ["d8 grade 1 1 → not retrieved ▼ worse"]


def test_lines_are_drawn_from_rank_to_rank_and_end_below_the_list_if_a_document_is_gone():
    """q2: d2 goes from 1 to 2, ten unchanged documents go straight; q8: d8 leaves."""
    lines = card_of(two(), "q2").one("svg", class_="slope").all("line")
    worse = [line for line in lines if line.attributes["class"] == "worse"]
    assert [(line.attributes["y1"], line.attributes["y2"]) for line in worse] == [("6", "18")]
    gone = [
        line for line in card_of(two(), "q8").one("svg", class_="slope").all("line") if "outside" in line.attributes["class"]
    ]
    assert [(line.attributes["class"], line.attributes["y1"], line.attributes["y2"]) for line in gone] == [
        ("worse outside", "6", "126")
    ]


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("what about cafés", "All about CAFE culture", ["CAFE"]),
        ("radiators gurgle", "The radiator gurgles. A radial saw.", ["radiator", "gurgles"]),
        ("東京の天気", "明日の東京は晴れ。天気予報", ["東京", "天気"]),
        ("погода", "Погода в Москве", ["Погода"]),
        ("दिल्ली मौसम", "आज दिल्ली का मौसम", ["दिल्ली", "मौसम"]),
        ("مدينة القاهرة", "القاهرة مدينة كبيرة", ["القاهرة", "مدينة"]),
        ("<b>", "a <b>bold</b> b", ["b", "b", "b"]),
        ("", "nothing", []),
        ("of", "a list of many", ["of"]),
    ],
)
def test_words_of_the_query_are_marked_in_any_script(query, text, marked):
    report = asking(query, lambda _, names: {"d2": text} if "d2" in names else {})
    side = card_of(report, "q2").all("div", class_="side")[0]
    assert [one.text for one in side.all("mark")] == marked
    shown = side.one("span", class_="words").text
    assert shown.replace(" ", "") == text.replace(" ", ""), "nothing is lost"


def test_of_a_long_text_the_part_with_the_first_marked_word_is_shown():
    text = f"{'word ' * 100}gurgle {'end ' * 100}"
    report = asking("gurgle", lambda _, names: dict.fromkeys(names, text))
    shown = card_of(report, "q2").all("span", class_="words")[0].text
    assert (shown[:6], shown[-1]) == ("…word ", "…")
    assert "gurgle end" in shown
    assert len(shown) <= 185


def test_answers_and_the_expected_answer_are_shown():
    said = {"q2": {"answer": "It is <b>warm</b>"}}
    results = (base().with_fields(said=said), cand().with_fields(said={"q2": {"answer": "I do not know"}}))
    report = BenchmarkReport(results, compare_results(results), expected_of=lambda _, query: f"expected for {query}")
    card = card_of(report, "q2")
    answers = [one.text for one in card.all("p", class_="answer")]
    assert answers == ["expected answer expected for q2", "answer It is <b>warm</b>", "answer I do not know"]


def test_the_story_comes_before_the_figures():
    report = recorded()
    noted = replace(report, results=tuple(result.with_fields(notes=("doubtful",)) for result in report.results))
    titles = [one.title for one in make_group(noted).sections]
    assert titles[:4] == ["What changed", "What could overturn it", "Wins and losses", "Slices"]


def test_what_changed_has_a_line_for_each_recorded_difference():
    table = section(recorded(), "changes").parts[0]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["code version", "1a2b3c4 → 9f8e7d6"],
        ["provider configuration: tokenizer.stem", "True → False"],
        ["metrics", "recall@10 → ndcg@10"],
    ]
    swapped = replace(recorded(), comparison=compare_results(recorded().results[::-1]), results=recorded().results[::-1])
    assert section(swapped, "changes").parts[0].rows[0][1].text == "9f8e7d6 → 1a2b3c4", "the reference is first"


def test_no_recorded_difference_is_said_and_no_record_is_no_section():
    assert "No difference is recorded" in section(recorded(OLD, OLD), "changes").parts[0].text
    assert section(two(), "changes") is None


def test_a_verdict_has_its_direction_in_words():
    head = make_group(two()).head
    assert (head.change, head.outcome, head.tone) == ("mrr 0.531 → 0.625 (+0.094)", "higher, not shown", "")
    results = (cand(), base())
    assert make_group(BenchmarkReport(results, compare_results(results))).head.outcome == "lower, not shown"


def test_a_system_that_failed_on_every_query_has_no_figure():
    dead = cand().with_fields(run={}, failures=dict.fromkeys(base().query_ids, "HTTP 500"), provenance=NEW)
    head = make_group(BenchmarkReport((base().with_fields(provenance={**OLD, "started": ""}),), failed=(dead,))).head
    assert head.verdict.startswith("cand failed on every query, so nothing can be compared. base reaches mrr 0.531")
    assert (head.change, head.tone) == ("", "worse")
