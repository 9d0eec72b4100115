"""The page that compares: which result is the baseline, what changed, which queries, and what is decided there."""

import re
import sqlite3
from contextlib import closing
from html import unescape
from urllib.parse import parse_qs, parse_qsl, urlencode

import pytest

import assay
from assay import BenchmarkDataset, Document, Query
from assay.store import Store

from ._boards import failed_result
from ._clients import cells_of, client_of, csrf_of, keys_of, main_of, told, words_of
from ._stores import METRICS, Stored, result_of, saved

pytestmark = pytest.mark.usefixtures("undrawn")


def page(client, keys, **params):
    return client.get("/compare", params=[*(("r", key) for key in keys), *params.items()])


def cards_of(html):
    section = re.search(r'<section id="queries".*?</section>', html, re.DOTALL)[0]
    return [f'<details class="query"{card}' for card in section.split('<details class="query"')[1:]]


def queries_of(html):
    return [unescape(name) for name in re.findall(r'<details class="query"[^>]* data-query="([^"]*)"', html)]


def counts_of(html):
    """Filter → its number of queries."""
    kinds = re.search(r'<ul class="kinds">(.*?)</ul>', html, re.DOTALL)[1]
    found = re.findall(r'href="([^"]*)"[^>]*>.*?<span class="n">([\d,]+)</span>', kinds, re.DOTALL)
    return {parse_qs(unescape(url).partition("#")[0])["only"][0]: int(n.replace(",", "")) for url, n in found}


@pytest.fixture(scope="module")
def fallen(folder):
    """A baseline, a middle and a worse run of one provider, and another provider."""
    runs = [
        [result_of(1, skill=0.9, night=0), result_of(5, provider="dense", skill=0.8, night=0)],
        [result_of(1, skill=0.9, night=1)],
        [changed(result_of(3, skill=0.3, night=2))],
    ]
    path = saved(folder / "fallen.db", *runs)
    with Store.open(path) as store:
        store.bless(f"{store.id_of('latest~2')}#bm25", "main")
    return path


def changed(result):
    """The same with another configuration, code and two failures."""
    origin = {
        **result.provenance,
        "provider": {"name": "bm25", "configuration": {"provider": "bm25", "tokenizer": {"stem": False}}},
        "repository": {"commit": "9f8e7d6c5b4a", "dirty": False},
    }
    run = {query: ranking for query, ranking in result.run.items() if query not in ("q001", "q002")}
    qrels = {query: {**result.relevant[query], **result.nonrelevant.get(query, {})} for query in result.query_ids}
    scored = assay.evaluate(qrels, run, METRICS, name=result.name)
    failures = {"q001": "HTTP 500", "q002": "HTTP 500"}
    about = {"benchmark": result.benchmark, "queries": result.queries, "provenance": origin}
    return scored.with_fields(run=run, failures=failures, **about)


@pytest.fixture(scope="module")
def nights(fallen):
    """Keys of bm25, the oldest first."""
    return Stored(fallen).of("bm25")[::-1]


@pytest.fixture(scope="module")
def visitor(fallen):
    return client_of(fallen)


def test_references_lead_to_what_they_mean(client, stored):
    answer = client.get("/compare?r=latest/0&r=latest~1&words=a")
    expected = [f"{name}/0" for name in list(dict.fromkeys(entry.evaluation for entry in stored.entries))[:2]]
    assert answer.status_code == 307
    assert parse_qs(answer.headers["location"].partition("?")[2]) == {"r": expected, "words": ["a"]}


def test_results_with_other_queries_are_compared_on_what_they_share(tmp_path):
    results = [result_of(1, provider="a", n_queries=12), result_of(2, provider="b", n_queries=8)]
    client = client_of(saved(tmp_path / "s.db", results))
    keys = keys_of(client.get("/results").text)
    answer = page(client, keys)
    assert (answer.status_code, "--intersect" in answer.text) == (422, False)
    link = unescape(re.search(r'href="([^"]*shared=1[^"]*)"', answer.text)[1])
    assert len(cells_of(client.get(f"{link}&csv=all-queries"))) == 8


def test_a_metric_of_all_lists_is_compared_but_no_filter_offers_it(tmp_path):
    documents = {f"d{number}": Document(f"d{number}", "text") for number in range(9)}
    asked = {f"q{number}": Query(f"q{number}", "?") for number in range(4)}
    dataset = BenchmarkDataset("shop", queries=asked, documents=documents, qrels={query: {"d1": 1} for query in asked})
    runs = {"a": ["d1", "d2"], "b": ["d3", "d1"]}
    metrics = ["catalogue_coverage@2", "hit@1"]
    results = [assay.evaluate(dataset, dict.fromkeys(asked, run), metrics, name=name) for name, run in runs.items()]
    client = client_of(saved(tmp_path / "s.db", results))
    keys = keys_of(client.get("/results").text)
    for more in ([], [("metric", "catalogue_coverage@2")]):
        answer = client.get("/compare", params=[*(("r", key) for key in keys), *more])
        assert answer.status_code == 200
        assert re.findall(r"<option[^>]*>([a-z_]+@\d)", answer.text) == ["hit@1"]
        assert "catalogue_coverage@2" in main_of(answer.text)
    alone = client.get(f"/result/{keys[0]}", params={"metric": "catalogue_coverage@2"})
    assert re.findall(r"<option[^>]*>([a-z_]+@\d)", alone.text) in ([], ["hit@1"])
    assert len(cells_of(client.get(f"/result/{keys[0]}?csv=queries"))) == 4


def test_a_result_that_failed_on_every_query_is_left_out_of_a_comparison_and_has_no_verdict_of_its_own(tmp_path):
    results = [result_of(1, provider="a"), failed_result("dead"), result_of(2, provider="b", skill=0.9)]
    client = client_of(saved(tmp_path / "s.db", results))
    keys = sorted(keys_of(client.get("/").text))
    page = client.get("/compare", params=[("r", key) for key in keys])
    assert page.status_code == 200
    words = main_of(page.text)
    assert "b beats a on ndcg@10" in words
    assert "RuntimeError: no route to the index" in words
    verdict = re.search(r'<p class="verdict[^>]*>(.*?)</p>', page.text, re.DOTALL)[1]
    assert "dead" not in verdict
    alone = main_of(client.get(f"/result/{keys[1]}").text)
    assert "dead failed on all 60 queries, so it has no values." in alone
    assert "reaches" not in alone


def test_the_older_of_two_is_the_baseline_whichever_comes_first_and_a_loss_is_red_everywhere(visitor, nights):
    old, new = nights[1:]
    pages = [page(visitor, keys).text for keys in ((old, new), (new, old))]
    assert [one.count('<p class="change worse">') for one in pages] == [1, 1]
    for html in pages:
        head = words_of(re.search(r'<p class="change worse">(.*?)</p>', html, re.DOTALL)[1])
        assert re.fullmatch(r"ndcg@10 0\.\d+ → 0\.\d+ \(−0\.\d+\) ▼ worse", head)
        before, after, change = (float(one.replace("−", "-")) for one in re.findall(r"−?0\.\d+", head))
        assert change < 0
        assert abs(after - before - change) < 0.0015, "rounded"
    titles = [re.search(r"<h1>(.*?)</h1>", one)[1] for one in pages]
    assert titles[0] == titles[1]
    heads = cells_of(page(visitor, (new, old), csv="all-queries"))
    assert sum(float(row["Δ"]) for row in heads) < 0


def test_the_address_can_make_the_newer_result_the_baseline(visitor, nights):
    old, new = nights[1:]
    html = page(visitor, (old, new), baseline=new).text
    assert '<p class="change better">' in html
    assert '<p class="change worse">' not in html


def test_a_baseline_can_be_the_previous_run_a_blessed_name_or_any_result(visitor, nights, fallen):
    first, old, new = nights
    html = page(visitor, (old, new)).text
    menu = re.search(r'<select name="baseline"[^>]*>(.*?)</select>', html, re.DOTALL)[1]
    groups = dict(re.findall(r'<optgroup label="([^"]*)">(.*?)</optgroup>', menu, re.DOTALL))
    values = {name: re.findall(r'value="([^"]*)"', options) for name, options in groups.items()}
    (dense,) = Stored(fallen).of("dense")
    assert values == {"Previous run": [old], "Blessed baselines": [first], "Other results": [dense]}
    for name in ("main", first):
        answer = page(visitor, (new,), baseline=name, only="lost")
        assert answer.status_code == 307
        assert parse_qsl(answer.headers["location"].partition("?")[2]) == [
            ("r", first),
            ("r", new),
            ("baseline", first),
            ("only", "lost"),
        ]
    assert page(visitor, (old, new), baseline="nobody").status_code == 400


def test_what_changed_is_said_after_the_verdict_and_before_the_queries(visitor, nights):
    html = page(visitor, nights[1:]).text
    section = re.search(r'<section id="changes".*?</section>', html, re.DOTALL)[0]
    assert "tokenizer.stem none → False" in words_of(section)
    places = [html.index(mark) for mark in ('class="verdict', 'id="changes"', 'id="queries"', 'id="slices"', 'id="metrics"')]
    assert places == sorted(places)
    assert "No difference is recorded" in main_of(page(visitor, nights[:2]).text)


def expected_kinds(fallen, old, new, k=10):
    """Filter → queries, counted without the page."""
    stored = Stored(fallen).results
    before, after = stored[old], stored[new]
    scores = [one.scores("ndcg@10") for one in (before, after)]
    change = {query: scores[1][query] - scores[0][query] for query in before.query_ids}

    def top(result, query):
        ranking = result.run.get(query, {})
        return set(sorted(ranking, key=lambda document: (-ranking[document], document))[:k])

    lost = {query for query in change if (top(before, query) - top(after, query)) & set(before.relevant[query])}
    return {
        "worse": {query for query, value in change.items() if value < 0},
        "better": {query for query, value in change.items() if value > 0},
        "changed": {query for query, value in change.items() if value},
        "lost": lost,
        "failed": set(after.failures),
        "all": set(change),
    }, change


def test_filters_have_their_counts_and_the_largest_loss_is_first(visitor, nights, fallen):
    old, new = nights[1:]
    kinds, change = expected_kinds(fallen, old, new)
    html = page(visitor, (old, new)).text
    assert counts_of(html) == {name: len(queries) for name, queries in kinds.items()}
    shown = queries_of(html)
    assert len(shown) == 8
    losses = [change[query] for query in shown]
    assert losses == sorted(losses)
    assert losses[0] == min(change.values())
    assert [bool(re.match(r"<details[^>]* open>", card)) for card in cards_of(html)] == [True] + [False] * 7
    assert set(queries_of(page(visitor, (old, new), only="failed").text)) == {"q001", "q002"}
    best = queries_of(page(visitor, (old, new), only="better").text)
    assert change[best[0]] == max(change.values())
    assert page(visitor, (old, new), only="nothing").status_code == 400


def test_every_query_of_a_filter_is_on_one_of_its_pages(visitor, nights, fallen):
    old, new = nights[1:]
    kinds, _ = expected_kinds(fallen, old, new)
    seen, url = [], f"/compare?{urlencode([('r', old), ('r', new), ('only', 'worse')])}"
    while url:
        html = visitor.get(url).text
        seen += queries_of(html)
        found = re.search(r'href="([^"]*)" rel="next"', re.search(r'<section id="queries".*?</section>', html, re.DOTALL)[0])
        url = unescape(found[1]) if found else ""
    assert (len(seen), set(seen)) == (len(kinds["worse"]), kinds["worse"])


def test_a_query_that_lost_a_relevant_document_says_so(visitor, nights, fallen):
    old, new = nights[1:]
    kinds, _ = expected_kinds(fallen, old, new)
    shown = cells_of(page(visitor, (old, new), only="lost", csv="all-queries"))
    assert {row["query"] for row in shown} == kinds["lost"]
    answered = kinds["lost"] - kinds["failed"]
    card = cards_of(page(visitor, (old, new), only="lost", words=min(answered)).text)[0]
    assert "lost a relevant document from the top 10" in card
    assert re.search(r'<ul class="moves">.*?▼ worse', card, re.DOTALL)


def test_every_slice_leads_to_its_queries_and_queries_can_be_grouped(visitor, nights, fallen):
    old, new = nights[1:]
    html = page(visitor, (old, new)).text
    slices = re.search(r'<section id="slices".*?</section>', html, re.DOTALL)[0]
    links = [unescape(link) for link in re.findall(r'href="([^"]*slice=[^"]*)"', slices)]
    assert {parse_qs(link.partition("#")[0])["slice"][0] for link in links} == {
        *(f"language:{word}" for word in ("de", "en", "fr")),
        *(f"difficulty:{word}" for word in ("easy", "hard")),
    }
    link = next(link for link in links if "language%3Ade" in link)
    tags = {query: record.tags for query, record in Stored(fallen).results[new].queries.items()}
    assert {tags[query]["language"] for query in queries_of(visitor.get(link).text)} == {"de"}
    grouped = page(visitor, (old, new), group="difficulty").text
    heads = [words_of(head) for head in re.findall(r"<h3>(difficulty .*?)</h3>", grouped)]
    assert re.fullmatch(r"difficulty (easy|hard) all \d+", heads[0])
    assert page(visitor, (old, new), slice="language:xx").status_code == 400
    assert page(visitor, (old, new), group="nothing").status_code == 404


def test_sections_that_no_filter_changes_have_no_filter_of_another_visitor(visitor, nights):
    """They are made once, so their downloads name only what is compared; a page has its own filters where they matter."""
    old, new = nights[1:]
    first, second = (page(visitor, (old, new), words=word).text for word in ("q001", "q002"))
    assert "q001" in first
    assert "words=q001" not in second
    downloads = re.findall(r'href="([^"]*csv=[^"]*)"', second)
    assert len(downloads) > 3
    assert all("words" not in address for address in downloads if "csv=all-queries" not in address)
    for address in downloads:
        assert visitor.get(address.replace("&amp;", "&")).status_code == 200


def test_a_card_can_be_opened_by_the_address_although_no_filter_has_it(visitor, nights):
    old, new = nights[1:]
    html = page(visitor, (old, new), only="better", card="q001").text
    assert queries_of(html)[0] == "q001"
    assert "failed: HTTP 500" in cards_of(html)[0]
    assert re.match(r"<details[^>]* open>", cards_of(html)[0])


def test_a_provider_that_failed_on_every_query_has_no_figure_only_its_error(tmp_path):
    dead = result_of(2, night=1)
    dead = dead.with_fields(run={}, failures=dict.fromkeys(dead.query_ids, "HTTP 503"))
    client = client_of(saved(tmp_path / "s.db", [result_of(1)], [dead]))
    keys = Stored(tmp_path / "s.db").keys
    html = page(client, keys).text
    text = main_of(html)
    assert "failed on every query, so nothing can be compared" in text
    assert "all 60 queries failed: HTTP 503" in text
    assert "cannot be a baseline" in text
    answer = client.post("/compare/bless", data={"csrf": csrf_of(html), "result": keys[0], "name": "main"})
    assert (answer.status_code, "failed on every query" in main_of(answer.text)) == (400, True)


# Decide


@pytest.fixture
def desk(fallen, tmp_path):
    """A client on a store that the test may change, and the address of a comparison."""
    path = tmp_path / "own.db"
    with closing(sqlite3.connect(fallen)) as source, closing(sqlite3.connect(path)) as target:
        source.backup(target)
    keys = Stored(path).of("bm25")[:2][::-1]
    return path, client_of(path), f"/compare?{urlencode([('r', key) for key in keys])}&only=lost", keys[-1]


def test_the_newer_result_is_blessed_and_the_page_says_what_it_replaced(desk):
    path, client, url, key = desk
    html = client.get(url).text
    with Store.open(path) as store:
        before = store.baselines()["main"].partition("#")[0]
    sent = {"csrf": csrf_of(html), "result": key, "name": "main", "next": url}
    answer = client.post("/compare/bless", data=sent)
    assert answer.status_code == 303
    with Store.open(path) as store:
        assert store.baselines() == {"main": key.partition("/")[0]}
    said = main_of(client.get(answer.headers["location"]).text)
    assert f"bm25 of {key.partition('/')[0]} is now the baseline main. It replaced {before}." in said
    assert "is now the baseline" not in main_of(client.get(f"{url}&blessed=other&replaced=x").text), "only if it is so"
    refused = client.post("/compare/bless", data={**sent, "name": "no name!"})
    assert (refused.status_code, "a baseline name must" in main_of(refused.text)) == (400, True)


def test_one_of_several_results_of_an_evaluation_is_blessed_alone(desk):
    path, client, url, _ = desk
    (dense,) = Stored(path).of("dense")
    client.post("/compare/bless", data={"csrf": csrf_of(client.get(url).text), "result": dense, "name": "best", "next": url})
    with Store.open(path) as store:
        assert store.baselines()["best"] == f"{dense.partition('/')[0]}#things/dense"


def test_a_note_is_written_and_shown(desk):
    path, client, url, key = desk
    sent = {"csrf": csrf_of(client.get(url).text), "result": key, "text": "tokenizer <b>fault</b>", "next": url}
    answer = client.post("/compare/note", data=sent)
    html = client.get(answer.headers["location"]).text
    assert "The note is saved." in main_of(html)
    assert "tokenizer &lt;b&gt;fault&lt;/b&gt;" in html
    with Store.open(path) as store:
        assert [note.text for note in store.find(key.partition("/")[0]).notes] == ["tokenizer <b>fault</b>"]
    for text in ("  ", "x" * 4001):
        assert client.post("/compare/note", data={**sent, "text": text}).status_code == 400


@pytest.mark.parametrize("form", ["bless", "note"])
def test_forms_of_others_change_nothing_and_lead_nowhere_else(desk, form):
    path, client, url, key = desk
    sent = {"result": key, "name": "evil", "text": "evil", "next": url}
    token = csrf_of(client.get(url).text)
    for data, headers in (
        (sent, {}),
        ({**sent, "csrf": "0" * 64}, {}),
        ({**sent, "csrf": token}, {"origin": "http://evil.example"}),
    ):
        assert client.post(f"/compare/{form}", data=data, headers=headers).status_code == 403
    assert client.get(f"/compare/{form}").status_code == 405
    with Store.open(path) as store:
        assert "evil" not in store.baselines()
        assert store.find(key.partition("/")[0]).notes == ()
    for place in ("//evil.example/compare?", "https://evil.example/", "/compare\\evil", "javascript:alert(1)", ""):
        answer = client.post(f"/compare/{form}", data={**sent, "csrf": token, "next": place})
        assert answer.headers["location"] == f"/compare?{urlencode({'r': key})}", place
    unknown = client.post(f"/compare/{form}", data={**sent, "csrf": token, "result": "nothing/0"})
    assert unknown.status_code == 404


def test_a_store_that_cannot_be_written_is_an_error_that_says_so(desk, monkeypatch, snapshots):
    path, client, url, key = desk
    monkeypatch.setattr("assay.web.pages.decide.LOCK_TIMEOUT", 0.05)
    sent = {"csrf": csrf_of(client.get(url).text), "result": key, "name": "main", "text": "a note", "next": url}
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    answers = {f"{form} while another writes": client.post(f"/compare/{form}", data=sent) for form in ("bless", "note")}
    writer.execute("ROLLBACK")
    writer.close()
    snapshots.check("web/decide_refusals", told(answers, {str(path): "<store>"}))
    assert client.post("/compare/note", data=sent).status_code == 303


def test_a_document_is_graded_in_its_card_and_the_comparison_is_computed_again(desk):
    """One returns to the open card; the benchmark's own grades stay one click away."""
    _, client, url, _ = desk
    html = client.get(url).text
    query = queries_of(html)[0]
    assert 'class="layers"' not in html, "nobody has graded yet"
    forms = re.findall(r'<form class="grade-form".*?</form>', html, re.DOTALL)
    fields = [dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form)) for form in forms]
    chosen = next(one for one in fields if one["query"] == query)
    sent = {name: unescape(value) for name, value in chosen.items()} | {"judge": "Ana", "grade-0": "3"}
    answer = client.post("/judge", data=sent)
    assert answer.status_code == 303
    address, _, anchor = answer.headers["location"].partition("#")
    asked = parse_qs(address.partition("?")[2])
    assert (asked["judgments"], asked["card"], asked["saved"]) == (["people"], [sent["query"]], ["1"])
    after = client.get(address).text
    assert f'id="{anchor}"' in after
    assert "1 grade by Ana saved." in main_of(after)
    layers = re.search(r'<p class="layers">(.*?)</p>', after, re.DOTALL)[1]
    assert "With 1 new grade by people, ndcg@10 of" in words_of(layers)
    links = [parse_qs(unescape(link).partition("?")[2]) for link in re.findall(r'href="([^"]*)"', layers)]
    assert [link.get("judgments") for link in links] == [None, ["people"]]
    opened = re.findall(r'<details class="query"[^>]* data-query="([^"]*)"[^>]* open>', after)
    assert opened == [sent["query"]]


def test_if_grades_cannot_be_computed_the_page_shows_those_of_the_benchmark(tmp_path):
    """The store has scores, but not the rankings that they come from."""
    runs = [[result_of(seed, night=seed).with_fields(run={})] for seed in (1, 2)]
    client = client_of(saved(tmp_path / "s.db", *runs))
    answer = page(client, Stored(tmp_path / "s.db").keys, judgments="people", saved="1")
    assert answer.status_code == 307
    after = client.get(answer.headers["location"])
    assert (after.status_code, "judgments=people" in answer.headers["location"]) == (200, False)
    assert "1 grade saved." in main_of(after.text)


def test_the_report_of_exactly_this_comparison_can_be_downloaded(visitor, nights):
    old, new = nights[1:]
    html = page(visitor, (new, old)).text
    link = unescape(re.search(r'<a href="(/compare/report[^"]*)" download>', html)[1])
    answer = visitor.get(link)
    assert answer.status_code == 200
    ends = [key.partition("/")[0].rpartition("-")[2] for key in (old, new)]
    assert answer.headers["content-disposition"] == f'attachment; filename="compare-{ends[0]}-{ends[1]}.html"'
    verdict = re.search(r'<p class="verdict[^"]*">(.*?)</p>', html)[1]
    assert verdict in answer.text
    assert "tokenizer.stem" in answer.text
    assert answer.text.startswith("<!doctype html>")
    assert "<script src" not in answer.text
    assert visitor.get("/compare/report").status_code == 400
    assert visitor.get(f"{link}&only=lost").status_code == 400, "it is about all queries"


def stored_keys(client):
    """The keys of all results, the newest first."""
    return [entry["key"] for entry in client.get("/api/v1/results").json()["results"]]


def test_runs_with_other_metrics_share_what_both_have(folder):
    all_metrics, only_mrr = result_of(1, skill=0.9), result_of(1, skill=0.3, night=1).subset(metrics=["mrr"])
    client = client_of(saved(folder / "metrics.db", [all_metrics], [only_mrr]))
    newer, older = stored_keys(client)
    response = page(client, (older, newer))
    assert (response.status_code, "bm25 got worse on mrr by" in response.text) == (200, True)
    moved = client.get("/compare", params=[("r", older), ("r", newer), ("metric", "ndcg@10")])
    assert "metric=" not in moved.headers["location"], "the metric of another baseline"
    assert page(client, (older, newer), metric="map").status_code == 404, "a metric of neither"


def test_only_shared_queries_are_offered_where_this_is_possible(folder):
    other = result_of(1, night=1).with_fields(benchmark="other")
    client = client_of(saved(folder / "other.db", [result_of(1)], [other]))
    response = page(client, stored_keys(client))
    assert (response.status_code, "different benchmarks" in response.text) == (422, True)
    assert "Compare only the queries" not in response.text


def test_to_bless_what_got_worse_is_not_the_first_choice(fallen):
    client = client_of(fallen)
    keys = Stored(fallen).of("bm25")
    worse, better = (page(client, (keys[0], keys[2]), baseline=baseline).text for baseline in (keys[2], keys[0]))
    warning = "This result is worse than the one it is compared with."
    assert (warning in worse, '<button class="plain">Bless' in worse) == (True, True)
    assert (warning in better, '<button class="main">Bless' in better) == (False, True)


def test_a_grade_for_a_query_with_a_very_long_id_returns_to_its_card(folder):
    long = "w" * 5_000
    runs = [{long: {"d1": score, "d2": 1.0}} for score in (2.0, 0.0)]
    scored = [
        assay.evaluate({long: {"d2": 1}}, run, METRICS, name="bm25").with_fields(benchmark="b", run=run) for run in runs
    ]
    client = client_of(saved(folder / "long.db", *([one] for one in scored)))
    html = page(client, stored_keys(client), only="all").text
    form = re.search(r'<form class="grade-form".*?</form>', html, re.DOTALL)[0]
    fields = {name: unescape(value) for name, value in re.findall(r'name="([^"]+)" value="([^"]*)"', form)}
    sent = {**fields, "grade-0": "2", "judge": "Ana", "csrf": csrf_of(html)}
    saved_grade = client.post("/judge", data=sent, follow_redirects=True)
    assert (saved_grade.status_code, "1 grade by Ana saved." in saved_grade.text) == (200, True)


def test_a_very_long_name_is_shortened_wherever_a_comparison_has_it(folder):
    name = f"first-{'w' * 3_000}-last"
    runs = [[result_of(1, provider=name, skill=skill, night=night)] for night, skill in enumerate((0.9, 0.3))]
    client = client_of(saved(folder / "names.db", *runs))
    html = page(client, stored_keys(client)).text
    assert "w" * 200 not in re.search(r'<main.*?id="provenance', html, re.DOTALL)[0]
    assert re.search(r"<h1>first-w+…w+-last \(2026-10-01\) → first-w+…w+-last \(2026-10-02\)</h1>", html)
    assert re.search(r"first-w+…w+-last got worse on ndcg@10 by", html)
