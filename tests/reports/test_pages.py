"""The HTML report: well-formed, self-contained, the same every time, and its tables worked out by hand."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest

import assay
from assay.comparison import ComparisonOptions, compare_results
from assay.model import Query
from assay.monitoring import gate, parse_rule
from assay.reports import BenchmarkReport, Cards, Figures, cross_benchmark_section, make_group, render_results

from ._html import Element, parse
from ._pages import CAND_RANKS, QRELS, base, cand, many, page, result_of, section, two
from ._results import banded

ORDER = [
    "Metrics",
    "Slices",
    "Metric by cutoff",
    "Query by query",
    "Wins and losses",
    "Score distributions",
    "Latency and failures",
    "Provenance",
    "What the metrics mean",
]


@pytest.fixture(scope="module")
def compared():
    return page(two())


@pytest.fixture(scope="module")
def tree(compared):
    return parse(compared)


def titles(tree):
    return [one.one("h2").text for one in tree.all("section")]


def texts(table):
    return [[cell.text for cell in row] for row in table.rows]


def test_sections_stand_in_their_order_and_the_verdict_before_them(compared, tree):
    assert titles(tree) == ORDER
    assert compared.index('class="verdict') < compared.index("<section")
    assert tree.one("p", class_="verdict").text == two().comparison.verdict
    alone = parse(page(BenchmarkReport((base(),))))
    assert titles(alone) == [*ORDER[:3], "Queries worth a look", *ORDER[5:]]
    assert alone.one("p", class_="verdict").text.startswith("base reaches mrr of 0.531 [")
    assert page(two()) == compared, "the same page twice is the same text"


def test_every_benchmark_has_its_part_and_no_anchor_twice():
    several = parse(render_results([base(), base().with_fields(benchmark="other one")], "by hand"))
    assert several.one("h1").text == "by hand"
    assert [one.text for one in several.all("h2")] == ["Across benchmarks", "small", "other one"]
    assert [one.text for one in several.all("h3")].count("Metrics") == 2
    ids = [one.attributes["id"] for one in several.all() if "id" in one.attributes]
    assert len(set(ids)) == len(ids)


def test_links_lead_somewhere_and_nothing_is_loaded_from_anywhere(compared, tree):
    ids = [one.attributes["id"] for one in tree.all() if "id" in one.attributes]
    assert len(set(ids)) == len(ids)
    assert {one.attributes["href"] for one in tree.all("a")} <= {f"#{name}" for name in ids}
    assert not tree.all("img") + tree.all("iframe")
    assert [one.attributes["href"] for one in tree.all("link")] == ["data:,"]
    assert all("src" not in one.attributes for one in tree.all())
    visible = re.sub(r"<(script|style)\b.*?</\1>", "", compared, flags=re.DOTALL)
    assert set(re.findall(r"https?://[^\"'\s<>)]+", visible)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\((?!#)", compared[compared.index("<style>") : compared.index("</style>")])
    policy = tree.one("meta", http_equiv="Content-Security-Policy").attributes["content"]
    assert policy.startswith("default-src 'none';")
    assert "http" not in policy


def test_every_chart_has_words_a_picture_and_its_data(tree):
    figures = tree.all("figure", class_="chart")
    kinds = {one.attributes["data-kind"] for one in figures}
    assert {"slices", "by_k", "precision_recall", "paired_scatter", "difference_histogram"} <= kinds
    for figure in figures:
        drawing = figure.one("div", class_="drawing")
        assert len(drawing.attributes["aria-label"]) > 30
        assert [one.attributes["aria-hidden"] for one in drawing.all("svg")] == ["true", "true"], "wide and narrow"
        assert len(figure.one("table").table()) > 1
        (spec,) = figure.all("script", type="application/json")
        assert not set("<>&\u2028\u2029") & set("".join(child for child in spec.children if isinstance(child, str)))
        assert not any(isinstance(child, Element) for child in spec.children)


def test_tables_can_be_read_by_everybody(tree):
    for table in tree.all("table"):
        assert table.one("caption").text
        for row in table.one("tbody").all("tr"):
            assert [cell.attributes.get("scope") for cell in row.all("th")] == ["row"]
    for box in tree.all("div", class_="table-box"):
        assert (box.attributes["tabindex"], box.attributes["role"]) == ("0", "region")
    levels = [int(one.tag[1]) for one in tree.all() if re.fullmatch("h[1-6]", one.tag)]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    for one in tree.all():
        assert one.tag in ("text", "tspan", "g", "path", "svg", "rect", "line") or "style" not in one.attributes, one
        assert not [name for name in one.attributes if name.startswith("on")], one


def test_long_words_are_kept_in_bounds():
    queries = {**base().queries, "q1": Query("q1", "w" * 10_000)}
    long = parse(page(BenchmarkReport((base().with_fields(queries=queries),))))
    assert max(len(cell.text) for table in long.all("table") for cell in table.all("td")) <= 400
    assert max(len(one.text) for one in long.all("span", class_="asked")) == 4_000


def test_what_is_not_known_is_left_out_or_said():
    bare = parse(render_results([assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["mrr"], name="alone")]))
    assert "Slices" not in titles(bare)
    assert "No times were taken" in bare.one("main").text
    assert "the ranking was not kept with this result" in bare.one("main").text
    other = assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["map"], name="b")
    apart = parse(render_results([assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["mrr"], name="a"), other]))
    assert len(apart.all("p", class_="verdict")) == 2, "results that share no metric are not laid side by side"


def test_without_jinja_there_is_a_line_that_helps(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(assay.UsageError, match=r"pip install 'assay\[report\]'"):
        page(two())


# Tables


def test_metrics_of_two_of_many_and_of_one():
    (table,) = [part for part in section(two(), "metrics").parts if hasattr(part, "rows")]
    assert [column.title for column in table.columns][:4] == ["metric", "base", "cand", "Δ"]
    mrr = table.rows[0]
    assert [cell.text for cell in mrr[:4]] == ["mrr", "0.531", "0.625", "+0.094"]
    assert mrr[0].link == "#definition-mrr"
    assert dict(mrr[1].values)["{}"] == 0.53125
    assert dict(mrr[7].values) == {"better": 4, "same": 2, "worse": 2}
    letters, pairs = [part for part in section(many(), "metrics").parts if hasattr(part, "rows")]
    assert [column.title for column in letters.columns] == ["system", "mrr", "recall@10", "ndcg@10"]
    assert [column.title for column in pairs.columns][:3] == ["systems", "Δ", "95 % CI of Δ"]
    (alone,) = section(BenchmarkReport((base(),)), "metrics").parts
    assert [row[0].text for row in alone.rows] == ["mrr", "recall@10", "ndcg@10"]


def test_verdicts_of_a_gate_stand_beside_their_metric():
    held = gate([cand()], [base()], [parse_rule("mrr >= 0.9"), parse_rule("recall@10 >= 0.1")])
    metrics, rules = [part for part in section(two(gate=held), "metrics").parts if hasattr(part, "rows")]
    assert [row[-1].text for row in metrics.rows] == ["✗ fail", "✓ pass", ""]
    assert [(row[0].text, row[1].mark) for row in rules.rows] == [("mrr >= 0.9", "fail"), ("recall@10 >= 0.1", "pass")]


def test_bands_by_hand():
    """Among four with one score the relevant document is 1st to 4th: mean 25/48. The other run has no ties."""
    results = banded()
    report = BenchmarkReport(tuple(results), compare_results(results))
    *_, bands = [part for part in section(report, "metrics").parts if hasattr(part, "rows")]
    assert texts(bands) == [
        ["mrr", "tied", "0.250", "0.250", "0.521", "1.000", "0.250", "1.000"],
        ["mrr", "clear", "0.500", "0.500", "0.500", "0.500", "0.500", "1.000"],
    ]
    assert bands.rows[0][4].value == pytest.approx(25 / 48)
    run = {f"d{number}": 1.0 for number in range(30)}
    sampled = assay.evaluate({"q": {"d1": 1, "d2": 2}}, {"q": run}, ["inst", "mrr"], name="r", tie_band=True)
    _, bands = section(BenchmarkReport((sampled,)), "metrics").parts
    assert [name for name, band in sampled.tie_bands.items() if band.method != "exact"] == ["inst"]
    assert any("inst" in note for note in bands.notes)


N = 30
RANKS = {"top": [1] * N, "near": [1] * (N - 2) + [2] * 2, "poor": [3] * N, "last": [4] * N}
"""mrr is 1, 29/30, 1/3 and 1/4: the first two differ on two queries of thirty, all others on nearly every one."""


def test_the_best_of_many_and_whom_it_is_not_told_apart_from(snapshots):
    def verdict(*names, **how):
        qrels = {f"q{n}": {"d": 1} for n in range(N)}
        results = []
        for name in names:
            ranks = RANKS[name.partition("-")[0]]
            run = {f"q{n}": [*(f"x{m}" for m in range(rank - 1)), "d"] for n, rank in enumerate(ranks)}
            results.append(assay.evaluate(qrels, run, ["mrr"], name=name))
        options = ComparisonOptions(test="paired_t", interval="t", **how)
        return make_group(BenchmarkReport(tuple(results), compare_results(results, options))).head.verdict

    cases = {
        "some are near": verdict("last", "near", "top", "poor"),
        "clear": verdict("poor", "top", "last"),
        "all are near": verdict("near", "top", "near-2"),
        "many are near": verdict("top", "poor", *(f"near-{n}" for n in range(8))),
        "two": verdict("top", "poor"),
        "a baseline": verdict("top", "poor", "last", baseline="poor"),
    }
    snapshots.check("reports/best", "".join(f"## {name}\n{text}\n\n" for name, text in cases.items()))


def test_slices_by_hand():
    table = section(two(by=("difficulty",)), "slices").parts[0]
    easy, hard = texts(table)
    assert (easy[:5], hard[:5]) == (["easy", "4", "0.688", "0.875", "+0.188"], ["hard", "4", "0.375", "0.375", "+0.000"])
    alone = section(BenchmarkReport((base(),), by=("difficulty",)), "slices").parts[0]
    assert [row[2].tint for row in alone.rows] == [1.0, -1.0]
    first, *_ = section(many(), "slices").parts[0].rows
    assert [cell.tint for cell in first[2:]] == pytest.approx([0, 0.3, 0.5])
    assert not re.search(r"heat-[pm][06-9]", shown := page(two(by=("difficulty",))))
    assert 'class="number heat-p5"' in shown
    with pytest.raises(assay.UnknownName, match="colour"):
        section(two(by=("colour",)), "slices")


def test_tags_are_called_as_the_format_of_the_benchmark_calls_them():
    kinds = {query: replace(one, query_type="exact" if query < "q5" else "synonym") for query, one in base().queries.items()}
    result = base().with_fields(queries=kinds, provenance={"dataset": {"name": "hpo-en", "format": "hpo_cases"}})
    assert "category" in BenchmarkReport((result,)).tags
    assert "query_type" in BenchmarkReport((result.with_fields(provenance={}),)).tags


def test_scores_by_hand():
    histogram, spread = section(two(), "scores").parts[:2]
    counts = {row[0].text: (row[1].value, row[2].value) for row in histogram.rows}
    assert (counts["0"], counts["0.2 – 0.3"], counts["0.5 – 0.6"], counts["1"]) == ((2, 2), (1, 0), (2, 2), (3, 4))
    assert sum(first for first, _ in counts.values()) == len(QRELS)
    assert texts(spread)[0] == ["base", "8", "0.000", "0.188", "0.500", "1.000", "1.000"]


def cards(report):
    parts = [part for part in section(report, "queries").parts if isinstance(part, Cards)]
    return {part.title: [card.query for card in part.cards] for part in parts}, {
        card.query: card for part in parts for card in part.cards
    }


def test_queries_worth_a_look():
    kinds, by_query = cards(two())
    assert kinds == {
        "Largest losses": ["q8", "q2"],
        "Largest gains": ["q4", "q3", "q6", "q7"],
        "Nothing found by either system": ["q5"],
        "Other queries": ["q1"],
    }
    before, after = by_query["q4"].sides
    assert (by_query["q4"].change, by_query["q4"].tone, before.score) == ("0.250 → 1.000 (+0.750)", "better", "mrr 0.250")
    assert [hit.document for hit in before.hits[:4]] == ["q4x0", "q4x1", "q4x2", "d4"]
    assert (before.hits[3].tone, after.hits[0].grade, before.more) == ("relevant", "✓ 1", "… and 2 documents further down")
    last = by_query["q5"].sides[0].hits[-1]
    assert (last.rank, last.document, last.tone) == ("–", "d5", "missed")
    assert by_query["q8"].sides[1].problem == "failed: HTTP 500"
    alone, _ = cards(BenchmarkReport((base(),)))
    assert alone["Nothing found"] == ["q5", "q7"]
    assert many().pair == (0, 2)
    table = section(two(), "queries").parts[-1]
    assert (table.filters, len(table.rows)) == ("queries", len(QRELS))
    first = table.rows[0]
    assert [cell.text for cell in first] == ["q8", "what about q8", "1.000", "0.000", "−1.000", "lost · failed"]
    assert (first[0].link, first[4].value) == (f"#{by_query['q8'].anchor}", -1.0)


def big(n, name, shift):
    """So many queries; every third moves."""
    qrels = {f"q{place}": {"d": 1} for place in range(n)}
    run = {f"q{place}": {"x": 2.0 if (place + shift) % 3 else 0.5, "d": 1.0} for place in range(n)}
    return assay.evaluate(qrels, run, ["mrr"], name=name).with_fields(run=run, relevant=qrels)


def big_report(n):
    results = (big(n, "a", 0), big(n, "b", 1))
    return BenchmarkReport(results, compare_results(results, ComparisonOptions(test="paired_t", interval="t")))


def test_of_many_queries_only_the_remarkable_have_rankings_and_the_page_says_so():
    part = section(big_report(1_100), "queries")
    assert "Rankings of 1,060 other queries are left out" in part.lead
    assert len(part.parts[-1].rows) == 1_000
    assert part.parts[-1].notes[0].startswith("1,000 of 1,100 queries")


@pytest.mark.slow
def test_a_page_of_many_queries_stays_small():
    """Points are drawn up to 5,000 queries, which is where pages are largest; beyond, they are counted in cells."""
    for n in (5_000, 6_000):
        assert len(page(big_report(n)).encode()) < 5_000_000
    crowded = section(big_report(5_001), "query-by-query")
    assert not crowded.parts[0].figures[0].is_clickable
    assert "click" not in crowded.lead


def test_points_are_queries_that_can_be_clicked():
    scatter = section(two(), "query-by-query")
    (figures,) = scatter.parts
    assert isinstance(figures, Figures)
    assert figures.figures[0].is_clickable
    assert scatter.lead.startswith("Above the line cand is better. A click")
    assert section(BenchmarkReport((base(),)), "query-by-query") is None


def test_documents_bring_their_first_words_where_somebody_knows_them():
    def words_of(result, documents):
        return {name: f"about\n\n{name} " + "word " * 40 for name in documents if name != "q2x1"}

    (hit, *_), *_ = [side.hits for side in cards(two(words_of=words_of))[1]["q2"].sides]
    assert hit.text.startswith("about d2 word word")
    assert len(hit.text) <= 120
    assert {hit.text for side in cards(two())[1]["q2"].sides for hit in side.hits} == {""}


def on(benchmark, result, language=""):
    """The result on another benchmark, its queries in a language."""
    tags = {"language": language} if language else {}
    queries = {query: Query(query, f"what about {query}", metadata=tags) for query in QRELS}
    return result.with_fields(benchmark=benchmark, queries=queries, failures={})


def across(*results):
    by_benchmark = {}
    for result in results:
        by_benchmark.setdefault(result.benchmark, []).append(result)
    return cross_benchmark_section(
        [
            BenchmarkReport(tuple(some)) if len(some) == 1 else BenchmarkReport(tuple(some), compare_results(some))
            for some in by_benchmark.values()
        ]
    )


def test_systems_on_several_benchmarks_side_by_side():
    """mrr: base 0.53125 in German and 1 in English, cand 0.625 in both."""
    candidate, perfect = result_of("cand", CAND_RANKS), result_of("base", dict.fromkeys(QRELS, 1))
    four = [on("de", base(), "de"), on("de", candidate, "de"), on("en", perfect, "en"), on("en", candidate, "en")]
    part = across(*four)
    assert (part.title, len(part.parts)) == ("Across languages", 3)
    assert texts(part.parts[0]) == [
        ["base", "0.531", "1.000", "0.766", "0.05493"],
        ["cand", "0.625", "0.625", "0.625", "0.00000"],
    ]
    assert part.parts[0].rows[0][1].note.startswith("[0.")
    assert texts(across(*four[:3]).parts[0])[1][2:] == ["–", "–", "–"]
    unlike = across(on("a", base()), on("b", perfect))
    assert [column.title for column in unlike.parts[0].columns] == ["system", "a", "b"]
    assert across(base(), cand()) is None
