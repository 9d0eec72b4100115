"""Decoding: JSON into records, with faults that say where."""

import gzip
from dataclasses import dataclass, field

import pytest

from assay import DataError
from assay.files.json_text import convert, decode_file, decoded_lines

from ._benchmarks import faults
from ._cases import BOM, write


@dataclass
class Content:
    name: str
    sizes: list[int] = field(default_factory=list)


def parsed(line):
    import msgspec

    return msgspec.json.decode(line)


@pytest.mark.parametrize("pack", [bytes, BOM.__add__, gzip.compress], ids=["plain", "with a mark in front", "gzip"])
def test_a_file_becomes_a_record(tmp_path, pack):
    path = write(tmp_path / "a.json", pack(b'{"name": "x",\n "sizes": [1, 2], "unknown": 5}'))
    assert decode_file(path, Content) == Content("x", [1, 2])


FAULTS = {
    "malformed": (b'{"name":\n\n oops}', ":3: JSON is malformed: invalid character (byte 11)"),
    "truncated": (b'{"name": "x",\n"sizes": [1,\n', ":2: input data was truncated"),
    "truncated inside a line": (b'{"name": "x",\n"sizes": [1', ":2: input data was truncated"),
    "empty": (b"", ": input data was truncated"),
    "wrong type": (b'{"name": 5}', ": expected `str`, got `int` - at `$.name`"),
    "wrong item": (b'{"name": "x", "sizes": [1, "2"]}', ": expected `int`, got `str` - at `$.sizes[1]`"),
    "missing": (b"{}", ": object missing required field `name`"),
    "a list": (b"[]", ": expected `object`, got `array`"),
    "not UTF-8": (b'{"name":\n"\xff"}', ":2: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
    "two values": (b'{"name": "x"}\n{"name": "y"}', ":2: JSON is malformed: trailing characters (byte 15)"),
}


@pytest.mark.parametrize(("content", "said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_says_where(tmp_path, content, said):
    path = write(tmp_path / "a.json", content)
    assert faults(lambda path: decode_file(path, Content), path) == [f"a.json{said}"]


def test_what_is_nested_too_deeply_is_a_fault(tmp_path):
    path = write(tmp_path / "a.json", b'{"name": "x", "deep": ' + b"[" * 100_000)
    with pytest.raises(DataError, match=r"a\.json.*recursion depth"):
        decode_file(path, Content)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"none\.json: no such file"):
        decode_file(tmp_path / "none.json", Content)
    with pytest.raises(DataError, match="is a folder, not a file"):
        decode_file(tmp_path, Content)


def test_lines_come_with_their_numbers_blank_ones_are_passed_over(tmp_path):
    path = write(tmp_path / "a.jsonl", BOM + b'{"a": 1}\n\n  \n[2]\r\n3')
    assert list(decoded_lines(path, parsed)) == [(1, {"a": 1}), (4, [2]), (5, 3)]


def test_lines_that_cannot_be_read_are_told_together_after_the_others(tmp_path):
    path = write(tmp_path / "a.jsonl", b'1\n{"a": \n2\nx\n3\n' + b"[" * 100_000)
    seen = []
    with pytest.raises(DataError) as error:
        seen.extend(decoded_lines(path, parsed))
    assert seen == [(1, 1), (3, 2), (5, 3)]
    assert [fault.replace(f"{path}", "")[:18] for fault in error.value.faults] == [
        ":2: input data was",
        ":4: JSON is malfor",
        ":6: maximum recurs",
    ]


def test_after_twenty_faults_reading_stops(tmp_path):
    path = write(tmp_path / "a.jsonl", b"x\n" * 30)
    assert len(faults(lambda path: list(decoded_lines(path, parsed)), path)) == 20


def test_a_value_becomes_a_record():
    assert convert({"name": "x", "sizes": ["1"]}, Content, "here") == Content("x", [1])
    with pytest.raises(DataError) as error:
        convert({"sizes": []}, Content, "here")
    assert str(error.value) == "here: object missing required field `name`"
