"""The pages: what they show is what happens, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.docs.session import Block, Session, blocks

ROOT = Path(__file__).parents[2]
GLOBS = ("*.md", "docs/*.md", "examples/*.md", "src/subiso/formats/*.md")
PAGES = sorted(page.relative_to(ROOT).as_posix() for glob in GLOBS for page in ROOT.glob(glob))
ELSEWHERE = ("docs/semantics.md", "docs/patterns.md")  # tests/reference and tests/pattern run these
SHOWN = ("", "text", "sh", "cpp")  # kinds of blocks that are only shown


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [p for p in PAGES if p not in ELSEWHERE])
def test_blocks_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = Session(page, tmp_path)
    for block in blocks(read(page)):
        assert block.kind in ("python", "console", *SHOWN), (
            f"{page}:{block.line}: unknown kind {block.kind!r}"
        )
        session.run(block)


def test_the_first_screen_of_the_readme_is_run() -> None:
    first, *_ = blocks(read("README.md"))
    assert first.kind == "console" and first.line < 20


def test_links_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        text = re.sub(r"^```.*?^```$", "", read(page), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            path, _, anchor = target.partition("#")
            if "://" in target:
                continue
            file = (ROOT / page).parent / path if path else ROOT / page
            if not file.exists() or (anchor and anchor not in anchors(file)):
                broken.append(f"{page}: {target}")
    assert broken == []


def anchors(file: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def test_folders_that_the_architecture_names_exist() -> None:
    rooms = read("docs/architecture.md").split("## The rooms")[1].split("\n## ")[0]
    table = re.findall(r"^\| `([\w/.]+)` \|", rooms, re.MULTILINE)
    assert len(table) > 15
    assert [name for name in table if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("python", ">>> 1 + 1\n3\n"),
        ("python", "1 + 1\n"),
        ("console", "$ subiso --version\nsubiso 9.9\n"),
        ("console", "$ rm -rf x\n"),
    ],
)
def test_a_wrong_block_is_noticed(kind: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        Session("page", tmp_path).run(Block(kind, text, 1))
