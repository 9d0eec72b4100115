"""The image: what the page about containers says is what the Dockerfile does, and its commands exist."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from assay.cli import main
from assay.extras import PURPOSES

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
PAGE = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
WITH_VALUE = {"-v", "-e", "-p", "--user"}
"""Options of docker run that are followed by a value."""


def arguments_of(command: str) -> list[str]:
    """What a `docker run` passes to the entry point."""
    words = iter(shlex.split(command)[2:])
    for word in words:
        if word in WITH_VALUE:
            next(words)
        elif not word.startswith("-"):
            assert word == "assay", "the image is called assay"
            return list(words)
    raise AssertionError(command)


def settings() -> dict[str, str]:
    """The environment of the image."""
    [line] = re.findall(r"^ENV (.*)$", DOCKERFILE, re.MULTILINE)
    return dict(word.split("=", 1) for word in shlex.split(line))


def test_the_page_says_what_the_dockerfile_does():
    [extras] = re.findall(r'"\.\[([a-z,]+)\]"', DOCKERFILE)
    assert all(f"`{extra}`" in PAGE for extra in extras.split(","))
    assert set(extras.split(",")) <= set(PURPOSES)
    assert settings()["ASSAY_STORE"] in PAGE
    assert settings()["ASSAY_CACHE"] in PAGE
    [user] = re.findall(r"^USER (\d+)$", DOCKERFILE, re.MULTILINE)
    assert f"user {user}" in PAGE
    assert f"--uid {user}" in DOCKERFILE
    for file in (ROOT / "docs" / "deploy").glob("*.yaml"):
        for one in yaml.safe_load_all(file.read_text(encoding="utf-8")):
            users = re.findall(r"'runAsUser': (\d+)", str(one))
            assert set(users) <= {user}, file


def test_what_the_image_copies_is_sent_to_the_builder():
    sent = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    copied = {name for line in re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE) for name in line.split()}
    assert copied
    assert {f"!{name}" for name in copied} <= set(sent)
    assert all((ROOT / name).exists() for name in copied)


@pytest.mark.parametrize("command", re.findall(r"^docker run .*$", PAGE, re.MULTILINE))
def test_commands_of_the_page_exist(command, capsys):
    name = arguments_of(command)[0]
    assert main([name, "--help"]) == 0
    assert f"assay {name}" in capsys.readouterr().out


def test_steps_in_kubernetes_exist(capsys):
    for file in (ROOT / "docs" / "deploy").glob("*.yaml"):
        for one in yaml.safe_load_all(file.read_text(encoding="utf-8")):
            spec = one["spec"].get("jobTemplate", one).get("spec", {}).get("template", {}).get("spec", {})
            for container in [*spec.get("initContainers", ()), *spec.get("containers", ())]:
                assert main([container["args"][0], "--help"]) == 0, file
                options = [word for word in container["args"] if word.startswith("--")]
                shown = capsys.readouterr().out
                assert all(option in shown for option in options), container["args"]
