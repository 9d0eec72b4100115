"""Rows put together by hand: nothing that a text holds is ever markup."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from assay.reports import Column
from assay.reports.table import TEXT, Field
from assay.web.rendering import rows_of
from assay.web.tables import Head, Sheet


class Seen(HTMLParser):
    """The elements of some markup with their attributes, and its text."""

    def __init__(self, markup):
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def seen(*fields, picks=()):
    heads = tuple(Head(Column("head", TEXT)) for _ in fields)
    return Seen(str(rows_of(Sheet("label", "name", heads, (fields,), picks, 1, 1, 1))))


def test_a_row():
    found = seen(Field("a", href="/x?a=1&b=2", beside="b"), Field("0.5", tone="best", title="t"), picks=("key/0",))
    assert found.elements == [
        ("tr", {}),
        ("td", {"class": "pick"}),
        ("input", {"type": "checkbox", "name": "r", "value": "key/0", "aria-label": "Pick a b"}),
        ("th", {"scope": "row", "class": "text"}),
        ("a", {"href": "/x?a=1&b=2"}),
        ("span", {"class": "beside"}),
        ("td", {"class": "text best", "title": "t"}),
    ]


@given(st.text(), st.text(min_size=1))
def test_text_stays_text(one, other):
    found = seen(Field(one, href=other, beside=other, title=other, tone=other), Field(one), picks=(other,))
    assert [tag for tag, _ in found.elements] == ["tr", "td", "input", "th", "a", "span", "td"]
    assert {name for _, attributes in found.elements for name in attributes} <= {
        *("class", "type", "name", "value", "aria-label", "scope", "href", "title")
    }
