"""assay plan check: what `assay eval` would say, without asking anything."""

import json


def test_a_plan_that_is_fine(assay, folder, transcript):
    transcript("plan/fine")
    assert list(folder.iterdir()) == [folder / "plan.yaml"]
    plain = json.loads(assay("plan", "check", "plan.yaml", "-f", "json").out)
    assert (plain["queries"], plain["k"], len(plain["providers"])) == ({"rag-template": 3}, 100, 3)
    transcript("plan/noted")
    assert len(json.loads(assay("plan", "check", "noted.yaml", "-f", "json").out)["notes"]) == 1


def test_what_is_wrong_is_told(folder, transcript):
    transcript("plan/faults")
