"""JSON models of XGBoost: checked as a whole, because XGBoost believes the numbers of children and features in a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from assay.errors import DataError
from assay.providers.models.binary_json import read_binary_json
from assay.providers.models.trees import check_range, reached_splits
from assay.text import counted, shortened

ROOT_PARENTS = (-1, 2**31 - 1)
LEAF = -1
"""The left child of a leaf."""
CATEGORIES = 2**24
"""Categories of XGBoost are smaller."""
BY_NODE = ("left_children", "right_children", "parents", "split_indices", "default_left")
"""Fields with a whole number for each node."""


@dataclass(frozen=True)
class _Size:
    """What the trees of a model share."""

    n_features: int
    n_groups: int
    """The number of scores for a document: one, or one per class or target."""


def check_forest(content: bytes) -> None:
    """Raise a DataError if a child, a feature or a category does not exist, or a number is missing."""
    learner = _part(_read(content), "learner")
    params = _part(learner, "learner_model_param")
    groups = (_whole(params, name) for name in ("num_class", "num_target") if name in params)
    size = _Size(_whole(params, "num_feature"), max((1, *groups)))
    booster = _part(learner, "gradient_booster")
    if booster.get("name") == "gblinear":
        _list(_part(booster, "model"), "weights", (size.n_features + 1) * size.n_groups, float)
        return
    inner = _part(booster, "gbtree") if booster.get("name") == "dart" else booster
    n_trees = _check_trees(_part(inner, "model"), size)
    if booster.get("name") == "dart":
        _list(booster, "weight_drop", n_trees, float)


def _read(content: bytes) -> Any:
    """The values of the file; XGBoost recognises the binary form by its second byte too."""
    if content[1:2].isalpha():
        return read_binary_json(content)
    try:
        return json.loads(content, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise DataError(f"no JSON at line {error.lineno}, character {error.colno}: {error.msg}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        raise DataError(f"two values are called {next(name for name in names if names.count(name) > 1)!r}")
    return values


def _check_trees(model: Mapping[str, Any], size: _Size) -> int:
    """Check all trees; returns their number."""
    trees = model.get("trees")
    n_trees = _whole(_part(model, "gbtree_model_param"), "num_trees")
    if not isinstance(trees, list) or len(trees) != n_trees:
        raise DataError(f"expected {counted(n_trees, 'tree')}, found {len(trees) if isinstance(trees, list) else 'none'}")
    check_range("tree_info", _list(model, "tree_info", n_trees, int), 0, size.n_groups - 1)
    if "iteration_indptr" in model:
        starts = _list(model, "iteration_indptr", None, int)
        if not starts or (starts[0], starts[-1]) != (0, n_trees) or any(b < a for a, b in pairwise(starts)):
            raise DataError(f"iteration_indptr must grow from 0 to {n_trees}, found {shortened(starts)}")
    numbers = [tree.get("id") for tree in trees if isinstance(tree, dict) and "id" in tree]
    if numbers and set(numbers) != set(range(n_trees)):
        raise DataError(f"the ids of the trees are not 0 to {n_trees - 1}")
    for number, tree in enumerate(trees):
        try:
            _check_tree(tree, size)
        except DataError as error:
            raise DataError(f"tree {number}: {error.what}") from None
    return n_trees


def _check_tree(tree: Any, size: _Size) -> None:
    """Raise unless the root leads to each node that is not deleted, and each split has a feature."""
    params = _part(tree, "tree_param")
    n_nodes = _whole(params, "num_nodes")
    if not n_nodes:
        raise DataError("num_nodes is 0")
    left, right, parents, features, _ = (_list(tree, name, n_nodes, int) for name in BY_NODE)
    for name in ("split_conditions", "loss_changes", "sum_hessian"):
        _list(tree, name, n_nodes, float)
    if parents[0] not in ROOT_PARENTS:
        raise DataError(f"the root has the parent {parents[0]}")
    check_range("parents", parents[1:], 0, n_nodes - 1)
    splits, n_reached = reached_splits(left, right, lambda node: left[node] == LEAF)
    if n_nodes - n_reached != (_whole(params, "num_deleted") if "num_deleted" in params else 0):
        raise DataError(f"{counted(n_nodes - n_reached, 'node')} cannot be reached from the root")
    if any(parents[child] != node for node in splits for child in (left[node], right[node])):
        raise DataError("parents and children do not fit together")
    check_range("split_indices", [features[node] for node in splits], 0, size.n_features - 1)
    _check_leaves(tree, [right[node] for node in range(n_nodes) if left[node] == LEAF], size)
    _check_categories(tree, splits, n_nodes)


def _check_leaves(tree: Mapping[str, Any], places: Sequence[int], size: _Size) -> None:
    """Leaves of several targets have a score for each; the right child of a leaf says where they are."""
    width = _whole(tree["tree_param"], "size_leaf_vector") if "size_leaf_vector" in tree["tree_param"] else 1
    n_nodes = len(tree["left_children"])
    if width <= 1:
        _list(tree, "base_weights", n_nodes, float)
        return
    if width != size.n_groups:
        raise DataError(f"the leaves have {width} scores, and the model has {size.n_groups}")
    _list(tree, "base_weights", n_nodes * width, float)
    _list(tree, "leaf_weights", len(places) * width, float)
    check_range("right_children", places, 0, len(places) - 1)


def _check_categories(tree: Mapping[str, Any], splits: Sequence[int], n_nodes: int) -> None:
    """A split by categories has a part of the list of categories; each is described in the order of the nodes."""
    if "split_type" not in tree:
        return
    kinds = _list(tree, "split_type", n_nodes, int)
    check_range("split_type", kinds, 0, 1)
    nodes = _list(tree, "categories_nodes", None, int)
    if any(after <= before for before, after in pairwise(nodes)) or (nodes and not 0 <= nodes[0] <= nodes[-1] < n_nodes):
        raise DataError(f"categories_nodes must be nodes in their order, found {shortened(nodes)}")
    if lacking := {node for node in splits if kinds[node]} - set(nodes):
        raise DataError(f"node {min(lacking)} splits by categories, but has none")
    starts = _list(tree, "categories_segments", len(nodes), int)
    sizes = _list(tree, "categories_sizes", len(nodes), int)
    categories = _list(tree, "categories", None, int)
    check_range("categories", categories, 0, CATEGORIES - 1)
    for start, length in zip(starts, sizes, strict=True):
        if not (start >= 0 and length > 0 and start + length <= len(categories)):
            raise DataError(f"categories {start} to {start + length} are not among the {len(categories)} of the tree")


def _part(value: Any, name: str) -> dict[str, Any]:
    """The object with a name in an object."""
    part = value.get(name) if isinstance(value, dict) else None
    if not isinstance(part, dict):
        raise DataError(f"{name} is missing")
    return part


def _whole(params: Mapping[str, Any], name: str) -> int:
    """A parameter of at least 0, which XGBoost writes as text."""
    text = str(params.get(name))
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise DataError(f"{name}: expected a whole number, found {shortened(params.get(name))}")
    return int(text)


def _list(values: Mapping[str, Any], name: str, length: int | None, kind: type[float | int]) -> list[Any]:
    """A list of numbers; an error if it has more or fewer, or others. Old versions write true for 1."""
    numbers = values.get(name)
    if not isinstance(numbers, list) or not set(map(type, numbers)) <= {int, bool, kind}:
        raise DataError(f"{name}: expected {'whole numbers' if kind is int else 'numbers'}, found {shortened(numbers)}")
    if length is not None and len(numbers) != length:
        raise DataError(f"{name}: expected {counted(length, 'number')}, found {len(numbers)}")
    return numbers
