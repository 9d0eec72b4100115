"""Judging on the page of a query: what is offered, what is stored with whom, what it changes, and who is refused."""

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from assay.evaluation.rejudging import rejudge
from assay.store import Store
from assay.store.judgments import Judgment
from assay.text import printable
from assay.web.app import make_app

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
    sent = {"csrf": app.state.keys.csrf, "result": key, "query": query, "judge": "Ana", **fields}
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
    assert (answer.status_code, answer.headers["location"]) == (303, f"/result/{key}/query?id=q000#judging")
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
    assert re.findall(r">([^<>\n]+)</td>", row) == ["2", "50%", "0.33", "0.67"]


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
    from dataclasses import replace

    with Store.open(tmp_path / "store.db") as store:
        store.save([replace(result_of(1), run={})])
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
            if doc in evaluation.results[1].run[query] and doc not in evaluation.results[0].relevant[query]
        )
        client.post("/judge", data=form(app, f"{evaluation.id}/0", (shared[1], "2"), query=shared[0]))
        assert "Ana: <strong>2</strong>" in panel(client, f"{evaluation.id}/1", shared[0])
