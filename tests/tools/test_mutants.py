"""Mutants, on a small repository: where they go, that they go into a copy alone, and who is noticed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tools.mutants.places import find_place
from tools.mutants.table import Mutant, MutantError, read_mutants

ROOT = Path(__file__).parents[2]
SUMS = '''"""Sums."""

LIMIT = 3


def total(values):
    result = 0
    for value in values:
        result += value
    return result


class Shop:
    """A shop."""

    def price(self, n):
        return min(
            n * 2,
            LIMIT * 2,
        )

    def sale(self, n):
        return n * 2


def unused(n):
    return n * 2
'''
FILES = {
    "src/shop/__init__.py": '"""A shop."""\n',
    "src/shop/sums.py": SUMS,
    "tests/test_sums.py": (
        "import subprocess\nimport sys\n\nimport pytest\n\nfrom shop.sums import Shop, total\n\n\n"
        "@pytest.fixture(scope='module')\ndef shop():\n    made = Shop()\n    made.paid = made.price(1)\n"
        "    return made\n\n\n"
        "def test_first(shop):\n    assert shop.paid\n\n\ndef test_second(shop):\n    assert shop.paid == 2\n\n\n"
        "def test_total():\n    assert total([1, 2])\n\n\ndef test_nothing():\n    assert True\n\n\n"
        "def test_process():\n    code = 'from shop.sums import Shop; print(Shop().sale(4))'\n"
        "    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)\n"
        "    assert done.stdout == '8\\n'\n"
    ),
    "tests/test_broken.py": (
        "from shop.sums import total\n\n\n"
        "def test_broken():\n    assert total([1, 2]) == 4\n\n\ndef test_other():\n    pass\n"
    ),
    "pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
}
ENTRIES = [
    ("shared-fixture", "Shop.price", "n * 2,", "n * 3,"),
    ("constant", "", "LIMIT = 3", "LIMIT = 0"),
    ("in-a-process", "Shop.sale", "n * 2", "n * 3"),
    ("not-noticed", "total", "result = 0", "result = 2"),
    ("not-run", "unused", "n * 2", "n * 3"),
]


@pytest.fixture
def shop(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def mutant(function, before, after, file="sums.py"):
    return Mutant("m", "sums", file, function, before, after, "wrong")


def test_the_place_is_a_text_in_a_function(shop):
    place = find_place(mutant("price", "LIMIT * 2", "LIMIT * 3"), shop / "src")
    assert place.mutated == SUMS.replace("LIMIT * 2", "LIMIT * 3")
    assert not place.names
    assert place.lines == {17, 18, 19, 20}  # the whole statement: Python may trace any line of it
    assert find_place(mutant("", "LIMIT = 3", "LIMIT = 4"), shop / "src").names == {"LIMIT"}
    assert find_place(
        mutant("total", "    for value in values:\n", "    for value in values[1:]:\n"), shop / "src"
    ).lines == {8}


def test_a_text_that_is_not_there_once_is_an_error(shop):
    for function, before, after, why in (
        ("total", "n * 2", "n * 3", "not found"),
        ("gone", "n * 2", "n * 3", "not found"),
        ("Shop", "n * 2", "n * 3", "2 times"),
        ("", "n * 2", "n * 3", "3 times"),
        ("unused", "n * 2", "n *", "not valid Python"),
        ("unused", "n * 2", "(n * 2)", "is the same as the original"),
    ):
        with pytest.raises(MutantError, match=why):
            find_place(mutant(function, before, after), shop / "src")


def test_a_function_that_has_moved_is_found(shop):
    moved = mutant("unused", "n * 2", "n * 3", "old/place.py")
    assert find_place(moved, shop / "src").file == Path("shop/sums.py")
    with pytest.raises(MutantError, match="no other file"):
        find_place(mutant("unused", "n * 9", "n * 3", "old/place.py"), shop / "src")


@pytest.mark.slow
def test_every_mutant_of_the_table_has_its_place():
    mutants = read_mutants(sorted((ROOT / "tests" / "mutation").glob("*.toml")))
    assert mutants
    for one in mutants:
        find_place(one, ROOT / "src")


@pytest.mark.slow
def test_killed_and_surviving_mutants_are_told_apart(shop, monkeypatch, capfd):
    pytest.importorskip("coverage")
    from tools.mutants.__main__ import main

    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    keys = ("name", "function", "before", "after")
    entries = [
        {"area": "sums", "file": "sums.py", "effect": "wrong", **dict(zip(keys, entry, strict=True))} for entry in ENTRIES
    ]
    table = "\n".join(
        "[[mutant]]\n" + "\n".join(f"{key} = {json.dumps(text)}" for key, text in one.items()) for one in entries
    )
    (shop / "tests" / "mutation").mkdir()
    (shop / "tests" / "mutation" / "mutants.toml").write_text(table)
    before = {file: file.read_bytes() for file in shop.rglob("*.py")}
    root = ["--root", str(shop)]

    assert main([*root, "run"]) == 2
    assert "Create one: python -m tools.mutants record" in capfd.readouterr().err
    assert main([*root, "record", "--jobs", "1", "--", "-q"]) == 0
    assert "7 tests recorded, 1 of them failed" in capfd.readouterr().out
    assert main([*root, "run", "--jobs", "2"]) == 1

    found = {name: known["outcome"] for name, known in json.loads((shop / "build/mutants/results.json").read_text()).items()}
    status = {name: outcome["status"] for name, outcome in found.items()}
    assert {name for name, word in status.items() if word == "killed"} == {"shared-fixture", "constant", "in-a-process"}
    assert {name for name, word in status.items() if word == "survived"} == {"not-noticed", "not-run"}
    assert found["shared-fixture"]["killer"] == "tests/test_sums.py::test_second"
    assert found["shared-fixture"]["n_tests"] == 2
    assert found["in-a-process"]["n_tests"] == 1
    assert found["not-noticed"]["set_aside"] == ["tests/test_broken.py::test_broken"]
    assert found["not-run"]["n_tests"] == 0
    assert {file: file.read_bytes() for file in shop.rglob("*.py")} == before

    capfd.readouterr()
    assert main([*root, "run", "--only", "constant"]) == 0  # known already, so nothing is run
    assert capfd.readouterr().out.splitlines()[1].split()[:3] == ["constant", "sums", "killed"]
    assert len((shop / "build/mutants/results.txt").read_text().splitlines()) == 10  # all five, and how many of each area
    assert main([*root, "run", "--bar", str(shop / "build/mutants/results.json")]) == 0  # nobody lives who was killed before
    (shop / "src" / "shop" / "sums.py").write_text(SUMS + "\n# another line\n")
    assert main([*root, "run"]) == 2
    assert "Record again: python -m tools.mutants record" in capfd.readouterr().err
