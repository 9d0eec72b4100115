"""Damaged models: valid model files in which one number or field is changed."""

import json
import re


def damaged_text(text, name, value, tree=0):
    """A text model of LightGBM with other numbers in a field of a tree."""
    at = text.index(f"Tree={tree}\n")
    return text[:at] + re.sub(rf"^{name}=.*$", f"{name}={value}", text[at:], count=1, flags=re.MULTILINE)


def damaged_json(text, change, tree=0):
    """A JSON model of XGBoost after a change to one of its trees."""
    model = json.loads(text)
    change(model["learner"]["gradient_booster"]["model"]["trees"][tree])
    return json.dumps(model)


def binary_json(value):
    """A value of JSON as Universal Binary JSON, written by the rules of the format."""
    if isinstance(value, dict):
        return b"{" + b"".join(_length(name.encode()) + binary_json(part) for name, part in value.items()) + b"}"
    if isinstance(value, list):
        return b"[" + b"".join(map(binary_json, value)) + b"]"
    if isinstance(value, str):
        return b"S" + _length(value.encode())
    return b"l" + value.to_bytes(4, "big", signed=True)


def _length(text):
    return b"L" + len(text).to_bytes(8, "big") + text
