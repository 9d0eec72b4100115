"""The mover, on a small repository: what moves, what is joined, what is renamed, and that all references follow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("libcst")

from tools.move.__main__ import main
from tools.move.checks import dangling
from tools.move.repository import Repository
from tools.move.tables import incomplete, read_moves

FILES = {
    "src/shop/__init__.py": '"""A shop."""\n',
    "src/shop/goods/__init__.py": '"""Goods."""\n\nfrom shop.goods._apple import Apple\n\n__all__ = ["Apple"]\n',
    "src/shop/goods/_fruit.py": (
        '"""Fruit: what all fruit has."""\n\nfrom __future__ import annotations\n\nimport math\n\n'
        "LIMIT = 3\n\n\nclass Fruit:\n    n = LIMIT\n\n\ndef _plain(x: int) -> int:\n    return x + LIMIT\n\n\n"
        "def _same(x: int) -> int:\n    return math.floor(x)\n\n\n"
        "def weigh(x: int) -> int:\n    return _plain(x) + _same(x)\n"
    ),
    "src/shop/goods/_apple.py": (
        '"""Apples: red ones."""\n\nfrom __future__ import annotations\n\nimport math\nfrom typing import TYPE_CHECKING\n\n'
        "from shop.goods._fruit import Fruit\nfrom shop.goods._fruit import weigh as weight_of\n\n"
        "if TYPE_CHECKING:\n    from collections.abc import Iterable\n\n"
        "LIMIT = 5\n\n\nclass Apple(Fruit):\n    limit = LIMIT\n\n    def weight(self, others: Iterable[int]) -> int:\n"
        "        from shop.goods import _fruit\n\n        return weight_of(_plain(1)) + sum(others) + _fruit.weigh(1)\n\n\n"
        "def _plain(x: int) -> int:\n    return x * LIMIT\n\n\ndef _same(x: int) -> int:\n    return math.floor(x)\n"
    ),
    "src/shop/goods/_sums.py": '"""Sums."""\n\n\ndef sum(values):\n    return "not the builtin"\n',
    "src/shop/till/__init__.py": '"""The till."""\n',
    "src/shop/till/sale.py": (
        '"""Sales."""\n\nfrom shop.goods import _fruit\nfrom shop.goods._apple import Apple, LIMIT\n\n\n'
        "def total(lists):\n    return [_fruit.weigh(one) + LIMIT + Apple().weight([1]) for one in lists]\n"
    ),
    "src/shop/till/note.py": '"""Notes."""\n\nimport shop.goods._fruit\n\nKEPT = shop.goods._fruit.LIMIT\n',
    "tests/test_sale.py": (
        "import shop.goods._apple as module\nfrom shop.goods import _apple, _fruit\nfrom shop.goods._apple import _plain\n"
        "from shop.till.sale import total\n\n\ndef test_total(monkeypatch):\n"
        '    monkeypatch.setattr("shop.goods._fruit.LIMIT", 0)\n    monkeypatch.setattr(_apple, "LIMIT", 7)\n'
        "    assert _plain(1) == 7 and module._plain(1) == 7\n    assert _fruit.LIMIT == 0\n    assert total([1])\n"
    ),
    "docs/page.md": (
        "```python\nfrom shop.goods import _fruit\nfrom shop.goods._apple import LIMIT\n```\nsee `goods/_fruit.py`\n"
    ),
    "pyproject.toml": '[project.entry-points.x]\na = "shop.goods._apple:Apple"\n',
}
TABLE = (
    "old\tnew\tremark\n"
    "src/shop/goods/_apple.py\tsrc/shop/goods/fruit.py\tjoined with 2 others (main part)\n"
    "src/shop/goods/_fruit.py\tsrc/shop/goods/fruit.py\tjoined with 2 others\n"
    "src/shop/goods/_sums.py\tsrc/shop/goods/fruit.py\tjoined with 2 others\n"
)


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "table.tsv").write_text(TABLE)
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return tmp_path


def carry_out(shop: Path, *words: str) -> int:
    return main(["--root", str(shop), *words])


def passes(shop: Path, code: str = "") -> None:
    """The tests of the shop pass, or the code runs."""
    words = ["-c", code] if code else ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest", "tests"]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=shop,
        env={"PYTHONPATH": "src", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_are_joined_and_all_references_follow(shop, capsys):
    passes(shop)
    assert carry_out(shop, "move", "table.tsv") == 0
    report = capsys.readouterr().out
    joined = (shop / "src/shop/goods/fruit.py").read_text()
    passes(shop)
    assert dangling(Repository(shop), read_moves(shop / "table.tsv")) == []
    assert not (shop / "src/shop/goods/_apple.py").exists()
    assert joined.startswith('"""Apples: red ones."""')
    assert joined.index("class Fruit") < joined.index("class Apple")
    assert joined.count("def _same") == 1
    assert "import _fruit" not in joined
    assert "weight_of" not in joined
    assert "src/shop/goods/_fruit.py: Fruit: what all fruit has." in report
    page = (shop / "docs/page.md").read_text()
    assert "from shop.goods import fruit\nfrom shop.goods.fruit import LIMIT" in page
    assert "goods/fruit.py" in page
    assert "shop.goods.fruit:Apple" in (shop / "pyproject.toml").read_text()
    assert "shop.goods.fruit.FRUIT_LIMIT" in (shop / "src/shop/till/note.py").read_text()


def test_clashes_have_visible_names_or_those_of_a_table(shop, capsys):
    (shop / "names.tsv").write_text("module\told\tnew\nshop.goods._fruit\tLIMIT\tMOST_FRUIT\n")
    assert carry_out(shop, "move", "table.tsv", "--renames", "names.tsv") == 0
    joined = (shop / "src/shop/goods/fruit.py").read_text()
    assert "MOST_FRUIT = 3" in joined
    assert "\nLIMIT = 5" in joined
    assert "n = MOST_FRUIT" in joined
    assert "def _plain_fruit(" in joined
    assert "def sum_sums(" in joined
    assert "_plain\t_plain_fruit" in capsys.readouterr().out
    test = (shop / "tests/test_sale.py").read_text()
    assert '"shop.goods.fruit.MOST_FRUIT"' in test
    assert 'setattr(fruit, "LIMIT"' in test
    assert "fruit.MOST_FRUIT == 0" in test


def test_a_name_is_renamed_wherever_it_is_used(shop):
    (shop / "names.tsv").write_text("module\told\tnew\nshop.goods._apple\tApple\tRedApple\nshop.goods._fruit\tweigh\tmass\n")
    assert carry_out(shop, "rename", "names.tsv") == 0
    passes(shop)
    assert '__all__ = ["RedApple"]' in (shop / "src/shop/goods/__init__.py").read_text()
    assert "_fruit.mass(one) + LIMIT + RedApple()" in (shop / "src/shop/till/sale.py").read_text()


def test_modules_may_change_places(shop):
    (shop / "table.tsv").write_text(
        "src/shop/goods/_apple.py\tsrc/shop/goods/_fruit.py\tmoved\nsrc/shop/goods/_fruit.py\tsrc/shop/stock/fruit.py\tmoved\n"
    )
    assert carry_out(shop, "move", "table.tsv") == 0
    passes(shop)
    assert (shop / "src/shop/stock/__init__.py").exists()
    assert "from shop.stock.fruit import Fruit" in (shop / "src/shop/goods/_fruit.py").read_text()


def test_what_a_door_offers_is_not_taken_for_the_file_of_its_name(shop):
    (shop / "src/shop/till/__init__.py").write_text(
        '"""The till."""\n\nfrom shop.till.sale import sale\n\n__all__ = ["sale"]\n'
    )
    (shop / "src/shop/till/sale.py").write_text('"""Sales."""\n\n\ndef sale():\n    return 1\n')
    (shop / "tests/test_sale.py").write_text("from shop.till import sale\n\n\ndef test_it():\n    assert sale() == 1\n")
    (shop / "docs/page.md").write_text("[a](../src/shop/till/sale.py)\n\n    from shop.till import sale\n")
    (shop / "table.tsv").write_text("src/shop/till/sale.py\tsrc/shop/till/_sale.py\tmoved\n")
    assert carry_out(shop, "move", "table.tsv") == 0
    passes(shop)
    assert (shop / "docs/page.md").read_text() == "[a](../src/shop/till/_sale.py)\n\n    from shop.till import sale\n"


def test_a_file_that_is_there_is_not_overwritten(shop, capsys):
    (shop / "table.tsv").write_text("src/shop/goods/_apple.py\tsrc/shop/till/sale.py\tmoved\n")
    assert carry_out(shop, "move", "table.tsv") == 1
    assert "there already" in capsys.readouterr().out
    passes(shop)


def test_a_table_must_have_every_module_once(shop):
    wrong = incomplete(read_moves(shop / "table.tsv"), Repository(shop))
    assert "no row: src/shop/till/sale.py" in wrong
    assert not any("_apple" in one for one in wrong)


def test_imports_across_packages_go_through_doors(shop, capsys):
    (shop / "src/assay").mkdir()
    (shop / "src/assay/__init__.py").write_text('"""Where doors come from."""\n')
    (shop / "src/assay/lazy.py").write_text((Path(__file__).parents[2] / "src/assay/lazy.py").read_text())
    sale = shop / "src/shop/till/sale.py"
    assert carry_out(shop, "doors") == 1
    assert "is a file, not a name" in capsys.readouterr().out
    sale.write_text(
        '"""Sales."""\n\nfrom shop.goods._apple import Apple, LIMIT\nfrom shop.goods._fruit import weigh\n\n\n'
        "def total(lists):\n    return [weigh(one) + LIMIT + Apple().weight([1]) for one in lists]\n"
    )
    assert carry_out(shop, "doors") == 0
    passes(shop)
    assert "from shop.goods import LIMIT, Apple, weigh\n" in sale.read_text()
    stub = (shop / "src/shop/goods/__init__.pyi").read_text()
    assert "import weigh as weigh" in stub
    assert '__all__ = ["Apple"]' in stub
    passes(shop, "import shop.goods, sys; assert 'shop.goods._apple' not in sys.modules; from shop.goods import *; Apple")


def test_what_goes_to_another_package_is_offered_by_its_door(shop):
    (shop / "src/assay").mkdir()
    (shop / "src/assay/__init__.py").write_text('"""Where doors come from."""\n')
    (shop / "src/assay/lazy.py").write_text((Path(__file__).parents[2] / "src/assay/lazy.py").read_text())
    (shop / "src/shop/till/sale.py").write_text(
        '"""Sales."""\n\nfrom shop.goods._apple import LIMIT, Apple\nfrom shop.goods._fruit import weigh\n\n\n'
        "def total(lists):\n    return [weigh(one) + LIMIT + Apple().weight([1]) for one in lists]\n"
    )
    desk = shop / "src/shop/office/desk.py"
    desk.parent.mkdir()
    desk.with_name("__init__.py").write_text('"""The office."""\n')
    desk.write_text('"""A desk."""\n\nfrom shop.goods._fruit import weigh\n\nDOUBTED = weigh\n')
    apple = shop / "src/shop/goods/_apple.py"
    apple.write_text(
        apple.read_text().replace("        from shop.goods import _fruit\n\n", "").replace("_fruit.weigh(1)", "1")
    )
    assert carry_out(shop, "doors") == 0
    (shop / "table.tsv").write_text(
        "src/shop/goods/_fruit.py\tsrc/shop/till/fruit.py\tmoved\n"
        "src/shop/till/sale.py\tsrc/shop/till/sales.py\tmain\nsrc/shop/goods/_sums.py\tsrc/shop/till/sums.py\tmoved\n"
    )
    assert carry_out(shop, "move", "table.tsv") == 0
    assert carry_out(shop, "doors") == 0
    assert "from shop.till import weigh" in desk.read_text()
    assert "from shop.till.fruit import weigh" in (shop / "src/shop/till/sales.py").read_text()
    assert "from shop.till import Fruit" in apple.read_text()
    assert "weigh" not in (shop / "src/shop/goods/__init__.pyi").read_text()
    assert "from shop.till.fruit import Fruit as Fruit" in (shop / "src/shop/till/__init__.pyi").read_text()


def test_a_file_that_hides_a_name_of_its_door_is_reported(shop, capsys):
    (shop / "src/shop/goods/pear.py").write_text('"""A pear."""\n\n\ndef pear():\n    return 1\n')
    (shop / "src/shop/till/sale.py").write_text('"""Sales."""\n\nfrom shop.goods.pear import pear\n\nprice = pear\n')
    assert carry_out(shop, "doors") == 1
    assert "the name pear is hidden by the file src/shop/goods/pear.py" in capsys.readouterr().out
