"""Which features help a model: by permutation and by leaving out, with intervals and a correction."""

import numpy as np
import pytest

import assay
from assay import BadParameter, DataError, UsageError, load_dataset
from assay.cli import main

from ._data import write_drawn, write_small


class Sum:
    """Ranks by feature 1 plus a tenth of feature 2; higher values of feature 3 make it worse."""

    def set_features(self, table):
        self.table = table

    def search(self, queries, k):
        answers = []
        for query in queries:
            values = np.nan_to_num(self.table.values[self.table.rows(query.query_id)])
            scores = values[:, 0] + 0.1 * values[:, 1] - 2 * values[:, 2]
            pairs = zip(self.table.ids(query.query_id), scores.tolist(), strict=True)
            answers.append(sorted(((doc, score) for doc, score in pairs), key=lambda pair: -pair[1])[:k])
        return [[assay.Hit(doc, score) for doc, score in answer] for answer in answers]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return load_dataset(write_drawn(tmp_path_factory.mktemp("data") / "data.txt", 4, 60))


def test_a_feature_that_is_not_used_has_no_effect_and_one_that_misleads_hurts(dataset):
    for method in ("permutation", "leaving-out"):
        found = assay.feature_importance(dataset, Sum(), method=method)
        verdicts = {row.feature: row.verdict for row in found.features}
        assert verdicts[1] == "helps", method
        # feature 3 is noise for the labels: another random order of it is as bad, but without it the model is better
        assert verdicts[3] == {"permutation": "no effect is shown", "leaving-out": "hurts"}[method]
        assert (verdicts[4], verdicts[5]) == ("no effect", "no effect"), method
        assert [row.loss for row in found.features] == sorted((row.loss for row in found.features), reverse=True)
        assert all(row.low <= row.loss <= row.high for row in found.features), method
        assert found.helping[0] == 1
        assert found.value == pytest.approx(assay.run(dataset, Sum(), "ndcg@10")["ndcg@10"])


def test_the_loss_of_leaving_out_by_hand(tmp_path):
    """Without feature 2, documents a and c of query 10 keep the order of the file, and so do those of query 7."""
    found = assay.feature_importance(write_small(tmp_path), "feature(2)", "mrr", method="leaving-out")
    (whole, *_), by_number = found.comparison.results, {row.feature: row for row in found.features}
    assert whole.scores("mrr") == {"10": 1.0, "7": 1.0, "8": 0.0}
    without = next(result for result in found.comparison.results if result.name == "without feature 2")
    # query 10: feature 2 is 3 for a, absent for b and 1 for c; all get the mean 2, so ids decide: c, b, a
    assert without.scores("mrr") == {"10": 1.0, "7": 1.0, "8": 0.0}
    assert (by_number[2].loss, by_number[2].verdict, by_number[1].n_changed) == (0.0, "no effect", 0)


def test_p_is_corrected_for_the_number_of_features(dataset):
    found = assay.feature_importance(dataset, Sum(), correction="bonferroni")
    for row in found.features:
        if row.p == row.p:
            assert row.p_corrected == pytest.approx(min(1.0, row.p * 5))
    alone = assay.feature_importance(dataset, Sum(), features=[2])
    (row,) = alone.features
    assert row.p_corrected == row.p


def test_the_order_of_lines_and_the_seed(dataset, tmp_path):
    lines = (dataset.path).read_text().splitlines()
    named = [f"{line} # d{number}" for number, line in enumerate(lines)]
    by_query = sorted(named, key=lambda line: (-int(line.split()[1][4:]), line))
    (tmp_path / "a.txt").write_text("\n".join(named) + "\n")
    (tmp_path / "b.txt").write_text("\n".join(by_query) + "\n")
    one, other = (assay.feature_importance(tmp_path / name, Sum(), features=[1, 2]) for name in ("a.txt", "b.txt"))
    assert [row.to_dict() for row in one.features] == [pytest.approx(row.to_dict(), nan_ok=True) for row in other.features]
    again = assay.feature_importance(tmp_path / "a.txt", Sum(), features=[1, 2], seed=1)
    assert [row.loss for row in again.features] != [row.loss for row in one.features]


def test_tables_and_plain_values(dataset):
    found = assay.feature_importance(dataset, Sum(), repeats=2)
    plain = found.to_dict()
    assert (plain["schema"], plain["repeats"], plain["n_queries"]) == ("assay.features/1", 2, 60)
    assert [row["feature"] for row in plain["features"]] == [row.feature for row in found.features]
    assert found.to_pandas()["feature"].tolist() == [row.feature for row in found.features]


def test_the_command_writes_a_table_and_a_page_with_the_same_figures(tmp_path, capsys):
    data = write_small(tmp_path)
    page, rows = tmp_path / "features.html", tmp_path / "features.csv"
    command = ["features", "feature(1)", str(data), "--by", "leaving-out", "-q", "-o", str(page), "-o", str(rows)]
    assert main(command) == 0
    printed = capsys.readouterr().out
    (loss,) = (row.loss for row in assay.feature_importance(data, "feature(1)", method="leaving-out").features if row.loss)
    assert f"{abs(loss):.3f}" in printed
    html, lines = page.read_text(), rows.read_text().splitlines()
    assert f"{abs(loss):.3f}" in html
    assert html.count("feature(1) on small: ndcg@10") == 2  # the title of the window, and one heading
    assert len(lines) == 3
    assert any(str(loss)[:8] in line for line in lines)
    assert main([*command[:-4], "-o", str(tmp_path / "features.pdf")]) == 2
    assert "must be one of .json, .csv, .md, .tex, .txt, .html" in capsys.readouterr().err


def test_wrong_input(dataset, tmp_path):
    for wrong in ({"method": "magic"}, {"repeats": 0}, {"repeats": True}, {"correction": "nope"}):
        with pytest.raises(BadParameter if "correction" not in wrong else assay.AssayError):
            assay.feature_importance(dataset, Sum(), **wrong)
    with pytest.raises(DataError, match="there is no feature 9"):
        assay.feature_importance(dataset, Sum(), features=[9])
    with pytest.raises(UsageError, match="does not rank by features"):
        assay.feature_importance(dataset, "bm25")
    with pytest.raises(DataError, match="the documents of rag-template have no features"):
        assay.feature_importance("rag-template", "feature(1)")
    with pytest.raises(BadParameter, match="by one metric, found 2"):
        assay.feature_importance(dataset, Sum(), ["ndcg@10", "map"])
