"""Rules: what is understood, what is not and why, and that every rule reads back from its canonical text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError, DataError
from assay.metrics.registry import all_metrics
from assay.monitoring import parse_rule, parse_rules, rules_from_yaml
from assay.monitoring.rule_file import EXAMPLES

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


@pytest.mark.parametrize(("written", "canonical"), CANONICAL.items())
def test_many_spellings_in_one_out(written, canonical):
    rule = parse_rule(written)
    assert rule.text == canonical
    assert parse_rule(canonical) == rule


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_a_rule(example):
    assert parse_rule(example)


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


@pytest.mark.parametrize("metric", [name for name in all_metrics() if name not in ("runid", "relstring")])
def test_the_direction_is_that_of_the_metric(metric):
    record = all_metrics()[metric]
    cut = "" if record.at is None else "@10" if record.at.name in ("k", "n") else "@0.5"
    rule = parse_rule(f"{metric}{cut} worsens <= 0.1")
    assert (" drops " in rule.text) == record.higher_is_better


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("ncdg@10 >= 0.3", "no metric is called 'ncdg@10'. Did you mean ndcg@10"),
        ("recall@10 dorps <= 0.01", "no word of a rule is called 'dorps'. Did you mean drops"),
        ("mrr not wrose by 0.02", "Did you mean worse"),
        ("latency_p95 drops <= 3", "latency_p95 is better when lower: write latency_p95 rises <= 3"),
        ("ndcg@10 rises <= 0.1", "ndcg@10 is better when higher: write ndcg@10 drops"),
        ("ndcg@10 >= 42", "ndcg@10 lies between 0 and 1, so it is never >= 42"),
        ("ndcg@10 >= 20 ms", "is no time"),
        ("latency_p95 <= 5%", "is a plain number"),
        ("mrr not worse by -0.1", "from 0 up"),
        ("mrr not worse by 0.02 (20%)", "between 50% and 100%"),
        ("ndcg@10 ratchet where a=b", "a ratchet is about all queries"),
        ("mrr >= 0.3 [warm]", "Did you mean warn?"),
        ("mrr >= 0.3 where kind='x", "the quotes in"),
        ("nonsense", "'nonsense' is no rule; rules look like"),
        (f"mrr not worse by {'1' * 400}", "is too large to be a number"),
        ("", "a rule is a text"),
        ("ndcg@10 drops <= 5", "ndcg@10 lies between 0 and 1, so 5 never fails; did you mean 5%?"),
        ("ndcg@10 drops <= 1", "never fails"),
        ("ndcg@10 drops <= 500%", "so 500% never fails; did you mean 5%?"),
        ("mrr not worse by 2", "mrr lies between 0 and 1, so 2 never fails; did you mean 2%?"),
        ("mrr not worse by 100%", "never fails"),
        ("ndcg@10 ratchet within 3", "so 3 never fails; did you mean 3%?"),
        ("failed <= 200%", "failed is a share of all queries, so it is always <= 200%, and the rule never fails"),
        ("failed <= 100%", "never fails"),
        ("failed >= 0", "never fails"),
        ("failed < 0", "failed is a number of queries, so it is never < 0"),
        ("ndcg@10 >= 0", "so it is always >= 0, and the rule never fails"),
        ("ndcg@10 <= 1", "never fails"),
        ("recall@10 drops < 0.01", "what drops by exactly the limit still holds: write recall@10 drops <= 0.01"),
        ("ndcg@10 is good", "'ndcg@10 is good' is no rule; rules look like\n  failed = 0"),
        ("ndcg@10 " + "x" * 2000, "at most 1,000 letters"),
        ("mrr >= 0.3" + " where a=b" * 3000, "at most 10,000 letters"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(written, said):
    with pytest.raises(AssayError) as caught:
        parse_rule(written, "gate.yaml:3")
    assert str(caught.value).startswith("gate.yaml:3: ")
    assert said in str(caught.value)
    assert caught.value.exit_code == 2


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


def test_all_faults_of_a_file_are_told_at_once_with_their_lines():
    with pytest.raises(AssayError) as caught:
        rules_from_yaml("rules:\n  - ncdg@10 >= 0.3\n  - failed = 0\n  - {rule: mrr >= 0.1, severty: warn}\n", "g.yaml")
    assert "g.yaml: 2 faults" in str(caught.value)
    assert "g.yaml:2: no metric is called" in str(caught.value)
    assert "g.yaml:4: no key of a rule is called 'severty'. Did you mean severity?" in str(caught.value)
    with pytest.raises(AssayError) as caught:
        rules_from_yaml("rules:\n  - nonsense\n  - wrn: mrr >= 0.3\n", "g.yaml")
    assert "\n  g.yaml:2: 'nonsense' is no rule; rules look like\n    failed = 0\n" in str(caught.value)
    assert "g.yaml:3: no key of a rule is called 'wrn'. Did you mean warn" in str(caught.value)
    assert "there are rule, severity, undecided, where, on, warn, fail" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said", "code"),
    [
        ("rules: [", "g.yaml:1: no YAML", 3),
        ("rules: failed = 0", "g.yaml:1: rules are a list", 2),
        ("rulez:\n  - failed = 0", "g.yaml:1: no key of a gate is called 'rulez'. Did you mean rules?", 2),
        ("rules: []", "there is no rule in it", 2),
        ("", "there is no rule in it", 2),
        ("rules:\n  - a: 1\n    a: 2", "g.yaml:3: the key 'a' is in line 2 already", 3),
        ("undecided: perhaps\nrules: [failed = 0]", "undecided is warn or fail", 2),
        ("rules:\n  - [[1]]", "g.yaml:2: a rule is a text", 2),
        (BOMB, "g.yaml:1: too large", 3),
    ],
)
def test_files_that_are_no_rules(text, said, code):
    with pytest.raises(AssayError, match=r"g\.yaml") as caught:
        rules_from_yaml(text, "g.yaml")
    assert said in str(caught.value)
    assert caught.value.exit_code == code


def test_the_same_rule_counts_once_and_none_is_an_error():
    assert len(parse_rules(["failed = 0", "failed == 0"])) == 1
    with pytest.raises(AssayError, match="there is no rule"):
        parse_rules([])
    assert issubclass(DataError, AssayError)
