"""The JSON API: every endpoint over a real store, held to the schema of its own record; errors and the guard."""

import json
import math

import jsonschema_rs
import pytest
from starlette.testclient import TestClient

from assay.evaluation import rejudge
from assay.store import Judgment, Store
from assay.web import make_app

from ._stores import hostile_store, result_of, usual_store

PREFIX = "/api/v1"
HERE = "http://127.0.0.1:8765"
JUDGMENT = {"benchmark": "things", "query": "q000", "document": "x1", "judge": "Ana", "grade": 2, "note": "so it is"}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store.open(usual_store(tmp_path_factory.mktemp("api") / "store.db", 4)) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(store):
    return TestClient(make_app(store), base_url=HERE)


def response_of(client, path, method="get", status="200"):
    """What the document promises: the kind of the answer, and its schema."""
    document = client.get(f"{PREFIX}/openapi.json").json()
    ((kind, content),) = document["paths"][PREFIX + path][method]["responses"][status]["content"].items()
    return kind, {**content["schema"], "components": document.get("components", {})}


def asked(client, path, url=None, **params):
    """The answer, which must be what the endpoint's record says."""
    answer = client.get(PREFIX + (url or path), params=params)
    assert answer.status_code == 200, answer.text
    kind, schema = response_of(client, path)
    assert answer.headers["content-type"] == kind
    jsonschema_rs.validate(schema, answer.json())
    return answer.json()


def test_results_are_listed_and_filtered(client, store):
    found = asked(client, "/results")
    assert found["total"] == store.count() == 10
    assert (found["next"], len(found["results"])) == (None, 10)
    first = found["results"][0]
    assert first["key"] == f"{store.id_of('latest')}/0"
    assert first["figures"]["ndcg@10"]["n"] == 60
    assert {one["provider"] for one in asked(client, "/results", provider="dense")["results"]} == {"dense"}
    assert asked(client, "/results", tag="release")["total"] == 2
    assert asked(client, "/results", benchmark="nothing")["total"] == 0
    assert asked(client, "/results", since="2026-10-04")["total"] == 4
    assert asked(client, "/results", since="1m")["total"] == 0


def test_pages_follow_each_other(client):
    url, seen = "/api/v1/results?limit=3&provider=dense", []
    while url:
        page = client.get(url).json()
        seen += [one["key"] for one in page["results"]]
        url = page["next"]
    whole = client.get("/api/v1/results?limit=1000&provider=dense").json()["results"]
    assert seen == [one["key"] for one in whole]
    assert len(seen) == 4
    assert client.get("/api/v1/results?offset=99").json() == {"results": [], "total": 10, "next": None}


def test_one_result(client, store):
    path = "/results/{evaluation}/{place}"
    found = asked(client, path, "/results/latest/1")
    assert (found["name"], found["benchmark"], found["place"]) == ("hybrid", "things", 1)
    assert found["summary"] == pytest.approx(store.latest().results[1].summary)
    assert not {"run", "per_query", "queries"} & found.keys()
    assert asked(client, path, "/results/main/0")["evaluation"] == store.id_of("main")
    assert asked(client, path, f"/results/{store.id_of('latest')}/1") == found


def test_queries_of_a_result(client, store):
    path = "/results/{evaluation}/{place}/queries"
    found = asked(client, path, "/results/latest/0/queries", limit=5, offset=2)
    result = store.latest().results[0]
    assert [one["query"] for one in found["queries"]] == list(result.query_ids[2:7])
    assert found["queries"][0]["scores"]["mrr"] == result.scores("mrr")[result.query_ids[2]]
    assert found["queries"][1]["failure"] == "TimeoutError: too slow"
    assert found["queries"][0]["tags"]["language"] == "fr"
    assert found["next"] == f"/api/v1/results/{store.id_of('latest')}/0/queries?limit=5&offset=7"


def test_one_query(client, store):
    path = "/results/{evaluation}/{place}/query"
    found = asked(client, path, "/results/latest/1/query", id="q001")
    result = store.latest().results[1]
    assert [hit["document"] for hit in found["ranking"]] == sorted(
        result.run["q001"], key=lambda doc: -result.run["q001"][doc]
    )
    grades = {hit["document"]: hit["grade"] for hit in found["ranking"] if hit["grade"]}
    assert {**grades, **found["not_retrieved"]} == {"d1": 2.0, "d2": 1.0}
    missing = client.get("/api/v1/results/latest/1/query", params={"id": "q01"})
    assert missing.status_code == 404
    assert "Did you mean q0" in missing.json()["error"]["message"]


def test_a_comparison(client):
    found = asked(client, "/comparison", result=["latest/0", "latest/1"])
    assert found["systems"] == ["random_order", "hybrid"]
    assert {pair["metric"] for pair in found["pairs"]} == {"ndcg@10", "mrr", "recall@5"}
    with_baseline = asked(client, "/comparison", result=["latest/0", "latest/1", "main/0"], baseline="main/0")
    assert {pair["a"] for pair in with_baseline["pairs"]} == {"bm25"}
    for wrong, status in (
        ({"result": ["latest/0"]}, 400),
        ({"result": ["latest/0", "latest/0"]}, 409),
        ({"result": ["latest/0", "latest/1"], "baseline": "main/0"}, 409),
    ):
        assert client.get("/api/v1/comparison", params=wrong).status_code == status


def test_a_comparison_of_what_results_share(tmp_path):
    """Sixty queries against forty: refused as they are, and compared on the forty where that is asked for."""
    with Store.open(tmp_path / "store.db") as store:
        store.save([result_of(1), result_of(2, provider="dense", n_queries=40)])
        client = TestClient(make_app(store), base_url=HERE)
        wanted = {"result": ["latest/0", "latest/1"]}
        assert client.get("/api/v1/comparison", params=wanted).status_code == 409
        assert asked(client, "/comparison", **wanted, shared="true")["n_queries"] == 40
        assert client.get("/api/v1/comparison", params={**wanted, "shared": "yes"}).status_code == 400


def test_the_leaderboard(client):
    found = asked(client, "/leaderboard", benchmark="things", metric="MRR")
    values = [row["value"] for row in found["rows"]]
    assert values == sorted(values, reverse=True)
    assert (found["metric"], [row["rank"] for row in found["rows"]]) == ("mrr", [1, 2, 3, 4])
    assert {row["provider"] for row in found["rows"]} == {"bm25", "dense", "hybrid", "random_order"}
    for row in found["rows"]:
        for other in row["tied_with"]:
            assert row["rank"] in found["rows"][other - 1]["tied_with"]
    assert found["verdict"]
    assert client.get("/api/v1/leaderboard", params={"benchmark": "thing"}).json()["error"]["message"].count("things")


def test_history(client, store):
    found = asked(client, "/history", metric="ndcg_at_10", benchmark="things", provider="bm25")
    (series,) = found["series"]
    assert [point["value"] for point in series["points"]] == [
        point.value for point in store.history("ndcg@10", "things", "bm25")
    ]
    assert [point["was_baseline"] for point in series["points"]] == [True, False, False, False]
    assert len(asked(client, "/history", metric="mrr")["series"]) == 4


def test_datasets_and_metrics(client):
    (found,) = asked(client, "/datasets")["datasets"]
    assert (found["name"], found["n_results"], found["n_providers"]) == ("things", 10, 4)
    names = {one["name"] for one in asked(client, "/metrics")["metrics"]}
    assert {"ndcg", "mrr", "precision"} <= names
    assert asked(client, "/metrics/{name}", "/metrics/P_5")["name"] == "precision"
    assert "Did you mean ndcg@10" in client.get("/api/v1/metrics/ncdg@10").json()["error"]["message"]


def test_a_grade_is_given_and_its_effect_shown(store):
    client = TestClient(make_app(store), base_url=HERE)
    result = store.latest().results[1]
    document = next(doc for doc in result.run["q000"] if doc.startswith("x"))
    answer = client.post("/api/v1/judgments", json={**JUDGMENT, "document": document})
    assert answer.status_code == 201
    jsonschema_rs.validate(response_of(client, "/judgments", "post", "201")[1], answer.json())
    try:
        (kept,) = store.judgments.find("things", query="q000", document=document)
        assert (kept.judge, kept.grade, kept.note) == ("Ana", 2.0, "so it is")
        found = asked(client, "/results/{evaluation}/{place}/effect", "/results/latest/1/effect")
        assert found == json.loads(json.dumps(rejudge(result, {"q000": {document: 2.0}}).to_dict()))
        assert (found["n_added"], found["n_kept"]) == (1, 0)
        assert asked(client, "/judgments", judge="Ana")["judgments"] == [answer.json()]
        assert asked(client, "/judgments/agreement") == {"agreement": []}
        store.judgments.give(Judgment("things", "q000", document, "Ben", 1))
        (agreed,) = asked(client, "/judgments/agreement", benchmark="things")["agreement"]
        assert (agreed["n_pairs"], agreed["n_same"], agreed["kappa"]) == (1, 0, 0.0)
        qrels = client.get("/api/v1/judgments/qrels", params={"benchmark": "things"})
        assert (qrels.text, qrels.headers["content-type"]) == (f"q000 0 {document} 1\n", "text/plain; charset=utf-8")
        assert client.get("/api/v1/judgments/qrels?benchmark=things&judge=Ana").text == f"q000 0 {document} 2\n"
    finally:
        for judge in ("Ana", "Ben"):
            store.judgments.withdraw(Judgment("things", "q000", document, judge, 0))


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"grade": 4}, 400, "<= 3"),
        ({"grade": 1.5}, 400, "multiple of 1"),
        ({"grade": True}, 400, "got `bool`"),
        ({"judge": ""}, 400, "judge"),
        ({"judge": "  "}, 409, "a judge has a name"),
        ({"judge": "\u200b\x1f"}, 409, "a judge has a name"),
        ({"benchmark": "thing"}, 404, "Did you mean things"),
        ({"query": ""}, 400, "query"),
        ({"surprise": 1}, 400, "surprise"),
        ({"note": "n" * 2001}, 400, "note"),
    ],
)
def test_a_grade_that_is_refused(client, store, change, status, said):
    answer = client.post("/api/v1/judgments", json={**JUDGMENT, **change})
    assert answer.status_code == status
    assert said in answer.json()["error"]["message"]
    assert store.judgments.find() == []


@pytest.mark.parametrize("name", ["Ana", " Ana\n", "\xa0Ana\x1f", "\ufeffAna\x85"])
def test_spaces_around_a_judge_are_no_part_of_the_name(store, name):
    """Of some of these only Python says that they are spaces, of others only JavaScript."""
    client = TestClient(make_app(store), base_url=HERE)
    document = next(doc for doc in store.latest().results[1].run["q000"] if doc.startswith("x"))
    answer = client.post("/api/v1/judgments", json={**JUDGMENT, "document": document, "judge": name})
    assert (answer.status_code, answer.json()["judge"]) == (201, "Ana")
    assert store.judgments.withdraw(Judgment("things", "q000", document, "Ana", 0))


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"a":' * 5000, b"\xff", b'{"judge":"\\ud800"}'])
def test_what_is_no_judgment(client, body):
    answer = client.post("/api/v1/judgments", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"]["status"] == 400


def test_other_pages_cannot_judge(client, store):
    """A form from elsewhere cannot send JSON, and nothing else is taken."""
    as_form = client.post("/api/v1/judgments", content=json.dumps(JUDGMENT), headers={"content-type": "text/plain"})
    assert as_form.status_code == 415
    elsewhere = client.post("/api/v1/judgments", json=JUDGMENT, headers={"origin": "http://evil.example"})
    assert elsewhere.status_code == 403
    assert store.judgments.find() == []


def test_with_a_token(store):
    client = TestClient(make_app(store, token="s3cret"), base_url="http://example.org")
    refused = client.get("/api/v1/results")
    assert (refused.status_code, refused.json()["error"]["status"]) == (401, 401)
    assert client.get("/api/v1/results", headers={"authorization": "Bearer wrong"}).status_code == 401
    bearer = {"authorization": "Bearer s3cret"}
    assert client.get("/api/v1/results", headers=bearer).status_code == 200
    wrong = client.post("/api/v1/judgments", content=b"x", headers={**bearer, "content-type": "text/plain"})
    assert (wrong.status_code, wrong.json()["error"]["message"]) == (415, "send application/json, not text/plain")


def test_an_export_is_imported_elsewhere(client, store, tmp_path):
    answer = client.get("/api/v1/export", params={"evaluation": ["main", "latest"]})
    assert answer.headers["content-type"] == "application/zstd"
    (tmp_path / "taken.jsonl.zst").write_bytes(answer.content)
    with Store.open(tmp_path / "other.db") as other:
        done = other.import_(tmp_path / "taken.jsonl.zst")
        assert sorted(done.new) == sorted([store.id_of("main"), store.id_of("latest")])
    assert client.get("/api/v1/export").status_code == 400
    assert client.get("/api/v1/export?evaluation=nothing").status_code == 404


@pytest.mark.parametrize(
    ("url", "status", "said"),
    [
        ("/results?limit=0", 400, "from 1 to 1,000, not '0'"),
        ("/results?limit=1e3", 400, "whole number"),
        ("/results?limit=²", 400, "whole number"),
        ("/results?limit=1&limit=2", 400, "given once, not 2 times"),
        ("/results?colour=red", 400, "there are: benchmark, provider, tag, since, limit, offset"),
        ("/results?since=soon", 400, "an age such as 30d"),
        ("/results?benchmark=", 400, "1 to 2,000 letters"),
        ("/results/latest/99", 404, "no stored result"),
        ("/results/nothing/0", 404, "no stored evaluation"),
        ("/results/latest/x", 400, "whole number"),
        ("/results/latest/0?place=1", 400, "no parameter 'place'"),
        ("/results/..%2f..%2fetc/0", 404, ""),
        ("/results/latest/0/query", 400, "id is missing: the id of the query"),
        ("/history?metric=ncdg", 404, "Did you mean ndcg"),
        ("/history", 400, "metric is missing"),
        ("/nothing", 404, "no page"),
    ],
)
def test_errors_say_what_is_wrong(client, url, status, said):
    answer = client.get(PREFIX + url)
    assert answer.status_code == status
    assert answer.json()["error"]["status"] == status
    assert said in answer.json()["error"]["message"]


def test_a_method_that_is_not_possible(client):
    assert client.delete("/api/v1/results").status_code in (403, 405)
    assert client.head("/api/v1/results").status_code == 200


def test_hostile_content_comes_through_as_data(tmp_path):
    with Store.open(hostile_store(tmp_path / "store.db")) as store:
        client = TestClient(make_app(store), base_url=HERE)
        for one in asked(client, "/results")["results"]:
            queries = asked(client, "/results/{evaluation}/{place}/queries", f"/results/{one['key']}/queries")["queries"]
            for query in queries:
                if len(query["query"]) <= 2000:
                    url = f"/results/{one['key']}/query"
                    assert (
                        asked(client, "/results/{evaluation}/{place}/query", url, id=query["query"])["query"]
                        == query["query"]
                    )
        assert client.get("/api/v1/results").headers["x-content-type-options"] == "nosniff"


def test_a_browser_may_keep_what_has_not_changed(client):
    first = client.get("/api/v1/results")
    again = client.get("/api/v1/results", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_what_was_never_retrieved_is_not_graded(tmp_path):
    with Store.open(tmp_path / "store.db") as store:
        store.save([result_of(1)])
        client = TestClient(make_app(store), base_url=HERE)
        known = next(iter(store.latest().results[0].run["q000"]))
        sent = {"benchmark": "things", "query": "q000", "document": known, "judge": "Ana", "grade": 1}
        for wrong in ({"query": "no such query"}, {"document": "no such document"}):
            answer = client.post("/api/v1/judgments", json={**sent, **wrong})
            assert answer.status_code == 409
            assert "was not retrieved" in answer.json()["error"]["message"]
        assert client.post("/api/v1/judgments", json=sent).status_code == 201
        assert client.get("/api/v1/judgments/qrels?benchmark=things").text == f"q000 0 {known} 1\n"


PAIR = {"benchmark": "things", "query": "q000", "document": "x1", "judge": "Ana"}


class TestWithdrawing:
    """DELETE of a judgment: what goes, what is not there, and who may not."""

    @pytest.fixture
    def store(self, tmp_path):
        with Store.open(tmp_path / "store.db") as opened:
            opened.save([result_of(1)])
            for judge, grade in (("Ana", 2), ("Ben", 1)):
                opened.judgments.give(Judgment("things", "q000", "x1", judge, grade, "note"))
            yield opened

    @pytest.fixture
    def client(self, store):
        return TestClient(make_app(store), base_url=HERE)

    def withdraw(self, client, headers=None, **change):
        return client.delete("/api/v1/judgments", params={**PAIR, **change}, headers=headers)

    def test_one_grade_goes_and_is_given_as_it_was(self, client, store):
        before = {one.judge: one for one in store.judgments.find()}
        answer = self.withdraw(client, judge="An\u200ba")
        assert answer.status_code == 200
        jsonschema_rs.validate(response_of(client, "/judgments", "delete")[1], answer.json())
        assert answer.json() == before["Ana"].to_dict()
        assert store.judgments.find() == [before["Ben"]]
        assert asked(client, "/judgments")["total"] == 1

    def test_what_is_not_there_is_told(self, client, store):
        said = self.withdraw(client, judge="An").json()["error"]["message"]
        for word in ("no judge of that pair is called 'An'", "Did you mean Ana?", "it was graded by Ana, Ben"):
            assert word in said
        gone = self.withdraw(client, document="x2")
        assert (gone.status_code, "nobody has graded" in gone.text) == (404, True)
        assert [self.withdraw(client).status_code for _ in range(2)] == [200, 404]
        for missing in ("query", "document", "judge"):
            left = {name: value for name, value in PAIR.items() if name != missing}
            assert client.delete("/api/v1/judgments", params=left).status_code == 400
        assert [one.judge for one in store.judgments.find()] == ["Ben"]

    def test_another_page_cannot(self, client, store):
        for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}):
            assert self.withdraw(client, headers).status_code == 403
        assert client.options("/api/v1/judgments", headers={"origin": "http://evil.example"}).status_code == 405
        assert len(store.judgments.find()) == 2

    def test_the_token_is_needed(self, store):
        client = TestClient(make_app(store, token="a-rather-long-token"), base_url="http://example.org")
        assert self.withdraw(client).status_code == 401
        assert self.withdraw(client, {"authorization": "Bearer a-rather-long-token"}).status_code == 200
        client.post("/login", data={"token": "a-rather-long-token"})
        assert self.withdraw(client, judge="Ben").status_code == 200
        assert store.judgments.find() == []

    def test_a_grade_without_a_benchmark(self, client, store):
        store.judgments.take_over([Judgment("", "q", "d", "Ana", 1.0, "", "2026-11-15T09:30:00+00:00")])
        params = {"query": "q", "document": "d", "judge": "Ana"}
        assert client.delete("/api/v1/judgments", params=params).status_code == 200


def test_qrels_name_what_they_cannot_hold(tmp_path):
    """An id with a blank, and a grade that is no number and came into the store by other ways."""
    with Store.open(tmp_path / "store.db") as store:
        store.save([result_of(1)])
        store.judgments.give(Judgment("things", "q000", "x1", "Ana", 2))
        store.judgments.give(Judgment("things", "q 1", "x1", "Ana", 2))
        store.judgments.take_over([Judgment("things", "q2", "x1", "Ana", math.inf, "", "2026-11-15T09:30:00+00:00")])
        client = TestClient(make_app(store), base_url=HERE)
        refused = client.get("/api/v1/judgments/qrels", params={"benchmark": "things"})
        assert refused.status_code == 409
        said = refused.json()["error"]["message"]
        for word in ("2 grades", "'q 1' has a blank", "x1 for q2 the grade inf", "partial=true"):
            assert word in said
        whole = client.get("/api/v1/judgments/qrels", params={"benchmark": "things", "partial": "true"})
        assert (whole.status_code, whole.text) == (200, "q000 0 x1 2\n")


def test_a_store_that_others_keep_locked_is_told_soon(tmp_path, monkeypatch):
    import sqlite3

    from assay.web import state

    monkeypatch.setattr(state, "LOCK_TIMEOUT", 0.05)
    with Store.open(tmp_path / "store.db") as store:
        store.save([result_of(1)])
        client = TestClient(make_app(store), base_url=HERE)
        known = next(iter(store.latest().results[0].run["q000"]))
        sent = {"benchmark": "things", "query": "q000", "document": known, "judge": "Ana", "grade": 1}
        with sqlite3.connect(tmp_path / "store.db", isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            answer = client.post("/api/v1/judgments", json=sent)
            assert answer.status_code == 503
            assert "others have been writing to it all the time" in answer.json()["error"]["message"]
            other.execute("ROLLBACK")
        assert client.post("/api/v1/judgments", json=sent).status_code == 201
