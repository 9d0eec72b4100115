"""Words of documents: shown from benchmarks that are at hand and the very ones; no path of a result is ever opened."""

import re
from pathlib import Path

import pytest

import assay
from assay.store import Store
from assay.web import texts_of

from ._clients import client_of, main_of, rows_of
from ._stores import saved


def dataset_of(name="mine", word="apple"):
    found = assay.BenchmarkDataset(name, "1")
    for number in range(3):
        found.add_query(assay.Query(f"q{number}", f"{word} {number}"))
        found.add_document(assay.Document(f"d{number}", f"{word} {number} " + "x" * 700 * (number == 2)))
        found.add_judgment(assay.RelevanceJudgment(f"q{number}", f"d{number}", number % 2))
    return found


@pytest.fixture(scope="module")
def result():
    return assay.run(dataset_of(), "bm25", metrics=["ndcg@10", "judged@10"])


@pytest.fixture
def page_of(tmp_path):
    """The page of a query of a result, with these datasets at hand."""

    def look(result, query, *datasets):
        with Store.open(tmp_path / "words.db") as store:
            name = store.save([result])
        return client_of(tmp_path / "words.db", datasets=datasets).get(f"/result/{name}/0/query?id={query}").text

    return look


def words_in(html):
    """Document → the words that its row of the ranking shows."""
    without_forms = re.sub(r'<details class="grade-here".*?</details>', "", html, flags=re.DOTALL)
    rows = [row[1].split(" ", 1) for row in rows_of(without_forms, "Ranking")]
    return {document: words[0] if words else "" for document, *words in rows}


def test_the_words_of_a_benchmark_that_was_given(result, page_of):
    pear, mine = dataset_of(word="pear"), dataset_of()
    for query, datasets, words in (
        ("2", [mine], f"apple 2 {'x' * 391}…"),
        ("0", [pear], ""),
        ("1", [pear, mine], "apple 1"),
    ):
        assert words_in(page_of(result, f"q{query}", *datasets))[f"d{query}"] == words, (query, datasets)


def test_a_name_that_is_a_path_is_not_opened(result, tmp_path, monkeypatch, page_of):
    """Whatever a stored result calls its data: files are read that were given at the start, and no others."""
    dataset_of().save_json(tmp_path / "mine.json")
    path = str(tmp_path / "mine.json")
    about = {**result.provenance["dataset"], "name": path, "path": path}
    sly = result.with_fields(benchmark=path, provenance={**result.provenance, "dataset": about})
    opened = []
    real = Path.open
    monkeypatch.setattr(Path, "open", lambda self, *rest, **more: opened.append(self) or real(self, *rest, **more))
    assert texts_of(sly, ["d0"]) == {}
    assert words_in(page_of(sly, "q0"))["d0"] == ""
    assert tmp_path / "mine.json" not in opened


def test_a_bundled_benchmark_of_the_same_name_and_other_words():
    """Words are shown by fingerprint: a benchmark of somebody's own may be called rag-template too."""
    known = next(iter(assay.load_dataset("rag-template").documents))
    assert texts_of(assay.run(dataset_of("rag-template"), "bm25", metrics=["ndcg@10"]), [known]) == {}
    assert texts_of(assay.run("rag-template", "bm25", metrics=["ndcg@10"]), [known])[known]


def test_a_file_that_changes_while_it_is_served_shows_nothing_wrong(tmp_path):
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    rows = "".join(f'{{"_id": "d{n}", "title": "", "text": "words of {n}"}}\n' for n in range(3))
    (folder / "corpus.jsonl").write_text(rows)
    (folder / "queries.jsonl").write_text('{"_id": "q0", "text": "words"}\n')
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq0\td0\t1\n")
    held = assay.load_dataset(folder)
    result = assay.run(held, "bm25", metrics=["ndcg@10"])
    client = client_of(saved(tmp_path / "s.db", [result]), datasets=[held])
    address = f"{client.get('/result/latest').headers['location']}/query?id=q0"
    assert "words of 1" in client.get(address).text
    for place, content in enumerate(("", "no json\n" * 3, rows.replace("d1", "d7"))):
        (folder / "corpus.jsonl").write_text(content)
        assert "words of 1" not in client.get(f"{address}&top={place + 3}").text


def test_what_was_given_is_shown_and_its_judgments_are_known(tmp_path, result, page_of):
    """What the benchmark judged not relevant is not offered for judging; results of before did not keep that."""
    path = saved(tmp_path / "s.db", [result])
    client = client_of(path, datasets=[dataset_of()])
    assert "Given to assay serve" in main_of(client.get("/datasets").text)
    about = main_of(client.get("/datasets?name=mine").text)
    assert ("3 (3 judged)" in about, "does not have the files" in about) == (True, False)
    assert "does not have the files" in main_of(client_of(path).get("/datasets?name=mine").text)
    old = result.with_fields(nonrelevant={})
    for datasets, is_offered in (([dataset_of()], False), ([], True)):
        panel = page_of(old, "q0", *datasets).split('id="judging"')[1]
        assert ('name="document-0" value="d0"' in panel) is is_offered
