"""hpo-de, hpo-en, hpo-fr, hpo-es, hpo-nl: the cases that come with the package, held against the ontology."""

import json
import re
import unicodedata
from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

from assay.datasets import bundled, check_dataset, load_bundled
from assay.ontology import Case, check_cases
from assay.text import words_of

CODES = ("de", "en", "es", "fr", "nl")
LEAST = 500
CATEGORIES = {"exact_match", "synonym", "abbreviation", "layperson", "complex"}
DIFFICULTIES = {"easy", "medium", "hard"}
FIELDS = {"case_id", "text", "description", "expected_hpo_ids", "difficulty", "category", "hpo_domain"}
ROOT = "HP:0000118"
"""Phenotypic abnormality: what is right below it are the domains."""


@cache
def content_of(code):
    return json.loads(bundled()[f"hpo-{code}"].read_bytes())


def all_cases():
    return [(code, content_of(code)["test_cases"]) for code in CODES]


def same_words(text):
    return " ".join(words_of(text))


def test_sizes():
    """There are enough, and each size holds the smaller ones."""
    for code, cases in all_cases():
        whole = load_bundled(f"hpo-{code}")
        sizes = whole.metadata["sizes"]
        assert (whole.repairs, len(cases) >= LEAST) == ([], True), code
        assert list(sizes) == ["tiny", "small", "standard", "comprehensive"], code
        assert list(sizes.values())[:3] == [9, 50, 200], code
        for small, large in pairwise(load_bundled(f"hpo-{code}:{size}") for size in sizes):
            assert small.queries.items() <= large.queries.items(), code
            assert small.qrels.items() <= large.qrels.items(), code
            assert list(large.queries)[: len(small.queries)] == list(small.queries), code
        codes = {finding.code for finding in check_dataset(load_bundled(f"hpo-{code}:{list(sizes)[-1]}"))}
        assert not codes & {"mojibake-query", "near-duplicate-queries"}, code
        for size, n in sizes.items():
            categories, difficulties = (Counter(case[name] for case in cases[:n]) for name in ("category", "difficulty"))
            assert (set(categories), set(difficulties)) == (CATEGORIES, DIFFICULTIES), (code, size)
            if size != "tiny":
                assert min(categories.values()) >= 0.15 * n, (code, size, categories)
                assert min(difficulties.values()) >= 0.1 * n, (code, size, difficulties)


def test_every_case_has_every_field_written_in_one_way():
    for code, cases in all_cases():
        about = content_of(code)["metadata"]
        assert (about["dataset_id"], about["language"], bool(about["description"])) == (f"hpo-{code}", code, True)
        for case in cases:
            assert set(case) == FIELDS
            assert re.fullmatch(rf"{code}_[a-z]+_\d{{3}}", case["case_id"])
            assert case["text"].strip() == case["text"] != ""
            assert len(set(case["expected_hpo_ids"])) == len(case["expected_hpo_ids"]) >= 1
            for text in (case["text"], case["description"]):
                assert unicodedata.normalize("NFC", text) == text
                assert all(unicodedata.category(letter) not in ("Cc", "Cf", "Co", "Cn") for letter in text), text
        assert len({case["case_id"] for case in cases}) == len({same_words(case["text"]) for case in cases}) == len(cases)
        assert len({case["description"] for case in cases}) > 0.9 * len(cases), code
        domains = Counter(case["hpo_domain"] for case in cases[:200])
        assert (len(domains) >= 15, max(domains.values()) <= 50) == (True, True), domains
        # no template made the texts: of any 200 that come together, at most 14 begin with the same two words
        openings = [tuple(words_of(case["text"])[:2]) for case in cases]
        for start in range(0, len(cases) - 199, 20):
            counts = Counter(words for words in openings[start : start + 200] if len(words) > 1)
            assert counts.most_common(1)[0][1] <= 14, (code, counts.most_common(3))


@pytest.mark.slow
def test_terms_are_current_and_named_and_domains_are_above_them(parsed_hpo):
    """An id that is unknown, obsolete, or an alternative one would show here; so would a description of something else."""
    ontology = parsed_hpo
    domains = {ontology.labels[one] for one in ontology.children_of(ontology.number[ROOT]).tolist()}
    labels = {same_words(label) for label in ontology.labels}
    for code, cases in all_cases():
        held = [Case(one["case_id"], one["text"], tuple(one["expected_hpo_ids"]), one["description"]) for one in cases]
        assert check_cases(ontology, held) == []
        assert {case["hpo_domain"] for case in cases} <= domains, code
        for case in cases:
            for term in case["expected_hpo_ids"]:
                assert ontology.labels[ontology.number[term]].casefold() in case["description"].casefold()
            found, level = set(), {ontology.number[case["expected_hpo_ids"][0]]}
            while level:
                found |= level
                level = {up for one in level for up in ontology.parents_of(one).tolist()} - found
            assert case["hpo_domain"] in {ontology.labels[one] for one in found}, case
        n_labels = sum(same_words(case["text"]) in labels for case in cases)
        assert n_labels <= (0.1 if code == "en" else 0.05) * len(cases), "who knows labels only must not win"
