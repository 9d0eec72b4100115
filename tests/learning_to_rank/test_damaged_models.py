"""Damaged models: found before a library loads them, because a wrong number in a tree ends the process. Whole models are
read, whatever trees they have."""

import struct

import lightgbm
import numpy as np
import pytest
import xgboost

import assay
from assay import load_dataset
from assay.cli import main
from assay.errors import ProviderError
from assay.grammar import WrittenName
from assay.providers import parse_provider

from ._damage import damaged_json, damaged_text
from ._data import write_drawn

RNG = np.random.default_rng(7)
VALUES = RNG.normal(size=(300, 4))
VALUES[:, 3] = RNG.integers(0, 40, 300)
LABELS = VALUES[:, 0] * VALUES[:, 1] + VALUES[:, 3] % 3
CLASSES = (VALUES[:, 3] % 3).astype(int)
LIGHTGBM = {
    "plain": ({}, {}),
    "categories": ({"min_data_per_group": 3, "cat_smooth": 1}, {"categorical_feature": [3]}),
    "linear": ({"linear_tree": True}, {}),
    "linear with one leaf": ({"linear_tree": True, "min_data_in_leaf": 290}, {}),
    "one leaf": ({"min_data_in_leaf": 290}, {}),
    "dart": ({"boosting": "dart", "drop_rate": 0.9}, {}),
    "forest": ({"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.5}, {}),
    "classes": ({"objective": "multiclass", "num_class": 3}, {"label": CLASSES}),
    "one against all": ({"objective": "multiclassova", "num_class": 3}, {"label": CLASSES}),
    "binary": ({"objective": "binary"}, {"label": CLASSES > 0}),
    "own objective": ({"objective": lambda scores, data: (scores - data.get_label(), np.ones(len(scores)))}, {}),
    "quantized": ({"use_quantized_grad": True}, {}),
}
XGBOOST = {
    "plain": {},
    "categories": {"max_cat_to_onehot": 1},
    "one category": {"max_cat_to_onehot": 100},
    "pruned": {"tree_method": "exact", "gamma": 20, "max_depth": 5},
    "one node": {"min_child_weight": 1e9},
    "dart": {"booster": "dart", "rate_drop": 0.5},
    "linear": {"booster": "gblinear"},
    "classes": {"objective": "multi:softprob", "num_class": 3},
    "several targets": {"multi_strategy": "multi_output_tree"},
    "a forest": {"num_parallel_tree": 3, "subsample": 0.5},
    "leafwise": {"grow_policy": "lossguide", "max_leaves": 6},
}


def lightgbm_model(name):
    params, settings = LIGHTGBM[name]
    data = lightgbm.Dataset(VALUES, **{"label": LABELS, **settings})
    return lightgbm.train({"verbose": -1, "num_threads": 1, "num_leaves": 6, "min_data_in_leaf": 5, **params}, data, 4)


def xgboost_model(name):
    has_categories = "categor" in name
    label = CLASSES if name == "classes" else np.stack([LABELS, -LABELS], 1) if name == "several targets" else LABELS
    kinds = {"feature_types": ["q", "q", "q", "c"], "enable_categorical": True} if has_categories else {}
    params = {"tree_method": "hist", "max_depth": 3, "nthread": 1, "verbosity": 0, **XGBOOST[name]}
    return xgboost.train(params, xgboost.DMatrix(VALUES, label, **kinds), 4)


def check(provider, path, content):
    """Check a model as a command does before it sends queries."""
    path.write_bytes(content)
    parse_provider(WrittenName(f"{provider}:{path}")).check()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Data, and a small model of each library for them."""
    folder = tmp_path_factory.mktemp("damaged")
    table = load_dataset(write_drawn(folder / "data.txt", 1, 40)).features
    zeros, sizes = np.nan_to_num(table.values), np.diff(table.offsets)
    params = {"verbose": -1, "num_threads": 1, "num_leaves": 4, "min_data_in_leaf": 5}
    lightgbm.train(params, lightgbm.Dataset(zeros, table.labels, group=sizes), 3).save_model(folder / "m.txt")
    trained = xgboost.train({"max_depth": 2, "nthread": 1}, xgboost.DMatrix(table.values, table.labels), 3)
    for name in ("m.json", "m.ubj"):
        trained.save_model(folder / name)
    return folder


@pytest.mark.parametrize("name", LIGHTGBM)
def test_whole_models_of_lightgbm_have_no_faults(name, tmp_path):
    booster, path = lightgbm_model(name), tmp_path / "model.txt"
    for settings in ({}, {"num_iteration": 2}, {"start_iteration": 1}, {"importance_type": "gain"}):
        content = booster.model_to_string(**settings).encode()
        check("lightgbm", path, content)
        check("lightgbm", path, content.replace(b"\n", b"\r\n"))
    check("lightgbm", path, lightgbm.Booster(model_str=content.decode()).model_to_string().encode())


@pytest.mark.parametrize("name", XGBOOST)
def test_whole_models_of_xgboost_have_no_faults(name, tmp_path):
    booster, path = xgboost_model(name), tmp_path / "model"
    for form in ("json", "ubj"):
        check("xgboost", path, booster.save_raw(form))
        if name != "linear":
            check("xgboost", path, booster[1:3].save_raw(form))
        check("xgboost", path, xgboost.Booster(model_file=booster.save_raw(form)).save_raw(form))


def test_models_that_stopped_early_have_no_faults(tmp_path):
    half = {"label": LABELS[150:]}
    train, rest = lightgbm.Dataset(VALUES[:150], LABELS[:150]), lightgbm.Dataset(VALUES[150:], **half)
    stop = [lightgbm.early_stopping(2, verbose=False)]
    params = {"verbose": -1, "num_threads": 1, "metric": "l2", "learning_rate": 0.9}
    stopped = lightgbm.train(params, train, 60, valid_sets=[rest], callbacks=stop)
    assert stopped.best_iteration < 60
    check("lightgbm", tmp_path / "early.txt", stopped.model_to_string().encode())
    evals = [(xgboost.DMatrix(VALUES[150:], **half), "rest")]
    settings = {"evals": evals, "early_stopping_rounds": 2, "verbose_eval": False}
    trained = xgboost.train({"nthread": 1, "eta": 0.9}, xgboost.DMatrix(VALUES[:150], LABELS[:150]), 60, **settings)
    assert int(trained.attr("best_iteration")) < trained.num_boosted_rounds() - 1
    for form in ("json", "ubj"):
        check("xgboost", tmp_path / "early", trained.save_raw(form))


def _saved(booster, path):
    booster.save_model(path)
    return path


def test_wrong_numbers_are_found_before_any_query(folder, tmp_path, snapshots, monkeypatch):
    """LightGBM and XGBoost end the process, never end, or score with any number that is in the memory."""
    monkeypatch.chdir(tmp_path)
    text, forest = (folder / "m.txt").read_text(), (folder / "m.json").read_text()
    first = {"left_children": "a child of XGBoost that does not exist", "split_indices": "a feature that does not exist"}
    cases = {
        "a child of LightGBM that does not exist": damaged_text(text, "left_child", "50 60 70"),
        "a circle": damaged_text(text, "right_child", "0 0 0"),
        "a feature that LightGBM was not trained with": damaged_text(text, "split_feature", "99 99 99", tree=1),
        "too few thresholds": damaged_text(text, "threshold", "0.5 0.5"),
        "a threshold that is not a number": damaged_text(text, "threshold", "0.5 0.5 1_0"),
        "a set of categories that does not exist": damaged_text(text, "decision_type", "1 1 1"),
        "no leaves": damaged_text(text, "num_leaves", "0"),
        "more leaves than values": damaged_text(text, "num_leaves", "5"),
        "another number of classes": text.replace("num_class=1\n", "num_class=2\n"),
        "an objective without a name": text.replace("objective=regression\n", "objective=\n"),
        **{case: damaged_json(forest, lambda tree, name=name: _set(tree[name], 5000)) for name, case in first.items()},
        "a circle in XGBoost": damaged_json(forest, lambda tree: _set(tree["left_children"], 0)),
        "a lost part of a tree": damaged_json(forest, lambda tree: _set(tree["left_children"], -1)),
        "a wrong parent": damaged_json(forest, lambda tree: _set(tree["parents"], 77, 1)),
        "a missing number": damaged_json(forest, lambda tree: tree["split_conditions"].pop()),
        "a field that is missing": damaged_json(forest, lambda tree: tree.pop("default_left")),
        "two trees with one number": damaged_json(forest, lambda tree: tree.update(id=1)),
        "two fields with one name": forest.replace('"version"', '"learner"'),
    }
    checks = {}
    for number, (case, content) in enumerate(cases.items()):
        kind, name = ("xgboost", f"{number}.json") if content[0] == "{" else ("lightgbm", f"{number}.txt")
        (tmp_path / name).write_text(content)
        checks[case] = parse_provider(WrittenName(f"{kind}:{name}")).check
    snapshots.check_errors("learning_to_rank/wrong_numbers", checks)


def _set(numbers, value, place=0):
    numbers[place] = value


def test_a_fault_is_said_once_and_before_the_first_query(folder, tmp_path, capsys):
    path = tmp_path / "m.txt"
    path.write_text(damaged_text((folder / "m.txt").read_text(), "left_child", "50 60 70"))
    with pytest.raises(ProviderError, match="tree 0: left_child: expected -4 to 2, found 50"):
        assay.run(load_dataset(folder / "data.txt"), f"lightgbm:{path}", "ndcg@10")
    assert main(["eval", "--benchmarks", str(folder / "data.txt"), "--providers", f"lightgbm:{path}", "-m", "ndcg@10"]) == 4
    reason = "cannot be loaded: tree 0: left_child: expected -4 to 2, found 50"
    assert capsys.readouterr().err == f"error: lightgbm: {path} {reason}\n"


def test_a_best_round_that_the_model_does_not_have(folder, tmp_path):
    booster = xgboost.Booster(model_file=folder / "m.json")
    booster.set_attr(best_iteration="9")
    dataset, path = load_dataset(folder / "data.txt"), _saved(booster, tmp_path / "best.json")
    with pytest.raises(ProviderError, match=r"best_iteration is 9, but the model has 3 rounds\. trees=all uses them all"):
        assay.run(dataset, f"xgboost(model={path})", "ndcg@10")
    assert assay.run(dataset, f"xgboost(model={path}, trees=all)", "ndcg@10")["ndcg@10"] > 0


def test_a_binary_model_has_the_faults_of_its_json(folder, tmp_path):
    whole, path = (folder / "m.ubj").read_bytes(), tmp_path / "m.ubj"
    check = parse_provider(WrittenName(f"xgboost:{path}")).check
    at = whole.index(b"left_children[$l#L") + len(b"left_children[$l#L") + 8
    assert struct.unpack(">i", whole[at : at + 4]) == (1,)
    path.write_bytes(whole[:at] + struct.pack(">i", 5000) + whole[at + 4 :])
    with pytest.raises(ProviderError, match="node 0 has the child 5000, which does not exist"):
        check()
    for end in range(1, len(whole), 97):
        path.write_bytes(whole[:end])
        with pytest.raises(ProviderError):
            check()
