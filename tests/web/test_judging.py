"""Judging on the page of a query: what is offered, what is stored with whom, what it changes, and who is refused."""

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from assay.evaluation import rejudge
from assay.store import Judgment, Store
from assay.text import printable
from assay.web import make_app

from ._stores import hostile_store, result_of, usual_store

HERE = "http://127.0.0.1:8765"


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "store.db") as opened:
        opened.save([result_of(1)])
        yield opened


@pytest.fixture
def app(store):
    return make_app(store)


@pytest.fixture
def client(app):
    return TestClient(app, base_url=HERE, follow_redirects=False)


@pytest.fixture
def key(store):
    return f"{store.id_of('latest')}/0"


def panel(client, key, query="q000"):
    """The part of the page where people judge."""
    page = client.get(f"/result/{key}/query", params={"id": query})
    assert page.status_code == 200
    return re.search(r'<section id="judging".*?</section>', page.text, re.DOTALL)[0]


def offered(html):
    return [unescape(one) for one in re.findall(r'name="document-\d+" value="([^"]*)"', html)]


def form(app, key, *grades, query="q000", **fields):
    """What the panel's form sends."""
    sent = {"csrf": app.state.keys.everybody.csrf, "result": key, "query": query, "judge": "Ana", **fields}
    for number, (document, grade) in enumerate(grades):
        sent |= {f"document-{number}": document, **({f"grade-{number}": grade} if grade else {})}
    return sent


def test_what_nobody_judged_is_offered_the_best_first(client, key, store):
    result = store.latest().results[0]
    unknown = [
        doc
        for doc in sorted(result.run["q000"], key=lambda doc: -result.run["q000"][doc])
        if doc not in result.relevant["q000"]
    ]
    html = panel(client, key)
    assert offered(html) == unknown[:10]
    assert html.count('type="radio"') == 4 * len(offered(html))
    assert "What the new grades change" not in html


def test_grades_are_stored_with_who_and_when(app, client, key, store):
    first, second, third = offered(panel(client, key))[:3]
    answer = client.post("/judge", data=form(app, key, (first, "2"), (second, ""), (third, "0"), **{"note-0": " says\nso "}))
    assert (answer.status_code, answer.headers["location"]) == (303, f"/result/{key}/query?id=q000&saved=2#judging")
    found = {one.document: one for one in store.judgments.find()}
    assert {doc: one.grade for doc, one in found.items()} == {first: 2.0, third: 0.0}
    assert (found[first].judge, found[first].note, found[first].benchmark, found[first].query) == (
        "Ana",
        "says so",
        "things",
        "q000",
    )
    assert "Ana: <strong>2</strong> – says so" in panel(client, key)


def test_the_effect_is_shown_and_the_result_stays(app, client, key, store):
    before = store.latest().results[0].to_dict()
    document = offered(panel(client, key))[0]
    client.post("/judge", data=form(app, key, (document, "3")))
    html = panel(client, key)
    effect = rejudge(store.latest().results[0], {"q000": {document: 3.0}})
    for metric, pair in effect.scores("q000").items():
        row = re.search(rf"{re.escape(metric)}</th>(.*?)</tr>", html, re.DOTALL)[1]
        shown = [float(one) for one in re.findall(r">(\d\.\d+)<", row)]
        assert shown == pytest.approx([*pair, *effect.summaries()[metric]], abs=6e-4)
    assert any(pair[0] != pair[1] for pair in effect.scores("q000").values())
    assert store.latest().results[0].to_dict() == before
    assert "the stored result stays as it is" in html


def test_the_name_is_remembered(app, client, key, store):
    first, second = offered(panel(client, key))[:2]
    answer = client.post("/judge", data=form(app, key, (first, "1"), judge="Zoë O’Hara; x"))
    assert "samesite=lax" in answer.headers["set-cookie"].lower()
    client.post("/judge", data=form(app, key, (second, "1"), judge=""))
    assert {one.judge for one in store.judgments.find()} == {"Zoë O’Hara; x"}


def test_without_a_name_the_form_comes_back_filled_in(app, client, key, store):
    first, second = offered(panel(client, key))[:2]
    answer = client.post("/judge", data=form(app, key, (first, "3"), (second, ""), judge=" ", **{"note-0": "so <it> is"}))
    assert answer.status_code == 400
    assert answer.headers["cache-control"] == "no-store"
    html = re.search(r'<section id="judging".*?</section>', answer.text, re.DOTALL)[0]
    assert "Please say who judges" in html
    assert 'aria-describedby="judge-problem"' in html
    assert re.search(r'name="grade-0" value="3" checked', html)
    assert html.count(" checked") == 1
    assert 'value="so &lt;it&gt; is"' in html
    assert "required" in re.search(r'<input id="judge"[^>]*>', html)[0]


def test_what_was_saved_is_said_and_ticked(app, client, key, store):
    first, second = offered(panel(client, key))[:2]
    answer = client.post("/judge", data=form(app, key, (first, "0"), (second, "2"), **{"note-1": "yes"}))
    html = client.get(answer.headers["location"]).text
    assert "2 grades of Ana saved." in html
    assert 'name="judge" value="Ana"' in html
    mine = dict(re.findall(r'name="grade-(\d+)" value="(\w+)" checked', html))
    documents = {number: unescape(doc) for number, doc in re.findall(r'name="document-(\d+)" value="([^"]*)"', html)}
    assert {documents[number]: grade for number, grade in mine.items()} == {first: "0", second: "2"}
    again = client.post("/judge", data=form(app, key, (first, "0"), (second, "2"), **{"shown-to": "Ana", "note-1": "yes"}))
    assert again.headers["location"].endswith("&nothing=1#judging")
    assert "Nothing new was graded" in client.get(again.headers["location"]).text
    back = client.post("/judge", data=form(app, key, (first, "none"), **{"shown-to": "Ana"}))
    assert "1 grade of Ana taken back." in client.get(back.headers["location"]).text


def test_what_was_ticked_for_another_is_nobody_elses_grade(app, client, key, store):
    first, second = offered(panel(client, key))[:2]
    client.post("/judge", data=form(app, key, (first, "3")))
    client.post("/judge", data=form(app, key, (first, "3"), (second, "1"), judge="Ben", **{"shown-to": "Ana"}))
    assert {(one.judge, one.document) for one in store.judgments.find()} == {("Ana", first), ("Ben", second)}


def test_all_of_a_form_is_kept_or_nothing(app, client, key, store):
    first, second = offered(panel(client, key))[:2]
    assert client.post("/judge", data=form(app, key, (first, "2"), (second, "9"))).status_code == 400
    long = form(app, key, (first, "2"), (second, "1"), **{"note-1": "n" * 2001})
    assert client.post("/judge", data=long).status_code == 400
    assert store.judgments.find() == []


def test_a_gap_in_the_numbers_loses_nothing(app, client, key, store):
    document = offered(panel(client, key))[0]
    client.post("/judge", data={**form(app, key), "document-4": document, "grade-4": "2"})
    assert [one.document for one in store.judgments.find()] == [document]


def test_every_document_can_be_reached(tmp_path):
    """Twenty-five that nobody judged: ten at a time, those with a grade by themselves."""
    import assay

    ranking = {f"x{n:02}": 50.0 - n for n in range(25)}
    result = assay.evaluate({"q": {"d": 1}}, {"q": ranking}, ["ndcg@10"], name="s")

    with Store.open(tmp_path / "store.db") as store:
        store.save([result.with_fields(benchmark="things", run={"q": ranking})])
        app = make_app(store)
        client = TestClient(app, base_url=HERE, follow_redirects=False)
        key = f"{store.id_of('latest')}/0"
        html, seen = panel(client, key, "q"), []
        while True:
            seen += offered(html)
            link = re.search(r'href="([^"]+)" rel="next"', html)
            if not link:
                break
            html = re.search(r'<section id="judging".*', client.get(unescape(link[1])).text, re.DOTALL)[0]
        assert seen == list(ranking)
        client.post("/judge", data=form(app, key, *((doc, "1") for doc in list(ranking)[:10]), query="q"))
        html = panel(client, key, "q")
        assert offered(html.split('<details class="graded"')[0]) == list(ranking)[10:20]
        assert "10 with a grade" in html
        assert "1–10 of 15 without a grade" in html


def test_judges_who_look_alike_are_one(app, client, key, store):
    document = offered(panel(client, key))[0]
    for name in ("ann", "ann\u200b", "\u202eann", "ａｎｎ"):
        client.post("/judge", data=form(app, key, (document, "1"), judge=name))
    assert [one.judge for one in store.judgments.find()] == ["ann"]


@pytest.mark.parametrize("is_known", [True, False])
def test_nothing_is_said_about_judgments_that_are_not_stored(client, store, is_known):
    result = result_of(1)
    store.save([result if is_known else result.with_fields(nonrelevant={})])
    html = panel(client, f"{store.id_of('latest')}/0")
    assert ("the benchmark has no judgment of them" in html) == is_known
    assert ("whether it judged them not relevant is not stored" in html) != is_known


def test_nobody_judges_without_a_name(app, client, key, store):
    document = offered(panel(client, key))[0]
    for name in ("", "   ", "x" * 81):
        answer = client.post("/judge", data=form(app, key, (document, "1"), judge=name))
        assert answer.status_code == 400
        assert "say who judges" in answer.text
    assert store.judgments.find() == []


def test_another_grade_replaces_and_none_takes_back(app, client, key, store):
    document = offered(panel(client, key))[0]
    for grade, kept in (("1", [1.0]), ("3", [3.0]), ("none", []), ("none", [])):
        assert client.post("/judge", data=form(app, key, (document, grade))).status_code == 303
        assert [one.grade for one in store.judgments.find()] == kept


def test_two_judges_and_their_agreement(app, client, key):
    first, second = offered(panel(client, key))[:2]
    client.post("/judge", data=form(app, key, (first, "2"), (second, "0")))
    client.post("/judge", data=form(app, key, (first, "1"), (second, "0"), judge="Ben"))
    html = panel(client, key)
    row = re.search(r"Ana and Ben</th>(.*?)</tr>", html, re.DOTALL)[1]
    assert re.findall(r">([^<>\n]+)</td>", row) == ["2", "50 %", "0.33", "0.67"]


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"csrf": "wrong"}, 403),
        ({"csrf": ""}, 403),
        ({"result": "nothing/0"}, 404),
        ({"result": ""}, 404),
        ({"grade-0": "4"}, 400),
        ({"grade-0": "-1"}, 400),
        ({"grade-0": "1.5"}, 400),
        ({"document-0": "never retrieved"}, 400),
        ({"query": "never asked"}, 400),
        ({"note-0": "n" * 2001}, 400),
    ],
)
def test_what_is_refused(app, client, key, store, fields, status):
    document = offered(panel(client, key))[0]
    answer = client.post("/judge", data={**form(app, key, (document, "1")), **fields})
    assert answer.status_code == status
    assert store.judgments.find() == []


def test_another_page_cannot_judge(app, client, key, store):
    document = offered(panel(client, key))[0]
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert client.post("/judge", data=form(app, key, (document, "1")), headers=headers).status_code == 403
    assert client.get("/judge").status_code == 405
    assert store.judgments.find() == []


def test_a_bundled_benchmark_knows_what_was_judged(tmp_path):
    """Its documents have words, and what was judged not relevant is not offered."""
    import assay

    dataset = assay.load_dataset("rag-template")
    with Store.open(tmp_path / "store.db") as store:
        result = assay.run("rag-template", "bm25", metrics=["ndcg@10", "judged@10"])
        store.save([result])
        client = TestClient(make_app(store), base_url=HERE)
        key, query = f"{store.id_of('latest')}/0", result.query_ids[0]
        html = panel(client, key, query)
        documents = offered(html)
        assert documents
        assert not set(documents) & set(dataset.qrels[query])
        assert dataset.documents[documents[0]].text[:60] in unescape(html)
        store.judgments.give(Judgment("rag-template", query, documents[0], "Ana", 0))
        assert 'title="' in panel(client, key, query)
        effect = client.get(f"/api/v1/results/{key}/effect").json()["summary"]["judged@10"]
        assert effect["after"] == pytest.approx(effect["before"] + 0.1 / len(result.query_ids))


def test_hostile_names_stay_text_and_can_be_judged(tmp_path):
    with Store.open(hostile_store(tmp_path / "store.db")) as store:
        app = make_app(store)
        client = TestClient(app, base_url=HERE, follow_redirects=False)
        key = f"{store.id_of('latest')}/0"
        result = store.latest().results[0]
        for query in list(result.run)[:3]:
            html = panel(client, key, query)
            assert "<script>" not in html
            assert "onerror=alert" not in html.replace("&lt;img src=x onerror=alert", "")
            document = offered(html)[0]
            sent = form(
                app,
                key,
                (document, "1"),
                query=printable(query),
                judge="<b>Ana</b>",
                **{"note-0": "<script>alert(9)</script>"},
            )
            assert client.post("/judge", data=sent).status_code == 303
            after = panel(client, key, query)
            assert "<script>" not in after
            assert "&lt;b&gt;Ana&lt;/b&gt;" in after


def test_a_result_without_rankings(tmp_path):

    with Store.open(tmp_path / "store.db") as store:
        store.save([result_of(1).with_fields(run={})])
        html = panel(TestClient(make_app(store), base_url=HERE), f"{store.id_of('latest')}/0")
        assert "the rankings were not kept" in html


def test_grades_count_for_every_result_of_the_benchmark(tmp_path):
    """The same document for the same query in another run needs no second look."""
    with Store.open(usual_store(tmp_path / "store.db", 2)) as store:
        app = make_app(store)
        client = TestClient(app, base_url=HERE, follow_redirects=False)
        evaluation = store.find("main")
        shared = next(
            (query, doc)
            for query in evaluation.results[0].run
            for doc in evaluation.results[0].run[query]
            if doc in evaluation.results[1].run[query] and doc.startswith("x")  # nobody judged it
        )
        client.post("/judge", data=form(app, f"{evaluation.id}/0", (shared[1], "2"), query=shared[0]))
        assert "Ana: <strong>2</strong>" in panel(client, f"{evaluation.id}/1", shared[0])
