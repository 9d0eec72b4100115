"""Comparisons and gates with the grades in the store: estimates from a pool, and grades that overrule a benchmark."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

import assay as library
from assay.cli import main
from assay.judging import pool_from_lines
from assay.store import Judgment, Store, digest_of_text

METRICS = ["precision@10", "ndcg@10"]
WHEN = "2026-11-15T09:30:00+00:00"


@pytest.fixture(scope="module")
def systems():
    return [library.run("rag-template", name, metrics=METRICS) for name in ("bm25", "tfidf_chars")]


@pytest.fixture(scope="module")
def unjudged(systems):
    """The same results as if nothing was judged."""
    return [result.with_fields(relevant={}, nonrelevant={}) for result in systems]


@pytest.fixture(scope="module")
def truth():
    return library.load_dataset("rag-template").qrels


def grade(truth, pair):
    """A third of the unjudged documents are relevant, so that systems differ."""
    return truth[pair.query].get(pair.document, int(sum(map(ord, pair.document)) % 3 == 0))


def noisy(truth, pair, step):
    """A model that is wrong about every few documents."""
    right = grade(truth, pair)
    return 1 - min(right, 1) if sum(map(ord, pair.query + pair.document)) % step == 0 else right


def pool_in(name):
    return pool_from_lines(Path(name).read_bytes().splitlines())


def grades_for(pool, truth):
    """Ana's grades for all drawn pairs of a pool."""
    return [
        Judgment("rag-template", p.query, p.document, "Ana", grade(truth, p), judged=WHEN, pool=pool.id) for p in pool.drawn
    ]


@pytest.fixture(scope="module")
def graded(tmp_path_factory, unjudged, truth):
    """A folder with a store and pools, of which one has 200 pairs that Ana graded; two models graded all its pairs."""
    folder = tmp_path_factory.mktemp("graded")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("ASSAY_STORE", raising=False)
        patch.chdir(folder)
        with Store.open() as store:
            store.save(unjudged)
        for name, how in (("pool", "spread"), ("gap", "difference(bm25, tfidf_chars)"), ("depth", "depth")):
            assert main(["pool", "latest", "--pairs", "200", "--how", how, "-o", f"{name}.jsonl", "-q"]) == 0
        drawn = pool_in("pool.jsonl")
        with Store.open() as store:
            store.judgments.give_all(grades_for(drawn, truth))
            for model, step in (("first", 4), ("second", 7)):
                store.judgments.give_all(
                    [
                        Judgment(
                            "rag-template", p.query, p.document, model, noisy(truth, p, step), judged=WHEN, kind="model"
                        )
                        for p in drawn.pairs
                    ]
                )
    return folder, drawn


@pytest.fixture
def judged(folder, graded):
    """The pool that was judged, and a copy of its folder to work in."""
    built, drawn = graded
    shutil.copytree(built, folder, dirs_exist_ok=True)
    return drawn


@pytest.mark.usefixtures("judged")
def test_estimates_are_shown_as_estimates(transcript, truth):
    gap = pool_in("gap.jsonl")
    with Store.open() as store:
        done = {(each.query, each.document) for each in store.judgments.find("rag-template", kind="people")}
        rest = [pair for pair in gap.drawn if (pair.query, pair.document) not in done]
        given = [Judgment("rag-template", p.query, p.document, "Ana", grade(truth, p), judged=WHEN) for p in rest]
        store.judgments.give_all(given)
    transcript("layers/estimates")


@pytest.mark.usefixtures("judged")
def test_what_is_refused(transcript):
    transcript("layers/refused")


@pytest.mark.parametrize("layer", ["people", "corrected"])
def test_figures_are_those_of_corrected(judged, assay, unjudged, truth, layer):
    people, model = {}, {}
    for pair in judged.drawn:
        people.setdefault(pair.query, {})[pair.document] = grade(truth, pair)
    for pair in judged.pairs:
        model.setdefault(pair.query, {})[pair.document] = noisy(truth, pair, 4)
    own = library.Corrected(people, model if layer == "corrected" else None, judged)
    estimates = [own.estimate(result, ["precision@10"]) for result in unjudged]
    flags = ["--judge", "first"] if layer == "corrected" else []
    done = assay("compare", "latest", "--judgments", layer, "--pool", "pool.jsonl", "-f", "json", *flags)
    (content,) = json.loads(done.out)["comparisons"]
    (pair,) = [pair for pair in content["pairs"] if pair["metric"] == "precision@10"]
    gap = own.difference(*unjudged, "precision@10")
    low, high = gap.interval(0.95)
    assert {name: values["precision@10"] for name, values in content["summary"].items()} == {
        result.name: pytest.approx(result["precision@10"], abs=1e-12) for result in estimates
    }
    assert [pair["difference"], pair["low"], pair["high"]] == pytest.approx([gap.value, low, high], abs=1e-12)
    assert [about["layer"] for about in content["judgments"]] == [layer, layer]
    assert all("is an estimate from 200 grades" in about["notes"][0] for about in content["judgments"])


@pytest.mark.usefixtures("judged")
def test_every_format_names_the_test_that_was_used_on_estimates(assay):
    """Student's t replaces a test of differences; a claim keeps its name, because its test is a t-test."""
    compare = ("compare", "latest", "--judgments", "people")
    for form in ("markdown", "latex"):
        shown = assay(*compare, "-f", form).out.replace("&#39;", "'")
        assert "Student's t test" in shown
        assert "randomization" not in shown
    (content,) = json.loads(assay(*compare, "-f", "json", "--test", "wilcoxon").out)["comparisons"]
    assert content["how"]["test"] == "student_t"
    assert "test_of_estimates" not in content["how"]
    one_sided = assay(*compare, "--test", "randomization(alternative=greater)").out
    assert "Student's t test, alternative greater" in one_sided
    assert "non inferiority test, margin 0.05" in assay(*compare, "--test", "non_inferiority(margin=0.05)").out


@pytest.mark.usefixtures("judged")
def test_the_metric_of_the_pool_is_estimated_also_if_the_results_do_not_have_it(assay):
    systems = [library.run("rag-template", name, metrics=["ndcg@10", "precision@5"]) for name in ("bm25", "tfidf_chars")]
    with Store.open() as store:
        store.save([result.with_fields(relevant={}, nonrelevant={}) for result in systems])
    out = assay("compare", "latest", "--judgments", "people").out
    assert "tfidf_chars is not shown to differ from bm25 on precision@10" in out
    assert re.search(r"precision@5 +\d", out)
    done = assay(
        "gate", "latest", "--judgments", "people", "--rule", "precision@10 >= 0.01", "--rule", "precision@5 >= 0.01"
    )
    assert done.code == 0


def test_a_gate_without_any_grades_exits_3(folder, assay, unjudged):
    with Store.open() as store:
        store.save(unjudged)
    for layer in ("people", "corrected"):
        done = assay("gate", "latest", "--judgments", layer, "--rule", "precision@10 >= 0.5")
        assert (done.code, "nobody has graded documents on rag-template yet" in done.err) == (3, True)


def test_an_extended_pool_is_used_when_its_pairs_are_judged(judged, assay, truth):
    assert assay("pool", "latest", "--extend", "pool.jsonl", "--pairs", 300, "-o", "larger.jsonl", "-q").code == 0
    larger = pool_in("larger.jsonl")
    assert {pair[:2] for pair in judged.drawn} < {pair[:2] for pair in larger.drawn}
    given = {(pair.query, pair.document) for pair in judged.drawn}
    more = [each for each in grades_for(larger, truth) if (each.query, each.document) not in given]
    with Store.open() as store:
        store.judgments.give_all(more[:40])
    assert f"(pool {judged.id}, spread" in assay("compare", "latest", "--judgments", "people").out
    with Store.open() as store:
        store.judgments.give_all(more[40:])
    out = assay("compare", "latest", "--judgments", "people").out
    assert f"(pool {larger.id}, spread" in out
    assert f"{len(larger.drawn)} grades by people" in out


def test_a_pool_for_a_difference_refuses_other_systems_by_name(judged, assay, unjudged, truth):
    with Store.open() as store:
        store.save([*unjudged, unjudged[0].renamed("other")])
        store.judgments.give_all(grades_for(pool_in("gap.jsonl"), truth))
    done = assay("compare", "latest", "--judgments", "people", "--pool", "gap.jsonl")
    assert done.code == 2
    assert "difference of bm25 and tfidf_chars, so nothing can be estimated for other" in done.err
    command = shlex.split(done.err.rpartition("assay compare ")[2])
    assert assay("compare", *command).code == 0
    alone = assay("compare", "latest#rag-template/bm25", "latest#rag-template/other", *command[2:])
    assert "but the results are of bm25 other. Name results of these two systems" in alone.err


def test_a_gate_decides_about_a_change_with_a_pool_for_it(judged, assay, unjudged, truth):
    gap = pool_in("gap.jsonl")
    people: dict[str, dict[str, float]] = {}
    for pair in gap.drawn:
        people.setdefault(pair.query, {})[pair.document] = grade(truth, pair)
    with Store.open() as store:
        store.judgments.give_all(grades_for(gap, truth))
        store.bless(store.save([unjudged[0].renamed("search")]), "main")
        store.save([unjudged[1].renamed("search")])
    expected = library.Corrected(people, None, gap).difference(*unjudged)
    given = ("gate", "latest", "--judgments", "people", "--pool", "gap.jsonl", "-f", "json", "--rule")
    done = assay(*given, "precision@10 drops <= 0.5")
    (verdict,) = json.loads(done.out)["verdicts"]
    assert (done.code, verdict["status"]) == (0, "pass")
    assert [verdict[name] for name in ("difference", "low", "high")] == pytest.approx(
        [expected.value, *expected.interval(0.95)], abs=1e-12
    )
    for rule in ("precision@10 >= 0.1", "precision@10 drops <= 5%"):
        refused = assay(*given, rule)
        assert refused.code == 3
        assert f"`{rule}` needs a value, but the pool was drawn for the difference of two systems" in refused.err


@pytest.mark.usefixtures("judged")
def test_a_gate_refuses_other_systems_than_those_of_a_pool_for_a_difference(assay, unjudged, truth):
    """The names say nothing, because both sides of a gate have one name. A few other documents are noted."""
    gap = pool_in("gap.jsonl")
    other = library.run("rag-template", "random_order", metrics=METRICS).with_fields(relevant={}, nonrelevant={})
    moved = {query: dict(documents) for query, documents in unjudged[1].run.items()}
    first = next(iter(moved))
    moved[first] = {"unknown": 1e9, **moved[first]}
    with Store.open() as store:
        store.judgments.give_all(grades_for(gap, truth))
        store.bless(store.save([unjudged[0].renamed("search")]), "main")
    notes = []
    for result in (other, unjudged[1], unjudged[1].with_fields(run=moved)):
        with Store.open() as store:
            store.save([result.renamed("search")])
        rule = ("--rule", "precision@10 drops <= 0.5")
        notes.append(assay("gate", "latest", "--judgments", "people", "--pool", "gap.jsonl", *rule))
    assert [done.code for done in notes] == [3, 0, 0]
    both = "documents that tell search of the baseline and the checked search apart could"
    assert f"{both} not be drawn, so the gate cannot decide" in notes[0].err
    assert f"All {both} be drawn." in notes[1].out
    assert f"{both} not be drawn, because the rankings have changed since" in notes[2].out


def test_grades_for_another_text_do_not_count(judged, assay, truth):
    """Half of Ana's grades are for the present text, ten are for another one, and the others have no digest."""
    documents = library.load_dataset("rag-template").documents
    with Store.open() as store:
        given = store.judgments.find("rag-template", kind="people")
        texts = [documents[each.document].text for each in given[:100]]
        seen = [f"old {text}" if place < 10 else text for place, text in enumerate(texts)]
        new = zip(given, seen, strict=False)
        store.judgments.give_all([each._replace(text_digest=digest_of_text(text), judged="") for each, text in new])
    done = assay("compare", "latest", "--judgments", "people", "-f", "json")
    assert "note: 10 grades by people do not count, because the document has another text now" in done.err
    (content,) = json.loads(done.out)["comparisons"]
    assert content["judgments"][0]["n_grades"] == 190
    assert assay("compare", "latest", "--texts", "rag-template").code == 2


def test_texts_may_be_a_folder_and_must_have_documents(folder, assay):
    """The texts of the first days: queries in a file, and documents in a folder that someone edits."""
    (folder / "docs").mkdir()
    for n in range(6):
        (folder / "docs" / f"d {n}.md").write_text(f"cats {n}")
    (folder / "queries.csv").write_text("query_id,query\n" + "".join(f"q{n},cats {n}\n" for n in range(4)))
    source = ("--queries", "queries.csv", "--documents", "docs")
    assert assay("eval", *source, "--providers", "bm25", "tfidf_chars", "--metrics", "precision@2", "-q").code == 0
    assert assay("pool", "latest", "-m", "precision@2", "-o", "pool.jsonl").code == 0
    drawn = pool_in("pool.jsonl")
    with Store.open() as store:
        store.judgments.give_all(
            Judgment("queries", p.query, p.document, "Ana", 1, judged=WHEN, pool=drawn.id, text_digest=digest_of_text(text))
            for p in drawn.drawn
            for text in [(folder / "docs" / p.document).read_text()]
        )
    compare = ("compare", "latest", "--judgments", "people", "--texts")
    assert "do not count" not in assay(*compare, "docs").err
    edited = drawn.drawn[0].document
    (folder / "docs" / edited).write_text("dogs")
    assert "not count, because the document has another text now" in assay(*compare, "docs").err
    without = assay(*compare, "queries.csv")
    assert (without.code, without.err) == (
        2,
        "error: --texts queries.csv: it has no documents. Name the folder or the table of the documents\n",
    )


def test_few_judged_queries_are_told(judged, assay):
    with Store.open() as store:
        kept = {(pair.query, pair.document) for pair in judged.drawn[:30]}
        n_queries = len({query for query, _ in kept})
        given = store.judgments.find("rag-template", kind="people")
        store.judgments.give_all([], [each for each in given if (each.query, each.document) not in kept])
    out = " ".join(assay("compare", "latest", "--judgments", "people").out.split())
    assert f"Only {n_queries} queries are judged. With fewer than 30, the intervals are too short." in out


def test_grades_that_were_not_given_for_the_pool_are_no_sample(judged, assay, systems, unjudged):
    """The same pairs of the pool are no random part of it if they were graded elsewhere."""
    with Store.open() as store:
        given = store.judgments.find("rag-template", kind="people")
        first = {(pair.query, pair.document) for pair in judged.drawn[:100]}
        kept = [each._replace(pool="", judged="") for each in given if (each.query, each.document) in first]
        store.judgments.give_all(kept, [each for each in given if (each.query, each.document) not in first])
    done = assay("compare", "latest", "--judgments", "people", "--pool", "pool.jsonl")
    assert done.code == 3
    assert (
        f"100 of the 200 drawn pairs of the pool {judged.id} have a grade, but none was given through this pool" in done.err
    )
    with Store.open() as store:
        store.judgments.give_all([each._replace(pool=judged.id, judged="") for each in kept[:99]])
        store.save(systems)
    mixed = assay("compare", "latest", "--judgments", "people")
    assert "99 of the 100 grades by people were given for drawn pairs, and overrule the judgments" in mixed.err
    assert f"add --pool .assay/pools/{judged.id}.jsonl" in mixed.err
    assert assay("compare", "latest", "--judgments", "people", "--pool", "pool.jsonl").code == 0


def test_without_a_copy_of_the_pool_it_must_be_named(judged, assay):
    Path(f".assay/pools/{judged.id}.jsonl").unlink()
    done = assay("compare", "latest", "--judgments", "people")
    assert done.code == 3
    assert f"the pool {judged.id}, which is not in this folder. Add --pool" in done.err
    assert assay("compare", "latest", "--judgments", "people", "--pool", "pool.jsonl").code == 0


def test_grades_without_a_pool_overrule_the_judgments_of_a_benchmark(folder, assay, systems):
    from assay.evaluation import rejudge

    query = systems[0].query_ids[0]
    first = next(iter(systems[0].run[query]))
    with Store.open() as store:
        store.save(systems)
        store.judgments.give(Judgment("rag-template", query, first, "Ana", 0))
    (content,) = json.loads(assay("compare", "latest", "--judgments", "people", "-f", "json").out)["comparisons"]
    expected = [rejudge(result, {query: {first: 0.0}}).result for result in systems]
    assert content["summary"]["bm25"]["ndcg@10"] == pytest.approx(expected[0]["ndcg@10"])
    assert content["summary"]["bm25"]["ndcg@10"] < systems[0]["ndcg@10"]


def test_grades_without_a_pool_or_judgments_to_overrule_are_refused(folder, assay, unjudged):
    with Store.open() as store:
        store.save(unjudged)
        store.judgments.give(Judgment("rag-template", "q01", "p1", "Ana", 1))
    done = assay("compare", "latest", "--judgments", "people")
    assert done.code == 2
    assert "Estimates need the pool" in done.err
    assert "assay judgments export -o judged.json --dataset QUERIES" in done.err


@pytest.mark.usefixtures("judged")
def test_a_model_may_be_named_without_its_digest(assay):
    """`gpt #12ab34cd` may be called `gpt` if no other model has this name."""
    with Store.open() as store:
        own = [each for each in store.judgments.find("rag-template", kind="model") if each.judge == "first"]
        for name, count in (("gpt #1", len(own)), ("two #1", 1), ("two #2", 1)):
            store.judgments.give_all(each._replace(judge=name) for each in own[:count])
    compare = ("compare", "latest", "--judgments", "corrected", "--pool", "pool.jsonl", "--judge")
    whole, short, unclear = (assay(*compare, name) for name in ("gpt #1", "gpt", "two"))
    assert (whole.code, short.out) == (0, whole.out)
    assert (unclear.code, "no model judge is called 'two'" in unclear.err) == (2, True)


def test_a_gate_refuses_what_a_model_alone_says(folder, assay, systems):
    from assay.evaluation import rejudge

    query = systems[0].query_ids[0]
    by_model = rejudge(systems[0], {query: {"unseen": 1.0}}, layer="model").result
    with Store.open() as store:
        store.save([by_model])
    done = assay("gate", "latest", "--rule", "ndcg@10 >= 0.1")
    assert done.code == 2
    assert "grades of a model alone are not used" in done.err


def test_a_gate_does_not_pass_if_no_judged_document_tells_two_rankings_apart(judged, assay, unjudged):
    """The new system lacks one document, which was not drawn."""
    old, drawn = unjudged[0], {(pair.query, pair.document) for pair in judged.drawn}
    kept = {query: dict(documents) for query, documents in old.run.items()}
    query = next(query for query in kept if (query, list(kept[query])[9]) not in drawn)
    kept[query] = dict(list(kept[query].items())[:9])
    with Store.open() as store:
        store.bless(store.save([old]), "main")
        store.save([old.with_fields(run=kept)])
    done = assay("gate", "latest", "--judgments", "people", "--rule", "precision@10 drops <= 0.01")
    assert done.code == 3, done.out
    assert "too few judged documents tell bm25 from the baseline on precision@10" in done.err
    assert assay("gate", "latest", "--judgments", "people", "--rule", "precision@10 >= 0.01").code == 0


@pytest.mark.usefixtures("judged")
def test_the_order_of_documents_tells_rankings_apart_for_metrics_that_depend_on_it(judged, assay):
    """The new system swaps two documents that were not drawn."""
    old = library.run("rag-template", "bm25", metrics=["precision@10", "dcg@10"]).with_fields(relevant={}, nonrelevant={})
    drawn = {(pair.query, pair.document) for pair in judged.drawn}
    new = {query: dict(documents) for query, documents in old.run.items()}
    query = next(query for query in new if not {(query, document) for document in list(new[query])[8:10]} & drawn)
    new[query] = dict(zip([*list(new[query])[:8], *list(new[query])[9:7:-1]], new[query].values(), strict=False))
    with Store.open() as store:
        store.bless(store.save([old]), "main")
        store.save([old.with_fields(run=new)])
    codes = {
        metric: assay("gate", "latest", "--judgments", "people", "--rule", f"{metric} drops <= 0.01").code
        for metric in ("dcg@10", "precision@10")
    }
    assert codes == {"dcg@10": 3, "precision@10": 0}
