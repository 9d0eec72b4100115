"""assay score starts quickly: what only pages, charts and retrievers need is not imported for a table."""

import sys

import pytest

pytestmark = pytest.mark.usefixtures("files")
LOOK = (
    "import sys; from assay.cli import main; code = main(sys.argv[1:]); print(*sys.modules, file=sys.stderr); sys.exit(code)"
)
NOT_FOR_A_TABLE = (
    "assay.reports.page",
    "assay.charts",
    "assay.execution.runner",
    "assay.execution.checkpoint",
    "jinja2",
)


@pytest.mark.parametrize("more", [(), ("-f", "csv"), ("-o", "r.md")])
def test_a_table_needs_no_page(process, more):
    done = process("score", "qrels.txt", "good.run", "-m", "map", *more, program=(sys.executable, "-c", LOOK))
    assert done.code == 0
    loaded = done.err.split()
    assert "assay.reports.renderers.console" in loaded
    if "-o" not in more:
        assert [name for name in NOT_FOR_A_TABLE if name in loaded] == []
    assert [name for name in loaded if name.startswith("assay.reports.page")] == []
