"""Scopes: classes, functions and the like in a syntax tree, and what they are called."""

from __future__ import annotations

from typing import Any

SCOPES = frozenset(
    {
        *("abstract_class_declaration", "annotation_type_declaration", "class_declaration", "class_definition"),
        *("class_specifier", "constructor_declaration", "enum_declaration", "enum_item", "enum_specifier"),
        *("function_declaration", "function_definition", "function_item", "generator_function_declaration", "impl_item"),
        *("interface_declaration", "internal_module", "method_declaration", "method_definition", "mod_item"),
        *("module_declaration", "namespace_definition", "record_declaration", "struct_item", "struct_specifier"),
        *("trait_item", "type_spec", "union_item", "union_specifier", "variable_declarator"),
    }
)
"""What nodes are called that have a name which their members belong to, in all grammars together."""
WRAPPERS = frozenset(
    {
        *("decorated_definition", "export_statement", "lexical_declaration", "template_declaration", "type_declaration"),
        *("ambient_declaration", "expression_statement", "variable_declaration"),
    }
)
"""Nodes that hold a definition and little else."""
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function", "generator_function", "class"})
LONGEST = 80


def scope_name(node: Any) -> str:
    """What a class, function … is called: `Client`, in Go `Client.Retry`; empty for any other node."""
    if node.type not in SCOPES:
        return ""
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        if value is None or value.type not in _FUNCTIONS:
            return ""
    if node.type == "impl_item":
        return _text(node.child_by_field_name("type")).partition("<")[0]
    name = node.child_by_field_name("name") or _declared(node)
    return f"{_receiver(node)}{_text(name)}"


def definition_name(node: Any) -> str:
    """The name of the definition that a node is or wraps; empty where it is none."""
    for _ in range(len(WRAPPERS)):
        if node.type not in WRAPPERS:
            break
        inside = [child for child in node.named_children if child.type in SCOPES or child.type in WRAPPERS]
        if len(inside) != 1:
            return ""
        node = inside[0]
    return scope_name(node)


def _declared(node: Any) -> Any:
    """The name inside of declarators, as C has it: pointer, reference, function."""
    while node is not None and (inner := node.child_by_field_name("declarator")) is not None:
        node = inner
    return node if node is not None and node.type.endswith("identifier") else None


def _receiver(node: Any) -> str:
    """The type that a method of Go belongs to, and a dot."""
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        return ""
    words = _text(receiver).strip("() ").replace("*", " ").split()
    return f"{words[-1].partition('[')[0]}." if words else ""


def _text(node: Any) -> str:
    """What a node says, on one line, and not too long."""
    text = " ".join(node.text.decode("utf-8", "replace").split()) if node is not None else ""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
