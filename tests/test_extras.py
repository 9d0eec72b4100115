"""Extras: what each is for, and the command that installs it."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

from assay.extras import DISTRIBUTION, PURPOSES, install_command, is_installed, required_packages

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_every_extra_has_a_purpose_and_its_packages_come_from_the_metadata():
    assert PROJECT["name"] == DISTRIBUTION
    assert set(PURPOSES) == PROJECT["optional-dependencies"].keys() - {"all", "dev"}
    packages = required_packages()
    assert {package.name for package in packages["report"]} == {"jinja2", "vl-convert-python"}
    assert {package.name for package in packages[""]} >= {"numpy", "scipy", "duckdb"}
    assert all(package.version for package in packages[""])


def test_an_extra_is_installed_if_all_its_packages_are_and_no_others_are_looked_up(monkeypatch):
    """Every evaluation asks, and to look up all packages of all extras takes 40 ms."""
    looked_up, versions = [], {"jinja2": "3.1", "vl-convert-python": "1.9"}

    def version(name):
        looked_up.append(name)
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(metadata, "version", version)
    assert is_installed("report")
    assert sorted(looked_up) == sorted(versions)
    del versions["jinja2"]
    assert not is_installed("report")


def test_extras_are_installed_by_one_command_that_names_extras_there_are():
    assert install_command("report") == "pip install 'assay-ir[report]'"
    assert install_command("web", "report") == "pip install 'assay-ir[web,report]'"
    sources = [path.read_text() for path in (ROOT / "src" / "assay").rglob("*.py")]
    assert sum("pip install 'assay" in text for text in sources) == 0  # the words are in one place
    named = {
        extra
        for text in sources
        for extra in re.findall(r"(?:install_command|check_extra)\([^)]*?[\"']([\w-]+)[\"'][,)]", text)
    }
    assert {"report", "dense", "hpo", "postgres"} <= named <= PROJECT["optional-dependencies"].keys()
