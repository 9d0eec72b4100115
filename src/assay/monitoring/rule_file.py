"""Rule file: the grammar of rules; parse texts, maps and YAML files.

ndcg@10 >= 0.42                                          a limit
recall@10 drops <= 0.01    latency_p95 rises <= 20%      a change from the baseline
mrr not worse than baseline by 0.02 (95%)                a margin, by tests
no query drops from hit to miss in tag=critical          single queries
failed = 0                                               a count
ndcg@10 ratchet within 0.005                             the best so far
… on BENCHMARK where language=de [warn, undecided: fail] terms, after any of them
guard: 5% over 100 changes    queries: fresh             keys of a file, next to its rules
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from assay.errors import AssayError, BadParameter, UnknownName, near_matches
from assay.monitoring import change_rules, value_rules
from assay.monitoring.guard import parse_guard, parse_queries_kind, usual_guard
from assay.monitoring.rule import Recorded, Rule, at_place, forms_hint, near_words
from assay.monitoring.rule_scope import FAIL, WARN, Guard, parse_severity, split_terms
from assay.text import counted, shortened
from assay.yaml_tree import Node, parse_yaml

KINDS = (
    value_rules.COUNT_KIND,
    value_rules.QUERIES_KIND,
    change_rules.MARGIN_KIND,
    change_rules.CHANGE_KIND,
    change_rules.RATCHET_KIND,
    value_rules.LIMIT_KIND,
)
"""In the order in which they are tried: kinds with keywords come first."""
EXAMPLES = tuple(kind.example for kind in KINDS)
MAP_KEYS = ("rule", "severity", "undecided", "where", "on")
FILE_KEYS = ("rules", "undecided", "guard", "queries")
LIST_KEYS = ("rules", "guard", "queries")
"""Keys of a file that a single rule does not have."""
SHORT_KEYS = (WARN, FAIL)
"""`- warn: mrr >= 0.3` in a file."""
LONGEST_RULE, LONGEST_BODY = 10_000, 1_000
"""The largest number of characters in a rule, and in the part before `where`."""


def parse_rule(text: str, place: str = "", undecided: str = WARN, recorded: Recorded = tuple) -> Rule:
    """Parse one rule. An error names the place and similar words. `recorded` returns the metrics of the results."""
    if not isinstance(text, str) or not text.strip():
        raise at_place(BadParameter(f"a rule must be text such as {EXAMPLES[-1]}, not {text!r}"), place)
    try:
        if len(text) > LONGEST_RULE:
            what = f"a rule can have at most {LONGEST_RULE:,} characters, but this one has {len(text):,}"
            raise BadParameter(f"{what}: {shortened(text)}")
        body, terms = split_terms(text, place, undecided)
        if len(body) > LONGEST_BODY:
            what = f"a rule can have at most {LONGEST_BODY:,} characters before the word where"
            raise BadParameter(f"{what}, but this one has {len(body):,}")
        for kind in KINDS:
            if shape := kind.shape.fullmatch(body):
                return kind.parse(shape, terms, recorded)
        raise _unreadable_error(body)
    except AssayError as error:
        raise at_place(error, place) from None


def _unreadable_error(body: str) -> AssayError:
    """An error about the misspelt keyword if there is one; else with all forms of rules."""
    for word in body.split()[1:]:
        near = near_words(word) if word.isalpha() else []
        if near:
            return UnknownName("keyword of a rule", word, near, forms_hint())
    forms = "".join(f"\n  {example}" for example in EXAMPLES)
    return BadParameter(f"{shortened(body, 100)} is not a rule. Write a rule like one of these:{forms}")


def parse_rules(
    given: str | Rule | Mapping[str, Any] | Iterable[Any], undecided: str = WARN, recorded: Recorded = tuple
) -> list[Rule]:
    """Rules from texts, maps and rules, each once; a BadParameter if there is none.

    A map can also be like a file: `{"guard": "5% over 100 changes", "rules": ["mrr not worse by 0.02"]}`.
    """
    items = [given] if isinstance(given, str | Rule | Mapping) else list(given)
    rules = [rule for item in items for rule in _rules_of(item, undecided, recorded)]
    if not rules:
        raise BadParameter(f"there is no rule. Write one such as {value_rules.LIMIT_KIND.example}")
    return list({rule.text: rule for rule in rules}.values())


def _rules_of(item: Any, undecided: str, recorded: Recorded) -> list[Rule]:
    """The rules of one item: a rule, a text, a map of one rule, or a map like a file."""
    if isinstance(item, Rule):
        return [item]
    if not isinstance(item, Mapping) or item.keys().isdisjoint(LIST_KEYS):
        return [rule_from(item, "", undecided, recorded)]
    content = _content_of(_located(item), "rules", undecided)
    rules = parse_rules([inner for inner, _ in content.items], content.undecided, recorded)
    return [replace(rule, terms=replace(rule.terms, guard=content.guard)) for rule in rules]


def rule_from(item: Any, place: str = "", undecided: str = WARN, recorded: Recorded = tuple) -> Rule:
    """A rule from a text, or from a map: `{rule: mrr not worse by 0.02, severity: warn, where: {language: de}}`.

    `{warn: …}` is short for a rule that only warns.
    """
    if not isinstance(item, Mapping):
        return parse_rule(item, place, undecided, recorded)
    if len(item) == 1 and next(iter(item)) in SHORT_KEYS:
        severity, text = next(iter(item.items()))
        return parse_rule(f"{severity}: {text}", place, undecided, recorded)
    for key in item:
        if key not in MAP_KEYS:
            known = (*MAP_KEYS, *SHORT_KEYS) if len(item) == 1 else MAP_KEYS
            near = near_matches(str(key), known)
            raise at_place(UnknownName("key of a rule", str(key), near, f"choose from {', '.join(known)}"), place)
    if not isinstance(item.get("rule"), str):
        raise at_place(
            BadParameter(f"a rule that is a map needs text under the key rule, found {shortened(dict(item))}"), place
        )
    try:
        return parse_rule(_map_as_text(item), place, undecided, recorded)
    except AssayError as error:
        raise at_place(error, place) from None


def _map_as_text(item: Mapping[str, Any]) -> str:
    """The map as one text."""
    options = [parse_severity(str(item["severity"]), "severity")] if "severity" in item else []
    if "undecided" in item:
        options.append(f"undecided: {parse_severity(str(item['undecided']), 'undecided')}")
    where, on = item.get("where", ()), item.get("on", "")
    from shlex import quote

    if isinstance(where, Mapping):
        pairs = [(name, [values] if isinstance(values, str) else list(values)) for name, values in where.items()]
        clause = " ".join(f"{quote(str(name))}={quote(','.join(map(str, values)))}" for name, values in pairs)
    else:
        clause = where if isinstance(where, str) else " ".join(map(str, where))
    parts = (item["rule"], f"on {on}" if on else "", f"where {clause}" if clause else "")
    return " ".join(filter(None, (*parts, f"[{', '.join(options)}]" if options else "")))


def rules_from_yaml(text: str, source: str = "gate.yaml", recorded: Recorded = tuple) -> list[Rule]:
    """The rules of a file: a list under `rules`, or only the list; `undecided: fail` next to it applies to all rules.

    `guard` and `queries` next to it become terms of each rule. All errors are reported together, each with its line.
    """
    content = _content_of(read_yaml(text, source), source)
    faults: list[AssayError] = []
    rules: list[Rule] = []
    for item, line in content.items:
        try:
            rule = rule_from(item, f"{source}:{line}", content.undecided, recorded)
            rules.append(replace(rule, terms=replace(rule.terms, guard=content.guard)))
        except AssayError as error:
            faults.append(error)
    if len(faults) == 1:
        raise faults[0]
    if faults:
        messages = (str(fault).replace("\n", "\n  ") for fault in faults)
        raise BadParameter("\n  ".join((f"{source}: {counted(len(faults), 'fault')}", *messages)))
    if not rules:
        raise BadParameter(
            f"{source}: the file has no rules. Write rules: and a list, such as - {value_rules.LIMIT_KIND.example}"
        )
    return rules


class Content(NamedTuple):
    """What a file of rules says: each rule with its line, the severity of undecided rules, and the guard."""

    items: Sequence[tuple[Any, int]]
    undecided: str
    guard: Guard | None


def _content_of(whole: LocatedValue, source: str, undecided: str = WARN) -> Content:
    guard, listed = None, whole
    if isinstance(whole.value, dict):
        for key, value in whole.value.items():
            if key not in FILE_KEYS:
                error = UnknownName(
                    "key of a rule file", key, near_matches(key, FILE_KEYS), f"choose from {', '.join(FILE_KEYS)}"
                )
                raise at_place(error, _place(source, value))
        if "undecided" in whole.value:
            undecided = parse_severity(str(whole.value["undecided"].value), f"{source}: undecided")
        guard = _read_guard(whole.value, source)
        listed = whole.value.get("rules", LocatedValue([], 1))
    if not isinstance(listed.value, list):
        where = _place(source, listed)
        raise BadParameter(f"{where}: rules must be a list. Write each rule after a dash, as in - failed = 0")
    return Content([(item.plain(), item.line) for item in listed.value], undecided, guard)


def _place(source: str, value: LocatedValue) -> str:
    return f"{source}:{value.line}" if value.line else source


def _read_guard(keys: Mapping[str, LocatedValue], source: str) -> Guard | None:
    """The guard of a file; with fresh queries there is always one."""
    at = {name: _place(source, keys[name]) for name in ("guard", "queries") if name in keys}
    is_fresh = "queries" in keys and parse_queries_kind(str(keys["queries"].plain()), at["queries"])
    if "guard" in keys:
        return parse_guard(str(keys["guard"].plain()), at["guard"], is_fresh=is_fresh)
    return usual_guard() if is_fresh else None


# YAML in which every value is text and has its line


@dataclass(frozen=True)
class LocatedValue:
    """A text, a list or a map, and its first line; 0 if it was not read from a file."""

    value: Any
    line: int

    def plain(self) -> Any:
        """The value without lines."""
        if isinstance(self.value, list):
            return [item.plain() for item in self.value]
        if isinstance(self.value, dict):
            return {name: item.plain() for name, item in self.value.items()}
        return self.value


def read_yaml(text: str, source: str) -> LocatedValue:
    """The content of a file. Values are not converted: `no`, `1.0` and `2020-01-01` stay text."""
    node = parse_yaml(text, source)
    return LocatedValue([], 1) if node is None else _with_lines(node)


def _located(value: Any) -> LocatedValue:
    """A value that was not read from a file."""
    if isinstance(value, Mapping):
        return LocatedValue({str(name): _located(inner) for name, inner in value.items()}, 0)
    if isinstance(value, list | tuple):
        return LocatedValue([_located(inner) for inner in value], 0)
    return LocatedValue(value, 0)


def _with_lines(node: Node) -> LocatedValue:
    if isinstance(node.value, list):
        return LocatedValue([_with_lines(item) for item in node.value], node.line)
    if isinstance(node.value, dict):
        return LocatedValue({name: _with_lines(item) for name, item in node.value.items()}, node.line)
    return LocatedValue(node.value, node.line)
