"""Finds functions that decide by the text of an error: comparisons, matches and cuts."""

import ast

CUTS = {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "split", "rsplit", "replace"}
CUTS |= {"find", "rfind", "index", "count", "translate"}
TEXTS = {"message", "what", "args", "faults", "differences"}
KINDS = ("Error", "Exception", "Failure", "UnknownName")


def decides_by_text(function: ast.AST) -> bool:
    """Whether it compares, matches or cuts the text of an error that it catches or takes."""
    nodes = list(ast.walk(function))
    errors = {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}
    errors |= {node.arg for node in nodes if isinstance(node, ast.arg) and node.annotation and _is_error(node.annotation)}
    texts: set[str] = set()
    while errors:
        more = {name for node in nodes for name in _names_bound(node, errors, texts)}
        if more <= texts:
            break
        texts |= more
    return any(_decides(node, errors, texts) for node in nodes) if errors else False


def _is_error(annotation: ast.AST) -> bool:
    names = (getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(annotation))
    return not isinstance(annotation, ast.Subscript) and any(name.endswith(KINDS) for name in names)


def _names_bound(node: ast.AST, errors: set[str], texts: set[str]) -> list[str]:
    """Names that hold the text of an error from here on."""
    if isinstance(node, ast.For | ast.comprehension):
        targets, value = [node.target], node.iter
    elif isinstance(node, ast.Assign | ast.NamedExpr):
        targets, value = getattr(node, "targets", None) or [node.target], node.value
    else:
        return []
    names = [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    return names if _is_text(value, errors, texts) else []


def _is_text(node: ast.AST, errors: set[str], texts: set[str]) -> bool:
    """Whether an expression is the text of an error, or is made of it by shaping alone."""
    if isinstance(node, ast.Name):
        return node.id in texts
    if isinstance(node, ast.Attribute):
        return node.attr in TEXTS and isinstance(node.value, ast.Name) and node.value.id in errors
    if isinstance(node, ast.JoinedStr):
        whole = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        return len(whole) == len(node.values) == 1 and isinstance(whole[0], ast.Name) and whole[0].id in errors | texts
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            return _is_text(node.func.value, errors, texts)
        name = getattr(node.func, "id", "")
        is_written = name in {"str", "repr"} and any(isinstance(arg, ast.Name) and arg.id in errors for arg in node.args)
        return is_written or any(_is_text(arg, errors, texts) for arg in node.args if name != "len")
    parts = {ast.Subscript: ["value"], ast.BoolOp: ["values"], ast.IfExp: ["body", "orelse"]}.get(type(node), [])
    inner = [getattr(node, part) for part in parts]
    return any(_is_text(part, errors, texts) for part in (inner[0] if isinstance(node, ast.BoolOp) else inner))


def _decides(node: ast.AST, errors: set[str], texts: set[str]) -> bool:
    if isinstance(node, ast.Compare):
        matched = any(isinstance(op, ast.In | ast.NotIn | ast.Eq | ast.NotEq) for op in node.ops)
        return matched and any(_is_text(side, errors, texts) for side in (node.left, *node.comparators))
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
        return any(_is_text(arg, errors, texts) for arg in node.args)
    is_layout = bool(node.args) and isinstance(node.args[0], ast.Constant) and not str(node.args[0].value).strip()
    return node.func.attr in CUTS and bool(node.args) and not is_layout and _is_text(node.func.value, errors, texts)
