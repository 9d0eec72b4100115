"""Rules: what is understood, what is not and why, and that every rule reads back from its canonical text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.metrics import all_metrics
from assay.monitoring import parse_rule, parse_rules, rules_from_yaml
from assay.text import shortened

CANONICAL = {
    "ndcg@10 >= 0.42": "ndcg@10 >= 0.42",
    "NDCG_at_10≥42%": "ndcg@10 >= 0.42",
    "recall@10 drops <= 0.01": "recall@10 drops <= 0.01",
    "recall@10 drops than baseline by at most 0.01": "recall@10 drops <= 0.01",
    "recall@10 worsens <= 0.01": "recall@10 drops <= 0.01",
    "latency_p95 worsens <= 20 %": "latency_p95 rises <= 20%",
    "latency_p95 <= 1.5 s": "latency_p95 <= 1500",
    "mrr not worse than baseline by 0.02 (95%)": "mrr not worse by 0.02",
    "mrr is no worse than the baseline by more than 0.02 (90 %)": "mrr not worse by 0.02 (90%)",
    "mrr not worse by 5%": "mrr not worse by 5%",
    "failed = 0": "failed = 0",
    "failed == 0": "failed = 0",
    "Failed <= 1%": "failed <= 1%",
    "no query drops from hit to miss in tag=critical": "no query drops from hit to miss where tag=critical",
    "at most 2 queries drop to miss by recall@5": "at most 2 queries drop from hit to miss by recall@5",
    "ndcg@10 ratchet": "ndcg@10 ratchet",
    "ndcg@10 ratchet within 1%": "ndcg@10 ratchet within 1%",
    "warn: mrr >= 0.3": "mrr >= 0.3 [warn]",
    "mrr >= 0.3 [severity: warn, undecided: fail]": "mrr >= 0.3 [warn, undecided: fail]",
    "mrr >= 0.3 where language=de difficulty=hard,easy": "mrr >= 0.3 where language=de difficulty=hard,easy",
    "mrr >= 0.3 where kind='very hard'": "mrr >= 0.3 where kind='very hard'",
    "mrr >= 0.3 on rag-template/hybrid(bm25, dense) where a=b": "mrr >= 0.3 on rag-template/hybrid(bm25, dense) where a=b",
    "ndcg(gain=exp)@10 >= 0.1": "ndcg(gain=exp)@10 >= 0.1",
}


def test_many_spellings_in_one_out():
    for written, canonical in CANONICAL.items():
        rule = parse_rule(written)
        assert (rule.text, rule) == (canonical, parse_rule(canonical)), written
    assert len(parse_rules(["failed = 0", "failed == 0"])) == 1, "the same rule counts once"


def test_every_example_is_a_rule():
    """Those that the error for a text that is no rule shows."""
    with pytest.raises(AssayError) as error:
        parse_rule("nonsense")
    _, *examples = str(error.value).splitlines()
    assert len([parse_rule(example) for example in examples]) > 5


BOMB = "{a: &a [x, x], " + ", ".join(f"{b}: &{b} [*{a}, *{a}, *{a}]" for a, b in pairwise("abcdefghijklmnop")) + "}"
"""Three kilobytes that are 14 million lists when written out."""
NUMBERS = st.floats(0.001, 0.999, allow_nan=False).map(lambda value: round(value, 6))
METRICS = st.sampled_from(["ndcg@10", "mrr", "recall@5", "ndcg(gain=exp)@3", "latency_p95", "rbp(p=0.8)"])
BODIES = st.one_of(
    st.builds("{} >= {}".format, METRICS, NUMBERS),
    st.builds("{} worsens <= {}{}".format, METRICS, NUMBERS, st.sampled_from(["", "%"])),
    st.builds("{} not worse by {} ({}%)".format, METRICS, NUMBERS, st.integers(50, 99)),
    st.builds("at most {} queries drop from hit to miss".format, st.integers(0, 9)),
    st.builds("{} <= {}%".format, st.sampled_from(["failed", "missing"]), NUMBERS),
)
WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters="=,[]"), min_size=1, max_size=8
)


@given(
    BODIES,
    st.dictionaries(WORDS, st.lists(WORDS, min_size=1, max_size=2, unique=True), max_size=2),
    st.sampled_from(["warn", "fail"]),
    st.sampled_from(["warn", "fail"]),
)
def test_every_rule_reads_back_from_its_text(body, where, severity, undecided):
    (rule,) = parse_rules({"rule": body, "where": where, "severity": severity, "undecided": undecided})
    assert rule.terms.severity == severity
    assert dict(rule.terms.where) == {name: tuple(values) for name, values in where.items()}
    assert parse_rule(rule.text) == rule
    assert parse_rule(rule.text).text == rule.text


def test_the_direction_is_that_of_the_metric():
    for metric, record in all_metrics().items():
        if metric not in ("runid", "relstring"):
            cut = "" if record.at is None else "@10" if record.at.name in ("k", "n") else "@0.5"
            assert (" drops " in parse_rule(f"{metric}{cut} worsens <= 0.1").text) == record.higher_is_better, metric


WRONG = [
    *(
        "ncdg@10 >= 0.3",
        "recall@10 dorps <= 0.01",
        "mrr not wrose by 0.02",
        "latency_p95 drops <= 3",
        "ndcg@10 rises <= 0.1",
    ),
    *("ndcg@10 >= 42", "ndcg@10 >= 20 ms", "latency_p95 <= 5%", "mrr not worse by -0.1", "mrr not worse by 0.02 (20%)"),
    *("ndcg@10 rises <= 0.1", "ndcg@10 ratchet where a=b", "mrr >= 0.3 [warm]", "mrr >= 0.3 where kind='x", "nonsense"),
    *(f"mrr not worse by {'1' * 400}", "", "ndcg@10 drops <= 5", "ndcg@10 drops <= 1", "ndcg@10 drops <= 500%"),
    *("mrr not worse by 2", "mrr not worse by 100%", "ndcg@10 ratchet within 3", "failed <= 200%", "failed <= 100%"),
    *("failed >= 0", "failed < 0", "ndcg@10 >= 0", "ndcg@10 <= 1", "recall@10 drops < 0.01", "ndcg@10 is good"),
    *("ndcg@10 " + "x" * 2000, "mrr >= 0.3" + " where a=b" * 3000),
]
"""Texts that are no rules."""


def test_what_is_wrong_is_told_with_its_place(snapshots):
    for written in WRONG:
        with pytest.raises(AssayError) as error:
            parse_rule(written, "gate.yaml:3")
        assert (str(error.value).startswith("gate.yaml:3: "), error.value.exit_code) == (True, 2), written
    cases = {shortened(written): lambda written=written: parse_rule(written) for written in WRONG}
    snapshots.check_errors("gate/rules", cases)


def test_what_may_be_exceeded_is_no_slip():
    for text in (
        "latency_p95 rises <= 500%",
        "latency_p95 rises <= 5000",
        "mrr drops <= 0.99",
        "failed <= 99%",
        "failed <= 5",
    ):
        assert parse_rule(text)


def test_blanks_do_not_matter_but_within_quotes():
    assert parse_rule("mrr   >=\t0.3   where  kind='very  hard'").text == "mrr >= 0.3 where kind='very  hard'"
    assert parse_rule("mrr" + " " * 9000 + ">= 0.3 [warn]").text == "mrr >= 0.3 [warn]"


def test_a_file_of_rules():
    text = """\
undecided: fail
rules:
  - ndcg@10 >= 0.42            # a text
  - warn: mrr >= 0.3
  - rule: recall@10 drops <= 0.01
    severity: warn
    undecided: warn
    where: {language: [de, en], critical: yes}
"""
    rules = rules_from_yaml(text)
    assert [rule.text for rule in rules] == [
        "ndcg@10 >= 0.42",
        "mrr >= 0.3 [warn]",
        "recall@10 drops <= 0.01 where language=de,en critical=yes [warn]",
    ]
    assert [rule.terms.place for rule in rules] == ["gate.yaml:3", "gate.yaml:4", "gate.yaml:5"]
    assert [rule.terms.undecided for rule in rules] == ["fail", "fail", "warn"]
    assert rules_from_yaml("undecided: fail\nrules: ['mrr >= 1 [undecided: fail]']")[0].text == "mrr >= 1 [undecided: fail]"
    assert [rule.text for rule in rules_from_yaml("- failed = 0\n- mrr >= 1")] == ["failed = 0", "mrr >= 1"]


FILES = {
    "two faults": "rules:\n  - ncdg@10 >= 0.3\n  - failed = 0\n  - {rule: mrr >= 0.1, severty: warn}\n",
    "two others": "rules:\n  - nonsense\n  - wrn: mrr >= 0.3\n",
    "no YAML": "rules: [",
    "a text for rules": "rules: failed = 0",
    "another key": "rulez:\n  - failed = 0",
    "no rule": "rules: []",
    "nothing": "",
    "a key twice": "rules:\n  - a: 1\n    a: 2",
    "undecided": "undecided: perhaps\nrules: [failed = 0]",
    "a list for a rule": "rules:\n  - [[1]]",
    "a bomb": BOMB,
}


def test_files_that_are_no_rules(snapshots):
    """All faults of a file are told at once, with their lines."""
    cases = {name: lambda text=text: rules_from_yaml(text, "g.yaml") for name, text in FILES.items()}
    snapshots.check_errors("gate/rule_files", {**cases, "no rules": lambda: parse_rules([])})
    codes = {"no YAML": 3, "a key twice": 3, "a bomb": 3}
    for name, call in cases.items():
        with pytest.raises(AssayError) as error:
            call()
        assert error.value.exit_code == codes.get(name, 2), name
