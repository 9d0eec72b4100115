"""YAML in plans and rules: one reader, the same limits, and every fault with its line."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError, DataError
from assay.execution import read_plan
from assay.monitoring import rules_from_yaml
from assay.yaml_tree import DEEPEST, MAX_LETTERS, MAX_NODES, Node, parse_yaml


def laughs(n_levels, first="[x, x]", level="[*{0}, *{0}, *{0}, *{0}]"):
    """Aliases of aliases: each level stands for four of the one before."""
    names = [f"n{number}" for number in range(n_levels)]
    rest = (f"{name}: &{name} {level.format(before)}\n" for before, name in pairwise(names))
    return f"n0: &n0 {first}\n" + "".join(rest)


HOSTILE = {
    "lists": ("a: " + "[" * 5_000, "file.yaml:1: nested too deeply"),
    "lists that end": ("a: " + "[" * 3_000 + "]" * 3_000, "file.yaml:1: nested too deeply"),
    "maps": ("{a: " * 2_000, "file.yaml:1: nested too deeply"),
    "dashes": ("- " * 3_000, "file.yaml:1: nested too deeply"),
    "lines": ("".join(f"{' ' * depth}a:\n" for depth in range(200)), f"file.yaml:{DEEPEST + 1}: nested too deeply"),
    "keys of keys": ("? " * 3_000, "file.yaml:1: nested too deeply"),
    "aliases": (laughs(30), "too large: more than 10,000 values after aliases are expanded"),
    "merges": (laughs(30, "{x: 1}", "{{<<: [*{0}, *{0}, *{0}, *{0}]}}"), "too large"),
    "maps by alias": (laughs(30, "{x: 1}", "{{a: *{0}, b: *{0}, c: *{0}}}"), "too large"),
    "depth by alias": (
        "".join(f"n{number}: &n{number} [{'*n' + str(number - 1) if number else 'x'}]\n" for number in range(80)),
        "nested too deeply",
    ),
    "many values": ("a: [" + "1, " * MAX_NODES + "]", "too large"),
    "long": ("a: " + "x" * MAX_LETTERS, "file.yaml: a YAML file must have at most 1,000,000 characters, not "),
    "tag": (
        "a: 1\nb: !!python/object/apply:os.system [x]",
        "file.yaml:2: YAML tags are not supported. Remove '!!python/object",
    ),
    "usual tag": ("a: !!str 1", "file.yaml:1: YAML tags are not supported. Remove '!!str'"),
    "tag of a map": ("!!map {a: 1}", "file.yaml:1: YAML tags are not supported"),
    "bare tag": ("a: ! x", "file.yaml:1: YAML tags are not supported. Remove '!'"),
    "number for a key": ("a:\n- bm25: {1: 0.4}", "file.yaml:2: keys must be text: write '1' instead of 1"),
    "nothing for a key": ("a: {~: 1}", "file.yaml:1: keys must be text: write '~' instead of ~"),
    "truth for a key": ("true: 1", "file.yaml:1: keys must be text: write 'true' instead of true"),
    "list for a key": ("a: 1\n? [b]\n: 2", "file.yaml:2: keys must be text, not a list"),
    "map for a key": ("{a: {{b: 1}: 2}}", "file.yaml:1: keys must be text, not a map"),
    "key by alias": ("a: &a 7\nb: {*a : 1}", "file.yaml:1: keys must be text: write '7' instead of 7"),
    "circle": ("a: &a {b: [*a]}", "file.yaml:1: alias *a contains itself"),
    "circle by merge": ("a: &a {<<: *a}", "file.yaml:1: alias *a contains itself"),
    "merge of text": ("a: {<<: x}", "file.yaml:1: the value of << must be a map or a list of maps"),
    "twice": ("a: {b: 1,\n b: 2}", "file.yaml:2: the key 'b' is already in line 1"),
    "half a letter": (r'a: "\ud800"', "file.yaml:1: '\\ud800' contains a NUL or half of a surrogate pair"),
    "NUL": (r'a: "\0"', "file.yaml:1: '\\x00' contains a NUL"),
    "escape out of range": (r'a: "\UFFFFFFFF"', "file.yaml: not valid YAML"),
}


def test_hostile_files_are_refused_with_their_line():
    for case, (text, told) in HOSTILE.items():
        with pytest.raises(DataError) as caught:
            parse_yaml(text, "file.yaml")
        assert told in str(caught.value), case


def test_plans_and_rules_refuse_the_same_files(tmp_path):
    path = tmp_path / "file.yaml"
    for case in ("dashes", "aliases", "tag", "number for a key", "circle", "twice", "NUL"):
        text, told = HOSTILE[case]
        path.write_text(text)
        for read in (lambda: read_plan(path), lambda text=text: rules_from_yaml(text, str(path))):
            with pytest.raises(DataError) as caught:
                read()
            assert told in str(caught.value).replace(str(path), "file.yaml"), case


def test_a_long_number_is_told_with_its_line(tmp_path):
    (tmp_path / "plan.yaml").write_text(f"a: 1\nk: {'9' * 5000}\n")
    with pytest.raises(AssayError, match=r"plan\.yaml:2: a number has 5,000 digits"):
        read_plan(tmp_path / "plan.yaml")


def test_aliases_and_merges_stand_for_what_they_name(tmp_path):
    rules = rules_from_yaml("rules:\n  - &a {rule: mrr >= 0.1, severity: warn}\n  - {<<: *a, rule: map >= 0.2}\n  - *a\n")
    assert [rule.text for rule in rules] == ["mrr >= 0.1 [warn]", "map >= 0.2 [warn]", "mrr >= 0.1 [warn]"]
    (tmp_path / "plan.yaml").write_text("a: &a {k: 1}\nb: &b {k: 2, j: 3}\nc: {<<: [*a, *b], i: 4}\nd: {'<<': 1}\n")
    assert read_plan(tmp_path / "plan.yaml")["c"] == {"k": 1, "j": 3, "i": 4}
    assert read_plan(tmp_path / "plan.yaml")["d"] == {"<<": 1}


def test_the_limits_are_where_they_are_said_to_be():
    assert parse_yaml("[" * DEEPEST + "]" * DEEPEST, "f").height == DEEPEST
    shared = f"[&a [{'1, ' * 98}], " + "*a, " * 99 + "x]"
    assert parse_yaml(shared, "f").size == 1 + 100 * 99 + 1


def plain(node):
    """A tree without lines."""
    if isinstance(node.value, list):
        return [plain(one) for one in node.value]
    return {name: plain(one) for name, one in node.value.items()} if isinstance(node.value, dict) else node.value


TEXTS = st.text("ab:#-{}[]&*!|>'\"%@`, \n\té7~", max_size=8)
TREES = st.recursive(
    TEXTS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=30
)


@given(TREES)
def test_what_is_written_is_read(tree):
    import yaml

    found = parse_yaml(yaml.safe_dump(tree, default_style='"', allow_unicode=True), "f")
    assert isinstance(found, Node)
    assert plain(found) == tree


PIECES = st.sampled_from(
    [
        *(
            "~",
            "'",
            '"',
            "|",
            ">",
            "#",
            "---\n",
            "...\n",
            "%YAML 1.1\n",
            "%TAG ! x\n",
            "\t",
            "\x00",
            "\x85",
            "\ufeff",
            "\\x",
        ),
        *("[", "]", "{", "}", ", ", ": ", "- ", "? ", "&a ", "*a", "&b ", "*b", "<<", "!!str ", "!", "\n", "\n  ", "a", "1"),
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_any_text_is_read_or_refused_with_its_name(text):
    try:
        found, said = parse_yaml(text, "f.yaml"), "f.yaml"
    except AssayError as error:
        found, said = None, str(error)
    assert said.startswith("f.yaml")
    assert found is None or (found.size <= MAX_NODES and found.height <= DEEPEST)
