"""JSON, read strictly."""

import pytest

from assay.errors import DataError
from assay.files.json_text import parse_json, read_json, read_json_records
from assay.files.source import FileSource


def source(folder, name, text):
    path = folder / name
    path.write_text(text)
    return FileSource(path)


def test_json_keys_come_once(tmp_path):
    assert read_json(source(tmp_path, "f.json", '{"a": {"x": 1}, "b": {"x": 2}}')) == {"a": {"x": 1}, "b": {"x": 2}}
    with pytest.raises(DataError, match=r"f\.json.*'x'.*twice"):
        read_json(source(tmp_path, "f.json", '{"a": {"x": 1, "y": 2, "x": 3}}'))


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "9" * 5000, '{"a": 1, "a": 2}'])
def test_what_cannot_be_read_is_a_value_error(text):
    with pytest.raises(ValueError):
        parse_json(text)


def test_records_may_stand_under_a_key(tmp_path):
    inner = {"q1": {"d1": 1}}
    assert read_json_records(source(tmp_path, "f.json", '{"qrels": {"q1": {"d1": 1}}, "queries": {}}'), "qrels") == inner
    assert read_json_records(source(tmp_path, "f.json", '{"q1": {"d1": 1}}'), "qrels") == inner
    assert read_json_records(source(tmp_path, "f.json", '{"run": {"d1": 1}}'), "run") == {"run": {"d1": 1}}
    with pytest.raises(DataError, match="expected an object or a list"):
        read_json_records(source(tmp_path, "f.json", '"other.txt"'), "run")
