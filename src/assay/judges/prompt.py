"""Prompts: Markdown files with slots for the query, the document and the guidelines, and the grades that they ask for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from assay.errors import BadParameter, DataError, UnknownName, near_matches
from assay.judges.grades import Scale
from assay.judges.pairs import Pair

FOLDER = Path(__file__).parent / "prompts"
SLOT = re.compile(r"\{([a-z_]+)\}")
SLOTS = ("query", "document", "guidelines")
NEEDED = ("query", "document")
HEAD = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
DIGEST_DIGITS = 16


@dataclass(frozen=True)
class Prompt:
    """A text with slots, and the grades that an answer may have."""

    name: str
    text: str
    scale: Scale
    guidelines: str = ""

    @property
    def digest(self) -> str:
        """A hash of everything in it that a judge reads, and of the grades."""
        return sha256("\0".join([self.text, str(self.scale), self.guidelines]).encode()).hexdigest()[:DIGEST_DIGITS]

    @property
    def fields(self) -> tuple[str, ...]:
        """The slots that it has: what is sent."""
        used = set(SLOT.findall(self.text))
        return tuple(name for name in SLOTS if name in used)

    def fill(self, pair: Pair, max_chars: int) -> str:
        """The prompt for a pair. A document is cut after so many characters. Slots in the texts are not filled."""
        values = {
            "query": pair.query_text,
            "document": pair.document_text[:max_chars],
            "guidelines": self.guidelines,
        }
        return SLOT.sub(lambda slot: values[slot[1]], self.text)


def shipped_prompts() -> dict[str, Path]:
    """Name → file of the bundled prompts."""
    return {file.stem: file for file in sorted(FOLDER.glob("*.md"))}


def load_prompt(name: str, guidelines: str = "") -> Prompt:
    """A bundled prompt by its name, or your own by the path of a Markdown file; guidelines are text from a file."""
    bundled = shipped_prompts()
    if name not in bundled and not name.endswith(".md"):
        hint = f"choose from {', '.join(bundled)}, or name a file that ends in .md"
        raise UnknownName("prompt", name, near_matches(name, bundled), hint)
    prompt = parse_prompt(name, _read(bundled.get(name) or Path(name)), _read(Path(guidelines)) if guidelines else "")
    if guidelines and "guidelines" not in prompt.fields:
        raise BadParameter(f"the prompt {name} has no slot {{guidelines}}. Use prompt=guidelines, or add the slot")
    if not guidelines and "guidelines" in prompt.fields:
        raise BadParameter(f"the prompt {name} has the slot {{guidelines}}. Name a file with guidelines=…")
    return prompt


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").replace("\r\n", "\n")
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", source=path) from None
    except UnicodeDecodeError:
        raise DataError("not valid UTF-8", source=path) from None


def parse_prompt(name: str, text: str, guidelines: str = "") -> Prompt:
    """A prompt from its text, which begins with its grades: `---`, `grades: 0, 1, 2, 3`, `---`."""
    head = HEAD.match(text)
    settings = dict(line.partition(":")[::2] for line in (head[1].splitlines() if head else ()))
    try:
        scale = tuple(float(grade) for grade in settings["grades"].split(","))
    except (KeyError, ValueError):
        form = "---\\ngrades: 0, 1, 2, 3\\n---"
        raise BadParameter(f"the prompt {name} must begin with the grades that it asks for, as in {form}") from None
    body = text[head.end() :].strip() if head else text
    slots = set(SLOT.findall(body))
    if unknown := sorted(slots - set(SLOTS)):
        raise BadParameter(f"the prompt {name} has an unknown slot {{{unknown[0]}}}   (choose from {', '.join(SLOTS)})")
    if missing := [slot for slot in NEEDED if slot not in slots]:
        raise BadParameter(f"the prompt {name} has no slot {{{missing[0]}}}. Add it")
    return Prompt(name, body, scale, guidelines.strip())
