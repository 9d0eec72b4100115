"""Terms: how an ontology is built, ids in every spelling, search by words, and cases whose ids are wrong."""

import numpy as np
from hypothesis import given

from assay.ontology import Case, Synonym, TermRecord, build_ontology, check_cases, search_terms

from ._small import depth, graphs, ontology_of, records, small, steps_up


def test_depth_is_the_longest_way_to_a_root():
    ontology = small()
    depths = dict(zip(ontology.ids, ontology.depth.tolist(), strict=True))
    assert depths == {"X:R": 0, "X:S": 0, "X:A": 1, "X:B": 1, "X:T": 1, "X:C": 2, "X:E": 2, "X:F": 3, "X:D": 4}
    assert (ontology.max_depth, repr(ontology)) == (4, "Ontology(small 1: 9 terms)")
    synonyms = (Synonym("Headache"), Synonym("Ache", "BROAD"))
    expected = ("X:A", "Head pain", "Pain in the head.", synonyms, ("X:R",), ("X:C", "X:D"), 1, ("X:ALT",))
    assert ontology.term(ontology.number["X:A"]) == expected


@given(graphs())
def test_terms_are_numbered_by_depth_and_then_by_id(parents):
    ontology = ontology_of(parents)
    assert list(ontology.ids) == sorted(parents, key=lambda term: (depth(parents, term), term))
    for number, term in enumerate(ontology.ids):
        assert {ontology.ids[up] for up in ontology.parents_of(number).tolist()} == set(parents[term])
        assert all(up < number for up in ontology.parents_of(number).tolist())
        children = {ontology.ids[child] for child in ontology.children_of(number).tolist()}
        assert children == {child for child, above in parents.items() if term in above}


def test_records_in_any_order_and_parents_that_are_not_there():
    forth, back = small(), build_ontology(records()[::-1])
    assert (forth.ids, forth.parents.tolist()) == (back.ids, back.parents.tolist())
    gone = TermRecord("gone", is_obsolete=True)
    ontology = build_ontology([TermRecord("a", parents=("gone", "nowhere", "r", "r")), TermRecord("r"), gone])
    assert (ontology.ids, ontology.parents.tolist()) == (("r", "a"), [0])
    assert (ontology.notes, small().notes) == (("1 parent is not in the file: nowhere",), ())


def test_ontologies_that_cannot_be(snapshots):
    snapshots.check_errors(
        "ontology/build",
        {
            "above itself": lambda: ontology_of({"a": ("a",)}),
            "a circle of two": lambda: ontology_of({"a": ("b",), "b": ("a",)}),
            "a circle of three": lambda: ontology_of({"r": (), "x": ("r", "a"), "a": ("b",), "b": ("c",), "c": ("a",)}),
            "twice": lambda: build_ontology([TermRecord("a"), TermRecord("a"), TermRecord("b")]),
            "no current term": lambda: build_ontology([TermRecord("a", is_obsolete=True)]),
        },
    )


@given(graphs())
def test_ancestors_against_a_walk_from_term_to_term(parents):
    ontology = ontology_of(parents)
    table, everything = ontology.ancestors, np.arange(len(ontology))
    for number, term in enumerate(ontology.ids):
        rows = slice(table.start[number], table.start[number + 1])
        steps = {ontology.ids[up]: int(n) for up, n in zip(table.ancestor[rows], table.distance[rows], strict=True)}
        assert steps == steps_up(parents, term)
        assert sorted(table.ancestor[rows].tolist()) == table.ancestor[rows].tolist()
        (common,), whole = table.common(np.full(len(everything), number), everything), table.common_with_all(number)
        for name in ("lowest", "shortest", "n_shared"):
            assert getattr(whole, name).tolist() == getattr(common, name).tolist(), name
        for other, above in enumerate(steps_up(parents, other) for other in ontology.ids):
            shared = steps.keys() & above.keys()
            assert (common.n_shared[other], common.lowest[other] >= 0) == (len(shared), bool(shared))
            if shared:
                assert ontology.ids[common.lowest[other]] in shared
                assert ontology.depth[common.lowest[other]] == max(depth(parents, up) for up in shared)
                assert common.shortest[other] == min(steps[up] + above[up] for up in shared)


IDS = ("X:A", "X_A", "x:A", " X:A ", "http://purl.obolibrary.org/obo/X_A", "https://example.org/x#X_A", "X:ALT", "X_ALT")
OTHER_IDS = ("X:OLD", "X:OLDER", "X:GONE", "X:Q", "", "A")
REPLACED_BY = ("lost a", "gone a", "p a", "round a", "a b", "b other_a", "a other_a", "lost", "gone", "round")


def found(ontology, text):
    """What an id stands for: its term, how it was found, and what is said about it."""
    match = ontology.find(text)
    return f"{text!r}: {ontology.ids[match.number] if match.number >= 0 else None}, {match.kind}. {match.note}".strip()


def test_what_an_id_stands_for(snapshots):
    """Every replacement is tried until one is a current term."""
    ontology, lines = small(), []
    ids = ["X:R", "X:OLD", "X:Q", "X:GONE", "X:ALT", "X:OLD"]
    assert (ontology.numbers(ids).tolist(), ontology.numbers([]).tolist()) == ([0, 2, -1, -1, 2, 2], [])
    for replaced_by in REPLACED_BY:
        replaced = build_ontology(
            [
                TermRecord("a", "A", alternatives=("other_a",)),
                TermRecord("b", "B"),
                TermRecord("p", "P", is_obsolete=True, replaced_by=tuple(replaced_by.split())),
                TermRecord("gone", is_obsolete=True),
                TermRecord("round", is_obsolete=True, replaced_by=("p",)),
            ]
        )
        lines.append(f"replaced by {replaced_by}: {found(replaced, 'p')}")
    text = "\n".join([*(found(ontology, text) for text in (*IDS, *OTHER_IDS)), *lines])
    snapshots.check("ontology/replacements", f"{text}\n")
    either = build_ontology([TermRecord("r", alternatives=("old",)), TermRecord("old", is_obsolete=True)])
    assert either.find("old")[::2] == (0, "replaced")


def test_search_finds_whole_names_first_then_labels_and_short_names():
    ontology = small()
    found = {"fever": "BEC", "head pain": "AC", "Pain, head": "AC", "feveri hea": "C", "ever": "R", "cough": "", "  ?": ""}
    for phrase, letters in found.items():
        ids = [f"X:{letter}" for letter in letters]
        assert [ontology.ids[match.number] for match in search_terms(ontology, phrase, 10)] == ids, phrase
    assert len(search_terms(ontology, "fever", 2)) == 2
    assert len(search_terms(ontology, "fever", None)) == 3
    (match,) = search_terms(ontology, "pyrexia")
    assert (ontology.ids[match.number], match.name, match.is_label) == ("X:B", "Pyrexia", False)


def faults(*expected, description="", text="", ontology=None):
    return check_cases(ontology or small(), [Case("c1", text, expected, description)])


def test_faults_of_cases(snapshots):
    """The longest name is suggested, labels before synonyms, and exact synonyms before others."""
    assert faults("X:A", "X:B", description="Head pain with fever") + faults("X:A") == []
    named = build_ontology(
        [
            TermRecord("0", "Seizure", synonyms=(Synonym("Fits"), Synonym("Spell", "BROAD"))),
            TermRecord("1", "Fits"),
            TermRecord("2", "Fainting", synonyms=(Synonym("Spell"), Synonym(""))),
            TermRecord("3", "Anfälle (große)"),
        ]
    )
    phrases = ("German for Feverish head pain, as a doctor writes it", "Layperson's word for Headache, not for fever")
    texts = ("nothing", "Seizures", "a SEIZURE.", "fits", "a spell", "spell or seizure", "Seizure (Anfälle, große)")
    cases = [
        *(("X:Q", {"text": "pyrexia"}), ("X:Q", {"description": "Fever", "text": "heiß"}), ("X:OLD", {}), ("X:ALT", {})),
        *(("X:GONE", {"text": "fever"}), ("X_A", {}), ("X:B", {"description": "Head pain"})),
        *(("X:B", {"description": text}) for text in ("Pyrexia, said otherwise", "Feverish")),
        *(("X:Q", {"description": text}) for text in (*phrases, "Layperson's word for ache", "a fevers word", "")),
        *(("Q", {"description": text, "ontology": named}) for text in texts),
    ]
    lines = []
    for expected, more in cases:
        (fault,) = faults(expected, **more)
        asked = " ".join(filter(None, (expected, more.get("text"), more.get("description"))))
        lines.append(f"{asked}: {fault.severity} {fault.code}: {fault.suggestion}".strip())
    snapshots.check("ontology/case_faults", "\n".join(lines) + "\n")
    cases = [Case("c1", "Too  hot", ("X:B",)), Case("c2", "too hot", ("X:B",)), Case("c3", "", ()), Case("c4", "", ())]
    (fault,) = check_cases(small(), cases)
    expected = {"case": "c2", "severity": "warning", "code": "text", "what": "the text is the same as in c1"}
    assert fault.to_dict() == expected
    assert check_cases(build_ontology([TermRecord("0")]), [Case("c", "anything", ("Q",))])[0].suggestion == ""
