"""assay experiment: A/B tests and interleaving at the terminal, files and exit codes; and what is wrong."""

import json
from pathlib import Path


def test_compare(folder, transcript):
    transcript("experiment/compared")


def test_interleaving(folder, transcript):
    transcript("experiment/interleaved")


def test_faults(folder, transcript):
    transcript("experiment/faults")


def test_a_page_has_the_verdict_and_escapes_names(folder, assay):
    lines = [
        {
            "user": f"u{number}",
            "variant": ("<b>", "new")[number % 2],
            "query": "q",
            "shown": ["x"],
            "clicks": ["x"] * (number % 3 > 0),
        }
        for number in range(12)
    ]
    Path("log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert assay("experiment", "compare", "log.jsonl", "-m", "ctr", "-o", "page.html", "-q").code == 0
    page = Path("page.html").read_text()
    assert "new is not shown to differ from &lt;b&gt; on ctr" in page
    assert "<b>" not in page
