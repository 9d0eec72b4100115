"""Tables in several files: put together in order, and refused where one is missing."""

import pytest

from assay.errors import DataError
from assay.files.record_files import shards_in, table_in


def files(folder, *names):
    for name in names:
        (folder / name).touch()
    return folder


def test_files_come_in_order_under_what_stands_before_their_numbers(tmp_path):
    names = ["test-00001-of-00002.parquet", "test-00000-of-00002.parquet", "dev-split-00000-of-00001.parquet"]
    found = shards_in(files(tmp_path, *names, "notes.parquet", "test-0-of-1.parquet", "test-00000-of-00002.csv"))
    assert {stem: [file.name for file in some] for stem, some in found.items()} == {
        "dev-split": [names[2]],
        "test": [names[1], names[0]],
    }


def test_a_folder_that_is_not_there_has_none(tmp_path):
    assert shards_in(tmp_path / "none") == {}
    assert table_in(tmp_path) == []


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["a-00001-of-00003.parquet"], "a-00000-of-00003.parquet a-00002-of-00003.parquet is missing; download all of a"),
        (["a-00000-of-00001.parquet", "a-00000-of-00002.parquet"], "a is there in 1 files and in 2; keep one of both"),
        (["a-00000-of-00001.parquet", "b-00000-of-00001.parquet"], "several tables, a, b; keep one"),
    ],
)
def test_half_a_table_is_none(tmp_path, names, says):
    with pytest.raises(DataError) as error:
        table_in(files(tmp_path, *names))
    assert says in str(error.value)
