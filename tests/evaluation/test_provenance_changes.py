"""What is recorded as different between two runs."""

from assay.evaluation import what_changed

BEFORE = {
    "repository": {"commit": "1a2b3c4d5e6f", "dirty": False},
    "provider": {"name": "dense", "configuration": {"provider": "dense", "model": {"name": "small", "size": 64}}},
    "files": {"rules.txt": "aa"},
    "dataset": {"version": "1.0", "fingerprints": {"queries": "q", "documents": "d", "judgments": "j"}},
    "k": 100,
    "packages": {"numpy": "2.4.5"},
    "assay": "0.1.0",
    "started": "2026-10-01T02:00:00+00:00",
    "counts": {"asked": 48},
}


def changed(**more):
    return [(one.part, str(one)) for one in what_changed(BEFORE, {**BEFORE, **more})]


def test_nothing_changed():
    assert changed() == []
    assert changed(started="2026-10-02T02:00:00+00:00", counts={"asked": 47}, platform="other") == []


def test_every_part():
    assert changed(repository={"commit": "9f8e7d6c5b4a", "dirty": True}) == [
        ("code", "code version 1a2b3c4 → 9f8e7d6 with uncommitted changes")
    ]
    configuration = {"provider": "dense", "model": {"name": "large", "size": 64}, "normalise": True}
    assert changed(provider={"name": "dense", "configuration": configuration}) == [
        ("provider", "provider configuration: model.name small → large"),
        ("provider", "provider configuration: normalise none → True"),
    ]
    assert changed(files={"rules.txt": "bb"}) == [("provider", "file rules.txt changed")]
    prints = {"queries": "q", "documents": "x", "judgments": "y"}
    assert changed(dataset={"version": "1.1", "fingerprints": prints}) == [
        ("dataset", "dataset version 1.0 → 1.1"),
        ("dataset", "dataset: documents and judgments changed"),
    ]
    assert changed(k=50) == [("request", "k 100 → 50")]
    assert changed(packages={"numpy": "2.4.6"}, assay="0.2.0") == [
        ("software", "assay 0.1.0 → 0.2.0"),
        ("software", "numpy 2.4.5 → 2.4.6"),
    ]


def test_an_empty_field_and_a_missing_one_are_the_same():
    configurations = [
        {"provider": "vectors", "ids": "", "k": 1},
        {"provider": "vectors", "seed": 0},
        {"provider": "vectors"},
    ]
    one, two, three = ({"provider": {"configuration": some}} for some in configurations)
    head = "provider configuration:"
    assert [str(change) for change in what_changed(one, two)] == [f"{head} k 1 → none", f"{head} seed none → 0"]
    assert [str(change) for change in what_changed(three, one)] == [f"{head} k none → 1"]


def test_uncommitted_changes_may_be_other_code_at_the_same_commit():
    dirty = {"commit": "1a2b3c4d5e6f", "dirty": True}
    both = what_changed({"repository": dirty}, {"repository": dirty})
    assert [str(one) for one in both] == ["code version 1a2b3c4 with uncommitted changes"]


def test_a_provenance_is_data_of_others():
    """Odd shapes are no error, secrets are masked, and a text stays on one line."""
    assert what_changed({"repository": None, "provider": 3, "dataset": []}, {}) == ()
    odd = what_changed({"provider": {"configuration": {"a": "x"}}}, {"provider": {"configuration": {"a": "y\nz" * 50}}})
    assert "\n" not in odd[0].text
    assert len(odd[0].text) < 120
