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


@pytest.mark.slow
def test_files_are_joined_and_all_references_follow(shop, capsys):
    """What clashes has a visible name, or that of a table."""
    (shop / "names.tsv").write_text("module\told\tnew\nshop.goods._fruit\tLIMIT\tMOST_FRUIT\n")
    assert carry_out(shop, "move", "table.tsv", "--renames", "names.tsv") == 0
    report = capsys.readouterr().out
    passes(shop)
    assert dangling(Repository(shop), read_moves(shop / "table.tsv")) == []
    assert not (shop / "src/shop/goods/_apple.py").exists()
    joined = (shop / "src/shop/goods/fruit.py").read_text()
    assert joined.startswith('"""Apples: red ones."""')
    assert joined.index("class Fruit") < joined.index("class Apple")
    assert joined.count("def _same") == 1
    for text in ("MOST_FRUIT = 3", "\nLIMIT = 5", "n = MOST_FRUIT", "def _plain_fruit(", "def sum_sums("):
        assert text in joined, text
    for text in ("import _fruit", "weight_of"):
        assert text not in joined, text
    for text in ("src/shop/goods/_fruit.py: Fruit: what all fruit has.", "_plain\t_plain_fruit"):
        assert text in report, text
    page = (shop / "docs/page.md").read_text()
    assert "from shop.goods import fruit\nfrom shop.goods.fruit import LIMIT" in page
    assert "goods/fruit.py" in page
    assert "shop.goods.fruit:Apple" in (shop / "pyproject.toml").read_text()
    assert "shop.goods.fruit.MOST_FRUIT" in (shop / "src/shop/till/note.py").read_text()
    test = (shop / "tests/test_sale.py").read_text()
    for text in ('"shop.goods.fruit.MOST_FRUIT"', 'setattr(fruit, "LIMIT"', "fruit.MOST_FRUIT == 0"):
        assert text in test, text


def test_what_cannot_be_carried_out(shop, capsys):
    wrong = incomplete(read_moves(shop / "table.tsv"), Repository(shop))
    assert "no row: src/shop/till/sale.py" in wrong
    assert not any("_apple" in one for one in wrong)
    (shop / "table.tsv").write_text("src/shop/goods/_apple.py\tsrc/shop/till/sale.py\tmoved\n")
    assert carry_out(shop, "move", "table.tsv") == 1
    assert "already exist" in capsys.readouterr().out
    assert (shop / "src/shop/till/sale.py").read_text() == FILES["src/shop/till/sale.py"]
    (shop / "src/shop/goods/pear.py").write_text('"""A pear."""\n\n\ndef pear():\n    return 1\n')
    (shop / "src/shop/till/sale.py").write_text('"""Sales."""\n\nfrom shop.goods.pear import pear\n\nprice = pear\n')
    assert carry_out(shop, "doors") == 1
    assert "the name pear is hidden by the file src/shop/goods/pear.py" in capsys.readouterr().out


@pytest.mark.slow
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
