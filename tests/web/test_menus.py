"""Menus that depend on each other: whatever a form can submit is answered with figures, and links stay clean."""

import random
import re
from html import unescape
from itertools import product
from urllib.parse import parse_qsl, urlsplit

import pytest

from ._boards import several_benchmarks
from ._clients import client_of, main_of, rows_of
from ._stores import result_of, saved


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    return several_benchmarks(tmp_path_factory.mktemp("menus") / "s.db")


@pytest.fixture(scope="module")
def client(several):
    return client_of(several)


def menus_of(html):
    """The menus of the form: name → the values that it can submit; a tick is either there or not."""
    form = re.search(r'<form class="choices".*?</form>', html, re.DOTALL)[0]
    menus = {}
    for name, inside in re.findall(r'<select name="(\w+)">(.*?)</select>', form, re.DOTALL):
        options = re.findall(r'<option(?: value="([^"]*)")?[^>]*>(.*?)</option>', inside, re.DOTALL)
        menus[name] = [unescape(value if value or not text or text == "all" else text) for value, text in options]
    for name, value in re.findall(r'<input type="checkbox" name="(\w+)" value="([^"]*)"', form):
        menus.setdefault(name, [""]).append(unescape(value))
    return menus


def all_submissions(client, path):
    """From every page of the menus, every combination of options, as a browser would send it."""
    benchmarks = menus_of(client.get(path).text)["benchmark"]
    sent = set()
    for benchmark in benchmarks:
        menus = menus_of(client.get(path, params={"benchmark": benchmark}).text)
        for values in product(*menus.values()):
            sent.add(tuple((name, value) for name, value in zip(menus, values, strict=True) if value))
    return sorted(sent)


def figures_of(html):
    """The places of the board or the values over time, and the errors of providers that failed."""
    labels = ("Leaderboard", "Values over time", "Failed providers", "Failed results")
    return [row for label in labels if f'aria-label="{label}"' in html for row in rows_of(html, label)]


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("path", ["/leaderboard", "/history"])
def test_combinations_that_a_form_can_submit_have_figures(several, path):
    client = client_of(several)  # of its own, because pages without charts stay in its cache
    submissions = all_submissions(client, path)
    assert len(submissions) > 200
    check_figures(client, path, random.Random(path).sample(submissions, 25))


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/leaderboard", "/history"])
def test_every_combination_that_a_form_can_submit_has_figures(client, path):
    check_figures(client, path, all_submissions(client, path))


def check_figures(client, path, submissions):
    """Each is answered with figures of the chosen benchmark, and no link repeats a choice that does not fit."""
    for params in submissions:
        answer = client.get(path, params=list(params))
        assert answer.status_code == 200, params
        assert figures_of(answer.text), params
        assert "There are no values yet" not in answer.text, params
        chosen = dict(params)
        assert re.search(r"<option[^>]* selected>([^<]*)", answer.text)[1] == re.sub(
            "[<>&]", lambda letter: {"<": "&lt;", ">": "&gt;", "&": "&amp;"}[letter[0]], chosen["benchmark"]
        )
        menus = menus_of(answer.text)
        misfits = {name for name, value in params if name in menus and value not in menus[name]}
        for link in re.findall(r'href="([^"]*)"', answer.text):
            if urlsplit(unescape(link)).path in ("", path):
                for name, value in parse_qsl(urlsplit(unescape(link)).query):
                    assert name not in misfits or value in menus[name], (params, link)


def test_a_choice_that_does_not_fit_is_named_once(client):
    html = client.get("/history?benchmark=faq&provider=bm25&metric=ndcg@10&since=2026-11-20&band=bm25").text
    said = re.search(r'<div class="said" role="status">(.*?)</div>', html, re.DOTALL)[1]
    assert re.findall("<p>(.*?)</p>", said) == [
        "bm25 was not run on faq: all providers are shown.",
        "ndcg@10 has no value for faq: mrr is shown.",
        "There are no values since 2026-11-20: all values are shown. The newest is from 2026-10-04 02:00.",
    ]
    assert {row[1].split(" · ")[1] for row in rows_of(html, "Values over time")} == {"bm25-x", "splade", "dense"}
    html = client.get("/history?benchmark=faq&provider=splade&metric=precision@5").text
    assert "precision@5 has no value for splade: mrr is shown." in html
    html = client.get("/leaderboard?benchmark=things&metric=map&slice=topic:money&column=map&column=mrr").text
    assert "map has no value for things: ndcg@10 is shown." in html
    assert "No queries of things have topic:money: all queries are shown." in html
    assert [cell.split()[0] for cell in re.findall(r"<th scope=.col. class=.number.[^>]*>([^<]*)", html)][2:4] == [
        "ndcg@10",
        "mrr",
    ]
    data = re.search(r'<option value="(\w+)"', client.get("/leaderboard?benchmark=faq").text)[1]
    assert "The chosen data are not those of things" in client.get(f"/leaderboard?benchmark=things&data={data}").text
    assert 'class="said"' not in client.get("/leaderboard?benchmark=things&metric=MRR").text, "another spelling fits"


def test_what_is_unknown_everywhere_is_an_error_that_helps(client):
    for path, words in {
        "/history?benchmark=fak": "Did you mean faq?",
        "/history?provider=dens": "Did you mean dense?",
        "/history?benchmark=faq&metric=mmr": "Did you mean mrr?   (choose from mrr, ",
        "/leaderboard?benchmark=faq&metric=mmr": "Did you mean mrr?",
        "/leaderboard?benchmark=zz": "choose from broken, faq, one",
        "/leaderboard?data=zz": "the menus list what there is",
    }.items():
        answer = client.get(path)
        assert answer.status_code == 404, path
        assert " ".join(words.split()) in main_of(answer.text), path


def test_history_of_providers_that_failed_says_so(client):
    html = client.get("/history?benchmark=broken").text
    assert "Every query failed, so there are no values. The errors are below." in html
    assert rows_of(html, "Failed results")[0][:2] == ["flaky", "RuntimeError: no route to the index"]
    html = client.get("/history?benchmark=things&provider=site-search").text
    assert len(rows_of(html, "Failed results")) == 2
    html = client.get("/history?benchmark=things").text
    assert "site-search" not in re.search(r"<figure.*?</figure>", html, re.DOTALL)[0]
    assert "<option>site-search</option>" not in html


def test_changes_lead_to_the_comparison_of_the_two_results_around_them(client):
    """The provider is the second result of its evaluations from one night on, and the links follow it."""
    html = client.get("/history?benchmark=things&provider=bm25").text
    link = unescape(re.search(r'<ul class="changes">.*?href="([^"]*)"', html, re.DOTALL)[1])
    params = parse_qsl(urlsplit(link).query)
    (_, old), (_, new), (_, baseline), (_, metric) = params
    assert [name for name, _ in params] == ["r", "r", "baseline", "metric"]
    assert (old.startswith("2026-10-09-"), new.startswith("2026-10-10-"), baseline, metric) == (True, True, old, "ndcg@10")
    page = client.get(link)
    assert page.status_code == 200
    assert "bm25" in re.search("<h1>(.*?)</h1>", page.text)[1]
    marks = [row for row in rows_of(html, "Values over time") if "step" in row[4]]
    assert len(marks) == 1
    picture = re.search(r"<svg.*?</svg>", html, re.DOTALL)[0]
    assert unescape(re.search(r'data-href="(/compare[^"]*)"', picture)[1]) == link
    assert picture.count('data-href="/result/') >= 14
    assert "<title" in picture
    assert "baseline main" in picture
    dense = client.get("/history?benchmark=things&provider=dense").text
    assert set(re.findall(r'href="/result/[^"/]*/(\d)"', dense)) == {"1"}


def test_one_interval_is_drawn_and_can_be_chosen(client):
    first = client.get("/history?benchmark=things").text
    other = client.get("/history?benchmark=things&band=dense").text
    assert "Shaded: the confidence interval of bm25" in first
    assert "Shaded: the confidence interval of dense" in other
    assert 'name="band"' not in client.get("/history?benchmark=things&provider=dense").text


def test_a_store_without_benchmarks_has_a_history_and_a_board(tmp_path):
    results = [result_of(1).with_fields(benchmark=""), result_of(2, provider="dense").with_fields(benchmark="")]
    client = client_of(saved(tmp_path / "s.db", results))
    assert len(rows_of(client.get("/history").text, "Values over time")) == 2
    assert client.get("/leaderboard").status_code == 200
