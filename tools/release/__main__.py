"""`python -m tools.release [--tag v0.2.0]`: check and build a release in dist. `--draft` allows an unreleased version."""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.release.agreement import ROOT, disagreements, repository_disagreements, version_of
from tools.release.distributions import build, check, try_wheel


def main() -> None:
    """Check, build, try. The first problem ends the program with a message."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("--tag", default="", help="the tag of the release, such as v0.2.0")
    parser.add_argument("--draft", action="store_true", help="build and try it although the changelog has no date yet")
    parser.add_argument("--advisories", type=Path, help="an archive or folder of OSV records, to check dependencies offline")
    given = parser.parse_args()
    problems = [*disagreements(given.tag), *repository_disagreements()]
    for problem in problems:
        print(f"{'note' if given.draft else 'error'}: {problem}")
    if problems and not given.draft:
        raise SystemExit(1)
    wheel, source = build(ROOT / "dist")
    for line in (*check(wheel, source), *try_wheel(wheel, Path(ROOT / "build" / "release"), given.advisories)):
        print(line)
    print(f"assay {version_of()} is ready in dist: {wheel.name}, {source.name}")


if __name__ == "__main__":
    main()
