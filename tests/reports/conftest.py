"""Pages hold the same charts again and again; each is drawn once, for drawing is what a page takes its time for."""

import json

import pytest


@pytest.fixture(scope="session", autouse=True)
def drawn_once():
    """The converter of charts, which remembers what it drew; without the package nothing is changed."""
    try:
        import vl_convert
    except ImportError:
        yield
        return
    draw, known = vl_convert.vegalite_to_svg, {}

    def remembered(spec, **how):
        key = json.dumps([spec, how], sort_keys=True, default=str)
        if key not in known:
            known[key] = draw(spec, **how)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vl_convert, "vegalite_to_svg", remembered)
        yield
