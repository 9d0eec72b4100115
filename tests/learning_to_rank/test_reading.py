"""Files of LETOR and SVMlight as benchmarks: what is read, splits and folds, and what is refused with file and line."""

import gzip

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

import assay
from assay import DataError, Qrels, UnknownName, UsageError, load_dataset

from ._data import SMALL, drawn_lines, write_drawn, write_small

NAN = float("nan")


def features_of(text, tmp_path, name="data.txt"):
    path = tmp_path / name
    path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
    return load_dataset(path).features


def test_labels_queries_documents_and_features_worked_out_by_hand(tmp_path):
    dataset = load_dataset(write_small(tmp_path))
    assert (dataset.name, dataset.format, list(dataset.queries)) == ("small", "letor", ["10", "7", "8"])
    assert dataset.qrels == {"10": {"a": 2, "b": 0, "c": 1}, "7": {"a": 0, "d": 1}, "8": {"e": 0}}
    assert [query.scope for query in dataset.queries.values()] == ["10", "7", "8"]
    assert list(dataset.documents) == ["a", "b", "c", "d", "e"]  # a belongs to two queries, with other features
    assert list(dataset.in_scope(dataset.queries["7"])) == ["a", "d"]
    table = dataset.features
    expected = [[0.5, 3], [0.7, NAN], [0.5, 1], [0, 1.5], [0, 2.5], [NAN, 9]]
    np.testing.assert_array_equal(table.values, np.array(expected, dtype=np.float32))
    assert (table.offsets.tolist(), list(table.numbers), table.longest) == ([0, 3, 5, 6], [1, 2], 3)


def test_a_compressed_file_and_windows_line_ends_read_the_same(tmp_path):
    plain = load_dataset(write_small(tmp_path))
    (tmp_path / "small.txt.gz").write_bytes(gzip.compress(SMALL.replace("\n", "\r\n").encode()))
    packed = load_dataset(tmp_path / "small.txt.gz")
    assert packed.qrels == plain.qrels
    assert packed.features.fingerprint == plain.features.fingerprint


def test_documents_without_an_id_are_numbered_in_their_query(tmp_path):
    table = features_of("1 qid:5 1:1\n0 qid:5 1:2\n1 qid:6 1:3\n", tmp_path)
    assert list(table.documents) == ["5:1", "5:2", "6:1"]
    assert list(features_of("1 qid:5 1:1 # 7555 Rambo\n0 qid:5 1:2 # 1370\n", tmp_path).documents) == ["7555", "1370"]


def test_comments_that_repeat_are_not_ids_and_this_is_noted(tmp_path):
    path = tmp_path / "data.txt"
    path.write_text("1 qid:5 1:1 # good\n0 qid:5 1:2 # good\n")
    dataset = load_dataset(path)
    assert list(dataset.features.documents) == ["5:1", "5:2"]
    assert [repair.what for repair in dataset.repairs] == [
        "comments are not ids of documents, because good appears twice for query 5 (line 2). Documents are numbered"
    ]


def test_features_from_0_gaps_and_absent_values(tmp_path):
    table = features_of("1 qid:1 0:3 4:1.5 \n0 qid:1 4:NULL \n0 qid:2 2:7\n", tmp_path)
    assert list(table.numbers) == [0, 1, 2, 3, 4]
    expected = [[3, NAN, NAN, NAN, 1.5], [NAN] * 5, [NAN, NAN, 7, NAN, NAN]]
    np.testing.assert_array_equal(table.values, np.array(expected, dtype=np.float32))


def test_a_value_beyond_single_precision_is_the_largest_number(tmp_path):
    table = features_of("1 qid:1 1:1.79769313486231E+308 2:-1e39\n", tmp_path)
    assert table.values.tolist() == [[np.finfo(np.float32).max, -np.finfo(np.float32).max]]


def test_blocks_of_any_size_and_widths_agree_with_scikit_learn(tmp_path):
    rng = np.random.default_rng(5)
    lines = []
    for query in range(60):
        for _ in range(int(rng.integers(1, 400))):
            numbers = np.flatnonzero(rng.random(30 if query < 40 else 90) < 0.5) + 1
            values = rng.choice([0.5, 1, 1e-7, 123456.789, 3.25e8], len(numbers)) * rng.random(len(numbers))
            pairs = " ".join(f"{number}:{value!r}" for number, value in zip(numbers.tolist(), values.tolist(), strict=True))
            lines.append(f"{rng.integers(0, 5)} qid:{query} {pairs}")
    path = tmp_path / "wide.txt"
    path.write_text("\n".join(lines) + "\n")
    table = load_dataset(path).features
    matrix, labels, queries = load_svmlight_file(str(path), query_id=True)
    assert np.array_equal(np.nan_to_num(table.values), matrix.toarray().astype(np.float32))
    assert np.array_equal(table.labels, labels)
    assert np.repeat(list(map(int, table.query_ids)), np.diff(table.offsets)).tolist() == queries.tolist()


def test_lines_of_different_lengths_with_colons_in_queries_and_comments(tmp_path):
    """Colons separate the numbers of features, so others must not shift them; lines without features have none."""
    lines = ["1 qid:a 2:5", "0 qid:a", "2 qid:a 1:1 3:2", "0 qid:b 3:4"]
    plain = features_of("\n".join(lines), tmp_path)
    expected = [[NAN, 5, NAN], [NAN, NAN, NAN], [1, NAN, 2], [NAN, NAN, 4]]
    np.testing.assert_array_equal(plain.values, np.array(expected, dtype=np.float32))
    for changed in (
        [line.replace("qid:a", "qid:a:a") for line in lines],
        [f"{line} # id:{number}" for number, line in enumerate(lines)],
        [line.replace("qid:b", "qid:b:") for line in lines],
        lines[1:2] + lines[:1] + lines[2:],
    ):
        values = features_of("\n".join(changed), tmp_path).values
        rows = [expected[1], expected[0], *expected[2:]] if changed[0].endswith("qid:a") else expected
        np.testing.assert_array_equal(values, np.array(rows, dtype=np.float32))
    with pytest.raises(DataError, match=r"expected a feature such as 12:0\.5, found '2'"):
        features_of("\n".join([lines[0].replace("qid:a", "qid:a:"), "1 qid:a:a 2", *lines[2:]]), tmp_path)
    for descending in ("1 qid:a 1:1 2:2\n1 qid:a 3:1 2:2 4:1\n", "1 qid:a 1:1\n1 qid:a 2:1 2:2\n"):
        with pytest.raises(DataError, match="feature 2 "):
            features_of(descending, tmp_path)


REFUSED = {
    "no qid": ("1 qid:1 1:1\n2 1:0.5 2:3\n", 2, "expected qid: and the id of the query after the label"),
    "nothing after the label": ("1 qid:1 1:1\n2\n", 2, "found nothing"),
    "an empty qid": ("1 qid:1 1:1\n2 qid: 1:1\n", 2, "the id of the query after qid: is empty"),
    "queries that are not together": ("1 qid:1 1:1\n0 qid:2 1:1\n1 qid:1 1:2\n", 3, "query 1 appears again after query 2"),
    "numbers that descend": ("1 qid:1 1:1\n1 qid:1 3:1 2:1\n", 2, "feature 2 comes after feature 3"),
    "a number that repeats": ("1 qid:1 1:1\n1 qid:1 2:1 2:1\n", 2, "feature 2 appears twice"),
    "a feature that is nan": (
        "1 qid:1 1:1\n1 qid:1 1:nan\n",
        2,
        "feature 1 must be a finite number, not 'nan'. If the document does not have the feature, leave '1:nan' out",
    ),
    "a feature that is infinite": ("1 qid:1 1:1\n1 qid:1 1:inf\n", 2, "must be a finite number, not 'inf'"),
    "a label that is not a number": (
        "1 qid:1 1:1\nhigh qid:1 1:1\n",
        2,
        "the label must be a number such as 0 or 2",
    ),
    "a feature without a number": ("1 qid:1 1:1\n1 qid:1 bm25:2\n", 2, "expected a feature such as 12:0.5, found 'bm25:2'"),
    "a feature without a value": ("1 qid:1 1:1\n1 qid:1 7\n", 2, "expected a feature such as 12:0.5, found '7'"),
    "a number that is too large": ("1 qid:1 1:1\n1 qid:1 16384:1\n", 2, "must be at most 16,383"),
    "a document that repeats": (
        "1 qid:1 1:1 #docid = a\n1 qid:1 1:2 #docid = a\n",
        2,
        "document a appears twice for query 1",
    ),
    "broken text": (b"1 qid:1 1:1\n1 qid:1 1:2 # \xff\n", 2, "not valid UTF-8"),
}


def test_faults_name_file_and_line(tmp_path):
    for case, (text, line, message) in REFUSED.items():
        with pytest.raises(DataError) as caught:
            features_of(text, tmp_path)
        (fault,) = caught.value.faults
        assert fault.line == line, case
        assert message in fault.what, (case, fault.what)
        assert "data.txt" in str(caught.value)


def test_a_file_without_queries_is_recognised_and_the_error_says_what_is_missing(tmp_path):
    for first in ("2 1:0.5 3:1e-3", "-1 1:0.5 # comment", "+1.5 0:1 7:2"):
        with pytest.raises(DataError, match="expected qid: and the id of the query after the label"):
            load_dataset(_written(tmp_path / "data.txt", f"{first}\n"))
    with pytest.raises(DataError, match="expected qid: and the id of the query after the label"):
        Qrels(_written(tmp_path / "data.txt", "2 1:0.5\n"))
    for first in ("2 1:0.5 word", "two 1:0.5", "2 10:30 at noon"):
        with pytest.raises(DataError, match="format was not recognised"):
            load_dataset(_written(tmp_path / "data.txt", f"{first}\n"))


def test_all_faults_are_reported_together_and_bad_lines_can_be_left_out(tmp_path):
    path = tmp_path / "data.txt"
    path.write_text("1 qid:1 1:1\nx qid:1 1:1\n1 qid:1 1:x\n" + "0 qid:1 1:2\n" * 400)
    with pytest.raises(DataError) as caught:
        load_dataset(path)
    assert [fault.line for fault in caught.value.faults] == [2, 3]
    assert len(load_dataset(path, lenient=True).features) == 401


def test_a_file_without_documents_and_a_table_with_huge_gaps_are_errors(tmp_path):
    with pytest.raises(DataError, match="contains no documents"):
        load_dataset(_written(tmp_path / "e.txt", "# nothing\n"), "letor")
    with pytest.raises(DataError, match="nearly all features are absent"):
        load_dataset(_written(tmp_path / "gap.txt", "1 qid:1 16383:1\n" + "0 qid:1 1:1\n" * 4100))


def _written(path, text):
    path.write_text(text)
    return path


def _folds(folder):
    for fold in (1, 2):
        (folder / f"Fold{fold}").mkdir()
        for number, split in enumerate(("train", "vali", "test")):
            write_drawn(folder / f"Fold{fold}" / f"{split}.txt", fold * 10 + number, 4, fold * 100 + number * 10)
    return folder


def test_splits_of_a_folder_and_folds(tmp_path):
    root = _folds(tmp_path)
    every = load_dataset(root)
    assert list(every.queries) == [*map(str, range(120, 124)), *map(str, range(220, 224))]
    assert {query.tags["fold"] for query in every.queries.values()} == {"Fold1", "Fold2"}
    for name, queries in {
        "Fold1": range(120, 124),
        "Fold1:test": range(120, 124),
        "Fold2:vali": range(210, 214),
        "Fold2:train": range(200, 204),
    }.items():
        assert list(load_dataset(f"{root}/{name}").queries) == list(map(str, queries)), name
    assert list(load_dataset(f"{root}:Fold2/train").queries) == list(map(str, range(200, 204)))
    assert list(load_dataset(f"{root}:Fold1").queries) == list(map(str, range(120, 124)))
    assert load_dataset(f"{root}/Fold2:vali").name == "Fold2-vali"


def test_a_wrong_fold_or_split_is_an_error_with_the_known_ones(tmp_path):
    root = _folds(tmp_path)
    with pytest.raises(UnknownName, match="Fold1, Fold2"):
        load_dataset(f"{root}:Fold3")
    with pytest.raises(UnknownName, match="test, vali, train"):
        load_dataset(f"{root}/Fold1:tset")
    with pytest.raises(UsageError, match=r"Groups of queries are written as train\.txt:2-of-5"):
        load_dataset(f"{root}/Fold1/train.txt:vali")
    (root / "Fold1" / "vali.txt").unlink()
    with pytest.raises(DataError, match=r"expected a file vali\.txt, found test\.txt"):
        load_dataset(f"{root}/Fold1:vali")


def test_groups_of_queries_divide_a_file_in_the_same_way_whatever_its_order(tmp_path):
    path = write_drawn(tmp_path / "data.txt", 1, 23)
    groups = [list(load_dataset(f"{path}:{number}-of-5").queries) for number in range(1, 6)]
    assert sorted(query for group in groups for query in group) == sorted(load_dataset(path).queries)
    assert sorted(map(len, groups)) == [4, 4, 5, 5, 5]
    rest = load_dataset(f"{path}:not-2-of-5")
    assert set(rest.queries) == set(load_dataset(path).queries) - set(groups[1])
    assert rest.features.query_ids == tuple(rest.queries)
    tagged = load_dataset(f"{path}:5-folds")
    assert [query for query, one in tagged.queries.items() if one.tags["fold"] == "2"] == groups[1]
    lines = list(drawn_lines(1, 23))
    path.write_text("".join(f"{line}\n" for line in sorted(lines, key=lambda line: -int(line.split()[1][4:]))))
    assert set(load_dataset(f"{path}:2-of-5").queries) == set(groups[1])
    with pytest.raises(UsageError, match="2 to 23 groups"):
        load_dataset(f"{path}:24-folds")


def test_a_file_as_judgments_and_a_file_in_the_wrong_place(tmp_path):
    path = write_small(tmp_path)
    assert Qrels(path).to_dict() == load_dataset(path).qrels
    with pytest.raises(DataError, match=r"expected a run, found documents with labels and features \(LETOR\)"):
        assay.Run(path)


def test_fingerprints_tell_features_apart(tmp_path):
    one, two = (features_of(SMALL.replace("0.7", value), tmp_path) for value in ("0.7", "0.8"))
    assert one.fingerprint != two.fingerprint
    dataset = load_dataset(write_small(tmp_path))
    assert dataset.fingerprint("documents") == one.fingerprint
