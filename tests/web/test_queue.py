"""The queue: one judge sees one pair at a time and nothing else; grades, skips, undo, named judges, disagreements."""

import json
import re
from datetime import datetime

import pytest

from assay.cli import main
from assay.judging import pairs_of
from assay.store import Judgment, Store, combined, digest_of_text

from ._clients import csrf_of, main_of, told
from ._queues import BENCHMARK, SYSTEMS, Campaign, Judge, ids


@pytest.fixture
def campaign(tmp_path):
    made = Campaign(tmp_path)
    yield made
    made.store.close()


def test_a_session_from_the_first_to_the_last_pair(campaign):
    """Each pair comes once, in the order of the pool for this judge; everything about a grade is stored."""
    judge, order = Judge(campaign), pairs_of(campaign.pool, "Ana")
    shown = []
    for number in range(20):
        shown.append(judge.pair)
        judge.do(number % 4, reason=f"note {number}" if number == 3 else "")
    assert shown == ids(order)
    assert judge.pair is None
    assert "You have judged all 20 pairs of this pool" in main_of(judge.html)
    kept = {(one.query, one.document): one for one in campaign.store.judgments.find()}
    assert [kept[pair].grade for pair in shown] == [number % 4 for number in range(20)]
    fourth, pair = kept[shown[3]], order[3]
    document = campaign.dataset.documents[pair.document]
    assert (fourth.judge, fourth.kind, fourth.reason, fourth.is_settled) == ("Ana", "people", "note 3", False)
    assert (fourth.pool, fourth.probability) == (campaign.pool.id, pair.probability)
    assert fourth.text_digest == digest_of_text(document.content)
    assert datetime.fromisoformat(fourth.judged).tzinfo is not None


def shown_of(secrets, text):
    """The secrets that stand in a text: words anywhere, numbers not as a part of random tokens."""
    whole = {secret: rf"(?<![\w-]){re.escape(secret)}(?![\w-])" for secret in secrets if secret[0].isdigit()}
    return {secret for secret in secrets if re.search(whole.get(secret, re.escape(secret)), text)}


def test_nothing_of_a_session_reveals_ranks_systems_scores_or_other_grades(campaign):
    """Not in the text, not in fields or attributes, not in headers; whatever the judge does."""
    judgments = campaign.store.judgments
    for pair in campaign.pool.drawn:
        judgments.give(Judgment(BENCHMARK, pair.query, pair.document, "Wilhelmina", 2, "wilhelmina-reason"))
    judge = Judge(campaign, "Ana")
    for what in ("skip", 2, "cannot-tell", "undo", 3, *[1] * 25):
        judge.do(what) if judge.pair else None
    judge.answers += [judge.client.get("/queue"), judge.client.get(campaign.path)]
    secrets = {"Wilhelmina", "wilhelmina-reason", "zebra", "quagga", "7316", "9482", "7315", "9481"}
    secrets |= {f"{pair.probability:.4f}" for pair in campaign.pool.pairs if 0 < pair.probability < 1}
    assert any("." in secret for secret in secrets), "some pairs are not certain"
    for answer in judge.answers[:-2] + judge.answers[-1:]:
        everything = re.sub("[0-9a-f]{64}", "", answer.text) + json.dumps(dict(answer.headers))  # without random words
        assert shown_of(secrets, everything) == set()
        assert not re.search(r"\brank(ed|ing|s)?\b", re.sub(r"without ranks[^.]*\.|do not see ranks[^.]*\.", "", everything))
    listed = re.sub("[0-9a-f]{64}", "", judge.answers[-2].text)
    assert shown_of(secrets - {"Wilhelmina"}, listed) == set()
    assert re.search(r"Wilhelmina.*?20 of 20 pairs graded", listed, re.DOTALL), "the list has counts, but no grades"


def test_skipped_pairs_come_back_at_the_end_and_undecided_ones_do_not(campaign):
    judge = Judge(campaign)
    first = judge.pair
    judge.do("skip")
    second = judge.pair
    judge.do("cannot-tell", reason="no text")
    assert judge.counts == "0 of 20 pairs graded, 1 undecided, 1 skipped"
    for _ in range(18):
        assert judge.pair not in (first, second)
        judge.do(1)
    assert judge.pair == first
    judge.do("skip")
    assert judge.pair == first, "the only pair that is left"
    judge.do(0)
    assert judge.pair is None
    (undecided,) = campaign.store.judgments.undecided()
    assert (undecided.query, undecided.document, undecided.judge, undecided.reason) == (*second, "Ana", "no text")
    assert second not in {(one.query, one.document) for one in campaign.store.judgments.find()}
    again = Judge(campaign)
    assert again.pair is None, "also in a new session"
    assert Judge(campaign, "Ben").pair is not None, "for others it stays open"


def test_undo_goes_back_and_withdraws(campaign):
    judge = Judge(campaign)
    pairs = []
    for what in (2, "skip", "cannot-tell", 3):
        pairs.append(judge.pair)
        judge.do(what, reason=f"why {what}")
    judge.do("undo")
    assert judge.pair == pairs[3]
    assert 'placeholder="optional, stored with the grade">why 3</textarea>' in judge.html
    assert "(your last grade)" in judge.html
    judge.do("undo")
    assert (judge.pair, campaign.store.judgments.undecided()) == (pairs[2], [])
    judge.do("undo")
    assert judge.pair == pairs[1]
    judge.do("undo")
    assert (judge.pair, list(campaign.store.judgments.find())) == (pairs[0], [])
    judge.do("undo")
    assert judge.pair == pairs[0]
    judge.do(1)
    assert [one.grade for one in campaign.store.judgments.find()] == [1]
    other = Judge(campaign)
    other.do("undo")
    assert (other.pair, list(campaign.store.judgments.find())) == (pairs[0], []), "also after a new start of the server"


def test_named_judges_get_their_share_and_nobody_else_judges(tmp_path):
    campaign = Campaign(tmp_path, judges=["Ana", "Ben"], overlap=0.25, guidelines="Only <b>facts</b> count.")
    client = campaign.client()
    csrf = csrf_of(client.get(campaign.path).text)
    wrong = client.post(campaign.path, data={"csrf": csrf, "do": "start", "judge": "Eve"})
    assert wrong.status_code == 400
    assert "Choose one of the judges of this pool: Ana, Ben." in main_of(wrong.text)
    refused = client.post(campaign.path, data={"csrf": csrf, "do": "1", "judge": "Eve", "query": "q0", "document": "doc-1"})
    assert (refused.status_code, "Ana, Ben" in main_of(refused.text)) == (404, True)
    shares = {name: set(ids(pairs_of(campaign.pool, name))) for name in ("Ana", "Ben")}
    for name, share in shares.items():
        judge = Judge(campaign, name)
        assert "Only &lt;b&gt;facts&lt;/b&gt; count." in judge.html
        while judge.pair:
            judge.do(2)
        assert {(one.query, one.document) for one in campaign.store.judgments.find(judge=name)} == share
    assert len(shares["Ana"] & shares["Ben"]) == 5
    assert len(shares["Ana"] | shares["Ben"]) == 20
    other = next(iter(shares["Ben"] - shares["Ana"]))
    fields = {"csrf": csrf_of(judge.html), "do": "1", "judge": "Ana", "query": other[0], "document": other[1]}
    assert judge.client.post(campaign.path, data=fields).status_code == 400
    campaign.store.close()


def test_disagreements_are_settled_and_the_settled_grade_counts(campaign, monkeypatch, capsys):
    """Not before the judge has judged the pair; the grades of the judges stay; assay compare then needs no --pool."""
    ben = Judge(campaign, "Ben")
    while ben.pair:
        ben.do(3 if ben.pair == ids(campaign.pool.drawn)[0] else 1, reason="says Ben")
    ana = Judge(campaign)
    ana.do(0, reason="says Ana")
    page = ana.client.get(f"{campaign.path}/agreement").text
    while ana.pair:
        ana.do(1, reason="says Ana")
    assert "says Ben" not in page.replace(_item(page, ids(pairs_of(campaign.pool, "Ana"))[0]), "")
    page = ana.client.get(f"{campaign.path}/agreement").text
    assert "Ana and Ben" in main_of(page)
    query, document = ids(campaign.pool.drawn)[0]
    item = _item(page, (query, document))
    assert {"Ana: <strong>", "Ben: <strong>3</strong>", "says Ana", "says Ben"} <= {part for part in _PARTS if part in item}
    settle = {"csrf": csrf_of(page), "query": query, "document": document, "judge": "Cleo", "reason": "both read it again"}
    saved = ana.client.post(f"{campaign.path}/agreement", data={**settle, "do": "2"})
    assert (saved.status_code, saved.headers["location"]) == (303, f"{campaign.path}/agreement#disagreements")
    grades = campaign.store.judgments.find(query=query, document=document)
    assert combined(grades)[query][document] == 2
    assert {one.judge: one.is_settled for one in grades} == {"Ana": False, "Ben": False, "Cleo": True}
    assert "2 by Cleo" in _item(ana.client.get(f"{campaign.path}/agreement").text, (query, document))
    assert ana.client.post(f"{campaign.path}/agreement", data={**settle, "do": "none"}).status_code == 303
    lowest = min(one.grade for one in grades if not one.is_settled)
    assert combined(campaign.store.judgments.find())[query][document] == lowest
    for fields in ({"do": "7"}, {"query": "q999"}, {"judge": ""}):
        client = campaign.client()
        data = {**settle, "do": "2", "csrf": csrf_of(client.get("/queue/" + campaign.pool.id).text), **fields}
        assert client.post(f"{campaign.path}/agreement", data=data).status_code == 400, fields
    monkeypatch.chdir(campaign.folder)
    (campaign.folder / ".assay").mkdir()
    campaign.pools.rename(campaign.folder / ".assay" / "pools")
    assert main(["compare", "latest", "--judgments", "people", "--store", str(campaign.folder / "store.db")]) == 0
    assert f"20 grades by people, on 6 queries of 6 (pool {campaign.pool.id}" in capsys.readouterr().out


_PARTS = ("Ana: <strong>", "Ben: <strong>3</strong>", "says Ana", "says Ben")


def _item(page, pair):
    """The part of the page about a disagreement; empty if there is none."""
    items = re.findall(r'<li class="(?:open|settled)" id="pair-\d+">.*?</form>', page, re.DOTALL)
    ours = (f'name="query" value="{pair[0]}"', f'name="document" value="{pair[1]}"')
    return next((item for item in items if all(part in item for part in ours)), "")


def test_the_text_of_a_pair_is_shown_as_it_is(campaign):
    """Lines and indentation stay, words of the query are marked, markup is text."""
    judge = Judge(campaign)
    query, document = judge.pair
    text = campaign.dataset.documents[document]
    number = document.partition("-")[2]
    assert f'<span class="line">{text.title}</span>' in re.sub("</?mark>", "", judge.html)
    assert f'<span class="line">    indented {number}</span>' in re.sub("</?mark>", "", judge.html)
    assert f"&lt;b&gt;{number}&lt;/b&gt;" in re.sub("</?mark>", "", judge.html)
    assert campaign.dataset.queries[query].text in judge.html


def test_without_texts_the_page_says_how_to_get_them(tmp_path):
    campaign = Campaign(tmp_path, has_texts=False)
    judge = Judge(campaign)
    assert "assay serve --datasets PATH" in judge.html
    assert judge.pair[1] in main_of(judge.html)
    judge.do(1)
    assert [one.text_digest for one in campaign.store.judgments.find()] == [""]
    campaign.store.close()


def test_a_benchmark_with_two_grades_offers_these(tmp_path):
    """The grades are those of the benchmark, so that grades by people fit the judgments that exist."""
    campaign = Campaign(tmp_path)
    relevant = {"q0": {next(iter(campaign.results[0].run["q0"])): 1.0}}
    campaign.store.save([campaign.results[0].with_fields(relevant=relevant)])
    judge = Judge(campaign)
    assert re.findall(r'name="do" value="(\d)"', judge.html) == ["0", "1"]
    fields = {"csrf": csrf_of(judge.html), "do": "2", "judge": "Ana", "query": judge.pair[0], "document": judge.pair[1]}
    assert judge.client.post(campaign.path, data=fields).status_code == 400
    campaign.store.close()


def test_looking_changes_nothing(campaign):
    client = campaign.client()
    client.cookies.set("assay_judge", "Ana")
    before = campaign.store.state()
    for address in ("/queue", campaign.path, f"{campaign.path}?who=1", f"{campaign.path}/agreement"):
        assert client.get(address).status_code == 200
    assert campaign.store.state() == before
    assert campaign.store.judgments.find() == []


def test_what_is_wrong_is_said(campaign, tmp_path, snapshots):
    client = campaign.client()
    csrf = csrf_of(client.get(campaign.path).text)
    (campaign.pools / "damaged.jsonl").write_text('{"schema": "assay.pool/1"}\n')
    pair = dict(zip(("query", "document"), ids(pairs_of(campaign.pool, "Ana"))[0], strict=True))
    fields = {"csrf": csrf, "judge": "Ana", **pair}
    answers = {
        "no such pool": client.get("/queue/0123456789abcdef"),
        "a path": client.get("/queue/..%2Fsecret"),
        "a damaged pool": client.get("/queue/damaged"),
        "the list leaves it out": client.get("/queue"),
        "an unknown parameter": client.get(f"{campaign.path}?rank=1"),
        "no name": client.post(campaign.path, data={"csrf": csrf, "do": "start", "judge": " "}),
        "a pair of no pool": client.post(campaign.path, data={**fields, "do": "1", "document": "doc-99"}),
        "no such grade": client.post(campaign.path, data={**fields, "do": "9"}),
        "no csrf": client.post(campaign.path, data={**fields, "do": "1", "csrf": "x"}),
        "a reason that is too long": client.post(campaign.path, data={**fields, "do": "1", "reason": "w" * 2001}),
    }
    masked = {campaign.pool.id: "<pool>", str(campaign.pools): "<pools>"}
    snapshots.check("web/queue_errors", told(answers, masked))
    assert campaign.store.judgments.find() == []


def test_a_pool_without_results_is_not_listed(tmp_path):
    campaign = Campaign(tmp_path)
    with Store.open(tmp_path / "empty.db") as store:
        campaign.store.close()
        campaign.store = store
        client = campaign.client()
        assert "There are no pools to judge yet" in main_of(client.get("/queue").text)
        assert client.get(campaign.path).status_code == 404
    assert set(SYSTEMS) == {"zebrasearch", "quaggasearch"}


@pytest.mark.parametrize(("step", "pace"), [(0, ""), (6, "600 pairs an hour")])
def test_grades_that_were_imported_together_say_nothing_about_the_pace(campaign, step, pace):
    """A form with 300 grades gave a pace of 3,600,000 pairs an hour."""
    times = [f"2026-11-15T09:{step * place // 60:02d}:{step * place % 60:02d}+00:00" for place in range(20)]
    campaign.store.judgments.give_all(
        Judgment(BENCHMARK, pair.query, pair.document, "Ana", 1, judged=when, pool=campaign.pool.id)
        for pair, when in zip(campaign.pool.drawn[:19], times, strict=False)
    )
    page = campaign.client().get("/queue").text
    assert "19 of 20 pairs graded" in main_of(page)
    assert ("pairs an hour" in page) == bool(pace)
    assert pace in page
    assert f'href="/judgments?benchmark={BENCHMARK}"' in page
