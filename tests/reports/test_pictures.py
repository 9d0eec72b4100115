"""Pictures in the HTML report: small local images are embedded, of all others only the path is shown."""

import re
from base64 import b64decode

import pytest

import assay
from assay.cli import main
from assay.reports import EvaluationDisplay, render_evaluation

pytest.importorskip("vl_convert")

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def benchmark(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set").mkdir()
    sizes = {"small": 100, "large": 60_000}
    for name, size in sizes.items():
        (tmp_path / "set" / f"{name}.png").write_bytes(PNG.ljust(size, b"\0"))
    places = [*(f"{name}.png" for name in sizes), "https://example.org/<x>.png", "../set/small.png"]
    rows = "".join(f'{{"doc_id": "d{number}", "image": "{place}"}}\n' for number, place in enumerate(places))
    (tmp_path / "set" / "documents.jsonl").write_text(rows)
    (tmp_path / "set" / "queries.jsonl").write_text('{"query_id": "q", "image": "small.png", "relevant_ids": ["d0"]}\n')
    return tmp_path / "set"


def test_only_small_local_images_are_embedded(benchmark, capsys):
    command = "eval --benchmarks set --providers random_order random_order(seed=3) --metrics mrr --quiet"
    assert main(command.split()) == 0
    assert main(["report", "latest", "--dataset", "set", "-o", "report.html"]) == 0
    capsys.readouterr()
    page = (benchmark.parent / "report.html").read_text("utf-8")
    found = set(re.findall(r'<img class="thumbnail" src="data:image/png;base64,([^"]*)"', page))
    assert {b64decode(text) for text in found} == {PNG.ljust(100, b"\0")}
    assert "large.png" in page
    assert "https://example.org/&lt;x&gt;.png" in page
    assert 'src="http' not in page


def test_stored_results_stay_as_they_are_and_get_the_images_of_named_benchmarks(benchmark, capsys):
    """With --datasets nothing is scored again, and each direction of a set has its own benchmark."""
    folder = benchmark.parent / "pets"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.png").write_bytes(PNG + name.encode())
    (folder / "captions.csv").write_text("image,caption\na.png,a cat\nb.png,a dog\n")
    command = (
        "eval --benchmarks pets pets:image_to_text --providers random_order random_order(seed=3) --metrics rsum --quiet"
    )
    assert main(command.split()) == 0
    assert main(["report", "latest", "--datasets", "pets", "pets:image_to_text", "set", "-o", "report.html"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "note: --datasets set: no result was evaluated on this benchmark, or it has changed since. Its texts are not shown",
        "wrote report.html",
    ]
    page = (benchmark.parent / "report.html").read_text("utf-8")
    found = re.findall(r'<img class="thumbnail" src="data:image/png;base64,([^"]*)"', page)
    assert {b64decode(text) for text in found} == {PNG + b"a", PNG + b"b"}
    assert "Both directions" in page
    assert "a cat" in page
    assert "median_rank" not in page  # only the metrics of the results, not those of the format
    assert main(["report", "latest", "--dataset", "pets", "--datasets", "pets", "-o", "report.html"]) == 2
    assert "To show texts only, use --datasets" in capsys.readouterr().err


def test_ignored_documents_are_not_called_irrelevant(benchmark, capsys):
    rows = '{"query_id": "q", "image": "small.png", "relevant_ids": ["d0"], "ignored_ids": ["d1"]}\n'
    (benchmark / "queries.jsonl").write_text(rows)
    command = "eval --benchmarks set --providers random_order random_order(seed=3) --metrics mrr --quiet"
    assert main(command.split()) == 0
    assert main(["report", "latest", "-o", "report.html"]) == 0
    capsys.readouterr()
    page = (benchmark.parent / "report.html").read_text("utf-8")
    assert re.search(r">\s*ignored\s*<", page)
    assert "✗ ignore" not in page


def result_of(benchmark, score, name="clip"):
    ranking = {"q": {"a": 1.0, "b": 0.5}} if score else {"q": {"b": 1.0}}
    return assay.evaluate({"q": {"a": 1}}, ranking, ["rsum"], name=name).with_fields(benchmark=benchmark)


def test_both_directions_are_added():
    both = [
        result_of("pets:text_to_image", 1),
        result_of("pets:image_to_text", 1),
        result_of("pets:image_to_text", 0, "other"),
    ]
    text = render_evaluation(both, "markdown", EvaluationDisplay())
    (row,) = [line for line in text.splitlines() if line.startswith("|") and "600" in line]
    assert [cell.strip(" *") for cell in row.strip("|").split("|")] == ["pets", "clip", "300.000", "300.000", "600.000"]
    assert "Both directions" not in render_evaluation(both[:1], "markdown", EvaluationDisplay())
