"""assay drift: two runs, no judgments."""

import json


def test_what_moved(assay, files, transcript):
    (files / "tied.run").write_text("".join(f"q{query} Q0 d{doc} 1 1 tied\n" for query in "12" for doc in range(30)))
    transcript("drift/moved")
    plain = json.loads(assay("drift", "good.run", "good.run", "-f", "json").out)
    assert (plain["rbo"], plain["schema"]) == (1.0, "assay.drift/1")
