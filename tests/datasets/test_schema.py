"""JSON Schema, as much of it as we use."""

import pytest

from assay.errors import DataError
from assay.ontology.hpo_cases import schema, schema_faults

SOUND = [
    ({}, "anything"),
    ({"type": "integer"}, 1.0),
    ({"type": "number"}, 1),
    ({"type": ["string", "null"]}, None),
    ({"enum": [1, "a"]}, "a"),
    ({"pattern": "^a+$"}, "aa"),
    ({"pattern": "b"}, "abc"),
    ({"pattern": "^a"}, 7),
    ({"items": {"type": "string"}, "minItems": 1}, ["a"]),
    ({"items": {"type": "string"}, "minItems": 1, "required": ["a"], "properties": {}}, "text has no items"),
    ({"required": ["a"], "properties": {"a": {"type": "boolean"}, "b": {}}}, {"a": True, "c": 1}),
    ({"properties": {"a": {}}, "additionalProperties": {"type": "string"}}, {"a": 1, "b": "x"}),
    ({"patternProperties": {"^x": {"type": "string"}}, "additionalProperties": False}, {"xa": "1"}),
]
UNSOUND = [
    ({"type": "string"}, 1, [((), "expected text, found 1")]),
    ({"type": "integer"}, True, [((), "expected a whole number, found True")]),
    ({"type": "integer"}, 1.5, [((), "expected a whole number, found 1.5")]),
    ({"type": "number"}, float("nan"), [((), "expected a number, found nan")]),
    ({"type": ["object", "null"]}, [], [((), "expected an object or null, found []")]),
    ({"type": "boolean"}, 0, [((), "expected true or false, found 0")]),
    ({"enum": ["a", "b"]}, "c", [((), "expected one of a, b, found 'c'")]),
    ({"pattern": "^a+$"}, "a\n", [((), "expected ^a+$, found 'a\\n'")]),
    ({"pattern": r"^\d$", "examples": ["7"]}, "٣", [((), r"expected ^\d$ (such as 7), found '٣'")]),
    ({"items": {"type": "null"}}, [None, 1, 2], [((1,), "expected null, found 1"), ((2,), "expected null, found 2")]),
    ({"minItems": 2}, [1], [((), "expected at least 2 of them, found 1")]),
    ({"required": ["a", "b"]}, {"b": 1}, [(("a",), "is missing")]),
    ({"properties": {"a": {"items": {"type": "string"}}}}, {"a": [1]}, [(("a", 0), "expected text, found 1")]),
    ({"properties": {"a": {}}, "additionalProperties": False}, {"b": 1}, [(("b",), "is not known here; known are a")]),
    ({"additionalProperties": {"type": "string"}}, {"b": 1}, [(("b",), "expected text, found 1")]),
    ({"patternProperties": {"^x": {"type": "string"}}}, {"xa": 1, "b": 1}, [(("xa",), "expected text, found 1")]),
]


@pytest.mark.parametrize(("rules", "value"), SOUND, ids=str)
def test_what_is_allowed(rules, value):
    assert list(schema_faults(value, rules)) == []


@pytest.mark.parametrize(("rules", "value", "said"), UNSOUND, ids=str)
def test_what_is_not_allowed_and_where(rules, value, said):
    assert list(schema_faults(value, rules)) == said


def test_a_keyword_that_is_not_known_is_not_passed_over():
    with pytest.raises(DataError, match="the schema uses maxLength, which is not checked here"):
        list(schema_faults("a", {"maxLength": 1}))


def keywords(rules):
    """Every keyword that a schema uses, at any depth."""
    yield from rules
    inner = [rules.get("items"), rules.get("additionalProperties")]
    inner += [*rules.get("properties", {}).values(), *rules.get("patternProperties", {}).values()]
    for one in inner:
        if isinstance(one, dict):
            yield from keywords(one)


def test_our_schema_is_of_draft_7_and_uses_what_is_checked():
    assert schema()["$schema"] == "http://json-schema.org/draft-07/schema#"
    checked = {
        "type",
        "enum",
        "pattern",
        "items",
        "minItems",
        "required",
        "properties",
        "patternProperties",
        "additionalProperties",
    }
    assert set(keywords(schema())) - {"$schema", "title", "description", "examples"} <= checked
