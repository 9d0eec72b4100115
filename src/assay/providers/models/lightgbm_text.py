"""Text models of LightGBM: checked as a whole, because LightGBM believes the numbers of children and features in a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import TypeVar

from assay.errors import DataError
from assay.providers.models.trees import check_range, reached_splits
from assay.text import counted, shortened

T = TypeVar("T", int, float)

SIZES = re.compile(r"^tree_sizes=(.*)\n", re.MULTILINE)
"""The line with the length of each tree in bytes."""
TREE = re.compile(r"^Tree=\d+$", re.MULTILINE)
END = "\nend of trees\n"
CLASSES = re.compile(r"\bnum_class:(\d+)")
"""The number of classes in the objective, such as `multiclass num_class:3`."""
IS_CATEGORICAL = 1
"""The bit of a decision type that says that a split is by categories."""
BY_SPLIT = ("split_gain", "internal_value", "internal_weight", "internal_count")
"""Fields with a number for each split that no score depends on; old versions do not write all of them."""
BY_LEAF = ("leaf_weight", "leaf_count")

Fields = Mapping[str, str]


def text_without_sizes(content: bytes) -> str:
    """The text of a model without the lengths of its trees.

    LightGBM reads the trees in parallel if it has their lengths, and ends the process if a length is wrong, which is so
    in every file with the line ends of Windows. Without lengths, it reads the trees one by one and raises an error.
    """
    return SIZES.sub("", content.decode().replace("\r\n", "\n"))


def check_text(content: bytes) -> None:
    """Raise a DataError if a tree or a number is missing, or a child, a feature or a category does not exist."""
    model, end, _ = content.decode().replace("\r\n", "\n").partition(END)
    sizes = SIZES.search(model)
    head, *trees = TREE.split(SIZES.sub("", model))
    if not end:
        raise DataError(f"the end of the file is missing (after {counted(len(trees), 'tree')})")
    if sizes and len(sizes[1].split()) != len(trees):
        raise DataError(f"expected {counted(len(sizes[1].split()), 'tree')}, found {len(trees)}")
    n_features = _n_features(_fields(line for line in head.split("\n") if "=" in line), len(trees))
    for number, tree in enumerate(trees):
        try:
            _check_tree(_fields(tree.strip("\n").split("\n")), n_features)
        except DataError as error:
            raise DataError(f"tree {number}: {error.what}") from None


def _n_features(head: Fields, n_trees: int) -> int:
    """The number of features; an error if the head of the file does not fit the trees."""
    n_features = _count(head, "max_feature_idx") + 1
    n_classes = _count(head, "num_class")
    per_round = _count(head, "num_tree_per_iteration")
    if not head.get("objective", "none").strip():
        raise DataError("objective has no name")
    named = CLASSES.search(head.get("objective", ""))
    if per_round != n_classes or (named and int(named[1]) != n_classes):
        raise DataError(f"num_class is {n_classes}, which the number of trees in a round and the objective must fit")
    if not per_round or n_trees % per_round:
        raise DataError(f"{counted(n_trees, 'tree')} cannot be divided into rounds of {per_round}")
    return n_features


def _check_tree(tree: Fields, n_features: int) -> None:
    """Raise unless all numbers that a score depends on are there, and each child and feature exists."""
    n_leaves, n_categorical = _count(tree, "num_leaves"), _count(tree, "num_cat")
    if not n_leaves:
        raise DataError("num_leaves is 0")
    n_splits = n_leaves - 1
    _numbers(tree, "leaf_value", n_leaves, float)
    for name, length in {**dict.fromkeys(BY_SPLIT, n_splits), **dict.fromkeys(BY_LEAF, n_leaves)}.items():
        if (n_numbers := len(tree.get(name, "").split())) not in (0, length):
            raise DataError(f"{name}: expected {counted(length, 'number')}, found {n_numbers}")
    check_range("split_feature", _numbers(tree, "split_feature", n_splits, int), 0, n_features - 1)
    _check_children(tree, n_leaves)
    _check_categories(tree, n_splits, n_categorical)
    if tree.get("is_linear", "0") != "0":
        _check_linear(tree, n_leaves, n_features)


def _check_children(tree: Fields, n_leaves: int) -> None:
    """A child of 0 or more is a split, a negative one is a leaf: -1 is leaf 0."""
    n_splits, sides = n_leaves - 1, []
    for name in ("left_child", "right_child"):
        children = _numbers(tree, name, n_splits, int)
        check_range(name, children, -n_leaves, n_splits - 1)
        sides.append([child if child >= 0 else n_splits + ~child for child in children] + [-1] * n_leaves)
    if n_splits:
        _, n_reached = reached_splits(sides[0], sides[1], lambda node: node >= n_splits)
        if n_reached < n_splits + n_leaves:
            raise DataError(f"{counted(n_splits + n_leaves - n_reached, 'node')} cannot be reached from the root")


def _check_categories(tree: Fields, n_splits: int, n_categorical: int) -> None:
    """The threshold of a split by categories is the number of a set; `cat_boundaries` says where each set begins."""
    thresholds = _numbers(tree, "threshold", n_splits, float)
    types = _numbers(tree, "decision_type", n_splits, int) if "decision_type" in tree else [0] * n_splits
    check_range("decision_type", types, -128, 127)
    sets = [threshold for threshold, kind in zip(thresholds, types, strict=True) if kind & IS_CATEGORICAL]
    if any(not 0 <= number < n_categorical for number in sets):
        raise DataError("a split by categories names a set of categories that does not exist")
    if n_categorical:
        bounds = _numbers(tree, "cat_boundaries", n_categorical + 1, int)
        if bounds[0] != 0 or any(after < before for before, after in pairwise(bounds)):
            raise DataError(f"cat_boundaries must begin at 0 and not decrease, found {shortened(tree['cat_boundaries'])}")
        check_range("cat_threshold", _numbers(tree, "cat_threshold", bounds[-1], int), 0, 2**32 - 1)


def _check_linear(tree: Fields, n_leaves: int, n_features: int) -> None:
    """Each leaf of a linear tree has a constant, and a coefficient for each of its features."""
    _numbers(tree, "leaf_const", n_leaves, float)
    counts = _numbers(tree, "num_features", n_leaves, int)
    check_range("num_features", counts, 0, n_features)
    check_range("leaf_features", _numbers(tree, "leaf_features", sum(counts), int), 0, n_features - 1)
    _numbers(tree, "leaf_coeff", sum(counts), float)


def _fields(lines: Iterable[str]) -> dict[str, str]:
    """Name → value of each line."""
    fields: dict[str, str] = {}
    for line in lines:
        name, equals, value = line.partition("=")
        if not equals or name in fields:
            raise DataError(f"expected name=value, with each name once, found {shortened(line)}")
        fields[name] = value
    return fields


def _count(fields: Fields, name: str) -> int:
    """A field with one whole number of at least 0."""
    (count,) = _numbers(fields, name, 1, int)
    check_range(name, [count], 0, 2**31 - 2)
    return count


def _numbers(fields: Fields, name: str, length: int, read: Callable[[str], T]) -> list[T]:
    """The numbers of a field; an error if it has more or fewer."""
    text = fields.get(name, "")
    words = text.split()
    if len(words) != length:
        raise DataError(f"{name}: expected {counted(length, 'number')}, found {len(words)}")
    is_plain = text.isascii() and "_" not in text  # Python reads 1_000 and digits of all scripts, LightGBM does not
    try:
        numbers = list(map(read, words)) if is_plain else None
    except ValueError:
        numbers = None
    if numbers is None:
        what = "whole numbers" if read is int else "numbers"
        raise DataError(f"{name}: expected {what}, found {shortened(text)}")
    return numbers
