"""hpo-de, hpo-en, hpo-fr, hpo-es, hpo-nl: the cases that come with the package, held against the ontology."""

import json
import re
import unicodedata
from collections import Counter
from itertools import pairwise

import pytest

from assay.datasets import bundled, check_dataset, load_bundled
from assay.ontology import Case, check_cases
from assay.text import words_of

CODES = ("de", "en", "es", "fr", "nl")
CATEGORIES = {"exact_match", "synonym", "abbreviation", "layperson", "complex"}
DIFFICULTIES = {"easy", "medium", "hard"}
LEAST = {"de": 500, "en": 500, "es": 200, "fr": 200, "nl": 200}
ROOT = "HP:0000118"
"""Phenotypic abnormality: what is right below it are the domains."""


@pytest.fixture(scope="module", params=CODES)
def code(request):
    return request.param


@pytest.fixture(scope="module")
def content(code):
    return json.loads(bundled()[f"hpo-{code}"].read_bytes())


@pytest.fixture(scope="module")
def cases(content):
    return content["test_cases"]


@pytest.fixture
def ontology(parsed_hpo):
    return parsed_hpo


def of_each_size(code, cases):
    return {name: cases[:n] for name, n in load_bundled(f"hpo-{code}").metadata["sizes"].items()}


def test_there_are_enough_and_the_sizes_are_these(code, cases):
    assert len(cases) >= LEAST[code]
    expected = ["tiny", "small", "standard", *(["comprehensive"] if LEAST[code] == 500 else [])]
    assert list(of_each_size(code, cases)) == expected
    assert [len(some) for some in of_each_size(code, cases).values()][:3] == [9, 50, 200]


def test_each_size_holds_the_smaller_ones(code, cases):
    loaded = [load_bundled(f"hpo-{code}:{size}") for size in of_each_size(code, cases)]
    for small, large in pairwise(loaded):
        assert small.queries.items() <= large.queries.items()
        assert small.qrels.items() <= large.qrels.items()
        assert list(large.queries)[: len(small.queries)] == list(small.queries)


def test_reading_repairs_nothing_and_says_what_it_is(code, content):
    dataset = load_bundled(f"hpo-{code}")
    assert dataset.repairs == []
    assert (content["metadata"]["dataset_id"], content["metadata"]["language"]) == (f"hpo-{code}", code)
    assert content["metadata"]["description"]


def test_every_case_has_every_field(code, cases):
    for case in cases:
        assert set(case) == {*("case_id", "text", "description", "expected_hpo_ids", "difficulty", "category", "hpo_domain")}
        assert re.fullmatch(rf"{code}_[a-z]+_\d{{3}}", case["case_id"])
        assert case["category"] in CATEGORIES
        assert case["difficulty"] in DIFFICULTIES
        assert case["text"].strip() == case["text"] != ""
        assert len(set(case["expected_hpo_ids"])) == len(case["expected_hpo_ids"]) >= 1


def test_ids_of_cases_and_texts_are_there_once(cases):
    assert len({case["case_id"] for case in cases}) == len(cases)
    assert len({" ".join(words_of(case["text"])) for case in cases}) == len(cases)
    assert len({case["description"] for case in cases}) > 0.9 * len(cases)


def test_no_text_is_mojibake_or_nearly_the_same_as_another(code):
    *_, largest = load_bundled(f"hpo-{code}").metadata["sizes"]
    codes = {finding.code for finding in check_dataset(load_bundled(f"hpo-{code}:{largest}"))}
    assert not codes & {"mojibake-query", "near-duplicate-queries"}


def test_every_term_is_current_and_named_in_the_description(cases, ontology):
    """An id that is unknown, obsolete, or an alternative one would show here; so would a description of something else."""
    held = [Case(one["case_id"], one["text"], tuple(one["expected_hpo_ids"]), one["description"]) for one in cases]
    assert check_cases(ontology, held) == []
    for case in cases:
        for term in case["expected_hpo_ids"]:
            assert ontology.labels[ontology.number[term]].casefold() in case["description"].casefold()


def test_every_domain_is_above_the_first_term(cases, ontology):
    domains = {ontology.labels[one] for one in ontology.children_of(ontology.number[ROOT]).tolist()}
    strays = {case["hpo_domain"] for case in cases} - domains
    assert strays == set()
    for case in cases:
        found, level = set(), {ontology.number[case["expected_hpo_ids"][0]]}
        while level:
            found |= level
            level = {up for one in level for up in ontology.parents_of(one).tolist()} - found
        assert case["hpo_domain"] in {ontology.labels[one] for one in found}, case


def test_every_category_and_difficulty_has_its_share(code, cases):
    for size, some in of_each_size(code, cases).items():
        categories, difficulties = (Counter(case[name] for case in some) for name in ("category", "difficulty"))
        assert set(categories) == CATEGORIES, size
        assert set(difficulties) == DIFFICULTIES, size
        if size != "tiny":
            assert min(categories.values()) >= 0.15 * len(some), (size, categories)
            assert min(difficulties.values()) >= 0.1 * len(some), (size, difficulties)


def test_many_domains_are_covered(cases):
    counts = Counter(case["hpo_domain"] for case in cases[:200])
    assert len(counts) >= 15
    assert max(counts.values()) <= 50


def test_texts_are_written_in_one_way(cases):
    for case in cases:
        for text in (case["text"], case["description"]):
            assert unicodedata.normalize("NFC", text) == text
            assert all(unicodedata.category(letter) not in ("Cc", "Cf", "Co", "Cn") for letter in text), text


def test_no_template_made_the_texts(cases):
    """Of any 200 texts that come together, at most 14 begin with the same two words."""
    for start in range(0, len(cases) - 199, 20):
        openings = Counter(
            tuple(words[:2]) for case in cases[start : start + 200] if len(words := words_of(case["text"])) > 1
        )
        assert openings.most_common(1)[0][1] <= 14, openings.most_common(3)


def test_few_texts_are_the_label_itself(code, cases, ontology):
    """A retriever that only knows labels must not win by looking them up; in English exact matches may be labels."""
    labels = {" ".join(words_of(label)) for label in ontology.labels}
    same = sum(" ".join(words_of(case["text"])) in labels for case in cases)
    assert same <= (0.1 if code == "en" else 0.05) * len(cases)
