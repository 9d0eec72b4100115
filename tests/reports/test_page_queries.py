"""Queries of a page: which are shown, how they moved, and both rankings."""

import pytest

from assay.comparison.comparison import compare_results
from assay.comparison.options import ComparisonOptions
from assay.reports.page.queries import Cards, notable_queries, queries_section, scatter_section
from assay.reports.page.subject import BenchmarkReport

from ._pages import QRELS, base, cand, many, page, result_of, two


def kinds(matter):
    return {kind.title: kind.queries for kind in notable_queries(matter).kinds}


def cards(matter):
    parts = [part for part in queries_section(matter).parts if isinstance(part, Cards)]
    return {card.query: card for part in parts for card in part.cards}


def test_losses_and_gains_largest_first_and_each_query_once():
    found = kinds(two())
    assert found["Largest losses"] == ["q8", "q2"]
    assert found["Largest gains"] == ["q4", "q3", "q6", "q7"]
    assert "Failed" not in found  # q8 is among the losses already
    assert found["Nothing found by either system"] == ["q5"]
    assert found["Other queries"] == ["q1"]
    assert notable_queries(two()).why["q8"] == ["lost", "failed"]


def test_of_one_result_the_lowest_scores():
    found = kinds(BenchmarkReport((base(),)))
    assert found["Nothing found"] == ["q5", "q7"]
    assert found["Lowest scores"][:3] == ["q4", "q3", "q6"]


def test_a_card_has_both_rankings_and_what_is_relevant():
    card = cards(two())["q4"]
    assert card.change == "0.250 → 1.000 (+0.750)"
    assert card.tone == "better"
    before, after = card.sides
    assert (before.system, before.score) == ("base", "mrr 0.250")
    assert [hit.document for hit in before.hits[:4]] == ["q4x0", "q4x1", "q4x2", "d4"]
    assert (before.hits[3].tone, before.hits[3].grade) == ("relevant", "✓ 1")
    assert after.hits[0].tone == "relevant"
    assert before.more == "… and 2 documents further down"
    assert len(before.hits) == 10


def test_relevant_documents_that_were_missed_stand_below_with_their_rank():
    card = cards(two())["q5"]
    last = card.sides[0].hits[-1]
    assert (last.rank, last.document, last.tone) == ("–", "d5", "missed")
    deep = result_of("base", {**dict.fromkeys(QRELS, 1), "q1": 12})
    matter = BenchmarkReport((deep, cand()), compare_results((deep, cand())))
    last = cards(matter)["q1"].sides[0].hits[-1]
    assert (last.rank, last.document, last.tone) == ("12", "d1", "missed")


def test_a_failure_is_told_where_the_ranking_would_be():
    assert cards(two())["q8"].sides[1].problem == "failed: HTTP 500"


def test_the_best_of_several_is_held_against_the_first():
    assert many().pair == (0, 2)
    assert [side.system for side in cards(many())["q5"].sides] == ["base", "third"]


def test_the_table_has_every_query_and_leads_to_its_card():
    section = queries_section(two())
    table = section.parts[-1]
    assert table.what == "queries"
    assert len(table.rows) == len(QRELS)
    first = table.rows[0]
    assert [field.text for field in first] == ["q8", "what about q8", "1.000", "0.000", "−1.000", "lost · failed"]
    assert first[0].href == f"#{cards(two())['q8'].anchor}"
    assert first[4].sort == -1.0


def big(n, name, shift):
    """So many queries; every third moves."""
    from assay.evaluation import evaluate

    qrels = {f"q{place}": {"d": 1} for place in range(n)}
    run = {f"q{place}": {"x": 2.0 if (place + shift) % 3 else 0.5, "d": 1.0} for place in range(n)}
    scored = evaluate(qrels, run, ["mrr"], name=name)
    return scored.with_fields(run=run, relevant=qrels)


def test_of_many_queries_only_the_remarkable_have_rankings_and_the_page_says_so():
    results = (big(3_000, "a", 0), big(3_000, "b", 1))
    matter = BenchmarkReport(results, compare_results(results))
    section = queries_section(matter)
    found = cards(matter)
    assert len(found) == 40
    assert "Rankings of 2,960 other queries are left out" in section.lead
    assert len(section.parts[-1].rows) == 1_000
    assert section.parts[-1].notes[0].startswith("1,000 of 3,000 queries")
    assert section.parts[0].lead == "20 of 1,000 queries."


@pytest.mark.parametrize("n", [5_000, 6_000])
def test_a_page_of_many_queries_stays_small(n):
    """Points are drawn up to 5,000 queries, which is where pages are largest; beyond, they are counted in cells."""
    results = (big(n, "a", 0), big(n, "b", 1))
    text = page(BenchmarkReport(results, compare_results(results, ComparisonOptions(test="paired_t", interval="t"))))
    assert len(text.encode()) < 5_000_000


def test_points_are_queries_that_can_be_clicked():
    (figures,) = scatter_section(two()).parts
    assert figures.figures[0].is_clickable
    assert "A click" in scatter_section(two()).lead
    assert scatter_section(BenchmarkReport((base(),))) is None


def test_cells_of_many_queries_cannot_be_clicked_and_nothing_says_so():
    results = (big(5_001, "a", 0), big(5_001, "b", 1))
    section = scatter_section(
        BenchmarkReport(results, compare_results(results, ComparisonOptions(test="paired_t", interval="t")))
    )
    assert not section.parts[0].figures[0].is_clickable
    assert "click" not in section.lead


def test_the_line_names_who_is_better_above_it():
    assert scatter_section(two()).lead.startswith("Above the line cand is better.")
    results = (base(), cand())
    swapped = BenchmarkReport(results, compare_results(results, ComparisonOptions(baseline="cand")))
    assert scatter_section(swapped).lead.startswith("Above the line base is better.")


def test_documents_bring_their_first_words_where_somebody_knows_them():
    def words_of(result, documents):
        return {name: f"about\n\n{name} " + "word " * 40 for name in documents if name != "q2x1"}

    (hit, *_), *_ = [side.hits for side in cards(two(words_of=words_of))["q2"].sides]
    assert hit.text.startswith("about d2 word word")
    assert hit.text.endswith("word…")
    assert len(hit.text) <= 120
    missed = cards(two(words_of=words_of))["q8"].sides[1].hits[-1]
    assert (missed.document, missed.text[:8]) == ("d8", "about d8")
    assert {hit.text for side in cards(two())["q2"].sides for hit in side.hits} == {""}
