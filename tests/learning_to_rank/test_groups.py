"""Files with the number of documents of each query next to lines without `qid:`, as LightGBM and XGBoost have them."""

import gzip
import re

import lightgbm
import numpy as np
import pytest

import assay
from assay import DataError, Qrels, load_dataset
from assay.cli import main

from ._data import drawn_lines, write_drawn

LINES = "2 1:0.5 2:3\n0 1:0.7 #docid = b\n1 1:0.5 2:1\n0 2:1.5\n1 2:2.5\n0 2:9\n"
QRELS = {"1": {"1:1": 2, "b": 0, "1:3": 1}, "2": {"2:1": 0, "2:2": 1}, "3": {"3:1": 0}}


def write_groups(folder, text="3\n2\n1\n", ending=".query", lines=LINES, name="train.txt"):
    path = folder / name
    path.write_bytes(lines.encode()) if isinstance(lines, str) else path.write_bytes(lines)
    (folder / f"{name}{ending}").write_bytes(text.encode())
    return path


def error_of(path):
    with pytest.raises(DataError) as caught:
        load_dataset(path)
    return str(caught.value).replace(f"{path.parent}/", "")


@pytest.mark.parametrize("ending", [".query", ".group"])
def test_lines_without_qid_belong_to_the_queries_of_the_file_next_to_them(tmp_path, ending):
    path = write_groups(tmp_path, ending=ending)
    dataset = load_dataset(path)
    assert dataset.qrels == QRELS
    assert [dataset.queries[query].scope for query in dataset.queries] == ["1", "2", "3"]
    assert Qrels(path).to_dict() == QRELS
    assert assay.evaluate(path, [6, 5, 4, 1, 2, 3], "ndcg@1").scores("ndcg@1") == {"1": 1.0, "2": 1.0, "3": 0.0}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("\ufeff3\r\n\r\n2\r\n1", LINES.replace("\n", "\r\n")),
        (" 3 \n2\n1\n\n", "# made by us\n\n" + LINES.replace("\n0", "\n\n# a comment\n\t0") + "\n#"),
        ("3\n2\n1\n", "\ufeff" + LINES.rstrip()),
        ("3\n2\n1\n", LINES.replace("\n", "\r")),
    ],
)
def test_line_ends_empty_lines_and_comments_do_not_count(tmp_path, text, lines):
    assert load_dataset(write_groups(tmp_path, text, lines=lines)).qrels == QRELS


def test_compressed_files_have_such_a_file_under_either_name(tmp_path):
    packed = gzip.compress(LINES.encode())
    for name, group_name in {"a.txt.gz": "a.txt.query", "b.txt.gz": "b.txt.gz.query"}.items():
        (tmp_path / name).write_bytes(packed)
        (tmp_path / group_name).write_text("3\n2\n1\n")
        assert load_dataset(tmp_path / name).qrels == QRELS
    (tmp_path / "c.txt").write_text(LINES)
    (tmp_path / "c.txt.group.gz").write_bytes(gzip.compress(b"3\n2\n1\n"))
    assert load_dataset(tmp_path / "c.txt").qrels == QRELS


REFUSED = {
    "a word": (
        "3\nx\n1.5\n-1\n0\n",
        "train.txt.query: 4 faults\n  train.txt.query:2: expected the number of documents of a query",
    ),
    "nothing": ("\n", "train.txt.query: the file is empty"),
    "too few queries": (
        "3\n2\n",
        "train.txt:6: the document belongs to no query: train.txt.query has 2 queries with 5 documents",
    ),
    "too few documents": ("3\n2\n9\n", "train.txt.query:3: the query has 9 documents, but train.txt has only 1 more"),
    "too many queries": ("3\n2\n1\n4\n", "train.txt.query:4: the query has 4 documents, but train.txt has no more"),
}


def test_sizes_that_do_not_fit_are_faults_with_file_and_line(tmp_path):
    for case, (text, message) in REFUSED.items():
        assert error_of(write_groups(tmp_path, text)).startswith(message), case


def test_a_bad_line_of_the_data_keeps_its_place(tmp_path):
    path = write_groups(tmp_path, lines=LINES.replace("1 1:0.5 2:1", "1 1:nan"))
    assert error_of(path).startswith("train.txt: 1 fault\n  train.txt:3: the value of feature 1 must be a finite number")
    many = "".join(f"{line}\n" for line in LINES.splitlines() * 100).replace("1 1:0.5 2:1\n", "1 1:nan\n", 1)
    path = write_groups(tmp_path, "3\n2\n1\n" * 100, lines=many)
    dataset = load_dataset(path, lenient=True)
    assert [len(judged) for judged in dataset.qrels.values()][:4] == [2, 2, 1, 3]


def test_without_such_a_file_the_error_says_what_it_must_contain(tmp_path):
    path = tmp_path / "train.txt.gz"
    path.write_bytes(gzip.compress(LINES.encode()))
    with pytest.raises(DataError, match=re.escape("write the number of documents of each query into train.txt.gz.query")):
        load_dataset(path)


def test_a_file_with_qid_and_such_a_file_must_agree(tmp_path):
    lines = "1 qid:b 1:1\n0 qid:b 1:2\n1 qid:a 1:3\n"
    assert load_dataset(write_groups(tmp_path, "2\n1\n", lines=lines)).qrels.keys() == {"b", "a"}
    path = write_groups(tmp_path, "1\n\n2\n", lines=lines)
    assert error_of(path) == "train.txt.query:1: the query has 1 document, but qid:b of train.txt has 2"
    path = write_groups(tmp_path, "2\n", lines=lines)
    assert error_of(path) == "train.txt.query: expected 2 numbers, one for each qid: of train.txt, found 1"


def test_two_such_files_must_agree(tmp_path):
    path = write_groups(tmp_path)
    (tmp_path / "train.txt.group").write_text("3\n2\n1")
    assert load_dataset(path).qrels == QRELS
    (tmp_path / "train.txt.group").write_text("2\n3\n1")
    assert error_of(path).startswith("train.txt.group: has other numbers of documents than train.txt.query.")


def test_splits_and_folds_number_their_queries_and_all_files_are_part_of_the_benchmark(tmp_path):
    for fold in ("Fold1", "Fold2"):
        (tmp_path / fold).mkdir()
        for split in ("train", "vali", "test"):
            write_groups(tmp_path / fold, name=f"{split}.txt")
    dataset = load_dataset(tmp_path)
    assert {query: one.tags["fold"] for query, one in dataset.queries.items()} == {
        **dict.fromkeys("123", "Fold1"),
        **dict.fromkeys("456", "Fold2"),
    }
    assert not dataset.repairs
    assert load_dataset(f"{tmp_path}:Fold2/vali").qrels == QRELS


def test_many_blocks_agree_with_the_same_file_with_qid(tmp_path):
    named = write_drawn(tmp_path / "named.txt", 3, 2500)
    lines = list(drawn_lines(3, 2500))
    sizes = np.unique([int(line.split()[1][4:]) for line in lines], return_counts=True)[1]
    bare = "".join(f"{re.sub(' qid:[0-9]+', '', line)}\n" for line in lines)
    assert len(bare) > 1 << 20
    path = write_groups(tmp_path, "".join(f"{size}\n" for size in sizes), lines=bare)
    assert load_dataset(path).features.fingerprint == load_dataset(named).features.fingerprint


def test_lightgbm_reads_the_same_file_and_its_ndcg_is_that_of_the_profile(tmp_path):
    path = write_drawn(tmp_path / "named.txt", 8, 40)
    lines = path.read_text().splitlines()
    sizes = np.unique([int(line.split()[1][4:]) for line in lines], return_counts=True)[1]
    bare = "".join(f"{re.sub(' qid:[0-9]+', '', line)}\n" for line in lines)
    path = write_groups(tmp_path, "".join(f"{size}\n" for size in sizes), lines=bare)
    params = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [5], "verbose": -1, "num_threads": 1, "seed": 1}
    history = {}
    train = lightgbm.Dataset(str(path), params=params)
    record = lightgbm.record_evaluation(history)
    model = lightgbm.train(params, train, 5, valid_sets=[train], valid_names=["train"], callbacks=[record])
    model.save_model(tmp_path / "model.txt")
    result = assay.run(path, f"lightgbm(model={tmp_path / 'model.txt'})", "ndcg@5", profile="lightgbm")
    assert next(iter(result.summary.values())) == pytest.approx(history["train"]["ndcg@5"][-1], abs=1e-6)


def test_the_command_names_the_file_that_is_wrong(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_groups(tmp_path, "3\nx\n")
    (tmp_path / "scores.txt").write_text("1\n" * 6)
    for arguments in (["train.txt", "scores.txt"], ["--dataset", "train.txt", "scores.txt"]):
        assert main(["score", *arguments]) == 3
        assert capsys.readouterr().err.startswith("error: train.txt.query: 1 fault\n  train.txt.query:2: expected")
    (tmp_path / "train.txt.query").unlink()
    assert main(["score", "train.txt", "scores.txt"]) == 3
    assert "expected qid: and the id of the query" in capsys.readouterr().err
