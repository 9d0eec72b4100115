"""The gallery has every kind of chart, and its pictures are those that its commands draw, light and dark."""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from tests._snapshots import IS_WRITING, is_same

from assay.charts import all_charts
from assay.cli import main

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "images" / "gallery"
TEXT = PAGE.read_text(encoding="utf-8")
COMMANDS = {
    words[2]: words for line in re.findall(r"^\$ (assay plot .*)$", TEXT, re.MULTILINE) if (words := shlex.split(line))
}
MOST_BYTES = 60_000


def test_every_kind_of_chart_has_a_heading_a_command_and_two_pictures():
    assert set(COMMANDS) == set(all_charts())
    for kind, words in COMMANDS.items():
        assert words[-2:] == ["-o", f"{kind}.svg"]
        section = TEXT.partition(f"\n### {kind}\n")[2].partition("\n#")[0]
        assert f"$ {shlex.join(words)}\n" in section
        assert f"(images/gallery/{kind}.svg#gh-light-mode-only)" in section
        assert f"(images/gallery/{kind}-dark.svg#gh-dark-mode-only)" in section


def test_pictures_are_small_and_none_is_left_over():
    shown = set(re.findall(r"images/gallery/([\w-]+\.svg)", TEXT))
    assert {file.name for file in PICTURES.iterdir()} == shown
    assert {file.name: size for file in PICTURES.iterdir() if (size := file.stat().st_size) > MOST_BYTES} == {}


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """A folder with the data of the gallery, as its first commands write them."""
    made = tmp_path_factory.mktemp("gallery")
    shutil.copytree(ROOT / "examples", made / "examples")
    prepared = re.search(r"```console\n(\$ python .*?)```", TEXT, re.DOTALL)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        for line in re.findall(r"^\$ (.*)$", prepared[1], re.MULTILINE):
            words = shlex.split(line)
            patch.setattr(sys, "argv", words[1:])
            if words[0] == "python":
                runpy.run_path(words[1], run_name="__main__")
            else:
                assert main(words[1:]) == 0
    return made


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(COMMANDS))
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_is_what_its_command_draws(kind, theme, pictures, monkeypatch):
    monkeypatch.chdir(pictures)
    name = f"{kind}.svg" if theme == "light" else f"{kind}-dark.svg"
    assert main([*COMMANDS[kind][1:-1], name, "--theme", theme]) == 0
    drawn = Path(name).read_text(encoding="utf-8")
    if IS_WRITING:
        (PICTURES / name).write_text(drawn, encoding="utf-8", newline="\n")
    assert is_same("\n".join(words_of(drawn)), "\n".join(words_of((PICTURES / name).read_text(encoding="utf-8"))))
    assert len(words_of(drawn)) > 3


def words_of(svg: str) -> list[str]:
    """The texts of a picture. Their places depend on the fonts of the machine, so they are not compared."""
    return re.findall(r"<text[^>]*>(.*?)</text>", svg)
