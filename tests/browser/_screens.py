"""Every screen of the web pages, by name: with the store of `make demo-web`, in which a person has graded documents."""

from __future__ import annotations

from tests.browser._scene import BENCHMARK, Scene

import assay
from assay.judging import kept_pool, pairs_of
from assay.store import Judgment, QueryNote, Store, disagreements

QUERY, WRONG = "q47", "p213"
"""A query that lost its relevant document, and a document that the benchmark judges not relevant although it helps."""
BETTER_ANSWERS = (5, 4)
"""The places, counted from the newest, of the two runs between which the answers of a system got better."""
REPORT = "/compare/report?r={old}&r={new}&baseline={old}"
"""The address of the report about one comparison."""


def graded(scene: Scene) -> None:
    """Ana overrules one judgment, grades a document that nobody had judged, and leaves a note and a tag on the query."""
    with Store.open(scene.path) as store:
        name, place = scene.new.split("/")
        ranking = store.find(name).results[int(place)].run[QUERY]
        judged = assay.load_dataset(BENCHMARK).qrels[QUERY]
        unjudged = next(document for document in ranking if document not in judged)
        for document, grade, reason in (
            (WRONG, 2, "explains the layer that protects steel"),
            (unjudged, 0, "another subject"),
        ):
            store.judgments.give(Judgment(BENCHMARK, QUERY, document, "Ana Ruíz", grade, reason))
        for kind, text in (("note", "ask the owner of the FAQ"), ("tag", "tokenizer")):
            store.query_notes.add(QueryNote(BENCHMARK, QUERY, text, kind=kind, author="Ana Ruíz"))


def judged(scene: Scene) -> None:
    """Ana and Ben judge most pairs of the pool, and do not always agree; one disagreement is settled."""
    pool = kept_pool(scene.pool, scene.path.parent / "pools")
    with Store.open(scene.path) as store:
        judged = assay.load_dataset(BENCHMARK).qrels
        for judge, times in (("Ana", 5), ("Ben", 3)):
            for number, pair in enumerate(pairs_of(pool, judge)[: 20 * times]):
                grade = judged[pair.query].get(pair.document, 0)
                other = (grade + 1) % 4 if sum(map(ord, judge + pair.query + pair.document)) % 4 == 0 else grade
                when = f"2026-11-15T09:{number // 8:02}:{number % 8 * 7:02}+00:00"
                about = {"pool": pool.id, "probability": pair.probability, "judged": when}
                store.judgments.give(Judgment(BENCHMARK, pair.query, pair.document, judge, other, **about))
        settled = disagreements(store.judgments.find(BENCHMARK))[-1]
        ids, when = settled[:3], "2026-11-16T09:00:00+00:00"
        store.judgments.give(Judgment(*ids, "Ana", 1, "both read it again", when, is_settled=True))


def remember_judge(context, scene: Scene, name: str) -> None:
    """The queue knows who judges from a cookie; other screens show nobody's grades."""
    context.clear_cookies()
    if name.startswith("queue"):
        context.add_cookies([{"name": "assay_judge", "value": "Ana", "url": scene.address}])


def screens(scene: Scene) -> dict[str, str]:
    """Name of a screen → its path."""
    old, new = scene.old, scene.new
    pair = f"r={old}&r={new}&baseline={old}"
    answers = [scene.other("512", "Support", nth) for nth in BETTER_ANSWERS]
    return {
        "home": "/",
        "results": "/results",
        "result": f"/result/{new}",
        "query": f"/result/{new}/query?id={QUERY}",
        "query-with-answer": f"/result/{answers[1]}/query?id=ja-01",
        "compare": f"/compare?{pair}",
        "compare-queries": f"/compare?{pair}&only=lost&group=difficulty#queries",
        "compare-graded": f"/compare?{pair}&judgments=people&card={QUERY}#queries",
        "compare-answers": f"/compare?r={answers[0]}&r={answers[1]}&only=better",
        "compare-several": f"/compare?r={new}&r={scene.other('dense')}&r={scene.other('hybrid')}",
        "choose": "/compare",
        "leaderboard": f"/leaderboard?benchmark={BENCHMARK}",
        "history": f"/history?benchmark={BENCHMARK}",
        "datasets": "/datasets",
        "dataset": f"/datasets?name={BENCHMARK}",
        "metrics": "/metrics",
        "metric": "/metrics?name=ndcg",
        "progress": "/progress",
        "judgments": f"/judgments?benchmark={BENCHMARK}",
        "queues": "/queue",
        "queue": f"/queue/{scene.pool}",
        "queue-name": f"/queue/{scene.pool}?who=1",
        "queue-agreement": f"/queue/{scene.pool}/agreement",
        "problem": "/result/nothing/0",
        "no-page": "/nothing",
    }
