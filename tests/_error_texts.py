"""Finds places in source that decide by the text of an error: comparisons, matches and cuts."""

import ast
from collections.abc import Iterator

CUTS = {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "split", "rsplit", "replace"}
CUTS |= {"find", "rfind", "index", "count", "translate"}
TEXTS = {"message", "what", "args", "faults", "differences"}


def decisions_by_text(source: str) -> list[str]:
    """The name of the function, once for each such place in it."""
    return [name for name, function in _functions(ast.parse(source)) for _ in _places(function)]


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node


def _places(function: ast.AST) -> list[ast.AST]:
    nodes = list(ast.walk(function))
    errors = {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}
    errors |= {node.arg for node in nodes if isinstance(node, ast.arg) and _is_error(node.annotation)}
    if not errors:
        return []
    texts: set[str] = set()
    while True:
        found = {name for node in nodes for name in _names_bound(node, errors, texts)}
        if found <= texts:
            break
        texts |= found
    return [node for node in nodes if _decides(node, errors, texts)]


def _is_error(annotation: ast.AST | None) -> bool:
    if isinstance(annotation, ast.BinOp):
        return _is_error(annotation.left) or _is_error(annotation.right)
    name = getattr(annotation, "attr", getattr(annotation, "id", ""))
    return name.endswith(("Error", "Exception", "Failure", "UnknownName"))


def _names_bound(node: ast.AST, errors: set[str], texts: set[str]) -> Iterator[str]:
    """Names that hold the text of an error from here on."""
    if isinstance(node, ast.Assign):
        pairs = [(target, node.value) for target in node.targets]
    elif isinstance(node, ast.For | ast.comprehension):
        pairs = [(node.target, node.iter)]
    elif isinstance(node, ast.NamedExpr):
        pairs = [(node.target, node.value)]
    else:
        return
    for target, value in pairs:
        if _is_text(value, errors, texts):
            yield from (name.id for name in ast.walk(target) if isinstance(name, ast.Name))


def _is_text(node: ast.AST, errors: set[str], texts: set[str]) -> bool:
    """Whether an expression is the text of an error, or is made of it by shaping alone."""
    if isinstance(node, ast.Name):
        return node.id in texts
    if isinstance(node, ast.Attribute):
        return node.attr in TEXTS and isinstance(node.value, ast.Name) and node.value.id in errors
    if isinstance(node, ast.Subscript):
        return _is_text(node.value, errors, texts)
    if isinstance(node, ast.BoolOp | ast.IfExp):
        parts = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
        return any(_is_text(part, errors, texts) for part in parts)
    if isinstance(node, ast.JoinedStr):
        whole = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        return len(whole) == len(node.values) == 1 and isinstance(whole[0], ast.Name) and whole[0].id in errors | texts
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            return _is_text(node.func.value, errors, texts)
        is_error = any(isinstance(arg, ast.Name) and arg.id in errors for arg in node.args)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        return (name in {"str", "repr"} and is_error) or any(
            _is_text(arg, errors, texts) for arg in node.args if name != "len"
        )
    return False


def _decides(node: ast.AST, errors: set[str], texts: set[str]) -> bool:
    if isinstance(node, ast.Compare):
        matched = any(isinstance(op, ast.In | ast.NotIn | ast.Eq | ast.NotEq) for op in node.ops)
        return matched and any(_is_text(side, errors, texts) for side in (node.left, *node.comparators))
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
        return any(_is_text(arg, errors, texts) for arg in node.args)
    return node.func.attr in CUTS and bool(node.args) and not _is_shape(node) and _is_text(node.func.value, errors, texts)


def _is_shape(call: ast.Call) -> bool:
    """Lines and blanks of a text are layout."""
    first = call.args[0]
    return isinstance(first, ast.Constant) and isinstance(first.value, str) and not first.value.strip()
