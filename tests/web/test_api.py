"""The JSON API: every endpoint over a real store, held to the schema of its own record; refusals and the guard."""

import functools
import json
import math
import re

import jsonschema_rs
import pytest

from assay.evaluation import rejudge
from assay.store import Judgment, Store

from ._clients import TOKEN, client_of, told
from ._stores import result_of, saved

PREFIX = "/api/v1"
RESULT = "/results/{evaluation}/{place}"
JUDGMENT = {"benchmark": "things", "query": "q000", "document": "x1", "judge": "Ana", "grade": 2, "reason": "so it is"}
PAIR = {name: JUDGMENT[name] for name in ("benchmark", "query", "document", "judge")}
BEARER = {"authorization": f"Bearer {TOKEN}"}
ELSEWHERE = ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"})


@pytest.fixture(scope="module")
def store(small):
    with Store.open(small) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(store):
    return client_of(store)


@functools.cache
def document_of(client):
    return client.get(f"{PREFIX}/openapi.json").json()


def checked(client, answer, path, method="get"):
    """The body of an answer, which is what the document says of kind and schema."""
    document = document_of(client)
    responses = document["paths"][PREFIX + path][method]["responses"]
    ((kind, content),) = responses[str(answer.status_code)]["content"].items()
    assert answer.headers["content-type"] == kind
    jsonschema_rs.validate({**content["schema"], "components": document.get("components", {})}, answer.json())
    return answer.json()


def asked(client, path, url=None, **params):
    answer = client.get(PREFIX + (url or path), params=params)
    assert answer.status_code == 200, answer.text
    return checked(client, answer, path)


def judged(client, headers=None, **change):
    return client.post(f"{PREFIX}/judgments", json={**JUDGMENT, **change}, headers=headers)


def withdrawn(client, headers=None, **change):
    return client.delete(f"{PREFIX}/judgments", params={**PAIR, **change}, headers=headers)


LOOKS = (
    ("/results", "/results", {"limit": 2, "offset": 1}),
    (RESULT, "/results/latest/1", {}),
    (f"{RESULT}/queries", "/results/latest/0/queries", {"limit": 2, "offset": 2}),
    (f"{RESULT}/query", "/results/latest/1/query", {"id": "q001"}),
    ("/comparison", "/comparison", {"result": ["latest/0", "latest/1", "main/0"], "baseline": "main/0"}),
    ("/leaderboard", "/leaderboard", {"benchmark": "things", "metric": "MRR"}),
    ("/history", "/history", {"metric": "ndcg_at_10", "benchmark": "things", "provider": "bm25"}),
    ("/datasets", "/datasets", {}),
    ("/metrics/{name}", "/metrics/P_5", {}),
)
"""Path in the document, address and parameters."""


def shortened(value):
    """Six digits of figures, and of long lists the beginning."""
    if isinstance(value, dict):
        return {name: shortened(one) for name, one in value.items()}
    if isinstance(value, list):
        return [shortened(one) for one in value[:4]] + [f"… {len(value)}"] * (len(value) > 4)
    return float(f"{value:.6g}") if isinstance(value, float) else value


def test_what_every_address_answers(client, store, snapshots):
    text = ""
    for path, url, params in LOOKS:
        content = json.dumps(shortened(asked(client, path, url, **params)), indent=1, ensure_ascii=False)
        text += f"## {url} {params}\n{content}\n\n"
    for number, name in enumerate(dict.fromkeys(entry.evaluation for entry in store.list())):
        text = text.replace(name, f"<evaluation {number}>")
    text = re.sub(r'"(saved|created)": "[^"]*"', r'"\1": "<when>"', text)
    snapshots.check("web/api", text)
    assert {"ndcg", "mrr", "precision"} <= {one["name"] for one in asked(client, "/metrics")["metrics"]}


def test_results_are_filtered_and_have_pages(client, store):
    assert {one["provider"] for one in asked(client, "/results", provider="dense")["results"]} == {"dense"}
    filters = (({"tag": "release"}, 2), ({"benchmark": "nothing"}, 0), ({"since": "2026-10-04"}, 4), ({"since": "1m"}, 0))
    for params, n_found in filters:
        assert asked(client, "/results", **params)["total"] == n_found, params
    url, seen = f"{PREFIX}/results?limit=3&provider=dense", []
    while url:
        page = client.get(url).json()
        seen += [one["key"] for one in page["results"]]
        url = page["next"]
    whole = asked(client, "/results", limit=1000, provider="dense")["results"]
    assert (seen, len(seen)) == ([one["key"] for one in whole], 4)
    assert client.get(f"{PREFIX}/results?offset=99").json() == {"results": [], "total": 10, "next": None}
    found = asked(client, RESULT, f"/results/{store.id_of('latest')}/1")
    assert found["summary"] == pytest.approx(store.latest().results[1].summary)
    assert len(asked(client, "/history", metric="mrr")["series"]) == 4


def test_a_comparison_of_what_they_share(tmp_path):
    client = client_of(saved(tmp_path / "s.db", [result_of(1), result_of(2, provider="dense", n_queries=40)]))
    wanted = {"result": ["latest/0", "latest/1"]}
    for params, status in (({}, 409), ({"shared": "yes"}, 400)):
        assert client.get(f"{PREFIX}/comparison", params={**wanted, **params}).status_code == status
    assert asked(client, "/comparison", **wanted, shared="true")["n_queries"] == 40


def test_a_grade_is_given_and_its_effect_shown(fresh):
    client, result = client_of(fresh), fresh.latest().results[0]
    document = next(doc for doc in result.run["q000"] if doc.startswith("x"))
    given = judged(client, document=document)
    assert given.status_code == 201
    judgment = checked(client, given, "/judgments", "post")
    (kept,) = fresh.judgments.find("things", query="q000", document=document)
    assert (kept.judge, kept.grade, kept.reason) == ("Ana", 2.0, "so it is")
    found = asked(client, f"{RESULT}/effect", "/results/latest/0/effect")
    assert found == json.loads(json.dumps(rejudge(result, {"q000": {document: 2.0}}).to_dict()))
    assert (found["n_added"], found["n_overruled"], found["n_same"]) == (1, 0, 0)
    assert asked(client, "/judgments", judge="Ana")["judgments"] == [judgment]
    assert asked(client, "/judgments/agreement") == {"agreement": [], "alpha": None}
    fresh.judgments.give(Judgment("things", "q000", document, "Ben", 1))
    agreement = asked(client, "/judgments/agreement", benchmark="things")
    (agreed,) = agreement["agreement"]
    assert (agreement["alpha"]["n_judges"], agreement["alpha"]["n_pairs"]) == (2, 1)
    assert (agreed["n_pairs"], agreed["n_same"], agreed["kappa"]) == (1, 0, 0.0)
    for params, grade in (("", 1), ("&judge=Ana", 2)):
        qrels = client.get(f"{PREFIX}/judgments/qrels?benchmark=things{params}")
        assert (qrels.text, qrels.headers["content-type"]) == (f"q000 0 {document} {grade}\n", "text/plain; charset=utf-8")


CHANGES = {
    "grade above 3": {"grade": 4},
    "grade between two": {"grade": 1.5},
    "grade true": {"grade": True},
    "judge of spaces": {"judge": "  "},
    "judge of nothing that is seen": {"judge": "\u200b\x1f"},
    "another benchmark": {"benchmark": "thing"},
    "query that was not asked": {"query": "no such query"},
    "document that was not retrieved": {"document": "no such document"},
    "unknown field": {"surprise": 1},
    "reason too long": {"reason": "n" * 2001},
}
BODIES = (b"", b"{", b"[]", b'{"a":' * 5000, b"\xff", b'{"judge":"\\ud800"}')


def test_grades_that_are_refused(fresh, snapshots):
    client, url = client_of(fresh), f"{PREFIX}/judgments"
    snapshots.check("web/api_judgments", told({name: judged(client, **change) for name, change in CHANGES.items()}))
    for body in BODIES:
        answer = client.post(url, content=body, headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()["error"]["status"]) == (400, 400), body[:20]
    as_form = client.post(url, content=json.dumps(JUDGMENT), headers={"content-type": "text/plain"})
    assert as_form.status_code == 415, "forms of other pages cannot send JSON"
    for headers in ELSEWHERE:
        assert judged(client, headers).status_code == 403, headers
    assert fresh.judgments.find() == []


@pytest.fixture
def graded(fresh):
    """Two grades of one document."""
    for judge, grade in (("Ana", 2), ("Ben", 1)):
        fresh.judgments.give(Judgment("things", "q000", "x1", judge, grade, "reason"))
    return fresh


def test_a_grade_is_withdrawn(graded, snapshots):
    client, before = client_of(graded), {one.judge: one for one in graded.judgments.find()}
    refused = {"near name": withdrawn(client, judge="An"), "nobody graded it": withdrawn(client, document="x2")}
    snapshots.check("web/api_withdrawals", told(refused))
    for missing in ("query", "document", "judge"):
        assert withdrawn(client, **{missing: []}).status_code == 400, missing
    for headers in ELSEWHERE:
        assert withdrawn(client, headers).status_code == 403, headers
    assert client.options(f"{PREFIX}/judgments", headers=ELSEWHERE[0]).status_code == 405
    assert len(graded.judgments.find()) == 2
    assert checked(client, withdrawn(client, judge="An\u200ba"), "/judgments", "delete") == before["Ana"].to_dict()
    assert (graded.judgments.find(), asked(client, "/judgments")["total"]) == ([before["Ben"]], 1)
    assert withdrawn(client).status_code == 404
    graded.judgments.take_over([Judgment("", "q", "d", "Ana", 1.0, "", "2026-11-15T09:30:00+00:00")])
    without_benchmark = {"query": "q", "document": "d", "judge": "Ana"}
    assert client.delete(f"{PREFIX}/judgments", params=without_benchmark).status_code == 200


def test_with_a_token(graded):
    client = client_of(graded, token=TOKEN)
    for headers in ({}, {"authorization": "Bearer wrong"}):
        refused = client.get(f"{PREFIX}/results", headers=headers)
        assert (refused.status_code, refused.json()["error"]["status"]) == (401, 401)
    assert judged(client, {**BEARER, "content-type": "text/plain"}).status_code == 415
    assert [withdrawn(client, headers).status_code for headers in ({}, BEARER)] == [401, 200]
    client.post("/login", data={"token": TOKEN})
    assert withdrawn(client, judge="Ben").status_code == 200
    assert graded.judgments.find() == []


def test_qrels_name_what_they_cannot_hold(fresh, snapshots):
    """An id with a blank, and a grade that is no number and came into the store by other ways."""
    for query in ("q000", "q 1"):
        fresh.judgments.give(Judgment("things", query, "x1", "Ana", 2))
    fresh.judgments.take_over([Judgment("things", "q2", "x1", "Ana", math.inf, "", "2026-11-15T09:30:00+00:00")])
    client, url = client_of(fresh), f"{PREFIX}/judgments/qrels?benchmark=things"
    snapshots.check("web/api_qrels", told({"two that do not fit": client.get(url)}))
    whole = client.get(f"{url}&partial=true")
    assert (whole.status_code, whole.text) == (200, "q000 0 x1 2\n")


def test_an_export_is_imported_elsewhere(client, store, tmp_path):
    answer = client.get(f"{PREFIX}/export", params={"evaluation": ["main", "latest"]})
    assert answer.headers["content-type"] == "application/zstd"
    (tmp_path / "taken.jsonl.zst").write_bytes(answer.content)
    with Store.open(tmp_path / "other.db") as other:
        done = other.import_(tmp_path / "taken.jsonl.zst")
    assert sorted(done.new) == sorted([store.id_of("main"), store.id_of("latest")])


REFUSED = """/results?limit=0 /results?limit=1e3 /results?limit=² /results?limit=1&limit=2 /results?colour=red
/results?since=soon /results?benchmark= /results/latest/99 /results/nothing/0 /results/latest/x /results/latest/0?place=1
/results/..%2f..%2fetc/0 /results/latest/0/query /results/latest/1/query?id=q01 /comparison?result=latest/0
/comparison?result=latest/0&result=latest/0 /comparison?result=latest/0&result=latest/1&baseline=main/0
/leaderboard?benchmark=thing /metrics/ncdg@10 /export /export?evaluation=nothing /history?metric=ncdg /history /nothing"""


def test_refusals_say_what_is_wrong(client, store, snapshots):
    masked = {store.id_of("latest"): "<latest>", store.id_of("main"): "<main>"}
    snapshots.check("web/api_refusals", told({url: client.get(PREFIX + url) for url in REFUSED.split()}, masked))
    assert client.delete(f"{PREFIX}/results").status_code in (403, 405)
    assert client.head(f"{PREFIX}/results").status_code == 200


def test_hostile_content_comes_through_as_data(attacked):
    for one in asked(attacked, "/results")["results"]:
        url = f"/results/{one['key']}"
        for query in asked(attacked, f"{RESULT}/queries", f"{url}/queries")["queries"]:
            if len(name := query["query"]) <= 2000:
                assert asked(attacked, f"{RESULT}/query", f"{url}/query", id=name)["query"] == name
    assert attacked.get(f"{PREFIX}/results").headers["x-content-type-options"] == "nosniff"
