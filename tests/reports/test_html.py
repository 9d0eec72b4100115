"""The page as a whole: well-formed, self-contained, the same every time, harmless whatever it is about."""

import re
from itertools import pairwise

import pytest

import assay
from assay.model.records import Query
from assay.reports.page.subject import BenchmarkReport
from assay.reports.renderers.html import benchmark_reports
from assay.text import printable

from ._html import Element, parse
from ._pages import base, cand, many, page, result_of, two
from ._results import HOSTILE, pair, rendered

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


def sections(tree):
    return [one.one("h2").text for one in tree.all("section")]


def visible(page_text):
    """The page without scripts and styles."""
    return re.sub(r"<(script|style)\b.*?</\1>", "", page_text, flags=re.DOTALL)


def test_sections_stand_in_their_order_and_the_verdict_before_them(compared, tree):
    assert sections(tree) == ORDER
    assert compared.index('class="verdict') < compared.index("<section")
    assert tree.one("p", class_="verdict").text == two().comparison.verdict


def test_one_result_has_the_same_without_what_compares():
    tree = parse(page(BenchmarkReport((base(),))))
    lacking = {"Query by query", "Wins and losses"}
    assert sections(tree) == [*ORDER[:3], "Queries worth a look", *ORDER[5:]]
    assert not lacking & set(sections(tree))
    assert tree.one("p", class_="verdict").text.startswith("base reaches mrr of 0.531 [")


def test_several_systems_have_letters_and_pairs():
    tree = parse(page(many()))
    heads = [table.table()[0] for table in tree.one(id="metrics").all("table")]
    assert heads[0] == ["system", "mrr", "recall@10", "ndcg@10"]
    assert heads[1][:3] == ["systems", "Δ", "95 % CI of Δ"]


def test_every_benchmark_has_its_part_and_no_anchor_twice():
    other = base().with_fields(benchmark="other one")
    tree = parse(page(*benchmark_reports([base(), cand(), other])))
    assert [one.text for one in tree.all("h2", class_="benchmark")] == ["small", "other one"]
    assert len(tree.all("p", class_="verdict")) == 2
    ids = [one.attributes["id"] for one in tree.all() if "id" in one.attributes]
    assert len(set(ids)) == len(ids)


def test_ids_are_unique_and_links_lead_somewhere(tree):
    ids = [one.attributes["id"] for one in tree.all() if "id" in one.attributes]
    assert len(set(ids)) == len(ids)
    targets = [one.attributes["href"] for one in tree.all("a")]
    assert targets
    for target in targets:
        assert target.startswith("#")
        assert target[1:] in ids


def test_nothing_is_loaded_from_anywhere(compared, tree):
    assert not tree.all("img")
    assert not tree.all("iframe")
    assert [one.attributes["href"] for one in tree.all("link")] == ["data:,"]
    assert all("src" not in one.attributes for one in tree.all())
    assert set(re.findall(r"https?://[^\"'\s<>)]+", visible(compared))) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\((?!#)", compared[compared.index("<style>") : compared.index("</style>")])
    policy = tree.one("meta", http_equiv="Content-Security-Policy").attributes["content"]
    assert policy.startswith("default-src 'none';")
    assert "http" not in policy


def test_the_same_page_twice_is_the_same_text(compared):
    assert page(two()) == compared


def test_every_chart_has_words_a_picture_and_its_data(tree):
    figures = tree.all("figure", class_="chart")
    kinds = [one.attributes["data-kind"] for one in figures]
    assert {"slices", "by_k", "precision_recall", "paired_scatter", "difference_histogram"} <= set(kinds)
    for figure in figures:
        drawing = figure.one("div", class_="drawing")
        assert drawing.attributes["role"] == "img"
        assert len(drawing.attributes["aria-label"]) > 30
        pictures = drawing.all("svg")
        assert [one.attributes["aria-hidden"] for one in pictures] == ["true", "true"], "a wide one and a narrow one"
        assert int(drawing.one("div", class_="narrow").one("svg").attributes["width"].partition(".")[0]) <= 358
        assert figure.one("summary").text == "Show data"
        assert len(figure.one("table").table()) > 1


def test_tables_can_be_read_by_everybody(tree):
    for table in tree.all("table"):
        assert table.one("caption").text
        assert all(head.attributes["scope"] == "col" for head in table.one("thead").all("th"))
        for row in table.one("tbody").all("tr"):
            assert [cell.attributes.get("scope") for cell in row.all("th")] == ["row"]
    for box in tree.all("div", class_="table-box"):
        assert (box.attributes["tabindex"], box.attributes["role"]) == ("0", "region")
        assert box.attributes["aria-label"]
    levels = [int(one.tag[1]) for one in tree.all() if re.fullmatch("h[1-6]", one.tag)]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_no_style_attribute_and_no_handler_stands_in_what_web_pages_share(tree):
    for one in tree.all():
        inside_svg = one.tag in ("text", "tspan", "g", "path", "svg", "rect", "line")
        assert inside_svg or "style" not in one.attributes, one
        assert not [name for name in one.attributes if name.startswith("on")], one


def hostile_results() -> list:
    """Every harmful text as query id, query, document, error and tag."""
    qrels = {text: {f"{text}!": 1} for text in HOSTILE}
    runs = [{text: {f"{text}{end}": 2.0, "x": 1.0} for text in HOSTILE} for end in ("!", "?")]
    found = []
    for name, run in zip(HOSTILE[1:3], runs, strict=True):
        scored = assay.evaluate(qrels, run, ["mrr", "ndcg@10"], name=name)
        queries = {text: Query(text, text, query_type=HOSTILE[n % 3]) for n, text in enumerate(HOSTILE)}
        more = {"failures": {HOSTILE[1]: HOSTILE[1] * 3}, "benchmark": HOSTILE[1], "notes": (HOSTILE[1],)}
        origin = {"dataset": {"name": HOSTILE[1], "version": HOSTILE[2]}, "provider": {"configuration": {"x": HOSTILE[1]}}}
        found.append(scored.with_fields(run=run, queries=queries, relevant=qrels, provenance=origin, **more))
    return found


def test_hostile_text_is_text():
    text = page(*benchmark_reports(hostile_results()), title=HOSTILE[1])
    tree = parse(text)
    tame = parse(page(two()))
    assert tree.one("title").text == "<script>alert(1)</script>"
    kinds = [one.attributes.get("type", "") for one in tree.all("script")]
    assert kinds.count("") == [one.attributes.get("type", "") for one in tree.all("script")].count("") == 3
    assert {one.tag for one in tree.all()} <= {one.tag for one in tame.all()} | {"h2", "tspan", "clippath", "defs"}
    assert "<script>alert" not in text
    shown = tree.one("main").text
    for harmful in HOSTILE:
        assert " ".join(printable(harmful).split()) in shown
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]", visible(text))


def test_data_of_charts_cannot_leave_their_script():
    tree = parse(page(*benchmark_reports(hostile_results())))
    specs = tree.all("script", type="application/json")
    assert specs
    for spec in specs:
        content = "".join(child for child in spec.children if isinstance(child, str))
        assert not set("<>&\u2028\u2029") & set(content)
        assert not any(isinstance(child, Element) for child in spec.children)


def test_long_words_are_kept_in_bounds():
    result = result_of("base", {f"q{n}": 1 for n in range(1, 9)})
    queries = {**result.queries, "q1": Query("q1", "w" * 10_000)}
    tree = parse(page(BenchmarkReport((result.with_fields(queries=queries),))))
    assert max(len(cell.text) for table in tree.all("table") for cell in table.all("td")) <= 400
    assert max(len(one.text) for one in tree.all("span", class_="asked")) == 4_000


def test_what_is_not_known_is_left_out_or_said():
    bare = [assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["mrr"], name="alone")]
    tree = parse(page(*benchmark_reports(bare)))
    text = tree.one("main").text
    assert "Slices" not in sections(tree)
    assert "No times were taken" in text
    assert "the ranking was not kept with this result" in text


def test_results_that_share_no_metric_are_not_laid_side_by_side():
    one = assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["mrr"], name="a")
    other = assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["map"], name="b")
    assert [len(matter.results) for matter in benchmark_reports([one, other])] == [1, 1]


def test_a_format_like_any_other():
    tree = parse(rendered("html", pair(), title="by hand"))
    assert tree.one("h1").text == "by hand"
    assert tree.one(id="metrics").all("table")[0].table()[1][0] == "map"


def test_headings_of_several_benchmarks_are_nested():
    """A heading of a benchmark stands above those of its sections; a screen reader tells them apart by their level."""
    results = [base(), base().with_fields(benchmark="other")]
    tree = parse(page(*benchmark_reports(results)))
    assert [one.text for one in tree.all("h2")] == ["Across benchmarks", "small", "other"]
    titles = [one.text for one in tree.all("h3")]
    assert titles.count("Metrics") == titles.count("Provenance") == 2
    assert "By difficulty" in [one.text for one in tree.all("h4")]


def test_without_jinja_there_is_a_line_that_helps(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(assay.UsageError, match=r"pip install 'assay\[report\]'"):
        page(two())
