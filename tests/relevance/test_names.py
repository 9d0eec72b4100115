"""Resolvers by name, with parameters in brackets."""

from assay.relevance import all_resolvers, parse_resolver

DEFAULTS = {
    "coverage": {"threshold": 0.7},
    "hybrid": {"method": "first", "threshold": 0.5, "weights": (1.0, 1.0, 1.0, 1.0)},
    "lexical": {"threshold": 0.5},
    "ontology": {"formula": "hybrid", "threshold": 0.4, "by": "graded"},
    "pack": {},
    "qrels": {},
    "semantic": {"threshold": 0.5, "model": "wordllama"},
    "span": {"unit": "gold", "rule": "any", "threshold": 0.5, "base": 1},
    "substring": {},
    "token": {"threshold": 0.3},
}


def test_a_name_alone_has_the_defaults_and_what_is_written_comes_first():
    assert list(all_resolvers()) == list(DEFAULTS)
    for name, params in DEFAULTS.items():
        bound = parse_resolver(name)
        assert (bound.name, bound.params) == (name, params)
        assert bound.resolver.meaning
    ones = (1.0, 1.0, 1.0, 1.0)
    for text, defaults, params in (
        ("token(threshold=0.5)", {}, {"threshold": 0.5}),
        ("token(f1_threshold=0.5)", {}, {"threshold": 0.5}),
        ("token", {"threshold": 0.1}, {"threshold": 0.1}),
        ("token(threshold=0.5)", {"threshold": 0.1}, {"threshold": 0.5}),
        ("qrels", {"threshold": 0.1}, {}),
        (" hybrid ( method = weighted ) ", {"threshold": 0.1}, {"method": "weighted", "threshold": 0.1, "weights": ones}),
        ("span(unit=chars)", {}, {**DEFAULTS["span"], "unit": "characters"}),
    ):
        assert parse_resolver(text, **defaults).params == params, text


def test_errors(snapshots):
    texts = (
        *("tokn", "token(threshold=2)", "token(treshold=1)", "qrels(threshold=1)", "token(0.5)", "token(", "span(base=2)"),
        *(f"hybrid(weights={weights})" for weights in ("[1, 1, 1]", "[0, 0, 0, 0]", "[1, 1, 1, -1]", "x", "[inf, 1, 1, 1]")),
        "hybrid(method=best)",
        "semantic(threshold=1.1)",
        "semantic(modell=x)",
    )
    snapshots.check_errors("relevance/names", {text: lambda text=text: parse_resolver(text) for text in texts})
