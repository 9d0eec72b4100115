"""Files and aggregation of the drop-in beside the original's."""

import io
import math

import numpy as np
import pytest
import pytrec_eval as original

import assay.compat.pytrec_eval as drop_in
from assay.errors import DataError

RUN_FILE = "q1 Q0 a 1 2.5 tag\nq1\tQ0\tb\t2\t-1e3\ttag\r\n  q2 Q0 a 1 inf tag  \n"
QREL_FILE = "q1 0 a 1\nq1\t0\tb\t-2\r\nq2 0 a 127"


def test_parsing():
    assert drop_in.parse_run(io.StringIO(RUN_FILE)) == original.parse_run(io.StringIO(RUN_FILE))
    assert drop_in.parse_qrel(QREL_FILE.splitlines()) == original.parse_qrel(QREL_FILE.splitlines())
    assert drop_in.parse_run([]) == drop_in.parse_qrel(["\n", " "]) == {}
    assert drop_in.parse_run([])["not there"] == {}


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("q1 Q0 a 1 2.5", "expected 6 columns, found 5"),
        ("q1 Q0 a 1 2.5 my run", "expected 6 columns, found 7"),
        ("q1 Q0 a 1 high run", "expected a score, found 'high'"),
        ("q1 Q0 a 1 nan run", "expected a score, found 'nan'"),
        ("q1 Q0 z 1 3 run", "document z appears twice for query q1"),
    ],
)
def test_bad_runs(line, what):
    with pytest.raises(DataError, match=f"run:3: {what}"):
        drop_in.parse_run(["q1 Q0 z 1 1.0 run", "", line])


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("q1 0 a", "expected 4 columns, found 3"),
        ("q1 0 a 1.5", "expected a whole number as grade, found '1.5'"),
        ("q1 0 z 1", "document z appears twice for query q1"),
    ],
)
def test_bad_judgments_name_file_and_line(line, what, tmp_path):
    path = tmp_path / "my.qrels"
    path.write_text(f"q1 0 z 1\n{line}\n")
    with path.open() as file, pytest.raises(DataError, match=rf"my\.qrels:2: {what}"):
        drop_in.parse_qrel(file)


def test_faults_are_collected():
    with pytest.raises(DataError) as error:
        drop_in.parse_qrel(["bad"] * 3)
    assert len(error.value.faults) == 3
    with pytest.raises(DataError) as error:
        drop_in.parse_run(["bad"] * 1000)
    assert len(error.value.faults) == 20


@pytest.mark.parametrize("lines", [RUN_FILE, RUN_FILE.encode(), io.BytesIO(RUN_FILE.encode())])
def test_only_lines_of_text_are_read(lines):
    with pytest.raises(DataError, match="text"):
        drop_in.parse_run(lines)


@pytest.mark.parametrize("measure", ["map", "num_ret", "gm_map", "gm_bpref", "P_5", "unheard_of"])
@pytest.mark.parametrize("values", [[0.5], [-1.0, -0.5, -11.5], [1, 2, 3], (0.1,) * 7, np.array([0.25, 0.5])])
def test_aggregation(measure, values):
    ours = drop_in.compute_aggregated_measure(measure, values)
    assert type(ours) is float
    assert ours == pytest.approx(original.compute_aggregated_measure(measure, values), rel=1e-14)


def test_aggregation_of_other_things():
    assert drop_in.compute_aggregated_measure("map", {"q1": 0.5, "q2": 1.0}.values()) == 0.75
    assert drop_in.compute_aggregated_measure("map", (value for value in (0.5, 1.0))) == 0.75
    assert drop_in.compute_aggregated_measure("num_q", []) == 0.0
    assert math.isnan(drop_in.compute_aggregated_measure("map", []))
    assert math.isnan(drop_in.compute_aggregated_measure("gm_map", []))
    with pytest.raises(DataError, match="map"):
        drop_in.compute_aggregated_measure("map", ["high"])
