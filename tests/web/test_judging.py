"""Judging on the page of a query: what is offered, what is stored with whom, what it changes, and who is refused."""

import re
import shutil
from html import unescape

import pytest

import assay
from assay.evaluation import rejudge
from assay.store import Store
from assay.text import printable

from ._clients import client_of, csrf_of, told, words_of
from ._stores import result_of, saved

SENTENCES = r'<(h3|summary|p|span)(?: class="(?:muted|said outcome|problem|graded)"[^>]*)?>(.*?)</\1>'


class Desk:
    """The first result of a store's newest evaluation as people judge it."""

    def __init__(self, store, query="q000"):
        self.store, self.query, self.client = store, query, client_of(store)
        self.key = f"{store.id_of('latest')}/0"
        self.form = self.panel()
        self.documents = offered(self.form)

    def panel(self, **params):
        """The part of the page where people judge."""
        page = self.client.get(f"/result/{self.key}/query", params={"id": self.query, **params})
        assert page.status_code == 200
        return panel_of(page)

    def judge(self, *grades, headers=None, **fields):
        """The answer to what the panel's form sends: pairs of document and grade, and other fields."""
        sent = {"csrf": csrf_of(self.form), "result": self.key, "query": printable(self.query), "judge": "Ana"}
        for number, (document, grade) in enumerate(grades):
            sent |= {f"document-{number}": document, **({f"grade-{number}": grade} if grade else {})}
        return self.client.post("/judge", data={**sent, **fields}, headers=headers)

    def kept(self):
        return {(one.judge, one.document): one.grade for one in self.store.judgments.find()}


def panel_of(page):
    """The panel, after what the page says about the form that was sent last."""
    outcome = re.search(r'<p class="said outcome".*?</p>', page.text, re.DOTALL)
    return (outcome[0] if outcome else "") + re.search(r'<section id="judging".*?</section>', page.text, re.DOTALL)[0]


def offered(html):
    return [unescape(one) for one in re.findall(r'name="document-\d+" value="([^"]*)"', html)]


def ticked(html):
    """Document → the grade that is ticked."""
    documents = {number: unescape(doc) for number, doc in re.findall(r'name="document-(\d+)" value="([^"]*)"', html)}
    return {documents[number]: grade for number, grade in re.findall(r'name="grade-(\d+)" value="(\w+)" checked', html)}


def sentences_of(html):
    return "".join(f"{words_of(text)}\n" for _, text in re.findall(SENTENCES, html, re.DOTALL))


@pytest.fixture
def desk(fresh):
    return Desk(fresh)


def test_grades_are_stored_with_who_and_when_and_their_effect_is_shown(desk):
    before = desk.store.latest().results[0]
    ranking = sorted(before.run["q000"], key=lambda doc: -before.run["q000"][doc])
    assert desk.documents == [doc for doc in ranking if doc not in before.relevant["q000"]][:10], "the best first"
    first, second, third = desk.documents[:3]
    answer = desk.judge((first, "2"), (second, ""), (third, "0"), **{"reason-0": " says\nso "})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/result/{desk.key}/query?id=q000&saved=2#judging")
    found = {one.document: one for one in desk.store.judgments.find()}
    assert {doc: one.grade for doc, one in found.items()} == {first: 2.0, third: 0.0}
    graded = found[first]
    assert (graded.judge, graded.reason, graded.benchmark, graded.query) == ("Ana", "says so", "things", "q000")
    html, effect = desk.panel(), rejudge(before, {"q000": {first: 2.0, third: 0.0}})
    assert "Ana: <strong>2</strong> – says so" in html
    for metric, pair in effect.scores("q000").items():
        row = re.search(rf"{re.escape(metric)}</th>(.*?)</tr>", html, re.DOTALL)[1]
        shown = [float(one) for one in re.findall(r">(\d\.\d+)<", row)]
        assert shown == pytest.approx([*pair, *effect.summaries()[metric]], abs=6e-4), metric
    assert any(pair[0] != pair[1] for pair in effect.scores("q000").values())
    assert desk.store.latest().results[0].to_dict() == before.to_dict(), "the result stays"
    for grade, kept in (("1", [1.0]), ("3", [3.0]), ("none", []), ("none", [])):
        assert desk.judge((second, grade)).status_code == 303
        assert [value for (_, doc), value in desk.kept().items() if doc == second] == kept


def test_the_panel_says_what_happened(desk, snapshots):
    first, second = desk.documents[:2]
    texts = {"nobody has judged": desk.panel()}
    both = ((first, "0"), (second, "2"))
    saved_both = desk.client.get(desk.judge(*both, **{"reason-1": "yes"}).headers["location"])
    texts["two grades"] = panel_of(saved_both)
    assert ticked(saved_both.text) == {first: "0", second: "2"}
    assert 'name="judge" value="Ana"' in saved_both.text
    again = desk.judge(*both, **{"shown-to": "Ana", "reason-1": "yes"}).headers["location"]
    assert again.endswith("&nothing=1#judging")
    texts["the same once more"] = panel_of(desk.client.get(again))
    back = desk.judge((first, "none"), **{"shown-to": "Ana"}).headers["location"]
    texts["one taken back"] = panel_of(desk.client.get(back))
    for name, result in (
        ("not known what was judged", result_of(1).with_fields(nonrelevant={})),
        ("no rankings", result_of(1).with_fields(run={})),
    ):
        desk.store.save([result])
        texts[name] = Desk(desk.store).panel()
    text = "".join(f"## {name}\n{sentences_of(html)}\n" for name, html in texts.items())
    snapshots.check("web/judging", re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "<when>", text))


def test_the_name_is_remembered_those_who_look_alike_are_one_and_without_it_the_form_comes_back(desk):
    first, second = desk.documents[:2]
    for name in ("   ", "x" * 81):
        answer = desk.judge((first, "3"), (second, ""), judge=name, **{"reason-0": "so <it> is"})
        assert (answer.status_code, answer.headers["cache-control"]) == (400, "no-store")
        html = panel_of(answer)
        assert (ticked(html), "required" in re.search(r'<input id="judge"[^>]*>', html)[0]) == ({first: "3"}, True)
        for part in ('role="alert"', 'aria-describedby="judge-problem"', 'value="so &lt;it&gt; is"'):
            assert part in html, part
    assert desk.kept() == {}
    answer = desk.judge((first, "1"), judge="Zoë O’Hara; x")
    assert "samesite=lax" in answer.headers["set-cookie"].lower()
    desk.judge(judge="", **{"document-4": second, "grade-4": "2"})
    assert desk.kept() == {("Zoë O’Hara; x", first): 1, ("Zoë O’Hara; x", second): 2}, "nor does a gap lose anything"
    for name in ("ann", "ann\u200b", "\u202eann", "ａｎｎ", "\xa0ann\x1f"):
        desk.judge((first, "1"), judge=name)
    assert {judge for judge, doc in desk.kept() if doc == first} == {"Zoë O’Hara; x", "ann"}


def test_two_judges(desk):
    """What was ticked for one is nobody else's grade."""
    first, second = desk.documents[:2]
    desk.judge((first, "2"), (second, "0"))
    desk.judge((first, "2"), (second, "1"), judge="Ben", **{"shown-to": "Ana"})
    assert desk.kept() == {("Ana", first): 2, ("Ana", second): 0, ("Ben", second): 1}
    desk.judge((first, "1"), (second, "0"), judge="Ben")
    row = re.search(r"Ana and Ben</th>(.*?)</tr>", desk.panel(), re.DOTALL)[1]
    texts = [text.strip() for text in re.findall(r">([^<>]+)<", row) if text.strip()]
    assert texts == ["2", "50 %", "0.33", "[-0.96, 0.99]", "0.67", "[-0.99, 1.00]"]


def test_every_document_can_be_reached(tmp_path):
    """Twenty-five that nobody judged: ten at a time, those with a grade by themselves."""
    ranking = {f"x{n:02}": 50.0 - n for n in range(25)}
    result = assay.evaluate({"q": {"d": 1}}, {"q": ranking}, ["ndcg@10"], name="s")
    with Store.open(saved(tmp_path / "s.db", [result.with_fields(benchmark="things", run={"q": ranking})])) as store:
        desk = Desk(store, "q")
        html, seen = desk.panel(), desk.documents
        while link := re.search(r'href="([^"]+)" rel="next"', html):
            html = panel_of(desk.client.get(unescape(link[1])))
            seen = seen + offered(html)
        assert seen == list(ranking)
        desk.judge(*((doc, "1") for doc in list(ranking)[:10]))
        html = desk.panel()
        assert offered(html.split('<details class="graded"')[0]) == list(ranking)[10:20]
        assert len(offered(html)) == 20


REFUSED = {
    "a wrong word of the form": {"csrf": "wrong"},
    "a result that is not there": {"result": "nothing/0"},
    "grade 4": {"grade-0": "4"},
    "grade 1.5": {"grade-0": "1.5"},
    "a document that was not retrieved": {"document-0": "never retrieved"},
    "a query that was not asked": {"query": "never asked"},
    "a reason too long": {"reason-0": "n" * 2001},
    "another site": {"headers": {"origin": "http://evil.example"}},
    "another site, as browsers tell": {"headers": {"sec-fetch-site": "cross-site"}},
    "one grade of two": {"grade-1": "9"},
}


def test_what_is_refused_keeps_nothing(desk, snapshots):
    """All of a form is kept or nothing."""
    both = [(document, "2") for document in desk.documents[:2]]
    answers = {name: desk.judge(*both, **change) for name, change in REFUSED.items()}
    answers["reading it"] = desk.client.get("/judge")
    snapshots.check("web/judging_refusals", told(answers, {desk.key: "<key>", **dict.fromkeys(desk.documents, "<doc>")}))
    assert desk.kept() == {}


def test_hostile_names_stay_text_and_can_be_judged(hostile, tmp_path):
    with Store.open(shutil.copy(hostile, tmp_path / "s.db")) as store:
        for query in list(store.latest().results[0].run)[:2]:
            desk = Desk(store, query)
            before = desk.panel()
            reason = {"reason-0": "<script>alert(9)</script>"}
            assert desk.judge((desk.documents[0], "1"), judge="<b>Ana</b>", **reason).status_code == 303
            after = desk.panel()
            assert "<script>" not in before + after
            assert "onerror=alert" not in before.replace("&lt;img src=x onerror=alert", "")
            assert "&lt;b&gt;Ana&lt;/b&gt;" in after
