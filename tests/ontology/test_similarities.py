"""Similarities of terms: worked by hand on the small ontology, laws of the whole catalog, and plain references."""

import math

import numpy as np
import pytest
from hypothesis import given

import assay
from assay.metrics import parse_metric
from assay.ontology import all_similarities, parse_similarity

from ._small import graphs, obo, ontology_of, references, small

NAMES = ["hybrid", "jaccard", "jiang_conrath", "lin", "resnik", "simple", "wu_palmer"]


def ic(n_below):
    """Information content of a term that is above so many of the nine, itself included."""
    return 1 - math.log(n_below) / math.log(9)


BY_HAND = {
    "hybrid": {
        "D A": 0.7 / 4 + 0.3 * (1 - 1 / 5),  # a parent is near, but not the same
        "D E": 0.7 / 4 + 0.3 * (1 - 4 / 6),
        "C F": 0.35 + 0.3 * (1 - 1 / 5),
        "D F": 0.525 + 0.3 * (1 - 1 / 7),
        "A B": 0,
        "A T": 0,
        "D R": 0.3 * (1 - 2 / 4),
        "R R": 1,
    },
    "hybrid(weight=1)": {"D A": 1 / 4},
    "hybrid(weight=0)": {"D A": 1 - 1 / 5},
    "jaccard": {"D A": 2 / 6, "D E": 2 / 7, "C F": 4 / 5, "D F": 5 / 6, "A B": 1 / 3, "A T": 0, "D R": 1 / 6, "E E": 1},
    "jiang_conrath": {
        "D A": 1 - (1 + ic(4) - 2 * ic(4)) / 2,
        "D E": 1 - (2 - 2 * ic(5)) / 2,
        "C F": 1 - (ic(2) - ic(3)) / 2,
        "A B": 1 - (ic(4) + ic(5) - 2 * ic(7)) / 2,
        "A T": 0,
        "A A": 1,
    },
    "lin": {
        "D A": 2 * ic(4) / (1 + ic(4)),
        "D E": 2 * ic(5) / 2,
        "C F": 2 * ic(3) / (ic(3) + ic(2)),
        "A B": 2 * ic(7) / (ic(4) + ic(5)),
        "A T": 0,
        "A A": 1,
    },
    "resnik": {"D A": ic(4), "D E": ic(5), "C F": ic(3), "A B": ic(7), "A T": 0, "D R": ic(7), "E E": 1, "A A": ic(4)},
    "resnik(ic=zhou)": {"E E": 0.5 + 0.5 * math.log(3) / math.log(5), "R R": 0.5 * ic(7), "D D": 1},
    "simple": {"D A": 1 / 4, "D E": 1 / 4, "C F": 2 / 4, "D F": 3 / 4, "A B": 0, "A T": 0, "D R": 0, "E E": 1},
    "wu_palmer": {"D A": 4 / 7, "D E": 4 / 8, "C F": 6 / 7, "D F": 8 / 9, "A B": 2 / 4, "A T": 0, "D R": 2 / 6, "E E": 1},
}
"""Similarity → pair of terms → what it is."""


def test_by_hand():
    ontology = small()
    for name, pairs in BY_HAND.items():
        for pair, expected in pairs.items():
            a, b = (ontology.numbers([f"X:{term}"]) for term in pair.split())
            assert ontology.similarity(name, a, b)[0] == pytest.approx(expected), (name, pair)


@given(graphs())
def test_against_the_definitions(parents):
    ontology = ontology_of(parents)
    worked = list(references(parents))
    a, b = (ontology.numbers(side) for side in list(zip(*worked, strict=True))[:2])
    for name in NAMES:
        expected = [values[name] for *_, values in worked]
        assert np.allclose(ontology.similarity(name, a, b), expected, rtol=0, atol=1e-12), name


@given(graphs())
def test_laws(parents):
    ontology = ontology_of(parents)
    a, b = (side.ravel() for side in np.meshgrid(np.arange(len(ontology)), np.arange(len(ontology))))
    is_other = a != b
    for name in (*NAMES, "lin(ic=zhou)", "jiang_conrath(ic=zhou)"):
        similarity = parse_similarity(name)
        values = ontology.similarity(name, a, b)
        square = values.reshape(len(ontology), -1)
        assert ((values >= 0) & (values <= 1)).all(), name
        assert (square == square.T).all(), name
        assert np.allclose([similarity.with_all(ontology, n) for n in range(len(ontology))], square, atol=1e-12), name
        if similarity.similarity.is_normalised:
            assert (values[~is_other] == 1).all(), name
        if name != "resnik":  # information from structure tells terms apart as depth does
            assert (values[is_other] < 1).all(), name


def test_unknown_terms_and_pairs_that_come_often():
    ontology, nothing = small(), np.zeros(0, dtype=np.int64)
    single, zero = ontology_of({"a": ()}), np.array([0])
    for name in NAMES:
        assert ontology.similarity(name, np.array([-1, -1, 3]), np.array([-1, 3, -1])).tolist() == [0, 0, 0], name
        assert not parse_similarity(name).with_all(ontology, -1).any(), name
        assert ontology.similarity(name, nothing, nothing).tolist() == [], name
        assert len(set(ontology.similarity(name, np.array([8, 2, 8]), np.array([2, 8, 2])).tolist())) == 1, name
        assert single.similarity(name, zero, zero)[0] == (name != "resnik"), name


@pytest.fixture
def annotated(tmp_path, monkeypatch):
    """An ontology with counts of what was annotated, both from files."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))

    def made(parents, things):
        lines = [f"{thing}\t{term}\n" for thing, some in things.items() for term in some]
        (tmp_path / "terms.obo").write_text(
            obo({one: [f"is_a: {up}" for up in ups] for one, ups in parents.items()}, "terms")
        )
        (tmp_path / "things.tsv").write_text("".join(lines))
        return assay.load_ontology(tmp_path / "terms.obo", tmp_path / "things.tsv")

    return made


PARENTS = {"X:R": (), "X:A": ("X:R",), "X:C": ("X:A",), "X:D": ("X:C",), "X:E": ("X:R",)}


def test_annotations_by_hand(annotated):
    ontology = annotated(PARENTS, {"p": ["X:D"], "q": ["X:C", "X:A"], "r": ["X:A"], "s": ["X:R"], "t": ["X:Q"]})
    counts = dict(zip(ontology.ids, ontology.annotated.tolist(), strict=True))
    assert (counts, ontology.n_annotated) == ({"X:R": 4, "X:A": 3, "X:E": 0, "X:C": 2, "X:D": 1}, 4)
    numbers = ontology.numbers(["X:A", "X:E"])
    content = ontology.similarity("resnik(ic=annotations)", numbers, numbers).tolist()
    assert content == pytest.approx([1 - math.log(3) / math.log(4), 1])
    ontology = annotated(PARENTS, {"p": ["X:D"], "q": ["X:E"]})
    pair = ontology.numbers(["X:D"]), ontology.numbers(["X:C"])
    for name in ("lin", "jiang_conrath"):
        assert ontology.similarity(f"{name}(ic=annotations)", *pair)[0] == 1, "the same annotations"


@given(graphs())
def test_what_is_below_says_more(parents):
    ontology = ontology_of(parents)
    numbers = np.arange(len(ontology))
    for source in ("seco", "zhou"):
        content = ontology.similarity(f"resnik(ic={source})", numbers, numbers)
        assert ((content >= 0) & (content <= 1)).all(), source
        child = np.repeat(numbers, np.diff(ontology.parent_start))
        assert (content[child] >= content[ontology.parents]).all(), source


def test_names_and_a_complete_catalog():
    assert list(all_similarities()) == NAMES
    for similarity in all_similarities().values():
        assert all((similarity.meaning, similarity.edge_cases, similarity.formula, similarity.cite)), similarity.name
    names = {"Wu-Palmer": "wu_palmer", "wup": "wu_palmer", "jcn": "jiang_conrath", "hybrid(weight=0.7)": "hybrid"}
    names |= {"lin(ic=seco)": "lin", "lin( ic = zhou )": "lin(ic=zhou)", "hybrid( weight=0.5)": "hybrid(weight=0.5)"}
    for text, name in {**names, "resnik(ic=annotations)": "resnik(ic=annotations)"}.items():
        similarity = parse_similarity(text)
        assert (similarity.name, parse_similarity(name)) == (name, similarity), text
        assert similarity.reads_annotations == ("annotations" in name), text
    assert parse_metric("MaxOntSim(formula=wup)@5").name == "max_ont_sim(formula=wu_palmer)@5"
    assert parse_metric("max_ont_sim(formula=lin(ic=zhou))@5").name == "max_ont_sim(formula=lin(ic=zhou))@5"


def test_errors(snapshots, annotated):
    numbers = np.array([0])
    snapshots.check_errors(
        "ontology/similarities",
        {
            "nobody knows it": lambda: parse_similarity("resnick"),
            "a value that is none": lambda: parse_similarity("lin(ic=x)"),
            "no formula of a metric": lambda: parse_metric("max_ont_sim(formula=best)"),
            "a parameter of a formula": lambda: parse_metric("max_ont_sim(formula=lin(x=1))"),
            "no annotations": lambda: small().similarity("lin(ic=annotations)", numbers, numbers),
            "annotations of other terms": lambda: annotated(PARENTS, {"p": ["Y:1"]}),
        },
    )
