"""What a release must agree on, and that the files for people who join are complete and true."""

from __future__ import annotations

import re
import subprocess
import textwrap
import tomllib
from pathlib import Path

import pytest
import yaml
from tools.release.agreement import disagreements, repository_disagreements, version_of
from tools.release.distributions import IMAGES, SOURCE, dead_links, relative_links

import assay

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture
def checkout(tmp_path):
    """The files of a release that agree."""
    (tmp_path / "src" / "assay").mkdir(parents=True)
    (tmp_path / "src" / "assay" / "_version.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 1.2.3 - 2026-11-19\n\n### Added\n\n- A thing.\n\n## 1.2.2 - 2026-10-01\n\n- Less.\n"
    )
    (tmp_path / "CITATION.cff").write_text("title: assay\nversion: 1.2.3\ndate-released: 2026-11-19\nlicense: MIT\n")
    (tmp_path / "pyproject.toml").write_text('[project.urls]\nSource = "https://example.org/team/assay"\n')
    return tmp_path


def test_a_release_that_agrees_has_no_finding(checkout):
    assert version_of(checkout) == "1.2.3"
    assert disagreements("v1.2.3", checkout) == disagreements("", checkout) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("CHANGELOG.md", "1.2.3 - 2026-11-19", "1.2.3 (unreleased)", "CHANGELOG.md has no heading"),
        ("CHANGELOG.md", "- A thing.\n", "", "CHANGELOG.md lists nothing under 1.2.3"),
        ("CHANGELOG.md", "## 1.2.3", "## Unreleased\n\n## 1.2.3", "CHANGELOG.md has Unreleased above 1.2.3"),
        ("CHANGELOG.md", "1.2.2", "1.3.0", "not in descending order"),
        ("CITATION.cff", "2026-11-19", "2026-11-18", "CITATION.cff does not have 'date-released: 2026-11-19'"),
        ("CITATION.cff", "1.2.3", "1.2.2", "CITATION.cff does not have 'version: 1.2.3'"),
        ("src/assay/_version.py", "1.2.3", "1.2", "is not major.minor.patch"),
    ],
)
def test_a_release_that_disagrees_says_where(checkout, file, old, new, said):
    path = checkout / file
    path.write_text(path.read_text().replace(old, new))
    assert any(said in finding for finding in disagreements("", checkout))


def test_a_tag_of_another_version_is_named(checkout):
    assert disagreements("v1.2.4", checkout) == ["the tag is v1.2.4, but the version is 1.2.3. Expected v1.2.3"]


@pytest.mark.parametrize(
    ("origin", "agrees"),
    [
        ("https://example.org/team/assay.git", True),
        ("git@example.org:team/assay.git", True),
        ("https://example.org/fork/assay", False),
        (None, True),
    ],
)
def test_metadata_name_the_repository_of_the_checkout(checkout, origin, agrees):
    subprocess.run(["git", "init", "--quiet", checkout], check=True)
    if origin:
        subprocess.run(["git", "-C", checkout, "remote", "add", "origin", origin], check=True)
    found = [finding for finding in repository_disagreements(checkout) if "origin is" in finding]
    assert (found == []) is agrees


def test_a_tag_that_is_used_and_uncommitted_changes_are_named(checkout):
    def git(*words):
        subprocess.run(["git", "-C", checkout, "-c", "user.name=a", "-c", "user.email=a@example.org", *words], check=True)

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "first")
    git("tag", "v1.2.3")
    assert repository_disagreements(checkout) == []
    (checkout / "CHANGELOG.md").write_text("changed")
    [finding] = repository_disagreements(checkout)
    assert finding == "changes are not committed: 1 files. Commit them first"
    git("commit", "--quiet", "--all", "-m", "second")
    [finding] = repository_disagreements(checkout)
    assert finding.startswith("the tag v1.2.3 already exists, at commit ")


def test_relative_links_are_found():
    text = '[a](docs/a.md) [b](https://example.org) [c](#part) <img src="x.png"> <img src="https://example.org/y.png">'
    assert len(relative_links(text)) == 2


def test_links_of_the_description_lead_to_files():
    text = f'[a]({SOURCE}/blob/main/README.md) [b]({SOURCE}/blob/main/docs/gone.md#part) <img src="{IMAGES}/main/gone.svg">'
    assert dead_links(text) == ["docs/gone.md", "gone.svg"]


def test_versions_of_this_checkout_agree():
    """Also while work goes on for the next version, all but the sections of the changelog agree."""
    assert version_of() == assay.__version__
    assert [finding for finding in disagreements("") if not finding.startswith("CHANGELOG.md has")] == []


def test_extras_have_no_exact_versions():
    pinned = {name: [one for one in needs if "==" in one] for name, needs in PROJECT["optional-dependencies"].items()}
    assert {name: ones for name, ones in pinned.items() if ones} == {}


def test_workflows_and_forms_are_yaml():
    files = [*(ROOT / ".github").rglob("*.yml"), ROOT / "CITATION.cff", ROOT / ".pre-commit-config.yaml"]
    assert len(files) > 7
    for file in files:
        assert isinstance(yaml.safe_load(file.read_text(encoding="utf-8")), dict), file


def test_workflows_try_the_versions_that_the_package_names():
    """A version is a classifier only if the tests run on it in a workflow."""
    named = {line.rsplit(" ", 1)[1] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)}
    tests = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    assert named <= set(tests["jobs"]["linux"]["strategy"]["matrix"]["python"])
    assert f">={min(named, key=lambda text: int(text.split('.')[1]))}" == PROJECT["requires-python"]


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "SECURITY.md"])
def test_links_of_pages_for_contributors_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]
    assert targets
    assert [target for target in targets if target and not (ROOT / target).exists()] == []


def test_commands_that_contributors_are_told_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8") + (ROOT / "docs" / "releases.md").read_text(
        encoding="utf-8"
    )
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:`|^ *)make ([a-z-]+)", text, re.MULTILINE))
    assert {"test", "lint", "release"} <= named <= targets


def test_the_metric_of_the_page_for_contributors_works():
    """Worked out by hand: relevant documents at ranks 1 and 4 of 5, so the mean rank is 2.5."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    [block] = re.findall(r"```py\n(.*?)```", text, re.DOTALL)
    names = {}
    exec("from assay.arrays import ratio", names)
    exec("from assay.metrics.definition import CUTOFF_NEEDED, REL, GradedRun, Metric, Scores", names)
    exec(textwrap.dedent(block), names)
    run = {"q": ["a", "b", "c", "d", "e"], "none": ["x"]}
    metric = names["RELEVANT_DEPTH"].bind(k=5)
    result = assay.evaluate({"q": {"a": 1, "d": 1}, "none": {"y": 1}}, run, [metric])
    assert result.scores("relevant_depth@5") == {"q": 0.5, "none": 0.0}
