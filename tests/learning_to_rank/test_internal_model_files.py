"""What reads model files: the binary form of JSON, and the walk through the nodes of a tree."""

import json
import struct

import numpy as np
import pytest
import xgboost

from assay import DataError
from assay.providers.models.binary_json import read_binary_json
from assay.providers.models.trees import reached_splits

from ._damage import binary_json


def test_a_binary_model_has_the_values_of_its_json():
    values = np.random.default_rng(1).normal(size=(60, 3))
    booster = xgboost.train({"max_depth": 2, "nthread": 1}, xgboost.DMatrix(values, values[:, 0]), 3)
    binary, text = bytes(booster.save_raw("ubj")), booster.save_raw("json")
    assert _rounded(read_binary_json(binary)) == _rounded(json.loads(text))


def _rounded(value):
    """Values in single precision, which is what the binary form has."""
    if isinstance(value, dict):
        return {name: _rounded(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return np.float32(value) if isinstance(value, float) else value


def test_values_of_binary_json():
    value = {"a": [1, -2, {"b": "text"}], "c": {}, "d": []}
    assert read_binary_json(binary_json(value)) == value
    assert read_binary_json(b"[#U\x03TFZ") == [True, False, None]
    assert read_binary_json(b"[$d#i\x01" + struct.pack(">f", 0.5)) == [0.5]
    faults = {
        b"{L" + bytes(8) + b"T" + b"L" + bytes(8) + b"F}": "two values are called ''",
        b"TT": "goes on after its end",
        b"?": "unknown marker",
        b"[$S#i\x01": "unknown kind of array",
        b"[#Sx": "expected a length",
        b"[$l#L" + b"\x7f" * 8: "ends too early",
        b"SL" + b"\xff" * 8: "ends too early",
        b"[" * 99: "inside each other",
        b"": "ends too early",
    }
    for content, words in faults.items():
        with pytest.raises(DataError, match=words):
            read_binary_json(content)


def test_the_nodes_of_a_tree_by_hand():
    def walk(left, right):
        return reached_splits(left, right, lambda node: left[node] == -1)

    assert walk([-1], [-1]) == ([], 1)
    assert walk([1, -1, 3, -1, -1], [2, -1, 4, -1, -1]) == ([0, 2], 5)
    assert walk([1, -1, -1, 2], [2, -1, -1, 2]) == ([0], 3)  # node 3 is not reached
    for left, right, words in (
        ([1, 0], [1, 1], "node 1 is reached twice"),
        ([1, -1, -1], [3, -1, -1], "node 0 has the child 3"),
        ([1, -1, -1], [-1, -1, -1], "node 0 has the child -1"),
        ([1, 2, -1], [2, 0, -1], "node"),
    ):
        with pytest.raises(DataError, match=words):
            walk(left, right)
