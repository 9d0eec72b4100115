"""Providers that rank by features: single features, models in files, and models in Python code."""

import pickle
import sys
from types import ModuleType

import lightgbm
import numpy as np
import pytest
import xgboost

import assay
from assay import BadParameter, DataError, Query, load_dataset
from assay.errors import ProviderError
from assay.grammar import WrittenName
from assay.providers import all_providers, parse_provider

from ._data import write_drawn, write_small

QUIET = {"verbose": -1, "num_threads": 1, "num_leaves": 7, "min_data_in_leaf": 5, "objective": "lambdarank"}


def ready(text, dataset):
    retriever = parse_provider(WrittenName(text)).make()
    retriever.set_features(dataset.features)
    return retriever


def ranking(text, dataset, query, k=10):
    (hits,) = ready(text, dataset).search([Query(query)], k)
    return hits if isinstance(hits, ProviderError) else {hit.doc_id: hit.score for hit in hits}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Training and test data, and models of both libraries."""
    folder = tmp_path_factory.mktemp("models")
    table = load_dataset(write_drawn(folder / "train.txt", 1, 60)).features
    write_drawn(folder / "test.txt", 2, 40)
    zeros, sizes = np.nan_to_num(table.values), np.diff(table.offsets)
    booster = lightgbm.train(QUIET, lightgbm.Dataset(zeros, table.labels, group=sizes), 15)
    booster.save_model(folder / "m.txt")
    shifted = np.hstack([np.zeros((len(zeros), 1)), zeros])
    lightgbm.train(QUIET, lightgbm.Dataset(shifted, table.labels, group=sizes), 15).save_model(folder / "from0.txt")
    matrix = xgboost.DMatrix(table.values, table.labels)
    matrix.set_group(sizes)
    trained = xgboost.train({"objective": "rank:ndcg", "max_depth": 3, "nthread": 1}, matrix, 15)
    for name in ("m.json", "m.ubj"):
        trained.save_model(folder / name)
    trained.set_attr(best_iteration="4")
    trained.save_model(folder / "best.json")
    return folder


@pytest.fixture(scope="module")
def test_data(folder):
    return load_dataset(folder / "test.txt")


def scores_of(retriever, dataset):
    """The scores of all rows, in the order of the file."""
    answers = retriever.search(list(dataset.queries.values()), dataset.features.longest)
    by_query = {query: {hit.doc_id: hit.score for hit in hits} for query, hits in zip(dataset.queries, answers, strict=True)}
    return [by_query[query][doc] for query in dataset.queries for doc in dataset.features.ids(query)]


def test_a_single_feature_by_hand(tmp_path):
    dataset = load_dataset(write_small(tmp_path))
    assert ranking("feature(1)", dataset, "10") == {"b": pytest.approx(0.7), "a": 0.5, "c": 0.5}
    assert list(ranking("feature(1)", dataset, "10")) == ["b", "a", "c"]  # equal scores in the order of the file
    assert list(ranking("feature(1, order=asc)", dataset, "10")) == ["a", "c", "b"]
    assert ranking("feature(number=2)", dataset, "10") == {"a": 3.0, "c": 1.0, "b": 0.0}  # an absent feature is 0
    assert list(ranking("feature(1)", dataset, "10", k=2)) == ["b", "c"]  # of equal scores that are cut, the largest id
    assert "has no documents with features" in str(ranking("feature(1)", dataset, "99"))
    result = assay.run(dataset, "feature(2)", "ndcg@10")
    assert result.scores("ndcg@10")["7"] == 1.0
    assert result.scores("ndcg@10")["8"] == 0.0


def test_the_name_of_a_feature_reads_back():
    for text, name in {"feature(12)": "feature(12)", "feature(number=3, order=asc)": "feature(3, order=asc)"}.items():
        bound = parse_provider(WrittenName(text))
        assert (bound.name, parse_provider(WrittenName(bound.name)).configuration) == (name, bound.configuration)
    for wrong in ("feature", "feature(x)", "feature(1, 2)", "feature(1, order=up)"):
        with pytest.raises(BadParameter):
            parse_provider(WrittenName(wrong))


def test_models_score_as_their_libraries_do(folder, test_data):
    values = test_data.features.values
    by_lightgbm = lightgbm.Booster(model_file=folder / "m.txt").predict(np.nan_to_num(values))
    assert scores_of(ready(f"lightgbm:{folder}/m.txt", test_data), test_data) == by_lightgbm.tolist()
    booster = xgboost.Booster(model_file=folder / "m.json")
    for name in ("m.json", "m.ubj"):
        found = scores_of(ready(f"xgboost(model={folder}/{name})", test_data), test_data)
        assert found == booster.predict(xgboost.DMatrix(values)).tolist()
    zeros = booster.predict(xgboost.DMatrix(np.nan_to_num(values))).tolist()
    assert scores_of(ready(f"xgboost(model={folder}/m.json, absent=zero)", test_data), test_data) == zeros


def test_a_model_with_an_empty_first_column_gets_one(folder, test_data):
    """LightGBM and XGBoost use the number of a feature as its column when they read a file themselves."""
    values = np.hstack([np.zeros((len(test_data.features), 1)), np.nan_to_num(test_data.features.values)])
    expected = lightgbm.Booster(model_file=folder / "from0.txt").predict(values).tolist()
    assert scores_of(ready(f"lightgbm:{folder}/from0.txt", test_data), test_data) == expected


def test_early_stopping_uses_the_trees_up_to_the_best_round(folder, test_data):
    booster, matrix = xgboost.Booster(model_file=folder / "m.json"), xgboost.DMatrix(test_data.features.values)
    for trees, rounds in {"best": (0, 5), "all": (0, 0)}.items():
        found = scores_of(ready(f"xgboost(model={folder}/best.json, trees={trees})", test_data), test_data)
        assert found == booster.predict(matrix, iteration_range=rounds).tolist()


def test_a_batch_of_any_size_and_order_gives_the_same_scores(folder, test_data):
    retriever, queries = ready(f"lightgbm:{folder}/m.txt", test_data), list(test_data.queries.values())
    together = retriever.search(queries, 10)
    assert [hits for query in queries for hits in retriever.search([query], 10)] == together
    assert retriever.search(queries[::-1], 10) == together[::-1]
    assert retriever.search([], 10) == []


def test_each_fold_has_its_own_model(folder, tmp_path):
    (tmp_path / "m_1.txt").write_bytes((folder / "m.txt").read_bytes())
    (tmp_path / "m_2.txt").write_bytes((folder / "from0.txt").read_bytes())
    dataset = load_dataset(f"{folder}/test.txt:2-folds")
    result = assay.run(dataset, f"lightgbm(model={tmp_path}/m_{{fold}}.txt)", "ndcg@10")
    for fold, name in {"1": "m.txt", "2": "from0.txt"}.items():
        alone = assay.run(load_dataset(f"{folder}/test.txt:{fold}-of-2"), f"lightgbm:{folder}/{name}", "ndcg@10")
        assert alone.scores("ndcg@10").items() <= result.scores("ndcg@10").items()
    plain = assay.providers.parse_provider(WrittenName(f"lightgbm(model={tmp_path}/m_{{fold}}.txt)"))
    assert len(plain.sources()) == 2
    with pytest.raises(ProviderError, match="has no tag fold"):
        assay.run(load_dataset(folder / "test.txt"), f"lightgbm(model={tmp_path}/m_{{fold}}.txt)", "ndcg@10")


def test_models_in_python_code(test_data, monkeypatch):
    class Regressor:
        n_features_in_ = 5

        def predict(self, values):
            return values[:, 0]

    class Classifier:
        classes_ = np.array([0, 2])

        def predict_proba(self, values):
            return np.column_stack([1 - values[:, 1], values[:, 1]])

    class Wide:
        def predict(self, values):
            return values

    code = ModuleType("ltr_code")
    code.regressor, code.make, code.wide, code.text = Regressor(), Classifier, Wide(), "text"
    monkeypatch.setitem(sys.modules, "ltr_code", code)
    zeros = np.nan_to_num(test_data.features.values).astype(np.float64)
    assert scores_of(ready("sklearn:ltr_code:regressor", test_data), test_data) == zeros[:, 0].tolist()
    assert scores_of(ready("sklearn:ltr_code:make", test_data), test_data) == pytest.approx(2 * zeros[:, 1], abs=1e-6)
    with pytest.raises(ProviderError, match="expected one score for each of"):
        ready("sklearn:ltr_code:wide", test_data).search(list(test_data.queries.values()), 5)
    with pytest.raises(ProviderError, match="is not a model"):
        parse_provider(WrittenName("sklearn:ltr_code:text")).check()
    with pytest.raises(BadParameter, match="only in text that you write yourself"):
        parse_provider("sklearn(model=ltr_code:regressor)")


def test_providers_combine(test_data):
    fused = assay.run(test_data, "hybrid(feature(1), feature(2))", "ndcg@10")
    assert fused["ndcg@10"] > assay.run(test_data, "feature(2)", "ndcg@10")["ndcg@10"]


def test_whole_rankings_count_unless_k_is_set(test_data):
    longest = test_data.features.longest
    assert max(map(len, assay.run(test_data, "feature(1)", "map").run.values())) == longest
    assert max(map(len, assay.run(test_data, "feature(1)", "map", k=3).run.values())) == 3


def test_wrong_models_are_refused_before_any_query(folder, tmp_path, snapshots, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("m.txt", "m.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "model.pkl").write_bytes(pickle.dumps([1]))
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "models").mkdir()
    names = {
        "LightGBM gets a model of XGBoost": "lightgbm:m.json",
        "XGBoost gets a model of LightGBM": "xgboost:m.txt",
        "a pickle for LightGBM": "lightgbm:model.pkl",
        "a pickle for XGBoost": "xgboost:model.pkl",
        "an empty file": "lightgbm:empty.txt",
        "a file that does not exist": "xgboost:nowhere.json",
        "a folder": "lightgbm:models",
    }
    checks = {case: parse_provider(WrittenName(name)).check for case, name in names.items()}
    snapshots.check_errors("learning_to_rank/wrong_models", checks)


def test_a_model_of_other_features_is_an_error_that_names_both_numbers(folder, tmp_path):
    small = load_dataset(write_small(tmp_path))
    for name in (f"lightgbm:{folder}/m.txt", f"xgboost:{folder}/m.json"):
        with pytest.raises(ProviderError, match=r"was trained with 5 features, but the documents have 2 \(1 to 2\)"):
            ready(name, small)
    with pytest.raises(ProviderError, match="there is no feature 9: the file has the features 1 to 2"):
        ready("feature(9)", small)
    (tmp_path / "broken.txt").write_text("tree\nversion=v4\n")
    with pytest.raises(ProviderError, match=r"broken\.txt cannot be loaded"):
        ready(f"lightgbm:{tmp_path}/broken.txt", small)


def test_a_damaged_model_is_an_error_and_does_not_end_the_process(folder, tmp_path, test_data, snapshots, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, forest = (folder / "m.txt").read_text(), (folder / "m.json").read_text()
    begin, end = text.index("Tree=3\n"), text.index("Tree=4\n")
    damaged = {
        "the file ends in a tree": ("cut.txt", text[: end - 40]),
        "a tree is missing": ("fewer.txt", text[:begin] + text[end:]),
        "a tree has no leaves": ("leaves.txt", text.replace("leaf_value=", "leaf_valu=", 1)),
        "a JSON model that ends early": ("cut.json", forest[:900]),
    }
    for name, content in damaged.values():
        (tmp_path / name).write_text(content)
    loads = {
        case: lambda name=name: ready(f"{'xgboost' if name.endswith('json') else 'lightgbm'}:{name}", test_data)
        for case, (name, _) in damaged.items()
    }
    snapshots.check_errors("learning_to_rank/damaged_models", loads)


def test_a_model_with_the_line_ends_of_windows_scores_the_same(folder, tmp_path, test_data):
    """LightGBM itself ends the process here, because its lengths of trees do not fit."""
    (tmp_path / "windows.txt").write_bytes((folder / "m.txt").read_bytes().replace(b"\n", b"\r\n"))
    expected = scores_of(ready(f"lightgbm:{folder}/m.txt", test_data), test_data)
    assert scores_of(ready(f"lightgbm:{tmp_path}/windows.txt", test_data), test_data) == expected


def test_benchmarks_without_features_and_searches_without_them_are_errors():
    for name in ("feature(1)", "hybrid(feature(1), bm25)"):
        with pytest.raises(DataError, match="the documents of rag-template have no features"):
            assay.run("rag-template", name, "ndcg@10")
    with pytest.raises(ProviderError, match="no features are set"):
        parse_provider(WrittenName("feature(1)")).make().search([Query("1")], 5)
    by_features = {name for name, provider in all_providers().items() if provider.reads_features}
    assert by_features == {"feature", "lightgbm", "sklearn", "xgboost"}
