"""The form for the grade of one document: it overrules the benchmark, goes back to its page, and changes comparisons."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest

import assay
from assay.judging import keep_pool, pool
from assay.store import Judgment, QueryNote, Store, digest_of_text

from ._clients import client_of, rows_of, words_of
from ._stores import METRICS, saved
from .test_documents import dataset_of

pytestmark = pytest.mark.usefixtures("undrawn")

QRELS = {f"q{number}": {"a": 2, "b": 0, f"only-{number}": 1} for number in range(8)}
OLD = {query: {"a": 5.0, "x": 4.0, "b": 3.0} for query in QRELS}
NEW = {query: {"b": 5.0, "x": 4.0, "a": 3.0} for query in QRELS}


def result_of(run, name, day):
    scored = assay.evaluate(QRELS, run, METRICS, name=name)
    provenance = {"dataset": {"name": "wrong", "version": "1"}, "started": f"2026-11-0{day}T00:00:00+00:00"}
    return scored.with_fields(benchmark="wrong", run=run, provenance=provenance)


@pytest.fixture
def store(tmp_path):
    """An older and a newer result; the newer one ranks b first, which the benchmark judges not relevant."""
    with Store.open(saved(tmp_path / "s.db", [result_of(OLD, "old", 1)], [result_of(NEW, "new", 2)])) as opened:
        yield opened


@pytest.fixture
def keys(store):
    return [f"{store.id_of(reference)}/0" for reference in ("latest~1", "latest")]


@pytest.fixture
def client(store):
    return client_of(store)


def forms_of(html):
    """Document → its first small form: its hidden fields, its anchor, and what it says about the grade."""
    forms = {}
    for anchor, inner in re.findall(r'<details class="grade-here" id="([\w-]+)">(.*?)</details>', html, re.DOTALL):
        hidden = re.findall(r'type="hidden" name="([\w-]+)" value="([^"]*)"', inner)
        fields = {name: unescape(value) for name, value in hidden}
        summary = words_of(re.search(r"<summary>(.*?)</summary>", inner, re.DOTALL)[1])
        forms.setdefault(fields["document-0"], (fields, anchor, summary))
    return forms


def page_of(client, key, **params):
    answer = client.get(f"/result/{key}/query", params={"id": "q0", **params})
    assert answer.status_code == 200
    return answer.text


def test_every_document_of_a_query_has_a_form_and_a_wrong_judgment_is_overruled(store, client, keys):
    forms = forms_of(page_of(client, keys[1]))
    assert {doc: summary for doc, (_, _, summary) in forms.items()} == {
        "b": "benchmark: 0 Overrule b",
        "x": "unjudged Grade x",
        "a": "benchmark: 2 Overrule a",
        "only-0": "benchmark: 1 Overrule only-0",
    }
    fields, anchor, _ = forms["b"]
    back = f"/compare?r={keys[0]}&r={keys[1]}&judgments=people&saved=9"
    sent = {**fields, "grade-0": "2", "reason-0": "it answers", "judge": "Ana", "next": back}
    answer = client.post("/judge", data=sent)
    target = urlsplit(answer.headers["location"])
    assert (answer.status_code, target.path, target.fragment) == (303, "/compare", anchor)
    assert parse_qsl(target.query) == [
        ("r", keys[0]),
        ("r", keys[1]),
        ("judgments", "people"),
        ("saved", "1"),
        ("form", anchor),
    ]
    (kept,) = store.judgments.find()
    assert kept[:6] == ("wrong", "q0", "b", "Ana", 2.0, "it answers")
    assert kept.kind == "people"
    html = page_of(client, keys[1], saved=1)
    assert forms_of(html)["b"][2] == "benchmark: 0 → people: 2 Change b"
    assert "1 grade by Ana saved." in words_of(html)
    assert [row[2] for row in rows_of(html, "Ranking")] == ["0", "", "2"], "the grade of the benchmark stays"
    assert 'value="2" required checked' in html
    client.post("/judge", data={**fields, "grade-0": "1", "judge": "Ben", "shown-to": ""})
    assert "benchmark: 0 → people: 1 (they disagree)" in forms_of(page_of(client, keys[1]))["b"][2], "the lower of two"
    for judge in ("Ana", "Ben"):
        client.post("/judge", data={**forms["b"][0], "grade-0": "none", "judge": judge})
    assert store.judgments.find() == []


def test_a_document_of_the_ground_truth_that_was_not_retrieved(store, client, keys):
    fields, _, _ = forms_of(page_of(client, keys[1]))["only-0"]
    assert client.post("/judge", data={**fields, "grade-0": "0", "judge": "Ben"}).status_code == 303
    assert [(one.document, one.grade) for one in store.judgments.find()] == [("only-0", 0.0)]


UNSAFE = ("//evil.example/x", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "", "judge", "/a\nb")


@pytest.mark.parametrize("target", UNSAFE)
def test_no_other_site_is_gone_to(store, client, keys, target):
    fields, _, _ = forms_of(page_of(client, keys[1]))["x"]
    sent = {**fields, "grade-0": "1", "judge": "Ana", "next": target, "anchor": "x\r\nset-cookie: y"}
    answer = client.post("/judge", data=sent)
    assert answer.headers["location"] == f"/result/{keys[1]}/query?id=q0&saved=1"


def test_the_digest_of_the_text_that_was_shown(tmp_path):
    """Another text is shown later: the grade says that it was given for another one."""
    result = assay.run(dataset_of(), "bm25", metrics=["ndcg@10"])
    with Store.open(saved(tmp_path / "s.db", [result])) as opened:
        key = f"{opened.id_of('latest')}/0"
        client = client_of(opened, datasets=[dataset_of()])
        fields, _, _ = forms_of(client.get(f"/result/{key}/query?id=q0").text)["d0"]
        client.post("/judge", data={**fields, "grade-0": "1", "judge": "Ana"})
        (kept,) = opened.judgments.find()
        assert kept.text_digest == digest_of_text("apple 0 ")
        opened.judgments.give(Judgment(*kept[:3], "Ben", 0, text_digest=digest_of_text("another")))
        html = client.get(f"/result/{key}/query?id=q0").text
        assert html.count("given for another text") == 1


def test_a_judge_who_saw_more_of_a_long_document_saw_the_same_text(tmp_path):
    """The page of a query shows 600 characters, the queue 20,000 with the title, and a model may see all."""
    long = dataset_of()
    long.documents["d0"] = assay.Document("d0", "apple 0 " * 4000, title="Fruit")
    result = assay.run(long, "bm25", metrics=["ndcg@10"])
    content = long.documents["d0"].content
    with Store.open(saved(tmp_path / "s.db", [result])) as opened:
        seen = {"Queue": content[:20_000], "Model": content, "Old": "apple 0 apple 0 "}
        for judge, text in seen.items():
            opened.judgments.give(Judgment("mine", "q0", "d0", judge, 1, text_digest=digest_of_text(text)))
        client = client_of(opened, datasets=[long])
        html = client.get(f"/result/{opened.id_of('latest')}/0/query?id=q0").text
    assert html.count("given for another text") == 1


def test_the_api_compares_with_grades_by_people(store, client, keys):
    store.judgments.give(Judgment("wrong", "q0", "b", "Ana", 3))
    values = {}
    for layer in ("", "&judgments=people"):
        answer = client.get(f"/api/v1/comparison?result={keys[0]}&result={keys[1]}{layer}")
        assert answer.status_code == 200, answer.text
        values[layer] = next(pair for pair in answer.json()["pairs"] if pair["metric"] == "mrr")["difference"]
    assert values == {"": pytest.approx(1 / 3 - 1), "&judgments=people": pytest.approx((7 / 3 + 1) / 8 - 1)}
    assert client.get(f"/api/v1/comparison?result={keys[0]}&result={keys[1]}&judgments=model").status_code == 400


PLACES = ("/result/{key}", "/result/{key}/query?id=q0", "/leaderboard?benchmark=wrong", "/history?benchmark=wrong")


def test_pages_say_that_newer_judgments_exist(store, client, keys):
    """With a link to the grades; before there are any, nothing is said."""
    urls = [place.format(key=keys[1]) for place in PLACES]
    assert not any('class="newer"' in client.get(url).text for url in urls)
    for judge, time in (("Ana", "2026-11-15T09:30:00+00:00"), ("Ben", "2026-11-16T10:00:00+00:00")):
        store.judgments.give(Judgment("wrong", "q0", "b", judge, 2, judged=time))
    for url in urls:
        hint = re.search(r'<p class="newer".*?</p>', client.get(url).text, re.DOTALL)[0]
        assert words_of(hint) == (
            "2 grades by Ana and Ben, the newest of 2026-11-16 10:00 UTC. These figures do not use them. "
            "See the newer judgments"
        )
        assert 'href="/judgments?benchmark=wrong"' in hint


def test_the_page_of_judgments_says_what_is_judged_and_what_comes_next(store, client, tmp_path, monkeypatch):
    """Layers, the share of each system, the pools with their widths, and the next step; a model's grades are not used."""
    monkeypatch.chdir(tmp_path)
    assert "assay pool latest --pairs 300" in client.get("/judgments?benchmark=wrong").text
    results = [store.find(reference).results[0] for reference in ("latest~1", "latest")]
    drawn = pool(results, pairs=2, depth=2)
    keep_pool(drawn)
    pair = drawn.drawn[0]
    store.judgments.give(Judgment("wrong", pair.query, pair.document, "Ana", 1, pool=drawn.id))
    store.judgments.give(Judgment("wrong", pair.query, pair.document, "gpt-test", 3, kind="model"))
    page = client.get("/judgments?benchmark=wrong").text
    assert "not used as grades; corrected by people" in page
    assert f'href="/queue/{drawn.id}"' in page
    assert f"1 of {len(drawn.drawn)}" in page
    assert f"assay compare latest --judgments people --pool .assay/pools/{drawn.id}.jsonl" in page
    rows = client.get("/judgments?benchmark=wrong&csv=pools").text.splitlines()
    assert rows[1].startswith(f"{drawn.id},spread,")


def test_the_page_of_judgments_and_its_downloads(store, client, tmp_path):
    """Without the data: the merged judgments of the newest result. With them: the next version of the benchmark."""
    assert "Nobody has graded" in client.get("/judgments?benchmark=wrong").text
    assert client.get("/api/v1/judgments/merged?benchmark=wrong").status_code == 409
    store.judgments.give(Judgment("wrong", "q0", "b", "Ana", 3, "it <answers>"))
    html = client.get("/judgments?benchmark=wrong").text
    assert "q0 b 3 Ana" in words_of(html)
    assert "it &lt;answers&gt;" in html
    assert "does not have the data" in html
    merged = client.get("/api/v1/judgments/merged?benchmark=wrong").text.splitlines()
    assert {"q0 0 b 3", "q0 0 a 2", "q1 0 b 0"} <= set(merged)
    assert client.get("/api/v1/judgments/next-version?benchmark=wrong").status_code == 409
    assert client.get("/judgments?benchmark=wrnog").status_code == 404
    result = assay.run(dataset_of(), "bm25", metrics=["ndcg@10"])
    with Store.open(saved(tmp_path / "mine.db", [result])) as opened:
        opened.judgments.give(Judgment("mine", "q0", "d0", "Ana", 2))
        served = client_of(opened, datasets=[dataset_of()])
        assert "Download the next version" in served.get("/judgments?benchmark=mine").text
        (tmp_path / "next.json").write_bytes(served.get("/api/v1/judgments/next-version?benchmark=mine").content)
    again = assay.load_dataset(tmp_path / "next.json")
    assert (again.qrels["q0"], again.version.startswith("1+people.")) == ({"d0": 2}, True)


def test_the_api_lists_notes_on_queries(store, client):
    store.query_notes.add(QueryNote("wrong", "q0", "hard", "Ana", "tag"))
    (note,) = client.get("/api/v1/query-notes?benchmark=wrong&kind=tag").json()["notes"]
    assert (note["query"], note["text"], note["author"]) == ("q0", "hard", "Ana")
