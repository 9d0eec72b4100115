"""Files of text never hold a secret that is known when they are written, whoever writes them, and however old the data."""

import json
from pathlib import Path

import assay
from assay.atomic_write import atomic_write
from assay.charts import Drawing, render
from assay.compat.ranx import Qrels, Run, compare
from assay.files import write_lines, write_qrels, write_run
from assay.masking import add_secret, forget_secrets

SECRET = 'canary"9f8e7d'
QRELS, RUN = {"q1": {"d1": 1}}, {"q1": {f"d-{SECRET}": 0.5, "d1": 0.25}}


def reproducible(folder):
    dataset = assay.BenchmarkDataset(name=f"small {SECRET}", queries={}, qrels=QRELS)
    runner = assay.ReproducibleEvaluationRunner(dataset=dataset, model_name=SECRET, model_version="1")
    runner.evaluate_run(RUN, "mrr")
    runner.save_results(folder / "a.json")


def ranx_report(folder):
    compare(Qrels(QRELS), [Run(RUN, name=SECRET), Run({"q1": {"d1": 1.0}}, name="other")], ["mrr"]).save(folder / "a.json")


WRITERS = {
    "reproducible": reproducible,
    "ranx report": ranx_report,
    "ranx run": lambda folder: Run(RUN, name="bm25").save(folder / "a.json"),
    "a TREC run": lambda folder: write_run(RUN, folder / "a.trec"),
    "TREC judgments": lambda folder: write_qrels({"q1": {SECRET: 1}}, folder / "a.trec"),
    "JSON lines": lambda folder: write_lines(folder / "a.jsonl", [{"text": f"the key is {SECRET}"}]),
}


def test_no_writer_writes_a_secret(tmp_path):
    for writer, write in WRITERS.items():
        forget_secrets()
        (tmp_path / writer).mkdir()
        write(tmp_path / writer)
        (path,) = (tmp_path / writer).iterdir()
        assert "9f8e7d" in path.read_text(), writer
        add_secret(SECRET, "the header")
        write(tmp_path / writer)
        assert "9f8e7d" not in path.read_text(), writer
        assert "…" in path.read_text(), writer
        assert path.suffix != ".json" or json.loads(path.read_text())


def test_no_chart_shows_a_secret():
    rows = ({"name": f"bm25 {SECRET}", "value": 1.0},)
    spec = {"data": {"values": list(rows)}, "mark": "bar", "encoding": {"x": {"field": "value"}, "y": {"field": "name"}}}
    drawing = Drawing(spec, "A title", f"words with {SECRET}", rows).finished()
    kinds = ("svg", "json", "csv")
    assert all(b"9f8e7d" in render(drawing, kind) for kind in kinds)
    add_secret(SECRET, "the header")
    assert not any(b"9f8e7d" in render(drawing, kind) for kind in kinds)


def test_what_is_no_text_is_written_as_it_is(tmp_path):
    add_secret("canary9f8e7d", "the header")
    for is_text, content in ((False, b"\xff\x00canary9f8e7d"), (True, b"\xff\x00\xe2\x80\xa6")):
        with atomic_write(tmp_path / "a", is_text=is_text) as file:
            assert file.write(b"\xff\x00canary9f8e7d") == 14
        assert Path(tmp_path / "a").read_bytes() == content
