"""The HTML report: well-formed, self-contained, the same every time, and its tables worked out by hand."""

import re
from dataclasses import replace
from itertools import islice, pairwise

import pytest

import assay
from assay.comparison import ComparisonOptions, compare_results
from assay.model import Query
from assay.monitoring import gate, parse_rule
from assay.reports import BenchmarkReport, make_group, render_results

from ._html import Element, parse
from ._pages import CAND_RANKS, QRELS, base, cand, many, page, result_of, section, two
from ._results import banded

ORDER = [
    "Wins and losses",
    "Slices",
    "Metrics",
    "Query by query",
    "Metric by cutoff",
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


def test_sections_stand_in_their_order_and_the_verdict_before_them(compared, tree):
    assert titles(tree) == ORDER
    assert compared.index('class="verdict') < compared.index("<section")
    assert tree.one("p", class_="verdict").text == two().comparison.verdict
    alone = parse(page(BenchmarkReport((base(),))))
    assert titles(alone) == ["Metrics", "Slices", "Metric by cutoff", "Notable queries", *ORDER[5:]]
    assert alone.one("p", class_="verdict").text.startswith("base reaches mrr 0.531 [")
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
        assert (box.attributes["tabindex"], box.attributes["role"]) == ("0", "group")
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
    assert "No times were measured" in bare.one("main").text
    assert "this result does not contain the ranking" in bare.one("main").text
    other = assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["map"], name="b")
    apart = parse(render_results([assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["mrr"], name="a"), other]))
    assert len(apart.all("p", class_="verdict")) == 2, "results that share no metric are not laid side by side"


def test_without_jinja_there_is_a_line_that_helps(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(assay.UsageError, match=r"pip install 'assay-ir\[report\]'"):
        page(two())


# What it says


def lines_of(element):
    """Row by row and sentence by sentence what a page says; no drawings, and of long tables the beginning."""
    for child in element.children:
        if isinstance(child, str):
            continue
        if child.tag == "table":
            yield from (" | ".join(row) for row in child.table()[:9])
        elif child.tag in ("ol", "ul"):
            texts = [one.text for one in child.all("li")]
            yield from (text for place, text in enumerate(texts) if place < 2 or "✓" in text)
        elif child.tag in ("p", "summary", "h1", "h2", "h3", "h4", "dt", "dd"):
            yield child.text
        elif child.tag not in ("svg", "script", "style", "nav"):
            yield from lines_of(child)


def test_what_a_page_says(snapshots, monkeypatch):
    """Of mrr base has 0.53125 and cand 0.625; of ties in four the relevant document is 1st to 4th, so the mean is 25/48."""

    def words_of(result, documents):
        return {name: f"about\n\n{name} " + "word " * 40 for name in documents if name != "q2x1"}

    monkeypatch.setattr("vl_convert.vegalite_to_svg", lambda *_, **__: '<svg class="marks" width="1"><g></g></svg>')
    held = gate([cand()], [base()], [parse_rule("mrr >= 0.9"), parse_rule("recall@10 >= 0.1")])
    run = {f"d{number}": 1.0 for number in range(30)}
    sampled = assay.evaluate({"q": {"d1": 1, "d2": 2}}, {"q": run}, ["inst", "mrr"], name="r", tie_band=True)
    candidate, perfect = result_of("cand", CAND_RANKS), result_of("base", dict.fromkeys(QRELS, 1))
    four = [on("de", base(), "de"), on("de", candidate, "de"), on("en", perfect, "en"), on("en", candidate, "en")]
    cases = {
        "two": page(two(gate=held, by=("difficulty",), words_of=words_of)),
        "three": page(many()),
        "one": page(BenchmarkReport((base(),), by=("difficulty",))),
        "ties": page(BenchmarkReport(tuple(banded()), compare_results(banded()))),
        "sampled ties": page(BenchmarkReport((sampled,))),
        "two languages": render_results(four),
        "two languages, one system missing": render_results(four[:3]),
        "two benchmarks": render_results([on("a", base()), on("b", perfect)]),
    }
    text = ""
    for name, one in cases.items():
        lines = islice(lines_of(parse(one)), None if name == "two" else 45)
        text += f"## {name}\n" + "".join(f"{line}\n" for line in lines if line) + "\n"
    snapshots.check("reports/pages", re.sub(r"assay \d+\.\d+\S*", "assay <version>", text))
    assert not re.search(r"heat-[pm][06-9]", cases["two"])
    assert 'class="number heat-p5"' in cases["two"]
    with pytest.raises(assay.UnknownName, match="colour"):
        section(two(by=("colour",)), "slices")


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


def test_tags_are_called_as_the_format_of_the_benchmark_calls_them():
    kinds = {query: replace(one, query_type="exact" if query < "q5" else "synonym") for query, one in base().queries.items()}
    result = base().with_fields(queries=kinds, provenance={"dataset": {"name": "hpo-en", "format": "hpo_cases"}})
    assert "category" in BenchmarkReport((result,)).tags
    assert "query_type" in BenchmarkReport((result.with_fields(provenance={}),)).tags


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
    assert "The rankings of 1,060 other queries, which are less notable, are left out" in part.lead
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


def on(benchmark, result, language=""):
    """The result on another benchmark, its queries in a language."""
    tags = {"language": language} if language else {}
    queries = {query: Query(query, f"what about {query}", metadata=tags) for query in QRELS}
    return result.with_fields(benchmark=benchmark, queries=queries, failures={})
