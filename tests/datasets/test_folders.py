"""Folders that are written: whole or not at all, and not among other benchmarks."""

from functools import partial

import pytest

from assay import DataError, Document, Query, UsageError
from assay.datasets import BenchmarkDataset
from assay.datasets.format import find_format, load_dataset
from assay.files.record_files import new_folder

from ._benchmarks import assert_same
from ._cases import write

FOLDERS = ["beir", "jsonl", "parquet", "trec"]


def made():
    dataset = BenchmarkDataset("Mine", queries={"q": Query("q", "x")}, documents={"d": Document("d", "y")})
    dataset.qrels["q"] = {"d": 1}
    return dataset


def content_of(path):
    return {str(one.relative_to(path)): one.read_bytes() for one in path.rglob("*") if one.is_file()}


@pytest.mark.parametrize("old", FOLDERS)
@pytest.mark.parametrize("new", FOLDERS)
def test_a_benchmark_is_written_over_itself_but_over_no_other(tmp_path, old, new):
    find_format(old).save(made(), tmp_path)
    before = content_of(tmp_path)
    if old == new:
        find_format(new).save(made(), tmp_path)
        assert_same(load_dataset(tmp_path), made())
        assert content_of(tmp_path).keys() == before.keys()
        return
    with pytest.raises(DataError, match=r"there are already .*; write to another folder"):
        find_format(new).save(made(), tmp_path)
    assert content_of(tmp_path) == before


def test_a_folder_in_place_of_a_file_is_an_error(tmp_path):
    (tmp_path / "queries.jsonl").mkdir()
    with pytest.raises(DataError, match="cannot be written: Is a directory"):
        find_format("jsonl").save(made(), tmp_path)
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


@pytest.mark.parametrize("old", ["qrels", "qrels/dev.tsv", "qrels/test.tsv.gz", "qrels.tsv", "corpus.parquet", "topics.txt"])
def test_old_parts_of_another_benchmark_are_in_the_way(tmp_path, old):
    (tmp_path / old).parent.mkdir(exist_ok=True)
    write(tmp_path / old, "x")
    with pytest.raises(DataError, match=f"there are already {old}; write to another folder"):
        find_format("beir").save(made(), tmp_path)


@pytest.mark.parametrize("name", FOLDERS)
def test_other_files_are_not(tmp_path, name):
    write(tmp_path / "README.md", "x")
    write(tmp_path / ".corpus.swp", "x")
    find_format(name).save(made(), tmp_path)
    assert content_of(tmp_path)["README.md"] == b"x"


@pytest.mark.parametrize("name", FOLDERS)
def test_a_benchmark_called_dataset_json_is_not_overwritten(tmp_path, name):
    made().save_json(tmp_path / "dataset.json")
    with pytest.raises(DataError, match=r"already dataset\.json"):
        find_format(name).save(made(), tmp_path)


@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize("name", FOLDERS)
def test_a_failure_leaves_everything_as_it_was(tmp_path, name, is_there):
    path = tmp_path / "out"
    if is_there:
        find_format(name).save(made(), path)
    before = content_of(tmp_path)
    bad = made()
    bad.documents["d"] = Document("d", "new", metadata={"a": "\ud800"})
    with pytest.raises(DataError, match=r"cannot be written: .*half of a surrogate pair"):
        find_format(name).save(bad, path)
    assert content_of(tmp_path) == before
    assert path.exists() is is_there


@pytest.mark.parametrize("name", ["out.json", "out.jsonl.gz", "out.tsv", "out.parquet"])
@pytest.mark.parametrize("kind", FOLDERS)
def test_a_name_of_a_file_is_refused(tmp_path, name, kind):
    with pytest.raises(UsageError, match=f"{kind} is a folder of files; give a folder, such as out"):
        find_format(kind).save(made(), tmp_path / name)


def test_old_files_without_a_successor_go(tmp_path):
    fill = partial(new_folder, tmp_path, "mine", ["a", "qrels/b"])
    for names in (["a", "qrels/b"], ["a"]):
        with fill() as folder:
            (folder / "qrels").mkdir()
            for name in names:
                write(folder / name, name)
        assert sorted(content_of(tmp_path)) == names


@pytest.mark.parametrize("name", ["json", "rag_template"])
def test_text_that_is_no_text_is_shown(tmp_path, name):
    with pytest.raises(DataError) as error:
        find_format(name).save(BenchmarkDataset(queries={"q": Query("q", "x\udc80y")}), tmp_path / "out.json")
    assert "out.json: cannot be written: 'x\\udc80y' has half of a surrogate pair" in str(error.value)
    assert not list(tmp_path.iterdir())
